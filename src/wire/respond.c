/* Events in, the bytes of an API's reply out. See respond.h for the order that writers see. */
#include "wire/respond.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/limits.h"
#include "content/block.h"
#include "wire/phrases.h"
#include "wire/wire.h"

#include <sys/random.h>
#include <time.h>

#define ID_LETTERS 24
#define MOST_CITED ((size_t)64 << 20) /* bytes of a text, once for each of its citations */

/* A block on its way: what of it was written. */
struct part {
    struct rf_draft *draft;
    const struct rf_block *done; /* as far as its start or its end told it, or NULL */
    size_t start, written;       /* of its text: where what is open began; what was written */
    size_t closed;               /* its last place among the closed blocks, from 1; 0: none */
    const struct rf_block *told; /* as it was closed with the marks that go with its end, or NULL */
    bool opened, ended;
    bool complete; /* `done` came with its end */
    bool owes;     /* it was closed before all marks came */
};

struct rf_responding {
    struct rf_respond_how how;
    struct rf_arena *arena, *scratch;
    struct rf_reply reply; /* gathers the pieces */
    struct part *parts;    /* in the order of their starts */
    size_t count, cap;
    struct part *current; /* that the writer has open, or NULL */
    struct rf_buf out;
    struct rf_telling telling;
    struct rf_block *closed;
    size_t closed_cap;
    bool begun, done;
    int status;
};

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
        .framing = how->dialect->framing,
        .out = &r->out,
        .scratch = r->scratch,
        .answer = { .arena = a,
                    .model = how->model,
                    .own = how->own,
                    .created_s = time(NULL),
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

/* Messages of the stream */

struct rf_json *rf_tell_open(struct rf_telling *t)
{
    rf_arena_reset(t->scratch);
    rf_rope_init(&t->rope, t->scratch);
    rf_json_init(&t->json, &t->rope);
    rf_json_obj(&t->json, NULL);
    return &t->json;
}

static void send_message(struct rf_telling *t, const char *name, bool exception)
{
    struct rf_outgoing m = { .name = name, .exception = exception };
    rf_json_end(&t->json);
    if (rf_json_finish(&t->json, NULL) ||
        rf_rope_flatten(&t->rope, RF_MAX_REPLY_BYTES, t->scratch, &m.data, NULL)) {
        t->out->full = true;
        return;
    }
    rf_framing_write(t->framing, &m, t->out);
}

void rf_tell_close(struct rf_telling *t, const char *name)
{
    send_message(t, name, false);
}

void rf_tell_exception(struct rf_telling *t, const char *name)
{
    send_message(t, name, true);
}

void rf_tell_text(struct rf_telling *t, const char *text)
{
    rf_framing_write(t->framing, &(struct rf_outgoing){ .data = rf_str(text) }, t->out);
}

/* What writers ask */

const struct rf_jval *rf_answer_aside(const struct rf_answer *a, const struct rf_block *b)
{
    if (!a->own)
        return NULL;
    const struct rf_jval *v = b ? rf_jval_get(b->extra, "extra") : a->ending.extra;
    return v && v->type == RF_JOBJECT ? v : NULL;
}

const struct rf_jval *rf_answer_kept(const struct rf_answer *a, const struct rf_block *b,
                                     const char *name)
{
    return rf_jval_get(rf_answer_aside(a, b), name);
}

static bool has_any(const struct rf_answer *a, enum rf_block_type type)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->blocks[i].type == type)
            return true;
    return false;
}

struct rf_str rf_answer_stop(const struct rf_answer *a, const char *const words[])
{
    if (a->own && a->ending.stop_original.n)
        return a->ending.stop_original;
    const char *word = words[a->ending.stop];
    if (a->ending.stop == RF_STOP_TOOL || strcmp(word, words[RF_STOP_END]) == 0)
        word = words[has_any(a, RF_BLOCK_TOOL_CALL) ? RF_STOP_TOOL : RF_STOP_END];
    return rf_str(word);
}

bool rf_answer_file_is_here(const struct rf_media *m)
{
    return m->source.kind == RF_SOURCE_DATA;
}

int64_t rf_answer_count(int64_t n)
{
    return n < 0 ? 0 : n;
}

int64_t rf_answer_uncached(const struct rf_answer *a)
{
    const struct rf_usage *u = &a->ending.usage;
    int64_t n = rf_answer_count(u->input) - rf_answer_count(u->cached);
    n = rf_answer_count(n) - rf_answer_count(u->cache_write);
    return rf_answer_count(n);
}

int64_t rf_answer_total(const struct rf_answer *a)
{
    int64_t input = rf_answer_count(a->ending.usage.input), all;
    bool over = __builtin_add_overflow(input, rf_answer_count(a->ending.usage.output), &all);
    return over ? INT64_MAX : all;
}

/* All APIs have a name for requests that are wrong; bad files are one kind of these. */
const struct rf_error_words *rf_answer_error_words(const struct rf_answer *a,
                                                   const struct rf_error_words *errors)
{
    const struct rf_refusal *e = &a->ending.error;
    bool wrong = e->kind == RF_ERROR_OTHER && ((e->status >= 400 && e->status < 500) ||
                                               rf_phrase_is(RF_PHRASE_INVALID, e->code));
    return &errors[wrong ? RF_ERROR_BAD_MEDIA : e->kind];
}

struct rf_str rf_answer_error(const struct rf_answer *a, const struct rf_error_words *errors)
{
    const struct rf_refusal *e = &a->ending.error;
    return a->own && e->code.n ? e->code : rf_str(rf_answer_error_words(a, errors)->code);
}

struct rf_str rf_answer_new_id(const struct rf_answer *a, const char *prefix)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    unsigned char random[ID_LETTERS];
    char id[ID_LETTERS + 1] = "";
    if (getrandom(random, sizeof random, 0) != sizeof random)
        RF_BUG("the system has no random numbers");
    for (size_t i = 0; i < ID_LETTERS; i++)
        id[i] = letters[random[i] % (sizeof letters - 1)];
    return rf_strf(a->arena, "%s%s", prefix, id);
}

/* The whole reply */

static void settle_names(struct rf_responding *r)
{
    struct rf_answer *a = &r->telling.answer;
    if (!a->id.n)
        a->id = a->ending.id.n ? a->ending.id : rf_answer_new_id(a, r->telling.how->id);
    if (!a->model.n)
        a->model = a->ending.model;
}

static void write_body(struct rf_responding *r,
                       void (*write)(const struct rf_answer *a, struct rf_json *w))
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(r->scratch, struct rf_json);
    struct rf_str text;
    settle_names(r);
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
    r->status = rf_answer_error_words(&r->telling.answer, how->errors)->status;
    write_body(r, how->refusal);
}

/* What cannot be said */

/* Once, however often the block is looked at. */
static void lose(struct rf_responding *r, const struct rf_block *b, size_t index, const char *what)
{
    struct rf_answer *a = &r->telling.answer;
    const char *kind = rf_block_type_name(b->type);
    struct rf_str line = rf_strf(r->arena, "content[%zu] (%s): %s", index, kind, what);
    for (size_t i = 0; i < a->lost_count; i++)
        if (rf_str_eq(a->lost[i], line))
            return;
    *RF_PUSH(r->arena, a->lost, a->lost_count, a->lost_cap) = line;
}

static struct rf_block words_for(struct rf_responding *r, const struct rf_block *b)
{
    struct rf_block text = { .type = RF_BLOCK_TEXT, .text = b->text_fallback };
    const struct rf_media *m = &b->media;
    if (!text.text.n && b->type == RF_BLOCK_JSON)
        text.text = rf_jval_compact(b->value, r->arena);
    else if (!text.text.n && rf_block_is_media(b->type) && m->transcript.n)
        text.text = m->transcript;
    else if (!text.text.n && rf_block_is_media(b->type) && m->source.ref.n) {
        struct rf_str type = m->media_type.n ? m->media_type : RF_STR("unknown type");
        text.text = rf_strf(r->arena, "[%s: %.*s]", rf_block_type_name(b->type),
                            RF_FMT(m->source.kind == RF_SOURCE_URL ? m->source.ref : type));
    }
    return text;
}

static void leave_out(struct rf_responding *r, const struct rf_block *b, size_t index,
                      struct rf_str *mark, const char *what)
{
    if (mark->n)
        lose(r, b, index, what);
    *mark = RF_STR("");
}

static void leave_out_marks(struct rf_responding *r, struct rf_block *b, size_t index)
{
    const struct rf_replies *how = r->telling.how;
    bool many = b->citations && b->citations->count > MOST_CITED / (b->text.n + 1);
    if (many || (b->citations && !how->says_citations && !r->telling.answer.own)) {
        lose(r, b, index, many ? "too many citations are left out" : "its citations are left out");
        b->citations = NULL;
    }
    if (!how->signs_thoughts)
        leave_out(r, b, index, &b->thinking.signature, "its signature is left out");
    if (!how->signs_calls)
        leave_out(r, b, index, &b->call.signature, "its signature is left out");
    if (!how->says_redacted)
        leave_out(r, b, index, &b->thinking.redacted, "what is sealed in it is left out");
    if (!how->says_encrypted)
        leave_out(r, b, index, &b->thinking.encrypted, "what is sealed in it is left out");
}

/* Some APIs know no ids of calls. */
static void name_call(const struct rf_answer *a, size_t index, struct rf_block *b)
{
    if (b->type == RF_BLOCK_TOOL_CALL && !b->call.id.n && !a->own)
        b->call.id = rf_strf(a->arena, "call_%.*s_%zu", RF_FMT(a->id), index);
}

/* Arguments that are not an object, where nothing else can stand for them. */
static void lose_arguments(struct rf_responding *r, const struct rf_block *b, size_t index)
{
    const struct rf_replies *how = r->telling.how;
    if (b->type == RF_BLOCK_TOOL_CALL && rf_jval_get(b->extra, "malformed_arguments") &&
        (r->how.stream ? how->streams_objects : how->says_objects))
        lose(r, b, index, "its arguments are not a JSON object and left out");
}

/* A file must be there, or have an address. What an API said itself it can say again. */
static bool is_sayable_file(const struct rf_responding *r, const struct rf_media *m)
{
    const struct rf_replies *how = r->telling.how;
    bool known = m->source.kind == RF_SOURCE_DATA || m->source.kind == RF_SOURCE_URL;
    return known && m->source.ref.n &&
           (r->telling.answer.own || !how->says_file || how->says_file(m));
}

static bool is_sayable(const struct rf_responding *r, const struct rf_block *b)
{
    const struct rf_replies *how = r->telling.how;
    if (b->type == RF_BLOCK_OPAQUE &&
        (!rf_str_is(b->dialect, r->how.dialect->name) || b->value->type != RF_JOBJECT))
        return false;
    if (rf_block_is_media(b->type) && !is_sayable_file(r, &b->media))
        return false;
    if (b->type == RF_BLOCK_AUDIO && how->says_one_sound &&
        has_any(&r->telling.answer, RF_BLOCK_AUDIO))
        return false;
    return how->says[b->type];
}

/* Does it have anything but words? */
static bool has_marks(const struct rf_responding *r, const struct rf_block *b)
{
    const struct rf_thinking *t = &b->thinking;
    return b->citations || t->signature.n || t->redacted.n || t->encrypted.n ||
           rf_answer_aside(&r->telling.answer, b);
}

/* An empty text, or a thought whose seal was all that it had, of another API. */
static bool is_hollow(const struct rf_responding *r, const struct rf_block *b)
{
    if (r->telling.answer.own || (b->type != RF_BLOCK_TEXT && b->type != RF_BLOCK_THINKING))
        return false;
    return !b->text.n && !b->thinking.text.n && !has_marks(r, b);
}

/* A block as this dialect can say it: itself, or words for it; or nothing. */
static bool as_sayable(struct rf_responding *r, size_t index, struct rf_block *b)
{
    if (is_sayable(r, b)) {
        leave_out_marks(r, b, index);
        name_call(&r->telling.answer, index, b);
        lose_arguments(r, b, index);
        return !is_hollow(r, b);
    }
    struct rf_block text = words_for(r, b);
    lose(r, b, index, text.text.n ? "words stand for it" : "left out");
    *b = text;
    return text.text.n > 0;
}

/* Blocks of a stream */

static void begin(struct rf_responding *r)
{
    if (r->begun)
        return;
    r->begun = true;
    settle_names(r);
    r->telling.how->begin(&r->telling);
}

static struct rf_str said(const struct part *p)
{
    const struct rf_buf *b =
        p->draft->type == RF_BLOCK_TOOL_CALL ? &p->draft->arguments : &p->draft->text;
    return (struct rf_str){ b->n ? b->p : "", b->n };
}

static bool has_words(const struct part *p)
{
    enum rf_block_type type = p->draft->type;
    return type == RF_BLOCK_TEXT || type == RF_BLOCK_THINKING || type == RF_BLOCK_TOOL_CALL;
}

/* Is it written piece by piece, or when all of it is there? */
static bool comes_in_pieces(const struct rf_responding *r, const struct part *p)
{
    return has_words(p) && r->telling.how->says[p->draft->type];
}

/* Is there something of it to be written? */
static bool is_ready(const struct rf_responding *r, const struct part *p)
{
    bool call = p->draft->type == RF_BLOCK_TOOL_CALL;
    if (p->opened)
        return !call && comes_in_pieces(r, p) && (said(p).n > p->written || p->owes);
    return p->ended || (comes_in_pieces(r, p) && (call ? p->draft->started : said(p).n > 0));
}

/* Its words that are in what is open: a text that was interrupted has only its part of them. */
static struct rf_str words_of(const struct part *p)
{
    return (struct rf_str){ said(p).p + p->start, p->written - p->start };
}

/* What came in pieces counts before what a start said of the arguments, and before what the start
 * or the end said of the marks. */
static void add_pieces(const struct part *p, const struct rf_block *pieces, struct rf_arena *a,
                       struct rf_block *b)
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

static struct rf_block *block_of(struct rf_responding *r, const struct part *p)
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
    leave_out_marks(r, b, (size_t)(p - r->parts));
    name_call(&r->telling.answer, (size_t)(p - r->parts), b);
    return b;
}

static void add_closed(struct rf_responding *r, const struct rf_block *b)
{
    struct rf_answer *a = &r->telling.answer;
    *RF_PUSH(r->arena, r->closed, a->count, r->closed_cap) = *b;
    a->blocks = r->closed;
}

/* What this dialect cannot say is written as a text of its own, or not at all. */
static void write_words(struct rf_responding *r, struct part *p, struct rf_block b)
{
    p->written = said(p).n;
    if (!as_sayable(r, (size_t)(p - r->parts), &b))
        return;
    r->telling.how->open(&r->telling, &b);
    r->telling.how->piece(&r->telling, RF_EVENT_TEXT, b.text);
    add_closed(r, &b);
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

static void lose_late(struct rf_responding *r, const struct part *p)
{
    const struct rf_block b = { .type = p->draft->type };
    lose(r, &b, (size_t)(p - r->parts), "what came after its end is left out");
}

static void cite_late(struct rf_responding *r, struct part *p, const struct rf_jval *citations)
{
    const struct rf_replies *how = r->telling.how;
    if (!how->cite) {
        lose_late(r, p);
        return;
    }
    for (const struct rf_jval *c = rf_jval_first(citations); c; c = rf_jval_next(citations, c))
        how->cite(&r->telling, p->closed - 1, c);
}

/* What is known by now of a block that was closed: marks of a thought have a thought for
 * themselves, and so has what its own API keeps aside of a text that was interrupted. */
static void settle_closed(struct rf_responding *r, struct part *p)
{
    const struct rf_replies *how = r->telling.how;
    struct rf_block *closed = &r->closed[p->closed - 1], *now = block_of(r, p), more = *now;
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
        lose_late(r, p);
    p->told = now;
}

static void settle_late(struct rf_responding *r, struct part *p)
{
    if (p == r->current)
        return;
    if (p->closed)
        settle_closed(r, p);
    else
        p->owes = p->opened && has_marks(r, block_of(r, p));
}

static void open_part(struct rf_responding *r, struct part *p)
{
    begin(r);
    p->start = p->written;
    p->opened = true;
    p->owes = false;
    struct rf_block *b = block_of(r, p);
    leave_out_told(b, p->told, r->arena);
    if (!is_sayable(r, b)) {
        write_words(r, p, *b);
    } else if (!is_hollow(r, b) || said(p).n > p->written) {
        r->current = p;
        r->telling.how->open(&r->telling, b);
    }
}

static void write_pieces(struct rf_responding *r)
{
    struct part *p = r->current;
    struct rf_str words = said(p);
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
    struct part *p = r->current;
    struct rf_block *all = block_of(r, p), b = *all;
    if (p->ended) {
        leave_out_told(&b, p->told, r->arena);
        p->told = all;
    } else {
        b.citations = b.extra = NULL;
        b.thinking.signature = b.thinking.redacted = b.thinking.encrypted = RF_STR("");
    }
    lose_arguments(r, &b, (size_t)(p - r->parts));
    add_closed(r, &b);
    p->closed = r->telling.answer.count;
    r->telling.how->close(&r->telling, &b);
    r->current = NULL;
}

static struct part *next_ready(const struct rf_responding *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (&r->parts[i] != r->current && is_ready(r, &r->parts[i]))
            return &r->parts[i];
    return NULL;
}

static void advance(struct rf_responding *r)
{
    for (;;) {
        struct part *next = next_ready(r);
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

static struct part *part_at(const struct rf_responding *r, size_t number)
{
    for (size_t i = r->count; i-- > 0;)
        if ((size_t)r->parts[i].draft->number == number)
            return &r->parts[i];
    return NULL;
}

/* NULL where the event says of no block what it is. */
static struct part *part_of(struct rf_responding *r, const struct rf_event *e)
{
    enum rf_block_type type;
    struct part *known = part_at(r, e->block);
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
    struct part *p = RF_PUSH(r->arena, r->parts, r->count, r->cap);
    if (r->current)
        r->current = &r->parts[current];
    *p = (struct part){ .draft = d };
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

static bool take_done(struct rf_responding *r, struct part *p, const struct rf_event *e)
{
    if (!e->done || e->done->type != p->draft->type)
        return false;
    struct rf_block *copy = RF_NEW(r->arena, struct rf_block);
    *copy = rf_block_copy(e->done, r->arena);
    spell_bytes(copy, r->arena);
    p->done = copy;
    return true;
}

static void start_part(struct rf_responding *r, struct part *p, const struct rf_event *e)
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
static void take_words(struct rf_responding *r, struct part *p, const struct rf_event *e)
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
static void end_part(struct rf_responding *r, struct part *p)
{
    const struct rf_block *b = p->done;
    if (b && b->type == RF_BLOCK_TOOL_CALL && !p->draft->arguments.n)
        rf_draft_arguments(&r->reply, p->draft, rf_call_arguments(b, r->arena));
    else if (!b && p->draft->type == RF_BLOCK_TOOL_CALL && rf_str_blank(said(p)))
        rf_draft_arguments(&r->reply, p->draft, RF_STR("{}"));
    else if (b && has_words(p) && !said(p).n)
        rf_draft_text(&r->reply, p->draft, b->type == RF_BLOCK_TEXT ? b->text : b->thinking.text);
    if (b)
        take_marks(r, p->draft, b);
    p->ended = true;
    settle_late(r, p);
}

static void take_block_event(struct rf_responding *r, const struct rf_event *e)
{
    struct part *p = part_of(r, e);
    bool has_text = p && has_words(p) && p->draft->type != RF_BLOCK_TOOL_CALL;
    if (!p)
        return;
    if (p->ended && !has_text && e->type != RF_EVENT_SIGNATURE) {
        if (e->text.n || e->url.n)
            lose_late(r, p);
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
        advance(r);
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
            r->parts[i].written = said(&r->parts[i]).n;
            b = *block_of(r, &r->parts[i]);
        }
        if (as_sayable(r, i, &b))
            add_closed(r, &b);
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
static void take_last_words(struct rf_responding *r, struct part *p, struct rf_str all)
{
    struct rf_str told = said(p);
    bool goes_on = all.n >= told.n && rf_str_eq(told, (struct rf_str){ all.p, told.n });
    if (r->telling.how->amend && p->closed && p != r->current && !p->start) {
        p->draft->text.n = 0;
        rf_draft_text(&r->reply, p->draft, all);
        p->written = all.n;
    } else if (goes_on)
        rf_draft_text(&r->reply, p->draft, (struct rf_str){ all.p + told.n, all.n - told.n });
    else
        lose_late(r, p);
}

/* The block as it ended: it counts before what pieces said of its marks. */
static void take_last(struct rf_responding *r, struct part *p, const struct rf_block *b)
{
    const struct rf_event end = { .done = b };
    p->complete = take_done(r, p, &end);
    if (!p->complete) {
        lose_late(r, p);
        return;
    }
    p->draft->citations.n = p->draft->signature.n = 0;
    if (has_words(p) && p->draft->type != RF_BLOCK_TOOL_CALL)
        take_last_words(r, p, b->type == RF_BLOCK_TEXT ? b->text : b->thinking.text);
}

static void take_message(struct rf_responding *r, const struct rf_message *m)
{
    const size_t *opened = m->ending ? m->ending->opened : NULL;
    for (size_t i = 0; i < m->block_count; i++) {
        size_t number = opened ? opened[i] : i;
        struct part *p = part_at(r, number);
        if (p)
            take_last(r, p, &m->blocks[i]);
        else
            tell_untold(r, number, &m->blocks[i]);
    }
}

static void finish_stream(struct rf_responding *r)
{
    bool failed = r->telling.answer.ending.error.kind != RF_ERROR_NONE;
    advance(r);
    if (failed && !r->begun) {
        write_refusal(r);
        return;
    }
    begin(r);
    if (failed)
        r->telling.how->fail(&r->telling);
    else
        r->telling.how->end(&r->telling);
}

static void finish(struct rf_responding *r, const struct rf_message *m)
{
    struct rf_answer *a = &r->telling.answer;
    r->done = true;
    if (m && m->ending)
        a->ending = *m->ending;
    if (r->how.stream && m)
        take_message(r, m);
    for (size_t i = 0; i < r->count; i++)
        if (r->parts[i].ended)
            settle_late(r, &r->parts[i]);
        else
            end_part(r, &r->parts[i]);
    if (r->how.stream)
        finish_stream(r);
    else if (a->ending.error.kind != RF_ERROR_NONE)
        write_refusal(r);
    else {
        settle_names(r);
        gather_blocks(r, m);
        write_body(r, r->telling.how->body);
    }
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

int64_t rf_responding_retry_after_ms(const struct rf_responding *r)
{
    return r->telling.answer.ending.error.retry_after_ms;
}

enum rf_code rf_responding_failed(const struct rf_responding *r, struct rf_err *err)
{
    if (r->reply.failed && err)
        *err = r->reply.err;
    if (r->reply.failed)
        return r->reply.failed;
    return r->out.full ? rf_fail(err, RF_ELIMIT, "the reply is over the limit of %zu bytes",
                                 (size_t)RF_MAX_REPLY_BYTES)
                       : RF_OK;
}
