/* One sheet. Rows that follow each other without a gap are one table; its columns are those that
 * its first rows use, so up to BLOCK_CELLS cells wait until they are known. A block of one cell
 * is a paragraph. Longer runs of empty columns are narrowed to one. */
#include "worker/office/drawing.h"
#include "worker/office/sax.h"
#include "worker/office/xlsx.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_COLUMN 16384
#define MAX_ROW 1048576
#define BLOCK_CELLS 20000
#define BLOCK_BYTES ((size_t)2 << 20)
#define MAX_EMPTY_RUN 2 /* columns */
#define MAX_LINKS 1000
#define MAX_NUMBER 48

enum { ROW = 1, CELL, VALUE, FORMULA, INLINE_TEXT, PHONETIC, LINK, DRAWING, COMMENT, AUTHOR, TEXT };

enum cell_type { NUMBER, SHARED, PLAIN, BOOLEAN };

struct cell {
    int64_t row;
    int column;
    size_t at, n; /* of the block's text */
};

struct rf_xlsx_sheet {
    struct rf_xlsx *w;
    struct rf_rels rels;
    int64_t row; /* the one that is read, from 1 */
    int column;
    enum cell_type type;
    int64_t style;
    bool in_value, in_formula;
    unsigned phonetic;
    struct rf_buf value, formula;
    struct cell *cells; /* of the block, in their order */
    size_t n_cells, cap_cells;
    int64_t last_row; /* that has a cell in the block */
    struct rf_buf text;
    unsigned char used[MAX_COLUMN + 1]; /* columns that the block's table has */
    int first, last;                    /* of them */
    bool streaming;                     /* the table is begun: its columns stand */
    struct rf_str *links;
    size_t n_links, cap_links;
    struct rf_str drawing; /* id of its relationship */
};

/* "BC12" to a column from 1; 0 where it is not one. */
static int column_of(const char *ref)
{
    int column = 0;
    for (; ref && *ref >= 'A' && *ref <= 'Z'; ref++) {
        column = column * 26 + (*ref - 'A' + 1);
        if (column > MAX_COLUMN)
            return 0;
    }
    return column;
}

/* Blocks. */

static void narrow_columns(struct rf_xlsx_sheet *s)
{
    int run = 0;
    for (int c = s->first; c <= s->last; c++) {
        run = s->used[c] ? 0 : run + 1;
        if (run == 1)
            s->used[c] = 2; /* an empty one that is shown */
        if (run == MAX_EMPTY_RUN)
            s->used[c] = 2;
        if (run == MAX_EMPTY_RUN + 1)
            s->used[c - 1] = 0;
    }
}

static void write_row(struct rf_xlsx_sheet *s, size_t from, size_t to)
{
    struct rf_markup *md = &s->w->md;
    size_t i = from;

    rf_markup_row(md);
    for (int c = s->first; c <= s->last; c++) {
        if (!s->used[c])
            continue;
        rf_markup_cell(md);
        if (i < to && s->cells[i].column == c) {
            rf_markup_text(md, (struct rf_str){ s->text.p + s->cells[i].at, s->cells[i].n });
            i++;
        }
        rf_markup_cell_end(md);
    }
    rf_markup_row_end(md);
}

static void write_rows(struct rf_xlsx_sheet *s)
{
    for (size_t from = 0, to; from < s->n_cells; from = to) {
        for (to = from + 1; to < s->n_cells && s->cells[to].row == s->cells[from].row; to++)
            ;
        write_row(s, from, to);
    }
    s->n_cells = 0;
    s->text.n = 0;
    s->text.full = false;
}

/* Fix the columns of the table, and begin it. */
static void begin_table(struct rf_xlsx_sheet *s)
{
    memset(s->used, 0, sizeof s->used);
    s->first = MAX_COLUMN;
    s->last = 1;
    for (size_t i = 0; i < s->n_cells; i++) {
        int c = s->cells[i].column;
        s->used[c] = 1;
        s->first = c < s->first ? c : s->first;
        s->last = c > s->last ? c : s->last;
    }
    narrow_columns(s);
    rf_markup_table(&s->w->md);
    s->streaming = true;
}

static void end_block(struct rf_xlsx_sheet *s)
{
    struct rf_markup *md = &s->w->md;
    if (!s->streaming && s->n_cells == 1) {
        rf_markup_text(md, (struct rf_str){ s->text.p + s->cells[0].at, s->cells[0].n });
        rf_markup_paragraph(md, (struct rf_markup_style){ 0 });
        s->n_cells = 0;
        s->text.n = 0;
    } else if (s->streaming || s->n_cells) {
        if (!s->streaming)
            begin_table(s);
        write_rows(s);
        rf_markup_table_end(md);
    }
    s->streaming = false;
}

/* A row is done: does the block wait for more, or go out? */
static void end_row(struct rf_xlsx_sheet *s)
{
    if (s->streaming) {
        for (size_t i = 0; i < s->n_cells; i++) {
            if (s->used[s->cells[i].column])
                continue;
            rf_markup_table_end(
                &s->w->md); /* a column that the table does not have: another table */
            begin_table(s);
            break;
        }
        write_rows(s);
    } else if (s->n_cells > BLOCK_CELLS || s->text.n > BLOCK_BYTES) {
        begin_table(s);
        write_rows(s);
    }
}

static void begin_row(struct rf_xlsx_sheet *s, struct rf_sax *x)
{
    int64_t row = rf_sax_int(x, "r", s->row + 1);
    s->row = row > s->row && row <= MAX_ROW ? row : s->row + 1;
    s->column = 0;
}

/* Cells. */

static void begin_cell(struct rf_xlsx_sheet *s, struct rf_sax *x)
{
    struct rf_str type = rf_sax_str(x, "t");
    int column = column_of(rf_sax_attribute(x, "r"));

    s->column = column > s->column ? column : s->column + 1;
    s->style = rf_sax_int(x, "s", 0);
    s->type = !type.n || rf_str_is(type, "n") ? NUMBER
              : rf_str_is(type, "s")          ? SHARED
              : rf_str_is(type, "b")          ? BOOLEAN
                                              : PLAIN;
    s->value.n = s->formula.n = 0;
    s->value.full = s->formula.full = false;
}

static const struct rf_numfmt *format_of(const struct rf_xlsx_sheet *s)
{
    return s->style >= 0 && (size_t)s->style < s->w->n_formats ? s->w->formats[s->style] : NULL;
}

/* A number without a format: as it is kept, unless that shows more digits than the program
 * knows. */
static struct rf_str general(struct rf_str text, char room[MAX_NUMBER])
{
    bool digits = true;
    for (size_t i = 0; i < text.n; i++)
        digits = digits && (rf_is_digit(text.p[i]) || (text.p[i] == '-' && !i));
    if (text.n <= 15 || (digits && text.n <= 20) || text.n >= MAX_NUMBER)
        return text;
    char *end;
    double value = strtod(text.p, &end);
    if (end != text.p + text.n)
        return text;
    int n = snprintf(room, MAX_NUMBER, "%.15g", value);
    return (struct rf_str){ room, (size_t)n };
}

/* A number that is all of `text`, which has a NUL after it. One of up to 15 digits is a whole
 * number and a power of ten, both exact, and so is what comes of dividing them. */
static bool to_number(struct rf_str text, double *value)
{
    static const double powers[] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
    int64_t whole = 0;
    size_t decimals = 0, i = text.n && text.p[0] == '-';
    bool point = false;

    for (; i < text.n && text.n <= 16; i++) {
        if (rf_is_digit(text.p[i])) {
            whole = whole * 10 + (text.p[i] - '0');
            decimals += point;
        } else if (text.p[i] == '.' && !point && i) {
            point = true;
        } else {
            break;
        }
    }
    if (i == text.n && decimals <= 15 && whole < (int64_t)1000000000000000) {
        *value = (double)whole / powers[decimals];
        *value = text.p[0] == '-' ? -*value : *value;
        return true;
    }
    char *end;
    *value = strtod(text.p, &end);
    return end == text.p + text.n;
}

/* The value as it is shown; `room` may be used for it. */
static struct rf_str shown(struct rf_xlsx_sheet *s, char room[RF_NUMFMT_ROOM])
{
    const struct rf_numfmt *format = format_of(s);
    struct rf_str text = { s->value.p, s->value.n };
    int64_t index;
    double value;

    switch (s->type) {
    case SHARED:
        if (!rf_str_int64(rf_str_trim(text), &index) || index < 0 ||
            (uint64_t)index >= s->w->n_strings)
            return RF_STR("");
        return s->w->strings[index];
    case BOOLEAN:
        return rf_str_is(rf_str_trim(text), "1") ? RF_STR("TRUE") : RF_STR("FALSE");
    case PLAIN:
        return (struct rf_str){ s->value.p, rf_xlsx_unescape(s->value.p, s->value.n) };
    case NUMBER:
        break;
    }
    rf_buf_addc(&s->value, '\0'); /* for strtod; not part of `text` */
    if (!text.n || s->value.full)
        return text;
    text.p = s->value.p;
    if (!format)
        return general(text, room);
    if (!to_number(text, &value))
        return text;
    return (struct rf_str){ room,
                            rf_numfmt_write(format, value, s->w->epoch, room, RF_NUMFMT_ROOM) };
}

static void end_cell(struct rf_xlsx_sheet *s)
{
    char room[RF_NUMFMT_ROOM];
    struct rf_str text = s->value.n || s->type == SHARED ? shown(s, room) : RF_STR("");
    bool formula = !s->value.n && s->formula.n;

    if ((!formula && rf_str_blank(text)) || s->column > MAX_COLUMN)
        return;
    if ((s->n_cells || s->streaming) && s->row > s->last_row + 1)
        end_block(s);
    s->last_row = s->row;
    size_t at = s->text.n;
    if (formula) {
        rf_buf_addc(&s->text, '=');
        text = (struct rf_str){ s->formula.p, s->formula.n };
    }
    rf_markup_keep(&s->w->md, &s->text, text);
    *RF_PUSH(s->w->arena, s->cells, s->n_cells, s->cap_cells) =
        (struct cell){ s->row, s->column, at, s->text.n - at };
}

static void take_link(struct rf_xlsx_sheet *s, struct rf_sax *x)
{
    const struct rf_rel *rel = rf_rels_find(&s->rels, rf_sax_str(x, ":id"));
    struct rf_str ref = rf_sax_str(x, "ref");
    if (rel && rel->external && s->n_links < MAX_LINKS)
        *RF_PUSH(s->w->arena, s->links, s->n_links, s->cap_links) = rf_strf(
            s->w->arena, "Link %.*s: %.*s", (int)ref.n, ref.p, (int)rel->target.n, rel->target.p);
}

static void on_start(void *state, int id, struct rf_sax *x)
{
    struct rf_xlsx_sheet *s = state;
    switch (id) {
    case ROW:
        begin_row(s, x);
        break;
    case CELL:
        begin_cell(s, x);
        break;
    case VALUE:
        s->in_value = true;
        break;
    case INLINE_TEXT:
        s->in_value = !s->phonetic;
        break;
    case FORMULA:
        s->in_formula = true;
        break;
    case PHONETIC:
        s->phonetic++;
        break;
    case LINK:
        take_link(s, x);
        break;
    case DRAWING:
        s->drawing = rf_str_dup(s->w->arena, rf_sax_str(x, ":id"));
        break;
    default:
        break;
    }
}

static void on_end(void *state, int id, struct rf_sax *x)
{
    struct rf_xlsx_sheet *s = state;
    switch (id) {
    case CELL:
        end_cell(s);
        break;
    case ROW:
        end_row(s);
        if (rf_markup_over(&s->w->md))
            rf_sax_stop(x);
        break;
    case VALUE:
    case INLINE_TEXT:
        s->in_value = false;
        break;
    case FORMULA:
        s->in_formula = false;
        break;
    case PHONETIC:
        s->phonetic--;
        break;
    default:
        break;
    }
}

static void on_text(void *state, struct rf_str text)
{
    struct rf_xlsx_sheet *s = state;
    if (s->in_value)
        rf_markup_keep(&s->w->md, &s->value, text);
    else if (s->in_formula)
        rf_markup_keep(&s->w->md, &s->formula, text);
}

/* Comments on cells. */

struct comments {
    struct rf_xlsx *w;
    struct rf_buf text;
    struct rf_str ref;
    bool in_text;
};

static void comment_start(void *state, int id, struct rf_sax *x)
{
    struct comments *c = state;
    if (id == COMMENT) {
        c->text.n = 0;
        c->text.full = false;
        c->ref = rf_str_dup(c->w->arena, rf_sax_str(x, "ref"));
    }
    c->in_text = id == TEXT;
}

static void comment_end(void *state, int id, struct rf_sax *x)
{
    struct comments *c = state;
    struct rf_str text = rf_str_trim((struct rf_str){ c->text.p, c->text.n });

    c->in_text = false;
    if (id == COMMENT && text.n)
        rf_markup_line(&c->w->md, "Comment %.*s: %.*s", (int)c->ref.n, c->ref.p, (int)text.n,
                       text.p);
    if (rf_markup_over(&c->w->md))
        rf_sax_stop(x);
}

static void comment_text(void *state, struct rf_str text)
{
    struct comments *c = state;
    if (c->in_text)
        rf_markup_keep(&c->w->md, &c->text, text);
}

static void write_comments(struct rf_xlsx_sheet *s)
{
    static const struct rf_sax_word words[] = { { "comment", COMMENT }, { "t", TEXT } };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = comment_start,
        .end = comment_end,
        .text = comment_text,
    };
    struct comments c = { .w = s->w };
    struct rf_err ignored;
    int64_t member = rf_rels_member(s->w->zip, rf_rels_first(&s->rels, "comments"));

    rf_buf_init(&c.text, s->w->arena, RF_MARKUP_MAX_PARAGRAPH);
    if (member >= 0)
        (void)rf_sax_member(&grammar, &c, s->w->zip, member, &ignored);
}

static void write_drawing(struct rf_xlsx_sheet *s)
{
    const struct rf_rel *rel = rf_rels_find(&s->rels, s->drawing);
    int64_t member = rf_rels_member(s->w->zip, rel);
    struct rf_err ignored;
    if (member >= 0)
        (void)rf_drawing_write(s->w->zip, rel->target, member, RF_DRAWING_SHEET, &s->w->md,
                               &ignored);
}

static void write_links(struct rf_xlsx_sheet *s)
{
    for (size_t i = 0; i < s->n_links; i++) {
        rf_markup_text(&s->w->md, s->links[i]);
        rf_markup_paragraph(&s->w->md, (struct rf_markup_style){ .kind = RF_MARKUP_ITEM });
    }
}

/* One for all sheets: its buffers stay. */
static struct rf_xlsx_sheet *prepare(struct rf_xlsx *w)
{
    struct rf_xlsx_sheet *s = w->sheet;
    if (!s) {
        s = w->sheet = RF_NEW(w->arena, struct rf_xlsx_sheet);
        s->w = w;
        rf_buf_init(&s->value, w->arena, RF_MARKUP_MAX_PARAGRAPH);
        rf_buf_init(&s->formula, w->arena, RF_MARKUP_MAX_PARAGRAPH);
        rf_buf_init(&s->text, w->arena, BLOCK_BYTES + RF_MARKUP_MAX_PARAGRAPH);
    }
    s->row = s->last_row = 0;
    s->n_links = s->n_cells = s->text.n = 0;
    s->in_value = s->in_formula = s->streaming = false;
    s->phonetic = 0;
    s->drawing = RF_STR("");
    return s;
}

enum rf_code rf_xlsx_write_sheet(struct rf_xlsx *w, struct rf_str part, int64_t member,
                                 struct rf_err *err)
{
    static const struct rf_sax_word words[] = {
        { "row", ROW },       { "c", CELL },       { "v", VALUE },        { "f", FORMULA },
        { "t", INLINE_TEXT }, { "rPh", PHONETIC }, { "hyperlink", LINK }, { "drawing", DRAWING },
    };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = on_start,
        .end = on_end,
        .text = on_text,
    };
    struct rf_xlsx_sheet *s = prepare(w);

    rf_rels_load(&s->rels, w->zip, part);
    enum rf_code rc = rf_sax_member(&grammar, s, w->zip, member, err);
    end_block(s);
    write_links(s);
    write_comments(s);
    write_drawing(s);
    return rc;
}
