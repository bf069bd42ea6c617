/* Which loader a file needs, told from its bytes; its header; its pixels.
 *
 * The formats that libvips reads from memory go there, each by the name of its loader: libvips is
 * never asked to find one, so that no loader runs that is not in this table. The others are ours
 * (pixels.h). */
#include "worker/image/picture.h"

#include "media/media.h"

#include <stdlib.h>

enum way {
    WAY_PLAIN,
    WAY_SHRINK, /* by 2, 4 or 8 while it is decoded */
    WAY_SCALE,  /* drawn in any size */
    WAY_PAGES,  /* several pictures */
};

#define MAX_INNER 2 /* an icon may hold a PNG, a metafile an SVG, which hold nothing */
#define MAX_SHRINK 8
#define CSS_UNIT (96 / 72.0) /* an inch is 96 pixels in CSS, and 72 for libvips */
#define MAX_CHUNKS 65536
#define MAX_CHECKED 1000 /* frames */
#define MAX_WALKED 50000 /* from page to page: each that is opened alone is looked for among all */
#define DRAIN_ROWS 128
#define OWN_MARGIN 2
#define OWN_WHOLE_PIXELS ((uint64_t)1 << 22)
#define MAX_VECTOR_SIDE 32000 /* cairo's surfaces end at 32767 */
#define MAX_VECTOR_RATIO 2000 /* of its sides: a line of a pixel takes longer the longer it is */

struct rf_loader {
    enum rf_format_id id;
    const char *vips; /* its operation; NULL: `own` */
    rf_read_pixels *own;
    enum way way;
    bool whole;                  /* decoded at once, not row by row */
    bool forgiving;              /* what can be read of a damaged one is worth showing */
    bool strip;                  /* all frames have one size and can be had under each other */
    bool (*is)(struct rf_str s); /* also told by this, where no signature tells what it is */
};

static bool is_pnm(struct rf_str s)
{
    return s.n > 3 && s.p[0] == 'P' && s.p[1] >= '1' && s.p[1] <= '6' &&
           (s.p[2] == '#' || rf_str_blank((struct rf_str){ s.p + 2, 1 }));
}

static bool is_pcx(struct rf_str s)
{
    return s.n >= 128 && s.p[0] == 10 && (uint8_t)s.p[1] <= 5 && s.p[2] == 1;
}

/* Or as it lies in a clipboard: the header of 40 bytes, one plane. */
static bool is_bmp(struct rf_str s)
{
    const uint8_t *p = rf_bytes_of(s);
    return rf_str_starts(s, "BM") ||
           (s.n > 40 && rf_le32(p) == 40 && rf_le16(p + 12) == 1 && rf_le16(p + 14) <= 32);
}

/* Compressed: the loader looks whether there is a drawing in it. */
static bool is_gzip(struct rf_str s)
{
    return rf_str_starts(s, "\x1f\x8b");
}

static const struct rf_loader loaders[] = {
    { RF_FORMAT_PNG, "pngload_buffer", .forgiving = true },
    { RF_FORMAT_JPEG, "jpegload_buffer", .way = WAY_SHRINK, .forgiving = true },
    { RF_FORMAT_GIF, "gifload_buffer", .way = WAY_PAGES, .forgiving = true, .strip = true },
    { RF_FORMAT_WEBP, "webpload_buffer", .way = WAY_PAGES, .whole = true, .strip = true },
    { RF_FORMAT_TIFF, "tiffload_buffer", rf_read_tiff, WAY_PAGES, .forgiving = true },
    { RF_FORMAT_AVIF, NULL, rf_read_heif, .whole = true },
    { RF_FORMAT_HEIC, NULL, rf_read_heif, .whole = true },
    { RF_FORMAT_HEIF, NULL, rf_read_heif, .whole = true },
    { RF_FORMAT_SVG, "svgload_buffer", .way = WAY_SCALE, .whole = true, .is = is_gzip },
    { RF_FORMAT_JXL, "jxlload_buffer", .whole = true },
    { RF_FORMAT_JP2, NULL, rf_read_jp2, .whole = true },
    { RF_FORMAT_PSD, NULL, rf_read_psd, .whole = true },
    { RF_FORMAT_BMP, NULL, rf_read_bmp, .whole = true, .is = is_bmp },
    { RF_FORMAT_ICO, NULL, rf_read_ico, .whole = true },
    { RF_FORMAT_EMF, NULL, rf_read_emf, .whole = true },
    { RF_FORMAT_WMF, NULL, rf_read_wmf, .whole = true },
    { RF_FORMAT_QOI, NULL, rf_read_qoi, .whole = true },
    { RF_FORMAT_DDS, NULL, rf_read_dds, .whole = true },
    { RF_FORMAT_ICNS, NULL, rf_read_icns, .whole = true },
    { RF_FORMAT_HDR, "radload_buffer", .way = WAY_PLAIN },
    { RF_FORMAT_PNM, NULL, rf_read_pnm, .whole = true, .is = is_pnm },
    { RF_FORMAT_PCX, NULL, rf_read_pcx, .whole = true, .is = is_pcx },
    { RF_FORMAT_TGA, NULL, rf_read_tga, .whole = true, .is = rf_is_tga },
};

/* By its signature, else by what looks like one. */
static const struct rf_loader *find_loader(struct rf_str bytes)
{
    const struct rf_loader *end = loaders + sizeof loaders / sizeof *loaders;
    const struct rf_format *known = NULL, *other = NULL;
    struct rf_bytes memory = rf_bytes_memory(bytes);
    struct rf_reader r = { .fd = -1 };

    if (!rf_reader_open(&r, &memory, NULL)) {
        known = rf_sniff(&r);
        other = rf_other_sniff(&r, RF_STR(""));
    }
    rf_reader_close(&r);
    for (const struct rf_loader *l = loaders; l < end; l++) {
        if ((known && l->id == known->id) || (other && l->id == other->id))
            return l;
    }
    for (const struct rf_loader *l = loaders; l < end; l++) {
        if (l->is && l->is(bytes))
            return l;
    }
    return NULL;
}

/* libvips says what it did in lines such as "VipsJpeg: Premature end of JPEG file". */
static bool says(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcasestr(text, *words))
            return true;
    }
    return false;
}

static void first_line(const char *text, char *out, size_t n)
{
    const char *colon = strstr(text, ": ");
    size_t length;

    text = colon && colon - text < 30 ? colon + 2 : text;
    length = strcspn(text, "\n");
    snprintf(out, n, "%.*s", length < n ? (int)length : (int)n - 1, text);
}

enum rf_code rf_picture_failed(const struct rf_picture *pic, struct rf_err *err)
{
    static const char *const short_words[] = {
        "truncated",    "premature",      "end of", "not enough data",
        "out of order", "unexpected end", NULL
    };
    static const char *const strange_words[] = { "not supported", "unsupported",
                                                 "differ in geometry", NULL };
    static const char *const empty_words[] = { "bad dimensions", NULL };
    static const char *const memory_words[] = { "out of memory", "insufficient memory",
                                                "cannot allocate", NULL };
    const char *text = vips_error_buffer(), *name = rf_format_of(pic->loader->id)->label;
    char line[160];
    enum rf_code rc;

    first_line(text, line, sizeof line);
    if (says(text, memory_words))
        rc = rf_fail(err, RF_ELIMIT, "the %s picture needs more memory than it may have", name);
    else if (pic->loader->way == WAY_SCALE && says(text, empty_words))
        rc = rf_fail(err, RF_EUNSUPPORTED,
                     "the %s has no size, as a font or a collection of symbols has none", name);
    else if (says(text, strange_words))
        rc = rf_fail(err, RF_EUNSUPPORTED, "this sort of %s picture cannot be read (%s)", name,
                     line);
    else if (pic->endless || says(text, short_words))
        rc = rf_fail(err, RF_EFORMAT, "the %s picture is cut off", name);
    else if (*line)
        rc = rf_fail(err, RF_EFORMAT, "the %s picture is broken (%s)", name, line);
    else
        rc = rf_fail(err, RF_EFORMAT, "the %s picture is broken", name);
    vips_error_clear();
    return rc;
}

/* The bytes stay the caller's. */
static VipsBlob *blob_of(struct rf_str bytes)
{
    return vips_blob_new(NULL, bytes.p, bytes.n);
}

/* One call into libvips; `shrink` is 1, 2, 4 or 8. */
static int load(const struct rf_picture *pic, int shrink, double scale, enum rf_strictness strict,
                VipsImage **out)
{
    VipsFailOn fail = strict == RF_STRICT ? VIPS_FAIL_ON_TRUNCATED : VIPS_FAIL_ON_NONE;
    VipsBlob *blob = blob_of(pic->bytes);
    int page = pic->frame > 0 ? (int)pic->frame : 0, rc = -1;

    switch (pic->loader->way) {
    case WAY_PLAIN:
        rc = vips_call(pic->loader->vips, blob, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                       fail, NULL);
        break;
    case WAY_SHRINK:
        rc = vips_call(pic->loader->vips, blob, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                       fail, "shrink", shrink, NULL);
        break;
    case WAY_SCALE:
        rc = vips_call(pic->loader->vips, blob, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                       fail, "scale", scale * pic->unit, "unlimited", pic->pixels.inner.p != NULL,
                       NULL);
        break;
    case WAY_PAGES:
        rc = vips_call(pic->loader->vips, blob, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                       fail, "page", page, NULL);
        break;
    }
    vips_area_unref(VIPS_AREA(blob));
    return rc;
}

static unsigned bits_of(VipsBandFormat format)
{
    return (unsigned)vips_format_sizeof(format) * 8;
}

/* The chunks of a PNG, as far as they tell frames and whether the end is there. An animation counts
 * its own frames ("acTL"); the picture that others show is one more where it is not its first
 * ("fcTL"). */
static void walk_png(struct rf_picture *pic)
{
    uint64_t at = 8;
    uint32_t frames = 0, extra = 1;
    bool data = false;

    for (int i = 0; i < MAX_CHUNKS && rf_has(pic->bytes, at, 12); i++) {
        const uint8_t *p = rf_bytes_of(pic->bytes) + at;
        data = data || memcmp(p + 4, "IDAT", 4) == 0;
        if (memcmp(p + 4, "acTL", 4) == 0 && !data)
            frames = rf_be32(p + 8) & INT32_MAX;
        if (memcmp(p + 4, "fcTL", 4) == 0 && !data)
            extra = 0;
        if (memcmp(p + 4, "IEND", 4) == 0) {
            pic->endless = false;
            break;
        }
        at += (uint64_t)rf_be32(p) + 12;
    }
    pic->frames = frames ? frames + extra : 1;
}

static enum rf_code too_large(struct rf_err *err, uint64_t width, uint64_t height, uint64_t limit)
{
    return rf_fail(err, RF_ELIMIT, "the picture has %llu x %llu pixels, the limit is %llu million",
                   (unsigned long long)width, (unsigned long long)height,
                   (unsigned long long)(limit / 1000000));
}

/* A drawing measured in inches or millimetres is larger for the rest of the world than for libvips.
 */
static void measure_vector(struct rf_picture *pic)
{
    struct rf_bytes memory = rf_bytes_memory(pic->bytes);
    struct rf_reader r = { .fd = -1 };
    struct rf_facts facts = { 0 };

    if (rf_reader_open(&r, &memory, NULL) ||
        rf_probe(&r, rf_format_of(RF_FORMAT_SVG), &facts, NULL))
        facts.width = 0;
    rf_reader_close(&r);
    double ratio = (double)facts.width / pic->width;
    if (ratio < CSS_UNIT * 0.98 || ratio > CSS_UNIT * 1.02)
        return;
    pic->unit = CSS_UNIT;
    pic->width = facts.width;
    pic->height = facts.height;
}

static void take_header(struct rf_picture *pic, VipsImage *im)
{
    int pages = vips_image_get_n_pages(im);

    pic->width = (uint32_t)vips_image_get_width(im);
    pic->height = (uint32_t)vips_image_get_height(im);
    pic->orientation = vips_image_get_orientation(im);
    pic->bits = bits_of(vips_image_get_format(im));
    pic->alpha = vips_image_hasalpha(im);
    pic->vector = pic->loader->way == WAY_SCALE;
    if (pic->vector)
        measure_vector(pic);
    if (!pic->frames)
        pic->frames = pages > 0 ? (uint32_t)pages : 1;
}

static enum rf_code check_size(const struct rf_picture *pic, struct rf_err *err)
{
    uint64_t limit = pic->loader->whole ? RF_MAX_WHOLE_PIXELS : RF_MAX_PIXELS;

    if (!pic->width || !pic->height)
        return rf_fail(err, RF_EFORMAT, "the picture has no size");
    if (!pic->vector && (uint64_t)pic->width * pic->height > limit)
        return too_large(err, pic->width, pic->height, limit);
    if (pic->vector && (pic->width / pic->height > MAX_VECTOR_RATIO ||
                        pic->height / pic->width > MAX_VECTOR_RATIO))
        return rf_fail(err, RF_ELIMIT, "the drawing is %u x %u: too thin to be shown", pic->width,
                       pic->height);
    return RF_OK;
}

static enum rf_code open_vips(struct rf_picture *pic, struct rf_err *err)
{
    VipsImage *im = NULL;

    if (pic->loader->id == RF_FORMAT_PNG && !pic->frames) {
        pic->endless = true;
        walk_png(pic);
    }
    if (load(pic, 1, 1.0, RF_LENIENT, &im))
        return rf_picture_failed(pic, err);
    take_header(pic, im);
    g_object_unref(im);
    return check_size(pic, err);
}

static enum rf_code open_own(struct rf_picture *pic, struct rf_arena *a, struct rf_err *err)
{
    pic->pixels = (struct rf_pixels){ .frame = pic->frame, .of_bytes = pic->bytes.n };
    enum rf_code rc = pic->loader->own(pic->bytes, a, &pic->pixels, err);

    if (rc)
        return rc;
    pic->frames = pic->pixels.frames ? pic->pixels.frames : 1;
    pic->own = pic->pixels.p;
    pic->width = pic->pixels.full_width ? pic->pixels.full_width : pic->pixels.width;
    pic->height = pic->pixels.full_height ? pic->pixels.full_height : pic->pixels.height;
    pic->bits = pic->pixels.bits;
    pic->alpha = pic->pixels.alpha;
    pic->orientation = 1;
    return RF_OK;
}

static bool is_own(const struct rf_picture *pic)
{
    const struct rf_loader *l = pic->loader;
    return !l->vips || (l->own && rf_tiff_is_ours(pic->bytes, pic->frame));
}

enum rf_code rf_picture_open(struct rf_str bytes, int64_t frame, struct rf_arena *a,
                             struct rf_picture *pic, struct rf_err *err)
{
    *pic = (struct rf_picture){ .bytes = bytes, .frame = frame, .unit = 1, .arena = a };
    if (!bytes.n)
        return rf_fail(err, RF_EFORMAT, "the file is empty");
    for (int depth = 0; depth < MAX_INNER; depth++) {
        enum rf_code rc;
        pic->loader = find_loader(pic->bytes);
        if (!pic->loader)
            return rf_fail(err, RF_EFORMAT, "this is not a picture of a format that can be read");
        pic->name = pic->name ? pic->name : rf_format_of(pic->loader->id)->extension;
        bool own = is_own(pic);
        rc = own ? open_own(pic, a, err) : open_vips(pic, err);
        if (rc || pic->own || !own)
            return rc;
        pic->bytes = pic->pixels.inner;
        pic->frame = RF_LARGEST_FRAME;
    }
    return rf_fail(err, RF_EFORMAT, "the picture holds another picture that is not read");
}

static int shrink_for(const struct rf_picture *pic, double scale)
{
    int shrink = 1;

    while (pic->loader->way == WAY_SHRINK && shrink < MAX_SHRINK && 1.0 / (shrink * 2) >= scale)
        shrink *= 2;
    return shrink;
}

/* Large ones are halved, or more, before libvips gets them: it is slow in shrinking what lies in
 * memory. Twice the size that is wanted is left, for its better filter. */
static void shrink_own(const struct rf_picture *pic, double scale, struct rf_pixels *px)
{
    uint32_t n = scale * OWN_MARGIN < 1 ? (uint32_t)(1 / (scale * OWN_MARGIN)) : 1;

    *px = pic->pixels;
    if (n > 1 && (uint64_t)px->width * px->height > OWN_WHOLE_PIXELS)
        rf_pixels_shrink(&pic->pixels, n, pic->arena, px);
}

static int load_own(const struct rf_picture *pic, double scale, VipsImage **out)
{
    VipsImage *base = vips_image_new();
    VipsImage **t = (VipsImage **)vips_object_local_array(VIPS_OBJECT(base), 2);
    struct rf_pixels px;
    int rc = -1;

    shrink_own(pic, scale, &px);
    t[0] = vips_image_new_from_memory(px.p, (size_t)px.width * px.height * 4, (int)px.width,
                                      (int)px.height, 4, VIPS_FORMAT_UCHAR);
    if (t[0] && !vips_copy(t[0], &t[1], "interpretation", VIPS_INTERPRETATION_sRGB, NULL)) {
        if (px.profile.n)
            vips_image_set_blob_copy(t[1], VIPS_META_ICC_NAME, px.profile.p, px.profile.n);
        rc = px.alpha ? vips_copy(t[1], out, NULL) : vips_extract_band(t[1], out, 0, "n", 3, NULL);
    }
    g_object_unref(base);
    return rc;
}

enum rf_code rf_picture_load(const struct rf_picture *pic, double scale, enum rf_strictness strict,
                             VipsImage **out, struct rf_err *err)
{
    uint32_t longest = pic->width > pic->height ? pic->width : pic->height;
    int rc;

    if (strict == RF_STRICT && pic->own && pic->pixels.cut_off)
        return rf_fail(err, RF_EFORMAT, "the %s picture is cut off",
                       rf_format_of(pic->loader->id)->label);
    if (pic->vector && scale * longest > MAX_VECTOR_SIDE)
        scale = (double)MAX_VECTOR_SIDE / longest;
    rc = pic->own ? load_own(pic, scale, out)
                  : load(pic, shrink_for(pic, scale), scale, strict, out);
    return rc ? rf_picture_failed(pic, err) : RF_OK;
}

bool rf_picture_is_forgiving(const struct rf_picture *pic)
{
    return pic->loader->forgiving || (pic->own && pic->pixels.cut_off);
}

static enum rf_code load_strip(const struct rf_picture *pic, uint32_t count, VipsImage **out,
                               struct rf_err *err)
{
    VipsBlob *blob = blob_of(pic->bytes);
    int rc = vips_call(pic->loader->vips, blob, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                       VIPS_FAIL_ON_TRUNCATED, "n", (int)count, NULL);

    vips_area_unref(VIPS_AREA(blob));
    return rc ? rf_picture_failed(pic, err) : RF_OK;
}

static enum rf_code check_page(const struct rf_picture *pic, uint32_t page, struct rf_err *err)
{
    struct rf_picture one = *pic;
    VipsImage *im = NULL;

    one.frame = page;
    enum rf_code rc = open_vips(&one, err);
    if (!rc)
        rc = rf_picture_load(&one, 1.0, RF_STRICT, &im, err);
    return rc ? rc : rf_picture_drain(&one, im, err);
}

enum rf_code rf_picture_check_frames(const struct rf_picture *pic, uint32_t *checked,
                                     struct rf_err *err)
{
    uint64_t room = RF_MAX_PIXELS / ((uint64_t)pic->width * pic->height);
    uint32_t count = pic->frames < MAX_CHECKED ? pic->frames : MAX_CHECKED;
    VipsImage *im = NULL;
    enum rf_code rc = RF_OK;

    *checked = 1;
    if (pic->own || pic->loader->way != WAY_PAGES)
        return RF_OK;
    if (count > room)
        count = (uint32_t)room;
    if (pic->loader->strip && count > 1) {
        rc = load_strip(pic, count, &im, err);
        if (!rc)
            rc = rf_picture_drain(pic, im, err);
        *checked = rc ? 1 : count;
        return rc;
    }
    if (count > MAX_WALKED / pic->frames)
        count = MAX_WALKED / pic->frames;
    for (; *checked < count; ++*checked) {
        rc = check_page(pic, *checked, err);
        if (rc)
            return rc;
    }
    return RF_OK;
}

enum rf_code rf_picture_drain(const struct rf_picture *pic, VipsImage *im, struct rf_err *err)
{
    VipsRegion *region = vips_region_new(im);
    int width = vips_image_get_width(im), height = vips_image_get_height(im), rc = 0;

    for (int y = 0; !rc && y < height; y += DRAIN_ROWS) {
        VipsRect rect = { 0, y, width, VIPS_MIN(DRAIN_ROWS, height - y) };
        rc = vips_region_prepare(region, &rect);
    }
    g_object_unref(region);
    g_object_unref(im);
    return rc ? rf_picture_failed(pic, err) : RF_OK;
}

enum rf_code rf_picture_begins(const struct rf_picture *pic, struct rf_err *err)
{
    VipsImage *im = NULL;
    if (pic->own || pic->loader->way != WAY_PLAIN)
        return RF_OK;
    int rc = load(pic, 1, 1, RF_STRICT, &im);
    if (!rc) {
        VipsRegion *region = vips_region_new(im);
        VipsRect first = { 0, 0, vips_image_get_width(im), 1 };
        rc = vips_region_prepare(region, &first);
        g_object_unref(region);
        g_object_unref(im);
    }
    return rc ? rf_picture_failed(pic, err) : RF_OK;
}

void rf_picture_seen(const struct rf_picture *pic, uint32_t *width, uint32_t *height)
{
    bool turned = pic->orientation >= 5;

    *width = turned ? pic->height : pic->width;
    *height = turned ? pic->width : pic->height;
}
