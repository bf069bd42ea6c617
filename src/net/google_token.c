/* A token for an account of Google.
 *
 * https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests
 *
 *     service account    says who it is in a JWT, signed with its key, and hands that in
 *     a login            hands in the token that it may refresh with
 *
 * Either way the answer is a token with an end. All who want one of the same account wait for the
 * same call. */
#include "net/credentials.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "net/crypto.h"
#include "net/endpoint.h"
#include "net/form.h"
#include "net/token_cache.h"

#include <time.h>

#define SCOPE "https://www.googleapis.com/auth/cloud-platform"
#define JWT_GRANT "urn:ietf:params:oauth:grant-type:jwt-bearer"
#define JWT_S 3600   /* that a JWT is good for: the most that is taken */
#define MARGIN_S 300 /* a token that ends sooner is not used any more */
#define MAX_TOKEN_S 86400
#define MAX_ANSWER ((size_t)64 << 10)
#define MAX_FORM ((size_t)64 << 10)
#define MAX_WHY 200 /* bytes of the server's words in a message */
#define EXCHANGE_MS 30000

/* The JWT. */

static struct rf_str encoded(struct rf_json *w, struct rf_arena *a)
{
    struct rf_str text = { 0 };
    if (rf_json_finish(w, NULL) || rf_rope_flatten(w->rope, MAX_FORM, a, &text, NULL))
        return (struct rf_str){ 0 };
    return rf_base64url(text, a);
}

static struct rf_str jwt_head(const struct rf_google_account *g, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str(&w, "alg", RF_STR("RS256"));
    rf_json_str(&w, "typ", RF_STR("JWT"));
    rf_json_str_opt(&w, "kid", g->key_id);
    rf_json_end(&w);
    return encoded(&w, a);
}

static struct rf_str jwt_claims(const struct rf_google_account *g, int64_t now, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str(&w, "iss", g->email);
    rf_json_str(&w, "scope", RF_STR(SCOPE));
    rf_json_str(&w, "aud", g->token_uri);
    rf_json_int(&w, "iat", now);
    rf_json_int(&w, "exp", now + JWT_S);
    rf_json_end(&w);
    return encoded(&w, a);
}

static enum rf_code make_jwt(const struct rf_google_account *g, int64_t now, struct rf_arena *a,
                             struct rf_str *out, struct rf_err *err)
{
    struct rf_str head = jwt_head(g, a), claims = jwt_claims(g, now, a), signature;
    struct rf_str text = rf_strf(a, "%.*s.%.*s", RF_FMT(head), RF_FMT(claims));
    enum rf_code rc = rf_rsa_sha256(g->private_key, text, a, &signature, err);
    if (rc) {
        rf_err_at(err, g->from);
        return rc;
    }
    signature = rf_base64url(signature, a);
    *out = rf_strf(a, "%.*s.%.*s", RF_FMT(text), RF_FMT(signature));
    return RF_OK;
}

/* The exchange. */

static enum rf_code make_form(const struct rf_google_account *g, int64_t now, struct rf_arena *a,
                              struct rf_str *out, struct rf_err *err)
{
    struct rf_buf b;
    struct rf_str jwt;
    enum rf_code rc = RF_OK;
    rf_buf_init(&b, a, MAX_FORM);
    switch (g->kind) {
    case RF_GOOGLE_SERVICE:
        rc = make_jwt(g, now, a, &jwt, err);
        if (rc)
            return rc;
        rf_form_field(&b, "grant_type", RF_STR(JWT_GRANT));
        rf_form_field(&b, "assertion", jwt);
        break;
    case RF_GOOGLE_USER:
        rf_form_field(&b, "grant_type", RF_STR("refresh_token"));
        rf_form_field(&b, "client_id", g->client);
        rf_form_field(&b, "client_secret", g->secret);
        rf_form_field(&b, "refresh_token", g->refresh);
        break;
    }
    return rf_buf_finish(&b, out, err);
}

/* The answer. */

struct answer {
    struct rf_str token, error, why;
    int64_t seconds;
};

static const struct rf_jfield answer_fields[] = {
    { "access_token", RF_FIELD_STR, offsetof(struct answer, token), false },
    { "expires_in", RF_FIELD_INT, offsetof(struct answer, seconds), false },
    { "error", RF_FIELD_STR, offsetof(struct answer, error), false },
    { "error_description", RF_FIELD_STR, offsetof(struct answer, why), false },
};

static bool is_token(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= 0x20 || s.p[i] >= 0x7f)
            return false;
    return s.n > 0;
}

static enum rf_code refused(struct rf_google_account *g, int status, const struct answer *in,
                            struct rf_arena *a, struct rf_err *err)
{
    const struct rf_endpoint known = { .google = g };
    struct rf_str why = rf_utf8_cut(rf_redact(&known, in->why, a), MAX_WHY);
    struct rf_str error = rf_utf8_cut(rf_redact(&known, in->error, a), MAX_WHY);
    rf_fail(err, RF_EPROVIDER,
            "no token was given for the account of \"%s\" (status %d)%s%.*s%s%.*s", g->from, status,
            error.n ? ": " : "", RF_FMT(error), why.n ? ": " : "", RF_FMT(why));
    rf_hint(err, g->kind == RF_GOOGLE_USER
                     ? "Log in again: gcloud auth application-default login."
                     : "Is the account's key still there, and is this machine's clock right?");
    return RF_EPROVIDER;
}

static enum rf_code read_answer(struct rf_google_account *g, int status, struct rf_str text,
                                struct rf_arena *a, struct answer *in, struct rf_err *err)
{
    const struct rf_jval *root;
    *in = (struct answer){ .seconds = JWT_S };
    bool read = !rf_jval_parse(text, a, &root, NULL) &&
                !rf_jval_fields(root, NULL, answer_fields,
                                sizeof answer_fields / sizeof *answer_fields, a, in, NULL);
    if (!read || status != 200 || !is_token(in->token))
        return refused(g, status, in, a, err);
    return RF_OK;
}

/* The call. */

struct asking {
    struct rf_errand errand; /* first: it is found by it */
    struct rf_arena *arena;  /* all of this lives in it */
    struct rf_google_account account;
    char name[65];
    int64_t began; /* seconds since 1970 */
    struct rf_rope body;
    struct rf_buf answer;
    struct rf_net_reply reply;
    struct rf_transfer *transfer;
};

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct rf_buf *b = ctx;
    rf_buf_add(b, bytes);
    return !b->full;
}

static void keep(const struct asking *k, const struct answer *in)
{
    int64_t end = k->began + (in->seconds < MAX_TOKEN_S ? in->seconds : MAX_TOKEN_S);
    if (k->account.keeps_tokens)
        rf_token_keep(k->name, in->token, end);
    else
        rf_token_hold(k->name, in->token, end);
}

static void take_answer(void *ctx, enum rf_code rc, const struct rf_err *why)
{
    struct asking *k = ctx;
    struct rf_err err = why ? *why : (struct rf_err){ 0 };
    struct rf_str text = { k->answer.n ? k->answer.p : "", k->answer.n };
    struct answer in = { 0 };
    if (!rc)
        rc = read_answer(&k->account, k->reply.status, text, k->arena, &in, &err);
    if (!rc)
        keep(k, &in);
    rf_errand_end(&k->errand, rc, in.token, &err);
    rf_arena_free(k->arena);
}

static void stop_asking(struct rf_errand *e)
{
    struct asking *k = (struct asking *)e;
    rf_net_cancel(k->transfer);
    rf_arena_free(k->arena);
}

static enum rf_code post(struct rf_net *net, struct asking *k, struct rf_str form,
                         struct rf_err *err)
{
    const struct rf_header header = { RF_STR("content-type"),
                                      RF_STR("application/x-www-form-urlencoded") };
    rf_rope_init(&k->body, k->arena);
    rf_rope_text(&k->body, form);
    rf_buf_init(&k->answer, k->arena, MAX_ANSWER);
    const struct rf_net_call call = {
        .url = rf_cstr(k->arena, k->account.token_uri),
        .headers = &header,
        .header_count = 1,
        .body = &k->body,
        .total_ms = EXCHANGE_MS,
        .bytes = take_bytes,
        .ctx = &k->answer,
        .done = take_answer,
        .done_ctx = k,
        .may_repeat = true,
    };
    return rf_net_start(net, &call, k->arena, &k->reply, &k->transfer, err);
}

/* Whoever asks first may leave before the answer comes. */
static struct rf_google_account copy(const struct rf_google_account *g, struct rf_arena *a)
{
    struct rf_google_account own = *g;
    struct rf_str *const texts[] = { &own.project, &own.email,  &own.key_id,  &own.private_key,
                                     &own.client,  &own.secret, &own.refresh, &own.token_uri };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = rf_str_dup(a, *texts[i]);
    own.arena = a;
    own.from = rf_cstr(a, rf_str(g->from));
    own.token = (struct rf_str){ 0 };
    return own;
}

/* What the token depends on, as a name that says nothing. */
static enum rf_code name_of(const struct rf_google_account *g, struct rf_arena *a, char hex[65],
                            struct rf_err *err)
{
    const struct rf_str parts[] = { g->email,  g->key_id,  g->private_key,
                                    g->client, g->refresh, g->token_uri };
    struct rf_str all = RF_STR("google");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        all = rf_str_join(a, rf_str_join(a, all, RF_STR("\n")), parts[i]);
    return rf_sha256_text(all, hex, err);
}

enum rf_code rf_google_token_recall(const struct rf_google_account *g, struct rf_arena *a,
                                    struct rf_str *token, struct rf_err *err)
{
    char name[65];
    enum rf_code rc = name_of(g, a, name, err);
    if (!rc && !rf_token_recall(name, (int64_t)time(NULL) + MARGIN_S, a, token))
        *token = (struct rf_str){ 0 };
    return rc;
}

static enum rf_code begin(struct rf_net *n, const struct rf_google_account *g, struct rf_arena *a,
                          struct asking **out, struct rf_err *err)
{
    struct asking *k = RF_NEW(a, struct asking);
    struct rf_str form;
    *k = (struct asking){
        .errand = { .stop = stop_asking },
        .arena = a,
        .account = copy(g, a),
        .began = (int64_t)time(NULL),
    };
    enum rf_code rc = name_of(g, a, k->name, err);
    if (rc)
        return rc;
    k->errand.name = rf_str(k->name);
    struct rf_errand *other = rf_errand_find(n, k->errand.name);
    if (other) {
        struct asking *first = (struct asking *)other;
        first->account.keeps_tokens = first->account.keeps_tokens || g->keeps_tokens;
        *out = first;
        return RF_OK;
    }
    rc = make_form(&k->account, k->began, a, &form, err);
    if (!rc)
        rc = post(n, k, form, err);
    if (!rc)
        rf_errand_add(n, &k->errand);
    *out = k;
    return rc;
}

enum rf_code rf_google_token_start(struct rf_net *n, const struct rf_google_account *g,
                                   struct rf_waiter *w, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct asking *k = NULL;
    enum rf_code rc = begin(n, g, a, &k, err);
    if (!rc)
        rf_waiter_join(w, &k->errand);
    if (rc || k->arena != a)
        rf_arena_free(a);
    return rc;
}
