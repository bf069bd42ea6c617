/* What Amazon Bedrock's Converse API sends back, whole and as a stream.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and
 * API_runtime_ConverseStream.html, as of 2026-11.
 *
 *     on the wire                          becomes
 *     text                                 text
 *     citationsContent, citation           text with citations, each with its location as it came
 *     reasoningContent                     thinking: text and signature, or redacted
 *     toolUse                              call; opaque where the provider runs the tool itself
 *     image                                image: its bytes, or an s3 URL
 *     toolResult and all others            opaque
 *
 * Most blocks of a stream begin with their first delta. A delta goes to the block of its index and
 * kind: where the index holds one of another kind, a new block opens beside it. An opaque block is
 * put together when it stops, so that it is what a whole reply would have held.
 *
 * The stream is over with messageStop; metadata after it adds the usage. Left aside: metrics, the
 * padding "p", the role, and the second names of the cache counts. Neither the model's name nor an
 * id is in a body. It refuses to guess what an unknown event means.
 */
#include "wire/wire.h"

#include "base/arena.h"
#include "base/base64.h"

enum { SLOTS = 8 }; /* numbers that an index has for blocks of different kinds */

/* Take in a member of a block or of a delta; `v` is its value. */
typedef void take(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                  const struct rf_jval *v);

struct rule {
    const char *member;
    enum rf_jtype type;
    take *take;
};

static struct rf_draft *draft(struct rf_reply *r, int64_t index, enum rf_block_type type)
{
    int64_t number = index * SLOTS;
    const struct rf_draft *d;
    while ((d = rf_reply_find(r, number)) && d->type != type)
        number++;
    return rf_reply_block(r, number, type);
}

/* One more piece of an opaque block, to be put together in seal(). */
static void piece(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *v)
{
    if (d->arguments.n)
        rf_draft_arguments(r, d, RF_STR(","));
    rf_draft_arguments(r, d, rf_jval_compact(v, r->scratch));
}

/* `member` is one whose pieces have a place in a whole block, or empty. */
static void opaque(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                   struct rf_str member)
{
    struct rf_draft *d = draft(r, index, RF_BLOCK_OPAQUE);
    if (d->opaque.n) {
        piece(r, d, block);
        return;
    }
    d->opaque = rf_jval_compact(block, r->arena);
    d->name = member;
}

static void unknown(struct rf_reply *r, int64_t index, const struct rf_jval *block)
{
    opaque(r, index, block, RF_STR(""));
}

/* The opaque block of that index whose pieces belong to the member, or NULL. */
static struct rf_draft *opaque_of(struct rf_reply *r, int64_t index, const char *member)
{
    struct rf_draft *d = rf_reply_find(r, index * SLOTS);
    return d && d->type == RF_BLOCK_OPAQUE && rf_str_is(d->name, member) ? d : NULL;
}

/* The first of the rules that fits; a block or delta that none fits is opaque. */
static void apply(const struct rule *rules, size_t count, struct rf_reply *r, int64_t index,
                  const struct rf_jval *block)
{
    for (size_t i = 0; i < count; i++) {
        const struct rf_jval *v = rf_jval_get(block, rules[i].member);
        if (v && v->type == rules[i].type) {
            rules[i].take(r, index, block, v);
            return;
        }
    }
    if (block)
        unknown(r, index, block);
}

#define APPLY(rules, r, index, block) apply(rules, sizeof(rules) / sizeof *(rules), r, index, block)

static bool is_string(const struct rf_jval *v)
{
    return v && v->type == RF_JSTRING;
}

/* Text and citations. */

static void text(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                 const struct rf_jval *v)
{
    (void)block;
    rf_draft_text(r, draft(r, index, RF_BLOCK_TEXT), rf_reply_text(r, v));
}

/* Member `text`: what the list's texts say, one after the other. */
static void joined_texts(struct rf_json *w, struct rf_reply *r, const struct rf_jval *list)
{
    if (!list || list->type != RF_JARRAY || !list->count)
        return;
    rf_json_str_open(w, "text");
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        rf_json_part(w, rf_reply_text(r, rf_jval_get(v, "text")));
    rf_json_str_close(w);
}

static void count(struct rf_json *w, const char *key, const struct rf_jval *v)
{
    int64_t n = rf_reply_count(v);
    if (n >= 0)
        rf_json_int(w, key, n);
}

static struct rf_json *writer_new(struct rf_arena *a)
{
    struct rf_rope *rope = RF_NEW(a, struct rf_rope);
    struct rf_json *w = RF_NEW(a, struct rf_json);
    rf_rope_init(rope, a);
    rf_json_init(w, rope);
    return w;
}

static struct rf_str written(struct rf_json *w, struct rf_arena *a)
{
    struct rf_str json;
    if (rf_json_finish(w, NULL) || rf_rope_flatten(w->rope, SIZE_MAX, a, &json, NULL))
        RF_BUG("JSON in memory could not be written");
    return json;
}

/* `location` has one member, which says how `start` and `end` count: {"documentPage": {…}}. */
static void citation(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                     const struct rf_jval *v)
{
    struct rf_json *w = writer_new(r->scratch);
    const struct rf_jval *location = rf_jval_get(v, "location"), *place = NULL;
    (void)block;
    if (location && location->type == RF_JOBJECT && location->count)
        place = rf_jval_first(location) + 1;
    rf_json_obj(w, NULL);
    rf_json_str_opt(w, "source", rf_reply_text(r, rf_jval_get(v, "source")));
    rf_json_str_opt(w, "title", rf_reply_text(r, rf_jval_get(v, "title")));
    rf_json_str_opt(w, "url", rf_reply_text(r, rf_jval_get(place, "url")));
    count(w, "start", rf_jval_get(place, "start"));
    count(w, "end", rf_jval_get(place, "end"));
    joined_texts(w, r, rf_jval_get(v, "sourceContent"));
    if (place)
        rf_json_value(w, "location", location);
    rf_json_end(w);
    rf_draft_citation(r, draft(r, index, RF_BLOCK_TEXT), written(w, r->scratch));
}

static void cited_text(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                       const struct rf_jval *v)
{
    const struct rf_jval *said = rf_jval_get(v, "content"), *cited = rf_jval_get(v, "citations");
    const struct rf_jval *c = said && said->type == RF_JARRAY ? rf_jval_first(said) : NULL;
    for (; c; c = rf_jval_next(said, c))
        text(r, index, block, rf_jval_get(c, "text"));
    c = cited && cited->type == RF_JARRAY ? rf_jval_first(cited) : NULL;
    for (; c; c = rf_jval_next(cited, c))
        citation(r, index, block, c);
}

/* Blobs. */

/* A group of four characters that ends in padding, and what follows it, as one base64 text; empty
 * where either is none. */
static struct rf_str rejoined(struct rf_str last, struct rf_str next, struct rf_arena *a)
{
    size_t n, more;
    if (!rf_base64_decoded_length(last.p, last.n, &n) ||
        !rf_base64_decoded_length(next.p, next.n, &more))
        return RF_STR("");
    char *bytes = rf_arena_alloc(a, n + more + 1);
    char *out = rf_arena_alloc(a, rf_base64_length(n + more) + 1);
    if (!rf_base64_decode(last.p, last.n, bytes) || !rf_base64_decode(next.p, next.n, bytes + n))
        return RF_STR("");
    return (struct rf_str){ out, rf_base64_encode(bytes, n + more, out) };
}

/* Each piece of a blob is base64 of its own, so padding can stand between two of them. */
static void blob(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *v)
{
    struct rf_buf *b = &d->media;
    struct rf_str next = rf_reply_text(r, v);
    if (next.n && b->n >= 4 && b->p[b->n - 1] == '=') {
        struct rf_str joined = rejoined((struct rf_str){ b->p + b->n - 4, 4 }, next, r->scratch);
        b->n -= joined.n ? 4 : 0;
        next = joined.n ? joined : next;
    }
    rf_draft_media(r, d, next);
}

/* Whole blocks have "reasoningText" around what deltas have in the open. */
static void reasoning(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                      const struct rf_jval *v)
{
    const struct rf_jval *around = rf_jval_get(v, "reasoningText"), *in = around ? around : v;
    const struct rf_jval *words = rf_jval_get(in, "text"), *mark = rf_jval_get(in, "signature");
    const struct rf_jval *redacted = rf_jval_get(v, "redactedContent");
    if (!is_string(words) && !is_string(mark) && !is_string(redacted)) {
        unknown(r, index, block);
        return;
    }
    struct rf_draft *d = draft(r, index, RF_BLOCK_THINKING);
    rf_draft_text(r, d, rf_reply_text(r, words));
    rf_draft_signature(r, d, rf_reply_text(r, mark));
    if (is_string(redacted)) {
        blob(r, d, redacted);
        d->redacted = (struct rf_str){ d->media.p, d->media.n };
    }
}

static void image_start(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                        const struct rf_jval *v)
{
    struct rf_draft *d = draft(r, index, RF_BLOCK_IMAGE);
    const struct rf_jval *format = rf_jval_get(v, "format");
    (void)block;
    if (is_string(format))
        d->media_type = rf_str_join(r->arena, RF_STR("image/"), rf_reply_text(r, format));
}

static void image(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                  const struct rf_jval *v)
{
    const struct rf_jval *source = rf_jval_get(v, "source"), *bytes = rf_jval_get(source, "bytes");
    const struct rf_jval *uri = rf_jval_get(rf_jval_get(source, "s3Location"), "uri");
    if (!is_string(bytes) && !is_string(uri)) {
        unknown(r, index, block);
        return;
    }
    image_start(r, index, block, v);
    struct rf_draft *d = draft(r, index, RF_BLOCK_IMAGE);
    if (is_string(bytes))
        blob(r, d, bytes);
    else
        d->url = rf_reply_copy(r, uri);
}

/* Calls, and what the provider's own tools returned. */

static void input(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *v)
{
    if (is_string(v))
        rf_draft_arguments(r, d, rf_reply_text(r, v));
    else if (v && v->type != RF_JNULL)
        rf_draft_arguments(r, d, rf_jval_compact(v, r->scratch));
}

/* Also for the start of one, which has no input. */
static void call(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                 const struct rf_jval *v)
{
    const struct rf_jval *type = rf_jval_get(v, "type");
    if (is_string(type) && !rf_jval_is(type, "tool_use")) { /* "server_tool_use" */
        opaque(r, index, block, RF_STR("toolUse"));
        return;
    }
    struct rf_draft *d = draft(r, index, RF_BLOCK_TOOL_CALL);
    d->id = rf_reply_copy(r, rf_jval_get(v, "toolUseId"));
    d->name = rf_reply_copy(r, rf_jval_get(v, "name"));
    rf_draft_start(r, d);
    input(r, d, rf_jval_get(v, "input"));
}

static void call_delta(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                       const struct rf_jval *v)
{
    struct rf_draft *served = opaque_of(r, index, "toolUse");
    (void)block;
    input(r, served ? served : draft(r, index, RF_BLOCK_TOOL_CALL), rf_jval_get(v, "input"));
}

static void result_start(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                         const struct rf_jval *v)
{
    (void)v;
    opaque(r, index, block, RF_STR("toolResult"));
}

static void result_delta(struct rf_reply *r, int64_t index, const struct rf_jval *block,
                         const struct rf_jval *v)
{
    struct rf_draft *d = opaque_of(r, index, "toolResult");
    if (!d) {
        unknown(r, index, block);
        return;
    }
    for (const struct rf_jval *c = rf_jval_first(v); c; c = rf_jval_next(v, c))
        piece(r, d, c);
}

/* A list of the pieces; those of a call are one JSON text. */
static void pieces(struct rf_json *w, const char *key, const struct rf_draft *d, struct rf_arena *a)
{
    struct rf_str all = { d->arguments.n ? d->arguments.p : "", d->arguments.n };
    const struct rf_jval *v;
    if (!rf_str_is(d->name, "toolUse"))
        rf_json_raw(w, key, rf_str_join(a, rf_str_join(a, RF_STR("["), all), RF_STR("]")));
    else if (rf_str_blank(all))
        rf_json_raw(w, key, RF_STR("{}"));
    else if (!rf_jval_parse(all, a, &v, NULL))
        rf_json_value(w, key, v);
    else
        rf_json_str(w, key, all);
}

/* The members of `object`, and the pieces as the last of them. */
static void with_pieces(struct rf_json *w, const struct rf_jval *object, const char *key,
                        const struct rf_draft *d, struct rf_arena *a)
{
    rf_json_members(w, object, (const char *const[]){ key, NULL });
    pieces(w, key, d, a);
}

/* Put the pieces into an opaque block: where they stand in a whole one as far as that is known, and
 * beside its member otherwise. */
static void seal(struct rf_reply *r, struct rf_draft *d)
{
    struct rf_json *w = writer_new(r->scratch);
    const char *member = rf_cstr(r->scratch, d->name);
    const struct rf_jval *block;
    if (rf_jval_parse(d->opaque, r->scratch, &block, NULL))
        RF_BUG("an opaque block is not JSON");
    if (block->type != RF_JOBJECT || (!*member && !d->arguments.n))
        return;
    rf_json_obj(w, NULL);
    if (*member) {
        rf_json_obj(w, member);
        with_pieces(w, rf_jval_get(block, member),
                    strcmp(member, "toolUse") == 0 ? "input" : "content", d, r->scratch);
        rf_json_end(w);
    } else {
        with_pieces(w, block, "deltas", d, r->scratch);
    }
    rf_json_end(w);
    d->opaque = written(w, r->arena);
    d->arguments.n = 0;
}

static void close_blocks(struct rf_reply *r, int64_t index)
{
    struct rf_draft *d;
    for (int64_t i = 0; i < SLOTS && (d = rf_reply_find(r, index * SLOTS + i)); i++)
        rf_draft_close(r, d);
}

/* The rest of a reply. */

static void stop(struct rf_reply *r, const struct rf_jval *reason)
{
    static const struct {
        const char *name;
        enum rf_stop stop;
    } reasons[] = {
        { "content_filtered", RF_STOP_REFUSED },
        { "end_turn", RF_STOP_END },
        { "guardrail_intervened", RF_STOP_REFUSED },
        { "malformed_model_output", RF_STOP_MALFORMED },
        { "malformed_tool_use", RF_STOP_MALFORMED },
        { "max_tokens", RF_STOP_LENGTH },
        { "model_context_window_exceeded", RF_STOP_LENGTH },
        { "stop_sequence", RF_STOP_SEQUENCE },
        { "tool_use", RF_STOP_TOOL },
    };
    struct rf_str name = rf_reply_text(r, reason);
    enum rf_stop why = RF_STOP_UNKNOWN;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (rf_str_is(name, reasons[i].name))
            why = reasons[i].stop;
    rf_reply_stop(r, why, name);
}

/* Both, as far as they are told. */
static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Of what was written to a cache; -1: none. */
static int64_t for_an_hour(const struct rf_jval *details)
{
    int64_t all = -1;
    for (const struct rf_jval *v = rf_jval_first(details); v; v = rf_jval_next(details, v)) {
        const struct rf_jval *ttl = rf_jval_get(v, "ttl");
        if (ttl && rf_jval_is(ttl, "1h"))
            all = plus(all, rf_reply_count(rf_jval_get(v, "inputTokens")));
    }
    return all;
}

/* "inputTokens" are those that no cache had to do with. */
static void usage(struct rf_reply *r, const struct rf_jval *v)
{
    const struct rf_jval *served = rf_jval_get(v, "serverToolUsage");
    if (!v)
        return;
    r->usage.cached = rf_reply_count(rf_jval_get(v, "cacheReadInputTokens"));
    r->usage.cache_write = rf_reply_count(rf_jval_get(v, "cacheWriteInputTokens"));
    r->usage.cache_write_hour = for_an_hour(rf_jval_get(v, "cacheDetails"));
    r->usage.input = plus(rf_reply_count(rf_jval_get(v, "inputTokens")),
                          plus(r->usage.cached, r->usage.cache_write));
    r->usage.output = rf_reply_count(rf_jval_get(v, "outputTokens"));
    rf_reply_keep(r, NULL, "cacheDetails", rf_jval_get(v, "cacheDetails"));
    if (served && served->count)
        rf_reply_keep(r, NULL, "serverToolUsage", served);
    rf_reply_usage(r);
}

static void keep_rest(struct rf_reply *r, const struct rf_jval *v)
{
    static const char *const names[] = { "additionalModelResponseFields", "performanceConfig",
                                         "serviceTier", "trace" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        rf_reply_keep(r, NULL, names[i], rf_jval_get(v, names[i]));
}

void rf_bedrock_decode(const struct rf_jval *body, struct rf_reply *r)
{
    static const struct rule rules[] = {
        { "text", RF_JSTRING, text },
        { "citationsContent", RF_JOBJECT, cited_text },
        { "reasoningContent", RF_JOBJECT, reasoning },
        { "toolUse", RF_JOBJECT, call },
        { "image", RF_JOBJECT, image },
    };
    const struct rf_jval *message = rf_jval_get(rf_jval_get(body, "output"), "message");
    const struct rf_jval *content = rf_jval_get(message, "content");
    int64_t index = 0;
    if (!content || content->type != RF_JARRAY) {
        if (!rf_wire_error(body, 0, r))
            rf_reply_error(r, RF_ERROR_OTHER, RF_STR(""), RF_STR("the response has no message"));
        return;
    }
    for (const struct rf_jval *v = rf_jval_first(content); v; v = rf_jval_next(content, v)) {
        APPLY(rules, r, index, v);
        close_blocks(r, index++);
    }
    stop(r, rf_jval_get(body, "stopReason"));
    usage(r, rf_jval_get(body, "usage"));
    keep_rest(r, body);
}

/* Streams. */

static int64_t index_of(const struct rf_jval *data)
{
    int64_t n = rf_reply_count(rf_jval_get(data, "contentBlockIndex"));
    return n < 0 ? 0 : n < (int64_t)RF_MAX_LIST ? n : (int64_t)RF_MAX_LIST;
}

static void block_start(struct rf_reply *r, const struct rf_jval *data)
{
    static const struct rule rules[] = {
        { "toolUse", RF_JOBJECT, call },
        { "toolResult", RF_JOBJECT, result_start },
        { "image", RF_JOBJECT, image_start },
    };
    APPLY(rules, r, index_of(data), rf_jval_get(data, "start"));
}

static void block_delta(struct rf_reply *r, const struct rf_jval *data)
{
    static const struct rule rules[] = {
        { "text", RF_JSTRING, text },
        { "toolUse", RF_JOBJECT, call_delta },
        { "reasoningContent", RF_JOBJECT, reasoning },
        { "citation", RF_JOBJECT, citation },
        { "image", RF_JOBJECT, image },
        { "toolResult", RF_JARRAY, result_delta },
    };
    APPLY(rules, r, index_of(data), rf_jval_get(data, "delta"));
}

static void block_stop(struct rf_reply *r, const struct rf_jval *data)
{
    struct rf_draft *d;
    int64_t number = index_of(data) * SLOTS;
    for (int64_t i = 0; i < SLOTS && (d = rf_reply_find(r, number + i)); i++)
        if (d->type == RF_BLOCK_OPAQUE && d->open)
            seal(r, d);
    close_blocks(r, index_of(data));
}

static void message_stop(struct rf_reply *r, const struct rf_jval *data)
{
    stop(r, rf_jval_get(data, "stopReason"));
    keep_rest(r, data);
    r->complete = true;
}

static void metadata(struct rf_reply *r, const struct rf_jval *data)
{
    usage(r, rf_jval_get(data, "usage"));
    keep_rest(r, data);
}

/* {"message": …} under the exception's name; an error has its words in a header. */
static void exception(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r)
{
    int64_t status = rf_reply_count(rf_jval_get(data, "originalStatusCode"));
    int http = status > 0 && status < 1000 ? (int)status : 0;
    if (!rf_wire_error(data, http, r))
        rf_reply_error(r, RF_ERROR_OTHER, frame->name,
                       frame->message.n ? frame->message : frame->name);
    r->error.code = rf_str_dup(r->arena, frame->name);
    r->error.kind = rf_wire_error_kind(http, frame->name, r->error.words);
    rf_reply_keep(r, NULL, "originalStatusCode", rf_jval_get(data, "originalStatusCode"));
    rf_reply_keep(r, NULL, "originalMessage", rf_jval_get(data, "originalMessage"));
}

void rf_bedrock_event(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r)
{
    static const struct {
        const char *name;
        void (*take)(struct rf_reply *r, const struct rf_jval *data);
    } events[] = {
        { "contentBlockDelta", block_delta },
        { "contentBlockStart", block_start },
        { "contentBlockStop", block_stop },
        { "messageStop", message_stop },
        { "metadata", metadata },
    };
    if (frame->exception) {
        exception(frame, data, r);
        return;
    }
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (rf_str_is(frame->name, events[i].name))
            events[i].take(r, data);
}
