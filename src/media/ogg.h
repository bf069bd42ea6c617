/* Ogg: what is in the first pages, one for each stream. */
#ifndef RF_MEDIA_OGG_H
#define RF_MEDIA_OGG_H

#include "media/look.h"
#include "media/media.h"

struct rf_ogg {
    enum rf_format_id format; /* Opus, other sound, or video */
    uint32_t serial;          /* of the first stream of sound */
    uint32_t rate;            /* its granules a second; 0 where its codec is not known to us */
    uint32_t skip;            /* granules before the sound starts */
};

/* False when there is no stream that we know. */
bool rf_ogg_read(struct rf_look *k, struct rf_ogg *out);

#endif
