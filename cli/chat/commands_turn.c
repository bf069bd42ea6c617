/* /new, /retry, /edit, /system: another conversation, the same question once more, and what the
 * model is told before all else. Nothing that was said is lost by any of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "report.h"
#include "system.h"
#include "text.h"

void rf_chat_system_reset(struct rf_chat *c)
{
    struct rf_err err;
    rf_agent_system(c->agent, (struct rf_str){ 0 });
    if (rf_system_take(c->agent, c->system, &err))
        rf_chat_error(c, &err);
}

/* /new */

void rf_chat_run_new(struct rf_chat *c, struct rf_str argument)
{
    const struct rf_session *s = rf_agent_session(c->agent);
    char id[RF_SESSION_ID_SIZE] = "";
    char *title = rf_text_copy(s ? rf_session_title(s) : rf_text(""));
    (void)argument;
    if (s && rf_session_count(s))
        snprintf(id, sizeof id, "%s", rf_session_id(s));
    rf_agent_leave(c->agent);
    rf_chat_system_reset(c);
    free(c->last_document);
    c->last_document = NULL;
    if (id[0])
        rf_chat_say(c, RF_STYLE_GOOD,
                    "+ a new session; %s (%s) is kept, /resume %s goes back to it", id, title, id);
    else if (c->stored.store)
        rf_chat_say(c, RF_STYLE_DIM, "this session is new already");
    else
        rf_chat_say(c, RF_STYLE_GOOD, "+ a new conversation; nothing is kept of the one before");
    free(title);
    rf_chat_count(c);
}

bool rf_chat_last_question(struct rf_chat *c, struct rf_buffer *out)
{
    struct rf_str text;
    if (rf_chat_is_busy(c) || !rf_agent_last_question(c->agent, &text))
        return false;
    rf_buffer_str(out, text);
    return true;
}

/* /retry, /edit */

void rf_chat_run_retry(struct rf_chat *c, struct rf_str argument)
{
    struct rf_buffer question = { 0 };
    (void)argument;
    if (rf_chat_last_question(c, &question)) {
        rf_buffer_add(&question, "", 1);
        const char *words = question.n > 1 ? question.p : "the files alone";
        rf_chat_say(c, RF_STYLE_DIM, "once more: %.*s", (int)strcspn(words, "\n"), words);
        rf_chat_retry(c, question.p);
    } else {
        rf_chat_say(c, RF_STYLE_DIM, "nothing was asked yet that could be asked again");
    }
    rf_buffer_release(&question);
}

void rf_chat_run_edit(struct rf_chat *c, struct rf_str argument)
{
    if (c->plain)
        rf_chat_say(c, RF_STYLE_BAD, "x /edit needs a terminal");
    else
        rf_chat_edit(c, argument);
}

/* /system */

/* As -s takes it; but the chat's own input is for the chat to read. */
static enum rf_code take_system(struct rf_chat *c, struct rf_str given, struct rf_err *err)
{
    if (rf_chat_is(given, "@-")) {
        rf_say(err, RF_EUSAGE, "/system takes a file, and not the input of the chat");
        return RF_EUSAGE;
    }
    char *text = rf_text_copy(given);
    enum rf_code rc = rf_system_take(c->agent, text, err);
    free(text);
    return rc;
}

void rf_chat_run_system(struct rf_chat *c, struct rf_str argument)
{
    struct rf_str now = rf_agent_system_prompt(c->agent);
    if (rf_chat_is(argument, "-")) {
        rf_agent_system(c->agent, rf_text(""));
        rf_chat_say(c, RF_STYLE_GOOD,
                    now.n ? "+ no system prompt from the next question on"
                          : "+ there was no system prompt, and there is none");
    } else if (argument.n) {
        struct rf_err err;
        if (take_system(c, argument, &err))
            rf_chat_error(c, &err);
        else
            rf_chat_say(c, RF_STYLE_GOOD, "+ this is the system prompt from the next question on");
    } else if (now.n) {
        rf_chat_say_text(c, RF_STYLE_PLAIN, now);
        rf_chat_say(c, RF_STYLE_DIM, "/system TEXT or @FILE sets another, /system - takes it away");
    } else {
        rf_chat_say(c, RF_STYLE_DIM, "there is no system prompt; /system TEXT or @FILE sets one");
    }
    if (argument.n)
        rf_chat_count(c);
}
