/* Marks of thoughts that go through another API: what comes back is what went, and nothing else is
 * taken for it. */
#include "content/seal.h"

#include "base/arena.h"

#include "testing.h"

static const struct rf_str provider = RF_STR_INIT("anthropic"), model = RF_STR_INIT("claude:5");

/* Is `mark` opened? The thought and its message are what came of it. */
static bool opens(struct rf_str mark, struct rf_arena *a, struct rf_thinking *t,
                  struct rf_message *m)
{
    struct rf_conversation c = { 0 };
    struct rf_builder b;
    rf_builder_init(&b, &c, a, "gemini");
    rf_build_message(&b, RF_ROLE_ASSISTANT);
    bool opened = rf_seal_open(&b, mark, t);
    *m = c.messages[0];
    return opened;
}

static void every_mark_comes_back(void **state)
{
    static const struct rf_thinking thoughts[] = {
        { .id = RF_STR_INIT("none but its owner") },
        { .signature = RF_STR_INIT("c2ln+/==") },
        { .redacted = RF_STR_INIT("cmVk") },
        { .id = RF_STR_INIT("rs_1"), .encrypted = RF_STR_INIT("gAAAA-_") },
        { .id = RF_STR_INIT("a"),
          .signature = RF_STR_INIT("b"),
          .encrypted = RF_STR_INIT("\xc3\xa9") },
    };
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof thoughts / sizeof *thoughts; i++) {
        struct rf_thinking t = { 0 };
        struct rf_message m;
        assert_true(opens(rf_seal_make(provider, model, &thoughts[i], a), a, &t, &m));
        assert_true(rf_str_eq(m.origin_provider, provider) && rf_str_eq(m.origin_model, model));
        assert_true(rf_str_eq(t.id, thoughts[i].id));
        assert_true(rf_str_eq(t.signature, thoughts[i].signature));
        assert_true(rf_str_eq(t.redacted, thoughts[i].redacted));
        assert_true(rf_str_eq(t.encrypted, thoughts[i].encrypted));
    }
    rf_arena_free(a);
}

static void what_cannot_be_sealed_is_not(void **state)
{
    static const struct rf_thinking lines = { .signature = RF_STR_INIT("a\nb") },
                                    good = { .signature = RF_STR_INIT("a") };
    struct rf_arena *a = rf_arena_new();
    (void)state;
    assert_int_equal(rf_seal_make(provider, model, &lines, a).n, 0);
    assert_int_equal(rf_seal_make(RF_STR(""), model, &good, a).n, 0);
    rf_arena_free(a);
}

static void a_message_has_one_origin(void **state)
{
    static const struct rf_thinking first = { .signature = RF_STR_INIT("a") },
                                    second = { .signature = RF_STR_INIT("b") };
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c = { 0 };
    struct rf_builder b;
    struct rf_thinking t = { 0 }, same = { 0 }, other = { 0 };
    (void)state;
    rf_builder_init(&b, &c, a, "gemini");
    rf_build_message(&b, RF_ROLE_ASSISTANT);
    assert_true(rf_seal_open(&b, rf_seal_make(provider, model, &first, a), &t));
    assert_true(rf_seal_open(&b, rf_seal_make(provider, model, &second, a), &same));
    assert_true(rf_seal_open(&b, rf_seal_make(provider, RF_STR("another"), &second, a), &other));
    assert_true(rf_str_is(t.signature, "a") && rf_str_is(same.signature, "b"));
    assert_int_equal(other.signature.n, 0);
    assert_true(c.messages[0].sealed && rf_str_eq(c.messages[0].origin_model, model));
    rf_arena_free(a);
}

static void other_marks_are_left_alone(void **state)
{
    static const char *const marks[] = {
        "",
        "c2ln",
        "cmVmcmFjdA",
        "cmVmcmFjdA==",
        "cmVmcmFjdAo=",
        "cmVmcmFjdApwCm0KCgoK",
        "cmVmcmFjdApwCm0KCgoKCg",
        "cmVmcmFjdAr/Cm0KCgoKCg==",
        "cmVmcmFjdHMKcAptCgoKCgo=",
    };
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct rf_thinking t = { 0 };
        struct rf_message m;
        if (opens(rf_str(marks[i]), a, &t, &m) || t.signature.p || m.origin_provider.n)
            fail_msg("\"%s\" is opened", marks[i]);
    }
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mark_comes_back),
        cmocka_unit_test(what_cannot_be_sealed_is_not),
        cmocka_unit_test(a_message_has_one_origin),
        cmocka_unit_test(other_marks_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
