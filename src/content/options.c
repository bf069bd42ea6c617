/* The options of a conversation, both ways. Numbers keep their spelling. `stop` is an array in the
 * struct also where one string was given, and is written as it was given.
 *
 * It refuses to know which values a model takes: a temperature of 99 is a number. */
#include "content/options.h"

#include "base/arena.h"
#include "content/fields.h"

#define AT(member) offsetof(struct rf_options, member)

static const struct rf_jfield option_fields[] = {
    { "max_tokens", RF_FIELD_INT, AT(max_tokens), false },
    { "temperature", RF_FIELD_VALUE, AT(temperature), false },
    { "top_p", RF_FIELD_VALUE, AT(top_p), false },
    { "stop", RF_FIELD_VALUE, AT(stop), false },
    { "stream", RF_FIELD_BOOL, AT(stream), false },
    { "thinking", RF_FIELD_OBJECT, AT(thinking), false },
    { "schema", RF_FIELD_OBJECT, AT(schema), false },
    { "json", RF_FIELD_BOOL, AT(json), false },
    { "single_call", RF_FIELD_BOOL, AT(single_call), false },
    { "allowed_tools", RF_FIELD_ARRAY, AT(allowed_tools), false },
};

static const struct rf_jfield thinking_fields[] = {
    { "off", RF_FIELD_BOOL, AT(thinking_off), false },
    { "level", RF_FIELD_STR, AT(thinking_level), false },
    { "budget_tokens", RF_FIELD_INT, AT(thinking_budget), false },
};

/* In order: a budget has the level of the last row that does not begin above it. */
static const struct {
    struct rf_str name;
    int64_t least, budget;
} levels[] = {
    { RF_STR_INIT("low"), 0, 2048 },
    { RF_STR_INIT("medium"), 4096, 8192 },
    { RF_STR_INIT("high"), 16384, 24576 },
};

struct rf_str rf_thinking_level(int64_t budget)
{
    size_t i = sizeof levels / sizeof *levels - 1;
    while (i && budget < levels[i].least)
        i--;
    return levels[i].name;
}

int64_t rf_thinking_budget(struct rf_str level)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (rf_str_eq(level, levels[i].name))
            return levels[i].budget;
    return 0;
}

static enum rf_code check_max_tokens(const struct rf_options *o, const struct rf_jpath *at,
                                     struct rf_err *err)
{
    const struct rf_jpath here = { .up = at, .field = "max_tokens" };
    const struct rf_jval *v = rf_jval_get(o->extra, "max_tokens");
    if (o->max_tokens > 0 || !v || v->type == RF_JNULL)
        return RF_OK;
    return rf_fail_at(err, RF_EFORMAT, &here, "expected a number above 0");
}

static enum rf_code check_number(const struct rf_jval **v, const struct rf_jpath *at,
                                 const char *field, struct rf_err *err)
{
    const struct rf_jpath here = { .up = at, .field = field };
    rf_null_is_absent(v);
    if (!*v || (*v)->type == RF_JNUMBER)
        return RF_OK;
    return rf_fail_at(err, RF_EFORMAT, &here, "expected a number, found %s",
                      rf_jtype_name((*v)->type));
}

/* An array that holds the one string `v`. */
static const struct rf_jval *array_of(const struct rf_jval *v, struct rf_arena *a)
{
    const struct rf_jval *array;
    struct rf_err err;
    if (rf_jval_parse(rf_strf(a, "[\"%.*s\"]", RF_FMT(v->raw)), a, &array, &err))
        RF_BUG("a string that was read cannot be read again");
    return array;
}

static enum rf_code check_strings(const struct rf_jval *list, const struct rf_jpath *at,
                                  struct rf_err *err)
{
    struct rf_jpath item = { .up = at };
    const struct rf_jval *v = rf_jval_first(list);
    for (; v; v = rf_jval_next(list, v), item.index++)
        if (v->type != RF_JSTRING)
            return rf_fail_at(err, RF_EFORMAT, &item, "expected a string, found %s",
                              rf_jtype_name(v->type));
    return RF_OK;
}

static enum rf_code read_stop(struct rf_options *o, const struct rf_jpath *at, struct rf_arena *a,
                              struct rf_err *err)
{
    const struct rf_jpath here = { .up = at, .field = "stop" };
    rf_null_is_absent(&o->stop);
    if (!o->stop)
        return RF_OK;
    if (o->stop->type == RF_JSTRING) {
        o->stop = array_of(o->stop, a);
        return RF_OK;
    }
    if (o->stop->type != RF_JARRAY)
        return rf_fail_at(err, RF_EFORMAT, &here, "expected a string or an array, found %s",
                          rf_jtype_name(o->stop->type));
    return check_strings(o->stop, &here, err);
}

static enum rf_code read_thinking(struct rf_options *o, const struct rf_jpath *at,
                                  struct rf_arena *a, struct rf_err *err)
{
    const struct rf_jpath here = { .up = at, .field = "thinking" };
    const struct rf_jpath level = { .up = &here, .field = "level" };
    enum rf_code rc = rf_jval_fields(o->thinking, &here, RF_ROWS(thinking_fields), a, o, err);
    if (rc)
        return rc;
    if (o->thinking_level.n && !rf_thinking_budget(o->thinking_level))
        return rf_fail_at(err, RF_EFORMAT, &level, "expected low, medium or high");
    if (o->thinking_off && (o->thinking_level.n || o->thinking_budget))
        return rf_fail_at(err, RF_EFORMAT, &here, "it is off, and has a level or a budget");
    return RF_OK;
}

enum rf_code rf_options_read(const struct rf_jval *v, const struct rf_jpath *at, struct rf_arena *a,
                             struct rf_options *out, struct rf_err *err)
{
    const struct rf_jpath allowed = { .up = at, .field = "allowed_tools" };
    struct rf_options o = { .extra = v };
    enum rf_code rc = rf_jval_fields(v, at, RF_ROWS(option_fields), a, &o, err);
    if (!rc)
        rc = check_max_tokens(&o, at, err);
    if (!rc)
        rc = check_number(&o.temperature, at, "temperature", err);
    if (!rc)
        rc = check_number(&o.top_p, at, "top_p", err);
    if (!rc)
        rc = read_stop(&o, at, a, err);
    if (!rc && o.allowed_tools)
        rc = check_strings(o.allowed_tools, &allowed, err);
    if (!rc && o.thinking)
        rc = read_thinking(&o, at, a, err);
    if (!rc)
        *out = o;
    return rc;
}

bool rf_options_thinking_given(const struct rf_options *o)
{
    return o->thinking || o->thinking_off || o->thinking_level.n || o->thinking_budget;
}

bool rf_options_given(const struct rf_options *o)
{
    return o->extra || o->max_tokens || o->temperature || o->top_p || o->stop ||
           rf_options_thinking_given(o) || o->schema || o->json || o->stream || o->single_call ||
           o->allowed_tools;
}

static const struct rf_jval *stop_as_read(const struct rf_options *o)
{
    const struct rf_jval *was = rf_jval_get(o->extra, "stop");
    bool same = was && was->type == RF_JSTRING && o->stop && o->stop->count == 1 &&
                rf_str_eq(rf_jval_first(o->stop)->raw, was->raw);
    return same ? was : o->stop;
}

void rf_options_write(const struct rf_options *o, const char *key, struct rf_json *w)
{
    struct rf_options shape = *o;
    bool thinks = rf_options_thinking_given(o);
    shape.stop = stop_as_read(o);
    shape.thinking = thinks ? &rf_by_hand : NULL;
    rf_json_obj(w, key);
    rf_fields_write(w, RF_ROWS(option_fields), &shape, o->extra);
    if (thinks) {
        rf_json_obj(w, "thinking");
        rf_fields_write(w, RF_ROWS(thinking_fields), o, o->thinking);
        rf_fields_rest(w, RF_ROWS(thinking_fields), o->thinking);
        rf_json_end(w);
    }
    rf_fields_rest(w, RF_ROWS(option_fields), o->extra);
    rf_json_end(w);
}

/* What can be set, and where the struct has it: what is said of thinking stands together. */
static const struct setting {
    const char *name, *takes;
    size_t at, size;
} settings[] = {
    { "thinking", "\"off\", \"low\", \"medium\", \"high\" or a number of tokens", AT(thinking),
      AT(schema) - AT(thinking) },
    { "temperature", "a number from 0 to 2", AT(temperature), sizeof(void *) },
    { "top_p", "a number from 0 to 1", AT(top_p), sizeof(void *) },
    { "max_tokens", "a whole number above 0", AT(max_tokens), sizeof(int64_t) },
    { "stop", "a list of strings", AT(stop), sizeof(void *) },
    { "schema", "a JSON Schema, which is an object", AT(schema), sizeof(void *) },
};

static enum rf_code check_range(const struct rf_jval *number, const char *name, double most,
                                struct rf_err *err)
{
    double n = 0;
    rf_jval_double(number, &n);
    if (n >= 0 && n <= most)
        return RF_OK;
    return rf_fail(err, RF_EUSAGE, "%s: expected a number from 0 to %g", name, most);
}

/* "off", "low" and 2048 are {"off": true}, {"level": "low"} and {"budget_tokens": 2048}. */
static const struct rf_jval *whole_thinking(const struct rf_jval *v, struct rf_arena *a)
{
    struct rf_str off = RF_STR("{\"off\":true}"), text = off;
    if (v->type == RF_JNUMBER)
        text = rf_strf(a, "{\"budget_tokens\":%.*s}", RF_FMT(v->raw));
    else if (v->type != RF_JSTRING)
        return v;
    else if (!rf_jval_is(v, "off"))
        text = rf_strf(a, "{\"level\":\"%.*s\"}", RF_FMT(v->raw));
    if (rf_jval_parse(text, a, &v, NULL))
        RF_BUG("a value that was read cannot be read again");
    return v;
}

/* A word that is no JSON has no line and column that anybody would look for. */
static enum rf_code parse_value(const struct setting *s, struct rf_str value, struct rf_arena *a,
                                const struct rf_jval **out, struct rf_err *err)
{
    enum rf_code rc = rf_jval_parse(rf_str_dup(a, value), a, out, err);
    bool word = rf_is_alnum(value.p[0]) || strchr("+-.", value.p[0]);
    return rc && word ? rf_fail(err, rc, "%s: expected %s", s->name, s->takes) : rc;
}

static enum rf_code read_one(const struct setting *s, struct rf_str value, struct rf_arena *a,
                             struct rf_options *out, struct rf_err *err)
{
    struct rf_jmember member = { .name = s->name };
    struct rf_options one = { 0 };
    enum rf_code rc = RF_OK;
    if (value.n) {
        rc = parse_value(s, value, a, &member.value, err);
        if (!rc && strcmp(s->name, "thinking") == 0)
            member.value = whole_thinking(member.value, a);
        if (!rc)
            rc = rf_options_read(rf_jval_object(&member, 1, a), NULL, a, &one, err);
    }
    if (!rc)
        rc = check_range(one.temperature, "temperature", 2, err);
    if (!rc)
        rc = check_range(one.top_p, "top_p", 1, err);
    if (!rc)
        *out = one;
    return rc;
}

static const struct setting *find_setting(const char *name, struct rf_err *err)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    rf_fail(err, RF_EUSAGE, "there is no option \"%s\"", name);
    rf_hint(err, "There are thinking, temperature, top_p, max_tokens, stop and schema.");
    return NULL;
}

enum rf_code rf_options_set(struct rf_options *o, const char *name, struct rf_str value,
                            struct rf_arena *a, struct rf_err *err)
{
    const struct setting *s = find_setting(name, err);
    struct rf_options one;
    struct rf_err why;
    if (!s)
        return RF_EUSAGE;
    if (!read_one(s, value, a, &one, &why)) {
        memcpy((char *)o + s->at, (const char *)&one + s->at, s->size);
        return RF_OK;
    }
    bool named = strncmp(why.msg, name, strlen(name)) == 0;
    rf_fail(err, RF_EUSAGE, "%s%s%s", named ? "" : name, named ? "" : ": ", why.msg);
    if (!strstr(why.msg, s->takes))
        rf_hint(err, "It takes %s.", s->takes);
    return RF_EUSAGE;
}

enum rf_code rf_conversation_option(struct rf_conversation *c, const char *name,
                                    struct rf_str value, struct rf_err *err)
{
    if (!c)
        return rf_fail(err, RF_EUSAGE, "there is no conversation");
    return rf_options_set(&c->options, name, value, c->arena, err);
}

void rf_options_lay_over(struct rf_options *under, const struct rf_options *over)
{
    if (over->max_tokens)
        under->max_tokens = over->max_tokens;
    if (over->temperature)
        under->temperature = over->temperature;
    if (over->top_p)
        under->top_p = over->top_p;
    if (over->stop)
        under->stop = over->stop;
    if (over->schema)
        under->schema = over->schema;
    if (!rf_options_thinking_given(over))
        return;
    under->thinking = over->thinking;
    under->thinking_off = over->thinking_off;
    under->thinking_level = over->thinking_level;
    under->thinking_budget = over->thinking_budget;
}

struct rf_options rf_options_copy(const struct rf_options *o, struct rf_arena *a)
{
    static const size_t strings[] = { AT(thinking_level) };
    static const size_t values[] = { AT(temperature), AT(top_p),         AT(stop), AT(thinking),
                                     AT(schema),      AT(allowed_tools), AT(extra) };
    struct rf_options copy = *o;
    rf_fields_own(RF_ROWS(strings), RF_ROWS(values), a, &copy);
    return copy;
}
