/* Hints for names that do not exist: the nearest ones that do, and how such names look. */
#ifndef RF_CONFIG_NAMES_H
#define RF_CONFIG_NAMES_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;
struct rf_config;

/* A provider of one model, which has its name: it is named without a colon. */
bool rf_model_is_provider(struct rf_str name);
/* Does a name mean a model, or a kind of models, without the configuration: a provider's, one that
 * the catalogue knows, or a part of a well-known one? */
bool rf_model_is_known(struct rf_str name);
bool rf_fact_exists(struct rf_str name);

void rf_hint_provider(struct rf_err *err, struct rf_str given);
void rf_hint_fact(struct rf_err *err, struct rf_str given);
/* Looks among the names of the user's configuration too, not among a project's; `c` may be NULL. */
void rf_hint_model(struct rf_err *err, const struct rf_config *c, struct rf_str given);
/* The model that was probably meant, where this is one of which the catalogue knows nothing but
 * what all of its kind have in common, and that differs by a letter or two from one that it knows;
 * else empty. Another version is not another spelling: digits have to be the same. */
struct rf_str rf_model_meant(struct rf_str provider, struct rf_str model, struct rf_arena *a);
/* The names are the `count` strings at `names`. */
void rf_hint_key(struct rf_err *err, struct rf_str given, const char *const *names, size_t count);
/* The names are those that the table of keys has in the map at `section`: keys.h. */
void rf_hint_section_key(struct rf_err *err, struct rf_str given, const char *section);

#endif
