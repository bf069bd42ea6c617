/* The names of one folder, each checked against the one that was given. Nothing is opened but
 * the folder, and a folder with a great many names is looked at in part. */
#include "base/near_file.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/nearest.h"
#include "base/utf8.h"

#include <dirent.h>
#include <unistd.h>

#include <refract/error.h>

#define MAX_NAMES 10000
#define LEAST_LETTERS 3 /* fewer are near to anything */

static bool can_be_shown(struct rf_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] < 0x20 || name.p[i] == 0x7f)
            return false;
    return name.n && name.p[0] != '.' && rf_utf8_valid(name) == name.n;
}

static void offer_all(struct rf_nearest *n, DIR *d, struct rf_str folder, struct rf_arena *a)
{
    struct dirent *e;
    for (size_t i = 0; i < MAX_NAMES && (e = readdir(d)); i++) {
        struct rf_str name = rf_str(e->d_name);
        if (can_be_shown(name))
            rf_nearest_offer_as(n, rf_str_dup(a, name),
                                rf_strf(a, "%.*s%.*s", RF_FMT(folder), RF_FMT(name)));
    }
}

/* The folder that the file would be in. */
static const char *folder_of(const char *base, struct rf_str folder, struct rf_arena *a)
{
    bool relative = !rf_str_starts(folder, "/") && base && *base;
    if (relative)
        return rf_strf(a, "%s/%.*s", base, RF_FMT(folder)).p;
    return folder.n ? rf_cstr(a, folder) : ".";
}

const char *rf_near_file(const char *root, const char *base, const char *path, struct rf_arena *a)
{
    struct rf_str whole = rf_str(path), name = rf_str_behind(whole, '/');
    struct rf_str folder = { whole.p, whole.n - name.n };
    struct rf_nearest n;
    struct rf_err unseen;
    int fd;
    if (name.n < LEAST_LETTERS || rf_folder_open(root, folder_of(base, folder, a), &fd, &unseen))
        return "";
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return "";
    }
    rf_nearest_init(&n, name);
    offer_all(&n, d, folder, a);
    closedir(d);
    return rf_nearest_question(&n, a);
}

void rf_err_near_file(struct rf_err *err, const char *path)
{
    if (!err || err->code != RF_ENOTFOUND || err->hint[0])
        return;
    struct rf_arena *a = rf_arena_new();
    struct rf_str question = rf_str(rf_near_file("", NULL, path, a));
    while (question.n && question.p[question.n - 1] == ' ')
        question.n--;
    rf_hint(err, "%.*s", RF_FMT(question));
    rf_arena_free(a);
}
