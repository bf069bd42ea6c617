/* A password, typed or pasted in a chat. Nothing of it is drawn, kept in the history or held longer
 * than it is needed; what moves a cursor does nothing. */
#include "chat/parts.h"

#include <string.h>

#include "term/cells.h"

enum { CTRL_C = 3, CTRL_D = 4, BACKSPACE = 8, CTRL_U = 21, ESCAPE = 27, DELETE = 127 };

/* Skips "\033[200~" and its like. True while it is inside of one. */
static bool is_escape(struct rf_chat_secret *s, unsigned char byte)
{
    bool begins = s->escape == 1 && (byte == '[' || byte == 'O');
    if (byte == ESCAPE)
        s->escape = 1;
    else if (begins)
        s->escape = 2;
    else if (s->escape == 1 || (s->escape == 2 && byte >= 0x40 && byte <= 0x7e))
        s->escape = 0;
    else
        return s->escape;
    return true;
}

static void take_back(struct rf_chat_secret *s)
{
    while (s->n && ((unsigned char)s->text[--s->n] & 0xc0) == 0x80)
        continue;
}

void rf_chat_secret_key(struct rf_chat_secret *s, unsigned char byte)
{
    if (is_escape(s, byte))
        return;
    if (byte == '\r' || byte == '\n')
        s->done = true;
    else if (byte == CTRL_C || byte == CTRL_D)
        s->done = s->refused = true;
    else if (byte == DELETE || byte == BACKSPACE)
        take_back(s);
    else if (byte == CTRL_U)
        s->n = 0;
    else if (byte >= ' ' && s->n < sizeof s->text)
        s->text[s->n++] = (char)byte;
}
