/* Cohere's chat, version 2: messages as chat completions have them, with settings of its own.
 * https://docs.cohere.com/reference/chat (2026-11)
 *
 *     item            on the wire                                   otherwise
 *     text, JSON      a string, or a part {type: text}              object in a result: document
 *     text file       the same, its heading before it
 *     image           part image_url {url, detail} of a user        in a result: refused
 *     other file      refused
 *     call            tool_calls[], its arguments as a string
 *     result          message of role tool: a string, or parts text and document
 *     thinking        part thinking of the assistant's content
 *     document        documents[] of the request                    as its own requests have them
 *
 * What an assistant says before its calls is `tool_plan`. One certain tool is chosen by requiring a
 * call and offering no other. There is no mark for a failed result: its text says so. A user
 * message may not follow a tool message, and system messages come first: both are so in the plan
 * already. Replies are read in decode.c. */
#include "wire/wire.h"

/* Documents of the request stand in its messages until here: {"documents":[…]}, without a type. */
static const struct rf_jval *documents_in(const struct rf_item *item)
{
    if (item->kind != RF_ITEM_OPAQUE || rf_jval_get(item->block->value, "type"))
        return NULL;
    const struct rf_jval *list = rf_jval_get(item->block->value, "documents");
    return list && list->type == RF_JARRAY ? list : NULL;
}

static void opaque_part(struct rf_json *w, const struct rf_item *item)
{
    if (!documents_in(item))
        rf_json_value(w, NULL, item->block->value);
}

/* "original" is OpenAI's alone. */
static struct rf_str detail_of(const struct rf_asset *asset)
{
    struct rf_str detail = rf_wire_detail(asset);
    return rf_str_is(detail, "original") ? RF_STR("high") : detail;
}

static void media_part(struct rf_json *w, const struct rf_item *item)
{
    if (item->asset->kind == RF_KIND_IMAGE && item->asset->state != RF_ASSET_FILE_ID)
        rf_wire_url_part(w, "image_url", item, detail_of(item->asset));
    else
        rf_wire_refuse(w, "a message", item->asset);
}

static void user_part(struct rf_json *w, const struct rf_item *item)
{
    if (!documents_in(item))
        rf_wire_content_part(w, "text", item, media_part);
}

static void data_part(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("document"));
    rf_json_obj(w, "document");
    rf_json_raw(w, "data", item->text);
    rf_json_end(w);
    rf_json_end(w);
}

static void result_part(struct rf_json *w, const struct rf_item *item)
{
    if (item->kind == RF_ITEM_JSON && item->json_object)
        data_part(w, item);
    else if (item->kind == RF_ITEM_MEDIA)
        rf_wire_refuse(w, "a tool message", item->asset);
    else
        user_part(w, item);
}

/* A string where it is nothing but words. */
static void result(struct rf_json *w, const struct rf_item *item)
{
    bool words = rf_wire_all_text(item->items, item->count);
    for (size_t i = 0; i < item->count; i++)
        words &= !(item->items[i].kind == RF_ITEM_JSON && item->items[i].json_object);
    if (words)
        rf_wire_joined(w, "content", item->items, item->count);
    else
        rf_wire_parts(w, "content", item->items, item->count, result_part);
}

static void thinking_part(struct rf_json *w, struct rf_str text)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("thinking"));
    rf_json_str(w, "thinking", text);
    rf_json_end(w);
}

static void text_part(struct rf_json *w, const struct rf_turn *turn)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_wire_paragraphs(w, "text", turn->items, turn->count);
    rf_json_end(w);
}

/* Thoughts, then the text, then what only this API can say. */
static void said_parts(struct rf_json *w, const struct rf_turn *turn, bool speaks)
{
    rf_json_arr(w, "content");
    for (size_t i = 0; i < turn->count; i++)
        if (turn->items[i].kind == RF_ITEM_THINKING)
            thinking_part(w, turn->items[i].block->thinking.text);
    if (speaks)
        text_part(w, turn);
    for (size_t i = 0; i < turn->count; i++)
        if (turn->items[i].kind == RF_ITEM_OPAQUE)
            opaque_part(w, &turn->items[i]);
    rf_json_end(w);
}

/* The text is the plan of calls where there are any. */
static void said(struct rf_json *w, const struct rf_caps *caps, const struct rf_turn *turn)
{
    (void)caps;
    bool plans = rf_wire_count(turn, RF_ITEM_CALL) > 0;
    bool speaks = rf_wire_any_text(turn->items, turn->count);
    if (rf_wire_count(turn, RF_ITEM_THINKING) || rf_wire_count(turn, RF_ITEM_OPAQUE))
        said_parts(w, turn, speaks && !plans);
    else if (!plans)
        rf_wire_paragraphs(w, "content", turn->items, turn->count);
    if (plans && speaks)
        rf_wire_paragraphs(w, "tool_plan", turn->items, turn->count);
}

/* Tools. */

static void tools(struct rf_json *w, const struct rf_plan *p)
{
    struct rf_plan only = *p;
    for (size_t i = 0; p->tool_choice == RF_CHOICE_TOOL && i < p->tool_count; i++) {
        if (!rf_str_eq(p->tools[i].name, p->tool_choice_name))
            continue;
        only.tools = &p->tools[i];
        only.tool_count = 1;
    }
    rf_wire_function_tools(w, &only);
}

/* What is left to the model is not said. */
static void tool_choice(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->tool_count)
        return;
    switch (p->tool_choice) {
    case RF_CHOICE_UNSET:
    case RF_CHOICE_AUTO:
        return;
    case RF_CHOICE_NONE:
        rf_json_str(w, "tool_choice", RF_STR("NONE"));
        return;
    case RF_CHOICE_REQUIRED:
    case RF_CHOICE_TOOL:
        rf_json_str(w, "tool_choice", RF_STR("REQUIRED"));
        return;
    }
}

/* Documents. */

static void documents_of(struct rf_json *w, const struct rf_item *items, size_t count, bool *open)
{
    for (size_t i = 0; i < count; i++) {
        const struct rf_jval *list = documents_in(&items[i]);
        if (items[i].kind == RF_ITEM_RESULT)
            documents_of(w, items[i].items, items[i].count, open);
        if (list && !*open)
            rf_json_arr(w, "documents");
        *open |= list != NULL;
        for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v;
             v = rf_jval_next(list, v))
            rf_json_value(w, NULL, v);
    }
}

static void documents(struct rf_json *w, const struct rf_plan *p)
{
    bool open = false;
    for (size_t i = 0; i < p->turn_count; i++)
        documents_of(w, p->turns[i].items, p->turns[i].count, &open);
    if (open)
        rf_json_end(w);
}

/* The body. */

static void thinking(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->thinking_budget && !p->thinking_off)
        return;
    rf_json_obj(w, "thinking");
    rf_json_str(w, "type", p->thinking_off ? RF_STR("disabled") : RF_STR("enabled"));
    if (p->thinking_budget && p->model->caps.thinking == RF_THINKING_BUDGET)
        rf_json_int(w, "token_budget", p->thinking_budget);
    rf_json_end(w);
}

static void response_format(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->schema && !p->json)
        return;
    rf_json_obj(w, "response_format");
    rf_json_str(w, "type", RF_STR("json_object"));
    if (p->schema)
        rf_json_value(w, "json_schema", p->schema);
    rf_json_end(w);
}

static void options(struct rf_json *w, const struct rf_plan *p)
{
    if (p->max_tokens)
        rf_json_int(w, "max_tokens", p->max_tokens);
    if (p->temperature)
        rf_json_value(w, "temperature", p->temperature);
    if (p->top_p)
        rf_json_value(w, "p", p->top_p);
    rf_wire_carried(w, p, NULL);
    if (p->stop)
        rf_json_value(w, "stop_sequences", p->stop);
    response_format(w, p);
    thinking(w, p);
}

static void others(struct rf_json *w, const struct rf_plan *p)
{
    const char *but[] = {
        "model",
        "stream",
        "system",
        "tools",
        p->thinking_budget || p->thinking_off ? "thinking" : "tools",
        p->conversation->options.schema ? "response_format" : "tools",
        NULL,
    };
    rf_json_members(w, p->kept, but);
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    static const struct rf_completion_spelling spelling = {
        .part = user_part,
        .result = result,
        .said = said,
    };
    rf_json_obj(w, NULL);
    rf_json_str(w, "model", p->model->name);
    rf_completion_messages(w, p, &spelling);
    tools(w, p);
    tool_choice(w, p);
    documents(w, p);
    options(w, p);
    others(w, p);
    rf_json_bool(w, "stream", p->stream);
    rf_json_end(w);
}

const struct rf_dialect rf_dialect_cohere = {
    .name = "cohere",
    .encode = encode,
    .decode = rf_cohere_decode,
    .framing = RF_FRAMING_SSE,
    .event = rf_cohere_event,
    .parse = rf_cohere_parse,
    .replies = &rf_cohere_replies,
};
