/* An arena: memory that is given out piece by piece and freed as a whole.
 *
 * Out of memory aborts, so allocation cannot fail; sizes that come from input are checked against a
 * limit before they get here. An arena belongs to one thread at a time. */
#ifndef RF_BASE_ARENA_H
#define RF_BASE_ARENA_H

#include <stddef.h>

struct rf_arena;

struct rf_arena *rf_arena_new(void);
void rf_arena_free(struct rf_arena *a); /* takes NULL */
/* Take everything back at once. One block is kept for what comes next. */
void rf_arena_reset(struct rf_arena *a);

/* This thread makes and frees arenas all the time: from now on it keeps up to `most` of those that
 * it frees for the next ones. Given back with 0, before the thread ends. */
void rf_arena_keep_spare(size_t most);

/* The bytes that it holds, given out or not. */
size_t rf_arena_size(const struct rf_arena *a);

/* Zeroed memory, aligned for any type. */
void *rf_arena_alloc(struct rf_arena *a, size_t size);
/* The same for an array; a product that overflows is a bug. */
void *rf_arena_array(struct rf_arena *a, size_t count, size_t size);
/* Make an allocation of this arena longer, keeping its first `old` bytes; it may move. The new part
 * is not zeroed. `p` may be NULL with `old` 0. */
void *rf_arena_grow(struct rf_arena *a, void *p, size_t old, size_t size);

#define RF_NEW(a, type) ((type *)rf_arena_alloc(a, sizeof(type)))
#define RF_ARRAY(a, type, n) ((type *)rf_arena_array(a, n, sizeof(type)))

/* Errors are large, and few things fail: where one is kept, it is a pointer, NULL while there is
 * none. This makes the one that `at` is for; and that is a copy of another, which lives longer. */
#define RF_ERR_IN(a, at) ((at) ? (at) : ((at) = RF_NEW(a, struct rf_err)))
#define RF_ERR_COPY(a, at, from) (*RF_ERR_IN(a, at) = *(from))

/* Room for one more element at the end of an array that grows by doubling: `cap` is its
 * capacity. */
void *rf_arena_room(struct rf_arena *a, void *items, size_t count, size_t *cap, size_t size);
#define RF_PUSH(a, items, count, cap) \
    ((items) = rf_arena_room(a, items, count, &(cap), sizeof *(items)), &(items)[(count)++])

#endif
