/* The lists of models that providers gave, as they are kept: CACHE/models/PROVIDER/DIGEST.json.
 *
 *     {"version": 1, "provider": "anthropic", "fetched": 1763280000,
 *      "models": [{"name": "claude-sonnet-5", "created": 1757000000,
 *                  "facts": "context_tokens=200000", "purpose": "embeddings"}],
 *      "cut": true}
 *
 * The digest is one of the address and of whatever chooses the key, so that each key has its own
 * list and no key can be read from it. It is known without a command being run and without the
 * network: names are completed and looked up here. A list is as old as it is; who wants a fresh
 * one asks for it (send/list.h). */
#ifndef RF_CONFIG_LISTS_H
#define RF_CONFIG_LISTS_H

#include "base/error.h"
#include "base/str.h"
#include "model/providers.h"

#include <stdint.h>

struct rf_arena;
struct rf_config;

struct rf_listed {
    struct rf_str name;
    int64_t created;       /* seconds since 1970; 0: not said */
    struct rf_str facts;   /* "NAME=VALUE …", as in the catalogue */
    struct rf_str purpose; /* "embeddings": it does not converse; empty: it does */
};

struct rf_list {
    const struct rf_provider_row *row;
    int64_t fetched; /* seconds since 1970 */
    struct rf_listed *models;
    size_t count, cap;
    uint32_t *by_name; /* the same, sorted: rf_list_add keeps it */
    size_t sorted, sorted_cap;
    bool cut; /* it was too long: this is its beginning */
};

/* The list of that provider with the key and the address that are in force, in `a`; false where
 * none is kept, or it cannot be read: it is to be fetched again. `c` may be NULL. */
bool rf_list_recall(const struct rf_config *c, const struct rf_provider_row *row,
                    struct rf_arena *a, struct rf_list *out);
/* Keep it. Fails with RF_EIO; without a folder for what can be made again nothing is kept. */
RF_MUST enum rf_code rf_list_keep(const struct rf_config *c, const struct rf_list *list,
                                  struct rf_err *err);

/* Is it of today? */
bool rf_list_is_fresh(int64_t fetched);

/* Put it in, unless one of that name is; a list that is full is cut. */
void rf_list_add(struct rf_list *list, const struct rf_listed *m, struct rf_arena *a);
/* Put in the names of its provider that are known without a list. */
void rf_list_add_known(struct rf_list *list, struct rf_arena *a);
/* The model of that name, or NULL. */
struct rf_listed *rf_list_find(const struct rf_list *list, struct rf_str name);
/* The day of its date, "2026-11-16". */
struct rf_str rf_list_day(const struct rf_list *list, struct rf_arena *a);

#endif
