/* What any thread may ask of the hub: it makes a job of it and waits. While it waits it tells of
 * progress, answers what the server asks, and looks whether it was stopped.
 *
 * A modern server asks inside of its result ("input_required"): then the same is asked again with
 * the answers, and with the state that the server wants back as it was. */
#include "mcp/client/form.h"
#include "mcp/client/hub.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MOST_ROUNDS 16 /* in which a server asks for more before its result comes */
#define MOST_ANSWER (RF_MCP_MAX_MESSAGE / 2) /* bytes of what a program answers */
#define MOST_ANSWER_DEPTH 100
#define MOST_INPUTS 32 /* questions in one of them */
#define MOST_LOGINS 4  /* of one call */
#define MOST_LIST_PAGES 1000
#define MOST_LIST_BYTES ((size_t)64 << 20)

struct waiting {
    struct rf_mcp_clients *hub;
    struct rf_mcp_job job;
    int stop_fd;
    void (*progress)(void *ctx, double progress, double total, struct rf_str message);
    void *ctx;
};

/* Questions */

/* What the program answers is checked: it goes into a message. */
static enum rf_code ask(const struct waiting *w, struct rf_str method, const struct rf_jval *params,
                        struct rf_arena *a, const struct rf_jval **result, struct rf_err *err)
{
    const struct rf_mcp_clients_options *o = &w->hub->options;
    bool model = rf_str_is(method, "sampling/createMessage");
    struct rf_mcp_question q = {
        .kind = model                                            ? RF_MCP_ASKS_MODEL
                : rf_jval_is(rf_jval_get(params, "mode"), "url") ? RF_MCP_ASKS_VISIT
                                                                 : RF_MCP_ASKS_FORM,
        .server = w->job.server,
        .server_name = rf_mcp_clients_name(w->hub, w->job.server),
        .params = params,
    };
    struct rf_str text;
    if (rf_jval_type(params) != RF_JOBJECT)
        return rf_fail(err, RF_EFORMAT, "the question has no parameters");
    enum rf_code rc = (model ? o->ask_model : o->ask_person)(w->ctx, &q, a, &text, err);
    if (rc)
        return rc;
    if (q.kind == RF_MCP_ASKS_FORM)
        text = rf_mcp_form_complete(params, text, a);
    if (text.n > MOST_ANSWER || rf_jval_parse(text, a, result, NULL) ||
        (*result)->type != RF_JOBJECT || rf_jval_deeper(*result, MOST_ANSWER_DEPTH))
        return rf_fail(err, RF_EINTERNAL, "the answer cannot be sent");
    return RF_OK;
}

/* The answer to a question that came as a request. */
static struct rf_str write_answer(const struct waiting *w, const struct rf_mcp_asked *q,
                                  struct rf_arena *a)
{
    struct rf_json *out = rf_rpc_writer(a);
    const struct rf_jval *result;
    struct rf_str message;
    struct rf_err why;
    if (ask(w, q->method, q->params, a, &result, &why)) {
        rf_rpc_refuse(out, q->id, RF_RPC_INTERNAL_ERROR, rf_str(why.msg));
    } else {
        rf_rpc_answer(out, q->id);
        rf_json_value(out, "result", result);
    }
    if (rf_rpc_end(out, RF_MCP_MAX_MESSAGE, &message, NULL))
        RF_BUG("an answer within its limit cannot be written");
    return message;
}

static void answer(struct waiting *w, struct rf_mcp_asked *q)
{
    struct rf_mcp_post post = { .kind = RF_MCP_POST_ANSWER,
                                .server = w->job.server,
                                .connection = q->connection,
                                .pending = q->pending,
                                .arena = rf_arena_new() };
    post.message = write_answer(w, q, post.arena);
    rf_mcp_hub_post(w->hub, &post);
    rf_arena_free(q->arena);
}

/* Waiting */

static struct rf_mcp_asked *next_question(struct rf_mcp_job *j)
{
    struct rf_mcp_asked *q = j->asked;
    if (q)
        j->asked = q->next;
    return q;
}

/* Tell what is new; true where it is done. */
static bool look(struct waiting *w)
{
    struct rf_mcp_job *j = &w->job;
    uint64_t pokes;
    if (read(j->wake, &pokes, sizeof pokes) < 0)
        return false;
    for (;;) {
        pthread_mutex_lock(&w->hub->lock);
        bool done = j->done, moved = j->moved;
        double progress = j->progress, total = j->total;
        char message[sizeof j->message];
        memcpy(message, j->message, sizeof message);
        struct rf_mcp_asked *q = next_question(j);
        j->moved = false;
        pthread_mutex_unlock(&w->hub->lock);
        if (moved && w->progress)
            w->progress(w->ctx, progress, total, rf_str(message));
        if (q && !done)
            answer(w, q);
        else if (q)
            rf_arena_free(q->arena);
        else
            return done;
    }
}

static void stop(const struct waiting *w)
{
    rf_mcp_hub_post(w->hub,
                    &(struct rf_mcp_post){ .kind = RF_MCP_POST_CANCEL, .serial = w->job.serial });
}

static enum rf_code run_once(struct waiting *w, struct rf_err *err)
{
    struct rf_mcp_job *j = &w->job;
    int stop_fd = w->stop_fd;
    j->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (j->wake < 0)
        return rf_fail(err, RF_EIO, "an MCP server cannot be asked: no descriptor is left");
    rf_mcp_hub_post(w->hub, &(struct rf_mcp_post){ .kind = RF_MCP_POST_JOB, .job = j });
    for (bool done = false; !done;) {
        struct pollfd fds[] = { { .fd = j->wake, .events = POLLIN },
                                { .fd = stop_fd, .events = POLLIN } };
        if (poll(fds, 2, -1) < 0)
            continue; /* a signal: those are the program's */
        if (fds[1].revents) {
            stop_fd = -1; /* it is told once */
            stop(w);
        }
        done = look(w);
    }
    close(j->wake);
    if (j->rc)
        *err = j->err;
    return j->rc;
}

/* Logins */

static enum rf_code decline(struct rf_err *err)
{
    rf_fail(err, RF_EPERMISSION, "it wants a login, which was declined");
    rf_hint(err, "A page in a browser has to be agreed to, on a terminal.");
    return RF_EPERMISSION;
}

/* A question of our own, asked as one of the server's is. */
static enum rf_code ask_leave(const struct waiting *w, const char *kind, struct rf_str message,
                              struct rf_jmember more, struct rf_arena *a, struct rf_err *err)
{
    const struct rf_jmember params[] = { { "mode", rf_jval_string(rf_str(kind), a) },
                                         { "message", rf_jval_string(message, a) },
                                         more };
    const struct rf_jval *result;
    enum rf_code rc =
        ask(w, RF_STR("elicitation/create"), rf_jval_object(params, 3, a), a, &result, err);
    if (!rc && !rf_jval_is(rf_jval_get(result, "action"), "accept"))
        rc = decline(err);
    return rc;
}

static enum rf_code agree(void *ctx, struct rf_str host, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_jmember form = { "requestedSchema", NULL };
    if (rf_jval_parse(RF_STR("{\"type\":\"object\",\"properties\":{}}"), a, &form.value, NULL))
        RF_BUG("a form without fields cannot be read");
    struct rf_str message =
        rf_strf(a, "to log in at %.*s, where refract registers itself first", RF_FMT(host));
    enum rf_code rc = ask_leave(ctx, "form", message, form, a, err);
    rf_arena_free(a);
    return rc;
}

static enum rf_code open_page(void *ctx, struct rf_str host, const char *url, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc =
        ask_leave(ctx, "url", rf_strf(a, "to log in at %.*s", RF_FMT(host)),
                  (struct rf_jmember){ "url", rf_jval_string(rf_str(url), a) }, a, err);
    rf_arena_free(a);
    return rc;
}

/* See to a token, where that is what was missing. Whatever goes wrong is about this server. */
static enum rf_code log_in(struct waiting *w, struct rf_err *err)
{
    struct rf_mcp_link *l = &w->hub->links[w->job.server];
    struct rf_arena *a = rf_arena_new();
    struct rf_str token;
    pthread_mutex_lock(&w->hub->lock);
    struct rf_oauth_refusal refusal = l->refusal;
    refusal.challenge = rf_str_dup(a, l->refusal.challenge);
    refusal.used = rf_str_dup(a, l->refusal.used);
    pthread_mutex_unlock(&w->hub->lock);
    const struct rf_oauth_visit visit = { w->hub->options.ask_person ? agree : NULL, open_page, w,
                                          w->stop_fd };
    enum rf_code rc = rf_oauth_obtain(l->oauth, &refusal, &visit, a, &token, err);
    if (rc)
        rf_err_at(
            err,
            rf_strf(a, "MCP server \"%.*s\" (status %d)", RF_FMT(l->reach.name), refusal.status).p);
    rf_arena_free(a);
    return rc;
}

static enum rf_code run(struct waiting *w, struct rf_err *err)
{
    const struct rf_mcp_job fresh = w->job;
    if (!w->ctx)
        w->ctx = w->hub->options.ctx;
    for (int logins = 0;; logins++) {
        struct rf_err why;
        enum rf_code rc = run_once(w, &why);
        bool refused = rc && why.reason == RF_REASON_KEY_REFUSED && logins < MOST_LOGINS;
        if (refused) /* where nobody can be asked, what the server said is what went wrong */
            rc = log_in(w, w->hub->options.ask_person ? &why : NULL);
        if (rc || !refused) {
            if (rc && err)
                *err = why;
            if (refused && err)
                err->reason = RF_REASON_OTHER; /* a model's key is another thing */
            return rc;
        }
        rf_arena_free(w->job.result_arena);
        w->job = fresh;
    }
}

static enum rf_code check_server(const struct rf_mcp_clients *h, size_t server, struct rf_err *err)
{
    if (server < h->count)
        return RF_OK;
    return rf_fail(err, RF_EUSAGE, "there is no MCP server %zu", server);
}

/* Requests */

/* What stands in "inputResponses" for one question. */
static enum rf_code add_response(const struct waiting *w, struct rf_json *out,
                                 const struct rf_jval *request, struct rf_arena *a,
                                 struct rf_err *err)
{
    const struct rf_mcp_clients_options *o = &w->hub->options;
    const struct rf_jval *method = rf_jval_get(request, "method");
    const struct rf_jval *params = rf_jval_get(request, "params");
    const struct rf_jval *result;
    bool model = rf_jval_is(method, "sampling/createMessage");
    if (rf_jval_is(method, "roots/list")) {
        rf_json_obj(out, NULL);
        rf_mcp_roots_write(out, "roots", o);
        rf_json_end(out);
        return RF_OK;
    }
    if ((model && o->ask_model) || (rf_jval_is(method, "elicitation/create") && o->ask_person)) {
        enum rf_code rc = ask(w, rf_jval_text(method, a), params, a, &result, err);
        if (!rc)
            rf_json_value(out, NULL, result);
        return rc;
    }
    return rf_fail(err, RF_EPROVIDER, "MCP server \"%.*s\" asks for something that it cannot get",
                   RF_FMT(rf_mcp_clients_name(w->hub, w->job.server)));
}

static enum rf_code add_responses(const struct waiting *w, struct rf_json *out,
                                  const struct rf_jval *requests, struct rf_arena *a,
                                  struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    if (rf_jval_count(requests) > MOST_INPUTS)
        return rf_fail(err, RF_ELIMIT,
                       "MCP server \"%.*s\" asks %zu questions at once, limit is %d",
                       RF_FMT(rf_mcp_clients_name(w->hub, w->job.server)), rf_jval_count(requests),
                       MOST_INPUTS);
    rf_json_obj(out, "inputResponses");
    for (const struct rf_jval *key = rf_jval_first(requests); key && !rc;
         key = rf_jval_next(requests, rf_jval_value(key))) {
        rf_json_key(out, rf_jval_text(key, a));
        rc = add_response(w, out, rf_jval_value(key), a, err);
    }
    if (!rc)
        rf_json_end(out);
    return rc;
}

/* The parameters of the next round: those of the first one, the answers, the state. */
static enum rf_code next_round(const struct waiting *w, const struct rf_jval *first,
                               const struct rf_jval *result, struct rf_arena *a,
                               const struct rf_jval **params, struct rf_err *err)
{
    const struct rf_jval *requests = rf_jval_get(result, "inputRequests");
    const struct rf_jval *state = rf_jval_get(result, "requestState");
    struct rf_json *out = rf_rpc_writer(a);
    struct rf_str text;
    enum rf_code rc = RF_OK;
    rf_json_obj(out, NULL);
    if (first)
        rf_json_members(out, first, NULL);
    if (requests && requests->type == RF_JOBJECT)
        rc = add_responses(w, out, requests, a, err);
    if (rc)
        return rc;
    if (state)
        rf_json_value(out, "requestState", state);
    rc = rf_rpc_end(out, RF_MCP_MAX_MESSAGE, &text, err);
    return rc ? rc : rf_jval_parse(text, a, params, err);
}

static enum rf_code wrong_kind(const struct waiting *w, struct rf_err *err)
{
    return rf_fail(err, RF_EPROVIDER,
                   "MCP server \"%.*s\" answered %s with a kind of result that is not known",
                   RF_FMT(rf_mcp_clients_name(w->hub, w->job.server)),
                   rf_mcp_method_words(w->job.method));
}

/* Pages that have to be opened first: has the person seen to all of them? */
static bool visits(const struct waiting *w, const struct rf_jval *data, struct rf_arena *a)
{
    const struct rf_jval *list = rf_jval_get(data, "elicitations"), *result;
    size_t count = rf_jval_type(list) == RF_JARRAY ? rf_jval_count(list) : 0;
    bool all = count && count <= MOST_INPUTS && w->hub->options.ask_person;
    for (const struct rf_jval *v = all ? rf_jval_first(list) : NULL; v && all;
         v = rf_jval_next(list, v))
        all = !ask(w, RF_STR("elicitation/create"), v, a, &result, NULL) &&
              rf_jval_is(rf_jval_get(result, "action"), "accept");
    return all;
}

/* To the result, in as many rounds as it takes. */
static enum rf_code request(struct waiting *w, struct rf_arena *a, const struct rf_jval **result,
                            struct rf_err *err)
{
    const struct rf_jval *first = w->job.params;
    const struct rf_mcp_job fresh = w->job;
    enum rf_code rc = check_server(w->hub, fresh.server, err);
    for (int round = 0; !rc && round < MOST_ROUNDS; round++) {
        const struct rf_jval *params = w->job.params;
        w->job = fresh;
        w->job.params = params;
        rc = run(w, err);
        const struct rf_jval *got = rf_jval_copy(w->job.result, a);
        const struct rf_jval *kind = rf_jval_get(got, "resultType");
        rf_arena_free(w->job.result_arena);
        if (rc && !visits(w, got, a))
            return rc;
        if (rc) {
            rc = RF_OK;
            continue;
        }
        if (!kind || rf_jval_is(kind, "complete")) {
            *result = got;
            return RF_OK;
        }
        rc = rf_jval_is(kind, "input_required") ? next_round(w, first, got, a, &w->job.params, err)
                                                : wrong_kind(w, err);
    }
    return rc ? rc
              : rf_fail(err, RF_ELIMIT, "MCP server \"%.*s\" does not stop asking for more",
                        RF_FMT(rf_mcp_clients_name(w->hub, fresh.server)));
}

enum rf_code rf_mcp_call(struct rf_mcp_clients *h, const struct rf_mcp_call *call,
                         struct rf_arena *a, const struct rf_jval **result, struct rf_err *err)
{
    const struct rf_jmember members[] = { { "name", rf_jval_string(call->tool, a) },
                                          { "arguments", call->arguments } };
    struct waiting w = {
        .hub = h,
        .job = { .server = call->server,
                 .method = "tools/call",
                 .name = call->tool,
                 .params = rf_jval_object(members, 2, a) },
        .stop_fd = call->stop_fd,
        .progress = call->progress,
        .ctx = call->ctx,
    };
    const struct rf_jval *got;
    enum rf_code rc = request(&w, a, &got, err);
    if (rc)
        return rc;
    if (!rf_jval_get(got, "content") && !rf_jval_get(got, "structuredContent"))
        return rf_fail(err, RF_EPROVIDER,
                       "MCP server \"%.*s\" answered tool \"%.*s\" with something that is not a "
                       "result of a tool",
                       RF_FMT(rf_mcp_clients_name(h, call->server)), RF_FMT(call->tool));
    *result = got;
    return RF_OK;
}

enum rf_code rf_mcp_read_resource(struct rf_mcp_clients *h, size_t server, struct rf_str uri,
                                  int stop_fd, void *ctx, struct rf_arena *a,
                                  const struct rf_jval **result, struct rf_err *err)
{
    const struct rf_jmember member = { "uri", rf_jval_string(uri, a) };
    struct waiting w = { .hub = h,
                         .job = { .server = server,
                                  .method = "resources/read",
                                  .name = uri,
                                  .params = rf_jval_object(&member, 1, a) },
                         .stop_fd = stop_fd,
                         .ctx = ctx };
    return request(&w, a, result, err);
}

enum rf_code rf_mcp_prompt(struct rf_mcp_clients *h, size_t server, struct rf_str name,
                           const struct rf_jval *arguments, int stop_fd, struct rf_arena *a,
                           const struct rf_jval **result, struct rf_err *err)
{
    const struct rf_jmember members[] = { { "name", rf_jval_string(name, a) },
                                          { "arguments", arguments } };
    struct waiting w = { .hub = h,
                         .job = { .server = server,
                                  .method = "prompts/get",
                                  .name = name,
                                  .params = rf_jval_object(members, 2, a) },
                         .stop_fd = stop_fd };
    return request(&w, a, result, err);
}

/* Lists */

struct list {
    const char *method, *member, *capability;
};

/* The elements of a page; the cursor of the next one, or NULL. */
static const struct rf_jval *add_page(struct rf_json *out, const struct rf_jval *result,
                                      const char *member)
{
    const struct rf_jval *list = rf_jval_get(result, member);
    const struct rf_jval *next = rf_jval_get(result, "nextCursor");
    if (rf_jval_type(list) == RF_JARRAY)
        for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
            rf_json_value(out, NULL, v);
    return next && next->type == RF_JSTRING ? next : NULL;
}

static enum rf_code list_all(struct rf_mcp_clients *h, size_t server, const struct list *what,
                             int stop_fd, struct rf_arena *a, const struct rf_jval **list,
                             struct rf_err *err)
{
    struct waiting w = { .hub = h, .job = { .server = server }, .stop_fd = stop_fd };
    struct rf_json *out = rf_rpc_writer(a);
    struct rf_jmember cursor = { "cursor", NULL };
    const struct rf_jval *page;
    struct rf_str text;
    size_t pages = 0, bytes = 0;
    rf_json_arr(out, NULL);
    do {
        w.job = (struct rf_mcp_job){ .server = server,
                                     .method = what->method,
                                     .needs = what->capability,
                                     .params = rf_jval_object(&cursor, 1, a) };
        enum rf_code rc = request(&w, a, &page, err);
        if (rc)
            return rc;
        cursor.value = add_page(out, page, what->member);
        bytes += page ? page->raw.n : 0;
    } while (cursor.value && ++pages < MOST_LIST_PAGES && bytes < MOST_LIST_BYTES);
    rf_json_end(out);
    enum rf_code rc = rf_rpc_end(out, 2 * MOST_LIST_BYTES, &text, err);
    return rc ? rc : rf_jval_parse(text, a, list, err);
}

enum rf_code rf_mcp_resources(struct rf_mcp_clients *h, size_t server, int stop_fd,
                              struct rf_arena *a, const struct rf_jval **list, struct rf_err *err)
{
    static const struct list what = { "resources/list", "resources", "resources" };
    return list_all(h, server, &what, stop_fd, a, list, err);
}

enum rf_code rf_mcp_prompts(struct rf_mcp_clients *h, size_t server, int stop_fd,
                            struct rf_arena *a, const struct rf_jval **list, struct rf_err *err)
{
    static const struct list what = { "prompts/list", "prompts", "prompts" };
    return list_all(h, server, &what, stop_fd, a, list, err);
}

/* What the hub knows itself */

enum rf_code rf_mcp_tools(struct rf_mcp_clients *h, size_t server, int stop_fd, struct rf_arena *a,
                          struct rf_mcp_tools *out, struct rf_err *err)
{
    struct rf_mcp_tools tools;
    struct waiting w = {
        .hub = h,
        .job = { .kind = RF_MCP_JOB_TOOLS, .server = server, .arena = a, .tools = &tools },
        .stop_fd = stop_fd
    };
    enum rf_code rc = check_server(h, server, err);
    if (!rc)
        rc = run(&w, err);
    if (!rc)
        *out = tools;
    return rc;
}

void rf_mcp_clients_status(struct rf_mcp_clients *h, size_t server, struct rf_arena *a,
                           struct rf_mcp_status *out)
{
    struct waiting w = {
        .hub = h,
        .job = { .kind = RF_MCP_JOB_STATUS, .server = server, .arena = a, .status = out },
        .stop_fd = -1
    };
    *out = (struct rf_mcp_status){ 0 };
    pthread_mutex_lock(&h->lock);
    bool running = h->running;
    pthread_mutex_unlock(&h->lock);
    if (running && server < h->count)
        (void)!run(&w, NULL);
}
