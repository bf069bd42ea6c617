/* Ranges of bytes: memory, base64 and files read alike, and a path that has a root never leaves it.
 *
 * The scratch folder of the path rows:
 *
 *     root/inside        root/sub/deep      root/empty
 *     root/out -> ../outside/secret         root/up -> ../outside
 *     root/in -> sub/deep                   root/abs -> FOLDER/root/inside
 *     root/loop -> loop                     root/gone -> nowhere
 *     root/pipe (FIFO)   rootless/secret    outside/secret   root-link -> root */
#include "base/bytes.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/sha256.h"

#include "../testing.h"

#include <pthread.h>

struct world {
    struct rf_arena *arena;
    const char *folder;
};

static struct world world;

static const char *at(const char *name)
{
    return in_folder(world.arena, world.folder, name);
}

static int make_world(void **state)
{
    static const char *const folders[] = { "root", "root/sub", "outside", "rootless" };
    static const struct {
        const char *name, *text;
    } files[] = {
        { "root/inside", "inside" },    { "root/sub/deep", "deep" },     { "root/empty", "" },
        { "outside/secret", "secret" }, { "rootless/secret", "secret" }, { "root/..odd", "odd" }
    };
    static const struct {
        const char *name, *target;
    } links[] = { { "root/out", "../outside/secret" },
                  { "root/up", "../outside" },
                  { "root/in", "sub/deep" },
                  { "root/loop", "loop" },
                  { "root/gone", "nowhere" },
                  { "root-link", "root" },
                  { "root/gone-out", "../nowhere" },
                  { "root/loop-out", "../spin" },
                  { "spin", "spin" },
                  { "root/chain", "sub/../in" } };
    (void)state;
    world.arena = rf_arena_new();
    world.folder = scratch_new(world.arena);
    for (size_t i = 0; i < COUNT(folders); i++)
        make_folder(at(folders[i]));
    for (size_t i = 0; i < COUNT(files); i++)
        write_file(at(files[i].name), rf_str(files[i].text));
    for (size_t i = 0; i < COUNT(links); i++)
        assert_int_equal(symlink(links[i].target, at(links[i].name)), 0);
    assert_int_equal(symlink(at("root/inside"), at("root/abs")), 0);
    return mkfifo(at("root/pipe"), 0600);
}

static int remove_world(void **state)
{
    (void)state;
    scratch_remove(world.folder);
    rf_arena_free(world.arena);
    return 0;
}

#define OUTSIDE "\"%s\" is outside of the root"
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define LONG HUNDRED HUNDRED HUNDRED
#define TEN_DOTS "././././././././././"
#define DOTS \
    TEN_DOTS TEN_DOTS TEN_DOTS TEN_DOTS TEN_DOTS TEN_DOTS TEN_DOTS TEN_DOTS TEN_DOTS TEN_DOTS
#define GONE "could not open \"%s\": No such file or directory"

static const struct path {
    const char *name;
    const char *root; /* below the scratch folder; "" for none, "/" for the whole disk */
    const char *path; /* below the scratch folder, or from "/" */
    const char *want; /* the content; or "!", the code's name, a space and the message */
} paths[] = {
    { "a file without a root", "", "root/inside", "inside" },
    { "a link out without a root", "", "root/out", "secret" },
    { "a file in the root", "root", "root/inside", "inside" },
    { "a file further down", "root", "root/sub/deep", "deep" },
    { "an empty file", "root", "root/empty", "" },
    { "a name that begins with dots", "root", "root/..odd", "odd" },
    { "a way through .. that stays", "root", "root/sub/../inside", "inside" },
    { "a way out and in again", "root", "root/../root/inside", "inside" },
    { "slashes twice", "root", "root//sub//deep", "deep" },
    { "a link inside", "root", "root/in", "deep" },
    { "an absolute link inside", "root", "root/abs", "inside" },
    { "a root that is a link", "root-link", "root/inside", "inside" },
    { "a path through a link to the root", "root", "root-link/inside", "inside" },
    { "a root with a slash after it", "root/", "root/inside", "inside" },
    { "a root that is the whole disk", "/", "root/inside", "inside" },
    { "up from a file", "root", "root/inside/../inside",
      "!not_found could not open \"%s\": Not a directory" },
    { "the folder above", "root", "root/../outside/secret", "!permission " OUTSIDE },
    { "an absolute path elsewhere", "root", "/etc/passwd", "!permission " OUTSIDE },
    { "a folder whose name begins like the root's", "root", "rootless/secret",
      "!permission " OUTSIDE },
    { "a link out", "root", "root/out", "!permission " OUTSIDE },
    { "a folder that is a link out", "root", "root/up/secret", "!permission " OUTSIDE },
    { "through a link out and back", "root", "root/up/../root/inside", "!permission " OUTSIDE },
    { "nothing elsewhere", "root", "/nothing/at/all", "!permission " OUTSIDE },
    { "nothing in the folder above", "root", "root/../nothing", "!permission " OUTSIDE },
    { "nothing after a folder that leads out", "root", "root/up/nothing", "!permission " OUTSIDE },
    { "a link to nothing outside", "root", "root/gone-out", "!permission " OUTSIDE },
    { "a link to a loop outside", "root", "root/loop-out", "!permission " OUTSIDE },
    { "a file elsewhere as a folder", "root", "root/../outside/secret/more",
      "!permission " OUTSIDE },
    { "a folder elsewhere that is there on the way", "root", "root/../outside/../root/inside",
      "!permission " OUTSIDE },
    { "and one that is not", "root", "root/../nothing/../root/inside", "!permission " OUTSIDE },
    { "a name elsewhere that is too long", "root", "root/../" LONG, "!permission " OUTSIDE },
    { "a folder elsewhere", "root", "rootless", "!permission " OUTSIDE },
    { "a link in, to nothing", "root", "root-link/nothing", "!not_found " GONE },
    { "a file with a slash after it", "root", "root/inside/",
      "!not_found could not open \"%s\": Not a directory" },
    { "a link to one with a slash after it", "root", "root/in/",
      "!not_found could not open \"%s\": Not a directory" },
    { "a folder and a dot", "root", "root/./sub/./deep", "deep" },
    { "nothing and back", "root", "root/nothing/../inside", "!not_found " GONE },
    { "a path of many", "root", "root/" DOTS DOTS "inside", "inside" },
    { "a link through others", "root", "root/chain", "deep" },
    { "a root further down than the file", "root/sub", "root/inside", "!permission " OUTSIDE },
    { "a root that is a file", "root/inside", "root/sub/deep", "!permission " OUTSIDE },
    { "a root that is not there", "nothing", "root/inside",
      "!not_found could not resolve the root \"%r\": No such file or directory" },
    { "a file that is not there", "root", "root/nothing", "!not_found " GONE },
    { "a file that is not there, without a root", "", "root/nothing", "!not_found " GONE },
    { "a link to nothing", "root", "root/gone", "!not_found " GONE },
    { "a file as a folder", "root", "root/inside/more",
      "!not_found could not open \"%s\": Not a directory" },
    { "a link to itself", "root", "root/loop",
      "!unreadable could not open \"%s\": Too many levels of symbolic links" },
    { "a folder", "root", "root/sub", "!malformed \"%s\" is a folder" },
    { "a folder without a root", "", "root/sub", "!malformed \"%s\" is a folder" },
    { "the root itself", "root", "root", "!malformed \"%s\" is a folder" },
    { "the whole disk", "/", "/", "!malformed \"%s\" is a folder" },
    { "a pipe does not block", "root", "root/pipe", "!malformed \"%s\" is not a regular file" },
    { "a pipe without a root does not block", "", "root/pipe",
      "!malformed \"%s\" is not a regular file" },
    { "a device", "", "/dev/zero", "!malformed \"%s\" is not a regular file" },
    { "a device in the root", "/", "/dev/null", "!malformed \"%s\" is not a regular file" },
};

/* The row's text with the path for %s and the root for %r. */
static const char *expected(const char *text, const char *path, const char *root)
{
    const char *mark = strchr(text, '%');
    if (!mark)
        return text;
    return rf_strf(world.arena, "%.*s%s%s", (int)(mark - text), text, mark[1] == 'r' ? root : path,
                   mark + 2)
        .p;
}

static struct rf_str content(const struct rf_bytes *b)
{
    char *text = rf_arena_alloc(world.arena, (size_t)b->size + 1);
    struct rf_reader r;
    struct rf_err err;
    size_t got = 0;
    if (rf_reader_open(&r, b, &err) || rf_reader_read(&r, 0, text, (size_t)b->size + 1, &got, &err))
        return rf_strf(world.arena, "!%s %s", rf_code_name(err.code), err.msg);
    rf_reader_close(&r);
    return (struct rf_str){ text, got };
}

static void is_found(void **state)
{
    const struct path *row = *state;
    const char *path = row->path[0] == '/' ? row->path : at(row->path);
    const char *root = *row->root && row->root[0] != '/' ? at(row->root) : row->root;
    struct rf_bytes b;
    struct rf_err err;
    struct rf_str got;
    if (rf_bytes_file(root, path, &b, &err))
        got = rf_strf(world.arena, "!%s %s", rf_code_name(err.code), err.msg);
    else
        got = content(&b);
    assert_str(got, expected(row->want, path, root));
}

static void a_path_outside_has_a_hint(void **state)
{
    (void)state;
    struct rf_bytes b;
    struct rf_err err;
    assert_int_equal(rf_bytes_file(at("root"), at("outside/secret"), &b, &err), RF_EPERMISSION);
    assert_str(rf_str(err.hint),
               rf_strf(world.arena, "Only files below \"%s\" may be read here.", at("root")).p);
}

/* Between looking at the file and reading it, its folder becomes a link to a twin outside. */
static void a_folder_that_is_swapped_for_a_link(void **state)
{
    (void)state;
    struct rf_bytes b;
    make_folder(at("root/swap"));
    make_folder(at("outside/swap"));
    write_file(at("root/swap/f"), RF_STR("inside"));
    assert_int_equal(link(at("root/swap/f"), at("outside/swap/f")), 0);
    assert_int_equal(rf_bytes_file(at("root"), at("root/swap/f"), &b, NULL), RF_OK);
    assert_str(content(&b), "inside");
    assert_int_equal(rename(at("root/swap"), at("root/was")), 0);
    assert_int_equal(symlink("../outside/swap", at("root/swap")), 0);
    assert_str(content(&b), expected("!permission " OUTSIDE, at("root/swap/f"), ""));
}

static void *swap_for_ever(void *stop)
{
    while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
        if (renameat2(AT_FDCWD, at("root/race"), AT_FDCWD, at("root/race-link"), RENAME_EXCHANGE))
            break;
    return NULL;
}

/* The same all the time, so that it hits between resolving the path and opening it. */
static void a_folder_that_is_swapped_all_the_time_never_leads_out(void **state)
{
    (void)state;
    pthread_t thread;
    bool stop = false;
    unsigned read = 0;
    make_folder(at("root/race"));
    make_folder(at("outside/race"));
    write_file(at("root/race/f"), RF_STR("inside"));
    write_file(at("outside/race/f"), RF_STR("secret"));
    assert_int_equal(symlink("../outside/race", at("root/race-link")), 0);
    const char *root = at("root"), *path = at("root/race/f");
    assert_int_equal(pthread_create(&thread, NULL, swap_for_ever, &stop), 0);
    for (int i = 0; i < 3000; i++) {
        struct rf_bytes b;
        struct rf_reader r;
        char text[16];
        size_t got;
        if (rf_bytes_file(root, path, &b, NULL) || rf_reader_open(&r, &b, NULL))
            continue;
        assert_int_equal(rf_reader_read(&r, 0, text, sizeof text, &got, NULL), RF_OK);
        assert_memory_equal(text, "inside", got);
        rf_reader_close(&r);
        read++;
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_true(read > 0);
}

/* Folders on the way may be entered but not listed, as other people's homes are. */
static int read_through_unlisted_folder(void)
{
    struct rf_bytes b;
    if (chmod(world.folder, 0311) || chmod(at("root"), 0311) || chmod(at("root/inside"), 0444))
        return 2;
    if (geteuid() == 0 && (chmod(world.folder, 0711) || chmod(at("root"), 0711) || seteuid(65534)))
        return 2;
    return rf_bytes_file(at("root"), at("root/inside"), &b, NULL) ? 1 : 0;
}

static void folders_on_the_way_need_not_be_listed(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(read_through_unlisted_folder());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(world.folder, 0700), 0);
    assert_int_equal(chmod(at("root"), 0700), 0);
    assert_int_equal(status, 0);
}

#define SIZE ((size_t)10007)

static char *some_bytes(void)
{
    char *p = rf_arena_alloc(world.arena, SIZE);
    uint32_t seed = 12345;
    for (size_t i = 0; i < SIZE; i++)
        p[i] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
    return p;
}

static void check_reads(const struct rf_bytes *b, const char *want)
{
    static const size_t sizes[] = { 0, 1, 2, 3, 4, 3071, 3072, 3073, 6145, SIZE };
    char buf[SIZE + 1];
    struct rf_reader r;
    size_t got;
    assert_true(b->size == SIZE);
    assert_int_equal(rf_reader_open(&r, b, NULL), RF_OK);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (size_t from = 0; from < SIZE + 3; from += from < 40 || from > SIZE - 40 ? 1 : 97) {
            size_t left = from < SIZE ? SIZE - from : 0;
            assert_int_equal(rf_reader_read(&r, from, buf, sizes[i], &got, NULL), RF_OK);
            assert_int_equal(got, sizes[i] < left ? sizes[i] : left);
            if (got)
                assert_memory_equal(buf, want + from, got);
        }
    }
    assert_int_equal(rf_reader_read(&r, UINT64_MAX, buf, sizeof buf, &got, NULL), RF_OK);
    assert_int_equal(got, 0);
    rf_reader_close(&r);
}

static void the_same_bytes_in_memory_in_base64_and_in_a_file(void **state)
{
    (void)state;
    char *bytes = some_bytes(), *text = rf_arena_alloc(world.arena, rf_base64_length(SIZE));
    struct rf_bytes memory = rf_bytes_memory((struct rf_str){ bytes, SIZE }), base64, file;
    struct rf_str encoded = { text, rf_base64_encode(bytes, SIZE, text) };
    uint8_t one[32], two[32], three[32];
    assert_int_equal(rf_bytes_base64(encoded, &base64, NULL), RF_OK);
    write_file(at("root/bytes"), (struct rf_str){ bytes, SIZE });
    assert_int_equal(rf_bytes_file(at("root"), at("root/bytes"), &file, NULL), RF_OK);
    check_reads(&memory, bytes);
    check_reads(&base64, bytes);
    check_reads(&file, bytes);
    assert_int_equal(rf_bytes_sha256(&memory, one, NULL), RF_OK);
    assert_int_equal(rf_bytes_sha256(&base64, two, NULL), RF_OK);
    assert_int_equal(rf_bytes_sha256(&file, three, NULL), RF_OK);
    assert_memory_equal(one, two, sizeof one);
    assert_memory_equal(one, three, sizeof one);
}

static void nothing_has_a_hash_too(void **state)
{
    (void)state;
    struct rf_bytes none = rf_bytes_memory((struct rf_str){ 0 });
    uint8_t digest[32];
    char hex[65];
    assert_int_equal(rf_bytes_sha256(&none, digest, NULL), RF_OK);
    rf_sha256_hex(digest, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void a_hash_of_a_file_that_changed_fails(void **state)
{
    (void)state;
    struct rf_bytes b;
    uint8_t digest[32];
    struct rf_err err;
    write_file(at("root/hashed"), RF_STR("abc"));
    assert_int_equal(rf_bytes_file("", at("root/hashed"), &b, NULL), RF_OK);
    write_file(at("root/hashed"), RF_STR("abcd"));
    assert_int_equal(rf_bytes_sha256(&b, digest, &err), RF_EIO);
}

/* A file of the system whose size is a lie: shorter than it says. */
static void a_file_that_is_shorter_than_it_says(void **state)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    struct rf_bytes b;
    struct rf_reader r;
    struct rf_err err;
    char buf[8192];
    size_t got;
    (void)state;
    if (rf_bytes_file("", path, &b, &err)) {
        print_message("skipped: %s\n", err.msg);
        skip();
    }
    assert_int_equal(rf_reader_open(&r, &b, NULL), RF_OK);
    assert_int_equal(rf_reader_read(&r, 0, buf, sizeof buf, &got, &err), RF_EIO);
    assert_str(rf_str(err.msg), expected("\"%s\" became shorter while it was read", path, ""));
    rf_reader_close(&r);
}

static const struct bad_base64 {
    const char *name, *text;
    const char *message;
} bad_base64[] = {
    { "a character too few", "QUI", "the base64 has a wrong length or padding" },
    { "three times padding", "Q===", "the base64 has a wrong length or padding" },
    { "a foreign character", "QUJD!UJD", "the base64 is not valid near character 0" },
    { "padding in the middle", "QQ==QUJD", "the base64 is not valid near character 0" },
    { "bits that are left over", "QR==", "the base64 is not valid near character 0" },
    { "a line feed", "QUJD\nUJD", "the base64 is not valid near character 0" },
};

static void is_bad_base64(void **state)
{
    const struct bad_base64 *row = *state;
    struct rf_bytes b;
    struct rf_reader r;
    struct rf_err err;
    char buf[64];
    size_t got;
    enum rf_code rc = rf_bytes_base64(rf_str(row->text), &b, &err);
    if (!rc)
        rc = rf_reader_open(&r, &b, &err);
    if (!rc)
        rc = rf_reader_read(&r, 0, buf, sizeof buf, &got, &err);
    assert_int_equal(rc, RF_EFORMAT);
    assert_string_equal(err.msg, row->message);
}

/* Padding at the very end of what is decoded at once looks right to the decoder alone. */
static void padding_at_the_edge_of_a_piece(void **state)
{
    (void)state;
    char text[3 * 4096];
    char buf[3 * 3072];
    struct rf_bytes b;
    struct rf_reader r;
    size_t got;
    memset(text, 'A', sizeof text);
    memset(text + 4094, '=', 2);
    assert_int_equal(rf_bytes_base64((struct rf_str){ text, sizeof text }, &b, NULL), RF_OK);
    assert_int_equal(rf_reader_open(&r, &b, NULL), RF_OK);
    assert_int_equal(rf_reader_read(&r, 0, buf, sizeof buf, &got, NULL), RF_EFORMAT);
    assert_int_equal(rf_reader_read(&r, 3071, buf, 1, &got, NULL), RF_EFORMAT);
}

static const struct whole_file {
    const char *name, *path;
    size_t max;
    const char *want; /* the content; or "!", the code's name, a space and the message */
} whole_files[] = {
    { "all of a file", "root/inside", 6, "inside" },
    { "an empty file into memory", "root/empty", 0, "" },
    { "a file over the limit", "root/inside", 5, "!limit \"%s\" has 6 bytes, limit is 5" },
    { "a missing file", "root/nothing", 5, "!not_found " GONE },
    { "a folder is not a file", "root/sub", 5, "!unreadable \"%s\" is a folder" },
};

static void is_read_whole(void **state)
{
    const struct whole_file *row = *state;
    struct rf_err err;
    struct rf_str got;
    if (rf_file_read(at(row->path), row->max, world.arena, &got, &err))
        got = rf_strf(world.arena, "!%s %s", rf_code_name(err.code), err.msg);
    else
        assert_int_equal(got.p[got.n], '\0');
    assert_str(got, expected(row->want, at(row->path), ""));
}

static void a_path_may_begin_outside_of_the_root(void **state)
{
    struct rf_bytes bytes;
    (void)state;
    const char *base = at("outside"), *root = at("root");
    assert_int_equal(rf_bytes_file(root, rf_path_from(base, RF_STR("../root/inside"), world.arena),
                                   &bytes, NULL),
                     RF_OK);
    assert_int_equal(
        rf_bytes_file(root, rf_path_from(base, RF_STR("../rootless/../root/inside"), world.arena),
                      &bytes, NULL),
        RF_EPERMISSION);
    char *before = realpath(".", NULL);
    assert_int_equal(chdir(base), 0);
    assert_int_equal(rf_bytes_file(root, "../root/inside", &bytes, NULL), RF_OK);
    assert_int_equal(rf_bytes_file(root, "./../rootless/../root/inside", &bytes, NULL),
                     RF_EPERMISSION);
    assert_int_equal(chdir(before), 0);
    free(before);
    assert_string_equal(rf_path_from("/", RF_STR("../../a"), world.arena), "/a");
}

static void a_path_of_too_many_steps_is_not_followed(void **state)
{
    struct rf_bytes bytes;
    (void)state;
    const char *path = at("root/" DOTS DOTS DOTS "inside");
    assert_int_equal(rf_bytes_file(at("root"), path, &bytes, NULL), RF_EIO);
    assert_int_equal(rf_bytes_file("", path, &bytes, NULL), RF_OK);
}

/* Standard input, which tells no size: `n` bytes come through a pipe. */
static enum rf_code read_standard_input(size_t n, size_t max, struct rf_str *out,
                                        struct rf_err *err)
{
    int ends[2], saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        char x[1000];
        memset(x, 'x', sizeof x);
        signal(SIGPIPE, SIG_DFL);
        for (size_t done = 0; done < n;) {
            ssize_t w = write(ends[1], x, n - done < sizeof x ? n - done : sizeof x);
            done += w > 0 ? (size_t)w : 0;
        }
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    enum rf_code rc = rf_input_read("-", max, world.arena, out, err);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return rc;
}

static void standard_input_is_read_to_its_end(void **state)
{
    static const size_t sizes[] = { 0, 1, 65536, 65537, 131074, 300001 };
    struct rf_str got;
    struct rf_err err;
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        assert_int_equal(read_standard_input(sizes[i], 300001, &got, &err), RF_OK);
        assert_int_equal(got.n, sizes[i]);
        for (size_t j = 0; j < got.n; j++)
            assert_int_equal(got.p[j], 'x');
        assert_int_equal(got.p[got.n], '\0');
    }
    assert_int_equal(read_standard_input(70000, 69999, &got, &err), RF_ELIMIT);
    assert_string_equal(err.msg, "\"standard input\" is over the limit of 69999 bytes");
}

#define ROWS (COUNT(paths) + COUNT(bad_base64) + COUNT(whole_files))

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_path_outside_has_a_hint),
        cmocka_unit_test(a_path_of_too_many_steps_is_not_followed),
        cmocka_unit_test(a_path_may_begin_outside_of_the_root),
        cmocka_unit_test(a_folder_that_is_swapped_for_a_link),
        cmocka_unit_test(a_folder_that_is_swapped_all_the_time_never_leads_out),
        cmocka_unit_test(folders_on_the_way_need_not_be_listed),
        cmocka_unit_test(the_same_bytes_in_memory_in_base64_and_in_a_file),
        cmocka_unit_test(nothing_has_a_hash_too),
        cmocka_unit_test(a_hash_of_a_file_that_changed_fails),
        cmocka_unit_test(a_file_that_is_shorter_than_it_says),
        cmocka_unit_test(padding_at_the_edge_of_a_piece),
        cmocka_unit_test(standard_input_is_read_to_its_end),
    };
    struct CMUnitTest tests[ROWS + COUNT(others)], *next = tests;
    name_rows(next, is_found, paths, COUNT(paths), sizeof *paths);
    name_rows(next += COUNT(paths), is_bad_base64, bad_base64, COUNT(bad_base64),
              sizeof *bad_base64);
    name_rows(next += COUNT(bad_base64), is_read_whole, whole_files, COUNT(whole_files),
              sizeof *whole_files);
    memcpy(next + COUNT(whole_files), others, sizeof others);
    return cmocka_run_group_tests(tests, make_world, remove_world);
}
