/* Word documents: the body as Markdown, then footnotes, endnotes and comments, then each header
 * and footer once.
 *
 * One grammar reads all of these parts. Tracked changes are shown as accepted: what was deleted
 * or moved away is passed over. Of alternatives the first is taken. Hidden text is left out,
 * with a note, and so are documents embedded in the document. Fields show their last result. */
#include "base/utf8.h"
#include "worker/office/chart.h"
#include "worker/office/docx_styles.h"
#include "worker/office/markdown.h"
#include "worker/office/media.h"
#include "worker/office/office.h"
#include "worker/office/opc.h"
#include "worker/office/sax.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_PARAGRAPHS_OPEN 64 /* one inside the other, through text boxes */
#define MAX_FIELDS 32          /* one inside the other */
#define MAX_NOTES 4096         /* of a kind */
#define MAX_PENDING 64         /* charts and diagrams of one paragraph */
#define MAX_INSTRUCTION 4096
#define MAX_EDGES 64 /* different headers and footers */
#define MAX_ALT 300

enum {
    PARAGRAPH = 1,
    RUN,
    TEXT,
    TAB,
    BREAK,
    NO_BREAK_HYPHEN,
    SYMBOL,
    PPR,
    RPR,
    STYLE,
    ILVL,
    NUM_ID,
    OUTLINE,
    TABLE,
    ROW,
    CELL,
    GRID_SPAN,
    GRID_BEFORE,
    ROW_PR,
    DELETED,
    SKIPPED,
    VANISH,
    LINK,
    FIELD_CHAR,
    FIELD,
    INSTRUCTION,
    BOX,
    ALTERNATIVES,
    CHOICE,
    FALLBACK,
    FOOTNOTE_REF,
    ENDNOTE_REF,
    COMMENT_REF,
    NOTE,
    COMMENT,
    PICTURE_PR,
    BLIP,
    IMAGE_DATA,
    CHART,
    DIAGRAM,
    TEXT_PATH,
    ALT_CHUNK,
    NUMERATOR,
    DENOMINATOR,
    SUPERSCRIPT,
    SUBSCRIPT,
    RADICAL
};

static const struct rf_sax_word words[] = {
    { "p", PARAGRAPH },
    { "r", RUN },
    { "t", TEXT },
    { "tab", TAB },
    { "ptab", TAB },
    { "br", BREAK },
    { "cr", BREAK },
    { "noBreakHyphen", NO_BREAK_HYPHEN },
    { "sym", SYMBOL },
    { "pPr", PPR },
    { "rPr", RPR },
    { "pStyle", STYLE },
    { "ilvl", ILVL },
    { "numId", NUM_ID },
    { "outlineLvl", OUTLINE },
    { "tbl", TABLE },
    { "tr", ROW },
    { "tc", CELL },
    { "gridSpan", GRID_SPAN },
    { "gridBefore", GRID_BEFORE },
    { "trPr", ROW_PR },
    { "del", DELETED },
    { "moveFrom", DELETED },
    { "rt", SKIPPED }, /* the reading above Japanese text */
    { "pPrChange", SKIPPED },
    { "rPrChange", SKIPPED },
    { "tblPrChange", SKIPPED },
    { "trPrChange", SKIPPED },
    { "tcPrChange", SKIPPED },
    { "sectPrChange", SKIPPED },
    { "numberingChange", SKIPPED },
    { "vanish", VANISH },
    { "hyperlink", LINK },
    { "fldChar", FIELD_CHAR },
    { "fldSimple", FIELD },
    { "instrText", INSTRUCTION },
    { "txbxContent", BOX },
    { "AlternateContent", ALTERNATIVES },
    { "Choice", CHOICE },
    { "Fallback", FALLBACK },
    { "footnoteReference", FOOTNOTE_REF },
    { "endnoteReference", ENDNOTE_REF },
    { "commentReference", COMMENT_REF },
    { "footnote", NOTE },
    { "endnote", NOTE },
    { "comment", COMMENT },
    { "docPr", PICTURE_PR },
    { "blip", BLIP },
    { "imagedata", IMAGE_DATA },
    { "chart", CHART },
    { "relIds", DIAGRAM },
    { "textpath", TEXT_PATH },
    { "altChunk", ALT_CHUNK },
    { "num", NUMERATOR },
    { "den", DENOMINATOR },
    { "sup", SUPERSCRIPT },
    { "sub", SUBSCRIPT },
    { "rad", RADICAL },
};

struct paragraph {
    struct rf_str style;
    char style_room[64];
    int64_t num_id, num_level, outline; /* -1: not said */
    bool joined;                        /* its end was deleted: the next one goes on with it */
};

struct field {
    bool in_code;
    size_t code; /* where its instruction starts */
    bool link;
};

enum { FOOTNOTES, ENDNOTES, COMMENTS, KINDS };

struct notes {
    int64_t *ids; /* in the order of their marks in the text */
    size_t n, cap;
};

struct docx {
    struct rf_unzip *zip;
    struct rf_arena *arena;
    struct rf_markup md;
    struct rf_rels rels; /* of the part that is read */
    struct rf_docx_styles styles;
    struct paragraph open[MAX_PARAGRAPHS_OPEN + 1];
    unsigned paragraphs;
    struct field fields[MAX_FIELDS];
    unsigned n_fields, fields_too_many;
    struct rf_buf instructions; /* of all open fields */
    unsigned skip_depth;        /* elements deeper than this are passed over; 0: none are */
    bool note_begins;           /* white space in front of it is left out */
    bool in_text, in_instruction, hidden, choice_taken, row_deleted;
    int64_t spans[RF_MARKUP_MAX_DEPTH + 1]; /* of the cells in the making, by their depth */
    struct rf_str url, alt;
    struct notes notes[KINDS];
    int kind; /* of the notes that are read */
    struct {
        int id;
        int64_t member;
    } pending[MAX_PENDING];
    size_t n_pending;
    bool said_hidden, said_chunk;
    struct rf_str edges[MAX_EDGES];
    size_t n_edges;
};

static struct paragraph *current(struct docx *d)
{
    return &d->open[d->paragraphs < MAX_PARAGRAPHS_OPEN ? d->paragraphs : MAX_PARAGRAPHS_OPEN];
}

static bool is_on(struct rf_sax *x)
{
    struct rf_str value = rf_sax_str(x, "val");
    return !rf_str_is(value, "0") && !rf_str_is(value, "false") && !rf_str_is(value, "off");
}

static bool in_code(const struct docx *d)
{
    for (unsigned i = 0; i < d->n_fields; i++)
        if (d->fields[i].in_code)
            return true;
    return false;
}

static void say(struct docx *d, struct rf_str text)
{
    if (d->hidden || in_code(d))
        return;
    while (d->note_begins && text.n && (*text.p == ' ' || *text.p == '\t'))
        text = (struct rf_str){ text.p + 1, text.n - 1 };
    d->note_begins = d->note_begins && !text.n;
    rf_markup_text(&d->md, text);
}

static void skip(struct docx *d, struct rf_sax *x)
{
    d->skip_depth = rf_sax_depth(x);
}

/* Paragraphs. */

static void begin_paragraph(struct docx *d)
{
    d->paragraphs++;
    struct paragraph *p = current(d);
    p->style = RF_STR("");
    p->num_id = p->num_level = p->outline = -1;
    p->joined = false;
}

static struct rf_markup_style style_of(struct docx *d, const struct paragraph *p)
{
    struct rf_docx_meaning meaning = rf_docx_style_meaning(&d->styles, p->style);
    int64_t num = p->num_id >= 0 ? p->num_id : meaning.num_id;
    int64_t level = p->num_level >= 0 ? p->num_level : meaning.num_level;

    if (p->outline >= 0)
        meaning.heading = p->outline < 9 ? (int)p->outline + 1 : 0;
    if (level < 0)
        level = 0;
    struct rf_str label = num > 0 ? rf_docx_next_label(&d->styles, num, level) : RF_STR("");
    if (meaning.heading > 0)
        return (struct rf_markup_style){ RF_MARKUP_HEADING, meaning.heading,
                                         rf_str_is(label, "-") ? RF_STR("") : label };
    if (label.n)
        return (struct rf_markup_style){ RF_MARKUP_ITEM, (int)(level < 8 ? level : 8), label };
    return (struct rf_markup_style){ 0 };
}

static void write_pending(struct docx *d)
{
    size_t n = d->n_pending;
    d->n_pending = 0;
    for (size_t i = 0; i < n && !rf_markup_over(&d->md); i++) {
        if (d->pending[i].id == CHART)
            rf_chart_write(d->zip, d->pending[i].member, &d->md);
        else
            rf_diagram_write(d->zip, d->pending[i].member, &d->md);
    }
}

static void end_paragraph(struct docx *d)
{
    struct paragraph *p = current(d);
    if (!p->joined) {
        rf_markup_paragraph(&d->md, style_of(d, p)); /* an empty one counts on, too */
        write_pending(d);
    }
    d->paragraphs -= d->paragraphs > 0;
}

static void paragraph_property(struct docx *d, int id, struct rf_sax *x)
{
    struct paragraph *p = current(d);
    struct rf_str value = rf_sax_str(x, "val");

    if (id == STYLE && value.n < sizeof p->style_room) {
        memcpy(p->style_room, value.p, value.n);
        p->style = (struct rf_str){ p->style_room, value.n };
    } else if (id == ILVL) {
        p->num_level = rf_sax_int(x, "val", 0);
    } else if (id == NUM_ID) {
        p->num_id = rf_sax_int(x, "val", 0);
    } else if (id == OUTLINE) {
        p->outline = rf_sax_int(x, "val", 9);
    }
}

/* "F0FC" in a font of symbols: those that carry meaning in running text. */
static void say_symbol(struct docx *d, struct rf_sax *x)
{
    static const struct {
        unsigned long code;
        const char *text;
    } known[] = { { 0xF0FC, "✓" }, { 0xF0FB, "✗" }, { 0xF0FE, "☑" }, { 0xF0FD, "☒" },
                  { 0xF0A8, "☐" }, { 0xF06F, "☐" }, { 0xF0E0, "→" }, { 0xF0DF, "←" },
                  { 0xF0B7, "•" }, { 0xF0A7, "▪" }, { 0xF04A, "☺" } };
    const char *text = rf_sax_attribute(x, "char");
    unsigned long code = text ? strtoul(text, NULL, 16) : 0;
    char utf8[4];

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            say(d, rf_str(known[i].text));
    if (code >= ' ' && code < 0xD800)
        say(d, (struct rf_str){ utf8, rf_utf8_put((uint32_t)code, utf8) });
}

/* Fields: begin, instruction, separate, result, end. */

static void begin_field(struct docx *d)
{
    if (d->n_fields == MAX_FIELDS) {
        d->fields_too_many++;
        return;
    }
    d->fields[d->n_fields++] = (struct field){ .in_code = true, .code = d->instructions.n };
}

/* The URL of HYPERLINK "url"; empty where it is another instruction, or a place in the document. */
static struct rf_str field_url(struct rf_str code)
{
    code = rf_str_trim(code);
    if (!rf_str_starts(code, "HYPERLINK"))
        return RF_STR("");
    const char *from = memchr(code.p, '"', code.n);
    const char *local = memmem(code.p, code.n, "\\l", 2);
    if (!from || (local && local < from))
        return RF_STR("");
    size_t rest = code.n - (size_t)(from + 1 - code.p);
    const char *to = memchr(from + 1, '"', rest);
    return to ? (struct rf_str){ from + 1, (size_t)(to - from - 1) } : RF_STR("");
}

static struct rf_str code_of(const struct docx *d, const struct field *f)
{
    if (f->code >= d->instructions.n)
        return RF_STR("");
    return (struct rf_str){ d->instructions.p + f->code, d->instructions.n - f->code };
}

static void separate_field(struct docx *d)
{
    struct field *f = d->n_fields ? &d->fields[d->n_fields - 1] : NULL;
    if (!f || d->fields_too_many)
        return;
    f->in_code = false;
    if (!in_code(d) && field_url(code_of(d, f)).n) {
        f->link = true;
        rf_markup_link(&d->md);
    }
}

static void end_field(struct docx *d)
{
    if (d->fields_too_many) {
        d->fields_too_many--;
        return;
    }
    if (!d->n_fields)
        return;
    struct field *f = &d->fields[--d->n_fields];
    if (f->link)
        rf_markup_link_end(&d->md, field_url(code_of(d, f)));
    d->instructions.n = f->code;
    d->instructions.full = false;
}

static void field_char(struct docx *d, struct rf_sax *x)
{
    struct rf_str type = rf_sax_str(x, "fldCharType");
    if (rf_str_is(type, "begin"))
        begin_field(d);
    else if (rf_str_is(type, "separate"))
        separate_field(d);
    else if (rf_str_is(type, "end"))
        end_field(d);
}

/* Links, notes, pictures. */

static void begin_link(struct docx *d, struct rf_sax *x)
{
    const struct rf_rel *rel = rf_rels_find(&d->rels, rf_sax_str(x, ":id"));
    d->url = rel && rel->external ? rel->target : RF_STR("");
    rf_markup_link(&d->md);
}

/* The number of a note: its place among those that were marked so far. */
static size_t mark(struct docx *d, int kind, int64_t id)
{
    struct notes *notes = &d->notes[kind];
    for (size_t i = notes->n; i > 0; i--)
        if (notes->ids[i - 1] == id)
            return i;
    if (notes->n >= MAX_NOTES)
        return 0;
    *RF_PUSH(d->arena, notes->ids, notes->n, notes->cap) = id;
    return notes->n;
}

static const char *const mark_words[KINDS] = { "^", "^e", "^c" };

static void say_mark(struct docx *d, int kind, struct rf_sax *x)
{
    char text[48];
    size_t number = mark(d, kind, rf_sax_int(x, "id", -1));
    if (!number)
        return;
    int n = snprintf(text, sizeof text, "[%s%zu]", mark_words[kind], number);
    say(d, (struct rf_str){ text, (size_t)n });
}

static size_t number_of(const struct docx *d, int64_t id)
{
    const struct notes *notes = &d->notes[d->kind];
    for (size_t i = 0; i < notes->n; i++)
        if (notes->ids[i] == id)
            return i + 1;
    return 0;
}

/* A footnote, an endnote or a comment begins; those that no mark refers to are passed over. */
static void begin_note(struct docx *d, int id, struct rf_sax *x)
{
    size_t number = number_of(d, rf_sax_int(x, "id", -1));
    if (!number) {
        skip(d, x);
        return;
    }
    struct rf_str author =
        id == COMMENT ? rf_utf8_cut(rf_sax_str(x, "author"), MAX_ALT) : RF_STR("");
    char text[64];
    int n = snprintf(text, sizeof text, "[%s%zu]: ", mark_words[d->kind], number);
    rf_markup_text(&d->md, (struct rf_str){ text, (size_t)n });
    d->note_begins = true;
    if (author.n) {
        rf_markup_text(&d->md, author);
        rf_markup_text(&d->md, RF_STR(": "));
    }
}

static void say_picture(struct docx *d, struct rf_str rel_id)
{
    const struct rf_rel *rel = rf_rels_find(&d->rels, rel_id);
    struct rf_figure picture = {
        .id = rf_rels_member(d->zip, rel),
        .name = rel && !rel->external ? rf_rel_name(rel) : RF_STR(""),
        .alt = d->alt,
    };

    d->alt = RF_STR("");
    if (d->hidden || in_code(d))
        return;
    say(d, rf_figure_words(d->arena, &picture));
    rf_figures_add(d->md.pictures, &picture);
}

static void picture_properties(struct docx *d, struct rf_sax *x)
{
    struct rf_str alt = rf_str_trim(rf_utf8_cut(rf_sax_str(x, "descr"), MAX_ALT));
    d->alt = alt.n ? rf_str_dup(d->arena, alt) : RF_STR("");
}

static void add_pending(struct docx *d, int id, struct rf_sax *x)
{
    const struct rf_rel *rel = rf_rels_find(&d->rels, rf_sax_str(x, id == CHART ? ":id" : ":dm"));
    int64_t member = rf_rels_member(d->zip, rel);
    if (member < 0 || d->n_pending == MAX_PENDING)
        return;
    d->pending[d->n_pending].id = id;
    d->pending[d->n_pending++].member = member;
}

/* Deleted text is passed over; as a property, it says that a paragraph's end or a row was
 * deleted. */
static void deleted(struct docx *d, struct rf_sax *x)
{
    int parent = rf_sax_parent(x, 1);
    if (parent == RPR && rf_sax_parent(x, 2) == PPR)
        current(d)->joined = true;
    else if (parent == ROW_PR)
        d->row_deleted = true;
    else if (parent != RPR)
        skip(d, x);
}

static void run_start(struct docx *d, int id, struct rf_sax *x)
{
    int parent = rf_sax_parent(x, 1);

    if (id == TAB && parent == RUN)
        say(d, RF_STR("\t"));
    else if (id == BREAK)
        say(d, RF_STR("\n"));
    else if (id == NO_BREAK_HYPHEN)
        say(d, RF_STR("-"));
    else if (id == SYMBOL)
        say_symbol(d, x);
    else if (id == VANISH && rf_sax_parent(x, 2) == RUN)
        d->hidden = is_on(x);
    else if (id == FIELD_CHAR)
        field_char(d, x);
    else if (id == FOOTNOTE_REF)
        say_mark(d, FOOTNOTES, x);
    else if (id == ENDNOTE_REF)
        say_mark(d, ENDNOTES, x);
    else if (id == COMMENT_REF)
        say_mark(d, COMMENTS, x);
    else if (id == PICTURE_PR)
        picture_properties(d, x);
    else if (id == BLIP)
        say_picture(d, rf_sax_str(x, ":embed"));
    else if (id == IMAGE_DATA)
        say_picture(d, rf_sax_str(x, ":id"));
    else if (id == TEXT_PATH)
        say(d, rf_sax_str(x, "string"));
    else if (id == CHART || id == DIAGRAM)
        add_pending(d, id, x);
}

/* Formulas, as one would type them. */
static void formula_start(struct docx *d, int id)
{
    if (id == NUMERATOR)
        say(d, RF_STR("("));
    else if (id == DENOMINATOR)
        say(d, RF_STR("/("));
    else if (id == SUPERSCRIPT)
        say(d, RF_STR("^("));
    else if (id == SUBSCRIPT)
        say(d, RF_STR("_("));
    else if (id == RADICAL)
        say(d, RF_STR("√("));
}

static void begin_field_simple(struct docx *d, struct rf_sax *x)
{
    begin_field(d);
    rf_buf_add(&d->instructions, rf_sax_str(x, "instr"));
    separate_field(d);
}

static void table_start(struct docx *d, int id, struct rf_sax *x)
{
    if (id == TABLE) {
        rf_markup_table(&d->md);
    } else if (id == ROW) {
        d->row_deleted = false;
        rf_markup_row(&d->md);
    } else if (id == CELL && d->row_deleted) {
        skip(d, x);
    } else if (id == CELL) {
        rf_markup_cell(&d->md);
        d->spans[d->md.depth] = 1;
    } else if (id == GRID_SPAN) {
        d->spans[d->md.depth] = rf_sax_int(x, "val", 1);
    } else if (id == GRID_BEFORE) {
        rf_markup_cell_skip(&d->md, rf_sax_int(x, "val", 0));
    }
}

static void on_start(void *state, int id, struct rf_sax *x)
{
    struct docx *d = state;

    if (!id || d->skip_depth)
        return;
    switch (id) {
    case PARAGRAPH:
        begin_paragraph(d);
        break;
    case TEXT:
        d->in_text = true;
        break;
    case RUN:
        d->hidden = false;
        break;
    case STYLE:
    case ILVL:
    case NUM_ID:
    case OUTLINE:
        paragraph_property(d, id, x);
        break;
    case TABLE:
    case ROW:
    case CELL:
    case GRID_SPAN:
    case GRID_BEFORE:
        table_start(d, id, x);
        break;
    case DELETED:
        deleted(d, x);
        break;
    case SKIPPED:
        skip(d, x);
        break;
    case LINK:
        begin_link(d, x);
        break;
    case FIELD:
        begin_field_simple(d, x);
        break;
    case INSTRUCTION:
        d->in_instruction = true;
        break;
    case BOX:
        rf_markup_box(&d->md);
        break;
    case ALTERNATIVES:
        d->choice_taken = false;
        break;
    case CHOICE:
    case FALLBACK:
        if (d->choice_taken)
            skip(d, x);
        break;
    case NOTE:
    case COMMENT:
        begin_note(d, id, x);
        break;
    case ALT_CHUNK:
        if (!d->said_chunk)
            rf_answer_note(d->md.to, "a document embedded in the document was left out");
        d->said_chunk = true;
        break;
    case NUMERATOR:
    case DENOMINATOR:
    case SUPERSCRIPT:
    case SUBSCRIPT:
    case RADICAL:
        formula_start(d, id);
        break;
    default:
        run_start(d, id, x);
    }
}

static void on_end(void *state, int id, struct rf_sax *x)
{
    struct docx *d = state;

    if (d->skip_depth) {
        if (rf_sax_depth(x) == d->skip_depth)
            d->skip_depth = 0;
        return;
    }
    switch (id) {
    case TEXT:
        d->in_text = false;
        break;
    case PARAGRAPH:
        end_paragraph(d);
        break;
    case RUN:
        d->hidden = false;
        break;
    case TABLE:
        rf_markup_table_end(&d->md);
        break;
    case ROW:
        rf_markup_row_end(&d->md);
        break;
    case CELL: {
        int64_t span = d->spans[d->md.depth];
        rf_markup_cell_end(&d->md);
        rf_markup_cell_skip(&d->md, span - 1);
        break;
    }
    case LINK:
        rf_markup_link_end(&d->md, d->url);
        break;
    case FIELD:
        end_field(d);
        break;
    case INSTRUCTION:
        d->in_instruction = false;
        break;
    case BOX:
        rf_markup_box_end(&d->md);
        break;
    case CHOICE:
        d->choice_taken = true;
        break;
    case NUMERATOR:
    case DENOMINATOR:
    case SUPERSCRIPT:
    case SUBSCRIPT:
    case RADICAL:
        say(d, RF_STR(")"));
        break;
    case NOTE:
    case COMMENT:
        d->note_begins = false;
        rf_markup_paragraph(&d->md, (struct rf_markup_style){ 0 });
        break;
    default:
        break;
    }
    if (rf_markup_over(&d->md))
        rf_sax_stop(x);
}

static void on_text(void *state, struct rf_str text)
{
    struct docx *d = state;
    if (d->skip_depth)
        return;
    if (d->in_instruction)
        rf_buf_add(&d->instructions, text);
    else if (d->in_text && d->hidden)
        d->said_hidden = true;
    else if (d->in_text)
        say(d, text);
}

static const struct rf_sax_grammar grammar = {
    RF_SAX_WORDS(words),
    .start = on_start,
    .end = on_end,
    .text = on_text,
};

/* Read one part into the Markdown. */
static enum rf_code read_part(struct docx *d, struct rf_str part, int64_t member,
                              struct rf_err *err)
{
    rf_rels_load(&d->rels, d->zip, part);
    d->paragraphs = d->n_fields = d->fields_too_many = d->skip_depth = 0;
    d->instructions.n = 0;
    d->in_text = d->in_instruction = d->hidden = d->choice_taken = d->row_deleted = false;
    enum rf_code rc = rf_sax_member(&grammar, d, d->zip, member, err);
    rf_markup_paragraph(&d->md, (struct rf_markup_style){ 0 });
    return rc;
}

static void read_notes(struct docx *d, struct rf_rels *rels, const char *type, int kind)
{
    const struct rf_rel *rel = rf_rels_first(rels, type);
    int64_t member = rf_rels_member(d->zip, rel);
    struct rf_err err;

    d->kind = kind;
    if (member >= 0 && d->notes[kind].n && !rf_markup_over(&d->md) &&
        read_part(d, rel->target, member, &err))
        rf_answer_note(d->md.to, "the %s could not be read to their end: %s", type, err.msg);
}

/* Nothing but the bars of a table? */
static bool is_empty_edge(struct rf_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!strchr("| -\n", text.p[i]))
            return false;
    return true;
}

static bool is_new_edge(struct docx *d, struct rf_str text)
{
    for (size_t i = 0; i < d->n_edges; i++)
        if (rf_str_eq(d->edges[i], text))
            return false;
    if (d->n_edges == MAX_EDGES)
        return false;
    d->edges[d->n_edges++] = text;
    return true;
}

/* Each different header or footer once, after a line. */
static void read_edges(struct docx *d, const struct rf_rels *rels, const char *type,
                       const char *label)
{
    for (size_t i = 0; i < rels->n && !rf_markup_over(&d->md); i++) {
        const struct rf_rel *rel = &rels->items[i];
        int64_t member = rf_str_is(rel->type, type) ? rf_rels_member(d->zip, rel) : -1;
        struct rf_err ignored;
        if (member < 0)
            continue;
        rf_markup_box(&d->md);
        (void)read_part(d, rel->target, member, &ignored);
        struct rf_str text = rf_str_trim(rf_markup_box_take(&d->md));
        if (is_empty_edge(text))
            continue;
        bool first = d->n_edges == 0;
        text = rf_str_dup(d->arena, text);
        if (!is_new_edge(d, text))
            continue;
        if (first)
            rf_markup_line(&d->md, "---");
        rf_markup_text(&d->md, rf_str(label));
        rf_markup_text(&d->md, rf_str_starts(text, "|") ? RF_STR("\n\n") : RF_STR(""));
        rf_markup_text(&d->md, text);
        rf_markup_paragraph(&d->md, (struct rf_markup_style){ 0 });
    }
}

static void read_all(struct docx *d, struct rf_str part, struct rf_answer *to)
{
    struct rf_rels rels;
    struct rf_err err;

    rf_rels_load(&rels, d->zip, part);
    rf_docx_styles_read(&d->styles, d->zip, rf_rels_member(d->zip, rf_rels_first(&rels, "styles")),
                        rf_rels_member(d->zip, rf_rels_first(&rels, "numbering")));
    rf_office_page(d->md.pictures, 1, RF_STR(""));
    if (read_part(d, part, rf_unzip_find(d->zip, part), &err)) {
        if (err.code == RF_ELIMIT || !rf_markup_begun(&d->md)) {
            rf_office_fail(to, &err);
            return;
        }
        rf_answer_note(to, "the document could not be read to its end: %s", err.msg);
    }
    int64_t tables = d->md.tables;
    read_notes(d, &rels, "footnotes", FOOTNOTES);
    read_notes(d, &rels, "endnotes", ENDNOTES);
    read_notes(d, &rels, "comments", COMMENTS);
    read_edges(d, &rels, "header", "Header: ");
    read_edges(d, &rels, "footer", "Footer: ");
    rf_markup_finish(&d->md);
    if (d->said_hidden)
        rf_answer_note(to, "the document has hidden text, which was left out");
    rf_answer_fact(to, "tables", "%lld", (long long)tables);
}

void rf_office_docx(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to)
{
    struct rf_office_range range;
    struct rf_str part;
    struct docx *d = RF_NEW(ask->arena, struct docx);

    if (!rf_office_range(ask, 1, &range, to))
        return;
    (void)rf_opc_main(zip, &part);
    d->zip = zip;
    d->arena = ask->arena;
    rf_buf_init(&d->instructions, d->arena, MAX_INSTRUCTION);
    rf_markup_init(&d->md, rf_media_open(ask, zip, to));
    rf_answer_fact(to, "pages", "1");
    rf_opc_properties(zip, to);
    read_all(d, part, to);
    rf_media_end(d->md.pictures, &range, 1);
}
