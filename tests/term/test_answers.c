/* What a terminal says about itself, taken out of what is typed: whole, byte by byte, cut anywhere; lies; and answers
 * that never end. */
#include "term/tty_answers.h"

#include <string.h>

#include "../testing.h"

#define KITTY "\033_Gi=31;OK\033\\"
#define ITERM "\033P>|iTerm2 3.5.10\033\\"
#define CELL "\033[6;20;10t"
#define LIGHT "\033]11;rgb:ffff/ffff/f0f0\033\\"
#define DARK "\033]11;rgb:1c1c/1c1c/1c1c\a"
#define SIXEL "\033[?62;4;22c"
#define LAST "\033[?62;22c"

static const struct answer {
    const char *name, *in, *typed;
    const char *want; /* k kitty, i iterm, s sixel, l light, d dark, D done, and WxH */
} rows[] = {
    { "nothing", "", "", "" },
    { "letters", "hello", "hello", "" },
    { "kitty", KITTY LAST, "", "kD" },
    { "kitty that cannot", "\033_Gi=31;ENOTSUP:no\033\\" LAST, "", "D" },
    { "an answer to another's question", "\033_Gi=7;OK\033\\" LAST, "", "D" },
    { "iterm", ITERM LAST, "", "iD" },
    { "wezterm", "\033P>|WezTerm 20240203\033\\" LAST, "", "iD" },
    { "a name that only begins so", "\033P>|iTerm2000 1\033\\" LAST, "", "D" },
    { "sixel", SIXEL, "", "sD" },
    { "a four in another number is none", "\033[?64;14;40;44c", "", "D" },
    { "attributes alone", "\033[?4c", "", "sD" },
    { "light", LIGHT LAST, "", "lD" },
    { "dark", DARK LAST, "", "dD" },
    { "a background in two digits", "\033]11;rgb:ff/ff/ff\033\\" LAST, "", "lD" },
    { "with a share of glass", "\033]11;rgba:00/00/00/ff\033\\" LAST, "", "dD" },
    { "a background without blue", "\033]11;rgb:ff/ff\033\\" LAST, "", "D" },
    { "a background that is none", "\033]11;white\033\\" LAST, "", "D" },
    { "digits without end", "\033]11;rgb:fffffffffffffffffffff/0/0\033\\" LAST, "", "D" },
    { "a cell", CELL LAST, "", "D10x20" },
    { "a cell without size", "\033[6;0;0t" LAST, "", "D" },
    { "a cell that is too large", "\033[6;99999999999;10t" LAST, "", "D" },
    { "a cell of three", "\033[6;20;10;5t" LAST, "", "D" },
    { "all of them", KITTY ITERM CELL LIGHT SIXEL, "", "kislD10x20" },
    { "typed between", "a" KITTY "b" ITERM "c" CELL "d" LIGHT "e" SIXEL "f", "abcdef",
      "kislD10x20" },
    { "keys between", "\033[A" KITTY "\033[1;5C" SIXEL "\033OP", "\033[A\033[1;5C\033OP", "ksD" },
    { "keys that begin like answers", "\033[6~\033[6;5~\033[5~\033[24~",
      "\033[6~\033[6;5~\033[5~\033[24~", "" },
    { "Alt and a letter", "\033b\033f\033.\033\r", "\033b\033f\033.\033\r", "" },
    { "Escape and a key", "\033\033[A\033\033b", "\033\033[A\033\033b", "" },
    { "a paste", "\033[200~text\rmore\033[201~", "\033[200~text\rmore\033[201~", "" },
    { "Shift-Enter", "\033[13;2u\033[27;2;13~", "\033[13;2u\033[27;2;13~", "" },
    { "after the last, answers are taken out and not believed", LAST KITTY SIXEL CELL, "", "D" },
    { "a title is not an answer, and not typed", "\033]0;owned\a" LAST, "", "D" },
    { "an answer in an answer", "\033P>|\033]0;owned\akitty\033\\" LAST, "", "D" },
    { "an answer that Enter breaks off", "\033_Gi=31\rx" LAST, "\rx", "D" },
    { "an answer that Ctrl-C breaks off", "\033]11;rgb:\003" LAST, "\003", "D" },
    { "parameters that Ctrl-C breaks off", "\033[?62;\003" LAST, "\003", "D" },
    { "a sequence that another breaks off", "\033[6;2\033[A" LAST, "\033[A", "D" },
    { "letters that are not ASCII", "é日\033[?62;22c👍", "é日👍", "D" },
    { "reports nobody asked for", "\033[?1u\033[?2026;2$y\033[8;24;80t" LAST, "", "D" },
};

static void describe(const struct rf_answers *a, char out[64])
{
    char cell[32] = "";
    if (a->cell_width)
        snprintf(cell, sizeof cell, "%dx%d", a->cell_width, a->cell_height);
    snprintf(out, 64, "%s%s%s%s%s%s", a->kitty ? "k" : "", a->iterm ? "i" : "", a->sixel ? "s" : "",
             !a->background ? ""
             : a->light     ? "l"
                            : "d",
             a->done ? "D" : "", cell);
}

static void check(const struct answer *row, const struct rf_answers *a,
                  const struct rf_buffer *typed)
{
    char got[64];
    describe(a, got);
    assert_string_equal(got, row->want);
    assert_int_equal(typed->n, strlen(row->typed));
    assert_memory_equal(rf_buffer_view(typed).p, row->typed, typed->n);
}

/* Whole, and cut once anywhere: a pause of 10 ms is none. */
static void answered(void **state)
{
    const struct answer *row = *state;
    size_t n = strlen(row->in);
    for (size_t cut = 0; cut <= n; cut++) {
        struct rf_answers a = { .asked = true };
        struct rf_buffer typed = { 0 };
        rf_answers_add(&a, (struct rf_str){ row->in, cut }, 1000, &typed);
        if (!a.done) /* then nothing is waited for */
            rf_answers_idle(&a, 1010, &typed);
        rf_answers_add(&a, (struct rf_str){ row->in + cut, n - cut }, 1010, &typed);
        rf_answers_idle(&a, 9000, &typed);
        check(row, &a, &typed);
        rf_buffer_release(&typed);
    }
}

static void answered_by_bytes(void **state)
{
    const struct answer *row = *state;
    struct rf_answers a = { .asked = true };
    struct rf_buffer typed = { 0 };
    for (size_t i = 0; row->in[i]; i++)
        rf_answers_add(&a, (struct rf_str){ row->in + i, 1 }, 1000 + (long long)i, &typed);
    rf_answers_idle(&a, 9000, &typed);
    check(row, &a, &typed);
    rf_buffer_release(&typed);
}

static void nobody_asked(void **state)
{
    (void)state;
    struct rf_answers a = { 0 };
    struct rf_buffer typed = { 0 };
    rf_answers_add(&a, rf_str("x" KITTY ITERM CELL LIGHT SIXEL "y"), 0, &typed);
    assert_int_equal(typed.n, 2);
    assert_false(a.kitty || a.iterm || a.sixel || a.background || a.done || a.cell_width ||
                 a.changes);
    rf_buffer_release(&typed);
}

/* Escape alone is a key: at once where nothing is awaited, after a moment else. */
static void escape_alone(void **state)
{
    (void)state;
    struct rf_answers a = { 0 };
    struct rf_buffer typed = { 0 };
    rf_answers_add(&a, rf_str("\033"), 1000, &typed);
    assert_int_equal(rf_answers_due(&a, 1000), 0);
    rf_answers_idle(&a, 1000, &typed);
    assert_int_equal(typed.n, 1);
    assert_int_equal(rf_answers_due(&a, 1000), -1);
    a.asked = true;
    rf_answers_add(&a, rf_str("\033"), 1000, &typed);
    assert_int_equal(rf_answers_due(&a, 1010), 40);
    rf_answers_idle(&a, 1040, &typed);
    assert_int_equal(typed.n, 1);
    rf_answers_idle(&a, 1050, &typed);
    assert_int_equal(typed.n, 2);
    rf_buffer_release(&typed);
}

/* What began as an answer and stopped is dropped after a second. */
static void half_an_answer(void **state)
{
    (void)state;
    static const char *const halves[] = { "\033_Gi=31;", "\033]11;rgb:00", "\033P>|x\033",
                                          "\033[?62;", "\033[6;20" };
    for (size_t i = 0; i < COUNT(halves); i++) {
        struct rf_answers a = { .asked = true };
        struct rf_buffer typed = { 0 };
        rf_answers_add(&a, rf_str(halves[i]), 0, &typed);
        rf_answers_idle(&a, 900, &typed);
        assert_true(rf_answers_due(&a, 900) > 0);
        rf_answers_idle(&a, 1000, &typed);
        assert_int_equal(rf_answers_due(&a, 1000), -1);
        rf_answers_add(&a, rf_str("x"), 1000, &typed);
        assert_int_equal(typed.n, 1);
        rf_buffer_release(&typed);
    }
}

static const struct endless {
    const char *name, *begin, *with, *end;
    long long end_ms; /* when the end comes; the rest is at 0 */
    const char *typed;
} endless[] = {
    { "a string that ends late", "\033]11;", "a", "\033\\x", 10, "x" },
    { "one that a bell ends", "\033]1337;", "a", "\ax", 10, "x" },
    { "one in which a bell is nothing", "\033P>|", "a", "\ab\033\\x", 10, "x" },
    { "parameters", "\033[?", "4", ";cx", 10, "x" },
    { "parameters of a key", "\033[", "4", "~x", 10, "x" },
    { "Ctrl-C gets through", "\033_G", "a", "\003x", 10, "\003x" },
    { "Enter gets through", "\033[?", "1", "\rx", 10, "\rx" },
    { "everything does two seconds later", "\033_G", "a", "hello", 2100, "hello" },
    { "an arrow ends parameters", "\033[?", "1", "\033[A", 10, "\033[A" },
};

static void without_end(void **state)
{
    const struct endless *row = *state;
    for (int awaited = 0; awaited < 2; awaited++) {
        struct rf_answers a = { .asked = awaited };
        struct rf_buffer typed = { 0 };
        rf_answers_add(&a, rf_str(row->begin), 0, &typed);
        for (int i = 0; i < 5000; i++)
            rf_answers_add(&a, rf_str(row->with), 0, &typed);
        assert_int_equal(typed.n, 0);
        rf_answers_add(&a, rf_str(row->end), row->end_ms, &typed);
        assert_int_equal(typed.n, strlen(row->typed));
        assert_memory_equal(typed.p, row->typed, typed.n);
        assert_false(a.kitty || a.iterm || a.sixel);
        rf_buffer_release(&typed);
    }
}

/* A terminal that only ever answers: it is heard out for so long, and then what comes counts as typed. */
static void for_ever(void **state)
{
    (void)state;
    struct rf_answers a = { .asked = true };
    struct rf_buffer typed = { 0 };
    rf_answers_add(&a, rf_str("\033_G"), 0, &typed);
    for (int i = 0; i < 100000; i++)
        rf_answers_add(&a, rf_str("a"), 0, &typed);
    assert_true(typed.n > 30000 && typed.n < 40000);
    rf_buffer_release(&typed);
}

/* Any bytes: what is typed is never more than what came, and Enter always gets through in the end. */
static void any_bytes(void **state)
{
    (void)state;
    static const char alphabet[] = "\033\033\033[]P_G>?|;123\\\a\003catRu~\r:";
    uint32_t seed = 99;
    for (int round = 0; round < 5000; round++) {
        struct rf_answers a = { .asked = round & 1 };
        struct rf_buffer typed = { 0 };
        for (int i = 0; i < 60; i++) {
            seed = seed * 1664525 + 1013904223;
            rf_answers_add(&a,
                           (struct rf_str){ alphabet + (seed >> 16) % (sizeof alphabet - 1), 1 }, i,
                           &typed);
            if (seed >> 28 == 0)
                rf_answers_idle(&a, i, &typed);
        }
        assert_true(typed.n <= 60);
        rf_answers_add(&a, rf_str("\r"), 100, &typed);
        assert_true(typed.n && typed.p[typed.n - 1] == '\r');
        rf_buffer_release(&typed);
    }
}

int main(void)
{
    struct CMUnitTest tests[2 * COUNT(rows) + COUNT(endless) + 5];
    size_t n = 0;
    name_rows(tests, answered, rows, COUNT(rows), sizeof *rows);
    n += COUNT(rows);
    name_rows(tests + n, answered_by_bytes, rows, COUNT(rows), sizeof *rows);
    n += COUNT(rows);
    name_rows(tests + n, without_end, endless, COUNT(endless), sizeof *endless);
    n += COUNT(endless);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(nobody_asked);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(escape_alone);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(half_an_answer);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(for_ever);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(any_bytes);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
