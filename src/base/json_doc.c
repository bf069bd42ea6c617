/* JSON for those outside: a document with an arena of its own. A number ends where its text does
 * or at a character that is not of a number, so that strtod needs no copy. */
#include "base/json_doc.h"

#include "base/arena.h"
#include "base/json_write.h"

#include <locale.h>
#include <stdlib.h>

struct rf_jdoc {
    struct rf_arena *arena;
    const struct rf_jval *root;
};

static struct rf_jdoc *new_doc(struct rf_arena *a)
{
    struct rf_jdoc *d = RF_NEW(a, struct rf_jdoc);
    d->arena = a;
    return d;
}

enum rf_code rf_jdoc_read(struct rf_str text, struct rf_jdoc **out, struct rf_err *err)
{
    if (text.n > RF_MAX_JSON_BYTES)
        return rf_fail(err, RF_ELIMIT, "the JSON has %zu bytes, limit is %zu", text.n,
                       RF_MAX_JSON_BYTES);
    struct rf_arena *a = rf_arena_new();
    struct rf_jdoc *d = new_doc(a);
    enum rf_code rc = rf_jval_parse(rf_str_dup(a, text), a, &d->root, err);
    if (rc)
        rf_arena_free(a);
    else
        *out = d;
    return rc;
}

struct rf_jdoc *rf_jdoc_of(const struct rf_jval *v)
{
    if (!v)
        return NULL;
    struct rf_arena *a = rf_arena_new();
    struct rf_jdoc *d = new_doc(a);
    d->root = rf_jval_copy(v, a);
    return d;
}

void rf_jdoc_free(struct rf_jdoc *d)
{
    if (d)
        rf_arena_free(d->arena);
}

const struct rf_jval *rf_jdoc_root(const struct rf_jdoc *d)
{
    return d ? d->root : NULL;
}

struct rf_str rf_jdoc_text(struct rf_jdoc *d, const struct rf_jval *v)
{
    return v && v->type == RF_JSTRING ? rf_jval_text(v, d->arena) : RF_STR("");
}

struct rf_str rf_jdoc_write(struct rf_jdoc *d, const struct rf_jval *v)
{
    return v ? rf_jval_compact(v, d->arena) : RF_STR("");
}

enum rf_jtype rf_jval_type(const struct rf_jval *v)
{
    return v ? v->type : RF_JNULL;
}

size_t rf_jval_count(const struct rf_jval *v)
{
    return v ? v->count : 0;
}

const struct rf_jval *rf_jval_value(const struct rf_jval *key)
{
    return key ? key + 1 : NULL;
}

bool rf_jval_double(const struct rf_jval *v, double *out)
{
    if (!v || v->type != RF_JNUMBER)
        return false;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        RF_NO_MEMORY();
    *out = strtod_l(v->raw.p, NULL, c);
    freelocale(c);
    return true;
}
