/* The judgement is ours and made once, before the call: libcurl is told what came out, and would
 * take a loopback address to the proxy, too. */
#include "net/proxy.h"

#include "base/arena.h"
#include "base/file.h"
#include "net/own.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#define HOSTS "/etc/hosts"
#define MOST_HOSTS_BYTES ((size_t)4 << 20)

struct ip {
    uint8_t bytes[16];
    size_t n; /* 4 or 16 */
};

struct target {
    bool plain;
    struct rf_str host, port; /* the host without brackets and a dot at its end */
    struct ip ip;             /* n 0: it is a name */
    struct rf_arena *arena;
};

/* Addresses, in every spelling that leads to one: "127.1", "0x7f000001", "::ffff:7f00:1". */
static bool read_ip(struct rf_str text, struct rf_arena *a, struct ip *out)
{
    const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found;
    if (!text.n || getaddrinfo(rf_cstr(a, text), NULL, &hints, &found))
        return false;
    *out = (struct ip){ .n = found->ai_family == AF_INET ? 4 : 16 };
    if (out->n == 4)
        memcpy(out->bytes, &((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr, 4);
    else
        memcpy(out->bytes, &((struct sockaddr_in6 *)(void *)found->ai_addr)->sin6_addr, 16);
    freeaddrinfo(found);
    return true;
}

/* "HOST", "HOST:PORT", "[V6]:PORT", or an address of IPv6 as it is. The zone of one ("%25eth0")
 * does not count. */
static void split_port(struct rf_str text, struct rf_str *host, struct rf_str *port)
{
    const char *colon = memchr(text.p, ':', text.n), *bracket = memchr(text.p, ']', text.n);
    *host = text;
    *port = RF_STR("");
    if (text.n && text.p[0] == '[' && bracket) {
        size_t end = (size_t)(bracket - text.p);
        const char *zone = memchr(text.p, '%', end);
        *host = (struct rf_str){ text.p + 1, (zone ? (size_t)(zone - text.p) : end) - 1 };
        if (end + 1 < text.n && text.p[end + 1] == ':')
            *port = (struct rf_str){ text.p + end + 2, text.n - end - 2 };
    } else if (colon && !memchr(colon + 1, ':', text.n - (size_t)(colon + 1 - text.p))) {
        *host = (struct rf_str){ text.p, (size_t)(colon - text.p) };
        *port = (struct rf_str){ colon + 1, text.n - host->n - 1 };
    }
    if (host->n > 1 && host->p[host->n - 1] == '.')
        host->n--;
}

static bool is_plain(const char *url)
{
    const char *scheme = strstr(url, "://");
    return !scheme || !rf_str_ieq((struct rf_str){ url, (size_t)(scheme - url) }, RF_STR("https"));
}

static struct target target_of(const char *url, struct rf_arena *a)
{
    const char *scheme = strstr(url, "://"), *at = scheme ? scheme + 3 : url;
    struct rf_str authority = { at, strcspn(at, "/?#\\") };
    struct target t = { .arena = a, .plain = is_plain(url) };
    split_port(rf_str_behind(authority, '@'), &t.host, &t.port);
    if (!t.port.n)
        t.port = t.plain ? RF_STR("80") : RF_STR("443");
    read_ip(t.host, a, &t.ip);
    return t;
}

/* The host itself, or one below it. */
static bool is_below(struct rf_str host, struct rf_str name)
{
    if (!name.n || host.n < name.n)
        return false;
    size_t front = host.n - name.n;
    return rf_str_ieq((struct rf_str){ host.p + front, name.n }, name) &&
           (!front || host.p[front - 1] == '.');
}

/* This machine */

static bool is_loopback(struct rf_str address, struct rf_arena *a)
{
    static const uint8_t v6[16] = { [15] = 1 };
    struct ip ip;
    return read_ip(address, a, &ip) &&
           (ip.n == 4 ? ip.bytes[0] == 127 : memcmp(ip.bytes, v6, 16) == 0);
}

/* Does this line, "ADDRESS NAME NAME … # WORDS", give the name to loopback? */
static bool names_loopback(struct rf_str line, struct rf_str host, struct rf_arena *a)
{
    struct rf_str words, word, address = { 0 };
    if (!rf_str_split(&line, '#', &words))
        return false;
    for (size_t i = 0; i < words.n;) {
        size_t begin = i;
        while (i < words.n && !strchr(" \t\r", words.p[i]))
            i++;
        word = (struct rf_str){ words.p + begin, i - begin };
        if (!address.n)
            address = word;
        else if (rf_str_ieq(word, host))
            return is_loopback(address, a);
        i += i < words.n;
    }
    return false;
}

static bool is_in_hosts(const struct target *t)
{
    struct rf_str rest, line;
    if (rf_file_read(HOSTS, MOST_HOSTS_BYTES, t->arena, &rest, NULL))
        return false;
    while (rf_str_split(&rest, '\n', &line))
        if (names_loopback(line, t->host, t->arena))
            return true;
    return false;
}

/* libcurl reads "127.0.0.%31" as what it stands for; a name that needs that is not one for a
 * proxy. */
static bool is_here(const struct target *t)
{
    if (t->ip.n)
        return rf_own_address(t->ip.bytes, t->ip.n);
    return memchr(t->host.p, '%', t->host.n) || is_below(t->host, RF_STR("localhost")) ||
           rf_str_ieq(t->host, RF_STR("metadata.google.internal")) || is_in_hosts(t);
}

/* What no_proxy names */

static bool is_in_network(const struct target *t, struct rf_str entry)
{
    struct rf_str bits, address;
    struct ip net;
    int64_t n;
    bits = entry;
    if (!t->ip.n || !rf_str_split(&bits, '/', &address) || !read_ip(address, t->arena, &net) ||
        net.n != t->ip.n)
        return false;
    if (address.n == entry.n)
        n = (int64_t)net.n * 8;
    else if (!rf_str_int64(bits, &n) || n < 0 || n > (int64_t)net.n * 8)
        return false;
    size_t whole = (size_t)n / 8, rest = (size_t)n % 8;
    return memcmp(net.bytes, t->ip.bytes, whole) == 0 &&
           (!rest || (net.bytes[whole] ^ t->ip.bytes[whole]) >> (8 - rest) == 0);
}

/* "example.org", ".example.org", "*.example.org", each with a port or without; "[::1]",
 * "10.0.0.0/8", "*". */
static bool is_named_by(const struct target *t, struct rf_str entry)
{
    struct rf_str host, port;
    if (rf_str_is(entry, "*"))
        return true;
    split_port(entry, &host, &port);
    if (port.n && !rf_str_eq(port, t->port))
        return false;
    if (rf_str_starts(host, "*."))
        host = (struct rf_str){ host.p + 1, host.n - 1 };
    if (rf_str_starts(host, "."))
        host = (struct rf_str){ host.p + 1, host.n - 1 };
    return t->ip.n ? is_in_network(t, host) : is_below(t->host, host);
}

static bool is_excepted(const struct target *t, const char *list)
{
    for (const char *p = list ? list : ""; *p;) {
        size_t n = strcspn(p, ", \t\r\n");
        if (n && is_named_by(t, (struct rf_str){ p, n }))
            return true;
        p += n + (p[n] != '\0');
    }
    return false;
}

/* Which */

/* Not HTTP_PROXY: to a program that a web server starts, that is a header of the request. */
static const char *const for_plain[] = { "http_proxy", "all_proxy", "ALL_PROXY", NULL };
static const char *const for_tls[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                                       NULL };

static const char *first_set(const char *const *names)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && *value)
            return value;
    }
    return NULL;
}

static const char *named_proxy(bool plain)
{
    return first_set(plain ? for_plain : for_tls);
}

static const char *proxy_of(const struct target *t)
{
    const char *proxy = named_proxy(t->plain);
    if (!proxy || is_excepted(t, getenv("no_proxy")) || is_excepted(t, getenv("NO_PROXY")) ||
        is_here(t))
        return NULL;
    return proxy;
}

const char *rf_proxy_of(const char *url, struct rf_arena *a)
{
    if (!named_proxy(is_plain(url))) /* as most often: it is not worth reading the address */
        return NULL;
    struct target t = target_of(url, a);
    return proxy_of(&t);
}

enum rf_code rf_proxy_check_plain(const char *url, struct rf_arena *a, struct rf_err *err)
{
    if (!is_plain(url) || !named_proxy(true))
        return RF_OK;
    struct target t = target_of(url, a);
    const char *proxy = proxy_of(&t);
    if (!proxy)
        return RF_OK;
    struct target through = target_of(proxy, a);
    rf_fail(err, RF_ECONFIG, "a key for %.*s would go through the proxy %.*s in clear",
            RF_FMT(t.host), RF_FMT(through.host));
    rf_hint(err, "Use https://, name the host in no_proxy, or say plain_proxy: yes under the "
                 "provider in your own configuration.");
    return RF_ECONFIG;
}
