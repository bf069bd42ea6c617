/* The frame, its sandbox and the pool, with a family that does all a worker must not do
 * (hostile.c). Every attempt fails or is ended, and after each the next job is served. */
#include "media/worker.h"

#include "media/protocol.h"
#include <refract/process.h>

#include "../testing.h"
#include "children.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <seccomp.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>

/* The address sanitizer takes terabytes of address space, so that a limit on it means nothing. */
#if defined(__SANITIZE_ADDRESS__)
#define NO_MEMORY_LIMIT true
#elif defined(__has_feature)
#define NO_MEMORY_LIMIT __has_feature(address_sanitizer)
#else
#define NO_MEMORY_LIMIT false
#endif

static struct rf_arena *arena;
static const char *folder;

static int set_up(void **state)
{
    static char program[PATH_MAX];
    (void)state;
    arena = rf_arena_new();
    folder = scratch_new(arena);
    if (readlink("/proc/self/exe", program, sizeof program - 1) <= 0)
        return -1;
    return setenv("REFRACT_WORKERS", dirname(program), 1);
}

static int tear_down(void **state)
{
    (void)state;
    rf_workers_stop(rf_workers_shared());
    scratch_remove(folder);
    rf_arena_free(arena);
    return 0;
}

static struct rf_job run(struct rf_str ask, struct rf_str input)
{
    struct rf_bytes *bytes = RF_NEW(arena, struct rf_bytes);
    *bytes = rf_bytes_memory(input);
    bytes->own = true;
    struct rf_job job = { .family = "hostile", .ask = ask, .input = bytes };
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    return job;
}

static struct rf_str fact(const struct rf_job *job, const char *key)
{
    return rf_prop_str(job->facts, job->fact_count, key);
}

static void assert_serves(void)
{
    struct rf_job job = run(RF_STR("op=behave\n"), RF_STR("hello"));
    if (job.failed)
        print_error("%s\n", job.err.msg);
    assert_int_equal(job.failed, RF_OK);
    assert_str(fact(&job, "bytes"), "5");
}

/* What a worker tries */

static const struct attempt {
    const char *name;
    bool allowed;
} attempts[] = {
    { "socket", false },
    { "call loopback", false },
    { "unix socket", false },
    { "socketpair", false },
    { "read /etc/passwd", false },
    { "openat2", false },
    { "read /proc/self/mem", false },
    { "write /proc/self/mem", false },
    { "list a folder", false },
    { "list a folder that may be read", true },
    { "write a new file", false },
    { "write an unnamed file", false },
    { "write to the input", false },
    { "truncate the input", false },
    { "remove a file", false },
    { "make a folder", false },
    { "change a mode", false },
    { "fork", false },
    { "vfork", false },
    { "unshare", false },
    { "execve", false },
    { "fexecve", false },
    { "ptrace", false },
    { "process_vm_readv", false },
    { "kill the parent", false },
    { "tgkill the parent", false },
    { "signal the parent by a socket", false },
    { "raise a limit", false },
    { "raise the hard limit", false },
    { "limit the parent", false },
    { "become dumpable", false },
    { "forget the parent", false },
    { "memfd_create", false },
    { "io_uring", false },
    { "bpf", false },
    { "setuid", false },
    { "allocate 16 GB", false },
};

static void check_attempt(void **state)
{
    const struct attempt *row = *state;
    if (NO_MEMORY_LIMIT && strstr(row->name, "16 GB"))
        skip();
    const char *path = in_folder(arena, folder, "victim");
    write_file(path, RF_STR("still here"));
    struct rf_str ask =
        rf_strf(arena, "try=%s\npath=%s\n", row->name,
                strcmp(row->name, "remove a file") == 0 ? path : in_folder(arena, folder, "new"));
    struct rf_bytes input;
    assert_int_equal(rf_bytes_file("", path, &input, NULL), RF_OK);
    struct rf_job job = { .family = "hostile", .ask = ask, .input = &input };
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_OK);
    assert_int_equal(fact(&job, "refused").n != 0, !row->allowed);
    assert_int_equal(fact(&job, "went").n != 0, row->allowed);
    assert_int_not_equal(access(in_folder(arena, folder, "new"), F_OK), 0);
    assert_int_equal(rf_bytes_file("", path, &input, NULL), RF_OK);
    assert_int_equal(input.size, 10);
}

/* What a worker does, and what is said about it */

static const struct deed {
    const char *name, *ask, *want; /* in the message */
    enum rf_code code;
    int64_t timeout_ms;
} deeds[] = {
    { "a crash is told", "op=crash\n", "crashed on the file", RF_EIO, 0 },
    { "giving up is told", "op=abort\n", "gave up on the file", RF_EIO, 0 },
    { "leaving is told", "op=leave\n", "ended in the middle", RF_EIO, 0 },
    { "burning the processor is ended", "op=burn\n", "processor time", RF_ELIMIT, 0 },
    { "hanging is ended", "op=hang\n", "within 0.3 seconds", RF_ELIMIT, 300 },
    { "hanging up and staying is ended", "op=orphan\n", "killed", RF_EIO, 0 },
    { "eating memory is ended", "op=eat\n", "out of memory", RF_EIO, 0 },
    { "too much is refused by the worker", "op=flood\n", "over the limit", RF_ELIMIT, 0 },
    { "too much is refused by us", "op=flood\nlie=1\n", "more than", RF_ELIMIT, 0 },
};

static void text_is_cut_at_its_limit(void **state)
{
    struct rf_bytes input = rf_bytes_memory(RF_STR("x"));
    struct rf_job job = {
        .family = "hostile", .ask = RF_STR("op=talk\n"), .input = &input, .max_text = 1000
    };
    (void)state;
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_OK);
    assert_int_equal(job.part_count, 2);
    assert_int_equal(job.parts[0].text.n, 999);
    assert_int_equal(job.parts[1].text.n, 0);
    assert_int_equal(job.note_count, 1);
    assert_str(job.notes[0], "the text is longer than the limit and was cut");
    assert_serves();
}

static void check_deed(void **state)
{
    const struct deed *row = *state;
    if (NO_MEMORY_LIMIT && strstr(row->name, "eating memory"))
        skip();
    struct rf_bytes input = rf_bytes_memory(RF_STR("x"));
    assert_serves();
    struct rf_job job = {
        .family = "hostile",
        .ask = rf_str(row->ask),
        .input = &input,
        .timeout_ms = row->timeout_ms,
        .max_bytes = (uint64_t)8 << 20,
    };
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    if (!strstr(job.err.msg, row->want))
        print_error("%s\n", job.err.msg);
    assert_int_equal(job.failed, row->code);
    assert_non_null(strstr(job.err.msg, row->want));
    assert_serves();
}

/* Frames that make no sense. F is a head in this machine's order (little endian, as all we test
 * on). */
#define F(kind, a, b, c) kind "\0\0\0" a b c "\0"
#define DONE F("\x0a", "\0", "\0", "\0")

static const struct speech {
    const char *name;
    struct rf_str bytes;
    enum rf_code code;
    bool judged;
} speeches[] = {
    { "done", B(DONE), RF_OK, false },
    { "a part with text",
      B(F("\x04", "\x05", "\0", "\0") "a=b\n\n" F("\x05", "\2", "\0", "\0") "hi" DONE), RF_OK,
      false },
    { "an unknown kind", B(F("\x0b", "\0", "\0", "\0")), RF_EIO, false },
    { "kind 0", B(F("\0", "\0", "\0", "\0")), RF_EIO, false },
    { "an ask", B(F("\1", "\0", "\0", "\0")), RF_EIO, false },
    { "ready twice", B(F("\2", "\0", "\0", "\0") DONE), RF_EIO, false },
    { "a frame that is too long", B(F("\5", "\1", "\0", "\x10")), RF_EIO, false },
    { "lines that are too long", B(F("\3", "\1", "\0", "\1")), RF_EIO, false },
    { "text that is not UTF-8", B(F("\5", "\1", "\0", "\0") "\xff" DONE), RF_EIO, false },
    { "a character cut by frames",
      B(F("\5", "\1", "\0", "\0") "\xc3" F("\5", "\1", "\0", "\0") "\xa4" DONE), RF_EIO, false },
    { "a fact that is not UTF-8", B(F("\3", "\3", "\0", "\0") "a=\xff" DONE), RF_EIO, false },
    { "a fact without a name", B(F("\3", "\2", "\0", "\0") "=a" DONE), RF_EIO, false },
    { "a fact without a sign", B(F("\3", "\2", "\0", "\0") "ab" DONE), RF_EIO, false },
    { "a fact with a NUL", B(F("\3", "\3", "\0", "\0") "a=\0" DONE), RF_EIO, false },
    { "bytes without a part", B(F("\6", "\1", "\0", "\0") "a" DONE), RF_EIO, false },
    { "a step of words", B(F("\x08", "\3", "\0", "\0") "a/b" DONE), RF_EIO, false },
    { "something after the end", B(DONE DONE), RF_EIO, false },
    { "a failure", B(F("\x09", "\x0c", "\0", "\0") "encrypted\nx\n"), RF_EENCRYPTED, true },
    { "a failure of an unknown kind", B(F("\x09", "\x04", "\0", "\0") "y\nx\n"), RF_EFORMAT, true },
    { "a failure that takes a code it may not", B(F("\x09", "\x0e", "\0", "\0") "interrupted\nx\n"),
      RF_EFORMAT, true },
    { "a failure of its sandbox, which it had", B(F("\x09", "\x0a", "\0", "\0") "sandbox\nx\n"),
      RF_EFORMAT, true },
    { "a failure without words", B(F("\x09", "\0", "\0", "\0")), RF_EIO, false },
};

static void check_speech(void **state)
{
    const struct speech *row = *state;
    assert_serves();
    struct rf_job job = run(RF_STR("op=speak\n"), row->bytes);
    if (job.failed != row->code)
        print_error("%s\n", job.err.msg);
    assert_int_equal(job.failed, row->code);
    assert_int_equal(job.judged, row->judged);
    assert_serves();
}

/* The pool */

static void what_a_worker_says_arrives(void **state)
{
    (void)state;
    struct rf_job job = run(RF_STR("op=behave\n"), RF_STR("gr\xc3\xbc\xc3\x9f"
                                                          "e \xff!"));
    assert_int_equal(job.failed, RF_OK);
    assert_int_equal(job.part_count, 2);
    assert_str(job.parts[0].text, "gr\xc3\xbc\xc3\x9f"
                                  "e \xef\xbf\xbd!");
    assert_int_equal(rf_prop_int(job.parts[1].props, job.parts[1].prop_count, "page"), 2);
    assert_str(rf_prop_str(job.parts[1].props, job.parts[1].prop_count, "mime"), "image/png");
    assert_int_equal(job.parts[1].bytes.size, 10);
    assert_str(job.parts[1].bytes.text, "gr\xc3\xbc\xc3\x9f"
                                        "e \xff!");
    assert_int_equal(job.note_count, 1);
    assert_str(job.notes[0], "all 1 is well");
}

static bool count_step(void *context, int64_t done, int64_t of)
{
    *(int64_t *)context += done * 10 + of;
    return true;
}

static void large_bytes_go_to_the_spool(void **state)
{
    size_t n = (size_t)5 << 20;
    char *p = rf_arena_alloc(arena, n);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)('a' + i % 23);
    struct rf_bytes input = rf_bytes_memory((struct rf_str){ p, n });
    int64_t steps = 0;
    struct rf_job job = { .family = "hostile",
                          .ask = RF_STR("op=behave\n"),
                          .input = &input,
                          .spool = folder,
                          .step = count_step,
                          .context = &steps };
    struct stat st;
    uint8_t want[32], got[32];
    (void)state;
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_OK);
    assert_int_equal(steps, 12);
    assert_int_equal(job.parts[0].text.n, n);
    assert_int_equal(job.parts[1].bytes.kind, RF_BYTES_FILE);
    assert_int_equal(stat(job.parts[1].bytes.path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(rf_bytes_sha256(&input, want, NULL), RF_OK);
    assert_int_equal(rf_bytes_sha256(&job.parts[1].bytes, got, NULL), RF_OK);
    assert_memory_equal(want, got, sizeof want);
}

static void a_failed_job_leaves_no_files(void **state)
{
    const char *spool = in_folder(arena, folder, "spool");
    struct rf_job job = { .family = "hostile",
                          .ask = RF_STR("op=flood\nlie=1\n"),
                          .spool = spool,
                          .max_bytes = (uint64_t)4 << 20 };
    (void)state;
    make_folder(spool);
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_ELIMIT);
    assert_int_equal(count_files(spool), 0);
    job.spool = in_folder(arena, folder, "no such folder");
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_ENOTFOUND);
    assert_serves();
}

static void a_program_that_is_missing_is_named(void **state)
{
    struct rf_job job = { .family = "nothing", .ask = RF_STR("op=text\n") };
    struct rf_confinement sandbox;
    struct rf_err err;
    (void)state;
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_ECONFIG);
    assert_non_null(strstr(job.err.msg, "refract-media-nothing"));
    assert_non_null(strstr(job.err.hint, "REFRACT_WORKERS"));
    assert_int_equal(rf_worker_check(rf_workers_shared(), "nothing", arena, &sandbox, &err),
                     RF_ECONFIG);
    assert_int_equal(rf_worker_check(rf_workers_shared(), "hostile", arena, &sandbox, &err), RF_OK);
    assert_str(sandbox.missing, "");
}

static void a_file_that_is_gone_is_told(void **state)
{
    const char *path = in_folder(arena, folder, "gone");
    struct rf_bytes input;
    (void)state;
    write_file(path, RF_STR("abc"));
    assert_int_equal(rf_bytes_file("", path, &input, NULL), RF_OK);
    assert_int_equal(unlink(path), 0);
    struct rf_job job = { .family = "hostile", .ask = RF_STR("op=behave\n"), .input = &input };
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_ENOTFOUND);
    assert_serves();
}

static bool shrink(void *context, int64_t done, int64_t of)
{
    (void)done;
    (void)of;
    assert_int_equal(truncate(context, 10), 0);
    return true;
}

static void a_file_that_shrinks_is_told(void **state)
{
    char *path = (char *)(uintptr_t)in_folder(arena, folder, "shrinks");
    struct rf_bytes input;
    (void)state;
    write_file(path, (struct rf_str){ rf_arena_alloc(arena, 100000), 100000 });
    assert_int_equal(rf_bytes_file("", path, &input, NULL), RF_OK);
    struct rf_job job = { .family = "hostile",
                          .ask = RF_STR("op=touch\n"),
                          .input = &input,
                          .step = shrink,
                          .context = path };
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_EIO);
    assert_non_null(strstr(job.err.msg, "changed while it was read"));
    assert_serves();
}

struct watch {
    atomic_bool ends;
    size_t most; /* workers at once */
};

static void *watch_children(void *arg)
{
    struct watch *w = arg;
    pid_t one;
    while (!w->ends) {
        size_t count = children_of_ours(&one);
        w->most = count > w->most ? count : w->most;
        usleep(5000);
    }
    return NULL;
}

static void jobs_run_side_by_side(void **state)
{
    struct rf_job jobs[6];
    struct watch watch = { 0 };
    pthread_t thread;
    (void)state;
    for (size_t i = 0; i < COUNT(jobs); i++)
        jobs[i] =
            (struct rf_job){ .family = "hostile",
                             .ask = i % 3 ? RF_STR("op=nap\nms=500\n") : RF_STR("op=crash\n") };
    rf_workers_stop(rf_workers_shared());
    assert_int_equal(pthread_create(&thread, NULL, watch_children, &watch), 0);
    rf_workers_run(rf_workers_shared(), jobs, COUNT(jobs), arena);
    watch.ends = true;
    pthread_join(thread, NULL);
    for (size_t i = 0; i < COUNT(jobs); i++)
        assert_int_equal(jobs[i].failed, i % 3 ? RF_OK : RF_EIO);
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
        assert_true(watch.most > 1);
}

static void *kill_soon(void *arg)
{
    struct timespec t = { 0, 1000000 };
    (void)arg;
    for (;;) {
        pid_t child = child_of_ours();
        nanosleep(&t, NULL);
        if (child) {
            kill(child, SIGKILL);
            return NULL;
        }
    }
}

static void killed_in_the_middle_a_hundred_times(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        struct rf_job job = { .family = "hostile", .ask = RF_STR("op=hang\n") };
        rf_workers_stop(rf_workers_shared());
        if (i % 2)
            assert_serves();
        assert_int_equal(pthread_create(&thread, NULL, kill_soon, NULL), 0);
        rf_workers_run(rf_workers_shared(), &job, 1, arena);
        pthread_join(thread, NULL);
        assert_true(job.failed == RF_EIO || job.failed == RF_ECONFIG);
    }
    assert_serves();
}

static void one_killed_while_idle_is_replaced(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        assert_serves();
        pid_t child = child_of_ours();
        assert_true(child > 0);
        kill(child, SIGKILL);
        while (is_running(child))
            usleep(1000);
        assert_serves();
    }
}

static void workers_are_replaced_after_many_jobs(void **state)
{
    (void)state;
    rf_workers_stop(rf_workers_shared());
    assert_serves();
    pid_t first = child_of_ours();
    for (int i = 0; i < 99; i++)
        assert_serves();
    assert_serves();
    assert_int_not_equal(child_of_ours(), first);
}

static void a_host_that_reaps_children_does_not_matter(void **state)
{
    struct rf_job job = { .family = "hostile", .ask = RF_STR("op=crash\n") };
    (void)state;
    rf_workers_stop(rf_workers_shared());
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    assert_serves();
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_EIO);
    assert_serves();
    rf_workers_stop(rf_workers_shared());
    signal(SIGCHLD, before);
    assert_serves();
}

static void *run_some(void *arg)
{
    struct rf_arena *own = rf_arena_new();
    struct rf_bytes input = rf_bytes_memory(RF_STR("hello"));
    size_t *good = arg;
    input.own = true;
    for (int i = 0; i < 20; i++) {
        struct rf_job jobs[2] = {
            { .family = "hostile", .ask = RF_STR("op=behave\n"), .input = &input },
            { .family = "hostile", .ask = RF_STR("op=behave\n"), .input = &input }
        };
        rf_workers_run(rf_workers_shared(), jobs, 2, own);
        *good += jobs[0].failed || jobs[1].failed ? 0 : 2;
    }
    rf_arena_free(own);
    return NULL;
}

static void threads_may_share_the_workers(void **state)
{
    pthread_t threads[4];
    size_t good[4] = { 0 };
    (void)state;
    rf_workers_stop(rf_workers_shared());
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_some, &good[i]), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(good[i], 40);
    }
    assert_serves(); /* although the threads that started them are gone */
}

static void a_forked_process_has_workers_of_its_own(void **state)
{
    int status;
    (void)state;
    assert_serves();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rf_job job = run(RF_STR("op=behave\n"), RF_STR("hello"));
        rf_workers_stop(rf_workers_shared());
        _exit(job.failed ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_serves();
}

/* How many descriptors the pollers of this process watch. */
static size_t count_watched(void)
{
    size_t count = 0;
    char path[64], target[64], line[256];
    for (int fd = 0; fd < 256; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(path, target, sizeof target - 1);
        if (n <= 0 || !memmem(target, (size_t)n, "eventpoll", 9))
            continue;
        snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
        FILE *f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            count += strncmp(line, "tfd:", 4) == 0;
        if (f)
            fclose(f);
    }
    return count;
}

static bool tell_and_wait(void *context, int64_t done, int64_t of)
{
    const int *fds = context;
    char byte;
    (void)done, (void)of;
    return write(fds[1], "x", 1) == 1 && read(fds[0], &byte, 1) == 1;
}

/* A process waits in a poller of its own: the one of its parent that was kept is left alone. */
static void a_forked_process_waits_for_itself(void **state)
{
    int to_child[2], to_parent[2], status;
    char byte;
    (void)state;
    assert_int_equal(pipe(to_child), 0);
    assert_int_equal(pipe(to_parent), 0);
    assert_serves();
    assert_int_equal(count_watched(), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int fds[] = { to_child[0], to_parent[1] };
        close(to_child[1]);
        struct rf_bytes input = rf_bytes_memory(RF_STR("hello"));
        struct rf_job job = { .family = "hostile",
                              .ask = RF_STR("op=behave\n"),
                              .input = &input,
                              .step = tell_and_wait,
                              .context = fds };
        rf_workers_run(rf_workers_shared(), &job, 1, arena);
        rf_workers_stop(rf_workers_shared());
        _exit(job.failed ? 1 : 0);
    }
    assert_int_equal(read(to_parent[0], &byte, 1), 1);
    assert_int_equal(count_watched(), 0);
    assert_int_equal(write(to_child[1], "x", 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_serves();
    for (int i = 0; i < 2; i++) {
        close(to_child[i]);
        close(to_parent[i]);
    }
}

static void workers_end_with_their_caller(void **state)
{
    int pipes[2], status;
    pid_t worker = 0;
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        assert_serves();
        worker = child_of_ours();
        if (write(pipes[1], &worker, sizeof worker) != (ssize_t)sizeof worker)
            _exit(1);
        struct rf_job job = { .family = "hostile", .ask = RF_STR("op=hang\n") };
        rf_workers_run(rf_workers_shared(), &job, 1, arena);
        _exit(1);
    }
    assert_int_equal(read(pipes[0], &worker, sizeof worker), sizeof worker);
    usleep(50000);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    while (is_running(worker))
        usleep(20000);
    close(pipes[0]);
    close(pipes[1]);
}

/* Idle ones and busy ones; those of a parent are left alone. */
static void all_are_waited_for_at_the_end(void **state)
{
    struct rf_bytes input = rf_bytes_memory(RF_STR("hello"));
    struct rf_job jobs[3];
    int status;
    pid_t one;
    (void)state;
    for (size_t i = 0; i < COUNT(jobs); i++)
        jobs[i] =
            (struct rf_job){ .family = "hostile", .ask = RF_STR("op=behave\n"), .input = &input };
    input.own = true;
    rf_workers_stop(rf_workers_shared());
    rf_workers_run(rf_workers_shared(), jobs, COUNT(jobs), arena);
    size_t before = children_of_ours(&one);
    assert_true(before > 0);
    pid_t child = fork();
    if (child == 0) {
        rf_process_end_workers();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(children_of_ours(&one), before);
    rf_process_end_workers();
    assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_serves();
}

/* Other systems: each in a process of its own, since a filter stays. Returns where it went
 * wrong. */

static bool take_away(int call, const struct scmp_arg_cmp *where, unsigned count)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    return filter && !seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS), call, count, where) &&
           !seccomp_load(filter);
}

static int live_without_landlock(void)
{
    struct rf_confinement sandbox;
    if (!take_away(SCMP_SYS(landlock_create_ruleset), NULL, 0))
        return 2;
    if (rf_worker_check(rf_workers_shared(), "hostile", arena, &sandbox, NULL) != RF_ESANDBOX ||
        !rf_str_is(sandbox.missing, "Landlock (not in this kernel)"))
        return 3;
    struct rf_job refused = run(RF_STR("op=behave\n"), RF_STR("hello"));
    rf_workers_permit(rf_workers_shared(), RF_SANDBOX_REDUCED);
    struct rf_job job = run(RF_STR("try=list a folder that may be read\n"), RF_STR("x"));
    rf_workers_permit(rf_workers_shared(), RF_SANDBOX_WHOLE);
    struct rf_job again = run(RF_STR("op=behave\n"), RF_STR("hello"));
    if (refused.failed != RF_ESANDBOX || refused.judged || again.failed != RF_ESANDBOX)
        return 4;
    return !job.failed && fact(&job, "refused").n ? 0 : 5;
}

static bool is_refused(struct rf_str attempt, int why)
{
    struct rf_job job = run(attempt, RF_STR("x"));
    return !job.failed && rf_str_is(fact(&job, "refused"), rf_strf(arena, "%d", why).p);
}

/* What namespaces there are stand in: 1 where this system permits none. */
static int live_without_both(void)
{
    struct rf_confinement sandbox;
    struct scmp_arg_cmp filters = { 0, SCMP_CMP_EQ, PR_SET_SECCOMP, 0 };
    if (!take_away(SCMP_SYS(landlock_create_ruleset), NULL, 0) ||
        !take_away(SCMP_SYS(prctl), &filters, 1) || !take_away(SCMP_SYS(seccomp), NULL, 0))
        return 2;
    rf_workers_permit(rf_workers_shared(), RF_SANDBOX_REDUCED);
    if (rf_worker_check(rf_workers_shared(), "hostile", arena, &sandbox, NULL))
        return 3;
    if (!rf_str_is(sandbox.layers, "limits, namespaces, no network, empty root"))
        return rf_str_is(sandbox.layers, "limits") ? 1 : 4;
    if (!is_refused(RF_STR("try=read /etc/passwd\n"), ENOENT))
        return 5;
    return is_refused(RF_STR("try=call loopback\n"), ENETUNREACH) ? 0 : 6;
}

static int status_of(int (*live)(void))
{
    int status;
    rf_workers_stop(rf_workers_shared());
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int wrong = live();
        rf_workers_stop(rf_workers_shared());
        _exit(wrong);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void without_landlock_nothing_is_read_or_with_leave_opened(void **state)
{
    (void)state;
    assert_int_equal(status_of(live_without_landlock), 0);
}

static void without_both_there_is_an_empty_root_and_no_network(void **state)
{
    (void)state;
    int status = status_of(live_without_both);
    if (status == 1) {
        print_message("skipped: this system permits no namespaces\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* Groups */

#define ONE "1111111111111111111111111111111111111111111111111111111111111111"
#define TWO "2222222222222222222222222222222222222222222222222222222222222222"

struct origin {
    bool own;
    const char *sha256, *made_of;
};

struct grouping {
    const char *name;
    struct origin taking, next;
    const char *want;
};

static const struct grouping groups[] = {
    { "own files share their workers", { .own = true }, { .own = true }, "a lie" },
    { "an own file after a foreign one", { .sha256 = ONE }, { .own = true }, "the truth" },
    { "an own file after a nameless one", { 0 }, { .own = true }, "the truth" },
    { "an own file of the same hash", { .sha256 = ONE }, { true, ONE, NULL }, "the truth" },
    { "a foreign file after an own one", { .own = true }, { .sha256 = ONE }, "the truth" },
    { "a foreign file after another", { .sha256 = ONE }, { .sha256 = TWO }, "the truth" },
    { "a nameless file after a foreign one", { .sha256 = ONE }, { 0 }, "the truth" },
    { "a nameless file after another", { 0 }, { 0 }, "the truth" },
    { "the same foreign file", { .sha256 = ONE }, { .sha256 = ONE }, "a lie" },
    { "what was made of it", { .sha256 = ONE }, { false, TWO, ONE }, "a lie" },
    { "what was made of another", { .sha256 = ONE }, { false, NULL, TWO }, "the truth" },
};

static struct rf_job obey(const struct origin *from, struct rf_str text)
{
    struct rf_bytes *bytes = RF_NEW(arena, struct rf_bytes);
    *bytes = rf_bytes_memory(text);
    bytes->own = from->own;
    bytes->made_of = rf_str(from->made_of ? from->made_of : "");
    struct rf_job job = { .family = "hostile",
                          .ask = RF_STR("op=obey\n"),
                          .input = bytes,
                          .sha256 = rf_str(from->sha256 ? from->sha256 : "") };
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_OK);
    return job;
}

static void check_group(void **state)
{
    const struct grouping *row = *state;
    rf_workers_stop(rf_workers_shared());
    struct rf_job first = obey(&row->taking, RF_STR("take over"));
    assert_str(fact(&first, "said"), "the truth");
    struct rf_job next = obey(&row->next, RF_STR("hello"));
    assert_str(fact(&next, "said"), row->want);
}

static void foreign_files_leave_the_own_workers(void **state)
{
    (void)state;
    rf_workers_stop(rf_workers_shared());
    assert_serves();
    pid_t first = child_of_ours(), one;
    for (int i = 0; i < 30; i++) {
        char hash[sizeof ONE];
        snprintf(hash, sizeof hash, "%064d", i);
        obey(&(struct origin){ .sha256 = hash }, RF_STR("hello"));
    }
    assert_true(is_running(first));
    assert_true(children_of_ours(&one) < 10);
}

static void a_spare_is_there_for_the_next_foreign_file(void **state)
{
    static const struct origin files[] = { { .sha256 = ONE }, { .sha256 = TWO }, { 0 }, { 0 } };
    static const size_t there[] = { 0, 1, 3, 3 }; /* with a spare after the second */
    pid_t served[COUNT(files)], one;
    (void)state;
    rf_workers_stop(rf_workers_shared());
    for (size_t i = 0; i < COUNT(files); i++) {
        size_t before = children_of_ours(&one);
        struct rf_job job = obey(&files[i], RF_STR("take over"));
        assert_str(fact(&job, "said"), "the truth");
        served[i] = (pid_t)rf_prop_int(job.facts, job.fact_count, "pid");
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(served[i], served[k]);
        assert_int_equal(before, there[i]);
    }
}

static void what_is_made_of_a_file_is_of_its_group(void **state)
{
    static const struct {
        const char *family;
        bool own, want;
    } rows[] = {
        { "pdf", true, true },     { "pdf", false, false },   { "image", true, true },
        { "office", true, false }, { "legacy", true, false }, { "office", false, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_bytes input = { .own = rows[i].own };
        struct rf_job_part part = { 0 };
        struct rf_job job = { .family = rows[i].family,
                              .input = &input,
                              .sha256 = RF_STR(ONE),
                              .parts = &part,
                              .part_count = 1 };
        rf_job_inherit(&job, arena);
        assert_int_equal(part.bytes.own, rows[i].want);
        assert_str(part.bytes.made_of, rows[i].want ? "" : ONE);
        input.made_of = RF_STR(TWO);
        rf_job_inherit(&job, arena);
        assert_str(part.bytes.made_of, rows[i].want ? "" : TWO);
    }
}

static void interrupt(int number)
{
    (void)number;
}

static void signals_do_not_disturb(void **state)
{
    struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { 0 };
    struct sigaction action = { .sa_handler = interrupt };
    struct rf_job job = { .family = "hostile", .ask = RF_STR("op=nap\nms=200\n") };
    (void)state;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    setitimer(ITIMER_REAL, &never, NULL);
    assert_int_equal(job.failed, RF_OK);
}

static void descriptors_do_not_leak(void **state)
{
    (void)state;
    rf_workers_stop(rf_workers_shared());
    size_t before = count_files("/proc/self/fd");
    for (int i = 0; i < 20; i++) {
        assert_serves();
        run(RF_STR("op=crash\n"), RF_STR("x"));
    }
    rf_workers_stop(rf_workers_shared());
    assert_int_equal(count_files("/proc/self/fd"), before);
}

int main(void)
{
    const struct CMUnitTest pool[] = {
        cmocka_unit_test(what_a_worker_says_arrives),
        cmocka_unit_test(text_is_cut_at_its_limit),
        cmocka_unit_test(large_bytes_go_to_the_spool),
        cmocka_unit_test(a_failed_job_leaves_no_files),
        cmocka_unit_test(a_program_that_is_missing_is_named),
        cmocka_unit_test(a_file_that_is_gone_is_told),
        cmocka_unit_test(a_file_that_shrinks_is_told),
        cmocka_unit_test(jobs_run_side_by_side),
        cmocka_unit_test(killed_in_the_middle_a_hundred_times),
        cmocka_unit_test(one_killed_while_idle_is_replaced),
        cmocka_unit_test(workers_are_replaced_after_many_jobs),
        cmocka_unit_test(a_host_that_reaps_children_does_not_matter),
        cmocka_unit_test(threads_may_share_the_workers),
        cmocka_unit_test(a_forked_process_has_workers_of_its_own),
        cmocka_unit_test(a_forked_process_waits_for_itself),
        cmocka_unit_test(workers_end_with_their_caller),
        cmocka_unit_test(without_landlock_nothing_is_read_or_with_leave_opened),
        cmocka_unit_test(without_both_there_is_an_empty_root_and_no_network),
        cmocka_unit_test(signals_do_not_disturb),
        cmocka_unit_test(descriptors_do_not_leak),
        cmocka_unit_test(foreign_files_leave_the_own_workers),
        cmocka_unit_test(a_spare_is_there_for_the_next_foreign_file),
        cmocka_unit_test(what_is_made_of_a_file_is_of_its_group),
        cmocka_unit_test(all_are_waited_for_at_the_end),
    };
    struct CMUnitTest tried[COUNT(attempts)], done[COUNT(deeds)], said[COUNT(speeches)];
    struct CMUnitTest grouped[COUNT(groups)];
    name_rows(tried, check_attempt, attempts, COUNT(attempts), sizeof *attempts);
    name_rows(done, check_deed, deeds, COUNT(deeds), sizeof *deeds);
    name_rows(said, check_speech, speeches, COUNT(speeches), sizeof *speeches);
    name_rows(grouped, check_group, groups, COUNT(groups), sizeof *groups);
    return cmocka_run_group_tests_name("sandbox", tried, set_up, tear_down) +
           cmocka_run_group_tests_name("deeds", done, set_up, tear_down) +
           cmocka_run_group_tests_name("frames", said, set_up, tear_down) +
           cmocka_run_group_tests_name("groups", grouped, set_up, tear_down) +
           cmocka_run_group_tests_name("pool", pool, set_up, tear_down);
}
