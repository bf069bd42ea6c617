/* The text of pages. Documents give it by pages, many at once, since whoever turns pages or looks
 * for words wants the next ones too; of anything else it is what a read of the whole file gives. */
#include "source/preview.h"

#include "base/arena.h"
#include "media/recipe.h"
#include "source/document.h"

#include <inttypes.h>

#define PAGES_AT_ONCE 20
#define MAX_PAGES 100000 /* of one preview */

int64_t rf_preview_in_file(const struct rf_preview *p, size_t page)
{
    const struct rf_file_part *part = &p->read.call.part;
    int64_t left = (int64_t)page;
    for (size_t i = 0; i < part->range_count; i++) {
        int64_t n = rf_pages_count(rf_pages_within(part->ranges[i], p->total));
        if (left < n)
            return part->ranges[i].first + left;
        left -= n;
    }
    return (int64_t)page + 1;
}

enum rf_code rf_preview_take_pages(struct rf_preview *p, int64_t total, struct rf_err *err)
{
    const struct rf_file_part *part = &p->read.call.part;
    int64_t count = part->range_count ? 0 : total;
    for (size_t i = 0; i < part->range_count; i++) {
        if (part->ranges[i].first > total)
            return rf_fail(err, RF_EUSAGE, "there is no %s %" PRId64 ": the last is %" PRId64,
                           p->word, part->ranges[i].first, total);
        count += rf_pages_count(rf_pages_within(part->ranges[i], total));
    }
    if (count > MAX_PAGES) {
        rf_fail(err, RF_ELIMIT, "these are more than %d %ss", MAX_PAGES, p->word);
        rf_hint(err, "Name some of them, as in report.pdf#p=1-500.");
        return RF_ELIMIT;
    }
    p->total = total;
    p->count = (size_t)(count > 0 ? count : 1);
    p->pages = RF_ARRAY(p->arena, struct rf_preview_page, p->count);
    return RF_OK;
}

/* The text of a page of the file, for every page of ours that is it. */
static void take_text(struct rf_preview *p, int64_t in_file, struct rf_str text, struct rf_str name)
{
    bool all = !p->read.call.part.range_count;
    for (size_t i = all && in_file > 0 ? (size_t)in_file - 1 : 0; i < p->count; i++) {
        struct rf_preview_page *page = &p->pages[i];
        if (!page->has_text && rf_preview_in_file(p, i) == in_file)
            *page = (struct rf_preview_page){ .text = text, .name = name, .has_text = true };
        if (all)
            break;
    }
}

static struct rf_str title_of(const struct rf_job_part *part)
{
    return rf_prop_str(part->props, part->prop_count, "title");
}

/* All in one, where it has no pages. */
static void take_all(struct rf_preview *p, const struct rf_job *job)
{
    struct rf_buf b;
    rf_buf_init(&b, p->arena, RF_MAX_DOCUMENT_BYTES);
    rf_buf_add(&b, job->text);
    for (size_t i = 0; i < job->part_count; i++)
        rf_buf_addf(&b, "%s%.*s\n", b.n ? "\n" : "", RF_FMT(rf_str_trim(job->parts[i].text)));
    if (rf_buf_finish(&b, &p->pages[0].text, NULL))
        p->pages[0].text = RF_STR("");
    p->pages[0].has_text = true;
    if (job->part_count == 1)
        p->pages[0].name = title_of(&job->parts[0]);
}

enum rf_code rf_preview_read_pages(struct rf_preview *p, int64_t first, struct rf_err *err)
{
    bool whole = p->kind == RF_PREVIEW_DOCUMENT && p->read.format->parts->flows;
    struct rf_pages pages = { first, first + PAGES_AT_ONCE - 1 };
    struct rf_str sheet = p->read.call.part.sheet;
    struct rf_job job = { .family = p->family };
    job.ask = RF_ASK(p->arena, .make = RF_MAKE_TEXT, .mime = p->mime,
                     .pages = whole ? (struct rf_pages){ 0 } : pages, .sheet = sheet,
                     .password = p->tools.password);
    enum rf_code rc = rf_preview_ask(p, &job, p->arena, err);
    int64_t total = rc ? 0 : rf_prop_int(job.facts, job.fact_count, "pages");
    if (!rc && !p->pages)
        rc = rf_preview_take_pages(p, whole || total < 1 || sheet.n ? 1 : total, err);
    if (rc)
        return rc;
    if (p->kind == RF_PREVIEW_DOCUMENT && p->count == 1 && (whole || sheet.n || total < 2))
        take_all(p, &job);
    for (size_t i = 0; i < job.part_count; i++)
        take_text(p, rf_document_page(&job.parts[i]), rf_str_trim(job.parts[i].text),
                  title_of(&job.parts[i]));
    for (int64_t i = first; i <= pages.last && i <= p->total; i++) /* none is asked for twice */
        take_text(p, i, RF_STR(""), RF_STR(""));
    return RF_OK;
}

/* What a person wants of it: the text without what is said about it; where there is nothing else,
 * that. */
static struct rf_str text_of(struct rf_preview *p, struct rf_read *r)
{
    struct rf_str head = { 0 }, body = { 0 };
    for (size_t i = 0; i < p->message.block_count; i++)
        if (p->message.blocks[i].media.extracted_text.n)
            return p->message.blocks[i].media.extracted_text;
    if (rf_buf_finish(&r->head, &head, NULL) || rf_buf_finish(&r->body, &body, NULL))
        return RF_STR("");
    bool picture = p->message.block_count && p->message.blocks[0].type == RF_BLOCK_IMAGE;
    return body.n || picture ? body : rf_str_trim(head);
}

enum rf_code rf_preview_read_whole(struct rf_preview *p, struct rf_err *err)
{
    struct rf_read r = {
        .tools = &p->tools,
        .arena = p->arena,
        .call = p->read.call,
        .root = p->read.root,
        .name = p->read.name,
        .bytes = p->read.bytes,
        .unpacked = p->read.unpacked,
        .listed = p->read.listed,
        .message = &p->message,
    };
    rf_read_init(&r);
    enum rf_code rc = rf_read_bytes(&r, err);
    if (rc)
        return rc;
    p->pages[0].text = text_of(p, &r);
    p->pages[0].has_text = true;
    p->read.mime = r.mime;
    p->read.count = r.count;
    return RF_OK;
}

/* Pictures have none, but for drawings, which are text themselves. */
static bool may_have_text(const struct rf_preview *p, size_t page)
{
    bool drawn = p->read.format && p->read.format->drawn;
    bool pixels = p->kind == RF_PREVIEW_PICTURE && !drawn;
    return page == 0 && !pixels && p->kind != RF_PREVIEW_PICTURES;
}

enum rf_code rf_preview_text(struct rf_preview *p, size_t page, struct rf_str *text,
                             struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    if (page >= p->count)
        return rf_fail(err, RF_EUSAGE, "there is no %s %zu", p->word, page + 1);
    if (!p->pages[page].has_text && p->family)
        rc = rf_preview_read_pages(p, rf_preview_in_file(p, page), err);
    else if (!p->pages[page].has_text && may_have_text(p, page))
        rc = rf_preview_read_whole(p, err);
    if (!rc)
        *text = p->pages[page].text;
    return rc;
}
