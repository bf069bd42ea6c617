/* Reading JSON: what is accepted and how it is spelled afterwards, what is refused and with which
 * words at which place, and filling structs. Documents in the tables are JSON with ' for ". */
#include "base/json_read.h"

#include "base/json_write.h"
#include "base/utf8.h"

#include "../testing.h"

#include <dirent.h>

static const struct accepted {
    const char *name;
    struct rf_str text;
    const char *want; /* without its white space */
} accepted[] = {
    { "null", B("null"), "null" },
    { "true", B("true"), "true" },
    { "false", B("false"), "false" },
    { "a string alone", B("'a'"), "'a'" },
    { "an empty string", B("''"), "''" },
    { "an empty array", B(" [ ] "), "[]" },
    { "an empty object", B("\t{\r\n}\n"), "{}" },
    { "white space goes", B(" [ 1 , { 'a' : [ ] , 'b' : { } } ] "), "[1,{'a':[],'b':{}}]" },
    { "a number keeps its spelling", B("[0,-0,1.50,1E400,1e+02,-12.0e-7]"),
      "[0,-0,1.50,1E400,1e+02,-12.0e-7]" },
    { "a number past 64 bits", B("123456789012345678901234567890"),
      "123456789012345678901234567890" },
    { "escapes keep their spelling", B("'\\u0041\\/\\n\\\\'"), "'\\u0041\\/\\n\\\\'" },
    { "members that stand there twice", B("{'a':1,'a':2}"), "{'a':1,'a':2}" },
    { "an empty name", B("{'':0}"), "{'':0}" },
    { "a byte order mark is skipped", B("\xef\xbb\xbf[1]"), "[1]" },
    { "characters of two, three and four bytes",
      B("'\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"
        "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf'"),
      "'\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf'" },
    { "DEL is not a control character here", B("'\x7f'"), "'\x7f'" },
    { "separators of lines that JavaScript minds", B("'\xe2\x80\xa8\xe2\x80\xa9'"),
      "'\xe2\x80\xa8\xe2\x80\xa9'" },
    { "a pair of surrogates stays", B("'\\ud83d\\ude00'"), "'\\ud83d\\ude00'" },
};

/* Quotes for apostrophes in a slice. */
static struct rf_str requote(struct rf_arena *a, struct rf_str text)
{
    char *p = rf_arena_alloc(a, text.n + 1);
    for (size_t i = 0; i < text.n; i++)
        p[i] = text.p[i] == '\'' ? '"' : text.p[i];
    return (struct rf_str){ p, text.n };
}

static const struct rf_jval *parse(struct rf_arena *a, struct rf_str text)
{
    const struct rf_jval *v = NULL;
    struct rf_err err;
    if (rf_jval_parse(text, a, &v, &err))
        fail_msg("%.*s: %s", RF_FMT(text), err.msg);
    return v;
}

static void is_accepted(void **state)
{
    const struct accepted *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v = parse(a, requote(a, row->text));
    assert_str(rf_jval_compact(v, a), quoted(a, row->want).p);
    rf_arena_free(a);
}

#define EARLY "the text ends too early"
#define UTF8 "this is not valid UTF-8"
#define DIGIT "a number needs a digit here"

static const struct refused {
    const char *name;
    struct rf_str text;
    const char *message;
} refused[] = {
    { "nothing", B(""), "line 1, column 1: " EARLY },
    { "white space alone", B(" \n "), "line 2, column 2: " EARLY },
    { "a byte order mark alone, which is not a column", B("\xef\xbb\xbf"),
      "line 1, column 1: " EARLY },
    { "half a byte order mark", B("\xef\xbb"), "line 1, column 1: expected a value" },
    { "two byte order marks",
      B("\xef\xbb\xbf\xef\xbb\xbf"
        "1"),
      "line 1, column 1: expected a value" },
    { "two values", B("1 2"), "line 1, column 3: there is text after the value" },
    { "a NUL after the value", B("1\0"), "line 1, column 2: there is text after the value" },
    { "a word", B("nope"), "line 1, column 1: this is not a JSON value" },
    { "half a word", B("tru"), "line 1, column 1: this is not a JSON value" },
    { "a capital", B("[True]"), "line 1, column 2, at [0]: expected a value" },
    { "no number", B("NaN"), "line 1, column 1: expected a value" },
    { "a plus", B("+1"), "line 1, column 1: expected a value" },
    { "a minus alone", B("-"), "line 1, column 2: " EARLY },
    { "a minus before a letter", B("[-a]"), "line 1, column 3, at [0]: " DIGIT },
    { "a leading zero", B("[01]"), "line 1, column 2, at [0]: a number must not begin with 0" },
    { "a leading zero after a minus", B("-01"),
      "line 1, column 2: a number must not begin with 0" },
    { "no digit before the point", B(".5"), "line 1, column 1: expected a value" },
    { "no digit after the point", B("[1.]"), "line 1, column 4, at [0]: " DIGIT },
    { "no digit in the exponent", B("[1e+]"), "line 1, column 5, at [0]: " DIGIT },
    { "a hexadecimal number", B("[0x1]"), "line 1, column 3, at [1]: expected ',' or ']'" },
    { "a string without end", B("'abc"), "line 1, column 5: " EARLY },
    { "a backslash at the end", B("'abc\\"), "line 1, column 6: " EARLY },
    { "an escape that does not exist", B("'\\x41'"),
      "line 1, column 2: this escape does not exist" },
    { "an escape of NUL", B("'\\\0'"), "line 1, column 2: this escape does not exist" },
    { "three hexadecimal digits", B("'\\u123g'"),
      "line 1, column 2: \\u needs four hexadecimal digits" },
    { "an escape that is cut off", B("'\\u12"), "line 1, column 6: " EARLY },
    { "a line feed in a string", B("'a\nb'"),
      "line 1, column 3: a control character in a string must be escaped" },
    { "NUL in a string", B("'a\0b'"),
      "line 1, column 3: a control character in a string must be escaped" },
    { "an overlong character of two bytes", B("'\xc0\xaf'"), "line 1, column 2: " UTF8 },
    { "an overlong character of three bytes", B("'\xe0\x9f\xbf'"), "line 1, column 2: " UTF8 },
    { "an overlong character of four bytes", B("'\xf0\x8f\xbf\xbf'"), "line 1, column 2: " UTF8 },
    { "a surrogate as bytes", B("'\xed\xa0\x80'"), "line 1, column 2: " UTF8 },
    { "past the last character", B("'\xf4\x90\x80\x80'"), "line 1, column 2: " UTF8 },
    { "a byte that never is", B("'\xff'"), "line 1, column 2: " UTF8 },
    { "a continuation alone", B("'a\x80'"), "line 1, column 3: " UTF8 },
    { "a character that is cut off by the quote", B("'\xe2\x82'"), "line 1, column 2: " UTF8 },
    { "a character that is cut off by the end", B("'\xe2\x82"), "line 1, column 2: " UTF8 },
    { "invalid UTF-8 outside of a string", B("[\xff]"),
      "line 1, column 2, at [0]: expected a value" },
    { "columns count characters, not bytes", B("'\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80' x"),
      "line 1, column 7: there is text after the value" },
    { "an array without end", B("[1,\n2"), "line 2, column 2, at [2]: " EARLY },
    { "an array that ends too soon", B("[1,]"), "line 1, column 4, at [1]: expected a value" },
    { "an array without a comma", B("[1 2]"), "line 1, column 4, at [1]: expected ',' or ']'" },
    { "an array that begins with a comma", B("[,1]"),
      "line 1, column 2, at [0]: expected a value" },
    { "an array closed as an object", B("[1}"), "line 1, column 3, at [1]: expected ',' or ']'" },
    { "an object without end", B("{'a':1"), "line 1, column 7, at a: " EARLY },
    { "an object closed as an array", B("{'a':1]"), "line 1, column 7, at a: expected ',' or '}'" },
    { "a name without quotes", B("{a:1}"), "line 1, column 2: expected a name in double quotes" },
    { "a second name without quotes", B("{'x':{'a':1,b:2}}"),
      "line 1, column 13, at x: expected a name in double quotes" },
    { "a number as a name", B("{1:1}"), "line 1, column 2: expected a name in double quotes" },
    { "a comma at the end of an object", B("{'a':1,}"),
      "line 1, column 8: expected a name in double quotes" },
    { "a bad second name", B("{'a':1,'\\q':2}"), "line 1, column 9: this escape does not exist" },
    { "no colon", B("{'a' 1}"), "line 1, column 6, at a: expected ':' after the name" },
    { "no value", B("{'a':}"), "line 1, column 6, at a: expected a value" },
    { "a comment", B("[1, // one\n2]"), "line 1, column 5, at [1]: expected a value" },
    { "single quotes", B("[`a`]"), "line 1, column 2, at [0]: expected a value" },
    { "the path counts what came before",
      B("{'messages':[{'role':'user'},{'role':'tool'},{'role':nope}]}"),
      "line 1, column 54, at messages[2].role: this is not a JSON value" },
    { "the path of a list in a list", B("[0,[1,[2,3,x]]]"),
      "line 1, column 12, at [1][1][2]: expected a value" },
    { "the path after a list that ended", B("{'a':[1,2],'b':[[],[],x]}"),
      "line 1, column 23, at b[2]: expected a value" },
    { "long names in a path are cut between characters",
      B("{'12345678901234567890123456':{'\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9':x}}"),
      "line 1, column 47, at 12345678901234567890123.\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9: expected a value" },
};

static void is_refused(void **state)
{
    const struct refused *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *untouched = (const struct rf_jval *)row, *v = untouched;
    struct rf_err err;
    assert_int_equal(rf_jval_parse(requote(a, row->text), a, &v, &err), RF_EFORMAT);
    assert_int_equal(err.code, RF_EFORMAT);
    assert_string_equal(err.msg, row->message);
    assert_ptr_equal(v, untouched);
    rf_arena_free(a);
}

static const struct escape {
    const char *name, *json;
    struct rf_str want;
} escapes[] = {
    { "the short escapes", "'\\b\\f\\n\\r\\t\\'\\\\\\/'", B("\b\f\n\r\t'\\/") },
    { "a character of one byte", "'\\u0041'", B("A") },
    { "hexadecimal digits of both cases", "'\\u00e9\\u00E9'", B("\xc3\xa9\xc3\xa9") },
    { "a character of three bytes", "'\\u20ac'", B("\xe2\x82\xac") },
    { "a pair of surrogates", "'\\ud83d\\ude00'", B("\xf0\x9f\x98\x80") },
    { "the first and the last pair", "'\\uD800\\uDC00\\uDBFF\\uDFFF'",
      B("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf") },
    { "NUL is a character", "'a\\u0000b'", B("a\0b") },
    { "a high surrogate alone", "'a\\ud83db'",
      B("a\xef\xbf\xbd"
        "b") },
    { "a low surrogate alone", "'a\\ude00b'",
      B("a\xef\xbf\xbd"
        "b") },
    { "a high surrogate at the end", "'\\ud83d'", B("\xef\xbf\xbd") },
    { "a pair the wrong way round", "'\\ude00\\ud83d'", B("\xef\xbf\xbd\xef\xbf\xbd") },
    { "two high surrogates and a low one", "'\\ud83d\\ud83d\\ude00'",
      B("\xef\xbf\xbd\xf0\x9f\x98\x80") },
    { "a high surrogate before another escape", "'\\ud83d\\n'", B("\xef\xbf\xbd\n") },
    { "a high surrogate before an escape of five letters", "'\\ud83d\\u0041'",
      B("\xef\xbf\xbd"
        "A") },
    { "the last character of three bytes", "'\\uffff'", B("\xef\xbf\xbf") },
    { "text without escapes", "'plain \xc3\xa9'", B("plain \xc3\xa9") },
};

static void is_undone(void **state)
{
    const struct escape *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str json = quoted(a, row->json), text = rf_jval_text(parse(a, json), a);
    /* The table's own quotes inside the string are apostrophes again. */
    assert_int_equal(text.n, row->want.n);
    for (size_t i = 0; i < text.n; i++)
        assert_int_equal(text.p[i], row->want.p[i] == '\'' ? '"' : row->want.p[i]);
    rf_arena_free(a);
}

static const struct equal {
    const char *name, *json, *s;
    bool want;
} equals[] = {
    { "the same", "'role'", "role", true },
    { "shorter", "'rol'", "role", false },
    { "longer", "'roles'", "role", false },
    { "empty", "''", "", true },
    { "escaped letters", "'r\\u006fle'", "role", true },
    { "escaped and longer", "'r\\u006fles'", "role", false },
    { "escaped and shorter", "'r\\u006fl'", "role", false },
    { "a short escape", "'a\\nb'", "a\nb", true },
    { "an escaped pair", "'\\ud83d\\ude00'", "\xf0\x9f\x98\x80", true },
    { "half of an escaped pair", "'\\ud83d\\ude00'", "\xf0\x9f", false },
    { "an escaped NUL at the end is not an end", "'a\\u0000'", "a", false },
    { "an escaped NUL and more", "'a\\u0000b'", "a", false },
    { "a number is not a string", "12", "12", false },
    { "an array is not a string", "['a']", "a", false },
};

static void is_equal(void **state)
{
    const struct equal *row = *state;
    struct rf_arena *a = rf_arena_new();
    assert_int_equal(rf_jval_is(parse(a, quoted(a, row->json)), row->s), row->want);
    rf_arena_free(a);
}

static const struct whole {
    const char *name; /* and the number */
    bool want;
    int64_t n;
} wholes[] = {
    { "0", true, 0 },
    { "-0", true, 0 },
    { "12", true, 12 },
    { "-7", true, -7 },
    { "12.0", true, 12 },
    { "12.000", true, 12 },
    { "9223372036854775807", true, INT64_MAX },
    { "-9223372036854775808", true, INT64_MIN },
    { "9223372036854775807.0", true, INT64_MAX },
    { "9223372036854775808", false, 0 },
    { "-9223372036854775809", false, 0 },
    { "99999999999999999999999", false, 0 },
    { "12.5", false, 0 },
    { "12.01", false, 0 },
    { "1e3", false, 0 },
    { "1.0e3", false, 0 },
    { "\"12\"", false, 0 },
    { "true", false, 0 },
    { "null", false, 0 },
};

static void is_whole(void **state)
{
    const struct whole *row = *state;
    struct rf_arena *a = rf_arena_new();
    int64_t n = 42;
    assert_int_equal(rf_jval_int64(parse(a, rf_str(row->name)), &n), row->want);
    if (row->want)
        assert_true(n == row->n);
    rf_arena_free(a);
}

/* What a table of fields fills. */
struct filled {
    struct rf_str text;
    bool flag;
    int64_t number;
    const struct rf_jval *any, *list, *object;
};

#define AT(member) offsetof(struct filled, member)

static const struct rf_jfield fields[] = {
    { "text", RF_FIELD_STR, AT(text), true },      { "flag", RF_FIELD_BOOL, AT(flag), false },
    { "number", RF_FIELD_INT, AT(number), false }, { "any", RF_FIELD_VALUE, AT(any), false },
    { "list", RF_FIELD_ARRAY, AT(list), false },   { "object", RF_FIELD_OBJECT, AT(object), false },
};

static const struct field_row {
    const char *name, *json;
    const char *want; /* text|flag|number|any|list|object; or "!" and the message */
} field_rows[] = {
    { "all of them", "{'text':'t','flag':true,'number':3,'any':1.50,'list':[1],'object':{'a':0}}",
      "t|true|3|1.50|[1]|{'a':0}" },
    { "in any order, with others between",
      "{'object':{},'x':[{'text':1}],'list':[],'number':0,'text':'t','y':null}",
      "t|false|0|-|[]|{}" },
    { "absent ones keep what was there", "{'text':'t'}", "t|false|7|-|-|-" },
    { "null is absent", "{'text':'t','flag':null,'number':null,'list':null,'object':null}",
      "t|false|7|-|-|-" },
    { "null is a value where anything is", "{'text':'t','any':null}", "t|false|7|null|-|-" },
    { "escapes are undone", "{'te\\u0078t':'\\u0041'}", "A|false|7|-|-|-" },
    { "a whole number with a point", "{'text':'t','number':12.0}", "t|false|12|-|-|-" },
    { "a missing field", "{}", "!messages[3].text: the field is missing" },
    { "null is missing", "{'text':null}", "!messages[3].text: the field is missing" },
    { "a number for a string", "{'text':1}",
      "!messages[3].text: expected a string, found a number" },
    { "a string for a boolean", "{'text':'t','flag':'true'}",
      "!messages[3].flag: expected true or false, found a string" },
    { "a negative number", "{'text':'t','number':-1}",
      "!messages[3].number: expected a whole number that is not negative, found -1" },
    { "a fraction", "{'text':'t','number':1.5}",
      "!messages[3].number: expected a whole number that is not negative, found 1.5" },
    { "a number past 64 bits", "{'text':'t','number':9223372036854775808}",
      "!messages[3].number: expected a whole number that is not negative, found 9223372036854775808" },
    { "an object for an array", "{'text':'t','list':{}}",
      "!messages[3].list: expected an array, found an object" },
    { "an array for an object", "{'text':'t','object':[]}",
      "!messages[3].object: expected an object, found an array" },
    { "a boolean for an object", "{'text':'t','object':false}",
      "!messages[3].object: expected an object, found a boolean" },
    { "a field twice", "{'text':'t','text':'t'}",
      "!messages[3].text: the field stands there twice" },
    { "a field twice, once in escapes", "{'text':'t','\\u0074ext':null}",
      "!messages[3].text: the field stands there twice" },
    { "an unknown field twice does not matter", "{'text':'t','x':1,'x':2}", "t|false|7|-|-|-" },
    { "no object at all", "[]", "!messages[3]: expected an object, found an array" },
    { "null instead of the object", "null", "!messages[3]: expected an object, found null" },
};

static struct rf_str shown(const struct rf_jval *v, struct rf_arena *a)
{
    return v ? rf_jval_compact(v, a) : RF_STR("-");
}

static void is_filled(void **state)
{
    const struct field_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jpath messages = { .field = "messages" };
    const struct rf_jpath here = { .up = &messages, .index = 3 };
    struct filled f = { .number = 7 };
    struct rf_err err;
    struct rf_str got;
    if (rf_jval_fields(parse(a, quoted(a, row->json)), &here, fields, COUNT(fields), a, &f, &err))
        got = rf_strf(a, "!%s", err.msg);
    else
        got = rf_strf(a, "%.*s|%s|%lld|%.*s|%.*s|%.*s", RF_FMT(f.text), f.flag ? "true" : "false",
                      (long long)f.number, RF_FMT(shown(f.any, a)), RF_FMT(shown(f.list, a)),
                      RF_FMT(shown(f.object, a)));
    assert_str(got, row->want[0] == '!' ? row->want : quoted(a, row->want).p);
    rf_arena_free(a);
}

/* `count` times `open`, then `close` as often. */
static struct rf_str nested(struct rf_arena *a, size_t count, const char *open, const char *close)
{
    size_t wide = strlen(open), n = count * (wide + 1);
    char *p = rf_arena_alloc(a, n + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(p + i * wide, open, wide);
        p[n - 1 - i] = *close;
    }
    return (struct rf_str){ p, n };
}

static void nesting_is_capped(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v;
    struct rf_err err;
    size_t most = RF_MAX_JSON_DEPTH;
    struct rf_str fits = nested(a, most, "[", "]"), deep = nested(a, most + 1, "[", "]");
    struct rf_str objects = nested(a, most + 1, "{\"a\":", "}");
    assert_int_equal(rf_jval_parse(fits, a, &v, &err), RF_OK);
    assert_true(rf_str_eq(rf_jval_compact(v, a), fits));
    assert_true(rf_jval_deeper(v, most - 1) && !rf_jval_deeper(v, most));
    assert_int_equal(rf_jval_parse(deep, a, &v, &err), RF_ELIMIT);
    assert_non_null(strstr(err.msg, "line 1, column 513, at [0][0][0]"));
    assert_non_null(strstr(err.msg, ": arrays and objects are nested too deep"));
    assert_int_equal(rf_jval_parse(objects, a, &v, &err), RF_ELIMIT);
    assert_non_null(strstr(err.msg, "line 1, column 2561, at a.a.a.a"));
    rf_arena_free(a);
}

static void size_is_capped(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v;
    struct rf_err err;
    struct rf_str huge = { "1", RF_MAX_JSON_BYTES + 1 };
    assert_int_equal(rf_jval_parse(huge, a, &v, &err), RF_ELIMIT);
    assert_string_equal(err.msg, "the JSON text has 1073741825 bytes, limit is 1073741824");
    assert_int_equal(rf_jval_parse((struct rf_str){ 0 }, a, &v, &err), RF_EFORMAT);
    rf_arena_free(a);
}

/* A name of many characters, many times over: the place in the message is cut, and stays UTF-8. */
/* Character by character, for comparison. */
static size_t valid_by_hand(struct rf_str s)
{
    size_t i = 0;
    for (unsigned n = 1; n && i < s.n; i += n)
        n = rf_utf8_char((const unsigned char *)s.p + i, s.n - i);
    return i;
}

/* Pieces that are right and wrong, at every place around the widths that are looked at at once,
 * with another one after them. */
static void utf8_is_checked_at_every_place(void **state)
{
    (void)state;
    static const struct rf_str pieces[] = {
        B("a"),
        B("\xc3\xa9"),
        B("\xe2\x82\xac"),
        B("\xf0\x9f\x98\x80"),
        B("\xc2"),
        B("\xe2\x82"),
        B("\xf0\x9f\x98"),
        B("\x80"),
        B("\xc1\xbf"),
        B("\xe0\x9f\xbf"),
        B("\xed\xa0\x80"),
        B("\xf0\x8f\xbf\xbf"),
        B("\xf4\x90\x80\x80"),
        B("\xf5\x80\x80\x80"),
        B("\xff"),
    };
    for (size_t at = 0; at < 150; at++) {
        for (size_t i = 0; i < COUNT(pieces) * COUNT(pieces); i++) {
            struct rf_str one = pieces[i % COUNT(pieces)], two = pieces[i / COUNT(pieces)];
            char text[170];
            memset(text, 'x', sizeof text);
            memcpy(text + at, one.p, one.n);
            memcpy(text + at + one.n, two.p, two.n);
            for (size_t n = at; n <= sizeof text; n += n < at + 9 ? 1 : 23) {
                struct rf_str s = { text, n };
                assert_int_equal(rf_utf8_valid(s), valid_by_hand(s));
            }
        }
    }
}

static void a_long_path_stays_utf8(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    for (size_t shift = 0; shift < 4; shift++) {
        const struct rf_jval *v;
        struct rf_err err;
        struct rf_str open = rf_strf(a, "{\"%.*s\xe2\x82\xac\xe2\x82\xac\":", (int)shift, "abc");
        struct rf_str text = nested(a, 100, open.p, "}");
        assert_int_equal(rf_jval_parse(text, a, &v, &err), RF_EFORMAT);
        assert_int_equal(rf_utf8_valid(rf_str(err.msg)), strlen(err.msg));
        assert_non_null(strstr(err.msg, ": expected a value"));
    }
    rf_arena_free(a);
}

static void a_long_message_stays_utf8(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jpath here = { .field = "x" };
    for (size_t shift = 0; shift < 3; shift++) {
        struct rf_str words = rf_strf(a, "%.*s", (int)shift, "ab");
        for (size_t i = 0; i < 200; i++)
            words = rf_strf(a, "%.*s\xe2\x82\xac", RF_FMT(words));
        struct rf_err err;
        assert_int_equal(rf_fail_at(&err, RF_EFORMAT, &here, "%.*s", RF_FMT(words)), RF_EFORMAT);
        assert_int_equal(rf_utf8_valid(rf_str(err.msg)), strlen(err.msg));
        assert_true(strlen(err.msg) > 300);
    }
    rf_arena_free(a);
}

/* Every kind of byte that ends a run of plain ones, at places of strings of every length up to
 * three times what is looked at at once, and of longer ones, whose runs have a way of their own. */
static void every_place_of_a_string_is_looked_at(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    static const struct {
        const char *piece;
        bool good;
    } pieces[] = { { "\\n", true },   { "\xc3\xa9", true },         { "\x01", false },
                   { "\xff", false }, { "\xe2\x82", false },        { "\\x", false },
                   { "\x7f", true },  { "\xf0\x9f\x98\x80", true }, { "\x1f", false },
                   { "\x80", false } };
    char text[1300];
    for (size_t n = 0; n < 1200; n += n < 200 || n >= 500 ? 1 : 300) {
        for (size_t i = 0; i < COUNT(pieces); i++) {
            size_t at = (n * 7 + i * 31) % (n + 1), wide = strlen(pieces[i].piece);
            const struct rf_jval *v;
            struct rf_err err;
            memset(text, 'x', sizeof text);
            text[0] = text[n + wide + 1] = '"';
            memcpy(text + 1 + at, pieces[i].piece, wide);
            struct rf_str json = { text, n + wide + 2 };
            assert_int_equal(rf_jval_parse(json, a, &v, &err), pieces[i].good ? RF_OK : RF_EFORMAT);
            if (pieces[i].good)
                assert_int_equal(v->raw.n, n + wide);
            else
                assert_non_null(strstr(err.msg, rf_strf(a, "column %zu:", at + 2).p));
        }
    }
    rf_arena_free(a);
}

static void values_can_be_walked(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v =
        parse(a, quoted(a, "{'a':[[],{'x':[1,2]},3],'b':{},'a':'last','':4}"));
    struct rf_str seen = RF_STR("");
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
        seen = rf_strf(a, "%.*s%.*s=%s;", RF_FMT(seen), RF_FMT(k->raw), rf_jtype_name(k[1].type));
    assert_str(seen, "a=an array;b=an object;a=a string;=a number;");
    assert_int_equal(v->count, 4);
    assert_true(rf_jval_is(rf_jval_get(v, "a"), "last"));
    assert_null(rf_jval_get(v, "c"));
    assert_null(rf_jval_get(NULL, "a"));
    assert_null(rf_jval_get(rf_jval_get(v, "a"), "a"));
    const struct rf_jval *list = rf_jval_first(v) + 1;
    assert_int_equal(list->count, 3);
    assert_str(rf_jval_at(list, 0)->raw, "[]");
    assert_str(rf_jval_at(list, 1)->raw, "{\"x\":[1,2]}");
    assert_str(rf_jval_at(list, 2)->raw, "3");
    assert_null(rf_jval_at(list, 3));
    assert_null(rf_jval_at(v, 0));
    assert_null(rf_jval_at(NULL, 0));
    assert_null(rf_jval_first(rf_jval_get(v, "b")));
    rf_arena_free(a);
}

/* Also where names have the same bit, or one that only the text without its escapes has. */
static void members_are_found_by_every_name(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    static const char *const names[] = {
        "", "a", "ab", "ba", "A", "\xc3\xa9", "type", "text", "id"
    };
    const size_t count = sizeof names / sizeof *names;
    for (unsigned present = 0; present < 1u << count; present++) {
        struct rf_str text = RF_STR("{");
        for (size_t i = 0; i < count; i++)
            if (present >> i & 1)
                text = rf_strf(a, "%.*s%s\"%s\":%zu", RF_FMT(text), text.n > 1 ? "," : "", names[i],
                               i);
        const struct rf_jval *v = parse(a, rf_strf(a, "%.*s}", RF_FMT(text)));
        for (size_t i = 0; i < count; i++)
            assert_int_equal(rf_jval_get(v, names[i]) != NULL, present >> i & 1);
        rf_arena_reset(a);
    }
    const struct rf_jval *v = parse(a, quoted(a, "{'\\u0061':1,'b':2,'\\u0000':3}"));
    assert_non_null(rf_jval_get(v, "a"));
    assert_null(rf_jval_get(v, "\\u0061"));
    assert_null(rf_jval_get(v, ""));
    const struct rf_jmember members[] = { { "\\u0061", v + 2 }, { "b", v }, { "c", NULL } };
    const struct rf_jval *made = rf_jval_object(members, 3, a);
    assert_str(rf_jval_get(rf_jval_copy(made, a), "a")->raw, "1");
    assert_int_equal(rf_jval_get(made, "b")->count, 3);
    assert_null(rf_jval_get(made, "c"));
    assert_true(rf_jval_deeper(made, 1) && !rf_jval_deeper(made, 2));
    rf_arena_free(a);
}

static void paths_are_formatted(void **state)
{
    (void)state;
    const struct rf_jpath top = { .index = 2 }, field = { .up = &top, .field = "a" };
    const struct rf_jpath place = { .up = &field, .index = 12 },
                          deep = { .up = &place, .field = "b" };
    char out[64];
    rf_jpath_format(NULL, out, sizeof out);
    assert_string_equal(out, "");
    rf_jpath_format(&deep, out, sizeof out);
    assert_string_equal(out, "[2].a[12].b");
    rf_jpath_format(&deep, out, 8);
    assert_string_equal(out, "[2].a[1");
    rf_jpath_format(&deep, out, 1);
    assert_string_equal(out, "");
}

/* Reads one vector of the corpus; its first letter says what must happen. */
static void vector(const char *folder, const char *name, unsigned *seen)
{
    struct rf_arena *a = rf_arena_new();
    FILE *f = fopen(in_folder(a, folder, name), "rb");
    assert_non_null(f);
    char *buf = rf_arena_alloc(a, 1 << 20);
    struct rf_str text = { buf, fread(buf, 1, 1 << 20, f) };
    fclose(f);
    const struct rf_jval *v;
    struct rf_err err;
    enum rf_code rc = rf_jval_parse(text, a, &v, &err);
    if ((name[0] == 'y' && rc) || (name[0] == 'n' && !rc))
        fail_msg("%s: %s", name, rc ? err.msg : "accepted");
    if (!rc) {
        struct rf_str once = rf_jval_compact(v, a);
        assert_true(rf_str_eq(rf_jval_compact(parse(a, once), a), once));
    }
    ++*seen;
    rf_arena_free(a);
}

static void vectors_of_the_corpus(void **state)
{
    (void)state;
    const char *shared = shared_folder();
    if (!shared)
        skip();
    struct rf_arena *a = rf_arena_new();
    const char *folder = in_folder(a, shared, "corpus/json");
    DIR *d = opendir(folder);
    unsigned seen = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strchr("yni", e->d_name[0]) && e->d_name[1] == '_')
            vector(folder, e->d_name, &seen);
    closedir(d);
    assert_true(seen > 300);
    rf_arena_free(a);
}

#define ROWS                                                                             \
    (COUNT(accepted) + COUNT(refused) + COUNT(escapes) + COUNT(equals) + COUNT(wholes) + \
     COUNT(field_rows))

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(nesting_is_capped),
        cmocka_unit_test(size_is_capped),
        cmocka_unit_test(utf8_is_checked_at_every_place),
        cmocka_unit_test(a_long_path_stays_utf8),
        cmocka_unit_test(a_long_message_stays_utf8),
        cmocka_unit_test(every_place_of_a_string_is_looked_at),
        cmocka_unit_test(values_can_be_walked),
        cmocka_unit_test(members_are_found_by_every_name),
        cmocka_unit_test(paths_are_formatted),
        cmocka_unit_test(vectors_of_the_corpus),
    };
    struct CMUnitTest tests[ROWS + COUNT(others)], *at = tests;
    name_rows(at, is_accepted, accepted, COUNT(accepted), sizeof *accepted);
    name_rows(at += COUNT(accepted), is_refused, refused, COUNT(refused), sizeof *refused);
    name_rows(at += COUNT(refused), is_undone, escapes, COUNT(escapes), sizeof *escapes);
    name_rows(at += COUNT(escapes), is_equal, equals, COUNT(equals), sizeof *equals);
    name_rows(at += COUNT(equals), is_whole, wholes, COUNT(wholes), sizeof *wholes);
    name_rows(at += COUNT(wholes), is_filled, field_rows, COUNT(field_rows), sizeof *field_rows);
    memcpy(at + COUNT(field_rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
