/* Streams cut into messages: each row is fed whole, cut in two at every place, and byte by byte,
 * and gives the same messages each time. Pieces are fed from memory of exactly their size. */
#include "testing.h"

#include "aws_frames.h"
#include "base/file.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "wire/framing.h"

/* The messages as text: <name|data>, and <!name|data|message> for an exception. */

static void show(struct rf_buf *out, const struct rf_frame *f)
{
    rf_buf_add(out, f->exception ? RF_STR("<!") : RF_STR("<"));
    rf_buf_add(out, f->name);
    rf_buf_addc(out, '|');
    rf_buf_add(out, f->data);
    if (f->exception) {
        rf_buf_addc(out, '|');
        rf_buf_add(out, f->message);
    }
    rf_buf_addc(out, '>');
}

static enum rf_code feed(struct rf_framing *f, struct rf_str piece, struct rf_buf *out,
                         struct rf_err *err)
{
    char *copy = malloc(piece.n ? piece.n : 1);
    struct rf_str input = { copy, piece.n };
    struct rf_frame frame;
    enum rf_code rc = RF_OK;
    assert_non_null(copy);
    if (piece.n)
        memcpy(copy, piece.p, piece.n);
    while (rf_framing_next(f, &input, &frame, &rc, err)) {
        assert_int_equal(rc, RF_OK);
        show(out, &frame);
    }
    assert_true(rc || input.n == 0);
    free(copy);
    return rc;
}

/* Pieces: up to `first`, then of `step` bytes each. What went wrong stands at the end. */
static struct rf_str cut(struct rf_arena *a, enum rf_framing_kind kind, struct rf_str all,
                         size_t first, size_t step)
{
    struct rf_framing f;
    struct rf_frame frame;
    struct rf_buf out;
    struct rf_err err = { 0 };
    enum rf_code rc = RF_OK;
    rf_framing_init(&f, kind);
    rf_buf_init(&out, a, SIZE_MAX);
    for (size_t at = 0, n = first; !rc && at < all.n; at += n, n = step) {
        n = n < all.n - at ? n : all.n - at;
        rc = feed(&f, (struct rf_str){ all.p + at, n }, &out, &err);
    }
    if (!rc && rf_framing_last(&f, &frame, &rc, &err))
        show(&out, &frame);
    if (rc)
        rf_buf_addf(&out, "%s", err.msg);
    rf_framing_release(&f);
    struct rf_str text;
    assert_int_equal(rf_buf_finish(&out, &text, NULL), RF_OK);
    return text;
}

static void check_cut(enum rf_framing_kind kind, struct rf_str bytes, size_t first, size_t step,
                      struct rf_str want)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str got = cut(a, kind, bytes, first, step);
    if (!rf_str_eq(got, want))
        fail_msg("cut at %zd, then in pieces of %zd bytes:\n  %s\ninstead of\n  %s", (ssize_t)first,
                 (ssize_t)step, rf_cstr(a, got), rf_cstr(a, want));
    rf_arena_free(a);
}

static void check_all_cuts(enum rf_framing_kind kind, struct rf_str bytes, struct rf_str want)
{
    check_cut(kind, bytes, SIZE_MAX, 1, want);
    check_cut(kind, bytes, 1, 1, want);
    for (size_t first = 0; first < bytes.n; first++)
        check_cut(kind, bytes, first, SIZE_MAX, want);
}

/* Lines. */

#define MARK "\xef\xbb\xbf"
#define SIXTEEN "0123456789abcdef"
#define NAME_128 SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN

struct text_row {
    const char *name;
    enum rf_framing_kind kind;
    struct rf_str bytes, want;
};

static struct text_row text_rows[] = {
    { "sse: nothing is not a message", RF_FRAMING_SSE, B(""), B("") },
    { "sse: lines end with LF", RF_FRAMING_SSE, B("event: a\ndata: 1\n\ndata: 2\n\n"),
      B("<a|1><|2>") },
    { "sse: lines end with CRLF", RF_FRAMING_SSE, B("event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n"),
      B("<a|1><|2>") },
    { "sse: lines end with CR", RF_FRAMING_SSE, B("event: a\rdata: 1\r\rdata: 2\r\r"),
      B("<a|1><|2>") },
    { "sse: each line ends as it likes", RF_FRAMING_SSE, B("data: 1\r\ndata: 2\rdata: 3\n\r\n"),
      B("<|1\n2\n3>") },
    { "sse: LF and CR are two ends", RF_FRAMING_SSE, B("data: 1\n\rdata: 2\n\r"), B("<|1><|2>") },
    { "sse: a JSON object instead of events is one message", RF_FRAMING_SSE, B("{\n \"a\": 1\n}\n"),
      B("<|{\n \"a\": 1\n}>") },
    { "sse: data lines are joined by LF", RF_FRAMING_SSE, B("data: a\ndata:\ndata: b\n\n"),
      B("<|a\n\nb>") },
    { "sse: an empty data line is a message", RF_FRAMING_SSE, B("data:\n\n"), B("<|>") },
    { "sse: a field without a colon has no value", RF_FRAMING_SSE, B("data\ndata\n\n"),
      B("<|\n>") },
    { "sse: one blank is taken off the value", RF_FRAMING_SSE,
      B("data:a\n\ndata: b\n\ndata:  c \n\n"), B("<|a><|b><| c >") },
    { "sse: colons belong to the value", RF_FRAMING_SSE, B("data: {\"a\":1}\n\ndata::\n\n"),
      B("<|{\"a\":1}><|:>") },
    { "sse: comments say nothing", RF_FRAMING_SSE,
      B(": hello\n\n:\n\ndata: 1\n: OPENROUTER PROCESSING\ndata: 2\n\n:data: 3\n\n"),
      B("<|1\n2>") },
    { "sse: other fields say nothing", RF_FRAMING_SSE,
      B("id: 7\nretry: 10\ndata: 1\nData: 2\ndata2: 3\n data: 4\n\n"), B("<|1>") },
    { "sse: an event without data is none, and its name is forgotten", RF_FRAMING_SSE,
      B("event: ping\n\ndata: 1\n\n"), B("<|1>") },
    { "sse: the last name counts", RF_FRAMING_SSE, B("event: a\nevent: b\ndata: 1\nevent: c\n\n"),
      B("<c|1>") },
    { "sse: names end after 128 bytes", RF_FRAMING_SSE,
      B("event: " NAME_128 "xyz\ndata: 1\n\nevent: " NAME_128 "\ndata: 2\n\n"),
      B("<" NAME_128 "|1><" NAME_128 "|2>") },
    { "sse: blank lines between messages", RF_FRAMING_SSE, B("\n\n\ndata: 1\n\n\n\ndata: 2\n\n\n"),
      B("<|1><|2>") },
    { "sse: a mark at the front is passed over", RF_FRAMING_SSE, B(MARK "data: 1\n\ndata: 2\n\n"),
      B("<|1><|2>") },
    { "sse: a mark further on makes another field", RF_FRAMING_SSE,
      B("data: 1\n" MARK "data: 2\n\n"), B("<|1>") },
    { "sse: one mark is passed over, not two", RF_FRAMING_SSE, B(MARK MARK "data: 1\n\n"), B("") },
    { "sse: the last message may lack its blank line", RF_FRAMING_SSE,
      B("data: 1\n\nevent: a\ndata: 2\n"), B("<|1><a|2>") },
    { "sse: and its line feed", RF_FRAMING_SSE, B("data: 1\n\nevent: a\ndata: 2"), B("<|1><a|2>") },
    { "sse: and the second half of CRLF", RF_FRAMING_SSE, B("data: 1\r\n\r\ndata: 2\r"),
      B("<|1><|2>") },
    { "sse: a whole last message is given once", RF_FRAMING_SSE, B("data: 1\r\n\r"), B("<|1>") },
    { "sse: a last name without data is not a message", RF_FRAMING_SSE, B("data: 1\n\nevent: a\n"),
      B("<|1>") },
    { "sse: NUL is a character like others", RF_FRAMING_SSE, B("data: a\0b\n\n"), B("<|a\0b>") },
    { "lines: nothing is not a message", RF_FRAMING_LINES, B(""), B("") },
    { "lines: one message a line", RF_FRAMING_LINES, B("{\"a\":1}\n{\"a\":2}\n"),
      B("<|{\"a\":1}><|{\"a\":2}>") },
    { "lines: CRLF, spaces and blank lines are passed over", RF_FRAMING_LINES,
      B("1\r\n\r\n \t \n\n 2 \r\n"), B("<|1><|2>") },
    { "lines: CR alone ends no line", RF_FRAMING_LINES, B("[1,\r2]\n"), B("<|[1,\r2]>") },
    { "lines: the last may lack its line feed", RF_FRAMING_LINES, B("1\n2"), B("<|1><|2>") },
    { "lines: a last line of spaces is not a message", RF_FRAMING_LINES, B("1\n \r"), B("<|1>") },
    { "lines: a mark at the front is passed over", RF_FRAMING_LINES, B(MARK "1\n2\n"),
      B("<|1><|2>") },
};

static void check_text(void **state)
{
    const struct text_row *row = *state;
    check_all_cuts(row->kind, row->bytes, row->want);
}

/* Frames. */

#define EVENT                 \
    "\x0b:event-type\x07\0\1" \
    "e"
#define HEAD_CRC "a frame of the stream has a wrong checksum in its head"
#define BODY_CRC "a frame of the stream has a wrong checksum"
#define LENGTHS "a frame of the stream has impossible lengths"
#define HEADERS "a frame of the stream has broken headers"

struct frame_row {
    const char *name;
    struct rf_str headers, payload;
    long more_total, more_headers; /* added to the lengths in the head */
    long flip; /* a byte of the frame, counted from 1, or from the end by -1: one bit of it */
    const char *want;
};

static struct frame_row frame_rows[] = {
    { .name = "aws: the event's type is the name",
      .headers = B(EVENT "\x0d:message-type\x07\0\5"
                         "event"),
      .payload = B("{}"),
      .want = "<e|{}>" },
    { .name = "aws: no headers, no payload", .want = "<|>" },
    { .name = "aws: headers alone", .headers = B(EVENT), .want = "<e|>" },
    { .name = "aws: a payload alone", .payload = B("{'foo':'bar'}"), .want = "<|{'foo':'bar'}>" },
    { .name = "aws: an exception's type is the name",
      .headers = B("\x0f:exception-type\x07\0\1"
                   "x"
                   "\x0d:message-type\x07\0\x09"
                   "exception"),
      .payload = B("{}"),
      .want = "<!x|{}|>" },
    { .name = "aws: an error has its code and words in headers",
      .headers = B("\x0d:message-type\x07\0\5"
                   "error"
                   "\x0b:error-code\x07\0\1"
                   "c"
                   "\x0e:error-message\x07\0\3"
                   "why"),
      .want = "<!c||why>" },
    { .name = "aws: values of every type are passed over",
      .headers = B("\1a\0"
                   "\1b\1"
                   "\1c\2"
                   "x"
                   "\1d\3"
                   "xx"
                   "\1e\4"
                   "xxxx"
                   "\1f\5"
                   "xxxxxxxx"
                   "\1g\6\0\3"
                   "xxx"
                   "\1h\7\0\0"
                   "\1i\x08"
                   "xxxxxxxx"
                   "\1j\x09"
                   "xxxxxxxxxxxxxxxx" EVENT),
      .payload = B("1"),
      .want = "<e|1>" },
    { .name = "aws: a header without a name", .headers = B("\0\0" EVENT), .want = "<e|>" },
    { .name = "aws: a type that nobody knows",
      .headers = B("\1a\x0a"
                   "xxxx"),
      .want = HEADERS },
    { .name = "aws: a header that ends in its name", .headers = B("\5ab"), .want = HEADERS },
    { .name = "aws: a header that ends before its type", .headers = B("\2ab"), .want = HEADERS },
    { .name = "aws: a header that ends before its value", .headers = B("\2ab\4"), .want = HEADERS },
    { .name = "aws: a header that ends before its value's length",
      .headers = B(EVENT "\2ab\7"),
      .want = HEADERS },
    { .name = "aws: a header that ends in its value's length",
      .headers = B("\2ab\7\0"),
      .want = HEADERS },
    { .name = "aws: a header that ends in its value",
      .headers = B("\2ab\7\0\4xyz"),
      .want = HEADERS },
    { .name = "aws: a number that is cut",
      .headers = B("\2ab\5"
                   "1234567"),
      .want = HEADERS },
    { .name = "aws: a name that is not UTF-8",
      .headers = B("\x0b:event-type\x07\0\1\xff"),
      .want = HEADERS },
    { .name = "aws: words that are not UTF-8",
      .headers = B("\x0e:error-message\x07\0\2\xc3"
                   "a"),
      .want = HEADERS },
    { .name = "aws: another length of the frame is noticed in its head",
      .payload = B("{}"),
      .flip = 1,
      .want = HEAD_CRC },
    { .name = "aws: another length of the headers too",
      .payload = B("{}"),
      .flip = 8,
      .want = HEAD_CRC },
    { .name = "aws: another checksum of the head", .flip = 9, .want = HEAD_CRC },
    { .name = "aws: another byte in the headers",
      .headers = B(EVENT),
      .flip = 20,
      .want = BODY_CRC },
    { .name = "aws: another byte in the payload",
      .payload = B("{}"),
      .flip = -5,
      .want = BODY_CRC },
    { .name = "aws: another checksum of the body", .flip = -1, .want = BODY_CRC },
    { .name = "aws: a frame shorter than its head and end", .more_total = -1, .want = LENGTHS },
    { .name = "aws: a frame without any length", .more_total = -16, .want = LENGTHS },
    { .name = "aws: headers longer than the frame",
      .payload = B("{}"),
      .more_headers = 3,
      .want = LENGTHS },
    { .name = "aws: headers of four billion bytes", .more_headers = -1, .want = LENGTHS },
    { .name = "aws: headers that reach into the payload",
      .headers = B(EVENT),
      .payload = B("\1a"),
      .more_headers = 2,
      .want = HEADERS },
    { .name = "aws: a frame over the limit",
      .more_total = (long)RF_MAX_FRAME_BYTES - 15,
      .want = "a message of the stream is over the limit of 268435456 bytes" },
    { .name = "aws: a frame of the limit that does not come",
      .more_total = (long)RF_MAX_FRAME_BYTES - 16,
      .want = "the stream ends in the middle of a frame" },
};

/* After a good frame, which is given all the same. */
static void check_frame(void **state)
{
    const struct frame_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    aws_event(&b, "first", RF_STR("1"));
    size_t at = b.n;
    aws_frame_as(&b, row->headers, row->payload,
                 (size_t)((long)(row->headers.n + row->payload.n) + 16 + row->more_total),
                 (size_t)((long)row->headers.n + row->more_headers));
    if (row->flip)
        b.p[row->flip > 0 ? at + (size_t)row->flip - 1 : b.n - (size_t)-row->flip] ^= 4;
    check_all_cuts(RF_FRAMING_AWS, (struct rf_str){ b.p, b.n },
                   rf_strf(a, "<first|1>%s", row->want));
    rf_arena_free(a);
}

static void frames_follow_each_other(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_buf b;
    (void)state;
    rf_buf_init(&b, a, SIZE_MAX);
    aws_event(&b, "a", RF_STR("{\"x\":1}"));
    aws_event(&b, "b", RF_STR(""));
    aws_exception(&b, "c", RF_STR("{\"message\":\"no\"}"));
    aws_event(&b, "d", RF_STR("4"));
    check_all_cuts(RF_FRAMING_AWS, (struct rf_str){ b.p, b.n },
                   RF_STR("<a|{\"x\":1}><b|><!c|{\"message\":\"no\"}|><d|4>"));
    rf_arena_free(a);
}

static void a_frame_cut_off_anywhere_is_an_error(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_buf b;
    (void)state;
    rf_buf_init(&b, a, SIZE_MAX);
    aws_event(&b, "a", RF_STR("{}"));
    size_t whole = b.n;
    aws_event(&b, "b", RF_STR("{}"));
    for (size_t n = 1; n < b.n; n++) {
        struct rf_str want = rf_strf(a, "%s%s", n < whole ? "" : "<a|{}>",
                                     n == whole ? "" : "the stream ends in the middle of a frame");
        check_cut(RF_FRAMING_AWS, (struct rf_str){ b.p, n }, SIZE_MAX, 1, want);
        check_cut(RF_FRAMING_AWS, (struct rf_str){ b.p, n }, 7, 7, want);
    }
    rf_arena_free(a);
}

/* Two frames whose bytes are written out, checksums included. */
static void checksums_are_those_of_the_protocol(void **state)
{
    (void)state;
    check_all_cuts(RF_FRAMING_AWS,
                   RF_STR("\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2\x48\xeb\x7d\x98\xc8\xff"
                          "\x00\x00\x00\x1d\x00\x00\x00\x00\xfd\x52\x8c\x5a{'foo':'bar'}"
                          "\xc3\x65\x39\x36"),
                   RF_STR("<|><|{'foo':'bar'}>"));
}

/* Limits: a message that never ends, in pieces of a megabyte. */

static void check_endless(enum rf_framing_kind kind, const char *line)
{
    enum { PIECE = 1 << 20 };
    struct rf_framing f;
    struct rf_frame frame;
    struct rf_err err = { 0 };
    enum rf_code rc = RF_OK;
    size_t n = strlen(line), fed = 0;
    char *piece = malloc(PIECE);
    assert_non_null(piece);
    for (size_t i = 0; i < PIECE; i++)
        piece[i] = line[i % n];
    rf_framing_init(&f, kind);
    for (; !rc && fed <= 2 * RF_MAX_FRAME_BYTES; fed += PIECE) {
        struct rf_str input = { piece, PIECE / n * n };
        assert_false(rf_framing_next(&f, &input, &frame, &rc, &err));
    }
    rf_framing_release(&f);
    free(piece);
    assert_int_equal(rc, RF_ELIMIT);
    assert_true(fed > RF_MAX_FRAME_BYTES && fed < 2 * RF_MAX_FRAME_BYTES);
    assert_string_equal(err.msg, "a message of the stream is over the limit of 268435456 bytes");
}

static void the_last_id_and_the_wait_are_kept(void **state)
{
    struct rf_framing f;
    struct rf_frame frame;
    struct rf_err err;
    enum rf_code rc;
    struct rf_str input =
        RF_STR("id: 7\nretry: 250\ndata:\n\nid: a b\ndata: x\n\nretry: soon\ndata: y\n\n");
    (void)state;
    rf_framing_init(&f, RF_FRAMING_SSE);
    assert_int_equal(f.retry_ms, -1);
    assert_true(rf_framing_next(&f, &input, &frame, &rc, &err));
    assert_memory_equal(f.last_id, "7", f.last_id_n);
    assert_true(rf_framing_next(&f, &input, &frame, &rc, &err));
    assert_true(rf_framing_next(&f, &input, &frame, &rc, &err));
    assert_str(frame.data, "y");
    assert_int_equal(f.last_id_n, 3);
    assert_int_equal(f.retry_ms, 250);
    rf_framing_release(&f);
}

static void a_lower_limit_counts(void **state)
{
    struct rf_framing f;
    struct rf_frame frame;
    struct rf_err err;
    enum rf_code rc;
    struct rf_str input = RF_STR("{\"a\":1");
    (void)state;
    rf_framing_init(&f, RF_FRAMING_LINES);
    f.most = 5;
    assert_false(rf_framing_next(&f, &input, &frame, &rc, &err));
    assert_int_equal(rc, RF_ELIMIT);
    rf_framing_release(&f);
}

static void a_line_has_a_limit(void **state)
{
    (void)state;
    check_endless(RF_FRAMING_SSE, "x");
}

static void the_data_of_an_event_has_a_limit(void **state)
{
    (void)state;
    check_endless(RF_FRAMING_SSE, "data: 0123456789012345678901234567890123456789012345678901234"
                                  "5678901234567890123456789\n");
}

static void a_json_line_has_a_limit(void **state)
{
    (void)state;
    check_endless(RF_FRAMING_LINES, " ");
}

/* Checksums. */

static void known_checksums(void **state)
{
    static const struct {
        const char *text;
        uint32_t want;
    } rows[] = {
        { "", 0 },
        { "a", 0xe8b7be43 },
        { "123456789", 0xcbf43926 },
        { "The quick brown fox jumps over the lazy dog", 0x414fa339 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(rf_crc32(rows[i].text, strlen(rows[i].text)), rows[i].want);
}

static uint32_t crc_by_bits(const unsigned char *p, size_t n)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < n * 8; i++) {
        uint32_t bit = (crc ^ (uint32_t)(p[i / 8] >> i % 8)) & 1;
        crc = crc >> 1 ^ (bit ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void every_byte_counts(void **state)
{
    unsigned char bytes[512];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 167 + (i >> 8) * 13);
    for (size_t n = 0; n <= sizeof bytes; n++)
        assert_int_equal(rf_crc32(bytes, n), crc_by_bits(bytes, n));
}

/* Streams that another implementation of the protocol wrote. */

static struct rf_str read_shared(struct rf_arena *a, const char *folder, const char *name)
{
    struct rf_str text;
    struct rf_err err;
    if (rf_file_read(in_folder(a, folder, name), 1 << 20, a, &text, &err))
        fail_msg("%s", err.msg);
    return text;
}

static struct rf_str listed(struct rf_arena *a, struct rf_str json)
{
    struct rf_buf out;
    const struct rf_jval *list;
    struct rf_str text;
    rf_buf_init(&out, a, SIZE_MAX);
    assert_int_equal(rf_jval_parse(json, a, &list, NULL), RF_OK);
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        struct rf_frame frame = {
            .name = rf_jval_text(rf_jval_get(v, "type"), a),
            .data = rf_jval_compact(rf_jval_get(v, "payload"), a),
            .exception = rf_jval_is(rf_jval_get(v, "kind"), "exception"),
        };
        show(&out, &frame);
    }
    assert_true(list->count > 0);
    assert_int_equal(rf_buf_finish(&out, &text, NULL), RF_OK);
    return text;
}

static void streams_of_the_sdk(void **state)
{
    static const char *const names[] = { "text-tool", "reasoning", "exception" };
    const char *shared = shared_folder();
    (void)state;
    if (!shared)
        return;
    struct rf_arena *a = rf_arena_new();
    const char *folder = in_folder(a, shared, "examples/bedrock-stream");
    for (size_t i = 0; i < COUNT(names); i++) {
        struct rf_str want = read_shared(a, folder, rf_strf(a, "%s.json", names[i]).p);
        check_all_cuts(RF_FRAMING_AWS, read_shared(a, folder, rf_strf(a, "%s.bin", names[i]).p),
                       listed(a, want));
    }
    rf_arena_free(a);
}

/* The way out: what is written is read as the same messages. */

struct written_row {
    const char *name;
    enum rf_framing_kind kind;
    struct rf_outgoing messages[3]; /* up to the first without data */
    struct rf_str bytes;            /* or empty: only what is read again counts */
    struct rf_str want;
};

static struct written_row written_rows[] = {
    { .name = "sse: messages with and without a name",
      .kind = RF_FRAMING_SSE,
      .messages = { { .name = "a", .data = B("{\"x\":1}") }, { .data = B("[DONE]") } },
      .bytes = B("event: a\ndata: {\"x\":1}\n\ndata: [DONE]\n\n"),
      .want = B("<a|{\"x\":1}><|[DONE]>") },
    { .name = "sse: a blank at the front of the data is its own",
      .kind = RF_FRAMING_SSE,
      .messages = { { .data = B(" 1") } },
      .bytes = B("data:  1\n\n"),
      .want = B("<| 1>") },
    { .name = "lines: a name is not written",
      .kind = RF_FRAMING_LINES,
      .messages = { { .name = "a", .data = B("{\"x\":1}") }, { .data = B("2") } },
      .bytes = B("{\"x\":1}\n2\n"),
      .want = B("<|{\"x\":1}><|2>") },
    { .name = "aws: events, and an exception at the end",
      .kind = RF_FRAMING_AWS,
      .messages = { { .name = "messageStart", .data = B("{\"role\":\"assistant\"}") },
                    { .name = "metadata", .data = B("{}") },
                    { .name = "throttlingException", .data = B("{}"), .exception = true } },
      .want = B("<messageStart|{\"role\":\"assistant\"}><metadata|{}><!throttlingException|{}|>") },
};

static void check_written(void **state)
{
    const struct written_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    for (size_t i = 0; i < COUNT(row->messages) && row->messages[i].data.n; i++)
        rf_framing_write(row->kind, &row->messages[i], &b);
    struct rf_str bytes = { b.p, b.n };
    if (row->bytes.n)
        assert_str(bytes, row->bytes.p);
    check_all_cuts(row->kind, bytes, row->want);
    rf_arena_free(a);
}

/* Byte for byte what tests/wire/aws_frames.h makes, with lengths on both sides of 255. */
static void frames_are_those_of_the_converse_api(void **state)
{
    static const size_t sizes[] = { 0, 1, 150, 200, 255, 256, 65536 };
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct rf_buf got, want;
        char *p = rf_arena_alloc(a, sizes[i] + 1);
        struct rf_str data = { memset(p, '7', sizes[i]), sizes[i] };
        rf_buf_init(&got, a, SIZE_MAX);
        rf_buf_init(&want, a, SIZE_MAX);
        aws_event(&want, "contentBlockDelta", data);
        aws_exception(&want, "validationException", data);
        rf_framing_write(RF_FRAMING_AWS,
                         &(struct rf_outgoing){ .name = "contentBlockDelta", .data = data }, &got);
        rf_framing_write(
            RF_FRAMING_AWS,
            &(struct rf_outgoing){ .name = "validationException", .data = data, .exception = true },
            &got);
        assert_int_equal(got.n, want.n);
        assert_memory_equal(got.p, want.p, want.n);
    }
    rf_arena_free(a);
}

/* Where the buffer ends it stays full, whatever the message had written by then. */
static void a_full_buffer_takes_no_more(void **state)
{
    const struct rf_outgoing m = { .name = "e", .data = RF_STR_INIT("{\"a\":\"b\"}") };
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (enum rf_framing_kind kind = RF_FRAMING_SSE; kind <= RF_FRAMING_LINES; kind++) {
        struct rf_buf all;
        rf_buf_init(&all, a, SIZE_MAX);
        rf_framing_write(kind, &m, &all);
        for (size_t max = 0; max <= all.n; max++) {
            struct rf_buf b;
            rf_buf_init(&b, a, max);
            rf_framing_write(kind, &m, &b);
            assert_true(b.full == (max < all.n) && b.n <= max);
        }
    }
    rf_arena_free(a);
}

int main(void)
{
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(frames_follow_each_other),
        cmocka_unit_test(a_frame_cut_off_anywhere_is_an_error),
        cmocka_unit_test(checksums_are_those_of_the_protocol),
        cmocka_unit_test(the_last_id_and_the_wait_are_kept),
        cmocka_unit_test(a_lower_limit_counts),
        cmocka_unit_test(a_line_has_a_limit),
        cmocka_unit_test(the_data_of_an_event_has_a_limit),
        cmocka_unit_test(a_json_line_has_a_limit),
        cmocka_unit_test(known_checksums),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(streams_of_the_sdk),
        cmocka_unit_test(frames_are_those_of_the_converse_api),
        cmocka_unit_test(a_full_buffer_takes_no_more),
    };
    struct CMUnitTest tests[COUNT(text_rows) + COUNT(frame_rows) + COUNT(written_rows)];
    name_rows(tests, check_text, text_rows, COUNT(text_rows), sizeof *text_rows);
    name_rows(tests + COUNT(text_rows), check_frame, frame_rows, COUNT(frame_rows),
              sizeof *frame_rows);
    name_rows(tests + COUNT(text_rows) + COUNT(frame_rows), check_written, written_rows,
              COUNT(written_rows), sizeof *written_rows);
    int failed = cmocka_run_group_tests_name("framing: messages", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("framing: the rest", single, NULL, NULL);
}
