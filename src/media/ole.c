/* The root folder of a compound file.
 *
 * A file is a header of 512 bytes and sectors; the header lists the sectors of the table (FAT) that
 * chains sectors to streams; one such chain is the directory, entries of 128 bytes, in which a
 * folder's children are a binary tree. Only the root's own children are looked at, since embedded
 * documents have streams of the same names further down.
 *
 * Looks no further than 1024 sectors of directory and 64 of the list of tables, which is a file of
 * 512 megabytes. */
#include "media/ole.h"

#include <string.h>
#include <strings.h>

#define MAX_DIRECTORY 1024
#define MAX_PENDING 256
#define MAX_VISITS 8192
#define HEADER_TABLES 109 /* the list of tables starts in the header and goes on in a chain */
#define MAX_LISTS 64
#define NO_ENTRY 0xffffffffu
#define MAX_SECTOR 0xfffffff9u
#define ENTRY_SIZE 128
#define SMALL_STREAM 4096 /* shorter streams live elsewhere, in pieces */

struct directory {
    struct rf_look *k;
    unsigned shift; /* a sector has 1 << shift bytes */
    size_t n;
    uint32_t sectors[MAX_DIRECTORY];
};

struct entry {
    char name[32];
    uint32_t left, right, child, start;
    uint64_t size;
};

static uint64_t sector_at(const struct directory *d, uint32_t sector)
{
    return ((uint64_t)sector + 1) << d->shift;
}

/* The sector in which the n-th table lies. */
static uint32_t table_sector(struct directory *d, uint32_t table)
{
    uint32_t per_list = (1u << (d->shift - 2)) - 1;
    uint64_t at = 76 + 4 * (uint64_t)table;
    const uint8_t *p;

    if (table >= HEADER_TABLES) {
        uint32_t lists = (table - HEADER_TABLES) / per_list;
        p = lists < MAX_LISTS ? rf_look(d->k, 68, 4) : NULL;
        for (; p && lists > 0; lists--)
            p = rf_look(d->k, sector_at(d, rf_le32(p)) + 4 * (uint64_t)per_list, 4);
        if (!p)
            return NO_ENTRY;
        at = sector_at(d, rf_le32(p)) + 4 * (uint64_t)((table - HEADER_TABLES) % per_list);
    }
    p = rf_look(d->k, at, 4);
    return p ? rf_le32(p) : NO_ENTRY;
}

static uint32_t next_sector(struct directory *d, uint32_t sector)
{
    uint32_t table = table_sector(d, sector >> (d->shift - 2));
    uint32_t index = sector & ((1u << (d->shift - 2)) - 1);
    const uint8_t *p = rf_look(d->k, sector_at(d, table) + 4 * (uint64_t)index, 4);

    return p ? rf_le32(p) : NO_ENTRY;
}

static bool open_directory(struct rf_look *k, struct directory *d)
{
    const uint8_t *p = rf_look(k, 0, 80);
    uint32_t sector;

    if (!p || memcmp(p, RF_OLE_MAGIC, 8) != 0)
        return false;
    d->k = k;
    d->shift = rf_le16(p + 30);
    if (d->shift != 9 && d->shift != 12)
        return false;
    sector = rf_le32(p + 48);
    for (d->n = 0; d->n < MAX_DIRECTORY && sector <= MAX_SECTOR; sector = next_sector(d, sector))
        d->sectors[d->n++] = sector;
    return d->n > 0;
}

/* What is not ASCII in the name is '?'. */
static void entry_name(const uint8_t *p, char out[32])
{
    size_t n = rf_le16(p + 64) / 2u;

    n = n > 0 && n <= 32 ? n - 1 : 0;
    for (size_t i = 0; i < n; i++) {
        uint16_t c = rf_le16(p + 2 * i);
        out[i] = c > 0 && c < 0x80 ? (char)c : '?';
    }
    out[n] = '\0';
}

static bool read_entry(struct directory *d, uint32_t id, struct entry *out)
{
    uint32_t per_sector = (1u << d->shift) / ENTRY_SIZE;
    const uint8_t *p = NULL;

    if (id / per_sector < d->n)
        p = rf_look(d->k, sector_at(d, d->sectors[id / per_sector]) + id % per_sector * ENTRY_SIZE,
                    ENTRY_SIZE);
    if (!p)
        return false;
    entry_name(p, out->name);
    out->left = rf_le32(p + 68);
    out->right = rf_le32(p + 72);
    out->child = rf_le32(p + 76);
    out->start = rf_le32(p + 116);
    out->size = rf_le32(p + 120);
    return true;
}

/* Bit 8 of the flags in the file information block. */
static bool word_is_encrypted(struct directory *d, const struct entry *e)
{
    const uint8_t *p = e->size >= SMALL_STREAM ? rf_look(d->k, sector_at(d, e->start), 12) : NULL;

    return p && (rf_le16(p + 10) & 0x0100);
}

/* A record FILEPASS among the first of the stream. */
static bool excel_is_encrypted(struct directory *d, const struct entry *e)
{
    uint64_t at = sector_at(d, e->start), end = at + (1u << d->shift);

    while (e->size >= SMALL_STREAM && at + 4 <= end) {
        const uint8_t *p = rf_look(d->k, at, 4);
        if (!p || rf_le16(p) == 0x002f)
            return p != NULL;
        at += 4u + rf_le16(p + 2);
    }
    return false;
}

static bool is_told_by(const struct rf_format *f, const char *name)
{
    for (size_t i = 0; i < RF_MAX_STREAMS && f->streams[i]; i++) {
        if (strcasecmp(f->streams[i], name) == 0)
            return f->kind != RF_KIND_UNKNOWN;
    }
    return false;
}

static void take_entry(struct directory *d, const struct entry *e, struct rf_ole *out)
{
    enum rf_format_id id = RF_FORMAT_NONE + 1;

    while (id < RF_FORMAT_COUNT && !is_told_by(rf_format_of(id), e->name))
        id++;
    if (id < RF_FORMAT_COUNT)
        out->format = id;
    out->encrypted = out->encrypted || strcasecmp(e->name, "EncryptedSummary") == 0 ||
                     id == RF_FORMAT_OOXML_ENCRYPTED ||
                     (id == RF_FORMAT_DOC && word_is_encrypted(d, e)) ||
                     (id == RF_FORMAT_XLS && excel_is_encrypted(d, e));
}

bool rf_ole_read(struct rf_look *k, struct rf_ole *out)
{
    struct directory d;
    struct entry e;
    uint32_t pending[MAX_PENDING];
    size_t n = 0;

    *out = (struct rf_ole){ 0 };
    if (!open_directory(k, &d) || !read_entry(&d, 0, &e))
        return false;
    pending[n++] = e.child;
    for (int visits = 0; n > 0 && visits < MAX_VISITS; visits++) {
        if (!read_entry(&d, pending[--n], &e))
            continue;
        take_entry(&d, &e, out);
        if (n + 2 <= MAX_PENDING) {
            pending[n++] = e.left;
            pending[n++] = e.right;
        }
    }
    return true;
}
