/* What the files of Amazon Bedrock's side share: the request under check. */
#ifndef RF_SIM_BEDROCK_H
#define RF_SIM_BEDROCK_H

#include "sim/sim.h"
#include "sim/strict.h"

struct rf_sim_converse {
    struct rf_sim_request *r;
    struct rf_sim_refusal *out;
    struct rf_sim_calls calls, names; /* `names`: of documents */
    int64_t images, documents;
    bool uses_tools;
};

/* One message: what is in it. */
struct rf_sim_turn {
    const char *role;
    bool text, results, document;
    bool media_beside; /* files, which may not stand beside results for this family */
};

/* The blocks of a message (blocks.c); false with the refusal. */
bool rf_sim_converse_blocks(struct rf_sim_converse *c, const struct rf_jpath *at,
                            const struct rf_jval *list, struct rf_sim_turn *turn);
/* A file (media.c). `kind` is the member: "image", "document", "video", "audio". */
bool rf_sim_converse_media(struct rf_sim_converse *c, const struct rf_jpath *at, const char *kind,
                           const struct rf_jval *v, const char *role);

/* "1 validation error detected: Value 'x' at 'messages.1.member…' failed to satisfy …" */
bool rf_sim_constraint(struct rf_sim_converse *c, const struct rf_jpath *at, struct rf_str value,
                       const char *constraint);
/* The only member that is set of a union; NULL, and the refusal, where it is not one. */
const struct rf_jval *rf_sim_union(struct rf_sim_converse *c, const struct rf_jpath *at,
                                   const struct rf_jval *v);

/* say.c */
void rf_sim_bedrock_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                        struct rf_sim_reply *out);
void rf_sim_bedrock_refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                           struct rf_sim_reply *out);

#endif
