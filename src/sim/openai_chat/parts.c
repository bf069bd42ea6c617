#include "sim/openai_chat/openai_chat.h"

#include "base/arena.h"

#include <inttypes.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char part_members[] =
    "type:s! text:s refusal:s image_url:o input_audio:o file:o document:o video_url:o "
    "prompt_cache_breakpoint:o";
static const char url_members[] = "url:s! detail:s";
static const char audio_members[] = "data:s! format:s!";
static const char file_members[] = "file_data:s file_id:s filename:s";

static bool read_text(struct rf_sim_openai *c, const struct rf_jval *part,
                      const struct rf_jpath *at)
{
    const struct rf_jval *text = rf_jval_get(part, "text");
    if (!text || text->type != RF_JSTRING)
        return rf_sim_openai_refuse(
            c, &(struct rf_jpath){ at, "text", 0 }, "missing_required_parameter",
            "Missing required parameter: 'messages[%zu].content[%zu].text'.", c->r->turn,
            at->index);
    rf_sim_openai_text(c, rf_sim_text(c->r, text));
    return true;
}

static bool read_image(struct rf_sim_openai *c, const struct rf_jval *part,
                       const struct rf_jpath *at)
{
    struct rf_jpath below = { at, "image_url", 0 }, url_at = { &below, "url", 0 },
                    detail = { &below, "detail", 0 };
    const struct rf_jval *url = rf_jval_get(part, "image_url");
    return rf_sim_openai_members(c, url, &below, url_members) &&
           rf_sim_openai_choice(c, rf_jval_get(url, "detail"), &detail, "low high auto original") &&
           rf_sim_openai_image(c, rf_sim_get(c->r, url, "url"), &url_at);
}

/* Sound only goes to models that hear; the others do not even know the type. */
static bool read_audio(struct rf_sim_openai *c, const struct rf_jval *part,
                       const struct rf_jpath *at)
{
    struct rf_jpath below = { at, "input_audio", 0 }, data_at = { &below, "data", 0 },
                    format_at = { &below, "format", 0 };
    const struct rf_jval *audio = rf_jval_get(part, "input_audio");
    struct rf_str bytes;
    const struct rf_format *format;
    if (!c->r->model->caps.takes[RF_KIND_AUDIO])
        /* source: recorded */
        return rf_sim_openai_refuse(c, at->up->up, "invalid_value",
                                    "Invalid 'messages[%zu]'. Content blocks are "
                                    "expected to be either text or image_url type.",
                                    c->r->turn);
    if (!rf_sim_openai_members(c, audio, &below, audio_members))
        return false;
    if (c->rules->families &&
        !rf_sim_openai_choice(c, rf_jval_get(audio, "format"), &format_at, "wav mp3"))
        return false;
    if (!rf_sim_decode(c->r, rf_sim_get(c->r, audio, "data"), &bytes, &format))
        return rf_sim_openai_refuse(c, &data_at, "invalid_base64",
                                    "Invalid base64 data in 'input_audio.data'.");
    if (!format || format->kind != RF_KIND_AUDIO)
        return rf_sim_openai_refuse(
            c, &data_at, "invalid_value",
            "The data provided for 'input_audio' is not of valid %s format.",
            rf_cstr(c->r->arena, rf_sim_get(c->r, audio, "format")));
    rf_sim_see_file(c->r, c->role, bytes, format, rf_str(format->mime));
    return true;
}

static bool read_file(struct rf_sim_openai *c, const struct rf_jval *part,
                      const struct rf_jpath *at)
{
    struct rf_jpath below = { at, "file", 0 }, data_at = { &below, "file_data", 0 };
    const struct rf_jval *file = rf_jval_get(part, "file");
    if (!rf_sim_openai_members(c, file, &below, file_members))
        return false;
    struct rf_str data = rf_sim_get(c->r, file, "file_data"),
                  id = rf_sim_get(c->r, file, "file_id");
    if (data.n == 0 && id.n == 0)
        return rf_sim_openai_refuse(
            c, &data_at, "missing_required_parameter",
            "Missing required parameter: 'messages[%zu].content[%zu].file.file_id'.", c->r->turn,
            at->index);
    if (id.n > 0 || (rf_sim_is_web_url(data) && c->r->model->caps.url_user & 1u << RF_KIND_PDF)) {
        rf_sim_openai_reference(c, id.n ? id : data, "application/pdf");
        return true;
    }
    bool video = c->r->model->caps.video_field == RF_VIDEO_FILE;
    unsigned kinds = 1u << RF_KIND_PDF | (video ? 1u << RF_KIND_VIDEO : 0);
    return rf_sim_openai_file(c, data, kinds, &data_at);
}

/* A proxy that wants videos as files takes a URL and drops it. */
static bool read_video(struct rf_sim_openai *c, const struct rf_jval *part,
                       const struct rf_jpath *at)
{
    struct rf_jpath below = { at, "video_url", 0 }, url_at = { &below, "url", 0 };
    const struct rf_jval *video = rf_jval_get(part, "video_url");
    if (!rf_sim_openai_members(c, video, &below, "url:s!"))
        return false;
    if (c->r->model->caps.video_field == RF_VIDEO_FILE)
        return true;
    struct rf_str url = rf_sim_get(c->r, video, "url");
    if (!rf_sim_is_web_url(url))
        return rf_sim_openai_file(c, url, 1u << RF_KIND_VIDEO, &url_at);
    rf_sim_openai_reference(c, url, "video/*");
    return true;
}

static bool skip(struct rf_sim_openai *c, const struct rf_jval *part, const struct rf_jpath *at)
{
    (void)c;
    (void)part;
    (void)at;
    return true;
}

static const struct {
    const char *type;
    bool (*read)(struct rf_sim_openai *c, const struct rf_jval *part, const struct rf_jpath *at);
    const char *roles; /* that may say it */
    bool everywhere;   /* OpenAI itself has it */
    enum rf_kind kind; /* others have it where the model takes this */
} parts[] = {
    { "text", read_text, "system user assistant tool", true, RF_KIND_UNKNOWN },
    { "refusal", skip, "assistant", true, RF_KIND_UNKNOWN },
    { "image_url", read_image, "user tool", true, RF_KIND_UNKNOWN },
    { "input_audio", read_audio, "user tool", true, RF_KIND_UNKNOWN },
    { "file", read_file, "user tool", true, RF_KIND_UNKNOWN },
    { "video_url", read_video, "user tool", false, RF_KIND_VIDEO },
    { "document", skip, "user tool", false, RF_KIND_UNKNOWN },
};

static bool refuse_type(struct rf_sim_openai *c, const struct rf_jpath *at, struct rf_str type)
{
    struct rf_jpath type_at = { at, "type", 0 };
    const char *all = rf_str_is(rf_str(c->role), "user")
                          ? "'text', 'image_url', 'input_audio', and 'file'"
                      : rf_str_is(rf_str(c->role), "assistant") ? "'text' and 'refusal'"
                                                                : "'text'";
    return rf_sim_openai_refuse(c, &type_at, "invalid_value",
                                "Invalid value: '%.*s'. Supported values are: %s.", RF_FMT(type),
                                all);
}

static bool read_part(struct rf_sim_openai *c, const struct rf_jval *part,
                      const struct rf_jpath *at)
{
    if (!rf_sim_openai_members(c, part, at, part_members))
        return false;
    struct rf_str type = rf_sim_get(c->r, part, "type");
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!rf_str_is(type, parts[i].type))
            continue;
        bool text = parts[i].read == read_text, result = c->r->result != NULL;
        if (!rf_sim_one_of(rf_str(c->role), parts[i].roles) ||
            (result && !text && !c->rules->result_parts) ||
            (!parts[i].everywhere && c->rules->families) ||
            (parts[i].kind && !c->r->model->caps.takes[parts[i].kind]))
            break;
        const struct rf_jval *value =
            text || parts[i].read == skip ? part : rf_jval_get(part, parts[i].type);
        if (!value || value->type == RF_JNULL)
            return rf_sim_openai_refuse(
                c, &(struct rf_jpath){ at, parts[i].type, 0 }, "missing_required_parameter",
                "Missing required parameter: 'messages[%zu].content[%zu].%s'.", c->r->turn,
                at->index, parts[i].type);
        return parts[i].read(c, part, at);
    }
    return refuse_type(c, at, type);
}

bool rf_sim_chat_content(struct rf_sim_openai *c, const struct rf_jval *content,
                         const struct rf_jpath *message)
{
    struct rf_jpath top = { message, "content", 0 }, item = { &top, NULL, 0 };
    if (content->type == RF_JSTRING) {
        rf_sim_openai_text(c, rf_sim_text(c->r, content));
        return true;
    }
    if (content->count == 0 && c->rules->families)
        return rf_sim_openai_refuse(
            c, &top, "empty_array",
            "Invalid 'messages[%zu].content': empty array. Expected an array with minimum "
            "length 1, but got an empty array instead.",
            c->r->turn);
    const struct rf_jval *part = rf_jval_first(content);
    for (; part; part = rf_jval_next(content, part), item.index++)
        if (!read_part(c, part, &item))
            return false;
    return true;
}
