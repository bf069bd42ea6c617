/* Ropes: what is read is what a plain implementation makes of the same pieces, its length was known
 * before, and a file that is not the one that was planned is an error and never a mixture. */
#include "base/rope.h"

#include "../testing.h"

#define CHUNK ((size_t)RF_ROPE_CHUNK)

struct world {
    struct rf_arena *arena;
    const char *folder;
};

static int setup(void **state)
{
    static struct world w;
    w.arena = rf_arena_new();
    w.folder = scratch_new(w.arena);
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    scratch_remove(w->folder);
    rf_arena_free(w->arena);
    return 0;
}

/* What has to come out, by the plainest means. */
static struct rf_str plain_base64(struct rf_arena *a, struct rf_str s)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = rf_arena_alloc(a, s.n / 3 * 4 + 8), *q = out;
    for (size_t i = 0; i < s.n; i += 3) {
        unsigned char in[3] = { 0 };
        size_t have = s.n - i < 3 ? s.n - i : 3;
        memcpy(in, s.p + i, have);
        *q++ = digits[in[0] >> 2];
        *q++ = digits[(in[0] & 3) << 4 | in[1] >> 4];
        *q++ = have > 1 ? digits[(in[1] & 15) << 2 | in[2] >> 6] : '=';
        *q++ = have > 2 ? digits[in[2] & 63] : '=';
    }
    return (struct rf_str){ out, (size_t)(q - out) };
}

static struct rf_str plain_escape(struct rf_arena *a, struct rf_str s)
{
    static const char special[] = "\b\f\n\r\t\"\\", shown[] = "bfnrt\"\\";
    char *out = rf_arena_alloc(a, s.n * 6 + 1), *q = out;
    for (size_t i = 0; i < s.n; i++) {
        const char *at = s.p[i] ? strchr(special, s.p[i]) : NULL;
        if (at) {
            *q++ = '\\';
            *q++ = shown[at - special];
        } else if ((unsigned char)s.p[i] < 0x20) {
            snprintf(q, 7, "\\u%04x", (unsigned)s.p[i]);
            q += 6;
        } else {
            *q++ = s.p[i];
        }
    }
    return (struct rf_str){ out, (size_t)(q - out) };
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Valid UTF-8 of all lengths, and everything that needs an escape. */
static struct rf_str some_text(struct rf_arena *a, size_t least, uint64_t *seed)
{
    static const char *const characters[] = { "a",
                                              "z",
                                              "\"",
                                              "\\",
                                              "\n",
                                              "\x01",
                                              "\x1f",
                                              "\x7f",
                                              "\xc3\xa9",
                                              "\xe2\x82\xac",
                                              "\xf0\x9f\x98\x80" };
    char *p = rf_arena_alloc(a, least + 8);
    size_t n = 0;
    while (n < least) {
        const char *c = characters[next(seed) % COUNT(characters)];
        memcpy(p + n, c, strlen(c));
        n += strlen(c);
    }
    return (struct rf_str){ p, n };
}

enum piece {
    TEXT,
    BASE64_OF_MEMORY,
    BASE64_OF_BASE64,
    BASE64_OF_FILE,
    ESCAPED_MEMORY,
    ESCAPED_BASE64,
    ESCAPED_FILE,
};
#define PIECES 7

static const struct rf_bytes *bytes_for(struct world *w, enum piece kind, struct rf_str content)
{
    struct rf_bytes *b = RF_NEW(w->arena, struct rf_bytes);
    if (kind == BASE64_OF_FILE || kind == ESCAPED_FILE) {
        static unsigned number;
        const char *path = rf_strf(w->arena, "%s/piece%u", w->folder, number++).p;
        write_file(path, content);
        assert_int_equal(rf_bytes_file("", path, b, NULL), RF_OK);
    } else if (kind == BASE64_OF_BASE64 || kind == ESCAPED_BASE64) {
        assert_int_equal(rf_bytes_base64(plain_base64(w->arena, content), b, NULL), RF_OK);
    } else {
        *b = rf_bytes_memory(content);
    }
    return b;
}

/* Put one piece on the rope; what it must become is returned. */
static struct rf_str put(struct world *w, struct rf_rope *rope, enum piece kind,
                         struct rf_str content)
{
    struct rf_str want = content;
    switch (kind) {
    case TEXT:
        rf_rope_text(rope, content);
        break;
    case BASE64_OF_MEMORY:
    case BASE64_OF_BASE64:
    case BASE64_OF_FILE:
        rf_rope_base64(rope, bytes_for(w, kind, content));
        want = plain_base64(w->arena, content);
        break;
    case ESCAPED_MEMORY:
    case ESCAPED_BASE64:
    case ESCAPED_FILE:
        assert_int_equal(rf_rope_escaped(rope, bytes_for(w, kind, content), NULL), RF_OK);
        want = plain_escape(w->arena, content);
        break;
    }
    return want;
}

static void read_back(const struct rf_rope *rope, struct rf_str want, size_t at_once)
{
    struct rf_rope_reader r;
    char *buf = malloc(at_once);
    size_t done = 0, got;
    assert_non_null(buf);
    rf_rope_reader_init(&r, rope);
    do {
        assert_int_equal(rf_rope_read(&r, buf, at_once, &got, NULL), RF_OK);
        assert_true(got <= want.n - done);
        assert_memory_equal(buf, want.p + done, got);
        done += got;
        assert_true(got == at_once || done == want.n);
    } while (got);
    assert_int_equal(done, want.n);
    rf_rope_reader_release(&r);
    free(buf);
}

static void read_in_runs(const struct rf_rope *rope, struct rf_str want)
{
    struct rf_rope_reader r;
    struct rf_str run;
    size_t done = 0;
    rf_rope_reader_init(&r, rope);
    do {
        assert_int_equal(rf_rope_next(&r, &run, NULL), RF_OK);
        assert_true(run.n <= want.n - done);
        if (run.n)
            assert_memory_equal(run.p, want.p + done, run.n);
        done += run.n;
    } while (run.n);
    assert_int_equal(done, want.n);
    rf_rope_reader_release(&r);
}

static void check(struct world *w, const struct rf_rope *rope, struct rf_str want)
{
    static const size_t sizes[] = { 1, 3, 4095, CHUNK - 1, CHUNK, CHUNK / 3 * 4 + 1, 3 * CHUNK };
    struct rf_str flat;
    struct rf_err err;
    assert_true(rope->length == want.n);
    for (size_t i = 0; i < COUNT(sizes); i++)
        if (sizes[i] > 1 || want.n < 100000)
            read_back(rope, want, sizes[i]);
    read_in_runs(rope, want);
    assert_int_equal(rf_rope_flatten(rope, want.n, w->arena, &flat, &err), RF_OK);
    assert_true(rf_str_eq(flat, want));
    if (want.n)
        assert_int_equal(rf_rope_flatten(rope, want.n - 1, w->arena, &flat, &err), RF_ELIMIT);
}

static struct rf_str join(struct rf_arena *a, struct rf_str x, struct rf_str y)
{
    char *p = rf_arena_alloc(a, x.n + y.n + 1);
    if (x.n)
        memcpy(p, x.p, x.n);
    if (y.n)
        memcpy(p + x.n, y.p, y.n);
    return (struct rf_str){ p, x.n + y.n };
}

/* Texts around the length from which they are borrowed, empty pieces, odd sizes, all in turn. */
static void every_mix_of_pieces(void **state)
{
    static const size_t sizes[] = { 0, 1, 2, 3, 5, 255, 256, 257, 4095, 4096, 4097, 20000 };
    uint64_t seed = 88172645463325252u;
    for (int round = 0; round < 40; round++) {
        struct world *w = *state;
        struct rf_rope rope;
        struct rf_str want = RF_STR("");
        rf_rope_init(&rope, w->arena);
        for (uint64_t n = next(&seed) % 12; n; n--) {
            size_t size = sizes[next(&seed) % COUNT(sizes)];
            struct rf_str text = size ? some_text(w->arena, size, &seed) : RF_STR("");
            want = join(w->arena, want, put(w, &rope, next(&seed) % PIECES, text));
        }
        check(w, &rope, want);
    }
}

static void a_rope_of_nothing(void **state)
{
    struct world *w = *state;
    struct rf_rope rope;
    rf_rope_init(&rope, w->arena);
    check(w, &rope, RF_STR(""));
    for (enum piece kind = TEXT; kind < PIECES; kind++)
        put(w, &rope, kind, RF_STR(""));
    check(w, &rope, RF_STR(""));
    assert_int_equal(rope.count, 0);
}

static void many_short_texts_are_few_pieces(void **state)
{
    struct world *w = *state;
    struct rf_rope rope;
    rf_rope_init(&rope, w->arena);
    for (int i = 0; i < 10000; i++)
        rf_rope_text(&rope, RF_STR("0123456789"));
    assert_true(rope.length == 100000);
    assert_true(rope.count < 20);
}

static void short_text_is_copied(void **state)
{
    struct world *w = *state;
    struct rf_rope rope;
    struct rf_str flat;
    char text[] = "short";
    rf_rope_init(&rope, w->arena);
    rf_rope_text(&rope, rf_str(text));
    memset(text, 'x', 5);
    assert_int_equal(rf_rope_flatten(&rope, 99, w->arena, &flat, NULL), RF_OK);
    assert_str(flat, "short");
}

/* A character of two, three and four bytes over every cut of a chunk's edge; in a file of a little
 * more than one chunk and of exactly two. */
static void characters_across_the_edges_of_chunks(void **state)
{
    static const char *const wide[] = { "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
    struct world *w = *state;
    for (size_t c = 0; c < COUNT(wide); c++) {
        for (size_t cut = 0; cut <= strlen(wide[c]); cut++) {
            size_t n = cut % 2 ? CHUNK + 10 : 2 * CHUNK;
            char *text = rf_arena_alloc(w->arena, n);
            struct rf_rope rope;
            memset(text, 'x', n);
            memcpy(text + CHUNK - cut, wide[c], strlen(wide[c]));
            memcpy(text + n - strlen(wide[c]), wide[c], strlen(wide[c]));
            rf_rope_init(&rope, w->arena);
            check(w, &rope, put(w, &rope, ESCAPED_FILE, (struct rf_str){ text, n }));
        }
    }
}

/* Sizes around a chunk and around three bytes, where base64 would show a seam. */
static void files_around_the_size_of_a_chunk(void **state)
{
    static const size_t sizes[] = { CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 2, 2 * CHUNK + 1 };
    struct world *w = *state;
    uint64_t seed = 1234567;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct rf_str text = some_text(w->arena, sizes[i], &seed);
        struct rf_rope rope;
        text.n = sizes[i];
        rf_rope_init(&rope, w->arena);
        check(w, &rope, put(w, &rope, BASE64_OF_FILE, text));
    }
}

/* Nothing grows more than control characters do. */
static void a_file_of_control_characters(void **state)
{
    struct world *w = *state;
    char *text = rf_arena_alloc(w->arena, CHUNK + 1);
    struct rf_rope rope;
    rf_rope_init(&rope, w->arena);
    check(w, &rope, put(w, &rope, ESCAPED_FILE, (struct rf_str){ text, CHUNK + 1 }));
    assert_true(rope.length == 6 * (CHUNK + 1));
}

static const struct invalid {
    const char *name;
    struct rf_str end; /* after a chunk of letters, less `before` */
    size_t before, at;
} invalids[] = {
    { "an invalid byte", B("\xff"), 0, 0 },
    { "a character that the end cuts off", B("\xe2\x82"), 0, 0 },
    { "a character that the end cuts off at a chunk's edge", B("\xe2\x82"), 2, 0 },
    { "a character that is invalid across a chunk's edge", B("\xe2\x82\x41"), 2, 0 },
    { "a surrogate across a chunk's edge", B("\xed\xa0\x80"), 1, 0 },
    { "too many continuations", B("\xc3\xa9\x80"), 1, 2 },
};

static void is_no_utf8(void **state)
{
    const struct invalid *row = *state;
    struct rf_arena *a = rf_arena_new();
    size_t front = CHUNK - row->before;
    char *text = rf_arena_alloc(a, front + row->end.n);
    struct rf_err err;
    struct rf_rope rope;
    memset(text, 'x', front);
    memcpy(text + front, row->end.p, row->end.n);
    struct rf_bytes b = rf_bytes_memory((struct rf_str){ text, front + row->end.n });
    rf_rope_init(&rope, a);
    assert_int_equal(rf_rope_escaped(&rope, &b, &err), RF_EFORMAT);
    assert_string_equal(err.msg,
                        rf_strf(a, "the text is not valid UTF-8 at byte %zu", front + row->at).p);
    assert_int_equal(rope.count, 0);
    assert_true(rope.length == 0);
    rf_arena_free(a);
}

/* What can happen to a file between planning and reading. */
static void touch(const char *path)
{
    struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void shrink(const char *path)
{
    assert_int_equal(truncate(path, 10), 0);
}

static void empty(const char *path)
{
    assert_int_equal(truncate(path, 0), 0);
}

static void lengthen(const char *path)
{
    assert_int_equal(truncate(path, 2 * RF_ROPE_CHUNK + 100), 0);
}

static void vanish(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static void become_folder(const char *path)
{
    vanish(path);
    make_folder(path);
}

static void become_pipe(const char *path)
{
    vanish(path);
    assert_int_equal(mkfifo(path, 0600), 0);
}

/* The same bytes, size and time in another file. */
static void be_replaced(const char *path)
{
    struct rf_arena *a = rf_arena_new();
    const char *other = rf_strf(a, "%s.new", path).p;
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    char *same = rf_arena_alloc(a, (size_t)st.st_size);
    memset(same, 'x', (size_t)st.st_size);
    write_file(other, (struct rf_str){ same, (size_t)st.st_size });
    struct timespec times[2] = { st.st_mtim, st.st_mtim };
    assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
    assert_int_equal(rename(other, path), 0);
    rf_arena_free(a);
}

/* Other bytes in the same file at the same time: only the length of what is written tells. */
static void change_unseen(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, "\n\n", 2, st.st_size - 2), 2);
    struct timespec times[2] = { st.st_mtim, st.st_mtim };
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

/* The same with bytes that are not text at all. */
static void break_unseen(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, "\xff", 1, st.st_size - 1), 1);
    struct timespec times[2] = { st.st_mtim, st.st_mtim };
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

#define CHANGED "\"%s\" changed while the request was being made"
#define TEXT_CHANGED "a text file changed while it was sent"

static const struct change {
    const char *name;
    enum piece piece;
    void (*happen)(const char *path);
    enum rf_code code;
    const char *message; /* %s is the path */
} changes[] = {
    { "a file with another time", BASE64_OF_FILE, touch, RF_EIO, CHANGED },
    { "a file that shrank", BASE64_OF_FILE, shrink, RF_EIO, CHANGED },
    { "a file that was emptied", BASE64_OF_FILE, empty, RF_EIO, CHANGED },
    { "a file that grew", BASE64_OF_FILE, lengthen, RF_EIO, CHANGED },
    { "another file of that name", BASE64_OF_FILE, be_replaced, RF_EIO, CHANGED },
    { "a file that vanished", BASE64_OF_FILE, vanish, RF_ENOTFOUND,
      "could not open \"%s\": No such file or directory" },
    { "a file that is a folder now", BASE64_OF_FILE, become_folder, RF_EFORMAT,
      "\"%s\" is a folder" },
    { "a file that is a pipe now", BASE64_OF_FILE, become_pipe, RF_EFORMAT,
      "\"%s\" is not a regular file" },
    { "a text file with another time", ESCAPED_FILE, touch, RF_EIO, CHANGED },
    { "a text file that shrank", ESCAPED_FILE, shrink, RF_EIO, CHANGED },
    { "a text file that vanished", ESCAPED_FILE, vanish, RF_ENOTFOUND,
      "could not open \"%s\": No such file or directory" },
    { "a text that takes another length without showing it", ESCAPED_FILE, change_unseen, RF_EIO,
      TEXT_CHANGED },
    { "a text that is none any more without showing it", ESCAPED_FILE, break_unseen, RF_EIO,
      TEXT_CHANGED },
};

static enum rf_code read_to_end(struct rf_rope_reader *r, uint64_t *length, struct rf_err *err)
{
    struct rf_str run;
    enum rf_code rc;
    do {
        rc = rf_rope_next(r, &run, err);
        *length += rc ? 0 : run.n;
    } while (!rc && run.n);
    return rc;
}

/* The message with the path where it has its %s. */
static const char *with_path(struct rf_arena *a, const char *message, const char *path)
{
    const char *at = strstr(message, "%s");
    return at ? rf_strf(a, "%.*s%s%s", (int)(at - message), message, path, at + 2).p : message;
}

static void is_noticed(void **state)
{
    const struct change *row = *state;
    void *held;
    setup(&held);
    struct world *w = held;
    const char *path = in_folder(w->arena, w->folder, "file");
    char *text = rf_arena_alloc(w->arena, 2 * CHUNK);
    struct rf_bytes b;
    struct rf_rope rope;
    struct rf_rope_reader r;
    struct rf_err err;
    uint64_t length = 0;
    memset(text, 'x', 2 * CHUNK);
    write_file(path, (struct rf_str){ text, 2 * CHUNK });
    assert_int_equal(rf_bytes_file("", path, &b, NULL), RF_OK);
    rf_rope_init(&rope, w->arena);
    if (row->piece == ESCAPED_FILE)
        assert_int_equal(rf_rope_escaped(&rope, &b, NULL), RF_OK);
    else
        rf_rope_base64(&rope, &b);
    row->happen(path);
    rf_rope_reader_init(&r, &rope);
    assert_int_equal(read_to_end(&r, &length, &err), row->code);
    rf_rope_reader_release(&r);
    assert_str(rf_str(err.msg), with_path(w->arena, row->message, path));
    teardown(&held);
}

static void a_file_that_shrinks_while_it_is_read(void **state)
{
    struct world *w = *state;
    const char *path = in_folder(w->arena, w->folder, "shrinks");
    char *text = rf_arena_alloc(w->arena, 3 * CHUNK);
    struct rf_bytes b;
    struct rf_rope rope;
    struct rf_rope_reader r;
    struct rf_err err;
    struct rf_str run;
    uint64_t length = 0;
    memset(text, 'x', 3 * CHUNK);
    write_file(path, (struct rf_str){ text, 3 * CHUNK });
    assert_int_equal(rf_bytes_file("", path, &b, NULL), RF_OK);
    rf_rope_init(&rope, w->arena);
    rf_rope_base64(&rope, &b);
    rf_rope_reader_init(&r, &rope);
    assert_int_equal(rf_rope_next(&r, &run, &err), RF_OK);
    shrink(path);
    assert_int_equal(read_to_end(&r, &length, &err), RF_EIO);
    assert_string_equal(err.msg,
                        rf_strf(w->arena, "\"%s\" became shorter while it was read", path).p);
    rf_rope_reader_release(&r);
}

static void a_reader_can_stop_anywhere_and_another_begins_anew(void **state)
{
    struct world *w = *state;
    struct rf_rope rope;
    struct rf_rope_reader r;
    uint64_t seed = 99;
    char buf[100];
    size_t got;
    rf_rope_init(&rope, w->arena);
    struct rf_str want = put(w, &rope, BASE64_OF_FILE, some_text(w->arena, CHUNK + 1000, &seed));
    for (int i = 0; i < 50; i++) {
        rf_rope_reader_init(&r, &rope);
        assert_int_equal(rf_rope_read(&r, buf, sizeof buf, &got, NULL), RF_OK);
        assert_memory_equal(buf, want.p, got);
        rf_rope_reader_release(&r);
    }
    check(w, &rope, want);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test_setup_teardown(every_mix_of_pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(a_rope_of_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(many_short_texts_are_few_pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(short_text_is_copied, setup, teardown),
        cmocka_unit_test_setup_teardown(characters_across_the_edges_of_chunks, setup, teardown),
        cmocka_unit_test_setup_teardown(files_around_the_size_of_a_chunk, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_of_control_characters, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_shrinks_while_it_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(a_reader_can_stop_anywhere_and_another_begins_anew, setup,
                                        teardown),
    };
    struct CMUnitTest tests[COUNT(changes) + COUNT(invalids) + COUNT(others)];
    name_rows(tests, is_noticed, changes, COUNT(changes), sizeof *changes);
    name_rows(tests + COUNT(changes), is_no_utf8, invalids, COUNT(invalids), sizeof *invalids);
    memcpy(tests + COUNT(changes) + COUNT(invalids), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
