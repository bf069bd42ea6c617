/* Mistral: chat completions with documents, media in tool messages and thoughts in the content.
 * https://docs.mistral.ai/api (2026-11)
 *
 *     item            on the wire                                   otherwise
 *     text, JSON      a string, or a part {type: text}
 *     text file       the same, its heading before it
 *     image           part image_url {url}                          uploaded: file {file_id}
 *     sound           part input_audio, base64 or a URL             uploaded: file {file_id}
 *     PDF, document   part document_url, a data URL or a URL        uploaded: file {file_id}
 *     video           refused
 *     call            tool_calls[], its arguments as a string
 *     result          message of role tool with the tool's name     media inside: a list of parts
 *     thinking        part thinking of the assistant's content
 *
 * There is no mark for a failed result: its text says so. A user message may not follow a tool
 * message, and ids of calls have nine characters: both are so in the plan already. Replies are read
 * as all chat completions are: see chat/reply.c. */
#include "wire/wire.h"

static void file_part(struct rf_json *w, const struct rf_asset *asset)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("file"));
    rf_wire_asset(w, "file_id", asset);
    rf_json_end(w);
}

static void audio_part(struct rf_json *w, const struct rf_asset *asset)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("input_audio"));
    rf_wire_asset(w, "input_audio", asset);
    rf_json_end(w);
}

static void document_part(struct rf_json *w, const struct rf_asset *asset)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("document_url"));
    rf_wire_data_url(w, "document_url", asset);
    rf_json_end(w);
}

static void media_part(struct rf_json *w, const struct rf_item *item)
{
    const struct rf_asset *asset = item->asset;
    if (asset->state == RF_ASSET_FILE_ID)
        file_part(w, asset);
    else if (asset->kind == RF_KIND_IMAGE)
        rf_wire_url_part(w, "image_url", item, RF_STR(""));
    else if (asset->kind == RF_KIND_AUDIO)
        audio_part(w, asset);
    else if (asset->kind == RF_KIND_VIDEO)
        rf_wire_refuse(w, "a message", asset);
    else
        document_part(w, asset);
}

static void thinking_part(struct rf_json *w, const struct rf_thinking *t)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("thinking"));
    rf_json_arr(w, "thinking");
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", t->text);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_str_opt(w, "signature", t->signature);
    rf_json_end(w);
}

static void part(struct rf_json *w, const struct rf_item *item)
{
    rf_wire_content_part(w, "text", item, media_part);
}

/* Thoughts are content here, all of them before the text; the facts have nothing to say. */
static void said(struct rf_json *w, const struct rf_caps *caps, const struct rf_turn *turn)
{
    (void)caps;
    if (!rf_wire_count(turn, RF_ITEM_THINKING)) {
        rf_completion_text(w, turn);
        return;
    }
    rf_json_arr(w, "content");
    for (size_t i = 0; i < turn->count; i++) {
        if (turn->items[i].kind == RF_ITEM_THINKING)
            thinking_part(w, &turn->items[i].block->thinking);
    }
    if (rf_wire_any_text(turn->items, turn->count)) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("text"));
        rf_wire_paragraphs(w, "text", turn->items, turn->count);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void encode(const struct rf_plan *p, struct rf_json *w)
{
    static const struct rf_completion_spelling spelling = {
        .required = RF_STR_INIT("any"),
        .named_results = true,
        .part = part,
        .said = said,
    };
    rf_json_obj(w, NULL);
    rf_completion_body(w, p, &spelling);
    if ((p->thinking_budget || p->thinking_off) && p->model->caps.thinking == RF_THINKING_EFFORT)
        rf_json_str(w, "reasoning_effort", rf_wire_effort(p));
    rf_wire_carried(w, p, NULL);
    if (p->stream)
        rf_json_bool(w, "stream", true);
    rf_json_end(w);
}

const struct rf_dialect rf_dialect_mistral = {
    .name = "mistral",
    .encode = encode,
    .decode = rf_completion_decode,
    .framing = RF_FRAMING_SSE,
    .event = rf_completion_event,
    .parse = rf_mistral_parse,
    .replies = &rf_mistral_replies,
};
