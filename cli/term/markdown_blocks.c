/* Lines: which quotes and list items they are in, and what they begin, continue or end, as
 * CommonMark has it.
 *
 * Where models write what CommonMark would not take, it is taken as it is meant: a list that is
 * indented by two under a numbered item is in it, and code between fences in an item need not be
 * indented. HTML and definitions of references are text.
 */
#include <stdio.h>
#include <string.h>

#include "term/markdown_inside.h"

#define CODE_INDENT 4
#define MAX_DIGITS 9

static bool is_blank(struct rf_str s)
{
    return rf_md_spaces(s) == s.n;
}

static size_t run_of(struct rf_str s, char c)
{
    size_t n = 0;
    while (n < s.n && s.p[n] == c)
        n++;
    return n;
}

/* "---", "* * *": three or more of one kind, and nothing else. */
static bool is_rule(struct rf_str s)
{
    size_t count = 0;
    s = rf_md_trim(s);
    if (!s.n || !strchr("-*_", s.p[0]))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != s.p[0] && s.p[i] != ' ')
            return false;
        count += s.p[i] == s.p[0];
    }
    return count >= 3;
}

/* Bytes of the marker that a line begins with; 0: none. */
static size_t scan_marker(struct rf_str s)
{
    size_t n = 0;
    if (s.n && strchr("-+*", s.p[0]))
        n = 1;
    else {
        while (n < s.n && n < MAX_DIGITS && s.p[n] >= '0' && s.p[n] <= '9')
            n++;
        n = n && n < s.n && (s.p[n] == '.' || s.p[n] == ')') ? n + 1 : 0;
    }
    return n && (n == s.n || s.p[n] == ' ') ? n : 0;
}

/* An item that is under a numbered one, though not as far as its text. */
static bool is_under(const struct rf_md_container *c, struct rf_str line)
{
    size_t spaces = rf_md_spaces(line);
    return c->marker[0] && spaces >= (size_t)c->offset + 2 && scan_marker(rf_md_from(line, spaces));
}

/* Take the front that a container has from a line; false: the line is not in it. */
static bool is_in(const struct rf_md *d, const struct rf_md_container *c, struct rf_str *line)
{
    size_t spaces = rf_md_spaces(*line);
    if (c->is_quote) {
        if (spaces >= CODE_INDENT || spaces == line->n || line->p[spaces] != '>')
            return false;
        *line = rf_md_from(*line, spaces + 1);
        if (line->n && line->p[0] == ' ')
            *line = rf_md_from(*line, 1);
        return true;
    }
    if (spaces == line->n || spaces >= (size_t)c->indent) {
        *line = rf_md_from(*line, spaces < (size_t)c->indent ? spaces : (size_t)c->indent);
        return true;
    }
    if (d->leaf == RF_MD_FENCED || is_under(c, *line)) {
        *line = rf_md_from(*line, spaces);
        return true;
    }
    return false;
}

static void close_leaf(struct rf_md *d)
{
    switch (d->leaf) {
    case RF_MD_PARAGRAPH:
    case RF_MD_HEADING:
        rf_md_text_close(d);
        break;
    case RF_MD_TABLE:
        rf_md_table_close(d);
        break;
    case RF_MD_NONE:
    case RF_MD_FENCED:
    case RF_MD_INDENTED:
        d->leaf = RF_MD_NONE;
        break;
    }
    d->empty_lines = 0;
}

void rf_md_close(struct rf_md *d, int depth)
{
    close_leaf(d);
    for (; d->depth > depth; d->depth--)
        if (!d->in[d->depth - 1].is_quote && !d->in[d->depth - 1].is_shown)
            rf_md_row(d, RF_LIT(""), 0);
    if (d->blank_depth > depth)
        d->blank_depth = depth;
}

static void open_quote(struct rf_md *d, int depth, struct rf_str *line)
{
    size_t n = rf_md_spaces(*line) + 1;
    rf_md_close(d, depth);
    d->in[d->depth++] = (struct rf_md_container){ .is_quote = true, .cells = 2 };
    *line = rf_md_from(*line, n < line->n && line->p[n] == ' ' ? n + 1 : n);
}

/* "[x] " at the beginning of an item. */
static void take_box(const struct rf_md *d, struct rf_md_container *c, struct rf_str *line)
{
    int cells = c->marker[0] ? c->cells + 4 : 4;
    if (line->n < 4 || line->p[0] != '[' || line->p[2] != ']' || line->p[3] != ' ' ||
        !strchr(" xX", line->p[1]) || cells > d->columns / 2)
        return;
    c->box = line->p[1] == ' ' ? ' ' : 'x';
    c->cells = cells;
    *line = rf_md_from(*line, 4);
}

static void open_item(struct rf_md *d, int depth, struct rf_str *line)
{
    size_t indent = rf_md_spaces(*line);
    struct rf_str rest = rf_md_from(*line, indent);
    size_t n = scan_marker(rest);
    struct rf_str inside = rf_md_from(rest, n);
    size_t spaces = rf_md_spaces(inside);
    struct rf_md_container c = { .offset = (int)indent, .cells = 2 };

    if (spaces == inside.n || spaces > CODE_INDENT)
        spaces = inside.n ? 1 : 0;
    c.indent = (int)(indent + n + (spaces ? spaces : 1));
    if (n > 1) {
        snprintf(c.marker, sizeof c.marker, "%.*s", (int)n, rest.p);
        c.cells = (int)n + 1;
    }
    *line = rf_md_from(inside, spaces);
    take_box(d, &c, line);
    rf_md_close(d, depth);
    d->in[d->depth++] = c;
}

/* A marker in the middle of a paragraph is one only where it cannot be a part of the sentence. */
static bool begins_item(const struct rf_md *d, struct rf_str rest, bool in_paragraph)
{
    size_t n = scan_marker(rest);
    if (!n || (int)n + 1 > d->columns / 2)
        return false;
    if (!in_paragraph)
        return true;
    return (n == 1 || (n == 2 && rest.p[0] == '1')) && !is_blank(rf_md_from(rest, n));
}

/* Open the quotes and items that the rest of a line begins, in the first `depth` that it
 * continues. */
static bool open_containers(struct rf_md *d, int *depth, struct rf_str *line)
{
    bool has_opened = false;
    while (*depth < RF_MD_MAX_DEPTH) {
        size_t indent = rf_md_spaces(*line);
        struct rf_str rest = rf_md_from(*line, indent);
        bool in_paragraph = d->leaf == RF_MD_PARAGRAPH && *depth == d->depth;
        if (indent >= CODE_INDENT || !rest.n)
            break;
        if (rest.p[0] == '>')
            open_quote(d, *depth, line);
        else if (!is_rule(rest) && begins_item(d, rest, in_paragraph))
            open_item(d, *depth, line);
        else
            break;
        *depth = d->depth;
        has_opened = true;
    }
    return has_opened;
}

static void blank_line(struct rf_md *d, int depth)
{
    if (d->leaf == RF_MD_INDENTED && depth == d->depth)
        d->empty_lines++;
    else
        rf_md_close(d, depth);
    d->blank = true;
    d->blank_depth = d->depth;
}

/* Three or more backticks or tildes, and after backticks no more of them. */
static size_t scan_fence(struct rf_str s)
{
    if (!s.n || (s.p[0] != '`' && s.p[0] != '~'))
        return 0;
    size_t n = run_of(s, s.p[0]);
    if (n < 3 || (s.p[0] == '`' && memchr(s.p + n, '`', s.n - n)))
        return 0;
    return n;
}

static void fenced_line(struct rf_md *d, struct rf_str line, bool is_whole)
{
    size_t indent = rf_md_spaces(line);
    struct rf_str rest = rf_md_from(line, indent);
    size_t n = run_of(rest, d->fence);
    if (is_whole && indent < CODE_INDENT && n >= d->fence_count && is_blank(rf_md_from(rest, n))) {
        rf_md_fence_end(d, rest);
        return;
    }
    rf_md_code_add(d, rf_md_from(line, indent < d->fence_indent ? indent : d->fence_indent));
    if (is_whole)
        rf_md_code_end(d);
}

static void indented_line(struct rf_md *d, struct rf_str line, bool is_whole)
{
    if (d->leaf == RF_MD_INDENTED) {
        d->blank = d->blank && !d->empty_lines;
        for (; d->empty_lines; d->empty_lines--)
            rf_md_row(d, RF_LIT(""), 0);
    }
    d->leaf = RF_MD_INDENTED;
    rf_highlight_begin(&d->highlight, RF_LIT(""));
    d->text.n = 0;
    rf_md_code_add(d, rf_md_from(line, CODE_INDENT));
    if (is_whole)
        rf_md_code_end(d);
}

/* "## Title ##": the text of it; false: it is none. */
static bool scan_heading(struct rf_str s, size_t *level, struct rf_str *title)
{
    size_t n = run_of(s, '#');
    if (!n || n > 6 || (n < s.n && s.p[n] != ' '))
        return false;
    *level = n;
    *title = rf_md_trim(rf_md_from(s, n));
    size_t end = title->n;
    while (end && title->p[end - 1] == '#')
        end--;
    if (!end || title->p[end - 1] == ' ')
        *title = rf_md_trim((struct rf_str){ title->p, end });
    return true;
}

static void heading(struct rf_md *d, struct rf_str line, size_t level, struct rf_str title)
{
    rf_md_text_begin(d, RF_MD_HEADING, level < 3 ? RF_MD_STYLE(HEADING) : RF_MD_STYLE(STRONG));
    if (d->theme->plain)
        rf_md_text_add(d, (struct rf_str){ line.p, level });
    if (d->theme->plain)
        rf_md_text_add(d, RF_LIT(" "));
    rf_md_text_add(d, title);
}

/* A line under a paragraph that makes it a heading, or its last line that of a table. */
static bool changes_paragraph(struct rf_md *d, struct rf_str rest)
{
    struct rf_str text = rf_buffer_view(&d->text);
    char align[RF_MD_MAX_COLUMNS];
    int columns;
    if (d->may_be_header && rf_md_table_ruler(rest, align, &columns)) {
        struct rf_str header = rf_md_from(text, d->last_line);
        if (rf_md_table_columns(header) == columns) {
            rf_md_table_begin(d, header, rest);
            return true;
        }
    }
    if (d->is_flushed || (rest.p[0] != '=' && rest.p[0] != '-') ||
        run_of(rest, rest.p[0]) != rest.n)
        return false;
    d->styles |= RF_MD_STYLE(HEADING);
    rf_md_text_close(d);
    return true;
}

static bool continues(struct rf_md *d, int depth, struct rf_str rest, bool is_whole)
{
    if (depth != d->depth || !is_whole || rf_md_spaces(rest) >= CODE_INDENT)
        return false;
    rest = rf_md_trim(rest);
    if (d->leaf == RF_MD_TABLE && memchr(rest.p, '|', rest.n) && rest.p[0] != '>' &&
        !scan_marker(rest)) {
        rf_md_table_row(d, rest);
        return true;
    }
    return d->leaf == RF_MD_PARAGRAPH && changes_paragraph(d, rest);
}

/* The rest of a line, after its containers. */
static void leaf_line(struct rf_md *d, int depth, struct rf_str line, bool is_whole)
{
    size_t indent = rf_md_spaces(line), level, fence = 0;
    struct rf_str rest = rf_md_from(line, indent), title;
    bool is_shallow = indent < CODE_INDENT;

    if (is_shallow && is_whole)
        fence = scan_fence(rest);
    if (is_shallow && scan_heading(rest, &level, &title)) {
        rf_md_close(d, depth);
        heading(d, rest, level, title);
        if (is_whole)
            rf_md_text_close(d);
    } else if (fence) {
        rf_md_close(d, depth);
        rf_md_fence_begin(d, rest, indent, fence);
    } else if (is_shallow && is_whole && is_rule(rest)) {
        rf_md_close(d, depth);
        rf_md_rule(d);
    } else if (d->leaf == RF_MD_PARAGRAPH) {
        rf_md_text_line(d, rest);
    } else if (!is_shallow) {
        if (d->leaf != RF_MD_INDENTED || depth != d->depth)
            rf_md_close(d, depth);
        indented_line(d, line, is_whole);
    } else {
        rf_md_close(d, depth);
        rf_md_text_begin(d, RF_MD_PARAGRAPH, 0);
        rf_md_text_line(d, rest);
    }
}

static void take_line(struct rf_md *d, struct rf_str line, bool is_whole)
{
    int depth = 0;
    while (depth < d->depth && is_in(d, &d->in[depth], &line))
        depth++;
    if (d->leaf == RF_MD_FENCED && depth == d->depth) {
        fenced_line(d, line, is_whole);
        return;
    }
    if (is_whole && is_blank(line)) {
        blank_line(d, depth);
        return;
    }
    if (continues(d, depth, line, is_whole))
        return;
    open_containers(d, &depth, &line);
    if (!is_whole || !is_blank(line))
        leaf_line(d, depth, line, is_whole);
}

void rf_md_line(struct rf_md *d, struct rf_str line)
{
    take_line(d, line, true);
}

void rf_md_line_begin(struct rf_md *d, struct rf_str line)
{
    take_line(d, line, false);
}

void rf_md_line_more(struct rf_md *d, struct rf_str bytes)
{
    if (d->leaf == RF_MD_FENCED || d->leaf == RF_MD_INDENTED)
        rf_md_code_add(d, bytes);
    else
        rf_md_text_add(d, bytes);
}

void rf_md_line_end(struct rf_md *d)
{
    if (d->leaf == RF_MD_FENCED || d->leaf == RF_MD_INDENTED)
        rf_md_code_end(d);
    else if (d->leaf == RF_MD_HEADING)
        rf_md_text_close(d);
}
