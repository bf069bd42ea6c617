/* A line on the terminal while something takes longer than half a second: how far it is in a file, or
 * how long it has taken. Nothing where standard error is no terminal.
 *
 *     rf_progress_begin(&p, "importing", fd);
 *     rc = rf_store_import(store, fd, id, &err);
 *     rf_progress_end(&p);
 */
#ifndef RF_CLI_PROGRESS_H
#define RF_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

struct rf_progress {
    const char *what;
    int fd; /* that is read or written, or -1 */
    bool runs, ends, drawn;
    struct timespec begun;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

void rf_progress_begin(struct rf_progress *p, const char *what, int fd);
/* Wipes the line. */
void rf_progress_end(struct rf_progress *p);

#endif
