/* How answers are asked for, and an answer that does not fit its schema. */
#include "scripted.h"

#define SCENE(rows) scene_open(s, (enum keeping)(intptr_t)*state, NULL, rows, COUNT(rows))

static enum rf_code set(struct scene *s, const char *name, const char *value)
{
    return rf_agent_option(s->agent, name, quoted(s->arena, value), &s->err);
}

static void options_go_with_every_request(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(set(s, "thinking", "{'level':'low'}"));
    good(set(s, "max_tokens", "4000"));
    good(set(s, "stop", "['END']"));
    good(ask(s, "Hi", &answer));
    assert_has(s->bodies[0], "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2048}");
    assert_has(s->bodies[0], "\"max_tokens\":4000");
    assert_has(s->bodies[0], "\"stop_sequences\":[\"END\"]");
    good(set(s, "thinking", "'off'"));
    good(set(s, "temperature", "0.50"));
    good(set(s, "stop", ""));
    good(ask(s, "Again", &answer));
    assert_has(s->bodies[1], "\"thinking\":{\"type\":\"disabled\"}");
    assert_has(s->bodies[1], "\"temperature\":0.50");
    assert_lacks(s->bodies[1], "stop_sequences");
    scene_close(s);
}

static const struct {
    const char *name, *value, *want;
} wrong[] = {
    { "seed", "1", "there is no option \"seed\"" },
    { "temperature", "2.1", "temperature: expected a number from 0 to 2" },
    { "temperature", "-1", "temperature: expected a number from 0 to 2" },
    { "temperature", "'hot'", "temperature: expected a number, found a string" },
    { "temperature", "hot", "temperature: expected a number from 0 to 2" },
    { "top_p", "1.5", "top_p: expected a number from 0 to 1" },
    { "max_tokens", "0", "max_tokens: expected a number above 0" },
    { "stop", "1", "stop: expected a string or an array, found a number" },
    { "thinking", "{'level':'most'}", "thinking.level: expected low, medium or high" },
    { "thinking", "'most'", "thinking.level: expected low, medium or high" },
    { "schema", "[]", "schema: expected an object, found an array" },
};

static void a_wrong_option_changes_nothing(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(set(s, "temperature", "1"));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(set(s, wrong[i].name, wrong[i].value), RF_EUSAGE);
        assert_string_equal(s->err.msg, wrong[i].want);
        assert_true(s->err.hint[0] || strstr(s->err.msg, "from 0 to"));
    }
    good(ask(s, "Hi", &answer));
    assert_has(s->bodies[0], "\"temperature\":1");
    assert_lacks(s->bodies[0], "output_config");
    scene_close(s);
}

#define SCHEMA "{'type':'object','properties':{'n':{'type':'integer'}},'required':['n']}"

static void an_answer_is_checked_against_its_schema(void **state)
{
    static const struct step steps[] = {
        { .reply = ANSWER("{\\'n\\':3}") },
        { .reply = ANSWER("{\\'n\\':\\'3\\'}") },
        { .reply = ANSWER("```json\\n{\\'n\\':4}\\n```\\n") },
        { .reply = ANSWER("Three, I think.") },
        { .reply = ANSWER("{\\'n\\':\\'3\\'}") },
        { .reply = ANSWER("All three.") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer = { 0 };
    SCENE(steps);
    good(set(s, "schema", SCHEMA));
    good(ask(s, "How many?", &answer));
    assert_str(answer, "{\"n\":3}");
    assert_has(s->bodies[0], "\"output_config\":{\"format\":{\"type\":\"json_schema\"");
    good(ask(s, "And now?", &answer)); /* asked for once more, and without the code block */
    assert_str(answer, "{\"n\":4}");
    assert_has(s->bodies[2], "Not accepted: the answer does not fit the schema: n: expected "
                             "integer, found a string. Answer again");
    assert_has(s->bodies[1], "\"tools\":");
    assert_lacks(s->bodies[2], "\"tools\":");
    assert_int_equal(ask(s, "Or now?", &answer), RF_EPROVIDER);
    assert_has(s->bodies[4], "Not accepted: the answer is not JSON: line 1, column 1: expected a "
                             "value. Answer again");
    assert_string_equal(s->err.msg, "the answer does not fit the schema: n: expected integer, "
                                    "found a string");
    assert_string_equal(s->err.path, "n");
    good(set(s, "schema", ""));
    good(ask(s, "In words?", &answer));
    assert_str(answer, "All three.");
    assert_int_equal(s->agent->history.count, 12); /* what did not fit is kept */
    scene_close(s);
}

static void tools_that_were_called_stay_and_are_not_to_be_called(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "read_file", "{\\'file_path\\':\\'.\\'}") CALLS_END },
        { .reply = ANSWER("Three") },
        { .reply = ANSWER("{\\'n\\':3}") },
        { .reply = ANSWER("{\\'n\\':4}") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(set(s, "schema", SCHEMA));
    good(ask(s, "How many?", &answer));
    assert_str(answer, "{\"n\":3}");
    assert_lacks(s->bodies[1], "\"tool_choice\"");
    assert_has(s->bodies[2], "\"tools\":[{\"name\":\"read_file\",\"description\":\"Read a file");
    assert_has(s->bodies[2], "\"tool_choice\":{\"type\":\"none\"}");
    good(ask(s, "And now?", &answer));
    assert_lacks(s->bodies[3], "\"tool_choice\"");
    scene_close(s);
}

static void what_the_agent_says_is_no_question(void **state)
{
    static const struct step steps[] = {
        { .reply = ANSWER("Three") },
        { .reply = ANSWER("{\\'n\\':3}") },
        { .reply = ANSWER("{\\'n\\':4}") },
        { .reply = ANSWER("Four was said.") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer, question;
    SCENE(steps);
    good(set(s, "schema", SCHEMA));
    assert_false(rf_agent_last_question(s->agent, &question));
    good(ask(s, "How many?", &answer));
    assert_true(rf_agent_last_question(s->agent, &question));
    assert_str(question, "How many?");
    good(rf_agent_retry(s->agent, &answer, &s->err));
    assert_str(answer, "{\"n\":4}");
    assert_true(rf_str_eq(s->bodies[0], s->bodies[2]));
    assert_int_equal(message_count(s), 2);
    good(rf_agent_compact(s->agent, RF_STR(""), &answer, &s->err));
    assert_false(rf_agent_last_question(s->agent, &question));
    assert_int_equal(rf_agent_retry(s->agent, &answer, &s->err), RF_EUSAGE);
    scene_close(s);
}

static void a_model_that_takes_no_schema_is_checked_all_the_same(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Three") },
                                         { .reply = ANSWER("I said it: three") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    rf_agent_system(s->agent, RF_STR("Be brief."));
    good(rf_agent_model(s->agent, "anthropic:claude-3-5-haiku", &s->err));
    good(set(s, "schema", SCHEMA));
    assert_int_equal(ask(s, "How many?", &answer), RF_EPROVIDER);
    assert_lacks(s->bodies[0], "output_config");
    assert_has(s->bodies[0],
               "\"system\":\"Be brief.\\n\\nAnswer with JSON alone, outside of a code "
               "block, that fits this JSON Schema: {\\\"type\\\":\\\"object\\\"");
    assert_int_equal(rf_notice_count(rf_agent_last_request(s->agent)), 1);
    scene_close(s);
}

static void a_summary_is_words(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("{\\'n\\':1}") },
                                         { .reply = ANSWER("One was said.") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(set(s, "schema", SCHEMA));
    good(set(s, "max_tokens", "2"));
    good(ask(s, "How many?", &answer));
    good(rf_agent_compact(s->agent, RF_STR(""), &answer, &s->err));
    assert_lacks(s->bodies[1], "output_config");
    assert_lacks(s->bodies[1], "\"max_tokens\":2,");
    scene_close(s);
}

#define BOTH(test)                                                        \
    { #test " (memory)", test, NULL, NULL, (void *)(intptr_t)IN_MEMORY }, \
    {                                                                     \
#test " (store)", test, NULL, NULL, (void *)(intptr_t)IN_STORE    \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(options_go_with_every_request),
        BOTH(a_wrong_option_changes_nothing),
        BOTH(an_answer_is_checked_against_its_schema),
        BOTH(tools_that_were_called_stay_and_are_not_to_be_called),
        BOTH(what_the_agent_says_is_no_question),
        BOTH(a_model_that_takes_no_schema_is_checked_all_the_same),
        BOTH(a_summary_is_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
