/* The terminal itself: its modes, its size, what it can do, and what is typed.
 *
 *     if (rf_tty_open(&tty, &err)) …
 *     rf_tty_raw(&tty);
 *     rf_tty_ask(&tty);
 *     n = rf_tty_read(&tty, bytes, sizeof bytes);
 *     rf_tty_close(&tty);
 *
 * There is one of them in a process. From rf_tty_raw on, the terminal is put back as it was
 * whatever happens: at rf_tty_close, at exit, in signals that end the program (which then does end
 * it with that signal), and, where nothing in the program can act any more (kill -9), by a small
 * process that waits for its end. Modes that another program has changed since stay as they are:
 * the terminal is theirs by then.
 *
 * What a terminal can do it is asked for, never guessed from its name: questions go out at once,
 * and answers, whenever they come, are taken out of what is typed, so that nothing waits for them
 * and none ends up in a line.
 */
#ifndef RF_CLI_TERM_TTY_H
#define RF_CLI_TERM_TTY_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/error.h>
#include <refract/preview.h>
#include <refract/str.h>

#include "term/theme.h"
#include "term/tty_answers.h"

struct rf_tty {
    int in, out;              /* of /dev/tty, or of standard input and output where those are it */
    int columns, rows;
    int cell_width, cell_height; /* pixels of a character; 0: not known (yet) */
    struct rf_theme theme;
    /* What it has answered so far. */
    bool answered;            /* all there is to know is known */
    bool kitty, iterm, sixel; /* its ways to show pictures */
    bool reflows;             /* it wraps lines anew when its width changes */
    /* Inside. */
    struct rf_answers answers;
    struct rf_buffer typed;   /* of which the first `taken` bytes were read */
    size_t taken;
    long long asked_ms;
    int changes;              /* of the answers that were told */
    bool raw, alternate, continued, gone, opened;
    int wake[2];              /* a pipe: signals, and other threads, write to it */
    int guard[2];             /* a pipe to the process that puts things back, and its id */
    long guard_pid;
};

/* Open the terminal of this process. Fails with RF_EUSAGE where there is none. */
enum rf_code rf_tty_open(struct rf_tty *t, struct rf_err *err);
void rf_tty_close(struct rf_tty *t); /* may be called twice */

/* Every key comes as it is typed, Ctrl-C (\003) and Ctrl-Z included; what is pasted comes in
 * brackets (ESC [ 200 ~ … ESC [ 201 ~). Signals of the process (SIGWINCH, SIGTERM, SIGHUP, SIGTSTP,
 * SIGCONT, crashes) are handled from here on; a SIGINT from elsewhere is typed as \003. SIGTERM and
 * SIGHUP are RF_TTY_ENDED: the program then has five seconds to end in order, and its exit ends it
 * with that signal. */
void rf_tty_raw(struct rf_tty *t);
/* Back to what it was, for as long as something else has the terminal (a stopped program, an
 * editor). */
void rf_tty_cooked(struct rf_tty *t);
/* The other screen, which goes again with what was on it. */
void rf_tty_alternate(struct rf_tty *t);
void rf_tty_main_screen(struct rf_tty *t);
/* Stop the program as Ctrl-Z does, and come back with the terminal as it was for us. */
void rf_tty_suspend(struct rf_tty *t);

/* Ask what it can do: pictures, cell size, background. Nothing for a dumb one. */
void rf_tty_ask(struct rf_tty *t);
/* What it will show pictures with. Where not everything was answered, what is certain by then.
 * Unicode blocks where there are colours and no better way; nothing on a dumb terminal. */
enum rf_graphics rf_tty_graphics(const struct rf_tty *t);

/* Wait for something: typed bytes, a wake-up, a changed size, `timeout_ms` (-1: forever). */
enum {
    RF_TTY_TYPED = 1,       /* rf_tty_read has something */
    RF_TTY_WOKEN = 2,       /* rf_tty_wake was called */
    RF_TTY_RESIZED = 4,     /* columns and rows are new */
    RF_TTY_ANSWERED = 8,    /* it has told something about itself */
    RF_TTY_ENDED = 16,      /* there is no more input: the terminal is gone, or SIGTERM, SIGHUP */
    RF_TTY_CONTINUED = 32,  /* the program was stopped and goes on: draw everything anew */
};
int rf_tty_wait(struct rf_tty *t, int timeout_ms);
/* What was typed, without answers; 0 where there is nothing at the moment. Never waits. */
size_t rf_tty_read(struct rf_tty *t, char *out, size_t size);
/* From any thread, and from a signal handler. */
void rf_tty_wake(struct rf_tty *t);

/* Ask the terminal to put text into the clipboard (OSC 52); it does not say whether it did. False
 * where it would not know what that means, or the text is too long for what terminals take. */
bool rf_tty_copy(struct rf_tty *t, struct rf_str text);

/* All of it, also where the terminal is slow. False where it is gone. */
bool rf_tty_write(struct rf_tty *t, struct rf_str bytes);

#endif
