/* Checking what a program hands over, and taking it in. */
#include "content/result.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"

#define MOST_TEXT (RF_MAX_DOCUMENT_BYTES / 2)
/* A value stands some levels deep in a conversation, and all of that must be readable. */
#define MOST_DEPTH ((size_t)RF_MAX_JSON_DEPTH - 16)

enum rf_code rf_text_check(struct rf_str text, const char *field, struct rf_err *err)
{
    const struct rf_jpath here = { .field = field };
    if (!text.n)
        return RF_OK;
    if (!text.p)
        return rf_fail_at(err, RF_EUSAGE, &here, "has a length and points nowhere");
    if (text.n > MOST_TEXT)
        return rf_fail_at(err, RF_ELIMIT, &here, "has %zu bytes, limit is %zu", text.n, MOST_TEXT);
    size_t valid = rf_utf8_valid(text);
    if (valid < text.n)
        return rf_fail_at(err, RF_EFORMAT, &here, "is not UTF-8 from byte %zu on", valid);
    return RF_OK;
}

enum rf_code rf_text_check_given(struct rf_str text, const char *field, struct rf_err *err)
{
    const struct rf_jpath here = { .field = field };
    return text.n ? rf_text_check(text, field, err)
                  : rf_fail_at(err, RF_EUSAGE, &here, "the field is missing");
}

static enum rf_code check_size(const void *given, size_t least, size_t known, size_t *size,
                               struct rf_err *err)
{
    const struct rf_jpath here = { .field = "size" };
    if (!given)
        return rf_fail(err, RF_EUSAGE, "a pointer to a struct is missing");
    memcpy(size, given, sizeof *size);
    if (*size < least || *size > known) {
        rf_fail_at(err, RF_EUSAGE, &here, "expected %zu, found %zu", known, *size);
        rf_hint(err, "Set it to the size of the struct, as sizeof tells it.");
        return RF_EUSAGE;
    }
    return RF_OK;
}

enum rf_code rf_struct_take(const void *given, size_t least, size_t known, void *out,
                            struct rf_err *err)
{
    size_t size = 0;
    enum rf_code rc = check_size(given, least, known, &size, err);
    if (rc)
        return rc;
    memset(out, 0, known);
    memcpy(out, given, size);
    return RF_OK;
}

enum rf_code rf_struct_give(const void *from, size_t least, size_t known, void *out,
                            struct rf_err *err)
{
    size_t size = 0;
    enum rf_code rc = check_size(out, least, known, &size, err);
    if (rc)
        return rc;
    memcpy((char *)out + sizeof size, (const char *)from + sizeof size, size - sizeof size);
    return RF_OK;
}

enum rf_code rf_value_check(struct rf_str text, const char *field, struct rf_arena *a,
                            const struct rf_jval **out, struct rf_err *err)
{
    const struct rf_jpath here = { .field = field };
    const struct rf_jval *v;
    struct rf_err why;
    enum rf_code rc = rf_text_check_given(text, field, err);
    if (rc)
        return rc;
    rc = rf_jval_parse(text, a, &v, &why);
    if (rc)
        return rf_fail_at(err, rc, &here, "%s", why.msg);
    if (rf_jval_deeper(v, MOST_DEPTH))
        return rf_fail_at(err, RF_ELIMIT, &here,
                          "more than %zu arrays and objects inside each other", MOST_DEPTH);
    *out = v;
    return RF_OK;
}

enum rf_code rf_value_append(const struct rf_jval **array, size_t *cap, const struct rf_jval *v,
                             struct rf_arena *a, struct rf_err *err)
{
    size_t n = *array ? (*array)->span : 1, wanted = n + v->span;
    size_t depth = *array && (*array)->depth > v->depth ? (*array)->depth : v->depth + 1u;
    if (wanted > RF_MAX_LIST)
        return rf_fail(err, RF_ELIMIT, "the list has %zu values, limit is %zu", wanted,
                       RF_MAX_LIST);
    struct rf_jval *all = (struct rf_jval *)*array;
    if (wanted > *cap) { /* also one that was read, and has no room of its own */
        *cap = 2 * wanted;
        all = RF_ARRAY(a, struct rf_jval, *cap);
        if (*array)
            memcpy(all, *array, n * sizeof *all);
    }
    memcpy(all + n, rf_jval_copy(v, a), v->span * sizeof *v);
    *all = (struct rf_jval){
        .type = RF_JARRAY,
        .depth = (uint16_t)depth,
        .count = (*array ? (*array)->count : 0) + 1,
        .span = (uint32_t)wanted,
    };
    *array = all;
    return RF_OK;
}
