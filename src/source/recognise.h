/* Text that a machine reads out of pictures and scanned pages. It may be wrong, and whoever
 * passes it on says so, in the words below.
 *
 *     struct rf_recognising how = { .cache = cache, .most_pages = 20, .most_ms = 60000 };
 *     rf_recognise_scans(&how, &job, &pdf, a);
 *
 * Nothing here is worth failing for: a picture that cannot be read is a picture without text.
 * It goes page by page, several at once, so that it can stop when the time is up and say how far
 * it is. */
#ifndef RF_SOURCE_RECOGNISE_H
#define RF_SOURCE_RECOGNISE_H

#include "media/cache.h"

struct rf_recognising {
    struct rf_cache *cache; /* or NULL */
    const char *password;   /* of the PDF, or NULL */
    int cancel_fd;          /* as in struct rf_job */
    int64_t most_pages;     /* that are tried; each that is, is taken off */
    int64_t most_ms;        /* after which no further page is begun; 0: no limit */
    bool (*step)(void *context, int64_t done, int64_t of); /* or NULL; false stops */
    void *context;
    /* out */
    bool missing;      /* no worker is here that recognises text */
    int64_t left_over; /* pages that there was no budget for */
};

struct rf_recognised {
    bool tried;         /* false: there was no budget, or no worker */
    struct rf_str text; /* empty: there is none in it */
    int64_t confidence; /* 0 to 100, of the text */
};

/* The text in each picture, which is a PNG or a JPEG, or NULL. */
void rf_recognise_pictures(struct rf_recognising *how, const struct rf_bytes *const *pictures,
                           size_t count, struct rf_arena *a, struct rf_recognised *out);

/* What a worker answered when asked for the text of a PDF: parts that have pictures and no text get
 * the text that is recognised on their page, and the properties `recognised` (1) and `confidence`;
 * those that there was no budget for get `scanned` (1). Returns how many pages have such text
 * now. */
size_t rf_recognise_scans(struct rf_recognising *how, struct rf_job *job,
                          const struct rf_bytes *pdf, struct rf_arena *a);

/* What is said about all recognised text, to models and to people: "recognised by OCR, may be
 * wrong; confidence 83 %", and more where that is low. */
struct rf_str rf_recognised_words(int64_t confidence, struct rf_arena *a);
/* The same as a line "[Text recognised …]" before the text of a part; empty where that was not
 * recognised. */
struct rf_str rf_recognised_line(const struct rf_job_part *part, struct rf_arena *a);

#endif
