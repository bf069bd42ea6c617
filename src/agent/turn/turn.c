/* The loop: what a person says is kept, the model is asked, what it calls is run, and it is
 * asked again until it calls nothing. Each message is kept before the next step begins, and no
 * way out of here leaves a call without a result. */
#include "agent/agent.h"

#include "agent/tools/servers.h"
#include "agent/turn/transport.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "content/message.h"
#include "net/send.h"
#include "net/waiting.h"
#include "send/refused.h"
#include "wire/wire.h"

#include <refract/tokens.h>

#include <inttypes.h>

#define USUAL_ROUNDS 50

struct turn {
    struct rf_agent *agent;
    struct rf_arena *arena; /* of one answer and its calls */
    int64_t rounds, tokens;
};

/* Refusals */

/* Is there something that can be done about it? Where nothing helped, it is the first one. */
static bool heals(struct rf_agent *a, struct rf_refusal *refusal, struct rf_arena *arena)
{
    struct rf_attempt attempt = { a->workspace.config, a->model, a->asking.last.request, refusal,
                                  false };
    struct rf_healing healing = { 0 };
    struct rf_err problem;
    if (rf_heal_refused(a->heal, &attempt, arena, &healing, &problem))
        rf_listener_note(&a->listener, "what was learned could not be kept: %s", problem.msg);
    if (healing.again && healing.note.n)
        rf_listener_note(&a->listener, "%.*s", RF_FMT(healing.note));
    if (healing.first)
        *refusal = *healing.first;
    return healing.again;
}

static enum rf_code note_accepted(struct rf_agent *a, struct rf_err *err)
{
    struct rf_err problem;
    if (rf_heal_learn(a->heal, a->asking.last.request, &problem))
        rf_listener_note(&a->listener, "what was learned could not be kept: %s", problem.msg);
    return rf_heal_accepted(a->heal, a->history.session, a->asking.last.request, err);
}

static enum rf_code remember_sent(struct rf_agent *a, struct rf_err *err)
{
    struct rf_session *session = a->history.session;
    enum rf_code rc = note_accepted(a, err);
    return rc || !session ? rc : rf_session_sent(session, a->asking.last.request, err);
}

/* Calls */

/* A result that the store does not take (a document that is too large, a source that is nonsense)
 * is not a reason to lose the others, or to leave its call without one. */
static enum rf_code keep_one_by_one(struct rf_history *h, const struct rf_message *results,
                                    size_t count, struct rf_arena *arena, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < count; i++) {
        rc = rf_history_append(h, &results[i], 1, err);
        if (rc != RF_EFORMAT && rc != RF_ELIMIT)
            continue;
        struct rf_str why =
            rf_strf(arena, "it was run, and its result could not be kept: %s", err->msg);
        struct rf_message failed = rf_failed_result(results[i].tool_call_id, results[i].name, why);
        rc = rf_history_append(h, &failed, 1, err);
    }
    return rc;
}

/* Run the calls and keep their results: for each call one. */
static enum rf_code run_calls(struct turn *t, const struct rf_agent_reply *reply,
                              struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    struct rf_err why = { 0 };
    size_t count = reply->call_count;
    if (!count)
        return RF_OK;
    struct rf_batch *b = rf_batch_run(&a->tools, a->history.session, reply->calls, count);
    enum rf_code rc = rf_history_append(&a->history, rf_batch_results(b), count, &why);
    if (rc == RF_EFORMAT || rc == RF_ELIMIT)
        rc = keep_one_by_one(&a->history, rf_batch_results(b), count, t->arena, &why);
    if (rc && err)
        *err = why;
    rf_batch_free(b);
    return rc;
}

/* Calls that no one will run are answered, so that the conversation can go on. */
static enum rf_code leave_calls(struct turn *t, const struct rf_agent_reply *reply, const char *why,
                                struct rf_err *err)
{
    struct rf_message *results = RF_ARRAY(t->arena, struct rf_message, reply->call_count);
    struct rf_str words = rf_strf(t->arena, "it was not run: %s", why);
    for (size_t i = 0; i < reply->call_count; i++)
        results[i] = rf_failed_result(reply->calls[i].id, reply->calls[i].name, words);
    return reply->call_count
               ? rf_history_append(&t->agent->history, results, reply->call_count, err)
               : RF_OK;
}

/* One answer */

/* What broke off was taken by the provider all the same; of what came, keep what is whole. Why
 * it broke stays what the caller hears. */
static enum rf_code keep_whole_part(struct turn *t, const struct rf_agent_reply *cut,
                                    struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    const char *why = rf_halt_due(&a->halt) ? rf_halt_words(&a->halt) : "the answer broke off here";
    enum rf_code rc = note_accepted(a, err);
    if (!rc)
        rc = rf_history_append(&a->history, &cut->message, 1, err);
    return rc ? rc : leave_calls(t, cut, why, err);
}

static void keep_cut(struct turn *t, const struct rf_message *reply)
{
    struct rf_agent *a = t->agent;
    struct rf_agent_reply cut;
    struct rf_err problem;
    if (!reply->ending)
        return;
    rf_agent_reply_take(a, reply, RF_REPLY_CUT, t->arena, &cut);
    if (!cut.message.block_count || !keep_whole_part(t, &cut, &problem))
        return;
    rf_listener_note(&a->listener, "what had come of the answer could not be kept: %s",
                     problem.msg);
    a->history.torn = true;
}

/* A stream that began with nothing but an error is a refusal too. */
static bool is_refusal(struct rf_agent *a, const struct rf_exchange *x, struct rf_arena *arena,
                       struct rf_refusal *out)
{
    struct rf_agent_reply said;
    *out = x->refusal;
    if (x->status && x->status != 200)
        return true;
    if (!x->reply.ending)
        return false;
    rf_agent_reply_take(a, &x->reply, RF_REPLY_CUT, arena, &said);
    if (said.message.block_count)
        return false;
    *out = x->reply.ending->error;
    if (out->kind != RF_ERROR_NONE)
        rf_wire_judge(out, x->status, arena);
    return out->kind != RF_ERROR_NONE;
}

static enum rf_code take_whole(struct turn *t, const struct rf_exchange *x,
                               struct rf_agent_reply *out, struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    enum rf_code rc = RF_OK;
    rf_agent_reply_take(a, &x->reply, RF_REPLY_WHOLE, t->arena, out);
    if (out->message.block_count)
        rc = rf_history_append(&a->history, &out->message, 1, err);
    if (rc)
        return rc;
    a->history.torn = a->history.torn || out->call_count > 0;
    if (a->asking.most_tokens &&
        __builtin_add_overflow(t->tokens, rf_agent_tokens(a, out), &t->tokens))
        t->tokens = INT64_MAX;
    rf_agent_recognise(a, out);
    rf_agent_account(a, out, x->offline);
    return remember_sent(a, err);
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
    if (e.ms > RF_SEND_GIVE_UP_MS)
        return false;
    rf_listener_tell(&a->listener, &e);
    return !rf_net_rest(e.ms, a->halt.fd, NULL);
}

enum rf_code rf_agent_describe(struct rf_agent *a, enum rf_describe_when when, struct rf_err *err)
{
    const struct rf_model *m = a->model;
    struct rf_str before = m->asked;
    struct rf_err problem;
    enum rf_code rc = rf_transport_describe(a->asking.transport, a->workspace.config, a->model,
                                            when, a->halt.fd, &problem);
    if (rc == RF_EINTERRUPTED)
        return rf_halt_fail(&a->halt, err);
    if (rc)
        rf_listener_note(&a->listener, "what was learned could not be kept: %s", problem.msg);
    if (!rf_str_eq(m->asked, before) && !rf_str_eq(m->asked, m->described))
        rf_listener_note(&a->listener, "the server did not say what %.*s:%.*s takes",
                         RF_FMT(m->provider), RF_FMT(m->name));
    return RF_OK;
}

static bool takes_less(const struct rf_caps *before, const struct rf_caps *now)
{
    bool less = before->tools && !now->tools;
    for (size_t k = 0; k < RF_KIND_COUNT; k++)
        less |= before->takes[k] && !now->takes[k];
    return less || (rf_caps_thinks_when_asked(before) && !rf_caps_thinks_when_asked(now));
}

/* The model may be another one under the same name since its server was asked. */
static bool was_replaced(struct rf_agent *a, const struct rf_refusal *refusal, bool *asked)
{
    struct rf_caps before = a->model->caps;
    if (refusal->kind != RF_ERROR_UNSUPPORTED || *asked)
        return false;
    *asked = true;
    return !rf_agent_describe(a, RF_DESCRIBE_ANEW, NULL) && takes_less(&before, &a->model->caps);
}

/* Some servers break off a stream, where they would name the reason in an answer of one piece. */
static bool asks_whole(struct rf_agent *a)
{
    if (a->asking.no_stream)
        return false;
    struct rf_tokens *t = rf_request_tokens(a->asking.last.request);
    rf_listener_note(&a->listener,
                     "the stream is empty, perhaps because the prompt, about %" PRId64
                     " tokens, is "
                     "longer than the server's window: asked again for an answer in one piece",
                     rf_tokens_total(t));
    rf_tokens_free(t);
    a->asking.no_stream = true;
    return true;
}

static enum rf_code obtain(struct rf_agent *a, const struct rf_message *more,
                           struct rf_arena *arena, struct rf_exchange *out, struct rf_err *err)
{
    int waits = 0;
    bool described = false;
    for (;;) {
        struct rf_refusal refusal = { 0 };
        *out = (struct rf_exchange){ 0 };
        rf_built_drop(&a->asking.last);
        enum rf_code rc = rf_agent_build(a, more, &a->asking.last, err);
        if (rc)
            return rc;
        rc = rf_agent_exchange(a, arena, out, err);
        bool refuses = (rc || out->status != 200) && !rf_halt_due(&a->halt) &&
                       is_refusal(a, out, arena, &refusal);
        if (refuses && (was_replaced(a, &refusal, &described) || heals(a, &refusal, arena) ||
                        outwaits(a, &refusal, &waits)))
            continue;
        if (rf_halt_due(&a->halt))
            return rf_halt_fail(&a->halt, err);
        if (rc == RF_EPROVIDER && out->empty && asks_whole(a))
            continue;
        if (out->status && out->status != 200)
            return rf_fail_refused(a->model, &refusal, err);
        if (rc == RF_EPROVIDER && err && !err->hint[0])
            rf_advise_refused(refusal.kind, err);
        return rc;
    }
}

enum rf_code rf_agent_obtain(struct rf_agent *a, const struct rf_message *more,
                             struct rf_arena *arena, struct rf_exchange *out, struct rf_err *err)
{
    bool no_stream = a->asking.no_stream;
    enum rf_code rc = obtain(a, more, arena, out, err);
    a->asking.no_stream = no_stream;
    return rc;
}

/* A model that calls nothing needs none. */
static void look_at_servers(struct rf_agent *a)
{
    if (a->model->caps.tools)
        rf_servers_look(&a->tools);
}

static enum rf_code ask_model(struct turn *t, struct rf_agent_reply *out, struct rf_err *err)
{
    struct rf_exchange x;
    look_at_servers(t->agent);
    enum rf_code rc = rf_agent_obtain(t->agent, NULL, t->arena, &x, err);
    if (!rc)
        return take_whole(t, &x, out, err);
    if (!x.status || x.status == 200)
        keep_cut(t, &x.reply);
    return rc;
}

/* Limits */

/* What can be done about a limit: to ask on needs what was said. */
static void hint_limit(const struct rf_agent *a, struct rf_err *err)
{
    rf_hint(err, a->history.session ? "All of it is kept: ask on, or raise the limit."
                                    : "Raise the limit.");
}

static enum rf_code over_limit(const struct turn *t, struct rf_err *err)
{
    const struct rf_agent *a = t->agent;
    int64_t rounds = a->asking.most_rounds ? a->asking.most_rounds : USUAL_ROUNDS;
    enum rf_code rc = RF_OK;
    if (rf_halt_due(&a->halt))
        return rf_halt_fail(&a->halt, err);
    if (t->rounds >= rounds)
        rc = rf_fail(err, RF_ELIMIT, "the model called tools %" PRId64 " times without an answer",
                     rounds);
    else if (a->asking.most_tokens && t->tokens > a->asking.most_tokens)
        rc = rf_fail(err, RF_ELIMIT, "this question took %" PRId64 " tokens, limit is %" PRId64,
                     t->tokens, a->asking.most_tokens);
    if (rc)
        hint_limit(a, err);
    return rc;
}

/* The calls of a question that a limit ended. */
static enum rf_code end_at_limit(struct turn *t, const struct rf_agent_reply *reply,
                                 enum rf_code rc, struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    const char *why =
        rf_halt_due(&a->halt) ? rf_halt_words(&a->halt) : "a limit of this question was reached";
    struct rf_err problem;
    enum rf_code kept = leave_calls(t, reply, why, &problem);
    if (!kept) {
        a->history.torn = false;
        return rc;
    }
    if (err)
        *err = problem;
    return kept;
}

static bool says_nothing(const struct rf_message *m)
{
    for (size_t i = 0; i < m->block_count; i++) {
        const struct rf_block *b = &m->blocks[i];
        if (b->type != RF_BLOCK_THINKING && (b->type != RF_BLOCK_TEXT || !rf_str_blank(b->text)))
            return false;
    }
    return true;
}

static void tell_stop(struct rf_agent *a, const struct rf_agent_reply *reply)
{
    enum rf_stop stop = reply->message.ending->stop;
    if (stop == RF_STOP_LENGTH)
        rf_listener_note(&a->listener,
                         "the answer is cut: the model's limit for one answer was reached");
    else if (stop == RF_STOP_REFUSED)
        rf_listener_note(&a->listener, "the model, or a filter of its provider, refused to answer");
    else if (says_nothing(&reply->message))
        rf_listener_note(&a->listener, "the answer is empty: the model said nothing");
}

static enum rf_code fail_malformed(const struct turn *t, struct rf_err *err)
{
    rf_fail(err, RF_EPROVIDER, "%.*s wrote a tool call that cannot be read",
            RF_FMT(t->agent->model->name));
    rf_hint(err, "Ask again, or another model.");
    return RF_EPROVIDER;
}

/* Is this what the question ends with? Not where it was said to the end and does not fit its
 * schema: then it is asked for once more. */
static bool is_last(struct turn *t, const struct rf_agent_reply *reply, struct rf_str *answer,
                    enum rf_code *rc, struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    enum rf_stop stop = reply->message.ending->stop;
    struct rf_err why = { 0 };
    tell_stop(a, reply);
    *rc = stop == RF_STOP_MALFORMED ? fail_malformed(t, &why)
                                    : rf_agent_check_answer(a, reply->text, answer, &why);
    bool again = *rc && (stop == RF_STOP_END || stop == RF_STOP_UNKNOWN) &&
                 !a->asking.answers_only && !over_limit(t, NULL);
    if (again)
        *rc = rf_agent_ask_again(a, why.msg, &why);
    if (*rc && err)
        *err = why;
    return !again || *rc;
}

static enum rf_code go_on(struct turn *t, struct rf_str *answer, struct rf_err *err)
{
    struct rf_agent *a = t->agent;
    for (;;) {
        struct rf_agent_reply reply;
        rf_arena_reset(t->arena);
        enum rf_code rc = ask_model(t, &reply, err);
        if (rc)
            return rc;
        enum rf_stop stop = reply.message.ending->stop;
        if (!reply.call_count && stop != RF_STOP_PAUSED) {
            if (is_last(t, &reply, answer, &rc, err))
                return rc;
            continue;
        }
        rc = over_limit(t, err);
        if (rc)
            return end_at_limit(t, &reply, rc, err);
        t->rounds++;
        rc = run_calls(t, &reply, err);
        if (rc)
            return rc;
        a->history.torn = false;
        rc = rf_halt_due(&a->halt) ? rf_halt_fail(&a->halt, err) : RF_OK;
        if (rc)
            return rc;
    }
}

/* A question */

enum rf_code rf_agent_fail_no_model(struct rf_err *err)
{
    rf_fail(err, RF_EUSAGE, "no model was chosen");
    rf_hint(err, "Name one, such as anthropic:claude-sonnet-5; \"offline\" needs no key.");
    return RF_EUSAGE;
}

/* What a person said, as a message. */
static enum rf_code make_message(struct rf_agent *a, const struct rf_words *words, size_t count,
                                 struct rf_message *out, struct rf_err *err)
{
    struct rf_references *r = &a->asking.references;
    struct rf_enriched said;
    r->base = a->workspace.base;
    r->root = a->workspace.root;
    r->model = a->model;
    r->read_file = r->view_image = !a->tools.off && !a->tools.only_own;
    rf_enrich_run(a->asking.enrich, words, count, a->asking.arena, &said);
    if (r->warning.n)
        rf_listener_note(&a->listener, "%.*s", RF_FMT(r->warning));
    for (size_t i = 0; i < r->count; i++) {
        if (r->files[i].origin == RF_ORIGIN_TYPED)
            rf_toolbox_grant(&a->tools, r->files[i].path);
        rf_agent_announce(a, &r->files[i]);
    }
    if (rf_str_blank(said.text) && !a->attached.count)
        return rf_fail(err, RF_EUSAGE, "the question is empty");
    if (rf_utf8_valid(said.text) < said.text.n)
        return rf_fail(err, RF_EUSAGE, "the question is not valid UTF-8");
    if (rf_utf8_valid(a->asking.system) < a->asking.system.n)
        return rf_fail(err, RF_EUSAGE, "the system prompt is not valid UTF-8");
    *out = rf_agent_user_message(a, &said);
    return RF_OK;
}

/* A question that strict mode refuses is not kept, or every later one would be refused with it. */
static enum rf_code check_strictly(struct rf_agent *a, const struct rf_message *message,
                                   struct rf_err *err)
{
    struct rf_built built = { 0 };
    enum rf_code rc = rf_agent_build(a, message, &built, err);
    rf_built_drop(&built);
    return rc;
}

/* A session, where there is a store, with the settings of this question. */
static enum rf_code begin(struct rf_agent *a, struct rf_err *err)
{
    struct rf_conversation settings = { .system = a->history.system,
                                        .options = a->history.options };
    rf_agent_settings(a, a->asking.arena, &settings);
    return rf_history_begin(&a->history, &settings, err);
}

/* Can the model be asked at all? */
static enum rf_code check_model(struct rf_agent *a, struct rf_err *err)
{
    enum rf_code rc = rf_transport_check(a->asking.transport, a->workspace.config, a->model,
                                         a->asking.arena, err);
    return rc ? rc : rf_agent_describe(a, RF_DESCRIBE_DAILY, err);
}

/* Who stops wants to know what is left of it. */
static void hint_kept(const struct rf_agent *a, struct rf_err *err)
{
    const struct rf_history *h = &a->history;
    bool said = h->count && h->messages[h->count - 1].role != RF_ROLE_USER;
    if (h->session)
        rf_hint(err, "%s is kept in session %s.",
                said ? "What was said until then" : "The question", rf_session_id(h->session));
}

/* The question stands at the end of the history. */
static enum rf_code answer_it(struct rf_agent *a, struct rf_str *answer, struct rf_err *err)
{
    rf_heal_begin(a->heal);
    struct turn t = { .agent = a, .arena = rf_arena_new() };
    enum rf_code rc = go_on(&t, answer, err);
    a->asking.answers_only = false;
    rf_arena_free(t.arena);
    if (rc == RF_EINTERRUPTED)
        hint_kept(a, err);
    else if (rc == RF_ELIMIT && rf_halt_due(&a->halt))
        hint_limit(a, err);
    return rc;
}

static enum rf_code ask(struct rf_agent *a, const struct rf_words *words, size_t count,
                        struct rf_str *answer, struct rf_err *err)
{
    struct rf_message message;
    enum rf_code rc = check_model(a, err);
    if (!rc && a->history.store) /* whose disk is waited for */
        rf_transport_prepare(a->asking.transport, a->model);
    if (!rc)
        rc = make_message(a, words, count, &message, err);
    if (!rc)
        look_at_servers(a);
    if (!rc && a->asking.strict)
        rc = check_strictly(a, &message, err);
    if (!rc)
        rc = begin(a, err);
    if (!rc)
        rc = rf_history_mend(&a->history, err);
    if (!rc)
        rc = rf_history_append(&a->history, &message, 1, err);
    if (rc)
        return rc;
    a->attached.count = 0;
    return answer_it(a, answer, err);
}

/* Did a person ask this? */
static bool is_question(const struct rf_message *m)
{
    struct rf_str text = m->block_count ? m->blocks[0].text : RF_STR("");
    return m->role == RF_ROLE_USER && !rf_str_starts(text, RF_EARLIER) &&
           !rf_str_starts(text, RF_NOT_ACCEPTED);
}

/* How many messages there are up to the last question; 0 where none was asked. */
static size_t count_until_question(const struct rf_history *h)
{
    size_t n = h->count;
    while (n && !is_question(&h->messages[n - 1]))
        n--;
    return n;
}

bool rf_agent_last_question(const struct rf_agent *a, struct rf_str *text)
{
    size_t count = count_until_question(&a->history);
    const struct rf_message *m = count ? &a->history.messages[count - 1] : NULL;
    size_t i = 0;
    while (m && i < m->block_count && m->blocks[i].type != RF_BLOCK_TEXT)
        i++;
    *text = m && i < m->block_count ? m->blocks[i].text : RF_STR("");
    return m;
}

static enum rf_code ask_again(struct rf_agent *a, struct rf_str *answer, struct rf_err *err)
{
    size_t count = count_until_question(&a->history);
    if (!count)
        return rf_fail(err, RF_EUSAGE, "nothing was asked yet that could be asked again");
    enum rf_code rc = check_model(a, err);
    if (!rc && count < a->history.count) {
        rf_built_drop(&a->asking.planned);
        rc = rf_history_go_back(&a->history, count, err);
        a->asking.told.count = 0;
    }
    if (!rc) {
        look_at_servers(a);
        rc = begin(a, err);
    }
    return rc ? rc : answer_it(a, answer, err);
}

/* All questions: `words` are NULL where the last one is asked again. */
static enum rf_code run_question(struct rf_agent *a, const struct rf_words *words, size_t count,
                                 struct rf_str *answer, struct rf_err *err)
{
    struct rf_str text = RF_STR("");
    if (!a->model)
        return rf_agent_fail_no_model(err);
    rf_built_drop(&a->asking.last);
    rf_arena_reset(a->asking.arena);
    rf_halt_start(&a->halt);
    enum rf_code rc = words ? ask(a, words, count, &text, err) : ask_again(a, &text, err);
    rf_halt_calm(&a->halt);
    if (!rc)
        *answer = text;
    return rc;
}

enum rf_code rf_agent_ask_words(struct rf_agent *a, const struct rf_words *words, size_t count,
                                struct rf_str *answer, struct rf_err *err)
{
    static const struct rf_words nothing;
    return run_question(a, words ? words : &nothing, count, answer, err);
}

enum rf_code rf_agent_retry(struct rf_agent *a, struct rf_str *answer, struct rf_err *err)
{
    return run_question(a, NULL, 0, answer, err);
}

enum rf_code rf_agent_ask(struct rf_agent *a, struct rf_str prompt, struct rf_str *answer,
                          struct rf_err *err)
{
    return rf_agent_ask_words(a, &(struct rf_words){ .text = prompt }, 1, answer, err);
}

static enum rf_code plan(struct rf_agent *a, const struct rf_words *words, size_t count,
                         struct rf_request **out, struct rf_err *err)
{
    struct rf_message message;
    struct rf_built planned;
    enum rf_code rc = make_message(a, words, count, &message, err);
    if (!rc)
        rc = rf_agent_build(a, &message, &planned, err);
    if (rc == RF_EINTERRUPTED)
        rf_halt_calm(&a->halt);
    if (rc)
        return rc;
    rf_built_drop(&a->asking.planned);
    a->asking.planned = planned;
    *out = planned.request;
    return RF_OK;
}

enum rf_code rf_agent_plan_words(struct rf_agent *a, const struct rf_words *words, size_t count,
                                 struct rf_request **out, struct rf_err *err)
{
    if (!a->model)
        return rf_agent_fail_no_model(err);
    look_at_servers(a);
    return plan(a, words, count, out, err);
}

enum rf_code rf_agent_plan(struct rf_agent *a, struct rf_str prompt, struct rf_request **out,
                           struct rf_err *err)
{
    return rf_agent_plan_words(a, &(struct rf_words){ .text = prompt }, 1, out, err);
}

/* A question has to be there for a request: the shortest. No server is waited for: this is asked
 * between questions. */
enum rf_code rf_agent_plan_next(struct rf_agent *a, struct rf_request **out, struct rf_err *err)
{
    if (!a->model)
        return rf_agent_fail_no_model(err);
    return plan(a, &(struct rf_words){ .text = RF_STR(".") }, 1, out, err);
}
