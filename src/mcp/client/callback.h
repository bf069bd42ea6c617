/* Where a browser comes back to: a port of this machine that takes one answer.
 *
 *     rf_callback_open(&c, 0, err);   … http://127.0.0.1:PORT/callback …
 *     rf_callback_wait(&c, state, stop_fd, arena, &query, err);
 *     rf_callback_close(&c);
 *
 * Only loopback is listened on. A request for anything else, or with another `state` than the one
 * that was given out, is turned away, and the wait goes on. */
#ifndef RF_MCP_CLIENT_CALLBACK_H
#define RF_MCP_CLIENT_CALLBACK_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;

#define RF_CALLBACK_MS 300000 /* that a person has */

struct rf_callback {
    int fd; /* -1: closed */
    uint16_t port;
};

/* `port` 0: a free one. Fails with RF_EIO. */
RF_MUST enum rf_code rf_callback_open(struct rf_callback *c, uint16_t port, struct rf_err *err);
/* The query of the request that came with `state`. Fails with RF_ELIMIT where none came in time,
 * RF_EINTERRUPTED where something can be read from `stop_fd` (-1: nothing). */
RF_MUST enum rf_code rf_callback_wait(struct rf_callback *c, struct rf_str state, int stop_fd,
                                      struct rf_arena *a, struct rf_str *query, struct rf_err *err);
void rf_callback_close(struct rf_callback *c);

#endif
