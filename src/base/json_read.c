/* One pass, no recursion. The values go into one array in document order; open arrays and objects
 * are kept on a small stack that also yields the path for errors. Nearly all bytes of our documents
 * are inside long strings (base64, source code), so that is the loop that counts: a vector of bytes
 * is looked at for quotes, backslashes and control characters at once, and the marks that it leaves
 * are taken one after the other. A string in which a byte is not ASCII is then checked to be UTF-8,
 * also by the vector. Where something is wrong, line, column and path are worked out only then.
 *
 * What it refuses: anything that RFC 8259 does not allow, invalid UTF-8, and nesting or size past
 * the limits. A byte order mark at the front is skipped. */
#include "base/json_read.h"

#include "base/arena.h"
#include "base/json_escape.h"
#include "base/lanes.h"
#include "base/limits.h"
#include "base/plain_run.h"
#include "base/utf8.h"

#include <stdio.h>

#define WIDE 512 /* bytes from which on a function for long runs is worth its call */

struct frame {
    uint32_t node;  /* its index */
    uint32_t count; /* of the values in it that are complete */
    uint32_t names; /* of an object */
    uint16_t depth; /* of the deepest of them */
    char close;     /* the bracket that ends it; 0 for the frame around the root */
};

struct parser {
    const char *start, *end;
    size_t loose; /* the end of the last thing so far that a writer spells another way */
    struct rf_arena *arena;
    struct rf_jval *nodes, *next, *limit; /* all, the next one, and the end of the room for them */
    struct frame *top;
    struct rf_err *err;
    enum rf_code failed;
    struct frame stack[1 + RF_MAX_JSON_DEPTH];
};

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

/* The name of the member of an object that is being read, or NULL before it. */
static const struct rf_jval *current_key(const struct parser *s, const struct frame *f)
{
    const struct rf_jval *k = &s->nodes[f->node] + 1;
    for (uint32_t i = 0; i < f->count; i++)
        k += 1 + k[1].span;
    return k < s->next ? k : NULL;
}

/* The path of the value being read, from the stack: outermost first. */
static void current_path(const struct parser *s, char *out, size_t size)
{
    struct rf_jpath steps[RF_MAX_JSON_DEPTH], *step = steps;
    char names[RF_MAX_JSON_DEPTH][24], (*name)[24] = names;
    const struct rf_jpath *up = NULL;
    for (const struct frame *f = s->stack + 1; f <= s->top; f++, step++, name++) {
        *step = (struct rf_jpath){ .up = up, .index = f->count };
        if (f->close == '}') {
            const struct rf_jval *k = current_key(s, f);
            if (!k)
                break;
            snprintf(*name, sizeof *name, "%.*s", RF_FMT(rf_utf8_cut(k->raw, sizeof *name - 1)));
            step->field = *name;
        }
        up = step;
    }
    rf_jpath_format(up, out, size);
}

/* Returns NULL, as every function does that would otherwise return where to go on. */
static const char *fail(struct parser *s, const char *at, enum rf_code code, const char *why)
{
    size_t line, column;
    char path[160];
    s->failed = code;
    if (!s->err)
        return NULL;
    position(s, at, &line, &column);
    current_path(s, path, sizeof path);
    rf_fail(s->err, code, "line %zu, column %zu%s%s: %s", line, column, *path ? ", at " : "", path,
            why);
    return NULL;
}

__attribute__((cold, noinline)) static const char *malformed(struct parser *s, const char *at,
                                                             const char *why)
{
    return fail(s, at, RF_EFORMAT, at >= s->end ? "the text ends too early" : why);
}

#define CONTROL "a control character in a string must be escaped"
#define FIRST_ROOM ((size_t)1 << 16) /* values; at most, and as many again whenever they are full */

__attribute__((noinline)) static void more_room(struct parser *s)
{
    size_t count = (size_t)(s->next - s->nodes), guess = 16 + (size_t)(s->end - s->start) / 8;
    size_t cap = count ? count * 2 : guess < FIRST_ROOM ? guess : FIRST_ROOM;
    s->nodes = rf_arena_grow(s->arena, s->nodes, count * sizeof *s->nodes, cap * sizeof *s->nodes);
    s->next = s->nodes + count;
    s->limit = s->nodes + cap;
}

static inline struct rf_jval *add(struct parser *s, enum rf_jtype type, const char *p, size_t n)
{
    if (s->next == s->limit)
        more_room(s);
    struct rf_jval *v = s->next++;
    *v = (struct rf_jval){ .type = type, .span = 1, .raw = { p, n } };
    return v;
}

__attribute__((noinline)) static const char *skip_some_space(struct parser *s, const char *p)
{
    s->loose = (size_t)(p - s->start) + 1;
    while (p < s->end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* Mostly there is none. */
static inline const char *skip_space(struct parser *s, const char *p)
{
    return p < s->end && (unsigned char)*p > ' ' ? p : skip_some_space(s, p);
}

/* What is wrong with a string that begins at `begin`: `why` at `at`, unless its bytes before `upto`
 * are not UTF-8. */
static const char *bad_string(struct parser *s, const char *begin, const char *upto, const char *at,
                              const char *why)
{
    const char *valid = begin + rf_utf8_valid((struct rf_str){ begin, (size_t)(upto - begin) });
    if (valid < upto)
        return fail(s, valid, RF_EFORMAT, "this is not valid UTF-8");
    return malformed(s, at, why);
}

/* The end of the escape at `p`, or NULL. */
static inline const char *escape(struct parser *s, const char *begin, const char *p)
{
    if (s->end - p < 2)
        return bad_string(s, begin, p, s->end, "");
    if (rf_json_unescaped[(unsigned char)p[1]])
        return p + 2;
    s->loose = (size_t)(p - s->start) + 1; /* it may be half of a pair */
    if (p[1] != 'u')
        return bad_string(s, begin, p, p, "this escape does not exist");
    if (s->end - p < 6)
        return bad_string(s, begin, p, s->end, "");
    for (int i = 2; i < 6; i++)
        if (rf_hex_digit(p[i]) < 0)
            return bad_string(s, begin, p, p, "\\u needs four hexadecimal digits");
    return p + 6;
}

static inline const char *end_string(struct parser *s, const char *begin, const char *p,
                                     rf_mask high, bool escaped)
{
    struct rf_str raw = { begin, (size_t)(p - begin) };
    if (high && rf_utf8_valid(raw) < raw.n)
        return bad_string(s, begin, p, p, "");
    struct rf_jval *v = add(s, RF_JSTRING, raw.p, raw.n);
    if (escaped)
        v->escaped = true;
    return p + 1;
}

/* Over vectors that hold nothing to stop at, as long as there are many, beginning after `p`;
 * returns the last one. */
static inline const char *skip_plain(const char *p, const char *end, rf_mask *high)
{
    if (end - p >= WIDE)
        p += rf_plain_run(p + RF_LANES, (size_t)(end - p) - RF_LANES);
    while (end - p >= 3 * RF_LANES) {
        rf_lanes x = rf_lanes_load(p + RF_LANES), y = rf_lanes_load(p + 2 * RF_LANES);
        if (rf_lanes_stops(x) | rf_lanes_stops(y))
            break;
        *high |= rf_lanes_high(x) | rf_lanes_high(y);
        p += 2 * RF_LANES;
    }
    return p;
}

__attribute__((noinline)) static const char *long_string(struct parser *s, const char *begin)
{
    const char *p = begin, *at = p;
    rf_mask high = 0;
    bool escaped = false;
    for (; s->end - p >= RF_LANES; p = at > p + RF_LANES ? at : p + RF_LANES) {
        rf_lanes x = rf_lanes_load(p);
        rf_mask m = rf_lanes_stops(x);
        high |= rf_lanes_high(x);
        if (!m) {
            p = skip_plain(p, s->end, &high);
            continue;
        }
        for (; m; m = rf_mask_from(m, (unsigned)(at - p))) {
            at = p + rf_mask_first(m);
            if (*at == '"')
                return end_string(s, begin, at, high, escaped);
            if (*at != '\\')
                return bad_string(s, begin, at, at, CONTROL);
            escaped = true;
            at = escape(s, begin, at);
            if (!at)
                return NULL;
            if (at >= p + RF_LANES)
                break;
        }
    }
    while (p < s->end && *p != '"') {
        if ((unsigned char)*p < 0x20)
            return bad_string(s, begin, p, p, CONTROL);
        high |= (unsigned char)*p & 0x80;
        escaped |= *p == '\\';
        p = *p == '\\' ? escape(s, begin, p) : p + 1;
        if (!p)
            return NULL;
    }
    if (p == s->end)
        return bad_string(s, begin, p, p, "");
    return end_string(s, begin, p, high, escaped);
}

/* A string whose opening quote is before `begin`. Most are names and short: those are done here. */
static inline const char *string(struct parser *s, const char *begin)
{
    if (s->end - begin >= RF_LANES) {
        rf_lanes x = rf_lanes_load(begin);
        rf_mask stops = rf_lanes_stops(x);
        if (stops && !rf_lanes_high(x)) {
            unsigned n = rf_mask_first(stops);
            if (begin[n] == '"') {
                add(s, RF_JSTRING, begin, n);
                return begin + n + 1;
            }
        }
    }
    return long_string(s, begin);
}

static inline const char *digits(const char *p, const char *end)
{
    while (p < end && rf_is_digit(*p))
        p++;
    return p;
}

static inline const char *number(struct parser *s, const char *begin)
{
    static const char missing[] = "a number needs a digit here";
    const char *p = begin + (*begin == '-'), *q = digits(p, s->end);
    if (q == p)
        return malformed(s, p, missing);
    if (*p == '0' && q - p > 1)
        return malformed(s, p, "a number must not begin with 0");
    p = q;
    if (p < s->end && *p == '.') {
        q = digits(++p, s->end);
        if (q == p)
            return malformed(s, p, missing);
        p = q;
    }
    if (p < s->end && (*p | 0x20) == 'e') {
        p++;
        if (p < s->end && (*p == '+' || *p == '-'))
            p++;
        q = digits(p, s->end);
        if (q == p)
            return malformed(s, p, missing);
        p = q;
    }
    add(s, RF_JNUMBER, begin, (size_t)(p - begin));
    return p;
}

static inline const char *literal(struct parser *s, const char *p, struct rf_str word,
                                  enum rf_jtype type)
{
    if ((size_t)(s->end - p) < word.n || memcmp(p, word.p, word.n) != 0)
        return malformed(s, p, "this is not a JSON value");
    add(s, type, p, word.n);
    return p + word.n;
}

static inline const char *number_or_word(struct parser *s, const char *p)
{
    if (rf_is_digit(*p) || *p == '-')
        return number(s, p);
    if (*p == 't')
        return literal(s, p, RF_STR("true"), RF_JTRUE);
    if (*p == 'f')
        return literal(s, p, RF_STR("false"), RF_JFALSE);
    if (*p == 'n')
        return literal(s, p, RF_STR("null"), RF_JNULL);
    return malformed(s, p, "expected a value");
}

/* A name and its colon. */
static inline const char *key(struct parser *s, const char *p)
{
    p = skip_space(s, p);
    if (p >= s->end || *p != '"')
        return malformed(s, p, "expected a name in double quotes");
    p = string(s, p + 1);
    if (!p)
        return NULL;
    const struct rf_jval *name = s->next - 1;
    s->top->names |= name->escaped ? UINT32_MAX : rf_jname_bit(name->raw);
    p = skip_space(s, p);
    if (p >= s->end || *p != ':')
        return malformed(s, p, "expected ':' after the name");
    return p + 1;
}

/* The closing bracket is before `p`. */
static inline void close_container(struct parser *s, const char *p)
{
    const struct frame *f = s->top--;
    struct rf_jval *v = &s->nodes[f->node];
    uint16_t depth = (uint16_t)(f->depth + 1);
    if (s->top->depth < depth)
        s->top->depth = depth;
    *v = (struct rf_jval){ .type = f->close == '}' ? RF_JOBJECT : RF_JARRAY,
                           .compact = s->loose <= (size_t)(v->raw.p - s->start),
                           .depth = depth,
                           .count = f->count,
                           .names = f->names,
                           .span = (uint32_t)(s->next - v),
                           .raw = { v->raw.p, (size_t)(p - v->raw.p) } };
}

/* After a complete value: close what ends here, or step over the comma. */
static inline const char *after_value(struct parser *s, const char *p)
{
    while (s->top->close) {
        struct frame *top = s->top;
        bool object = top->close == '}';
        p = skip_space(s, p);
        if (p >= s->end || (*p != ',' && *p != top->close)) {
            top->count += !object; /* the path names this member, but the element that is next */
            return malformed(s, p, object ? "expected ',' or '}'" : "expected ',' or ']'");
        }
        top->count++;
        if (*p++ == ',')
            return p;
        close_container(s, p);
    }
    return p;
}

/* After the opening bracket at `p` and white space. */
static inline const char *open_container(struct parser *s, const char *p)
{
    if (s->top == s->stack + RF_MAX_JSON_DEPTH)
        return fail(s, p, RF_ELIMIT, "arrays and objects are nested too deep");
    struct frame *f = ++s->top;
    const struct rf_jval *v = add(s, RF_JARRAY, p, 0); /* which may move the nodes */
    f->node = (uint32_t)(v - s->nodes);
    f->count = f->names = 0;
    f->depth = 0;
    f->close = *p == '{' ? '}' : ']';
    return skip_space(s, p + 1);
}

/* The root and all that is in it. */
static const char *parse(struct parser *s, const char *p)
{
    do {
        if (s->top->close == '}')
            p = key(s, p);
        if (p)
            p = skip_space(s, p);
        if (!p || p >= s->end)
            return p ? malformed(s, p, "") : NULL;
        if (*p == '"') {
            p = string(s, p + 1);
        } else if (*p != '{' && *p != '[') {
            p = number_or_word(s, p);
        } else {
            p = open_container(s, p);
            if (!p || p >= s->end || *p != s->top->close)
                continue;
            close_container(s, ++p);
        }
        if (p)
            p = after_value(s, p);
    } while (p && s->top->close);
    return p;
}

enum rf_code rf_jval_parse(struct rf_str text, struct rf_arena *a, const struct rf_jval **root,
                           struct rf_err *err)
{
    if (text.n > RF_MAX_JSON_BYTES)
        return rf_fail(err, RF_ELIMIT, "the JSON text has %zu bytes, limit is %zu", text.n,
                       RF_MAX_JSON_BYTES);
    if (!text.n)
        text = RF_STR("");
    struct parser s; /* most of it is the stack, which needs no zeros but below */
    s.start = text.p + (rf_str_starts(text, "\xef\xbb\xbf") ? 3 : 0);
    s.end = text.p + text.n;
    s.loose = 0;
    s.arena = a;
    s.nodes = s.next = s.limit = NULL;
    s.top = s.stack;
    s.top->close = 0;
    s.top->depth = 0;
    s.err = err;
    s.failed = RF_OK;
    const char *p = parse(&s, s.start);
    if (p) {
        p = skip_space(&s, p);
        if (p < s.end)
            malformed(&s, p, "there is text after the value");
    }
    if (!s.failed)
        *root = s.nodes;
    return s.failed;
}
