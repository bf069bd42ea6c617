#include "played.h"

#include "base/arena.h"
#include "base/buf.h"
#include "media/media.h"
#include "media/weight.h"

#include <stdio.h>

#define LEAST_BYTES 1000 /* of a page as a picture */
#define MOST_BYTES 4000  /* of one played file, so that they are made quickly */

size_t played_jobs;
bool played_well;

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

/* After the bytes of a document, and of all that is made of it. */
#define MARK "%%%zu pages of %zu words, document %zu from %zu\n"
#define MOST_MARK 100
/* The text of a page, which goes on with some words. */
#define PAGE_TEXT "What stands on page %lld of document %zu."

static struct rf_str marked(struct rf_arena *a, struct rf_str bytes, size_t fill,
                            const struct played_document *d, size_t first)
{
    struct rf_str mark = rf_strf(a, MARK, d->pages, d->words, d->number, first);
    char *p = rf_arena_alloc(a, bytes.n + fill + mark.n);
    memcpy(p, bytes.p, bytes.n);
    memset(p + bytes.n, ' ', fill);
    memcpy(p + bytes.n + fill, mark.p, mark.n);
    return (struct rf_str){ p, bytes.n + fill + mark.n };
}

struct rf_str played_document(struct rf_arena *a, const struct played_document *d)
{
    return marked(a, RF_STR(PDF_BYTES), d->pages * d->page_bytes, d, 0);
}

struct rf_str played_pdf(struct rf_arena *a, size_t pages)
{
    return played_document(a, &(struct played_document){ .pages = pages, .words = 8 });
}

/* As it was made; `first` is the first of its pages in the document that it was taken from. */
static bool read_mark(const struct rf_bytes *bytes, struct played_document *d, size_t *first)
{
    struct rf_reader r = { .fd = -1 };
    char tail[MOST_MARK + 1];
    size_t n = bytes->size < MOST_MARK ? (size_t)bytes->size : MOST_MARK, got = 0;
    if (rf_reader_open(&r, bytes, NULL) || rf_reader_read(&r, bytes->size - n, tail, n, &got, NULL))
        RF_BUG("a played file without bytes");
    rf_reader_close(&r);
    tail[got] = '\0';
    const char *mark = memrchr(tail, '%', got);
    *d = (struct played_document){ 0 };
    if (!mark || sscanf(mark, MARK, &d->pages, &d->words, &d->number, first) < 4)
        return false;
    d->page_bytes = (size_t)bytes->size / d->pages;
    return true;
}

bool played_read(const struct rf_bytes *bytes, struct played_pages *out)
{
    struct played_document d;
    size_t first;
    if (!read_mark(bytes, &d, &first))
        return false;
    *out = (struct played_pages){ d.number, (int64_t)first, (int64_t)(first + d.pages) };
    return true;
}

bool played_read_text(struct rf_str *text, struct played_pages *out)
{
    const char *begin = "What stands on page ";
    const char *at = text->n ? memmem(text->p, text->n, begin, strlen(begin)) : NULL;
    long long page;
    size_t number, n = text->n - (size_t)(at ? at - text->p : 0);
    char line[MOST_MARK + 1] = "";
    if (!at)
        return false;
    memcpy(line, at, n < MOST_MARK ? n : MOST_MARK);
    if (sscanf(line, PAGE_TEXT, &page, &number) < 2)
        return false;
    *out = (struct played_pages){ number, page - 1, page };
    *text = (struct rf_str){ at + strlen(begin), n - strlen(begin) };
    return true;
}

static struct played_document document_of(const struct rf_job *job)
{
    struct played_document d;
    size_t first;
    if (!read_mark(job->input, &d, &first))
        RF_BUG("a PDF that nobody played");
    return d;
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

static struct rf_str page_text(const struct played_document *d, int64_t page, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, a, SIZE_MAX);
    if (d->words)
        rf_buf_addf(&b, PAGE_TEXT, (long long)page + 1, d->number);
    for (size_t i = 0; i < d->words; i++)
        rf_buf_addf(&b, i % 2 ? " word" : " the");
    if (rf_buf_finish(&b, &out, NULL))
        RF_BUG("a page without an end");
    return out;
}

/* Pages after the last one are not there. */
static int64_t last_page(const struct rf_job *job, const struct played_document *d)
{
    int64_t last = number(job->ask, "last");
    return last && last < (int64_t)d->pages ? last : (int64_t)d->pages;
}

/* The same of the first, as an array counts. */
static int64_t first_page(const struct rf_job *job)
{
    int64_t first = number(job->ask, "first");
    return first ? first - 1 : 0;
}

static void play_text(struct rf_job *job, struct rf_arena *a)
{
    struct played_document d = document_of(job);
    size_t left = job->max_text ? (size_t)job->max_text : SIZE_MAX;
    for (int64_t page = first_page(job); page < last_page(job, &d); page++) {
        struct rf_job_part *p = add_part(job, a, "text");
        p->text = page_text(&d, page, a);
        if (p->text.n > left) { /* as that of a real one is cut */
            p->text.n = left;
            say(p, a, "cut", 1);
        }
        left -= p->text.n;
        say(p, a, "page", page + 1);
    }
}

static void play_pages(struct rf_job *job, struct rf_arena *a)
{
    struct played_document d = document_of(job);
    if (number(job->ask, "max_bytes") < LEAST_BYTES) {
        job->failed = rf_fail(&job->err, RF_ELIMIT, "no picture is that small");
        return;
    }
    for (int64_t page = first_page(job); page < last_page(job, &d); page++) {
        struct rf_job_part *p = add_picture(job, a, 1240, 1754);
        struct played_document one = { .number = d.number, .pages = 1 };
        p->bytes.text.n -= MOST_MARK;
        p->bytes = rf_bytes_memory(marked(a, p->bytes.text, 0, &one, (size_t)page));
        say(p, a, "page", page + 1);
    }
}

static void play_part(struct rf_job *job, struct rf_arena *a)
{
    struct played_document d = document_of(job), part = d;
    int64_t first = first_page(job), last = last_page(job, &d);
    struct rf_job_part *p = add_part(job, a, "document");
    part.pages = (size_t)(last - first);
    p->bytes = rf_bytes_memory(
        marked(a, RF_STR(PDF_BYTES), part.pages * part.page_bytes, &part, (size_t)first));
    say(p, a, "first", first + 1);
    say(p, a, "last", last);
}

static void play_exam(struct rf_job *job, struct rf_arena *a)
{
    struct played_document d = document_of(job);
    struct rf_text_weight weight = { 0 };
    char *text = rf_arena_alloc(a, RF_WEIGHT_TEXT);
    rf_text_weigh(page_text(&d, 0, a), &weight);
    rf_text_weight_scale(&weight, (int64_t)d.pages, 1);
    rf_text_weight_write(&weight, text);
    *RF_PUSH(a, job->facts, job->fact_count, job->fact_cap) =
        (struct rf_prop){ RF_STR("pages"), rf_strf(a, "%zu", d.pages) };
    *RF_PUSH(a, job->facts, job->fact_count, job->fact_cap) =
        (struct rf_prop){ RF_STR("weight"), rf_str(text) };
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
    if (!played_well && nature(job, a) % 10 == 0) {
        job->failed = rf_fail(&job->err, RF_EFORMAT, "the file is cut off");
        job->judged = true;
        return;
    }
    if (rf_str_is(op, "convert"))
        add_picture(job, a, facts.width, facts.height);
    else if (rf_str_is(op, "render"))
        play_pages(job, a);
    else if (rf_str_is(op, "text") && strcmp(job->family, "pdf") == 0)
        play_text(job, a);
    else if (rf_str_is(op, "text"))
        add_part(job, a, "text")->text = RF_STR("The words that are in it.");
    else if (rf_str_is(op, "part"))
        play_part(job, a);
    else if (rf_str_is(op, "frames"))
        play_frames(job, a);
    else if (rf_str_is(op, "sound"))
        add_part(job, a, "audio")->bytes = rf_bytes_memory(RF_STR(WAV_BYTES));
    else if (rf_str_is(op, "info") && strcmp(job->family, "pdf") == 0)
        play_exam(job, a);
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
