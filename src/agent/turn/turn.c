/* The loop: what a person says is kept, the model is asked, what it calls is run, and it is
 * asked again until it calls nothing. Each message is kept before the next step begins, and no
 * way out of here leaves a call without a result. */
#include "agent/agent.h"

#include "agent/turn/transport.h"
#include "base/arena.h"
#include "net/send.h"
#include "net/waiting.h"
#include "wire/wire.h"

#include <inttypes.h>
#include <sys/timerfd.h>

#define USUAL_ROUNDS 50

struct turn {
    struct rf_agent *agent;
    struct rf_arena *arena; /* of the question */
    int64_t rounds, tokens;
};

/* Refusals */

#define GO_ON "What was said until then is kept; ask again, or another model."

static const struct {
    enum rf_reason reason;
    const char *words;
} advice[] = {
    [RF_ERROR_NONE] = { RF_REASON_OTHER, GO_ON },
    [RF_ERROR_OTHER] = { RF_REASON_OTHER, GO_ON },
    [RF_ERROR_AUTHENTICATION] = { RF_REASON_KEY_REFUSED, "Check the key." },
    [RF_ERROR_PERMISSION] = { RF_REASON_OTHER, "The key is not allowed to use this model." },
    [RF_ERROR_RATE_LIMIT] = { RF_REASON_OTHER, "Wait a while, or ask another model." },
    [RF_ERROR_OVERLOADED] = { RF_REASON_OTHER, "The provider has too much to do: try again later, "
                                               "or ask another model." },
    [RF_ERROR_CONTEXT_TOO_LONG] = { RF_REASON_OTHER,
                                    "Begin a new session, or ask a model with a larger window." },
    [RF_ERROR_TOO_LARGE] = { RF_REASON_FILE_REFUSED, "Leave the file out, or give a part of it." },
    [RF_ERROR_BAD_MEDIA] = { RF_REASON_FILE_REFUSED, "Leave the file out, or give a part of it." },
    [RF_ERROR_UNSUPPORTED] = { RF_REASON_NOT_TAKEN, "Ask another model." },
    [RF_ERROR_NOT_FOUND] = { RF_REASON_OTHER,
                             "Check the model's name, and the address where it was moved." },
};

static enum rf_code fail_refused(const struct rf_agent *a, const struct rf_refusal *r,
                                 struct rf_err *err)
{
    struct rf_str provider = a->model->provider;
    enum rf_code code = r->kind == RF_ERROR_AUTHENTICATION     ? RF_ECONFIG
                        : r->kind == RF_ERROR_CONTEXT_TOO_LONG ? RF_ELIMIT
                                                               : RF_EPROVIDER;
    if (r->words.n)
        rf_fail(err, code, "%.*s refused the request (%d): %.*s", RF_FMT(provider), r->status,
                RF_FMT(r->words));
    else
        rf_fail(err, code, "%.*s refused the request with status %d", RF_FMT(provider), r->status);
    rf_advise(err, advice[r->kind].reason, "%s", advice[r->kind].words);
    return code;
}

/* Is there something that can be done about it? */
static bool heals(struct rf_agent *a, const struct rf_refusal *refusal, struct rf_arena *arena)
{
    struct rf_attempt attempt = { a->config, a->model, a->request, refusal };
    struct rf_healing healing = { 0 };
    struct rf_err problem;
    if (rf_heal_refused(a->heal, &attempt, arena, &healing, &problem))
        rf_agent_note(a, "what was learned could not be kept: %s", problem.msg);
    if (healing.again && healing.note.n)
        rf_agent_note(a, "%.*s", RF_FMT(healing.note));
    return healing.again;
}

static enum rf_code remember_sent(struct turn *t, struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    enum rf_code rc = rf_heal_accepted(a->heal, a->session, a->request, err);
    return rc || !a->session ? rc : rf_session_sent(a->session, a->request, err);
}

/* One answer */

void rf_agent_drop_request(struct rf_agent *a)
{
    rf_request_free(a->request);
    rf_conversation_free(a->conversation);
    a->request = NULL;
    a->conversation = NULL;
}

/* What broke off was taken by the provider all the same; of what came, keep what is whole. Why
 * it broke stays what the caller hears. */
static enum rf_code keep_whole_part(struct turn *t, const struct rf_agent_reply *cut,
                                    struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    bool stopped = rf_agent_stopped(a);
    const char *why = stopped ? rf_agent_stop_words(a) : "the answer broke off here";
    enum rf_code rc = rf_heal_accepted(a->heal, a->session, a->request, err);
    if (!rc)
        rc = rf_agent_append(a, &cut->message, 1, err);
    if (!rc)
        rc = rf_agent_not_run(a, cut->calls, cut->call_count, why, t->arena, err);
    return rc;
}

static void keep_cut(struct turn *t, struct rf_str json)
{
    struct rf_agent *a = t->agent;
    struct rf_agent_reply cut;
    struct rf_err problem;
    if (!json.n || rf_agent_reply_read(a, json, RF_REPLY_CUT, t->arena, &cut, NULL) ||
        !cut.message.n || !keep_whole_part(t, &cut, &problem))
        return;
    rf_agent_note(a, "what had come of the answer could not be kept: %s", problem.msg);
    a->torn = true;
}

/* A stream that began with nothing but an error is a refusal too. */
static bool is_refusal(struct rf_agent *a, const struct rf_exchange *x, struct rf_arena *arena,
                       struct rf_refusal *out)
{
    const struct rf_jval *reply;
    struct rf_agent_reply said;
    *out = x->refusal;
    if (x->status && x->status != 200)
        return true;
    if (!x->reply.n || rf_agent_reply_read(a, x->reply, RF_REPLY_CUT, arena, &said, NULL) ||
        said.message.n || rf_jval_parse(x->reply, arena, &reply, NULL))
        return false;
    rf_refusal_of_reply(reply, arena, out);
    if (out->kind != RF_ERROR_NONE)
        rf_wire_judge(out, x->status, arena);
    return out->kind != RF_ERROR_NONE;
}

static enum rf_code take_whole(struct turn *t, const struct rf_exchange *x,
                               struct rf_agent_reply *out, struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    enum rf_code rc = rf_agent_reply_read(a, x->reply, RF_REPLY_WHOLE, t->arena, out, err);
    if (!rc && out->message.n)
        rc = rf_agent_append(a, &out->message, 1, err);
    if (rc)
        return rc;
    a->torn = a->torn || out->call_count > 0;
    if (a->most_tokens && __builtin_add_overflow(t->tokens, rf_agent_tokens(a, out), &t->tokens))
        t->tokens = INT64_MAX;
    rf_agent_account(a, out, x->offline);
    return remember_sent(t, err);
}

/* Wait, where a stream began with nothing but the news that the server has too much to do: it
 * did nothing then, as with a refusal. */
static bool outwaits(struct rf_agent *a, const struct rf_refusal *refusal, int *tries)
{
    if (refusal->status != 200 || !rf_refusal_passes(refusal) || ++*tries >= RF_SEND_TRIES)
        return false;
    struct rf_agent_event e = { .type = RF_AGENT_WAITING,
                                .ms = rf_wait_after_refusal(refusal, *tries),
                                .text = refusal->words };
    rf_agent_tell(a, &e);
    return !rf_net_rest(e.ms, a->stop_fd, NULL);
}

enum rf_code rf_agent_obtain(struct rf_agent *a, struct rf_str more, struct rf_arena *arena,
                             struct rf_exchange *out, struct rf_err *err)
{
    int waits = 0;
    for (;;) {
        struct rf_refusal refusal = { 0 };
        *out = (struct rf_exchange){ 0 };
        rf_agent_drop_request(a);
        enum rf_code rc = rf_agent_build(a, more, &a->conversation, &a->request, err);
        if (rc)
            return rc;
        rc = rf_agent_exchange(a, arena, out, err);
        bool refuses = (rc || out->status != 200) && !rf_agent_stopped(a) &&
                       is_refusal(a, out, arena, &refusal);
        if (refuses && (heals(a, &refusal, arena) || outwaits(a, &refusal, &waits)))
            continue;
        if (rf_agent_stopped(a))
            return rf_agent_fail_stopped(a, err);
        if (out->status && out->status != 200)
            return fail_refused(a, &refusal, err);
        if (rc == RF_EPROVIDER && err && !err->hint[0])
            rf_advise(err, advice[refusal.kind].reason, "%s", advice[refusal.kind].words);
        return rc;
    }
}

static enum rf_code ask_model(struct turn *t, struct rf_agent_reply *out, struct rf_err *err)
{
    struct rf_exchange x;
    enum rf_code rc = rf_agent_obtain(t->agent, RF_STR(""), t->arena, &x, err);
    if (!rc)
        return take_whole(t, &x, out, err);
    if (!x.status || x.status == 200)
        keep_cut(t, x.reply);
    return rc;
}

/* Limits */

static enum rf_code over_limit(const struct turn *t, struct rf_err *err)
{
    const struct rf_agent *a = t->agent;
    int64_t rounds = a->most_rounds ? a->most_rounds : USUAL_ROUNDS;
    enum rf_code rc = RF_OK;
    if (rf_agent_stopped(a))
        return rf_agent_fail_stopped(a, err);
    if (t->rounds >= rounds)
        rc = rf_fail(err, RF_ELIMIT, "the model called tools %" PRId64 " times without an answer",
                     rounds);
    else if (a->most_tokens && t->tokens > a->most_tokens)
        rc = rf_fail(err, RF_ELIMIT, "this question took %" PRId64 " tokens, limit is %" PRId64,
                     t->tokens, a->most_tokens);
    if (rc)
        rf_hint(err, "All of it is kept: ask on, or raise the limit.");
    return rc;
}

/* Calls that no one will run are answered, so that the conversation can go on. */
static enum rf_code leave_calls(struct turn *t, const struct rf_agent_reply *reply, enum rf_code rc,
                                struct rf_err *err)
{
    const char *why = rf_agent_stopped(t->agent) ? rf_agent_stop_words(t->agent)
                                                 : "a limit of this question was reached";
    struct rf_err problem;
    enum rf_code kept =
        rf_agent_not_run(t->agent, reply->calls, reply->call_count, why, t->arena, &problem);
    if (!kept) {
        t->agent->torn = false;
        return rc;
    }
    if (err)
        *err = problem;
    return kept;
}

static void tell_stop(struct rf_agent *a, struct rf_str stop)
{
    if (rf_str_is(stop, rf_stop_name(RF_STOP_LENGTH)))
        rf_agent_note(a, "the answer is cut: the model's limit for one answer was reached");
    else if (rf_str_is(stop, rf_stop_name(RF_STOP_REFUSED)))
        rf_agent_note(a, "the model, or a filter of its provider, refused to answer");
}

static enum rf_code fail_malformed(const struct turn *t, struct rf_err *err)
{
    rf_fail(err, RF_EPROVIDER, "%.*s wrote a tool call that cannot be read",
            RF_FMT(t->agent->model->name));
    rf_hint(err, "Ask again, or another model.");
    return RF_EPROVIDER;
}

static enum rf_code go_on(struct turn *t, struct rf_str *answer, struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    for (;;) {
        struct rf_agent_reply reply;
        enum rf_code rc = ask_model(t, &reply, err);
        if (rc)
            return rc;
        *answer = reply.text;
        bool paused = rf_str_is(reply.stop, rf_stop_name(RF_STOP_PAUSED));
        if (!reply.call_count && !paused) {
            tell_stop(a, reply.stop);
            bool malformed = rf_str_is(reply.stop, rf_stop_name(RF_STOP_MALFORMED));
            return malformed ? fail_malformed(t, err) : RF_OK;
        }
        rc = over_limit(t, err);
        if (rc)
            return leave_calls(t, &reply, rc, err);
        t->rounds++;
        rc = rf_agent_run(a, reply.calls, reply.call_count, t->arena, err);
        if (rc)
            return rc;
        a->torn = false;
        rc = rf_agent_stopped(a) ? rf_agent_fail_stopped(a, err) : RF_OK;
        if (rc)
            return rc;
    }
}

/* A question */

enum rf_code rf_agent_fail_no_model(struct rf_err *err)
{
    rf_fail(err, RF_EUSAGE, "no model was chosen");
    rf_hint(err, "Name one, such as anthropic:claude-sonnet-4-5; \"offline\" needs no key.");
    return RF_EUSAGE;
}

/* What a person said, as a message. */
static enum rf_code make_message(struct rf_agent *a, const struct rf_words *words, size_t count,
                                 struct rf_str *out, struct rf_err *err)
{
    struct rf_enriched said;
    a->references.base = a->base;
    a->references.root = a->root;
    a->references.model = a->model;
    a->references.read_file = a->references.view_image = !a->no_tools;
    rf_enrich_run(a->enrich, words, count, a->question, &said);
    if (a->references.warning.n)
        rf_agent_note(a, "%.*s", RF_FMT(a->references.warning));
    for (size_t i = 0; i < a->references.count; i++) {
        const struct rf_reference *r = &a->references.files[i];
        if (r->origin == RF_ORIGIN_TYPED)
            rf_agent_grant(a, r->path);
        rf_agent_announce(a, r);
    }
    if (rf_str_blank(said.text) && !a->attached.count)
        return rf_fail(err, RF_EUSAGE, "the question is empty");
    *out = rf_agent_user_message(a, &said, a->question);
    return RF_OK;
}

void rf_agent_start_clock(struct rf_agent *a)
{
    struct itimerspec when = { .it_value.tv_sec = (time_t)a->most_seconds };
    timerfd_settime(a->timer_fd, 0, &when, NULL); /* 0 seconds: never */
}

/* A question that strict mode refuses is not kept, or every later one would be refused with it. */
static enum rf_code check_strictly(struct rf_agent *a, struct rf_str message, struct rf_err *err)
{
    struct rf_conversation *conversation;
    struct rf_request *request;
    enum rf_code rc = rf_agent_build(a, message, &conversation, &request, err);
    if (rc)
        return rc;
    rf_request_free(request);
    rf_conversation_free(conversation);
    return RF_OK;
}

static enum rf_code ask(struct rf_agent *a, const struct rf_words *words, size_t count,
                        struct rf_str *answer, struct rf_err *err)
{
    struct turn t = { .agent = a, .arena = a->question };
    struct rf_str message;
    enum rf_code rc = rf_transport_check(a->transport, a->config, a->model, a->question, err);
    if (!rc)
        rc = make_message(a, words, count, &message, err);
    if (!rc && a->strict)
        rc = check_strictly(a, message, err);
    if (!rc)
        rc = rf_agent_begin(a, err);
    if (!rc)
        rc = rf_agent_mend(a, err);
    if (!rc)
        rc = rf_agent_append(a, &message, 1, err);
    if (rc)
        return rc;
    a->attached.count = 0;
    rf_heal_begin(a->heal);
    return go_on(&t, answer, err);
}

enum rf_code rf_agent_ask_words(struct rf_agent *a, const struct rf_words *words, size_t count,
                                struct rf_str *answer, struct rf_err *err)
{
    struct rf_str text = RF_STR("");
    if (!a->model)
        return rf_agent_fail_no_model(err);
    rf_agent_drop_request(a);
    rf_arena_reset(a->question);
    rf_agent_start_clock(a);
    enum rf_code rc = ask(a, words, count, &text, err);
    rf_agent_calm(a);
    if (!rc)
        *answer = text;
    return rc;
}

enum rf_code rf_agent_ask(struct rf_agent *a, struct rf_str prompt, struct rf_str *answer,
                          struct rf_err *err)
{
    return rf_agent_ask_words(a, &(struct rf_words){ .text = prompt }, 1, answer, err);
}

enum rf_code rf_agent_plan_words(struct rf_agent *a, const struct rf_words *words, size_t count,
                                 struct rf_request **out, struct rf_err *err)
{
    struct rf_str message;
    struct rf_request *request;
    struct rf_conversation *conversation;
    if (!a->model)
        return rf_agent_fail_no_model(err);
    enum rf_code rc = make_message(a, words, count, &message, err);
    if (!rc)
        rc = rf_agent_build(a, message, &conversation, &request, err);
    if (rc)
        return rc;
    rf_request_free(a->planned);
    rf_conversation_free(a->planned_conversation);
    a->planned = request;
    a->planned_conversation = conversation;
    *out = request;
    return RF_OK;
}

enum rf_code rf_agent_plan(struct rf_agent *a, struct rf_str prompt, struct rf_request **out,
                           struct rf_err *err)
{
    return rf_agent_plan_words(a, &(struct rf_words){ .text = prompt }, 1, out, err);
}

/* A question has to be there for a request: the shortest. */
enum rf_code rf_agent_plan_next(struct rf_agent *a, struct rf_request **out, struct rf_err *err)
{
    return rf_agent_plan(a, RF_STR("."), out, err);
}
