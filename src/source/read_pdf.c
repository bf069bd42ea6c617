/* PDFs: the text of at most so many pages, page by page, and a block that names those pages, so
 * that a model which takes PDFs gets them as they are and another gets their text, each once.
 *
 * Pages without text are pictures most of the time; they are named, and the first of them are read
 * by OCR where it is installed. */
#include "source/document.h"

#include "base/arena.h"

#include <inttypes.h>

#define LONG_DOCUMENT 100 /* pages, from which on a reader is warned */
#define OCR_DPI 200
#define MAX_OCR 64
#define MAX_NAMED 40 /* pages that are named one by one */

static const struct rf_page_words words = {
    .one = "Page",
    .many = "Pages",
    .small = "page",
    .always = true,
};

/* A page that has no text, and what OCR made of it. */
struct scan {
    const struct rf_job_part *page;
    struct rf_str text;
};

struct scans {
    struct scan *items;
    size_t count, cap;
};

static bool is_blank(const struct rf_job_part *part)
{
    return rf_str_trim(part->text).n == 0;
}

static void find_scans(struct rf_document *d, struct scans *scans)
{
    for (size_t i = 0; i < d->count; i++)
        for (size_t k = 0; k < d->jobs[i].part_count; k++) {
            const struct rf_job_part *part = &d->jobs[i].parts[k];
            bool pictures = rf_prop_int(part->props, part->prop_count, "pictures") > 0;
            if (is_blank(part) && pictures)
                *RF_PUSH(d->read->arena, scans->items, scans->count, scans->cap) =
                    (struct scan){ .page = part };
        }
}

/* The pages as pictures, then their text. */
static void recognise(struct rf_document *d, struct scans *scans)
{
    struct rf_read *r = d->read;
    int64_t most = r->tools->limits[RF_LIMIT_OCR_PAGES];
    size_t count = scans->count < (size_t)most ? scans->count : (size_t)most;
    struct rf_job jobs[MAX_OCR];
    const struct rf_bytes *pictures[MAX_OCR];
    struct rf_str texts[MAX_OCR];
    count = count < MAX_OCR ? count : MAX_OCR;
    if (!count || r->tools->no_ocr)
        return;
    for (size_t i = 0; i < count; i++) {
        int64_t page = rf_document_page(scans->items[i].page);
        jobs[i] = (struct rf_job){ .family = "pdf" };
        jobs[i].ask = rf_strf(r->arena,
                              "op=render\nfirst=%" PRId64 "\nend=%" PRId64
                              "\ndpi=%d\ntypes=image/png\nmax_side=2600\n%s%s\n",
                              page - 1, page, OCR_DPI, r->tools->password ? "password=" : "",
                              r->tools->password ? r->tools->password : "");
    }
    rf_read_ask(r, jobs, count);
    for (size_t i = 0; i < count; i++)
        pictures[i] = jobs[i].failed || !jobs[i].part_count ? NULL : &jobs[i].parts[0].bytes;
    rf_read_ocr(r, pictures, count, texts);
    for (size_t i = 0; i < count; i++)
        scans->items[i].text = texts[i];
}

static void say_scans(struct rf_document *d, const struct scans *scans)
{
    struct rf_read *r = d->read;
    struct rf_str list = { 0 };
    struct rf_buf b;
    if (!scans->count)
        return;
    rf_buf_init(&b, r->arena, 4096);
    for (size_t i = 0; i < scans->count && i < MAX_NAMED; i++)
        rf_buf_addf(&b, "%s%" PRId64, i ? ", " : "", rf_document_page(scans->items[i].page));
    if (scans->count > MAX_NAMED)
        rf_buf_addf(&b, " and more");
    if (!rf_buf_finish(&b, &list, NULL))
        rf_read_note(r, "[%s %.*s: scanned, without text of %s own]",
                     scans->count == 1 ? "Page" : "Pages", RF_FMT(list),
                     scans->count == 1 ? "its" : "their");
}

static struct rf_str instead(void *context, const struct rf_job_part *page)
{
    const struct scans *scans = context;
    for (size_t i = 0; i < scans->count; i++)
        if (scans->items[i].page == page)
            return scans->items[i].text.n ? scans->items[i].text
                                          : RF_STR("[a scanned page: it holds no text]");
    return RF_STR("[an empty page]");
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

static struct rf_block *add_block(struct rf_read *r, int64_t pages)
{
    struct rf_block *b = rf_read_block(r, RF_BLOCK_DOCUMENT, "application/pdf");
    b->media.page_count = pages;
    b->text_fallback = fallback(r, pages);
    return b;
}

/* Nobody is here to open it; a model that takes PDFs can still be given it. */
static enum rf_code unopened(struct rf_read *r, struct rf_err *err)
{
    struct rf_err why = *err;
    enum rf_code rc = rf_probe(&r->reader, r->format, &r->facts, err);
    if (rc)
        return rc;
    if (r->facts.encrypted)
        return rf_fail(err, RF_EENCRYPTED, "the document is encrypted: a password is needed");
    struct rf_block *b = add_block(r, 0);
    rf_read_note(r, "%.*s", RF_FMT(b->text_fallback));
    rf_read_note(r, "[Note: its pages could not be read here: %s]", why.msg);
    return RF_OK;
}

static enum rf_code add_blocks(struct rf_document *d, struct scans *scans, struct rf_err *err)
{
    for (size_t i = 0; i < d->count; i++) {
        struct rf_str text;
        enum rf_code rc = rf_document_text(d, i, instead, scans, &text, err);
        if (rc)
            return rc;
        struct rf_block *b = add_block(d->read, d->pages);
        b->media.extracted_text = text;
        b->media.has_page_range = true;
        b->media.page_first = d->ranges[i].first;
        b->media.page_end = d->ranges[i].end;
        rf_read_notes(d->read, &d->jobs[i]);
    }
    return RF_OK;
}

enum rf_code rf_read_pdf(struct rf_read *r, struct rf_err *err)
{
    struct rf_document d = {
        .read = r, .family = "pdf", .mime = "application/pdf", .words = words
    };
    struct scans scans = { 0 };
    enum rf_code rc = rf_read_check_size(r, RF_LIMIT_PDF_BYTES, err);
    if (!rc)
        rc = rf_document_ask(&d, err);
    if (rc == RF_ECONFIG)
        return unopened(r, err);
    if (rc)
        return rc;
    rf_document_say_pages(&d);
    if (d.pages > LONG_DOCUMENT)
        rf_read_note(r, "[Note: %" PRId64 " pages are long; read the pages that you need.]",
                     d.pages);
    find_scans(&d, &scans);
    recognise(&d, &scans);
    say_scans(&d, &scans);
    return add_blocks(&d, &scans, err);
}
