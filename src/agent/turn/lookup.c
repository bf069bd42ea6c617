/* A pattern is followed part by part: the list of folders so far becomes the list of what is in
 * them and fits. */
#include "agent/turn/lookup.h"

#include "base/arena.h"
#include "base/bytes.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool spend(struct rf_lookup *l)
{
    l->over |= l->spent == l->most;
    l->spent += !l->over;
    return !l->over;
}

static bool is_there(const char *path, bool *folder)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    *folder = S_ISDIR(st.st_mode);
    return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

static bool is_below(const char *root, const char *path, bool *folder)
{
    struct rf_bytes bytes;
    int fd = -1;
    *folder = false;
    if (!rf_bytes_file(root, path, &bytes, NULL))
        return true;
    if (rf_folder_open(root, path, &fd, NULL))
        return false;
    close(fd);
    *folder = true;
    return true;
}

bool rf_lookup_file(struct rf_lookup *l, const char *root, const char *path, bool *folder)
{
    return spend(l) && (*root ? is_below(root, path, folder) : is_there(path, folder));
}

/* Patterns */

static bool is_wild(struct rf_str part)
{
    return part.n && (memchr(part.p, '*', part.n) || memchr(part.p, '?', part.n));
}

size_t rf_pattern_parts(struct rf_str path)
{
    struct rf_str part;
    size_t n = 0;
    while (rf_str_split(&path, '/', &part))
        n += is_wild(part);
    return n;
}

static void push(struct rf_found *f, const char *path, struct rf_arena *a)
{
    *RF_PUSH(a, f->paths, f->count, f->cap) = path;
}

/* `at` is empty or ends with a slash. */
static void read_folder(struct rf_lookup *l, const char *root, const char *at, const char *part,
                        const char *end, struct rf_arena *a, struct rf_found *out)
{
    int fd = -1;
    if (!spend(l) || rf_folder_open(root, *at ? at : ".", &fd, NULL))
        return;
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return;
    }
    for (const struct dirent *e; (e = readdir(d)) && spend(l);)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            fnmatch(part, e->d_name, FNM_PERIOD) == 0)
            push(out, rf_strf(a, "%s%s%s", at, e->d_name, end).p, a);
    closedir(d);
}

/* What `found` becomes by one part of the pattern. */
static void follow(struct rf_lookup *l, const char *root, struct rf_str part, const char *end,
                   struct rf_arena *a, struct rf_found *found)
{
    struct rf_found next = { 0 };
    const char *name = rf_cstr(a, part);
    for (size_t i = 0; i < found->count && !l->over; i++) {
        if (is_wild(part))
            read_folder(l, root, found->paths[i], name, end, a, &next);
        else
            push(&next, rf_strf(a, "%s%s%s", found->paths[i], name, end).p, a);
    }
    *found = next;
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

bool rf_lookup_pattern(struct rf_lookup *l, const char *root, const char *pattern,
                       struct rf_arena *a, struct rf_found *out)
{
    struct rf_found found = { 0 };
    struct rf_str rest = rf_str(pattern), part;
    push(&found, "", a);
    while (!l->over && found.count && rf_str_split(&rest, '/', &part))
        follow(l, root, part, rest.p > part.p + part.n ? "/" : "", a, &found);
    if (l->over || !found.count)
        return false;
    qsort(found.paths, found.count, sizeof *found.paths, by_name);
    *out = found;
    return true;
}
