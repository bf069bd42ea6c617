/* Ollama's own chat API: writing responses, streams and errors.
 *
 * Texts are one, and so are thoughts; a call comes whole. A stream is lines of replies with a piece
 * each, the last of which is done. Files have no type here: pictures are bytes alone. */
#include "wire/respond.h"

#include "base/arena.h"
#include "content/block.h"
#include "wire/wire.h"

#include <time.h>

static const char *const stops[] = {
    [RF_STOP_UNKNOWN] = "stop",  [RF_STOP_END] = "stop",       [RF_STOP_TOOL] = "stop",
    [RF_STOP_LENGTH] = "length", [RF_STOP_SEQUENCE] = "stop",  [RF_STOP_REFUSED] = "stop",
    [RF_STOP_PAUSED] = "stop",   [RF_STOP_MALFORMED] = "stop", [RF_STOP_ERROR] = "stop",
};

/* An error is its words alone. */
static const struct rf_error_words errors[] = {
    [RF_ERROR_NONE] = { "", 500 },        [RF_ERROR_AUTHENTICATION] = { "", 401 },
    [RF_ERROR_PERMISSION] = { "", 403 },  [RF_ERROR_RATE_LIMIT] = { "", 429 },
    [RF_ERROR_OVERLOADED] = { "", 503 },  [RF_ERROR_CONTEXT_TOO_LONG] = { "", 400 },
    [RF_ERROR_TOO_LARGE] = { "", 413 },   [RF_ERROR_BAD_MEDIA] = { "", 400 },
    [RF_ERROR_UNSUPPORTED] = { "", 400 }, [RF_ERROR_NOT_FOUND] = { "", 404 },
    [RF_ERROR_OTHER] = { "", 500 },       [RF_ERROR_WORDS_LATE] = { "", 504 },
};

static void head(struct rf_json *w, const struct rf_answer *a)
{
    time_t created = (time_t)a->created_s;
    struct tm utc;
    char text[sizeof "9999-12-31T23:59:59Z"] = "";
    if (gmtime_r(&created, &utc))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    rf_json_str(w, "model", a->model);
    rf_json_str(w, "created_at", rf_str(text));
}

static void tail(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_usage *u = &a->ending.usage;
    rf_json_str(w, "done_reason", rf_answer_stop(a, stops));
    rf_json_bool(w, "done", true);
    if (!a->own || u->input >= 0)
        rf_json_int(w, "prompt_eval_count", rf_answer_count(u->input));
    if (!a->own || u->output >= 0)
        rf_json_int(w, "eval_count", rf_answer_count(u->output));
}

/* The message */

static void call(struct rf_json *w, const struct rf_block *b, size_t index)
{
    rf_json_obj(w, NULL);
    rf_json_str_opt(w, "id", b->call.id);
    rf_json_obj(w, "function");
    rf_json_int(w, "index", (int64_t)index);
    rf_json_str(w, "name", b->call.name);
    rf_wire_arguments(w, "arguments", b);
    rf_json_end(w);
    rf_json_end(w);
}

static void element(struct rf_json *w, const struct rf_block *b, size_t index)
{
    if (b->type == RF_BLOCK_TOOL_CALL)
        call(w, b, index);
    else
        rf_json_str(w, NULL, b->media.source.ref);
}

static void list(struct rf_json *w, const char *key, const struct rf_answer *a,
                 enum rf_block_type type)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->blocks[i].type != type)
            continue;
        if (!count)
            rf_json_arr(w, key);
        element(w, &a->blocks[i], count++);
    }
    if (count)
        rf_json_end(w);
}

static void content(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_str_open(w, "content");
    for (size_t i = 0; i < a->count; i++)
        if (a->blocks[i].type == RF_BLOCK_TEXT)
            rf_json_part(w, a->blocks[i].text);
    rf_json_str_close(w);
}

static void thinking(struct rf_json *w, const struct rf_answer *a)
{
    bool open = false;
    for (size_t i = 0; i < a->count; i++) {
        const struct rf_block *b = &a->blocks[i];
        if (b->type != RF_BLOCK_THINKING || !b->thinking.text.n)
            continue;
        if (!open)
            rf_json_str_open(w, "thinking");
        rf_json_part(w, open ? RF_STR("\n\n") : RF_STR(""));
        rf_json_part(w, b->thinking.text);
        open = true;
    }
    if (open)
        rf_json_str_close(w);
}

static void body(const struct rf_answer *a, struct rf_json *w)
{
    head(w, a);
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    content(w, a);
    thinking(w, a);
    list(w, "images", a, RF_BLOCK_IMAGE);
    list(w, "tool_calls", a, RF_BLOCK_TOOL_CALL);
    rf_json_end(w);
    tail(w, a);
}

static void refusal(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_str(w, "error", a->ending.error.words);
}

/* Streams */

static struct rf_json *open_line(struct rf_telling *t, struct rf_str words)
{
    struct rf_json *w = rf_tell_open(t);
    head(w, &t->answer);
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_str(w, "content", words);
    return w;
}

static void close_line(struct rf_telling *t)
{
    rf_json_end(&t->json);
    rf_json_bool(&t->json, "done", false);
    rf_tell_close(t, NULL);
}

static void begin(struct rf_telling *t)
{
    (void)t;
}

static void open(struct rf_telling *t, const struct rf_block *b)
{
    (void)b;
    t->next = 0; /* pieces of it */
}

static bool thought_before(const struct rf_answer *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->blocks[i].type == RF_BLOCK_THINKING && a->blocks[i].thinking.text.n)
            return true;
    return false;
}

static void thought_piece(struct rf_telling *t, struct rf_str text)
{
    bool apart = t->next++ == 0 && thought_before(&t->answer);
    struct rf_json *w = open_line(t, RF_STR(""));
    rf_json_str_open(w, "thinking");
    rf_json_part(w, apart ? RF_STR("\n\n") : RF_STR(""));
    rf_json_part(w, text);
    rf_json_str_close(w);
    close_line(t);
}

static void piece(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    if (type == RF_EVENT_THINKING) {
        thought_piece(t, text);
    } else if (type == RF_EVENT_TEXT) {
        open_line(t, text);
        close_line(t);
    }
}

static void close(struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_answer *a = &t->answer;
    size_t index = 0;
    if (b->type != RF_BLOCK_TOOL_CALL && b->type != RF_BLOCK_IMAGE)
        return;
    for (size_t i = 0; i + 1 < a->count; i++)
        index += a->blocks[i].type == b->type;
    struct rf_json *w = open_line(t, RF_STR(""));
    rf_json_arr(w, b->type == RF_BLOCK_IMAGE ? "images" : "tool_calls");
    element(w, b, index);
    rf_json_end(w);
    close_line(t);
}

static void end(struct rf_telling *t)
{
    struct rf_json *w = open_line(t, RF_STR(""));
    rf_json_end(w);
    tail(w, &t->answer);
    rf_tell_close(t, NULL);
}

static void fail(struct rf_telling *t)
{
    refusal(&t->answer, rf_tell_open(t));
    rf_tell_close(t, NULL);
}

const struct rf_replies rf_ollama_replies = {
    .id = "",
    .says = { [RF_BLOCK_TEXT] = true,
              [RF_BLOCK_IMAGE] = true,
              [RF_BLOCK_THINKING] = true,
              [RF_BLOCK_TOOL_CALL] = true },
    .says_file = rf_answer_file_is_here,
    .says_objects = true,
    .streams_objects = true,
    .fails_on = { [RF_STOP_MALFORMED] = true, [RF_STOP_ERROR] = true },
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
