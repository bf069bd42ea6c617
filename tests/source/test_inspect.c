/* A look at bytes, as the line that a store keeps of it: the same thing comes back out of the line. */
#include "source/inspect.h"

#include "files.h"

static const struct row {
    const char *name;
    struct rf_str bytes;
    const char *want;
} rows[] = {
    { "a picture", B(PNG_BYTES), "look3 image/png 3 2 1 0 0 0.0 - ok" },
    { "a picture of another format", B(JPEG_BYTES), "look3 image/jpeg 8 4 1 0 0 0.0 - ok" },
    { "a drawing", B(SVG_BYTES), "look3 image/svg+xml 8 4 0 0 0 0.0 - ok" },
    { "sound", B(WAV_BYTES), "look3 audio/wav 0 0 0 2 0 0.0 - ok" },
    { "a document", B(PDF_BYTES), "look3 application/pdf 0 0 0 0 0 1.4 - ok" },
    { "a document with a lock", B(LOCKED_PDF_BYTES), "look3 application/pdf 0 0 0 0 0 1.4 e ok" },
    { "a text", B("Some notes.\n"), "look3 text/plain 0 0 0 0 0 0.0 w400,0,0,0,0,0,0 ok" },
    { "JSON", B("{\"a\": [1, 2]}\n"), "look3 application/json 0 0 0 0 0 0.0 w905,2,2,2,2,0,0 ok" },
    { "a text in which a file may hide",
      B("0123456789012345678901234567890123456789012345678901234567890123"),
      "look3 text/plain 0 0 0 0 0 0.0 sw0,64,32,22,16,0,0 ok" },
    { "one character less", B("012345678901234567890123456789012345678901234567890123456789012"),
      "look3 text/plain 0 0 0 0 0 0.0 w0,63,32,21,16,0,0 ok" },
    { "a picture that is cut off", B("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
      "look3 image/png 0 0 0 0 0 0.0 - malformed the PNG header is cut off" },
    { "nothing", B(""), "look3 - 0 0 0 0 0 0.0 - malformed the file is empty" },
    { "white space", B(" \n\t "),
      "look3 text/plain 0 0 0 0 0 0.0 w200,0,0,0,0,0,0 malformed the file holds nothing but white space" },
    { "bytes", B("\0\1\2\3\4\5\6\7\x08"),
      "look3 - 0 0 0 0 0 0.0 - malformed its bytes are of no format that is known here" },
};

static void same(const struct rf_inspection *a, const struct rf_inspection *b)
{
    assert_ptr_equal(a->format, b->format);
    assert_memory_equal(&a->facts.width, &b->facts.width, sizeof a->facts.width);
    assert_int_equal(a->facts.height, b->facts.height);
    assert_int_equal(a->facts.frames, b->facts.frames);
    assert_int_equal(a->facts.duration_ms, b->facts.duration_ms);
    assert_int_equal(a->facts.pdf_major, b->facts.pdf_major);
    assert_int_equal(a->facts.pdf_minor, b->facts.pdf_minor);
    assert_int_equal(a->facts.unusual, b->facts.unusual);
    assert_int_equal(a->facts.encrypted, b->facts.encrypted);
    assert_int_equal(a->problem, b->problem);
    assert_int_equal(a->may_hide, b->may_hide);
    assert_memory_equal(&a->weight, &b->weight, sizeof a->weight);
    assert_true(rf_str_eq(a->problem_text, b->problem_text));
}

static void tells(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_bytes bytes = rf_bytes_memory(row->bytes);
    struct rf_inspection look, again;
    struct rf_err err;
    assert_int_equal(rf_inspect(&bytes, a, &look, &err), RF_OK);
    struct rf_str line = rf_inspection_write(&look, a);
    assert_str(line, row->want);
    assert_true(rf_inspection_read(line, a, &again));
    same(&look, &again);
    rf_arena_free(a);
}

static void every_fact_goes_through_the_line(void **state)
{
    const struct rf_inspection look = {
        .format = rf_format_by_mime(RF_STR("image/tiff")),
        .facts = { .width = UINT32_MAX,
                   .height = 1,
                   .frames = 2,
                   .duration_ms = INT64_MAX,
                   .pdf_major = 255,
                   .pdf_minor = 7,
                   .unusual = true,
                   .encrypted = true },
        .problem = RF_EENCRYPTED,
        .problem_text = RF_STR("words with  spaces "),
        .may_hide = true,
        .weight = { .plain = (int64_t)1 << 40, .numbers = { 4, 3, 2, 1 }, .cjk = 5, .scripts = 6 },
    };
    struct rf_arena *a = rf_arena_new();
    struct rf_inspection again;
    (void)state;
    assert_true(rf_inspection_read(rf_inspection_write(&look, a), a, &again));
    same(&look, &again);
    rf_arena_free(a);
}

static const struct {
    const char *name, *line;
} strange[] = {
    { "nothing", "" },
    { "another version", "look1 image/png 3 2 1 0 0 0.0 - ok" },
    { "the mark alone", "look3" },
    { "a format that is not known", "look3 image/none 3 2 1 0 0 0.0 - ok" },
    { "too few numbers", "look3 image/png 3 2 1" },
    { "a number that is none", "look3 image/png x 2 1 0 0 0.0 - ok" },
    { "a number below zero", "look3 image/png -3 2 1 0 0 0.0 - ok" },
    { "a width that does not fit", "look3 image/png 4294967296 2 1 0 0 0.0 - ok" },
    { "a version that does not fit", "look3 application/pdf 0 0 0 0 0 256.0 - ok" },
    { "no version", "look3 image/png 3 2 1 0 0 0 - ok" },
    { "a weight beyond any text",
      "look3 text/plain 0 0 0 0 0 0.0 w9223372036854775807,0,0,0,0,0,0 ok" },
    { "a weight that is cut off", "look3 text/plain 0 0 0 0 0 0.0 w1,2,3 ok" },
    { "a weight with more than that", "look3 text/plain 0 0 0 0 0 0.0 w1,2,3,4,5,6,7,8,9 ok" },
    { "a flag that is not known", "look3 image/png 3 2 1 0 0 0.0 y ok" },
    { "no problem and no word for that", "look3 image/png 3 2 1 0 0 0.0 -" },
    { "a problem that is not known", "look3 image/png 3 2 1 0 0 0.0 - odd" },
    { "no format and nothing wrong", "look3 - 0 0 0 0 0 0.0 - ok" },
};

static void is_not_understood(void **state)
{
    const char *const *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_inspection look;
    assert_false(rf_inspection_read(rf_str(row[1]), a, &look));
    rf_arena_free(a);
}

static void a_file_that_is_gone_cannot_be_looked_at(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a), *path = in_folder(a, folder, "a.png");
    struct rf_bytes bytes;
    struct rf_inspection look;
    struct rf_err err;
    (void)state;
    write_file(path, RF_STR(PNG_BYTES));
    assert_int_equal(rf_bytes_file("", path, &bytes, &err), RF_OK);
    assert_int_equal(rf_inspect(&bytes, a, &look, &err), RF_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rf_inspect(&bytes, a, &look, &err), RF_ENOTFOUND);
    scratch_remove(folder);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(every_fact_goes_through_the_line),
        cmocka_unit_test(a_file_that_is_gone_cannot_be_looked_at),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(strange) + COUNT(others)];
    name_rows(tests, tells, rows, COUNT(rows), sizeof *rows);
    name_rows(tests + COUNT(rows), is_not_understood, strange, COUNT(strange), sizeof *strange);
    memcpy(tests + COUNT(rows) + COUNT(strange), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
