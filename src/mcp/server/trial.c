/* One call of our tools, for whoever wants to see what a host gets: a client within this process
 * sends it, so it takes the path of every other client, and nothing is decided here. */
#include "mcp/server/inside.h"

#include "content/result.h"
#include "source/inspect.h"

#include <stdlib.h>

struct rf_mcp_trial {
    struct rf_arena *arena;
    struct rf_str message; /* that answers the call; empty: it has not come yet */
    const struct rf_jval *result;
    struct rf_request *request; /* or NULL, as what it was made of: */
    struct rf_conversation *conversation;
    struct rf_result *read;
};

void rf_mcp_trial_keep(struct rf_mcp_trial *t, struct rf_request *request,
                       struct rf_conversation *conversation, struct rf_result *read)
{
    t->request = request;
    t->conversation = conversation;
    t->read = read;
}

void rf_mcp_trial_free(struct rf_mcp_trial *t)
{
    if (!t)
        return;
    rf_request_free(t->request);
    rf_conversation_free(t->conversation);
    rf_result_free(t->read);
    rf_arena_free(t->arena);
    free(t);
}

/* The client */

/* The call comes in on a channel, "initialize" on none. */
static void hear(void *trial, void *channel, struct rf_str message, bool last)
{
    struct rf_mcp_trial *t = trial;
    if (last && channel)
        t->message = rf_str_dup(t->arena, message);
}

static enum rf_code send(struct rf_mcp_peer *p, struct rf_json *w, void *channel,
                         struct rf_err *err)
{
    struct rf_str text;
    enum rf_code rc = rf_rpc_end(w, RF_MCP_MOST_IN, &text, err);
    if (!rc)
        rf_mcp_peer_take(p, text, channel);
    return rc;
}

static const struct rf_jval the_id = { .type = RF_JNUMBER, .span = 1, .raw = RF_LIT("1") };

/* As hosts do today, with the newest revision that has it. */
static enum rf_code introduce(struct rf_mcp_trial *t, struct rf_mcp_peer *p, const char *client,
                              struct rf_err *err)
{
    struct rf_json *w = rf_rpc_writer(t->arena);
    rf_rpc_call(w, &the_id, "initialize");
    rf_json_obj(w, "params");
    rf_json_str(w, "protocolVersion", rf_str(rf_mcp_revision_newest(RF_MCP_LEGACY)->name));
    rf_json_obj(w, "capabilities");
    rf_json_end(w);
    rf_json_obj(w, "clientInfo");
    rf_json_str(w, "name", rf_str(client));
    rf_json_str(w, "version", RF_STR("1"));
    return send(p, w, NULL, err);
}

static enum rf_code call(struct rf_mcp_trial *t, struct rf_mcp_peer *p, const char *tool,
                         const struct rf_jval *arguments, struct rf_err *err)
{
    struct rf_json *w = rf_rpc_writer(t->arena);
    rf_rpc_call(w, &the_id, "tools/call");
    rf_json_obj(w, "params");
    rf_json_str(w, "name", rf_str(tool));
    rf_json_value(w, "arguments", arguments);
    return send(p, w, t, err);
}

static enum rf_code take_answer(struct rf_mcp_trial *t, struct rf_err *err)
{
    struct rf_rpc m;
    enum rf_code rc = rf_rpc_read(t->message, t->arena, &m, err);
    if (!rc && m.kind == RF_RPC_ERROR)
        rc = rf_fail_said(err, RF_EUSAGE, m.message, "the server refused: ");
    t->result = m.result;
    return rc;
}

/* On a loop of its own, until the answer is there. */
static enum rf_code converse(struct rf_mcp_trial *t, struct rf_mcp_server *s, const char *client,
                             const char *tool, const struct rf_jval *arguments, struct rf_err *err)
{
    static const struct rf_mcp_peer_calls calls = { hear };
    struct rf_loop loop;
    if (!rf_loop_init(&loop)) {
        rf_loop_release(&loop);
        return rf_fail_errno(err, "could not make a loop");
    }
    enum rf_code rc = rf_mcp_server_attach(s, &loop, err);
    if (!rc) {
        struct rf_mcp_peer *p = rf_mcp_peer_new(s, &calls, t);
        rc = introduce(t, p, client, err);
        if (!rc)
            rc = call(t, p, tool, arguments, err);
        while (!rc && !t->message.n) {
            rf_loop_wait(&loop, -1, -1);
            rf_loop_step(&loop);
        }
        rf_mcp_peer_free(p);
        rf_mcp_server_detach(s);
    }
    rf_loop_release(&loop);
    return rc;
}

enum rf_code rf_mcp_trial_new(struct rf_mcp_server *s, const char *client, const char *tool,
                              struct rf_str arguments, struct rf_mcp_trial **out,
                              struct rf_err *err)
{
    const struct rf_jval *given;
    struct rf_mcp_trial *t = calloc(1, sizeof *t);
    if (!t)
        RF_NO_MEMORY();
    t->arena = rf_arena_new();
    enum rf_code rc = rf_value_check(arguments, "arguments", t->arena, &given, err);
    if (!rc) {
        s->trial = t;
        rc = converse(t, s, client, tool, given, err);
        s->trial = NULL;
    }
    if (!rc)
        rc = take_answer(t, err);
    if (rc)
        rf_mcp_trial_free(t);
    else
        *out = t;
    return rc;
}

/* What it got */

bool rf_mcp_trial_failed(const struct rf_mcp_trial *t)
{
    return rf_jval_type(rf_jval_get(t->result, "isError")) == RF_JTRUE;
}

uint64_t rf_mcp_trial_bytes(const struct rf_mcp_trial *t)
{
    return t->result->raw.n;
}

struct rf_request *rf_mcp_trial_request(struct rf_mcp_trial *t)
{
    return t->request;
}

size_t rf_mcp_trial_count(const struct rf_mcp_trial *t)
{
    return rf_jval_count(rf_jval_get(t->result, "content"));
}

static struct rf_str member(struct rf_mcp_trial *t, const struct rf_jval *object, const char *name)
{
    const struct rf_jval *v = rf_jval_get(object, name);
    return rf_jval_type(v) == RF_JSTRING ? rf_jval_text(v, t->arena) : RF_STR("");
}

static void measure(struct rf_mcp_trial *t, struct rf_str base64, struct rf_mcp_block *b)
{
    struct rf_inspection look;
    struct rf_bytes bytes;
    if (rf_bytes_base64(base64, &bytes, NULL))
        return;
    b->bytes = (int64_t)bytes.size;
    if (rf_inspect(&bytes, t->arena, &look, NULL))
        return;
    b->width = look.facts.width;
    b->height = look.facts.height;
}

enum rf_code rf_mcp_trial_block(struct rf_mcp_trial *t, size_t i, struct rf_mcp_block *out,
                                struct rf_err *err)
{
    const struct rf_jval *v = rf_jval_at(rf_jval_get(t->result, "content"), i);
    const struct rf_jval *inner = rf_jval_get(v, "resource");
    const struct rf_jval *holder = inner ? inner : v;
    struct rf_str data = member(t, holder, inner ? "blob" : "data");
    if (!v)
        return rf_fail(err, RF_EUSAGE, "there is no such block");
    struct rf_mcp_block b = {
        .type = member(t, v, "type"),
        .media_type = member(t, holder, "mimeType"),
        .uri = member(t, holder, "uri"),
        .text = member(t, holder, "text"),
    };
    b.bytes = (int64_t)b.text.n;
    if (data.n)
        measure(t, data, &b);
    return rf_struct_give(&b, RF_SIZES(rf_mcp_block, height), out, err);
}
