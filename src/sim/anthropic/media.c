/* Pictures and documents of Anthropic's requests: what they claim is checked against their bytes
 * and against what the model takes. */
#include "base/arena.h"
#include "sim/anthropic/anthropic.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* A file's source under check. */
struct media {
    struct rf_sim_messages *c;
    const struct rf_jval *source;
    const struct rf_jpath *at; /* of the source, with its tag */
    const char *role;
    bool picture;
};

static struct rf_sim_seen *see(const struct media *m)
{
    return rf_sim_see(m->c->r, RF_SIM_FILE, m->role);
}

static struct rf_str get(const struct media *m, const char *name)
{
    return rf_sim_get(m->c->r, m->source, name);
}

/* Bytes of base64, and what they are. */
static bool decode(const struct media *m, struct rf_str *bytes, const struct rf_format **format)
{
    struct rf_str data = get(m, "data");
    const struct rf_jpath data_at = { .up = m->at, .field = "data" };
    if (data.n == 0)
        return rf_sim_bad(m->c, &data_at, "String should have at least 1 character");
    if (!rf_sim_decode(m->c->r, data, bytes, format))
        return rf_sim_bad(m->c, m->at, "invalid base64 data");
    return true;
}

static bool check_sides(const struct media *m, const struct rf_jpath *data_at,
                        const struct rf_facts *facts)
{
    const struct rf_caps *caps = &m->c->r->model->caps;
    int64_t side = facts->width > facts->height ? facts->width : facts->height;
    if (caps->max_image_side > 0 && side > caps->max_image_side)
        return rf_sim_bad(
            m->c, data_at,
            "At least one of the image dimensions exceed max allowed size: %jd pixels",
            (intmax_t)caps->max_image_side);
    if (caps->many_image_side > 0 && side > caps->many_image_side && !m->c->wide) {
        m->c->wide = true;
        m->c->wide_at = rf_sim_place_words(m->c->r->arena, data_at);
    }
    return true;
}

static bool take_picture(const struct media *m)
{
    struct rf_sim_messages *c = m->c;
    const struct rf_jpath data_at = { .up = m->at, .field = "data" };
    const struct rf_jpath type_at = { .up = m->at, .field = "media_type" };
    struct rf_str mime = get(m, "media_type"), bytes;
    size_t length = get(m, "data").n;
    int64_t most = c->r->model->caps.max_image_base64;
    const struct rf_format *format;
    struct rf_facts facts;
    if (!rf_sim_one_of(mime, "image/jpeg image/png image/gif image/webp"))
        return rf_sim_bad(c, &type_at,
                          "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'");
    if (!decode(m, &bytes, &format))
        return false;
    if (most > 0 && length > (size_t)most)
        return rf_sim_bad(c, m->at, "image exceeds %jd MB maximum: %zu bytes > %jd bytes",
                          (intmax_t)(most >> 20), length, (intmax_t)most);
    if (!format ||
        !rf_sim_one_of(rf_str(format->mime), "image/jpeg image/png image/gif image/webp"))
        /* source: recorded */
        return rf_sim_bad(c, &data_at, "The file format is invalid or unsupported");
    if (!rf_str_is(mime, format->mime))
        return rf_sim_bad(
            c, m->at,
            "The image was specified using the %s media type, but the image appears to "
            "be a %s image",
            rf_cstr(c->r->arena, mime), format->mime);
    if (!rf_sim_facts(bytes, format, &facts))
        return rf_sim_bad(c, &data_at, "Could not process image");
    if (!check_sides(m, &data_at, &facts))
        return false;
    c->images++;
    rf_sim_see_file(c->r, m->role, bytes, format, mime);
    return true;
}

/* Pages as their objects say it in plain bytes; those in compressed streams count as one. */
static int64_t count_pages(struct rf_str pdf)
{
    static const char page[] = "/Type/Page", spaced[] = "/Type /Page";
    int64_t pages = 0;
    for (const char *p = pdf.p, *end = pdf.p + pdf.n; p; p = p ? p + 1 : NULL) {
        p = memmem(p, (size_t)(end - p), "/Type", 5);
        size_t left = p ? (size_t)(end - p) : 0;
        size_t n = left > 11 && memcmp(p, spaced, 11) == 0 ? 11
                   : left > 10 && memcmp(p, page, 10) == 0 ? 10
                                                           : 0;
        pages += n > 0 && p[n] != 's';
    }
    return pages > 0 ? pages : 1;
}

static bool take_pdf(const struct media *m, const struct rf_jpath *block)
{
    struct rf_sim_messages *c = m->c;
    const struct rf_jpath type_at = { .up = m->at, .field = "media_type" };
    /* That server names the document's kind here, and not its tag. */
    const struct rf_jpath kind = { .up = block->up, .field = "pdf" };
    const struct rf_jpath source = { .up = &kind, .field = "source" };
    const struct rf_jpath tag = { .up = &source, .field = "base64" };
    const struct rf_jpath at = { .up = &tag, .field = "data" };
    struct rf_str mime = get(m, "media_type"), bytes;
    int64_t most = c->r->model->caps.max_pdf_pages;
    const struct rf_format *format;
    struct rf_facts facts;
    if (!rf_str_is(mime, "application/pdf"))
        return rf_sim_bad(c, &type_at, "Input should be 'application/pdf'");
    if (!decode(m, &bytes, &format))
        return false;
    if (!format || format->kind != RF_KIND_PDF || !rf_sim_facts(bytes, format, &facts))
        return rf_sim_bad(c, &at, "The PDF specified was not valid.");
    if (facts.encrypted)
        return rf_sim_bad(c, &at, "The PDF specified is password protected.");
    c->pages += count_pages(bytes);
    if (most > 0 && c->pages > most)
        return rf_sim_bad(c, &at, "A maximum of %jd PDF pages may be provided.", (intmax_t)most);
    rf_sim_see_file(c->r, m->role, bytes, format, mime);
    return true;
}

static bool take_plain(const struct media *m)
{
    const struct rf_jpath type_at = { .up = m->at, .field = "media_type" };
    const struct rf_jpath data_at = { .up = m->at, .field = "data" };
    struct rf_str data = get(m, "data");
    if (!rf_str_is(get(m, "media_type"), "text/plain"))
        return rf_sim_bad(m->c, &type_at, "Input should be 'text/plain'");
    if (rf_str_blank(data))
        return rf_sim_bad(m->c, &data_at, "String should have at least 1 character");
    rf_sim_see_file(m->c->r, m->role, data, NULL, RF_STR("text/plain"));
    return true;
}

static bool take_content(const struct media *m)
{
    const struct rf_jpath at = { .up = m->at, .field = "content" };
    const struct rf_jval *content = rf_jval_get(m->source, "content");
    if (content->type == RF_JARRAY)
        return rf_sim_blocks(m->c, &at, content, RF_SIM_IN_DOCUMENT);
    rf_sim_see_file(m->c->r, m->role, rf_jval_text(content, m->c->r->arena), NULL,
                    RF_STR("text/plain"));
    return true;
}

static bool take_url(const struct media *m)
{
    const struct rf_jpath at = { .up = m->at, .field = "url" };
    struct rf_str url = get(m, "url");
    const struct rf_format *named = rf_format_by_name(url);
    const char *takes =
        m->picture ? "image/jpeg image/png image/gif image/webp" : "application/pdf";
    if (!rf_sim_is_web_url(url))
        return rf_sim_bad(m->c, &at, "Only HTTPS URLs are supported.");
    /* Nothing is fetched here; a name that says what it is gets the answer that its bytes would. */
    if (named && !rf_sim_one_of(rf_str(named->mime), takes))
        /* source: recorded */
        return rf_sim_bad(m->c, m->at, "The file format is invalid or unsupported");
    see(m)->reference = url;
    return true;
}

static bool take_id(const struct media *m)
{
    see(m)->reference = get(m, "file_id");
    return true;
}

static const struct {
    const char *type;
    bool picture; /* a picture has it too */
    const char *members;
    bool (*take)(const struct media *m); /* NULL: by what it is */
} sources[] = {
    { "base64", true, "type:s! media_type:s! data:s!", NULL },
    { "url", true, "type:s! url:s!", take_url },
    { "file", true, "type:s! file_id:s!", take_id },
    { "text", false, "type:s! media_type:s! data:s!", take_plain },
    { "content", false, "type:s! content:sa!", take_content },
};

bool rf_sim_media(struct rf_sim_messages *c, const struct rf_jpath *at, const struct rf_jval *block,
                  const char *role)
{
    const struct rf_jpath source_at = { .up = at, .field = "source" };
    const struct rf_jval *source = rf_jval_get(block, "source");
    struct rf_str type = rf_sim_get(c->r, source, "type");
    bool picture = rf_sim_is_type(block, "image");
    size_t i = 0;
    while (i < COUNT(sources) &&
           (!rf_str_is(type, sources[i].type) || (picture && !sources[i].picture)))
        i++;
    if (i == COUNT(sources))
        /* source: recorded */
        return rf_sim_bad(c, &source_at,
                          "Input tag '%s' found using 'type' does not match any of the expected "
                          "tags: %s",
                          rf_cstr(c->r->arena, type),
                          picture ? "'base64', 'file', 'url'"
                                  : "'base64', 'content', 'file', 'text', 'url'");
    const struct rf_jpath tag = { .up = &source_at, .field = sources[i].type };
    const struct media m = { c, source, &tag, role, picture };
    if (!rf_sim_object(c, &tag, source, sources[i].members))
        return false;
    if (sources[i].take)
        return sources[i].take(&m);
    return picture ? take_picture(&m) : take_pdf(&m, at);
}
