/* Ghostscript keeps what it will put at the end of a PDF in temporary files, by mkstemp and fdopen.
 * No option has it keep them in memory, and the sandbox has no place where a file could be written.
 * So this program has functions of these names, which the loader finds before those of the C
 * library: a temporary file is one in memory, whose descriptor is none. Any other goes to the C
 * library. */
#include "worker/postscript/scratch.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_DESCRIPTOR (1 << 20) /* more than any process here can have */
#define MAX_SCRATCH ((size_t)512 << 20)
#define VISIBLE __attribute__((visibility("default")))

static ssize_t scratch_read(void *cookie, char *to, size_t n)
{
    struct rf_scratch *s = cookie;
    size_t left = s->at < s->n ? s->n - s->at : 0;

    n = n < left ? n : left;
    if (n)
        memcpy(to, s->p + s->at, n);
    s->at += n;
    return (ssize_t)n;
}

static int make_room(struct rf_scratch *s, size_t end)
{
    size_t cap = s->cap ? s->cap : 4096;

    if (end > MAX_SCRATCH)
        return -1;
    while (cap < end)
        cap *= 2;
    if (cap == s->cap)
        return 0;
    char *p = realloc(s->p, cap);
    if (!p)
        return -1;
    memset(p + s->cap, 0, cap - s->cap);
    s->p = p;
    s->cap = cap;
    return 0;
}

static ssize_t scratch_write(void *cookie, const char *from, size_t n)
{
    struct rf_scratch *s = cookie;

    if (n > MAX_SCRATCH || make_room(s, s->at + n) != 0) {
        errno = ENOSPC;
        return 0;
    }
    memcpy(s->p + s->at, from, n);
    s->at += n;
    s->n = s->at > s->n ? s->at : s->n;
    return (ssize_t)n;
}

static int scratch_seek(void *cookie, off64_t *offset, int whence)
{
    struct rf_scratch *s = cookie;
    off64_t from = whence == SEEK_SET ? 0 : (off64_t)(whence == SEEK_CUR ? s->at : s->n);

    if (*offset < -from || *offset > (off64_t)MAX_SCRATCH) {
        errno = EINVAL;
        return -1;
    }
    *offset += from;
    s->at = (size_t)*offset;
    return 0;
}

static int scratch_close(void *cookie)
{
    struct rf_scratch *s = cookie;
    rf_scratch_reset(s);
    free(s);
    return 0;
}

static int scratch_leave(void *cookie)
{
    (void)cookie;
    return 0;
}

FILE *rf_scratch_open(struct rf_scratch *s)
{
    const cookie_io_functions_t calls = { scratch_read, scratch_write, scratch_seek,
                                          scratch_leave };
    return fopencookie(s, "w+", calls);
}

void rf_scratch_reset(struct rf_scratch *s)
{
    free(s->p);
    *s = (struct rf_scratch){ 0 };
}

VISIBLE int mkstemp64(char *name)
{
    (void)name;
    return NO_DESCRIPTOR;
}

VISIBLE FILE *fdopen(int fd, const char *mode)
{
    const cookie_io_functions_t calls = { scratch_read, scratch_write, scratch_seek,
                                          scratch_close };
    FILE *(*usual)(int, const char *);

    if (fd == NO_DESCRIPTOR) {
        struct rf_scratch *s = calloc(1, sizeof *s);
        return s ? fopencookie(s, "w+", calls) : NULL;
    }
    void *found = dlsym(RTLD_NEXT, "fdopen");
    memcpy(&usual, &found, sizeof usual);
    return usual ? usual(fd, mode) : NULL;
}
