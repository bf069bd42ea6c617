/* WMF: | placeable header 22, mostly | header 18 | records: | length in words 4 | function 2 | … |.
 * The arguments of a function stand in the opposite order of those in C.
 *
 * A placeable file says which part of the drawing is meant, and how large a unit is. Of others the
 * window is what is meant, and without one, what is drawn on. Where the viewport is, the program
 * decides that shows it: records that move it are passed over. */
#include "worker/image/gdi.h"

#include <math.h>

#define PLACEABLE 22
#define HEADER 18
#define RECORD 6
#define WORD 2

struct record {
    const uint8_t *p; /* the arguments */
    size_t n;
    uint16_t function;
};

static double i16(const struct record *r, size_t word)
{
    size_t at = word * WORD;
    return at <= r->n && r->n - at >= 2 ? (int16_t)rf_le16(r->p + at) : 0;
}

static uint16_t u16(const struct record *r, size_t word)
{
    size_t at = word * WORD;
    return at <= r->n && r->n - at >= 2 ? rf_le16(r->p + at) : 0;
}

static uint32_t u32(const struct record *r, size_t word)
{
    return (uint32_t)u16(r, word + 1) << 16 | u16(r, word);
}

/* Bottom, right, top and left, as most functions have them. */
static struct rf_box box(const struct record *r, size_t word)
{
    return (struct rf_box){ i16(r, word + 3), i16(r, word + 2), i16(r, word + 1), i16(r, word) };
}

/* The device context */

/* The last window before anything is drawn is the paper, if nothing else is. Later ones are other
 * scales of it. */
static void window_changed(struct rf_gdi *g)
{
    struct rf_gdi_dc *dc = &g->dc;

    if (dc->window_w == 0 || dc->window_h == 0)
        return;
    if (!g->framed && !g->painted)
        g->paper = (struct rf_box){ 0, 0, fabs(dc->window_w), fabs(dc->window_h) };
    dc->viewport_w = g->paper.right > 0 ? g->paper.right : fabs(dc->window_w);
    dc->viewport_h = g->paper.bottom > 0 ? g->paper.bottom : fabs(dc->window_h);
    dc->map_mode = RF_GDI_ANISOTROPIC;
}

static void set_window(struct rf_gdi *g, const struct record *r, unsigned extent)
{
    double y = i16(r, 0), x = i16(r, 1);

    *(extent ? &g->dc.window_w : &g->dc.window_x) = x;
    *(extent ? &g->dc.window_h : &g->dc.window_y) = y;
    if (extent)
        window_changed(g);
}

static void offset_window(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    g->dc.window_y += i16(r, 0);
    g->dc.window_x += i16(r, 1);
}

static void scale_window(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    g->dc.window_h *= i16(r, 0) != 0 ? i16(r, 1) / i16(r, 0) : 1;
    g->dc.window_w *= i16(r, 2) != 0 ? i16(r, 3) / i16(r, 2) : 1;
}

enum setting { MAP_MODE, BACK_MODE, FILL_MODE, ROP, ALIGN, TEXT_COLOUR, BACK_COLOUR };

static void set(struct rf_gdi *g, const struct record *r, unsigned what)
{
    uint16_t v = u16(r, 0);

    switch ((enum setting)what) {
    case MAP_MODE:
        /* the window fills the paper, whatever its unit is called */
        g->dc.map_mode = g->paper.right > g->paper.left ? RF_GDI_ANISOTROPIC
                         : v < 9                        ? v
                                                        : RF_GDI_TEXT_MODE;
        break;
    case BACK_MODE:
        g->dc.opaque = v == 2;
        break;
    case FILL_MODE:
        g->dc.winding = v == 2;
        break;
    case ROP:
        g->dc.rop = v;
        break;
    case ALIGN:
        g->dc.align = v;
        break;
    case TEXT_COLOUR:
        g->dc.text_colour = u32(r, 0);
        break;
    case BACK_COLOUR:
        g->dc.back_colour = u32(r, 0);
        break;
    }
}

static void save(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)r;
    (void)how;
    rf_gdi_save(g);
}

static void restore(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    rf_gdi_restore(g, (int32_t)i16(r, 0));
}

/* Objects: each takes the first place that is free. */

static void create(struct rf_gdi *g, struct rf_gdi_object o)
{
    size_t i = g->first_free;

    while (i < g->object_n && g->objects[i].kind != RF_GDI_NONE)
        i++;
    g->objects[i] = o; /* one is there beyond the last */
    g->first_free = i;
}

static void create_pen(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    create(g,
           (struct rf_gdi_object){
               .kind = RF_GDI_PEN, .style = u16(r, 0), .width = i16(r, 1), .colour = u32(r, 3) });
}

static void create_brush(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    create(g,
           (struct rf_gdi_object){
               .kind = RF_GDI_BRUSH, .style = u16(r, 0), .colour = u32(r, 1), .hatch = u16(r, 3) });
}

static struct rf_str rest(const struct record *r, size_t word)
{
    size_t at = word * WORD;
    return at < r->n ? (struct rf_str){ (const char *)r->p + at, r->n - at } : (struct rf_str){ 0 };
}

static void create_pattern(struct rf_gdi *g, const struct record *r, unsigned how)
{
    struct rf_str dib = rest(r, 2);
    size_t header = rf_gdi_header_length(dib);
    uint32_t mean = 0x808080;

    (void)how;
    if (header && header <= dib.n)
        mean = rf_gdi_mean(g, (struct rf_str){ dib.p, header }, rf_from(dib, header));
    create(g, (struct rf_gdi_object){ .kind = RF_GDI_BRUSH, .colour = mean });
}

static void create_font(struct rf_gdi *g, const struct record *r, unsigned how)
{
    struct rf_str name = rest(r, 9);
    struct rf_gdi_object font = {
        .kind = RF_GDI_FONT,
        .height = i16(r, 0),
        .escapement = i16(r, 2),
        .weight = (int)i16(r, 4),
        .italic = u16(r, 5) & 255,
        .underline = u16(r, 5) >> 8,
        .struck = u16(r, 6) & 255,
        .charset = (uint8_t)(u16(r, 6) >> 8),
        .family = (uint8_t)(u16(r, 8) >> 8),
    };
    size_t n = 0;

    (void)how;
    while (n < name.n && n < 32 && name.p[n])
        n++;
    font.face = rf_gdi_utf8(g, (struct rf_str){ name.p, n });
    create(g, font);
}

static void create_other(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)r;
    (void)how;
    create(g, (struct rf_gdi_object){ .kind = RF_GDI_OTHER });
}

static void select_object(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    if (u16(r, 0) < g->object_n)
        rf_gdi_select(g, &g->objects[u16(r, 0)]);
}

static void delete_object(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    if (u16(r, 0) >= g->object_n)
        return;
    g->objects[u16(r, 0)] = (struct rf_gdi_object){ 0 };
    if (u16(r, 0) < g->first_free)
        g->first_free = u16(r, 0);
}

/* Lines and shapes */

static void move(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    g->dc.y = i16(r, 0);
    g->dc.x = i16(r, 1);
}

static void line(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    rf_gdi_begin(g);
    rf_gdi_line(g, i16(r, 1), i16(r, 0));
    rf_gdi_end(g, RF_GDI_STROKE);
}

static void add_points(struct rf_gdi *g, const struct record *r, size_t word, size_t count,
                       bool shut)
{
    for (size_t i = 0; i < count; i++, word += 2) {
        if (i)
            rf_gdi_line(g, i16(r, word), i16(r, word + 1));
        else
            rf_gdi_move(g, i16(r, word), i16(r, word + 1));
    }
    if (shut)
        rf_gdi_close(g);
}

static void lines(struct rf_gdi *g, const struct record *r, unsigned shut)
{
    size_t count = u16(r, 0), there = r->n / 4;

    g->lost = g->lost || count > there;
    rf_gdi_begin(g);
    add_points(g, r, 1, count < there ? count : there, shut);
    rf_gdi_end(g, shut ? RF_GDI_FILL | RF_GDI_STROKE : RF_GDI_STROKE);
}

static void polygons(struct rf_gdi *g, const struct record *r, unsigned how)
{
    size_t parts = u16(r, 0), at = 1 + parts, words = r->n / WORD;

    (void)how;
    rf_gdi_begin(g);
    for (size_t i = 0; i < parts; i++) {
        size_t count = u16(r, 1 + i);
        if (at > words || count > (words - at) / 2) {
            g->lost = true;
            break;
        }
        add_points(g, r, at, count, true);
        at += count * 2;
    }
    rf_gdi_end(g, RF_GDI_FILL | RF_GDI_STROKE);
}

static void rectangle(struct rf_gdi *g, const struct record *r, unsigned rounded)
{
    rf_gdi_begin(g);
    if (rounded)
        rf_gdi_rectangle(g, box(r, 2), i16(r, 1), i16(r, 0));
    else
        rf_gdi_rectangle(g, box(r, 0), 0, 0);
    rf_gdi_end(g, RF_GDI_FILL | RF_GDI_STROKE);
}

static void ellipse(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    rf_gdi_begin(g);
    rf_gdi_turn(g, box(r, 0), 0, 2 * M_PI, false);
    rf_gdi_close(g);
    rf_gdi_end(g, RF_GDI_FILL | RF_GDI_STROKE);
}

static void arc(struct rf_gdi *g, const struct record *r, unsigned ending)
{
    const double rays[] = { i16(r, 3), i16(r, 2), i16(r, 1), i16(r, 0) };

    rf_gdi_begin(g);
    rf_gdi_arc(g, box(r, 4), rays, (enum rf_gdi_ending)ending, false);
    rf_gdi_end(g, ending == RF_GDI_OPEN ? RF_GDI_STROKE : RF_GDI_FILL | RF_GDI_STROKE);
}

static void pixel(struct rf_gdi *g, const struct record *r, unsigned how)
{
    double x = i16(r, 3), y = i16(r, 2);

    (void)how;
    rf_gdi_fill_box(g, (struct rf_box){ x, y, x + 1, y + 1 }, u32(r, 0));
}

/* Clipping. A region is not kept as an object: choosing one, or none, ends all clipping. */

static void clip_box(struct rf_gdi *g, const struct record *r, unsigned hole)
{
    if (hole)
        rf_gdi_clip_hole(g, box(r, 0));
    else
        rf_gdi_clip_box(g, box(r, 0));
}

static void clip_region(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)r;
    (void)how;
    rf_gdi_unclip(g);
}

static void lose(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)r;
    (void)how;
    g->lost = true;
}

/* Texts */

static void put_text(struct rf_gdi *g, struct rf_gdi_text *t, struct rf_str bytes, size_t count)
{
    if (count > bytes.n) {
        g->lost = true;
        return;
    }
    bytes.n = count;
    t->utf8 = rf_gdi_utf8(g, bytes);
    rf_gdi_text(g, t);
}

/* | count | string | y | x | */
static void text(struct rf_gdi *g, const struct record *r, unsigned how)
{
    size_t count = u16(r, 0), after = 1 + (count + 1) / 2;
    struct rf_gdi_text t = { .x = i16(r, after + 1), .y = i16(r, after) };

    (void)how;
    put_text(g, &t, rest(r, 1), count);
}

/* | y | x | count | options | rectangle, where the options say so | string | steps | */
static void long_text(struct rf_gdi *g, const struct record *r, unsigned how)
{
    size_t count = u16(r, 2), at = 4;
    struct rf_gdi_text t = { .x = i16(r, 1), .y = i16(r, 0), .options = u16(r, 3) };

    (void)how;
    if (t.options & (RF_GDI_ETO_OPAQUE | RF_GDI_ETO_CLIPPED)) {
        t.box = (struct rf_box){ i16(r, 4), i16(r, 5), i16(r, 6), i16(r, 7) };
        at = 8;
    }
    size_t steps_at = at + (count + 1) / 2;
    if (count && r->n / WORD >= steps_at + count) {
        double *steps = rf_arena_alloc(g->arena, count * sizeof *steps);
        for (size_t i = 0; i < count; i++)
            steps[i] = i16(r, steps_at + i);
        t.steps = steps;
        t.step_n = count;
    }
    put_text(g, &t, rest(r, at), count);
}

/* Pictures: the last four arguments before the DIB are height, width, y and x of where it goes. */

struct layout {
    int8_t rop, from_h, from_w, from_y, from_x, to, dib; /* in words; -1: it has none */
    bool bottom_up;
};

static const struct layout layouts[] = {
    { 0, -1, -1, 2, 3, 4, 8, false }, /* DibBitBlt: rop, ySrc, xSrc, h, w, y, x */
    { 0, 2, 3, 4, 5, 6, 10, false },  /* DibStretchBlt */
    { 0, 3, 4, 5, 6, 7, 11, true },   /* StretchDib: rop, usage, … */
    { -1, -1, -1, 3, 4, 5, 9, true }, /* SetDibToDev: usage, scans, start, ySrc, xSrc, h, w, y, x */
    { 0, -1, -1, -1, -1, 2, -1, false }, /* PatBlt: rop, h, w, y, x */
};
enum { BIT_BLT, STRETCH_BLT, STRETCH_DIB, SET_DIB, PAT_BLT };

static double field(const struct record *r, int8_t word)
{
    return word < 0 ? 0 : i16(r, (size_t)word);
}

/* A blit without its bitmap is shorter, and has a word that says nothing. */
static bool has_bitmap(const struct record *r)
{
    return r->n / WORD != (size_t)(r->function >> 8);
}

static void blit(struct rf_gdi *g, const struct record *r, unsigned which)
{
    const struct layout *l = &layouts[which];
    bool bare = which <= STRETCH_BLT && !has_bitmap(r);
    size_t to = (size_t)l->to + (bare ? 1 : 0);
    struct rf_gdi_blit b = {
        .h = i16(r, to),
        .w = i16(r, to + 1),
        .y = i16(r, to + 2),
        .x = i16(r, to + 3),
        .from_h = field(r, l->from_h),
        .from_w = field(r, l->from_w),
        .from_y = field(r, l->from_y),
        .from_x = field(r, l->from_x),
        .rop = l->rop < 0 ? RF_GDI_SRCCOPY : u32(r, 0),
        .bottom_up = l->bottom_up,
        .alpha = -1,
        .key = -1,
    };

    if (l->dib >= 0 && !bare) {
        struct rf_str dib = rest(r, (size_t)l->dib);
        size_t n = rf_gdi_header_length(dib);
        b.header = (struct rf_str){ dib.p, n < dib.n ? n : dib.n };
        b.bits = rf_from(dib, n);
        g->lost = g->lost || !n;
    }
    rf_gdi_blit(g, &b);
}

static const struct {
    uint16_t function;
    void (*play)(struct rf_gdi *g, const struct record *r, unsigned how);
    unsigned how;
} plays[] = {
    { 0x001e, save, 0 },           { 0x00f7, create_other, 0 }, /* a palette */
    { 0x0102, set, BACK_MODE },    { 0x0103, set, MAP_MODE },
    { 0x0104, set, ROP },          { 0x0106, set, FILL_MODE },
    { 0x0127, restore, 0 },        { 0x012a, lose, 0 }, /* regions that are painted */
    { 0x012b, lose, 0 },           { 0x012c, clip_region, 0 },
    { 0x012d, select_object, 0 },  { 0x012e, set, ALIGN },
    { 0x0142, create_pattern, 0 }, { 0x01f0, delete_object, 0 },
    { 0x01f9, create_other, 0 }, /* a brush of a bitmap of one device */
    { 0x0201, set, BACK_COLOUR },  { 0x0209, set, TEXT_COLOUR },
    { 0x020b, set_window, false }, { 0x020c, set_window, true },
    { 0x020f, offset_window, 0 },  { 0x0213, line, 0 },
    { 0x0214, move, 0 },           { 0x0220, lose, 0 }, /* clipping that is moved */
    { 0x0228, lose, 0 },           { 0x02fa, create_pen, 0 },
    { 0x02fb, create_font, 0 },    { 0x02fc, create_brush, 0 },
    { 0x0324, lines, true },       { 0x0325, lines, false },
    { 0x0410, scale_window, 0 },   { 0x0415, clip_box, true },
    { 0x0416, clip_box, false },   { 0x0418, ellipse, 0 },
    { 0x0419, lose, 0 }, /* flood fill */
    { 0x041b, rectangle, false },  { 0x041f, pixel, 0 },
    { 0x0429, lose, 0 },           { 0x0521, text, 0 },
    { 0x0538, polygons, 0 },       { 0x0548, lose, 0 },
    { 0x061c, rectangle, true },   { 0x061d, blit, PAT_BLT },
    { 0x06ff, create_other, 0 }, /* a region */
    { 0x0817, arc, RF_GDI_OPEN },  { 0x081a, arc, RF_GDI_PIE },
    { 0x0830, arc, RF_GDI_CHORD }, { 0x0922, lose, 0 }, /* bitmaps of one device */
    { 0x0940, blit, BIT_BLT },     { 0x0a32, long_text, 0 },
    { 0x0b23, lose, 0 },           { 0x0b41, blit, STRETCH_BLT },
    { 0x0d33, blit, SET_DIB },     { 0x0f43, blit, STRETCH_DIB },
};

static void play(struct rf_gdi *g, const struct record *r)
{
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++)
        if (plays[i].function == r->function)
            plays[i].play(g, r, plays[i].how);
}

/* All records; false where they end before the last one. */
static bool play_all(struct rf_gdi *g, struct rf_str bytes, size_t at)
{
    while (rf_has(bytes, at, RECORD)) {
        const uint8_t *p = rf_bytes_of(bytes) + at;
        uint64_t n = (uint64_t)rf_le32(p) * WORD;
        if (rf_le16(p + 4) == 0)
            return true;
        if (n < RECORD || !rf_has(bytes, at, n))
            return false;
        play(g, &(struct record){ p + RECORD, (size_t)n - RECORD, rf_le16(p + 4) });
        at += (size_t)n;
    }
    return false;
}

/* Its box is the paper, and what the first window fills. */
static void take_placeable(struct rf_gdi *g, const uint8_t *p)
{
    double left = (int16_t)rf_le16(p + 6), top = (int16_t)rf_le16(p + 8);
    double right = (int16_t)rf_le16(p + 10), bottom = (int16_t)rf_le16(p + 12);
    double width = fabs(right - left), height = fabs(bottom - top);

    if (width == 0 || height == 0)
        return;
    g->framed = true;
    g->units_an_inch = rf_le16(p + 14);
    g->paper = (struct rf_box){ 0, 0, width, height };
    g->dc.map_mode = RF_GDI_ANISOTROPIC;
    g->dc.viewport_w = width;
    g->dc.viewport_h = height;
    g->dc.window_x = left;
    g->dc.window_y = top;
    g->dc.window_w = right - left;
    g->dc.window_h = bottom - top;
}

enum rf_code rf_read_wmf(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    bool placeable = rf_str_starts(bytes, "\xd7\xcd\xc6\x9a");
    size_t at = placeable ? PLACEABLE : 0;
    struct rf_gdi g;

    if (!rf_has(bytes, at, HEADER))
        return rf_cut(err, "metafile");
    rf_gdi_init(&g, rf_le16(rf_bytes_of(bytes) + at + 10), a);
    if (placeable)
        take_placeable(&g, rf_bytes_of(bytes));
    px->cut_off = !play_all(&g, bytes, at + HEADER);
    px->lost = g.lost;
    if (px->cut_off && !g.painted)
        return rf_cut(err, "metafile");
    return rf_gdi_finish(&g, &px->inner, err);
}
