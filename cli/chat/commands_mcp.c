/* /mcp: the MCP servers, started where they are not, and how they are. */
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "mcp_client.h"
#include "report.h"
#include "term/buffer.h"

static void add_row(void *ctx, struct rf_str line)
{
    rf_buffer_str(ctx, line);
    rf_buffer_text(ctx, "\n");
}

static void look(struct rf_chat *c, void *ctx)
{
    rf_agent_servers_start(c->agent);
    rf_mcp_lines(c->agent, add_row, ctx);
}

static void tell(struct rf_chat *c, void *ctx)
{
    struct rf_buffer *rows = ctx;
    struct rf_str rest = rf_buffer_view(rows);
    while (rest.n) {
        size_t n = (size_t)((const char *)memchr(rest.p, '\n', rest.n) - rest.p);
        rf_chat_say(c, rest.p[0] == 'x' ? RF_STYLE_WARN : RF_STYLE_DIM, "%.*s", (int)n, rest.p);
        rest = (struct rf_str){ rest.p + n + 1, rest.n - n - 1 };
    }
    rf_buffer_release(rows);
}

void rf_chat_run_mcp(struct rf_chat *c, struct rf_str argument)
{
    (void)argument;
    if (!rf_agent_server_count(c->agent)) {
        rf_chat_say(c, RF_STYLE_DIM,
                    "no MCP servers are configured: see mcp_servers in refract-config(5)");
        return;
    }
    struct rf_buffer *rows = calloc(1, sizeof *rows);
    if (!rows)
        abort();
    rf_chat_work_of_agent(c, "starting the MCP servers", look, tell, rows);
}
