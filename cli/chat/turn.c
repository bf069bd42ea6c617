/* The other thread. What happens there comes over in a queue; pieces of an answer that are
 * not taken yet grow together, and where nothing is taken for long (a terminal that was
 * stopped) the other side waits.
 *
 * Nothing of the agent's is touched by the main thread while this one works. */
#include "chat/parts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advice.h"
#include "prompts.h"
#include "report.h"
#include "text.h"

#define MOST_HELD ((size_t)4 << 20) /* bytes on their way */
#define MOST_PREVIEWS 8             /* of files that tools brought, for one question */
#define LEAVE_MS 3000               /* for what is going on to stop, once the program is left */

long long rf_chat_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Events */

struct rf_chat_event *rf_chat_event_new(enum rf_chat_event_type type)
{
    struct rf_chat_event *e = calloc(1, sizeof *e);
    if (!e)
        abort();
    e->type = type;
    return e;
}

void rf_chat_event_free(struct rf_chat_event *e)
{
    if (!e)
        return;
    rf_buffer_release(&e->text);
    free(e->name);
    free(e->call);
    free(e->extra);
    free(e->file.line);
    free(e->file.name);
    free(e->file.id);
    free(e->file.as);
    free(e->file.reason);
    free(e->file.lost);
    free(e);
}

static bool is_piece(const struct rf_chat_event *e)
{
    return e->type == RF_CHAT_AGENT &&
           (e->agent.type == RF_AGENT_TEXT || e->agent.type == RF_AGENT_THINKING);
}

/* With the lock held. */
static bool grows_together(struct rf_chat_turn *t, const struct rf_chat_event *e)
{
    if (!t->last || !is_piece(e) || !is_piece(t->last) || t->last->agent.type != e->agent.type)
        return false;
    rf_buffer_add(&t->last->text, e->text.p, e->text.n);
    return true;
}

void rf_chat_post(struct rf_chat *c, struct rf_chat_event *e)
{
    struct rf_chat_turn *t = c->turn;
    pthread_mutex_lock(&t->lock);
    while (t->held > MOST_HELD && !t->leaving && rf_chat_is_over_there(c))
        pthread_cond_wait(&t->changed, &t->lock);
    bool wakes = !t->first;
    t->held += e->text.n + sizeof *e;
    if (grows_together(t, e)) {
        rf_chat_event_free(e);
    } else {
        if (t->last)
            t->last->next = e;
        else
            t->first = e;
        t->last = e;
    }
    pthread_mutex_unlock(&t->lock);
    if (wakes)
        rf_tty_wake(&c->tty);
}

struct rf_chat_event *rf_chat_take_events(struct rf_chat *c)
{
    struct rf_chat_turn *t = c->turn;
    pthread_mutex_lock(&t->lock);
    struct rf_chat_event *first = t->first;
    t->first = t->last = NULL;
    t->held = 0;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    return first;
}

/* Listening: copies, since nothing of the agent's may be looked at later. */

/* "pages 21-120, sound" */
static char *losses_of(const struct rf_request *r, size_t file)
{
    struct rf_buffer b = { 0 };
    for (size_t k = 0; k < rf_report_lost_count(r, file); k++)
        rf_buffer_print(&b, "%s%.*s", k ? ", " : "", RF_FMT(rf_report_lost(r, file, k)));
    char *text = rf_text_copy(rf_buffer_view(&b));
    rf_buffer_release(&b);
    return text;
}

static void hear_file(struct rf_chat *c, const struct rf_agent_event *e)
{
    struct rf_request *r = e->request;
    struct rf_chat_event *out = rf_chat_event_new(RF_CHAT_FILE);
    enum rf_delivery d = rf_report_delivery(r, e->file);
    out->file = (struct rf_chat_file){
        .is_new = e->file >= c->turn->files,
        .sent = d == RF_DELIVERY_NATIVE || d == RF_DELIVERY_FALLBACK,
        .line = rf_text_copy(rf_report_line(r, e->file)),
        .name = rf_text_copy(rf_report_name(r, e->file)),
        .id = rf_text_copy(rf_report_id(r, e->file)),
        .as = rf_text_copy(rf_report_as(r, e->file)),
        .reason = rf_text_types(rf_report_reason(r, e->file)),
        .lost = losses_of(r, e->file),
        .bytes = rf_report_sent_bytes(r, e->file),
        .tokens = rf_report_tokens(r, e->file),
    };
    rf_sent_words(rf_text(rf_delivery_name(d)), rf_text(rf_form_name(rf_report_form(r, e->file))),
                  rf_text(""), out->file.words);
    char *id = rf_text_copy(rf_report_id(r, e->file));
    char *name = rf_text_copy(rf_report_name(r, e->file));
    bool pictured = out->file.is_new && c->turn->rounds;
    rf_chat_post(c, out);
    if (pictured && c->turn->previews++ < MOST_PREVIEWS)
        rf_chat_preview_result(c, id, name);
    free(id);
    free(name);
}

static void hear_sending(struct rf_chat *c, const struct rf_request *r)
{
    c->turn->sent = true;
    c->turn->files = c->turn->next_files;
    c->turn->next_files = rf_report_count(r);
    for (size_t i = 0; i < rf_notice_count(r); i++) {
        struct rf_chat_event *out = rf_chat_event_new(RF_CHAT_NOTICE);
        rf_buffer_str(&out->text, rf_notice(r, i));
        rf_chat_post(c, out);
    }
}

bool rf_chat_heard(void *ctx, const struct rf_agent_event *e)
{
    struct rf_chat *c = ctx;
    if (e->type == RF_AGENT_FILE) {
        hear_file(c, e);
        return true;
    }
    if (e->type == RF_AGENT_FOR_PERSON) {
        rf_chat_keep_made(c, e->block, e->name);
        return true;
    }
    struct rf_chat_event *out = rf_chat_event_new(RF_CHAT_AGENT);
    out->agent = *e;
    out->agent.request = NULL;
    out->agent.text = out->agent.name = out->agent.call = (struct rf_str){ "", 0 };
    rf_buffer_str(&out->text, e->text);
    out->name = rf_text_copy(e->name);
    out->call = rf_text_copy(e->call);
    if (e->type == RF_AGENT_CALL)
        rf_chat_read_begin(c, e);
    if (e->type == RF_AGENT_RESULT)
        rf_chat_read_end(c, e);
    if (e->type == RF_AGENT_SENDING) {
        struct rf_session *session = rf_agent_session(c->agent);
        hear_sending(c, e->request);
        out->extra = rf_text_copy(rf_text(session ? rf_session_id(session) : ""));
    }
    rf_chat_post(c, out);
    return true;
}

/* Working */

static void set_running(struct rf_chat_turn *t, bool running)
{
    pthread_mutex_lock(&t->lock);
    t->running = running;
    pthread_mutex_unlock(&t->lock);
}

/* The question in pieces that were typed, and that were not. */
static enum rf_code ask(struct rf_chat *c)
{
    struct rf_chat_turn *t = c->turn;
    size_t count;
    struct rf_words *words = rf_words_of(t->prompt, t->origins, &count);
    struct rf_str answer;
    enum rf_code rc = rf_agent_ask_words(c->agent, words, count, &answer, &t->err);
    free(words);
    return rc;
}

static void *over_there(void *ctx)
{
    struct rf_chat *c = ctx;
    struct rf_chat_turn *t = c->turn;
    set_running(t, t->working == RF_CHAT_ASKING || t->working == RF_CHAT_WORKING);
    struct rf_str answer;
    if (t->working == RF_CHAT_ASKING && t->retries)
        t->code = rf_agent_retry(c->agent, &answer, &t->err);
    else if (t->working == RF_CHAT_ASKING)
        t->code = ask(c);
    else
        t->work(c, t->ctx);
    set_running(t, false);
    if (t->working == RF_CHAT_ASKING)
        t->counts = rf_chat_counts(c);
    rf_chat_post(c, rf_chat_event_new(RF_CHAT_DONE));
    return NULL;
}

/* Signals are the main thread's. */
static bool start_thread(struct rf_chat *c)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&c->turn->thread, NULL, over_there, c) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void begin(struct rf_chat *c, enum rf_chat_working working, const char *what)
{
    struct rf_chat_turn *t = c->turn;
    snprintf(t->what, sizeof t->what, "%s", what);
    t->working = working;
    t->begun_ms = rf_chat_now_ms();
    t->cancelled = t->sent = t->rounds = false;
    t->previews = 0;
    rf_chat_reads_forget(c);
    t->code = RF_OK;
    t->columns = rf_chat_columns(c);
    t->frame = rf_chat_frame(c);
    t->started = start_thread(c);
    if (!t->started) /* no thread is to be had: then it is done here */
        over_there(c);
}

static void set_prompt(struct rf_chat_turn *t, const char *prompt, const char *origins)
{
    free(t->prompt);
    free(t->origins);
    t->prompt = rf_text_copy(rf_text(prompt));
    t->origins = origins ? rf_text_copy(rf_text(origins)) : NULL;
}

void rf_chat_turn_ask(struct rf_chat *c, const char *prompt, const char *origins)
{
    set_prompt(c->turn, prompt, origins);
    c->turn->retries = false;
    begin(c, RF_CHAT_ASKING, "");
}

void rf_chat_turn_retry(struct rf_chat *c, const char *prompt)
{
    struct rf_chat_turn *t = c->turn;
    const struct rf_session *session = rf_agent_session(c->agent);
    set_prompt(t, prompt, NULL);
    t->retries = true;
    snprintf(t->before, sizeof t->before, "%s", session ? rf_session_id(session) : "");
    begin(c, RF_CHAT_ASKING, "");
}

void rf_chat_turn_work(struct rf_chat *c, enum rf_chat_working working, const char *what,
                       void (*work)(struct rf_chat *c, void *ctx),
                       void (*done)(struct rf_chat *c, void *ctx), void *ctx)
{
    struct rf_chat_turn *t = c->turn;
    t->work = work;
    t->done = done;
    t->ctx = ctx;
    begin(c, working, what);
}

bool rf_chat_is_over_there(const struct rf_chat *c)
{
    return c->turn && !pthread_equal(pthread_self(), c->turn->main);
}

bool rf_chat_is_busy(const struct rf_chat *c)
{
    return c->turn && c->turn->working != RF_CHAT_IDLE;
}

bool rf_chat_cancel(struct rf_chat *c)
{
    struct rf_chat_turn *t = c->turn;
    pthread_mutex_lock(&t->lock);
    bool stops = t->running && !t->cancelled;
    if (stops)
        rf_agent_cancel(c->agent);
    pthread_mutex_unlock(&t->lock);
    t->cancelled |= stops;
    return stops;
}

void rf_chat_turn_end(struct rf_chat *c)
{
    struct rf_chat_turn *t = c->turn;
    enum rf_chat_working was = t->working;
    if (t->started)
        pthread_join(t->thread, NULL);
    t->started = false;
    t->working = RF_CHAT_IDLE;
    if (was == RF_CHAT_ASKING || was == RF_CHAT_IDLE)
        return;
    if (t->done)
        t->done(c, t->ctx);
    free(t->ctx);
    t->ctx = NULL;
}

/* Asking and working, with the other thread or without */

void rf_chat_ask(struct rf_chat *c, const char *prompt, const char *origins)
{
    if (c->plain) {
        rf_chat_plain_ask(c, prompt, origins);
        return;
    }
    rf_chat_calls_forget(c);
    c->counts_later = false;
    rf_chat_turn_ask(c, prompt, origins);
}

void rf_chat_retry(struct rf_chat *c, const char *prompt)
{
    if (c->plain) {
        rf_chat_plain_retry(c);
        return;
    }
    rf_chat_calls_forget(c);
    c->counts_later = false;
    rf_chat_turn_retry(c, prompt);
}

static void work_or_wait(struct rf_chat *c, enum rf_chat_working working, const char *what,
                         void (*work)(struct rf_chat *c, void *ctx),
                         void (*done)(struct rf_chat *c, void *ctx), void *ctx)
{
    if (!c->plain) {
        rf_chat_turn_work(c, working, what, work, done, ctx);
        return;
    }
    work(c, ctx);
    if (done)
        done(c, ctx);
    free(ctx);
}

void rf_chat_work(struct rf_chat *c, const char *what, void (*work)(struct rf_chat *c, void *ctx),
                  void (*done)(struct rf_chat *c, void *ctx), void *ctx)
{
    work_or_wait(c, RF_CHAT_SHORT, what, work, done, ctx);
}

void rf_chat_work_of_agent(struct rf_chat *c, const char *what,
                           void (*work)(struct rf_chat *c, void *ctx),
                           void (*done)(struct rf_chat *c, void *ctx), void *ctx)
{
    work_or_wait(c, RF_CHAT_WORKING, what, work, done, ctx);
}

/* Beginning and end */

void rf_chat_turn_open(struct rf_chat *c)
{
    pthread_condattr_t attributes;
    struct rf_chat_turn *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->main = pthread_self();
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&t->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    c->turn = t;
}

/* Nothing is shown or answered any more. */
static void leave(struct rf_chat *c)
{
    struct rf_chat_turn *t = c->turn;
    pthread_mutex_lock(&t->lock);
    t->leaving = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    rf_chat_cancel(c);
}

bool rf_chat_goes_on(void *ctx)
{
    struct rf_chat_turn *t = ((struct rf_chat *)ctx)->turn;
    pthread_mutex_lock(&t->lock);
    bool leaving = t->leaving;
    pthread_mutex_unlock(&t->lock);
    return !leaving;
}

/* What does not stop in time is left to the end of the process: the session is valid at every
 * moment. */
void rf_chat_turn_close(struct rf_chat *c)
{
    struct rf_chat_turn *t = c->turn;
    struct timespec end;
    if (!t)
        return;
    leave(c);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += LEAVE_MS / 1000;
    if (t->started && pthread_timedjoin_np(t->thread, NULL, &end) != 0) {
        rf_tty_close(&c->tty);
        rf_process_end_workers();
        _exit(rf_exit_status(RF_EINTERRUPTED));
    }
    for (struct rf_chat_event *e = rf_chat_take_events(c), *next; e; e = next) {
        next = e->next;
        rf_chat_event_free(e);
    }
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    if (t->working != RF_CHAT_ASKING)
        free(t->ctx);
    rf_chat_reads_forget(c);
    rf_sources_release(&t->sources);
    free(t->prompt);
    free(t->origins);
    free(t->line);
    free(t);
    c->turn = NULL;
}
