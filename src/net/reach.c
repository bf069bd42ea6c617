/* Which addresses a stranger may have us connect to: those that everybody could reach from
 * anywhere, and that are not this machine's own.
 *
 * The rows are the special-purpose registries of IANA (RFC 6890 and what came after) as far as an
 * address in them is not globally reachable, and one address of a cloud that is public and yet
 * answers for the machine itself. Of IPv6 only the global unicast range counts; an address that
 * carries one of IPv4 is judged by that. */
#include "net/fetch.h"

#include "net/own.h"

#include <netinet/in.h>
#include <sys/socket.h>

struct range {
    uint8_t start[16];
    unsigned bits;
};

static const struct range closed_v4[] = {
    { { 0 }, 8 },                 /* this host, on this network */
    { { 10 }, 8 },                /* private */
    { { 100, 64 }, 10 },          /* shared by a provider's customers; a cloud's metadata */
    { { 127 }, 8 },               /* loopback */
    { { 168, 63, 129, 16 }, 32 }, /* a cloud's host, seen from its guests */
    { { 169, 254 }, 16 },         /* link-local; most clouds' metadata */
    { { 172, 16 }, 12 },          /* private */
    { { 192, 0, 0 }, 24 },        /* protocols; a cloud's metadata */
    { { 192, 0, 2 }, 24 },        /* documentation */
    { { 192, 88, 99 }, 24 },      /* relays of 6to4 */
    { { 192, 168 }, 16 },         /* private */
    { { 198, 18 }, 15 },          /* benchmarks */
    { { 198, 51, 100 }, 24 },     /* documentation */
    { { 203, 0, 113 }, 24 },      /* documentation */
    { { 224 }, 4 },               /* multicast */
    { { 240 }, 4 },               /* reserved, and broadcast */
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

static bool is_public_v4(const uint8_t *address)
{
    for (size_t i = 0; i < sizeof closed_v4 / sizeof *closed_v4; i++)
        if (is_in(address, &closed_v4[i]))
            return false;
    return !rf_own_address(address, 4);
}

static bool is_public_v6(const uint8_t *address)
{
    for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++)
        if (is_in(address, &carriers[i].range))
            return is_public_v4(address + carriers[i].at);
    for (size_t i = 0; i < sizeof closed_v6 / sizeof *closed_v6; i++)
        if (is_in(address, &closed_v6[i]))
            return false;
    return is_in(address, &global_v6) && !rf_own_address(address, 16);
}

bool rf_fetch_may_reach(const void *address)
{
    sa_family_t family;
    memcpy(&family, (const char *)address + offsetof(struct sockaddr, sa_family), sizeof family);
    if (family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return is_public_v4((const uint8_t *)&v4.sin_addr);
    }
    if (family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        return is_public_v6((const uint8_t *)&v6.sin6_addr);
    }
    return false;
}
