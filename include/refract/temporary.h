/* A folder for files that go with the process, which no other user can enter.
 *
 *     struct rf_temporary t = { 0 };
 *     if (rf_temporary_make(&t, &err)) …
 *     … files in t.path …
 *     rf_temporary_remove(&t);
 *
 * A process that is killed leaves its folder behind, and the next one removes it. It is locked for
 * as long as its process lives, in whatever container that is: one whose lock can be taken is
 * abandoned.
 */
#ifndef REFRACT_TEMPORARY_H
#define REFRACT_TEMPORARY_H

#include <refract/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RF_TEMPORARY_PATH 256

struct rf_temporary {
    char path[RF_TEMPORARY_PATH]; /* "": there is none */
    int lock;                     /* a descriptor */
};

/* Make one in $TMPDIR, or in /tmp where that is not an absolute path, or too long. Fails with
 * RF_EIO. */
RF_API RF_MUST enum rf_code rf_temporary_make(struct rf_temporary *out, struct rf_err *err);
/* Remove it with the files in it; folders in it are not ours. Where there is none: nothing. */
RF_API void rf_temporary_remove(struct rf_temporary *t);
/* Remove what processes that are gone have left: some of it, where there is a lot.
 * rf_temporary_make does it too. */
RF_API void rf_temporary_sweep(void);

#ifdef __cplusplus
}
#endif
#endif
