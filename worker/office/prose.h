/* Markdown for formats that say what a block is where it begins, and often not where it ends.
 *
 *     struct rf_prose p;
 *     rf_prose_begin(&p, pictures, 1, title);
 *     rf_prose_heading(&p, 2);
 *     rf_prose_text(&p, RF_STR("Prices"));
 *     rf_prose_block(&p);
 *     rf_prose_end(&p);
 *
 * A layer over markdown.h: white space is folded, what was begun is ended by what comes next, and
 * an opening without text waits for it: <li><p>x is an item. Tables need no pairing either.
 */
#ifndef RF_OFFICE_PROSE_H
#define RF_OFFICE_PROSE_H

#include "worker/office/markdown.h"

#define RF_PROSE_MAX_TABLES 64 /* nested deeper, a table keeps its text and loses its form */

struct rf_prose {
    struct rf_markup md;
    struct rf_markup_style style; /* of the block that is begun */
    char label[16];
    bool fresh;     /* it has no text yet */
    bool space;     /* a space is due before the next word */
    unsigned lines; /* line breaks since the last word */
    struct rf_str link;
    bool linked;
    unsigned tables, too_many;
    struct {
        bool row, cell;
    } table[RF_PROSE_MAX_TABLES];
};

/* Begin the part `page` (from 1); `title` may be empty. */
void rf_prose_begin(struct rf_prose *p, struct rf_figures *pictures, int64_t page,
                    struct rf_str title);
/* End all that is open, and send the rest. */
void rf_prose_end(struct rf_prose *p);

/* Running text: white space is folded. */
void rf_prose_text(struct rf_prose *p, struct rf_str s);
/* Text with its spaces as they are; line feeds are line breaks. */
void rf_prose_exact(struct rf_prose *p, struct rf_str s);
/* The next text stands on the next line; in a block of its own, which is as it was opened if the
 * last one had no text; in a plain block. */
void rf_prose_line(struct rf_prose *p);
void rf_prose_block(struct rf_prose *p);
void rf_prose_plain(struct rf_prose *p);
/* Open a heading of level 1 to 6; an item of a list, with `number` 0 for a bullet. */
void rf_prose_heading(struct rf_prose *p, unsigned level);
void rf_prose_item(struct rf_prose *p, unsigned depth, unsigned number);

/* Around the text of a link; `url` must stay until it ends. */
void rf_prose_link(struct rf_prose *p, struct rf_str url);
void rf_prose_link_end(struct rf_prose *p);

/* A table: each row begins, then each of its cells begins. */
void rf_prose_table(struct rf_prose *p);
void rf_prose_row(struct rf_prose *p);
void rf_prose_cell(struct rf_prose *p);
void rf_prose_table_end(struct rf_prose *p);

#endif
