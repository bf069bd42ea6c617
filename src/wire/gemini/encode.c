/* Google's generateContent, on the Gemini API and on Vertex AI.
 *
 * https://ai.google.dev/api/generate-content, as of 2026-11.
 *
 *     item                on the wire                                    the plan's fallback
 *     text, text file     text; a string in a result                     -
 *     JSON                text; itself in a result                       -
 *     image, PDF, text    inlineData, or fileData for URLs and ids; in   injected into the next
 *     document, office,   a result under functionResponse.parts          user content; its text,
 *     sound, video                                                       or a note
 *     thinking            text with `thought`, and its signature         left out
 *     call                functionCall, its signature beside it          -
 *     result              functionResponse                               -
 *
 * A result of one value is {"output": value}; of several, or with files, {"output": [...]} in
 * their order, where {"attachment": N} stands for the N-th of its `parts`, counted from 0. One
 * that failed says "error" instead of "output".
 *
 * The model's name and the wish to stream are in the URL, so the body is the same either way. It
 * refuses to decide: what a model may find in a result and which mark a call carries is the plan's.
 */
#include "wire/gemini/gemini.h"
#include "wire/gemini/parse.h"

#define FILES_BASE "https://generativelanguage.googleapis.com/v1beta/"

/* What stood beside a text or a file of the model's, in a request or in a reply. */
static const struct rf_jval *beside(const struct rf_block *block, const char *name)
{
    const struct rf_jval *extra = block ? rf_jval_get(block->extra, "extra") : NULL;
    const struct rf_jval *own = rf_jval_get(extra, "gemini");
    return rf_jval_get(own ? own : extra, name);
}

/* Requests may spell it in either way. */
static void signature(struct rf_json *w, const struct rf_block *block)
{
    const struct rf_jval *sign = beside(block, "thoughtSignature");
    if (!sign)
        sign = beside(block, "thought_signature");
    if (sign)
        rf_json_value(w, "thoughtSignature", sign);
}

/* What else its own API was told of a part; the data itself is the plan's, and so are marks. */
static void own_of_part(struct rf_json *w, const struct rf_item *item)
{
    static const char *const written[] = {
        "text",   "inlineData",       "fileData",         "functionCall",
        "manner", "functionResponse", "thoughtSignature", "thought_signature",
        NULL
    };
    rf_json_members(w, item->own, written);
}

/* The same of the object that is its data. */
static void own_of_data(struct rf_json *w, const struct rf_item *item, const char *name)
{
    rf_json_members(w, rf_jval_get(item->own, name), NULL);
}

static void text_part(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_wire_joined(w, "text", item, 1);
    signature(w, item->block);
    own_of_part(w, item);
    rf_json_end(w);
}

/* An uploaded file is named by its URI; "files/abc" and "abc" are its short forms. */
static void file_uri(struct rf_json *w, const struct rf_asset *asset)
{
    bool is_short = asset->state == RF_ASSET_FILE_ID && !rf_str_contains(asset->ref, RF_STR("://"));
    rf_json_str_open(w, "fileUri");
    if (is_short)
        rf_json_part(w, RF_STR(FILES_BASE));
    if (is_short && !rf_str_starts(asset->ref, "files/"))
        rf_json_part(w, RF_STR("files/"));
    rf_json_part(w, asset->ref);
    rf_json_str_close(w);
    rf_json_mark(w, asset);
}

static void media_data(struct rf_json *w, const struct rf_item *item)
{
    const struct rf_asset *asset = item->asset;
    switch (asset->state) {
    case RF_ASSET_BYTES:
        rf_json_obj(w, "inlineData");
        rf_json_str(w, "mimeType", asset->mime);
        rf_wire_asset(w, "data", asset);
        own_of_data(w, item, "inlineData");
        break;
    case RF_ASSET_URL:
    case RF_ASSET_FILE_ID:
        rf_json_obj(w, "fileData");
        rf_json_str_opt(w, "mimeType", asset->mime);
        file_uri(w, asset);
        own_of_data(w, item, "fileData");
        break;
    case RF_ASSET_BROKEN:
    case RF_ASSET_TOLD:
        RF_BUG("a broken file was planned to be sent");
    }
    rf_json_end(w);
}

static void media_part(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    media_data(w, item);
    own_of_part(w, item);
    rf_json_end(w);
}

/* The model's own; it may have been but a thought. */
static void answer_media_part(struct rf_json *w, const struct rf_item *item)
{
    const struct rf_jval *thought = item->own ? NULL : beside(item->block, "thought");
    rf_json_obj(w, NULL);
    media_data(w, item);
    if (thought)
        rf_json_value(w, "thought", thought);
    signature(w, item->block);
    own_of_part(w, item);
    rf_json_end(w);
}

static void thinking_part(struct rf_json *w, const struct rf_item *item)
{
    const struct rf_thinking *t = &item->block->thinking;
    rf_json_obj(w, NULL);
    rf_json_str(w, "text", t->text);
    rf_json_bool(w, "thought", true);
    rf_json_str_opt(w, "thoughtSignature", t->signature);
    own_of_part(w, item);
    rf_json_end(w);
}

static void call_part(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_obj(w, "functionCall");
    rf_json_str_opt(w, "id", item->id);
    rf_json_str(w, "name", item->name);
    rf_wire_arguments(w, "args", item->block);
    own_of_data(w, item, "functionCall");
    rf_json_end(w);
    rf_json_str_opt(w, "thoughtSignature", item->signature);
    own_of_part(w, item);
    rf_json_end(w);
}

/* One item of a result; `attachment` is the number of the next file. */
static void output_value(struct rf_json *w, const char *key, const struct rf_item *item,
                         int64_t *attachment)
{
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_TEXT_FILE:
        rf_wire_joined(w, key, item, 1);
        break;
    case RF_ITEM_JSON:
        rf_json_raw(w, key, item->text);
        break;
    case RF_ITEM_MEDIA:
        rf_json_obj(w, key);
        rf_json_int(w, "attachment", (*attachment)++);
        rf_json_end(w);
        break;
    case RF_ITEM_OPAQUE:
        rf_json_value(w, key, item->block->value);
        break;
    case RF_ITEM_THINKING:
    case RF_ITEM_CALL:
    case RF_ITEM_RESULT:
        RF_BUG("a result was planned that holds more than content");
    }
}

/* Its own client's manner, where the result is still what it was: one value, and files that nothing
 * refers to. */
static const struct rf_jval *own_manner(const struct rf_item *result)
{
    const struct rf_jval *manner = rf_jval_get(result->own, "manner");
    const struct rf_item *first = result->items;
    bool bare = manner && rf_jval_is(manner, "bare");
    for (size_t i = 1; i < result->count && manner; i++)
        manner = result->items[i].kind == RF_ITEM_MEDIA ? manner : NULL;
    return first->kind == RF_ITEM_MEDIA || (bare && !first->json_object) ? NULL : manner;
}

/* Returns how many files its items refer to, or stand beside them. */
static int64_t response(struct rf_json *w, const struct rf_item *result)
{
    const char *key = result->failed ? "error" : "output";
    const struct rf_jval *manner = own_manner(result);
    int64_t attachments = 0;
    if (manner && rf_jval_is(manner, "bare")) {
        rf_json_raw(w, "response", result->items[0].text);
        return (int64_t)result->count - 1;
    }
    rf_json_obj(w, "response");
    if (manner) {
        output_value(w, key, &result->items[0], &attachments);
        rf_json_end(w);
        return (int64_t)result->count - 1;
    }
    if (result->count == 1 && result->items[0].kind != RF_ITEM_MEDIA) {
        output_value(w, key, &result->items[0], &attachments);
    } else {
        rf_json_arr(w, key);
        for (size_t i = 0; i < result->count; i++)
            output_value(w, NULL, &result->items[i], &attachments);
        rf_json_end(w);
    }
    rf_json_end(w);
    return attachments;
}

static void result_part(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_obj(w, "functionResponse");
    rf_json_str_opt(w, "id", item->id);
    rf_json_str(w, "name", item->name);
    if (response(w, item)) {
        rf_json_arr(w, "parts");
        for (size_t i = 0; i < item->count; i++) {
            if (item->items[i].kind == RF_ITEM_MEDIA)
                media_part(w, &item->items[i]);
        }
        rf_json_end(w);
    }
    own_of_data(w, item, "functionResponse");
    rf_json_end(w);
    own_of_part(w, item);
    rf_json_end(w);
}

static void any_part(struct rf_json *w, const struct rf_item *item)
{
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_JSON:
    case RF_ITEM_TEXT_FILE:
        text_part(w, item);
        break;
    case RF_ITEM_MEDIA:
        media_part(w, item);
        break;
    case RF_ITEM_THINKING:
        thinking_part(w, item);
        break;
    case RF_ITEM_OPAQUE:
        rf_json_value(w, NULL, item->block->value);
        break;
    case RF_ITEM_CALL:
        call_part(w, item);
        break;
    case RF_ITEM_RESULT:
        result_part(w, item);
        break;
    }
}

static void contents(struct rf_json *w, const struct rf_plan *p)
{
    static const char *const written[] = { "role", "parts", NULL };
    rf_json_arr(w, "contents");
    for (size_t i = 0; i < p->turn_count; i++) {
        const struct rf_turn *turn = &p->turns[i];
        bool assistant = turn->role == RF_ROLE_ASSISTANT;
        rf_json_obj(w, NULL);
        rf_json_str(w, "role", assistant ? RF_STR("model") : RF_STR("user"));
        rf_json_arr(w, "parts");
        for (size_t j = 0; j < turn->count; j++) {
            bool own_file = assistant && turn->items[j].kind == RF_ITEM_MEDIA;
            (own_file ? answer_media_part : any_part)(w, &turn->items[j]);
        }
        rf_json_end(w);
        rf_json_members(w, turn->own, written);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void system_instruction(struct rf_json *w, struct rf_str text)
{
    if (rf_str_blank(text))
        return;
    rf_json_obj(w, "systemInstruction");
    rf_json_arr(w, "parts");
    rf_json_obj(w, NULL);
    rf_json_str(w, "text", text);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
}

static void tool_config(struct rf_json *w, const struct rf_plan *p)
{
    static const struct rf_str modes[] = {
        [RF_CHOICE_AUTO] = RF_STR_INIT("AUTO"),
        [RF_CHOICE_NONE] = RF_STR_INIT("NONE"),
        [RF_CHOICE_REQUIRED] = RF_STR_INIT("ANY"),
        [RF_CHOICE_TOOL] = RF_STR_INIT("ANY"),
    };
    if (p->tool_choice == RF_CHOICE_UNSET)
        return;
    rf_json_obj(w, "toolConfig");
    rf_json_obj(w, "functionCallingConfig");
    rf_json_str(w, "mode", modes[p->tool_choice]);
    if (p->tool_choice == RF_CHOICE_TOOL || p->says_allowed) {
        rf_json_arr(w, "allowedFunctionNames");
        for (size_t i = 0; i < p->allowed_count; i++)
            rf_json_str(w, NULL, p->allowed[i]);
        if (!p->says_allowed)
            rf_json_str(w, NULL, p->tool_choice_name);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_end(w);
}

static void functions(struct rf_json *w, const struct rf_plan *p)
{
    rf_json_obj(w, NULL);
    rf_json_arr(w, "functionDeclarations");
    for (size_t i = 0; i < p->tool_count; i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "name", p->tools[i].name);
        rf_json_str_opt(w, "description", p->tools[i].description);
        rf_gemini_parameters(w, &p->tools[i]);
        if (p->kept)
            rf_json_members(w, rf_wire_own(p->tools[i].extra, "gemini"), NULL);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_end(w);
}

static bool kept_tool_config(const struct rf_plan *p)
{
    return rf_jval_get(p->kept, "toolConfig") || rf_jval_get(p->kept, "tool_config");
}

/* A choice without functions is refused. */
static void tools(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->tool_count && !p->server_tools)
        return;
    struct rf_kept_places kept = rf_wire_kept(p->server_tools, NULL);
    rf_json_arr(w, "tools");
    if (p->tool_count) {
        rf_wire_kept_before(w, &kept);
        functions(w, p);
    }
    rf_wire_kept_rest(w, &kept);
    rf_json_end(w);
    if (p->tool_count && !kept_tool_config(p))
        tool_config(w, p);
}

/* Did its own client ask for no thoughts? */
static bool asks_for_none(const struct rf_plan *p)
{
    const struct rf_jval *kept = rf_jval_get(p->kept_options, "thinkingConfig");
    const struct rf_jval *v = rf_jval_get(kept, "includeThoughts");
    if (!v)
        v = rf_jval_get(kept, "include_thoughts");
    return v && v->type == RF_JFALSE;
}

static struct rf_str level_word(const struct rf_plan *p)
{
    struct rf_str effort = rf_wire_effort(p);
    bool three = p->model->caps.thinking == RF_THINKING_EFFORT;
    return rf_str_is(effort, "low")               ? RF_STR("LOW")
           : three && rf_str_is(effort, "medium") ? RF_STR("MEDIUM")
                                                  : RF_STR("HIGH");
}

static void thinking_config(struct rf_json *w, const struct rf_plan *p)
{
    rf_json_obj(w, "thinkingConfig");
    switch (p->model->caps.thinking) {
    case RF_THINKING_BUDGET:
        rf_json_int(w, "thinkingBudget", p->thinking_budget);
        break;
    case RF_THINKING_LEVEL:
    case RF_THINKING_EFFORT:
        rf_json_str(w, "thinkingLevel", level_word(p));
        break;
    case RF_THINKING_ADAPTIVE:
    case RF_THINKING_SWITCH:
        rf_json_int(w, "thinkingBudget", p->thinking_off ? 0 : -1);
        break;
    case RF_THINKING_NONE:
    case RF_THINKING_NO:
    case RF_THINKING_ALWAYS:
        break;
    }
    rf_json_bool(w, "includeThoughts", !p->thinking_off && !asks_for_none(p));
    rf_json_end(w);
}

/* Options that its own client gave, but for those that the plan gives. */
static void kept_options(struct rf_json *w, const struct rf_plan *p, bool thinking)
{
    const struct rf_jval *kept = p->kept_options;
    bool asked = p->conversation->options.schema || p->conversation->options.json;
    if (!kept || kept->type != RF_JOBJECT)
        return;
    for (const struct rf_jval *k = rf_jval_first(kept); k; k = rf_jval_next(kept, k + 1))
        if (!(thinking && rf_jval_is(k, "thinkingConfig")) && !(asked && rf_gemini_is_format(k)))
            rf_json_member(w, k);
}

static void generation_config(struct rf_json *w, const struct rf_plan *p)
{
    bool can = rf_caps_thinks_when_asked(&p->model->caps);
    bool thinks = (p->thinking_budget || p->thinking_off) && can;
    if (!p->max_tokens && !p->temperature && !p->top_p && !p->stop && !thinks && !p->schema &&
        !p->json && !p->kept_options && !rf_wire_carries(p, "generationConfig"))
        return;
    rf_json_obj(w, "generationConfig");
    if (p->max_tokens)
        rf_json_int(w, "maxOutputTokens", p->max_tokens);
    if (p->temperature)
        rf_json_value(w, "temperature", p->temperature);
    if (p->top_p)
        rf_json_value(w, "topP", p->top_p);
    rf_wire_carried(w, p, "generationConfig");
    if (p->stop)
        rf_json_value(w, "stopSequences", p->stop);
    if (p->schema || p->json)
        rf_json_str(w, "responseMimeType", RF_STR("application/json"));
    if (p->schema)
        rf_gemini_json_schema(w, "responseJsonSchema", p->schema);
    if (thinks)
        thinking_config(w, p);
    kept_options(w, p, thinks || !can);
    rf_json_end(w);
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    static const char *const written[] = { "model", "systemInstruction", "tools",
                                           "generationConfig", NULL };
    rf_json_obj(w, NULL);
    system_instruction(w, p->conversation->system);
    contents(w, p);
    tools(w, p);
    generation_config(w, p);
    rf_json_members(w, p->kept, written);
    rf_json_end(w);
}

const struct rf_dialect rf_dialect_gemini = {
    .name = "gemini",
    .model_in_path = "models/",
    .encode = encode,
    .decode = rf_gemini_decode,
    .framing = RF_FRAMING_SSE,
    .event = rf_gemini_event,
    .parse = rf_gemini_parse,
    .finish = rf_gemini_finish,
    .replies = &rf_gemini_replies,
};
