/* Recipes: the lines that a worker is asked with, and which of them are the same. */
#include "media/recipe.h"

#include "../testing.h"

static const struct row {
    const char *name;
    struct rf_recipe recipe;
    const char *want;
} rows[] = {
    { "what is not asked for has no line", { .make = RF_MAKE_FACTS }, "op=info\n" },
    { "numbers", { .make = RF_MAKE_FACTS, .weigh = 40 }, "op=info\nweigh=40\n" },
    { "texts and limits",
      { .make = RF_MAKE_PICTURE, .mime = B("image/gif"), .types = B("image/png"), .max_side = 9 },
      "op=convert\nmime=image/gif\ntypes=image/png\nmax_side=9\n" },
    { "a piece of a picture",
      { .make = RF_MAKE_PICTURE, .crop = { 0, 1, 20, 30 } },
      "op=convert\ncrop=0,1,20,30\n" },
    { "another piece",
      { .make = RF_MAKE_PICTURE, .crop = { 1, 0, 20, 30 } },
      "op=convert\ncrop=1,0,20,30\n" },
    { "words that end with a NUL",
      { .make = RF_MAKE_TEXT, .sheet = B("Q 3"), .password = "pass=word" },
      "op=text\nsheet=Q 3\npassword=pass=word\n" },
    { "another password",
      { .make = RF_MAKE_TEXT, .sheet = B("Q 3"), .password = "word" },
      "op=text\nsheet=Q 3\npassword=word\n" },
    { "no password", { .make = RF_MAKE_TEXT, .sheet = B("Q 3") }, "op=text\nsheet=Q 3\n" },
    { "what is ours is not told", { .make = RF_MAKE_TEXT, .recognise = true }, "op=text\n" },
    { "but makes a difference", { .make = RF_MAKE_TEXT }, "op=text\n" },
    { "some pages", { .make = RF_MAKE_PAGES, .pages = { 1, 3 } }, "op=part\nfirst=1\nlast=3\n" },
    { "other pages", { .make = RF_MAKE_PAGES, .pages = { 2, 3 } }, "op=part\nfirst=2\nlast=3\n" },
    { "the same pages as pictures",
      { .make = RF_MAKE_PAGE_PICTURES, .pages = { 1, 3 } },
      "op=render\nfirst=1\nlast=3\n" },
};

static void is_written(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    assert_str(rf_recipe_text(&row->recipe, a), row->want);
    rf_arena_free(a);
}

static void are_equal_only_to_themselves(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < COUNT(rows); k++)
            if (rf_recipe_eq(&rows[i].recipe, &rows[k].recipe) != (i == k))
                fail_msg("\"%s\" and \"%s\"", rows[i].name, rows[k].name);
}

/* Equal is what is written alike, wherever the text stands. */
static void are_compared_by_their_text(void **state)
{
    (void)state;
    char sheet[] = "Q3", password[] = "p";
    const struct rf_recipe a = { .make = RF_MAKE_TEXT, .sheet = B("Q3"), .password = "p" };
    const struct rf_recipe b = { .make = RF_MAKE_TEXT,
                                 .sheet = { sheet, 2 },
                                 .password = password };
    assert_true(rf_recipe_eq(&a, &b));
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(are_equal_only_to_themselves),
        cmocka_unit_test(are_compared_by_their_text),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, is_written, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
