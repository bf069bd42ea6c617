/* How near addresses are, which may be fetched from, and that no spelling of one that may not gets
 * through. */
#include "net/reach.h"

#include "server.h"

#include "net/fetch.h"

#include <ifaddrs.h>

/* This program's machine has interfaces with addresses that everybody can reach. */

static struct sockaddr_in own_v4 = { .sin_family = AF_INET };
static struct sockaddr_in6 own_v6 = { .sin6_family = AF_INET6 };
static struct ifaddrs interfaces[] = {
    { .ifa_next = &interfaces[1], .ifa_addr = (struct sockaddr *)&own_v4 },
    { .ifa_next = &interfaces[2] }, /* one without an address */
    { .ifa_addr = (struct sockaddr *)&own_v6 },
};
static bool nobody_lists;

int getifaddrs(struct ifaddrs **out)
{
    assert_int_equal(inet_pton(AF_INET, "93.184.216.34", &own_v4.sin_addr), 1);
    assert_int_equal(inet_pton(AF_INET6, "2001:4860:4860::7", &own_v6.sin6_addr), 1);
    *out = interfaces;
    return nobody_lists ? -1 : 0;
}

void freeifaddrs(struct ifaddrs *all)
{
    assert_ptr_equal(all, interfaces);
}

static const struct address {
    const char *ip;
    bool open;
} addresses[] = {
    { "0.0.0.0", false },
    { "0.255.255.255", false },
    { "1.0.0.0", true },
    { "8.8.8.8", true },
    { "9.255.255.255", true },
    { "10.0.0.0", false },
    { "10.255.255.255", false },
    { "11.0.0.0", true },
    { "100.63.255.255", true },
    { "100.64.0.0", false },
    { "100.100.100.200", false },
    { "93.184.216.34", false }, /* of this machine */
    { "93.184.216.35", true },
    { "100.127.255.255", false },
    { "100.128.0.0", true },
    { "127.0.0.1", false },
    { "127.255.255.255", false },
    { "128.0.0.0", true },
    { "168.63.129.15", true },
    { "168.63.129.16", false },
    { "168.63.129.17", true },
    { "169.253.255.255", true },
    { "169.254.0.0", false },
    { "169.254.169.254", false },
    { "169.255.0.0", true },
    { "172.15.255.255", true },
    { "172.16.0.0", false },
    { "172.31.255.255", false },
    { "172.32.0.0", true },
    { "192.0.0.192", false },
    { "192.0.1.0", true },
    { "192.0.2.1", false },
    { "192.88.99.1", false },
    { "192.167.255.255", true },
    { "192.168.0.0", false },
    { "192.168.255.255", false },
    { "192.169.0.0", true },
    { "198.17.255.255", true },
    { "198.18.0.0", false },
    { "198.19.255.255", false },
    { "198.20.0.0", true },
    { "198.51.100.1", false },
    { "203.0.113.1", false },
    { "223.255.255.255", true },
    { "224.0.0.1", false },
    { "239.255.255.255", false },
    { "240.0.0.0", false },
    { "255.255.255.255", false },
    { "::", false },
    { "::1", false },
    { "::2", false },
    { "::7f00:1", false },         /* 127.0.0.1 in an old spelling */
    { "::ffff:127.0.0.1", false }, /* mapped */
    { "::ffff:169.254.169.254", false },
    { "::ffff:10.1.2.3", false },
    { "::ffff:0.0.0.0", false },
    { "::ffff:8.8.8.8", true },
    { "::ffff:93.184.216.34", false },
    { "::ffff:0:127.0.0.1", false }, /* translated */
    { "::ffff:0:8.8.8.8", false },
    { "64:ff9b::127.0.0.1", false }, /* NAT64 */
    { "64:ff9b::192.168.1.1", false },
    { "64:ff9b::8.8.8.8", true },
    { "64:ff9b::93.184.216.34", false },
    { "64:ff9b:0:0:0:1::1", false },
    { "64:ff9b:1::8.8.8.8", false }, /* a network's own */
    { "100::1", false },
    { "1fff:ffff::", false },
    { "2001::1", false }, /* Teredo */
    { "2001:1ff::1", false },
    { "2001:200::1", true },
    { "2001:db7::1", true },
    { "2001:db8::1", false },
    { "2001:4860:4860::8888", true },
    { "2001:4860:4860::7", false }, /* of this machine */
    { "2002:7f00:1::", false },     /* 6to4 of 127.0.0.1 */
    { "2002:a9fe:a9fe::1", false },
    { "2002:808:808::1", true },
    { "2002:5db8:d822::1", false },
    { "2606:4700::1111", true },
    { "3ffe::1", true },
    { "3fff::1", false },
    { "3fff:1000::1", true },
    { "4000::1", false },
    { "5f00::1", false },
    { "fc00::1", false },
    { "fd00:ec2::254", false },
    { "fe80::1", false },
    { "febf::1", false },
    { "fec0::1", false },
    { "ff02::1", false },
};

static enum rf_ring ring_of(const char *ip)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
    if (inet_pton(AF_INET, ip, &v4.sin_addr) == 1)
        return rf_ring_of(&v4);
    assert_int_equal(inet_pton(AF_INET6, ip, &v6.sin6_addr), 1);
    return rf_ring_of(&v6);
}

static bool is_open(const char *ip)
{
    return ring_of(ip) == RF_RING_OUTSIDE;
}

/* Of those that are not open: what is this machine's own, and no network's. */
static const char *const here[] = {
    "0.0.0.0",
    "127.0.0.1",
    "93.184.216.34",
    "169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "::",
    "::1",
    "fe80::1",
    "fd00:ec2::254",
    "2001:4860:4860::7",
    "::ffff:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "2002:a9fe:a9fe::1",
};
static const char *const private[] = {
    "10.1.2.3",  "172.16.0.1", "192.168.1.1", "100.64.0.1",         "203.0.113.1",
    "224.0.0.1", "fc00::1",    "2001:db8::1", "::ffff:192.168.1.1", "64:ff9b::10.0.0.1",
};

static void knows_rings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(here); i++)
        if (ring_of(here[i]) != RF_RING_HERE)
            fail_msg("%s", here[i]);
    for (size_t i = 0; i < COUNT(private); i++)
        if (ring_of(private[i]) != RF_RING_PRIVATE)
            fail_msg("%s", private[i]);
}

static void knows_addresses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(addresses); i++)
        if (is_open(addresses[i].ip) != addresses[i].open)
            fail_msg("%s", addresses[i].ip);
    struct sockaddr other = { .sa_family = AF_UNIX };
    assert_int_equal(rf_ring_of(&other), RF_RING_HERE);
}

static void reaches_nothing_where_its_own_are_unknown(void **state)
{
    (void)state;
    nobody_lists = true;
    assert_false(is_open("8.8.8.8"));
    assert_false(is_open("2606:4700::1111"));
    nobody_lists = false;
    assert_true(is_open("8.8.8.8"));
}

/* All of them lead to a server that listens on every address of this machine. */
static const char *const spellings[] = {
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "127.0.0.1.",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "%31%32%37.0.0.1",
    "127.0.0.2",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1", /* digits in circles */
};

static void lets_no_spelling_through(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *s = server_start("0.0.0.0", answers, 1);
    struct rf_arena *a = rf_arena_new();
    struct rf_net *net = rf_net_new();
    struct rf_str any = RF_STR("*");
    struct rf_config config = { .fetch = true, .fetch_hosts = &any, .fetch_host_count = 1 };
    const char *folder = scratch_new(a);
    struct rf_fetching fetching = { .config = &config, .folder = folder, .cancel_fd = -1 };
    struct rf_fetched got;
    struct rf_err err;
    for (size_t i = 0; i < COUNT(spellings); i++) {
        fetching.url = rf_strf(a, "http://%s:%d/", spellings[i], s->port);
        enum rf_code rc = rf_fetch(net, &fetching, a, &got, &err);
        /* What nobody can resolve here has led nowhere either. */
        if (rc != RF_EPERMISSION && rc != RF_EPROVIDER)
            fail_msg("%s: %d", spellings[i], rc);
    }
    fetching.url = rf_strf(a, "http://127.0.0.1:%d/", s->port);
    assert_int_equal(rf_fetch(net, &fetching, a, &got, &err), RF_EPERMISSION);
    assert_non_null(strstr(err.msg, "may not be reached"));
    assert_int_equal(server_connections(s), 0);
    scratch_remove(folder);
    rf_net_free(net);
    rf_arena_free(a);
    server_stop(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_addresses),
        cmocka_unit_test(knows_rings),
        cmocka_unit_test(reaches_nothing_where_its_own_are_unknown),
        cmocka_unit_test(lets_no_spelling_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
