/* How text looks here: what the terminal can show, and the styles that we use, by name.
 *
 *     rf_theme_on(&theme, RF_STYLE_CODE, &b);
 *     rf_cells_clean(&b, word);
 *     rf_theme_off(&theme, RF_STYLE_CODE, &b);
 *
 * All colours that are used anywhere stand in theme.c, a row a style, with one for light and one
 * for dark backgrounds. Without colours styles are what a terminal still has (bold, underline) or
 * nothing; on a dumb one nothing. Colours come from the sixteen that people choose for themselves
 * wherever that is readable.
 */
#ifndef RF_CLI_TERM_THEME_H
#define RF_CLI_TERM_THEME_H

#include <stdbool.h>

#include "term/buffer.h"

enum rf_style {
    RF_STYLE_PLAIN,
    RF_STYLE_STRONG,   /* **bold** */
    RF_STYLE_EMPHASIS, /* *italic* */
    RF_STYLE_STRIKE,
    RF_STYLE_CODE,    /* `code`, and code blocks in a language that is not known */
    RF_STYLE_KEYWORD, /* in code: highlight.h */
    RF_STYLE_STRING,
    RF_STYLE_COMMENT,
    RF_STYLE_NUMBER,
    RF_STYLE_ADDED, /* lines of a diff */
    RF_STYLE_REMOVED,
    RF_STYLE_HEADING,
    RF_STYLE_QUOTE,
    RF_STYLE_LINK,
    RF_STYLE_DIM, /* thoughts, status, rules, borders */
    RF_STYLE_PROMPT,
    RF_STYLE_GOOD,     /* "+" lines, a tool that went well */
    RF_STYLE_WARN,     /* "!" and "~" lines, questions of permission */
    RF_STYLE_BAD,      /* "x" lines, errors */
    RF_STYLE_SELECTED, /* the chosen of several */
    RF_STYLE_COUNT,
};

struct rf_theme {
    int colours;  /* 0 (NO_COLOR), 16, 256, 1 << 24 */
    bool plain;   /* TERM=dumb, or no terminal at all: no escape sequence whatsoever */
    bool unicode; /* the locale is UTF-8: else "*" for "•", "-" for "─", "..." for "…" */
    bool light;   /* the background is */
    bool links;   /* OSC 8 is worth writing */
};

/* From the environment (TERM, COLORTERM, NO_COLOR, COLORFGBG, LC_ALL, LC_CTYPE, LANG), for a
 * descriptor that is or is not a terminal. */
void rf_theme_detect(struct rf_theme *l, int fd);

void rf_theme_on(const struct rf_theme *l, enum rf_style style, struct rf_buffer *out);
/* Ends what this style began. One around it that shares an attribute (bold inside of bold) is the
 * writer's to begin again. */
void rf_theme_off(const struct rf_theme *l, enum rf_style style, struct rf_buffer *out);

/* Of a line that says what became of a file, or what was done: its mark is a colour. */
enum rf_style rf_theme_line_style(struct rf_str line);

/* A link around what comes, for http and https addresses without control characters or spaces
 * alone; false where it is none, or links are not written: then rf_theme_link_end must not be
 * called. */
bool rf_theme_link(const struct rf_theme *l, struct rf_str url, struct rf_buffer *out);
void rf_theme_link_end(const struct rf_theme *l, struct rf_buffer *out);

#endif
