/* How answers are asked for: the options of a conversation, one at a time, over those of the
 * session. They hold for the agent's questions and are not kept. */
#include "agent/agent.h"

#include "base/arena.h"
#include "content/options.h"

static const struct {
    const char *name, *takes;
} options[RF_AGENT_OPTIONS] = {
    { "thinking", "{\"off\": true}, {\"level\": \"low\"} or {\"budget_tokens\": 2048}" },
    { "temperature", "a number from 0 to 2" },
    { "top_p", "a number from 0 to 1" },
    { "max_tokens", "a whole number above 0" },
    { "stop", "a list of strings" },
    { "schema", "a JSON Schema, which is an object" },
};

static bool is_within(const struct rf_jval *number, double most)
{
    double n = 0;
    rf_jval_double(number, &n);
    return n >= 0 && n <= most;
}

static enum rf_code check_ranges(const struct rf_options *o, struct rf_err *err)
{
    if (!is_within(o->temperature, 2))
        return rf_fail(err, RF_EUSAGE, "temperature: expected a number from 0 to 2");
    if (!is_within(o->top_p, 1))
        return rf_fail(err, RF_EUSAGE, "top_p: expected a number from 0 to 1");
    return RF_OK;
}

/* What the members say together. */
static enum rf_code read_all(const struct rf_jmember *members, struct rf_arena *a,
                             struct rf_options *out, struct rf_err *err)
{
    const struct rf_jval *object = rf_jval_object(members, RF_AGENT_OPTIONS, a);
    *out = (struct rf_options){ 0 };
    enum rf_code rc = object ? rf_options_read(object, NULL, a, out, err) : RF_OK;
    return rc ? rc : check_ranges(out, err);
}

static enum rf_code fail_unknown(const char *name, struct rf_err *err)
{
    rf_fail(err, RF_EUSAGE, "there is no option \"%s\"", name);
    rf_hint(err, "There are thinking, temperature, top_p, max_tokens, stop and schema.");
    return RF_EUSAGE;
}

enum rf_code rf_agent_option(struct rf_agent *a, const char *name, struct rf_str value,
                             struct rf_err *err)
{
    struct rf_jmember members[RF_AGENT_OPTIONS];
    struct rf_options all;
    struct rf_err why;
    size_t i = 0;
    while (i < RF_AGENT_OPTIONS && strcmp(options[i].name, name) != 0)
        i++;
    if (i == RF_AGENT_OPTIONS)
        return fail_unknown(name, err);
    memcpy(members, a->asking.members, sizeof members);
    members[i] = (struct rf_jmember){ .name = options[i].name };
    if ((value.n &&
         rf_jval_parse(rf_str_dup(a->arena, value), a->arena, &members[i].value, &why)) ||
        read_all(members, a->arena, &all, &why)) {
        bool named = strncmp(why.msg, name, strlen(name)) == 0;
        rf_fail(err, RF_EUSAGE, "%s%s%s", named ? "" : name, named ? "" : ": ", why.msg);
        rf_hint(err, "It takes %s.", options[i].takes);
        return RF_EUSAGE;
    }
    memcpy(a->asking.members, members, sizeof members);
    a->asking.options = all;
    return RF_OK;
}
