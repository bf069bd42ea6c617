/* OpenDocument spreadsheets: each sheet as a table of what its cells show.
 *
 * A cell's text is what the program that wrote the file showed: numbers and dates are formatted
 * there. Cells and rows say how often they repeat, and a sheet ends with a million empty ones:
 * empty cells are written only before others, empty rows not at all, and what repeats no more than
 * MAX_REPEAT times. */
#include "worker/office/odf.h"

#include "base/arena.h"

#define MAX_REPEAT 1000 /* of a row with text */
#define MAX_CELLS RF_MARKUP_MAX_COLUMNS

struct cell {
    size_t start, n;
    int64_t repeat;
};

struct sheets {
    const struct rf_odf *o;
    struct rf_markup md;
    int64_t sheet;   /* how many have begun */
    unsigned tables; /* open ones: a sheet may hold others in its cells */
    bool shown, in_cell, fold, skipped_rows;
    unsigned skip;      /* the depth of an element that is passed over; 0: none */
    struct rf_buf text; /* of the row */
    struct cell cells[MAX_CELLS];
    size_t cell_n, cell_text; /* cells of the row; how much text the open one has */
    const char *value;        /* what the open cell holds, where it shows nothing */
    int64_t row_repeat;
    struct rf_figure *pictures; /* of the sheet, which come after its rows */
    size_t picture_n, picture_cap;
};

enum { TABLE = 1, ROW, CELL, COVERED, P, S, TAB, BREAK, ANNOTATION, SHAPES, MASTER, FORMS, IMAGE };

static const struct rf_sax_word words[] = {
    { "table", TABLE },
    { "table-row", ROW },
    { "table-cell", CELL },
    { "covered-table-cell", COVERED },
    { "p", P },
    { "s", S },
    { "tab", TAB },
    { "line-break", BREAK },
    { "annotation", ANNOTATION },
    { "shapes", SHAPES },
    { "master-styles", MASTER },
    { "forms", FORMS },
    { "image", IMAGE },
};

static int64_t repeats(const struct rf_sax *x, const char *name)
{
    int64_t n = rf_sax_int(x, name, 1);

    return n < 1 ? 1 : n;
}

static void begin_sheet(struct sheets *s)
{
    const struct rf_odf *o = s->o;

    s->shown = s->sheet >= o->range.first && s->sheet < o->range.end;
    if (s->shown) {
        rf_office_page(o->pictures, s->sheet + 1, o->titles[s->sheet]);
        rf_markup_table(&s->md);
    }
    s->sheet++;
}

static void begin_cell(struct sheets *s, const struct rf_sax *x, bool covered)
{
    int64_t repeat = repeats(x, "number-columns-repeated");

    s->in_cell = s->cell_n < MAX_CELLS;
    if (!s->in_cell)
        return;
    s->cells[s->cell_n] = (struct cell){ .start = s->text.n, .repeat = repeat };
    s->fold = true;
    if (covered)
        return;
    struct rf_str value = rf_sax_str(x, "value");
    if (!value.n)
        value = rf_sax_str(x, "date-value");
    s->value = value.n ? rf_cstr(s->o->ask->arena, value) : NULL;
}

static void end_cell(struct sheets *s)
{
    struct cell *c = &s->cells[s->cell_n];

    if (!s->in_cell)
        return;
    if (s->text.n == c->start && s->value)
        rf_buf_add(&s->text, rf_str(s->value));
    c->n = s->text.n - c->start;
    s->value = NULL;
    s->in_cell = false;
    s->cell_n++;
}

static void write_row(struct sheets *s)
{
    int64_t empty = 0;

    rf_markup_row(&s->md);
    for (size_t i = 0; i < s->cell_n; i++) {
        const struct cell *c = &s->cells[i];
        struct rf_str text = rf_str_trim((struct rf_str){ s->text.p + c->start, c->n });
        if (!text.n) {
            empty += c->repeat < MAX_CELLS ? c->repeat : MAX_CELLS;
            continue;
        }
        rf_markup_cell_skip(&s->md, empty);
        empty = 0;
        for (int64_t k = 0; k < c->repeat && k < MAX_CELLS; k++) {
            rf_markup_cell(&s->md);
            rf_markup_text(&s->md, text);
            rf_markup_cell_end(&s->md);
        }
    }
    rf_markup_row_end(&s->md);
}

static void end_row(struct sheets *s)
{
    int64_t repeat = s->row_repeat;

    if (s->text.n == 0 || !s->shown)
        return;
    if (repeat > MAX_REPEAT) {
        repeat = MAX_REPEAT;
        s->skipped_rows = true;
    }
    for (int64_t i = 0; i < repeat && !rf_markup_over(&s->md); i++)
        write_row(s);
}

static void end_sheet(struct sheets *s)
{
    rf_markup_table_end(&s->md);
    for (size_t i = 0; i < s->picture_n; i++) {
        rf_markup_text(&s->md, rf_figure_words(s->o->ask->arena, &s->pictures[i]));
        rf_figures_add(s->o->pictures, &s->pictures[i]);
        rf_markup_paragraph(&s->md, (struct rf_markup_style){ 0 });
    }
    s->picture_n = 0;
    rf_markup_finish(&s->md);
}

static void start(void *state, int id, struct rf_sax *x)
{
    struct sheets *s = state;

    if (id == IMAGE && s->shown)
        *RF_PUSH(s->o->ask->arena, s->pictures, s->picture_n, s->picture_cap) =
            rf_odf_picture(s->o, x);
    if (s->skip)
        return;
    if (id == ANNOTATION || id == SHAPES || id == MASTER || id == FORMS) {
        s->skip = rf_sax_depth(x);
    } else if (id == TABLE) {
        if (s->tables++ == 0 && s->sheet < s->o->pages)
            begin_sheet(s);
        if (s->sheet >= s->o->range.end && !s->shown)
            rf_sax_stop(x);
    } else if (s->tables == 1 && id == ROW) {
        s->text.n = s->cell_n = 0;
        s->row_repeat = repeats(x, "number-rows-repeated");
    } else if (s->tables == 1 && (id == CELL || id == COVERED)) {
        begin_cell(s, x, id == COVERED);
    } else if (s->in_cell && id == P) {
        if (s->text.n > s->cells[s->cell_n].start)
            rf_buf_addc(&s->text, '\n');
        s->fold = true;
    } else if (s->in_cell && id == S) {
        for (int64_t i = repeats(x, "c"); i > 0 && i <= 100; i--)
            rf_buf_addc(&s->text, ' ');
    } else if (s->in_cell && (id == TAB || id == BREAK)) {
        rf_buf_addc(&s->text, id == TAB ? '\t' : '\n');
    }
    if (rf_markup_over(&s->md))
        rf_sax_stop(x);
}

static void end(void *state, int id, struct rf_sax *x)
{
    struct sheets *s = state;

    if (s->skip) {
        if (rf_sax_depth(x) <= s->skip)
            s->skip = 0;
        return;
    }
    if (id == TABLE && s->tables && --s->tables == 0 && s->shown) {
        end_sheet(s);
        s->shown = false;
        rf_answer_step(s->o->to, s->sheet - s->o->range.first, s->o->range.end - s->o->range.first);
    } else if (s->tables == 1 && id == ROW) {
        end_row(s);
    } else if (s->tables == 1 && (id == CELL || id == COVERED)) {
        end_cell(s);
    }
}

/* White space in XML is folded; more is spelled with elements. */
static void text(void *state, struct rf_str piece)
{
    struct sheets *s = state;

    if (s->skip || !s->in_cell || !s->shown)
        return;
    for (size_t i = 0; i < piece.n; i++) {
        char c = piece.p[i];
        bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!space || !s->fold)
            rf_buf_addc(&s->text, space ? ' ' : c);
        s->fold = space;
    }
    s->md.overflow |= s->text.full;
}

enum rf_code rf_odf_sheets(const struct rf_odf *o, struct rf_err *err)
{
    static const struct rf_sax_grammar grammar = { RF_SAX_WORDS(words), .start = start, .end = end,
                                                   .text = text };
    struct sheets *s = RF_NEW(o->ask->arena, struct sheets);

    s->o = o;
    rf_markup_init(&s->md, o->pictures);
    rf_buf_init(&s->text, o->ask->arena, RF_MARKUP_MAX_PARAGRAPH);
    enum rf_code rc = rf_odf_read(o, &grammar, s, err);
    if (s->shown)
        end_sheet(s);
    if (s->skipped_rows)
        rf_answer_note(o->to, "a row that repeats is shown %d times at most", MAX_REPEAT);
    return rc;
}
