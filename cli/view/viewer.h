/* The inside of the viewer: its state, and what its files share.
 *
 *     view.c    opens the file; the loop, and what each key does
 *     keys.c    bytes that were typed become keys
 *     page.c    the screen: a picture or text, and the line at the bottom
 *     rows.c    the text of a page in rows as wide as the screen
 *     document.c the same of Markdown, with pictures in it
 *     find.c    search through the text of all pages
 */
#ifndef RF_CLI_VIEW_VIEWER_H
#define RF_CLI_VIEW_VIEWER_H

#include "term/buffer.h"
#include "view/view.h"

#define RF_VIEW_QUERY 128

/* Keys: a byte as it was typed, or one of these. */
enum {
    RF_KEY_NONE = 256,
    RF_KEY_UP,
    RF_KEY_DOWN,
    RF_KEY_LEFT,
    RF_KEY_RIGHT,
    RF_KEY_PAGE_UP,
    RF_KEY_PAGE_DOWN,
    RF_KEY_HOME,
    RF_KEY_END,
    RF_KEY_ESCAPE,
    RF_KEY_GONE, /* there is no more input */
};

/* What is being typed at the bottom. */
enum rf_view_input {
    RF_VIEW_NO_INPUT,
    RF_VIEW_SEARCH,
    RF_VIEW_JUMP,
};

/* A row of text: a piece of the page's; how it is written where that is more than the text; or a
 * row of a picture. */
struct rf_view_row {
    size_t begin, end;
    size_t styled, styled_end; /* in the viewer's `styled`; the same: as the text */
    size_t picture;            /* of the document, from 1; 0: none */
    int picture_row, picture_rows;
};

struct rf_viewer {
    struct rf_tty *tty;
    struct rf_preview *preview;
    struct rf_view_options options;
    size_t page;
    bool as_text;     /* the text of the page, and not its picture */
    bool has_picture; /* else it is text alone */
    bool is_source;   /* Markdown as it is written */
    bool shows_help;
    bool leaves;

    int zoom;         /* hundredths: 100 is everything */
    int x, y;         /* the middle of what is shown, in thousandths */

    struct rf_str text; /* of the page that `rows` are of */
    struct rf_view_row *rows;
    size_t row_count, row_cap;
    size_t top;                     /* the first row on the screen */
    int broken;                     /* columns that the rows are for; 0: there are none */
    struct rf_buffer shown, styled; /* of Markdown: what `text` then is, and the rows as written */
    struct rf_tools *tools;
    const char *path;
    struct rf_preview *pictures;    /* of the document; or NULL */
    bool looked;                    /* for them */
    size_t picture_count;           /* that have rows */

    enum rf_view_input input;
    char typed[RF_VIEW_QUERY];
    size_t typed_count;
    char query[RF_VIEW_QUERY]; /* that was searched for last; "" where none */
    size_t found;              /* where in `text` it stands; (size_t)-1: not on this page */

    char message[256];         /* at the bottom until the next key */
    bool stale;                /* the screen is to be drawn anew */
    struct rf_buffer out;
    char typed_bytes[64];      /* read, and no key yet */
    size_t byte_count;
};

/* Wait for a key. RF_KEY_NONE where something else happened that makes the screen stale. */
int rf_view_key(struct rf_viewer *v);
/* Was something typed meanwhile? For what takes long. */
bool rf_view_is_interrupted(struct rf_viewer *v);

void rf_view_draw(struct rf_viewer *v);
/* Wipe the screen with the next write, pictures too: those of Kitty are not text that other text
 * would cover. */
void rf_view_wipe(struct rf_viewer *v);
/* The line at the bottom alone. */
void rf_view_draw_status(struct rf_viewer *v);
/* Rows for the page: all of the screen but the line at the bottom. */
int rf_view_height(const struct rf_viewer *v);

/* Break the text of the page anew where it or the width has changed. False where it cannot be read,
 * with a message. */
bool rf_view_break(struct rf_viewer *v);
void rf_view_forget_text(struct rf_viewer *v);
struct rf_view_row *rf_view_add_row(struct rf_viewer *v);

/* document.c: rows of Markdown; then the pictures among those that are on the screen. */
void rf_view_render(struct rf_viewer *v, struct rf_str text);
void rf_view_draw_pictures(struct rf_viewer *v);

/* page.c: how pictures are drawn here in so many rows; and a piece of one of the document's, from a
 * row of the screen on. */
struct rf_preview_frame rf_view_frame(const struct rf_viewer *v, int rows);
void rf_view_draw_piece(struct rf_viewer *v, size_t picture, const struct rf_preview_frame *f,
                        int row);

/* Go to where the query stands next: `step` is 1 or -1. A message where it does not. */
void rf_view_find(struct rf_viewer *v, int step);
/* Show another page, from its beginning. */
void rf_view_go(struct rf_viewer *v, size_t page);

#endif
