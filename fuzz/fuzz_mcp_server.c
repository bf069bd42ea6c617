/* What a client may send to the MCP server, a message a line: every request is answered at most once
 * and by one line, nothing but requests is answered, and nothing is left behind. The peer is held, so
 * no tool runs: what takes time stays in the queue, where it can be cancelled. */
#include "mcp/server/server.h"

#include "base/arena.h"
#include "base/loop.h"

#include <refract/mcp.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    size_t answers;
};

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void look_at(void *seen, void *channel, struct rf_str message, bool last)
{
    struct seen *s = seen;
    struct rf_arena *a = rf_arena_new();
    struct rf_rpc m;
    (void)channel;
    s->answers += last;
    expect(message.n || last);
    if (message.n) {
        expect(!memchr(message.p, '\n', message.n));
        expect(!rf_rpc_read(message, a, &m, NULL));
        expect(last == (m.kind == RF_RPC_RESULT || m.kind == RF_RPC_ERROR));
    }
    rf_arena_free(a);
}

/* One for all inputs; each has a peer of its own. */
static struct rf_mcp_server *server_of(struct rf_loop *loop)
{
    static const struct rf_mcp_tool tool = { "t", "t", "t", "{}", NULL, NULL, NULL };
    static const struct rf_mcp_prompt prompt = { "p", "p", "p", NULL, NULL, NULL };
    static const struct rf_mcp_resource resource = { "test://{x}/y", "r", "", "", "", NULL, NULL };
    static const struct rf_mcp_offer offer = { &tool, 1, &prompt, 1, &resource, 1, &resource, 1 };
    struct rf_mcp_options *o = rf_mcp_options_new();
    struct rf_mcp_server *s = NULL;
    rf_mcp_options_root(o, ".");
    expect(rf_loop_init(loop) && !rf_mcp_server_new(o, &s, NULL) &&
           !rf_mcp_server_attach(s, loop, NULL));
    rf_mcp_server_offer(s, &offer);
    rf_mcp_options_free(o);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rf_mcp_peer_calls calls = { look_at };
    static struct rf_loop loop;
    static struct rf_mcp_server *server;
    struct rf_str rest = { (const char *)data, size }, line;
    struct seen seen = { 0 };
    size_t lines = 0;
    if (!server)
        server = server_of(&loop);
    struct rf_mcp_peer *peer = rf_mcp_peer_new(server, &calls, &seen);
    rf_mcp_peer_hold(peer);
    for (; lines < 100 && rf_str_split(&rest, '\n', &line); lines++)
        rf_mcp_peer_take(peer, line, &loop);
    rf_mcp_server_list_changed(server, RF_MCP_LIST_TOOLS);
    rf_loop_step(&loop);
    expect(seen.answers <= lines);
    if (size % 2)
        rf_mcp_peer_close(peer);
    else
        rf_mcp_peer_drop(peer, &loop);
    expect(seen.answers <= lines);
    rf_mcp_peer_free(peer);
    return 0;
}
