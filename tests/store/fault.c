/* Preloaded (LD_PRELOAD) into a program: its n-th change to a folder fails, or is its last.
 *
 *     FAULT_FOLDER  the folder; only changes below it count, and it has no "/" at its end
 *     FAULT_AT      which change, from 1 on; without it nothing fails
 *     FAULT_HOW     what happens there: a row of `ways`
 *     FAULT_DISK    for a loss of power: an empty folder that shows what the disk would have
 *     FAULT_TRACE   set: every change is told, as "change NAME PATH" on standard error
 *
 * When it strikes it says so on standard error: "fault N NAME PATH".
 *
 * Loss of power. A kill loses nothing that was written: the system has it. So in these ways a disk is
 * played that keeps only what somebody synced: the bytes of a file at its last fsync, the names of a folder
 * at its last fsync. FAULT_DISK gets a file a file ("f" and its number: the bytes) and a file a folder ("d" and
 * its number: a line a name, with what it names); crash.py makes a folder of them again.
 *
 * It speaks to the system by syscall(2), so sanitizers may stand before or after it. What libc does inside of
 * itself (stdio) is not seen; the store uses none on its files. Changes by mmap are not seen: SQLite makes
 * them in its index of the log alone, which it never trusts after a crash. One thread. */
#undef _FILE_OFFSET_BITS /* both names of a call are wanted, and neither is to be replaced */
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define MOST_FILES 1024  /* that are open at once */
#define MOST_REUSED 4096 /* files that are made in one run */
#define DIE_WITH 9

enum kind {
    WRITES = 1, /* moves bytes */
    TAKES = 2,  /* may need room on the disk */
    OTHER = 4,
    ANY = WRITES | TAKES | OTHER,
};

static const struct way {
    const char *name;
    int at;                           /* kinds of change that count */
    int error;                        /* 0: the process is killed */
    enum { NOTHING, HALF, ALL } done; /* of it, before that */
    bool stays;                       /* everything of these kinds fails from there on */
    bool goes_on;                     /* half of the bytes are written, which is not a failure */
    enum { KEEP, SYNCED, NAMES } power;
} ways[] = {
    { .name = "kill", .at = ANY },
    { .name = "kill-after", .at = ANY, .done = ALL },
    { .name = "kill-half", .at = WRITES, .done = HALF },
    { .name = "power", .at = ANY, .power = SYNCED },
    { .name = "power-names", .at = ANY, .power = NAMES },
    { .name = "EIO", .at = ANY, .error = EIO },
    { .name = "EIO-half", .at = WRITES, .error = EIO, .done = HALF },
    { .name = "EIO-stays", .at = ANY, .error = EIO, .stays = true },
    { .name = "ENOSPC", .at = TAKES, .error = ENOSPC },
    { .name = "ENOSPC-half", .at = WRITES, .error = ENOSPC, .done = HALF },
    { .name = "ENOSPC-stays", .at = TAKES, .error = ENOSPC, .stays = true },
    { .name = "EDQUOT", .at = TAKES, .error = EDQUOT },
    { .name = "EDQUOT-stays", .at = TAKES, .error = EDQUOT, .stays = true },
    { .name = "short", .at = WRITES, .error = EINTR, .done = HALF, .goes_on = true },
};

static const char *folder, *disk;
static const struct way *way;
static long at, seen;
static bool traced;
static char *open_paths[MOST_FILES]; /* by descriptor: those below the folder */

/* Saying */

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
    char line[PATH_MAX + 64];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    syscall(SYS_write, 2, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static void stop(const char *why)
{
    say("fault.c: %s\n", why);
    _exit(125);
}

/* The disk that is played */

static struct {
    ino_t inode;
    unsigned times; /* that the number was given to a new file */
} reused[MOST_REUSED];

static unsigned generation(ino_t inode, unsigned more)
{
    for (size_t i = 0; i < MOST_REUSED; i++)
        if (!reused[i].inode || reused[i].inode == inode) {
            reused[i].inode = more ? inode : reused[i].inode;
            return reused[i].times += more;
        }
    stop("too many files");
    return 0;
}

static FILE *on_disk(char kind, const struct stat *st)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%c%ju.%u", disk, kind, (uintmax_t)st->st_ino,
             generation(st->st_ino, 0));
    FILE *f = fopen(path, "w");
    if (!f)
        stop("FAULT_DISK cannot be written");
    return f;
}

static void save_file(int dir, const char *name, const struct stat *st)
{
    char bytes[65536];
    long fd = syscall(SYS_openat, dir, name, O_RDONLY | O_CLOEXEC, 0), n;
    FILE *f = on_disk('f', st);
    while ((n = syscall(SYS_read, fd, bytes, sizeof bytes)) > 0)
        fwrite(bytes, 1, (size_t)n, f);
    fclose(f);
    syscall(SYS_close, fd);
}

/* A folder's names; with `below` also those of the folders in it; with `bytes` also the files. */
static void save_folder(const char *path, bool below, bool bytes)
{
    struct stat st;
    DIR *d = opendir(path);
    if (!d || fstat(dirfd(d), &st) != 0)
        stop("a folder cannot be read");
    FILE *f = on_disk('d', &st);
    for (struct dirent *e; (e = readdir(d));) {
        char inside[PATH_MAX];
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        bool is_folder = S_ISDIR(st.st_mode);
        fprintf(f, "%c%ju.%u %s\n", is_folder ? 'd' : 'f', (uintmax_t)st.st_ino,
                generation(st.st_ino, 0), e->d_name);
        if (is_folder && below && snprintf(inside, sizeof inside, "%s/%s", path, e->d_name) > 0)
            save_folder(inside, below, bytes);
        if (!is_folder && bytes)
            save_file(dirfd(d), e->d_name, &st);
    }
    fclose(f);
    closedir(d);
}

static void note_new(const char *path)
{
    struct stat st;
    if (disk && lstat(path, &st) == 0)
        generation(st.st_ino, 1);
}

static void note_synced(const char *path)
{
    struct stat st;
    if (!disk || lstat(path, &st) != 0)
        return;
    if (S_ISDIR(st.st_mode))
        save_folder(path, false, false);
    else
        save_file(AT_FDCWD, path, &st);
}

/* Striking */

/* A program may wipe its environment once it has begun. */
static const char *copy_of(const char *variable)
{
    const char *value = getenv(variable);
    return value ? strdup(value) : NULL;
}

__attribute__((constructor)) static void set_up(void)
{
    const char *number = getenv("FAULT_AT"), *how = getenv("FAULT_HOW");
    folder = copy_of("FAULT_FOLDER");
    traced = getenv("FAULT_TRACE");
    at = number ? strtol(number, NULL, 10) : 0;
    for (size_t i = 0; how && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, how) == 0)
            way = &ways[i];
    if (how && !way)
        stop("FAULT_HOW is none of the ways");
    if (folder && way && way->power) {
        disk = copy_of("FAULT_DISK");
        save_folder(folder, true, true);
    }
}

static bool is_below(const char *path)
{
    size_t n = folder ? strlen(folder) : 0;
    return n && strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

static const char *path_of(int fd)
{
    return fd >= 0 && fd < MOST_FILES ? open_paths[fd] : NULL;
}

/* How much of a change is done, and then? */
struct verdict {
    int error; /* 0: it happens */
    bool kill, half, whole, goes_on;
};

static struct verdict judge(const char *name, const char *path, int kind)
{
    struct verdict v = { 0 };
    if (!path || !is_below(path))
        return v;
    if (traced)
        say("change %s %s\n", name, path);
    if (!way || !at || !(way->at & kind))
        return v;
    seen++;
    if (seen < at || (seen > at && !way->stays))
        return v;
    if (seen == at)
        say("fault %ld %s %s\n", seen, name, path);
    if (way->power == NAMES)
        save_folder(folder, true, false);
    v = (struct verdict){ .error = way->error ? way->error : DIE_WITH,
                          .kill = !way->error,
                          .half = way->done == HALF,
                          .whole = way->done == ALL,
                          .goes_on = way->goes_on };
    return v;
}

static long suffer(struct verdict v, long done)
{
    if (v.kill) {
        kill(getpid(), SIGKILL);
        for (;;)
            pause();
    }
    if (v.goes_on)
        return done;
    errno = v.error;
    return -1;
}

/* A change that is done as a whole or not at all. */
#define CHANGE(name, path, kind, call)          \
    struct verdict v = judge(name, path, kind); \
    if (v.error && !v.whole)                    \
        return (int)suffer(v, 0);               \
    int done = (int)(call);                     \
    if (v.error)                                \
    return (int)suffer(v, done)

/* Opening */

static void remember(int fd, const char *path)
{
    if (fd < 0 || fd >= MOST_FILES || !is_below(path))
        return;
    free(open_paths[fd]);
    open_paths[fd] = strdup(path);
}

static int open_file(int dir, const char *path, int flags, mode_t mode)
{
    struct stat st;
    bool changes = flags & (O_CREAT | O_TRUNC);
    bool is_new = changes && lstat(path, &st) != 0;
    CHANGE("open", changes ? path : NULL, TAKES,
           syscall(SYS_openat, dir, path, flags | O_LARGEFILE, mode));
    if (done >= 0 && is_new && is_below(path))
        note_new(path);
    remember(done, path);
    return done;
}

static mode_t mode_of(int flags, va_list ap)
{
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(ap, int) : 0;
}

#define OPEN(name)                                     \
    EXPORT int name(const char *path, int flags, ...); \
    int name(const char *path, int flags, ...)         \
    {                                                  \
        va_list ap;                                    \
        va_start(ap, flags);                           \
        mode_t mode = mode_of(flags, ap);              \
        va_end(ap);                                    \
        return open_file(AT_FDCWD, path, flags, mode); \
    }
#define OPENAT(name)                                            \
    EXPORT int name(int dir, const char *path, int flags, ...); \
    int name(int dir, const char *path, int flags, ...)         \
    {                                                           \
        va_list ap;                                             \
        va_start(ap, flags);                                    \
        mode_t mode = mode_of(flags, ap);                       \
        va_end(ap);                                             \
        return open_file(dir, path, flags, mode);               \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* What fortified programs call where nothing is made. */
EXPORT int __open_2(const char *path, int flags);
EXPORT int __open64_2(const char *path, int flags);
EXPORT int __openat_2(int dir, const char *path, int flags);
EXPORT int __openat64_2(int dir, const char *path, int flags);

int __open_2(const char *path, int flags)
{
    return open_file(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
    return open_file(AT_FDCWD, path, flags, 0);
}

int __openat_2(int dir, const char *path, int flags)
{
    return open_file(dir, path, flags, 0);
}

int __openat64_2(int dir, const char *path, int flags)
{
    return open_file(dir, path, flags, 0);
}

static int open_unique(char *path, int flags)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char random[6];
    char *end = path + strlen(path) - sizeof random;
    for (int tries = 0; tries < 100; tries++) {
        if (getrandom(random, sizeof random, 0) != sizeof random)
            return -1;
        for (size_t i = 0; i < sizeof random; i++)
            end[i] = letters[random[i] % (sizeof letters - 1)];
        int fd = open_file(AT_FDCWD, path, flags | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

EXPORT int mkstemp(char *path)
{
    return open_unique(path, 0);
}

EXPORT int mkostemp(char *path, int flags)
{
    return open_unique(path, flags);
}

EXPORT int mkstemp64(char *path)
{
    return open_unique(path, 0);
}

EXPORT int mkostemp64(char *path, int flags)
{
    return open_unique(path, flags);
}

EXPORT int close(int fd)
{
    if (path_of(fd)) {
        free(open_paths[fd]);
        open_paths[fd] = NULL;
    }
    return (int)syscall(SYS_close, fd);
}

/* Bytes */

#define WRITE(name, fd, n, call)                                 \
    struct verdict v = judge(name, path_of(fd), WRITES | TAKES); \
    size_t count = v.half && (n) > 1 ? (n) / 2 : (n);            \
    if (v.error && !v.half && !v.whole)                          \
        return suffer(v, 0);                                     \
    long done = call;                                            \
    return v.error ? suffer(v, done) : done

EXPORT ssize_t write(int fd, const void *bytes, size_t n)
{
    WRITE("write", fd, n, syscall(SYS_write, fd, bytes, count));
}

EXPORT ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    WRITE("pwrite", fd, n, syscall(SYS_pwrite64, fd, bytes, count, offset));
}

EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t offset)
{
    WRITE("pwrite", fd, n, syscall(SYS_pwrite64, fd, bytes, count, offset));
}

/* Half of a vector is its first half of pieces. */
EXPORT ssize_t writev(int fd, const struct iovec *pieces, int n)
{
    WRITE("writev", fd, (size_t)n, syscall(SYS_writev, fd, pieces, count));
}

EXPORT ssize_t pwritev(int fd, const struct iovec *pieces, int n, off_t offset)
{
    WRITE("pwritev", fd, (size_t)n, syscall(SYS_pwritev, fd, pieces, count, offset, 0));
}

/* Changes of a file */

#define ON_FILE(name, kind, call)          \
    CHANGE(name, path_of(fd), kind, call); \
    return done

EXPORT int ftruncate(int fd, off_t size)
{
    ON_FILE("ftruncate", TAKES, syscall(SYS_ftruncate, fd, size));
}

EXPORT int ftruncate64(int fd, off64_t size)
{
    ON_FILE("ftruncate", TAKES, syscall(SYS_ftruncate, fd, size));
}

EXPORT int fallocate(int fd, int mode, off_t offset, off_t size)
{
    ON_FILE("fallocate", TAKES, syscall(SYS_fallocate, fd, mode, offset, size));
}

EXPORT int fallocate64(int fd, int mode, off64_t offset, off64_t size)
{
    ON_FILE("fallocate", TAKES, syscall(SYS_fallocate, fd, mode, offset, size));
}

EXPORT int sync_file_range(int fd, off64_t offset, off64_t size, unsigned flags)
{
    ON_FILE("sync_file_range", OTHER, syscall(SYS_sync_file_range, fd, offset, size, flags));
}

EXPORT int fchmod(int fd, mode_t mode)
{
    ON_FILE("fchmod", OTHER, syscall(SYS_fchmod, fd, mode));
}

static int sync_file(const char *name, int fd, long number)
{
    CHANGE(name, path_of(fd), TAKES, syscall(number, fd));
    if (done == 0 && path_of(fd))
        note_synced(path_of(fd));
    return done;
}

EXPORT int fsync(int fd)
{
    return sync_file("fsync", fd, SYS_fsync);
}

EXPORT int fdatasync(int fd)
{
    return sync_file("fdatasync", fd, SYS_fdatasync);
}

/* Changes of names */

EXPORT int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    CHANGE("rename", to, TAKES, syscall(SYS_renameat2, from_dir, from, to_dir, to, flags));
    return done;
}

EXPORT int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    return renameat2(from_dir, from, to_dir, to, 0);
}

EXPORT int rename(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORT int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    CHANGE("link", to, TAKES, syscall(SYS_linkat, from_dir, from, to_dir, to, flags));
    return done;
}

EXPORT int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORT int unlinkat(int dir, const char *path, int flags)
{
    CHANGE("unlink", path, OTHER, syscall(SYS_unlinkat, dir, path, flags));
    return done;
}

EXPORT int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

EXPORT int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

EXPORT int mkdirat(int dir, const char *path, mode_t mode)
{
    CHANGE("mkdir", path, TAKES, syscall(SYS_mkdirat, dir, path, mode));
    if (done == 0 && is_below(path))
        note_new(path);
    return done;
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

EXPORT int chmod(const char *path, mode_t mode)
{
    CHANGE("chmod", path, OTHER, syscall(SYS_fchmodat, AT_FDCWD, path, mode));
    return done;
}
