#include "source/recognise.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "media/recipe.h"

#include <inttypes.h>
#include <unistd.h>

#define MAX_AT_ONCE 8
#define MAX_TEXT ((size_t)20 * 1024) /* bytes of one picture's */
#define TIMEOUT_MS 20000             /* of one picture */
#define DPI 200
#define MOST_SIDE 2600
#define DOUBTFUL 75 /* a confidence below this is said to be low */

static size_t at_once(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MAX_AT_ONCE ? MAX_AT_ONCE : (size_t)cores;
}

/* At most MAX_AT_ONCE of them. */
static void recognise(struct rf_recognising *how, const struct rf_bytes *const *pictures,
                      size_t count, struct rf_arena *a, struct rf_recognised *out)
{
    struct rf_job jobs[MAX_AT_ONCE];
    size_t which[MAX_AT_ONCE], n = 0;
    for (size_t i = 0; i < count; i++) {
        out[i] = (struct rf_recognised){ .text = RF_STR("") };
        if (!pictures[i] || !pictures[i]->size)
            continue;
        which[n] = i;
        jobs[n++] = (struct rf_job){
            .family = "ocr",
            .ask = RF_ASK(a, .make = RF_MAKE_TEXT),
            .input = pictures[i],
            .timeout_ms = TIMEOUT_MS,
            .cancel_fd = how->cancel_fd,
        };
    }
    if (n)
        rf_cache_run(how->cache, rf_workers_shared(), jobs, n, a);
    for (size_t i = 0; i < n; i++) {
        const struct rf_job_part *part = jobs[i].part_count ? jobs[i].parts : NULL;
        how->missing |= jobs[i].failed == RF_ECONFIG;
        out[which[i]].tried = !jobs[i].failed;
        if (jobs[i].failed || !part)
            continue;
        out[which[i]].text = rf_utf8_cut(rf_str_trim(part->text), MAX_TEXT);
        out[which[i]].confidence = rf_prop_int(part->props, part->prop_count, "confidence");
    }
}

void rf_recognise_pictures(struct rf_recognising *how, const struct rf_bytes *const *pictures,
                           size_t count, struct rf_arena *a, struct rf_recognised *out)
{
    for (size_t i = 0, n; i < count; i += n) {
        n = count - i < MAX_AT_ONCE ? count - i : MAX_AT_ONCE;
        recognise(how, pictures + i, n, a, out + i);
    }
}

/* Some pages, as pictures and then as text. */
static void read_pages(struct rf_recognising *how, const struct rf_bytes *pdf, const int64_t *pages,
                       size_t count, struct rf_arena *a, struct rf_recognised *out)
{
    struct rf_job jobs[MAX_AT_ONCE];
    const struct rf_bytes *pictures[MAX_AT_ONCE];
    for (size_t i = 0; i < count; i++)
        jobs[i] = (struct rf_job){
            .family = "pdf",
            .ask = RF_ASK(a, .make = RF_MAKE_PAGE_PICTURES, .pages = { pages[i], pages[i] },
                          .dpi = DPI, .types = RF_STR("image/png"), .max_side = MOST_SIDE,
                          .password = how->password),
            .input = pdf,
            .cancel_fd = how->cancel_fd,
        };
    rf_cache_run(how->cache, rf_workers_shared(), jobs, count, a);
    for (size_t i = 0; i < count; i++)
        pictures[i] = jobs[i].failed || !jobs[i].part_count ? NULL : &jobs[i].parts[0].bytes;
    recognise(how, pictures, count, a, out);
}

/* The text on each of these pages of a PDF, as far as the budget goes. */
static void recognise_pages(struct rf_recognising *how, const struct rf_bytes *pdf,
                            const int64_t *pages, size_t count, struct rf_arena *a,
                            struct rf_recognised *out)
{
    int64_t end = how->most_ms > 0 ? rf_now_ms() + how->most_ms : INT64_MAX;
    size_t most = how->most_pages < 0 ? 0 : (size_t)how->most_pages, done = 0;
    most = most < count ? most : count;
    for (size_t n; done < most && !how->missing && rf_now_ms() < end; done += n) {
        n = most - done < at_once() ? most - done : at_once();
        read_pages(how, pdf, pages + done, n, a, out + done);
        if (how->step && !how->step(how->context, (int64_t)(done + n), (int64_t)most))
            most = done + n;
    }
    how->most_pages -= (int64_t)done;
    how->left_over += (int64_t)(count - done);
    for (; done < count; done++)
        out[done] = (struct rf_recognised){ .text = RF_STR("") };
}

static bool is_scan(const struct rf_job_part *part)
{
    return !rf_str_trim(part->text).n && rf_prop_int(part->props, part->prop_count, "pictures") > 0;
}

static void add_number(struct rf_job_part *part, const char *key, int64_t value, struct rf_arena *a)
{
    *RF_PUSH(a, part->props, part->prop_count, part->prop_cap) =
        (struct rf_prop){ rf_str(key), rf_strf(a, "%" PRId64, value) };
}

size_t rf_recognise_scans(struct rf_recognising *how, struct rf_job *job,
                          const struct rf_bytes *pdf, struct rf_arena *a)
{
    struct rf_job_part **scans = RF_ARRAY(a, struct rf_job_part *, job->part_count);
    int64_t *pages = RF_ARRAY(a, int64_t, job->part_count);
    size_t count = 0, given = 0;
    for (size_t i = 0; i < job->part_count; i++)
        if (is_scan(&job->parts[i])) {
            scans[count] = &job->parts[i];
            pages[count++] = rf_prop_int(job->parts[i].props, job->parts[i].prop_count, "page");
        }
    struct rf_recognised *out = RF_ARRAY(a, struct rf_recognised, count);
    recognise_pages(how, pdf, pages, count, a, out);
    for (size_t i = 0; i < count; i++) {
        if (!out[i].tried)
            add_number(scans[i], "scanned", 1, a);
        if (!out[i].text.n)
            continue;
        scans[i]->text = out[i].text;
        add_number(scans[i], "recognised", 1, a);
        add_number(scans[i], "confidence", out[i].confidence, a);
        given++;
    }
    return given;
}

struct rf_str rf_recognised_words(int64_t confidence, struct rf_arena *a)
{
    return confidence >= DOUBTFUL
               ? rf_strf(a, "recognised by OCR, may be wrong; confidence %" PRId64 " %%",
                         confidence)
               : rf_strf(a,
                         "recognised by OCR, probably wrong in places; confidence only %" PRId64
                         " %%",
                         confidence);
}

struct rf_str rf_recognised_line(const struct rf_job_part *part, struct rf_arena *a)
{
    if (!rf_prop_int(part->props, part->prop_count, "recognised"))
        return RF_STR("");
    int64_t confidence = rf_prop_int(part->props, part->prop_count, "confidence");
    return rf_strf(a, "[Text %.*s]\n", RF_FMT(rf_recognised_words(confidence, a)));
}
