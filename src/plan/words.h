/* The words that stand in a request instead of a file, or lead to one. Said in one place, so that
 * they are the same everywhere and can be recognised again. */
#ifndef RF_PLAN_WORDS_H
#define RF_PLAN_WORDS_H

#include "plan/plan.h"

#define RF_WORDS_SEPARATOR "OK."
#define RF_WORDS_NO_OUTPUT "(no output)"
#define RF_WORDS_NO_RESULT "No result was recorded for this call."
#define RF_WORDS_FAILED "The tool reported a failure."
#define RF_WORDS_DOCUMENT "See the attached document."
#define RF_WORDS_FRONT "the beginning of its text and a note"
#define RF_WORDS_RECOGNISED "Its text was recognised by a machine and may be wrong."
#define RF_WORDS_TO_FIT " to fit what this " /* "model takes at once", or a host */
#define RF_WORDS_BEGIN "(The conversation begins with an answer.)"
#define RF_WORDS_CONTINUE "(Go on from where your answer ends.)"
#define RF_WORDS_INSTRUCTIONS "(There is no message: follow the instructions.)"
#define RF_WORDS_JSON "Answer with a JSON object alone, outside of a code block."
#define RF_WORDS_CHOICES "Answer with one of these values alone, without quotes: "
#define RF_WORDS_SCHEMA \
    "Answer with JSON alone, outside of a code block, that fits this JSON Schema: "

/* The text of a file as it is written out: without files that hide in it, and where it was made of
 * something that is no text, without what looks like a note of ours. A text stays as it is, since
 * it may be quoted to the letter. */
struct rf_str rf_words_of_file(struct rf_str text, const struct rf_asset *asset,
                               struct rf_arena *a);
/* `See file <id>.`: at the file's place in a result. */
struct rf_str rf_words_reference(const struct rf_asset *asset, struct rf_arena *a);
/* `[TOOL CALL: "NAME"] This is file <id>:`: before the file, after all results. */
struct rf_str rf_words_introduction(const struct rf_asset *asset, struct rf_str tool,
                                    struct rf_str call, struct rf_arena *a);
/* Is `text` such an introduction? Then the call and the file's name and id, as they stand there. */
bool rf_words_read_introduction(struct rf_str text, struct rf_str *call, struct rf_str *name,
                                struct rf_str *id);
/* What stands before a thing that was made of the file: which page or frame it is, or how large the
 * picture really is. Empty where there is nothing to say. */
struct rf_str rf_words_caption(const struct rf_decision *d, size_t part, struct rf_arena *a);
/* What a host is told before a picture: the file's own words, or its name; empty of what is no
 * picture, and where the output says it of the only one. */
struct rf_str rf_words_own(const struct rf_decision *d, struct rf_arena *a);
/* A caption with the number of the picture in the result, its size, and of which it is the same
 * (0: of none). */
struct rf_str rf_words_shown(struct rf_str caption, const struct rf_asset *sent, size_t number,
                             size_t same, struct rf_arena *a);
/* What is said in a film that goes as frames; empty where nobody told. */
struct rf_str rf_words_said(const struct rf_decision *d, struct rf_arena *a);
bool rf_words_is_caption(struct rf_str text);
/* What of a file that was sent did not go along; empty where all of it did. */
struct rf_str rf_words_left_out(const struct rf_decision *d, struct rf_arena *a);
/* What stands before all that was made of a file: as what it is sent, how large that is, and what
 * of it is not; and before the text that goes along with its pages (rf_text_along). */
struct rf_str rf_words_ahead(const struct rf_decision *d, struct rf_arena *a);
struct rf_str rf_words_along(struct rf_str text, const struct rf_decision *d, struct rf_arena *a);
/* What a client says of a file beside it, with its name: "[File "a.pdf": from the board]". */
struct rf_str rf_words_beside(const struct rf_asset *asset, struct rf_str context,
                              struct rf_arena *a);
/* The line over a text file that is written out. */
struct rf_str rf_words_heading(const struct rf_asset *asset, struct rf_arena *a);
/* A text file in which files hide as base64: its heading, and its text without them. */
struct rf_str rf_words_text_file(const struct rf_asset *asset, struct rf_arena *a);
/* What stands for a file that is not sent: its text, as far as there is any, and the note. */
struct rf_str rf_words_instead(const struct rf_decision *d, const struct rf_model *m,
                               struct rf_arena *a);
/* The same up to that text. */
struct rf_str rf_words_before_text(const struct rf_decision *d, const struct rf_model *m,
                                   struct rf_arena *a);
/* `[Picture "NAME" of "DOCUMENT"]`: before a picture that is not in its place in the text. */
struct rf_str rf_words_picture(const struct rf_decision *d, const struct rf_asset *document,
                               struct rf_arena *a);
/* What stands for the text of a result that made room, and for messages that did. */
struct rf_str rf_words_silent(const struct rf_message *m, size_t bytes, const struct rf_model *to,
                              struct rf_arena *a);
struct rf_str rf_words_gone(size_t messages, struct rf_arena *a);
/* After a text that was cut: how much of it that was. */
struct rf_str rf_words_cut(size_t shown, size_t bytes, const struct rf_model *to,
                           struct rf_arena *a);
/* `[Result of TOOL CALL, for which no call is open:]` */
struct rf_str rf_words_orphan(const struct rf_message *m, struct rf_arena *a);
/* The same of a model without tools, `[Result of TOOL CALL:]`, and of the call,
 * `[Called TOOL CALL: ARGUMENTS]`. */
struct rf_str rf_words_result(const struct rf_message *m, struct rf_arena *a);
struct rf_str rf_words_call(const struct rf_tool_call *call, struct rf_arena *a);

/* A system prompt, which may be empty, and after it that an answer has to fit the schema. */
struct rf_str rf_words_schema(struct rf_str system, const struct rf_jval *schema,
                              struct rf_arena *a);

/* Is there any text of the file besides its name? */
/* The program of a command, without its folder and arguments. */
struct rf_str rf_words_command(struct rf_str command);

bool rf_words_has_text(const struct rf_asset *asset);

#endif
