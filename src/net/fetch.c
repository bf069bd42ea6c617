/* Fetching what a stranger named.
 *
 * What is checked is the address of the socket that is about to be connected, not the name and not an answer
 * of the name server: so decimal and octal spellings, names that lead inside, names that lead elsewhere when
 * they are asked again, and redirects all end at the same check. */
#include "net/fetch.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_BYTES ((uint64_t)50 << 20)
#define MAX_URL 8192
#define MAX_REDIRECTS 10
#define MAX_MS (30 * 1000)

struct fetch {
    int fd;
    uint64_t size;
    int status;
    bool too_long;
    int write_errno;
};

static bool take_status(void *ctx, int status, struct rf_str content_type)
{
    struct fetch *f = ctx;
    (void)content_type;
    f->status = status;
    return status == 200;
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct fetch *f = ctx;
    f->too_long = bytes.n > MAX_BYTES - f->size;
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
    (void)ctx;
    return rf_fetch_may_reach(address);
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

static enum rf_code check_url(struct rf_str url, struct rf_err *err)
{
    size_t scheme = scheme_length(url);
    if (!scheme || !is_url_text(url)) {
        rf_fail(err, RF_EPERMISSION, "this is no web address that can be fetched");
        rf_hint(err,
                "It begins with https:// or http://, and other characters are written as %%20.");
        return RF_EPERMISSION;
    }
    for (size_t i = scheme; i < url.n && !strchr("/?#", url.p[i]); i++)
        if (url.p[i] == '@') {
            rf_fail(err, RF_EPERMISSION, "the web address holds a user name or a password");
            rf_hint(err, "Leave out what stands before the \"@\".");
            return RF_EPERMISSION;
        }
    return RF_OK;
}

static enum rf_code check_allowed(const struct rf_config *c, struct rf_err *err)
{
    if (c && c->fetch)
        return RF_OK;
    rf_fail(err, RF_EPERMISSION, "web addresses are not fetched");
    rf_hint(err, "Say `fetch: true` in your own configuration; `refract config path` says where.");
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
        rf_fail(err, RF_EPROVIDER, "the server has no such file: it answered with status %d",
                f->status);
        rf_hint(err, "Check the address; what needs a login cannot be fetched.");
        return RF_EPROVIDER;
    }
    return rc;
}

static enum rf_code call(struct rf_net *net, const char *url, int cancel_fd, struct fetch *f,
                         struct rf_arena *a, struct rf_net_reply *reply, struct rf_err *err)
{
    struct rf_net_call c = {
        .url = url,
        .total_ms = MAX_MS,
        .cancel_fd = cancel_fd,
        .status = take_status,
        .bytes = take_bytes,
        .ctx = f,
        .may_connect = may_connect,
        .redirects = MAX_REDIRECTS,
    };
    enum rf_code rc = rf_net_call(net, &c, a, reply, err);
    return rc ? explain(f, rc, err) : RF_OK;
}

enum rf_code rf_fetch(struct rf_net *net, const struct rf_config *c, struct rf_str url,
                      const char *folder, int cancel_fd, struct rf_arena *a, struct rf_fetched *out,
                      struct rf_err *err)
{
    struct fetch f = { .fd = -1 };
    struct rf_net_reply reply;
    enum rf_code rc = check_allowed(c, err);
    if (!rc)
        rc = check_url(url, err);
    if (rc)
        return rc;
    char *path = rf_arena_alloc(a, strlen(folder) + sizeof "/fetched-XXXXXX");
    memcpy(path, folder, strlen(folder));
    memcpy(path + strlen(folder), "/fetched-XXXXXX", sizeof "/fetched-XXXXXX");
    f.fd = mkostemp(path, O_CLOEXEC); /* mode 0600 */
    if (f.fd < 0)
        return rf_fail_errno(err, "could not make a file in \"%s\"", folder);
    rc = call(net, rf_cstr(a, url), cancel_fd, &f, a, &reply, err);
    if (close(f.fd) && !rc)
        rc = rf_fail_errno(err, "could not keep what was fetched");
    if (rc)
        unlink(path);
    else
        *out = (struct rf_fetched){ path, f.size, reply.content_type, reply.url };
    return rc;
}
