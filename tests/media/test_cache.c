/* The cache: what was asked before is answered without a worker, whole or not at all, by any
 * number of processes, and within its bound. The worker is that of tests/worker/hostile.c. */
#include "media/cache.h"

#include "media/cache_entry.h"

#include "../testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/file.h>
#include <time.h>

#define MB ((uint64_t)1 << 20)

static struct rf_arena *arena;
static const char *folder;
static char programs[PATH_MAX];

static int set_up(void **state)
{
    static char program[PATH_MAX];
    (void)state;
    arena = rf_arena_new();
    folder = in_folder(arena, scratch_new(arena), "deep/cache");
    if (readlink("/proc/self/exe", program, sizeof program - 1) <= 0)
        return -1;
    snprintf(programs, sizeof programs, "%s", dirname(program));
    return setenv("REFRACT_WORKERS", programs, 1);
}

static int tear_down(void **state)
{
    (void)state;
    rf_workers_stop(rf_workers_shared());
    scratch_remove(rf_strf(arena, "%s/../..", folder).p);
    rf_arena_free(arena);
    return 0;
}

/* From here on a job that needs a worker fails. */
static void without_workers(void)
{
    rf_workers_stop(rf_workers_shared());
    setenv("REFRACT_WORKERS", "/nowhere", 1);
}

static void with_workers(void)
{
    setenv("REFRACT_WORKERS", programs, 1);
}

static struct rf_job run_in(struct rf_cache *c, const char *ask, struct rf_str input)
{
    struct rf_bytes *bytes = RF_NEW(arena, struct rf_bytes);
    *bytes = rf_bytes_memory(input);
    struct rf_job job = { .family = "hostile", .ask = rf_str(ask), .input = bytes };
    rf_cache_run(c, rf_workers_shared(), &job, 1, arena);
    return job;
}

static struct rf_job run(const char *ask, struct rf_str input)
{
    struct rf_cache *c = rf_cache_new(folder, MB);
    struct rf_job job = run_in(c, ask, input);
    rf_cache_free(c);
    return job;
}

static struct rf_str bytes_of(const struct rf_job_part *part)
{
    struct rf_reader r;
    char *p = rf_arena_alloc(arena, part->bytes.size + 1);
    size_t got = 0;
    assert_int_equal(rf_reader_open(&r, &part->bytes, NULL), RF_OK);
    assert_int_equal(rf_reader_read(&r, 0, p, part->bytes.size, &got, NULL), RF_OK);
    rf_reader_close(&r);
    return (struct rf_str){ p, got };
}

static void assert_behaved(const struct rf_job *job, const char *input)
{
    if (job->failed)
        print_error("%s\n", job->err.msg);
    assert_int_equal(job->failed, RF_OK);
    assert_int_equal(rf_prop_int(job->facts, job->fact_count, "bytes"), strlen(input));
    assert_int_equal(job->part_count, 2);
    assert_str(job->parts[0].text, input);
    assert_int_equal(job->parts[1].prop_count, 3);
    assert_str(rf_prop_str(job->parts[1].props, 3, "mime"), "image/png");
    assert_str(bytes_of(&job->parts[1]), input);
    assert_int_equal(job->note_count, 1);
}

static size_t count_names(const char *path, const char *prefix)
{
    DIR *d = opendir(path);
    size_t n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.' && strncmp(e->d_name, prefix, strlen(prefix)) == 0;
    if (d)
        closedir(d);
    return n;
}

static void the_second_time_no_worker_is_asked(void **state)
{
    (void)state;
    struct rf_job first = run("op=behave\n", RF_STR("once"));
    assert_behaved(&first, "once");
    assert_int_equal(first.parts[1].bytes.kind, RF_BYTES_FILE);
    without_workers();
    struct rf_job second = run("op=behave\n", RF_STR("once"));
    assert_behaved(&second, "once");
    assert_behaved(&first, "once"); /* its files are still there */
    assert_int_equal(run("op=behave\n", RF_STR("else")).failed, RF_ECONFIG);
    assert_int_equal(run("op=behave\nx=1\n", RF_STR("once")).failed, RF_ECONFIG);
    with_workers();
    assert_int_equal(count_names(folder, "new-"), 0);
}

#define ENCRYPTED          \
    "\x09\0\0\0\x0c\0\0\0" \
    "encrypted\nx\n"

static void verdicts_are_kept_and_deaths_are_not(void **state)
{
    (void)state;
    assert_int_equal(run("op=speak\n", RF_STR(ENCRYPTED)).failed, RF_EENCRYPTED);
    assert_int_equal(run("op=crash\n", RF_STR("x")).failed, RF_EIO);
    assert_int_equal(run("op=behave\npassword=secret\n", RF_STR("x")).failed, RF_OK);
    without_workers();
    struct rf_job job = run("op=speak\n", RF_STR(ENCRYPTED));
    assert_int_equal(job.failed, RF_EENCRYPTED);
    assert_string_equal(job.err.msg, "x");
    assert_int_equal(run("op=crash\n", RF_STR("x")).failed, RF_ECONFIG);
    assert_int_equal(run("op=behave\npassword=secret\n", RF_STR("x")).failed, RF_ECONFIG);
    with_workers();
    assert_int_equal(count_names(folder, "new-"), 0);
}

/* The folder of the entry that a job's part lies in. */
static const char *entry_of(const struct rf_job *job)
{
    char *path = (char *)(uintptr_t)rf_cstr(arena, rf_str(job->parts[1].bytes.path));
    return dirname(path);
}

static void what_is_torn_is_made_anew(void **state)
{
    (void)state;
    struct stat st;
    struct rf_job job = run("op=behave\n", RF_STR("torn"));
    const char *index = in_folder(arena, entry_of(&job), "index");
    assert_int_equal(stat(index, &st), 0);
    for (off_t n = st.st_size - 1; n >= 0; n -= 7) {
        assert_int_equal(truncate(index, n), 0);
        job = run("op=behave\n", RF_STR("torn"));
        assert_behaved(&job, "torn");
    }
    assert_int_equal(truncate(job.parts[1].bytes.path, 1), 0);
    job = run("op=behave\n", RF_STR("torn"));
    assert_behaved(&job, "torn");
    assert_int_equal(unlink(job.parts[1].bytes.path), 0);
    job = run("op=behave\n", RF_STR("torn"));
    assert_behaved(&job, "torn");
    write_file(index, RF_STR("refract-cache 1 00000000\n"));
    job = run("op=behave\n", RF_STR("torn"));
    assert_behaved(&job, "torn");
    without_workers();
    job = run("op=behave\n", RF_STR("torn"));
    assert_behaved(&job, "torn");
    with_workers();
    assert_int_equal(count_names(folder, "new-"), 0);
}

static void an_entry_names_no_files_outside(void **state)
{
    (void)state;
    const char *entry = in_folder(arena, folder, "mine");
    struct rf_prop props[] = { { B("@file"), B("part-/../../secret") }, { B("@size"), B("6") } };
    struct rf_job_part part = { .props = props, .prop_count = 2 };
    struct rf_job job = { .parts = &part, .part_count = 1 }, read = { 0 };
    make_folder(entry);
    write_file(in_folder(arena, folder, "secret"), RF_STR("secret"));
    assert_true(rf_cache_entry_write(entry, &job));
    assert_false(rf_cache_entry_read(entry, &read, arena));
    assert_int_equal(read.part_count, 0);
}

static void a_folder_that_cannot_be_used_is_no_failure(void **state)
{
    (void)state;
    const char *open_to_all = in_folder(arena, folder, "open");
    make_folder(open_to_all);
    assert_int_equal(chmod(open_to_all, 0777), 0);
    write_file(in_folder(arena, folder, "file"), RF_STR("x"));
    const char *bad[] = { open_to_all, in_folder(arena, folder, "file/below") };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct rf_cache *c = rf_cache_new(bad[i], MB);
        struct rf_job job = run_in(c, "op=behave\n", RF_STR("memory"));
        assert_behaved(&job, "memory");
        assert_int_equal(job.parts[1].bytes.kind, RF_BYTES_MEMORY);
        rf_cache_free(c);
    }
    assert_int_equal(count_names(open_to_all, ""), 0);
    struct rf_job job = run_in(NULL, "op=behave\n", RF_STR("none"));
    assert_behaved(&job, "none");
}

static int make_older(const char *path, const struct stat *st, int type, struct FTW *at)
{
    struct timespec times[2] = { { time(NULL) - 10000, 0 }, { time(NULL) - 10000, 0 } };
    (void)st;
    (void)type;
    (void)at;
    return utimensat(AT_FDCWD, path, times, 0);
}

static void the_oldest_go_first(void **state)
{
    (void)state;
    const char *own = in_folder(arena, folder, "bound");
    struct rf_cache *c = rf_cache_new(own, 64 << 10);
    char *p = rf_arena_alloc(arena, 20000);
    for (int i = 0; i < 5; i++) {
        memset(p, 'a' + i, 20000);
        assert_int_equal(run_in(c, "op=behave\n", (struct rf_str){ p, 20000 }).failed, RF_OK);
    }
    assert_int_equal(count_names(own, ""), 5); /* over the bound, but just used */
    nftw(own, make_older, 16, FTW_DEPTH | FTW_PHYS);
    memset(p, 'a', 20000); /* used again */
    assert_int_equal(run_in(c, "op=behave\n", (struct rf_str){ p, 20000 }).failed, RF_OK);
    make_folder(in_folder(arena, own, "new-abcdef"));
    nftw(in_folder(arena, own, "new-abcdef"), make_older, 16, FTW_DEPTH | FTW_PHYS);
    assert_int_equal(run_in(c, "op=behave\n", RF_STR("fresh")).failed, RF_OK);
    rf_cache_free(c);
    c = rf_cache_new(own, 64 << 10);
    assert_int_equal(run_in(c, "op=behave\n", RF_STR("fresher")).failed, RF_OK);
    rf_cache_free(c);
    assert_int_equal(count_names(own, "new-"), 0);
    assert_int_equal(count_names(own, ""), 3);
    without_workers();
    c = rf_cache_new(own, 64 << 10);
    assert_int_equal(run_in(c, "op=behave\n", (struct rf_str){ p, 20000 }).failed, RF_OK);
    rf_cache_free(c);
    with_workers();
}

/* A folder of another run, whose file is locked where `lock` is set; -1, or the descriptor that has
 * the lock. */
static int plant_run(const char *own, const char *letters, bool lock)
{
    const char *run = rf_strf(arena, "%s/.run-%s", own, letters).p;
    const char *made = rf_strf(arena, "%s/new-%s-abcdef", own, letters).p;
    write_file(run, RF_STR(""));
    make_folder(made);
    write_file(in_folder(arena, made, "part-abcdef"), RF_STR("half"));
    int fd = lock ? open(run, O_RDWR | O_CLOEXEC) : -1;
    if (lock)
        assert_int_equal(flock(fd, LOCK_EX), 0);
    return fd;
}

static void what_a_killed_process_left_goes_at_once(void **state)
{
    (void)state;
    const char *own = in_folder(arena, folder, "killed");
    make_folder(own);
    chmod(own, 0700);
    plant_run(own, "killed", false);
    make_folder(in_folder(arena, own, "new-nofile-abcdef")); /* whose run has no file */
    int lives = plant_run(own, "living", true);
    plant_run(own, "reader", false);
    write_file(in_folder(arena, own, "new-reader-abcdef/.used"), RF_STR(""));
    struct rf_cache *c = rf_cache_new(own, MB);
    assert_int_equal(run_in(c, "op=behave\n", RF_STR("next")).failed, RF_OK);
    rf_cache_free(c);
    assert_int_equal(count_names(own, "new-killed"), 0);
    assert_int_equal(count_names(own, "new-nofile"), 0);
    assert_int_equal(count_names(own, "new-living"), 1);
    assert_int_equal(count_names(own, "new-reader"), 1);
    assert_int_equal(access(in_folder(arena, own, ".run-killed"), F_OK), -1);
    assert_int_equal(access(in_folder(arena, own, ".run-living"), F_OK), 0);
    close(lives);
    c = rf_cache_new(own, MB);
    assert_int_equal(run_in(c, "op=behave\n", RF_STR("the next")).failed, RF_OK);
    rf_cache_free(c);
    assert_int_equal(count_names(own, "new-living"), 0);
    assert_int_equal(count_names(own, ""), 3); /* two entries, and what somebody reads */
}

static void work_in_child(const char *own)
{
    struct rf_cache *c = rf_cache_new(own, MB);
    for (int i = 0; i < 30; i++) {
        struct rf_str input = rf_strf(arena, "shared %d", i % 5);
        struct rf_job job = run_in(c, "op=behave\n", input);
        if (job.failed || job.part_count != 2 || !rf_str_eq(bytes_of(&job.parts[1]), input))
            _exit(1);
    }
    rf_cache_free(c);
    rf_workers_stop(rf_workers_shared());
    _exit(0);
}

static void processes_share_it(void **state)
{
    (void)state;
    const char *own = in_folder(arena, folder, "shared");
    pid_t children[4];
    for (size_t i = 0; i < COUNT(children); i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (!children[i])
            work_in_child(own);
    }
    for (size_t i = 0; i < COUNT(children); i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_names(own, "new-"), 0);
    assert_int_equal(count_names(own, ""), 5);
}

static void several_jobs_keep_their_places(void **state)
{
    (void)state;
    struct rf_cache *c = rf_cache_new(folder, MB);
    struct rf_bytes inputs[6];
    struct rf_job jobs[6];
    run_in(c, "op=behave\n", RF_STR("text 2"));
    for (size_t i = 0; i < COUNT(jobs); i++) {
        inputs[i] = rf_bytes_memory(rf_strf(arena, "text %zu", i % 4));
        jobs[i] = (struct rf_job){ .family = "hostile",
                                   .ask = i == 3 ? RF_STR("op=crash\n") : RF_STR("op=behave\n"),
                                   .input = &inputs[i] };
    }
    rf_cache_run(c, rf_workers_shared(), jobs, COUNT(jobs), arena);
    for (size_t i = 0; i < COUNT(jobs); i++)
        if (i == 3)
            assert_int_equal(jobs[i].failed, RF_EIO);
        else
            assert_behaved(&jobs[i], rf_cstr(arena, inputs[i].text));
    rf_cache_free(c);
    assert_int_equal(count_names(folder, "new-"), 0);
}

static void a_worker_poisons_the_answers_of_its_file_alone(void **state)
{
    (void)state;
    struct rf_cache *c = rf_cache_new(folder, MB);
    struct rf_bytes inputs[24];
    struct rf_job jobs[COUNT(inputs)];
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < COUNT(jobs); i++) {
            inputs[i] = rf_bytes_memory(i ? rf_strf(arena, "file %zu", i) : RF_STR("take over"));
            inputs[i].own = i % 2;
            jobs[i] = (struct rf_job){ .family = "hostile",
                                       .ask = RF_STR("op=obey\n"),
                                       .input = &inputs[i] };
        }
        rf_cache_run(c, rf_workers_shared(), jobs, COUNT(jobs), arena);
        for (size_t i = 0; i < COUNT(jobs); i++)
            assert_str(rf_prop_str(jobs[i].facts, jobs[i].fact_count, "said"), "the truth");
        without_workers();
    }
    with_workers();
    rf_cache_free(c);
}

static void what_is_kept_is_of_the_group_of_its_file(void **state)
{
    (void)state;
    struct rf_bytes input = rf_bytes_memory(RF_STR("whose"));
    for (int i = 0; i < 4; i++) {
        struct rf_cache *c = rf_cache_new(folder, MB);
        struct rf_job job = { .family = "hostile", .ask = RF_STR("op=behave\n"), .input = &input };
        input.own = i % 2;
        rf_cache_run(c, rf_workers_shared(), &job, 1, arena);
        assert_int_equal(job.parts[1].bytes.own, input.own);
        assert_int_equal(job.parts[1].bytes.made_of.n, input.own ? 0 : 64);
        rf_cache_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_time_no_worker_is_asked),
        cmocka_unit_test(verdicts_are_kept_and_deaths_are_not),
        cmocka_unit_test(what_is_torn_is_made_anew),
        cmocka_unit_test(an_entry_names_no_files_outside),
        cmocka_unit_test(a_folder_that_cannot_be_used_is_no_failure),
        cmocka_unit_test(the_oldest_go_first),
        cmocka_unit_test(what_a_killed_process_left_goes_at_once),
        cmocka_unit_test(processes_share_it),
        cmocka_unit_test(several_jobs_keep_their_places),
        cmocka_unit_test(a_worker_poisons_the_answers_of_its_file_alone),
        cmocka_unit_test(what_is_kept_is_of_the_group_of_its_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
