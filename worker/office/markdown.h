/* Text on its way out as Markdown: paragraphs, headings, lists, tables, boxes.
 *
 *     rf_md_init(&md, pictures);
 *     rf_md_text(&md, RF_STR("Hello"));
 *     rf_md_paragraph(&md, (struct rf_md_style){ .kind = RF_MD_HEADING, .level = 1 });
 *     rf_md_finish(&md);
 *
 * Inline text gathers until rf_md_paragraph ends it and says what it was; an empty paragraph
 * leaves nothing. Blocks are sent as they are done, so that memory does not grow with the
 * document. A table in a cell becomes lines of that cell. What is nested deeper than
 * RF_MD_MAX_DEPTH keeps its text and loses its form. Begin and end must pair; an end too many is
 * ignored, for hostile input has them. Pictures that were named meanwhile follow the paragraph or
 * the row at the bottom that they stand in; the text behind them goes on in another part. */
#ifndef RF_OFFICE_MARKDOWN_H
#define RF_OFFICE_MARKDOWN_H

#include "base/buf.h"
#include "worker/office/pictures.h"

#define RF_MD_MAX_DEPTH 16 /* tables in tables, boxes in boxes */
#define RF_MD_MAX_PARAGRAPH \
    ((size_t)16 << 20)          /* bytes of one paragraph or row: all that may go out */
#define RF_MD_MAX_COLUMNS 16384 /* further cells are left out */
#define RF_MD_MAX_SPAN 63       /* columns that a cell may span */

enum rf_md_kind {
    RF_MD_PLAIN,
    RF_MD_HEADING, /* level from 1 */
    RF_MD_ITEM,    /* of a list; level from 0; `label` is "-" or a number such as "2." */
};

struct rf_md_style {
    enum rf_md_kind kind;
    int level;
    struct rf_str label; /* of a heading or an item; empty: "-" for an item */
};

struct rf_md_frame;

struct rf_md {
    struct rf_arena *arena;
    struct rf_answer *to;
    struct rf_pictures *pictures;
    struct rf_md_frame *frames[RF_MD_MAX_DEPTH + 1];
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
void rf_md_init(struct rf_md *m, struct rf_pictures *pictures);
/* Send what is left, and be ready for the next part; a note is sent when text had to be cut. */
void rf_md_finish(struct rf_md *m);

/* Inline text. Line feeds in it are line breaks; other white space is kept. */
void rf_md_text(struct rf_md *m, struct rf_str text);
void rf_md_paragraph(struct rf_md *m, struct rf_md_style style);
/* For readers that gather text themselves: add what fits into `b`. Where some does not, the text
 * counts as cut. */
void rf_md_keep(struct rf_md *m, struct rf_buf *b, struct rf_str text);
/* A whole paragraph of plain text. */
__attribute__((format(printf, 2, 3))) void rf_md_line(struct rf_md *m, const char *fmt, ...);
/* Does the paragraph in the making have text? */
bool rf_md_has_text(const struct rf_md *m);

/* Around the text of a link: "[", "](url)". An empty one leaves only its text. */
void rf_md_link(struct rf_md *m);
void rf_md_link_end(struct rf_md *m, struct rf_str url);

/* A table holds rows, a row cells, a cell paragraphs and tables. A cell that spans columns is
 * followed by empty ones. */
void rf_md_table(struct rf_md *m);
void rf_md_table_end(struct rf_md *m);
void rf_md_row(struct rf_md *m);
void rf_md_row_end(struct rf_md *m);
void rf_md_cell(struct rf_md *m);
void rf_md_cell_end(struct rf_md *m);
void rf_md_cell_skip(struct rf_md *m, int64_t count);

/* A box: paragraphs in the middle of a paragraph, that come behind it. */
void rf_md_box(struct rf_md *m);
void rf_md_box_end(struct rf_md *m);
/* End it, and get its text instead; lives until the next box. */
struct rf_str rf_md_box_take(struct rf_md *m);

/* Has a block been written since the last rf_md_finish? */
bool rf_md_begun(const struct rf_md *m);
/* No more can be sent: further work is in vain. */
bool rf_md_over(const struct rf_md *m);

#endif
