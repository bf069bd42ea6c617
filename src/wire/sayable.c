/* What an API cannot say of a reply: see sayable.h. */
#include "wire/sayable.h"

#include "base/arena.h"
#include "content/block.h"
#include "content/call_id.h"
#include "content/seal.h"
#include "wire/wire.h"

#define MOST_CITED ((size_t)64 << 20) /* bytes of a text, once for each of its citations */

void rf_sayable_lose(struct rf_telling *t, const struct rf_block *b, size_t index, const char *what)
{
    struct rf_answer *a = &t->answer;
    const char *kind = rf_block_type_name(b->type);
    struct rf_str line = rf_strf(a->arena, "content[%zu] (%s): %s", index, kind, what);
    for (size_t i = 0; i < a->lost_count; i++)
        if (rf_str_eq(a->lost[i], line))
            return;
    *RF_PUSH(a->arena, a->lost, a->lost_count, a->lost_cap) = line;
}

static bool is_unreadable(const struct rf_block *b)
{
    return b->type == RF_BLOCK_TOOL_CALL && rf_jval_get(b->extra, "malformed_arguments");
}

static struct rf_block words_for(struct rf_telling *t, const struct rf_block *b)
{
    struct rf_block text = { .type = RF_BLOCK_TEXT, .text = b->text_fallback };
    const struct rf_media *m = &b->media;
    if (is_unreadable(b))
        text.text = rf_strf(t->answer.arena,
                            "[%.*s was called with arguments that are not a JSON object: %.*s]",
                            RF_FMT(b->call.name), RF_FMT(rf_call_arguments(b, t->answer.arena)));
    else if (!text.text.n && b->type == RF_BLOCK_JSON)
        text.text = rf_jval_compact(b->value, t->answer.arena);
    else if (!text.text.n && rf_block_is_media(b->type) && m->transcript.n)
        text.text = m->transcript;
    else if (!text.text.n && rf_block_is_media(b->type) && m->source.ref.n) {
        struct rf_str type = m->media_type.n ? m->media_type : RF_STR("unknown type");
        text.text = rf_strf(t->answer.arena, "[%s: %.*s]", rf_block_type_name(b->type),
                            RF_FMT(m->source.kind == RF_SOURCE_URL ? m->source.ref : type));
    }
    return text;
}

static void leave_out(struct rf_telling *t, const struct rf_block *b, size_t index,
                      struct rf_str *mark, const char *what)
{
    if (mark->n)
        rf_sayable_lose(t, b, index, what);
    *mark = RF_STR("");
}

/* Some APIs know no ids of calls. */
static void name_call(const struct rf_answer *a, size_t index, struct rf_block *b)
{
    if (b->type == RF_BLOCK_TOOL_CALL && !b->call.id.n && !a->own)
        b->call.id = rf_strf(a->arena, "call_%.*s_%zu", RF_FMT(a->id), index);
}

/* Models that count their calls anew in each reply may lose count in one. The second call of an id
 * gets one of its own, the same one however often it is looked at. */
static void tell_apart(struct rf_telling *t, size_t index, struct rf_block *b)
{
    struct rf_arena *a = t->answer.arena;
    if (b->type != RF_BLOCK_TOOL_CALL || !b->call.id.n || t->answer.own)
        return;
    while (t->told_count <= index)
        *RF_PUSH(a, t->told, t->told_count, t->told_cap) = (struct rf_told_call){ 0 };
    if (!t->ids.arena)
        rf_ids_init(&t->ids, a);
    struct rf_told_call *told = &t->told[index];
    if (!told->given.n || !rf_str_eq(told->id, b->call.id)) {
        told->id = rf_str_dup(a, b->call.id);
        told->given = rf_ids_call_back(&t->ids, RF_IDS_SEALED, told->id, 0, index);
    }
    b->call.id = told->given;
}

/* Whoever sends the id back brings the mark along. */
static void mark_id(const struct rf_answer *a, struct rf_block *b)
{
    struct rf_str marked = rf_call_id_marked(b->call.id, b->call.signature, a->arena);
    if (!marked.n)
        return;
    b->call.id = marked;
    b->call.signature = RF_STR("");
}

/* The marks of another API's thought, where this one has a single place for them. */
static void seal(const struct rf_telling *t, struct rf_block *b)
{
    const struct rf_answer *a = &t->answer;
    struct rf_thinking *thought = &b->thinking;
    bool marked = thought->signature.n || thought->redacted.n || thought->encrypted.n;
    bool worth = marked || (t->how->seals == RF_SEALS_ALL && thought->text.n);
    if (b->type != RF_BLOCK_THINKING || t->how->seals == RF_SEALS_NOWHERE || a->own || !worth)
        return;
    struct rf_str sealed = rf_seal_make(a->provider, a->said_by, thought, a->arena);
    if (!sealed.n)
        return;
    bool encrypts = t->how->seals == RF_SEALS_AS_ENCRYPTED;
    thought->redacted = RF_STR("");
    thought->signature = encrypts ? RF_STR("") : sealed;
    thought->encrypted = encrypts ? sealed : RF_STR("");
}

void rf_sayable_marks(struct rf_telling *t, struct rf_block *b, size_t index)
{
    const struct rf_replies *how = t->how;
    bool many = b->citations && b->citations->count > MOST_CITED / (b->text.n + 1);
    if (many || (b->citations && !how->says_citations && !t->answer.own)) {
        rf_sayable_lose(t, b, index,
                        many ? "too many citations are left out" : "its citations are left out");
        b->citations = NULL;
    }
    seal(t, b);
    if (!how->signs_thoughts)
        leave_out(t, b, index, &b->thinking.signature, "its signature is left out");
    name_call(&t->answer, index, b);
    tell_apart(t, index, b);
    if (how->word_ids && !t->answer.own)
        b->call.id = rf_call_id_word(b->call.id, t->answer.arena);
    if (how->marks_ids && b->type == RF_BLOCK_TOOL_CALL && !t->answer.own)
        mark_id(&t->answer, b);
    if (!how->signs_calls)
        leave_out(t, b, index, &b->call.signature, "its signature is left out");
    if (!how->says_redacted)
        leave_out(t, b, index, &b->thinking.redacted, "what is sealed in it is left out");
    if (!how->says_encrypted)
        leave_out(t, b, index, &b->thinking.encrypted, "what is sealed in it is left out");
}

void rf_sayable_arguments(struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_replies *how = t->how;
    if (is_unreadable(b) && how->says_objects)
        t->answer.unreadable =
            how->fails_on[RF_STOP_MALFORMED] ? RF_STOP_LENGTH : RF_STOP_MALFORMED;
}

/* A file must be there, or have an address. What an API said itself it can say again. */
static bool is_sayable_file(const struct rf_telling *t, const struct rf_media *m)
{
    const struct rf_replies *how = t->how;
    bool known = m->source.kind == RF_SOURCE_DATA || m->source.kind == RF_SOURCE_URL;
    return known && m->source.ref.n && (t->answer.own || !how->says_file || how->says_file(m));
}

bool rf_sayable_is(const struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_replies *how = t->how;
    if (b->type == RF_BLOCK_OPAQUE &&
        (!rf_str_is(b->dialect, t->dialect->name) || b->value->type != RF_JOBJECT))
        return false;
    if (rf_block_is_media(b->type) && !is_sayable_file(t, &b->media))
        return false;
    if (b->type == RF_BLOCK_AUDIO && how->says_one_sound &&
        rf_answer_has(&t->answer, RF_BLOCK_AUDIO))
        return false;
    if (is_unreadable(b) && (t->streams ? how->streams_objects : how->says_objects))
        return false;
    return how->says[b->type];
}

bool rf_sayable_has_marks(const struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_thinking *seals = &b->thinking;
    return b->citations || seals->signature.n || seals->redacted.n || seals->encrypted.n ||
           rf_answer_aside(&t->answer, b);
}

bool rf_sayable_is_hollow(const struct rf_telling *t, const struct rf_block *b)
{
    if (t->answer.own || (b->type != RF_BLOCK_TEXT && b->type != RF_BLOCK_THINKING))
        return false;
    return !b->text.n && !b->thinking.text.n && !rf_sayable_has_marks(t, b);
}

bool rf_sayable_as(struct rf_telling *t, struct rf_block *b, size_t index)
{
    rf_sayable_arguments(t, b);
    if (rf_sayable_is(t, b)) {
        rf_sayable_marks(t, b, index);
        return !rf_sayable_is_hollow(t, b);
    }
    struct rf_block text = words_for(t, b);
    rf_sayable_lose(t, b, index, text.text.n ? "words stand for it" : "left out");
    *b = text;
    return text.text.n > 0;
}
