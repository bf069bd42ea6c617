#include "source/outline.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/utf8.h"

#define MAX_DEPTH 8      /* steps of a pointer in an outline */
#define MAX_KEYS 64      /* of one object */
#define MAX_WAITING 4096 /* values that are still to be told of */

/* Values whose lines are still to come, nearest to the root first. */
struct waiting {
    const struct rf_jval *value;
    struct rf_str pointer;
    unsigned depth;
};

struct queue {
    struct waiting *items;
    size_t count, cap;
    struct rf_arena *arena;
};

static void enqueue(struct queue *q, const struct rf_jval *v, struct rf_str pointer, unsigned depth)
{
    if (q->count < MAX_WAITING)
        *RF_PUSH(q->arena, q->items, q->count, q->cap) = (struct waiting){ v, pointer, depth };
}

/* A key as a step of a pointer; one that is long or holds what a terminal obeys is not told of,
 * since no pointer that is shown could name it. */
static bool add_step(struct rf_str up, struct rf_str key, struct rf_arena *a, struct rf_str *out)
{
    struct rf_buf b;
    if (key.n > RF_MAX_NAME_SHOWN)
        return false;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_add(&b, up);
    rf_buf_addc(&b, '/');
    for (size_t i = 0; i < key.n; i++) {
        unsigned char c = (unsigned char)key.p[i];
        bool c1 = c == 0xc2 && i + 1 < key.n && (unsigned char)key.p[i + 1] < 0xa0;
        if (c < 0x20 || c == 0x7f || c1)
            return false;
        if (c == '~' || c == '/')
            rf_buf_add(&b, c == '~' ? RF_STR("~0") : RF_STR("~1"));
        else
            rf_buf_addc(&b, (char)c);
    }
    return rf_buf_finish(&b, out, NULL) == RF_OK;
}

static void enqueue_children(struct queue *q, const struct waiting *w)
{
    struct rf_str pointer;
    size_t keys = 0;
    if (w->depth == MAX_DEPTH)
        return;
    if (w->value->type == RF_JARRAY && w->value->count)
        enqueue(q, rf_jval_first(w->value), rf_str_join(q->arena, w->pointer, RF_STR("/0")),
                w->depth + 1);
    if (w->value->type != RF_JOBJECT)
        return;
    for (const struct rf_jval *key = rf_jval_first(w->value); key && keys < MAX_KEYS;
         key = rf_jval_next(w->value, key + 1), keys++)
        if (add_step(w->pointer, rf_jval_text(key, q->arena), q->arena, &pointer))
            enqueue(q, key + 1, pointer, w->depth + 1);
}

static struct rf_str line_of(const struct waiting *w, struct rf_arena *a)
{
    static const char *const names[] = {
        [RF_JNULL] = "null",     [RF_JFALSE] = "false",   [RF_JTRUE] = "true",
        [RF_JNUMBER] = "number", [RF_JSTRING] = "string", [RF_JARRAY] = "array",
        [RF_JOBJECT] = "object",
    };
    const struct rf_jval *v = w->value;
    struct rf_str pointer = w->pointer.n ? w->pointer : RF_STR("(all)");
    const char *name = names[v->type];
    bool counted = v->type == RF_JARRAY || v->type == RF_JOBJECT;
    if (!counted && v->type != RF_JSTRING)
        return rf_strf(a, "%.*s: %s\n", RF_FMT(pointer), name);
    struct rf_str n = rf_with_commas(counted ? v->count : v->raw.n, a);
    const char *unit = v->type == RF_JSTRING ? "byte" : v->type == RF_JARRAY ? "element" : "key";
    return rf_strf(a, "%.*s: %s, %.*s %s%s\n", RF_FMT(pointer), name, RF_FMT(n), unit,
                   rf_str_is(n, "1") ? "" : "s");
}

struct rf_str rf_outline(const struct rf_jval *v, size_t most, struct rf_arena *a)
{
    struct queue q = { .arena = a };
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, a, most);
    enqueue(&q, v, RF_STR(""), 0);
    for (size_t i = 0; i < q.count; i++) {
        struct waiting w = q.items[i];
        struct rf_str line = line_of(&w, a);
        if (b.n + line.n > most)
            break;
        rf_buf_add(&b, line);
        enqueue_children(&q, &w);
    }
    if (rf_buf_finish(&b, &out, NULL))
        RF_BUG("an outline is longer than it may be");
    return out;
}

/* Pointers. */

/* Is the key what this step of a pointer says, "~1" and "~0" undone? */
static bool is_step(struct rf_str key, struct rf_str step)
{
    size_t k = 0;
    for (size_t i = 0; i < step.n; i++, k++) {
        char c = step.p[i];
        if (c == '~' && i + 1 < step.n)
            c = step.p[++i] == '1' ? '/' : '~';
        if (k == key.n || key.p[k] != c)
            return false;
    }
    return k == key.n;
}

static const struct rf_jval *member(const struct rf_jval *v, struct rf_str step)
{
    const struct rf_jval *found = NULL;
    struct rf_arena *a = rf_arena_new();
    for (const struct rf_jval *key = rf_jval_first(v); key; key = rf_jval_next(v, key + 1))
        if (is_step(rf_jval_text(key, a), step))
            found = key + 1;
    rf_arena_free(a);
    return found;
}

static const struct rf_jval *element(const struct rf_jval *v, struct rf_str step)
{
    int64_t index;
    bool plain = step.n == 1 || (step.n && step.p[0] != '0');
    if (!plain || !rf_str_int64(step, &index) || index < 0 || index >= v->count)
        return NULL;
    return rf_jval_at(v, (size_t)index);
}

static bool is_pointer(struct rf_str s)
{
    if (s.n && s.p[0] != '/')
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '~' && (i + 1 == s.n || (s.p[i + 1] != '0' && s.p[i + 1] != '1')))
            return false;
    return true;
}

static enum rf_code leads_nowhere(const struct rf_jval *v, struct rf_str done, struct rf_str step,
                                  struct rf_err *err)
{
    struct rf_str shown = rf_utf8_cut(step, RF_MAX_NAME_SHOWN);
    struct rf_str front = rf_utf8_cut(done, RF_MAX_NAME_SHOWN);
    const char *at = done.n ? "" : "the root";
    if (v->type == RF_JARRAY)
        rf_fail(err, RF_ENOTFOUND, "there is no \"%.*s\" in %s%.*s: it is an array of %u",
                RF_FMT(shown), at, RF_FMT(front), v->count);
    else
        rf_fail(err, RF_ENOTFOUND, "there is no \"%.*s\" in %s%.*s: it is %s", RF_FMT(shown), at,
                RF_FMT(front), rf_jtype_name(v->type));
    rf_hint(err, "Read without a pointer, or at the one before it, to see what is there.");
    return RF_ENOTFOUND;
}

enum rf_code rf_pointer_find(const struct rf_jval *root, struct rf_str pointer,
                             const struct rf_jval **out, struct rf_err *err)
{
    const struct rf_jval *v = root;
    size_t at = 0;
    if (!is_pointer(pointer)) {
        rf_fail(err, RF_EUSAGE, "this is not a JSON Pointer");
        rf_hint(err,
                "Each step begins with a slash, as in /users/0/name; in a key, ~1 is a slash and "
                "~0 a tilde.");
        return RF_EUSAGE;
    }
    while (at < pointer.n) {
        const char *begin = pointer.p + at + 1;
        const char *end = memchr(begin, '/', pointer.n - at - 1);
        struct rf_str step = { begin, end ? (size_t)(end - begin) : pointer.n - at - 1 };
        const struct rf_jval *next = v->type == RF_JOBJECT  ? member(v, step)
                                     : v->type == RF_JARRAY ? element(v, step)
                                                            : NULL;
        if (!next)
            return leads_nowhere(v, (struct rf_str){ pointer.p, at }, step, err);
        v = next;
        at += 1 + step.n;
    }
    *out = v;
    return RF_OK;
}
