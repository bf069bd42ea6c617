/* Markdown as it is streamed: headings, lists, tables, code, quotes, rules, emphasis, links,
 * wrapped to the width.
 *
 *     struct rf_markdown *m = rf_markdown_new(&theme, columns, commit, ctx);
 *     rf_markdown_add(m, piece);            commit() gets each row that is done
 *     rf_markdown_live(m, row, ctx);        rows that more text may still change
 *     rf_markdown_end(m);
 *     rf_markdown_free(m);
 *
 * It shows what was written: nothing is hidden (a link shows its address where its text is
 * another), what is not a Markdown stays as it is, and a mark that nothing closes is a mark.
 * Control characters are made harmless. A link is one only to http and https.
 *
 * Memory and time do not grow with what was said: held is the block that has not ended, of that at
 * most a few rows' worth; what is longer is decided as it stands and goes. A table is held until it
 * ends or has MAX_ROWS rows, then its columns are settled and what follows keeps them.
 */
#ifndef RF_CLI_TERM_MARKDOWN_H
#define RF_CLI_TERM_MARKDOWN_H

#include "term/theme.h"

struct rf_markdown;

/* `columns`: cells of a row, at least 10. `commit` gets rows without a line feed, at most so wide.
 * `look` is read again with every row: it stays the caller's, and may change. */
struct rf_markdown *rf_markdown_new(const struct rf_theme *theme, int columns,
                                    void (*commit)(void *ctx, struct rf_str row), void *ctx);
void rf_markdown_free(struct rf_markdown *m); /* takes NULL */

/* Any bytes, cut anywhere. */
void rf_markdown_add(struct rf_markdown *m, struct rf_str piece);
/* The rows of what has not ended, as it looks now. */
void rf_markdown_live(struct rf_markdown *m, void (*row)(void *ctx, struct rf_str row), void *ctx);
/* End the text: everything is committed, and the next rf_markdown_add begins a new one. */
void rf_markdown_end(struct rf_markdown *m);
/* From now on. */
void rf_markdown_resize(struct rf_markdown *m, int columns);

#endif
