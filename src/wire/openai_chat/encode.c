/* OpenAI Chat Completions, and everybody who speaks it with an accent.
 * https://platform.openai.com/docs/api-reference/chat (2026-11)
 *
 *     item            on the wire                                   otherwise
 *     text, JSON      a string, or a part {type: text}
 *     text file       the same, its heading before it
 *     image           part image_url {url, detail}                  uploaded: file {file_id}
 *     video           part video_url {url}, or what `video_field`   uploaded: file {file_id}
 *                     says
 *     sound           part input_audio {data, format}               by URL: refused
 *     PDF, document   part file {filename, file_data}               uploaded: file {file_id}
 *     call            tool_calls[], its arguments as a string
 *     result          message of role tool, a string                media inside: a list of parts
 *     thinking        what the fact `reasoning_field` names          none: left out
 *
 * There is no mark for a failed result: its text says so. What differs between endpoints is asked
 * of the model's facts; whether an endpoint takes a part at all was decided in the plan. Replies
 * are read in chat/reply.c. */
#include "wire/wire.h"

#include "media/media.h"

/* Content parts. */

static void file_part(struct rf_json *w, const struct rf_item *item)
{
    static const char *const written[] = { "file_id", "filename", "file_data", NULL };
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("file"));
    rf_json_obj(w, "file");
    if (item->asset->state == RF_ASSET_FILE_ID) {
        rf_wire_asset(w, "file_id", item->asset);
    } else {
        rf_json_str(w, "filename", rf_wire_filename(item, w->rope->arena));
        rf_wire_data_url(w, "file_data", item->asset);
    }
    rf_json_members(w, rf_jval_get(item->own, "file"), written);
    rf_json_end(w);
    rf_wire_end_part(w, item);
}

/* Sounds are named as their files' extensions are: "wav", "mp3", "m4a". */
static struct rf_str audio_format(struct rf_str mime)
{
    const struct rf_format *format = rf_format_by_mime(mime);
    struct rf_str type;
    if (format)
        return rf_str(format->extension);
    rf_str_split(&mime, '/', &type);
    return mime;
}

static void audio_part(struct rf_json *w, const struct rf_item *item)
{
    static const char *const written[] = { "data", "format", NULL };
    const struct rf_asset *asset = item->asset;
    if (asset->state != RF_ASSET_BYTES) {
        rf_wire_refuse(w, "a message", asset);
        return;
    }
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("input_audio"));
    rf_json_obj(w, "input_audio");
    rf_wire_asset(w, "data", asset);
    rf_json_str(w, "format", audio_format(asset->mime));
    rf_json_members(w, rf_jval_get(item->own, "input_audio"), written);
    rf_json_end(w);
    rf_wire_end_part(w, item);
}

static void media_part(struct rf_json *w, const struct rf_item *item)
{
    const struct rf_asset *asset = item->asset;
    bool uploaded = asset->state == RF_ASSET_FILE_ID;
    if (asset->kind == RF_KIND_IMAGE && !uploaded)
        rf_wire_url_part(w, "image_url", item, rf_wire_detail(asset));
    else if (asset->kind == RF_KIND_VIDEO && !uploaded)
        rf_wire_url_part(w, "video_url", item, RF_STR(""));
    else if (asset->kind == RF_KIND_AUDIO && !uploaded)
        audio_part(w, item);
    else
        file_part(w, item);
}

static void part(struct rf_json *w, const struct rf_item *item)
{
    rf_wire_content_part(w, "text", item, media_part);
}

static void video_file_part(struct rf_json *w, const struct rf_item *item)
{
    bool video = item->kind == RF_ITEM_MEDIA && item->asset->kind == RF_KIND_VIDEO;
    if (video && item->asset->state == RF_ASSET_BYTES)
        rf_wire_content_part(w, "text", item, file_part);
    else
        part(w, item);
}

/* Thoughts of earlier turns. */

/* What came with a detail and has no field: see chat/message.c. */
static void detail_extra(struct rf_json *w, const struct rf_jval *extra)
{
    static const char *const written[] = { "type", "text",      "summary", "data",
                                           "id",   "signature", NULL };
    rf_json_members(w, extra, written);
}

static void encrypted_detail(struct rf_json *w, const struct rf_thinking *t, struct rf_str data,
                             const struct rf_jval *extra)
{
    if (!data.n)
        return;
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("reasoning.encrypted"));
    rf_json_str(w, "data", data);
    rf_json_str_opt(w, "id", t->id);
    detail_extra(w, extra);
    rf_json_end(w);
}

static void text_detail(struct rf_json *w, const struct rf_thinking *t, const struct rf_jval *extra)
{
    const struct rf_jval *type = rf_jval_get(extra, "type");
    bool summary = type && rf_jval_is(type, "reasoning.summary");
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", summary ? RF_STR("reasoning.summary") : RF_STR("reasoning.text"));
    rf_json_str_opt(w, summary ? "summary" : "text", t->text);
    rf_json_str_opt(w, "signature", t->signature);
    rf_json_str_opt(w, "id", t->id);
    detail_extra(w, extra);
    rf_json_end(w);
}

void rf_completion_details(struct rf_json *w, const struct rf_thinking *t,
                           const struct rf_jval *extra)
{
    if (t->text.n || t->signature.n || (!t->redacted.n && !t->encrypted.n))
        text_detail(w, t, extra);
    encrypted_detail(w, t, t->redacted, extra);
    encrypted_detail(w, t, t->encrypted, extra);
}

static void reasoning_detail(struct rf_json *w, const struct rf_block *block)
{
    if (block->type == RF_BLOCK_OPAQUE)
        rf_json_value(w, NULL, block->value);
    else
        rf_completion_details(w, &block->thinking, rf_jval_get(block->extra, "extra"));
}

void rf_completion_thinking_block(struct rf_json *w, const struct rf_thinking *t)
{
    rf_json_obj(w, NULL);
    if (t->redacted.n) {
        rf_json_str(w, "type", RF_STR("redacted_thinking"));
        rf_json_str(w, "data", t->redacted);
    } else {
        rf_json_str(w, "type", RF_STR("thinking"));
        rf_json_str(w, "thinking", t->text);
        rf_json_str_opt(w, "signature", t->signature);
    }
    rf_json_end(w);
}

static void thinking_block(struct rf_json *w, const struct rf_block *block)
{
    rf_completion_thinking_block(w, &block->thinking);
}

static bool is_thought(const struct rf_item *item)
{
    return item->kind == RF_ITEM_THINKING;
}

static bool came_in(const struct rf_item *item, const char *field)
{
    return is_thought(item) && rf_str_is(item->block->thinking.field, field);
}

/* A detail, also one of an unknown kind. */
static bool is_detail(const struct rf_item *item)
{
    const struct rf_jval *type =
        item->kind == RF_ITEM_OPAQUE ? rf_jval_get(item->block->value, "type") : NULL;
    return came_in(item, "reasoning_details") ||
           (type && type->type == RF_JSTRING && rf_str_starts(type->raw, "reasoning."));
}

/* What is not plain text of this API's goes into its list. */
static bool is_listed(const struct rf_item *item)
{
    return is_detail(item) || (is_thought(item) && !came_in(item, "reasoning"));
}

static bool is_block(const struct rf_item *item)
{
    return came_in(item, "thinking_blocks");
}

static void thought_list(struct rf_json *w, const char *key, const struct rf_turn *turn,
                         bool (*belongs)(const struct rf_item *item),
                         void (*thought)(struct rf_json *w, const struct rf_block *block))
{
    bool open = false;
    for (size_t i = 0; i < turn->count; i++) {
        if (!belongs(&turn->items[i]))
            continue;
        if (!open)
            rf_json_arr(w, key);
        thought(w, turn->items[i].block);
        open = true;
    }
    if (open)
        rf_json_end(w);
}

static void said(struct rf_json *w, const struct rf_caps *caps, const struct rf_turn *turn)
{
    rf_completion_text(w, turn);
    switch (caps->reasoning_field) {
    case RF_REASONING_NONE:
        return;
    case RF_REASONING_CONTENT:
        rf_wire_thoughts(w, "reasoning_content", turn, NULL);
        return;
    case RF_REASONING_PLAIN:
        rf_wire_thoughts(w, "reasoning", turn, NULL);
        return;
    case RF_REASONING_DETAILS:
        rf_wire_thoughts(w, "reasoning", turn, "reasoning");
        thought_list(w, "reasoning_details", turn, is_listed, reasoning_detail);
        return;
    case RF_REASONING_BLOCKS:
        thought_list(w, "thinking_blocks", turn, is_thought, thinking_block);
        return;
    case RF_REASONING_RECEIVED:
        rf_wire_thoughts(w, "reasoning_content", turn, "reasoning_content");
        rf_wire_thoughts(w, "reasoning", turn, "reasoning");
        thought_list(w, "reasoning_details", turn, is_detail, reasoning_detail);
        thought_list(w, "thinking_blocks", turn, is_block, thinking_block);
        return;
    }
}

/* Asking for thoughts. */

static void reasoning(struct rf_json *w, const struct rf_plan *p)
{
    rf_json_obj(w, "reasoning");
    if (p->thinking_off || p->model->caps.thinking == RF_THINKING_EFFORT)
        rf_json_str(w, "effort", rf_wire_effort(p));
    else
        rf_json_int(w, "max_tokens", p->thinking_budget);
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

static void thinking(struct rf_json *w, const struct rf_plan *p)
{
    switch (p->model->caps.thinking) {
    case RF_THINKING_NONE:
    case RF_THINKING_NO:
    case RF_THINKING_ALWAYS:
        return;
    case RF_THINKING_BUDGET:
        thinking_type(w, p->thinking_off ? "disabled" : "enabled", p->thinking_budget);
        return;
    case RF_THINKING_ADAPTIVE:
        thinking_type(w, p->thinking_off ? "disabled" : "adaptive", 0);
        return;
    case RF_THINKING_SWITCH:
        thinking_type(w, p->thinking_off ? "disabled" : "enabled", 0);
        return;
    case RF_THINKING_EFFORT:
    case RF_THINKING_LEVEL:
        rf_json_str(w, "reasoning_effort", rf_wire_effort(p));
        return;
    }
}

static void stream(struct rf_json *w, const struct rf_plan *p)
{
    if (!p->stream)
        return;
    rf_json_bool(w, "stream", true);
    if (!p->model->caps.stream_usage)
        return;
    rf_json_obj(w, "stream_options");
    rf_json_bool(w, "include_usage", true);
    rf_json_end(w);
}

static void others(struct rf_json *w, const struct rf_plan *p)
{
    const char *but[] = {
        "model",
        "stream",
        "system",
        "tools",
        "functions",
        "stream_options",
        p->max_tokens ? "max_completion_tokens" : "tools",
        p->thinking_budget || p->thinking_off ? "reasoning_effort" : "tools",
        p->conversation->options.schema ? "response_format" : "tools",
        p->tool_count && (p->tool_choice != RF_CHOICE_UNSET || p->says_allowed) ? "tool_choice"
                                                                                : "tools",
        p->single_call ? "parallel_tool_calls" : "tools",
        NULL,
    };
    rf_json_members(w, p->kept, but);
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    bool video_files = p->model->caps.video_field == RF_VIDEO_FILE;
    const struct rf_completion_spelling spelling = {
        .required = RF_STR("required"),
        .part = video_files ? video_file_part : part,
        .said = said,
    };
    bool said = p->thinking_budget || p->thinking_off;
    rf_json_obj(w, NULL);
    rf_completion_body(w, p, &spelling);
    if (said && p->model->caps.reasoning_field == RF_REASONING_DETAILS)
        reasoning(w, p);
    else if (said)
        thinking(w, p);
    rf_wire_carried(w, p, NULL);
    stream(w, p);
    others(w, p);
    rf_json_end(w);
}

const struct rf_dialect rf_dialect_openai_chat = {
    .name = "openai-chat",
    .encode = encode,
    .decode = rf_completion_decode,
    .framing = RF_FRAMING_SSE,
    .event = rf_completion_event,
    .parse = rf_openai_chat_parse,
    .replies = &rf_openai_chat_replies,
};
