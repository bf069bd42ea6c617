#include "gateway/health.h"

#include "base/clock.h"
#include "base/error.h"
#include "content/refusal.h"

#include <stdlib.h>

#define MOST_PATIENTS 1024 /* clients can name any model: the oldest is forgotten */
#define FIRST_PAUSE_MS 5000
#define LONGEST_PAUSE_MS 120000
#define TRIAL_WAIT_MS 1000 /* that others are told to wait while it is found out */

struct rf_patient {
    char *name;
    struct rf_illness what;
    unsigned failures; /* in a row */
    int64_t failed_ms; /* when the last one was */
    int64_t pause_ms;  /* the last one */
    bool on_trial;     /* its pause is over, and one request asks it, for another pause at most */
};

void rf_health_init(struct rf_health *h)
{
    pthread_mutex_init(&h->lock, NULL);
    h->patients = calloc(MOST_PATIENTS, sizeof *h->patients);
    if (!h->patients)
        RF_NO_MEMORY();
    h->count = 0;
}

void rf_health_release(struct rf_health *h)
{
    for (size_t i = 0; i < h->count; i++)
        free(h->patients[i].name);
    free(h->patients);
    pthread_mutex_destroy(&h->lock);
}

/* Those below hold the lock. */

static struct rf_patient *find(struct rf_health *h, struct rf_str name)
{
    for (size_t i = 0; i < h->count; i++)
        if (rf_str_is(name, h->patients[i].name))
            return &h->patients[i];
    return NULL;
}

static void forget(struct rf_health *h, struct rf_patient *p)
{
    size_t after = h->count - 1 - (size_t)(p - h->patients);
    free(p->name);
    memmove(p, p + 1, after * sizeof *p);
    h->count--;
}

/* Who was out and may be asked again is forgotten; who has failed is not, until it works. */
static void forget_over(struct rf_health *h)
{
    int64_t now = rf_now_ms();
    for (size_t i = h->count; i-- > 0;)
        if (!h->patients[i].failures && now >= h->patients[i].what.until_ms)
            forget(h, &h->patients[i]);
}

static struct rf_patient *find_or_add(struct rf_health *h, struct rf_str name)
{
    struct rf_patient *p = find(h, name);
    if (p)
        return p;
    forget_over(h);
    if (h->count == MOST_PATIENTS)
        forget(h, h->patients);
    p = &h->patients[h->count];
    *p = (struct rf_patient){ .name = strndup(name.p, name.n) };
    if (!p->name)
        RF_NO_MEMORY();
    h->count++;
    return p;
}

/* What everybody calls */

bool rf_health_is_out(struct rf_health *h, struct rf_str name, struct rf_illness *out)
{
    if (!h->count)
        return false;
    pthread_mutex_lock(&h->lock);
    forget_over(h);
    const struct rf_patient *p = find(h, name);
    bool is = p && rf_now_ms() < p->what.until_ms;
    if (is)
        *out = p->what;
    pthread_mutex_unlock(&h->lock);
    return is;
}

enum rf_health_turn rf_health_may_ask(struct rf_health *h, struct rf_str name,
                                      struct rf_illness *out)
{
    enum rf_health_turn turn = RF_HEALTH_ASK;
    if (!h->count)
        return turn;
    pthread_mutex_lock(&h->lock);
    struct rf_patient *p = find(h, name);
    int64_t now = rf_now_ms();
    if (p && p->failures >= RF_HEALTH_FAILURES)
        turn = now < p->what.until_ms ? RF_HEALTH_NO_TURN : RF_HEALTH_TRIAL;
    if (turn == RF_HEALTH_TRIAL) {
        p->on_trial = true;
        p->what.until_ms = now + p->pause_ms; /* one that takes longer keeps nobody out */
    }
    if (turn == RF_HEALTH_NO_TURN) {
        *out = p->what;
        if (p->on_trial && out->until_ms > now + TRIAL_WAIT_MS)
            out->until_ms = now + TRIAL_WAIT_MS;
    }
    pthread_mutex_unlock(&h->lock);
    return turn;
}

void rf_health_give_back(struct rf_health *h, struct rf_str name)
{
    pthread_mutex_lock(&h->lock);
    struct rf_patient *p = find(h, name);
    if (p && p->on_trial) {
        p->on_trial = false;
        p->what.until_ms = rf_now_ms();
    }
    pthread_mutex_unlock(&h->lock);
}

void rf_health_put_out(struct rf_health *h, struct rf_str name, const struct rf_illness *why,
                       int64_t for_ms)
{
    pthread_mutex_lock(&h->lock);
    struct rf_patient *p = find_or_add(h, name);
    p->what = *why;
    p->what.until_ms = rf_now_ms() + for_ms;
    pthread_mutex_unlock(&h->lock);
}

static void lengthen_pause(struct rf_patient *p)
{
    int64_t longer = p->pause_ms ? 2 * p->pause_ms : FIRST_PAUSE_MS;
    p->on_trial = false;
    p->pause_ms = longer < LONGEST_PAUSE_MS ? longer : LONGEST_PAUSE_MS;
    p->what.until_ms = rf_now_ms() + p->pause_ms;
}

void rf_health_failed(struct rf_health *h, struct rf_str name, enum rf_health_turn turn,
                      const struct rf_illness *why)
{
    pthread_mutex_lock(&h->lock);
    struct rf_patient *p = find_or_add(h, name);
    int64_t until_ms = p->what.until_ms;
    bool pauses = p->failures >= RF_HEALTH_FAILURES;
    p->what = *why;
    p->what.until_ms = until_ms;
    p->failures++;
    p->failed_ms = rf_now_ms();
    /* What was asked before its pause, and fails during it, tells nothing new. */
    if (p->failures >= RF_HEALTH_FAILURES && (!pauses || turn == RF_HEALTH_TRIAL))
        lengthen_pause(p);
    pthread_mutex_unlock(&h->lock);
}

void rf_health_worked(struct rf_health *h, struct rf_str name, int64_t at_ms)
{
    if (!h->count)
        return;
    pthread_mutex_lock(&h->lock);
    struct rf_patient *p = find(h, name);
    if (p && at_ms >= p->failed_ms)
        forget(h, p);
    pthread_mutex_unlock(&h->lock);
}

void rf_health_list(struct rf_health *h,
                    void (*each)(void *ctx, const char *name, const struct rf_illness *what),
                    void *ctx)
{
    pthread_mutex_lock(&h->lock);
    forget_over(h);
    for (size_t i = 0; i < h->count; i++)
        each(ctx, h->patients[i].name, &h->patients[i].what);
    pthread_mutex_unlock(&h->lock);
}

void rf_health_reload(struct rf_health *h)
{
    pthread_mutex_lock(&h->lock);
    for (size_t i = h->count; i-- > 0;)
        if (rf_error_is_of_key(h->patients[i].what.kind))
            forget(h, &h->patients[i]);
    pthread_mutex_unlock(&h->lock);
}
