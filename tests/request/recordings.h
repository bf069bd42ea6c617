/* Every recorded exchange, for tests that check each. Needs REFRACT_SHARED; without it, it says
 * so and skips. */
#ifndef TESTS_REQUEST_RECORDINGS_H
#define TESTS_REQUEST_RECORDINGS_H

#include "testing.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/limits.h"

#include <dirent.h>

struct recording {
    const char *path;
    size_t exchange; /* of the file, from 0 */
    struct rf_arena *arena;
};

/* Check one; how many replies it had that could be checked. */
typedef size_t check_recording(const struct recording *r, const struct rf_jval *exchange);

static inline size_t check_file(const char *path, check_recording *check)
{
    struct recording r = { .path = path, .arena = rf_arena_new() };
    struct rf_str text;
    const struct rf_jval *root;
    size_t count = 0;
    assert_int_equal(rf_file_read(path, RF_MAX_DOCUMENT_BYTES, r.arena, &text, NULL), RF_OK);
    assert_int_equal(rf_jval_parse(text, r.arena, &root, NULL), RF_OK);
    const struct rf_jval *list = rf_jval_get(root, "exchanges");
    for (const struct rf_jval *e = list ? rf_jval_first(list) : NULL; e;
         e = rf_jval_next(list, e), r.exchange++)
        count += check(&r, e);
    rf_arena_free(r.arena);
    return count;
}

static inline size_t check_folder(const char *folder, check_recording *check)
{
    DIR *dir = opendir(folder);
    size_t count = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.')
            continue;
        count += rf_str_ends(rf_str(e->d_name), ".json")      ? check_file(path, check)
                 : e->d_type == DT_DIR && e->d_name[0] != '_' ? check_folder(path, check)
                                                              : 0;
    }
    if (dir)
        closedir(dir);
    return count;
}

static inline size_t check_recordings(check_recording *check)
{
    const char *shared = getenv("REFRACT_SHARED");
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/recordings", shared ? shared : "");
    if (!shared || access(folder, R_OK) != 0) {
        print_message("skipped: REFRACT_SHARED is not set, or has no recordings\n");
        skip();
    }
    return check_folder(folder, check);
}

#endif
