/* What refusals have taught: limits that a provider named when it refused a request; and what
 * servers that were asked said of their models (send.h).
 *
 * They are kept in $XDG_DATA_HOME/refract/learned.json (or ~/.local/share/refract/learned.json),
 * or in the store that the configuration names where several machines share it, count more than
 * the catalogue and less than the configuration, and are read whenever a model is opened with
 * one. Several processes may learn at once.
 *
 * A lesson holds for the address at which it was learned: what a proxy or a simulator refuses
 * says nothing about the provider.
 *
 *     if (rf_decode_finish(d, &reply, &err) == RF_EPROVIDER &&
 *         rf_model_learn(model, config, reply, &fact, &err) == RF_OK && fact < rf_fact_count())
 *         … the request can be built again: the model knows better now */
#ifndef REFRACT_LEARNED_H
#define REFRACT_LEARNED_H

#include <stddef.h>
#include <stdint.h>

#include <refract/error.h>
#include <refract/model.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_config;
struct rf_learned;

/* Learn from `reply`, a message as rf_decode_finish writes it. Where its error names a limit of
 * the model, `*fact` is the index of the fact that it taught and both `m` and the file know it;
 * else `*fact` is rf_fact_count(). What the configuration says of `m` stays in force. Without
 * `config`, which may be NULL, only `m` learns. Fails with RF_EFORMAT where `reply` is not JSON,
 * and with RF_EIO or RF_ECONFIG where the file could not be written; then `m` and `*fact` have
 * learned all the same. */
RF_API RF_MUST enum rf_code rf_model_learn(struct rf_model *m, const struct rf_config *config,
                                           struct rf_str reply, size_t *fact, struct rf_err *err);

/* Learn how far the estimates of a model's tokens are off: what rf_tokens_estimate and
 * rf_tokens_by_rule said, and the input tokens that the provider reported, cached ones among
 * them. `m` and the file know it then, for the address that `m` is asked at; without `config`
 * only `m`. Fails with RF_EIO and RF_ECONFIG where the file could not be written. */
RF_API RF_MUST enum rf_code rf_model_calibrate(struct rf_model *m, const struct rf_config *config,
                                               int64_t estimate, int64_t by_rule, int64_t reported,
                                               struct rf_err *err);

/* All that was learned. Fails with RF_ECONFIG where the file is from a newer version. */
RF_API RF_MUST enum rf_code rf_learned_open(const struct rf_config *config, struct rf_learned **out,
                                            struct rf_err *err);
RF_API void rf_learned_close(struct rf_learned *l); /* takes NULL */

/* What is wrong with the file, or NULL: it could not be read, or it was corrupt and is set
 * aside. */
RF_API const struct rf_err *rf_learned_problem(const struct rf_learned *l);

/* The lessons by index, oldest first. The strings live as long as `l`. */
RF_API size_t rf_learned_count(const struct rf_learned *l);
RF_API struct rf_str rf_learned_provider(const struct rf_learned *l, size_t i);
RF_API struct rf_str rf_learned_model(const struct rf_learned *l, size_t i);
RF_API struct rf_str rf_learned_fact(const struct rf_learned *l, size_t i);
RF_API struct rf_str rf_learned_value(const struct rf_learned *l, size_t i);
RF_API struct rf_str rf_learned_date(const struct rf_learned *l, size_t i);  /* "2026-11-15" */
RF_API struct rf_str rf_learned_words(const struct rf_learned *l, size_t i); /* that taught it */
/* That the provider was moved to when it taught this; empty: its own. */
RF_API struct rf_str rf_learned_address(const struct rf_learned *l, size_t i);
/* RF_FACT_LEARNED, or RF_FACT_DESCRIBED where the server was asked. */
RF_API enum rf_fact_source rf_learned_source(const struct rf_learned *l, size_t i);

/* Forget "all", all of "MODEL", or one "MODEL:FACT", MODEL being what rf_model_open takes and FACT
 * a fact or "calibration", the correction of token estimates. `*count` is how much was forgotten.
 * Fails with RF_EUSAGE for a model that does not exist, and with RF_EIO and RF_ECONFIG. */
RF_API RF_MUST enum rf_code rf_learned_forget(const struct rf_config *config, const char *what,
                                              size_t *count, struct rf_err *err);

#ifdef __cplusplus
}
#endif
#endif
