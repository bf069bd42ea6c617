/* A key that a command prints: its first line. What it printed is used again for some minutes. */
#ifndef RF_NET_KEY_COMMAND_H
#define RF_NET_KEY_COMMAND_H

#include "net/errand.h"

struct rf_arena;

#define RF_KEY_COMMAND_MS 30000 /* that it has */

struct rf_key_command {
    const struct rf_str *arguments;
    size_t count;
};

/* What it printed before. */
bool rf_key_command_recall(const struct rf_key_command *c, struct rf_arena *a, struct rf_str *key);
/* That key was refused, and is not recalled any more; one that it has printed since is. */
void rf_key_command_refuse(const struct rf_key_command *c, struct rf_str key);
/* What all of them printed is not recalled any more. From any thread. */
void rf_key_commands_renew(void);
/* All that it is known to have printed, refused keys too: a server may repeat any of them. */
size_t rf_key_command_printed(const struct rf_key_command *c, struct rf_arena *a,
                              struct rf_str **keys);
/* Run it, unless it runs already, and have the waiter told. Fails, here or there, with RF_ECONFIG:
 * it could not be run, failed, took too long or printed nothing; nothing that it printed is in any
 * message. */
RF_MUST enum rf_code rf_key_command_start(struct rf_net *n, const struct rf_key_command *c,
                                          int64_t timeout_ms, struct rf_waiter *w,
                                          struct rf_err *err);

#endif
