/* Blocks on their way out, one after the other: see relay.h. */
#include "wire/relay.h"

#include "base/arena.h"
#include "base/limits.h"
#include "content/block.h"
#include "content/call_id.h"
#include "wire/sayable.h"

void rf_relay_begin(struct rf_responding *r)
{
    if (r->begun)
        return;
    r->begun = true;
    rf_answer_settle(&r->telling);
    r->telling.how->begin(&r->telling);
}

struct rf_str rf_relayed_said(const struct rf_relayed *p)
{
    const struct rf_buf *b =
        p->draft->type == RF_BLOCK_TOOL_CALL ? &p->draft->arguments : &p->draft->text;
    return (struct rf_str){ b->n ? b->p : "", b->n };
}

bool rf_relayed_has_words(const struct rf_relayed *p)
{
    enum rf_block_type type = p->draft->type;
    return type == RF_BLOCK_TEXT || type == RF_BLOCK_THINKING || type == RF_BLOCK_TOOL_CALL;
}

/* Is it written piece by piece, or when all of it is there? */
static bool comes_in_pieces(const struct rf_responding *r, const struct rf_relayed *p)
{
    return rf_relayed_has_words(p) && r->telling.how->says[p->draft->type];
}

/* A call whose arguments must be an object. */
static bool goes_whole(const struct rf_responding *r, const struct rf_relayed *p)
{
    return p->draft->type == RF_BLOCK_TOOL_CALL && r->telling.how->streams_objects;
}

/* Is there something of it to be written? */
static bool is_ready(const struct rf_responding *r, const struct rf_relayed *p)
{
    bool call = p->draft->type == RF_BLOCK_TOOL_CALL;
    if (p->opened)
        return !call && comes_in_pieces(r, p) && (rf_relayed_said(p).n > p->written || p->owes);
    if (call && r->how.marked_late && r->telling.how->marks_ids)
        return p->ended; /* its id is known with its mark */
    if (goes_whole(r, p))
        return p->ended;
    return p->ended ||
           (comes_in_pieces(r, p) && (call ? p->draft->started : rf_relayed_said(p).n > 0));
}

/* Its words that are in what is open: a text that was interrupted has only its part of them. */
static struct rf_str words_of(const struct rf_relayed *p)
{
    return (struct rf_str){ rf_relayed_said(p).p + p->start, p->written - p->start };
}

/* What came in pieces counts before what a start said of the arguments, and before what the start
 * or the end said of the marks. */
static void add_pieces(const struct rf_relayed *p, const struct rf_block *pieces,
                       struct rf_arena *a, struct rf_block *b)
{
    if (pieces->citations)
        b->citations = pieces->citations;
    if (pieces->thinking.signature.n)
        b->thinking.signature = pieces->thinking.signature;
    if (pieces->call.signature.n)
        b->call.signature = pieces->call.signature;
    if (p->complete || !p->draft->arguments.n)
        return;
    const struct rf_jmember extra[] = {
        { "malformed_arguments", rf_jval_get(pieces->extra, "malformed_arguments") },
        { "extra", rf_jval_get(b->extra, "extra") },
    };
    b->call.arguments = pieces->call.arguments;
    b->extra = rf_jval_object(extra, 2, a);
}

struct rf_block *rf_relayed_block(struct rf_responding *r, const struct rf_relayed *p)
{
    struct rf_block *b = RF_NEW(r->arena, struct rf_block), pieces = { 0 };
    if (p->draft->type != RF_BLOCK_JSON)
        rf_draft_block(p->draft, r->reply.origin.dialect, r->arena, &pieces);
    *b = p->done ? *p->done : pieces;
    if (p->done)
        add_pieces(p, &pieces, r->arena, b);
    if (b->type == RF_BLOCK_TEXT)
        b->text = words_of(p);
    if (b->type == RF_BLOCK_THINKING)
        b->thinking.text = words_of(p);
    if (p->start) /* its id went with the first of them */
        b->thinking.id = RF_STR("");
    if (p->bare && b->call.signature.n) {
        rf_sayable_lose(&r->telling, b, (size_t)(p - r->parts), "its signature is left out");
        b->call.signature = RF_STR("");
    }
    rf_sayable_marks(&r->telling, b, (size_t)(p - r->parts));
    return b;
}

void rf_relay_add(struct rf_responding *r, const struct rf_block *b)
{
    struct rf_answer *a = &r->telling.answer;
    *RF_PUSH(r->arena, r->closed, a->count, r->closed_cap) = *b;
    a->blocks = r->closed;
}

/* What this dialect cannot say is written as a text of its own, or not at all. */
static void write_words(struct rf_responding *r, struct rf_relayed *p, struct rf_block b)
{
    p->written = rf_relayed_said(p).n;
    if (!rf_sayable_as(&r->telling, &b, (size_t)(p - r->parts)))
        return;
    r->telling.how->open(&r->telling, &b);
    r->telling.how->piece(&r->telling, RF_EVENT_TEXT, b.text);
    rf_relay_add(r, &b);
    r->telling.how->close(&r->telling, &b);
}

/* What comes late */

static bool same_value(const struct rf_jval *x, const struct rf_jval *y, struct rf_arena *a)
{
    return x && y ? rf_str_eq(rf_jval_compact(x, a), rf_jval_compact(y, a)) : x == y;
}

static bool is_same(const struct rf_responding *r, const struct rf_block *was,
                    const struct rf_block *now)
{
    const struct rf_answer *a = &r->telling.answer;
    const struct rf_thinking *t = &was->thinking, *u = &now->thinking;
    return rf_str_eq(was->text, now->text) && rf_str_eq(t->text, u->text) &&
           rf_str_eq(t->id, u->id) && rf_str_eq(t->signature, u->signature) &&
           rf_str_eq(t->redacted, u->redacted) && rf_str_eq(t->encrypted, u->encrypted) &&
           rf_str_eq(was->call.signature, now->call.signature) &&
           rf_str_eq(rf_call_arguments(was, r->scratch), rf_call_arguments(now, r->scratch)) &&
           same_value(was->citations, now->citations, r->scratch) &&
           same_value(was->value, now->value, r->scratch) &&
           same_value(rf_answer_aside(a, was), rf_answer_aside(a, now), r->scratch);
}

/* All but the first ones; NULL where there are no more. */
static const struct rf_jval *citations_after(const struct rf_jval *list, uint32_t count,
                                             struct rf_arena *a)
{
    const struct rf_jval *rest = NULL;
    struct rf_buf b;
    if (!list || !count)
        return list;
    rf_buf_init(&b, a, RF_MAX_REPLY_BYTES);
    for (const struct rf_jval *c = rf_jval_first(list); c; c = rf_jval_next(list, c)) {
        if (count) {
            count--;
            continue;
        }
        rf_buf_addc(&b, b.n ? ',' : '[');
        rf_buf_add(&b, rf_jval_compact(c, a));
    }
    rf_buf_addc(&b, ']');
    return b.n > 1 && !rf_jval_parse((struct rf_str){ b.p, b.n }, a, &rest, NULL) ? rest : NULL;
}

/* A mark that was told stays as it was told. */
static void leave_out_told(struct rf_block *b, const struct rf_block *told, struct rf_arena *a)
{
    if (!told)
        return;
    if (told->thinking.signature.n)
        b->thinking.signature = RF_STR("");
    if (told->thinking.redacted.n)
        b->thinking.redacted = RF_STR("");
    if (told->thinking.encrypted.n)
        b->thinking.encrypted = RF_STR("");
    b->citations = citations_after(b->citations, told->citations ? told->citations->count : 0, a);
}

void rf_relayed_lose(struct rf_responding *r, const struct rf_relayed *p)
{
    const struct rf_block b = { .type = p->draft->type };
    rf_sayable_lose(&r->telling, &b, (size_t)(p - r->parts), "what came after its end is left out");
}

static void cite_late(struct rf_responding *r, struct rf_relayed *p,
                      const struct rf_jval *citations)
{
    const struct rf_replies *how = r->telling.how;
    if (!how->cite) {
        rf_relayed_lose(r, p);
        return;
    }
    for (const struct rf_jval *c = rf_jval_first(citations); c; c = rf_jval_next(citations, c))
        how->cite(&r->telling, p->closed - 1, c);
}

/* What is known by now of a block that was closed: marks of a thought have a thought for
 * themselves, and so has what its own API keeps aside of a text that was interrupted. */
static void settle_closed(struct rf_responding *r, struct rf_relayed *p)
{
    const struct rf_replies *how = r->telling.how;
    struct rf_block *closed = &r->closed[p->closed - 1], *now = rf_relayed_block(r, p), more = *now;
    if (is_same(r, p->told ? p->told : closed, now))
        return;
    leave_out_told(&more, p->told, r->arena);
    const struct rf_thinking *t = &more.thinking;
    bool sealed = t->signature.n || t->redacted.n || t->encrypted.n;
    if (how->amend) {
        *closed = *now;
        how->amend(&r->telling, p->closed - 1);
    } else if (sealed || (!p->told && r->telling.answer.own)) {
        p->owes = true;
        return;
    } else if (more.citations) {
        closed->citations = now->citations;
        cite_late(r, p, more.citations);
    } else
        rf_relayed_lose(r, p);
    p->told = now;
}

void rf_relayed_settle(struct rf_responding *r, struct rf_relayed *p)
{
    if (p == r->current)
        return;
    if (p->closed)
        settle_closed(r, p);
    else
        p->owes = p->opened && rf_sayable_has_marks(&r->telling, rf_relayed_block(r, p));
}

static void open_part(struct rf_responding *r, struct rf_relayed *p)
{
    rf_relay_begin(r);
    p->start = p->written;
    p->opened = true;
    p->owes = false;
    struct rf_block *b = rf_relayed_block(r, p);
    p->bare = r->telling.how->marks_ids && !r->telling.answer.own &&
              rf_call_id_plain(b->call.id).n == b->call.id.n;
    leave_out_told(b, p->told, r->arena);
    if (!rf_sayable_is(&r->telling, b)) {
        write_words(r, p, *b);
    } else if (!rf_sayable_is_hollow(&r->telling, b) || rf_relayed_said(p).n > p->written) {
        r->current = p;
        r->telling.how->open(&r->telling, b);
    }
}

static void write_pieces(struct rf_responding *r)
{
    struct rf_relayed *p = r->current;
    struct rf_str words = rf_relayed_said(p);
    enum rf_event_type type = p->draft->type == RF_BLOCK_TOOL_CALL  ? RF_EVENT_ARGUMENTS
                              : p->draft->type == RF_BLOCK_THINKING ? RF_EVENT_THINKING
                                                                    : RF_EVENT_TEXT;
    if (!comes_in_pieces(r, p) || words.n == p->written)
        return;
    struct rf_str piece = { words.p + p->written, words.n - p->written };
    p->written = words.n;
    r->telling.how->piece(&r->telling, type, piece);
}

/* What belongs to all of a block that is interrupted goes with its last part. */
static void close_part(struct rf_responding *r)
{
    struct rf_relayed *p = r->current;
    struct rf_block *all = rf_relayed_block(r, p), b = *all;
    if (p->ended) {
        leave_out_told(&b, p->told, r->arena);
        p->told = all;
    } else {
        b.citations = b.extra = NULL;
        b.thinking.signature = b.thinking.redacted = b.thinking.encrypted = RF_STR("");
        rf_sayable_marks(&r->telling, &b, (size_t)(p - r->parts)); /* whose it is, goes with each */
    }
    rf_sayable_arguments(&r->telling, &b);
    rf_relay_add(r, &b);
    p->closed = r->telling.answer.count;
    r->telling.how->close(&r->telling, &b);
    r->current = NULL;
}

/* What comes after a call that goes as a whole waits for it. */
static struct rf_relayed *next_ready(const struct rf_responding *r)
{
    for (size_t i = 0; i < r->count; i++) {
        struct rf_relayed *p = &r->parts[i];
        if (p != r->current && is_ready(r, p))
            return p;
        if (goes_whole(r, p) && p->draft->started && !p->ended)
            return NULL;
    }
    return NULL;
}

void rf_relay_advance(struct rf_responding *r)
{
    for (;;) {
        struct rf_relayed *next = next_ready(r);
        if (r->current) {
            write_pieces(r);
            if (!r->current->ended && (!next || r->current->draft->type == RF_BLOCK_TOOL_CALL))
                return;
            close_part(r);
        } else if (next)
            open_part(r, next);
        else
            return;
    }
}
