/* Signatures against Amazon's own test suite and against those that another implementation made;
 * keys from the environment and from profiles; the hash of a body that is read from a rope. */
#include "../testing.h"
#include "environment.h"
#include "prepared.h"

#include "net/credentials.h"
#include "net/crypto.h"

#define SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define TIME 1440938160 /* 2015-08-30 12:36:00 */
#define NO_BODY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define SUITE "https://example.amazonaws.com"
#define BEDROCK "https://bedrock-runtime.us-west-2.amazonaws.com"
#define NOVA "/model/us.amazon.nova-2-lite-v1%3A0/converse"
#define EMPTY_MESSAGES "5e4ce7b36ba37b78a5d5f9fd08e6b7b54ba6879d651aa46ec9e1d6fa24ebe30a"
#define EMPTY_OBJECT "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
#define JSON "Content-Type: application/json\n"

static const struct vector {
    const char *name, *method, *url, *headers, *hash, *region, *service, *session;
    const char *names, *signature;
} vectors[] = {
    { "get-vanilla", "GET", SUITE "/", "", NO_BODY, "us-east-1", "service", "", "host;x-amz-date",
      "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
    { "a URL without a path", "GET", SUITE, "", NO_BODY, "us-east-1", "service", "",
      "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
    { "the usual port is not said", "GET", SUITE ":443/", "", NO_BODY, "us-east-1", "service", "",
      "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
    { "get-vanilla-query-order-key-case", "GET", SUITE "/?Param2=value2&Param1=value1", "", NO_BODY,
      "us-east-1", "service", "", "host;x-amz-date",
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500" },
    { "post-vanilla", "POST", SUITE "/", "", NO_BODY, "us-east-1", "service", "", "host;x-amz-date",
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b" },
    { "get-utf8", "GET", SUITE "/\xe1\x88\xb4", "", NO_BODY, "us-east-1", "service", "",
      "host;x-amz-date", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85" },
    { "get-header-key-duplicate", "GET", SUITE "/",
      "My-Header1: value2\nMy-Header1: value2\nMy-Header1: value1\n", NO_BODY, "us-east-1",
      "service", "", "host;my-header1;x-amz-date",
      "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea" },
    { "a colon of a model is encoded twice", "POST", BEDROCK NOVA, JSON, EMPTY_MESSAGES,
      "us-west-2", "bedrock", "", "content-type;host;x-amz-date",
      "19e027a59708d265ea91bd7317cd04ba0bc758326369c6db0f8d21b447bfe43c" },
    { "a session's token is signed", "POST", BEDROCK NOVA, JSON, EMPTY_MESSAGES, "us-west-2",
      "bedrock", "IQoJb3JpZ2luX2VjEXAMPLE==", "content-type;host;x-amz-date;x-amz-security-token",
      "8ebad64c563633c94fa9b1bdbb2c860521d8e130a0fb6288f51a949cdd3ce1e8" },
    { "a port, an ARN and white space", "POST",
      "http://127.0.0.1:8080/bedrock/model/"
      "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse-stream",
      JSON "X-Team:  a   b \n", EMPTY_OBJECT, "us-east-1", "bedrock", "",
      "content-type;host;x-amz-date;x-team",
      "5523e6c7327279c06fc59b49793399a1465448142bdf8f0e45e0fcd6c362beb3" },
};

static size_t read_headers(const char *text, struct rf_header *out)
{
    struct rf_str rest = rf_str(text), line, name;
    size_t n = 0;
    while (rf_str_split(&rest, '\n', &line)) {
        if (!line.n)
            continue;
        rf_str_split(&line, ':', &name);
        out[n++] = (struct rf_header){ name, line };
    }
    return n;
}

static void is_signed(void **state)
{
    const struct vector *v = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_header headers[4], out[3];
    struct rf_err err;
    size_t count = 0, session = v->session[0] != 0;
    const struct rf_aws_keys keys = { RF_STR("AKIDEXAMPLE"), RF_STR(SECRET), rf_str(v->session),
                                      "" };
    const struct rf_aws_request r = {
        .method = v->method,
        .url = v->url,
        .service = v->service,
        .region = rf_str(v->region),
        .headers = headers,
        .header_count = read_headers(v->headers, headers),
        .payload_hash = v->hash,
        .time = TIME,
    };
    assert_int_equal(rf_aws_sign(&keys, &r, a, out, &count, &err), RF_OK);
    assert_int_equal(count, 2 + session);
    assert_str(out[0].name, "x-amz-date");
    assert_str(out[0].value, "20150830T123600Z");
    if (session)
        assert_str(out[1].value, v->session);
    assert_str(out[count - 1].name, "authorization");
    assert_str(out[count - 1].value,
               rf_strf(a,
                       "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/%s/%s/aws4_request, "
                       "SignedHeaders=%s, Signature=%s",
                       v->region, v->service, v->names, v->signature)
                   .p);
    rf_arena_free(a);
}

/* RFC 4231 */
static void hmac_is_that_of_the_standard(void **state)
{
    static const struct {
        const char *key, *text;
        uint8_t first[4];
    } rows[] = {
        { "Jefe", "what do ya want for nothing?", { 0x5b, 0xdc, 0xc1, 0x46 } },
        { "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b",
          "Hi There",
          { 0xb0, 0x34, 0x4c, 0x61 } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t out[32];
        struct rf_err err;
        assert_int_equal(rf_hmac_sha256(rf_str(rows[i].key), rf_str(rows[i].text), out, &err),
                         RF_OK);
        assert_memory_equal(out, rows[i].first, 4);
    }
}

/* Keys. */

#define PROFILES                                                                          \
    "[default]\naws_access_key_id = AKIADEFAULT\naws_secret_access_key=s1\n"              \
    "; a comment\n[work]\r\naws_access_key_id=AKIAWORK\r\naws_secret_access_key = s2\r\n" \
    "aws_session_token = t2\r\n[half]\naws_access_key_id=AKIAHALF\n"                      \
    "[split]\naws_access_key_id=AKIASPLIT\n[bad]\naws_access_key_id=A K\n"                \
    "aws_secret_access_key=x\n"
#define SETTINGS                                                                \
    "[default]\nregion = eu-west-1\ns3 =\n  region = nowhere\n[profile work]\n" \
    "region=us-west-2\n[profile split]\naws_secret_access_key=s3\n"             \
    "[profile sso]\nsso_session = x\n[profile role]\nrole_arn = arn:x\nsource_profile = work\n"

static const struct found {
    const char *name, *environment;
    const char *id, *secret, *session, *from, *region; /* id NULL: none */
    const char *error;                                 /* or a part of it */
} found[] = {
    { "the environment", "AWS_ACCESS_KEY_ID=AKIAENV\nAWS_SECRET_ACCESS_KEY=s0\n", "AKIAENV", "s0",
      "", "AWS_ACCESS_KEY_ID", "eu-west-1", NULL },
    { "the environment with a session",
      "AWS_ACCESS_KEY_ID=AKIAENV\nAWS_SECRET_ACCESS_KEY=s0\nAWS_SESSION_TOKEN=t0\n", "AKIAENV",
      "s0", "t0", "AWS_ACCESS_KEY_ID", "eu-west-1", NULL },
    { "half of the environment does not count", "AWS_ACCESS_KEY_ID=AKIAENV\n", "AKIADEFAULT", "s1",
      "", "profile default", "eu-west-1", NULL },
    { "the default profile", "", "AKIADEFAULT", "s1", "", "profile default", "eu-west-1", NULL },
    { "a named profile, with the line ends of another system", "AWS_PROFILE=work\n", "AKIAWORK",
      "s2", "t2", "profile work", "us-west-2", NULL },
    { "a profile in both files", "AWS_PROFILE=split\n", "AKIASPLIT", "s3", "", "profile split", "",
      NULL },
    { "half a profile", "AWS_PROFILE=half\n", NULL, NULL, NULL, NULL, "",
      "the AWS profile \"half\" holds no keys" },
    { "no such profile", "AWS_PROFILE=nobody\n", NULL, NULL, NULL, NULL, "",
      "there is no AWS profile \"nobody\"" },
    { "a login in the browser", "AWS_PROFILE=sso\n", NULL, NULL, NULL, NULL, "",
      "\"sso_session\"" },
    { "a role", "AWS_PROFILE=role\n", NULL, NULL, NULL, NULL, "", "\"role_arn\"" },
    { "white space in a key", "AWS_PROFILE=bad\n", NULL, NULL, NULL, NULL, "",
      "characters that no key has" },
    { "no files", "AWS_SHARED_CREDENTIALS_FILE=/nowhere/a\nAWS_CONFIG_FILE=/nowhere/b\n", NULL,
      NULL, NULL, NULL, "", NULL },
    { "a line break in a key",
      "AWS_SHARED_CREDENTIALS_FILE=/nowhere/a\nAWS_ACCESS_KEY_ID=A\x01K\nAWS_SECRET_ACCESS_KEY=s\n",
      NULL, NULL, NULL, NULL, "eu-west-1", "characters that no key has" },
};

static void keys_are_found(void **state)
{
    const struct found *f = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_aws_keys *keys = NULL;
    struct rf_err err = { 0 };
    const char *home = environment_start(a);
    make_folder(in_folder(a, home, ".aws"));
    write_file(in_folder(a, home, ".aws/credentials"), RF_STR(PROFILES));
    write_file(in_folder(a, home, ".aws/config"), RF_STR(SETTINGS));
    environment_add(f->environment);
    enum rf_code rc = rf_aws_keys_find(a, &keys, &err);
    assert_int_equal(rc, f->error ? RF_ECONFIG : RF_OK);
    if (f->error && !strstr(err.msg, f->error))
        fail_msg("\"%s\" does not hold \"%s\"", err.msg, f->error);
    assert_int_equal(keys != NULL, f->id != NULL);
    if (keys) {
        assert_str(keys->id, f->id);
        assert_str(keys->secret, f->secret);
        assert_str(keys->session, f->session);
        assert_string_equal(keys->from, f->from);
    }
    assert_str(rf_aws_profile_region(a), f->region);
    scratch_remove(home);
    rf_arena_free(a);
}

/* A body of a text and of a file, which is encoded while it is hashed. */
static void the_body_is_hashed_as_it_is_sent(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_bytes bytes;
    struct rf_endpoint e;
    struct rf_header *headers, again[3];
    struct rf_str text;
    struct rf_err err;
    struct rf_model *m;
    size_t count, n;
    char hash[65];
    (void)state;
    const char *home = environment_start(a), *path = in_folder(a, home, "file");
    environment_add("AWS_ACCESS_KEY_ID=AKIAENV\nAWS_SECRET_ACCESS_KEY=s0\nAWS_SESSION_TOKEN=t0\n"
                    "AWS_REGION=us-west-2\n");
    write_file(path, RF_STR("some bytes of a file"));
    assert_int_equal(rf_bytes_file("", path, &bytes, &err), RF_OK);
    rf_rope_init(&rope, a);
    rf_rope_text(&rope, RF_STR("{\"data\":\""));
    rf_rope_base64(&rope, &bytes);
    rf_rope_text(&rope, RF_STR("\"}"));
    assert_int_equal(rf_rope_flatten(&rope, 4096, a, &text, &err), RF_OK);
    assert_int_equal(rf_sha256_text(text, hash, &err), RF_OK);

    assert_int_equal(rf_model_open(NULL, "bedrock:us.amazon.nova-2-lite-v1:0", &m, &err), RF_OK);
    assert_int_equal(rf_endpoint_find(NULL, m, false, NO_KEY, a, &e, &err), RF_OK);
    assert_string_equal(e.url, BEDROCK NOVA);
    assert_int_equal(sign_for(&e, NULL, &rope, a, &headers, &count, &err), RF_OK);
    assert_int_equal(count, e.header_count + 3);

    struct tm t = { 0 };
    assert_non_null(strptime(headers[count - 3].value.p, "%Y%m%dT%H%M%SZ", &t));
    const struct rf_aws_request r = {
        .method = "POST",
        .url = e.url,
        .service = "bedrock",
        .region = RF_STR("us-west-2"),
        .headers = e.headers,
        .header_count = e.header_count,
        .payload_hash = hash,
        .time = timegm(&t),
    };
    assert_int_equal(rf_aws_sign(e.aws, &r, a, again, &n, &err), RF_OK);
    assert_str(headers[count - 1].value, rf_cstr(a, again[n - 1].value));
    assert_str(headers[count - 2].value, "t0");
    rf_model_close(m);
    scratch_remove(home);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(hmac_is_that_of_the_standard),
        cmocka_unit_test(the_body_is_hashed_as_it_is_sent),
    };
    struct CMUnitTest tests[COUNT(vectors) + COUNT(found) + COUNT(others)], *at = tests;
    name_rows(at, is_signed, vectors, COUNT(vectors), sizeof *vectors);
    name_rows(at += COUNT(vectors), keys_are_found, found, COUNT(found), sizeof *found);
    memcpy(at + COUNT(found), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
