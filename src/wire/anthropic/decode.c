/* Anthropic's Messages API, the way back: responses and streams.
 *
 * https://platform.claude.com/docs/en/api/messages, as of 2026-11.
 *
 *     on the wire                     in the reply
 *     text                            text, with citations; they also stay as they came, in extra
 *     thinking, redacted_thinking     thinking, with its signature or its sealed data
 *     tool_use                        tool_call; its caller in extra
 *     anything else                   opaque: server tools and their results, compactions, …
 *
 * A whole response is taken in as a stream that opens and closes each block at once, so both end as
 * the same message. A citation's start and end count characters, pages or blocks of the source, as
 * the type of the original says.
 *
 * While a block is open, buffers of its draft that its type has no use for hold what is only
 * settled when it closes: `signature` of a text its citations as they came, `opaque` of a tool call
 * the input that it was opened with, `arguments` of an opaque block the fragments of its input, and
 * `media` of any block the deltas that do not belong to its type.
 *
 * Left aside: where and how fast it was run (service_tier, speed, inference_geo), pings and events
 * that are unknown, padding.
 */
#include "base/arena.h"
#include "wire/wire.h"

/* Members of a message, its ending, its usage or an error, which stay under their own names. */
static const char *const asides[] = {
    "stop_sequence",  "stop_details",    "container",  "context_management", "diagnostics",
    "cache_creation", "server_tool_use", "iterations", "request_id",         "details",
};

#define ASIDES (sizeof asides / sizeof *asides)

struct state {
    int64_t fresh_input; /* tokens that are neither read from the cache nor written to it */
    const struct rf_jval *aside[ASIDES]; /* in the reply's arena */
};

static struct state *state_of(struct rf_reply *r)
{
    if (!r->state) {
        struct state *s = RF_NEW(r->arena, struct state);
        s->fresh_input = -1;
        r->state = s;
    }
    return r->state;
}

static struct rf_str text_of(const struct rf_buf *b)
{
    return (struct rf_str){ b->n ? b->p : "", b->n };
}

/* NULL where it is not JSON. */
static const struct rf_jval *parsed(struct rf_str json, struct rf_arena *a)
{
    const struct rf_jval *v;
    return rf_str_blank(json) || rf_jval_parse(json, a, &v, NULL) ? NULL : v;
}

/* What is known of the whole message. */

/* Null, and counters that stand at 0. */
static bool says_nothing(const struct rf_jval *v)
{
    if (!v || v->type == RF_JNULL)
        return true;
    if (v->type != RF_JOBJECT)
        return false;
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
        if (rf_reply_count(k + 1) != 0)
            return false;
    return true;
}

/* Streams tell some members twice; the last word counts, so all are written anew. */
static void set_aside(struct rf_reply *r, const struct rf_jval *from)
{
    struct state *s = state_of(r);
    r->extra.n = 0;
    for (size_t i = 0; i < ASIDES; i++) {
        const struct rf_jval *v = rf_jval_get(from, asides[i]);
        if (!says_nothing(v))
            s->aside[i] = parsed(rf_jval_compact(v, r->arena), r->arena);
        rf_reply_keep(r, NULL, asides[i], s->aside[i]);
    }
}

static void told(int64_t *count, const struct rf_jval *v)
{
    int64_t n = rf_reply_count(v);
    if (n >= 0)
        *count = n;
}

/* Most have none of them, and say so. */
static void told_some(int64_t *count, const struct rf_jval *v)
{
    if (rf_reply_count(v) > 0)
        told(count, v);
}

static int64_t sum(int64_t a, int64_t b)
{
    int64_t all;
    if (b < 0)
        return a;
    return __builtin_add_overflow(a, b, &all) ? INT64_MAX : all;
}

/* `input_tokens` leaves out what was read from the cache or written to it. */
static void take_usage(struct rf_reply *r, const struct rf_jval *v)
{
    struct state *s = state_of(r);
    struct rf_usage *u = &r->usage;
    if (!v || v->type != RF_JOBJECT)
        return;
    told(&s->fresh_input, rf_jval_get(v, "input_tokens"));
    told(&u->cached, rf_jval_get(v, "cache_read_input_tokens"));
    told(&u->cache_write, rf_jval_get(v, "cache_creation_input_tokens"));
    told_some(&u->cache_write_hour,
              rf_jval_get(rf_jval_get(v, "cache_creation"), "ephemeral_1h_input_tokens"));
    told(&u->output, rf_jval_get(v, "output_tokens"));
    told(&u->reasoning, rf_jval_get(rf_jval_get(v, "output_tokens_details"), "thinking_tokens"));
    if (s->fresh_input >= 0)
        u->input = sum(sum(s->fresh_input, u->cached), u->cache_write);
    set_aside(r, v);
    rf_reply_usage(r);
}

static void take_head(struct rf_reply *r, const struct rf_jval *message)
{
    r->id = rf_reply_copy(r, rf_jval_get(message, "id"));
    r->model = rf_reply_copy(r, rf_jval_get(message, "model"));
}

/* Why it stopped, and what came with that. */
static void take_ending(struct rf_reply *r, const struct rf_jval *v)
{
    static const struct {
        const char *name;
        enum rf_stop stop;
    } reasons[] = {
        { "compaction", RF_STOP_PAUSED },      { "end_turn", RF_STOP_END },
        { "max_tokens", RF_STOP_LENGTH },      { "model_context_window_exceeded", RF_STOP_LENGTH },
        { "pause_turn", RF_STOP_PAUSED },      { "refusal", RF_STOP_REFUSED },
        { "stop_sequence", RF_STOP_SEQUENCE }, { "tool_use", RF_STOP_TOOL },
    };
    struct rf_str reason = rf_reply_text(r, rf_jval_get(v, "stop_reason"));
    enum rf_stop stop = RF_STOP_UNKNOWN;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (rf_str_is(reason, reasons[i].name))
            stop = reasons[i].stop;
    if (reason.n)
        rf_reply_stop(r, stop, reason);
    set_aside(r, v);
}

/* An error body, an error event, or something that is not a message. */
static void take_failure(struct rf_reply *r, const struct rf_jval *v)
{
    const struct rf_jval *e = rf_jval_get(v, "error");
    if (!rf_wire_error(v, 0, r)) {
        struct rf_str code = rf_reply_text(r, rf_jval_get(e, "type"));
        struct rf_str words = code.n ? code : RF_STR("the response is not a message");
        rf_reply_error(r, rf_wire_error_kind(0, code, words), code, words);
    }
    set_aside(r, v);
    set_aside(r, e);
}

/* Citations. */

static const struct {
    const char *name;
    enum rf_jtype type;
    const char *const theirs[4]; /* the first that is there */
} citation_fields[] = {
    { "source", RF_JSTRING, { "source", "file_id" } },
    { "title", RF_JSTRING, { "title", "document_title" } },
    { "url", RF_JSTRING, { "url" } },
    { "start", RF_JNUMBER, { "start_char_index", "start_page_number", "start_block_index" } },
    { "end", RF_JNUMBER, { "end_char_index", "end_page_number", "end_block_index" } },
    { "text", RF_JSTRING, { "cited_text" } },
};

void rf_anthropic_citation(struct rf_json *w, const struct rf_jval *citation)
{
    rf_json_obj(w, NULL);
    for (size_t i = 0; i < sizeof citation_fields / sizeof *citation_fields; i++) {
        const struct rf_jval *v = NULL;
        for (const char *const *name = citation_fields[i].theirs; *name && !v; name++) {
            v = rf_jval_get(citation, *name);
            if (v && v->type != citation_fields[i].type)
                v = NULL;
        }
        if (v)
            rf_json_value(w, citation_fields[i].name, v);
    }
    rf_json_end(w);
}

static struct rf_str written(const struct rf_rope *rope, struct rf_json *w, struct rf_arena *a)
{
    struct rf_str json;
    if (rf_json_finish(w, NULL) || rf_rope_flatten(rope, SIZE_MAX, a, &json, NULL))
        RF_BUG("JSON in memory could not be written");
    return json;
}

static void add_citation(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *citation)
{
    struct rf_rope rope;
    struct rf_json w;
    if (!citation || citation->type != RF_JOBJECT)
        return;
    rf_rope_init(&rope, r->scratch);
    rf_json_init(&w, &rope);
    rf_anthropic_citation(&w, citation);
    rf_draft_citation(r, d, written(&rope, &w, r->scratch));
    if (d->signature.n)
        rf_draft_signature(r, d, RF_STR(","));
    rf_draft_signature(r, d, rf_jval_compact(citation, r->scratch));
}

/* Blocks: opened by what they start with. */

static void open_text(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *block)
{
    const struct rf_jval *list = rf_jval_get(block, "citations");
    rf_draft_text(r, d, rf_reply_text(r, rf_jval_get(block, "text")));
    if (!list || list->type != RF_JARRAY)
        return;
    for (const struct rf_jval *c = rf_jval_first(list); c; c = rf_jval_next(list, c))
        add_citation(r, d, c);
}

static void open_thinking(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *block)
{
    rf_draft_text(r, d, rf_reply_text(r, rf_jval_get(block, "thinking")));
    rf_draft_signature(r, d, rf_reply_text(r, rf_jval_get(block, "signature")));
}

static void open_redacted(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *block)
{
    d->redacted = rf_reply_copy(r, rf_jval_get(block, "data"));
}

static void open_call(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *block)
{
    const struct rf_jval *input = rf_jval_get(block, "input");
    d->id = rf_reply_copy(r, rf_jval_get(block, "id"));
    d->name = rf_reply_copy(r, rf_jval_get(block, "name"));
    rf_draft_start(r, d);
    if (input)
        d->opaque = rf_jval_compact(input, r->arena);
}

static const struct kind {
    const char *name;
    enum rf_block_type type;
    void (*open)(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *block);
    const char *const read[5]; /* the members that have a field */
} kinds[] = {
    { "redacted_thinking", RF_BLOCK_THINKING, open_redacted, { "type", "data" } },
    { "text", RF_BLOCK_TEXT, open_text, { "type", "text", "citations" } },
    { "thinking", RF_BLOCK_THINKING, open_thinking, { "type", "thinking", "signature" } },
    { "tool_use", RF_BLOCK_TOOL_CALL, open_call, { "type", "id", "name", "input" } },
};

static const struct kind *kind_of(const struct rf_jval *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (rf_jval_is(type, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static void close_block(struct rf_reply *r, struct rf_draft *d);

/* What has no type could never be sent back, and is not a block. One that is told twice is the same
 * block; of another type it is another one, since Ollama gives a call the number of the thought
 * before it, and does not close that first. */
static void open_block(struct rf_reply *r, int64_t number, const struct rf_jval *block)
{
    const struct rf_jval *type = rf_jval_get(block, "type");
    const struct kind *kind = type && type->type == RF_JSTRING ? kind_of(type) : NULL;
    enum rf_block_type meant = kind ? kind->type : RF_BLOCK_OPAQUE;
    struct rf_draft *before = rf_reply_find(r, number);
    if (!type || type->type != RF_JSTRING || (before && before->type == meant))
        return;
    close_block(r, before);
    struct rf_draft *d = rf_reply_next_block(r, number, meant);
    if (!kind) {
        d->opaque = rf_jval_compact(block, r->arena);
        return;
    }
    rf_reply_keep_others(r, d, block, kind->read);
    kind->open(r, d, block);
}

/* Blocks: what is settled when they close. */

/* The objects of a buffer, with commas between them, as an array; NULL where there are none. */
static const struct rf_jval *gathered(struct rf_reply *r, const struct rf_buf *b)
{
    if (!b->n)
        return NULL;
    struct rf_str open = rf_str_join(r->scratch, RF_STR("["), text_of(b));
    return parsed(rf_str_join(r->scratch, open, RF_STR("]")), r->scratch);
}

struct growth {
    const struct rf_jval *block, *deltas; /* as it was opened; an array or NULL */
    const struct rf_jval *input;          /* put together from fragments, or NULL */
    const char **names;                   /* of all members */
    size_t count, cap;
};

static void find_names(struct growth *g, const struct rf_jval *object, struct rf_arena *a)
{
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1)) {
        size_t i = 0;
        while (i < g->count && !rf_jval_is(k, g->names[i]))
            i++;
        if (i == g->count)
            *RF_PUSH(a, g->names, g->count, g->cap) = rf_cstr(a, rf_jval_text(k, a));
    }
}

/* Texts of several deltas are joined; of other values the last one counts. */
static void write_grown(struct rf_json *w, const struct growth *g, const char *name,
                        struct rf_reply *r)
{
    const struct rf_jval *first = rf_jval_get(g->block, name), *last = first, *d = NULL;
    if (g->deltas && strcmp(name, "type") != 0)
        d = rf_jval_first(g->deltas);
    for (const struct rf_jval *e = d; e; e = rf_jval_next(g->deltas, e)) {
        const struct rf_jval *v = rf_jval_get(e, name);
        if (v && v->type != RF_JNULL)
            last = v;
    }
    if (!last || last->type != RF_JSTRING) {
        rf_json_raw(w, NULL, last ? rf_jval_compact(last, r->scratch) : RF_STR("null"));
        return;
    }
    rf_json_str_open(w, NULL);
    rf_json_part(w, rf_reply_text(r, first));
    for (; d; d = rf_jval_next(g->deltas, d))
        rf_json_part(w, rf_reply_text(r, rf_jval_get(d, name)));
    rf_json_str_close(w);
}

static struct rf_str grown(struct rf_reply *r, const struct growth *g)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, r->scratch);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    for (size_t i = 0; i < g->count; i++) {
        rf_json_key(&w, rf_str(g->names[i]));
        if (g->input && strcmp(g->names[i], "input") == 0)
            rf_json_value(&w, NULL, g->input);
        else
            write_grown(&w, g, g->names[i], r);
    }
    rf_json_end(&w);
    return written(&rope, &w, r->arena);
}

/* Fragments that make no input stay as they are, to be written as words. */
static void close_opaque(struct rf_reply *r, struct rf_draft *d)
{
    struct growth g = {
        .block = parsed(d->opaque, r->scratch),
        .deltas = gathered(r, &d->media),
        .input = parsed(text_of(&d->arguments), r->scratch),
    };
    if (g.input && (g.input->type != RF_JOBJECT || !rf_jval_get(g.block, "input")))
        g.input = NULL;
    if (g.input)
        d->arguments.n = 0;
    if (!g.block || (!g.input && !g.deltas))
        return;
    find_names(&g, g.block, r->scratch);
    for (const struct rf_jval *e = g.deltas ? rf_jval_first(g.deltas) : NULL; e;
         e = rf_jval_next(g.deltas, e))
        find_names(&g, e, r->scratch);
    d->opaque = grown(r, &g);
}

static void close_block(struct rf_reply *r, struct rf_draft *d)
{
    if (!d || !d->open)
        return;
    if (d->type == RF_BLOCK_OPAQUE)
        close_opaque(r, d);
    else
        rf_reply_keep(r, d, "deltas", gathered(r, &d->media));
    if (d->type == RF_BLOCK_TEXT)
        rf_reply_keep(r, d, "citations", gathered(r, &d->signature));
    if (d->type == RF_BLOCK_TOOL_CALL && !d->arguments.n)
        rf_draft_arguments(r, d, d->opaque);
    rf_draft_close(r, d);
}

void rf_anthropic_decode(const struct rf_jval *body, struct rf_reply *r)
{
    const struct rf_jval *content = rf_jval_get(body, "content");
    int64_t number = 0;
    if (!content || content->type != RF_JARRAY) {
        take_failure(r, body);
        return;
    }
    take_head(r, body);
    for (const struct rf_jval *b = rf_jval_first(content); b; b = rf_jval_next(content, b)) {
        open_block(r, number, b);
        close_block(r, rf_reply_find(r, number++));
    }
    take_ending(r, body);
    take_usage(r, rf_jval_get(body, "usage"));
}

/* Streams. */

static void add_text(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *delta)
{
    rf_draft_text(r, d, rf_reply_text(r, rf_jval_get(delta, "text")));
}

static void add_thinking(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *delta)
{
    rf_draft_text(r, d, rf_reply_text(r, rf_jval_get(delta, "thinking")));
}

static void add_signature(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *delta)
{
    rf_draft_signature(r, d, rf_reply_text(r, rf_jval_get(delta, "signature")));
}

static void add_input(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *delta)
{
    rf_draft_arguments(r, d, rf_reply_text(r, rf_jval_get(delta, "partial_json")));
}

static void add_cited(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *delta)
{
    add_citation(r, d, rf_jval_get(delta, "citation"));
}

static void add_other(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *delta)
{
    if (d->media.n)
        rf_draft_media(r, d, RF_STR(","));
    rf_draft_media(r, d, rf_jval_compact(delta, r->scratch));
}

static const struct delta {
    const char *name;
    enum rf_block_type type; /* of the block that it belongs to */
    void (*add)(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *delta);
} deltas[] = {
    { "citations_delta", RF_BLOCK_TEXT, add_cited },
    { "input_json_delta", RF_BLOCK_TOOL_CALL, add_input },
    { "input_json_delta", RF_BLOCK_OPAQUE, add_input },
    { "signature_delta", RF_BLOCK_THINKING, add_signature },
    { "text_delta", RF_BLOCK_TEXT, add_text },
    { "thinking_delta", RF_BLOCK_THINKING, add_thinking },
};

static void on_block_start(struct rf_reply *r, const struct rf_jval *data)
{
    open_block(r, rf_reply_count(rf_jval_get(data, "index")), rf_jval_get(data, "content_block"));
}

/* A delta of a block that was never opened has no place. */
static void on_block_delta(struct rf_reply *r, const struct rf_jval *data)
{
    struct rf_draft *d = rf_reply_find(r, rf_reply_count(rf_jval_get(data, "index")));
    const struct rf_jval *delta = rf_jval_get(data, "delta"), *type = rf_jval_get(delta, "type");
    if (!d || !d->open || !type)
        return;
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        if (deltas[i].type == d->type && rf_jval_is(type, deltas[i].name)) {
            deltas[i].add(r, d, delta);
            return;
        }
    }
    add_other(r, d, delta);
}

static void on_block_stop(struct rf_reply *r, const struct rf_jval *data)
{
    close_block(r, rf_reply_find(r, rf_reply_count(rf_jval_get(data, "index"))));
}

static void on_message_start(struct rf_reply *r, const struct rf_jval *data)
{
    const struct rf_jval *message = rf_jval_get(data, "message");
    take_head(r, message);
    take_ending(r, message);
    take_usage(r, rf_jval_get(message, "usage"));
}

static void on_message_delta(struct rf_reply *r, const struct rf_jval *data)
{
    set_aside(r, data);
    take_ending(r, rf_jval_get(data, "delta"));
    take_usage(r, rf_jval_get(data, "usage"));
}

static void on_message_stop(struct rf_reply *r, const struct rf_jval *data)
{
    (void)data;
    r->complete = true;
}

void rf_anthropic_event(const struct rf_frame *frame, const struct rf_jval *data,
                        struct rf_reply *r)
{
    static const struct {
        const char *name;
        void (*take)(struct rf_reply *r, const struct rf_jval *data);
    } events[] = {
        { "content_block_delta", on_block_delta }, { "content_block_start", on_block_start },
        { "content_block_stop", on_block_stop },   { "error", take_failure },
        { "message_delta", on_message_delta },     { "message_start", on_message_start },
        { "message_stop", on_message_stop },
    };
    struct rf_str type = rf_reply_text(r, rf_jval_get(data, "type"));
    struct rf_str name = type.n ? type : frame->name;
    if (!name.n && rf_jval_get(data, "error"))
        name = RF_STR("error");
    for (size_t i = 0; data && i < sizeof events / sizeof *events; i++)
        if (rf_str_is(name, events[i].name))
            events[i].take(r, data);
}
