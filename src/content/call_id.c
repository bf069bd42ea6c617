#include "content/call_id.h"

#include "base/arena.h"

#define SEPARATOR "__thought__"
#define SEPARATOR_BYTES (sizeof SEPARATOR - 1)

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
    struct rf_str mark = without_padding((struct rf_str){ id.p + begin, id.n - begin });
    size_t padding = (4 - mark.n % 4) % 4;
    char *out = rf_arena_alloc(a, mark.n + padding + 1);
    for (size_t i = 0; i < mark.n; i++)
        out[i] = mark.p[i] == '-' ? '+' : mark.p[i] == '_' ? '/' : mark.p[i];
    memset(out + mark.n, '=', padding);
    return (struct rf_str){ out, mark.n + padding };
}
