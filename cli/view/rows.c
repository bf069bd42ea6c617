/* The text of a page in rows as wide as the screen, broken at spaces where there are some. A page
 * that is longer than MOST_ROWS ends there, with a message: it can be searched all the same. */
#include "view/viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "term/cells.h"

#define MOST_ROWS 200000

struct rf_view_row *rf_view_add_row(struct rf_viewer *v)
{
    if (v->row_count == v->row_cap) {
        v->row_cap = v->row_cap ? v->row_cap * 2 : 64;
        v->rows = reallocarray(v->rows, v->row_cap, sizeof *v->rows);
        if (!v->rows)
            abort();
    }
    return &v->rows[v->row_count++];
}

static void add_row(struct rf_viewer *v, size_t begin, size_t end)
{
    *rf_view_add_row(v) = (struct rf_view_row){ .begin = begin, .end = end };
}

/* Where to break a line of which `n` bytes fit: after the last space in them, if there is one. */
static size_t break_at(const char *line, size_t n, size_t all)
{
    if (n == all || line[n] == ' ')
        return n;
    for (size_t i = n; i > 0; i--)
        if (line[i - 1] == ' ')
            return i;
    return n;
}

static void break_line(struct rf_viewer *v, size_t begin, size_t end)
{
    do {
        struct rf_str rest = { v->text.p + begin, end - begin };
        size_t fits = rf_cells_fit(rest, v->tty->columns, NULL);
        if (fits == 0 && rest.n) { /* a character that is wider than the screen */
            int cells;
            fits = rf_cells_step(rest, &cells);
        }
        size_t n = break_at(rest.p, fits, rest.n);
        add_row(v, begin, begin + n);
        begin += n;
        while (begin < end && v->text.p[begin] == ' ')
            begin++;
    } while (begin < end && v->row_count < MOST_ROWS);
}

void rf_view_forget_text(struct rf_viewer *v)
{
    v->text = (struct rf_str){ 0 };
    v->row_count = 0;
    v->broken = 0;
    v->found = (size_t)-1;
}

static void break_text(struct rf_viewer *v)
{
    for (size_t at = 0; at < v->text.n && v->row_count < MOST_ROWS;) {
        const char *feed = memchr(v->text.p + at, '\n', v->text.n - at);
        size_t end = feed ? (size_t)(feed - v->text.p) : v->text.n;
        size_t stop = end > at && v->text.p[end - 1] == '\r' ? end - 1 : end;
        break_line(v, at, stop);
        at = end + 1;
    }
    if (v->row_count == MOST_ROWS)
        snprintf(v->message, sizeof v->message, "the text goes on: \"refract read\" has all of it");
}

bool rf_view_break(struct rf_viewer *v)
{
    struct rf_str text;
    struct rf_err err;
    if (v->broken == v->tty->columns)
        return true;
    if (rf_preview_text(v->preview, v->page, &text, &err)) {
        snprintf(v->message, sizeof v->message, "%.200s", err.msg);
        return false;
    }
    v->row_count = 0;
    v->broken = v->tty->columns;
    v->text = text;
    if (rf_preview_is_markdown(v->preview) && !v->is_source)
        rf_view_render(v, text);
    else
        break_text(v);
    return true;
}
