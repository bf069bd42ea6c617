/* Containers made in a test or a fuzz target: ZIP archives whose members are stored, OLE2 compound files.
 *
 *     struct rf_str book = zip_of(a, (const struct member[]){ { "mimetype", B("…") } }, 1);
 */
#ifndef TESTS_WORKER_PACKING_H
#define TESTS_WORKER_PACKING_H

#include "base/buf.h"
#include "base/crc32.h"

#include <stdlib.h>

struct member {
    const char *name;
    struct rf_str bytes;
};

static inline void put16(struct rf_buf *b, unsigned value)
{
    rf_buf_addc(b, (char)(value & 0xff));
    rf_buf_addc(b, (char)(value >> 8 & 0xff));
}

static inline void put32(struct rf_buf *b, uint32_t value)
{
    put16(b, value & 0xffff);
    put16(b, value >> 16);
}

static inline void put_zeros(struct rf_buf *b, size_t n)
{
    while (n--)
        rf_buf_addc(b, 0);
}

static inline struct rf_str packed(struct rf_buf *b)
{
    if (b->full)
        abort();
    return (struct rf_str){ b->n ? b->p : "", b->n };
}

/* What a member's two headers share. */
static inline void put_member_fields(struct rf_buf *b, const struct member *m)
{
    put16(b, 20);
    put_zeros(b, 8);
    put32(b, rf_crc32(m->bytes.p, m->bytes.n));
    put32(b, (uint32_t)m->bytes.n);
    put32(b, (uint32_t)m->bytes.n);
    put16(b, (unsigned)strlen(m->name));
    put16(b, 0);
}

static inline struct rf_str zip_of(struct rf_arena *a, const struct member *members, size_t count)
{
    struct rf_buf b, directory;

    rf_buf_init(&b, a, (size_t)1 << 24);
    rf_buf_init(&directory, a, (size_t)1 << 20);
    for (size_t i = 0; i < count; i++) {
        uint32_t at = (uint32_t)b.n;
        rf_buf_add(&b, RF_STR("PK\3\4"));
        put_member_fields(&b, &members[i]);
        rf_buf_add(&b, rf_str(members[i].name));
        rf_buf_add(&b, members[i].bytes);
        rf_buf_add(&directory, RF_STR("PK\1\2"));
        put16(&directory, 20);
        put_member_fields(&directory, &members[i]);
        put_zeros(&directory, 10);
        put32(&directory, at);
        rf_buf_add(&directory, rf_str(members[i].name));
    }
    uint32_t at = (uint32_t)b.n;
    rf_buf_add(&b, packed(&directory));
    rf_buf_add(&b, RF_STR("PK\5\6"));
    put_zeros(&b, 4);
    put16(&b, (unsigned)count);
    put16(&b, (unsigned)count);
    put32(&b, (uint32_t)directory.n);
    put32(&b, at);
    put16(&b, 0);
    return packed(&b);
}

#define SECTOR 512u
#define CHAIN_END 0xfffffffeu
#define NO_SECTOR 0xffffffffu

static inline uint32_t sectors_of(size_t n)
{
    return (uint32_t)((n + SECTOR - 1) / SECTOR);
}

static inline void put_entry(struct rf_buf *b, const char *name, unsigned kind, uint32_t next,
                             uint32_t child, uint32_t start, size_t size)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < 32; i++)
        put16(b, i < n ? (unsigned char)name[i] : 0);
    put16(b, (unsigned)(2 * (n + 1)));
    rf_buf_addc(b, (char)kind);
    rf_buf_addc(b, 1);
    put32(b, NO_SECTOR);
    put32(b, next);
    put32(b, child);
    put_zeros(b, 36);
    put32(b, start);
    put32(b, (uint32_t)size);
    put32(b, 0);
}

static inline void put_ole_header(struct rf_buf *b, uint32_t directory)
{
    rf_buf_add(b, RF_STR("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"));
    put_zeros(b, 16);
    put16(b, 0x3e);
    put16(b, 3);
    put16(b, 0xfffe);
    put16(b, 9);
    put16(b, 6);
    put_zeros(b, 10);
    put32(b, 1); /* one table, in sector 0 */
    put32(b, directory);
    put32(b, 0);
    put32(b, 0); /* no stream is small */
    put32(b, CHAIN_END);
    put32(b, 0);
    put32(b, CHAIN_END);
    put32(b, 0);
    put32(b, 0);
    for (size_t i = 1; i < 109; i++)
        put32(b, NO_SECTOR);
}

/* Streams in the root: a table, the streams one after the other, the directory; 60 KB at most. */
static inline struct rf_str ole_of(struct rf_arena *a, const struct member *streams, size_t count)
{
    struct rf_buf b, table, directory;
    uint32_t next = 1;

    rf_buf_init(&b, a, (size_t)1 << 20);
    rf_buf_init(&table, a, SECTOR);
    rf_buf_init(&directory, a, (size_t)1 << 16);
    put32(&table, 0xfffffffdu);
    put_entry(&directory, "Root Entry", 5, NO_SECTOR, count ? 1 : NO_SECTOR, CHAIN_END, 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t n = sectors_of(streams[i].bytes.n);
        put_entry(&directory, streams[i].name, 2, i + 1 < count ? (uint32_t)i + 2 : NO_SECTOR,
                  NO_SECTOR, next, streams[i].bytes.n);
        for (uint32_t k = 1; k <= n; k++)
            put32(&table, k < n ? next + k : CHAIN_END);
        next += n;
    }
    uint32_t rest = sectors_of(directory.n);
    for (uint32_t k = 1; k <= rest; k++)
        put32(&table, k < rest ? next + k : CHAIN_END);
    while (table.n < SECTOR)
        put32(&table, NO_SECTOR);
    put_ole_header(&b, next);
    rf_buf_add(&b, packed(&table));
    for (size_t i = 0; i < count; i++) {
        rf_buf_add(&b, streams[i].bytes);
        put_zeros(&b, sectors_of(b.n) * SECTOR - b.n);
    }
    rf_buf_add(&b, packed(&directory));
    put_zeros(&b, sectors_of(b.n) * SECTOR - b.n);
    return packed(&b);
}

#endif
