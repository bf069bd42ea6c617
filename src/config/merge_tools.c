/* What the configuration says of tools that are commands:
 *
 *     tools:
 *       weather:
 *         command: [weather, --json]     # or one line for the shell
 *         description: The weather at a place
 *         input_schema: {type: object, properties: {place: {type: string}}, required: [place]}
 *         read_only: true                # it changes nothing, and runs unasked
 *         timeout_s: 30
 *         allow: true                    # it runs unasked, whatever it does
 *         env: [WEATHER_KEY]             # variables that it gets beside the usual
 *
 * A project's file may name tools of its own, of which each run is asked about; it cannot say that
 * one runs unasked or gets more of the environment, nor change one of the user's. */
#include "config/merge.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "config/names.h"

#include <refract/tools.h>

#define MOST_ARGUMENTS 64
#define MOST_VARIABLES 64
#define MOST_NAME 64
#define MOST_TIMEOUT_S 86400

static void problem(struct rf_merge *r, size_t line, const char *what, const char *hint)
{
    struct rf_err e;
    rf_merge_problem(&e, r, line, "tool \"%.*s\": %s", RF_FMT(r->tool->name), what);
    rf_hint(&e, "%s", hint);
    rf_problem_add(r->problems, &e);
}

static void read_command(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_config_tool *t = r->tool;
    if (v->kind == RF_YAML_TEXT && v->text.n) {
        t->shell = v->text;
        t->argument_count = 0;
        return;
    }
    if (v->kind != RF_YAML_LIST || !v->count || v->count > MOST_ARGUMENTS) {
        problem(r, v->line, "\"command\" is not a command",
                "Write a program and its arguments as a list, or one line for the shell.");
        return;
    }
    t->shell = RF_STR("");
    t->argument_count = 0;
    for (size_t i = 0; i < v->count; i++)
        if (rf_merge_is_kind(r, &v->items[i], RF_YAML_TEXT, "\"command\""))
            *RF_PUSH(r->c->arena, t->arguments, t->argument_count, t->argument_cap) =
                v->items[i].text;
}

static void read_description(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"description\""))
        r->tool->description = v->text;
}

/* A map, or JSON in a text. */
static void read_schema(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_arena *a = r->c->arena;
    const struct rf_jval *root;
    struct rf_str json = v->text;
    if (v->kind == RF_YAML_MAP)
        json = rf_yaml_json(v, a);
    if (!json.n || rf_jval_parse(json, a, &root, NULL) || root->type != RF_JOBJECT) {
        problem(r, v->line, "\"input_schema\" is not an object",
                "Write a JSON schema, such as {type: object, properties: {name: {type: string}}}.");
        return;
    }
    r->tool->schema = rf_jval_compact(root, a);
}

static void read_read_only(struct rf_merge *r, const struct rf_yaml *v)
{
    bool yes;
    if (rf_merge_switch(r, v, "\"read_only\"", &yes))
        r->tool->read_only = yes;
}

static void read_allow(struct rf_merge *r, const struct rf_yaml *v)
{
    bool yes;
    if (rf_merge_switch(r, v, "\"allow\"", &yes))
        r->tool->allow = yes;
}

static void read_env(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_config_tool *t = r->tool;
    if (v->kind != RF_YAML_LIST || v->count > MOST_VARIABLES) {
        problem(r, v->line, "\"env\" is not a list of variables",
                "Write the names of the variables that it gets, as in env: [DB_HOST, DB_PASS].");
        return;
    }
    t->variable_count = 0;
    for (size_t i = 0; i < v->count; i++)
        if (rf_merge_is_kind(r, &v->items[i], RF_YAML_TEXT, "\"env\""))
            *RF_PUSH(r->c->arena, t->variables, t->variable_count, t->variable_cap) =
                v->items[i].text;
}

static void read_timeout(struct rf_merge *r, const struct rf_yaml *v)
{
    int64_t seconds;
    if (v->kind != RF_YAML_TEXT || !rf_str_int64(v->text, &seconds) || seconds < 1 ||
        seconds > MOST_TIMEOUT_S)
        problem(r, v->line, "\"timeout_s\" is not a number of seconds from 1 to 86400",
                "Leave it out for two minutes.");
    else
        r->tool->timeout_s = seconds;
}

static const struct rf_merge_key keys[] = {
    { "command", read_command },
    { "description", read_description },
    { "input_schema", read_schema },
    { "read_only", read_read_only },
    { "timeout_s", read_timeout },
    { "allow", read_allow },
    { "env", read_env },
};

/* Letters, digits, '_', '-' and '.', as most endpoints take them. */
static bool is_name(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || !(rf_is_digit(c) || c == '-' || c == '.')))
            return false;
    }
    return s.n > 0 && s.n <= MOST_NAME;
}

static bool is_builtin(struct rf_str name)
{
    for (size_t i = 0; i < rf_tools_count(); i++)
        if (rf_str_is(name, rf_tools_name(i)))
            return true;
    return false;
}

const struct rf_config_tool *rf_config_tool(const struct rf_config *c, struct rf_str name)
{
    for (size_t i = 0; c && i < c->tool_count; i++)
        if (rf_str_eq(c->tools[i].name, name))
            return &c->tools[i];
    return NULL;
}

/* The entry to be read into, or NULL where there must be none. */
static struct rf_config_tool *tool_of(struct rf_merge *r, const struct rf_yaml *key)
{
    struct rf_config *c = r->c;
    const struct rf_config_tool *found = rf_config_tool(c, key->text);
    struct rf_err e;
    if (!is_name(key->text) || is_builtin(key->text)) {
        rf_merge_problem(&e, r, key->line, "\"%.*s\" cannot be the name of a tool",
                         RF_FMT(key->text));
        rf_hint(&e,
                "Names have letters, digits, \"_\", \"-\" and \".\", begin with a letter, and are "
                "not those of the tools that are built in.");
        rf_problem_add(r->problems, &e);
        return NULL;
    }
    if (!rf_merge_may_name(r, "tools", key, found))
        return NULL;
    if (found)
        return &c->tools[found - c->tools];
    struct rf_config_tool *t = RF_PUSH(c->arena, c->tools, c->tool_count, c->tool_cap);
    *t = (struct rf_config_tool){ .name = key->text };
    return t;
}

void rf_merge_tools(struct rf_merge *r, const struct rf_yaml *map)
{
    if (!rf_merge_is_map(r, map, "\"tools\""))
        return;
    for (size_t i = 0; i < map->count; i += 2) {
        const struct rf_yaml *key = &map->items[i];
        const char *what = rf_strf(r->c->arena, "tool \"%.*s\"", RF_FMT(key->text)).p;
        if (!rf_merge_is_kind(r, key + 1, RF_YAML_MAP, what))
            continue;
        r->tool = tool_of(r, key);
        if (!r->tool)
            continue;
        r->entry = key->text;
        r->tool->place = (struct rf_place){ r->file, key->line };
        size_t problems = r->problems->count;
        rf_merge_keys(r, key + 1, "tools.*", keys, sizeof keys / sizeof *keys);
        if (r->problems->count == problems && !r->tool->shell.n && !r->tool->argument_count)
            problem(r, key->line, "there is no \"command\"", "Say which program is run.");
    }
}
