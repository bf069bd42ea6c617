/* Styles as bytes: each ends what it began, nothing on a dumb terminal, and links to the web alone. */
#include "term/theme.h"

#include <pty.h>
#include <string.h>

#include "../testing.h"

static const struct looks {
    const char *name;
    struct rf_theme theme;
    enum rf_style style;
    const char *on, *off;
} looks[] = {
    { "bold", { .colours = 16 }, RF_STYLE_STRONG, "\033[1m", "\033[22m" },
    { "bold without colours", { 0 }, RF_STYLE_STRONG, "\033[1m", "\033[22m" },
    { "bold on a dumb terminal", { .plain = true }, RF_STYLE_STRONG, "", "" },
    { "a colour", { .colours = 16 }, RF_STYLE_GOOD, "\033[32m", "\033[39m" },
    { "no colour without colours", { 0 }, RF_STYLE_GOOD, "", "" },
    { "both in one", { .colours = 16 }, RF_STYLE_BAD, "\033[1;91m", "\033[22;39m" },
    { "on a light background",
      { .colours = 16, .light = true },
      RF_STYLE_BAD,
      "\033[1;31m",
      "\033[22;39m" },
    { "no yellow on white",
      { .colours = 256, .light = true },
      RF_STYLE_WARN,
      "\033[38;5;130m",
      "\033[39m" },
    { "the bold of errors without colours", { 0 }, RF_STYLE_BAD, "\033[1m", "\033[22m" },
    { "plain is nothing", { .colours = 256 }, RF_STYLE_PLAIN, "", "" },
    { "chosen", { 0 }, RF_STYLE_SELECTED, "\033[7m", "\033[27m" },
};

static void styled(void **state)
{
    const struct looks *row = *state;
    struct rf_buffer b = { 0 };
    rf_theme_on(&row->theme, row->style, &b);
    rf_buffer_text(&b, "|");
    rf_theme_off(&row->theme, row->style, &b);
    char want[128];
    snprintf(want, sizeof want, "%s|%s", row->on, row->off);
    assert_int_equal(b.n, strlen(want));
    assert_memory_equal(b.p, want, b.n);
    rf_buffer_release(&b);
}

static const struct link {
    const char *name, *url;
    bool is_one;
} links[] = {
    { "http", "http://a.example/b?c=d#e", true },
    { "https", "https://a.example", true },
    { "large letters", "HTTPS://A.EXAMPLE", true },
    { "a file", "file:///etc/passwd", false },
    { "a script", "javascript:alert(1)", false },
    { "nothing after it", "https://", false },
    { "nothing", "", false },
    { "a space", "http://a.example/ b", false },
    { "an escape", "http://a.example/\033]0;x", false },
    { "a bell", "http://a.example/\a", false },
    { "C1", "http://a.example/\x9c", false },
    { "not ASCII", "http://é.example/", false },
    { "a beginning of http", "http", false },
    { "mail", "mailto:a@b.example", false },
};

static void linked(void **state)
{
    const struct link *row = *state;
    struct rf_theme theme = { .links = true }, none = { 0 }, plain = { .plain = true, .links = true };
    struct rf_buffer b = { 0 };
    struct rf_str url = { row->url, strlen(row->url) };
    assert_false(rf_theme_link(&none, url, &b));
    assert_false(rf_theme_link(&plain, url, &b));
    assert_int_equal(rf_theme_link(&theme, url, &b), row->is_one);
    if (row->is_one)
        rf_theme_link_end(&theme, &b);
    char want[256] = "";
    if (row->is_one)
        snprintf(want, sizeof want, "\033]8;;%s\033\\\033]8;;\033\\", row->url);
    assert_int_equal(b.n, strlen(want));
    assert_memory_equal(rf_buffer_view(&b).p, want, b.n);
    rf_buffer_release(&b);
}

static void no_link_without_end(void **state)
{
    (void)state;
    char url[4000] = "http://a.example/";
    struct rf_theme theme = { .links = true };
    struct rf_buffer b = { 0 };
    memset(url + 17, 'a', sizeof url - 17);
    assert_false(rf_theme_link(&theme, (struct rf_str){ url, sizeof url }, &b));
    assert_int_equal(b.n, 0);
}

static const struct place {
    const char *name;
    const char *term, *colorterm, *no_color, *colorfgbg, *lc_all, *lang;
    struct rf_theme want;
} places[] = {
    { "xterm",
      "xterm",
      0,
      0,
      0,
      0,
      "de_DE.UTF-8",
      { .colours = 16, .unicode = true, .links = true } },
    { "with 256", "xterm-256color", 0, 0, 0, 0, "C", { .colours = 256, .links = true } },
    { "with all",
      "xterm-256color",
      "truecolor",
      0,
      0,
      0,
      "C.utf8",
      { .colours = 1 << 24, .unicode = true, .links = true } },
    { "NO_COLOR", "xterm-256color", "truecolor", "1", 0, 0, 0, { .links = true } },
    { "an empty NO_COLOR is none", "xterm", 0, "", 0, 0, 0, { .colours = 16, .links = true } },
    { "dumb", "dumb", "truecolor", 0, 0, 0, "C.UTF-8", { .plain = true, .unicode = true } },
    { "no TERM", 0, 0, 0, 0, 0, 0, { .plain = true } },
    { "light", "xterm", 0, 0, "0;15", 0, 0, { .colours = 16, .light = true, .links = true } },
    { "light in three",
      "rxvt",
      0,
      0,
      "0;default;7",
      0,
      0,
      { .colours = 16, .light = true, .links = true } },
    { "dark", "xterm", 0, 0, "15;0", 0, 0, { .colours = 16, .links = true } },
    { "LC_ALL comes first", "xterm", 0, 0, 0, "C", "C.UTF-8", { .colours = 16, .links = true } },
    { "the console", "linux", 0, 0, 0, 0, 0, { .colours = 16 } },
    { "a terminal of glass", "vt220", 0, 0, 0, 0, 0, { 0 } },
};

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void looked(void **state)
{
    const struct place *row = *state;
    struct rf_theme theme;
    int master, slave;
    set("TERM", row->term);
    set("COLORTERM", row->colorterm);
    set("NO_COLOR", row->no_color);
    set("COLORFGBG", row->colorfgbg);
    set("LC_ALL", row->lc_all);
    set("LC_CTYPE", NULL);
    set("LANG", row->lang);
    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    rf_theme_detect(&theme, slave);
    close(master);
    close(slave);
    assert_int_equal(theme.colours, row->want.colours);
    assert_int_equal(theme.plain, row->want.plain);
    assert_int_equal(theme.unicode, row->want.unicode);
    assert_int_equal(theme.light, row->want.light);
    assert_int_equal(theme.links, row->want.links);
}

static void a_file_is_plain(void **state)
{
    (void)state;
    struct rf_theme theme;
    setenv("TERM", "xterm", 1);
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    rf_theme_detect(&theme, fd);
    close(fd);
    assert_true(theme.plain);
    assert_int_equal(theme.colours, 0);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(looks) + COUNT(links) + COUNT(places) + 2];
    size_t n = 0;
    name_rows(tests, styled, looks, COUNT(looks), sizeof *looks);
    n += COUNT(looks);
    name_rows(tests + n, linked, links, COUNT(links), sizeof *links);
    n += COUNT(links);
    name_rows(tests + n, looked, places, COUNT(places), sizeof *places);
    n += COUNT(places);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(no_link_without_end);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_file_is_plain);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
