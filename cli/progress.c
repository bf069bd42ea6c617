/* The line is drawn by a thread of its own, since the library's long calls do not come back in between.
 * It only looks at the clock and at the position in the file. */
#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

#define FIRST_MS 500
#define EVERY_MS 200
#define LINE_WIDTH 60

static void add_ms(struct timespec *t, long ms)
{
    t->tv_nsec += ms * 1000000;
    t->tv_sec += t->tv_nsec / 1000000000;
    t->tv_nsec %= 1000000000;
}

/* Bytes that are behind in a file, and all there are of one that is read; false for anything else. */
static bool place_in_file(int fd, int64_t *done, int64_t *all)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    *done = lseek(fd, 0, SEEK_CUR);
    *all = st.st_size;
    return *done > 0;
}

static void draw(struct rf_progress *p, const struct timespec *now)
{
    char line[LINE_WIDTH + 1], first[RF_SHORT_TEXT], second[RF_SHORT_TEXT];
    int64_t done, all;
    long long seconds = (long long)(now->tv_sec - p->begun.tv_sec);
    if (!place_in_file(p->fd, &done, &all))
        snprintf(line, sizeof line, "%s: %lld s", p->what, seconds);
    else if (done < all)
        snprintf(line, sizeof line, "%s: %s of %s", p->what, rf_size_text(done, first),
                 rf_size_text(all, second));
    else
        snprintf(line, sizeof line, "%s: %s", p->what, rf_size_text(done, first));
    fprintf(stderr, "\r%-*s", LINE_WIDTH, line);
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

void rf_progress_begin(struct rf_progress *p, const char *what, int fd)
{
    pthread_condattr_t attributes;
    *p = (struct rf_progress){ .what = what, .fd = fd };
    if (!isatty(STDERR_FILENO))
        return;
    clock_gettime(CLOCK_MONOTONIC, &p->begun);
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    p->runs = pthread_create(&p->thread, NULL, run, p) == 0;
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
        fprintf(stderr, "\r%*s\r", LINE_WIDTH, "");
    p->runs = false;
}
