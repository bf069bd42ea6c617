/* Schemas of tools without a choice between schemas at their top. */
#include "show.h"

#include "base/buf.h"
#include "plan/tool_schema.h"

#define FIT "The arguments must also fit this JSON Schema: "

static const struct row {
    const char *name, *schema;
    const char *want, *words; /* what is told; "": the schema stays as it is */
} rows[] = {
    { "a schema without a choice",
      "{'type':'object','properties':{'a':{'anyOf':[{'type':'string'}]}},'required':['a']}", "",
      "" },
    { "properties of all branches are offered, the first of a name",
      "{'type':'object','properties':{'a':{}},'required':['a'],"
      "'anyOf':[{'properties':{'b':{'type':'string'}},'required':['b']},"
      "{'properties':{'b':{},'c':{}}}]}",
      "{'type':'object','properties':{'a':{},'b':{'type':'string'},'c':{}},'required':['a']}",
      FIT "{'anyOf':[{'properties':{'b':{'type':'string'}},'required':['b']},"
          "{'properties':{'b':{},'c':{}}}]}" },
    { "what all of several require is required",
      "{'allOf':[{'properties':{'a':{}},'required':['a']},{'required':['b']}],'title':'t'}",
      "{'title':'t','properties':{'a':{}},'required':['a','b']}",
      FIT "{'allOf':[{'properties':{'a':{}},'required':['a']},{'required':['b']}]}" },
    { "a choice of things that are not schemas", "{'oneOf':[1,'x',[]]}", "{'properties':{}}",
      FIT "{'oneOf':[1,'x',[]]}" },
    { "a property that is named like a choice", "{'properties':{'anyOf':{}},'anyOf':{}}", "", "" },
};

static void is_flat(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_tool tool = { 0 };
    if (rf_jval_parse(quoted(a, row->schema), a, &tool.input_schema, NULL))
        fail_msg("the schema of the row cannot be read");
    rf_tool_schema_flatten(&tool, a);
    assert_str(rf_jval_compact(tool.input_schema, a),
               quoted(a, *row->want ? row->want : row->schema).p);
    assert_str(tool.description, quoted(a, row->words).p);
    rf_arena_free(a);
}

static void none_of_its_own_is_lost_among_very_many(void **state)
{
    enum { MANY = 1500 };
    struct rf_arena *a = rf_arena_new();
    struct rf_tool tool = { 0 };
    struct rf_buf b;
    (void)state;
    rf_buf_init(&b, a, SIZE_MAX);
    for (int i = 0; i < MANY; i++)
        rf_buf_addf(&b, "%s\"p%d\":{}", i ? "," : "", i);
    struct rf_str schema = rf_strf(a, "{\"properties\":{%.*s},\"anyOf\":[]}", (int)b.n, b.p);
    assert_int_equal(rf_jval_parse(schema, a, &tool.input_schema, NULL), RF_OK);
    rf_tool_schema_flatten(&tool, a);
    assert_int_equal(rf_jval_get(tool.input_schema, "properties")->count, MANY);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 1] = {
        cmocka_unit_test(none_of_its_own_is_lost_among_very_many),
    };
    name_rows(tests + 1, is_flat, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
