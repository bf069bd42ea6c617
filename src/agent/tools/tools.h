/* Tools of the agent: what the model is told of them, who may run, and running one. A tool is
 * built in, a command of the configuration, a function of the program, or one of an MCP server. A
 * run happens in whatever thread, has arenas of its own, and always ends in a result.
 *
 *     rf_toolbox_describe(&t, model, arena, &conversation);
 *     batch = rf_batch_run(&t, session, calls, count);
 *     … rf_batch_results(batch) …
 *     rf_batch_free(batch); */
#ifndef RF_AGENT_TOOLS_TOOLS_H
#define RF_AGENT_TOOLS_TOOLS_H

#include "agent/halt.h"
#include "agent/listener.h"
#include "agent/texts.h"
#include "agent/workspace.h"
#include "config/config.h"
#include "content/content.h"

#include <refract/temporary.h>

#include <pthread.h>

struct rf_batch;
struct rf_bytes;
struct rf_inquiry;
struct rf_model;
struct rf_servers;
struct rf_session;

/* A tool that is a function of the program. */
struct rf_function {
    struct rf_str name, description;
    const struct rf_jval *schema;
    enum rf_tool_permission permission;
    enum rf_code (*run)(void *context, struct rf_running *call, struct rf_result *result,
                        struct rf_err *err);
    void *context;
};

struct rf_toolbox {
    struct rf_arena *arena; /* the agent's, as are: */
    const struct rf_workspace *workspace;
    const struct rf_listener *listener;
    const struct rf_halt *halt;
    bool keeps_files;  /* there is a store, which has attachments */
    bool keeps_logins; /* of MCP servers, for the next process */
    bool off;          /* the model is told of none */
    bool only_own;     /* of none but functions */
    bool unseen;       /* pictures are not for the model that they were described to last */
    struct rf_function *functions;
    size_t function_count, function_cap;
    enum rf_permission (*permit)(void *ctx, struct rf_str tool, struct rf_str arguments);
    void *permit_ctx;
    struct rf_texts permitted;    /* names of tools that may run from now on */
    struct rf_texts granted;      /* real paths of files that a person named: tools may read them */
    struct rf_texts named;        /* real paths of files that functions named */
    struct rf_temporary *fetched; /* folders of what was fetched from the web */
    size_t fetched_count, fetched_cap;
    struct rf_servers *servers; /* of MCP: servers.h; NULL: none were started yet */
    struct rf_str only_server;  /* no other is started; empty: all are */
    bool servers_shown;         /* how each is, is looked at: who fails need not be told of */
    bool servers_told;          /* what is wrong with the file that names them */
    /* Answer what a server asks the model: MCP's params and result; or NULL. */
    enum rf_code (*sample)(void *ctx, const struct rf_jval *params, struct rf_arena *a,
                           struct rf_str *result, struct rf_err *err);
    void *sample_ctx;
    /* Have a person fill in a form; or NULL. */
    enum rf_inquiry_answer (*fill)(void *ctx, struct rf_inquiry *form);
    void *fill_ctx;
    const struct rf_jval **schemas; /* of the tools that are built in, then of commands; or NULL */
};

void rf_toolbox_release(struct rf_toolbox *t);

/* The tools of a conversation, for a model that sees or does not. */
void rf_toolbox_describe(struct rf_toolbox *t, const struct rf_model *m, struct rf_arena *a,
                         struct rf_conversation *out);

/* The system prompt with what servers say of their tools after it. */
struct rf_str rf_toolbox_instruct(const struct rf_toolbox *t, struct rf_str system,
                                  struct rf_arena *a);

/* How many tools there are beside those of servers, at most: some are not for every model. */
size_t rf_toolbox_own(const struct rf_toolbox *t);

/* What a command is, for the person who is asked: its words, and the file that names it where that
 * is a project's; empty for a tool that is not a command. */
struct rf_str rf_toolbox_words(const struct rf_toolbox *t, struct rf_str tool, struct rf_arena *a);

/* Let tools read a file that a person named, wherever it is. */
void rf_toolbox_grant(struct rf_toolbox *t, const char *path);
/* How many there are, and taking back all but the first so many. */
size_t rf_toolbox_granted(const struct rf_toolbox *t);
void rf_toolbox_revoke(struct rf_toolbox *t, size_t granted);
/* What the person and functions named and what was fetched: the results of tools may name it. */
struct rf_texts rf_toolbox_nameable(const struct rf_toolbox *t, struct rf_arena *a);

/* What a model calls. */
struct rf_agent_call {
    struct rf_str id, name;
    const struct rf_jval *arguments; /* an object */
    struct rf_str text;              /* the same as JSON */
    struct rf_str malformed;         /* what the model wrote where they should be; or empty */
};

/* Run the calls, several at once. Where the agent was stopped, the results say so. */
struct rf_batch *rf_batch_run(struct rf_toolbox *t, struct rf_session *session,
                              const struct rf_agent_call *calls, size_t count);
/* One for each call, in their order. */
const struct rf_message *rf_batch_results(const struct rf_batch *b);
void rf_batch_free(struct rf_batch *b);

#define RF_RUN_WORDS 200

/* One call on its way to its result. */
struct rf_run {
    struct rf_toolbox *box;     /* not to be changed: other runs see it too */
    struct rf_batch *batch;     /* that it is part of */
    struct rf_session *session; /* or NULL */
    pthread_mutex_t *store;     /* held while the store is used */
    const struct rf_agent_call *call;
    struct rf_arena *arena; /* while it runs */
    struct rf_arena *kept;  /* of the result */
    struct rf_message *result;
    struct rf_result *held;     /* that it is of, with what it points to; or NULL */
    struct rf_str summary;      /* a line for a person */
    enum rf_reason reason;      /* why it failed, where that is known */
    struct rf_texts named;      /* real paths of files that it may name */
    struct rf_temporary folder; /* of what was fetched, which goes with the agent */
    bool answered, done;
    int64_t ms;
    void (*own)(void *ctx); /* to be done in the agent's own thread; NULL: nothing is */
    void *own_ctx;
    struct rf_run_step { /* how far it is, where nobody was told yet */
        bool news;
        int64_t done, of;
        char words[RF_RUN_WORDS];
        size_t n;
    } step;
};

/* run.c: do something in the agent's own thread, from whichever this is called in, and wait for it:
 * whoever listens or decides is there. */
void rf_run_own(struct rf_run *r, void (*what)(void *ctx), void *ctx);
/* Is this allowed: a tool by its name and arguments, or "fetch:HOST" and a web address? */
bool rf_run_ask(struct rf_run *r, struct rf_str name, struct rf_str about);
/* Tell how far it is, without waiting: what is not heard before the next step is not told. */
void rf_run_progress(struct rf_run *r, int64_t done, int64_t of, struct rf_str words);

/* What a tool is to whoever has to allow it. */
enum rf_tool_trust {
    RF_TOOL_UNKNOWN, /* there is none of that name */
    RF_TOOL_READS,   /* it changes nothing, or the configuration allows it */
    RF_TOOL_ASKS,
};
enum rf_tool_trust rf_toolbox_trust(const struct rf_toolbox *t, struct rf_str name);

/* Run it. */
void rf_tool_run(struct rf_run *r);

/* The result of a run: `m` with the call that it answers, or a failure in words for the model; or
 * all of a result, which the run takes over. */
void rf_run_result(struct rf_run *r, const struct rf_message *m);
void rf_run_hold(struct rf_run *r, struct rf_result *result);
__attribute__((format(printf, 2, 3))) void rf_run_fail(struct rf_run *r, const char *fmt, ...);

/* Cut the texts and the data of a result where there is no store that has room for all of them.
 * Files that hide in them become blocks first. */
void rf_run_bound(const struct rf_run *r, struct rf_message *m);

/* Keep bytes in the session, which there is, for the result. */
RF_MUST enum rf_code rf_run_keep(struct rf_run *r, const struct rf_bytes *bytes, struct rf_arena *a,
                                 struct rf_str *blob, struct rf_err *err);

/* web.c: a web address in the place of a path. What is there becomes a file, and its path, with
 * the part that was named after it. Fails as rf_fetch does. */
bool rf_web_is_address(struct rf_str path);
RF_MUST enum rf_code rf_web_fetch(struct rf_run *r, struct rf_str url, struct rf_str *path,
                                  struct rf_err *err);

/* function_tool.c: a function of the program, by its name; or NULL. */
const struct rf_function *rf_toolbox_function(const struct rf_toolbox *t, struct rf_str name);
void rf_function_run(struct rf_run *r, const struct rf_function *f);

/* command_tool.c: a command of the configuration. */
void rf_command_run(struct rf_run *r, const struct rf_config_tool *tool);

#endif
