/* MPEG audio: the four bytes before every frame of an MP3 (and MP2), of AAC in ADTS, and the ID3
 * tag that may stand before the first. */
#ifndef RF_MEDIA_MPEG_AUDIO_H
#define RF_MEDIA_MPEG_AUDIO_H

#include "media/look.h"

struct rf_mpeg_frame {
    uint32_t sort;    /* the bits that all frames of a stream share: version, layer, sample rate */
    uint32_t bitrate; /* bits a second */
    uint32_t rate;    /* samples a second */
    uint32_t samples; /* in this frame */
    uint32_t length;  /* in bytes, the header included */
    uint32_t side;    /* bytes from the start of the frame to a Xing header */
};

/* False when the four bytes are not a header, or one of the free format, whose length is not
 * told. */
bool rf_mpeg_frame(const uint8_t header[4], struct rf_mpeg_frame *out);

/* The first frame in [from, limit) that is followed by another of its sort or ends the sound: the
 * tag at the end of a file counts as an end. */
bool rf_mpeg_first(struct rf_look *k, uint64_t from, uint64_t limit, struct rf_mpeg_frame *out,
                   uint64_t *at);

/* Do frames of AAC stand there: one of a sane length, followed by another or by the end? */
bool rf_adts_at(struct rf_look *k, uint64_t at);

/* Where the ID3v2 tags at the front end: 0 when there are none. It may lie past the end. */
uint64_t rf_id3_end(struct rf_look *k);

#endif
