/* Anthropic's Messages API: requests. What comes back is read in decode.c, requests of
 * others in parse.c.
 *
 * https://platform.claude.com/docs/en/api/messages, as of 2026-11.
 *
 *     item           on the wire                                   the plan's fallback
 *     text, JSON     text                                          -
 *     image          image: base64, url or file                    its words
 *     PDF            document: base64, url or file, with a title   its text, or a note
 *     text file      document: text; a text block where the        -
 *                    model's facts or a failed result want one
 *     office file    document, where the model's facts take it     its text, or a note
 *     sound, video   refused: there is no block                    a transcript, or a note
 *     thinking       thinking, redacted_thinking                   left out
 *     call           tool_use                                      -
 *     result         tool_result, is_error where it failed         -
 *
 * It refuses to decide: order, pairs, limits and what is sent at all are the plan's. Text of a
 * document is written as text and never as base64.
 */
#include "wire/answer.h"
#include "wire/aside.h"
#include "wire/wire.h"

/* Citations, context, a tool that is loaded later: what else its own API was told. Marks are the
 * plan's. */
static void own_members(struct rf_json *w, const struct rf_jval *own)
{
    static const char *const but[] = { "cache_control", NULL };
    rf_json_members(w, own, but);
}

/* How every block ends. What was said of a document stays out of the blocks that it was made of. */
static void end_block(struct rf_json *w, const struct rf_item *item)
{
    if (!rf_jval_get(item->own, "type"))
        own_members(w, item->own);
    if (item->cache)
        rf_wire_cache_control(w, item->mark);
    rf_json_end(w);
}

/* A text may stand for another block: a search result or a document of texts, of which all was
 * kept; or for what began a document of several blocks. */
static void text_block(struct rf_json *w, const struct rf_item *item)
{
    bool other = rf_jval_get(item->own, "type") && rf_jval_get(item->own, "source");
    rf_json_obj(w, NULL);
    if (other) {
        own_members(w, item->own);
    } else {
        rf_json_str(w, "type", RF_STR("text"));
        rf_wire_joined(w, "text", item, 1);
    }
    end_block(w, item);
}

static void text_source(struct rf_json *w, const struct rf_asset *asset)
{
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "media_type", RF_STR("text/plain"));
    rf_json_str_open(w, "data");
    rf_json_part_bytes(w, &asset->bytes);
    rf_json_str_close(w);
    rf_json_mark(w, asset);
}

static void base64_source(struct rf_json *w, const struct rf_asset *asset)
{
    rf_json_str(w, "type", RF_STR("base64"));
    rf_json_str(w, "media_type", asset->mime);
    rf_wire_asset(w, "data", asset);
}

static void source(struct rf_json *w, const struct rf_asset *asset)
{
    rf_json_obj(w, "source");
    switch (asset->state) {
    case RF_ASSET_BYTES:
        if (asset->kind == RF_KIND_TEXT)
            text_source(w, asset);
        else
            base64_source(w, asset);
        break;
    case RF_ASSET_URL:
        rf_json_str(w, "type", RF_STR("url"));
        rf_wire_asset(w, "url", asset);
        break;
    case RF_ASSET_FILE_ID:
        rf_json_str(w, "type", RF_STR("file"));
        rf_wire_asset(w, "file_id", asset);
        break;
    case RF_ASSET_BROKEN:
    case RF_ASSET_TOLD:
        RF_BUG("a broken file was planned to be sent");
    }
    rf_json_end(w);
}

static void image_block(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("image"));
    source(w, item->asset);
    end_block(w, item);
}

static void end_document(struct rf_json *w, const struct rf_item *item)
{
    rf_json_str_opt(w, "title", item->asset->name);
    if (!item->own)
        rf_wire_document_wishes(w, item->asset);
    end_block(w, item);
}

static void document_block(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("document"));
    source(w, item->asset);
    end_document(w, item);
}

static void media_block(struct rf_json *w, const struct rf_item *item)
{
    switch (item->asset->kind) {
    case RF_KIND_IMAGE:
        image_block(w, item);
        break;
    case RF_KIND_PDF:
    case RF_KIND_TEXT:
    case RF_KIND_OFFICE:
        document_block(w, item);
        break;
    case RF_KIND_UNKNOWN:
    case RF_KIND_AUDIO:
    case RF_KIND_VIDEO:
        rf_wire_refuse(w, "a message", item->asset);
        break;
    }
}

static void text_file_block(struct rf_json *w, const struct rf_item *item,
                            const struct rf_caps *caps)
{
    if (!caps->text_documents || item->plain) {
        struct rf_item text = *item;
        text.own = NULL; /* of the document */
        text_block(w, &text);
        return;
    }
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("document"));
    rf_json_obj(w, "source");
    text_source(w, item->asset);
    rf_json_end(w);
    end_document(w, item);
}

/* Thoughts go back exactly as they came, also those whose text was held back. */
static void thinking_block(struct rf_json *w, const struct rf_item *item)
{
    const struct rf_thinking *t = &item->block->thinking;
    rf_json_obj(w, NULL);
    if (t->redacted.n) {
        rf_json_str(w, "type", RF_STR("redacted_thinking"));
        rf_json_str(w, "data", t->redacted);
    } else {
        rf_json_str(w, "type", RF_STR("thinking"));
        rf_json_str(w, "thinking", t->text);
        rf_json_str(w, "signature", t->signature);
    }
    own_members(w, item->own);
    rf_json_end(w);
}

static void call_block(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("tool_use"));
    rf_json_str(w, "id", item->id);
    rf_json_str(w, "name", item->name);
    rf_wire_arguments(w, "input", item->block);
    end_block(w, item);
}

static void any_block(struct rf_json *w, const struct rf_item *item, const struct rf_caps *caps);

static void result_block(struct rf_json *w, const struct rf_item *item, const struct rf_caps *caps)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("tool_result"));
    rf_json_str(w, "tool_use_id", item->id);
    rf_json_arr(w, "content");
    for (size_t i = 0; i < item->count; i++)
        any_block(w, &item->items[i], caps);
    rf_json_end(w);
    if (item->failed)
        rf_json_bool(w, "is_error", true);
    end_block(w, item);
}

static void any_block(struct rf_json *w, const struct rf_item *item, const struct rf_caps *caps)
{
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_JSON:
        text_block(w, item);
        break;
    case RF_ITEM_MEDIA:
        media_block(w, item);
        break;
    case RF_ITEM_TEXT_FILE:
        text_file_block(w, item, caps);
        break;
    case RF_ITEM_THINKING:
        thinking_block(w, item);
        break;
    case RF_ITEM_OPAQUE:
        rf_json_value(w, NULL, item->block->value);
        break;
    case RF_ITEM_CALL:
        call_block(w, item);
        break;
    case RF_ITEM_RESULT:
        result_block(w, item, caps);
        break;
    }
}

static void messages(struct rf_json *w, const struct rf_plan *p)
{
    static const char *const message_members[] = { "role", "content", NULL };
    rf_json_arr(w, "messages");
    for (size_t i = 0; i < p->turn_count; i++) {
        const struct rf_turn *turn = &p->turns[i];
        bool assistant = turn->role == RF_ROLE_ASSISTANT;
        rf_json_obj(w, NULL);
        rf_json_str(w, "role", assistant ? RF_STR("assistant") : rf_wire_speaker(turn));
        rf_json_arr(w, "content");
        for (size_t j = 0; j < turn->count; j++)
            any_block(w, &turn->items[j], &p->model->caps);
        rf_json_end(w);
        rf_json_members(w, turn->own, message_members);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void tool_choice(struct rf_json *w, const struct rf_plan *p)
{
    static const struct rf_str words[] = {
        [RF_CHOICE_UNSET] = RF_STR_INIT("auto"), [RF_CHOICE_AUTO] = RF_STR_INIT("auto"),
        [RF_CHOICE_NONE] = RF_STR_INIT("none"),  [RF_CHOICE_REQUIRED] = RF_STR_INIT("any"),
        [RF_CHOICE_TOOL] = RF_STR_INIT("tool"),
    };
    if ((p->tool_choice == RF_CHOICE_UNSET && !p->single_call) || !p->tool_count)
        return;
    rf_json_obj(w, "tool_choice");
    rf_json_str(w, "type", words[p->tool_choice]);
    if (p->tool_choice == RF_CHOICE_TOOL)
        rf_json_str(w, "name", p->tool_choice_name);
    if (p->single_call)
        rf_json_bool(w, "disable_parallel_tool_use", true);
    rf_json_end(w);
}

/* A choice without tools is refused. */
static void tools(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->tool_count && !p->server_tools)
        return;
    struct rf_kept_places kept = rf_wire_kept(p->server_tools, NULL);
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < p->tool_count; i++) {
        rf_wire_kept_before(w, &kept);
        rf_json_obj(w, NULL);
        rf_json_str(w, "name", p->tools[i].name);
        rf_json_str_opt(w, "description", p->tools[i].description);
        rf_wire_schema(w, "input_schema", &p->tools[i]);
        if (rf_answer_is_strict_tool(p, &p->tools[i], w->rope->arena))
            rf_json_bool(w, "strict", true);
        own_members(w, p->kept ? rf_wire_own(p->tools[i].extra, "anthropic") : NULL);
        if (p->marks && p->marks[i])
            rf_wire_cache_control(w, p->marks[i]);
        rf_json_end(w);
    }
    rf_wire_kept_rest(w, &kept);
    rf_json_end(w);
    tool_choice(w, p);
}

static enum rf_thinking_style style_of(const struct rf_plan *p)
{
    return p->thinking_adaptive ? RF_THINKING_ADAPTIVE : p->model->caps.thinking;
}

/* A budget is a number of its own; other styles have an effort. */
static bool has_effort(const struct rf_plan *p)
{
    return p->thinking_level.n && style_of(p) != RF_THINKING_BUDGET;
}

/* Does its own client's word stay? It does where it asks for as much; and beside a budget, where it
 * is about the answer unless it is the most. */
static bool keeps_effort(const struct rf_plan *p, const struct rf_jval *effort, struct rf_arena *a)
{
    const struct rf_options *o = &p->conversation->options;
    bool beside = o->thinking_budget && !o->thinking_level.n;
    if (!effort || effort->type != RF_JSTRING)
        return false;
    struct rf_str word = rf_jval_text(effort, a);
    return rf_wire_same_effort(p, word) || (beside && !rf_aside_is_most(word));
}

static void output_config(struct rf_json *w, const struct rf_plan *p)
{
    const struct rf_jval *kept = rf_jval_get(p->kept, "output_config");
    bool effort = has_effort(p) && !keeps_effort(p, rf_jval_get(kept, "effort"), w->rope->arena);
    const char *format = p->conversation->options.schema ? "format" : NULL;
    const char *but[] = { effort ? "effort" : format, format, NULL };
    if (!kept && !effort && !p->schema)
        return;
    rf_json_obj(w, "output_config");
    if (effort)
        rf_json_str(w, "effort", p->thinking_level);
    if (p->schema) {
        rf_json_obj(w, "format");
        rf_json_str(w, "type", RF_STR("json_schema"));
        rf_answer_closed(w, "schema", p->schema);
        rf_json_end(w);
    }
    rf_json_members(w, kept, but);
    rf_json_end(w);
}

/* What else its own client said of thinking: how it is shown. */
static void own_thinking(struct rf_json *w, const struct rf_plan *p)
{
    static const char *const but[] = { "type", "budget_tokens", "level", "off", NULL };
    if (p->kept)
        rf_json_members(w, p->conversation->options.thinking, but);
}

static void thinking(struct rf_json *w, const struct rf_plan *p)
{
    if (p->thinking_off) {
        rf_json_obj(w, "thinking");
        rf_json_str(w, "type", RF_STR("disabled"));
        rf_json_end(w);
    }
    if (!p->thinking_budget)
        return;
    switch (style_of(p)) {
    case RF_THINKING_NONE:
    case RF_THINKING_NO:
    case RF_THINKING_ALWAYS:
        return;
    case RF_THINKING_BUDGET:
        rf_json_obj(w, "thinking");
        rf_json_str(w, "type", RF_STR("enabled"));
        rf_json_int(w, "budget_tokens", p->thinking_budget);
        break;
    case RF_THINKING_ADAPTIVE:
    case RF_THINKING_EFFORT:
    case RF_THINKING_LEVEL:
    case RF_THINKING_SWITCH:
        rf_json_obj(w, "thinking");
        rf_json_str(w, "type", RF_STR("adaptive"));
        break;
    }
    own_thinking(w, p);
    rf_json_end(w);
}

static void options(struct rf_json *w, const struct rf_plan *p)
{
    thinking(w, p);
    output_config(w, p);
    if (p->stop)
        rf_json_value(w, "stop_sequences", p->stop);
    rf_wire_sampling(w, p);
    rf_wire_carried(w, p, NULL);
    if (p->stream)
        rf_json_bool(w, "stream", true);
}

/* A string, or a list of texts where one carries a mark. */
static void system_prompt(struct rf_json *w, const struct rf_plan *p)
{
    struct rf_str system = p->conversation->system;
    if (p->prompt_count)
        rf_wire_prompts(w, "system", p);
    else if (!rf_str_blank(system))
        rf_json_str(w, "system", system);
}

static void others(struct rf_json *w, const struct rf_plan *p)
{
    const char *but[] = {
        "model",
        "max_tokens",
        "output_config",
        "stream",
        "system",
        "system_messages",
        "tools",
        p->tool_count && (p->tool_choice != RF_CHOICE_UNSET || p->single_call) ? "tool_choice"
                                                                               : "tools",
        p->thinking_budget || p->thinking_off ? "thinking" : "tools",
        p->model->caps.sampling ? "tools" : "top_k",
        NULL,
    };
    rf_json_members(w, p->kept, but);
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "model", p->model->name);
    if (p->max_tokens)
        rf_json_int(w, "max_tokens", p->max_tokens);
    system_prompt(w, p);
    messages(w, p);
    tools(w, p);
    options(w, p);
    others(w, p);
    rf_json_end(w);
}

const struct rf_dialect rf_dialect_anthropic = {
    .name = "anthropic",
    .encode = encode,
    .decode = rf_anthropic_decode,
    .framing = RF_FRAMING_SSE,
    .event = rf_anthropic_event,
    .parse = rf_anthropic_parse,
    .replies = &rf_anthropic_replies,
};
