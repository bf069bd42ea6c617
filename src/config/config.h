/* What the configuration files say, merged: models under names of their own with single facts set,
 * endpoints that were moved, and the limits of the tools.
 *
 * Every struct rf_config owns an arena that holds all of it. What is wrong in a file is a problem
 * here and not yet an error: it is told to whoever asked, and reading goes on.
 */
#ifndef RF_CONFIG_CONFIG_H
#define RF_CONFIG_CONFIG_H

#include "base/error.h"
#include "base/str.h"
#include "config/trust.h"
#include "media/worker.h"
#include "source/read_limits.h"

#include <refract/config.h>

struct rf_arena;
struct rf_yaml;

struct rf_place {
    const char *file;
    size_t line;
};

enum rf_section {
    RF_SECTION_CAPABILITIES,
    RF_SECTION_LIMITS,
    RF_SECTION_SETTINGS, /* how it is asked: these stand beside the others */
};
#define RF_SECTION_COUNT 3

struct rf_config_fact {
    struct rf_str name, value;
    enum rf_section section; /* that it stands in; the first two take any fact */
    struct rf_place place;
};

/* Names of models in a list: of other entries, or PROVIDER:MODEL. */
struct rf_config_names {
    struct rf_str *names;
    size_t count, cap;
    struct rf_place place; /* file NULL: it was not said */
};

struct rf_config_model {
    struct rf_str name, provider, model;
    struct rf_str same_as; /* PROVIDER:MODEL or another entry, where that is all that is said */
    struct rf_config_names any;      /* one of these answers; where it is said, there is no model */
    struct rf_config_names fallback; /* that are asked, in this order, where it cannot answer */
    int64_t weight;                  /* in an `any`; 0: not said, which is 1 */
    struct rf_config_fact *facts;
    size_t count, cap;
    struct rf_place place; /* where it was named last */
};

/* A value "$NAME" is the variable's. */
struct rf_config_header {
    struct rf_str name, value;
};

/* How a key is found: by the command where there is one, else in the variable. */
struct rf_config_key {
    struct rf_str variable; /* without its "$" */
    struct rf_str *command; /* that prints it: a program and its arguments */
    size_t command_count, command_cap;
};

/* Empty: not said. */
struct rf_config_provider {
    struct rf_str name, base_url;
    struct rf_config_key key;   /* of key and key_command */
    struct rf_config_key *keys; /* several, in place of that one */
    size_t key_count, key_cap;
    struct rf_place keys_place; /* file NULL: there are none */
    struct rf_str region, project, location;
    struct rf_config_header *headers;
    size_t header_count, header_cap;
    bool plain_proxy; /* a proxy may read requests with a key, since they go there by plain HTTP */
};

/* A tool that is a command: the arguments of a call come as JSON to its standard input. */
struct rf_config_tool {
    struct rf_str name, description;
    struct rf_str schema;     /* JSON: an object; or empty */
    struct rf_str shell;      /* a line for the shell; or empty: */
    struct rf_str *arguments; /* the program and its arguments */
    size_t argument_count, argument_cap;
    struct rf_str *variables; /* names of those that it gets beside the usual */
    size_t variable_count, variable_cap;
    bool read_only, allow; /* the person is not asked before it runs */
    int64_t timeout_s;     /* 0: the usual */
    struct rf_place place; /* where it was named last */
};

/* A server of the Model Context Protocol (mcp_servers). Texts are as they stand in the file, but for
 * "$NAME", which is "${NAME}" here: rf_mcp_server_resolve puts the values of variables in. */
struct rf_mcp_server_config {
    struct rf_str name;
    struct rf_str *command; /* the program, perhaps with arguments; none: it is reached at `url` */
    size_t command_count, command_cap;
    struct rf_str *args; /* those that follow */
    size_t arg_count, arg_cap;
    struct rf_config_header *env; /* variables that it gets beside the usual */
    size_t env_count, env_cap;
    struct rf_str cwd; /* the folder that it runs in; empty: ours */
    struct rf_str url;
    struct rf_config_header *headers;
    size_t header_count, header_cap;
    struct rf_str client_id, client_secret; /* by which we are known, where a login is needed */
    struct rf_str issuer;                   /* the only one who may give it; empty: any */
    int64_t callback_port;                  /* that the browser comes back to then; 0: a free one */
    int64_t timeout_s;                      /* of one request; 0: the usual */
    struct rf_str *tools;                   /* patterns of those that are offered; none: all */
    size_t tool_count, tool_cap;
    struct rf_str *allow; /* patterns of its tools that run unasked, whatever they do */
    size_t allow_count, allow_cap;
    struct rf_str *read_only; /* likewise of those that change nothing */
    size_t read_only_count, read_only_cap;
    bool disabled;
    struct rf_str problem; /* why it cannot be used, in a file that is not ours; or empty */
    struct rf_place place; /* where it was named last */
};

struct rf_config_limit {
    int64_t value;
    struct rf_place place; /* file NULL: not set */
};

/* What is said about keeping sessions. */
struct rf_config_store {
    struct rf_str address, blobs; /* empty: not said */
    bool leave_files;
    struct rf_place place; /* where it was said last; file NULL: nowhere */
};

/* Limits of what is kept; rows as those of the tools, which have their names in the same map. */
enum rf_store_limit {
    RF_STORE_LIMIT_FILE,
    RF_STORE_LIMIT_TEXT,
};
#define RF_STORE_LIMIT_COUNT 2
extern const struct rf_limit_row rf_store_limit_rows[RF_STORE_LIMIT_COUNT];

/* How long one answer of a provider may take, from the first byte of the request to the last of the
 * answer. */
extern const struct rf_limit_row rf_answer_limit_row;
/* `c` may be NULL. */
int64_t rf_config_answer_ms(const struct rf_config *c);

/* What is said about references to files (@photo.png). */
struct rf_config_references {
    bool off;
    struct rf_str *models; /* patterns of models that they are for; none: all */
    size_t model_count, model_cap;
    const char *base_path; /* that those of a person start from; or NULL */
    struct rf_place place; /* where it was said last; file NULL: nowhere */
};

/* Are references, and the tool that shows pictures, for this model? `c` may be NULL. */
bool rf_config_refers(const struct rf_config *c, struct rf_str provider, struct rf_str model,
                      struct rf_arena *a);

/* The command that tells what is said in a recording: request/transcribe.h. */
struct rf_config_transcribe {
    struct rf_str *arguments; /* the program and its arguments; none: nothing is transcribed */
    size_t count, cap;
    int64_t timeout_s;     /* 0: the usual */
    struct rf_place place; /* where it was said last; file NULL: nowhere */
};

/* Numbers of the gateway, each with its row. */
enum rf_serve_number {
    RF_SERVE_MAX_BODY,
    RF_SERVE_MAX_IN_FLIGHT,
    RF_SERVE_FIRST_BYTE_SECONDS,
    RF_SERVE_IDLE_SECONDS,
    RF_SERVE_KEEP_REQUESTS_DAYS,
};
#define RF_SERVE_NUMBER_COUNT (RF_SERVE_KEEP_REQUESTS_DAYS + 1)
extern const struct rf_limit_row rf_serve_rows[RF_SERVE_NUMBER_COUNT];

/* Requests for models whose names fit `match` go to `model`: an entry, or PROVIDER:MODEL. */
struct rf_config_rule {
    struct rf_str match, model;
    struct rf_place place;
};

/* When the gateway reads a request whose API is the model's own, too. */
enum rf_serve_plan {
    RF_PLAN_NEEDED, /* where a file in it needs help; else its bytes pass */
    RF_PLAN_ALWAYS,
};

#define RF_USUAL_LISTEN "127.0.0.1:8484"

/* What is said about the gateway. Empty: not said; texts but those of rules end with a NUL. */
struct rf_config_serve {
    struct rf_str listen;
    struct rf_config_limit numbers[RF_SERVE_NUMBER_COUNT];
    struct rf_config_rule *rules; /* the first that fits counts */
    size_t rule_count, rule_cap;
    struct rf_str log;                          /* a whole path, or "-" */
    struct rf_str certificate, certificate_key; /* whole paths: both, or neither */
    enum rf_serve_plan plan;
    struct rf_str traces;  /* a URL */
    struct rf_place place; /* where it was said last; file NULL: nowhere */
};

/* The number that is in force; `c` may be NULL. */
int64_t rf_config_serve_number(const struct rf_config *c, enum rf_serve_number which);
/* What is in force for this key of `serve` where nobody has set it; empty: nothing is. */
struct rf_str rf_config_serve_usual(struct rf_str key, struct rf_arena *a);

struct rf_config_file {
    const char *path;
    bool exists;
    bool of_project; /* it came with a folder, perhaps from somebody else */
    bool of_others;  /* other programs read it too: what is wrong in it is told, and passed over */
    bool asks;       /* for something that needs trust */
};

#define RF_CONFIG_FILES 3

/* Whether the project's files are trusted: all that ask for something, or none. */
struct rf_config_trust {
    enum rf_trust answer;
    struct rf_trust_file files[RF_CONFIG_FILES]; /* those that ask, as they were read */
    size_t file_count;                           /* 0 where they have no answer */
    struct rf_asked *asked;
    size_t count, cap;
    struct rf_err problem; /* code RF_OK: none */
};

/* It does not change once it was opened, so that any number of threads may read it. */
struct rf_config {
    struct rf_arena *arena;
    const char *cache_folder;                     /* or NULL */
    struct rf_config_file files[RF_CONFIG_FILES]; /* in reading order */
    size_t file_count;
    struct rf_config_trust trust;
    bool withholds; /* what needs trust is passed over */
    struct rf_config_model *models;
    size_t model_count, model_cap;
    struct rf_config_provider *providers;
    size_t provider_count, provider_cap;
    struct rf_config_limit limits[RF_LIMIT_COUNT];
    struct rf_config_limit store_limits[RF_STORE_LIMIT_COUNT];
    struct rf_config_limit answer_seconds;
    struct rf_config_store store;
    struct rf_config_references references;
    struct rf_config_transcribe transcribe;
    struct rf_config_serve serve;
    struct rf_config_tool *tools;
    size_t tool_count, tool_cap;
    struct rf_mcp_server_config *mcp_servers;
    size_t mcp_server_count, mcp_server_cap;
    struct rf_err mcp_problem;   /* of the project's .mcp.json and no one server; RF_OK: none */
    bool fetch;                  /* web addresses that a tool or a model names */
    struct rf_place fetch_place; /* file NULL: it was not said */
    /* From which is fetched unasked: "example.org", "*.example.org", "*". */
    struct rf_str *fetch_hosts;
    size_t fetch_host_count, fetch_host_cap;
    enum rf_sandbox sandbox;       /* that the workers must have at least */
    struct rf_place sandbox_place; /* file NULL: it was not said */
};

/* The problems so far. `found`, which may be NULL, hears of each. */
struct rf_problems {
    void (*found)(void *ctx, const struct rf_err *problem);
    void *ctx;
    size_t count;
    struct rf_err first;
    size_t passed_over; /* those of rf_problem_pass */
};

void rf_problem_add(struct rf_problems *p, const struct rf_err *problem);
/* One that stops nothing, since the file is for other programs too. */
void rf_problem_pass(struct rf_problems *p, const struct rf_err *problem);
/* Something that is worth saying and not wrong: its code is RF_OK, and it does not count. */
void rf_problem_note(struct rf_problems *p, const struct rf_err *note);

/* Put what one file says over what is there. */
void rf_config_merge(struct rf_config *c, const char *file, const struct rf_yaml *root,
                     struct rf_problems *problems);

/* What can be checked only when all files are merged: that models are named whole, and that their
 * facts fit them. */
void rf_config_settle(struct rf_config *c, struct rf_problems *problems);

/* Where the user's own file is, or NULL; and what is wrong with a text, were it that file. */
const char *rf_config_user_file(struct rf_arena *a);
void rf_config_judge(struct rf_str text, struct rf_arena *a, struct rf_problems *problems);

/* The row of a limit, by its name and by index; or NULL. A hint for a name that has none. */
const struct rf_limit_row *rf_config_limit_row(struct rf_str name);
const struct rf_limit_row *rf_config_limit_at(size_t i);
void rf_hint_limit(struct rf_err *e, struct rf_str given);

/* Where data is kept, and what can be made again: $XDG_DATA_HOME/refract or ~/.local/share/refract,
 * $XDG_CACHE_HOME/refract or ~/.cache/refract; NULL where neither is known. */
const char *rf_folder_data(struct rf_arena *a);
const char *rf_folder_cache(struct rf_arena *a);

/* A folder that is named for the store, whose "~/" is the home folder; NULL where `path` is
 * empty. */
const char *rf_store_folder(struct rf_str path, struct rf_arena *a);

/* Is the store one that several machines share? */
bool rf_config_is_shared(const struct rf_config *c);
/* Is there a store already, so that opening it makes none? One on a server is. `c` may be NULL. */
bool rf_store_is_there(const struct rf_config *c);

/* Is the file there one that came with a folder? */
bool rf_config_is_projects(const struct rf_config *c, struct rf_place place);

/* What is said of a provider, or NULL; `c` may be NULL. */
const struct rf_config_provider *rf_config_provider(const struct rf_config *c, struct rf_str name);

/* How many keys are configured, and one of them; none: those of the environment count. `p` may be
 * NULL. */
size_t rf_config_key_count(const struct rf_config_provider *p);
const struct rf_config_key *rf_config_key(const struct rf_config_provider *p, size_t i);

/* The tool of that name, or NULL; `c` may be NULL. */
const struct rf_config_tool *rf_config_tool(const struct rf_config *c, struct rf_str name);

/* The server of that name, or NULL; `c` may be NULL. */
const struct rf_mcp_server_config *rf_config_mcp_server(const struct rf_config *c,
                                                        struct rf_str name);
/* The same with the values of variables in place of their names. Fails with RF_ECONFIG where one is
 * not set, or the server has a problem. */
RF_MUST enum rf_code rf_mcp_server_resolve(const struct rf_mcp_server_config *s, struct rf_arena *a,
                                           struct rf_mcp_server_config *out, struct rf_err *err);

struct rf_model;
/* Set what a fact or a setting says. Fails with RF_ECONFIG, without the place. */
RF_MUST enum rf_code rf_config_apply(struct rf_model *m, const struct rf_config_fact *f,
                                     struct rf_err *err);

/* The entry of that name, or NULL. */
const struct rf_config_model *rf_config_find(const struct rf_config *c, struct rf_str name);
/* Does the name stand for one of several? */
bool rf_config_is_any(const struct rf_config *c, struct rf_str name);

#endif
