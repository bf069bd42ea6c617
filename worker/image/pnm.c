/* PBM, PGM and PPM: "P1" to "P6", width, height, the largest value, all in decimal with white space
 * and comments between; then the values, in decimal (1 to 3) or as bits, bytes or pairs of bytes (4
 * to 6).
 *
 * libvips 8.14 reads it too, but not what the largest value means (white is black where that is 1),
 * and shows nothing of one that is cut off. */
#include "worker/image/pixels.h"

#define MAX_NUMBER 0x7fffffff

struct pnm {
    const uint8_t *p, *end;
    unsigned kind, top; /* '1' to '6'; the value that is white */
    unsigned bit;       /* the next one of a row of bits */
};

static void skip_space(struct pnm *m)
{
    while (m->p < m->end && (rf_is_space(*m->p) || *m->p == '#')) {
        if (*m->p == '#') {
            while (m->p < m->end && *m->p != '\n')
                m->p++;
        } else {
            m->p++;
        }
    }
}

static bool number(struct pnm *m, unsigned *out)
{
    const uint8_t *from;
    unsigned v = 0;

    skip_space(m);
    for (from = m->p; m->p < m->end && rf_is_digit(*m->p); m->p++) {
        if (v > MAX_NUMBER / 10 - 1)
            return false;
        v = v * 10 + (unsigned)(*m->p - '0');
    }
    *out = v;
    return m->p > from;
}

/* Plain bits need no space between them. */
static bool plain_bit(struct pnm *m, unsigned *out)
{
    skip_space(m);
    if (m->p == m->end || (*m->p != '0' && *m->p != '1'))
        return false;
    *out = *m->p++ == '0';
    return true;
}

static bool raw_bit(struct pnm *m, unsigned *out)
{
    if (m->p == m->end)
        return false;
    *out = !(*m->p >> (7 - m->bit) & 1);
    m->bit = (m->bit + 1) % 8;
    m->p += m->bit == 0;
    return true;
}

static bool raw_value(struct pnm *m, unsigned *out)
{
    size_t size = m->top > 255 ? 2 : 1;

    if ((size_t)(m->end - m->p) < size)
        return false;
    *out = size == 2 ? rf_be16(m->p) : *m->p;
    m->p += size;
    return true;
}

static bool value(struct pnm *m, uint8_t *out)
{
    unsigned v = 0;
    bool there = m->kind == '1'   ? plain_bit(m, &v)
                 : m->kind == '4' ? raw_bit(m, &v)
                 : m->kind < '4'  ? number(m, &v)
                                  : raw_value(m, &v);

    *out = v >= m->top ? 255 : (uint8_t)((v * 255 + m->top / 2) / m->top);
    return there;
}

static bool pixel(struct pnm *m, uint8_t *to)
{
    bool colour = m->kind == '3' || m->kind == '6';

    if (!value(m, to) || (colour && (!value(m, to + 1) || !value(m, to + 2))))
        return false;
    if (!colour)
        to[1] = to[2] = to[0];
    to[3] = 255;
    return true;
}

enum rf_code rf_read_pnm(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    const uint8_t *p = rf_bytes_of(bytes);
    struct pnm m = { p + 2, p + bytes.n, p[1], 1, 0 };
    unsigned width, height;

    if (!number(&m, &width) || !number(&m, &height) ||
        (m.kind != '1' && m.kind != '4' && !number(&m, &m.top)) || !m.top || m.top > 65535)
        return rf_fail(err, RF_EFORMAT, "the PNM picture's header is nonsense");
    px->bits = m.top > 255 ? 16 : m.top > 1 ? 8 : 1;
    enum rf_code rc = rf_pixels_make(px, width, height, a, err);
    if (rc)
        return rc;
    m.p += m.kind >= '4' && m.p < m.end; /* one white space, and no more */
    for (uint32_t y = 0; y < px->height; y++) {
        for (uint32_t x = 0; x < px->width; x++) {
            if (!pixel(&m, rf_pixel(px, x, y))) {
                px->cut_off = true;
                return y ? RF_OK : rf_cut(err, "PNM picture");
            }
        }
        m.p += m.bit != 0;
        m.bit = 0;
    }
    return RF_OK;
}
