#include "plan/pairing.h"

#include "base/arena.h"
#include "plan/ids.h"

/* The calls of one assistant message while its results are being found. Calls of one id form a
 * chain, in their order, which begins at the id's place; a place is the index of a call plus one.
 */
struct open_calls {
    const struct rf_tool_call **calls;
    size_t *links;
    struct rf_ids by_id;
    struct rf_paired *paired;
    size_t first; /* all before it have their results */
};

/* The first open call of the id; its chain begins there then. */
static bool find_by_id(struct open_calls *open, struct rf_str id, size_t *at)
{
    size_t *place = &rf_ids_slot(&open->by_id, id)->place;
    while (*place && open->paired->results[*place - 1] >= 0)
        *place = open->links[*place - 1];
    *at = *place - 1;
    return *place;
}

/* The first open call of the tool, or of any where the result does not say. */
static bool find_by_name(struct open_calls *open, struct rf_str name, size_t *at)
{
    size_t count = open->paired->call_count;
    while (open->first < count && open->paired->results[open->first] >= 0)
        open->first++;
    for (*at = open->first; *at < count; ++*at)
        if (open->paired->results[*at] < 0 && (!name.n || rf_str_eq(name, open->calls[*at]->name)))
            return true;
    return false;
}

static bool take_result(struct open_calls *open, const struct rf_message *result, size_t index)
{
    size_t at;
    if (!open->paired->call_count)
        return false;
    bool found = result->tool_call_id.n ? find_by_id(open, result->tool_call_id, &at)
                                        : find_by_name(open, result->name, &at);
    if (found)
        open->paired->results[at] = (long)index;
    return found;
}

static void begin_calls(struct open_calls *open, const struct rf_surveyed *m,
                        struct rf_paired *paired, struct rf_arena *a)
{
    *open = (struct open_calls){ .paired = paired };
    rf_ids_init(&open->by_id, a);
    for (size_t i = 0; i < m->count; i++)
        paired->call_count += m->parts[i].kind == RF_PART_CALL;
    open->calls = RF_ARRAY(a, const struct rf_tool_call *, paired->call_count);
    open->links = RF_ARRAY(a, size_t, paired->call_count);
    paired->results = RF_ARRAY(a, long, paired->call_count);
    size_t n = paired->call_count;
    for (size_t i = m->count; i-- > 0;) {
        if (m->parts[i].kind != RF_PART_CALL)
            continue;
        open->calls[--n] = &m->parts[i].block->call;
        paired->results[n] = -1;
        size_t *place = &rf_ids_slot(&open->by_id, open->calls[n]->id)->place;
        open->links[n] = *place;
        *place = n + 1;
    }
}

void rf_pairing_init(struct rf_pairing *p, const struct rf_survey *s, const struct rf_caps *caps,
                     struct rf_arena *a)
{
    struct rf_paired none = { 0 };
    struct open_calls open = { .paired = &none };
    p->messages = RF_ARRAY(a, struct rf_paired, s->count);
    for (size_t i = 0; i < s->count; i++) {
        const struct rf_message *m = s->messages[i].message;
        if (m->role == RF_ROLE_ASSISTANT && caps->tools)
            begin_calls(&open, &s->messages[i], &p->messages[i], a);
        else if (m->role == RF_ROLE_TOOL)
            p->messages[i].orphan = !take_result(&open, m, i);
    }
}
