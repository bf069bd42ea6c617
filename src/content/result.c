/* A tool's result: made, read and written. */
#include "content/result.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "content/block.h"
#include "content/message.h"

struct rf_result *rf_result_new(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_result *r = RF_NEW(a, struct rf_result);
    r->arena = a;
    r->message.role = RF_ROLE_TOOL;
    r->content = (struct rf_content){ .arena = a, .message = &r->message };
    return r;
}

static enum rf_code read_value(struct rf_str text, struct rf_result *r, struct rf_err *err)
{
    const struct rf_jval *v;
    enum rf_code rc = rf_jval_parse(rf_str_dup(r->arena, text), r->arena, &v, err);
    if (!rc && v->type == RF_JSTRING)
        r->message.output = rf_jval_text(v, r->arena);
    else if (!rc)
        rc = rf_tool_message_read(v, r->arena, &r->message, err);
    const struct rf_jval *name = rc ? NULL : rf_jval_get(v, "name");
    if (name && name->type == RF_JSTRING)
        r->message.name = rf_jval_text(name, r->arena);
    if (!rc && r->message.failed)
        rf_fail(&r->err, RF_EINTERNAL, "%.*s", RF_FMT(r->message.error));
    return rc;
}

enum rf_code rf_result_read(struct rf_str text, struct rf_result **out, struct rf_err *err)
{
    if (text.n > RF_MAX_DOCUMENT_BYTES)
        return rf_fail(err, RF_ELIMIT, "the result has %zu bytes, limit is %zu", text.n,
                       RF_MAX_DOCUMENT_BYTES);
    struct rf_result *r = rf_result_new();
    enum rf_code rc = read_value(text, r, err);
    if (rc)
        rf_result_free(r);
    else
        *out = r;
    return rc;
}

void rf_result_free(struct rf_result *r)
{
    if (r)
        rf_arena_free(r->arena);
}

struct rf_content *rf_result_content(struct rf_result *r)
{
    return r ? &r->content : NULL;
}

/* Setting. */

static enum rf_code check(const struct rf_result *r, struct rf_str text, const char *field,
                          struct rf_err *err)
{
    return r ? rf_text_check(text, field, err) : rf_fail(err, RF_EUSAGE, "there is no result");
}

enum rf_code rf_result_output(struct rf_result *r, struct rf_str text, struct rf_err *err)
{
    enum rf_code rc = check(r, text, "output", err);
    if (!rc)
        r->message.output = rf_str_dup(r->arena, text);
    return rc;
}

enum rf_code rf_result_fail(struct rf_result *r, struct rf_str why, struct rf_err *err)
{
    enum rf_code rc = check(r, why, "error", err);
    if (rc)
        return rc;
    r->message.failed = true;
    r->message.error = rf_str_dup(r->arena, why);
    rf_fail(&r->err, RF_EINTERNAL, "%.*s", RF_FMT(why));
    return RF_OK;
}

enum rf_code rf_result_data(struct rf_result *r, struct rf_str value, struct rf_err *err)
{
    const struct rf_jval *v;
    enum rf_code rc = check(r, value, "data", err);
    if (rc)
        return rc;
    struct rf_arena *scratch = rf_arena_new();
    rc = rf_value_check(value, "data", scratch, &v, err);
    if (!rc)
        r->message.data = rf_jval_copy(v, r->arena);
    rf_arena_free(scratch);
    return rc;
}

enum rf_code rf_result_changed(struct rf_result *r, struct rf_str path, struct rf_err *err)
{
    enum rf_code rc = check(r, path, "files_changed", err);
    if (!rc)
        rc = rf_text_check_given(path, "files_changed", err);
    if (rc)
        return rc;
    return rf_value_append(&r->message.files_changed, &r->changed_cap,
                           rf_jval_string(path, r->arena), r->arena, err);
}

/* Reading. */

const struct rf_err *rf_result_error(const struct rf_result *r)
{
    return &r->err;
}

const struct rf_message *rf_result_message(const struct rf_result *r)
{
    return &r->message;
}

static struct rf_message without_files(const struct rf_message *m, struct rf_arena *a)
{
    struct rf_message rest = *m;
    rest.blocks = RF_ARRAY(a, struct rf_block, m->block_count);
    rest.block_count = 0;
    for (size_t i = 0; i < m->block_count; i++)
        if (!rf_block_is_media(m->blocks[i].type))
            rest.blocks[rest.block_count++] = m->blocks[i];
    return rest;
}

static struct rf_message extent_of(const struct rf_result *r, enum rf_extent extent)
{
    return extent == RF_WITHOUT_FILES ? without_files(&r->message, r->arena) : r->message;
}

enum rf_code rf_result_json(struct rf_result *r, enum rf_extent extent, struct rf_str *json,
                            struct rf_err *err)
{
    const struct rf_message m = extent_of(r, extent);
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, r->arena);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str_opt(&w, "name", m.name);
    rf_json_bool(&w, "success", !m.failed);
    rf_json_str(&w, "output", m.output);
    rf_json_str_opt(&w, "error", m.error);
    if (m.data)
        rf_json_value(&w, "data", m.data);
    if (m.files_changed)
        rf_json_value(&w, "files_changed", m.files_changed);
    rf_blocks_write(&m, "content_blocks", &w);
    rf_json_end(&w);
    enum rf_code rc = rf_json_finish(&w, err);
    return rc ? rc : rf_rope_flatten(&rope, RF_MAX_DOCUMENT_BYTES, r->arena, json, err);
}

/* What a block is to a model that takes text alone. */
static struct rf_str text_of(const struct rf_block *b, struct rf_str output, struct rf_arena *a)
{
    if (rf_block_is_for_person(b))
        return RF_STR("");
    if (b->type == RF_BLOCK_TEXT)
        return b->text;
    if (b->type == RF_BLOCK_JSON)
        return rf_jval_compact(b->value, a);
    if (b->type == RF_BLOCK_DOCUMENT && b->media.extracted_text.n)
        return b->media.extracted_text;
    return rf_str_contains(output, b->text_fallback) ? RF_STR("") : b->text_fallback;
}

static void add_part(struct rf_buf *b, struct rf_str more)
{
    if (more.n && b->n && b->p[b->n - 1] != '\n')
        rf_buf_addc(b, '\n');
    if (more.n && b->n)
        rf_buf_addc(b, '\n');
    rf_buf_add(b, more);
}

enum rf_code rf_result_text(struct rf_result *r, enum rf_extent extent, struct rf_str *text,
                            struct rf_err *err)
{
    const struct rf_message m = extent_of(r, extent);
    struct rf_buf b;
    rf_buf_init(&b, r->arena, RF_MAX_DOCUMENT_BYTES);
    rf_buf_add(&b, m.output);
    add_part(&b, m.error);
    if (m.data)
        add_part(&b, rf_jval_compact(m.data, r->arena));
    for (size_t i = 0; i < m.block_count; i++)
        add_part(&b, text_of(&m.blocks[i], m.output, r->arena));
    return rf_buf_finish(&b, text, err);
}
