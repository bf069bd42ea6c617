/* A header, a table that chains sectors, a directory of 128-byte entries in which each storage's
 * children are a tree, and a second, finer table for streams under 4096 bytes. */
#include "worker/legacy/compound.h"

#include "base/arena.h"
#include "media/ole.h"

#include <strings.h>

#define HEADER_TABLES 109
#define ENTRY 128
#define MAX_ENTRIES 100000
#define MAX_NAME 32
#define LAST_SECTOR 0xfffffffau /* this and above are not sectors */
#define NO_ENTRY 0xffffffffu
#define STORAGE 1
#define STREAM 2

struct entry {
    char name[MAX_NAME + 1]; /* what is not ASCII is '?' */
    unsigned char kind;
    int parent;
    uint32_t left, right, child, start;
    uint64_t size;
};

struct rf_compound {
    struct rf_arena *arena;
    struct rf_str bytes;
    unsigned shift, small_shift; /* a sector has 1 << shift bytes */
    uint32_t small_limit;        /* streams shorter than this are in small sectors */
    uint32_t *tables;            /* the sectors that the table lies in */
    size_t table_n;
    struct rf_str small_table, small_stream;
    struct entry *entries;
    size_t n;
    uint64_t budget; /* bytes that may still be copied: entries may all claim the same sectors */
};

static struct rf_str sector(const struct rf_compound *c, uint32_t number)
{
    uint64_t at = ((uint64_t)number + 1) << c->shift;

    return number >= LAST_SECTOR || at >= c->bytes.n ? (struct rf_str){ c->bytes.p, 0 }
                                                     : rf_at(c->bytes, (size_t)at, 1u << c->shift);
}

static uint32_t next_sector(const struct rf_compound *c, uint32_t number)
{
    unsigned per_table = c->shift - 2;
    size_t table = number >> per_table;

    if (table >= c->table_n)
        return NO_ENTRY;
    struct rf_str s = sector(c, c->tables[table]);
    size_t at = 4 * (size_t)(number & ((1u << per_table) - 1));
    return at + 4 <= s.n ? rf_at32(s, at) : NO_ENTRY;
}

static size_t max_sectors(const struct rf_compound *c)
{
    return (c->bytes.n >> c->shift) + 1;
}

/* The list of the table's sectors: 109 in the header, then a chain of sectors with more. */
static void read_tables(struct rf_compound *c)
{
    size_t max = max_sectors(c), per_list = (1u << (c->shift - 2)) - 1;
    uint32_t next = rf_at32(c->bytes, 68);

    c->tables = RF_ARRAY(c->arena, uint32_t, max + HEADER_TABLES);
    for (size_t i = 0; i < HEADER_TABLES; i++) {
        uint32_t number = rf_at32(c->bytes, 76 + 4 * i);
        if (number >= LAST_SECTOR)
            return;
        c->tables[c->table_n++] = number;
    }
    for (size_t lists = 0; lists < max && next < LAST_SECTOR; lists++) {
        struct rf_str s = sector(c, next);
        for (size_t i = 0; i < per_list && c->table_n < max; i++) {
            uint32_t number = rf_at32(s, 4 * i);
            if (number >= LAST_SECTOR || 4 * i + 4 > s.n)
                return;
            c->tables[c->table_n++] = number;
        }
        next = s.n >= 4 * per_list + 4 ? rf_at32(s, 4 * per_list) : NO_ENTRY;
    }
}

/* A chain of sectors in one piece; `size` bytes of it at most. */
static struct rf_str read_chain(const struct rf_compound *c, uint32_t start, uint64_t size)
{
    size_t max = max_sectors(c), n = 0;
    size_t room = size < c->bytes.n ? (size_t)size : c->bytes.n;
    char *out = rf_arena_alloc(c->arena, room + 1);

    for (size_t i = 0; i < max && start < LAST_SECTOR && n < room; i++) {
        struct rf_str s = sector(c, start);
        size_t take = s.n < room - n ? s.n : room - n;
        memcpy(out + n, s.p, take);
        n += take;
        start = next_sector(c, start);
    }
    return (struct rf_str){ out, n };
}

static struct rf_str read_small(const struct rf_compound *c, uint32_t start, uint64_t size)
{
    size_t max = (c->small_stream.n >> c->small_shift) + 1, n = 0;
    size_t room = size < c->small_stream.n ? (size_t)size : c->small_stream.n;
    char *out = rf_arena_alloc(c->arena, room + 1);

    for (size_t i = 0; i < max && start < LAST_SECTOR && n < room; i++) {
        struct rf_str s =
            rf_at(c->small_stream, (size_t)start << c->small_shift, 1u << c->small_shift);
        size_t take = s.n < room - n ? s.n : room - n;
        memcpy(out + n, s.p, take);
        n += take;
        start = 4 * ((size_t)start + 1) <= c->small_table.n
                    ? rf_at32(c->small_table, 4 * (size_t)start)
                    : NO_ENTRY;
    }
    return (struct rf_str){ out, n };
}

static void read_entry(struct rf_str s, struct entry *e)
{
    size_t n = rf_at16(s, 64) / 2;

    n = n > 0 && n <= MAX_NAME ? n - 1 : 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = rf_at16(s, 2 * i);
        e->name[i] = c >= 0x20 && c < 0x7f ? (char)c : c < 0x20 ? (char)(c + 1) : '?';
    }
    e->kind = (unsigned char)s.p[66];
    e->parent = RF_COMPOUND_NONE;
    e->left = rf_at32(s, 68);
    e->right = rf_at32(s, 72);
    e->child = rf_at32(s, 76);
    e->start = rf_at32(s, 116);
    e->size = rf_at32(s, 120);
}

static void read_directory(struct rf_compound *c)
{
    struct rf_str all = read_chain(c, rf_at32(c->bytes, 48), c->bytes.n);

    c->n = all.n / ENTRY < MAX_ENTRIES ? all.n / ENTRY : MAX_ENTRIES;
    c->entries = RF_ARRAY(c->arena, struct entry, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        read_entry(rf_at(all, i * ENTRY, ENTRY), &c->entries[i]);
}

/* Tell each entry whose child it is. Each is visited once, so that loops in the trees end. */
static void find_parents(struct rf_compound *c)
{
    struct {
        uint32_t id;
        int parent;
    } *pending = rf_arena_array(c->arena, c->n * 3 + 1, sizeof *pending);
    size_t n = 0;

    pending[n].id = c->entries[0].child;
    pending[n++].parent = RF_COMPOUND_ROOT;
    while (n) {
        uint32_t id = pending[--n].id;
        int parent = pending[n].parent;
        if (id == 0 || id >= c->n || c->entries[id].parent != RF_COMPOUND_NONE)
            continue;
        struct entry *e = &c->entries[id];
        e->parent = parent;
        pending[n].id = e->left;
        pending[n++].parent = parent;
        pending[n].id = e->right;
        pending[n++].parent = parent;
        if (e->kind == STORAGE) {
            pending[n].id = e->child;
            pending[n++].parent = (int)id;
        }
    }
}

struct rf_compound *rf_compound_open(struct rf_str bytes, struct rf_arena *a)
{
    struct rf_compound *c = RF_NEW(a, struct rf_compound);

    if (bytes.n < 512 || !rf_str_starts(bytes, RF_OLE_MAGIC))
        return NULL;
    *c = (struct rf_compound){
        .arena = a,
        .bytes = bytes,
        .shift = rf_at16(bytes, 30),
        .small_shift = rf_at16(bytes, 32),
        .small_limit = rf_at32(bytes, 56),
        .budget = bytes.n * (uint64_t)4 + (1 << 20),
    };
    if ((c->shift != 9 && c->shift != 12) || c->small_shift < 4 || c->small_shift > c->shift)
        return NULL;
    read_tables(c);
    read_directory(c);
    if (!c->n)
        return NULL;
    find_parents(c);
    c->small_table = read_chain(c, rf_at32(bytes, 60), (uint64_t)rf_at32(bytes, 64) << c->shift);
    c->small_stream = read_chain(c, c->entries[0].start, c->entries[0].size);
    return c;
}

int rf_compound_find(const struct rf_compound *c, int parent, const char *name)
{
    for (size_t i = 1; parent >= 0 && i < c->n; i++)
        if (c->entries[i].parent == parent && strcasecmp(c->entries[i].name, name) == 0)
            return (int)i;
    return RF_COMPOUND_NONE;
}

int rf_compound_nth(const struct rf_compound *c, int parent, const char *prefix, int n)
{
    for (size_t i = 1; i < c->n; i++)
        if (c->entries[i].parent == parent &&
            strncasecmp(c->entries[i].name, prefix, strlen(prefix)) == 0 && n-- == 0)
            return (int)i;
    return RF_COMPOUND_NONE;
}

uint64_t rf_compound_size(const struct rf_compound *c, int id)
{
    return id > 0 && (size_t)id < c->n && c->entries[id].kind == STREAM ? c->entries[id].size : 0;
}

bool rf_compound_read(struct rf_compound *c, int id, struct rf_str *out)
{
    if (id <= 0 || (size_t)id >= c->n || c->entries[id].kind != STREAM)
        return false;
    const struct entry *e = &c->entries[id];
    *out = e->size < c->small_limit ? read_small(c, e->start, e->size)
                                    : read_chain(c, e->start, e->size);
    c->budget -= out->n < c->budget ? out->n : c->budget;
    return c->budget > 0;
}
