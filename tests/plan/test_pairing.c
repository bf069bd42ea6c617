/* Pairs: every call has exactly one result, and all results of a turn come before anything else of
 * it, whatever a history looks like. */
#include "show.h"

#define CHAT "openai-chat:gpt-4o"
#define CLAUDE "anthropic:claude-sonnet-4-5"
#define C1 CALL("c1", "look")
#define C2 CALL("c2", "look")
#define NONE "No result was recorded for this call."

static const struct plan_row rows[] = {
    { "one call, one result", CHAT, ASSISTANT(C1) "," OUTPUT("c1", "one"),
      "assistant: call(c1 look)\nuser: result(c1 look: \"one\")" },
    { "results in the order of the calls, however they came", CHAT,
      ASSISTANT(C1 "," C2) "," OUTPUT("c2", "two") "," OUTPUT("c1", "one"),
      "assistant: call(c1 look) call(c2 look)\n"
      "user: result(c1 look: \"one\") result(c2 look: \"two\")" },
    { "a call without a result", CLAUDE,
      USER("hi") "," ASSISTANT(C1 "," C2) "," OUTPUT("c2", "two"),
      "user: \"hi\"\nassistant: call(c1 look) call(c2 look)\n"
      "user: failed(c1 look: \"" NONE "\") result(c2 look: \"two\")" },
    { "a call without a result, in words where no mark tells", CHAT, ASSISTANT(C1),
      "assistant: call(c1 look)\nuser: failed(c1 look: \"Error: " NONE "\")" },
    { "a second result of a call stands after", CHAT,
      ASSISTANT(C1) "," OUTPUT("c1", "one") "," OUTPUT("c1", "again"),
      "assistant: call(c1 look)\nuser: result(c1 look: \"one\")\n"
      "user: \"[Result of look c1, for which no call is open:]\" \"again\"" },
    { "a result without a call", CHAT, USER("hi") "," OUTPUT("c9", "nine"),
      "user: \"hi\"\nuser: \"[Result of look c9, for which no call is open:]\" \"nine\"" },
    { "a result between a call and its own result", CHAT,
      ASSISTANT(C1) "," OUTPUT("c9", "nine") "," OUTPUT("c1", "one"),
      "assistant: call(c1 look)\nuser: result(c1 look: \"one\")\n"
      "user: \"[Result of look c9, for which no call is open:]\" \"nine\"" },
    { "a result that comes after the next answer", CHAT,
      ASSISTANT(C1) "," SAYS("never mind") "," OUTPUT("c1", "late"),
      "assistant: call(c1 look)\nuser: failed(c1 look: \"Error: " NONE "\")\n"
      "assistant: \"never mind\"\n"
      "user: \"[Result of look c1, for which no call is open:]\" \"late\"" },
    { "a person speaks between call and result", CHAT,
      ASSISTANT(C1) "," USER("hurry") "," OUTPUT("c1", "one"),
      "assistant: call(c1 look)\nuser: result(c1 look: \"one\")\nuser: \"hurry\"" },
    { "a person speaks between call and result, in the same turn", CLAUDE,
      USER("hi") "," ASSISTANT(C1) "," USER("hurry") "," OUTPUT("c1", "one"),
      "user: \"hi\"\nassistant: call(c1 look)\nuser: result(c1 look: \"one\") \"hurry\"" },
    { "two calls of one id take results in order, and get ids of their own", CHAT,
      ASSISTANT(C1 "," C1) "," OUTPUT("c1", "one") "," OUTPUT("c1", "two"),
      "assistant: call(c1 look) call(c1_2 look)\n"
      "user: result(c1 look: \"one\") result(c1_2 look: \"two\")" },
    { "calls of one id around another", CHAT,
      ASSISTANT(C1 "," C2 "," C1) "," OUTPUT("c2", "b") "," OUTPUT("c1", "a") "," OUTPUT("c1", "c"),
      "assistant: call(c1 look) call(c2 look) call(c1_2 look)\n"
      "user: result(c1 look: \"a\") result(c2 look: \"b\") result(c1_2 look: \"c\")" },
    { "the same id in two turns", CHAT,
      ASSISTANT(C1) "," OUTPUT("c1", "one") "," ASSISTANT(C1) "," OUTPUT("c1", "two"),
      "assistant: call(c1 look)\nuser: result(c1 look: \"one\")\n"
      "assistant: call(c1_2 look)\nuser: result(c1_2 look: \"two\")" },
    { "results without ids go by the tool's name", CHAT,
      ASSISTANT(CALL("", "a") "," CALL(
          "", "b")) ",{'role':'tool','tool_call_id':'','name':'b','output':'B'},"
                    "{'role':'tool','tool_call_id':'','name':'a','output':'A'}",
      "assistant: call(call_0_0 a) call(call_0_1 b)\n"
      "user: result(call_0_0 a: \"A\") result(call_0_1 b: \"B\")" },
    { "results without ids or names go in order", CHAT,
      ASSISTANT(CALL("", "a") "," CALL("", "b")) ",{'role':'tool','tool_call_id':'','output':'A'},"
                                                 "{'role':'tool','tool_call_id':'','output':'B'}",
      "assistant: call(call_0_0 a) call(call_0_1 b)\n"
      "user: result(call_0_0 a: \"A\") result(call_0_1 b: \"B\")" },
    { "a result of another tool's name finds nothing", CHAT,
      ASSISTANT(CALL("", "a")) ",{'role':'tool','tool_call_id':'','name':'b','output':'B'}",
      "assistant: call(call_0_0 a)\nuser: failed(call_0_0 a: \"Error: " NONE "\")\n"
      "user: \"[Result of b, for which no call is open:]\" \"B\"" },
    { "a result that names an id does not take a call without one", CHAT,
      ASSISTANT(CALL("", "look")) "," OUTPUT("c1", "one"),
      "assistant: call(call_0_0 look)\nuser: failed(call_0_0 look: \"Error: " NONE "\")\n"
      "user: \"[Result of look c1, for which no call is open:]\" \"one\"" },
    { "all results before the media that is injected", CHAT,
      ASSISTANT(C1 "," C2) "," BLOCKS("c1", IMAGE("f1")) "," OUTPUT("c2", "two"),
      "assistant: call(c1 look) call(c2 look)\n"
      "user: result(c1 look: \"See file f1.\") result(c2 look: \"two\")\n"
      "user: \"[look c1: \"f1.png\"] This is file f1:\" <image/png>" },
    { "media of an orphan goes with it", CHAT, USER("hi") "," BLOCKS("c9", IMAGE("f1")),
      "user: \"hi\"\nuser: \"[Result of look c9, for which no call is open:]\" <image/png>" },
    { "a model without tools gets calls and results as words", CHAT " tools=no",
      ASSISTANT(C1) "," OUTPUT("c1", "one") "," USER("and?"),
      "assistant: \"[Called look c1: {}]\"\nuser: \"[Result of look c1:]\" \"one\"\nuser: \"and?\"" },
    { "and files after them", CHAT " tools=no", ASSISTANT(C1) "," BLOCKS("c1", IMAGE("f1")),
      "assistant: \"[Called look c1: {}]\"\nuser: \"[Result of look c1:]\" <image/png>" },
    { "a hostile orphan cannot close the bracket", CHAT,
      USER("hi") ",{'role':'tool','tool_call_id':'c1] x [y','name':'a\\n]b','output':'o'}",
      "user: \"hi\"\n"
      "user: \"[Result of a__b c1_ x _y, for which no call is open:]\" \"o\"" },
    { "an orphan that says nothing", CHAT, USER("hi") "," OUTPUT("c9", ""),
      "user: \"hi\"\n"
      "user: \"[Result of look c9, for which no call is open:]\" \"(no output)\"" },
    { "an orphan that failed", CLAUDE, USER("hi") "," TOOL("c9", "'success':false,'error':'no'"),
      "user: \"hi\" \"[Result of look c9, for which no call is open:]\" \"Error: no\"" },
};

/* What must hold for any history: after each turn with calls one that begins with exactly their
 * results, in order, and no results elsewhere. */
static void check_pairs(const struct rf_plan *p)
{
    for (size_t t = 0; t < p->turn_count; t++) {
        const struct rf_turn *turn = &p->turns[t], *next = t + 1 < p->turn_count ? turn + 1 : NULL;
        size_t calls = 0;
        for (size_t i = 0; i < turn->count; i++) {
            if (turn->items[i].kind == RF_ITEM_CALL) {
                assert_int_equal(turn->role, RF_ROLE_ASSISTANT);
                assert_true(next && next->role == RF_ROLE_USER && calls < next->count);
                assert_int_equal(next->items[calls].kind, RF_ITEM_RESULT);
                assert_true(rf_str_eq(next->items[calls].id, turn->items[i].id));
                assert_true(next->items[calls].count > 0);
                calls++;
            }
            if (turn->items[i].kind == RF_ITEM_RESULT) {
                assert_int_equal(turn->role, RF_ROLE_USER);
                assert_true(t > 0 && i < turn[-1].count);
            }
        }
        for (size_t i = calls; next && calls && i < next->count; i++)
            assert_int_not_equal(next->items[i].kind, RF_ITEM_RESULT);
    }
}

/* Histories of messages drawn by lot, for endpoints of every kind. */
static void any_history_has_its_pairs(void **state)
{
    static const char *const pieces[] = {
        USER("hi"),
        SAYS("so"),
        ASSISTANT(C1),
        ASSISTANT(C1 "," C2),
        ASSISTANT(C2 "," C1 "," C1),
        OUTPUT("c1", "one"),
        OUTPUT("c2", ""),
        BLOCKS("c1", IMAGE("f1")),
        BLOCKS("c2", PDF("f2")),
        TOOL("c1", "'success':false,'error':'no'"),
        "{'role':'tool','tool_call_id':'','output':'?'}",
        ASSISTANT(CALL("", "a")),
        "{'role':'assistant','content':''}",
    };
    static const char *const models[] = { CHAT,
                                          CLAUDE,
                                          "bedrock:us.anthropic.claude-x",
                                          "bedrock:meta.llama4",
                                          "google:gemini-3-pro",
                                          "mistral:mistral-large",
                                          "cohere:command-a-vision-07-2025",
                                          "ollama:llava" };
    uint32_t seed = 2026;
    (void)state;
    for (int round = 0; round < 400; round++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_str list = rf_str(USER("hi"));
        for (unsigned n = 0; n < 8; n++) {
            seed = seed * 1664525 + 1013904223;
            list = rf_strf(a, "%.*s,%s", RF_FMT(list), pieces[(seed >> 16) % COUNT(pieces)]);
        }
        const char *doc = rf_strf(a, "{'refract':1,'messages':[%.*s]}", RF_FMT(list)).p;
        const struct shown *s = show_plan(a, models[(size_t)round % COUNT(models)], doc, false);
        assert_int_equal(s->rc, RF_OK);
        check_pairs(&s->plan);
        rf_arena_free(a);
    }
}

/* A hundred thousand calls, all of one id, and their results. */
static void many_calls_take_no_time(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const size_t count = 100000;
    char *text = rf_arena_alloc(a, count * 120), *q = text;
    q += snprintf(q, 100, "{'refract':1,'messages':[{'role':'assistant','content':[");
    for (size_t i = 0; i < count; i++)
        q += snprintf(q, 100, "%s" CALL("c1", "look"), i ? "," : "");
    q += snprintf(q, 10, "]}");
    for (size_t i = 0; i < count; i++)
        q += snprintf(q, 100, ",{'role':'tool','tool_call_id':'c1','output':'x'}");
    snprintf(q, 10, "]}");
    alarm(600);
    const struct shown *s = show_plan(a, CHAT, text, false);
    alarm(0);
    assert_int_equal(s->rc, RF_OK);
    assert_int_equal(s->plan.turns[1].count, count);
    check_pairs(&s->plan);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(any_history_has_its_pairs),
        cmocka_unit_test(many_calls_take_no_time),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, check_plan, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
