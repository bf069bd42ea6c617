/* Amazon Bedrock's Converse API: writing responses, the frames of streams, and errors.
 *
 * Neither an id nor the model's name is in a body. Of a stream only blocks that have something to
 * say before their first delta have a start. An error's name is a header over HTTP; in the body it
 * stands as "__type", which clients read too. */
#include "wire/respond.h"
#include "base/arena.h"
#include "content/block.h"
#include "wire/wire.h"

static const char *const stops[] = {
    [RF_STOP_UNKNOWN] = "end_turn",       [RF_STOP_END] = "end_turn",
    [RF_STOP_TOOL] = "tool_use",          [RF_STOP_LENGTH] = "max_tokens",
    [RF_STOP_SEQUENCE] = "stop_sequence", [RF_STOP_REFUSED] = "content_filtered",
    [RF_STOP_PAUSED] = "end_turn",        [RF_STOP_MALFORMED] = "malformed_tool_use",
    [RF_STOP_ERROR] = "end_turn",
};

static const struct rf_error_words errors[] = {
    [RF_ERROR_NONE] = { "InternalServerException", 500 },
    [RF_ERROR_AUTHENTICATION] = { "UnrecognizedClientException", 403 },
    [RF_ERROR_PERMISSION] = { "AccessDeniedException", 403 },
    [RF_ERROR_RATE_LIMIT] = { "ThrottlingException", 429 },
    [RF_ERROR_OVERLOADED] = { "ServiceUnavailableException", 503 },
    [RF_ERROR_CONTEXT_TOO_LONG] = { "ValidationException", 400 },
    [RF_ERROR_TOO_LARGE] = { "ValidationException", 400 },
    [RF_ERROR_BAD_MEDIA] = { "ValidationException", 400 },
    [RF_ERROR_UNSUPPORTED] = { "ValidationException", 400 },
    [RF_ERROR_NOT_FOUND] = { "ResourceNotFoundException", 404 },
    [RF_ERROR_OTHER] = { "InternalServerException", 500 },
    [RF_ERROR_WORDS_LATE] = { "ModelTimeoutException", 408 },
};

/* What a stream may end in. */
static const char *const exceptions[] = {
    "internalServerException", "modelStreamErrorException", "serviceUnavailableException",
    "throttlingException",     "validationException",
};

static void kept(struct rf_json *w, const struct rf_answer *a, const char *name)
{
    const struct rf_jval *v = rf_answer_kept(a, NULL, name);
    if (v)
        rf_json_value(w, name, v);
}

/* Citations */

static void copied(struct rf_json *w, const char *key, const struct rf_jval *v)
{
    if (v)
        rf_json_value(w, key, v);
}

/* As it came, or the page that it names. */
static void location(struct rf_json *w, const struct rf_answer *a, const struct rf_jval *c)
{
    const struct rf_jval *own = a->own ? rf_jval_get(c, "location") : NULL;
    const struct rf_jval *url = rf_jval_get(c, "url");
    copied(w, "location", own);
    if (own || !url)
        return;
    rf_json_obj(w, "location");
    rf_json_obj(w, "web");
    rf_json_value(w, "url", url);
    rf_json_end(w);
    rf_json_end(w);
}

static void citation(struct rf_json *w, const char *key, const struct rf_answer *a,
                     const struct rf_jval *c)
{
    const struct rf_jval *words = rf_jval_get(c, "text");
    rf_json_obj(w, key);
    copied(w, "source", rf_jval_get(c, "source"));
    copied(w, "title", rf_jval_get(c, "title"));
    location(w, a, c);
    if (words) {
        rf_json_arr(w, "sourceContent");
        rf_json_obj(w, NULL);
        rf_json_value(w, "text", words);
        rf_json_end(w);
        rf_json_end(w);
    }
    rf_json_end(w);
}

/* Blocks */

static void text_block(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    const struct rf_jval *list = b->citations;
    if (!list) {
        rf_json_str(w, "text", b->text);
        return;
    }
    rf_json_obj(w, "citationsContent");
    rf_json_arr(w, "content");
    rf_json_obj(w, NULL);
    rf_json_str(w, "text", b->text);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_arr(w, "citations");
    for (const struct rf_jval *c = rf_jval_first(list); c; c = rf_jval_next(list, c))
        citation(w, NULL, a, c);
    rf_json_end(w);
    rf_json_end(w);
}

static void thinking_block(struct rf_json *w, const struct rf_thinking *t)
{
    rf_json_obj(w, "reasoningContent");
    if (t->text.n || t->signature.n || !t->redacted.n) {
        rf_json_obj(w, "reasoningText");
        rf_json_str(w, "text", t->text);
        rf_json_str_opt(w, "signature", t->signature);
        rf_json_end(w);
    }
    rf_json_str_opt(w, "redactedContent", t->redacted);
    rf_json_end(w);
}

static void call_head(struct rf_json *w, const struct rf_block *b)
{
    rf_json_obj(w, "toolUse");
    rf_json_str(w, "toolUseId", b->call.id);
    rf_json_str(w, "name", b->call.name);
}

/* Arguments that are not an object are words here too. */
static void call_block(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    call_head(w, b);
    if (rf_jval_get(b->extra, "malformed_arguments"))
        rf_json_str(w, "input", rf_call_arguments(b, a->arena));
    else
        rf_wire_arguments(w, "input", b);
    rf_json_end(w);
}

static bool is_image(const struct rf_media *m)
{
    static const char *const types[] = { "image/png", "image/jpeg", "image/gif", "image/webp" };
    if (m->source.kind == RF_SOURCE_URL && !rf_str_starts(m->source.ref, "s3://"))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (rf_str_is(m->media_type, types[i]))
            return true;
    return false;
}

static void format(struct rf_json *w, const struct rf_media *m)
{
    size_t n = strlen("image/");
    if (rf_str_starts(m->media_type, "image/"))
        rf_json_str(w, "format", (struct rf_str){ m->media_type.p + n, m->media_type.n - n });
}

static void image_source(struct rf_json *w, const struct rf_media *m)
{
    rf_json_obj(w, "source");
    if (m->source.kind == RF_SOURCE_DATA)
        rf_json_str(w, "bytes", m->source.ref);
    else {
        rf_json_obj(w, "s3Location");
        rf_json_str(w, "uri", m->source.ref);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void block(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    if (b->type == RF_BLOCK_OPAQUE) {
        rf_json_value(w, NULL, b->value);
        return;
    }
    rf_json_obj(w, NULL);
    if (b->type == RF_BLOCK_TEXT)
        text_block(w, a, b);
    else if (b->type == RF_BLOCK_THINKING)
        thinking_block(w, &b->thinking);
    else if (b->type == RF_BLOCK_TOOL_CALL)
        call_block(w, a, b);
    else {
        rf_json_obj(w, "image");
        format(w, &b->media);
        image_source(w, &b->media);
        rf_json_end(w);
    }
    rf_json_end(w);
}

/* About the reply */

/* "inputTokens" are those that no cache had to do with. */
static void usage(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_usage *u = &a->ending.usage;
    rf_json_obj(w, "usage");
    rf_json_int(w, "inputTokens", rf_answer_uncached(a));
    rf_json_int(w, "outputTokens", rf_answer_count(u->output));
    rf_json_int(w, "totalTokens", rf_answer_total(a));
    if (u->cached >= 0)
        rf_json_int(w, "cacheReadInputTokens", u->cached);
    if (u->cache_write >= 0)
        rf_json_int(w, "cacheWriteInputTokens", u->cache_write);
    kept(w, a, "cacheDetails");
    kept(w, a, "serverToolUsage");
    rf_json_end(w);
}

static void metrics(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_obj(w, "metrics");
    rf_json_int(w, "latencyMs", 0);
    rf_json_end(w);
    kept(w, a, "performanceConfig");
    kept(w, a, "serviceTier");
    kept(w, a, "trace");
}

static void ending(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_str(w, "stopReason", rf_answer_stop(a, stops));
    kept(w, a, "additionalModelResponseFields");
}

static void body(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_obj(w, "output");
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_arr(w, "content");
    for (size_t i = 0; i < a->count; i++)
        block(w, a, &a->blocks[i]);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
    ending(w, a);
    usage(w, a);
    metrics(w, a);
}

static void refusal(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_str(w, "__type", rf_answer_error(a, errors));
    rf_json_str(w, "message", a->ending.error.words);
}

/* Streams */

static void begin(struct rf_telling *t)
{
    rf_json_str(rf_tell_open(t), "role", RF_STR("assistant"));
    rf_tell_close(t, "messageStart");
}

static struct rf_json *open_frame(struct rf_telling *t, const char *member)
{
    struct rf_json *w = rf_tell_open(t);
    rf_json_int(w, "contentBlockIndex", t->next);
    if (member)
        rf_json_obj(w, member);
    return w;
}

static void close_frame(struct rf_telling *t, struct rf_json *w, const char *name)
{
    rf_json_end(w);
    rf_tell_close(t, name);
}

/* A block whose pieces have a place in a whole one: its start without them. */
static void start_own(struct rf_telling *t, const struct rf_jval *value, const char *member,
                      const char *pieces)
{
    struct rf_json *w = open_frame(t, "start");
    rf_json_obj(w, member);
    rf_json_members(w, rf_jval_get(value, member), (const char *const[]){ pieces, NULL });
    rf_json_end(w);
    close_frame(t, w, "contentBlockStart");
}

static void input_delta(struct rf_telling *t, struct rf_str json)
{
    struct rf_json *w = open_frame(t, "delta");
    rf_json_obj(w, "toolUse");
    rf_json_str(w, "input", json);
    rf_json_end(w);
    close_frame(t, w, "contentBlockDelta");
}

static void opaque(struct rf_telling *t, const struct rf_jval *value)
{
    const struct rf_jval *call = rf_jval_get(value, "toolUse");
    const struct rf_jval *result = rf_jval_get(value, "toolResult");
    const struct rf_jval *input = rf_jval_get(call, "input");
    const struct rf_jval *content = rf_jval_get(result, "content");
    if (call)
        start_own(t, value, "toolUse", "input");
    else if (result)
        start_own(t, value, "toolResult", "content");
    if (input)
        input_delta(t, rf_jval_compact(input, t->answer.arena));
    if (call || (result && !content)) /* one that was cut off has no more */
        return;
    struct rf_json *w = open_frame(t, NULL);
    if (result) {
        rf_json_obj(w, "delta");
        rf_json_value(w, "toolResult", content);
        rf_json_end(w);
    } else
        rf_json_value(w, "delta", value);
    rf_tell_close(t, "contentBlockDelta");
}

static void open(struct rf_telling *t, const struct rf_block *b)
{
    struct rf_json *w;
    if (b->type == RF_BLOCK_OPAQUE)
        opaque(t, b->value);
    if (b->type != RF_BLOCK_TOOL_CALL && b->type != RF_BLOCK_IMAGE)
        return;
    w = open_frame(t, "start");
    if (b->type == RF_BLOCK_TOOL_CALL)
        call_head(w, b);
    else {
        rf_json_obj(w, "image");
        format(w, &b->media);
    }
    rf_json_end(w);
    close_frame(t, w, "contentBlockStart");
}

static void piece(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    if (type == RF_EVENT_ARGUMENTS) {
        input_delta(t, text);
        return;
    }
    struct rf_json *w = open_frame(t, "delta");
    if (type == RF_EVENT_THINKING)
        rf_json_obj(w, "reasoningContent");
    rf_json_str(w, "text", text);
    if (type == RF_EVENT_THINKING)
        rf_json_end(w);
    close_frame(t, w, "contentBlockDelta");
}

static void sealed(struct rf_telling *t, const char *member, struct rf_str value)
{
    if (!value.n)
        return;
    struct rf_json *w = open_frame(t, "delta");
    rf_json_obj(w, "reasoningContent");
    rf_json_str(w, member, value);
    rf_json_end(w);
    close_frame(t, w, "contentBlockDelta");
}

static void close(struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_jval *list = b->type == RF_BLOCK_TEXT ? b->citations : NULL;
    for (const struct rf_jval *c = list ? rf_jval_first(list) : NULL; c;
         c = rf_jval_next(list, c)) {
        struct rf_json *w = open_frame(t, "delta");
        citation(w, "citation", &t->answer, c);
        close_frame(t, w, "contentBlockDelta");
    }
    if (b->type == RF_BLOCK_THINKING) {
        sealed(t, "signature", b->thinking.signature);
        sealed(t, "redactedContent", b->thinking.redacted);
    }
    if (b->type == RF_BLOCK_IMAGE) {
        struct rf_json *w = open_frame(t, "delta");
        rf_json_obj(w, "image");
        image_source(w, &b->media);
        rf_json_end(w);
        close_frame(t, w, "contentBlockDelta");
    }
    open_frame(t, NULL);
    rf_tell_close(t, "contentBlockStop");
    t->next++;
}

static void end(struct rf_telling *t)
{
    ending(rf_tell_open(t), &t->answer);
    rf_tell_close(t, "messageStop");
    struct rf_json *w = rf_tell_open(t);
    usage(w, &t->answer);
    metrics(w, &t->answer);
    rf_tell_close(t, "metadata");
}

/* The one that has this name, also where the first letter is another. */
static const char *exception_of(struct rf_str code)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (rf_str_ieq(code, rf_str(exceptions[i])))
            return exceptions[i];
    return NULL;
}

static void fail(struct rf_telling *t)
{
    const struct rf_answer *a = &t->answer;
    const char *name = exception_of(rf_answer_error(a, errors));
    if (!name)
        name = exception_of(rf_str(rf_answer_error_words(a, errors)->code));
    struct rf_json *w = rf_tell_open(t);
    rf_json_str(w, "message", a->ending.error.words);
    kept(w, a, "originalStatusCode");
    kept(w, a, "originalMessage");
    rf_tell_exception(t, name ? name : "modelStreamErrorException");
}

const struct rf_replies rf_bedrock_replies = {
    .id = "",
    .says = { [RF_BLOCK_TEXT] = true,
              [RF_BLOCK_IMAGE] = true,
              [RF_BLOCK_THINKING] = true,
              [RF_BLOCK_TOOL_CALL] = true,
              [RF_BLOCK_OPAQUE] = true },
    .says_file = is_image,
    .says_citations = true,
    .signs_thoughts = true,
    .says_redacted = true,
    .fails_on = { [RF_STOP_ERROR] = true },
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
