/* Ollama's own chat API. https://docs.ollama.com/api (2026-11)
 *
 *     item            on the wire                                   otherwise
 *     text, JSON      content, one string a message
 *     text file       the same, its heading before it
 *     image, sound    images[] of the message, base64 alone         by URL, uploaded: refused
 *     other file      refused
 *     call            tool_calls[], its arguments as an object
 *     result          message of role tool with the tool's name and the call's id
 *     thinking        thinking, one string a message
 *
 * The server tells pictures and sounds apart by their bytes. The mark [img] stands where one of
 * them stood between texts. There is no tool choice, and no mark for a failed result: its text
 * says so.
 *
 * A reply is {message, done, done_reason, counts}; a stream is lines of the same, the last of which
 * is done. Calls come whole, and have no ids from older servers. Left aside: durations. */
#include "wire/wire.h"

#include "base/arena.h"

static void image(struct rf_json *w, const struct rf_asset *asset)
{
    bool known = asset->kind == RF_KIND_IMAGE || asset->kind == RF_KIND_AUDIO;
    if (known && asset->state == RF_ASSET_BYTES)
        rf_wire_asset(w, NULL, asset);
    else
        rf_wire_refuse(w, "a message", asset);
}

static void images(struct rf_json *w, const struct rf_item *items, size_t count)
{
    bool open = false;
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind != RF_ITEM_MEDIA)
            continue;
        if (!open)
            rf_json_arr(w, "images");
        open = true;
        image(w, items[i].asset);
    }
    if (open)
        rf_json_end(w);
}

/* The text of a message, with a mark at the place of each picture where there is more than that. */
static void content(struct rf_json *w, const struct rf_item *items, size_t count)
{
    bool marked = false;
    for (size_t i = 0; i < count; i++)
        marked |= items[i].kind != RF_ITEM_MEDIA;
    rf_json_str_open(w, "content");
    for (size_t i = 0; marked && i < count; i++) {
        if (i)
            rf_json_part(w, RF_STR("\n"));
        if (items[i].kind == RF_ITEM_MEDIA)
            rf_json_part(w, RF_STR("[img]"));
        else if (items[i].kind == RF_ITEM_OPAQUE)
            rf_json_part(w, items[i].text);
        else
            rf_wire_item_text(w, &items[i]);
    }
    rf_json_str_close(w);
}

static void tool_message(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("tool"));
    content(w, item->items, item->count);
    images(w, item->items, item->count);
    rf_json_str(w, "tool_name", item->name);
    rf_json_str(w, "tool_call_id", item->id);
    rf_json_end(w);
}

static void user_turn(struct rf_json *w, const struct rf_turn *turn)
{
    size_t results = rf_wire_count(turn, RF_ITEM_RESULT);
    for (size_t i = 0; i < results; i++)
        tool_message(w, &turn->items[i]);
    if (results == turn->count)
        return;
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", rf_wire_speaker(turn));
    content(w, turn->items + results, turn->count - results);
    images(w, turn->items + results, turn->count - results);
    rf_json_end(w);
}

/* Calls are counted where there are several. */
static void tool_calls(struct rf_json *w, const struct rf_turn *turn)
{
    size_t count = rf_wire_count(turn, RF_ITEM_CALL);
    int64_t index = 0;
    if (!count)
        return;
    rf_json_arr(w, "tool_calls");
    for (size_t i = 0; i < turn->count; i++) {
        const struct rf_item *item = &turn->items[i];
        if (item->kind != RF_ITEM_CALL)
            continue;
        rf_json_obj(w, NULL);
        rf_json_str(w, "id", item->id);
        rf_json_obj(w, "function");
        if (count > 1)
            rf_json_int(w, "index", index++);
        rf_json_str(w, "name", item->name);
        rf_wire_arguments(w, "arguments", item->block);
        rf_json_end(w);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void assistant_turn(struct rf_json *w, const struct rf_turn *turn)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_wire_refuse_media(w, turn);
    rf_wire_paragraphs(w, "content", turn->items, turn->count);
    rf_wire_thoughts(w, "thinking", turn, NULL);
    tool_calls(w, turn);
    rf_json_end(w);
}

static void messages(struct rf_json *w, const struct rf_plan *p)
{
    rf_json_arr(w, "messages");
    rf_wire_system(w, p);
    for (size_t i = 0; i < p->turn_count; i++) {
        if (p->turns[i].role == RF_ROLE_ASSISTANT)
            assistant_turn(w, &p->turns[i]);
        else
            user_turn(w, &p->turns[i]);
    }
    rf_json_end(w);
}

static void options(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->window && !p->max_tokens && !p->temperature && !p->top_p && !p->stop &&
        !rf_wire_carries(p, "options"))
        return;
    rf_json_obj(w, "options");
    if (p->window)
        rf_json_int(w, "num_ctx", p->window);
    if (p->max_tokens)
        rf_json_int(w, "num_predict", p->max_tokens);
    rf_wire_sampling(w, p);
    rf_wire_carried(w, p, "options");
    if (p->stop)
        rf_json_value(w, "stop", p->stop);
    rf_json_end(w);
}

static void think(struct rf_json *w, const struct rf_plan *p)
{
    if (p->thinking_off) {
        rf_json_bool(w, "think", false);
        return;
    }
    switch (p->model->caps.thinking) {
    case RF_THINKING_NONE:
    case RF_THINKING_NO:
    case RF_THINKING_ALWAYS:
        return;
    case RF_THINKING_BUDGET:
    case RF_THINKING_ADAPTIVE:
    case RF_THINKING_SWITCH:
        rf_json_bool(w, "think", true);
        return;
    case RF_THINKING_EFFORT:
    case RF_THINKING_LEVEL:
        rf_json_str(w, "think", rf_wire_effort(p));
        return;
    }
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "model", p->model->name);
    messages(w, p);
    rf_wire_function_tools(w, p);
    options(w, p);
    if (p->schema)
        rf_json_value(w, "format", p->schema);
    else if (p->json)
        rf_json_str(w, "format", RF_STR("json"));
    if (p->thinking_budget || p->thinking_off)
        think(w, p);
    rf_json_bool(w, "stream", p->stream);
    rf_json_end(w);
}

/* Replies. */

enum {
    THOUGHT,
    TEXT,
    IMAGES,
    CALLS = 1 << 30,
};

/* Images and calls are counted as they come; the counts are the state. */
struct counts {
    int64_t images, calls;
};

static struct counts *counts_of(struct rf_reply *r)
{
    if (!r->state)
        r->state = RF_NEW(r->arena, struct counts);
    return r->state;
}

static void add_text(struct rf_reply *r, int64_t number, enum rf_block_type type,
                     const struct rf_jval *v)
{
    struct rf_str text = rf_reply_text(r, v);
    if (text.n)
        rf_draft_text(r, rf_reply_block(r, number, type), text);
}

static void each(struct rf_reply *r, const struct rf_jval *list,
                 void (*take)(struct rf_reply *r, const struct rf_jval *element))
{
    if (!list || list->type != RF_JARRAY)
        return;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        take(r, v);
}

static void take_image(struct rf_reply *r, const struct rf_jval *v)
{
    int64_t number = IMAGES + counts_of(r)->images++;
    struct rf_draft *d = rf_reply_block(r, number, RF_BLOCK_IMAGE);
    rf_draft_media(r, d, rf_reply_text(r, v));
    rf_draft_close(r, d);
}

static void take_call(struct rf_reply *r, const struct rf_jval *call)
{
    const struct rf_jval *function = rf_jval_get(call, "function");
    const struct rf_jval *arguments = rf_jval_get(function, "arguments");
    int64_t number = CALLS + counts_of(r)->calls++;
    struct rf_draft *d = rf_reply_block(r, number, RF_BLOCK_TOOL_CALL);
    d->id = rf_reply_copy(r, rf_jval_get(call, "id"));
    d->name = rf_reply_copy(r, rf_jval_get(function, "name"));
    if (arguments && arguments->type == RF_JSTRING)
        rf_draft_arguments(r, d, rf_reply_text(r, arguments));
    else if (arguments && arguments->type != RF_JNULL)
        rf_draft_arguments(r, d, rf_jval_compact(arguments, r->scratch));
    rf_draft_close(r, d);
}

static void take_counts(struct rf_reply *r, const struct rf_jval *body)
{
    r->usage.input = rf_reply_count(rf_jval_get(body, "prompt_eval_count"));
    r->usage.output = rf_reply_count(rf_jval_get(body, "eval_count"));
    rf_reply_usage(r);
}

static void take_end(struct rf_reply *r, const struct rf_jval *body)
{
    struct rf_str reason = rf_reply_text(r, rf_jval_get(body, "done_reason"));
    enum rf_stop stop = RF_STOP_UNKNOWN;
    if (rf_str_is(reason, "length"))
        stop = RF_STOP_LENGTH;
    else if (counts_of(r)->calls)
        stop = RF_STOP_TOOL;
    else if (rf_str_is(reason, "stop") || !reason.n)
        stop = RF_STOP_END;
    for (size_t i = 0; i < r->count; i++)
        rf_draft_close(r, r->drafts[i]);
    rf_reply_stop(r, stop, reason);
    take_counts(r, body);
    r->complete = true;
}

/* What is neither a reply nor an error that anybody knows is told as it is. */
static void fail(struct rf_reply *r, const struct rf_jval *body)
{
    if (rf_wire_error(body, 0, r))
        return;
    struct rf_str words = rf_jval_compact(body, r->scratch);
    rf_reply_error(r, rf_wire_error_kind(0, RF_STR(""), words), RF_STR(""), words);
}

static void decode(const struct rf_jval *body, struct rf_reply *r)
{
    const struct rf_jval *message = rf_jval_get(body, "message");
    const struct rf_jval *error = rf_jval_get(body, "error"), *over = rf_jval_get(body, "done");
    if (!message || message->type != RF_JOBJECT || (error && error->type != RF_JNULL)) {
        fail(r, body);
        return;
    }
    if (!r->model.n)
        r->model = rf_reply_copy(r, rf_jval_get(body, "model"));
    add_text(r, THOUGHT, RF_BLOCK_THINKING, rf_jval_get(message, "thinking"));
    add_text(r, TEXT, RF_BLOCK_TEXT, rf_jval_get(message, "content"));
    each(r, rf_jval_get(message, "images"), take_image);
    each(r, rf_jval_get(message, "tool_calls"), take_call);
    if (over && over->type == RF_JTRUE)
        take_end(r, body);
}

static void event(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r)
{
    (void)frame;
    if (data)
        decode(data, r);
}

const struct rf_dialect rf_dialect_ollama = {
    .name = "ollama",
    .asks_window = true,
    .encode = encode,
    .decode = decode,
    .framing = RF_FRAMING_LINES,
    .event = event,
    .parse = rf_ollama_parse,
    .replies = &rf_ollama_replies,
};
