#include "mcp/client/challenge.h"

#include "base/arena.h"

static bool is_token_char(char c)
{
    return rf_is_alnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static void skip(struct rf_str *s, const char *these)
{
    while (s->n && strchr(these, *s->p) && *s->p) {
        s->p++;
        s->n--;
    }
}

static struct rf_str take_token(struct rf_str *s)
{
    struct rf_str out = { s->p, 0 };
    while (out.n < s->n && is_token_char(s->p[out.n]))
        out.n++;
    s->p += out.n;
    s->n -= out.n;
    return out;
}

static struct rf_str take_quoted(struct rf_str *s, struct rf_arena *a)
{
    size_t end = 1, n = 0;
    while (end < s->n && s->p[end] != '"')
        end += s->p[end] == '\\' && end + 1 < s->n ? 2 : 1;
    char *out = rf_arena_alloc(a, end);
    for (size_t i = 1; i < end; i++) {
        i += s->p[i] == '\\' && i + 1 < end;
        out[n++] = s->p[i];
    }
    end = end < s->n ? end + 1 : s->n;
    s->p += end;
    s->n -= end;
    return (struct rf_str){ out, n };
}

static void take_value(struct rf_challenge *c, struct rf_str name, struct rf_str value)
{
    const struct {
        const char *name;
        struct rf_str *value;
    } known[] = {
        { "resource_metadata", &c->metadata },
        { "scope", &c->scope },
        { "error", &c->error },
        { "error_description", &c->description },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rf_str_ieq(name, rf_str(known[i].name)))
            *known[i].value = value;
}

/* challenge = scheme [ name "=" value *( "," name "=" value ) ]; challenges have commas between
 * them, too: a word without "=" is the next scheme. */
void rf_challenge_read(struct rf_str header, struct rf_arena *a, struct rf_challenge *out)
{
    *out = (struct rf_challenge){ 0 };
    bool inside = false;
    for (skip(&header, " \t,"); header.n; skip(&header, " \t,")) {
        struct rf_str word = take_token(&header);
        if (!word.n)
            return;
        skip(&header, " \t");
        if (!header.n || *header.p != '=') {
            if (out->bearer)
                return;
            inside = out->bearer = rf_str_ieq(word, RF_STR("bearer"));
            continue;
        }
        header.p++;
        header.n--;
        skip(&header, " \t=");
        struct rf_str value =
            header.n && *header.p == '"' ? take_quoted(&header, a) : take_token(&header);
        if (inside)
            take_value(out, word, value);
    }
}
