/* Addresses. What somebody configured is used as it is, but for a slash at its end; a variable
 * whose row is plain http (a server of one's own) may leave out the scheme and the port. Names
 * of places are held to letters, digits and hyphens, so that none can lead to another host. */
#include "net/address.h"

#include "base/arena.h"
#include "base/buf.h"
#include "config/moved.h"

#include <stdlib.h>

#define MAX_URL 8192

static struct rf_str after(struct rf_str s, size_t n)
{
    return (struct rf_str){ s.p + n, s.n - n };
}

static struct rf_str without_slashes(struct rf_str s)
{
    while (s.n && s.p[s.n - 1] == '/')
        s.n--;
    return s;
}

/* Visible ASCII, and nothing that would end the path. */
static bool is_plain(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= 0x20 || s.p[i] >= 0x7f || strchr("?#\\\"<>", s.p[i]))
            return false;
    return true;
}

static struct rf_str host_of(struct rf_str url)
{
    struct rf_str rest = url, host = { 0 };
    size_t scheme = rf_str_starts(url, "https://") ? 8 : rf_str_starts(url, "http://") ? 7 : url.n;
    rest = after(rest, scheme);
    rf_str_split(&rest, '/', &host);
    return host;
}

static bool has_port(struct rf_str host)
{
    size_t i = host.n;
    while (i > 0 && rf_is_digit(host.p[i - 1]))
        i--;
    return i > 0 && i < host.n && host.p[i - 1] == ':' && (i == 1 || host.p[i - 2] != ':');
}

/* "HOST", "HOST:PORT" and ":PORT" of a server of one's own. One that listens everywhere is asked
 * here. */
static struct rf_str with_scheme(const struct rf_provider_row *row, struct rf_str given,
                                 struct rf_arena *a)
{
    struct rf_str own = row->base_url ? rf_str(row->base_url) : (struct rf_str){ 0 };
    if (!rf_str_starts(own, "http://") || rf_str_contains(given, RF_STR("://")))
        return given;
    struct rf_str own_host = host_of(own), rest = given, host = { 0 }, port = { 0 };
    rf_str_split(&rest, '/', &host);
    if (has_port(host)) {
        size_t at = host.n;
        while (host.p[at - 1] != ':')
            at--;
        port = after(host, at);
        host.n = at - 1;
    } else {
        port = own_host;
        struct rf_str name;
        rf_str_split(&port, ':', &name);
    }
    if (!host.n || rf_str_is(host, "0.0.0.0") || rf_str_is(host, "[::]"))
        rf_str_split(&own_host, ':', &host);
    return rf_strf(a, "http://%.*s:%.*s%s%.*s", RF_FMT(host), RF_FMT(port), rest.n ? "/" : "",
                   RF_FMT(rest));
}

/* The value is not repeated: what stands before an "@" may be a password. */
static enum rf_code check(struct rf_str url, const char *from, struct rf_err *err)
{
    struct rf_str host = host_of(url);
    if (!host.n || !is_plain(url)) {
        rf_fail(err, RF_ECONFIG, "%s holds no web address", from);
        rf_hint(err,
                "It starts with https:// or http://, names a host, and has no \"?\" or \"#\".");
        return RF_ECONFIG;
    }
    if (memchr(host.p, '@', host.n)) {
        rf_fail(err, RF_ECONFIG, "the address in %s holds a user name or a password", from);
        rf_hint(err, "Leave out what stands before the \"@\": keys have variables of their own.");
        return RF_ECONFIG;
    }
    return RF_OK;
}

/* The address of a location that has its own. */
static struct rf_str of_place(const struct rf_provider_row *row, struct rf_str location)
{
    struct rf_str rest = rf_str(row->places), url, name;
    while (rf_str_split(&rest, ' ', &url)) {
        rf_str_split(&url, '=', &name);
        if (rf_str_eq(name, location))
            return url;
    }
    return (struct rf_str){ 0 };
}

/* Filling in. */

static bool is_unreserved(char c)
{
    return rf_is_alnum(c) || (c && strchr("-._~", c));
}

static void add_encoded(struct rf_buf *b, struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (is_unreserved(s.p[i]))
            rf_buf_addc(b, s.p[i]);
        else
            rf_buf_addf(b, "%%%02X", (unsigned char)s.p[i]);
    }
}

/* Letters, digits and hyphens: what names of regions and locations are made of. */
static bool is_name(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_unreserved(s.p[i]) || strchr("._~", s.p[i]))
            return false;
    return true;
}

struct part {
    const char *name, *variables;
    struct rf_str value;
    bool is_name;
};

static enum rf_code add_part(struct rf_buf *b, const struct rf_provider_row *row,
                             const struct part *p, struct rf_err *err)
{
    const char *variables = p->variables ? p->variables : "";
    if (p->value.n && (!p->is_name || is_name(p->value))) {
        add_encoded(b, p->value);
        return RF_OK;
    }
    rf_fail(err, RF_ECONFIG,
            p->value.n ? "the %s of \"%s\" is not the name of one" : "no %s is known for \"%s\"",
            p->name, row->provider);
    rf_hint(err, "Set %.*s, or \"%s\" under providers, %s, in the configuration.",
            (int)strcspn(variables, ","), variables, p->name, row->provider);
    return RF_ECONFIG;
}

static enum rf_code add_named(struct rf_buf *b, const struct rf_provider_row *row,
                              struct rf_str name, const struct rf_address_parts *parts,
                              struct rf_err *err)
{
    const struct part known[] = {
        { "region", row->region_variables, parts->region, true },
        { "project", row->project_variables, parts->project, false },
        { "location", row->location_variables, parts->location, true },
        { "model", NULL, parts->model, false },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rf_str_is(name, known[i].name))
            return add_part(b, row, &known[i], err);
    RF_BUG("a template with an unknown name");
}

enum rf_code rf_address_fill(const struct rf_provider_row *row, const char *template,
                             const struct rf_address_parts *parts, struct rf_arena *a,
                             const char **out, struct rf_err *err)
{
    struct rf_buf b;
    struct rf_str text;
    enum rf_code rc = RF_OK;
    bool hidden = false;
    rf_buf_init(&b, a, MAX_URL);
    for (const char *p = template; !rc && *p; p++) {
        size_t n = *p == '{' ? strcspn(p, "}") : 0;
        if (*p == '[' || *p == ']')
            hidden = *p == '[' && !parts->whole;
        else if (n && !hidden)
            rc = add_named(&b, row, (struct rf_str){ p + 1, n - 1 }, parts, err);
        else if (!hidden)
            rf_buf_addc(&b, *p);
        p += n;
    }
    if (!rc)
        rc = rf_buf_finish(&b, &text, err);
    if (!rc)
        *out = text.p;
    return rc;
}

enum rf_code rf_address_base(const struct rf_provider_row *row,
                             const struct rf_config_provider *said,
                             const struct rf_address_parts *parts, struct rf_arena *a,
                             const char **out, struct rf_err *err)
{
    const char *from = "\"base_url\" of the configuration";
    struct rf_str url = said ? said->base_url : (struct rf_str){ 0 };
    if (!url.n)
        url = with_scheme(row, rf_variable_of(rf_moving_variables(rf_str(row->provider)), a, &from),
                          a);
    if (url.n) {
        enum rf_code rc = check(url, from, err);
        if (!rc)
            *out = rf_cstr(a, without_slashes(url));
        return rc;
    }
    url = of_place(row, parts->location);
    const char *template = url.n ? rf_cstr(a, url) : row->base_url;
    *out = NULL;
    return template ? rf_address_fill(row, template, parts, a, out, err) : RF_OK;
}

const char *rf_address_join(const char *base, const char *path, struct rf_arena *a)
{
    size_t first = path[0] == '/' ? 1 + strcspn(path + 1, "/") : 0;
    struct rf_str b = rf_str(base);
    bool twice =
        first > 1 && path[first] && b.n > first && memcmp(b.p + b.n - first, path, first) == 0;
    return rf_str_join(a, b, rf_str(twice ? path + first : path)).p;
}
