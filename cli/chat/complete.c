/* Tab: names of commands, their arguments, and @paths in a question.
 *
 * What all that fit have in common is filled in; where that is nothing more, they are listed.
 * Nothing is guessed, and nothing is looked at but one folder, the configuration and, where the
 * other thread does not have it, the store. */
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "prompts.h"
#include "report.h"
#include "term/cells.h"
#include "text.h"

#define MOST_LISTED 100
#define PLAIN_COLUMNS 80
#define GAP 2

struct completing {
    struct rf_chat *chat;
    struct rf_str before; /* the cursor */
    size_t begin;         /* of what is replaced, in it */
    struct rf_chat_words words;
};

static struct rf_str replaced(const struct completing *w)
{
    return (struct rf_str){ w->before.p + w->begin, w->before.n - w->begin };
}

/* What fits, once each and in order. */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void keep_fitting(struct rf_chat_words *words, struct rf_str beginning)
{
    size_t kept = 0;
    if (words->count)
        qsort(words->words, words->count, sizeof *words->words, by_bytes);
    for (size_t i = 0; i < words->count; i++) {
        char *word = words->words[i];
        bool fits = strncmp(word, beginning.n ? beginning.p : "", beginning.n) == 0;
        bool again = kept && strcmp(words->words[kept - 1], word) == 0;
        if (fits && !again)
            words->words[kept++] = word;
        else
            free(word);
    }
    words->count = kept;
}

/* Bytes that all of them begin with, no character cut. */
static size_t common(const struct rf_chat_words *words)
{
    const char *first = words->words[0];
    size_t n = strlen(first);
    for (size_t i = 1; i < words->count; i++) {
        size_t same = 0;
        while (same < n && words->words[i][same] == first[same])
            same++;
        n = same;
    }
    while (n && ((unsigned char)first[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* The list, in rows */

/* Of a path, the name alone. */
static struct rf_str shown(const char *word)
{
    size_t n = strlen(word), from = n;
    from -= from && word[from - 1] == '/';
    while (from > 0 && word[from - 1] != '/')
        from--;
    return (struct rf_str){ word + from, n - from };
}

static void say_row(struct rf_chat *c, const struct rf_chat_words *words, size_t from, size_t until,
                    int width)
{
    struct rf_buffer row = { 0 };
    for (size_t i = from; i < until; i++) {
        struct rf_str word = shown(words->words[i]);
        int cells = rf_cells(word);
        rf_buffer_str(&row, word);
        if (i + 1 < until && cells < width)
            rf_buffer_fill(&row, ' ', (size_t)(width - cells));
    }
    rf_chat_say_text(c, RF_STYLE_DIM, rf_buffer_view(&row));
    rf_buffer_release(&row);
}

static void say_list(struct rf_chat *c, const struct rf_chat_words *words)
{
    int columns = c->plain || c->tty.columns <= 0 ? PLAIN_COLUMNS : c->tty.columns, width = 1;
    size_t count = words->count < MOST_LISTED ? words->count : MOST_LISTED;
    for (size_t i = 0; i < count; i++) {
        int cells = rf_cells(shown(words->words[i]));
        width = cells > width ? cells : width;
    }
    width += GAP;
    size_t in_row = width < columns ? (size_t)(columns / width) : 1;
    for (size_t i = 0; i < count; i += in_row)
        say_row(c, words, i, i + in_row < count ? i + in_row : count, width);
    if (count < words->count)
        rf_chat_say(c, RF_STYLE_DIM, "%s and %zu more", c->theme.unicode ? "…" : "...",
                    words->count - count);
}

/* References: where one is being written, and how a path is written as one. */

static bool begins_word(struct rf_str text, size_t at)
{
    return at == 0 || rf_chat_is_space(text.p[at - 1]) || strchr("([{<\"'`", text.p[at - 1]);
}

/* The "@" of the reference that the cursor stands in, and its quote; false where it stands in
 * none. */
static bool find_reference(struct rf_str before, size_t *at, char *quote)
{
    for (size_t i = before.n; i-- > 0;) {
        if (before.p[i] == '\n')
            return false;
        if (before.p[i] != '@' || !begins_word(before, i))
            continue;
        struct rf_str rest = { before.p + i + 1, before.n - i - 1 };
        *quote = rest.n && (rest.p[0] == '"' || rest.p[0] == '\'') ? rest.p[0] : '\0';
        *at = i;
        if (*quote)
            return !memchr(rest.p + 1, *quote, rest.n - 1);
        for (size_t k = 0; k < rest.n; k++)
            if (rf_chat_is_space(rest.p[k]))
                return false;
        return true;
    }
    return false;
}

/* The quote that a path needs in a text: none, or the one that it does not hold. */
static char quote_for(const char *path)
{
    bool spaced = strpbrk(path, " \t") || path[0] == '"' || path[0] == '\'';
    return !spaced ? '\0' : strchr(path, '"') ? '\'' : '"';
}

static void write_reference(struct rf_buffer *out, struct rf_str path, char quote, bool whole)
{
    char *copy = rf_text_copy(path);
    if (!quote)
        quote = quote_for(copy);
    rf_buffer_text(out, "@");
    if (quote)
        rf_buffer_add(out, &quote, 1);
    rf_buffer_text(out, copy);
    if (whole && quote)
        rf_buffer_add(out, &quote, 1);
    if (whole)
        rf_buffer_text(out, " ");
    free(copy);
}

static bool is_whole(const struct rf_chat_words *words)
{
    const char *word = words->words[0];
    size_t n = strlen(word);
    return words->count == 1 && n && word[n - 1] != '/';
}

static void complete_reference(struct completing *w, size_t at, char quote)
{
    size_t skip = at + 1 + (quote != '\0');
    struct rf_str begun = { w->before.p + skip, w->before.n - skip };
    w->begin = at;
    rf_chat_words_paths(rf_config_base_path(w->chat->config), begun, &w->words);
    keep_fitting(&w->words, begun);
    if (!w->words.count)
        return;
    size_t n = common(&w->words);
    if (n > begun.n || is_whole(&w->words))
        write_reference(&w->chat->completed, (struct rf_str){ w->words.words[0], n }, quote,
                        is_whole(&w->words));
    else if (w->words.count > 1)
        say_list(w->chat, &w->words);
}

/* Commands and their arguments */

static void fill_in(struct completing *w, const char *after)
{
    struct rf_str begun = replaced(w);
    keep_fitting(&w->words, begun);
    if (!w->words.count)
        return;
    size_t n = common(&w->words);
    bool alone = w->words.count == 1;
    if (n > begun.n || (alone && *after)) {
        rf_buffer_add(&w->chat->completed, w->words.words[0], n);
        rf_buffer_text(&w->chat->completed, alone ? after : "");
    } else if (!alone) {
        say_list(w->chat, &w->words);
    }
}

static void add_prompt(void *ctx, const char *name, struct rf_str description)
{
    (void)description;
    rf_chat_words_add(ctx, rf_text(name));
}

static void complete_name(struct completing *w)
{
    rf_prompt_list(add_prompt, &w->words);
    for (size_t i = 0; i < rf_chat_command_count; i++)
        rf_chat_words_add(&w->words, rf_text(rf_chat_commands[i].name));
    w->begin = 1; /* after the slash */
    fill_in(w, " ");
}

/* A path is all that stands there, spaces too; of /pages, all after its first word. */
static size_t begin_of_path(const struct rf_chat_command *k, struct rf_str argument)
{
    size_t n = 0;
    if (strcmp(k->name, "pages") != 0)
        return 0;
    while (n < argument.n && !rf_chat_is_space(argument.p[n]))
        n++;
    while (n < argument.n && rf_chat_is_space(argument.p[n]))
        n++;
    return n;
}

static size_t begin_of_last_word(struct rf_str s)
{
    size_t n = s.n;
    while (n > 0 && !rf_chat_is_space(s.p[n - 1]))
        n--;
    return n;
}

static void complete_argument(struct completing *w, const struct rf_chat_command *k, size_t from)
{
    while (from < w->before.n && rf_chat_is_space(w->before.p[from]))
        from++;
    struct rf_str argument = { w->before.p + from, w->before.n - from };
    w->begin = from + (k->paths ? begin_of_path(k, argument) : begin_of_last_word(argument));
    if (k->words)
        k->words(w->chat, argument, &w->words);
    if (k->paths)
        rf_chat_words_paths(NULL, replaced(w), &w->words);
    fill_in(w, "");
}

/* In what follows a prompt, files may be named as in a question. */
static void complete_question(struct completing *w)
{
    size_t at;
    char quote;
    if (w->before.n && find_reference(w->before, &at, &quote))
        complete_reference(w, at, quote);
}

static void complete_command(struct completing *w)
{
    struct rf_err unseen;
    size_t end = 0;
    while (end < w->before.n && !rf_chat_is_space(w->before.p[end]))
        end++;
    if (end == w->before.n) {
        complete_name(w);
        return;
    }
    char *name = rf_text_copy((struct rf_str){ w->before.p, end });
    const struct rf_chat_command *k = rf_chat_command_find(name, &unseen);
    free(name);
    if (k)
        complete_argument(w, k, end);
    else
        complete_question(w);
}

void rf_chat_complete(void *ctx, struct rf_str text, size_t cursor, struct rf_edit_completion *out)
{
    struct rf_chat *c = ctx;
    struct completing w = { .chat = c, .before = { text.p, cursor < text.n ? cursor : text.n } };
    rf_buffer_reset(&c->completed);
    if (w.before.n && w.before.p[0] == '/')
        complete_command(&w);
    else
        complete_question(&w);
    *out = (struct rf_edit_completion){ .begin = w.begin };
    if (c->completed.n) {
        rf_buffer_add(&c->completed, "", 1);
        out->text = c->completed.p;
    }
    rf_chat_words_release(&w.words);
}
