/* The limits of the tools, each with its name in the configuration and its usual value. */
#ifndef RF_SOURCE_READ_LIMITS_H
#define RF_SOURCE_READ_LIMITS_H

#include "base/str.h"

enum rf_limit {
    RF_LIMIT_PICTURE_BYTES,
    RF_LIMIT_PICTURE_SIDE,
    RF_LIMIT_PICTURES,
    RF_LIMIT_PDF_BYTES,
    RF_LIMIT_OFFICE_BYTES,
    RF_LIMIT_PAGES,
    RF_LIMIT_TEXT_BYTES,
    RF_LIMIT_LINE_BYTES,
    RF_LIMIT_DOCUMENT_TEXT_BYTES,
    RF_LIMIT_ENTRIES,
    RF_LIMIT_OCR_PAGES,
    RF_LIMIT_CACHE_BYTES,
};
#define RF_LIMIT_COUNT (RF_LIMIT_CACHE_BYTES + 1)

struct rf_limit_row {
    const char *name, *help;
    int64_t usual, least, most;
};

extern const struct rf_limit_row rf_limit_rows[RF_LIMIT_COUNT];

/* The limit of that name, or RF_LIMIT_COUNT. */
size_t rf_limit_find(struct rf_str name);

/* What the pictures of one read may take. */
struct rf_picture_room {
    int64_t all;   /* bytes of all of them, as base64; 0: any number */
    int64_t small; /* of one that is made smaller for that */
    int64_t side;  /* pixels, up to which one goes as it is */
};

/* What each of several documents may have of the text that all of them may: less than its part, for
 * what is said of each. */
int64_t rf_text_share(int64_t all, size_t documents);

#endif
