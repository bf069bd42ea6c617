/* Asks about pictures. `info` decodes everything once, so that what is broken is known before it is
 * sent anywhere; `convert` gives one picture, and `draw` one as a terminal shows it. What is cut
 * off is shown as far as it goes, with a note, where the format allows that, and is a failure where
 * not or where nothing can be seen. */
#include "worker/image/image.h"

#include "worker/image/chafa_library.h"
#include "worker/image/draw.h"
#include "worker/image/encode.h"
#include "worker/image/picture.h"
#include "worker/image/shape.h"

#include <gmodule.h>
#include <libheif/heif.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 4
#define MAX_SIDE_ASKED 100000
#define MAX_PIXELS_ASKED ((int64_t)1 << 40)
#define MOST_PIXELS_A_BYTE 64 /* no use in encoding more than could ever fit */
#define LEAST_SHARE 0.02      /* of a damaged picture: less is as good as nothing */
#define SMALL_SIDE 256        /* of the small copy that damage is judged by */

static void silence(const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer data)
{
    (void)domain;
    (void)level;
    (void)text;
    (void)data;
}

/* libvips would load all of its modules, the dangerous and the slow ones too: it is sent to look
 * where there are none, and gets the one that we want by name. That halves its start. */
static void load_module(void)
{
    char path[512];

    snprintf(path, sizeof path, "%s/vips-modules-%d.%d/vips-jxl.so", VIPS_MODULES_IN,
             vips_version(0), vips_version(1));
    if (access(path, R_OK) == 0)
        g_module_open(path, G_MODULE_BIND_LAZY);
}

const char *rf_image_start(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    setenv("VIPSHOME", "/nowhere", 1);
    setenv("VIPS_DISC_THRESHOLD", "64g", 1); /* no temporary files: they could not be written */
    g_log_set_default_handler(silence, NULL);
    if (vips_init("refract-media-image"))
        return "libvips does not start";
    load_module();
    heif_init(NULL); /* where its decoders are modules, it loads them now */
    rf_chafa_load();
    vips_concurrency_set(processors > MAX_THREADS ? MAX_THREADS : (int)processors);
    vips_cache_set_max(0);
    vips_operation_block_set("VipsForeignLoadMagick", TRUE);
    vips_error_clear();
    return NULL;
}

static void say_facts(const struct rf_picture *pic, struct rf_answer *to)
{
    uint32_t width, height;

    rf_picture_seen(pic, &width, &height);
    rf_answer_fact(to, "width", "%u", width);
    rf_answer_fact(to, "height", "%u", height);
    rf_answer_fact(to, "frames", "%u", pic->frames);
    rf_answer_fact(to, "format", "%s", pic->name);
    rf_answer_fact(to, "alpha", "%d", pic->alpha);
    rf_answer_fact(to, "bits", "%u", pic->bits);
}

static void say_failure(const struct rf_err *err, struct rf_answer *to)
{
    rf_answer_fail(to, err->code, err->hint, "%s", err->msg);
}

/* The picture as asked for; of a damaged one, what there is, and how much. */
static enum rf_code shape(const struct rf_picture *pic, const struct rf_shape *wish,
                          VipsImage **out, double *share, struct rf_err *err)
{
    enum rf_code rc = rf_picture_begins(pic, err);
    struct rf_err second;

    *share = 1;
    if (rc)
        return rc;
    rc = rf_shape(pic, wish, RF_STRICT, out, err);
    if (rc != RF_EFORMAT || !rf_picture_is_forgiving(pic) ||
        rf_shape(pic, wish, RF_LENIENT, out, &second))
        return rc;
    *share = rf_shape_share(*out);
    if (*share >= LEAST_SHARE)
        return RF_OK;
    g_object_unref(*out);
    return rc;
}

static void say_damage(const struct rf_picture *pic, double share, struct rf_answer *to)
{
    if (pic->vector && pic->pixels.cut_off) {
        rf_answer_fact(to, "damaged", "1");
        rf_answer_note(to, "the drawing is damaged or cut off: it is shown as far as it goes");
    }
    if (pic->pixels.lost)
        rf_answer_note(to, "some parts of the drawing are of sorts that cannot be shown");
    if (share >= 1 && !pic->endless)
        return;
    rf_answer_fact(to, "damaged", "1");
    if (share >= 1)
        rf_answer_note(to, "the end of the file is missing, but all of the picture is there");
    else
        rf_answer_note(to, "the picture is damaged or cut off: about %d %% of it can be seen",
                       (int)(share * 100));
}

/* Decode it in the cheapest way that still reads every byte. */
static enum rf_code decode(const struct rf_picture *pic, struct rf_err *err)
{
    uint32_t longest = pic->width > pic->height ? pic->width : pic->height;
    double scale = longest > SMALL_SIDE ? (double)SMALL_SIDE / longest : 1;
    VipsImage *im = NULL;
    enum rf_code rc =
        rf_picture_load(pic, scale < 0.125 && !pic->vector ? 0.125 : scale, RF_STRICT, &im, err);

    return rc ? rc : rf_picture_drain(pic, im, err);
}

static void check_frames(const struct rf_picture *pic, struct rf_answer *to)
{
    struct rf_err err;
    uint32_t good;

    if (rf_picture_check_frames(pic, &good, &err)) {
        rf_answer_fact(to, "damaged", "1");
        rf_answer_note(to, "not all of the %u frames can be read: %s", pic->frames, err.msg);
    }
}

static void info(const struct rf_ask *ask, const struct rf_picture *pic, struct rf_answer *to)
{
    struct rf_shape small = { .max_side = SMALL_SIDE };
    struct rf_err err;
    VipsImage *im = NULL;
    double share = 1;

    (void)ask;
    if (decode(pic, &err)) {
        if (shape(pic, &small, &im, &share, &err)) {
            say_failure(&err, to);
            return;
        }
        g_object_unref(im);
    }
    say_facts(pic, to);
    say_damage(pic, share, to);
    if (share >= 1)
        check_frames(pic, to);
}

/* "x,y,w,h" */
static bool read_crop(struct rf_str text, struct rf_shape *wish)
{
    uint32_t *to[] = { &wish->x, &wish->y, &wish->width, &wish->height };
    struct rf_str piece;
    int64_t v;

    for (size_t i = 0; i < 4; i++) {
        if (!rf_str_split(&text, ',', &piece) || !rf_str_int64(piece, &v) || v < 0 || v > INT32_MAX)
            return false;
        *to[i] = (uint32_t)v;
    }
    return text.n == 0 && wish->width && wish->height;
}

static enum rf_code read_wish(const struct rf_ask *ask, struct rf_shape *wish, uint64_t *max_bytes,
                              struct rf_err *err)
{
    struct rf_str crop = rf_ask_str(ask, "crop");
    int64_t bytes = rf_ask_int(ask, "max_bytes", 0);

    wish->max_side = rf_ask_int(ask, "max_side", 0);
    wish->max_pixels = rf_ask_int(ask, "max_pixels", 0);
    *max_bytes = bytes > 0 ? (uint64_t)bytes : 0;
    if (bytes > 0 && bytes < MAX_PIXELS_ASKED / MOST_PIXELS_A_BYTE &&
        (!wish->max_pixels || wish->max_pixels > bytes * MOST_PIXELS_A_BYTE))
        wish->max_pixels = bytes * MOST_PIXELS_A_BYTE;
    if (wish->max_side < 0 || wish->max_side > MAX_SIDE_ASKED || wish->max_pixels < 0 || bytes < 0)
        return rf_fail(err, RF_EUSAGE, "a limit for the picture is not a number that can be used");
    if (crop.n && !read_crop(crop, wish))
        return rf_fail(err, RF_EUSAGE, "the crop is not \"x,y,width,height\"");
    return RF_OK;
}

static void say_part(const struct rf_encoded *e, struct rf_answer *to)
{
    if (e->quality)
        rf_answer_part(to, "kind=image\nmime=%s\nwidth=%d\nheight=%d\nquality=%d\n", e->mime,
                       e->width, e->height, e->quality);
    else
        rf_answer_part(to, "kind=image\nmime=%s\nwidth=%d\nheight=%d\n", e->mime, e->width,
                       e->height);
    rf_answer_bytes(to, e->p, e->n);
}

static void convert(const struct rf_ask *ask, const struct rf_picture *pic, struct rf_answer *to)
{
    struct rf_shape wish = { 0 };
    struct rf_encoded encoded = { 0 };
    struct rf_err err;
    VipsImage *im = NULL;
    uint64_t max_bytes;
    double share;

    if (read_wish(ask, &wish, &max_bytes, &err) || shape(pic, &wish, &im, &share, &err) ||
        rf_encode(im, rf_ask_str(ask, "types"), max_bytes, &encoded, &err)) {
        say_failure(&err, to);
        return;
    }
    say_facts(pic, to);
    say_damage(pic, share, to);
    say_part(&encoded, to);
    g_free(encoded.p);
}

static void draw(const struct rf_ask *ask, const struct rf_picture *pic, struct rf_answer *to)
{
    struct rf_draw_wish wish;
    struct rf_draw_size size;
    struct rf_shape part = { 0 };
    struct rf_err err;
    VipsImage *im = NULL;
    uint64_t max_bytes;
    double share;
    enum rf_code rc = rf_draw_read(ask, &wish, &err);

    if (!rc)
        rc = read_wish(ask, &part, &max_bytes, &err);
    if (!rc) {
        rf_draw_fit(&wish, pic, &part, &size);
        rc = shape(pic, &part, &im, &share, &err);
    }
    if (!rc) {
        say_facts(pic, to);
        say_damage(pic, share, to);
        rc = rf_draw(&wish, &size, im, to, &err);
    }
    if (rc)
        say_failure(&err, to);
}

static const struct {
    const char *name;
    void (*answer)(const struct rf_ask *ask, const struct rf_picture *pic, struct rf_answer *to);
} operations[] = {
    { "info", info },
    { "convert", convert },
    { "draw", draw },
};
#define OPERATION_COUNT (sizeof operations / sizeof *operations)

void rf_image_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_picture pic;
    struct rf_str bytes;
    struct rf_err err;
    size_t i = 0;

    while (i < OPERATION_COUNT && !rf_ask_is(ask, "op", operations[i].name))
        i++;
    if (i == OPERATION_COUNT) {
        rf_answer_fail(to, RF_EUSAGE, "", "the image worker knows info, convert and draw");
        return;
    }
    if (!rf_ask_map(ask, &bytes, to))
        return;
    vips_error_clear();
    if (rf_picture_open(bytes, rf_ask_int(ask, "frame", 0) - 1, ask->arena, &pic, &err))
        say_failure(&err, to);
    else
        operations[i].answer(ask, &pic, to);
}
