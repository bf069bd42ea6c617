#include "base/json_escape.h"

typedef unsigned char v16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef long long lanes __attribute__((vector_size(16)));

size_t rf_json_plain(struct rf_str s)
{
    size_t i = 0;
    for (; i + 16 <= s.n; i += 16) {
        v16 b = *(const v16 *)(s.p + i);
        lanes hit = (lanes)((b < 0x20) | (b == '"') | (b == '\\'));
        if (hit[0] | hit[1])
            break;
    }
    while (i < s.n && (unsigned char)s.p[i] >= 0x20 && s.p[i] != '"' && s.p[i] != '\\')
        i++;
    return i;
}

/* The letter of a two-character escape, or 0 where only \u00XX will do. */
static char short_escape(unsigned char c)
{
    switch (c) {
    case '"':
    case '\\':
        return (char)c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

uint64_t rf_json_escaped_length(struct rf_str s)
{
    uint64_t n = 0;
    while (s.n) {
        size_t plain = rf_json_plain(s);
        n += plain;
        if (plain == s.n)
            break;
        n += short_escape((unsigned char)s.p[plain]) ? 2 : 6;
        s = (struct rf_str){ s.p + plain + 1, s.n - plain - 1 };
    }
    return n;
}

size_t rf_json_escape(struct rf_str s, char *out)
{
    static const char hex[] = "0123456789abcdef";
    char *q = out;
    while (s.n) {
        size_t plain = rf_json_plain(s);
        memcpy(q, s.p, plain);
        q += plain;
        if (plain == s.n)
            break;
        unsigned char c = (unsigned char)s.p[plain];
        char letter = short_escape(c);
        *q++ = '\\';
        if (letter) {
            *q++ = letter;
        } else {
            memcpy(q, "u00", 3);
            q[3] = hex[c >> 4];
            q[4] = hex[c & 15];
            q += 5;
        }
        s = (struct rf_str){ s.p + plain + 1, s.n - plain - 1 };
    }
    return (size_t)(q - out);
}
