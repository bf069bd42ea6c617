/* What happens where nothing can go on: a program's handler is told, and whatever it does, the call
 * does not. */
#include "base/error.h"

#include "../testing.h"

#include <string.h>

/* ASan ends a program that asks for too much, unless it is told not to. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static struct {
    struct rf_arena *arena;
    jmp_buf back;
    struct rf_fatal heard;
    int times;
} program;

static void leave(void *ctx, const struct rf_fatal *f)
{
    assert_ptr_equal(ctx, &program);
    program.heard = *f;
    program.times++;
    longjmp(program.back, 1);
}

static void too_much(void)
{
    rf_arena_alloc(program.arena, PTRDIFF_MAX / 2);
}

static void too_much_to_count(void)
{
    rf_arena_array(program.arena, SIZE_MAX, 2);
}

static const struct row {
    const char *name;
    void (*run)(void);
    bool out_of_memory;
    const char *what;
} rows[] = {
    { "memory that there is not", too_much, true, "out of memory" },
    { "a broken invariant", too_much_to_count, false, "allocation size overflows" },
};

static void leaves_by_a_jump(void **state)
{
    const struct row *row = *state;
    program.times = 0;
    rf_on_fatal(leave, &program);
    if (setjmp(program.back) == 0)
        row->run();
    assert_int_equal(program.times, 1);
    assert_int_equal(program.heard.out_of_memory, row->out_of_memory);
    assert_string_equal(program.heard.what, row->what);
    assert_non_null(strstr(program.heard.file, "base/arena.c"));
    assert_true(program.heard.line > 1);
    rf_on_fatal(NULL, NULL);
}

static void ends_the_process(void *ctx, const struct rf_fatal *f)
{
    (void)f;
    _exit(*(int *)ctx);
}

/* How a child ends that runs out of memory with this handler. */
static int status_with(void (*handler)(void *ctx, const struct rf_fatal *f))
{
    int code = 42, status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        rf_on_fatal(handler, &code);
        RF_NO_MEMORY();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void may_end_the_process_itself(void **state)
{
    (void)state;
    int status = status_with(ends_the_process);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

static void logs(void *ctx, const struct rf_fatal *f)
{
    (void)ctx;
    (void)f;
}

static void aborts_where_the_handler_returns(void **state)
{
    (void)state;
    int status = status_with(logs);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void bug(const void *why)
{
    RF_BUG(why);
}

static void aborts_without_a_handler(void **state)
{
    (void)state;
    assert_true(aborts(bug, "a bug"));
}

int main(void)
{
    program.arena = rf_arena_new(); /* lost in the middle of a call, and never freed */
    struct CMUnitTest jumps[COUNT(rows)];
    name_rows(jumps, leaves_by_a_jump, rows, COUNT(rows), sizeof *rows);
    const struct CMUnitTest ends[] = {
        cmocka_unit_test(may_end_the_process_itself),
        cmocka_unit_test(aborts_where_the_handler_returns),
        cmocka_unit_test(aborts_without_a_handler),
    };
    return cmocka_run_group_tests_name("fatal: the handler may leave", jumps, NULL, NULL) +
           cmocka_run_group_tests_name("fatal: else the process ends", ends, NULL, NULL);
}
