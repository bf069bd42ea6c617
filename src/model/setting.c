/* How a model is asked, as the configuration says it: words, which become the options that a
 * conversation has as JSON. */
#include "model/model.h"

#include "base/arena.h"
#include "content/options.h"

/* A number, or a word in quotes. */
static struct rf_str as_json(struct rf_str value, struct rf_arena *a)
{
    bool number = value.n && value.p[0] >= '0' && value.p[0] <= '9';
    return number ? value : rf_strf(a, "\"%.*s\"", RF_FMT(value));
}

enum rf_code rf_model_setting(struct rf_model *m, struct rf_str name, struct rf_str value,
                              struct rf_err *err)
{
    struct rf_err why = { 0 };
    if (rf_str_is(name, "system")) {
        m->system = rf_str_dup(m->arena, value);
        return RF_OK;
    }
    if (!rf_options_set(&m->options, rf_cstr(m->arena, name), as_json(value, m->arena), m->arena,
                        &why))
        return RF_OK;
    rf_fail(err, RF_ECONFIG, "\"%.*s\" is not a value for \"%.*s\"", RF_FMT(value), RF_FMT(name));
    rf_hint(err, "%s", why.hint[0] ? why.hint : why.msg);
    return RF_ECONFIG;
}
