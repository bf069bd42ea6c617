/* Looking at bytes through a small window.
 *
 * A reader is asked for one window at a time, so that a parser can name any offset without thinking
 * of system calls, and nothing is allocated. What is not there is NULL, never a short answer; a
 * reader that fails sees nothing from then on, and `failed` and `why` keep the reason.
 *
 *     const uint8_t *p = rf_look(k, 16, 8);
 *     if (!p) … cut off …
 */
#ifndef RF_MEDIA_LOOK_H
#define RF_MEDIA_LOOK_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RF_LOOK_WINDOW 4096

struct rf_look {
    struct rf_reader *reader; /* borrowed */
    uint64_t size;            /* of all there is to see */
    uint64_t at;              /* where the window starts */
    size_t n;                 /* how much of it is filled */
    enum rf_code failed;      /* the reader's first failure; nothing is seen after it */
    struct rf_err why;
    uint8_t window[RF_LOOK_WINDOW];
};

void rf_look_init(struct rf_look *k, struct rf_reader *r);

/* The `n` bytes at `offset`, good until the next look, or NULL when they are not all there. `n` is
 * at most RF_LOOK_WINDOW. */
const uint8_t *rf_look(struct rf_look *k, uint64_t offset, size_t n);
/* The same where fewer will do: `*got` says how many, and NULL means none. */
const uint8_t *rf_look_some(struct rf_look *k, uint64_t offset, size_t n, size_t *got);

/* One byte, or -1. */
int rf_look_byte(struct rf_look *k, uint64_t offset);
/* Do these bytes stand there? */
bool rf_look_is(struct rf_look *k, uint64_t offset, const char *bytes, size_t n);
#define RF_SEES(k, offset, lit) rf_look_is(k, offset, lit, sizeof(lit) - 1)

/* The first, or the last, place in [from, end) at which all of `bytes` stand. */
bool rf_look_find(struct rf_look *k, uint64_t from, uint64_t end, const char *bytes, uint64_t *out);
bool rf_look_find_last(struct rf_look *k, uint64_t from, uint64_t end, const char *bytes,
                       uint64_t *out);

static inline uint16_t rf_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t rf_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t rf_be64(const uint8_t *p)
{
    return (uint64_t)rf_be32(p) << 32 | rf_be32(p + 4);
}

static inline uint16_t rf_le16(const uint8_t *p)
{
    return (uint16_t)(p[1] << 8 | p[0]);
}

static inline uint32_t rf_le24(const uint8_t *p)
{
    return (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static inline uint32_t rf_le32(const uint8_t *p)
{
    return (uint32_t)p[3] << 24 | rf_le24(p);
}

static inline uint64_t rf_le64(const uint8_t *p)
{
    return (uint64_t)rf_le32(p + 4) << 32 | rf_le32(p);
}

#endif
