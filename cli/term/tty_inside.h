/* What the files of the terminal (tty*.c) share; for them alone.
 *
 * A process has one terminal, and signal handlers know no arguments: so there is one `rf_tty_kept`,
 * which is what it takes to put things back. It is in memory that the guard process shares.
 */
#ifndef RF_CLI_TERM_TTY_INSIDE_H
#define RF_CLI_TERM_TTY_INSIDE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "term/tty.h"

struct rf_tty_kept {
    volatile sig_atomic_t ours;      /* the terminal has our modes now */
    volatile sig_atomic_t alternate; /* and shows the other screen */
    volatile sig_atomic_t writing;   /* something is only half written */
    bool plain, links;               /* no escape sequences at all; links too */
    int fd;
    pid_t owner; /* a child that has not become another program yet leaves it alone */
    struct termios before, raw; /* as it was; as we set it */
};

/* tty_guard.c */
extern struct rf_tty_kept *rf_tty_kept; /* NULL: there is no terminal */
/* Make rf_tty_kept, and the process that waits for our end. Without memory or processes there is
 * none. */
void rf_tty_guard_start(struct rf_tty *t);
void rf_tty_guard_end(struct rf_tty *t);
/* Put the terminal back now. From signal handlers too; does nothing where it is not ours. */
void rf_tty_put_back(void);

/* tty_signals.c: what came since the last time. */
struct rf_tty_signals {
    volatile sig_atomic_t resized, stopped, continued, interrupted;
    volatile sig_atomic_t ended_by; /* SIGTERM or SIGHUP; 0: none */
    volatile sig_atomic_t wake;     /* where to write a byte; -1: nowhere */
};
extern struct rf_tty_signals rf_tty_signals;
void rf_tty_signals_on(struct rf_tty *t);
void rf_tty_signals_off(void);

/* tty.c */
void rf_tty_measure(struct rf_tty *t);
void rf_tty_raw_again(struct rf_tty *t);

/* tty_input.c */
long long rf_tty_now_ms(void);
/* Read what there is, waiting for it for `timeout_ms`. */
void rf_tty_take(struct rf_tty *t, int timeout_ms);

#endif
