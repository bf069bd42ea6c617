/* Pixels in memory to the bytes of a file, within a number of bytes. */
#ifndef RF_WORKER_IMAGE_ENCODE_H
#define RF_WORKER_IMAGE_ENCODE_H

#include "base/error.h"
#include "base/str.h"

#include <vips/vips.h>

#include <stdbool.h>
#include <stdint.h>

struct rf_encoded {
    void *p; /* g_free */
    size_t n;
    const char *mime;
    int quality; /* of a JPEG or WebP; 0 where nothing is lost */
    int width, height;
};

/* `types` as in an ask; empty: PNG and JPEG. PNG for what is flat or clear in parts, JPEG for the
 * rest; quality goes down, then the size, only as far as `max_bytes` needs (0: no limit). Takes
 * over `im`. Fails with RF_EUSAGE for types that cannot be written, RF_ELIMIT where no size fits.
 */
RF_MUST enum rf_code rf_encode(VipsImage *im, struct rf_str types, uint64_t max_bytes,
                               struct rf_encoded *out, struct rf_err *err);

#endif
