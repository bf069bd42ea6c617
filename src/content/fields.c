/* Writing structs with the tables that read them. It never reads, checks or reorders anything. */
#include "content/fields.h"

#include "base/arena.h"

const struct rf_jval rf_by_hand = { .type = RF_JNULL, .span = 1 };

/* Each of the next four says whether the field is taken care of. */

static bool write_str(struct rf_json *w, const struct rf_jfield *f, const struct rf_str *s,
                      const struct rf_jval *was)
{
    bool was_empty = was && was->type == RF_JSTRING && was->raw.n == 0;
    if (s->n == 0 && !was_empty && !f->required)
        return false;
    rf_json_str(w, f->name, s->n > 0 ? *s : RF_STR(""));
    return true;
}

static bool write_bool(struct rf_json *w, const struct rf_jfield *f, const bool *b,
                       const struct rf_jval *was)
{
    bool was_given = was && (was->type == RF_JTRUE || was->type == RF_JFALSE);
    if (!*b && !was_given && !f->required)
        return false;
    rf_json_bool(w, f->name, *b);
    return true;
}

static bool write_int(struct rf_json *w, const struct rf_jfield *f, const int64_t *n,
                      const struct rf_jval *was)
{
    int64_t was_n;
    if (was && was->type == RF_JNUMBER && rf_jval_int64(was, &was_n) && was_n == *n)
        rf_json_value(w, f->name, was);
    else if (*n != 0 || f->required)
        rf_json_int(w, f->name, *n);
    else
        return false;
    return true;
}

static bool write_value(struct rf_json *w, const struct rf_jfield *f,
                        const struct rf_jval *const *value)
{
    if (*value && *value != &rf_by_hand)
        rf_json_value(w, f->name, *value);
    return *value;
}

static bool write_field(struct rf_json *w, const struct rf_jfield *f, const void *from,
                        const struct rf_jval *was)
{
    const void *field = (const char *)from + f->offset;
    switch (f->type) {
    case RF_FIELD_STR:
        return write_str(w, f, field, was);
    case RF_FIELD_BOOL:
        return write_bool(w, f, field, was);
    case RF_FIELD_INT:
        return write_int(w, f, field, was);
    case RF_FIELD_VALUE:
    case RF_FIELD_ARRAY:
    case RF_FIELD_OBJECT:
        return write_value(w, f, field);
    }
    RF_BUG("field of no type");
}

void rf_fields_write(struct rf_json *w, const struct rf_jfield *fields, size_t count,
                     const void *from, const struct rf_jval *was)
{
    for (const struct rf_jfield *f = fields; f < fields + count; f++) {
        const struct rf_jval *member = was ? rf_jval_get(was, f->name) : NULL;
        if (!write_field(w, f, from, member) && member && member->type == RF_JNULL)
            rf_json_null(w, f->name);
    }
}

static bool is_known(const struct rf_jval *key, const struct rf_jfield *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rf_jval_is(key, fields[i].name))
            return true;
    }
    return false;
}

void rf_fields_rest(struct rf_json *w, const struct rf_jfield *fields, size_t count,
                    const struct rf_jval *was)
{
    const struct rf_jval *key = was ? rf_jval_first(was) : NULL;
    for (; key; key = rf_jval_next(was, key + 1)) {
        if (is_known(key, fields, count))
            continue;
        rf_json_key(w, rf_jval_text(key, w->rope->arena));
        rf_json_value(w, NULL, key + 1);
    }
}

const struct rf_jval *rf_fields_other(const struct rf_jfield *fields, size_t count,
                                      const struct rf_jval *was, struct rf_arena *a)
{
    struct rf_jmember *members = NULL;
    size_t n = 0, cap = 0;
    const struct rf_jval *key = was ? rf_jval_first(was) : NULL;
    for (; key; key = rf_jval_next(was, key + 1))
        if (!is_known(key, fields, count))
            *RF_PUSH(a, members, n, cap) =
                (struct rf_jmember){ rf_cstr(a, key->raw), rf_jval_copy(key + 1, a) };
    return rf_jval_object(members, n, a);
}

void rf_fields_own(const size_t *strings, size_t string_count, const size_t *values,
                   size_t value_count, struct rf_arena *a, void *in)
{
    for (size_t i = 0; i < string_count; i++) {
        struct rf_str *s = (struct rf_str *)((char *)in + strings[i]);
        if (s->n)
            *s = rf_str_dup(a, *s);
    }
    for (size_t i = 0; i < value_count; i++) {
        const struct rf_jval **v = (const struct rf_jval **)((char *)in + values[i]);
        *v = rf_jval_copy(*v, a);
    }
}

void rf_null_is_absent(const struct rf_jval **field)
{
    if (*field && (*field)->type == RF_JNULL)
        *field = NULL;
}

enum rf_code rf_list_check(const struct rf_jval *list, const struct rf_jpath *at,
                           struct rf_err *err)
{
    if (list->count <= RF_MAX_LIST)
        return RF_OK;
    return rf_fail_at(err, RF_ELIMIT, at, "the list has %zu elements, limit is %zu",
                      (size_t)list->count, RF_MAX_LIST);
}
