#include "store/accounts.h"

#include "base/arena.h"

#include <stdlib.h>

#define MINUTE_MS INT64_C(60000)
#define A_REQUEST 1000 /* of a level: requests are counted in thousandths */
#define SOON_MS 1000   /* what waits for others to end may try again after so long */
#define MOST_LEVEL (INT64_MAX / MINUTE_MS / 4)
#define MOST_AT_ONCE 500 /* reservations that are expired in one transaction */

/* One key of a batch. */
struct account {
    const char *id;
    bool in_force;
    int64_t rpm, tpm, concurrent, budget;
    int64_t running, running_tokens, running_cost; /* reservations */
    int64_t spent, request_level, token_level, level_at;
    int64_t requests, tokens, cost, estimated; /* that the batch adds */
    bool changed;                              /* something of it was settled, or let in */
};

struct work {
    struct rf_arena *arena;
    const char *instance;
    struct rf_accounts_batch *batch;
    struct account *accounts; /* in the order of their ids */
    size_t count;
};

/* Keys */

static int by_id(const void *a, const void *b)
{
    const struct account *x = a, *y = b;
    return strcmp(x->id, y->id);
}

static void add_account(struct work *w, const char *id)
{
    if (*id)
        w->accounts[w->count++] = (struct account){ .id = id };
}

/* Each once and in one order, so that two gateways that lock several do not wait for each other. */
static void gather(struct work *w)
{
    const struct rf_accounts_batch *b = w->batch;
    size_t kept = 0;
    w->accounts = RF_ARRAY(w->arena, struct account, b->settled_count + b->wanted_count + 1);
    w->count = 0;
    for (size_t i = 0; i < b->settled_count; i++)
        add_account(w, b->settled[i]->key);
    for (size_t i = 0; i < b->wanted_count; i++)
        add_account(w, b->wanted[i]->key);
    qsort(w->accounts, w->count, sizeof *w->accounts, by_id);
    for (size_t i = 0; i < w->count; i++)
        if (!kept || by_id(&w->accounts[kept - 1], &w->accounts[i]) != 0)
            w->accounts[kept++] = w->accounts[i];
    w->count = kept;
}

static struct account *account_of(const struct work *w, const char *id)
{
    const struct account wanted = { .id = id };
    return *id ? bsearch(&wanted, w->accounts, w->count, sizeof wanted, by_id) : NULL;
}

static enum rf_code lock_accounts(struct rf_store *s, struct work *w, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < w->count; i++)
        rc = rf_sql_run(
            s->sql, "UPDATE client_keys SET used = $1 WHERE id = $2",
            RF_VALUES(rf_sql_number(w->batch->now_ms), rf_sql_text(rf_str(w->accounts[i].id))),
            NULL, NULL, err);
    return rc;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Milliseconds until so much of a level has sunk. */
static int64_t wait_for(int64_t over, int64_t limit)
{
    return (over * MINUTE_MS + limit - 1) / limit;
}

/* What remains of a level after some time. Nothing of it is forgiven: one that was far exceeded
 * takes as long to sink as its tokens would have taken to be allowed. */
static int64_t sunk(int64_t level, int64_t limit, int64_t passed_ms)
{
    level = smaller(level, MOST_LEVEL);
    if (!limit || passed_ms >= wait_for(level, limit))
        return 0;
    return level - (passed_ms > 0 ? limit * passed_ms / MINUTE_MS : 0);
}

/* Clocks of several machines differ: the level's time only goes forward. */
static enum rf_code take_account(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    struct account *a = ctx;
    int64_t now = a->level_at, passed = now - columns[8].number;
    (void)count, (void)err;
    a->rpm = columns[0].number;
    a->tpm = columns[1].number;
    a->concurrent = columns[2].number;
    a->budget = columns[3].number;
    a->in_force = !columns[4].number;
    a->spent = columns[5].number + a->cost;
    a->request_level = sunk(columns[6].number, a->rpm * A_REQUEST, passed);
    a->token_level = sunk(columns[7].number, a->tpm, passed);
    a->token_level += a->tpm ? smaller(a->tokens, MOST_LEVEL) : 0;
    a->level_at = passed > 0 ? now : columns[8].number;
    a->running = columns[9].number;
    a->running_tokens = columns[10].number;
    a->running_cost = columns[11].number;
    return RF_OK;
}

static enum rf_code read_accounts(struct rf_store *s, struct work *w, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < w->count; i++) {
        w->accounts[i].level_at = w->batch->now_ms;
        rc = rf_sql_run(s->sql,
                        "SELECT rpm, tpm, concurrent, budget, revoked, spent, request_level, "
                        "token_level, level_at, "
                        "(SELECT COUNT(*) FROM reservations WHERE client_key = client_keys.id), "
                        "(SELECT CAST(COALESCE(SUM(tokens), 0) AS BIGINT) FROM reservations "
                        "WHERE client_key = client_keys.id), "
                        "(SELECT CAST(COALESCE(SUM(cost), 0) AS BIGINT) FROM reservations "
                        "WHERE client_key = client_keys.id) "
                        "FROM client_keys WHERE id = $1",
                        RF_VALUES(rf_sql_text(rf_str(w->accounts[i].id))), take_account,
                        &w->accounts[i], err);
    }
    return rc;
}

/* One that was only refused stays as it was: a level that was written each time would be rounded
 * each time, and never sink for who asks often. */
static enum rf_code write_accounts(struct rf_store *s, struct work *w, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < w->count; i++) {
        const struct account *a = &w->accounts[i];
        if (!a->changed)
            continue;
        rc = rf_sql_run(
            s->sql,
            "UPDATE client_keys SET request_level = $1, token_level = $2, level_at = $3, "
            "requests = requests + $4, tokens = tokens + $5, spent = spent + $6, "
            "estimated = estimated + $7 WHERE id = $8",
            RF_VALUES(rf_sql_number(a->request_level), rf_sql_number(a->token_level),
                      rf_sql_number(a->level_at), rf_sql_number(a->requests),
                      rf_sql_number(a->tokens), rf_sql_number(a->cost), rf_sql_number(a->estimated),
                      rf_sql_text(rf_str(a->id))),
            NULL, NULL, err);
    }
    return rc;
}

/* What has ended */

/* `*first` becomes whether it was not written before. */
static enum rf_code write_request(struct rf_store *s, const char *instance,
                                  const struct rf_settlement *e, bool *first, struct rf_err *err)
{
    int64_t changed = 0;
    enum rf_code rc = rf_sql_change(
        s->sql,
        "INSERT INTO requests (id, at, instance, client_key, key_name, dialect, asked, provider, "
        "model, deliveries, status, input_tokens, output_tokens, cost, estimated, bytes_in, "
        "bytes_out, duration_us, first_byte_us, attempts, heals, error, gone, operation) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
        "$19, $20, $21, $22, $23, $24) ON CONFLICT DO NOTHING",
        RF_VALUES(
            rf_sql_text(rf_str(e->request)), rf_sql_number(e->at_ms), rf_sql_text(rf_str(instance)),
            rf_sql_text(rf_str(e->key)), rf_sql_text(rf_str(e->key_name)), rf_sql_text(e->dialect),
            rf_sql_text(e->asked), rf_sql_text(e->provider), rf_sql_text(e->model),
            rf_sql_text(e->deliveries), rf_sql_number(e->status), rf_sql_number(e->input_tokens),
            rf_sql_number(e->output_tokens), rf_sql_number(e->cost), rf_sql_number(e->estimated),
            rf_sql_number(e->bytes_in), rf_sql_number(e->bytes_out), rf_sql_number(e->duration_us),
            rf_sql_number(e->first_byte_us), rf_sql_number(e->attempts), rf_sql_number(e->heals),
            rf_sql_text(e->error), rf_sql_number(e->gone), rf_sql_text(e->operation)),
        &changed, err);
    *first = changed == 1;
    return rc;
}

static enum rf_code settle(struct rf_store *s, struct work *w, const struct rf_settlement *e,
                           struct rf_err *err)
{
    struct account *a = account_of(w, e->key);
    bool first = false;
    enum rf_code rc = write_request(s, w->instance, e, &first, err);
    if (rc || !a)
        return rc;
    a->changed = true;
    if (first) {
        a->requests++;
        a->tokens += e->input_tokens + e->output_tokens;
        a->cost += e->cost;
        a->estimated += e->estimated ? e->cost : 0;
    }
    return rf_sql_run(s->sql, "DELETE FROM reservations WHERE request = $1",
                      RF_VALUES(rf_sql_text(rf_str(e->request))), NULL, NULL, err);
}

/* Who wants to be let in */

/* A request that may take more tokens than a minute has is let in where nothing else counts, and
 * what it took has to sink before the next one. */
static enum rf_admission judge(const struct account *a, int64_t expected, int64_t *retry_after_ms)
{
    int64_t requests = a->request_level + A_REQUEST - a->rpm * A_REQUEST;
    int64_t tokens = a->token_level + smaller(expected, a->tpm) - a->tpm;
    *retry_after_ms = -1;
    if (!a->in_force)
        return RF_ADMISSION_REVOKED;
    if (a->budget && a->spent >= a->budget)
        return RF_ADMISSION_SPENT;
    *retry_after_ms = SOON_MS;
    if (a->budget && a->spent + a->running_cost >= a->budget)
        return RF_ADMISSION_RESERVED;
    if (a->concurrent && a->running >= a->concurrent)
        return RF_ADMISSION_CONCURRENT;
    if (a->rpm && requests > 0) {
        *retry_after_ms = wait_for(requests, a->rpm * A_REQUEST);
        return RF_ADMISSION_RPM;
    }
    if (a->tpm && tokens + a->running_tokens > 0) {
        *retry_after_ms = tokens > 0 ? wait_for(tokens, a->tpm) : SOON_MS;
        return RF_ADMISSION_TPM;
    }
    return RF_ADMISSION_GIVEN;
}

static enum rf_code admit(struct rf_store *s, struct work *w, struct rf_reservation *r,
                          struct rf_err *err)
{
    struct account *a = account_of(w, r->key);
    r->verdict = judge(a, r->tokens, &r->retry_after_ms);
    if (r->verdict != RF_ADMISSION_GIVEN)
        return RF_OK;
    a->changed = true;
    a->request_level += a->rpm ? A_REQUEST : 0;
    a->running++;
    a->running_tokens += r->tokens;
    a->running_cost += r->cost;
    return rf_sql_run(
        s->sql,
        "INSERT INTO reservations (request, client_key, instance, created, tokens, cost) "
        "VALUES ($1, $2, $3, $4, $5, $6)",
        RF_VALUES(rf_sql_text(rf_str(r->request)), rf_sql_text(rf_str(r->key)),
                  rf_sql_text(rf_str(w->instance)), rf_sql_number(w->batch->now_ms),
                  rf_sql_number(r->tokens), rf_sql_number(r->cost)),
        NULL, NULL, err);
}

/* Should the connection have broken while this was committed, the reservations of then may be
 * there; they are made anew. */
static enum rf_code take_back(struct rf_store *s, const struct work *w, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < w->batch->wanted_count; i++)
        rc = rf_sql_run(s->sql, "DELETE FROM reservations WHERE request = $1",
                        RF_VALUES(rf_sql_text(rf_str(w->batch->wanted[i]->request))), NULL, NULL,
                        err);
    return rc;
}

static enum rf_code work(struct rf_store *s, void *ctx, struct rf_err *err)
{
    struct work *w = ctx;
    bool again = w->accounts != NULL;
    gather(w);
    enum rf_code rc = lock_accounts(s, w, err);
    if (!rc && again)
        rc = take_back(s, w, err);
    for (size_t i = 0; !rc && i < w->batch->settled_count; i++)
        rc = settle(s, w, w->batch->settled[i], err);
    if (!rc)
        rc = read_accounts(s, w, err);
    for (size_t i = 0; !rc && i < w->batch->wanted_count; i++)
        rc = admit(s, w, w->batch->wanted[i], err);
    return rc ? rc : write_accounts(s, w, err);
}

enum rf_code rf_accounts_work(struct rf_store *s, const char *instance, struct rf_accounts_batch *b,
                              struct rf_err *err)
{
    struct work w = { .arena = rf_arena_new(), .instance = instance, .batch = b };
    enum rf_code rc = rf_store_transact(s, work, &w, err);
    for (size_t i = 0; rc && i < b->wanted_count; i++)
        b->wanted[i]->verdict = RF_ADMISSION_FAILED;
    rf_arena_free(w.arena);
    return rc;
}

/* Gateways that died */

static struct rf_str lock_name(const char *instance, struct rf_arena *a)
{
    return rf_strf(a, "gateway %s", instance);
}

enum rf_code rf_accounts_join(struct rf_store *s, const char *instance, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    bool taken = false;
    enum rf_code rc = s->sql->engine->lock(s->sql, lock_name(instance, a), false, &taken, err);
    if (!rc && !taken)
        rc = rf_fail(err, RF_ELIMIT, "another gateway is called \"%s\"", instance);
    rf_arena_free(a);
    return rc;
}

struct names {
    struct rf_arena *arena;
    const char **items;
    size_t count, cap;
};

static enum rf_code take_name(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct names *n = ctx;
    (void)count, (void)err;
    *RF_PUSH(n->arena, n->items, n->count, n->cap) = rf_cstr(n->arena, columns[0].text);
    return RF_OK;
}

enum rf_code rf_accounts_dead(struct rf_store *s, const char *self,
                              void (*each)(void *ctx, const char *instance), void *ctx,
                              struct rf_err *err)
{
    struct names n = { .arena = rf_arena_new() };
    enum rf_code rc =
        rf_store_query(s, "SELECT DISTINCT instance FROM reservations WHERE instance <> $1",
                       RF_VALUES(rf_sql_text(rf_str(self))), take_name, &n, err);
    for (size_t i = 0; !rc && i < n.count; i++) {
        bool lives = true;
        rc = s->sql->engine->is_locked(s->sql, lock_name(n.items[i], n.arena), &lives, err);
        if (!rc && !lives)
            each(ctx, n.items[i]);
    }
    rf_arena_free(n.arena);
    return rc;
}

struct left {
    struct rf_arena *arena;
    const struct rf_settlement **items;
    size_t count, cap;
};

static enum rf_code take_left(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct left *l = ctx;
    struct rf_settlement *e = RF_NEW(l->arena, struct rf_settlement);
    (void)count, (void)err;
    *e = (struct rf_settlement){
        .request = rf_cstr(l->arena, columns[0].text),
        .key = rf_cstr(l->arena, columns[1].text),
        .key_name = rf_cstr(l->arena, columns[2].text),
        .at_ms = columns[3].number,
        .input_tokens = columns[4].number,
        .cost = columns[5].number,
        .estimated = true,
    };
    *RF_PUSH(l->arena, l->items, l->count, l->cap) = e;
    return RF_OK;
}

static enum rf_code read_left(struct rf_store *s, const char *instance, struct left *l,
                              struct rf_err *err)
{
    l->count = 0;
    return rf_store_query(s,
                          "SELECT r.request, r.client_key, k.name, r.created, r.tokens, r.cost "
                          "FROM reservations r JOIN client_keys k ON k.id = r.client_key "
                          "WHERE r.instance = $1 LIMIT $2",
                          RF_VALUES(rf_sql_text(rf_str(instance)), rf_sql_number(MOST_AT_ONCE)),
                          take_left, l, err);
}

enum rf_code rf_accounts_expire(struct rf_store *s, const char *instance, int64_t now_ms,
                                struct rf_err *err)
{
    struct left l = { .arena = rf_arena_new() };
    enum rf_code rc = read_left(s, instance, &l, err);
    while (!rc && l.count) {
        struct rf_accounts_batch b = { .settled = l.items,
                                       .settled_count = l.count,
                                       .now_ms = now_ms };
        rc = rf_accounts_work(s, instance, &b, err);
        if (!rc)
            rc = read_left(s, instance, &l, err);
    }
    rf_arena_free(l.arena);
    return rc;
}

/* The log */

struct reading {
    struct rf_arena *arena; /* of one row */
    void (*each)(void *ctx, const struct rf_settlement *e);
    void *ctx;
};

static enum rf_code take_row(void *ctx, const struct rf_sql_value *columns, size_t count,
                             struct rf_err *err)
{
    const struct reading *r = ctx;
    const struct rf_settlement e = {
        .request = rf_cstr(r->arena, columns[0].text),
        .at_ms = columns[1].number,
        .key = rf_cstr(r->arena, columns[2].text),
        .key_name = rf_cstr(r->arena, columns[3].text),
        .dialect = columns[4].text,
        .asked = columns[5].text,
        .provider = columns[6].text,
        .model = columns[7].text,
        .deliveries = columns[8].text,
        .status = columns[9].number,
        .input_tokens = columns[10].number,
        .output_tokens = columns[11].number,
        .cost = columns[12].number,
        .estimated = columns[13].number,
        .bytes_in = columns[14].number,
        .bytes_out = columns[15].number,
        .duration_us = columns[16].number,
        .first_byte_us = columns[17].number,
        .attempts = columns[18].number,
        .heals = columns[19].number,
        .error = columns[20].text,
        .gone = columns[21].number,
        .operation = columns[22].text,
    };
    (void)count, (void)err;
    r->each(r->ctx, &e);
    rf_arena_reset(r->arena);
    return RF_OK;
}

#define LOGGED                                                                                     \
    "SELECT id, at, client_key, key_name, dialect, asked, provider, model, deliveries, status, "   \
    "input_tokens, output_tokens, cost, estimated, bytes_in, bytes_out, duration_us, "             \
    "first_byte_us, attempts, heals, error, gone, operation FROM requests "

enum rf_code rf_accounts_log(struct rf_store *s, const struct rf_accounts_before *before,
                             int64_t most, void (*each)(void *ctx, const struct rf_settlement *e),
                             void *ctx, struct rf_err *err)
{
    struct reading r = { rf_arena_new(), each, ctx };
    enum rf_code rc = rf_store_query(
        s,
        LOGGED "WHERE at <= $1 AND (at < $1 OR id < $2) ORDER BY at DESC, id DESC LIMIT $3",
        RF_VALUES(rf_sql_number(before->at_ms), rf_sql_text(before->id), rf_sql_number(most)),
        take_row, &r, err);
    rf_arena_free(r.arena);
    return rc;
}

enum rf_code rf_accounts_find(struct rf_store *s, struct rf_str request,
                              void (*each)(void *ctx, const struct rf_settlement *e), void *ctx,
                              struct rf_err *err)
{
    struct reading r = { rf_arena_new(), each, ctx };
    enum rf_code rc = rf_store_query(s, LOGGED "WHERE id = $1", RF_VALUES(rf_sql_text(request)),
                                     take_row, &r, err);
    rf_arena_free(r.arena);
    return rc;
}

enum rf_code rf_accounts_forget(struct rf_store *s, int64_t before_ms, struct rf_err *err)
{
    return rf_store_query(s, "DELETE FROM requests WHERE at < $1",
                          RF_VALUES(rf_sql_number(before_ms)), NULL, NULL, err);
}
