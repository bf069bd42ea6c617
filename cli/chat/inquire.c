/* What an MCP server wants a person to fill in: each question stands in the scrollback, and the
 * next line that is entered is the answer. Before anything goes there, all of it is shown and asked
 * about as a tool is, so that a line which was meant for the model does not get there unseen. */
#include "chat/parts.h"

#include <stdlib.h>

#include "inquiry.h"
#include "permission.h"
#include "report.h"

/* Over there */

static char *read_line(void *ctx, struct rf_str question)
{
    struct rf_chat *c = ctx;
    struct rf_chat_turn *t = c->turn;
    struct rf_chat_event *e = rf_chat_event_new(RF_CHAT_INQUIRY);
    rf_buffer_str(&e->text, question);
    pthread_mutex_lock(&t->lock);
    t->answered = false;
    t->line = NULL;
    pthread_mutex_unlock(&t->lock);
    rf_chat_post(c, e);
    pthread_mutex_lock(&t->lock);
    while (!t->answered && !t->leaving)
        pthread_cond_wait(&t->changed, &t->lock);
    char *line = t->answered ? t->line : NULL;
    t->line = NULL;
    pthread_mutex_unlock(&t->lock);
    return line;
}

static bool confirm(void *ctx, struct rf_str what, struct rf_str text)
{
    return rf_chat_permit(ctx, what, text) != RF_PERMIT_NO;
}

static void say(void *ctx, struct rf_str words)
{
    rf_chat_say(ctx, RF_STYLE_WARN, "? %.*s", RF_FMT(words));
}

enum rf_inquiry_answer rf_chat_inquire(void *ctx, struct rf_inquiry *q)
{
    static const struct rf_inquiry_way way = { read_line, confirm, say };
    struct rf_chat *c = ctx;
    if (c->plain)
        return rf_inquiry_ask_plainly(q);
    return rf_chat_is_over_there(c) ? rf_inquiry_ask(q, &way, c) : RF_INQUIRY_CANCELLED;
}

/* Here */

void rf_chat_inquire_show(struct rf_chat *c, const struct rf_chat_event *e)
{
    rf_chat_calls_commit(c, NULL);
    rf_chat_say(c, RF_STYLE_WARN, "  %.*s (Enter answers)", RF_FMT(rf_buffer_view(&e->text)));
    c->inquires = true;
    if (c->turn->cancelled) /* before it stood there */
        rf_chat_inquire_line(c, NULL);
}

bool rf_chat_inquire_line(struct rf_chat *c, const char *line)
{
    struct rf_chat_turn *t = c->turn;
    if (!c->inquires)
        return false;
    c->inquires = false;
    if (line)
        rf_chat_say(c, RF_STYLE_DIM, "  %s", line);
    pthread_mutex_lock(&t->lock);
    t->answered = true;
    t->line = line ? rf_text_copy(rf_text(line)) : NULL;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    return true;
}
