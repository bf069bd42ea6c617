#include "base/json_escape.h"

#include "base/lanes.h"
#include "base/utf8.h"

const char rf_json_unescaped[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

/* By the character, the letter of its two-character escape; 0 where only \u00XX will do. */
static const char letters[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
    ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
};

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

size_t rf_json_plain(struct rf_str s)
{
    size_t i = 0;
    for (; s.n - i >= RF_LANES; i += RF_LANES) {
        rf_mask stops = rf_lanes_stops(rf_lanes_load(s.p + i));
        if (stops)
            return i + rf_mask_first(stops);
    }
    while (i < s.n && is_plain(s.p[i]))
        i++;
    return i;
}

uint64_t rf_json_escaped_length(struct rf_str s)
{
    uint64_t n = s.n;
    for (size_t i = rf_json_plain(s); i < s.n;) {
        n += letters[(unsigned char)s.p[i]] ? 1 : 5;
        i++;
        i += rf_json_plain((struct rf_str){ s.p + i, s.n - i });
    }
    return n;
}

struct rf_str rf_json_escaped_front(struct rf_str s, uint64_t most)
{
    for (uint64_t n; (n = rf_json_escaped_length(s)) > most;)
        s = rf_utf8_cut(s, s.n - (size_t)((n - most - 1) / RF_JSON_MOST_ESCAPED) - 1);
    return s;
}

static inline char *put_escape(char *q, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    *q++ = '\\';
    if (letters[c]) {
        *q++ = letters[c];
        return q;
    }
    memcpy(q, "u00", 3);
    q[3] = hex[c >> 4];
    q[4] = hex[c & 15];
    return q + 5;
}

/* Are all bytes of a word plain? Subtracting n from every byte at once sets the high bit of the
 * lowest one that is below n; what it borrows may set others, but never where there is none. */
static inline bool is_plain_word(uint64_t x)
{
    const uint64_t ones = UINT64_MAX / 255, high = ones << 7;
    uint64_t quote = x ^ ones * '"', backslash = x ^ ones * '\\';
    return !(((x - ones * 0x20) & ~x) & high) && !(((quote - ones) & ~quote) & high) &&
           !(((backslash - ones) & ~backslash) & high);
}

/* Copy 4 to 16 bytes, as two words that may overlap, unless one has to be escaped. */
static inline bool copy_plain(const char *p, size_t n, char *out)
{
    uint64_t first = 0, last = 0;
    if (n < 8) {
        uint32_t a, b;
        memcpy(&a, p, 4);
        memcpy(&b, p + n - 4, 4);
        if (!is_plain_word((uint64_t)a << 32 | b))
            return false;
        memcpy(out, &a, 4);
        memcpy(out + n - 4, &b, 4);
        return true;
    }
    memcpy(&first, p, 8);
    memcpy(&last, p + n - 8, 8);
    if (!is_plain_word(first) || !is_plain_word(last))
        return false;
    memcpy(out, &first, 8);
    memcpy(out + n - 8, &last, 8);
    return true;
}

/* A vector is copied as a whole, and after each escape in it once more from there on, to where that
 * belongs. What is copied too far is written over later; nothing gets shorter, so that as much fits
 * into `out` as is left to read. */
size_t rf_json_escape(struct rf_str s, char *out)
{
    if (!s.n)
        return 0; /* it may have no memory */
    if (s.n >= 4 && s.n <= 16 && copy_plain(s.p, s.n, out))
        return s.n;
    char *q = out;
    const char *p = s.p, *end = p + s.n;
    while (end - p >= 2 * RF_LANES) {
        const char *begin = p;
        rf_lanes x = rf_lanes_load(p);
        rf_lanes_store(q, x);
        for (rf_mask m = rf_lanes_stops(x); m; m = rf_mask_rest(m)) {
            const char *at = begin + rf_mask_first(m);
            q = put_escape(q + (at - p), (unsigned char)*at);
            p = at + 1;
            rf_lanes_store(q, rf_lanes_load(p));
        }
        q += begin + RF_LANES - p;
        p = begin + RF_LANES;
    }
    for (; end - p >= 8 && copy_plain(p, 8, q); p += 8)
        q += 8;
    for (; p < end; p++) {
        if (is_plain(*p))
            *q++ = *p;
        else
            q = put_escape(q, (unsigned char)*p);
    }
    return (size_t)(q - out);
}
