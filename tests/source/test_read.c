/* Parts of files, windows of lines, encodings, and the tools as a model is told of them. */
#include "base/file.h"
#include "base/json_read.h"
#include "source/lines.h"
#include "source/part.h"
#include "source/read_limits.h"
#include "source/text_decode.h"

#include "../testing.h"

#include <refract/tools.h>

#include <limits.h>

/* Parts, shown as "FIRST-LAST," for each range, then what else there is. */

static const struct {
    const char *name, *text, *want; /* want NULL: refused */
} parts[] = {
    { "a page", "p=3", "3-3," },
    { "pages and a page", "p=3-5,8", "3-5,8-8," },
    { "pages to the end", "p=9-", "9-end," },
    { "pages count from 1", "p=0", NULL },
    { "pages run forwards", "p=5-3", NULL },
    { "a page is a number", "p=x", NULL },
    { "a page is not a sign", "p=-3", NULL },
    { "no page", "p=", NULL },
    { "too large a page", "p=99999999999999999999", NULL },
    { "too many ranges", "p=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", NULL },
    { "a sheet", "sheet=Q3 & more", NULL },
    { "a sheet by its name", "sheet=Q 3", "sheet Q 3" },
    { "a sheet without a name", "sheet=", NULL },
    { "a crop", "xywh=0,1,800,600", "crop 0 1 800 600" },
    { "a crop of nothing", "xywh=0,0,0,5", NULL },
    { "a crop of three numbers", "xywh=0,0,5", NULL },
    { "a crop of five numbers", "xywh=0,0,5,5,5", NULL },
    { "a stretch", "t=10-20", "time 10000 20000" },
    { "of two stretches the second, which has no end", "t=1-2&t=5", "time 5000 0" },
    { "a stretch to the end", "t=1.5", "time 1500 0" },
    { "a stretch backwards", "t=20-10", NULL },
    { "a stretch of no time", "t=", NULL },
    { "hours that overflow", "t=9223372036854775807", NULL },
    { "bytes, the last of them too", "bytes=500-999", "bytes 500 999" },
    { "bytes to the end", "bytes=500-", "bytes 500 -1" },
    { "bytes run forwards", "bytes=9-3", NULL },
    { "a byte is a number", "bytes=x-3", NULL },
    { "bytes have a first one", "bytes=-500", NULL },
    { "bytes are from one to another", "bytes=500", NULL },
    { "bytes that overflow", "bytes=0-9223372036854775807", NULL },
    { "bytes of pages", "p=2&bytes=0-9", "2-2,bytes 0 9" },
    { "pictures", "pictures", "pictures 1-end" },
    { "some pictures", "pictures=3-5", "pictures 3-5" },
    { "one picture", "pictures=3", "pictures 3-3" },
    { "pictures from one on", "pictures=11-", "pictures 11-end" },
    { "pictures from 0", "pictures=0-2", NULL },
    { "pictures and pages", "p=1&pictures", "1-1,pictures 1-end" },
    { "source", "source", "source" },
    { "a word", "sauce", NULL },
    { "nothing", "", NULL },
};

static struct rf_str shown(const struct rf_file_part *p, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, a, 4096);
    for (size_t i = 0; i < p->range_count; i++) {
        if (!p->ranges[i].last)
            rf_buf_addf(&b, "%d-end,", (int)p->ranges[i].first);
        else
            rf_buf_addf(&b, "%d-%d,", (int)p->ranges[i].first, (int)p->ranges[i].last);
    }
    if (p->sheet.n)
        rf_buf_addf(&b, "sheet %.*s", RF_FMT(p->sheet));
    if (p->has_crop)
        rf_buf_addf(&b, "crop %d %d %d %d", (int)p->crop[0], (int)p->crop[1], (int)p->crop[2],
                    (int)p->crop[3]);
    if (p->has_time)
        rf_buf_addf(&b, "time %d %d", (int)p->start_ms, (int)p->end_ms);
    if (p->has_bytes)
        rf_buf_addf(&b, "bytes %d %d", (int)p->first_byte, (int)p->last_byte);
    if (p->pictures && !p->picture_range.last)
        rf_buf_addf(&b, "pictures %d-end", (int)p->picture_range.first);
    else if (p->pictures)
        rf_buf_addf(&b, "pictures %d-%d", (int)p->picture_range.first, (int)p->picture_range.last);
    rf_buf_addf(&b, "%s", p->source ? "source" : "");
    assert_int_equal(rf_buf_finish(&b, &out, NULL), RF_OK);
    return out;
}

static void check_part(void **state)
{
    const char *const *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_file_part part = { 0 };
    struct rf_err err;
    enum rf_code rc = rf_part_read(rf_str(row[1]), &part, &err);
    if (row[2])
        assert_str(shown(&part, a), row[2]);
    assert_int_equal(rc, row[2] ? RF_OK : RF_EUSAGE);
    rf_arena_free(a);
}

static void marks_stand_in_the_last_step(void **state)
{
    (void)state;
    assert_int_equal(rf_part_mark(RF_STR("a/b#c/d#p=1")), 7);
    assert_int_equal(rf_part_mark(RF_STR("a#b/c")), 5);
    assert_int_equal(rf_part_mark(RF_STR("")), 0);
}

/* Lines, fed whole and byte by byte. */

#define LINES(first_line, most_lines, most, most_of_line, with_numbers)                        \
    {                                                                                          \
        .first = first_line, .limit = most_lines, .max_bytes = most, .max_line = most_of_line, \
        .numbered = with_numbers, .byte_name = "at"                                            \
    }
#define BYTES(from, count, most)                                                      \
    {                                                                                 \
        .by_bytes = true, .first_byte = from, .byte_limit = count, .max_bytes = most, \
        .max_line = 8                                                                 \
    }

static const struct window_row {
    const char *name, *text;
    struct rf_window window;
    const char *want;
    int64_t first, last, total;
} windows[] = {
    { "all of it", "a\nb\n", LINES(1, 0, 100, 50, false), "a\nb\n", 1, 2, 2 },
    { "no line feed at the end", "a\nb", LINES(1, 0, 100, 50, false), "a\nb\n", 1, 2, 2 },
    { "empty lines count", "\n\na\n", LINES(2, 2, 100, 50, false), "\na\n", 2, 3, 3 },
    { "a window", "a\nb\nc\nd\n", LINES(2, 2, 100, 50, false), "b\nc\n", 2, 3, 4 },
    { "past the end", "a\n", LINES(5, 0, 100, 50, false), "", 0, 0, 1 },
    { "nothing", "", LINES(1, 0, 100, 50, false), "", 0, 0, 0 },
    { "as many as fit", "aaaa\nbbbb\ncccc\n", LINES(1, 0, 10, 10, false), "aaaa\nbbbb\n", 1, 2, 3 },
    { "one that does not fit ends it", "aa\nbbbbbbbb\nc\n", LINES(1, 0, 6, 6, false), "aa\n", 1, 1,
      3 },
    { "a long line is cut", "abcdef\ng\n", LINES(1, 0, 100, 4, false),
      "abcd [2 more bytes in this line: read on with at=4]\ng\n", 1, 2, 2 },
    { "a character is not cut", "aaa\xc3\xa4x\n", LINES(1, 0, 100, 4, false),
      "aaa [3 more bytes in this line: read on with at=3]\n", 1, 1, 1 },
    { "a byte is counted from the first of all", "ab\nabcdef\n", LINES(2, 0, 100, 4, false),
      "abcd [2 more bytes in this line: read on with at=7]\n", 2, 2, 2 },
    { "bytes, as they are", "a\r\nbc", BYTES(0, 0, 100), "a\r\nbc", 0, 5, 5 },
    { "bytes from one on", "abcdefgh", BYTES(3, 0, 100), "defgh", 3, 8, 8 },
    { "so many bytes", "abcdefgh", BYTES(3, 4, 100), "defg", 3, 7, 8 },
    { "as many bytes as fit", "abcdefgh", BYTES(1, 7, 5), "bcdef", 1, 6, 8 },
    { "bytes do not end within a character",
      "abc\xe2\x82\xac"
      "d",
      BYTES(0, 5, 100), "abc", 0, 3, 7 },
    { "bytes do not begin within a character",
      "abc\xe2\x82\xac"
      "d",
      BYTES(4, 0, 100), "d", 6, 7, 7 },
    { "no fewer bytes than a character has", "\xe2\x82\xac\xe2\x82\xac", BYTES(0, 1, 100),
      "\xe2\x82\xac", 0, 3, 6 },
    { "bytes past the end", "abc", BYTES(3, 0, 100), "", 3, 3, 3 },
    { "carriage returns go", "a\r\nb\r\n", LINES(1, 0, 100, 50, false), "a\nb\n", 1, 2, 2 },
    { "numbered", "a\nb\n", LINES(2, 0, 100, 50, true), "     2\tb\n", 2, 2, 2 },
};

static void check_window(void **state)
{
    const struct window_row *row = *state;
    for (size_t step = 1; step <= 100; step += 99) {
        struct rf_arena *a = rf_arena_new();
        struct rf_lines lines;
        struct rf_str rest = rf_str(row->text);
        rf_lines_init(&lines, &row->window, a);
        while (rest.n) {
            size_t n = rest.n < step ? rest.n : step;
            rf_lines_feed(&lines, (struct rf_str){ rest.p, n });
            rest = (struct rf_str){ rest.p + n, rest.n - n };
        }
        rf_lines_end(&lines);
        assert_str(lines.text, row->want);
        assert_int_equal(lines.shown_first, row->first);
        assert_int_equal(lines.shown_last, row->last);
        assert_int_equal(lines.total, row->total);
        rf_arena_free(a);
    }
}

/* Encodings: what the bytes are taken for, and what becomes of them, in pieces of any length. */

static const struct encoding_row {
    const char *name;
    struct rf_str bytes;
    enum rf_encoding encoding;
    bool guessed;
    const char *want;
} encodings[] = {
    { "ASCII", B("plain"), RF_ENCODING_UTF8, false, "plain" },
    { "UTF-8", B("gr\xc3\xbc\xc3\x9f \xf0\x9d\x84\x9e"), RF_ENCODING_UTF8, false,
      "gr\xc3\xbc\xc3\x9f \xf0\x9d\x84\x9e" },
    { "UTF-8 with its mark", B("\xef\xbb\xbfx"), RF_ENCODING_UTF8, false, "x" },
    { "UTF-16, little end first", B("\xff\xfex\0\xfc\0"), RF_ENCODING_UTF16LE, false, "x\xc3\xbc" },
    { "UTF-16, big end first", B("\xfe\xff\0x\0\xfc"), RF_ENCODING_UTF16BE, false, "x\xc3\xbc" },
    { "a pair of surrogates", B("\xff\xfe\x34\xd8\x1e\xdd"), RF_ENCODING_UTF16LE, false,
      "\xf0\x9d\x84\x9e" },
    { "half a pair", B("\xff\xfe\x34\xd8y\0"), RF_ENCODING_UTF16LE, false, "\xef\xbf\xbdy" },
    { "UTF-16 without a mark", B("w\0o\0r\0d\0s\0"), RF_ENCODING_UTF16LE, true, "words" },
    { "UTF-16 without a mark or a zero byte in its letters",
      B("\x1f\x04@\x04"
        "8\x04"
        " \0"
        "2\x04"
        "5\x04"
        "B\x04"
        "\n\0"),
      RF_ENCODING_UTF16LE, true, "\xd0\x9f\xd1\x80\xd0\xb8 \xd0\xb2\xd0\xb5\xd1\x82\n" },
    { "units that no text has are not UTF-16",
      B("\x1f\x04@\x04"
        "8\x04"
        " \0"
        "\0\xd8"
        "5\x04"
        "B\x04"
        "\n\0"),
      RF_ENCODING_NONE, false, NULL },
    { "UTF-32 with its mark", B("\xff\xfe\0\0a\0\0\0"), RF_ENCODING_OTHER, false, NULL },
    { "UTF-32 without a mark", B("a\0\0\0\n\0\0\0"), RF_ENCODING_OTHER, true, NULL },
    { "numbers of 32 bits", B("\xe8\3\0\0\xe9\3\0\0\xea\3\0\0"), RF_ENCODING_NONE, false, NULL },
    { "UTF-8 with a bad byte stays UTF-8", B("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xff"),
      RF_ENCODING_UTF8, false, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xef\xbf\xbd" },
    { "what has more bad bytes than that does not", B("\xc3\xa4\xc3\xb6\xff"), RF_ENCODING_OTHER,
      true, NULL },
    { "pairs of bytes, where windows-1252 has holes", B("\x83\x8d\x83\x8f\x81\x5b\x90\x8d"),
      RF_ENCODING_OTHER, true, NULL },
    { "escape sequences that change sets", B("\x1b$B\x47\x2d\x1b(B"), RF_ENCODING_OTHER, true,
      NULL },
    { "Latin-1", B("caf\xe9 \x80"), RF_ENCODING_OTHER, true, "caf\xc3\xa9 \xe2\x82\xac" },
    { "zero bytes are not text", B("a\0\0\0b"), RF_ENCODING_NONE, false, NULL },
    { "control characters are not text", B("\1\2\3\4abc"), RF_ENCODING_NONE, false, NULL },
    { "colours of a terminal are text", B("\x1b[31mred"), RF_ENCODING_UTF8, false, "\x1b[31mred" },
};

static void check_encoding(void **state)
{
    const struct encoding_row *row = *state;
    struct rf_bytes bytes = rf_bytes_memory(row->bytes);
    struct rf_reader reader;
    struct rf_text_kind kind;
    struct rf_err err;
    assert_int_equal(rf_reader_open(&reader, &bytes, &err), RF_OK);
    assert_int_equal(rf_text_kind(&reader, &kind, &err), RF_OK);
    assert_int_equal(kind.encoding, row->encoding);
    assert_int_equal(kind.guessed, row->guessed);
    for (size_t step = 4; row->want && step <= 64; step += 60) {
        char out[256];
        size_t at = kind.mark, n = 0;
        while (at < row->bytes.n) {
            size_t got = row->bytes.n - at < step ? row->bytes.n - at : step;
            struct rf_decoded d =
                rf_text_decode(kind.encoding, (struct rf_str){ row->bytes.p + at, got },
                               at + got == row->bytes.n, out + n);
            assert_true(d.taken > 0);
            n += d.n;
            at += d.taken;
        }
        assert_str(((struct rf_str){ out, n }), row->want);
    }
}

/* The tools as a model is told of them. */

static void schemas_are_json(void **state)
{
    (void)state;
    static const struct {
        const char *name, *first;
        unsigned count;
    } told[] = { { "read_file", "file_path", 7 },
                 { "view_image", "path", 1 },
                 { "read_attachment", "id", 7 } };
    assert_int_equal(rf_tools_count(), COUNT(told));
    for (size_t i = 0; i < rf_tools_count(); i++) {
        struct rf_arena *a = rf_arena_new();
        const struct rf_jval *root;
        struct rf_err err;
        assert_int_equal(rf_jval_parse(rf_str(rf_tools_schema(i)), a, &root, &err), RF_OK);
        const struct rf_jval *properties = rf_jval_get(root, "properties");
        assert_string_equal(rf_tools_name(i), told[i].name);
        assert_int_equal(properties->count, told[i].count);
        assert_non_null(rf_jval_get(properties, told[i].first));
        rf_arena_free(a);
    }
    assert_null(rf_tools_schema(COUNT(told)));
}

static void wrong_arguments_are_told_to_the_model(void **state)
{
    static const char *const wrong[] = { "",
                                         "[]",
                                         "{}",
                                         "{\"file_path\":1}",
                                         "{\"file_path\":\"\"}",
                                         "{\"file_path\":\"a\\u0000b\"}",
                                         "{\"file_path\":\"x\",\"offset\":-1}" };
    struct rf_tools *tools = rf_tools_new();
    struct rf_result *result;
    struct rf_str json;
    struct rf_err err;
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(rf_tools_run(tools, "read_file", wrong[i], &result, &err), RF_OK);
        assert_int_equal(rf_result_error(result)->code, RF_EUSAGE);
        assert_int_equal(rf_result_json(result, RF_WITH_FILES, &json, &err), RF_OK);
        assert_true(rf_str_contains(json, RF_STR("\"success\":false")));
        assert_true(rf_str_contains(json, RF_STR("\"error\":\"")));
        rf_result_free(result);
    }
    assert_int_equal(rf_tools_run(tools, "write_file", "{}", &result, &err), RF_EUSAGE);
    rf_tools_free(tools);
}

static void view_image_takes_pictures_alone(void **state)
{
    struct rf_tools *tools = rf_tools_new();
    struct rf_result *result;
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_tools_run(tools, "view_image", "{\"path\":\"README.md\"}", &result, &err),
                     RF_OK);
    assert_int_equal(rf_result_error(result)->code, RF_EFORMAT);
    assert_non_null(strstr(rf_result_error(result)->msg, "it is not a picture but Markdown"));
    rf_result_free(result);
    assert_int_equal(
        rf_tools_run(tools, "view_image", "{\"path\":\"examples/chart.png\"}", &result, &err),
        RF_OK);
    assert_int_equal(rf_result_error(result)->code, RF_OK);
    rf_result_free(result);
    rf_tools_free(tools);
}

static void limits_have_ranges(void **state)
{
    struct rf_tools *tools = rf_tools_new();
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_limit_count(), RF_LIMIT_COUNT);
    for (size_t i = 0; i < rf_limit_count(); i++) {
        const struct rf_limit_row *row = &rf_limit_rows[i];
        assert_true(row->least <= row->usual && row->usual <= row->most);
        assert_int_equal(rf_tools_limit(tools, i), row->usual);
        assert_int_equal(rf_tools_set_limit(tools, rf_limit_name(i), row->most, &err), RF_OK);
        assert_int_equal(rf_tools_set_limit(tools, rf_limit_name(i), row->most + 1, &err),
                         RF_EUSAGE);
        assert_int_equal(rf_tools_set_limit(tools, rf_limit_name(i), row->least - 1, &err),
                         RF_EUSAGE);
        assert_int_equal(rf_tools_limit(tools, i), row->most);
    }
    assert_int_equal(rf_tools_set_limit(tools, "nothing", 1, &err), RF_EUSAGE);
    rf_tools_free(tools);
}

/* Whether there is something elsewhere cannot be told from any answer. */
static void what_lies_outside_gets_one_answer(void **state)
{
    static const char *const paths[] = {
        "../there.txt",
        "../nothing.txt",
        "../folder",
        "../folder/",
        "../nothing/x.txt",
        "../there.txt/x",
        "out",
        "gone",
        "up/there.txt",
        "up/nothing.txt",
        "../there.txt#p=1",
        "../nothing.txt#p=1",
        "/etc/passwd",
        "/etc/nothing-here",
        "/nothing-here/etc",
        "up/folder/../../root/in.txt",
    };
    static const char *const tools[][2] = { { "read_file", "file_path" },
                                            { "view_image", "path" } };
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a), *root = in_folder(a, folder, "root");
    struct rf_tools *t = rf_tools_new();
    (void)state;
    make_folder(root);
    make_folder(in_folder(a, folder, "folder"));
    write_file(in_folder(a, folder, "there.txt"), RF_STR("x"));
    write_file(in_folder(a, root, "in.txt"), RF_STR("x"));
    assert_int_equal(symlink("../there.txt", in_folder(a, root, "out")), 0);
    assert_int_equal(symlink("../nothing.txt", in_folder(a, root, "gone")), 0);
    assert_int_equal(symlink("..", in_folder(a, root, "up")), 0);
    rf_tools_root(t, root);
    rf_tools_base(t, root);
    for (size_t i = 0; i < COUNT(paths) * COUNT(tools); i++) {
        const char *const *tool = tools[i % COUNT(tools)];
        struct rf_result *r;
        struct rf_str arguments = rf_strf(a, "{\"%s\":\"%s\"}", tool[1], paths[i / COUNT(tools)]);
        assert_int_equal(rf_tools_run(t, tool[0], arguments.p, &r, NULL), RF_OK);
        const struct rf_err *err = rf_result_error(r);
        assert_int_equal(err->code, RF_EPERMISSION);
        assert_true(
            rf_str_ends(rf_str(err->msg), ": the file is outside of the folder that may be read"));
        assert_string_equal(err->hint, "");
        rf_result_free(r);
    }
    rf_tools_free(t);
    scratch_remove(folder);
    rf_arena_free(a);
}

/* A file in memory is read as one on the disk, in parts too; others are as they were. */
static void files_in_memory_have_names(void **state)
{
    static const struct {
        const char *path, *want; /* want NULL: there is no such file */
    } rows[] = {
        { "notes.txt", "alpha\\nbeta" },
        { "notes.txt#bytes=6-7", "be" },
        { "a/dot.png", "\"data\":\"iVBORw0KGgo" },
        { "a/dot.png#xywh=0,0,1,1", "\"type\":\"image\"" },
        { "dot.png", NULL },
    };
    struct rf_arena *a = rf_arena_new();
    struct rf_tools *t = rf_tools_new();
    struct rf_str png, json;
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_file_read("tests/fixtures/red.png", 1 << 20, a, &png, &err), RF_OK);
    assert_int_equal(rf_tools_hold(t, "", png, &err), RF_EUSAGE);
    assert_int_equal(rf_tools_hold(t, "notes.txt", RF_STR("another"), &err), RF_OK);
    assert_int_equal(rf_tools_hold(t, "notes.txt", RF_STR("alpha\nbeta\n"), &err), RF_OK);
    assert_int_equal(rf_tools_hold(t, "a/dot.png", png, &err), RF_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_str arguments = rf_strf(a, "{\"file_path\":\"%s\"}", rows[i].path);
        struct rf_result *r;
        assert_int_equal(rf_tools_run(t, "read_file", arguments.p, &r, &err), RF_OK);
        assert_int_equal(rf_result_error(r)->code, rows[i].want ? RF_OK : RF_ENOTFOUND);
        assert_int_equal(rf_result_json(r, RF_WITH_FILES, &json, &err), RF_OK);
        if (rows[i].want && !rf_str_contains(json, rf_str(rows[i].want)))
            fail_msg("%s: %.*s", rows[i].path, RF_FMT(json));
        rf_result_free(r);
    }
    rf_tools_free(t);
    rf_arena_free(a);
}

struct steps {
    int heard, most; /* that go on */
};

static bool go_on(void *ctx, int64_t done, int64_t of)
{
    struct steps *s = ctx;
    assert_true(done <= of);
    return ++s->heard <= s->most;
}

static void reading_is_stopped(void **state)
{
    static char long_text[4 << 20];
    const char *arguments = "{\"file_path\":\"long.txt\"}";
    struct rf_tools *t = rf_tools_new();
    struct steps steps = { .most = 1 };
    struct rf_result *r = NULL;
    struct rf_err err;
    (void)state;
    memset(long_text, '\n', sizeof long_text);
    rf_tools_progress(t, go_on, &steps);
    assert_int_equal(
        rf_tools_hold(t, "long.txt", (struct rf_str){ long_text, sizeof long_text }, &err), RF_OK);
    assert_int_equal(rf_tools_run(t, "read_file", arguments, &r, &err), RF_EINTERRUPTED);
    assert_string_equal(err.msg, "reading was stopped");
    assert_null(r);
    assert_int_equal(steps.heard, 2);
    steps.most = INT_MAX;
    assert_int_equal(rf_tools_run(t, "read_file", arguments, &r, &err), RF_OK);
    assert_int_equal(rf_result_error(r)->code, RF_OK);
    rf_result_free(r);
    rf_tools_free(t);
}

static void reading_is_stopped_by_a_descriptor(void **state)
{
    struct rf_tools *t = rf_tools_new();
    struct rf_result *r = NULL;
    struct rf_err err;
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    rf_tools_stop_at(t, ends[0]);
    assert_int_equal(rf_tools_run(t, "read_file", "{\"file_path\":\"README.md\"}", &r, &err),
                     RF_OK);
    rf_result_free(r);
    assert_int_equal(write(ends[1], "", 1), 1);
    r = NULL;
    assert_int_equal(rf_tools_run(t, "read_file", "{\"file_path\":\"README.md\"}", &r, &err),
                     RF_EINTERRUPTED);
    assert_null(r);
    rf_tools_stop_at(t, -1);
    assert_int_equal(rf_tools_run(t, "read_file", "{\"file_path\":\"README.md\"}", &r, &err),
                     RF_OK);
    rf_result_free(r);
    close(ends[0]);
    close(ends[1]);
    rf_tools_free(t);
}

static void results_with_bytes_name_no_path(void **state)
{
    struct rf_tools *t = rf_tools_new();
    struct rf_result *r = NULL;
    struct rf_file file = { .size = sizeof file };
    struct rf_err err;
    (void)state;
    rf_tools_bytes(t);
    assert_int_equal(rf_tools_run(t, "view_image", "{\"path\":\"examples/chart.png\"}", &r, &err),
                     RF_OK);
    const struct rf_block *b = rf_message_file(rf_result_message(r), NULL);
    assert_non_null(b);
    assert_int_equal(rf_block_file(b, &file, &err), RF_OK);
    assert_int_equal(file.path.n, 0);
    assert_int_equal(file.bytes.n, file.size_bytes);
    assert_memory_equal(file.bytes.p, "\x89PNG", 4);
    rf_result_free(r);
    rf_tools_free(t);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(parts) + COUNT(windows) + COUNT(encodings)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(marks_stand_in_the_last_step),
        cmocka_unit_test(schemas_are_json),
        cmocka_unit_test(wrong_arguments_are_told_to_the_model),
        cmocka_unit_test(view_image_takes_pictures_alone),
        cmocka_unit_test(limits_have_ranges),
        cmocka_unit_test(what_lies_outside_gets_one_answer),
        cmocka_unit_test(files_in_memory_have_names),
        cmocka_unit_test(reading_is_stopped),
        cmocka_unit_test(reading_is_stopped_by_a_descriptor),
        cmocka_unit_test(results_with_bytes_name_no_path),
    };
    name_rows(tests, check_part, parts, COUNT(parts), sizeof *parts);
    name_rows(tests + COUNT(parts), check_window, windows, COUNT(windows), sizeof *windows);
    name_rows(tests + COUNT(parts) + COUNT(windows), check_encoding, encodings, COUNT(encodings),
              sizeof *encodings);
    return cmocka_run_group_tests_name("reading, row by row", tests, NULL, NULL) +
           cmocka_run_group_tests_name("reading", others, NULL, NULL);
}
