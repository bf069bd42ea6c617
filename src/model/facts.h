/* The facts by name: one table that the catalogue, the configuration and the public list share. */
#ifndef RF_MODEL_FACTS_H
#define RF_MODEL_FACTS_H

#include "model/model.h"

enum rf_fact_type {
    RF_FACT_BOOL,  /* yes, no (true, false) */
    RF_FACT_INT,   /* a number; 0 is unknown */
    RF_FACT_TEXT,  /* a word, or MIME patterns with commas; "-" is none */
    RF_FACT_KINDS, /* image, pdf, text, office, audio, video with commas; "-" is none */
    RF_FACT_WORD,  /* one of `words`, stored as its index */
    RF_FACT_STYLE, /* the same, of enum rf_thinking_style; yes and no switch it on and off */
    RF_FACT_PRICE, /* US dollars, with a point; 0 is unknown */
    RF_FACT_FORMULA, /* one of those in tokens.h; "-" is none */
};

struct rf_fact {
    const char *name, *help;
    enum rf_fact_type type;
    size_t offset;            /* in struct rf_caps */
    const char *const *words; /* WORD, STYLE: NULL-terminated */
};

extern const struct rf_fact rf_facts[];

/* The fact of that name, or that had it before, or NULL. */
const struct rf_fact *rf_fact_find(struct rf_str name);
/* Fails with RF_ECONFIG where the value does not fit. */
RF_MUST enum rf_code rf_fact_store(const struct rf_fact *f, struct rf_str value, struct rf_arena *a,
                                   struct rf_caps *caps, struct rf_err *err);
/* The value as it would be written. */
struct rf_str rf_fact_text(const struct rf_fact *f, const struct rf_caps *caps, struct rf_arena *a);

#endif
