/* Looking for files by their names and by patterns, with so many looks and no more: a name that is
 * tried, a folder that is opened and each entry of it are one. What a text can make us do is
 * bounded by that, whatever it holds.
 *
 *     struct rf_lookup l = { .most = 20000 };
 *     if (rf_lookup_file(&l, root, "notes.txt", &folder)) …
 *     if (rf_lookup_pattern(&l, root, "docs/a*.png", arena, &found)) …
 *
 * With a root that is not "", nothing outside of it is found, whatever leads there.
 */
#ifndef RF_AGENT_LOOKUP_H
#define RF_AGENT_LOOKUP_H

#include "base/str.h"

struct rf_arena;

struct rf_lookup {
    size_t most, spent;
    bool over; /* something was not looked for, or not to its end */
};

struct rf_found {
    const char **paths; /* sorted; entries of folders, which may be anything */
    size_t count, cap;
};

/* Is there a file or a folder of this name? Devices, pipes and sockets are nothing to read. */
bool rf_lookup_file(struct rf_lookup *l, const char *root, const char *path, bool *folder);

/* How many parts of a path are patterns: hold a star or a question mark. */
size_t rf_pattern_parts(struct rf_str path);

/* Entries that a pattern fits ("*", "?" and "[a-z]"; names that begin with a dot only where the
 * pattern says the dot). False where there are none, or the looks did not suffice to see all. */
bool rf_lookup_pattern(struct rf_lookup *l, const char *root, const char *pattern,
                       struct rf_arena *a, struct rf_found *out);

#endif
