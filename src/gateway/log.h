/* The access log: lines of JSON on standard error or in a file, one a request.
 *
 *     rf_log_open(&log, path, &err);
 *     rf_log_add(&log, rf_log_line(&record, a));
 *     rf_log_close(&log);
 *
 * A thread writes, so no loop waits for a disk or for whoever reads the pipe. What it cannot write
 * for a while waits, up to RF_LOG_MOST bytes; what comes then is left out, and counted, and the log
 * says so when it goes on. */
#ifndef RF_GATEWAY_LOG_H
#define RF_GATEWAY_LOG_H

#include "base/error.h"
#include "gateway/queue.h"
#include "gateway/record.h"

struct rf_arena;

#define RF_LOG_MOST ((size_t)1 << 20)

struct rf_log {
    struct rf_queue queue;
    pthread_mutex_t lock; /* of what follows, but for the thread's */
    char *path;           /* of the file; NULL: standard error */
    bool reopen;          /* the thread is to open it again */
    /* The thread's. */
    int fd;
    bool torn;        /* the last line that was written is not whole */
    int64_t until_ms; /* at the end, nobody is waited for; 0: it goes on */
};

/* Write to the file at `path`, or to standard error where it is NULL. Fails with RF_EIO. */
RF_MUST enum rf_code rf_log_open(struct rf_log *l, const char *path, struct rf_err *err);
/* From any thread; a line feed is added. */
void rf_log_add(struct rf_log *l, struct rf_str line);
/* Go on in the file at `path`, or on standard error: after a rotation it is another one. Fails with
 * RF_EIO where it cannot be opened; then it goes on as before. */
RF_MUST enum rf_code rf_log_reopen(struct rf_log *l, const char *path, struct rf_err *err);
/* What waits is written, within a second. */
void rf_log_close(struct rf_log *l);

/* log_line.c: what is told of an exchange, as JSON in one line. No word of a conversation is in it,
 * and what a client wrote cannot break the line or steer a terminal. */
struct rf_str rf_log_line(const struct rf_record *r, struct rf_arena *a);
/* Somebody else's words for a line: cut, and without what a terminal would obey. */
struct rf_str rf_log_words(struct rf_str s, struct rf_arena *a);

#endif
