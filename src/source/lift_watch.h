/* Base64 of a file that begins before a window of a text and goes on in it, where nothing tells any
 * more what it is: all that comes before the window is watched.
 *
 *     struct rf_lift_watch w = { 0 };
 *     while (…) rf_lift_watch(&w, piece);
 *     window = rf_lift_window(&w, window, cut, a); */
#ifndef RF_SOURCE_LIFT_WATCH_H
#define RF_SOURCE_LIFT_WATCH_H

#include "base/str.h"

#include <stdint.h>

struct rf_arena;

struct rf_lift_watch {
    char head[512]; /* of the base64 that was read last */
    size_t head_n;
    size_t first;  /* digits of its first line, where it is wrapped; 0: that is not over */
    size_t run;    /* digits of the line under way */
    uint64_t last; /* the last eight bytes */
    bool marked;   /* it stands in a data URL */
    bool is_file;  /* it begins like one, and is not over */
};

void rf_lift_watch(struct rf_lift_watch *w, struct rf_str piece);
/* The window without files that it begins in or, where the text was cut after it, ends in. `w` may
 * be NULL. */
struct rf_str rf_lift_window(const struct rf_lift_watch *w, struct rf_str text, bool cut,
                             struct rf_arena *a);

#endif
