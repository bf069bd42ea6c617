/* Blobs in a folder: what is put is there for good, under its own name, once, for nobody else to read;
 * what cannot be put leaves nothing behind, and what was changed from outside is noticed. */
#include "store/blobs.h"

#include "base/base64.h"
#include "base/sha256.h"

#include "../testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#define MIB ((size_t)1 << 20)
#define NOBODY 65534
#define MOST UINT64_MAX

struct world {
    struct rf_arena *arena;
    const char *folder, *place; /* the scratch folder, and that of the blobs in it */
    struct rf_blobs *blobs;
};

static struct world world;

static int make_world(void **state)
{
    (void)state;
    world.arena = rf_arena_new();
    world.folder = scratch_new(world.arena);
    world.place = in_folder(world.arena, world.folder, "data/blobs");
    world.blobs = rf_blobs_folder(world.place);
    return 0;
}

static int remove_world(void **state)
{
    (void)state;
    rf_blobs_free(world.blobs);
    scratch_remove(world.folder);
    rf_arena_free(world.arena);
    return 0;
}

/* Helpers */

/* Bytes that are not all the same. */
static struct rf_str some_bytes(size_t n)
{
    char *p = rf_arena_alloc(world.arena, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(i * 31 + i / 251);
    return (struct rf_str){ p, n };
}

static struct rf_hash hash_of(struct rf_str bytes)
{
    struct rf_bytes b = rf_bytes_memory(bytes);
    uint8_t digest[32];
    struct rf_hash hash;
    assert_int_equal(rf_bytes_sha256(&b, digest, NULL), RF_OK);
    rf_sha256_hex(digest, hash.hex);
    return hash;
}

static enum rf_code put(struct rf_blobs *b, struct rf_str bytes, struct rf_err *err)
{
    struct rf_bytes source = rf_bytes_memory(bytes);
    struct rf_hash hash;
    int64_t object = -1;
    enum rf_code rc = rf_blobs_put(b, &source, MOST, &hash, &object, err);
    if (!rc) {
        assert_string_equal(hash.hex, hash_of(bytes).hex);
        assert_int_equal(object, 0);
    }
    return rc;
}

static enum rf_code get(struct rf_blobs *b, struct rf_str bytes, struct rf_err *err)
{
    struct rf_hash hash = hash_of(bytes);
    struct rf_bytes out;
    uint8_t digest[32];
    char hex[65];
    enum rf_code rc = rf_blobs_get(b, &hash, 0, world.arena, &out, err);
    if (rc)
        return rc;
    assert_int_equal(out.size, bytes.n);
    assert_int_equal(rf_bytes_sha256(&out, digest, NULL), RF_OK);
    rf_sha256_hex(digest, hex);
    assert_string_equal(hex, hash.hex);
    return RF_OK;
}

static const char *path_of(struct rf_str bytes)
{
    struct rf_hash hash = hash_of(bytes);
    return rf_strf(world.arena, "%s/%.2s/%s", world.place, hash.hex, hash.hex + 2).p;
}

static struct stat look_at(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st;
}

static size_t count_files(const char *folder)
{
    size_t n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static size_t count_temporary(void)
{
    return count_files(in_folder(world.arena, world.place, "tmp"));
}

/* The exit status of `run` in a process of its own; cmocka's asserts cannot be used in it. */
static int in_child(int (*run)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Names */

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct name {
    const char *name, *text;
    bool good;
} names[] = {
    { "a hash", "sha256:" HEX, true },
    { "without its prefix", HEX, false },
    { "another prefix", "sha512:" HEX, false },
    { "a digit too few", "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde",
      false },
    { "a digit too many", "sha256:" HEX "0", false },
    { "capitals", "sha256:ABCDEF6789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
      false },
    { "a way out", "sha256:../../../../../../../../../../../../../../../../../../../etc/pass",
      false },
    { "nothing", "", false },
};

static void check_name(void **state)
{
    const struct name *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_hash hash;
    assert_int_equal(rf_hash_read(rf_str(row->text), &hash), row->good);
    if (row->good)
        assert_str(rf_hash_write(&hash, a), row->text);
    rf_arena_free(a);
}

/* Putting and getting */

static const struct size {
    const char *name;
    size_t bytes;
} sizes[] = {
    { "an empty blob", 0 },         { "one byte", 1 },
    { "one chunk", MIB },           { "a chunk and a byte", MIB + 1 },
    { "some chunks", 3 * MIB - 7 },
};

static void put_size(void **state)
{
    const struct size *row = *state;
    struct rf_err err;
    make_world(NULL);
    struct rf_str bytes = some_bytes(row->bytes);
    assert_int_equal(get(world.blobs, bytes, &err), RF_ENOTFOUND);
    assert_int_equal(put(world.blobs, bytes, &err), RF_OK);
    assert_int_equal(get(world.blobs, bytes, &err), RF_OK);
    struct stat st = look_at(path_of(bytes));
    assert_int_equal(st.st_size, row->bytes);
    assert_int_equal(count_temporary(), 0);

    struct rf_blobs *other = rf_blobs_folder(world.place); /* as another process has it */
    assert_int_equal(get(other, bytes, &err), RF_OK);
    assert_int_equal(put(other, bytes, &err), RF_OK);
    rf_blobs_free(other);
    assert_int_equal(look_at(path_of(bytes)).st_ino, st.st_ino); /* it was not written again */
    remove_world(NULL);
}

static void put_sources(void **state)
{
    struct rf_str bytes = some_bytes(2 * MIB);
    const char *path = in_folder(world.arena, world.folder, "file");
    size_t n = rf_base64_length(bytes.n);
    char *text = rf_arena_alloc(world.arena, n + 1);
    struct rf_bytes sources[2];
    struct rf_hash hash;
    int64_t object;
    (void)state;
    rf_base64_encode(bytes.p, bytes.n, text);
    write_file(path, bytes);
    assert_int_equal(rf_bytes_file("", path, &sources[0], NULL), RF_OK);
    assert_int_equal(rf_bytes_base64((struct rf_str){ text, n }, &sources[1], NULL), RF_OK);
    for (size_t i = 0; i < COUNT(sources); i++) {
        assert_int_equal(rf_blobs_put(world.blobs, &sources[i], MOST, &hash, &object, NULL), RF_OK);
        assert_string_equal(hash.hex, hash_of(bytes).hex);
        assert_int_equal(get(world.blobs, bytes, NULL), RF_OK);
        assert_int_equal(rf_blobs_remove(world.blobs, &hash, object, NULL), RF_OK);
        assert_int_equal(get(world.blobs, bytes, NULL), RF_ENOTFOUND);
    }
}

static void file_that_changed(void **state)
{
    const char *path = in_folder(world.arena, world.folder, "file");
    struct rf_bytes source;
    struct rf_hash hash;
    struct rf_err err;
    int64_t object;
    (void)state;
    write_file(path, RF_STR("first"));
    assert_int_equal(rf_bytes_file("", path, &source, NULL), RF_OK);
    write_file(path, RF_STR("second one"));
    assert_int_equal(rf_blobs_put(world.blobs, &source, MOST, &hash, &object, &err), RF_EIO);
    assert_int_equal(count_temporary(), 0);
}

static void over_the_limit(void **state)
{
    struct rf_bytes source = rf_bytes_memory(RF_STR("12345"));
    struct rf_hash hash;
    struct rf_err err;
    int64_t object;
    (void)state;
    assert_int_equal(rf_blobs_put(world.blobs, &source, 4, &hash, &object, &err), RF_ELIMIT);
    assert_string_equal(err.msg, "5 bytes are more than the limit of 4 for one file");
    assert_int_equal(rf_blobs_put(world.blobs, &source, 5, &hash, &object, &err), RF_OK);
}

static void private_whatever_the_umask(void **state)
{
    static const mode_t masks[] = { 0, 0777 };
    (void)state;
    for (size_t i = 0; i < COUNT(masks); i++) {
        struct rf_str bytes = some_bytes(10 + i);
        mode_t old = umask(masks[i]);
        enum rf_code rc = put(world.blobs, bytes, NULL);
        umask(old);
        assert_int_equal(rc, RF_OK);
        const char *path = path_of(bytes);
        assert_int_equal(look_at(path).st_mode, S_IFREG | 0600);
        const char *folder = rf_strf(world.arena, "%.*s", (int)strlen(path) - 63, path).p;
        assert_int_equal(look_at(folder).st_mode, S_IFDIR | 0700);
        assert_int_equal(look_at(world.place).st_mode, S_IFDIR | 0700);
        assert_int_equal(look_at(in_folder(world.arena, world.place, "tmp")).st_mode,
                         S_IFDIR | 0700);
        assert_int_equal(look_at(in_folder(world.arena, world.folder, "data")).st_mode,
                         S_IFDIR | 0700);
    }
}

/* So many that what is known of them has to move. */
static void many(void **state)
{
    char text[32];
    (void)state;
    for (int i = 0; i < 150; i++) {
        int n = snprintf(text, sizeof text, "blob %d", i);
        assert_int_equal(put(world.blobs, (struct rf_str){ text, (size_t)n }, NULL), RF_OK);
    }
    for (int i = 0; i < 150; i++) {
        int n = snprintf(text, sizeof text, "blob %d", i);
        assert_int_equal(get(world.blobs, (struct rf_str){ text, (size_t)n }, NULL), RF_OK);
    }
}

static int put_shared(void)
{
    struct rf_blobs *b = rf_blobs_folder(world.place);
    struct rf_bytes source = rf_bytes_memory(some_bytes(MIB + 5));
    struct rf_hash hash;
    int64_t object;
    int failed = 0;
    for (int i = 0; i < 20 && !failed; i++)
        failed = rf_blobs_put(b, &source, MOST, &hash, &object, NULL) != RF_OK;
    rf_blobs_free(b);
    return failed;
}

static void eight_processes(void **state)
{
    pid_t children[8];
    int status;
    (void)state;
    fflush(NULL);
    for (size_t i = 0; i < COUNT(children); i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(put_shared());
    }
    for (size_t i = 0; i < COUNT(children); i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(get(world.blobs, some_bytes(MIB + 5), NULL), RF_OK);
    assert_int_equal(count_temporary(), 0);
    assert_int_equal(count_files(world.place), 2); /* tmp/ and the one of the blob */
}

/* Damage */

static const struct damage {
    const char *name, *bytes; /* that the file has afterwards; NULL: none is left */
    enum rf_code want;
} damages[] = {
    { "a byte is another", "whole bytez", RF_EFORMAT },
    { "it is shorter", "whole", RF_EFORMAT },
    { "it is empty", "", RF_EFORMAT },
    { "it is longer", "whole bytes!", RF_EFORMAT },
    { "it is gone", NULL, RF_ENOTFOUND },
};

static void check_damage(void **state)
{
    const struct damage *row = *state;
    const struct rf_str bytes = RF_STR("whole bytes");
    struct rf_err err;
    make_world(NULL);
    assert_int_equal(put(world.blobs, bytes, NULL), RF_OK);
    assert_int_equal(get(world.blobs, bytes, NULL), RF_OK);
    const char *path = path_of(bytes);
    assert_int_equal(unlink(path), 0);
    if (row->bytes)
        write_file(path, rf_str(row->bytes));
    for (int i = 0; i < 2; i++) { /* the second time from memory */
        assert_int_equal(get(world.blobs, bytes, &err), row->want);
        assert_non_null(strstr(err.msg, path));
        assert_non_null(strstr(err.hint, "copy"));
    }
    assert_int_equal(put(world.blobs, bytes, NULL), RF_OK); /* repairs it */
    assert_int_equal(get(world.blobs, bytes, NULL), RF_OK);
    remove_world(NULL);
}

static void place_taken_by_a_folder(void **state)
{
    const struct rf_str bytes = RF_STR("whole bytes");
    struct rf_err err;
    (void)state;
    assert_int_equal(put(world.blobs, bytes, NULL), RF_OK);
    assert_int_equal(unlink(path_of(bytes)), 0);
    make_folder(path_of(bytes));
    assert_int_equal(put(world.blobs, bytes, &err), RF_EIO);
    assert_int_equal(get(world.blobs, bytes, &err), RF_EFORMAT);
    assert_int_equal(count_temporary(), 0);
}

static void name_too_long(void **state)
{
    char *name = rf_arena_alloc(world.arena, 2 * PATH_MAX);
    struct rf_err err;
    (void)state;
    memset(name, 'x', 2 * PATH_MAX - 1);
    memcpy(name, "/tmp/", 5);
    struct rf_blobs *b = rf_blobs_folder(name);
    assert_int_equal(put(b, RF_STR("bytes"), &err), RF_EIO);
    assert_int_equal(get(b, RF_STR("bytes"), &err), RF_EIO);
    rf_blobs_free(b);
}

/* Streams */

struct feed {
    struct rf_str left;
    size_t step;
};

static enum rf_code feed_some(void *ctx, void *buf, size_t n, size_t *got, struct rf_err *err)
{
    struct feed *f = ctx;
    (void)err;
    *got = f->left.n < n ? f->left.n : n;
    *got = *got < f->step ? *got : f->step;
    if (*got)
        memcpy(buf, f->left.p, *got);
    f->left.p += *got;
    f->left.n -= *got;
    return RF_OK;
}

static const struct stream {
    const char *name, *claimed, *bytes;
    bool there; /* already */
    enum rf_code want;
} streams[] = {
    { "the right bytes", "right bytes", "right bytes", false, RF_OK },
    { "right and there already", "right bytes", "right bytes", true, RF_OK },
    { "other bytes", "right bytes", "wrong bytes", false, RF_EFORMAT },
    { "others, and the right ones are there", "right bytes", "wrong bytes", true, RF_EFORMAT },
    { "too few", "right bytes", "right", false, RF_EIO },
    { "none", "", "", false, RF_OK },
};

static void check_stream(void **state)
{
    const struct stream *row = *state;
    struct feed f = { rf_str(row->bytes), 3 };
    const struct rf_blob_stream stream = { .ctx = &f, .read = feed_some };
    struct rf_hash hash = hash_of(rf_str(row->claimed));
    int64_t object;
    struct rf_err err;
    make_world(NULL);
    if (row->there)
        assert_int_equal(put(world.blobs, rf_str(row->claimed), NULL), RF_OK);
    assert_int_equal(
        rf_blobs_take(world.blobs, &hash, strlen(row->claimed), &stream, &object, &err), row->want);
    assert_int_equal(f.left.n, 0);
    assert_int_equal(rf_blobs_has(world.blobs, &hash, 0), row->there || !row->want);
    assert_int_equal(count_temporary(), 0);
    remove_world(NULL);
}

/* Disks that do not want to */

static int put_over_file_limit(void)
{
    const struct rlimit limit = { MIB / 2, MIB / 2 };
    struct rf_err err;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    if (put(world.blobs, some_bytes(MIB), &err) != RF_EIO || !strstr(err.msg, "could not write"))
        return 2;
    return strstr(err.hint, "limit on this process") ? 0 : 3;
}

static void file_limit(void **state)
{
    (void)state;
    assert_int_equal(in_child(put_over_file_limit), 0);
    assert_int_equal(count_temporary(), 0);
    assert_int_equal(get(world.blobs, some_bytes(MIB), NULL), RF_ENOTFOUND);
}

#define SKIPPED 77

static int put_on_full_disk(void)
{
    struct rf_err err;
    if (mkdir(in_folder(world.arena, world.folder, "data"), 0700) != 0 ||
        mkdir(world.place, 0700) != 0)
        return 1;
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", world.place, "tmpfs", 0, "size=512k") != 0)
        return SKIPPED;
    if (put(world.blobs, some_bytes(10), &err) != RF_OK)
        return 2;
    if (put(world.blobs, some_bytes(MIB), &err) != RF_EIO || !strstr(err.hint, "Free some space"))
        return 3;
    if (count_temporary() != 0 || get(world.blobs, some_bytes(MIB), NULL) != RF_ENOTFOUND)
        return 4;
    if (get(world.blobs, some_bytes(10), NULL) != RF_OK) /* what was there is there */
        return 5;
    return put(world.blobs, some_bytes(100 * 1024), &err) == RF_OK ? 0 : 6;
}

static void full_disk(void **state)
{
    (void)state;
    int status = in_child(put_on_full_disk);
    if (status == SKIPPED) {
        print_message("skipped: no tmpfs can be mounted here\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static int put_read_only(void)
{
    struct rf_err err;
    if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
        return SKIPPED;
    struct rf_blobs *b = rf_blobs_folder(world.place);
    int failed = 0;
    if (get(b, RF_STR("old"), &err) != RF_OK || put(b, RF_STR("old"), &err) != RF_OK)
        failed = 1;
    else if (put(b, RF_STR("new"), &err) != RF_EIO || !strstr(err.hint, "writable"))
        failed = 2;
    rf_blobs_free(b);
    return failed;
}

static int hand_over(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return geteuid() == 0 ? chown(path, NOBODY, (gid_t)-1) : 0;
}

static void read_only_folder(void **state)
{
    const char *temporary = in_folder(world.arena, world.place, "tmp");
    (void)state;
    assert_int_equal(put(world.blobs, RF_STR("old"), NULL), RF_OK);
    assert_int_equal(nftw(world.folder, hand_over, 16, FTW_PHYS), 0);
    assert_int_equal(chmod(temporary, 0500), 0);
    int status = in_child(put_read_only);
    chmod(temporary, 0700);
    if (status == SKIPPED)
        skip();
    assert_int_equal(status, 0);
}

/* Scanning */

struct found {
    size_t blobs, leftovers;
    uint64_t bytes;
};

static enum rf_code note(void *ctx, const char *path, const struct rf_hash *hash, uint64_t size,
                         struct rf_err *err)
{
    struct found *f = ctx;
    (void)err;
    assert_int_equal(look_at(path).st_size, size);
    if (hash)
        assert_true(rf_blobs_has(world.blobs, hash, 0));
    *(hash ? &f->blobs : &f->leftovers) += 1;
    f->bytes += size;
    return size == 666 ? rf_fail(err, RF_EIO, "stop") : RF_OK;
}

static struct found scan(int64_t before_s)
{
    struct found f = { 0 };
    assert_int_equal(rf_blobs_scan(world.blobs, before_s, note, &f, NULL), RF_OK);
    return f;
}

static void age(const char *path, int64_t then)
{
    const struct timespec times[2] = { { .tv_sec = then }, { .tv_sec = then } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void scan_finds(void **state)
{
    const int64_t now = time(NULL);
    (void)state;
    assert_int_equal(scan(now + 10).blobs, 0); /* there is no folder yet */
    assert_int_equal(put(world.blobs, RF_STR("one"), NULL), RF_OK);
    assert_int_equal(put(world.blobs, RF_STR("three"), NULL), RF_OK);
    const char *torn = in_folder(world.arena, world.place, "tmp/new-abcdef");
    write_file(torn, RF_STR("to"));
    write_file(in_folder(world.arena, world.place, "tmp/mine"), RF_STR("a person's"));
    write_file(in_folder(world.arena, world.place, "README"), RF_STR("a person's"));
    write_file(rf_strf(world.arena, "%s.bak", path_of(RF_STR("one"))).p, RF_STR("a person's"));
    struct found f = scan(now + 10);
    assert_int_equal(f.blobs, 2);
    assert_int_equal(f.leftovers, 1);
    assert_int_equal(f.bytes, 10);
    f = scan(now - 10);
    assert_int_equal(f.blobs + f.leftovers, 0);

    age(torn, now - 1000);
    age(path_of(RF_STR("one")), now - 1000);
    assert_int_equal(get(world.blobs, RF_STR("one"), NULL), RF_OK);
    age(path_of(RF_STR("one")), now - 1000); /* reading it may have touched it, and is done now */
    f = scan(now - 500);
    assert_int_equal(f.leftovers, 1);
    assert_int_equal(f.bytes, 5);
    struct stat before = look_at(path_of(RF_STR("one")));
    assert_int_equal(put(world.blobs, RF_STR("one"), NULL), RF_OK); /* somebody wants it */
    assert_int_equal(scan(now - 500).blobs, 0);
    struct stat after = look_at(path_of(RF_STR("one")));
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec); /* and readers go on */
}

static void what_a_killed_process_left_goes_with_the_next_put(void **state)
{
    (void)state;
    const char *tmp = in_folder(world.arena, world.place, "tmp");
    make_folder(in_folder(world.arena, world.folder, "data"));
    make_folder(world.place);
    make_folder(tmp);
    write_file(in_folder(world.arena, tmp, "new-killed"), RF_STR("half"));
    write_file(in_folder(world.arena, tmp, "new-living"), RF_STR("half"));
    write_file(in_folder(world.arena, tmp, "mine"), RF_STR("a person's"));
    int lives = open(in_folder(world.arena, tmp, "new-living"), O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(lives, LOCK_EX), 0);
    assert_int_equal(put(world.blobs, RF_STR("one"), NULL), RF_OK);
    assert_int_not_equal(access(in_folder(world.arena, tmp, "new-killed"), F_OK), 0);
    assert_int_equal(access(in_folder(world.arena, tmp, "new-living"), F_OK), 0);
    assert_int_equal(access(in_folder(world.arena, tmp, "mine"), F_OK), 0);
    close(lives);
}

static void scan_stops_at_a_failure(void **state)
{
    struct found f = { 0 };
    struct rf_err err;
    (void)state;
    assert_int_equal(put(world.blobs, some_bytes(666), NULL), RF_OK);
    assert_int_equal(rf_blobs_scan(world.blobs, time(NULL) + 10, note, &f, &err), RF_EIO);
    assert_string_equal(err.msg, "stop");
}

static void remove_twice(void **state)
{
    struct rf_hash hash = hash_of(RF_STR("one"));
    (void)state;
    assert_int_equal(rf_blobs_remove(world.blobs, &hash, 0, NULL), RF_OK);
    assert_int_equal(put(world.blobs, RF_STR("one"), NULL), RF_OK);
    assert_true(rf_blobs_has(world.blobs, &hash, 0));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rf_blobs_remove(world.blobs, &hash, 0, NULL), RF_OK);
        assert_false(rf_blobs_has(world.blobs, &hash, 0));
    }
    assert_int_equal(put(world.blobs, RF_STR("one"), NULL), RF_OK);
    assert_int_equal(get(world.blobs, RF_STR("one"), NULL), RF_OK);
}

#define SINGLE(test) cmocka_unit_test_setup_teardown(test, make_world, remove_world)

int main(void)
{
    struct CMUnitTest rows[COUNT(names) + COUNT(sizes) + COUNT(damages) + COUNT(streams)];
    const struct CMUnitTest single[] = {
        SINGLE(put_sources),
        SINGLE(file_that_changed),
        SINGLE(over_the_limit),
        SINGLE(private_whatever_the_umask),
        SINGLE(many),
        SINGLE(eight_processes),
        SINGLE(place_taken_by_a_folder),
        SINGLE(name_too_long),
        SINGLE(file_limit),
        SINGLE(full_disk),
        SINGLE(read_only_folder),
        SINGLE(scan_finds),
        SINGLE(what_a_killed_process_left_goes_with_the_next_put),
        SINGLE(scan_stops_at_a_failure),
        SINGLE(remove_twice),
    };
    struct CMUnitTest *at = rows;
    name_rows(at, check_name, names, COUNT(names), sizeof *names);
    name_rows(at += COUNT(names), put_size, sizes, COUNT(sizes), sizeof *sizes);
    name_rows(at += COUNT(sizes), check_damage, damages, COUNT(damages), sizeof *damages);
    name_rows(at + COUNT(damages), check_stream, streams, COUNT(streams), sizeof *streams);
    int failed = cmocka_run_group_tests(rows, NULL, NULL);
    return failed + cmocka_run_group_tests(single, NULL, NULL);
}
