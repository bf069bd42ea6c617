/* Blocks of growing size hold the small pieces; a piece of a quarter block or more gets a block of
 * its own, which realloc can lengthen without copying. Blocks form a list, newest first. The first
 * one comes with the arena: most need no other. */
#include "base/arena.h"

#include "base/error.h"
#include "base/num.h"
#include "base/thread.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK ((size_t)12 << 10)
#define LARGEST_BLOCK ((size_t)1 << 20)
#define LARGE_ELEMENT 64 /* bytes; lists of such begin with few of them */
#define ALIGN alignof(max_align_t)

struct block {
    struct block *next;
    size_t used, size; /* of `data` */
    alignas(max_align_t) char data[];
};

struct rf_arena {
    struct block *shared; /* the block that small pieces come from */
    struct block *blocks; /* all of them; the first is the last */
    size_t next_size;
    struct rf_arena *next_spare; /* of those that are nobody's */
    struct block first;
};

static bool is_first(const struct rf_arena *a, const struct block *b)
{
    return b == &a->first;
}

/* Spare ones */

/* With AddressSanitizer there are none, so that it sees what is used after its end. */
#if defined __SANITIZE_ADDRESS__
#define KEEPS_SPARE false
#elif defined __has_feature
#define KEEPS_SPARE !__has_feature(address_sanitizer)
#else
#define KEEPS_SPARE true
#endif

/* Of this thread: those that were freed. */
static RF_THREAD_LOCAL struct {
    struct rf_arena *first;
    size_t count, most;
} spare;

static struct rf_arena *take_spare(void)
{
    struct rf_arena *a = spare.first;
    if (a) {
        spare.first = a->next_spare;
        spare.count--;
    }
    return a;
}

static bool add_spare(struct rf_arena *a)
{
    if (spare.count >= spare.most)
        return false;
    a->next_spare = spare.first;
    spare.first = a;
    spare.count++;
    return true;
}

void rf_arena_keep_spare(size_t most)
{
    spare.most = KEEPS_SPARE ? most : 0;
    while (spare.count > spare.most)
        free(take_spare());
}

struct rf_arena *rf_arena_new(void)
{
    struct rf_arena *a = take_spare();
    if (!a)
        a = malloc(sizeof *a + FIRST_BLOCK);
    if (!a)
        RF_NO_MEMORY();
    *a = (struct rf_arena){ .shared = &a->first,
                            .blocks = &a->first,
                            .next_size = 2 * FIRST_BLOCK,
                            .first = { .size = FIRST_BLOCK } };
    return a;
}

void rf_arena_free(struct rf_arena *a)
{
    if (!a)
        return;
    for (struct block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        if (!is_first(a, b))
            free(b);
    }
    if (!add_spare(a))
        free(a);
}

void rf_arena_reset(struct rf_arena *a)
{
    for (struct block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        if (b != a->shared && !is_first(a, b))
            free(b);
    }
    a->blocks = a->shared;
    a->shared->next = is_first(a, a->shared) ? NULL : &a->first;
    a->shared->used = a->first.used = 0;
}

size_t rf_arena_size(const struct rf_arena *a)
{
    size_t sum = 0;
    for (const struct block *b = a->blocks; b; b = b->next)
        sum += b->size;
    return sum;
}

static struct block *add_block(struct rf_arena *a, size_t size)
{
    size_t total;
    if (!rf_add_size(sizeof(struct block), size, &total))
        RF_BUG("allocation size overflows");
    struct block *b = malloc(total);
    if (!b)
        RF_NO_MEMORY();
    *b = (struct block){ .next = a->blocks, .size = size };
    a->blocks = b;
    return b;
}

static size_t round_up(size_t size)
{
    if (size > SIZE_MAX - ALIGN)
        RF_BUG("allocation size overflows");
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* Not from what is left of the shared block. */
static void *take_elsewhere(struct rf_arena *a, size_t size)
{
    if (size >= a->next_size / 4) {
        struct block *own = add_block(a, size);
        own->used = size;
        return own->data;
    }
    a->shared = add_block(a, a->next_size);
    if (a->next_size < LARGEST_BLOCK)
        a->next_size *= 2;
    a->shared->used = size;
    return a->shared->data;
}

static inline void *take(struct rf_arena *a, size_t size)
{
    struct block *b = a->shared;
    size = round_up(size ? size : 1);
    if (size >= a->next_size / 4 || b->size - b->used < size)
        return take_elsewhere(a, size);
    void *p = b->data + b->used;
    b->used += size;
    return p;
}

void *rf_arena_alloc(struct rf_arena *a, size_t size)
{
    return memset(take(a, size), 0, size);
}

void *rf_arena_array(struct rf_arena *a, size_t count, size_t size)
{
    size_t total;
    if (!rf_mul_size(count, size, &total))
        RF_BUG("allocation size overflows");
    return rf_arena_alloc(a, total);
}

static struct block *own_block_of(struct rf_arena *a, void *p, size_t old)
{
    struct block *b = a->blocks;
    return b && b != a->shared && (void *)b->data == p && b->used == round_up(old) ? b : NULL;
}

void *rf_arena_grow(struct rf_arena *a, void *p, size_t old, size_t size)
{
    if (!p && size)
        return take(a, size);
    if (size <= old)
        return p;
    struct block *own = own_block_of(a, p, old);
    if (own) {
        size_t rounded = round_up(size), total;
        if (!rf_add_size(sizeof *own, rounded, &total))
            RF_BUG("allocation size overflows");
        own = realloc(own, total);
        if (!own)
            RF_NO_MEMORY();
        own->used = own->size = rounded;
        a->blocks = own;
        return own->data;
    }
    char *q = take(a, size);
    if (old)
        memcpy(q, p, old);
    return q;
}

void *rf_arena_room(struct rf_arena *a, void *items, size_t count, size_t *cap, size_t size)
{
    if (count < *cap)
        return items;
    size_t first = size > LARGE_ELEMENT ? 2 : 8, grown = *cap ? *cap * 2 : first, bytes;
    if (!rf_mul_size(grown, size, &bytes))
        RF_BUG("allocation size overflows");
    void *p = rf_arena_grow(a, items, *cap * size, bytes);
    memset((char *)p + *cap * size, 0, bytes - *cap * size);
    *cap = grown;
    return p;
}
