/* Keys do not stay in texts, whoever put them there; and texts without keys stay as they are. */
#include "../testing.h"

#include "net/credentials.h"
#include "net/endpoint.h"

#define X "[redacted]"

static struct rf_aws_keys aws = { B("AKIAKNOWNKEYID"), B("known/secret+of+aws"),
                                  B("known-session-token"), "" };
static struct rf_google_account google = {
    .refresh = B("known-refresh"),
    .secret = B("known-client-secret"),
    .token = B("known-access-token"),
};
static struct rf_str header_secrets[] = { B("value of a header"), B("Bearer value-behind-it") };
static const struct rf_endpoint endpoint = {
    .key = B("my own key!"),
    .header_secrets = header_secrets,
    .header_secret_count = COUNT(header_secrets),
    .aws = &aws,
    .google = &google,
};

static const struct row {
    const char *name, *text, *want; /* want NULL: the same */
} rows[] = {
    { "nothing", "", NULL },
    { "a text without keys", "messages.2.content.1.image.source: Could not process image", NULL },
    { "paths of a refusal", "{\"param\":\"messages[3].content[1]\",\"code\":\"invalid_base64\"}",
      NULL },
    { "words that begin alike", "sk-8 task-force-of-eight skip AIza eyJ bearer of news", NULL },
    { "a thought's signature", "messages.1.content.0.thinking.signature: Field required", NULL },
    { "a model's name", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", NULL },
    { "a hash", "sha256:9f2c41d07ab39f2c41d07ab3", NULL },
    { "a key that is known", "you sent my own key!, no", "you sent " X ", no" },
    { "a header's", "you sent value of a header", "you sent " X },
    { "twice", "my own key!my own key!", X X },
    { "a header's without the name of its scheme", "you sent 'value-behind-it'",
      "you sent '" X "'" },
    { "a header's in base64", "dmFsdWUgb2YgYSBoZWFkZXI=", X "I=" },
    { "a key in base64", "Basic dTpteSBvd24ga2V5IQ==", "Basic dTp" X "Q==" },
    { "a key in an address", "/x?a=my%20own+key%21&b", "/x?a=" X "&b" },
    { "a key in JSON", "\\u006dy own\\u0020key!", X },
    { "the secret of AWS in an address", "s=known%2Fsecret%2bof%2Baws&", "s=" X "&" },
    { "a session in base64 for addresses", "x.a25vd24tc2Vzc2lvbi10b2tlbg", "x." X "g" },
    { "an access token in JSON", "k\\u006eown-access-token", X },
    { "the secret of AWS", "secret=known/secret+of+aws", "secret=" X },
    { "a session", "token known-session-token.", "token " X "." },
    { "an id of AWS", "id AKIAKNOWNKEYID", "id " X },
    { "a refresh token", "r known-refresh", "r " X },
    { "an access token", "t known-access-token", "t " X },
    { "Anthropic's", "invalid sk-ant-api03-AbC_d-123456", "invalid " X },
    { "OpenAI's, with stars",
      "Incorrect API key provided: sk-proj-****************abcd. You can find",
      "Incorrect API key provided: " X ". You can find" },
    { "Groq's", "\"gsk_abcdefgh12345\"", "\"" X "\"" },
    { "xAI's", "(xai-abcdefgh12345)", "(" X ")" },
    { "Google's", "API key AIzaSyA-1234567 not valid", "API key " X " not valid" },
    { "Google's token", "ya29.a0AfH6SMB_x", X },
    { "Amazon's", "AKIAIOSFODNN7EXAMPLE/20150830", X },
    { "a JWT", "got eyJhbGciOi.eyJpc3MiOi.c2lnbmF0, sorry", "got " X ", sorry" },
    { "a bearer", "Authorization: Bearer abcdefgh1234", "Authorization: Bearer " X },
    { "a bearer alone", "sent bearer abcdefgh1234", "sent bearer " X },
    { "a header", "X-API-Key: abcdefgh1234\r\nhost: x", "X-API-Key: " X "\r\nhost: x" },
    { "a header as JSON", "{\"x-goog-api-key\": \"abcdefgh1234\"}",
      "{\"x-goog-api-key\": \"" X "\"}" },
    { "JSON in JSON", "\\\"access_token\\\":\\\"abcdefgh1234\\\"",
      "\\\"access_token\\\":\\\"" X "\\\"" },
    { "a form", "grant=x&refresh_token=abcdefgh1234&a=b", "grant=x&refresh_token=" X "&a=b" },
    { "a query", "https://h/v1?key=abcdefgh1234&alt=sse", "https://h/v1?key=" X "&alt=sse" },
    { "a password in a URL", "could not reach https://u:pw@host/x",
      "could not reach https://" X "@host/x" },
    { "an @ in a path", "https://host/@scope/x", NULL },
    { "a private key", "a -----BEGIN PRIVATE KEY-----\nMIIE\nabc=\n-----END PRIVATE KEY-----\nb",
      "a " X "\nb" },
    { "a private key of JSON",
      "\"-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----\\n\"",
      "\"" X "\\n\"" },
    { "a private key that was cut", "a -----BEGIN PRIVATE KEY-----\nMIIE", "a " X },
    { "a certificate is none", "-----BEGIN CERTIFICATE-----\nMIIE", NULL },
    { "many bytes that say nothing", "://@://@://@://@ ?key=?key= key=key=key= \"\"\"\"", NULL },
    { "more is said than was there", "://a@://a@://a@", "://" X "@://" X "@://" X "@" },
};

static void is_redacted(void **state)
{
    const struct row *r = *state;
    struct rf_arena *a = rf_arena_new();
    assert_str(rf_redact(&endpoint, rf_str(r->text), a), r->want ? r->want : r->text);
    rf_arena_free(a);
}

/* What somebody set to get past a check may stand anywhere. */
static void short_keys_do_not_eat_texts(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_endpoint e = { .key = RF_STR("x") };
    (void)state;
    assert_str(rf_redact(&e, RF_STR("a text box"), a), "a text box");
    assert_str(rf_redact(NULL, RF_STR("a text sk-abcdefgh1"), a), "a text " X);
    rf_arena_free(a);
}

/* Any cut of a text with a key in it ends with nothing of the key that the whole one would not show. */
static void bytes_behind_the_end_are_not_looked_at(void **state)
{
    static const char text[] =
        "x Authorization: Bearer abcdefgh1234 https://u:p@h/ ?key=abcdefgh12 sk-abcdefghi "
        "-----BEGIN PRIVATE KEY-----\nM\n-----END PRIVATE KEY-----";
    (void)state;
    for (size_t n = 0; n < sizeof text; n++) {
        struct rf_arena *a = rf_arena_new();
        char *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, text, n);
        struct rf_str out = rf_redact(NULL, (struct rf_str){ copy, n }, a);
        assert_false(rf_str_contains(out, RF_STR("abcdefgh")));
        free(copy);
        rf_arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(short_keys_do_not_eat_texts),
        cmocka_unit_test(bytes_behind_the_end_are_not_looked_at),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, is_redacted, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
