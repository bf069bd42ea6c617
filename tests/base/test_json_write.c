/* Writing JSON: a row is a list of calls and the text that they must make, or calls that are a bug
 * and must abort. Texts have ' for ". */
#include "base/json_write.h"

#include "base/json_escape.h"

#include "../testing.h"

enum op {
    DONE,
    OBJ,
    ARR,
    END,
    STR,
    STR_OPT,
    INT,
    BOOL,
    NOTHING,
    RAW,
    KEY,
    VALUE,
    BASE64,
    OPEN,
    PART,
    PART_VALUE,
    PART_BASE64,
    PART_BYTES,
    CLOSE,
    FINISH,
};

struct step {
    enum op op;
    const char *key;
    struct rf_str text; /* a string, a number, JSON or bytes */
};

static const struct rf_jval *value_of(struct rf_arena *a, struct rf_str json)
{
    const struct rf_jval *v = NULL;
    assert_int_equal(rf_jval_parse(json, a, &v, NULL), RF_OK);
    return v;
}

static const struct rf_bytes *bytes_of(struct rf_arena *a, struct rf_str text)
{
    struct rf_bytes *b = RF_NEW(a, struct rf_bytes);
    *b = rf_bytes_memory(text);
    return b;
}

static void run_string_step(struct rf_json *w, const struct step *s, struct rf_arena *a)
{
    if (s->op == OPEN)
        rf_json_str_open(w, s->key);
    else if (s->op == PART)
        rf_json_part(w, s->text);
    else if (s->op == PART_VALUE)
        rf_json_part_value(w, value_of(a, s->text));
    else if (s->op == PART_BASE64)
        rf_json_part_base64(w, bytes_of(a, s->text));
    else if (s->op == PART_BYTES)
        rf_json_part_bytes(w, bytes_of(a, s->text));
    else
        rf_json_str_close(w);
}

static void run_step(struct rf_json *w, const struct step *s, struct rf_arena *a)
{
    int64_t n = 0;
    switch (s->op) {
    case OBJ:
        rf_json_obj(w, s->key);
        break;
    case ARR:
        rf_json_arr(w, s->key);
        break;
    case END:
        rf_json_end(w);
        break;
    case STR:
        rf_json_str(w, s->key, s->text);
        break;
    case STR_OPT:
        rf_json_str_opt(w, s->key, s->text);
        break;
    case INT:
        assert_true(rf_str_int64(s->text, &n));
        rf_json_int(w, s->key, n);
        break;
    case BOOL:
        rf_json_bool(w, s->key, rf_str_is(s->text, "true"));
        break;
    case NOTHING:
        rf_json_null(w, s->key);
        break;
    case RAW:
        rf_json_raw(w, s->key, s->text);
        break;
    case KEY:
        rf_json_key(w, s->text);
        break;
    case VALUE:
        rf_json_value(w, s->key, value_of(a, s->text));
        break;
    case BASE64:
        rf_json_base64(w, s->key, bytes_of(a, s->text));
        break;
    case OPEN:
    case PART:
    case PART_VALUE:
    case PART_BASE64:
    case PART_BYTES:
    case CLOSE:
        run_string_step(w, s, a);
        break;
    case FINISH:
        if (rf_json_finish(w, NULL))
            fail();
        break;
    case DONE:
        break;
    }
}

struct row {
    const char *name;
    struct step steps[12];
    const char *want; /* or "!" and the error; NULL where it must abort */
};

static const struct row rows[] = {
    { "an empty object", { { OBJ, NULL, B("") }, { END, NULL, B("") } }, "{}" },
    { "an empty array", { { ARR, NULL, B("") }, { END, NULL, B("") } }, "[]" },
    { "a value alone", { { STR, NULL, B("a") } }, "'a'" },
    { "an empty string that has no memory", { { STR, NULL, { NULL, 0 } } }, "''" },
    { "every kind of value",
      { { ARR, NULL, B("") },
        { STR, NULL, B("s") },
        { INT, NULL, B("-9223372036854775808") },
        { BOOL, NULL, B("true") },
        { BOOL, NULL, B("false") },
        { NOTHING, NULL, B("") },
        { RAW, NULL, B("1.50") },
        { BASE64, NULL, B("abcd") },
        { END, NULL, B("") } },
      "['s',-9223372036854775808,true,false,null,1.50,'YWJjZA==']" },
    { "every kind of member",
      { { OBJ, NULL, B("") },
        { STR, "a", B("s") },
        { INT, "b", B("7") },
        { BOOL, "c", B("true") },
        { NOTHING, "d", B("") },
        { RAW, "e", B("{}") },
        { BASE64, "f", B("") },
        { VALUE, "g", B("[1]") },
        { END, NULL, B("") } },
      "{'a':'s','b':7,'c':true,'d':null,'e':{},'f':'','g':[1]}" },
    { "commas after things that ended",
      { { ARR, NULL, B("") },
        { OBJ, NULL, B("") },
        { ARR, "x", B("") },
        { END, NULL, B("") },
        { ARR, "y", B("") },
        { END, NULL, B("") },
        { END, NULL, B("") },
        { ARR, NULL, B("") },
        { END, NULL, B("") },
        { END, NULL, B("") } },
      "[{'x':[],'y':[]},[]]" },
    { "names are escaped",
      { { OBJ, NULL, B("") }, { INT, "a\"\\\n", B("1") }, { END, NULL, B("") } },
      "{'a\\'\\\\\\n':1}" },
    { "a name that is a slice, and its value",
      { { OBJ, NULL, B("") },
        { INT, "x", B("1") },
        { KEY, NULL, B("a\0b") },
        { ARR, NULL, B("") },
        { INT, NULL, B("2") },
        { END, NULL, B("") },
        { KEY, NULL, B("") },
        { STR, NULL, B("v") },
        { END, NULL, B("") } },
      "{'x':1,'a\\u0000b':[2],'':'v'}" },
    { "an empty string is left out where it may be",
      { { OBJ, NULL, B("") },
        { STR_OPT, "a", B("") },
        { STR_OPT, "b", B("x") },
        { STR_OPT, "c", B("") },
        { END, NULL, B("") } },
      "{'b':'x'}" },
    { "the short escapes, and the long ones",
      { { STR, NULL, B("\"\\/\b\f\n\r\t\x01\x1f\x7f") } },
      "'\\'\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f'" },
    { "NUL is written", { { STR, NULL, B("a\0b") } }, "'a\\u0000b'" },
    { "characters past ASCII stay",
      { { STR, NULL, B("\xc3\xa9\xf0\x9f\x98\x80\xe2\x80\xa8") } },
      "'\xc3\xa9\xf0\x9f\x98\x80\xe2\x80\xa8'" },
    { "a value that was read keeps its spelling",
      { { VALUE, NULL, B(" [ 1.50 , \"\\u0041\\/\" , { \"\\u0062\" : 1E2 } ] ") } },
      "[1.50,'\\u0041\\/',{'\\u0062':1E2}]" },
    { "a pair of surrogates that was read stays",
      { { VALUE, NULL, B("{\"\\ud83d\\ude00\":\"a\\ud83d\\ude00b\"}") } },
      "{'\\ud83d\\ude00':'a\\ud83d\\ude00b'}" },
    { "a lone surrogate that was read is replaced, since strict readers refuse the whole text",
      { { VALUE, NULL,
          B("[\"\\ud83d\",\"a\\ude00b\\n\",\"\\\\ud83d\",\"\\ud83d\\ud83d\\ude00\"]") } },
      "['\\ufffd','a\\ufffdb\\n','\\\\ud83d','\\ufffd\\ud83d\\ude00']" },
    { "a lone surrogate in a name that was read",
      { { VALUE, NULL, B("{\"\\udc00x\":1}") } },
      "{'\\ufffdx':1}" },
    { "white space goes from around what was spelled without",
      { { VALUE, NULL, B("{\"a\":[1,{\"b\":\"x y\"}], \"c\":[ 2],\"d\":[3]}\n") } },
      "{'a':[1,{'b':'x y'}],'c':[2],'d':[3]}" },
    { "a lone surrogate deep inside, beside what needs nothing",
      { { VALUE, NULL, B("[[\"\\u00e9\"],{\"a\":[\"\\ud83d\"]},[\"\\n\"]]") } },
      "[['\\u00e9'],{'a':['\\ufffd']},['\\n']]" },
    { "a string in parts",
      { { OBJ, NULL, B("") },
        { OPEN, "a", B("") },
        { PART, NULL, B("x\"") },
        { PART, NULL, B("") },
        { PART_VALUE, NULL, B("{ \"k\" : [ \"\\n\" ] }") },
        { PART_BASE64, NULL, B("abc") },
        { PART_BYTES, NULL, B("\xc3\xa9\n\"") },
        { CLOSE, NULL, B("") },
        { INT, "b", B("1") },
        { END, NULL, B("") } },
      "{'a':'x\\'{\\'k\\':[\\'\\\\n\\']}YWJj\xc3\xa9\\n\\'','b':1}" },
    { "a string without parts", { { OPEN, NULL, B("") }, { CLOSE, NULL, B("") } }, "''" },
    { "bytes that are not UTF-8 fail at the end",
      { { ARR, NULL, B("") },
        { OPEN, NULL, B("") },
        { PART_BYTES, NULL, B("ab\xff") },
        { CLOSE, NULL, B("") },
        { INT, NULL, B("1") },
        { END, NULL, B("") } },
      "!the text is not valid UTF-8 at byte 2" },
    { "the first failure stays",
      { { OPEN, NULL, B("") },
        { PART_BYTES, NULL, B("\xff") },
        { PART_BYTES, NULL, B("abc\xff") },
        { CLOSE, NULL, B("") } },
      "!the text is not valid UTF-8 at byte 0" },
    { "what is left open does not matter after a failure",
      { { ARR, NULL, B("") }, { OPEN, NULL, B("") }, { PART_BYTES, NULL, B("\xff") } },
      "!the text is not valid UTF-8 at byte 0" },
};

static void writes(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_json w;
    struct rf_err err;
    struct rf_str got;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    for (const struct step *s = row->steps; s->op; s++)
        run_step(&w, s, a);
    if (rf_json_finish(&w, &err))
        got = rf_strf(a, "!%s", err.msg);
    else
        assert_int_equal(rf_rope_flatten(&rope, 4096, a, &got, NULL), RF_OK);
    if (row->want[0] != '!') {
        const struct rf_jval *v;
        assert_int_equal(rf_jval_parse(got, a, &v, &err), RF_OK);
    }
    assert_str(got, quoted(a, row->want).p);
    rf_arena_free(a);
}

static const struct row bugs[] = {
    { "a member without a name", { { OBJ, NULL, B("") }, { INT, NULL, B("1") } }, NULL },
    { "an object in an object without a name",
      { { OBJ, NULL, B("") }, { OBJ, NULL, B("") } },
      NULL },
    { "a name in an array", { { ARR, NULL, B("") }, { INT, "a", B("1") } }, NULL },
    { "a name at the top", { { STR, "a", B("1") } }, NULL },
    { "an end of nothing", { { END, NULL, B("") } }, NULL },
    { "an end too many",
      { { ARR, NULL, B("") }, { END, NULL, B("") }, { END, NULL, B("") } },
      NULL },
    { "a second value at the top", { { INT, NULL, B("1") }, { INT, NULL, B("2") } }, NULL },
    { "a slice as a name in an array", { { ARR, NULL, B("") }, { KEY, NULL, B("a") } }, NULL },
    { "a slice as a name at the top", { { KEY, NULL, B("a") } }, NULL },
    { "two names for one value",
      { { OBJ, NULL, B("") }, { KEY, NULL, B("a") }, { KEY, NULL, B("b") } },
      NULL },
    { "a name given in both ways",
      { { OBJ, NULL, B("") }, { KEY, NULL, B("a") }, { INT, "b", B("1") } },
      NULL },
    { "a name without its value",
      { { OBJ, NULL, B("") }, { KEY, NULL, B("a") }, { END, NULL, B("") } },
      NULL },
    { "a value inside of a string", { { OPEN, NULL, B("") }, { INT, NULL, B("1") } }, NULL },
    { "an end inside of a string",
      { { ARR, NULL, B("") }, { OPEN, NULL, B("") }, { END, NULL, B("") } },
      NULL },
    { "a part outside of a string", { { ARR, NULL, B("") }, { PART, NULL, B("x") } }, NULL },
    { "base64 outside of a string", { { ARR, NULL, B("") }, { PART_BASE64, NULL, B("x") } }, NULL },
    { "bytes outside of a string", { { ARR, NULL, B("") }, { PART_BYTES, NULL, B("x") } }, NULL },
    { "a string closed twice",
      { { OPEN, NULL, B("") }, { CLOSE, NULL, B("") }, { CLOSE, NULL, B("") } },
      NULL },
    { "finished with an array open", { { ARR, NULL, B("") }, { FINISH, NULL, B("") } }, NULL },
    { "finished with a string open", { { OPEN, NULL, B("") }, { FINISH, NULL, B("") } }, NULL },
};

static void run_all(const void *arg)
{
    const struct row *row = arg;
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    for (const struct step *s = row->steps; s->op; s++)
        run_step(&w, s, a);
}

static void is_a_bug(void **state)
{
    assert_true(aborts(run_all, *state));
}

static void nest_too_deep(const void *arg)
{
    (void)arg;
    struct step array = { ARR, NULL, B("") };
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    for (size_t i = 0; i <= RF_MAX_JSON_DEPTH + 16; i++)
        run_step(&w, &array, a);
}

static void nesting_too_deep_is_a_bug(void **state)
{
    (void)state;
    assert_true(aborts(nest_too_deep, NULL));
}

/* What the reader takes fits into the writer a few levels down. */
static void all_that_can_be_read_can_be_written_inside_of_a_request(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_json w;
    char *deep = rf_arena_alloc(a, 2 * RF_MAX_JSON_DEPTH);
    memset(deep, '[', RF_MAX_JSON_DEPTH);
    memset(deep + RF_MAX_JSON_DEPTH, ']', RF_MAX_JSON_DEPTH);
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    for (size_t i = 0; i < 12; i++)
        rf_json_arr(&w, NULL);
    rf_json_value(&w, NULL, value_of(a, (struct rf_str){ deep, 2 * RF_MAX_JSON_DEPTH }));
    for (size_t i = 0; i < 12; i++)
        rf_json_end(&w);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(rope.length, 2 * RF_MAX_JSON_DEPTH + 24);
    assert_int_equal(w.deepest, RF_MAX_JSON_DEPTH + 12);
    rf_arena_free(a);
}

static size_t escape_one_by_one(struct rf_str s, char *out)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        const char *letter = s.p[i] ? strchr(letters, s.p[i]) : NULL;
        if (letter && (letter - letters) % 2 == 0)
            n += (size_t)snprintf(out + n, 7, "\\%c", letter[1]);
        else if ((unsigned char)s.p[i] < 0x20)
            n += (size_t)snprintf(out + n, 7, "\\u%04x", (unsigned)s.p[i]);
        else
            out[n++] = s.p[i];
    }
    return n;
}

/* Every byte that needs an escape at every place around the width that is looked at at once, and
 * several of them. The memory is exactly as long as it has to be. */
static void escaping_looks_at_every_byte(void **state)
{
    (void)state;
    char text[110], want[sizeof text * RF_JSON_MOST_ESCAPED + 1];
    for (size_t n = 1; n <= 100; n++) {
        for (unsigned c = 0; c < 256; c++) {
            size_t at = (n * 5 + c) % n;
            bool plain = c >= 0x20 && c != '"' && c != '\\';
            memset(text, 'x', sizeof text);
            for (size_t i = at; i < n; i += 1 + (n + c + i) % 7)
                text[i] = (char)c;
            struct rf_str s = { text, n };
            size_t length = escape_one_by_one(s, want);
            char *out = malloc(length);
            assert_int_equal(rf_json_plain(s), plain ? n : at);
            assert_int_equal(rf_json_escaped_length(s), length);
            assert_int_equal(rf_json_escape(s, out), length);
            assert_memory_equal(out, want, length);
            free(out);
        }
    }
}

static void check_mark(const struct rf_json_mark *m, const void *what, const char *want)
{
    char steps[64] = "";
    assert_ptr_equal(m->what, what);
    for (size_t i = 0, n = 0; i < m->count; i++)
        n += (size_t)snprintf(steps + n, sizeof steps - n, "%.*s[%zu]", RF_FMT(m->steps[i].list),
                              m->steps[i].index);
    assert_string_equal(steps, want);
}

static void marks_tell_where_values_were_written(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_json w;
    int one, two, three;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_value(&w, "skipped", value_of(a, RF_STR("[1,{\"x\":[2]}]")));
    rf_json_arr(&w, "list");
    rf_json_null(&w, NULL);
    rf_json_obj(&w, NULL);
    rf_json_key(&w, RF_STR("inner"));
    rf_json_arr(&w, NULL);
    rf_json_int(&w, NULL, 7);
    rf_json_mark(&w, &one);
    rf_json_arr(&w, NULL);
    rf_json_str_open(&w, NULL);
    rf_json_mark(&w, &two);
    rf_json_str_close(&w);
    for (size_t i = 0; i < 4; i++)
        rf_json_end(&w);
    rf_json_mark(&w, &three);
    rf_json_end(&w);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(w.mark_count, 3);
    check_mark(&w.marks[0], &one, "list[1]inner[0]");
    check_mark(&w.marks[1], &two, "list[1]inner[1]inner[0]");
    check_mark(&w.marks[2], &three, "");
    rf_arena_free(a);
}

static void values_are_made_without_a_text(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *values[] = { value_of(a, RF_STR("{\"a\": [1]}")),
                                       rf_jval_whole(INT64_MIN, a),
                                       rf_jval_string(RF_STR("x\ny"), a) };
    const struct rf_jval *array = rf_jval_array(values, 3, a);
    assert_str(rf_jval_compact(array, a), "[{\"a\":[1]},-9223372036854775808,\"x\\ny\"]");
    assert_true(rf_jval_deeper(array, 2) && !rf_jval_deeper(array, 3));
    assert_str(rf_jval_at(array, 1)->raw, "-9223372036854775808");
    assert_str(rf_jval_compact(rf_jval_array(NULL, 0, a), a), "[]");
    rf_arena_free(a);
}

static void numbers_are_written_to_their_last_digit(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str out;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_arr(&w, NULL);
    const int64_t numbers[] = { 0, -1, 10, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        rf_json_int(&w, NULL, numbers[i]);
    rf_json_end(&w);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &out, NULL), RF_OK);
    assert_true(rf_str_is(out, "[0,-1,10,9223372036854775807,-9223372036854775808]"));
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(nesting_too_deep_is_a_bug),
        cmocka_unit_test(all_that_can_be_read_can_be_written_inside_of_a_request),
        cmocka_unit_test(escaping_looks_at_every_byte),
        cmocka_unit_test(marks_tell_where_values_were_written),
        cmocka_unit_test(values_are_made_without_a_text),
        cmocka_unit_test(numbers_are_written_to_their_last_digit),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(bugs) + COUNT(others)];
    name_rows(tests, writes, rows, COUNT(rows), sizeof *rows);
    name_rows(tests + COUNT(rows), is_a_bug, bugs, COUNT(bugs), sizeof *bugs);
    memcpy(tests + COUNT(rows) + COUNT(bugs), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
