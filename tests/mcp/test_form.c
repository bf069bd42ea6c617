/* Forms of elicitation: what a schema asks for, what may be typed, and the answer. */
#include "testing.h"

#include "mcp/client/form.h"

static const char schema[] =
    "{'message':'Who are you?','requestedSchema':{'type':'object','required':['name','pet'],"
    "'properties':{"
    "'name':{'type':'string','title':'Your name','minLength':2,'maxLength':5},"
    "'age':{'type':'integer','minimum':0,'default':30},"
    "'height':{'type':'number','maximum':2.5,'default':1.75},"
    "'member':{'type':'boolean','default':true},"
    "'pet':{'type':'string','enum':['cat','dog'],'enumNames':['Cat','Dog'],'default':'dog'},"
    "'hero':{'type':'string','oneOf':[{'const':'h1','title':'Superman'},{'const':'h2','title':'Hulk'}]},"
    "'tools':{'type':'array','minItems':1,'maxItems':2,'items':{'type':'string','enum':['a','b','c']},"
    "'default':['a','c']},"
    "'fish':{'type':'array','default':['f1'],'items':{'anyOf':[{'const':'f1','title':'Tuna'}]}},"
    "'mail':{'type':'string','format':'email'},'site':{'type':'string','format':'uri'},"
    "'born':{'type':'string','format':'date'},'seen':{'type':'string','format':'date-time'},"
    "'odd':{'type':'string','format':'tartan'}}}}";

static struct rf_mcp_form form_of(const char *text, struct rf_arena *a)
{
    const struct rf_jval *v;
    struct rf_mcp_form form;
    struct rf_err err;
    assert_int_equal(rf_jval_parse(quoted(a, text), a, &v, &err), RF_OK);
    if (rf_mcp_form_read(v, a, &form, &err))
        fail_msg("%s", err.msg);
    return form;
}

static void fields_are_what_the_schema_says(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_form f = form_of(schema, a);
    (void)state;
    assert_int_equal(f.count, 13);
    assert_str(f.message, "Who are you?");
    assert_str(f.fields[0].title, "Your name");
    assert_true(f.fields[0].required);
    assert_false(f.fields[1].required);
    assert_str(f.fields[1].title, "age");
    assert_str(f.fields[1].initial, "30");
    assert_str(f.fields[2].initial, "1.75");
    assert_str(f.fields[3].initial, "yes");
    assert_int_equal(f.fields[4].kind, RF_MCP_FIELD_CHOICE);
    assert_str(f.fields[4].options[1].title, "Dog");
    assert_str(f.fields[4].initial, "Dog");
    assert_str(f.fields[5].options[0].value, "h1");
    assert_str(f.fields[5].options[0].title, "Superman");
    assert_int_equal(f.fields[6].kind, RF_MCP_FIELD_CHOICES);
    assert_str(f.fields[6].initial, "a, c");
    assert_str(f.fields[7].options[0].title, "Tuna");
    assert_str(f.fields[7].initial, "Tuna");
    rf_arena_free(a);
}

static const struct {
    const char *name;
    size_t field;
    const char *typed, *want; /* the message; NULL: it is a value */
} typing[] = {
    { "a text that fits", 0, "Ann", NULL },
    { "a text in characters, not bytes", 0, "äöüäö", NULL },
    { "a text that is too long", 0, "Annabel", "Your name: at most 5 characters, please" },
    { "nothing, where something is needed", 0, "", "Your name: an answer is needed" },
    { "nothing, where it is not", 1, "", NULL },
    { "a whole number", 1, "12", NULL },
    { "half a number", 1, "1.5", "age: \"1.5\" is not a whole number" },
    { "a number that is too small", 1, "-1", "age: at least 0, please" },
    { "a word for a number", 2, "tall", "height: \"tall\" is not a number" },
    { "yes", 3, "Yes", NULL },
    { "perhaps", 3, "perhaps", "member: yes or no, please" },
    { "an option by its value", 5, "h2", NULL },
    { "an option by its title", 5, "superman", NULL },
    { "no option", 5, "Batman", "hero: \"Batman\" is not one of the options" },
    { "several options", 6, "a, b", NULL },
    { "too many of them", 6, "a, b, c", "tools: at most 2 of them, please" },
    { "an e-mail address", 8, "ann@example.org", NULL },
    { "half an e-mail address", 8, "ann@",
      "mail: \"ann@\" is not an e-mail address, such as ann@example.org" },
    { "two words for an e-mail address", 8, "ann @b.c",
      "mail: \"ann @b.c\" is not an e-mail address, such as ann@example.org" },
    { "a web address", 9, "https://a.example/b?c", NULL },
    { "an address without a host", 9, "mailto:ann@a.example", NULL },
    { "a host for an address", 9, "a.example",
      "site: \"a.example\" is not an address, such as https://example.org/" },
    { "a date", 10, "2024-02-29", NULL },
    { "a day that is not", 10, "2023-02-29",
      "born: \"2023-02-29\" is not a date, such as 2026-11-16" },
    { "a month that is not", 10, "2023-00-10",
      "born: \"2023-00-10\" is not a date, such as 2026-11-16" },
    { "a date as others write it", 10, "16.11.2026",
      "born: \"16.11.2026\" is not a date, such as 2026-11-16" },
    { "a time", 11, "2026-11-16T09:30:00.25+02:00", NULL },
    { "a time without its zone", 11, "2026-11-16T09:30:00",
      "seen: \"2026-11-16T09:30:00\" is not a date and time, such as 2026-11-16T09:30:00Z" },
    { "a format that is not known", 12, "anything", NULL },
};

static void check_typing(void **state)
{
    const __typeof__(*typing) *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_form f = form_of(schema, a);
    struct rf_err err = { 0 };
    enum rf_code rc = rf_mcp_field_check(&f.fields[row->field], rf_str(row->typed), &err);
    assert_int_equal(rc, row->want ? RF_EFORMAT : RF_OK);
    assert_string_equal(err.msg, row->want ? row->want : "");
    rf_arena_free(a);
}

static void the_answer_is_typed(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_form f = form_of(schema, a);
    const struct rf_str typed[] = { B("Ann"),  B("12"),  B("1.5"), B("no"), B("Cat"),
                                    B("Hulk"), B("a,c"), B(""),    B(""),   B(""),
                                    B(""),     B(""),    B("") };
    (void)state;
    assert_str(rf_mcp_form_answer(&f, typed, a),
               "{\"action\":\"accept\",\"content\":{\"name\":\"Ann\",\"age\":12,\"height\":1.5,"
               "\"member\":false,\"pet\":\"cat\",\"hero\":\"h2\",\"tools\":[\"a\",\"c\"]}}");
    rf_arena_free(a);
}

static void defaults_are_added_to_what_is_accepted(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v;
    (void)state;
    assert_int_equal(rf_jval_parse(quoted(a, schema), a, &v, NULL), RF_OK);
    assert_str(rf_mcp_form_complete(
                   v, quoted(a, "{'action':'accept','content':{'name':'Ann','age':5}}"), a),
               "{\"action\":\"accept\",\"content\":{\"name\":\"Ann\",\"age\":5,\"height\":1.75,"
               "\"member\":true,\"pet\":\"dog\",\"tools\":[\"a\",\"c\"],\"fish\":[\"f1\"]}}");
    assert_str(rf_mcp_form_complete(v, RF_STR("{\"action\":\"decline\"}"), a),
               "{\"action\":\"decline\"}");
    rf_arena_free(a);
}

static const struct {
    const char *name, *form, *want;
} wrong[] = {
    { "no schema", "{'message':'m'}", "the form has no fields" },
    { "an object in an object", "{'requestedSchema':{'properties':{'o':{'type':'object'}}}}",
      "field \"o\" of the form is of a kind that is not known" },
    { "a field that is not a schema", "{'requestedSchema':{'properties':{'o':5}}}",
      "field \"o\" of the form is of a kind that is not known" },
    { "a list of anything", "{'requestedSchema':{'properties':{'l':{'type':'array'}}}}",
      "field \"l\" of the form has no options" },
    { "options that are numbers",
      "{'requestedSchema':{'properties':{'e':{'type':'string','enum':[1]}}}}",
      "field \"e\" of the form has options that are not texts" },
};

static void check_wrong(void **state)
{
    const __typeof__(*wrong) *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v;
    struct rf_mcp_form form;
    struct rf_err err;
    assert_int_equal(rf_jval_parse(quoted(a, row->form), a, &v, NULL), RF_OK);
    assert_int_equal(rf_mcp_form_read(v, a, &form, &err), RF_EFORMAT);
    assert_string_equal(err.msg, row->want);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest typed[COUNT(typing)], faults[COUNT(wrong)];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_what_the_schema_says),
        cmocka_unit_test(the_answer_is_typed),
        cmocka_unit_test(defaults_are_added_to_what_is_accepted),
    };
    name_rows(typed, check_typing, typing, COUNT(typing), sizeof *typing);
    name_rows(faults, check_wrong, wrong, COUNT(wrong), sizeof *wrong);
    return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(typed, NULL, NULL) +
           cmocka_run_group_tests(faults, NULL, NULL);
}
