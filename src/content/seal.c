#include "content/seal.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/utf8.h"

#define BEGINNING "cmVmcmFjdA" /* how the base64 of "refract\n" and of whatever follows begins */
#define FIRST "refract"
#define FIELDS 7

static bool is_line(struct rf_str s)
{
    return !s.n || !memchr(s.p, '\n', s.n);
}

struct rf_str rf_seal_make(struct rf_str provider, struct rf_str model, const struct rf_thinking *t,
                           struct rf_arena *a)
{
    bool fits = is_line(provider) && is_line(model) && is_line(t->id) && is_line(t->signature) &&
                is_line(t->redacted) && is_line(t->encrypted);
    if (!fits || !provider.n)
        return RF_STR("");
    struct rf_str plain =
        rf_strf(a, FIRST "\n%.*s\n%.*s\n%.*s\n%.*s\n%.*s\n%.*s\n", RF_FMT(provider), RF_FMT(model),
                RF_FMT(t->id), RF_FMT(t->signature), RF_FMT(t->redacted), RF_FMT(t->encrypted));
    char *out = rf_arena_alloc(a, (size_t)rf_base64_length(plain.n) + 1);
    return (struct rf_str){ out, rf_base64_encode(plain.p, plain.n, out) };
}

static bool decode(struct rf_str mark, struct rf_arena *a, struct rf_str *out)
{
    size_t n;
    if (!rf_str_starts(mark, BEGINNING) || !rf_base64_decoded_length(mark.p, mark.n, &n))
        return false;
    char *bytes = rf_arena_alloc(a, n + 1);
    *out = (struct rf_str){ bytes, n };
    return rf_base64_decode(mark.p, mark.n, bytes) && rf_utf8_valid(*out) == n;
}

bool rf_seal_open(struct rf_builder *b, struct rf_str mark, struct rf_thinking *t)
{
    struct rf_str rest, fields[FIELDS];
    struct rf_message *m = &b->conversation->messages[b->conversation->message_count - 1];
    size_t count = 0;
    if (!decode(mark, b->arena, &rest))
        return false;
    while (count < FIELDS && rf_str_split(&rest, '\n', &fields[count]))
        count++;
    if (count < FIELDS || !rf_str_is(fields[0], FIRST))
        return false;
    if (m->sealed &&
        !(rf_str_eq(m->origin_provider, fields[1]) && rf_str_eq(m->origin_model, fields[2])))
        return true;
    m->sealed = true;
    m->origin_provider = fields[1];
    m->origin_model = fields[2];
    t->id = fields[3];
    t->signature = fields[4];
    t->redacted = fields[5];
    t->encrypted = fields[6];
    return true;
}
