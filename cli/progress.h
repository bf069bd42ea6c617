/* A line on the terminal while something takes longer than half a second: how far it is, or how
 * long it has taken. Nothing where standard error is not a terminal, or one that cannot go back in
 * a line (TERM=dumb).
 *
 *     rf_progress_begin(&p, "importing", fd);
 *     rc = rf_store_import(store, fd, id, &err);
 *     rf_progress_end(&p);
 */
#ifndef RF_CLI_PROGRESS_H
#define RF_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct rf_progress {
    const char *what;
    int fd; /* that is read or written, or -1 */
    bool runs, ends;
    bool drawn;       /* the line stands there */
    int64_t done, of; /* as rf_progress_at was told; `of` 0: not */
    struct timespec begun;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

void rf_progress_begin(struct rf_progress *p, const char *what, int fd);
/* So much of it is done. */
void rf_progress_at(struct rf_progress *p, int64_t done, int64_t of);
/* Wipes the line. Takes one that never began, if it is zero. */
void rf_progress_end(struct rf_progress *p);

#endif
