/* What PDFs, slides, sheets and letters have in common: ranges of pages that a worker turns into
 * text, which becomes sections under headings in a document block. */
#ifndef RF_SOURCE_DOCUMENT_H
#define RF_SOURCE_DOCUMENT_H

#include "source/read.h"

/* Words for a page without text. */
typedef struct rf_str rf_document_instead(const struct rf_job_part *page);

struct rf_document {
    struct rf_read *read;
    const struct rf_format *format; /* of the ask and of the block */
    struct rf_pages ranges[RF_MAX_RANGES];
    struct rf_job jobs[RF_MAX_RANGES];
    struct rf_lines texts[RF_MAX_RANGES]; /* in their windows */
    size_t count;                         /* of ranges, jobs and texts */
    rf_document_instead *instead;         /* or NULL */
    int64_t pictures;                     /* that may come between the text; 0: none */
    struct rf_pages asked[RF_MAX_RANGES]; /* also those that one read does not give */
    size_t asked_count;
    bool clipped;  /* it did not */
    int64_t pages; /* that it has */
};

/* Have the text of the pages that were asked for worked out. Fails as the worker does, and with
 * RF_EUSAGE for pages that are not there. */
RF_MUST enum rf_code rf_document_ask(struct rf_document *d, struct rf_err *err);

/* Lay out the texts, as windows of lines that are within the limits. */
void rf_document_lay_out(struct rf_document *d);

/* The first line of the output: which pages these are, and how to go on where their texts are
 * complete. */
void rf_document_say_pages(struct rf_document *d);

/* The text of one range; says how it goes on. */
RF_MUST enum rf_code rf_document_text(struct rf_document *d, size_t range, struct rf_str *out,
                                      struct rf_err *err);

/* The number of a part's page, from 1. */
int64_t rf_document_page(const struct rf_job_part *part);

#endif
