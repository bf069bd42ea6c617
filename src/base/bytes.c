/* Files are opened without blocking (a pipe or a device with the right name must not hang us)
 * and checked to be regular before anything is read. With a root, the path is resolved first,
 * links and all, must lie below the resolved root, and is then opened from the root without
 * following any link: by openat2, or step by step where the kernel has no such call. */
#include "base/bytes.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__has_include) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

#define READ_CHUNK ((size_t)128 * 1024)

/* A folder on the way must be entered, not listed. */
#ifdef O_PATH
#define STEP (O_PATH | O_DIRECTORY | O_CLOEXEC)
#else
#define STEP (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif

struct rf_bytes rf_bytes_memory(struct rf_str bytes)
{
    return (struct rf_bytes){ .kind = RF_BYTES_MEMORY, .text = bytes, .size = bytes.n };
}

enum rf_code rf_bytes_base64(struct rf_str base64, struct rf_bytes *out, struct rf_err *err)
{
    size_t size;
    if (!rf_base64_decoded_length(base64.p, base64.n, &size))
        return rf_fail(err, RF_EFORMAT, "the base64 has a wrong length or padding");
    *out = (struct rf_bytes){ .kind = RF_BYTES_BASE64, .text = base64, .size = size };
    return RF_OK;
}

static bool is_below(const char *root, const char *resolved)
{
    size_t n = strlen(root);
    if (n == 1 && root[0] == '/')
        return true;
    return strncmp(resolved, root, n) == 0 && (resolved[n] == '/' || resolved[n] == '\0');
}

/* Following a path to what it names, one step at a time, as whoever may look below the root only.
 *
 * What is found elsewhere must make no difference, or the answers tell what there is. So elsewhere
 * no way leads back up, but from folders that the root lies in and from where the path begins, and
 * whatever ends or breaks off elsewhere is outside, be it there or not. */

#define MOST_STEPS \
    256 /* those of links too: no real folders are that deep, and each costs a look */
#define MOST_LINKS 40

struct way {
    const char *root;    /* resolved */
    char at[PATH_MAX];   /* where it has come to, resolved; "" is "/" */
    char rest[PATH_MAX]; /* what is left to follow, after the first `done` bytes */
    size_t done;
    int links, steps;
    bool begun; /* it has left the folder that it begins in, and those above */
};

static bool may_be_told(const struct way *w)
{
    return is_below(w->root, *w->at ? w->at : "/");
}

static bool may_go_up(const struct way *w)
{
    size_t n = strlen(w->at);
    return may_be_told(w) || (strncmp(w->root, w->at, n) == 0 && w->root[n] == '/');
}

static bool too_long(void)
{
    errno = ENAMETOOLONG;
    return false;
}

/* The link at the end of `step`, and what is left behind it. */
static bool follow_link(struct way *w, const char *step)
{
    char target[PATH_MAX];
    ssize_t n = readlink(step, target, sizeof target - 1);
    if (n < 0)
        return false;
    if (++w->links > MOST_LINKS) {
        errno = ELOOP;
        return false;
    }
    size_t left = strlen(w->rest + w->done);
    if ((size_t)n + 1 + left >= sizeof target)
        return too_long();
    target[n] = left ? '/' : '\0';
    memcpy(target + n + 1, w->rest + w->done, left + 1);
    memcpy(w->rest, target, (size_t)n + left + 2);
    w->done = 0;
    if (target[0] == '/')
        w->at[0] = '\0';
    return true;
}

/* One step down; an empty one and "." stay. */
static bool step_down(struct way *w, const char *name, size_t length)
{
    char step[PATH_MAX];
    struct stat st;
    if ((size_t)snprintf(step, sizeof step, "%s/%.*s", w->at, (int)length, name) >= sizeof step)
        return too_long();
    if (lstat(step, &st) != 0)
        return false;
    if (S_ISLNK(st.st_mode))
        return follow_link(w, step);
    if (!S_ISDIR(st.st_mode) && w->rest[w->done]) { /* "a.txt/.." is not the folder of it */
        errno = ENOTDIR;
        return false;
    }
    if (length && !(length == 1 && name[0] == '.'))
        memcpy(w->at, step, strlen(step) + 1);
    return true;
}

/* False where it breaks off, for the reason in errno, or leads where nothing may be told. */
static bool follow(struct way *w)
{
    while (w->rest[w->done]) {
        char name[NAME_MAX + 2];
        const char *rest = w->rest + w->done;
        size_t n = strcspn(rest, "/"), slashes = strspn(rest + n, "/");
        if (n >= sizeof name)
            return too_long();
        memcpy(name, rest, n);
        w->done += n + slashes;
        if (slashes && !w->rest[w->done]) /* "a/" is "a/.": a folder */
            w->rest[--w->done] = '.';
        bool up = n == 2 && name[0] == '.' && name[1] == '.';
        if (++w->steps > MOST_STEPS)
            return too_long();
        if (up && w->begun && !may_go_up(w))
            return false;
        w->begun |= !up && !(n == 1 && name[0] == '.');
        if (up)
            *(strrchr(w->at, '/') ? strrchr(w->at, '/') : w->at) = '\0';
        else if (!step_down(w, name, n))
            return false;
    }
    return true;
}

/* Open a path without links, step by step: a folder that is swapped for a link on the way makes
 * it fail and never leads out. */
static int open_step_by_step(char *resolved, int flags)
{
    int at = open("/", STEP);
    char *step = resolved;
    while (at >= 0) {
        while (*step == '/')
            step++;
        char *slash = strchr(step, '/');
        if (slash)
            *slash = '\0';
        int next = openat(at, *step ? step : ".", O_NOFOLLOW | (slash ? STEP : flags));
        int saved = errno;
        close(at);
        errno = saved;
        if (!slash)
            return next;
        at = next;
        step = slash + 1;
    }
    return -1;
}

#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
/* `rest` is what stands after the root in the resolved path. */
static int open_beneath(const char *root, const char *rest, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)(unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int at = open(root, STEP | O_NOFOLLOW);
    if (at < 0)
        return -1;
    while (*rest == '/')
        rest++;
    long fd = syscall(SYS_openat2, at, *rest ? rest : ".", &how, sizeof how);
    int saved = errno;
    close(at);
    errno = saved;
    return (int)fd;
}
#else
static int open_beneath(const char *root, const char *rest, int flags)
{
    (void)root, (void)rest, (void)flags;
    errno = ENOSYS;
    return -1;
}
#endif

const char *rf_path_from(const char *base, struct rf_str path, struct rf_arena *a)
{
    char real[PATH_MAX];
    if (path.p[0] == '/' || !base || !*base)
        return rf_cstr(a, path);
    if (!rf_str_starts(path, "..") || !realpath(base, real))
        return rf_strf(a, "%s/%.*s", base, RF_FMT(path)).p;
    while (rf_str_starts(path, "../") || rf_str_is(path, "..")) {
        *strrchr(real, '/') = '\0';
        if (!*real)
            memcpy(real, "/", 2);
        size_t n = path.n < 3 ? path.n : 3;
        path = (struct rf_str){ path.p + n, path.n - n };
    }
    return rf_strf(a, "%s/%.*s", real[1] ? real : "", RF_FMT(path)).p;
}

static enum rf_code open_below(const char *root, const char *path, int flags, int *out,
                               struct rf_err *err)
{
    char real_root[PATH_MAX];
    struct way w = { .root = real_root, .begun = path[0] == '/' };
    if (!realpath(root, real_root))
        return rf_fail_errno(err, "could not resolve the root \"%s\"", root);
    if (path[0] != '/' && !getcwd(w.at, sizeof w.at))
        return rf_fail_errno(err, "could not find the working folder");
    if (!w.at[1])
        w.at[0] = '\0';
    bool found = (size_t)snprintf(w.rest, sizeof w.rest, "%s", path) < sizeof w.rest ? follow(&w)
                                                                                     : too_long();
    if (!may_be_told(&w)) {
        enum rf_code rc = rf_fail(err, RF_EPERMISSION, "\"%s\" is outside of the root", path);
        rf_hint(err, "Only files below \"%s\" may be read here.", root);
        return rc;
    }
    if (!found)
        return rf_fail_errno(err, "could not open \"%s\"", path);
    *out = open_beneath(real_root, w.at + (real_root[1] ? strlen(real_root) : 0), flags);
    if (*out < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL))
        *out = open_step_by_step(w.at, flags);
    return *out < 0 ? rf_fail_errno(err, "could not open \"%s\"", path) : RF_OK;
}

static enum rf_code open_regular(const char *root, const char *path, int *out, struct stat *st,
                                 struct rf_err *err)
{
    int fd = -1, flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    enum rf_code rc = RF_OK;
    if (*root)
        rc = open_below(root, path, flags, &fd, err);
    else if ((fd = open(path, flags)) < 0)
        rc = rf_fail_errno(err, "could not open \"%s\"", path);
    if (rc)
        return rc;
    if (fstat(fd, st) != 0)
        rc = rf_fail_errno(err, "could not look at \"%s\"", path);
    else if (S_ISDIR(st->st_mode))
        rc = rf_fail(err, RF_EFORMAT, "\"%s\" is a folder", path);
    else if (!S_ISREG(st->st_mode))
        rc = rf_fail(err, RF_EFORMAT, "\"%s\" is not a regular file", path);
    if (rc)
        close(fd);
    else
        *out = fd;
    return rc;
}

enum rf_code rf_folder_open(const char *root, const char *path, int *fd, struct rf_err *err)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK, found = -1;
    enum rf_code rc = RF_OK;
    if (*root)
        rc = open_below(root, path, flags, &found, err);
    else if ((found = open(path, flags)) < 0)
        rc = rf_fail_errno(err, "could not open \"%s\"", path);
    if (!rc)
        *fd = found;
    return rc;
}

static struct rf_stamp stamp_of(const struct stat *st)
{
    return (struct rf_stamp){
        .device = (uint64_t)st->st_dev,
        .inode = (uint64_t)st->st_ino,
        .size = (uint64_t)st->st_size,
        .changed_s = (int64_t)st->st_mtim.tv_sec,
        .changed_ns = (int64_t)st->st_mtim.tv_nsec,
    };
}

bool rf_stamp_same(const struct rf_stamp *a, const struct rf_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed_s == b->changed_s && a->changed_ns == b->changed_ns;
}

enum rf_code rf_bytes_file(const char *root, const char *path, struct rf_bytes *out,
                           struct rf_err *err)
{
    struct stat st;
    int fd;
    enum rf_code rc = open_regular(root, path, &fd, &st, err);
    if (rc)
        return rc;
    close(fd);
    *out = (struct rf_bytes){
        .kind = RF_BYTES_FILE,
        .root = root,
        .path = path,
        .stamp = stamp_of(&st),
        .size = (uint64_t)st.st_size,
    };
    return RF_OK;
}

static enum rf_code check_stamp(const struct rf_bytes *b, const struct stat *st, struct rf_err *err)
{
    const struct rf_stamp now = stamp_of(st);
    if (rf_stamp_same(&now, &b->stamp))
        return RF_OK;
    return rf_fail(err, RF_EIO, "\"%s\" changed while the request was being made", b->path);
}

enum rf_code rf_reader_open(struct rf_reader *r, const struct rf_bytes *b, struct rf_err *err)
{
    *r = (struct rf_reader){ .bytes = b, .fd = -1 };
    if (b->kind != RF_BYTES_FILE)
        return RF_OK;
    struct stat st;
    enum rf_code rc = open_regular(b->root, b->path, &r->fd, &st, err);
    if (rc)
        return rc;
    rc = check_stamp(b, &st, err);
    if (rc)
        rf_reader_close(r);
    return rc;
}

enum rf_code rf_reader_check(const struct rf_reader *r, struct rf_err *err)
{
    struct stat st;
    if (r->bytes->kind != RF_BYTES_FILE)
        return RF_OK;
    if (fstat(r->fd, &st) != 0)
        return rf_fail_errno(err, "could not read \"%s\"", r->bytes->path);
    return check_stamp(r->bytes, &st, err);
}

void rf_reader_close(struct rf_reader *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
}

static enum rf_code read_file(struct rf_reader *r, uint64_t offset, void *buf, size_t n,
                              struct rf_err *err)
{
    size_t done = 0;
    while (done < n) {
        ssize_t got = pread(r->fd, (char *)buf + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return rf_fail_errno(err, "could not read \"%s\"", r->bytes->path);
        if (got == 0)
            return rf_fail(err, RF_EIO, "\"%s\" became shorter while it was read", r->bytes->path);
        done += (size_t)got;
    }
    return RF_OK;
}

/* Decodes the groups of four that the range touches, a few kilobytes at a time. */
static enum rf_code read_base64(struct rf_reader *r, uint64_t offset, char *buf, size_t n,
                                struct rf_err *err)
{
    struct rf_str text = r->bytes->text;
    char decoded[3 * 1024];
    while (n > 0) {
        size_t group = (size_t)(offset / 3) * 4;
        size_t chars = text.n - group < 4096 ? text.n - group : 4096;
        size_t skip = (size_t)(offset % 3), have;
        if (!rf_base64_decoded_length(text.p + group, chars, &have) ||
            !rf_base64_decode(text.p + group, chars, decoded))
            return rf_fail(err, RF_EFORMAT, "the base64 is not valid near character %zu", group);
        size_t take = have - skip < n ? have - skip : n;
        memcpy(buf, decoded + skip, take);
        buf += take;
        offset += take;
        n -= take;
    }
    return RF_OK;
}

enum rf_code rf_reader_read(struct rf_reader *r, uint64_t offset, void *buf, size_t n, size_t *got,
                            struct rf_err *err)
{
    const struct rf_bytes *b = r->bytes;
    uint64_t left = offset < b->size ? b->size - offset : 0;
    size_t take = left < n ? (size_t)left : n;
    enum rf_code rc = RF_OK;
    if (take == 0) {
        *got = 0;
        return RF_OK;
    }
    switch (b->kind) {
    case RF_BYTES_MEMORY:
        memcpy(buf, b->text.p + offset, take);
        break;
    case RF_BYTES_BASE64:
        rc = read_base64(r, offset, buf, take, err);
        break;
    case RF_BYTES_FILE:
        rc = read_file(r, offset, buf, take, err);
        break;
    }
    if (!rc)
        *got = take;
    return rc;
}

enum rf_code rf_bytes_sha256(const struct rf_bytes *b, uint8_t digest[32], struct rf_err *err)
{
    struct rf_reader r = { .fd = -1 };
    struct rf_sha256 *h = NULL;
    char *buf = malloc(READ_CHUNK);
    if (!buf)
        RF_NO_MEMORY();
    enum rf_code rc = rf_reader_open(&r, b, err);
    if (!rc)
        rc = rf_sha256_new(&h, err);
    uint64_t at = 0;
    while (!rc && at < b->size) {
        size_t got;
        rc = rf_reader_read(&r, at, buf, READ_CHUNK, &got, err);
        if (!rc) {
            rf_sha256_add(h, buf, got);
            at += got;
        }
    }
    if (!rc)
        rf_sha256_finish(h, digest);
    rf_sha256_free(h);
    rf_reader_close(&r);
    free(buf);
    return rc;
}

enum rf_code rf_bytes_all(const struct rf_bytes *b, struct rf_arena *a, struct rf_str *out,
                          struct rf_err *err)
{
    struct rf_reader r = { .fd = -1 };
    char *p = rf_arena_alloc(a, (size_t)b->size + 1);
    size_t got = 0;
    enum rf_code rc = rf_reader_open(&r, b, err);
    if (!rc)
        rc = rf_reader_read(&r, 0, p, (size_t)b->size, &got, err);
    rf_reader_close(&r);
    if (!rc)
        *out = (struct rf_str){ p, got };
    return rc;
}

enum rf_code rf_bytes_hash(struct rf_bytes *b, struct rf_arena *a, struct rf_err *err)
{
    uint8_t digest[32];
    char hex[65];
    enum rf_code rc = b->sha256.n ? RF_OK : rf_bytes_sha256(b, digest, err);
    if (rc || b->sha256.n)
        return rc;
    rf_sha256_hex(digest, hex);
    b->sha256 = rf_str_dup(a, rf_str(hex));
    return RF_OK;
}
