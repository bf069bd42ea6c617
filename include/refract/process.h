/* What the programs that this process starts, and others of the same user, get to see of it. Keys
 * are in its environment and in its memory.
 *
 *     int main(void)
 *     {
 *         rf_process_hide();
 */
#ifndef REFRACT_PROCESS_H
#define REFRACT_PROCESS_H

#include <refract/error.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For the start of main, before there are other threads: the environment is moved to memory of our
 * own, so that /proc/PID/environ shows none of it, and the process becomes one that others of the
 * same user may neither trace nor read through /proc, and that leaves no core dump. getenv works as
 * before. A library does not do this unasked: a program that starts under a debugger is still
 * debugged, one that runs is not attached to. */
RF_API void rf_process_hide(void);

/* For the end of main, and for a signal handler that ends the process: ends the workers, which read
 * files for it, and waits for them, so that none is left to whoever adopts orphans. A file that one
 * is reading fails, and the next file starts another. They end by themselves when the process is
 * gone; but not everybody who adopts them waits for them. A library does not do this unasked. */
RF_API void rf_process_end_workers(void);

/* Why a program is started. */
enum rf_program {
    RF_PROGRAM_TOOL,    /* a model calls it */
    RF_PROGRAM_KEY,     /* it prints a key: what password managers need is given to it */
    RF_PROGRAM_DESKTOP, /* it speaks to the desktop */
    RF_PROGRAM_WORKER,  /* it decodes files of others */
};

/* The environment for such a program: of ours what it needs, and the variables that are named in
 * `more`; nothing else. An array that ends in NULL, to be given to free(); its lines are good as
 * long as those of the environment. */
RF_API char **rf_program_environment(enum rf_program why, const struct rf_str *more, size_t count);

#ifdef __cplusplus
}
#endif

#endif
