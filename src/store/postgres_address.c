#include "store/postgres_address.h"

#include "base/arena.h"
#include "store/postgres_library.h"

#include <arpa/inet.h>
#include <stdio.h>

#define SHORTEST 3 /* of the pieces of a password: shorter ones are in any text */

static void add_secret(struct rf_pg_address *address, struct rf_str secret, struct rf_arena *a)
{
    if (secret.n < SHORTEST)
        return;
    struct rf_str with_nul = rf_str_join(a, secret, (struct rf_str){ "", 1 });
    address->secrets = rf_str_join(a, address->secrets, with_nul);
}

/* USER:PASSWORD in any spelling: everything after the first separator. */
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

/* To another machine? */

/* The item of a list with commas; "" past its end. */
static struct rf_str item_of(struct rf_str list, size_t index)
{
    const char *end = list.p + list.n, *comma;
    while ((comma = memchr(list.p, ',', list.n)) && index--)
        list = (struct rf_str){ comma + 1, (size_t)(end - comma - 1) };
    if (comma)
        list.n = (size_t)(comma - list.p);
    return comma || !index ? list : RF_STR("");
}

static size_t count_items(struct rf_str list)
{
    size_t n = 1;
    for (size_t i = 0; i < list.n; i++)
        n += list.p[i] == ',';
    return n;
}

/* A name could lead anywhere, and so could a number that is spelled in an unusual way. */
static bool is_loopback(const char *address)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, address, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, address, &v6) != 1)
        return false;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

/* A socket (a path, or what libpq takes for an empty host), or an address of the loopback. */
static bool is_here(struct rf_str host, struct rf_arena *a)
{
    return !host.n || host.p[0] == '/' || host.p[0] == '@' ||
           rf_str_ieq(host, RF_STR("localhost")) || is_loopback(rf_cstr(a, host));
}

struct way {
    struct rf_str hosts, addresses; /* lists with commas; an address goes before its host */
    struct rf_str sslmode;
};

static bool is_all_here(const struct way *w, struct rf_arena *a)
{
    size_t count = count_items(w->addresses.n ? w->addresses : w->hosts);
    for (size_t i = 0; i < count; i++) {
        struct rf_str address = item_of(w->addresses, i);
        if (!is_here(address.n ? address : item_of(w->hosts, i), a))
            return false;
    }
    return true;
}

static struct way read_way(const PQconninfoOption *options, struct rf_arena *a)
{
    struct way w = { RF_STR(""), RF_STR(""), RF_STR("") };
    for (const PQconninfoOption *o = options; o && o->keyword; o++) {
        struct rf_str *to = strcmp(o->keyword, "host") == 0       ? &w.hosts
                            : strcmp(o->keyword, "hostaddr") == 0 ? &w.addresses
                            : strcmp(o->keyword, "sslmode") == 0  ? &w.sslmode
                                                                  : NULL;
        if (to && o->val)
            *to = rf_str_dup(a, rf_str(o->val));
    }
    return w;
}

static enum rf_code judge_way(struct rf_pg_address *address, const struct way *w,
                              struct rf_arena *a, struct rf_err *err)
{
    if (is_all_here(w, a))
        return RF_OK;
    if (rf_str_is(w->sslmode, "disable") || rf_str_is(w->sslmode, "allow")) {
        rf_fail(err, RF_ECONFIG,
                "the store \"%s\" is on another machine, and sslmode \"%.*s\" would send the "
                "password there unencrypted",
                address->shown.p, RF_FMT(w->sslmode));
        rf_hint(err, "Leave sslmode out of the address, PGSSLMODE and the service file, or set it "
                     "to require, verify-ca or verify-full.");
        return RF_ECONFIG;
    }
    /* "prefer" is what libpq does unless it is told: encrypt if the other side wants to. */
    bool weak = !w->sslmode.n || rf_str_is(w->sslmode, "prefer");
    address->sslmode = weak ? "require" : rf_cstr(a, w->sslmode);
    return RF_OK;
}

/* libpq is asked with a setting that it refuses, after it has read all the others: so it calls
 * nobody. */
static enum rf_code judge(struct rf_pg_address *address, struct rf_arena *a, struct rf_err *err)
{
    const char *const keywords[] = { "dbname", "target_session_attrs", NULL };
    const char *const values[] = { address->url, "(nobody)", NULL };
    char line[256];
    PGconn *conn = rf_pq.connectStartParams(keywords, values, 1);
    PQconninfoOption *options = conn ? rf_pq.conninfo(conn) : NULL;
    if (!options)
        RF_NO_MEMORY();
    struct way w = read_way(options, a);
    enum rf_code rc = RF_OK;
    if (w.sslmode.n) {
        rc = judge_way(address, &w, a, err);
    } else {
        rc = rf_fail(err, RF_ECONFIG, "the address \"%s\" is not understood: %s", address->shown.p,
                     rf_pg_address_words(address, rf_pq.errorMessage(conn), line, sizeof line));
        rf_hint(err, "See to what it names: the service and its file.");
    }
    rf_pq.conninfoFree(options);
    rf_pq.finish(conn);
    return rc;
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
    enum rf_code rc = judge(&address, a, err);
    if (!rc)
        *out = address;
    return rc;
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
