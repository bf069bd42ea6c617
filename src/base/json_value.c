/* Walking values that were read, and filling structs from them. */
#include "base/json_read.h"

#include "base/arena.h"
#include "base/json_escape.h"
#include "base/lanes.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define MOST_SHOWN 24 /* of a number that is wrong */

const struct rf_jval *rf_jval_first(const struct rf_jval *parent)
{
    return parent && parent->count ? parent + 1 : NULL;
}

const struct rf_jval *rf_jval_next(const struct rf_jval *parent, const struct rf_jval *child)
{
    if (!parent || !child)
        return NULL;
    const struct rf_jval *next = child + child->span;
    return next < parent + parent->span ? next : NULL;
}

static bool is_with_escapes(const struct rf_jval *v, struct rf_str s);

/* Of a string. Most that differ do so in their first bytes, and none has a NUL in it. */
static inline bool is_text(const struct rf_jval *v, const char *s)
{
    if (v->escaped)
        return is_with_escapes(v, rf_str(s));
    size_t n = v->raw.n, i = 0;
    while (i < n && v->raw.p[i] == s[i])
        i++;
    return i == n && !s[n];
}

static bool is_key(const struct rf_jval *k, struct rf_str name)
{
    return k->raw.n == name.n &&
           (!name.n || (*k->raw.p == *name.p && memcmp(k->raw.p, name.p, name.n) == 0));
}

const struct rf_jval *rf_jval_find(const struct rf_jval *object, struct rf_str name)
{
    const struct rf_jval *found = NULL, *end = object + object->span;
    for (const struct rf_jval *k = object + 1; k < end; k += 1 + k[1].span)
        if (k->escaped ? is_with_escapes(k, name) : is_key(k, name))
            found = k + 1;
    return found;
}

const struct rf_jval *(rf_jval_get)(const struct rf_jval *v, const char *name)
{
    return rf_jval_member(v, rf_str(name));
}

const struct rf_jval *rf_jval_at(const struct rf_jval *v, size_t index)
{
    if (!v || v->type != RF_JARRAY || index >= v->count)
        return NULL;
    const struct rf_jval *e = rf_jval_first(v);
    while (index--)
        e = rf_jval_next(v, e);
    return e;
}

bool rf_jval_deeper(const struct rf_jval *root, size_t most)
{
    return root->depth > most;
}

static unsigned hex4(const char *p)
{
    unsigned n = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        n = n * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return n;
}

/* The character of a \u escape whose four digits are at `p`; a pair takes six more bytes. */
static uint32_t unicode_escape(const char *p, const char *end, size_t *used)
{
    unsigned hi = hex4(p);
    *used = 4;
    if (hi < 0xd800 || hi > 0xdfff)
        return hi;
    if (hi < 0xdc00 && end - p >= 10 && p[4] == '\\' && p[5] == 'u') {
        unsigned lo = hex4(p + 6);
        if (lo >= 0xdc00 && lo <= 0xdfff) {
            *used = 10;
            return 0x10000 + ((hi - 0xd800) << 10) + (lo - 0xdc00);
        }
    }
    return 0xfffd;
}

size_t rf_jval_paired(struct rf_str raw)
{
    const char *p = raw.p, *end = p + raw.n;
    while (p < end && (p = memchr(p, '\\', (size_t)(end - p)))) {
        size_t used = 0;
        bool lone = p[1] == 'u' && unicode_escape(p + 2, end, &used) == 0xfffd;
        if (lone && hex4(p + 2) != 0xfffd)
            return (size_t)(p - raw.p);
        p += 2 + used;
    }
    return raw.n;
}

/* What the escape at `p` stands for, in `out`; `*length` is that of the escape. */
static inline unsigned unescape(const char *p, const char *end, char out[4], size_t *length)
{
    *out = rf_json_unescaped[(unsigned char)p[1]];
    *length = 2;
    if (*out)
        return 1;
    uint32_t c = unicode_escape(p + 2, end, length);
    *length += 2;
    return rf_utf8_put(c, out);
}

/* Nothing gets longer, so that as much fits into `out` as is left to read. */
struct rf_str rf_jval_text(const struct rf_jval *v, struct rf_arena *a)
{
    if (!v->escaped)
        return v->raw;
    char *out = rf_arena_grow(a, NULL, 0, v->raw.n + 1), *q = out;
    const char *p = v->raw.p, *end = p + v->raw.n;
    while (p < end) {
        if (end - p >= RF_LANES) {
            rf_lanes x = rf_lanes_load(p);
            rf_mask m = rf_lanes_equal(x, '\\');
            size_t plain = m ? rf_mask_first(m) : RF_LANES;
            rf_lanes_store(q, x);
            p += plain;
            q += plain;
            if (!m)
                continue;
        } else if (*p != '\\') {
            *q++ = *p++;
            continue;
        }
        size_t length;
        q += unescape(p, end, q, &length);
        p += length;
    }
    return (struct rf_str){ out, (size_t)(q - out) };
}

static bool is_with_escapes(const struct rf_jval *v, struct rf_str s)
{
    const char *p = v->raw.p, *end = p + v->raw.n;
    while (p < end) {
        char out[4] = { *p };
        size_t n = 1, length = 1;
        if (*p == '\\')
            n = unescape(p, end, out, &length);
        p += length;
        if (s.n < n || memcmp(s.p, out, n) != 0)
            return false;
        s = (struct rf_str){ s.p + n, s.n - n };
    }
    return !s.n;
}

bool rf_jval_is(const struct rf_jval *v, const char *s)
{
    return v && v->type == RF_JSTRING && is_text(v, s);
}

static bool is_one_of(const struct rf_jval *v, const char *const *names)
{
    while (*names && !is_text(v, *names))
        names++;
    return *names;
}

bool rf_jval_is_any(const struct rf_jval *v, const char *const *names)
{
    return v && v->type == RF_JSTRING && is_one_of(v, names);
}

bool rf_jval_has_only(const struct rf_jval *object, const char *const *names)
{
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1))
        if (k[1].type != RF_JNULL && !is_one_of(k, names))
            return false;
    return true;
}

/* "120", and "120.0" as some serialisers write it. */
bool rf_jval_int64(const struct rf_jval *v, int64_t *out)
{
    if (!v || v->type != RF_JNUMBER)
        return false;
    struct rf_str fraction = v->raw, whole = { 0 };
    rf_str_split(&fraction, '.', &whole);
    for (size_t i = 0; i < fraction.n; i++)
        if (fraction.p[i] != '0')
            return false;
    return rf_str_int64(whole, out);
}

const struct rf_jval *rf_jval_string(struct rf_str text, struct rf_arena *a)
{
    struct rf_jval *v = RF_NEW(a, struct rf_jval);
    bool plain = rf_json_plain(text) == text.n;
    char *raw = plain ? NULL : rf_arena_alloc(a, (size_t)rf_json_escaped_length(text) + 1);
    *v = (struct rf_jval){
        .type = RF_JSTRING,
        .escaped = !plain,
        .span = 1,
        .raw = plain ? text : (struct rf_str){ raw, rf_json_escape(text, raw) },
    };
    return v;
}

const struct rf_jval *rf_jval_whole(int64_t n, struct rf_arena *a)
{
    struct rf_jval *v = RF_NEW(a, struct rf_jval);
    *v = (struct rf_jval){ .type = RF_JNUMBER, .span = 1, .raw = rf_strf(a, "%" PRId64, n) };
    return v;
}

static void hold(struct rf_jval *container, const struct rf_jval *v)
{
    container->count++;
    container->span += v->span;
    if (container->depth <= v->depth)
        container->depth = (uint16_t)(v->depth + 1);
}

const struct rf_jval *rf_jval_array(const struct rf_jval *const *values, size_t count,
                                    struct rf_arena *a)
{
    struct rf_jval head = { .type = RF_JARRAY, .depth = 1, .span = 1 };
    for (size_t i = 0; i < count; i++)
        hold(&head, values[i]);
    struct rf_jval *array = RF_ARRAY(a, struct rf_jval, head.span), *at = array;
    *at++ = head;
    for (size_t i = 0; i < count; at += values[i++]->span)
        memcpy(at, values[i], values[i]->span * sizeof *at);
    return array;
}

/* Of a name that may have escapes in it, as JSON spells it. */
static uint32_t bit_of_spelled(struct rf_str name)
{
    return memchr(name.p, '\\', name.n) ? UINT32_MAX : rf_jname_bit(name);
}

const struct rf_jval *rf_jval_object(const struct rf_jmember *members, size_t count,
                                     struct rf_arena *a)
{
    struct rf_jval head = { .type = RF_JOBJECT, .depth = 1, .span = 1 };
    for (size_t i = 0; i < count; i++) {
        const struct rf_jval *v = members[i].value;
        if (!v)
            continue;
        hold(&head, v);
        head.span++; /* its name */
        head.names |= bit_of_spelled(rf_str(members[i].name));
    }
    if (!head.count)
        return NULL;
    struct rf_jval *object = RF_ARRAY(a, struct rf_jval, head.span), *at = object;
    *at++ = head;
    for (size_t i = 0; i < count; i++) {
        const struct rf_jval *v = members[i].value;
        if (!v)
            continue;
        *at++ = (struct rf_jval){
            .type = RF_JSTRING,
            .escaped = strchr(members[i].name, '\\') != NULL,
            .span = 1,
            .raw = rf_str(members[i].name),
        };
        memcpy(at, v, v->span * sizeof *v);
        at += v->span;
    }
    return object;
}

/* Containers hold the spelling of what is in them, unless they were not read from a text. */
const struct rf_jval *rf_jval_copy(const struct rf_jval *v, struct rf_arena *a)
{
    if (!v)
        return NULL;
    struct rf_jval *copy = RF_ARRAY(a, struct rf_jval, v->span);
    const struct rf_str from = v->raw, to = rf_str_dup(a, from);
    for (size_t i = 0; i < v->span; i++) {
        struct rf_str raw = v[i].raw;
        bool inside = from.n && raw.p >= from.p && raw.p + raw.n <= from.p + from.n;
        copy[i] = v[i];
        copy[i].raw =
            inside ? (struct rf_str){ to.p + (raw.p - from.p), raw.n } : rf_str_dup(a, raw);
    }
    return copy;
}

const char *rf_jtype_name(enum rf_jtype type)
{
    static const char *const names[] = {
        [RF_JNULL] = "null",        [RF_JFALSE] = "a boolean", [RF_JTRUE] = "a boolean",
        [RF_JNUMBER] = "a number",  [RF_JSTRING] = "a string", [RF_JARRAY] = "an array",
        [RF_JOBJECT] = "an object",
    };
    return names[type];
}

/* A text that was cut to fit may end in half a character. */
static void drop_half_character(char *text)
{
    text[rf_utf8_valid(rf_str(text))] = '\0';
}

void rf_jpath_format(const struct rf_jpath *path, char *out, size_t size)
{
    if (!path) {
        *out = '\0';
        return;
    }
    rf_jpath_format(path->up, out, size);
    size_t n = strlen(out);
    if (path->field)
        snprintf(out + n, size - n, "%s%s", n ? "." : "", path->field);
    else
        snprintf(out + n, size - n, "[%zu]", path->index);
    drop_half_character(out);
}

enum rf_code rf_fail_at(struct rf_err *err, enum rf_code code, const struct rf_jpath *path,
                        const char *fmt, ...)
{
    char place[160], text[360];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    drop_half_character(text);
    rf_jpath_format(path, place, sizeof place);
    rf_fail(err, code, "%s%s%s", place, *place ? ": " : "", text);
    rf_clean_controls(place);
    if (err)
        memcpy(err->path, place, sizeof place);
    return code;
}

static bool has_type(const struct rf_jval *v, enum rf_jfield_type want)
{
    int64_t n;
    switch (want) {
    case RF_FIELD_STR:
        return v->type == RF_JSTRING;
    case RF_FIELD_BOOL:
        return v->type == RF_JTRUE || v->type == RF_JFALSE;
    case RF_FIELD_INT:
        return rf_jval_int64(v, &n) && n >= 0;
    case RF_FIELD_VALUE:
        return true;
    case RF_FIELD_ARRAY:
        return v->type == RF_JARRAY;
    case RF_FIELD_OBJECT:
        return v->type == RF_JOBJECT;
    }
    return false;
}

static const char *const field_names[] = {
    [RF_FIELD_STR] = "a string",
    [RF_FIELD_BOOL] = "true or false",
    [RF_FIELD_INT] = "a whole number that is not negative",
    [RF_FIELD_VALUE] = "a value",
    [RF_FIELD_ARRAY] = "an array",
    [RF_FIELD_OBJECT] = "an object",
};

static void store(const struct rf_jval *v, const struct rf_jfield *f, struct rf_arena *a, void *out)
{
    void *at = (char *)out + f->offset;
    switch (f->type) {
    case RF_FIELD_STR:
        *(struct rf_str *)at = rf_jval_text(v, a);
        break;
    case RF_FIELD_BOOL:
        *(bool *)at = v->type == RF_JTRUE;
        break;
    case RF_FIELD_INT:
        rf_jval_int64(v, at);
        break;
    case RF_FIELD_VALUE:
    case RF_FIELD_ARRAY:
    case RF_FIELD_OBJECT:
        *(const struct rf_jval **)at = v;
        break;
    }
}

static enum rf_code one_field(const struct rf_jval *object, const struct rf_jpath *path,
                              const struct rf_jfield *f, struct rf_arena *a, void *out,
                              struct rf_err *err)
{
    const struct rf_jval *found = NULL;
    struct rf_jpath here = { .up = path, .field = f->name };
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1)) {
        if (!is_text(k, f->name))
            continue;
        if (found)
            return rf_fail_at(err, RF_EFORMAT, &here, "the field stands there twice");
        found = k + 1;
    }
    bool absent = !found || (found->type == RF_JNULL && f->type != RF_FIELD_VALUE);
    if (absent && f->required)
        return rf_fail_at(err, RF_EFORMAT, &here, "the field is missing");
    if (absent)
        return RF_OK;
    if (!has_type(found, f->type) && f->type == RF_FIELD_INT && found->type == RF_JNUMBER)
        return rf_fail_at(err, RF_EFORMAT, &here, "expected %s, found %.*s", field_names[f->type],
                          found->raw.n < MOST_SHOWN ? (int)found->raw.n : MOST_SHOWN, found->raw.p);
    if (!has_type(found, f->type))
        return rf_fail_at(err, RF_EFORMAT, &here, "expected %s, found %s", field_names[f->type],
                          rf_jtype_name(found->type));
    store(found, f, a, out);
    return RF_OK;
}

enum rf_code rf_jval_fields(const struct rf_jval *object, const struct rf_jpath *path,
                            const struct rf_jfield *fields, size_t count, struct rf_arena *a,
                            void *out, struct rf_err *err)
{
    if (object->type != RF_JOBJECT)
        return rf_fail_at(err, RF_EFORMAT, path, "expected an object, found %s",
                          rf_jtype_name(object->type));
    for (size_t i = 0; i < count; i++) {
        enum rf_code rc = one_field(object, path, &fields[i], a, out, err);
        if (rc)
            return rc;
    }
    return RF_OK;
}
