/* An environment without anybody's keys, for tests of how keys are found. */
#ifndef TESTS_NET_ENVIRONMENT_H
#define TESTS_NET_ENVIRONMENT_H

#include "../testing.h"

#include <time.h>

/* Forget all variables but those that programs need to run. HOME and the folders below it are a new, empty
 * folder, whose name is returned. */
static inline const char *environment_start(struct rf_arena *a)
{
    static const char *const kept[] = { "PATH",       "TMPDIR",       "LD_LIBRARY_PATH",
                                        "LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS" };
    const char *values[COUNT(kept)];
    for (size_t i = 0; i < COUNT(kept); i++)
        values[i] = getenv(kept[i]) ? rf_cstr(a, rf_str(getenv(kept[i]))) : NULL;
    clearenv();
    for (size_t i = 0; i < COUNT(kept); i++)
        if (values[i])
            setenv(kept[i], values[i], 1);
    const char *home = scratch_new(a);
    setenv("HOME", home, 1);
    return home;
}

/* Lines "NAME=VALUE"; "~" at the start of a value is the folder. */
static inline void environment_add(const char *lines)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str rest = rf_str(lines), line, name;
    while (rf_str_split(&rest, '\n', &line)) {
        if (!line.n)
            continue;
        rf_str_split(&line, '=', &name);
        const char *value = rf_cstr(a, line);
        if (value[0] == '~')
            value = rf_strf(a, "%s%s", getenv("HOME"), value + 1).p;
        setenv(rf_cstr(a, name), value, 1);
    }
    rf_arena_free(a);
}

/* What the user's configuration says. */
static inline void environment_config(struct rf_arena *a, const char *text)
{
    make_folder(in_folder(a, getenv("HOME"), ".config"));
    make_folder(in_folder(a, getenv("HOME"), ".config/refract"));
    write_file(in_folder(a, getenv("HOME"), ".config/refract/config.yaml"), rf_str(text));
}

#endif
