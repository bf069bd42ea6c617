/* An open sound or video file: FFmpeg's context over bytes in memory, and the streams that count.
 *
 *     if (rf_av_open(&in, bytes, to)) …
 *     rf_av_close(&in);
 */
#ifndef RF_WORKER_AV_INPUT_H
#define RF_WORKER_AV_INPUT_H

#include "worker/frame.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

struct rf_av_input {
    AVFormatContext *format;
    AVIOContext *io;
    struct rf_str bytes;
    int64_t at;
    AVStream *audio, *video,
        *cover;      /* NULL where there is none; a cover is one picture beside sound */
    int64_t stop_ms; /* of the monotonic clock: then the file ends for us */
};

/* False after rf_answer_fail. rf_av_close wants to be called in any case. */
bool rf_av_open(struct rf_av_input *in, struct rf_str bytes, struct rf_answer *to);
void rf_av_close(struct rf_av_input *in);

/* Back to the first packet. */
void rf_av_rewind(struct rf_av_input *in);
/* Has this ask had more time than one file is worth? */
bool rf_av_late(const struct rf_av_input *in);
/* A decoder for the stream, or NULL where it is not on our list or does not start. Free it with
 * avcodec_free_context. */
AVCodecContext *rf_av_decoder(const AVStream *stream);
/* The stream's copy protection keeps everybody out. */
bool rf_av_is_locked(const AVStream *stream);
/* What the file says of the length of its sound and video, whatever subtitles go on after them; 0
 * where it says nothing. */
int64_t rf_av_duration_ms(const struct rf_av_input *in);
/* The same with all that is in it. */
int64_t rf_av_announced_ms(const struct rf_av_input *in);

#endif
