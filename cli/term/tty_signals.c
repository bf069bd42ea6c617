/* Signals while the terminal is ours.
 *
 * Those that ask the program to end (SIGTERM, SIGHUP) are told to whoever waits, so that it can end
 * in order; when it exits, it ends with that signal. One that has not ended END_S seconds later, or
 * is asked again, ends at once. SIGINT is a Ctrl-C, and ends the program where the one before it
 * was not even read. Crashes, and whatever else ends a program, end it as they would have, with the
 * terminal put back before. Handlers that were there before for a crash (a sanitizer's) stay: then
 * the guard puts things back.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "term/tty_inside.h"

#define END_S 5
#define STACK_BYTES 65536

struct rf_tty_signals rf_tty_signals;

static const int handled[] = {
    SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP,  SIGINT, SIGALRM, SIGQUIT,
    SIGSEGV,  SIGBUS,  SIGILL,  SIGFPE,  SIGABRT, SIGSYS, SIGTRAP, SIGXCPU,
};
#define HANDLED_COUNT (sizeof handled / sizeof *handled)
#define FIRST_CRASH 7

static struct sigaction before[HANDLED_COUNT];
static bool is_on;
static pid_t owner;
static char crash_stack[STACK_BYTES];

static void wake_up(void)
{
    ssize_t ignored = write(rf_tty_signals.wake, "s", 1);
    (void)ignored; /* a pipe that is full wakes as well */
}

/* With the terminal put back, and then as without us. The signal waits until its handler has
 * returned. */
static void end_by(int signal)
{
    rf_tty_put_back();
    for (size_t i = 0; i < HANDLED_COUNT; i++)
        if (handled[i] == signal)
            sigaction(signal, &before[i], NULL);
    raise(signal);
}

static void asked_to_end(int signal)
{
    if (rf_tty_signals.ended_by) {
        end_by(signal);
        return;
    }
    rf_tty_signals.ended_by = signal;
    alarm(END_S);
}

static void handle(int signal)
{
    int error = errno;
    if (signal == SIGWINCH)
        rf_tty_signals.resized = 1;
    else if (signal == SIGTSTP)
        rf_tty_signals.stopped = 1;
    else if (signal == SIGCONT)
        rf_tty_signals.continued = 1;
    else if (signal == SIGINT && !rf_tty_signals.interrupted)
        rf_tty_signals.interrupted = 1;
    else if (signal == SIGTERM || signal == SIGHUP)
        asked_to_end(signal);
    else if (signal == SIGALRM && rf_tty_signals.ended_by)
        end_by(rf_tty_signals.ended_by);
    else
        end_by(signal);
    wake_up();
    errno = error;
}

/* At exit, however that came: the terminal, and the signal that we ended for. Not in a child. */
static void at_exit(void)
{
    rf_tty_put_back();
    if (!rf_tty_signals.ended_by || getpid() != owner)
        return;
    fflush(NULL);
    end_by(rf_tty_signals.ended_by);
}

static void register_once(void)
{
    static bool is_registered;
    if (is_registered)
        return;
    is_registered = true;
    owner = getpid();
    atexit(at_exit);
    stack_t stack = { .ss_sp = crash_stack, .ss_size = sizeof crash_stack }, old;
    if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE))
        sigaltstack(&stack, NULL);
}

/* What was ignored stays so (nohup); so does what somebody wants to know about a crash. */
static bool is_left_alone(size_t i)
{
    bool is_used = (before[i].sa_flags & SA_SIGINFO) || before[i].sa_handler != SIG_DFL;
    return i < FIRST_CRASH ? before[i].sa_handler == SIG_IGN : is_used;
}

void rf_tty_signals_on(struct rf_tty *t)
{
    register_once();
    if (is_on)
        return;
    is_on = true;
    rf_tty_signals.wake = t->wake[1];
    for (size_t i = 0; i < HANDLED_COUNT; i++) {
        struct sigaction ours = { .sa_handler = handle, .sa_flags = SA_RESTART | SA_ONSTACK };
        sigemptyset(&ours.sa_mask);
        sigaction(handled[i], NULL, &before[i]);
        if (!is_left_alone(i))
            sigaction(handled[i], &ours, NULL);
    }
}

void rf_tty_signals_off(void)
{
    if (!is_on)
        return;
    is_on = false;
    for (size_t i = 0; i < HANDLED_COUNT; i++)
        if (handled[i] != SIGALRM || !rf_tty_signals.ended_by) /* END_S still counts */
            sigaction(handled[i], &before[i], NULL);
    rf_tty_signals.wake = -1;
}
