/* Events in, the bytes of an API's reply out. See respond.h for the order that writers see. */
#include "wire/respond.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/limits.h"
#include "content/block.h"
#include "wire/relay.h"
#include "wire/sayable.h"
#include "wire/wire.h"

#include <time.h>

struct rf_responding *rf_responding_new(const struct rf_respond_how *how, struct rf_arena *a)
{
    struct rf_responding *r = RF_NEW(a, struct rf_responding);
    *r =
        (struct rf_responding){ .how = *how, .arena = a, .scratch = rf_arena_new(), .status = 200 };
    rf_reply_init(&r->reply, a);
    r->reply.origin.dialect = rf_str(how->dialect->name);
    rf_buf_init(&r->out, a, RF_MAX_REPLY_BYTES);
    r->telling = (struct rf_telling){
        .how = how->dialect->replies,
        .dialect = how->dialect,
        .streams = how->stream,
        .keeps_usage = how->usage_unasked && how->dialect->replies->usage_on_demand,
        .out = &r->out,
        .scratch = r->scratch,
        .answer = { .arena = a,
                    .model = how->model,
                    .own = how->own,
                    .status = how->status,
                    .request_id = how->request_id,
                    .created_s = time(NULL),
                    .tools = how->given,
                    .tool_count = how->tool_count,
                    .ending = { .usage = rf_no_usage, .error = { .retry_after_ms = -1 } } },
    };
    return r;
}

void rf_responding_free(struct rf_responding *r)
{
    rf_arena_free(r->scratch);
}

void rf_responding_own(struct rf_responding *r, bool own)
{
    r->telling.answer.own = own;
}

void rf_responding_said_by(struct rf_responding *r, struct rf_str provider, struct rf_str model)
{
    r->telling.answer.provider = provider;
    r->telling.answer.said_by = model;
}

/* The whole reply */

static void write_body(struct rf_responding *r,
                       void (*write)(const struct rf_answer *a, struct rf_json *w))
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(r->scratch, struct rf_json);
    struct rf_str text;
    rf_answer_settle(&r->telling);
    rf_rope_init(&rope, r->scratch);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    write(&r->telling.answer, w);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) ||
        rf_rope_flatten(&rope, RF_MAX_REPLY_BYTES, r->scratch, &text, NULL)) {
        r->out.full = true;
        return;
    }
    rf_buf_add(&r->out, text);
    rf_buf_addc(&r->out, '\n');
}

static void write_refusal(struct rf_responding *r)
{
    const struct rf_replies *how = r->telling.how;
    r->status = rf_answer_error_status(&r->telling.answer, how->errors);
    write_body(r, how->refusal);
}

/* Events */

static bool type_of(const char *kind, enum rf_block_type *type)
{
    for (enum rf_block_type t = RF_BLOCK_TEXT; kind && t <= RF_BLOCK_OPAQUE; t++)
        if (strcmp(kind, rf_block_type_name(t)) == 0) {
            *type = t;
            return true;
        }
    return false;
}

static struct rf_relayed *part_at(const struct rf_responding *r, size_t number)
{
    for (size_t i = r->count; i-- > 0;)
        if ((size_t)r->parts[i].draft->number == number)
            return &r->parts[i];
    return NULL;
}

/* NULL where the event says of no block what it is. */
static struct rf_relayed *part_of(struct rf_responding *r, const struct rf_event *e)
{
    enum rf_block_type type;
    struct rf_relayed *known = part_at(r, e->block);
    if (known)
        return known;
    if (e->block > INT64_MAX || !type_of(e->kind, &type))
        return NULL;
    if (type == RF_BLOCK_JSON && (!e->done || e->done->type != type))
        return NULL; /* it does not come in pieces */
    struct rf_draft *d = rf_reply_block(&r->reply, (int64_t)e->block, type);
    if (r->reply.failed)
        return NULL;
    size_t current = r->current ? (size_t)(r->current - r->parts) : 0;
    struct rf_relayed *p = RF_PUSH(r->arena, r->parts, r->count, r->cap);
    if (r->current)
        r->current = &r->parts[current];
    *p = (struct rf_relayed){ .draft = d };
    return p;
}

/* Bytes of a block that a program made, as base64. */
static void spell_bytes(struct rf_block *b, struct rf_arena *a)
{
    struct rf_source *s = &b->media.source;
    if (!rf_block_is_media(b->type) || s->kind != RF_SOURCE_BYTES)
        return;
    char *p = rf_arena_alloc(a, rf_base64_length(s->ref.n) + 1);
    s->ref = (struct rf_str){ p, rf_base64_encode(s->ref.p, s->ref.n, p) };
    s->kind = RF_SOURCE_DATA;
}

static bool take_done(struct rf_responding *r, struct rf_relayed *p, const struct rf_event *e)
{
    if (!e->done || e->done->type != p->draft->type)
        return false;
    struct rf_block *copy = RF_NEW(r->arena, struct rf_block);
    *copy = rf_block_copy(e->done, r->arena);
    spell_bytes(copy, r->arena);
    p->done = copy;
    return true;
}

static void start_part(struct rf_responding *r, struct rf_relayed *p, const struct rf_event *e)
{
    if (p->opened || p->draft->started)
        return;
    p->draft->started = true;
    p->draft->id = rf_str_dup(r->arena, e->id);
    p->draft->name = rf_str_dup(r->arena, e->name);
    p->draft->field = p->draft->name;
    take_done(r, p, e);
}

static void take_media(struct rf_responding *r, struct rf_draft *d, const struct rf_event *e)
{
    rf_draft_media(&r->reply, d, e->text);
    if (e->url.n)
        d->url = rf_str_dup(r->arena, e->url);
    if (e->name.n)
        d->media_type = rf_str_dup(r->arena, e->name);
}

/* Words of another kind than the block's have no place in it. */
static void take_words(struct rf_responding *r, struct rf_relayed *p, const struct rf_event *e)
{
    enum rf_block_type type = p->draft->type;
    bool call = type == RF_BLOCK_TOOL_CALL;
    if ((e->type == RF_EVENT_ARGUMENTS) != call)
        return;
    if ((e->type == RF_EVENT_THINKING) != (type == RF_BLOCK_THINKING))
        return;
    if (call)
        rf_draft_arguments(&r->reply, p->draft, e->text);
    else
        rf_draft_text(&r->reply, p->draft, e->text);
    if (e->text.n) /* it goes on after all */
        p->ended = p->complete = false;
}

static void take_marks(struct rf_responding *r, struct rf_draft *d, const struct rf_block *b)
{
    const struct rf_jval *list = d->citations.n ? NULL : b->citations;
    bool call = d->type == RF_BLOCK_TOOL_CALL;
    if (!d->signature.n)
        rf_draft_signature(&r->reply, d, call ? b->call.signature : b->thinking.signature);
    for (const struct rf_jval *c = list ? rf_jval_first(list) : NULL; c; c = rf_jval_next(list, c))
        rf_draft_citation(&r->reply, d, rf_jval_compact(c, r->scratch));
}

/* Where no pieces came, the block has the words and the marks. */
static void end_part(struct rf_responding *r, struct rf_relayed *p)
{
    const struct rf_block *b = p->done;
    if (b && b->type == RF_BLOCK_TOOL_CALL && !p->draft->arguments.n)
        rf_draft_arguments(&r->reply, p->draft, rf_call_arguments(b, r->arena));
    else if (!b && p->draft->type == RF_BLOCK_TOOL_CALL && rf_str_blank(rf_relayed_said(p)))
        rf_draft_arguments(&r->reply, p->draft, RF_STR("{}"));
    else if (b && rf_relayed_has_words(p) && !rf_relayed_said(p).n)
        rf_draft_text(&r->reply, p->draft, b->type == RF_BLOCK_TEXT ? b->text : b->thinking.text);
    if (b)
        take_marks(r, p->draft, b);
    p->ended = true;
    rf_relayed_settle(r, p);
}

static void take_block_event(struct rf_responding *r, const struct rf_event *e)
{
    struct rf_relayed *p = part_of(r, e);
    bool has_text = p && rf_relayed_has_words(p) && p->draft->type != RF_BLOCK_TOOL_CALL;
    if (!p)
        return;
    if (p->ended && !has_text && e->type != RF_EVENT_SIGNATURE) {
        if (e->text.n || e->url.n)
            rf_relayed_lose(r, p);
        return;
    }
    if (e->type == RF_EVENT_BLOCK_START)
        start_part(r, p, e);
    else if (e->type == RF_EVENT_SIGNATURE)
        rf_draft_signature(&r->reply, p->draft, e->text);
    else if (e->type == RF_EVENT_CITATION)
        rf_draft_citation(&r->reply, p->draft, e->text);
    else if (e->type == RF_EVENT_MEDIA)
        take_media(r, p->draft, e);
    else if (e->type == RF_EVENT_BLOCK_END) {
        p->complete = take_done(r, p, e);
        end_part(r, p);
    } else
        take_words(r, p, e);
    if (r->how.stream)
        rf_relay_advance(r);
}

static void take_error(struct rf_responding *r, const struct rf_event *e)
{
    r->telling.answer.ending.error = (struct rf_refusal){
        .kind = e->error,
        .words = rf_str_dup(r->arena, e->text),
        .code = rf_str_dup(r->arena, e->id),
        .retry_after_ms = e->retry_after_ms,
    };
}

/* Those of the message that comes with the end, or all that came. */
static void gather_blocks(struct rf_responding *r, const struct rf_message *m)
{
    for (size_t i = 0; i < (m ? m->block_count : r->count); i++) {
        struct rf_block b;
        if (m) {
            b = m->blocks[i];
            spell_bytes(&b, r->arena);
        } else {
            r->parts[i].written = rf_relayed_said(&r->parts[i]).n;
            b = *rf_relayed_block(r, &r->parts[i]);
        }
        if (rf_sayable_as(&r->telling, &b, i))
            rf_relay_add(r, &b);
    }
}

/* A block of the message that no event told of. */
struct untold {
    struct rf_responding *responding;
    size_t number;
};

static bool take_untold(void *ctx, const struct rf_event *e)
{
    const struct untold *u = ctx;
    struct rf_event own = *e;
    own.block = u->number;
    if (e->type >= RF_EVENT_BLOCK_START && e->type <= RF_EVENT_BLOCK_END)
        take_block_event(u->responding, &own);
    return true;
}

static void tell_untold(struct rf_responding *r, size_t number, struct rf_block *b)
{
    static const struct rf_ending none;
    struct untold u = { r, number };
    const struct rf_message m = { .blocks = b, .block_count = 1, .ending = &none };
    rf_message_events(&m, r->arena, take_untold, &u);
}

/* Words that go on are written; others than those that were told only where the end amends them. */
static void take_last_words(struct rf_responding *r, struct rf_relayed *p, struct rf_str all)
{
    struct rf_str told = rf_relayed_said(p);
    bool goes_on = all.n >= told.n && rf_str_eq(told, (struct rf_str){ all.p, told.n });
    if (r->telling.how->amend && p->closed && p != r->current && !p->start) {
        rf_buf_init(&p->draft->text, r->arena, RF_MAX_REPLY_BYTES); /* what was told stays */
        rf_draft_text(&r->reply, p->draft, all);
        p->written = all.n;
    } else if (goes_on)
        rf_draft_text(&r->reply, p->draft, (struct rf_str){ all.p + told.n, all.n - told.n });
    else
        rf_relayed_lose(r, p);
}

/* Some servers make up an id for each event. The one of the first piece was told. */
static bool is_renamed(const struct rf_relayed *p, const struct rf_block *b)
{
    return b->type == RF_BLOCK_THINKING && p->closed && p->draft->id.n &&
           !rf_str_eq(p->draft->id, b->thinking.id);
}

/* The block as it ended: it counts before what pieces said of its marks. */
static void take_last(struct rf_responding *r, struct rf_relayed *p, const struct rf_block *b)
{
    const struct rf_event end = { .done = b };
    if (is_renamed(p, b) && !r->telling.how->amend)
        rf_relayed_lose(r, p);
    p->complete = take_done(r, p, &end);
    if (!p->complete) {
        rf_relayed_lose(r, p);
        return;
    }
    p->draft->citations.n = p->draft->signature.n = 0;
    if (rf_relayed_has_words(p) && p->draft->type != RF_BLOCK_TOOL_CALL)
        take_last_words(r, p, b->type == RF_BLOCK_TEXT ? b->text : b->thinking.text);
}

static void take_message(struct rf_responding *r, const struct rf_message *m)
{
    const size_t *opened = m->ending ? m->ending->opened : NULL;
    for (size_t i = 0; i < m->block_count; i++) {
        size_t number = opened ? opened[i] : i;
        struct rf_relayed *p = part_at(r, number);
        if (p)
            take_last(r, p, &m->blocks[i]);
        else
            tell_untold(r, number, &m->blocks[i]);
    }
}

static void finish_stream(struct rf_responding *r)
{
    bool failed = r->telling.answer.ending.error.kind != RF_ERROR_NONE;
    rf_relay_advance(r);
    if (failed && !r->begun) {
        write_refusal(r);
        return;
    }
    rf_relay_begin(r);
    if (failed)
        r->telling.how->fail(&r->telling);
    else
        r->telling.how->end(&r->telling);
}

/* Where this API has no word for why it stopped. What it said itself it can say again. */
static void take_failure(struct rf_responding *r)
{
    struct rf_answer *a = &r->telling.answer;
    struct rf_ending *e = &a->ending;
    bool said = a->own && e->stop_original.n;
    if (e->error.kind != RF_ERROR_NONE || said || !r->telling.how->fails_on[e->stop])
        return;
    const char *why = e->stop == RF_STOP_MALFORMED ? "the model wrote a call that cannot be read"
                                                   : "the model stopped with an error";
    struct rf_str word = e->stop_original;
    e->error = (struct rf_refusal){
        .kind = RF_ERROR_OTHER,
        .words = word.n ? rf_strf(r->arena, "%s: %.*s", why, RF_FMT(word)) : rf_str(why),
        .retry_after_ms = -1,
    };
}

static void finish(struct rf_responding *r, const struct rf_message *m)
{
    struct rf_answer *a = &r->telling.answer;
    r->done = true;
    if (m && m->ending)
        a->ending = *m->ending;
    take_failure(r);
    if (r->how.stream && m)
        take_message(r, m);
    for (size_t i = 0; i < r->count; i++)
        if (r->parts[i].ended)
            rf_relayed_settle(r, &r->parts[i]);
        else
            end_part(r, &r->parts[i]);
    if (r->how.stream)
        finish_stream(r);
    else if (a->ending.error.kind != RF_ERROR_NONE)
        write_refusal(r);
    else {
        rf_answer_settle(&r->telling);
        gather_blocks(r, m);
        write_body(r, r->telling.how->body);
    }
}

void rf_responding_begin(struct rf_responding *r)
{
    size_t before = r->out.n;
    rf_relay_begin(r);
    r->out.n = before;
}

void rf_responding_event(struct rf_responding *r, const struct rf_event *e)
{
    struct rf_answer *a = &r->telling.answer;
    if (r->done || r->reply.failed || r->out.full)
        return;
    switch (e->type) {
    case RF_EVENT_BEGIN:
        a->ending.id = rf_str_dup(r->arena, e->id);
        a->ending.model = rf_str_dup(r->arena, e->name);
        return;
    case RF_EVENT_BLOCK_START:
    case RF_EVENT_TEXT:
    case RF_EVENT_THINKING:
    case RF_EVENT_ARGUMENTS:
    case RF_EVENT_SIGNATURE:
    case RF_EVENT_CITATION:
    case RF_EVENT_MEDIA:
    case RF_EVENT_BLOCK_END:
        take_block_event(r, e);
        return;
    case RF_EVENT_USAGE:
        a->ending.usage = e->usage ? *e->usage : rf_no_usage;
        return;
    case RF_EVENT_STOP:
        a->ending.stop = e->stop;
        a->ending.stop_original = rf_str_dup(r->arena, e->text);
        return;
    case RF_EVENT_ERROR:
        take_error(r, e);
        return;
    case RF_EVENT_DONE:
        finish(r, e->reply);
        return;
    }
}

struct rf_str rf_responding_bytes(struct rf_responding *r)
{
    struct rf_str all = { r->out.n ? r->out.p : "", r->out.n };
    r->out.n = 0;
    return all;
}

size_t rf_responding_lost(const struct rf_responding *r, const struct rf_str **lines)
{
    *lines = r->telling.answer.lost;
    return r->telling.answer.lost_count;
}

int rf_responding_status(const struct rf_responding *r)
{
    return r->status;
}

const struct rf_refusal *rf_responding_error(const struct rf_responding *r)
{
    return &r->telling.answer.ending.error;
}

enum rf_code rf_responding_failed(const struct rf_responding *r, struct rf_err *err)
{
    if (r->reply.failed && err)
        *err = *r->reply.err;
    if (r->reply.failed)
        return r->reply.failed;
    return r->out.full ? rf_fail(err, RF_ELIMIT, "the reply is over the limit of %zu bytes",
                                 (size_t)RF_MAX_REPLY_BYTES)
                       : RF_OK;
}
