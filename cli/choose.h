/* Which model answers: what was said, else what the session had, else what is usual here
 * (rf_usual_find). Where a key alone has decided, or the lack of one, there is a line that says so.
 *
 *     rf_choose_model(args->values[MODEL], config, store, session, &chosen);
 *     if (chosen.note[0]) …
 */
#ifndef RF_CLI_CHOOSE_H
#define RF_CLI_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/model.h>
#include <refract/session.h>

struct rf_chosen {
    char model[512]; /* as it is opened */
    char whole[512]; /* as it is shown: PROVIDER:MODEL, also for a name of the configuration */
    char note
        [512]; /* why this one, and how to have another; "" where somebody has named all of it */
};

/* `given` may be NULL; `session` is an id, or "". */
void rf_choose_model(const char *given, const struct rf_config *config, struct rf_store *store,
                     const char *session, struct rf_chosen *out);

/* The same for a command that writes what a model would be sent, which prints the note. Fails with
 * RF_EUSAGE and `unknown` where none was named and no key is set. */
enum rf_code rf_choose_target(const char *given, const struct rf_config *config,
                              const char *unknown, struct rf_chosen *out, struct rf_err *err);

/* Where several keys are set and nothing else has decided, ask on the terminal which model it shall
 * be from now on, and keep the answer in the configuration. Without a terminal it stays as it
 * is. */
void rf_choose_ask(const struct rf_config *config, struct rf_chosen *out);

/* The whole name of what a name stands for, or the name itself where that is unknown. True where it
 * was a part of it: then it is to be said which was taken. */
bool rf_choose_whole(const struct rf_config *config, const char *name, char *out, size_t size);

/* "model: PROVIDER:MODEL" to standard error, where the model was named in part. */
void rf_choose_tell(const struct rf_model *m);

/* How a model is called: "PROVIDER:MODEL", or one word where the provider is its own and only
 * model. */
void rf_choose_name(struct rf_str provider, struct rf_str model, char *out, size_t size);
/* Is this provider such a one? */
bool rf_choose_is_model(const char *provider);

#endif
