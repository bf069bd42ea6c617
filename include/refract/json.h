/* JSON, read: the arguments of a call, the data of a result, whatever a program is handed as text.
 *
 *     struct rf_jdoc *d;
 *     if (rf_jdoc_read(arguments, &d, &err)) …
 *     struct rf_str path = rf_jdoc_text(d, rf_jval_get(rf_jdoc_root(d), "file_path"));
 *     rf_jdoc_free(d);
 *
 * Values belong to their document. Wherever one is taken, NULL is taken too, as a value that is not
 * there: so a path through a document needs one check at its end.
 *
 *     for (v = rf_jval_first(list); v; v = rf_jval_next(list, v)) …
 *     for (k = rf_jval_first(object); k; k = rf_jval_next(object, rf_jval_value(k))) …
 */
#ifndef REFRACT_JSON_H
#define REFRACT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/error.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rf_jtype {
    RF_JNULL,
    RF_JFALSE,
    RF_JTRUE,
    RF_JNUMBER,
    RF_JSTRING,
    RF_JARRAY,
    RF_JOBJECT,
};

struct rf_jdoc;
struct rf_jval;

/* Read a text, which is copied. Fails with RF_EFORMAT, naming line and column, and with RF_ELIMIT
 * where it is too large or deep. */
RF_API RF_MUST enum rf_code rf_jdoc_read(struct rf_str text, struct rf_jdoc **out,
                                         struct rf_err *err);
RF_API void rf_jdoc_free(struct rf_jdoc *d); /* takes NULL */
RF_API const struct rf_jval *rf_jdoc_root(const struct rf_jdoc *d);

/* The text of a string, its escapes undone; empty for all else. It lives as long as `d`. */
RF_API struct rf_str rf_jdoc_text(struct rf_jdoc *d, const struct rf_jval *v);
/* A value as JSON without white space; empty for NULL. It lives as long as `d`. */
RF_API struct rf_str rf_jdoc_write(struct rf_jdoc *d, const struct rf_jval *v);

RF_API enum rf_jtype rf_jval_type(const struct rf_jval *v); /* RF_JNULL of NULL */
RF_API size_t rf_jval_count(const struct rf_jval *v);       /* elements, or members; else 0 */

/* The value of a member (the last one of that name), and the element at an index; NULL where there
 * is none, or `v` is something else. */
RF_API const struct rf_jval *rf_jval_get(const struct rf_jval *v, const char *name);
RF_API const struct rf_jval *rf_jval_at(const struct rf_jval *v, size_t index);

/* The first element, or the key of the first member; NULL where there is none. */
RF_API const struct rf_jval *rf_jval_first(const struct rf_jval *parent);
/* The element after `child`, or the key of the member after the one whose value it is; or NULL. */
RF_API const struct rf_jval *rf_jval_next(const struct rf_jval *parent,
                                          const struct rf_jval *child);
/* The value of a key that the two above gave. */
RF_API const struct rf_jval *rf_jval_value(const struct rf_jval *key);

/* Is it this string? */
RF_API bool rf_jval_is(const struct rf_jval *v, const char *s);
/* A number that is a whole one within int64_t ("12", also "12.0"); and any number, as near as a
 * double gets. False where it is not one. */
RF_API bool rf_jval_int64(const struct rf_jval *v, int64_t *out);
RF_API bool rf_jval_double(const struct rf_jval *v, double *out);

#ifdef __cplusplus
}
#endif
#endif
