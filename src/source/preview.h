/* A preview from the inside: a file that was found and told what it is, and its pages.
 *
 * preview.c opens and names it, preview_pages.c has pictures of its pages, preview_text.c their
 * text, drawing.c writes for a terminal. Like the readers, it opens no path of its own. */
#ifndef RF_SOURCE_PREVIEW_H
#define RF_SOURCE_PREVIEW_H

#include "source/read.h"

#include <refract/preview.h>

enum rf_preview_kind {
    RF_PREVIEW_TEXT,     /* text alone: what a read gives */
    RF_PREVIEW_PICTURE,  /* one that the image worker reads; its frames are pages */
    RF_PREVIEW_PDF,      /* text and pictures of pages */
    RF_PREVIEW_DOCUMENT, /* text of pages, slides, sheets, chapters */
    RF_PREVIEW_PICTURES, /* those inside of a document */
    RF_PREVIEW_VIDEO,
};

struct rf_preview_page {
    struct rf_str text, name;
    bool has_text;           /* `text` is known */
    struct rf_bytes picture; /* of RF_PREVIEW_PICTURES */
};

struct rf_preview {
    struct rf_arena *arena; /* as long as the preview */
    struct rf_arena *drawn; /* until the next drawing */
    struct rf_tools tools;  /* as the caller's; nothing is kept in a store, texts may be longer */
    struct rf_message message;
    struct rf_read read; /* the file; its arena is the preview's */
    enum rf_preview_kind kind;
    const char *family; /* who has the text of its pages; or NULL */
    const char *word;   /* of a page */
    struct rf_str mime, label;
    struct rf_preview_page *pages;
    size_t count;
    int64_t total;                 /* pages of the whole file */
    int64_t width, height;         /* of a picture or a video; 0: not known */
    int64_t start_ms, duration_ms; /* of the part of a video */
    bool framed;                   /* the pages of a picture are its frames */
};

/* Have a worker do something, and fail as it does. Memory is `a`'s. */
RF_MUST enum rf_code rf_preview_ask(struct rf_preview *p, struct rf_job *job, struct rf_arena *a,
                                    struct rf_err *err);
/* The page of the file, counted from 1, that is page `page` of the preview, counted from 0. */
int64_t rf_preview_in_file(const struct rf_preview *p, size_t page);
/* Room for the pages that the part of `total` names. Fails with RF_EUSAGE where they are not
 * there. */
RF_MUST enum rf_code rf_preview_take_pages(struct rf_preview *p, int64_t total, struct rf_err *err);

/* What a video shows at its page, for people: "0:20". */
struct rf_str rf_preview_time(struct rf_arena *a, int64_t ms);

/* Read the text of some pages from one on, which also tells how many there are. */
RF_MUST enum rf_code rf_preview_read_pages(struct rf_preview *p, int64_t first, struct rf_err *err);
/* Read a file as a model would, as the text of its only page; the blocks are in `message`. */
RF_MUST enum rf_code rf_preview_read_whole(struct rf_preview *p, struct rf_err *err);

/* The line that people see. */
struct rf_str rf_preview_write_label(const struct rf_preview *p);

#endif
