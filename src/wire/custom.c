#include "wire/custom.h"

#include "base/arena.h"
#include "content/block.h"

const struct rf_jval *rf_custom_schema(struct rf_arena *a)
{
    const struct rf_jval *v;
    if (rf_jval_parse(RF_STR("{\"type\":\"object\",\"properties\":{\"input\":"
                             "{\"type\":\"string\"}},\"required\":[\"input\"]}"),
                      a, &v, NULL))
        RF_BUG("a schema could not be read");
    return v;
}

struct rf_str rf_custom_grammar(struct rf_str syntax, struct rf_str definition, struct rf_arena *a)
{
    if (!definition.n)
        return RF_STR("");
    return rf_strf(a, "The input must follow this grammar (%.*s):\n%.*s", RF_FMT(syntax),
                   RF_FMT(definition));
}

struct rf_str rf_custom_input(const struct rf_block *call, struct rf_arena *a)
{
    const struct rf_jval *input = rf_jval_get(call->call.arguments, "input");
    return input && input->type == RF_JSTRING ? rf_jval_text(input, a) : rf_call_arguments(call, a);
}
