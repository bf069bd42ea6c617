#include "store/postgres_address.h"

#include "base/arena.h"
#include "store/postgres_library.h"

#include <stdio.h>

#define SHORTEST 3 /* of the pieces of a password: shorter ones are in any text */

static void add_secret(struct rf_pg_address *address, struct rf_str secret, struct rf_arena *a)
{
    if (secret.n < SHORTEST)
        return;
    struct rf_str with_nul = rf_str_join(a, secret, (struct rf_str){ "", 1 });
    address->secrets = rf_str_join(a, address->secrets, with_nul);
}

/* USER:PASSWORD in any spelling: everything behind the first separator. */
static void add_pieces(struct rf_pg_address *address, struct rf_str user_info, struct rf_arena *a)
{
    size_t from = 0;
    for (size_t i = 0; i <= user_info.n; i++) {
        if (i < user_info.n && !strchr(":@/?#&=[]", user_info.p[i]))
            continue;
        if (from > 0)
            add_secret(address, (struct rf_str){ user_info.p + from, i - from }, a);
        from = i + 1;
    }
}

/* What stands before the last '@' may be a password, whatever it looks like. */
static void split(struct rf_pg_address *address, struct rf_arena *a)
{
    const char *slashes = strstr(address->url, "://"), *at = strrchr(address->url, '@');
    struct rf_str rest = rf_str(slashes ? slashes + 3 : address->url);
    if (at && at >= rest.p) {
        add_pieces(address, (struct rf_str){ rest.p, (size_t)(at - rest.p) }, a);
        rest = rf_str(at + 1);
    }
    const char *query = memchr(rest.p, '?', rest.n);
    if (query)
        rest.n = (size_t)(query - rest.p);
    address->shown = rf_strf(a, "postgres://%.*s", (int)rest.n, rest.p);
}

static bool is_secret(const char *keyword)
{
    return strcmp(keyword, "password") == 0 || strcmp(keyword, "sslpassword") == 0;
}

enum rf_code rf_pg_address_read(const char *url, struct rf_arena *a, struct rf_pg_address *out,
                                struct rf_err *err)
{
    struct rf_pg_address address = { .url = rf_cstr(a, rf_str(url)), .options = "" };
    char *words = NULL;
    PQconninfoOption *parsed = rf_pq.conninfoParse(url, &words);
    if (!parsed) {
        rf_pq.freemem(words); /* they have the address in them */
        rf_fail(err, RF_ECONFIG, "the address of the store is not understood");
        rf_hint(err, "Write postgres://USER@HOST/DATABASE, and special characters in a name or a "
                     "password as %%40 for @ and so on.");
        return RF_ECONFIG;
    }
    split(&address, a);
    for (PQconninfoOption *o = parsed; o->keyword; o++) {
        if (o->val && is_secret(o->keyword))
            add_secret(&address, rf_str(o->val), a);
        if (o->val && strcmp(o->keyword, "options") == 0)
            address.options = rf_cstr(a, rf_str(o->val));
    }
    rf_pq.conninfoFree(parsed);
    *out = address;
    return RF_OK;
}

const char *rf_pg_address_words(const struct rf_pg_address *address, const char *words, char *out,
                                size_t size)
{
    struct rf_str secrets = address->secrets;
    for (size_t at = 0; at < secrets.n; at += strlen(secrets.p + at) + 1)
        if (strstr(words, secrets.p + at))
            return "what it said is not shown, as a password may be in it";
    struct rf_str line = rf_str_trim(rf_str(words));
    const char *end = memchr(line.p, '\n', line.n);
    snprintf(out, size, "%.*s", (int)(end ? end - line.p : (ptrdiff_t)line.n), line.p);
    return out;
}
