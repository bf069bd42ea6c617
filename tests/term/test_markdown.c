/* Markdown in rows. Styles stand as {s strong}, {e emphasis}, {k strike}, {c code}, {h heading}, {q quote}, {l link},
 * {d dim}, {g good}, and in code {w keyword}, {g string}, {d comment}, {n number}; a link's address as <address> before its text. Every row of the table is rendered whole, byte by
 * byte and at random cuts, with and without a look at what is live: the rows are the same. */
#include "term/markdown.h"

#include "../../fuzz/row_promises.h"
#include "../testing.h"

#include <malloc.h>

#define PLENTY ((size_t)256 << 10)

static const struct {
    enum rf_style style;
    char letter;
} letters[] = {
    { RF_STYLE_STRONG, 's' },  { RF_STYLE_EMPHASIS, 'e' }, { RF_STYLE_STRIKE, 'k' },
    { RF_STYLE_CODE, 'c' },    { RF_STYLE_HEADING, 'h' },  { RF_STYLE_QUOTE, 'q' },
    { RF_STYLE_LINK, 'l' },    { RF_STYLE_DIM, 'd' },      { RF_STYLE_GOOD, 'g' },
    { RF_STYLE_KEYWORD, 'w' }, { RF_STYLE_NUMBER, 'n' },
};

static const struct rf_theme theme = { .colours = 16, .unicode = true, .links = true };
static const struct rf_theme without_links = { .colours = 16, .unicode = true };
static const struct rf_theme colourless = { .unicode = true };
static const struct rf_theme ascii = { .colours = 16 };
static const struct rf_theme dumb = { .plain = true };

struct screen {
    const struct rf_theme *theme;
    int columns;
    struct rf_buffer rows; /* with marks, each with its line feed */
    size_t count, bytes;   /* of rows */
};

/* The mark for an escape sequence. */
static void add_mark(struct screen *s, struct rf_str sequence)
{
    struct rf_buffer on = { 0 };
    if (sequence.p[1] == ']') {
        rf_buffer_print(&s->rows, "<%.*s>", (int)sequence.n - 7, sequence.p + 5);
        return;
    }
    for (size_t i = 0; i < COUNT(letters); i++) {
        rf_buffer_reset(&on);
        rf_theme_on(s->theme, letters[i].style, &on);
        if (on.n == sequence.n && memcmp(on.p, sequence.p, on.n) == 0) {
            rf_buffer_print(&s->rows, "{%c ", letters[i].letter);
            rf_buffer_release(&on);
            return;
        }
    }
    rf_buffer_release(&on);
    rf_buffer_text(&s->rows, "}");
}

static void take_row(void *ctx, struct rf_str row)
{
    struct screen *s = ctx;
    struct row_state state = { .link = true };
    promise_row(row, s->columns, s->theme);
    s->count++;
    for (size_t i = 0, n; i < row.n; i += n) {
        struct rf_str rest = { row.p + i, row.n - i };
        n = 1;
        if (row.p[i] != '\033') {
            rf_buffer_add(&s->rows, row.p + i, 1);
            continue;
        }
        if (rest.p[1] == '[')
            n = take_style(&state, rest);
        else
            n = (size_t)((char *)memmem(rest.p, rest.n, "\033\\", 2) - rest.p) + 2;
        add_mark(s, (struct rf_str){ rest.p, n });
    }
    rf_buffer_add(&s->rows, "\n", 1);
}

static void drop_row(void *ctx, struct rf_str row)
{
    struct screen *s = ctx;
    promise_row(row, s->columns, s->theme);
    s->count++;
    s->bytes += row.n;
}

enum cuts { WHOLE, BYTES, RANDOM, RANDOM_AND_LIVE, ALL_CUTS };

static void render(struct screen *s, struct rf_str text, enum cuts cuts)
{
    struct rf_markdown *m = rf_markdown_new(s->theme, s->columns, take_row, s);
    unsigned random = 7;
    for (size_t i = 0, n; i < text.n; i += n) {
        random = random * 1103515245 + 12345;
        n = cuts == WHOLE ? text.n : cuts == BYTES ? 1 : 1 + (random >> 16) % 17;
        n = n < text.n - i ? n : text.n - i;
        rf_markdown_add(m, (struct rf_str){ text.p + i, n });
        if (cuts == RANDOM_AND_LIVE)
            rf_markdown_live(m, drop_row,
                             &(struct screen){ .theme = s->theme, .columns = s->columns });
    }
    rf_markdown_end(m);
    rf_markdown_free(m);
}

static const struct row {
    const char *name;
    const struct rf_theme *theme;
    int columns;
    const char *text, *want;
} rows[] = {
    { "words wrap", &theme, 20, "one two three four five six seven\n",
      "one two three four\nfive six seven\n" },
    { "lines of a paragraph are joined", &theme, 40, "one\ntwo\nthree\n", "one two three\n" },
    { "a text without a line feed at its end", &theme, 40, "one", "one\n" },
    { "empty rows between paragraphs are one, and none at the ends", &theme, 40,
      "\n\none\n\n\n\ntwo\n\n\n", "one\n\ntwo\n" },
    { "CR and CRLF end lines", &theme, 40, "one\r\n\r\ntwo\r\rthree", "one\n\ntwo\n\nthree\n" },
    { "two spaces are a hard break", &theme, 40, "one  \ntwo", "one\ntwo\n" },
    { "a backslash is a hard break", &theme, 40, "one\\\ntwo", "one\ntwo\n" },
    { "neither is one at the end", &theme, 40, "one  \n\ntwo\\", "one\n\ntwo\\\n" },
    { "spaces are one", &theme, 40, "a    b\t\tc", "a b c\n" },
    { "a word that is too long is broken", &theme, 10, "a abcdefghijklmnopqrstuvwxyz b",
      "a\nabcdefghij\nklmnopqrst\nuvwxyz b\n" },
    { "wide characters break anywhere", &theme, 10, "日本語日本語日本語",
      "日本語日本\n語日本語\n" },
    { "but a row does not begin with what closes", &theme, 10, "日本語日本。日本語",
      "日本語日\n本。日本語\n" },
    { "wide ones and words", &theme, 12, "ab 日本語 cd 日本語語 ef",
      "ab 日本語 cd\n日本語語 ef\n" },
    { "a flag and a family stay whole", &theme, 10,
      "aaaaaaaaa🇩🇪 aaaaaaaaa👨\342\200\215👩\342\200\215👧",
      "aaaaaaaaa\n🇩🇪\naaaaaaaaa\n👨\342\200\215👩\342\200\215👧\n" },
    { "emphasis, strong, both", &theme, 60, "*a* _b_ **c** __d__ ***e*** *f **g** h*",
      "{e a} {e b} {s c} {s d} {s {e e}} {e f }{s {e g}}{e  h}\n" },
    { "a row ends styles and the next begins them", &theme, 12, "**one two three four**",
      "{s one two}\n{s three four}\n" },
    { "strike", &theme, 40, "~~gone~~ ~one~ ~~~three~~~", "{k gone} ~one~ ~~~three~~~\n" },
    { "not inside of words", &theme, 40, "snake_case_name 2*3*4 a_b_",
      "snake_case_name 2{e 3}4 a_b_\n" },
    { "stars inside of words", &theme, 40, "un*frigging*believable", "un{e frigging}believable\n" },
    { "no emphasis beside spaces", &theme, 40, "a * b * c ** d ** e", "a * b * c ** d ** e\n" },
    { "marks that nothing closes stay", &theme, 40, "**a *b `c ~~d [e ![f <g _h",
      "**a *b `c ~~d [e ![f <g _h\n" },
    { "marks that nothing opens stay", &theme, 40, "a** b* c~~ d] e_", "a** b* c~~ d] e_\n" },
    { "the inner ones match first", &theme, 40, "*a *b* c", "*a {e b} c\n" },
    { "more marks on one side", &theme, 40, "**a* *b** ***c**", "{e a b} *{s c}\n" },
    { "multiples of three", &theme, 40, "*foo**bar**baz* *foo**bar*",
      "{e foo}{s {e bar}}{e baz} {e foo**bar}\n" },
    { "emphasis beside other scripts", &theme, 40, "**「重要」**です **“a”**b",
      "{s 「重要」}です {s “a”}b\n" },
    { "over lines", &theme, 40, "**a\nb** c", "{s a b} c\n" },
    { "escapes", &theme, 60, "\\*a\\* \\`b\\` \\[c\\](d) \\# \\\\ \\x",
      "*a* `b` [c](d) # \\ \\x\n" },
    { "entities", &theme, 40, "&lt;b&gt; &amp; &copy; &x", "<b> & &copy; &x\n" },
    { "code", &theme, 40, "`a` ``b ` c`` ` d ` `e  f` `*g*`",
      "{c a} {c b ` c} {c d} {c e  f} {c *g*}\n" },
    { "code over lines", &theme, 40, "`a\nb` c", "{c a} {c b} c\n" },
    { "code wins over emphasis", &theme, 40, "*a `b*` c*", "{e a }{e {c b*}}{e  c}\n" },
    { "code without colours keeps its marks", &colourless, 40, "a `b` **c**", "a `b` {s c}\n" },
    { "marks stay where styles do not show", &dumb, 60, "# A\n\n**b** *c* `d` ~~e~~ [f](http://g)",
      "# A\n\n**b** *c* `d` ~~e~~ f (http://g)\n" },
    { "a link shows where it goes", &theme, 60, "[text](https://e.org/a) b",
      "{l <https://e.org/a>text<>} {d (}{d <https://e.org/a>https://e.org/a<>}{d )} b\n" },
    { "a link that says where it goes", &theme, 60,
      "[https://e.org](https://e.org) [e.org](http://e.org)",
      "{l <https://e.org>https://e.org<>} {l <http://e.org>e.org<>}\n" },
    { "a link with a title", &theme, 60, "[a](http://b.c \"the title\") [d](<http://e.f>)",
      "{l <http://b.c>a<>} {d (}{d <http://b.c>http://b.c \"the title\"<>}{d )} {l <http://e.f>d<>} {d (}{d <http://e.f><http://e.f><>}{d )}\n" },
    { "emphasis in a link, and around it", &theme, 60, "[*a* b](http://c.d) **[e](http://f.g)**",
      "{e {l <http://c.d>a<>}}{l <http://c.d> b<>} {d (}{d <http://c.d>http://c.d<>}{d )} {s {l <http://f.g>e<>}}{s  }{d {s (}}{d {s <http://f.g>http://f.g<>}}{d {s )}}\n" },
    { "a link wins over emphasis", &theme, 60, "*a [b*](http://c.d)",
      "*a {l <http://c.d>b*<>} {d (}{d <http://c.d>http://c.d<>}{d )}\n" },
    { "parentheses in an address", &theme, 60, "[a](http://b.c/d_(e)) f)",
      "{l <http://b.c/d_(e)>a<>} {d (}{d <http://b.c/d_(e)>http://b.c/d_(e)<>}{d )} f)\n" },
    { "only the web is linked", &theme, 60,
      "[a](javascript:alert(1)) [b](file:///etc/passwd) [c](/d) <ftp://e.f>",
      "a {d (javascript:alert(1))} b {d (file:///etc/passwd)} c {d (/d)}\nftp://e.f\n" },
    { "control characters link nowhere", &theme, 60, "[a](http://b\033c) <http://d\007e>",
      "{l a} {d (}{d http://b?c}{d )} {l http://d?e}\n" },
    { "links where they are not written", &without_links, 60, "[a](http://b.c) http://d.e",
      "{l a} {d (}{d http://b.c}{d )} {l http://d.e}\n" },
    { "addresses in text", &theme, 60, "see http://a.b/c, (https://d.e/f) xhttp://g.h HTTP://I.J.",
      "see {l <http://a.b/c>http://a.b/c<>}, ({l <https://d.e/f>https://d.e/f<>}) xhttp://g.h {l <HTTP://I.J>HTTP://I.J<>}.\n" },
    { "an address in angles", &theme, 60, "<http://a.b/c?d=*e*>",
      "{l <http://a.b/c?d=*e*>http://a.b/c?d=*e*<>}\n" },
    { "no links in links", &theme, 60, "[a [b](http://c.d) e](http://f.g)",
      "[a {l <http://c.d>b<>} {d (}{d <http://c.d>http://c.d<>}{d )} e]({l <http://f.g>http://f.g<>})\n" },
    { "a picture", &theme, 60, "![a cat](http://b.c/d.png) ![e](f.png)",
      "{l <http://b.c/d.png>[image: a cat]<>} {d (}{d <http://b.c/d.png>http://b.c/d.png<>}{d )} [image: e] {d (f.png)}\n" },
    { "a picture in a link", &theme, 70, "[![a](http://b.c/d.png)](http://e.f)",
      "{l <http://e.f>[image: a]<>} {d (}{d <http://b.c/d.png>http://b.c/d.png<>}{d )} {d (}{d <http://e.f>http://e.f<>}{d )}\n" },
    { "references stay as they are", &theme, 60, "[a][b] [c] [d]: e\n\n[b]: http://c.d",
      "[a][b] [c] [d]: e\n\n[b]: {l <http://c.d>http://c.d<>}\n" },
    { "a link over rows", &theme, 12, "[one two three](http://a.b)",
      "{l <http://a.b>one two<>}\n{l <http://a.b>three<>}\n{d (}{d <http://a.b>http://a.b<>}{d )}\n" },
    { "tags are text", &theme, 60, "a <b class=\"*x*\">*c*</b> <!-- *d* --> <e f",
      "a <b class=\"*x*\">{e c}</b> <!-- *d* --> <e f\n" },
    { "lines of HTML stay lines", &theme, 40, "<details>\n<summary>a</summary>\nb\nc\n</details>\n",
      "<details>\n<summary>a</summary>\nb c\n</details>\n" },
    { "headings", &theme, 40,
      "# One\n## Two *a*\n### Three\n###### Six ##\n####### Seven\n#eight\n# \n",
      "{h One}\n{h Two }{h {e a}}\n{s Three}\n{s Six}\n####### Seven #eight\n\n" },
    { "headings under a bar", &theme, 40, "One\n===\nTwo *a*\nb\n---\nc",
      "{h One}\n{h Two }{h {e a}}{h  b}\nc\n" },
    { "a heading ends a paragraph", &theme, 40, "a\n# b\nc", "a\n{h b}\nc\n" },
    { "a long heading wraps", &theme, 12, "# one two three four", "{h one two}\n{h three four}\n" },
    { "rules", &theme, 12, "---\n***\n_ _ _\n- - -\na\n***\n--\n",
      "{d ────────────}\n{d ────────────}\n{d ────────────}\n{d ────────────}\na\n{d ────────────}\n--\n" },
    { "a rule without Unicode", &ascii, 12, "a\n\n***", "a\n\n{d ------------}\n" },
    { "lists", &theme, 40, "- a\n- b\n* c\n+ d\n-e\n", "{d •} a\n{d •} b\n{d •} c\n{d •} d -e\n" },
    { "bullets without Unicode", &ascii, 40, "- a\n- > b", "{d *} a\n{d *} {d |} {q b}\n" },
    { "items wrap under their text", &theme, 12, "- one two three\n- four",
      "{d •} one two\n  three\n{d •} four\n" },
    { "numbers stay", &theme, 40, "3. a\n4. b\n10) c\n1234567890. d\n",
      "{d 3.} a\n{d 4.} b\n{d 10)} c 1234567890. d\n" },
    { "nested lists", &theme, 40, "- a\n  - b\n    - c\n  - d\n- e\n",
      "{d •} a\n  {d •} b\n    {d •} c\n  {d •} d\n{d •} e\n" },
    { "a list under a number, by two", &theme, 40, "1. a\n  - b\n  - c\n2. d\n",
      "{d 1.} a\n   {d •} b\n   {d •} c\n{d 2.} d\n" },
    { "loose lists", &theme, 40, "- a\n\n- b\n\n  c\n\nd", "{d •} a\n\n{d •} b\n\n  c\n\nd\n" },
    { "lazy lines", &theme, 40, "- a\nb\n> c\nd\n", "{d •} a b\n{d │} {q c d}\n" },
    { "empty items", &theme, 40, "-\n- a\n-\n", "{d •}\n{d •} a\n{d •}\n" },
    { "tasks", &theme, 40, "- [ ] a\n- [x] b\n1. [X] c\n- [y] d\n",
      "{d [ ]} a\n{g [x]} b\n{d 1.} {g [x]} c\n{d •} [y] d\n" },
    { "a number in a sentence is not a list", &theme, 40,
      "the year was\n2024. It rained\n1. but this is\n",
      "the year was 2024. It rained\n{d 1.} but this is\n" },
    { "a list in a paragraph", &theme, 40, "a:\n- b\n- c\n", "a:\n{d •} b\n{d •} c\n" },
    { "code in an item", &theme, 40, "- a\n\n  ```sh\n  b\n    c\n  ```\n- d\n",
      "{d •} a\n\n  {d sh}\n  b\n    c\n{d •} d\n" },
    { "code in an item, not indented", &theme, 40, "1. a\n   ```\nb\n   ```\nc\n",
      "{d 1.} a\n   {c b}\nc\n" },
    { "quotes", &theme, 40, "> a\n> b\n>\n> c\n\nd\n", "{d │} {q a b}\n{d │}\n{d │} {q c}\n\nd\n" },
    { "quotes in each other", &theme, 40, "> a\n> > b\n>\n> c\n",
      "{d │} {q a}\n{d │} {d │} {q b}\n{d │}\n{d │} {q c}\n" },
    { "a list in a quote", &theme, 16, "> - one two three\n> - d\n",
      "{d │} {d •} {q one two}\n{d │}   {q three}\n{d │} {d •} {q d}\n" },
    { "a quote in a list", &theme, 40, "- a\n  > b\n  > c\n", "{d •} a\n  {d │} {q b c}\n" },
    { "code in a quote", &theme, 40, "> ```\n> a\n> ```\n> b\n", "{d │} {c a}\n{d │} {q b}\n" },
    { "a quote that ends code", &theme, 40, "> ```\n> a\nb\n", "{d │} {c a}\nb\n" },
    { "code", &theme, 40, "```c\nint *a;\n\n  b **c** \\* `d`\n```\ne\n",
      "{d c}\n{w int} *a;\n\n  b **c** \\* `d`\ne\n" },
    { "code in a language that is known", &theme, 40,
      "```python\ndef f(x='a'):  # b\n    \"\"\"c\n    d\"\"\"\n    return 1.5e-3\n```\n",
      "{d python}\n{w def} f(x={g 'a'}):  {d # b}\n    {g \"\"\"c}\n{g     d\"\"\"}\n"
      "    {w return} {n 1.5e-3}\n" },
    { "a long line of code in a language", &theme, 12, "```c\nreturn \"abcdefgh\"; // e\n```\n",
      "{d c}\n{w return} {g \"abcd}\n{g efgh\"}; {d // e}\n" },
    { "code in a language, and code in none after it", &theme, 40,
      "```c\n/* a\n```\n\n    int b;\n", "{d c}\n{d /* a}\n\n{c int b;}\n" },
    { "long lines of code are broken", &theme, 10, "```\nabcdefghijklm nop\n```\n",
      "{c abcdefghij}\n{c klm nop}\n" },
    { "tabs in code", &theme, 40, "```\n\ta\n  \tb\n```\n", "{c     a}\n{c     b}\n" },
    { "code that does not end", &theme, 40, "```\na\n``\n````x\n", "{c a}\n{c ``}\n{c ````x}\n" },
    { "a longer fence, and tildes", &theme, 40, "````\n```\na\n````\n~~~ x\nb\n~~~\n",
      "{c ```}\n{c a}\n{d x}\n{c b}\n" },
    { "no fence with backticks after it", &theme, 40, "``` a ``` b\n", "{c a} b\n" },
    { "an indented fence", &theme, 40, "  ```\n  a\n b\n   c\n  ```\n", "{c a}\n{c b}\n{c  c}\n" },
    { "fences where code has no colour", &colourless, 40, "```c\na\n```\n",
      "{d ```c}\na\n{d ```}\n" },
    { "indented code", &theme, 40, "a\n\n    b\n\n\n      c\n\nd\n    e\n",
      "a\n\n{c b}\n\n\n{c   c}\n\nd e\n" },
    { "a table", &theme, 40, "| a | b |\n|---|--:|\n| one | 2 |\n| three | 44 |\n",
      "{s a}    {d  │ }  {s b}\n{d ──────┼────}\none  {d  │ }  2\nthree{d  │ } 44\n" },
    { "a table without bars at its ends", &theme, 40, "a | b\n--|--\nc | d\n\ne\n",
      "{s a}  {d  │ }{s b}\n{d ────┼────}\nc  {d  │ }d\n\ne\n" },
    { "a table under a line", &theme, 40, "x:\n| a | b |\n|---|---|\n| c | d |\ny\n",
      "x:\n{s a}  {d  │ }{s b}\n{d ────┼────}\nc  {d  │ }d\ny\n" },
    { "alignment", &theme, 40, "|left|mid|right|\n|:--|:-:|--:|\n|a|b|c|\n",
      "{s left}{d  │ }{s mid}{d  │ }{s right}\n{d ─────┼─────┼──────}\na   {d  │ } b {d  │ }    c\n" },
    { "marks in cells", &theme, 60, "| a |\n|---|\n| **b** `c` [d](http://e.f) |\n",
      "{s a}\n{d ──────────────────}\n{s b} {c c} {l <http://e.f>d<>} {d (}{d <http://e.f>http://e.f<>}{d )}\n" },
    { "bars in cells", &theme, 40, "| a |\n|---|\n| b \\| c `d \\| e` |\n",
      "{s a}\n{d ───────────}\nb | c {c d | e}\n" },
    { "cells that are missing, cells that are too many", &theme, 40,
      "| a | b |\n|---|---|\n| c |\n| d | e | f |\n||\n",
      "{s a}  {d  │ }{s b}\n{d ────┼──────}\nc  {d  │ }\nd  {d  │ }e | f\n   {d  │ }\n" },
    { "breaks in cells", &theme, 40, "| a | b |\n|---|---|\n| c<br>d | e |\n",
      "{s a}  {d  │ }{s b}\n{d ────┼────}\nc  {d  │ }e\nd  {d  │ }\n" },
    { "cells wrap", &theme, 30,
      "| a | b |\n|---|---|\n| short | a cell with a lot of text in it |\n| x | y |\n",
      "{s a}    {d  │ }{s b}\n{d ──────┼───────────────────────}\nshort{d  │ }a cell with a lot of\n     {d  │ }text in it\nx    {d  │ }y\n" },
    { "wide characters in cells", &theme, 40, "| 日本 | b |\n|---|---|\n| 語 | ab |\n",
      "{s 日本}{d  │ }{s b}\n{d ─────┼────}\n語  {d  │ }ab\n" },
    { "too narrow for a table", &theme, 16,
      "| name | value | note |\n|---|---|---|\n| one | two and three | four |\n| five | six | |\n",
      "{s name: }one\n{s value: }two and\nthree\n{s note: }four\n\n{s name: }five\n{s value: }six\n{s note:}\n" },
    { "a table that is only begun", &theme, 40, "| a | b |\n|---|---|\n",
      "{s a}  {d  │ }{s b}\n{d ────┼────}\n" },
    { "a header without a ruler", &theme, 40, "| a | b |\n| c | d |\n", "| a | b |\n| c | d |\n" },
    { "a ruler that does not fit", &theme, 40, "| a | b |\n|---|\n| c |\n",
      "| a | b |\n|---|\n| c |\n" },
    { "a table without Unicode", &ascii, 40, "| a | b |\n|---|---|\n| c | d |\n",
      "{s a}  {d  | }{s b}\n{d ----+----}\nc  {d  | }d\n" },
    { "a table in a list", &theme, 40, "- a\n\n  | b | c |\n  |---|---|\n  | d | e |\n- f\n",
      "{d •} a\n\n  {s b}  {d  │ }{s c}\n  {d ────┼────}\n  d  {d  │ }e\n{d •} f\n" },
    { "escape sequences are harmless", &theme, 60,
      "\033]0;title\007 \033[2J \302\23331m **\033[1m**\n", "?]0;title? ?[2J ?31m {s ?[1m}\n" },
    { "so are they in code and tables", &theme, 60,
      "```\033[x\n\033[31m\n```\n| \033 |\n|---|\n| \007 |\n",
      "{d ?[x}\n{c ?[31m}\n{s ?}\n{d ───}\n?\n" },
    { "what turns text around", &theme, 40, "a\342\200\256b\342\201\246c", "a?b?c\n" },
    { "bytes that are not UTF-8", &theme, 40, "a\377b", "a?b\n" },
    { "right to left letters stay", &theme, 40, "שלום *עולם* abc", "שלום {e עולם} abc\n" },
    { "an unreadable marker is text", &theme, 10, "123456789. a", "123456789.\na\n" },
    { "only so many quotes", &theme, 40, "> > > > > > > > > > > > > > a\n",
      "{d │} {d │} {d │} {d │} {d │} {d │} {d │} {d │} {d │} {d │} {q > > a}\n" },
};

static void renders(void **state)
{
    const struct row *row = *state;
    for (enum cuts cuts = WHOLE; cuts < ALL_CUTS; cuts++) {
        struct screen s = { .theme = row->theme, .columns = row->columns };
        render(&s, rf_str(row->text), cuts);
        assert_str(rf_buffer_view(&s.rows), row->want);
        rf_buffer_release(&s.rows);
    }
}

/* What is live shows what is there, and changes nothing. */
static void is_live(void **state)
{
    (void)state;
    struct screen done = { .theme = &theme, .columns = 40 }, live = done;
    struct rf_markdown *m = rf_markdown_new(&theme, 40, take_row, &done);
    rf_markdown_add(m, rf_str("# A\n\none **two\n"));
    rf_markdown_live(m, take_row, &live);
    assert_str(rf_buffer_view(&done.rows), "{h A}\n");
    assert_str(rf_buffer_view(&live.rows), "\none **two\n");
    rf_markdown_add(m, rf_str("three** \xe2\x82"));
    rf_buffer_reset(&live.rows);
    rf_markdown_live(m, take_row, &live); /* the character is not whole */
    assert_str(rf_buffer_view(&live.rows), "\none {s two three}\n");
    rf_markdown_add(m, rf_str("\xac"));
    rf_markdown_end(m);
    assert_str(rf_buffer_view(&done.rows), "{h A}\n\none {s two three} €\n");
    rf_buffer_reset(&live.rows);
    rf_markdown_live(m, take_row, &live);
    assert_int_equal(live.rows.n, 0);
    rf_markdown_free(m);
    rf_buffer_release(&done.rows);
    rf_buffer_release(&live.rows);
}

static void begins_anew_after_the_end(void **state)
{
    (void)state;
    struct screen s = { .theme = &theme, .columns = 40 };
    struct rf_markdown *m = rf_markdown_new(&theme, 40, take_row, &s);
    static const char *const texts[] = { "```\na", "> - b\n\n", "| c |\n|---|\n",
                                         "**d",    "e\r",       "\nf" };
    for (size_t i = 0; i < COUNT(texts); i++) {
        rf_markdown_add(m, rf_str(texts[i]));
        rf_markdown_end(m);
    }
    rf_markdown_free(m);
    rf_markdown_free(NULL);
    assert_str(rf_buffer_view(&s.rows), "{c a}\n{d │} {d •} {q b}\n{s c}\n{d ───}\n**d\ne\nf\n");
    rf_buffer_release(&s.rows);
}

static const struct resized {
    const char *name, *before, *again;
} resizes[] = {
    { "a paragraph", "one two three four five six seven eight nine ten ", "word " },
    { "a word", "x", "xxxxxxxx" },
    { "a line of code", "```\n", "some code; " },
    { "a table", "| first column | second column |\n|---|---|\n", "| a cell | another cell |\n" },
    { "items in items", "- a\n  - b\n    - c\n      - d\n        - e\n          - ", "f " },
    { "numbers", "12345678. ", "a " },
    { "a quote", "> > > > ", "deep " },
};

/* Rows from then on are as wide as they may be; promise_row holds them against it. */
static void is_resized(void **state)
{
    const struct resized *row = *state;
    static const int columns[] = { 60, 10, 200, 3, 25, 100000 };
    struct screen s = { .theme = &theme, .columns = 80 };
    struct rf_markdown *m = rf_markdown_new(&theme, 80, take_row, &s);
    rf_markdown_add(m, rf_str(row->before));
    for (size_t i = 0; i < COUNT(columns); i++) {
        for (int k = 0; k < 150; k++)
            rf_markdown_add(m, rf_str(row->again));
        s.columns = columns[i] < 10 ? 10 : columns[i];
        rf_markdown_resize(m, columns[i]);
        rf_markdown_live(m, drop_row, &s);
    }
    rf_markdown_end(m);
    rf_markdown_free(m);
    assert_true(s.count > 20);
    rf_buffer_release(&s.rows);
}

/* Plenty of one thing, byte by byte. What is held stays small: in memory, and in live rows. */
static const struct endless {
    const char *name, *before, *again;
    size_t most_live; /* rows */
    bool is_kept;     /* every byte of it is shown */
} endless[] = {
    { "a paragraph", "", "word and ", 12, false },
    { "a word", "", "x", 12, true },
    { "a paragraph of marks", "", "**bold** *it* `c` [l](http://a.b) ", 24, false },
    { "openers", "", "*a **b _c ~~d ", 12, false },
    { "closers", "", "a* b** c_ d~~ ", 12, false },
    { "brackets", "", "[", 12, true },
    { "links that do not end", "", "[](a", 12, true },
    { "backticks", "", "` `` ``` ```` ", 12, false },
    { "tags", "", "<a \"", 12, false },
    { "backslashes", "", "\\", 12, false },
    { "a table", "| a | b |\n|---|---|\n", "| cell | **cell** |\n", 40, false },
    { "a table that is too wide", "| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n",
      "| cell | **cell** |\n", 400, false },
    { "bars", "", "|", 120, true },
    { "a table of 10,000 columns", "", "| a ", 120, false },
    { "headers", "", "| a | b |\n", 80, false },
    { "a row that does not end", "| a | b |\n|---|---|\n| ", "text ", 400, false },
    { "code", "```c\n", "int a;\n", 3, false },
    { "a line of code", "```c\n", "int a;", 12, false },
    { "indented code", "    ", "a ", 12, false },
    { "empty lines of code", "    a\n", "\n", 3, false },
    { "quotes", "", "> ", 24, false },
    { "items", "", "- ", 24, false },
    { "deeper and deeper", "", "- a\n>", 24, false },
    { "a heading", "# ", "word ", 12, false },
    { "hashes", "", "#", 12, true },
    { "lazy lines", "> ", "a\n", 12, false },
    { "marks that take no cell", "e", "\u0301", 12, true },
    { "spaces of no width", "", "\u200b", 12, true },
    { "half flags", "", "\U0001f1e9", 12, true },
    { "wide characters", "", "日", 12, true },
    { "escape sequences", "", "\033]0;x\a\033[2J", 12, true },
    { "bytes that are not UTF-8", "", "\xf0\x9f", 24, true },
    { "spaces", "", " ", 12, false },
    { "tabs", "", "\t", 12, false },
    { "line feeds", "", "\n", 1, false },
};

static void never_grows(void **state)
{
    const struct endless *row = *state;
    struct screen s = { .theme = &dumb, .columns = 80 }, live = s;
    struct rf_markdown *m = rf_markdown_new(&dumb, 80, drop_row, &s);
    size_t n = strlen(row->again), most = 0, at_first = 0;
    rf_markdown_add(m, rf_str(row->before));
    for (size_t i = 0; i < PLENTY; i++) {
        rf_markdown_add(m, (struct rf_str){ row->again + i % n, 1 });
        if (i % 997)
            continue;
        live.count = 0;
        rf_markdown_live(m, drop_row, &live);
        most = live.count > most ? live.count : most;
        at_first = i < PLENTY / 8 ? mallinfo2().uordblks : at_first;
    }
    assert_in_range(most, 0, row->most_live);
    assert_in_range(mallinfo2().uordblks, 0, at_first + 65536);
    rf_markdown_end(m);
    rf_markdown_free(m);
    if (row->is_kept)
        assert_int_equal(s.bytes, strlen(row->before) + PLENTY);
}

/* Longer than what is held: nothing is cut where it hurts. */
static const struct lasting {
    const char *name, *before, *again;
    const char *absent; /* no row has one of these */
} lasting[] = {
    { "emphasis in a paragraph", "", "some **bold words** and *others* ", "*" },
    { "links in a paragraph", "", "[a link](http://a.b/c) and <http://d.e> ", "[]" },
    { "code in a paragraph", "", "call `rf_one(a, b)` or ``two three`` ", "`" },
    { "lines with marks", "", "**one\ntwo** [three\nfour](http://a.b)\n", "*[" },
    { "characters of a paragraph", "", "日本語 ü€ 🇩🇪 ", "?" },
    { "characters of a word", "x", "日本語ü€", "?" },
    { "characters of a line of code", "```\nx", "日本語ü€", "?" },
    { "a heading", "# ", "one **two** ü ", "*#?" },
    { "an item", "- ", "one **two** ü ", "*-?" },
};

static void lasts(void **state)
{
    const struct lasting *row = *state;
    struct rf_buffer text = { 0 };
    rf_buffer_text(&text, row->before);
    while (text.n < PLENTY / 32)
        rf_buffer_text(&text, row->again);
    for (int columns = 10; columns < 130; columns += 7) {
        struct screen s = { .theme = &theme, .columns = columns };
        render(&s, rf_buffer_view(&text), WHOLE);
        for (size_t i = 0; i < s.rows.n; i++)
            assert_false(s.rows.p[i] && strchr(row->absent, s.rows.p[i]));
        rf_buffer_release(&s.rows);
    }
    rf_buffer_release(&text);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(resizes) + COUNT(endless) + COUNT(lasting) + 2],
        *next = tests;
    name_rows(next, renders, rows, COUNT(rows), sizeof *rows);
    next += COUNT(rows);
    name_rows(next, is_resized, resizes, COUNT(resizes), sizeof *resizes);
    next += COUNT(resizes);
    name_rows(next, never_grows, endless, COUNT(endless), sizeof *endless);
    next += COUNT(endless);
    name_rows(next, lasts, lasting, COUNT(lasting), sizeof *lasting);
    next += COUNT(lasting);
    *next++ = (struct CMUnitTest)cmocka_unit_test(is_live);
    *next++ = (struct CMUnitTest)cmocka_unit_test(begins_anew_after_the_end);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
