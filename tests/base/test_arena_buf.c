/* Arenas and buffers: what is given out is zeroed, aligned and stays; what grows keeps its bytes;
 * sizes that cannot be are bugs; a buffer never passes its cap. */
#include "base/arena.h"

#include "base/buf.h"

#include "../testing.h"

#include <stdalign.h>

/* Pieces of all sizes, each filled with a mark of its own, are checked at the end. */
static void pieces_do_not_touch(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0,    1,    7,    16,   17,    100,   2047,
                                    2048, 2049, 8191, 8192, 70000, 300000 };
    unsigned char *pieces[2000];
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < COUNT(pieces); i++) {
        size_t n = sizes[i % COUNT(sizes)] / (i % 5 + 1);
        pieces[i] = rf_arena_alloc(a, n);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        for (size_t j = 0; j < n; j += n / 64 + 1)
            assert_int_equal(pieces[i][j], 0);
        memset(pieces[i], (int)(i % 251 + 1), n);
    }
    for (size_t i = 0; i < COUNT(pieces); i++) {
        size_t n = sizes[i % COUNT(sizes)] / (i % 5 + 1);
        for (size_t j = 0; j < n; j += n / 64 + 1)
            assert_int_equal(pieces[i][j], i % 251 + 1);
    }
    rf_arena_free(a);
    rf_arena_free(NULL);
}

/* With one block, with several, and with pieces that have blocks of their own. */
static void an_arena_can_be_used_again(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 100, 9000, 40000, 3000000, 50 };
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (size_t given = 0; given < sizes[i]; given += 1000)
            memset(rf_arena_alloc(a, 1000), 7, 1000);
        memset(rf_arena_alloc(a, sizes[i]), 7, sizes[i]);
        rf_arena_reset(a);
        rf_arena_reset(a);
        const char *zeros = rf_arena_alloc(a, 500);
        for (size_t j = 0; j < 500; j++)
            assert_int_equal(zeros[j], 0);
        assert_true(rf_arena_size(a) < ((size_t)2 << 20));
    }
    rf_arena_free(a);
}

/* Two arrays that grow in turns, so that neither is always the newest piece. */
static void what_grows_keeps_its_bytes(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    char *one = NULL, *two = NULL;
    size_t n = 0;
    for (size_t size = 1; size < 200000; size = size * 3 / 2 + 1) {
        one = rf_arena_grow(a, one, n, size);
        if (size % 3)
            two = rf_arena_grow(a, two, n, size);
        else
            two = memcpy(rf_arena_alloc(a, size), two, n);
        for (size_t i = 0; i < n; i++)
            assert_true(one[i] == (char)i && two[i] == (char)(i * 7));
        for (size_t i = n; i < size; i++) {
            one[i] = (char)i;
            two[i] = (char)(i * 7);
        }
        n = size;
    }
    assert_ptr_equal(rf_arena_grow(a, one, n, n), one);
    assert_ptr_equal(rf_arena_grow(a, one, n, 1), one);
    rf_arena_free(a);
}

static void pushed_elements_are_zeroed_and_stay(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct {
        size_t number;
        char rest[40];
    } *items = NULL;
    size_t count = 0, cap = 0;
    for (size_t i = 0; i < 10000; i++) {
        size_t at = count;
        memset(rf_arena_alloc(a, 24), 0xff, 24);
        RF_PUSH(a, items, count, cap);
        assert_int_equal(items[at].number, 0);
        assert_int_equal(items[at].rest[39], 0);
        items[at].number = i;
        memset(items[at].rest, 0xff, sizeof items[at].rest);
    }
    assert_int_equal(count, 10000);
    assert_true(cap >= count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(items[i].number, i);
    rf_arena_free(a);
}

static void alloc_too_much(const void *arg)
{
    rf_arena_alloc(rf_arena_new(), *(const size_t *)arg);
}

static void array_too_large(const void *arg)
{
    rf_arena_array(rf_arena_new(), SIZE_MAX / 8, *(const size_t *)arg);
}

static void grow_too_far(const void *arg)
{
    struct rf_arena *a = rf_arena_new();
    rf_arena_grow(a, rf_arena_alloc(a, 100000), 100000, *(const size_t *)arg);
}

static void room_for_too_many(const void *arg)
{
    size_t cap = SIZE_MAX / 4;
    rf_arena_room(rf_arena_new(), NULL, cap, &cap, *(const size_t *)arg);
}

static const struct bug {
    const char *name;
    void (*run)(const void *);
    size_t size;
} bugs[] = {
    { "all of memory", alloc_too_much, SIZE_MAX },
    { "nearly all of memory", alloc_too_much, SIZE_MAX - 20 },
    { "an array whose size overflows", array_too_large, 9 },
    { "growing to all of memory", grow_too_far, SIZE_MAX },
    { "growing to nearly all of memory", grow_too_far, SIZE_MAX - 20 },
    { "an array that doubles past all of memory", room_for_too_many, 16 },
};

static void is_a_bug(void **state)
{
    const struct bug *row = *state;
    assert_true(aborts(row->run, &row->size));
}

static const struct filling {
    const char *name;
    size_t max;
    const char *pieces[4];
    const char *want; /* NULL: over the limit */
} fillings[] = {
    { "nothing", 0, { 0 }, "" },
    { "an empty piece fits into nothing", 0, { "" }, "" },
    { "exactly as much as fits", 6, { "abc", "def" }, "abcdef" },
    { "one more than fits", 5, { "abc", "def" }, NULL },
    { "full for good: a short piece after a long one", 5, { "abc", "def", "g" }, NULL },
    { "an empty piece does not overflow", 3, { "abc", "" }, "abc" },
};

static void is_filled(void **state)
{
    const struct filling *row = *state;
    struct rf_arena *a = rf_arena_new();
    for (int way = 0; way < 3; way++) {
        struct rf_buf b;
        struct rf_err err;
        struct rf_str got = RF_STR("untouched");
        rf_buf_init(&b, a, row->max);
        for (size_t i = 0; i < 4 && row->pieces[i]; i++) {
            const char *s = row->pieces[i];
            if (way == 0)
                rf_buf_add(&b, rf_str(s));
            else if (way == 1)
                rf_buf_addf(&b, "%s", s);
            else
                for (; *s; s++)
                    rf_buf_addc(&b, *s);
        }
        enum rf_code rc = rf_buf_finish(&b, &got, &err);
        assert_int_equal(rc, row->want ? RF_OK : RF_ELIMIT);
        assert_str(got, row->want ? row->want : "untouched");
        if (row->want)
            assert_int_equal(got.p[got.n], '\0');
        else
            assert_str(rf_str(err.msg),
                       rf_strf(a, "text is over the limit of %zu bytes", row->max).p);
    }
    rf_arena_free(a);
}

static void a_buffer_grows_between_others(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_buf one, two;
    struct rf_str x, y;
    rf_buf_init(&one, a, SIZE_MAX);
    rf_buf_init(&two, a, SIZE_MAX);
    for (int i = 0; i < 20000; i++) {
        rf_buf_addf(&one, "%d,", i);
        rf_buf_addc(&two, "xyz"[i % 3]);
    }
    assert_int_equal(rf_buf_finish(&one, &x, NULL), RF_OK);
    assert_int_equal(rf_buf_finish(&two, &y, NULL), RF_OK);
    assert_int_equal(y.n, 20000);
    struct rf_str piece;
    for (int i = 0; i < 20000; i++) {
        int64_t n;
        assert_true(rf_str_split(&x, ',', &piece) && rf_str_int64(piece, &n) && n == i);
        assert_int_equal(y.p[i], "xyz"[i % 3]);
    }
    rf_arena_free(a);
}

static void nul_goes_through_a_buffer(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_buf b;
    struct rf_str got;
    rf_buf_init(&b, a, 10);
    rf_buf_add(&b, (struct rf_str){ "a\0b", 3 });
    rf_buf_addc(&b, '\0');
    assert_int_equal(rf_buf_finish(&b, &got, NULL), RF_OK);
    assert_int_equal(got.n, 4);
    assert_memory_equal(got.p, "a\0b\0", 5);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(pieces_do_not_touch),
        cmocka_unit_test(an_arena_can_be_used_again),
        cmocka_unit_test(what_grows_keeps_its_bytes),
        cmocka_unit_test(pushed_elements_are_zeroed_and_stay),
        cmocka_unit_test(a_buffer_grows_between_others),
        cmocka_unit_test(nul_goes_through_a_buffer),
    };
    struct CMUnitTest tests[COUNT(bugs) + COUNT(fillings) + COUNT(others)];
    name_rows(tests, is_a_bug, bugs, COUNT(bugs), sizeof *bugs);
    name_rows(tests + COUNT(bugs), is_filled, fillings, COUNT(fillings), sizeof *fillings);
    memcpy(tests + COUNT(bugs) + COUNT(fillings), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
