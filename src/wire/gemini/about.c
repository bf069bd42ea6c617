/* What generateContent says about a message: the pages and passages that it rests on, what was read
 * for it, why it ended.
 *
 * In a stream it comes in pieces, at any time. A later chunk replaces the members that an earlier
 * one had, and lists of cited sources grow. At the end all of it is kept as it came, and what a
 * text rests on becomes its citations. Its places are bytes here, and characters of the text there.
 * Sources that no text names are not citations.
 */
#include "base/arena.h"
#include "base/utf8.h"
#include "wire/gemini/gemini.h"

static bool is(const struct rf_jval *v, enum rf_jtype type)
{
    return v && v->type == type;
}

struct rf_gemini *rf_gemini_state(struct rf_reply *r)
{
    if (!r->state)
        r->state = RF_NEW(r->arena, struct rf_gemini);
    return r->state;
}

void rf_gemini_put(struct rf_reply *r, struct rf_gemini_rows *m, struct rf_str name,
                   const struct rf_jval *v)
{
    struct rf_str json = rf_jval_compact(v, r->scratch);
    struct rf_gemini_row *row = NULL;
    for (size_t i = 0; i < m->count && !row; i++)
        if (rf_str_eq(m->rows[i].name, name) && (name.n || rf_str_eq(m->rows[i].json, json)))
            row = &m->rows[i];
    if (!row) {
        row = RF_PUSH(r->arena, m->rows, m->count, m->cap);
        *row = (struct rf_gemini_row){ .name = rf_str_dup(r->arena, name) };
    }
    if (!rf_str_eq(row->json, json))
        row->json = rf_str_dup(r->arena, json);
}

void rf_gemini_put_members(struct rf_reply *r, struct rf_gemini_rows *m,
                           const struct rf_jval *object)
{
    if (!is(object, RF_JOBJECT))
        return;
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1))
        rf_gemini_put(r, m, rf_jval_text(k, r->scratch), k + 1);
}

void rf_gemini_put_elements(struct rf_reply *r, struct rf_gemini_rows *m,
                            const struct rf_jval *list)
{
    if (!is(list, RF_JARRAY))
        return;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        rf_gemini_put(r, m, RF_STR(""), v);
}

/* A writer onto the scratch arena, and what was written with it. */
static struct rf_json *writer(struct rf_reply *r)
{
    struct rf_rope *rope = RF_NEW(r->scratch, struct rf_rope);
    struct rf_json *w = RF_NEW(r->scratch, struct rf_json);
    rf_rope_init(rope, r->scratch);
    rf_json_init(w, rope);
    return w;
}

static struct rf_str written(struct rf_reply *r, struct rf_json *w)
{
    struct rf_str json;
    if (rf_json_finish(w, NULL) || rf_rope_flatten(w->rope, SIZE_MAX, r->scratch, &json, NULL))
        RF_BUG("JSON in memory could not be written");
    return json;
}

static const struct rf_jval *gathered(struct rf_reply *r, const struct rf_gemini_rows *m,
                                      enum rf_jtype type)
{
    const struct rf_jval *v;
    struct rf_json *w = writer(r);
    if (!m->count)
        return NULL;
    type == RF_JARRAY ? rf_json_arr(w, NULL) : rf_json_obj(w, NULL);
    for (size_t i = 0; i < m->count; i++) {
        if (type == RF_JOBJECT)
            rf_json_key(w, m->rows[i].name);
        rf_json_raw(w, NULL, m->rows[i].json);
    }
    rf_json_end(w);
    return rf_jval_parse(written(r, w), r->scratch, &v, NULL) ? NULL : v;
}

/* Citations. */

struct citation {
    struct rf_str source, title, url, text;
    int64_t start, end; /* bytes of the reply's text */
};

/* The text that holds `words` at the place; else the first that is long enough; else the last. */
static struct rf_draft *text_at(const struct rf_reply *r, const struct citation *c,
                                struct rf_str words)
{
    struct rf_draft *fits = NULL, *last = NULL;
    for (size_t i = 0; i < r->count; i++) {
        struct rf_draft *d = r->drafts[i];
        if (d->type != RF_BLOCK_TEXT || !d->text.n)
            continue;
        last = d;
        if (c->start > c->end || (uint64_t)c->end > d->text.n)
            continue;
        if (!fits)
            fits = d;
        struct rf_str there = { d->text.p + c->start, (size_t)(c->end - c->start) };
        if (words.n && rf_str_eq(there, words))
            return d;
    }
    return fits ? fits : last;
}

/* Before that byte of the text; beyond its end as many as there are bytes. */
static int64_t characters(const struct rf_draft *d, int64_t byte)
{
    int64_t inside = (uint64_t)byte < d->text.n ? byte : (int64_t)d->text.n;
    return rf_utf8_count((struct rf_str){ d->text.p, (size_t)inside }) + byte - inside;
}

static void cite(struct rf_reply *r, struct rf_draft *d, const struct citation *c)
{
    struct rf_json *w = writer(r);
    rf_json_obj(w, NULL);
    rf_json_str_opt(w, "source", c->source);
    rf_json_str_opt(w, "title", c->title);
    rf_json_str_opt(w, "url", c->url);
    if (c->end >= 0) {
        rf_json_int(w, "start", characters(d, c->start));
        rf_json_int(w, "end", characters(d, c->end));
    }
    rf_json_str_opt(w, "text", c->text);
    rf_json_end(w);
    rf_draft_citation(r, d, written(r, w));
}

/* A start of 0 is not spelled. */
static void place_of(const struct rf_jval *v, struct citation *c)
{
    int64_t start = rf_reply_count(rf_jval_get(v, "startIndex"));
    int64_t end = rf_reply_count(rf_jval_get(v, "endIndex"));
    c->start = start < 0 ? 0 : start;
    c->end = end < 0 ? -1 : end;
}

static void cite_source(struct rf_reply *r, const struct rf_jval *v)
{
    struct citation c = { .title = rf_reply_text(r, rf_jval_get(v, "title")),
                          .url = rf_reply_text(r, rf_jval_get(v, "uri")) };
    place_of(v, &c);
    struct rf_draft *d = text_at(r, &c, RF_STR(""));
    if (d)
        cite(r, d, &c);
}

/* A page, a passage of a store, a place on a map or a picture. */
static void cite_chunk(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *chunk,
                       struct citation *c)
{
    static const char *const kinds[] = { "web", "retrievedContext", "maps", "image" };
    const struct rf_jval *v = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !v; i++)
        v = rf_jval_get(chunk, kinds[i]);
    const struct rf_jval *uri = rf_jval_get(v, "uri");
    c->source = rf_reply_text(r, rf_jval_get(v, "fileSearchStore"));
    c->title = rf_reply_text(r, rf_jval_get(v, "title"));
    c->url = rf_reply_text(r, uri ? uri : rf_jval_get(v, "sourceUri"));
    c->text = rf_reply_text(r, rf_jval_get(v, "text"));
    if (v)
        cite(r, d, c);
}

static void cite_support(struct rf_reply *r, const struct rf_jval *support,
                         const struct rf_jval *const *sources, size_t count)
{
    const struct rf_jval *segment = rf_jval_get(support, "segment");
    const struct rf_jval *list = rf_jval_get(support, "groundingChunkIndices");
    struct citation c = { 0 };
    place_of(segment, &c);
    struct rf_draft *d = text_at(r, &c, rf_reply_text(r, rf_jval_get(segment, "text")));
    if (!d || !is(list, RF_JARRAY))
        return;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        int64_t at = rf_reply_count(v);
        if (at >= 0 && (uint64_t)at < count)
            cite_chunk(r, d, sources[at], &c);
    }
}

static void cite_grounding(struct rf_reply *r, const struct rf_jval *grounding)
{
    const struct rf_jval *list = rf_jval_get(grounding, "groundingChunks");
    const struct rf_jval *supports = rf_jval_get(grounding, "groundingSupports");
    size_t count = 0;
    if (!is(list, RF_JARRAY) || !is(supports, RF_JARRAY))
        return;
    const struct rf_jval **sources = RF_ARRAY(r->scratch, const struct rf_jval *, list->count);
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        sources[count++] = v;
    for (const struct rf_jval *v = rf_jval_first(supports); v; v = rf_jval_next(supports, v))
        cite_support(r, v, sources, count);
}

void rf_gemini_finish(struct rf_reply *r)
{
    struct rf_gemini *s = rf_gemini_state(r);
    const struct rf_jval *grounding = gathered(r, &s->grounding, RF_JOBJECT);
    const struct rf_jval *cited = gathered(r, &s->cited, RF_JARRAY);
    const struct rf_jval *said = gathered(r, &s->said, RF_JOBJECT);
    cite_grounding(r, grounding);
    if (cited)
        for (const struct rf_jval *v = rf_jval_first(cited); v; v = rf_jval_next(cited, v))
            cite_source(r, v);
    rf_reply_keep(r, NULL, "groundingMetadata", grounding);
    rf_reply_keep(r, NULL, "citationSources", cited);
    rf_reply_keep(r, NULL, "urlContextMetadata", gathered(r, &s->urls, RF_JOBJECT));
    rf_reply_keep(r, NULL, "candidates", gathered(r, &s->others, RF_JARRAY));
    for (size_t i = 0; said && i < s->said.count; i++) {
        const char *name = rf_cstr(r->scratch, s->said.rows[i].name);
        rf_reply_keep(r, NULL, name, rf_jval_get(said, name));
    }
}
