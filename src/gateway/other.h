/* Paths of a vendor's API that are not known here: embeddings, batches, files, and what comes next.
 *
 *     POST /v1/embeddings {"model":"mine"}  ──▶  the provider's /v1/embeddings {"model":"theirs"}
 *
 * They go to the provider of the model that the body or the path names; of the model that answers
 * everything; or of the one that a rule has for any name. It has to speak the client's API. The
 * body is the client's but for the model's name, the key is ours, and the reply is the provider's,
 * byte for byte. Nothing of either is understood: such a request is not planned, healed or metered,
 * so a key whose tokens or money are limited may not send it. */
#ifndef RF_GATEWAY_OTHER_H
#define RF_GATEWAY_OTHER_H

#include "gateway/translate.h"

/* Read what there is to be read of the body: t->given, t->asked. */
void rf_other_read(struct rf_translation *t);
/* Why the client's key may not send it; or an empty string. */
struct rf_str rf_other_scope(const struct rf_translation *t);
/* That the path is nobody's, where no model says whose it may be. */
struct rf_str rf_other_unknown(const struct rf_translation *t);
/* The provider whose models have names that are not known, by the client's API. */
const char *rf_other_provider(const struct rf_translation *t);
/* Where the model's provider has this path of the client's API: t->path. False: it does not speak
 * it. */
bool rf_other_find_path(struct rf_translation *t, const struct rf_front_other *other);
/* Make t->request and t->path for the model's provider. Why not, or an empty string. */
struct rf_str rf_other_build(struct rf_translation *t);

#endif
