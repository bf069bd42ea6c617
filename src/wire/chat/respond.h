/* What the replies of all chat completions have in common on their way out: the envelope, usage,
 * calls, content in parts, chunks. A dialect writes the message, and what a piece of a block is.
 * See wire/respond.h. */
#ifndef RF_WIRE_CHAT_RESPOND_H
#define RF_WIRE_CHAT_RESPOND_H

#include "wire/respond.h"

typedef bool rf_completion_is(const struct rf_answer *a, const struct rf_block *b);

/* A member that was kept aside of the reply, where there is one. */
void rf_completion_kept(struct rf_json *w, const struct rf_answer *a, const char *name);

/* Errors: the words for each kind, and the members of the object that tells of one. */
extern const struct rf_error_words rf_completion_errors[];
void rf_completion_error(struct rf_json *w, const struct rf_answer *a);

/* A whole response; `choice` writes its message, and what else is beside that. */
void rf_completion_response(const struct rf_answer *a, struct rf_json *w,
                            void (*choice)(const struct rf_answer *a, struct rf_json *w));
/* Of a message: its member `tool_calls`, where there are any. */
void rf_completion_tool_calls(struct rf_json *w, const struct rf_answer *a);
/* Its member `content`: the texts as one string, null where there are none; or a list, where a
 * block is a part of it, or a text has references between its words. */
void rf_completion_content(struct rf_json *w, const struct rf_answer *a, rf_completion_is *is_text,
                           rf_completion_is *is_part);
/* {"type":"image_url",…} */
void rf_completion_image(struct rf_json *w, const struct rf_media *m);
/* Does this citation stand between the words that it speaks of? Those of annotations do not. */
bool rf_completion_is_reference(const struct rf_answer *a, const struct rf_jval *citation);

/* Chunks: what is written between these two are the members of the delta. */
struct rf_json *rf_completion_delta(struct rf_telling *t);
void rf_completion_delta_end(struct rf_telling *t);
/* A delta of one string; one whose content is a list of this block; of a piece of a thought. */
void rf_completion_delta_str(struct rf_telling *t, const char *member, struct rf_str text);
void rf_completion_delta_part(struct rf_telling *t, const struct rf_block *b);
void rf_completion_think(struct rf_telling *t, struct rf_str text, struct rf_str signature);

/* The first chunk; and the last, or the last two where usage has one for itself. */
void rf_completion_begin(struct rf_telling *t);
void rf_completion_end(struct rf_telling *t);
/* Calls, in pieces; or in one, when it is closed. */
void rf_completion_open_call(struct rf_telling *t, const struct rf_block *b);
void rf_completion_call_piece(struct rf_telling *t, struct rf_str text);
void rf_completion_close_call(struct rf_telling *t, const struct rf_block *b);
void rf_completion_whole_call(struct rf_telling *t, const struct rf_block *b);
/* Texts. One that is known to have references is written when it is closed. */
void rf_completion_text_piece(struct rf_telling *t, struct rf_str text);
void rf_completion_close_text(struct rf_telling *t, const struct rf_block *b);
/* The block that is open: t->state, where `open` put it. */
const struct rf_block *rf_completion_open_block(const struct rf_telling *t);

#endif
