/* One login: who gives leave, who we are there, the person in a browser, the token. */
#include "mcp/client/oauth_inside.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/json_write.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "net/form.h"

#include <sys/random.h>
#include <time.h>

#define MAX_FORM ((size_t)64 << 10)
#define MAX_WHY 200 /* bytes of a server's words in a message */
#define RANDOM_BYTES 32
#define MOST_SECONDS ((int64_t)10 * 365 * 24 * 60 * 60) /* that a token is good for */

/* A server's words, for a message: without what it was told, or gave, in secret. */
static struct rf_str said(struct rf_oauth_login *l, struct rf_str words)
{
    const struct rf_oauth_grant *had = &l->o->grant;
    const struct rf_str secrets[] = { l->o->options.secret, l->verifier, l->code,
                                      had->secret,          had->token,  had->refresh,
                                      l->g.secret,          l->g.token,  l->g.refresh };
    struct rf_secrets *known = RF_NEW(l->web.arena, struct rf_secrets);
    rf_secrets_init(known, l->web.arena);
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        rf_secrets_add(known, secrets[i]);
    return rf_utf8_cut(rf_secrets_redact(known, words, l->web.arena), MAX_WHY);
}

static enum rf_code refused(struct rf_oauth_login *l, const char *what,
                            const struct rf_oauth_answer *in, struct rf_err *err)
{
    const struct rf_jval *why = rf_jval_get(in->json, "error_description");
    if (rf_jval_type(why) != RF_JSTRING)
        why = rf_jval_get(in->json, "error");
    struct rf_str words =
        rf_jval_type(why) == RF_JSTRING ? rf_jval_text(why, l->web.arena) : (struct rf_str){ 0 };
    words = said(l, words);
    return rf_fail(err, RF_EPERMISSION, "\"%.*s\" %s (status %d)%s%.*s", RF_FMT(l->g.issuer), what,
                   in->status, words.n ? ": " : "", RF_FMT(words));
}

/* Scopes. */

static bool has_scope(struct rf_str list, struct rf_str scope)
{
    struct rf_str one;
    while (rf_str_split(&list, ' ', &one))
        if (rf_str_eq(one, scope))
            return true;
    return false;
}

static struct rf_str with_scopes(struct rf_str list, struct rf_str more, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str one, out;
    rf_buf_init(&b, a, MAX_FORM);
    rf_buf_add(&b, list);
    while (rf_str_split(&more, ' ', &one)) {
        if (!one.n || has_scope((struct rf_str){ b.p, b.n }, one))
            continue;
        rf_buf_add(&b, b.n ? RF_STR(" ") : RF_STR(""));
        rf_buf_add(&b, one);
    }
    return rf_buf_finish(&b, &out, NULL) ? list : out;
}

/* What the server asks for, with what was asked for before: a step up keeps what was there. */
static enum rf_code choose_scope(struct rf_oauth_login *l, struct rf_str before, struct rf_err *err)
{
    struct rf_arena *a = l->web.arena;
    struct rf_str wanted = l->challenge.scope.n ? l->challenge.scope : l->at.scopes;
    struct rf_str all = with_scopes(before, wanted, a);
    if (l->refusal->status == 403 && all.n == before.n)
        return rf_fail(err, RF_EPERMISSION,
                       "the server wants more (\"%.*s\") than \"%.*s\" gives for the same words",
                       RF_FMT(wanted), RF_FMT(l->at.issuer));
    if (all.n && l->at.offline_access)
        all = with_scopes(all, RF_STR("offline_access"), a);
    l->g.scope = all;
    return RF_OK;
}

/* Who we are there. */

static struct rf_str choose_method(const struct rf_oauth_login *l, struct rf_str secret)
{
    const struct rf_jval *methods = l->at.methods;
    if (secret.n && (!methods || rf_oauth_lists(methods, "client_secret_basic")))
        return RF_STR("client_secret_basic");
    if (secret.n && rf_oauth_lists(methods, "client_secret_post"))
        return RF_STR("client_secret_post");
    return RF_STR("none");
}

static struct rf_str wanted_method(const struct rf_oauth_login *l)
{
    if (!l->at.methods || rf_oauth_lists(l->at.methods, "none"))
        return RF_STR("none");
    return choose_method(l, RF_STR("some"));
}

static enum rf_code write_registration(const struct rf_oauth_login *l, struct rf_rope *rope,
                                       struct rf_err *err)
{
    struct rf_json w;
    rf_rope_init(rope, l->web.arena);
    rf_json_init(&w, rope);
    rf_json_obj(&w, NULL);
    rf_json_str(&w, "client_name", RF_STR("refract"));
    rf_json_str(&w, "application_type", RF_STR("native"));
    rf_json_arr(&w, "redirect_uris");
    rf_json_str(&w, NULL, l->redirect);
    rf_json_end(&w);
    rf_json_arr(&w, "grant_types");
    rf_json_str(&w, NULL, RF_STR("authorization_code"));
    rf_json_str(&w, NULL, RF_STR("refresh_token"));
    rf_json_end(&w);
    rf_json_arr(&w, "response_types");
    rf_json_str(&w, NULL, RF_STR("code"));
    rf_json_end(&w);
    rf_json_str(&w, "token_endpoint_auth_method", wanted_method(l));
    rf_json_str_opt(&w, "scope", l->g.scope);
    rf_json_end(&w);
    return rf_json_finish(&w, err);
}

struct registered {
    struct rf_str client, secret, method;
};

static const struct rf_jfield registered_fields[] = {
    { "client_id", RF_FIELD_STR, offsetof(struct registered, client), true },
    { "client_secret", RF_FIELD_STR, offsetof(struct registered, secret), false },
    { "token_endpoint_auth_method", RF_FIELD_STR, offsetof(struct registered, method), false },
};

/* Whatever becomes of this login, the next one needs no other. The scope that it asks for is not
 * given yet. */
static void keep_registration(struct rf_oauth_login *l)
{
    const struct rf_oauth_grant *had = &l->o->grant;
    struct rf_str scope = rf_str_dup(l->web.arena, l->g.scope);
    l->g.refresh = (struct rf_str){ 0 }; /* of another client */
    l->g.scope = rf_str_eq(had->issuer, l->g.issuer) ? had->scope : RF_STR("");
    rf_oauth_replace(l->o, &l->g);
    l->g = l->o->grant;
    l->g.scope = scope;
}

static enum rf_code register_us(struct rf_oauth_login *l, struct rf_err *err)
{
    const struct rf_header type = { RF_STR("Content-Type"), RF_STR("application/json") };
    struct registered in = { 0 };
    struct rf_oauth_answer answer;
    struct rf_rope body;
    enum rf_code rc = l->visit->agree(l->visit->ctx, rf_oauth_host(l->g.issuer), err);
    if (!rc)
        rc = write_registration(l, &body, err);
    if (!rc)
        rc = rf_oauth_ask(&l->web, rf_cstr(l->web.arena, l->at.registration), &type, 1, &body,
                          &answer, err);
    if (rc)
        return rc;
    if ((answer.status != 200 && answer.status != 201) || !answer.json ||
        rf_jval_fields(answer.json, NULL, registered_fields,
                       sizeof registered_fields / sizeof *registered_fields, l->web.arena, &in,
                       NULL))
        return refused(l, "does not register us", &answer, err);
    l->g.client = in.client;
    l->g.secret = in.secret;
    l->g.method = in.method.n ? in.method : choose_method(l, in.secret);
    l->g.port = l->callback.port;
    keep_registration(l);
    return RF_OK;
}

static enum rf_code choose_client(struct rf_oauth_login *l, const struct rf_oauth_grant *before,
                                  struct rf_err *err)
{
    const struct rf_oauth_options *options = &l->o->options;
    l->g.port = 0;
    if (options->client.n) {
        l->g.client = options->client;
        l->g.secret = options->secret;
    } else if (options->document.n && l->at.takes_documents) {
        l->g.client = options->document;
        l->g.secret = (struct rf_str){ 0 };
    } else if (before->client.n && before->port && before->port == l->callback.port) {
        l->known_before = true;
        l->g.port = before->port;
        return RF_OK;
    } else if (l->at.registration.n) {
        return register_us(l, err);
    } else {
        rf_fail(err, RF_ECONFIG, "\"%.*s\" registers nobody by itself", RF_FMT(l->at.issuer));
        rf_hint(err, "Register an application there, and put its id into the server's entry of the "
                     "configuration.");
        return RF_ECONFIG;
    }
    l->g.method = choose_method(l, l->g.secret);
    return RF_OK;
}

/* The person. */

static enum rf_code random_text(struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    char bytes[RANDOM_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return rf_fail_errno(err, "could not get random bytes");
    *out = rf_base64url((struct rf_str){ bytes, sizeof bytes }, a);
    return RF_OK;
}

static enum rf_code challenge_of(struct rf_str verifier, struct rf_arena *a, struct rf_str *out,
                                 struct rf_err *err)
{
    uint8_t digest[32];
    enum rf_code rc = rf_sha256_of(verifier, digest, err);
    if (!rc)
        *out = rf_base64url((struct rf_str){ (const char *)digest, sizeof digest }, a);
    return rc;
}

static enum rf_code make_address(struct rf_oauth_login *l, struct rf_str *out, struct rf_err *err)
{
    struct rf_str challenge, fields;
    struct rf_buf b;
    enum rf_code rc = random_text(l->web.arena, &l->state, err);
    if (!rc)
        rc = random_text(l->web.arena, &l->verifier, err);
    if (!rc)
        rc = challenge_of(l->verifier, l->web.arena, &challenge, err);
    if (rc)
        return rc;
    rf_buf_init(&b, l->web.arena, MAX_FORM);
    rf_form_field(&b, "response_type", RF_STR("code"));
    rf_form_field(&b, "client_id", l->g.client);
    rf_form_field(&b, "redirect_uri", l->redirect);
    rf_form_field(&b, "state", l->state);
    rf_form_field(&b, "code_challenge", challenge);
    rf_form_field(&b, "code_challenge_method", RF_STR("S256"));
    rf_form_field(&b, "resource", l->g.resource);
    if (l->g.scope.n)
        rf_form_field(&b, "scope", l->g.scope);
    if (has_scope(l->g.scope, RF_STR("offline_access")))
        rf_form_field(&b, "prompt", RF_STR("consent"));
    rc = rf_buf_finish(&b, &fields, err);
    if (!rc)
        *out = rf_strf(l->web.arena, "%.*s%c%.*s", RF_FMT(l->at.authorization),
                       memchr(l->at.authorization.p, '?', l->at.authorization.n) ? '&' : '?',
                       RF_FMT(fields));
    return rc;
}

/* What came back is from the server that was asked (RFC 9207), and is a code. */
static enum rf_code read_return(struct rf_oauth_login *l, struct rf_str query, struct rf_err *err)
{
    struct rf_arena *a = l->web.arena;
    const struct rf_str *iss = rf_form_get(query, "iss", a), *got = rf_form_get(query, "code", a);
    const struct rf_str *error = rf_form_get(query, "error", a);
    const struct rf_str *why = rf_form_get(query, "error_description", a);
    if (iss ? !rf_str_eq(*iss, l->g.issuer) : l->at.says_issuer)
        return rf_fail(
            err, RF_EPERMISSION, "the browser came back from \"%.*s\", \"%.*s\" was asked",
            RF_FMT(iss ? *iss : RF_STR("somewhere that it does not say")), RF_FMT(l->g.issuer));
    if (error) {
        struct rf_str words = said(l, why && why->n ? *why : *error);
        return rf_fail(err, RF_EPERMISSION, "\"%.*s\" does not give leave: %.*s",
                       RF_FMT(l->g.issuer), RF_FMT(words));
    }
    if (!got || !got->n)
        return rf_fail(err, RF_EPROVIDER, "\"%.*s\" gave no code", RF_FMT(l->g.issuer));
    l->code = *got;
    return RF_OK;
}

static enum rf_code ask_person(struct rf_oauth_login *l, struct rf_err *err)
{
    struct rf_str url, query;
    enum rf_code rc = make_address(l, &url, err);
    if (!rc)
        rc = l->visit->open(l->visit->ctx, rf_oauth_host(l->g.issuer), rf_cstr(l->web.arena, url),
                            err);
    l->visited = !rc;
    if (!rc)
        rc = rf_callback_wait(&l->callback, l->state, l->visit->stop_fd, l->web.arena, &query, err);
    if (!rc)
        rc = read_return(l, query, err);
    return rc;
}

/* The token. */

static struct rf_str basic(struct rf_oauth_login *l)
{
    struct rf_arena *a = l->web.arena;
    struct rf_buf b;
    struct rf_str plain = { 0 };
    rf_buf_init(&b, a, MAX_FORM);
    rf_form_text(&b, l->g.client);
    rf_buf_addc(&b, ':');
    rf_form_text(&b, l->g.secret);
    if (rf_buf_finish(&b, &plain, NULL))
        return plain;
    char *out = rf_arena_alloc(a, (size_t)rf_base64_length(plain.n) + 1);
    size_t n = rf_base64_encode(plain.p, plain.n, out);
    return rf_strf(a, "Basic %.*s", (int)n, out);
}

struct given {
    struct rf_str token, type, refresh, scope;
    int64_t seconds;
};

static const struct rf_jfield given_fields[] = {
    { "access_token", RF_FIELD_STR, offsetof(struct given, token), true },
    { "token_type", RF_FIELD_STR, offsetof(struct given, type), false },
    { "refresh_token", RF_FIELD_STR, offsetof(struct given, refresh), false },
    { "scope", RF_FIELD_STR, offsetof(struct given, scope), false },
    { "expires_in", RF_FIELD_INT, offsetof(struct given, seconds), false },
};

static bool is_token(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= 0x20 || s.p[i] >= 0x7f)
            return false;
    return s.n > 0;
}

/* Hand in a form that says what for; we prove who we are as was agreed. */
static enum rf_code ask_token(struct rf_oauth_login *l, struct rf_buf *form, struct rf_err *err)
{
    struct rf_header headers[2] = { { RF_STR("Content-Type"),
                                      RF_STR("application/x-www-form-urlencoded") } };
    struct given in = { 0 };
    struct rf_oauth_answer answer;
    struct rf_str text;
    struct rf_rope body;
    bool by_header = rf_str_is(l->g.method, "client_secret_basic");
    if (by_header)
        headers[1] = (struct rf_header){ RF_STR("Authorization"), basic(l) };
    else
        rf_form_field(form, "client_id", l->g.client);
    if (rf_str_is(l->g.method, "client_secret_post"))
        rf_form_field(form, "client_secret", l->g.secret);
    rf_form_field(form, "resource", l->g.resource);
    enum rf_code rc = rf_buf_finish(form, &text, err);
    rf_rope_init(&body, l->web.arena);
    rf_rope_text(&body, text);
    if (!rc)
        rc = rf_oauth_ask(&l->web, rf_cstr(l->web.arena, l->g.endpoint), headers, 1 + by_header,
                          &body, &answer, err);
    if (rc)
        return rc;
    if (answer.status != 200 || !answer.json ||
        rf_jval_fields(answer.json, NULL, given_fields, sizeof given_fields / sizeof *given_fields,
                       l->web.arena, &in, NULL) ||
        !is_token(in.token) || (in.type.n && !rf_str_ieq(in.type, RF_STR("bearer"))))
        return refused(l, "gives no token", &answer, err);
    l->g.token = in.token;
    l->g.refresh = in.refresh.n ? in.refresh : l->g.refresh;
    if (in.seconds > MOST_SECONDS)
        in.seconds = MOST_SECONDS;
    l->g.expires = in.seconds ? (int64_t)time(NULL) + in.seconds : 0;
    return RF_OK;
}

static enum rf_code trade_code(struct rf_oauth_login *l, struct rf_err *err)
{
    struct rf_buf form;
    rf_buf_init(&form, l->web.arena, MAX_FORM);
    rf_form_field(&form, "grant_type", RF_STR("authorization_code"));
    rf_form_field(&form, "code", l->code);
    rf_form_field(&form, "redirect_uri", l->redirect);
    rf_form_field(&form, "code_verifier", l->verifier);
    l->g.refresh = (struct rf_str){ 0 };
    return ask_token(l, &form, err);
}

bool rf_oauth_renew(struct rf_oauth_login *l)
{
    struct rf_buf form;
    rf_buf_init(&form, l->web.arena, MAX_FORM);
    rf_form_field(&form, "grant_type", RF_STR("refresh_token"));
    rf_form_field(&form, "refresh_token", l->g.refresh);
    return ask_token(l, &form, NULL) == RF_OK;
}

/* All of it. */

static enum rf_code open_callback(struct rf_oauth_login *l, const struct rf_oauth_grant *before,
                                  struct rf_err *err)
{
    uint16_t port = l->o->options.port ? l->o->options.port : (uint16_t)before->port;
    enum rf_code rc = rf_callback_open(&l->callback, port, err);
    if (rc && !l->o->options.port && port)
        rc = rf_callback_open(&l->callback, 0, err);
    if (!rc)
        l->redirect =
            rf_strf(l->web.arena, "http://127.0.0.1:%u/callback", (unsigned)l->callback.port);
    return rc;
}

enum rf_code rf_oauth_log_in(struct rf_oauth_login *l, struct rf_err *err)
{
    const struct rf_oauth_grant before = l->g, nothing = { 0 };
    const struct rf_oauth_options *options = &l->o->options;
    struct rf_str issuer = options->issuer;
    if (!issuer.n && options->secret.n) /* it is for whom it was used with first */
        issuer = before.issuer;
    enum rf_code rc = rf_oauth_describe(&l->web, rf_str(options->url), l->challenge.metadata,
                                        issuer, &l->at, err);
    if (rc)
        return rc;
    bool same = rf_str_eq(before.issuer, l->at.issuer);
    l->g = same ? before : nothing;
    l->g.issuer = l->at.issuer;
    l->g.resource = l->at.resource;
    l->g.endpoint = l->at.token;
    rc = choose_scope(l, l->g.scope, err);
    if (!rc)
        rc = open_callback(l, same ? &before : &nothing, err);
    if (!rc)
        rc = choose_client(l, same ? &before : &nothing, err);
    if (!rc)
        rc = ask_person(l, err);
    if (!rc)
        rc = trade_code(l, err);
    rf_callback_close(&l->callback);
    return rc;
}
