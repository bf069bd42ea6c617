/* The client of a gateway that is measured: connections that are kept, a thread each, which send
 * the same request again and again. Whatever is not answered with status 200 ends the program with
 * what was answered: nothing that was measured would mean anything. */
#ifndef REFRACT_BENCH_LOAD_H
#define REFRACT_BENCH_LOAD_H

#include <stddef.h>

/* A request of HTTP, head and all. */
struct load {
    char *bytes;
    size_t n;
};

/* POST `body`, which has `n` bytes, to `path`; free(load.bytes). */
struct load load_new(const char *path, const char *headers, const char *body, size_t n);

/* `count` requests by so many connections at once. */
void load_run(int port, const struct load *l, int connections, int count);

/* So many connections hold all of a request but for its last byte; then they send it, and read
 * their replies. */
void load_hold(int port, const struct load *l, int connections);

/* Seconds from the last byte of the request to the first of the reply. */
double load_first_byte(int port, const struct load *l);
/* A streamed reply whose pieces say when they were sent, as upstream.h has it: how late each came.
 * Returns how many there were, at most `most`. */
size_t load_stream(int port, const struct load *l, double *late_s, size_t most);

/* Connections that have each been answered once, and stay open until they are closed; returns how
 * many of `count` are still open when all were made. */
int load_idle(int port, int count, int *fds);

#endif
