/* The sources of an answer, numbered in the order in which they are cited.
 *
 *     rf_sources_hear(&s, e);                every event of a stream
 *     rf_sources_marks(&s, e->done, &out);   " [1][2]": what was cited since the last time
 *     rf_sources_line(&s, i, &out);          "[1] Title, https://example.org/"
 *
 * An address that is cited twice has one number; so has a passage of a document. */
#ifndef RF_CLI_SOURCES_H
#define RF_CLI_SOURCES_H

#include <stdbool.h>

#include <refract/reply.h>

#include "term/buffer.h"

struct rf_source {
    char *key, *words;
    bool is_due; /* its mark was not made yet */
};

struct rf_sources {
    struct rf_source *list;
    size_t count, cap;
};

/* Take in what an event of a stream cites: the citations themselves, and those that a reply has at
 * its end. */
void rf_sources_hear(struct rf_sources *s, const struct rf_event *e);
/* What is to be added to the text of a block that has ended, as Markdown: after code or a table it
 * stands alone. */
void rf_sources_marks(struct rf_sources *s, const struct rf_block *b, struct rf_buffer *out);
/* From 0; not cleaned. */
void rf_sources_line(const struct rf_sources *s, size_t i, struct rf_buffer *out);
void rf_sources_release(struct rf_sources *s);

#endif
