/* The store, and a session of it that the command line names: what sessions, encode and decode
 * share.
 *
 *     struct rf_stored s = { 0 };
 *     if (rf_store_open(config, &s.store, &err) || rf_stored_read(&s, args->words[1], &err)) …
 *     rf_stored_close(&s);
 */
#ifndef RF_CLI_STORED_H
#define RF_CLI_STORED_H

#include <refract/session.h>

struct rf_stored {
    struct rf_store *store;
    struct rf_session *session;
};

/* The whole id of a session. For one that is not there, the hint names those that are like it. */
enum rf_code rf_stored_find(struct rf_stored *s, const char *id, char found[RF_SESSION_ID_SIZE],
                            struct rf_err *err);
/* Open a session to be read, or to be written. */
enum rf_code rf_stored_read(struct rf_stored *s, const char *id, struct rf_err *err);
enum rf_code rf_stored_write(struct rf_stored *s, const char *id, struct rf_err *err);
void rf_stored_close(struct rf_stored *s);

/* The id of a session that holds one question and nothing else, where no server has seen it, by the
 * error that it ended with, and that is not `resumed`, which was there before; else "". NULL is no
 * session. */
void rf_stored_unseen(const struct rf_session *session, const char *resumed,
                      const struct rf_err *err, char id[RF_SESSION_ID_SIZE]);
/* Remove such a one, once it is closed; nothing for "". */
void rf_stored_drop(struct rf_stored *s, const char *id);

#endif
