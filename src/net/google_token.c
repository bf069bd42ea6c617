/* A token for an account of Google.
 *
 * https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests
 *
 *     service account    says who it is in a JWT, signed with its key, and hands that in
 *     a login            hands in the token that it may refresh with
 *
 * Either way the answer is a token with an end. */
#include "net/credentials.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "net/crypto.h"
#include "net/endpoint.h"
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

static struct rf_str base64url(struct rf_str s, struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, (size_t)rf_base64_length(s.n) + 1);
    size_t n = rf_base64_encode(s.p, s.n, out);
    while (n && out[n - 1] == '=')
        n--;
    for (size_t i = 0; i < n; i++)
        out[i] = out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i];
    return (struct rf_str){ out, n };
}

static struct rf_str encoded(struct rf_json *w, struct rf_arena *a)
{
    struct rf_str text = { 0 };
    if (rf_json_finish(w, NULL) || rf_rope_flatten(w->rope, MAX_FORM, a, &text, NULL))
        return (struct rf_str){ 0 };
    return base64url(text, a);
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
    signature = base64url(signature, a);
    *out = rf_strf(a, "%.*s.%.*s", RF_FMT(text), RF_FMT(signature));
    return RF_OK;
}

/* The exchange. */

static void add_field(struct rf_buf *b, const char *name, struct rf_str value)
{
    rf_buf_addf(b, "%s%s=", b->n ? "&" : "", name);
    for (size_t i = 0; i < value.n; i++) {
        char c = value.p[i];
        bool plain = rf_is_alnum(c) || (c && strchr("-._~", c));
        if (plain)
            rf_buf_addc(b, c);
        else
            rf_buf_addf(b, "%%%02X", (unsigned char)c);
    }
}

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
        add_field(&b, "grant_type", RF_STR(JWT_GRANT));
        add_field(&b, "assertion", jwt);
        break;
    case RF_GOOGLE_USER:
        add_field(&b, "grant_type", RF_STR("refresh_token"));
        add_field(&b, "client_id", g->client);
        add_field(&b, "client_secret", g->secret);
        add_field(&b, "refresh_token", g->refresh);
        break;
    }
    return rf_buf_finish(&b, out, err);
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct rf_buf *b = ctx;
    rf_buf_add(b, bytes);
    return !b->full;
}

static enum rf_code post(struct rf_google_account *g, struct rf_net *net, struct rf_str form,
                         struct rf_arena *a, int *status, struct rf_str *answer, struct rf_err *err)
{
    struct rf_rope body;
    struct rf_buf b;
    struct rf_net_reply reply;
    const struct rf_header header = { RF_STR("content-type"),
                                      RF_STR("application/x-www-form-urlencoded") };
    rf_rope_init(&body, a);
    rf_rope_text(&body, form);
    rf_buf_init(&b, a, MAX_ANSWER);
    const struct rf_net_call call = {
        .url = rf_cstr(a, g->token_uri),
        .headers = &header,
        .header_count = 1,
        .body = &body,
        .total_ms = EXCHANGE_MS,
        .cancel_fd = -1,
        .bytes = take_bytes,
        .ctx = &b,
    };
    enum rf_code rc = rf_net_call(net, &call, a, &reply, err);
    *status = reply.status;
    return rc ? rc : rf_buf_finish(&b, answer, err);
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

static enum rf_code ask(struct rf_google_account *g, struct rf_net *net, int64_t now,
                        struct rf_arena *a, struct answer *in, struct rf_err *err)
{
    const struct rf_jval *root;
    struct rf_str form, text;
    int status = 0;
    enum rf_code rc = make_form(g, now, a, &form, err);
    if (rc || (rc = post(g, net, form, a, &status, &text, err)))
        return rc;
    *in = (struct answer){ .seconds = JWT_S };
    bool read = !rf_jval_parse(text, a, &root, NULL) &&
                !rf_jval_fields(root, NULL, answer_fields,
                                sizeof answer_fields / sizeof *answer_fields, a, in, NULL);
    if (!read || status != 200 || !is_token(in->token))
        return refused(g, status, in, a, err);
    return RF_OK;
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

enum rf_code rf_google_token(struct rf_google_account *g, struct rf_net *net, struct rf_arena *a,
                             struct rf_str *token, struct rf_err *err)
{
    char name[65];
    int64_t now = (int64_t)time(NULL);
    struct answer in;
    enum rf_code rc = name_of(g, a, name, err);
    if (rc)
        return rc;
    if (!rf_token_recall(name, now + MARGIN_S, a, token)) {
        if ((rc = ask(g, net, now, a, &in, err)))
            return rc;
        int64_t seconds = in.seconds < MAX_TOKEN_S ? in.seconds : MAX_TOKEN_S;
        if (g->keeps_tokens)
            rf_token_keep(name, in.token, now + seconds);
        else
            rf_token_hold(name, in.token, now + seconds);
        *token = in.token;
    }
    g->token = rf_str_dup(g->arena, *token);
    return RF_OK;
}
