/* The output of a response that is being written: which block goes into which item, and the items.
 *
 *     block       item of `output`
 *     text        message: texts in a row are parts of one, their citations its annotations
 *     thinking    reasoning: its summary, or its content where it was that
 *     call        function_call; custom_tool_call of a custom tool, with its one argument as input
 *     image       image_generation_call; one that came with such an item is in it already
 *     opaque      as it came
 *
 * Own texts are in one message where they came in one; their ids tell. */
#ifndef RF_WIRE_OPENAI_RESPONSES_OUTPUT_H
#define RF_WIRE_OPENAI_RESPONSES_OUTPUT_H

#include "wire/openai_responses/openai_responses.h"
#include "wire/respond.h"
#include "wire/wire.h"

#define RF_RESPONSE_ID "resp_" /* how a response's id begins */

/* How a text is spelled as a part of an item, and in which events. */
struct rf_output_form {
    const char *type, *member, *index;
    const char *added, *delta, *said, *done;
};

extern const struct rf_output_form rf_output_text; /* that is not a refusal */

/* A block of an item. Whoever places it fills in the words, and says when it is done. */
struct rf_output_part {
    struct rf_block block;
    struct rf_str words;               /* the text, the thought, the arguments, the input */
    const struct rf_output_form *form; /* of texts and thoughts */
    struct rf_responses_called tool;   /* of calls */
    bool done;
};

struct rf_output_item {
    struct rf_str id;
    size_t first, count; /* of its parts */
    bool done;           /* else it is written as far as it is known when it begins */
};

struct rf_output {
    const struct rf_answer *answer;
    struct rf_output_part *parts;
    size_t count, cap;
    struct rf_output_item *items;
    size_t item_count, item_cap;
    struct rf_buf words; /* streams: what was said of the last part */
};

/* What there is to be said of its block piece by piece, or "". */
struct rf_str rf_output_words(const struct rf_output_part *p, struct rf_arena *a);
/* Does the block belong to the last item? */
bool rf_output_joins(const struct rf_output *o, const struct rf_block *b);
/* One more block. True where an item begins with it. */
bool rf_output_place(struct rf_output *o, const struct rf_block *b);
/* Another one in place of that part; its item's id is the block's own, if it has any. */
void rf_output_replace(struct rf_output *o, size_t part, const struct rf_block *b);

void rf_output_item(struct rf_json *w, const char *key, const struct rf_output *o,
                    const struct rf_output_item *i);
void rf_output_part(struct rf_json *w, const char *key, const struct rf_answer *a,
                    const struct rf_output_part *p);
/* What is cited in a text, as annotations that came or as citations: NULL where that is nothing,
 * and before the part is done; and one of these as an annotation. */
const struct rf_jval *rf_output_cited(const struct rf_answer *a, const struct rf_output_part *p);
void rf_output_annotation(struct rf_json *w, const char *key, const struct rf_answer *a,
                          const struct rf_output_part *p, const struct rf_jval *c);

#endif
