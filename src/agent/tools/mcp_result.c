#include "agent/tools/mcp_result.h"

#include "base/arena.h"
#include "base/buf.h"
#include "content/block.h"

#define MOST_BLOCKS 1000
#define MOST_ERROR ((size_t)64 << 10) /* bytes of a failure in words */

struct reading {
    struct rf_arena *arena;
    struct rf_message *message;
    size_t cap;
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

static struct rf_block *add(struct reading *r, enum rf_block_type type)
{
    struct rf_message *m = r->message;
    struct rf_block *b = RF_PUSH(r->arena, m->blocks, m->block_count, r->cap);
    *b = (struct rf_block){ .type = type };
    return b;
}

static void add_text(struct reading *r, struct rf_str text)
{
    if (text.n)
        add(r, RF_BLOCK_TEXT)->text = text;
}

static void add_media(struct reading *r, struct rf_str data, struct rf_str mime, struct rf_str name)
{
    if (!data.n) {
        add_text(r, RF_STR("[The tool returned a file without any data.]"));
        return;
    }
    struct rf_block *b = add(r, rf_block_type_by_mime(mime));
    b->media.source = (struct rf_source){ .kind = RF_SOURCE_DATA, .ref = data };
    b->media.media_type = mime;
    b->media.name = name;
}

static void add_resource(struct reading *r, const struct rf_jval *resource)
{
    struct rf_str text = text_of(resource, "text", r->arena);
    struct rf_str blob = text_of(resource, "blob", r->arena);
    struct rf_str uri = text_of(resource, "uri", r->arena);
    if (blob.n)
        add_media(r, blob, text_of(resource, "mimeType", r->arena), rf_str_behind(uri, '/'));
    else
        add_text(r, text.n ? text : rf_strf(r->arena, "[Resource: %.*s]", RF_FMT(uri)));
}

/* Links are not followed unasked. */
static void add_link(struct reading *r, const struct rf_jval *block)
{
    struct rf_str uri = text_of(block, "uri", r->arena), name = text_of(block, "name", r->arena);
    add_text(r,
             rf_strf(r->arena, "[Link: %.*s%s%.*s]", RF_FMT(name), name.n ? " " : "", RF_FMT(uri)));
}

static void add_block(struct reading *r, const struct rf_jval *block)
{
    const struct rf_jval *type = rf_jval_get(block, "type");
    if (rf_jval_is(type, "text"))
        add_text(r, text_of(block, "text", r->arena));
    else if (rf_jval_is(type, "image") || rf_jval_is(type, "audio"))
        add_media(r, text_of(block, "data", r->arena), text_of(block, "mimeType", r->arena),
                  RF_STR(""));
    else if (rf_jval_is(type, "resource"))
        add_resource(r, rf_jval_get(block, "resource"));
    else if (rf_jval_is(type, "resource_link"))
        add_link(r, block);
    else
        add_text(r, rf_jval_compact(block, r->arena));
}

/* All that was said, as what went wrong. */
static struct rf_str words_of(const struct rf_message *m, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str words = RF_STR("");
    rf_buf_init(&b, a, MOST_ERROR);
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks[i].type == RF_BLOCK_TEXT && b.n + m->blocks[i].text.n + 1 <= MOST_ERROR) {
            rf_buf_addf(&b, "%s", b.n ? "\n" : "");
            rf_buf_add(&b, m->blocks[i].text);
        }
    if (rf_buf_finish(&b, &words, NULL))
        RF_BUG("words over their limit");
    return words.n ? words : RF_STR("the tool says that it failed, and not why");
}

static void keep_media(struct rf_message *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks[i].type != RF_BLOCK_TEXT)
            m->blocks[kept++] = m->blocks[i];
    m->block_count = kept;
}

void rf_mcp_result_read(const struct rf_jval *object, struct rf_arena *a, struct rf_message *out)
{
    struct reading r = { a, out, 0 };
    const struct rf_jval *content = rf_jval_get(object, "content");
    const struct rf_jval *failed = rf_jval_get(object, "isError");
    const struct rf_jval *data = rf_jval_get(object, "structuredContent");
    size_t count = 0;
    out->blocks = NULL;
    out->block_count = 0;
    for (const struct rf_jval *b = rf_jval_first(content); b; b = rf_jval_next(content, b)) {
        if (++count > MOST_BLOCKS) {
            add_text(
                &r, rf_strf(a, "[%u further blocks were left out.]", content->count - MOST_BLOCKS));
            break;
        }
        add_block(&r, b);
    }
    if (data && data->type == RF_JOBJECT && !out->block_count)
        out->data = data; /* servers repeat it as text for those who do not know it */
    if (failed && failed->type == RF_JTRUE) {
        out->failed = true;
        out->error = words_of(out, a);
        keep_media(out);
    }
}
