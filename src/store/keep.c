/* A message as it is stored: every file of it in a blob, no base64 in it, no text that is too long.
 *
 * What a model said to itself (thinking, calls, blocks of one dialect) stays as it came, byte for
 * byte. A file that cannot be had now, or is larger than may be kept, stays the path that it was,
 * and becomes a note when a request finds nothing there: no message is refused for a file of it.
 * What cannot be written is a failure, and then nothing is kept. */
#include "store/keep.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "content/block.h"
#include "content/message.h"
#include "source/base64_text.h"
#include "source/lift.h"

#define MAX_WORDS ((size_t)512) /* bytes of what was said first */

enum rf_code rf_keep_bytes(struct rf_store *s, struct rf_bytes bytes, const struct rf_looked *was,
                           uint64_t most, struct rf_arena *a, struct rf_blob_row *row,
                           struct rf_inspection *look, struct rf_err *err)
{
    struct rf_blob_row kept = { .size = (int64_t)bytes.size };
    struct rf_inspection seen;
    enum rf_code rc = rf_inspect_once(&bytes, was, a, &seen, err);
    if (!rc)
        rc = rf_blobs_put(s->blobs, &bytes, most, &kept.hash, &kept.object, err);
    if (rc)
        return rc;
    kept.look = rf_inspection_write(&seen, a);
    *row = kept;
    *look = seen;
    return RF_OK;
}

struct rf_str rf_keep_id(const struct rf_hash *hash, struct rf_arena *a)
{
    return rf_strf(a, "att_%.12s", hash->hex);
}

/* Files. */

static struct rf_str kind_of(const struct rf_block *b, const struct rf_inspection *look)
{
    enum rf_kind kind = look->format ? look->format->kind : RF_KIND_UNKNOWN;
    if (b->type == RF_BLOCK_AUDIO && kind == RF_KIND_VIDEO)
        kind = RF_KIND_AUDIO;
    return rf_str(rf_kind_name(kind));
}

/* List a media block's blob for the tables. */
static void list_file(struct rf_keeping *k, const struct rf_block *b, const struct rf_blob_row *row,
                      const struct rf_inspection *look)
{
    const struct rf_format *f = rf_format_refine(look->format, b->media.media_type, b->media.name);
    struct rf_kept_file *file = RF_PUSH(k->arena, k->out->files, k->out->count, k->out->cap);
    struct rf_str id = rf_clean_name(b->media.id, k->arena);
    *file = (struct rf_kept_file){
        .row = *row,
        .id = id.n ? id : rf_keep_id(&row->hash, k->arena),
        .kind = kind_of(b, look),
        .name = rf_clean_name(b->media.name, k->arena),
        .mime = f ? rf_str(f->mime) : RF_STR(""),
        .width = look->facts.width,
        .height = look->facts.height,
        .duration_ms = look->facts.duration_ms,
    };
}

/* A blob that was put for a message before this one, whose row is not entered yet. */
static enum rf_code find_put(struct rf_keeping *k, const struct rf_hash *hash,
                             struct rf_blob_row *row, struct rf_err *err)
{
    struct rf_bytes bytes;
    struct rf_inspection look;
    if (!rf_blobs_has(k->store->blobs, hash, 0))
        return RF_ENOTFOUND;
    enum rf_code rc = rf_blobs_get(k->store->blobs, hash, 0, k->arena, &bytes, err);
    if (!rc)
        rc = rf_inspect(&bytes, k->arena, &look, err);
    if (!rc)
        *row = (struct rf_blob_row){ .hash = *hash,
                                     .size = (int64_t)bytes.size,
                                     .look = rf_inspection_write(&look, k->arena) };
    return rc;
}

/* A blob that the message names. One that the session may not see, or the store has not whole,
 * stays a name. */
static enum rf_code refer(struct rf_keeping *k, const struct rf_block *b, struct rf_str blob,
                          struct rf_err *err)
{
    struct rf_hash hash;
    struct rf_blob_row row;
    struct rf_inspection look;
    if (!rf_hash_read(blob, &hash))
        return RF_OK;
    enum rf_code rc = rf_session_reach(k->session, blob, k->arena, &hash, err);
    if (rc)
        return rc == RF_ENOTFOUND ? RF_OK : rc;
    rc = rf_store_find_blob(k->store, &hash, k->arena, &row, err);
    if (rc == RF_ENOTFOUND)
        rc = find_put(k, &hash, &row, err);
    if (rc)
        return rc == RF_ENOTFOUND || rc == RF_EFORMAT ? RF_OK : rc;
    if (!rf_inspection_read(row.look, k->arena, &look))
        look = (struct rf_inspection){ 0 };
    list_file(k, b, &row, &look);
    return RF_OK;
}

static enum rf_code put(struct rf_keeping *k, struct rf_block *b, const struct rf_bytes *bytes,
                        uint64_t most, struct rf_err *err)
{
    struct rf_blob_row row;
    struct rf_inspection look;
    enum rf_code rc =
        rf_keep_bytes(k->store, *bytes, b->media.source.looked, most, k->arena, &row, &look, err);
    if (rc)
        return rc;
    rf_session_took(k->session, &row.hash);
    b->media.source = (struct rf_source){
        .kind = RF_SOURCE_BLOB,
        .ref = rf_hash_write(&row.hash, k->arena),
    };
    list_file(k, b, &row, &look);
    return RF_OK;
}

static enum rf_code keep_path(struct rf_keeping *k, struct rf_block *b, struct rf_err *err)
{
    uint64_t most = (uint64_t)k->store->options.file_bytes;
    struct rf_str path = b->media.source.ref, name = b->media.name;
    struct rf_bytes bytes;
    struct rf_inspection look;
    if (k->store->options.leave_files ||
        rf_source_bytes(&b->media.source, k->place, k->arena, &bytes, NULL) || bytes.size > most)
        return RF_OK;
    if (!name.n)
        b->media.name = rf_str_behind(path, '/');
    enum rf_code rc = put(k, b, &bytes, most, err);
    if (!rc)
        return RF_OK;
    b->media.name = name;
    bool unreadable = rf_inspect(&bytes, k->arena, &look, NULL) != RF_OK;
    return unreadable ? RF_OK : rc;
}

/* What is not base64, and long enough to be some that was cut off, is kept as the text it is. */
static enum rf_code keep_data(struct rf_keeping *k, struct rf_block *b, struct rf_err *err)
{
    struct rf_bytes bytes;
    if (rf_source_bytes(&b->media.source, k->place, k->arena, &bytes, NULL)) {
        if (b->media.source.ref.n < RF_MIN_LIFT_BASE64)
            return RF_OK;
        bytes = rf_bytes_memory(b->media.source.ref);
    }
    return put(k, b, &bytes, UINT64_MAX, err);
}

static enum rf_code keep_source(struct rf_keeping *k, struct rf_block *b, struct rf_err *err)
{
    const struct rf_source *s = &b->media.source;
    switch (s->kind) {
    case RF_SOURCE_PATH:
        return keep_path(k, b, err);
    case RF_SOURCE_DATA:
    case RF_SOURCE_BYTES:
        return keep_data(k, b, err);
    case RF_SOURCE_URL:
        return rf_is_data_url(s->ref) ? keep_data(k, b, err) : RF_OK;
    case RF_SOURCE_BLOB:
        return refer(k, b, s->ref, err);
    case RF_SOURCE_FILE_ID:
        return refer(k, b, s->blob, err);
    case RF_SOURCE_NONE:
        break;
    }
    return RF_OK;
}

/* Blocks. */

static void push(struct rf_keeping *k, const struct rf_block *b)
{
    *RF_PUSH(k->arena, k->blocks, k->count, k->cap) = *b;
}

static enum rf_code keep_file(struct rf_keeping *k, struct rf_block b, struct rf_err *err)
{
    enum rf_code rc = keep_source(k, &b, err);
    if (!rc)
        push(k, &b);
    return rc;
}

/* The files that were lifted out of texts, as blocks. */
static enum rf_code keep_lifted(struct rf_keeping *k, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < k->lifted_count; i++)
        rc = keep_file(k, k->lifted[i], err);
    k->lifted_count = 0;
    return rc;
}

/* A text that was cut earlier, perhaps by another measure, refers to its blob already. */
static enum rf_code shorten(struct rf_keeping *k, struct rf_str *text, struct rf_str *blob,
                            struct rf_err *err)
{
    const struct rf_block none = { .type = RF_BLOCK_TEXT };
    struct rf_str was = *blob;
    enum rf_code rc = RF_OK;
    if (!was.n || text->n > RF_KEEP_MOST_CUT)
        rc = rf_keep_long_text(k, text, blob, err);
    if (!rc && was.n && blob->p == was.p)
        rc = refer(k, &none, was, err);
    return rc;
}

static enum rf_code keep_media(struct rf_keeping *k, struct rf_block b, struct rf_err *err)
{
    struct rf_str *text = b.type == RF_BLOCK_AUDIO ? &b.media.transcript : &b.media.extracted_text;
    b.text_fallback = rf_keep_lift(k, b.text_fallback);
    *text = rf_keep_lift(k, *text);
    enum rf_code rc = keep_file(k, b, err);
    if (!rc) {
        struct rf_block *kept = &k->blocks[k->count - 1];
        text = b.type == RF_BLOCK_AUDIO ? &kept->media.transcript : &kept->media.extracted_text;
        rc = shorten(k, text, &kept->full_text, err);
    }
    return rc ? rc : keep_lifted(k, err);
}

static enum rf_code keep_text(struct rf_keeping *k, struct rf_block b, struct rf_str text,
                              struct rf_err *err)
{
    b.text = text;
    enum rf_code rc = shorten(k, &b.text, &b.full_text, err);
    if (!rc)
        push(k, &b);
    return rc;
}

/* Files that hide in a text become blocks in their places; those in JSON, after it. */
static enum rf_code keep_searched(struct rf_keeping *k, struct rf_block b, struct rf_err *err)
{
    struct rf_lifted lifted = { 0 };
    struct rf_str text = b.text, before, after, json;
    struct rf_block found;
    enum rf_code rc = RF_OK;
    size_t had = k->count;
    if (rf_lift_json_text(text, k->arena, &json, &lifted)) {
        rc = keep_text(k, b, json, err);
        for (size_t i = 0; !rc && i < lifted.count; i++)
            rc = keep_file(k, *lifted.blocks[i], err);
        return rc;
    }
    while (!rc && rf_lift_text(text, k->arena, &before, &found, &after)) {
        if (!rf_str_blank(before)) {
            rc = keep_text(k, b, before, err);
            b = (struct rf_block){ .type = RF_BLOCK_TEXT };
        }
        if (!rc)
            rc = keep_file(k, found, err);
        text = after;
    }
    if (!rc && (k->count == had || !rf_str_blank(text)))
        rc = keep_text(k, b, text, err);
    return rc;
}

/* A JSON value without the files in it; too long a one becomes a text block. */
static enum rf_code keep_value(struct rf_keeping *k, const struct rf_jval **v, struct rf_block *cut,
                               bool *is_long, struct rf_err *err)
{
    struct rf_lifted lifted = { 0 };
    struct rf_str json = rf_lift_json(*v, k->arena, &lifted);
    for (size_t i = 0; i < lifted.count; i++)
        *RF_PUSH(k->arena, k->lifted, k->lifted_count, k->lifted_cap) = *lifted.blocks[i];
    if (lifted.count && rf_jval_parse(json, k->arena, v, NULL))
        RF_BUG("JSON that was written cannot be read");
    return rf_keep_long_json(k, *v, json, cut, is_long, err);
}

static enum rf_code keep_json(struct rf_keeping *k, struct rf_block b, struct rf_err *err)
{
    struct rf_block cut;
    bool is_long = false;
    enum rf_code rc = b.value ? keep_value(k, &b.value, &cut, &is_long, err) : RF_OK;
    if (rc)
        return rc;
    if (is_long) {
        cut.text_fallback = b.text_fallback;
        b.value = NULL;
        cut.extra = rf_block_copy(&b, k->arena).extra; /* which is not of its old type */
    }
    push(k, is_long ? &cut : &b);
    return keep_lifted(k, err);
}

static enum rf_code keep_block(struct rf_keeping *k, const struct rf_block *b, struct rf_err *err)
{
    switch (b->type) {
    case RF_BLOCK_TEXT:
        return keep_searched(k, *b, err);
    case RF_BLOCK_JSON:
        return keep_json(k, *b, err);
    case RF_BLOCK_IMAGE:
    case RF_BLOCK_DOCUMENT:
    case RF_BLOCK_AUDIO:
    case RF_BLOCK_VIDEO:
        return keep_media(k, *b, err);
    case RF_BLOCK_THINKING:
    case RF_BLOCK_TOOL_CALL:
    case RF_BLOCK_OPAQUE:
        push(k, b);
        break;
    }
    return RF_OK;
}

/* What is taken out of a block is for the same eyes. */
static enum rf_code keep_all_of(struct rf_keeping *k, const struct rf_block *b, struct rf_err *err)
{
    size_t first = k->count;
    enum rf_code rc = keep_block(k, b, err);
    for (size_t i = first; i < k->count; i++)
        k->blocks[i].audience = b->audience;
    return rc;
}

/* Messages. */

/* Output, error and data; what comes out of them stands before the other blocks, in the order in
 * which a model reads them. */
static enum rf_code keep_result(struct rf_keeping *k, struct rf_message *m, struct rf_err *err)
{
    struct rf_block cut;
    bool is_long = false;
    m->output = rf_keep_lift(k, m->output);
    enum rf_code rc = shorten(k, &m->output, &m->full_output, err);
    if (rc)
        return rc;
    m->error = rf_keep_lift(k, m->error);
    rc = shorten(k, &m->error, &m->full_error, err);
    if (!rc && m->data)
        rc = keep_value(k, &m->data, &cut, &is_long, err);
    if (rc)
        return rc;
    if (is_long) {
        push(k, &cut);
        m->data = NULL;
    }
    return keep_lifted(k, err);
}

static struct rf_str first_words(const struct rf_message *m)
{
    if (m->role != RF_ROLE_USER || m->speaker != RF_SPEAKER_USER)
        return RF_STR("");
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks[i].type == RF_BLOCK_TEXT && !rf_str_blank(m->blocks[i].text))
            return rf_utf8_cut(rf_str_trim(m->blocks[i].text), MAX_WORDS);
    return RF_STR("");
}

/* What could not be read again would close its session for good. */
static enum rf_code write_body(const struct rf_message *m, struct rf_arena *a, struct rf_str *out,
                               struct rf_err *err)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_message_write(m, &w);
    enum rf_code rc = rf_json_finish(&w, err);
    if (!rc && w.deepest > RF_MAX_JSON_DEPTH)
        rc = rf_fail(err, RF_ELIMIT, "the message is nested more than %d deep", RF_MAX_JSON_DEPTH);
    return rc ? rc : rf_rope_flatten(&rope, RF_MAX_DOCUMENT_BYTES, a, out, err);
}

enum rf_code rf_keep_message(struct rf_session *s, struct rf_message *m,
                             const struct rf_asset_place *place, struct rf_arena *a,
                             struct rf_kept *out, struct rf_err *err)
{
    struct rf_kept kept = { 0 };
    const struct rf_asset_place theirs = rf_asset_place_for(place, m->role);
    struct rf_keeping k = {
        .session = s, .store = s->store, .place = &theirs, .arena = a, .out = &kept
    };
    enum rf_code rc = m->role == RF_ROLE_TOOL ? keep_result(&k, m, err) : RF_OK;
    for (size_t i = 0; !rc && i < m->block_count; i++)
        rc = keep_all_of(&k, &m->blocks[i], err);
    m->blocks = k.blocks;
    m->block_count = k.count;
    if (!rc)
        rc = write_body(m, a, &kept.body, err);
    if (rc)
        return rc;
    kept.first_words = rf_str_dup(a, first_words(m));
    *out = kept;
    return RF_OK;
}
