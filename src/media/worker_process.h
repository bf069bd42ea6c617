/* One worker's process: found, started, ended. The caller of worker.c does not need this.
 *
 * A process is known by its descriptor where the kernel has those, so that a host that reaps all
 * children cannot make us hit a stranger who got the same number. */
#ifndef RF_MEDIA_WORKER_PROCESS_H
#define RF_MEDIA_WORKER_PROCESS_H

#include "base/error.h"
#include "media/worker.h"

#include <stdbool.h>
#include <sys/types.h>

struct rf_process {
    pid_t pid;
    int handle; /* of the process, or -1 */
    int socket; /* our end; does not block */
};

/* How it ended: by a signal, with a status, or unknown, since the host took the answer. */
struct rf_process_end {
    bool known;
    int signal, status;
};

/* Start `refract-media-FAMILY`, in a sandbox of at least `least`. Fails with RF_ECONFIG where it is
 * not installed or cannot be started. */
RF_MUST enum rf_code rf_process_start(const char *family, enum rf_sandbox least,
                                      struct rf_process *out, struct rf_err *err);
/* Kill it and all that it started, if they are still there, and wait until they are gone. */
struct rf_process_end rf_process_end(struct rf_process *p);
/* The same without waiting, which rf_process_end is still to do: `handle` can be read then. */
void rf_process_kill(const struct rf_process *p);
/* Those that live are another process's children: we are its fork. */
void rf_processes_forget(void);
/* Is it still waiting for an ask, without having said anything? */
bool rf_process_idle(const struct rf_process *p);
/* Is it still there, whatever it said? */
bool rf_process_alive(const struct rf_process *p);

#endif
