/* OpenAI Responses, the way back: output items in, blocks out.
 * https://platform.openai.com/docs/api-reference/responses (2026-11)
 *
 *     item of `output`        block
 *     message                 a text for each part; id, phase and status are kept with each
 *       refusal               a text that is marked so
 *       annotations           citations; kept as they came where those say less
 *     reasoning               thinking: its summary, else its content; the other one is kept, and
 *                             a summary of several parts
 *     function_call           a tool call
 *     image_generation_call   opaque, and the image after it
 *     any other               opaque
 *
 * Members that have no field are kept with the block. Left aside: log probabilities. */
#include "wire/openai_responses/openai_responses.h"

#include "base/arena.h"

struct rf_responses *rf_responses(struct rf_reply *r)
{
    if (!r->state)
        r->state = RF_NEW(r->arena, struct rf_responses);
    return r->state;
}

static bool is(const struct rf_jval *v, const char *s)
{
    return v && rf_jval_is(v, s);
}

static const struct rf_jval *list_of(const struct rf_jval *v, const char *name)
{
    const struct rf_jval *list = rf_jval_get(v, name);
    return list && list->type == RF_JARRAY ? list : NULL;
}

static const struct rf_jval *first(const struct rf_jval *list)
{
    return list ? rf_jval_first(list) : NULL;
}

/* The draft that stands for this, whatever it was taken for. */
static struct rf_draft *draft(struct rf_reply *r, int64_t number, enum rf_block_type type)
{
    struct rf_draft *d = rf_reply_block(r, number, type);
    d->type = type;
    d->extra.n = 0;
    return d;
}

static void settle(struct rf_reply *r, struct rf_draft *d, struct rf_buf *b, struct rf_str all,
                   void (*add)(struct rf_reply *, struct rf_draft *, struct rf_str))
{
    size_t n = b->n;
    if (n && r->forgets) /* it was told in pieces */
        return;
    if (n <= all.n && rf_str_eq((struct rf_str){ b->p, n }, (struct rf_str){ all.p, n })) {
        add(r, d, (struct rf_str){ all.p + n, all.n - n });
    } else if (all.n) {
        b->n = 0;
        rf_buf_add(b, all);
    }
}

void rf_responses_text(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *all)
{
    settle(r, d, &d->text, rf_reply_text(r, all), rf_draft_text);
}

/* Some servers write them as an object. */
void rf_responses_arguments(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *all)
{
    bool object = all && all->type == RF_JOBJECT;
    settle(r, d, &d->arguments, object ? rf_jval_compact(all, r->scratch) : rf_reply_text(r, all),
           rf_draft_arguments);
}

static void opaque(struct rf_reply *r, int64_t number, struct rf_str json)
{
    struct rf_draft *d = draft(r, number, RF_BLOCK_OPAQUE);
    if (!rf_str_eq(d->opaque, json))
        d->opaque = rf_str_dup(r->arena, json);
}

static void opaque_item(struct rf_reply *r, int64_t number, const struct rf_jval *item)
{
    opaque(r, number, rf_jval_compact(item, r->scratch));
}

/* Messages. */

static void offset(struct rf_json *w, const char *key, const struct rf_jval *v)
{
    if (rf_reply_count(v) >= 0)
        rf_json_int(w, key, rf_reply_count(v));
}

void rf_responses_citation(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str json;
    const struct rf_jval *title = rf_jval_get(a, "title");
    if (!a || a->type != RF_JOBJECT)
        return;
    rf_rope_init(&rope, r->scratch);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str_opt(&w, "source", rf_reply_text(r, rf_jval_get(a, "file_id")));
    rf_json_str_opt(&w, "title", rf_reply_text(r, title ? title : rf_jval_get(a, "filename")));
    rf_json_str_opt(&w, "url", rf_reply_text(r, rf_jval_get(a, "url")));
    offset(&w, "start", rf_jval_get(a, "start_index"));
    offset(&w, "end", rf_jval_get(a, "end_index"));
    rf_json_end(&w);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, r->scratch, &json, NULL))
        RF_BUG("a citation in memory could not be written");
    rf_draft_citation(r, d, json);
}

static void annotations(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *list)
{
    bool more = false;
    d->citations.n = 0;
    for (const struct rf_jval *a = first(list); a; a = rf_jval_next(list, a)) {
        rf_responses_citation(r, d, a);
        more |= !is(rf_jval_get(a, "type"), "url_citation");
    }
    if (more)
        rf_reply_keep(r, d, "annotations", list);
}

bool rf_responses_is_said(const struct rf_jval *part)
{
    const struct rf_jval *type = rf_jval_get(part, "type");
    return is(type, "output_text") || is(type, "refusal");
}

void rf_responses_refused(struct rf_reply *r, struct rf_draft *d)
{
    static const struct rf_jval yes = { .type = RF_JTRUE, .span = 1, .raw = RF_STR_INIT("true") };
    rf_responses(r)->refused = true;
    if (!d->extra.n)
        rf_reply_keep(r, d, "refusal", &yes);
}

/* What is kept of a message with each of its parts. */
static void keep_message(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *message)
{
    static const char *const known[] = { "type", "role", "content", NULL };
    const struct rf_responses *s = rf_responses(r);
    bool inside = d->number >= s->message && d->number - s->message < RF_RESPONSES_PARTS;
    if (!message && (!inside || !s->added.n || rf_jval_parse(s->added, r->scratch, &message, NULL)))
        return;
    rf_reply_keep_others(r, d, message, known);
}

void rf_responses_said(struct rf_reply *r, int64_t number, const struct rf_jval *part,
                       const struct rf_jval *message)
{
    static const char *const known[] = {
        "type", "text", "refusal", "annotations", "logprobs", NULL
    };
    bool refusal = is(rf_jval_get(part, "type"), "refusal");
    struct rf_draft *d = draft(r, number, RF_BLOCK_TEXT);
    if (refusal)
        rf_responses_refused(r, d);
    annotations(r, d, list_of(part, "annotations"));
    rf_reply_keep_others(r, d, part, known);
    keep_message(r, d, message);
    rf_responses_text(r, d, rf_jval_get(part, refusal ? "refusal" : "text"));
}

/* A part that is not modelled, in a message of its own that can go back. */
static void opaque_part(struct rf_reply *r, int64_t number, const struct rf_jval *item,
                        const struct rf_jval *part)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str json;
    rf_rope_init(&rope, r->scratch);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    for (const struct rf_jval *k = rf_jval_first(item); k; k = rf_jval_next(item, k + 1)) {
        bool content = rf_jval_is(k, "content");
        rf_json_key(&w, rf_jval_text(k, r->scratch));
        if (content)
            rf_json_arr(&w, NULL);
        rf_json_value(&w, NULL, content ? part : k + 1);
        if (content)
            rf_json_end(&w);
    }
    rf_json_end(&w);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, r->scratch, &json, NULL))
        RF_BUG("a message in memory could not be written");
    opaque(r, number, json);
}

static void message(struct rf_reply *r, int64_t number, const struct rf_jval *item)
{
    const struct rf_jval *list = list_of(item, "content"), *role = rf_jval_get(item, "role");
    if (!list || (role && !is(role, "assistant"))) {
        opaque_item(r, number, item);
        return;
    }
    if (!list->count) {
        rf_responses(r)->message = number;
        rf_responses(r)->added = rf_jval_compact(item, r->arena);
    }
    for (const struct rf_jval *p = first(list); p; p = rf_jval_next(list, p), number++) {
        if (rf_responses_is_said(p))
            rf_responses_said(r, number, p, item);
        else
            opaque_part(r, number, item, p);
    }
}

/* Thoughts, calls, images. */

static struct rf_str joined(struct rf_reply *r, const struct rf_jval *list)
{
    struct rf_buf b;
    rf_buf_init(&b, r->scratch, RF_MAX_REPLY_BYTES);
    for (const struct rf_jval *p = first(list); p; p = rf_jval_next(list, p)) {
        struct rf_str text = rf_reply_text(r, rf_jval_get(p, "text"));
        if (b.n && text.n)
            rf_buf_add(&b, RF_STR("\n\n"));
        rf_buf_add(&b, text);
    }
    return (struct rf_str){ b.n ? b.p : "", b.n };
}

static void reasoning(struct rf_reply *r, int64_t number, const struct rf_jval *item)
{
    static const char *const known[] = { "type",    "id",      "encrypted_content",
                                         "summary", "content", NULL };
    const struct rf_jval *summary = list_of(item, "summary"), *content = list_of(item, "content");
    struct rf_draft *d = draft(r, number, RF_BLOCK_THINKING);
    struct rf_str text = joined(r, summary);
    d->id = rf_reply_copy(r, rf_jval_get(item, "id"));
    d->encrypted = rf_reply_copy(r, rf_jval_get(item, "encrypted_content"));
    if (first(content))
        rf_reply_keep(r, d, text.n ? "content" : "summary", text.n ? content : summary);
    if (text.n && summary->count > 1)
        rf_reply_keep(r, d, "summary", summary);
    rf_reply_keep_others(r, d, item, known);
    settle(r, d, &d->text, text.n ? text : joined(r, content), rf_draft_text);
}

static void function_call(struct rf_reply *r, int64_t number, const struct rf_jval *item)
{
    static const char *const known[] = { "type", "call_id", "name", "arguments", NULL };
    struct rf_draft *d = draft(r, number, RF_BLOCK_TOOL_CALL);
    d->id = rf_reply_copy(r, rf_jval_get(item, "call_id"));
    d->name = rf_reply_copy(r, rf_jval_get(item, "name"));
    rf_reply_keep_others(r, d, item, known);
    rf_draft_start(r, d);
    rf_responses_arguments(r, d, rf_jval_get(item, "arguments"));
}

static void image_generation_call(struct rf_reply *r, int64_t number, const struct rf_jval *item)
{
    struct rf_str result = rf_reply_text(r, rf_jval_get(item, "result"));
    struct rf_str format = rf_reply_text(r, rf_jval_get(item, "output_format"));
    opaque_item(r, number, item);
    if (!result.n)
        return;
    struct rf_draft *d = draft(r, number + 1, RF_BLOCK_IMAGE);
    d->media_type = rf_str_join(r->arena, RF_STR("image/"), format.n ? format : RF_STR("png"));
    settle(r, d, &d->media, result, rf_draft_media);
}

/* Items. */

static const struct {
    const char *type;
    void (*take)(struct rf_reply *r, int64_t number, const struct rf_jval *item);
    bool wants_tools; /* the model waits for an answer */
} items[] = {
    { "message", message, false },
    { "reasoning", reasoning, false },
    { "function_call", function_call, true },
    { "custom_tool_call", opaque_item, true },
    { "computer_call", opaque_item, true },
    { "local_shell_call", opaque_item, true },
    { "apply_patch_call", opaque_item, true },
    { "image_generation_call", image_generation_call, false },
};

void rf_responses_item(struct rf_reply *r, int64_t number, const struct rf_jval *item)
{
    const struct rf_jval *type = rf_jval_get(item, "type");
    if (!item || item->type != RF_JOBJECT)
        return;
    if (is(type, "tool_search_call"))
        rf_responses(r)->wants_tools |= is(rf_jval_get(item, "execution"), "client");
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        if (!is(type, items[i].type))
            continue;
        rf_responses(r)->wants_tools |= items[i].wants_tools;
        items[i].take(r, number, item);
        return;
    }
    opaque_item(r, number, item);
}

void rf_responses_item_done(struct rf_reply *r, int64_t number, const struct rf_jval *item)
{
    const struct rf_jval *content = list_of(item, "content");
    int64_t blocks = content && content->count > 2 ? content->count : 2;
    rf_responses_item(r, number, item);
    for (int64_t i = 0; i < blocks; i++) {
        struct rf_draft *d = rf_reply_find(r, number + i);
        if (d)
            rf_draft_close(r, d);
    }
}

void rf_responses_output(struct rf_reply *r, const struct rf_jval *output)
{
    int64_t number = 0;
    if (!output || output->type != RF_JARRAY)
        return;
    for (const struct rf_jval *i = rf_jval_first(output); i; i = rf_jval_next(output, i)) {
        rf_responses_item_done(r, number, i);
        number += RF_RESPONSES_PARTS;
    }
}
