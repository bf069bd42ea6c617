/* A session as a conversation: its settings and all its messages as one document, and what is
 * known of its files, from a handful of queries and without touching a blob.
 *
 * Messages are read before what they refer to, so that a message which somebody adds meanwhile
 * is there with its files or not at all. */
#include "base/arena.h"
#include "base/limits.h"
#include "content/message.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdlib.h>

/* Messages */

struct loading {
    struct rf_session *session;
    struct rf_conversation *to;
    size_t cap, bytes;
};

/* All of it was read before it was kept: what cannot be read has changed since. */
static enum rf_code fail_damaged(const struct loading *l, enum rf_code rc, struct rf_err *err)
{
    const struct rf_session *s = l->session;
    const char *place = rc == RF_EFORMAT
                            ? rf_strf(l->to->arena, "session %s is damaged in the store \"%s\"",
                                      s->id, s->store->place)
                                  .p
                            : rf_strf(l->to->arena, "session %s", s->id).p;
    rf_err_at(err, place);
    if (rc == RF_EFORMAT)
        rf_hint(err, "Bring the store back from a copy.");
    return rc;
}

/* Settings have the limit for themselves: they change, and must not make messages unreadable. */
static enum rf_code parse(struct loading *l, struct rf_str body, size_t before,
                          const struct rf_jval **out, struct rf_err *err)
{
    struct rf_arena *a = l->to->arena;
    if (body.n > RF_MAX_DOCUMENT_BYTES - before)
        return rf_fail(err, RF_ELIMIT, "text is over the limit of %zu bytes",
                       RF_MAX_DOCUMENT_BYTES);
    return rf_jval_parse(rf_str_dup(a, body), a, out, err);
}

static enum rf_code take_message(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    struct loading *l = ctx;
    struct rf_conversation *c = l->to;
    const struct rf_jpath list = { .field = "messages" };
    const struct rf_jpath at = { .up = &list, .index = c->message_count };
    const struct rf_jval *v;
    (void)count;
    if (columns[0].number != (int64_t)c->message_count)
        return rf_fail(err, RF_EFORMAT,
                       "the store is damaged: message %zu of session %s is missing",
                       c->message_count, l->session->id);
    enum rf_code rc = parse(l, columns[1].text, l->bytes, &v, err);
    l->bytes += columns[1].text.n;
    if (!rc)
        rc = rf_message_read(v, &at, c->arena,
                             RF_PUSH(c->arena, c->messages, c->message_count, l->cap), err);
    return rc ? fail_damaged(l, rc, err) : RF_OK;
}

static enum rf_code take_settings(void *ctx, const struct rf_sql_value *columns, size_t count,
                                  struct rf_err *err)
{
    struct loading *l = ctx;
    const struct rf_jval *v;
    struct rf_conversation c;
    (void)count;
    enum rf_code rc = parse(l, columns[0].text, 0, &v, err);
    if (!rc)
        rc = rf_settings_read(v, l->to->arena, &c, err);
    if (rc)
        return fail_damaged(l, rc, err);
    c.messages = l->to->messages;
    c.message_count = l->to->message_count;
    *l->to = c;
    return RF_OK;
}

static enum rf_code read_rows(struct loading *l, struct rf_err *err)
{
    struct rf_store *store = l->session->store;
    const struct rf_sql_value id = rf_sql_text(rf_str(l->session->id));
    enum rf_code rc = rf_store_query(
        store, "SELECT number, body FROM messages WHERE session = $1 ORDER BY number", &id, 1,
        take_message, l, err);
    if (rc)
        return rc;
    if ((int64_t)l->to->message_count < l->session->count) {
        rf_fail(err, RF_EFORMAT, "session %s has %zu messages and had %" PRId64, l->session->id,
                l->to->message_count, l->session->count);
        rf_hint(err, "It was removed meanwhile, or the store is damaged.");
        return RF_EFORMAT;
    }
    if ((int64_t)l->to->message_count > l->session->count)
        l->session->no_files = false; /* others have written to it */
    return rf_store_query(
        store, "SELECT body FROM settings WHERE session = $1 ORDER BY number DESC LIMIT 1", &id, 1,
        take_settings, l, err);
}

/* Blobs */

struct blob {
    struct rf_hash hash;
    int64_t size, object;
    struct rf_str line; /* the look, as it was written */
    struct rf_inspection look;
    bool looked, dropped;
    struct rf_withheld *withheld;
    size_t withheld_count, withheld_cap;
};

/* Sorted by hash. */
struct blobs {
    struct rf_store *store;
    struct rf_arena *arena;
    struct blob *items;
    size_t count, cap;
};

static int by_hash(const void *a, const void *b)
{
    const struct blob *x = a, *y = b;
    return memcmp(x->hash.hex, y->hash.hex, RF_HASH_HEX);
}

static struct blob *find(const struct blobs *b, struct rf_str hex)
{
    struct blob key;
    if (hex.n != RF_HASH_HEX || !b->count)
        return NULL;
    memcpy(key.hash.hex, hex.p, RF_HASH_HEX);
    return bsearch(&key, b->items, b->count, sizeof *b->items, by_hash);
}

/* A blob comes once for each of its refusals, which follow each other. */
static enum rf_code take_blob(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct blobs *b = ctx;
    struct blob *blob = b->count ? &b->items[b->count - 1] : NULL;
    struct rf_hash hash;
    (void)count;
    if (!rf_hash_read_hex(columns[0].text, &hash))
        return rf_fail(err, RF_EFORMAT, "the store is damaged: a blob has no hash");
    if (!blob || memcmp(blob->hash.hex, hash.hex, RF_HASH_HEX) != 0) {
        blob = RF_PUSH(b->arena, b->items, b->count, b->cap);
        *blob = (struct blob){ .hash = hash,
                               .size = columns[1].number,
                               .object = columns[2].number,
                               .line = rf_str_dup(b->arena, columns[3].text),
                               .dropped = columns[4].type != RF_SQL_NULL };
    }
    if (columns[5].type != RF_SQL_NULL)
        *RF_PUSH(b->arena, blob->withheld, blob->withheld_count, blob->withheld_cap) =
            (struct rf_withheld){
                .provider = rf_str_dup(b->arena, columns[5].text),
                .reason = rf_str_dup(b->arena, columns[6].text),
                .remake = columns[7].number != 0,
            };
    return RF_OK;
}

static enum rf_code read_blobs(struct blobs *b, const struct rf_session *s, struct rf_err *err)
{
    if (s->no_files)
        return RF_OK;
    enum rf_code rc = rf_store_query(
        b->store,
        "SELECT b.hash, b.size, b.object, b.look, d.hash, r.provider, r.reason, r.remade "
        "FROM blobs b LEFT JOIN dropped d ON d.session = $1 AND d.hash = b.hash "
        "LEFT JOIN refused r ON r.hash = b.hash "
        "WHERE b.hash IN (SELECT hash FROM media WHERE session = $1) ORDER BY b.hash, r.at",
        RF_VALUES(rf_sql_text(rf_str(s->id))), take_blob, b, err);
    if (!rc && b->count)
        qsort(b->items, b->count, sizeof *b->items, by_hash); /* a server has an order of its own */
    return rc;
}

static struct blob *find_named(const struct blobs *b, struct rf_str name)
{
    struct rf_hash hash;
    return rf_hash_read(name, &hash) ? find(b, (struct rf_str){ hash.hex, RF_HASH_HEX }) : NULL;
}

static bool known(void *ctx, struct rf_str name, struct rf_blob_known *out)
{
    const struct blobs *b = ctx;
    struct blob *blob = find_named(b, name);
    if (!blob)
        return false;
    if (!blob->looked && !rf_inspection_read(blob->line, b->arena, &blob->look))
        blob->look = (struct rf_inspection){ 0 };
    blob->looked = true;
    *out = (struct rf_blob_known){
        .size = blob->size > 0 ? (uint64_t)blob->size : 0,
        .look = blob->look,
        .dropped = blob->dropped,
        .withheld = blob->withheld,
        .withheld_count = blob->withheld_count,
    };
    return true;
}

static enum rf_code open_blob(void *ctx, struct rf_str name, struct rf_arena *a,
                              struct rf_bytes *out, struct rf_err *err)
{
    const struct blobs *b = ctx;
    const struct blob *blob = find_named(b, name);
    if (!blob)
        return rf_fail(err, RF_ENOTFOUND, "the session has no such blob");
    return rf_blobs_get(b->store->blobs, &blob->hash, blob->object, a, out, err);
}

static void learn(void *ctx, struct rf_str name, const struct rf_inspection *look)
{
    const struct blobs *b = ctx;
    struct blob *blob = find_named(b, name);
    if (!blob)
        return;
    blob->look = *look;
    rf_store_learn_look(b->store, &blob->hash, look);
}

enum rf_code rf_session_blobs(struct rf_session *s, struct rf_arena *a,
                              const struct rf_blob_source **out, struct rf_err *err)
{
    struct blobs *blobs = RF_NEW(a, struct blobs);
    struct rf_blob_source *source = RF_NEW(a, struct rf_blob_source);
    *blobs = (struct blobs){ .store = s->store, .arena = a };
    *source = (struct rf_blob_source){ blobs, known, open_blob, learn };
    enum rf_code rc = read_blobs(blobs, s, err);
    if (!rc)
        *out = source;
    return rc;
}

/* Both */

enum rf_code rf_session_conversation(struct rf_session *s, struct rf_conversation **out,
                                     struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    struct loading l = { .session = s, .to = c };
    c->arena = a;
    enum rf_code rc = read_rows(&l, err);
    if (!rc && s->is_new && s->settings.n)
        rc = take_settings(&l, RF_VALUES(rf_sql_text(s->settings)), err);
    if (!rc)
        rc = rf_session_blobs(s, a, &c->blobs, err);
    if (rc) {
        rf_arena_free(a);
        return rc;
    }
    s->count = (int64_t)c->message_count;
    s->bytes = l.bytes;
    s->is_new = s->is_new && !s->count;
    *out = c;
    return RF_OK;
}
