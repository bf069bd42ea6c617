/* The window over a reader. It starts where it was last asked for and is filled as far as it goes,
 * so that walking forwards costs one read a window. It refuses to answer with fewer bytes than were
 * asked for, and to try a reader again that has failed. */
#include "media/look.h"

#include <string.h>

void rf_look_init(struct rf_look *k, struct rf_reader *r)
{
    k->reader = r;
    k->size = r->bytes->size;
    k->at = 0;
    k->n = 0;
    k->failed = RF_OK;
}

static bool fill(struct rf_look *k, uint64_t offset)
{
    size_t got = 0;

    k->n = 0;
    k->at = offset;
    k->failed = rf_reader_read(k->reader, offset, k->window, sizeof k->window, &got, &k->why);
    if (k->failed)
        return false;
    k->n = got;
    return true;
}

static bool in_window(const struct rf_look *k, uint64_t offset, size_t n)
{
    return offset >= k->at && offset - k->at <= k->n && k->n - (size_t)(offset - k->at) >= n;
}

const uint8_t *rf_look_some(struct rf_look *k, uint64_t offset, size_t n, size_t *got)
{
    *got = 0;
    if (k->failed || offset >= k->size || n > RF_LOOK_WINDOW)
        return NULL;
    if (n > k->size - offset)
        n = (size_t)(k->size - offset);
    if (!in_window(k, offset, n) && (!fill(k, offset) || !in_window(k, offset, n)))
        return NULL;
    *got = n;
    return k->window + (size_t)(offset - k->at);
}

const uint8_t *rf_look(struct rf_look *k, uint64_t offset, size_t n)
{
    size_t got;
    const uint8_t *p = rf_look_some(k, offset, n, &got);

    return p && got == n ? p : NULL;
}

int rf_look_byte(struct rf_look *k, uint64_t offset)
{
    const uint8_t *p = rf_look(k, offset, 1);

    return p ? p[0] : -1;
}

bool rf_look_is(struct rf_look *k, uint64_t offset, const char *bytes, size_t n)
{
    const uint8_t *p = rf_look(k, offset, n);

    return p && memcmp(p, bytes, n) == 0;
}

bool rf_look_find(struct rf_look *k, uint64_t from, uint64_t end, const char *bytes, uint64_t *out)
{
    size_t n = strlen(bytes), got;

    if (end > k->size)
        end = k->size;
    while (from < end && end - from >= n) {
        size_t want = end - from < RF_LOOK_WINDOW ? (size_t)(end - from) : RF_LOOK_WINDOW;
        const uint8_t *p = rf_look_some(k, from, want, &got);
        const uint8_t *hit = p ? memmem(p, got, bytes, n) : NULL;
        if (hit) {
            *out = from + (uint64_t)(hit - p);
            return true;
        }
        if (!p)
            return false;
        from += got - n + 1;
    }
    return false;
}

/* Where `bytes` stand last among the `got` at `p`, or -1. */
static ptrdiff_t last_in(const uint8_t *p, size_t got, const char *bytes, size_t n)
{
    for (size_t i = got - n + 1; i-- > 0;) {
        if (memcmp(p + i, bytes, n) == 0)
            return (ptrdiff_t)i;
    }
    return -1;
}

bool rf_look_find_last(struct rf_look *k, uint64_t from, uint64_t end, const char *bytes,
                       uint64_t *out)
{
    size_t n = strlen(bytes);

    if (end > k->size)
        end = k->size;
    while (from < end && end - from >= n) {
        size_t want = end - from < RF_LOOK_WINDOW ? (size_t)(end - from) : RF_LOOK_WINDOW;
        const uint8_t *p = rf_look(k, end - want, want);
        ptrdiff_t hit = p ? last_in(p, want, bytes, n) : -1;
        if (hit >= 0) {
            *out = end - want + (uint64_t)hit;
            return true;
        }
        if (!p)
            return false;
        end -= want - n + 1;
    }
    return false;
}
