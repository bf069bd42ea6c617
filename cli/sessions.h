/* refract sessions: its options, and one function for each of its actions. */
#ifndef RF_CLI_SESSIONS_H
#define RF_CLI_SESSIONS_H

#include "command.h"
#include "stored.h"

enum {
    RF_SESSIONS_LIMIT,
    RF_SESSIONS_FULL,
    RF_SESSIONS_MESSAGES,
    RF_SESSIONS_OUTPUT,
    RF_SESSIONS_AGE,
    RF_SESSIONS_PROVIDER,
    RF_SESSIONS_BASE,
    RF_SESSIONS_ROOT,
    RF_SESSIONS_LISTEN,
    RF_SESSIONS_JSON,
    RF_SESSIONS_OPTION_COUNT,
};

/* Do it; the words are those of the command line: the action first. What an action leaves open in
 * `s` is closed by the caller. */
typedef enum rf_code rf_sessions_action(struct rf_stored *s, const struct rf_args *args,
                                        struct rf_err *err);
rf_sessions_action rf_sessions_list;
rf_sessions_action rf_sessions_show;
rf_sessions_action rf_sessions_media;
rf_sessions_action rf_sessions_new;
rf_sessions_action rf_sessions_append;
rf_sessions_action rf_sessions_title;
rf_sessions_action rf_sessions_fork;
rf_sessions_action rf_sessions_export;
rf_sessions_action rf_sessions_import;
rf_sessions_action rf_sessions_rm;
rf_sessions_action rf_sessions_gc;
rf_sessions_action rf_sessions_web;

/* A whole number up to `most` that an option gives, or `otherwise` where it is not there. */
enum rf_code rf_sessions_number(const struct rf_args *args, int option, int64_t most,
                                int64_t otherwise, int64_t *out, struct rf_err *err);

#endif
