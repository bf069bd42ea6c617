/* Which model answers: what was said, else what the session had, else what is usual here
 * (REFRACT_MODEL, or one that the configuration calls "default"), else offline.
 *
 *     bool named = rf_choose_model(args->values[MODEL], config, store, session, model,
 *                                  sizeof model);
 */
#ifndef RF_CLI_CHOOSE_H
#define RF_CLI_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/session.h>

/* `given` may be NULL; `session` is an id, or "". False where none was named. */
bool rf_choose_model(const char *given, const struct rf_config *config, struct rf_store *store,
                     const char *session, char *out, size_t size);

/* How a model is called: "PROVIDER:MODEL", or one word where the provider is its own and only
 * model. */
void rf_choose_name(struct rf_str provider, struct rf_str model, char *out, size_t size);
/* Is this provider such a one? */
bool rf_choose_is_model(const char *provider);

#endif
