/* /mcp: the MCP servers, started where they are not, and how they are, a line each; with a name all
 * of one. */
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "mcp_client.h"
#include "report.h"
#include "term/buffer.h"
#include "text.h"

struct looking {
    struct rf_buffer rows;
    char *name; /* of the one that is wanted; empty: all */
};

static void add_row(void *ctx, struct rf_str line)
{
    rf_buffer_str(ctx, line);
    rf_buffer_text(ctx, "\n");
}

static void look(struct rf_chat *c, void *ctx)
{
    struct looking *l = ctx;
    struct rf_err err;
    rf_agent_servers_start(c->agent);
    if (!*l->name)
        rf_mcp_heads(c->agent, add_row, &l->rows);
    else if (!rf_mcp_details(c->agent, rf_text(l->name), add_row, &l->rows)) {
        rf_mcp_fail_missing(c->config, c->agent, l->name, &err);
        rf_buffer_print(&l->rows, "x %s\n", err.msg);
        rf_buffer_print(&l->rows, "    %s\n", err.hint);
    }
}

static void tell(struct rf_chat *c, void *ctx)
{
    struct looking *l = ctx;
    struct rf_str rest = rf_buffer_view(&l->rows);
    while (rest.n) {
        size_t n = (size_t)((const char *)memchr(rest.p, '\n', rest.n) - rest.p);
        rf_chat_say(c, rest.p[0] == 'x' ? RF_STYLE_WARN : RF_STYLE_DIM, "%.*s", (int)n, rest.p);
        rest = (struct rf_str){ rest.p + n + 1, rest.n - n - 1 };
    }
    if (!*l->name)
        rf_chat_say(c, RF_STYLE_DIM, "(/mcp NAME shows the tools of one)");
    rf_buffer_release(&l->rows);
    free(l->name);
}

void rf_chat_run_mcp(struct rf_chat *c, struct rf_str argument)
{
    if (!rf_agent_server_count(c->agent)) {
        rf_chat_say(c, RF_STYLE_DIM,
                    "no MCP servers are configured: see mcp_servers in refract-config(5)");
        return;
    }
    struct looking *l = calloc(1, sizeof *l);
    if (!l)
        abort();
    l->name = rf_text_copy(argument);
    rf_chat_work_of_agent(c, "starting the MCP servers", look, tell, l);
}
