/* Ids and digests that look like real ones, and are the same for the same seed. */
#include "base/arena.h"
#include "sim/sim.h"

static const char letters[] = "0123456789abcdef";

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

struct rf_str rf_sim_hex(struct rf_arena *a, size_t n, uint64_t seed)
{
    char *p = rf_arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = letters[next(&seed) % 16];
    return (struct rf_str){ p, n };
}
