#include "store/sqlite_ways.h"

#include "base/arena.h"
#include "base/str.h"
#include "store/sqlite_library.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_log(const char *path, struct rf_arena *a)
{
    struct stat st;
    return stat(rf_strf(a, "%s-wal", path).p, &st) == 0 && st.st_size > 0;
}

/* "file:PATH?immutable=1", in which no character of the path means anything. */
static const char *immutable_name(const char *path, struct rf_arena *a)
{
    static const char hex[] = "0123456789ABCDEF";
    char *escaped = rf_arena_alloc(a, 3 * strlen(path) + 1), *at = escaped;
    for (; *path; path++) {
        bool plain = !strchr("%?#", *path);
        *at++ = plain ? *path : '%';
        if (!plain) {
            *at++ = hex[*path >> 4];
            *at++ = hex[*path & 15];
        }
    }
    *at = '\0';
    return rf_strf(a, "file:%s?immutable=1", escaped).p;
}

/* A log that holds something is read with an index in memory, which SQLite wants to be alone for:
 * there, locks are not asked for. Without a log the file is all there is. */
static int open_frozen(const char *path, int flags, sqlite3 **db)
{
    struct rf_arena *a = rf_arena_new();
    bool log = has_log(path, a);
    int code = log ? rf_sqlite.open_v2(path, db, flags, "unix-none")
                   : rf_sqlite.open_v2(immutable_name(path, a), db, flags | SQLITE_OPEN_URI, NULL);
    rf_arena_free(a);
    return code;
}

int rf_sqlite_connect(const char *path, enum rf_sqlite_way way, sqlite3 **db)
{
    const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int code = way == RF_SQLITE_FROZEN
                   ? open_frozen(path, flags | SQLITE_OPEN_READONLY, db)
                   : rf_sqlite.open_v2(path, db, flags | SQLITE_OPEN_READWRITE, NULL);
    if (!code && way != RF_SQLITE_USUAL)
        code = rf_sqlite.exec(*db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL);
    return code;
}

bool rf_sqlite_is_frozen(const char *path)
{
    struct rf_arena *a = rf_arena_new();
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? rf_strf(a, "%.*s", (int)(slash - path + 1), path).p : ".";
    bool frozen = access(path, W_OK) != 0 || access(folder, W_OK) != 0;
    rf_arena_free(a);
    return frozen;
}
