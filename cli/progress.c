/* The line is drawn by a thread of its own, since the library's long calls do not come back in
 * between. It only looks at the clock, at the position in the file and at what it was told. Signals
 * are not its business. */
#include "progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "text.h"

#define FIRST_MS 500
#define EVERY_MS 200
#define LINE_WIDTH 60
#define WIPE_REST "\033[K" /* also of what the terminal echoed behind it, such as ^C */

static void add_ms(struct timespec *t, long ms)
{
    t->tv_nsec += ms * 1000000;
    t->tv_sec += t->tv_nsec / 1000000000;
    t->tv_nsec %= 1000000000;
}

/* Bytes of a file that were read, and all there are of one that is read; false for anything
 * else. */
static bool place_in_file(int fd, int64_t *done, int64_t *all)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    *done = lseek(fd, 0, SEEK_CUR);
    *all = st.st_size;
    return *done > 0;
}

static int columns(void)
{
    struct winsize size;
    int most =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col - 1 : LINE_WIDTH;
    return most < LINE_WIDTH ? most : LINE_WIDTH;
}

static void draw(struct rf_progress *p, const struct timespec *now)
{
    char line[4 * LINE_WIDTH], first[RF_SHORT_TEXT], second[RF_SHORT_TEXT];
    int64_t done, all;
    long long seconds = (long long)(now->tv_sec - p->begun.tv_sec) -
                        (now->tv_nsec < p->begun.tv_nsec); /* whole ones */
    if (p->of > 0)
        snprintf(line, sizeof line, "%s: %d%%", p->what,
                 p->done < p->of ? (int)((double)p->done / (double)p->of * 100) : 100);
    else if (!place_in_file(p->fd, &done, &all))
        snprintf(line, sizeof line, "%s: %lld s", p->what, seconds);
    else if (done < all)
        snprintf(line, sizeof line, "%s: %s of %s", p->what, rf_size_text(done, first),
                 rf_size_text(all, second));
    else
        snprintf(line, sizeof line, "%s: %s", p->what, rf_size_text(done, first));
    fputc('\r', stderr);
    rf_print_cut(stderr, rf_text(line), columns());
    fputs(WIPE_REST, stderr);
    fflush(stderr);
    p->drawn = true;
}

static void *run(void *ctx)
{
    struct rf_progress *p = ctx;
    struct timespec next = p->begun;
    add_ms(&next, FIRST_MS);
    pthread_mutex_lock(&p->lock);
    while (!p->ends) {
        if (pthread_cond_timedwait(&p->changed, &p->lock, &next) != ETIMEDOUT)
            continue;
        draw(p, &next);
        add_ms(&next, EVERY_MS);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static bool is_wanted(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static bool start(struct rf_progress *p)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool runs = pthread_create(&p->thread, NULL, run, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return runs;
}

void rf_progress_begin(struct rf_progress *p, const char *what, int fd)
{
    pthread_condattr_t attributes;
    *p = (struct rf_progress){ .what = what, .fd = fd };
    if (!is_wanted())
        return;
    clock_gettime(CLOCK_MONOTONIC, &p->begun);
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    p->runs = start(p);
}

void rf_progress_at(struct rf_progress *p, int64_t done, int64_t of)
{
    if (!p->runs)
        return;
    pthread_mutex_lock(&p->lock);
    p->done = done;
    p->of = of;
    pthread_mutex_unlock(&p->lock);
}

void rf_progress_end(struct rf_progress *p)
{
    if (!p->runs)
        return;
    pthread_mutex_lock(&p->lock);
    p->ends = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    if (p->drawn)
        fputs("\r" WIPE_REST, stderr);
    p->runs = false;
}
