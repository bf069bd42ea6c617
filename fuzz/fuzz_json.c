/* The JSON reader against a strict little validator of its own, and against the writer: both accept
 * the same texts; what was read is written, read and written again as the same bytes; and the text
 * of a string survives being written and read. */
#include "base/arena.h"
#include "base/json_write.h"
#include "base/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The validator: the grammar of RFC 8259, one function a rule. Each returns what is after the
 * rule, or NULL. There is always a NUL after the text, and none inside. */

static const char *space(const char *p)
{
    return p ? p + strspn(p, " \t\r\n") : NULL;
}

static const char *string(const char *p)
{
    if (*p++ != '"')
        return NULL;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20)
            return NULL;
        if (*p != '\\')
            continue;
        p++;
        if (*p == 'u' && strspn(p + 1, "0123456789abcdefABCDEF") >= 4)
            p += 4;
        else if (!*p || !strchr("\"\\/bfnrt", *p))
            return NULL;
    }
    return p + 1;
}

static const char *digits(const char *p)
{
    size_t n = p ? strspn(p, "0123456789") : 0;
    return n ? p + n : NULL;
}

static const char *number(const char *p)
{
    p += *p == '-';
    p = *p == '0' ? p + 1 : digits(p);
    if (p && *p == '.')
        p = digits(p + 1);
    if (p && (*p == 'e' || *p == 'E')) {
        p++;
        p = digits(p + (*p == '+' || *p == '-'));
    }
    return p;
}

static const char *value(const char *p, unsigned depth);

/* After an opening bracket: `p` stands on it. */
static const char *members(const char *p, char close, unsigned depth)
{
    p = space(p + 1);
    if (*p == close)
        return p + 1;
    for (; p; p = space(p + 1)) {
        if (close == '}') {
            p = space(string(p));
            if (!p || *p++ != ':')
                return NULL;
        }
        p = space(value(p, depth));
        if (!p || *p != ',')
            break;
    }
    return p && *p == close ? p + 1 : NULL;
}

static const char *value(const char *p, unsigned depth)
{
    static const char *const words[] = { "true", "false", "null" };
    p = space(p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0)
            return p + strlen(words[i]);
    if (*p == '{' || *p == '[')
        return depth < RF_MAX_JSON_DEPTH ? members(p, *p == '{' ? '}' : ']', depth + 1) : NULL;
    return *p == '"' ? string(p) : number(p);
}

static bool is_json(struct rf_str text, struct rf_arena *a)
{
    const char *p = rf_cstr(a, text);
    bool marked = rf_str_starts(text, "\xef\xbb\xbf");
    p = strlen(p) == text.n && rf_utf8_valid(text) == text.n ? value(p + marked * 3, 0) : NULL;
    return p && !*space(p);
}

/* Looking at what was read. */

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void look_at_string(const struct rf_jval *v, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str json, text = rf_jval_text(v, a);
    const struct rf_jval *again;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_str(&w, NULL, text);
    expect(!rf_json_finish(&w, NULL));
    expect(!rf_rope_flatten(&rope, SIZE_MAX, a, &json, NULL));
    expect(!rf_jval_parse(json, a, &again, NULL) && rf_str_eq(rf_jval_text(again, a), text));
    expect(rf_utf8_valid(text) == text.n && text.n <= v->raw.n);
    expect(rf_jval_is(v, rf_cstr(a, text)) == !(text.n && memchr(text.p, '\0', text.n)));
}

static void look_at(const struct rf_jval *v, struct rf_arena *a)
{
    int64_t n;
    size_t count = 0;
    if (v->type == RF_JSTRING)
        look_at_string(v, a);
    if (rf_jval_int64(v, &n))
        expect(v->type == RF_JNUMBER && n == strtoll(rf_cstr(a, v->raw), NULL, 10));
    if (v->type != RF_JARRAY && v->type != RF_JOBJECT)
        return;
    const struct rf_jval *c = rf_jval_first(v), *last = NULL;
    for (; c; c = rf_jval_next(v, c), count++) {
        if (v->type == RF_JOBJECT) {
            look_at_string(c, a);
            struct rf_str name = rf_jval_text(c++, a);
            if (count < 8 && !(name.n && memchr(name.p, '\0', name.n)))
                expect(rf_jval_get(v, rf_cstr(a, name)) >= c);
        }
        last = c;
    }
    expect(count == v->count && !rf_jval_at(v, count));
    if (count && v->type == RF_JARRAY)
        expect(rf_jval_at(v, 0) == rf_jval_first(v) && rf_jval_at(v, count - 1) == last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str text = { (const char *)data, size }, once;
    const struct rf_jval *root, *again;
    struct rf_err err = { 0 };
    enum rf_code rc = rf_jval_parse(text, a, &root, &err);
    expect(!rc == is_json(text, a));
    expect(!rc == !*err.msg);
    if (!rc) {
        once = rf_jval_compact(root, a);
        expect(!rf_jval_parse(once, a, &again, &err) && again->span == root->span);
        expect(rf_str_eq(rf_jval_compact(again, a), once));
        for (uint32_t i = 0; i < root->span; i++)
            look_at(&root[i], a);
    }
    rf_arena_free(a);
    return 0;
}
