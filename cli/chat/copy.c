/* Text into the clipboard: by whichever program of the desktop takes it, and through the terminal
 * (OSC 52), which reaches the desktop of somebody who is here over the network, where the terminal
 * allows it. A program runs without a shell, for a few seconds at most; those that go on serving
 * the clipboard do so by themselves. */
#include "chat/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_MS 3000

static const struct {
    const char *variable; /* of the desktop; NULL: always */
    const char *arguments[4];
} ways[] = {
    { "WAYLAND_DISPLAY", { "wl-copy", NULL } },
    { "DISPLAY", { "xclip", "-selection", "clipboard", NULL } },
    { NULL, { "pbcopy", NULL } },
};

/* Start it with its input in a pipe. Returns the end to write to, or -1. */
static int start(size_t way, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    int ends[2];
    char *arguments[4];
    for (size_t i = 0; i < 4; i++)
        arguments[i] = (char *)(uintptr_t)ways[way].arguments[i];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[0], 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    char **environment = rf_program_environment(RF_PROGRAM_DESKTOP, NULL, 0);
    int rc = posix_spawnp(pid, arguments[0], &files, &how, arguments, environment);
    free(environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    close(ends[0]);
    if (rc == 0)
        return ends[1];
    close(ends[1]);
    return -1;
}

/* False where it does not take all of it in time. */
static bool write_all(int fd, struct rf_str text, long long end)
{
    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (text.n) {
        struct pollfd p = { .fd = fd, .events = POLLOUT };
        long long left = end - rf_chat_now_ms();
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
    while ((got = waitpid(pid, &status, WNOHANG)) == 0 && rf_chat_now_ms() < end)
        poll(NULL, 0, 5);
    if (got == 0) {
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
        return false;
    }
    return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool copy_by(size_t way, struct rf_str text)
{
    const char *value = ways[way].variable ? getenv(ways[way].variable) : "here";
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction before;
    long long end = rf_chat_now_ms() + MOST_MS;
    pid_t pid;
    int fd = value && *value ? start(way, &pid) : -1;
    if (fd < 0)
        return false;
    sigaction(SIGPIPE, &ignore, &before);
    bool written = write_all(fd, text, end);
    close(fd);
    sigaction(SIGPIPE, &before, NULL);
    return ended_well(pid, end) && written;
}

enum rf_chat_copied rf_chat_copy(struct rf_chat *c, struct rf_str text)
{
    enum rf_chat_copied copied = RF_CHAT_COPIED_NOWHERE;
    if (!c->plain && rf_tty_copy(&c->tty, text))
        copied = RF_CHAT_COPIED_TERMINAL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (copy_by(i, text))
            return RF_CHAT_COPIED;
    return copied;
}
