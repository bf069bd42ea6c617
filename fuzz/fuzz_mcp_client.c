/* What a server of MCP may say to our client: each line is a message, to a link whose transport is
 * played. A call and a question for the tools are under way; however it goes, both end, and what was
 * listed is whole. Each line is a form as well. */
#include "mcp/client/form.h"
#include "mcp/client/hub.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* The transport */

static enum rf_code open_nothing(struct rf_mcp_link *l, struct rf_err *err)
{
    (void)l, (void)err;
    return RF_OK;
}

static void look_at(struct rf_mcp_link *l, struct rf_str message, struct rf_mcp_pending *p)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_rpc m;
    (void)l, (void)p;
    expect(!memchr(message.p, '\n', message.n));
    expect(!rf_rpc_read(message, a, &m, NULL));
    rf_arena_free(a);
}

static void drop_nothing(struct rf_mcp_pending *p)
{
    (void)p;
}

static void do_nothing(struct rf_mcp_link *l)
{
    (void)l;
}

static const struct rf_mcp_transport played = {
    .open = open_nothing,
    .send = look_at,
    .drop = drop_nothing,
    .settled = do_nothing,
    .close = do_nothing,
    .mirrors = true,
};

static enum rf_code decline(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                            struct rf_str *result, struct rf_err *err)
{
    (void)ctx, (void)q, (void)a, (void)err;
    *result = RF_STR("{\"action\":\"decline\"}");
    return RF_OK;
}

/* What is checked */

static void fill_in(struct rf_str line, struct rf_arena *a)
{
    const struct rf_jval *v;
    struct rf_mcp_form form;
    struct rf_err err = { 0 };
    if (rf_jval_parse(line, a, &v, NULL))
        return;
    rf_mcp_form_complete(v, RF_STR("{\"action\":\"accept\"}"), a);
    if (rf_mcp_form_read(v, a, &form, &err)) {
        expect(*err.msg);
        return;
    }
    struct rf_str *typed = RF_ARRAY(a, struct rf_str, form.count);
    for (size_t i = 0; i < form.count; i++)
        if (!rf_mcp_field_check(&form.fields[i], form.fields[i].initial, NULL))
            typed[i] = form.fields[i].initial;
    expect(!rf_jval_parse(rf_mcp_form_answer(&form, typed, a), a, &v, NULL));
}

static void check_tools(const struct rf_mcp_tools *t, struct rf_arena *a)
{
    const struct rf_jval *v;
    for (size_t i = 0; i < t->count; i++) {
        expect(t->list[i].name.n);
        expect(!rf_jval_parse(t->list[i].schema, a, &v, NULL) && v->type == RF_JOBJECT);
    }
}

static void release(struct rf_mcp_job *j)
{
    expect(j->done);
    expect(!j->rc == !*j->err.msg);
    while (j->asked) {
        struct rf_mcp_asked *q = j->asked;
        j->asked = q->next;
        rf_arena_free(q->arena);
    }
    rf_arena_free(j->result_arena);
    close(j->wake);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const argv[] = { "played", NULL };
    const struct rf_mcp_reach reach = { .name = RF_STR("s"), .argv = argv };
    const struct rf_mcp_clients_options options = { .ask_model = decline, .ask_person = decline };
    struct rf_mcp_clients *h = rf_mcp_clients_new(&reach, 1, &options);
    struct rf_mcp_link *l = &h->links[0];
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_tools tools = { 0 };
    struct rf_str rest = { (const char *)data, size }, line;
    struct rf_mcp_job jobs[] = {
        { .kind = RF_MCP_JOB_TOOLS, .arena = a, .tools = &tools, .wake = eventfd(0, EFD_NONBLOCK) },
        { .kind = RF_MCP_JOB_REQUEST, .method = "tools/call", .wake = eventfd(0, EFD_NONBLOCK) },
    };
    h->net = rf_net_new();
    h->loop = rf_net_loop(h->net);
    h->scratch = rf_arena_new();
    l->transport = &played;
    rf_mcp_link_job(l, &jobs[0]);
    rf_mcp_link_job(l, &jobs[1]);
    while (rf_str_split(&rest, '\n', &line)) {
        if (l->state == RF_MCP_STARTING || l->state == RF_MCP_READY)
            rf_mcp_link_take(l, line, NULL);
        fill_in(line, a);
    }
    rf_mcp_link_close(l);
    for (size_t i = 0; i < 2; i++)
        release(&jobs[i]);
    check_tools(&tools, a);
    rf_arena_free(a);
    rf_mcp_clients_free(h);
    return 0;
}
