/* A provider on the loopback, in a process of its own: it throws away what it is sent and answers
 * as Chat Completions do, at once, with words that were made before. What a gateway takes for
 * itself is measured in front of it. */
#ifndef REFRACT_BENCH_UPSTREAM_H
#define REFRACT_BENCH_UPSTREAM_H

#include <sys/types.h>

struct upstream {
    pid_t pid;
    int port;
};

/* A request whose body has "stream":true within its first or last bytes gets this many pieces, a
 * few milliseconds apart; the text of each is when it was sent, on bench_now's clock. */
#define UPSTREAM_PIECES 100

/* Ends the program with a message where it cannot be started. */
struct upstream upstream_start(void);
void upstream_stop(struct upstream *u);

#endif
