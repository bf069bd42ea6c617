/* Which proxy a call goes through: what the variables name, and never for this machine. */
#include "net/proxy.h"

#include "caller.h"
#include "net/own.h"

#include <ifaddrs.h>

#define PROXY "http://proxy.example:3128"

static const struct row {
    const char *name, *variables, *url;
    bool proxied;
} rows[] = {
    { "http_proxy", "http_proxy", "http://model.example/v1", true },
    { "http_proxy is not for https", "http_proxy", "https://model.example/v1", false },
    { "https_proxy", "https_proxy", "https://model.example/v1", true },
    { "HTTPS_PROXY", "HTTPS_PROXY", "https://model.example/v1", true },
    { "https_proxy is not for http", "https_proxy", "http://model.example/v1", false },
    { "all_proxy, plain", "all_proxy", "http://model.example/v1", true },
    { "all_proxy", "all_proxy", "https://model.example/v1", true },
    { "ALL_PROXY", "ALL_PROXY", "HTTPS://model.example/v1", true },
    { "HTTP_PROXY is a header", "HTTP_PROXY", "http://model.example/v1", false },

    { "loopback", "all_proxy", "http://127.0.0.1:11434/api", false },
    { "any of loopback", "all_proxy", "https://127.255.0.9/", false },
    { "loopback of IPv6", "all_proxy", "http://[::1]:80/", false },
    { "loopback in IPv6", "all_proxy", "http://[::ffff:127.0.0.1]/", false },
    { "loopback in IPv6, in hexadecimal", "all_proxy", "http://[::ffff:7f00:1]/", false },
    { "a short spelling", "all_proxy", "http://127.1/", false },
    { "a number", "all_proxy", "http://2130706433/", false },
    { "hexadecimal", "all_proxy", "http://0x7f000001/", false },
    { "octal", "all_proxy", "http://0177.0.0.1/", false },
    { "unspecified", "all_proxy", "http://0.0.0.0:8080/", false },
    { "unspecified of IPv6", "all_proxy", "http://[::]/", false },
    { "loopback with a zone", "all_proxy", "http://[::1%25lo]:80/", false },
    { "another machine with a zone", "all_proxy", "http://[2001:db8::9%25eth0]/", true },
    { "loopback in disguise", "all_proxy", "http://127.0.0.%31/", false },
    { "localhost", "all_proxy", "http://localhost:1/", false },
    { "localhost in capitals with a dot", "all_proxy", "http://LocalHost.:1/", false },
    { "below localhost", "all_proxy", "http://llm.localhost/", false },
    { "a name that ends like it", "all_proxy", "http://notlocalhost/", true },
    { "a name that begins like it", "all_proxy", "http://localhost.example/", true },
    { "a name that begins like loopback", "all_proxy", "http://127.0.0.1.example/", true },
    { "whoever logs in is not the host", "all_proxy", "http://localhost@model.example/", true },
    { "metadata of a cloud", "all_proxy", "http://169.254.169.254/latest", false },
    { "metadata by a name", "all_proxy", "http://metadata.google.internal/x", false },
    { "link-local of IPv6", "all_proxy", "http://[fe80::1]/", false },
    { "another machine nearby", "all_proxy", "http://192.0.2.7/", true },

    { "a host", "all_proxy no_proxy=model.example", "https://model.example/", false },
    { "case", "all_proxy NO_PROXY=MODEL.example", "https://model.EXAMPLE/", false },
    { "a host below it", "all_proxy no_proxy=example", "https://model.example/", false },
    { "a dot before it", "all_proxy no_proxy=.example", "https://model.example/", false },
    { "a star before it", "all_proxy no_proxy=*.example", "https://model.example/", false },
    { "a dot after it", "all_proxy no_proxy=model.example.", "https://model.example/", false },
    { "not a part of a name", "all_proxy no_proxy=del.example", "https://model.example/", true },
    { "one of several", "all_proxy no_proxy=a.b,,\tmodel.example\t,c", "https://model.example/",
      false },
    { "everything", "all_proxy no_proxy=*", "https://model.example/", false },
    { "everything among others", "all_proxy no_proxy=a,*", "https://model.example/", false },
    { "both variables", "all_proxy no_proxy=a NO_PROXY=model.example", "https://model.example/",
      false },
    { "its port", "all_proxy no_proxy=model.example:8443", "https://model.example:8443/", false },
    { "the port of the scheme", "all_proxy no_proxy=model.example:443", "https://model.example/",
      false },
    { "another port", "all_proxy no_proxy=model.example:80", "https://model.example/", true },
    { "an address", "all_proxy no_proxy=192.0.2.7", "http://192.0.2.7:8080/", false },
    { "a network", "all_proxy no_proxy=192.0.2.0/24", "http://192.0.2.7/", false },
    { "a network of odd bits", "all_proxy no_proxy=192.0.0.0/14", "http://192.3.2.7/", false },
    { "outside of a network", "all_proxy no_proxy=192.0.0.0/14", "http://192.4.2.7/", true },
    { "a network of IPv6", "all_proxy no_proxy=2001:db8::/32", "http://[2001:db8::9]/", false },
    { "an address of IPv6", "all_proxy no_proxy=[2001:db8::9]", "http://[2001:db8::9]/", false },
    { "all of IPv4", "all_proxy no_proxy=0.0.0.0/0", "http://192.0.2.7/", false },
    { "a network that is none", "all_proxy no_proxy=192.0.2.0/99", "http://192.0.2.7/", true },
    { "rubbish", "all_proxy no_proxy=/,:,.,[,*.", "http://192.0.2.7/", true },
};

/* "NAME" is the proxy, "NAME=VALUE" another variable. */
static void set_variables(const char *list)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str rest = rf_str(list), one, name;
    forget_the_environment();
    unsetenv("HTTP_PROXY");
    while (rf_str_split(&rest, ' ', &one)) {
        bool said = memchr(one.p, '=', one.n);
        rf_str_split(&one, '=', &name);
        setenv(rf_cstr(a, name), said ? rf_cstr(a, one) : PROXY, 1);
    }
    rf_arena_free(a);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_err err = { 0 };
    bool plain = row->url[4] == ':';
    set_variables(row->variables);
    const char *proxy = rf_proxy_of(row->url, a);
    assert_int_equal(proxy != NULL, row->proxied);
    if (proxy)
        assert_string_equal(proxy, PROXY);
    assert_int_equal(rf_proxy_check_plain(row->url, a, &err),
                     plain && row->proxied ? RF_ECONFIG : RF_OK);
    rf_arena_free(a);
}

static void never_for_an_interface(void **state)
{
    (void)state;
    struct ifaddrs *all;
    char text[INET6_ADDRSTRLEN];
    struct rf_arena *a = rf_arena_new();
    set_variables("all_proxy");
    assert_int_equal(getifaddrs(&all), 0);
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
            continue;
        const struct sockaddr_in *at = (const void *)i->ifa_addr;
        assert_non_null(inet_ntop(AF_INET, &at->sin_addr, text, sizeof text));
        assert_null(rf_proxy_of(rf_strf(a, "http://%s:8080/", text).p, a));
        assert_true(rf_own_address((const uint8_t *)&at->sin_addr, 4));
    }
    freeifaddrs(all);
    rf_arena_free(a);
}

/* Names of this file that lead to loopback, such as ip6-loopback. */
static void never_for_names_of_loopback(void **state)
{
    (void)state;
    char line[512], name[256];
    FILE *hosts = fopen("/etc/hosts", "r");
    struct rf_arena *a = rf_arena_new();
    size_t found = 0;
    set_variables("all_proxy");
    while (hosts && fgets(line, sizeof line, hosts))
        if (sscanf(line, "127.0.0.1 %255s", name) == 1 ||
            sscanf(line, "::1 %*s %255s", name) == 1) {
            assert_null(rf_proxy_of(rf_strf(a, "http://%s/", name).p, a));
            found++;
        }
    if (hosts)
        fclose(hosts);
    rf_arena_free(a);
    if (!found)
        print_message("/etc/hosts names no loopback: skipped\n");
}

static void shows_no_password(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_err err;
    forget_the_environment();
    setenv("http_proxy", "http://me:secret@proxy.example:3128", 1);
    assert_int_equal(rf_proxy_check_plain("http://model.example/v1", a, &err), RF_ECONFIG);
    assert_string_equal(
        err.msg, "a key for model.example would go through the proxy proxy.example in clear");
    assert_non_null(strstr(err.hint, "plain_proxy: yes"));
    rf_arena_free(a);
}

/* What libcurl does is what was judged. */
static void calls_go_where_they_should(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *proxy = server_start("127.0.0.1", answers, 1);
    struct server *here = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    struct rf_net_call call = { .url = "http://model.invalid/v1" };
    forget_the_environment();
    setenv("all_proxy", rf_strf(w.arena, "http://127.0.0.1:%d", proxy->port).p, 1);
    assert_int_equal(get(&w, here->port, NO_CALL), RF_OK);
    assert_int_equal(server_requests(here), 1);
    assert_int_equal(get(&w, 0, call), RF_ECONFIG);
    assert_int_equal(server_connections(proxy), 0);
    call.plain_proxy = true;
    assert_int_equal(get(&w, 0, call), RF_OK);
    assert_memory_equal(proxy->seen[0].head, "GET http://model.invalid/v1 ", 28);
    forget_the_environment();
    world_release(&w);
    server_stop(here);
    server_stop(proxy);
}

int main(void)
{
    struct CMUnitTest judged[COUNT(rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(never_for_an_interface),
        cmocka_unit_test(never_for_names_of_loopback),
        cmocka_unit_test(shows_no_password),
        cmocka_unit_test(calls_go_where_they_should),
    };
    name_rows(judged, check_row, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests_name("judged", judged, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
