/* Each program is run without a shell, for a few seconds at most, and writes at most 50 MiB. What
 * it writes for a picture is taken where it is a PNG. Those that go on serving what was put there
 * do so by themselves. */
#include "clipboard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <refract/refract.h>

#define MOST_MS 3000
#define MOST_BYTES ((size_t)50 << 20)

#define MOST_ARGUMENTS 7

/* The way of each desktop, the likeliest first; tried where its variable is set (NULL: always). */
static const struct {
    const char *variable;
    const char *picture[MOST_ARGUMENTS], *text[MOST_ARGUMENTS], *put[MOST_ARGUMENTS];
} ways[] = {
    { "WAYLAND_DISPLAY",
      { "wl-paste", "--no-newline", "--type", "image/png", NULL },
      { "wl-paste", "--no-newline", "--type", "text", NULL },
      { "wl-copy", NULL } },
    { "DISPLAY",
      { "xclip", "-selection", "clipboard", "-t", "image/png", "-o", NULL },
      { "xclip", "-selection", "clipboard", "-t", "UTF8_STRING", "-o", NULL },
      { "xclip", "-selection", "clipboard", NULL } },
    { NULL, { "pngpaste", "-", NULL }, { "pbpaste", NULL }, { "pbcopy", NULL } },
};

static bool is_there(size_t way)
{
    const char *value = ways[way].variable ? getenv(ways[way].variable) : "here";
    return value && *value;
}

/* Start it with its input (0) or its output (1) in a pipe. Returns the other end, or -1. */
static int start(const char *const *way, int piped, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    int ends[2];
    char *arguments[MOST_ARGUMENTS];
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        arguments[i] = (char *)(uintptr_t)way[i];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&files);
    for (int fd = 0; fd < 3; fd++)
        if (fd != piped)
            posix_spawn_file_actions_addopen(&files, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[piped], piped);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    char **environment = rf_program_environment(RF_PROGRAM_DESKTOP, NULL, 0);
    int rc = posix_spawnp(pid, arguments[0], &files, &how, arguments, environment);
    free(environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    close(ends[piped]);
    if (rc == 0)
        return ends[!piped];
    close(ends[!piped]);
    return -1;
}

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* All that it writes in time; nothing where that is too much. */
static void read_all(int fd, struct rf_buffer *out)
{
    long long end = now_ms() + MOST_MS;
    char piece[65536];
    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        long long left = end - now_ms();
        if (left <= 0 || poll(&p, 1, (int)left) <= 0)
            break;
        ssize_t n = read(fd, piece, sizeof piece);
        if (n == 0)
            return;
        if (n < 0 || out->n + (size_t)n > MOST_BYTES)
            break;
        rf_buffer_add(out, piece, (size_t)n);
    }
    rf_buffer_release(out);
}

static bool is_png(const struct rf_buffer *b)
{
    return b->n > 8 && memcmp(b->p, "\x89PNG\r\n\x1a\n", 8) == 0;
}

bool rf_clipboard_take(enum rf_clipboard what, struct rf_buffer *out)
{
    bool asked = false, got = false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !got; i++) {
        pid_t pid;
        int fd = is_there(i)
                     ? start(what == RF_CLIPBOARD_PICTURE ? ways[i].picture : ways[i].text, 1, &pid)
                     : -1;
        if (fd < 0)
            continue;
        asked = true;
        read_all(fd, out);
        close(fd);
        kill(pid, SIGKILL); /* one that has not ended by now may not heed anything less */
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        got = what == RF_CLIPBOARD_PICTURE ? is_png(out) : out->n > 0;
        if (!got)
            rf_buffer_release(out);
    }
    return asked;
}

/* False where it does not take all of it in time. */
static bool write_all(int fd, struct rf_str text, long long end)
{
    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (text.n) {
        struct pollfd p = { .fd = fd, .events = POLLOUT };
        long long left = end - now_ms();
        if (left <= 0 || poll(&p, 1, (int)left) <= 0)
            return false;
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        n = n > 0 ? n : 0;
        text = (struct rf_str){ text.p + n, text.n - (size_t)n };
    }
    return true;
}

/* Did it end well in time? One that did not is ended. */
static bool ended_well(pid_t pid, long long end)
{
    int status = -1;
    pid_t got;
    while ((got = waitpid(pid, &status, WNOHANG)) == 0 && now_ms() < end)
        poll(NULL, 0, 5);
    if (got == 0) {
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
        return false;
    }
    return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool put_by(size_t way, struct rf_str text)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction before;
    long long end = now_ms() + MOST_MS;
    pid_t pid;
    int fd = is_there(way) ? start(ways[way].put, 0, &pid) : -1;
    if (fd < 0)
        return false;
    sigaction(SIGPIPE, &ignore, &before);
    bool written = write_all(fd, text, end);
    close(fd);
    sigaction(SIGPIPE, &before, NULL);
    return ended_well(pid, end) && written;
}

bool rf_clipboard_put(struct rf_str text)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (put_by(i, text))
            return true;
    return false;
}
