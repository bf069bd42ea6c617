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
 * The server tells pictures and sounds apart by their bytes. The mark [img] stands where one of them
 * stood between texts. There is no tool choice, and no mark for a failed result: its text says so. */
#include "wire/wire.h"

static void image(struct rf_json *w, const struct rf_asset *asset)
{
    bool known = asset->kind == RF_KIND_IMAGE || asset->kind == RF_KIND_AUDIO;
    if (known && asset->state == RF_ASSET_BYTES)
        rf_json_base64(w, NULL, &asset->bytes);
    else
        rf_wire_refuse(w, "a message", asset);
}

static void images(struct rf_json *w, const struct rf_item *items, size_t count)
{
    if (rf_wire_all_text(items, count))
        return;
    rf_json_arr(w, "images");
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind == RF_ITEM_MEDIA)
            image(w, items[i].asset);
    }
    rf_json_end(w);
}

/* The text of a message, with a mark at the place of each picture. */
static void content(struct rf_json *w, const struct rf_item *items, size_t count)
{
    bool marked = rf_wire_any_text(items, count);
    rf_json_str_open(w, "content");
    for (size_t i = 0; marked && i < count; i++) {
        if (i)
            rf_json_part(w, RF_STR("\n"));
        if (items[i].kind == RF_ITEM_MEDIA)
            rf_json_part(w, RF_STR("[img]"));
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
    rf_json_str(w, "role", RF_STR("user"));
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
    rf_wire_thoughts(w, "thinking", turn);
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
    if (!p->max_tokens && !p->temperature && !p->top_p && !p->stop)
        return;
    rf_json_obj(w, "options");
    if (p->max_tokens)
        rf_json_int(w, "num_predict", p->max_tokens);
    rf_wire_sampling(w, p);
    if (p->stop)
        rf_json_value(w, "stop", p->stop);
    rf_json_end(w);
}

static void think(struct rf_json *w, const struct rf_plan *p)
{
    switch (p->model->caps.thinking) {
    case RF_THINKING_NONE:
        return;
    case RF_THINKING_BUDGET:
    case RF_THINKING_ADAPTIVE:
    case RF_THINKING_SWITCH:
        rf_json_bool(w, "think", true);
        return;
    case RF_THINKING_EFFORT:
    case RF_THINKING_LEVEL:
        rf_json_str(w, "think", rf_wire_effort(p->thinking_budget));
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
    if (p->thinking_budget)
        think(w, p);
    rf_json_bool(w, "stream", p->stream);
    rf_json_end(w);
}

const struct rf_dialect rf_dialect_ollama = { .name = "ollama", .encode = encode };
