/* Blocks, both ways. Each kind has a table of its fields that serves reading and writing; reading
 * then checks what a table cannot say, one function a kind. The tables describe struct shape: a
 * block as its JSON is laid out, with the five sources as five strings.
 *
 * It refuses to look at a source: no path is opened, no base64 decoded, no URL parsed. */
#include "content/block.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "content/fields.h"

#define SOURCES "source_path, blob, url, file_id (with provider) or data"

struct shape {
    struct rf_block b;
    struct rf_str type;
    struct rf_str source[RF_SOURCE_DATA + 1];
    const struct rf_jval *page_range;
};

#define AT(member) offsetof(struct shape, member)
#define STR(name, member) name, RF_FIELD_STR, AT(member), false
#define INT(name, member) name, RF_FIELD_INT, AT(member), false
#define TYPE "type", RF_FIELD_STR, AT(type), true
#define FULL STR("full_text", b.full_text)

/* What every media block has. */
/* clang-format off */
#define MEDIA                                       \
    { TYPE },                                       \
    { STR("id", b.media.id) },                      \
    { STR("source_path", source[RF_SOURCE_PATH]) }, \
    { STR("blob", source[RF_SOURCE_BLOB]) },        \
    { STR("url", source[RF_SOURCE_URL]) },          \
    { STR("file_id", source[RF_SOURCE_FILE_ID]) },  \
    { STR("provider", b.media.source.provider) },   \
    { STR("data", source[RF_SOURCE_DATA]) },        \
    { STR("media_type", b.media.media_type) },      \
    { STR("name", b.media.name) },                  \
    { INT("size_bytes", b.media.size_bytes) }

/* What every block may have. */
#define COMMON                                 \
    { STR("text_fallback", b.text_fallback) }, \
    { STR("audience", b.audience) }
/* clang-format on */

static const struct rf_jfield text_fields[] = {
    { TYPE },
    { "text", RF_FIELD_STR, AT(b.text), true },
    { "citations", RF_FIELD_ARRAY, AT(b.citations), false },
    { FULL },
    COMMON,
};

static const struct rf_jfield json_fields[] = {
    { TYPE },
    { "value", RF_FIELD_VALUE, AT(b.value), true },
    COMMON,
};

static const struct rf_jfield image_fields[] = {
    MEDIA,
    { INT("width", b.media.width) },
    { INT("height", b.media.height) },
    { STR("detail", b.media.detail) },
    { INT("confidence", b.media.confidence) },
    COMMON,
};

static const struct rf_jfield document_fields[] = {
    MEDIA,
    { INT("page_count", b.media.page_count) },
    { STR("extracted_text", b.media.extracted_text) },
    { INT("confidence", b.media.confidence) },
    { FULL },
    COMMON,
    { "page_range", RF_FIELD_ARRAY, AT(page_range), false },
};

static const struct rf_jfield audio_fields[] = {
    MEDIA,
    { INT("duration_ms", b.media.duration_ms) },
    { STR("transcript", b.media.transcript) },
    { FULL },
    COMMON,
};

static const struct rf_jfield video_fields[] = {
    MEDIA,
    { INT("duration_ms", b.media.duration_ms) },
    { INT("width", b.media.width) },
    { INT("height", b.media.height) },
    COMMON,
};

static const struct rf_jfield thinking_fields[] = {
    { TYPE },
    { STR("thinking", b.thinking.text) },
    { STR("signature", b.thinking.signature) },
    { STR("redacted", b.thinking.redacted) },
    { STR("id", b.thinking.id) },
    { STR("encrypted", b.thinking.encrypted) },
    { STR("field", b.thinking.field) },
    COMMON,
};

static const struct rf_jfield tool_call_fields[] = {
    { TYPE },
    { "id", RF_FIELD_STR, AT(b.call.id), true },
    { "name", RF_FIELD_STR, AT(b.call.name), true },
    { "arguments", RF_FIELD_VALUE, AT(b.call.arguments), false },
    { STR("signature", b.call.signature) },
    COMMON,
};

static const struct rf_jfield opaque_fields[] = {
    { TYPE },
    { "dialect", RF_FIELD_STR, AT(b.dialect), true },
    { "value", RF_FIELD_VALUE, AT(b.value), true },
    COMMON,
};

static const struct kind {
    const char *name;
    const struct rf_jfield *fields;
    size_t field_count;
} kinds[] = {
    [RF_BLOCK_TEXT] = { "text", RF_ROWS(text_fields) },
    [RF_BLOCK_JSON] = { "json", RF_ROWS(json_fields) },
    [RF_BLOCK_IMAGE] = { "image", RF_ROWS(image_fields) },
    [RF_BLOCK_DOCUMENT] = { "document", RF_ROWS(document_fields) },
    [RF_BLOCK_AUDIO] = { "audio", RF_ROWS(audio_fields) },
    [RF_BLOCK_VIDEO] = { "video", RF_ROWS(video_fields) },
    [RF_BLOCK_THINKING] = { "thinking", RF_ROWS(thinking_fields) },
    [RF_BLOCK_TOOL_CALL] = { "tool_call", RF_ROWS(tool_call_fields) },
    [RF_BLOCK_OPAQUE] = { "opaque", RF_ROWS(opaque_fields) },
};

static const char *const source_names[] = {
    [RF_SOURCE_PATH] = "source_path", [RF_SOURCE_BLOB] = "blob", [RF_SOURCE_URL] = "url",
    [RF_SOURCE_FILE_ID] = "file_id",  [RF_SOURCE_DATA] = "data",
};

const char *rf_block_type_name(enum rf_block_type type)
{
    return (size_t)type < sizeof kinds / sizeof *kinds ? kinds[type].name : "";
}

enum rf_block_type rf_block_type_by_mime(struct rf_str mime)
{
    return rf_str_starts(mime, "image/")   ? RF_BLOCK_IMAGE
           : rf_str_starts(mime, "audio/") ? RF_BLOCK_AUDIO
           : rf_str_starts(mime, "video/") ? RF_BLOCK_VIDEO
                                           : RF_BLOCK_DOCUMENT;
}

bool rf_block_is_media(enum rf_block_type type)
{
    return type == RF_BLOCK_IMAGE || type == RF_BLOCK_DOCUMENT || type == RF_BLOCK_AUDIO ||
           type == RF_BLOCK_VIDEO;
}

bool rf_block_is_for_person(const struct rf_block *b)
{
    return rf_str_is(b->audience, "user");
}

/* Reading: what the tables cannot say. `at` is the block's own place. */

static enum rf_code check_text(const struct shape *s, const struct rf_jpath *at, struct rf_err *err)
{
    const struct rf_jval *list = s->b.citations;
    struct rf_jpath field = { .up = at, .field = "citations" }, item = { .up = &field };
    const struct rf_jval *v = list ? rf_jval_first(list) : NULL;
    for (; v; v = rf_jval_next(list, v), item.index++) {
        if (v->type != RF_JOBJECT)
            return rf_fail_at(err, RF_EFORMAT, &item, "expected an object, found %s",
                              rf_jtype_name(v->type));
    }
    return RF_OK;
}

/* A file that was uploaded somewhere may name its bytes too: one source, for two sorts of
 * readers. */
static void take_blob(struct shape *s)
{
    if (!s->source[RF_SOURCE_FILE_ID].n)
        return;
    s->b.media.source.blob = s->source[RF_SOURCE_BLOB];
    s->source[RF_SOURCE_BLOB] = RF_STR("");
}

static enum rf_code check_source(struct shape *s, const struct rf_jpath *at, struct rf_err *err)
{
    struct rf_source *source = &s->b.media.source;
    take_blob(s);
    for (enum rf_source_kind kind = RF_SOURCE_PATH; kind <= RF_SOURCE_DATA; kind++) {
        if (s->source[kind].n == 0)
            continue;
        if (source->kind != RF_SOURCE_NONE) {
            rf_fail_at(err, RF_EFORMAT, at, "has two sources, \"%s\" and \"%s\"",
                       source_names[source->kind], source_names[kind]);
            rf_hint(err, "A media block has exactly one of " SOURCES
                         "; only a blob may stand beside a file_id.");
            return RF_EFORMAT;
        }
        source->kind = kind;
        source->ref = s->source[kind];
    }
    if (source->kind == RF_SOURCE_NONE) {
        rf_fail_at(err, RF_EFORMAT, at, "has no source");
        rf_hint(err, "Give it one of " SOURCES ".");
        return RF_EFORMAT;
    }
    if (source->kind == RF_SOURCE_FILE_ID && source->provider.n == 0) {
        rf_fail_at(err, RF_EFORMAT, at, "has a \"file_id\" and no \"provider\"");
        rf_hint(err, "Name the provider that the file was uploaded to.");
        return RF_EFORMAT;
    }
    return RF_OK;
}

bool rf_detail_is(struct rf_str detail)
{
    return !detail.n || rf_str_is(detail, "low") || rf_str_is(detail, "high") ||
           rf_str_is(detail, "auto") || rf_str_is(detail, "original");
}

static enum rf_code check_image(struct shape *s, const struct rf_jpath *at, struct rf_err *err)
{
    struct rf_str detail = s->b.media.detail;
    if (!rf_detail_is(detail)) {
        struct rf_jpath here = { .up = at, .field = "detail" };
        detail = rf_utf8_cut(detail, RF_MAX_NAME_SHOWN);
        rf_fail_at(err, RF_EFORMAT, &here, "unknown detail \"%.*s\"", RF_FMT(detail));
        rf_hint(err, "Use low, high, auto or original.");
        return RF_EFORMAT;
    }
    return check_source(s, at, err);
}

/* [first, past-last], counted from 0; false when it is not that. */
static bool page_range(const struct rf_jval *v, struct rf_pages *out)
{
    int64_t first, end;
    if (v->count != 2 || !rf_jval_int64(rf_jval_at(v, 0), &first) ||
        !rf_jval_int64(rf_jval_at(v, 1), &end) || first < 0 || first >= end)
        return false;
    *out = (struct rf_pages){ first + 1, end };
    return true;
}

static enum rf_code check_document(struct shape *s, const struct rf_jpath *at, struct rf_err *err)
{
    if (s->page_range && !page_range(s->page_range, &s->b.media.pages)) {
        struct rf_jpath here = { .up = at, .field = "page_range" };
        rf_fail_at(err, RF_EFORMAT, &here,
                   "expected [first, past-last] with 0 <= first < past-last");
        rf_hint(err, "Pages count from 0: [0, 3] is the first three.");
        return RF_EFORMAT;
    }
    return check_source(s, at, err);
}

static enum rf_code check_tool_call(struct shape *s, const struct rf_jpath *at, struct rf_err *err)
{
    rf_null_is_absent(&s->b.call.arguments);
    const struct rf_jval *arguments = s->b.call.arguments;
    if (!arguments || arguments->type == RF_JOBJECT)
        return RF_OK;
    struct rf_jpath here = { .up = at, .field = "arguments" };
    rf_fail_at(err, RF_EFORMAT, &here, "expected an object, found %s",
               rf_jtype_name(arguments->type));
    if (arguments->type == RF_JSTRING)
        rf_hint(err, "\"arguments\" is a JSON value, never a string that holds JSON.");
    return RF_EFORMAT;
}

static enum rf_code check(struct shape *s, const struct rf_jpath *at, struct rf_err *err)
{
    switch (s->b.type) {
    case RF_BLOCK_TEXT:
        return check_text(s, at, err);
    case RF_BLOCK_IMAGE:
        return check_image(s, at, err);
    case RF_BLOCK_DOCUMENT:
        return check_document(s, at, err);
    case RF_BLOCK_AUDIO:
    case RF_BLOCK_VIDEO:
        return check_source(s, at, err);
    case RF_BLOCK_TOOL_CALL:
        return check_tool_call(s, at, err);
    case RF_BLOCK_JSON:
    case RF_BLOCK_THINKING:
    case RF_BLOCK_OPAQUE:
        return RF_OK;
    }
    RF_BUG("block of no type");
}

static enum rf_code fail_type(const struct rf_jpath *at, struct rf_str type, struct rf_err *err)
{
    struct rf_jpath here = { .up = at, .field = "type" };
    type = rf_utf8_cut(type, RF_MAX_NAME_SHOWN);
    rf_fail_at(err, RF_EFORMAT, &here, "unknown block type \"%.*s\"", RF_FMT(type));
    rf_hint(
        err,
        "The types are text, json, image, document, audio, video, thinking, tool_call and opaque.");
    return RF_EFORMAT;
}

static enum rf_code read_type(const struct rf_jval *v, const struct rf_jpath *at, enum rf_role role,
                              struct rf_arena *a, enum rf_block_type *out, struct rf_err *err)
{
    static const struct rf_jfield field[] = { { "type", RF_FIELD_STR, 0, true } };
    struct rf_str name;
    size_t type = 0;
    enum rf_code rc = rf_jval_fields(v, at, RF_ROWS(field), a, &name, err);
    if (rc)
        return rc;
    while (type < sizeof kinds / sizeof *kinds && !rf_str_is(name, kinds[type].name))
        type++;
    if (type == sizeof kinds / sizeof *kinds)
        return fail_type(at, name, err);
    *out = (enum rf_block_type)type;
    if (role == RF_ROLE_ASSISTANT || (*out != RF_BLOCK_THINKING && *out != RF_BLOCK_TOOL_CALL))
        return RF_OK;
    struct rf_jpath here = { .up = at, .field = "type" };
    rf_fail_at(err, RF_EFORMAT, &here, "\"%s\" is for assistant messages only", kinds[type].name);
    rf_hint(err,
            "User and tool messages hold text, json, image, document, audio, video and opaque.");
    return RF_EFORMAT;
}

static enum rf_code read_block(const struct rf_jval *v, const struct rf_jpath *at,
                               enum rf_role role, struct rf_arena *a, struct rf_block *out,
                               struct rf_err *err)
{
    struct shape s = { .b.extra = v };
    enum rf_code rc = read_type(v, at, role, a, &s.b.type, err);
    if (rc)
        return rc;
    const struct kind *kind = &kinds[s.b.type];
    rc = rf_jval_fields(v, at, kind->fields, kind->field_count, a, &s, err);
    if (!rc)
        rc = check(&s, at, err);
    if (!rc)
        *out = s.b;
    return rc;
}

enum rf_code rf_blocks_read(const struct rf_jval *v, const struct rf_jpath *at, struct rf_arena *a,
                            struct rf_message *m, struct rf_err *err)
{
    enum rf_code rc = rf_list_check(v, at, err);
    if (rc)
        return rc;
    struct rf_block *blocks = RF_ARRAY(a, struct rf_block, v->count);
    struct rf_jpath item = { .up = at };
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e)) {
        rc = read_block(e, &item, m->role, a, &blocks[item.index], err);
        if (rc)
            return rc;
        item.index++;
    }
    m->blocks = blocks;
    m->block_count = v->count;
    return RF_OK;
}

/* Writing. */

static bool range_is(const struct rf_jval *was, const struct rf_media *m)
{
    struct rf_pages p;
    return was && was->type == RF_JARRAY && page_range(was, &p) && p.first == m->pages.first &&
           p.last == m->pages.last;
}

static void write_range(const struct rf_media *m, const struct rf_jval *was, struct rf_json *w)
{
    if (range_is(was, m)) {
        rf_json_value(w, "page_range", was);
        return;
    }
    rf_json_arr(w, "page_range");
    rf_json_int(w, NULL, m->pages.first - 1);
    rf_json_int(w, NULL, m->pages.last ? m->pages.last : INT64_MAX);
    rf_json_end(w);
}

/* Bytes are written as base64. */
static void put_source(const struct rf_source *source, struct rf_arena *a, struct shape *s)
{
    size_t n = (size_t)rf_base64_length(source->ref.n);
    if (source->kind != RF_SOURCE_BYTES) {
        s->source[source->kind] = source->ref;
        return;
    }
    char *text = rf_arena_alloc(a, n + 1);
    rf_base64_encode(source->ref.p, source->ref.n, text);
    s->source[RF_SOURCE_DATA] = (struct rf_str){ text, n };
}

static void write_block(const struct rf_block *b, struct rf_json *w)
{
    const struct kind *kind = &kinds[b->type];
    struct shape s = { .b = *b, .type = rf_str(kind->name) };
    bool ranged = b->type == RF_BLOCK_DOCUMENT && b->media.pages.first;
    if (ranged)
        s.page_range = &rf_by_hand;
    put_source(&b->media.source, w->rope->arena, &s);
    if (b->media.source.kind == RF_SOURCE_FILE_ID)
        s.source[RF_SOURCE_BLOB] = b->media.source.blob;
    rf_json_obj(w, NULL);
    rf_fields_write(w, kind->fields, kind->field_count, &s, b->extra);
    if (ranged)
        write_range(&b->media, rf_jval_get(b->extra, "page_range"), w);
    rf_fields_rest(w, kind->fields, kind->field_count, b->extra);
    rf_json_end(w);
}

void rf_blocks_write(const struct rf_message *m, const char *key, struct rf_json *w)
{
    rf_json_arr(w, key);
    for (size_t i = 0; i < m->block_count; i++)
        write_block(&m->blocks[i], w);
    rf_json_end(w);
}

/* Copying. */

#define IN(member) offsetof(struct rf_block, member)

struct rf_block rf_block_copy(const struct rf_block *b, struct rf_arena *a)
{
    static const size_t strings[] = {
        IN(text_fallback),     IN(full_text),        IN(text),
        IN(dialect),           IN(media.source.ref), IN(media.source.provider),
        IN(media.source.blob), IN(media.id),         IN(media.media_type),
        IN(media.name),        IN(media.detail),     IN(media.extracted_text),
        IN(media.transcript),  IN(thinking.text),    IN(thinking.signature),
        IN(thinking.redacted), IN(thinking.id),      IN(thinking.encrypted),
        IN(thinking.field),    IN(call.id),          IN(call.name),
        IN(call.signature),    IN(audience),
    };
    static const size_t values[] = { IN(citations), IN(value), IN(call.arguments) };
    struct rf_block copy = *b;
    rf_fields_own(RF_ROWS(strings), RF_ROWS(values), a, &copy);
    copy.extra = rf_fields_other(kinds[b->type].fields, kinds[b->type].field_count, b->extra, a);
    return copy;
}

static const struct rf_jval *malformed_arguments(const struct rf_block *call)
{
    const struct rf_jval *v = rf_jval_get(call->extra, "malformed_arguments");
    return v && v->type == RF_JSTRING ? v : NULL;
}

bool rf_call_is_malformed(const struct rf_block *call)
{
    return malformed_arguments(call) != NULL;
}

struct rf_str rf_call_arguments(const struct rf_block *call, struct rf_arena *a)
{
    const struct rf_jval *malformed = malformed_arguments(call);
    if (malformed)
        return rf_jval_text(malformed, a);
    return call->call.arguments ? rf_jval_compact(call->call.arguments, a) : RF_STR("{}");
}
