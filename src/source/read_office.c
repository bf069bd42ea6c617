/* Documents of office programs, e-books, mail and web pages: their text as Markdown, by slides,
 * sheets or chapters where they have such. Mail and web pages are text and nothing else; the
 * others come with a block that names the file, for the endpoints that take it as it is. */
#include "source/document.h"

#include "base/arena.h"
#include "base/base64.h"
#include "media/recipe.h"
#include "source/inspect.h"

#include <inttypes.h>

#define PICTURE_WORDS 1024 /* bytes, of what is said of one */

/* What was encrypted as a whole is known only now that it is open. */
static void take_inside(struct rf_document *d)
{
    struct rf_str mime = rf_prop_str(d->jobs[0].facts, d->jobs[0].fact_count, "mime");
    const struct rf_format *inside = rf_format_by_mime(mime);
    if (d->format->id == RF_FORMAT_OOXML_ENCRYPTED && inside && inside->kind == RF_KIND_OFFICE)
        d->format = inside;
}

static struct rf_str fallback(struct rf_document *d)
{
    struct rf_read *r = d->read;
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size), text = { 0 };
    const struct rf_part_words *words = d->format->parts;
    struct rf_buf b;
    rf_buf_init(&b, r->arena, 4096);
    rf_buf_addf(&b, "[%s: %.*s, ", d->format->label, RF_FMT(r->name));
    if (d->pages > 1 || (d->pages && words->always))
        rf_buf_addf(&b, "%" PRId64 " %s%s, ", d->pages, words->one, d->pages == 1 ? "" : "s");
    rf_buf_addf(&b, "%.*s bytes]", RF_FMT(size));
    return rf_buf_finish(&b, &text, NULL) ? RF_STR("[document]") : text;
}

static void add_block(struct rf_document *d, size_t range, struct rf_str text)
{
    struct rf_block *b = rf_read_block(d->read, RF_BLOCK_DOCUMENT, d->format->mime);
    b->media.page_count = d->pages > 1 || d->format->parts->always ? d->pages : 0;
    b->media.extracted_text = text;
    b->text_fallback = fallback(d);
    if (d->pages > 1 && (d->count > 1 || rf_pages_count(d->ranges[0]) < d->pages))
        b->media.pages = d->ranges[range];
}

/* The pictures inside. */

static bool is_picture(const struct rf_job_part *part)
{
    return rf_str_is(rf_prop_str(part->props, part->prop_count, "kind"), "image");
}

static struct rf_block *add_picture(struct rf_read *r, const struct rf_job_part *part)
{
    struct rf_str name = rf_prop_str(part->props, part->prop_count, "name");
    struct rf_str alt = rf_prop_str(part->props, part->prop_count, "alt");
    struct rf_block *b = rf_read_made_block(r, RF_BLOCK_IMAGE, part);
    if (!b)
        return NULL;
    b->media.name = name.n ? name : b->media.name;
    b->text_fallback =
        rf_strf(r->arena, "[Image: %.*s, in %.*s%s%.*s%s]", RF_FMT(name), RF_FMT(r->name),
                alt.n ? ": \"" : "", RF_FMT(alt), alt.n ? "\"" : "");
    return b;
}

/* Bytes that it takes of a result, where it is made smaller if it must be. */
static int64_t bytes_taken(struct rf_read *r, const struct rf_job_part *part)
{
    const struct rf_picture_room *room = &r->tools->picture_room;
    int64_t bytes = (int64_t)rf_base64_length(part->bytes.size);
    struct rf_inspection look;
    bool known = bytes < room->small && !rf_inspect(&part->bytes, r->arena, &look, NULL) &&
                 look.format && !look.problem_text.n;
    bool as_it_is = known && !look.facts.unusual &&
                    (look.format->id == RF_FORMAT_PNG || look.format->id == RF_FORMAT_JPEG) &&
                    look.facts.width <= room->side && look.facts.height <= room->side;
    return (as_it_is ? bytes : room->small) + PICTURE_WORDS;
}

/* The first of them, as many as one result shows; returns how many. */
static int64_t add_some(struct rf_read *r, const struct rf_job *job, int64_t most, int64_t *taken)
{
    int64_t given = 0, all = r->tools->picture_room.all;
    for (size_t i = 0; i < job->part_count && given < most; i++) {
        if (!is_picture(&job->parts[i]))
            continue;
        int64_t bytes = all ? bytes_taken(r, &job->parts[i]) : 0;
        if (*taken && *taken + bytes > all)
            break;
        *taken += bytes;
        given += add_picture(r, &job->parts[i]) != NULL;
    }
    return given;
}

/* Those that came between the text; returns how many. */
static int64_t add_pictures(struct rf_document *d)
{
    int64_t given = 0, taken = 0;
    for (size_t i = 0; i < d->count; i++)
        given += add_some(d->read, &d->jobs[i], d->pictures - given, &taken);
    return given;
}

static int64_t count_pictures(const struct rf_document *d)
{
    int64_t n = 0;
    for (size_t i = 0; i < d->count; i++)
        n += rf_prop_int(d->jobs[i].facts, d->jobs[i].fact_count, "pictures");
    return n;
}

/* Pictures are counted through the whole document: the next one has a number where all of it was
 * read. */
static struct rf_str next_pictures(const struct rf_document *d, int64_t given)
{
    bool whole = d->count == 1 && rf_pages_count(d->ranges[0]) >= d->pages;
    return whole && given ? rf_strf(d->read->arena, "#pictures=%" PRId64 "-", given + 1)
                          : RF_STR("#pictures");
}

static void say_pictures(struct rf_document *d, int64_t given)
{
    struct rf_read *r = d->read;
    int64_t count = count_pictures(d);
    if (count <= 0)
        return;
    const char *plural = count == 1 ? "" : "s";
    struct rf_str more = next_pictures(d, given);
    if (given == count)
        rf_read_note(r, "[Its %" PRId64 " picture%s follow%s the text.]", count, plural,
                     count == 1 ? "s" : "");
    else if (given)
        rf_read_note(r,
                     "[Of its %" PRId64 " pictures %" PRId64
                     " follow%s the text: read \"%.*s%.*s\" "
                     "for more.]",
                     count, given, given == 1 ? "s" : "", RF_FMT(r->call.path), RF_FMT(more));
    else
        rf_read_note(r, "[It holds %" PRId64 " picture%s: read \"%.*s%.*s\" to see %s.]", count,
                     plural, RF_FMT(r->call.path), RF_FMT(more), count == 1 ? "it" : "them");
}

/* "#pictures": only they, as many as one result may have from the first that was asked for. */
static enum rf_code read_pictures(struct rf_document *d, struct rf_err *err)
{
    struct rf_read *r = d->read;
    struct rf_pages range =
        rf_pages_at_most(r->call.part.picture_range, r->tools->limits[RF_LIMIT_PICTURES]);
    struct rf_job job = {
        .family = d->format->family,
        .ask = RF_ASK(r->arena, .make = RF_MAKE_INNER_PICTURES, .mime = rf_str(d->format->mime),
                      .pages = range, .password = r->tools->password),
    };
    rf_read_ask(r, &job, 1);
    if (job.failed) {
        *err = job.err;
        return job.failed;
    }
    int64_t count = rf_prop_int(job.facts, job.fact_count, "pictures"), came = 0, taken = 0;
    if (range.first > count)
        return count ? rf_fail(err, RF_EUSAGE,
                               "there is no picture %" PRId64 ": the last is %" PRId64, range.first,
                               count)
                     : rf_fail(err, RF_EUSAGE, "there are no pictures in it");
    range = rf_pages_within(range, count);
    for (size_t i = 0; i < job.part_count; i++)
        came += is_picture(&job.parts[i]);
    int64_t given = add_some(r, &job, INT64_MAX, &taken);
    if (given && given < came)
        range = rf_pages_at_most(range, given);
    if (range.last == range.first)
        rf_read_note(r, "[Picture %" PRId64 " of %" PRId64 " in %.*s]", range.first, count,
                     RF_FMT(r->name));
    else
        rf_read_note(r, "[Pictures %" PRId64 "-%" PRId64 " of %" PRId64 " in %.*s]", range.first,
                     range.last, count, RF_FMT(r->name));
    if (!given)
        rf_read_note(r, "[%s cannot be shown.]", range.last == range.first ? "It" : "They");
    else if (given < rf_pages_count(range))
        rf_read_note(r, "[%" PRId64 " of them cannot be shown.]", rf_pages_count(range) - given);
    if (range.last < count)
        rf_read_note(r, "[Read \"%.*s#pictures=%" PRId64 "-\" for the next.]", RF_FMT(r->call.path),
                     range.last + 1);
    rf_read_notes(r, &job);
    return RF_OK;
}

static enum rf_code add_texts(struct rf_document *d, struct rf_err *err)
{
    for (size_t i = 0; i < d->count; i++) {
        struct rf_str text;
        enum rf_code rc = rf_document_text(d, i, &text, err);
        if (rc)
            return rc;
        if (rf_read_asked(d->read).by_bytes)
            rf_buf_add(&d->read->body, text);
        else if (!d->format->text_only)
            add_block(d, i, text);
        else
            rf_buf_add(&d->read->body, text);
        rf_read_notes(d->read, &d->jobs[i]);
    }
    return RF_OK;
}

/* No worker is here to open it. Web pages and mail can be read as they are written; other documents
 * may still be taken by an endpoint. */
static enum rf_code unopened(struct rf_document *d, struct rf_err *err)
{
    struct rf_read *r = d->read;
    bool textual = r->format && r->format->kind == RF_KIND_TEXT;
    if (!r->format || r->format->kind != RF_KIND_OFFICE) {
        if (!textual)
            return RF_ECONFIG;
        rf_read_note(r, "[Note: shown as it is written: %s]", err->msg);
        return rf_read_text(r, err);
    }
    struct rf_err why = *err;
    enum rf_code rc = rf_probe(&r->reader, r->format, &r->facts, err);
    if (rc)
        return rc;
    if (r->facts.encrypted)
        return rf_fail(err, RF_EENCRYPTED, "the document is encrypted: a password is needed");
    *err = why;
    return RF_ECONFIG;
}

enum rf_code rf_read_office(struct rf_read *r, const struct rf_format *format, struct rf_err *err)
{
    struct rf_document d = { .read = r,
                             .format = format,
                             .pictures = r->tools->limits[RF_LIMIT_PICTURES] };
    enum rf_code rc = rf_read_check_size(r, RF_LIMIT_OFFICE_BYTES, err);
    if (!rc && r->call.part.pictures && !r->call.part.range_count)
        return read_pictures(&d, err);
    if (!rc)
        rc = rf_document_ask(&d, err);
    if (rc == RF_ECONFIG)
        return unopened(&d, err);
    if (rc)
        return rc;
    take_inside(&d);
    rf_document_lay_out(&d);
    if (d.pages > 1)
        rf_document_say_pages(&d);
    const struct rf_charset charset = rf_charset_of(&d.jobs[0]);
    rf_read_say_charset(r, &charset);
    if (!r->call.part.pictures && (rc = add_texts(&d, err)))
        return rc;
    if (!r->format && format->text_only)
        r->mime = format->mime;
    if (!format->text_only || r->tools->named)
        rf_read_note(r, "%.*s", RF_FMT(fallback(&d)));
    say_pictures(&d, add_pictures(&d));
    return RF_OK;
}
