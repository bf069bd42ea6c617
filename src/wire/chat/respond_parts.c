/* The content of chat completions in parts: texts with references between their words, thoughts,
 * images, and what only this API can say. */
#include "wire/chat/respond.h"

#include "base/arena.h"
#include "base/utf8.h"

bool rf_completion_is_reference(const struct rf_answer *a, const struct rf_jval *citation)
{
    return a->own && rf_reply_count(rf_jval_get(citation, "end")) >= 0 &&
           !rf_jval_get(citation, "start") && !rf_jval_get(citation, "extra");
}

static const struct rf_jval *reference_after(const struct rf_answer *a, const struct rf_block *b,
                                             const struct rf_jval *last)
{
    const struct rf_jval *list = b->type == RF_BLOCK_TEXT ? b->citations : NULL, *c = NULL;
    if (list && list->type == RF_JARRAY)
        c = last ? rf_jval_next(list, last) : rf_jval_first(list);
    while (c && !rf_completion_is_reference(a, c))
        c = rf_jval_next(list, c);
    return c;
}

/* A text and the references between its words. */
struct runs {
    const struct rf_answer *answer;
    const struct rf_block *block;
    const struct rf_jval *reference; /* the next one, or NULL */
    size_t at;                       /* in the text */
    int64_t characters;              /* before that */
};

static struct runs runs_of(const struct rf_answer *a, const struct rf_block *b)
{
    return (struct runs){ .answer = a, .block = b, .reference = reference_after(a, b, NULL) };
}

/* The words up to the next reference, and that one; false where nothing is left. */
static bool next_run(struct runs *r, struct rf_str *words, const struct rf_jval **reference)
{
    struct rf_str rest = { r->block->text.p + r->at, r->block->text.n - r->at };
    *reference = r->reference;
    *words = rest;
    if (r->reference) {
        int64_t end = rf_reply_count(rf_jval_get(r->reference, "end"));
        words->n = rf_utf8_offset(rest, end - r->characters);
        r->reference = reference_after(r->answer, r->block, r->reference);
    }
    r->at += words->n;
    r->characters += rf_utf8_count(*words);
    return words->n || *reference;
}

static void text_part(struct rf_json *w, struct rf_str text)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", text);
    rf_json_end(w);
}

static void tool_reference(struct rf_json *w, const struct rf_jval *c)
{
    static const char *const names[][2] = {
        { "source", "tool" }, { "title", "title" }, { "url", "url" }, { "text", "description" }
    };
    rf_json_str(w, "type", RF_STR("tool_reference"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct rf_jval *v = rf_jval_get(c, names[i][0]);
        if (v)
            rf_json_value(w, names[i][1], v);
    }
}

/* Ids are numbers, mostly. */
static void reference(struct rf_json *w, const struct rf_jval *source)
{
    int64_t id;
    rf_json_str(w, "type", RF_STR("reference"));
    rf_json_arr(w, "reference_ids");
    if (source && source->type == RF_JSTRING && rf_str_int64(source->raw, &id))
        rf_json_int(w, NULL, id);
    else if (source)
        rf_json_value(w, NULL, source);
    rf_json_end(w);
}

static void reference_part(struct rf_json *w, const struct rf_jval *c)
{
    rf_json_obj(w, NULL);
    if (rf_jval_get(c, "title") || rf_jval_get(c, "url") || rf_jval_get(c, "text"))
        tool_reference(w, c);
    else
        reference(w, rf_jval_get(c, "source"));
    rf_json_end(w);
}

static void text_parts(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    struct runs r = runs_of(a, b);
    struct rf_str words;
    const struct rf_jval *c;
    while (next_run(&r, &words, &c)) {
        if (words.n)
            text_part(w, words);
        if (c)
            reference_part(w, c);
    }
}

static void thinking_part(struct rf_json *w, const struct rf_thinking *t)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("thinking"));
    rf_json_arr(w, "thinking");
    if (t->text.n)
        text_part(w, t->text);
    rf_json_end(w);
    rf_json_str_opt(w, "signature", t->signature);
    rf_json_end(w);
}

void rf_completion_image(struct rf_json *w, const struct rf_media *m)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("image_url"));
    rf_json_obj(w, "image_url");
    rf_json_str_open(w, "url");
    if (m->source.kind == RF_SOURCE_DATA) {
        rf_json_part(w, RF_STR("data:"));
        rf_json_part(w, m->media_type);
        rf_json_part(w, RF_STR(";base64,"));
    }
    rf_json_part(w, m->source.ref);
    rf_json_str_close(w);
    rf_json_end(w);
    rf_json_end(w);
}

static void part(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    if (b->type == RF_BLOCK_TEXT)
        text_parts(w, a, b);
    else if (b->type == RF_BLOCK_THINKING)
        thinking_part(w, &b->thinking);
    else if (b->type == RF_BLOCK_IMAGE)
        rf_completion_image(w, &b->media);
    else
        rf_json_value(w, NULL, b->value);
}

static void string_content(struct rf_json *w, const struct rf_answer *a, rf_completion_is *is_text)
{
    bool any = false;
    for (size_t i = 0; i < a->count; i++) {
        if (!is_text(a, &a->blocks[i]))
            continue;
        if (!any)
            rf_json_str_open(w, "content");
        any = true;
        rf_json_part(w, a->blocks[i].text);
    }
    if (any)
        rf_json_str_close(w);
    else
        rf_json_null(w, "content");
}

void rf_completion_content(struct rf_json *w, const struct rf_answer *a, rf_completion_is *is_text,
                           rf_completion_is *is_part)
{
    bool listed = false;
    for (size_t i = 0; i < a->count; i++)
        listed |= is_part(a, &a->blocks[i]) || reference_after(a, &a->blocks[i], NULL);
    if (!listed) {
        string_content(w, a, is_text);
        return;
    }
    rf_json_arr(w, "content");
    for (size_t i = 0; i < a->count; i++)
        if (is_text(a, &a->blocks[i]) || is_part(a, &a->blocks[i]))
            part(w, a, &a->blocks[i]);
    rf_json_end(w);
}

/* Streams */

void rf_completion_delta_part(struct rf_telling *t, const struct rf_block *b)
{
    struct rf_json *w = rf_completion_delta(t);
    rf_json_arr(w, "content");
    part(w, &t->answer, b);
    rf_json_end(w);
    rf_completion_delta_end(t);
}

void rf_completion_think(struct rf_telling *t, struct rf_str text, struct rf_str signature)
{
    const struct rf_block b = {
        .type = RF_BLOCK_THINKING,
        .thinking = { .text = text, .signature = signature },
    };
    rf_completion_delta_part(t, &b);
}

void rf_completion_text_piece(struct rf_telling *t, struct rf_str text)
{
    if (!reference_after(&t->answer, rf_completion_open_block(t), NULL))
        rf_completion_delta_str(t, "content", text);
}

void rf_completion_close_text(struct rf_telling *t, const struct rf_block *b)
{
    bool waited = reference_after(&t->answer, rf_completion_open_block(t), NULL) != NULL;
    struct runs r = runs_of(&t->answer, b);
    struct rf_str words;
    const struct rf_jval *c;
    while (next_run(&r, &words, &c)) {
        if (words.n && waited)
            rf_completion_delta_str(t, "content", words);
        if (!c)
            continue;
        struct rf_json *w = rf_completion_delta(t);
        rf_json_arr(w, "content");
        reference_part(w, c);
        rf_json_end(w);
        rf_completion_delta_end(t);
    }
}
