#include "plan/ids.h"

#include "base/arena.h"
#include "content/call_id.h"

#define LONGEST 64
#define SHORT_ID 9

void rf_ids_init(struct rf_ids *ids, struct rf_arena *a)
{
    *ids = (struct rf_ids){ .arena = a };
}

static uint64_t hash(struct rf_str s, uint64_t salt)
{
    uint64_t h = 14695981039346656037u ^ salt;
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
    return h ^ h >> 29;
}

/* The slot of `s`, or the free one where it belongs. */
static struct rf_id_slot *find(const struct rf_ids *ids, struct rf_str s)
{
    size_t at = (size_t)hash(s, 0) & (ids->cap - 1);
    while (ids->slots[at].s.p && !rf_str_eq(ids->slots[at].s, s))
        at = (at + 1) & (ids->cap - 1);
    return &ids->slots[at];
}

static void grow(struct rf_ids *ids)
{
    struct rf_ids old = *ids;
    ids->cap = old.cap ? old.cap * 2 : 16;
    ids->slots = RF_ARRAY(ids->arena, struct rf_id_slot, ids->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].s.p)
            *find(ids, old.slots[i].s) = old.slots[i];
}

struct rf_id_slot *rf_ids_slot(struct rf_ids *ids, struct rf_str s)
{
    if (ids->count * 2 >= ids->cap)
        grow(ids);
    struct rf_id_slot *slot = find(ids, s);
    ids->count += !slot->s.p;
    slot->s = s.p ? s : RF_STR("");
    return slot;
}

bool rf_ids_new(struct rf_ids *ids, struct rf_str s)
{
    struct rf_id_slot *slot = rf_ids_slot(ids, s);
    bool is_new = !slot->given;
    slot->given = true;
    return is_new;
}

/* The next number to try after `stem`. Taken ones are not tried again: a thousand calls of one id
 * would take a million tries. */
static unsigned next_number(struct rf_ids *ids, struct rf_str stem)
{
    return ++rf_ids_slot(ids, stem)->tried;
}

static struct rf_str words_only(struct rf_str s, size_t longest, struct rf_arena *a)
{
    size_t n = s.n < longest ? s.n : longest;
    char *p = rf_arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = rf_is_alnum(s.p[i]) || s.p[i] == '-' || s.p[i] == '_' ? s.p[i] : '_';
    return (struct rf_str){ p, n };
}

static bool is_short_id(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!rf_is_alnum(s.p[i]))
            return false;
    return s.n == SHORT_ID;
}

static struct rf_str short_id(struct rf_str s, uint64_t salt, struct rf_arena *a)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    char *p = rf_arena_alloc(a, SHORT_ID + 1);
    uint64_t h = hash(s, salt);
    for (size_t i = 0; i < SHORT_ID; i++, h /= 62)
        p[i] = digits[h % 62];
    return (struct rf_str){ p, SHORT_ID };
}

/* `base`, or with a number after it, whichever is free first. */
static struct rf_str claim_numbered(struct rf_ids *ids, struct rf_str base, size_t longest)
{
    struct rf_str front = { base.p, base.n < longest - 12 ? base.n : longest - 12 }, id = base;
    while (!rf_ids_new(ids, id))
        id = rf_strf(ids->arena, "%.*s_%u", RF_FMT(front), next_number(ids, front) + 1);
    return id;
}

static struct rf_str legal_id(struct rf_ids *ids, enum rf_id_rule rule, struct rf_str id)
{
    if (rule == RF_IDS_ALNUM9) {
        struct rf_str made = is_short_id(id) ? id : short_id(id, 0, ids->arena);
        while (!rf_ids_new(ids, made))
            made = short_id(id, next_number(ids, id), ids->arena);
        return made;
    }
    size_t longest = rule == RF_IDS_WORD40 || rule == RF_IDS_OWN40 ? 40 : LONGEST;
    return claim_numbered(ids, rule == RF_IDS_ANY ? id : words_only(id, longest, ids->arena),
                          longest);
}

struct rf_str rf_ids_call(struct rf_ids *ids, enum rf_id_rule rule, struct rf_str id,
                          size_t message, size_t call)
{
    id = rf_call_id_meant(rf_call_id_plain(id), ids->arena);
    if (!id.n)
        id = rf_strf(ids->arena, "call_%zu_%zu", message, call);
    id = legal_id(ids, rule, id);
    rf_ids_slot(ids, id)->message = message + 1;
    return id;
}

/* What servers take of the ids that they may have given themselves. Chat Completions and Responses
 * count the characters and look at nothing else; what other servers of these APIs refuse is not
 * known. Calls of different turns may have one id where results stand right after their calls. */
static const struct taken {
    size_t longest; /* 0: what is legal for others' ids */
    bool repeats;   /* in different turns */
    bool seals;     /* what it carries is the server's own */
} taken[] = {
    [RF_IDS_ANY] = { SIZE_MAX, true, false },    [RF_IDS_WORD64] = { 0, false, false },
    [RF_IDS_ALNUM9] = { 0, false, false },       [RF_IDS_SEALED] = { SIZE_MAX, true, true },
    [RF_IDS_WORD40] = { 40, true, false },       [RF_IDS_OWN40] = { SIZE_MAX, true, false },
    [RF_IDS_ANY64] = { LONGEST, false, false },
};

/* Take it as it is, unless it is taken. */
static bool claim(struct rf_ids *ids, struct rf_str id, size_t message, bool repeats)
{
    if (!id.n)
        return false;
    struct rf_id_slot *slot = rf_ids_slot(ids, id);
    bool is_new = !slot->given || (repeats && slot->message != message + 1);
    slot->given = true;
    slot->message = message + 1;
    return is_new;
}

/* What it carries came from elsewhere, unless the server seals its ids. */
static struct rf_str unsealed(const struct rf_ids *ids, enum rf_id_rule rule, struct rf_str id)
{
    return taken[rule].seals ? id : rf_call_id_meant(rf_call_id_plain(id), ids->arena);
}

struct rf_str rf_ids_call_back(struct rf_ids *ids, enum rf_id_rule rule, struct rf_str id,
                               size_t message, size_t call)
{
    id = unsealed(ids, rule, id);
    return claim(ids, id, message, taken[rule].repeats) ? id
                                                        : rf_ids_call(ids, rule, id, message, call);
}

struct rf_str rf_ids_call_brought(struct rf_ids *ids, enum rf_id_rule rule, struct rf_str id,
                                  size_t message, size_t call)
{
    return unsealed(ids, rule, id).n <= taken[rule].longest
               ? rf_ids_call_back(ids, rule, id, message, call)
               : rf_ids_call(ids, rule, id, message, call);
}

struct rf_str rf_legal_tool_name(struct rf_str name, struct rf_arena *a)
{
    struct rf_str legal = words_only(name.n ? name : RF_STR("tool"), LONGEST, a);
    bool letter_first = !rf_is_digit(legal.p[0]) && legal.p[0] != '-';
    return letter_first ? legal : words_only(rf_strf(a, "_%.*s", RF_FMT(legal)), LONGEST, a);
}

struct rf_str rf_ids_tool(struct rf_ids *ids, struct rf_str name)
{
    return claim_numbered(ids, rf_legal_tool_name(name, ids->arena), LONGEST);
}
