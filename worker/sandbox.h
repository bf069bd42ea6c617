/* Giving everything up: what a worker does before it sees the first byte of a file.
 *
 * Four layers: limits on memory, processor time, output and descriptors; namespaces of its own,
 * where the system permits them; no file system but what is named (Landlock); a list of system
 * calls that may be made, without those of the network (seccomp). Landlock and seccomp make it
 * whole: what of them this system does not have, refuses, or takes without effect is named, and
 * whether a file is read all the same is not decided here. The one file that is Linux only.
 */
#ifndef RF_WORKER_SANDBOX_H
#define RF_WORKER_SANDBOX_H

#include "worker/frame.h"

struct rf_sandbox_state {
    char layers[80];   /* in force: "limits, namespaces, Landlock, seccomp", in that order */
    char missing[160]; /* "Landlock (refused by the system)"; "" when it is whole */
};

/* What is in force afterwards was tried. Never returns where the process could not even be
 * limited: such a worker must not go on. */
void rf_sandbox_enter(const struct rf_family *family, struct rf_sandbox_state *out);

/* Before each ask: its own processor time, and address space for a file of that size. */
void rf_sandbox_arm(const struct rf_family *family, uint64_t file_bytes);

#endif
