/* Reading one configuration file over what is there: what the files of the sections share.
 *
 * A section is a table of keys, each with a function that takes its value:
 *
 *     static const struct rf_merge_key keys[] = { { "address", read_address } };
 *     if (rf_merge_is_map(r, value, "\"store\""))
 *         rf_merge_keys(r, value, keys, sizeof keys / sizeof *keys);
 */
#ifndef RF_CONFIG_MERGE_H
#define RF_CONFIG_MERGE_H

#include "config/config.h"
#include "config/yaml.h"

#define RF_MERGE_MAX_KEYS 16 /* of one table */

struct rf_merge {
    struct rf_config *c;
    const char *file;
    struct rf_problems *problems;
    struct rf_config_model *model;       /* the entry being read */
    struct rf_config_provider *provider; /* likewise */
    struct rf_config_tool *tool;         /* likewise */
};

struct rf_merge_key {
    const char *name;
    void (*read)(struct rf_merge *r, const struct rf_yaml *value);
};

/* "FILE:LINE: …" into `err`, for a hint and rf_problem_add. */
__attribute__((format(printf, 4, 5))) void rf_merge_problem(struct rf_err *err,
                                                            const struct rf_merge *r, size_t line,
                                                            const char *fmt, ...);

/* Otherwise that is a problem, which names it as `what`. */
bool rf_merge_is_kind(struct rf_merge *r, const struct rf_yaml *v, enum rf_yaml_kind want,
                      const char *what);
/* A map without entries may be left blank. */
bool rf_merge_is_map(struct rf_merge *r, const struct rf_yaml *v, const char *what);
/* true or false, yes or no. */
bool rf_merge_switch(struct rf_merge *r, const struct rf_yaml *v, const char *what, bool *out);
/* Some things are not for a folder to say that somebody was given: a problem where this is a project's
 * file ("cannot say WHAT"). */
bool rf_merge_is_own(struct rf_merge *r, size_t line, const char *what);
bool rf_merge_provider_exists(struct rf_merge *r, struct rf_str name, size_t line);

void rf_merge_keys(struct rf_merge *r, const struct rf_yaml *map, const struct rf_merge_key *keys,
                   size_t count);

/* Sections with files of their own. */
void rf_merge_providers(struct rf_merge *r, const struct rf_yaml *map);
void rf_merge_references(struct rf_merge *r, const struct rf_yaml *v);
void rf_merge_tools(struct rf_merge *r, const struct rf_yaml *map);

#endif
