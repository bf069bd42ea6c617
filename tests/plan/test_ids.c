/* Ids and names that an endpoint takes: what is legal stays, what is not is made so, nothing is
 * given out twice, and what comes later changes nothing before it. */
#include "plan/ids.h"

#include "../testing.h"

#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct row {
    const char *name;
    enum rf_id_rule rule;
    const char *ids[5], *want[5];
} rows[] = {
    { "any id stays", RF_IDS_ANY, { "a b/c", "\xc3\xa9" }, { "a b/c", "\xc3\xa9" } },
    { "any id only once", RF_IDS_ANY, { "a", "a", "a" }, { "a", "a_2", "a_3" } },
    { "a number that is taken is not given",
      RF_IDS_ANY,
      { "a", "a_2", "a", "a" },
      { "a", "a_2", "a_3", "a_4" } },
    { "a made id is not given again", RF_IDS_ANY, { "a", "a", "a_2" }, { "a", "a_2", "a_2_2" } },
    { "no id", RF_IDS_ANY, { "", "" }, { "call_7_0", "call_7_1" } },
    { "no id beside one that looks like it",
      RF_IDS_ANY,
      { "call_7_1", "" },
      { "call_7_1", "call_7_1_2" } },
    { "letters, digits, _ and - stay", RF_IDS_WORD64, { "toolu_01-Ab" }, { "toolu_01-Ab" } },
    { "anything else becomes _",
      RF_IDS_WORD64,
      { "functions.read:0", "a\xc3\xa9" },
      { "functions_read_0", "a__" } },
    { "different ids that become one stay different",
      RF_IDS_WORD64,
      { "a.b", "a:b", "a_b" },
      { "a_b", "a_b_2", "a_b_3" } },
    { "64 characters stay", RF_IDS_WORD64, { X50 "01234567890123" }, { X50 "01234567890123" } },
    { "more than 64 are cut", RF_IDS_WORD64, { X50 "012345678901234" }, { X50 "01234567890123" } },
    { "long ids that become one stay different, and short enough",
      RF_IDS_WORD64,
      { X50 "01234567890123A", X50 "01234567890123B" },
      { X50 "01234567890123", X50 "01_2" } },
    { "some take 40 and no more",
      RF_IDS_WORD40,
      { "0123456789012345678901234567890123456789A", "0123456789012345678901234567890123456789B" },
      { "0123456789012345678901234567890123456789", "0123456789012345678901234567_2" } },
    { "an id that stands for another is that one",
      RF_IDS_ANY,
      { "call__as__ZnVuY3Rpb25zLmxvb2s6MA", "call__as__", "call__as__!", "call__as___w" },
      { "functions.look:0", "call__as__", "call__as__!", "call__as___w" } },
    { "nine letters and digits stay", RF_IDS_ALNUM9, { "abcDEF123" }, { "abcDEF123" } },
};

static void gives(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_ids ids;
    rf_ids_init(&ids, a);
    for (size_t i = 0; i < 5 && row->ids[i]; i++)
        assert_str(rf_ids_call(&ids, row->rule, rf_str(row->ids[i]), 7, i), row->want[i]);
    rf_arena_free(a);
}

static bool is_legal(enum rf_id_rule rule, struct rf_str id)
{
    bool alnum = true, word = true;
    for (size_t i = 0; i < id.n; i++) {
        char c = id.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        alnum = alnum && letter;
        word = word && (letter || c == '_' || c == '-');
    }
    if (rule == RF_IDS_ALNUM9)
        return alnum && id.n == 9;
    return id.n > 0 && (rule == RF_IDS_ANY || (word && id.n <= 64));
}

/* Ids of all sorts, many of them equal. */
static struct rf_str some_id(struct rf_arena *a, uint32_t *seed)
{
    static const char *const stems[] = { "",          "a",     "a_2",      "call_3_1",
                                         "toolu_x",   "x.y",   "x:y",      "abcDEF123",
                                         "123456789", X50 X50, "\xc3\xa9", "a_2_2" };
    *seed = *seed * 1664525 + 1013904223;
    const char *stem = stems[(*seed >> 8) % COUNT(stems)];
    return *seed >> 28 ? rf_str(stem) : rf_strf(a, "%s%u", stem, *seed >> 20 & 15);
}

static void any_ids_are_legal_and_different(void **state)
{
    (void)state;
    for (enum rf_id_rule rule = RF_IDS_ANY; rule <= RF_IDS_ANY64; rule++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_ids ids, seen;
        uint32_t seed = 42;
        rf_ids_init(&ids, a);
        rf_ids_init(&seen, a);
        for (size_t i = 0; i < 20000; i++) {
            struct rf_str id = rf_ids_call(&ids, rule, some_id(a, &seed), i / 4, i % 4);
            if (!is_legal(rule, id) || !rf_ids_new(&seen, id))
                fail_msg("%zu: %s", i, rf_cstr(a, id));
        }
        rf_arena_free(a);
    }
}

static void the_same_history_has_the_same_ids(void **state)
{
    (void)state;
    for (enum rf_id_rule rule = RF_IDS_ANY; rule <= RF_IDS_ANY64; rule++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_ids once, again;
        uint32_t seed = 5;
        rf_ids_init(&once, a);
        rf_ids_init(&again, a);
        for (size_t i = 0; i < 500; i++) {
            struct rf_str id = some_id(a, &seed);
            assert_true(
                rf_str_eq(rf_ids_call(&once, rule, id, i, 0), rf_ids_call(&again, rule, id, i, 0)));
        }
        rf_arena_free(a);
    }
}

static const struct tool_row {
    const char *name, *tool, *want;
} tools[] = {
    { "a legal name", "read_file-2", "read_file-2" },
    { "dots and slashes", "mcp.server/read", "mcp_server_read" },
    { "letters past ASCII", "\xc3\xa9t\xc3\xa9", "__t__" },
    { "a digit first", "3d_view", "_3d_view" },
    { "a dash first", "-x", "_-x" },
    { "no name", "", "tool" },
    { "64 characters", X50 "01234567890123", X50 "01234567890123" },
    { "65 characters", X50 "012345678901234", X50 "01234567890123" },
    { "a digit first and 64 characters", "0" X50 "0123456789012", "_0" X50 "012345678901" },
    { "a hostile name", "a] This is file x:\n[b", "a__This_is_file_x___b" },
};

static void is_named(void **state)
{
    const struct tool_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    assert_str(rf_legal_tool_name(rf_str(row->tool), a), row->want);
    rf_arena_free(a);
}

static void goes_back_as_it_came(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_ids ids;
    rf_ids_init(&ids, a);
    assert_str(rf_ids_call_back(&ids, RF_IDS_WORD64, RF_STR(X50 X50 "+/=="), 0, 0), X50 X50 "+/==");
    assert_str(rf_ids_call_back(&ids, RF_IDS_WORD64, RF_STR("a/b"), 1, 0), "a/b");
    assert_str(rf_ids_call_back(&ids, RF_IDS_WORD64, RF_STR("a/b"), 2, 0), "a_b");
    assert_str(rf_ids_call_back(&ids, RF_IDS_WORD64, RF_STR(""), 3, 1), "call_3_1");
    rf_arena_free(a);
}

static const struct brought_row {
    const char *name;
    enum rf_id_rule rule;
    const char *id, *want;
} brought[] = {
    { "an id of any letters is legal in Chat", RF_IDS_WORD40, "functions.look:0",
      "functions.look:0" },
    { "one of 40 characters too", RF_IDS_WORD40, "012345678901234567890123456789012345678:",
      "012345678901234567890123456789012345678:" },
    { "a longer one is not", RF_IDS_WORD40, "0123456789012345678901234567890123456789:",
      "0123456789012345678901234567890123456789" },
    { "except for servers that give such", RF_IDS_OWN40, X50 X50, X50 X50 },
    { "Responses take 64 of any letters", RF_IDS_ANY64, X50 "0123456:call_0",
      X50 "0123456:call_0" },
    { "and no more", RF_IDS_ANY64, X50 "01234567:call_0", X50 "01234567_call_" },
    { "Messages take words alone", RF_IDS_WORD64, "functions.look:0", "functions_look_0" },
    { "Mistral takes its own alone", RF_IDS_ALNUM9, "abcDEF123", "abcDEF123" },
    { "a mark that a gateway added comes off", RF_IDS_OWN40, "a__thought__c2ln", "a" },
    { "a proxy's own stays", RF_IDS_SEALED, "a__thought__c2ln", "a__thought__c2ln" },
};

static void stays_where_it_is_taken(void **state)
{
    const struct brought_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_ids ids;
    rf_ids_init(&ids, a);
    assert_str(rf_ids_call_brought(&ids, row->rule, rf_str(row->id), 1, 0), row->want);
    rf_arena_free(a);
}

static void ids_may_come_again_in_another_turn(void **state)
{
    (void)state;
    static const struct {
        enum rf_id_rule rule;
        const char *later;
    } cases[] = { { RF_IDS_WORD40, "call_0" },  { RF_IDS_OWN40, "call_0" },
                 { RF_IDS_ANY, "call_0" },     { RF_IDS_SEALED, "call_0" },
                 { RF_IDS_ANY64, "call_0_2" }, { RF_IDS_WORD64, "call_0_2" } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_ids ids;
        struct rf_str id = RF_STR("call_0");
        rf_ids_init(&ids, a);
        assert_str(rf_ids_call_brought(&ids, cases[i].rule, id, 1, 0), "call_0");
        assert_str(rf_ids_call_brought(&ids, cases[i].rule, id, 3, 0), cases[i].later);
        assert_false(rf_str_eq(rf_ids_call_brought(&ids, cases[i].rule, id, 3, 1), id));
        assert_str(rf_ids_call(&ids, RF_IDS_WORD64, RF_STR(""), 5, 0), "call_5_0");
        id = RF_STR("call_5_0");
        assert_false(rf_str_eq(rf_ids_call_brought(&ids, cases[i].rule, id, 5, 1), id));
        rf_arena_free(a);
    }
}

static void tools_have_different_names(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_ids ids;
    rf_ids_init(&ids, a);
    assert_str(rf_ids_tool(&ids, RF_STR("a.b")), "a_b");
    assert_str(rf_ids_tool(&ids, RF_STR("a/b")), "a_b_2");
    assert_str(rf_ids_tool(&ids, RF_STR("a_b_2")), "a_b_2_2");
    assert_str(rf_ids_tool(&ids, RF_STR("a.b")), "a_b_3");
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(any_ids_are_legal_and_different),
        cmocka_unit_test(the_same_history_has_the_same_ids),
        cmocka_unit_test(goes_back_as_it_came),
        cmocka_unit_test(ids_may_come_again_in_another_turn),
        cmocka_unit_test(tools_have_different_names),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(tools) + COUNT(brought) + COUNT(others)];
    name_rows(tests, gives, rows, COUNT(rows), sizeof *rows);
    name_rows(tests + COUNT(rows), is_named, tools, COUNT(tools), sizeof *tools);
    size_t n = COUNT(rows) + COUNT(tools);
    name_rows(tests + n, stays_where_it_is_taken, brought, COUNT(brought), sizeof *brought);
    memcpy(tests + n + COUNT(brought), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
