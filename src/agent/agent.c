/* The public calls, and what is set before a question is asked. The loop is in turn.c. */
#include "agent/agent.h"

#include "agent/turn/transport.h"
#include "base/arena.h"
#include "content/options.h"

#include <stdlib.h>

/* Making and freeing */

enum rf_code rf_agent_new(const struct rf_config *config, struct rf_store *store,
                          struct rf_agent **out, struct rf_err *err)
{
    struct rf_arena *arena = rf_arena_new();
    struct rf_agent *a = RF_NEW(arena, struct rf_agent);
    a->arena = arena;
    a->workspace.config = config;
    a->workspace.cache = config ? rf_config_cache_folder(config) : NULL;
    a->asking = (struct rf_asking){
        .arena = rf_arena_new(),
        .enrich = rf_enrich_new(),
        .references.config = config,
        .transport = rf_transport_new(),
    };
    rf_enrich_add_prompt(a->asking.enrich, RF_ENRICH_REFERENCES, rf_references_step,
                         &a->asking.references);
    rf_history_init(&a->history, store, a->arena);
    a->tools = (struct rf_toolbox){
        .arena = a->arena,
        .workspace = &a->workspace,
        .listener = &a->listener,
        .halt = &a->halt,
        .keeps_files = store,
        .keeps_logins = store,
    };
    a->tools.sample = rf_agent_sample;
    a->tools.sample_ctx = a;
    a->listener.halt = &a->halt;
    a->heal = rf_heal_new(a->arena);
    enum rf_code rc = rf_halt_open(&a->halt, err);
    if (rc)
        rf_agent_free(a);
    else
        *out = a;
    return rc;
}

/* What was built points to the model and to the messages that it was built of. */
static void drop_built(struct rf_agent *a)
{
    rf_built_drop(&a->asking.last);
    rf_built_drop(&a->asking.planned);
}

static void forget_password(struct rf_agent *a)
{
    if (a->workspace.password)
        explicit_bzero(a->workspace.password, strlen(a->workspace.password));
    free(a->workspace.password);
    a->workspace.password = NULL;
}

void rf_agent_free(struct rf_agent *a)
{
    if (!a)
        return;
    drop_built(a);
    rf_history_release(&a->history);
    rf_model_close(a->model);
    rf_enrich_free(a->asking.enrich);
    rf_references_release(&a->asking.references);
    rf_transport_free(a->asking.transport);
    rf_toolbox_release(&a->tools);
    rf_halt_close(&a->halt);
    rf_arena_free(a->asking.arena);
    free(a->workspace.base);
    free(a->workspace.root);
    forget_password(a);
    rf_arena_free(a->arena);
}

/* Setting */

enum rf_code rf_agent_model(struct rf_agent *a, const char *name, struct rf_err *err)
{
    struct rf_model *m;
    enum rf_code rc = rf_model_open(a->workspace.config, name, &m, err);
    if (rc)
        return rc;
    drop_built(a);
    rf_model_close(a->model);
    a->model = m;
    if (rf_model_problem(m))
        rf_listener_note(&a->listener, "%s", rf_model_problem(m)->msg);
    return RF_OK;
}

enum rf_code rf_agent_resume(struct rf_agent *a, const char *id, struct rf_err *err)
{
    drop_built(a);
    enum rf_code rc = rf_history_resume(&a->history, id, err);
    if (!rc)
        a->asking.told.count = 0;
    return rc;
}

void rf_agent_leave(struct rf_agent *a)
{
    drop_built(a);
    rf_history_leave(&a->history);
    a->asking.told.count = 0;
}

enum rf_code rf_agent_conversation(struct rf_agent *a, struct rf_conversation **out,
                                   struct rf_err *err)
{
    struct rf_arena *arena = rf_arena_new();
    struct rf_conversation *c = RF_NEW(arena, struct rf_conversation);
    enum rf_code rc = rf_history_view(&a->history, NULL, arena, c, err);
    if (rc)
        rf_arena_free(arena);
    else
        *out = c;
    return rc;
}

struct rf_session *rf_agent_session(struct rf_agent *a)
{
    return a->history.session;
}

static void set_string(char **at, const char *value)
{
    char *copy = value ? strdup(value) : NULL;
    if (value && !copy)
        RF_NO_MEMORY();
    free(*at);
    *at = copy;
}

void rf_agent_folders(struct rf_agent *a, const char *base, const char *root)
{
    set_string(&a->workspace.base, base);
    set_string(&a->workspace.root, root ? root : base);
    a->history.base = a->workspace.base;
}

enum rf_code rf_agent_password(struct rf_agent *a, struct rf_str password, struct rf_err *err)
{
    if (memchr(password.p, '\n', password.n) || memchr(password.p, '\0', password.n))
        return rf_fail(err, RF_EUSAGE, "a password is one line");
    forget_password(a);
    a->workspace.password = password.n ? strndup(password.p, password.n) : NULL;
    if (password.n && !a->workspace.password)
        RF_NO_MEMORY();
    return RF_OK;
}

void rf_agent_system(struct rf_agent *a, struct rf_str system)
{
    a->asking.system = system.p ? rf_str_dup(a->arena, system) : system;
}

struct rf_str rf_agent_system_prompt(const struct rf_agent *a)
{
    if (a->asking.system.p)
        return a->asking.system;
    return a->history.system.n || !a->model ? a->history.system : a->model->system;
}

enum rf_code rf_agent_option(struct rf_agent *a, const char *name, struct rf_str value,
                             struct rf_err *err)
{
    return rf_options_set(&a->asking.options, name, value, a->arena, err);
}

void rf_agent_no_tools(struct rf_agent *a)
{
    a->tools.off = true;
}

void rf_agent_no_stream(struct rf_agent *a)
{
    a->asking.no_stream = true;
}

void rf_agent_offline(struct rf_agent *a, struct rf_offline offline)
{
    a->asking.transport->offline = offline;
}

void rf_agent_strict(struct rf_agent *a)
{
    a->asking.strict = true;
}

void rf_agent_limits(struct rf_agent *a, int64_t rounds, int64_t seconds, int64_t tokens)
{
    a->asking.most_rounds = rounds > 0 ? rounds : 0;
    a->asking.most_tokens = tokens > 0 ? tokens : 0;
    a->halt.most_seconds = seconds > 0 ? seconds : 0;
}

void rf_agent_listen(struct rf_agent *a,
                     bool (*on_event)(void *ctx, const struct rf_agent_event *e), void *ctx)
{
    a->listener.on_event = on_event;
    a->listener.ctx = ctx;
}

void rf_agent_listen_stream(struct rf_agent *a,
                            bool (*on_event)(void *ctx, const struct rf_event *e), void *ctx)
{
    a->listener.on_stream = on_event;
    a->listener.stream_ctx = ctx;
}

void rf_agent_permit(struct rf_agent *a,
                     enum rf_permission (*ask)(void *ctx, struct rf_str tool,
                                               struct rf_str arguments),
                     void *ctx)
{
    a->tools.permit = ask;
    a->tools.permit_ctx = ctx;
}

void rf_agent_inquiries(struct rf_agent *a,
                        enum rf_inquiry_answer (*fill)(void *ctx, struct rf_inquiry *form),
                        void *ctx)
{
    a->tools.fill = fill;
    a->tools.fill_ctx = ctx;
}

struct rf_str rf_agent_tool_words(struct rf_agent *a, struct rf_str tool)
{
    return rf_toolbox_words(&a->tools, tool, a->asking.arena);
}

void rf_agent_enrich(struct rf_agent *a, int priority,
                     bool (*step)(void *ctx, struct rf_str text, struct rf_enriched *out),
                     void *ctx)
{
    rf_enrich_add(a->asking.enrich, priority, step, ctx);
}

struct rf_request *rf_agent_last_request(struct rf_agent *a)
{
    return a->asking.last.request;
}

void rf_agent_cancel(struct rf_agent *a)
{
    rf_halt_cancel(&a->halt);
}
