/* Sound being written, as wav or mp3, into a pile of bytes with a limit.
 *
 *     rf_av_sound_begin(&s, &wish, arena)
 *     uint8_t *const *planes = rf_av_sound_room(&s, n); … rf_av_sound_add(&s, got);
 *     rf_av_sound_finish(&s); rf_av_sound_send(&s, to); rf_av_sound_release(&s);
 */
#ifndef RF_WORKER_AV_ENCODE_H
#define RF_WORKER_AV_ENCODE_H

#include "worker/frame.h"

#include <libavcodec/avcodec.h>
#include <libavutil/audio_fifo.h>

struct rf_av_sound_wish {
    bool mp3; /* where there is an encoder for it; else wav */
    int rate, channels;
    size_t max_bytes;
    int64_t length_ms; /* what will come, as far as that is known; 0: unknown */
};

struct rf_av_sound {
    struct rf_arena *arena;
    int rate, channels;
    bool lowered; /* rate or channels are below what was wished */
    bool full;    /* not all of it fitted */
    size_t max_bytes, bytes;
    struct rf_str *pieces;
    size_t piece_count, piece_cap, room; /* room: what is left in the last piece */
    int64_t samples;
    AVFrame *scratch; /* where the converter writes to */
    AVCodecContext *mp3;
    AVAudioFifo *waiting; /* mp3: samples that do not make a frame yet */
};

/* Would all of it fit as it is, even if it were half as long again? */
bool rf_av_sound_fits(const struct rf_av_sound_wish *wish);
/* False where not even a second would fit. */
bool rf_av_sound_begin(struct rf_av_sound *s, const struct rf_av_sound_wish *wish,
                       struct rf_arena *a);
enum AVSampleFormat rf_av_sound_format(const struct rf_av_sound *s);
/* Planes with room for that many samples, or NULL. */
uint8_t *const *rf_av_sound_room(struct rf_av_sound *s, int samples);
/* Take over what was written there. False when it is full, or the encoder failed. */
bool rf_av_sound_add(struct rf_av_sound *s, int samples);
void rf_av_sound_finish(struct rf_av_sound *s);
int64_t rf_av_sound_ms(const struct rf_av_sound *s);
void rf_av_sound_send(const struct rf_av_sound *s, struct rf_answer *to);
void rf_av_sound_release(struct rf_av_sound *s);

#endif
