#include "send/describe.h"

#include "base/arena.h"
#include "base/buf.h"
#include "content/result.h"
#include "net/inside.h"
#include "net/prepare.h"
#include "send/network.h"
#include "wire/describe.h"

#define MOST_MS 10000
#define MOST_ANSWER ((size_t)8 << 20) /* bytes; a model's licence and template are in it */

struct rf_describing {
    struct rf_arena *arena; /* this lives in it */
    const struct rf_description *how;
    struct rf_model *model;
    struct rf_preparing call;
    struct rf_timer timer; /* the first step */
    struct rf_err refused; /* the options are not complete: this says how */
    struct rf_rope body;
    struct rf_transfer *transfer; /* while it is on its way; else NULL */
    struct rf_net_reply reply;
    struct rf_buf answer;
    struct rf_said *heard; /* the caller's, who keeps it; NULL: it is kept here */
    void (*done)(void *ctx, enum rf_code rc, const struct rf_err *err);
    void *ctx;
};

void rf_describe_cancel(struct rf_describing *d)
{
    if (d->transfer)
        rf_net_cancel(d->transfer);
    rf_timer_clear(rf_net_loop(d->call.net), &d->timer);
    rf_prepare_stop(&d->call);
    rf_arena_free(d->arena);
}

/* The answer */

static enum rf_code keep(struct rf_describing *d, const struct rf_said *said, struct rf_err *err)
{
    struct rf_model *m = d->model;
    struct rf_str today = rf_learned_today(d->arena);
    for (size_t i = 0; i < said->count; i++)
        if (rf_model_describe(m, said->facts[i].fact, said->facts[i].value, today, said->words,
                              NULL))
            RF_BUG("a server described what is not a fact");
    if (d->heard)
        *d->heard = *said;
    return d->call.config && said->count && !d->heard
               ? rf_learned_describe(d->call.config, m, said->facts, said->count, err)
               : RF_OK;
}

static enum rf_code take_answer(struct rf_describing *d, struct rf_err *err)
{
    struct rf_said said = { .arena = d->heard ? d->heard->arena : d->arena };
    struct rf_str text = { d->answer.p, d->answer.n };
    const struct rf_jval *answer;
    if (d->reply.status != 200 || rf_jval_parse(text, d->arena, &answer, NULL))
        return RF_OK;
    d->how->read(answer, d->model, &said);
    return keep(d, &said, err);
}

static void end(struct rf_describing *d, enum rf_code rc, const struct rf_err *err)
{
    void (*done)(void *, enum rf_code, const struct rf_err *) = d->done;
    void *ctx = d->ctx;
    if (d->model)
        d->model->asked = rf_str_dup(d->model->arena, rf_learned_today(d->arena));
    rf_describe_cancel(d);
    if (done)
        done(ctx, rc, err);
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct rf_describing *d = ctx;
    rf_buf_add(&d->answer, bytes);
    return !d->answer.full;
}

static void take_end(void *ctx, enum rf_code failed, const struct rf_err *why)
{
    struct rf_describing *d = ctx;
    struct rf_err err = { 0 };
    (void)why;
    d->transfer = NULL;
    enum rf_code rc = failed ? RF_OK : take_answer(d, &err);
    end(d, rc, &err);
}

/* The question */

/* "http://127.0.0.1:11434/v1" is where another API of the same server is. */
static const char *url_of(const struct rf_describing *d)
{
    struct rf_str base = rf_str(d->call.endpoint.base);
    if (rf_str_ends(base, "/v1"))
        base.n -= 3;
    return rf_strf(d->arena, "%.*s%s", RF_FMT(base), d->how->path).p;
}

static enum rf_code begin_transfer(struct rf_describing *d, struct rf_err *err)
{
    const struct rf_net_call call = {
        .url = url_of(d),
        .headers = d->call.headers,
        .header_count = d->call.header_count,
        .body = &d->body,
        .total_ms = MOST_MS,
        .bytes = take_bytes,
        .ctx = d,
        .done = take_end,
        .done_ctx = d,
        .plain_proxy = d->call.endpoint.plain_proxy,
        .may_repeat = true,
    };
    return rf_net_start(d->call.net, &call, d->arena, &d->reply, &d->transfer, err);
}

/* Whatever is wrong with the address or the key, the request itself will tell. */
static void go_on(void *ctx)
{
    struct rf_describing *d = ctx;
    struct rf_err err = { 0 };
    bool ready;
    enum rf_code rc = rf_prepare(&d->call, d->arena, &ready, &err);
    if (!rc && ready)
        rc = begin_transfer(d, &err);
    if (rc)
        end(d, RF_OK, &err);
}

static void write_question(struct rf_describing *d)
{
    struct rf_json *w = RF_NEW(d->arena, struct rf_json);
    rf_rope_init(&d->body, d->arena);
    rf_json_init(w, &d->body);
    d->how->ask(d->model, w);
    if (rf_json_finish(w, NULL))
        RF_BUG("a question about a model could not be written");
}

static bool is_due(const struct rf_model *m, enum rf_describe_when when)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str today = rf_learned_today(a);
    bool was_asked = rf_str_eq(m->described, today) || rf_str_eq(m->asked, today);
    rf_arena_free(a);
    return when == RF_DESCRIBE_ANEW || !was_asked;
}

static struct rf_describing *
start(struct rf_net *net, const struct rf_config *config, struct rf_model *m,
      enum rf_describe_when when, struct rf_said *heard,
      void (*done)(void *ctx, enum rf_code rc, const struct rf_err *err), void *ctx)
{
    const struct rf_description *how = rf_description_find(m->caps.server);
    if (!how || !is_due(m, when))
        return NULL;
    struct rf_arena *a = rf_arena_new();
    struct rf_describing *d = RF_NEW(a, struct rf_describing);
    *d = (struct rf_describing){
        .arena = a,
        .how = how,
        .model = m,
        .call = { .net = net,
                  .config = config,
                  .model = m,
                  .body = &d->body,
                  .arena = a,
                  .wake = go_on,
                  .ctx = d },
        .timer = { .due = go_on, .ctx = d },
        .heard = heard,
        .done = done,
        .ctx = ctx,
    };
    rf_buf_init(&d->answer, a, MOST_ANSWER);
    write_question(d);
    rf_timer_set(rf_net_loop(net), &d->timer, 0);
    return d;
}

enum rf_code rf_describe_now(struct rf_net *net, const struct rf_config *config, struct rf_model *m,
                             enum rf_describe_when when, int cancel_fd, struct rf_err *err)
{
    struct rf_net_end over = { 0 };
    struct rf_describing *d = start(net, config, m, when, NULL, rf_net_note_end, &over);
    if (!d)
        return RF_OK;
    if (!rf_net_reach_end(net, &over, cancel_fd)) {
        rf_describe_cancel(d);
        return rf_fail(err, RF_EINTERRUPTED, "the call was stopped");
    }
    if (over.rc && err)
        *err = over.err;
    return over.rc;
}

/* For embedding programs */

static enum rf_code take_options(const struct rf_describe_options *what,
                                 struct rf_describe_options *own, struct rf_err *err)
{
    const struct rf_jpath model = { .field = "model" };
    enum rf_code rc = rf_struct_take(what, RF_SIZES(rf_describe_options, ctx), own, err);
    if (!rc && !own->model)
        rc = rf_fail_at(err, RF_EUSAGE, &model, "the field is missing");
    return rc;
}

static enum rf_describe_when when_of(const struct rf_describe_options *o)
{
    return o->again ? RF_DESCRIBE_ANEW : RF_DESCRIBE_DAILY;
}

static void tell_refused(void *ctx)
{
    struct rf_describing *d = ctx;
    const struct rf_err err = d->refused;
    end(d, err.code, &err);
}

/* Whatever size it says, all versions of the struct have the members of the first. */
static struct rf_describing *refuse(struct rf_net *net, const struct rf_describe_options *what,
                                    const struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_describing *d = RF_NEW(a, struct rf_describing);
    *d = (struct rf_describing){
        .arena = a,
        .call = { .net = net },
        .timer = { .due = tell_refused, .ctx = d },
        .refused = *err,
        .done = what ? what->done : NULL,
        .ctx = what ? what->ctx : NULL,
    };
    rf_timer_set(rf_net_loop(net), &d->timer, 0);
    return d;
}

struct rf_describing *rf_describe_hear(struct rf_network *n, const struct rf_describe_options *what,
                                       struct rf_said *said)
{
    struct rf_describe_options o;
    struct rf_err err;
    return take_options(what, &o, &err)
               ? refuse(n->net, what, &err)
               : start(n->net, o.config, o.model, when_of(&o), said, o.done, o.ctx);
}

struct rf_describing *rf_describe_start(struct rf_network *n,
                                        const struct rf_describe_options *what)
{
    return rf_describe_hear(n, what, NULL);
}

enum rf_code rf_describe(struct rf_network *n, const struct rf_describe_options *what,
                         struct rf_err *err)
{
    struct rf_describe_options o;
    enum rf_code rc = take_options(what, &o, err);
    return rc ? rc : rf_describe_now(n->net, o.config, o.model, when_of(&o), -1, err);
}
