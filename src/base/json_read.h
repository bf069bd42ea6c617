/* Reading JSON in place.
 *
 * A document is parsed once into a flat array of values. Strings are slices of the input with
 * their escapes still in them, numbers keep their spelling, and nothing is copied; the input must
 * outlive the values. UTF-8 is verified. Values lie in document order, so the next sibling of a
 * value is found by skipping what it contains:
 *
 *     for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) …
 *
 * In an object the children are keys and values in turn: rf_jval_first gives the first key, the
 * value of a key is key + 1, and rf_jval_next takes the value on to the next key.
 *
 * The functions that walk values are public: see refract/json.h.
 *
 * Structs are filled from objects with a field table; unknown fields are left to the caller (they
 * stay in the object), wrong types fail with the path: `messages[2].role: expected string`.
 */
#ifndef RF_BASE_JSON_READ_H
#define RF_BASE_JSON_READ_H

#include "base/error.h"
#include "base/str.h"

#include <refract/json.h>

struct rf_arena;

struct rf_jval {
    enum rf_jtype type : 8;
    bool escaped : 1;  /* a string that holds backslashes */
    bool compact : 1;  /* an array or object that can be written as it was spelled */
    uint16_t depth;    /* arrays and objects inside each other, from this one on; of others 0 */
    uint32_t count;    /* elements of an array, members of an object */
    uint32_t span;     /* values from this one to the one after its whole subtree */
    uint32_t names;    /* of an object: at least the rf_jname_bits of its members, or'ed */
    struct rf_str raw; /* as spelled in the input; a string without its quotes */
};

/* Parse all of `text`. Fails with RF_EFORMAT (`line 3, column 7, at messages[1].role: …`), and with
 * RF_ELIMIT over RF_MAX_JSON_BYTES or RF_MAX_JSON_DEPTH. */
RF_MUST enum rf_code rf_jval_parse(struct rf_str text, struct rf_arena *a,
                                   const struct rf_jval **root, struct rf_err *err);

/* Are more than `most` (up to RF_MAX_JSON_DEPTH) arrays and objects inside each other in it? */
bool rf_jval_deeper(const struct rf_jval *root, size_t most);

/* Most members that are asked for are not there, which this bit of their names mostly tells. */
static inline uint32_t rf_jname_bit(struct rf_str name)
{
    return name.n ? 1u << ((name.p[0] + 5 * name.p[name.n - 1] + (int)name.n) & 31) : 1;
}

/* The value of the last member of that name, or NULL. */
const struct rf_jval *rf_jval_find(const struct rf_jval *object, struct rf_str name);
static inline const struct rf_jval *rf_jval_member(const struct rf_jval *v, struct rf_str name)
{
    return v && (v->names & rf_jname_bit(name)) ? rf_jval_find(v, name) : NULL;
}

/* A string's text with escapes undone: a slice of the input where there are none. A lone surrogate
 * becomes U+FFFD. */
struct rf_str rf_jval_text(const struct rf_jval *v, struct rf_arena *a);
/* Bytes of a string as spelled up to the first escape of a lone surrogate; all where there is
 * none. */
size_t rf_jval_paired(struct rf_str raw);
/* Is it equal to one of them? The list ends with NULL. */
bool rf_jval_is_any(const struct rf_jval *v, const char *const *names);
/* Has an object no members but these? Those that are null do not count. */
bool rf_jval_has_only(const struct rf_jval *object, const char *const *names);

/* Values that were not read from a text: a string, a whole number, an array, and an object of the
 * members whose value is not NULL (NULL where there are none), their names as JSON spells them.
 * What they point to is borrowed. */
const struct rf_jval *rf_jval_string(struct rf_str text, struct rf_arena *a);
const struct rf_jval *rf_jval_whole(int64_t n, struct rf_arena *a);
const struct rf_jval *rf_jval_array(const struct rf_jval *const *values, size_t count,
                                    struct rf_arena *a);
struct rf_jmember {
    const char *name;
    const struct rf_jval *value;
};
const struct rf_jval *rf_jval_object(const struct rf_jmember *members, size_t count,
                                     struct rf_arena *a);

/* A copy that needs nothing of what `v` was read from; NULL of NULL. */
const struct rf_jval *rf_jval_copy(const struct rf_jval *v, struct rf_arena *a);

/* What a value is, for messages: "a string", "an object", … */
const char *rf_jtype_name(enum rf_jtype type);

/* Where we are in a document, for messages; lives on the stack. */
struct rf_jpath {
    const struct rf_jpath *up; /* NULL at the root */
    const char *field;         /* or NULL: */
    size_t index;
};

/* `messages[3].content_blocks[1]`; "" for the root. Cut to fit. */
void rf_jpath_format(const struct rf_jpath *path, char *out, size_t size);

/* Fail with "PATH: …", and tell the path. */
__attribute__((format(printf, 4, 5))) enum rf_code rf_fail_at(struct rf_err *err, enum rf_code code,
                                                              const struct rf_jpath *path,
                                                              const char *fmt, ...);

/* As a macro beside the function, so that all is known of a name that is a literal. */
#define rf_jval_get(v, name) rf_jval_named(v, name)
static inline const struct rf_jval *rf_jval_named(const struct rf_jval *v, const char *name)
{
    return v ? rf_jval_member(v, rf_str(name)) : NULL;
}

enum rf_jfield_type {
    RF_FIELD_STR,    /* struct rf_str, escapes undone */
    RF_FIELD_BOOL,   /* bool */
    RF_FIELD_INT,    /* int64_t, not negative */
    RF_FIELD_VALUE,  /* const struct rf_jval *, anything */
    RF_FIELD_ARRAY,  /* const struct rf_jval * */
    RF_FIELD_OBJECT, /* const struct rf_jval * */
};

struct rf_jfield {
    const char *name;
    enum rf_jfield_type type;
    size_t offset;
    bool required;
};

/* Fill `out` from the members of `object`. A field that is absent or null keeps what `out` had
 * (null is accepted for RF_FIELD_VALUE as a value). A known field that stands there twice fails. */
RF_MUST enum rf_code rf_jval_fields(const struct rf_jval *object, const struct rf_jpath *path,
                                    const struct rf_jfield *fields, size_t count,
                                    struct rf_arena *a, void *out, struct rf_err *err);

#endif
