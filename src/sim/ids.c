/* Ids of replies and of what is in them, out of the request's seed: see rf_sim_id. */
#include "base/arena.h"
#include "sim/sim.h"

static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* The next of a sequence (SplitMix64). */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t rf_sim_hash(struct rf_str s)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
    return h;
}

uint64_t rf_sim_mix(uint64_t seed, uint64_t n)
{
    uint64_t state = seed ^ n * 0xd6e8feb86659fd93u;
    return next(&state);
}

static struct rf_str spell(struct rf_arena *a, const char *prefix, size_t n, size_t base,
                           uint64_t state)
{
    char *p = rf_arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = letters[next(&state) % base];
    return rf_str_join(a, rf_str(prefix), (struct rf_str){ p, n });
}

struct rf_str rf_sim_hex(struct rf_arena *a, size_t n, uint64_t seed)
{
    return spell(a, "", n, 16, seed);
}

struct rf_str rf_sim_id(const struct rf_sim_request *r, const char *prefix, size_t n, size_t part)
{
    uint64_t state = rf_sim_mix(rf_sim_mix(r->seed, r->count), rf_sim_hash(rf_str(prefix)) + part);
    return spell(r->arena, prefix, n, sizeof letters - 1, state);
}

struct rf_str rf_sim_uuid(const struct rf_sim_request *r)
{
    struct rf_str x = rf_sim_hex(r->arena, 32, rf_sim_mix(r->seed, r->count));
    return rf_strf(r->arena, "%.8s-%.4s-4%.3s-8%.3s-%.12s", x.p, x.p + 8, x.p + 13, x.p + 17,
                   x.p + 20);
}

struct rf_str rf_sim_call_id(const struct rf_sim_request *r, size_t i)
{
    size_t made = i + 1;
    for (size_t k = 0; k < r->count; k++)
        made += r->seen[k].kind == RF_SIM_CALL;
    /* Nine letters and digits: no server takes less. */
    return r->counted ? rf_strf(r->arena, "call%05zu", made % 100000)
                      : rf_sim_id(r, r->dialect->call_prefix, r->dialect->call_letters, made);
}
