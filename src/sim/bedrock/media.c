/* Files of Bedrock's messages: their format against their bytes, and both against what the family
 * takes at that place. */
#include "base/arena.h"
#include "sim/bedrock/bedrock.h"

#define MAX_NAME 200

struct media {
    struct rf_sim_converse *c;
    const struct rf_jpath *at; /* of the member: "messages.0.content.1.image" */
    const char *member;
    const struct rf_jval *v;
    const struct rf_format *declared; /* NULL: a format that cannot be checked */
};

static const struct {
    const char *member;
    const char *formats; /* as AWS lists them, with ", " between them */
} kinds[] = {
    { "image", "gif, jpeg, png, webp" },
    { "document", "csv, doc, docx, html, md, pdf, txt, xls, xlsx" },
    { "video", "flv, mkv, mov, mp4, mpeg, mpg, three_gp, webm, wmv" },
    { "audio", "aac, flac, m4a, mka, mkv, mp3, mp4, mpeg, mpga, ogg, opus, pcm, wav, webm, x-aac" },
};

static struct rf_str place(const struct media *m)
{
    return rf_sim_place_words(m->c->r->arena, m->at);
}

static bool is_listed(const char *formats, struct rf_str format)
{
    struct rf_str rest = rf_str(formats), piece;
    while (rf_str_split(&rest, ',', &piece))
        if (rf_str_eq(rf_str_trim(piece), format))
            return true;
    return false;
}

static bool check_format(struct media *m, struct rf_str format)
{
    const struct rf_jpath at = { .up = m->at, .field = "format" };
    const char *formats = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].member, m->member) == 0)
            formats = kinds[i].formats;
    if (rf_str_starts(format, "video/")) /* recorded: a media type is taken for a video's format */
        format = (struct rf_str){ format.p + 6, format.n - 6 };
    if (!is_listed(formats, format))
        return rf_sim_constraint(
            m->c, &at, format,
            rf_strf(m->c->r->arena, "Member must satisfy enum value set: [%s]", formats).p);
    m->declared = rf_format_by_name(rf_strf(m->c->r->arena, "x.%.*s", RF_FMT(format)));
    return true;
}

/* Names. */

/* An underscore is taken too, against the words of the refusal; and white space is the space
 * alone. */
static bool is_name(struct rf_str s)
{
    bool space = false;
    for (size_t i = 0; i < s.n; i++) {
        char x = s.p[i];
        bool blank = x == ' ';
        if ((blank && space) || (!blank && !rf_is_alnum(x) && !(x && strchr("_-()[]", x))))
            return false;
        space = blank;
    }
    return s.n > 0 && s.n <= MAX_NAME;
}

static bool check_name(const struct media *m)
{
    struct rf_str name = rf_sim_get(m->c->r, m->v, "name");
    if (!is_name(name))
        /* source: reported (vercel/ai#20365, aws-samples/generative-ai-use-cases#1671) */
        return rf_sim_refuse(
            m->c->r, m->c->out, 400,
            "The document file name can only contain alphanumeric characters, whitespace "
            "characters, hyphens, parentheses, and square brackets. The name can't contain more "
            "than one consecutive whitespace character. Check that the file name conforms to these "
            "restrictions and retry your request.");
    if (!rf_sim_call_add(&m->c->names, m->c->r->arena, name, name))
        return rf_sim_refuse(
            m->c->r, m->c->out, 400,
            "The document file names in a request must be unique. The name %.*s at "
            "%s is there twice.",
            RF_FMT(name), place(m).p);
    return true;
}

/* Places. */

static bool unsupported(const struct media *m)
{
    /* source: recorded */
    return rf_sim_refuse(
        m->c->r, m->c->out, 400,
        "This model doesn't support the %s content block that you provided. Update "
        "the content block and try again.",
        m->member);
}

static bool malformed(const struct media *m)
{
    const struct rf_jpath *block = m->at->up->up->up->up; /* of the result's own block */
    /* source: recorded */
    return rf_sim_refuse(
        m->c->r, m->c->out, 400,
        "The model returned the following errors: Malformed input request: "
        "#/messages/%zu/content/%zu: extraneous key [toolResult] is not permitted, "
        "please reformat your input and try again.",
        m->c->r->turn, block->index);
}

static enum rf_kind kind_of(const struct media *m)
{
    return m->declared                       ? m->declared->kind
           : strcmp(m->member, "image") == 0 ? RF_KIND_IMAGE
           : strcmp(m->member, "video") == 0 ? RF_KIND_VIDEO
           : strcmp(m->member, "audio") == 0 ? RF_KIND_AUDIO
                                             : RF_KIND_OFFICE;
}

static bool check_place(const struct media *m)
{
    const struct rf_caps *caps = &m->c->r->model->caps;
    enum rf_kind kind = kind_of(m);
    struct rf_str mime = m->declared ? rf_str(m->declared->mime) : RF_STR("");
    if (!caps->takes[kind])
        return unsupported(m);
    if (m->c->r->result && mime.n > 0 && !rf_mime_in(caps->inside[kind], mime))
        return malformed(m);
    return true;
}

/* Sources. */

static bool check_reference(const struct media *m)
{
    const struct rf_caps *caps = &m->c->r->model->caps;
    enum rf_kind kind = kind_of(m);
    bool picture = kind == RF_KIND_IMAGE;
    if (!m->c->r->result && caps->url_user & 1u << kind)
        return true;
    if (m->c->r->result && !picture && kind != RF_KIND_VIDEO)
        return true;
    if (m->c->r->result && !picture)
        return malformed(m);
    if (picture || kind == RF_KIND_VIDEO)
        /* source: recorded */
        return rf_sim_refuse(m->c->r, m->c->out, 400,
                             "This model doesn't support the s3Uri field. Remove s3Uri and try "
                             "again.");
    /* source: recorded */
    return rf_sim_refuse(m->c->r, m->c->out, 400,
                         "The model returned the following errors: %s.source.type: Field required",
                         place(m).p);
}

static bool check_picture(const struct media *m, struct rf_str bytes,
                          const struct rf_format *format)
{
    const struct rf_caps *caps = &m->c->r->model->caps;
    struct rf_facts facts;
    const char *at = place(m).p;
    switch (rf_sim_picture(caps, bytes, format, &facts)) {
    case RF_SIM_PICTURE_FORMAT:
    case RF_SIM_PICTURE_BROKEN:
        return rf_sim_refuse(
            m->c->r, m->c->out, 400,
            "The model returned the following errors: %s.source.base64.data: Could "
            "not process image",
            at);
    case RF_SIM_PICTURE_BYTES:
        return rf_sim_refuse(m->c->r, m->c->out, 400,
                             "The model returned the following errors: %s.source.base64: image "
                             "exceeds the maximum: %zu bytes > %jd bytes",
                             at, bytes.n, (intmax_t)caps->max_image_bytes);
    case RF_SIM_PICTURE_SIDE:
    case RF_SIM_PICTURE_PIXELS:
        return rf_sim_refuse(
            m->c->r, m->c->out, 400,
            "The model returned the following errors: %s.source.base64.data: At "
            "least one of the image dimensions exceed max allowed size: %jd pixels",
            at, (intmax_t)caps->max_image_side);
    case RF_SIM_PICTURE_FINE:
        break;
    }
    m->c->images++;
    return true;
}

static bool check_size(const struct media *m, size_t n)
{
    const struct rf_caps *caps = &m->c->r->model->caps;
    bool document = strcmp(m->member, "document") == 0;
    int64_t most = document                      ? caps->max_document_bytes
                   : kind_of(m) == RF_KIND_VIDEO ? caps->max_video_bytes
                                                 : 0;
    if (most > 0 && n > (size_t)most)
        return rf_sim_refuse(m->c->r, m->c->out, 400,
                             "The %s at %s is too large: %zu bytes, and the maximum is %jd bytes.",
                             m->member, place(m).p, n, (intmax_t)most);
    m->c->documents += document;
    return true;
}

/* A declared format whose bytes cannot be mistaken. */
static bool fits(const struct media *m, const struct rf_format *format)
{
    if (!m->declared || m->declared->kind == RF_KIND_TEXT || m->declared->kind == RF_KIND_AUDIO ||
        m->declared->kind == RF_KIND_VIDEO || m->declared->kind == RF_KIND_OFFICE)
        return true;
    return format && strcmp(format->mime, m->declared->mime) == 0;
}

static bool check_bytes(const struct media *m, struct rf_str base64, struct rf_sim_seen *seen)
{
    if (!rf_sim_decode(m->c->r, base64, &seen->bytes, &seen->format) || seen->bytes.n == 0)
        return rf_sim_refuse(m->c->r, m->c->out, 400,
                             "The value at %s.source.bytes is not valid base64.", place(m).p);
    if (!fits(m, seen->format))
        return rf_sim_refuse(
            m->c->r, m->c->out, 400,
            "The model returned the following errors: %s.source.base64.data: The %s "
            "does not match the provided media type %s",
            place(m).p, m->member, m->declared->mime);
    return kind_of(m) == RF_KIND_IMAGE ? check_picture(m, seen->bytes, seen->format)
                                       : check_size(m, seen->bytes.n);
}

/* The only source that is set: bytes, an object of S3, or text of a document. */
static bool take_source(const struct media *m, const struct rf_jval *source,
                        struct rf_sim_seen *seen)
{
    const struct rf_jpath at = { .up = m->at, .field = "source" };
    const struct rf_jval *set = rf_sim_union(m->c, &at, source);
    struct rf_sim_request *r = m->c->r;
    if (!set)
        return false;
    seen->mime = m->declared ? rf_str(m->declared->mime) : RF_STR("");
    if (rf_jval_is(set, "bytes"))
        return check_bytes(m, rf_sim_text(r, set + 1), seen);
    if (rf_jval_is(set, "s3Location")) {
        seen->reference = rf_sim_get(r, set + 1, "uri");
        return check_reference(m);
    }
    seen->mime = RF_STR("text/plain");
    seen->bytes =
        rf_jval_is(set, "text") ? rf_sim_text(r, set + 1) : rf_jval_compact(set + 1, r->arena);
    return true;
}

bool rf_sim_converse_media(struct rf_sim_converse *c, const struct rf_jpath *at, const char *kind,
                           const struct rf_jval *v, const char *role)
{
    const struct rf_jpath here = { .up = at, .field = kind };
    struct media m = { .c = c, .at = &here, .member = kind, .v = v };
    struct rf_sim_seen seen = { 0 };
    const struct rf_jval *format = rf_jval_get(v, "format"), *source = rf_jval_get(v, "source");
    bool document = strcmp(kind, "document") == 0;
    if ((format || !document) && !check_format(&m, rf_sim_text(c->r, format)))
        return false;
    if (document && !check_name(&m))
        return false;
    if (!check_place(&m))
        return false;
    if (!source)
        return rf_sim_constraint(c, &here, RF_STR("null"), "Member must not be null");
    if (!take_source(&m, source, &seen))
        return false;
    rf_sim_see_file(c->r, role, seen.bytes, seen.format, seen.mime);
    c->r->seen[c->r->count - 1].reference = seen.reference;
    return true;
}
