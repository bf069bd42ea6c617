/* Requests as they happen: all that there are first, then what changes, in batches a few times a
 * second, as server-sent events.
 *
 *     event: requests
 *     id: EPOCH.VERSION
 *     data: [{"id": "req_…", …}, …]
 *
 *     event: still
 *     data: {}
 *
 * What is empty, zero, false or unknown of a request is left out: with a thousand requests a
 * second, the length of the events is what a viewer costs.
 *
 * A browser that was disconnected, or comes back to a tab, sends the id of the last event that it
 * got, and gets what it missed. If the id is of another process, it gets everything again. */
#include "page/page.h"

#include "base/clock.h"

#include <inttypes.h>

#define BATCH 500     /* entries of one event */
#define EVERY_MS 200  /* between two looks at what has changed */
#define BEAT_MS 15000 /* after so long without events, one says that the gateway lives */

static const char *stage_name(enum rf_page_stage stage)
{
    return stage == RF_PAGE_BEGAN ? "began" : stage == RF_PAGE_ANSWERS ? "answers" : "over";
}

static void text(struct rf_json *w, const char *key, const char *s)
{
    rf_json_str_opt(w, key, rf_str(s));
}

static void count(struct rf_json *w, const char *key, int64_t n)
{
    if (n)
        rf_json_int(w, key, n);
}

/* 0 is known; -1 is unknown. */
static void known(struct rf_json *w, const char *key, int64_t n)
{
    if (n >= 0)
        rf_json_int(w, key, n);
}

static void flag(struct rf_json *w, const char *key, bool yes)
{
    if (yes)
        rf_json_bool(w, key, yes);
}

void rf_page_entry_write(struct rf_json *w, const struct rf_ring_entry *e)
{
    rf_json_obj(w, NULL);
    rf_json_int(w, "number", (int64_t)e->number);
    rf_json_str(w, "id", rf_str(e->id));
    rf_json_str(w, "stage", rf_str(stage_name(e->stage)));
    rf_json_int(w, "began_ms", e->began_ms);
    text(w, "client", e->names->client);
    text(w, "key", e->names->key);
    text(w, "dialect", e->dialect);
    text(w, "operation", e->names->operation);
    text(w, "asked", e->names->asked);
    text(w, "provider", e->names->provider);
    text(w, "model", e->names->model);
    count(w, "status", e->status);
    flag(w, "streamed", e->streamed);
    flag(w, "gone", e->gone);
    text(w, "error", e->error ? rf_record_error_name(e->error, e->attempts) : "");
    if (e->error_words.n)
        rf_json_str(w, "error_words", e->error_words);
    known(w, "input", e->input);
    known(w, "output", e->output);
    known(w, "cached", e->cached);
    known(w, "cost_micros", e->cost_micros);
    count(w, "attempts", e->attempts);
    count(w, "heals", e->heals);
    count(w, "bytes_in", (int64_t)e->bytes_in);
    count(w, "bytes_out", (int64_t)e->bytes_out);
    count(w, "first_us", e->first_us);
    count(w, "total_us", e->total_us);
    count(w, "own_us", e->own_us);
    if (e->files.n)
        rf_json_raw(w, "files", e->files);
    flag(w, "kept", e->kept != NULL);
    rf_json_end(w);
}

/* The next batch as JSON; false: nothing has changed. */
static bool next_batch(struct rf_page_visit *v, struct rf_arena *a, struct rf_str *json)
{
    struct rf_ring_entry *entries;
    struct rf_rope rope;
    size_t count = rf_ring_changes(v->page->ring, &v->version, BATCH, a, &entries);
    if (!count)
        return false;
    struct rf_json *w = RF_NEW(a, struct rf_json);
    rf_rope_init(&rope, a);
    rf_json_init(w, &rope);
    rf_json_arr(w, NULL);
    for (size_t i = 0; i < count; i++)
        rf_page_entry_write(w, &entries[i]);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, json, NULL))
        RF_BUG("a list in memory could not be written");
    return true;
}

void rf_page_write(struct rf_page_visit *v, struct rf_str bytes)
{
    v->wrote_ms = rf_now_ms();
    v->full = !rf_httpd_write(v->request, bytes);
}

/* A gateway that drains does not wait for viewers. */
bool rf_page_goes_on(struct rf_page_visit *v)
{
    if (*v->page->host->draining || !rf_page_still_admits(v)) {
        rf_httpd_finish(v->request);
        return false;
    }
    rf_ring_look(v->page->ring);
    return true;
}

void rf_page_look_again(struct rf_page_visit *v, int64_t after_ms)
{
    if (!v->full && rf_now_ms() - v->wrote_ms > BEAT_MS)
        rf_page_write(v, RF_STR("event: still\ndata: {}\n\n"));
    rf_timer_set(v->loop->loop, &v->timer, rf_now_ms() + after_ms);
}

static void write_news(struct rf_page_visit *v)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str json;
    while (!v->full && next_batch(v, a, &json)) {
        rf_page_write(v, rf_strf(a, "event: requests\nid: %s.%" PRIu64 "\ndata: ", v->page->epoch,
                                 v->version));
        rf_page_write(v, json);
        rf_page_write(v, RF_STR("\n\n"));
        rf_arena_reset(a);
    }
    rf_arena_free(a);
}

/* Called by the timer. */
static void look(void *ctx)
{
    struct rf_page_visit *v = ctx;
    if (!rf_page_goes_on(v))
        return;
    write_news(v);
    rf_page_look_again(v, EVERY_MS);
}

/* The rest of what it is behind by does not wait for the next look. */
void rf_page_events_writable(struct rf_page_visit *v)
{
    if (v->full)
        rf_timer_set(v->loop->loop, &v->timer, rf_now_ms());
    v->full = false;
}

struct rf_str rf_page_last_event(struct rf_page_visit *v)
{
    struct rf_str id = rf_str(rf_httpd_header(v->request, "Last-Event-ID"));
    return id.n ? id : rf_page_field(v, "since");
}

/* The last version of this process that the browser has seen; 0: none. */
static uint64_t version_seen(struct rf_page_visit *v)
{
    struct rf_str id = rf_page_last_event(v), epoch;
    int64_t version;
    bool ours = rf_str_split(&id, '.', &epoch) && rf_str_is(epoch, v->page->epoch);
    return ours && rf_str_int64(id, &version) && version > 0 ? (uint64_t)version : 0;
}

void rf_page_events(struct rf_page_visit *v)
{
    v->version = version_seen(v);
    v->timer = (struct rf_timer){ .due = look, .ctx = v };
    rf_page_write(v, rf_strf(v->arena, "retry: 1000\nevent: hello\ndata: {\"epoch\":\"%s\"}\n\n",
                             v->page->epoch));
    look(v);
}

/* The same for clients that poll: {"epoch", "version", "requests"}, with one batch of the changes
 * after `since`. */
void rf_page_requests(struct rf_page_visit *v)
{
    int64_t since;
    struct rf_str json = RF_STR("[]");
    v->version = rf_str_int64(rf_page_field(v, "since"), &since) && since > 0 ? (uint64_t)since : 0;
    next_batch(v, v->arena, &json);
    struct rf_json *w = rf_page_json(v);
    rf_json_obj(w, NULL);
    rf_json_str(w, "epoch", rf_str(v->page->epoch));
    rf_json_int(w, "version", (int64_t)v->version);
    rf_json_raw(w, "requests", json);
    rf_json_end(w);
    rf_page_json_end(v, w);
}
