/* Words of what a person types: cut out, compared, copied, gathered for Tab. */
#include "chat/commands.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

bool rf_chat_is(struct rf_str s, const char *word)
{
    return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

bool rf_chat_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct rf_str rf_chat_trim(struct rf_str s)
{
    while (s.n && rf_chat_is_space(s.p[0]))
        s = (struct rf_str){ s.p + 1, s.n - 1 };
    while (s.n && rf_chat_is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct rf_str rf_chat_first_word(struct rf_str *rest)
{
    struct rf_str s = rf_chat_trim(*rest);
    size_t n = 0;
    while (n < s.n && !rf_chat_is_space(s.p[n]))
        n++;
    *rest = rf_chat_trim((struct rf_str){ s.p + n, s.n - n });
    return (struct rf_str){ s.p, n };
}

bool rf_chat_number(struct rf_str s, int64_t *out)
{
    int64_t n = 0;
    if (!s.n || s.n > 12)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        n = n * 10 + (s.p[i] - '0');
    }
    *out = n;
    return n > 0;
}

/* For Tab */

void rf_chat_words_add(struct rf_chat_words *w, struct rf_str word)
{
    if (w->count == w->cap) {
        w->cap = w->cap ? w->cap * 2 : 16;
        w->words = reallocarray(w->words, w->cap, sizeof *w->words);
        if (!w->words)
            abort();
    }
    w->words[w->count++] = rf_text_copy(word);
}

void rf_chat_words_release(struct rf_chat_words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->words[i]);
    free(w->words);
    *w = (struct rf_chat_words){ 0 };
}
