/* The first directory of a TIFF structure: a TIFF file has one, and so has every piece of EXIF. */
#ifndef RF_MEDIA_EXIF_H
#define RF_MEDIA_EXIF_H

#include "media/look.h"
#include "media/media.h"

struct rf_tiff_tags {
    uint64_t width, height; /* 0 where the directory does not say */
    unsigned orientation;   /* 1 to 8; 1 where it does not say, or says nonsense */
};

/* Read the tags of the structure in [base, end). False when it is none, or is cut off. */
bool rf_tiff_read(struct rf_look *k, uint64_t base, uint64_t end, struct rf_tiff_tags *out);

/* The orientation that a piece of EXIF gives, with or without "Exif\0\0" before it; 1 where it
 * gives none that makes sense. */
unsigned rf_exif_orientation(struct rf_look *k, uint64_t base, uint64_t end);

/* Turn a size as stored into the size as seen. */
void rf_orient(struct rf_facts *facts, unsigned orientation);

#endif
