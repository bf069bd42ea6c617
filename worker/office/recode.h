/* Which character set a text is in, and the text as UTF-8.
 *
 *     struct rf_recoding told = { 0 };
 *     struct rf_str text = rf_recode(a, rf_declared(bytes), bytes, &told);
 *     rf_recoding_say(&told, to);
 *
 * A byte order mark counts first, then what was said (by mail, by a page), where the bytes bear it
 * out, then what they look like: UTF-8, or what uchardet detects. Never fails. */
#ifndef RF_OFFICE_RECODE_H
#define RF_OFFICE_RECODE_H

#include "worker/frame.h"

/* The later, the less is known. */
enum rf_recoding_by {
    RF_RECODED_AS_SAID,
    RF_RECODED_AS_DETECTED,
    RF_RECODED_BY_GUESS, /* few bytes tell, or none */
};

/* Of all texts that were converted with it: begin with all zero. */
struct rf_recoding {
    struct rf_str names; /* "Shift_JIS"; several with commas; empty: all was UTF-8 */
    enum rf_recoding_by by;
    uint64_t bad; /* bytes that are not characters */
};

/* `said` may be empty or wrong; `told` may be NULL. */
struct rf_str rf_recode(struct rf_arena *a, struct rf_str said, struct rf_str bytes,
                        struct rf_recoding *told);

/* The facts `charset`, `charset_by` and `charset_bad`, where there is something to tell. */
void rf_recoding_say(const struct rf_recoding *told, struct rf_answer *to);

/* op=utf8: the whole file as one part in UTF-8. */
void rf_office_utf8(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to);

#endif
