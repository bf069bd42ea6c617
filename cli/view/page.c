/* The screen of the viewer: a picture or rows of text, and a line at the bottom that says where one
 * is. It is written in one piece, and everything in it that comes out of a file is harmless:
 * pictures by the library's word, text by rf_cells_clean. */
#include "view/viewer.h"

#include <string.h>

#include "advice.h"
#include "report.h"
#include "term/cells.h"

static const char *const help[] = {
    "Right, Space, PgDn   next page            Left, b, PgUp   previous page",
    "Home, End            first, last page     g               jump to a page",
    "+, -, 0              zoom in, out, all    arrows          move in what is zoomed or long",
    "/                    search               n, N            next, previous match",
    "t                    text or looks        q, Escape       leave",
};

int rf_view_height(const struct rf_viewer *v)
{
    return v->tty->rows > 1 ? v->tty->rows - 1 : 1;
}

static enum rf_graphics graphics_of(const struct rf_viewer *v)
{
    return v->options.graphics_chosen ? v->options.graphics : rf_tty_graphics(v->tty);
}

static void move_to(struct rf_buffer *out, int row, int column)
{
    rf_buffer_print(out, "\033[%d;%dH", row + 1, column + 1);
}

void rf_view_wipe(struct rf_viewer *v)
{
    if (graphics_of(v) == RF_GRAPHICS_KITTY)
        rf_buffer_text(&v->out, "\033_Ga=d,d=A,q=2\033\\");
    rf_buffer_text(&v->out, "\033[H\033[2J");
}

/* Status */

static void add_place(struct rf_viewer *v, struct rf_buffer *line)
{
    size_t count = rf_preview_count(v->preview);
    struct rf_str name = rf_preview_page_name(v->preview, v->page);
    rf_cells_clean(line, rf_preview_name(v->preview));
    if (count > 1)
        rf_buffer_print(line, "  %s %zu of %zu", rf_preview_word(v->preview), v->page + 1, count);
    if (count > 1 && name.n) {
        rf_buffer_text(line, " (");
        rf_cells_clean(line, name);
        rf_buffer_text(line, ")");
    }
    if (v->as_text && v->row_count)
        rf_buffer_print(line, "  line %zu of %zu", v->top + 1, v->row_count);
    else if (!v->as_text && v->zoom != 100)
        rf_buffer_print(line, "  %d %%", v->zoom);
}

/* A page of a document in blocks: that is unreadable. */
static bool is_illegible(const struct rf_viewer *v)
{
    static const char pdf[] = "application/pdf";
    struct rf_str mime = rf_preview_mime(v->preview);
    return !v->as_text && graphics_of(v) == RF_GRAPHICS_BLOCKS && mime.n == sizeof pdf - 1 &&
           memcmp(mime.p, pdf, mime.n) == 0;
}

static void add_status(struct rf_viewer *v)
{
    struct rf_buffer line = { 0 };
    int used;
    if (v->input != RF_VIEW_NO_INPUT) {
        rf_buffer_text(&line, v->input == RF_VIEW_SEARCH ? "/" : "page: ");
        rf_cells_clean(&line, (struct rf_str){ v->typed, v->typed_count });
    } else if (v->message[0]) {
        rf_cells_clean(&line, (struct rf_str){ v->message, strlen(v->message) });
    } else {
        add_place(v, &line);
        rf_buffer_text(&line, is_illegible(v) ? "  t text" : "");
        rf_buffer_text(&line, v->shows_help ? "" : "  ? help");
    }
    size_t n = rf_cells_fit(rf_buffer_view(&line), v->tty->columns - 1, &used);
    move_to(&v->out, rf_view_height(v), 0);
    rf_theme_on(&v->tty->theme, RF_STYLE_DIM, &v->out);
    rf_buffer_add(&v->out, line.p, n);
    rf_theme_off(&v->tty->theme, RF_STYLE_DIM, &v->out);
    rf_buffer_text(&v->out, "\033[K");
    rf_buffer_text(&v->out, v->input != RF_VIEW_NO_INPUT ? "\033[?25h" : "\033[?25l");
    rf_buffer_release(&line);
}

static void flush(struct rf_viewer *v)
{
    rf_tty_write(v->tty, rf_buffer_view(&v->out));
    rf_buffer_reset(&v->out);
}

void rf_view_draw_status(struct rf_viewer *v)
{
    add_status(v);
    flush(v);
}

/* Text */

/* The row, with what was found in it marked. */
static void add_row(struct rf_viewer *v, const struct rf_view_row *row)
{
    size_t from = v->found, to = from + strlen(v->query);
    bool found = v->found != (size_t)-1 && to > row->begin && from < row->end;
    if (!found && row->styled < row->styled_end) {
        rf_buffer_add(&v->out, v->styled.p + row->styled, row->styled_end - row->styled);
        return;
    }
    if (!found) {
        rf_cells_clean(&v->out, (struct rf_str){ v->text.p + row->begin, row->end - row->begin });
        return;
    }
    from = from < row->begin ? row->begin : from;
    to = to > row->end ? row->end : to;
    rf_cells_clean(&v->out, (struct rf_str){ v->text.p + row->begin, from - row->begin });
    rf_theme_on(&v->tty->theme, RF_STYLE_SELECTED, &v->out);
    rf_cells_clean(&v->out, (struct rf_str){ v->text.p + from, to - from });
    rf_theme_off(&v->tty->theme, RF_STYLE_SELECTED, &v->out);
    rf_cells_clean(&v->out, (struct rf_str){ v->text.p + to, row->end - to });
}

static void say_at_top(struct rf_viewer *v, const char *words)
{
    move_to(&v->out, 0, 0);
    rf_cells_clean(&v->out, (struct rf_str){ words, strlen(words) });
}

static void add_text(struct rf_viewer *v)
{
    size_t height = (size_t)rf_view_height(v);
    if (!rf_view_break(v))
        return;
    size_t last = v->row_count > height ? v->row_count - height : 0;
    v->top = v->top > last ? last : v->top;
    for (size_t i = 0; i < height && v->top + i < v->row_count; i++) {
        move_to(&v->out, (int)i, 0);
        add_row(v, &v->rows[v->top + i]);
    }
    rf_view_draw_pictures(v);
    if (!v->row_count)
        say_at_top(v, "(there is no text on this page)");
}

/* Pictures */

struct rf_preview_frame rf_view_frame(const struct rf_viewer *v, int rows)
{
    const struct rf_tty *t = v->tty;
    return (struct rf_preview_frame){
        .size = sizeof(struct rf_preview_frame),
        .graphics = graphics_of(v),
        .columns = t->columns,
        .rows = rows,
        .cell_width = t->cell_width,
        .cell_height = t->cell_height,
        .colours = t->theme.colours,
        .ascii = !t->theme.unicode,
    };
}

static struct rf_preview_frame frame_of(const struct rf_viewer *v)
{
    struct rf_preview_frame f = rf_view_frame(v, rf_view_height(v));
    if (v->zoom > 100) {
        int side = 100000 / v->zoom;
        f.width = f.height = side;
        f.left = v->x - side / 2;
        f.top = v->y - side / 2;
    }
    return f;
}

/* Blocks are rows with line feeds; everything else is drawn from where the cursor is. */
static void add_drawing(struct rf_viewer *v, const struct rf_preview_drawing *d, int top, int left)
{
    bool blocks = graphics_of(v) == RF_GRAPHICS_BLOCKS;
    struct rf_str rest = d->bytes;
    left = left > 0 ? left : 0;
    top = top > 0 ? top : 0;
    for (int row = 0; rest.n; row++) {
        const char *feed = blocks ? memchr(rest.p, '\n', rest.n) : NULL;
        size_t n = feed ? (size_t)(feed - rest.p) : rest.n;
        move_to(&v->out, top + row, left);
        rf_buffer_add(&v->out, rest.p, n);
        rest = (struct rf_str){ rest.p + n + (feed != NULL), rest.n - n - (feed != NULL) };
    }
}

static void add_picture(struct rf_viewer *v)
{
    struct rf_preview_frame f = frame_of(v);
    struct rf_preview_drawing drawing = { .size = sizeof drawing };
    struct rf_err err;
    char hint[RF_ADVICE];
    enum rf_code rc = rf_preview_draw(v->preview, v->page, &f, &drawing, &err);
    if (!rc) {
        add_drawing(v, &drawing, (rf_view_height(v) - drawing.rows) / 2,
                    (v->tty->columns - drawing.columns) / 2);
        return;
    }
    say_at_top(v, err.msg);
    move_to(&v->out, 1, 0);
    rf_cells_clean(&v->out, rf_text(rf_advice(&err, hint)));
}

void rf_view_draw_piece(struct rf_viewer *v, size_t picture, const struct rf_preview_frame *f,
                        int row)
{
    struct rf_preview_drawing drawing = { .size = sizeof drawing };
    struct rf_err unseen; /* its words stand above */
    if (!rf_preview_draw(v->pictures, picture, f, &drawing, &unseen))
        add_drawing(v, &drawing, row, 0);
}

static void add_help(struct rf_viewer *v)
{
    for (int i = 0; i < (int)(sizeof help / sizeof *help) && i < rf_view_height(v); i++) {
        size_t n = rf_cells_fit((struct rf_str){ help[i], strlen(help[i]) }, v->tty->columns, NULL);
        move_to(&v->out, i, 0);
        rf_buffer_add(&v->out, help[i], n);
    }
}

void rf_view_draw(struct rf_viewer *v)
{
    v->stale = false;
    rf_view_wipe(v);
    if (v->shows_help)
        add_help(v);
    else if (v->as_text || graphics_of(v) == RF_GRAPHICS_NONE)
        add_text(v);
    else
        add_picture(v);
    add_status(v);
    flush(v);
}
