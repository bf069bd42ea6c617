/* Folders of a store: made for their owner alone, and on the disk before anything in them is. */
#ifndef RF_STORE_FOLDERS_H
#define RF_STORE_FOLDERS_H

#include "base/error.h"

/* The folder and those above it, each 0700 whatever the umask, and its name synced. What is there
 * already stays as it is. RF_EIO. */
RF_MUST enum rf_code rf_folders_make(const char *path, struct rf_err *err);

/* That the names in a folder survive a loss of power. RF_EIO. */
RF_MUST enum rf_code rf_folder_sync(const char *path, struct rf_err *err);

/* RF_EIO: could not `what` "path", because of errno; and what to do about that. */
enum rf_code rf_could_not(const char *what, const char *path, struct rf_err *err);

#endif
