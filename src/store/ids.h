/* The ids of sessions: "20261115-4k7m2q", the day and six characters by chance.
 *
 * Nothing but digits, small letters and "-" is ever taken for an id, or for the beginning of one;
 * nor what begins with "-", which a command line would take for an option. */
#ifndef RF_STORE_IDS_H
#define RF_STORE_IDS_H

#include "base/error.h"

#include <refract/session.h>

/* A new one; it may be taken, which is for the caller to find out. Fails with RF_EINTERNAL where
 * the system has no randomness. */
RF_MUST enum rf_code rf_id_make(char id[RF_SESSION_ID_SIZE], struct rf_err *err);
/* Could this be an id, or the beginning of one? */
bool rf_id_check(const char *id);

/* A few random bytes. Fails as rf_id_make does. */
RF_MUST enum rf_code rf_random(void *bytes, size_t n, struct rf_err *err);

/* 32 random hexadecimal digits. */
#define RF_MARK_SIZE 33
RF_MUST enum rf_code rf_mark_make(char mark[RF_MARK_SIZE], struct rf_err *err);

#endif
