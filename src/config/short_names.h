/* Names of models without their provider, or in part: "claude-sonnet-5", "sonnet", "gpt-5-mini".
 *
 * They are looked for in the lists that are kept, a provider with a key and no list having its
 * well-known names instead, then among the well-known names of all: never on the network. Providers
 * are taken in the order in which they would be asked unnamed (usual.h), and the first that has
 * such a model has it. Of several versions of one family the newest counts; several families are an
 * error that lists them. */
#ifndef RF_CONFIG_SHORT_NAMES_H
#define RF_CONFIG_SHORT_NAMES_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;
struct rf_config;
struct rf_list;

/* The whole name of what is meant, in `a`. RF_ENOTFOUND where nothing is, without a word in `err`;
 * RF_EUSAGE where it is not certain which. `c` may be NULL. */
RF_MUST enum rf_code rf_short_name(const struct rf_config *c, struct rf_str given,
                                   struct rf_arena *a, struct rf_str *provider,
                                   struct rf_str *model, struct rf_err *err);
/* The first provider with a key, in the order in which they would be asked unnamed, whose models
 * are called so by a row of the catalogue ("claude-*"); empty where there is none. The name is then
 * one of its models, whether a list has it or not. */
struct rf_str rf_short_name_provider(const struct rf_config *c, struct rf_str given);
/* The provider itself, or another row for the same vendor's models with the same key, whichever is
 * asked for the model in that dialect: a client's request can go there as it came. Where the
 * configuration says something of either row, they are not the same any more. */
struct rf_str rf_short_name_sibling(const struct rf_config *c, struct rf_str provider,
                                    struct rf_str model, const char *dialect, struct rf_arena *a);
/* The model of one provider's list that PROVIDER:PART means, where that is certain; else empty. A
 * name that the list has is itself; one that says a version, and that the catalogue has a row for,
 * may be a name that is not listed. */
struct rf_str rf_short_name_listed(const struct rf_list *list, struct rf_str given,
                                   struct rf_arena *a);
/* "Did you mean PROVIDER:A or PROVIDER:B? ": the nearest of the list, or of the well-known names of
 * the provider where the list is empty; "" where nothing is near. */
const char *rf_short_name_question(const struct rf_list *list, struct rf_str provider,
                                   struct rf_str given, struct rf_arena *a);
/* Does it mean a well-known model, be it with some keys only? Lists do not count. */
bool rf_short_name_is_known(struct rf_str given);

#endif
