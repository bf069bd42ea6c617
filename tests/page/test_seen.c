/* What is gathered of a reply for viewers: in pieces, bounded, and read from any place in it. */
#include "gateway/kept.h"

#include "base/arena.h"

#include <refract/reply.h>

#include "testing.h"

static struct rf_kept_exchange *kept(void)
{
    const struct rf_front front = { .dialect = "anthropic" };
    const struct rf_key_holder nobody = { 0 };
    return rf_kept_new(NULL, NULL, RF_STR(""), &front, &nobody, 0);
}

static void tell(struct rf_seen *s, enum rf_event_type type, size_t block, const char *text)
{
    const struct rf_event e = {
        .size = sizeof e, .type = type, .block = block, .kind = "text", .text = rf_str(text)
    };
    rf_seen_event(s, &e);
}

static struct rf_str all_of(const struct rf_seen_text *t)
{
    return (struct rf_str){ t->p, t->n };
}

static void what_goes_on_is_one_piece(void **state)
{
    struct rf_kept_exchange *k = kept();
    struct rf_arena *a = rf_arena_new();
    (void)state;
    tell(k->seen, RF_EVENT_THINKING, 0, "Hm");
    tell(k->seen, RF_EVENT_TEXT, 1, "Hel");
    tell(k->seen, RF_EVENT_TEXT, 1, "lo");
    tell(k->seen, RF_EVENT_TEXT, 2, "!");
    tell(k->seen, RF_EVENT_TEXT, 2, "");
    struct rf_seen_text said = rf_seen_since(k->seen, &k->seen->said, 0, 99, a);
    assert_true(rf_str_is(all_of(&said), "HmHello!"));
    assert_int_equal(said.piece_count, 3);
    assert_string_equal(said.pieces[0].kind, "thinking");
    assert_int_equal(said.pieces[1].end, 7);
    rf_arena_free(a);
    rf_kept_drop(k);
}

static void it_is_read_from_any_place_in_parts_of_any_length(void **state)
{
    static const char text[] = "onetwothree";
    struct rf_kept_exchange *k = kept();
    struct rf_arena *a = rf_arena_new();
    (void)state;
    rf_seen_reply(k->seen, RF_STR("one"));
    rf_seen_reply(k->seen, RF_STR("two"));
    rf_seen_reply(k->seen, RF_STR("three"));
    for (size_t from = 0; from <= sizeof text; from++)
        for (size_t most = 1; most <= sizeof text; most++) {
            size_t left = from < strlen(text) ? strlen(text) - from : 0;
            struct rf_seen_text t = rf_seen_since(k->seen, &k->seen->sent, from, most, a);
            assert_int_equal(t.n, left < most ? left : most);
            assert_memory_equal(t.n ? t.p : text, left ? text + from : text, t.n);
            assert_int_equal(t.piece_count ? t.pieces[t.piece_count - 1].end : 0, t.n);
        }
    rf_arena_free(a);
    rf_kept_drop(k);
}

static void no_more_is_kept_than_there_may_be(void **state)
{
    struct rf_kept_exchange *k = kept();
    struct rf_arena *a = rf_arena_new();
    char *bytes = rf_arena_alloc(a, RF_SEEN_REPLY);
    (void)state;
    memset(bytes, 'x', RF_SEEN_REPLY);
    rf_seen_reply(k->seen, (struct rf_str){ bytes, RF_SEEN_REPLY - 1 });
    assert_false(rf_seen_since(k->seen, &k->seen->sent, 0, SIZE_MAX, a).cut);
    rf_seen_reply(k->seen, RF_STR("xx"));
    struct rf_seen_text sent = rf_seen_since(k->seen, &k->seen->sent, 0, SIZE_MAX, a);
    assert_int_equal(sent.n, RF_SEEN_REPLY - 1);
    assert_true(sent.cut);
    assert_false(rf_seen_since(k->seen, &k->seen->sent, 0, 100, a).cut); /* there is more */
    tell(k->seen, RF_EVENT_TEXT, 0, "what is said has room of its own");
    assert_false(k->seen->said.cut);
    for (int i = 0; i < 20000; i++)
        tell(k->seen, RF_EVENT_TEXT, (size_t)(i % 2), "y");
    assert_true(k->seen->said.cut);
    assert_int_equal(k->seen->said.piece_count, 10000);
    rf_arena_free(a);
    rf_kept_drop(k);
}

static void what_was_to_no_avail_is_told_as_that(void **state)
{
    struct rf_kept_exchange *k = kept();
    struct rf_arena *a = rf_arena_new();
    (void)state;
    rf_seen_again(k->seen, RF_STR(""));
    assert_int_equal(k->seen->said.n, 0);
    tell(k->seen, RF_EVENT_TEXT, 0, "Hel");
    rf_seen_again(k->seen, RF_STR(""));
    tell(k->seen, RF_EVENT_TEXT, 0, "Hello");
    struct rf_seen_text said = rf_seen_since(k->seen, &k->seen->said, 0, SIZE_MAX, a);
    assert_int_equal(said.piece_count, 3);
    assert_string_equal(said.pieces[1].kind, "again");
    const struct rf_model m = { .provider = RF_STR_INIT("openai") };
    rf_seen_refused(k->seen, &m, &(struct rf_refusal){ .status = 503 });
    rf_seen_again(k->seen, RF_STR(""));
    rf_seen_refused(k->seen, &m, &(struct rf_refusal){ .status = 503 });
    rf_seen_again(k->seen, RF_STR(""));
    assert_int_equal(rf_seen_since(k->seen, &k->seen->said, 0, SIZE_MAX, a).piece_count, 5);
    rf_arena_free(a);
    rf_kept_drop(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_on_is_one_piece),
        cmocka_unit_test(it_is_read_from_any_place_in_parts_of_any_length),
        cmocka_unit_test(no_more_is_kept_than_there_may_be),
        cmocka_unit_test(what_was_to_no_avail_is_told_as_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
