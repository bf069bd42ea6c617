/* Answers of HTTP/1.1, fed whole and byte by byte: the same is read from both. */
#include "../testing.h"
#include "base/buf.h"
#include "net/http1.h"

#define OK_HEAD "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"

/* What is read is written as "STATUS", "[NAME=VALUE]", bytes as they are, and at the end "." or, of
 * a connection that can be kept, "+"; "?" where more has to come, and "!" and why. Bytes after the
 * end stand in "<>". */
static const struct row {
    const char *name;
    const char *answer; /* "|" at the end: the connection is closed then */
    const char *want;
} rows[] = {
    { "a length", OK_HEAD "Content-Length: 5\r\n\r\nhello", "200[Content-Length=5]hello+" },
    { "a length of nothing", OK_HEAD "Content-Length: 0\r\n\r\n", "200[Content-Length=0]+" },
    { "two lengths that are the same", OK_HEAD "Content-Length: 1\r\ncontent-length:1\r\n\r\nx",
      "200[Content-Length=1][content-length=1]x+" },
    { "chunks", CHUNKED "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
      "200[Transfer-Encoding=chunked]hello+" },
    { "chunks with words beside their size", CHUNKED "3;a=\"b\"\r\nhel\r\n2 \r\nlo\r\n00\r\n\r\n",
      "200[Transfer-Encoding=chunked]hello+" },
    { "a header after chunks", CHUNKED "1\r\nx\r\n0\r\nContent-Length: 9\r\nA: b\r\n\r\n",
      "200[Transfer-Encoding=chunked]x[Content-Length=9][A=b]+" },
    { "no coding in so many words",
      OK_HEAD "Transfer-Encoding: identity\r\nContent-Length: 1\r\n\r\nx",
      "200[Transfer-Encoding=identity][Content-Length=1]x+" },
    { "until the end", OK_HEAD "\r\nhello|", "200hello." },
    { "until an end that has not come", OK_HEAD "\r\nhello", "200hello?" },
    { "line feeds alone", "HTTP/1.1 200 OK\nA: b\nContent-Length: 1\n\nx",
      "200[A=b][Content-Length=1]x+" },
    { "no words after the status", "HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n",
      "404[Content-Length=0]+" },
    { "white space around a value", OK_HEAD "A: \t b c \t\r\nB:\r\nContent-Length:0\r\n\r\n",
      "200[A=b c][B=][Content-Length=0]+" },
    { "an answer before the last",
      "HTTP/1.1 103 Early\r\nContent-Length: 7\r\nConnection: close\r\n\r\n" OK_HEAD
      "Content-Length: 1\r\n\r\nx",
      "103[Content-Length=7][Connection=close]200[Content-Length=1]x+" },
    { "no content", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
      "204[Content-Length=5]+" },
    { "not modified", "HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\n",
      "304[Transfer-Encoding=chunked]+" },
    { "what follows an answer", OK_HEAD "Content-Length: 1\r\n\r\nxHTTP",
      "200[Content-Length=1]x+<HTTP>" },
    { "a server that closes", OK_HEAD "Connection: Keep-Alive, Close\r\nContent-Length: 1\r\n\r\nx",
      "200[Connection=Keep-Alive, Close][Content-Length=1]x." },
    { "an old server", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", "200[Content-Length=1]x." },

    { "nothing", "|", "!transfer closed with outstanding read data remaining" },
    { "half a head", OK_HEAD "Content-|", "200." },
    { "half a head with a length", OK_HEAD "Content-Length: 0\r\nA|",
      "200[Content-Length=0]!transfer closed with outstanding read data remaining" },
    { "half a head that announces another", "HTTP/1.1 103 Early\r\nA|",
      "103!transfer closed with outstanding read data remaining" },
    { "half a body", OK_HEAD "Content-Length: 5\r\n\r\nhel|",
      "200[Content-Length=5]hel!transfer closed with outstanding read data remaining" },
    { "no last chunk", CHUNKED "3\r\nhel\r\n|",
      "200[Transfer-Encoding=chunked]hel!transfer closed with outstanding read data remaining" },
    { "another protocol", "SSH-2.0-server\r\n", "!what came is not an answer of HTTP/1.1" },
    { "another version", "HTTP/2 200 OK\r\n\r\n", "!what came is not an answer of HTTP/1.1" },
    { "an empty line first", "\r\n" OK_HEAD "\r\n", "!what came is not an answer of HTTP/1.1" },
    { "a status of two digits", "HTTP/1.1 20 OK\r\n\r\n",
      "!what came is not an answer of HTTP/1.1" },
    { "a status that is not a number", "HTTP/1.1 2x0 OK\r\n\r\n", "!the answer has no status" },
    { "a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n",
      "!what came is not an answer of HTTP/1.1" },
    { "another protocol from here on", "HTTP/1.1 101 Switch\r\n\r\n",
      "!the answer has a status that was not asked for" },
    { "a length beside chunks", OK_HEAD "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      "200[Content-Length=5][Transfer-Encoding=chunked]!the answer has a length beside its "
      "chunks" },
    { "two lengths", OK_HEAD "Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
      "200[Content-Length=5]!the answer has a length that cannot be" },
    { "two lengths in a line", OK_HEAD "Content-Length: 5, 5\r\n\r\n",
      "200!the answer has a length that cannot be" },
    { "a length below nothing", OK_HEAD "Content-Length: -1\r\n\r\n",
      "200!the answer has a length that cannot be" },
    { "a length with a sign", OK_HEAD "Content-Length: +1\r\n\r\n",
      "200!the answer has a length that cannot be" },
    { "a length that does not fit", OK_HEAD "Content-Length: 99999999999999999999\r\n\r\n",
      "200!the answer has a length that cannot be" },
    { "no length", OK_HEAD "Content-Length:\r\n\r\n",
      "200!the answer has a length that cannot be" },
    { "a coding", OK_HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n",
      "200!the answer is in a coding that was not asked for" },
    { "chunks in chunks",
      OK_HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      "200[Transfer-Encoding=chunked]!the answer is in a coding that was not asked for" },
    { "a header over two lines", OK_HEAD "A: b\r\n c\r\n\r\n",
      "200[A=b]!the answer has a header that cannot be read" },
    { "a header without a colon", OK_HEAD "A\r\n\r\n",
      "200!the answer has a header that cannot be read" },
    { "a header without a name", OK_HEAD ": b\r\n\r\n",
      "200!the answer has a header that cannot be read" },
    { "a space before the colon", OK_HEAD "A : b\r\n\r\n",
      "200!the answer has a header that cannot be read" },
    { "a carriage return in a header", OK_HEAD "A: b\rc\r\n\r\n",
      "200!the answer has a header that cannot be read" },
    { "a chunk without a size", CHUNKED "\r\n",
      "200[Transfer-Encoding=chunked]!the answer has a chunk without a size" },
    { "a chunk with a size in words", CHUNKED "3x\r\nabc\r\n",
      "200[Transfer-Encoding=chunked]!the answer has a chunk without a size" },
    { "a chunk below nothing", CHUNKED "-3\r\nabc\r\n",
      "200[Transfer-Encoding=chunked]!the answer has a chunk without a size" },
    { "a chunk that is too large", CHUNKED "1000000000000000\r\n",
      "200[Transfer-Encoding=chunked]!the answer has a chunk that is too large" },
    { "a chunk that is longer than its size", CHUNKED "3\r\nabcd\r\n",
      "200[Transfer-Encoding=chunked]abc!the answer has a chunk that is longer than its size" },
};

/* False where it is over. */
static bool write_item(const struct rf_http1 *h, enum rf_http1_item item,
                       const struct rf_http1_said *said, struct rf_buf *out)
{
    switch (item) {
    case RF_HTTP1_MORE:
        return true;
    case RF_HTTP1_STATUS:
        rf_buf_addf(out, "%d", h->status);
        return true;
    case RF_HTTP1_HEADER:
        rf_buf_addf(out, "[%.*s=%.*s]", RF_FMT(said->name), RF_FMT(said->value));
        return true;
    case RF_HTTP1_BYTES:
        rf_buf_add(out, said->bytes);
        return true;
    case RF_HTTP1_END:
        rf_buf_addc(out, rf_http1_keeps(h) ? '+' : '.');
        return false;
    case RF_HTTP1_BROKEN:
        rf_buf_addf(out, "!%s", h->why);
        return false;
    }
    return false;
}

/* All that is read from it in pieces of so many bytes. */
static struct rf_str read_all(struct rf_str answer, enum rf_http1_part part, size_t step,
                              struct rf_arena *a)
{
    struct rf_http1 h;
    struct rf_http1_said said;
    struct rf_buf out;
    struct rf_str text;
    bool goes_on = true, closed = answer.n && answer.p[answer.n - 1] == '|';
    answer.n -= closed;
    rf_buf_init(&out, a, SIZE_MAX);
    rf_http1_init(&h, part);
    while (goes_on && answer.n) {
        struct rf_str in = { answer.p, step < answer.n ? step : answer.n };
        size_t n = in.n;
        enum rf_http1_item item;
        while (goes_on && (item = rf_http1_next(&h, &in, &said)) != RF_HTTP1_MORE)
            goes_on = write_item(&h, item, &said, &out);
        answer = (struct rf_str){ answer.p + n - in.n, answer.n - n + in.n };
    }
    if (goes_on && closed)
        write_item(&h, rf_http1_close(&h), &said, &out);
    else if (goes_on)
        rf_buf_addc(&out, '?');
    else if (h.state == RF_HTTP1_AT_END && answer.n)
        rf_buf_addf(&out, "<%.*s>", RF_FMT(answer));
    rf_http1_release(&h);
    assert_int_equal(rf_buf_finish(&out, &text, NULL), RF_OK);
    return text;
}

static void check_both(struct rf_str answer, enum rf_http1_part part, const char *want)
{
    struct rf_arena *a = rf_arena_new();
    assert_str(read_all(answer, part, SIZE_MAX, a), want);
    assert_str(read_all(answer, part, 1, a), want);
    rf_arena_free(a);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    check_both(rf_str(row->answer), RF_HTTP1_WHOLE, row->want);
}

static void a_head_has_no_body(void **state)
{
    (void)state;
    check_both(RF_STR(OK_HEAD "Content-Length: 5\r\n\r\n"), RF_HTTP1_HEAD_ONLY,
               "200[Content-Length=5]+");
    check_both(RF_STR(CHUNKED), RF_HTTP1_HEAD_ONLY, "200[Transfer-Encoding=chunked]+");
}

static void takes_no_endless_line(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    size_t n = (size_t)70 << 10;
    char *text = rf_arena_alloc(a, n);
    memset(text, 'a', n);
    memcpy(text, OK_HEAD "A: ", sizeof OK_HEAD "A: " - 1);
    const char *want = "200!a line of the answer is too long";
    check_both((struct rf_str){ text, n }, RF_HTTP1_WHOLE, want);
    text[n - 1] = '\n';
    check_both((struct rf_str){ text, n }, RF_HTTP1_WHOLE, want);
    rf_arena_free(a);
}

static void takes_no_nul(void **state)
{
    (void)state;
    check_both(RF_STR(OK_HEAD "A: b\0c\r\n\r\n"), RF_HTTP1_WHOLE,
               "200!the answer has a header that cannot be read");
    check_both(RF_STR(CHUNKED "1\0\r\nx"), RF_HTTP1_WHOLE,
               "200[Transfer-Encoding=chunked]!the answer has a chunk without a size");
}

int main(void)
{
    struct CMUnitTest answers[COUNT(rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_head_has_no_body),
        cmocka_unit_test(takes_no_endless_line),
        cmocka_unit_test(takes_no_nul),
    };
    name_rows(answers, check_row, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests_name("answers", answers, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
