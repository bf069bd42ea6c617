/* What a program may ask of the MCP servers of an agent, and calling a tool without a model. */
#include "agent/agent.h"
#include "agent/tools/servers.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "content/message.h"
#include "content/result.h"
#include "source/asset.h"

static const struct rf_config *config_of(const struct rf_agent *a)
{
    return a->workspace.config;
}

size_t rf_agent_server_count(const struct rf_agent *a)
{
    return config_of(a) ? config_of(a)->mcp_server_count : 0;
}

/* The one of that place of the configuration, where it was opened; or NULL. */
static struct rf_server *opened(const struct rf_agent *a, size_t i)
{
    struct rf_servers *s = a->tools.servers;
    for (size_t k = 0; s && k < s->count; k++)
        if (s->all[k].config == &config_of(a)->mcp_servers[i])
            return &s->all[k];
    return NULL;
}

static void add_status(const struct rf_agent *a, const struct rf_server *s,
                       struct rf_agent_server *out)
{
    static const enum rf_server_state states[] = {
        [RF_MCP_OFF] = RF_SERVER_OFF,
        [RF_MCP_STARTING] = RF_SERVER_STARTING,
        [RF_MCP_READY] = RF_SERVER_READY,
        [RF_MCP_FAILED] = RF_SERVER_FAILED,
    };
    struct rf_mcp_status status = { 0 };
    struct rf_servers *all = a->tools.servers;
    if (s->number != SIZE_MAX)
        rf_mcp_clients_status(all->hub, s->number, a->asking.arena, &status);
    out->state = s->problem.code ? RF_SERVER_FAILED
                 : !s->is_listed ? RF_SERVER_STARTING
                                 : states[status.state];
    out->why = s->problem.code ? rf_str_dup(a->asking.arena, rf_str(s->problem.msg)) : status.why;
    out->hint = rf_str_dup(a->asking.arena, rf_str(s->problem.code ? s->problem.hint : ""));
    out->version = status.version;
    out->own_name = status.server_name;
    out->own_version = status.server_version;
    out->errors = status.errors;
    out->instructions = s->instructions;
    for (size_t i = 0; i < all->tool_count; i++)
        out->tools += &all->all[all->tools[i].server] == s;
}

enum rf_code rf_agent_server(struct rf_agent *a, size_t i, struct rf_agent_server *out,
                             struct rf_err *err)
{
    if (i >= rf_agent_server_count(a))
        return rf_fail(err, RF_EUSAGE, "there is no such server");
    const struct rf_mcp_server_config *c = &config_of(a)->mcp_servers[i];
    struct rf_agent_server found = {
        .name = c->name,
        .state = c->disabled ? RF_SERVER_DISABLED : RF_SERVER_OFF,
        .reached = rf_served_reached(c, a->asking.arena),
        .file = rf_config_is_projects(config_of(a), c->place) ? rf_str(c->place.file) : RF_STR(""),
    };
    const struct rf_server *s = opened(a, i);
    if (s)
        add_status(a, s, &found);
    return rf_struct_give(&found, RF_SIZES(rf_agent_server, tools), out, err);
}

static const struct rf_served_tool *served(struct rf_agent *a, size_t i, size_t tool)
{
    const struct rf_servers *all = a->tools.servers;
    const struct rf_server *s = i < rf_agent_server_count(a) ? opened(a, i) : NULL;
    for (size_t k = 0; s && k < all->tool_count; k++)
        if (&all->all[all->tools[k].server] == s && !tool--)
            return &all->tools[k];
    return NULL;
}

bool rf_agent_server_tool(struct rf_agent *a, size_t i, size_t tool, struct rf_str *name,
                          struct rf_str *own_name)
{
    const struct rf_served_tool *t = served(a, i, tool);
    if (!t)
        return false;
    *name = t->name;
    *own_name = t->tool;
    return true;
}

bool rf_agent_server_tool_about(struct rf_agent *a, size_t i, size_t tool,
                                struct rf_str *description, struct rf_str *schema)
{
    struct rf_arena *arena = a->asking.arena;
    const struct rf_served_tool *t = served(a, i, tool);
    if (!t)
        return false;
    struct rf_str name = rf_clean_name(config_of(a)->mcp_servers[i].name, arena);
    size_t front = rf_strf(arena, RF_SERVED_FRONT, RF_FMT(name)).n;
    struct rf_str said = { t->description.p + front, t->description.n - front };
    *description = rf_str_is(said, RF_SERVED_NOTHING) ? RF_STR("") : said;
    *schema = rf_jval_compact(t->schema, arena);
    return true;
}

void rf_agent_keep_logins(struct rf_agent *a)
{
    a->tools.keeps_logins = true;
}

void rf_agent_only_server(struct rf_agent *a, struct rf_str name)
{
    a->tools.only_server = rf_str_dup(a->arena, name);
}

void rf_agent_servers_start(struct rf_agent *a)
{
    rf_servers_forgive(&a->tools);
    a->tools.servers_shown = true;
    rf_servers_look(&a->tools);
    a->tools.servers_shown = false;
}

/* Calling */

static enum rf_code run_call(struct rf_agent *a, const struct rf_agent_call *call,
                             struct rf_result **out, struct rf_err *err)
{
    if (rf_toolbox_trust(&a->tools, call->name) == RF_TOOL_UNKNOWN)
        return rf_fail(err, RF_EUSAGE, "there is no tool \"%.*s\"", RF_FMT(call->name));
    struct rf_texts permitted = a->tools.permitted;
    rf_texts_add(&a->tools.permitted, call->name, a->arena);
    struct rf_batch *b = rf_batch_run(&a->tools, a->history.session, call, 1);
    a->tools.permitted.count = permitted.count;
    struct rf_result *result = rf_result_new();
    result->message = rf_message_copy(rf_batch_results(b), result->arena);
    if (result->message.failed)
        rf_fail(&result->err, RF_EPROVIDER, "%.*s", RF_FMT(result->message.error));
    *out = result;
    rf_batch_free(b);
    return RF_OK;
}

enum rf_code rf_agent_call(struct rf_agent *a, struct rf_str tool, struct rf_str arguments,
                           struct rf_result **out, struct rf_err *err)
{
    struct rf_arena *arena = rf_arena_new();
    struct rf_agent_call call = {
        .id = RF_STR("call"),
        .name = tool,
        .text = arguments.n ? rf_str_dup(arena, arguments) : RF_STR("{}"),
    };
    struct rf_err why;
    enum rf_code rc = rf_jval_parse(call.text, arena, &call.arguments, &why);
    if (rc || call.arguments->type != RF_JOBJECT) {
        rc = rc ? rf_fail(err, RF_EUSAGE, "the arguments are not JSON: %s", why.msg)
                : rf_fail(err, RF_EUSAGE, "the arguments are not a JSON object");
        rf_hint(err, "As in '{\"path\": \"notes.txt\"}'.");
    } else {
        rf_halt_start(&a->halt);
        rc = run_call(a, &call, out, err);
        rf_halt_calm(&a->halt);
    }
    rf_arena_free(arena);
    return rc;
}
