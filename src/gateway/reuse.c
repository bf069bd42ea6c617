#include "gateway/reuse.h"

#include "base/clock.h"
#include "base/error.h"

#include <stdlib.h>

#define SMALL ((size_t)256 << 10) /* bytes: malloc has such at hand itself */
#define MOST_BYTES ((size_t)16 << 20)
#define KEPT_MS 500

/* The C library keeps what was freed between pieces that are still used. */
#ifdef __GLIBC__
#include <malloc.h>
static void return_freed(void)
{
    malloc_trim(0);
}
#else
static void return_freed(void)
{
}
#endif

static void drop_all(struct rf_reuse *s)
{
    while (s->count)
        free(s->kept[--s->count].p);
    s->bytes = 0;
}

static void on_time(void *ctx)
{
    drop_all(ctx);
    return_freed();
}

void rf_reuse_init(struct rf_reuse *s, struct rf_loop *loop)
{
    *s = (struct rf_reuse){ .loop = loop, .timer = { .due = on_time, .ctx = s } };
}

void rf_reuse_release(struct rf_reuse *s)
{
    rf_timer_clear(s->loop, &s->timer);
    drop_all(s);
}

/* One that is not more than half as large again: memory that lies idle is not what bodies are
 * allowed to take. */
static bool fits(const struct rf_reuse_room *r, size_t least)
{
    return r->size >= least && r->size - least <= least / 2;
}

char *rf_reuse_take(struct rf_reuse *s, size_t least, size_t *size)
{
    for (size_t i = 0; i < s->count; i++)
        if (fits(&s->kept[i], least)) {
            struct rf_reuse_room r = s->kept[i];
            s->kept[i] = s->kept[--s->count];
            s->bytes -= r.size;
            *size = r.size;
            return r.p;
        }
    char *p = malloc(least);
    if (!p)
        RF_NO_MEMORY();
    *size = least;
    return p;
}

void rf_reuse_give(struct rf_reuse *s, char *p, size_t size)
{
    bool room = s->count < RF_REUSE_MOST && size <= MOST_BYTES - s->bytes;
    if (p && size >= SMALL)
        rf_timer_set(s->loop, &s->timer, rf_now_ms() + KEPT_MS);
    if (!p || size < SMALL || !room) {
        free(p);
        return;
    }
    s->kept[s->count++] = (struct rf_reuse_room){ p, size };
    s->bytes += size;
}
