/* Leaves: paragraphs and headings, whose text is held until it is decided and then flows into rows;
 * code, whose lines are broken where the row ends and not changed; rules. And each row with what
 * stands in front of it: bars of quotes, markers and indents of lists. Where those would take more
 * than half of the columns, the outer ones are left out.
 */
#include <string.h>

#include "term/cells.h"
#include "term/markdown_inside.h"

#define HELD_ROWS 8
#define HELD_LEAST 512
#define HELD_MOST 2048

size_t rf_md_limit(const struct rf_md *d)
{
    size_t n = (size_t)d->columns * HELD_ROWS;
    return n < HELD_LEAST ? HELD_LEAST : n > HELD_MOST ? HELD_MOST : n;
}

/* The outermost container that there is room for, and the cells of all from it on. */
static int first_container(const struct rf_md *d, int *cells)
{
    int from = d->depth;
    for (*cells = 0; from > 0 && *cells + d->in[from - 1].cells <= d->columns / 2; from--)
        *cells += d->in[from - 1].cells;
    return from;
}

int rf_md_width(const struct rf_md *d)
{
    int cells;
    first_container(d, &cells);
    return d->columns - cells;
}

static void add_styled(struct rf_md *d, enum rf_style style, const char *text)
{
    rf_theme_on(d->theme, style, &d->row);
    rf_buffer_text(&d->row, text);
    rf_theme_off(d->theme, style, &d->row);
}

static void add_marker(struct rf_md *d, const struct rf_md_container *c)
{
    if (c->marker[0])
        add_styled(d, RF_STYLE_DIM, c->marker);
    else if (!c->box)
        add_styled(d, RF_STYLE_DIM, d->theme->unicode ? "•" : "*");
    if (c->box && c->marker[0])
        rf_buffer_text(&d->row, " ");
    if (c->box == ' ')
        add_styled(d, RF_STYLE_DIM, "[ ]");
    else if (c->box)
        add_styled(d, RF_STYLE_GOOD, "[x]");
}

/* What stands in front of a row; `pad` spaces are still to be written, where something follows. */
static size_t add_containers(struct rf_md *d, int from, int to, bool with_markers)
{
    size_t pad = 0;
    for (int i = from; i < to; i++) {
        struct rf_md_container *c = &d->in[i];
        bool has_marker = with_markers && !c->is_quote && !c->is_shown;
        if (!c->is_quote && !has_marker) {
            pad += (size_t)c->cells;
            continue;
        }
        rf_buffer_fill(&d->row, ' ', pad);
        pad = 1;
        if (c->is_quote)
            add_styled(d, RF_STYLE_DIM, d->theme->unicode ? "│" : "|");
        else
            add_marker(d, c);
    }
    return pad;
}

static void commit_row(struct rf_md *d)
{
    d->commit(d->ctx, rf_buffer_view(&d->row));
    d->has_begun = true;
}

void rf_md_row(void *document, struct rf_str row, int cells)
{
    struct rf_md *d = document;
    int used, from = first_container(d, &used);
    (void)cells;
    if (d->blank && d->has_begun) {
        rf_buffer_reset(&d->row);
        add_containers(d, from, d->blank_depth < d->depth ? d->blank_depth : d->depth, false);
        commit_row(d);
    }
    d->blank = false;
    rf_buffer_reset(&d->row);
    size_t pad = add_containers(d, from, d->depth, true);
    for (int i = 0; i < d->depth; i++)
        d->in[i].is_shown = true;
    if (row.n)
        rf_buffer_fill(&d->row, ' ', pad);
    rf_buffer_str(&d->row, row);
    commit_row(d);
}

void rf_md_rule(struct rf_md *d)
{
    struct rf_md_rows r = { 0 };
    for (int i = rf_md_width(d); i > 0; i--)
        rf_md_rows_add(&r, d->theme->unicode ? RF_LIT("─") : RF_LIT("-"), RF_MD_STYLE(DIM),
                       RF_LIT(""));
    rf_md_rows_finish(&r, d->theme, rf_md_width(d), rf_md_row, d);
    rf_md_rows_release(&r);
}

void rf_md_text_begin(struct rf_md *d, enum rf_md_leaf leaf, unsigned styles)
{
    d->leaf = leaf;
    d->styles = styles;
    for (int i = 0; i < d->depth; i++)
        if (d->in[i].is_quote)
            d->styles |= RF_MD_STYLE(QUOTE);
    d->text.n = d->last_line = 0;
    d->is_flushed = d->may_be_header = d->keeps_line = false;
}

/* Let go of what is decided. */
static void flush(struct rf_md *d)
{
    size_t n = rf_md_inline(d->inliner, rf_buffer_view(&d->text), d->styles, RF_MD_BEGUN, &d->rows);
    memmove(d->text.p, d->text.p + n, d->text.n - n);
    d->text.n -= n;
    d->is_flushed = true;
    rf_md_rows_flow(&d->rows, d->theme, rf_md_width(d), rf_md_row, d);
}

void rf_md_text_add(struct rf_md *d, struct rf_str text)
{
    size_t limit = rf_md_limit(d);
    d->may_be_header = false;
    for (;;) {
        while (d->text.n >= limit)
            flush(d);
        if (!text.n)
            return;
        size_t n = text.n < limit - d->text.n ? text.n : limit - d->text.n;
        rf_buffer_add(&d->text, text.p, n);
        text = rf_md_from(text, n);
    }
}

/* One more line of a paragraph. Lines of HTML, and of what is not a table after all, stay lines. */
void rf_md_text_line(struct rf_md *d, struct rf_str line)
{
    bool has_begun = d->text.n || d->is_flushed;
    bool keeps_line = line.n && (line.p[0] == '|' || rf_md_scan_tag(line));
    bool may_be_header = line.n < RF_MD_MAX_TABLE_LINE && memchr(line.p, '|', line.n);
    rf_md_text_add(d, RF_LIT(""));
    if (has_begun)
        rf_md_text_add(d, d->keeps_line || keeps_line ? RF_LIT("  \n") : RF_LIT("\n"));
    d->keeps_line = keeps_line;
    d->last_line = d->text.n;
    if (may_be_header)
        rf_buffer_str(&d->text, line);
    else
        rf_md_text_add(d, line);
    d->may_be_header = may_be_header;
}

void rf_md_text_close(struct rf_md *d)
{
    while (d->text.n && strchr(" \n", d->text.p[d->text.n - 1]))
        d->text.n--;
    rf_md_inline(d->inliner, rf_buffer_view(&d->text), d->styles, RF_MD_WHOLE, &d->rows);
    if (d->rows.text.n || !d->is_flushed)
        rf_md_rows_finish(&d->rows, d->theme, rf_md_width(d), rf_md_row, d);
    rf_md_rows_reset(&d->rows);
    d->text.n = 0;
    d->leaf = RF_MD_NONE;
}

static bool shows_fences(const struct rf_md *d)
{
    return d->theme->plain || !d->theme->colours;
}

static void dim_row(struct rf_md *d, struct rf_str text)
{
    struct rf_md_rows r = { .hard = true };
    rf_md_rows_add(&r, text, RF_MD_STYLE(DIM), RF_LIT(""));
    rf_md_rows_finish(&r, d->theme, rf_md_width(d), rf_md_row, d);
    rf_md_rows_release(&r);
}

void rf_md_fence_begin(struct rf_md *d, struct rf_str line, size_t indent, size_t count)
{
    struct rf_str info = rf_md_trim(rf_md_from(line, count));
    d->leaf = RF_MD_FENCED;
    d->fence = line.p[0];
    d->fence_count = count;
    d->fence_indent = indent;
    d->text.n = 0;
    d->is_flushed = false;
    rf_highlight_begin(&d->highlight, info);
    if (shows_fences(d))
        dim_row(d, rf_md_trim(line));
    else if (info.n)
        dim_row(d, info);
}

void rf_md_fence_end(struct rf_md *d, struct rf_str line)
{
    if (shows_fences(d))
        dim_row(d, rf_md_trim(line));
    d->leaf = RF_MD_NONE;
}

static void flow_code(struct rf_md *d, size_t n)
{
    d->rows.hard = true;
    for (size_t at = 0, step; at < n; at += step) {
        enum rf_style style;
        struct rf_str rest = { d->text.p + at, n - at };
        step = rf_highlight_next(&d->highlight, rest, &style);
        rf_md_rows_add(&d->rows, (struct rf_str){ rest.p, step }, 1u << style, RF_LIT(""));
    }
    memmove(d->text.p, d->text.p + n, d->text.n - n);
    d->text.n -= n;
}

void rf_md_code_add(struct rf_md *d, struct rf_str text)
{
    size_t limit = rf_md_limit(d);
    while (text.n) {
        size_t n = text.n < limit - d->text.n ? text.n : limit - d->text.n;
        rf_buffer_add(&d->text, text.p, n);
        text = rf_md_from(text, n);
        if (d->text.n < limit)
            return;
        flow_code(d, d->text.n - rf_md_tail(rf_buffer_view(&d->text)));
        rf_md_rows_flow(&d->rows, d->theme, rf_md_width(d), rf_md_row, d);
    }
}

void rf_md_code_end(struct rf_md *d)
{
    if (d->text.n)
        flow_code(d, d->text.n);
    rf_highlight_line(&d->highlight);
    d->rows.hard = true;
    rf_md_rows_finish(&d->rows, d->theme, rf_md_width(d), rf_md_row, d);
}
