#include "content/call_id.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/utf8.h"

#define SEPARATOR "__thought__"
#define SEPARATOR_BYTES (sizeof SEPARATOR - 1)
#define STANDS_FOR "call__as__"
#define STANDS_FOR_BYTES (sizeof STANDS_FOR - 1)

/* Where the separator begins; all of it where there is none. */
static size_t plain_length(struct rf_str id)
{
    const char *at = id.n ? memmem(id.p, id.n, SEPARATOR, SEPARATOR_BYTES) : NULL;
    return at ? (size_t)(at - id.p) : id.n;
}

static struct rf_str without_padding(struct rf_str mark)
{
    while (mark.n && mark.p[mark.n - 1] == '=')
        mark.n--;
    return mark;
}

/* Base64 for URLs, without padding or with it, as base64. */
static struct rf_str padded(struct rf_str code, struct rf_arena *a)
{
    code = without_padding(code);
    size_t padding = (4 - code.n % 4) % 4;
    char *out = rf_arena_alloc(a, code.n + padding + 1);
    for (size_t i = 0; i < code.n; i++)
        out[i] = code.p[i] == '-' ? '+' : code.p[i] == '_' ? '/' : code.p[i];
    memset(out + code.n, '=', padding);
    return (struct rf_str){ out, code.n + padding };
}

struct rf_str rf_call_id_marked(struct rf_str id, struct rf_str mark, struct rf_arena *a)
{
    mark = without_padding(mark);
    char *out = rf_arena_alloc(a, id.n + SEPARATOR_BYTES + mark.n + 1), *p = out;
    if (id.n)
        memcpy(p, id.p, id.n);
    memcpy(p + id.n, SEPARATOR, SEPARATOR_BYTES);
    p += id.n + SEPARATOR_BYTES;
    for (size_t i = 0; i < mark.n; i++) {
        char c = mark.p[i];
        if (!rf_is_alnum(c) && c != '+' && c != '/' && c != '-' && c != '_')
            return RF_STR("");
        *p++ = c == '+' ? '-' : c == '/' ? '_' : c;
    }
    return mark.n ? (struct rf_str){ out, (size_t)(p - out) } : RF_STR("");
}

struct rf_str rf_call_id_plain(struct rf_str id)
{
    return (struct rf_str){ id.p, plain_length(id) };
}

struct rf_str rf_call_id_mark(struct rf_str id, struct rf_arena *a)
{
    size_t begin = plain_length(id) + SEPARATOR_BYTES;
    if (begin >= id.n)
        return RF_STR("");
    return padded((struct rf_str){ id.p + begin, id.n - begin }, a);
}

/* Words */

static bool is_word(struct rf_str id)
{
    for (size_t i = 0; i < id.n; i++)
        if (!rf_is_alnum(id.p[i]) && id.p[i] != '_' && id.p[i] != '-')
            return false;
    return true;
}

struct rf_str rf_call_id_word(struct rf_str id, struct rf_arena *a)
{
    if (is_word(id))
        return id;
    char *out = rf_arena_alloc(a, STANDS_FOR_BYTES + (size_t)rf_base64_length(id.n) + 1);
    memcpy(out, STANDS_FOR, STANDS_FOR_BYTES);
    struct rf_str code = { out + STANDS_FOR_BYTES,
                           rf_base64_encode(id.p, id.n, out + STANDS_FOR_BYTES) };
    code = without_padding(code);
    for (char *p = out + STANDS_FOR_BYTES; p < code.p + code.n; p++)
        *p = *p == '+' ? '-' : *p == '/' ? '_' : *p;
    return (struct rf_str){ out, STANDS_FOR_BYTES + code.n };
}

struct rf_str rf_call_id_meant(struct rf_str id, struct rf_arena *a)
{
    size_t n;
    if (!rf_str_starts(id, STANDS_FOR))
        return id;
    struct rf_str code =
        padded((struct rf_str){ id.p + STANDS_FOR_BYTES, id.n - STANDS_FOR_BYTES }, a);
    if (!code.n || !rf_base64_decoded_length(code.p, code.n, &n))
        return id;
    char *out = rf_arena_alloc(a, n + 1);
    const struct rf_str meant = { out, n };
    return rf_base64_decode(code.p, code.n, out) && rf_utf8_valid(meant) == n ? meant : id;
}
