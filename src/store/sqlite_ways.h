/* The ways to open a file of SQLite: as usual, and those for a disk that is full or read-only, on
 * which the log and its index cannot be made.
 *
 *     code = rf_sqlite_connect(path, RF_SQLITE_ALONE, &db);
 */
#ifndef RF_STORE_SQLITE_WAYS_H
#define RF_STORE_SQLITE_WAYS_H

#include <sqlite3.h>

#include <stdbool.h>

enum rf_sqlite_way {
    RF_SQLITE_USUAL,
    /* The index of the log is in memory, which takes no room on the disk, and all others wait for
     * as long as this is open. */
    RF_SQLITE_ALONE,
    /* Without a lock, for reading, where nothing can be written: what the log holds is read too. */
    RF_SQLITE_FROZEN,
};

/* As sqlite3_open_v2: `*db` is to be closed also after a failure. */
int rf_sqlite_connect(const char *path, enum rf_sqlite_way way, sqlite3 **db);

/* Can the file or its folder not be written to, as the system sees it? */
bool rf_sqlite_is_frozen(const char *path);

#endif
