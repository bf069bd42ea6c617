/* Tab: what is filled in, what is listed. A row's text ends at the cursor. */
#include "played.h"

static const char *const files[] = {
    "alpha.png",  "alpine.png", "my file.pdf", "my \"q\" file", "zebra",        "zo\xc3\xab",
    "zo\xc3\xa8", ".secret",    "bad\033name", "bad\xffname",   "both\"and' x",
};

static const struct row {
    const char *name, *text;
    const char *want;   /* the text afterwards; NULL: as it was */
    const char *listed; /* a piece of what was listed; NULL: nothing was */
} rows[] = {
    { "a command", "/expl", "/explain ", NULL },
    { "several commands", "/m", NULL, "media" },
    { "what they have in common", "/su", "/summar", NULL },
    { "prompts of one's own", "/summar", NULL, "summarise" },
    { "a reference after a prompt", "/summary of @ze", "/summary of @zebra ", NULL },
    { "a whole command gets its space", "/help", "/help ", NULL },
    { "no such command", "/nothing", NULL, NULL },
    { "all commands", "/", NULL, "thinking" },
    { "an argument", "/thinking s", "/thinking show", NULL },
    { "arguments", "/thinking ", NULL, "hide" },
    { "an argument that is whole", "/thinking show", NULL, NULL },
    { "of an unknown command", "/nothing x", NULL, NULL },
    { "of a command that takes none", "/quit ", NULL, NULL },
    { "media", "/media d", "/media drop", NULL },
    { "a model of the configuration", "/model ey", "/model eyes", NULL },
    { "a provider", "/model anth", "/model anthropic:", NULL },
    { "a family", "/model anthropic:claude-so", "/model anthropic:claude-sonnet-4", NULL },
    { "the model without a provider", "/model off", "/model offline", NULL },
    { "a path as an argument", "/attach ze", "/attach zebra", NULL },
    { "spaces are not quoted there", "/attach my f", "/attach my file.pdf", NULL },
    { "a path after pages", "/pages 1-3 my f", "/pages 1-3 my file.pdf", NULL },
    { "a path of view", "/view sub/d", "/view sub/deep.txt", NULL },
    { "export", "/export su", "/export sub/", NULL },
    { "a reference", "look at @ze", "look at @zebra ", NULL },
    { "one at the beginning", "@ze", "@zebra ", NULL },
    { "in brackets", "(@ze", "(@zebra ", NULL },
    { "what several have in common", "@al", "@alp", NULL },
    { "then the list", "@alp", NULL, "alpha.png" },
    { "no character is cut", "@zo", NULL, "zo\xc3\xa8" },
    { "a folder gets its slash", "@su", "@sub/", NULL },
    { "inside of it", "@sub/", "@sub/deep.txt ", NULL },
    { "with a step back", "@sub/../ze", "@sub/../zebra ", NULL },
    { "at home", "@~/ze", "@~/zebra ", NULL },
    { "a space is quoted", "@my\xc2\xa0", NULL, NULL },
    { "as references want it", "@\"my f", "@\"my file.pdf\" ", NULL },
    { "in the other quotes", "@'my f", "@'my file.pdf' ", NULL },
    { "with what the name does not hold", "@my", "@\"my ", NULL },
    { "an open quote may hold spaces", "see @\"my file", "see @\"my file.pdf\" ", NULL },
    { "a closed quote is not a reference", "@\"my file.pdf\" al", NULL, NULL },
    { "an address is none", "anna@ze", NULL, NULL },
    { "a word is none", "zeb", NULL, NULL },
    { "a reference on another line", "@ze\nzeb", NULL, NULL },
    { "hidden files after a dot", "@.se", "@.secret ", NULL },
    { "and only then", "@", NULL, "zebra" },
    { "names that steer a terminal are left out", "@bad", NULL, NULL },
    { "no such folder", "@none/a", NULL, NULL },
    { "nothing", "", NULL, NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct stage stage, *s = &stage;
    struct rf_edit_completion done;
    stage_open(s);
    for (size_t i = 0; i < COUNT(files); i++)
        stage_file(s, files[i], "x");
    make_folder("sub");
    stage_file(s, "sub/deep.txt", "x");
    make_folder(".config/refract/prompts");
    stage_file(s, ".config/refract/prompts/summarise.md", "x");
    stage_file(s, ".config/refract/prompts/summary.md", "x");
    size_t n = strlen(row->text);
    rf_chat_complete(&s->chat, rf_str(row->text), n, &done);
    struct rf_str list = said(s);
    assert_true(done.begin <= n);
    struct rf_str after = done.text
                              ? rf_strf(s->arena, "%.*s%s", (int)done.begin, row->text, done.text)
                              : rf_str(row->text);
    assert_str(after, row->want ? row->want : row->text);
    if (row->want)
        assert_non_null(done.text);
    if (row->listed)
        assert_has(list, row->listed);
    else
        assert_str(list, "");
    assert_lacks(list, "\033");
    assert_lacks(list, ".secret");
    stage_close(s);
}

/* What stands after the cursor is left alone. */
static void only_what_is_before_the_cursor_counts(void **state)
{
    struct stage stage, *s = &stage;
    struct rf_edit_completion done;
    (void)state;
    stage_open(s);
    stage_file(s, "zebra", "x");
    rf_chat_complete(&s->chat, RF_STR("see @ze and more"), 7, &done);
    assert_int_equal(done.begin, 4);
    assert_string_equal(done.text, "@zebra ");
    rf_chat_complete(&s->chat, RF_STR("@ze"), 99, &done);
    assert_string_equal(done.text, "@zebra ");
    stage_close(s);
}

static void a_long_list_is_cut(void **state)
{
    struct stage stage, *s = &stage;
    struct rf_edit_completion done;
    (void)state;
    stage_open(s);
    for (int i = 0; i < 150; i++)
        stage_file(s, rf_strf(s->arena, "f%03d", i).p, "x");
    rf_chat_complete(&s->chat, RF_STR("@f"), 2, &done);
    assert_null(done.text);
    struct rf_str list = said(s);
    assert_has(list, "f000");
    assert_has(list, "f099");
    assert_lacks(list, "f100");
    assert_has(list, "and 50 more");
    stage_close(s);
}

static void ids_are_known(void **state)
{
    struct stage stage, *s = &stage;
    struct rf_edit_completion done;
    (void)state;
    stage_open(s);
    stage_ask(s, "Hello");
    const char *id = rf_session_id(rf_agent_session(s->chat.agent));
    struct rf_str begun = rf_strf(s->arena, "/resume %.10s", id);
    rf_chat_complete(&s->chat, begun, begun.n, &done);
    assert_string_equal(done.text, id);
    s->busy = true; /* the store is the other thread's */
    rf_chat_complete(&s->chat, begun, begun.n, &done);
    assert_null(done.text);
    stage_close(s);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(only_what_is_before_the_cursor_counts),
        cmocka_unit_test(a_long_list_is_cut),
        cmocka_unit_test(ids_are_known),
    };
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
