/* Choosing one of many: what is typed narrows the list, the arrows move, Enter takes, Esc leaves.
 *
 * It is drawn in the region instead of what is typed, and holds nothing but texts: whoever asks
 * knows what they stand for. Loop.c feeds it keys, prompt.c draws its rows. */
#include "chat/parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "term/cells.h"

enum { CTRL_C = 3, CTRL_D = 4, BACKSPACE = 8, CTRL_N = 14, CTRL_P = 16, CTRL_U = 21, ESCAPE = 27 };
enum { DELETE = 127 };

void rf_chat_pick_add(struct rf_chat_pick *p, struct rf_str name, struct rf_str about)
{
    if (p->count == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 64;
        p->items = realloc(p->items, p->cap * sizeof *p->items);
        if (!p->items)
            abort();
    }
    p->items[p->count++] = (struct rf_chat_pick_item){ rf_text_copy(name), rf_text_copy(about) };
}

void rf_chat_pick_empty(struct rf_chat_pick *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->items[i].name);
        free(p->items[i].about);
    }
    free(p->items);
    p->items = NULL;
    p->count = p->cap = 0;
}

/* What fits */

/* Are all of the words that were typed in it, whatever their case? */
static bool fits(const struct rf_chat_pick *p, const struct rf_chat_pick_item *item)
{
    char typed[sizeof p->typed + 1], *rest = typed, *word;
    memcpy(typed, p->typed, p->n);
    typed[p->n] = '\0';
    while ((word = strsep(&rest, " ")))
        if (*word && !strcasestr(item->name, word))
            return false;
    return true;
}

const struct rf_chat_pick_item *rf_chat_pick_at(const struct rf_chat_pick *p, size_t at)
{
    for (size_t i = 0; i < p->count; i++)
        if (fits(p, &p->items[i]) && at-- == 0)
            return &p->items[i];
    return NULL;
}

size_t rf_chat_pick_fitting(const struct rf_chat_pick *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++)
        count += fits(p, &p->items[i]);
    return count;
}

void rf_chat_pick_move_to(struct rf_chat_pick *p, const char *name)
{
    const struct rf_chat_pick_item *item;
    for (size_t i = 0; (item = rf_chat_pick_at(p, i)); i++)
        if (strcmp(item->name, name) == 0)
            p->at = i;
}

/* Keys */

static void move(struct rf_chat_pick *p, long by)
{
    long last = (long)rf_chat_pick_fitting(p) - 1, at = (long)p->at + by;
    at = at > last ? last : at;
    p->at = at < 0 ? 0 : (size_t)at;
}

/* The end of "\033[5~" and its like. */
static void end_escape(struct rf_chat_pick *p, unsigned char last)
{
    if (last == 'A')
        move(p, -1);
    else if (last == 'B')
        move(p, 1);
    else if (last == 'H')
        p->at = 0;
    else if (last == 'F')
        move(p, (long)p->count);
    else if (last == '~' && p->parameter == 5)
        move(p, -RF_CHAT_PICK_ROWS);
    else if (last == '~' && p->parameter == 6)
        move(p, RF_CHAT_PICK_ROWS);
    else if (last == '~' && (p->parameter == 200 || p->parameter == 201))
        p->pastes = p->parameter == 200;
}

/* True while it is inside of a sequence. */
static bool take_escape(struct rf_chat_pick *p, unsigned char byte)
{
    if (p->escape == 1 && (byte == '[' || byte == 'O')) {
        p->escape = 2;
        p->parameter = 0;
    } else if (p->escape == 2 && byte >= '0' && byte <= '9') {
        p->parameter = p->parameter < 1000 ? p->parameter * 10 + (byte - '0') : p->parameter;
    } else if (p->escape == 2 && byte >= 0x40 && byte <= 0x7e) {
        end_escape(p, byte);
        p->escape = 0;
    } else if (p->escape == 1) {
        p->escape = 0;
    } else {
        return p->escape == 2;
    }
    return true;
}

static void take(struct rf_chat_pick *p)
{
    const struct rf_chat_pick_item *item = rf_chat_pick_at(p, p->at);
    if (!item || p->pastes)
        return;
    snprintf(p->chosen, sizeof p->chosen, "%s", item->name);
    p->done = true;
}

static void narrow(struct rf_chat_pick *p, unsigned char byte)
{
    if (byte == CTRL_U)
        p->n = 0;
    else if (byte == DELETE || byte == BACKSPACE)
        while (p->n && ((unsigned char)p->typed[--p->n] & 0xc0) == 0x80)
            continue;
    else if (byte >= ' ' && p->n < sizeof p->typed)
        p->typed[p->n++] = (char)byte;
    p->at = 0;
}

void rf_chat_pick_key(struct rf_chat_pick *p, unsigned char byte, bool alone)
{
    p->touched = true;
    if (take_escape(p, byte))
        return;
    if (byte == ESCAPE && !alone)
        p->escape = 1;
    else if (byte == ESCAPE || byte == CTRL_C || byte == CTRL_D)
        p->done = true;
    else if (byte == '\r' || byte == '\n')
        take(p);
    else if (byte == CTRL_P || byte == CTRL_N)
        move(p, byte == CTRL_P ? -1 : 1);
    else
        narrow(p, byte);
}
