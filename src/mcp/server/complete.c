/* Completing a path: of the variable of file:///{path}, so absolute and without the first slash.
 * What is typed may also be relative to the first root. Folders end in a slash; what cannot be
 * read, such as a pipe or a link that leads out, is not offered. */
#include "mcp/server/inside.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_VALUES 100
#define MOST_SEEN ((size_t)100000)

struct values {
    struct rf_arena *arena;
    const char **list;
    size_t count, cap;
};

static void add(struct values *v, struct rf_str path, bool folder)
{
    if (rf_utf8_valid(path) != path.n)
        return;
    while (rf_str_starts(path, "/"))
        path = (struct rf_str){ path.p + 1, path.n - 1 };
    *RF_PUSH(v->arena, v->list, v->count, v->cap) =
        rf_strf(v->arena, "%.*s%s", RF_FMT(path), folder ? "/" : "").p;
}

/* Can it be read: is it a file or a folder that does not lead out of the root? */
static bool look(const char *root, const char *path, bool *folder)
{
    struct rf_bytes bytes;
    int fd;
    *folder = !rf_folder_open(root, path, &fd, NULL);
    if (*folder)
        close(fd);
    return *folder || !rf_bytes_file(root, path, &bytes, NULL);
}

/* What begins so in a folder below the root. */
static void look_in(struct values *v, const char *root, struct rf_str folder, struct rf_str begun)
{
    struct dirent *e;
    size_t seen = 0;
    int fd;
    if (rf_folder_open(root, rf_cstr(v->arena, folder), &fd, NULL))
        return;
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return;
    }
    while (seen++ < MOST_SEEN && (e = readdir(d))) {
        bool hidden = e->d_name[0] == '.' && !rf_str_starts(begun, ".");
        if (hidden || strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            strncmp(e->d_name, begun.p, begun.n) != 0)
            continue;
        struct rf_str path = rf_strf(v->arena, "%.*s/%s", RF_FMT(folder), e->d_name);
        bool is_folder;
        if (look(root, path.p, &is_folder))
            add(v, path, is_folder);
    }
    closedir(d);
}

static void complete(struct values *v, const struct rf_mcp_roots *roots, struct rf_str value)
{
    struct rf_arena *a = v->arena;
    struct rf_str typed = rf_str_starts(value, "/") ? value : rf_strf(a, "/%.*s", RF_FMT(value));
    for (size_t i = 0; i < roots->count; i++) {
        struct rf_str root = rf_str(roots->folders[i]);
        bool below = typed.n > root.n && memcmp(typed.p, root.p, root.n) == 0 &&
                     (typed.p[root.n] == '/' || root.n == 1);
        if (!below && typed.n <= root.n && memcmp(root.p, typed.p, typed.n) == 0) {
            add(v, root, true);
            continue;
        }
        struct rf_str whole = below ? typed : rf_strf(a, "%s/%.*s", root.p, RF_FMT(value));
        struct rf_str begun = rf_str_behind(whole, '/');
        struct rf_str folder = { whole.p, whole.n - begun.n };
        while (folder.n > 1 && folder.p[folder.n - 1] == '/')
            folder.n--;
        look_in(v, root.p, folder, begun);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void rf_mcp_complete_path(struct rf_mcp_call *c)
{
    const struct rf_jval *argument = rf_jval_get(c->rpc.params, "argument");
    struct values v = { .arena = c->arena };
    struct rf_mcp_roots roots;
    if (!rf_mcp_roots_now(c, &roots))
        return;
    if (rf_jval_is(rf_jval_get(argument, "name"), "path"))
        complete(&v, &roots, rf_jval_text(rf_jval_get(argument, "value"), c->arena));
    if (v.count)
        qsort(v.list, v.count, sizeof *v.list, by_name);
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_obj(w, "completion");
    rf_json_arr(w, "values");
    for (size_t i = 0; i < v.count && i < MOST_VALUES; i++)
        rf_json_str(w, NULL, rf_str(v.list[i]));
    rf_json_end(w);
    rf_json_int(w, "total", (int64_t)v.count);
    rf_json_bool(w, "hasMore", v.count > MOST_VALUES);
}
