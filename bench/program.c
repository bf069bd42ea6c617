#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_INSTALLED 77

static void die(const struct program *p, const char *what)
{
    fprintf(stderr, "bench: %s: %s: %s\n", p->argv[0], what, strerror(errno));
    exit(1);
}

static void failed(const struct program *p)
{
    fprintf(stderr, "bench:");
    for (size_t i = 0; p->argv[i]; i++)
        fprintf(stderr, " %s", p->argv[i]);
    fprintf(stderr, ": failed\n");
    exit(1);
}

/* Its standard output, and where `in` is wanted its standard input, are pipes to us. */
static pid_t start(const struct program *p, int *in, int *out)
{
    int to[2] = { -1, -1 }, from[2];
    if (pipe2(from, O_CLOEXEC) != 0 || (in && pipe2(to, O_CLOEXEC) != 0))
        die(p, "pipe");
    pid_t pid = fork();
    if (pid < 0)
        die(p, "fork");
    if (pid == 0) {
        dup2(from[1], STDOUT_FILENO);
        if (in)
            dup2(to[0], STDIN_FILENO);
        execv(p->argv[0], p->argv);
        _exit(127);
    }
    close(from[1]);
    *out = from[0];
    if (in) {
        close(to[0]);
        *in = to[1];
    }
    return pid;
}

void program_run(void *program)
{
    struct program *p = program;
    static char buf[1 << 16];
    int out, status;
    struct rusage use;
    pid_t pid = start(p, NULL, &out);
    while (read(out, buf, sizeof buf) > 0)
        ;
    close(out);
    if (wait4(pid, &status, 0, &use) < 0 || status != 0)
        failed(p);
    p->peak_kb = use.ru_maxrss;
}

static bool read_line(struct program *p, char *line, int n)
{
    return fgets(line, n, p->out) != NULL;
}

bool program_open(struct program *p)
{
    char line[100];
    int in, out, status;
    p->pid = start(p, &in, &out);
    p->in = fdopen(in, "w");
    p->out = fdopen(out, "r");
    if (!p->in || !p->out)
        die(p, "fdopen");
    if (read_line(p, line, sizeof line))
        return true;
    fclose(p->in);
    fclose(p->out);
    if (waitpid(p->pid, &status, 0) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) != NOT_INSTALLED)
        failed(p);
    return false;
}

void program_ask(void *program)
{
    struct program *p = program;
    char line[100];
    if (fputs("again\n", p->in) < 0 || fflush(p->in) != 0 || !read_line(p, line, sizeof line))
        failed(p);
}

void program_close(struct program *p)
{
    fclose(p->in);
    fclose(p->out);
    waitpid(p->pid, NULL, 0);
}
