/* A folder as a list: names in order, folders with a slash after them, files with their sizes.
 * Nothing is opened and no link is followed. */
#include "source/read.h"

#include "base/arena.h"
#include "base/json_escape.h"
#include "base/utf8.h"
#include "source/asset.h"
#include "source/lines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAMES ((size_t)200000) /* that are looked at; more are counted only */
#define MAX_LISTING ((size_t)16 << 20)

struct names {
    const char **items;
    size_t count, cap, more;
};

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum rf_code gather(struct rf_read *r, int fd, struct names *names, struct rf_err *err)
{
    int own = dup(fd);
    DIR *d = own < 0 ? NULL : fdopendir(own);
    if (!d) {
        if (own >= 0)
            close(own);
        return rf_fail(err, RF_EIO, "the folder cannot be listed");
    }
    for (struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (names->count == MAX_NAMES)
            names->more++;
        else
            *RF_PUSH(r->arena, names->items, names->count, names->cap) =
                rf_str_dup(r->arena, rf_str(e->d_name)).p;
    }
    closedir(d);
    if (names->count)
        qsort(names->items, names->count, sizeof *names->items, compare);
    return RF_OK;
}

static const char *sort_of(mode_t mode)
{
    return S_ISLNK(mode) ? "link" : S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "device";
}

/* Line feeds and the like in a name would make two entries of one. */
static struct rf_str shown_name(struct rf_read *r, const char *name)
{
    struct rf_str s = rf_str(name);
    if (rf_utf8_valid(s) < s.n)
        return rf_clean_name(s, r->arena);
    char *copy = rf_arena_alloc(r->arena, s.n + 1);
    memcpy(copy, s.p, s.n);
    rf_clean_controls(copy);
    return (struct rf_str){ copy, s.n };
}

static void add_entry(struct rf_read *r, int fd, const char *name, struct rf_buf *out)
{
    struct stat st;
    struct rf_str shown = shown_name(r, name);
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        rf_buf_addf(out, "%15s  %.*s\n", "?", RF_FMT(shown));
    } else if (S_ISDIR(st.st_mode)) {
        rf_buf_addf(out, "%15s  %.*s/\n", "folder", RF_FMT(shown));
    } else if (S_ISREG(st.st_mode)) {
        struct rf_str size = rf_read_number(r, (int64_t)st.st_size);
        rf_buf_addf(out, "%15.*s  %.*s\n", RF_FMT(size), RF_FMT(shown));
    } else {
        rf_buf_addf(out, "%15s  %.*s\n", sort_of(st.st_mode), RF_FMT(shown));
    }
}

/* Entries from `first` on, up to `end` or to what is shown at once; returns where it stopped. */
static size_t add_entries(struct rf_read *r, int fd, const struct names *names, size_t first,
                          size_t end)
{
    uint64_t most = (uint64_t)r->tools->escaped_bytes, used = 0;
    for (size_t i = first; i < end; i++) {
        size_t before = r->body.n;
        add_entry(r, fd, names->items[i], &r->body);
        used += rf_json_escaped_length((struct rf_str){ r->body.p + before, r->body.n - before });
        if (most && used > most && i > first) {
            r->body.n = before;
            return i;
        }
    }
    return end;
}

enum rf_code rf_read_folder(struct rf_read *r, int fd, struct rf_err *err)
{
    struct names names = { 0 };
    enum rf_code rc = gather(r, fd, &names, err);
    if (rc)
        return rc;
    size_t first = r->call.offset > 1 ? (size_t)r->call.offset - 1 : 0;
    size_t most = (size_t)r->tools->limits[RF_LIMIT_ENTRIES];
    if (r->call.limit > 0 && (size_t)r->call.limit < most)
        most = (size_t)r->call.limit;
    if (first && first >= names.count)
        return rf_fail(err, RF_EUSAGE, "offset %zu is past the end: there are %zu entries",
                       first + 1, names.count);
    size_t end = names.count - first > most ? first + most : names.count;
    rf_buf_init(&r->body, r->arena, MAX_LISTING);
    end = add_entries(r, fd, &names, first, end);
    struct rf_str total = rf_read_number(r, (int64_t)(names.count + names.more));
    struct rf_str name = r->name.n ? r->name : RF_STR("/");
    if (end < names.count)
        rf_read_note(r, "Entries %zu-%zu of %.*s. Use offset=%zu to continue.", first + 1, end,
                     RF_FMT(total), end + 1);
    rf_read_note(r, "[Folder: %.*s, %.*s %s]", RF_FMT(name), RF_FMT(total),
                 names.count == 1 ? "entry" : "entries");
    r->mime = RF_MIME_FOLDER;
    r->count = (int64_t)(names.count + names.more);
    return RF_OK;
}
