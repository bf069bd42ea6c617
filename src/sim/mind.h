/* The parts of the honest model: what it was asked, what it wants to read first, what it sees. */
#ifndef RF_SIM_MIND_H
#define RF_SIM_MIND_H

#include "sim/sim.h"

#define RF_SIM_MOST_CALLS 8 /* of one answer: as many as struct rf_sim_said holds */

/* The part of a request that is about the last question. */
struct rf_sim_question {
    size_t start; /* in `seen`: where the turn of the question begins */
    size_t turn;  /* of the question; what a person said there is asked */
    struct rf_str text;
    bool called;        /* tools were called for it already */
    bool has_files;     /* some came with it */
    bool asks_for_code; /* "What code is in …?" */
};

void rf_sim_find_question(const struct rf_sim_request *r, struct rf_sim_question *out);

/* The files that a question names and that were not read yet, as calls (model_wants.c). */
void rf_sim_want(const struct rf_sim_request *r, const struct rf_sim_question *q,
                 struct rf_sim_said *out);
/* A call that was demanded. */
void rf_sim_call_anyway(const struct rf_sim_request *r, const struct rf_sim_question *q,
                        struct rf_sim_said *out);

/* What is said, as JSON that fits the schema of the request where it has one (model_schema.c). */
struct rf_str rf_sim_fit(const struct rf_sim_request *r, struct rf_str said);
/* Arguments that fit the schema of a tool, which may be NULL: those that are required. */
struct rf_str rf_sim_arguments(const struct rf_sim_request *r, const struct rf_jval *schema,
                               struct rf_str text);
/* A text that fits a pattern and has so many characters; false where none can be given
 * (model_pattern.c). Texts of different numbers differ where they can. */
struct rf_sim_lengths {
    int64_t least, most;
};
bool rf_sim_pattern(struct rf_str pattern, const struct rf_sim_lengths *length, size_t number,
                    struct rf_arena *a, struct rf_str *out);

/* What a file is, in words, and what stands in it (model_sight.c). */
struct rf_sim_sight {
    const struct rf_sim_seen *seen;
    const struct rf_format *format; /* NULL: unknown */
    struct rf_str words;            /* "image/png 640x480 (sha256 9f2c…)" */
    struct rf_str code;             /* read from it where one was asked for; or empty */
};
void rf_sim_look(const struct rf_sim_request *r, const struct rf_sim_options *o,
                 struct rf_sim_sight *sights, size_t count, bool codes);

#endif
