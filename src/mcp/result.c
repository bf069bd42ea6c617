#include "mcp/result.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "content/block.h"
#include "content/fields.h"
#include "source/asset.h"
#include "source/base64_text.h"
#include "source/lift.h"

#define MOST_BLOCKS 1000
/* A value stands some levels deep in a conversation, and all of that must be readable. */
#define MOST_DEPTH ((size_t)RF_MAX_JSON_DEPTH - 16)
#define MOST_SHUFFLED 1000       /* members of an object that are looked for in any order */
#define EXACT 9007199254740992.0 /* from here on two integers can be the same double */

struct reading {
    struct rf_arena *arena;
    const struct rf_mcp_links *links;
    struct rf_message *message;
    size_t cap;
    const struct rf_jval *block; /* that is being read */
};

static struct rf_str text_of(const struct rf_jval *object, const char *name, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_get(object, name);
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

static bool is_typed_list(const struct rf_jval *list)
{
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        const struct rf_jval *type = rf_jval_get(v, "type");
        if (!type || type->type != RF_JSTRING)
            return false;
    }
    return true;
}

bool rf_mcp_result_is(const struct rf_jval *object)
{
    static const char *const ours[] = { "output", "error", "success", "content_blocks", "data" };
    const struct rf_jval *content = rf_jval_get(object, "content");
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (rf_jval_get(object, ours[i]))
            return false;
    return content && content->type == RF_JARRAY && is_typed_list(content);
}

/* Blocks */

static bool is_for_person(const struct rf_jval *annotations)
{
    const struct rf_jval *list = rf_jval_get(annotations, "audience");
    const struct rf_jval *v = list && list->type == RF_JARRAY ? rf_jval_first(list) : NULL;
    bool any = v;
    for (; v; v = rf_jval_next(list, v))
        if (!rf_jval_is(v, "user"))
            return false;
    return any;
}

static const struct rf_jval *shallow(const struct rf_jval *v)
{
    return v && rf_jval_deeper(v, MOST_DEPTH) ? NULL : v;
}

/* A block with what stands at the one that is being read, and inside of a resource. */
static struct rf_block *add(struct reading *r, enum rf_block_type type)
{
    const struct rf_jval *inner = rf_jval_get(r->block, "resource");
    const struct rf_jval *annotations = rf_jval_get(r->block, "annotations");
    const struct rf_jval *meta = rf_jval_get(r->block, "_meta");
    const struct rf_jval *uri = rf_jval_get(r->block, "uri");
    if (!annotations)
        annotations = rf_jval_get(inner, "annotations");
    const struct rf_jmember kept[] = {
        { "uri", shallow(uri ? uri : rf_jval_get(inner, "uri")) },
        { "annotations", shallow(annotations) },
        { "_meta", shallow(meta ? meta : rf_jval_get(inner, "_meta")) },
    };
    struct rf_message *m = r->message;
    struct rf_block *b = RF_PUSH(r->arena, m->blocks, m->block_count, r->cap);
    *b = (struct rf_block){ .type = type, .extra = rf_jval_object(RF_ROWS(kept), r->arena) };
    if (is_for_person(annotations))
        b->audience = RF_STR("user");
    return b;
}

static void add_text(struct reading *r, struct rf_str text)
{
    if (text.n)
        add(r, RF_BLOCK_TEXT)->text = text;
}

/* What the bytes are, whatever their label says; NULL: nothing that is known. */
static const struct rf_format *format_of(const struct rf_source *source, struct rf_str mime,
                                         struct rf_str name, struct rf_arena *a)
{
    struct rf_bytes bytes;
    struct rf_inspection look;
    if (rf_source_bytes(source, NULL, a, &bytes, NULL) || rf_inspect(&bytes, a, &look, NULL) ||
        !look.format || look.format->kind == RF_KIND_UNKNOWN)
        return NULL;
    return rf_format_refine(look.format, mime, name);
}

static void add_media(struct reading *r, struct rf_str data, struct rf_str mime, struct rf_str name)
{
    if (!data.n) {
        add_text(r, RF_STR("[The tool returned a file without any data.]"));
        return;
    }
    const struct rf_source source = { .kind = RF_SOURCE_DATA, .ref = data };
    const struct rf_format *f = format_of(&source, mime, name, r->arena);
    struct rf_block *b = add(r, f ? rf_block_type_for(f->kind) : rf_block_type_by_mime(mime));
    b->media.source = source;
    b->media.media_type = f ? rf_str(f->mime) : mime;
    b->media.name = name;
}

/* Resources */

/* The name of a file at the end of an address, before "?" and "#". */
static struct rf_str file_name(struct rf_str uri)
{
    size_t n = 0;
    while (n < uri.n && uri.p[n] != '?' && uri.p[n] != '#')
        n++;
    return rf_str_behind((struct rf_str){ uri.p, n }, '/');
}

/* An address in words: what could end them, or is not for showing, is escaped as in any address. */
static struct rf_str shown_uri(struct rf_str uri, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str shown;
    rf_buf_init(&b, a, 3 * uri.n + 1);
    for (size_t i = 0; i < uri.n; i++) {
        unsigned char c = (unsigned char)uri.p[i];
        if (c <= ' ' || c >= 0x7f || strchr("\"<>[]\\`", c))
            rf_buf_addf(&b, "%%%02X", c);
        else
            rf_buf_addc(&b, (char)c);
    }
    if (rf_buf_finish(&b, &shown, NULL))
        RF_BUG("an address over its limit");
    return shown;
}

static void add_resource(struct reading *r, const struct rf_jval *resource)
{
    struct rf_str text = text_of(resource, "text", r->arena);
    struct rf_str blob = text_of(resource, "blob", r->arena);
    struct rf_str uri = text_of(resource, "uri", r->arena);
    if (text.n || !blob.n)
        add_text(r, rf_strf(r->arena, "[Resource %.*s%s]%s%.*s", RF_FMT(shown_uri(uri, r->arena)),
                            text.n ? "" : ", which is empty", text.n ? "\n" : "", RF_FMT(text)));
    if (blob.n)
        add_media(r, blob, text_of(resource, "mimeType", r->arena), file_name(uri));
}

/* "Read it with read_resource: server "files", uri as above." */
static struct rf_str way_to_read(const struct reading *r)
{
    const struct rf_mcp_links *l = r->links;
    if (!l)
        return RF_STR("It was not fetched.");
    if (!l->server.n)
        return rf_strf(r->arena, "It was not fetched: %.*s with this uri reads it.",
                       RF_FMT(l->tool));
    return rf_strf(r->arena,
                   "It was not fetched: %.*s with the server \"%.*s\" and this uri reads it.",
                   RF_FMT(l->tool), RF_FMT(l->server));
}

/* Links are not followed unasked. */
static void add_link(struct reading *r)
{
    struct rf_arena *a = r->arena;
    struct rf_str name = text_of(r->block, "title", a), mime = text_of(r->block, "mimeType", a);
    struct rf_str about = text_of(r->block, "description", a);
    int64_t size;
    if (!name.n)
        name = text_of(r->block, "name", a);
    struct rf_str words =
        rf_strf(a, "[Link%s%.*s", name.n ? ": " : "", RF_FMT(rf_clean_name(name, a)));
    if (mime.n)
        words = rf_strf(a, "%.*s, %.*s", RF_FMT(words), RF_FMT(rf_clean_name(mime, a)));
    if (rf_jval_int64(rf_jval_get(r->block, "size"), &size))
        words = rf_strf(a, "%.*s, %lld bytes", RF_FMT(words), (long long)size);
    words = rf_strf(a, "%.*s, uri %.*s. %.*s]%s%.*s", RF_FMT(words),
                    RF_FMT(shown_uri(text_of(r->block, "uri", a), a)), RF_FMT(way_to_read(r)),
                    about.n ? "\n" : "", RF_FMT(about));
    add_text(r, words);
}

/* What is not known */

/* Words and JSON stay; runs of base64 do not. */
static struct rf_str without_runs(struct rf_str text, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, a, SIZE_MAX);
    for (size_t at = 0, run; at < text.n; at += run ? run : 1) {
        run = rf_base64_run((struct rf_str){ text.p + at, text.n - at });
        if (run >= RF_MIN_LIFT_BASE64)
            rf_buf_addf(&b, "(%zu characters left out)", run);
        else
            rf_buf_add(&b, (struct rf_str){ text.p + at, run ? run : 1 });
    }
    if (rf_buf_finish(&b, &out, NULL))
        RF_BUG("a text in memory is too long");
    return out;
}

static void add_unknown(struct reading *r)
{
    struct rf_arena *a = r->arena;
    struct rf_str data = text_of(r->block, "data", a), mime = text_of(r->block, "mimeType", a);
    if (data.n && mime.n) {
        add_media(r, data, mime, file_name(text_of(r->block, "name", a)));
        return;
    }
    struct rf_str json = rf_jval_compact(r->block, a);
    add_text(r, rf_strf(a, "[The tool returned a block of an unknown type:]\n%.*s",
                        RF_FMT(without_runs(json, a))));
}

static void add_block(struct reading *r, const struct rf_jval *block)
{
    const struct rf_jval *type = rf_jval_get(block, "type");
    r->block = block;
    if (rf_jval_is(type, "text") && rf_jval_type(rf_jval_get(block, "text")) == RF_JSTRING)
        add_text(r, text_of(block, "text", r->arena));
    else if (rf_jval_is(type, "image") || rf_jval_is(type, "audio"))
        add_media(r, text_of(block, "data", r->arena), text_of(block, "mimeType", r->arena),
                  RF_STR(""));
    else if (rf_jval_is(type, "resource"))
        add_resource(r, rf_jval_get(block, "resource"));
    else if (rf_jval_is(type, "resource_link"))
        add_link(r);
    else
        add_unknown(r);
    r->block = NULL;
}

static void add_blocks(struct reading *r, const struct rf_jval *content)
{
    size_t count = 0;
    rf_null_is_absent(&content);
    if (content && content->type != RF_JARRAY) {
        add_block(r, content);
        return;
    }
    for (const struct rf_jval *b = rf_jval_first(content); b; b = rf_jval_next(content, b)) {
        if (++count > MOST_BLOCKS) {
            add_text(r, rf_strf(r->arena, "[%u further blocks were left out.]",
                                content->count - MOST_BLOCKS));
            break;
        }
        add_block(r, b);
    }
}

/* Copies of files */

static bool hides_file(const struct rf_message *m, const struct rf_jval *data, struct rf_arena *a)
{
    struct rf_lifted lifted = { 0 };
    struct rf_str before, after;
    struct rf_block found;
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks[i].type == RF_BLOCK_TEXT &&
            (rf_lift_text(m->blocks[i].text, a, &before, &found, &after) ||
             rf_lift_json_text(m->blocks[i].text, a, &before, &lifted)))
            return true;
    if (data)
        rf_lift_json(data, a, &lifted);
    return lifted.count > 0;
}

/* The SHA-256 of each file of the result. */
static struct rf_str *hashes_of(const struct rf_message *m, struct rf_arena *a, size_t *count)
{
    struct rf_str *hashes = RF_ARRAY(a, struct rf_str, m->block_count);
    struct rf_bytes bytes;
    *count = 0;
    for (size_t i = 0; i < m->block_count; i++)
        if (rf_block_is_media(m->blocks[i].type) &&
            !rf_source_bytes(&m->blocks[i].media.source, NULL, a, &bytes, NULL) &&
            !rf_bytes_hash(&bytes, a, NULL))
            hashes[(*count)++] = bytes.sha256;
    return hashes;
}

/* Hashing reads all bytes, so it is done only where something hides. */
static void remove_copies(struct rf_message *m, const struct rf_jval **data, struct rf_arena *a)
{
    struct rf_lifted copies = { 0 };
    if (!hides_file(m, *data, a))
        return;
    copies.copied = hashes_of(m, a, &copies.copied_count);
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks[i].type == RF_BLOCK_TEXT)
            m->blocks[i].text =
                rf_lift_copies(m->blocks[i].text, copies.copied, copies.copied_count, a);
    if (*data && rf_jval_parse(rf_lift_json(*data, a, &copies), a, data, NULL))
        RF_BUG("JSON that was written cannot be read");
}

/* Structured content */

static bool is_same_number(const struct rf_jval *one, const struct rf_jval *other)
{
    double x, y;
    return rf_str_eq(one->raw, other->raw) ||
           (rf_jval_double(one, &x) && rf_jval_double(other, &y) && x == y && x < EXACT &&
            x > -EXACT);
}

/* A member by its name; the one in the same place goes first, as it is mostly that one. */
static const struct rf_jval *member_of(const struct rf_jval *object, const struct rf_jval *here,
                                       struct rf_str name, struct rf_arena *a)
{
    if (here && rf_str_eq(rf_jval_text(here, a), name))
        return rf_jval_value(here);
    return object->count <= MOST_SHUFFLED ? rf_jval_get(object, rf_cstr(a, name)) : NULL;
}

/* Does `said` have all of `v`, the same value whatever the order of members and the way that a
 * number is written? */
static bool is_same(const struct rf_jval *said, const struct rf_jval *v, struct rf_arena *a)
{
    bool object = v->type == RF_JOBJECT;
    if (said->type != v->type || said->count != v->count)
        return false;
    if (v->type == RF_JSTRING)
        return rf_str_eq(rf_jval_text(said, a), rf_jval_text(v, a));
    if (v->type == RF_JNUMBER)
        return is_same_number(said, v);
    if (!object && v->type != RF_JARRAY)
        return true;
    const struct rf_jval *x = rf_jval_first(said);
    for (const struct rf_jval *y = rf_jval_first(v); y;) {
        const struct rf_jval *in = object ? rf_jval_value(y) : y;
        const struct rf_jval *found = object ? member_of(said, x, rf_jval_text(y, a), a) : x;
        if (!found || !is_same(found, in, a))
            return false;
        x = rf_jval_next(said, object ? rf_jval_value(x) : x);
        y = rf_jval_next(v, in);
    }
    return true;
}

/* A text for the model, and what it is as JSON: NULL where it is none. */
struct saying {
    struct rf_str text;
    const struct rf_jval *value;
};

struct sayings {
    struct saying *all;
    size_t count;
    struct rf_arena *arena; /* of what comparing takes */
};

static struct sayings sayings_of(const struct rf_message *m, struct rf_arena *scratch)
{
    struct sayings s = { RF_ARRAY(scratch, struct saying, m->block_count), 0, scratch };
    for (size_t i = 0; i < m->block_count; i++) {
        const struct rf_block *b = &m->blocks[i];
        if (b->type != RF_BLOCK_TEXT || rf_block_is_for_person(b))
            continue;
        struct saying *one = &s.all[s.count++];
        one->text = b->text;
        if (rf_jval_parse(b->text, scratch, &one->value, NULL))
            one->value = NULL;
    }
    return s;
}

/* Which of the texts from `at` on says it; `count`: none. */
static size_t find_saying(const struct sayings *s, size_t at, const struct rf_jval *v)
{
    struct rf_str words = v->type == RF_JSTRING ? rf_jval_text(v, s->arena) : RF_STR("");
    for (; at < s->count; at++)
        if ((v->type == RF_JSTRING && rf_str_eq(s->all[at].text, words)) ||
            (s->all[at].value && is_same(s->all[at].value, v, s->arena)))
            break;
    return at;
}

static bool is_said(const struct sayings *s, const struct rf_jval *v)
{
    return find_saying(s, 0, v) < s->count;
}

/* Each element, or each value of an object, by a text of its own and in their order. */
static bool are_said(const struct sayings *s, const struct rf_jval *v)
{
    bool object = v->type == RF_JOBJECT;
    size_t at = 0;
    for (const struct rf_jval *e = rf_jval_first(v); e;) {
        const struct rf_jval *in = object ? rf_jval_value(e) : e;
        at = object && in->type != RF_JSTRING ? s->count : find_saying(s, at, in);
        if (at++ >= s->count)
            return false;
        e = rf_jval_next(v, in);
    }
    return v->count > 0;
}

/* Servers repeat it as text for those who do not know it: as JSON; as the texts that are its
 * values; or, where they wrapped what is not an object as {"result": …}, what is inside, as one
 * text or as one an element. */
static bool is_repeated(const struct sayings *s, const struct rf_jval *v)
{
    static const char *const wrapping[] = { "result", NULL };
    const struct rf_jval *inner = rf_jval_get(v, "result");
    if (is_said(s, v) || (v->type == RF_JOBJECT && are_said(s, v)))
        return true;
    return inner && rf_jval_has_only(v, wrapping) &&
           (is_said(s, inner) || (inner->type == RF_JARRAY && are_said(s, inner)));
}

static bool adds_something(const struct rf_message *m, const struct rf_jval *data)
{
    struct rf_arena *scratch = rf_arena_new();
    const struct sayings s = sayings_of(m, scratch);
    bool adds = !is_repeated(&s, data);
    rf_arena_free(scratch);
    return adds;
}

/* Failures */

/* The texts at the front are what went wrong; what comes after them stays in its place. */
static void fail(struct rf_message *m, struct rf_arena *a)
{
    size_t n = 0;
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    while (n < m->block_count && m->blocks[n].type == RF_BLOCK_TEXT &&
           !rf_block_is_for_person(&m->blocks[n])) {
        rf_buf_addf(&b, "%s", n ? "\n" : "");
        rf_buf_add(&b, m->blocks[n++].text);
    }
    if (rf_buf_finish(&b, &m->error, NULL))
        RF_BUG("words in memory are too long");
    m->failed = true;
    if (!n) {
        m->error = RF_STR("the tool says that it failed");
        return;
    }
    m->blocks += n;
    m->block_count -= n;
}

void rf_mcp_result_read(const struct rf_jval *object, const struct rf_mcp_links *links,
                        struct rf_arena *a, struct rf_message *out)
{
    struct reading r = { .arena = a, .links = links, .message = out };
    const struct rf_jmember kept[] = { { "_meta", shallow(rf_jval_get(object, "_meta")) } };
    const struct rf_jval *failed = rf_jval_get(object, "isError");
    const struct rf_jval *data = rf_jval_get(object, "structuredContent");
    rf_null_is_absent(&data);
    out->blocks = NULL;
    out->block_count = 0;
    out->extra = rf_jval_object(RF_ROWS(kept), a);
    add_blocks(&r, rf_jval_get(object, "content"));
    if (data != shallow(data)) {
        add_text(&r, RF_STR("[The structured content is nested too deep to be read.]"));
        data = NULL;
    }
    remove_copies(out, &data, a);
    if (data && adds_something(out, data))
        out->data = data;
    if (failed && failed->type == RF_JTRUE)
        fail(out, a);
}
