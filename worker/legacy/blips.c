#include "worker/legacy/blips.h"

#include "base/arena.h"

#include <libdeflate.h>

#define MAX_DEPTH 16
#define MAX_PICTURES 10000
#define RECORD_HEAD 8
#define ENTRY 0xf007 /* in the list of pictures: its head, its name, and it or where it is */
#define ENTRY_HEAD 36
#define INLINE_HEAD 6 /* bytes of the head that say how long it and all of it is */

#define METAFILE_HEAD 34 /* how long it is when it is unpacked, …, is it packed? */
#define MAX_UNPACKED ((uint64_t)128 << 20) /* of all pictures */
#define MOST_PACKED 1032                   /* no more bytes than this come out of one */

/* What lies between a record's head and the picture: one hash, or two where the lowest bit of
 * the instance is set, and this. */
static const struct kind {
    uint32_t type;
    const char *extension;
    size_t between;
} kinds[] = {
    { 0xf01a, "emf", METAFILE_HEAD },
    { 0xf01b, "wmf", METAFILE_HEAD },
    { 0xf01c, "pict", METAFILE_HEAD },
    { 0xf01d, "jpg", 1 },
    { 0xf01e, "png", 1 },
    { 0xf01f, "dib", 1 },
    { 0xf029, "tif", 1 },
    { 0xf02a, "jpg", 1 },
};
#define HASH 16

struct record {
    uint32_t instance, type;
    bool container;
    struct rf_str body;
};

static bool next_record(struct rf_str *rest, struct record *r)
{
    if (rest->n < RECORD_HEAD)
        return false;
    uint32_t head = rf_at16(*rest, 0);
    r->container = (head & 0xf) == 0xf;
    r->instance = head >> 4;
    r->type = rf_at16(*rest, 2);
    r->body = rf_at(*rest, RECORD_HEAD, rf_at32(*rest, 4));
    *rest = rf_at(*rest, RECORD_HEAD + r->body.n, rest->n);
    return r->type >= 0xf000;
}

/* Metafiles are packed, as a rule. What does not unpack stays as it is: nothing will show it. */
static struct rf_str unpacked(struct rf_figures *p, struct rf_str head, struct rf_str bytes)
{
    uint32_t n = rf_at32(head, 0);
    size_t got = 0;

    if (head.n < METAFILE_HEAD || head.p[32] != 0 || !n || n / MOST_PACKED > bytes.n ||
        n > MAX_UNPACKED - p->unpacked)
        return bytes;
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (!inflater)
        return bytes;
    char *out = rf_arena_alloc(p->ask->arena, n);
    p->unpacked += n;
    enum libdeflate_result done =
        libdeflate_zlib_decompress(inflater, bytes.p, bytes.n, out, n, &got);
    libdeflate_free_decompressor(inflater);
    return done == LIBDEFLATE_SUCCESS ? (struct rf_str){ out, got } : bytes;
}

/* What follows the hashes. */
static struct rf_str bytes_of(struct rf_figures *p, const struct kind *kind, struct rf_str body)
{
    struct rf_str bytes = rf_at(body, kind->between, body.n);
    return kind->between == METAFILE_HEAD ? unpacked(p, rf_at(body, 0, METAFILE_HEAD), bytes)
                                          : bytes;
}

static bool add_blip(struct rf_figures *p, const struct record *r)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].type != r->type || p->next_id == MAX_PICTURES)
            continue;
        size_t hashes = r->instance & 1 ? 2 : 1;
        struct rf_figure picture = {
            .id = p->next_id,
            .name = rf_strf(p->ask->arena, "picture-%lld.%s", (long long)++p->next_id,
                            kinds[i].extension),
            .bytes = bytes_of(p, &kinds[i], rf_at(r->body, hashes * HASH, r->body.n)),
        };
        rf_figures_add(p, &picture);
        return true;
    }
    return false;
}

static void add_entry(struct rf_figures *p, struct rf_str entry, struct rf_str delayed)
{
    size_t name = entry.n > 33 ? (unsigned char)entry.p[33] : 0;
    struct rf_str rest = rf_at(entry, ENTRY_HEAD + name, entry.n);
    struct record r;

    if (next_record(&rest, &r) && add_blip(p, &r))
        return;
    rest = rf_at(delayed, rf_at32(entry, 28), delayed.n);
    if (delayed.n && next_record(&rest, &r))
        add_blip(p, &r);
}

static void walk(struct rf_figures *p, struct rf_str rest, struct rf_str delayed, unsigned depth)
{
    struct record r;

    while (depth < MAX_DEPTH && next_record(&rest, &r)) {
        if (r.type == ENTRY)
            add_entry(p, r.body, delayed);
        else if (r.container)
            walk(p, r.body, delayed, depth + 1);
        else
            add_blip(p, &r);
    }
}

void rf_blips_add(struct rf_figures *pictures, struct rf_str tree, struct rf_str delayed)
{
    walk(pictures, tree, delayed, 0);
}

void rf_blips_add_inline(struct rf_figures *pictures, struct rf_str data)
{
    while (data.n > INLINE_HEAD) {
        uint32_t all = rf_at32(data, 0), head = rf_at16(data, 4);
        if (all < head || head < INLINE_HEAD)
            return;
        walk(pictures, rf_at(data, head, all - head), RF_STR(""), 0);
        data = rf_at(data, all, data.n);
    }
}
