/* One request and its reply: built from the conversation as it is, sent, and told of while it
 * comes. */
#include "agent/agent.h"

#include "agent/turn/transport.h"
#include "base/arena.h"
#include "plan/account.h"
#include "wire/wire.h"

#include <refract/reply.h>

#include <limits.h>
#include <stdlib.h>

/* Building */

/* What the person named, and what was fetched: the results of tools may name it. */
static void grant_files(struct rf_agent *a, struct rf_request_options *o)
{
    struct rf_str *all = RF_ARRAY(a->question, struct rf_str, a->granted.count + a->fetched_count);
    char real[PATH_MAX];
    size_t n = 0;
    for (size_t i = 0; i < a->granted.count; i++)
        all[n++] = a->granted.items[i];
    for (size_t i = 0; i < a->fetched_count; i++)
        if (realpath(a->fetched[i].path, real))
            all[n++] = rf_str_dup(a->question, rf_str(real));
    o->granted = all;
    o->granted_count = n;
}

enum rf_code rf_agent_build(struct rf_agent *a, struct rf_str more,
                            struct rf_conversation **conversation, struct rf_request **request,
                            struct rf_err *err)
{
    struct rf_conversation *c;
    enum rf_code rc = rf_agent_conversation(a, more, &c, err);
    if (rc)
        return rc;
    struct rf_request_options *o = rf_request_options_new();
    if (a->base)
        rf_request_options_base(o, a->base);
    o->tool_root = a->root;
    grant_files(a, o);
    if (a->cache)
        rf_request_options_cache(o, a->cache);
    if (a->config)
        rf_request_options_configure(o, a->config);
    if (!a->no_stream)
        rf_request_options_stream(o);
    if (a->strict)
        rf_request_options_strict(o);
    if (a->sums_up)
        rf_request_options_no_media(o);
    rf_heal_apply(a->heal, o);
    rc = rf_request_build(c, a->model, o, request, err);
    rf_request_options_free(o);
    if (rc) {
        rf_err_without_place(err); /* whoever asks an agent knows files by their names */
        rf_conversation_free(c);
    } else {
        *conversation = c;
    }
    return rc;
}

/* Telling */

struct rf_str rf_agent_way(struct rf_str delivery, struct rf_str form, struct rf_str as,
                           struct rf_str lost, struct rf_arena *arena)
{
    return rf_strf(arena, "%.*s %.*s %.*s %.*s", RF_FMT(delivery), RF_FMT(form), RF_FMT(as),
                   RF_FMT(lost));
}

/* Whoever asked before was told that this file goes this way. */
static bool was_told(const struct rf_agent *a, const struct rf_decision *d, struct rf_str way)
{
    struct rf_str hash = rf_asset_sha256(d->part->asset);
    return (int64_t)d->message->index < a->told_before && hash.n &&
           rf_agent_list_has(&a->sent,
                             rf_strf(a->question, "sha256:%.*s %.*s", RF_FMT(hash), RF_FMT(way)));
}

/* A conversation only grows, so a file keeps its number in the report. */
static void tell_files(struct rf_agent *a)
{
    struct rf_request *r = a->request;
    for (size_t i = 0; i < rf_report_count(r); i++) {
        const struct rf_decision *d = &r->plan.decisions[i];
        struct rf_str way =
            rf_agent_way(rf_str(rf_delivery_name(d->delivery)), rf_str(rf_form_name(d->form)),
                         d->as, rf_account_lost_list(d, a->question), a->question);
        struct rf_agent_event e = { .type = RF_AGENT_FILE, .request = r, .file = i };
        if (i < a->told.count && rf_str_eq(a->told.items[i], way))
            continue;
        bool first = i >= a->told.count;
        if (first)
            rf_agent_list_add(a, &a->told, way);
        else
            a->told.items[i] = rf_str_dup(a->arena, way);
        if (!first || !was_told(a, d, way))
            rf_agent_tell(a, &e);
    }
}

struct receiving {
    struct rf_agent *agent;
    struct rf_decode *decode;
    enum rf_code failed; /* what came is not what this API sends */
    struct rf_err err;
};

static void on_piece(void *ctx, const struct rf_event *e)
{
    struct receiving *r = ctx;
    if (r->agent->sums_up)
        return;
    if (e->type == RF_EVENT_TEXT || e->type == RF_EVENT_THINKING) {
        struct rf_agent_event out = {
            .type = e->type == RF_EVENT_TEXT ? RF_AGENT_TEXT : RF_AGENT_THINKING,
            .text = e->text,
        };
        rf_agent_tell(r->agent, &out);
    }
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
    rf_agent_tell(r->agent, &e);
}

/* Sending */

/* What had come, and the first of the things that went wrong. */
static enum rf_code close_reply(struct receiving *r, enum rf_code failed,
                                const struct rf_sent *sent, struct rf_arena *arena,
                                struct rf_exchange *out, struct rf_err *err)
{
    struct rf_str json = RF_STR("");
    struct rf_err end = { 0 };
    enum rf_code rc = rf_decode_finish(r->decode, &json, &end);
    out->reply = rf_str_dup(arena, json);
    rf_transport_redact(r->agent->model, sent, arena, &out->reply, rc ? &end : NULL);
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
    struct receiving r = {
        .agent = a,
        .decode = a->no_stream ? rf_decode_response(a->model) : rf_decode_stream(a->model),
    };
    struct rf_secrets secrets = { 0 };
    struct rf_sending s = {
        .config = a->config,
        .model = a->model,
        .body = &a->request->body,
        .stream = !a->no_stream,
        .keeps_tokens = a->store,
        .cancel_fd = a->stop_fd,
        .bytes = take_bytes,
        .refusal = rf_wire_refusal,
        .waits = tell_waiting,
        .ctx = &r,
        .secrets = &secrets,
    };
    struct rf_sent sent = { 0 };
    struct rf_agent_event sending = { .type = RF_AGENT_SENDING, .request = a->request };
    *out = (struct rf_exchange){ .offline = rf_transport_is_offline(a->model) };
    if (!a->sums_up) {
        rf_agent_tell(a, &sending);
        tell_files(a);
    }
    rf_decode_listen(r.decode, on_piece, &r);
    rf_decode_redact(r.decode, &secrets);
    enum rf_code rc = rf_transport_send(a->transport, &s, arena, &sent, err);
    out->status = sent.status;
    if (sent.status && sent.status != 200)
        out->refusal = sent.refusal;
    else if (sent.status || !rc)
        rc = close_reply(&r, rc, &sent, arena, out, err);
    rf_decode_free(r.decode);
    return rc;
}
