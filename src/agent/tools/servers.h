/* MCP servers of the configuration, as an agent has them: which of their tools a model is offered,
 * under which names, and what those are to whoever has to allow them.
 *
 *     rf_servers_look(box);                     before a question: started, listed
 *     tool = rf_servers_tool(box->servers, name);
 *     rf_served_run(run, tool);
 *
 * Nothing is started before the first question. What a server says, of its tools and in results,
 * are its words and never ours: hints that a tool only reads change nothing. One that fails costs
 * its tools and a line. */
#ifndef RF_AGENT_TOOLS_SERVERS_H
#define RF_AGENT_TOOLS_SERVERS_H

#include "agent/tools/tools.h"
#include "mcp/client/client.h"

/* That reads what servers link to: {"server": …, "uri": …}. */
#define RF_READ_RESOURCE "read_resource"

/* What its description begins with, and the server's name in it. */
#define RF_SERVED_FRONT "A tool of the MCP server \"%.*s\", which says of it: "
#define RF_SERVED_NOTHING "nothing"

struct rf_served_tool {
    struct rf_str name; /* that the model calls it by: "SERVER__TOOL", made legal */
    struct rf_str tool; /* as the server calls it */
    size_t server;      /* of rf_servers.all */
    struct rf_str description;
    const struct rf_jval *schema;
    bool allowed; /* the configuration lets it run unasked */
};

/* A name, and the tool that it was given to. */
struct rf_given_name {
    struct rf_str name, tool;
    size_t server;
};

struct rf_server {
    const struct rf_mcp_server_config *config;
    size_t number;              /* of the hub's; SIZE_MAX: it is not one of them */
    struct rf_err problem;      /* why its tools are not offered; code RF_OK: nothing */
    bool is_listed;             /* its tools are known */
    struct rf_str instructions; /* how it is used, in its own words, bounded; or empty */
    struct rf_texts announced;  /* addresses that it named */
    bool reads_unasked;         /* the configuration lets those be read unasked */
    unsigned reads;             /* so many were, since somebody was asked last */
};

/* What a question of a server is answered with. */
struct rf_asker {
    struct rf_toolbox *box;
    struct rf_run *run; /* whose call it asks in; or NULL: no call of a tool is under way */
};

struct rf_servers {
    struct rf_mcp_clients *hub;
    struct rf_asker asker; /* where no tool is called */
    pthread_t own;         /* the agent's thread */
    struct rf_server *all; /* in the order of the configuration, without those that are disabled */
    size_t count;
    struct rf_arena *arena;     /* of the tools, and: */
    struct rf_str instructions; /* of all of them, quoted for a model; or empty */
    struct rf_str named;        /* addresses that the model is told of */
    size_t named_count;         /* of which there would be so many */
    struct rf_tool reader; /* that reads what servers link to; without a name: it is not offered */
    struct rf_served_tool *tools;
    size_t tool_count, tool_cap;
    size_t room;      /* how many there may be */
    uint64_t changes; /* of the hub, when they were listed */
    bool looked;
    pthread_mutex_t lock;        /* of what is announced, and: */
    struct rf_arena *kept;       /* which holds it */
    struct rf_given_name *given; /* in `kept`, as are: */
    size_t given_count, given_cap;
    struct rf_texts noted; /* what was said of servers, in `kept` too; the agent's thread only */
};

/* Have the servers started and their tools listed, where that was not done or a list has changed. A
 * server that cannot be used is told to the listener, once. */
void rf_servers_look(struct rf_toolbox *t);
/* Try those again that could not be used, with the next question. */
void rf_servers_forgive(struct rf_toolbox *t);
void rf_servers_free(struct rf_servers *s); /* takes NULL */

/* The tool of that name, or NULL; `s` may be NULL. */
const struct rf_served_tool *rf_servers_tool(const struct rf_servers *s, struct rf_str name);
/* The server names an address. From any thread. */
void rf_servers_announce(struct rf_servers *s, struct rf_server *server, struct rf_str uri);
bool rf_servers_announced(struct rf_servers *s, const struct rf_server *server, struct rf_str uri);
/* The command of a server, or its address. */
struct rf_str rf_served_reached(const struct rf_mcp_server_config *c, struct rf_arena *a);
/* What a tool is, for the person who is asked. */
struct rf_str rf_served_words(const struct rf_toolbox *t, const struct rf_served_tool *tool,
                              struct rf_arena *a);

/* mcp_names.c: give each of the tools its name, which has at most 64 of A-Z, a-z, 0-9, '_' and
 * '-', and begins with a letter or '_'. Where two would have the same, or one that is `taken`,
 * both end in a few digits that depend on nothing but the server and the tool. A tool that had a
 * name keeps it, and no other is given that. */
void rf_served_name_all(struct rf_servers *s, bool (*taken)(const void *ctx, struct rf_str name),
                        const void *ctx);
/* The tool that has, or had, this name; or NULL. `s` may be NULL. */
const struct rf_given_name *rf_served_given(const struct rf_servers *s, struct rf_str name);

/* mcp_tool.c: run a call. */
void rf_served_run(struct rf_run *r, const struct rf_served_tool *tool);
void rf_resource_run(struct rf_run *r);

/* mcp_words.c: what a server says, such that it is not taken for a note of ours: rf_unforged for
 * each string and each name in it; `v` may be NULL. */
const struct rf_jval *rf_served_say_json(const struct rf_jval *v, struct rf_arena *a);
/* The same for a file that is text; all others stay as they are. */
void rf_served_say_file(struct rf_media *m, struct rf_arena *a);
/* Its words for one of its tools. */
struct rf_str rf_served_description(const struct rf_server *s, const struct rf_mcp_tool *tool,
                                    struct rf_arena *a);
/* Its instructions, each line marked. */
struct rf_str rf_served_instructions(const struct rf_server *s, struct rf_arena *a);

/* mcp_schema.c: the schema as it is, where APIs take it; else as much of it as they do, and
 * `*repaired` says what was wrong and what became of it. */
const struct rf_jval *rf_served_schema(struct rf_str text, struct rf_arena *a,
                                       const char **repaired);

/* mcp_questions.c: a message of what a server has the model asked, as the model gets it and the
 * person is shown it. */
struct rf_message rf_served_message(const struct rf_jval *v, struct rf_arena *a);
/* What a server asks; `ctx` is a struct rf_asker. */
enum rf_code rf_served_ask_model(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                                 struct rf_str *result, struct rf_err *err);
enum rf_code rf_served_ask_person(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                                  struct rf_str *result, struct rf_err *err);

#endif
