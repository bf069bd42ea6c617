/* Shapes come in the order they were drawn in, which is mostly that of reading. A placeholder's
 * type says what a shape is for; one without a type is the body. */
#include "worker/office/drawing.h"

#include "base/utf8.h"
#include "worker/office/chart.h"
#include "worker/office/sax.h"

#include <stdio.h>

#define MAX_ALT 300
#define LEVELS 9

enum {
    SLIDE = 1,
    SHAPE,
    PLACEHOLDER,
    PROPERTIES,
    PARAGRAPH,
    PPR,
    RPR,
    RUN,
    TEXT,
    BREAK,
    NO_BULLET,
    BULLET,
    AUTO_NUMBER,
    TABLE,
    ROW,
    CELL,
    PICTURE,
    BLIP,
    CHART,
    DIAGRAM,
    LINK,
    ALTERNATIVES,
    CHOICE,
    FALLBACK
};

static const struct rf_sax_word words[] = {
    { "sld", SLIDE },
    { "sp", SHAPE },
    { "cxnSp", SHAPE },
    { "ph", PLACEHOLDER },
    { "cNvPr", PROPERTIES },
    { "p", PARAGRAPH },
    { "pPr", PPR },
    { "rPr", RPR },
    { "r", RUN },
    { "fld", RUN },
    { "t", TEXT },
    { "br", BREAK },
    { "buNone", NO_BULLET },
    { "buChar", BULLET },
    { "buBlip", BULLET },
    { "buAutoNum", AUTO_NUMBER },
    { "tbl", TABLE },
    { "tr", ROW },
    { "tc", CELL },
    { "pic", PICTURE },
    { "blip", BLIP },
    { "chart", CHART },
    { "relIds", DIAGRAM },
    { "hlinkClick", LINK },
    { "AlternateContent", ALTERNATIVES },
    { "Choice", CHOICE },
    { "Fallback", FALLBACK },
};

enum purpose { NO_PURPOSE, IS_TITLE, IS_BODY, IS_NUMBER, IS_OTHER };

struct drawing {
    struct rf_unzip *zip;
    struct rf_rels rels;
    struct rf_markup *md;
    enum rf_drawing_kind kind;
    enum purpose purpose; /* of the shape in the making */
    bool in_text, in_picture, hidden, linked, choice_taken, title_skipped;
    unsigned skip_depth;
    int bullet; /* NO_BULLET, BULLET, AUTO_NUMBER, or 0 where the paragraph does not say */
    int64_t level, numbers[LEVELS];
    struct rf_str alt, url;
};

static enum purpose purpose_of(struct rf_str type)
{
    if (rf_str_is(type, "title") || rf_str_is(type, "ctrTitle"))
        return IS_TITLE;
    if (rf_str_is(type, "sldNum") || rf_str_is(type, "sldImg"))
        return IS_NUMBER;
    if (!type.n || rf_str_is(type, "body") || rf_str_is(type, "obj"))
        return IS_BODY;
    return IS_OTHER;
}

/* Is the text of this shape to be written? */
static bool is_wanted(const struct drawing *d)
{
    if (d->hidden)
        return false;
    switch (d->kind) {
    case RF_DRAWING_SHEET:
        return true;
    case RF_DRAWING_SLIDE:
        return d->purpose != IS_NUMBER && (d->purpose != IS_TITLE || d->title_skipped);
    case RF_DRAWING_NOTES:
        return d->purpose == IS_BODY;
    }
    return false;
}

static void begin_shape(struct drawing *d)
{
    d->purpose = NO_PURPOSE;
    d->hidden = false;
    for (int i = 0; i < LEVELS; i++)
        d->numbers[i] = 0;
}

static void begin_paragraph(struct drawing *d)
{
    d->bullet = 0;
    d->level = 0;
}

static void end_paragraph(struct drawing *d)
{
    struct rf_markup_style style = { .kind = RF_MARKUP_PLAIN, .level = (int)d->level };
    char label[24];
    bool in_body = d->kind == RF_DRAWING_SLIDE && d->purpose == IS_BODY;

    if (d->bullet == BULLET || (!d->bullet && in_body))
        style.kind = RF_MARKUP_ITEM;
    if (d->bullet == AUTO_NUMBER && rf_markup_has_text(d->md)) {
        int n = snprintf(label, sizeof label, "%lld.", (long long)++d->numbers[d->level]);
        style = (struct rf_markup_style){ RF_MARKUP_ITEM, (int)d->level, { label, (size_t)n } };
    }
    for (int64_t i = d->level + (d->bullet == AUTO_NUMBER); i < LEVELS; i++)
        d->numbers[i] = 0;
    rf_markup_paragraph(d->md, style);
}

static void take_level(struct drawing *d, struct rf_sax *x)
{
    int64_t level = rf_sax_int(x, "lvl", 0);
    d->level = level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : level;
}

static void take_properties(struct drawing *d, struct rf_sax *x)
{
    struct rf_str alt = rf_str_trim(rf_utf8_cut(rf_sax_str(x, "descr"), MAX_ALT));
    struct rf_str hidden = rf_sax_str(x, "hidden");
    d->alt = alt.n ? rf_str_dup(rf_unzip_arena(d->zip), alt) : RF_STR("");
    d->hidden = rf_str_is(hidden, "1") || rf_str_is(hidden, "true");
}

static void write_picture(struct drawing *d, struct rf_sax *x)
{
    const struct rf_rel *rel = rf_rels_find(&d->rels, rf_sax_str(x, ":embed"));
    struct rf_figure picture = {
        .id = rf_rels_member(d->zip, rel),
        .name = rel && !rel->external ? rf_rel_name(rel) : RF_STR(""),
        .alt = d->alt,
    };

    d->in_picture = false; /* one is enough, though it may have a second form */
    if (d->hidden || d->kind == RF_DRAWING_NOTES)
        return;
    rf_figures_add(d->md->pictures, &picture);
    rf_markup_text(d->md, rf_figure_words(rf_unzip_arena(d->zip), &picture));
    rf_markup_paragraph(d->md, (struct rf_markup_style){ 0 });
}

static void begin_link(struct drawing *d, struct rf_sax *x)
{
    const struct rf_rel *rel = rf_rels_find(&d->rels, rf_sax_str(x, ":id"));
    if (rf_sax_parent(x, 1) != RPR || !rel || !rel->external || !is_wanted(d))
        return;
    d->url = rel->target;
    d->linked = true;
    rf_markup_link(d->md);
}

static void write_part(struct drawing *d, int id, struct rf_sax *x)
{
    const struct rf_rel *rel = rf_rels_find(&d->rels, rf_sax_str(x, id == CHART ? ":id" : ":dm"));
    int64_t member = rf_rels_member(d->zip, rel);
    if (member < 0 || d->hidden)
        return;
    if (id == CHART)
        rf_chart_write(d->zip, member, d->md);
    else
        rf_diagram_write(d->zip, member, d->md);
}

static void on_start(void *state, int id, struct rf_sax *x)
{
    struct drawing *d = state;

    if (!id || d->skip_depth)
        return;
    switch (id) {
    case SHAPE:
        begin_shape(d);
        break;
    case PLACEHOLDER:
        d->purpose = purpose_of(rf_sax_str(x, "type"));
        break;
    case PROPERTIES:
        take_properties(d, x);
        break;
    case PARAGRAPH:
        begin_paragraph(d);
        break;
    case PPR:
        take_level(d, x);
        break;
    case NO_BULLET:
    case BULLET:
    case AUTO_NUMBER:
        if (rf_sax_parent(x, 1) == PPR)
            d->bullet = id;
        break;
    case TEXT:
        d->in_text = is_wanted(d);
        break;
    case BREAK:
        if (is_wanted(d))
            rf_markup_text(d->md, RF_STR("\n"));
        break;
    case TABLE:
        begin_shape(d);
        rf_markup_table(d->md);
        break;
    case ROW:
        rf_markup_row(d->md);
        break;
    case CELL:
        rf_markup_cell(d->md);
        break;
    case PICTURE:
        begin_shape(d);
        d->in_picture = true;
        break;
    case BLIP:
        if (d->in_picture)
            write_picture(d, x);
        break;
    case CHART:
    case DIAGRAM:
        write_part(d, id, x);
        break;
    case LINK:
        begin_link(d, x);
        break;
    case ALTERNATIVES:
        d->choice_taken = false;
        break;
    case CHOICE:
    case FALLBACK:
        if (d->choice_taken)
            d->skip_depth = rf_sax_depth(x);
        break;
    default:
        break;
    }
}

static void on_end(void *state, int id, struct rf_sax *x)
{
    struct drawing *d = state;

    if (d->skip_depth) {
        if (rf_sax_depth(x) == d->skip_depth)
            d->skip_depth = 0;
        return;
    }
    switch (id) {
    case TEXT:
        d->in_text = false;
        break;
    case RUN:
        if (d->linked)
            rf_markup_link_end(d->md, d->url);
        d->linked = false;
        break;
    case PARAGRAPH:
        end_paragraph(d);
        break;
    case SHAPE:
        d->title_skipped |= d->purpose == IS_TITLE;
        break;
    case TABLE:
        rf_markup_table_end(d->md);
        break;
    case ROW:
        rf_markup_row_end(d->md);
        break;
    case CELL:
        rf_markup_cell_end(d->md);
        break;
    case PICTURE:
        d->in_picture = false;
        break;
    case CHOICE:
        d->choice_taken = true;
        break;
    default:
        break;
    }
    if (rf_markup_over(d->md))
        rf_sax_stop(x);
}

static void on_text(void *state, struct rf_str text)
{
    struct drawing *d = state;
    if (d->in_text && !d->skip_depth)
        rf_markup_text(d->md, text);
}

enum rf_code rf_drawing_write(struct rf_unzip *zip, struct rf_str part, int64_t member,
                              enum rf_drawing_kind kind, struct rf_markup *md, struct rf_err *err)
{
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = on_start,
        .end = on_end,
        .text = on_text,
    };
    struct drawing d = { .zip = zip, .md = md, .kind = kind, .alt = RF_STR_INIT("") };

    rf_rels_load(&d.rels, zip, part);
    enum rf_code rc = rf_sax_member(&grammar, &d, zip, member, err);
    rf_markup_paragraph(md, (struct rf_markup_style){ 0 });
    return rc;
}

/* The first look: a slide's title, and whether it is shown. */

struct head {
    struct rf_drawing_head *out;
    struct rf_buf text;
    bool in_title, in_text;
};

static void head_start(void *state, int id, struct rf_sax *x)
{
    struct head *h = state;
    struct rf_str show = rf_sax_str(x, "show");

    if (id == SLIDE)
        h->out->hidden = rf_str_is(show, "0") || rf_str_is(show, "false");
    else if (id == SHAPE)
        h->in_title = false;
    else if (id == PLACEHOLDER)
        h->in_title = purpose_of(rf_sax_str(x, "type")) == IS_TITLE;
    else if (id == TEXT)
        h->in_text = h->in_title;
    else if (id == BREAK && h->in_title)
        rf_buf_addc(&h->text, ' ');
}

static void head_end(void *state, int id, struct rf_sax *x)
{
    struct head *h = state;

    if (id == TEXT)
        h->in_text = false;
    else if (id == PARAGRAPH && h->in_title)
        rf_buf_addc(&h->text, ' ');
    else if (id == SHAPE && h->in_title)
        rf_sax_stop(x);
}

static void head_text(void *state, struct rf_str text)
{
    struct head *h = state;
    if (h->in_text)
        rf_buf_add(&h->text, text);
}

void rf_drawing_head(struct rf_unzip *zip, int64_t member, struct rf_drawing_head *out)
{
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = head_start,
        .end = head_end,
        .text = head_text,
    };
    struct head h = { .out = out };
    struct rf_err ignored;

    *out = (struct rf_drawing_head){ 0 };
    rf_buf_init(&h.text, rf_unzip_arena(zip), RF_MARKUP_MAX_PARAGRAPH);
    (void)rf_sax_front(&grammar, &h, zip, member, &ignored);
    out->title = rf_str_trim((struct rf_str){ h.text.p, h.text.n });
}
