/* FFmpeg's two halves, packets in and frames out, as one loop. */
#include "worker/av/reader.h"

#define MAX_BROKEN 10000
#define LOOK_AT_CLOCK 64 /* packets: some files have packets without bytes */

bool rf_av_reader_open(struct rf_av_reader *r, struct rf_av_input *in, AVStream *stream,
                       const char *what, struct rf_answer *to)
{
    *r = (struct rf_av_reader){ .in = in, .stream = stream, .time_ms = -1 };
    if (!stream) {
        rf_answer_fail(to, RF_EFORMAT, "", "the file has no %s in it", what);
        return false;
    }
    if (rf_av_is_locked(stream)) {
        rf_answer_fail(to, RF_EENCRYPTED, "", "the %s is encrypted by a copy protection", what);
        return false;
    }
    r->codec = rf_av_decoder(stream);
    r->packet = av_packet_alloc();
    r->frame = av_frame_alloc();
    if (r->codec && r->packet && r->frame)
        return true;
    rf_answer_fail(to, RF_EFORMAT, "", "there is no decoder for the %s (%s)", what,
                   avcodec_get_name(stream->codecpar->codec_id));
    return false;
}

void rf_av_reader_close(struct rf_av_reader *r)
{
    avcodec_free_context(&r->codec);
    av_packet_free(&r->packet);
    av_frame_free(&r->frame);
}

/* The next packet of the stream into the decoder; after the last one, the word that it was the
 * last. */
static bool feed(struct rf_av_reader *r)
{
    int rc = 0;

    if (r->drained)
        return false;
    for (unsigned i = 1;; i++) {
        rc = av_read_frame(r->in->format, r->packet);
        if (rc < 0 || r->packet->stream_index == r->stream->index)
            break;
        av_packet_unref(r->packet);
        if (i % LOOK_AT_CLOCK == 0 && rf_av_late(r->in))
            return false;
    }
    if (rc < 0) {
        r->drained = true;
        return avcodec_send_packet(r->codec, NULL) >= 0;
    }
    if (avcodec_send_packet(r->codec, r->packet) < 0)
        r->broken++;
    av_packet_unref(r->packet);
    return true;
}

bool rf_av_next(struct rf_av_reader *r)
{
    for (unsigned i = 1; r->broken < MAX_BROKEN; i++) {
        int rc = avcodec_receive_frame(r->codec, r->frame);
        if (rc >= 0) {
            r->time_ms = rf_av_time_ms(r->in, r->stream, r->frame->best_effort_timestamp);
            return true;
        }
        if (rc == AVERROR_EOF)
            return false;
        if (rc != AVERROR(EAGAIN))
            r->broken++;
        if (!feed(r) || (i % LOOK_AT_CLOCK == 0 && rf_av_late(r->in)))
            return false;
    }
    return false;
}

int64_t rf_av_time_ms(const struct rf_av_input *in, const AVStream *stream, int64_t timestamp)
{
    int64_t start = in->format->start_time;

    if (timestamp == AV_NOPTS_VALUE)
        return -1;
    int64_t us = av_rescale_q(timestamp, stream->time_base, AV_TIME_BASE_Q);
    if (start == AV_NOPTS_VALUE || us < start || us == INT64_MIN)
        start = 0;
    return us < 0 ? 0 : (us - start) / 1000;
}

static int64_t timestamp_of(const struct rf_av_reader *r, int64_t time_ms)
{
    int64_t start = r->in->format->start_time;
    int64_t us = time_ms * 1000 + (start == AV_NOPTS_VALUE ? 0 : start);
    return av_rescale_q(us, AV_TIME_BASE_Q, r->stream->time_base);
}

int64_t rf_av_key_before(const struct rf_av_reader *r, int64_t time_ms)
{
    int i = av_index_search_timestamp(r->stream, timestamp_of(r, time_ms), AVSEEK_FLAG_BACKWARD);
    const AVIndexEntry *key = i < 0 ? NULL : avformat_index_get_entry(r->stream, i);
    return key ? rf_av_time_ms(r->in, r->stream, key->timestamp) : -1;
}

bool rf_av_seek(struct rf_av_reader *r, int64_t time_ms)
{
    int64_t key = rf_av_key_before(r, time_ms);

    /* Going on is the shorter way where a seek would lead back to frames that were here already. */
    if (key >= 0 && key <= r->time_ms && r->time_ms <= time_ms)
        return true;
    if (av_seek_frame(r->in->format, r->stream->index, timestamp_of(r, time_ms),
                      AVSEEK_FLAG_BACKWARD) < 0)
        return false;
    avcodec_flush_buffers(r->codec);
    r->drained = false;
    return true;
}
