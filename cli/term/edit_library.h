/* libedit, loaded when a line is edited for the first time, and what it needs to believe that it
 * has a terminal.
 *
 *     if (rf_libedit_load(&err)) …
 *     rf_libedit.wset(el, EL_EDITOR, L"vi");
 */
#ifndef RF_CLI_TERM_EDIT_LIBRARY_H
#define RF_CLI_TERM_EDIT_LIBRARY_H

#include <histedit.h>

#include <refract/error.h>

struct rf_libedit {
    __typeof__(el_init_fd) *init_fd;
    __typeof__(el_end) *end;
    __typeof__(el_wgets) *wgets;
    __typeof__(el_wpush) *wpush;
    __typeof__(el_wset) *wset;
    __typeof__(el_wget) *wget;
    __typeof__(el_wparse) *wparse;
    __typeof__(el_wline) *wline;
    __typeof__(el_winsertstr) *winsertstr;
    __typeof__(el_deletestr) *deletestr;
    __typeof__(el_cursor) *cursor;
    __typeof__(tok_winit) *tok_winit;
    __typeof__(tok_wend) *tok_wend;
    __typeof__(tok_wstr) *tok_wstr;
};

extern struct rf_libedit rf_libedit;

/* Fails with RF_ECONFIG where it is not installed. */
enum rf_code rf_libedit_load(struct rf_err *err);

/* A terminal of its own, which is not looked at: libedit sets modes on what it is given, drops what
 * was typed when it ends, and edits nothing that is not a terminal. -1 where the system has none
 * left. */
int rf_libedit_terminal(int *master);

#endif
