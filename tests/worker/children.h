/* The processes and the descriptors that a test has, by /proc. */
#ifndef TESTS_WORKER_CHILDREN_H
#define TESTS_WORKER_CHILDREN_H

#include "../testing.h"

#include <dirent.h>
#include <stdio.h>

/* The children of this process that run, by /proc: how many, and one of them. */
static inline size_t children_of_ours(pid_t *one)
{
    DIR *d = opendir("/proc");
    size_t count = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char path[300], text[512] = "";
        snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        FILE *f = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (f && fgets(text, sizeof text, f)) {
            int pid, parent;
            char status;
            if (sscanf(text, "%d (%*[^)]) %c %d", &pid, &status, &parent) == 3 &&
                parent == getpid() && status != 'Z') {
                *one = pid;
                count++;
            }
        }
        if (f)
            fclose(f);
    }
    closedir(d);
    return count;
}

static inline pid_t child_of_ours(void)
{
    pid_t found = 0;
    children_of_ours(&found);
    return found;
}

/* A zombie that nobody reaps, as in some containers, does not run. */
static inline bool is_running(pid_t pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    bool read = f && fgets(text, sizeof text, f);
    if (f)
        fclose(f);
    return read && !strstr(text, ") Z");
}

static inline size_t count_files(const char *path)
{
    DIR *d = opendir(path);
    size_t n = 0;
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

#endif
