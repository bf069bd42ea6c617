/* Values against schemas: each row's schema and value, and what does not fit. JSON has ' for ". */
#include "base/arena.h"
#include "base/buf.h"
#include "content/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PERSON                                                                         \
    "{'type':'object','properties':{'name':{'type':'string'},'age':{'type':'integer'," \
    "'minimum':0}},'required':['name'],'additionalProperties':false}"
#define TREE                                                                        \
    "{'$defs':{'node':{'type':'object','properties':{'in':{'type':'array','items':" \
    "{'$ref':'#/$defs/node'}}},'additionalProperties':false}},'$ref':'#/$defs/node'}"

static const struct {
    const char *name, *schema, *value;
    const char *want; /* what it says; NULL: it fits */
} cases[] = {
    { "anything fits nothing said", "{}", "[1,null]", NULL },
    { "a schema that is true", "true", "1", NULL },
    { "a schema that is false", "false", "1", "nothing is allowed here" },
    { "unknown keywords are ignored", "{'format':'date','pattern':'^x$','x':1}", "'y'", NULL },
    { "keywords that are nonsense are ignored",
      "{'type':1,'enum':1,'required':{},'properties':[],'minimum':'x','anyOf':{},'$ref':'#/no'}",
      "1", NULL },

    { "a type", "{'type':'string'}", "'x'", NULL },
    { "a wrong type", "{'type':'string'}", "7", "expected string, found a number" },
    { "one of several types", "{'type':['string','null']}", "null", NULL },
    { "none of several types", "{'type':['string','null']}", "7",
      "expected ['string','null'], found a number" },
    { "a whole number", "{'type':'integer'}", "12.0", NULL },
    { "one in other digits", "{'type':'integer'}", "1e30", NULL },
    { "one that is not whole", "{'type':'integer'}", "1.5", "expected a whole number" },
    { "a boolean", "{'type':'boolean'}", "false", NULL },

    { "a constant, escapes or not", "{'const':'A'}", "'\\u0041'", NULL },
    { "another constant", "{'const':'A'}", "'B'", "expected 'A'" },
    { "a constant number in another spelling", "{'const':1.0}", "1e0", NULL },
    { "a constant object, in any order", "{'const':{'a':[1,2],'b':null}}", "{'b':null,'a':[1,2]}",
      NULL },
    { "an object with more", "{'const':{'a':1}}", "{'a':1,'b':2}", "expected {'a':1}" },
    { "an enumeration", "{'enum':['x',null,3]}", "3", NULL },
    { "none of it", "{'enum':['x',3]}", "'3'", "expected one of ['x',3]" },

    { "an object", PERSON, "{'name':'Ada','age':36}", NULL },
    { "a member that is missing", PERSON, "{'age':36}", "name: the field is missing" },
    { "a member of a wrong type", PERSON, "{'name':1}", "name: expected string, found a number" },
    { "a member below its bound", PERSON, "{'name':'A','age':-1}", "age: expected at least 0" },
    { "a member too many", PERSON, "{'name':'A','x':1}", "x: nothing is allowed here" },
    { "others by a schema", "{'additionalProperties':{'type':'number'}}", "{'a':1,'b':'c'}",
      "b: expected number, found a string" },
    { "others where patterns are not looked at",
      "{'patternProperties':{'^x-':{}},'additionalProperties':false}", "{'x-a':1}", NULL },
    { "an array of them", "{'type':'array','items':" PERSON "}", "[{'name':'A'},{'name':2}]",
      "[1].name: expected string, found a number" },
    { "elements of their own", "{'prefixItems':[{'type':'number'}],'items':{'type':'string'}}",
      "[1,'a',2]", "[2]: expected string, found a number" },
    { "too few", "{'minItems':2}", "[1]", "expected at least 2 elements" },
    { "too many", "{'maxItems':1}", "[1,2]", "expected at most 1 elements" },
    { "characters, not bytes", "{'maxLength':2}", "'\xc3\xa4\xc3\xb6'", NULL },
    { "a text that is too long", "{'maxLength':1}", "'\xc3\xa4\xc3\xb6'",
      "expected at most 1 characters" },
    { "a text that is empty", "{'minLength':1}", "''", "expected at least 1 characters" },
    { "bounds are for their own types", "{'minLength':1,'minimum':5,'minItems':1}", "true", NULL },
    { "above", "{'exclusiveMinimum':0}", "0", "expected more than 0" },
    { "below", "{'exclusiveMaximum':0.5}", "0.5", "expected less than 0.5" },

    { "one of two", "{'anyOf':[{'type':'string'},{'type':'null'}]}", "null", NULL },
    { "none of two", "{'anyOf':[{'type':'string'},{'type':'null'}]}", "1",
      "it fits none of 2 alternatives" },
    { "exactly one", "{'oneOf':[{'type':'string'},{'minLength':3}]}", "'x'", NULL },
    { "more than one", "{'oneOf':[{'type':'string'},{'minLength':3}]}", "'xyz'",
      "it fits more than one of 2 alternatives" },
    { "all", "{'allOf':[{'type':'string'},{'minLength':3}]}", "'x'",
      "expected at least 3 characters" },
    { "what it must not be", "{'not':{'type':'null'}}", "null", "it is what it must not be" },
    { "what it need not be", "{'not':{'type':'null'}}", "1", NULL },
    { "what it must not be, with words about it",
      "{'not':{'title':'t','type':'string','minLength':1}}", "'x'", "it is what it must not be" },
    { "what it is not certain to be", "{'not':{'pattern':'^x'}}", "'y'", NULL },
    { "deep in what it is not certain to be", "{'not':{'properties':{'a':{'format':'date'}}}}",
      "{'a':'b'}", NULL },
    { "what leads nowhere", "{'not':{'$ref':'#/no'}}", "1", NULL },
    { "what is not a schema", "{'not':{'items':[{'type':'null'}]}}", "[1]", NULL },
    { "what it must not be, after what it is not certain to be",
      "{'allOf':[{'not':{'pattern':'^x'}},{'not':{'type':'string'}}]}", "'y'",
      "it is what it must not be" },
    { "what it must not be, after what did not fit",
      "{'not':{'anyOf':[{'type':'null','pattern':'^x'},{'type':'string'}]}}", "'y'",
      "it is what it must not be" },
    { "not what it is not certain to be", "{'not':{'not':{'pattern':'^x'}}}", "'y'", NULL },
    { "more than one, perhaps", "{'oneOf':[{'pattern':'^x'},{'pattern':'^y'}]}", "'y'", NULL },
    { "one, and perhaps another", "{'oneOf':[{'type':'string'},{'pattern':'^x'}]}", "'y'", NULL },
    { "more than one, and perhaps another",
      "{'oneOf':[{'type':'string'},{'pattern':'^x'},{'minLength':1}]}", "'y'",
      "it fits more than one of 3 alternatives" },
    { "none, whatever else it says", "{'oneOf':[{'type':'null','pattern':'^x'},{'type':'number'}]}",
      "'y'", "it fits none of 2 alternatives" },

    { "a reference", TREE, "{'in':[{'in':[]},{}]}", NULL },
    { "deep in a reference", TREE, "{'in':[{'in':[{'out':1}]}]}",
      "in[0].in[0].out: nothing is allowed here" },
    { "the root", "{'properties':{'in':{'$ref':'#'}},'required':['in']}", "{'in':{}}",
      "in.in: the field is missing" },
    { "an anchor is not followed", "{'type':'array','items':{'$ref':'#item'}}", "[1]", NULL },
    { "a reference without end", "{'$ref':'#'}", "1", "the schema leads too far" },
    { "alternatives without end", "{'anyOf':[{'$ref':'#'},{'$ref':'#'}]}", "1",
      "the schema leads too far" },
};

static struct rf_str quoted(struct rf_arena *a, const char *text)
{
    struct rf_str s = rf_str_dup(a, rf_str(text));
    char *p = memcpy(rf_arena_alloc(a, s.n + 1), s.p, s.n);
    p[s.n] = '\0';
    for (size_t i = 0; i < s.n; i++)
        p[i] = p[i] == '\'' ? '"' : p[i];
    return (struct rf_str){ p, s.n };
}

static void fits_or_says_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rf_arena *a = rf_arena_new();
        const struct rf_jval *schema, *value;
        struct rf_err err = { 0 };
        assert_int_equal(rf_jval_parse(quoted(a, cases[i].schema), a, &schema, NULL), RF_OK);
        assert_int_equal(rf_jval_parse(quoted(a, cases[i].value), a, &value, NULL), RF_OK);
        enum rf_code rc = rf_schema_check(schema, value, a, &err);
        const char *want = cases[i].want ? quoted(a, cases[i].want).p : "";
        if (!rc != !cases[i].want || strcmp(err.msg, want) != 0)
            fail_msg("%s: \"%s\", not \"%s\"", cases[i].name, err.msg, want);
        rf_arena_free(a);
    }
}

static void a_place_is_told_by_itself_too(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *schema, *value;
    struct rf_err err;
    assert_int_equal(rf_jval_parse(quoted(a, "{'items':" PERSON "}"), a, &schema, NULL), RF_OK);
    assert_int_equal(rf_jval_parse(quoted(a, "[{}]"), a, &value, NULL), RF_OK);
    assert_int_equal(rf_schema_check(schema, value, a, &err), RF_EFORMAT);
    assert_string_equal(err.path, "[0].name");
    rf_arena_free(a);
}

/* `piece` a few thousand times, with commas. */
static struct rf_str repeated(struct rf_arena *a, const char *before, const char *piece,
                              const char *after)
{
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, a, 1 << 20);
    rf_buf_add(&b, rf_str(before));
    for (int i = 0; i < 6000; i++)
        rf_buf_addf(&b, "%s%s", i ? "," : "", piece);
    rf_buf_add(&b, rf_str(after));
    assert_int_equal(rf_buf_finish(&b, &text, NULL), RF_OK);
    return quoted(a, rf_cstr(a, text));
}

static void members_that_are_looked_for_are_work(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_str schemas[] = {
        repeated(a, "{'required':[", "'m'", "]}"),
        repeated(a, "{'properties':{", "'n':true", "}}"),
    };
    const struct rf_jval *schema, *value;
    assert_int_equal(rf_jval_parse(repeated(a, "{", "'m':1", "}"), a, &value, NULL), RF_OK);
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        struct rf_err err;
        assert_int_equal(rf_jval_parse(schemas[i], a, &schema, NULL), RF_OK);
        assert_int_equal(rf_schema_check(schema, value, a, &err), RF_ELIMIT);
    }
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_or_says_where),
        cmocka_unit_test(a_place_is_told_by_itself_too),
        cmocka_unit_test(members_that_are_looked_for_are_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
