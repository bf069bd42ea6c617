/* Our client under the official conformance suite, which starts this with the address of a server as its last
 * argument, the name of a scenario in MCP_CONFORMANCE_SCENARIO, and what belongs to it in MCP_CONFORMANCE_CONTEXT. Forms
 * are accepted as they are, and a login is fetched as a browser would, so that no person is needed. */
#include "mcp/client/client.h"

#include "base/arena.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct client {
    struct rf_arena *arena;
    struct rf_mcp_clients *hub;
    const struct rf_jval *context; /* or NULL */
    struct rf_mcp_tools tools;
};

static int fail(const char *what, const struct rf_err *err)
{
    fprintf(stderr, "%s: %s\n%s\n", what, err->msg, err->hint);
    return 1;
}

/* The person. */

static void *browse(void *ctx)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_net *net = rf_net_new();
    struct rf_err err;
    const char *url = ctx;
    for (int i = 0; i < 5 && *url; i++) {
        const struct rf_net_call call = { .url = url, .cancel_fd = -1, .total_ms = 10000 };
        struct rf_net_reply reply;
        if (rf_net_call(net, &call, a, &reply, &err))
            break;
        url = rf_cstr(a, reply.redirect);
    }
    rf_net_free(net);
    rf_arena_free(a);
    free(ctx);
    return NULL;
}

static enum rf_code open_page(struct rf_str url, struct rf_err *err)
{
    pthread_t thread;
    char *own = strndup(url.p, url.n);
    if (!own || pthread_create(&thread, NULL, browse, own))
        return rf_fail(err, RF_EINTERNAL, "no thread");
    pthread_detach(thread);
    return RF_OK;
}

static enum rf_code ask_person(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                               struct rf_str *result, struct rf_err *err)
{
    (void)ctx;
    if (q->kind == RF_MCP_ASKS_VISIT) {
        const struct rf_jval *url = rf_jval_get(q->params, "url");
        *result = RF_STR("{\"action\":\"accept\"}");
        return open_page(url ? rf_jval_text(url, a) : RF_STR(""), err);
    }
    /* What is asked for without a default is a "confirmed"; the hub adds the defaults. */
    const struct rf_jval *fields =
        rf_jval_get(rf_jval_get(q->params, "requestedSchema"), "properties");
    *result = rf_jval_get(fields, "confirmed")
                  ? RF_STR("{\"action\":\"accept\",\"content\":{\"confirmed\":true}}")
                  : RF_STR("{\"action\":\"accept\",\"content\":{}}");
    return RF_OK;
}

static enum rf_code ask_model(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                              struct rf_str *result, struct rf_err *err)
{
    (void)ctx, (void)q, (void)a, (void)err;
    *result = RF_STR("{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"yes\"},"
                     "\"model\":\"none\",\"stopReason\":\"endTurn\"}");
    return RF_OK;
}

/* Calls. */

static int call_tool(struct client *c, struct rf_str name, const struct rf_jval *arguments)
{
    const struct rf_mcp_call call = { .tool = name, .arguments = arguments, .stop_fd = -1 };
    const struct rf_jval *result;
    struct rf_err err;
    return rf_mcp_call(c->hub, &call, c->arena, &result, &err) ? fail("call", &err) : 0;
}

static const struct rf_jval *json(struct client *c, const char *text)
{
    const struct rf_jval *v;
    return rf_jval_parse(rf_str(text), c->arena, &v, NULL) ? NULL : v;
}

/* All that there are, in their order. */
static int call_all(struct client *c, const char *arguments)
{
    int status = 0;
    for (size_t i = 0; i < c->tools.count; i++)
        status |= call_tool(c, c->tools.list[i].name, json(c, arguments));
    return status;
}

static int add_numbers(struct client *c)
{
    return call_tool(c, RF_STR("add_numbers"), json(c, "{\"a\":5,\"b\":3}"));
}

static int call_with_nothing(struct client *c)
{
    return call_all(c, "{}");
}

static int call_with_region(struct client *c)
{
    return call_all(c, "{\"region\":\"us-east1\"}");
}

static int call_as_told(struct client *c)
{
    const struct rf_jval *calls = rf_jval_get(c->context, "toolCalls");
    int status = !calls;
    for (const struct rf_jval *v = rf_jval_first(calls); v; v = rf_jval_next(calls, v))
        status |= call_tool(c, rf_jval_text(rf_jval_get(v, "name"), c->arena),
                            rf_jval_get(v, "arguments"));
    return status;
}

static int use_everything(struct client *c)
{
    const struct rf_jval *list, *result;
    struct rf_err err;
    int status = call_with_nothing(c);
    if (rf_mcp_resources(c->hub, 0, -1, c->arena, &list, &err))
        return fail("resources", &err);
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        if (rf_mcp_read_resource(c->hub, 0, rf_jval_text(rf_jval_get(v, "uri"), c->arena), -1, NULL,
                                 c->arena, &result, &err))
            status = fail("resource", &err);
    if (rf_mcp_prompts(c->hub, 0, -1, c->arena, &list, &err))
        return fail("prompts", &err);
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        if (rf_mcp_prompt(c->hub, 0, rf_jval_text(rf_jval_get(v, "name"), c->arena), NULL, -1,
                          c->arena, &result, &err))
            status = fail("prompt", &err);
    return status;
}

/* What is done after the tools were listed; nothing in a scenario that is not here. */
static const struct {
    const char *scenario;
    int (*run)(struct client *c);
} scenarios[] = {
    { "tools_call", add_numbers },
    { "elicitation-sep1034-client-defaults", call_with_nothing },
    { "sse-retry", call_with_nothing },
    { "sep-2322-client-request-state", call_with_nothing },
    { "http-standard-headers", use_everything },
    { "http-custom-headers", call_as_told },
    { "http-invalid-tool-headers", call_with_region },
    { "auth/*", call_with_nothing },
};

static int run(struct client *c, struct rf_str scenario)
{
    struct rf_err err;
    if (rf_mcp_tools(c->hub, 0, -1, c->arena, &c->tools, &err))
        return fail("tools", &err);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (rf_glob(rf_str(scenarios[i].scenario), scenario))
            return scenarios[i].run(c);
    return 0;
}

static struct rf_str context_text(const struct client *c, const char *name)
{
    const struct rf_jval *v = rf_jval_get(c->context, name);
    return v ? rf_jval_text(v, c->arena) : (struct rf_str){ 0 };
}

int main(int argc, char **argv)
{
    struct client c = { .arena = rf_arena_new() };
    const char *context = getenv("MCP_CONFORMANCE_CONTEXT");
    c.context = context ? json(&c, context) : NULL;
    const struct rf_mcp_reach reach = {
        .name = RF_STR("server"),
        .url = argc > 1 ? argv[argc - 1] : "",
        .client_id = context_text(&c, "client_id"),
        .client_secret = context_text(&c, "client_secret"),
        .client_document = RF_STR("https://conformance-test.local/client-metadata.json"),
        .forgets_login = true,
    };
    const struct rf_mcp_clients_options options = { .ask_model = ask_model,
                                                    .ask_person = ask_person };
    c.hub = rf_mcp_clients_new(&reach, 1, &options);
    int status = run(&c, rf_str(getenv("MCP_CONFORMANCE_SCENARIO")));
    rf_mcp_clients_free(c.hub);
    rf_arena_free(c.arena);
    return status;
}
