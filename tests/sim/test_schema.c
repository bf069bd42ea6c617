/* Answers that were asked to fit a schema: each is checked against it, in the place that each API
 * has for one. */
#include "asking.h"

#include "content/schema.h"
#include "sim/mind.h"

#define PERSON                                                                           \
    "{'type':'object','properties':{'name':{'type':'string'},'age':{'type':'integer',"   \
    "'minimum':18},'mail':{'type':'string','format':'email'}},'required':['name','age']" \
    ",'additionalProperties':false}"

static const struct row {
    const char *name, *schema;
    const char *want; /* in the answer, where it matters; or NULL */
} rows[] = {
    { "an object", PERSON, "'age':18,'mail':'somebody@example.com'" },
    { "a text", "{'type':'string'}", "'Hm.'" },
    { "a text that is short", "{'type':'string','maxLength':2}", "'Hm'" },
    { "a text that is long", "{'type':'string','minLength':9}", "'Hm.      '" },
    { "a date", "{'type':'string','format':'date'}", "'2026-01-01'" },
    { "one of these", "{'enum':['b','a']}", "'b'" },
    { "a constant", "{'const':7}", "7" },
    { "null", "{'type':'null'}", "null" },
    { "a type or null", "{'type':['null','integer']}", "1" },
    { "types in capitals", "{'type':'OBJECT','properties':{'a':{'type':'NUMBER'}}}", NULL },
    { "a whole number over", "{'type':'integer','exclusiveMinimum':5}", "6" },
    { "one over a fraction", "{'type':'integer','minimum':1.5}", "2" },
    { "one under", "{'type':'integer','maximum':-3}", "-3" },
    { "one right under", "{'type':'integer','exclusiveMaximum':-3}", "-4" },
    { "one between", "{'type':'integer','minimum':-9,'maximum':-7}", "-9" },
    { "a number between", "{'type':'number','exclusiveMinimum':0,'exclusiveMaximum':1}", "0.5" },
    { "a multiple", "{'type':'integer','minimum':7,'multipleOf':5}", "10" },
    { "a list", "{'type':'array','items':{'type':'boolean'}}", "[false]" },
    { "a list of some", "{'type':'array','items':{'type':'integer'},'minItems':3}", "[1,2,3]" },
    { "a list of none", "{'type':'array','items':{'type':'integer'},'maxItems':0}", "[]" },
    { "a tuple",
      "{'type':'array','prefixItems':[{'type':'integer'},{'type':'null'}],'items':false,"
      "'minItems':2}",
      "[1,null]" },
    { "a reference", "{'$defs':{'p':" PERSON "},'type':'array','items':{'$ref':'#/$defs/p'}}",
      NULL },
    { "a choice", "{'anyOf':[{'type':'null'}," PERSON "]}", "'age':18" },
    { "all of them",
      "{'allOf':[{'type':'object','properties':{'a':{'type':'integer'}},'required':['a']},"
      "{'properties':{'b':{'type':'boolean'}},'required':['b']}]}",
      "{'a':1,'b':false}" },
    { "what refers to itself",
      "{'$defs':{'n':{'type':'object','properties':{'in':{'type':'array','items':{'$ref':"
      "'#/$defs/n'}},'x':{'type':'integer'}},'required':['x'],'additionalProperties':false}},"
      "'$ref':'#/$defs/n'}",
      NULL },
    { "no type", "{'properties':{'a':{'minimum':3}},'required':['a']}", "{'a':3}" },
    { "a member that nothing is said of", "{'type':'object','required':['a']}", "{'a':'Hm.'}" },
};

#define PATTERN(p) "{'type':'string','pattern':'" p "'}"
#define LONG_PATTERN(p, length) "{'type':'string','pattern':'" p "'," length "}"

#define TIMES_8(p) p p p p p p p p

/* The backslash of a pattern is one of JSON, and one of C. */
static const struct row patterns[] = {
    { "letters", PATTERN("^[A-Z]{2,3}-[0-9]+$"), "'AA-0'" },
    { "alternatives", PATTERN("^(red|green|blue)$"), "'red'" },
    { "named classes", PATTERN("^\\\\d{3}\\\\s\\\\w\\\\.\\\\W$"), "'000 a.-'" },
    { "groups", PATTERN("^(?:ab){2}(c(?<n>d)?)+e*$"), "'ababc'" },
    { "what is not in a class", PATTERN("^[^a-z0-9]$"), "' '" },
    { "a class with hyphens", PATTERN("^[-+]?[\\\\w.-]+$"), "'a'" },
    { "a hyphen at the end", PATTERN("^[x-]@$"), "'x@'" },
    { "escapes", PATTERN("^\\\\u00e9\\\\x41\\\\t\\\\/\\\\$$"),
      "'\xc3\xa9"
      "A\\t/$'" },
    { "letters of other scripts", PATTERN("^[\xce\xb1-\xcf\x89]{2}\xc3\xa9$"),
      "'\xce\xb1\xce\xb1\xc3\xa9'" },
    { "braces that count nothing", PATTERN("^{a}{1$"), "'{a}{1'" },
    { "lazy repetitions", PATTERN("^a+?b{2,}?c??$"), "'abb'" },
    { "anchors inside alternatives", PATTERN("^a$|^b$"), "'a'" },
    { "any character", PATTERN("^.{3}$"), "'aaa'" },
    { "at least so many", LONG_PATTERN("^[a-z]+[0-9]*$", "'minLength':6"), "'aaaaaa'" },
    { "at least so many in groups", LONG_PATTERN("^(ab)+!$", "'minLength':6"), "'ababab!'" },
    { "at least so many where it does not end", LONG_PATTERN("^a", "'minLength':3"), "'a  '" },
    { "elements differ", "{'type':'array','minItems':2,'items':" PATTERN("^[A-Z]\\\\d$") "}",
      "['A0','B1']" },
    { "a pattern before a format", "{'type':'string','format':'date','pattern':'^x$'}", "'x'" },
};

/* What is beyond it is not passed over: the text says so. */
static const struct row beyond[] = {
    { "looking ahead", PATTERN("^(?=a).*$"), NULL },
    { "a word's end", PATTERN("a\\\\b"), NULL },
    { "a reference back", PATTERN("^(a)\\\\1$"), NULL },
    { "a group that is open", PATTERN("^(a"), NULL },
    { "a parenthesis too many", PATTERN("a)"), NULL },
    { "a class that is open", PATTERN("^[a"), NULL },
    { "a class of nothing", PATTERN("^[]$"), NULL },
    { "a range that runs back", PATTERN("[z-a]"), NULL },
    { "a repetition of nothing", PATTERN("*a"), NULL },
    { "something after its end", PATTERN("a$b"), NULL },
    { "something before its beginning", PATTERN("a^b"), NULL },
    { "a flag", PATTERN("(?i)a"), NULL },
    { "half a character", PATTERN("\\\\ud83d"), NULL },
    { "longer than it may be", LONG_PATTERN("^a{5}$", "'maxLength':4"), NULL },
    { "shorter than it has to be", LONG_PATTERN("^a{5}$", "'minLength':6"), NULL },
    { "more than a text holds", PATTERN("^(a{60000}){60000}$"), NULL },
    { "groups in groups without end", PATTERN(TIMES_8(TIMES_8("("))), NULL },
};

static struct rf_str fit(const struct rf_sim_dialect *d, const char *body, struct rf_arena *a)
{
    struct rf_sim_request r = { .arena = a, .dialect = d };
    struct rf_err err;
    assert_int_equal(rf_jval_parse(quoted(a, body), a, &r.body, &err), RF_OK);
    return rf_sim_fit(&r, RF_STR("Hm."));
}

static void assert_fits(struct rf_str answer, const char *schema, struct rf_arena *a)
{
    const struct rf_jval *wanted, *value;
    struct rf_err err;
    assert_int_equal(rf_jval_parse(quoted(a, schema), a, &wanted, &err), RF_OK);
    if (rf_jval_parse(answer, a, &value, &err) || rf_schema_check(wanted, value, a, &err))
        fail_msg("%s: %.*s", err.msg, RF_FMT(answer));
}

static void check(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str answer = fit(&rf_sim_ollama, rf_strf(a, "{'format':%s}", row->schema).p, a);
    if (!rf_str_contains(rf_str(row->schema), RF_STR("OBJECT"))) /* not JSON Schema's spelling */
        assert_fits(answer, row->schema, a);
    if (row->want && !rf_str_contains(answer, quoted(a, row->want)))
        assert_str(answer, quoted(a, row->want).p);
    rf_arena_free(a);
}

static void says_that_it_cannot(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str answer = fit(&rf_sim_ollama, rf_strf(a, "{'format':%s}", row->schema).p, a);
    if (!rf_str_contains(answer,
                         RF_STR("The simulator cannot write a text that fits the pattern ")))
        fail_msg("%.*s", RF_FMT(answer));
    rf_arena_free(a);
}

static const struct place {
    const char *name;
    const struct rf_sim_dialect *dialect;
    const char *before, *after; /* of the schema */
} places[] = {
    { "in Anthropic's place", &rf_sim_anthropic, "{'output_config':{'format':{'schema':", "}}}" },
    { "in Cohere's place", &rf_sim_cohere, "{'response_format':{'json_schema':", "}}" },
    { "in Gemini's place", &rf_sim_gemini, "{'generationConfig':{'responseJsonSchema':", "}}" },
    { "in Gemini's other place", &rf_sim_gemini, "{'generationConfig':{'responseSchema':", "}}" },
    { "in Mistral's place", &rf_sim_mistral,
      "{'response_format':{'json_schema':{'schema':", "}}}" },
    { "in Ollama's place", &rf_sim_ollama, "{'format':", "}" },
    { "in the place of Chat Completions", &rf_sim_openai_chat,
      "{'response_format':{'json_schema':{'schema':", "}}}" },
    { "in Ollama's place of those", &rf_sim_ollama_chat,
      "{'response_format':{'json_schema':{'schema':", "}}}" },
    { "in the place of Responses", &rf_sim_openai_responses,
      "{'text':{'format':{'schema':", "}}}" },
};

static void in_its_place(void **state)
{
    const struct place *p = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str body = rf_strf(a, "%s" PERSON "%s", p->before, p->after);
    assert_fits(fit(p->dialect, body.p, a), PERSON, a);
    rf_arena_free(a);
}

static const struct mode {
    const char *name;
    const struct rf_sim_dialect *dialect;
    const char *body, *want;
} modes[] = {
    { "JSON without a schema", &rf_sim_openai_chat, "{'response_format':{'type':'json_object'}}",
      "{'answer':'Hm.'}" },
    { "JSON of Gemini", &rf_sim_gemini,
      "{'generationConfig':{'responseMimeType':'application/json'}}", "{'answer':'Hm.'}" },
    { "JSON of Ollama", &rf_sim_ollama, "{'format':'json'}", "{'answer':'Hm.'}" },
    { "a text that is asked for", &rf_sim_openai_chat, "{'response_format':{'type':'text'}}",
      "Hm." },
    { "nothing that is asked for", &rf_sim_anthropic, "{}", "Hm." },
};

static void mode(void **state)
{
    const struct mode *m = *state;
    struct rf_arena *a = rf_arena_new();
    assert_str(fit(m->dialect, m->body, a), quoted(a, m->want).p);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest
        tests[COUNT(rows) + COUNT(patterns) + COUNT(beyond) + COUNT(places) + COUNT(modes)];
    struct CMUnitTest *at = tests;
    name_rows(at, check, rows, COUNT(rows), sizeof *rows);
    name_rows(at += COUNT(rows), check, patterns, COUNT(patterns), sizeof *patterns);
    name_rows(at += COUNT(patterns), says_that_it_cannot, beyond, COUNT(beyond), sizeof *beyond);
    name_rows(at += COUNT(beyond), in_its_place, places, COUNT(places), sizeof *places);
    name_rows(at + COUNT(places), mode, modes, COUNT(modes), sizeof *modes);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
