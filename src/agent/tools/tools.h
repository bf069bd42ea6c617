/* The tools that a model is offered: those that read files, which are built in, and the commands of the
 * configuration. A run happens in whatever thread, has an arena of its own, and always ends in a result. */
#ifndef RF_AGENT_TOOLS_H
#define RF_AGENT_TOOLS_H

#include "agent/agent.h"

#include <pthread.h>

/* One call on its way to its result. */
struct rf_run {
    struct rf_agent *agent; /* not to be changed: other runs see it too */
    pthread_mutex_t *store; /* held while the store is used */
    const struct rf_agent_call *call;
    struct rf_arena *arena; /* of this run */
    struct rf_str message;  /* the result, as it is kept */
    struct rf_str summary;  /* a line for a person */
    struct rf_temporary folder; /* of what was fetched, which goes with the agent */
    bool failed, done;
    int64_t ms;
    struct rf_batch *batch; /* that it is part of */
    struct rf_str asks, about; /* what somebody is being asked by this run; empty: nothing */
    bool permitted;            /* the answer */
};

/* run.c: is this allowed: a tool by its name and arguments, or "fetch:HOST" and a web address?
 * Whoever decides is asked in the agent's own thread, from whichever this is called in. */
bool rf_run_ask(struct rf_run *r, struct rf_str name, struct rf_str about);

/* "tools": […], for a model that sees or does not. */
void rf_agent_describe_tools(struct rf_agent *a, struct rf_json *w);

/* What a tool is to whoever has to allow it. */
enum rf_tool_trust {
    RF_TOOL_UNKNOWN, /* there is none of that name */
    RF_TOOL_READS,   /* it changes nothing, or the configuration allows it */
    RF_TOOL_ASKS,
};
enum rf_tool_trust rf_agent_trust(const struct rf_agent *a, struct rf_str name);

/* Run it. */
void rf_tool_run(struct rf_run *r);

/* The result of a run: with the members of an object, or as a failure in words for the model. */
void rf_run_result(struct rf_run *r, const struct rf_jval *result);
__attribute__((format(printf, 2, 3))) void rf_run_fail(struct rf_run *r, const char *fmt, ...);

/* web.c: a web address in the place of a path. What is there becomes a file, and its path, with the part that
 * was named behind it. Fails as rf_fetch does. */
bool rf_web_is_address(struct rf_str path);
RF_MUST enum rf_code rf_web_fetch(struct rf_run *r, struct rf_str url, struct rf_str *path,
                                  struct rf_err *err);

/* command_tool.c: a command of the configuration. */
const struct rf_config_tool *rf_command_find(const struct rf_agent *a, struct rf_str name);
void rf_command_run(struct rf_run *r, const struct rf_config_tool *tool);

#endif
