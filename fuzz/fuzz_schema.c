/* A schema and a value, with a NUL between, against each other: whatever they are, the checker
 * comes to an end, says what is wrong where something is, and says the same twice. The schema
 * can be written with its objects closed. */
#include "base/arena.h"
#include "content/schema.h"
#include "wire/answer.h"
#include "wire/aside.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static const struct rf_jval *closed(const struct rf_jval *schema, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_answer_closed(&w, NULL, schema);
    return rf_aside_made(&w, a);
}

static void check(const struct rf_jval *schema, const struct rf_jval *value, struct rf_arena *a)
{
    struct rf_err err = { 0 }, again = { 0 };
    enum rf_code rc = rf_schema_check(schema, value, a, &err);
    expect(rc == RF_OK || rc == RF_EFORMAT || rc == RF_ELIMIT);
    expect(!rc == !*err.msg);
    expect(rf_schema_check(schema, value, a, &again) == rc && !strcmp(err.msg, again.msg));
    expect(closed(schema, a)->type == schema->type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = size ? memchr(data, '\0', size) : NULL;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *schema, *value;
    size_t n = cut ? (size_t)(cut - data) : 0;
    if (cut && !rf_jval_parse((struct rf_str){ (const char *)data, n }, a, &schema, NULL) &&
        !rf_jval_parse((struct rf_str){ (const char *)cut + 1, size - n - 1 }, a, &value, NULL))
        check(schema, value, a);
    rf_arena_free(a);
    return 0;
}
