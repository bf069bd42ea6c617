/* Pictures and files in OpenAI's dialects: data URLs whose bytes are what they say, within the
 * limits of the model, or references that the real server would fetch. */
#include "sim/openai/openai.h"

#include "base/arena.h"

#include <inttypes.h>

#define PICTURE_EXAMPLE "data:image/png;base64,aW1nIGJ5dGVzIGhlcmU="
#define FILE_EXAMPLE "data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=="
#define FILE_PAGE "https://platform.openai.com/docs/assistants/tools/file-search#supported-files"
#define MIB (1024.0 * 1024.0)
#define MAX_PATH_SHOWN 160

void rf_sim_openai_text(struct rf_sim_openai *c, struct rf_str text)
{
    rf_sim_see(c->r, RF_SIM_TEXT, c->role)->text = text;
}

void rf_sim_openai_reference(struct rf_sim_openai *c, struct rf_str reference, const char *mime)
{
    struct rf_sim_seen *s = rf_sim_see(c->r, RF_SIM_FILE, c->role);
    s->reference = reference;
    s->mime = rf_str(mime);
}

/* Some servers take a file inside a result and show the model nothing of it. */
static bool is_shown(const struct rf_sim_openai *c, const struct rf_format *format)
{
    return !c->r->result ||
           rf_mime_in(c->r->model->caps.inside[format->kind], rf_str(format->mime));
}

static const char *shown(const struct rf_jpath *at, char *path)
{
    rf_jpath_format(at, path, MAX_PATH_SHOWN);
    return path;
}

static bool check_picture(struct rf_sim_openai *c, struct rf_str bytes,
                          const struct rf_format *format, const struct rf_jpath *at)
{
    const struct rf_caps *caps = &c->r->model->caps;
    struct rf_facts facts;
    switch (rf_sim_picture(caps, bytes, format, &facts)) {
    case RF_SIM_PICTURE_FINE:
        return true;
    case RF_SIM_PICTURE_FORMAT:
        return rf_sim_openai_refuse(
            c, at, "invalid_image_format",
            "You uploaded an unsupported image. Please make sure your image has of "
            "one the following formats: ['png', 'jpeg', 'gif', 'webp'].");
    case RF_SIM_PICTURE_BROKEN:
        return rf_sim_openai_refuse(
            c, at, "image_parse_error",
            "The image data you provided does not represent a valid image. Please "
            "check your input and try again with one of the supported image "
            "formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].");
    case RF_SIM_PICTURE_BYTES:
        return rf_sim_openai_refuse(
            c, at, "image_too_large",
            "Image size is %.1fMB, which exceeds the allowed limit of %.1fMB.",
            (double)bytes.n / MIB, (double)caps->max_image_bytes / MIB);
    case RF_SIM_PICTURE_SIDE:
        return rf_sim_openai_refuse(c, at, "image_too_large",
                                    "image exceeds the maximum of %" PRId64 " pixels",
                                    caps->max_image_side);
    case RF_SIM_PICTURE_PIXELS:
        return rf_sim_openai_refuse(c, at, "image_too_large",
                                    "image exceeds the maximum of %" PRId64 " pixels",
                                    caps->max_image_pixels);
    }
    return true;
}

static bool takes_pictures(struct rf_sim_openai *c, const struct rf_jpath *at)
{
    if (c->r->model->caps.takes[RF_KIND_IMAGE])
        return true;
    if (c->rules->words == RF_SIM_AS_GROQ)
        return rf_sim_openai_refuse(c, NULL, "", "messages[%zu].content must be a string",
                                    c->r->turn);
    return rf_sim_openai_refuse(c, at, "invalid_value",
                                "Invalid content type. image_url is only supported by "
                                "certain models.");
}

bool rf_sim_openai_image(struct rf_sim_openai *c, struct rf_str url, const struct rf_jpath *at)
{
    char path[MAX_PATH_SHOWN];
    struct rf_str mime, base64, bytes;
    const struct rf_format *format;
    if (!takes_pictures(c, at))
        return false;
    c->images++;
    if (rf_sim_is_web_url(url)) {
        if (!c->r->result || c->r->model->caps.url_inside & 1u << RF_KIND_IMAGE)
            rf_sim_openai_reference(c, url, "image/*");
        return true;
    }
    if (!rf_sim_data_url(url, &mime, &base64))
        return rf_sim_openai_refuse(
            c, at, "invalid_value",
            "Invalid '%s'. Expected a base64-encoded data URL with an image MIME type "
            "(e.g. '" PICTURE_EXAMPLE "'), but got a value without the 'data:' prefix.",
            shown(at, path));
    if (!rf_str_starts(mime, "image/"))
        return rf_sim_openai_refuse(
            c, at, "invalid_value",
            "Invalid '%s'. Expected a base64-encoded data URL with an image MIME type "
            "(e.g. '" PICTURE_EXAMPLE "'), but got unsupported MIME type '%.*s'.",
            shown(at, path), RF_FMT(mime));
    if (!rf_sim_decode(c->r, base64, &bytes, &format))
        return rf_sim_openai_refuse(c, at, "invalid_base64", "Invalid base64 image_url.");
    if (!check_picture(c, bytes, format, at))
        return false;
    if (is_shown(c, format))
        rf_sim_see_file(c->r, c->role, bytes, format, mime);
    return true;
}

/* The format that a declared type stands for, where this place takes its kind. */
static const struct rf_format *declared_format(struct rf_sim_openai *c, struct rf_str mime,
                                               unsigned kinds)
{
    const struct rf_format *format = rf_format_by_mime(mime);
    const struct rf_caps *caps = &c->r->model->caps;
    if (!format || !(kinds & 1u << format->kind) || !caps->takes[format->kind] ||
        !rf_mime_in(caps->user[format->kind], rf_str(format->mime)))
        return NULL;
    return format;
}

bool rf_sim_openai_file(struct rf_sim_openai *c, struct rf_str url, unsigned kinds,
                        const struct rf_jpath *at)
{
    char path[MAX_PATH_SHOWN];
    struct rf_str mime, base64, bytes;
    const struct rf_format *is;
    if (!rf_sim_data_url(url, &mime, &base64))
        return rf_sim_openai_refuse(
            c, at, "invalid_value",
            "Invalid file data: '%s'. Expected a base64-encoded data URL with a valid "
            "file MIME type (e.g. '" FILE_EXAMPLE "'), but got a value without the "
            "'data:' prefix.",
            shown(at, path));
    const struct rf_format *format = declared_format(c, mime, kinds);
    if (!format)
        /* source: recorded */
        return rf_sim_openai_refuse(
            c, at, "invalid_value",
            "Invalid file data: '%s'. Expected a base64-encoded data URL with a valid "
            "file MIME type (e.g. '" FILE_EXAMPLE "'), but got unsupported MIME type "
            "'%.*s'. Please see " FILE_PAGE " for supported file types.",
            shown(at, path), RF_FMT(mime));
    if (!rf_sim_decode(c->r, base64, &bytes, &is))
        return rf_sim_openai_refuse(c, at, "invalid_base64",
                                    "Invalid file data: '%s'. Expected a "
                                    "base64-encoded data URL.",
                                    shown(at, path));
    if (format->kind == RF_KIND_PDF && (!is || is->kind != RF_KIND_PDF))
        return rf_sim_openai_refuse(c, at, "invalid_file",
                                    "The file is not a valid PDF. Please check your "
                                    "input and try again.");
    int64_t most = c->r->model->caps.max_document_bytes;
    if (most && bytes.n > (uint64_t)most)
        return rf_sim_openai_refuse(c, at, "file_too_large",
                                    "The file of %zu bytes exceeds the limit of %" PRId64 " bytes",
                                    bytes.n, most);
    if (is_shown(c, format))
        rf_sim_see_file(c->r, c->role, bytes, is, mime);
    return true;
}
