/* Tokens for Google's accounts, from a token server of our own: what it is sent, what is made of
 * its answers, and that a token is asked for once and kept where nobody else reads it. */
#include "environment.h"
#include "prepared.h"
#include "server.h"

#include "base/base64.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "net/credentials.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#define TOKEN(text) \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" text
#define REFUSED(text) \
    "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" text

static EVP_PKEY *rsa;
static char pem[4096];

static int make_key(void **state)
{
    BIO *bio = BIO_new(BIO_s_mem());
    (void)state;
    rsa = EVP_RSA_gen(2048);
    if (!rsa || !bio || !PEM_write_bio_PrivateKey(bio, rsa, NULL, NULL, 0, NULL, NULL))
        return -1;
    int n = BIO_read(bio, pem, sizeof pem - 1);
    BIO_free(bio);
    return n > 0 ? 0 : -1;
}

static int drop_key(void **state)
{
    (void)state;
    EVP_PKEY_free(rsa);
    return 0;
}

struct scene {
    struct rf_arena *arena;
    const char *home;
    struct server *server;
    struct rf_net *net;
    bool keeps_tokens;
};

static void write_account(struct scene *s, const char *type, const char *private_key)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text;
    struct rf_err err;
    rf_rope_init(&rope, s->arena);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str(&w, "type", rf_str(type));
    rf_json_str(&w, "project_id", RF_STR("p-1"));
    rf_json_str(&w, "client_email", RF_STR("robot@p-1.example"));
    rf_json_str(&w, "private_key_id", RF_STR("key-7"));
    rf_json_str(&w, "private_key", rf_str(private_key));
    rf_json_str(&w, "client_id", RF_STR("client&1"));
    rf_json_str(&w, "client_secret", RF_STR("secret1/+"));
    rf_json_str(&w, "refresh_token", RF_STR("1//secret2"));
    rf_json_str(&w, "token_uri", rf_strf(s->arena, "http://127.0.0.1:%d/token", s->server->port));
    rf_json_end(&w);
    assert_int_equal(rf_json_finish(&w, &err), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, 16384, s->arena, &text, &err), RF_OK);
    write_file(in_folder(s->arena, s->home, "account.json"), text);
}

static struct scene scene_start(const struct answer *answers, size_t count, const char *type,
                                const char *private_key)
{
    struct scene s = { .arena = rf_arena_new(), .keeps_tokens = true };
    s.home = environment_start(s.arena);
    s.server = server_start("127.0.0.1", answers, count);
    s.net = rf_net_new();
    environment_add("GOOGLE_APPLICATION_CREDENTIALS=~/account.json\n");
    write_account(&s, type, private_key);
    return s;
}

static void scene_end(struct scene *s)
{
    rf_net_free(s->net);
    server_stop(s->server);
    scratch_remove(s->home);
    rf_arena_free(s->arena);
}

static struct rf_endpoint find(struct scene *s)
{
    struct rf_endpoint e;
    struct rf_model *m;
    struct rf_err err;
    if (rf_model_open(NULL, "vertex:g", &m, &err) ||
        rf_endpoint_find(NULL, m, false, NO_KEY, s->arena, &e, &err))
        fail_msg("%s", err.msg);
    rf_model_close(m);
    assert_int_equal(e.auth, RF_AUTH_GOOGLE);
    e.google->keeps_tokens = s->keeps_tokens;
    assert_non_null(strstr(e.url, "/projects/p-1/locations/global/"));
    return e;
}

static enum rf_code ask(struct scene *s, struct rf_endpoint *e, struct rf_str *proof,
                        struct rf_err *err)
{
    struct rf_header *headers;
    struct rf_rope body;
    size_t count;
    rf_rope_init(&body, s->arena);
    rf_rope_text(&body, RF_STR("{}"));
    enum rf_code rc = sign_for(e, s->net, &body, s->arena, &headers, &count, err);
    if (!rc)
        *proof = headers[count - 1].value;
    return rc;
}

static void expect_token(struct scene *s, const char *want)
{
    struct rf_endpoint e = find(s);
    struct rf_str proof;
    struct rf_err err;
    if (ask(s, &e, &proof, &err))
        fail_msg("%s", err.msg);
    assert_str(proof, want);
    /* It is known from then on. */
    struct rf_str text = rf_str_join(s->arena, RF_STR("seen: "), e.google->token);
    assert_str(rf_redact(&e, text, s->arena), "seen: [redacted]");
}

/* Another process: its memory is empty, the folder is the same. */
static void expect_token_elsewhere(struct scene *s, const char *want)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct scene own = *s;
        struct rf_endpoint e = find(&own);
        struct rf_str proof;
        struct rf_err err;
        own.net = rf_net_new();
        _exit(ask(&own, &e, &proof, &err) ? 2 : rf_str_is(proof, want) ? 0 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

/* The JWT. */

static struct rf_str decode(struct rf_arena *a, struct rf_str s)
{
    size_t padded = (s.n + 3) / 4 * 4, n;
    char *text = rf_arena_alloc(a, padded + 1), *out;
    memset(text, '=', padded);
    for (size_t i = 0; i < s.n; i++)
        text[i] = s.p[i] == '-' ? '+' : s.p[i] == '_' ? '/' : s.p[i];
    assert_true(rf_base64_decoded_length(text, padded, &n));
    out = rf_arena_alloc(a, n + 1);
    assert_true(rf_base64_decode(text, padded, out));
    return (struct rf_str){ out, n };
}

static struct rf_str member(struct rf_arena *a, struct rf_str json, const char *name)
{
    const struct rf_jval *root;
    struct rf_err err;
    assert_int_equal(rf_jval_parse(json, a, &root, &err), RF_OK);
    const struct rf_jval *v = rf_jval_get(root, name);
    assert_non_null(v);
    return v->type == RF_JSTRING ? rf_jval_text(v, a) : v->raw;
}

static void check_jwt(struct scene *s, struct rf_str jwt)
{
    struct rf_arena *a = s->arena;
    struct rf_str rest = jwt, head, claims;
    int64_t iat, exp;
    assert_true(rf_str_split(&rest, '.', &head) && rf_str_split(&rest, '.', &claims));
    struct rf_str text = { jwt.p, head.n + 1 + claims.n }, signature = decode(a, rest);
    head = decode(a, head);
    claims = decode(a, claims);
    assert_str(member(a, head, "alg"), "RS256");
    assert_str(member(a, head, "kid"), "key-7");
    assert_str(member(a, claims, "iss"), "robot@p-1.example");
    assert_str(member(a, claims, "scope"), "https://www.googleapis.com/auth/cloud-platform");
    assert_str(member(a, claims, "aud"),
               rf_strf(a, "http://127.0.0.1:%d/token", s->server->port).p);
    assert_true(rf_str_int64(member(a, claims, "iat"), &iat));
    assert_true(rf_str_int64(member(a, claims, "exp"), &exp));
    assert_true(iat <= time(NULL) && iat > time(NULL) - 600);
    assert_int_equal(exp - iat, 3600);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    assert_int_equal(EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, rsa), 1);
    assert_int_equal(EVP_DigestVerify(ctx, (const unsigned char *)signature.p, signature.n,
                                      (const unsigned char *)text.p, text.n),
                     1);
    EVP_MD_CTX_free(ctx);
}

static void a_service_account_signs_for_itself(void **state)
{
    static const struct answer answers[] = {
        { TOKEN("{\"access_token\":\"token-one-1\",\"expires_in\":3599,\"token_type\":\"Bearer\"}"),
          CLOSE },
    };
    static const char form[] =
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
    struct scene s = scene_start(answers, COUNT(answers), "service_account", pem);
    (void)state;
    expect_token(&s, "Bearer token-one-1");
    const struct seen *seen = &s.server->seen[0];
    assert_non_null(strstr(seen->head, "POST /token HTTP/"));
    assert_non_null(strcasestr(seen->head, "content-type: application/x-www-form-urlencoded"));
    assert_int_equal(strncmp(seen->body, form, strlen(form)), 0);
    check_jwt(&s, (struct rf_str){ seen->body + strlen(form), seen->body_bytes - strlen(form) });
    scene_end(&s);
}

static const char *kept_file(struct scene *s)
{
    struct rf_str hex = RF_STR("");
    const char *folder = in_folder(s->arena, s->home, ".cache/refract/tokens");
    FILE *list = popen(rf_strf(s->arena, "ls %s", folder).p, "r");
    char name[128] = "";
    assert_non_null(list);
    if (fgets(name, sizeof name, list))
        hex = rf_str_trim(rf_str(name));
    pclose(list);
    assert_true(hex.n > 0);
    return in_folder(s->arena, folder, rf_cstr(s->arena, hex));
}

/* Several want one at the same time, and the first to ask leaves before it comes. */
static void all_wait_for_the_same_token(void **state)
{
    static const struct answer answers[] = {
        { TOKEN("{\"access_token\":\"token-all-1\",\"expires_in\":3599}"), CLOSE },
    };
    struct scene s = scene_start(answers, COUNT(answers), "authorized_user", "");
    struct rf_preparing all[4];
    struct rf_rope body;
    struct rf_err err;
    bool ready;
    (void)state;
    rf_rope_init(&body, s.arena);
    for (size_t i = 0; i < COUNT(all); i++) {
        all[i] = (struct rf_preparing){ .net = s.net,
                                        .body = &body,
                                        .arena = s.arena,
                                        .endpoint = find(&s),
                                        .state = RF_PREPARE_PROOF };
        assert_int_equal(rf_prepare(&all[i], s.arena, &ready, &err), RF_OK);
        assert_false(ready);
    }
    rf_prepare_stop(&all[0]);
    for (size_t i = 1; i < COUNT(all); i++) {
        if (rf_prepare_now(&all[i], s.arena, &err))
            fail_msg("%s", err.msg);
        assert_str(all[i].headers[all[i].header_count - 1].value, "Bearer token-all-1");
        rf_prepare_stop(&all[i]);
    }
    assert_int_equal(server_requests(s.server), 1);
    scene_end(&s);
}

static void a_token_is_asked_for_once(void **state)
{
    static const struct answer answers[] = {
        { TOKEN("{\"access_token\":\"token-two-1\",\"expires_in\":3599}"), CLOSE },
        { TOKEN("{\"access_token\":\"token-two-2\",\"expires_in\":3599}"), CLOSE },
    };
    struct scene s = scene_start(answers, COUNT(answers), "authorized_user", "");
    struct stat st;
    (void)state;
    expect_token_elsewhere(&s, "Bearer token-two-1");
    assert_int_equal(server_requests(s.server), 1);
    assert_string_equal(s.server->seen[0].body,
                        "grant_type=refresh_token&client_id=client%261&client_secret=secret1%2F%2B"
                        "&refresh_token=1%2F%2Fsecret2");
    expect_token_elsewhere(&s, "Bearer token-two-1");
    assert_int_equal(server_requests(s.server), 1);

    const char *path = kept_file(&s);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    /* One that others could have written, or read, is not used. */
    assert_int_equal(chmod(path, 0644), 0);
    expect_token_elsewhere(&s, "Bearer token-two-2");
    assert_int_equal(server_requests(s.server), 2);
    /* Neither is one that is about to end, or that is broken. */
    write_file(path, RF_STR("{\"token\":\"old\",\"expires\":1000}"));
    assert_int_equal(chmod(path, 0600), 0);
    expect_token_elsewhere(&s, "Bearer token-two-2");
    write_file(path, RF_STR("{\"token\":\"a\\r\\nb: c\",\"expires\":99999999999}"));
    expect_token_elsewhere(&s, "Bearer token-two-2");
    write_file(path, RF_STR("{\"token\":"));
    expect_token_elsewhere(&s, "Bearer token-two-2");
    assert_int_equal(server_requests(s.server), 5);
    /* In one process the folder is not needed. */
    expect_token(&s, "Bearer token-two-2");
    scratch_remove(in_folder(s.arena, s.home, ".cache"));
    expect_token(&s, "Bearer token-two-2");
    assert_int_equal(server_requests(s.server), 5);
    scene_end(&s);
}

static void a_token_stays_in_memory_where_nothing_is_kept(void **state)
{
    static const struct answer answers[] = {
        { TOKEN("{\"access_token\":\"token-four-1\",\"expires_in\":3599}"), CLOSE },
    };
    struct scene s = scene_start(answers, COUNT(answers), "authorized_user", "");
    (void)state;
    s.keeps_tokens = false;
    expect_token(&s, "Bearer token-four-1");
    expect_token(&s, "Bearer token-four-1");
    assert_int_equal(server_requests(s.server), 1);
    assert_int_not_equal(access(in_folder(s.arena, s.home, ".cache"), F_OK), 0);
    scene_end(&s);
}

static void a_token_that_ends_soon_is_not_kept_for_long(void **state)
{
    static const struct answer answers[] = {
        { TOKEN("{\"access_token\":\"token-three-1\",\"expires_in\":60}"), CLOSE },
        { TOKEN("{\"access_token\":\"token-three-2\",\"expires_in\":3599}"), CLOSE },
    };
    struct scene s = scene_start(answers, COUNT(answers), "authorized_user", "");
    (void)state;
    expect_token(&s, "Bearer token-three-1");
    expect_token(&s, "Bearer token-three-2");
    expect_token(&s, "Bearer token-three-2");
    assert_int_equal(server_requests(s.server), 2);
    scene_end(&s);
}

/* What goes wrong. */

static const struct wrong {
    const char *name, *answer, *msg;
} wrongs[] = {
    { "a refusal",
      REFUSED("{\"error\":\"invalid_grant\",\"error_description\":\"Bad assertion "
              "eyJhbGciOi.eyJpc3MiOi.x\"}"),
      "(status 400): invalid_grant: Bad assertion [redacted]" },
    { "no JSON", TOKEN("<html>"), "(status 200)" },
    { "no token", TOKEN("{\"id_token\":\"x\"}"), "(status 200)" },
    { "a token of another type", TOKEN("{\"access_token\":7}"), "(status 200)" },
    { "a token that would become two headers",
      TOKEN("{\"access_token\":\"a\\r\\nx: y\",\"expires_in\":3599}"), "(status 200)" },
    { "a token with a refusal", REFUSED("{\"access_token\":\"abcdefgh\",\"expires_in\":3599}"),
      "(status 400)" },
    { "an empty answer", TOKEN(""), "(status 200)" },
};

static void no_token_is_given(void **state)
{
    const struct wrong *w = *state;
    const struct answer answers[] = { { w->answer, CLOSE } };
    struct scene s = scene_start(answers, COUNT(answers), "authorized_user", "");
    struct rf_endpoint e = find(&s);
    struct rf_str proof;
    struct rf_err err;
    assert_int_equal(ask(&s, &e, &proof, &err), RF_EPROVIDER);
    if (!strstr(err.msg, w->msg) || strstr(err.msg, "secret"))
        fail_msg("\"%s\" does not hold \"%s\"", err.msg, w->msg);
    assert_non_null(strstr(err.hint, "gcloud auth"));
    scene_end(&s);
}

static void an_answer_without_an_end_is_not_taken_in(void **state)
{
    static const struct answer answers[] = { { TOKEN("{\"access_token\":\""), GO_ON } };
    struct scene s = scene_start(answers, COUNT(answers), "authorized_user", "");
    struct rf_endpoint e = find(&s);
    struct rf_str proof;
    struct rf_err err;
    (void)state;
    assert_int_not_equal(ask(&s, &e, &proof, &err), RF_OK);
    scene_end(&s);
}

static void a_private_key_that_is_none_is_named(void **state)
{
    static const char *const keys[] = {
        "secret",
        "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n",
    };
    static const struct answer answers[] = { { TOKEN("{}"), CLOSE } };
    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct scene s = scene_start(answers, COUNT(answers), "service_account", keys[i]);
        struct rf_endpoint e = find(&s);
        struct rf_str proof;
        struct rf_err err;
        assert_int_equal(ask(&s, &e, &proof, &err), RF_ECONFIG);
        assert_non_null(strstr(err.msg, "account.json: the private key"));
        assert_null(strstr(err.msg, "secret"));
        assert_int_equal(server_requests(s.server), 0);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_service_account_signs_for_itself),
        cmocka_unit_test(all_wait_for_the_same_token),
        cmocka_unit_test(a_token_is_asked_for_once),
        cmocka_unit_test(a_token_stays_in_memory_where_nothing_is_kept),
        cmocka_unit_test(a_token_that_ends_soon_is_not_kept_for_long),
        cmocka_unit_test(an_answer_without_an_end_is_not_taken_in),
        cmocka_unit_test(a_private_key_that_is_none_is_named),
    };
    struct CMUnitTest tests[COUNT(wrongs) + COUNT(others)];
    name_rows(tests, no_token_is_given, wrongs, COUNT(wrongs), sizeof *wrongs);
    memcpy(tests + COUNT(wrongs), others, sizeof others);
    return cmocka_run_group_tests(tests, make_key, drop_key);
}
