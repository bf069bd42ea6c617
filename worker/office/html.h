/* HTML and XHTML as readable text: headings, lists, links, tables, and nothing that is not shown.
 *
 *     rf_prose_begin(&p, pictures, 1, rf_html_title(a, utf8));
 *     rf_html_prose(&p, utf8);
 *     rf_prose_end(&p);
 *
 * Reads tags as they come, without a tree: what browsers accept, this reads too, and nothing can be
 * nested too deep. Scripts, styles and hidden elements are left out; nothing is fetched.
 */
#ifndef RF_OFFICE_HTML_H
#define RF_OFFICE_HTML_H

#include "worker/office/prose.h"
#include "worker/office/recode.h"

/* Add the text of a page, which must be UTF-8, to `p`; what is made on the way lives in its
 * arena. False where it has no text, or only some for browsers that run no scripts. */
bool rf_html_prose(struct rf_prose *p, struct rf_str html);
/* The page's title, or empty. */
struct rf_str rf_html_title(struct rf_arena *a, struct rf_str html);

/* The page in UTF-8: by byte order mark, by `charset` (what mail or HTTP says; may be empty), by
 * the page's own declaration, by what it looks like. `told` may be NULL. */
struct rf_str rf_html_utf8(struct rf_arena *a, struct rf_str charset, struct rf_str bytes,
                           struct rf_recoding *told);

/* The text of `s` with entities replaced. */
struct rf_str rf_html_unescape(struct rf_arena *a, struct rf_str s);

/* The value of an attribute in a tag's inside, with entities replaced; empty where there is
 * none. */
struct rf_str rf_html_attribute(struct rf_arena *a, struct rf_str tag, const char *name);

/* The character of a name without '&' and ';', or 0. */
uint32_t rf_html_entity(struct rf_str name);

#endif
