/* Our client against a server of others: calls the tools that standard input names, and writes what arrived as lines of
 * JSON, as the agent would have it.
 *
 *     call_tools URL                        over HTTP
 *     call_tools COMMAND ARGUMENT…          over stdio
 *
 * A line of input is the name of a tool and its arguments: "add {"a":1}". The first line of output lists the tools, each
 * further one is the neutral result of a call, or what went wrong. "resource URI" reads one instead. */
#include "content/message.h"
#include "mcp/client/client.h"
#include "mcp/result.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_LINE ((size_t)64 << 20)

struct caller {
    struct rf_arena *arena;
    struct rf_mcp_clients *hub;
    struct rf_rope rope;
    struct rf_json w;
    unsigned steps; /* of progress */
};

static void begin(struct caller *c)
{
    rf_rope_init(&c->rope, c->arena);
    rf_json_init(&c->w, &c->rope);
    rf_json_obj(&c->w, NULL);
}

static void end(struct caller *c)
{
    struct rf_str line;
    rf_json_end(&c->w);
    if (!rf_json_finish(&c->w, NULL) && !rf_rope_flatten(&c->rope, MAX_LINE, c->arena, &line, NULL))
        printf("%.*s\n", RF_FMT(line));
    fflush(stdout);
}

static void tell(struct caller *c, const struct rf_err *err)
{
    rf_json_str(&c->w, "failure", rf_str(err->msg));
}

static void on_progress(void *ctx, double progress, double total, struct rf_str message)
{
    (void)progress, (void)total, (void)message;
    ((struct caller *)ctx)->steps++;
}

static void list_tools(struct caller *c)
{
    struct rf_mcp_tools tools;
    struct rf_err err;
    begin(c);
    if (rf_mcp_tools(c->hub, 0, -1, c->arena, &tools, &err)) {
        tell(c, &err);
    } else {
        rf_json_arr(&c->w, "tools");
        for (size_t i = 0; i < tools.count; i++)
            rf_json_str(&c->w, NULL, tools.list[i].name);
        rf_json_end(&c->w);
        rf_json_arr(&c->w, "problems");
        for (size_t i = 0; i < tools.problem_count; i++)
            rf_json_str(&c->w, NULL, tools.problems[i]);
        rf_json_end(&c->w);
    }
    end(c);
}

static void call_tool(struct caller *c, struct rf_str name, struct rf_str arguments)
{
    struct rf_message m = { .role = RF_ROLE_TOOL, .tool_call_id = RF_STR("call"), .name = name };
    struct rf_mcp_call call = { .tool = name, .stop_fd = -1, .progress = on_progress, .ctx = c };
    const struct rf_jval *result;
    struct rf_err err;
    c->steps = 0;
    begin(c);
    if (arguments.n && rf_jval_parse(arguments, c->arena, &call.arguments, &err)) {
        tell(c, &err);
    } else if (rf_mcp_call(c->hub, &call, c->arena, &result, &err)) {
        tell(c, &err);
    } else {
        rf_mcp_result_read(result, NULL, c->arena, &m);
        rf_json_arr(&c->w, "result");
        rf_message_write(&m, &c->w);
        rf_json_end(&c->w);
        rf_json_int(&c->w, "progress", c->steps);
    }
    end(c);
}

static void read_resource(struct caller *c, struct rf_str uri)
{
    const struct rf_jval *result;
    struct rf_err err;
    begin(c);
    if (rf_mcp_read_resource(c->hub, 0, uri, -1, NULL, c->arena, &result, &err))
        tell(c, &err);
    else
        rf_json_value(&c->w, "resource", result);
    end(c);
}

int main(int argc, char **argv)
{
    struct caller c = { .arena = rf_arena_new() };
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    bool web = argc == 2 && rf_str_starts(rf_str(argv[1]), "http://");
    const struct rf_mcp_reach reach = {
        .name = RF_STR("other"),
        .argv = web || argc < 2 ? NULL : (const char *const *)argv + 1,
        .url = web ? argv[1] : NULL,
    };
    const struct rf_mcp_clients_options options = { 0 };
    c.hub = rf_mcp_clients_new(&reach, 1, &options);
    list_tools(&c);
    while ((n = getline(&line, &room, stdin)) > 0) {
        struct rf_str rest = rf_str_trim((struct rf_str){ line, (size_t)n }), name;
        if (!rf_str_split(&rest, ' ', &name))
            continue;
        if (rf_str_is(name, "resource"))
            read_resource(&c, rest);
        else
            call_tool(&c, name, rest);
    }
    free(line);
    rf_mcp_clients_free(c.hub);
    rf_arena_free(c.arena);
    return 0;
}
