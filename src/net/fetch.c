/* Fetching what a stranger named, or a person.
 *
 * What is checked is the address of the socket that is about to be connected, not the name and not
 * an answer of the name server: so decimal and octal spellings, names that lead inside, names that
 * lead elsewhere when they are asked again, and redirects all end at the same check.
 *
 * An address that a model made up may carry what was said to it, so a host is asked only where
 * somebody wants it to be. Redirects are followed here, each as if it had been named. */
#include "net/fetch.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "net/reach.h"
#include "net/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_BYTES ((uint64_t)50 << 20)
#define MAX_URL 8192
#define MAX_REDIRECTS 10
#define MAX_MS (30 * 1000)
#define MAX_NAMED_MS (5 * 60 * 1000)
#define MAX_NAME 100 /* bytes */

struct fetch {
    int fd;
    uint64_t size;
    int status;
    bool too_long;
    int write_errno;
    bool may_be_inside; /* this machine, a private network */
    bool was_outside;   /* in this call or one before */
};

static bool is_redirect(int status)
{
    return status >= 300 && status < 400;
}

static bool take_status(void *ctx, int status, struct rf_str content_type)
{
    struct fetch *f = ctx;
    (void)content_type;
    f->status = status;
    return status == 200 || is_redirect(status);
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct fetch *f = ctx;
    f->too_long = bytes.n > MAX_BYTES - f->size;
    if (is_redirect(f->status)) { /* the words beside it */
        f->size += bytes.n;
        return !f->too_long;
    }
    while (!f->too_long && bytes.n) {
        ssize_t n = write(f->fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            f->write_errno = n ? errno : EIO;
            return false;
        }
        bytes.p += n;
        bytes.n -= (size_t)n;
        f->size += (uint64_t)n;
    }
    return !f->too_long;
}

static bool may_connect(void *ctx, const void *address)
{
    struct fetch *f = ctx;
    bool outside = rf_ring_of(address) == RF_RING_OUTSIDE;
    f->was_outside |= outside;
    return outside || f->may_be_inside;
}

static size_t scheme_length(struct rf_str url)
{
    static const struct rf_str schemes[] = { RF_STR_INIT("https://"), RF_STR_INIT("http://") };
    for (size_t i = 0; i < 2; i++)
        if (url.n > schemes[i].n && rf_str_ieq((struct rf_str){ url.p, schemes[i].n }, schemes[i]))
            return schemes[i].n;
    return 0;
}

/* Printable ASCII without what programs disagree about: a space, a backslash, quotes. */
static bool is_url_text(struct rf_str url)
{
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] <= ' ' || url.p[i] > '~' || strchr("\\\"<>`{}|^", url.p[i]))
            return false;
    return url.n <= MAX_URL;
}

/* What stands between the scheme and the path. */
static struct rf_str authority_of(struct rf_str url)
{
    size_t begin = scheme_length(url), end = begin;
    while (end < url.n && !strchr("/?#", url.p[end]))
        end++;
    return (struct rf_str){ url.p + begin, end - begin };
}

/* Without a port and a dot at the end, in lower case. */
static struct rf_str host_of(struct rf_str url, struct rf_arena *a)
{
    struct rf_str host = authority_of(url);
    size_t n = host.n;
    while (n > 0 && rf_is_digit(host.p[n - 1]))
        n--;
    if (n > 0 && host.p[n - 1] == ':')
        host.n = n - 1;
    if (host.n > 1 && host.p[host.n - 1] == '.')
        host.n--;
    char *lower = rf_arena_alloc(a, host.n + 1);
    for (size_t i = 0; i < host.n; i++)
        lower[i] = (char)(host.p[i] | (host.p[i] >= 'A' && host.p[i] <= 'Z' ? 0x20 : 0));
    return (struct rf_str){ lower, host.n };
}

/* A name, or an address, in the one way of writing it that everybody reads alike. */
static bool is_host(struct rf_str host)
{
    bool bracketed = host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']';
    if (bracketed)
        host = (struct rf_str){ host.p + 1, host.n - 2 };
    for (size_t i = 0; i < host.n; i++) {
        char c = host.p[i];
        bool plain = (c >= 'a' && c <= 'z') || rf_is_digit(c) || c == '.';
        if (!plain && !(bracketed ? c == ':' : c == '-' || c == '_'))
            return false;
    }
    return host.n > 0;
}

static enum rf_code check_url(struct rf_str url, enum rf_code code, struct rf_arena *a,
                              struct rf_err *err)
{
    struct rf_str authority = authority_of(url);
    if (memchr(authority.p, '@', authority.n)) {
        rf_fail(err, code, "the web address holds a user name or a password");
        rf_hint(err, "Leave out what stands before the \"@\".");
        return code;
    }
    if (scheme_length(url) && is_url_text(url) && is_host(host_of(url, a)))
        return RF_OK;
    rf_fail(err, code, "this is not a web address that can be fetched");
    rf_hint(err, "It begins with https:// or http:// and the name of a host, and other characters "
                 "are written as %%20.");
    return code;
}

/* Hosts */

/* "example.org", "*.example.org" for all below it, or "*". */
static bool is_named_by(struct rf_str host, struct rf_str entry)
{
    if (rf_str_is(entry, "*") || rf_str_ieq(host, entry))
        return true;
    struct rf_str below = { entry.p + 1, entry.n - 1 };
    return rf_str_starts(entry, "*.") && host.n > below.n &&
           rf_str_ieq((struct rf_str){ host.p + host.n - below.n, below.n }, below);
}

static bool is_listed(const struct rf_config *c, struct rf_str host)
{
    for (size_t i = 0; i < c->fetch_host_count; i++)
        if (is_named_by(host, c->fetch_hosts[i]))
            return true;
    return false;
}

/* `visited` is the host before a redirect, or empty. */
static enum rf_code check_host(const struct rf_fetching *w, struct rf_str url, struct rf_arena *a,
                               struct rf_str *visited, struct rf_err *err)
{
    struct rf_str host = host_of(url, a);
    if (w->named || rf_str_eq(host, *visited) || is_listed(w->config, host) ||
        (w->may_visit && w->may_visit(w->ctx, host, url))) {
        *visited = host;
        return RF_OK;
    }
    rf_fail(err, RF_EPERMISSION, "nothing was fetched from %.*s: permission was not given",
            RF_FMT(host));
    rf_hint(err, "Go on without it, or tell the user what it is needed for.");
    return RF_EPERMISSION;
}

/* Not what was asked for is wrong, but where the server sends whoever asks. */
static enum rf_code fail_led_away(enum rf_code code, struct rf_err *err)
{
    rf_fail(err, code, "the address leads to something that is not fetched");
    rf_hint(err, "Only what is at https:// or http:// is, without a user name or a password.");
    return code;
}

static enum rf_code fail_round(struct rf_err *err)
{
    rf_fail(err, RF_EPROVIDER, "the address leads on and on: there are more than %d redirects",
            MAX_REDIRECTS);
    rf_hint(err, "Name the address that it leads to.");
    return RF_EPROVIDER;
}

/* What it is called */

/* "my%20report.pdf" as it is meant, of which only what is harmless in a name stays. */
static struct rf_str clean_name(struct rf_str name, struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, name.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        int high = i + 2 < name.n && name.p[i] == '%' ? rf_hex_digit(name.p[i + 1]) : -1;
        int low = high >= 0 ? rf_hex_digit(name.p[i + 2]) : -1;
        unsigned char c = (unsigned char)(low >= 0 ? high * 16 + low : name.p[i]);
        i += low >= 0 ? 2 : 0;
        bool kept = rf_is_alnum(c) || c >= 0x80 || (c && strchr("-_+() ", c)) || (c == '.' && n);
        out[n++] = kept ? (char)c : '_';
    }
    struct rf_str made = { out, n };
    made.n = rf_utf8_valid(made);
    if (made.n > MAX_NAME) /* what it ends with tells more */
        made = (struct rf_str){ made.p + made.n - MAX_NAME, MAX_NAME };
    while (made.n && ((unsigned char)made.p[0] & 0xc0) == 0x80)
        made = (struct rf_str){ made.p + 1, made.n - 1 };
    return rf_str_trim(made);
}

static struct rf_str last_step(struct rf_str url)
{
    struct rf_str authority = authority_of(url);
    size_t begin = (size_t)(authority.p - url.p) + authority.n, end = begin;
    while (end < url.n && url.p[end] != '?' && url.p[end] != '#')
        end++;
    struct rf_str path = { url.p + begin, end - begin };
    while (path.n && path.p[path.n - 1] == '/')
        path.n--;
    return rf_str_behind(path, '/');
}

/* attachment; filename="report.pdf"; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf */
static struct rf_str disposed_name(struct rf_str header)
{
    struct rf_str piece, key, name = { 0 };
    bool best = false;
    while (!best && rf_str_split(&header, ';', &piece)) {
        if (!rf_str_split(&piece, '=', &key))
            continue;
        key = rf_str_trim(key);
        piece = rf_str_trim(piece);
        best = rf_str_ieq(key, RF_STR("filename*"));
        if (best)
            name = rf_str_behind(piece, '\'');
        else if (rf_str_ieq(key, RF_STR("filename")))
            name = piece;
    }
    if (name.n > 1 && name.p[0] == '"' && name.p[name.n - 1] == '"')
        name = (struct rf_str){ name.p + 1, name.n - 2 };
    return rf_str_behind(rf_str_behind(name, '/'), '\\');
}

/* The server's word; the address, where it names a file; where it led; its host. */
static struct rf_str name_of(struct rf_str url, struct rf_str final_url, struct rf_str disposition,
                             struct rf_arena *a)
{
    struct rf_str step = last_step(url), said = disposed_name(disposition);
    const struct rf_str names[] = {
        said,
        memchr(step.p, '.', step.n) ? step : RF_STR(""),
        last_step(final_url),
        step,
        host_of(final_url, a),
    };
    struct rf_str name = { 0 };
    for (size_t i = 0; !name.n && i < sizeof names / sizeof *names; i++)
        name = clean_name(names[i], a);
    return name.n ? name : RF_STR("page");
}

/* The call */

static enum rf_code check_allowed(const struct rf_fetching *w, struct rf_err *err)
{
    if (w->named || (w->config && w->config->fetch))
        return RF_OK;
    rf_fail(err, RF_EPERMISSION, "web addresses are not fetched");
    rf_advise(err, RF_REASON_OWN_CONFIG, "Say `fetch: true` in your own configuration.");
    return RF_EPERMISSION;
}

/* What a call that did not go well was stopped by; `rc` and `err` are its own. */
static enum rf_code explain(const struct fetch *f, enum rf_code rc, struct rf_err *err)
{
    if (f->too_long) {
        rf_fail(err, RF_ELIMIT, "the file at that address has more than %llu bytes",
                (unsigned long long)MAX_BYTES);
        rf_hint(err, "Download it by other means, and name the file.");
        return RF_ELIMIT;
    }
    if (f->write_errno) {
        errno = f->write_errno;
        return rf_fail_errno(err, "could not keep what was fetched");
    }
    if (f->status && f->status != 200) {
        bool none = f->status == 404 || f->status == 410, login = f->status == 401;
        rf_fail(err, RF_EPROVIDER, "%s: it answered with status %d",
                none    ? "the server has no such file"
                : login ? "the server wants a login"
                        : "the server did not give the file",
                f->status);
        rf_hint(err, "%s",
                f->status >= 500 ? "Try again later."
                                 : "Check the address; what needs a login cannot be fetched.");
        return RF_EPROVIDER;
    }
    return rc;
}

/* `left_ms` becomes less by what it took. */
static enum rf_code call(struct rf_net *net, const struct rf_fetching *w, struct rf_str url,
                         int64_t *left_ms, struct fetch *f, struct rf_arena *a,
                         struct rf_net_reply *reply, struct rf_err *err)
{
    struct rf_net_call c = {
        .url = rf_cstr(a, url),
        .total_ms = *left_ms > 1 ? *left_ms : 1,
        .cancel_fd = w->cancel_fd,
        .status = take_status,
        .bytes = take_bytes,
        .ctx = f,
        .may_connect = may_connect,
    };
    int64_t began = rf_now_ms();
    *f = (struct fetch){ .fd = f->fd,
                         .may_be_inside = w->named && !f->was_outside,
                         .was_outside = f->was_outside };
    enum rf_code rc = rf_net_call(net, &c, a, reply, err);
    *left_ms -= rf_now_ms() - began;
    return rc || !reply->redirect.n ? explain(f, rc, err) : RF_OK;
}

static enum rf_code follow(struct rf_net *net, const struct rf_fetching *w, struct fetch *f,
                           struct rf_arena *a, struct rf_fetched *out, struct rf_err *err)
{
    struct rf_net_reply reply = { 0 };
    struct rf_str url = w->url, visited = { 0 };
    int64_t left_ms = w->named ? MAX_NAMED_MS : MAX_MS;
    for (int hops = 0; hops <= MAX_REDIRECTS; hops++, url = reply.redirect) {
        enum rf_code rc = check_url(url, w->named ? RF_EUSAGE : RF_EPERMISSION, a, err);
        if (rc && hops)
            rc = fail_led_away(w->named ? RF_EPROVIDER : RF_EPERMISSION, err);
        if (!rc)
            rc = check_host(w, url, a, &visited, err);
        if (!rc)
            rc = call(net, w, url, &left_ms, f, a, &reply, err);
        if (!rc && !reply.redirect.n)
            *out = (struct rf_fetched){ NULL, f->size, reply.content_type, url,
                                        name_of(w->url, url, reply.content_disposition, a) };
        if (rc || !reply.redirect.n)
            return rc;
    }
    return fail_round(err);
}

enum rf_code rf_fetch(struct rf_net *net, const struct rf_fetching *w, struct rf_arena *a,
                      struct rf_fetched *out, struct rf_err *err)
{
    struct rf_fetched got;
    enum rf_code rc = check_allowed(w, err);
    if (rc)
        return rc;
    char *path = (char *)rf_strf(a, "%s/fetched-XXXXXX", w->folder).p;
    struct fetch f = { .fd = mkostemp(path, O_CLOEXEC) }; /* mode 0600 */
    if (f.fd < 0)
        return rf_fail_errno(err, "could not make a file in \"%s\"", w->folder);
    rc = follow(net, w, &f, a, &got, err);
    if (close(f.fd) && !rc)
        rc = rf_fail_errno(err, "could not keep what was fetched");
    if (rc) {
        unlink(path);
        return rc;
    }
    got.path = path;
    *out = got;
    return RF_OK;
}
