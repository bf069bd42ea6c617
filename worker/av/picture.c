/* Scaling is swscale's, the encoders are FFmpeg's own; turning is a loop over planes here. Video
 * frames are photographs as a rule, so JPEG is the usual choice; quality goes before size. */
#include "worker/av/picture.h"

#include "worker/av/ffmpeg.h"

#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <math.h>

#define MAX_STRETCH 8.0 /* pixels that are longer than this are a mistake */
#define MAX_SIDE 16384
#define SMALLER_STEPS 10
#define SMALLER 0.75
#define HD_HEIGHT 720 /* from here on, colours that are not named are those of HD */

/* The scale of the JPEG encoder, best first: 3 cannot be told from the frame, 24 can. */
static const int qualities[] = { 3, 5, 8, 12, 18, 24 };

/* How the stored picture becomes the shown one: first `swap` rows and columns, then mirror. */
struct turn {
    bool swap, mirror_x, mirror_y;
};

/* The matrix maps (x, y) to (a x + c y, b x + d y); only quarter turns are taken from it. */
static struct turn turn_of(const AVStream *s)
{
    const int32_t *m = rf_stream_matrix(s);

    if (!m)
        return (struct turn){ 0 };
    int64_t a = m[0], b = m[1], c = m[3], d = m[4];
    if (llabs(a) >= llabs(c))
        return (struct turn){ false, a < 0, d < 0 };
    return (struct turn){ true, c < 0, b < 0 };
}

static double stretch_of(const AVStream *s)
{
    AVRational r =
        s->sample_aspect_ratio.num > 0 ? s->sample_aspect_ratio : s->codecpar->sample_aspect_ratio;
    double stretch = r.num > 0 && r.den > 0 ? av_q2d(r) : 1;
    return stretch > MAX_STRETCH || stretch < 1 / MAX_STRETCH ? 1 : stretch;
}

/* The size before it is turned. */
static void square_size(const AVStream *s, int width, int height, int *w, int *h)
{
    double stretch = stretch_of(s);
    *w = stretch > 1 ? (int)lround(width * stretch) : width;
    *h = stretch < 1 ? (int)lround(height / stretch) : height;
}

void rf_av_shown_size(const AVStream *s, int width, int height, int *shown_width, int *shown_height)
{
    bool swap = turn_of(s).swap;
    square_size(s, width, height, swap ? shown_height : shown_width,
                swap ? shown_width : shown_height);
}

static AVFrame *new_frame(enum AVPixelFormat format, int width, int height)
{
    AVFrame *f = av_frame_alloc();

    if (!f)
        return NULL;
    f->format = format;
    f->width = width;
    f->height = height;
    f->color_range = AVCOL_RANGE_JPEG;
    if (av_frame_get_buffer(f, 0) < 0)
        av_frame_free(&f);
    return f;
}

static int colours_of(const AVFrame *f)
{
    if (f->colorspace == AVCOL_SPC_UNSPECIFIED)
        return f->height >= HD_HEIGHT ? SWS_CS_ITU709 : SWS_CS_ITU601;
    return f->colorspace == AVCOL_SPC_RGB ? SWS_CS_ITU601 : (int)f->colorspace;
}

/* JPEG and PNG know one set of colours: BT.601 in full range, and RGB. */
static void set_colours(struct SwsContext *sws, const AVFrame *from)
{
    const int *in = sws_getCoefficients(colours_of(from));
    const int *out = sws_getCoefficients(SWS_CS_ITU601);
    int full = from->color_range == AVCOL_RANGE_JPEG;

    /* A pair of formats for which this has no meaning says so by failing. */
    (void)sws_setColorspaceDetails(sws, in, full, out, 1, 0, 1 << 16, 1 << 16);
}

static AVFrame *scaled(const AVFrame *from, enum AVPixelFormat format, int width, int height)
{
    int flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT;
    struct SwsContext *sws =
        sws_getContext(from->width, from->height, (enum AVPixelFormat)from->format, width, height,
                       format, flags, NULL, NULL, NULL);
    AVFrame *to = sws ? new_frame(format, width, height) : NULL;

    if (to) {
        set_colours(sws, from);
        int rows = sws_scale(sws, (const uint8_t *const *)from->data, from->linesize, 0,
                             from->height, to->data, to->linesize);
        if (rows <= 0)
            av_frame_free(&to);
    }
    sws_freeContext(sws);
    return to;
}

struct plane {
    uint8_t *p;
    int stride, width, height, pixel; /* bytes of one pixel */
};

static struct plane plane_of(const AVFrame *f, int i)
{
    bool rgb = f->format == AV_PIX_FMT_RGB24;
    bool half = !rgb && i > 0;

    return (struct plane){ f->data[i], f->linesize[i], half ? (f->width + 1) / 2 : f->width,
                           half ? (f->height + 1) / 2 : f->height, rgb ? 3 : 1 };
}

static void turn_plane(struct plane from, struct plane to, struct turn turn)
{
    for (int y = 0; y < to.height; y++) {
        for (int x = 0; x < to.width; x++) {
            int u = turn.mirror_x ? to.width - 1 - x : x;
            int v = turn.mirror_y ? to.height - 1 - y : y;
            const uint8_t *q = from.p + (ptrdiff_t)(turn.swap ? u : v) * from.stride +
                               (ptrdiff_t)(turn.swap ? v : u) * from.pixel;
            memcpy(to.p + (ptrdiff_t)y * to.stride + (ptrdiff_t)x * to.pixel, q,
                   (size_t)from.pixel);
        }
    }
}

/* Takes `from` over. */
static AVFrame *turned(AVFrame *from, struct turn turn)
{
    if (!from || (!turn.swap && !turn.mirror_x && !turn.mirror_y))
        return from;
    AVFrame *to =
        new_frame((enum AVPixelFormat)from->format, turn.swap ? from->height : from->width,
                  turn.swap ? from->width : from->height);
    int planes = from->format == AV_PIX_FMT_RGB24 ? 1 : 3;
    for (int i = 0; to && i < planes; i++)
        turn_plane(plane_of(from, i), plane_of(to, i), turn);
    av_frame_free(&from);
    return to;
}

static AVCodecContext *encoder_for(const AVFrame *f, int quality)
{
    const AVCodec *codec =
        avcodec_find_encoder(f->format == AV_PIX_FMT_RGB24 ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG);
    AVCodecContext *c = codec ? avcodec_alloc_context3(codec) : NULL;

    if (!c)
        return NULL;
    c->width = f->width;
    c->height = f->height;
    c->pix_fmt = (enum AVPixelFormat)f->format;
    c->color_range = AVCOL_RANGE_JPEG;
    c->time_base = (AVRational){ 1, 25 };
    c->thread_count = 1;
    c->flags |= AV_CODEC_FLAG_BITEXACT;
    if (quality) {
        c->flags |= AV_CODEC_FLAG_QSCALE;
        c->global_quality = FF_QP2LAMBDA * quality;
        c->qmin = c->qmax = quality;
    }
    if (avcodec_open2(c, codec, NULL) < 0)
        avcodec_free_context(&c);
    return c;
}

/* The picture as a file, or NULL. */
static AVPacket *encoded(AVFrame *f, int quality)
{
    AVCodecContext *c = encoder_for(f, quality);
    AVPacket *packet = c ? av_packet_alloc() : NULL;

    f->quality = FF_QP2LAMBDA * quality;
    f->pts = 0;
    if (packet && (avcodec_send_frame(c, f) < 0 || avcodec_send_frame(c, NULL) < 0 ||
                   avcodec_receive_packet(c, packet) < 0))
        av_packet_free(&packet);
    avcodec_free_context(&c);
    return packet;
}

/* The best quality that fits, or NULL. */
static AVPacket *fitted(AVFrame *f, const struct rf_av_picture_wish *wish)
{
    size_t tries = wish->png ? 1 : sizeof qualities / sizeof *qualities;

    for (size_t i = 0; i < tries; i++) {
        AVPacket *packet = encoded(f, wish->png ? 0 : qualities[i]);
        if (!packet)
            return NULL;
        if (!wish->max_bytes || (size_t)packet->size <= wish->max_bytes)
            return packet;
        av_packet_free(&packet);
    }
    return NULL;
}

static double first_scale(int width, int height, int max_side)
{
    int side = width > height ? width : height;
    int limit = max_side > 0 && max_side < MAX_SIDE ? max_side : MAX_SIDE;
    return side > limit ? (double)limit / side : 1;
}

static int at_scale(int side, double scale)
{
    long n = lround(side * scale);
    return n < 1 ? 1 : (int)n;
}

bool rf_av_picture(const AVStream *s, const AVFrame *frame, const struct rf_av_picture_wish *wish,
                   struct rf_av_picture *out)
{
    enum AVPixelFormat format = wish->png ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_YUVJ420P;
    int width, height;

    if (frame->width <= 0 || frame->height <= 0 || !frame->data[0])
        return false;
    square_size(s, frame->width, frame->height, &width, &height);
    double scale = first_scale(width, height, wish->max_side);
    for (int i = 0; i < SMALLER_STEPS; i++, scale *= SMALLER) {
        AVFrame *f = turned(scaled(frame, format, at_scale(width, scale), at_scale(height, scale)),
                            turn_of(s));
        if (!f)
            return false;
        out->packet = fitted(f, wish);
        out->width = f->width;
        out->height = f->height;
        av_frame_free(&f);
        if (out->packet)
            return true;
        if (!wish->max_bytes)
            return false;
    }
    return false;
}
