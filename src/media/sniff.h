/* The pieces of rf_sniff that have a file of their own. Each answers with a format, or with
 * RF_FORMAT_NONE when the bytes are not its business. */
#ifndef RF_MEDIA_SNIFF_H
#define RF_MEDIA_SNIFF_H

#include "media/look.h"
#include "media/media.h"

/* RIFF, ISO boxes, Matroska, Ogg, ASF, MPEG streams: sniff_av.c */
enum rf_format_id rf_sniff_riff(struct rf_look *k);
enum rf_format_id rf_sniff_boxes(struct rf_look *k);
enum rf_format_id rf_sniff_matroska(struct rf_look *k);
enum rf_format_id rf_sniff_ogg(struct rf_look *k);
enum rf_format_id rf_sniff_asf(struct rf_look *k);
enum rf_format_id rf_sniff_mpeg_audio(struct rf_look *k);

/* Where a signature is too short, or does not come first: the probes' files. */
bool rf_fits_bmp(struct rf_look *k);
bool rf_fits_ico(struct rf_look *k);
bool rf_fits_pdf(struct rf_look *k);
bool rf_fits_ac3(struct rf_look *k); /* sniff_av.c */

/* UTF-8 text and what it says: sniff_text.c */
enum rf_format_id rf_sniff_text(struct rf_look *k);

#endif
