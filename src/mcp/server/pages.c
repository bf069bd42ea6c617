/* pdf_pages: pages of a PDF as pictures, each after its caption. As many bytes as the host takes of
 * one result are shared among the pages, so that none has to be left out afterwards. */
#include "mcp/server/files.h"

#include "media/recipe.h"
#include "model/model.h"
#include "source/document.h"

#include <inttypes.h>

#define MOST_PAGES 20
#define USUAL_PAGES 4
#define USUAL_SIDE 1568
#define USUAL_DPI 300 /* of which the side is what counts */

struct showing {
    const struct rf_mcp_file *file;
    struct rf_read read;
    int64_t page_start, page_end, dpi; /* as they were given; -1: not */
    struct rf_pages ranges[RF_MAX_RANGES];
    struct rf_job jobs[RF_MAX_RANGES];
    size_t count;         /* of ranges and jobs */
    bool by_part;         /* the path names the pages */
    int64_t shown, total; /* pages */
    struct rf_buf list;   /* of the pages that are shown: "1-4, 9" */
    struct rf_buf left;   /* of those that were asked for too: "10-12,15" */
};

static enum rf_code find(struct showing *s, struct rf_err *err)
{
    enum rf_code rc = rf_read_find(&s->read, err);
    if (!rc)
        rc = rf_read_open(&s->read, err);
    if (!rc && !s->read.listed)
        rc = rf_read_identify(&s->read, err);
    if (rc)
        return rc;
    if (s->read.listed || !s->read.format || s->read.format->kind != RF_KIND_PDF) {
        rf_fail(err, RF_EFORMAT, "this is not a PDF");
        rf_hint(err, "read_file reads it.");
        return RF_EFORMAT;
    }
    return RF_OK;
}

static enum rf_code count_pages(struct showing *s, struct rf_err *err)
{
    struct rf_job job = {
        .family = s->read.format->family,
        .ask = RF_ASK(s->read.arena, .make = RF_MAKE_FACTS, .password = s->read.tools->password),
    };
    rf_read_ask(&s->read, &job, 1);
    if (job.failed) {
        *err = job.err;
        return job.failed;
    }
    s->total = rf_prop_int(job.facts, job.fact_count, "pages");
    return RF_OK;
}

/* What was asked for: by the arguments or else by "#p=3-5,8" after the path. */
static enum rf_code asked_pages(struct showing *s, struct rf_err *err)
{
    const struct rf_file_part *part = &s->read.call.part;
    s->by_part = s->page_start < 0 && s->page_end < 0 && part->range_count;
    s->count = s->by_part ? part->range_count : 1;
    if (s->by_part) {
        memcpy(s->ranges, part->ranges, s->count * sizeof *s->ranges);
        return RF_OK;
    }
    int64_t first = s->page_start < 0 ? 1 : s->page_start + 1;
    s->ranges[0] =
        (struct rf_pages){ first, s->page_end < 0 ? first + USUAL_PAGES - 1 : s->page_end };
    if (s->ranges[0].last >= first)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "page_end must be larger than page_start");
    rf_hint(err, "Pages count from 0, and page_end is the first that is not shown.");
    return RF_EUSAGE;
}

static enum rf_code check_pages(struct showing *s, struct rf_err *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->ranges[i].first > s->total) {
            rf_fail(err, RF_EUSAGE, "there is no page %" PRId64 ": the last is %" PRId64,
                    s->ranges[i].first, s->total);
            rf_hint(err, s->by_part ? "They are counted from 1."
                                    : "page_start counts from 0: it is one less than the number of "
                                      "the page.");
            return RF_EUSAGE;
        }
        s->ranges[i] = rf_pages_within(s->ranges[i], s->total);
    }
    return RF_OK;
}

static void add_range(struct rf_buf *b, const char *between, struct rf_pages p)
{
    rf_buf_addf(b, "%s%" PRId64, b->n ? between : "", p.first);
    if (p.last > p.first)
        rf_buf_addf(b, "-%" PRId64, p.last);
}

/* As many of them as are shown at once; the others are listed. */
static enum rf_code choose_pages(struct showing *s, struct rf_err *err)
{
    size_t count = 0;
    enum rf_code rc = asked_pages(s, err);
    if (!rc)
        rc = check_pages(s, err);
    rf_buf_init(&s->list, s->read.arena, SIZE_MAX);
    rf_buf_init(&s->left, s->read.arena, SIZE_MAX);
    for (size_t i = 0; !rc && i < s->count; i++) {
        struct rf_pages all = s->ranges[i], shown = { all.first, all.first - 1 };
        if (s->shown < MOST_PAGES)
            shown = s->ranges[count++] = rf_pages_at_most(all, MOST_PAGES - s->shown);
        s->shown += rf_pages_count(shown);
        if (rf_pages_count(shown))
            add_range(&s->list, ", ", shown);
        if (shown.last < all.last)
            add_range(&s->left, ",", (struct rf_pages){ shown.last + 1, all.last });
    }
    s->count = count;
    return rc;
}

static enum rf_code draw(struct showing *s, struct rf_err *err)
{
    const struct rf_caps *caps = &s->file->host->caps;
    for (size_t i = 0; i < s->count; i++)
        s->jobs[i] = (struct rf_job){
            .family = s->read.format->family,
            .ask = RF_ASK(s->read.arena, .make = RF_MAKE_PAGE_PICTURES, .pages = s->ranges[i],
                          .dpi = s->dpi > 0 ? s->dpi : USUAL_DPI,
                          .types = RF_STR("image/png,image/jpeg"),
                          .max_side = caps->max_image_side ? caps->max_image_side : USUAL_SIDE,
                          .max_bytes = rf_mcp_file_most(s->file) * 5 / 8 / s->shown,
                          .password = s->read.tools->password),
        };
    rf_read_ask(&s->read, s->jobs, s->count);
    for (size_t i = 0; i < s->count; i++)
        if (s->jobs[i].failed) {
            *err = s->jobs[i].err;
            return s->jobs[i].failed;
        }
    return RF_OK;
}

static void say_next(struct showing *s)
{
    if (s->by_part && s->left.n)
        rf_read_note(&s->read, "Use #p=%.*s to continue.", (int)s->left.n, s->left.p);
    else if (s->count == 1 && s->ranges[0].last < s->total)
        rf_read_note(&s->read, "Use page_start=%" PRId64 " to continue.", s->ranges[0].last);
}

static void say_what(struct showing *s)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->jobs[i].part_count; k++)
            bytes += s->jobs[i].parts[k].bytes.size;
    struct rf_str sent = rf_read_number(&s->read, (int64_t)bytes);
    struct rf_str of = rf_read_number(&s->read, (int64_t)s->read.bytes.size);
    rf_read_note(
        &s->read,
        "[PDF: %.*s, pages %.*s of %" PRId64 " as pictures, counted from 1; %.*s bytes for %.*s]",
        RF_FMT(s->read.name), (int)s->list.n, s->list.p, s->total, RF_FMT(sent), RF_FMT(of));
    say_next(s);
    for (size_t i = 0; i < s->count; i++)
        rf_read_notes(&s->read, &s->jobs[i]);
}

/* A page that cannot be drawn is not among the parts, and a note says so. */
static void add_pages(struct showing *s, const struct rf_job *job)
{
    for (size_t i = 0; i < job->part_count; i++) {
        struct rf_block *b = rf_read_made_block(&s->read, RF_BLOCK_IMAGE, &job->parts[i]);
        if (b)
            b->text_fallback = rf_strf(s->read.arena, "[Page %" PRId64 " of %.*s]",
                                       rf_document_page(&job->parts[i]), RF_FMT(s->read.name));
    }
}

static enum rf_code show(struct showing *s, struct rf_result *result, struct rf_err *err)
{
    enum rf_code rc = draw(s, err);
    if (rc)
        return rc;
    say_what(s);
    for (size_t i = 0; i < s->count; i++)
        add_pages(s, &s->jobs[i]);
    rc = rf_buf_finish(&s->read.head, &result->message.output, err);
    result->message.output = rf_str_trim(result->message.output);
    return rc;
}

void rf_mcp_pdf_pages(struct rf_mcp_call *c)
{
    struct rf_mcp_file f;
    struct rf_err err = { 0 };
    struct showing s = { .file = &f };
    if (!rf_mcp_file_open(c, "path", &f) ||
        !rf_mcp_file_number(&f, "page_start", 0, RF_MAX_PAGES, &s.page_start) ||
        !rf_mcp_file_number(&f, "page_end", 1, RF_MAX_PAGES, &s.page_end) ||
        !rf_mcp_file_number(&f, "resolution", 36, 600, &s.dpi))
        return;
    struct rf_result *result = rf_result_new();
    result->message.name = RF_STR("pdf_pages");
    s.read =
        (struct rf_read){ .tools = f.tools, .arena = result->arena, .message = &result->message };
    s.read.call = (struct rf_read_call){
        .path = f.path, .offset = -1, .limit = -1, .byte_offset = -1, .byte_limit = -1
    };
    f.tools->stopped = false;
    rf_read_init(&s.read);
    bool failed =
        find(&s, &err) || count_pages(&s, &err) || choose_pages(&s, &err) || show(&s, result, &err);
    rf_reader_close(&s.read.reader);
    if (!failed) {
        rf_mcp_file_present(&f, result);
        return;
    }
    if (s.read.name.n)
        rf_err_at(&err, rf_cstr(c->arena, s.read.name));
    rf_mcp_file_fail(&f, &err);
    rf_result_free(result);
}
