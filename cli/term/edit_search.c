/* Ctrl-R: the newest line of the history that has the words in it; Ctrl-R again goes to older ones.
 * Enter, and every other key, takes what was found into the line (the key then does what it does);
 * Ctrl-G, Ctrl-C and Escape give up, and so does whoever empties the line meanwhile. */
#include "term/edit_inside.h"

#include <string.h>
#include <wchar.h>

#define MOST_WORDS ((size_t)4096) /* bytes that are looked for */
#define CTRL(c) ((c)&0x1f)

void rf_edit_search_text(struct rf_edit *e)
{
    bool nowhere = e->found == e->history.count;
    rf_buffer_text(&e->text, nowhere && e->words.n ? "(not in the history: " : "(history: ");
    rf_buffer_str(&e->text, rf_buffer_view(&e->words));
    e->text_cursor = e->text.n;
    rf_buffer_text(&e->text, ") ");
    if (!nowhere)
        rf_buffer_text(&e->text, e->history.lines[e->found]);
}

/* The newest line before `below` that has the words; what was found stays where there is none and
 * `stays`. */
static void find(struct rf_edit *e, size_t below, bool stays)
{
    struct rf_str words = rf_buffer_view(&e->words);
    for (size_t i = below; words.n && i-- > 0;) {
        if (memmem(e->history.lines[i], strlen(e->history.lines[i]), words.p, words.n)) {
            e->found = i;
            return;
        }
    }
    if (!stays)
        e->found = e->history.count;
}

void rf_edit_search_add(struct rf_edit *e, struct rf_str words)
{
    if (words.n <= MOST_WORDS - e->words.n)
        rf_buffer_str(&e->words, words);
}

static void drop_character(struct rf_buffer *b)
{
    while (b->n && ((unsigned char)b->p[b->n - 1] & 0xc0) == 0x80)
        b->n--;
    if (b->n)
        b->n--;
}

enum outcome { GOES_ON, TAKEN, GIVEN_UP, EMPTIED };

static enum outcome act(struct rf_edit *e)
{
    wchar_t c = e->queue[0];
    if (e->queue_count == 3 && c == RF_EDIT_LEAD && e->queue[1] == L'!') {
        if (e->queue[2] != L'p')
            return GIVEN_UP;
        rf_edit_search_add(e, rf_buffer_view(&e->pasted));
        rf_buffer_reset(&e->pasted);
    } else if (e->queue_count > 1) {
        return TAKEN;
    } else if (c == CTRL('r')) {
        find(e, e->found, true);
        return GOES_ON;
    } else if (c == CTRL('g') || c == CTRL('c') || c == 27) {
        return GIVEN_UP;
    } else if (c == 0x7f || c == CTRL('h')) {
        drop_character(&e->words);
    } else if (c < 0x20) {
        return TAKEN;
    } else {
        struct rf_buffer letter = { 0 };
        rf_edit_narrow(&letter, c);
        rf_edit_search_add(e, rf_buffer_view(&letter));
        rf_buffer_release(&letter);
    }
    find(e, e->history.count, false);
    return GOES_ON;
}

static void take(struct rf_edit *e)
{
    if (e->found < e->history.count)
        rf_edit_show_old(e, e->found);
}

unsigned char rf_edit_search(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    enum outcome outcome = GOES_ON;
    bool command = e->command;
    rf_buffer_reset(&e->words);
    e->found = e->history.count;
    e->searches = true;
    while (outcome == GOES_ON) {
        if (!rf_edit_read_key(e))
            break;
        outcome = e->searches ? act(e) : EMPTIED;
    }
    e->searches = false;
    if (outcome == TAKEN)
        take(e);
    else if (outcome == EMPTIED)
        rf_edit_restore(e);
    else
        e->queue_at = e->queue_count = 0;
    e->command = command;
    return outcome == GOES_ON ? CC_EOF : CC_REFRESH;
}
