/* What the files of the Markdown renderer share; no other file includes it.
 *
 *     markdown.c         bytes become lines; what is live
 *     markdown_blocks.c  a line: its quotes and lists, and what it begins, continues or ends
 *     markdown_leaf.c    paragraphs, headings and code; rows with what stands in front of them
 *     markdown_inline.c  marks inside of text: which of them match; markdown_scan.c: their form
 *     markdown_write.c   that text with its styles
 *     markdown_table.c   tables
 *     markdown_rows.c    styled text, wrapped into rows
 *
 * One struct rf_md is all that is known of a text so far. What is live is found by ending a copy of
 * it.
 */
#ifndef RF_CLI_TERM_MARKDOWN_INSIDE_H
#define RF_CLI_TERM_MARKDOWN_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "term/buffer.h"
#include "term/highlight.h"
#include "term/theme.h"

#define RF_MD_MAX_DEPTH 12        /* quotes and items in each other; more are text */
#define RF_MD_MAX_COLUMNS 32      /* of a table; one with more is text */
#define RF_MD_MAX_TABLE_LINE 4096 /* bytes; a line that is longer is not a row */
#define RF_MD_STYLE(name) (1u << RF_STYLE_##name)

/* markdown_rows.c: text that is not in a row yet. Cleaned; '\n' ends a row. */
struct rf_md_rows {
    struct rf_buffer text, runs, urls;
    bool hard; /* broken at the last cell that fits, spaces stay: code */
};

typedef void rf_md_emit(void *ctx, struct rf_str row, int cells);

void rf_md_rows_reset(struct rf_md_rows *r);
void rf_md_rows_release(struct rf_md_rows *r);
void rf_md_rows_copy(struct rf_md_rows *to, const struct rf_md_rows *from);
/* `url`: where the text links to; empty: nowhere. */
void rf_md_rows_add(struct rf_md_rows *r, struct rf_str text, unsigned styles, struct rf_str url);
void rf_md_rows_break(struct rf_md_rows *r);
/* A space between words: none at the beginning of a row, and never two. */
void rf_md_rows_space(struct rf_md_rows *r, unsigned styles, struct rf_str url);
/* Emit the rows that are full; all of them where it is the end. No text is one empty row then. */
void rf_md_rows_flow(struct rf_md_rows *r, const struct rf_theme *theme, int width,
                     rf_md_emit *emit, void *ctx);
void rf_md_rows_finish(struct rf_md_rows *r, const struct rf_theme *theme, int width,
                       rf_md_emit *emit, void *ctx);

/* markdown_inline.c: the text of a block, or of a cell of a table. */
enum rf_md_part {
    RF_MD_WHOLE, /* nothing follows */
    RF_MD_BEGUN, /* something may: what is undecided is left, but not all of it */
};
struct rf_md_inline {
    struct rf_buffer tokens; /* memory, used again and again */
    const struct rf_theme *theme;
    bool is_cell; /* <br> is a line break in it: it can have no other */
};
/* Adds the text to `out`; returns the bytes of it that were taken. */
size_t rf_md_inline(struct rf_md_inline *in, struct rf_str text, unsigned styles,
                    enum rf_md_part part, struct rf_md_rows *out);

/* markdown_scan.c: bytes that something at the beginning of `s` takes; 0 where it is not there. */
size_t rf_md_scan_autolink(struct rf_str s, struct rf_str *url); /* <http://…> */
/* <b class="x">, </b>, <!--…--> */
size_t rf_md_scan_tag(struct rf_str s);
size_t rf_md_scan_address(struct rf_str s);         /* http://… in text */
size_t rf_md_scan_entity(struct rf_str s, char *c); /* &amp; */
/* "(address "title")". `shown` is all inside of it. `cut`: the end of the text came first. */
size_t rf_md_scan_target(struct rf_str s, struct rf_str *url, struct rf_str *shown, bool *cut);
bool rf_md_is_web(struct rf_str url); /* http or https */
/* bytes at the end that begin a character that is not whole */
size_t rf_md_tail(struct rf_str s);

/* Everything of a text so far. */
struct rf_md_container {
    bool is_quote;
    bool is_shown;   /* its marker */
    int offset;      /* of the marker, in the line without what contains it */
    int indent;      /* of what is in the item */
    int cells;       /* of the marker with its space */
    char marker[16]; /* without the space; "" for the bullet */
    char box;        /* of a task: 'x', ' '; or 0 */
};

enum rf_md_leaf {
    RF_MD_NONE,
    RF_MD_PARAGRAPH,
    RF_MD_HEADING,
    RF_MD_FENCED,
    RF_MD_INDENTED,
    RF_MD_TABLE,
};

struct rf_md_table {
    /* Lines that are held, each with its line feed; the first is the header. */
    struct rf_buffer text;
    struct rf_buffer header;
    size_t rows;
    int columns;
    bool is_settled, is_list;
    char align[RF_MD_MAX_COLUMNS]; /* 'l', 'c', 'r' */
    int widths[RF_MD_MAX_COLUMNS];
};

struct rf_md {
    const struct rf_theme *theme;
    struct rf_md_inline *inliner; /* memory that copies share */
    int columns;
    void (*commit)(void *ctx, struct rf_str row);
    void *ctx;
    struct rf_buffer row; /* while it is put together */

    bool has_begun;
    bool blank; /* an empty row comes before the next */
    int blank_depth;
    struct rf_md_container in[RF_MD_MAX_DEPTH];
    int depth;

    enum rf_md_leaf leaf;
    struct rf_md_rows rows;
    struct rf_buffer text;         /* of the leaf, not in rows yet; a line of code */
    size_t last_line;              /* of a paragraph, in `text` */
    bool is_flushed;               /* of the paragraph something has gone already */
    bool may_be_header;            /* the last line may be that of a table: it stays whole */
    bool keeps_line;               /* the last line was HTML, or of a broken table: it ends there */
    unsigned styles;               /* of the leaf */
    struct rf_highlight highlight; /* of code */
    char fence;
    size_t fence_count, fence_indent;
    size_t empty_lines; /* of code, until more code follows */
    struct rf_md_table table;

    struct rf_buffer line; /* that has not ended */
    bool is_open;          /* its beginning is in the leaf already */
    bool has_pipe, after_return;
    size_t column;
};

/* markdown_blocks.c */
void rf_md_line(struct rf_md *d, struct rf_str line);       /* a whole one */
void rf_md_line_begin(struct rf_md *d, struct rf_str line); /* one that is too long to wait for */
void rf_md_line_more(struct rf_md *d, struct rf_str bytes);
void rf_md_line_end(struct rf_md *d);
void rf_md_close(struct rf_md *d, int depth); /* the leaf, and what is deeper */

/* markdown_leaf.c */
size_t rf_md_limit(const struct rf_md *d); /* bytes that are held of a text */
int rf_md_width(const struct rf_md *d);    /* cells beside what contains a leaf */
void rf_md_row(void *document, struct rf_str row, int cells);
void rf_md_rule(struct rf_md *d);
void rf_md_text_begin(struct rf_md *d, enum rf_md_leaf leaf, unsigned styles);
void rf_md_text_add(struct rf_md *d, struct rf_str text);
void rf_md_text_line(struct rf_md *d, struct rf_str line);
void rf_md_text_close(struct rf_md *d);
void rf_md_fence_begin(struct rf_md *d, struct rf_str line, size_t indent, size_t count);
void rf_md_fence_end(struct rf_md *d, struct rf_str line);
void rf_md_code_add(struct rf_md *d, struct rf_str text);
void rf_md_code_end(struct rf_md *d);

/* markdown_table.c */
int rf_md_table_columns(struct rf_str line); /* cells of a row */
bool rf_md_table_ruler(struct rf_str line, char align[RF_MD_MAX_COLUMNS], int *columns);
void rf_md_table_begin(struct rf_md *d, struct rf_str header, struct rf_str ruler);
void rf_md_table_row(struct rf_md *d, struct rf_str line);
void rf_md_table_resize(struct rf_md *d); /* there are other columns */
void rf_md_table_close(struct rf_md *d);

static inline struct rf_str rf_md_from(struct rf_str s, size_t at)
{
    return (struct rf_str){ s.p + at, s.n - at };
}

static inline size_t rf_md_spaces(struct rf_str s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] == ' ')
        n++;
    return n;
}

static inline struct rf_str rf_md_trim(struct rf_str s)
{
    s = rf_md_from(s, rf_md_spaces(s));
    while (s.n && s.p[s.n - 1] == ' ')
        s.n--;
    return s;
}

#endif
