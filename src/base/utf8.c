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

typedef unsigned char v16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef long long v2 __attribute__((vector_size(16)));

#define STEP 64

static inline v16 at(const unsigned char *p)
{
    return *(const v16 *)p;
}

static inline bool any(v16 marks)
{
    v2 lanes = (v2)marks;
    return (lanes[0] | lanes[1]) != 0;
}

/* Marks those of the 16 bytes at `p` that are wrong after the three before them. A character that
 * is broken off at the end is not wrong yet. */
static inline v16 wrong(const unsigned char *p)
{
    v16 x = at(p), before = at(p - 1);
    v16 continues = (v16)((x & 0xc0) == 0x80);
    v16 must = (v16)((before >= 0xc0) | (at(p - 2) >= 0xe0) | (at(p - 3) >= 0xf0));
    v16 never = (v16)((x == 0xc0) | (x == 0xc1) | (x > 0xf4));
    v16 below = (v16)(((before == 0xe0) & (x < 0xa0)) | ((before == 0xf0) & (x < 0x90)));
    v16 above = (v16)(((before == 0xed) & (x > 0x9f)) | ((before == 0xf4) & (x > 0x8f)));
    return (continues ^ must) | never | below | above;
}

static inline bool step_is_ascii(const unsigned char *p)
{
    return !any((at(p - 3) | at(p) | at(p + 16) | at(p + 32) | at(p + 48)) & 0x80);
}

static inline bool step_is_valid(const unsigned char *p)
{
    return !any(wrong(p) | wrong(p + 16) | wrong(p + 32) | wrong(p + 48));
}

/* Where the character begins that `p[i]` may be in the middle of; `i` where it begins there. */
static size_t boundary(const unsigned char *p, size_t i)
{
    for (size_t back = 1; back <= 3 && back <= i; back++)
        if (p[i - back] >= 0xc0)
            return i - back;
    return i;
}

static inline unsigned next_char(const unsigned char *p, size_t n)
{
    return n && *p < 0x80 ? 1 : rf_utf8_char(p, n);
}

size_t rf_utf8_valid(struct rf_str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t i = 0;
    unsigned n = s.n > 0;
    for (; n && i < 3; i += n)
        n = next_char(p + i, s.n - i);
    if (n) {
        while (s.n - i >= STEP && (step_is_ascii(p + i) || step_is_valid(p + i)))
            i += STEP;
        while (s.n - i >= 16 && !any(wrong(p + i)))
            i += 16;
        i = boundary(p, i);
    }
    for (; n && i < s.n; i += n)
        n = next_char(p + i, s.n - i);
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

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

int64_t rf_utf8_count(struct rf_str s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += begins_character(s.p[i]);
    return n;
}

size_t rf_utf8_offset(struct rf_str s, int64_t character)
{
    size_t i = 0;
    for (; i < s.n; i++)
        if (begins_character(s.p[i]) && character-- <= 0)
            break;
    return i;
}
