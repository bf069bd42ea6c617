/* Which part of a file: what follows "#" in "report.pdf#p=3-5,8".
 *
 *     p=3-5,8           pages, slides or chapters, counted from 1; "3-" goes to the end
 *     sheet=Q3          a sheet by its name
 *     xywh=0,0,800,600  a piece of a picture: left, top, width, height
 *     t=10-20           seconds of sound or video; "10-" goes to the end
 *     L10-40            lines of a text, counted from 1; "L10" is one, "L10-" goes to the end
 *     bytes=500-999     bytes of a text as UTF-8, counted from 0, both of them too; "500-" goes to
 *                       the end
 *     pictures=3-5      the pictures inside a document, counted from 1; "pictures" is all of them
 *     source            a file as it is written, instead of how it reads
 *
 * Several are joined by "&". */
#ifndef RF_SOURCE_PART_H
#define RF_SOURCE_PART_H

#include "base/error.h"
#include "base/str.h"
#include "content/pages.h"

#define RF_MAX_RANGES 16

struct rf_file_part {
    struct rf_pages ranges[RF_MAX_RANGES];
    size_t range_count;
    struct rf_str sheet;
    bool has_crop, has_time, has_bytes, has_lines, pictures, source;
    int64_t crop[4];               /* x, y, width, height */
    int64_t start_ms, end_ms;      /* end 0: to the end */
    int64_t first_byte, last_byte; /* last -1: to the end */
    struct rf_pages lines, picture_range;
};

/* Where the part begins: the place of the last "#", or the length of `path` where none stands
 * after its last slash. */
size_t rf_part_mark(struct rf_str path);

/* A path may go on inside of an archive: "x.zip/docs/a.pdf" or "x.zip#docs/a.pdf". Its next shorter
 * front, "x.zip/docs" and then "x.zip"; false where there is none. */
bool rf_part_front(struct rf_str path, struct rf_str *front);
/* The last step of a path: "docs" of "x.zip/docs/". */
struct rf_str rf_part_last(struct rf_str path);

/* Read what stands after the "#". Fails with RF_EUSAGE. */
RF_MUST enum rf_code rf_part_read(struct rf_str text, struct rf_file_part *out, struct rf_err *err);

#endif
