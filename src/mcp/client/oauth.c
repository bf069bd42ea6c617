#include "mcp/client/oauth_inside.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "base/sha256.h"
#include "net/token_cache.h"

#include <poll.h>
#include <time.h>

#define MARGIN_S 30 /* a token that ends sooner is not sent any more */
#define MAX_KEPT ((size_t)64 << 10)
#define LOGINS_MS 60000
#define TURN_MS 100 /* between looks at whether it is our turn */

/* Life. */

struct rf_oauth *rf_oauth_new(const struct rf_oauth_options *options)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_oauth *o = RF_NEW(a, struct rf_oauth);
    *o = (struct rf_oauth){ .arena = a,
                            .options = *options,
                            .turn = PTHREAD_MUTEX_INITIALIZER,
                            .lock = PTHREAD_MUTEX_INITIALIZER };
    o->options.url = rf_cstr(a, rf_str(options->url));
    o->options.client = rf_str_dup(a, options->client);
    o->options.secret = rf_str_dup(a, options->secret);
    o->options.document = rf_str_dup(a, options->document);
    o->options.issuer = rf_str_dup(a, options->issuer);
    return o;
}

void rf_oauth_free(struct rf_oauth *o)
{
    if (!o)
        return;
    if (o->grant.arena)
        rf_arena_free(o->grant.arena);
    pthread_mutex_destroy(&o->turn);
    pthread_mutex_destroy(&o->lock);
    rf_arena_free(o->arena);
}

/* Keeping. */

static const struct rf_jfield kept_fields[] = {
    { "issuer", RF_FIELD_STR, offsetof(struct rf_oauth_grant, issuer), true },
    { "resource", RF_FIELD_STR, offsetof(struct rf_oauth_grant, resource), true },
    { "endpoint", RF_FIELD_STR, offsetof(struct rf_oauth_grant, endpoint), true },
    { "client", RF_FIELD_STR, offsetof(struct rf_oauth_grant, client), true },
    { "secret", RF_FIELD_STR, offsetof(struct rf_oauth_grant, secret), false },
    { "method", RF_FIELD_STR, offsetof(struct rf_oauth_grant, method), true },
    { "scope", RF_FIELD_STR, offsetof(struct rf_oauth_grant, scope), false },
    { "token", RF_FIELD_STR, offsetof(struct rf_oauth_grant, token), false },
    { "refresh", RF_FIELD_STR, offsetof(struct rf_oauth_grant, refresh), false },
    { "port", RF_FIELD_INT, offsetof(struct rf_oauth_grant, port), false },
    { "expires", RF_FIELD_INT, offsetof(struct rf_oauth_grant, expires), false },
};

static bool name_of(const struct rf_oauth *o, char hex[65])
{
    const struct rf_str parts[] = { rf_str(o->options.url), o->options.client,
                                    o->options.document };
    struct rf_sha256 *hash;
    uint8_t digest[32];
    if (rf_sha256_new(&hash, NULL))
        return false;
    rf_sha256_add(hash, "mcp", 3);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        rf_sha256_add(hash, "\n", 1);
        rf_sha256_add(hash, parts[i].p, parts[i].n);
    }
    rf_sha256_finish(hash, digest);
    rf_sha256_free(hash);
    rf_sha256_hex(digest, hex);
    return true;
}

/* What the person's configuration has is read there, and kept nowhere else. */
static bool is_configured(const struct rf_oauth *o, const struct rf_jfield *f)
{
    return o->options.client.n && f->offset == offsetof(struct rf_oauth_grant, secret);
}

static bool may_give(const struct rf_oauth *o, struct rf_str issuer)
{
    return !o->options.issuer.n || rf_str_eq(o->options.issuer, issuer);
}

static void recall(struct rf_oauth *o)
{
    char name[65];
    struct rf_str text;
    const struct rf_jval *root;
    struct rf_arena *a = rf_arena_new();
    struct rf_oauth_grant g = { .arena = a };
    bool found = name_of(o, name) && rf_token_file_read(name, a, &text) &&
                 !rf_jval_parse(text, a, &root, NULL) &&
                 !rf_jval_fields(root, NULL, kept_fields, sizeof kept_fields / sizeof *kept_fields,
                                 a, &g, NULL) &&
                 may_give(o, g.issuer);
    o->looked = true;
    if (o->options.client.n)
        g.secret = o->options.secret;
    o->keeps = found || !o->options.forgets;
    if (found)
        o->grant = g;
    else
        rf_arena_free(a);
}

static void keep(struct rf_oauth *o, const struct rf_oauth_grant *g)
{
    char name[65];
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    for (size_t i = 0; i < sizeof kept_fields / sizeof *kept_fields; i++) {
        const char *at = (const char *)g + kept_fields[i].offset;
        if (is_configured(o, &kept_fields[i]))
            continue;
        if (kept_fields[i].type == RF_FIELD_INT)
            rf_json_int(&w, kept_fields[i].name, *(const int64_t *)at);
        else
            rf_json_str(&w, kept_fields[i].name, *(const struct rf_str *)at);
    }
    rf_json_end(&w);
    if (o->keeps && !rf_json_finish(&w, NULL) &&
        !rf_rope_flatten(&rope, MAX_KEPT, a, &text, NULL) && name_of(o, name))
        rf_token_file_write(name, text);
    rf_arena_free(a);
}

void rf_oauth_replace(struct rf_oauth *o, const struct rf_oauth_grant *g)
{
    struct rf_oauth_grant own = *g;
    own.arena = rf_arena_new();
    for (size_t i = 0; i < sizeof kept_fields / sizeof *kept_fields; i++)
        if (kept_fields[i].type == RF_FIELD_STR) {
            struct rf_str *s = (struct rf_str *)((char *)&own + kept_fields[i].offset);
            *s = rf_str_dup(own.arena, *s);
        }
    keep(o, &own);
    pthread_mutex_lock(&o->lock);
    if (o->grant.arena)
        rf_arena_free(o->grant.arena);
    o->grant = own;
    pthread_mutex_unlock(&o->lock);
}

struct rf_str rf_oauth_token(struct rf_oauth *o, struct rf_arena *a)
{
    struct rf_str out = { 0 };
    pthread_mutex_lock(&o->lock);
    if (!o->looked)
        recall(o);
    if (!o->grant.expires || o->grant.expires > (int64_t)time(NULL) + MARGIN_S)
        out = rf_str_dup(a, o->grant.token);
    pthread_mutex_unlock(&o->lock);
    return out;
}

bool rf_oauth_asked_for(int status, struct rf_str challenge)
{
    if (status != 403)
        return status == 401;
    struct rf_arena *a = rf_arena_new();
    struct rf_challenge c;
    rf_challenge_read(challenge, a, &c);
    bool asked = rf_str_is(c.error, "insufficient_scope");
    rf_arena_free(a);
    return asked;
}

/* Obtaining. */

static enum rf_code count_login(struct rf_oauth *o, struct rf_err *err)
{
    int64_t now = rf_now_ms(), *oldest = &o->logins[o->login_count % RF_OAUTH_MOST_LOGINS];
    if (o->login_count >= RF_OAUTH_MOST_LOGINS && now - *oldest < LOGINS_MS)
        return rf_fail(err, RF_ELIMIT, "the server is not content with any token that it gets");
    *oldest = now;
    o->login_count++;
    return RF_OK;
}

/* A registration that nobody knows there any more is a page in the browser that says so, and never
 * comes back: the next try is made with a new one. */
static void forget_registration(struct rf_oauth_login *l)
{
    const struct rf_oauth_grant nothing = { 0 };
    if (l->known_before && l->visited)
        rf_oauth_replace(l->o, &nothing);
}

static enum rf_code settle(struct rf_oauth_login *l, bool ended, struct rf_err *err)
{
    struct rf_oauth *o = l->o;
    l->g = o->grant; /* nobody changes it but who has the turn */
    bool may_renew = l->refusal->status != 403 && l->g.refresh.n && (ended || !o->renewed);
    if (may_renew && rf_oauth_renew(l)) {
        o->renewed = true;
        rf_oauth_replace(o, &l->g);
        return RF_OK;
    }
    if (!l->visit->agree)
        return rf_fail(err, RF_EPERMISSION, "a login needs somebody who can be asked");
    l->g = o->grant;
    o->keeps = !o->options.forgets;
    enum rf_code rc = count_login(o, err);
    if (!rc)
        rc = rf_oauth_log_in(l, err);
    if (rc) {
        forget_registration(l);
        return rc;
    }
    o->renewed = false;
    rf_oauth_replace(o, &l->g);
    return RF_OK;
}

static enum rf_code take_turn(struct rf_oauth *o, int stop_fd, struct rf_err *err)
{
    while (pthread_mutex_trylock(&o->turn)) {
        struct pollfd stop = { stop_fd, POLLIN, 0 };
        if (poll(&stop, stop_fd >= 0, TURN_MS) > 0)
            return rf_fail(err, RF_EINTERRUPTED, "stopped while a login was waited for");
    }
    return RF_OK;
}

enum rf_code rf_oauth_obtain(struct rf_oauth *o, const struct rf_oauth_refusal *refusal,
                             const struct rf_oauth_visit *visit, struct rf_arena *a,
                             struct rf_str *token, struct rf_err *err)
{
    enum rf_code rc = take_turn(o, visit->stop_fd, err);
    if (rc)
        return rc;
    struct rf_str now = rf_oauth_token(o, a);
    if (!now.n || rf_str_eq(now, refusal->used)) {
        struct rf_arena *own = rf_arena_new();
        struct rf_oauth_login l = {
            .o = o, .refusal = refusal, .visit = visit, .callback = { .fd = -1 }
        };
        l.web = (struct rf_oauth_web){ .net = rf_net_new(),
                                       .arena = own,
                                       .stop_fd = visit->stop_fd,
                                       .plain_proxy = o->options.plain_proxy,
                                       .plain = rf_str_starts(rf_str(o->options.url), "http://"),
                                       .ring = refusal->ring,
                                       .issuer = o->options.issuer };
        rf_challenge_read(refusal->challenge, own, &l.challenge);
        rc = settle(&l, !now.n, err);
        if (!rc)
            now = rf_str_dup(a, l.g.token);
        rf_net_free(l.web.net);
        rf_arena_free(own);
    }
    pthread_mutex_unlock(&o->turn);
    if (!rc)
        *token = now;
    return rc;
}
