#include "source/document.h"

#include "base/arena.h"
#include "media/recipe.h"

#include <inttypes.h>

#define MAX_TEXTS ((uint64_t)8 << 20) /* of several ranges, which arrive side by side */

int64_t rf_document_page(const struct rf_job_part *part)
{
    return rf_prop_int(part->props, part->prop_count, "page");
}

/* The pages that the call names: its parts, or all from one to another. */
static enum rf_code wanted(struct rf_document *d, struct rf_err *err)
{
    const struct rf_read_call *call = &d->read->call;
    d->asked_count = call->part.range_count ? call->part.range_count : 1;
    memcpy(d->asked, call->part.ranges, call->part.range_count * sizeof *d->asked);
    if (call->part.range_count)
        return RF_OK;
    d->asked[0] = rf_pages_within(call->pages, 0);
    if (d->asked[0].last >= 0)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "page_end must be larger than page_start");
    rf_hint(err, "Pages count from 0, and page_end is the first that is not read.");
    return RF_EUSAGE;
}

static int64_t most_pages(const struct rf_document *d)
{
    const struct rf_tools *t = d->read->tools;
    int64_t most = t->limits[RF_LIMIT_PAGES];
    bool pictures = d->format->kind == RF_KIND_PDF && t->picture_pages;
    return pictures && t->picture_pages < most ? t->picture_pages : most;
}

/* As many of them as one read gives. */
static void take_ranges(struct rf_document *d)
{
    int64_t left = most_pages(d);
    for (size_t i = 0; i < d->asked_count && left > 0; i++) {
        d->ranges[d->count] = rf_pages_at_most(d->asked[i], left);
        left -= rf_pages_count(d->ranges[d->count++]);
    }
}

/* Were some left out that were asked for one by one? */
static bool is_clipped(const struct rf_document *d)
{
    int64_t last = d->ranges[d->count - 1].last, wanted = d->asked[d->count - 1].last;
    return d->count < d->asked_count || (wanted > last && last < d->pages);
}

static void feed_heading(struct rf_document *d, const struct rf_job_part *part, struct rf_lines *l)
{
    const struct rf_part_words *words = d->format->parts;
    struct rf_str title = rf_prop_str(part->props, part->prop_count, "title");
    if (d->pages < 2 && !words->always)
        return;
    title = words->titled ? title : RF_STR("");
    rf_lines_feed(l, rf_strf(d->read->arena, "--- %s %" PRId64 "%s%.*s ---\n", words->heading,
                             rf_document_page(part), title.n ? ": " : "", RF_FMT(title)));
}

static bool is_picture(const struct rf_job_part *part)
{
    return rf_str_is(rf_prop_str(part->props, part->prop_count, "kind"), "image");
}

static bool goes_on(const struct rf_job_part *part)
{
    return rf_prop_int(part->props, part->prop_count, "goes_on") > 0;
}

/* One page, or what follows a picture on it. */
static void feed_part(struct rf_document *d, const struct rf_job_part *part, struct rf_str text,
                      struct rf_lines *l)
{
    if (!goes_on(part))
        feed_heading(d, part, l);
    rf_lines_feed(l, rf_recognised_line(part, d->read->arena));
    rf_lines_feed(l, text);
    if (text.n)
        rf_lines_feed(l, RF_STR("\n"));
}

/* How a call names these pages again, before the line or the byte that it goes on with. */
static struct rf_str same_pages(const struct rf_document *d, size_t range)
{
    const struct rf_read_call *call = &d->read->call;
    const struct rf_pages *p = &d->ranges[range];
    if (call->part.range_count)
        return d->count == 1
                   ? RF_STR("")
                   : rf_strf(d->read->arena, "#p=%" PRId64 "-%" PRId64 ", ", p->first, p->last);
    if (!call->pages.first && !d->read->tools->whole_pages)
        return RF_STR("");
    if (d->pages < 2 || call->part.sheet.n)
        return RF_STR("");
    return rf_strf(d->read->arena, "page_start=%" PRId64 ", page_end=%" PRId64 ", ", p->first - 1,
                   p->last);
}

/* The text of one range in its window. The last page that is in it from end to end; 0: none. */
static int64_t lay_out(struct rf_document *d, size_t range, struct rf_lines *lines)
{
    struct rf_read *r = d->read;
    const struct rf_job *job = &d->jobs[range];
    struct rf_window window = rf_read_asked(r);
    int64_t whole = 0, page = 0;
    window.max_bytes = window.max_line =
        (size_t)rf_text_share(r->tools->limits[RF_LIMIT_DOCUMENT_TEXT_BYTES], d->count);
    window.max_escaped = window.max_escaped ? window.max_bytes : 0;
    window.numbered = false;
    window.before = same_pages(d, range);
    if (d->count > 1) { /* the next call has to say which */
        window.first = 1;
        window.limit = 0;
    }
    rf_lines_init(lines, &window, r->arena);
    for (size_t i = 0; i < job->part_count; i++) {
        const struct rf_job_part *part = &job->parts[i];
        struct rf_str text = rf_str_trim(part->text);
        if (is_picture(part))
            continue;
        if (!goes_on(part)) {
            whole = lines->full || lines->cut ? whole : page;
            page = rf_document_page(part);
        }
        if (!text.n && d->instead)
            text = d->instead(part);
        if (i > 0)
            rf_lines_feed(lines, RF_STR("\n"));
        feed_part(d, part, text, lines);
    }
    rf_lines_end(lines);
    return whole;
}

static struct rf_str ask_of(struct rf_document *d, const struct rf_pages *pages)
{
    struct rf_read *r = d->read;
    return RF_ASK(r->arena, .make = RF_MAKE_TEXT, .mime = rf_str(d->format->mime), .pages = *pages,
                  /* a worker that knows of it need not go on for long */
                  .max_text = d->count > 1 ? (int64_t)(MAX_TEXTS / d->count) : 0,
                  .pictures = d->pictures,
                  .picture_bytes = d->pictures * r->tools->limits[RF_LIMIT_PICTURE_BYTES],
                  .sheet = r->call.part.sheet, .password = r->tools->password);
}

/* A worker says where the document ends; a model wants to know in its own counting. */
static enum rf_code failed(struct rf_document *d, size_t i, struct rf_err *err)
{
    const struct rf_job *job = &d->jobs[i];
    if (job->failed != RF_EUSAGE || d->read->call.part.sheet.n) {
        *err = job->err;
        return job->failed;
    }
    if (d->read->call.part.sheet.n) /* it was named, and no number was */
        return rf_fail(err, RF_EUSAGE, "%s", job->err.msg);
    rf_fail(err, RF_EUSAGE, "there is no %s %" PRId64 ": %s", d->format->parts->one,
            d->ranges[i].first, job->err.msg);
    if (d->read->call.part.range_count)
        rf_hint(err, "They are counted from 1.");
    else
        rf_hint(err, "page_start counts from 0: it is one less than the number of the page.");
    return RF_EUSAGE;
}

static enum rf_code ask(struct rf_document *d, struct rf_err *err)
{
    for (size_t i = 0; i < d->count; i++)
        d->jobs[i] = (struct rf_job){
            .family = d->format->family,
            .ask = ask_of(d, &d->ranges[i]),
            .max_text = d->count > 1 ? MAX_TEXTS / d->count : 0,
        };
    rf_read_ask(d->read, d->jobs, d->count);
    for (size_t i = 0; i < d->count; i++)
        if (d->jobs[i].failed)
            return failed(d, i, err);
    d->pages = rf_prop_int(d->jobs[0].facts, d->jobs[0].fact_count, "pages");
    for (size_t i = 0; i < d->count; i++) {
        if (d->ranges[i].first > d->pages && d->pages > 0)
            return rf_fail(err, RF_EUSAGE, "there is no %s %" PRId64 ": the last is %" PRId64,
                           d->format->parts->one, d->ranges[i].first, d->pages);
        d->ranges[i] = rf_pages_within(d->ranges[i], d->pages);
    }
    return RF_OK;
}

static bool is_windowed(const struct rf_read *r)
{
    return r->call.offset >= 0 || r->call.limit >= 0 || rf_read_asked(r).by_bytes;
}

/* Does it go as it is, so that nobody may see its text? */
static bool is_silent(const struct rf_document *d)
{
    return d->format->kind == RF_KIND_PDF && d->read->tools->whole_pdfs && !is_windowed(d->read);
}

/* Where pages come with their text, those come whose text fits: whoever goes on with the next page
 * misses nothing. At least one does, and its text goes on by lines. */
static enum rf_code keep_whole_pages(struct rf_document *d, struct rf_err *err)
{
    bool several = d->count == 1 && rf_pages_count(d->ranges[0]) > 1 && !d->read->call.part.sheet.n;
    struct rf_lines lines;
    if (!d->read->tools->whole_pages || !several || is_silent(d) || is_windowed(d->read))
        return RF_OK;
    int64_t last = lay_out(d, 0, &lines);
    if (lines.shown_last >= lines.total)
        return RF_OK;
    d->ranges[0].last = last > d->ranges[0].first ? last : d->ranges[0].first;
    return ask(d, err);
}

enum rf_code rf_document_ask(struct rf_document *d, struct rf_err *err)
{
    enum rf_code rc = wanted(d, err);
    if (rc)
        return rc;
    if (d->asked_count > 1 && (d->read->call.byte_offset >= 0 || d->read->call.byte_limit >= 0))
        return rf_fail(err, RF_EUSAGE, "bytes can be asked for of one run of %ss only",
                       d->format->parts->one);
    take_ranges(d);
    rc = ask(d, err);
    if (rc)
        return rc;
    d->clipped = is_clipped(d);
    return keep_whole_pages(d, err);
}

static void add_range(struct rf_buf *b, const struct rf_pages *range)
{
    rf_buf_addf(b, "%" PRId64, range->first);
    if (range->last > range->first)
        rf_buf_addf(b, "-%" PRId64, range->last);
}

void rf_document_lay_out(struct rf_document *d)
{
    for (size_t i = 0; i < d->count; i++)
        lay_out(d, i, &d->texts[i]);
}

/* The text of what goes as it is may not be shown at all: how it goes on stands at its end. */
static void end_text(struct rf_document *d, struct rf_lines *l)
{
    if (l->shown_last < l->total)
        l->text = rf_strf(d->read->arena,
                          "%.*s[Lines %" PRId64 "-%" PRId64 " of %" PRId64
                          ". Use %.*soffset=%" PRId64 " to continue.]\n",
                          RF_FMT(l->text), l->shown_first, l->shown_last, l->total,
                          RF_FMT(l->window.before), l->shown_last + 1);
}

/* Those that were asked for, after the last that this read gave. */
static void add_left(struct rf_document *d, struct rf_buf *b)
{
    for (size_t i = d->count - 1, added = 0; i < d->asked_count; i++) {
        struct rf_pages left = rf_pages_within(d->asked[i], d->pages);
        if (i < d->count && d->ranges[i].last >= left.last)
            continue;
        if (i < d->count)
            left.first = d->ranges[i].last + 1;
        rf_buf_addf(b, "%s", added++ ? "," : "");
        add_range(b, &left);
    }
}

/* Which call has the next pages, where this one had the text of its own to the end: as tools count
 * them, or as the path named them: no further than it did. */
static void say_next(struct rf_document *d, struct rf_buf *b)
{
    const struct rf_pages *p = &d->ranges[d->count - 1];
    bool unread = d->texts[0].shown_last < d->texts[0].total && !is_silent(d);
    bool left = is_clipped(d);
    if (d->count > 1 ? !left : unread || (p->last >= d->pages && !left))
        return;
    if (!d->read->call.part.range_count) {
        rf_buf_addf(b, " Use page_start=%" PRId64 " to continue.", p->last);
        return;
    }
    if (!left)
        return;
    rf_buf_addf(b, " Use #p=");
    add_left(d, b);
    rf_buf_addf(b, " to continue.");
}

void rf_document_say_pages(struct rf_document *d)
{
    struct rf_read *r = d->read;
    const struct rf_pages *last = &d->ranges[d->count - 1];
    bool one = d->count == 1 && last->last == last->first;
    struct rf_str total = rf_read_number(r, d->pages), text = { 0 };
    struct rf_buf b;
    rf_buf_init(&b, r->arena, 4096);
    rf_buf_addf(&b, "%s%s ", d->format->parts->heading, one ? "" : "s");
    for (size_t i = 0; i < d->count; i++) {
        rf_buf_addf(&b, "%s", i ? ", " : "");
        add_range(&b, &d->ranges[i]);
    }
    rf_buf_addf(&b, " of %.*s.", RF_FMT(total));
    say_next(d, &b);
    if (!rf_buf_finish(&b, &text, NULL))
        rf_read_note(r, "%.*s", RF_FMT(text));
    if (d->clipped)
        rf_read_note(r, "[One read gives at most %" PRId64 " %ss.]", most_pages(d),
                     d->format->parts->one);
}

enum rf_code rf_document_text(struct rf_document *d, size_t range, struct rf_str *out,
                              struct rf_err *err)
{
    struct rf_lines *l = &d->texts[range];
    if (is_silent(d))
        end_text(d, l);
    *out = l->text;
    return is_silent(d) ? RF_OK : rf_read_window(d->read, l, err);
}
