/* Whether an answer fits the schema that it was asked for with. */
#include "request/request.h"

#include "base/arena.h"
#include "content/schema.h"

enum rf_code rf_request_check_answer(const struct rf_request *r, struct rf_str answer,
                                     struct rf_err *err)
{
    const struct rf_jval *schema = r->plan.conversation->options.schema, *value;
    struct rf_err why;
    if (!schema)
        return RF_OK;
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = rf_jval_parse(answer, a, &value, &why);
    bool json = !rc;
    if (json)
        rc = rf_schema_check(schema, value, a, &why);
    rf_arena_free(a);
    if (!rc)
        return RF_OK;
    rf_fail(err, RF_EPROVIDER, "the answer %s: %s",
            json ? "does not fit the schema" : "is not JSON", why.msg);
    rf_hint(err, "Ask again, say in the question what the answer must look like, or ask another "
                 "model.");
    if (err)
        memcpy(err->path, why.path, sizeof err->path);
    return RF_EPROVIDER;
}
