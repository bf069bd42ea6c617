/* Targa: | id length 1 | map 1 | kind 1 | map's first 2, length 2, bits 1 | x 2 | y 2 | width 2 |
 * height 2 | bits 1 | flags 1 | id | map | pixels |, rows mostly from the bottom.
 *
 * Palettes, true colour and grey, whole or in runs. There is no signature, so a file is taken for
 * one only where every field of the header makes sense. */
#include "worker/image/pixels.h"

#define HEADER 18
#define FROM_RIGHT 0x10
#define FROM_TOP 0x20

enum kind {
    TGA_MAP = 1,
    TGA_COLOUR = 2,
    TGA_GREY = 3,
};
#define TGA_RUNS 8 /* on top of the kind */

struct tga {
    const uint8_t *p, *end;
    unsigned kind, bits, size, alpha_bits; /* size: bytes of a pixel */
    bool runs;
    const uint8_t *map;
    unsigned map_first, map_count, map_size;
};

static bool is_depth(unsigned bits)
{
    return bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

static bool is_legal(const uint8_t *p)
{
    unsigned kind = p[2] & 7u, bits = p[16];

    if ((p[2] & ~(7u | TGA_RUNS)) || p[1] > 1 || (p[17] & 0xc0))
        return false;
    if (kind == TGA_MAP)
        return p[1] == 1 && (bits == 8 || bits == 16) && is_depth(p[7]) && rf_le16(p + 5) > 0;
    if (kind == TGA_GREY)
        return bits == 8 || bits == 16;
    return kind == TGA_COLOUR && is_depth(bits);
}

bool rf_is_tga(struct rf_str bytes)
{
    const uint8_t *p = rf_bytes_of(bytes);

    return rf_has(bytes, 0, HEADER + 1) && is_legal(p) && (p[17] & 15) <= 8 &&
           rf_le16(p + 12) > 0 && rf_le16(p + 14) > 0 && (p[1] == 1 || !rf_le32(p + 3));
}

/* Colours of two bytes have five bits each, and one for transparency. */
static void put_colour(const uint8_t *p, unsigned size, bool alpha, uint8_t *to)
{
    if (size == 2) {
        unsigned v = rf_le16(p);
        rf_put(to, (uint8_t)((v >> 10 & 31) * 255 / 31), (uint8_t)((v >> 5 & 31) * 255 / 31),
               (uint8_t)((v & 31) * 255 / 31), alpha && !(v >> 15) ? 0 : 255);
        return;
    }
    rf_put(to, p[2], p[1], p[0], size == 4 ? p[3] : 255);
}

static void put(const struct tga *t, const uint8_t *p, uint8_t *to)
{
    if (t->kind == TGA_GREY) {
        rf_put(to, p[0], p[0], p[0], t->size == 2 ? p[1] : 255);
        return;
    }
    if (t->kind == TGA_COLOUR) {
        put_colour(p, t->size, t->alpha_bits > 0, to);
        return;
    }
    unsigned index = t->size == 2 ? rf_le16(p) : p[0];
    if (index >= t->map_first && index - t->map_first < t->map_count)
        put_colour(t->map + (size_t)(index - t->map_first) * t->map_size, t->map_size,
                   t->map_size == 4, to);
    else
        rf_put(to, 0, 0, 0, 255);
}

static uint8_t *place(const struct rf_pixels *px, size_t i, unsigned flags)
{
    uint32_t x = (uint32_t)(i % px->width), y = (uint32_t)(i / px->width);
    return rf_pixel(px, flags & FROM_RIGHT ? px->width - 1 - x : x,
                    flags & FROM_TOP ? y : px->height - 1 - y);
}

/* Returns how many pixels were there. */
static size_t read_pixels(struct tga *t, struct rf_pixels *px, unsigned flags)
{
    size_t count = (size_t)px->width * px->height, i = 0;

    while (i < count) {
        unsigned n = 1, head = 0;
        if (t->runs) {
            if (t->p == t->end)
                return i;
            head = *t->p++;
            n = (head & 127) + 1;
        }
        bool same = head & 128;
        for (unsigned k = 0; k < n && i < count; k++) {
            if ((size_t)(t->end - t->p) < t->size)
                return i;
            put(t, t->p, place(px, i++, flags));
            if (!same || k + 1 == n)
                t->p += t->size;
        }
    }
    return i;
}

static bool take_map(struct tga *t, const uint8_t *head)
{
    t->map_first = rf_le16(head + 3);
    t->map_count = rf_le16(head + 5);
    t->map_size = (head[7] + 7u) / 8;
    t->map = t->p;
    size_t n = head[1] ? (size_t)t->map_count * t->map_size : 0;
    if ((size_t)(t->end - t->p) < n)
        return false;
    t->p += n;
    return true;
}

/* Few programs say whether the fourth byte means anything: it does where it is not zero everywhere.
 */
static void settle_alpha(struct rf_pixels *px)
{
    size_t count = (size_t)px->width * px->height;

    px->alpha = false;
    for (size_t i = 0; i < count && !px->alpha; i++)
        px->alpha = px->p[i * 4 + 3] != 0;
    for (size_t i = 0; i < count && !px->alpha; i++)
        px->p[i * 4 + 3] = 255;
}

enum rf_code rf_read_tga(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    const uint8_t *p = rf_bytes_of(bytes);

    if (!rf_has(bytes, 0, HEADER) || !is_legal(p))
        return rf_fail(err, RF_EFORMAT, "the Targa picture's header is nonsense");
    struct tga t = { .end = p + bytes.n,
                     .kind = p[2] & 7u,
                     .bits = p[16],
                     .size = (p[16] + 7u) / 8,
                     .alpha_bits = p[17] & 15u,
                     .runs = p[2] & TGA_RUNS };
    if (!rf_has(bytes, HEADER, p[0]))
        return rf_cut(err, "Targa picture");
    t.p = p + HEADER + p[0];
    if (!take_map(&t, p))
        return rf_cut(err, "Targa picture");
    enum rf_code rc = rf_pixels_make(px, rf_le16(p + 12), rf_le16(p + 14), a, err);
    if (rc)
        return rc;
    px->alpha = t.kind == TGA_GREY  ? t.size == 2
                : t.kind == TGA_MAP ? t.map_size == 4
                                    : t.alpha_bits > 0;
    size_t got = read_pixels(&t, px, p[17]);
    if (t.kind == TGA_COLOUR && t.size == 4)
        settle_alpha(px);
    px->cut_off = got < (size_t)px->width * px->height;
    return got ? RF_OK : rf_cut(err, "Targa picture");
}
