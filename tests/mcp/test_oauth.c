/* Leave to use a server: what a challenge says, which descriptions are believed, and a login to its end, with a server
 * that answers from a table and a browser that is played. */
#include "mcp/client/oauth.h"

#include "../net/server.h"
#include "base/clock.h"
#include "base/file.h"
#include "mcp/client/challenge.h"
#include "mcp/client/oauth_metadata.h"
#include "net/form.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* Of the next connections so many cannot be taken, since no descriptor is left. */
static int failing_accepts;

int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags)
{
    if (failing_accepts > 0) {
        failing_accepts--;
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_accept4, fd, from, size, flags);
}

/* Challenges. */

static const struct challenge_row {
    const char *name, *header;
    bool bearer;
    const char *metadata, *scope, *error;
} challenges[] = {
    { "nothing", "", false, "", "", "" },
    { "the scheme alone", "Bearer", true, "", "", "" },
    { "all of it",
      "Bearer error=\"invalid_token\", scope=\"a b\", resource_metadata=\"https://x/y\"", true,
      "https://x/y", "a b", "invalid_token" },
    { "the scheme in any case", "bearer SCOPE=a", true, "", "a", "" },
    { "after another scheme", "Basic realm=\"x\", scope=\"no\", Bearer scope=\"yes\"", true, "",
      "yes", "" },
    { "before another scheme", "Bearer scope=yes, Digest scope=no", true, "", "yes", "" },
    { "only another scheme", "Basic scope=\"no\"", false, "", "", "" },
    { "quotes inside", "Bearer scope=\"a\\\"b\"", true, "", "a\"b", "" },
    { "a quote that does not end", "Bearer scope=\"a", true, "", "a", "" },
    { "a quote inside at the end", "Bearer scope=\"a\\\"", true, "", "a\"", "" },
    { "a backslash at the end", "Bearer scope=\"a\\", true, "", "a\\", "" },
    { "several that are quoted", "Bearer error=\"\", scope=\"a\", error=\"\\b\"", true, "", "a",
      "b" },
    { "a comma inside", "Bearer error=\"a, b\", scope=\"c\"", true, "", "c", "a, b" },
    { "rubbish", "Bearer \"\x01\" scope=a", true, "", "", "" },
};

static void read_challenge(void **state)
{
    const struct challenge_row *r = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_challenge c;
    rf_challenge_read(rf_str(r->header), a, &c);
    assert_int_equal(c.bearer, r->bearer);
    assert_str(c.metadata, r->metadata);
    assert_str(c.scope, r->scope);
    assert_str(c.error, r->error);
    rf_arena_free(a);
}

static long most_kib(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

static void a_long_challenge_takes_no_more_memory_than_it_is_long(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_challenge c;
    struct rf_buf b;
    struct rf_str header;
    long before = most_kib();
    (void)state;
    rf_buf_init(&b, a, 1 << 20);
    rf_buf_add(&b, RF_STR("Bearer "));
    for (int i = 0; i < 20000; i++)
        rf_buf_add(&b, RF_STR("error=\"\","));
    assert_int_equal(rf_buf_finish(&b, &header, NULL), RF_OK);
    rf_challenge_read(header, a, &c);
    assert_true(c.bearer);
    assert_true(most_kib() - before < 100 << 10);
    rf_arena_free(a);
}

/* Names. */

static const struct name_row {
    const char *name, *resource, *server;
    bool same;
} names[] = {
    { "the same", "https://a.example/mcp", "https://a.example/mcp", true },
    { "a slash at the end", "https://a.example/mcp/", "https://a.example/mcp", true },
    { "the whole host", "https://a.example", "https://a.example/mcp", true },
    { "the host in capitals", "https://A.example/mcp", "https://a.example/mcp", true },
    { "a query of the server", "https://a.example/mcp", "https://a.example/mcp?x=1", true },
    { "another path", "https://a.example/other", "https://a.example/mcp", false },
    { "half a step of the path", "https://a.example/mc", "https://a.example/mcp", false },
    { "below the server", "https://a.example/mcp/more", "https://a.example/mcp", false },
    { "another host", "https://evil.example/mcp", "https://a.example/mcp", false },
    { "a host that begins alike", "https://a.example", "https://a.example.evil.example/mcp",
      false },
    { "another port", "https://a.example:8443/mcp", "https://a.example/mcp", false },
    { "another scheme", "http://a.example/mcp", "https://a.example/mcp", false },
    { "somebody before an @", "https://a.example@evil.example/mcp", "https://a.example/mcp",
      false },
    { "a fragment", "https://a.example/mcp#x", "https://a.example/mcp", false },
    { "no address", "mcp", "https://a.example/mcp", false },
};

static void compare_names(void **state)
{
    const struct name_row *r = *state;
    assert_int_equal(rf_oauth_is_resource(rf_str(r->resource), rf_str(r->server)), r->same);
}

static void no_plain_address_behind_tls(void **state)
{
    struct rf_oauth_web w = { 0 };
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_oauth_may_use(&w, RF_STR("http://a.example/token"), &err), RF_EPERMISSION);
    assert_int_equal(rf_oauth_may_use(&w, RF_STR("file:///etc/passwd"), &err), RF_EPERMISSION);
    assert_int_equal(rf_oauth_may_use(&w, RF_STR("https://a.example/x\r\ny"), &err),
                     RF_EPERMISSION);
    assert_int_equal(rf_oauth_may_use(&w, RF_STR("https://a.example/token"), &err), RF_OK);
    w.plain = true;
    assert_int_equal(rf_oauth_may_use(&w, RF_STR("http://a.example/token"), &err), RF_OK);
}

/* Logins. The texts of answers have "@" for the port. */

#define RESOURCE                                                                    \
    "{\"resource\":\"http://127.0.0.1:@/mcp\",\"authorization_servers\":[\"http://" \
    "127.0.0.1:@\"],\"scopes_supported\":[\"read\"]}"
#define ISSUER_WITH(more)                                                                     \
    "{\"issuer\":\"http://127.0.0.1:@\",\"authorization_endpoint\":\"http://127.0.0.1:@/a\"," \
    "\"token_endpoint\":\"http://127.0.0.1:@/t\",\"registration_endpoint\":\"http://"         \
    "127.0.0.1:@/r\"" more "}"
#define PKCE ",\"code_challenge_methods_supported\":[\"S256\"]"
#define ISSUER ISSUER_WITH(PKCE)
#define CLIENT "{\"client_id\":\"the-client\"}"
#define TOKEN \
    "{\"access_token\":\"secret-token\",\"token_type\":\"Bearer\",\"refresh_token\":\"secret-refresh\"}"
#define SHORT_TOKEN \
    "{\"access_token\":\"secret-token\",\"expires_in\":1,\"refresh_token\":\"secret-refresh\"}"
#define NEXT_TOKEN "{\"access_token\":\"next-token\",\"expires_in\":3600}"

#define MOST_ANSWERS 6

/* LEAKS: what comes back says a secret. */
enum browser {
    RETURNS,
    FROM_ELSEWHERE,
    REFUSES,
    FORGED_FIRST,
    STAYS_AWAY,
    NOT_OPENED,
    NOT_AGREED,
    LEAKS
};

static const struct login_row {
    const char *name;
    enum browser browser;
    const char *answers[MOST_ANSWERS];
    enum rf_code rc;
    size_t requests; /* that reached the server */
    const char *msg;
} logins[] = {
    { "a login", RETURNS, { RESOURCE, ISSUER, CLIENT, TOKEN }, RF_OK, 4, NULL },
    { "a token that is good for ever",
      RETURNS,
      { RESOURCE, ISSUER, CLIENT,
        "{\"access_token\":\"secret-token\",\"expires_in\":9223372036854775807}" },
      RF_OK,
      4,
      NULL },
    { "a forged return is turned away",
      FORGED_FIRST,
      { RESOURCE, ISSUER, CLIENT, TOKEN },
      RF_OK,
      4,
      NULL },
    { "a return from elsewhere",
      FROM_ELSEWHERE,
      { RESOURCE, ISSUER, CLIENT, TOKEN },
      RF_EPERMISSION,
      3,
      "evil.example" },
    { "no issuer where one is said to come",
      RETURNS,
      { RESOURCE, ISSUER_WITH(PKCE ",\"authorization_response_iss_parameter_supported\":true"),
        CLIENT, TOKEN },
      RF_EPERMISSION,
      3,
      "does not say" },
    { "the person says no",
      REFUSES,
      { RESOURCE, ISSUER, CLIENT, TOKEN },
      RF_EPERMISSION,
      3,
      "not today" },
    { "the description of another server",
      RETURNS,
      { "{\"resource\":\"https://evil.example/mcp\",\"authorization_servers\":[\"http://127.0.0.1:@\"]}" },
      RF_EPERMISSION,
      1,
      "evil.example" },
    { "an issuer that is another",
      RETURNS,
      { RESOURCE, "{\"issuer\":\"https://evil.example\"" PKCE "}" },
      RF_EPERMISSION,
      2,
      "evil.example" },
    { "an issuer without PKCE", RETURNS, { RESOURCE, ISSUER_WITH("") }, RF_EPROVIDER, 2, "PKCE" },
    { "no token",
      RETURNS,
      { RESOURCE, ISSUER, CLIENT, "{\"error\":\"invalid_grant\"}" },
      RF_EPERMISSION,
      4,
      "invalid_grant" },
    { "a token that would end the header",
      RETURNS,
      { RESOURCE, ISSUER, CLIENT, "{\"access_token\":\"a\\r\\nX: y\"}" },
      RF_EPERMISSION,
      4,
      "no token" },
    { "nothing is registered where the person does not agree",
      NOT_AGREED,
      { RESOURCE, ISSUER, CLIENT, TOKEN },
      RF_EPERMISSION,
      2,
      "not agreed" },
    { "stopped", STAYS_AWAY, { RESOURCE, ISSUER, CLIENT, TOKEN }, RF_EINTERRUPTED, 3, "stopped" },
};

struct played {
    struct rf_arena *arena;
    struct server *server;
    struct answer answers[MOST_ANSWERS];
    enum browser browser;
    struct rf_str challenge;
    enum rf_ring ring; /* that the server is in */
    bool alone;        /* nobody can be asked */
    char *back;        /* where it goes: "PORT QUERY" */
    int stop[2];       /* a pipe */
    pthread_t thread;
    bool opened;
};

static void get(int port, const char *query)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    char text[2048], reply[64];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    int n = snprintf(text, sizeof text, "GET /callback?%s HTTP/1.1\r\nHost: x\r\n\r\n", query);
    assert_true(send_all(fd, text, (size_t)n));
    assert_true(recv(fd, reply, sizeof reply, 0) > 0);
    close(fd);
}

static void *browse(void *ctx)
{
    struct played *p = ctx;
    char *query = strchr(p->back, ' ') + 1;
    int port = (int)strtol(p->back, NULL, 10);
    if (p->browser == FORGED_FIRST)
        get(port, "code=evil&state=guessed");
    get(port, query);
    return NULL;
}

/* What the address asks for; a browser brings it back. */
static enum rf_code open_page(void *ctx, struct rf_str host, const char *url, struct rf_err *err)
{
    static const char *const brings[] = {
        "code=c", "code=c&iss=https%3A%2F%2Fevil.example",
        "error=access_denied&error_description=not+today",
        "code=c", [LEAKS] = "error=e&error_description=not+configured-secret"
    };
    struct played *p = ctx;
    struct rf_str fields = rf_str(strchr(url, '?') + 1);
    const struct rf_str *back = rf_form_get(fields, "redirect_uri", p->arena);
    const struct rf_str *state = rf_form_get(fields, "state", p->arena);
    assert_str(host, rf_strf(p->arena, "127.0.0.1:%d", p->server->port).p);
    assert_str(*rf_form_get(fields, "code_challenge_method", p->arena), "S256");
    assert_str(*rf_form_get(fields, "scope", p->arena), "read");
    assert_str(*rf_form_get(fields, "client_id", p->arena), "the-client");
    assert_true(rf_str_starts(*back, "http://127.0.0.1:"));
    if (p->browser == NOT_OPENED)
        return rf_fail(err, RF_EPERMISSION, "not opened");
    if (p->browser == STAYS_AWAY) {
        assert_int_equal(write(p->stop[1], "x", 1), 1);
        return RF_OK;
    }
    p->back = strdup(
        rf_strf(p->arena, "%s %s&state=%.*s", back->p + 17, brings[p->browser], RF_FMT(*state)).p);
    p->opened = true;
    assert_int_equal(pthread_create(&p->thread, NULL, browse, p), 0);
    return RF_OK;
}

static enum rf_code agree(void *ctx, struct rf_str host, struct rf_err *err)
{
    struct played *p = ctx;
    assert_str(host, rf_strf(p->arena, "127.0.0.1:%d", p->server->port).p);
    return p->browser == NOT_AGREED ? rf_fail(err, RF_EPERMISSION, "not agreed") : RF_OK;
}

static const char *answer_text(struct rf_arena *a, const char *json, int port)
{
    struct rf_str rest = rf_str(json), part, body;
    struct rf_buf b;
    rf_buf_init(&b, a, 4096);
    while (rf_str_split(&rest, '@', &part)) {
        rf_buf_add(&b, part);
        if (rest.n)
            rf_buf_addf(&b, "%d", port);
    }
    assert_int_equal(rf_buf_finish(&b, &body, NULL), RF_OK);
    return rf_strf(a,
                   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu"
                   "\r\n\r\n%s",
                   body.n, body.p)
        .p;
}

static void play(struct played *p, enum browser browser, const char *const answers[MOST_ANSWERS])
{
    *p = (struct played){ .arena = rf_arena_new(), .browser = browser, .ring = RF_RING_HERE };
    p->server = server_start("127.0.0.1", p->answers, MOST_ANSWERS);
    for (size_t i = 0; i < MOST_ANSWERS; i++)
        p->answers[i].text = answer_text(p->arena, answers[i] ? answers[i] : "{}", p->server->port);
    assert_int_equal(pipe2(p->stop, O_CLOEXEC), 0);
}

static void end_play(struct played *p)
{
    if (p->opened)
        pthread_join(p->thread, NULL);
    free(p->back);
    close(p->stop[0]);
    close(p->stop[1]);
    server_stop(p->server);
    rf_arena_free(p->arena);
}

static enum rf_code obtain(struct played *p, struct rf_oauth *o, struct rf_str used,
                           struct rf_str *token, struct rf_err *err)
{
    const struct rf_oauth_refusal refusal = { 401, p->challenge, used, p->ring };
    const struct rf_oauth_visit visit = { p->alone ? NULL : agree, open_page, p, p->stop[0] };
    return rf_oauth_obtain(o, &refusal, &visit, p->arena, token, err);
}

static void log_in(void **state)
{
    const struct login_row *r = *state;
    struct played p;
    struct rf_err err = { 0 };
    struct rf_str token = { 0 };
    play(&p, r->browser, r->answers);
    const struct rf_oauth_options options = {
        .url = rf_strf(p.arena, "http://127.0.0.1:%d/mcp", p.server->port).p,
        .forgets = true,
    };
    struct rf_oauth *o = rf_oauth_new(&options);
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), r->rc);
    assert_int_equal(server_requests(p.server), r->requests);
    if (r->msg)
        assert_non_null(strstr(err.msg, r->msg));
    else
        assert_str(token, "secret-token");
    assert_null(strstr(err.msg, "secret"));
    assert_str(rf_oauth_token(o, p.arena), r->rc ? "" : "secret-token");
    rf_oauth_free(o);
    end_play(&p);
}

static void each_request_says_what_it_must(void **state)
{
    static const char *const answers[MOST_ANSWERS] = { RESOURCE, ISSUER, CLIENT, TOKEN };
    struct played p;
    struct rf_err err;
    struct rf_str token;
    (void)state;
    play(&p, RETURNS, answers);
    const char *url = rf_strf(p.arena, "http://127.0.0.1:%d/mcp", p.server->port).p;
    struct rf_oauth *o = rf_oauth_new(&(struct rf_oauth_options){ .url = url, .forgets = true });
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_OK);
    struct seen *seen = p.server->seen;
    assert_non_null(strstr(seen[0].head, "GET /.well-known/oauth-protected-resource/mcp "));
    assert_non_null(strstr(seen[1].head, "GET /.well-known/oauth-authorization-server "));
    assert_non_null(strstr(seen[2].body, "\"application_type\":\"native\""));
    struct rf_str form = rf_str(seen[3].body);
    assert_str(*rf_form_get(form, "grant_type", p.arena), "authorization_code");
    assert_str(*rf_form_get(form, "code", p.arena), "c");
    assert_str(*rf_form_get(form, "resource", p.arena), url);
    assert_true(rf_form_get(form, "code_verifier", p.arena)->n >= 43);
    rf_oauth_free(o);
    end_play(&p);
}

static void a_login_that_is_declined_costs_no_registration(void **state)
{
    static const char *const answers[MOST_ANSWERS] = { RESOURCE, ISSUER, CLIENT,
                                                       RESOURCE, ISSUER, TOKEN };
    struct played p;
    struct rf_err err;
    struct rf_str token;
    (void)state;
    play(&p, NOT_OPENED, answers);
    const char *url = rf_strf(p.arena, "http://127.0.0.1:%d/mcp", p.server->port).p;
    struct rf_oauth *o = rf_oauth_new(&(struct rf_oauth_options){ .url = url, .forgets = true });
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_EPERMISSION);
    assert_str(rf_oauth_token(o, p.arena), "");
    p.browser = RETURNS;
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_OK);
    assert_str(token, "secret-token");
    assert_int_equal(server_requests(p.server), 6);
    rf_oauth_free(o);
    end_play(&p);
}

/* All servers of tests are on this machine. */
static void a_server_outside_leads_nobody_inside(void **state)
{
    static const char *const answers[MOST_ANSWERS] = { RESOURCE, ISSUER, CLIENT, TOKEN };
    static const enum rf_ring rings[] = { RF_RING_OUTSIDE, RF_RING_PRIVATE };
    (void)state;
    for (size_t i = 0; i < COUNT(rings); i++) {
        struct played p;
        struct rf_err err;
        struct rf_str token;
        play(&p, RETURNS, answers);
        p.ring = rings[i];
        p.challenge =
            rf_strf(p.arena, "Bearer resource_metadata=\"http://127.0.0.1:%d/x\"", p.server->port);
        struct rf_oauth *o = rf_oauth_new(
            &(struct rf_oauth_options){ .url = "http://mcp.example/mcp", .forgets = true });
        assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_EPERMISSION);
        assert_non_null(strstr(err.msg, "on this machine, the server is not"));
        assert_int_equal(server_requests(p.server), 0);
        rf_oauth_free(o);
        end_play(&p);
    }
}

/* That it waits in between is all that can be seen from here. */
static void a_browser_is_not_taken_for_want_of_descriptors(void **state)
{
    static const char *const answers[MOST_ANSWERS] = { RESOURCE, ISSUER, CLIENT, TOKEN };
    struct played p;
    struct rf_err err;
    struct rf_str token;
    int64_t began = rf_now_ms();
    (void)state;
    play(&p, RETURNS, answers);
    const char *url = rf_strf(p.arena, "http://127.0.0.1:%d/mcp", p.server->port).p;
    struct rf_oauth *o = rf_oauth_new(&(struct rf_oauth_options){ .url = url, .forgets = true });
    failing_accepts = 3;
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_OK);
    assert_int_equal(failing_accepts, 0);
    assert_true(rf_now_ms() - began >= 300);
    rf_oauth_free(o);
    end_play(&p);
}

static void where_nobody_can_be_asked_nothing_is_sent(void **state)
{
    static const char *const answers[MOST_ANSWERS] = { RESOURCE, ISSUER, CLIENT, TOKEN };
    struct played p;
    struct rf_err err;
    struct rf_str token;
    (void)state;
    play(&p, RETURNS, answers);
    p.alone = true;
    const char *url = rf_strf(p.arena, "http://127.0.0.1:%d/mcp", p.server->port).p;
    struct rf_oauth *o = rf_oauth_new(&(struct rf_oauth_options){ .url = url, .forgets = true });
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_EPERMISSION);
    assert_int_equal(server_requests(p.server), 0);
    rf_oauth_free(o);
    end_play(&p);
}

/* A person's secret */

#define ELSEWHERE                                                                   \
    "{\"resource\":\"http://127.0.0.1:@/mcp\",\"authorization_servers\":[\"http://" \
    "127.0.0.1:@/other\"],\"scopes_supported\":[\"read\"]}"
#define BOTH                                                                                       \
    "{\"resource\":\"http://127.0.0.1:@/mcp\",\"authorization_servers\":[\"http://evil.example\"," \
    "\"http://127.0.0.1:@\"],\"scopes_supported\":[\"read\"]}"

static struct rf_oauth *of_a_person(const struct played *p, struct rf_str issuer)
{
    return rf_oauth_new(&(struct rf_oauth_options){
        .url = rf_strf(p->arena, "http://127.0.0.1:%d/mcp", p->server->port).p,
        .client = RF_STR("the-client"),
        .secret = RF_STR("configured-secret"),
        .issuer = issuer,
    });
}

static void the_secret_is_for_whom_it_was_used_with_first(void **state)
{
    static const char *const answers[MOST_ANSWERS] = { RESOURCE, ISSUER, TOKEN, "{}", ELSEWHERE };
    struct played p;
    struct rf_err err;
    struct rf_str token;
    (void)state;
    play(&p, RETURNS, answers);
    const char *folder = scratch_new(p.arena);
    setenv("XDG_CACHE_HOME", folder, 1);
    struct rf_oauth *o = of_a_person(&p, RF_STR(""));
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_OK);
    rf_oauth_free(o);
    o = of_a_person(&p, RF_STR(""));
    assert_int_equal(obtain(&p, o, token, &token, &err), RF_EPERMISSION);
    assert_non_null(strstr(err.msg, "/other"));
    assert_non_null(strstr(err.hint, "issuer"));
    assert_int_equal(server_requests(p.server), 5);
    rf_oauth_free(o);
    /* One of another issuer than the configured one is not used. */
    o = of_a_person(&p, rf_strf(p.arena, "http://127.0.0.1:%d/other", p.server->port));
    assert_str(rf_oauth_token(o, p.arena), "");
    rf_oauth_free(o);
    unsetenv("XDG_CACHE_HOME");
    scratch_remove(folder);
    end_play(&p);
}

static void an_issuer_that_a_person_names_is_the_only_one(void **state)
{
    static const char *const answers[MOST_ANSWERS] = { ELSEWHERE, BOTH, ISSUER, TOKEN };
    struct played p;
    struct rf_err err;
    struct rf_str token;
    (void)state;
    play(&p, RETURNS, answers);
    p.ring = RF_RING_OUTSIDE; /* and it may be anywhere */
    const char *folder = scratch_new(p.arena);
    setenv("XDG_CACHE_HOME", folder, 1);
    struct rf_oauth *o = of_a_person(&p, rf_strf(p.arena, "http://127.0.0.1:%d", p.server->port));
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_EPERMISSION);
    assert_int_equal(server_requests(p.server), 1);
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_OK);
    rf_oauth_free(o);
    unsetenv("XDG_CACHE_HOME");
    scratch_remove(folder);
    end_play(&p);
}

/* What the one file in a folder holds. */
static struct rf_str kept_text(const char *folder, struct rf_arena *a)
{
    struct rf_str text;
    DIR *d = opendir(rf_strf(a, "%s/refract/tokens", folder).p);
    struct dirent *e;
    assert_non_null(d);
    do
        assert_non_null(e = readdir(d));
    while (e->d_name[0] == '.');
    const char *path = rf_strf(a, "%s/refract/tokens/%s", folder, e->d_name).p;
    assert_int_equal(rf_file_read(path, 65536, a, &text, NULL), RF_OK);
    closedir(d);
    return text;
}

static void the_secret_of_a_person_is_in_no_message(void **state)
{
    static const char *const answers[MOST_ANSWERS] = {
        RESOURCE, ISSUER, "{\"error\":\"e\",\"error_description\":\"not configured-secret\"}"
    };
    static const enum browser browsers[] = { RETURNS, LEAKS };
    (void)state;
    for (size_t i = 0; i < COUNT(browsers); i++) {
        struct played p;
        struct rf_err err;
        struct rf_str token;
        play(&p, browsers[i], answers);
        struct rf_oauth *o = of_a_person(&p, RF_STR(""));
        assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_EPERMISSION);
        assert_non_null(strstr(err.msg, "not [redacted]"));
        rf_oauth_free(o);
        end_play(&p);
    }
}

static void the_secret_of_a_person_is_not_kept(void **state)
{
    static const char *const answers[MOST_ANSWERS] = { RESOURCE, ISSUER, SHORT_TOKEN, NEXT_TOKEN };
    struct played p;
    struct rf_err err;
    struct rf_str token;
    (void)state;
    play(&p, RETURNS, answers);
    const char *folder = scratch_new(p.arena);
    setenv("XDG_CACHE_HOME", folder, 1);
    struct rf_oauth *o = of_a_person(&p, RF_STR(""));
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_OK);
    rf_oauth_free(o);
    struct rf_str kept = kept_text(folder, p.arena);
    assert_true(rf_str_contains(kept, RF_STR("secret-refresh")));
    assert_false(rf_str_contains(kept, RF_STR("configured-secret")));
    o = of_a_person(&p, RF_STR("")); /* and yet it is there to renew with */
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_OK);
    assert_non_null(strstr(p.server->seen[3].head,
                           "Authorization: Basic dGhlLWNsaWVudDpjb25maWd1cmVkLXNlY3JldA=="));
    rf_oauth_free(o);
    unsetenv("XDG_CACHE_HOME");
    scratch_remove(folder);
    end_play(&p);
}

static void what_was_given_is_kept_and_renewed(void **state)
{
    static const char *const answers[MOST_ANSWERS] = { RESOURCE, ISSUER, CLIENT, SHORT_TOKEN,
                                                       NEXT_TOKEN };
    struct played p;
    struct rf_err err;
    struct rf_str token;
    (void)state;
    play(&p, RETURNS, answers);
    const char *folder = scratch_new(p.arena);
    setenv("XDG_CACHE_HOME", folder, 1);
    const char *url = rf_strf(p.arena, "http://127.0.0.1:%d/mcp", p.server->port).p;
    struct rf_oauth *o = rf_oauth_new(&(struct rf_oauth_options){ .url = url });
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_OK);
    assert_str(rf_oauth_token(o, p.arena), ""); /* it ends at once */
    rf_oauth_free(o);
    o = rf_oauth_new(&(struct rf_oauth_options){ .url = url, .forgets = true }); /* from now on */
    p.alone = true;
    assert_int_equal(obtain(&p, o, RF_STR(""), &token, &err), RF_OK);
    assert_str(token, "next-token");
    assert_int_equal(server_requests(p.server), 5);
    struct rf_str form = rf_str(p.server->seen[4].body);
    assert_str(*rf_form_get(form, "refresh_token", p.arena), "secret-refresh");
    assert_str(*rf_form_get(form, "client_id", p.arena), "the-client");
    rf_oauth_free(o);
    o = rf_oauth_new(&(struct rf_oauth_options){ .url = url });
    assert_str(rf_oauth_token(o, p.arena), "next-token");
    rf_oauth_free(o);
    unsetenv("XDG_CACHE_HOME");
    scratch_remove(folder);
    end_play(&p);
}

int main(void)
{
    struct CMUnitTest rows[COUNT(challenges) + COUNT(names) + COUNT(logins)];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_challenge_takes_no_more_memory_than_it_is_long),
        cmocka_unit_test(no_plain_address_behind_tls),
        cmocka_unit_test(each_request_says_what_it_must),
        cmocka_unit_test(a_login_that_is_declined_costs_no_registration),
        cmocka_unit_test(a_server_outside_leads_nobody_inside),
        cmocka_unit_test(a_browser_is_not_taken_for_want_of_descriptors),
        cmocka_unit_test(where_nobody_can_be_asked_nothing_is_sent),
        cmocka_unit_test(the_secret_is_for_whom_it_was_used_with_first),
        cmocka_unit_test(an_issuer_that_a_person_names_is_the_only_one),
        cmocka_unit_test(the_secret_of_a_person_is_in_no_message),
        cmocka_unit_test(the_secret_of_a_person_is_not_kept),
        cmocka_unit_test(what_was_given_is_kept_and_renewed),
    };
    name_rows(rows, read_challenge, challenges, COUNT(challenges), sizeof *challenges);
    name_rows(rows + COUNT(challenges), compare_names, names, COUNT(names), sizeof *names);
    name_rows(rows + COUNT(challenges) + COUNT(names), log_in, logins, COUNT(logins),
              sizeof *logins);
    int failed = cmocka_run_group_tests(rows, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
