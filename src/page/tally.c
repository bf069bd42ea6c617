#include "page/tally.h"

#include "base/arena.h"
#include "base/json_write.h"

#include <refract/request.h>

#include <stdio.h>
#include <stdlib.h>

#define MOST_NAMES 512
#define NAME_SIZE 128
#define MINUTE_MS 60000
#define FIRST_ROWS ((size_t)64) /* RF_TALLY_ROWS is a power of two times this */

struct row {
    int64_t minute; /* since 1970 */
    unsigned model, key;
    int64_t requests, failed, heals, input, output, priced, cost_micros, total_us;
    int64_t deliveries[RF_DELIVERY_ERROR + 1];
};

struct rf_tally {
    pthread_mutex_t lock;
    uint64_t count;   /* of all rows so far; the last RF_TALLY_ROWS of them are there */
    struct row *rows; /* as many as were needed so far */
    size_t room;
    char (*names)[NAME_SIZE];
    unsigned name_count;
};

struct rf_tally *rf_tally_new(void)
{
    struct rf_tally *t = calloc(1, sizeof *t);
    if (!t)
        RF_NO_MEMORY();
    t->names = calloc(MOST_NAMES, sizeof *t->names);
    if (!t->names)
        RF_NO_MEMORY();
    snprintf(t->names[0], NAME_SIZE, "others");
    t->name_count = 1;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void rf_tally_free(struct rf_tally *t)
{
    pthread_mutex_destroy(&t->lock);
    free(t->rows);
    free(t->names);
    free(t);
}

/* Counting */

/* Is it the name? One that does not fit is never kept. */
static bool is_named(const char *kept, struct rf_str first, struct rf_str second)
{
    size_t n = first.n + (second.n ? 1 + second.n : 0);
    if (n >= NAME_SIZE || strlen(kept) != n || (first.n && memcmp(kept, first.p, first.n) != 0))
        return false;
    return !second.n ||
           (kept[first.n] == ':' && memcmp(kept + first.n + 1, second.p, second.n) == 0);
}

/* The number of "FIRST:SECOND"; 0: it has none. */
static unsigned find_name(const struct rf_tally *t, struct rf_str first, struct rf_str second)
{
    unsigned i = 1;
    while (i < t->name_count && !is_named(t->names[i], first, second))
        i++;
    return i < t->name_count ? i : 0;
}

/* The same, with a new one where there is room; 0: "others". */
static unsigned name_of(struct rf_tally *t, struct rf_str first, struct rf_str second)
{
    unsigned known = find_name(t, first, second);
    if (known || t->name_count == MOST_NAMES || first.n + second.n + 2 > NAME_SIZE)
        return known;
    char *at = t->names[t->name_count];
    if (first.n)
        memcpy(at, first.p, first.n);
    if (second.n) {
        at[first.n] = ':';
        memcpy(at + first.n + 1, second.p, second.n);
    }
    return t->name_count++;
}

/* Clients can ask for any model: one that never answered takes no name from those that do. */
static unsigned model_of(struct rf_tally *t, const struct rf_record *r)
{
    if (!r->provider.n)
        return name_of(t, RF_STR("no model"), RF_STR(""));
    bool answered = r->status == 200 || find_name(t, r->provider, r->model);
    return name_of(t, r->provider, answered ? r->model : RF_STR("other"));
}

static struct row *row_for(struct rf_tally *t, int64_t minute, unsigned model, unsigned key)
{
    uint64_t kept = t->count < RF_TALLY_ROWS ? t->count : RF_TALLY_ROWS;
    for (uint64_t i = 1; i <= kept; i++) {
        struct row *r = &t->rows[(t->count - i) % RF_TALLY_ROWS];
        if (r->minute < minute)
            break;
        if (r->minute == minute && r->model == model && r->key == key)
            return r;
    }
    if (t->count == t->room && t->room < RF_TALLY_ROWS) {
        t->room = t->room ? 2 * t->room : FIRST_ROWS;
        t->rows = reallocarray(t->rows, t->room, sizeof *t->rows);
        if (!t->rows)
            RF_NO_MEMORY();
    }
    struct row *r = &t->rows[t->count++ % RF_TALLY_ROWS];
    *r = (struct row){ .minute = minute, .model = model, .key = key };
    return r;
}

static int64_t told(int64_t n)
{
    return n > 0 ? n : 0;
}

static void add(struct row *row, const struct rf_record *r)
{
    bool failed = r->status < 200 || r->status >= 300 || r->error;
    row->requests++;
    row->failed += failed;
    row->heals += failed ? 0 : r->heals; /* what did not help has healed nothing */
    row->input += told(r->usage.input);
    row->output += told(r->usage.output);
    row->priced += r->cost_micros >= 0;
    row->cost_micros += told(r->cost_micros);
    row->total_us += r->ended_us - r->began_us;
    for (size_t i = 0; r->request && i < rf_report_count(r->request); i++)
        row->deliveries[rf_report_delivery(r->request, i)]++;
}

void rf_tally_count(struct rf_tally *t, const struct rf_record *r)
{
    int64_t minute = (r->began_ms + (r->ended_us - r->began_us) / 1000) / MINUTE_MS;
    pthread_mutex_lock(&t->lock);
    unsigned model = model_of(t, r);
    unsigned key = name_of(t, r->client_key ? rf_str(r->client_key) : RF_STR("no key"), RF_STR(""));
    add(row_for(t, minute, model, key), r);
    pthread_mutex_unlock(&t->lock);
}

/* Telling */

static void write_row(const struct rf_tally *t, const struct row *r, struct rf_json *w)
{
    rf_json_obj(w, NULL);
    rf_json_int(w, "minute", r->minute);
    rf_json_str(w, "model", rf_str(t->names[r->model]));
    rf_json_str(w, "key", rf_str(t->names[r->key]));
    rf_json_int(w, "requests", r->requests);
    rf_json_int(w, "failed", r->failed);
    rf_json_int(w, "heals", r->heals);
    rf_json_int(w, "input", r->input);
    rf_json_int(w, "output", r->output);
    rf_json_int(w, "priced", r->priced);
    rf_json_int(w, "cost_micros", r->cost_micros);
    rf_json_int(w, "total_us", r->total_us);
    for (size_t i = 0; i <= RF_DELIVERY_ERROR; i++)
        if (r->deliveries[i])
            rf_json_int(w, rf_delivery_name((enum rf_delivery)i), r->deliveries[i]);
    rf_json_end(w);
}

/* The rows since then, as they are now. */
static size_t copy_rows(struct rf_tally *t, int64_t since_ms, struct rf_arena *a, struct row **out)
{
    size_t count = 0;
    pthread_mutex_lock(&t->lock);
    uint64_t kept = t->count < RF_TALLY_ROWS ? t->count : RF_TALLY_ROWS;
    *out = RF_ARRAY(a, struct row, kept + 1);
    for (uint64_t i = t->count - kept; i < t->count; i++)
        if (t->rows[i % RF_TALLY_ROWS].minute * MINUTE_MS >= since_ms)
            (*out)[count++] = t->rows[i % RF_TALLY_ROWS];
    pthread_mutex_unlock(&t->lock);
    return count;
}

int64_t rf_tally_kept_since(struct rf_tally *t)
{
    pthread_mutex_lock(&t->lock);
    bool dropped = t->count > RF_TALLY_ROWS; /* of the oldest minute that is there, some may be */
    int64_t since = dropped ? (t->rows[t->count % RF_TALLY_ROWS].minute + 1) * MINUTE_MS : 0;
    pthread_mutex_unlock(&t->lock);
    return since;
}

/* Loops do not wait while it is written. Names that rows have do not change any more. */
void rf_tally_write(struct rf_tally *t, int64_t since_ms, struct rf_arena *a, struct rf_json *w,
                    const char *key)
{
    struct row *rows;
    size_t count = copy_rows(t, since_ms, a, &rows);
    rf_json_arr(w, key);
    for (size_t i = 0; i < count; i++)
        write_row(t, &rows[i], w);
    rf_json_end(w);
}
