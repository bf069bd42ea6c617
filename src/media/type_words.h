/* "takes no image/png" for people: "takes no PNG images". */
#ifndef RF_MEDIA_TYPE_WORDS_H
#define RF_MEDIA_TYPE_WORDS_H

#include "base/str.h"

struct rf_arena;

struct rf_str rf_type_words(struct rf_str text, struct rf_arena *a);

#endif
