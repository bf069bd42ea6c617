#include "gateway/ledger.h"

#include "base/clock.h"
#include "base/thread.h"
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TICK_MS 500
#define LOOK_MS 2000   /* for gateways that died */
#define GRACE_MS 10000 /* that one may be without its connection */
#define HOUR_MS INT64_C(3600000)
#define MOST_AT_ONCE 256                /* in one transaction */
#define MOST_WAITING ((size_t)64 << 20) /* bytes of what waits for a store that is not reached */

/* A request that has ended, in one piece of memory with its strings. */
struct rf_ledger_entry {
    struct rf_settlement what;
    struct rf_ledger_entry *next;
    size_t size; /* of all of it */
    char text[];
};

/* The store */

bool rf_ledger_logs(const struct rf_config *c)
{
    return rf_config_is_shared(c) ||
           (c && c->serve.numbers[RF_SERVE_KEEP_REQUESTS_DAYS].place.file);
}

static struct rf_str address_in(const struct rf_config *c)
{
    return c ? c->store.address : RF_STR("");
}

/* A log of requests that is asked for is a reason to make one. The store of another address is one
 * for the next start: who has keys there, nobody was asked for one until now. */
static enum rf_code open_store(struct rf_ledger *l, struct rf_store **out, struct rf_err *err)
{
    struct rf_setup *setup = rf_setup_take(l->setups);
    bool same = rf_str_is(address_in(setup->config), l->address);
    bool wanted = same && (rf_store_is_there(setup->config) || rf_ledger_logs(setup->config));
    enum rf_code rc = wanted ? rf_store_open(setup->config, out, err) : RF_OK;
    rf_setup_drop(setup);
    return rc;
}

static enum rf_code be_open(struct rf_ledger *l, struct rf_err *err)
{
    struct rf_store *s = NULL;
    enum rf_code rc = l->store ? RF_OK : open_store(l, &s, err);
    if (rc || !s)
        return rc;
    rc = rf_accounts_join(s, l->instance, err);
    if (rc)
        rf_store_close(s);
    else
        l->store = s;
    return rc;
}

/* The version is read first: should they change meanwhile, they are read once more. */
static enum rf_code refresh(struct rf_ledger *l, struct rf_err *err)
{
    int64_t version = 0;
    enum rf_code rc = be_open(l, err);
    if (rc || !l->store)
        return rc;
    rc = rf_client_keys_version(l->store, &version, err);
    if (rc || version == l->version)
        return rc;
    rc = rf_keyring_read(&l->keyring, l->store, err);
    if (!rc)
        l->version = version;
    return rc;
}

/* Requests */

static void answer(struct rf_ledger_wish *w)
{
    while (w) {
        struct rf_ledger_wish *next = w->next;
        rf_mailbox_post(&w->job); /* the loop's from here on */
        w = next;
    }
}

static void free_entries(struct rf_ledger_entry *e)
{
    while (e) {
        struct rf_ledger_entry *next = e->next;
        free(e);
        e = next;
    }
}

/* The front of what waits, and what of it is done in one go. */
struct taken {
    struct rf_ledger_wish *wishes;
    struct rf_ledger_entry *entries, **last_entry;
    size_t size; /* of the entries */
    struct rf_reservation *wanted[MOST_AT_ONCE];
    const struct rf_settlement *settled[MOST_AT_ONCE];
    struct rf_accounts_batch batch;
};

/* The lock is held. */
static bool take(struct rf_ledger *l, struct taken *t)
{
    struct rf_accounts_batch *b = &t->batch;
    struct rf_ledger_wish **w = &l->wishes;
    struct rf_ledger_entry **e = &l->entries;
    *b = (struct rf_accounts_batch){ .wanted = t->wanted, .settled = t->settled };
    t->wishes = l->wishes;
    t->entries = l->entries;
    for (; *w && b->wanted_count < MOST_AT_ONCE; w = &(*w)->next)
        t->wanted[b->wanted_count++] = &(*w)->what;
    t->size = 0;
    for (; *e && b->settled_count < MOST_AT_ONCE; e = &(*e)->next) {
        t->settled[b->settled_count++] = &(*e)->what;
        t->size += (*e)->size;
    }
    l->waiting -= t->size;
    t->last_entry = e;
    struct rf_ledger_wish *other_wishes = *w;
    struct rf_ledger_entry *other_entries = *e;
    *w = NULL;
    *e = NULL;
    l->wishes = other_wishes;
    l->last_wish = other_wishes ? l->last_wish : &l->wishes;
    l->entries = other_entries;
    l->last_entry = other_entries ? l->last_entry : &l->entries;
    return b->wanted_count || b->settled_count;
}

/* It may do another time; before what came since. */
static void put_back(struct rf_ledger *l, struct taken *t)
{
    pthread_mutex_lock(&l->lock);
    bool room = l->waiting + t->size <= MOST_WAITING;
    if (room && t->entries) {
        *t->last_entry = l->entries;
        l->last_entry = l->entries ? l->last_entry : t->last_entry;
        l->entries = t->entries;
        l->waiting += t->size;
        t->entries = NULL;
    }
    pthread_mutex_unlock(&l->lock);
    free_entries(t->entries);
}

/* Whether the store could be reached. A row that it does not take is not tried again. */
static bool work_off(struct rf_ledger *l, struct taken *t)
{
    enum rf_code rc = l->store ? RF_OK : RF_EIO;
    t->batch.now_ms = rf_epoch_ms();
    if (!rc)
        rc = rf_accounts_work(l->store, l->instance, &t->batch, NULL);
    answer(t->wishes);
    bool reached = rc != RF_EIO && rc != RF_ELIMIT && rc != RF_ECONFIG;
    if (reached || !l->store)
        free_entries(t->entries);
    else
        put_back(l, t);
    return reached;
}

/* Other gateways */

static void suspect(void *ctx, const char *instance)
{
    struct rf_ledger *l = ctx;
    struct rf_ledger_suspect *s = l->suspects;
    while (s < l->suspects + l->suspect_count && strcmp(s->instance, instance) != 0)
        s++;
    if (s == l->suspects + RF_LEDGER_SUSPECTS)
        return;
    if (s == l->suspects + l->suspect_count) {
        snprintf(s->instance, sizeof s->instance, "%s", instance);
        s->since_ms = l->looked_ms;
        l->suspect_count++;
    }
    s->seen = true;
}

/* Nothing is asked while rows come, so they are listed first. One that lives again is forgotten. */
static void look_for_dead(struct rf_ledger *l)
{
    size_t kept = 0;
    l->looked_ms = rf_now_ms();
    for (size_t i = 0; i < l->suspect_count; i++)
        l->suspects[i].seen = false;
    if (rf_accounts_dead(l->store, l->instance, suspect, l, NULL))
        return;
    for (size_t i = 0; i < l->suspect_count; i++) {
        struct rf_ledger_suspect s = l->suspects[i];
        if (s.seen && l->looked_ms - s.since_ms >= GRACE_MS)
            (void)!rf_accounts_expire(l->store, s.instance, rf_epoch_ms(), NULL);
        else if (s.seen)
            l->suspects[kept++] = s;
    }
    l->suspect_count = kept;
}

/* What was counted must not be counted again by one that is late: an hour is kept in any case. */
static void forget_old(struct rf_ledger *l)
{
    struct rf_setup *setup = rf_setup_take(l->setups);
    int64_t days = rf_config_serve_number(setup->config, RF_SERVE_KEEP_REQUESTS_DAYS);
    rf_setup_drop(setup);
    int64_t keep_ms = days > 0 ? days * 24 * HOUR_MS : HOUR_MS;
    l->forgot_ms = rf_now_ms();
    (void)!rf_accounts_forget(l->store, rf_epoch_ms() - keep_ms, NULL);
}

/* What fails of this will do another time. */
static void see_to_store(struct rf_ledger *l)
{
    if (refresh(l, NULL) || !l->store)
        return;
    if (l->keyring.asks && rf_now_ms() - l->looked_ms >= LOOK_MS)
        look_for_dead(l);
    if (!l->forgot_ms || rf_now_ms() - l->forgot_ms >= HOUR_MS)
        forget_old(l);
}

/* The thread */

static struct timespec in_ms(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000L;
    if (t.tv_nsec >= 1000000000L) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000L;
    }
    return t;
}

/* Until there is something to do, or it is time to look. A store that could not be reached is left
 * alone for a while, but for those who wait for an answer. The lock is held. */
static void wait_for_work(struct rf_ledger *l, bool reached)
{
    struct timespec until = in_ms(TICK_MS);
    while (!l->ending && !l->wishes && !(l->entries && reached))
        if (pthread_cond_timedwait(&l->work, &l->lock, &until))
            return;
}

static void *work(void *ctx)
{
    struct rf_ledger *l = ctx;
    struct taken t;
    int64_t seen_ms = rf_now_ms();
    bool reached = true, some = false, ending = false;
    while (!ending || (some && reached)) {
        pthread_mutex_lock(&l->lock);
        wait_for_work(l, reached);
        ending = l->ending;
        some = take(l, &t);
        pthread_mutex_unlock(&l->lock);
        if (some)
            reached = work_off(l, &t);
        if (ending || rf_now_ms() - seen_ms < TICK_MS)
            continue;
        see_to_store(l);
        reached = true; /* to be tried again */
        seen_ms = rf_now_ms();
    }
    answer(l->wishes); /* more than could be asked for: they fail */
    return NULL;
}

/* Beginning and end */

static void init(struct rf_ledger *l, struct rf_setups *setups)
{
    *l = (struct rf_ledger){ .setups = setups };
    l->last_wish = &l->wishes;
    l->last_entry = &l->entries;
    struct rf_setup *setup = rf_setup_take(setups);
    struct rf_str address = address_in(setup->config);
    l->address = strndup(address.n ? address.p : "", address.n);
    rf_setup_drop(setup);
    if (!l->address)
        RF_NO_MEMORY();
    rf_keyring_init(&l->keyring);
    pthread_mutex_init(&l->lock, NULL);
    rf_cond_init(&l->work);
}

static void release(struct rf_ledger *l)
{
    free_entries(l->entries);
    rf_store_close(l->store);
    free(l->address);
    rf_keyring_release(&l->keyring);
    pthread_cond_destroy(&l->work);
    pthread_mutex_destroy(&l->lock);
}

enum rf_code rf_ledger_open(struct rf_ledger *l, struct rf_setups *setups, struct rf_err *err)
{
    init(l, setups);
    enum rf_code rc = rf_mark_make(l->instance, err);
    if (!rc)
        rc = refresh(l, err);
    if (!rc)
        rc = rf_thread_start(&l->thread, work, l, err);
    if (rc)
        release(l);
    return rc;
}

void rf_ledger_stop(struct rf_ledger *l)
{
    pthread_mutex_lock(&l->lock);
    l->ending = true;
    pthread_cond_signal(&l->work);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
}

void rf_ledger_close(struct rf_ledger *l)
{
    struct taken t;
    while (take(l, &t) && work_off(l, &t))
        continue;
    release(l);
}

/* From the loops */

void rf_ledger_admit(struct rf_ledger *l, struct rf_ledger_wish *w, struct rf_mailbox *to)
{
    w->job.to = to;
    w->next = NULL;
    pthread_mutex_lock(&l->lock);
    *l->last_wish = w;
    l->last_wish = &w->next;
    pthread_cond_signal(&l->work);
    pthread_mutex_unlock(&l->lock);
}

/* `s` moves to where `at` is, which moves on behind it and its NUL. */
static void move_text(struct rf_str *s, char **at)
{
    if (s->n)
        memcpy(*at, s->p, s->n);
    s->p = *at;
    *at += s->n;
    *(*at)++ = '\0';
}

static struct rf_ledger_entry *entry_new(const struct rf_settlement *s)
{
    struct rf_str names[] = { rf_str(s->request), rf_str(s->key), rf_str(s->key_name) };
    struct rf_settlement what = *s;
    struct rf_str *texts[] = { &names[0],   &names[1],      &names[2],   &what.dialect,
                               &what.asked, &what.provider, &what.model, &what.deliveries,
                               &what.error, &what.operation };
    size_t size = sizeof(struct rf_ledger_entry), count = sizeof texts / sizeof *texts;
    for (size_t i = 0; i < count; i++)
        size += texts[i]->n + 1;
    struct rf_ledger_entry *e = malloc(size);
    if (!e)
        RF_NO_MEMORY();
    char *at = e->text;
    for (size_t i = 0; i < count; i++)
        move_text(texts[i], &at);
    what.request = names[0].p;
    what.key = names[1].p;
    what.key_name = names[2].p;
    e->what = what;
    e->next = NULL;
    e->size = size;
    return e;
}

void rf_ledger_settle(struct rf_ledger *l, const struct rf_settlement *s)
{
    struct rf_ledger_entry *e = entry_new(s);
    pthread_mutex_lock(&l->lock);
    if (l->waiting + e->size <= MOST_WAITING) {
        *l->last_entry = e;
        l->last_entry = &e->next;
        l->waiting += e->size;
        e = NULL;
    }
    pthread_cond_signal(&l->work);
    pthread_mutex_unlock(&l->lock);
    free_entries(e);
}
