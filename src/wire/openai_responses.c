/* OpenAI Responses: no messages but items; each call, result and thought is one of its own.
 * https://platform.openai.com/docs/api-reference/responses (2026-11)
 *
 *     item            on the wire                                   otherwise
 *     text, JSON      a string, or a part {type: input_text}        assistant: a message, texts
 *                                                                   that are neighbours joined
 *     text file       the same, its heading before it
 *     image           part input_image {detail, image_url}          uploaded: {detail, file_id}
 *     PDF, document   part input_file {filename, file_data}         {file_url}, {file_id}
 *     sound, video    refused
 *     call            item function_call, its arguments as a string
 *     result          item function_call_output, a string           media inside: a list of parts
 *     thinking        item reasoning before the item it led to
 *
 * There is no mark for a failed result, whose text says so, and no stop. Nothing is stored on the
 * other side, so thoughts travel encrypted: that is asked of every model that has thoughts, and the
 * plan holds none without. */
#include "wire/wire.h"

/* Content parts. */

static void image_part(struct rf_json *w, const struct rf_asset *asset)
{
    struct rf_str detail = rf_wire_detail(asset);
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("input_image"));
    rf_json_str(w, "detail", detail.n ? detail : RF_STR("auto"));
    if (asset->state == RF_ASSET_FILE_ID)
        rf_json_str(w, "file_id", asset->ref);
    else
        rf_wire_data_url(w, "image_url", asset);
    rf_json_end(w);
}

static void file_part(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("input_file"));
    switch (item->asset->state) {
    case RF_ASSET_BYTES:
        rf_json_str(w, "filename", rf_wire_filename(item, w->rope->arena));
        rf_wire_data_url(w, "file_data", item->asset);
        break;
    case RF_ASSET_URL:
        rf_json_str(w, "file_url", item->asset->ref);
        break;
    case RF_ASSET_FILE_ID:
        rf_json_str(w, "file_id", item->asset->ref);
        break;
    case RF_ASSET_BROKEN:
        RF_BUG("broken file in a plan");
    }
    rf_json_end(w);
}

static void media_part(struct rf_json *w, const struct rf_item *item)
{
    switch (item->asset->kind) {
    case RF_KIND_IMAGE:
        image_part(w, item->asset);
        return;
    case RF_KIND_AUDIO:
    case RF_KIND_VIDEO:
        rf_wire_refuse(w, "a message", item->asset);
        return;
    case RF_KIND_PDF:
    case RF_KIND_TEXT:
    case RF_KIND_OFFICE:
    case RF_KIND_UNKNOWN:
        file_part(w, item);
        return;
    }
}

static void part(struct rf_json *w, const struct rf_item *item)
{
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_JSON:
    case RF_ITEM_TEXT_FILE:
        rf_wire_text_part(w, "input_text", item);
        return;
    case RF_ITEM_MEDIA:
        media_part(w, item);
        return;
    case RF_ITEM_THINKING:
    case RF_ITEM_OPAQUE:
    case RF_ITEM_CALL:
    case RF_ITEM_RESULT:
        RF_BUG("item that is no content");
    }
}

/* Input items. */

static void function_call_output(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("function_call_output"));
    rf_json_str(w, "call_id", item->id);
    rf_wire_result_content(w, "output", item, part);
    rf_json_end(w);
}

static void user_turn(struct rf_json *w, const struct rf_turn *turn)
{
    size_t results = rf_wire_count(turn, RF_ITEM_RESULT);
    for (size_t i = 0; i < results; i++)
        function_call_output(w, &turn->items[i]);
    if (results == turn->count)
        return;
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("user"));
    rf_wire_content(w, "content", turn->items + results, turn->count - results, part);
    rf_json_end(w);
}

static void reasoning(struct rf_json *w, const struct rf_thinking *t)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("reasoning"));
    rf_json_str_opt(w, "id", t->id);
    rf_json_arr(w, "summary");
    if (t->text.n) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("summary_text"));
        rf_json_str(w, "text", t->text);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_str(w, "encrypted_content", t->encrypted);
    rf_json_end(w);
}

static void function_call(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("function_call"));
    rf_json_str(w, "call_id", item->id);
    rf_json_str(w, "name", item->name);
    rf_wire_arguments_string(w, "arguments", item->block);
    rf_json_end(w);
}

static void assistant_message(struct rf_json *w, const struct rf_item *items, size_t count)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_wire_paragraphs(w, "content", items, count);
    rf_json_end(w);
}

/* The items from `i` on that make one item of the input; returns how many. */
static size_t assistant_item(struct rf_json *w, const struct rf_turn *turn, size_t i)
{
    const struct rf_item *item = &turn->items[i];
    size_t count = 1;
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_JSON:
    case RF_ITEM_TEXT_FILE:
        while (i + count < turn->count && rf_wire_all_text(item + count, 1))
            count++;
        assistant_message(w, item, count);
        return count;
    case RF_ITEM_THINKING:
        reasoning(w, &item->block->thinking);
        return count;
    case RF_ITEM_OPAQUE:
        rf_json_value(w, NULL, item->block->value);
        return count;
    case RF_ITEM_CALL:
        function_call(w, item);
        return count;
    case RF_ITEM_MEDIA:
        rf_wire_refuse(w, "an assistant message", item->asset);
        return count;
    case RF_ITEM_RESULT:
        RF_BUG("result that an assistant gives");
    }
    RF_BUG("item of no kind");
}

static void input(struct rf_json *w, const struct rf_plan *p)
{
    rf_json_arr(w, "input");
    for (size_t i = 0; i < p->turn_count; i++) {
        const struct rf_turn *turn = &p->turns[i];
        if (turn->role == RF_ROLE_USER)
            user_turn(w, turn);
        for (size_t k = 0; turn->role == RF_ROLE_ASSISTANT && k < turn->count;)
            k += assistant_item(w, turn, k);
    }
    rf_json_end(w);
}

/* The rest of the body. */

static void tools(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->tool_count)
        return;
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < p->tool_count; i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("function"));
        rf_json_str(w, "name", p->tools[i].name);
        rf_json_str_opt(w, "description", p->tools[i].description);
        rf_wire_schema(w, "parameters", &p->tools[i]);
        rf_json_bool(w, "strict", false); /* it is true by default, and refuses most schemas */
        rf_json_end(w);
    }
    rf_json_end(w);
}

/* A choice without tools is refused. */
static void tool_choice(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->tool_count)
        return;
    rf_json_str_opt(w, "tool_choice", rf_wire_choice_word(p->tool_choice, RF_STR("required")));
    if (p->tool_choice != RF_CHOICE_TOOL)
        return;
    rf_json_obj(w, "tool_choice");
    rf_json_str(w, "type", RF_STR("function"));
    rf_json_str(w, "name", p->tool_choice_name);
    rf_json_end(w);
}

static void thinking(struct rf_json *w, const struct rf_plan *p)
{
    if (p->thinking_budget && p->model->caps.thinking == RF_THINKING_EFFORT) {
        rf_json_obj(w, "reasoning");
        rf_json_str(w, "effort", rf_wire_effort(p->thinking_budget));
        rf_json_end(w);
    }
    if (p->model->caps.replay == RF_REPLAY_ENCRYPTED) { /* a model without thoughts refuses it */
        rf_json_arr(w, "include");
        rf_json_str(w, NULL, RF_STR("reasoning.encrypted_content"));
        rf_json_end(w);
    }
    rf_json_bool(w, "store", false);
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "model", p->model->name);
    if (!rf_str_blank(p->conversation->system))
        rf_json_str(w, "instructions", p->conversation->system);
    input(w, p);
    tools(w, p);
    tool_choice(w, p);
    if (p->max_tokens)
        rf_json_int(w, "max_output_tokens", p->max_tokens);
    rf_wire_sampling(w, p);
    thinking(w, p);
    if (p->stream)
        rf_json_bool(w, "stream", true);
    rf_json_end(w);
}

const struct rf_dialect rf_dialect_openai_responses = {
    .name = "openai-responses",
    .encode = encode,
    .decode = rf_openai_responses_decode,
    .framing = RF_FRAMING_SSE,
    .event = rf_openai_responses_event,
    .parse = rf_openai_responses_parse,
};
