/* What is not well upstream, for all loops: keys that are not to be used for a while, and models
 * that are not to be asked.
 *
 *     if (rf_health_is_out(h, key, &out)) …            another key
 *     turn = rf_health_may_ask(h, target, &out);
 *     if (turn == RF_HEALTH_NO_TURN) …                  another model
 *     … ask …
 *     rf_health_worked(h, target, at_ms);
 *     rf_health_put_out(h, key, &why, for_ms);         it was refused, or is to wait
 *     rf_health_failed(h, target, turn, &why);         nobody could have been answered
 *     if (turn == RF_HEALTH_TRIAL)
 *         rf_health_give_back(h, target);              it was not found out after all
 *
 * A model that failed several times in a row is let alone for a pause; then one request finds out
 * whether it is well again, and the next pause is longer where it is not. Well is who answers, be
 * it with a refusal: what is wrong with a request or a key is not wrong with a model. Names are
 * those of routes, and never hold a key. It belongs to the process: another configuration finds
 * what it knew, but for keys that were refused, since a reload is how a person says that they were
 * mended. */
#ifndef RF_GATEWAY_HEALTH_H
#define RF_GATEWAY_HEALTH_H

#include "base/str.h"

#include <refract/reply.h>

#include <pthread.h>
#include <stdatomic.h>

#define RF_HEALTH_FAILURES 5 /* in a row, before a model is let alone */

/* What is wrong, as the next client is told it. */
struct rf_illness {
    enum rf_error_kind kind;
    int status;       /* that the client is given */
    char words[100];  /* the gateway's own */
    int64_t until_ms; /* on rf_now_ms's clock; of what is out */
};

struct rf_health {
    pthread_mutex_t lock;
    atomic_size_t count; /* 0: all is well, and nobody need take the lock */
    struct rf_patient *patients;
};

void rf_health_init(struct rf_health *h);
void rf_health_release(struct rf_health *h);

/* Is it out now? Then `out` says why, and until when. */
bool rf_health_is_out(struct rf_health *h, struct rf_str name, struct rf_illness *out);
/* The same for a model; once its pause is over, one request may ask, and no other until it is known
 * what became of that, or as long a pause is over again. */
enum rf_health_turn {
    RF_HEALTH_NO_TURN,
    RF_HEALTH_ASK,
    RF_HEALTH_TRIAL, /* whoever has it says what came of it, or gives it back */
};
enum rf_health_turn rf_health_may_ask(struct rf_health *h, struct rf_str name,
                                      struct rf_illness *out);
/* The next one may try at once. */
void rf_health_give_back(struct rf_health *h, struct rf_str name);

void rf_health_put_out(struct rf_health *h, struct rf_str name, const struct rf_illness *why,
                       int64_t for_ms);
/* `turn` is whose that was which failed. */
void rf_health_failed(struct rf_health *h, struct rf_str name, enum rf_health_turn turn,
                      const struct rf_illness *why);
/* It began to answer at `at_ms`. What failed since then still counts. */
void rf_health_worked(struct rf_health *h, struct rf_str name, int64_t at_ms);

/* Tell of all that failed last, or are out; under the lock. */
void rf_health_list(struct rf_health *h,
                    void (*each)(void *ctx, const char *name, const struct rf_illness *what),
                    void *ctx);

/* The configuration was read again: keys that were refused are tried again. */
void rf_health_reload(struct rf_health *h);

#endif
