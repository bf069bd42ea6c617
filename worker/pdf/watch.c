/* SIGXCPU comes when the soft limit on processor time is reached; the frame arms that limit for the
 * ask, and here it is drawn nearer for a page. The handler runs in the middle of a library, so it
 * takes no memory and returns to nothing. */
#include "worker/pdf/watch.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct {
    bool started;
    volatile sig_atomic_t working;
    struct rf_answer *to;
    int page, done;
    rlim_t whole; /* the limit of the ask */
} watch;

static void time_is_up(int number)
{
    static const struct rf_frame_head done = { RF_FRAME_DONE, 0 };

    (void)number;
    if (!watch.working)
        return;
    if (!watch.done) {
        rf_answer_fail(watch.to, RF_ELIMIT, "Leave that page out.",
                       "page %d takes longer than %d seconds to work out", watch.page,
                       RF_PAGE_CPU_SECONDS);
        _exit(0);
    }
    rf_answer_note(watch.to,
                   "page %d takes longer than %d seconds to work out; it and the pages after it "
                   "were left out",
                   watch.page, RF_PAGE_CPU_SECONDS);
    rf_answer_step(watch.to, watch.done, watch.done); /* sends what is held */
    (void)!send(watch.to->socket, &done, sizeof done, MSG_NOSIGNAL);
    /* Before the rest of this process, which takes longer: nothing more is to be asked of it. */
    close(watch.to->socket);
    _exit(0);
}

void rf_watch_start(void)
{
    struct sigaction action = { .sa_handler = time_is_up };

    sigemptyset(&action.sa_mask);
    watch.started = sigaction(SIGXCPU, &action, NULL) == 0;
}

void rf_watch_begin(struct rf_answer *to, int page, int done)
{
    struct timespec used;
    struct rlimit limit;

    if (!watch.started || getrlimit(RLIMIT_CPU, &limit) != 0 ||
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0)
        return;
    watch.to = to;
    watch.page = page;
    watch.done = done;
    watch.whole = limit.rlim_cur;
    rlim_t near = (rlim_t)used.tv_sec + 1 + RF_PAGE_CPU_SECONDS;
    if (near < limit.rlim_cur)
        limit.rlim_cur = near;
    watch.working = 1;
    setrlimit(RLIMIT_CPU, &limit);
}

void rf_watch_end(void)
{
    struct rlimit limit;

    if (!watch.working)
        return;
    watch.working = 0;
    if (getrlimit(RLIMIT_CPU, &limit) == 0) {
        limit.rlim_cur = watch.whole;
        setrlimit(RLIMIT_CPU, &limit);
    }
}
