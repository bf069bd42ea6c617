/* What was learned: facts that refusals taught, and numbers that calibrate estimates. It is a file
 * or, where several machines share a store, a document in it.
 *
 *     {"version": 1,
 *      "facts": [{"provider": …, "model": …, "fact": …, "value": …, "date": …, "words": …,
 *                 "address": …, "source": "described"}],
 *      "calibration": [{"provider": …, "model": …, "key": …, "value": 1.04, "date": …,
 *                       "address": …}]}
 *
 * `address` is where the provider was moved to, and is left out for its own: what a simulator or a
 * proxy taught is not said of the provider. `source` is left out for what a refusal or a probe
 * taught; both may be known of one fact, and those count more than what the server says of itself.
 *
 * Readers need no lock, since it is replaced as a whole. Whoever changes it holds the lock from
 * before reading to after writing:
 *
 *     if (rf_learned_change(config, a, &l, err)) …
 *     rf_learned_set_number(&l, model, RF_STR("factor"), 1.04);
 *     rc = rf_learned_save(&l, err);
 *
 * Nothing is believed of it but that it is this user's: entries are checked by whoever applies
 * them. */
#ifndef RF_CONFIG_LEARNED_H
#define RF_CONFIG_LEARNED_H

#include "base/error.h"
#include "base/str.h"
#include "model/calibration.h"

#include <refract/learned.h>

struct rf_arena;
struct rf_config;
struct rf_model;
struct rf_store;

struct rf_learned_fact {
    struct rf_str provider, model, fact, value, date, words, address;
    bool described; /* by the server, which was asked; else a refusal or a probe taught it */
};

struct rf_learned_number {
    struct rf_str provider, model, key;
    double value;
    struct rf_str date, address;
};

/* Its strings live in `arena`, which is the caller's. */
struct rf_learned {
    struct rf_arena *arena;
    const char *path;
    struct rf_learned_fact *facts; /* oldest first */
    size_t fact_count, fact_cap;
    struct rf_learned_number *numbers;
    size_t number_count, number_cap;
    struct rf_err problem;  /* code RF_OK: none */
    int lock;               /* of a struct that may be saved; else -1 */
    struct rf_store *store; /* that it is in and locked; or NULL */
    int64_t version;        /* of the document in it */
};

/* All that was learned, wherever that is; empty where no place for it is known. What cannot be
 * read is a `problem` and empty, too. Fails with RF_ECONFIG where it is from a newer version. */
RF_MUST enum rf_code rf_learned_load(const struct rf_config *config, struct rf_arena *a,
                                     struct rf_learned *out, struct rf_err *err);
/* The same, to be changed: no other process can until rf_learned_save or rf_learned_unlock. Without
 * a place nothing will be saved. Fails with RF_EIO too. */
RF_MUST enum rf_code rf_learned_change(const struct rf_config *config, struct rf_arena *a,
                                       struct rf_learned *out, struct rf_err *err);

/* Where the store is shared: the document in it. */
RF_MUST enum rf_code rf_learned_shared_read(const struct rf_config *config, struct rf_arena *a,
                                            struct rf_learned *out, struct rf_err *err);
RF_MUST enum rf_code rf_learned_shared_lock(const struct rf_config *config, struct rf_arena *a,
                                            struct rf_learned *out, struct rf_err *err);
RF_MUST enum rf_code rf_learned_shared_save(struct rf_learned *l, struct rf_err *err);
void rf_learned_shared_unlock(struct rf_learned *l);

/* Where the file is, or NULL where no folder for data is known. */
const char *rf_learned_path(struct rf_arena *a);

/* Keep one lesson: lock, teach, save. What was wrong before is the problem of `m`, where there is
 * one. Without a place nothing is kept. Fails with RF_EIO and RF_ECONFIG. */
RF_MUST enum rf_code rf_learned_keep(const struct rf_config *config,
                                     const struct rf_learned_fact *f, struct rf_model *m,
                                     struct rf_err *err);

/* Keep what the server of `m` says of it, the facts and their values and words, in place of what
 * it said before. Else as rf_learned_keep. */
RF_MUST enum rf_code rf_learned_describe(const struct rf_config *config, struct rf_model *m,
                                         const struct rf_learned_fact *facts, size_t count,
                                         struct rf_err *err);

/* All of the file; one that is not there is empty. One that is corrupt is renamed to "….broken",
 * one that cannot be read is left, and both are a `problem` and empty. Fails with RF_ECONFIG where
 * it is from a newer version. */
RF_MUST enum rf_code rf_learned_read(const char *path, struct rf_arena *a, struct rf_learned *out,
                                     struct rf_err *err);

/* The same, to be changed: no other process can until rf_learned_save or rf_learned_unlock. Fails
 * with RF_EIO too. */
RF_MUST enum rf_code rf_learned_lock(const char *path, struct rf_arena *a, struct rf_learned *out,
                                     struct rf_err *err);
/* Replace the file or the document, and unlock it, which also a failure does. */
RF_MUST enum rf_code rf_learned_save(struct rf_learned *l, struct rf_err *err);
void rf_learned_unlock(struct rf_learned *l);

/* What a provider said, fit to be kept and shown: cut between characters, without control
 * characters. */
struct rf_str rf_learned_quote(struct rf_str words, struct rf_arena *a);

/* "2026-11-15" */
struct rf_str rf_learned_today(struct rf_arena *a);

/* Put a fact in, today, in place of what was known of it. The strings are copied; words are cut,
 * and one whose names are over the limit is left out. The oldest goes where there are too many. */
void rf_learned_teach(struct rf_learned *l, const struct rf_learned_fact *f);

/* The number under `key` for a model at its address, or `otherwise`. Numbers are kept to the
 * millionth, and up to 10^12. */
double rf_learned_number(const struct rf_learned *l, const struct rf_model *m, struct rf_str key,
                         double otherwise);
void rf_learned_set_number(struct rf_learned *l, const struct rf_model *m, struct rf_str key,
                           double value);

/* Both numbers of a model's calibration; zero where there is none. */
struct rf_calibration rf_learned_calibration(const struct rf_learned *l, const struct rf_model *m);

/* Take away what matches, and count it; an empty name matches all, at every address. */
size_t rf_learned_drop_facts(struct rf_learned *l, struct rf_str provider, struct rf_str model,
                             struct rf_str fact);
size_t rf_learned_drop_numbers(struct rf_learned *l, struct rf_str provider, struct rf_str model);

/* The JSON of it, both ways. Reading fails with RF_EFORMAT, and with RF_ECONFIG for a newer
 * version. */
RF_MUST enum rf_code rf_learned_parse(struct rf_str text, struct rf_learned *l, struct rf_err *err);
struct rf_str rf_learned_format(const struct rf_learned *l);

#endif
