/* Models that are asked for again and again, by any thread. To open one takes longer than to write
 * a request for it; a copy of one that was opened costs next to nothing.
 *
 *     m = rf_model_recall(cache, name);
 *     if (!m && !(rc = rf_model_open(config, name, &m, err)))
 *         m = rf_model_keep(cache, name, m);
 *     …
 *     rf_model_close(m);
 *
 * What is kept is looked up again after a second, since other processes learn, too. Whoever has
 * learned something of a model forgets them all. That a server was asked about a model, and told
 * nothing that could be kept, is known for longer. */
#ifndef RF_CONFIG_MODEL_CACHE_H
#define RF_CONFIG_MODEL_CACHE_H

#include "base/str.h"

#include <stdint.h>

struct rf_model;
struct rf_model_cache;
struct rf_kept_model;

struct rf_model_cache *rf_model_cache_new(void);
/* Copies live on. Takes NULL. */
void rf_model_cache_free(struct rf_model_cache *c);

/* A copy that is the caller's, who may teach it; NULL where none is kept. */
struct rf_model *rf_model_recall(struct rf_model_cache *c, struct rf_str name);
/* Keep `m`, which is the cache's then, and have a copy of it. */
struct rf_model *rf_model_keep(struct rf_model_cache *c, struct rf_str name, struct rf_model *m);
void rf_model_forget_all(struct rf_model_cache *c);

/* The server of `m`, by provider, name and address, is not to be asked about it for so long. */
void rf_model_note_asked(struct rf_model_cache *c, const struct rf_model *m, int64_t for_ms);
bool rf_model_was_asked(struct rf_model_cache *c, const struct rf_model *m);

/* Who remembers something of a kept model holds it; rf_model_close drops that of a copy. */
struct rf_kept_model *rf_kept_model_hold(struct rf_kept_model *k);
void rf_kept_model_drop(struct rf_kept_model *k); /* takes NULL */

#endif
