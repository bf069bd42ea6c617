/* Messages and blocks, as a program reads them. */
#include "content/result.h"

#include "base/json_doc.h"

size_t rf_conversation_count(const struct rf_conversation *c)
{
    return c->message_count;
}

const struct rf_message *rf_conversation_message(const struct rf_conversation *c, size_t i)
{
    return i < c->message_count ? &c->messages[i] : NULL;
}

/* Messages. */

enum rf_role rf_message_role(const struct rf_message *m)
{
    return m->role;
}

enum rf_speaker rf_message_speaker(const struct rf_message *m)
{
    return m->speaker;
}

size_t rf_message_count(const struct rf_message *m)
{
    return m->block_count;
}

const struct rf_block *rf_message_block(const struct rf_message *m, size_t i)
{
    return i < m->block_count ? &m->blocks[i] : NULL;
}

const struct rf_block *rf_message_file(const struct rf_message *m, const struct rf_block *after)
{
    for (size_t i = after ? (size_t)(after - m->blocks) + 1 : 0; i < m->block_count; i++)
        if (rf_block_is_media(m->blocks[i].type))
            return &m->blocks[i];
    return NULL;
}

struct rf_str rf_message_provider(const struct rf_message *m)
{
    return m->origin_provider;
}

struct rf_str rf_message_model(const struct rf_message *m)
{
    return m->origin_model;
}

struct rf_str rf_message_call(const struct rf_message *m)
{
    return m->tool_call_id;
}

struct rf_str rf_message_tool(const struct rf_message *m)
{
    return m->name;
}

struct rf_str rf_message_output(const struct rf_message *m)
{
    return m->output;
}

struct rf_str rf_message_error(const struct rf_message *m)
{
    return m->error;
}

bool rf_message_failed(const struct rf_message *m)
{
    return m->failed;
}

struct rf_jdoc *rf_message_data(const struct rf_message *m)
{
    return rf_jdoc_of(m->data);
}

struct rf_jdoc *rf_message_changed(const struct rf_message *m)
{
    return rf_jdoc_of(m->files_changed);
}

/* Blocks. */

enum rf_block_type rf_block_type_of(const struct rf_block *b)
{
    return b->type;
}

struct rf_str rf_block_text(const struct rf_block *b)
{
    return b->type == RF_BLOCK_THINKING ? b->thinking.text : b->text;
}

struct rf_str rf_block_fallback(const struct rf_block *b)
{
    return b->text_fallback;
}

struct rf_str rf_block_audience(const struct rf_block *b)
{
    return b->audience;
}

struct rf_str rf_block_dialect(const struct rf_block *b)
{
    return b->dialect;
}

struct rf_jdoc *rf_block_value(const struct rf_block *b)
{
    return rf_jdoc_of(b->type == RF_BLOCK_TEXT        ? b->citations
                      : b->type == RF_BLOCK_TOOL_CALL ? b->call.arguments
                                                      : b->value);
}

static enum rf_code check(const struct rf_block *b, bool fits, const char *want, struct rf_err *err)
{
    return fits ? RF_OK
                : rf_fail(err, RF_EUSAGE, "the block is \"%s\", not %s",
                          rf_block_type_name(b->type), want);
}

static void tell_source(const struct rf_source *s, struct rf_file *out)
{
    struct rf_str *const at[] = {
        [RF_SOURCE_PATH] = &out->path,   [RF_SOURCE_BLOB] = &out->blob,
        [RF_SOURCE_URL] = &out->url,     [RF_SOURCE_FILE_ID] = &out->file_id,
        [RF_SOURCE_DATA] = &out->base64, [RF_SOURCE_BYTES] = &out->bytes,
    };
    if (s->kind == RF_SOURCE_FILE_ID)
        out->blob = s->blob;
    if (s->kind != RF_SOURCE_NONE)
        *at[s->kind] = s->ref;
}

enum rf_code rf_block_file(const struct rf_block *b, struct rf_file *out, struct rf_err *err)
{
    const struct rf_media *m = &b->media;
    struct rf_file f = {
        .type = b->type,
        .provider = m->source.provider,
        .id = m->id,
        .name = m->name,
        .media_type = m->media_type,
        .detail = m->detail,
        .size_bytes = m->size_bytes,
        .width = m->width,
        .height = m->height,
        .page_count = m->page_count,
        .duration_ms = m->duration_ms,
        .extracted_text = m->extracted_text,
        .transcript = m->transcript,
    };
    tell_source(&m->source, &f);
    if (m->pages.first) {
        f.page_range[0] = m->pages.first - 1;
        f.page_range[1] = m->pages.last ? m->pages.last : INT64_MAX;
    }
    enum rf_code rc = check(b, rf_block_is_media(b->type), "a file", err);
    return rc ? rc : rf_struct_give(&f, RF_SIZES(rf_file, transcript), out, err);
}

enum rf_code rf_block_thinking(const struct rf_block *b, struct rf_thinking *out,
                               struct rf_err *err)
{
    enum rf_code rc = check(b, b->type == RF_BLOCK_THINKING, "thinking", err);
    return rc ? rc : rf_struct_give(&b->thinking, RF_SIZES(rf_thinking, field), out, err);
}

enum rf_code rf_block_call(const struct rf_block *b, struct rf_call *out, struct rf_err *err)
{
    const struct rf_call call = {
        .id = b->call.id,
        .name = b->call.name,
        .arguments = b->call.arguments ? b->call.arguments->raw : RF_STR("{}"),
        .signature = b->call.signature,
    };
    enum rf_code rc = check(b, b->type == RF_BLOCK_TOOL_CALL, "a call", err);
    return rc ? rc : rf_struct_give(&call, RF_SIZES(rf_call, signature), out, err);
}
