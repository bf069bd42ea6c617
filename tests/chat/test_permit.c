/* Which keys answer a question: those that are typed when it has stood on the screen for a while without any. The clock is
 * played: rf_chat_now_ms and rf_chat_say are wrapped. */
#include "chat/parts.h"

#include "../testing.h"

static long long now_ms;

long long __wrap_rf_chat_now_ms(void);
void __wrap_rf_chat_say(struct rf_chat *c, enum rf_style style, const char *fmt, ...);

long long __wrap_rf_chat_now_ms(void)
{
    return now_ms;
}

void __wrap_rf_chat_say(struct rf_chat *c, enum rf_style style, const char *fmt, ...)
{
    (void)c, (void)style, (void)fmt;
}

static const struct row {
    const char *name;
    const char *happens; /* D: the screen is drawn; a dot: 100 ms pass; else a key */
    const char *typed;   /* keys that were not an answer */
    bool answered;
    enum rf_permission permission;
} rows[] = {
    { "yes", "D....DDy", "", true, RF_PERMIT_ONCE },
    { "always", "D....DDa", "", true, RF_PERMIT_ALWAYS },
    { "no", "D....DDn", "", true, RF_PERMIT_NO },
    { "before it was drawn", "........y", "y", false, 0 },
    { "as soon as it was drawn", "Dy", "y", false, 0 },
    { "too early", "D...DDy", "y", false, 0 },
    { "typed early and read late", "D....y", "y", false, 0 },
    { "typed early and read after the screen was drawn late", "D....Dy", "y", false, 0 },
    { "together with another key", "D....DDxy", "xy", false, 0 },
    { "after another key, too early", "D....DDx...DDy", "xy", false, 0 },
    { "after another key", "D....DDx....DDy", "x", true, RF_PERMIT_ONCE },
    { "a key that is none", "D....DDx", "x", false, 0 },
};

static void check_keys(void **state)
{
    const struct row *row = *state;
    struct rf_chat_turn turn = { 0 };
    struct rf_chat_question *question = calloc(1, sizeof *question);
    struct rf_chat c = { .turn = &turn, .question = question };
    char typed[8] = "";
    assert_non_null(question);
    question->tool = strdup("t");
    pthread_mutex_init(&turn.lock, NULL);
    pthread_cond_init(&turn.changed, NULL);
    for (const char *p = row->happens; *p; p++) {
        if (*p == 'D')
            rf_chat_permit_drawn(&c);
        else if (*p == '.')
            now_ms += 100;
        else if (!rf_chat_permit_key(&c, *p, true))
            typed[strlen(typed)] = *p;
    }
    assert_string_equal(typed, row->typed);
    assert_int_equal(turn.answered, row->answered);
    assert_int_equal(rf_chat_permit_asks(&c), !row->answered);
    if (row->answered)
        assert_int_equal(turn.permission, row->permission);
    free(c.question ? c.question->tool : NULL);
    free(c.question);
    pthread_cond_destroy(&turn.changed);
    pthread_mutex_destroy(&turn.lock);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_rows(tests, check_keys, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
