/* /copy: the last answer, or one of its code blocks, to the clipboard; as it was written, and not
 * as it is shown. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "report.h"
#include "text.h"

/* Code blocks of Markdown: between two fences, the second at least as long as the first. */

struct fence {
    char sign;
    size_t length, indent;
};

struct block {
    struct rf_str code, language;
    size_t indent; /* of its fence, as in a list: its lines have that too */
};

static struct rf_str next_line(struct rf_str *rest)
{
    const char *feed = memchr(rest->p, '\n', rest->n);
    size_t n = feed ? (size_t)(feed - rest->p) : rest->n;
    struct rf_str line = { rest->p, n };
    *rest = (struct rf_str){ rest->p + n + (feed != NULL), rest->n - n - (feed != NULL) };
    return line;
}

/* The fence that a line is, or begins with; false where it is none. */
static bool is_fence(struct rf_str line, struct fence *out, struct rf_str *after)
{
    size_t blank = 0, n = 0;
    while (blank < line.n && line.p[blank] == ' ')
        blank++;
    char sign = blank < line.n ? line.p[blank] : '\0';
    while (blank + n < line.n && line.p[blank + n] == sign)
        n++;
    *out = (struct fence){ sign, n, blank };
    *after = rf_chat_trim((struct rf_str){ line.p + blank + n, line.n - blank - n });
    return (sign == '`' || sign == '~') && n >= 3 &&
           (sign == '~' || !memchr(after->p, '`', after->n));
}

/* The next code block of `rest`, which then begins after it. One that does not end goes to the end
 * of the text. */
static bool next_block(struct rf_str *rest, struct block *out)
{
    struct fence open, close;
    struct rf_str after;
    do {
        if (!rest->n)
            return false;
    } while (!is_fence(next_line(rest), &open, &out->language));
    const char *begin = rest->p, *end = rest->p;
    while (rest->n) {
        struct rf_str line = next_line(rest);
        if (is_fence(line, &close, &after) && close.sign == open.sign &&
            close.length >= open.length && !after.n)
            break;
        end = rest->p;
    }
    out->code = (struct rf_str){ begin, (size_t)(end - begin) };
    out->indent = open.indent;
    return true;
}

static size_t count_blocks(struct rf_str answer)
{
    struct block block;
    size_t n = 0;
    while (next_block(&answer, &block))
        n++;
    return n;
}

/* The code without what its lines are indented by with their fence. */
static void add_code(struct rf_buffer *out, const struct block *block)
{
    for (struct rf_str rest = block->code; rest.n;) {
        const char *begin = rest.p;
        struct rf_str line = next_line(&rest);
        size_t n = 0;
        while (n < line.n && n < block->indent && line.p[n] == ' ')
            n++;
        rf_buffer_add(out, begin + n, (size_t)(rest.p - begin) - n);
    }
}

/* The answer */

struct answering {
    struct rf_buffer *text;
    size_t message; /* from 1 that it is of; 0: none yet */
};

static bool take_saying(void *ctx, const struct rf_saying *s)
{
    struct answering *a = ctx;
    if (!s->type || strcmp(s->role, "assistant") != 0 || strcmp(s->type, "text") != 0)
        return true;
    if (s->message + 1 != a->message)
        rf_buffer_reset(a->text);
    a->message = s->message + 1;
    rf_buffer_str(a->text, s->text);
    return true;
}

static bool take_answer(struct rf_chat *c, struct rf_buffer *out)
{
    struct rf_conversation *conversation;
    struct answering a = { .text = out };
    struct rf_err err;
    if (rf_agent_conversation(c->agent, &conversation, &err)) {
        rf_chat_error(c, &err);
        return false;
    }
    rf_conversation_sayings(conversation, take_saying, &a);
    rf_conversation_free(conversation);
    if (!out->n)
        rf_chat_say(c, RF_STYLE_DIM, "there is no answer yet to copy");
    return out->n > 0;
}

/* Copying */

static void say_copied(struct rf_chat *c, enum rf_chat_copied how, const char *what,
                       struct rf_str text)
{
    size_t lines = text.n && text.p[text.n - 1] != '\n';
    char size[RF_SHORT_TEXT];
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    if (how == RF_CHAT_COPIED_NOWHERE)
        rf_chat_say(c, RF_STYLE_BAD,
                    "x nothing was copied: no program takes it (wl-copy, xclip, pbcopy)%s",
                    c->plain ? "" : ", and it is too long for the terminal, or that has no way");
    else
        rf_chat_say(c, RF_STYLE_GOOD, "+ copied %s: %zu line%s, %s%s", what, lines,
                    lines == 1 ? "" : "s", rf_size_text((int64_t)text.n, size),
                    how == RF_CHAT_COPIED ? "" : ", through the terminal, where that allows it");
}

static void copy_block(struct rf_chat *c, struct rf_str answer, int64_t number)
{
    struct rf_str rest = answer;
    struct block block = { 0 };
    size_t count = count_blocks(answer);
    struct rf_buffer code = { 0 };
    char what[128];
    if (number > (int64_t)count) {
        rf_chat_say(c, RF_STYLE_BAD, "x the last answer has %zu code block%s", count,
                    count == 1 ? "" : "s");
        return;
    }
    for (int64_t i = 0; i < number; i++)
        next_block(&rest, &block);
    add_code(&code, &block);
    snprintf(what, sizeof what, "code block %" PRId64 " of %zu%s%.*s", number, count,
             block.language.n ? ", " : "", (int)(block.language.n < 40 ? block.language.n : 40),
             block.language.n ? block.language.p : "");
    say_copied(c, rf_chat_copy(c, rf_buffer_view(&code)), what, rf_buffer_view(&code));
    rf_buffer_release(&code);
}

void rf_chat_run_copy(struct rf_chat *c, struct rf_str argument)
{
    struct rf_buffer answer = { 0 };
    int64_t number = 0;
    if (argument.n && !rf_chat_number(argument, &number)) {
        rf_chat_say(c, RF_STYLE_BAD, "/copy takes nothing, or the number of a code block");
        return;
    }
    if (take_answer(c, &answer)) {
        struct rf_str text = rf_buffer_view(&answer);
        if (number)
            copy_block(c, text, number);
        else
            say_copied(c, rf_chat_copy(c, text), "the last answer", text);
    }
    rf_buffer_release(&answer);
}
