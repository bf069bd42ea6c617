/* Drawing the region with as few bytes as it takes.
 *
 * Where we are is counted in rows from the top of the region; the terminal is never asked. Rows are
 * written over what stood there and then erased to their end, so that nothing blinks; rows that are
 * the same stay. Lines do not wrap meanwhile: where a terminal thinks that a character is wider
 * than we do, a row loses its end instead of pushing all others down. A row that is done and may be
 * so wraps, and what is below it is drawn anew: nothing that was said is lost.
 *
 * A terminal that wraps its lines anew when it becomes narrower makes several rows of one. Where it
 * is one that does, they are counted, so that all of the region is erased and nothing stands twice;
 * what has left the screen by then stays.
 *
 * In a row, besides text there are styles (ESC [ … m) and links (ESC ] 8). Every other control
 * becomes '?', although it should not have come so far.
 */
#include "term/region.h"

#include <stdlib.h>
#include <string.h>

#include "term/cells.h"

#define MOST_DONE ((size_t)1 << 18) /* bytes that wait for a flush */
#define MOST_ROWS 2000              /* twice as many as a screen has at most */

#define FRAME_BEGIN "\033[?2026h\033[?25l\033[?7l"
#define FRAME_END "\033[?7h\033[?25h\033[?2026l"
#define WRAP "\033[?7h"
#define WRAP_NO_MORE "\033[?7l"
#define ERASE_LINE "\033[K"
#define ERASE_BELOW "\033[J"

void rf_region_init(struct rf_region *r, struct rf_tty *tty)
{
    *r = (struct rf_region){ .tty = tty };
}

static void release_rows(struct rf_region_row *rows, size_t cap)
{
    for (size_t i = 0; i < cap; i++)
        rf_buffer_release(&rows[i].bytes);
    free(rows);
}

void rf_region_release(struct rf_region *r)
{
    release_rows(r->now, r->now_cap);
    release_rows(r->next, r->next_cap);
    rf_buffer_release(&r->done);
    rf_buffer_release(&r->row);
    *r = (struct rf_region){ .tty = r->tty };
}

/* The bytes of an escape sequence that a row may have; 0: it is none. */
static size_t style_bytes(struct rf_str s)
{
    size_t n = 2;
    if (s.n < 3 || s.p[0] != '\033' || s.p[1] != '[')
        return 0;
    while (n < s.n && ((s.p[n] >= '0' && s.p[n] <= '9') || s.p[n] == ';' || s.p[n] == ':'))
        n++;
    return n < s.n && s.p[n] == 'm' ? n + 1 : 0;
}

static size_t link_bytes(struct rf_str s)
{
    size_t n = 4;
    if (s.n < 7 || memcmp(s.p, "\033]8;", 4) != 0)
        return 0;
    while (n < s.n && s.p[n] >= ' ' && s.p[n] <= '~')
        n++;
    return n + 1 < s.n && s.p[n] == '\033' && s.p[n + 1] == '\\' ? n + 2 : 0;
}

/* What is on at the end of a row, and has to go off. */
struct open {
    bool style, link;
};

/* An escape sequence at the beginning of `s` goes into `out`; its bytes, or 0. */
static size_t take_escape(struct rf_str s, struct rf_buffer *out, struct open *open)
{
    size_t n = style_bytes(s);
    if (n) {
        open->style = true;
    } else {
        n = link_bytes(s);
        if (!n)
            return 0;
        open->link = memcmp(s.p, "\033]8;;\033", n < 6 ? n : 6) != 0;
    }
    rf_buffer_add(out, s.p, n);
    return n;
}

/* Add a row of at most `columns` cells, and say how many it has: as we count, and at most. After
 * the cut, styles still end. */
static int add_row(struct rf_buffer *out, struct rf_str s, int columns, int *apart)
{
    struct open open = { 0 };
    int cells = 0, used;
    bool is_cut = false;
    *apart = 0;
    while (s.n) {
        size_t n = take_escape(s, out, &open);
        if (!n) {
            const char *escape = memchr(s.p + 1, '\033', s.n - 1);
            struct rf_str text = { s.p, escape ? (size_t)(escape - s.p) : s.n };
            n = text.n;
            text.n = is_cut ? 0 : rf_cells_fit(text, columns - cells, &used);
            cells += is_cut ? 0 : used;
            *apart += rf_cells_apart(text);
            is_cut = text.n < n;
            rf_cells_clean(out, text);
        }
        s = (struct rf_str){ s.p + n, s.n - n };
    }
    if (open.link)
        rf_buffer_text(out, "\033]8;;\033\\");
    if (open.style)
        rf_buffer_text(out, "\033[0m");
    return cells;
}

/* A line that is full has nothing after it, and erasing there would take its last character. */
static void erase_rest(struct rf_buffer *out, int cells, int columns)
{
    if (cells < columns)
        rf_buffer_text(out, ERASE_LINE);
}

static void up(struct rf_buffer *out, int rows)
{
    if (rows > 0)
        rf_buffer_print(out, "\033[%dA", rows);
}

static void down(struct rf_buffer *out, int rows)
{
    if (rows > 0)
        rf_buffer_print(out, "\033[%dB", rows);
}

/* To the first column of a row of the region, which grows where it has to. `bottom` is its last
 * row. */
static void go_to(struct rf_region *r, struct rf_buffer *out, int row, int *bottom)
{
    int inside = row < *bottom ? row : *bottom;
    up(out, r->cursor_row - inside);
    down(out, inside - r->cursor_row);
    rf_buffer_text(out, "\r");
    for (; *bottom < row; ++*bottom)
        rf_buffer_text(out, "\n");
    r->cursor_row = row;
    r->cursor_cell = 0;
}

static void to_top(struct rf_region *r, struct rf_buffer *out)
{
    int bottom = r->cursor_row;
    go_to(r, out, 0, &bottom);
}

/* The rows that are done go over the first rows of the region; of what is on the screen, the rest
 * remains. */
static void put_done(struct rf_region *r, struct rf_buffer *out)
{
    if (!r->done_rows)
        return;
    to_top(r, out);
    rf_buffer_str(out, rf_buffer_view(&r->done));
    if (r->done_wraps) {
        rf_buffer_text(out, ERASE_BELOW);
        r->now_count = 0;
    }
    size_t over = r->done_rows < r->now_count ? r->done_rows : r->now_count;
    for (size_t i = over; i < r->now_count; i++) {
        struct rf_region_row row = r->now[i - over];
        r->now[i - over] = r->now[i];
        r->now[i] = row;
    }
    r->now_count -= over;
    r->done_rows = 0;
    r->done_wraps = false;
    rf_buffer_reset(&r->done);
}

static void write_frame(struct rf_region *r, struct rf_buffer *frame)
{
    rf_buffer_text(frame, FRAME_END);
    rf_tty_write(r->tty, rf_buffer_view(frame));
    rf_buffer_release(frame);
}

/* The rows that the terminal has made of the region, down to the cursor, since it is narrower. */
static void count_wrapped(struct rf_region *r)
{
    int columns = r->tty->columns, rows = 0;
    if (!r->tty->reflows || !r->is_drawn || columns < 1 || columns >= r->drawn_columns)
        return;
    for (int i = 0; i < r->cursor_row && (size_t)i < r->now_count; i++)
        rows += r->now[i].cells > columns ? (r->now[i].cells + columns - 1) / columns : 1;
    r->cursor_row = rows + r->cursor_cell / columns;
    r->drawn_columns = columns;
}

/* Nothing of the region is left, and the cursor stands where its top was, or after what is done. */
static void wipe(struct rf_region *r, struct rf_buffer *frame)
{
    count_wrapped(r);
    to_top(r, frame);
    rf_buffer_text(frame, ERASE_BELOW);
    r->now_count = 0;
    r->is_drawn = true;
    put_done(r, frame);
}

void rf_region_clear(struct rf_region *r)
{
    struct rf_buffer frame = { 0 };
    rf_buffer_text(&frame, FRAME_BEGIN);
    wipe(r, &frame);
    write_frame(r, &frame);
}

void rf_region_forget(struct rf_region *r)
{
    r->now_count = 0;
    r->cursor_row = r->cursor_cell = 0;
    r->is_drawn = false;
}

void rf_region_commit(struct rf_region *r, struct rf_str row)
{
    int columns = r->tty->columns, apart;
    rf_buffer_reset(&r->row);
    int cells = add_row(&r->row, row, columns, &apart);
    bool wraps = apart > columns;
    rf_buffer_text(&r->done, wraps ? ERASE_LINE WRAP : "");
    rf_buffer_str(&r->done, rf_buffer_view(&r->row));
    rf_buffer_text(&r->done, wraps ? WRAP_NO_MORE : "");
    r->done_wraps |= wraps;
    erase_rest(&r->done, cells, columns);
    rf_buffer_text(&r->done, "\r\n");
    r->done_rows++;
    if (r->done.n > MOST_DONE)
        rf_region_clear(r);
}

/* Its rows are made first: a picture at the bottom of the screen would scroll in the middle of
 * being drawn. */
void rf_region_commit_picture(struct rf_region *r, struct rf_str bytes, int rows)
{
    if (rows < 1 || rows >= r->tty->rows)
        return;
    for (int i = 0; i < rows; i++)
        rf_buffer_text(&r->done, ERASE_LINE "\r\n");
    up(&r->done, rows);
    rf_buffer_str(&r->done, bytes);
    rf_buffer_text(&r->done, "\r");
    down(&r->done, rows);
    r->done_rows += (size_t)rows;
    if (r->done.n > MOST_DONE)
        rf_region_clear(r);
}

void rf_region_begin(struct rf_region *r)
{
    r->next_count = r->next_dropped = 0;
    r->next_row = r->next_cell = 0;
}

/* Rows at the top, which no screen would show: the others, and the cursor, move up. */
static void drop_top(struct rf_region *r)
{
    size_t dropped = MOST_ROWS / 2;
    for (size_t i = dropped; i < r->next_count; i++) {
        struct rf_region_row row = r->next[i - dropped];
        r->next[i - dropped] = r->next[i];
        r->next[i] = row;
    }
    r->next_count -= dropped;
    r->next_dropped += dropped;
    r->next_row -= (int)dropped;
}

void rf_region_row(struct rf_region *r, struct rf_str row)
{
    if (r->next_count == MOST_ROWS)
        drop_top(r);
    if (r->next_count == r->next_cap) {
        size_t cap = r->next_cap ? r->next_cap * 2 : 8;
        struct rf_region_row *rows = realloc(r->next, cap * sizeof *rows);
        if (!rows)
            abort();
        memset(rows + r->next_cap, 0, (cap - r->next_cap) * sizeof *rows);
        r->next = rows;
        r->next_cap = cap;
    }
    struct rf_region_row *next = &r->next[r->next_count++];
    rf_buffer_reset(&next->bytes);
    next->cells = add_row(&next->bytes, row, r->tty->columns, &(int){ 0 });
}

void rf_region_cursor(struct rf_region *r, int row, int cell)
{
    r->next_row = row - (int)r->next_dropped;
    r->next_cell = cell;
}

static bool is_same(const struct rf_region_row *a, const struct rf_region_row *b)
{
    return a->bytes.n == b->bytes.n &&
           (!a->bytes.n || memcmp(a->bytes.p, b->bytes.p, a->bytes.n) == 0);
}

/* Rows that the screen has not, from the `first` of them that fits; returns the last row of the
 * region. */
static int draw_rows(struct rf_region *r, struct rf_buffer *frame, size_t first)
{
    int columns = r->tty->columns, bottom = r->now_count ? (int)r->now_count - 1 : 0;
    size_t count = r->next_count - first;
    for (size_t i = 0; i < count; i++) {
        const struct rf_region_row *row = &r->next[first + i];
        if (i < r->now_count && is_same(row, &r->now[i]))
            continue;
        go_to(r, frame, (int)i, &bottom);
        rf_buffer_str(frame, rf_buffer_view(&row->bytes));
        erase_rest(frame, row->cells, columns);
    }
    if (count < r->now_count) {
        go_to(r, frame, (int)count, &bottom);
        rf_buffer_text(frame, ERASE_BELOW);
    }
    return bottom;
}

static int within(int value, int most)
{
    return value > most ? most : value < 0 ? 0 : value;
}

/* What was to be is what is: rows that did not fit are not on the screen. */
static void swap_rows(struct rf_region *r, size_t first)
{
    for (size_t i = first; first && i < r->next_count; i++) {
        struct rf_region_row row = r->next[i - first];
        r->next[i - first] = r->next[i];
        r->next[i] = row;
    }
    struct rf_region_row *rows = r->now;
    size_t cap = r->now_cap;
    r->now = r->next;
    r->now_cap = r->next_cap;
    r->now_count = r->next_count - first;
    r->next = rows;
    r->next_cap = cap;
    r->next_count = 0;
}

static void place_cursor(struct rf_region *r, struct rf_buffer *frame, size_t first, int bottom)
{
    int last = r->now_count ? (int)r->now_count - 1 : 0;
    go_to(r, frame, within(r->next_row - (int)first, last), &bottom);
    r->cursor_cell = within(r->next_cell, r->tty->columns - 1);
    if (r->cursor_cell)
        rf_buffer_print(frame, "\033[%dC", r->cursor_cell);
}

static bool is_unchanged(const struct rf_region *r, size_t first)
{
    size_t count = r->next_count - first;
    if (r->done_rows || !r->is_drawn || count != r->now_count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_same(&r->next[first + i], &r->now[i]))
            return false;
    int last = count ? (int)count - 1 : 0;
    return r->cursor_row == within(r->next_row - (int)first, last) &&
           r->cursor_cell == within(r->next_cell, r->tty->columns - 1);
}

void rf_region_flush(struct rf_region *r)
{
    struct rf_buffer frame = { 0 };
    size_t most = (size_t)r->tty->rows, first = r->next_count > most ? r->next_count - most : 0;
    bool is_resized =
        r->is_drawn && (r->drawn_columns != r->tty->columns || r->drawn_rows != r->tty->rows);
    if (!is_resized && is_unchanged(r, first))
        return;
    rf_buffer_text(&frame, FRAME_BEGIN);
    if (is_resized || !r->is_drawn)
        wipe(r, &frame);
    put_done(r, &frame);
    int bottom = draw_rows(r, &frame, first);
    swap_rows(r, first);
    place_cursor(r, &frame, first, bottom);
    r->drawn_columns = r->tty->columns;
    r->drawn_rows = r->tty->rows;
    write_frame(r, &frame);
}
