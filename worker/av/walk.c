/* Packets are read, not decoded: only the first few of each stream go through a decoder, until it
 * has shown one frame. A file that was cut off is known by packets that are not whole, by an index
 * that points past the end, or by an end long before the one that was announced. */
#include "worker/av/walk.h"

#include "worker/av/reader.h"

#define MAX_WALK_BYTES ((int64_t)128 << 20)
#define MAX_WALK_PACKETS 2000000
#define MAX_TRIED 400 /* packets that a decoder gets to show a frame from */
#define LOOK_AT_CLOCK 256
/* What may be missing at the end: containers round, and encoders pad. */
#define SLACK_MS 500
#define SLACK_PART 20 /* of the length: 5 % */

struct attempt {
    const AVStream *stream;
    AVCodecContext *codec;
    AVFrame *frame;
    int tried;
    enum rf_av_proof proof;
};

static void attempt_begin(struct attempt *t, const AVStream *stream)
{
    *t = (struct attempt){ .stream = stream };
    if (!stream)
        return;
    if (rf_av_is_locked(stream)) {
        t->proof = RF_AV_LOCKED;
        return;
    }
    t->codec = rf_av_decoder(stream);
    t->frame = av_frame_alloc();
    if (!t->codec)
        t->proof = RF_AV_NO_DECODER;
}

static bool attempt_is_over(const struct attempt *t)
{
    return !t->codec || t->proof == RF_AV_DECODES || t->tried > MAX_TRIED;
}

/* NULL is the end of the stream. */
static void attempt_feed(struct attempt *t, const AVPacket *packet)
{
    if (attempt_is_over(t) || (packet && packet->stream_index != t->stream->index))
        return;
    t->tried++;
    (void)avcodec_send_packet(t->codec, packet);
    if (avcodec_receive_frame(t->codec, t->frame) >= 0)
        t->proof = RF_AV_DECODES;
}

static enum rf_av_proof attempt_end(struct attempt *t)
{
    attempt_feed(t, NULL);
    avcodec_free_context(&t->codec);
    av_frame_free(&t->frame);
    return t->proof;
}

static bool counts(const struct rf_av_input *in, const AVPacket *packet)
{
    return (in->audio && packet->stream_index == in->audio->index) ||
           (in->video && packet->stream_index == in->video->index);
}

/* Where the packet begins and ends; false where it does not say. */
static bool times_of(const struct rf_av_input *in, const AVPacket *packet, int64_t *begin,
                     int64_t *end)
{
    const AVStream *s = in->format->streams[packet->stream_index];
    int64_t from = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
    int64_t length = packet->duration > 0 ? packet->duration : 0;

    if (from == AV_NOPTS_VALUE || from > INT64_MAX - length)
        return false;
    *begin = av_rescale_q(from, s->time_base, (AVRational){ 1, 1000 });
    *end = av_rescale_q(from + length, s->time_base, (AVRational){ 1, 1000 });
    return true;
}

static void take_packet(const struct rf_av_input *in, const AVPacket *packet,
                        struct rf_av_walk *walk)
{
    bool counted = counts(in, packet);
    int64_t begin, end;

    if (counted && (packet->flags & AV_PKT_FLAG_CORRUPT))
        walk->cut = true;
    if (!times_of(in, packet, &begin, &end))
        return;
    walk->last_ms = end > walk->last_ms ? end : walk->last_ms;
    if (counted && begin < walk->begin_ms)
        walk->begin_ms = begin;
    if (counted && end > walk->end_ms)
        walk->end_ms = end;
}

static bool points_past_end(const struct rf_av_input *in, AVStream *stream)
{
    int n = stream ? avformat_index_get_entries_count(stream) : 0;
    const AVIndexEntry *last = n > 0 ? avformat_index_get_entry(stream, n - 1) : NULL;
    return last && last->pos > (int64_t)in->bytes.n - last->size;
}

int64_t rf_av_walked_ms(const struct rf_av_walk *walk)
{
    int64_t ms;
    return walk->end_ms > walk->begin_ms &&
                   !__builtin_sub_overflow(walk->end_ms, walk->begin_ms, &ms)
               ? ms
               : 0;
}

static bool is_short(int64_t here, int64_t said)
{
    int64_t slack = said / SLACK_PART > SLACK_MS ? said / SLACK_PART : SLACK_MS;
    return here > 0 && here < said - slack;
}

/* Neither sound and video nor anything else gets to where the file says that it ends. */
static bool ends_early(const struct rf_av_input *in, const struct rf_av_walk *walk)
{
    return walk->whole && is_short(rf_av_walked_ms(walk), rf_av_duration_ms(in)) &&
           is_short(walk->last_ms, rf_av_announced_ms(in)) &&
           in->format->duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
}

void rf_av_walk(struct rf_av_input *in, struct rf_av_walk *walk)
{
    AVPacket *packet = av_packet_alloc();
    struct attempt audio, video;
    int64_t bytes = 0;

    *walk = (struct rf_av_walk){ .begin_ms = INT64_MAX, .end_ms = INT64_MIN, .last_ms = INT64_MIN };
    attempt_begin(&audio, in->audio);
    attempt_begin(&video, in->video);
    for (int i = 1; packet && i < MAX_WALK_PACKETS && bytes < MAX_WALK_BYTES; i++) {
        if (av_read_frame(in->format, packet) < 0) {
            walk->whole = true;
            break;
        }
        take_packet(in, packet, walk);
        attempt_feed(&audio, packet);
        attempt_feed(&video, packet);
        bytes += packet->size;
        av_packet_unref(packet);
        if (i % LOOK_AT_CLOCK == 0 && rf_av_late(in))
            break;
    }
    walk->audio = attempt_end(&audio);
    walk->video = attempt_end(&video);
    av_packet_free(&packet);
    if (points_past_end(in, in->audio) || points_past_end(in, in->video) || ends_early(in, walk))
        walk->cut = true;
    if (walk->whole && !walk->cut && is_short(rf_av_walked_ms(walk), rf_av_duration_ms(in)))
        walk->length_ms = rf_av_walked_ms(walk);
}
