#include "base/utf8.h"

unsigned rf_utf8_char(const unsigned char *p, size_t n)
{
    if (n == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || n < 2 || (p[1] & 0xc0) != 0x80)
        return 0;
    if (p[0] < 0xe0)
        return 2;
    if (n < 3 || (p[2] & 0xc0) != 0x80)
        return 0;
    if (p[0] < 0xf0) {
        bool overlong = p[0] == 0xe0 && p[1] < 0xa0;
        bool surrogate = p[0] == 0xed && p[1] > 0x9f;
        return overlong || surrogate ? 0 : 3;
    }
    if (n < 4 || (p[3] & 0xc0) != 0x80)
        return 0;
    bool overlong = p[0] == 0xf0 && p[1] < 0x90;
    bool too_large = p[0] > 0xf4 || (p[0] == 0xf4 && p[1] > 0x8f);
    return overlong || too_large ? 0 : 4;
}

size_t rf_utf8_valid(struct rf_str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t i = 0;
    while (i < s.n) {
        while (i + 8 <= s.n) {
            uint64_t eight;
            memcpy(&eight, p + i, 8);
            if (eight & 0x8080808080808080u)
                break;
            i += 8;
        }
        unsigned n = rf_utf8_char(p + i, s.n - i);
        if (!n)
            return i;
        i += n;
    }
    return i;
}

bool rf_utf8_partial(const unsigned char *p, size_t n)
{
    if (n == 0 || n > 3 || p[0] < 0xc2 || p[0] > 0xf4)
        return false;
    unsigned whole = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    unsigned char full[4] = { p[0], 0x80, 0x80, 0x80 };
    if (p[0] == 0xe0)
        full[1] = 0xa0;
    if (p[0] == 0xf0)
        full[1] = 0x90;
    for (size_t i = 1; i < n; i++)
        full[i] = p[i];
    return n < whole && rf_utf8_char(full, whole) == whole;
}

unsigned rf_utf8_put(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

struct rf_str rf_utf8_cut(struct rf_str s, size_t max)
{
    if (s.n <= max)
        return s;
    size_t n = max;
    while (n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    return (struct rf_str){ s.p, n };
}

/* All bytes of a character but its first. */
static bool is_inner(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

struct rf_str rf_utf8_inner(struct rf_str s, size_t max)
{
    size_t begin = 0, back = 0;
    while (begin < 3 && begin < s.n && is_inner(s.p[begin]))
        begin++;
    size_t end = s.n - begin > max ? begin + max : s.n;
    while (end < s.n && end > begin && back < 3 && is_inner(s.p[end])) {
        end--;
        back++;
    }
    if (end == begin && end < s.n) { /* it is longer than `max` */
        end++;
        while (end < s.n && end - begin < 4 && is_inner(s.p[end]))
            end++;
    }
    return (struct rf_str){ s.p + begin, end - begin };
}
