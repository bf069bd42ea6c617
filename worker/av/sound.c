/* The sound of a file as wav (16 bit) or mp3, mono or stereo.
 *
 * What is over `max_bytes` is first made smaller by a lower rate and one channel, a step at a
 * time, since speech survives that; what is still too long is cut, and a note says where. A wav
 * tells its length in its first bytes, so all of it is gathered before the first byte goes out. */
#include "worker/av/operations.h"

#include "worker/av/encode.h"
#include "worker/av/reader.h"
#include "worker/av/walk.h"

#include <libswresample/swresample.h>

#define MAX_SOUND_BYTES ((size_t)128 << 20)
#define MAX_RATE 48000
#define MAX_RATE_IN 768000 /* more is not sound, and too far from MAX_RATE to be converted */
#define MAX_CHANNELS_IN 64
#define STEP_MS 10000 /* how much sound lies between two words of progress */

struct job {
    struct rf_av_reader reader;
    struct rf_av_sound sound;
    SwrContext *swr;
    AVFrame *out;
    AVChannelLayout layout_in;
    int rate_in, format_in;
    int64_t start_ms, end_ms; /* end 0: to the end */
    int64_t at_ms;            /* where the next frame begins, if it does not say */
    int64_t told_ms, length_ms;
};

static bool is_same_input(const struct job *j, const AVFrame *f)
{
    return j->swr && f->sample_rate == j->rate_in && f->format == j->format_in &&
           av_channel_layout_compare(&f->ch_layout, &j->layout_in) == 0;
}

/* Some decoders know how many channels there are, and not where. */
static int take_layout(AVChannelLayout *to, const AVFrame *f)
{
    av_channel_layout_uninit(to);
    if (f->ch_layout.order != AV_CHANNEL_ORDER_UNSPEC)
        return av_channel_layout_copy(to, &f->ch_layout);
    av_channel_layout_default(to, f->ch_layout.nb_channels);
    return 0;
}

/* A file may change its rate in the middle: then a new converter takes over. */
static bool prepare(struct job *j, const AVFrame *f)
{
    AVChannelLayout from = { 0 }, to;

    if (is_same_input(j, f))
        return true;
    swr_free(&j->swr);
    if (f->sample_rate <= 0 || f->sample_rate > MAX_RATE_IN || f->ch_layout.nb_channels <= 0 ||
        f->ch_layout.nb_channels > MAX_CHANNELS_IN || take_layout(&from, f) < 0)
        return false;
    av_channel_layout_default(&to, j->sound.channels);
    int rc = swr_alloc_set_opts2(&j->swr, &to, rf_av_sound_format(&j->sound), j->sound.rate, &from,
                                 (enum AVSampleFormat)f->format, f->sample_rate, 0, NULL);
    j->rate_in = f->sample_rate;
    j->format_in = f->format;
    av_channel_layout_uninit(&j->layout_in);
    if (rc >= 0)
        rc = av_channel_layout_copy(&j->layout_in, &f->ch_layout);
    av_channel_layout_uninit(&from);
    if (rc >= 0 && swr_init(j->swr) >= 0)
        return true;
    swr_free(&j->swr); /* one that is half made must not be asked what it holds */
    return false;
}

/* Convert a frame, or with NULL what the converter still holds. */
static bool convert(struct job *j, const AVFrame *f, int skip, int take)
{
    const uint8_t *in[AV_NUM_DATA_POINTERS] = { 0 };
    int room = swr_get_out_samples(j->swr, take);
    int planes =
        f && av_sample_fmt_is_planar((enum AVSampleFormat)f->format) ? f->ch_layout.nb_channels : 1;

    if (room <= 0)
        return true;
    if (planes > AV_NUM_DATA_POINTERS)
        return false;
    for (int i = 0; f && i < planes; i++) {
        int step = av_get_bytes_per_sample((enum AVSampleFormat)f->format) *
                   (planes == 1 ? f->ch_layout.nb_channels : 1);
        in[i] = f->extended_data[i] + (ptrdiff_t)skip * step;
    }
    uint8_t *const *out = rf_av_sound_room(&j->sound, room);
    int n = out ? swr_convert(j->swr, (uint8_t **)out, room, f ? in : NULL, take) : -1;
    return n >= 0 && rf_av_sound_add(&j->sound, n);
}

static int64_t samples_of(int64_t ms, int rate)
{
    return av_rescale(ms, rate, 1000);
}

/* What of the frame lies between start and end. False: nothing that follows does. */
static bool add_frame(struct job *j, const AVFrame *f)
{
    int64_t from = j->reader.time_ms >= 0 ? j->reader.time_ms : j->at_ms;
    int64_t skip = from < j->start_ms ? samples_of(j->start_ms - from, f->sample_rate) : 0;
    int64_t stop = j->end_ms ? samples_of(j->end_ms - from, f->sample_rate) : f->nb_samples;

    j->at_ms = from + av_rescale(f->nb_samples, 1000, f->sample_rate);
    if (stop <= 0)
        return false;
    if (stop > f->nb_samples)
        stop = f->nb_samples;
    if (skip >= stop)
        return true;
    return convert(j, f, (int)skip, (int)(stop - skip));
}

static void tell(struct job *j, struct rf_answer *to)
{
    if (j->at_ms < j->told_ms + STEP_MS || !j->length_ms)
        return;
    j->told_ms = j->at_ms;
    rf_answer_step(to, j->at_ms / 1000, j->length_ms / 1000);
}

static void run(struct job *j, struct rf_answer *to)
{
    if (j->start_ms > 0 && rf_av_seek(&j->reader, j->start_ms))
        j->at_ms = j->start_ms;
    while (rf_av_next(&j->reader) && !rf_answer_over(to)) {
        if (!prepare(j, j->reader.frame) || !add_frame(j, j->reader.frame))
            break;
        tell(j, to);
    }
    if (j->swr)
        (void)convert(j, NULL, 0, 0);
}

/* How much will come, if the file is `all` long. */
static int64_t length_of(const struct job *j, int64_t all)
{
    int64_t end = j->end_ms && (!all || j->end_ms < all) ? j->end_ms : all;
    return end > j->start_ms ? end - j->start_ms : 0;
}

/* What a file says of its length may be a guess or a lie: for what has to fit, the packets are
 * asked. */
static int64_t measured_length(struct job *j)
{
    struct rf_av_input *in = j->reader.in;
    struct rf_av_walk walk;

    rf_av_walk(in, &walk);
    rf_av_rewind(in);
    return length_of(j, walk.whole ? rf_av_walked_ms(&walk) : rf_av_duration_ms(in));
}

static void say_what_was_lost(const struct job *j, struct rf_answer *to)
{
    const struct rf_av_sound *s = &j->sound;
    int64_t ms = rf_av_sound_ms(s);
    double here = (double)ms / 1000;

    if (s->full && ms < j->length_ms)
        rf_answer_note(to, "the sound was cut after %.1f of %.1f seconds to fit", here,
                       (double)j->length_ms / 1000);
    else if (s->full)
        rf_answer_note(to, "the sound was cut after %.1f seconds to fit", here);
    else if (rf_av_late(j->reader.in))
        rf_answer_note(to, "the sound takes too long: the first %.1f seconds are here", here);
    if (s->lowered)
        rf_answer_note(to, "the sound was lowered to %d Hz, %s, to fit", s->rate,
                       s->channels == 1 ? "mono" : "stereo");
    if (j->reader.broken)
        rf_answer_note(to, "parts of the sound are broken and were left out");
}

static bool begin(struct job *j, const struct rf_ask *ask, struct rf_answer *to)
{
    const AVCodecContext *c = j->reader.codec;
    int64_t max = rf_ask_int(ask, "max_bytes", 0);
    struct rf_av_sound_wish wish = {
        .mp3 = rf_ask_is(ask, "mime", "audio/mpeg"),
        .rate = c->sample_rate > 0 && c->sample_rate < MAX_RATE ? c->sample_rate : MAX_RATE,
        .channels = c->ch_layout.nb_channels > 1 ? 2 : 1,
        .max_bytes = max > 0 && (uint64_t)max < MAX_SOUND_BYTES ? (size_t)max : MAX_SOUND_BYTES,
    };

    j->start_ms = rf_ask_int(ask, "start_ms", 0);
    j->end_ms = rf_ask_int(ask, "end_ms", 0);
    if (j->start_ms < 0 || j->end_ms < 0 || j->start_ms > INT32_MAX || j->end_ms > INT32_MAX ||
        (j->end_ms && j->end_ms <= j->start_ms)) {
        rf_answer_fail(to, RF_EUSAGE, "", "the part of the sound that was asked for is empty");
        return false;
    }
    wish.length_ms = j->length_ms = length_of(j, rf_av_duration_ms(j->reader.in));
    if (!rf_av_sound_fits(&wish))
        wish.length_ms = j->length_ms = measured_length(j);
    if (rf_av_sound_begin(&j->sound, &wish, ask->arena))
        return true;
    rf_answer_fail(to, RF_ELIMIT, "", "the limit of %zu bytes is too small for any sound",
                   wish.max_bytes);
    return false;
}

void rf_av_sound(struct rf_av_input *in, const struct rf_ask *ask, struct rf_answer *to)
{
    struct job j = { 0 };

    if (rf_av_reader_open(&j.reader, in, in->audio, "sound", to) && begin(&j, ask, to)) {
        run(&j, to);
        rf_av_sound_finish(&j.sound);
        if (!rf_av_sound_ms(&j.sound)) {
            rf_answer_fail(to, RF_EFORMAT, "",
                           "no sound can be decoded: the file is broken, cut off, or ends before");
        } else {
            rf_av_sound_send(&j.sound, to);
            say_what_was_lost(&j, to);
        }
    }
    rf_av_sound_release(&j.sound);
    rf_av_reader_close(&j.reader);
    av_channel_layout_uninit(&j.layout_in);
    swr_free(&j.swr);
}
