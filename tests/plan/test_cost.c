/* What a message costs by the length of its texts is never less than what it costs exactly, or a
 * request that does not fit would be taken for one that does. */
#include "plan/cost.h"

#include "base/arena.h"

#include "../testing.h"

static const struct rf_caps caps = { .text_percent = 110, .call_tokens = 4, .message_tokens = 4 };

static struct rf_joint_message cost(const struct rf_part *part, enum rf_scale scale)
{
    const struct rf_message message = { .role = RF_ROLE_ASSISTANT };
    struct rf_part one = *part;
    const struct rf_surveyed surveyed = { .message = &message, .parts = &one, .count = 1 };
    const struct rf_paired alone = { 0 };
    struct rf_joint_message out;
    rf_cost_message(&caps, scale, &surveyed, &alone, &out);
    return out;
}

static void check(const struct rf_part *part)
{
    struct rf_joint_message exact = cost(part, RF_SCALE_EXACT), most = cost(part, RF_SCALE_LENGTH);
    assert_true(most.tokens >= exact.tokens);
    assert_true(most.bytes >= exact.bytes);
    assert_true(most.text_bytes >= exact.text_bytes);
}

static void texts(void **state)
{
    static const char *const rows[] = { "",
                                        "a",
                                        "a sentence of words",
                                        "\"\\\n\t\x01",
                                        "9 8 7 6",
                                        "\xe4\xb8\xad\xe6\x96\x87",
                                        "...,,,;;;" };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check(&(struct rf_part){ .kind = RF_PART_TEXT, .text = rf_str(rows[i]) });
}

/* Of a custom tool, the arguments are an object that was made of its input. */
static void arguments_that_were_made(void **state)
{
    struct rf_arena *a = rf_arena_new();
    char input[2000];
    (void)state;
    memset(input, '7', sizeof input);
    const struct rf_jmember member = { "input",
                                       rf_jval_string((struct rf_str){ input, sizeof input }, a) };
    struct rf_block block = { .type = RF_BLOCK_TOOL_CALL,
                              .call = { .name = RF_STR("run"),
                                        .arguments = rf_jval_object(&member, 1, a) } };
    const struct rf_part part = { .kind = RF_PART_CALL, .block = &block };
    assert_true(cost(&part, RF_SCALE_EXACT).tokens > 500);
    check(&part);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(arguments_that_were_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
