/* A command that is run: what goes in is a text, what comes out is bounded, and nothing of it stays
 * behind.
 *
 *     rf_child_run(&command, arena, &end);
 *
 * It runs in a process group of its own, which is killed as a whole when its time is over, when it
 * writes too much, when `stop_fd` says so, and when the command itself has ended. Of our
 * environment it gets what every program needs and what is named; it has none of our descriptors,
 * and gains no rights. */
#ifndef RF_BASE_CHILD_H
#define RF_BASE_CHILD_H

#include "base/error.h"
#include "base/str.h"

#include <stdint.h>

struct rf_arena;

struct rf_child {
    /* The program, found as a shell finds it, and its arguments; ends in NULL. */
    const char *const *argv;
    const char *folder; /* to run in; NULL: ours */
    struct rf_str input; /* of its standard input */
    int64_t timeout_ms;
    size_t most_output; /* bytes of its standard output */
    const struct rf_str *variables; /* of our environment that it gets beside the usual */
    size_t variable_count;
    int stop_fd;        /* something to be read there ends it; -1: nothing does */
};

enum rf_child_fate {
    RF_CHILD_ENDED,
    RF_CHILD_NOT_STARTED, /* `err` says why */
    RF_CHILD_TOO_SLOW,
    RF_CHILD_TOO_LONG, /* what it wrote */
    RF_CHILD_STOPPED,
};

struct rf_child_end {
    enum rf_child_fate fate;
    int status;           /* ENDED: what it exited with; or: */
    int signal;           /* that killed it; 0: none */
    struct rf_str output; /* what it had written until then */
    struct rf_str errors; /* the end of what it wrote to standard error */
    struct rf_err err;
};

void rf_child_run(const struct rf_child *c, struct rf_arena *a, struct rf_child_end *out);

#endif
