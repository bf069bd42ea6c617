/* /NAME and its arguments, where NAME is a prompt of the person's own and not a command. Arguments
 * are words; one with spaces stands in quotes. */
#include "chat/parts.h"

#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "prompts.h"
#include "report.h"
#include "text.h"

#define MOST_ARGUMENTS 64 /* of a prompt: more than it can have places for */

/* The part of a line that `s` is, as an argument. */
static struct rf_prompt_argument part(const char *line, const char *origins, struct rf_str s)
{
    return (struct rf_prompt_argument){ s, origins ? origins + (s.p - line) : NULL };
}

/* The word that `s` begins with; a quote counts at its beginning. */
static size_t next_word(struct rf_str s, struct rf_str *word)
{
    char quote = s.p[0] == '"' || s.p[0] == '\'' ? s.p[0] : '\0';
    const char *end = quote ? memchr(s.p + 1, quote, s.n - 1) : NULL;
    if (end) {
        *word = (struct rf_str){ s.p + 1, (size_t)(end - s.p) - 1 };
        return (size_t)(end - s.p) + 1;
    }
    size_t n = 0;
    while (n < s.n && !rf_chat_is_space(s.p[n]))
        n++;
    *word = (struct rf_str){ s.p, n };
    return n;
}

static size_t split(const char *line, const char *origins, struct rf_str rest,
                    struct rf_prompt_argument out[MOST_ARGUMENTS])
{
    size_t count = 0;
    for (rest = rf_chat_trim(rest); rest.n && count < MOST_ARGUMENTS; rest = rf_chat_trim(rest)) {
        struct rf_str word;
        size_t n = next_word(rest, &word);
        out[count++] = part(line, origins, word);
        rest = (struct rf_str){ rest.p + n, rest.n - n };
    }
    return count;
}

/* Arguments of a line that was not typed were not either. */
static char *untyped(const char *line)
{
    struct rf_buffer b = { 0 };
    rf_buffer_fill(&b, RF_EDIT_PASTED, strlen(line));
    rf_buffer_add(&b, "", 1);
    return b.p;
}

static enum rf_code fill(const char *line, const char *origins, struct rf_filled *out,
                         struct rf_err *err)
{
    struct rf_prompt_argument arguments[MOST_ARGUMENTS];
    struct rf_str rest = rf_text(line), name = rf_chat_first_word(&rest);
    struct rf_prompt prompt;
    enum rf_code rc = rf_prompt_read((struct rf_str){ name.p + 1, name.n - 1 }, &prompt, err);
    if (rc)
        return rc;
    struct rf_prompt_argument all = part(line, origins, rest);
    size_t count = split(line, origins, rest, arguments);
    rc = rf_prompt_fill(&prompt, arguments, count, &all, out, err);
    rf_prompt_release(&prompt);
    return rc;
}

bool rf_chat_is_prompt(const char *line)
{
    struct rf_str rest = rf_text(line), name = rf_chat_first_word(&rest);
    struct rf_err unseen;
    return rf_chat_is_command(line) && !rf_chat_command_find(line, &unseen) &&
           rf_prompt_exists((struct rf_str){ name.p + 1, name.n - 1 });
}

void rf_chat_ask_prompt(struct rf_chat *c, const char *line, const char *origins)
{
    struct rf_filled filled;
    struct rf_err err;
    bool typed = c->plain && !rf_chat_is_scripted(c); /* as rf_chat_plain_ask has it */
    char *own = origins || typed ? NULL : untyped(line);
    if (fill(line, origins ? origins : own, &filled, &err)) {
        rf_chat_error(c, &err);
    } else {
        rf_chat_ask(c, filled.text, filled.origins);
        rf_filled_release(&filled);
    }
    free(own);
}
