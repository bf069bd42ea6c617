/* Texts in other character sets: which one it was, who said so, and what could not be converted.
 *
 *     struct rf_job job = { .family = RF_RECODER, .ask = rf_recipe_text(&RF_RECODE, a), … };
 *     if (rf_recoded(&job, &bytes)) …
 *
 * The detection and the converters are in a worker; what it gives is UTF-8 by its word only. */
#ifndef RF_SOURCE_RECODE_H
#define RF_SOURCE_RECODE_H

#include "media/recipe.h"
#include "media/text_kind.h"
#include "media/worker.h"

#define RF_RECODER "office"
#define RF_RECODE ((struct rf_recipe){ .make = RF_MAKE_UTF8 })

enum rf_charset_by {
    RF_CHARSET_SAID, /* by the text itself, or by what it came in */
    RF_CHARSET_DETECTED,
    RF_CHARSET_GUESSED, /* too few bytes tell */
};

struct rf_charset {
    struct rf_str name; /* empty: UTF-8, or no text at all */
    enum rf_charset_by by;
    int64_t bad; /* bytes that are not characters of it: U+FFFD stands for them */
};

/* What is said of a text that is decoded here. */
struct rf_charset rf_charset_decoded(struct rf_text_kind kind, size_t bad);

/* The text that such a job gave; false where it failed. */
bool rf_recoded(const struct rf_job *job, struct rf_bytes *out);
/* What the facts of a job say about the text that it gave. */
struct rf_charset rf_charset_of(const struct rf_job *job);

/* Markup that was converted, in which "utf-8" stands for the set that it was in: whoever believes
 * a page or an XML file reads it as what it is now. Other texts are as they were. */
struct rf_str rf_declare_utf8(struct rf_str text, struct rf_arena *a);

/* "Shift_JIS (detected), converted to UTF-8"; empty where it was UTF-8. */
struct rf_str rf_charset_words(const struct rf_charset *c, struct rf_arena *a);
/* "3 bytes are not Shift_JIS: U+FFFD stands for them"; empty where there are none. */
struct rf_str rf_charset_bad_words(const struct rf_charset *c, struct rf_arena *a);

#endif
