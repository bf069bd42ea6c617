#include "played.h"

#include "base/arena.h"
#include "media/media.h"

#include <stdlib.h>

#define MOST_BYTES 4000 /* of one played file, so that they are made quickly */

size_t played_jobs;

static void put_number(char *at, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(n >> (24 - 8 * i));
}

struct rf_str played_png(struct rf_arena *a, uint32_t width, uint32_t height, size_t bytes)
{
    size_t least = sizeof PNG_BYTES - 1;
    struct rf_str png = long_png(a, bytes > least ? bytes - least : 0);
    char *at = (char *)png.p; /* long_png's own memory */
    put_number(at + 16, width);
    put_number(at + 20, height);
    return png;
}

struct rf_str played_pdf(struct rf_arena *a, size_t pages)
{
    return rf_strf(a, "%s%%%zu pages\n", PDF_BYTES, pages);
}

/* As many as it was made with. */
static int64_t pages_of(const struct rf_job *job, struct rf_arena *a)
{
    struct rf_reader r = { .fd = -1 };
    size_t size = (size_t)job->input->size, got = 0;
    char *all = rf_arena_alloc(a, size + 1);
    if (rf_reader_open(&r, job->input, NULL) || rf_reader_read(&r, 0, all, size, &got, NULL))
        RF_BUG("a job without bytes");
    rf_reader_close(&r);
    all[got] = '\0';
    return strtoll(strrchr(all, '%') + 1, NULL, 10);
}

static int64_t number(struct rf_str ask, const char *key)
{
    int64_t n;
    return rf_str_int64(rf_ask_value(ask, key), &n) ? n : 0;
}

/* The same for the same file: some are broken, in the eyes of one family. */
static uint64_t nature(const struct rf_job *job, struct rf_arena *a)
{
    struct rf_reader r = { .fd = -1 };
    char *head = rf_arena_alloc(a, 256);
    uint64_t sum = job->input->size + strlen(job->family);
    size_t got = 0;
    if (rf_reader_open(&r, job->input, NULL) || rf_reader_read(&r, 0, head, 256, &got, NULL))
        RF_BUG("a job without bytes");
    for (size_t i = 0; i < got; i++)
        sum = sum * 1099511628211u + (unsigned char)head[i];
    rf_reader_close(&r);
    return sum;
}

static struct rf_facts facts_of(const struct rf_job *job)
{
    struct rf_reader r = { .fd = -1 };
    struct rf_facts facts = { 0 };
    if (!rf_reader_open(&r, job->input, NULL)) {
        const struct rf_format *f = rf_sniff(&r);
        if (!f || rf_probe(&r, f, &facts, NULL))
            facts = (struct rf_facts){ 0 };
    }
    rf_reader_close(&r);
    return facts;
}

static struct rf_job_part *add_part(struct rf_job *job, struct rf_arena *a, const char *kind)
{
    struct rf_job_part *p = RF_PUSH(a, job->parts, job->part_count, job->part_cap);
    *p = (struct rf_job_part){ 0 };
    *RF_PUSH(a, p->props, p->prop_count, p->prop_cap) =
        (struct rf_prop){ RF_STR("kind"), rf_str(kind) };
    return p;
}

static void say(struct rf_job_part *p, struct rf_arena *a, const char *key, int64_t value)
{
    *RF_PUSH(a, p->props, p->prop_count, p->prop_cap) =
        (struct rf_prop){ rf_str(key), rf_strf(a, "%lld", (long long)value) };
}

/* A picture as large as the ask allows, and no larger than it was. */
static struct rf_job_part *add_picture(struct rf_job *job, struct rf_arena *a, int64_t width,
                                       int64_t height)
{
    struct rf_job_part *p = add_part(job, a, "image");
    int64_t side = number(job->ask, "max_side"), pixels = number(job->ask, "max_pixels");
    int64_t most = number(job->ask, "max_bytes");
    while (width > 1 && height > 1 &&
           ((side && (width > side || height > side)) || (pixels && width * height > pixels))) {
        width = width * 7 / 8;
        height = height * 7 / 8;
    }
    size_t bytes = most && most < MOST_BYTES ? (size_t)most : MOST_BYTES;
    p->bytes = rf_bytes_memory(played_png(a, (uint32_t)width, (uint32_t)height, bytes));
    return p;
}

static void play_pages(struct rf_job *job, struct rf_arena *a, bool text)
{
    int64_t first = number(job->ask, "first"), end = number(job->ask, "end");
    int64_t all = pages_of(job, a);
    for (int64_t page = first; page < (end && end < all ? end : all); page++) {
        struct rf_job_part *p = text ? add_part(job, a, "text") : add_picture(job, a, 1240, 1754);
        if (text)
            p->text = rf_strf(a, "What stands on page %lld of it.", (long long)page + 1);
        say(p, a, "page", page + 1);
    }
}

static void play_part(struct rf_job *job, struct rf_arena *a)
{
    struct rf_job_part *p = add_part(job, a, "document");
    p->bytes = rf_bytes_memory(RF_STR(PDF_BYTES));
    int64_t end = number(job->ask, "end");
    say(p, a, "first", number(job->ask, "first"));
    say(p, a, "end", end ? end : pages_of(job, a));
}

static void play_frames(struct rf_job *job, struct rf_arena *a)
{
    for (int64_t i = 0; i < number(job->ask, "count"); i++)
        say(add_picture(job, a, 1280, 720), a, "time_ms", 1000 * i);
}

static void play(struct rf_job *job, struct rf_arena *a)
{
    struct rf_str op = rf_ask_value(job->ask, "op");
    struct rf_facts facts = facts_of(job);
    if (nature(job, a) % 10 == 0) {
        job->failed = rf_fail(&job->err, RF_EFORMAT, "the file is cut off");
        job->judged = true;
        return;
    }
    if (rf_str_is(op, "convert"))
        add_picture(job, a, facts.width, facts.height);
    else if (rf_str_is(op, "render"))
        play_pages(job, a, false);
    else if (rf_str_is(op, "text") && strcmp(job->family, "pdf") == 0)
        play_pages(job, a, true);
    else if (rf_str_is(op, "text"))
        add_part(job, a, "text")->text = RF_STR("The words that are in it.");
    else if (rf_str_is(op, "part"))
        play_part(job, a);
    else if (rf_str_is(op, "frames"))
        play_frames(job, a);
    else if (rf_str_is(op, "sound"))
        add_part(job, a, "audio")->bytes = rf_bytes_memory(RF_STR(WAV_BYTES));
    else if (rf_str_is(op, "info") && strcmp(job->family, "pdf") == 0)
        *RF_PUSH(a, job->facts, job->fact_count, job->fact_cap) =
            (struct rf_prop){ RF_STR("pages"), rf_strf(a, "%lld", (long long)pages_of(job, a)) };
    else if (rf_str_is(op, "info"))
        return;
    else
        RF_BUG("an ask that nobody plays");
}

void __wrap_rf_cache_run(struct rf_cache *c, struct rf_workers *w, struct rf_job *jobs,
                         size_t count, struct rf_arena *a)
{
    (void)c;
    (void)w;
    for (size_t i = 0; i < count; i++, played_jobs++)
        play(&jobs[i], a);
}
