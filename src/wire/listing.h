/* The providers' lists of models, read: one const struct rf_list_format a shape, found by the name
 * that the provider's row has for it. Pure: who asks is send/list.h. */
#ifndef RF_WIRE_LISTING_H
#define RF_WIRE_LISTING_H

#include "base/json_read.h"
#include "config/lists.h"

/* A list while its pages come. */
struct rf_list_reading {
    struct rf_arena *arena;
    struct rf_list *list;
    struct rf_str next; /* set by a page: what its address ends with to be the next one; or empty */
};

struct rf_list_format {
    const char *name;
    /* Take in an answer; false where it is not such a list. */
    bool (*read)(const struct rf_jval *answer, struct rf_list_reading *r);
};

const struct rf_list_format *rf_list_format_find(const char *name);

#endif
