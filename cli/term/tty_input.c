/* What is typed, and everything else that a program on a terminal waits for.
 *
 * Bytes are read as they come, answers are taken out, and the rest is kept until somebody wants it;
 * at most MOST_TYPED of it: then nothing more is read until some is gone.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "term/tty_inside.h"

#define MOST_TYPED ((size_t)1 << 20)
#define MOST_TAKEN ((size_t)1 << 18)
#define SILENT_MS 2000 /* one that has not answered by then does not */

long long rf_tty_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What the terminal has told becomes what everybody sees. */
static void note_answers(struct rf_tty *t)
{
    const struct rf_answers *a = &t->answers;
    t->kitty = a->kitty;
    t->iterm = a->iterm;
    t->reflows = a->reflows;
    t->sixel = a->sixel;
    if (a->background)
        t->theme.light = a->light;
    if (a->cell_width) {
        t->cell_width = a->cell_width;
        t->cell_height = a->cell_height;
    }
}

static void read_bytes(struct rf_tty *t)
{
    char bytes[4096];
    ssize_t n = read(t->in, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
        t->gone = true;
    if (n > 0)
        rf_answers_add(&t->answers, (struct rf_str){ bytes, (size_t)n }, rf_tty_now_ms(),
                       &t->typed);
}

/* Wakes that are in the pipe. */
static bool is_woken(struct rf_tty *t)
{
    char bytes[256];
    bool woken = false;
    ssize_t n;
    while ((n = read(t->wake[0], bytes, sizeof bytes)) > 0)
        woken = woken || memchr(bytes, 'w', (size_t)n);
    return woken;
}

/* True where rf_tty_wake was called. */
static bool take(struct rf_tty *t, int timeout_ms)
{
    bool is_full = t->typed.n - t->taken >= MOST_TYPED;
    struct pollfd p[2] = { { .fd = t->gone || is_full ? -1 : t->in, .events = POLLIN },
                           { .fd = t->wake[0], .events = POLLIN } };
    bool woken = false;
    if (poll(p, 2, timeout_ms) > 0) {
        woken = (p[1].revents & POLLIN) && is_woken(t);
        if (p[0].revents & POLLIN)
            read_bytes(t);
        else if (p[0].revents)
            t->gone = true;
    }
    rf_answers_idle(&t->answers, rf_tty_now_ms(), &t->typed);
    note_answers(t);
    return woken;
}

void rf_tty_take(struct rf_tty *t, int timeout_ms)
{
    if (take(t, timeout_ms))
        rf_tty_wake(t);
}

/* What signals have left behind. */
static int signalled(struct rf_tty *t)
{
    int events = 0;
    if (rf_tty_signals.stopped) {
        rf_tty_signals.stopped = 0;
        rf_tty_suspend(t);
    }
    if (rf_tty_signals.continued) {
        rf_tty_signals.continued = 0;
        rf_tty_raw_again(t);
    }
    if (rf_tty_signals.resized) {
        rf_tty_signals.resized = 0;
        rf_tty_measure(t);
        events |= RF_TTY_RESIZED;
    }
    if (t->continued)
        events |= RF_TTY_CONTINUED;
    t->continued = false;
    return events;
}

static int told(struct rf_tty *t)
{
    bool is_silent = t->answers.asked && rf_tty_now_ms() - t->asked_ms >= SILENT_MS;
    bool was_answered = t->answered;
    t->answered = t->answered || t->answers.done || is_silent;
    if (t->changes == t->answers.changes && t->answered == was_answered)
        return 0;
    t->changes = t->answers.changes;
    return RF_TTY_ANSWERED;
}

static int happened(struct rf_tty *t)
{
    int events = signalled(t) | told(t);
    if (t->typed.n > t->taken || rf_tty_signals.interrupted)
        events |= RF_TTY_TYPED;
    if (t->gone || rf_tty_signals.ended_by)
        events |= RF_TTY_ENDED;
    return events;
}

/* The shorter of two waits, of which -1 is forever. */
static int shorter(int a, int b)
{
    return a < 0 ? b : b < 0 || a < b ? a : b;
}

/* Until the next thing happens by itself: a byte that was held is given, a silent terminal is given
 * up. */
static int until_due(const struct rf_tty *t, long long now)
{
    int held = rf_answers_due(&t->answers, now), silent = -1;
    if (t->answers.asked && !t->answered)
        silent = t->asked_ms + SILENT_MS > now ? (int)(t->asked_ms + SILENT_MS - now) : 0;
    return shorter(held, silent);
}

int rf_tty_wait(struct rf_tty *t, int timeout_ms)
{
    long long now = rf_tty_now_ms(), end = now + timeout_ms;
    for (bool first = true;; first = false) {
        int events = happened(t), left = timeout_ms < 0 ? -1 : now < end ? (int)(end - now) : 0;
        /* Once even where something has happened: what is typed and who wakes are heard all the
         * same. */
        if (!first && (events || left == 0))
            return events;
        if (take(t, events ? 0 : shorter(left, until_due(t, now))))
            events |= RF_TTY_WOKEN;
        if (events)
            return events | happened(t);
        now = rf_tty_now_ms();
    }
}

/* Now and then, so that reading byte by byte does not move everything each time. */
static void forget_taken(struct rf_tty *t)
{
    size_t left = t->typed.n - t->taken;
    if (left && t->taken < MOST_TAKEN)
        return;
    if (left)
        memmove(t->typed.p, t->typed.p + t->taken, left);
    t->typed.n = left;
    t->taken = 0;
    if (!left)
        rf_buffer_reset(&t->typed);
}

size_t rf_tty_read(struct rf_tty *t, char *out, size_t size)
{
    if (rf_tty_signals.interrupted && size) {
        rf_tty_signals.interrupted = 0;
        out[0] = '\003';
        return 1;
    }
    if (t->typed.n == t->taken)
        rf_tty_take(t, 0);
    size_t n = t->typed.n - t->taken < size ? t->typed.n - t->taken : size;
    if (n)
        memcpy(out, t->typed.p + t->taken, n);
    t->taken += n;
    forget_taken(t);
    return n;
}

void rf_tty_wake(struct rf_tty *t)
{
    int error = errno;
    ssize_t ignored = write(t->wake[1], "w", 1);
    (void)ignored; /* a pipe that is full wakes as well */
    errno = error;
}
