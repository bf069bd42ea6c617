/* Text on its way out as Markdown: paragraphs, headings, lists, tables, boxes.
 *
 *     rf_markup_init(&md, pictures);
 *     rf_markup_text(&md, RF_STR("Hello"));
 *     rf_markup_paragraph(&md, (struct rf_markup_style){ .kind = RF_MARKUP_HEADING, .level = 1 });
 *     rf_markup_finish(&md);
 *
 * Inline text gathers until rf_markup_paragraph ends it and says what it was; an empty paragraph
 * leaves nothing. Blocks are sent as they are done, so that memory does not grow with the document.
 * A table in a cell becomes lines of that cell. What is nested deeper than RF_MARKUP_MAX_DEPTH
 * keeps its text and loses its form. Begin and end must pair; an end too many is ignored, for
 * hostile input has them. Pictures that were named meanwhile follow the paragraph or the row at the
 * bottom that they stand in; the text after them goes on in another part. */
#ifndef RF_OFFICE_MARKDOWN_H
#define RF_OFFICE_MARKDOWN_H

#include "base/buf.h"
#include "worker/office/figures.h"

#define RF_MARKUP_MAX_DEPTH 16 /* tables in tables, boxes in boxes */
#define RF_MARKUP_MAX_PARAGRAPH \
    ((size_t)16 << 20)              /* bytes of one paragraph or row: all that may go out */
#define RF_MARKUP_MAX_COLUMNS 16384 /* further cells are left out */
#define RF_MARKUP_MAX_SPAN 63       /* columns that a cell may span */

enum rf_markup_kind {
    RF_MARKUP_PLAIN,
    RF_MARKUP_HEADING, /* level from 1 */
    RF_MARKUP_ITEM,    /* of a list; level from 0; `label` is "-" or a number such as "2." */
};

struct rf_markup_style {
    enum rf_markup_kind kind;
    int level;
    struct rf_str label; /* of a heading or an item; empty: "-" for an item */
};

struct rf_markup_frame;

struct rf_markup {
    struct rf_arena *arena;
    struct rf_answer *to;
    struct rf_figures *pictures;
    struct rf_markup_frame *frames[RF_MARKUP_MAX_DEPTH + 1];
    unsigned depth;     /* the frame in use */
    unsigned too_deep;  /* begins that were not taken */
    struct rf_buf out;  /* on its way */
    int64_t left;       /* bytes that may still be sent */
    bool cut, cut_said; /* they did not suffice; a note said so */
    bool overflow;      /* a paragraph or a row is longer than all that may go out */
    bool goes_on;       /* pictures went since the last text: the next is another part */
    int64_t tables;     /* begun so far, those in cells not counted */
};

/* For the answer, and within the limits, of `pictures`. */
void rf_markup_init(struct rf_markup *m, struct rf_figures *pictures);
/* Send what is left, and be ready for the next part; a note is sent when text had to be cut. */
void rf_markup_finish(struct rf_markup *m);

/* Inline text. Line feeds in it are line breaks; other white space is kept. */
void rf_markup_text(struct rf_markup *m, struct rf_str text);
void rf_markup_paragraph(struct rf_markup *m, struct rf_markup_style style);
/* For readers that gather text themselves: add what fits into `b`. Where some does not, the text
 * counts as cut. */
void rf_markup_keep(struct rf_markup *m, struct rf_buf *b, struct rf_str text);
/* A whole paragraph of plain text. */
__attribute__((format(printf, 2, 3))) void rf_markup_line(struct rf_markup *m, const char *fmt,
                                                          ...);
/* Does the paragraph in the making have text? */
bool rf_markup_has_text(const struct rf_markup *m);

/* Around the text of a link: "[", "](url)". An empty one leaves only its text. */
void rf_markup_link(struct rf_markup *m);
void rf_markup_link_end(struct rf_markup *m, struct rf_str url);

/* A table holds rows, a row cells, a cell paragraphs and tables. A cell that spans columns is
 * followed by empty ones. */
void rf_markup_table(struct rf_markup *m);
void rf_markup_table_end(struct rf_markup *m);
void rf_markup_row(struct rf_markup *m);
void rf_markup_row_end(struct rf_markup *m);
void rf_markup_cell(struct rf_markup *m);
void rf_markup_cell_end(struct rf_markup *m);
void rf_markup_cell_skip(struct rf_markup *m, int64_t count);

/* A box: paragraphs in the middle of a paragraph, that come after it. */
void rf_markup_box(struct rf_markup *m);
void rf_markup_box_end(struct rf_markup *m);
/* End it, and get its text instead; lives until the next box. */
struct rf_str rf_markup_box_take(struct rf_markup *m);

/* Has a block been written since the last rf_markup_finish? */
bool rf_markup_begun(const struct rf_markup *m);
/* No more can be sent: further work is lost. */
bool rf_markup_over(const struct rf_markup *m);

#endif
