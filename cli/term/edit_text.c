/* UTF-8 and wide characters for the line editor, without the locale's help: a line holds nothing
 * but characters that are shown, tabs and line feeds. */
#include "term/edit_inside.h"

#include <stdint.h>

#define NONE 0xfffdU

size_t rf_edit_decode(struct rf_str s, wchar_t *out)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *p = (const unsigned char *)s.p;
    size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
    *out = (wchar_t)NONE;
    if (!n || n > s.n)
        return 1;
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7fU >> n);
    for (size_t i = 1; i < n; i++) {
        if (p[i] >> 6 != 2)
            return 1;
        c = c << 6 | (p[i] & 0x3fU);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 1;
    *out = (wchar_t)c;
    return n;
}

void rf_edit_narrow(struct rf_buffer *out, wchar_t wide)
{
    uint32_t c = (uint32_t)wide;
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        c = NONE;
    char b[4] = { (char)c };
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; n > 1 && i > 0; i--) {
        b[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    if (n > 1)
        b[0] = (char)((0xf00U >> n & 0xffU) | c);
    rf_buffer_add(out, b, n);
}

static bool is_control(wchar_t c)
{
    return (c < 0x20 && c != L'\n' && c != L'\t') || (c >= 0x7f && c < 0xa0);
}

void rf_edit_clean(struct rf_buffer *out, struct rf_str text)
{
    wchar_t before = 0;
    while (text.n) {
        wchar_t c;
        size_t used = rf_edit_decode(text, &c);
        text = (struct rf_str){ text.p + used, text.n - used };
        bool doubled = c == L'\n' && before == L'\r';
        before = c;
        if (c == L'\r')
            c = L'\n';
        if (!doubled && !is_control(c))
            rf_edit_narrow(out, rf_edit_is_reserved(c) ? (wchar_t)NONE : c);
    }
}

size_t rf_edit_characters(struct rf_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
    return n;
}
