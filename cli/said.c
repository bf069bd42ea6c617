#include "said.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

struct rf_said {
    struct rf_said *next;
    char *words;
};

bool rf_was_said(struct rf_said **list, struct rf_str words)
{
    struct rf_said *n = *list;
    while (n && (strlen(n->words) != words.n || memcmp(n->words, words.p, words.n) != 0))
        n = n->next;
    if (n)
        return true;
    n = calloc(1, sizeof *n);
    if (!n)
        abort();
    n->words = rf_text_copy(words);
    n->next = *list;
    *list = n;
    return false;
}

void rf_said_forget(struct rf_said **list)
{
    while (*list) {
        struct rf_said *gone = *list;
        *list = gone->next;
        free(gone->words);
        free(gone);
    }
}
