/* What the files of Anthropic's side share: the request under check, and refusals with a place.
 *
 * Places are spelled as that server spells them, with the tags of its unions in them:
 * "messages.2.content.0.tool_result.content.1.image.source.base64.data". */
#ifndef RF_SIM_ANTHROPIC_H
#define RF_SIM_ANTHROPIC_H

#include "sim/sim.h"
#include "sim/strict.h"

struct rf_sim_messages {
    struct rf_sim_request *r;
    struct rf_sim_refusal *out;
    struct rf_sim_calls calls;
    int64_t images, pages; /* so far */
    size_t marks;          /* cache_control */
    bool wide;             /* a picture is over the side for many pictures */
    struct rf_str wide_at; /* the first of those */
};

/* In which kind of list a block stands. */
enum rf_sim_place {
    RF_SIM_IN_USER = 1 << 0,
    RF_SIM_IN_ASSISTANT = 1 << 1,
    RF_SIM_IN_SYSTEM = 1 << 2,
    RF_SIM_IN_RESULT = 1 << 3,
    RF_SIM_IN_DOCUMENT = 1 << 4,
};

/* All return false, with a refusal of 400 "PLACE: WORDS". */
__attribute__((format(printf, 3, 4))) bool
rf_sim_bad(struct rf_sim_messages *c, const struct rf_jpath *at, const char *words, ...);
bool rf_sim_object(struct rf_sim_messages *c, const struct rf_jpath *at, const struct rf_jval *v,
                   const char *members);

/* Is the member "type" this word? `v` may be NULL, or anything. */
bool rf_sim_is_type(const struct rf_jval *v, const char *type);
/* Letters, digits, '_' and '-', 1 to `max` of them. */
bool rf_sim_is_word(struct rf_str s, size_t max);

/* All messages (turns.c); with a budget for thinking there are rules about thoughts. */
bool rf_sim_turns(struct rf_sim_messages *c, const struct rf_jval *messages, bool budget);

/* A list of blocks that stands at `at`. What is seen is added to the request. */
bool rf_sim_blocks(struct rf_sim_messages *c, const struct rf_jpath *at, const struct rf_jval *list,
                   enum rf_sim_place place);
/* A picture or document (media.c). */
bool rf_sim_media(struct rf_sim_messages *c, const struct rf_jpath *at, const struct rf_jval *block,
                  const char *role);

/* Thoughts that the simulated model had are signed, and only they have this signature. */
struct rf_str rf_sim_signature(struct rf_arena *a, struct rf_str thinking);
bool rf_sim_signature_fits(struct rf_arena *a, struct rf_str signature, struct rf_str thinking);

/* say.c */
void rf_sim_anthropic_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                          struct rf_sim_reply *out);
void rf_sim_anthropic_refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                             struct rf_sim_reply *out);

#endif
