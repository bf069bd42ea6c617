/* The line that is being typed: libedit does the keys (emacs or vi, ~/.editrc, history), we do the
 * drawing.
 *
 *     if (rf_edit_open(&edit, &calls, history, &err)) …
 *     while ((line = rf_edit_read(edit))) …
 *     rf_edit_close(edit);
 *
 * libedit is loaded when this is opened. It gets its bytes from us and writes to nowhere: before
 * each byte that it wants, `next` is called, which draws the line (rf_edit_text, rf_edit_cursor)
 * and waits for a byte, or for whatever else there is to do in the meantime. So what happens
 * elsewhere and what is typed never wait for each other.
 *
 * A line may have several lines: Ctrl-J, Alt-Enter, Shift-Enter (where the terminal tells), a
 * backslash before Enter; what is pasted keeps its line feeds. Up and Down move inside of it first,
 * then through the history.
 *
 * A long paste is one character of the line while that is written, and all of it when it is read.
 */
#ifndef RF_CLI_TERM_EDIT_H
#define RF_CLI_TERM_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/error.h>
#include <refract/str.h>

struct rf_edit;
struct rf_buffer;

/* Who put a character into the line. What was pasted stays that, whatever is typed before, after
 * or into it, and in the history; lines of the history's file count as pasted, since the file does
 * not say. A terminal that does not put brackets around what is pasted makes it look typed. */
enum rf_edit_origin {
    RF_EDIT_PASTED = 'p',
    RF_EDIT_TYPED = 't',
};

/* What completing a word came to. */
struct rf_edit_completion {
    size_t begin;     /* of the text that is replaced, up to the cursor */
    const char *text; /* by this; NULL: nothing fits */
};

struct rf_edit_calls {
    void *ctx;
    /* The next byte that is typed; -1 where there is no more input. -2: leave this line
     * (rf_edit_read returns NULL and rf_edit_left() is true; the text stays for the next
     * rf_edit_read). -3: nothing was typed for a moment, which tells Escape from keys that begin
     * with it: while rf_edit_is_pending(), wait for 50 ms at most, and draw nothing (something that
     * is pasted comes byte by byte, too). */
    int (*next)(void *ctx);
    /* Tab: complete what stands before the cursor. The text lives until the next call. Several that
     * fit are shown by whoever is asked. */
    void (*complete)(void *ctx, struct rf_str text, size_t cursor, struct rf_edit_completion *out);
    /* Something was pasted: what to insert instead, or the same. Lives until the next call. */
    struct rf_str (*paste)(void *ctx, struct rf_str text);
    /* A key that the editor does not use: Ctrl-O, Ctrl-V, Ctrl-L, Escape alone … as its byte. */
    void (*key)(void *ctx, int key);
};

/* `history` is the path of the file that lines are kept in, or NULL; it is private (0600), lines of
 * several lines and all, the last 1,000 of them. Fails with RF_ECONFIG where libedit is not
 * installed. */
enum rf_code rf_edit_open(struct rf_edit **out, const struct rf_edit_calls *calls,
                          const char *history, struct rf_err *err);
void rf_edit_close(struct rf_edit *e); /* takes NULL; writes the history */

/* Read a line: UTF-8 without the last line feed, which lives until the next call. NULL at the end
 * of input (Ctrl-D in an empty line too), or where `next` said -2. */
const char *rf_edit_read(struct rf_edit *e);
/* An origin for each byte of that line, which lives as long. */
const char *rf_edit_origins(const struct rf_edit *e);
bool rf_edit_left(const struct rf_edit *e);

/* Has a key begun that is not complete, or something that is pasted? */
bool rf_edit_is_pending(const struct rf_edit *e);

/* Keys as in vi, whatever ~/.editrc says. */
void rf_edit_vi(struct rf_edit *e);

/* The line as it is now, and where the cursor is in it, in bytes; long pastes are one character
 * each. While Ctrl-R searches, "(history: WORDS) what was found". The text lives until the line
 * changes. */
struct rf_str rf_edit_text(struct rf_edit *e);
size_t rf_edit_cursor(struct rf_edit *e);
/* The same to be drawn: a long paste is "[pasted: 120 lines, 4.2 KB]". */
struct rf_str rf_edit_shown(struct rf_edit *e, size_t *cursor);
/* The same with all that was pasted, added to `out`. */
void rf_edit_whole(struct rf_edit *e, struct rf_buffer *out);
/* In vi's command mode? */
bool rf_edit_is_command(struct rf_edit *e);

/* Put text in at the cursor, or a line that was read before, with its origins; empty the line. From
 * inside of a call too. */
void rf_edit_insert(struct rf_edit *e, struct rf_str text, enum rf_edit_origin origin);
void rf_edit_insert_line(struct rf_edit *e, const char *line, const char *origins);
void rf_edit_empty(struct rf_edit *e);
/* Put what rf_edit_whole gave into the line instead, as somebody has changed it; it counts as
 * pasted, and long pastes that are still in it are folded again. */
void rf_edit_replace(struct rf_edit *e, struct rf_str text);

#endif
