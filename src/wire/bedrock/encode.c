/* Amazon Bedrock's Converse API: its requests. decode.c reads what comes back.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, as of 2026-11.
 *
 *     item              on the wire                                    the plan's fallback
 *     text, text file   text                                           -
 *     JSON              json, where it is an object inside a result;   -
 *                       otherwise text
 *     image             image: bytes or s3Location                     injected; its words
 *     PDF, office,      document: the same, under a neutral name       injected; its text, or a
 *     text document                                                    note
 *     video             video: the same                                injected; a note
 *     sound             audio: the same                                a transcript, or a note
 *     thinking          reasoningContent                               left out
 *     call              toolUse                                        -
 *     result            toolResult, status where the model takes one   -
 *
 * The model's name and the wish to stream are in the URL, so the body is the same either way. A
 * tool choice of "none" has no word here and is left out. It refuses to decide, to invent a text
 * beside a lone document, and to send a format that the API has no name for.
 */
#include "wire/answer.h"
#include "wire/aside.h"
#include "wire/bedrock/bedrock.h"

/* The formats that the API knows, and what it calls those that it does not call as their files'
 * names end. */
static const struct known {
    enum rf_format_id id;
    const char *name;
} formats[] = {
    { RF_FORMAT_PNG, NULL },      { RF_FORMAT_JPEG, "jpeg" }, { RF_FORMAT_GIF, NULL },
    { RF_FORMAT_WEBP, NULL },     { RF_FORMAT_PDF, NULL },    { RF_FORMAT_CSV, NULL },
    { RF_FORMAT_DOC, NULL },      { RF_FORMAT_DOCX, NULL },   { RF_FORMAT_XLS, NULL },
    { RF_FORMAT_XLSX, NULL },     { RF_FORMAT_HTML, NULL },   { RF_FORMAT_TEXT, NULL },
    { RF_FORMAT_MARKDOWN, NULL }, { RF_FORMAT_MP4, NULL },    { RF_FORMAT_MOV, NULL },
    { RF_FORMAT_MKV, NULL },      { RF_FORMAT_WEBM, NULL },   { RF_FORMAT_FLV, NULL },
    { RF_FORMAT_MPEG, NULL },     { RF_FORMAT_WMV, NULL },    { RF_FORMAT_3GP, "three_gp" },
    { RF_FORMAT_MP3, NULL },      { RF_FORMAT_OPUS, NULL },   { RF_FORMAT_WAV, NULL },
    { RF_FORMAT_AAC, NULL },      { RF_FORMAT_FLAC, NULL },   { RF_FORMAT_OGG, NULL },
    { RF_FORMAT_M4A, NULL },      { RF_FORMAT_MKA, NULL },    { RF_FORMAT_WEBM_AUDIO, "webm" },
};
#define FORMATS (sizeof formats / sizeof *formats)

/* The formats that are named twice, or for a kind of file that the table has under another name. */
static const struct {
    enum rf_block_type type;
    const char *format;
    struct rf_str mime;
} other_names[] = {
    { RF_BLOCK_VIDEO, "mpg", RF_STR_INIT("video/mpeg") },
    { RF_BLOCK_AUDIO, "mp4", RF_STR_INIT("audio/mp4") },
    { RF_BLOCK_AUDIO, "mkv", RF_STR_INIT("audio/x-matroska") },
    { RF_BLOCK_AUDIO, "mpeg", RF_STR_INIT("audio/mpeg") },
    { RF_BLOCK_AUDIO, "mpga", RF_STR_INIT("audio/mpeg") },
    { RF_BLOCK_AUDIO, "x-aac", RF_STR_INIT("audio/aac") },
    { RF_BLOCK_AUDIO, "pcm", RF_STR_INIT("audio/pcm") },
};

static const char *name_of(const struct known *k)
{
    return k->name ? k->name : rf_format_of(k->id)->extension;
}

struct rf_str rf_bedrock_mime(enum rf_block_type type, struct rf_str format)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const struct rf_format *f = rf_format_of(formats[i].id);
        if (rf_str_is(format, name_of(&formats[i])) && rf_block_type_for(f->kind) == type)
            return rf_str(f->mime);
    }
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (type == other_names[i].type && rf_str_is(format, other_names[i].format))
            return other_names[i].mime;
    return (struct rf_str){ 0 };
}

/* The API's name for a file's format; empty where it has none. Text of any other sort is txt. */
static struct rf_str format_of(const struct rf_asset *asset)
{
    const struct rf_format *f = rf_format_by_mime(asset->mime);
    for (size_t i = 0; f && i < FORMATS; i++)
        if (formats[i].id == f->id)
            return rf_str(name_of(&formats[i]));
    return asset->kind == RF_KIND_TEXT ? RF_STR("txt") : (struct rf_str){ 0 };
}

static void text_block(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_wire_joined(w, "text", item, 1);
    rf_json_end(w);
}

static void json_block(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_raw(w, "json", item->text);
    rf_json_end(w);
}

static void source(struct rf_json *w, const struct rf_asset *asset)
{
    rf_json_obj(w, "source");
    switch (asset->state) {
    case RF_ASSET_BYTES:
        rf_wire_asset(w, "bytes", asset);
        break;
    case RF_ASSET_URL:
        rf_json_obj(w, "s3Location");
        rf_wire_asset(w, "uri", asset);
        rf_json_end(w);
        break;
    case RF_ASSET_FILE_ID:
        rf_wire_refuse(w, "a message", asset);
        break;
    case RF_ASSET_BROKEN:
    case RF_ASSET_TOLD:
        RF_BUG("a broken file was planned to be sent");
    }
    rf_json_end(w);
}

/* `name` is for documents and empty for the rest. */
static void file_block(struct rf_json *w, const char *member, const struct rf_asset *asset,
                       struct rf_str name, const struct rf_caps *caps)
{
    struct rf_str format = format_of(asset);
    if (!format.n)
        rf_wire_refuse(w, "a message", asset);
    rf_json_obj(w, NULL);
    rf_json_obj(w, member);
    rf_json_str(w, "format", format);
    rf_json_str_opt(w, "name", name);
    source(w, asset);
    if (name.n && caps->document_wishes)
        rf_wire_document_wishes(w, asset);
    rf_json_end(w);
    rf_json_end(w);
}

static void media_block(struct rf_json *w, const struct rf_item *item, const struct rf_caps *caps)
{
    const struct rf_str none = { 0 };
    switch (item->asset->kind) {
    case RF_KIND_IMAGE:
        file_block(w, "image", item->asset, none, caps);
        break;
    case RF_KIND_UNKNOWN:
    case RF_KIND_PDF:
    case RF_KIND_TEXT:
    case RF_KIND_OFFICE:
        file_block(w, "document", item->asset, item->label, caps);
        break;
    case RF_KIND_AUDIO:
        file_block(w, "audio", item->asset, none, caps);
        break;
    case RF_KIND_VIDEO:
        file_block(w, "video", item->asset, none, caps);
        break;
    }
}

static void thinking_block(struct rf_json *w, const struct rf_thinking *t)
{
    rf_json_obj(w, NULL);
    rf_json_obj(w, "reasoningContent");
    if (t->redacted.n) {
        rf_json_str(w, "redactedContent", t->redacted);
    } else {
        rf_json_obj(w, "reasoningText");
        rf_json_str(w, "text", t->text);
        rf_json_str_opt(w, "signature", t->signature);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_end(w);
}

static void call_block(struct rf_json *w, const struct rf_item *item)
{
    rf_json_obj(w, NULL);
    rf_json_obj(w, "toolUse");
    rf_json_str(w, "toolUseId", item->id);
    rf_json_str(w, "name", item->name);
    rf_wire_arguments(w, "input", item->block);
    rf_json_end(w);
    rf_json_end(w);
}

static void any_block(struct rf_json *w, const struct rf_item *item, const struct rf_caps *caps);

static void result_block(struct rf_json *w, const struct rf_item *item, const struct rf_caps *caps)
{
    rf_json_obj(w, NULL);
    rf_json_obj(w, "toolResult");
    rf_json_str(w, "toolUseId", item->id);
    rf_json_arr(w, "content");
    for (size_t i = 0; i < item->count; i++) {
        if (item->items[i].kind == RF_ITEM_JSON && item->items[i].json_object)
            json_block(w, &item->items[i]);
        else
            any_block(w, &item->items[i], caps);
    }
    rf_json_end(w);
    if (caps->result_status)
        rf_json_str(w, "status", item->failed ? RF_STR("error") : RF_STR("success"));
    rf_json_end(w);
    rf_json_end(w);
}

static void any_block(struct rf_json *w, const struct rf_item *item, const struct rf_caps *caps)
{
    switch (item->kind) {
    case RF_ITEM_TEXT:
    case RF_ITEM_JSON:
    case RF_ITEM_TEXT_FILE:
        text_block(w, item);
        break;
    case RF_ITEM_MEDIA:
        media_block(w, item, caps);
        break;
    case RF_ITEM_THINKING:
        thinking_block(w, &item->block->thinking);
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

/* A mark is a block of its own, after what it marks. */
static void cache_mark(struct rf_json *w, const struct rf_jval *mark)
{
    rf_json_obj(w, NULL);
    rf_json_obj(w, "cachePoint");
    rf_json_str(w, "type", RF_STR("default"));
    if (rf_jval_get(mark, "ttl"))
        rf_json_value(w, "ttl", rf_jval_get(mark, "ttl"));
    rf_json_end(w);
    rf_json_end(w);
}

static void messages(struct rf_json *w, const struct rf_plan *p)
{
    rf_json_arr(w, "messages");
    for (size_t i = 0; i < p->turn_count; i++) {
        const struct rf_turn *turn = &p->turns[i];
        bool assistant = turn->role == RF_ROLE_ASSISTANT;
        rf_json_obj(w, NULL);
        rf_json_str(w, "role", assistant ? RF_STR("assistant") : rf_wire_speaker(turn));
        rf_json_arr(w, "content");
        for (size_t j = 0; j < turn->count; j++) {
            any_block(w, &turn->items[j], &p->model->caps);
            if (turn->items[j].cache)
                cache_mark(w, turn->items[j].mark);
        }
        rf_json_end(w);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void system_prompt(struct rf_json *w, const struct rf_plan *p)
{
    const struct rf_plan_prompt whole = { .text = p->conversation->system };
    const struct rf_plan_prompt *pieces = p->prompt_count ? p->prompts : &whole;
    size_t count = p->prompt_count ? p->prompt_count : 1;
    if (rf_str_blank(p->conversation->system))
        return;
    rf_json_arr(w, "system");
    for (size_t i = 0; i < count; i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "text", pieces[i].text);
        rf_json_end(w);
        if (pieces[i].mark)
            cache_mark(w, pieces[i].mark);
    }
    rf_json_end(w);
}

static void inference_config(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->max_tokens && !p->temperature && !p->top_p && !p->stop)
        return;
    rf_json_obj(w, "inferenceConfig");
    if (p->max_tokens)
        rf_json_int(w, "maxTokens", p->max_tokens);
    if (p->temperature)
        rf_json_value(w, "temperature", p->temperature);
    if (p->top_p)
        rf_json_value(w, "topP", p->top_p);
    if (p->stop)
        rf_json_value(w, "stopSequences", p->stop);
    rf_json_end(w);
}

static void tool_spec(struct rf_json *w, const struct rf_tool *tool)
{
    rf_json_obj(w, NULL);
    rf_json_obj(w, "toolSpec");
    rf_json_str(w, "name", tool->name);
    rf_json_str_opt(w, "description", tool->description);
    rf_json_obj(w, "inputSchema");
    rf_wire_schema(w, "json", tool);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
}

static void tool_choice(struct rf_json *w, const struct rf_plan *p)
{
    static const char *const members[] = {
        [RF_CHOICE_AUTO] = "auto",
        [RF_CHOICE_REQUIRED] = "any",
        [RF_CHOICE_TOOL] = "tool",
    };
    if (p->tool_choice == RF_CHOICE_UNSET || p->tool_choice == RF_CHOICE_NONE || !p->tool_count)
        return;
    rf_json_obj(w, "toolChoice");
    rf_json_obj(w, members[p->tool_choice]);
    if (p->tool_choice == RF_CHOICE_TOOL)
        rf_json_str(w, "name", p->tool_choice_name);
    rf_json_end(w);
    rf_json_end(w);
}

static void tool_config(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->tool_count && !p->server_tools)
        return;
    rf_json_obj(w, "toolConfig");
    rf_json_arr(w, "tools");
    struct rf_kept_places kept = rf_wire_kept(p->server_tools, NULL);
    for (size_t i = 0; i < p->tool_count; i++) {
        rf_wire_kept_before(w, &kept);
        tool_spec(w, &p->tools[i]);
        if (p->marks && p->marks[i])
            cache_mark(w, p->marks[i]);
    }
    rf_wire_kept_rest(w, &kept);
    rf_json_end(w);
    tool_choice(w, p);
    rf_json_end(w);
}

/* The schema is a string there. */
static void text_format(struct rf_json *w, const struct rf_plan *p)
{
    const struct rf_jval *config = rf_jval_get(p->kept, "outputConfig");
    const struct rf_jval *structure = rf_jval_get(rf_jval_get(config, "textFormat"), "structure");
    const struct rf_jval *kept = rf_jval_get(structure, "jsonSchema");
    static const char *const but[] = { "schema", NULL };
    struct rf_rope rope;
    struct rf_json schema;
    rf_rope_init(&rope, w->rope->arena);
    rf_json_init(&schema, &rope);
    rf_answer_closed(&schema, NULL, p->schema);
    rf_json_obj(w, "textFormat");
    rf_json_str(w, "type", RF_STR("json_schema"));
    rf_json_obj(w, "structure");
    rf_json_obj(w, "jsonSchema");
    if (!rf_jval_get(kept, "name"))
        rf_json_str(w, "name", rf_answer_name(p));
    rf_json_str_open(w, "schema");
    rf_json_part_value(w, rf_aside_made(&schema, w->rope->arena));
    rf_json_str_close(w);
    rf_json_members(w, kept, but);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
}

static void output_config(struct rf_json *w, const struct rf_plan *p)
{
    const struct rf_jval *kept = rf_jval_get(p->kept, "outputConfig");
    bool asked = p->conversation->options.schema;
    const char *but[] = { asked ? "textFormat" : NULL, NULL };
    if (!p->schema && !kept)
        return;
    rf_json_obj(w, "outputConfig");
    if (p->schema)
        text_format(w, p);
    rf_json_members(w, kept, but);
    rf_json_end(w);
}

static void thinking_type(struct rf_json *w, const char *type, int64_t budget_tokens)
{
    rf_json_obj(w, "thinking");
    rf_json_str(w, "type", rf_str(type));
    if (budget_tokens)
        rf_json_int(w, "budget_tokens", budget_tokens);
    rf_json_end(w);
}

#define MORE_FIELDS "additionalModelRequestFields"

/* The field is each model maker's own, passed through by Bedrock. */
static void thinking(struct rf_json *w, const struct rf_plan *p)
{
    bool said = p->thinking_budget || p->thinking_off;
    enum rf_thinking_style style = said ? p->model->caps.thinking : RF_THINKING_NONE;
    const struct rf_jval *kept = rf_jval_get(p->kept, MORE_FIELDS);
    if (style == RF_THINKING_NONE && !kept && !rf_wire_carries(p, MORE_FIELDS))
        return;
    rf_json_obj(w, MORE_FIELDS);
    rf_json_members(w, kept, NULL);
    rf_wire_carried(w, p, MORE_FIELDS);
    switch (style) {
    case RF_THINKING_BUDGET:
        thinking_type(w, p->thinking_off ? "disabled" : "enabled", p->thinking_budget);
        break;
    case RF_THINKING_ADAPTIVE:
    case RF_THINKING_SWITCH:
        thinking_type(w, p->thinking_off ? "disabled" : "adaptive", 0);
        break;
    case RF_THINKING_EFFORT:
    case RF_THINKING_LEVEL:
        rf_json_str(w, "reasoning_effort", rf_wire_effort(p));
        break;
    case RF_THINKING_NONE:
    case RF_THINKING_NO:
    case RF_THINKING_ALWAYS:
        break;
    }
    rf_json_end(w);
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    static const char *const written[] = {
        "additionalModelRequestFields",
        "messages",
        "modelId",
        "outputConfig",
        "system",
        "toolConfig",
        "tools",
        NULL,
    };
    rf_json_obj(w, NULL);
    system_prompt(w, p);
    messages(w, p);
    inference_config(w, p);
    tool_config(w, p);
    thinking(w, p);
    output_config(w, p);
    rf_json_members(w, p->kept, written);
    rf_json_end(w);
}

const struct rf_dialect rf_dialect_bedrock = {
    .name = "bedrock",
    .encode = encode,
    .decode = rf_bedrock_decode,
    .framing = RF_FRAMING_AWS,
    .event = rf_bedrock_event,
    .parse = rf_bedrock_parse,
    .replies = &rf_bedrock_replies,
};
