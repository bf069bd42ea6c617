/* Addresses to listen on, and their sockets: of our own, or handed over by who started us. */
#include "httpd/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAITING 1024 /* connections that are not accepted yet */

static enum rf_code not_an_address(const char *address, struct rf_err *err)
{
    rf_fail(err, RF_EUSAGE, "\"%s\" is not an address to listen on", address);
    rf_hint(err, "Write 127.0.0.1:PORT, [::1]:PORT or only a PORT; 0 is one that is free.");
    return RF_EUSAGE;
}

static enum rf_code resolve(const char *address, struct addrinfo **out, struct rf_err *err)
{
    struct rf_str all = rf_str(address), port = rf_str_behind(all, ':'), host;
    const struct addrinfo wanted = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                     .ai_socktype = SOCK_STREAM };
    char name[256];
    int64_t number;
    host = port.n < all.n ? (struct rf_str){ all.p, all.n - port.n - 1 } : RF_STR("127.0.0.1");
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
        host = (struct rf_str){ host.p + 1, host.n - 2 };
    else if (memchr(host.p, ':', host.n))
        return not_an_address(address, err);
    if (!host.n || host.n >= sizeof name || !rf_str_int64(port, &number) || number < 0 ||
        number > 65535)
        return not_an_address(address, err);
    snprintf(name, sizeof name, "%.*s", (int)host.n, host.p);
    int failed = getaddrinfo(name, port.p, &wanted, out);
    if (!failed)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "\"%s\" is not an address to listen on: %s", address,
            gai_strerror(failed));
    return RF_EUSAGE;
}

static bool is_loopback(const struct sockaddr *at)
{
    if (at->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)at)->sin6_addr);
    return ntohl(((const struct sockaddr_in *)(const void *)at)->sin_addr.s_addr) >> 24 == 127;
}

/* Sockets that were handed over */

/* "fd:3" */
static bool names_descriptor(const char *address, int *out)
{
    int64_t number;
    if (strncmp(address, "fd:", 3) != 0 || !rf_str_int64(rf_str(address + 3), &number) ||
        number < 0 || number > INT_MAX)
        return false;
    *out = (int)number;
    return true;
}

/* It has to be one that accepts: TCP, and listening already. */
static enum rf_code look_at(int fd, struct sockaddr_storage *at, struct rf_err *err)
{
    int listens = 0, type = 0;
    socklen_t n = sizeof listens, size = sizeof *at;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) || !listens ||
        getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) || type != SOCK_STREAM ||
        getsockname(fd, (struct sockaddr *)at, &size) ||
        (at->ss_family != AF_INET && at->ss_family != AF_INET6)) {
        rf_fail(err, RF_EUSAGE, "descriptor %d is not a TCP socket that listens", fd);
        rf_hint(err, "It is handed over by who starts the program, such as a socket unit of "
                     "systemd with ListenStream=127.0.0.1:8484.");
        return RF_EUSAGE;
    }
    return RF_OK;
}

static enum rf_code take_over(int fd, int *out, struct rf_err *err)
{
    struct sockaddr_storage at;
    enum rf_code rc = look_at(fd, &at, err);
    if (rc)
        return rc;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0 || fcntl(copy, F_SETFL, O_NONBLOCK) || fcntl(fd, F_SETFD, FD_CLOEXEC)) {
        rc = rf_fail_errno(err, "could not take over descriptor %d", fd);
        if (copy >= 0)
            close(copy);
        return rc;
    }
    *out = copy;
    return RF_OK;
}

const char *rf_httpd_handed_over(void)
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    int64_t number;
    if (!pid || !count || !rf_str_int64(rf_str(pid), &number) || number != getpid() ||
        strcmp(count, "0") == 0)
        return NULL;
    return "fd:3"; /* the first one, as sd_listen_fds(3) has it */
}

/* All of them */

enum rf_code rf_httpd_is_loopback(const char *address, bool *out, struct rf_err *err)
{
    struct sockaddr_storage own;
    struct addrinfo *at;
    int fd;
    bool inner = true;
    enum rf_code rc;
    if (names_descriptor(address, &fd)) {
        rc = look_at(fd, &own, err);
        if (!rc)
            *out = is_loopback((struct sockaddr *)&own);
        return rc;
    }
    rc = resolve(address, &at, err);
    if (rc)
        return rc;
    for (const struct addrinfo *i = at; i; i = i->ai_next)
        inner &= is_loopback(i->ai_addr);
    freeaddrinfo(at);
    *out = inner;
    return RF_OK;
}

static enum rf_code open_own(const char *address, int *out, struct rf_err *err)
{
    struct addrinfo *at;
    enum rf_code rc = resolve(address, &at, err);
    if (rc)
        return rc;
    const int on = 1;
    int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool good = fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
                !bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, WAITING);
    if (!good) {
        rf_fail_errno(err, "could not listen on %s", address);
        rf_hint(err, "Name another port, or 0 for one that is free.");
        if (err)
            err->code = RF_EIO;
        if (fd >= 0)
            close(fd);
    }
    freeaddrinfo(at);
    *out = fd;
    return good ? RF_OK : RF_EIO;
}

static bool bound_name(int fd, char out[RF_HTTPD_PEER])
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    char host[48], port[8];
    if (getsockname(fd, (struct sockaddr *)&at, &n) ||
        getnameinfo((struct sockaddr *)&at, n, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV))
        return false;
    snprintf(out, RF_HTTPD_PEER, at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return true;
}

enum rf_code rf_listen(const char *address, char name[RF_HTTPD_PEER], int *out, struct rf_err *err)
{
    int given, fd = -1;
    enum rf_code rc = names_descriptor(address, &given) ? take_over(given, &fd, err)
                                                        : open_own(address, &fd, err);
    if (rc)
        return rc;
    if (!bound_name(fd, name)) {
        rc = rf_fail_errno(err, "could not tell the address of %s", address);
        close(fd);
        return rc;
    }
    *out = fd;
    return RF_OK;
}
