/* Named prompts: texts of the person's own with places for arguments, for `ask -p NAME` and /NAME
 * in a chat.
 *
 *     if (rf_prompt_read("review", &prompt, &err)) …
 *     if (rf_prompt_fill(&prompt, args, count, NULL, &filled, &err)) …
 *     rf_filled_release(&filled);
 *     rf_prompt_release(&prompt);
 *
 * They are the files NAME.md in $XDG_CONFIG_HOME/refract/prompts, or ~/.config/refract/prompts: the
 * user's own folder and no other, so that no project that is looked at can put words into a
 * question. A file may begin with lines between two "---", of which "description: TEXT" is shown in
 * lists.
 */
#ifndef RF_CLI_PROMPTS_H
#define RF_CLI_PROMPTS_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/agent.h>
#include <refract/error.h>
#include <refract/str.h>

struct rf_prompt {
    char *name, *file; /* the file's text, which the others are parts of */
    struct rf_str text, description;
};

/* Fails with RF_EUSAGE for what cannot be a name (letters, digits, "-" and "_" are), RF_ENOTFOUND
 * with a name that is near, RF_EIO and RF_ELIMIT. */
enum rf_code rf_prompt_read(struct rf_str name, struct rf_prompt *out, struct rf_err *err);
void rf_prompt_release(struct rf_prompt *p);
bool rf_prompt_exists(struct rf_str name);

/* All of them, by name. The strings live until the call returns. */
void rf_prompt_list(void (*each)(void *ctx, const char *name, struct rf_str description),
                    void *ctx);

/* An argument, and who wrote each of its bytes, as rf_edit_origins has it; NULL: it was typed. */
struct rf_prompt_argument {
    struct rf_str text;
    const char *origins;
};

/* A text, and who wrote each of its bytes. */
struct rf_filled {
    char *text, *origins;
};

/* $1 to $9 are arguments, $@ and $* all of them, $$ a dollar. `all` is what $@ becomes, or NULL:
 * the arguments with a space between. A prompt without places for them gets them after its text.
 * Fails with RF_EUSAGE where one is missing, or has no place. */
enum rf_code rf_prompt_fill(const struct rf_prompt *p, const struct rf_prompt_argument *arguments,
                            size_t count, const struct rf_prompt_argument *all,
                            struct rf_filled *out, struct rf_err *err);
void rf_filled_release(struct rf_filled *f);

/* A question in the pieces that were typed, and that were not, for rf_agent_ask_words. `origins`
 * NULL: none was. To be freed. */
struct rf_words *rf_words_of(const char *text, const char *origins, size_t *count);

#endif
