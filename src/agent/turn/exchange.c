/* One request and its reply: built from the conversation as it is, sent, and told of while it
 * comes. */
#include "agent/agent.h"

#include "agent/turn/transport.h"
#include "base/arena.h"
#include "content/message.h"
#include "content/options.h"
#include "plan/account.h"
#include "wire/wire.h"

#include <refract/reply.h>

/* Building */

void rf_agent_settings(struct rf_agent *a, struct rf_arena *arena, struct rf_conversation *out)
{
    if (a->asking.system.p)
        out->system = a->asking.system;
    if (a->asking.answers_only)
        out->tool_choice = RF_CHOICE_NONE;
    if (!a->asking.sums_up && (!a->asking.answers_only || rf_conversation_calls(out)))
        rf_toolbox_describe(&a->tools, a->model, arena, out);
}

static struct rf_request_options *options_of(struct rf_agent *a, struct rf_arena *arena)
{
    struct rf_request_options *o = rf_request_options_new();
    struct rf_texts granted = rf_toolbox_nameable(&a->tools, arena);
    const struct rf_workspace *w = &a->workspace;
    if (w->base)
        rf_request_options_base(o, w->base);
    o->tool_root = w->root;
    o->cancel_fd = a->halt.fd;
    o->granted = granted.items;
    o->granted_count = granted.count;
    if (w->cache)
        rf_request_options_cache(o, w->cache);
    if (w->config)
        rf_request_options_configure(o, w->config);
    if (!a->asking.no_stream)
        rf_request_options_stream(o);
    if (a->asking.strict)
        rf_request_options_strict(o);
    if (a->asking.sums_up)
        rf_request_options_no_media(o);
    rf_heal_apply(a->heal, o);
    return o;
}

void rf_built_drop(struct rf_built *b)
{
    rf_request_free(b->request);
    rf_arena_free(b->arena);
    *b = (struct rf_built){ 0 };
}

/* What the session says goes before the settings of the model, and what this question says before
 * both. A summary is words, whatever answers shall be. */
static void set_options(const struct rf_agent *a, struct rf_options *out)
{
    struct rf_options usual = a->model->options;
    if (a->asking.sums_up) {
        out->schema = out->stop = NULL;
        return;
    }
    rf_options_lay_over(&usual, out);
    rf_options_lay_over(out, &usual);
    rf_options_lay_over(out, &a->asking.options);
}

enum rf_code rf_agent_build(struct rf_agent *a, const struct rf_message *more, struct rf_built *out,
                            struct rf_err *err)
{
    struct rf_built b = { .arena = rf_arena_new() };
    struct rf_conversation *c = RF_NEW(b.arena, struct rf_conversation);
    struct rf_request_options *o = options_of(a, b.arena);
    enum rf_code rc = rf_history_view(&a->history, more, b.arena, c, err);
    if (!rc) {
        rf_agent_settings(a, b.arena, c);
        if (!c->system.n)
            c->system = rf_agent_system_prompt(a);
        if (c->tool_count && a->model->caps.tools)
            c->system = rf_toolbox_instruct(&a->tools, c->system, b.arena);
        set_options(a, &c->options);
        rc = rf_request_build(c, a->model, o, &b.request, err);
        if (rc == RF_EINTERRUPTED)
            rc = rf_halt_fail(&a->halt, err);
        else if (rc)
            rf_err_without_place(err); /* whoever asks an agent knows files by their names */
    }
    rf_request_options_free(o);
    if (rc)
        rf_built_drop(&b);
    else
        *out = b;
    return rc;
}

/* Telling */

/* A conversation only grows, so a file keeps its number in the report. */
static void tell_files(struct rf_agent *a, struct rf_arena *scratch)
{
    struct rf_request *r = a->asking.last.request;
    struct rf_texts *told = &a->asking.told;
    for (size_t i = 0; i < rf_report_count(r); i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        struct rf_str way =
            rf_history_way(rf_str(rf_delivery_name(d->delivery)), rf_str(rf_form_name(d->form)),
                           d->as, rf_account_lost_list(d, scratch), scratch);
        struct rf_agent_event e = { .type = RF_AGENT_FILE, .request = r, .file = i };
        bool first = i >= told->count;
        if (!first && rf_str_eq(told->items[i], way))
            continue;
        if (first)
            rf_texts_add(told, way, a->arena);
        else
            told->items[i] = rf_str_dup(a->arena, way);
        if (!first || !rf_history_was_told(&a->history, d->message->index,
                                           rf_asset_sha256(d->part->asset), way))
            rf_listener_tell(&a->listener, &e);
    }
}

struct receiving {
    struct rf_agent *agent;
    struct rf_decode *decode;
    enum rf_code failed; /* what came is not what this API sends */
    struct rf_err err;
};

static bool on_piece(void *ctx, const struct rf_event *e)
{
    struct receiving *r = ctx;
    const struct rf_listener *l = &r->agent->listener;
    struct rf_agent_event out = {
        .type = e->type == RF_EVENT_TEXT ? RF_AGENT_TEXT : RF_AGENT_THINKING,
        .text = e->text,
    };
    if (r->agent->asking.sums_up)
        return true;
    if (!rf_listener_stream(l, e))
        return false;
    return (e->type != RF_EVENT_TEXT && e->type != RF_EVENT_THINKING) || rf_listener_tell(l, &out);
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct receiving *r = ctx;
    r->failed = rf_decode_feed(r->decode, bytes, &r->err);
    return !r->failed;
}

static void tell_waiting(void *ctx, int status, int64_t ms, struct rf_str why)
{
    struct receiving *r = ctx;
    struct rf_agent_event e = { .type = RF_AGENT_WAITING, .ms = ms, .text = why };
    (void)status;
    rf_listener_tell(&r->agent->listener, &e);
}

/* Sending */

/* What had come, and the first of the things that went wrong. */
static enum rf_code close_reply(struct receiving *r, enum rf_code failed,
                                const struct rf_sent *sent, struct rf_arena *arena,
                                struct rf_exchange *out, struct rf_err *err)
{
    struct rf_err end = { 0 };
    enum rf_code rc = rf_decode_message(r->decode, &out->reply, &end);
    if (rc == RF_EINTERRUPTED)
        return rf_halt_fail(&r->agent->halt, err);
    if (r->failed)
        rc = r->failed, end = r->err;
    else if (failed)
        return failed; /* `err` says why */
    if (rc)
        rf_redact_error(sent->endpoint, arena, &end);
    if (rc && rc != RF_ELIMIT)
        rc = end.code = RF_EPROVIDER; /* whatever is wrong with it, it is the provider's */
    if (rc && err)
        *err = end;
    return rc;
}

enum rf_code rf_agent_exchange(struct rf_agent *a, struct rf_arena *arena, struct rf_exchange *out,
                               struct rf_err *err)
{
    const struct rf_asking *t = &a->asking;
    struct receiving r = { .agent = a, .decode = rf_decode_new(a->model, !t->no_stream, arena) };
    struct rf_secrets secrets;
    struct rf_sending s = {
        .config = a->workspace.config,
        .model = a->model,
        .body = &t->last.request->body,
        .stream = !t->no_stream,
        .keeps_tokens = a->history.store,
        .cancel_fd = a->halt.fd,
        .bytes = take_bytes,
        .refusal = rf_wire_refusal,
        .waits = tell_waiting,
        .ctx = &r,
        .secrets = &secrets,
    };
    struct rf_sent sent = { 0 };
    struct rf_agent_event sending = { .type = RF_AGENT_SENDING, .request = t->last.request };
    *out = (struct rf_exchange){ .offline = rf_offline_is(a->model) };
    if (!t->sums_up) {
        rf_listener_tell(&a->listener, &sending);
        tell_files(a, arena);
    }
    rf_endpoint_secrets(NULL, arena, &secrets);
    rf_decode_listen(r.decode, on_piece, &r);
    rf_decode_redact(r.decode, &secrets);
    enum rf_code rc = rf_halt_due(&a->halt)
                          ? rf_halt_fail(&a->halt, err)
                          : rf_transport_send(t->transport, &s, arena, &sent, err);
    out->status = sent.status;
    if (sent.status && sent.status != 200)
        out->refusal = sent.refusal;
    else if (sent.status || !rc)
        rc = close_reply(&r, rc, &sent, arena, out, err);
    out->empty = sent.status == 200 && rf_decode_is_empty(r.decode);
    rf_decode_free(r.decode);
    return rc;
}
