/* Looking at files through the workers: what can decode them tells what they are. Without a
 * worker, the header has to do. */
#include "base/arena.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "media/recipe.h"
#include "media/worker.h"
#include "sim/mind.h"

#include <inttypes.h>

#define TIMEOUT_MS 120000 /* on a machine that is busy, too */
#define MAX_EXCERPT 120   /* bytes of a text that is quoted */
#define MAX_WORDS 4096    /* bytes about one file */
#define SHOWN_DIGITS 16   /* of a hash */
#define MIN_CODE 4        /* letters and digits */
#define MAX_CODE 40
#define CODE_DPI 150

static const struct {
    enum rf_kind kind;
    const char *family;
    enum rf_make make;
} asks[] = {
    { RF_KIND_IMAGE, "image", RF_MAKE_FACTS },  { RF_KIND_PDF, "pdf", RF_MAKE_TEXT },
    { RF_KIND_OFFICE, "office", RF_MAKE_TEXT }, { RF_KIND_AUDIO, "av", RF_MAKE_FACTS },
    { RF_KIND_VIDEO, "av", RF_MAKE_FACTS },
};

/* One file under the eyes of a worker. */
struct eye {
    struct rf_sim_sight *sight;
    struct rf_bytes bytes;
    struct rf_str sha256;
    struct rf_job *job; /* NULL: no worker was asked */
};

static struct rf_str first_text(const struct rf_job *job)
{
    struct rf_str text = job->part_count > 0 ? job->parts[0].text : job->text;
    return rf_str_trim(text);
}

static struct rf_str hash_of(const struct rf_bytes *bytes, struct rf_arena *a)
{
    uint8_t digest[32];
    char hex[65];
    if (rf_bytes_sha256(bytes, digest, NULL))
        return RF_STR("");
    rf_sha256_hex(digest, hex);
    return rf_str_dup(a, rf_str(hex));
}

/* A text on one line, cut. */
static void add_excerpt(struct rf_buf *b, struct rf_str text)
{
    struct rf_str cut = rf_utf8_cut(text, MAX_EXCERPT);
    bool space = false;
    rf_buf_addc(b, '"');
    for (size_t i = 0; i < cut.n; i++) {
        bool blank = (unsigned char)cut.p[i] <= ' ';
        if (!blank || !space)
            rf_buf_addc(b, blank ? ' ' : cut.p[i]);
        space = blank;
    }
    rf_buf_add(b, cut.n < text.n ? RF_STR("…\"") : RF_STR("\""));
}

static void add_duration(struct rf_buf *b, int64_t ms)
{
    if (ms > 0)
        rf_buf_addf(b, " of %" PRId64 ".%" PRId64 " s", ms / 1000, ms / 100 % 10);
}

static void add_from_header(struct rf_buf *b, const struct eye *e)
{
    struct rf_facts facts;
    if (!e->sight->format || !rf_sim_facts(e->sight->seen->bytes, e->sight->format, &facts))
        return;
    if (facts.width > 0)
        rf_buf_addf(b, " %" PRIu32 "x%" PRIu32, facts.width, facts.height);
    add_duration(b, facts.duration_ms);
}

static void add_from_worker(struct rf_buf *b, const struct rf_job *job)
{
    int64_t width = rf_prop_side(job->facts, job->fact_count, "width");
    int64_t height = rf_prop_side(job->facts, job->fact_count, "height");
    int64_t pages = rf_prop_int(job->facts, job->fact_count, "pages");
    struct rf_str text = first_text(job);
    if (width > 0)
        rf_buf_addf(b, " %" PRId64 "x%" PRId64, width, height);
    add_duration(b, rf_prop_int(job->facts, job->fact_count, "duration_ms"));
    if (pages > 0)
        rf_buf_addf(b, " of %" PRId64 " page%s", pages, pages == 1 ? "" : "s");
    if (text.n > 0) {
        rf_buf_add(b, RF_STR(" that begins with "));
        add_excerpt(b, text);
    }
}

/* "image/png 640x480 (sha256 9f2c…)" */
static void describe(struct eye *e, struct rf_arena *a)
{
    const struct rf_sim_seen *s = e->sight->seen;
    const struct rf_format *f = e->sight->format;
    struct rf_buf b;
    struct rf_err err;
    rf_buf_init(&b, a, MAX_WORDS);
    rf_buf_add(&b, f ? rf_str(f->mime) : s->mime);
    if (e->job && !e->job->failed)
        add_from_worker(&b, e->job);
    else
        add_from_header(&b, e);
    if (f && f->kind == RF_KIND_TEXT) {
        rf_buf_add(&b, RF_STR(" that begins with "));
        add_excerpt(&b, rf_str_trim(s->bytes));
    }
    if (e->job && e->job->failed && e->job->judged)
        rf_buf_addf(&b, " that I could not decode (%s)", e->job->err.msg);
    if (e->sha256.n)
        rf_buf_addf(&b, " (sha256 %.*s…)", SHOWN_DIGITS, e->sha256.p);
    if (rf_buf_finish(&b, &e->sight->words, &err))
        e->sight->words = RF_STR("a file");
}

/* The job that tells about a file; false where none does. */
static bool ask(struct eye *e, const struct rf_sim_options *o, struct rf_arena *a,
                struct rf_job *job)
{
    const struct rf_format *f = e->sight->format;
    for (size_t i = 0; f && i < sizeof asks / sizeof *asks; i++) {
        if (asks[i].kind != f->kind)
            continue;
        *job = (struct rf_job){
            .family = asks[i].family,
            .ask = RF_ASK(a, .make = asks[i].make, .mime = rf_str(f->mime), .pages = { 1, 1 }),
            .input = &e->bytes,
            .sha256 = e->sha256,
            .timeout_ms = TIMEOUT_MS,
            .cancel_fd = o->stop_fd,
        };
        return true;
    }
    return false;
}

/* Codes. */

static bool is_code_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || rf_is_digit(c);
}

/* How many capital letters and digits a word has; 0 where it has small ones too. */
static size_t count_code_letters(struct rf_str word)
{
    size_t n = 0;
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] >= 'a' && word.p[i] <= 'z')
            return 0;
        n += is_code_letter(word.p[i]);
    }
    return n;
}

/* The word that is most like a code, with a mark for each letter that could not be read. */
static struct rf_str find_code(struct rf_str text, struct rf_arena *a)
{
    struct rf_str best = RF_STR("");
    size_t most = MIN_CODE - 1;
    if (text.n == 0)
        return best;
    for (size_t i = 0, start = 0; i <= text.n; i++) {
        if (i < text.n && (unsigned char)text.p[i] > ' ')
            continue;
        struct rf_str word = { text.p + start, i - start };
        size_t n = count_code_letters(word);
        if (n > most && word.n <= MAX_CODE) {
            best = word;
            most = n;
        }
        start = i + 1;
    }
    char *p = rf_arena_alloc(a, best.n + 1);
    for (size_t i = 0; i < best.n; i++)
        p[i] = is_code_letter(best.p[i]) ? best.p[i] : '?';
    return (struct rf_str){ p, best.n };
}

static struct rf_str read_picture(const struct rf_bytes *picture, struct rf_str sha256,
                                  const struct rf_sim_options *o, struct rf_arena *a)
{
    struct rf_job job = {
        .family = "ocr",
        .ask = RF_ASK(a, .make = RF_MAKE_TEXT),
        .input = picture,
        .sha256 = sha256,
        .timeout_ms = TIMEOUT_MS,
        .cancel_fd = o->stop_fd,
    };
    rf_workers_run(rf_workers_shared(), &job, 1, a);
    return job.failed ? RF_STR("") : first_text(&job);
}

/* A page that holds no text is looked at. */
static struct rf_str read_pdf(const struct eye *e, const struct rf_sim_options *o,
                              struct rf_arena *a)
{
    struct rf_job job = {
        .family = "pdf",
        .ask = RF_ASK(a, .make = RF_MAKE_PAGE_PICTURES, .pages = { 1, 1 }, .dpi = CODE_DPI,
                      .types = RF_STR("image/png")),
        .input = &e->bytes,
        .sha256 = e->sha256,
        .timeout_ms = TIMEOUT_MS,
        .cancel_fd = o->stop_fd,
    };
    rf_workers_run(rf_workers_shared(), &job, 1, a);
    if (job.failed || job.part_count == 0)
        return RF_STR("");
    return read_picture(&job.parts[0].bytes, RF_STR(""), o, a);
}

static void look_for_code(struct eye *e, const struct rf_sim_options *o, struct rf_arena *a)
{
    const struct rf_format *f = e->sight->format;
    if (e->job && !e->job->failed)
        e->sight->code = find_code(first_text(e->job), a);
    if (e->sight->code.n > 0 || !f)
        return;
    if (f->kind == RF_KIND_IMAGE)
        e->sight->code = find_code(read_picture(&e->bytes, e->sha256, o, a), a);
    else if (f->kind == RF_KIND_PDF)
        e->sight->code = find_code(read_pdf(e, o, a), a);
}

void rf_sim_look(const struct rf_sim_request *r, const struct rf_sim_options *o,
                 struct rf_sim_sight *sights, size_t count, bool codes)
{
    struct eye *eyes = RF_ARRAY(r->arena, struct eye, count);
    struct rf_job *jobs = RF_ARRAY(r->arena, struct rf_job, count);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        eyes[i].sight = &sights[i];
        eyes[i].bytes = rf_bytes_memory(sights[i].seen->bytes);
        eyes[i].sha256 = hash_of(&eyes[i].bytes, r->arena);
        sights[i].format =
            rf_format_refine(sights[i].seen->format, sights[i].seen->mime, RF_STR(""));
        if (!o->no_worker && ask(&eyes[i], o, r->arena, &jobs[n]))
            eyes[i].job = &jobs[n++];
    }
    if (n > 0)
        rf_workers_run(rf_workers_shared(), jobs, n, r->arena);
    for (size_t i = 0; i < count; i++) {
        describe(&eyes[i], r->arena);
        if (codes && !o->no_worker)
            look_for_code(&eyes[i], o, r->arena);
    }
}
