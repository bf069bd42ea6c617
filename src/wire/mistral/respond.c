/* Mistral: writing responses, streams and errors. Chat completions, in which thoughts and images
 * are parts of the content, and a call comes in one chunk. */
#include "wire/chat/respond.h"
#include "wire/wire.h"

static bool is_text(const struct rf_answer *a, const struct rf_block *b)
{
    (void)a;
    return b->type == RF_BLOCK_TEXT;
}

static bool is_part(const struct rf_answer *a, const struct rf_block *b)
{
    (void)a;
    return b->type == RF_BLOCK_THINKING || b->type == RF_BLOCK_IMAGE || b->type == RF_BLOCK_OPAQUE;
}

static void choice(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_completion_content(w, a, is_text, is_part);
    rf_completion_tool_calls(w, a);
    rf_json_end(w);
}

static void body(const struct rf_answer *a, struct rf_json *w)
{
    rf_completion_response(a, w, choice);
}

static void refusal(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_str(w, "object", RF_STR("error"));
    rf_completion_error(w, a);
}

/* Streams */

static void open(struct rf_telling *t, const struct rf_block *b)
{
    t->state = (void *)b;
}

static void piece(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    if (type == RF_EVENT_THINKING)
        rf_completion_think(t, text, RF_STR(""));
    else if (type == RF_EVENT_TEXT)
        rf_completion_text_piece(t, text);
}

static void close(struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_thinking *thought = &b->thinking;
    if (b->type == RF_BLOCK_TOOL_CALL)
        rf_completion_whole_call(t, b);
    else if (b->type == RF_BLOCK_TEXT)
        rf_completion_close_text(t, b);
    else if (b->type != RF_BLOCK_THINKING)
        rf_completion_delta_part(t, b);
    else if (thought->signature.n || !thought->text.n)
        rf_completion_think(t, RF_STR(""), thought->signature);
}

static void fail(struct rf_telling *t)
{
    refusal(&t->answer, rf_tell_open(t));
    rf_tell_close(t, NULL);
}

const struct rf_replies rf_mistral_replies = {
    .id = "",
    .says = { [RF_BLOCK_TEXT] = true,
              [RF_BLOCK_IMAGE] = true,
              [RF_BLOCK_THINKING] = true,
              [RF_BLOCK_TOOL_CALL] = true,
              [RF_BLOCK_OPAQUE] = true },
    .signs_thoughts = true,
    .body = body,
    .refusal = refusal,
    .errors = rf_completion_errors,
    .begin = rf_completion_begin,
    .open = open,
    .piece = piece,
    .close = close,
    .end = rf_completion_end,
    .fail = fail,
};
