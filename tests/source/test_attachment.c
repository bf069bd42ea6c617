/* read_attachment with a store of one attachment, outlines, and tools that keep what they read. */
#include "base/num.h"
#include "source/outline.h"
#include "source/read.h"

#include "files.h"

#define ID "att_000000000001"
#define KEPT "sha256:kept"

/* What is kept, and what was. */
static struct {
    struct rf_str bytes, last;
    enum rf_code fails;
    unsigned keeps;
    struct rf_arena *arena;
} shelf;

static enum rf_code keep(void *ctx, const struct rf_bytes *bytes, struct rf_arena *a,
                         struct rf_str *blob, struct rf_err *err)
{
    struct rf_reader r;
    size_t got;
    (void)ctx, (void)a;
    shelf.keeps++;
    if (shelf.fails)
        return rf_fail(err, shelf.fails, "the shelf is full");
    char *p = rf_arena_alloc(shelf.arena, (size_t)bytes->size + 1);
    enum rf_code rc = rf_reader_open(&r, bytes, err);
    if (!rc)
        rc = rf_reader_read(&r, 0, p, (size_t)bytes->size, &got, err);
    rf_reader_close(&r);
    shelf.last = (struct rf_str){ p, (size_t)bytes->size };
    *blob = RF_STR(KEPT);
    return rc;
}

static enum rf_code find(void *ctx, struct rf_str id, struct rf_arena *a, struct rf_bytes *out,
                         struct rf_str *blob, struct rf_err *err)
{
    (void)ctx, (void)a;
    if (!rf_str_is(id, ID))
        return rf_fail(err, RF_ENOTFOUND, "/secret/path is not there");
    if (shelf.fails)
        return rf_fail(err, shelf.fails, "/secret/path is damaged");
    *out = rf_bytes_memory(shelf.bytes);
    *blob = RF_STR(KEPT);
    return RF_OK;
}

static struct rf_tools *new_tools(void)
{
    struct rf_tools *t = rf_tools_new();
    t->attachments = (struct rf_attachments){ .keep = keep, .find = find };
    return t;
}

/* The output, or "!" and what went wrong. */
static struct rf_str run(struct rf_tools *t, const char *tool, struct rf_str arguments)
{
    struct rf_arena *a = shelf.arena;
    struct rf_result *result;
    struct rf_err err;
    assert_int_equal(rf_tools_run(t, tool, rf_cstr(a, arguments), &result, &err), RF_OK);
    const struct rf_message *m = &result->message;
    struct rf_str out =
        m->failed ? rf_str_join(a, RF_STR("!"), m->error) : rf_str_dup(a, m->output);
    for (size_t i = 0; i < m->block_count; i++)
        out = rf_strf(a, "%.*s {%s %.*s}", RF_FMT(out), rf_block_type_name(m->blocks[i].type),
                      RF_FMT(m->blocks[i].media.source.ref));
    rf_result_free(result);
    return out;
}

#define EURO "\xe2\x82\xac"
#define JSON "{\"users\":[{\"name\":\"Ann\",\"a/b~c\":1.50},{}],\"n\":null,\"t\":\"x\\n\\u20ac\"}"
#define NO_JSON \
    "it is not JSON that a pointer could find its way in. Use search, or offset and limit."

static const struct row {
    const char *name;
    struct rf_str bytes;
    const char *arguments, *want;
} rows[] = {
    { "all of a text", B("one\ntwo\n"), "", "one\ntwo\n" },
    { "its beginning", B("abcdefgh"), "'limit':4",
      "Bytes 0-3 of 8. Use offset=4 to continue.\nabcd" },
    { "its middle", B("abcdefghijkl"), "'offset':4,'limit':4",
      "Bytes 4-7 of 12. Use offset=8 to continue.\nefgh" },
    { "its end", B("abcdefgh"), "'offset':5", "Bytes 5-7 of 8.\nfgh" },
    { "an offset of nothing", B("abc"), "'offset':0", "abc" },
    { "past its end", B("abc"), "'offset':3",
      "!" ID ": offset 3 is past the end: there are 3 bytes. Bytes are counted from 0." },
    { "no half characters at the end", B("abc" EURO "d"), "'limit':5",
      "Bytes 0-2 of 7. Use offset=3 to continue.\nabc" },
    { "nor at the beginning", B("abc" EURO "d"), "'offset':4", "Bytes 6-6 of 7.\nd" },
    { "a limit of less than a character", B(EURO EURO), "'limit':1",
      "Bytes 0-2 of 6. Use offset=3 to continue.\n" EURO },
    { "a text in Latin-1, whose bytes are those that are shown", B("caf\xe9 caf\xe9 x"),
      "'offset':6,'limit':5",
      "Bytes 6-10 of 13. Use offset=11 to continue.\n"
      "[Encoding: windows-1252, converted to UTF-8, which is a guess: the bytes do not say]\n"
      "caf\xc3\xa9" },
    { "a value", B(JSON), "'pointer':'/users/0/name'", "Ann" },
    { "a key with a slash and a tilde", B(JSON), "'pointer':'/users/0/a~1b~0c'", "1.50" },
    { "a text with its escapes undone", B(JSON), "'pointer':'/t'", "x\n" EURO },
    { "an object", B(JSON), "'pointer':'/users/0'", "{\"name\":\"Ann\",\"a/b~c\":1.50}" },
    { "null", B(JSON), "'pointer':'/n'", "null" },
    { "all of it", B("[1, 2]"), "'pointer':''", "[1,2]" },
    { "the last of two of one name", B("{\"a\":1,\"a\":2}"), "'pointer':'/a'", "2" },
    { "the empty key", B("{\"\":7}"), "'pointer':'/'", "7" },
    { "what does not fit as its outline", B(JSON), "'pointer':'','limit':60",
      "[JSON of 67 bytes. This is its outline: use longer pointers, or offset=0.]\n"
      "(all): object, 3 keys\n/users: array, 2 elements\n/n: null\n" },
    { "a piece of it", B(JSON), "'pointer':'','offset':0,'limit':10",
      "Bytes 0-9 of 67. Use offset=10 to continue.\n{\"users\":[" },
    { "a piece after it", B(JSON), "'pointer':'/t','offset':1", "Bytes 1-4 of 5.\n\n" EURO },
    { "past the end of a value", B(JSON), "'pointer':'/t','offset':9",
      "!" ID ": offset 9 is past the end: there are 5 bytes. Bytes are counted from 0." },
    { "a key that is not there", B(JSON), "'pointer':'/users/0/age'",
      "!" ID
      ": there is no \"age\" in /users/0: it is an object. Read without a pointer, or at the "
      "one before it, to see what is there." },
    { "an element that is not there", B(JSON), "'pointer':'/users/2'",
      "!" ID
      ": there is no \"2\" in /users: it is an array of 2. Read without a pointer, or at the "
      "one before it, to see what is there." },
    { "an element with a zero too many", B(JSON), "'pointer':'/users/01'",
      "!" ID
      ": there is no \"01\" in /users: it is an array of 2. Read without a pointer, or at the "
      "one before it, to see what is there." },
    { "a step into a number", B("{\"a\":1}"), "'pointer':'/a/b'",
      "!" ID ": there is no \"b\" in /a: it is a number. Read without a pointer, or at the one "
      "before it, to see what is there." },
    { "no pointer", B(JSON), "'pointer':'users'",
      "!" ID
      ": this is not a JSON Pointer. Each step begins with a slash, as in /users/0/name; in a "
      "key, ~1 is a slash and ~0 a tilde." },
    { "a tilde that stands for nothing", B(JSON), "'pointer':'/a~2'",
      "!" ID
      ": this is not a JSON Pointer. Each step begins with a slash, as in /users/0/name; in a "
      "key, ~1 is a slash and ~0 a tilde." },
    { "a pointer into no JSON", B("words"), "'pointer':'/a'", "!" ID ": " NO_JSON },
    { "words that are there", B("one\ntwo one\nthree\n"), "'search':'one'",
      "[2 places]\nline 1, offset 0: one\nline 2, offset 8: two one\n" },
    { "a line with two of them is shown once", B("one one\ntwo\n"), "'search':'one'",
      "[1 place]\nline 1, offset 0: one one\n" },
    { "words that are not", B("one\n"), "'search':'One'", "[0 places]" },
    { "words over a line", B("one\ntwo\n"), "'search':'e\\nt'",
      "[1 place]\nline 1, offset 2: one\ntwo\n" },
    { "from an offset on", B("one\ntwo one\nthree\n"), "'search':'one','offset':1",
      "[1 place]\nline 2, offset 8: two one\n" },
    { "more than fits", B("one\none\none\n"), "'search':'one','limit':4",
      "The first 1 places. Use offset=4 to continue.\nline 1, offset 0: one\n" },
    { "longer than all there is", B("one"), "'search':'one two three'", "[0 places]" },
    { "two questions at once", B(JSON), "'search':'a','pointer':''",
      "!" ID ": pointer and search are asked for at once: give one of them" },
    { "a search in a picture", B(PNG_BYTES), "'search':'a'",
      "!" ID ": pointer and search are for text, and this is PNG" },
};

static void answers(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = shelf.arena = rf_arena_new();
    struct rf_tools *t = new_tools();
    shelf.bytes = row->bytes;
    struct rf_str more = quoted(a, row->arguments);
    assert_str(run(t, "read_attachment",
                   rf_strf(a, "{\"id\":\"" ID "\"%s%.*s}", more.n ? "," : "", RF_FMT(more))),
               row->want);
    rf_tools_free(t);
    rf_arena_free(a);
}

/* Words at every place around the seams of what is read at once are found, each once, with its
 * line. */
static void nothing_hides_at_a_seam(void **state)
{
    struct rf_arena *a = shelf.arena = rf_arena_new();
    struct rf_tools *t = new_tools();
    const size_t size = 200000;
    char *text = rf_arena_alloc(a, size);
    (void)state;
    for (size_t at = 65536 - 8; at < 65536 + 8; at++) {
        memset(text, '.', size);
        for (size_t i = 99; i < size; i += 100)
            text[i] = '\n';
        memcpy(text + at, "needle", 6);
        memcpy(text + 2 * at, "needle", 6);
        shelf.bytes = (struct rf_str){ text, size };
        struct rf_str found =
            run(t, "read_attachment", RF_STR("{\"id\":\"" ID "\",\"search\":\"needle\"}"));
        assert_true(rf_str_starts(found, "[2 places]\n"));
        size_t places[] = { at, 2 * at };
        for (size_t i = 0; i < 2; i++) {
            size_t line = 1;
            for (size_t p = 0; p < places[i]; p++)
                line += text[p] == '\n';
            struct rf_str want = rf_strf(a, "line %zu, offset %zu: ", line, places[i]);
            if (!rf_str_contains(found, want))
                fail_msg("%zu: no \"%s\" in %s", at, want.p, found.p);
        }
    }
    rf_tools_free(t);
    rf_arena_free(a);
}

/* One line of 300 KB: what is shown around a place is short, and its ends are whole characters. */
static void a_long_line_is_shown_around_the_place(void **state)
{
    struct rf_arena *a = shelf.arena = rf_arena_new();
    struct rf_tools *t = new_tools();
    struct rf_buf b;
    (void)state;
    rf_buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < 50000; i++)
        rf_buf_add(&b, RF_STR(EURO));
    rf_buf_add(&b, RF_STR("needle"));
    for (size_t i = 0; i < 50000; i++)
        rf_buf_add(&b, RF_STR(EURO));
    assert_int_equal(rf_buf_finish(&b, &shelf.bytes, NULL), RF_OK);
    struct rf_str found =
        run(t, "read_attachment", RF_STR("{\"id\":\"" ID "\",\"search\":\"needle\"}"));
    assert_true(rf_str_starts(found, "[1 place]\nline 1, offset 150000: ..." EURO));
    assert_true(rf_str_ends(found, EURO "...\n"));
    assert_true(found.n < 500);
    assert_false(rf_str_contains(found, RF_STR("\xef\xbf\xbd")));
    rf_tools_free(t);
    rf_arena_free(a);
}

/* With or without a worker that would look closer. */
static void a_picture_is_shown_again(void **state)
{
    struct rf_arena *a = shelf.arena = rf_arena_new();
    struct rf_tools *t = new_tools();
    (void)state;
    shelf.bytes = RF_STR(PNG_BYTES);
    struct rf_str said = run(t, "read_attachment", RF_STR("{\"id\":\"" ID "\"}"));
    assert_true(rf_str_contains(said, RF_STR("[Image: " ID ", 3x2, 73 bytes, image/png]")));
    assert_true(rf_str_ends(said, " {image " KEPT "}"));
    rf_tools_free(t);
    rf_arena_free(a);
}

static void ids_that_lead_nowhere(void **state)
{
    static const struct {
        enum rf_code fails;
        const char *id, *want;
    } cases[] = {
        { RF_OK, "att_ffffffffffff", "there is no attachment of this id" },
        { RF_EFORMAT, ID, "what was kept of it is damaged" },
        { RF_EIO, ID, "what was kept of it cannot be read" },
    };
    struct rf_arena *a = shelf.arena = rf_arena_new();
    struct rf_tools *t = new_tools(), *without = rf_tools_new();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        shelf.fails = cases[i].fails;
        struct rf_str said = run(t, "read_attachment", rf_strf(a, "{\"id\":\"%s\"}", cases[i].id));
        assert_true(rf_str_starts(said, "!"));
        assert_true(rf_str_contains(said, rf_str(cases[i].want)));
        assert_false(rf_str_contains(said, RF_STR("secret")));
    }
    shelf.fails = RF_OK;
    assert_true(rf_str_contains(run(without, "read_attachment", RF_STR("{\"id\":\"x\"}")),
                                RF_STR("there are no attachments here")));
    rf_tools_free(t);
    rf_tools_free(without);
    rf_arena_free(a);
}

static void a_file_that_is_read_is_kept(void **state)
{
    struct rf_arena *a = shelf.arena = rf_arena_new();
    struct rf_tools *t = new_tools();
    const char *folder = scratch_new(a);
    (void)state;
    write_file(in_folder(a, folder, "a.png"), RF_STR(PNG_BYTES));
    write_file(in_folder(a, folder, "a.txt"), RF_STR("words\n"));
    rf_tools_root(t, folder);
    rf_tools_base(t, folder);
    shelf.keeps = 0;
    struct rf_str said = run(t, "read_file", RF_STR("{\"file_path\":\"a.png\"}"));
    assert_true(rf_str_ends(said, " {image " KEPT "}"));
    assert_true(rf_str_eq(shelf.last, RF_STR(PNG_BYTES)));
    assert_int_equal(shelf.keeps, 1);
    assert_str(run(t, "read_file", RF_STR("{\"file_path\":\"a.txt\"}")), "words\n");
    assert_int_equal(shelf.keeps, 1);
    shelf.fails = RF_EIO;
    said = run(t, "read_file", RF_STR("{\"file_path\":\"a.png\"}"));
    assert_true(rf_str_ends(said, " {image a.png}"));
    shelf.fails = RF_OK;
    scratch_remove(folder);
    rf_tools_free(t);
    rf_arena_free(a);
}

static const struct outline_row {
    const char *name, *json;
    size_t most;
    const char *want;
} outlines[] = {
    { "a number", "1.5", 100, "(all): number\n" },
    { "an empty list", "[]", 100, "(all): array, 0 elements\n" },
    { "one key, a string of one byte", "{\"k\":\"v\"}", 100,
      "(all): object, 1 key\n/k: string, 1 byte\n" },
    { "what is near comes first", "{\"a\":{\"b\":{\"c\":true}},\"d\":false}", 200,
      "(all): object, 2 keys\n/a: object, 1 key\n/d: false\n/a/b: object, 1 key\n/a/b/c: true\n" },
    { "of a list the first", "[[1,2],[3]]", 200,
      "(all): array, 2 elements\n/0: array, 2 elements\n/0/0: number\n" },
    { "keys as steps of a pointer", "{\"a/b\":1,\"m~n\":2}", 200,
      "(all): object, 2 keys\n/a~1b: number\n/m~0n: number\n" },
    { "no line that could be taken for two", "{\"a\\nb\":1,\"\\u009b\":2,\"c\":3}", 200,
      "(all): object, 3 keys\n/c: number\n" },
    { "whole lines", "{\"a\":1,\"b\":2}", 33, "(all): object, 2 keys\n/a: number\n" },
    { "no room", "{\"a\":1}", 5, "" },
};

static void is_outlined(void **state)
{
    const struct outline_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v;
    assert_int_equal(rf_jval_parse(rf_str(row->json), a, &v, NULL), RF_OK);
    assert_str(rf_outline(v, row->most, a), row->want);
    rf_arena_free(a);
}

/* A deep one and a wide one take little time and stay within their room. */
static void outlines_are_bounded(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v;
    struct rf_str json;
    struct rf_buf b;
    (void)state;
    rf_buf_init(&b, a, 64 << 20);
    rf_buf_addc(&b, '[');
    for (size_t i = 0; i < 200000; i++)
        rf_buf_addf(&b, "%s{\"key %zu\":[[[[[[[[[[[[]]]]]]]]]]]]}", i ? "," : "", i);
    rf_buf_addc(&b, ']');
    assert_int_equal(rf_buf_finish(&b, &json, NULL), RF_OK);
    assert_int_equal(rf_jval_parse(json, a, &v, NULL), RF_OK);
    struct rf_str outline = rf_outline(v, 2048, a);
    assert_true(outline.n > 100 && outline.n <= 2048);
    rf_arena_free(a);
}

static const struct {
    const char *want;
    uint64_t n;
} numbers[] = {
    { "0", 0 },
    { "999", 999 },
    { "1,000", 1000 },
    { "18,446,744,073,709,551,615", UINT64_MAX },
};

static void numbers_have_commas(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++)
        assert_str(rf_with_commas(numbers[i].n, a), numbers[i].want);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(nothing_hides_at_a_seam),
        cmocka_unit_test(a_long_line_is_shown_around_the_place),
        cmocka_unit_test(a_picture_is_shown_again),
        cmocka_unit_test(ids_that_lead_nowhere),
        cmocka_unit_test(a_file_that_is_read_is_kept),
        cmocka_unit_test(outlines_are_bounded),
        cmocka_unit_test(numbers_have_commas),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(outlines) + COUNT(others)];
    name_rows(tests, answers, rows, COUNT(rows), sizeof *rows);
    name_rows(tests + COUNT(rows), is_outlined, outlines, COUNT(outlines), sizeof *outlines);
    memcpy(tests + COUNT(rows) + COUNT(outlines), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
