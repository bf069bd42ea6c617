/* Two hundred reads in one process, good ones and hopeless ones: no descriptor, no child, no thread
 * and no temporary file may be left, and memory may not grow with their number. */
#include "media/worker.h"

#include "../testing.h"

#include <dirent.h>
#include <dlfcn.h>
#include <refract/refract.h>
#include <string.h>

#define READS 200
#define WARM 40       /* reads after which nothing may be added any more */
#define MORE_KB 8192L /* that memory may still grow by */

/* Files of every room; those that no worker can read are as good a test as the others. */
static const char *const paths[] = {
    "tests/fixtures/notes.txt",
    "tests/fixtures/red.png",
    "tests/fixtures/report.pdf",
    "tests/fixtures/letter.docx",
    "tests/fixtures/tone.wav",
    "tests/fixtures",
    "tests/fixtures/nowhere.txt",
    "/dev/zero",
    "../outside",
    "tests/fixtures/report.pdf#p=99",
    "tests/fixtures/red.png#xywh=0,0,1,1",
};

static size_t count_entries(const char *folder)
{
    size_t n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* 0 under a sanitizer, which keeps what was freed. */
static long resident_kb(void)
{
    if (dlsym(RTLD_DEFAULT, "__asan_init"))
        return 0;
    long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &size, &resident), 2);
    fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void read_one(struct rf_tools *tools, size_t i)
{
    char arguments[256];
    struct rf_result *result;
    struct rf_str json, text;
    struct rf_err err;
    snprintf(arguments, sizeof arguments, "{\"file_path\":\"%s\"}", paths[i % COUNT(paths)]);
    assert_int_equal(rf_tools_run(tools, i % 3 ? "read_file" : "view_image", "{}", &result, &err),
                     RF_OK);
    rf_result_free(result);
    assert_int_equal(rf_tools_run(tools, "read_file", arguments, &result, &err), RF_OK);
    assert_int_equal(rf_result_json(result, RF_WITH_FILES, &json, &err), RF_OK);
    assert_int_equal(rf_result_text(result, RF_WITH_FILES, &text, &err), RF_OK);
    assert_true(json.n > 0);
    rf_result_free(result);
}

static bool has_children(void)
{
    int status;
    return waitpid(-1, &status, WNOHANG) >= 0;
}

static void nothing_is_left(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const char *scratch = scratch_new(a);
    const char *cache = in_folder(a, scratch, "cache");
    assert_int_equal(setenv("TMPDIR", scratch, 1), 0);
    size_t before = count_entries("/proc/self/fd"), warm = 0;
    long kb = 0;
    struct rf_tools *tools = rf_tools_new();
    for (size_t i = 0; i < READS; i++) {
        if (i == READS / 2) /* the second half keeps what it made, in a folder that is bounded */
            rf_tools_cache(tools, cache);
        if (i == WARM)
            kb = resident_kb();
        if (i == READS / 2 + WARM) /* a cache has a file open, by which others know that it is used */
            warm = count_entries("/proc/self/fd");
        read_one(tools, i);
    }
    assert_true(count_entries("/proc/self/fd") <= warm);
    assert_true(resident_kb() <= kb + MORE_KB);
    rf_tools_free(tools);
    rf_workers_stop(rf_workers_shared());
    assert_int_equal(count_entries("/proc/self/fd"), before);
    assert_int_equal(count_entries("/proc/self/task"), 1);
    assert_false(has_children());
    assert_true(count_entries(scratch) <= 1); /* the cache, and no temporary file */
    scratch_remove(scratch);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
