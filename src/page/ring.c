#include "page/ring.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "page/files.h"

#include <stdlib.h>

#define FIRST_SLOTS ((size_t)64)
#define MOST_ERROR ((size_t)200) /* bytes of the words of an error that are kept */

struct rf_ring {
    pthread_mutex_t lock;
    _Atomic int64_t looked_ms; /* on rf_now_ms's clock; 0: never */
    uint64_t last, version;    /* number of the last entry, and of the last change */
    size_t files_bytes, kept_bytes;
    int64_t kept_until_ms;              /* on rf_now_ms's clock: the rate is used up to then */
    uint64_t oldest_files, oldest_kept; /* numbers before these have none */
    uint64_t *versions;                 /* of the slots: what changed is found without them */
    struct rf_ring_entry *slots;        /* as many as were needed so far */
    struct rf_name_table names;
    size_t slot_count;
    struct rf_kept_exchange *unused; /* to be freed when it is unlocked: they have megabytes */
};

static void lock(struct rf_ring *r)
{
    pthread_mutex_lock(&r->lock);
}

static void unlock(struct rf_ring *r)
{
    struct rf_kept_exchange *k = r->unused;
    r->unused = NULL;
    pthread_mutex_unlock(&r->lock);
    while (k) {
        struct rf_kept_exchange *next = k->next;
        rf_kept_free(k);
        k = next;
    }
}

struct rf_ring *rf_ring_new(void)
{
    struct rf_ring *r = calloc(1, sizeof *r);
    if (!r)
        RF_NO_MEMORY();
    r->versions = calloc(RF_RING_ENTRIES, sizeof *r->versions);
    if (!r->versions)
        RF_NO_MEMORY();
    r->oldest_files = r->oldest_kept = 1;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

static void drop_files(struct rf_ring *r, struct rf_ring_entry *e)
{
    r->files_bytes -= e->files.n;
    free((char *)e->files.p);
    e->files = RF_STR("");
}

static void drop_kept(struct rf_ring *r, struct rf_ring_entry *e)
{
    if (!e->kept)
        return;
    r->kept_bytes -= e->kept_bytes;
    if (!--e->kept->users) {
        e->kept->next = r->unused;
        r->unused = e->kept;
    }
    e->kept = NULL;
    e->kept_bytes = 0;
}

static void drop_error(struct rf_ring_entry *e)
{
    if (e->error_words.n)
        free((char *)e->error_words.p);
    e->error_words = RF_STR("");
}

static void empty(struct rf_ring *r, struct rf_ring_entry *e)
{
    drop_error(e);
    rf_names_drop(&r->names, e->names);
    e->names = NULL;
    if (e->files.n)
        drop_files(r, e);
    drop_kept(r, e);
}

void rf_ring_free(struct rf_ring *r)
{
    lock(r);
    for (size_t i = 0; i < r->slot_count; i++)
        empty(r, &r->slots[i]);
    unlock(r);
    pthread_mutex_destroy(&r->lock);
    free(r->versions);
    free(r->slots);
    free(r);
}

void rf_ring_look(struct rf_ring *r)
{
    r->looked_ms = rf_now_ms();
}

bool rf_ring_is_watched(const struct rf_ring *r)
{
    int64_t looked = r->looked_ms;
    return looked && rf_now_ms() - looked < RF_RING_WATCHED_MS;
}

bool rf_ring_wants_whole(struct rf_ring *r)
{
    int64_t now = rf_now_ms();
    lock(r);
    int64_t paid = r->kept_until_ms > now ? r->kept_until_ms : now;
    bool wants = paid - now < (int64_t)RF_RING_KEPT_AT_ONCE * RF_RING_KEPT_EVERY_MS;
    if (wants)
        r->kept_until_ms = paid + RF_RING_KEPT_EVERY_MS;
    unlock(r);
    return wants;
}

/* Filling in */

static void grow(struct rf_ring *r)
{
    size_t count = r->slot_count ? 2 * r->slot_count : FIRST_SLOTS;
    count = count < RF_RING_ENTRIES ? count : RF_RING_ENTRIES;
    r->slots = reallocarray(r->slots, count, sizeof *r->slots);
    if (!r->slots)
        RF_NO_MEMORY();
    memset(r->slots + r->slot_count, 0, (count - r->slot_count) * sizeof *r->slots);
    r->slot_count = count;
}

/* The slot of the number, which another entry may have by now. */
static struct rf_ring_entry *slot_of(struct rf_ring *r, uint64_t number)
{
    size_t i = number % RF_RING_ENTRIES;
    while (i >= r->slot_count)
        grow(r);
    return &r->slots[i];
}

/* Its entry; a new one where it has none, or has lost it. */
static struct rf_ring_entry *entry_for(struct rf_ring *r, uint64_t *number)
{
    struct rf_ring_entry *e = slot_of(r, *number);
    if (!*number || e->number != *number) {
        *number = ++r->last;
        e = slot_of(r, *number);
        empty(r, e);
        e->number = *number; /* the caller fills in the rest */
    }
    return e;
}

static void changed(struct rf_ring *r, struct rf_ring_entry *e)
{
    e->version = ++r->version;
    r->versions[e->number % RF_RING_ENTRIES] = e->version;
}

/* Few entries have one: an array for it in each would take a third of the memory. */
static void set_error(struct rf_ring_entry *e, struct rf_str words)
{
    drop_error(e);
    bool whole = words.n <= MOST_ERROR;
    const struct rf_str end = whole ? RF_STR("") : RF_STR("…");
    size_t n = rf_utf8_valid(whole ? words : (struct rf_str){ words.p, MOST_ERROR });
    if (!n)
        return;
    char *own = malloc(n + end.n);
    if (!own)
        RF_NO_MEMORY();
    memcpy(own, words.p, n);
    memcpy(own + n, end.p, end.n);
    e->error_words = (struct rf_str){ own, n + end.n };
}

static void fill(struct rf_ring_entry *e, const struct rf_record *r, enum rf_page_stage stage)
{
    e->stage = stage;
    memcpy(e->id, r->id, sizeof e->id);
    e->dialect = r->dialect;
    set_error(e, r->error_words);
    e->error = r->error;
    e->status = r->status;
    e->streamed = r->streamed;
    e->gone = r->gone;
    e->input = r->usage.size ? r->usage.input : -1;
    e->output = r->usage.size ? r->usage.output : -1;
    e->cached = r->usage.size ? r->usage.cached : -1;
    e->cost_micros = r->cost_micros;
    e->attempts = r->attempts;
    e->heals = r->heals;
    e->bytes_in = r->bytes_in;
    e->bytes_out = r->bytes_out;
    e->began_ms = r->began_ms;
    e->first_us = r->first_us ? r->first_us - r->began_us : 0;
    e->total_us = stage == RF_PAGE_OVER ? r->ended_us - r->began_us : 0;
    e->own_us = r->own_us;
}

static void bound_files(struct rf_ring *r)
{
    while (r->files_bytes > RF_RING_FILES_BYTES && r->oldest_files < r->last) {
        struct rf_ring_entry *e = slot_of(r, r->oldest_files);
        if (e->number == r->oldest_files++ && e->files.n)
            drop_files(r, e);
    }
}

static void bound_kept(struct rf_ring *r)
{
    while (r->kept_bytes > RF_RING_KEPT_BYTES && r->oldest_kept <= r->last) {
        struct rf_ring_entry *e = slot_of(r, r->oldest_kept);
        if (e->number == r->oldest_kept++ && e->kept) {
            drop_kept(r, e);
            changed(r, e);
        }
    }
}

/* It may hold more than when it was last told of. */
static void keep(struct rf_ring *r, struct rf_ring_entry *e, struct rf_kept_exchange *k)
{
    if (e->kept != k) {
        drop_kept(r, e);
        e->kept = k;
        k->users++;
    }
    r->kept_bytes += k->bytes - e->kept_bytes;
    e->kept_bytes = k->bytes;
    if (e->number < r->oldest_kept)
        r->oldest_kept = e->number;
    bound_kept(r);
}

void rf_ring_tell(struct rf_ring *r, const struct rf_record *record, enum rf_page_stage stage,
                  struct rf_kept_exchange *k, uint64_t *number)
{
    /* This takes time, so it is done before the lock is taken. */
    struct rf_str files = record->request ? rf_files_summary(record->request) : RF_STR("");
    lock(r);
    struct rf_ring_entry *e = entry_for(r, number);
    fill(e, record, stage);
    const struct rf_names *before = e->names;
    e->names = rf_names_take(&r->names, record);
    rf_names_drop(&r->names, before);
    if (e->files.n)
        drop_files(r, e);
    e->files = files;
    r->files_bytes += files.n;
    changed(r, e);
    bound_files(r);
    if (k) {
        k->over = stage == RF_PAGE_OVER; /* from here on viewers have its request */
        keep(r, e, k);
    }
    unlock(r);
}

/* Reading */

/* A copy that lasts. */
static struct rf_ring_entry copy_of(const struct rf_ring_entry *e, struct rf_arena *a)
{
    struct rf_ring_entry own = *e;
    own.names = rf_names_copy(e->names, a);
    own.error_words = rf_str_dup(a, e->error_words);
    own.files = rf_str_dup(a, e->files);
    return own;
}

/* The oldest change after `version`; 0: there is none. */
static uint64_t next_change(const struct rf_ring *r, uint64_t version)
{
    uint64_t least = 0;
    for (size_t i = 0; version < r->version && i < RF_RING_ENTRIES; i++)
        if (r->versions[i] > version && (!least || r->versions[i] < least))
            least = r->versions[i];
    return least;
}

size_t rf_ring_changes(struct rf_ring *r, uint64_t *version, size_t most, struct rf_arena *a,
                       struct rf_ring_entry **out)
{
    size_t count = 0;
    lock(r);
    uint64_t first = next_change(r, *version);
    uint64_t end = first + most; /* a version is one entry's, so these are at most so many */
    for (size_t i = 0; first && i < RF_RING_ENTRIES; i++)
        count += r->versions[i] >= first && r->versions[i] < end;
    *out = count ? RF_ARRAY(a, struct rf_ring_entry, count) : NULL;
    for (size_t i = 0, n = 0; n < count; i++)
        if (r->versions[i] >= first && r->versions[i] < end)
            (*out)[n++] = copy_of(&r->slots[i], a);
    *version = !first ? r->version : end - 1 < r->version ? end - 1 : r->version;
    unlock(r);
    return count;
}

bool rf_ring_find(struct rf_ring *r, struct rf_str id, struct rf_arena *a,
                  struct rf_ring_entry *out)
{
    bool found = false;
    lock(r);
    for (uint64_t i = 0; !found && i < RF_RING_ENTRIES && i < r->last; i++) {
        const struct rf_ring_entry *e = slot_of(r, r->last - i);
        found = e->number && rf_str_is(id, e->id);
        if (!found)
            continue;
        *out = copy_of(e, a);
        if (out->kept)
            out->kept->users++;
    }
    unlock(r);
    return found;
}
