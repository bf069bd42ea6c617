/* From a fresh connection to one that is ready:
 *
 *     server/discover ──▶ modern ────────────────────────────────▶ tools/list ──▶ ready
 *           │ an error, silence, death                               ▲
 *           ▼                                                        │
 *      initialize ──▶ legacy, its revision ──▶ notifications/initialized
 *
 * Old servers answer "server/discover" with any error, with nothing, or die of it; so "initialize"
 * follows in each of these cases, and an answer that comes late still counts. */
#include "mcp/client/hub.h"

#define SILENCE_MS 2000       /* of a program: then "initialize" is said as well */
#define WEB_SILENCE_MS 10000  /* of an address, where every request has an answer */
#define MOST_LISTEN_MS 300000 /* between two tries to hear of changes */
#define RELIST_MS 100         /* between two lists that change, twice as long each time up to: */
#define MOST_RELIST_MS 5000
#define MOST_FIRST_LISTS 3 /* before it is used, where each changed while it was made */
#define MOST_PAGES 1000
#define MOST_LIST_BYTES ((size_t)64 << 20)

bool rf_mcp_link_can(const struct rf_mcp_link *l, const char *capability, const char *detail)
{
    const struct rf_jval *c = rf_jval_get(l->capabilities, capability);
    if (!detail)
        return c && c->type == RF_JOBJECT;
    return rf_jval_type(rf_jval_get(c, detail)) == RF_JTRUE;
}

/* Changes, in the modern era */

static bool is_asked(const struct rf_mcp_link *l, const char *method)
{
    const struct rf_mcp_pending *p = l->pending;
    while (p && strcmp(p->method, method) != 0)
        p = p->next;
    return p;
}

/* An error: it has no such thing. An end: it is listened to again, with the list of then. */
static void take_changes_end(struct rf_mcp_link *l, const struct rf_rpc *answer,
                             const struct rf_err *err)
{
    (void)err;
    if (answer && answer->kind == RF_RPC_ERROR)
        l->listen_wait_ms = -1;
    if (l->listen_wait_ms < 0 || l->relist.place)
        return;
    rf_timer_set(l->hub->loop, &l->relist, rf_now_ms() + l->listen_wait_ms);
    l->listen_wait_ms = l->listen_wait_ms < MOST_LISTEN_MS ? l->listen_wait_ms * 2 : MOST_LISTEN_MS;
}

static void follow_changes(struct rf_mcp_link *l)
{
    static const struct rf_jval yes = { .type = RF_JTRUE, .span = 1, .raw = RF_STR_INIT("true") };
    if (l->revision->era != RF_MCP_MODERN || !rf_mcp_link_can(l, "tools", "listChanged") ||
        l->listen_wait_ms < 0 || is_asked(l, "subscriptions/listen"))
        return;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *filter =
        rf_jval_object(&(struct rf_jmember){ "toolsListChanged", &yes }, 1, a);
    rf_mcp_link_ask(
        l, &(struct rf_mcp_request){
               .method = "subscriptions/listen",
               .params = rf_jval_object(&(struct rf_jmember){ "notifications", filter }, 1, a),
               .take = take_changes_end });
    rf_arena_free(a);
}

/* Tools */

static void ask_page(struct rf_mcp_link *l);

/* At once, as a rule; a list that does not stop changing is asked for less and less often. */
static void list_later(struct rf_mcp_link *l)
{
    int64_t now = rf_now_ms(), wait = l->relist_wait_ms;
    if (l->relist.place)
        return;
    if (now - l->listed_ms > 2 * wait)
        wait = 0;
    rf_timer_set(l->hub->loop, &l->relist, l->listed_ms + wait > now ? l->listed_ms + wait : now);
    wait = wait ? 2 * wait : RELIST_MS;
    l->relist_wait_ms = wait < MOST_RELIST_MS ? wait : MOST_RELIST_MS;
}

void rf_mcp_tools_changed(struct rf_mcp_link *l)
{
    if (l->listing)
        l->list_stale = true;
    else if (l->listed_ms)
        list_later(l);
}

/* One that failed leaves the last that did not, which has what was wrong. Is anything new? */
static bool replace_list(struct rf_mcp_link *l, struct rf_mcp_listing *made)
{
    struct rf_mcp_listing *before = l->tools;
    if (before && made->failed) {
        bool news = rf_mcp_listing_blame(before, made);
        rf_mcp_listing_free(made);
        return news;
    }
    bool news = before && !rf_mcp_listing_same(before, made);
    l->tools = made;
    rf_mcp_listing_free(before);
    return news;
}

/* Who waits gets this list, even if it has changed meanwhile: else a server that says so all the
 * time would never be used. */
static void list_is_whole(struct rf_mcp_link *l)
{
    struct rf_mcp_listing *made = l->listing;
    bool stale = l->list_stale;
    l->listing = NULL;
    l->list_stale = false;
    l->listed_ms = rf_now_ms();
    if (replace_list(l, made))
        atomic_fetch_add(&l->hub->changes, 1);
    if (stale && l->state == RF_MCP_STARTING && ++l->lists < MOST_FIRST_LISTS) {
        rf_mcp_tools_list(l);
        return;
    }
    if (stale)
        list_later(l);
    if (!l->general.place)
        rf_mcp_link_ready(l);
}

static bool is_page_too_many(struct rf_mcp_listing *g, const struct rf_jval *result)
{
    g->bytes += result->raw.n;
    if (++g->pages < MOST_PAGES && g->bytes < MOST_LIST_BYTES && g->count < RF_MCP_MAX_TOOLS)
        return false;
    rf_mcp_listing_problem(g, "it lists more tools than the %zu that are taken", g->count);
    return true;
}

static void take_page(struct rf_mcp_link *l, const struct rf_rpc *answer, const struct rf_err *err)
{
    struct rf_mcp_listing *g = l->listing;
    bool more = false;
    if (!g)
        return;
    g->failed = !answer || !answer->result || answer->result->type != RF_JOBJECT;
    if (!g->failed) {
        bool mirrors = l->transport->mirrors && l->revision->era == RF_MCP_MODERN;
        more =
            rf_mcp_listing_add(g, answer->result, mirrors) && !is_page_too_many(g, answer->result);
    } else if (answer && answer->kind == RF_RPC_ERROR) {
        struct rf_str words = rf_secrets_redact(&l->secrets, answer->message, g->arena);
        rf_mcp_listing_problem(g, "it did not list its tools: %.*s", RF_FMT(words));
    } else if (answer) {
        rf_mcp_listing_problem(g, "it answered tools/list with something that is not a list");
    } else if (err->reason == RF_REASON_KEY_REFUSED) {
        rf_mcp_link_down(l, err);
        return;
    } else {
        rf_mcp_listing_problem(g, "it did not list its tools: %s", err->msg);
    }
    if (more)
        ask_page(l);
    else
        list_is_whole(l);
}

static void ask_page(struct rf_mcp_link *l)
{
    struct rf_mcp_listing *g = l->listing;
    struct rf_jmember cursor = { "cursor", NULL };
    if (g->pages)
        cursor.value = rf_jval_string(g->cursor, g->arena);
    rf_mcp_link_ask(l, &(struct rf_mcp_request){ .method = "tools/list",
                                                 .params = rf_jval_object(&cursor, 1, g->arena),
                                                 .take = take_page,
                                                 .patience_ms = l->reach.timeout_ms });
}

void rf_mcp_tools_list(struct rf_mcp_link *l)
{
    if (l->listing) {
        l->list_stale = true;
        return;
    }
    l->listing = rf_mcp_listing_new();
    follow_changes(l);
    if (rf_mcp_link_can(l, "tools", NULL))
        ask_page(l);
    else
        list_is_whole(l);
}

/* Both eras */

static void settle(struct rf_mcp_link *l, const struct rf_mcp_revision *revision,
                   const struct rf_jval *result, const struct rf_jval *info)
{
    struct rf_arena *a = l->arena;
    l->revision = revision;
    l->capabilities = rf_jval_copy(rf_jval_get(result, "capabilities"), a);
    l->server_name = rf_mcp_text(info, "name", a);
    l->server_version = rf_mcp_text(info, "version", a);
    l->instructions = rf_mcp_text(result, "instructions", a);
    l->listen_wait_ms = 1000;
    rf_timer_clear(l->hub->loop, &l->silence);
}

static void give_up(struct rf_mcp_link *l, const struct rf_rpc *answer, const struct rf_err *err,
                    const char *what)
{
    struct rf_err why;
    if (answer && answer->kind == RF_RPC_ERROR)
        rf_mcp_link_fail(l, &why, RF_EPROVIDER, answer->message, "refused %s (%lld)",
                         rf_mcp_method_words(what), (long long)answer->code);
    else if (answer)
        rf_mcp_link_fail(l, &why, RF_EPROVIDER, (struct rf_str){ 0 },
                         "answered %s with something that is not a result",
                         rf_mcp_method_words(what));
    else
        why = *err;
    if (!l->transport->fall_back || !l->transport->fall_back(l, &why))
        rf_mcp_link_down(l, &why);
}

/* Legacy */

static void take_initialize(struct rf_mcp_link *l, const struct rf_rpc *answer,
                            const struct rf_err *err)
{
    const struct rf_jval *result = answer ? answer->result : NULL;
    struct rf_str version = rf_mcp_text(result, "protocolVersion", l->hub->scratch);
    struct rf_err why;
    if (!version.n) {
        if (answer && is_asked(l, "server/discover"))
            return; /* one that knows the modern era only: it answers the other one */
        give_up(l, answer, err, "initialize");
        return;
    }
    const struct rf_mcp_revision *r = rf_mcp_revision_find(version);
    if (!r || r->era != RF_MCP_LEGACY) {
        rf_mcp_link_fail(l, &why, RF_EPROVIDER, version,
                         "speaks a revision of MCP that is not known");
        rf_mcp_link_down(l, &why);
        return;
    }
    rf_mcp_pending_drop(l, "server/discover");
    settle(l, r, result, rf_jval_get(result, "serverInfo"));
    rf_mcp_link_tell(l, "notifications/initialized", NULL);
    l->transport->settled(l);
    rf_mcp_tools_list(l);
}

static void ask_initialize(struct rf_mcp_link *l)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_json *w = rf_rpc_writer(a);
    struct rf_str text;
    struct rf_err err;
    const struct rf_jval *params = NULL;
    rf_json_obj(w, NULL);
    rf_json_str(w, "protocolVersion", rf_str(rf_mcp_revision_newest(RF_MCP_LEGACY)->name));
    rf_mcp_capabilities_write(w, "capabilities", l);
    rf_mcp_client_info_write(w, "clientInfo");
    if (rf_rpc_end(w, RF_MCP_MAX_MESSAGE, &text, &err) || rf_jval_parse(text, a, &params, &err))
        RF_BUG("what the client can do is not JSON");
    l->revision = NULL;
    rf_mcp_link_ask(l, &(struct rf_mcp_request){
                           .method = "initialize", .params = params, .take = take_initialize });
    rf_arena_free(a);
}

/* Modern */

/* The newest of those that both know. */
static const struct rf_mcp_revision *common(const struct rf_jval *versions)
{
    const struct rf_mcp_revision *best = NULL;
    for (size_t i = 0; i < rf_mcp_revision_count; i++)
        for (const struct rf_jval *v = rf_jval_first(versions); v; v = rf_jval_next(versions, v))
            if (rf_mcp_revisions[i].era == RF_MCP_MODERN && rf_jval_is(v, rf_mcp_revisions[i].name))
                best = &rf_mcp_revisions[i];
    return best;
}

/* Is it an answer after which "initialize" has to be tried? Over HTTP any but those that ask who we
 * are: old servers fail in their own ways at what they do not know. */
static bool may_be_legacy(const struct rf_mcp_link *l)
{
    int status = l->http_status;
    return !l->reach.url || (status >= 200 && status != 401 && status != 403);
}

static void take_discover(struct rf_mcp_link *l, const struct rf_rpc *answer,
                          const struct rf_err *err);

static void ask_discover(struct rf_mcp_link *l, const struct rf_mcp_revision *revision)
{
    l->revision = revision;
    rf_timer_set(l->hub->loop, &l->silence,
                 rf_now_ms() + (l->reach.url ? WEB_SILENCE_MS : SILENCE_MS));
    rf_mcp_link_ask(l,
                    &(struct rf_mcp_request){ .method = "server/discover", .take = take_discover });
}

static void take_discover(struct rf_mcp_link *l, const struct rf_rpc *answer,
                          const struct rf_err *err)
{
    const struct rf_jval *versions =
        rf_jval_get(answer ? answer->result : NULL, "supportedVersions");
    if (answer && answer->kind == RF_RPC_ERROR && answer->code == RF_MCP_UNSUPPORTED_VERSION)
        versions = rf_jval_get(answer->data, "supported");
    const struct rf_mcp_revision *r = common(versions);
    if (r && answer->result) {
        rf_mcp_pending_drop(l, "initialize");
        settle(l, r, answer->result,
               rf_jval_get(rf_jval_get(answer->result, "_meta"), RF_MCP_META_SERVER));
        rf_mcp_tools_list(l);
    } else if (is_asked(l, "initialize")) {
        return;
    } else if (r && !l->discovered_again) {
        l->discovered_again = true; /* it knows a revision that we do, if not this one */
        ask_discover(l, r);
    } else if (may_be_legacy(l)) {
        rf_timer_clear(l->hub->loop, &l->silence);
        ask_initialize(l);
    } else {
        give_up(l, answer, err, "server/discover");
    }
}

void rf_mcp_handshake_begin(struct rf_mcp_link *l)
{
    if (l->without_probe) {
        ask_initialize(l);
        return;
    }
    ask_discover(l, rf_mcp_revision_newest(RF_MCP_MODERN));
}

void rf_mcp_handshake_legacy(struct rf_mcp_link *l)
{
    ask_initialize(l);
}
