#include "sim/mistral/mistral.h"

#include "base/arena.h"

#include <inttypes.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MIB (1024.0 * 1024.0)

/* Refusals */

bool rf_sim_mistral_refuse(struct rf_sim_mistral *in, const char *type, const char *code,
                           const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    in->out->status = 400;
    in->out->type = rf_str(type);
    in->out->code = rf_str(code);
    in->out->message = rf_strfv(in->r->arena, fmt, ap);
    va_end(ap);
    return false;
}

/* What the validator says about a place; `param` is the place, `code` the kind. */
bool rf_sim_mistral_shape(struct rf_sim_mistral *in, const struct rf_jpath *at, const char *kind,
                          const char *message)
{
    char path[160] = "";
    rf_jpath_format(at, path, sizeof path);
    in->out->status = 422;
    in->out->type = RF_STR("invalid_request_error");
    in->out->code = rf_str(kind);
    in->out->param = rf_str_dup(in->r->arena, rf_str(path));
    in->out->message = rf_str(message);
    return false;
}

/* Parts */

static bool see_url(struct rf_sim_mistral *in, struct rf_str url, const char *mime)
{
    struct rf_sim_seen *s = rf_sim_see(in->r, RF_SIM_FILE, in->role);
    s->reference = url;
    s->mime = rf_str(mime);
    return true;
}

static bool read_image(struct rf_sim_mistral *in, struct rf_str url)
{
    const struct rf_caps *caps = &in->r->model->caps;
    struct rf_str mime, base64, bytes;
    const struct rf_format *format;
    struct rf_facts facts;
    in->images++;
    if (!caps->takes[RF_KIND_IMAGE])
        return rf_sim_mistral_refuse(in, "invalid_request_error", "3051",
                                     "Image input is not enabled for this model");
    if (rf_sim_is_web_url(url))
        return see_url(in, url, "image/*");
    if (!rf_sim_data_url(url, &mime, &base64) || !rf_sim_decode(in->r, base64, &bytes, &format))
        return rf_sim_mistral_refuse(in, "invalid_request_file", "3310",
                                     "Image url is neither a valid url nor a valid base64 data "
                                     "url");
    switch (rf_sim_picture(caps, bytes, format, &facts)) {
    case RF_SIM_PICTURE_FINE:
        rf_sim_see_file(in->r, in->role, bytes, format, mime);
        return true;
    case RF_SIM_PICTURE_FORMAT:
    case RF_SIM_PICTURE_BROKEN:
        return rf_sim_mistral_refuse(in, "invalid_request_file", "3310",
                                     "Image could not be loaded as a valid image");
    case RF_SIM_PICTURE_BYTES:
        return rf_sim_mistral_refuse(in, "invalid_request_file", "3310",
                                     "Image content must be less than %.1fMB",
                                     (double)caps->max_image_bytes / MIB);
    case RF_SIM_PICTURE_SIDE:
    case RF_SIM_PICTURE_PIXELS:
        return rf_sim_mistral_refuse(in, "invalid_request_file", "3310",
                                     "image dimensions exceed the maximum of %" PRId64 " pixels",
                                     caps->max_image_side);
    }
    return true;
}

static bool read_document(struct rf_sim_mistral *in, struct rf_str url)
{
    struct rf_str mime, base64, bytes;
    const struct rf_format *format;
    if (!in->r->model->caps.takes[RF_KIND_PDF])
        return rf_sim_mistral_refuse(in, "invalid_request_error", "3051",
                                     "Document input is not enabled for this model");
    if (rf_sim_is_web_url(url))
        return see_url(in, url, "application/pdf");
    if (!rf_sim_data_url(url, &mime, &base64) || !rf_sim_decode(in->r, base64, &bytes, &format) ||
        !format || format->kind != RF_KIND_PDF)
        return rf_sim_mistral_refuse(in, "invalid_request_file", "3310",
                                     "Document could not be loaded as a valid pdf");
    rf_sim_see_file(in->r, in->role, bytes, format, mime);
    return true;
}

static const struct {
    const char *type, *roles;
} parts[] = {
    { "text", "system user assistant tool" }, { "image_url", "user tool" },
    { "document_url", "user tool" },          { "reference", "user assistant tool" },
    { "thinking", "assistant system" },
};

/* A URL stands for itself or in an object. */
static struct rf_str url_of(struct rf_sim_mistral *in, const struct rf_jval *v)
{
    return v && v->type == RF_JOBJECT ? rf_sim_get(in->r, v, "url") : rf_sim_text(in->r, v);
}

static bool read_part(struct rf_sim_mistral *in, const struct rf_jval *part,
                      const struct rf_jpath *at)
{
    struct rf_jpath type_at = { at, "type", 0 };
    struct rf_str type = rf_sim_get(in->r, part, "type");
    size_t i = 0;
    while (i < COUNT(parts) &&
           !(rf_str_is(type, parts[i].type) && rf_sim_one_of(rf_str(in->role), parts[i].roles)))
        i++;
    if (i == COUNT(parts))
        return rf_sim_mistral_shape(
            in, &type_at, "union_tag_invalid",
            "Input tag found using 'type' does not match any of the expected tags: 'text', "
            "'image_url', 'document_url', 'reference', 'thinking'");
    const struct rf_jval *value = rf_jval_get(part, parts[i].type);
    if (!value && i < 3)
        return rf_sim_mistral_shape(in, &(struct rf_jpath){ at, parts[i].type, 0 }, "missing",
                                    "Field required");
    if (i == 0)
        rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = rf_sim_text(in->r, value);
    return i == 1 ? read_image(in, url_of(in, value))
                  : i != 2 || read_document(in, url_of(in, value));
}

bool rf_sim_mistral_content(struct rf_sim_mistral *in, const struct rf_jval *content,
                            const struct rf_jpath *message)
{
    struct rf_jpath top = { message, "content", 0 }, item = { &top, NULL, 0 };
    if (!content || content->type == RF_JNULL)
        return true;
    if (content->type == RF_JSTRING) {
        rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = rf_sim_text(in->r, content);
        return true;
    }
    const struct rf_jval *part = rf_jval_first(content);
    for (; part; part = rf_jval_next(content, part), item.index++)
        if (!read_part(in, part, &item))
            return false;
    return true;
}
