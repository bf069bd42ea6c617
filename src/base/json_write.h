/* Writing JSON onto a rope, compactly and without a tree.
 *
 * Keys are given where the writer stands in an object and are NULL in an array; those that are
 * literals have nothing in them that needs an escape. Wrong nesting is a bug and aborts. The writer
 * is sticky: the first failure (a text file that cannot be read) stays, later calls do nothing,
 * rf_json_finish reports it.
 *
 *     rf_json_obj(w, NULL);
 *     rf_json_str(w, "type", RF_STR("image"));
 *     rf_json_base64(w, "data", bytes);
 *     rf_json_end(w);
 */
#ifndef RF_BASE_JSON_WRITE_H
#define RF_BASE_JSON_WRITE_H

#include "base/json_read.h"
#include "base/limits.h"
#include "base/rope.h"

#define RF_JSON_STEPS 8 /* arrays inside each other that a mark tells of */

/* An array on the way to a value, and which of its elements leads there: "messages" 2. */
struct rf_json_step {
    struct rf_str list; /* the key of the array; of an array in an array, that of the outer one */
    size_t index;
};

/* Where something was written: rf_json_mark. */
struct rf_json_mark {
    const void *what;
    struct rf_json_step steps[RF_JSON_STEPS]; /* from the outside in */
    size_t count;
};

struct rf_json {
    struct rf_rope *rope;
    enum rf_code failed;
    struct rf_err *err; /* where it failed: rf_json_error */
    unsigned depth, deepest;
    bool in_string;
    bool need_comma;
    bool key_given;             /* rf_json_key was called, the value comes next */
    struct rf_str key;          /* the last one written */
    struct rf_json_mark *marks; /* in the order of writing, in the arena of the rope */
    size_t mark_count, mark_cap;
    struct rf_json_level {
        bool is_object;
        struct rf_json_step step; /* of an array */
    } * levels;                   /* that are open, in the arena of the rope */
    size_t level_cap;
};

void rf_json_init(struct rf_json *w, struct rf_rope *rope);
/* Where to say why the writer fails; it is `failed` then. */
struct rf_err *rf_json_error(struct rf_json *w);
/* Fails with the first failure. Something left open is a bug. */
RF_MUST enum rf_code rf_json_finish(struct rf_json *w, struct rf_err *err);

static inline void rf_json_obj(struct rf_json *w, const char *key);
static inline void rf_json_arr(struct rf_json *w, const char *key);
void rf_json_end(struct rf_json *w);
/* Is nothing in what was opened last? */
bool rf_json_is_empty(const struct rf_json *w);

static inline void rf_json_str(struct rf_json *w, const char *key, struct rf_str s);
/* The same when `s` is not empty; nothing otherwise. */
static inline void rf_json_str_opt(struct rf_json *w, const char *key, struct rf_str s);
static inline void rf_json_int(struct rf_json *w, const char *key, int64_t n);
static inline void rf_json_bool(struct rf_json *w, const char *key, bool b);
static inline void rf_json_null(struct rf_json *w, const char *key);
/* A value that was read, without its white space; numbers and escapes as they were spelled, but
 * for lone surrogates, which become U+FFFD. */
static inline void rf_json_value(struct rf_json *w, const char *key, const struct rf_jval *v);
/* Text that is one valid JSON value already. */
static inline void rf_json_raw(struct rf_json *w, const char *key, struct rf_str json);
/* A key that is not a C string; the next call gives its value with key NULL. It is borrowed until
 * that value is complete. */
void rf_json_key(struct rf_json *w, struct rf_str key);
/* A member that was read, by its key; and all of an object (NULL has none) but those in the list,
 * which ends with NULL, or all where that is NULL. */
void rf_json_member(struct rf_json *w, const struct rf_jval *key);
void rf_json_members(struct rf_json *w, const struct rf_jval *object, const char *const *but);
/* A string that is the base64 of the bytes, which are borrowed. */
void rf_json_base64(struct rf_json *w, const char *key, const struct rf_bytes *bytes);

/* A string in pieces: open, parts, close. */
static inline void rf_json_str_open(struct rf_json *w, const char *key);
void rf_json_part(struct rf_json *w, struct rf_str s);               /* text */
void rf_json_part_value(struct rf_json *w, const struct rf_jval *v); /* a value as JSON text */
void rf_json_part_base64(struct rf_json *w, const struct rf_bytes *bytes); /* base64 of bytes */
void rf_json_part_bytes(struct rf_json *w, const struct rf_bytes *bytes);  /* UTF-8 bytes as text */
void rf_json_str_close(struct rf_json *w);

/* Note in w->marks that `what` stands where the last value does, or the one that is open. */
void rf_json_mark(struct rf_json *w, const void *what);

/* A read value as compact JSON text in the arena. */
struct rf_str rf_jval_compact(const struct rf_jval *v, struct rf_arena *a);

/* Inline, so that of a key that is a literal the length is known, and that it is one of our own
 * words. Others are escaped. */

struct rf_json_name {
    const char *key; /* NULL in an array */
    size_t n;
    bool literal;
};

void rf_json_put_open(struct rf_json *w, struct rf_json_name name, bool object);
void rf_json_put_str(struct rf_json *w, struct rf_json_name name, struct rf_str s);
void rf_json_put_int(struct rf_json *w, struct rf_json_name name, int64_t n);
void rf_json_put_raw(struct rf_json *w, struct rf_json_name name, struct rf_str json);
void rf_json_put_value(struct rf_json *w, struct rf_json_name name, const struct rf_jval *v);
void rf_json_put_quote(struct rf_json *w, struct rf_json_name name);

static inline struct rf_json_name rf_json_name(const char *key)
{
    size_t n = key ? strlen(key) : 0;
    return (struct rf_json_name){ key, n, __builtin_constant_p(n) };
}

static inline void rf_json_obj(struct rf_json *w, const char *key)
{
    rf_json_put_open(w, rf_json_name(key), true);
}

static inline void rf_json_arr(struct rf_json *w, const char *key)
{
    rf_json_put_open(w, rf_json_name(key), false);
}

static inline void rf_json_str(struct rf_json *w, const char *key, struct rf_str s)
{
    rf_json_put_str(w, rf_json_name(key), s);
}

static inline void rf_json_str_opt(struct rf_json *w, const char *key, struct rf_str s)
{
    if (s.n)
        rf_json_str(w, key, s);
}

static inline void rf_json_int(struct rf_json *w, const char *key, int64_t n)
{
    rf_json_put_int(w, rf_json_name(key), n);
}

static inline void rf_json_raw(struct rf_json *w, const char *key, struct rf_str json)
{
    rf_json_put_raw(w, rf_json_name(key), json);
}

static inline void rf_json_bool(struct rf_json *w, const char *key, bool b)
{
    rf_json_raw(w, key, b ? RF_STR("true") : RF_STR("false"));
}

static inline void rf_json_null(struct rf_json *w, const char *key)
{
    rf_json_raw(w, key, RF_STR("null"));
}

static inline void rf_json_value(struct rf_json *w, const char *key, const struct rf_jval *v)
{
    rf_json_put_value(w, rf_json_name(key), v);
}

static inline void rf_json_str_open(struct rf_json *w, const char *key)
{
    rf_json_put_quote(w, rf_json_name(key));
}

#endif
