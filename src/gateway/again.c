/* Who is asked next: another key of the provider, the same one once more, or the next model of the
 * route.
 *
 *     a key was refused (401, 402, 403)       it is left out for a while, and another key is used;
 *                                             but not the last one for 403: what was said may be
 *                                             forbidden
 *     it has to wait (429)                    for as long as it was told, with this model, and
 *                                             another key is used
 *     the server is not well (5xx, no way)    the same again, a few times; then the next model
 *     it was not answered in time, broke off  the next model: it may have been worked on
 *     what was sent is refused                healing
 *
 * Where nothing but the words of a refusal tells which of them it is, they may be those of a client
 * that the provider repeats: nobody else is kept from a key or a model for these.
 *
 * A path that is not known here (other.h) may do anything, and what it says of a key or a server is
 * said of that path alone. It is asked again, or elsewhere, where it only reads or no server has
 * seen it; another key is used where one was refused, since nothing was done with that. No key and
 * no model is left out for it, but for a server that cannot be reached.
 *
 * Only while nothing of a reply is with the client. Where nobody is left, it is told what was said
 * last, unless it would do to wait: then it is told for how long. */
#include "gateway/gateway.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/num.h"
#include "model/model.h"
#include "net/net.h"
#include "net/waiting.h"
#include "wire/wire.h"

#include <stdio.h>

#define REFUSED_MS (5 * 60 * 1000) /* that a key is left out: who mends it reloads */
#define FORBIDDEN_MS (60 * 1000)   /* for one model: it may have been for what was said */
#define UNTOLD_WAIT_MS 1000        /* after a 429 that names no time */
#define MOST_TRIES 3               /* with one key, of a server that is not well */
#define LONGEST_REST_MS 3000       /* between them; clients try again themselves */

static struct rf_health *health_of(const struct rf_gateway_exchange *x)
{
    return &x->loop->gateway->health;
}

/* Names */

static const struct rf_config_provider *provider_of(const struct rf_gateway_exchange *x)
{
    return rf_config_provider(x->setup->config, x->translation.model->provider);
}

static size_t key_count(const struct rf_gateway_exchange *x)
{
    size_t count = rf_config_key_count(provider_of(x));
    return count ? count : 1;
}

/* A key is known by its number, as in the log: the page shows these names, and a command's words
 * may be secrets themselves. */
static struct rf_str name_key(const struct rf_gateway_exchange *x, size_t i)
{
    const struct rf_model *m = x->translation.model;
    char number[RF_NUM_ROOM];
    return RF_JOINED(x->translation.arena, m->provider, RF_STR(" key "), rf_num_text(i + 1, number),
                     m->address.n ? RF_STR(" at ") : RF_STR(""), m->address);
}

static struct rf_str for_model(const struct rf_gateway_exchange *x, struct rf_str key)
{
    return RF_JOINED(x->translation.arena, key, RF_STR(" for "), x->translation.model->name);
}

static struct rf_str name_target(const struct rf_gateway_exchange *x)
{
    const struct rf_model *m = x->translation.model;
    return RF_JOINED(x->translation.arena, m->provider, RF_STR(":"), m->name, RF_STR(" "),
                     m->address);
}

/* What the client will be told */

static int64_t wait_of(const struct rf_fault *f)
{
    return f->retry_after_ms < 0 ? INT64_MAX : f->retry_after_ms;
}

static bool is_better(const struct rf_fault *f, const struct rf_fault *than)
{
    if (than->kind != RF_ERROR_RATE_LIMIT)
        return true;
    return f->kind == RF_ERROR_RATE_LIMIT && wait_of(f) < wait_of(than);
}

static void blame(struct rf_gateway_exchange *x, const struct rf_fault *f)
{
    if (!x->tries.fault.kind || is_better(f, &x->tries.fault))
        x->tries.fault = *f;
}

static void blame_illness(struct rf_gateway_exchange *x, const struct rf_illness *i)
{
    struct rf_arena *a = x->translation.arena;
    bool ours = rf_error_is_of_key(i->kind);
    int64_t left_ms = i->until_ms - rf_now_ms();
    const struct rf_fault f = { .kind = ours ? RF_ERROR_OTHER : i->kind,
                                .status = i->status,
                                .words = rf_str_dup(a, rf_str(i->words)),
                                .retry_after_ms = ours          ? -1
                                                  : left_ms > 0 ? left_ms
                                                                : 0 };
    blame(x, &f);
}

/* What others are told of it, who had no part in it: nothing of what the provider said, which may
 * repeat a client's words. `told` is its status; 0: there is none. */
static struct rf_illness illness_of(const struct rf_fault *f, enum rf_error_kind kind, int told)
{
    struct rf_illness i = { .kind = kind, .status = f->status };
    const char *words = "this model does not answer for now";
    if (rf_error_is_of_key(kind))
        words = "the gateway's key for this model cannot be used";
    else if (kind == RF_ERROR_RATE_LIMIT)
        words = "the gateway's key for this model has to wait";
    if (told >= 400)
        snprintf(i.words, sizeof i.words, "%s (status %d)", words, told);
    else
        snprintf(i.words, sizeof i.words, "%s", words);
    return i;
}

/* One more that failed, for the record. */
static void note(struct rf_gateway_exchange *x, const char *what)
{
    struct rf_record *r = &x->record;
    const struct rf_model *m = x->translation.model;
    r->failed = rf_strf(x->translation.arena, "%.*s%s%.*s:%.*s key %zu: %s", RF_FMT(r->failed),
                        r->failed.n ? ", " : "", RF_FMT(m->provider), RF_FMT(m->name),
                        x->tries.key + 1, what);
}

/* Choosing */

/* A model that answers twice does no harm. */
static bool may_repeat(const struct rf_gateway_exchange *x)
{
    return !rf_translation_is_other(&x->translation) ||
           rf_net_only_reads(x->translation.front.other.method);
}

static bool has_next_target(const struct rf_gateway_exchange *x)
{
    return x->translation.route.at + 1 < x->translation.route.count &&
           (may_repeat(x) || !x->tries.reached);
}

/* Of a trial. */
static void give_turn_back(struct rf_gateway_exchange *x)
{
    if (x->tries.turn == RF_HEALTH_TRIAL)
        rf_health_give_back(health_of(x), x->tries.target);
    x->tries.turn = RF_HEALTH_NO_TURN;
}

static void next_target(struct rf_gateway_exchange *x)
{
    give_turn_back(x);
    if (!has_next_target(x)) {
        rf_gateway_refuse(x, &x->tries.fault);
        return;
    }
    x->record.taken |= rf_admission_was_taken(x);
    rf_send_free(x->send); /* these know the model and the request, which end now */
    rf_respond_free(x->respond);
    x->send = NULL;
    x->respond = NULL;
    x->over = false;
    x->tries = (struct rf_tries){ .fault = x->tries.fault };
    x->described = false;
    rf_exchange_start_job(x, RF_JOB_NEXT);
}

static bool is_well(struct rf_gateway_exchange *x, struct rf_str key)
{
    struct rf_illness i;
    if (!health_of(x)->count)
        return true; /* nobody is out: names need not be made up */
    if (!rf_health_is_out(health_of(x), key, &i) &&
        !rf_health_is_out(health_of(x), for_model(x, key), &i))
        return true;
    blame_illness(x, &i);
    return false;
}

/* Each request of a provider begins with the key after that of the one before. */
static atomic_uint *turn_of(const struct rf_gateway_exchange *x)
{
    return &x->setup->turns[provider_of(x) - x->setup->config->providers];
}

_Static_assert(RF_MAX_KEYS <= 64, "each key has a bit");

/* The next in turn of those that are left. */
static bool choose_key(struct rf_gateway_exchange *x)
{
    size_t count = key_count(x);
    if (!x->tries.used && count > 1)
        x->tries.first_key = (*turn_of(x))++ % count;
    for (size_t i = 0; i < count; i++) {
        size_t k = (x->tries.first_key + i) % count;
        struct rf_str name = name_key(x, k);
        if (x->tries.used & (uint64_t)1 << k || !is_well(x, name))
            continue;
        x->tries.used |= (uint64_t)1 << k;
        x->tries.key = k;
        x->tries.key_name = name;
        x->tries.chosen = true;
        x->tries.count = 0;
        return true;
    }
    return false;
}

bool rf_again_choose(struct rf_gateway_exchange *x)
{
    struct rf_tries *t = &x->tries;
    struct rf_illness i;
    if (!t->target.n) {
        t->target = name_target(x);
        t->turn = rf_health_may_ask(health_of(x), t->target, &i);
        if (t->turn == RF_HEALTH_NO_TURN) {
            blame_illness(x, &i);
            next_target(x);
            return false;
        }
    }
    if (t->chosen || choose_key(x))
        return true;
    next_target(x);
    return false;
}

bool rf_again_choose_spare(struct rf_gateway_exchange *x)
{
    struct rf_illness i;
    return !rf_health_is_out(health_of(x), name_target(x), &i) && choose_key(x);
}

static void next_key(struct rf_gateway_exchange *x)
{
    x->tries.chosen = false;
    rf_attempt_start(x);
}

/* Servers that are not well */

static void try_again(void *ctx)
{
    struct rf_gateway_exchange *x = ctx;
    rf_exchange_clock_start(x);
    rf_attempt_start(x);
}

static bool rests(struct rf_gateway_exchange *x, int64_t told_ms)
{
    int64_t rest_ms = told_ms > 0 ? told_ms : rf_wait_to_reach((int)x->tries.count);
    if (x->tries.count >= MOST_TRIES || rest_ms > LONGEST_REST_MS ||
        (x->tries.reached && !may_repeat(x)))
        return false;
    x->tries.timer = (struct rf_timer){ .due = try_again, .ctx = x };
    rf_timer_set(x->loop->loop, &x->tries.timer, rf_now_ms() + rest_ms);
    rf_exchange_clock_stop(x);
    return true;
}

static void note_failure(struct rf_gateway_exchange *x, const struct rf_fault *f, int told)
{
    if (rf_translation_is_other(&x->translation) && x->tries.reached)
        return;
    const struct rf_illness i = illness_of(f, f->kind, told);
    rf_health_failed(health_of(x), x->tries.target, x->tries.turn, &i);
    x->tries.turn = RF_HEALTH_NO_TURN;
}

/* It was there at `at_ms`, whatever it said. */
static void note_answer(struct rf_gateway_exchange *x, int64_t at_ms)
{
    rf_health_worked(health_of(x), x->tries.target, at_ms);
    x->tries.turn = RF_HEALTH_NO_TURN;
}

/* Refusals */

enum verdict {
    SENT_IS_WRONG,
    KEY_IS_REFUSED,
    KEY_MUST_WAIT,
    KEY_IS_USED_UP, /* or this is too much for it */
    SERVER_IS_ILL,
    MODEL_IS_MISSING,
};

static enum verdict judge(const struct rf_refusal *r)
{
    bool limited = r->kind == RF_ERROR_RATE_LIMIT, by_words = rf_wire_is_by_words(r);
    if (limited && (r->lasting || by_words)) /* also 402, where less of an answer could be paid */
        return KEY_IS_USED_UP;
    if (r->kind == RF_ERROR_OVERLOADED && by_words && r->status >= 400 && r->status < 500)
        return SENT_IS_WRONG;
    if (rf_refusal_is_of_key(r))
        return KEY_IS_REFUSED;
    if (limited)
        return KEY_MUST_WAIT;
    bool begun = r->status < 400; /* it was going to answer, and told of an error instead */
    if (rf_refusal_is_of_server(r) || (begun && r->kind == RF_ERROR_OTHER))
        return SERVER_IS_ILL;
    return r->kind == RF_ERROR_NOT_FOUND ? MODEL_IS_MISSING : SENT_IS_WRONG;
}

static bool has_other_key(struct rf_gateway_exchange *x)
{
    struct rf_illness i;
    for (size_t k = 0; k < key_count(x); k++) {
        struct rf_str name = name_key(x, k);
        if (k != x->tries.key && !rf_health_is_out(health_of(x), name, &i) &&
            !rf_health_is_out(health_of(x), for_model(x, name), &i))
            return true;
    }
    return false;
}

/* Of one client: what is forbidden (403) may be what it said, and so may the words of a refusal. */
static bool is_of_one(const struct rf_refusal *r)
{
    return (r->kind == RF_ERROR_PERMISSION || rf_wire_is_by_words(r)) && r->status != 402;
}

/* That does not take the last key from all. */
static void put_key_out(struct rf_gateway_exchange *x, const struct rf_refusal *r,
                        const struct rf_fault *f)
{
    bool one = is_of_one(r);
    if (rf_translation_is_other(&x->translation) || (one && !has_other_key(x)))
        return;
    const struct rf_illness i =
        illness_of(f, one ? RF_ERROR_PERMISSION : RF_ERROR_AUTHENTICATION, r->status);
    rf_health_put_out(health_of(x), one ? for_model(x, x->tries.key_name) : x->tries.key_name, &i,
                      one ? FORBIDDEN_MS : REFUSED_MS);
}

/* Limits are a model's, or a class of models'; each one's is found out. */
static void have_key_wait(struct rf_gateway_exchange *x, const struct rf_fault *f, int told)
{
    if (rf_translation_is_other(&x->translation))
        return;
    const struct rf_illness i = illness_of(f, RF_ERROR_RATE_LIMIT, told);
    rf_health_put_out(health_of(x), for_model(x, x->tries.key_name), &i, f->retry_after_ms);
}

static void heal(struct rf_gateway_exchange *x, const struct rf_refusal *r)
{
    x->refusal = r;
    rf_exchange_start_job(x, RF_JOB_HEAL);
}

void rf_again_refused(struct rf_gateway_exchange *x, const struct rf_refusal *r)
{
    struct rf_fault f = rf_translation_fault(&x->translation, r);
    enum verdict what = judge(r);
    if (what == KEY_MUST_WAIT && f.retry_after_ms < 0)
        f.retry_after_ms = UNTOLD_WAIT_MS;
    note(x, r->status < 400 ? rf_error_kind_name(r->kind)
                            : rf_strf(x->translation.arena, "%d", r->status).p);
    if (what != SENT_IS_WRONG)
        blame(x, &f);
    if (what != SERVER_IS_ILL)
        note_answer(x, rf_now_ms());
    x->tries.reached = true;
    switch (what) {
    case KEY_IS_REFUSED:
        put_key_out(x, r, &f);
        next_key(x);
        break;
    case KEY_MUST_WAIT:
        have_key_wait(x, &f, r->status);
        next_key(x);
        break;
    case KEY_IS_USED_UP:
        next_key(x);
        break;
    case SERVER_IS_ILL:
        if (rests(x, r->retry_after_ms))
            break;
        note_failure(x, &f, r->status);
        if (r->kind == RF_ERROR_OTHER && !has_next_target(x))
            heal(x, r); /* some say that of a file */
        else
            next_target(x);
        break;
    case MODEL_IS_MISSING:
        if (has_next_target(x))
            next_target(x);
        else
            heal(x, r);
        break;
    case SENT_IS_WRONG:
        heal(x, r);
        break;
    }
}

/* No answer */

/* Or is it our limit of a whole answer, or a reply that could not be written? */
static bool is_theirs(enum rf_code rc)
{
    return rc == RF_EPROVIDER;
}

void rf_again_broken(struct rf_gateway_exchange *x, enum rf_code rc, const struct rf_err *err)
{
    static const struct rf_str key_words =
        RF_STR_INIT("the gateway's key for this model cannot be used");
    bool late = err->reason == RF_REASON_LATE;
    x->tries.reached |= rf_send_reached(x->send);
    bool key = rc == RF_ECONFIG; /* its command fails, or its variable is not set: our affair */
    const struct rf_fault f = { .kind = RF_ERROR_OTHER,
                                .status = late ? 504 : 502,
                                .words = key ? key_words
                                             : rf_str_dup(x->translation.arena, rf_str(err->msg)),
                                .retry_after_ms = -1 };
    note(x, key                                    ? err->msg
            : late                                 ? "late"
            : err->reason == RF_REASON_UNREACHABLE ? "unreachable"
                                                   : "broken");
    blame(x, &f);
    if (key) {
        const struct rf_illness i = illness_of(&f, RF_ERROR_AUTHENTICATION, 0);
        rf_health_put_out(health_of(x), x->tries.key_name, &i, FORBIDDEN_MS);
        next_key(x);
    } else if (!is_theirs(rc) && !late) {
        rf_gateway_refuse(x, &f);
    } else if (err->reason != RF_REASON_UNREACHABLE || !rests(x, 0)) {
        if (is_theirs(rc))
            note_failure(x, &f, 0);
        next_target(x);
    }
}

/* Answers */

void rf_again_begins(struct rf_gateway_exchange *x)
{
    if (x->tries.began_ms)
        return;
    x->tries.began_ms = rf_now_ms();
    if (x->tries.turn == RF_HEALTH_TRIAL) /* for which all others wait */
        note_answer(x, x->tries.began_ms);
}

void rf_again_worked(struct rf_gateway_exchange *x)
{
    rf_again_begins(x); /* of an empty one nothing has told */
    note_answer(x, x->tries.began_ms);
}

void rf_again_cut_off(struct rf_gateway_exchange *x, enum rf_code rc, const struct rf_err *err)
{
    const struct rf_fault f = { .kind = RF_ERROR_OTHER, .status = 502, .words = rf_str(err->msg) };
    x->tries.reached = true;
    if (is_theirs(rc))
        note_failure(x, &f, 0);
}

void rf_again_end(struct rf_gateway_exchange *x)
{
    give_turn_back(x);
}
