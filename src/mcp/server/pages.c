/* pdf_pages: pages of a PDF as pictures, each after its caption. As many bytes as the host takes of
 * one result are shared among the pages, so that none has to be left out afterwards. */
#include "mcp/server/files.h"

#include "media/recipe.h"
#include "model/model.h"

#include <inttypes.h>

#define MOST_PAGES 20
#define USUAL_PAGES 4
#define USUAL_SIDE 1568
#define USUAL_DPI 300                      /* of which the side is what counts */
#define USUAL_RESULT ((int64_t)900 * 1024) /* bytes of a result, where the host has no limit */

struct showing {
    const struct rf_mcp_file *file;
    struct rf_read read;
    int64_t first, last, total; /* from 1 */
    int64_t dpi;
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

/* "#p=3-5" after the path counts where the arguments name no page. */
static enum rf_code choose_pages(struct showing *s, struct rf_err *err)
{
    const struct rf_file_part *part = &s->read.call.part;
    if (s->first < 0 && s->last < 0 && part->range_count) {
        s->first = part->ranges[0].first - 1;
        s->last = part->ranges[0].last ? part->ranges[0].last : -1;
    }
    s->first = s->first < 0 ? 1 : s->first + 1;
    if (s->last < 0)
        s->last = s->first + USUAL_PAGES - 1;
    if (s->first > s->total) {
        rf_fail(err, RF_EUSAGE,
                "page_start %" PRId64 " is past the end: there are %" PRId64 " pages", s->first - 1,
                s->total);
        rf_hint(err, "Pages are counted from 0.");
        return RF_EUSAGE;
    }
    if (s->last < s->first)
        return rf_fail(err, RF_EUSAGE, "page_end is not after page_start");
    if (s->last > s->total)
        s->last = s->total;
    if (s->last - s->first >= MOST_PAGES)
        s->last = s->first + MOST_PAGES - 1;
    return RF_OK;
}

static enum rf_code draw(struct showing *s, struct rf_job *job, struct rf_err *err)
{
    const struct rf_caps *caps = &s->file->host->caps;
    int64_t pages = s->last - s->first + 1;
    int64_t bytes = caps->max_body_bytes ? caps->max_body_bytes : USUAL_RESULT;
    *job = (struct rf_job){
        .family = s->read.format->family,
        .ask =
            RF_ASK(s->read.arena, .make = RF_MAKE_PAGE_PICTURES, .pages = { s->first, s->last },
                   .dpi = s->dpi > 0 ? s->dpi : USUAL_DPI, .types = RF_STR("image/png,image/jpeg"),
                   .max_side = caps->max_image_side ? caps->max_image_side : USUAL_SIDE,
                   .max_bytes = bytes * 5 / 8 / pages, .password = s->read.tools->password),
    };
    rf_read_ask(&s->read, job, 1);
    if (!job->failed)
        return RF_OK;
    *err = job->err;
    return job->failed;
}

static void add_caption(struct rf_result *result, int64_t page)
{
    struct rf_err err;
    struct rf_block text = { .type = RF_BLOCK_TEXT,
                             .text = rf_strf(result->arena, "Page %" PRId64 ":", page) };
    if (rf_content_add(&result->content, &text, &err))
        RF_BUG("a caption that does not fit");
}

static void say_what(struct showing *s, const struct rf_job *job)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->part_count; i++)
        bytes += job->parts[i].bytes.size;
    struct rf_str sent = rf_read_number(&s->read, (int64_t)bytes);
    struct rf_str of = rf_read_number(&s->read, (int64_t)s->read.bytes.size);
    rf_read_note(&s->read,
                 "[PDF: %.*s, pages %" PRId64 "-%" PRId64 " of %" PRId64
                 " as pictures, counted from 1; %.*s bytes for %.*s]",
                 RF_FMT(s->read.name), s->first, s->last, s->total, RF_FMT(sent), RF_FMT(of));
    if (s->last < s->total)
        rf_read_note(&s->read, "Use page_start=%" PRId64 " to continue.", s->last);
    rf_read_notes(&s->read, job);
}

static enum rf_code show(struct showing *s, struct rf_result *result, struct rf_err *err)
{
    struct rf_job job;
    enum rf_code rc = draw(s, &job, err);
    if (rc)
        return rc;
    say_what(s, &job);
    for (size_t i = 0; i < job.part_count; i++) {
        add_caption(result, s->first + (int64_t)i);
        s->read.block_cap = result->content.block_cap;
        rf_read_made_block(&s->read, RF_BLOCK_IMAGE, &job.parts[i]);
        result->content.block_cap = s->read.block_cap;
    }
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
        !rf_mcp_file_number(&f, "page_start", 0, RF_MAX_PAGES, &s.first) ||
        !rf_mcp_file_number(&f, "page_end", 1, RF_MAX_PAGES, &s.last) ||
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
