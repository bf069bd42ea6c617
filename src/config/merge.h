/* Reading one configuration file over what is there: what the files of the sections share.
 *
 * Which keys a section has, and who may set each, is in config/keys.c. A section has a function for
 * each, which takes the value and is called only where this file may set it:
 *
 *     static const struct rf_merge_key keys[] = { { "address", read_address } };
 *     if (rf_merge_is_map(r, value, "\"store\""))
 *         rf_merge_keys(r, value, "store", keys, sizeof keys / sizeof *keys);
 */
#ifndef RF_CONFIG_MERGE_H
#define RF_CONFIG_MERGE_H

#include "config/config.h"
#include "config/yaml.h"

struct rf_key;

struct rf_merge {
    struct rf_config *c;
    const char *file;
    bool of_project; /* the file is */
    struct rf_problems *problems;
    struct rf_str entry;                 /* the name of the model, provider or tool being read */
    struct rf_config_model *model;       /* the entry being read */
    struct rf_config_provider *provider; /* likewise */
    struct rf_config_tool *tool;         /* likewise */
    struct rf_mcp_server_config *server; /* likewise */
    struct rf_config_rule *rule;         /* likewise */
    struct rf_config_key *key;           /* likewise, of the provider */
};

struct rf_merge_key {
    const char *name;
    void (*read)(struct rf_merge *r, const struct rf_yaml *value);
};

/* "FILE:LINE: …" into `err`, for a hint and rf_problem_add. */
__attribute__((format(printf, 4, 5))) void
rf_merge_problem(struct rf_err *err, const struct rf_merge *r, size_t line, const char *fmt, ...);

/* Otherwise that is a problem, which names it as `what`. */
bool rf_merge_is_kind(struct rf_merge *r, const struct rf_yaml *v, enum rf_yaml_kind want,
                      const char *what);
/* A map without entries may be left blank. */
bool rf_merge_is_map(struct rf_merge *r, const struct rf_yaml *v, const char *what);
/* true or false, yes or no. */
bool rf_merge_switch(struct rf_merge *r, const struct rf_yaml *v, const char *what, bool *out);
bool rf_merge_provider_exists(struct rf_merge *r, struct rf_str name, size_t line);
/* "$NAME", as a shell spells a variable. */
bool rf_merge_is_variable(struct rf_str s);
/* The part of a web address that names the host, and whoever logs in there; or empty. */
struct rf_str rf_merge_authority(struct rf_str url);
/* Is there such an entry, or such a provider before its colon? To be asked when all is merged. */
bool rf_merge_model_exists(struct rf_merge *r, struct rf_str name, size_t line, const char *what);

/* Whether a file may set a header of that name, and whether it is one that holds a key. */
bool rf_merge_is_header(struct rf_str name);
bool rf_merge_is_secret(struct rf_str name);

/* Compared with what is in force. */
enum rf_asking {
    RF_ASKS_MORE,
    RF_ASKS_LESS,
};

/* May this file set the key of that row, whose value follows it? Where only the person may, that
 * is a problem; where it takes trust, what is asked for is noted. */
bool rf_merge_may_set(struct rf_merge *r, const struct rf_key *row, const struct rf_yaml *key,
                      enum rf_asking asking);
/* The same for an entry of a section, by its name; `there` is one of that name, or NULL. A project's
 * file changes none of them. */
bool rf_merge_may_name(struct rf_merge *r, const char *section, const struct rf_yaml *key,
                       const void *there);
/* The problem: "a project's file cannot say WHAT". */
void rf_merge_refuse(struct rf_merge *r, size_t line, const char *what);

/* Read a map whose keys are those of that section of the table. */
void rf_merge_keys(struct rf_merge *r, const struct rf_yaml *map, const char *section,
                   const struct rf_merge_key *keys, size_t count);

/* Sections with files of their own. */
void rf_merge_models(struct rf_merge *r, const struct rf_yaml *map);
void rf_merge_providers(struct rf_merge *r, const struct rf_yaml *map);
void rf_merge_sandbox(struct rf_merge *r, const struct rf_yaml *v);
void rf_merge_references(struct rf_merge *r, const struct rf_yaml *v);
void rf_merge_transcribe(struct rf_merge *r, const struct rf_yaml *v);
void rf_merge_serve(struct rf_merge *r, const struct rf_yaml *v);
void rf_merge_tools(struct rf_merge *r, const struct rf_yaml *map);
void rf_merge_mcp(struct rf_merge *r, const struct rf_yaml *map);

/* What can be checked of them when all files are merged. */
void rf_merge_settle_lists(struct rf_merge *r, const struct rf_config_model *m);
void rf_merge_settle_serve(struct rf_merge *r);

/* The servers of a project's .mcp.json. What is wrong with one is its problem, and passed over. */
void rf_merge_mcp_file(struct rf_merge *r, const struct rf_yaml *servers);

#endif
