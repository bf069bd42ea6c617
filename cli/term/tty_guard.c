/* Putting a terminal back, whatever happens: from inside of the program, and from a process that
 * outlives it.
 *
 * The guard is forked once. It keeps the terminal and the end of a pipe that is never written to,
 * nothing else of ours: no file, no lock. When the pipe ends, the program is gone; had it not put
 * the terminal back, the guard does. It is a session of its own, so that no key stops it and it may
 * set modes from the background.
 *
 * Modes are changed only where they still are those that we set: else somebody else has the
 * terminal by then, and gets no more than what shows text and cursor again.
 *
 * Everything here that acts is safe in a signal handler.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "term/tty_inside.h"

#define WRITE_WAIT_MS 200
#define MOST_DESCRIPTORS 4096

#define END_STRING "\033\\" /* a picture, or a link, of which the rest will not come */
#define END_LINK "\033]8;;\033\\"
/* Ends a frame that was being drawn, and styles; wraps lines; shows the cursor. */
#define SHOW_AGAIN "\033[?2026l\033[0m\033[?7h\033[?25h"
#define MAIN_SCREEN "\033[?1049l"
#define NO_BRACKETS "\033[?2004l"
/* Below what we had drawn, of which the rest goes. */
#define NEXT_LINE "\r\n\033[J"

struct rf_tty_kept *rf_tty_kept;

/* Once: a terminal that takes nothing is not waited for. */
static void write_text(int fd, const char *text)
{
    size_t n = strlen(text);
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    while (n && poll(&p, 1, WRITE_WAIT_MS) == 1 && (p.revents & POLLOUT)) {
        ssize_t written = write(fd, text, n);
        if (written < 0 && errno != EINTR)
            return;
        text += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
}

static bool are_same(const struct termios *a, const struct termios *b)
{
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

/* Add to what is written at once: a shell that has seen us die writes soon after. */
static void add(char *out, size_t size, const char *text)
{
    size_t at = strlen(out), n = strlen(text);
    if (at + n < size)
        memcpy(out + at, text, n + 1);
}

/* What is written, that is; on a dumb terminal nothing was. */
static void show_again(const struct rf_tty_kept *k, bool is_ours)
{
    char text[128] = "";
    if (k->plain)
        return;
    if (k->writing)
        add(text, sizeof text, END_STRING);
    if (k->links)
        add(text, sizeof text, END_LINK);
    add(text, sizeof text, SHOW_AGAIN);
    if (k->alternate)
        add(text, sizeof text, MAIN_SCREEN);
    if (is_ours)
        add(text, sizeof text, k->alternate ? NO_BRACKETS : NO_BRACKETS NEXT_LINE);
    write_text(k->fd, text);
}

/* Setting modes from the background would stop us: not in here. */
static void put_back(struct rf_tty_kept *k)
{
    struct termios now;
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    bool is_ours = tcgetattr(k->fd, &now) == 0 && are_same(&now, &k->raw);
    show_again(k, is_ours);
    if (is_ours)
        tcsetattr(k->fd, TCSANOW, &k->before);
    k->ours = k->alternate = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void rf_tty_put_back(void)
{
    int error = errno;
    if (rf_tty_kept && rf_tty_kept->ours && rf_tty_kept->owner == getpid())
        put_back(rf_tty_kept);
    errno = error;
}

static void close_others(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
        return;
#endif
    for (int fd = first; fd < MOST_DESCRIPTORS; fd++)
        close(fd);
}

/* The guard: `end` is the pipe that ends with the program. */
static _Noreturn void guard(struct rf_tty_kept *k, int end)
{
    sigset_t all;
    char byte;
    ssize_t n;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    int pipe_end = fcntl(end, F_DUPFD, 3), tty = fcntl(k->fd, F_DUPFD, 3);
    if (pipe_end < 0 || tty < 0)
        _exit(1);
    dup2(pipe_end, 0);
    dup2(tty, 1);
    close_others(2);
    do
        n = read(0, &byte, 1);
    while (n > 0 || (n < 0 && errno == EINTR));
    k->fd = 1;
    if (k->ours)
        put_back(k);
    _exit(0);
}

static int guarded_fork(struct rf_tty *t)
{
    if (pipe2(t->guard, O_CLOEXEC) != 0) {
        t->guard[0] = t->guard[1] = -1;
        return -1;
    }
    int pid = fork();
    if (pid == 0) {
        close(t->guard[1]);
        guard(rf_tty_kept, t->guard[0]);
    }
    close(t->guard[0]);
    t->guard[0] = -1;
    return pid;
}

void rf_tty_guard_start(struct rf_tty *t)
{
    if (rf_tty_kept)
        return;
    void *shared =
        mmap(NULL, sizeof *rf_tty_kept, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    rf_tty_kept = shared;
    rf_tty_kept->fd = t->out;
    rf_tty_kept->owner = getpid();
    rf_tty_kept->plain = t->theme.plain;
    rf_tty_kept->links = t->theme.links;
    t->guard_pid = guarded_fork(t);
}

void rf_tty_guard_end(struct rf_tty *t)
{
    if (!rf_tty_kept)
        return;
    rf_tty_kept->ours = 0;
    if (t->guard[1] >= 0)
        close(t->guard[1]);
    t->guard[1] = -1;
    while (t->guard_pid > 0 && waitpid((pid_t)t->guard_pid, NULL, 0) < 0 && errno == EINTR)
        ;
    t->guard_pid = 0;
    munmap(rf_tty_kept, sizeof *rf_tty_kept);
    rf_tty_kept = NULL;
}
