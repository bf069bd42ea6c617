/* What the page knows of exchanges: that it is bounded, and that a viewer misses nothing. */
#include "page/ring.h"

#include "base/arena.h"

#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

static void tell_kept(struct rf_ring *r, unsigned which, enum rf_page_stage stage,
                      struct rf_kept_exchange *k, uint64_t *number)
{
    struct rf_record record = { .dialect = "anthropic", .asked = RF_STR("a model"), .status = 200 };
    snprintf(record.id, sizeof record.id, "req_%u", which);
    rf_ring_tell(r, &record, stage, k, number);
}

static void tell(struct rf_ring *r, unsigned which, enum rf_page_stage stage, uint64_t *number)
{
    tell_kept(r, which, stage, NULL, number);
}

static struct rf_kept_exchange *kept_of(size_t bytes)
{
    const struct rf_front front = { .dialect = "anthropic" };
    const struct rf_key_holder nobody = { 0 };
    struct rf_kept_exchange *k = rf_kept_new(NULL, NULL, RF_STR(""), &front, &nobody, 0);
    k->bytes = bytes;
    return k;
}

/* How many there are after `*version`, in batches of `most`. */
static size_t count_changes(struct rf_ring *r, uint64_t *version, size_t most)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_ring_entry *entries;
    size_t sum = 0, n;
    while ((n = rf_ring_changes(r, version, most, a, &entries))) {
        assert_true(n <= most);
        sum += n;
    }
    rf_arena_free(a);
    return sum;
}

static void a_viewer_is_told_each_change_once(void **state)
{
    struct rf_ring *r = rf_ring_new();
    uint64_t version = 0, number = 0;
    (void)state;
    for (unsigned i = 0; i < 1234; i++) {
        uint64_t own = 0;
        tell(r, i, RF_PAGE_OVER, &own);
    }
    assert_int_equal(count_changes(r, &version, 100), 1234);
    assert_int_equal(count_changes(r, &version, 100), 0);
    tell(r, 5000, RF_PAGE_BEGAN, &number);
    tell(r, 5000, RF_PAGE_ANSWERS, &number);
    tell(r, 5000, RF_PAGE_OVER, &number);
    assert_int_equal(count_changes(r, &version, 100), 1);
    assert_int_equal(count_changes(r, &version, 100), 0);
    rf_ring_free(r);
}

static void the_oldest_makes_room(void **state)
{
    struct rf_ring *r = rf_ring_new();
    struct rf_arena *a = rf_arena_new();
    struct rf_ring_entry e;
    uint64_t version = 0, first = 0;
    (void)state;
    tell(r, 0, RF_PAGE_BEGAN, &first);
    for (unsigned i = 1; i <= RF_RING_ENTRIES; i++) {
        uint64_t own = 0;
        tell(r, i, RF_PAGE_OVER, &own);
    }
    assert_false(rf_ring_find(r, RF_STR("req_0"), a, &e));
    assert_true(rf_ring_find(r, RF_STR("req_1"), a, &e));
    tell(r, 0, RF_PAGE_OVER, &first); /* it is over now, and has an entry again */
    assert_true(rf_ring_find(r, RF_STR("req_0"), a, &e));
    assert_int_equal(e.stage, RF_PAGE_OVER);
    assert_int_equal(count_changes(r, &version, 500), RF_RING_ENTRIES);
    rf_arena_free(a);
    rf_ring_free(r);
}

/* What the table has of names is shared; what a reader has is its own. */
static void each_has_its_names_for_as_long_as_it_is_shown(void **state)
{
    static const struct rf_str asked[] = {
        { "one", 3 }, { "two", 3 }, { "one", 3 }, { "o\0e", 3 }, { "", 0 },
    };
    const size_t count = sizeof asked / sizeof *asked;
    struct rf_ring *r = rf_ring_new();
    struct rf_arena *a = rf_arena_new();
    struct rf_ring_entry *entries;
    uint64_t version = 0;
    (void)state;
    for (unsigned round = 0; round <= RF_RING_ENTRIES / count; round++)
        for (size_t i = 0; i < count; i++) {
            struct rf_record record = { .asked = asked[i], .model = RF_STR("gpt") };
            uint64_t number = 0;
            for (int stage = RF_PAGE_BEGAN; stage <= RF_PAGE_OVER; stage++)
                rf_ring_tell(r, &record, (enum rf_page_stage)stage, NULL, &number);
        }
    size_t n = rf_ring_changes(r, &version, RF_RING_ENTRIES * 3, a, &entries), of_each[5] = { 0 };
    assert_int_equal(n, RF_RING_ENTRIES);
    rf_ring_free(r);
    for (size_t i = 0; i < n; i++) {
        const struct rf_names *names = entries[i].names;
        assert_string_equal(names->model, "gpt");
        assert_string_equal(names->key, "");
        for (size_t k = 0; k < count; k++)
            of_each[k] += strcmp(names->asked, asked[k].p) == 0;
    }
    assert_int_equal(of_each[0], 2 * n / count);
    assert_int_equal(of_each[1], n / count);
    assert_int_equal(of_each[3], n / count); /* "o": up to what no name has in it */
    assert_int_equal(of_each[4], n / count);
    rf_arena_free(a);
}

static void what_is_kept_whole_is_bounded_by_its_bytes(void **state)
{
    struct rf_ring *r = rf_ring_new();
    struct rf_arena *a = rf_arena_new();
    struct rf_ring_entry e;
    uint64_t numbers[3] = { 0 };
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct rf_kept_exchange *k = kept_of(RF_RING_KEPT_BYTES / 5 * 2);
        tell_kept(r, i, RF_PAGE_OVER, k, &numbers[i]);
        rf_kept_drop(k);
    }
    assert_true(rf_ring_find(r, RF_STR("req_0"), a, &e));
    assert_null(e.kept);
    assert_true(rf_ring_find(r, RF_STR("req_2"), a, &e));
    assert_non_null(e.kept);
    rf_ring_free(r);
    assert_int_equal(e.kept->users, 1); /* who looks at it has it until then */
    rf_kept_drop(e.kept);
    rf_arena_free(a);
}

static void what_is_under_way_is_kept_and_counted_once(void **state)
{
    struct rf_ring *r = rf_ring_new();
    struct rf_arena *a = rf_arena_new();
    struct rf_ring_entry e;
    struct rf_kept_exchange *k = kept_of(RF_RING_KEPT_BYTES / 2);
    uint64_t numbers[2] = { 0 };
    (void)state;
    tell_kept(r, 0, RF_PAGE_BEGAN, k, &numbers[0]);
    tell(r, 0, RF_PAGE_ANSWERS, &numbers[0]);
    assert_true(rf_ring_find(r, RF_STR("req_0"), a, &e));
    assert_ptr_equal(e.kept, k);
    assert_false(k->over);
    rf_kept_drop(e.kept);
    k->bytes = RF_RING_KEPT_BYTES; /* all that there may be, and no more */
    tell_kept(r, 0, RF_PAGE_OVER, k, &numbers[0]);
    assert_true(rf_ring_find(r, RF_STR("req_0"), a, &e));
    assert_ptr_equal(e.kept, k);
    assert_true(k->over);
    rf_kept_drop(e.kept);
    rf_kept_drop(k);
    k = kept_of(1);
    tell_kept(r, 1, RF_PAGE_BEGAN, k, &numbers[1]);
    rf_kept_drop(k);
    assert_true(rf_ring_find(r, RF_STR("req_0"), a, &e));
    assert_null(e.kept);
    rf_arena_free(a);
    rf_ring_free(r);
}

static void one_that_ends_after_all_others_makes_room_too(void **state)
{
    struct rf_ring *r = rf_ring_new();
    struct rf_arena *a = rf_arena_new();
    struct rf_ring_entry e;
    struct rf_kept_exchange *first = kept_of(0);
    uint64_t numbers[3] = { 0 };
    (void)state;
    tell_kept(r, 0, RF_PAGE_BEGAN, first, &numbers[0]);
    for (unsigned i = 1; i < 3; i++) {
        struct rf_kept_exchange *k = kept_of(RF_RING_KEPT_BYTES / 3 * 2);
        tell_kept(r, i, RF_PAGE_OVER, k, &numbers[i]);
        rf_kept_drop(k);
    }
    first->bytes = RF_RING_KEPT_BYTES / 3 * 2;
    tell_kept(r, 0, RF_PAGE_OVER, first, &numbers[0]);
    assert_true(rf_ring_find(r, RF_STR("req_0"), a, &e));
    assert_null(e.kept); /* the oldest */
    assert_true(rf_ring_find(r, RF_STR("req_2"), a, &e));
    assert_non_null(e.kept);
    rf_kept_drop(e.kept);
    rf_kept_drop(first);
    rf_arena_free(a);
    rf_ring_free(r);
}

static void of_very_many_at_once_only_some_are_kept_whole(void **state)
{
    enum { MANY = 10000 };
    struct rf_ring *r = rf_ring_new();
    size_t wanted = 0;
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        wanted += rf_ring_wants_whole(r);
    assert_true(wanted >= RF_RING_KEPT_AT_ONCE);
    assert_true(wanted < MANY);
    rf_ring_free(r);
}

static void it_is_watched_once_somebody_looked(void **state)
{
    struct rf_ring *r = rf_ring_new();
    (void)state;
    assert_false(rf_ring_is_watched(r));
    rf_ring_look(r);
    assert_true(rf_ring_is_watched(r));
    rf_ring_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_viewer_is_told_each_change_once),
        cmocka_unit_test(the_oldest_makes_room),
        cmocka_unit_test(each_has_its_names_for_as_long_as_it_is_shown),
        cmocka_unit_test(what_is_kept_whole_is_bounded_by_its_bytes),
        cmocka_unit_test(what_is_under_way_is_kept_and_counted_once),
        cmocka_unit_test(one_that_ends_after_all_others_makes_room_too),
        cmocka_unit_test(of_very_many_at_once_only_some_are_kept_whole),
        cmocka_unit_test(it_is_watched_once_somebody_looked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
