/* Lines that were entered, and the file that they are kept in: one a line, with \n for a line feed
 * and \\ for a backslash. Each is added to the file's end when it is entered, so that chats which
 * run at the same time lose nothing to each other; the file is rewritten, whole or not at all,
 * where it has grown too long. A file that cannot be read or written is gone without: the lines are
 * then kept in memory. */
#include "term/edit_inside.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST 1000                   /* lines */
#define MOST_LINE ((size_t)65536)   /* bytes of a line that is kept */
#define MOST_FILE ((size_t)4 << 20) /* bytes at the end of the file that are read */
#define LOCK_TRIES 20               /* 5 ms each */

static void forget(struct rf_edit_history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        free(h->lines[i]);
        free(h->origins[i]);
    }
    free(h->lines);
    free(h->origins);
    h->lines = h->origins = NULL;
    h->count = 0;
}

/* Takes both; `origins` may be NULL. The arrays have room for MOST. */
static void remember(struct rf_edit_history *h, char *line, char *origins)
{
    if (!h->lines && (!(h->lines = calloc(MOST, sizeof *h->lines)) ||
                      !(h->origins = calloc(MOST, sizeof *h->origins))))
        abort();
    if (!*line || (h->count && !strcmp(h->lines[h->count - 1], line))) {
        free(line);
        free(origins);
        return;
    }
    if (h->count == MOST) {
        free(h->lines[0]);
        free(h->origins[0]);
        memmove(h->lines, h->lines + 1, (MOST - 1) * sizeof *h->lines);
        memmove(h->origins, h->origins + 1, (MOST - 1) * sizeof *h->origins);
        h->count--;
    }
    h->lines[h->count] = line;
    h->origins[h->count++] = origins;
}

/* One of the file: the characters that \ hides come back, what may not stand in a line goes. */
static char *read_line(struct rf_str s)
{
    struct rf_buffer plain = { 0 }, clean = { 0 };
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\' && i + 1 < s.n) {
            i++;
            c = s.p[i] == 'n' ? '\n' : s.p[i];
        }
        rf_buffer_add(&plain, &c, 1);
    }
    rf_edit_clean(&clean, rf_buffer_view(&plain));
    rf_buffer_release(&plain);
    rf_buffer_add(&clean, "", 1);
    return clean.p;
}

static void write_line(struct rf_buffer *out, const char *line)
{
    for (; *line; line++) {
        if (*line == '\n')
            rf_buffer_text(out, "\\n");
        else if (*line == '\\')
            rf_buffer_text(out, "\\\\");
        else
            rf_buffer_add(out, line, 1);
    }
    rf_buffer_add(out, "\n", 1);
}

/* The end of the file; its first line is left out where it was cut. */
static bool read_file(const char *path, struct rf_buffer *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0)
        return false;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return false;
    }
    off_t at = st.st_size > (off_t)MOST_FILE ? st.st_size - (off_t)MOST_FILE : 0;
    char part[8192];
    for (ssize_t n; out->n <= MOST_FILE && (n = pread(fd, part, sizeof part, at)) > 0; at += n)
        rf_buffer_add(out, part, (size_t)n);
    close(fd);
    if (st.st_size > (off_t)MOST_FILE) {
        char *feed = memchr(out->p, '\n', out->n);
        size_t cut = feed ? (size_t)(feed + 1 - out->p) : out->n;
        memmove(out->p, out->p + cut, out->n - cut);
        out->n -= cut;
    }
    return true;
}

/* Read the lines of the file; how many it has, or 0. */
static size_t load(struct rf_edit_history *h)
{
    struct rf_buffer file = { 0 };
    size_t lines = 0;
    if (read_file(h->path, &file)) {
        struct rf_str rest = rf_buffer_view(&file);
        while (rest.n) {
            const char *feed = memchr(rest.p, '\n', rest.n);
            size_t n = feed ? (size_t)(feed - rest.p) : rest.n;
            if (n <= 2 * MOST_LINE)
                remember(h, read_line((struct rf_str){ rest.p, n }), NULL);
            n += feed != NULL;
            rest = (struct rf_str){ rest.p + n, rest.n - n };
            lines++;
        }
    }
    rf_buffer_release(&file);
    return lines;
}

/* Writers take turns by a lock on the folder. Its descriptor, or -1: then nothing is written. */
static int lock(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    if (!folder)
        abort();
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); i++) {
        if (i == LOCK_TRIES) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    }
    return fd;
}

static bool write_all(int fd, struct rf_str s)
{
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n <= 0)
            return false;
        s = (struct rf_str){ s.p + n, s.n - (size_t)n };
    }
    return true;
}

/* A line whose writer was killed in the middle of it is ended first. */
static void append(const char *path, const char *line)
{
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    struct stat st;
    if (fd < 0)
        return;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (!(st.st_mode & 077) || !fchmod(fd, 0600))) {
        struct rf_buffer b = { 0 };
        char last = '\n';
        if (st.st_size && pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n')
            rf_buffer_add(&b, "\n", 1);
        write_line(&b, line);
        (void)!write_all(fd, rf_buffer_view(&b));
        rf_buffer_release(&b);
    }
    close(fd);
}

/* The file with its last lines only. Who was killed on the way has left a file of that name. */
static void rewrite(const struct rf_edit_history *h)
{
    struct rf_buffer name = { 0 }, b = { 0 };
    rf_buffer_print(&name, "%s.new", h->path);
    rf_buffer_add(&name, "", 1);
    for (size_t i = 0; i < h->count; i++)
        write_line(&b, h->lines[i]);
    unlink(name.p);
    int fd = open(name.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        bool written = write_all(fd, rf_buffer_view(&b)) && !fsync(fd);
        if (close(fd) || !written || rename(name.p, h->path))
            unlink(name.p);
    }
    rf_buffer_release(&b);
    rf_buffer_release(&name);
}

static void shorten(const char *path)
{
    int folder = lock(path);
    if (folder < 0)
        return;
    struct rf_edit_history all = { .path = strdup(path) };
    if (!all.path)
        abort();
    if (load(&all) > MOST)
        rewrite(&all);
    forget(&all);
    free(all.path);
    close(folder);
}

void rf_edit_history_open(struct rf_edit_history *h, const char *path)
{
    *h = (struct rf_edit_history){ 0 };
    if (!path)
        return;
    h->path = realpath(path, NULL);
    if (!h->path && !(h->path = strdup(path)))
        abort();
    h->in_file = load(h);
}

void rf_edit_history_add(struct rf_edit_history *h, const char *line, const char *origins)
{
    size_t n = strlen(line);
    bool again = h->count && !strcmp(h->lines[h->count - 1], line);
    if (!n || n > MOST_LINE || line[0] == ' ' || again)
        return;
    char *copy = strdup(line), *copied = strdup(origins);
    if (!copy || !copied)
        abort();
    remember(h, copy, copied);
    int folder = h->path ? lock(h->path) : -1;
    if (folder < 0)
        return;
    append(h->path, line);
    h->in_file++;
    close(folder);
}

void rf_edit_history_close(struct rf_edit_history *h)
{
    if (h->path && h->in_file > MOST)
        shorten(h->path);
    forget(h);
    free(h->path);
    h->path = NULL;
}
