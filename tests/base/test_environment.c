/* Which variables which programs get, and that nobody reads ours where we are hidden. */
#include <refract/process.h>

#include "base/str.h"

#include "../testing.h"

#include <sys/prctl.h>

#define T (1 << RF_PROGRAM_TOOL)
#define K (1 << RF_PROGRAM_KEY)
#define D (1 << RF_PROGRAM_DESKTOP)
#define W (1 << RF_PROGRAM_WORKER)

static const struct row {
    const char *name;
    int who;
} rows[] = {
    { "PATH", T | K | D },
    { "HOME", T | K | D },
    { "LC_TIME", T | K | D },
    { "TZ", T | K | D },
    { "TMPDIR", T | K | D },
    { "XDG_CONFIG_HOME", T | K | D },
    { "LD_LIBRARY_PATH", T | K | D | W },
    { "XDG_RUNTIME_DIR", K | D },
    { "WAYLAND_DISPLAY", K | D },
    { "DBUS_SESSION_BUS_ADDRESS", K | D },
    { "SSH_AUTH_SOCK", K },
    { "GPG_TTY", K },
    { "PASSWORD_STORE_DIR", K },
    { "VAULT_TOKEN", K },
    { "https_proxy", K },
    { "FONTCONFIG_PATH", W },
    { "ANTHROPIC_API_KEY", 0 },
    { "ANTHROPIC_API_KEY2", 0 },
    { "DB_PASS", 0 },
    { "MYSQL_PWD", 0 },
    { "DATABASE_URL", 0 },
    { "PGPASSWORD", 0 },
    { "GITHUB_TOKEN", 0 },
    { "REFRACT_MODEL", 0 },
    { "BASH_FUNC_x%%", 0 },
    { "LD_PRELOAD", 0 },
    { "PATHS", 0 },
    { "MY_PATH", 0 },
};

static bool has(char **lines, const char *line)
{
    for (; *lines; lines++)
        if (strcmp(*lines, line) == 0)
            return true;
    return false;
}

static void is_given_to(void **state)
{
    const struct row *row = *state;
    char line[100], *mine[] = { line, NULL }, **old = environ;
    snprintf(line, sizeof line, "%s=/a value", row->name);
    environ = mine;
    for (int why = 0; why <= RF_PROGRAM_WORKER; why++) {
        char **given = rf_program_environment((enum rf_program)why, NULL, 0);
        assert_int_equal(has(given, line), !!(row->who & 1 << why));
        free(given);
    }
    environ = old;
}

static void what_is_named_is_given_too(void **state)
{
    const struct rf_str more[] = { RF_STR_INIT("DB_PASS"), RF_STR_INIT("NOT_SET") };
    char *mine[] = { (char[]){ "DB_PASS=1" }, (char[]){ "DB_PASS2=2" }, (char[]){ "DB_PAS=3" },
                     NULL };
    char **old = environ;
    (void)state;
    environ = mine;
    char **given = rf_program_environment(RF_PROGRAM_TOOL, more, 2);
    assert_string_equal(given[0], "DB_PASS=1");
    assert_null(given[1]);
    free(given);
    environ = old;
}

static void a_worker_gets_values_of_ours(void **state)
{
    char *none[] = { NULL }, **old = environ;
    (void)state;
    environ = none;
    char **given = rf_program_environment(RF_PROGRAM_WORKER, NULL, 0);
    assert_true(has(given, "PATH=/usr/bin:/bin") && has(given, "LC_ALL=C.UTF-8"));
    free(given);
    environ = old;
}

/* In a process that was started with a line that must not be seen. */
static void hidden_lines_are_still_found(void **state)
{
    char *first = environ[0], before[4000];
    (void)state;
    snprintf(before, sizeof before, "%s", first);
    rf_process_hide();
    rf_process_hide();
    assert_int_equal(*first, '\0');
    assert_ptr_not_equal(environ[0], first);
    assert_string_equal(environ[0], before);
    assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(what_is_named_is_given_too),
        cmocka_unit_test(a_worker_gets_values_of_ours),
        cmocka_unit_test(hidden_lines_are_still_found),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, is_given_to, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
