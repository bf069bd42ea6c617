/* A file that a program hands over, as a block: what it is, its bytes say, then its media type,
 * then its name. Nothing is opened: a path is looked at when a request is built. */
#include "content/result.h"

#include "base/arena.h"
#include "base/limits.h"
#include "content/block.h"
#include "media/media.h"
#include "source/asset.h"

#define SOURCES "bytes, base64, path, url, file_id (with provider) or blob"

static enum rf_code fail(struct rf_err *err, enum rf_code code, const char *field, const char *why)
{
    const struct rf_jpath here = { .field = field };
    return rf_fail_at(err, code, &here, "%s", why);
}

/* Fields by name, and the types of blocks that have them; 0: all. */

#define TYPE(name) (1U << RF_BLOCK_##name)

static const struct {
    const char *name;
    size_t offset;
    unsigned types;
} texts[] = {
    { "base64", offsetof(struct rf_file, base64), 0 },
    { "path", offsetof(struct rf_file, path), 0 },
    { "url", offsetof(struct rf_file, url), 0 },
    { "file_id", offsetof(struct rf_file, file_id), 0 },
    { "blob", offsetof(struct rf_file, blob), 0 },
    { "provider", offsetof(struct rf_file, provider), 0 },
    { "id", offsetof(struct rf_file, id), 0 },
    { "name", offsetof(struct rf_file, name), 0 },
    { "media_type", offsetof(struct rf_file, media_type), 0 },
    { "detail", offsetof(struct rf_file, detail), TYPE(IMAGE) },
    { "extracted_text", offsetof(struct rf_file, extracted_text), TYPE(DOCUMENT) },
    { "transcript", offsetof(struct rf_file, transcript), TYPE(AUDIO) },
}, numbers[] = {
    { "size_bytes", offsetof(struct rf_file, size_bytes), 0 },
    { "width", offsetof(struct rf_file, width), TYPE(IMAGE) | TYPE(VIDEO) },
    { "height", offsetof(struct rf_file, height), TYPE(IMAGE) | TYPE(VIDEO) },
    { "page_count", offsetof(struct rf_file, page_count), TYPE(DOCUMENT) },
    { "page_range", offsetof(struct rf_file, page_range), TYPE(DOCUMENT) },
    { "page_range", offsetof(struct rf_file, page_range) + sizeof(int64_t), TYPE(DOCUMENT) },
    { "duration_ms", offsetof(struct rf_file, duration_ms), TYPE(AUDIO) | TYPE(VIDEO) },
};

static enum rf_code check_texts(const struct rf_file *f, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < sizeof texts / sizeof *texts; i++) {
        struct rf_str text;
        memcpy(&text, (const char *)f + texts[i].offset, sizeof text);
        rc = rf_text_check(text, texts[i].name, err);
    }
    return rc;
}

static enum rf_code check_field(const char *name, bool given, unsigned types,
                                enum rf_block_type type, struct rf_err *err)
{
    const struct rf_jpath here = { .field = name };
    if (!given || !types || types & 1U << type)
        return RF_OK;
    return rf_fail_at(err, RF_EUSAGE, &here, "a block of type \"%s\" has none",
                      rf_block_type_name(type));
}

/* Has this type of block all the fields that are given? */
static enum rf_code check_fields(const struct rf_file *f, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < sizeof texts / sizeof *texts; i++) {
        struct rf_str text;
        memcpy(&text, (const char *)f + texts[i].offset, sizeof text);
        rc = check_field(texts[i].name, text.n > 0, texts[i].types, f->type, err);
    }
    for (size_t i = 0; !rc && i < sizeof numbers / sizeof *numbers; i++) {
        int64_t n;
        memcpy(&n, (const char *)f + numbers[i].offset, sizeof n);
        if (n < 0)
            rc = fail(err, RF_EFORMAT, numbers[i].name, "is negative");
        else
            rc = check_field(numbers[i].name, n > 0, numbers[i].types, f->type, err);
    }
    return rc;
}

/* What fields must look like. */

static bool has_scheme(struct rf_str url)
{
    size_t n = 0;
    while (n < url.n && (rf_is_alnum(url.p[n]) || (n && memchr("+-.", url.p[n], 3))))
        n++;
    return n && n < url.n && url.p[n] == ':';
}

static enum rf_code check_source(const struct rf_file *f, struct rf_err *err)
{
    bool uploaded = f->file_id.n > 0;
    int count = (f->bytes.n > 0) + (f->base64.n > 0) + (f->path.n > 0) + (f->url.n > 0) + uploaded +
                (f->blob.n > 0 && !uploaded);
    if (count != 1) {
        rf_fail(err, RF_EUSAGE, count ? "the file has two sources" : "the file has no source");
        rf_hint(err, "A file has exactly one of " SOURCES ".");
        return RF_EUSAGE;
    }
    if (uploaded && !f->provider.n)
        return fail(err, RF_EUSAGE, "provider", "a file_id needs one");
    if (!uploaded && f->provider.n)
        return fail(err, RF_EUSAGE, "provider", "goes with a file_id only");
    if (f->path.n && memchr(f->path.p, '\0', f->path.n))
        return fail(err, RF_EFORMAT, "path", "is not one that a file can have");
    if (f->url.n && !has_scheme(f->url))
        return fail(err, RF_EFORMAT, "url", "has no scheme, such as \"https:\"");
    if (f->blob.n && !rf_is_blob(f->blob))
        return fail(err, RF_EFORMAT, "blob", "is not \"sha256:\" and 64 hexadecimal digits");
    return RF_OK;
}

static enum rf_code check_media_type(struct rf_str mime, struct rf_err *err)
{
    size_t slash = 0;
    bool plain = true;
    for (size_t i = 0; i < mime.n; i++) {
        slash = mime.p[i] == '/' && !slash ? i : slash;
        plain = plain && mime.p[i] >= ' ' && mime.p[i] < 0x7f;
    }
    if (!mime.n || (plain && slash && slash + 1 < mime.n))
        return RF_OK;
    return fail(err, RF_EFORMAT, "media_type", "is not one, such as \"image/png\"");
}

/* What it is. */

static const struct rf_format *sniff(const struct rf_bytes *bytes)
{
    struct rf_reader r = { .fd = -1 };
    const struct rf_format *f = rf_reader_open(&r, bytes, NULL) ? NULL : rf_sniff(&r);
    rf_reader_close(&r);
    return f;
}

/* A container of sound and pictures is what it is said to be. */
static enum rf_block_type type_of_format(const struct rf_format *f, struct rf_str mime)
{
    return f->kind == RF_KIND_VIDEO && rf_str_starts(mime, "audio/") ? RF_BLOCK_AUDIO
                                                                     : rf_block_type_for(f->kind);
}

static enum rf_code find_type(struct rf_file *f, const struct rf_format *found, struct rf_err *err)
{
    struct rf_str named = f->name.n ? f->name : f->path.n ? f->path : f->url;
    bool here = f->bytes.n || f->base64.n || f->path.n;
    if (!found && f->media_type.n) {
        f->type = rf_block_type_by_mime(f->media_type);
        return RF_OK;
    }
    if (!found)
        found = rf_format_by_name(named);
    if (!found && !here) {
        fail(err, RF_EUSAGE, "type", "neither the media type nor the name tells it");
        rf_hint(err, "Say whether it is an image, a document, sound or a film.");
        return RF_EUSAGE;
    }
    f->type = found ? type_of_format(found, f->media_type) : RF_BLOCK_DOCUMENT;
    return RF_OK;
}

/* Look at the bytes, where they are here. */
static enum rf_code look(struct rf_file *f, const struct rf_source *source, struct rf_arena *a,
                         struct rf_err *err)
{
    const struct rf_asset_place place = { 0 };
    const struct rf_format *found = NULL;
    struct rf_bytes bytes;
    struct rf_err why;
    if (source->kind == RF_SOURCE_BYTES || source->kind == RF_SOURCE_DATA) {
        if (rf_source_bytes(source, &place, a, &bytes, &why))
            return fail(err, RF_EFORMAT, "base64", why.msg);
        found = sniff(&bytes);
        f->size_bytes = (int64_t)bytes.size;
    }
    if (found && !f->media_type.n)
        f->media_type = rf_str(found->mime);
    return f->type ? RF_OK : find_type(f, found, err);
}

static struct rf_source source_of(const struct rf_file *f)
{
    struct rf_source s = { .provider = f->provider, .blob = f->file_id.n ? f->blob : RF_STR("") };
    const struct rf_str refs[] = {
        [RF_SOURCE_PATH] = f->path,   [RF_SOURCE_BLOB] = f->file_id.n ? RF_STR("") : f->blob,
        [RF_SOURCE_URL] = f->url,     [RF_SOURCE_FILE_ID] = f->file_id,
        [RF_SOURCE_DATA] = f->base64, [RF_SOURCE_BYTES] = f->bytes,
    };
    for (enum rf_source_kind kind = RF_SOURCE_PATH; kind <= RF_SOURCE_BYTES; kind++)
        if (refs[kind].n) {
            s.kind = kind;
            s.ref = refs[kind];
        }
    return s;
}

/* The block. */

static enum rf_code check_values(const struct rf_file *f, struct rf_err *err)
{
    const int64_t *pages = f->page_range;
    if (pages[1] <= pages[0] && (pages[0] || pages[1])) {
        fail(err, RF_EFORMAT, "page_range", "expected 0 <= first < past-last");
        rf_hint(err, "Pages count from 0: 0 and 3 are the first three.");
        return RF_EFORMAT;
    }
    if (!rf_detail_is(f->detail)) {
        fail(err, RF_EFORMAT, "detail", "is unknown");
        rf_hint(err, "Use low, high, auto or original.");
        return RF_EFORMAT;
    }
    return RF_OK;
}

static void fill(const struct rf_file *f, struct rf_block *b)
{
    b->type = f->type;
    b->media = (struct rf_media){
        .source = b->media.source,
        .id = f->id,
        .media_type = f->media_type,
        .name = f->name,
        .detail = f->detail,
        .width = f->width,
        .height = f->height,
        .size_bytes = f->size_bytes,
        .duration_ms = f->duration_ms,
        .page_count = f->page_count,
        .pages = { f->page_range[1] ? f->page_range[0] + 1 : 0, f->page_range[1] },
        .extracted_text = f->extracted_text,
        .transcript = f->transcript,
    };
}

static enum rf_code check(struct rf_file *f, struct rf_err *err)
{
    enum rf_code rc = check_texts(f, err);
    if (!rc && f->bytes.n && !f->bytes.p)
        rc = fail(err, RF_EUSAGE, "bytes", "has a length and points nowhere");
    if (!rc && f->bytes.n > RF_MAX_FILE_BYTES)
        rc = fail(err, RF_ELIMIT, "bytes", "are more than a file may have");
    if (!rc && f->type && !rf_block_is_media(f->type))
        rc = fail(err, RF_EUSAGE, "type", "is not that of an image, a document, sound or a film");
    if (!rc)
        rc = check_source(f, err);
    return rc ? rc : check_media_type(f->media_type, err);
}

enum rf_code rf_content_file(struct rf_content *c, const struct rf_file *file, struct rf_err *err)
{
    struct rf_file f;
    struct rf_block b = { 0 };
    enum rf_code rc = rf_struct_take(file, RF_SIZES(rf_file, transcript), &f, err);
    if (!rc)
        rc = check(&f, err);
    if (rc)
        return rc;
    struct rf_arena *scratch = rf_arena_new();
    b.media.source = source_of(&f);
    rc = look(&f, &b.media.source, scratch, err);
    if (!rc)
        rc = check_fields(&f, err);
    if (!rc)
        rc = check_values(&f, err);
    if (!rc) {
        fill(&f, &b);
        rc = rf_content_add(c, &b, err);
    }
    rf_arena_free(scratch);
    return rc;
}
