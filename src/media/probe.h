/* The probes, one a format: each reads the facts from a header, or fails with RF_EFORMAT and says
 * in words what is wrong with it. `facts` comes zeroed. */
#ifndef RF_MEDIA_PROBE_H
#define RF_MEDIA_PROBE_H

#include "media/look.h"
#include "media/media.h"

#define FORMAT(id, probe, ...) rf_probe_fn rf_probe_##probe;
#include "media/formats.def"
#undef FORMAT

/* RF_EFORMAT, "the NAME is cut off" or "the NAME header is cut off". */
enum rf_code rf_cut_off(struct rf_err *err, const char *what);

/* Take a size over. Fails when a side is 0, or longer than a picture can be. */
enum rf_code rf_take_size(struct rf_facts *facts, uint64_t width, uint64_t height,
                          struct rf_err *err);

#endif
