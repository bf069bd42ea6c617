/* Taking keys out of texts that somebody will read: error bodies of servers above all, some of
 * which repeat the key that they did not like.
 *
 * Known keys go wherever they stand; then whatever is shaped like one. A shape that is too wide
 * costs a few words of an error message, one that is too narrow costs a key. */
#include "net/endpoint.h"

#include "base/arena.h"
#include "base/buf.h"
#include "content/refusal.h"
#include "net/credentials.h"

#define LEAST_SHAPED 8 /* characters after a prefix that make it a key */

/* A key is a run of these; "=" ends base64. */
static bool is_key_char(char c)
{
    return rf_is_alnum(c) || (c && strchr("-_.+/=~%*", c));
}

static bool is_word_char(char c)
{
    return rf_is_alnum(c) || c == '_';
}

static struct rf_str from(struct rf_str s, size_t at)
{
    return (struct rf_str){ s.p + at, s.n - at };
}

static bool starts_word(struct rf_str s, size_t at)
{
    return at == 0 || !is_word_char(s.p[at - 1]);
}

static bool starts_ignoring_case(struct rf_str s, const char *prefix)
{
    struct rf_str p = rf_str(prefix);
    return s.n >= p.n && rf_str_ieq((struct rf_str){ s.p, p.n }, p);
}

static size_t key_run(struct rf_str s, size_t at)
{
    size_t n = at;
    while (n < s.n && is_key_char(s.p[n]))
        n++;
    return n - at;
}

/* How keys begin. */
static size_t prefixed(struct rf_str s)
{
    static const char *const prefixes[] = {
        "sk-",
        "sk_",
        "gsk_",
        "xai-",
        "AIza",
        "AQ.",
        "ya29.",
        "ABSK",
        "AKIA",
        "ASIA",
        "bedrock-api-key-",
        "ghp_",
        "gho_",
        "github_pat_",
        "eyJ",
        "1//",
        "hf_",
        "pk-lf-",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t n = strlen(prefixes[i]);
        if (!rf_str_starts(s, prefixes[i]))
            continue;
        size_t run = key_run(s, n);
        while (run && s.p[n + run - 1] == '.')
            run--; /* the end of a sentence */
        return run >= LEAST_SHAPED ? n + run : 0;
    }
    return 0;
}

static size_t skip_quotes(struct rf_str s, size_t at)
{
    while (at < s.n && s.p[at] && strchr("\"'\\ ", s.p[at]))
        at++;
    return at;
}

/* Where the value of a member or header begins whose name ends at `at`; 0: there is none. */
static size_t value_at(struct rf_str s, size_t at)
{
    at = skip_quotes(s, at);
    if (at == s.n || (s.p[at] != ':' && s.p[at] != '='))
        return 0;
    at = skip_quotes(s, at + 1);
    if (starts_ignoring_case(from(s, at), "bearer "))
        return at + 7;
    return starts_ignoring_case(from(s, at), "basic ") ? at + 6 : at;
}

/* What stands after a name that says it: "x-api-key: …", "authorization":"Bearer …". */
static size_t named(struct rf_str s, size_t *kept)
{
    static const char *const names[] = {
        "authorization",
        "x-api-key",
        "api-key",
        "api_key",
        "apikey",
        "x-goog-api-key",
        "access_token",
        "refresh_token",
        "client_secret",
        "assertion",
        "private_key",
        "session_token",
        "x-amz-security-token",
        "password",
        "secret",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t at = starts_ignoring_case(s, names[i]) ? value_at(s, strlen(names[i])) : 0;
        size_t run = at ? key_run(s, at) : 0;
        if (run < LEAST_SHAPED)
            continue;
        *kept = at;
        return at + run;
    }
    return 0;
}

static size_t bearer(struct rf_str s, size_t *kept)
{
    if (!starts_ignoring_case(s, "bearer "))
        return 0;
    size_t run = key_run(s, 7);
    *kept = 7;
    return run >= LEAST_SHAPED ? 7 + run : 0;
}

/* "?key=…", as some addresses have it. */
static size_t queried(struct rf_str s, size_t *kept)
{
    if (!rf_str_starts(s, "?key=") && !rf_str_starts(s, "&key="))
        return 0;
    size_t run = key_run(s, 5);
    *kept = 5;
    return run >= LEAST_SHAPED ? 5 + run : 0;
}

/* "://USER:PASSWORD@" */
static size_t userinfo(struct rf_str s, size_t *kept)
{
    if (!rf_str_starts(s, "://"))
        return 0;
    for (size_t i = 4; i < s.n && s.p[i] > 0x20 && !strchr("/?#\"<>", s.p[i]); i++) {
        if (s.p[i] != '@')
            continue;
        *kept = 3;
        return i;
    }
    return 0;
}

/* All of it; one without an end goes to the end of the text. */
static size_t pem(struct rf_str s)
{
    static const char begin[] = "-----BEGIN ", end[] = "-----END ";
    if (!rf_str_starts(s, begin) ||
        !rf_str_contains((struct rf_str){ s.p, s.n < 60 ? s.n : 60 }, RF_STR("PRIVATE KEY")))
        return 0;
    const char *close = memmem(s.p, s.n, end, sizeof end - 1);
    if (!close)
        return s.n;
    size_t at = (size_t)(close - s.p) + sizeof end - 1;
    while (at < s.n && s.p[at] != '\n' && s.p[at] != '"' && s.p[at] != '\\')
        at++;
    return at;
}

/* Bytes of a secret that begins here; the first `*kept` of them stay. */
static size_t shaped(struct rf_str text, size_t at, size_t *kept)
{
    struct rf_str s = from(text, at);
    size_t n;
    *kept = 0;
    if ((n = userinfo(s, kept)) || (n = queried(s, kept)) || (n = pem(s)))
        return n;
    *kept = 0;
    if (!starts_word(text, at))
        return 0;
    if ((n = prefixed(s)) || (n = bearer(s, kept)))
        return n;
    *kept = 0;
    return named(s, kept);
}

static struct rf_str without_shapes(struct rf_str text, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, a, text.n * 4 + 64);
    for (size_t i = 0; i < text.n;) {
        size_t kept = 0, n = shaped(text, i, &kept);
        if (!n) {
            rf_buf_addc(&b, text.p[i++]);
            continue;
        }
        rf_buf_add(&b, (struct rf_str){ text.p + i, kept });
        rf_buf_add(&b, RF_STR(RF_REDACTED));
        i += n;
    }
    return rf_buf_finish(&b, &out, NULL) ? RF_STR(RF_REDACTED) : out;
}

/* Without the name of the scheme, which some servers do not repeat. */
static void add_header_secret(struct rf_secrets *s, struct rf_str value)
{
    static const char *const schemes[] = { "bearer ", "basic ", "token " };
    rf_secrets_add(s, value);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (starts_ignoring_case(value, schemes[i]))
            rf_secrets_add(s, rf_str_trim(from(value, strlen(schemes[i]))));
}

void rf_endpoint_secrets(const struct rf_endpoint *e, struct rf_arena *a, struct rf_secrets *out)
{
    rf_secrets_init(out, a);
    out->without_shapes = without_shapes;
    if (!e)
        return;
    rf_secrets_add(out, e->key);
    for (size_t i = 0; i < e->other_key_count; i++)
        rf_secrets_add(out, e->other_keys[i]);
    for (size_t i = 0; i < e->header_secret_count; i++)
        add_header_secret(out, e->header_secrets[i]);
    if (e->aws) {
        rf_secrets_add(out, e->aws->secret);
        rf_secrets_add(out, e->aws->session);
        rf_secrets_add(out, e->aws->id);
    }
    if (e->google) {
        rf_secrets_add(out, e->google->token);
        rf_secrets_add(out, e->google->secret);
        rf_secrets_add(out, e->google->refresh);
    }
}

struct rf_str rf_redact(const struct rf_endpoint *e, struct rf_str text, struct rf_arena *a)
{
    struct rf_secrets known;
    if (!text.n)
        return text;
    rf_endpoint_secrets(e, a, &known);
    return without_shapes(rf_secrets_redact(&known, text, a), a);
}

void rf_redact_refusal(const struct rf_endpoint *e, struct rf_arena *a, struct rf_refusal *r)
{
    struct rf_str *const words[] = { &r->words, &r->inner, &r->code, &r->place, &r->body };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *words[i] = rf_redact(e, *words[i], a);
}

void rf_redact_error(const struct rf_endpoint *e, struct rf_arena *a, struct rf_err *err)
{
    struct rf_err plain = *err;
    rf_fail_said(err, plain.code, rf_redact(e, rf_str(plain.msg), a), "%s", "");
    rf_advise(err, plain.reason, "%s", plain.hint);
}
