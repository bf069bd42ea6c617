/* A key that a command prints. */
#ifndef RF_NET_KEY_COMMAND_H
#define RF_NET_KEY_COMMAND_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;

#define RF_KEY_COMMAND_MS 30000 /* that it has */

/* Its first line. What it printed before is used again for some minutes. Fails with RF_ECONFIG:
 * it could not be run, failed, took too long or printed nothing; nothing that it printed is in
 * any message. */
RF_MUST enum rf_code rf_key_command(const struct rf_str *arguments, size_t count,
                                    int64_t timeout_ms, struct rf_arena *a, struct rf_str *key,
                                    struct rf_err *err);

#endif
