/* Which blobs a session may see: the one judgement for every id and every hash that somebody names.
 *
 * They are the files of its own messages, those of the sessions that it was forked from, and those
 * that this process put for it and no message has yet. All else, in the same store or not, is not
 * there: who names it learns nothing, and cannot have it by naming it in a message either. */
#include "base/arena.h"
#include "store/store.h"

#define ID_HEX ((size_t)12) /* digits of the hash in an id */

/* 'g' comes after every digit. */
#define REACHED                                                                          \
    "WITH RECURSIVE line(id) AS (SELECT CAST($1 AS TEXT) UNION "                         \
    "SELECT s.parent FROM sessions s JOIN line ON s.id = line.id WHERE s.parent <> '') " \
    "SELECT DISTINCT hash FROM media JOIN line ON media.session = line.id "              \
    "WHERE hash >= $2 AND hash < $3 LIMIT 2"

struct found {
    struct rf_hash hash;
    size_t count; /* of different ones */
};

static void take(struct found *f, const struct rf_hash *hash)
{
    f->count += !f->count || strcmp(f->hash.hex, hash->hex) != 0;
    f->hash = *hash;
}

static enum rf_code take_hash(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct rf_hash hash;
    (void)count;
    if (!rf_hash_read_hex(columns[0].text, &hash))
        return rf_fail(err, RF_EFORMAT, "the store is damaged: a blob has no hash");
    take(ctx, &hash);
    return RF_OK;
}

static bool is_id(struct rf_str id)
{
    if (!rf_str_starts(id, "att_") || id.n != 4 + ID_HEX)
        return false;
    for (size_t i = 4; i < id.n; i++)
        if (!memchr("0123456789abcdef", id.p[i], 16))
            return false;
    return true;
}

static enum rf_code find(struct rf_session *s, struct rf_str digits, struct rf_arena *a,
                         struct found *f, struct rf_err *err)
{
    for (size_t i = 0; i < s->taken_count; i++)
        if (memcmp(s->taken[i].hex, digits.p, digits.n) == 0)
            take(f, &s->taken[i]);
    return rf_store_query(s->store, REACHED,
                          RF_VALUES(rf_sql_text(rf_str(s->id)), rf_sql_text(digits),
                                    rf_sql_text(rf_str_join(a, digits, RF_STR("g")))),
                          take_hash, f, err);
}

enum rf_code rf_session_reach(struct rf_session *s, struct rf_str name, struct rf_arena *a,
                              struct rf_hash *out, struct rf_err *err)
{
    struct found f = { 0 };
    struct rf_hash hash;
    enum rf_code rc = RF_OK;
    if (is_id(name))
        rc = find(s, (struct rf_str){ name.p + 4, ID_HEX }, a, &f, err);
    else if (rf_hash_read(name, &hash))
        rc = find(s, rf_str(hash.hex), a, &f, err);
    if (rc)
        return rc;
    if (!f.count)
        return rf_fail(err, RF_ENOTFOUND, "the session has no such file");
    if (f.count > 1) {
        rf_fail(err, RF_EUSAGE, "two attachments have this id");
        rf_hint(err, "Use sha256: and the whole hash.");
        return RF_EUSAGE;
    }
    *out = f.hash;
    return RF_OK;
}

void rf_session_took(struct rf_session *s, const struct rf_hash *hash)
{
    *RF_PUSH(s->arena, s->taken, s->taken_count, s->taken_cap) = *hash;
}
