/* Pages of a document, or its slides or sheets, as people count them: from 1, the last included.
 * Formats of others that count from 0 are converted where they are read and written. */
#ifndef RF_CONTENT_PAGES_H
#define RF_CONTENT_PAGES_H

#include <stdint.h>

struct rf_pages {
    int64_t first, last; /* 0, 0: all; last 0: to the end */
};

/* The same pages of a document that has `all`: with numbers where they are known. 0: unknown. */
static inline struct rf_pages rf_pages_within(struct rf_pages p, int64_t all)
{
    p.first = p.first ? p.first : 1;
    p.last = all && (!p.last || p.last > all) ? all : p.last;
    return p;
}

/* The first of them, at most so many; 0: all. */
static inline struct rf_pages rf_pages_at_most(struct rf_pages p, int64_t count)
{
    if (count && (!p.last || p.last - p.first >= count))
        p.last = p.first + count - 1;
    return p;
}

/* How many; 0 where the end is unknown, or before the first. */
static inline int64_t rf_pages_count(struct rf_pages p)
{
    return p.first && p.last >= p.first ? p.last - p.first + 1 : 0;
}

#endif
