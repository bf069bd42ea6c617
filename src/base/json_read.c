/* One pass, no recursion. The values go into one array in document order; open arrays and objects
 * are kept on a small stack that also yields the path for errors. Nearly all bytes of our documents
 * are inside long strings (base64, source code), so that is the loop that counts: 64 bytes at
 * a time are looked at for a quote, a backslash, a control character or a non-ASCII byte. The
 * vector type is the compiler's own, so the same lines serve every processor.
 *
 * What it refuses: anything that RFC 8259 does not allow, invalid UTF-8, and nesting or size past
 * the limits. A byte order mark at the front is skipped. */
#include "base/json_read.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <stdio.h>

struct frame {
    uint32_t node;
    uint32_t key; /* of an object: the key that was read last */
};

struct parser {
    const char *start, *p, *end;
    struct rf_arena *arena;
    struct rf_jval *nodes;
    size_t count, cap;
    struct frame stack[RF_MAX_JSON_DEPTH];
    unsigned depth;
    struct rf_err *err;
};

typedef signed char v16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef long long v2 __attribute__((vector_size(16)));

/* Nonzero where 16 bytes hold one that ends a run: '"', '\\', control, or not ASCII (negative). */
static inline v16 stops(const char *p)
{
    v16 b = *(const v16 *)p;
    return (v16)((b < 0x20) | (b == '"') | (b == '\\'));
}

/* The first byte of a string that needs a look, or `end`. */
static const char *skip_plain(const char *p, const char *end)
{
    while (end - p >= 64) {
        v16 any = stops(p) | stops(p + 16) | stops(p + 32) | stops(p + 48);
        v2 lanes = (v2)any;
        if (lanes[0] | lanes[1])
            break;
        p += 64;
    }
    while (end - p >= 16) {
        v2 lanes = (v2)stops(p);
        if (lanes[0] | lanes[1])
            break;
        p += 16;
    }
    while (p < end && *p >= 0x20 && *p != '"' && *p != '\\' && (signed char)*p > 0)
        p++;
    return p;
}

static void position(const struct parser *s, const char *at, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (const char *p = s->start; p < at; p++) {
        if (*p == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)*p & 0xc0) != 0x80) {
            ++*column;
        }
    }
}

/* The path of the value being read, from the stack: outermost first. */
static void current_path(const struct parser *s, char *out, size_t size)
{
    struct rf_jpath steps[RF_MAX_JSON_DEPTH];
    char names[RF_MAX_JSON_DEPTH][24];
    const struct rf_jpath *up = NULL;
    for (unsigned i = 0; i < s->depth; i++) {
        const struct rf_jval *v = &s->nodes[s->stack[i].node];
        if (v->type == RF_JOBJECT && !s->stack[i].key)
            break;
        steps[i] = (struct rf_jpath){ .up = up };
        if (v->type == RF_JARRAY) {
            steps[i].index = v->count;
        } else {
            struct rf_str key = rf_utf8_cut(s->nodes[s->stack[i].key].raw, sizeof names[i] - 1);
            snprintf(names[i], sizeof names[i], "%.*s", RF_FMT(key));
            steps[i].field = names[i];
        }
        up = &steps[i];
    }
    rf_jpath_format(up, out, size);
}

static enum rf_code fail(struct parser *s, const char *at, enum rf_code code, const char *why)
{
    size_t line, column;
    char path[160];
    if (!s->err)
        return code;
    position(s, at, &line, &column);
    current_path(s, path, sizeof path);
    return rf_fail(s->err, code, "line %zu, column %zu%s%s: %s", line, column,
                   *path ? ", at " : "", path, why);
}

static enum rf_code malformed(struct parser *s, const char *at, const char *why)
{
    return fail(s, at, RF_EFORMAT, at >= s->end ? "the text ends too early" : why);
}

static struct rf_jval *add(struct parser *s, enum rf_jtype type)
{
    struct rf_jval *v = RF_PUSH(s->arena, s->nodes, s->count, s->cap);
    v->type = type;
    v->span = 1;
    return v;
}

static bool is_hex4(const char *p)
{
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            return false;
    }
    return true;
}

static enum rf_code escape(struct parser *s, const char **at)
{
    const char *p = *at + 1;
    if (p >= s->end)
        return malformed(s, s->end, "");
    if (*p == 'u') {
        if (s->end - p < 5)
            return malformed(s, s->end, "");
        if (!is_hex4(p + 1))
            return malformed(s, *at, "\\u needs four hexadecimal digits");
        *at = p + 5;
        return RF_OK;
    }
    if (!memchr("\"\\/bfnrt", *p, 8))
        return malformed(s, *at, "this escape does not exist");
    *at = p + 1;
    return RF_OK;
}

/* `s->p` stands behind the opening quote; at the end behind the closing one. */
static enum rf_code string(struct parser *s, struct rf_jval *v)
{
    const char *begin = s->p, *p = begin;
    for (;;) {
        p = skip_plain(p, s->end);
        if (p >= s->end)
            return malformed(s, s->end, "");
        if (*p == '"')
            break;
        if (*p == '\\') {
            v->escaped = true;
            enum rf_code rc = escape(s, &p);
            if (rc)
                return rc;
        } else if ((unsigned char)*p < 0x20) {
            return malformed(s, p, "a control character in a string must be escaped");
        } else if (*p == 0x7f) {
            p++;
        } else {
            unsigned n;
            while (p < s->end && (unsigned char)*p >= 0x80) {
                n = rf_utf8_char((const unsigned char *)p, (size_t)(s->end - p));
                if (!n)
                    return malformed(s, p, "this is not valid UTF-8");
                p += n;
            }
        }
    }
    v->raw = (struct rf_str){ begin, (size_t)(p - begin) };
    s->p = p + 1;
    return RF_OK;
}

static const char *digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static enum rf_code number(struct parser *s)
{
    const char *begin = s->p, *p = begin, *q;
    if (*p == '-')
        p++;
    q = digits(p, s->end);
    if (q == p)
        return malformed(s, p, "a number needs a digit here");
    if (*p == '0' && q - p > 1)
        return malformed(s, p, "a number must not begin with 0");
    p = q;
    if (p < s->end && *p == '.') {
        q = digits(p + 1, s->end);
        if (q == p + 1)
            return malformed(s, q, "a number needs a digit here");
        p = q;
    }
    if (p < s->end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < s->end && (*p == '+' || *p == '-'))
            p++;
        q = digits(p, s->end);
        if (q == p)
            return malformed(s, p, "a number needs a digit here");
        p = q;
    }
    add(s, RF_JNUMBER)->raw = (struct rf_str){ begin, (size_t)(p - begin) };
    s->p = p;
    return RF_OK;
}

static enum rf_code literal(struct parser *s, const char *word, enum rf_jtype type)
{
    size_t n = strlen(word);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
        return malformed(s, s->p, "this is not a JSON value");
    add(s, type)->raw = (struct rf_str){ s->p, n };
    s->p += n;
    return RF_OK;
}

static void skip_space(struct parser *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
        s->p++;
}

static enum rf_code open_container(struct parser *s, enum rf_jtype type)
{
    if (s->depth == RF_MAX_JSON_DEPTH)
        return fail(s, s->p, RF_ELIMIT, "arrays and objects are nested too deep");
    struct rf_jval *v = add(s, type);
    v->raw.p = s->p++;
    s->stack[s->depth++] = (struct frame){ .node = (uint32_t)(s->count - 1) };
    return RF_OK;
}

static void close_container(struct parser *s)
{
    struct rf_jval *v = &s->nodes[s->stack[--s->depth].node];
    s->p++;
    v->raw.n = (size_t)(s->p - v->raw.p);
    v->span = (uint32_t)(s->count - s->stack[s->depth].node);
}

static enum rf_code key(struct parser *s)
{
    skip_space(s);
    if (s->p >= s->end || *s->p != '"')
        return malformed(s, s->p, "expected a name in double quotes");
    s->p++;
    struct rf_jval *k = add(s, RF_JSTRING);
    enum rf_code rc = string(s, k);
    if (rc)
        return rc;
    s->stack[s->depth - 1].key = (uint32_t)(s->count - 1);
    skip_space(s);
    if (s->p >= s->end || *s->p != ':')
        return malformed(s, s->p, "expected ':' behind the name");
    s->p++;
    return RF_OK;
}

static enum rf_code scalar(struct parser *s)
{
    switch (*s->p) {
    case '"':
        s->p++;
        return string(s, add(s, RF_JSTRING));
    case 't':
        return literal(s, "true", RF_JTRUE);
    case 'f':
        return literal(s, "false", RF_JFALSE);
    case 'n':
        return literal(s, "null", RF_JNULL);
    default:
        break;
    }
    if (*s->p == '-' || (*s->p >= '0' && *s->p <= '9'))
        return number(s);
    return malformed(s, s->p, "expected a value");
}

/* Behind a complete value: close what ends here, or step to the next place for a value. `*done` is
 * set when the root is complete. */
static enum rf_code after_value(struct parser *s, bool *done)
{
    while (s->depth > 0) {
        struct rf_jval *v = &s->nodes[s->stack[s->depth - 1].node];
        bool object = v->type == RF_JOBJECT;
        v->count++;
        skip_space(s);
        if (s->p < s->end && *s->p == ',') {
            s->p++;
            s->stack[s->depth - 1].key = 0;
            return object ? key(s) : RF_OK;
        }
        if (s->p >= s->end || *s->p != (object ? '}' : ']'))
            return malformed(s, s->p, object ? "expected ',' or '}'" : "expected ',' or ']'");
        close_container(s);
    }
    *done = true;
    return RF_OK;
}

static enum rf_code parse(struct parser *s)
{
    bool done = false;
    enum rf_code rc = RF_OK;
    while (!rc && !done) {
        skip_space(s);
        if (s->p >= s->end)
            return malformed(s, s->end, "");
        bool object = *s->p == '{';
        if (object || *s->p == '[') {
            rc = open_container(s, object ? RF_JOBJECT : RF_JARRAY);
            if (rc)
                return rc;
            skip_space(s);
            bool empty = s->p < s->end && *s->p == (object ? '}' : ']');
            if (empty)
                close_container(s);
            else if (object)
                rc = key(s);
            if (!empty || rc)
                continue;
        } else {
            rc = scalar(s);
        }
        if (!rc)
            rc = after_value(s, &done);
    }
    if (rc)
        return rc;
    skip_space(s);
    return s->p < s->end ? malformed(s, s->p, "there is text behind the value") : RF_OK;
}

enum rf_code rf_jval_parse(struct rf_str text, struct rf_arena *a, const struct rf_jval **root,
                           struct rf_err *err)
{
    if (text.n > RF_MAX_JSON_BYTES)
        return rf_fail(err, RF_ELIMIT, "the JSON text has %zu bytes, limit is %zu", text.n,
                       RF_MAX_JSON_BYTES);
    if (!text.n)
        text = RF_STR("");
    struct parser s = {
        .start = text.p, .p = text.p, .end = text.p + text.n, .arena = a, .err = err,
    };
    if (rf_str_starts(text, "\xef\xbb\xbf"))
        s.start = s.p += 3;
    enum rf_code rc = parse(&s);
    if (!rc)
        *root = s.nodes;
    return rc;
}
