/* Interfaces come and go, so they are listed at each question. */
#include "net/own.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

/* Unspecified (which leads here), loopback, link-local. */
static bool is_near_v4(const uint8_t *a)
{
    return a[0] == 0 || a[0] == 127 || (a[0] == 169 && a[1] == 254);
}

static bool is_near_v6(const uint8_t *a)
{
    static const uint8_t loopback[16] = { [15] = 1 }, unspecified[16];
    return memcmp(a, loopback, 16) == 0 || memcmp(a, unspecified, 16) == 0 ||
           (a[0] == 0xfe && (a[1] & 0xc0) == 0x80);
}

static bool is_at(const struct sockaddr *at, const uint8_t *address, size_t n)
{
    if (!at)
        return false;
    if (at->sa_family == AF_INET && n == 4)
        return memcmp(&((const struct sockaddr_in *)(const void *)at)->sin_addr, address, 4) == 0;
    return at->sa_family == AF_INET6 && n == 16 &&
           memcmp(&((const struct sockaddr_in6 *)(const void *)at)->sin6_addr, address, 16) == 0;
}

static bool is_at_interface(const uint8_t *address, size_t n)
{
    struct ifaddrs *all;
    bool found = false;
    if (getifaddrs(&all))
        return true;
    for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next)
        found = is_at(i->ifa_addr, address, n);
    freeifaddrs(all);
    return found;
}

bool rf_own_address(const uint8_t *address, size_t n)
{
    if (n == 16 && memcmp(address, mapped, sizeof mapped) == 0)
        return rf_own_address(address + 12, 4);
    return (n == 4 ? is_near_v4(address) : is_near_v6(address)) || is_at_interface(address, n);
}
