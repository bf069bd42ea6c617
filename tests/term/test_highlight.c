/* Code in colours. Keywords stand as {w …}, strings as {s …}, comments as {c …}, numbers as {n …}, lines that a diff adds and
 * removes as {+ …} and {- …}. */
#include "term/highlight.h"

#include "../testing.h"

static const struct {
    const char *name, *language, *code, *want;
} rows[] = {
    { "C", "c", "#include <a.h>\nint a = 0x1f; /* b\n c */ char d = '\\''; // e",
      "{w #include} <a.h>\n{w int} a = {n 0x1f}; {c /* b}\n{c  c */} {w char} d = {s '\\''}; {c // e}" },
    { "C++", "cpp", "template <class T> auto f() -> int { return 1'000; }",
      "{w template} <{w class} T> {w auto} f() -> {w int} { {w return} {n 1'000}; }" },
    { "Python", "python", "def f(a='x', b=\"y\"):  # z\n  '''one\n  two''' if None else 1e-9",
      "{w def} f(a={s 'x'}, b={s \"y\"}):  {c # z}\n  {s '''one}\n{s   two'''} {w if} {w None} {w else} "
      "{n 1e-9}" },
    { "JavaScript", "js", "const a = `b\n${c}`; // d",
      "{w const} a = {s `b}\n{s ${c}`}; {c // d}" },
    { "TypeScript", "tsx", "let a: number = 10_000", "{w let} a: {w number} = {n 10_000}" },
    { "Go", "go", "func f() { return `\\` }", "{w func} f() { {w return} {s `\\`} }" },
    { "Rust", "rust", "fn f<'a>(s: &'a str) -> u8 { 5u8 }",
      "{w fn} f<'a>(s: &'a {w str}) -> {w u8} { {n 5u8} }" },
    { "Java", "java", "public class A { String s = \"a\\\"b\"; }",
      "{w public} {w class} A { String s = {s \"a\\\"b\"}; }" },
    { "a shell", "bash", "if [ \"$a\" ]; then echo '\\'; fi # b",
      "{w if} [ {s \"$a\"} ]; {w then} {w echo} {s '\\'}; {w fi} {c # b}" },
    { "JSON", "json", "{\"a\": [1.5, true, null]}", "{{s \"a\"}: [{n 1.5}, {w true}, {w null}]}" },
    { "YAML", "yaml", "a: 'b' # c\n- d.e: 3\n  x y: no",
      "{w a}: {s 'b'} {c # c}\n- {w d.e}: {n 3}\n  x y: {w no}" },
    { "SQL", "sql", "Select a FROM b -- c\nwhere d = 'e''f'",
      "{w Select} a {w FROM} b {c -- c}\n{w where} d = {s 'e'}{s 'f'}" },
    { "HTML", "html", "<a href=\"b\">it's 2</a><!-- c\nd -->",
      "{w <a} href={s \"b\"}{w >}it's 2{w </a}{w >}{c <!-- c}\n{c d -->}" },
    { "a diff", "diff", "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\nindex 12",
      "{- --- a}\n{+ +++ b}\n{w @@ -1 +1 @@}\n{- -old}\n{+ +new}\n same\n{c index 12}" },
    { "a language that is not known", "brainfuck", "if +1", "{? if +1}" },
    { "no language", "", "if +1", "{? if +1}" },
    { "an attribute list", "{.Python .numbers}", "def", "{w def}" },
    { "a class of HTML", "language-go title=x", "func", "{w func}" },
    { "a string that nothing closes ends with its line", "c", "\"a\nif", "{s \"a}\n{w if}" },
    { "a word that only begins like a keyword", "c", "iffy int_ if9 x.if",
      "iffy int_ if9 x.{w if}" },
};

static char letter_of(enum rf_style style)
{
    static const char letters[RF_STYLE_COUNT] = {
        [RF_STYLE_CODE] = '?',    [RF_STYLE_KEYWORD] = 'w', [RF_STYLE_STRING] = 's',
        [RF_STYLE_COMMENT] = 'c', [RF_STYLE_NUMBER] = 'n',  [RF_STYLE_ADDED] = '+',
        [RF_STYLE_REMOVED] = '-',
    };
    return letters[style];
}

static void add_line(struct rf_highlight *h, struct rf_str line, struct rf_buffer *out)
{
    while (line.n) {
        enum rf_style style;
        size_t n = rf_highlight_next(h, line, &style);
        assert_in_range(n, 1, line.n);
        char letter = letter_of(style);
        assert_true(letter || style == RF_STYLE_PLAIN);
        if (letter)
            rf_buffer_print(out, "{%c %.*s}", letter, (int)n, line.p);
        else
            rf_buffer_add(out, line.p, n);
        line = (struct rf_str){ line.p + n, line.n - n };
    }
    rf_highlight_line(h);
}

static void words_have_their_colours(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_highlight h;
        struct rf_buffer out = { 0 };
        rf_highlight_begin(&h, (struct rf_str){ rows[i].language, strlen(rows[i].language) });
        for (const char *at = rows[i].code, *end; at; at = end ? end + 1 : NULL) {
            end = strchr(at, '\n');
            add_line(&h, (struct rf_str){ at, end ? (size_t)(end - at) : strlen(at) }, &out);
            rf_buffer_text(&out, end ? "\n" : "");
        }
        rf_buffer_add(&out, "", 1);
        if (strcmp(out.p, rows[i].want) != 0)
            fail_msg("%s:\n%s\nis not\n%s", rows[i].name, out.p, rows[i].want);
        rf_buffer_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(words_have_their_colours) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
