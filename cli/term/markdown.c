/* Bytes become lines, and lines what markdown_blocks.c makes of them.
 *
 * A line is held until it ends; one that is longer than what is held of any text (or, where it may
 * be a row of a table, than such rows are) is begun as it stands, and the rest of it goes where its
 * beginning went. What is decided depends on the bytes alone, never on the pieces they came in.
 * What is live is what the end would commit: a copy is ended, and the text goes on. It costs what
 * is held, not what was said. Control characters are not line feeds, but for CR, which ends a line
 * as LF does.
 */
#include "term/markdown.h"

#include <stdlib.h>
#include <string.h>

#include "term/markdown_inside.h"

#define LEAST_COLUMNS 10
#define MOST_COLUMNS 1000 /* rows that are longer are hard to read, and cost memory */
#define TAB_CELLS 4

struct rf_markdown {
    struct rf_md now, copy;
    struct rf_md_inline inliner;
};

static int usable(int columns)
{
    return columns < LEAST_COLUMNS  ? LEAST_COLUMNS
           : columns > MOST_COLUMNS ? MOST_COLUMNS
                                    : columns;
}

struct rf_markdown *rf_markdown_new(const struct rf_theme *theme, int columns,
                                    void (*commit)(void *ctx, struct rf_str row), void *ctx)
{
    struct rf_markdown *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    m->inliner.theme = theme;
    m->now.theme = theme;
    m->now.inliner = &m->inliner;
    m->now.columns = usable(columns);
    m->now.commit = commit;
    m->now.ctx = ctx;
    return m;
}

static void release(struct rf_md *d)
{
    rf_md_rows_release(&d->rows);
    rf_buffer_release(&d->row);
    rf_buffer_release(&d->text);
    rf_buffer_release(&d->line);
    rf_buffer_release(&d->table.text);
    rf_buffer_release(&d->table.header);
}

void rf_markdown_free(struct rf_markdown *m)
{
    if (!m)
        return;
    release(&m->now);
    release(&m->copy);
    rf_buffer_release(&m->inliner.tokens);
    free(m);
}

/* The line is too long to wait for its end. */
static bool is_too_long(const struct rf_md *d)
{
    bool may_be_row = d->has_pipe || d->leaf == RF_MD_TABLE;
    return d->line.n >= (may_be_row ? RF_MD_MAX_TABLE_LINE : rf_md_limit(d));
}

static void end_line(struct rf_md *d)
{
    if (d->is_open)
        rf_md_line_end(d);
    else
        rf_md_line(d, rf_buffer_view(&d->line));
    rf_buffer_reset(&d->line);
    d->is_open = d->has_pipe = false;
    d->column = 0;
}

static void take_byte(struct rf_md *d, char c)
{
    bool is_tab = c == '\t';
    size_t n = is_tab ? TAB_CELLS - d->column % TAB_CELLS : 1;
    char bytes[TAB_CELLS] = { c };
    if (is_tab)
        memset(bytes, ' ', n);
    d->column += is_tab ? n : ((unsigned char)c & 0xc0) != 0x80;
    if (d->is_open) {
        rf_md_line_more(d, (struct rf_str){ bytes, n });
        return;
    }
    d->has_pipe = d->has_pipe || c == '|';
    rf_buffer_add(&d->line, bytes, n);
    if (is_too_long(d)) {
        rf_md_line_begin(d, rf_buffer_view(&d->line));
        rf_buffer_reset(&d->line);
        d->is_open = true;
    }
}

void rf_markdown_add(struct rf_markdown *m, struct rf_str piece)
{
    struct rf_md *d = &m->now;
    for (size_t i = 0; i < piece.n; i++) {
        char c = piece.p[i];
        bool is_second = c == '\n' && d->after_return;
        d->after_return = c == '\r';
        if (is_second)
            continue;
        if (c == '\n' || c == '\r')
            end_line(d);
        else
            take_byte(d, c);
    }
}

static void end(struct rf_md *d)
{
    if (d->is_open || d->line.n)
        end_line(d);
    rf_md_close(d, 0);
    d->blank = d->has_begun = d->after_return = false;
    d->blank_depth = 0;
}

void rf_markdown_end(struct rf_markdown *m)
{
    end(&m->now);
}

static void copy_buffer(struct rf_buffer *to, const struct rf_buffer *from)
{
    rf_buffer_reset(to);
    rf_buffer_str(to, rf_buffer_view(from));
}

static void copy(struct rf_md *to, const struct rf_md *from)
{
    struct rf_md kept = *to;
    *to = *from;
    to->rows = kept.rows;
    to->row = kept.row;
    to->text = kept.text;
    to->line = kept.line;
    to->table.text = kept.table.text;
    to->table.header = kept.table.header;
    rf_md_rows_copy(&to->rows, &from->rows);
    copy_buffer(&to->text, &from->text);
    copy_buffer(&to->line, &from->line);
    copy_buffer(&to->table.text, &from->table.text);
    copy_buffer(&to->table.header, &from->table.header);
}

void rf_markdown_live(struct rf_markdown *m, void (*row)(void *ctx, struct rf_str row), void *ctx)
{
    struct rf_md *d = &m->copy;
    copy(d, &m->now);
    d->commit = row;
    d->ctx = ctx;
    struct rf_buffer *last = d->is_open ? &d->text : &d->line;
    last->n -= rf_md_tail(rf_buffer_view(last)); /* the rest of the character is on its way */
    end(d);
}

void rf_markdown_resize(struct rf_markdown *m, int columns)
{
    m->now.columns = usable(columns);
    rf_md_table_resize(&m->now);
}
