/* The files of a session: which they are, what became of them, and which are not to be sent.
 *
 * None of this touches a message, so whoever reads a session may do it while another writes to
 * it. A refusal is of the file, and holds in every session that has it. */
#include "base/arena.h"
#include "store/queue.h"

#include <stdlib.h>

#define MOST_WORDS 300 /* bytes of a provider's reason */
#define MOST_NAME 1000

/* Listing */

struct files {
    struct rf_arena *arena;
    struct rf_session_file *items;
    size_t count, cap;
    struct rf_session_file **sorted; /* by hash, then by place; after gathering */
};

/* The hash as it stands in the table: after "sha256:". */
static struct rf_str hex_of(const struct rf_session_file *f)
{
    return (struct rf_str){ f->hash.p + f->hash.n - RF_HASH_HEX, RF_HASH_HEX };
}

static enum rf_code take_file(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct files *l = ctx;
    (void)count;
    if (columns[1].text.n != RF_HASH_HEX)
        return rf_fail(err, RF_EFORMAT, "the store is damaged: a file has no hash");
    *RF_PUSH(l->arena, l->items, l->count, l->cap) = (struct rf_session_file){
        .message = columns[0].number,
        .hash = rf_strf(l->arena, "sha256:%.*s", RF_FMT(columns[1].text)),
        .id = rf_str_dup(l->arena, columns[2].text),
        .kind = rf_str_dup(l->arena, columns[3].text),
        .name = rf_str_dup(l->arena, columns[4].text),
        .mime = rf_str_dup(l->arena, columns[5].text),
        .width = columns[6].number,
        .height = columns[7].number,
        .duration_ms = columns[8].number,
        .bytes = columns[9].number,
    };
    return RF_OK;
}

static int by_hash(const void *a, const void *b)
{
    const struct rf_session_file *x = *(struct rf_session_file *const *)a;
    const struct rf_session_file *y = *(struct rf_session_file *const *)b;
    int order = memcmp(x->hash.p, y->hash.p, x->hash.n);
    return order ? order : (x > y) - (x < y);
}

/* The first place of a file is what is listed. */
static struct rf_session_file *find(const struct files *l, struct rf_str hex)
{
    size_t low = 0, high = l->count;
    if (hex.n != RF_HASH_HEX)
        return NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(hex_of(l->sorted[middle]).p, hex.p, RF_HASH_HEX) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < l->count && memcmp(hex_of(l->sorted[low]).p, hex.p, RF_HASH_HEX) == 0;
    return found ? l->sorted[low] : NULL;
}

static enum rf_code take_dropped(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    struct rf_session_file *f = find(ctx, columns[0].text);
    (void)count, (void)err;
    if (f)
        f->dropped = true;
    return RF_OK;
}

/* The last one stays. */
static enum rf_code take_sent(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct files *l = ctx;
    struct rf_session_file *f = find(l, columns[0].text);
    (void)count, (void)err;
    if (f) {
        f->delivery = rf_str_dup(l->arena, columns[1].text);
        f->as = rf_str_dup(l->arena, columns[2].text);
        f->provider = rf_str_dup(l->arena, columns[3].text);
        f->model = rf_str_dup(l->arena, columns[4].text);
        f->form = rf_str_dup(l->arena, columns[5].text);
        f->lost = rf_str_dup(l->arena, columns[6].text);
        f->sent_ms = columns[7].number;
    }
    return RF_OK;
}

static enum rf_code take_refused(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    struct files *l = ctx;
    struct rf_session_file *f = find(l, columns[0].text);
    (void)count, (void)err;
    if (f) {
        f->refused_by = rf_str_dup(l->arena, columns[1].text);
        f->refusal = rf_str_dup(l->arena, columns[2].text);
        f->refused_ms = columns[3].number;
        f->remade = columns[4].number != 0;
    }
    return RF_OK;
}

static enum rf_code gather(struct rf_session *s, struct files *l, struct rf_err *err)
{
    const struct rf_sql_value id = rf_sql_text(rf_str(s->id));
    enum rf_code rc = rf_store_query(
        s->store,
        "SELECT m.number, m.hash, m.id, m.kind, m.name, m.mime, m.width, m.height, m.duration_ms, "
        "b.size FROM media m LEFT JOIN blobs b ON b.hash = m.hash WHERE m.session = $1 "
        "ORDER BY m.number, m.place",
        &id, 1, take_file, l, err);
    if (rc)
        return rc;
    l->sorted = RF_ARRAY(l->arena, struct rf_session_file *, l->count);
    for (size_t i = 0; i < l->count; i++)
        l->sorted[i] = &l->items[i];
    if (l->count)
        qsort(l->sorted, l->count, sizeof *l->sorted, by_hash);
    rc = rf_store_query(s->store, "SELECT hash FROM dropped WHERE session = $1", &id, 1,
                        take_dropped, l, err);
    if (!rc)
        rc = rf_store_query(
            s->store,
            "SELECT hash, delivery, as_what, provider, model, form, lost, at FROM sent "
            "WHERE session = $1 ORDER BY at",
            &id, 1, take_sent, l, err);
    if (!rc)
        rc = rf_store_query(s->store,
                            "SELECT hash, provider, reason, at, remade FROM refused "
                            "WHERE hash IN (SELECT hash FROM media WHERE session = $1) "
                            "ORDER BY at",
                            &id, 1, take_refused, l, err);
    return rc;
}

enum rf_code rf_session_files(struct rf_session *s,
                              void (*each)(void *ctx, const struct rf_session_file *f), void *ctx,
                              struct rf_err *err)
{
    struct files l = { .arena = rf_arena_new() };
    enum rf_code rc = gather(s, &l, err);
    for (size_t i = 0; !rc && i < l.count; i++)
        if (find(&l, hex_of(&l.items[i])) == &l.items[i])
            each(ctx, &l.items[i]);
    rf_arena_free(l.arena);
    return rc;
}

/* Which file is meant */

struct meant {
    struct rf_hash hash;
    size_t count;
};

static enum rf_code take_hash(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct meant *m = ctx;
    (void)count;
    if (!rf_hash_read_hex(columns[0].text, &m->hash))
        return rf_fail(err, RF_EFORMAT, "the store is damaged: a file has no hash");
    m->count++;
    return RF_OK;
}

static enum rf_code ask(struct rf_session *s, struct rf_str file, struct meant *m,
                        struct rf_err *err)
{
    struct rf_hash hash;
    const struct rf_sql_value id = rf_sql_text(rf_str(s->id));
    if (rf_hash_read(file, &hash)) {
        const struct rf_sql_value values[] = { rf_sql_text(rf_str(hash.hex)), id };
        return rf_store_query(s->store,
                              "SELECT hash FROM media WHERE hash = $1 AND session = $2 LIMIT 1",
                              values, 2, take_hash, m, err);
    }
    const struct rf_sql_value values[] = { id, rf_sql_text(file) };
    return rf_store_query(s->store,
                          "SELECT DISTINCT hash FROM media WHERE session = $1 AND id = $2 LIMIT 2",
                          values, 2, take_hash, m, err);
}

static enum rf_code find_meant(struct rf_session *s, struct rf_str file, struct rf_hash *out,
                               struct rf_err *err)
{
    struct meant m = { 0 };
    struct rf_arena *a = rf_arena_new();
    struct rf_str shown = rf_session_plain(file, 80, a);
    enum rf_code rc = rf_str_eq(shown, file) ? ask(s, file, &m, err) : RF_OK;
    if (!rc && m.count > 1) {
        rc = rf_fail(err, RF_EUSAGE, "several files of session %s have the id \"%.*s\"", s->id,
                     RF_FMT(shown));
        rf_hint(err, "Give the hash of the one that is meant: sha256:…");
    } else if (!rc && !m.count) {
        rc = rf_fail(err, RF_ENOTFOUND, "session %s has no file \"%.*s\"", s->id, RF_FMT(shown));
        rf_hint(err, "Give the id (att_…) or the hash (sha256:…) of one of its files.");
    }
    if (!rc)
        *out = m.hash;
    rf_arena_free(a);
    return rc;
}

/* Dropping and keeping */

/* `statement` is about a session and one of its files. */
static enum rf_code change(struct rf_session *s, const char *file, const char *statement,
                           struct rf_err *err)
{
    struct rf_hash hash;
    enum rf_code rc = find_meant(s, rf_str(file), &hash, err);
    return rc ? rc
              : rf_sql_run(s->store->sql, statement,
                           RF_VALUES(rf_sql_text(rf_str(s->id)), rf_sql_text(rf_str(hash.hex))),
                           NULL, NULL, err);
}

enum rf_code rf_session_drop(struct rf_session *s, const char *file, struct rf_err *err)
{
    return change(
        s, file, "INSERT INTO dropped (session, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING", err);
}

enum rf_code rf_session_keep(struct rf_session *s, const char *file, struct rf_err *err)
{
    return change(s, file, "DELETE FROM dropped WHERE session = $1 AND hash = $2", err);
}

/* Refusals */

static enum rf_code refuse(struct rf_session *s, const char *file, const char *provider,
                           struct rf_str reason, int64_t remade, struct rf_err *err)
{
    struct rf_hash hash;
    enum rf_code rc = find_meant(s, rf_str(file), &hash, err);
    if (rc)
        return rc;
    struct rf_arena *a = rf_arena_new();
    rc = rf_sql_run(
        s->store->sql,
        "INSERT INTO refused (hash, provider, reason, at, remade) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (hash, provider) DO UPDATE "
        "SET reason = excluded.reason, at = excluded.at, remade = excluded.remade",
        RF_VALUES(rf_sql_text(rf_str(hash.hex)),
                  rf_sql_text(rf_session_plain(rf_str(provider), MOST_NAME, a)),
                  rf_sql_text(rf_session_plain(reason, MOST_WORDS, a)),
                  rf_sql_number(rf_epoch_ms()), rf_sql_number(remade)),
        NULL, NULL, err);
    rf_arena_free(a);
    return rc;
}

enum rf_code rf_session_quarantine(struct rf_session *s, const char *file, const char *provider,
                                   struct rf_str reason, struct rf_err *err)
{
    return refuse(s, file, provider, reason, 0, err);
}

enum rf_code rf_session_remade(struct rf_session *s, const char *file, const char *provider,
                               struct rf_str reason, struct rf_err *err)
{
    return refuse(s, file, provider, reason, 1, err);
}

enum rf_code rf_session_lift(struct rf_session *s, const char *file, const char *provider,
                             struct rf_err *err)
{
    struct rf_hash hash;
    enum rf_code rc = find_meant(s, rf_str(file), &hash, err);
    if (rc)
        return rc;
    const struct rf_sql_value values[] = { rf_sql_text(rf_str(hash.hex)),
                                           rf_sql_text(rf_str(provider)) };
    if (!provider)
        return rf_sql_run(s->store->sql, "DELETE FROM refused WHERE hash = $1", values, 1, NULL,
                          NULL, err);
    int64_t changed = 0;
    rc = rf_sql_change(s->store->sql, "DELETE FROM refused WHERE hash = $1 AND provider = $2",
                       values, 2, &changed, err);
    if (!rc && !changed) {
        rc = rf_fail(err, RF_ENOTFOUND, "\"%s\" did not refuse file \"%s\"", provider, file);
        rf_hint(err, "The list of the session's files says who refused which.");
    }
    return rc;
}

/* Sending */

enum rf_code rf_session_note_sent(struct rf_session *s, struct rf_str file,
                                  const struct rf_sent_way *way, struct rf_err *err)
{
    struct rf_queued_sent sent = { .way = *way, .at_ms = rf_epoch_ms() };
    enum rf_code rc = rf_hash_read(file, &sent.hash) ? RF_OK : find_meant(s, file, &sent.hash, err);
    if (rc)
        return rc;
    rf_queue_sent(s, &sent);
    return s->in_batch ? RF_OK : rf_queue_commit(s, err);
}
