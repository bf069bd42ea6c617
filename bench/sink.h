/* A server on the loopback, in a process of its own, that throws away what it is sent and
 * answers at once: what a sender is measured against. It notes when the first byte of a request
 * came. */
#ifndef REFRACT_BENCH_SINK_H
#define REFRACT_BENCH_SINK_H

#include <sys/types.h>

struct sink_notes {
    volatile double first_byte_s; /* on bench_now's clock: of the last request that was begun */
};

struct sink {
    pid_t pid;
    int port;
    struct sink_notes *notes; /* memory that both processes see */
};

/* What is asked for at /v1/messages gets an answer of Anthropic's; at /stream it gets this many
 * deltas of one, a few in a millisecond, each with the time at which it was sent for its text. */
#define SINK_DELTAS 2000

/* Ends the program with a message where it cannot be started. */
struct sink sink_start(void);
void sink_stop(struct sink *s);

#endif
