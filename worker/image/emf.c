/* EMF: | type 4 | length 4 | … | records, the first of which is the header with " EMF" at 40:
 * bounds, frame in 0.01 mm, device in pixels and millimetres.
 *
 * What is drawn is what lies in the frame. Newer files say everything twice, in records and, in
 * comments, as EMF+; the records are read. A file that has nothing but EMF+ is refused. A record
 * that is shorter than its fields has zeros there. */
#include "worker/image/gdi.h"

#include "worker/office/charset.h"

#include <math.h>

#define HEADER 88
#define LONGER_HEADER 108
#define STOCK 0x80000000u
#define MAX_TEXT 65536

enum {
    HEADER_RECORD = 1,
    LAST_RECORD = 14,
    COMMENT = 70,
};

/* Stock objects whose colours a program sets; in a file they have those of the beginning. */
enum { DC_BRUSH = 18, DC_PEN = 19 };

/* How points of a record are to be drawn. */
enum {
    SMALL = 1,  /* 16 bits each */
    CURVES = 2, /* Bézier's */
    ON = 4,     /* from where the last line ended */
    SHUT = 8,
    MANY = 16, /* several lines */
};

struct record {
    const uint8_t *p;
    size_t n;
};

static uint32_t u32(const struct record *r, size_t at)
{
    return at <= r->n && r->n - at >= 4 ? rf_le32(r->p + at) : 0;
}

static double i32(const struct record *r, size_t at)
{
    return (int32_t)u32(r, at);
}

static double i16(const struct record *r, size_t at)
{
    return at <= r->n && r->n - at >= 2 ? (int16_t)rf_le16(r->p + at) : 0;
}

static uint8_t u8(const struct record *r, size_t at)
{
    return at < r->n ? r->p[at] : 0;
}

static double f32(const struct record *r, size_t at)
{
    uint32_t bits = u32(r, at);
    float v;

    memcpy(&v, &bits, sizeof v);
    return isfinite(v) ? (double)v : 0;
}

static struct rf_box box(const struct record *r, size_t at)
{
    return (struct rf_box){ i32(r, at), i32(r, at + 4), i32(r, at + 8), i32(r, at + 12) };
}

/* Bytes of the record, by the fields that say where and how many; those that are there. */
static struct rf_str piece(const struct record *r, size_t offset_at, size_t length_at)
{
    size_t at = u32(r, offset_at), n = u32(r, length_at);

    if (!at || at > r->n)
        return (struct rf_str){ 0 };
    return (struct rf_str){ (const char *)r->p + at, n < r->n - at ? n : r->n - at };
}

/* The device context */

static void window_extent(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    g->dc.window_w = i32(r, 8);
    g->dc.window_h = i32(r, 12);
}

static void window_origin(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    g->dc.window_x = i32(r, 8);
    g->dc.window_y = i32(r, 12);
}

static void viewport_extent(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    g->dc.viewport_w = i32(r, 8);
    g->dc.viewport_h = i32(r, 12);
}

static void viewport_origin(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    g->dc.viewport_x = i32(r, 8);
    g->dc.viewport_y = i32(r, 12);
}

static void scale_extent(struct rf_gdi *g, const struct record *r, unsigned window)
{
    double x = i32(r, 12) != 0 ? i32(r, 8) / i32(r, 12) : 1;
    double y = i32(r, 20) != 0 ? i32(r, 16) / i32(r, 20) : 1;

    *(window ? &g->dc.window_w : &g->dc.viewport_w) *= x;
    *(window ? &g->dc.window_h : &g->dc.viewport_h) *= y;
}

enum setting { MAP_MODE, BACK_MODE, FILL_MODE, ROP, ALIGN, TEXT_COLOUR, BACK_COLOUR, TURN, MITER };

static void set(struct rf_gdi *g, const struct record *r, unsigned what)
{
    uint32_t v = u32(r, 8);

    switch ((enum setting)what) {
    case MAP_MODE:
        g->dc.map_mode = v < 9 ? (int)v : RF_GDI_TEXT_MODE;
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
        g->dc.text_colour = v;
        break;
    case BACK_COLOUR:
        g->dc.back_colour = v;
        break;
    case TURN:
        g->dc.clockwise = v == 2;
        break;
    case MITER:
        g->dc.miter = v;
        break;
    }
}

static struct rf_matrix matrix(const struct record *r, size_t at)
{
    return (struct rf_matrix){ f32(r, at),      f32(r, at + 4),  f32(r, at + 8),
                               f32(r, at + 12), f32(r, at + 16), f32(r, at + 20) };
}

static void set_world(struct rf_gdi *g, const struct record *r, unsigned modify)
{
    struct rf_matrix m = matrix(r, 8);
    uint32_t mode = modify ? u32(r, 32) : 4;

    if (mode == 1)
        g->dc.world = (struct rf_matrix){ 1, 0, 0, 1, 0, 0 };
    else if (mode == 2)
        g->dc.world = rf_matrix_times(&m, &g->dc.world);
    else if (mode == 3)
        g->dc.world = rf_matrix_times(&g->dc.world, &m);
    else if (mode == 4)
        g->dc.world = m;
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
    rf_gdi_restore(g, (int32_t)u32(r, 8));
}

/* Objects */

static struct rf_gdi_object *slot(struct rf_gdi *g, const struct record *r)
{
    uint32_t i = u32(r, 8);
    return i < g->object_n ? &g->objects[i] : &g->objects[g->object_n];
}

static void create_pen(struct rf_gdi *g, const struct record *r, unsigned extended)
{
    struct rf_gdi_object pen = { .kind = RF_GDI_PEN,
                                 .style = u32(r, extended ? 28 : 12),
                                 .width = i32(r, extended ? 32 : 16),
                                 .colour = u32(r, extended ? 40 : 24) };

    if (extended && !(pen.style & RF_GDI_GEOMETRIC))
        pen.width = 0;
    if (extended && u32(r, 36) == RF_GDI_NULL_BRUSH)
        pen.style = RF_GDI_NULL_PEN;
    if (extended && (pen.style & 15) == RF_GDI_OWN_DASHES)
        while (pen.dash_n < u32(r, 48) && pen.dash_n < RF_GDI_MAX_DASHES) {
            pen.dashes[pen.dash_n] = (float)u32(r, 52 + (size_t)pen.dash_n * 4);
            pen.dash_n++;
        }
    *slot(g, r) = pen;
}

static void create_brush(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    *slot(g, r) = (struct rf_gdi_object){
        .kind = RF_GDI_BRUSH, .style = u32(r, 12), .colour = u32(r, 16), .hatch = u32(r, 20)
    };
}

static void create_pattern(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    uint32_t mean = rf_gdi_mean(g, piece(r, 16, 20), piece(r, 24, 28));
    *slot(g, r) = (struct rf_gdi_object){ .kind = RF_GDI_BRUSH, .colour = mean };
}

static void create_font(struct rf_gdi *g, const struct record *r, unsigned how)
{
    struct rf_str face = { (const char *)r->p + 40, 0 };

    (void)how;
    for (; face.n < 64 && i16(r, 40 + face.n) != 0; face.n += 2)
        ;
    *slot(g, r) = (struct rf_gdi_object){
        .kind = RF_GDI_FONT,
        .height = i32(r, 12),
        .escapement = i32(r, 20),
        .weight = (int)i32(r, 28),
        .italic = u8(r, 32),
        .underline = u8(r, 33),
        .struck = u8(r, 34),
        .charset = u8(r, 35),
        .family = u8(r, 39),
        .face = face.n ? rf_utf16le_utf8(g->arena, face) : face,
    };
}

/* An object of the file, or one that every device context has from the start. */
static const struct rf_gdi_object *object(const struct rf_gdi *g, uint32_t i)
{
    static const struct rf_gdi_object stock[] = {
        { RF_GDI_BRUSH, .colour = 0xffffff },     { RF_GDI_BRUSH, .colour = 0xc0c0c0 },
        { RF_GDI_BRUSH, .colour = 0x808080 },     { RF_GDI_BRUSH, .colour = 0x404040 },
        { RF_GDI_BRUSH, .colour = 0x000000 },     { RF_GDI_BRUSH, .style = RF_GDI_NULL_BRUSH },
        { RF_GDI_PEN, .colour = 0xffffff },       { RF_GDI_PEN, .colour = 0x000000 },
        { RF_GDI_PEN, .style = RF_GDI_NULL_PEN },
    };
    static const struct rf_gdi_object font = { RF_GDI_FONT, .height = 12, .weight = 400 };
    static const struct rf_gdi_object none;
    uint32_t which = i & ~STOCK;

    if (!(i & STOCK))
        return &g->objects[i < g->object_n ? i : g->object_n];
    if (which < sizeof stock / sizeof *stock)
        return &stock[which];
    if (which == DC_BRUSH || which == DC_PEN)
        return &stock[which == DC_BRUSH ? 0 : 7];
    return which >= 10 && which <= 17 ? &font : &none;
}

static void select_object(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    rf_gdi_select(g, object(g, u32(r, 8)));
}

static void delete_object(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    *slot(g, r) = (struct rf_gdi_object){ 0 };
}

/* Lines */

static double coordinate(const struct record *r, size_t first, uint64_t i, unsigned how)
{
    return how & SMALL ? i16(r, first + i * 2) : i32(r, first + i * 4);
}

/* `count` points from the one of number `from`; what is not there was checked. */
static void add_points(struct rf_gdi *g, const struct record *r, size_t first, uint64_t from,
                       uint64_t count, unsigned how)
{
    uint64_t i = 0;

    if (!(how & ON) && count) {
        rf_gdi_move(g, coordinate(r, first, from * 2, how),
                    coordinate(r, first, from * 2 + 1, how));
        i = 1;
    }
    while (i < count) {
        double xy[6];
        uint64_t n = how & CURVES ? 3 : 1;
        if (count - i < n) {
            g->lost = true;
            break;
        }
        for (uint64_t k = 0; k < n * 2; k++)
            xy[k] = coordinate(r, first, (from + i) * 2 + k, how);
        if (how & CURVES)
            rf_gdi_curve(g, xy);
        else
            rf_gdi_line(g, xy[0], xy[1]);
        i += n;
    }
    if (how & SHUT)
        rf_gdi_close(g);
}

static uint64_t points_there(const struct record *r, size_t first, unsigned how)
{
    return first < r->n ? (r->n - first) / (how & SMALL ? 4 : 8) : 0;
}

static uint64_t at_most(struct rf_gdi *g, uint64_t count, uint64_t there)
{
    g->lost = g->lost || count > there;
    return count < there ? count : there;
}

static void lines(struct rf_gdi *g, const struct record *r, unsigned how)
{
    uint64_t count = at_most(g, u32(r, 24), points_there(r, 28, how));

    rf_gdi_begin(g);
    if (how & ON && !g->in_path)
        rf_gdi_move(g, g->dc.x, g->dc.y);
    add_points(g, r, 28, 0, count, how);
    rf_gdi_end(g, how & SHUT ? RF_GDI_FILL | RF_GDI_STROKE : RF_GDI_STROKE);
}

static void many_lines(struct rf_gdi *g, const struct record *r, unsigned how)
{
    uint64_t parts = at_most(g, u32(r, 24), r->n / 4), from = 0;
    size_t first = 32 + (size_t)parts * 4;
    uint64_t there = points_there(r, first, how);
    rf_gdi_begin(g);
    for (uint64_t i = 0; i < parts; i++) {
        uint64_t count = at_most(g, u32(r, 32 + i * 4), there - from);
        add_points(g, r, first, from, count, how);
        from += count;
    }
    rf_gdi_end(g, how & SHUT ? RF_GDI_FILL | RF_GDI_STROKE : RF_GDI_STROKE);
}

/* Each point says what leads to it: a move, a line or, three together, a curve. */
static void mixed_lines(struct rf_gdi *g, const struct record *r, unsigned how)
{
    uint64_t count = at_most(g, u32(r, 24), points_there(r, 28, how));
    double xy[6];
    int held = 0;
    size_t types = 28 + (size_t)count * (how & SMALL ? 4 : 8);
    rf_gdi_begin(g);
    for (uint64_t i = 0; i < count; i++) {
        uint8_t type = u8(r, types + i);
        xy[held] = coordinate(r, 28, i * 2, how);
        xy[held + 1] = coordinate(r, 28, i * 2 + 1, how);
        held = (type & 6) == 4 && held < 4 ? held + 2 : 0;
        if ((type & 6) == 6)
            rf_gdi_move(g, xy[0], xy[1]);
        else if ((type & 6) == 2)
            rf_gdi_line(g, xy[0], xy[1]);
        else if ((type & 6) == 4 && !held)
            rf_gdi_curve(g, xy);
        if (type & 1)
            rf_gdi_close(g);
    }
    rf_gdi_end(g, RF_GDI_STROKE);
}

static void move(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    g->dc.x = i32(r, 8);
    g->dc.y = i32(r, 12);
    if (g->in_path)
        rf_gdi_move(g, g->dc.x, g->dc.y);
}

static void line(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    rf_gdi_begin(g);
    rf_gdi_line(g, i32(r, 8), i32(r, 12));
    rf_gdi_end(g, RF_GDI_STROKE);
}

/* Shapes */

static void rectangle(struct rf_gdi *g, const struct record *r, unsigned rounded)
{
    rf_gdi_begin(g);
    rf_gdi_rectangle(g, box(r, 8), rounded ? i32(r, 24) : 0, rounded ? i32(r, 28) : 0);
    rf_gdi_end(g, RF_GDI_FILL | RF_GDI_STROKE);
}

static void ellipse(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    rf_gdi_begin(g);
    rf_gdi_turn(g, box(r, 8), 0, 2 * M_PI, false);
    rf_gdi_close(g);
    rf_gdi_end(g, RF_GDI_FILL | RF_GDI_STROKE);
}

static void arc(struct rf_gdi *g, const struct record *r, unsigned ending)
{
    const double rays[] = { i32(r, 24), i32(r, 28), i32(r, 32), i32(r, 36) };

    rf_gdi_begin(g);
    rf_gdi_arc(g, box(r, 8), rays, (enum rf_gdi_ending)ending, false);
    rf_gdi_end(g, ending == RF_GDI_OPEN ? RF_GDI_STROKE : RF_GDI_FILL | RF_GDI_STROKE);
}

static void arc_to(struct rf_gdi *g, const struct record *r, unsigned how)
{
    const double rays[] = { i32(r, 24), i32(r, 28), i32(r, 32), i32(r, 36) };

    (void)how;
    rf_gdi_begin(g);
    rf_gdi_arc(g, box(r, 8), rays, RF_GDI_OPEN, true);
    rf_gdi_end(g, RF_GDI_STROKE);
}

static void angle_arc(struct rf_gdi *g, const struct record *r, unsigned how)
{
    double x = i32(r, 8), y = i32(r, 12), size = u32(r, 16);
    double from = -f32(r, 20) * M_PI / 180, sweep = -f32(r, 24) * M_PI / 180;

    (void)how;
    rf_gdi_begin(g);
    rf_gdi_turn(g, (struct rf_box){ x - size, y - size, x + size, y + size }, from, sweep, true);
    rf_gdi_end(g, RF_GDI_STROKE);
}

static void pixel(struct rf_gdi *g, const struct record *r, unsigned how)
{
    double x = i32(r, 8), y = i32(r, 12);

    (void)how;
    rf_gdi_fill_box(g, (struct rf_box){ x, y, x + 1, y + 1 }, u32(r, 16));
}

/* Paths and clipping */

static void begin_path(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)r;
    (void)how;
    g->in_path = false;
    rf_gdi_begin(g);
    g->in_path = true;
}

static void end_path(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)r;
    (void)how;
    g->in_path = false;
}

static void close_figure(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)r;
    (void)how;
    rf_gdi_close(g);
}

static void paint_path(struct rf_gdi *g, const struct record *r, unsigned paint)
{
    (void)r;
    g->in_path = false;
    rf_gdi_paint_path(g, paint);
    rf_gdi_begin(g);
}

static void clip_path(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)how;
    g->in_path = false;
    rf_gdi_clip_path(g, (enum rf_gdi_combine)u32(r, 8));
    rf_gdi_begin(g);
}

static void clip_box(struct rf_gdi *g, const struct record *r, unsigned hole)
{
    if (hole)
        rf_gdi_clip_hole(g, box(r, 8));
    else
        rf_gdi_clip_box(g, box(r, 8));
}

static size_t boxes_there(struct rf_gdi *g, const struct record *r, size_t at)
{
    size_t there = r->n > at + 32 ? (r->n - at - 32) / 16 : 0;
    return (size_t)at_most(g, u32(r, at + 8), there);
}

/* The rectangles of a region as the path. */
static void add_region(struct rf_gdi *g, const struct record *r, size_t at)
{
    size_t n = boxes_there(g, r, at);

    rf_gdi_begin(g);
    for (size_t i = 0; i < n; i++)
        rf_gdi_rectangle(g, box(r, at + 32 + i * 16), 0, 0);
}

/* Its rectangles are pixels of the device. */
static void clip_region(struct rf_gdi *g, const struct record *r, unsigned how)
{
    struct rf_gdi_dc kept = g->dc;
    uint32_t mode = u32(r, 12);
    size_t n = boxes_there(g, r, 16);

    (void)how;
    if (mode == RF_GDI_COPY && !n) {
        rf_gdi_unclip(g);
        return;
    }
    if (mode == RF_GDI_COPY && n == 1) {
        rf_gdi_clip_device(g, box(r, 48));
        return;
    }
    g->dc.world = (struct rf_matrix){ 1, 0, 0, 1, 0, 0 };
    g->dc.map_mode = RF_GDI_TEXT_MODE;
    g->dc.window_x = g->dc.window_y = g->dc.viewport_x = g->dc.viewport_y = 0;
    g->dc.winding = true;
    g->in_path = false;
    add_region(g, r, 16);
    rf_gdi_clip_path(g, (enum rf_gdi_combine)mode);
    kept.clip = g->dc.clip;
    kept.depth = g->dc.depth;
    kept.box = g->dc.box;
    g->dc = kept;
}

static void fill_region(struct rf_gdi *g, const struct record *r, unsigned at)
{
    struct rf_gdi_object kept = g->dc.brush;
    const struct rf_gdi_object *brush = at == 28 ? &kept : object(g, u32(r, 28));

    if (brush->kind != RF_GDI_BRUSH) {
        g->lost = true;
        return;
    }
    g->dc.brush = *brush;
    add_region(g, r, at);
    rf_gdi_end(g, RF_GDI_FILL);
    g->dc.brush = kept;
}

/* Texts */

static void put_text(struct rf_gdi *g, const struct record *r, struct rf_gdi_text *t, size_t at,
                     size_t count, bool wide)
{
    size_t n = wide ? count * 2 : count;

    if (at > r->n || n > r->n - at || count > MAX_TEXT) {
        g->lost = true;
        return;
    }
    struct rf_str bytes = { (const char *)r->p + at, n };
    t->utf8 = wide ? rf_utf16le_utf8(g->arena, bytes) : rf_gdi_utf8(g, bytes);
    rf_gdi_text(g, t);
}

static const double *steps_of(struct rf_gdi *g, const struct record *r, size_t at, size_t count,
                              size_t each)
{
    if (!at || count > MAX_TEXT || at > r->n || count * each > r->n - at)
        return NULL;
    double *steps = rf_arena_alloc(g->arena, (count + 1) * sizeof *steps);
    for (size_t i = 0; i < count; i++)
        steps[i] = i32(r, at + i * each);
    return steps;
}

static void text(struct rf_gdi *g, const struct record *r, unsigned wide)
{
    size_t count = u32(r, 44);
    uint32_t options = u32(r, 52);
    bool pairs = options & 0x2000; /* a step is x and y */
    struct rf_gdi_text t = {
        .x = i32(r, 36),
        .y = i32(r, 40),
        .options = options,
        .box = box(r, 56),
        .steps = steps_of(g, r, u32(r, 72), count, pairs ? 8 : 4),
        .step_n = count,
    };

    if (options & 0x10) /* numbers of glyphs in a font that is not here */
        g->lost = true;
    else
        put_text(g, r, &t, u32(r, 48), count, wide);
}

static void small_text(struct rf_gdi *g, const struct record *r, unsigned how)
{
    uint32_t options = u32(r, 20);
    bool has_box = !(options & 0x100), narrow = options & 0x200;
    struct rf_gdi_text t = { .x = i32(r, 8), .y = i32(r, 12), .box = box(r, 36) };

    (void)how;
    t.options = has_box ? options : 0;
    put_text(g, r, &t, has_box ? 52 : 36, u32(r, 16), !narrow);
}

/* Pictures */

enum blit { COPY, STRETCH, BLEND, KEY };

static void blit(struct rf_gdi *g, const struct record *r, unsigned how)
{
    struct rf_gdi_blit b = {
        .header = piece(r, 84, 88),
        .bits = piece(r, 92, 96),
        .x = i32(r, 24),
        .y = i32(r, 28),
        .w = i32(r, 32),
        .h = i32(r, 36),
        .from_x = i32(r, 44),
        .from_y = i32(r, 48),
        .rop = how == BLEND || how == KEY ? RF_GDI_SRCCOPY : u32(r, 40),
        .alpha = how == BLEND ? u8(r, 42) : -1,
        .own_alpha = how == BLEND && u8(r, 43),
        .key = how == KEY ? (int64_t)(u32(r, 40) & 0xffffff) : -1,
    };

    if (how == COPY) {
        b.from_w = b.from_x != 0 || b.from_y != 0 ? b.w : 0;
        b.from_h = b.h;
    } else {
        b.from_w = i32(r, 100);
        b.from_h = i32(r, 104);
    }
    rf_gdi_blit(g, &b);
}

static void dib(struct rf_gdi *g, const struct record *r, unsigned stretch)
{
    struct rf_gdi_blit b = {
        .header = piece(r, 48, 52),
        .bits = piece(r, 56, 60),
        .x = i32(r, 24),
        .y = i32(r, 28),
        .w = i32(r, stretch ? 72 : 40),
        .h = i32(r, stretch ? 76 : 44),
        .from_x = i32(r, 32),
        .from_y = i32(r, 36),
        .from_w = i32(r, 40),
        .from_h = i32(r, 44),
        .rop = stretch ? u32(r, 68) : RF_GDI_SRCCOPY,
        .bottom_up = true,
        .alpha = -1,
        .key = -1,
    };

    rf_gdi_blit(g, &b);
}

/* Gradients: rectangles in strips of one colour; of a triangle, the mean of its corners. */

#define STRIPS 32

struct vertex {
    double x, y, colour[3];
};

static struct vertex vertex(const struct record *r, uint32_t i)
{
    size_t at = 36 + (size_t)i * 16;
    struct vertex v = { .x = i32(r, at), .y = i32(r, at + 4) };

    for (size_t c = 0; c < 3; c++)
        v.colour[c] = u8(r, at + 9 + c * 2);
    return v;
}

static uint32_t mixed(const struct vertex *a, const struct vertex *b, double share)
{
    uint32_t colour = 0;

    for (int c = 0; c < 3; c++)
        colour |= (uint32_t)(a->colour[c] + (b->colour[c] - a->colour[c]) * share) << 8 * c;
    return colour;
}

static void fill_strips(struct rf_gdi *g, const struct vertex *a, const struct vertex *b, bool down)
{
    struct vertex end = *b;

    for (int i = 0; i < STRIPS; i++) {
        struct rf_box at = { a->x, a->y, end.x, end.y };
        *(down ? &at.top : &at.left) += i * (down ? end.y - a->y : end.x - a->x) / STRIPS;
        rf_gdi_fill_box(g, at, mixed(a, b, (i + 0.5) / STRIPS));
    }
}

static void fill_triangle(struct rf_gdi *g, const struct vertex v[3])
{
    struct rf_gdi_object kept = g->dc.brush;
    struct vertex half = v[0];

    for (int c = 0; c < 3; c++)
        half.colour[c] = (v[0].colour[c] + v[1].colour[c]) / 2;
    g->dc.brush = (struct rf_gdi_object){ RF_GDI_BRUSH, .colour = mixed(&half, &v[2], 1.0 / 3) };
    rf_gdi_begin(g);
    rf_gdi_move(g, v[0].x, v[0].y);
    rf_gdi_line(g, v[1].x, v[1].y);
    rf_gdi_line(g, v[2].x, v[2].y);
    rf_gdi_close(g);
    rf_gdi_end(g, RF_GDI_FILL);
    g->dc.brush = kept;
}

static void gradient(struct rf_gdi *g, const struct record *r, unsigned how)
{
    uint64_t vertices = u32(r, 24), shapes = u32(r, 28);
    uint32_t mode = u32(r, 32), corners = mode == 2 ? 3 : 2;

    (void)how;
    if (vertices > r->n / 16 || shapes > r->n / (4 * corners)) {
        g->lost = true;
        return;
    }
    for (uint64_t i = 0; i < shapes; i++) {
        struct vertex v[3] = { 0 };
        for (uint32_t k = 0; k < corners; k++)
            v[k] = vertex(r, u32(r, 36 + vertices * 16 + (i * corners + k) * 4) % 65536);
        if (corners == 3)
            fill_triangle(g, v);
        else
            fill_strips(g, &v[0], &v[1], mode == 1);
    }
}

static void lose(struct rf_gdi *g, const struct record *r, unsigned how)
{
    (void)r;
    (void)how;
    g->lost = true;
}

/* All records that draw or say how. The others are about palettes, hints and printers. */
static const struct {
    uint32_t type;
    void (*play)(struct rf_gdi *g, const struct record *r, unsigned how);
    unsigned how;
} plays[] = {
    { 2, lines, CURVES },
    { 3, lines, SHUT },
    { 4, lines, 0 },
    { 5, lines, CURVES | ON },
    { 6, lines, ON },
    { 7, many_lines, 0 },
    { 8, many_lines, SHUT },
    { 9, window_extent, 0 },
    { 10, window_origin, 0 },
    { 11, viewport_extent, 0 },
    { 12, viewport_origin, 0 },
    { 15, pixel, 0 },
    { 17, set, MAP_MODE },
    { 18, set, BACK_MODE },
    { 19, set, FILL_MODE },
    { 20, set, ROP },
    { 22, set, ALIGN },
    { 24, set, TEXT_COLOUR },
    { 25, set, BACK_COLOUR },
    { 26, lose, 0 },
    { 27, move, 0 },
    { 29, clip_box, true },
    { 30, clip_box, false },
    { 31, scale_extent, false },
    { 32, scale_extent, true },
    { 33, save, 0 },
    { 34, restore, 0 },
    { 35, set_world, false },
    { 36, set_world, true },
    { 37, select_object, 0 },
    { 38, create_pen, false },
    { 39, create_brush, 0 },
    { 40, delete_object, 0 },
    { 41, angle_arc, 0 },
    { 42, ellipse, 0 },
    { 43, rectangle, false },
    { 44, rectangle, true },
    { 45, arc, RF_GDI_OPEN },
    { 46, arc, RF_GDI_CHORD },
    { 47, arc, RF_GDI_PIE },
    { 53, lose, 0 },
    { 54, line, 0 },
    { 55, arc_to, 0 },
    { 56, mixed_lines, 0 },
    { 57, set, TURN },
    { 58, set, MITER },
    { 59, begin_path, 0 },
    { 60, end_path, 0 },
    { 61, close_figure, 0 },
    { 62, paint_path, RF_GDI_FILL },
    { 63, paint_path, RF_GDI_FILL | RF_GDI_STROKE },
    { 64, paint_path, RF_GDI_STROKE },
    { 67, clip_path, 0 },
    { 68, begin_path, 0 },
    { 71, fill_region, 32 },
    { 72, lose, 0 },
    { 73, lose, 0 },
    { 74, fill_region, 28 },
    { 75, clip_region, 0 },
    { 76, blit, COPY },
    { 77, blit, STRETCH },
    { 78, blit, COPY },
    { 79, lose, 0 },
    { 80, dib, false },
    { 81, dib, true },
    { 82, create_font, 0 },
    { 83, text, false },
    { 84, text, true },
    { 85, lines, SMALL | CURVES },
    { 86, lines, SMALL | SHUT },
    { 87, lines, SMALL },
    { 88, lines, SMALL | CURVES | ON },
    { 89, lines, SMALL | ON },
    { 90, many_lines, SMALL },
    { 91, many_lines, SMALL | SHUT },
    { 92, mixed_lines, SMALL },
    { 93, create_pattern, 0 },
    { 94, create_pattern, 0 },
    { 95, create_pen, true },
    { 108, small_text, 0 },
    { 114, blit, BLEND },
    { 116, blit, KEY },
    { 118, gradient, 0 },
};

static void play(struct rf_gdi *g, const struct record *r, uint32_t type)
{
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++)
        if (plays[i].type == type)
            plays[i].play(g, r, plays[i].how);
}

/* The paper is the frame, in pixels of the device that it was drawn for. */
static void take_header(struct rf_gdi *g, const struct record *r)
{
    struct rf_box frame = box(r, 24), bounds = box(r, 8);
    double width = i32(r, 72), height = i32(r, 76), mm_x = i32(r, 80), mm_y = i32(r, 84);

    size_t n = u32(r, 64) ? u32(r, 64) : r->n; /* where the words begin that describe it */

    if (n >= LONGER_HEADER && u32(r, 100) && u32(r, 104)) {
        mm_x = u32(r, 100) / 1000.0;
        mm_y = u32(r, 104) / 1000.0;
    }
    if (width > 0 && height > 0 && mm_x > 0 && mm_y > 0) {
        g->pixel_x = mm_x / width;
        g->pixel_y = mm_y / height;
    }
    g->measured = g->framed = true;
    g->paper = (struct rf_box){ frame.left / 100 / g->pixel_x, frame.top / 100 / g->pixel_y,
                                frame.right / 100 / g->pixel_x, frame.bottom / 100 / g->pixel_y };
    if (frame.right <= frame.left || frame.bottom <= frame.top)
        g->paper = (struct rf_box){ bounds.left, bounds.top, bounds.right + 1, bounds.bottom + 1 };
}

static bool is_plus(const struct record *r)
{
    return r->n >= 16 && memcmp(r->p + 12, "EMF+", 4) == 0;
}

/* All records; false where they end before the last one. */
static bool play_all(struct rf_gdi *g, struct rf_str bytes, bool *plus)
{
    for (size_t at = 0; rf_has(bytes, at, 8);) {
        struct record r = { rf_bytes_of(bytes) + at, 0 };
        uint32_t type = rf_le32(r.p), n = rf_le32(r.p + 4);
        if (n < 8 || !rf_has(bytes, at, n))
            return false;
        r.n = n;
        if (type == LAST_RECORD)
            return true;
        *plus = *plus || (type == COMMENT && is_plus(&r));
        play(g, &r, type);
        at += n;
    }
    return false;
}

enum rf_code rf_read_emf(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    const uint8_t *p = rf_bytes_of(bytes);
    struct record header;
    struct rf_gdi g;
    bool plus = false;

    if (!rf_has(bytes, 0, HEADER) || rf_le32(p) != HEADER_RECORD || rf_le32(p + 4) < HEADER ||
        !rf_has(bytes, 0, rf_le32(p + 4)))
        return rf_cut(err, "metafile");
    header = (struct record){ p, rf_le32(p + 4) };
    rf_gdi_init(&g, rf_le16(p + 56), a);
    take_header(&g, &header);
    px->cut_off = !play_all(&g, bytes, &plus);
    px->lost = g.lost;
    if (plus && !g.painted && !px->cut_off)
        return rf_fail(err, RF_EUNSUPPORTED,
                       "the metafile is drawn in EMF+ alone, which is not "
                       "read");
    if (px->cut_off && !g.painted)
        return rf_cut(err, "metafile");
    return rf_gdi_finish(&g, &px->inner, err);
}
