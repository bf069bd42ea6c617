/* What a file is, told from its bytes, and the facts in its header.
 *
 * Nothing here decodes pixels, pages or sound, allocates, or trusts a file name. Everything works
 * on a struct rf_reader, so that a file, a piece of memory and base64 are all the same, and reads
 * only the few kilobytes it needs. All of it takes hostile input: every offset is checked, every
 * loop is bounded.
 */
#ifndef RF_MEDIA_MEDIA_H
#define RF_MEDIA_MEDIA_H

#include "base/bytes.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* The kinds that endpoints tell apart. */
enum rf_kind {
    RF_KIND_UNKNOWN,
    RF_KIND_IMAGE,
    RF_KIND_PDF,
    RF_KIND_TEXT,   /* UTF-8 text of any sort: plain, CSV, JSON, Markdown, HTML, XML, YAML, code */
    RF_KIND_OFFICE, /* word processing, sheets, slides, e-books: needs a converter to be text */
    RF_KIND_AUDIO,
    RF_KIND_VIDEO,
};
#define RF_KIND_COUNT 7

/* "image", "pdf", "text", "office", "audio", "video", "unknown". */
const char *rf_kind_name(enum rf_kind kind);

/* One row of the table of formats. */
struct rf_format {
    const char *mime;      /* canonical: "image/jpeg" */
    const char *extension; /* without the dot: "jpg" */
    const char *label;     /* for people: "JPEG" */
    enum rf_kind kind;
};

/* The format of these bytes, or NULL when they are none that we know. Text is text only when its
 * first 64 KiB are UTF-8 without control characters; its finer sort (CSV, Markdown, code) cannot be
 * told from bytes, so it is text/plain here unless the bytes say more (JSON, HTML, XML, SVG). */
const struct rf_format *rf_sniff(struct rf_reader *r);

/* The row for a MIME type (parameters and aliases understood: "image/jpg; x=y"), or NULL. */
const struct rf_format *rf_format_by_mime(struct rf_str mime);
/* The row for a file name's extension, or NULL. For refining text and for URLs only. */
const struct rf_format *rf_format_by_name(struct rf_str name);
/* The finer format when the bytes are text: a declared type or a name may choose among the textual
 * formats, and nothing else. Returns `sniffed` when it is not text or nothing finer is claimed. */
const struct rf_format *rf_format_refine(const struct rf_format *sniffed,
                                         struct rf_str declared_mime, struct rf_str name);

/* Facts from the header; what is not known is 0. */
struct rf_facts {
    uint32_t width, height; /* of an image, after EXIF/irot orientation: as it is seen */
    uint32_t frames;        /* of a picture where cheap to tell: 1, or 2 for "more than one" */
    int64_t duration_ms;    /* of sound where a header tells it */
    int64_t pages;          /* of a PDF: a worker counts them, no header does */
    uint8_t pdf_major, pdf_minor;
    bool unusual;   /* a picture that not every reader shows as meant: CMYK, 16 bits, turned by EXIF */
    bool encrypted; /* PDF with /Encrypt; office file in an encrypted container */
};

/* Read the facts. RF_EFORMAT with the reason in words when the header is cut off, lies or is
 * nonsense (a PNG of 0 x 0, a JPEG without a frame header, a PDF without its trailer marker is
 * fine): such a file must not be sent as that format. Formats without a probe give no facts. */
enum rf_code rf_probe(struct rf_reader *r, const struct rf_format *format, struct rf_facts *out,
                      struct rf_err *err);

#endif
