/* One server: started when a job needs it, and again after it died, later each time. */
#include "mcp/client/hub.h"

#include <stdlib.h>

#define FIRST_WAIT_MS 1000 /* after the second failure; then twice as long each time */
#define MOST_WAIT_MS 60000
#define WAITED_FOR_MS 5000 /* a job waits so long for the next start; else it is told */

/* Setting up */

static void add_secret(struct rf_mcp_link *l, struct rf_str value)
{
    struct rf_str rest = value, word;
    rf_secrets_add(&l->secrets, value);
    while (rf_str_split(&rest, ' ', &word)) /* "Bearer KEY": the key alone, too */
        if (word.n < value.n)
            rf_secrets_add(&l->secrets, word);
}

static void copy_environment(struct rf_mcp_link *l, struct rf_arena *a)
{
    struct rf_str *lines = RF_ARRAY(a, struct rf_str, l->reach.environment_count);
    for (size_t i = 0; i < l->reach.environment_count; i++) {
        struct rf_str value = lines[i] = rf_str_dup(a, l->reach.environment[i]), name;
        rf_str_split(&value, '=', &name);
        add_secret(l, value);
    }
    l->reach.environment = lines;
}

static void copy_headers(struct rf_mcp_link *l, struct rf_arena *a)
{
    struct rf_header *headers = RF_ARRAY(a, struct rf_header, l->reach.header_count);
    for (size_t i = 0; i < l->reach.header_count; i++) {
        headers[i].name = rf_str_dup(a, l->reach.headers[i].name);
        headers[i].value = rf_str_dup(a, l->reach.headers[i].value);
        add_secret(l, headers[i].value);
    }
    l->reach.headers = headers;
}

static void copy_command(struct rf_mcp_link *l, struct rf_arena *a)
{
    size_t n = 0;
    while (l->reach.argv[n])
        n++;
    const char **argv = RF_ARRAY(a, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        argv[i] = rf_cstr(a, rf_str(l->reach.argv[i]));
    l->reach.argv = argv;
}

/* Does the configuration say who we are? */
static bool is_authorized(const struct rf_mcp_link *l)
{
    for (size_t i = 0; i < l->reach.header_count; i++)
        if (rf_str_ieq(l->reach.headers[i].name, RF_STR("authorization")))
            return true;
    return false;
}

static void on_timer(void *ctx);
static void on_silence(void *ctx);
static void on_babble(void *ctx);
static void on_relist(void *ctx);
static void on_general(void *ctx);

void rf_mcp_link_init(struct rf_mcp_link *l, struct rf_mcp_clients *h, size_t index,
                      const struct rf_mcp_reach *reach)
{
    struct rf_arena *a = h->arena;
    *l = (struct rf_mcp_link){ .hub = h, .index = index, .reach = *reach };
    rf_secrets_init(&l->secrets, a);
    l->transport = reach->argv ? &rf_mcp_stdio : &rf_mcp_http;
    l->reach.name = rf_str_dup(a, reach->name);
    if (reach->argv)
        copy_command(l, a);
    if (reach->folder)
        l->reach.folder = rf_cstr(a, rf_str(reach->folder));
    if (reach->url)
        l->reach.url = rf_cstr(a, rf_str(reach->url));
    copy_environment(l, a);
    copy_headers(l, a);
    add_secret(l, rf_str_dup(a, reach->client_secret));
    if (reach->url && !is_authorized(l))
        l->oauth = rf_oauth_new(&(struct rf_oauth_options){ .url = l->reach.url,
                                                            .client = reach->client_id,
                                                            .secret = reach->client_secret,
                                                            .document = reach->client_document,
                                                            .issuer = reach->issuer,
                                                            .port = reach->callback_port,
                                                            .plain_proxy = reach->plain_proxy,
                                                            .forgets = reach->forgets_login });
    if (!reach->start_ms)
        l->reach.start_ms = RF_MCP_START_MS;
    if (!reach->timeout_ms)
        l->reach.timeout_ms = RF_MCP_TIMEOUT_MS;
    l->arena = rf_arena_new();
    l->timer = (struct rf_timer){ .due = on_timer, .ctx = l };
    l->silence = (struct rf_timer){ .due = on_silence, .ctx = l };
    l->babble = (struct rf_timer){ .due = on_babble, .ctx = l };
    l->relist = (struct rf_timer){ .due = on_relist, .ctx = l };
    l->general = (struct rf_timer){ .due = on_general, .ctx = l };
}

void rf_mcp_link_release(struct rf_mcp_link *l)
{
    rf_mcp_listing_free(l->tools);
    rf_arena_free(l->arena);
    rf_arena_free(l->refusal_arena);
    rf_oauth_free(l->oauth);
    free(l->errors);
}

/* What is wrong */

enum rf_code rf_mcp_link_fail(const struct rf_mcp_link *l, struct rf_err *err, enum rf_code code,
                              struct rf_str words, const char *fmt, ...)
{
    struct rf_arena *a = rf_arena_new();
    va_list ap;
    va_start(ap, fmt);
    struct rf_str what = rf_secrets_redact(&l->secrets, rf_strfv(a, fmt, ap), a);
    va_end(ap);
    words = rf_secrets_redact(&l->secrets, words, a);
    if (words.n)
        rf_fail_said(err, code, words, "MCP server \"%.*s\" %.*s: ", RF_FMT(l->reach.name),
                     RF_FMT(what));
    else
        rf_fail(err, code, "MCP server \"%.*s\" %.*s", RF_FMT(l->reach.name), RF_FMT(what));
    rf_arena_free(a);
    return code;
}

struct rf_str rf_mcp_link_last_words(const struct rf_mcp_link *l)
{
    struct rf_str all =
        rf_str_trim(l->errors ? (struct rf_str){ l->errors, l->errors_n } : RF_STR(""));
    size_t from = all.n > 300 ? all.n - 300 : 0;
    while (from && from < all.n && all.p[from - 1] != '\n')
        from++;
    return (struct rf_str){ all.p + from, all.n - from };
}

struct rf_str rf_mcp_link_strays(const struct rf_mcp_link *l)
{
    return l->stray[0] ? rf_str(l->stray) : rf_mcp_link_last_words(l);
}

void rf_mcp_link_babbles(struct rf_mcp_link *l)
{
    struct rf_err err;
    rf_mcp_link_fail(l, &err, RF_EPROVIDER, rf_str(l->stray), "does not speak MCP");
    rf_mcp_link_down(l, &err);
}

/* Jobs */

static void wait_for_link(struct rf_mcp_link *l, struct rf_mcp_job *j)
{
    struct rf_mcp_job **at = &l->jobs;
    while (*at)
        at = &(*at)->next;
    j->next = NULL;
    *at = j;
}

static void give_status(struct rf_mcp_link *l, struct rf_mcp_job *j)
{
    struct rf_mcp_status *s = j->status;
    struct rf_arena *a = j->arena;
    s->state = l->state;
    s->starts = l->starts;
    s->why = l->err.code ? rf_str_dup(a, rf_str(l->err.msg)) : (struct rf_str){ 0 };
    s->version = rf_str(l->state == RF_MCP_READY ? l->revision->name : "");
    s->server_name = rf_str_dup(a, l->server_name);
    s->server_version = rf_str_dup(a, l->server_version);
    s->tools = l->tools && l->state == RF_MCP_READY ? l->tools->count : 0;
    s->errors =
        rf_secrets_redact(&l->secrets, rf_str_dup(a, (struct rf_str){ l->errors, l->errors_n }), a);
    rf_mcp_job_done(l->hub, j, NULL);
}

static void run_job(struct rf_mcp_link *l, struct rf_mcp_job *j)
{
    if (j->kind == RF_MCP_JOB_TOOLS && l->listing) {
        wait_for_link(l, j);
    } else if (j->kind == RF_MCP_JOB_TOOLS) {
        rf_mcp_listing_copy(l, j->arena, j->tools);
        rf_mcp_job_done(l->hub, j, NULL);
    } else if (j->needs && !rf_mcp_link_can(l, j->needs, NULL)) {
        rf_mcp_job_done(l->hub, j, NULL);
    } else {
        rf_mcp_link_ask(l, &(struct rf_mcp_request){ .method = j->method,
                                                     .params = j->params,
                                                     .job = j,
                                                     .patience_ms = l->reach.timeout_ms });
    }
}

void rf_mcp_link_job(struct rf_mcp_link *l, struct rf_mcp_job *j)
{
    int64_t wait = l->not_before_ms - rf_now_ms();
    if (j->kind == RF_MCP_JOB_STATUS) {
        give_status(l, j);
    } else if (l->state == RF_MCP_READY) {
        run_job(l, j);
    } else if (l->state == RF_MCP_FAILED && wait > WAITED_FOR_MS) {
        struct rf_err err = l->err;
        rf_hint(&err, "It failed %u times; it is tried again in %lld seconds.", l->failures,
                (long long)(wait / 1000));
        rf_mcp_job_done(l->hub, j, &err);
    } else {
        wait_for_link(l, j);
        rf_mcp_link_start(l);
    }
}

bool rf_mcp_link_cancel(struct rf_mcp_link *l, uint64_t serial)
{
    struct rf_err err;
    rf_fail(&err, RF_EINTERRUPTED, "the call to MCP server \"%.*s\" was stopped",
            RF_FMT(l->reach.name));
    for (struct rf_mcp_job **at = &l->jobs; *at; at = &(*at)->next)
        if ((*at)->serial == serial) {
            struct rf_mcp_job *j = *at;
            *at = j->next;
            rf_mcp_job_done(l->hub, j, &err);
            return true;
        }
    for (struct rf_mcp_pending *p = l->pending; p; p = p->next)
        if (p->job && p->job->serial == serial) {
            rf_mcp_pending_cancel(p, "it is not wanted any more");
            rf_mcp_pending_end(p, NULL, &err);
            return true;
        }
    return false;
}

/* From start to end */

static void reset_connection(struct rf_mcp_link *l)
{
    rf_arena_reset(l->arena);
    rf_mcp_listing_free(l->listing);
    l->listing = NULL;
    l->list_stale = false;
    l->lists = 0;
    l->listed_ms = l->relist_wait_ms = 0;
    l->revision = NULL;
    l->capabilities = NULL;
    l->server_name = l->server_version = l->instructions = (struct rf_str){ 0 };
    l->session = l->endpoint = (struct rf_str){ 0 };
    l->strays = 0;
    l->speaks = false;
    l->stray[0] = l->first_stray[0] = '\0';
    l->http_status = 0;
    l->discovered_again = false;
}

static void open_link(struct rf_mcp_link *l)
{
    struct rf_err err;
    reset_connection(l);
    l->state = RF_MCP_STARTING;
    l->starts++;
    rf_timer_set(l->hub->loop, &l->timer, rf_now_ms() + l->reach.start_ms);
    if (l->transport->open(l, &err))
        rf_mcp_link_down(l, &err);
    else
        rf_mcp_handshake_begin(l);
}

void rf_mcp_link_start(struct rf_mcp_link *l)
{
    if (l->state == RF_MCP_STARTING || l->state == RF_MCP_READY || l->timer.place)
        return;
    if (l->not_before_ms > rf_now_ms())
        rf_timer_set(l->hub->loop, &l->timer, l->not_before_ms);
    else
        open_link(l);
}

static void on_timer(void *ctx)
{
    struct rf_mcp_link *l = ctx;
    struct rf_err err;
    if (l->state != RF_MCP_STARTING) {
        open_link(l);
        return;
    }
    rf_mcp_link_fail(l, &err, RF_ELIMIT, rf_mcp_link_strays(l), "was not ready within %lld seconds",
                     (long long)(l->reach.start_ms / 1000));
    if (l->reach.argv)
        rf_hint(&err, "Run its command by hand to see what it waits for.");
    rf_mcp_link_down(l, &err);
}

static void on_silence(void *ctx)
{
    rf_mcp_handshake_legacy(ctx);
}

static void on_babble(void *ctx)
{
    rf_mcp_link_babbles(ctx);
}

static void on_relist(void *ctx)
{
    rf_mcp_tools_list(ctx);
}

static void on_general(void *ctx)
{
    rf_mcp_link_hears(ctx);
}

void rf_mcp_link_hears(struct rf_mcp_link *l)
{
    rf_timer_clear(l->hub->loop, &l->general);
    if (l->state == RF_MCP_STARTING && l->tools && !l->listing)
        rf_mcp_link_ready(l);
}

/* Those that ask for tools wait for a list that is being made; all others are asked at once. */
void rf_mcp_link_ready(struct rf_mcp_link *l)
{
    struct rf_mcp_job *j = l->jobs;
    l->jobs = NULL;
    if (l->state != RF_MCP_READY) {
        l->state = RF_MCP_READY;
        rf_timer_clear(l->hub->loop, &l->timer);
    }
    while (j) {
        struct rf_mcp_job *next = j->next;
        rf_mcp_link_job(l, j);
        j = next;
    }
}

static void disconnect(struct rf_mcp_link *l)
{
    struct rf_loop *loop = l->hub->loop;
    l->connection++;
    rf_timer_clear(loop, &l->timer);
    rf_timer_clear(loop, &l->silence);
    rf_timer_clear(loop, &l->babble);
    rf_timer_clear(loop, &l->relist);
    rf_timer_clear(loop, &l->general);
    l->transport->close(l);
}

static void end_all(struct rf_mcp_link *l, const struct rf_err *err)
{
    struct rf_mcp_job *j = l->jobs;
    l->jobs = NULL;
    for (struct rf_mcp_pending *p; (p = l->pending);) {
        rf_mcp_pending_forget(p);
        if (p->job)
            rf_mcp_job_done(l->hub, p->job, err);
        free(p);
    }
    while (j) {
        struct rf_mcp_job *next = j->next;
        rf_mcp_job_done(l->hub, j, err);
        j = next;
    }
}

static int64_t wait_after(unsigned failures)
{
    int64_t wait = failures < 2 ? 0 : FIRST_WAIT_MS;
    for (unsigned i = 2; i < failures && wait < MOST_WAIT_MS; i++)
        wait *= 2;
    return wait < MOST_WAIT_MS ? wait : MOST_WAIT_MS;
}

void rf_mcp_link_down(struct rf_mcp_link *l, const struct rf_err *err)
{
    const struct rf_err why = *err;
    disconnect(l);
    if (l->state == RF_MCP_STARTING)
        l->without_probe = false;
    l->state = RF_MCP_FAILED;
    l->err = why;
    if (!l->oauth || why.reason != RF_REASON_KEY_REFUSED) /* wanting a login is not failing */
        l->failures++;
    l->not_before_ms = rf_now_ms() + wait_after(l->failures);
    rf_mcp_listing_free(l->listing);
    l->listing = NULL;
    end_all(l, &why);
}

void rf_mcp_link_renew(struct rf_mcp_link *l, struct rf_mcp_job *j)
{
    struct rf_mcp_job *waiting = l->jobs;
    struct rf_err err;
    rf_mcp_link_fail(l, &err, RF_EPROVIDER, (struct rf_str){ 0 }, "ended its session");
    l->jobs = NULL;
    disconnect(l);
    end_all(l, &err);
    l->jobs = waiting;
    l->state = RF_MCP_OFF;
    if (j)
        wait_for_link(l, j);
    rf_mcp_link_start(l);
}

void rf_mcp_link_close(struct rf_mcp_link *l)
{
    struct rf_err err;
    rf_mcp_link_fail(l, &err, RF_EINTERRUPTED, (struct rf_str){ 0 }, "is being ended");
    disconnect(l);
    l->state = RF_MCP_OFF;
    rf_mcp_listing_free(l->listing);
    l->listing = NULL;
    end_all(l, &err);
}
