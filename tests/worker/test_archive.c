/* Archives and packed files through their worker: what is listed, what comes out, and that broken
 * ones and bombs fail with words. */
#include "asking.h"
#include "packing.h"

static struct rf_arena *arena;

static int set_up(void **state)
{
    arena = rf_arena_new();
    return use_built_workers(state);
}

static int tear_down(void **state)
{
    rf_arena_free(arena);
    return stop_workers(state);
}

/* What came: a list, or "file: " and its bytes; or "!" and the error. */
static struct rf_str told(const struct rf_job *job)
{
    if (job->failed)
        return rf_strf(arena, "!%s: %s", rf_code_name(job->failed), job->err.msg);
    assert_int_equal(job->part_count, 1);
    if (rf_str_is(prop_of(job, 0, "kind"), "text"))
        return job->parts[0].text;
    assert_str(prop_of(job, 0, "kind"), "file");
    return rf_str_join(arena, RF_STR("file: "), job->parts[0].bytes.text);
}

static struct rf_job ask(const char *member, struct rf_str bytes)
{
    return ask_worker(arena, "archive", rf_strf(arena, "op=list\nmember=%s\n", member).p, bytes);
}

static void put_tar(struct rf_buf *b, const char *name, char kind, const char *text)
{
    char block[512] = { 0 };
    unsigned sum = 0;

    snprintf(block, 100, "%s", name);
    snprintf(block + 124, 12, "%011o", (unsigned)strlen(text));
    snprintf(block + 136, 12, "%011o", 86400u);
    memset(block + 148, ' ', 8);
    block[156] = kind;
    for (size_t i = 0; i < sizeof block; i++)
        sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    rf_buf_add(b, (struct rf_str){ block, sizeof block });
    rf_buf_add(b, rf_str(text));
    put_zeros(b, (512 - strlen(text) % 512) % 512);
}

/* Bytes of "hello\n" under a name, as programs pack them. */
#define GZIP "\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\0\x20\x30\x3a\x36\x06\0\0\0"
#define GZIP_IN_GZIP \
    "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x1a\0\xe5\xff" GZIP "\x45\xe4\x6f\x47\x1a\x00\x00\x00"
#define BZIP2                                                                        \
    "BZh91AY&SY\xc1\xc0\x80\xe2\0\0\x01\x41\0\0\x10\x02\x44\xa0\0\x30\xcd\0\xc3\x46" \
    "\x29\x97\x17\x72\x45\x38\x50\x90\xc1\xc0\x80\xe2"
#define ZSTD "\x28\xb5\x2f\xfd\x04\x58\x31\0\0hello\n\x53\x88\xbd\x91"
#define AR "!<arch>\none.txt/        0           0     0     644     6         `\nhello\n"
/* RAR 2.9, stored: headers of which each begins with half of its CRC-32. */
#define RAR                                                                                        \
    "Rar!\x1a\x07\0\xcf\x90\x73\0\0\x0d\0\0\0\0\0\0\0\xce\xd6\x74\0\x80\x29\0\x05\0\0\0\x05\0\0\0" \
    "\x03\x86\xa6\x10\x36\x22\x18\x22\x5a\x1d\x30\x09\0\xa4\x81\0\0a/one.txthello\xc4\x3d\x7b\0"   \
    "\x40\x07\0"

static const struct row {
    const char *name, *member;
    struct rf_str bytes;
    const char *want;
} rows[] = {
    { "gzip: what is packed alone needs no name", "", B(GZIP), "file: hello\n" },
    { "gzip in gzip", "", B(GZIP_IN_GZIP), "file: hello\n" },
    { "bzip2", "", B(BZIP2), "file: hello\n" },
    { "zstd", "", B(ZSTD), "file: hello\n" },
    { "gzip: and has none", "a", B(GZIP), "!usage: there is no such file in the archive" },
    { "gzip: of nothing", "", B("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"), "file: " },
    { "gzip: of nothing, cut off", "", B("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x03\x00\x00\x00"),
      "!malformed: the archive cannot be read: it is cut off, damaged or of an unknown sort" },
    { "bzip2: of nothing", "", B("\x42\x5a\x68\x39\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00"), "file: " },
    { "xz: of nothing", "",
      B("\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x00\x00\x00\x00"
        "\x1c\xdf\x44\x21\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a"),
      "file: " },
    { "zstd: of nothing", "", B("\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51"), "file: " },
    { "RAR 4 whose names are encrypted", "",
      B("Rar!\x1a\7\0" "\xce\x99\x73\x80\0\x0d\0" "\0\0\0\0\0\0" "\1\2\3\4\5\6\7\x08\x09"),
      "!encrypted: the names in the archive are encrypted" },
    { "RAR 5 whose names are encrypted", "",
      B("Rar!\x1a\7\1\0" "\1\2\3\4" "\x21\4\0\0\0\x0f" "\1\2\3\4\5\6\7\x08\x09\1\2\3"),
      "!encrypted: the names in the archive are encrypted" },
    { "gzip: cut off",
      "",
      { GZIP, 16 },
      "!malformed: the archive cannot be read: it is cut off, damaged or of an unknown sort" },
    { "rar: a list", "", B(RAR),
      "RAR archive: 1 file, 0 folders, 5 bytes unpacked\n\n"
      "             5  2025-01-02 03:01  a/one.txt\n" },
    { "rar: a file", "a/one.txt", B(RAR), "file: hello" },
    { "rar: a folder that has no entry", "a", B(RAR),
      "folder a of a RAR archive: 1 file, 0 folders, 5 bytes unpacked\n\n"
      "             5  2025-01-02 03:01  a/one.txt\n" },
    { "rar: no such file", "a/two.txt", B(RAR), "!usage: there is no such file in the archive" },
    { "ar: a file", "one.txt", B(AR), "file: hello\n" },
    { "bzip2: broken", "", B("BZh91AY&SY"),
      "!malformed: the archive cannot be read: it is cut off, damaged or of an unknown sort" },
    { "nothing of the kind", "", B("nothing of the kind"),
      "!malformed: the archive cannot be read: it is cut off, damaged or of an unknown sort" },
};

static void check_row(void **state)
{
    const struct row *row = *state;
    struct rf_job job = ask(row->member, row->bytes);
    assert_str(told(&job), row->want);
}

static void reads_a_zip(void **state)
{
    static const struct member members[] = { { "a/", B("") },
                                             { "a/one.txt", B("hello") },
                                             { "\x1b[31mred", B("x") } };
    struct rf_str zip = zip_of(arena, members, COUNT(members));
    (void)state;
    struct rf_job job = ask("", zip);
    assert_true(rf_str_starts(told(&job), "ZIP archive: 2 files, 1 folder, 6 bytes unpacked\n\n"));
    assert_true(rf_str_contains(told(&job), RF_STR("  ?[31mred\n")));
    job = ask("a/one.txt", zip);
    assert_str(told(&job), "file: hello");
    job = ask("?[31mred", zip); /* as it is shown */
    assert_str(told(&job), "file: x");
    job = ask("./a/", zip);
    assert_true(rf_str_starts(told(&job), "folder a of a ZIP archive: 1 file"));
    job = ask("../a/one.txt", zip);
    assert_int_equal(job.failed, RF_EUSAGE);
}

static void reads_a_tar(void **state)
{
    struct rf_buf b;
    (void)state;

    rf_buf_init(&b, arena, (size_t)1 << 16);
    put_tar(&b, "dir/", '5', "");
    put_tar(&b, "././@LongLink", 'L', "dir/a very long name");
    put_tar(&b, "dir/a ve", '0', "hello");
    put_tar(&b, "link", '2', "");
    put_zeros(&b, 1024);
    struct rf_job job = ask("", packed(&b));
    assert_true(rf_str_starts(told(&job),
                              "tar archive: 2 files, 1 folder, 5 bytes unpacked\n\n"
                              "             0  1970-01-02 00:00  dir/\n"
                              "             5  1970-01-02 00:00  dir/a very long name\n"));
    job = ask("dir/a very long name", packed(&b));
    assert_str(told(&job), "file: hello");
    job = ask("link", packed(&b));
    assert_int_equal(job.failed, RF_EFORMAT);
    b.n -= 1024;
    rf_buf_add(&b, RF_STR("cut"));
    job = ask("", packed(&b));
    assert_true(
        is_noted(&job, "the list may not be whole: it is cut off, damaged or of an unknown sort"));
}

static void reads_the_last_of_a_name(void **state)
{
    struct rf_buf b;
    (void)state;

    rf_buf_init(&b, arena, (size_t)1 << 16);
    put_tar(&b, "a", '0', "old");
    put_tar(&b, "b", '0', "other");
    put_tar(&b, "./a", '0', "new");
    put_tar(&b, "c", '0', "");
    put_zeros(&b, 1024);
    struct rf_job job = ask("a", packed(&b));
    assert_str(told(&job), "file: new");
    job = ask("b", packed(&b));
    assert_str(told(&job), "file: other");
}

/* Old cpio headers: the smallest of which an archive can hold so many. */
static void stops_after_a_million(void **state)
{
    static const unsigned char header[28] = {
        [0] = 0xc7, 0x71, [6] = 0xa4, 0x81, [20] = 2, [26] = 'a', 0,
    };
    struct rf_str cpio = { NULL, sizeof header * 1000001 };
    char *p = rf_arena_alloc(arena, cpio.n);
    (void)state;

    for (size_t i = 0; i < cpio.n; i += sizeof header)
        memcpy(p + i, header, sizeof header);
    cpio.p = p;
    struct rf_job job = ask("", cpio);
    assert_false(job.failed);
    assert_true(is_noted(&job, "the list may not be whole: it has too many members, and the rest "
                               "was not looked at") ||
                is_noted(&job, "the list may not be whole: it takes too long, and the rest was "
                               "not looked at")); /* on a slow machine */
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(reads_a_zip),
        cmocka_unit_test(reads_a_tar),
        cmocka_unit_test(reads_the_last_of_a_name),
        cmocka_unit_test(stops_after_a_million),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];

    name_rows(tests, check_row, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
