/* What is in the file: length, container, codecs, size as shown, tags. Facts are said only when
 * something of the file decodes, so that rubbish with a good header is not taken for sound. */
#include "worker/av/operations.h"

#include "worker/av/picture.h"
#include "worker/av/walk.h"

#include "base/utf8.h"

#include <libavutil/avstring.h>
#include <math.h>

#define MAX_TAGS 64
#define MAX_TAG_NAME 64
#define MAX_TAG_VALUE 1000
#define MAX_FPS 1000.0

/* Rows of a container about itself, which are not what was asked for. */
static const char *const dull_tags[] = {
    "compatible_brands", "handler_name", "iTunNORM",      "iTunSMPB",
    "language",          "major_brand",  "minor_version", "vendor_id",
};

/* "mp3 44100 Hz 2 ch" */
static void say_audio(const AVStream *s, struct rf_answer *to)
{
    const AVCodecParameters *p = s->codecpar;
    rf_answer_fact(to, "audio", "%s %d Hz %d ch", avcodec_get_name(p->codec_id), p->sample_rate,
                   p->ch_layout.nb_channels);
}

static double frames_per_second(const AVStream *s)
{
    AVRational rate = s->avg_frame_rate.num > 0 && s->avg_frame_rate.den > 0 ? s->avg_frame_rate
                                                                             : s->r_frame_rate;
    double fps = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
    return fps < MAX_FPS ? fps : 0;
}

/* "h264 1280x720 29.97 fps" */
static void say_video(const AVStream *s, struct rf_answer *to)
{
    const AVCodecParameters *p = s->codecpar;
    const char *name = avcodec_get_name(p->codec_id);
    double fps = frames_per_second(s);
    int width, height;

    if (fps > 0)
        rf_answer_fact(to, "video", "%s %dx%d %.4g fps", name, p->width, p->height, fps);
    else
        rf_answer_fact(to, "video", "%s %dx%d", name, p->width, p->height);
    rf_av_shown_size(s, p->width, p->height, &width, &height);
    rf_answer_fact(to, "width", "%d", width);
    rf_answer_fact(to, "height", "%d", height);
}

/* FFmpeg knows families ("mov,mp4,m4a,3gp,3g2,mj2"): the member is told by the brand, or by the
 * type that the caller saw. */
static const char *container_name(const struct rf_av_input *in, const struct rf_ask *ask)
{
    const char *family = in->format->iformat->name;
    const AVDictionaryEntry *brand = av_dict_get(in->format->metadata, "major_brand", NULL, 0);

    if (av_match_name("webm", family))
        return rf_str_ends(rf_ask_str(ask, "mime"), "/webm") ? "webm" : "matroska";
    if (!av_match_name("mp4", family))
        return family;
    if (!brand)
        return "mov";
    if (av_strstart(brand->value, "qt", NULL))
        return "mov";
    if (av_strstart(brand->value, "M4A", NULL))
        return "m4a";
    if (av_strstart(brand->value, "3gp", NULL))
        return "3gp";
    return av_strstart(brand->value, "3g2", NULL) ? "3g2" : "mp4";
}

static bool is_dull(const char *name)
{
    for (size_t i = 0; i < sizeof dull_tags / sizeof *dull_tags; i++)
        if (av_strcasecmp(name, dull_tags[i]) == 0)
            return true;
    return false;
}

/* A name of a fact: letters, digits and underscores. */
static struct rf_str tag_name(struct rf_arena *a, const char *name)
{
    size_t n = strnlen(name, MAX_TAG_NAME);
    char *out = rf_arena_alloc(a, n + 1);

    for (size_t i = 0; i < n; i++)
        out[i] = (char)(av_isgraph(name[i]) && name[i] != '=' && (unsigned char)name[i] < 128
                            ? av_tolower(name[i])
                            : '_');
    return (struct rf_str){ out, n };
}

/* One line of UTF-8. */
static struct rf_str tag_value(struct rf_arena *a, const char *value)
{
    size_t n = strnlen(value, MAX_TAG_VALUE + 1);
    char *out = rf_arena_alloc(a, n + 1);
    size_t valid;

    memcpy(out, value, n);
    while ((valid = rf_utf8_valid((struct rf_str){ out, n })) < n)
        out[valid] = '?';
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)out[i] < ' ' || out[i] == 127)
            out[i] = ' ';
    return rf_str_trim(rf_utf8_cut((struct rf_str){ out, n }, MAX_TAG_VALUE));
}

static void say_tags(const AVDictionary *tags, const AVDictionary *said, struct rf_arena *a,
                     struct rf_answer *to)
{
    const AVDictionaryEntry *tag = NULL;

    for (int i = 0; i < MAX_TAGS && (tag = av_dict_get(tags, "", tag, AV_DICT_IGNORE_SUFFIX));
         i++) {
        struct rf_str name = tag_name(a, tag->key), value = tag_value(a, tag->value);
        if (is_dull(tag->key) || !name.n || !value.n || av_dict_get(said, tag->key, NULL, 0))
            continue;
        rf_answer_fact(to, rf_strf(a, "tag.%s", name.p).p, "%.*s", (int)value.n, value.p);
    }
}

static void say_cut(const struct rf_av_input *in, const struct rf_av_walk *walk,
                    struct rf_answer *to)
{
    int64_t said = rf_av_duration_ms(in), here = rf_av_walked_ms(walk);

    if (walk->whole && here && here < said)
        rf_answer_note(to, "the file is cut off: it announces %.1f seconds and holds %.1f",
                       (double)said / 1000, (double)here / 1000);
    else
        rf_answer_note(to, "the file is cut off");
}

static void say_doubt(const AVStream *s, enum rf_av_proof proof, const char *what,
                      struct rf_answer *to)
{
    if (!s || proof == RF_AV_DECODES)
        return;
    if (proof == RF_AV_LOCKED)
        rf_answer_note(to, "the %s is encrypted by a copy protection", what);
    else if (proof == RF_AV_NO_DECODER)
        rf_answer_note(to, "there is no decoder for the %s (%s)", what,
                       avcodec_get_name(s->codecpar->codec_id));
    else
        rf_answer_note(to, "the %s cannot be decoded", what);
}

static bool proved(const AVStream *s, enum rf_av_proof proof)
{
    return s && proof != RF_AV_NOTHING;
}

void rf_av_info(struct rf_av_input *in, const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_av_walk walk;
    int64_t duration = rf_av_duration_ms(in);

    rf_av_walk(in, &walk);
    if (!proved(in->audio, walk.audio) && !proved(in->video, walk.video)) {
        rf_answer_fail(to, RF_EFORMAT, "",
                       "nothing in the file can be decoded: it is broken or cut off");
        return;
    }
    if (!duration && walk.whole)
        duration = rf_av_walked_ms(&walk);
    if (walk.length_ms)
        duration = walk.length_ms;
    if (duration)
        rf_answer_fact(to, "duration_ms", "%lld", (long long)duration);
    rf_answer_fact(to, "container", "%s", container_name(in, ask));
    rf_answer_fact(to, "sound", "%d", in->audio != NULL);
    if (in->audio)
        say_audio(in->audio, to);
    if (in->video)
        say_video(in->video, to);
    if (in->cover)
        rf_answer_fact(to, "cover", "%s %dx%d", avcodec_get_name(in->cover->codecpar->codec_id),
                       in->cover->codecpar->width, in->cover->codecpar->height);
    say_tags(in->format->metadata, NULL, ask->arena, to);
    if (in->audio)
        say_tags(in->audio->metadata, in->format->metadata, ask->arena, to);
    say_doubt(in->audio, walk.audio, "sound", to);
    say_doubt(in->video, walk.video, "video", to);
    if (walk.cut)
        say_cut(in, &walk, to);
}
