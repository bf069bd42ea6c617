/* Opening: FFmpeg reads through two callbacks over the mapped bytes, and gets a list of containers
 * and one of decoders. What is on neither list is not read, however well FFmpeg could: playlists
 * that name other files, game formats, and what has had no reader but a fuzzer for years.
 *
 * The time that one ask may take is kept here, in the read callback: past it, the file is at its
 * end. */
#include "worker/av/input.h"

#include "base/clock.h"

#include <libavutil/avstring.h>
#include <libavutil/opt.h>
#include <libavutil/parseutils.h>
#include <time.h>

#define IO_BUFFER (64 << 10)
#define MAX_STREAMS "64"
#define MAX_PIXELS (64 << 20) /* of one frame */
#define MAX_SAMPLES (1 << 20) /* of one frame of sound */
#define MAX_TIME_MS 40000 /* below the caller's limit, so that what is there can still be said */

static const char containers[] =
    "aac,ac3,aiff,amr,amrnb,amrwb,ape,asf,au,avi,caf,dv,eac3,flac,flv,gif,ivf,m4v,matroska,webm,"
    "mov,mp4,m4a,3gp,3g2,mj2,mp3,mpeg,mpegts,mpegvideo,mxf,ogg,rm,tta,voc,w64,wav,wv";

static const char decoders[] =
    "aac,aac_latm,ac3,adpcm_ima_qt,adpcm_ima_wav,adpcm_ms,adpcm_swf,alac,amrnb,amrwb,ape,cook,dca,"
    "eac3,flac,g722,g726,gsm,gsm_ms,mp1float,mp2float,mp2,mp3float,mp3,nellymoser,opus,pcm_alaw,"
    "pcm_bluray,pcm_dvd,pcm_f32be,pcm_f32le,pcm_f64be,pcm_f64le,pcm_mulaw,pcm_s16be,pcm_s16le,"
    "pcm_s24be,pcm_s24le,pcm_s32be,pcm_s32le,pcm_s8,pcm_u8,speex,tta,vorbis,wavpack,wmalossless,"
    "wmapro,wmav1,wmav2,wmavoice,"
    "cinepak,dnxhd,dvvideo,ffv1,flv,gif,h263,h263i,h264,hevc,huffyuv,libdav1d,mjpeg,mpeg1video,"
    "mpeg2video,mpeg4,msmpeg4,msmpeg4v1,msmpeg4v2,msvideo1,png,prores,qtrle,rawvideo,rpza,rv10,"
    "rv20,rv30,rv40,svq1,svq3,theora,vc1,vp6,vp6a,vp6f,vp8,vp9,wmv1,wmv2,wmv3";

bool rf_av_late(const struct rf_av_input *in)
{
    return rf_now_ms() > in->stop_ms;
}

static int read_bytes(void *context, uint8_t *out, int room)
{
    struct rf_av_input *in = context;
    int64_t left = (int64_t)in->bytes.n - in->at;

    if (left <= 0 || room <= 0 || rf_av_late(in))
        return AVERROR_EOF;
    int n = left < room ? (int)left : room;
    memcpy(out, in->bytes.p + in->at, (size_t)n);
    in->at += n;
    return n;
}

static int64_t seek_bytes(void *context, int64_t offset, int whence)
{
    struct rf_av_input *in = context;
    int64_t size = (int64_t)in->bytes.n, base = 0;

    whence &= ~AVSEEK_FORCE;
    if (whence == AVSEEK_SIZE)
        return size;
    if (whence == SEEK_CUR)
        base = in->at;
    else if (whence == SEEK_END)
        base = size;
    else if (whence != SEEK_SET)
        return AVERROR(EINVAL);
    if (offset < -base || offset > INT64_MAX - base)
        return AVERROR(EINVAL);
    in->at = base + offset;
    return in->at;
}

/* A file that wants another file opened does not get it. */
static int refuse_open(AVFormatContext *format, AVIOContext **io, const char *url, int flags,
                       AVDictionary **options)
{
    (void)format;
    (void)io;
    (void)url;
    (void)flags;
    (void)options;
    return AVERROR(EPERM);
}

static bool prepare(struct rf_av_input *in)
{
    uint8_t *buffer = av_malloc(IO_BUFFER);

    in->format = avformat_alloc_context();
    in->io =
        buffer ? avio_alloc_context(buffer, IO_BUFFER, 0, in, read_bytes, NULL, seek_bytes) : NULL;
    if (!in->io)
        av_free(buffer);
    if (!in->format || !in->io)
        return false;
    in->format->pb = in->io;
    in->format->io_open = refuse_open;
    in->format->flags |= AVFMT_FLAG_CUSTOM_IO;
    return true;
}

static int open_format(struct rf_av_input *in)
{
    AVDictionary *options = NULL;

    av_dict_set(&options, "format_whitelist", containers, 0);
    av_dict_set(&options, "codec_whitelist", decoders, 0);
    av_dict_set(&options, "protocol_whitelist", "", 0);
    av_dict_set(&options, "max_streams", MAX_STREAMS, 0);
    /* FFmpeg frees the context, and not our io, where this fails. */
    int rc = avformat_open_input(&in->format, "", NULL, &options);
    av_dict_free(&options);
    return rc < 0 ? rc : avformat_find_stream_info(in->format, NULL);
}

static AVStream *best(const struct rf_av_input *in, enum AVMediaType type)
{
    int i = av_find_best_stream(in->format, type, -1, -1, NULL, 0);
    AVStream *s = i < 0 ? NULL : in->format->streams[i];
    return s && !(s->disposition & AV_DISPOSITION_ATTACHED_PIC) ? s : NULL;
}

static AVStream *cover_of(const struct rf_av_input *in)
{
    for (unsigned i = 0; i < in->format->nb_streams; i++)
        if (in->format->streams[i]->disposition & AV_DISPOSITION_ATTACHED_PIC)
            return in->format->streams[i];
    return NULL;
}

bool rf_av_open(struct rf_av_input *in, struct rf_str bytes, struct rf_answer *to)
{
    *in = (struct rf_av_input){ .bytes = bytes, .stop_ms = rf_now_ms() + MAX_TIME_MS };
    if (!bytes.n) {
        rf_answer_fail(to, RF_EFORMAT, "", "the file is empty");
        return false;
    }
    if (!prepare(in)) {
        rf_answer_fail(to, RF_ELIMIT, "", "there is not enough memory to open the file");
        return false;
    }
    if (open_format(in) < 0) {
        rf_answer_fail(
            to, RF_EFORMAT, "",
            "the file is broken, cut off, or not sound or video in a format that we read");
        return false;
    }
    in->audio = best(in, AVMEDIA_TYPE_AUDIO);
    in->video = best(in, AVMEDIA_TYPE_VIDEO);
    in->cover = cover_of(in);
    if (!in->audio && !in->video) {
        rf_answer_fail(to, RF_EFORMAT, "", "the file holds neither sound nor video");
        return false;
    }
    return true;
}

void rf_av_close(struct rf_av_input *in)
{
    avformat_close_input(&in->format);
    if (in->io)
        av_freep(&in->io->buffer);
    avio_context_free(&in->io);
}

void rf_av_rewind(struct rf_av_input *in)
{
    int64_t start = in->format->start_time == AV_NOPTS_VALUE ? 0 : in->format->start_time;

    if (av_seek_frame(in->format, -1, start, AVSEEK_FLAG_BACKWARD) < 0)
        (void)av_seek_frame(in->format, -1, 0, AVSEEK_FLAG_BYTE);
}

static const AVCodec *decoder_for(enum AVCodecID id)
{
    const AVCodec *codec = avcodec_find_decoder(id);
    return codec && av_match_name(codec->name, decoders) ? codec : NULL;
}

AVCodecContext *rf_av_decoder(const AVStream *stream)
{
    const AVCodec *codec = decoder_for(stream->codecpar->codec_id);
    AVCodecContext *c = codec ? avcodec_alloc_context3(codec) : NULL;

    if (!c)
        return NULL;
    if (avcodec_parameters_to_context(c, stream->codecpar) >= 0) {
        c->pkt_timebase = stream->time_base;
        c->thread_count = 1;
        c->max_pixels = MAX_PIXELS;
        c->max_samples = MAX_SAMPLES;
        if (avcodec_open2(c, codec, NULL) >= 0)
            return c;
    }
    avcodec_free_context(&c);
    return NULL;
}

bool rf_av_is_locked(const AVStream *stream)
{
    static const uint32_t tags[] = {
        MKTAG('e', 'n', 'c', 'a'),
        MKTAG('e', 'n', 'c', 'v'),
        MKTAG('d', 'r', 'm', 's'),
        MKTAG('d', 'r', 'm', 'i'),
    };

    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (stream->codecpar->codec_tag == tags[i])
            return true;
    return false;
}

static int64_t to_ms(int64_t us)
{
    return us > 0 ? us / 1000 + (us % 1000 >= 500) : 0;
}

int64_t rf_av_announced_ms(const struct rf_av_input *in)
{
    return to_ms(in->format->duration);
}

/* Up to where a stream goes, by a tag of it or by its header; 0 where neither says it. */
static int64_t stream_end_ms(const AVStream *s)
{
    const AVDictionaryEntry *tag = av_dict_get(s->metadata, "DURATION", NULL, 0);
    int64_t us = 0,
            start = s->start_time != AV_NOPTS_VALUE && s->start_time > 0 ? s->start_time : 0;

    if (tag && av_parse_time(&us, tag->value, 1) >= 0)
        return to_ms(us);
    if (s->duration == AV_NOPTS_VALUE || s->duration > INT64_MAX - start)
        return 0;
    return to_ms(av_rescale_q(start + s->duration, s->time_base, AV_TIME_BASE_Q));
}

int64_t rf_av_duration_ms(const struct rf_av_input *in)
{
    int64_t all = rf_av_announced_ms(in);
    int64_t audio = in->audio ? stream_end_ms(in->audio) : 0;
    int64_t video = in->video ? stream_end_ms(in->video) : 0;
    int64_t longer = audio > video ? audio : video;

    if (in->format->nb_streams == 1 || (in->audio && !audio) || (in->video && !video))
        return all;
    return longer > 0 && longer < all ? longer : all;
}
