#include "mcp/client/oauth.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "mcp/client/callback.h"
#include "mcp/client/challenge.h"
#include "mcp/client/oauth_metadata.h"
#include "net/form.h"
#include "net/token_cache.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define MARGIN_S 30 /* a token that ends sooner is not sent any more */
#define MAX_FORM ((size_t)64 << 10)
#define MAX_KEPT ((size_t)64 << 10)
#define MAX_WHY 200     /* bytes of a server's words in a message */
#define MAX_LOGINS 3    /* within */
#define LOGINS_MS 60000 /* this: the server is never content */
#define TURN_MS 100     /* between looks at whether it is our turn */
#define RANDOM_BYTES 32

/* What was given, and by whom: all of it is worth nothing to another issuer. */
struct grant {
    struct rf_arena *arena; /* that it lives in; NULL: there is nothing */
    struct rf_str issuer, resource, endpoint;
    struct rf_str client, secret, method; /* how we are known there, and prove it */
    struct rf_str scope;                  /* that was asked for */
    struct rf_str token, refresh;
    int64_t port;    /* of the registration; 0: it is not bound to one */
    int64_t expires; /* seconds since 1970; 0: not known */
};

struct rf_oauth {
    struct rf_arena *arena;
    struct rf_oauth_options options;
    pthread_mutex_t turn; /* held by who obtains */
    pthread_mutex_t lock; /* of what follows; never held for long */
    bool looked;          /* for what was kept */
    struct grant grant;
    /* Of who obtains. */
    bool renewed; /* the token is one that replaced another, without a person */
    int64_t logins[MAX_LOGINS];
    size_t login_count;
};

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
    { "issuer", RF_FIELD_STR, offsetof(struct grant, issuer), true },
    { "resource", RF_FIELD_STR, offsetof(struct grant, resource), true },
    { "endpoint", RF_FIELD_STR, offsetof(struct grant, endpoint), true },
    { "client", RF_FIELD_STR, offsetof(struct grant, client), true },
    { "secret", RF_FIELD_STR, offsetof(struct grant, secret), false },
    { "method", RF_FIELD_STR, offsetof(struct grant, method), true },
    { "scope", RF_FIELD_STR, offsetof(struct grant, scope), false },
    { "token", RF_FIELD_STR, offsetof(struct grant, token), false },
    { "refresh", RF_FIELD_STR, offsetof(struct grant, refresh), false },
    { "port", RF_FIELD_INT, offsetof(struct grant, port), false },
    { "expires", RF_FIELD_INT, offsetof(struct grant, expires), false },
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

static void recall(struct rf_oauth *o)
{
    char name[65];
    struct rf_str text;
    const struct rf_jval *root;
    struct rf_arena *a = rf_arena_new();
    struct grant g = { .arena = a };
    bool found = !o->options.forgets && name_of(o, name) && rf_token_file_read(name, a, &text) &&
                 !rf_jval_parse(text, a, &root, NULL) &&
                 !rf_jval_fields(root, NULL, kept_fields, sizeof kept_fields / sizeof *kept_fields,
                                 a, &g, NULL);
    o->looked = true;
    if (found)
        o->grant = g;
    else
        rf_arena_free(a);
}

static void keep(struct rf_oauth *o, const struct grant *g)
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
        if (kept_fields[i].type == RF_FIELD_INT)
            rf_json_int(&w, kept_fields[i].name, *(const int64_t *)at);
        else
            rf_json_str(&w, kept_fields[i].name, *(const struct rf_str *)at);
    }
    rf_json_end(&w);
    if (!o->options.forgets && !rf_json_finish(&w, NULL) &&
        !rf_rope_flatten(&rope, MAX_KEPT, a, &text, NULL) && name_of(o, name))
        rf_token_file_write(name, text);
    rf_arena_free(a);
}

/* From now on this is what was given; `g` may point to what was before. */
static void replace(struct rf_oauth *o, const struct grant *g)
{
    struct grant own = *g;
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

/* One login. */

struct login {
    struct rf_oauth *o;
    const struct rf_oauth_refusal *refusal;
    const struct rf_oauth_visit *visit;
    struct rf_oauth_web web; /* its arena is ours */
    struct rf_challenge challenge;
    struct rf_oauth_metadata at;
    struct grant g; /* as it is becoming */
    struct rf_callback callback;
    struct rf_str redirect, state, verifier;
    bool known_before; /* g.client is one that was registered earlier */
    bool visited;      /* the person went there */
};

static enum rf_code refused(struct login *l, const char *what, const struct rf_oauth_answer *in,
                            struct rf_err *err)
{
    const struct rf_jval *why = rf_jval_get(in->json, "error_description");
    if (rf_jval_type(why) != RF_JSTRING)
        why = rf_jval_get(in->json, "error");
    struct rf_str words =
        rf_jval_type(why) == RF_JSTRING ? rf_jval_text(why, l->web.arena) : (struct rf_str){ 0 };
    words = rf_utf8_cut(words, MAX_WHY);
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
    struct rf_str one;
    while (rf_str_split(&more, ' ', &one))
        if (one.n && !has_scope(list, one))
            list = list.n ? rf_strf(a, "%.*s %.*s", RF_FMT(list), RF_FMT(one)) : one;
    return list;
}

/* What the server asks for, with what was asked for before: a step up keeps what was there. */
static enum rf_code choose_scope(struct login *l, struct rf_str before, struct rf_err *err)
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

static struct rf_str choose_method(const struct login *l, struct rf_str secret)
{
    const struct rf_jval *methods = l->at.methods;
    if (secret.n && (!methods || rf_oauth_lists(methods, "client_secret_basic")))
        return RF_STR("client_secret_basic");
    if (secret.n && rf_oauth_lists(methods, "client_secret_post"))
        return RF_STR("client_secret_post");
    return RF_STR("none");
}

static struct rf_str wanted_method(const struct login *l)
{
    if (!l->at.methods || rf_oauth_lists(l->at.methods, "none"))
        return RF_STR("none");
    return choose_method(l, RF_STR("some"));
}

static enum rf_code write_registration(const struct login *l, struct rf_rope *rope,
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
static void keep_registration(struct login *l)
{
    const struct grant *had = &l->o->grant;
    struct rf_str scope = rf_str_dup(l->web.arena, l->g.scope);
    l->g.refresh = (struct rf_str){ 0 }; /* of another client */
    l->g.scope = rf_str_eq(had->issuer, l->g.issuer) ? had->scope : RF_STR("");
    replace(l->o, &l->g);
    l->g = l->o->grant;
    l->g.scope = scope;
}

static enum rf_code register_us(struct login *l, struct rf_err *err)
{
    const struct rf_header type = { RF_STR("Content-Type"), RF_STR("application/json") };
    struct registered in = { 0 };
    struct rf_oauth_answer answer;
    struct rf_rope body;
    enum rf_code rc = write_registration(l, &body, err);
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

static enum rf_code choose_client(struct login *l, const struct grant *before, struct rf_err *err)
{
    const struct rf_oauth_options *said = &l->o->options;
    l->g.port = 0;
    if (said->client.n) {
        l->g.client = said->client;
        l->g.secret = said->secret;
    } else if (said->document.n && l->at.takes_documents) {
        l->g.client = said->document;
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
    struct rf_sha256 *hash;
    uint8_t digest[32];
    enum rf_code rc = rf_sha256_new(&hash, err);
    if (rc)
        return rc;
    rf_sha256_add(hash, verifier.p, verifier.n);
    rf_sha256_finish(hash, digest);
    rf_sha256_free(hash);
    *out = rf_base64url((struct rf_str){ (const char *)digest, sizeof digest }, a);
    return RF_OK;
}

static enum rf_code make_address(struct login *l, struct rf_str *out, struct rf_err *err)
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
static enum rf_code read_return(struct login *l, struct rf_str query, struct rf_str *code,
                                struct rf_err *err)
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
        struct rf_str words = rf_utf8_cut(why && why->n ? *why : *error, MAX_WHY);
        return rf_fail(err, RF_EPERMISSION, "\"%.*s\" does not give leave: %.*s",
                       RF_FMT(l->g.issuer), RF_FMT(words));
    }
    if (!got || !got->n)
        return rf_fail(err, RF_EPROVIDER, "\"%.*s\" gave no code", RF_FMT(l->g.issuer));
    *code = *got;
    return RF_OK;
}

static enum rf_code ask_person(struct login *l, struct rf_str *code, struct rf_err *err)
{
    struct rf_str url, query;
    enum rf_code rc = make_address(l, &url, err);
    if (!rc)
        rc = l->visit->open(l->visit->ctx, rf_cstr(l->web.arena, url), err);
    l->visited = !rc;
    if (!rc)
        rc = rf_callback_wait(&l->callback, l->state, l->visit->stop_fd, l->web.arena, &query, err);
    if (!rc)
        rc = read_return(l, query, code, err);
    return rc;
}

/* The token. */

static struct rf_str basic(struct login *l)
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
static enum rf_code ask_token(struct login *l, struct rf_buf *form, struct rf_err *err)
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
    l->g.expires = in.seconds ? (int64_t)time(NULL) + in.seconds : 0;
    return RF_OK;
}

static enum rf_code trade_code(struct login *l, struct rf_str code, struct rf_err *err)
{
    struct rf_buf form;
    rf_buf_init(&form, l->web.arena, MAX_FORM);
    rf_form_field(&form, "grant_type", RF_STR("authorization_code"));
    rf_form_field(&form, "code", code);
    rf_form_field(&form, "redirect_uri", l->redirect);
    rf_form_field(&form, "code_verifier", l->verifier);
    l->g.refresh = (struct rf_str){ 0 };
    return ask_token(l, &form, err);
}

static bool renew(struct login *l)
{
    struct rf_buf form;
    rf_buf_init(&form, l->web.arena, MAX_FORM);
    rf_form_field(&form, "grant_type", RF_STR("refresh_token"));
    rf_form_field(&form, "refresh_token", l->g.refresh);
    return ask_token(l, &form, NULL) == RF_OK;
}

/* All of it. */

static enum rf_code open_callback(struct login *l, const struct grant *before, struct rf_err *err)
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

static enum rf_code go(struct login *l, struct rf_err *err)
{
    const struct grant before = l->g, nothing = { 0 };
    struct rf_str code = { 0 };
    enum rf_code rc =
        rf_oauth_describe(&l->web, rf_str(l->o->options.url), l->challenge.metadata, &l->at, err);
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
        rc = ask_person(l, &code, err);
    if (!rc)
        rc = trade_code(l, code, err);
    rf_callback_close(&l->callback);
    return rc;
}

static enum rf_code count_login(struct rf_oauth *o, struct rf_err *err)
{
    int64_t now = rf_now_ms(), *oldest = &o->logins[o->login_count % MAX_LOGINS];
    if (o->login_count >= MAX_LOGINS && now - *oldest < LOGINS_MS)
        return rf_fail(err, RF_ELIMIT, "the server is not content with any token that it gets");
    *oldest = now;
    o->login_count++;
    return RF_OK;
}

/* A registration that nobody knows there any more is a page in the browser that says so, and never
 * comes back: the next try is made with a new one. */
static void forget_registration(struct login *l)
{
    const struct grant nothing = { 0 };
    if (l->known_before && l->visited)
        replace(l->o, &nothing);
}

static enum rf_code settle(struct login *l, bool ended, struct rf_err *err)
{
    struct rf_oauth *o = l->o;
    l->g = o->grant; /* nobody changes it but who has the turn */
    bool may_renew = l->refusal->status != 403 && l->g.refresh.n && (ended || !o->renewed);
    if (may_renew && renew(l)) {
        o->renewed = true;
        replace(o, &l->g);
        return RF_OK;
    }
    l->g = o->grant;
    enum rf_code rc = count_login(o, err);
    if (!rc)
        rc = go(l, err);
    if (rc) {
        forget_registration(l);
        return rc;
    }
    o->renewed = false;
    replace(o, &l->g);
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
        struct login l = { .o = o, .refusal = refusal, .visit = visit, .callback = { .fd = -1 } };
        l.web = (struct rf_oauth_web){ rf_net_new(), own, visit->stop_fd, o->options.plain_proxy,
                                       rf_str_starts(rf_str(o->options.url), "http://") };
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
