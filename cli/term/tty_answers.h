/* What a terminal says about itself, taken out of what is typed.
 *
 *     rf_answers_add(&a, bytes, now_ms, &typed);
 *     rf_answers_idle(&a, now_ms, &typed);       whenever nothing has come for a while
 *
 * Both come over the same line: an answer is told by its form, which no key has. Bytes that may yet
 * become one are held for a moment (keys: Escape alone begins like an answer) or a second. An
 * answer that never ends is dropped for two seconds, or until something is typed that no answer has
 * in it, such as Enter or Ctrl-C; so typing gets through whatever the terminal does. No clock and
 * no terminal in here: whoever calls has both.
 */
#ifndef RF_CLI_TERM_TTY_ANSWERS_H
#define RF_CLI_TERM_TTY_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/str.h>

#include "term/buffer.h"

struct rf_answers {
    bool asked; /* answers count from here on */
    bool done;  /* and no longer: the last question was answered */
    bool kitty, iterm, sixel;
    bool reflows;                /* it is one that wraps its lines anew when its width changes */
    bool background, light;      /* it was told; it is light */
    int cell_width, cell_height; /* pixels; 0: not told */
    int changes;                 /* counts what was told */
    /* Inside. */
    char held[512];
    size_t count;
    long long since_ms;
    /* The kind ('[', ']', 'P', '_') of an answer without an end that is being dropped; 0: none. */
    char dropping;
    size_t dropped; /* bytes of it, and the last */
    char dropped_last;
};

/* The questions; for one that runs inside of tmux or screen without those that it would take for
 * something else. */
const char *rf_answers_questions(void);
const char *rf_answers_questions_inside(void);

void rf_answers_add(struct rf_answers *a, struct rf_str bytes, long long now_ms,
                    struct rf_buffer *typed);
void rf_answers_idle(struct rf_answers *a, long long now_ms, struct rf_buffer *typed);
/* Milliseconds until rf_answers_idle has something to do; -1: never. */
int rf_answers_due(const struct rf_answers *a, long long now_ms);

#endif
