/* The rows are the special-purpose registries of IANA (RFC 6890 and what came after) as far as an
 * address in them is not globally reachable, and those of clouds that answer for the machine
 * itself. Of IPv6 only the global unicast range is outside; an address that carries one of IPv4 is
 * judged by that. */
#include "net/reach.h"

#include "net/own.h"

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

struct range {
    uint8_t start[16];
    unsigned bits;
};

/* Clouds' metadata and hosts, seen from their guests; most are link-local, which own.h knows. */
static const struct range metadata_v4[] = {
    { { 100, 100, 100, 200 }, 32 },
    { { 168, 63, 129, 16 }, 32 },
    { { 192, 0, 0, 192 }, 32 },
};
static const struct range metadata_v6[] = {
    { { 0xfd, 0x00, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54 }, 128 },
};

static const struct range closed_v4[] = {
    { { 10 }, 8 },            /* private */
    { { 100, 64 }, 10 },      /* shared by a provider's customers */
    { { 172, 16 }, 12 },      /* private */
    { { 192, 0, 0 }, 24 },    /* protocols */
    { { 192, 0, 2 }, 24 },    /* documentation */
    { { 192, 88, 99 }, 24 },  /* relays of 6to4 */
    { { 192, 168 }, 16 },     /* private */
    { { 198, 18 }, 15 },      /* benchmarks */
    { { 198, 51, 100 }, 24 }, /* documentation */
    { { 203, 0, 113 }, 24 },  /* documentation */
    { { 224 }, 4 },           /* multicast */
    { { 240 }, 4 },           /* reserved, and broadcast */
};

static const struct range global_v6 = { { 0x20 }, 3 };
static const struct range closed_v6[] = {
    { { 0x20, 0x01 }, 23 },             /* protocols, Teredo among them */
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32 }, /* documentation */
    { { 0x3f, 0xff }, 20 },             /* documentation */
};

/* Addresses of IPv4 in those of IPv6, and at which byte. */
static const struct {
    struct range range;
    size_t at;
} carriers[] = {
    { { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff }, 96 }, 12 }, /* mapped */
    { { { 0x00, 0x64, 0xff, 0x9b }, 96 }, 12 },                   /* NAT64 */
    { { { 0x20, 0x02 }, 16 }, 2 },                                /* 6to4 */
};

static bool is_in(const uint8_t *address, const struct range *r)
{
    unsigned whole = r->bits / 8, rest = r->bits % 8;
    if (memcmp(address, r->start, whole) != 0)
        return false;
    return !rest || (address[whole] ^ r->start[whole]) >> (8 - rest) == 0;
}

static bool is_in_any(const uint8_t *address, const struct range *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_in(address, &list[i]))
            return true;
    return false;
}
#define IS_IN_ANY(address, list) is_in_any(address, list, sizeof(list) / sizeof *(list))

static enum rf_ring ring_of_v4(const uint8_t *address)
{
    if (rf_own_address(address, 4) || IS_IN_ANY(address, metadata_v4))
        return RF_RING_HERE;
    return IS_IN_ANY(address, closed_v4) ? RF_RING_PRIVATE : RF_RING_OUTSIDE;
}

static enum rf_ring ring_of_v6(const uint8_t *address)
{
    for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++)
        if (is_in(address, &carriers[i].range))
            return ring_of_v4(address + carriers[i].at);
    if (rf_own_address(address, 16) || IS_IN_ANY(address, metadata_v6))
        return RF_RING_HERE;
    return is_in(address, &global_v6) && !IS_IN_ANY(address, closed_v6) ? RF_RING_OUTSIDE
                                                                        : RF_RING_PRIVATE;
}

enum rf_ring rf_ring_of(const void *address)
{
    sa_family_t family;
    memcpy(&family, (const char *)address + offsetof(struct sockaddr, sa_family), sizeof family);
    if (family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return ring_of_v4((const uint8_t *)&v4.sin_addr);
    }
    if (family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        return ring_of_v6((const uint8_t *)&v6.sin6_addr);
    }
    return RF_RING_HERE;
}
