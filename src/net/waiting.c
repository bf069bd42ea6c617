#include "net/waiting.h"

#include "base/clock.h"
#include <poll.h>
#include <sys/random.h>

#define FIRST_WAIT_MS 1000 /* after a refusal that names no time; doubled each time */
#define FIRST_REACH_MS 250 /* after a connection that could not be made */
#define LONGEST_WAIT_MS (60 * 1000)
#define LONGEST_SLEEP_MS 60000
#define SPREAD_MS 250 /* jitter on top of a time that the server named, and a tenth of it */

enum rf_code rf_net_rest(int64_t ms, int cancel_fd, struct rf_err *err)
{
    int64_t until = rf_now_ms() + ms;
    for (int64_t left = ms; left > 0; left = until - rf_now_ms()) {
        struct pollfd fd = { .fd = cancel_fd, .events = POLLIN };
        if (poll(&fd, 1, left < LONGEST_SLEEP_MS ? (int)left : LONGEST_SLEEP_MS) > 0)
            return rf_fail(err, RF_EINTERRUPTED, "the call was stopped");
    }
    return RF_OK;
}

bool rf_refusal_passes(const struct rf_refusal *r)
{
    bool busy = r->kind == RF_ERROR_RATE_LIMIT || r->kind == RF_ERROR_OVERLOADED;
    bool heard = r->status == 200 || r->status == 429 || r->status >= 500;
    bool gateway = r->status == 502 || r->status == 503 || r->status == 504;
    return !r->lasting &&
           ((busy && heard) || (gateway && (r->foreign || r->kind == RF_ERROR_OTHER)));
}

/* From 0 to `most`. */
static int64_t random_to(int64_t most)
{
    uint32_t n = 0;
    if (most <= 0 || getrandom(&n, sizeof n, GRND_NONBLOCK) != sizeof n)
        return 0;
    return (int64_t)(n % (uint64_t)(most + 1));
}

/* Doubled at each try, and then between a half and all of it more or less. */
static int64_t growing(int64_t first, int tries)
{
    int64_t wait = first;
    for (int i = 1; i < tries && wait < LONGEST_WAIT_MS; i++)
        wait *= 2;
    if (wait > LONGEST_WAIT_MS)
        wait = LONGEST_WAIT_MS;
    return wait / 2 + random_to(wait);
}

int64_t rf_wait_after_refusal(const struct rf_refusal *r, int tries)
{
    if (r->retry_after_ms > 0)
        return r->retry_after_ms + random_to(r->retry_after_ms / 10 + SPREAD_MS);
    return growing(FIRST_WAIT_MS, tries);
}

int64_t rf_wait_to_reach(int tries)
{
    return growing(FIRST_REACH_MS, tries);
}
