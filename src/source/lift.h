/* Media that hides in text: found, and taken out.
 *
 * Tools print data URLs and put base64 into JSON. A model that gets them as text reads 300,000
 * tokens of nonsense, so they become files. It is done conservatively: data URLs and long runs of
 * base64 anywhere in a text or a JSON string, and only where the bytes begin like a file of a known
 * format whose header holds together. Everything else stays as it is.
 */
#ifndef RF_SOURCE_LIFT_H
#define RF_SOURCE_LIFT_H

#include "base/json_read.h"
#include "content/content.h"

struct rf_format;

/* Find the first hidden file in `text`: what stands before it and after it, and a block that
 * holds it. False when there is none. */
bool rf_lift_text(struct rf_str text, struct rf_arena *a, struct rf_str *before,
                  struct rf_block *block, struct rf_str *after);

/* The blocks that were lifted out of a JSON value. */
struct rf_lifted {
    struct rf_block **blocks;
    size_t count, cap;
    bool dropped; /* set by the caller: they are not sent, and the words in their place say so */
    /* Set by the caller: SHA-256 in hex digits of files that go along. Their copies are taken out,
     * and what takes the place of one names the file; all others stay where they are. */
    const struct rf_str *copied;
    size_t copied_count;
};

/* The value as compact JSON with hidden files replaced by a few words each. */
struct rf_str rf_lift_json(const struct rf_jval *v, struct rf_arena *a, struct rf_lifted *lifted);

/* The same for a text that is a JSON array or object as a whole; false when it is none, or nothing
 * hides in it. */
bool rf_lift_json_text(struct rf_str text, struct rf_arena *a, struct rf_str *json,
                       struct rf_lifted *lifted);

/* A text, JSON or not, with a few words in the place of each file that hides in it; empty where it
 * is nothing but files. */
struct rf_str rf_lift_out(struct rf_str text, struct rf_arena *a, struct rf_lifted *lifted);

/* The format of a file that begins with these digits of canonical base64; NULL: they do not begin
 * like one. That nothing is known of the rest makes no difference. `marked`: they stand in a data
 * URL, or where a file is expected. */
const struct rf_format *rf_lift_head(struct rf_str base64, bool marked);

/* A text that was cut at its end, without a file that the cut went through. */
struct rf_str rf_lift_cut(struct rf_str text, struct rf_arena *a);
#define RF_LIFT_WORDS "(base64 left out)" /* that take the place of a file */

/* A text, JSON or not, without the files that hide in it; `text` itself where there are none. */
struct rf_str rf_lift_away(struct rf_str text, struct rf_arena *a);
/* The same, without copies of these files (see `copied`). */
struct rf_str rf_lift_copies(struct rf_str text, const struct rf_str *hashes, size_t count,
                             struct rf_arena *a);

#endif
