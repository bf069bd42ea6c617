/* What writers of replies stand on: the messages of a stream, and what they ask of the answer. */
#include "wire/respond.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "wire/phrases.h"
#include "wire/wire.h"

#include <sys/random.h>

#define ID_LETTERS 24

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
    rf_framing_write(t->dialect->framing, &m, t->out);
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
    rf_framing_write(t->dialect->framing, &(struct rf_outgoing){ .data = rf_str(text) }, t->out);
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

bool rf_answer_has(const struct rf_answer *a, enum rf_block_type type)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->blocks[i].type == type)
            return true;
    return false;
}

bool rf_answer_refuses(const struct rf_block *b)
{
    const struct rf_jval *v = rf_jval_get(rf_jval_get(b->extra, "extra"), "refusal");
    return b->type == RF_BLOCK_TEXT && v && v->type == RF_JTRUE;
}

bool rf_answer_is_refused(const struct rf_answer *a)
{
    bool any = false;
    for (size_t i = 0; i < a->count; i++)
        any |= rf_answer_refuses(&a->blocks[i]);
    return any && a->ending.stop == RF_STOP_REFUSED;
}

static bool are_words(const struct rf_jval *v, struct rf_str text, int64_t start, int64_t end,
                      struct rf_arena *a)
{
    size_t from = rf_utf8_offset(text, start);
    struct rf_str there = { text.p + from, rf_utf8_offset(text, end) - from };
    return v && v->type == RF_JSTRING && there.n && rf_str_eq(rf_jval_text(v, a), there);
}

void rf_answer_cited(const struct rf_answer *a, struct rf_str text, const struct rf_jval *citation,
                     int64_t *start, int64_t *end)
{
    int64_t from = rf_reply_count(rf_jval_get(citation, "start"));
    int64_t to = rf_reply_count(rf_jval_get(citation, "end"));
    bool counts = from >= 0 && to >= from &&
                  (rf_jval_get(citation, "url") ||
                   are_words(rf_jval_get(citation, "text"), text, from, to, a->arena));
    *start = counts ? from : 0;
    *end = counts ? to : rf_utf8_count(text);
}

const struct rf_tool *rf_answer_tool(const struct rf_answer *a, const struct rf_block *b)
{
    for (size_t i = 0; i < a->tool_count; i++)
        if (rf_str_eq(a->tools[i].name, b->call.name))
            return &a->tools[i];
    return NULL;
}

struct rf_str rf_answer_stop(const struct rf_answer *a, const char *const words[])
{
    enum rf_stop stop = a->ending.stop;
    if (a->unreadable && stop != RF_STOP_LENGTH)
        return rf_str(words[a->unreadable]);
    if (a->own && a->ending.stop_original.n)
        return a->ending.stop_original;
    const char *word = words[stop];
    if (stop == RF_STOP_TOOL || strcmp(word, words[RF_STOP_END]) == 0)
        word = words[rf_answer_has(a, RF_BLOCK_TOOL_CALL) ? RF_STOP_TOOL : RF_STOP_END];
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
    if (e->kind == RF_ERROR_OTHER && (a->status ? a->status : e->status) == 504)
        return &errors[RF_ERROR_WORDS_LATE];
    bool wrong = e->kind == RF_ERROR_OTHER && ((e->status >= 400 && e->status < 500) ||
                                               rf_phrase_is(RF_PHRASE_INVALID, e->code));
    return &errors[wrong ? RF_ERROR_BAD_MEDIA : e->kind];
}

int rf_answer_error_status(const struct rf_answer *a, const struct rf_error_words *errors)
{
    return a->status ? a->status : rf_answer_error_words(a, errors)->status;
}

struct rf_str rf_answer_error(const struct rf_answer *a, const struct rf_error_words *errors)
{
    const struct rf_refusal *e = &a->ending.error;
    return a->own && e->code.n ? e->code : rf_str(rf_answer_error_words(a, errors)->code);
}

bool rf_answer_error_is_code(struct rf_str name)
{
    return rf_wire_error_kind(0, name, RF_STR("")) != RF_ERROR_OTHER;
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

void rf_answer_settle(struct rf_telling *t)
{
    struct rf_answer *a = &t->answer;
    if (!a->id.n)
        a->id = a->ending.id.n ? a->ending.id : rf_answer_new_id(a, t->how->id);
    if (!a->model.n)
        a->model = a->ending.model;
}
