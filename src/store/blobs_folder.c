/* Blobs as files.
 *
 *     FOLDER/ab/cd…     a blob whose hash begins with abcd; its name is the 62 digits after "ab"
 *     FOLDER/tmp/new-…  one that is being written, and locked (flock); without a lock it was left
 *                       by a process that died, and the first put of the next one removes it
 *
 * A blob gets its name by a rename, after its bytes are on the disk; the folder is synced after it,
 * so that a message which refers to it is never older than it. A file that is there is believed to
 * be whole when it was hashed in this process and has kept its stamp; one that is not whole is
 * replaced by the next put of its bytes. Its time of last access says when it was wanted last: the
 * time of change stays, because others may be reading it by its stamp. Files that are not ours are
 * neither read nor listed. */
#include "store/blobs_kind.h"

#include "base/arena.h"
#include "base/sha256.h"
#include "store/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUBFOLDER 2                 /* digits that name it */
#define MOST_SEEN ((size_t)1 << 16) /* verdicts that are remembered; a power of two */
#define FIRST_SEEN ((size_t)1 << 8)
#define RENAME_TRIES 3
#define OPEN_TRIES 4    /* of a file in tmp/: its folder may be missing, or somebody sweep it */
#define MOST_SWEPT 1000 /* files in one go */
#define TEMPORARY "new-"

/* What hashing a file told, for as long as it keeps its stamp. */
struct seen {
    struct rf_hash hash; /* "": a free slot */
    struct rf_stamp stamp;
    bool damaged;
};

struct folder {
    struct rf_blobs blobs;
    char *path;
    struct seen *seen; /* a hash table, at most half full */
    size_t seen_count, seen_size;
    bool swept;
};

static struct folder *folder_of(struct rf_blobs *b)
{
    return (struct folder *)b;
}

static void folder_free(struct rf_blobs *b)
{
    struct folder *f = folder_of(b);
    free(f->seen);
    free(f->path);
    free(f);
}

/* A path. One that is too long for this is too long for the system too, which then says so. */
struct path {
    char text[PATH_MAX + 128];
};

static struct path subfolder_path(const struct folder *f, const struct rf_hash *hash)
{
    struct path p;
    snprintf(p.text, sizeof p.text, "%s/%.*s", f->path, SUBFOLDER, hash->hex);
    return p;
}

static struct path blob_path(const struct folder *f, const struct rf_hash *hash)
{
    struct path p;
    snprintf(p.text, sizeof p.text, "%s/%.*s/%s", f->path, SUBFOLDER, hash->hex,
             hash->hex + SUBFOLDER);
    return p;
}

/* What was seen */

static size_t first_slot(const struct rf_hash *hash, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < 8; i++)
        n = n * 31 + (unsigned char)hash->hex[i];
    return n & (size - 1);
}

/* Where the hash is, or the free slot for it. */
static struct seen *slot_of(struct seen *table, size_t size, const struct rf_hash *hash)
{
    size_t i = first_slot(hash, size);
    while (table[i].hash.hex[0] && memcmp(table[i].hash.hex, hash->hex, RF_HASH_HEX) != 0)
        i = (i + 1) & (size - 1);
    return &table[i];
}

/* Room for one more: twice the table, or an empty one when it has grown enough. */
static void make_room(struct folder *f)
{
    if (f->seen && f->seen_count < f->seen_size / 2)
        return;
    size_t size = !f->seen ? FIRST_SEEN : f->seen_size;
    bool forget = size >= MOST_SEEN;
    if (f->seen && !forget)
        size *= 2;
    struct seen *table = calloc(size, sizeof *table);
    if (!table)
        RF_NO_MEMORY();
    for (size_t i = 0; !forget && i < f->seen_size; i++)
        if (f->seen[i].hash.hex[0])
            *slot_of(table, size, &f->seen[i].hash) = f->seen[i];
    free(f->seen);
    f->seen = table;
    f->seen_size = size;
    if (forget)
        f->seen_count = 0;
}

static void remember(struct folder *f, const struct rf_hash *hash, const struct rf_stamp *stamp,
                     bool damaged)
{
    make_room(f);
    struct seen *s = slot_of(f->seen, f->seen_size, hash);
    f->seen_count += !s->hash.hex[0];
    *s = (struct seen){ *hash, *stamp, damaged };
}

static const struct seen *recall(const struct folder *f, const struct rf_hash *hash,
                                 const struct rf_stamp *stamp)
{
    if (!f->seen)
        return NULL;
    const struct seen *s = slot_of(f->seen, f->seen_size, hash);
    return s->hash.hex[0] && rf_stamp_same(&s->stamp, stamp) ? s : NULL;
}

/* Does the file hold what its name says? `*first` where that was not known before. */
static enum rf_code judge(struct folder *f, const struct rf_hash *hash,
                          const struct rf_bytes *bytes, bool *damaged, bool *first,
                          struct rf_err *err)
{
    const struct seen *s = recall(f, hash, &bytes->stamp);
    uint8_t digest[32];
    char hex[RF_HASH_HEX + 1];
    *first = !s;
    if (s) {
        *damaged = s->damaged;
        return RF_OK;
    }
    enum rf_code rc = rf_bytes_sha256(bytes, digest, err);
    if (rc)
        return rc;
    rf_sha256_hex(digest, hex);
    *damaged = memcmp(hex, hash->hex, RF_HASH_HEX) != 0;
    remember(f, hash, &bytes->stamp, *damaged);
    return RF_OK;
}

/* Finding and reading */

static bool is_old(const struct stat *st, int64_t before_s)
{
    return (int64_t)st->st_mtim.tv_sec < before_s && (int64_t)st->st_atim.tv_sec < before_s;
}

/* Where it cannot be noted (a read-only disk), the blob cannot be removed either. */
static void touch(const char *path)
{
    const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } };
    struct stat st;
    if (stat(path, &st) == 0 && is_old(&st, (int64_t)time(NULL) - RF_BLOB_TOUCH_S))
        utimensat(AT_FDCWD, path, times, 0);
}

/* One that another process has just renamed may not be safe yet: its folder is synced here too,
 * once. */
static enum rf_code folder_find(struct rf_blobs *b, const struct rf_hash *hash, uint64_t size,
                                bool *found, int64_t *object, struct rf_err *err)
{
    struct folder *f = folder_of(b);
    struct path p = blob_path(f, hash);
    struct rf_bytes bytes;
    bool damaged = false, first = false;
    *object = 0;
    *found = false;
    if (rf_bytes_file("", p.text, &bytes, NULL) || bytes.size != size ||
        judge(f, hash, &bytes, &damaged, &first, NULL) || damaged)
        return RF_OK;
    touch(p.text);
    *found = true;
    return first ? rf_folder_sync(subfolder_path(f, hash).text, err) : RF_OK;
}

static enum rf_code is_damaged(const struct rf_hash *hash, const char *path, struct rf_err *err)
{
    enum rf_code rc =
        rf_fail(err, RF_EFORMAT, "the blob sha256:%s is damaged: \"%s\" holds other bytes",
                hash->hex, path);
    rf_hint(err, "Bring the file back from a copy; adding the same bytes again repairs it too.");
    return rc;
}

static enum rf_code folder_get(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                               struct rf_arena *a, struct rf_bytes *out, struct rf_err *err)
{
    struct folder *f = folder_of(b);
    struct path p = blob_path(f, hash);
    struct rf_bytes bytes;
    bool damaged = false, first;
    (void)object;
    enum rf_code rc = rf_bytes_file("", p.text, &bytes, err);
    if (rc == RF_ENOTFOUND) {
        rf_fail(err, rc, "the blob sha256:%s is not in the store: there is no \"%s\"", hash->hex,
                p.text);
        rf_hint(err, "Bring the file back from a copy of the store.");
    }
    if (!rc)
        rc = judge(f, hash, &bytes, &damaged, &first, err);
    if (rc)
        return rc;
    if (damaged)
        return is_damaged(hash, p.text, err);
    bytes.path = rf_cstr(a, rf_str(p.text));
    bytes.root = "";
    bytes.sha256 = rf_str_dup(a, rf_str(hash->hex));
    *out = bytes;
    return RF_OK;
}

static bool folder_has(struct rf_blobs *b, const struct rf_hash *hash, int64_t object)
{
    struct path p = blob_path(folder_of(b), hash);
    struct stat st;
    (void)object;
    return lstat(p.text, &st) == 0 && S_ISREG(st.st_mode);
}

static enum rf_code folder_remove(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                                  struct rf_err *err)
{
    struct path p = blob_path(folder_of(b), hash);
    (void)object;
    if (unlink(p.text) == 0 || errno == ENOENT || errno == ENOTDIR)
        return RF_OK;
    return rf_could_not("remove", p.text, err);
}

/* Writing */

struct writing {
    int fd;
    const char *path;
};

static enum rf_code write_chunk(void *ctx, uint64_t offset, struct rf_str chunk, struct rf_err *err)
{
    const struct writing *w = ctx;
    (void)offset;
    while (chunk.n) {
        ssize_t n = write(w->fd, chunk.p, chunk.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return rf_could_not("write", w->path, err);
        chunk.p += n;
        chunk.n -= (size_t)n;
    }
    return RF_OK;
}

static bool is_temporary(const char *name)
{
    return strncmp(name, TEMPORARY, sizeof TEMPORARY - 1) == 0;
}

static void sweep(struct folder *f)
{
    struct path p;
    int count = 0;
    if (f->swept)
        return;
    f->swept = true;
    snprintf(p.text, sizeof p.text, "%s/tmp", f->path);
    DIR *d = opendir(p.text);
    for (struct dirent *e; d && count < MOST_SWEPT && (e = readdir(d));) {
        if (!is_temporary(e->d_name))
            continue;
        int fd = openat(dirfd(d), e->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            count += unlinkat(dirfd(d), e->d_name, 0) == 0;
        if (fd >= 0)
            close(fd);
    }
    if (d)
        closedir(d);
}

/* Lock a new file. False where somebody swept it before. */
static bool lock_new(int fd)
{
    struct stat st;
    flock(fd, LOCK_EX); /* where the file system has no locks, nothing is swept */
    return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

/* A new file of ours in tmp/; its name becomes `p`. */
static enum rf_code open_new(struct folder *f, struct path *p, int *fd, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    sweep(f);
    for (int i = 0; i < OPEN_TRIES; i++) {
        snprintf(p->text, sizeof p->text, "%s/tmp/" TEMPORARY "XXXXXX", f->path);
        *fd = mkostemp(p->text, O_CLOEXEC);
        if (*fd >= 0 && lock_new(*fd))
            return RF_OK;
        if (*fd >= 0)
            close(*fd);
        else if (errno != ENOENT || i)
            break;
        snprintf(p->text, sizeof p->text, "%s/tmp", f->path);
        rc = rf_folders_make(p->text, err);
        if (rc)
            return rc;
    }
    return rf_could_not("make a file in", f->path, err);
}

/* Give the written file its name, making the folder for it where there is none. */
static enum rf_code publish(struct folder *f, const struct rf_hash *hash, const char *written,
                            struct rf_err *err)
{
    struct path folder = subfolder_path(f, hash), p = blob_path(f, hash);
    for (int i = 0; i < RENAME_TRIES; i++) {
        if (rename(written, p.text) == 0)
            return rf_folder_sync(folder.text, err);
        if (errno != ENOENT)
            break;
        enum rf_code rc = rf_folders_make(folder.text, err);
        if (rc)
            return rc;
    }
    return rf_could_not("write", p.text, err);
}

static enum rf_code folder_take(struct rf_blobs *b, const struct rf_hash *hash, uint64_t size,
                                const struct rf_blob_stream *stream, int64_t *object,
                                struct rf_err *err)
{
    struct folder *f = folder_of(b);
    struct path p;
    struct rf_bytes bytes;
    struct writing w = { .fd = -1, .path = p.text };
    enum rf_code rc = open_new(f, &p, &w.fd, err);
    if (rc)
        return rc;
    if (fchmod(w.fd, 0600) != 0)
        rc = rf_could_not("set the permissions of", p.text, err);
    if (!rc)
        rc = rf_blob_drain(stream, hash, size, write_chunk, &w, err);
    if (!rc && fsync(w.fd) != 0)
        rc = rf_could_not("write", p.text, err);
    if (!rc)
        rc = publish(f, hash, p.text, err);
    close(w.fd); /* and with it the lock, which a blob does not need */
    if (rc) {
        unlink(p.text);
        return rc;
    }
    if (!rf_bytes_file("", blob_path(f, hash).text, &bytes, NULL))
        remember(f, hash, &bytes.stamp, false);
    *object = 0;
    return RF_OK;
}

/* Scanning */

struct scan {
    int64_t before_s;
    enum rf_code (*found)(void *ctx, const char *path, const struct rf_hash *hash, uint64_t size,
                          struct rf_err *err);
    void *ctx;
};

static bool is_hex(const char *name, size_t length)
{
    return strlen(name) == length && strspn(name, "0123456789abcdef") == length;
}

/* `digits` are those that the folder is named by; "" in tmp/. */
static enum rf_code scan_file(const struct scan *s, int at, const char *folder, const char *digits,
                              const char *name, struct rf_err *err)
{
    struct rf_hash hash;
    struct path p;
    struct stat st;
    bool ours = *digits ? is_hex(name, RF_HASH_HEX - SUBFOLDER) : is_temporary(name);
    if (!ours || fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
        !is_old(&st, s->before_s))
        return RF_OK;
    if ((size_t)snprintf(p.text, sizeof p.text, "%s/%s", folder, name) >= sizeof p.text)
        return RF_OK; /* longer than any name of ours */
    if (*digits)
        snprintf(hash.hex, sizeof hash.hex, "%.2s%.62s", digits, name);
    return s->found(s->ctx, p.text, *digits ? &hash : NULL, (uint64_t)st.st_size, err);
}

static enum rf_code scan_folder(const struct scan *s, const char *folder, const char *digits,
                                struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    DIR *d = opendir(folder);
    if (!d)
        return errno == ENOENT || errno == ENOTDIR ? RF_OK
                                                   : rf_could_not("read the folder", folder, err);
    for (struct dirent *e; !rc && (e = readdir(d));)
        rc = scan_file(s, dirfd(d), folder, digits, e->d_name, err);
    closedir(d);
    return rc;
}

static enum rf_code folder_scan(struct rf_blobs *b, int64_t before_s,
                                enum rf_code (*found)(void *ctx, const char *path,
                                                      const struct rf_hash *hash, uint64_t size,
                                                      struct rf_err *err),
                                void *ctx, struct rf_err *err)
{
    struct folder *f = folder_of(b);
    const struct scan s = { before_s, found, ctx };
    struct path p;
    if (access(f->path, F_OK) != 0 && errno == ENOENT)
        return RF_OK;
    snprintf(p.text, sizeof p.text, "%s/tmp", f->path);
    enum rf_code rc = scan_folder(&s, p.text, "", err);
    for (unsigned i = 0; !rc && i < 256; i++) {
        char digits[SUBFOLDER + 1];
        snprintf(digits, sizeof digits, "%02x", i & 255);
        snprintf(p.text, sizeof p.text, "%s/%s", f->path, digits);
        rc = scan_folder(&s, p.text, digits, err);
    }
    return rc;
}

static enum rf_code folder_discard(struct rf_blobs *b, const char *path, struct rf_err *err)
{
    (void)b;
    return unlink(path) == 0 || errno == ENOENT ? RF_OK : rf_could_not("remove", path, err);
}

static const struct rf_blobs_kind kind = {
    .free = folder_free,
    .find = folder_find,
    .take = folder_take,
    .get = folder_get,
    .has = folder_has,
    .remove = folder_remove,
    .scan = folder_scan,
    .discard = folder_discard,
};

struct rf_blobs *rf_blobs_folder(const char *path)
{
    struct folder *f = calloc(1, sizeof *f);
    char *copy = strdup(path);
    if (!f || !copy)
        RF_NO_MEMORY();
    f->blobs.kind = &kind;
    f->path = copy;
    return &f->blobs;
}
