/* Giving everything up: what a worker does before it sees the first byte of a file.
 *
 * No new privileges, no network, no file system but what is named (Landlock), a list of system
 * calls that may be made (seccomp), limits on memory, processor time, output and descriptors.
 * The one file that is Linux only. Where the kernel lacks one of these, the others are done all
 * the same.
 */
#ifndef RF_WORKER_SANDBOX_H
#define RF_WORKER_SANDBOX_H

#include "worker/frame.h"

/* What could not be had, in words that go behind "without: ", or "" when all of it is in force.
 * Never returns where a part that the kernel has was refused: such a worker must not go on. */
const char *rf_sandbox_enter(const struct rf_family *family);

/* Before each ask: its own processor time, and address space for a file of that size. */
void rf_sandbox_arm(const struct rf_family *family, uint64_t file_bytes);

#endif
