/* Addresses to listen on, and their sockets: of our own, or handed over by who started us. */
#include "httpd/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAITING 1024 /* connections that are not accepted yet */

static enum rf_code resolve(const struct rf_listen_address *address, struct addrinfo **out,
                            struct rf_err *err)
{
    const struct addrinfo wanted = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                     .ai_socktype = SOCK_STREAM };
    char port[8];
    snprintf(port, sizeof port, "%u", (unsigned)address->port);
    int failed = getaddrinfo(address->host, port, &wanted, out);
    if (!failed)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "\"%s\" is not an address to listen on: %s", address->host,
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

const char *rf_httpd_handed_over(char out[RF_HTTPD_PEER])
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    int64_t number, sockets;
    if (!pid || !count || !rf_str_int64(rf_str(pid), &number) || number != getpid() ||
        !rf_str_int64(rf_str(count), &sockets) || sockets < 1 || sockets > INT_MAX)
        return NULL;
    snprintf(out, RF_HTTPD_PEER, "fd:3-%" PRId64, sockets + 2); /* as sd_listen_fds(3) has them */
    return out;
}

/* All of them */

static enum rf_code is_loopback_descriptor(int fd, bool *out, struct rf_err *err)
{
    struct sockaddr_storage own;
    enum rf_code rc = look_at(fd, &own, err);
    if (!rc)
        *out = is_loopback((struct sockaddr *)&own);
    return rc;
}

static enum rf_code is_loopback_host(const struct rf_listen_address *address, bool *out,
                                     struct rf_err *err)
{
    struct addrinfo *at;
    enum rf_code rc = resolve(address, &at, err);
    if (rc)
        return rc;
    *out = true;
    for (const struct addrinfo *i = at; i; i = i->ai_next)
        *out &= is_loopback(i->ai_addr);
    freeaddrinfo(at);
    return RF_OK;
}

enum rf_code rf_httpd_is_loopback(const char *text, bool *out, struct rf_err *err)
{
    struct rf_listen_address address;
    bool all = true, inner;
    enum rf_code rc = rf_listen_address_read(rf_str(text), &address, err);
    if (!rc && !address.count)
        return is_loopback_host(&address, out, err);
    for (int i = 0; !rc && i < address.count; i++) {
        rc = is_loopback_descriptor(address.first + i, &inner, err);
        all &= !rc && inner;
    }
    if (!rc)
        *out = all;
    return rc;
}

static enum rf_code open_own(const struct rf_listen_address *address, const char *text, int *out,
                             struct rf_err *err)
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
        rf_fail_errno(err, "could not listen on %s", text);
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

bool rf_listening_name(int fd, char out[RF_HTTPD_PEER])
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

static enum rf_code add_socket(struct rf_listening *l, int fd, const char *text, struct rf_err *err)
{
    if (rf_listening_name(fd, l->names[l->count])) {
        l->fds[l->count++] = fd;
        return RF_OK;
    }
    enum rf_code rc = rf_fail_errno(err, "could not tell the address of %s", text);
    close(fd);
    return rc;
}

void rf_listening_close(struct rf_listening *l)
{
    for (size_t i = 0; i < l->count; i++)
        close(l->fds[i]);
}

enum rf_code rf_listen(const char *text, struct rf_listening *out, struct rf_err *err)
{
    struct rf_listen_address address;
    int fd = -1, i = 0;
    enum rf_code rc = rf_listen_address_read(rf_str(text), &address, err);
    *out = (struct rf_listening){ .count = 0 };
    if (rc)
        return rc;
    do {
        rc = address.count ? take_over(address.first + i, &fd, err)
                           : open_own(&address, text, &fd, err);
        if (!rc)
            rc = add_socket(out, fd, text, err);
    } while (!rc && ++i < address.count);
    if (rc)
        rf_listening_close(out);
    return rc;
}
