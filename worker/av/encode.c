/* A wav is a head of 44 bytes and samples; an mp3 is frame after frame, at a constant rate so
 * that a player can tell the length without a table. */
#include "worker/av/encode.h"

#define WAV_HEAD 44
#define MP3_PADDING_MS 300 /* what the encoder adds */
#define WAV_PADDING_MS 20  /* what rounding adds */
#define PIECE ((size_t)1 << 20)
#define MAX_SAMPLES (1 << 22) /* in one go */

/* From best to worst. 0: as wished; a step that would raise the rate is left out. */
static const struct step {
    int rate, channels, kbits; /* kbits: of an mp3 */
} steps[] = {
    { 0, 0, 128 },    { 0, 1, 64 },     { 24000, 1, 48 },
    { 16000, 1, 32 }, { 16000, 1, 24 }, { 8000, 1, 16 },
};

/* The rates that an mp3 can have. */
static const int mp3_rates[] = { 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000 };

static int mp3_rate(int wished)
{
    size_t i = 0;
    while (i + 1 < sizeof mp3_rates / sizeof *mp3_rates && mp3_rates[i] > wished)
        i++;
    return mp3_rates[i];
}

static int64_t bytes_per_second(const struct step *step, bool mp3)
{
    return mp3 ? (int64_t)step->kbits * 1000 / 8 : (int64_t)step->rate * step->channels * 2;
}

static struct step step_for(size_t i, const struct rf_av_sound_wish *wish)
{
    struct step step = steps[i];

    if (!step.rate || step.rate > wish->rate)
        step.rate = wish->rate;
    if (!step.channels || step.channels > wish->channels)
        step.channels = wish->channels;
    if (wish->mp3)
        step.rate = mp3_rate(step.rate);
    return step;
}

static bool is_enough(const struct step *step, const struct rf_av_sound_wish *wish, int64_t ms)
{
    int64_t padded = ms + (wish->mp3 ? MP3_PADDING_MS : WAV_PADDING_MS);
    int64_t bytes = bytes_per_second(step, wish->mp3) * padded / 1000;
    return (uint64_t)bytes + WAV_HEAD <= wish->max_bytes;
}

bool rf_av_sound_fits(const struct rf_av_sound_wish *wish)
{
    struct step step = step_for(0, wish);
    return wish->length_ms > 0 && is_enough(&step, wish, wish->length_ms + wish->length_ms / 2);
}

/* The first step that holds all of it, or the last one. */
static struct step choose(const struct rf_av_sound_wish *wish)
{
    struct step step = step_for(0, wish);

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        step = step_for(i, wish);
        if (is_enough(&step, wish, wish->length_ms))
            break;
    }
    return step;
}

static AVCodecContext *mp3_encoder(const struct step *step)
{
    const AVCodec *codec = avcodec_find_encoder_by_name("libmp3lame");
    AVCodecContext *c = codec ? avcodec_alloc_context3(codec) : NULL;

    if (!c)
        return NULL;
    c->sample_rate = step->rate;
    c->sample_fmt = AV_SAMPLE_FMT_S16P;
    c->bit_rate = (int64_t)step->kbits * 1000;
    c->thread_count = 1;
    av_channel_layout_default(&c->ch_layout, step->channels);
    if (avcodec_open2(c, codec, NULL) < 0)
        avcodec_free_context(&c);
    return c;
}

bool rf_av_sound_begin(struct rf_av_sound *s, const struct rf_av_sound_wish *wish,
                       struct rf_arena *a)
{
    struct rf_av_sound_wish real = *wish;

    real.mp3 = wish->mp3 && avcodec_find_encoder_by_name("libmp3lame");
    struct step step = choose(&real);
    *s = (struct rf_av_sound){
        .arena = a,
        .rate = step.rate,
        .channels = step.channels,
        .lowered = step.rate < step_for(0, &real).rate || step.channels < wish->channels,
        .max_bytes = wish->max_bytes,
        .bytes = real.mp3 ? 0 : WAV_HEAD,
    };
    if (wish->max_bytes < WAV_HEAD + (size_t)bytes_per_second(&step, real.mp3))
        return false;
    if (real.mp3) {
        s->mp3 = mp3_encoder(&step);
        s->waiting = av_audio_fifo_alloc(AV_SAMPLE_FMT_S16P, step.channels, 1);
    }
    return !real.mp3 || (s->mp3 && s->waiting);
}

enum AVSampleFormat rf_av_sound_format(const struct rf_av_sound *s)
{
    return s->mp3 ? AV_SAMPLE_FMT_S16P : AV_SAMPLE_FMT_S16;
}

static AVFrame *new_frame(const struct rf_av_sound *s, int samples)
{
    AVFrame *f = av_frame_alloc();

    if (!f)
        return NULL;
    f->nb_samples = samples;
    f->format = rf_av_sound_format(s);
    f->sample_rate = s->rate;
    av_channel_layout_default(&f->ch_layout, s->channels);
    if (av_frame_get_buffer(f, 0) < 0)
        av_frame_free(&f);
    return f;
}

uint8_t *const *rf_av_sound_room(struct rf_av_sound *s, int samples)
{
    if (samples > MAX_SAMPLES)
        return NULL;
    if (!s->scratch || s->scratch->nb_samples < samples) {
        av_frame_free(&s->scratch);
        s->scratch = new_frame(s, samples);
    }
    return s->scratch ? s->scratch->extended_data : NULL;
}

/* As much of it as fits; false when that was not all. `unit` is what must not be torn. */
static bool pile(struct rf_av_sound *s, const uint8_t *p, size_t n, size_t unit)
{
    size_t left = s->max_bytes - s->bytes, take = n <= left ? n : left - left % unit;

    s->full = s->full || take < n;
    s->bytes += take;
    for (size_t part; take; take -= part, p += part) {
        if (!s->room) {
            *RF_PUSH(s->arena, s->pieces, s->piece_count, s->piece_cap) =
                (struct rf_str){ rf_arena_alloc(s->arena, PIECE), 0 };
            s->room = PIECE;
        }
        struct rf_str *last = &s->pieces[s->piece_count - 1];
        part = take < s->room ? take : s->room;
        memcpy((char *)last->p + last->n, p, part);
        last->n += part;
        s->room -= part;
    }
    return !s->full;
}

/* A frame that does not fit whole is not taken at all. */
static bool pile_packets(struct rf_av_sound *s)
{
    AVPacket *packet = av_packet_alloc();
    bool ok = packet;

    while (ok && avcodec_receive_packet(s->mp3, packet) >= 0) {
        ok = pile(s, packet->data, (size_t)packet->size, (size_t)packet->size);
        s->samples += ok ? s->mp3->frame_size : 0;
        av_packet_unref(packet);
    }
    av_packet_free(&packet);
    return ok;
}

/* Whole frames out of what waits; at the end, what is left of it too. */
static bool encode_waiting(struct rf_av_sound *s, int least)
{
    bool ok = true;

    while (ok && av_audio_fifo_size(s->waiting) >= least) {
        int n = av_audio_fifo_size(s->waiting);
        AVFrame *f = new_frame(s, n < s->mp3->frame_size ? n : s->mp3->frame_size);
        ok = f && av_audio_fifo_read(s->waiting, (void **)f->extended_data, f->nb_samples) >= 0 &&
             avcodec_send_frame(s->mp3, f) >= 0 && pile_packets(s);
        av_frame_free(&f);
    }
    return ok;
}

bool rf_av_sound_add(struct rf_av_sound *s, int samples)
{
    size_t unit = (size_t)s->channels * 2;

    if (s->mp3)
        return av_audio_fifo_write(s->waiting, (void **)s->scratch->extended_data, samples) >= 0 &&
               encode_waiting(s, s->mp3->frame_size);
    bool ok = pile(s, s->scratch->extended_data[0], (size_t)samples * unit, unit);
    s->samples = (int64_t)((s->bytes - WAV_HEAD) / unit);
    return ok;
}

void rf_av_sound_finish(struct rf_av_sound *s)
{
    if (!s->mp3 || s->full || !encode_waiting(s, 1))
        return;
    if (avcodec_send_frame(s->mp3, NULL) >= 0)
        (void)pile_packets(s);
}

int64_t rf_av_sound_ms(const struct rf_av_sound *s)
{
    return s->rate ? s->samples * 1000 / s->rate : 0;
}

static void put_le(uint8_t *p, uint32_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static void send_wav_head(const struct rf_av_sound *s, struct rf_answer *to)
{
    uint8_t h[WAV_HEAD] = "RIFF....WAVEfmt ";
    uint32_t unit = (uint32_t)s->channels * 2, data = (uint32_t)(s->bytes - WAV_HEAD);

    put_le(h + 4, data + WAV_HEAD - 8, 4);
    put_le(h + 16, 16, 4);
    put_le(h + 20, 1, 2);
    put_le(h + 22, (uint32_t)s->channels, 2);
    put_le(h + 24, (uint32_t)s->rate, 4);
    put_le(h + 28, (uint32_t)s->rate * unit, 4);
    put_le(h + 32, unit, 2);
    put_le(h + 34, 16, 2);
    memcpy(h + 36, "data", 4);
    put_le(h + 40, data, 4);
    rf_answer_bytes(to, h, sizeof h);
}

void rf_av_sound_send(const struct rf_av_sound *s, struct rf_answer *to)
{
    rf_answer_part(to, "kind=audio\nmime=%s\nduration_ms=%lld\nrate=%d\nchannels=%d\n",
                   s->mp3 ? "audio/mpeg" : "audio/wav", (long long)rf_av_sound_ms(s), s->rate,
                   s->channels);
    if (!s->mp3)
        send_wav_head(s, to);
    for (size_t i = 0; i < s->piece_count; i++)
        rf_answer_bytes(to, s->pieces[i].p, s->pieces[i].n);
}

void rf_av_sound_release(struct rf_av_sound *s)
{
    av_frame_free(&s->scratch);
    avcodec_free_context(&s->mp3);
    if (s->waiting)
        av_audio_fifo_free(s->waiting);
    s->waiting = NULL;
}
