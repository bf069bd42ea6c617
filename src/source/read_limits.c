#include "source/read_limits.h"

#include <refract/tools.h>

#define KB ((int64_t)1024)
#define MB (1024 * KB)
#define GB (1024 * MB)
#define SAID 500 /* bytes, of each document among several */

const struct rf_limit_row rf_limit_rows[RF_LIMIT_COUNT] = {
    [RF_LIMIT_PICTURE_BYTES] = { "picture_bytes",
                                 "a picture as it is sent, shrunk where it is over", 5 * MB,
                                 10 * KB, 64 * MB },
    [RF_LIMIT_PICTURE_SIDE] = { "picture_side", "pixels along its longer side, shrunk likewise",
                                2048, 64, 65535 },
    [RF_LIMIT_PICTURES] = { "pictures", "pictures in one result", 10, 1, 1000 },
    [RF_LIMIT_PDF_BYTES] = { "pdf_bytes", "a PDF that is opened", 32 * MB, KB, 2 * GB },
    [RF_LIMIT_OFFICE_BYTES] = { "office_bytes", "any other document that is opened", 64 * MB, KB,
                                2 * GB },
    [RF_LIMIT_PAGES] = { "pages", "pages, slides or sheets of one read", 20, 1, 10000 },
    [RF_LIMIT_TEXT_BYTES] = { "text_bytes", "text of one read", 30 * KB, 256, 16 * MB },
    [RF_LIMIT_LINE_BYTES] = { "line_bytes", "one line of a text, cut where it is longer", 2000, 64,
                              MB },
    [RF_LIMIT_DOCUMENT_TEXT_BYTES] = { "document_text_bytes", "text of a document of one read",
                                       100 * KB, 256, 16 * MB },
    [RF_LIMIT_ENTRIES] = { "entries", "entries of a folder that are listed", 1000, 1, 100000 },
    [RF_LIMIT_OCR_PAGES] = { "ocr_pages", "pictures of one read whose text is recognised", 5, 0,
                             1000 },
    [RF_LIMIT_CACHE_BYTES] = { "cache_bytes", "all that is kept in the cache", GB, 0, 1024 * GB },
};

size_t rf_limit_find(struct rf_str name)
{
    size_t i = 0;
    while (i < RF_LIMIT_COUNT && !rf_str_is(name, rf_limit_rows[i].name))
        i++;
    return i;
}

int64_t rf_text_share(int64_t all, size_t documents)
{
    int64_t each = all / (int64_t)documents;
    return documents == 1 ? each : each > 2 * SAID ? each - SAID : each / 2;
}

size_t rf_limit_count(void)
{
    return RF_LIMIT_COUNT;
}

const char *rf_limit_name(size_t limit)
{
    return limit < RF_LIMIT_COUNT ? rf_limit_rows[limit].name : NULL;
}

const char *rf_limit_help(size_t limit)
{
    return limit < RF_LIMIT_COUNT ? rf_limit_rows[limit].help : NULL;
}
