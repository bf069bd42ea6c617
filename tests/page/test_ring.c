/* What the page knows of exchanges: that it is bounded, and that a viewer misses nothing. */
#include "page/ring.h"

#include "base/arena.h"

#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

static void tell(struct rf_ring *r, unsigned which, enum rf_page_stage stage, uint64_t *number)
{
    struct rf_record record = { .dialect = "anthropic", .asked = RF_STR("a model"), .status = 200 };
    snprintf(record.id, sizeof record.id, "req_%u", which);
    rf_ring_tell(r, &record, stage, number);
}

static struct rf_kept_exchange *kept_of(size_t bytes)
{
    struct rf_kept_exchange *k = calloc(1, sizeof *k);
    assert_non_null(k);
    k->users = 1;
    pthread_mutex_init(&k->lock, NULL);
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

static void what_is_kept_whole_is_bounded_by_its_bytes(void **state)
{
    struct rf_ring *r = rf_ring_new();
    struct rf_arena *a = rf_arena_new();
    struct rf_ring_entry e;
    uint64_t numbers[3] = { 0 };
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        tell(r, i, RF_PAGE_OVER, &numbers[i]);
        rf_ring_keep(r, numbers[i], kept_of(RF_RING_KEPT_BYTES / 5 * 2));
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
        cmocka_unit_test(what_is_kept_whole_is_bounded_by_its_bytes),
        cmocka_unit_test(of_very_many_at_once_only_some_are_kept_whole),
        cmocka_unit_test(it_is_watched_once_somebody_looked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
