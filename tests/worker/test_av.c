/* Sound and video through the worker, with files that are made here: a tone as wav, and a video
 * whose top left quarter is red and whose rest grows lighter from frame to frame. */
#include "asking.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <math.h>

#define WIDTH 64
#define HEIGHT 48
#define FPS 10
#define FRAMES 50

static struct rf_arena *arena;
static struct rf_str tone, video;

/* Fixtures */

static void put_le(char *p, uint32_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (char)(v >> 8 * i);
}

/* 440 Hz in 16 bit, both channels alike. */
static struct rf_str make_wav(int rate, int channels, int ms)
{
    size_t samples = (size_t)rate * (size_t)ms / 1000, unit = (size_t)channels * 2;
    size_t n = 44 + samples * unit;
    char *p = rf_arena_alloc(arena, n);

    memcpy(p, "RIFF....WAVEfmt ", 16);
    put_le(p + 4, (uint32_t)(n - 8), 4);
    put_le(p + 16, 16, 4);
    put_le(p + 20, 1, 2);
    put_le(p + 22, (uint32_t)channels, 2);
    put_le(p + 24, (uint32_t)rate, 4);
    put_le(p + 28, (uint32_t)rate * (uint32_t)unit, 4);
    put_le(p + 32, (uint32_t)unit, 2);
    put_le(p + 34, 16, 2);
    memcpy(p + 36, "data", 4);
    put_le(p + 40, (uint32_t)(n - 44), 4);
    for (size_t i = 0; i < samples * (size_t)channels; i++) {
        double t = (double)(i / (size_t)channels) / rate;
        put_le(p + 44 + 2 * i, (uint32_t)(int32_t)(8000 * sin(2 * 3.14159265 * 440 * t)), 2);
    }
    return (struct rf_str){ p, n };
}

/* Red is 81, 90, 240 in the colours of small videos. */
static void paint(AVFrame *f, int number)
{
    for (int plane = 0; plane < 3; plane++) {
        int w = plane ? WIDTH / 2 : WIDTH, h = plane ? HEIGHT / 2 : HEIGHT;
        static const uint8_t red[] = { 81, 90, 240 };
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                f->data[plane][y * f->linesize[plane] + x] = x < w / 2 && y < h / 2 ? red[plane]
                                                             : plane                ? 128
                                                                     : (uint8_t)(30 + 4 * number);
    }
    f->pts = number;
}

static void encode(AVFormatContext *format, AVCodecContext *codec, const AVFrame *frame)
{
    AVPacket *packet = av_packet_alloc();

    assert_true(avcodec_send_frame(codec, frame) >= 0);
    while (avcodec_receive_packet(codec, packet) >= 0) {
        packet->duration = 1;
        av_packet_rescale_ts(packet, codec->time_base, format->streams[0]->time_base);
        assert_true(av_interleaved_write_frame(format, packet) >= 0);
    }
    av_packet_free(&packet);
}

static AVCodecContext *open_encoder(void)
{
    const AVCodec *mpeg4 = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
    AVCodecContext *c = avcodec_alloc_context3(mpeg4);

    c->width = WIDTH;
    c->height = HEIGHT;
    c->pix_fmt = AV_PIX_FMT_YUV420P;
    c->time_base = (AVRational){ 1, FPS };
    c->framerate = (AVRational){ FPS, 1 };
    c->gop_size = 12;
    c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT;
    c->global_quality = 2 * FF_QP2LAMBDA;
    assert_true(avcodec_open2(c, mpeg4, NULL) >= 0);
    return c;
}

static AVFrame *new_frame(void)
{
    AVFrame *f = av_frame_alloc();
    f->format = AV_PIX_FMT_YUV420P;
    f->width = WIDTH;
    f->height = HEIGHT;
    assert_true(av_frame_get_buffer(f, 0) >= 0);
    return f;
}

/* Sound or subtitles, by the codec. */
static void add_stream(AVFormatContext *format, enum AVCodecID codec)
{
    AVStream *stream = avformat_new_stream(format, NULL);
    stream->codecpar->codec_type = avcodec_get_type(codec);
    stream->codecpar->codec_id = codec;
    stream->codecpar->sample_rate = 8000;
    av_channel_layout_default(&stream->codecpar->ch_layout, 1);
    stream->time_base = (AVRational){ 1, 1000 };
}

/* A packet of it that begins after the last frame and stays for ten seconds. */
static void write_late(AVFormatContext *format)
{
    AVPacket *packet = av_packet_alloc();

    assert_true(av_new_packet(packet, 4) >= 0);
    memcpy(packet->data, "\0\2hi", 4);
    packet->stream_index = 1;
    packet->pts = packet->dts = 8000;
    packet->duration = 10000;
    av_packet_rescale_ts(packet, (AVRational){ 1, 1000 }, format->streams[1]->time_base);
    assert_true(av_interleaved_write_frame(format, packet) >= 0);
    av_packet_free(&packet);
}

/* With a second stream of that codec, or none. */
static struct rf_str make_film(const char *container, enum AVCodecID second)
{
    AVFormatContext *format = NULL;
    AVCodecContext *codec = open_encoder();
    AVFrame *frame = new_frame();
    uint8_t *bytes;

    assert_true(avformat_alloc_output_context2(&format, NULL, container, NULL) >= 0);
    format->flags |= AVFMT_FLAG_BITEXACT;
    AVStream *stream = avformat_new_stream(format, NULL);
    avcodec_parameters_from_context(stream->codecpar, codec);
    stream->time_base = codec->time_base;
    if (second != AV_CODEC_ID_NONE)
        add_stream(format, second);
    av_dict_set(&format->metadata, "title", "red\ncorner", 0);
    assert_true(avio_open_dyn_buf(&format->pb) >= 0);
    assert_true(avformat_write_header(format, NULL) >= 0);
    for (int i = 0; i < FRAMES; i++) {
        assert_true(av_frame_make_writable(frame) >= 0);
        paint(frame, i);
        encode(format, codec, frame);
    }
    encode(format, codec, NULL);
    if (second != AV_CODEC_ID_NONE)
        write_late(format);
    assert_true(av_write_trailer(format) >= 0);
    int n = avio_close_dyn_buf(format->pb, &bytes);
    struct rf_str out = rf_str_dup(arena, (struct rf_str){ (char *)bytes, (size_t)n });
    av_free(bytes);
    av_frame_free(&frame);
    avcodec_free_context(&codec);
    avformat_free_context(format);
    return out;
}

/* The same file with another matrix in its track header: how it is to be turned. */
static struct rf_str turned(struct rf_str in, const int32_t matrix[4])
{
    static const size_t places[] = { 0, 4, 12, 16 };
    char *p = (char *)rf_str_dup(arena, in).p;
    char *header = memmem(p, in.n, "tkhd", 4);

    assert_non_null(header);
    for (size_t i = 0; i < 4; i++) {
        uint32_t v = __builtin_bswap32((uint32_t)matrix[i] << 16);
        memcpy(header + 44 + places[i], &v, 4);
    }
    return (struct rf_str){ p, in.n };
}

static int set_up(void **state)
{
    arena = rf_arena_new();
    av_log_set_level(AV_LOG_QUIET);
    tone = make_wav(44100, 2, 2000);
    video = make_film("mp4", AV_CODEC_ID_NONE);
    return use_built_workers(state);
}

static int tear_down(void **state)
{
    rf_arena_free(arena);
    return stop_workers(state);
}

static struct rf_job ask(const char *lines, struct rf_str input)
{
    return ask_worker(arena, "av", lines, input);
}

static struct rf_job must(const char *lines, struct rf_str input)
{
    struct rf_job job = ask(lines, input);
    if (job.failed)
        print_error("%s\n", job.err.msg);
    assert_int_equal(job.failed, RF_OK);
    return job;
}

/* Facts */

static void info_of_sound(void **state)
{
    (void)state;
    struct rf_job job = must("op=info\n", tone);
    assert_str(fact_of(&job, "container"), "wav");
    assert_str(fact_of(&job, "duration_ms"), "2000");
    assert_str(fact_of(&job, "audio"), "pcm_s16le 44100 Hz 2 ch");
    assert_str(fact_of(&job, "video"), "");
    assert_int_equal(job.note_count, 0);
}

static void info_of_video(void **state)
{
    (void)state;
    struct rf_job job = must("op=info\n", video);
    assert_str(fact_of(&job, "container"), "mp4");
    assert_str(fact_of(&job, "duration_ms"), "5000");
    assert_str(fact_of(&job, "video"), "mpeg4 64x48 10 fps");
    assert_str(fact_of(&job, "width"), "64");
    assert_str(fact_of(&job, "height"), "48");
    assert_str(fact_of(&job, "audio"), "");
    assert_str(fact_of(&job, "tag.title"), "red corner");
    assert_int_equal(job.note_count, 0);
}

static void info_of_turned_video(void **state)
{
    (void)state;
    struct rf_job job = must("op=info\n", turned(video, (int32_t[]){ 0, 1, -1, 0 }));
    assert_str(fact_of(&job, "width"), "48");
    assert_str(fact_of(&job, "height"), "64");
}

static void cut_off_sound_is_noted(void **state)
{
    (void)state;
    struct rf_job job = must("op=info\n", (struct rf_str){ tone.p, tone.n / 2 });
    assert_true(is_noted(&job, "cut off"));
}

/* Subtitles may go on after the film: that is not a reason to miss something of it. */
static void subtitles_that_outlast_a_film(void **state)
{
    struct rf_str films[] = { make_film("mp4", AV_CODEC_ID_MOV_TEXT),
                              make_film("matroska", AV_CODEC_ID_SUBRIP) };
    (void)state;
    for (size_t i = 0; i < COUNT(films); i++) {
        struct rf_job job = must("op=info\n", films[i]);
        assert_int_equal(job.note_count, 0);
        assert_str(fact_of(&job, "duration_ms"), "5000");
        job = must("op=frames\ncount=5\n", films[i]);
        assert_int_equal(job.part_count, 5);
    }
    struct rf_job job = must("op=info\n", (struct rf_str){ films[1].p, films[1].n / 2 });
    assert_true(is_noted(&job, "cut off"));
}

static void tells_whether_there_is_sound(void **state)
{
    (void)state;
    struct rf_job job = must("op=info\n", video);
    assert_str(fact_of(&job, "sound"), "0");
    job = must("op=frames\ncount=1\n", video);
    assert_str(fact_of(&job, "sound"), "0");
    job = must("op=info\n", tone);
    assert_str(fact_of(&job, "sound"), "1");
    struct rf_str film = make_film("matroska", AV_CODEC_ID_PCM_S16LE);
    job = must("op=info\n", film);
    assert_str(fact_of(&job, "sound"), "1");
    job = must("op=frames\ncount=1\n", film);
    assert_str(fact_of(&job, "sound"), "1");
}

/* Pictures */

static AVFrame *decode(struct rf_str bytes, enum AVCodecID id)
{
    AVCodecContext *c = avcodec_alloc_context3(avcodec_find_decoder(id));
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();

    assert_true(avcodec_open2(c, NULL, NULL) >= 0);
    assert_true(av_new_packet(packet, (int)bytes.n) >= 0);
    memcpy(packet->data, bytes.p, bytes.n);
    assert_true(avcodec_send_packet(c, packet) >= 0);
    assert_true(avcodec_receive_frame(c, frame) >= 0);
    av_packet_free(&packet);
    avcodec_free_context(&c);
    return frame;
}

/* In eighths of the picture. */
static const uint8_t *pixel(const AVFrame *f, int x, int y)
{
    return f->data[0] + f->height * y / 8 * f->linesize[0] + f->width * x / 8 * 3;
}

static bool is_red(const uint8_t *p)
{
    return p[0] > 230 && p[1] < 40 && p[2] < 40;
}

static void frames_are_spread(void **state)
{
    (void)state;
    struct rf_job job = must("op=frames\ncount=5\n", video);
    assert_int_equal(job.part_count, 5);
    for (size_t i = 0; i < 5; i++) {
        int64_t middle = 500 + 1000 * (int64_t)i, t = number_of(&job, i, "time_ms");
        assert_in_range(t, middle - 375, middle + 375);
        assert_str(prop_of(&job, i, "kind"), "image");
        assert_str(prop_of(&job, i, "mime"), "image/jpeg");
        assert_int_equal(number_of(&job, i, "width"), WIDTH);
        assert_int_equal(number_of(&job, i, "height"), HEIGHT);
    }
}

/* The grey of a frame tells its number. */
static void frame_is_that_of_its_time(void **state)
{
    (void)state;
    struct rf_job job = must("op=frames\ncount=3\ntypes=image/png\n", video);
    assert_int_equal(job.part_count, 3);
    for (size_t i = 0; i < 3; i++) {
        AVFrame *f = decode(job.parts[i].bytes.text, AV_CODEC_ID_PNG);
        int64_t number = number_of(&job, i, "time_ms") * FPS / 1000;
        int want = (int)((30 + 4 * number - 16) * 255 / 219), got = pixel(f, 6, 6)[0];
        assert_in_range(got, want - 4, want + 4);
        assert_true(is_red(pixel(f, 2, 2)));
        av_frame_free(&f);
    }
}

static const struct {
    const char *ask;
    int64_t from, to; /* where its only frame is */
} stretches[] = {
    { "op=frames\ncount=1\nstart_ms=3000\nend_ms=4000\n", 3000, 4000 },
    { "op=frames\ncount=1\nstart_ms=4000\n", 4000, 5000 },
    { "op=frames\ncount=1\nend_ms=1000\n", 0, 1000 },
    { "op=frames\ncount=1\nstart_ms=3000\nend_ms=2000\n", 3000, 5000 },
    { "op=frames\ncount=1\nstart_ms=-5\nend_ms=9223372036854775807\n", 0, 5000 },
    { "op=frames\ncount=1\nstart_ms=9223372036854775807\n", 0, 5000 },
};

static void frames_of_a_stretch(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stretches); i++) {
        struct rf_job job = must(stretches[i].ask, video);
        int64_t slot = stretches[i].to - stretches[i].from;
        assert_int_equal(job.part_count, 1);
        assert_in_range(number_of(&job, 0, "time_ms"), stretches[i].from + slot / 8,
                        stretches[i].to - slot / 8);
    }
}

static const struct {
    const char *name;
    int32_t matrix[4];
    int x, y; /* where the red corner is then, in eighths */
} turns[] = {
    { "as it is", { 1, 0, 0, 1 }, 2, 2 },
    { "a quarter clockwise", { 0, 1, -1, 0 }, 6, 2 },
    { "half a turn", { -1, 0, 0, -1 }, 6, 6 },
    { "a quarter against the clock", { 0, -1, 1, 0 }, 2, 6 },
    { "mirrored", { -1, 0, 0, 1 }, 6, 2 },
};

static void frames_are_turned(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(turns); i++) {
        struct rf_job job =
            must("op=frames\ncount=1\ntypes=image/png\n", turned(video, turns[i].matrix));
        AVFrame *f = decode(job.parts[0].bytes.text, AV_CODEC_ID_PNG);
        if (!is_red(pixel(f, turns[i].x, turns[i].y)))
            fail_msg("%s", turns[i].name);
        assert_int_equal(f->width, turns[i].matrix[0] ? WIDTH : HEIGHT);
        av_frame_free(&f);
    }
}

static void frames_keep_to_limits(void **state)
{
    (void)state;
    struct rf_job job = must("op=frames\ncount=2\nmax_side=32\n", video);
    assert_int_equal(number_of(&job, 0, "width"), 32);
    assert_int_equal(number_of(&job, 0, "height"), 24);
    job = must("op=frames\ncount=2\ntypes=image/png\nmax_bytes=300\n", video);
    assert_int_equal(job.part_count, 2);
    assert_true(job.parts[0].bytes.text.n <= 300);
    job = must("op=frames\ncount=2\nmax_bytes=900\n", video);
    assert_int_equal(job.part_count, 2);
    assert_true(job.parts[0].bytes.text.n <= 900);
}

static void more_frames_than_there_are(void **state)
{
    (void)state;
    struct rf_job job = must("op=frames\ncount=90\n", video);
    assert_in_range(job.part_count, FRAMES - 2, FRAMES);
    for (size_t i = 1; i < job.part_count; i++)
        assert_true(number_of(&job, i, "time_ms") > number_of(&job, i - 1, "time_ms"));
}

/* Sound */

static void sound_as_it_is(void **state)
{
    (void)state;
    struct rf_job job = must("op=sound\nmime=audio/wav\n", tone);
    assert_str(prop_of(&job, 0, "mime"), "audio/wav");
    assert_int_equal(number_of(&job, 0, "duration_ms"), 2000);
    assert_int_equal(job.parts[0].bytes.text.n, tone.n);
    assert_memory_equal(job.parts[0].bytes.text.p, tone.p, 44);
    assert_memory_equal(job.parts[0].bytes.text.p, tone.p, tone.n);
    assert_int_equal(job.note_count, 0);
}

static void sound_in_part(void **state)
{
    (void)state;
    struct rf_job job = must("op=sound\nstart_ms=500\nend_ms=1250\n", tone);
    assert_in_range(number_of(&job, 0, "duration_ms"), 748, 752);
    assert_int_equal(ask("op=sound\nstart_ms=9\nend_ms=9\n", tone).failed, RF_EUSAGE);
    assert_int_equal(ask("op=sound\nstart_ms=9000\n", tone).failed, RF_EFORMAT);
}

static void sound_is_lowered_then_cut(void **state)
{
    (void)state;
    struct rf_job job = must("op=sound\nmax_bytes=70000\n", tone);
    assert_int_equal(number_of(&job, 0, "rate"), 16000);
    assert_int_equal(number_of(&job, 0, "channels"), 1);
    assert_in_range(number_of(&job, 0, "duration_ms"), 1995, 2005);
    assert_true(job.parts[0].bytes.text.n <= 70000);
    assert_true(is_noted(&job, "lowered"));
    job = must("op=sound\nmax_bytes=20000\n", tone);
    assert_true(job.parts[0].bytes.text.n <= 20000);
    assert_true(is_noted(&job, "cut after 1.2 of 2.0 seconds"));
    assert_int_equal(ask("op=sound\nmax_bytes=500\n", tone).failed, RF_ELIMIT);
}

static void sound_as_mp3(void **state)
{
    (void)state;
    struct rf_job job = must("op=sound\nmime=audio/mpeg\n", tone);
    struct rf_str bytes = job.parts[0].bytes.text;

    if (rf_str_is(prop_of(&job, 0, "mime"), "audio/wav")) {
        print_message("skipped: FFmpeg is built without an mp3 encoder\n");
        return;
    }
    assert_true(bytes.n < tone.n / 8 && (uint8_t)bytes.p[0] == 0xFF);
    job = must("op=info\n", bytes);
    assert_str(fact_of(&job, "audio"), "mp3 44100 Hz 2 ch");
    job = must("op=sound\nmime=audio/mpeg\nmax_bytes=5000\n", tone);
    assert_true(job.parts[0].bytes.text.n <= 5000);
}

/* What is not what it seems */

static const struct {
    const char *name, *ask;
    struct rf_str input;
    enum rf_code want;
} broken[] = {
    { "empty", "op=info\n", B(""), RF_EFORMAT },
    { "text", "op=info\n", B("hello, this is not sound at all\n"), RF_EFORMAT },
    { "a playlist", "op=info\n", B("#EXTM3U\n#EXTINF:1,\n/etc/passwd\n"), RF_EFORMAT },
    { "a list of files", "op=info\n", B("ffconcat version 1.0\nfile /etc/passwd\n"), RF_EFORMAT },
    { "a session description", "op=info\n", B("v=0\nm=audio 0 RTP/AVP 0\nc=IN IP4 127.0.0.1\n"),
      RF_EFORMAT },
    { "a head without a body", "op=info\n", B("RIFF\4\0\0\0WAVE"), RF_EFORMAT },
    { "a rate that no sound has", "op=sound\n",
      B("RIFF\x34\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\x3b\x40\x1f\0\0\1\0\x08\0data\x10\0\0\0"
        "0123456789abcdef"),
      RF_EFORMAT },
    { "an unknown operation", "op=sing\n", B("RIFF\4\0\0\0WAVE"), RF_EUSAGE },
};

static void broken_files_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(broken); i++) {
        struct rf_job job = ask(broken[i].ask, broken[i].input);
        if (job.failed != broken[i].want)
            fail_msg("%s: %d %s", broken[i].name, job.failed, job.err.msg);
    }
    assert_int_equal(ask("op=frames\n", tone).failed, RF_EFORMAT);
    assert_int_equal(ask("op=sound\n", video).failed, RF_EFORMAT);
}

/* A worker that dies is a failure with RF_EIO: none of these may be one. */
static void assert_alive(struct rf_str input)
{
    static const char *const asks[] = { "op=info\n", "op=frames\ncount=3\n", "op=sound\n" };
    for (size_t i = 0; i < COUNT(asks); i++) {
        struct rf_job job = ask(asks[i], input);
        if (job.failed && job.failed != RF_EFORMAT)
            fail_msg("%s: %s", asks[i], job.err.msg);
    }
}

static void cut_off_anywhere(void **state)
{
    (void)state;
    for (size_t i = 1; i < 16; i++) {
        assert_alive((struct rf_str){ tone.p, tone.n * i / 16 });
        assert_alive((struct rf_str){ video.p, video.n * i / 16 });
    }
}

static void damaged_anywhere(void **state)
{
    uint32_t chance = 1;
    (void)state;
    for (int round = 0; round < 60; round++) {
        char *p = (char *)rf_str_dup(arena, video).p;
        for (int i = 0; i < 20; i++) {
            chance = chance * 1664525 + 1013904223;
            p[(chance >> 8) % video.n] = (char)chance;
        }
        assert_alive((struct rf_str){ p, video.n });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_of_sound),
        cmocka_unit_test(info_of_video),
        cmocka_unit_test(info_of_turned_video),
        cmocka_unit_test(cut_off_sound_is_noted),
        cmocka_unit_test(subtitles_that_outlast_a_film),
        cmocka_unit_test(tells_whether_there_is_sound),
        cmocka_unit_test(frames_are_spread),
        cmocka_unit_test(frame_is_that_of_its_time),
        cmocka_unit_test(frames_of_a_stretch),
        cmocka_unit_test(frames_are_turned),
        cmocka_unit_test(frames_keep_to_limits),
        cmocka_unit_test(more_frames_than_there_are),
        cmocka_unit_test(sound_as_it_is),
        cmocka_unit_test(sound_in_part),
        cmocka_unit_test(sound_is_lowered_then_cut),
        cmocka_unit_test(sound_as_mp3),
        cmocka_unit_test(broken_files_fail),
        cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(damaged_anywhere),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
