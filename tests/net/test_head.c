/* Which calls we send ourselves, and the head of a request. */
#include "../testing.h"
#include "net/head.h"

static const struct url_row {
    const char *name, *url;
    const char *authority, *target; /* NULL: libcurl's */
} url_rows[] = {
    { "an address", "http://127.0.0.1:8080/v1?q=a/b", "127.0.0.1:8080", "/v1?q=a/b" },
    { "a name", "http://my-host_1.example.org/", "my-host_1.example.org", "/" },
    { "a name without a path", "http://localhost", "localhost", "" },
    { "another scheme", "https://localhost/", NULL, NULL },
    { "no scheme", "localhost/", NULL, NULL },
    { "no host", "http:///", NULL, NULL },
    { "a password", "http://me:secret@localhost/", NULL, NULL },
    { "an address in an unusual spelling", "http://127.1/", NULL, NULL },
    { "an address in hexadecimal", "http://0x7f000001/", NULL, NULL },
    { "an address of IPv6", "http://[::1]/", NULL, NULL },
    { "a dot at the end", "http://localhost./", NULL, NULL },
    { "letters of another script",
      "http://b\xc3\xbc"
      "cher.example/",
      NULL, NULL },
    { "a path with an escape in the host", "http://local%68ost/", NULL, NULL },
    { "no port", "http://localhost:/", NULL, NULL },
    { "a port that is none", "http://localhost:65536/", NULL, NULL },
    { "a port with a zero", "http://localhost:080/", NULL, NULL },
    { "a port with a sign", "http://localhost:+80/", NULL, NULL },
    { "a fragment", "http://localhost/a#b", NULL, NULL },
    { "dots in the path", "http://localhost/a/../b", NULL, NULL },
    { "a space", "http://localhost/a b", NULL, NULL },
    { "a line feed", "http://localhost/a\nb", NULL, NULL },
    { "a question without a path", "http://localhost?a", NULL, NULL },
};

static void check_url(void **state)
{
    const struct url_row *row = *state;
    struct rf_web_place place;
    assert_int_equal(rf_web_place_read(row->url, &place), row->authority != NULL);
    if (!row->authority)
        return;
    assert_str(place.authority, row->authority);
    assert_str(place.target, row->target);
}

static const struct head_row {
    const char *name, *method, *url;
    struct rf_header headers[3];
    const char *body;
    const char *want; /* NULL: libcurl's */
} head_rows[] = {
    { "a question",
      NULL,
      "http://a:81/b",
      { { B("user-agent"), B("me") } },
      NULL,
      "GET /b HTTP/1.1\r\nHost: a:81\r\nAccept: */*\r\nuser-agent: me\r\n\r\n" },
    { "the usual port",
      NULL,
      "http://a:80",
      { { B("user-agent"), B("me") } },
      NULL,
      "GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nuser-agent: me\r\n\r\n" },
    { "a body",
      NULL,
      "http://a/",
      { { B("user-agent"), B("me") }, { B("accept"), B("x") }, { B("content-type"), B("y") } },
      "hello",
      "POST / HTTP/1.1\r\nHost: a\r\nuser-agent: me\r\naccept: x\r\ncontent-type: y\r\n"
      "Content-Length: 5\r\n\r\n" },
    { "a body of no type",
      "PUT",
      "http://a/",
      { { B("user-agent"), B("me") } },
      "hello",
      "PUT / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nuser-agent: me\r\nContent-Length: 5\r\n"
      "Content-Type: application/x-www-form-urlencoded\r\n\r\n" },
    { "another host",
      NULL,
      "http://a/",
      { { B("user-agent"), B("me") }, { B("host"), B("b") }, { B("x-empty"), B("") } },
      NULL,
      "GET / HTTP/1.1\r\nAccept: */*\r\nuser-agent: me\r\nhost: b\r\nx-empty:\r\n\r\n" },
    { "a length of the caller's",
      NULL,
      "http://a/",
      { { B("Content-Length"), B("4") } },
      "hello",
      NULL },
    { "chunks", NULL, "http://a/", { { B("transfer-encoding"), B("chunked") } }, "hello", NULL },
    { "a connection of the caller's",
      NULL,
      "http://a/",
      { { B("Connection"), B("close") } },
      NULL,
      NULL },
    { "a head of a body", "HEAD", "http://a/", { { B("a"), B("b") } }, "hello", NULL },
    { "a method that is not a word", "GET /x", "http://a/", { { B("a"), B("b") } }, NULL, NULL },
};

static void check_head(void **state)
{
    const struct head_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_rope body;
    struct rf_net_call call = { .method = row->method, .url = row->url, .headers = row->headers };
    struct rf_web_place place;
    struct rf_str head;
    while (call.header_count < COUNT(row->headers) && row->headers[call.header_count].name.n)
        call.header_count++;
    rf_rope_init(&body, a);
    rf_rope_text(&body, rf_str(row->body));
    call.body = row->body ? &body : NULL;
    assert_int_equal(rf_head_fits(&call), row->want != NULL);
    assert_true(rf_web_place_read(row->url, &place));
    if (row->want) {
        assert_int_equal(rf_head_write(&call, &place, a, &head, NULL), RF_OK);
        assert_str(head, row->want);
    }
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest urls[COUNT(url_rows)], heads[COUNT(head_rows)];
    name_rows(urls, check_url, url_rows, COUNT(url_rows), sizeof *url_rows);
    name_rows(heads, check_head, head_rows, COUNT(head_rows), sizeof *head_rows);
    return cmocka_run_group_tests_name("urls", urls, NULL, NULL) +
           cmocka_run_group_tests_name("heads", heads, NULL, NULL);
}
