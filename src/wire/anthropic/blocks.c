/* The blocks of Anthropic's requests, read.
 *
 *     on the wire                    becomes
 *     text                           text; citations as the format spells them
 *     image, document                image, document; a text is a file in memory
 *     document of a list of texts    text: title and texts
 *     document of a list of blocks   the blocks, after its title
 *     search_result                  text: title, source and what was found
 *     thinking, redacted_thinking    thinking
 *     tool_use                       tool_call
 *     tool_result                    a tool message
 *     any other                      opaque
 *
 * Members without a field are kept under "extra" of the block. A text block that stands for another
 * one has that one's `type` among them.
 *
 * It refuses what cannot be told apart: a block without a type, a file without a source, a call or
 * a result without an id.
 */
#include "wire/anthropic/parse.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "content/block.h"
#include "content/fields.h"
#include "content/seal.h"
#include "wire/aside.h"

/* A block at its place. */
struct piece {
    const struct rf_jval *v;
    const struct rf_jpath *at;
    enum rf_role role;
};

static const char *const nothing[] = { NULL };

/* Members. */

enum rf_code rf_anthropic_member(struct rf_anthropic_request *r, const struct rf_jval *object,
                                 const struct rf_jpath *at, const char *name,
                                 enum rf_jfield_type type, void *out)
{
    const struct rf_jfield field = { name, type, 0, true };
    return rf_jval_fields(object, at, &field, 1, r->b->arena, out, r->err);
}

struct rf_str rf_anthropic_str(struct rf_anthropic_request *r, const struct rf_jval *object,
                               const char *name)
{
    return rf_build_str(r->b, rf_jval_get(object, name));
}

bool rf_anthropic_has_type(const struct rf_jval *block, const char *type)
{
    const struct rf_jval *v = rf_jval_get(block, "type");
    return v && rf_jval_is(v, type);
}

bool rf_anthropic_is_plain(const struct rf_jval *block)
{
    static const char *const members[] = { "type", "text", NULL };
    return rf_anthropic_has_type(block, "text") && rf_jval_has_only(block, members);
}

enum rf_code rf_anthropic_unknown(struct rf_anthropic_request *r, const struct rf_jpath *at,
                                  const char *field, const char *what, struct rf_str name)
{
    const struct rf_jpath here = { .up = at, .field = field };
    name = rf_utf8_cut(name, RF_MAX_NAME_SHOWN);
    return rf_fail_at(r->err, RF_EFORMAT, &here, "unknown %s \"%.*s\"", what, RF_FMT(name));
}

/* Text. */

static const struct rf_jval *citations(struct rf_anthropic_request *r, const struct rf_jval *list)
{
    struct rf_rope rope;
    struct rf_json w;
    if (!list || list->type != RF_JARRAY)
        return NULL;
    rf_rope_init(&rope, r->b->arena);
    rf_json_init(&w, &rope);
    rf_json_arr(&w, NULL);
    for (const struct rf_jval *c = rf_jval_first(list); c; c = rf_jval_next(list, c))
        if (c->type == RF_JOBJECT)
            rf_anthropic_citation(&w, c);
    rf_json_end(&w);
    return rf_aside_made(&w, r->b->arena);
}

static enum rf_code add_text(struct rf_anthropic_request *r, const struct piece *p)
{
    static const char *const known[] = { "type", "text", NULL };
    struct rf_str text;
    enum rf_code rc = rf_anthropic_member(r, p->v, p->at, "text", RF_FIELD_STR, &text);
    struct rf_block *block = rc ? NULL : rf_build_text(r->b, text);
    if (!block)
        return rc;
    block->citations = citations(r, rf_jval_get(p->v, "citations"));
    block->extra = rf_build_extra(r->b, p->v, known);
    return RF_OK;
}

/* Line by line; all of it stays beside that. */
static enum rf_code add_lines(struct rf_anthropic_request *r, const struct piece *p,
                              const struct rf_jval *list)
{
    struct rf_arena *a = r->b->arena;
    struct rf_texts lines = { 0 };
    rf_texts_add(&lines, rf_anthropic_str(r, p->v, "title"), a);
    rf_texts_add(&lines, rf_anthropic_str(r, p->v, "source"), a);
    const struct rf_jval *e = list && list->type == RF_JARRAY ? rf_jval_first(list) : NULL;
    for (; e; e = rf_jval_next(list, e))
        rf_texts_add(&lines, rf_anthropic_str(r, e, "text"), a);
    struct rf_block *block = rf_build_text(r->b, rf_texts_join(&lines, RF_STR("\n"), a));
    if (block)
        block->extra = rf_build_extra(r->b, p->v, nothing);
    else
        rf_build_opaque(r->b, p->v);
    return RF_OK;
}

static enum rf_code add_search_result(struct rf_anthropic_request *r, const struct piece *p)
{
    return add_lines(r, p, rf_jval_get(p->v, "content"));
}

static bool all_texts(const struct rf_jval *list)
{
    for (const struct rf_jval *e = rf_jval_first(list); e; e = rf_jval_next(list, e)) {
        const struct rf_jval *text = rf_jval_get(e, "text");
        if (!rf_anthropic_has_type(e, "text") || !text || text->type != RF_JSTRING)
            return false;
    }
    return true;
}

/* Files. */

static void set_data(struct rf_block *block, struct rf_str ref)
{
    rf_build_data_source(block, ref);
}

static void set_url(struct rf_block *block, struct rf_str ref)
{
    rf_build_url_source(block, ref);
}

static void set_file_id(struct rf_block *block, struct rf_str ref)
{
    block->media.source = (struct rf_source){ .kind = RF_SOURCE_FILE_ID,
                                              .ref = ref,
                                              .provider = RF_ANTHROPIC_PROVIDER };
}

static void set_text(struct rf_block *block, struct rf_str text)
{
    block->media.source = (struct rf_source){ .kind = RF_SOURCE_BYTES, .ref = text };
    if (!block->media.media_type.n)
        block->media.media_type = RF_STR("text/plain");
}

static const struct source {
    const char *type, *member;
    void (*set)(struct rf_block *block, struct rf_str ref);
} sources[] = {
    { "base64", "data", set_data },     { "content", "content", set_text },
    { "file", "file_id", set_file_id }, { "text", "data", set_text },
    { "url", "url", set_url },
};

/* The blocks that a document is made of. What was said about the document stays with the last of
 * them that has nothing of its own to keep, since a mark holds for all before it. */
static enum rf_code add_made_up(struct rf_anthropic_request *r, const struct piece *p,
                                const struct rf_jval *list, const struct rf_jpath *at)
{
    static const char *const blocks[] = { "source", NULL };
    const struct rf_conversation *c = r->b->conversation;
    const struct rf_message *m = &c->messages[c->message_count - 1];
    struct rf_jpath item = { .up = at };
    size_t first = m->block_count;
    enum rf_code rc = rf_list_check(list, at, r->err);
    rf_build_text(r->b, rf_anthropic_str(r, p->v, "title"));
    const struct rf_jval *e = rf_jval_first(list);
    for (; e && !rc; e = rf_jval_next(list, e), item.index++)
        rc = rf_anthropic_block(r, e, &item, p->role);
    if (rc)
        return rc;
    if (first == m->block_count) {
        rf_build_opaque(r->b, p->v);
        return RF_OK;
    }
    size_t last = m->block_count;
    while (last > first && m->blocks[last - 1].extra)
        last--;
    if (last > first)
        m->blocks[last - 1].extra = rf_build_extra(r->b, p->v, blocks);
    return RF_OK;
}

static const struct rf_jval *rest_of_file(struct rf_anthropic_request *r, const struct rf_jval *v,
                                          enum rf_block_type type)
{
    static const char *const image[] = { "type", "source", NULL };
    static const char *const document[] = { "type", "source", "title", NULL };
    return rf_build_extra(r->b, v, type == RF_BLOCK_IMAGE ? image : document);
}

/* A document of no words is kept as it came; a file of no bytes is one that cannot be read. */
static enum rf_code add_sourced(struct rf_anthropic_request *r, const struct piece *p,
                                enum rf_block_type type, const struct source *source,
                                const struct rf_jval *from, const struct rf_jpath *at)
{
    struct rf_block block = { .type = type };
    struct rf_str ref;
    enum rf_code rc = rf_anthropic_member(r, from, at, source->member, RF_FIELD_STR, &ref);
    if (rc)
        return rc;
    block.media.media_type = rf_anthropic_str(r, from, "media_type");
    source->set(&block, ref);
    if (!ref.n && source->set != set_data) {
        rf_build_opaque(r->b, p->v);
        return RF_OK;
    }
    if (type == RF_BLOCK_DOCUMENT) { /* what this API has no block for stands in one, too */
        block.media.name = rf_anthropic_str(r, p->v, "title");
        block.type = rf_block_type_by_mime(block.media.media_type);
    }
    block.extra = rest_of_file(r, p->v, type);
    *rf_build_block(r->b, block.type) = block;
    return RF_OK;
}

static enum rf_code add_file(struct rf_anthropic_request *r, const struct piece *p,
                             enum rf_block_type type)
{
    const struct rf_jpath here = { .up = p->at, .field = "source" };
    const struct rf_jpath content = { .up = &here, .field = "content" };
    const size_t count = sizeof sources / sizeof *sources;
    const struct rf_jval *from;
    struct rf_str name;
    size_t i = 0;
    enum rf_code rc = rf_anthropic_member(r, p->v, p->at, "source", RF_FIELD_OBJECT, &from);
    if (!rc)
        rc = rf_anthropic_member(r, from, &here, "type", RF_FIELD_STR, &name);
    if (rc)
        return rc;
    while (i < count && !rf_str_is(name, sources[i].type))
        i++;
    if (i == count)
        return rf_anthropic_unknown(r, &here, "type", "source", name);
    const struct rf_jval *list = rf_jval_get(from, "content");
    if (sources[i].set == set_text && list && list->type == RF_JARRAY)
        return all_texts(list) ? add_lines(r, p, list) : add_made_up(r, p, list, &content);
    return add_sourced(r, p, type, &sources[i], from, &here);
}

static enum rf_code add_image(struct rf_anthropic_request *r, const struct piece *p)
{
    return add_file(r, p, RF_BLOCK_IMAGE);
}

static enum rf_code add_document(struct rf_anthropic_request *r, const struct piece *p)
{
    return add_file(r, p, RF_BLOCK_DOCUMENT);
}

/* What only a model says. */

static enum rf_code add_thinking(struct rf_anthropic_request *r, const struct piece *p)
{
    static const char *const known[] = { "type", "thinking", "signature", NULL };
    struct rf_block *block = rf_build_block(r->b, RF_BLOCK_THINKING);
    block->thinking.text = rf_anthropic_str(r, p->v, "thinking");
    struct rf_str mark = rf_anthropic_str(r, p->v, "signature");
    if (!rf_seal_open(r->b, mark, &block->thinking))
        block->thinking.signature = mark;
    block->extra = rf_build_extra(r->b, p->v, known);
    return RF_OK;
}

static enum rf_code add_redacted(struct rf_anthropic_request *r, const struct piece *p)
{
    static const char *const known[] = { "type", "data", NULL };
    struct rf_block *block = rf_build_block(r->b, RF_BLOCK_THINKING);
    block->thinking.redacted = rf_anthropic_str(r, p->v, "data");
    block->extra = rf_build_extra(r->b, p->v, known);
    return RF_OK;
}

static enum rf_code add_call(struct rf_anthropic_request *r, const struct piece *p)
{
    static const char *const known[] = { "type", "id", "name", "input", NULL };
    struct rf_str id, name;
    enum rf_code rc = rf_anthropic_member(r, p->v, p->at, "id", RF_FIELD_STR, &id);
    if (!rc)
        rc = rf_anthropic_member(r, p->v, p->at, "name", RF_FIELD_STR, &name);
    if (rc)
        return rc;
    struct rf_block *block = rf_build_call(r->b, id, name, rf_jval_get(p->v, "input"));
    if (!block->extra)
        block->extra = rf_build_extra(r->b, p->v, known);
    *RF_PUSH(r->b->arena, r->names, r->name_count, r->name_cap) = name;
    rf_ids_slot(&r->calls, id)->place = r->name_count;
    return RF_OK;
}

/* All of them. */

#define ASSISTANT (1u << RF_ROLE_ASSISTANT)
#define OTHERS (1u << RF_ROLE_USER | 1u << RF_ROLE_TOOL)

enum rf_code rf_anthropic_block(struct rf_anthropic_request *r, const struct rf_jval *v,
                                const struct rf_jpath *at, enum rf_role role)
{
    static const struct {
        const char *type;
        unsigned roles;
        enum rf_code (*add)(struct rf_anthropic_request *r, const struct piece *p);
    } kinds[] = {
        { "document", ASSISTANT | OTHERS, add_document },
        { "image", ASSISTANT | OTHERS, add_image },
        { "redacted_thinking", ASSISTANT, add_redacted },
        { "search_result", OTHERS, add_search_result },
        { "text", ASSISTANT | OTHERS, add_text },
        { "thinking", ASSISTANT, add_thinking },
        { "tool_use", ASSISTANT, add_call },
    };
    const struct piece p = { .v = v, .at = at, .role = role };
    struct rf_str type;
    enum rf_code rc = rf_anthropic_member(r, v, at, "type", RF_FIELD_STR, &type);
    if (rc)
        return rc;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (rf_str_is(type, kinds[i].type) && kinds[i].roles & 1u << role)
            return kinds[i].add(r, &p);
    rf_build_opaque(r->b, v);
    return RF_OK;
}

/* Results. */

/* A text that leads the way is the output, where nothing else is said about it. */
static enum rf_code add_result_blocks(struct rf_anthropic_request *r, struct rf_message *m,
                                      const struct rf_jval *list, const struct rf_jpath *at)
{
    struct rf_jpath item = { .up = at };
    enum rf_code rc = rf_list_check(list, at, r->err);
    const struct rf_jval *e = rf_jval_first(list);
    if (e && rf_anthropic_is_plain(e))
        m->output = rf_anthropic_str(r, e, "text");
    if (m->output.n) {
        e = rf_jval_next(list, e);
        item.index++;
    }
    for (; e && !rc; e = rf_jval_next(list, e), item.index++)
        rc = rf_anthropic_block(r, e, &item, RF_ROLE_TOOL);
    return rc;
}

enum rf_code rf_anthropic_result(struct rf_anthropic_request *r, const struct rf_jval *v,
                                 const struct rf_jpath *at)
{
    static const char *const known[] = { "type", "tool_use_id", "content", "is_error", NULL };
    const struct rf_jpath here = { .up = at, .field = "content" };
    const struct rf_jpath its_id = { .up = at, .field = "tool_use_id" };
    const struct rf_jval *content = rf_jval_get(v, "content"), *failed = rf_jval_get(v, "is_error");
    struct rf_str id;
    enum rf_code rc = rf_anthropic_member(r, v, at, "tool_use_id", RF_FIELD_STR, &id);
    if (!rc && !id.n)
        rc = rf_fail_at(r->err, RF_EFORMAT, &its_id, "the id is empty");
    if (rc)
        return rc;
    size_t place = rf_ids_slot(&r->calls, id)->place;
    struct rf_message *m = rf_build_message(r->b, RF_ROLE_TOOL);
    m->tool_call_id = id;
    m->name = place ? r->names[place - 1] : RF_STR("");
    m->failed = failed && failed->type == RF_JTRUE;
    m->extra = rf_build_extra(r->b, v, known);
    if (content && content->type == RF_JARRAY)
        return add_result_blocks(r, m, content, &here);
    if (content && content->type == RF_JSTRING)
        m->output = rf_anthropic_str(r, v, "content");
    else if (content && content->type != RF_JNULL)
        m->data = content;
    return RF_OK;
}
