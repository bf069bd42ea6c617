/* Every recorded stream, fed whole, byte by byte and cut at random places: the same message each
 * time, also where secrets are looked for that are not in it; and a word of it that is one is taken
 * out.
 *
 * Needs REFRACT_SHARED; without it, it says so. */
#include "recordings.h"

#include "base/base64.h"
#include "base/secrets.h"
#include "model/model.h"
#include "request/request.h"

#include <refract/reply.h>

static const struct {
    const char *address, *provider, *name; /* a piece of the request's address, and whom to ask */
} apis[] = {
    { "/v1/messages", "anthropic", "claude-sonnet-4-5" },
    { "/converse-stream", "bedrock", "anthropic.claude-x" },
    { ":streamGenerateContent", "google", "gemini-2.5-flash" },
    { "/responses", "openai", "gpt-5" },
    { "/chat/completions", "openai-chat", "gpt-4o" },
};

struct listened {
    const struct rf_secrets *secrets; /* or NULL */
    struct rf_buf told;
};

static bool hear(void *ctx, const struct rf_event *e)
{
    struct listened *l = ctx;
    if (e->type == RF_EVENT_TEXT)
        rf_buf_add(&l->told, e->text);
    return true;
}

/* Pieces of `step` bytes, or of random lengths up to 40 where it is 0. */
static struct rf_str decode(const struct rf_model *m, struct rf_str s, size_t step,
                            struct listened *l, struct rf_arena *a, enum rf_code *rc)
{
    struct rf_decode *d = rf_decode_stream(m);
    struct rf_str json;
    unsigned state = 1;
    *rc = RF_OK;
    rf_buf_init(&l->told, a, RF_MAX_REPLY_BYTES);
    rf_decode_listen(d, hear, l);
    rf_decode_redact(d, l->secrets);
    for (size_t at = 0, n; !*rc && at < s.n; at += n) {
        state = state * 1664525u + 1013904223u;
        n = step ? step : 1 + state / 65536 % 40;
        n = s.n - at < n ? s.n - at : n;
        *rc = rf_decode_feed(d, (struct rf_str){ s.p + at, n }, NULL);
    }
    enum rf_code end = rf_decode_finish(d, &json, NULL);
    *rc = *rc ? *rc : end;
    json = rf_str_dup(a, json);
    rf_decode_free(d);
    return json;
}

/* The first twelve bytes of a text; nothing where they are spelled in another way in JSON. */
static struct rf_str word_of(struct rf_str message)
{
    static const char member[] = "\"text\":\"";
    const char *at = memmem(message.p, message.n, member, sizeof member - 1);
    struct rf_str word = { at ? at + sizeof member - 1 : "", at ? 12 : 0 };
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] == '"' || word.p[i] == '\\')
            return RF_STR("");
    return word;
}

static void check_redacted(const char *path, const struct rf_model *m, struct rf_str s,
                           struct rf_str said, struct rf_str want, struct rf_arena *a)
{
    struct rf_secrets secrets;
    struct listened l = { .secrets = &secrets };
    enum rf_code rc;
    rf_secrets_init(&secrets, a);
    rf_secrets_add(&secrets, RF_STR("The-key that no server sends"));
    struct rf_str got = decode(m, s, 0, &l, a, &rc);
    if (!rf_str_eq(got, want) || !rf_str_eq(said, (struct rf_str){ l.told.p, l.told.n }))
        fail_msg("%s: it is another message where a secret is looked for", path);
    struct rf_str word = word_of(want);
    if (!word.n)
        return;
    rf_secrets_add(&secrets, word);
    got = decode(m, s, 0, &l, a, &rc);
    if (rf_str_contains((struct rf_str){ l.told.p, l.told.n }, word) || rf_str_contains(got, word))
        fail_msg("%s: \"%.*s\" is still in %.*s", path, RF_FMT(word), RF_FMT(got));
}

static void check_stream(const char *path, const struct rf_model *m, struct rf_str s,
                         struct rf_arena *a)
{
    enum rf_code whole, cut;
    struct listened l = { 0 };
    struct rf_str want = decode(m, s, s.n, &l, a, &whole);
    struct rf_str said = rf_str_dup(a, (struct rf_str){ l.told.p, l.told.n });
    for (size_t step = 0; step < 2; step++) {
        struct rf_str got = decode(m, s, step, &l, a, &cut);
        if (whole != cut || !rf_str_eq(got, want))
            fail_msg("%s: in pieces (%zu) it is another message", path, step);
    }
    check_redacted(path, m, s, said, want, a);
}

/* The bytes of a recorded body that is a stream, or nothing. */
static struct rf_str stream_of(const struct rf_jval *body, struct rf_arena *a)
{
    const struct rf_jval *frames = rf_jval_get(body, "$eventstream_b64");
    if (body && body->type == RF_JSTRING) {
        struct rf_str text = rf_jval_text(body, a);
        return rf_str_contains(text, RF_STR("data: ")) ? text : RF_STR("");
    }
    size_t n;
    if (!frames || !rf_base64_decoded_length(frames->raw.p, frames->raw.n, &n))
        return RF_STR("");
    char *p = rf_arena_alloc(a, n + 1);
    assert_true(rf_base64_decode(frames->raw.p, frames->raw.n, p));
    return (struct rf_str){ p, n };
}

static size_t check_exchange(const struct recording *r, const struct rf_jval *e)
{
    struct rf_arena *a = r->arena;
    const struct rf_jval *url = rf_jval_get(rf_jval_get(e, "request"), "url");
    struct rf_str s = stream_of(rf_jval_get(rf_jval_get(e, "response"), "body"), a);
    struct rf_model m;
    for (size_t i = 0; s.n && url && i < COUNT(apis); i++) {
        if (!rf_str_contains(rf_jval_text(url, a), rf_str(apis[i].address)))
            continue;
        assert_int_equal(rf_model_init(&m, rf_str(apis[i].provider), rf_str(apis[i].name), a, NULL),
                         RF_OK);
        check_stream(r->path, &m, s, a);
        return 1;
    }
    return 0;
}

static void recorded_streams(void **state)
{
    (void)state;
    size_t count = check_recordings(check_exchange);
    print_message("%zu recorded streams\n", count);
    assert_true(count > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(recorded_streams) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
