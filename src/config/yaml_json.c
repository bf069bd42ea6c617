#include "config/yaml.h"

#include "base/arena.h"
#include "base/json_read.h"
#include "base/json_write.h"

/* What is in quotes is a string; what is not may be a number or a truth. */
static void write_scalar(struct rf_json *w, const struct rf_yaml *v, struct rf_arena *a)
{
    const struct rf_jval *number;
    bool plain = v->kind == RF_YAML_TEXT && !v->quoted;
    if (v->kind == RF_YAML_NULL)
        rf_json_null(w, NULL);
    else if (plain && (rf_str_is(v->text, "true") || rf_str_is(v->text, "false")))
        rf_json_bool(w, NULL, rf_str_is(v->text, "true"));
    else if (plain && !rf_jval_parse(v->text, a, &number, NULL) && number->type == RF_JNUMBER)
        rf_json_raw(w, NULL, v->text);
    else
        rf_json_str(w, NULL, v->text);
}

static void write_yaml(struct rf_json *w, const struct rf_yaml *v, struct rf_arena *a)
{
    if (v->kind != RF_YAML_MAP && v->kind != RF_YAML_LIST) {
        write_scalar(w, v, a);
        return;
    }
    if (v->kind == RF_YAML_MAP)
        rf_json_obj(w, NULL);
    else
        rf_json_arr(w, NULL);
    for (size_t i = 0; i < v->count; i++) {
        if (v->kind == RF_YAML_MAP)
            rf_json_key(w, v->items[i++].text);
        write_yaml(w, &v->items[i], a);
    }
    rf_json_end(w);
}

struct rf_str rf_yaml_json(const struct rf_yaml *v, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str json;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    write_yaml(&w, v, a);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &json, NULL))
        RF_BUG("YAML in memory could not be written as JSON");
    return json;
}
