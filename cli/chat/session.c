/* Another model, another session, what was said in it, and what the status line counts. */
#include "chat/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "report.h"
#include "text.h"

#define RECAP_QUESTIONS 2 /* that are shown of a session that is gone on with */

/* Counting */

/* The window as the catalogue has it, where no request says. */
static int64_t window_of(const struct rf_chat *c)
{
    struct rf_model *m;
    struct rf_err unseen;
    int64_t window = -1;
    if (rf_model_open(c->config, c->named, &m, &unseen))
        return -1;
    for (size_t i = 0; i < rf_fact_count(); i++) {
        if (strcmp(rf_fact_name(i), "context_tokens") != 0)
            continue;
        char *value = rf_text_copy(rf_model_fact(m, i));
        window = strtoll(value, NULL, 10);
        free(value);
    }
    rf_model_close(m);
    return window > 0 ? window : -1;
}

static void count_file(void *ctx, const struct rf_session_file *f)
{
    int64_t *count = ctx;
    *count += !f->dropped;
}

static int64_t count_files(struct rf_chat *c)
{
    struct rf_request *r = rf_agent_last_request(c->agent);
    struct rf_session *s = rf_agent_session(c->agent);
    struct rf_err unseen;
    int64_t files = 0;
    if (!s)
        return r ? (int64_t)rf_report_count(r) : 0;
    return rf_session_files(s, count_file, &files, &unseen) ? -1 : files;
}

/* How full the window is that the next question finds: in the other thread, since files may have
 * to be looked at. */
struct rf_chat_counts rf_chat_counts(struct rf_chat *c)
{
    struct rf_chat_counts out = { -1, -1, count_files(c) };
    struct rf_request *r;
    struct rf_err unseen;
    if (rf_agent_plan_next(c->agent, &r, &unseen))
        return out;
    struct rf_tokens *t = rf_request_tokens(r);
    out.used_tokens = rf_tokens_total(t);
    out.window_tokens = rf_tokens_context(t) > 0 ? rf_tokens_context(t) : -1;
    rf_tokens_free(t);
    return out;
}

void rf_chat_take_counts(struct rf_chat *c, const struct rf_chat_counts *counts)
{
    struct rf_session *s = rf_agent_session(c->agent);
    c->used_tokens = counts->used_tokens;
    c->window_tokens = counts->window_tokens > 0 ? counts->window_tokens : window_of(c);
    c->files = counts->files;
    snprintf(c->session_id, sizeof c->session_id, "%s", s ? rf_session_id(s) : "");
}

static void count_there(struct rf_chat *c, void *ctx)
{
    *(struct rf_chat_counts *)ctx = rf_chat_counts(c);
}

static void take_counted(struct rf_chat *c, void *ctx)
{
    rf_chat_take_counts(c, ctx);
}

void rf_chat_count_later(struct rf_chat *c)
{
    struct rf_chat_counts *counts = calloc(1, sizeof *counts);
    if (!counts)
        abort();
    c->counts_later = false;
    rf_chat_turn_work(c, RF_CHAT_SHORT, "counting", count_there, take_counted, counts);
}

void rf_chat_count(struct rf_chat *c)
{
    const struct rf_chat_counts now = { -1, -1, count_files(c) };
    rf_chat_take_counts(c, &now);
    c->counts_later = true;
}

/* Taking */

bool rf_chat_take_model(struct rf_chat *c, const char *name)
{
    struct rf_err err;
    if (rf_agent_model(c->agent, name, &err)) {
        rf_chat_error(c, &err);
        return false;
    }
    snprintf(c->named, sizeof c->named, "%s", name);
    rf_choose_whole(c->config, name, c->model, sizeof c->model);
    c->model_note[0] = '\0';
    c->window_tokens = window_of(c);
    rf_chat_say(c, RF_STYLE_DIM, "model: %s", c->model);
    return true;
}

bool rf_chat_take_session(struct rf_chat *c, const char *id)
{
    char found[RF_SESSION_ID_SIZE];
    struct rf_err err;
    if (!c->stored.store) {
        rf_chat_say(c, RF_STYLE_BAD, "nothing is kept here: --no-save was given");
        return false;
    }
    if (rf_stored_find(&c->stored, id, found, &err) || rf_agent_resume(c->agent, found, &err)) {
        rf_chat_error(c, &err);
        return false;
    }
    memcpy(c->resumed, found, sizeof c->resumed);
    struct rf_session *s = rf_agent_session(c->agent);
    struct rf_str title = rf_session_title(s);
    int64_t count = rf_session_count(s);
    rf_chat_count(c);
    rf_chat_say(c, RF_STYLE_DIM, "session %s: %.*s, %" PRId64 " message%s", rf_session_id(s),
                RF_FMT(title), count, count == 1 ? "" : "s");
    return true;
}

/* What was said */

/* Two walks: the first counts the questions, the second shows the last ones and what was
 * answered. */
struct recap {
    struct rf_chat *c;
    size_t questions; /* so far */
    size_t from;      /* the number of the first that is shown, from 1; 0: this walk counts */
    size_t message;   /* of the last one, from 1 */
};

static bool is_shown(const struct recap *r)
{
    return r->from && r->questions >= r->from;
}

static void recap_call(struct rf_chat *c, const struct rf_saying *s)
{
    char words[RF_CALL_WORDS];
    rf_agent_call_words(s->text, words);
    rf_chat_say(c, RF_STYLE_DIM, "%s %.*s%s%s", c->theme.unicode ? "▸" : ">", RF_FMT(s->tool),
                words[0] ? " " : "", words);
}

/* Of a message the first text: after it comes the note for the model. */
static void recap_question(struct recap *r, const struct rf_saying *s)
{
    bool words = strcmp(s->type, "text") == 0;
    if (words && s->message + 1 == r->message)
        return;
    if (words) {
        r->message = s->message + 1;
        r->questions++;
    }
    if (!is_shown(r))
        return;
    if (!words && s->name.n)
        rf_chat_say(r->c, RF_STYLE_DIM, "[%s: %.*s]", s->type, RF_FMT(s->name));
    else if (words && r->c->plain)
        rf_chat_say(r->c, RF_STYLE_PLAIN, "> %.*s", RF_FMT(s->text));
    else if (words)
        rf_chat_show_question(r->c, s->text);
}

static bool recap_saying(void *ctx, const struct rf_saying *s)
{
    struct recap *r = ctx;
    if (!s->type)
        return true;
    if (strcmp(s->role, "user") == 0)
        recap_question(r, s);
    if (!is_shown(r) || strcmp(s->role, "assistant") != 0)
        return true;
    if (strcmp(s->type, "tool_call") == 0)
        recap_call(r->c, s);
    else if (strcmp(s->type, "text") == 0)
        rf_chat_say_markdown(r->c, s->text);
    return true;
}

void rf_chat_recap(struct rf_chat *c)
{
    struct rf_session *session = rf_agent_session(c->agent);
    struct rf_conversation *conversation;
    struct rf_err err;
    struct recap all = { .c = c };
    if (!session)
        return;
    if (rf_session_conversation(session, &conversation, &err)) {
        rf_chat_error(c, &err);
        return;
    }
    rf_conversation_sayings(conversation, recap_saying, &all);
    struct recap last = { .c = c, .from = 1 };
    if (all.questions > RECAP_QUESTIONS)
        last.from = all.questions - RECAP_QUESTIONS + 1;
    rf_conversation_sayings(conversation, recap_saying, &last);
    rf_conversation_free(conversation);
}
