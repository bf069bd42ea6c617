/* The device context: gdi.h says what it is. Points become those of the device when they come in,
 * so a path is a piece of SVG from the beginning, and pens are the only thing that has to be
 * scaled. */
#include "worker/image/gdi.h"

#include <math.h>

#define MAX_SVG ((size_t)64 << 20)
#define MAX_PATH ((size_t)32 << 20)
#define MAX_CLIP_DEPTH 32
#define FAR 1e7           /* no coordinate goes further */
#define LINES_A_SIDE 1000 /* a line is at least so thin that this many fit side by side */
#define MOST_PIXELS 2000  /* a drawing without a measure is in pixels up to here */
#define TWIPS 1440        /* an inch, of one that is larger */
#define CSS_INCH 96
#define MAX_SHOWN 20000 /* pixels: libvips shrinks what it draws by 1000 at most */
#define QUARTER 1.5707963267948966

static const struct rf_box everywhere = { -FAR, -FAR, FAR, FAR };
static const struct rf_matrix identity = { 1, 0, 0, 1, 0, 0 };

/* Numbers */

static double bound(double v)
{
    if (!(v > -FAR))
        return -FAR;
    return v < FAR ? v : FAR;
}

/* Without the C library: its decimal point is the locale's. */
void rf_gdi_number(struct rf_buf *b, double v)
{
    long long n = llround(bound(v) * 10000);
    unsigned long long size = n < 0 ? 0ull - (unsigned long long)n : (unsigned long long)n;
    unsigned rest = (unsigned)(size % 10000);
    int digits = 4;

    rf_buf_addf(b, "%s%llu", n < 0 ? "-" : "", size / 10000);
    if (!rest)
        return;
    for (; rest % 10 == 0; rest /= 10)
        digits--;
    rf_buf_addf(b, ".%0*u", digits, rest);
}

static void put_point(struct rf_buf *b, double x, double y)
{
    rf_gdi_number(b, x);
    rf_buf_addc(b, ' ');
    rf_gdi_number(b, y);
}

static void put_attribute(struct rf_buf *b, const char *name, double v)
{
    rf_buf_addf(b, " %s=\"", name);
    rf_gdi_number(b, v);
    rf_buf_addc(b, '"');
}

void rf_gdi_put_matrix(struct rf_buf *b, const struct rf_matrix *m)
{
    const double v[] = { m->a, m->b, m->c, m->d, m->e, m->f };

    rf_buf_addf(b, "matrix(");
    for (size_t i = 0; i < 6; i++) {
        rf_gdi_number(b, v[i]);
        rf_buf_addc(b, i < 5 ? ' ' : ')');
    }
}

void rf_gdi_put_colour(struct rf_buf *b, uint32_t c)
{
    rf_buf_addf(b, "#%02x%02x%02x", c & 255, c >> 8 & 255, c >> 16 & 255);
}

/* The device context */

void rf_gdi_init(struct rf_gdi *g, size_t object_count, struct rf_arena *a)
{
    *g = (struct rf_gdi){ .arena = a, .pixel_x = 0.25, .pixel_y = 0.25 };
    g->object_n = object_count < RF_GDI_MAX_OBJECTS ? object_count : RF_GDI_MAX_OBJECTS;
    g->objects = rf_arena_alloc(a, (g->object_n + 1) * sizeof *g->objects);
    memset(g->objects, 0, (g->object_n + 1) * sizeof *g->objects);
    g->saved = rf_arena_alloc(a, RF_GDI_MAX_SAVED * sizeof *g->saved);
    g->drawn = (struct rf_box){ FAR, FAR, -FAR, -FAR };
    rf_buf_init(&g->body, a, MAX_SVG);
    rf_buf_init(&g->path, a, MAX_PATH);
    g->dc = (struct rf_gdi_dc){
        .world = identity,
        .window_w = 1,
        .window_h = 1,
        .viewport_w = 1,
        .viewport_h = 1,
        .map_mode = RF_GDI_TEXT_MODE,
        .pen = { .kind = RF_GDI_PEN },
        .brush = { .kind = RF_GDI_BRUSH, .colour = 0xffffff },
        .font = { .kind = RF_GDI_FONT, .height = 12, .weight = 400 },
        .back_colour = 0xffffff,
        .opaque = true,
        .rop = 13,
        .miter = 10,
        .box = everywhere,
    };
}

struct rf_matrix rf_matrix_times(const struct rf_matrix *m, const struct rf_matrix *n)
{
    return (struct rf_matrix){
        n->a * m->a + n->c * m->b,        n->b * m->a + n->d * m->b,
        n->a * m->c + n->c * m->d,        n->b * m->c + n->d * m->d,
        n->a * m->e + n->c * m->f + n->e, n->b * m->e + n->d * m->f + n->f,
    };
}

/* Units of the modes 2 to 6 in millimetres: 0.1 mm, 0.01 mm, 0.01 inch, 0.001 inch, a twip. Their
 * y goes up. */
static bool metric_scale(const struct rf_gdi *g, double *x, double *y)
{
    static const double units[] = { 0.1, 0.01, 0.254, 0.0254, 25.4 / TWIPS };

    if (g->dc.map_mode < 2 || g->dc.map_mode > 6)
        return false;
    *x = units[g->dc.map_mode - 2] / g->pixel_x;
    *y = -units[g->dc.map_mode - 2] / g->pixel_y;
    return true;
}

struct rf_matrix rf_gdi_page(const struct rf_gdi *g)
{
    const struct rf_gdi_dc *dc = &g->dc;
    double x = 1, y = 1;

    if (!metric_scale(g, &x, &y) && dc->map_mode != RF_GDI_TEXT_MODE) {
        x = dc->viewport_w / (dc->window_w != 0 ? dc->window_w : 1);
        y = dc->viewport_h / (dc->window_h != 0 ? dc->window_h : 1);
    }
    if (dc->map_mode == RF_GDI_ISOTROPIC) {
        double least = fmin(fabs(x), fabs(y));
        x = copysign(least, x);
        y = copysign(least, y);
    }
    return (struct rf_matrix){
        x, 0, 0, y, dc->viewport_x - x * dc->window_x, dc->viewport_y - y * dc->window_y
    };
}

struct rf_matrix rf_gdi_matrix(const struct rf_gdi *g)
{
    struct rf_matrix page = rf_gdi_page(g);
    return rf_matrix_times(&g->dc.world, &page);
}

void rf_gdi_save(struct rf_gdi *g)
{
    if (g->saved_n == RF_GDI_MAX_SAVED)
        g->lost = true;
    else
        g->saved[g->saved_n++] = g->dc;
}

void rf_gdi_restore(struct rf_gdi *g, int32_t which)
{
    int64_t n = which < 0 ? (int64_t)g->saved_n + which : (int64_t)which - 1;

    if (n < 0 || n >= (int64_t)g->saved_n)
        return;
    g->saved_n = (size_t)n;
    g->dc = g->saved[n];
}

void rf_gdi_select(struct rf_gdi *g, const struct rf_gdi_object *o)
{
    switch (o->kind) {
    case RF_GDI_PEN:
        g->dc.pen = *o;
        break;
    case RF_GDI_BRUSH:
        g->dc.brush = *o;
        break;
    case RF_GDI_FONT:
        g->dc.font = *o;
        break;
    case RF_GDI_NONE:
    case RF_GDI_OTHER:
        break;
    }
}

/* Where things are */

void rf_gdi_touch(struct rf_gdi *g, double x, double y)
{
    g->drawn.left = fmin(g->drawn.left, x);
    g->drawn.top = fmin(g->drawn.top, y);
    g->drawn.right = fmax(g->drawn.right, x);
    g->drawn.bottom = fmax(g->drawn.bottom, y);
}

static void map(const struct rf_gdi *g, double x, double y, double *to_x, double *to_y)
{
    struct rf_matrix m = rf_gdi_matrix(g);

    *to_x = bound(m.a * x + m.c * y + m.e);
    *to_y = bound(m.b * x + m.d * y + m.f);
}

static void add_point(struct rf_gdi *g, double x, double y)
{
    double to_x, to_y;

    map(g, x, y, &to_x, &to_y);
    rf_gdi_touch(g, to_x, to_y);
    put_point(&g->path, to_x, to_y);
}

static void go(struct rf_gdi *g, double x, double y)
{
    g->dc.x = x;
    g->dc.y = y;
}

static bool is_box(const struct rf_box *b)
{
    return b->right > b->left && b->bottom > b->top;
}

static double longest_side(const struct rf_gdi *g)
{
    const struct rf_box *b = is_box(&g->paper) ? &g->paper : &g->drawn;
    return is_box(b) ? fmax(b->right - b->left, b->bottom - b->top) : 0;
}

/* Shapes */

void rf_gdi_begin(struct rf_gdi *g)
{
    if (g->in_path)
        return;
    g->path.n = 0;
    g->path.full = false;
}

void rf_gdi_move(struct rf_gdi *g, double x, double y)
{
    rf_buf_addc(&g->path, 'M');
    add_point(g, x, y);
    go(g, x, y);
}

void rf_gdi_line(struct rf_gdi *g, double x, double y)
{
    if (!g->path.n)
        rf_gdi_move(g, g->dc.x, g->dc.y);
    rf_buf_addc(&g->path, 'L');
    add_point(g, x, y);
    go(g, x, y);
}

void rf_gdi_curve(struct rf_gdi *g, const double xy[6])
{
    if (!g->path.n)
        rf_gdi_move(g, g->dc.x, g->dc.y);
    for (size_t i = 0; i < 6; i += 2) {
        rf_buf_addc(&g->path, i ? ' ' : 'C');
        add_point(g, xy[i], xy[i + 1]);
    }
    go(g, xy[4], xy[5]);
}

void rf_gdi_close(struct rf_gdi *g)
{
    if (g->path.n)
        rf_buf_addc(&g->path, 'Z');
}

void rf_gdi_turn(struct rf_gdi *g, struct rf_box at, double from, double sweep, bool joined)
{
    double x = (at.left + at.right) / 2, y = (at.top + at.bottom) / 2;
    double w = (at.right - at.left) / 2, h = (at.bottom - at.top) / 2;
    int n = (int)ceil(fmin(fabs(sweep), 4 * QUARTER) / QUARTER - 1e-9);
    double step = n > 0 ? sweep / n : 0, k = 4.0 / 3 * tan(step / 4);

    if (joined)
        rf_gdi_line(g, x + w * cos(from), y + h * sin(from));
    else
        rf_gdi_move(g, x + w * cos(from), y + h * sin(from));
    for (int i = 0; i < n; i++, from += step) {
        double end = from + step;
        const double xy[] = {
            x + w * (cos(from) - k * sin(from)),
            y + h * (sin(from) + k * cos(from)),
            x + w * (cos(end) + k * sin(end)),
            y + h * (sin(end) - k * cos(end)),
            x + w * cos(end),
            y + h * sin(end),
        };
        rf_gdi_curve(g, xy);
    }
}

/* Arcs go round against the clock as one sees them, unless the file says otherwise. */
void rf_gdi_arc(struct rf_gdi *g, struct rf_box at, const double rays[4], enum rf_gdi_ending ending,
                bool joined)
{
    struct rf_matrix m = rf_gdi_matrix(g);
    double x = (at.left + at.right) / 2, y = (at.top + at.bottom) / 2;
    double w = (at.right - at.left) / 2, h = (at.bottom - at.top) / 2;
    bool down = (m.a * m.d - m.b * m.c > 0) == g->dc.clockwise; /* towards y */

    if (w == 0 || h == 0)
        return;
    double from = atan2((rays[1] - y) / h, (rays[0] - x) / w);
    double sweep = atan2((rays[3] - y) / h, (rays[2] - x) / w) - from;
    while (down ? sweep <= 0 : sweep >= 0)
        sweep += down ? 4 * QUARTER : -4 * QUARTER;
    rf_gdi_turn(g, at, from, sweep, joined);
    if (ending == RF_GDI_PIE)
        rf_gdi_line(g, x, y);
    if (ending != RF_GDI_OPEN)
        rf_gdi_close(g);
}

/* Each corner is a quarter of an ellipse, where corners are round. */
void rf_gdi_rectangle(struct rf_gdi *g, struct rf_box at, double round_w, double round_h)
{
    double w = fmin(fabs(round_w), fabs(at.right - at.left));
    double h = fmin(fabs(round_h), fabs(at.bottom - at.top));
    w = copysign(w, at.right - at.left);
    h = copysign(h, at.bottom - at.top);
    if (w == 0 || h == 0) {
        rf_gdi_move(g, at.left, at.top);
        rf_gdi_line(g, at.right, at.top);
        rf_gdi_line(g, at.right, at.bottom);
        rf_gdi_line(g, at.left, at.bottom);
    } else {
        const struct rf_box corners[] = {
            { at.right - w, at.bottom - h, at.right, at.bottom },
            { at.left, at.bottom - h, at.left + w, at.bottom },
            { at.left, at.top, at.left + w, at.top + h },
            { at.right - w, at.top, at.right, at.top + h },
        };
        for (int i = 0; i < 4; i++)
            rf_gdi_turn(g, corners[i], i * QUARTER, QUARTER, i > 0);
    }
    rf_gdi_close(g);
}

/* Clipping */

static int open_clip(struct rf_gdi *g, int within)
{
    int id = ++g->next_id;

    rf_buf_addf(&g->body, "<clipPath id=\"c%d\"", id);
    if (within)
        rf_buf_addf(&g->body, " clip-path=\"url(#c%d)\"", within);
    rf_buf_addf(&g->body, ">");
    return id;
}

static void put_rectangle(struct rf_buf *b, const struct rf_box *at)
{
    rf_buf_addf(b, "<rect");
    put_attribute(b, "x", at->left);
    put_attribute(b, "y", at->top);
    put_attribute(b, "width", fmax(0, at->right - at->left));
    put_attribute(b, "height", fmax(0, at->bottom - at->top));
}

/* The path of the last box is kept: most of what follows is in the same. */
static int clip_now(struct rf_gdi *g)
{
    const struct rf_gdi_dc *dc = &g->dc;

    if (memcmp(&dc->box, &everywhere, sizeof everywhere) == 0)
        return dc->clip;
    if (!g->boxed_clip || g->boxed_in != dc->clip ||
        memcmp(&g->boxed, &dc->box, sizeof g->boxed) != 0) {
        g->boxed_clip = open_clip(g, dc->clip);
        g->boxed_in = dc->clip;
        g->boxed = dc->box;
        put_rectangle(&g->body, &dc->box);
        rf_buf_addf(&g->body, "/></clipPath>");
    }
    return g->boxed_clip;
}

void rf_gdi_unclip(struct rf_gdi *g)
{
    g->dc.clip = g->dc.depth = 0;
    g->dc.box = everywhere;
}

void rf_gdi_clip_path(struct rf_gdi *g, enum rf_gdi_combine how)
{
    bool evenodd = !g->dc.winding;

    if (how == RF_GDI_COPY)
        rf_gdi_unclip(g);
    else if (how != RF_GDI_AND || g->dc.depth >= MAX_CLIP_DEPTH)
        g->lost = true;
    if (how == RF_GDI_OR || how == RF_GDI_XOR || how == RF_GDI_DIFFERENCE ||
        g->dc.depth >= MAX_CLIP_DEPTH)
        return;
    g->dc.clip = open_clip(g, g->dc.clip);
    g->dc.depth++;
    rf_buf_addf(&g->body, "<path%s d=\"", evenodd ? " clip-rule=\"evenodd\"" : "");
    rf_buf_add(&g->body, (struct rf_str){ g->path.p, g->path.n });
    rf_buf_addf(&g->body, "\"/></clipPath>");
}

static bool is_upright(const struct rf_matrix *m)
{
    return m->b == 0 && m->c == 0;
}

static struct rf_box mapped(const struct rf_gdi *g, struct rf_box at)
{
    struct rf_box to;
    double x, y;

    map(g, at.left, at.top, &to.left, &to.top);
    map(g, at.right, at.bottom, &x, &y);
    to.right = fmax(x, to.left);
    to.left = fmin(x, to.left);
    to.bottom = fmax(y, to.top);
    to.top = fmin(y, to.top);
    return to;
}

void rf_gdi_clip_device(struct rf_gdi *g, struct rf_box at)
{
    rf_gdi_unclip(g);
    g->dc.box = at;
}

void rf_gdi_clip_box(struct rf_gdi *g, struct rf_box at)
{
    struct rf_matrix m = rf_gdi_matrix(g);
    struct rf_buf kept = g->path;
    struct rf_box to, *now = &g->dc.box;

    if (is_upright(&m)) {
        to = mapped(g, at);
        *now = (struct rf_box){ fmax(now->left, to.left), fmax(now->top, to.top),
                                fmin(now->right, to.right), fmin(now->bottom, to.bottom) };
        return;
    }
    rf_buf_init(&g->path, g->arena, MAX_PATH);
    rf_gdi_rectangle(g, at, 0, 0);
    rf_gdi_clip_path(g, RF_GDI_AND);
    g->path = kept;
}

void rf_gdi_clip_hole(struct rf_gdi *g, struct rf_box at)
{
    struct rf_buf kept = g->path;
    bool winding = g->dc.winding;

    rf_buf_init(&g->path, g->arena, MAX_PATH);
    rf_buf_addf(&g->path, "M-9999999 -9999999H9999999V9999999H-9999999Z");
    rf_gdi_rectangle(g, at, 0, 0);
    g->dc.winding = false;
    rf_gdi_clip_path(g, RF_GDI_AND);
    g->dc.winding = winding;
    g->path = kept;
}

/* Painting */

/* How a pen or brush meets what is there (ROP2), as far as SVG can say it. */
static const struct operation {
    const char *blend;
    enum { AS_IT_IS, BLACK, WHITE, NEGATIVE } colour;
    bool lost;
} operations[] = {
    [1] = { .colour = BLACK },
    [2] = { .lost = true },
    [3] = { .blend = "multiply", .colour = NEGATIVE },
    [4] = { .colour = NEGATIVE },
    [5] = { .lost = true },
    [6] = { .blend = "difference", .colour = WHITE },
    [7] = { .blend = "difference" },
    [8] = { .lost = true },
    [9] = { .blend = "multiply" },
    [10] = { .blend = "difference", .colour = NEGATIVE },
    [12] = { .blend = "screen", .colour = NEGATIVE },
    [14] = { .lost = true },
    [15] = { .blend = "screen" },
    [16] = { .colour = WHITE },
};

static const struct operation *operation(const struct rf_gdi *g)
{
    size_t count = sizeof operations / sizeof *operations;
    return &operations[g->dc.rop < count ? g->dc.rop : 0];
}

void rf_gdi_element(struct rf_gdi *g, const char *name, const char *blend)
{
    int clip = clip_now(g);

    g->wrapped = clip || blend;
    if (g->wrapped)
        rf_buf_addf(&g->body, "<g");
    if (clip)
        rf_buf_addf(&g->body, " clip-path=\"url(#c%d)\"", clip);
    if (blend)
        rf_buf_addf(&g->body, " style=\"mix-blend-mode:%s\"", blend);
    rf_buf_addf(&g->body, "%s<%s", g->wrapped ? ">" : "", name);
    g->painted++;
}

void rf_gdi_element_end(struct rf_gdi *g)
{
    rf_buf_addf(&g->body, "%s\n", g->wrapped ? "</g>" : "");
}

static uint32_t with_rop(const struct rf_gdi *g, uint32_t colour)
{
    const uint32_t colours[] = {
        [AS_IT_IS] = colour, [BLACK] = 0, [WHITE] = 0xffffff, [NEGATIVE] = ~colour
    };
    return colours[operation(g)->colour];
}

/* Lines of 1 in squares of 8, as thick as the thinnest line is. */
static int add_hatch(struct rf_gdi *g, const struct rf_gdi_object *brush)
{
    static const char *const lines[] = { "M0 4H8",   "M4 0V8",       "M0 0L8 8",
                                         "M0 8L8 0", "M0 4H8M4 0V8", "M0 0L8 8M0 8L8 0" };
    double unit = longest_side(g) / LINES_A_SIDE;
    int id = ++g->next_id;

    rf_buf_addf(&g->body,
                "<pattern id=\"h%d\" width=\"8\" height=\"8\" "
                "patternUnits=\"userSpaceOnUse\" patternTransform=\"scale(",
                id);
    rf_gdi_number(&g->body, unit > 0 ? unit : 1);
    rf_buf_addf(&g->body, ")\">");
    if (g->dc.opaque) {
        rf_buf_addf(&g->body, "<rect width=\"8\" height=\"8\" fill=\"");
        rf_gdi_put_colour(&g->body, with_rop(g, g->dc.back_colour));
        rf_buf_addf(&g->body, "\"/>");
    }
    rf_buf_addf(&g->body, "<path d=\"%s\" stroke=\"", lines[brush->hatch % 6]);
    rf_gdi_put_colour(&g->body, with_rop(g, brush->colour));
    rf_buf_addf(&g->body, "\"/></pattern>");
    return id;
}

static void put_fill(struct rf_gdi *g, int hatch)
{
    rf_buf_addf(&g->body, " fill=\"");
    if (hatch)
        rf_buf_addf(&g->body, "url(#h%d)", hatch);
    else
        rf_gdi_put_colour(&g->body, with_rop(g, g->dc.brush.colour));
    rf_buf_addf(&g->body, "\"%s", g->dc.winding ? "" : " fill-rule=\"evenodd\"");
}

/* How long a logical unit is, in those of the device. */
static double unit(const struct rf_gdi *g)
{
    struct rf_matrix m = rf_gdi_matrix(g);
    return sqrt(fabs(m.a * m.d - m.b * m.c));
}

static double pen_width(const struct rf_gdi *g)
{
    return fmax(fabs(g->dc.pen.width) * unit(g), longest_side(g) / LINES_A_SIDE);
}

static void put_own_dashes(struct rf_gdi *g)
{
    const struct rf_gdi_object *pen = &g->dc.pen;

    rf_buf_addf(&g->body, " stroke-dasharray=\"");
    for (size_t i = 0; i < pen->dash_n; i++) {
        rf_gdi_number(&g->body, (double)pen->dashes[i] * unit(g));
        rf_buf_addc(&g->body, ' ');
    }
    rf_buf_addf(&g->body, "\"");
}

/* Dashes in widths of the pen, by its style. */
static void put_dashes(struct rf_gdi *g, double width)
{
    static const char *const dashes[] = { "", "4 2", "1 2", "4 2 1 2", "4 2 1 2 1 2" };
    struct rf_str rest, one;
    uint32_t style = g->dc.pen.style & 15;

    if (style == RF_GDI_OWN_DASHES && g->dc.pen.dash_n)
        put_own_dashes(g);
    if (style < 1 || style > 4)
        return;
    rest = rf_str(dashes[style]);
    rf_buf_addf(&g->body, " stroke-dasharray=\"");
    while (rf_str_split(&rest, ' ', &one)) {
        rf_gdi_number(&g->body, (one.p[0] - '0') * width);
        rf_buf_addc(&g->body, ' ');
    }
    rf_buf_addf(&g->body, "\"");
}

static void put_stroke(struct rf_gdi *g)
{
    static const char *const caps[] = { "round", "square", "butt" };
    static const char *const joins[] = { "round", "bevel", "miter" };
    uint32_t style = g->dc.pen.style, cap = style >> 8 & 15, join = style >> 12 & 15;
    double width = pen_width(g);

    rf_buf_addf(&g->body, " stroke=\"");
    rf_gdi_put_colour(&g->body, with_rop(g, g->dc.pen.colour));
    rf_buf_addf(&g->body, "\" stroke-linecap=\"%s\" stroke-linejoin=\"%s\"",
                style & 15 ? "butt" : caps[cap < 3 ? cap : 0], joins[join < 3 ? join : 0]);
    put_attribute(&g->body, "stroke-width", width);
    if (join == 2)
        put_attribute(&g->body, "stroke-miterlimit", fmax(1, g->dc.miter));
    put_dashes(g, width);
}

void rf_gdi_paint_path(struct rf_gdi *g, unsigned paint)
{
    const struct rf_gdi_dc *dc = &g->dc;
    bool fill = paint & RF_GDI_FILL && dc->brush.style != RF_GDI_NULL_BRUSH;
    bool stroke = paint & RF_GDI_STROKE && (dc->pen.style & 15) != RF_GDI_NULL_PEN;
    int hatch = fill && dc->brush.style == RF_GDI_HATCHED ? add_hatch(g, &dc->brush) : 0;

    if ((!fill && !stroke) || !g->path.n || dc->rop == 11 /* nothing is drawn */)
        return;
    rf_gdi_element(g, "path", operation(g)->blend);
    if (fill)
        put_fill(g, hatch);
    else
        rf_buf_addf(&g->body, " fill=\"none\"");
    if (stroke)
        put_stroke(g);
    rf_buf_addf(&g->body, " d=\"");
    rf_buf_add(&g->body, (struct rf_str){ g->path.p, g->path.n });
    rf_buf_addf(&g->body, "\"/>");
    rf_gdi_element_end(g);
    g->lost = g->lost || g->path.full || operation(g)->lost;
}

void rf_gdi_end(struct rf_gdi *g, unsigned paint)
{
    if (!g->in_path)
        rf_gdi_paint_path(g, paint);
}

void rf_gdi_fill_box(struct rf_gdi *g, struct rf_box at, uint32_t colour)
{
    const double corners[] = { at.left,  at.top,    at.right, at.top,
                               at.right, at.bottom, at.left,  at.bottom };

    rf_gdi_element(g, "path", NULL);
    rf_buf_addf(&g->body, " fill=\"");
    rf_gdi_put_colour(&g->body, colour);
    rf_buf_addf(&g->body, "\" d=\"");
    for (size_t i = 0; i < 8; i += 2) {
        double x, y;
        map(g, corners[i], corners[i + 1], &x, &y);
        rf_gdi_touch(g, x, y);
        rf_buf_addc(&g->body, i ? 'L' : 'M');
        put_point(&g->body, x, y);
    }
    rf_buf_addf(&g->body, "Z\"/>");
    rf_gdi_element_end(g);
}

/* The whole */

/* In pixels of CSS. */
static double shown(const struct rf_gdi *g, double units, double pixel)
{
    double inch = longest_side(g) > MOST_PIXELS ? TWIPS : CSS_INCH;

    if (g->measured)
        return fmax(1, units * pixel / 25.4 * CSS_INCH);
    return fmax(1, units / (g->units_an_inch > 0 ? g->units_an_inch : inch) * CSS_INCH);
}

enum rf_code rf_gdi_finish(struct rf_gdi *g, struct rf_str *svg, struct rf_err *err)
{
    struct rf_box *paper = &g->paper;
    struct rf_buf out;
    struct rf_str body;
    enum rf_code rc = rf_buf_finish(&g->body, &body, err);

    if (rc)
        return rc;
    if (!is_box(paper))
        *paper = g->drawn;
    if (!g->painted || !is_box(paper))
        return rf_fail(err, RF_EFORMAT, "nothing is drawn in it");
    rf_buf_init(&out, g->arena, MAX_SVG + 4096);
    rf_buf_addf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                      "xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
    double width = shown(g, paper->right - paper->left, g->pixel_x);
    double height = shown(g, paper->bottom - paper->top, g->pixel_y);
    double shrink = fmin(1, MAX_SHOWN / fmax(width, height));
    put_attribute(&out, "width", fmax(1, width * shrink));
    put_attribute(&out, "height", fmax(1, height * shrink));
    rf_buf_addf(&out, " viewBox=\"");
    put_point(&out, paper->left, paper->top);
    rf_buf_addc(&out, ' ');
    put_point(&out, paper->right - paper->left, paper->bottom - paper->top);
    rf_buf_addf(&out, "\" preserveAspectRatio=\"none\">\n");
    put_rectangle(&out, paper);
    rf_buf_addf(&out, " fill=\"#fff\"/>\n");
    rf_buf_add(&out, body);
    rf_buf_addf(&out, "</svg>\n");
    return rf_buf_finish(&out, svg, err);
}
