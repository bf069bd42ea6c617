/* Replies on their way out: messages and events in, bytes of an API's answers out. */
#include "wire/respond.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "content/block.h"
#include "content/message.h"
#include "content/reply.h"
#include "content/result.h"
#include "model/model.h"
#include "request/request.h"
#include "wire/wire.h"

#include <refract/respond.h>

#include <string.h>

struct rf_respond {
    struct rf_arena *arena;
    const struct rf_config *config;
    struct rf_respond_how how;
    struct rf_responding *responding;
};

/* Does a call come at once, so that it is no loss to wait for its mark? */
static bool marks_late(const struct rf_model *m)
{
    const struct rf_dialect *d = rf_dialect_find(m->caps.dialect);
    return d && d->replies && d->replies->signs_calls && d->replies->streams_objects;
}

static void take_tools(struct rf_respond_how *how, const struct rf_request *r)
{
    const struct rf_conversation *c = r ? r->plan.conversation : NULL;
    how->given = c ? c->tools : NULL;
    how->tool_count = c ? c->tool_count : 0;
}

/* As chat completions ask for the tokens of a stream; other APIs have no such words. */
static bool leaves_usage(const struct rf_dialect *d, const struct rf_request *r)
{
    const struct rf_conversation *c = r ? r->plan.conversation : NULL;
    if (!c || !rf_str_is(c->dialect, d->name))
        return false;
    const struct rf_jval *own = rf_wire_own(c->extra, d->name);
    const struct rf_jval *asks = rf_jval_get(rf_jval_get(own, "stream_options"), "include_usage");
    return !asks || asks->type != RF_JTRUE;
}

enum rf_code rf_respond_new(const struct rf_respond_options *o, struct rf_respond **out,
                            struct rf_err *err)
{
    const struct rf_dialect *dialect;
    struct rf_respond_options own;
    enum rf_code rc = rf_struct_take(o, RF_SIZES(rf_respond_options, config), &own, err);
    o = &own;
    if (!rc)
        rc = rf_dialect_named(o->dialect, &dialect, err);
    if (rc)
        return rc;
    struct rf_arena *a = rf_arena_new();
    struct rf_respond *r = RF_NEW(a, struct rf_respond);
    *r = (struct rf_respond){
        .arena = a,
        .config = o->config,
        .how = { .dialect = dialect,
                 .stream = o->stream,
                 .model = rf_str_dup(a, rf_str(o->model)),
                 .status = o->status,
                 .request_id = rf_str_dup(a, rf_str(o->request_id)),
                 .own = o->own || (o->from && rf_str_is(o->from->caps.dialect, dialect->name)),
                 .marked_late = o->from && marks_late(o->from),
                 .usage_unasked = leaves_usage(dialect, o->request) },
    };
    take_tools(&r->how, o->request);
    r->responding = rf_responding_new(&r->how, a);
    if (o->from)
        rf_responding_said_by(r->responding, rf_str_dup(a, o->from->provider),
                              rf_str_dup(a, o->from->name));
    *out = r;
    return RF_OK;
}

void rf_respond_free(struct rf_respond *r)
{
    if (!r)
        return;
    rf_responding_free(r->responding);
    rf_arena_free(r->arena);
}

/* A citation is JSON, and all texts are UTF-8. */
static enum rf_code check_texts(const struct rf_respond *r, const struct rf_event *e,
                                struct rf_err *err)
{
    const struct rf_str texts[] = { e->text, e->id, e->name, e->url };
    const struct rf_jval *v;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (rf_utf8_valid(texts[i]) < texts[i].n)
            return rf_fail(err, RF_EFORMAT, "an event of type \"%s\" is not UTF-8",
                           rf_event_name(e->type));
    if (e->type == RF_EVENT_CITATION &&
        (rf_jval_parse(e->text, r->arena, &v, err) || v->type != RF_JOBJECT))
        return rf_fail(err, RF_EFORMAT, "a citation is not a JSON object");
    return RF_OK;
}

/* What a newer caller means, or left out, as this library has it. */
static void settle_kinds(struct rf_event *e)
{
    if (e->stop > RF_STOP_ERROR)
        e->stop = RF_STOP_UNKNOWN;
    if (e->error > RF_ERROR_OTHER || e->error == RF_ERROR_NONE)
        e->error = RF_ERROR_OTHER;
}

static enum rf_code take_usage(struct rf_event *e, struct rf_usage *own, struct rf_err *err)
{
    if (!e->usage)
        return RF_OK;
    enum rf_code rc = rf_usage_take(e->usage, own, err);
    e->usage = own;
    return rc;
}

enum rf_code rf_respond_event(struct rf_respond *r, const struct rf_event *e, struct rf_err *err)
{
    struct rf_event own;
    struct rf_usage usage;
    enum rf_code rc = rf_struct_take(e, RF_SIZES(rf_event, reply), &own, err);
    if (rc || (rc = check_texts(r, &own, err)) || (rc = take_usage(&own, &usage, err)))
        return rc;
    settle_kinds(&own);
    rf_responding_event(r->responding, &own);
    return rf_responding_failed(r->responding, err);
}

/* Messages */

/* Was the message said in the dialect that it is to be written in? */
static bool is_own(const struct rf_respond *r, const struct rf_message *m)
{
    struct rf_model *model = NULL;
    struct rf_str name =
        rf_strf(r->arena, "%.*s:%.*s", RF_FMT(m->origin_provider), RF_FMT(m->origin_model));
    if (!m->origin_provider.n || rf_model_open(r->config, name.p, &model, NULL))
        return false;
    bool own = rf_str_is(model->caps.dialect, r->how.dialect->name);
    rf_model_close(model);
    return own;
}

static enum rf_code check_media(const struct rf_message *m, struct rf_err *err)
{
    const struct rf_jpath content = { .field = "content" };
    for (size_t i = 0; i < m->block_count; i++) {
        const struct rf_jpath at = { .up = &content, .index = i };
        const struct rf_block *b = &m->blocks[i];
        enum rf_source_kind kind = b->media.source.kind;
        if (!rf_block_is_media(b->type) || kind == RF_SOURCE_DATA || kind == RF_SOURCE_URL)
            continue;
        rf_fail_at(err, RF_EFORMAT, &at, "the %s of a reply must be there",
                   rf_block_type_name(b->type));
        rf_hint(err, "Give its bytes as base64 under \"data\", or a \"url\".");
        return RF_EFORMAT;
    }
    return RF_OK;
}

static enum rf_code read_message(struct rf_str json, struct rf_arena *a, struct rf_message *m,
                                 struct rf_err *err)
{
    const struct rf_jval *v;
    const struct rf_jpath at = { 0 };
    struct rf_ending *ending = RF_NEW(a, struct rf_ending);
    enum rf_code rc = rf_jval_parse(rf_str_dup(a, json), a, &v, err);
    if (!rc)
        rc = rf_message_read(v, &at, a, m, err);
    if (!rc && m->role != RF_ROLE_ASSISTANT) {
        const struct rf_jpath role = { .field = "role" };
        rc = rf_fail_at(err, RF_EFORMAT, &role, "a reply is what an assistant says, not \"%s\"",
                        rf_role_name(m->role));
    }
    if (!rc)
        rc = check_media(m, err);
    if (rc)
        return rc;
    rf_ending_read(v, a, ending);
    if (!ending->model.n)
        ending->model = m->origin_model;
    m->ending = ending;
    return RF_OK;
}

static bool pass_on(void *ctx, const struct rf_event *e)
{
    rf_responding_event(ctx, e);
    return true;
}

enum rf_code rf_respond_message(struct rf_respond *r, struct rf_str json, struct rf_err *err)
{
    struct rf_message m;
    enum rf_code rc = read_message(json, r->arena, &m, err);
    if (rc)
        return rc;
    rf_responding_own(r->responding, is_own(r, &m));
    rf_responding_said_by(r->responding, m.origin_provider, m.origin_model);
    rf_message_events(&m, r->arena, pass_on, r->responding);
    return rf_responding_failed(r->responding, err);
}

void rf_respond_begin(struct rf_respond *r)
{
    rf_responding_begin(r->responding);
}

/* What there is */

const struct rf_refusal *rf_respond_error(const struct rf_respond *r)
{
    return rf_responding_error(r->responding);
}

struct rf_str rf_respond_bytes(struct rf_respond *r)
{
    return rf_responding_bytes(r->responding);
}

int rf_respond_status(const struct rf_respond *r)
{
    return rf_responding_status(r->responding);
}

int64_t rf_respond_retry_after_ms(const struct rf_respond *r)
{
    return rf_responding_error(r->responding)->retry_after_ms;
}

const char *rf_respond_content_type(const struct rf_respond *r)
{
    static const char *const types[] = {
        [RF_FRAMING_SSE] = "text/event-stream",
        [RF_FRAMING_AWS] = "application/vnd.amazon.eventstream",
        [RF_FRAMING_LINES] = "application/x-ndjson",
    };
    bool streams = r->how.stream && rf_respond_status(r) == 200;
    return streams ? types[r->how.dialect->framing] : "application/json";
}

size_t rf_respond_lost_count(const struct rf_respond *r)
{
    const struct rf_str *lines;
    return rf_responding_lost(r->responding, &lines);
}

struct rf_str rf_respond_lost(const struct rf_respond *r, size_t i)
{
    const struct rf_str *lines;
    return i < rf_responding_lost(r->responding, &lines) ? lines[i] : RF_STR("");
}
