/* The members of a tar archive, one after the other, from bytes that may be gzipped.
 *
 *     rf_tar_open(&t, bytes, arena);
 *     while (rf_tar_next(&t, &member)) …
 *     if (t.trouble) … what is wrong …
 *     rf_tar_close(&t);
 */
#ifndef RF_OFFICE_TAR_H
#define RF_OFFICE_TAR_H

#include "base/str.h"

#define RF_TAR_MAX_UNPACKED \
    ((uint64_t)1 << 30) /* of a gzipped one; what comes later is not looked at */

struct rf_arena;
struct rf_tar_inflate;

struct rf_tar_member {
    struct rf_str name, link; /* lives until the next; any bytes */
    uint64_t size;
    int64_t time; /* seconds since 1970 */
    char kind;    /* '0' a file, '5' a folder, '2' a link … */
};

struct rf_tar {
    struct rf_arena *arena;
    struct rf_str rest;             /* of the bytes */
    struct rf_tar_inflate *inflate; /* NULL: they are the archive itself */
    uint64_t pending;               /* content of the last member, still to be passed over */
    bool begun;
    char *longs[3]; /* room for the contents that describe: 'x', 'L', 'K' */
    char name[260], link[104];
    const char *trouble; /* why it ended early; NULL: it did not */
};

/* Is it one? Looks at the first header only. */
bool rf_tar_is(struct rf_str bytes, struct rf_arena *a);
void rf_tar_open(struct rf_tar *t, struct rf_str bytes, struct rf_arena *a);
bool rf_tar_next(struct rf_tar *t, struct rf_tar_member *out);
void rf_tar_close(struct rf_tar *t);

#endif
