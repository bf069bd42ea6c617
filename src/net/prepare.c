#include "net/prepare.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/sha256.h"
#include "net/credentials.h"
#include "net/found.h"
#include "net/inside.h"

#define HASHED_AT_ONCE ((size_t)1 << 20) /* bytes of a body, between looks at the other calls */

static void wake(void *ctx)
{
    struct rf_preparing *p = ctx;
    if (p->wake)
        p->wake(p->ctx);
}

static void take_secret(struct rf_preparing *p, enum rf_code rc, const struct rf_err *err)
{
    p->failed = rc;
    if (rc)
        RF_ERR_COPY(p->arena, p->err, err);
    wake(p);
}

/* The key */

static void take_key(void *ctx, enum rf_code rc, struct rf_str key, const struct rf_err *err)
{
    struct rf_preparing *p = ctx;
    p->printed = rf_str_dup(p->arena, key);
    take_secret(p, rc, err);
}

static enum rf_code find_key(struct rf_preparing *p, struct rf_arena *scratch, struct rf_err *err)
{
    const struct rf_key_command c = rf_endpoint_command(p->config, p->model, p->key);
    (void)scratch;
    if (c.count && !p->printed.n)
        p->recalled = rf_key_command_recall(&c, p->arena, &p->printed);
    if (!c.count || p->printed.n) {
        p->state = RF_PREPARE_ENDPOINT;
        return RF_OK;
    }
    p->waiter = (struct rf_waiter){ .got = take_key, .ctx = p };
    return rf_key_command_start(p->net, &c, RF_KEY_COMMAND_MS, &p->waiter, err);
}

static enum rf_code find_address(struct rf_preparing *p, struct rf_err *err)
{
    const struct rf_key_choice key = { p->key, p->printed };
    struct rf_endpoint *e = &p->endpoint;
    if (p->list)
        return rf_endpoint_find_list(p->config, p->model, p->list, key, p->arena, e, err);
    if (p->path)
        return rf_endpoint_find_path(p->config, p->model, p->path, key, p->arena, e, err);
    enum rf_code rc =
        rf_found_endpoint(&p->net->found, p->config, p->model, p->stream, key, p->arena, e, err);
    if (!rc && e->url && p->query.n && !strchr(e->url, '?'))
        e->url = rf_strf(p->arena, "%s%.*s", e->url, RF_FMT(p->query)).p;
    return rc;
}

static enum rf_code find_endpoint(struct rf_preparing *p, struct rf_arena *scratch,
                                  struct rf_err *err)
{
    enum rf_code rc = find_address(p, err);
    (void)scratch;
    if (rc)
        return rc;
    if (!p->endpoint.url)
        return rf_fail(err, RF_EUSAGE,
                       "this model is in the program and has no address to send to");
    if (p->endpoint.google)
        p->endpoint.google->keeps_tokens = p->keeps_tokens;
    p->state = RF_PREPARE_PROOF;
    return RF_OK;
}

/* The proof */

static void take_token(void *ctx, enum rf_code rc, struct rf_str token, const struct rf_err *err)
{
    struct rf_preparing *p = ctx;
    struct rf_google_account *g = p->endpoint.google;
    g->token = rf_str_dup(g->arena, token);
    if (!rc)
        p->state = RF_PREPARE_HEADERS;
    take_secret(p, rc, err);
}

static enum rf_code find_token(struct rf_preparing *p, struct rf_arena *scratch, struct rf_err *err)
{
    struct rf_google_account *g = p->endpoint.google;
    struct rf_str token;
    enum rf_code rc = rf_google_token_recall(g, scratch, &token, err);
    if (rc)
        return rc;
    if (token.n) {
        g->token = rf_str_dup(g->arena, token);
        p->state = RF_PREPARE_HEADERS;
        return RF_OK;
    }
    p->waiter = (struct rf_waiter){ .got = take_token, .ctx = p };
    return rf_google_token_start(p->net, g, &p->waiter, err);
}

static void drop_hash(struct rf_preparing *p)
{
    if (!p->hash)
        return;
    rf_rope_reader_release(&p->reader);
    rf_sha256_free(p->hash);
    p->hash = NULL;
}

static void finish_hash(struct rf_preparing *p)
{
    uint8_t digest[32];
    rf_sha256_finish(p->hash, digest);
    rf_sha256_hex(digest, p->body_hash);
    drop_hash(p);
    p->state = RF_PREPARE_HEADERS;
}

static enum rf_code hash_some(struct rf_preparing *p, struct rf_err *err)
{
    struct rf_str run;
    enum rf_code rc;
    for (size_t done = 0; done < HASHED_AT_ONCE; done += run.n) {
        rc = rf_rope_next(&p->reader, &run, err);
        if (rc)
            return rc;
        if (!run.n) {
            finish_hash(p);
            return RF_OK;
        }
        rf_sha256_add(p->hash, run.p, run.n);
    }
    p->timer = (struct rf_timer){ .due = wake, .ctx = p };
    rf_timer_set(rf_net_loop(p->net), &p->timer, rf_now_ms());
    return RF_OK;
}

static enum rf_code hash_body(struct rf_preparing *p, struct rf_err *err)
{
    if (p->body_hash[0]) {
        p->state = RF_PREPARE_HEADERS;
        return RF_OK;
    }
    if (!p->hash) {
        enum rf_code rc = rf_sha256_new(&p->hash, err);
        if (rc)
            return rc;
        rf_rope_reader_init(&p->reader, p->body);
    }
    return hash_some(p, err);
}

static enum rf_code find_proof(struct rf_preparing *p, struct rf_arena *scratch, struct rf_err *err)
{
    switch (p->endpoint.auth) {
    case RF_AUTH_AWS:
        return hash_body(p, err);
    case RF_AUTH_GOOGLE:
        return find_token(p, scratch, err);
    case RF_AUTH_NONE:
    case RF_AUTH_HEADER:
    case RF_AUTH_BEARER:
        p->state = RF_PREPARE_HEADERS;
        return RF_OK;
    }
    RF_BUG("no such way to authenticate");
}

/* The place of the header of that name, or their count. */
static size_t find_header(const struct rf_preparing *p, struct rf_str name)
{
    size_t i = 0;
    while (i < p->header_count && !rf_str_ieq(p->headers[i].name, name))
        i++;
    return i;
}

static bool is_version(const struct rf_preparing *p, struct rf_str name)
{
    const char *version = p->endpoint.row->version_header;
    return version && rf_str_ieq(name, rf_str(version));
}

/* What the endpoint is asked with, its key above all, is never replaced, but for its version. */
static void add_more(struct rf_preparing *p, struct rf_arena *scratch)
{
    if (!p->more_count)
        return;
    struct rf_header *all = RF_ARRAY(scratch, struct rf_header, p->header_count + p->more_count);
    size_t count = p->header_count;
    for (size_t i = 0; i < count; i++)
        all[i] = p->headers[i];
    for (size_t i = 0; i < p->more_count; i++) {
        size_t at = find_header(p, p->more[i].name);
        if (at == p->header_count)
            all[count++] = p->more[i];
        else if (is_version(p, p->more[i].name))
            all[at].value = p->more[i].value;
    }
    p->headers = all;
    p->header_count = count;
}

static enum rf_code make_headers(struct rf_preparing *p, struct rf_arena *scratch,
                                 struct rf_err *err)
{
    enum rf_code rc =
        rf_endpoint_sign(&p->endpoint, p->body_hash, scratch, &p->headers, &p->header_count, err);
    if (rc)
        return rc;
    add_more(p, scratch);
    p->state = RF_PREPARE_READY;
    return RF_OK;
}

/* All of it */

static enum rf_code (*const steps[])(struct rf_preparing *p, struct rf_arena *scratch,
                                     struct rf_err *err) = {
    [RF_PREPARE_KEY] = find_key,
    [RF_PREPARE_ENDPOINT] = find_endpoint,
    [RF_PREPARE_PROOF] = find_proof,
    [RF_PREPARE_HEADERS] = make_headers,
};

static bool waits(const struct rf_preparing *p)
{
    return p->waiter.errand || p->timer.place;
}

enum rf_code rf_prepare(struct rf_preparing *p, struct rf_arena *scratch, bool *ready,
                        struct rf_err *err)
{
    enum rf_code rc = p->failed;
    if (rc && err)
        *err = *p->err;
    while (!rc && !waits(p) && p->state != RF_PREPARE_READY)
        rc = steps[p->state](p, scratch, err);
    *ready = p->state == RF_PREPARE_READY;
    return rc;
}

enum rf_code rf_prepare_now(struct rf_preparing *p, struct rf_arena *scratch, struct rf_err *err)
{
    for (;;) {
        bool ready;
        enum rf_code rc = rf_prepare(p, scratch, &ready, err);
        if (rc || ready)
            return rc;
        rf_net_wait(p->net, -1, -1);
    }
}

void rf_prepare_again(struct rf_preparing *p)
{
    p->state = p->renewed && !p->printed.n ? RF_PREPARE_KEY : RF_PREPARE_PROOF;
    p->headers = NULL;
    p->header_count = 0;
}

bool rf_prepare_renew(struct rf_preparing *p)
{
    const struct rf_key_command c = rf_endpoint_command(p->config, p->model, p->key);
    if (!p->printed.n)
        return false;
    rf_key_command_refuse(&c, p->printed);
    if (!p->recalled || p->renewed)
        return false;
    p->renewed = true;
    p->printed = RF_STR("");
    return true;
}

void rf_prepare_stop(struct rf_preparing *p)
{
    rf_waiter_leave(&p->waiter);
    rf_timer_clear(rf_net_loop(p->net), &p->timer);
    drop_hash(p);
}
