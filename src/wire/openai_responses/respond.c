/* OpenAI Responses: writing responses, streams and errors.
 * https://platform.openai.com/docs/api-reference/responses (2026-11)
 *
 *     block       item of `output`
 *     text        message: texts in a row are parts of one, their citations its annotations
 *     thinking    reasoning: its summary, or its content where it was that
 *     call        function_call
 *     image       image_generation_call; one that came with such an item is in it already
 *     opaque      as it came
 *
 * A stream tells every text three times, so what was said in pieces is what the end repeats. A
 * message stays open until something else than a text comes. What repeats the request is written
 * with plain defaults. A stream that fails ends as a response that failed. */
#include "wire/respond.h"

#include "base/arena.h"
#include "base/limits.h"
#include "content/block.h"
#include "wire/wire.h"

#define ID "resp_" /* how a response's begins */
#define IMAGE_CALL "image_generation_call"

/* How a text is spelled as a part of an item, and in which events. */
struct form {
    const char *type, *member, *index;
    const char *added, *delta, *said, *done;
};

static const struct form text_form = {
    .type = "output_text",
    .member = "text",
    .index = "content_index",
    .added = "response.content_part.added",
    .delta = "response.output_text.delta",
    .said = "response.output_text.done",
    .done = "response.content_part.done",
};
static const struct form refusal_form = {
    .type = "refusal",
    .member = "refusal",
    .index = "content_index",
    .added = "response.content_part.added",
    .delta = "response.refusal.delta",
    .said = "response.refusal.done",
    .done = "response.content_part.done",
};
static const struct form summary_form = {
    .type = "summary_text",
    .member = "text",
    .index = "summary_index",
    .added = "response.reasoning_summary_part.added",
    .delta = "response.reasoning_summary_text.delta",
    .said = "response.reasoning_summary_text.done",
    .done = "response.reasoning_summary_part.done",
};
static const struct form thought_form = {
    .type = "reasoning_text",
    .member = "text",
    .index = "content_index",
    .added = "response.content_part.added",
    .delta = "response.reasoning_text.delta",
    .said = "response.reasoning_text.done",
    .done = "response.content_part.done",
};

/* A block of an item. */
struct part {
    struct rf_block block;
    struct rf_str words;     /* the text, the thought, the arguments */
    const struct form *form; /* of texts and thoughts */
};

struct item {
    struct rf_str id;
    size_t first, count; /* of its parts */
    bool done;           /* else it is written as far as it is known when it begins */
};

struct output {
    const struct rf_answer *answer;
    struct part *parts;
    size_t count, cap;
    struct item *items;
    size_t item_count, item_cap;
    struct rf_buf words; /* streams: what was said of the last part */
};

/* Why it stopped: a status, or the reason for which a response is incomplete. */
static const char *const stops[] = {
    [RF_STOP_UNKNOWN] = "completed",  [RF_STOP_END] = "completed",
    [RF_STOP_TOOL] = "completed",     [RF_STOP_LENGTH] = "max_output_tokens",
    [RF_STOP_SEQUENCE] = "completed", [RF_STOP_REFUSED] = "content_filter",
    [RF_STOP_PAUSED] = "incomplete",  [RF_STOP_MALFORMED] = "incomplete",
    [RF_STOP_ERROR] = "failed",
};

static const struct rf_error_words errors[] = {
    [RF_ERROR_NONE] = { "server_error", 500 },
    [RF_ERROR_AUTHENTICATION] = { "invalid_api_key", 401 },
    [RF_ERROR_PERMISSION] = { "permission_error", 403 },
    [RF_ERROR_RATE_LIMIT] = { "rate_limit_exceeded", 429 },
    [RF_ERROR_OVERLOADED] = { "overloaded_error", 503 },
    [RF_ERROR_CONTEXT_TOO_LONG] = { "context_length_exceeded", 400 },
    [RF_ERROR_TOO_LARGE] = { "request_too_large", 413 },
    [RF_ERROR_BAD_MEDIA] = { "invalid_request_error", 400 },
    [RF_ERROR_UNSUPPORTED] = { "unsupported_file", 400 },
    [RF_ERROR_NOT_FOUND] = { "model_not_found", 404 },
    [RF_ERROR_OTHER] = { "server_error", 500 },
};

static bool is(const struct rf_jval *v, struct rf_str s, struct rf_arena *a)
{
    return v && v->type == RF_JSTRING && rf_str_eq(rf_jval_text(v, a), s);
}

/* Which block goes into which item. */

static struct rf_str words_of(const struct rf_block *b, struct rf_arena *a)
{
    if (b->type == RF_BLOCK_TOOL_CALL)
        return rf_call_arguments(b, a);
    return b->type == RF_BLOCK_THINKING ? b->thinking.text : b->text;
}

static const struct form *form_of(const struct rf_answer *a, const struct rf_block *b)
{
    if (b->type == RF_BLOCK_THINKING)
        return rf_answer_kept(a, b, "summary") ? &thought_form : &summary_form;
    return rf_answer_kept(a, b, "refusal") ? &refusal_form : &text_form;
}

static struct rf_str own_id(const struct rf_answer *a, const struct rf_block *b)
{
    const struct rf_jval *id = rf_answer_kept(a, b, "id");
    if (b->type == RF_BLOCK_THINKING)
        return b->thinking.id;
    return id && id->type == RF_JSTRING ? rf_jval_text(id, a->arena) : RF_STR("");
}

static struct rf_str item_id(const struct output *o, const struct rf_block *b)
{
    static const char *const names[RF_BLOCK_OPAQUE + 1] = { [RF_BLOCK_TEXT] = "msg",
                                                            [RF_BLOCK_IMAGE] = "ig",
                                                            [RF_BLOCK_THINKING] = "rs",
                                                            [RF_BLOCK_TOOL_CALL] = "fc",
                                                            [RF_BLOCK_OPAQUE] = "item" };
    struct rf_str own = own_id(o->answer, b), id = o->answer->id;
    if (own.n)
        return own;
    if (rf_str_starts(id, ID))
        id = (struct rf_str){ id.p + strlen(ID), id.n - strlen(ID) };
    return rf_strf(o->answer->arena, "%s_%.*s_%zu", names[b->type], RF_FMT(id), o->item_count);
}

/* Does the block belong to the last item? */
static bool joins(const struct output *o, const struct rf_block *b)
{
    const struct part *last = o->count ? &o->parts[o->count - 1] : NULL;
    const struct rf_answer *a = o->answer;
    if (!last)
        return false;
    if (b->type == RF_BLOCK_IMAGE && last->block.type == RF_BLOCK_OPAQUE)
        return is(rf_jval_get(last->block.value, "type"), RF_STR(IMAGE_CALL), a->arena) &&
               is(rf_jval_get(last->block.value, "result"), b->media.source.ref, a->arena);
    if (b->type != RF_BLOCK_TEXT || last->block.type != RF_BLOCK_TEXT)
        return false;
    return !a->own || rf_str_eq(own_id(a, b), o->items[o->item_count - 1].id);
}

/* One more block. True where an item begins with it. */
static bool place(struct output *o, const struct rf_block *b)
{
    struct rf_arena *arena = o->answer->arena;
    bool begins = !joins(o, b);
    if (begins) {
        struct rf_str id = item_id(o, b);
        *RF_PUSH(arena, o->items, o->item_count, o->item_cap) =
            (struct item){ .id = id, .first = o->count };
    }
    *RF_PUSH(arena, o->parts, o->count, o->cap) =
        (struct part){ .block = *b, .form = form_of(o->answer, b) };
    o->items[o->item_count - 1].count++;
    return begins;
}

/* Parts */

static int64_t number(const struct rf_jval *v, int64_t otherwise)
{
    int64_t n = rf_reply_count(v);
    return n < 0 ? otherwise : n;
}

static int64_t characters(struct rf_str s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return n;
}

/* A citation that does not say which words it belongs to belongs to all of the text. */
static void annotation(struct rf_json *w, const char *key, const struct part *p,
                       const struct rf_jval *c, struct rf_arena *a)
{
    const struct rf_jval *url = rf_jval_get(c, "url"), *title = rf_jval_get(c, "title");
    const struct rf_jval *source = rf_jval_get(c, "source");
    rf_json_obj(w, key);
    rf_json_str(w, "type", url ? RF_STR("url_citation") : RF_STR("file_citation"));
    if (url) {
        rf_json_str(w, "url", rf_jval_text(url, a));
        rf_json_str(w, "title", title ? rf_jval_text(title, a) : RF_STR(""));
        rf_json_int(w, "start_index", number(rf_jval_get(c, "start"), 0));
        rf_json_int(w, "end_index", number(rf_jval_get(c, "end"), characters(p->words)));
    } else {
        rf_json_str(w, "file_id", source ? rf_jval_text(source, a) : RF_STR(""));
        rf_json_str(w, "filename", title ? rf_jval_text(title, a) : RF_STR(""));
        rf_json_int(w, "index", characters(p->words));
    }
    rf_json_end(w);
}

/* Annotations as they came, or citations. */
static const struct rf_jval *cited(const struct rf_answer *a, const struct part *p, bool *kept)
{
    const struct rf_jval *list = rf_answer_kept(a, &p->block, "annotations");
    *kept = list && list->type == RF_JARRAY;
    if (*kept)
        return list;
    list = p->block.citations;
    return list && list->type == RF_JARRAY ? list : NULL;
}

static void each_annotation(struct rf_json *w, const char *key, const struct rf_answer *a,
                            const struct part *p, const struct rf_jval *c, bool kept)
{
    if (kept)
        rf_json_value(w, key, c);
    else
        annotation(w, key, p, c, a->arena);
}

static void annotations(struct rf_json *w, const struct rf_answer *a, const struct part *p)
{
    bool kept;
    const struct rf_jval *list = cited(a, p, &kept);
    rf_json_arr(w, "annotations");
    for (const struct rf_jval *c = list ? rf_jval_first(list) : NULL; c; c = rf_jval_next(list, c))
        each_annotation(w, NULL, a, p, c, kept);
    rf_json_end(w);
}

static void part(struct rf_json *w, const char *key, const struct rf_answer *a,
                 const struct part *p)
{
    rf_json_obj(w, key);
    rf_json_str(w, "type", rf_str(p->form->type));
    rf_json_str(w, p->form->member, p->words);
    if (p->form == &text_form)
        annotations(w, a, p);
    rf_json_end(w);
}

/* Items */

/* Its id, its status, and what was kept of it, in the order in which that came. */
static void item_members(struct rf_json *w, const struct rf_answer *a, const struct item *i,
                         const struct rf_block *b)
{
    bool same = is(rf_answer_kept(a, b, "id"), i->id, a->arena);
    const char *const but[] = { "annotations",
                                "content",
                                "refusal",
                                "summary",
                                same ? "content" : "id",
                                i->done ? "content" : "status",
                                NULL };
    bool told = i->done && rf_answer_kept(a, b, "status");
    if (!same)
        rf_json_str(w, "id", i->id);
    if (!told && b->type != RF_BLOCK_THINKING)
        rf_json_str(w, "status", i->done ? RF_STR("completed") : RF_STR("in_progress"));
    rf_json_members(w, rf_answer_aside(a, b), but);
}

static void message(struct rf_json *w, const struct output *o, const struct item *i)
{
    rf_json_str(w, "type", RF_STR("message"));
    rf_json_str(w, "role", RF_STR("assistant"));
    item_members(w, o->answer, i, &o->parts[i->first].block);
    rf_json_arr(w, "content");
    for (size_t k = 0; i->done && k < i->count; k++)
        part(w, NULL, o->answer, &o->parts[i->first + k]);
    rf_json_end(w);
}

/* A list with the words of a thought, or what was kept of the other list. */
static void thought_list(struct rf_json *w, const char *key, const struct rf_answer *a,
                         const struct part *p, const struct form *form)
{
    const struct rf_jval *kept = rf_answer_kept(a, &p->block, key);
    if (p->form != form && !kept && form == &thought_form)
        return;
    if (p->form != form && kept) {
        rf_json_value(w, key, kept);
        return;
    }
    rf_json_arr(w, key);
    if (p->form == form && p->words.n)
        part(w, NULL, a, p);
    rf_json_end(w);
}

static void reasoning(struct rf_json *w, const struct rf_answer *a, const struct item *i,
                      const struct part *p)
{
    rf_json_str(w, "type", RF_STR("reasoning"));
    item_members(w, a, i, &p->block);
    if (!i->done) {
        rf_json_arr(w, "summary");
        rf_json_end(w);
        return;
    }
    thought_list(w, "summary", a, p, &summary_form);
    thought_list(w, "content", a, p, &thought_form);
    rf_json_str_opt(w, "encrypted_content", p->block.thinking.encrypted);
}

static void function_call(struct rf_json *w, const struct rf_answer *a, const struct item *i,
                          const struct part *p)
{
    rf_json_str(w, "type", RF_STR("function_call"));
    rf_json_str(w, "call_id", p->block.call.id);
    rf_json_str(w, "name", p->block.call.name);
    rf_json_str(w, "arguments", p->words);
    item_members(w, a, i, &p->block);
}

static void image(struct rf_json *w, const struct item *i, const struct rf_media *m)
{
    rf_json_str(w, "type", RF_STR(IMAGE_CALL));
    rf_json_str(w, "id", i->id);
    rf_json_str(w, "status", i->done ? RF_STR("completed") : RF_STR("in_progress"));
    if (rf_str_starts(m->media_type, "image/"))
        rf_json_str(w, "output_format",
                    (struct rf_str){ m->media_type.p + 6, m->media_type.n - 6 });
    if (i->done)
        rf_json_str(w, "result", m->source.ref);
    else
        rf_json_null(w, "result");
}

static void item(struct rf_json *w, const char *key, const struct output *o, const struct item *i)
{
    const struct part *p = &o->parts[i->first];
    if (p->block.type == RF_BLOCK_OPAQUE) {
        rf_json_value(w, key, p->block.value);
        return;
    }
    rf_json_obj(w, key);
    if (p->block.type == RF_BLOCK_THINKING)
        reasoning(w, o->answer, i, p);
    else if (p->block.type == RF_BLOCK_TOOL_CALL)
        function_call(w, o->answer, i, p);
    else if (p->block.type == RF_BLOCK_IMAGE)
        image(w, i, &p->block.media);
    else
        message(w, o, i);
    rf_json_end(w);
}

/* The response */

/* Counts that the type has: what this API left out of its own reply stays left out. */
static void count(struct rf_json *w, const struct rf_answer *a, const char *name, int64_t n)
{
    if (n >= 0 || !a->own)
        rf_json_int(w, name, rf_answer_count(n));
}

/* Others, of which it tells some models'. */
static void own_count(struct rf_json *w, const struct rf_answer *a, const char *name, int64_t n)
{
    if (n >= 0 && a->own)
        rf_json_int(w, name, n);
}

static void usage(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_usage *u = &a->ending.usage;
    if (a->own && u->input < 0 && u->output < 0) {
        rf_json_null(w, "usage");
        return;
    }
    rf_json_obj(w, "usage");
    count(w, a, "input_tokens", u->input);
    rf_json_obj(w, "input_tokens_details");
    count(w, a, "cached_tokens", u->cached);
    count(w, a, "cache_write_tokens", u->cache_write);
    own_count(w, a, "text_tokens", u->input_text);
    own_count(w, a, "image_tokens", u->input_image);
    rf_json_end(w);
    count(w, a, "output_tokens", u->output);
    rf_json_obj(w, "output_tokens_details");
    count(w, a, "reasoning_tokens", u->reasoning);
    own_count(w, a, "text_tokens", u->output_text);
    own_count(w, a, "image_tokens", u->output_image);
    rf_json_end(w);
    rf_json_int(w, "total_tokens", rf_answer_total(a));
    rf_json_end(w);
}

static bool is_status(struct rf_str word)
{
    static const char *const all[] = { "completed", "in_progress", "incomplete",
                                       "failed",    "cancelled",   "queued" };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (rf_str_is(word, all[i]))
            return true;
    return false;
}

/* Only what is made in the background is told of before it is over. */
static bool is_waiting(struct rf_str status)
{
    return rf_str_is(status, "queued") || rf_str_is(status, "in_progress");
}

static struct rf_str status_of(struct rf_str stop)
{
    return is_status(stop) ? stop : RF_STR("incomplete");
}

/* The list of codes that a response may fail with is short; the type says it more exactly. */
static void failure(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_refusal *e = &a->ending.error;
    bool own = a->own && e->code.n;
    rf_json_obj(w, "error");
    if (own)
        rf_json_str(w, "code", e->code);
    else if (e->kind == RF_ERROR_RATE_LIMIT)
        rf_json_str(w, "code", RF_STR("rate_limit_exceeded"));
    else
        rf_json_str(w, "code", RF_STR("server_error"));
    if (!own && e->kind != RF_ERROR_NONE)
        rf_json_str(w, "type", rf_answer_error(a, errors));
    rf_json_str(w, "message", e->words.n ? e->words : RF_STR("failed on the way"));
    rf_json_end(w);
}

static void stop_members(struct rf_json *w, const struct rf_answer *a, struct rf_str stop)
{
    rf_json_str(w, "status", status_of(stop));
    if (rf_str_is(stop, "failed"))
        failure(w, a);
    else
        rf_json_null(w, "error");
    if (!rf_str_is(status_of(stop), "incomplete")) {
        rf_json_null(w, "incomplete_details");
        return;
    }
    rf_json_obj(w, "incomplete_details");
    if (!is_status(stop))
        rf_json_str(w, "reason", stop);
    rf_json_end(w);
}

static void kept(struct rf_json *w, const struct rf_answer *a, const char *name)
{
    const struct rf_jval *v = rf_answer_kept(a, NULL, name);
    if (v)
        rf_json_value(w, name, v);
}

static void request_members(struct rf_json *w)
{
    rf_json_null(w, "access_programs");
    rf_json_null(w, "instructions");
    rf_json_obj(w, "metadata");
    rf_json_end(w);
    rf_json_bool(w, "parallel_tool_calls", true);
    rf_json_null(w, "temperature");
    rf_json_str(w, "tool_choice", RF_STR("auto"));
    rf_json_arr(w, "tools");
    rf_json_end(w);
    rf_json_null(w, "top_p");
}

static void response(struct rf_json *w, const struct output *o, struct rf_str stop)
{
    const struct rf_answer *a = o->answer;
    rf_json_str(w, "id", a->id);
    rf_json_str(w, "object", RF_STR("response"));
    rf_json_int(w, "created_at", a->created_s);
    rf_json_str(w, "model", a->model);
    stop_members(w, a, stop);
    rf_json_arr(w, "output");
    for (size_t i = 0; i < o->item_count; i++)
        item(w, NULL, o, &o->items[i]);
    rf_json_end(w);
    request_members(w);
    kept(w, a, "service_tier");
    kept(w, a, "conversation");
    if (rf_str_is(stop, "in_progress"))
        rf_json_null(w, "usage");
    else
        usage(w, a);
}

static void body(const struct rf_answer *a, struct rf_json *w)
{
    struct output o = { .answer = a };
    struct rf_str stop = rf_answer_stop(a, stops);
    for (size_t i = 0; i < a->count; i++) {
        place(&o, &a->blocks[i]);
        o.parts[i].words = words_of(&a->blocks[i], a->arena);
        o.items[o.item_count - 1].done = true;
    }
    response(w, &o, stop);
    if (is_waiting(stop))
        rf_json_bool(w, "background", true);
}

/* A name that says what kind of error it is is a code; the others are types. */
static void refusal(const struct rf_answer *a, struct rf_json *w)
{
    struct rf_str name = rf_answer_error(a, errors);
    bool is_code = rf_wire_error_kind(0, name, RF_STR("")) != RF_ERROR_OTHER;
    bool is_ours = errors[a->ending.error.kind].status >= 500;
    rf_json_obj(w, "error");
    rf_json_str(w, "message", a->ending.error.words);
    if (is_code)
        rf_json_str(w, "type", is_ours ? RF_STR("server_error") : RF_STR("invalid_request_error"));
    else
        rf_json_str(w, "type", name);
    rf_json_null(w, "param");
    if (is_code)
        rf_json_str(w, "code", name);
    else
        rf_json_null(w, "code");
    rf_json_end(w);
}

/* Streams */

static struct rf_json *event(struct rf_telling *t, const char *type)
{
    struct rf_json *w = rf_tell_open(t);
    rf_json_str(w, "type", rf_str(type));
    rf_json_int(w, "sequence_number", t->next++);
    return w;
}

static void response_event(struct rf_telling *t, const char *type, struct rf_str stop)
{
    struct rf_json *w = event(t, type);
    rf_json_obj(w, "response");
    response(w, t->state, stop);
    rf_json_end(w);
    rf_tell_close(t, type);
}

static struct item *last_item(const struct output *o)
{
    return &o->items[o->item_count - 1];
}

static void item_event(struct rf_telling *t, const char *type)
{
    const struct output *o = t->state;
    struct rf_json *w = event(t, type);
    rf_json_int(w, "output_index", (int64_t)o->item_count - 1);
    item(w, "item", o, last_item(o));
    rf_tell_close(t, type);
}

/* An event about the last item, and about its last part. */
static struct rf_json *inside_event(struct rf_telling *t, const char *type)
{
    const struct output *o = t->state;
    struct rf_json *w = event(t, type);
    rf_json_str(w, "item_id", last_item(o)->id);
    rf_json_int(w, "output_index", (int64_t)o->item_count - 1);
    return w;
}

static struct rf_json *part_event(struct rf_telling *t, const char *type)
{
    const struct output *o = t->state;
    struct rf_json *w = inside_event(t, type);
    rf_json_int(w, o->parts[o->count - 1].form->index, (int64_t)last_item(o)->count - 1);
    return w;
}

static void tell_part(struct rf_telling *t, const char *type)
{
    const struct output *o = t->state;
    part(part_event(t, type), "part", &t->answer, &o->parts[o->count - 1]);
    rf_tell_close(t, type);
}

static void tell_words(struct rf_telling *t, const char *type, const char *member,
                       struct rf_str words)
{
    const struct output *o = t->state;
    struct rf_json *w = part_event(t, type);
    rf_json_str(w, member, words);
    if (o->parts[o->count - 1].form == &text_form) {
        rf_json_arr(w, "logprobs");
        rf_json_end(w);
    }
    rf_tell_close(t, type);
}

static void tell_annotations(struct rf_telling *t, const struct part *p)
{
    static const char type[] = "response.output_text.annotation.added";
    bool kept;
    int64_t index = 0;
    const struct rf_jval *list = cited(&t->answer, p, &kept);
    for (const struct rf_jval *c = list ? rf_jval_first(list) : NULL; c;
         c = rf_jval_next(list, c)) {
        struct rf_json *w = part_event(t, type);
        rf_json_int(w, "annotation_index", index++);
        each_annotation(w, "annotation", &t->answer, p, c, kept);
        rf_tell_close(t, type);
    }
}

static void finish_item(struct rf_telling *t)
{
    const struct output *o = t->state;
    if (!o->item_count || last_item(o)->done)
        return;
    last_item(o)->done = true;
    item_event(t, "response.output_item.done");
}

static void begin(struct rf_telling *t)
{
    struct output *o = t->state = RF_NEW(t->answer.arena, struct output);
    *o = (struct output){ .answer = &t->answer };
    rf_buf_init(&o->words, t->answer.arena, RF_MAX_REPLY_BYTES);
    response_event(t, "response.created", RF_STR("in_progress"));
    response_event(t, "response.in_progress", RF_STR("in_progress"));
}

static void open(struct rf_telling *t, const struct rf_block *b)
{
    struct output *o = t->state;
    o->words.n = 0;
    if (!joins(o, b))
        finish_item(t);
    if (place(o, b))
        item_event(t, "response.output_item.added");
    if (b->type == RF_BLOCK_TEXT)
        tell_part(t, o->parts[o->count - 1].form->added);
}

static void piece(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    struct output *o = t->state;
    const struct form *form = o->parts[o->count - 1].form;
    if (type == RF_EVENT_THINKING && !o->words.n)
        tell_part(t, form->added);
    rf_buf_add(&o->words, text);
    if (type != RF_EVENT_ARGUMENTS) {
        tell_words(t, form->delta, "delta", text);
        return;
    }
    rf_json_str(inside_event(t, "response.function_call_arguments.delta"), "delta", text);
    rf_tell_close(t, "response.function_call_arguments.delta");
}

static void end_call(struct rf_telling *t, const struct part *p)
{
    struct rf_json *w = inside_event(t, "response.function_call_arguments.done");
    rf_json_str(w, "arguments", p->words);
    rf_tell_close(t, "response.function_call_arguments.done");
}

static void end_words(struct rf_telling *t, const struct part *p)
{
    if (p->form == &text_form)
        tell_annotations(t, p);
    tell_words(t, p->form->said, p->form->member, p->words);
    tell_part(t, p->form->done);
}

static void close(struct rf_telling *t, const struct rf_block *b)
{
    static const enum rf_event_type types[RF_BLOCK_OPAQUE + 1] = {
        [RF_BLOCK_TEXT] = RF_EVENT_TEXT,
        [RF_BLOCK_THINKING] = RF_EVENT_THINKING,
        [RF_BLOCK_TOOL_CALL] = RF_EVENT_ARGUMENTS,
    };
    struct output *o = t->state;
    struct part *p = &o->parts[o->count - 1];
    struct rf_str all = words_of(b, t->answer.arena);
    if (types[b->type] && !o->words.n && all.n)
        piece(t, types[b->type], all);
    p->block = *b;
    p->words = rf_str_dup(t->answer.arena, (struct rf_str){ o->words.p, o->words.n });
    if (b->type == RF_BLOCK_TOOL_CALL)
        end_call(t, p);
    else if (b->type == RF_BLOCK_TEXT || p->words.n)
        end_words(t, p);
    if (b->type != RF_BLOCK_TEXT)
        finish_item(t);
}

static void finish(struct rf_telling *t, struct rf_str stop)
{
    struct rf_str status = status_of(stop);
    finish_item(t);
    response_event(t,
                   rf_str_is(status, "incomplete") ? "response.incomplete"
                   : rf_str_is(status, "failed")   ? "response.failed"
                                                   : "response.completed",
                   stop);
}

static void end(struct rf_telling *t)
{
    finish(t, rf_answer_stop(&t->answer, stops));
}

static void fail(struct rf_telling *t)
{
    finish(t, RF_STR("failed"));
}

const struct rf_replies rf_openai_responses_replies = {
    .id = ID,
    .says = { [RF_BLOCK_TEXT] = true,
              [RF_BLOCK_IMAGE] = true,
              [RF_BLOCK_THINKING] = true,
              [RF_BLOCK_TOOL_CALL] = true,
              [RF_BLOCK_OPAQUE] = true },
    .says_no_urls = true,
    .says_citations = true,
    .says_encrypted = true,
    .body = body,
    .refusal = refusal,
    .errors = errors,
    .begin = begin,
    .open = open,
    .piece = piece,
    .close = close,
    .end = end,
    .fail = fail,
};
