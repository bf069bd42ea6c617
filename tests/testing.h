/* What the tests of several rooms share: tables whose rows are tests of their own, scratch folders,
 * and children that must die.
 *
 *     struct CMUnitTest tests[COUNT(rows)];
 *     name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
 *
 * The first member of a row is its name, the fact that it proves; the row is the test's state. */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define B(literal) RF_STR_INIT(literal)

static inline void name_rows(struct CMUnitTest *tests, CMUnitTestFunction run, const void *rows,
                             size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        const void *row = (const char *)rows + i * size;
        tests[i] = (struct CMUnitTest){ *(const char *const *)row, run, NULL, NULL, (void *)row };
    }
}

/* Exactly these characters, and readable when they are others. */
#define assert_str(got, want) check_str(got, want, __FILE__, __LINE__)

static inline void check_str(struct rf_str got, const char *want, const char *file, int line)
{
    struct rf_arena *a = rf_arena_new();
    if (!rf_str_is(got, want))
        _assert_string_equal(rf_cstr(a, got), want, file, line);
    rf_arena_free(a);
}

/* JSON with ' for ", as tables are easier to read with. */
static inline struct rf_str quoted(struct rf_arena *a, const char *text)
{
    char *p = rf_arena_alloc(a, strlen(text) + 1);
    for (size_t i = 0; text[i]; i++)
        p[i] = text[i] == '\'' ? '"' : text[i];
    return rf_str(p);
}

/* A new empty folder; its name lives in the arena. */
static inline const char *scratch_new(struct rf_arena *a)
{
    const char *parent = getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir;
    char *name = rf_arena_alloc(a, strlen(parent) + 32);
    snprintf(name, strlen(parent) + 32, "%s/refract-test-XXXXXX", parent);
    assert_non_null(mkdtemp(name));
    char *real = realpath(name, NULL);
    assert_non_null(real);
    const char *kept = rf_cstr(a, rf_str(real));
    free(real);
    return kept;
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int type,
                                     struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static inline void scratch_remove(const char *folder)
{
    nftw(folder, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* FOLDER/NAME */
static inline const char *in_folder(struct rf_arena *a, const char *folder, const char *name)
{
    return rf_strf(a, "%s/%s", folder, name).p;
}

static inline void write_file(const char *path, struct rf_str bytes)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
    assert_int_equal(fclose(f), 0);
}

static inline void make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0700), 0);
}

/* Does the function abort, as a broken invariant must? */
static inline bool aborts(void (*run)(const void *), const void *arg)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        run(arg);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* The folder of shared inputs, or NULL and a line that says so. */
static inline const char *shared_folder(void)
{
    const char *folder = getenv("REFRACT_SHARED");
    if (!folder)
        print_message("skipped: REFRACT_SHARED is not set\n");
    return folder;
}

#endif
