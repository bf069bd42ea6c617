/* What the program makes of the library's errors: the exit statuses that refract(1) promises, and its
 * own words after a hint. */
#include "advice.h"

#include "../testing.h"

static const struct status {
    const char *name;
    enum rf_code code;
    int status;
} statuses[] = {
    { "done", RF_OK, 0 },
    { "not foreseen", RF_EINTERNAL, 1 },
    { "wrong usage", RF_EUSAGE, 2 },
    { "content that this model cannot take", RF_EUNSUPPORTED, 3 },
    { "the provider or the network", RF_EPROVIDER, 4 },
    { "a limit", RF_ELIMIT, 5 },
    { "a file that cannot be read", RF_EIO, 6 },
    { "a file that is not there", RF_ENOTFOUND, 6 },
    { "a file that is malformed", RF_EFORMAT, 6 },
    { "a file that is encrypted", RF_EENCRYPTED, 6 },
    { "permission", RF_EPERMISSION, 7 },
    { "configuration", RF_ECONFIG, 8 },
    { "the sandbox", RF_ESANDBOX, 8 },
    { "interrupted", RF_EINTERRUPTED, 130 },
    { "a code of a newer library", (enum rf_code)99, 1 },
};

static void exits_with_its_status(void **state)
{
    const struct status *row = *state;
    assert_int_equal(rf_exit_status(row->code), row->status);
}

static const struct advised {
    const char *name;
    enum rf_reason reason;
    const char *hint, *want;
} advised[] = {
    { "a hint alone", RF_REASON_OTHER, "Try again.", "Try again." },
    { "nothing to say", RF_REASON_OTHER, "", "" },
    { "a hint and a reason", RF_REASON_NO_KEY, "Set X.", "Set X. -m offline needs no key." },
    { "a reason alone", RF_REASON_FILE_REFUSED, "", "--explain shows what was sent." },
    { "nothing can be kept", RF_REASON_NO_STORE, "Install X.", "Install X. --no-save needs none." },
    { "a reason of a newer library", (enum rf_reason)99, "Do that.", "Do that." },
};

static void is_advised(void **state)
{
    const struct advised *row = *state;
    struct rf_err err = { .reason = row->reason };
    char out[RF_ADVICE];
    snprintf(err.hint, sizeof err.hint, "%s", row->hint);
    assert_string_equal(rf_advice(&err, out), row->want);
}

/* The longest hint leaves room for each piece of advice. */
static void a_long_hint_does_not_cut_the_advice(void **state)
{
    (void)state;
    for (int reason = RF_REASON_NO_KEY; reason <= RF_REASON_NO_STORE; reason++) {
        struct rf_err err = { .reason = (enum rf_reason)reason };
        if (reason == RF_REASON_UNREACHABLE) /* it has none */
            continue;
        char out[RF_ADVICE];
        memset(err.hint, 'x', sizeof err.hint - 1);
        assert_true(rf_str_ends(rf_str(rf_advice(&err, out)), "."));
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(statuses) + COUNT(advised) + 1] = {
        [COUNT(statuses) + COUNT(advised)] = cmocka_unit_test(a_long_hint_does_not_cut_the_advice),
    };
    name_rows(tests, exits_with_its_status, statuses, COUNT(statuses), sizeof *statuses);
    name_rows(tests + COUNT(statuses), is_advised, advised, COUNT(advised), sizeof *advised);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
