#include "base/arena.h"
#include "sim/sim.h"

#define FIRST_ROWS 64 /* a power of two */

/* The row of an id, or the free one where it would be. */
static struct rf_sim_known_call *row(struct rf_sim_known_call *rows, size_t cap, struct rf_str id)
{
    uint64_t hash = rf_sim_hash(id);
    size_t i = (size_t)(hash ^ hash >> 32) & (cap - 1);
    while (rows[i].id.p && !rf_str_eq(rows[i].id, id))
        i = (i + 1) & (cap - 1);
    return &rows[i];
}

static void grow(struct rf_sim_calls *c, struct rf_arena *a)
{
    size_t cap = c->cap ? c->cap * 2 : FIRST_ROWS;
    struct rf_sim_known_call *rows = RF_ARRAY(a, struct rf_sim_known_call, cap);
    for (size_t i = 0; i < c->cap; i++)
        if (c->rows[i].id.p)
            *row(rows, cap, c->rows[i].id) = c->rows[i];
    c->rows = rows;
    c->cap = cap;
}

struct rf_sim_known_call *rf_sim_call_find(const struct rf_sim_calls *c, struct rf_str id)
{
    struct rf_sim_known_call *found = c->cap ? row(c->rows, c->cap, id) : NULL;
    return found && found->id.p ? found : NULL;
}

struct rf_sim_known_call *rf_sim_call_add(struct rf_sim_calls *c, struct rf_arena *a,
                                          struct rf_str id, struct rf_str name)
{
    if (2 * c->count >= c->cap)
        grow(c, a);
    struct rf_sim_known_call *k = row(c->rows, c->cap, id);
    if (k->id.p)
        return NULL;
    *k = (struct rf_sim_known_call){ .id = id.p ? id : RF_STR(""), .name = name };
    c->count++;
    return k;
}
