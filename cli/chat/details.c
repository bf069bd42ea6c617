/* Ctrl-O: the last thought, and the calls of the last question with their arguments and results, in
 * full enough to be read. From then on both are shown as they come, until it is pressed again. */
#include "chat/parts.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"

#define MOST_ROWS 20    /* of one argument or result */
#define MOST_RESULTS 64 /* that are looked for */

static void show_some(struct rf_chat *c, struct rf_str text)
{
    static const struct rf_chat_mark mark = { RF_STYLE_PLAIN, "    ", "    " };
    rf_chat_show_part(c, RF_CHAT_LINES);
    size_t rows = rf_chat_rows(c, &mark, RF_STYLE_DIM, text, MOST_ROWS);
    if (rows > MOST_ROWS)
        rf_chat_say(c, RF_STYLE_DIM, "    %s %zu more rows", c->theme.unicode ? "…" : "...",
                    rows - MOST_ROWS);
}

void rf_chat_show_arguments(struct rf_chat *c, const struct rf_chat_call *call)
{
    if (strlen(call->arguments) > 2)
        show_some(c, rf_text(call->arguments));
}

/* The results of the calls since a person spoke last, in the order of the calls. */
struct results {
    struct rf_buffer texts[MOST_RESULTS];
    size_t count, message;
};

static bool gather(void *ctx, const struct rf_saying *s)
{
    struct results *r = ctx;
    if (strcmp(s->role, "user") == 0)
        r->count = r->message = 0;
    if (strcmp(s->role, "tool") != 0 || !s->type)
        return true;
    if (s->message != r->message && r->count < MOST_RESULTS)
        rf_buffer_reset(&r->texts[r->count++]);
    r->message = s->message;
    struct rf_buffer *out = &r->texts[r->count - 1];
    if (out->n && s->text.n)
        rf_buffer_text(out, "\n");
    rf_buffer_str(out, s->text);
    return true;
}

/* Not while the agent works with the session, and not where nothing is kept. */
static void find_results(struct rf_chat *c, struct results *out)
{
    struct rf_session *session = rf_chat_is_busy(c) ? NULL : rf_agent_session(c->agent);
    struct rf_conversation *conversation;
    struct rf_err unseen;
    if (!session || rf_session_conversation(session, &conversation, &unseen))
        return;
    rf_conversation_sayings(conversation, gather, out);
    rf_conversation_free(conversation);
}

static void show_calls(struct rf_chat *c)
{
    struct results *results = calloc(1, sizeof *results);
    size_t i = 0;
    if (!results)
        abort();
    find_results(c, results);
    for (const struct rf_chat_call *call = c->show->calls; call; call = call->next, i++) {
        struct rf_buffer row = { 0 };
        rf_chat_show_part(c, RF_CHAT_LINES);
        rf_chat_call_row(c, call, &row);
        rf_chat_commit(c, rf_buffer_view(&row));
        rf_buffer_release(&row);
        rf_chat_show_arguments(c, call);
        if (i < results->count && results->texts[i].n)
            show_some(c, rf_buffer_view(&results->texts[i]));
    }
    for (i = 0; i < MOST_RESULTS; i++)
        rf_buffer_release(&results->texts[i]);
    free(results);
}

void rf_chat_toggle_details(struct rf_chat *c)
{
    c->show_thoughts = !c->show_thoughts;
    if (!c->show_thoughts) {
        rf_chat_say(c, RF_STYLE_DIM, "thoughts and details are one line each again");
        return;
    }
    rf_chat_say(c, RF_STYLE_DIM, "thoughts and details are shown from now on (Ctrl-O hides them)");
    if (c->show->thought.n)
        rf_chat_show_thought(c);
    if (c->show->calls && !rf_chat_is_busy(c))
        show_calls(c);
}
