/* The frames of one stream, one after the other. Broken packets are stepped over and counted.
 *
 *     if (rf_av_reader_open(&r, in, in->audio, to))
 *         while (rf_av_next(&r)) … r.frame …
 *     rf_av_reader_close(&r);
 */
#ifndef RF_WORKER_AV_READER_H
#define RF_WORKER_AV_READER_H

#include "worker/av/input.h"

struct rf_av_reader {
    struct rf_av_input *in;
    AVStream *stream;
    AVCodecContext *codec;
    AVPacket *packet;
    AVFrame *frame;  /* the last one; its memory is the decoder's until the next */
    int64_t time_ms; /* when it is shown or heard, from the start of the file; -1: unknown */
    size_t broken;   /* packets that did not decode */
    bool drained;    /* the last packet is in the decoder */
};

/* False after rf_answer_fail, in words about `what`, such as "sound". Close it in any case. */
bool rf_av_reader_open(struct rf_av_reader *r, struct rf_av_input *in, AVStream *stream,
                       const char *what, struct rf_answer *to);
void rf_av_reader_close(struct rf_av_reader *r);

/* False at the end, and where no more can be decoded. */
bool rf_av_next(struct rf_av_reader *r);
/* Go on at the last point before `time_ms` where decoding can begin, if that is ahead; false where
 * the file has no way to get there, and the next frame is the one that would have come anyway. */
bool rf_av_seek(struct rf_av_reader *r, int64_t time_ms);
/* When the last point is at or before `time_ms` where decoding can begin; -1 where that is
 * unknown. */
int64_t rf_av_key_before(const struct rf_av_reader *r, int64_t time_ms);

/* Milliseconds from the start of the file. */
int64_t rf_av_time_ms(const struct rf_av_input *in, const AVStream *stream, int64_t timestamp);

#endif
