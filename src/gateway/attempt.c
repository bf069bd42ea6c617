/* The upstream of an exchange: it is asked, and its events go to the client as they come; again.c
 * says what is done where it does not answer. All of it in the exchange's loop. */
#include "gateway/gateway.h"

#include "base/arena.h"
#include "content/message.h"
#include "content/reply.h"
#include "model/model.h"
#include "request/request.h"
#include "send/describe.h"

#define SILENT_MS (10 * 60 * 1000) /* that a server which tells nothing of a model is not asked */

/* A key that a provider refuses in its stream is the gateway's, too. */
static struct rf_event settled(const struct rf_event *error, struct rf_arena *a)
{
    const struct rf_refusal r = { .kind = error->error,
                                  .words = error->text,
                                  .code = error->id,
                                  .retry_after_ms = error->retry_after_ms };
    struct rf_fault f = rf_fault_of_refusal(&r, a);
    struct rf_event own = *error;
    own.error = f.kind;
    own.text = f.words;
    own.id = f.code;
    return own;
}

static void note_error(struct rf_record *r, enum rf_error_kind kind, struct rf_str words,
                       struct rf_arena *a)
{
    r->error = kind;
    r->error_words = rf_str_dup(a, words);
}

static void note(struct rf_record *r, const struct rf_event *e, struct rf_arena *a)
{
    if (e->type == RF_EVENT_BEGIN)
        r->answered_by = rf_str_dup(a, e->name);
    if (e->type == RF_EVENT_USAGE)
        r->usage = *e->usage;
    if (e->type == RF_EVENT_TEXT || e->type == RF_EVENT_THINKING || e->type == RF_EVENT_ARGUMENTS)
        r->said += e->text.n;
    if (e->type == RF_EVENT_ERROR)
        note_error(r, e->error, e->text, a);
}

/* Some ends are errors in the client's API alone. */
static void note_end(struct rf_gateway_exchange *x)
{
    const struct rf_refusal *told = rf_respond_error(x->respond);
    if (told->kind != RF_ERROR_NONE && !x->record.error)
        note_error(&x->record, told->kind, told->words, x->translation.arena);
}

/* What a refusal says, and an error that a reply begins with, is held back, since another may
 * answer: on_done has it. */
static bool is_held(struct rf_gateway_exchange *x, const struct rf_event *e)
{
    int status = rf_send_status(x->send);
    x->tries.held |= e->type == RF_EVENT_ERROR && !x->answered;
    return x->tries.held || (status && status != 200);
}

bool rf_attempt_respond(struct rf_gateway_exchange *x, const struct rf_event *e)
{
    struct rf_err err;
    if (!x->unsaid && rf_respond_event(x->respond, e, &err))
        RF_ERR_COPY(x->translation.arena, x->unsaid, &err);
    if (e->type == RF_EVENT_DONE)
        note_end(x);
    return !x->unsaid;
}

/* Some of a block comes after its end. */
static void note_marks(const struct rf_gateway_exchange *x, const struct rf_event *e)
{
    const struct rf_translation *t = &x->translation;
    if (e->type == RF_EVENT_BLOCK_END)
        rf_marks_note(t->setup->marks, t->model, e->done, t->arena);
    for (size_t i = 0; e->reply && i < e->reply->block_count; i++)
        rf_marks_note(t->setup->marks, t->model, &e->reply->blocks[i], t->arena);
}

static bool on_event(void *ctx, const struct rf_event *e)
{
    struct rf_gateway_exchange *x = ctx;
    if (is_held(x, e))
        return true;
    rf_exchange_clock_start(x);
    rf_again_begins(x);
    struct rf_event own;
    if (e->type == RF_EVENT_ERROR) {
        own = settled(e, x->translation.arena);
        e = &own;
    }
    note(&x->record, e, x->translation.arena);
    note_marks(x, e);
    rf_exchange_watch(x);
    rf_seen_event(x->seen, e);
    x->over = e->type == RF_EVENT_DONE;
    if (rf_pass_is(x)) {
        rf_pass_event(x, e);
    } else {
        if (!rf_attempt_respond(x, e))
            return false;
        if (!rf_gateway_pass_on(x))
            rf_send_pause(x->send);
    }
    if (x->translation.streams) /* the events of a whole reply come at once */
        rf_exchange_clock_stop(x);
    return true;
}

static void end_stream(struct rf_gateway_exchange *x)
{
    if (x->over)
        rf_httpd_finish(x->request);
    else
        rf_httpd_cut(x->request);
}

static void finish(struct rf_gateway_exchange *x)
{
    bool healed = x->translation.heal && x->over;
    rf_admission_settle(x);
    if (healed) /* before the client can ask again */
        rf_translate_accepted(&x->translation);
    if (x->streaming)
        end_stream(x);
    rf_exchange_clock_stop(x);
    if (healed)
        rf_exchange_start_job(x, RF_JOB_LEARN);
}

static void on_done(void *ctx, struct rf_send *s, enum rf_code rc, const struct rf_err *err)
{
    struct rf_gateway_exchange *x = ctx;
    const struct rf_message *reply = rf_send_reply(s);
    bool refused = reply && reply->ending->error.kind && !rf_send_broke(s);
    rf_exchange_clock_start(x);
    x->over |= !rc && !reply; /* of what is not decoded nothing else tells that it is all */
    if (!rc && !x->answered)
        rf_pass_whole(x);
    if (x->answered) {
        if (rc)
            rf_again_cut_off(x, rc, err);
        else
            rf_again_worked(x);
        finish(x);
    } else if (refused) {
        rf_seen_refused(x->seen, x->translation.model, &reply->ending->error);
        rf_exchange_tell(x);
        rf_again_refused(x, &reply->ending->error);
    } else {
        rf_seen_broken(x->seen, x->translation.model, x->unsaid ? x->unsaid : err);
        rf_exchange_tell(x);
        rf_again_broken(x, rc, x->unsaid ? x->unsaid : err);
    }
}

/* Servers that can tell what a model takes are asked once a day, before the first request. What
 * they say is heard here, and written down by the job that plans by it: a store may have to be
 * waited for. */

static void on_described(void *ctx, enum rf_code rc, const struct rf_err *err)
{
    struct rf_gateway_exchange *x = ctx;
    (void)rc, (void)err; /* nothing fails where nothing is written */
    x->describing = NULL;
    rf_exchange_clock_start(x);
    if (x->translation.said.count) {
        rf_exchange_start_job(x, RF_JOB_ANEW);
        return;
    }
    rf_model_note_asked(x->setup->models, x->translation.model, SILENT_MS);
    rf_attempt_start(x);
}

static bool is_described(struct rf_gateway_exchange *x)
{
    struct rf_translation *t = &x->translation;
    const struct rf_describe_options what = { .size = sizeof what,
                                              .config = x->setup->config,
                                              .model = t->model,
                                              .done = on_described,
                                              .ctx = x };
    if (x->described || !t->model->caps.server.n || rf_model_was_asked(x->setup->models, t->model))
        return true;
    x->described = true;
    t->said = (struct rf_said){ .arena = t->arena };
    x->describing = rf_describe_hear(x->loop->network, &what, &t->said);
    if (x->describing)
        rf_exchange_clock_stop(x);
    return !x->describing;
}

static void send_request(struct rf_gateway_exchange *x)
{
    const struct rf_translation *t = &x->translation;
    const struct rf_config *c = x->setup->config;
    const struct rf_send_options what = {
        .size = sizeof what,
        .config = c,
        .model = t->model,
        .request = t->request,
        .keep_tokens = true,
        .event = on_event,
        .done = on_done,
        .ctx = x,
        .offline = x->setup->offline,
        .most_tries = 1,
        .key = x->tries.key,
        .first_byte_ms = 1000 * rf_config_serve_number(c, RF_SERVE_FIRST_BYTE_SECONDS),
        .idle_ms = 1000 * rf_config_serve_number(c, RF_SERVE_IDLE_SECONDS),
    };
    const struct rf_respond_options how = {
        .size = sizeof how,
        .dialect = t->front.dialect,
        .model = rf_cstr(t->arena, t->asked),
        .stream = t->streams,
        .from = t->model,
        .config = c,
        .request = t->request,
        .request_id = x->record.id,
    };
    struct rf_err err;
    rf_send_free(x->send);
    rf_respond_free(x->respond);
    if (rf_respond_new(&how, &x->respond, &err))
        RF_BUG("a dialect of the front door cannot be written");
    x->record.provider = rf_str_dup(t->arena, t->model->provider);
    x->record.model = rf_str_dup(t->arena, t->model->name);
    if (x->record.attempts++)
        rf_seen_again(x->seen, t->healed);
    rf_exchange_tell(x);
    x->translation.healed = RF_STR("");
    x->tries.count++;
    x->tries.held = false;
    x->tries.began_ms = 0;
    x->unsaid = NULL;
    rf_exchange_clock_stop(x);
    const struct rf_send_raw raw = rf_pass_prepare(x);
    x->send = rf_send_start_raw(x->loop->network, &what, &raw);
}

void rf_attempt_start(struct rf_gateway_exchange *x)
{
    if (is_described(x) && rf_again_choose(x))
        send_request(x);
}

void rf_attempt_cancel(struct rf_gateway_exchange *x)
{
    if (x->describing)
        rf_describe_cancel(x->describing);
    x->describing = NULL;
    if (x->send)
        rf_send_cancel(x->send);
    rf_timer_clear(x->loop->loop, &x->tries.timer);
    rf_again_end(x);
}
