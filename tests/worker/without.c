/* Run a program on a system that lacks a part of the workers' sandbox:
 *
 *     without landlock=ENOSYS seccomp=EPERM -- refract doctor
 *
 * A part answers with that errno in it and in all that it starts; "0" says yes, and does
 * nothing. */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const struct {
    const char *part;
    const char *calls[4];
} parts[] = {
    { "landlock", { "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self" } },
    { "landlock-rules", { "landlock_add_rule" } },
    { "landlock-entering", { "landlock_restrict_self" } },
    { "seccomp-call", { "seccomp" } },
    { "seccomp", { "seccomp", "prctl" } },
    { "unshare", { "unshare" } },
};

static const struct {
    const char *name;
    int number;
} answers[] = {
    { "0", 0 },           { "EPERM", EPERM },   { "EACCES", EACCES },
    { "ENOSYS", ENOSYS }, { "EINVAL", EINVAL }, { "EOPNOTSUPP", EOPNOTSUPP },
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "without: %s\n", what);
    exit(99);
}

static uint32_t answer(const char *name)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcmp(answers[i].name, name) == 0)
            return SCMP_ACT_ERRNO((uint32_t)answers[i].number);
    fail("such an answer is not known");
}

/* Of prctl only what installs a filter. */
static void answer_call(scmp_filter_ctx filter, const char *call, uint32_t with)
{
    struct scmp_arg_cmp installs = { 0, SCMP_CMP_EQ, PR_SET_SECCOMP, 0 };
    unsigned conditions = strcmp(call, "prctl") == 0;
    int number = seccomp_syscall_resolve_name(call);
    if (number == __NR_SCMP_ERROR ||
        seccomp_rule_add_array(filter, with, number, conditions, &installs) != 0)
        fail("a call could not be taken away");
}

static void take_away(scmp_filter_ctx filter, const char *said)
{
    size_t n = strcspn(said, "=");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].part) == n && strncmp(parts[i].part, said, n) == 0 && said[n]) {
            for (const char *const *call = parts[i].calls; *call; call++)
                answer_call(filter, *call, answer(said + n + 1));
            return;
        }
    fail("say PART=ANSWER... -- PROGRAM...");
}

int main(int argc, char **argv)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int i = 1;
    if (!filter)
        fail("no filter");
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        take_away(filter, argv[i]);
    if (i + 1 >= argc)
        fail("no program");
    if (seccomp_load(filter) != 0)
        fail("the filter could not be installed");
    execvp(argv[i + 1], argv + i + 1);
    fail("the program could not be started");
}
