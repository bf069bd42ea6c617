#include "net/waiting.h"

#include "base/arena.h"
#include "base/json_read.h"
#include "content/reply.h"
#include "wire/wire.h"

#include <poll.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_WAIT_MS 1000 /* after a refusal that names no time; doubled each time */
#define FIRST_REACH_MS 250 /* after a connection that could not be made */
#define LONGEST_WAIT_MS (60 * 1000)
#define LONGEST_SLEEP_MS 60000
#define SPREAD_MS 250 /* jitter on top of a time that the server named, and a tenth of it */

/* Rate limits that time does not lift. */
static const char *const for_good[] = { "insufficient_quota", "billing_hard_limit_reached" };

int64_t rf_net_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

enum rf_code rf_net_rest(int64_t ms, int cancel_fd, struct rf_err *err)
{
    int64_t until = rf_net_now() + ms;
    for (int64_t left = ms; left > 0; left = until - rf_net_now()) {
        struct pollfd fd = { .fd = cancel_fd, .events = POLLIN };
        if (poll(&fd, 1, left < LONGEST_SLEEP_MS ? (int)left : LONGEST_SLEEP_MS) > 0)
            return rf_fail(err, RF_EINTERRUPTED, "the call was stopped");
    }
    return RF_OK;
}

void rf_rebuff_read(struct rf_rebuff *r, struct rf_str dialect, struct rf_str body,
                    struct rf_arena *a)
{
    const struct rf_dialect *d = rf_dialect_find(dialect);
    const struct rf_jval *root;
    struct rf_reply reply;
    rf_reply_init(&reply, a);
    if (d && !rf_jval_parse(body, a, &root, NULL)) {
        bool list_of_one = root->type == RF_JARRAY && root->count == 1;
        d->decode(list_of_one ? rf_jval_at(root, 0) : root, &reply);
    }
    r->code = reply.error.code;
    r->message = reply.error.message;
    r->kind = rf_wire_error_kind(r->status, r->code, r->message);
    if (r->retry_after_ms < 0)
        r->retry_after_ms = reply.error.retry_after_ms;
}

bool rf_rebuff_passes(const struct rf_rebuff *r)
{
    for (size_t i = 0; i < sizeof for_good / sizeof *for_good; i++)
        if (rf_str_ieq(r->code, rf_str(for_good[i])))
            return false;
    bool gateway = r->status == 502 || r->status == 503 || r->status == 504;
    bool busy = r->kind == RF_ERROR_RATE_LIMIT || r->kind == RF_ERROR_OVERLOADED;
    return (busy && (r->status == 429 || r->status >= 500)) ||
           (gateway && r->kind == RF_ERROR_OTHER);
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

int64_t rf_wait_after_rebuff(const struct rf_rebuff *r, int tries)
{
    if (r->retry_after_ms > 0)
        return r->retry_after_ms + random_to(r->retry_after_ms / 10 + SPREAD_MS);
    return growing(FIRST_WAIT_MS, tries);
}

int64_t rf_wait_to_reach(int tries)
{
    return growing(FIRST_REACH_MS, tries);
}
