#include "config/learned_recent.h"

#include "base/arena.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>

#define PAUSE_MS 5000 /* after a store could not be reached */

/* Of one store: a process has more than one only after its configuration has changed. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t done;
    char *address, *text; /* or NULL */
    size_t length;
    struct rf_err problem;
    bool known, reading; /* it was read, or that failed; it is being read */
    int64_t until_ms;    /* it is not tried before; 0: at once */
} recent = { .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER };

/* These hold the lock. */

static bool is_of(struct rf_str address)
{
    return recent.address && rf_str_is(address, recent.address);
}

static void replace(char **old, struct rf_str by)
{
    free(*old);
    *old = strndup(by.n ? by.p : "", by.n);
    if (!*old)
        RF_NO_MEMORY();
}

static void begin_with(struct rf_str address)
{
    replace(&recent.address, address);
    replace(&recent.text, RF_STR(""));
    recent.length = 0;
    recent.problem = (struct rf_err){ 0 };
    recent.known = recent.reading = false;
    recent.until_ms = 0;
}

bool rf_recent_take(struct rf_str address, struct rf_arena *a, struct rf_str *text,
                    struct rf_err *problem)
{
    pthread_mutex_lock(&recent.lock);
    if (!is_of(address))
        begin_with(address);
    while (is_of(address) && recent.reading && !recent.known)
        pthread_cond_wait(&recent.done, &recent.lock);
    bool same = is_of(address); /* it may have become another's meanwhile */
    bool has = same && recent.known && (recent.reading || rf_now_ms() < recent.until_ms);
    if (has) {
        *text = rf_str_dup(a, (struct rf_str){ recent.text, recent.length });
        *problem = recent.problem;
    } else if (same) {
        recent.reading = true;
    }
    pthread_mutex_unlock(&recent.lock);
    return has;
}

void rf_recent_put(struct rf_str address, struct rf_str text, const struct rf_err *why)
{
    pthread_mutex_lock(&recent.lock);
    if (is_of(address)) {
        recent.reading = false;
        recent.until_ms = why ? rf_now_ms() + PAUSE_MS : 0;
        if (!why) {
            replace(&recent.text, text);
            recent.length = text.n;
            recent.problem = (struct rf_err){ 0 };
        } else if (!recent.known || recent.problem.code) {
            recent.problem = *why;
        }
        recent.known = true;
    }
    pthread_cond_broadcast(&recent.done);
    pthread_mutex_unlock(&recent.lock);
}
