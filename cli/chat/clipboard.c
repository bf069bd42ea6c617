/* Ctrl-V: the picture in the clipboard, through whichever program of the desktop gives it. It is
 * run without a shell, for a few seconds at most, and what it writes becomes a private file that
 * lives as long as the chat; the session keeps its own copy once it was sent. */
#include "chat/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report.h"

#define MOST_MS 3000
#define MOST_BYTES ((size_t)50 << 20)

/* The way of each desktop, the likeliest first; tried where its variable is set (NULL: always). */
static const struct {
    const char *variable;
    const char *arguments[7];
} ways[] = {
    { "WAYLAND_DISPLAY", { "wl-paste", "--no-newline", "--type", "image/png", NULL } },
    { "DISPLAY", { "xclip", "-selection", "clipboard", "-t", "image/png", "-o", NULL } },
    { NULL, { "pngpaste", "-", NULL } },
};

static bool is_there(size_t way)
{
    const char *value = ways[way].variable ? getenv(ways[way].variable) : "here";
    return value && *value;
}

/* Start it with its output in a pipe. Returns the end to read from, or -1. */
static int start(size_t way, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    int ends[2];
    char *arguments[7];
    for (size_t i = 0; i < 7; i++)
        arguments[i] = (char *)(uintptr_t)ways[way].arguments[i];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    char **environment = rf_program_environment(RF_PROGRAM_DESKTOP, NULL, 0);
    int rc = posix_spawnp(pid, arguments[0], &files, &how, arguments, environment);
    free(environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    close(ends[1]);
    if (rc == 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* All that it writes in time; nothing where that is too much. */
static void read_all(int fd, struct rf_buffer *out)
{
    long long end = rf_chat_now_ms() + MOST_MS;
    char piece[65536];
    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        long long left = end - rf_chat_now_ms();
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

/* False where no program for it is installed. */
static bool take_picture(struct rf_buffer *out)
{
    bool asked = false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !is_png(out); i++) {
        pid_t pid;
        int fd = is_there(i) ? start(i, &pid) : -1;
        if (fd < 0)
            continue;
        asked = true;
        rf_buffer_release(out);
        read_all(fd, out);
        close(fd);
        kill(pid, SIGKILL); /* one that has not ended by now may not heed anything less */
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return asked;
}

/* Keeping */

static bool write_file(const char *path, const struct rf_buffer *b)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t done = 0;
    while (fd >= 0 && done < b->n) {
        ssize_t n = write(fd, b->p + done, b->n - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    return fd >= 0 && close(fd) == 0 && done == b->n;
}

static void file_name(const struct rf_chat *c, size_t number, struct rf_buffer *out)
{
    rf_buffer_reset(out);
    rf_buffer_print(out, "%s/clipboard-%zu.png", c->clipboard.path, number);
    rf_buffer_add(out, "", 1);
}

struct pasting {
    struct rf_buffer bytes;
    bool asked;
};

static void paste(struct rf_chat *c, void *ctx)
{
    struct pasting *p = ctx;
    (void)c;
    p->asked = take_picture(&p->bytes);
}

static bool make_file(struct rf_chat *c, const struct rf_buffer *bytes, struct rf_buffer *path,
                      struct rf_err *err)
{
    if (!c->clipboard.path[0] && rf_temporary_make(&c->clipboard, err))
        return false;
    file_name(c, c->clipboard_count + 1, path);
    if (write_file(path->p, bytes))
        return true;
    rf_say(err, RF_EIO, "could not keep the picture: %s", strerror(errno));
    rf_say_hint(err, "Set TMPDIR to a folder that has room for it.");
    return false;
}

static void keep(struct rf_chat *c, const struct rf_buffer *bytes)
{
    struct rf_buffer path = { 0 };
    struct rf_err err;
    if (make_file(c, bytes, &path, &err)) {
        c->clipboard_count++;
        rf_chat_attach(c, path.p);
    } else {
        rf_chat_error(c, &err);
    }
    rf_buffer_release(&path);
}

void rf_chat_paste_picture(struct rf_chat *c)
{
    struct pasting p = { .asked = false };
    if (rf_chat_is_busy(c)) {
        rf_chat_say(c, RF_STYLE_DIM, "the clipboard can be taken when this is done");
        return;
    }
    rf_chat_work_here(c, "asking for the clipboard", paste, &p);
    if (is_png(&p.bytes))
        keep(c, &p.bytes);
    else if (p.asked)
        rf_chat_say(c, RF_STYLE_DIM, "there is no picture in the clipboard");
    else
        rf_chat_say(c, RF_STYLE_DIM,
                    "no program gives the clipboard here: install wl-clipboard, xclip or pngpaste");
    rf_buffer_release(&p.bytes);
}

void rf_chat_clipboard_close(struct rf_chat *c)
{
    rf_temporary_remove(&c->clipboard);
}
