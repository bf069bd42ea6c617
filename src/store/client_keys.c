/* The table of client keys: making, listing and revoking them, and all of them for a gateway. */
#include "store/client_keys.h"

#include "base/arena.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "content/result.h"
#include "model/price.h"

#include <stdlib.h>

#define MOST_NAME 64
#define MOST_MODELS 4000 /* bytes of patterns */
#define MOST_LIMIT INT64_C(1000000000)

/* Checking */

static enum rf_code check_name(const char *name, struct rf_err *err)
{
    size_t n = strlen(name);
    bool fits = n > 0 && n <= MOST_NAME && name[0] != '-';
    for (size_t i = 0; fits && i < n; i++)
        fits = rf_is_alnum(name[i]) || strchr("-_.@", name[i]);
    if (fits)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "\"%s\" is not a name for a key", name);
    rf_hint(err, "Use at most %d letters, digits and \"-_.@\", and no \"-\" at the beginning.",
            MOST_NAME);
    return RF_EUSAGE;
}

static enum rf_code check_models(const char *spelled, struct rf_err *err)
{
    struct rf_str models = rf_str(spelled), rest = models, one;
    if (!spelled)
        return RF_OK;
    bool fits = models.n && models.n <= MOST_MODELS && rf_utf8_valid(models) == models.n;
    for (size_t i = 0; fits && i < models.n; i++)
        fits = (unsigned char)models.p[i] > ' ' && models.p[i] != 0x7f;
    while (fits && rf_str_split(&rest, ',', &one))
        fits = one.n > 0;
    if (fits)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "\"%.*s\" is not a list of patterns", RF_FMT(models));
    rf_hint(err, "Write names in which \"*\" stands for anything, with commas and no blanks "
                 "between them: \"claude-*,openai:gpt-4o\"; \"*\" is all of them.");
    return RF_EUSAGE;
}

static enum rf_code check_number(const char *what, int64_t n, struct rf_err *err)
{
    if (n >= 0 && n <= MOST_LIMIT)
        return RF_OK;
    return rf_fail(err, RF_EUSAGE, "the limit of %s is not a number from 1 to %lld", what,
                   (long long)MOST_LIMIT);
}

static enum rf_code read_budget(const char *spelled, int64_t *micros, struct rf_err *err)
{
    *micros = 0;
    if (!spelled || (rf_price_read(rf_str(spelled), micros) && *micros > 0))
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "\"%s\" is not a budget", spelled);
    rf_hint(err, "Write US dollars, more than 0: \"25\" or \"0.50\".");
    return RF_EUSAGE;
}

static enum rf_code check_limits(const struct rf_client_key_limits *l, int64_t *budget,
                                 struct rf_err *err)
{
    enum rf_code rc = check_models(l->models, err);
    if (!rc)
        rc = check_number("requests a minute", l->requests_per_minute, err);
    if (!rc)
        rc = check_number("tokens a minute", l->tokens_per_minute, err);
    if (!rc)
        rc = check_number("concurrent requests", l->concurrent, err);
    return rc ? rc : read_budget(l->budget, budget, err);
}

/* Digests */

static enum rf_code make_key(char key[RF_CLIENT_KEY_SIZE], char hash[65], struct rf_err *err)
{
    uint8_t random[32], digest[RF_CLIENT_KEY_DIGEST];
    enum rf_code rc = rf_random(random, sizeof random, err);
    if (rc)
        return rc;
    memcpy(key, RF_CLIENT_KEY_PREFIX, strlen(RF_CLIENT_KEY_PREFIX));
    rf_sha256_hex(random, key + strlen(RF_CLIENT_KEY_PREFIX));
    rc = rf_sha256_of(rf_str(key), digest, err);
    if (!rc)
        rf_sha256_hex(digest, hash);
    return rc;
}

/* Changing */

static enum rf_code note_change(struct rf_store *s, struct rf_err *err)
{
    return rf_sql_run(s->sql,
                      "INSERT INTO store_meta (name, value) VALUES ('client_keys', '1') "
                      "ON CONFLICT (name) DO UPDATE SET "
                      "value = CAST(CAST(store_meta.value AS BIGINT) + 1 AS TEXT)",
                      NULL, 0, NULL, NULL, err);
}

struct adding {
    const char *name, *hash;
    char id[RF_MARK_SIZE];
    const struct rf_client_key_limits *limits;
    int64_t budget, now;
    bool done; /* there was no other of that name */
};

/* Once more after a broken connection it finds its own row, by the id. */
static enum rf_code insert(struct rf_store *s, void *ctx, struct rf_err *err)
{
    struct adding *k = ctx;
    const struct rf_client_key_limits *l = k->limits;
    enum rf_code rc = rf_sql_run(
        s->sql,
        "INSERT INTO client_keys "
        "(id, name, hash, models, rpm, tpm, concurrent, budget, created, admin) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
        RF_VALUES(rf_sql_text(rf_str(k->id)), rf_sql_text(rf_str(k->name)),
                  rf_sql_text(rf_str(k->hash)), rf_sql_text(rf_str(l->models)),
                  rf_sql_number(l->requests_per_minute), rf_sql_number(l->tokens_per_minute),
                  rf_sql_number(l->concurrent), rf_sql_number(k->budget), rf_sql_number(k->now),
                  rf_sql_number(l->admin)),
        NULL, NULL, err);
    if (!rc)
        rc = rf_sql_run(s->sql, "SELECT 1 FROM client_keys WHERE id = $1",
                        RF_VALUES(rf_sql_text(rf_str(k->id))), rf_sql_saw_row, &k->done, err);
    return rc ? rc : note_change(s, err);
}

static enum rf_code fail_taken(const char *name, struct rf_err *err)
{
    rf_fail(err, RF_EUSAGE, "there is a key of the name \"%s\" already", name);
    rf_hint(err, "Choose another name, or revoke that one first.");
    return RF_EUSAGE;
}

enum rf_code rf_client_key_add(struct rf_store *s, const char *name,
                               const struct rf_client_key_limits *given,
                               char key[RF_CLIENT_KEY_SIZE], struct rf_err *err)
{
    struct rf_client_key_limits limits;
    struct adding k = { .name = name, .limits = &limits, .now = rf_epoch_ms() };
    char made[RF_CLIENT_KEY_SIZE], hash[65];
    enum rf_code rc = rf_struct_take(given, RF_SIZES(rf_client_key_limits, budget), &limits, err);
    if (!rc)
        rc = check_name(name, err);
    if (!rc)
        rc = check_limits(&limits, &k.budget, err);
    if (!rc)
        rc = rf_mark_make(k.id, err);
    if (!rc)
        rc = make_key(made, hash, err);
    k.hash = hash;
    if (!rc)
        rc = rf_store_transact(s, insert, &k, err);
    if (!rc && !k.done)
        rc = fail_taken(name, err);
    if (!rc)
        memcpy(key, made, sizeof made);
    return rc;
}

struct revoking {
    const char *name;
    int64_t now, changed;
};

static enum rf_code revoke(struct rf_store *s, void *ctx, struct rf_err *err)
{
    struct revoking *r = ctx;
    int64_t changed = 0;
    enum rf_code rc = rf_sql_change(
        s->sql, "UPDATE client_keys SET revoked = $1 WHERE name = $2 AND revoked = 0",
        RF_VALUES(rf_sql_number(r->now), rf_sql_text(rf_str(r->name))), &changed, err);
    r->changed += changed;
    return rc ? rc : note_change(s, err);
}

enum rf_code rf_client_key_revoke(struct rf_store *s, const char *name, struct rf_err *err)
{
    struct revoking r = { .name = name, .now = rf_epoch_ms() };
    enum rf_code rc = rf_store_transact(s, revoke, &r, err);
    if (rc || r.changed)
        return rc;
    rf_fail(err, RF_ENOTFOUND, "there is no key of the name \"%s\"", name);
    return RF_ENOTFOUND;
}

/* Listing */

struct listing {
    struct rf_arena *arena;
    struct rf_client_key_info *items;
    size_t count, cap;
};

static enum rf_code take_info(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct listing *l = ctx;
    (void)count, (void)err;
    *RF_PUSH(l->arena, l->items, l->count, l->cap) = (struct rf_client_key_info){
        .size = sizeof(struct rf_client_key_info),
        .name = rf_str_dup(l->arena, columns[0].text),
        .models = rf_str_dup(l->arena, columns[1].text),
        .requests_per_minute = columns[2].number,
        .tokens_per_minute = columns[3].number,
        .concurrent = columns[4].number,
        .budget_micros = columns[5].number,
        .created_ms = columns[6].number,
        .revoked_ms = columns[7].number,
        .used_ms = columns[8].number,
        .requests = columns[9].number,
        .tokens = columns[10].number,
        .spent_micros = columns[11].number,
        .estimated_micros = columns[12].number,
        .running = columns[13].number,
        .admin = columns[14].number != 0,
    };
    return RF_OK;
}

/* By bytes: the database may sort texts as people of some language do. */
static int by_name(const void *a, const void *b)
{
    const struct rf_client_key_info *x = a, *y = b;
    if (!x->revoked_ms != !y->revoked_ms)
        return x->revoked_ms ? 1 : -1;
    int order = strcmp(x->name.p, y->name.p);
    return order ? order : (x->created_ms > y->created_ms) - (x->created_ms < y->created_ms);
}

enum rf_code rf_client_key_list(struct rf_store *s,
                                void (*each)(void *ctx, const struct rf_client_key_info *i),
                                void *ctx, struct rf_err *err)
{
    struct listing l = { .arena = rf_arena_new() };
    enum rf_code rc = rf_store_query(
        s,
        "SELECT name, models, rpm, tpm, concurrent, budget, created, revoked, used, requests, "
        "tokens, spent, estimated, "
        "(SELECT COUNT(*) FROM reservations WHERE client_key = client_keys.id), admin "
        "FROM client_keys",
        NULL, 0, take_info, &l, err);
    if (!rc && l.count)
        qsort(l.items, l.count, sizeof *l.items, by_name);
    for (size_t i = 0; !rc && i < l.count; i++)
        each(ctx, &l.items[i]);
    rf_arena_free(l.arena);
    return rc;
}

/* For a gateway */

static enum rf_code take_version(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    (void)count;
    if (rf_str_int64(columns[0].text, ctx))
        return RF_OK;
    return rf_fail(err, RF_EFORMAT,
                   "the store is damaged: the version of its keys is not a number");
}

enum rf_code rf_client_keys_version(struct rf_store *s, int64_t *out, struct rf_err *err)
{
    int64_t version = 0;
    enum rf_code rc = rf_store_query(s, "SELECT value FROM store_meta WHERE name = 'client_keys'",
                                     NULL, 0, take_version, &version, err);
    if (!rc)
        *out = version;
    return rc;
}

struct reading {
    struct rf_arena *arena;
    struct rf_client_keys *keys;
};

static enum rf_code take_key(void *ctx, const struct rf_sql_value *columns, size_t count,
                             struct rf_err *err)
{
    struct reading *r = ctx;
    (void)count;
    struct rf_client_key k = {
        .id = rf_cstr(r->arena, columns[0].text),
        .name = rf_cstr(r->arena, columns[1].text),
        .models = rf_str_dup(r->arena, columns[3].text),
        .rpm = columns[4].number,
        .tpm = columns[5].number,
        .concurrent = columns[6].number,
        .budget_micros = columns[7].number,
        .admin = columns[9].number != 0,
    };
    r->keys->had = true;
    if (!rf_sha256_read(columns[2].text, k.digest))
        return rf_fail(err, RF_EFORMAT,
                       "the store is damaged: the hash of the key \"%s\" is not one", k.name);
    if (!columns[8].number)
        *RF_PUSH(r->arena, r->keys->items, r->keys->count, r->keys->cap) = k;
    return RF_OK;
}

static int by_digest(const void *a, const void *b)
{
    const struct rf_client_key *x = a, *y = b;
    return memcmp(x->digest, y->digest, sizeof x->digest);
}

enum rf_code rf_client_keys_read(struct rf_store *s, struct rf_arena *a, struct rf_client_keys *out,
                                 struct rf_err *err)
{
    struct rf_client_keys keys = { 0 };
    struct reading r = { a, &keys };
    enum rf_code rc =
        rf_store_query(s,
                       "SELECT id, name, hash, models, rpm, tpm, concurrent, budget, revoked, "
                       "admin FROM client_keys",
                       NULL, 0, take_key, &r, err);
    if (rc)
        return rc;
    if (keys.count)
        qsort(keys.items, keys.count, sizeof *keys.items, by_digest);
    *out = keys;
    return RF_OK;
}

bool rf_client_key_allows(const struct rf_client_key *k, struct rf_str asked,
                          struct rf_str provider, struct rf_str model)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str whole = rf_strf(a, "%.*s:%.*s", RF_FMT(provider), RF_FMT(model));
    struct rf_str rest = k->models, one;
    bool allowed = !k->models.n;
    while (!allowed && rf_str_split(&rest, ',', &one))
        allowed = rf_glob_exact(one, asked) || rf_glob_exact(one, whole);
    rf_arena_free(a);
    return allowed;
}
