/* Cohere's chat: writing responses, streams and errors.
 *
 *     block                           on the wire
 *     text, thinking, opaque          content, in their order
 *     text with extra.tool_plan       tool_plan
 *     citations of a text             citations, which name the part that they are of
 *     call                            tool_calls */
#include "wire/respond.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "content/block.h"
#include "wire/wire.h"

static const struct rf_error_words errors[] = {
    [RF_ERROR_NONE] = { "", 500 },        [RF_ERROR_AUTHENTICATION] = { "", 401 },
    [RF_ERROR_PERMISSION] = { "", 403 },  [RF_ERROR_RATE_LIMIT] = { "", 429 },
    [RF_ERROR_OVERLOADED] = { "", 503 },  [RF_ERROR_CONTEXT_TOO_LONG] = { "", 400 },
    [RF_ERROR_TOO_LARGE] = { "", 413 },   [RF_ERROR_BAD_MEDIA] = { "", 400 },
    [RF_ERROR_UNSUPPORTED] = { "", 422 }, [RF_ERROR_NOT_FOUND] = { "", 404 },
    [RF_ERROR_OTHER] = { "", 500 },       [RF_ERROR_WORDS_LATE] = { "", 504 },
};

static bool is_plan(const struct rf_answer *a, const struct rf_block *b)
{
    return b->type == RF_BLOCK_TEXT && rf_answer_kept(a, b, "tool_plan");
}

static bool is_content(const struct rf_answer *a, const struct rf_block *b)
{
    return b->type != RF_BLOCK_TOOL_CALL && !is_plan(a, b);
}

/* Of the content or of the calls, those that were before `place`. */
static int64_t index_of(const struct rf_answer *a, const struct rf_block *b, size_t place)
{
    int64_t n = 0;
    for (size_t i = 0; i < place; i++)
        n += b->type == RF_BLOCK_TOOL_CALL ? a->blocks[i].type == RF_BLOCK_TOOL_CALL
                                           : is_content(a, &a->blocks[i]);
    return n;
}

/* The end */

static void usage(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_usage *u = &a->ending.usage;
    const struct rf_jval *billed = rf_answer_kept(a, NULL, "billed_units");
    if (a->own && u->input < 0 && u->output < 0 && !billed)
        return;
    rf_json_obj(w, "usage");
    if (billed)
        rf_json_value(w, "billed_units", billed);
    if (!a->own || u->input >= 0 || u->output >= 0) {
        rf_json_obj(w, "tokens");
        rf_json_int(w, "input_tokens", rf_answer_count(u->input));
        rf_json_int(w, "output_tokens", rf_answer_count(u->output));
        rf_json_end(w);
    }
    if (u->cached >= 0)
        rf_json_int(w, "cached_tokens", u->cached);
    rf_json_end(w);
}

static struct rf_str finish_reason(const struct rf_answer *a)
{
    static const char *const stops[] = {
        [RF_STOP_UNKNOWN] = "COMPLETE",
        [RF_STOP_END] = "COMPLETE",
        [RF_STOP_TOOL] = "COMPLETE",
        [RF_STOP_LENGTH] = "MAX_TOKENS",
        [RF_STOP_SEQUENCE] = "STOP_SEQUENCE",
        [RF_STOP_REFUSED] = "ERROR_TOXIC",
        [RF_STOP_PAUSED] = "COMPLETE",
        [RF_STOP_MALFORMED] = "ERROR",
        [RF_STOP_ERROR] = "ERROR",
    };
    struct rf_str reason = rf_answer_stop(a, stops);
    bool said = a->own && a->ending.stop_original.n;
    for (size_t i = 0; i < a->count; i++)
        if (a->blocks[i].type == RF_BLOCK_TOOL_CALL && !said && rf_str_is(reason, "COMPLETE"))
            return RF_STR("TOOL_CALL");
    return reason;
}

static void ending(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_str(w, "finish_reason", finish_reason(a));
    usage(w, a);
}

/* Citations */

static struct rf_str span(struct rf_str text, int64_t start, int64_t end)
{
    size_t from = rf_utf8_offset(text, start);
    return (struct rf_str){ text.p + from, rf_utf8_offset(text, end) - from };
}

static void member(struct rf_json *w, const char *key, const struct rf_jval *v)
{
    if (v)
        rf_json_value(w, key, v);
}

static void source_elsewhere(struct rf_json *w, const struct rf_jval *c)
{
    rf_json_arr(w, "sources");
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("document"));
    member(w, "id", rf_jval_get(c, "source"));
    rf_json_obj(w, "document");
    member(w, "title", rf_jval_get(c, "title"));
    member(w, "url", rf_jval_get(c, "url"));
    member(w, "snippet", rf_jval_get(c, "text"));
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
}

static void citation_elsewhere(struct rf_json *w, const struct rf_answer *a,
                               const struct rf_jval *c, struct rf_str text)
{
    int64_t start, end;
    rf_answer_cited(a, text, c, &start, &end);
    rf_json_int(w, "start", start);
    rf_json_int(w, "end", end);
    rf_json_str(w, "text", span(text, start, end));
    source_elsewhere(w, c);
    rf_json_str(w, "type", RF_STR("TEXT_CONTENT"));
}

static void own_citation(struct rf_json *w, const struct rf_jval *c)
{
    static const char *const names[] = { "start", "end", "text", "sources", "type" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        member(w, names[i], rf_jval_get(c, names[i]));
}

static void citation(struct rf_json *w, const char *key, const struct rf_answer *a, size_t place,
                     const struct rf_jval *c)
{
    const struct rf_block *b = &a->blocks[place];
    if (b->type == RF_BLOCK_THINKING) {
        rf_json_value(w, key, c);
        return;
    }
    rf_json_obj(w, key);
    if (a->own)
        own_citation(w, c);
    else
        citation_elsewhere(w, a, c, b->text);
    if (!is_plan(a, b))
        rf_json_int(w, "content_index", index_of(a, b, place));
    rf_json_end(w);
}

/* The one after `last`. A thought keeps one as it came. */
static const struct rf_jval *next_citation(const struct rf_answer *a, const struct rf_block *b,
                                           const struct rf_jval *last)
{
    const struct rf_jval *list = b->type == RF_BLOCK_TEXT ? b->citations : NULL;
    if (b->type == RF_BLOCK_THINKING && !last)
        return rf_answer_kept(a, b, "citations");
    if (!list || list->type != RF_JARRAY)
        return NULL;
    return last ? rf_jval_next(list, last) : rf_jval_first(list);
}

static void citations(struct rf_json *w, const struct rf_answer *a)
{
    bool open = false;
    for (size_t i = 0; i < a->count; i++)
        for (const struct rf_jval *c = next_citation(a, &a->blocks[i], NULL); c;
             c = next_citation(a, &a->blocks[i], c)) {
            if (!open)
                rf_json_arr(w, "citations");
            open = true;
            citation(w, NULL, a, i, c);
        }
    if (open)
        rf_json_end(w);
}

/* The message */

static void part(struct rf_json *w, const char *key, const struct rf_block *b, struct rf_str words)
{
    const char *type = b->type == RF_BLOCK_THINKING ? "thinking" : "text";
    if (b->type == RF_BLOCK_OPAQUE) {
        rf_json_value(w, key, b->value);
        return;
    }
    rf_json_obj(w, key);
    rf_json_str(w, "type", rf_str(type));
    rf_json_str(w, type, words);
    rf_json_end(w);
}

static void content(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_arr(w, "content");
    for (size_t i = 0; i < a->count; i++) {
        const struct rf_block *b = &a->blocks[i];
        if (is_content(a, b))
            part(w, NULL, b, b->type == RF_BLOCK_THINKING ? b->thinking.text : b->text);
    }
    rf_json_end(w);
}

static void call(struct rf_json *w, const char *key, const struct rf_block *b,
                 struct rf_str arguments)
{
    rf_json_obj(w, key);
    rf_json_str(w, "id", b->call.id);
    rf_json_str(w, "type", RF_STR("function"));
    rf_json_obj(w, "function");
    rf_json_str(w, "name", b->call.name);
    rf_json_str(w, "arguments", arguments);
    rf_json_end(w);
    rf_json_end(w);
}

static void tool_plan(struct rf_json *w, const struct rf_answer *a)
{
    bool open = false;
    for (size_t i = 0; i < a->count; i++) {
        if (!is_plan(a, &a->blocks[i]))
            continue;
        if (!open)
            rf_json_str_open(w, "tool_plan");
        open = true;
        rf_json_part(w, a->blocks[i].text);
    }
    if (open)
        rf_json_str_close(w);
}

static void tool_calls(struct rf_json *w, const struct rf_answer *a)
{
    bool open = false;
    for (size_t i = 0; i < a->count; i++) {
        const struct rf_block *b = &a->blocks[i];
        if (b->type != RF_BLOCK_TOOL_CALL)
            continue;
        if (!open)
            rf_json_arr(w, "tool_calls");
        open = true;
        call(w, NULL, b, rf_call_arguments(b, a->arena));
    }
    if (open)
        rf_json_end(w);
}

static void body(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_str(w, "id", a->id);
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    content(w, a);
    tool_plan(w, a);
    tool_calls(w, a);
    citations(w, a);
    rf_json_end(w);
    ending(w, a);
}

static void refusal(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_str(w, "message", a->ending.error.words);
}

/* Streams. An event tells of a piece of the message, and most of them which part it is of. */

struct state {
    int64_t index;     /* of the part or call that is open */
    int64_t citations; /* so far */
    bool plans;        /* what is open is the plan */
};

static struct state *state_of(struct rf_telling *t)
{
    if (!t->state)
        t->state = RF_NEW(t->answer.arena, struct state);
    return t->state;
}

static struct rf_json *open_event(struct rf_telling *t, const char *type)
{
    struct rf_json *w = rf_tell_open(t);
    rf_json_str(w, "type", rf_str(type));
    return w;
}

/* What comes next is a member of the message. */
static struct rf_json *open_indexed(struct rf_telling *t, const char *type, int64_t index)
{
    struct rf_json *w = open_event(t, type);
    rf_json_int(w, "index", index);
    rf_json_obj(w, "delta");
    rf_json_obj(w, "message");
    return w;
}

static void close_indexed(struct rf_telling *t, const char *type)
{
    rf_json_end(&t->json);
    rf_json_end(&t->json);
    rf_tell_close(t, type);
}

static void end_of(struct rf_telling *t, const char *type, int64_t index)
{
    rf_json_int(open_event(t, type), "index", index);
    rf_tell_close(t, type);
}

static void begin(struct rf_telling *t)
{
    static const char *const lists[] = { "content", "tool_calls", "citations" };
    struct rf_json *w = rf_tell_open(t);
    rf_json_str(w, "id", t->answer.id);
    rf_json_str(w, "type", RF_STR("message-start"));
    rf_json_obj(w, "delta");
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_str(w, "tool_plan", RF_STR(""));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        rf_json_arr(w, lists[i]);
        rf_json_end(w);
    }
    close_indexed(t, "message-start");
}

static void open(struct rf_telling *t, const struct rf_block *b)
{
    struct state *s = state_of(t);
    s->index = index_of(&t->answer, b, t->answer.count);
    s->plans = is_plan(&t->answer, b);
    if (b->type == RF_BLOCK_TOOL_CALL) {
        call(open_indexed(t, "tool-call-start", s->index), "tool_calls", b, RF_STR(""));
        close_indexed(t, "tool-call-start");
    } else if (!s->plans) {
        part(open_indexed(t, "content-start", s->index), "content", b, RF_STR(""));
        close_indexed(t, "content-start");
    }
}

static void plan_piece(struct rf_telling *t, struct rf_str text)
{
    struct rf_json *w = open_event(t, "tool-plan-delta");
    rf_json_obj(w, "delta");
    rf_json_obj(w, "message");
    rf_json_str(w, "tool_plan", text);
    close_indexed(t, "tool-plan-delta");
}

static void call_piece(struct rf_telling *t, struct rf_str text)
{
    struct rf_json *w = open_indexed(t, "tool-call-delta", state_of(t)->index);
    rf_json_obj(w, "tool_calls");
    rf_json_obj(w, "function");
    rf_json_str(w, "arguments", text);
    rf_json_end(w);
    rf_json_end(w);
    close_indexed(t, "tool-call-delta");
}

static void content_piece(struct rf_telling *t, const char *member, struct rf_str text)
{
    struct rf_json *w = open_indexed(t, "content-delta", state_of(t)->index);
    rf_json_obj(w, "content");
    rf_json_str(w, member, text);
    rf_json_end(w);
    close_indexed(t, "content-delta");
}

static void piece(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    if (type == RF_EVENT_ARGUMENTS)
        call_piece(t, text);
    else if (state_of(t)->plans)
        plan_piece(t, text);
    else
        content_piece(t, type == RF_EVENT_THINKING ? "thinking" : "text", text);
}

static void cite(struct rf_telling *t, size_t place, const struct rf_jval *c)
{
    struct state *s = state_of(t);
    struct rf_json *w = open_indexed(t, "citation-start", s->citations);
    citation(w, "citations", &t->answer, place, c);
    close_indexed(t, "citation-start");
    end_of(t, "citation-end", s->citations++);
}

static void close(struct rf_telling *t, const struct rf_block *b)
{
    const struct state *s = state_of(t);
    for (const struct rf_jval *c = next_citation(&t->answer, b, NULL); c;
         c = next_citation(&t->answer, b, c))
        cite(t, t->answer.count - 1, c);
    if (!s->plans)
        end_of(t, b->type == RF_BLOCK_TOOL_CALL ? "tool-call-end" : "content-end", s->index);
}

static void end(struct rf_telling *t)
{
    struct rf_json *w = open_event(t, "message-end");
    rf_json_obj(w, "delta");
    ending(w, &t->answer);
    rf_json_end(w);
    rf_tell_close(t, "message-end");
}

static void fail(struct rf_telling *t)
{
    struct rf_json *w = open_event(t, "message-end");
    rf_json_obj(w, "delta");
    rf_json_str(w, "error", t->answer.ending.error.words);
    rf_json_str(w, "finish_reason", RF_STR("ERROR"));
    rf_json_end(w);
    rf_tell_close(t, "message-end");
}

const struct rf_replies rf_cohere_replies = {
    .id = "",
    .says = { [RF_BLOCK_TEXT] = true,
              [RF_BLOCK_THINKING] = true,
              [RF_BLOCK_TOOL_CALL] = true,
              [RF_BLOCK_OPAQUE] = true },
    .says_citations = true,
    .body = body,
    .refusal = refusal,
    .errors = errors,
    .begin = begin,
    .open = open,
    .piece = piece,
    .close = close,
    .cite = cite,
    .end = end,
    .fail = fail,
};
