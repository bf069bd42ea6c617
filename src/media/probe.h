/* The probes, one a format: each reads the facts from a header, or fails with RF_EFORMAT and says
 * in words what is wrong with it. `facts` comes zeroed. */
#ifndef RF_MEDIA_PROBE_H
#define RF_MEDIA_PROBE_H

#include "media/look.h"
#include "media/media.h"

typedef enum rf_code rf_probe_fn(struct rf_look *k, struct rf_facts *facts, struct rf_err *err);

rf_probe_fn rf_probe_png, rf_probe_jpeg, rf_probe_gif, rf_probe_webp, rf_probe_bmp, rf_probe_ico;
rf_probe_fn rf_probe_tiff, rf_probe_avif, rf_probe_heif, rf_probe_svg, rf_probe_jp2, rf_probe_jxl;
rf_probe_fn rf_probe_psd, rf_probe_pdf, rf_probe_zip, rf_probe_ole, rf_probe_wav, rf_probe_flac;
rf_probe_fn rf_probe_aiff, rf_probe_mp3, rf_probe_ogg, rf_probe_movie;

/* RF_EFORMAT, "the NAME is cut off" or "the NAME header is cut off". */
enum rf_code rf_cut_off(struct rf_err *err, const char *what);

/* Take a size over. Fails when a side is 0, or longer than a picture can be. */
enum rf_code rf_take_size(struct rf_facts *facts, uint64_t width, uint64_t height,
                          struct rf_err *err);

#endif
