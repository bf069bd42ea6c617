/* PDFs: the text of at most so many pages, page by page, and a block that names those pages, so
 * that a model which takes PDFs gets them as they are and another gets their text, each once.
 *
 * Pages without text are pictures most of the time; they are named, and the first of them are read
 * by OCR where it is installed.
 *
 * One that a password opened goes without its encryption, which no model could take off. */
#include "source/document.h"

#include "base/arena.h"
#include "media/recipe.h"

#include <inttypes.h>

#define LONG_DOCUMENT 100 /* pages, from which on a reader is warned */
#define MAX_NAMED 40      /* pages that are named one by one */

/* The pages that are scanned, and what is known of them now. */
struct scans {
    size_t count;
    int64_t left_over;  /* that there was no budget for */
    int64_t confidence; /* the lowest */
    struct rf_buf pages;
};

static int64_t number(const struct rf_job_part *part, const char *key)
{
    return rf_prop_int(part->props, part->prop_count, key);
}

static bool is_scan(const struct rf_job_part *part)
{
    return number(part, "recognised") ||
           (!rf_str_trim(part->text).n && number(part, "pictures") > 0);
}

static void note_scan(struct scans *scans, const struct rf_job_part *part)
{
    int64_t confidence = number(part, "confidence");
    if (scans->count < MAX_NAMED)
        rf_buf_addf(&scans->pages, "%s%" PRId64, scans->count ? ", " : "", rf_document_page(part));
    scans->count++;
    if (confidence && (!scans->confidence || confidence < scans->confidence))
        scans->confidence = confidence;
}

/* The pages that are pictures only get the text that can be recognised on them. */
static void recognise(struct rf_document *d, struct scans *scans)
{
    struct rf_read *r = d->read;
    struct rf_recognising how = rf_read_recognising(r);
    rf_buf_init(&scans->pages, r->arena, 4096);
    for (size_t i = 0; i < d->count; i++) {
        if (!r->tools->no_ocr)
            rf_recognise_scans(&how, &d->jobs[i], &r->bytes, r->arena);
        for (size_t k = 0; k < d->jobs[i].part_count; k++)
            if (is_scan(&d->jobs[i].parts[k]))
                note_scan(scans, &d->jobs[i].parts[k]);
    }
    r->tools->no_ocr |= how.missing;
    scans->left_over = how.missing ? 0 : how.left_over;
}

static void say_scans(struct rf_document *d, struct scans *scans)
{
    struct rf_read *r = d->read;
    struct rf_str list = { 0 };
    if (!scans->count || rf_buf_finish(&scans->pages, &list, NULL))
        return;
    rf_read_note(r, "[%s %.*s%s: scanned, without text of %s own]",
                 scans->count == 1 ? "Page" : "Pages", RF_FMT(list),
                 scans->count > MAX_NAMED ? " and more" : "", scans->count == 1 ? "its" : "their");
    if (scans->confidence)
        rf_read_note(r, "[Their text is %.*s]",
                     RF_FMT(rf_recognised_words(scans->confidence, r->arena)));
    if (scans->left_over)
        rf_read_note(r,
                     "[Of %" PRId64
                     " of them no text was recognised: one read does that for %" PRId64
                     " pages. Read the others on their own.]",
                     scans->left_over, r->tools->limits[RF_LIMIT_OCR_PAGES]);
}

static struct rf_str instead(const struct rf_job_part *page)
{
    return number(page, "scanned") ? RF_STR("[a scanned page: its text was not recognised]")
           : is_scan(page)         ? RF_STR("[a scanned page: no text was recognised on it]")
                                   : RF_STR("[a page without text]");
}

static struct rf_str fallback(struct rf_read *r, int64_t pages)
{
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size);
    if (!pages)
        return rf_strf(r->arena, "[PDF: %.*s, %.*s bytes]", RF_FMT(r->name), RF_FMT(size));
    struct rf_str count = rf_read_number(r, pages);
    return rf_strf(r->arena, "[PDF: %.*s, %.*s page%s, %.*s bytes]", RF_FMT(r->name), RF_FMT(count),
                   pages == 1 ? "" : "s", RF_FMT(size));
}

/* All of it, as the password opened it; NULL where none was needed. */
static const struct rf_job_part *unlock(struct rf_document *d)
{
    struct rf_read *r = d->read;
    if (!r->tools->password || rf_probe(&r->reader, r->format, &r->facts, NULL) ||
        !r->facts.encrypted)
        return NULL;
    struct rf_job job = {
        .family = d->format->family,
        .ask = RF_ASK(r->arena, .make = RF_MAKE_PAGES, .pages = { 1, d->pages },
                      .password = r->tools->password),
    };
    rf_read_ask(r, &job, 1);
    return !job.failed && job.part_count ? job.parts : NULL;
}

static struct rf_block *add_block(struct rf_read *r, const struct rf_job_part *unlocked,
                                  int64_t pages)
{
    struct rf_block *b = unlocked ? rf_read_made_block(r, RF_BLOCK_DOCUMENT, unlocked) : NULL;
    if (!b)
        b = rf_read_block(r, RF_BLOCK_DOCUMENT, r->format->mime);
    b->media.media_type = rf_str(r->format->mime);
    b->media.page_count = pages;
    b->text_fallback = fallback(r, pages);
    return b;
}

/* No worker is here to open it; a model that takes PDFs can still be given it. */
static enum rf_code unopened(struct rf_read *r, struct rf_err *err)
{
    struct rf_err why = *err;
    enum rf_code rc = rf_probe(&r->reader, r->format, &r->facts, err);
    if (rc)
        return rc;
    if (r->facts.encrypted)
        return rf_fail(err, RF_EENCRYPTED, "the document is encrypted: a password is needed");
    struct rf_block *b = add_block(r, NULL, 0);
    rf_read_note(r, "%.*s", RF_FMT(b->text_fallback));
    rf_read_note(r, "[Note: its pages could not be read here: %s]", why.msg);
    return RF_OK;
}

static enum rf_code add_blocks(struct rf_document *d, const struct scans *scans, struct rf_err *err)
{
    bool by_bytes = rf_read_asked(d->read).by_bytes; /* of its text, and of nothing else */
    const struct rf_job_part *unlocked = by_bytes ? NULL : unlock(d);
    for (size_t i = 0; i < d->count; i++) {
        struct rf_str text;
        enum rf_code rc = rf_document_text(d, i, &text, err);
        if (rc)
            return rc;
        rf_read_notes(d->read, &d->jobs[i]);
        if (by_bytes) {
            rf_buf_add(&d->read->body, text);
            continue;
        }
        struct rf_block *b = add_block(d->read, unlocked, d->pages);
        b->media.extracted_text = text;
        b->media.confidence = scans->confidence;
        b->media.pages = d->ranges[i];
    }
    return RF_OK;
}

enum rf_code rf_read_pdf(struct rf_read *r, struct rf_err *err)
{
    struct rf_document d = { .read = r, .format = r->format, .instead = instead };
    struct scans scans = { 0 };
    enum rf_code rc = rf_read_check_size(r, RF_LIMIT_PDF_BYTES, err);
    if (!rc)
        rc = rf_document_ask(&d, err);
    if (!rc && !d.pages)
        rc = rf_fail(err, RF_EFORMAT, "the document has no pages");
    if (rc == RF_ECONFIG)
        return unopened(r, err);
    if (rc)
        return rc;
    recognise(&d, &scans);
    rf_document_lay_out(&d);
    rf_document_say_pages(&d);
    if (d.pages > LONG_DOCUMENT)
        rf_read_note(r, "[Note: %" PRId64 " pages are long; read the pages that you need.]",
                     d.pages);
    say_scans(&d, &scans);
    return add_blocks(&d, &scans, err);
}
