#include "net/form.h"

#include "base/arena.h"
#include "base/base64.h"

void rf_form_text(struct rf_buf *b, struct rf_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool plain = rf_is_alnum(c) || (c && strchr("-._~", c));
        if (plain)
            rf_buf_addc(b, c);
        else
            rf_buf_addf(b, "%%%02X", (unsigned char)c);
    }
}

void rf_form_field(struct rf_buf *b, const char *name, struct rf_str value)
{
    rf_buf_addf(b, "%s%s=", b->n ? "&" : "", name);
    rf_form_text(b, value);
}

struct rf_str rf_form_decode(struct rf_str s, struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool encoded = s.p[i] == '%' && i + 2 < s.n && rf_hex_digit(s.p[i + 1]) >= 0 &&
                       rf_hex_digit(s.p[i + 2]) >= 0;
        if (encoded) {
            out[n++] = (char)(rf_hex_digit(s.p[i + 1]) * 16 + rf_hex_digit(s.p[i + 2]));
            i += 2;
        } else {
            out[n++] = s.p[i] == '+' ? ' ' : s.p[i];
        }
    }
    out[n] = '\0';
    return (struct rf_str){ out, n };
}

const struct rf_str *rf_form_get(struct rf_str fields, const char *name, struct rf_arena *a)
{
    struct rf_str field, key;
    while (rf_str_split(&fields, '&', &field)) {
        struct rf_str value = field;
        if (!rf_str_split(&value, '=', &key) || !rf_str_is(rf_form_decode(key, a), name))
            continue;
        struct rf_str *out = RF_NEW(a, struct rf_str);
        *out = rf_form_decode(value, a);
        return out;
    }
    return NULL;
}

struct rf_str rf_base64url(struct rf_str bytes, struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, (size_t)rf_base64_length(bytes.n) + 1);
    size_t n = rf_base64_encode(bytes.p, bytes.n, out);
    while (n && out[n - 1] == '=')
        n--;
    for (size_t i = 0; i < n; i++)
        out[i] = out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i];
    return (struct rf_str){ out, n };
}
