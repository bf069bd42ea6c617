/* TIFF directories, in both byte orders and in both widths (classic and BigTIFF):
 *
 *     "II" or "MM", 42, offset of the directory        → count, entries of 12 bytes
 *     "II" or "MM", 43, 8, 0, offset of the directory  → count, entries of 20 bytes
 *
 * Only single values of whole numbers are read, since width, height and orientation are nothing
 * else. It refuses to follow any offset but that of the first directory. */
#include "media/exif.h"

#define MAX_ENTRIES 4096

enum tag { TAG_WIDTH = 256, TAG_HEIGHT = 257, TAG_ORIENTATION = 274 };
enum value_type { TYPE_BYTE = 1, TYPE_SHORT = 3, TYPE_LONG = 4, TYPE_LONG8 = 16 };

struct layout {
    bool big_endian;
    size_t count_size, entry_size, value_at;
    uint64_t directory; /* from the beginning of the structure */
};

static uint64_t number(const struct layout *l, const uint8_t *p, size_t n)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++)
        v = v << 8 | p[l->big_endian ? i : n - 1 - i];
    return v;
}

static bool read_layout(struct rf_look *k, uint64_t base, struct layout *l)
{
    const uint8_t *p = rf_look(k, base, 8);

    if (!p || p[0] != p[1] || (p[0] != 'I' && p[0] != 'M'))
        return false;
    l->big_endian = p[0] == 'M';
    switch (number(l, p + 2, 2)) {
    case 42:
        *l = (struct layout){ l->big_endian, 2, 12, 8, number(l, p + 4, 4) };
        return true;
    case 43:
        p = rf_look(k, base, 16);
        if (!p || number(l, p + 4, 2) != 8)
            return false;
        *l = (struct layout){ l->big_endian, 8, 20, 12, number(l, p + 8, 8) };
        return true;
    default:
        return false;
    }
}

static uint64_t entry_value(const struct layout *l, const uint8_t *entry)
{
    switch (number(l, entry + 2, 2)) {
    case TYPE_BYTE:
        return entry[l->value_at];
    case TYPE_SHORT:
        return number(l, entry + l->value_at, 2);
    case TYPE_LONG:
        return number(l, entry + l->value_at, 4);
    case TYPE_LONG8:
        return l->entry_size == 20 ? number(l, entry + l->value_at, 8) : 0;
    default:
        return 0;
    }
}

static void take_entry(const struct layout *l, const uint8_t *entry, struct rf_tiff_tags *out)
{
    uint64_t value = entry_value(l, entry);

    switch (number(l, entry, 2)) {
    case TAG_WIDTH:
        out->width = value;
        break;
    case TAG_HEIGHT:
        out->height = value;
        break;
    case TAG_ORIENTATION:
        out->orientation = value >= 1 && value <= 8 ? (unsigned)value : 1;
        break;
    default:
        break;
    }
}

bool rf_tiff_read(struct rf_look *k, uint64_t base, uint64_t end, struct rf_tiff_tags *out)
{
    struct layout l;
    const uint8_t *p;
    uint64_t at, count;

    *out = (struct rf_tiff_tags){ .orientation = 1 };
    if (base >= end || !read_layout(k, base, &l) || l.directory > end - base)
        return false;
    at = base + l.directory;
    p = rf_look(k, at, l.count_size);
    if (!p)
        return false;
    count = number(&l, p, l.count_size);
    at += l.count_size;
    for (uint64_t i = 0; i < count && i < MAX_ENTRIES; i++, at += l.entry_size) {
        p = at < end && end - at >= l.entry_size ? rf_look(k, at, l.entry_size) : NULL;
        if (!p)
            return false;
        take_entry(&l, p, out);
    }
    return true;
}

unsigned rf_exif_orientation(struct rf_look *k, uint64_t base, uint64_t end)
{
    struct rf_tiff_tags tags;

    if (RF_SEES(k, base, "Exif\0\0"))
        base += 6;
    rf_tiff_read(k, base, end, &tags);
    return tags.orientation;
}

void rf_orient(struct rf_facts *facts, unsigned orientation)
{
    uint32_t width = facts->width;

    if (orientation < 5)
        return;
    facts->width = facts->height;
    facts->height = width;
}
