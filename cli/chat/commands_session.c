/* /session, /resume, /compact: where the conversation is kept, and which one goes on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "report.h"
#include "text.h"

#define LISTED 10     /* sessions that /resume shows */
#define COMPLETED 200 /* whose ids Tab knows */

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* /session */

struct looking {
    struct rf_chat *chat;
    const char *id;
};

static void say_info(void *ctx, const struct rf_session_info *i)
{
    const struct looking *l = ctx;
    struct rf_chat *c = l->chat;
    char created[RF_SHORT_TEXT], in[RF_SHORT_TEXT], out[RF_SHORT_TEXT];
    if (!rf_chat_is(i->id, l->id))
        return;
    rf_chat_say(c, RF_STYLE_PLAIN, "session %s: %.*s", l->id, RF_FMT(i->title));
    rf_chat_say(c, RF_STYLE_PLAIN, "%" PRId64 " message%s, %" PRId64 " file%s, begun %s",
                i->messages, plural(i->messages), i->files, plural(i->files),
                rf_time_text(i->created_ms, created));
    rf_chat_say(c, RF_STYLE_PLAIN, "%s tokens in, %s out, in all",
                rf_number_text(i->input_tokens, in), rf_number_text(i->output_tokens, out));
    if (i->parent.n && i->parent_messages)
        rf_chat_say(c, RF_STYLE_PLAIN, "forked from %.*s after %" PRId64 " message%s",
                    RF_FMT(i->parent), i->parent_messages, plural(i->parent_messages));
    else if (i->parent.n)
        rf_chat_say(c, RF_STYLE_PLAIN, "goes on from %.*s, which is kept", RF_FMT(i->parent));
    rf_chat_say(c, RF_STYLE_DIM, "kept in %s", rf_store_place(c->stored.store));
}

void rf_chat_run_session(struct rf_chat *c, struct rf_str argument)
{
    struct rf_session *s = rf_agent_session(c->agent);
    struct rf_str title = argument, word = rf_chat_first_word(&title);
    struct rf_err err;
    enum rf_code rc = RF_OK;
    if (argument.n && (!rf_chat_is(word, "title") || !title.n)) {
        rf_chat_say(c, RF_STYLE_BAD, "/session takes nothing, or title and the title");
        return;
    }
    if (!s || !rf_session_count(s)) {
        rf_chat_say(c, RF_STYLE_DIM, "%s",
                    c->stored.store ? "a session begins with the first question"
                                    : "nothing is kept: there is no session");
        return;
    }
    if (title.n)
        rc = rf_session_set_title(s, title, &err);
    struct looking l = { c, rf_session_id(s) };
    if (!rc)
        rc = rf_store_list(c->stored.store, 0, say_info, &l, &err);
    if (rc)
        rf_chat_error(c, &err);
}

void rf_chat_words_session(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out)
{
    (void)c;
    if (!memchr(begun.n ? begun.p : "", ' ', begun.n))
        rf_chat_words_add(out, rf_text("title"));
}

/* /resume */

struct listing {
    struct rf_chat *chat;
    int64_t at, wanted; /* wanted 0: all are said */
    char found[RF_SESSION_ID_SIZE];
};

static void say_session(struct listing *l, const struct rf_session_info *i)
{
    struct rf_session *now = rf_agent_session(l->chat->agent);
    struct rf_buffer b = { 0 };
    char number[24], age[RF_SHORT_TEXT];
    snprintf(number, sizeof number, "%" PRId64, l->at);
    rf_age_text(i->updated_ms, age);
    bool here = now && rf_chat_is(i->id, rf_session_id(now));
    rf_buffer_print(&b, "%.*s  %-8s  %.*s%s", RF_FMT(i->id), age, RF_FMT(i->title),
                    here         ? " (this one)"
                    : i->owner.n ? " (in use)"
                                 : "");
    rf_chat_say_pair(l->chat, 3, rf_text(number), rf_buffer_view(&b));
    rf_buffer_release(&b);
}

static void take_session(void *ctx, const struct rf_session_info *i)
{
    struct listing *l = ctx;
    l->at++;
    if (!l->wanted)
        say_session(l, i);
    else if (l->at == l->wanted)
        snprintf(l->found, sizeof l->found, "%.*s", RF_FMT(i->id));
}

static void say_sessions(struct rf_chat *c)
{
    struct listing l = { .chat = c };
    struct rf_err err;
    if (rf_store_list(c->stored.store, LISTED, take_session, &l, &err))
        rf_chat_error(c, &err);
    else if (!l.at)
        rf_chat_say(c, RF_STYLE_DIM, "there are no sessions yet");
    else
        rf_chat_say(c, RF_STYLE_DIM, "/resume NUMBER or ID goes on with one");
}

static void resume(struct rf_chat *c, const char *id)
{
    const struct rf_session *now = rf_agent_session(c->agent);
    if (now && strcmp(rf_session_id(now), id) == 0) {
        rf_chat_say(c, RF_STYLE_DIM, "this is session %s already", id);
        return;
    }
    if (!rf_chat_take_session(c, id))
        return;
    rf_chat_system_reset(c);
    rf_chat_recap(c);
    rf_chat_count(c);
}

/* A number that is not in the list: which are. */
static void hint_numbers(struct rf_chat *c, struct rf_err *err)
{
    struct listing l = { .chat = c, .wanted = LISTED + 1 };
    struct rf_err unseen;
    if (rf_store_list(c->stored.store, LISTED, take_session, &l, &unseen) || !l.at)
        rf_say_hint(err, "There are no sessions yet: the first question begins one.");
    else
        rf_say_hint(err, "/resume lists 1 to %" PRId64 "; or give an id.", l.at);
}

void rf_chat_run_resume(struct rf_chat *c, struct rf_str argument)
{
    struct listing l = { .chat = c };
    struct rf_err err;
    enum rf_code rc = RF_OK;
    if (!c->stored.store) {
        rf_chat_say(c, RF_STYLE_DIM, "nothing is kept: there are no sessions here");
        return;
    }
    if (!argument.n) {
        say_sessions(c);
        return;
    }
    bool number = rf_chat_number(argument, &l.wanted);
    if (number && l.wanted <= LISTED)
        rc = rf_store_list(c->stored.store, LISTED, take_session, &l, &err);
    if (!rc && !l.found[0]) {
        char *id = rf_text_copy(argument);
        rc = rf_stored_find(&c->stored, id, l.found, &err);
        free(id);
    }
    if (rc == RF_ENOTFOUND && number)
        hint_numbers(c, &err);
    if (rc)
        rf_chat_error(c, &err);
    else
        resume(c, l.found);
}

static void add_session(void *ctx, const struct rf_session_info *i)
{
    rf_chat_words_add(ctx, i->id);
}

void rf_chat_words_resume(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out)
{
    struct rf_err unseen;
    (void)begun;
    if (c->stored.store && !rf_chat_is_busy(c) &&
        rf_store_list(c->stored.store, COMPLETED, add_session, out, &unseen))
        return;
}

/* /compact */

struct compacting {
    char *wish;
    char before[RF_SESSION_ID_SIZE]; /* the session that is summed up; or empty */
    int64_t messages;
    struct rf_str summary; /* the agent's */
    enum rf_code rc;
    struct rf_err err;
};

static void sum_up(struct rf_chat *c, void *ctx)
{
    struct compacting *w = ctx;
    w->rc = rf_agent_compact(c->agent, rf_text(w->wish), &w->summary, &w->err);
}

static void say_compacted(struct rf_chat *c, const struct compacting *w)
{
    const struct rf_session *now = rf_agent_session(c->agent);
    if (now)
        rf_chat_say(c, RF_STYLE_GOOD,
                    "+ %" PRId64 " message%s summed up in %zu bytes: session %s goes on from %s, "
                    "which stays whole",
                    w->messages, plural(w->messages), w->summary.n, rf_session_id(now), w->before);
    else
        rf_chat_say(c, RF_STYLE_GOOD, "+ the conversation is summed up in %zu bytes", w->summary.n);
    if (c->show_thoughts)
        rf_chat_say_markdown(c, w->summary);
}

static void end_compacting(struct rf_chat *c, void *ctx)
{
    struct compacting *w = ctx;
    if (w->rc)
        rf_chat_error(c, &w->err);
    else {
        say_compacted(c, w);
        rf_chat_count(c);
    }
    free(w->wish);
}

void rf_chat_run_compact(struct rf_chat *c, struct rf_str argument)
{
    struct compacting *w = calloc(1, sizeof *w);
    const struct rf_session *now = rf_agent_session(c->agent);
    if (!w)
        abort();
    w->wish = rf_text_copy(argument);
    if (now) {
        snprintf(w->before, sizeof w->before, "%s", rf_session_id(now));
        w->messages = rf_session_count(now);
    }
    rf_chat_work_of_agent(c, "compacting", sum_up, end_compacting, w);
}
