/* Presentations: a part for each slide, with its title as heading, its shapes, its notes and
 * comments. The texts of masters and layouts are decoration and are left out. */
#include "base/utf8.h"
#include "worker/office/drawing.h"
#include "worker/office/markdown.h"
#include "worker/office/media.h"
#include "worker/office/office.h"
#include "worker/office/opc.h"
#include "worker/office/sax.h"

#define MAX_SLIDES 10000
#define MAX_AUTHORS 1000

enum { SLIDE_ID = 1, AUTHOR, COMMENT, COMMENT_TEXT, RUN_TEXT };

struct author {
    struct rf_str id, name;
};

struct pptx {
    struct rf_unzip *zip;
    struct rf_arena *arena;
    struct rf_answer *to;
    struct rf_markup md;
    struct rf_rels rels;   /* of the presentation */
    struct rf_str *slides; /* the ids of their relationships */
    size_t n_slides, cap_slides;
    struct author *authors;
    size_t n_authors, cap_authors;
    struct rf_str author; /* of the comment that is read */
    struct rf_buf comment;
    bool in_text;
};

static void nothing(void *state, int id, struct rf_sax *x)
{
    (void)state, (void)id, (void)x;
}

static void take_slide(void *state, int id, struct rf_sax *x)
{
    struct pptx *p = state;
    if (id == SLIDE_ID && p->n_slides < MAX_SLIDES)
        *RF_PUSH(p->arena, p->slides, p->n_slides, p->cap_slides) =
            rf_str_dup(p->arena, rf_sax_str(x, ":id"));
}

static void take_author(void *state, int id, struct rf_sax *x)
{
    struct pptx *p = state;
    if (id != AUTHOR || p->n_authors >= MAX_AUTHORS)
        return;
    struct author *author = RF_PUSH(p->arena, p->authors, p->n_authors, p->cap_authors);
    author->id = rf_str_dup(p->arena, rf_sax_str(x, "id"));
    author->name = rf_str_dup(p->arena, rf_sax_str(x, "name"));
}

static void comment_start(void *state, int id, struct rf_sax *x)
{
    struct pptx *p = state;
    if (id == COMMENT) {
        struct rf_str wanted = rf_sax_str(x, "authorId");
        p->author = RF_STR("");
        for (size_t i = 0; i < p->n_authors; i++)
            if (rf_str_eq(p->authors[i].id, wanted))
                p->author = p->authors[i].name;
        p->comment.n = 0;
    }
    p->in_text = id == COMMENT_TEXT || id == RUN_TEXT;
}

static void comment_end(void *state, int id, struct rf_sax *x)
{
    struct pptx *p = state;
    (void)x;
    p->in_text = false;
    if (id == COMMENT && p->comment.n)
        rf_markup_line(&p->md, "Comment%s%.*s: %.*s", p->author.n ? " by " : "", (int)p->author.n,
                       p->author.p, (int)p->comment.n, p->comment.p);
}

static void comment_text(void *state, struct rf_str text)
{
    struct pptx *p = state;
    if (p->in_text)
        rf_markup_keep(&p->md, &p->comment, text);
}

static void read_authors(struct pptx *p)
{
    static const struct rf_sax_word words[] = { { "cmAuthor", AUTHOR }, { "author", AUTHOR } };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = take_author,
        .end = nothing,
    };
    static const char *const types[] = { "commentAuthors", "authors" };
    struct rf_err ignored;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int64_t member = rf_rels_member(p->zip, rf_rels_first(&p->rels, types[i]));
        if (member >= 0)
            (void)rf_sax_member(&grammar, p, p->zip, member, &ignored);
    }
}

static void write_comments(struct pptx *p, const struct rf_rels *rels)
{
    static const struct rf_sax_word words[] = {
        { "cm", COMMENT },
        { "reply", COMMENT },
        { "text", COMMENT_TEXT },
        { "t", RUN_TEXT },
    };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = comment_start,
        .end = comment_end,
        .text = comment_text,
    };
    struct rf_err ignored;
    for (size_t i = 0; i < rels->n; i++) {
        int64_t member = rf_str_is(rels->items[i].type, "comments")
                             ? rf_rels_member(p->zip, &rels->items[i])
                             : -1;
        if (member >= 0)
            (void)rf_sax_member(&grammar, p, p->zip, member, &ignored);
    }
}

static void write_notes(struct pptx *p, const struct rf_rels *rels)
{
    const struct rf_rel *notes = rf_rels_first(rels, "notesSlide");
    int64_t member = rf_rels_member(p->zip, notes);
    struct rf_err ignored;

    if (member < 0)
        return;
    rf_markup_box(&p->md);
    (void)rf_drawing_write(p->zip, notes->target, member, RF_DRAWING_NOTES, &p->md, &ignored);
    struct rf_str text = rf_str_trim(rf_markup_box_take(&p->md));
    if (!text.n)
        return;
    rf_markup_text(&p->md, RF_STR("Notes: "));
    rf_markup_text(&p->md, text);
    rf_markup_paragraph(&p->md, (struct rf_markup_style){ 0 });
}

static void write_slide(struct pptx *p, int64_t index)
{
    const struct rf_rel *rel = rf_rels_find(&p->rels, p->slides[index]);
    int64_t member = rf_rels_member(p->zip, rel);
    struct rf_drawing_head head = { 0 };
    struct rf_rels rels;
    struct rf_err err;

    if (member >= 0)
        rf_drawing_head(p->zip, member, &head);
    rf_office_page(p->md.pictures, index + 1, head.title);
    if (member < 0) {
        rf_answer_note(p->to, "slide %lld is missing in the file", (long long)index + 1);
        return;
    }
    rf_markup_text(&p->md, head.title);
    rf_markup_paragraph(&p->md, (struct rf_markup_style){ .kind = RF_MARKUP_HEADING, .level = 1 });
    if (head.hidden)
        rf_markup_line(&p->md, "(This slide is hidden.)");
    if (rf_drawing_write(p->zip, rel->target, member, RF_DRAWING_SLIDE, &p->md, &err))
        rf_answer_note(p->to, "slide %lld could not be read to its end: %s", (long long)index + 1,
                       err.msg);
    rf_rels_load(&rels, p->zip, rel->target);
    write_notes(p, &rels);
    write_comments(p, &rels);
    rf_markup_finish(&p->md);
}

static enum rf_code read_slide_list(struct pptx *p, struct rf_str part, struct rf_err *err)
{
    static const struct rf_sax_word words[] = { { "sldId", SLIDE_ID } };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = take_slide,
        .end = nothing,
    };
    enum rf_code rc = rf_sax_member(&grammar, p, p->zip, rf_unzip_find(p->zip, part), err);
    return p->n_slides ? RF_OK : rc;
}

void rf_office_pptx(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to)
{
    struct pptx *p = RF_NEW(ask->arena, struct pptx);
    struct rf_office_range range;
    struct rf_str part;
    struct rf_err err;

    *p = (struct pptx){ .zip = zip, .arena = ask->arena, .to = to };
    rf_markup_init(&p->md, rf_media_open(ask, zip, to));
    rf_buf_init(&p->comment, p->arena, RF_MARKUP_MAX_PARAGRAPH);
    (void)rf_opc_main(zip, &part);
    rf_rels_load(&p->rels, zip, part);
    if (read_slide_list(p, part, &err)) {
        rf_office_fail(to, &err);
        return;
    }
    if (!rf_office_range(ask, (int64_t)p->n_slides, &range, to))
        return;
    rf_answer_fact(to, "pages", "%zu", p->n_slides);
    rf_opc_properties(zip, to);
    read_authors(p);
    for (int64_t i = range.first; i < range.end && !rf_markup_over(&p->md); i++) {
        write_slide(p, i);
        rf_answer_step(to, i + 1 - range.first, range.end - range.first);
    }
    if (!p->n_slides)
        rf_answer_note(to, "the presentation has no slides");
    rf_answer_fact(to, "tables", "%lld", (long long)p->md.tables);
    rf_media_end(p->md.pictures, &range, (int64_t)p->n_slides);
}
