/* The region at the bottom: what streams, who works, what waits, what is typed, and the status
 * line.
 *
 * It is made anew each time; the region writes what changed. */
#include "chat/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "term/cells.h"
#include "text.h"

#define WORKING_MS 150            /* before it is worth saying that something works */
#define WINDOW ((size_t)16 << 10) /* bytes before and after the cursor that are laid out */
#define MOST_WAITING 4            /* lines that wait, of those that are shown */
#define MOST_OUTSIDE 8            /* rows of files from outside of the folder */

/* Rows on their way to the region, the cursor among them. */
struct drawing {
    struct rf_chat *c;
    int rows, columns;
    struct rf_buffer line;
};

static void put_row(struct drawing *d, struct rf_str row)
{
    rf_region_row(&d->c->region, row);
    d->rows++;
}

static void put_live(void *ctx, struct rf_str row)
{
    put_row(ctx, row);
}

/* One row in one style, cut to the width. */
static void put_text(struct drawing *d, enum rf_style style, struct rf_str text)
{
    struct rf_buffer clean = { 0 };
    const struct rf_theme *theme = &d->c->theme;
    rf_cells_clean(&clean, text);
    struct rf_str s = rf_buffer_view(&clean);
    bool cut = rf_cells(s) > d->columns;
    rf_buffer_reset(&d->line);
    rf_theme_on(theme, style, &d->line);
    rf_buffer_add(&d->line, s.p, cut ? rf_cells_fit(s, d->columns - 1, NULL) : s.n);
    rf_buffer_text(&d->line, !cut ? "" : theme->unicode ? "…" : ".");
    rf_theme_off(theme, style, &d->line);
    put_row(d, rf_buffer_view(&d->line));
    rf_buffer_release(&clean);
}

/* Who works */

static void put_working(struct drawing *d)
{
    static const char *const signs[] = { "⠋", "⠙", "⠸", "⠴", "⠦", "⠇" };
    static const char *const plain_signs[] = { "|", "/", "-", "\\" };
    struct rf_chat *c = d->c;
    struct rf_buffer text = { 0 };
    unsigned frame = (unsigned)((rf_chat_now_ms() - c->turn->begun_ms) / 120);
    if (!rf_chat_is_busy(c) || rf_chat_permit_asks(c) ||
        rf_chat_now_ms() - c->turn->begun_ms < WORKING_MS)
        return;
    rf_buffer_print(&text, "%s ", c->theme.unicode ? signs[frame % 6] : plain_signs[frame % 4]);
    rf_chat_show_working(c, &text);
    if (c->turn->working != RF_CHAT_SHORT && !c->turn->cancelled)
        rf_buffer_text(&text, " (Ctrl-C stops)");
    put_text(d, RF_STYLE_DIM, rf_buffer_view(&text));
    rf_buffer_release(&text);
}

/* What waits */

static void put_waiting(struct drawing *d)
{
    struct rf_buffer text = { 0 };
    size_t count = 0;
    for (const struct rf_chat_line *l = d->c->keys->waiting; l; l = l->next, count++) {
        if (count >= MOST_WAITING)
            continue;
        rf_buffer_reset(&text);
        rf_buffer_text(&text, "next: ");
        rf_buffer_add(&text, l->text, strcspn(l->text, "\n"));
        put_text(d, RF_STYLE_DIM, rf_buffer_view(&text));
    }
    if (count > MOST_WAITING) {
        rf_buffer_reset(&text);
        rf_buffer_print(&text, "      and %zu more", count - MOST_WAITING);
        put_text(d, RF_STYLE_DIM, rf_buffer_view(&text));
    }
    rf_buffer_release(&text);
}

/* Those from elsewhere come first, each in a row of its own. */
static void put_outside(struct drawing *d)
{
    struct rf_buffer text = { 0 };
    size_t count = 0;
    for (const struct rf_chat_attached *a = d->c->attached; a; a = a->next) {
        if (!a->outside || count++ >= MOST_OUTSIDE)
            continue;
        rf_buffer_reset(&text);
        rf_buffer_print(&text, "with %s (outside of this folder: %s)", a->name, a->outside);
        put_text(d, RF_STYLE_WARN, rf_buffer_view(&text));
    }
    if (count > MOST_OUTSIDE) {
        rf_buffer_reset(&text);
        rf_buffer_print(&text, "with %zu more from outside of this folder", count - MOST_OUTSIDE);
        put_text(d, RF_STYLE_WARN, rf_buffer_view(&text));
    }
    rf_buffer_release(&text);
}

static void put_attached(struct drawing *d)
{
    struct rf_buffer text = { 0 };
    put_outside(d);
    for (const struct rf_chat_attached *a = d->c->attached; a; a = a->next)
        if (!a->outside)
            rf_buffer_print(&text, "%s%s", text.n ? ", " : "with ", a->name);
    if (text.n)
        put_text(d, RF_STYLE_GOOD, rf_buffer_view(&text));
    rf_buffer_release(&text);
}

static void put_question(struct drawing *d)
{
    if (!rf_chat_permit_asks(d->c))
        return;
    rf_buffer_reset(&d->line);
    if (rf_chat_permit_warning(d->c, &d->line))
        put_row(d, rf_buffer_view(&d->line));
    rf_buffer_reset(&d->line);
    rf_chat_permit_row(d->c, &d->line);
    put_row(d, rf_buffer_view(&d->line));
}

/* What is typed */

struct layout {
    struct drawing *d;
    struct rf_str text;
    size_t cursor;
    int first_row; /* of the region, that it begins at */
    int rows, cursor_row, cursor_cell;
    int top, height; /* the rows that are shown */
    bool draws;
};

static void end_layout_row(struct layout *l, size_t begin, size_t end)
{
    struct rf_chat *c = l->d->c;
    struct rf_buffer *row = &l->d->line;
    int at = l->rows++;
    if (!l->draws || at < l->top || at >= l->top + l->height)
        return;
    rf_buffer_reset(row);
    rf_theme_on(&c->theme, RF_STYLE_PROMPT, row);
    rf_buffer_text(row, at ? "  " : rf_edit_is_command(c->edit) ? ": " : "> ");
    rf_theme_off(&c->theme, RF_STYLE_PROMPT, row);
    rf_cells_clean(row, (struct rf_str){ l->text.p + begin, end - begin });
    put_row(l->d, rf_buffer_view(row));
}

/* A tab is as wide as rf_cells_clean makes it, from the beginning of the row. */
static int step_cells(struct rf_str rest, size_t n, int cells, int at)
{
    if (rest.p[0] == '\t')
        return 4 - at % 4;
    if (n == 1 && ((unsigned char)rest.p[0] < 0x20 || rest.p[0] == 0x7f))
        return 1;
    return cells;
}

static void lay_out(struct layout *l)
{
    int width = l->d->columns - 3, at = 0; /* the cursor may stand after the last cell */
    size_t begin = 0, i = 0;
    width = width < 2 ? 2 : width;
    l->rows = 0;
    while (i < l->text.n) {
        struct rf_str rest = { l->text.p + i, l->text.n - i };
        int cells = 0;
        size_t n = rest.p[0] == '\n' || rest.p[0] == '\t' ? 1 : rf_cells_step(rest, &cells);
        cells = step_cells(rest, n, cells, at);
        if (rest.p[0] != '\n' && at + cells > width) {
            end_layout_row(l, begin, i);
            begin = i;
            at = 0;
        }
        if (i <= l->cursor && l->cursor < i + n) {
            l->cursor_row = l->rows;
            l->cursor_cell = at;
        }
        i += n;
        at += cells;
        if (rest.p[0] == '\n') {
            end_layout_row(l, begin, i - 1);
            begin = i;
            at = 0;
        }
    }
    if (l->cursor >= l->text.n) {
        l->cursor_row = l->rows;
        l->cursor_cell = at;
    }
    end_layout_row(l, begin, l->text.n);
}

/* Of a very long text, what is around the cursor. */
static void take_window(struct layout *l)
{
    size_t begin = l->cursor > WINDOW ? l->cursor - WINDOW : 0;
    while (begin && begin < l->cursor && ((unsigned char)l->text.p[begin] & 0xc0) == 0x80)
        begin++;
    size_t n = l->text.n - begin < 2 * WINDOW ? l->text.n - begin : 2 * WINDOW;
    l->text = (struct rf_str){ l->text.p + begin, n };
    l->cursor -= begin;
}

static void put_secret(struct drawing *d)
{
    struct rf_buffer text = { 0 };
    rf_buffer_print(&text, "password of %s (not shown; Esc leaves it closed)", d->c->secret->name);
    rf_region_cursor(&d->c->region, d->rows, 0);
    put_text(d, RF_STYLE_WARN, rf_buffer_view(&text));
    rf_buffer_release(&text);
}

/* Choosing */

static void put_item(struct drawing *d, const struct rf_chat_pick_item *item, int width, bool here)
{
    struct rf_buffer text = { 0 };
    int cells = rf_cells(rf_text(item->name));
    rf_buffer_print(&text, "%s%s", here ? "> " : "  ", item->name);
    rf_buffer_fill(&text, ' ', (size_t)(cells < width ? width - cells : 0) + 2);
    rf_buffer_text(&text, item->about);
    put_text(d, here ? RF_STYLE_PROMPT : RF_STYLE_PLAIN, rf_buffer_view(&text));
    rf_buffer_release(&text);
}

/* Rows around the one that Enter takes. */
static void put_items(struct drawing *d, const struct rf_chat_pick *p)
{
    const struct rf_chat_pick_item *item;
    size_t room = d->c->tty.rows > 8 ? (size_t)d->c->tty.rows - 6 : 2;
    size_t most = room < RF_CHAT_PICK_ROWS ? room : RF_CHAT_PICK_ROWS;
    size_t top = p->at >= most ? p->at - most + 1 : 0;
    int width = 0;
    for (size_t i = top; i < top + most && (item = rf_chat_pick_at(p, i)); i++)
        width = rf_cells(rf_text(item->name)) > width ? rf_cells(rf_text(item->name)) : width;
    for (size_t i = top; i < top + most && (item = rf_chat_pick_at(p, i)); i++)
        put_item(d, item, width, i == p->at);
}

static void put_pick(struct drawing *d)
{
    const struct rf_chat_pick *p = d->c->pick;
    struct rf_buffer text = { 0 };
    rf_buffer_print(&text, "%s: ", p->what);
    rf_buffer_add(&text, p->typed, p->n);
    int row = d->rows, cells = rf_cells(rf_buffer_view(&text));
    put_text(d, RF_STYLE_PROMPT, rf_buffer_view(&text));
    put_items(d, p);
    rf_buffer_reset(&text);
    rf_buffer_print(&text, "  %zu of %zu; type to search, Enter takes one, Esc leaves",
                    rf_chat_pick_fitting(p), p->count);
    put_text(d, RF_STYLE_DIM, rf_buffer_view(&text));
    rf_region_cursor(&d->c->region, row, cells < d->columns ? cells : d->columns - 1);
    rf_buffer_release(&text);
}

static void put_typed(struct drawing *d)
{
    struct rf_chat *c = d->c;
    if (c->secret || c->pick) {
        (c->secret ? put_secret : put_pick)(d);
        return;
    }
    struct layout l = { .d = d };
    l.text = rf_edit_shown(c->edit, &l.cursor);
    int most = c->tty.rows / 2 < 1 ? 1 : c->tty.rows / 2;
    take_window(&l);
    lay_out(&l);
    l.height = l.rows < most ? l.rows : most;
    l.top = l.cursor_row >= l.height ? l.cursor_row - l.height + 1 : 0;
    l.first_row = d->rows;
    l.draws = true;
    lay_out(&l);
    rf_region_cursor(&c->region, l.first_row + l.cursor_row - l.top, l.cursor_cell + 2);
}

/* The status line */

static void add_tokens(const struct rf_chat *c, struct rf_buffer *b)
{
    int64_t used = c->used_tokens < 0 ? 0 : c->used_tokens, all = c->window_tokens;
    char number[RF_SHORT_TEXT];
    if (c->used_tokens < 0 && all <= 0)
        return;
    rf_buffer_text(b, rf_number_text(used, number));
    if (all > 0)
        rf_buffer_print(b, " of %s tokens (%d%%)", rf_number_text(all, number),
                        rf_percent(used, all));
    else
        rf_buffer_text(b, " tokens");
}

/* The parts, the most important first; what does not fit is left out from the right. */
static void status_part(const struct rf_chat *c, int part, struct rf_buffer *b)
{
    char cost[RF_COST_MONEY];
    if (part == 0)
        rf_buffer_text(b, c->model);
    else if (part == 1)
        add_tokens(c, b);
    else if (part == 2 && c->files > 0)
        rf_buffer_print(b, "%" PRId64 " file%s", c->files, c->files == 1 ? "" : "s");
    else if (part == 3 && rf_cost_sum(&c->cost) >= 0)
        rf_buffer_text(b, rf_cost_money(rf_cost_sum(&c->cost), cost));
    else if (part == 4)
        rf_buffer_text(b, c->session_id);
}

static void put_status(struct drawing *d)
{
    const struct rf_chat *c = d->c;
    const char *between = c->theme.unicode ? " · " : " | ";
    struct rf_buffer text = { 0 }, part = { 0 };
    rf_buffer_text(&text, "  ");
    for (int i = 0; i < 5; i++) {
        rf_buffer_reset(&part);
        status_part(c, i, &part);
        int wide = rf_cells(rf_buffer_view(&text)) + 3 + rf_cells(rf_buffer_view(&part));
        if (!part.n)
            continue;
        if (i && wide > d->columns - 1)
            break;
        rf_buffer_text(&text, i ? between : "");
        rf_buffer_str(&text, rf_buffer_view(&part));
    }
    if (c->keys->warned)
        put_text(d, RF_STYLE_DIM, rf_text("  Ctrl-C again leaves"));
    else
        put_text(d, RF_STYLE_DIM, rf_buffer_view(&text));
    rf_buffer_release(&text);
    rf_buffer_release(&part);
}

void rf_chat_draw(struct rf_chat *c)
{
    struct drawing d = { .c = c, .columns = c->tty.columns < 4 ? 4 : c->tty.columns };
    rf_region_begin(&c->region);
    rf_chat_show_live(c, put_live, &d);
    put_row(&d, rf_text(""));
    put_working(&d);
    put_waiting(&d);
    put_attached(&d);
    put_question(&d);
    put_typed(&d);
    put_status(&d);
    rf_region_flush(&c->region);
    rf_chat_permit_drawn(c);
    rf_buffer_release(&d.line);
    c->keys->drawn_ms = rf_chat_now_ms();
    c->keys->dirty = false;
}
