/* A tool of an MCP server: the call goes to the server, and what it returns becomes a result.
 *
 * Files in it are kept in the session as any others; what it links to is announced, and read when
 * the model wants it and may. A file that the result names by a path is not opened: a server says
 * what it has, not what we have. */
#include "agent/tools/servers.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "content/block.h"
#include "content/message.h"
#include "content/unforged.h"
#include "mcp/result.h"

#define MOST_URI ((size_t)4096)
#define MOST_UNASKED 100 /* resources of a server that are read before somebody is asked again */
#define MOST_STEPS 1e15  /* that a count of steps can be shown as */

static int64_t whole(double d)
{
    return d > 0 && d < MOST_STEPS ? (int64_t)d : 0;
}

static void tell_progress(void *ctx, double progress, double total, struct rf_str message)
{
    const struct rf_asker *asker = ctx;
    rf_run_progress(asker->run, whole(progress), whole(total), message);
}

/* The words may be the server's: those of an error, or what it wrote last. */
static void fail(struct rf_run *r, enum rf_code rc, const struct rf_err *err)
{
    struct rf_str words = rf_strf(r->arena, "%s%s%s", err->msg, *err->hint ? ". " : "", err->hint);
    if (rc == RF_EINTERRUPTED)
        rf_run_fail(r, "the call was cancelled: %s", rf_halt_words(r->box->halt));
    else
        rf_run_fail(r, "%.*s", RF_FMT(rf_unforged(words, r->arena)));
}

/* It has named the addresses that it links to. */
static void note_links(struct rf_run *r, struct rf_server *s, const struct rf_message *m)
{
    for (size_t i = 0; i < m->block_count; i++) {
        const struct rf_jval *uri = rf_jval_get(m->blocks[i].extra, "uri");
        if (uri && uri->type == RF_JSTRING)
            rf_servers_announce(r->box->servers, s, rf_jval_text(uri, r->arena));
    }
}

static void take_result(struct rf_run *r, struct rf_server *s, const struct rf_jval *result)
{
    const struct rf_mcp_links links = { RF_STR(RF_READ_RESOURCE), s->config->name };
    struct rf_message m = { .role = RF_ROLE_TOOL };
    rf_mcp_result_read(result, &links, r->arena, &m);
    note_links(r, s, &m);
    m.error = rf_unforged(m.error, r->arena);
    m.data = rf_served_say_json(m.data, r->arena);
    for (size_t i = 0; i < m.block_count; i++) {
        m.blocks[i].text = rf_unforged(m.blocks[i].text, r->arena);
        if (m.blocks[i].type == RF_BLOCK_DOCUMENT)
            rf_served_say_file(&m.blocks[i].media, r->arena);
    }
    rf_run_bound(r, &m);
    rf_run_result(r, &m);
}

void rf_served_run(struct rf_run *r, const struct rf_served_tool *tool)
{
    struct rf_servers *all = r->box->servers;
    struct rf_server *s = &all->all[tool->server];
    struct rf_asker asker = { r->box, r };
    struct rf_mcp_call call = {
        .server = s->number,
        .tool = tool->tool,
        .arguments = r->call->arguments,
        .stop_fd = r->box->halt->fd,
        .progress = tell_progress,
        .ctx = &asker,
    };
    const struct rf_jval *result;
    struct rf_err err = { 0 };
    enum rf_code rc = rf_mcp_call(all->hub, &call, r->arena, &result, &err);
    if (rc)
        fail(r, rc, &err);
    else
        take_result(r, s, result);
}

/* Resources */

static struct rf_str argument(const struct rf_run *r, const char *name)
{
    const struct rf_jval *v = rf_jval_get(r->call->arguments, name);
    return v && v->type == RF_JSTRING ? rf_jval_text(v, r->arena) : RF_STR("");
}

static struct rf_server *server_of(struct rf_run *r, struct rf_str name)
{
    struct rf_servers *all = r->box->servers;
    for (size_t i = 0; i < all->count; i++)
        if (rf_str_eq(all->all[i].config->name, name) && !all->all[i].problem.code)
            return &all->all[i];
    return NULL;
}

struct reading {
    struct rf_run *run;
    struct rf_server *server;
    struct rf_str uri;
    bool permitted;
};

/* It asks as a tool does. What the server has not named itself may tell it something, so that no
 * configuration lets that be read unasked. In the agent's own thread, which counts. */
static void ask_to_read(void *ctx)
{
    struct reading *q = ctx;
    struct rf_run *r = q->run;
    struct rf_server *s = q->server;
    struct rf_str name = rf_strf(r->arena, "%s%.*s", RF_PERMIT_RESOURCE, RF_FMT(s->config->name));
    bool unasked = s->reads_unasked && s->reads < MOST_UNASKED &&
                   rf_servers_announced(r->box->servers, s, q->uri);
    q->permitted = unasked || rf_run_ask(r, name, q->uri);
    if (unasked)
        s->reads++;
    else if (q->permitted)
        s->reads = 0;
}

static bool may_read(struct rf_run *r, struct rf_server *s, struct rf_str uri)
{
    struct reading q = { r, s, uri, false };
    rf_run_own(r, ask_to_read, &q);
    return q.permitted;
}

/* The "contents" of a resource as the result of a tool that embeds them. */
static const struct rf_jval *as_result(const struct rf_jval *read, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text;
    const struct rf_jval *made, *contents = rf_jval_get(read, "contents");
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_arr(&w, "content");
    for (const struct rf_jval *v = rf_jval_first(contents); v; v = rf_jval_next(contents, v)) {
        rf_json_obj(&w, NULL);
        rf_json_str(&w, "type", RF_STR("resource"));
        rf_json_value(&w, "resource", v);
        rf_json_end(&w);
    }
    rf_json_end(&w);
    rf_json_end(&w);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &text, NULL) ||
        rf_jval_parse(text, a, &made, NULL))
        RF_BUG("JSON that was read cannot be written");
    return made;
}

void rf_resource_run(struct rf_run *r)
{
    struct rf_str name = argument(r, "server"), uri = argument(r, "uri");
    struct rf_server *s = server_of(r, name);
    struct rf_asker asker = { r->box, r };
    const struct rf_jval *read;
    struct rf_err err = { 0 };
    if (!s || !uri.n || uri.n > MOST_URI) {
        rf_run_fail(r, !s ? "there is no server \"%.*s\"" : "this is not an address: \"%.*s\"",
                    RF_FMT(rf_utf8_cut(s ? uri : name, 80)));
        return;
    }
    if (!may_read(r, s, uri)) {
        rf_run_fail(r, "it was not read: permission was not given");
        return;
    }
    enum rf_code rc = rf_mcp_read_resource(r->box->servers->hub, s->number, uri, r->box->halt->fd,
                                           &asker, r->arena, &read, &err);
    if (rc)
        fail(r, rc, &err);
    else
        take_result(r, s, as_result(read, r->arena));
}
