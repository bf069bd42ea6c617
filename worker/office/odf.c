/* OpenDocument: text (odt), presentations (odp) and drawings (odg); ods.c has the spreadsheets.
 *
 * The content is read twice: once to learn what it is, how many pages it has and what they are
 * called, once for the text. Deleted text of tracked changes, forms and master pages are passed
 * over; notes, comments and text boxes come after the paragraph they stand in. Of an encrypted
 * document only the content is opened: its title and the styles of its lists stay closed. */
#include "worker/office/odf.h"

#include "base/arena.h"
#include "worker/office/odf_unlock.h"
#include "worker/office/other.h"

#define MAX_PAGES 20000
#define MAX_TITLE 200
#define MAX_ALT 600
#define MAX_LISTS 32
#define MAX_LIST_STYLES 2000
#define MAX_SPACES 100

enum rf_code rf_odf_read(const struct rf_odf *o, const struct rf_sax_grammar *g, void *state,
                         struct rf_err *err)
{
    if (!o->zip)
        return rf_sax_bytes(g, state, o->flat, err);
    return rf_sax_member(g, state, o->zip, rf_unzip_find(o->zip, RF_STR("content.xml")), err);
}

struct rf_figure rf_odf_picture(const struct rf_odf *o, const struct rf_sax *x)
{
    struct rf_str href = rf_sax_str(x, "href");
    const char *slash = href.n ? memrchr(href.p, '/', href.n) : NULL;
    struct rf_figure picture = { .id = o->pictures->next_id++ };

    if (slash)
        picture.name = rf_str_dup(
            o->ask->arena, (struct rf_str){ slash + 1, href.n - (size_t)(slash + 1 - href.p) });
    if (o->zip)
        picture.id =
            rf_unzip_find(o->zip, rf_unzip_resolve(o->ask->arena, RF_STR("content.xml"), href));
    else
        picture.bytes = RF_STR("");
    return picture;
}

/* What the document is, before its text is read. */

enum kind { UNKNOWN, TEXT, SHEETS, SLIDES };

struct scan {
    struct rf_arena *arena;
    enum kind kind;
    struct rf_str *titles;
    size_t n, cap;
    int64_t tables;
    unsigned table_depth, title_depth; /* title_depth: the frame of a slide's title; 0: outside */
    unsigned skip;
    struct rf_buf title;
};

enum { BODY_TEXT = 1, BODY_SHEETS, BODY_SLIDES, TABLE, PAGE, FRAME, MASTER, NOTES, P, SPACE };

static const struct rf_sax_word scan_words[] = {
    { "text", BODY_TEXT },
    { "spreadsheet", BODY_SHEETS },
    { "presentation", BODY_SLIDES },
    { "drawing", BODY_SLIDES },
    { "table", TABLE },
    { "page", PAGE },
    { "frame", FRAME },
    { "master-styles", MASTER },
    { "notes", NOTES },
    { "p", P },
    { "s", SPACE },
};

static void add_title(struct scan *s, struct rf_str title)
{
    if (s->n < MAX_PAGES)
        *RF_PUSH(s->arena, s->titles, s->n, s->cap) = rf_str_dup(s->arena, title);
}

static void scan_body(struct scan *s, int id)
{
    if (s->kind == UNKNOWN)
        s->kind = id == BODY_TEXT ? TEXT : id == BODY_SHEETS ? SHEETS : SLIDES;
}

static void scan_table(struct scan *s, const struct rf_sax *x)
{
    s->tables++;
    if (s->kind == SHEETS && s->table_depth == 0)
        add_title(s, rf_sax_str(x, "name"));
    s->table_depth++;
}

static void scan_start(void *state, int id, struct rf_sax *x)
{
    struct scan *s = state;

    if (s->skip)
        return;
    if (id == MASTER || id == NOTES) {
        s->skip = rf_sax_depth(x);
    } else if (id == BODY_TEXT || id == BODY_SHEETS || id == BODY_SLIDES) {
        scan_body(s, id);
    } else if (id == TABLE) {
        scan_table(s, x);
    } else if (id == PAGE && s->kind == SLIDES) {
        add_title(s, RF_STR(""));
    } else if (id == FRAME && s->kind == SLIDES && !s->title_depth && s->n &&
               !s->titles[s->n - 1].n && rf_str_is(rf_sax_str(x, "class"), "title")) {
        s->title_depth = rf_sax_depth(x);
        s->title.n = 0;
    } else if (s->title_depth && (id == SPACE || id == P) && s->title.n) {
        rf_buf_addc(&s->title, ' ');
    }
}

static void scan_end(void *state, int id, struct rf_sax *x)
{
    struct scan *s = state;
    unsigned depth = rf_sax_depth(x);

    if (s->skip) {
        s->skip = depth <= s->skip ? 0 : s->skip;
        return;
    }
    if (id == TABLE && s->table_depth)
        s->table_depth--;
    if (s->title_depth && depth <= s->title_depth) {
        s->titles[s->n - 1] =
            rf_str_dup(s->arena, rf_str_trim((struct rf_str){ s->title.p, s->title.n }));
        s->title_depth = 0;
    }
}

static void scan_text(void *state, struct rf_str text)
{
    struct scan *s = state;

    if (s->title_depth && !s->skip && s->title.n + text.n <= MAX_TITLE)
        rf_buf_add(&s->title, text);
}

static const struct rf_sax_grammar scan_grammar = { RF_SAX_WORDS(scan_words), .start = scan_start,
                                                    .end = scan_end, .text = scan_text };

/* The title in the document's properties. */

struct meta {
    struct rf_buf title;
    bool inside;
};

static void meta_start(void *state, int id, struct rf_sax *x)
{
    struct meta *m = state;

    (void)id;
    m->inside = strcmp(rf_sax_name(x), "dc:title") == 0;
}

static void meta_end(void *state, int id, struct rf_sax *x)
{
    struct meta *m = state;

    (void)id;
    if (m->inside)
        rf_sax_stop(x);
}

static void meta_text(void *state, struct rf_str text)
{
    struct meta *m = state;

    if (m->inside && m->title.n + text.n < MAX_TITLE)
        rf_buf_add(&m->title, text);
}

static struct rf_str document_title(const struct rf_odf *o)
{
    static const struct rf_sax_grammar grammar = { .start = meta_start,
                                                   .end = meta_end,
                                                   .text = meta_text };
    int64_t index = o->zip ? rf_unzip_find(o->zip, RF_STR("meta.xml")) : -1;
    struct meta m = { 0 };
    struct rf_err err;

    rf_buf_init(&m.title, o->ask->arena, MAX_TITLE);
    if (index >= 0 && rf_sax_member(&grammar, &m, o->zip, index, &err))
        return RF_STR("");
    return (struct rf_str){ m.title.n ? m.title.p : "", m.title.n };
}

/* The text. */

struct list_style {
    struct rf_str name;
    unsigned numbered; /* a bit a level */
};

struct document {
    const struct rf_odf *o;
    struct rf_markup md;
    int64_t page;       /* how many have begun */
    bool slides, shown; /* shown: we are in a page that was asked for */
    unsigned skip;
    bool fold; /* the last character was white space */
    struct list_style *styles;
    size_t style_n, style_cap;
    struct {
        unsigned numbered, count;
    } lists[MAX_LISTS];
    unsigned list_n;
    bool item_due; /* the next paragraph is an item's first */
    int heading;   /* of the open paragraph; 0: none */
    unsigned title_depth;
    unsigned notes; /* so far */
    struct rf_str link;
    unsigned paragraphs; /* open ones */
    bool has_picture;    /* the open frame has one, whose words come after it */
    struct rf_figure picture;
    struct rf_buf alt;
    bool in_alt;
};

enum {
    D_BODY = 50,
    D_H,
    D_P,
    D_LIST,
    D_ITEM,
    D_LIST_HEADER,
    D_S,
    D_TAB,
    D_BREAK,
    D_A,
    D_TABLE,
    D_ROW,
    D_CELL,
    D_COVERED,
    D_PAGE,
    D_NOTES,
    D_NOTE,
    D_CITATION,
    D_NOTE_BODY,
    D_ANNOTATION,
    D_CREATOR,
    D_CHANGES,
    D_BOX,
    D_FRAME,
    D_IMAGE,
    D_TITLE,
    D_DESC,
    D_SKIP,
    D_LIST_STYLE,
    D_LEVEL_NUMBER,
    D_SHAPE
};

static const struct rf_sax_word words[] = {
    { "text", D_BODY },
    { "presentation", D_BODY },
    { "drawing", D_BODY },
    { "h", D_H },
    { "p", D_P },
    { "list", D_LIST },
    { "list-item", D_ITEM },
    { "list-header", D_LIST_HEADER },
    { "s", D_S },
    { "tab", D_TAB },
    { "line-break", D_BREAK },
    { "a", D_A },
    { "table", D_TABLE },
    { "table-row", D_ROW },
    { "table-cell", D_CELL },
    { "covered-table-cell", D_COVERED },
    { "page", D_PAGE },
    { "notes", D_NOTES },
    { "note", D_NOTE },
    { "note-citation", D_CITATION },
    { "note-body", D_NOTE_BODY },
    { "annotation", D_ANNOTATION },
    { "creator", D_CREATOR },
    { "tracked-changes", D_CHANGES },
    { "text-box", D_BOX },
    { "custom-shape", D_SHAPE },
    { "rect", D_SHAPE },
    { "frame", D_FRAME },
    { "image", D_IMAGE },
    { "title", D_TITLE },
    { "desc", D_DESC },
    { "list-style", D_LIST_STYLE },
    { "list-level-style-number", D_LEVEL_NUMBER },
    { "master-styles", D_SKIP },
    { "forms", D_SKIP },
    { "date", D_SKIP },
    { "date-string", D_SKIP },
    { "ruby-text", D_SKIP },
    { "meta", D_SKIP },
    { "settings", D_SKIP },
    { "scripts", D_SKIP },
    { "event-listeners", D_SKIP },
    { "binary-data", D_SKIP },
};

static unsigned style_levels(const struct document *d, struct rf_str name)
{
    for (size_t i = d->style_n; name.n && i > 0; i--)
        if (rf_str_eq(d->styles[i - 1].name, name))
            return d->styles[i - 1].numbered;
    return 0;
}

static void take_list_style(struct document *d, const struct rf_sax *x, int id)
{
    int64_t level = rf_sax_int(x, "level", 0);
    struct rf_arena *a = d->o->ask->arena;

    if (id == D_LIST_STYLE && d->style_n < MAX_LIST_STYLES)
        *RF_PUSH(a, d->styles, d->style_n, d->style_cap) =
            (struct list_style){ .name = rf_str_dup(a, rf_sax_str(x, "name")) };
    else if (id == D_LEVEL_NUMBER && d->style_n && level > 0 && level <= 31 &&
             rf_sax_str(x, "num-format").n)
        d->styles[d->style_n - 1].numbered |= 1u << level;
}

static void begin_list(struct document *d, const struct rf_sax *x)
{
    unsigned above = d->list_n && d->list_n <= MAX_LISTS ? d->lists[d->list_n - 1].numbered : 0;
    struct rf_str style = rf_sax_str(x, "style-name");

    if (d->list_n < MAX_LISTS) {
        d->lists[d->list_n].numbered = style.n ? style_levels(d, style) : above;
        d->lists[d->list_n].count = 0;
    }
    d->list_n++;
}

/* The style of the paragraph that ends. */
static struct rf_markup_style paragraph_style(struct document *d)
{
    unsigned level = d->list_n <= MAX_LISTS ? d->list_n : MAX_LISTS;

    if (d->heading)
        return (struct rf_markup_style){ .kind = RF_MARKUP_HEADING, .level = d->heading };
    if (!d->item_due || !level || !rf_markup_has_text(&d->md))
        return (struct rf_markup_style){ 0 };
    d->item_due = false;
    struct rf_markup_style style = { .kind = RF_MARKUP_ITEM, .level = (int)level - 1 };
    if (d->lists[level - 1].numbered & 1u << (level < 31 ? level : 31))
        style.label = rf_strf(d->o->ask->arena, "%u.", ++d->lists[level - 1].count);
    return style;
}

static void begin_page(struct document *d, struct rf_sax *x)
{
    const struct rf_odf *o = d->o;

    if (!d->slides)
        return;
    d->shown = d->page >= o->range.first && d->page < o->range.end;
    if (d->shown)
        rf_office_page(o->pictures, d->page + 1, o->titles[d->page]);
    else if (d->page >= o->range.end)
        rf_sax_stop(x);
    d->page++;
}

static void end_page(struct document *d)
{
    if (!d->slides || !d->shown)
        return;
    rf_markup_finish(&d->md);
    d->shown = false;
    rf_answer_step(d->o->to, d->page - d->o->range.first, d->o->range.end - d->o->range.first);
}

static void put(struct document *d, struct rf_str s)
{
    if (d->shown)
        rf_markup_text(&d->md, s);
}

static void begin_aside(struct document *d, int id)
{
    if (!d->shown)
        return;
    if (id == D_NOTE_BODY)
        put(d, rf_strf(d->o->ask->arena, "[^%u]", ++d->notes));
    rf_markup_box(&d->md);
    if (id == D_NOTE_BODY)
        put(d, rf_strf(d->o->ask->arena, "[^%u]: ", d->notes));
    else if (id == D_ANNOTATION)
        put(d, RF_STR("[Comment] "));
    d->fold = true;
}

static void put_spaces(struct document *d, int64_t count)
{
    for (; count > 0 && count <= MAX_SPACES; count--)
        put(d, RF_STR(" "));
    d->fold = false;
}

static void begin_cell(struct document *d)
{
    if (d->shown)
        rf_markup_cell(&d->md);
    d->fold = true;
}

/* Elements that do not hold text of their own. */
static void start_inline(struct document *d, int id, const struct rf_sax *x)
{
    if (id == D_S)
        put_spaces(d, rf_sax_int(x, "c", 1));
    else if (id == D_TAB)
        put(d, RF_STR("\t"));
    else if (id == D_BREAK)
        put(d, RF_STR("\n"));
    else if (id == D_LIST_STYLE || id == D_LEVEL_NUMBER)
        take_list_style(d, x, id);
    if (id == D_TAB || id == D_BREAK)
        d->fold = true;
    if (id == D_A && d->shown) {
        d->link = rf_str_dup(d->o->ask->arena, rf_sax_str(x, "href"));
        rf_markup_link(&d->md);
    }
}

static void start_table(struct document *d, int id, const struct rf_sax *x)
{
    if (!d->shown)
        return;
    if (id == D_TABLE)
        rf_markup_table(&d->md);
    else if (id == D_ROW)
        rf_markup_row(&d->md);
    else if (id == D_CELL)
        begin_cell(d);
    else if (id == D_COVERED)
        rf_markup_cell_skip(&d->md, rf_sax_int(x, "number-columns-repeated", 1));
}

/* Of several forms of a picture the first is taken. */
static void begin_picture(struct document *d, const struct rf_sax *x)
{
    if (!d->shown || d->has_picture)
        return;
    d->has_picture = true;
    d->picture = rf_odf_picture(d->o, x);
    d->alt.n = 0;
}

static void end_picture(struct document *d)
{
    struct rf_arena *a = d->o->ask->arena;

    if (!d->has_picture)
        return;
    d->has_picture = false;
    d->picture.alt = rf_str_dup(a, rf_str_trim((struct rf_str){ d->alt.p, d->alt.n }));
    rf_markup_text(&d->md, rf_figure_words(a, &d->picture));
    rf_figures_add(d->o->pictures, &d->picture);
    if (!d->paragraphs)
        rf_markup_paragraph(&d->md, (struct rf_markup_style){ 0 });
    d->fold = false;
}

static void start_block(struct document *d, int id, struct rf_sax *x)
{
    if (id == D_H || id == D_P) {
        int64_t level = rf_sax_int(x, "outline-level", 1);
        d->paragraphs++;
        d->heading = id == D_H ? (int)(level > 0 && level < 7 ? level : 6) : d->title_depth ? 1 : 0;
        d->fold = true;
    } else if (id == D_IMAGE) {
        begin_picture(d, x);
    } else if (id == D_LIST) {
        begin_list(d, x);
    } else if (id == D_ITEM) {
        d->item_due = true;
    } else if (id == D_PAGE) {
        begin_page(d, x);
    } else if (id == D_FRAME && d->slides && !d->title_depth &&
               rf_str_is(rf_sax_str(x, "class"), "title")) {
        d->title_depth = rf_sax_depth(x);
    } else if (id == D_NOTES && d->shown && d->slides) {
        rf_markup_paragraph(&d->md, (struct rf_markup_style){ 0 });
        rf_markup_box(&d->md);
    } else if (id == D_NOTE_BODY || id == D_ANNOTATION || id == D_BOX || id == D_SHAPE) {
        begin_aside(d, id);
    }
}

static bool passes_over(int id, const struct rf_sax *x)
{
    if (id == D_TITLE ||
        id == D_DESC) /* of a picture, not of the document: text:title is a field */
        return strncmp(rf_sax_name(x), "svg:", 4) == 0;
    if (id == D_SKIP && strcmp(rf_sax_name(x), "text:date") == 0)
        return false;
    return id == D_CHANGES || id == D_SKIP || id == D_CITATION ||
           (id == D_CREATOR && strcmp(rf_sax_name(x), "dc:creator") == 0);
}

static void start(void *state, int id, struct rf_sax *x)
{
    struct document *d = state;

    if (d->skip)
        return;
    if (passes_over(id, x)) {
        d->skip = rf_sax_depth(x);
        d->in_alt = d->has_picture && (id == D_TITLE || id == D_DESC);
        if (d->in_alt && d->alt.n)
            rf_buf_add(&d->alt, RF_STR(": "));
        return;
    }
    if (id == D_BODY)
        d->shown = !d->slides && strncmp(rf_sax_name(x), "office:", 7) == 0 ? true : d->shown;
    else if (id >= D_TABLE && id <= D_COVERED)
        start_table(d, id, x);
    else if (id)
        start_block(d, id, x);
    start_inline(d, id, x);
    if (rf_markup_over(&d->md))
        rf_sax_stop(x);
}

static void end_notes(struct document *d)
{
    struct rf_str notes = rf_markup_box_take(&d->md);

    if (rf_str_blank(notes))
        return;
    notes = rf_str_dup(d->o->ask->arena, rf_str_trim(notes));
    rf_markup_text(&d->md, RF_STR("Notes: "));
    rf_markup_text(&d->md, notes);
    rf_markup_paragraph(&d->md, (struct rf_markup_style){ 0 });
}

static void end_block(struct document *d, int id)
{
    if (id == D_H || id == D_P) {
        struct rf_markup_style style = paragraph_style(d);
        d->paragraphs -= d->paragraphs > 0;
        if (d->shown)
            rf_markup_paragraph(&d->md, style);
        d->heading = 0;
    } else if (id == D_LIST) {
        d->list_n -= d->list_n > 0;
        d->item_due = false;
    } else if (id == D_FRAME) {
        end_picture(d);
    } else if (id == D_PAGE) {
        end_page(d);
    }
    if (!d->shown)
        return;
    if (id == D_TABLE)
        rf_markup_table_end(&d->md);
    else if (id == D_ROW)
        rf_markup_row_end(&d->md);
    else if (id == D_CELL)
        rf_markup_cell_end(&d->md);
    else if (id == D_A)
        rf_markup_link_end(&d->md, d->link);
    else if (id == D_NOTE_BODY || id == D_ANNOTATION || id == D_BOX || id == D_SHAPE)
        rf_markup_box_end(&d->md);
    else if (id == D_NOTES && d->slides)
        end_notes(d);
}

static void end(void *state, int id, struct rf_sax *x)
{
    struct document *d = state;
    unsigned depth = rf_sax_depth(x);

    if (d->skip) {
        d->skip = depth <= d->skip ? 0 : d->skip;
        d->in_alt = d->in_alt && d->skip;
        return;
    }
    if (d->title_depth && depth <= d->title_depth)
        d->title_depth = 0;
    if (id)
        end_block(d, id);
    if (id == D_NOTE_BODY || id == D_ANNOTATION)
        d->fold = false;
}

/* White space is folded; more is spelled with elements. */
static void text(void *state, struct rf_str s)
{
    struct document *d = state;
    size_t from = 0;

    if (d->in_alt)
        rf_buf_add(&d->alt, s);
    if (d->skip || !d->shown)
        return;
    for (size_t i = 0; i < s.n; i++) {
        bool space = s.p[i] == ' ' || s.p[i] == '\n' || s.p[i] == '\r' || s.p[i] == '\t';
        if (space && (d->fold || s.p[i] != ' ')) {
            put(d, (struct rf_str){ s.p + from, i - from });
            if (!d->fold)
                put(d, RF_STR(" "));
            from = i + 1;
        }
        d->fold = space;
    }
    put(d, (struct rf_str){ s.p + from, s.n - from });
}

static enum rf_code show_document(const struct rf_odf *o, enum kind kind, struct rf_err *err)
{
    static const struct rf_sax_grammar grammar = { RF_SAX_WORDS(words), .start = start, .end = end,
                                                   .text = text };
    struct document *d = RF_NEW(o->ask->arena, struct document);

    d->o = o;
    d->slides = kind == SLIDES;
    rf_markup_init(&d->md, o->pictures);
    rf_buf_init(&d->alt, o->ask->arena, MAX_ALT);
    if (!d->slides)
        rf_office_page(o->pictures, 1, document_title(o));
    /* List styles may be in the other file; a document without it has none. */
    int64_t styles = o->zip ? rf_unzip_find(o->zip, RF_STR("styles.xml")) : -1;
    if (styles >= 0 && rf_sax_member(&grammar, d, o->zip, styles, err))
        d->style_n = 0;
    d->skip = 0;
    d->shown = false;
    enum rf_code rc = rf_odf_read(o, &grammar, d, err);
    if (d->shown)
        rf_markup_finish(&d->md);
    return rc;
}

/* From here on an encrypted document is its content, as if it were flat. */
static enum rf_code unlock(struct rf_odf *o, struct rf_err *err)
{
    enum rf_code rc = o->zip ? rf_odf_unlock(o->ask, o->zip, &o->flat, err) : RF_OK;

    if (!rc && o->flat.p) {
        o->zip = NULL;
        o->pictures->read = NULL; /* they are encrypted, each for itself */
    }
    return rc;
}

/* The pages that are wanted: a range, or of a spreadsheet one sheet by its name. */
static bool choose(struct rf_odf *o, enum kind kind)
{
    return kind == SHEETS ? rf_office_sheets(o->ask, o->titles, (size_t)o->pages, &o->range, o->to)
                          : rf_office_range(o->ask, o->pages, &o->range, o->to);
}

/* Read for the first time. False after rf_answer_fail. */
static bool survey(struct rf_odf *o, struct scan *s, struct rf_err *err)
{
    rf_buf_init(&s->title, s->arena, MAX_TITLE + 16);
    if (unlock(o, err)) {
        rf_office_fail(o->to, err);
        return false;
    }
    enum rf_code rc = rf_odf_read(o, &scan_grammar, s, err);
    if (rc && (s->kind == UNKNOWN || rc == RF_ELIMIT)) {
        rf_office_fail(o->to, err);
        return false;
    }
    if (s->kind == UNKNOWN) {
        rf_answer_fail(o->to, RF_EFORMAT, "", "the document has no text, sheets or slides");
        return false;
    }
    o->titles = s->titles;
    o->pages = s->kind == TEXT ? 1 : (int64_t)s->n;
    rf_answer_fact(o->to, "pages", "%lld", (long long)o->pages);
    rf_answer_fact(o->to, "tables", "%lld", (long long)s->tables);
    return choose(o, s->kind);
}

static void answer(struct rf_odf *o)
{
    struct scan s = { .arena = o->ask->arena };
    struct rf_err err;

    if (!survey(o, &s, &err) || o->range.first == o->range.end)
        return;
    enum rf_code rc = s.kind == SHEETS ? rf_odf_sheets(o, &err) : show_document(o, s.kind, &err);
    if (rc)
        rf_answer_note(o->to, "the document is damaged, and what follows is missing: %s", err.msg);
    rf_media_end(o->pictures, &o->range, o->pages);
}

void rf_office_odf(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to)
{
    answer(&(struct rf_odf){
        .ask = ask, .to = to, .zip = zip, .pictures = rf_media_open(ask, zip, to) });
}

void rf_office_flat_odf(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    answer(&(struct rf_odf){
        .ask = ask, .to = to, .flat = bytes, .pictures = rf_figures_new(ask, to) });
}
