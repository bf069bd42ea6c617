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

/* The formats by number: what a sniffer answers, what a reader is chosen by. */
enum rf_format_id {
    RF_FORMAT_NONE,
#define FORMAT(id, ...) RF_FORMAT_##id,
#include "media/formats.def"
#undef FORMAT
    RF_FORMAT_COUNT,
};

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

/* What a read tells of a format that no endpoint takes. */
enum rf_told {
    RF_TOLD_BYTES,   /* its size and its first bytes */
    RF_TOLD_LIST,    /* the files in it */
    RF_TOLD_TEXT,    /* its text */
    RF_TOLD_PICTURE, /* the picture, as a PNG */
};

/* What the parts of a document are called, and whether a text by parts has headings. */
struct rf_part_words {
    const char *one, *heading; /* "slide", "Slide" */
    const char *document;      /* what holds them: "Slides" */
    bool titled;               /* a heading holds the title of its part */
    bool always;               /* a heading even where there is one part only */
    bool flows;                /* the parts are not pages that anybody would turn */
};

#define RF_MAX_MAGICS 6
#define RF_MAX_STREAMS 2

/* Bytes that a file of a format has at a place. */
struct rf_magic {
    const char *bytes;
    uint16_t n, at;
};

struct rf_look;
struct rf_facts;
typedef enum rf_code rf_probe_fn(struct rf_look *k, struct rf_facts *facts, struct rf_err *err);

/* One row of the table of formats: formats.def. What a row does not name is 0. */
struct rf_format {
    enum rf_format_id id;
    rf_probe_fn *probe;
    const char *mime;               /* canonical: "image/jpeg" */
    const char *extension;          /* without the dot: "jpg" */
    const char *label;              /* for people: "JPEG" */
    enum rf_kind kind;              /* RF_KIND_UNKNOWN: no endpoint takes it, and `told` counts */
    const char *family;             /* of the workers that read it */
    const char *mimes, *extensions; /* others that are in use, with spaces between them */
    struct rf_magic magics[RF_MAX_MAGICS]; /* any of them makes a file one of these */
    bool (*fits)(struct rf_look *k);       /* does it look like one, where no magic says so? */
    const char *member;                    /* that tells it in a ZIP archive: zip.c */
    const char *streams[RF_MAX_STREAMS];   /* any of which tells it in a compound file */
    enum rf_format_id looks;               /* what its bytes are: only its name tells it */
    const struct rf_part_words *parts;     /* NULL: it has none */
    const char *sound;                     /* the type of a file with only the sound of one */
    enum rf_told told;
    const char *better; /* what to save it as, to have it read; or NULL */
    bool packed;        /* it holds one file, or an archive of files, or one can be made of it */
    bool text_only;     /* it is read as text, and goes as nothing else */
    bool drawn;         /* a picture that is written as text */
    bool weak;          /* a few random bytes can look like one */
};

/* The format of these bytes, or NULL when they are none that we know. Text is text only when its
 * first 64 KiB are UTF-8 without control characters; its finer sort (CSV, Markdown, code) cannot be
 * told from bytes, so it is text/plain here unless the bytes say more (JSON, HTML, XML, SVG). */
const struct rf_format *rf_sniff(struct rf_reader *r);

/* The row, or NULL for RF_FORMAT_NONE. */
const struct rf_format *rf_format_of(enum rf_format_id id);
/* The row for a MIME type (parameters and aliases understood: "image/jpg; x=y"), or NULL. */
const struct rf_format *rf_format_by_mime(struct rf_str mime);
/* The row for a file name's extension, or NULL. For refining text and for URLs only. */
const struct rf_format *rf_format_by_name(struct rf_str name);
/* The finer format when the bytes are text: a declared type or a name may choose among the textual
 * formats, and nothing else. Returns `sniffed` when it is not text or nothing finer is claimed. */
const struct rf_format *rf_format_refine(const struct rf_format *sniffed,
                                         struct rf_str declared_mime, struct rf_str name);

/* The same among the formats that no endpoint takes, which the functions above do not know.
 * rf_other_sniff asks for bytes that are of no other format, nor text; a name counts only where it
 * has to. */
const struct rf_format *rf_other_sniff(struct rf_reader *r, struct rf_str name);
const struct rf_format *rf_other_by_mime(struct rf_str mime);
const struct rf_format *rf_other_by_name(struct rf_str name);
/* Which of them a text is by its name: mail looks like any text. Or NULL. */
const struct rf_format *rf_other_text(struct rf_str name);

/* Facts from the header; what is not known is 0. */
struct rf_facts {
    uint32_t width, height; /* of an image, after EXIF/irot orientation: as it is seen */
    uint32_t frames;        /* of a picture where cheap to tell: 1, or 2 for "more than one" */
    int64_t duration_ms;    /* of sound where a header tells it */
    int64_t pages;          /* of a PDF: a worker counts them, no header does */
    uint8_t pdf_major, pdf_minor;
    bool
        unusual; /* a picture that not every reader shows as meant: CMYK, 16 bits, turned by EXIF */
    bool encrypted; /* PDF with /Encrypt; office file in an encrypted container */
};

/* Read the facts. RF_EFORMAT with the reason in words when the header is cut off, lies or is
 * nonsense (a PNG of 0 x 0, a JPEG without a frame header, a PDF without its trailer marker is
 * fine): such a file must not be sent as that format. Formats without a probe give no facts. */
enum rf_code rf_probe(struct rf_reader *r, const struct rf_format *format, struct rf_facts *out,
                      struct rf_err *err);

#endif
