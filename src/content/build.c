#include "content/build.h"

#include "base/arena.h"
#include "content/block.h"

void rf_builder_init(struct rf_builder *b, struct rf_conversation *c, struct rf_arena *a,
                     const char *dialect)
{
    *b = (struct rf_builder){ .conversation = c, .arena = a, .dialect = dialect };
    *c = (struct rf_conversation){ .arena = a, .dialect = rf_str(dialect) };
}

struct rf_message *rf_build_message(struct rf_builder *b, enum rf_role role)
{
    struct rf_conversation *c = b->conversation;
    struct rf_message *m = RF_PUSH(b->arena, c->messages, c->message_count, b->message_cap);
    *m = (struct rf_message){ .role = role };
    b->block_cap = 0;
    return m;
}

static struct rf_message *last_message(struct rf_builder *b)
{
    if (!b->conversation->message_count)
        RF_BUG("a block without a message");
    return &b->conversation->messages[b->conversation->message_count - 1];
}

struct rf_block *rf_build_block(struct rf_builder *b, enum rf_block_type type)
{
    struct rf_message *m = last_message(b);
    struct rf_block *block = RF_PUSH(b->arena, m->blocks, m->block_count, b->block_cap);
    *block = (struct rf_block){ .type = type };
    return block;
}

struct rf_block *rf_build_text(struct rf_builder *b, struct rf_str text)
{
    if (!text.n)
        return NULL;
    struct rf_block *block = rf_build_block(b, RF_BLOCK_TEXT);
    block->text = text;
    return block;
}

struct rf_block *rf_build_opaque(struct rf_builder *b, const struct rf_jval *value)
{
    struct rf_block *block = rf_build_block(b, RF_BLOCK_OPAQUE);
    block->dialect = rf_str(b->dialect);
    block->value = value;
    return block;
}

/* {"NAME": "words"} as a value, for a member that is not a field. */
static const struct rf_jval *one_member(struct rf_builder *b, const char *name, struct rf_str words)
{
    const struct rf_jmember member = { name, rf_jval_string(words, b->arena) };
    return rf_jval_object(&member, 1, b->arena);
}

struct rf_block *rf_build_call(struct rf_builder *b, struct rf_str id, struct rf_str name,
                               const struct rf_jval *arguments)
{
    struct rf_block *block = rf_build_block(b, RF_BLOCK_TOOL_CALL);
    block->call = (struct rf_tool_call){ .id = id, .name = name };
    if (arguments && arguments->type == RF_JSTRING) {
        struct rf_str words = rf_jval_text(arguments, b->arena);
        const struct rf_jval *inner = NULL;
        if (rf_str_blank(words))
            return block;
        if (rf_jval_parse(words, b->arena, &inner, NULL) || inner->type != RF_JOBJECT)
            block->extra = one_member(b, "malformed_arguments", words);
        else
            block->call.arguments = inner;
    } else if (arguments && arguments->type == RF_JOBJECT) {
        block->call.arguments = arguments;
    } else if (arguments && arguments->type != RF_JNULL) {
        struct rf_str words = rf_jval_compact(arguments, b->arena);
        block->extra = one_member(b, "malformed_arguments", words);
    }
    return block;
}

struct rf_block *rf_build_media(struct rf_builder *b, struct rf_str mime)
{
    struct rf_block *block = rf_build_block(b, rf_block_type_by_mime(mime));
    block->media.media_type = mime;
    return block;
}

void rf_build_data_source(struct rf_block *block, struct rf_str base64)
{
    block->media.source = base64.n
                              ? (struct rf_source){ .kind = RF_SOURCE_DATA, .ref = base64 }
                              : (struct rf_source){ .kind = RF_SOURCE_URL,
                                                    .ref = RF_STR("data:;base64,") };
}

/* "data:image/png;base64,…": the MIME type up to the first ';' or ','. Without ";base64" it stays a
 * URL, and is decoded where its bytes are looked at. */
void rf_build_url_source(struct rf_block *block, struct rf_str url)
{
    struct rf_source *s = &block->media.source;
    struct rf_str mime, rest = url;
    *s = (struct rf_source){ .kind = url.n ? RF_SOURCE_URL : RF_SOURCE_NONE, .ref = url };
    if (!rf_str_starts(url, "data:") || !rf_str_split(&rest, ',', &mime))
        return;
    if (rf_str_ends(mime, ";base64"))
        rf_build_data_source(block, rest);
    mime = (struct rf_str){ mime.p + 5, mime.n - 5 };
    rest = mime;
    rf_str_split(&rest, ';', &mime);
    if (mime.n)
        block->media.media_type = mime;
}

struct rf_tool *rf_build_tool(struct rf_builder *b)
{
    struct rf_conversation *c = b->conversation;
    struct rf_tool *t = RF_PUSH(b->arena, c->tools, c->tool_count, b->tool_cap);
    *t = (struct rf_tool){ 0 };
    return t;
}

const struct rf_jval *rf_build_extra(struct rf_builder *b, const struct rf_jval *object,
                                     const char *const *known)
{
    struct rf_rope rope;
    struct rf_str text;
    const struct rf_jval *v;
    if (!object || object->type != RF_JOBJECT || rf_jval_has_only(object, known))
        return NULL;
    struct rf_json *w = RF_NEW(b->arena, struct rf_json);
    rf_rope_init(&rope, b->arena);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    rf_json_obj(w, "extra");
    rf_json_obj(w, b->dialect);
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1))
        if (k[1].type != RF_JNULL && !rf_jval_is_any(k, known))
            rf_json_member(w, k);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, b->arena, &text, NULL) ||
        rf_jval_parse(text, b->arena, &v, NULL))
        RF_BUG("JSON in memory could not be written");
    return v;
}

struct rf_str rf_build_str(struct rf_builder *b, const struct rf_jval *v)
{
    return v && v->type == RF_JSTRING ? rf_jval_text(v, b->arena) : RF_STR("");
}
