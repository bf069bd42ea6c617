/* A chart keeps a copy of its numbers: each series has a name, categories and values, as points
 * with an index. They are gathered, then written as one table with a column a series. Numbers
 * are written as they are kept, rounded to 15 digits. */
#include "worker/office/chart.h"

#include "worker/office/sax.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_SERIES 64
#define MAX_POINTS 1000
#define MAX_TEXT 1000

enum {
    TITLE = 1,
    SERIES,
    NAME,
    CATEGORIES,
    VALUES,
    POINT,
    VALUE,
    TEXT,
    PARAGRAPH,
    AXIS,
    DATA,
    PT_TEXT,
    LABELS
};

struct series {
    struct rf_str name;
    struct rf_str categories[MAX_POINTS], values[MAX_POINTS];
    size_t n_categories, n_values;
};

struct chart {
    struct rf_arena *arena;
    struct rf_markup *md;
    struct series *series[MAX_SERIES];
    size_t n;
    bool in_series, in_title, in_axis, in_labels, wanted, too_many;
    int field; /* NAME, CATEGORIES or VALUES */
    size_t point;
    struct rf_buf text, title, axes;
};

static void chart_start(void *state, int id, struct rf_sax *x)
{
    struct chart *c = state;

    if (id == SERIES) {
        c->in_series = c->n < MAX_SERIES;
        c->too_many |= !c->in_series;
        if (c->in_series)
            c->series[c->n] = RF_NEW(c->arena, struct series);
    } else if ((id == NAME || id == CATEGORIES || id == VALUES) && rf_sax_parent(x, 1) == SERIES) {
        c->field = id;
        c->point = 0;
    } else if (id == POINT) {
        int64_t index = rf_sax_int(x, "idx", 0);
        c->point = index >= 0 && index < MAX_POINTS ? (size_t)index : MAX_POINTS;
        c->too_many |= c->point == MAX_POINTS;
    } else if (id == TITLE) {
        c->in_title = true;
    } else if (id == AXIS) {
        c->in_axis = true;
    } else if (id == LABELS) {
        c->in_labels = true;
    }
    c->wanted = id == VALUE || (id == TEXT && c->in_title);
    if (c->wanted)
        c->text.n = 0;
}

static void take_value(struct chart *c)
{
    struct series *s = c->series[c->n];
    struct rf_str text = rf_str_dup(c->arena, (struct rf_str){ c->text.p, c->text.n });

    if (c->field == NAME && !s->name.n)
        s->name = text;
    if (c->point >= MAX_POINTS)
        return;
    if (c->field == CATEGORIES && !s->categories[c->point].n) { /* of several levels, the lowest */
        s->categories[c->point] = text;
        s->n_categories = c->point >= s->n_categories ? c->point + 1 : s->n_categories;
    } else if (c->field == VALUES) {
        s->values[c->point] = text;
        s->n_values = c->point >= s->n_values ? c->point + 1 : s->n_values;
    }
}

static void take_title(struct chart *c)
{
    struct rf_buf *to = c->in_axis ? &c->axes : &c->title;
    rf_buf_add(to, (struct rf_str){ c->text.p, c->text.n });
}

static void chart_end(void *state, int id, struct rf_sax *x)
{
    struct chart *c = state;
    (void)x;

    if (id == VALUE && c->in_series && !c->in_labels)
        take_value(c);
    else if ((id == TEXT || id == VALUE) && c->in_title)
        take_title(c);
    else if (id == PARAGRAPH && c->in_title)
        rf_buf_addc(c->in_axis ? &c->axes : &c->title, ' ');
    else if (id == SERIES && c->in_series)
        c->n++;
    if (id == SERIES)
        c->in_series = false;
    else if (id == TITLE)
        c->in_title = false;
    else if (id == AXIS)
        c->in_axis = false;
    else if (id == LABELS)
        c->in_labels = false;
    else if (id == NAME || id == CATEGORIES || id == VALUES)
        c->field = 0;
    c->wanted = false;
}

static void chart_text(void *state, struct rf_str text)
{
    struct chart *c = state;
    if (c->wanted)
        rf_buf_add(&c->text, text);
}

static void write_cell(struct rf_markup *md, struct rf_str text)
{
    rf_markup_cell(md);
    rf_markup_text(md, text);
    rf_markup_cell_end(md);
}

/* "0.30000000000000004" is what a machine keeps, not what anybody wrote. */
static struct rf_str tidy_number(struct rf_arena *a, struct rf_str text)
{
    char *end;
    const char *s = rf_cstr(a, text);
    double value = strtod(s, &end);
    return text.n > 15 && !*end ? rf_strf(a, "%.15g", value) : text;
}

/* The series that knows the categories; the first one where none does. */
static const struct series *with_categories(const struct chart *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->series[i]->n_categories)
            return c->series[i];
    return c->series[0];
}

static void write_table(const struct chart *c, struct rf_markup *md)
{
    const struct series *categories = with_categories(c);
    size_t rows = categories->n_categories;

    rf_markup_table(md);
    rf_markup_row(md);
    write_cell(md, RF_STR(""));
    for (size_t i = 0; i < c->n; i++) {
        write_cell(md, c->series[i]->name);
        rows = c->series[i]->n_values > rows ? c->series[i]->n_values : rows;
    }
    rf_markup_row_end(md);
    for (size_t row = 0; row < rows; row++) {
        rf_markup_row(md);
        write_cell(md, tidy_number(c->arena, categories->categories[row]));
        for (size_t i = 0; i < c->n; i++)
            write_cell(md, tidy_number(c->arena, c->series[i]->values[row]));
        rf_markup_row_end(md);
    }
    rf_markup_table_end(md);
    md->tables--; /* not a table of the document */
}

void rf_chart_write(struct rf_unzip *zip, int64_t member, struct rf_markup *md)
{
    static const struct rf_sax_word words[] = {
        { "title", TITLE },     { "ser", SERIES },  { "tx", NAME },     { "cat", CATEGORIES },
        { "xVal", CATEGORIES }, { "val", VALUES },  { "yVal", VALUES }, { "pt", POINT },
        { "v", VALUE },         { "t", TEXT },      { "p", PARAGRAPH }, { "catAx", AXIS },
        { "valAx", AXIS },      { "dateAx", AXIS }, { "serAx", AXIS },  { "dLbls", LABELS },
    };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = chart_start,
        .end = chart_end,
        .text = chart_text,
    };
    struct chart c = { .arena = rf_arena_new(), .md = md };
    struct rf_err ignored;

    rf_buf_init(&c.text, c.arena, MAX_TEXT);
    rf_buf_init(&c.title, c.arena, MAX_TEXT);
    rf_buf_init(&c.axes, c.arena, MAX_TEXT);
    (void)rf_sax_member(&grammar, &c, zip, member, &ignored);
    struct rf_str title = rf_str_trim((struct rf_str){ c.title.p, c.title.n });
    struct rf_str axes = rf_str_trim((struct rf_str){ c.axes.p, c.axes.n });
    if (c.n || title.n)
        rf_markup_line(md, "[Chart%s%.*s]", title.n ? ": " : "", (int)title.n,
                       title.p ? title.p : "");
    if (axes.n)
        rf_markup_line(md, "Axes: %.*s", (int)axes.n, axes.p);
    if (c.n)
        write_table(&c, md);
    if (c.too_many)
        rf_answer_note(md->to, "a chart has more data than is shown");
    rf_arena_free(c.arena);
}

struct diagram {
    struct rf_markup *md;
    bool wanted;
};

static void diagram_start(void *state, int id, struct rf_sax *x)
{
    struct diagram *d = state;
    (void)x;
    d->wanted = id == TEXT;
}

static void diagram_end(void *state, int id, struct rf_sax *x)
{
    struct diagram *d = state;
    (void)x;
    d->wanted = false;
    if (id == PARAGRAPH)
        rf_markup_paragraph(d->md, (struct rf_markup_style){ .kind = RF_MARKUP_ITEM });
}

static void diagram_text(void *state, struct rf_str text)
{
    struct diagram *d = state;
    if (d->wanted)
        rf_markup_text(d->md, text);
}

void rf_diagram_write(struct rf_unzip *zip, int64_t member, struct rf_markup *md)
{
    static const struct rf_sax_word words[] = { { "t", TEXT }, { "p", PARAGRAPH } };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = diagram_start,
        .end = diagram_end,
        .text = diagram_text,
    };
    struct diagram d = { .md = md };
    struct rf_err ignored;
    (void)rf_sax_member(&grammar, &d, zip, member, &ignored);
}
