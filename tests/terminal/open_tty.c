/* A program that has the terminal and ends in the way that a key names; for test_restore.py.
 *
 * It says "ready", then what happens to it, a line each. Arguments: "alternate" shows the other screen, "ask" asks the
 * terminal what it can do. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "term/tty.h"

static struct rf_tty tty;

static void say(const char *what)
{
    rf_tty_write(&tty, (struct rf_str){ what, strlen(what) });
}

static int overflow(volatile char *above, long depth)
{
    volatile char here[4096];
    here[0] = *above;
    here[4095] = depth ? (char)overflow(here, depth - 1) : 0;
    return here[4095] + here[0];
}

/* In the middle of whatever was going on. */
static void end(char key)
{
    static volatile int *volatile nowhere;
    switch (key) {
    case 'x':
        exit(3);
    case 'u':
        _exit(4);
    case 'a':
        abort();
    case 's':
        *nowhere = 1;
        break;
    case 'o':
        overflow((char[1]){ 0 }, 1L << 30);
        break;
    case 'h':
        for (;;)
            pause();
    case 'w':
        say("\033[?2026h\033[?25l\033[31m\033]8;;http://a.example/\033\\red\r\n");
        pause();
        break;
    case 'c':
        rf_tty_cooked(&tty);
        puts("cooked");
        fflush(stdout);
        pause();
        break;
    default:
        break;
    }
}

static void describe(const char *bytes, size_t n)
{
    char line[4096];
    size_t at = 0;
    for (size_t i = 0; i < n && at + 8 < sizeof line; i++)
        at += (size_t)snprintf(line + at, sizeof line - at, "%02x", (unsigned char)bytes[i]);
    say("typed ");
    rf_tty_write(&tty, (struct rf_str){ line, at });
    say("\r\n");
}

static void events(int happened)
{
    char line[128];
    if (happened & RF_TTY_RESIZED) {
        snprintf(line, sizeof line, "resized %dx%d\r\n", tty.columns, tty.rows);
        say(line);
    }
    if (happened & RF_TTY_CONTINUED)
        say("continued\r\n");
    if ((happened & RF_TTY_ANSWERED) && tty.answered) {
        snprintf(line, sizeof line, "answered %d light=%d cell=%dx%d\r\n",
                 (int)rf_tty_graphics(&tty), tty.theme.light, tty.cell_width, tty.cell_height);
        say(line);
    }
}

/* False at the end. */
static int typed(void)
{
    char bytes[1024];
    size_t n = rf_tty_read(&tty, bytes, sizeof bytes);
    if (n == 1 && bytes[0] == 'q')
        return 0;
    if (n == 1 && bytes[0] == 26)
        rf_tty_suspend(&tty);
    else if (n == 1)
        end(bytes[0]);
    if (n)
        describe(bytes, n);
    return 1;
}

int main(int argc, char **argv)
{
    struct rf_err err;
    int happened;
    if (rf_tty_open(&tty, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        return 2;
    }
    rf_tty_raw(&tty);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "alternate") == 0)
            rf_tty_alternate(&tty);
        if (strcmp(argv[i], "ask") == 0)
            rf_tty_ask(&tty);
    }
    say("ready\r\n");
    do {
        happened = rf_tty_wait(&tty, -1);
        events(happened);
    } while (!(happened & RF_TTY_ENDED) && (!(happened & RF_TTY_TYPED) || typed()));
    rf_tty_close(&tty);
    return 0;
}
