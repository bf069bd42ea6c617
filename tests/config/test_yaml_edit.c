/* One entry of a YAML text, changed: what the text is afterwards, to the byte. */
#include "base/arena.h"
#include "config/yaml_edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct row {
    const char *name, *text, *path, *value; /* value NULL: it is removed */
    const char *want;                       /* "!" and a part of the message where it is refused */
} rows[] = {
    { "into nothing", "", "limits/pages", "5", "limits:\n  pages: 5\n" },
    { "after comments alone", "# mine\n", "sandbox", "whole", "# mine\nsandbox: whole\n" },
    { "after a comment without a line feed", "# mine", "sandbox", "whole",
      "# mine\nsandbox: whole\n" },
    { "a value in its place, with its comment", "a: 1  # one\nb: 2 # two\n", "b", "3",
      "a: 1  # one\nb: 3 # two\n" },
    { "a value in quotes", "a: \"x y\" # z\n", "a", "w", "a: w # z\n" },
    { "a value that needs quotes", "a: x\n", "a", "x: y", "a: \"x: y\"\n" },
    { "a list", "a: x\n", "a", "[b, c]", "a: [b, c]\n" },
    { "a key that is missing, after the last one", "a:\n  b: 1\n\n# end\n", "a/c", "2",
      "a:\n  b: 1\n  c: 2\n\n# end\n" },
    { "with the indent that is used there", "a:\n    b: 1\nz: 1\n", "a/c", "2",
      "a:\n    b: 1\n    c: 2\nz: 1\n" },
    { "a map that is missing", "a: 1\n", "b/c/d", "2", "a: 1\nb:\n  c:\n    d: 2\n" },
    { "without a line feed at the end", "a: 1", "b", "2", "a: 1\nb: 2" },
    { "with carriage returns", "a: 1\r\nb:\r\n  c: 2\r\n", "b/d", "3",
      "a: 1\r\nb:\r\n  c: 2\r\n  d: 3\r\n" },
    { "after a byte order mark",
      "\xef\xbb\xbf"
      "a: 1\n",
      "b", "2",
      "\xef\xbb\xbf"
      "a: 1\nb: 2\n" },
    { "after letters of several bytes", "\xc3\xa4: \xe2\x82\xac # \xc3\xb6\nb: 1\n", "b", "2",
      "\xc3\xa4: \xe2\x82\xac # \xc3\xb6\nb: 2\n" },
    { "in brackets", "a: {b: 1} # x\n", "a/b", "2", "a: {b: 2} # x\n" },
    { "one more in brackets", "a: {b: 1} # x\n", "a/c/d", "2", "a: {b: 1, c: {d: 2}} # x\n" },
    { "in brackets over lines", "a: {b: 1, # x\n    c: 2, # y\n}\n", "a/d", "3",
      "a: {b: 1, # x\n    c: 2, d: 3, # y\n}\n" },
    { "in empty brackets", "a: {}\n", "a/b", "1", "a: {b: 1}\n" },
    { "a file in brackets", "{}", "a", "1", "{a: 1}" },
    { "a key in quotes", "models:\n  'gpt-5.4':\n    model: x\n", "models/gpt-5.4/model", "y",
      "models:\n  'gpt-5.4':\n    model: y\n" },
    { "a key that needs quotes", "a: 1\n", "models/x y/model", "z",
      "a: 1\nmodels:\n  \"x y\":\n    model: z\n" },
    { "below a key without a value", "a: # empty\nb: 1\n", "a/c", "2",
      "a: # empty\n  c: 2\nb: 1\n" },
    { "below null", "a: null\n", "a/c", "2", "a: {c: 2}\n" },
    { "of a key without a value", "a: # empty\n", "a", "2", "a: 2 # empty\n" },
    { "in place of a map", "a: # x\n  b: 1\n  c: 2\nd: 3\n", "a", "2", "a: 2 # x\nd: 3\n" },
    { "in place of a list", "a:\n- 1\n- 2\nd: 3\n", "a", "2", "a: 2\nd: 3\n" },
    { "in place of a block of text", "a: >-\n  x\n  y\nd: 3\n", "a", "2", "a: 2\nd: 3\n" },
    { "after a mark of documents", "---\na: 1\n...\n", "b", "2", "---\na: 1\nb: 2\n...\n" },

    { "one of several goes", "a: 1\n# about b\nb: 2 # two\nc: 3\n", "b", NULL,
      "a: 1\n# about b\nc: 3\n" },
    { "the last of a map goes, and the map", "a: 1\nb:\n  c:\n    d: 2\ne: 3\n", "b/c/d", NULL,
      "a: 1\ne: 3\n" },
    { "the last of a file goes", "# top\na: 1\n", "a", NULL, "# top\n" },
    { "a map goes", "a:\n  b: 1\n  c: 2\nd: 3\n", "a", NULL, "d: 3\n" },
    { "the last line goes", "a: 1\nb: 2", "b", NULL, "a: 1\n" },
    { "lines that end in carriage returns go", "a: 1\r\nb: 2\r\nc: 3\r\n", "b", NULL,
      "a: 1\r\nc: 3\r\n" },
    { "the first in brackets goes", "{a: 1, b: 2}", "a", NULL, "{b: 2}" },
    { "the last in brackets goes", "x: {a: 1, b: 2} # y\n", "x/b", NULL, "x: {a: 1} # y\n" },
    { "the only one in brackets goes, and they", "x: {a: 1}\ny: 2\n", "x/a", NULL, "y: 2\n" },
    { "the only one of a file in brackets goes", "{a: 1}\n", "a", NULL, "{}\n" },

    { "what is not there", "a: 1\n", "b", NULL, "!f does not set this key" },
    { "below a text", "a: 1\n", "a/b", "2", "!f:1: \"a\" is a text here, and has no \"b\"" },
    { "below a list", "a: [1]\n", "a/b", "2", "!f:1: \"a\" is a list here, and has no \"b\"" },
    { "a text that is not YAML", "a: [1\n", "b", "2", "!f:2: " },
    { "a value that is not YAML", "a: 1\n", "b", "[x", "!the value:" },
    { "a value of two lines", "a: 1\n", "a", "x\ny", "!the value holds a control character" },
    { "a key after a question mark", "? a\n: 1\nb: 2\n", "a/c", "3", "!f:2: \"a\" is a text" },
    { "into a map after a question mark", "? a\n: b: 1\n", "a/c", "2", "? a\n: b: 1\n  c: 2\n" },
    { "a file that is a list", "- 1\n", "a", "2", "!f:1: this is written in a way" },
};

static void test_row(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str rest = rf_str(row->path), path[8], out = { 0 };
    struct rf_err err = { 0 };
    size_t count = 0;
    while (rf_str_split(&rest, '/', &path[count]))
        count++;
    enum rf_code rc =
        row->value
            ? rf_yaml_set(rf_str(row->text), "f", path, count, rf_str(row->value), a, &out, &err)
            : rf_yaml_unset(rf_str(row->text), "f", path, count, a, &out, &err);
    if (row->want[0] == '!') {
        assert_int_equal(rc, RF_ECONFIG);
        if (!strstr(err.msg, row->want + 1))
            fail_msg("%s", err.msg);
    } else {
        if (rc)
            fail_msg("%s", err.msg);
        assert_string_equal(rf_cstr(a, out), row->want);
    }
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, test_row, NULL, NULL, (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests_name("yaml_edit", tests, NULL, NULL);
}
