/* Secrets do not stay in texts, however they are spelled and wherever the pieces are cut; and texts
 * without one stay as they are. */
#include "base/secrets.h"

#include "base/arena.h"
#include "base/base64.h"

#include "../testing.h"

#include <stdio.h>

#define X "[redacted]"
#define KEY "sk-My/own+key_7"
#define HEX "41fe0041beef5c75"

static const struct row {
    const char *name, *text, *want; /* want NULL: the same */
} rows[] = {
    { "nothing", "", NULL },
    { "a text without", "What has 100 % of sk-My/own keys\\n?", NULL },
    { "as it is", "a " KEY " b", "a " X " b" },
    { "twice", KEY KEY, X X },
    { "all of it but the end", "sk-My/own+key_", NULL },
    { "begun twice", "sk-My/osk-My/own+key_7", "sk-My/o" X },
    { "percent-encoded where it must be", "?k=sk-My%2Fown%2Bkey_7&", "?k=" X "&" },
    { "in lower case", "?k=sk-My%2fown%2bkey_7&", "?k=" X "&" },
    { "all of it", "%73%6B%2D%4D%79%2f%6f%77%6e%2b%6b%65%79%5f%37.", X "." },
    { "twice encoded", "sk-My%252Fown%252Bkey_7", X },
    { "escaped as in JSON", "\\u0073k-My\\/own\\u002Bkey\\u005f7\\n", X "\\n" },
    { "JSON in JSON", "\\\\u0073k-My\\\\/own+key_7", "\\" X },
    { "escaped as in Markdown", "sk\\-My/own\\+key\\_7", X },
    { "percent-encoded, then escaped", "sk-My\\u00252fown\\u00252bkey_7", X },
    { "an escape that is none", "sk-My%2Gown+key_7 sk-My\\x2fown+key_7", NULL },
    { "an escape that is another", "sk-My%2Eown+key_7 \\u0174k-My/own+key_7", NULL },
    { "base64", "c2stTXkvb3duK2tleV83", X },
    { "base64 after one byte", "eHNrLU15L293bitrZXlfNw==", "eH" X "w==" },
    { "base64 after two bytes", "eHhzay1NeS9vd24ra2V5Xzc=", "eHh" X "c=" },
    { "of the other alphabet, encoded", "eHhzay1NeS9vd24ra2V5Xzc%3D", "eHh" X "c%3D" },
    { "with line breaks", "c2stTX\nkvb3\r\nduK2tle\\nV83\n", X "\n" },
    { "digits after a percent sign", "%" HEX, "%" X },
    { "digits after an escape", "\\u" HEX, "\\u" X },
    { "digits after a percent sign, encoded themselves", "%41f%650041beef5c75", "%" X },
    { "another one within it", "x value of a header with an end x", "x " X " x" },
    { "one that ends in another", "x value of a header sk-My/own+key_7", "x " X " " X },
    { "a space as plus", "value+of+a%20header", X },
    { "too short a one", "an ordinary word", NULL },
};

static void secrets_of_rows(struct rf_secrets *s, struct rf_arena *a)
{
    rf_secrets_init(s, a);
    rf_secrets_add(s, RF_STR(KEY));
    rf_secrets_add(s, RF_STR(HEX));
    rf_secrets_add(s, RF_STR("value of a header"));
    rf_secrets_add(s, RF_STR("value of a header with an end"));
    rf_secrets_add(s, RF_STR("word"));
    rf_secrets_add(s, RF_STR(""));
}

/* In pieces of `most` bytes at most, copied so that nothing after them is read. */
static struct rf_str in_pieces(const struct rf_secrets *s, struct rf_str text, size_t most,
                               unsigned *seed, struct rf_arena *a)
{
    struct rf_redaction r;
    struct rf_buf b;
    struct rf_str out;
    rf_redaction_init(&r, s, a);
    rf_buf_init(&b, a, SIZE_MAX / 4);
    for (size_t at = 0, n; at < text.n; at += n) {
        n = 1 + (seed ? (unsigned)rand_r(seed) % most : most - 1);
        n = n < text.n - at ? n : text.n - at;
        char *piece = malloc(n);
        assert_non_null(piece);
        memcpy(piece, text.p + at, n);
        rf_buf_add(&b, rf_redaction_feed(&r, (struct rf_str){ piece, n }));
        memset(piece, 'x', n);
        free(piece);
    }
    rf_buf_add(&b, rf_redaction_end(&r));
    assert_int_equal(rf_redaction_end(&r).n, 0);
    assert_int_equal(rf_buf_finish(&b, &out, NULL), RF_OK);
    return out;
}

static void is_taken_out(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_secrets s;
    const char *want = row->want ? row->want : row->text;
    secrets_of_rows(&s, a);
    struct rf_str whole = rf_secrets_redact(&s, rf_str(row->text), a);
    assert_str(whole, want);
    if (!row->want)
        assert_ptr_equal(whole.p, row->text);
    for (size_t most = 1; most <= strlen(row->text); most++)
        assert_str(in_pieces(&s, rf_str(row->text), most, NULL, a), want);
    rf_arena_free(a);
}

static void what_cannot_be_a_secret_any_more_is_shown(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_secrets s;
    struct rf_redaction r;
    (void)state;
    secrets_of_rows(&s, a);
    rf_redaction_init(&r, &s, a);
    assert_str(rf_redaction_feed(&r, RF_STR("Hello sk-My")), "Hello ");
    assert_str(rf_redaction_feed(&r, RF_STR("/ow")), "");
    assert_str(rf_redaction_feed(&r, RF_STR("ner is s")), "sk-My/owner is ");
    assert_str(rf_redaction_end(&r), "s");
    assert_false(r.changed);
    rf_arena_free(a);
}

/* A spelling that never comes to an end is not held back for ever. */
static void what_is_held_back_is_bounded(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_secrets s;
    struct rf_redaction r;
    size_t out = 0;
    (void)state;
    secrets_of_rows(&s, a);
    rf_redaction_init(&r, &s, a);
    out += rf_redaction_feed(&r, RF_STR("c2stTXkvb3d")).n;
    for (size_t i = 0; i < 10000; i++) {
        out += rf_redaction_feed(&r, i % 2 ? RF_STR("\\") : RF_STR("\n")).n;
        assert_true(11 + i + 1 - out < 20 * 40);
    }
    rf_arena_free(a);
}

/* Random ones, checked against a judge who tries everything. */

static bool is_one_of(char c, char want, bool base64)
{
    return c == want || (want == ' ' && c == '+') ||
           (base64 && ((want == '+' && c == '-') || (want == '/' && c == '_')));
}

static int hex_value(struct rf_str t, size_t at, size_t digits)
{
    char text[5] = "", *end;
    if (at + digits > t.n)
        return -1;
    memcpy(text, t.p + at, digits);
    long value = strtol(text, &end, 16);
    return strspn(text, "0123456789abcdefABCDEF") == digits && value < 256 ? (int)value : -1;
}

/* Is the rest of the form spelled here, each character once escaped at most? */
static bool is_spelled(struct rf_str t, size_t at, struct rf_str form, bool base64)
{
    if (!form.n)
        return true;
    if (at >= t.n)
        return false;
    const struct rf_str rest = { form.p + 1, form.n - 1 };
    int percent = t.p[at] == '%' ? hex_value(t, at + 1, 2) : -1;
    bool back = t.p[at] == '\\' && at + 1 < t.n;
    int unicode = back && t.p[at + 1] == 'u' ? hex_value(t, at + 2, 4) : -1;
    return (is_one_of(t.p[at], form.p[0], base64) && is_spelled(t, at + 1, rest, base64)) ||
           (percent >= 0 && is_one_of((char)percent, form.p[0], base64) &&
            is_spelled(t, at + 3, rest, base64)) ||
           (unicode >= 0 && is_one_of((char)unicode, form.p[0], base64) &&
            is_spelled(t, at + 6, rest, base64)) ||
           (back && is_one_of(t.p[at + 1], form.p[0], base64) &&
            is_spelled(t, at + 2, rest, base64));
}

static bool is_in(struct rf_str t, struct rf_str form, bool base64)
{
    for (size_t at = 0; at < t.n; at++)
        if (is_spelled(t, at, form, base64))
            return true;
    return false;
}

/* The whole groups of base64 that the secret fills. */
static struct rf_str middle(struct rf_str secret, size_t before, struct rf_arena *a)
{
    char bytes[64] = { 0 }, text[100];
    memcpy(bytes + before, secret.p, secret.n);
    size_t groups = (before + secret.n) / 3, from = before ? 1 : 0;
    rf_base64_encode(bytes, groups * 3, text);
    return rf_str_dup(a, (struct rf_str){ text + from * 4, (groups - from) * 4 });
}

static bool is_leaked(struct rf_str t, struct rf_str secret, struct rf_arena *a)
{
    /* Less than the first and the last group would be: what is found here is in every form. */
    bool leaked = is_in(t, secret, false);
    for (size_t before = 0; before < 3 && !leaked; before++)
        leaked = is_in(t, middle(secret, before, a), true);
    return leaked;
}

static const char *const alphabets[] = {
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
    "0123456789abcdef",
    "ab",
    "%25u0\\",
    "/+ =~.",
};

static struct rf_str random_text(const char *letters, size_t n, unsigned *seed, struct rf_arena *a)
{
    char *p = rf_arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = letters[(unsigned)rand_r(seed) % strlen(letters)];
    return (struct rf_str){ p, n };
}

static void add_spelled(struct rf_buf *b, struct rf_str s, unsigned *seed)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned c = (unsigned char)s.p[i], how = (unsigned)rand_r(seed) % 8;
        if (how == 0)
            rf_buf_addf(b, "%%%02X", c);
        else if (how == 1)
            rf_buf_addf(b, "%%%02x", c);
        else if (how == 2)
            rf_buf_addf(b, "\\u%04x", c);
        else if (how == 3 && c == '/')
            rf_buf_addf(b, "\\/");
        else
            rf_buf_addc(b, c == ' ' && how == 4 ? '+' : (char)c);
    }
}

static void add_base64(struct rf_buf *b, struct rf_str s, unsigned *seed, struct rf_arena *a)
{
    struct rf_str all = rf_str_join(a, random_text("xyz", (unsigned)rand_r(seed) % 4, seed, a), s);
    all = rf_str_join(a, all, random_text("xyz", (unsigned)rand_r(seed) % 4, seed, a));
    char *text = rf_arena_alloc(a, (size_t)rf_base64_length(all.n) + 1);
    size_t n = rf_base64_encode(all.p, all.n, text);
    for (size_t i = 0, url = (size_t)rand_r(seed) % 2; url && i < n; i++)
        text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
    if (rand_r(seed) % 2)
        add_spelled(b, (struct rf_str){ text, n }, seed);
    else
        rf_buf_add(b, (struct rf_str){ text, n });
}

static struct rf_str random_stream(struct rf_str secret, const char *letters, unsigned *seed,
                                   struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, a, 100000);
    for (int i = 0, n = rand_r(seed) % 6; i < n; i++) {
        unsigned how = (unsigned)rand_r(seed) % 6;
        if (how == 0)
            rf_buf_add(&b, secret);
        else if (how == 1)
            add_spelled(&b, secret, seed);
        else if (how == 2)
            add_base64(&b, secret, seed, a);
        else if (how == 3) /* a part of it */
            rf_buf_add(&b, (struct rf_str){ secret.p, (unsigned)rand_r(seed) % secret.n });
        else
            rf_buf_add(&b, random_text(how == 4 ? letters : "%\\u abc+/\n25",
                                       (unsigned)rand_r(seed) % 20, seed, a));
    }
    assert_int_equal(rf_buf_finish(&b, &out, NULL), RF_OK);
    return out;
}

static void no_form_is_left_and_nothing_else_is_changed(void **state)
{
    unsigned seed = 7, with = 0, without = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_secrets s;
        const char *letters = alphabets[(unsigned)i % COUNT(alphabets)];
        struct rf_str secret = random_text(letters, 8 + (unsigned)rand_r(&seed) % 30, &seed, a);
        struct rf_str text = random_stream(secret, letters, &seed, a);
        rf_secrets_init(&s, a);
        rf_secrets_add(&s, secret);
        struct rf_str whole = rf_secrets_redact(&s, text, a);
        struct rf_str out = in_pieces(&s, text, 1 + (unsigned)rand_r(&seed) % 9, &seed, a);
        bool leaks = is_leaked(text, secret, a);
        if (!rf_str_eq(whole, out))
            fail_msg("pieces differ: %.*s | %.*s | %.*s", RF_FMT(text), RF_FMT(whole), RF_FMT(out));
        if (is_leaked(out, secret, a))
            fail_msg("\"%.*s\" is left of \"%.*s\": \"%.*s\"", RF_FMT(secret), RF_FMT(text),
                     RF_FMT(out));
        /* Escapes within escapes are found too, and of a secret of their characters everything is
         * full. */
        if (leaks == rf_str_eq(text, out) && (leaks || !strchr(letters, '\\')))
            fail_msg("\"%.*s\" in \"%.*s\": \"%.*s\"", RF_FMT(secret), RF_FMT(text), RF_FMT(out));
        with += leaks;
        without += !leaks;
        rf_arena_free(a);
    }
    assert_true(with > 5000 && without > 5000);
}

static void what_was_sent_is_the_secret_or_not(void **state)
{
    (void)state;
    struct rf_str secret = RF_STR("a secret");
    assert_true(rf_secret_eq(RF_STR("a secret"), secret));
    assert_false(rf_secret_eq(RF_STR("A secret"), secret));
    assert_false(rf_secret_eq(RF_STR("a secreT"), secret));
    assert_false(rf_secret_eq(RF_STR("a secret "), secret));
    assert_false(rf_secret_eq((struct rf_str){ NULL, 0 }, secret));
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(what_was_sent_is_the_secret_or_not),
        cmocka_unit_test(what_cannot_be_a_secret_any_more_is_shown),
        cmocka_unit_test(what_is_held_back_is_bounded),
        cmocka_unit_test(no_form_is_left_and_nothing_else_is_changed),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, is_taken_out, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
