/* A model: what one endpoint and family takes, and where each fact comes from.
 *
 *     struct rf_model *m;
 *     if (rf_model_open(config, "anthropic:claude-sonnet-5", &m, &err)) …
 *     for (size_t i = 0; i < rf_fact_count(); i++)
 *         printf("%s\n", rf_fact_name(i));
 *     rf_model_close(m);
 */
#ifndef REFRACT_MODEL_H
#define REFRACT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/error.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_config;
struct rf_model;

/* Who says so: the configuration before a refusal or a probe, those before the server's
 * description, that before its list of models, that before the catalogue. */
enum rf_fact_source {
    RF_FACT_UNKNOWN,   /* unknown: the value is the safe one */
    RF_FACT_BUILTIN,   /* the endpoint's own default */
    RF_FACT_CATALOGUE, /* the family's row in the catalogue */
    RF_FACT_LEARNED,   /* a refusal or a probe */
    RF_FACT_OVERRIDE,  /* the configuration */
    RF_FACT_DESCRIBED, /* the server, asked about the model: rf_describe of send.h */
    RF_FACT_LISTED,    /* the provider's list of its models: models.h */
};

/* "unknown", "built-in", "catalogue", "learned", "override", "described", "listed". */
RF_API const char *rf_fact_source_name(enum rf_fact_source source);

/* Find a model by name: PROVIDER:MODEL, a name from `config`, which may be NULL, or a part of a
 * model's name, such as "claude-sonnet-5" or "sonnet". A part is looked for in the providers' lists
 * that are kept (models.h) and among well-known names, never on the network; of several versions
 * the newest is taken, at the provider that would be asked unnamed: rf_model_was_short says that
 * this is to be told. Fails with RF_EUSAGE for an unknown provider and for a part of several
 * models' names, which the hint lists, and with RF_ECONFIG for an override that makes no sense,
 * or where what was learned is from a newer version. With `config`, what refusals have taught
 * counts too: learned.h. */
RF_API RF_MUST enum rf_code rf_model_open(const struct rf_config *config, const char *name,
                                          struct rf_model **out, struct rf_err *err);
RF_API void rf_model_close(struct rf_model *m); /* takes NULL */

/* Something that was wrong and did not keep the model from being opened, or NULL: the file of what
 * was learned could not be read, or was corrupt and was set aside. */
RF_API const struct rf_err *rf_model_problem(const struct rf_model *m);

/* These live as long as the model. */
RF_API struct rf_str rf_model_provider(const struct rf_model *m);
RF_API struct rf_str rf_model_name(const struct rf_model *m);
/* The catalogue's pattern for its family; empty when this model is unknown. */
RF_API struct rf_str rf_model_family(const struct rf_model *m);

/* Was it named by a part of its name? */
RF_API bool rf_model_was_short(const struct rf_model *m);

/* The name that was probably meant, where this one is a letter or two away from a model that the
 * catalogue knows, and not known itself; else empty. */
RF_API struct rf_str rf_model_meant_name(const struct rf_model *m);

/* The last day of a model whose end its vendor has announced, "2026-11-30"; else empty. */
RF_API struct rf_str rf_model_ends(const struct rf_model *m);
/* All such announcements, by index. */
RF_API size_t rf_ending_count(void);
RF_API const char *rf_ending_providers(size_t i); /* with commas between them */
RF_API const char *rf_ending_pattern(size_t i);   /* of the models' names */
RF_API const char *rf_ending_day(size_t i);

/* The facts, by index. */
RF_API size_t rf_fact_count(void);
RF_API const char *rf_fact_name(size_t fact);
RF_API const char *rf_fact_help(size_t fact); /* a line for people */
/* The value as it would be written in the configuration. */
RF_API struct rf_str rf_model_fact(struct rf_model *m, size_t fact);
RF_API enum rf_fact_source rf_model_fact_source(const struct rf_model *m, size_t fact);
/* Of a fact that was learned, described or listed, and of a price of the catalogue: the day
 * ("2026-11-15"), and the words that taught
 * it where there were any; else empty. */
RF_API struct rf_str rf_model_fact_date(const struct rf_model *m, size_t fact);
RF_API struct rf_str rf_model_fact_words(const struct rf_model *m, size_t fact);

/* What an answer of so many tokens costs by its prices, in millionths of a US dollar; -1 where they
 * are not known. */
RF_API int64_t rf_model_cost(const struct rf_model *m, int64_t input_tokens, int64_t output_tokens);
struct rf_usage;
/* The same by what its provider told of it, tokens that come out of a cache or go into one among
 * them; -1 also where input or output was not told. */
RF_API int64_t rf_model_usage_cost(const struct rf_model *m, const struct rf_usage *usage);

/* The endpoints that are built in, by index. */
RF_API size_t rf_provider_count(void);
RF_API const char *rf_provider_name(size_t i);
/* The families that the catalogue knows, by index: "PROVIDER:PATTERN". */
RF_API size_t rf_family_count(void);
RF_API const char *rf_family_provider(size_t i);
RF_API const char *rf_family_pattern(size_t i);

/* The hosts of MCP tools that are known, as patterns, by index. "mcp:claude-code" opens one as a
 * model: what it takes inside of a tool's result, and how much. A request for it is that result
 * alone; it cannot be asked. Any other name stands for a host of which nothing is known. */
RF_API size_t rf_host_count(void);
RF_API const char *rf_host_name(size_t i);
/* Fails with RF_EUSAGE where no host of that name is known; the hint names those that are, and the
 * one that was probably meant. */
RF_API RF_MUST enum rf_code rf_host_check(const char *name, struct rf_err *err);
RF_API bool rf_model_is_host(const struct rf_model *m);

/* Which model answers where none is named, and why.
 *
 *     struct rf_usual *u = rf_usual_find(config);
 *     if (rf_model_open(config, rf_usual_model(u, 0), &m, &err)) …
 *     rf_usual_free(u);
 */
enum rf_usual_source {
    RF_USUAL_OFFLINE, /* no provider has a key: the model in the program, which has none either */
    RF_USUAL_KEY,     /* its provider's key is set */
    RF_USUAL_CONFIGURED, /* the configuration calls it "default" */
    RF_USUAL_VARIABLE,   /* REFRACT_MODEL names it */
};
struct rf_usual;

/* All that could answer, the one that does first: what REFRACT_MODEL names, the configuration's
 * "default", then a model of each provider whose key is set, in a fixed order; offline where there
 * is nothing else. Nothing is read, run or called for it. `config` may be NULL. */
RF_API struct rf_usual *rf_usual_find(const struct rf_config *config);
RF_API void rf_usual_free(struct rf_usual *u); /* takes NULL */
/* By index; there is one at least. The strings live as long as `u`. */
RF_API size_t rf_usual_count(const struct rf_usual *u);
RF_API const char *rf_usual_model(const struct rf_usual *u,
                                  size_t i); /* as rf_model_open takes it */
RF_API const char *rf_usual_why(const struct rf_usual *u,
                                size_t i); /* "ANTHROPIC_API_KEY is set" */
RF_API enum rf_usual_source rf_usual_source(const struct rf_usual *u, size_t i);

#ifdef __cplusplus
}
#endif
#endif
