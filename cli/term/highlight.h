/* Code in colours, as it comes: which bytes are keywords, strings, comments and numbers.
 *
 *     rf_highlight_begin(&h, RF_LIT("python"));
 *     while (line.n) {
 *         size_t n = rf_highlight_next(&h, line, &style);
 *         …
 *     }
 *     rf_highlight_line(&h);            the line has ended
 *
 * What is known from one line to the next stands in the struct, which may be copied. A line may
 * come in pieces; a word that is cut by them is two.
 *
 * It refuses to understand: what is a keyword in one place only is one everywhere. */
#ifndef RF_CLI_TERM_HIGHLIGHT_H
#define RF_CLI_TERM_HIGHLIGHT_H

#include "term/theme.h"

struct rf_language;

struct rf_highlight {
    const struct rf_language *language; /* NULL: unknown, and all is code */
    char quote;                         /* of the string that is open; or 0 */
    bool is_triple;                     /* three of them close it */
    bool in_comment;                    /* one that has an end */
    bool in_tag;                        /* of markup */
    bool has_begun;                     /* something stands in this line besides spaces */
    char first;                         /* of a diff: what the line begins with; or 0 */
};

/* What stands after the fence: a name, and perhaps more. */
void rf_highlight_begin(struct rf_highlight *h, struct rf_str info);
/* Bytes of the next piece of `text`, which is not empty, and how it looks. */
size_t rf_highlight_next(struct rf_highlight *h, struct rf_str text, enum rf_style *style);
void rf_highlight_line(struct rf_highlight *h);

#endif
