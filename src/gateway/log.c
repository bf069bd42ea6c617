#include "gateway/log.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MS 100        /* for a reader that stalls, before the thread looks around */
#define LAST_WORDS_MS 1000 /* for all that waits at the end */

static char *copy_of(const char *path)
{
    char *copy = path ? strdup(path) : NULL;
    if (path && !copy)
        RF_NO_MEMORY();
    return copy;
}

static enum rf_code open_file(const char *path, int *out, struct rf_err *err)
{
    *out = STDERR_FILENO;
    if (!path)
        return RF_OK;
    *out = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                0640); /* a FIFO without a reader fails */
    if (*out >= 0)
        return RF_OK;
    rf_fail_errno(err, "could not open the log \"%s\"", path);
    rf_hint(err, "Check \"log\" in the section \"serve\" of the configuration.");
    return RF_EIO;
}

/* Does it end in the middle of a line? Its disk may be full, and who wrote to it may have been
 * killed. */
static bool is_torn(const char *path)
{
    struct stat st;
    char last = '\n';
    if (!path || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || !st.st_size)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    (void)!pread(fd, &last, 1, st.st_size - 1);
    close(fd);
    return last != '\n';
}

/* A pipe that can be written takes PIPE_BUF bytes at once: no write blocks. Returns how many bytes
 * were not written: the disk is full, or the reader gone. */
static size_t write_all(struct rf_log *l, const char *p, size_t n)
{
    while (n) {
        struct pollfd out = { .fd = l->fd, .events = POLLOUT };
        if (poll(&out, 1, WAIT_MS) > 0) {
            ssize_t wrote = write(l->fd, p, n < PIPE_BUF ? n : PIPE_BUF);
            if (wrote < 0 && errno != EINTR && errno != EAGAIN)
                return n;
            p += wrote > 0 ? wrote : 0;
            n -= wrote > 0 ? (size_t)wrote : 0;
            if (wrote > 0)
                l->torn = p[-1] != '\n';
        } else if (rf_queue_is_ending(&l->queue)) {
            l->until_ms = l->until_ms ? l->until_ms : rf_now_ms() + LAST_WORDS_MS;
            if (rf_now_ms() > l->until_ms)
                return n;
        }
    }
    return 0;
}

/* What was torn off before stays a line of its own. Returns how many lines were not written. */
static uint64_t write_lines(struct rf_log *l, const char *p, size_t n)
{
    uint64_t lost = 0;
    if (!n)
        return 0;
    size_t left = l->torn && write_all(l, "\n", 1) ? n : write_all(l, p, n);
    for (size_t i = n - left; i < n; i++)
        lost += p[i] == '\n';
    return lost;
}

static void take_fd(struct rf_log *l)
{
    int fd = -1;
    pthread_mutex_lock(&l->lock);
    bool good = l->reopen && !open_file(l->path, &fd, NULL); /* rf_log_reopen has tried it */
    bool torn = good && is_torn(l->path);
    l->reopen = false;
    pthread_mutex_unlock(&l->lock);
    if (!good)
        return;
    if (l->fd != STDERR_FILENO)
        close(l->fd);
    l->fd = fd;
    l->torn = torn;
}

static bool say_left_out(struct rf_log *l, uint64_t count)
{
    char line[80];
    int n = snprintf(line, sizeof line, "{\"left_out\":%" PRIu64 "}\n", count);
    return !write_lines(l, line, (size_t)n);
}

static void *run(void *ctx)
{
    struct rf_log *l = ctx;
    struct rf_lines lines = { 0 };
    uint64_t untold = 0;
    bool over = false;
    while (!over) {
        untold += rf_queue_take(&l->queue, &lines);
        take_fd(l);
        uint64_t lost = write_lines(l, lines.p, lines.n);
        l->queue.all_left_out += lost;
        untold += lost;
        if (untold && say_left_out(l, untold))
            untold = 0;
        over = !lines.n && rf_queue_is_ending(&l->queue);
    }
    free(lines.p);
    return NULL;
}

static void release(struct rf_log *l)
{
    if (l->fd != STDERR_FILENO)
        close(l->fd);
    pthread_mutex_destroy(&l->lock);
    free(l->path);
}

enum rf_code rf_log_open(struct rf_log *l, const char *path, struct rf_err *err)
{
    int fd;
    enum rf_code rc = open_file(path, &fd, err);
    if (rc)
        return rc;
    *l = (struct rf_log){ .fd = fd, .path = copy_of(path), .torn = is_torn(path) };
    pthread_mutex_init(&l->lock, NULL);
    rc = rf_queue_start(&l->queue, RF_LOG_MOST, run, l, err);
    if (rc)
        release(l);
    return rc;
}

void rf_log_add(struct rf_log *l, struct rf_str line)
{
    rf_queue_add(&l->queue, line, '\n');
}

enum rf_code rf_log_reopen(struct rf_log *l, const char *path, struct rf_err *err)
{
    int fd;
    enum rf_code rc = open_file(path, &fd, err);
    if (rc)
        return rc;
    if (fd != STDERR_FILENO)
        close(fd);
    pthread_mutex_lock(&l->lock);
    free(l->path);
    l->path = copy_of(path);
    l->reopen = true;
    pthread_mutex_unlock(&l->lock);
    rf_queue_wake(&l->queue);
    return RF_OK;
}

void rf_log_close(struct rf_log *l)
{
    rf_queue_end(&l->queue);
    release(l);
}
