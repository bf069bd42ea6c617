/* The head of any request to the gateway, and a body after it. Whatever is asked for is one of few
 * things, names come from the path and nowhere else, and who is let in without a key has asked this
 * machine. A body is the same however it is cut. */
#include "gateway/front.h"
#include "httpd/inside.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct rf_front_here here = { .address = "127.0.0.1:8484" };

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void split_hosts(const struct rf_head *h)
{
    struct rf_str host, port;
    for (size_t i = 0; i < h->count; i++) {
        struct rf_str value = rf_str(h->headers[i].value);
        expect(rf_glob(RF_STR("*"), value));
        (void)rf_glob(value, rf_str(h->headers[i].name));
        if (!rf_httpd_split_host(value, &host, &port))
            continue;
        expect(host.n + port.n <= value.n);
        for (size_t k = 0; k < port.n; k++)
            expect(rf_is_digit(port.p[k]));
    }
}

static void find(const struct rf_httpd_request *r, struct rf_arena *a)
{
    struct rf_front front;
    rf_front_find(r, a, &front);
    expect(front.dialect && (front.status == 0 || front.status == 404 || front.status == 405));
    expect((front.allowed != NULL) == (front.status == 405) || front.status == 0);
    expect(front.model.n <= r->path.n && rf_utf8_valid(front.model) == front.model.n);
    struct rf_str key = rf_front_key(r, a);
    expect(key.n == 0 || key.p);
    struct rf_str host = rf_str(rf_httpd_header(r, "Host"));
    if (!rf_front_stranger(r, &here))
        expect(rf_str_starts(host, "127.0.0.1") || rf_str_starts(host, "[::1]") ||
               rf_str_starts(host, "::1") ||
               rf_str_ieq((struct rf_str){ host.p, host.n < 9 ? host.n : 9 }, RF_STR("localhost")));
}

/* How long the body is, taken in pieces of at most so many bytes, and a sum over it. */
static uint64_t take_body(const struct rf_head *h, struct rf_str rest, size_t most, uint64_t *sum)
{
    struct rf_entity b;
    struct rf_str piece;
    uint64_t taken = 0;
    rf_entity_begin(&b, h);
    *sum = 0;
    while (rest.n && b.state < RF_ENTITY_DONE) {
        const struct rf_str some = { rest.p, rest.n < most ? rest.n : most };
        size_t n = rf_entity_take(&b, some, &piece);
        expect(n > 0 && n <= some.n && piece.n <= n);
        for (size_t i = 0; i < piece.n; i++)
            *sum = *sum * 31 + (unsigned char)piece.p[i];
        taken += piece.n;
        rest.p += n;
        rest.n -= n;
    }
    expect(h->chunked || taken <= h->length);
    return taken * 2 + (b.state == RF_ENTITY_WRONG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_str all = { (const char *)data, size };
    struct rf_connection c = { 0 };
    struct rf_head *h = &c.now.head;
    uint64_t sums[2];
    size_t n = rf_head_end(all, 0);
    expect(n <= size && (n < 3 || rf_head_end((struct rf_str){ all.p, n - 1 }, 0) == 0));
    rf_head_parse((struct rf_str){ all.p, n ? n : size }, h);
    expect((h->status != 0) == (h->why != NULL));
    split_hosts(h);
    c.now.request =
        (struct rf_httpd_request){ .method = h->method, .path = h->path, .query = h->query };
    if (!h->status) {
        const struct rf_str rest = { all.p + n, size - n };
        find(&c.now.request, a);
        expect(take_body(h, rest, 1, &sums[0]) == take_body(h, rest, SIZE_MAX, &sums[1]) &&
               sums[0] == sums[1]);
    }
    rf_head_release(h);
    rf_arena_free(a);
    return 0;
}
