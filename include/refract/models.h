/* The models that can be used here: the providers' own lists, for those that a key is there for.
 *
 *     struct rf_models_options what = { .size = sizeof what, .config = config };
 *     if (rf_models_fetch(network, &what, &models, &err)) …
 *     for (size_t i = 0; i < rf_models_count(models); i++)
 *         printf("%.*s\n", RF_FMT(rf_models_get(models, i)->name));
 *     rf_models_close(models);
 *
 * Lists are kept for a day in the cache folder, one for each address and key; rf_models_open reads
 * what is kept there, however old, and never uses the network: for names while they are typed.
 * What a list says of a model (window, prices, what it takes) are facts of it from then on:
 * RF_FACT_LISTED of model.h. */
#ifndef REFRACT_MODELS_H
#define REFRACT_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/config.h>
#include <refract/error.h>
#include <refract/send.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_models;

struct rf_models_options {
    size_t size; /* of this struct */
    const struct rf_config *config;
    bool refresh; /* ask also where a list of today is kept */
    /* Asked several times a second while it waits; false: it goes on with the lists that came. Or
     * NULL. */
    bool (*goes_on)(void *ctx);
    void *ctx;
};

/* Ask all providers that a key is there for, at the same time; blocking, and never in a callback.
 * One that refuses, does not answer in time or cannot be reached is told of by
 * rf_models_provider, and does not keep the others from being listed. Fails with RF_EUSAGE where
 * the options are not complete, and as rf_model_open does. */
RF_API RF_MUST enum rf_code rf_models_fetch(struct rf_network *n,
                                            const struct rf_models_options *what,
                                            struct rf_models **out, struct rf_err *err);
/* What is kept, without the network; of a provider whose key is set and of which no list is kept,
 * the names that are well known. `config` may be NULL. Fails as rf_model_open does. */
RF_API RF_MUST enum rf_code rf_models_open(const struct rf_config *config, struct rf_models **out,
                                           struct rf_err *err);
RF_API void rf_models_close(struct rf_models *m); /* takes NULL */

/* Is a list missing that could be asked for, or older than a day? */
RF_API bool rf_models_stale(const struct rf_models *m);

/* What a model takes, as bits. */
enum rf_takes {
    RF_TAKES_IMAGES = 1,
    RF_TAKES_PDF = 2,
    RF_TAKES_OFFICE = 4,
    RF_TAKES_AUDIO = 8,
    RF_TAKES_VIDEO = 16,
    RF_TAKES_TOOLS = 32,
};

/* The strings live as long as the list. */
struct rf_usable {
    size_t size;        /* of this struct: members are only added, at its end */
    struct rf_str name; /* as it is typed: "anthropic:claude-sonnet-5" */
    struct rf_str provider, model;
    unsigned takes;         /* bits of enum rf_takes */
    int64_t context_tokens; /* 0: unknown */
    /* Millionths of a US dollar for a million tokens; 0: unknown. */
    int64_t price_input, price_output;
    struct rf_str purpose; /* of one that does not converse ("embeddings"); else empty */
    struct rf_str ends;    /* as rf_model_ends */
    int64_t created;       /* seconds since 1970; 0: the list does not say */
};

/* By provider, the newest first where the list says when; NULL where an index is too high. */
RF_API size_t rf_models_count(const struct rf_models *m);
RF_API const struct rf_usable *rf_models_get(const struct rf_models *m, size_t i);

/* What became of a provider's list. */
enum rf_list_state {
    RF_LIST_FETCHED,    /* it was asked for */
    RF_LIST_KEPT,       /* it is the one that was kept */
    RF_LIST_NO_KEY,     /* no key, or no address, is known: `why` says which variable to set */
    RF_LIST_NO_SERVER,  /* nothing answers where a server of one's own would be, had it been set
                         * up */
    RF_LIST_FAILED,     /* `why`; what was kept before is listed, where there is any */
    RF_LIST_WELL_KNOWN, /* of rf_models_open: no list is kept; these names are but some */
};

struct rf_listed_provider {
    size_t size; /* of this struct: members are only added, at its end */
    struct rf_str provider;
    enum rf_list_state state;
    int64_t fetched;          /* when its list was given, seconds since 1970; 0: there is none */
    const struct rf_err *why; /* also of a part that is missing in a list; NULL: nothing is wrong */
};

RF_API size_t rf_models_provider_count(const struct rf_models *m);
RF_API const struct rf_listed_provider *rf_models_provider(const struct rf_models *m, size_t i);

#ifdef __cplusplus
}
#endif
#endif
