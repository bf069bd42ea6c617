/* The inside of an agent: its parts, each of which knows the others by a few functions.
 *
 *     agent.c       the public calls; what is set before a question
 *     halt.c        what stops it
 *     listener.c    whoever hears what it does
 *     turn/         a question: what is said, sent and kept (turn.h has the files)
 *     tools/        what the model is told of tools, and running them (tools.h)
 *     heal/         what to do about a refusal (heal.h)
 */
#ifndef RF_AGENT_AGENT_H
#define RF_AGENT_AGENT_H

#include "agent/halt.h"
#include "agent/heal/heal.h"
#include "agent/listener.h"
#include "agent/tools/tools.h"
#include "agent/turn/turn.h"
#include "agent/workspace.h"

struct rf_agent {
    struct rf_arena *arena; /* as long as the agent */
    struct rf_workspace workspace;
    struct rf_listener listener;
    struct rf_halt halt;
    struct rf_model *model; /* or NULL: none was chosen */
    struct rf_asking asking;
    struct rf_history history;
    struct rf_attached attached;
    struct rf_toolbox tools;
    struct rf_heal *heal;
};

#endif
