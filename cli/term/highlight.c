/* A row a language; one walk for all of them.
 *
 * libsource-highlight knows more languages. It is C++ with Boost's regular expressions and a folder
 * of definitions, takes whole files, and would be run over whatever a model writes: too much for
 * four colours in a terminal.
 */
#include "term/highlight.h"

#include <string.h>
#include <strings.h>

struct rf_language {
    const char *names; /* all lists have spaces between, and around them */
    const char *keywords;
    const char *comments[2];  /* that go to the end of the line; or NULL */
    const char *open, *close; /* a comment that has an end; or NULL */
    const char *quotes;       /* characters that strings stand in */
    const char *raw;          /* of those, where a backslash is a backslash */
    const char *spanning;     /* of those, that may go on in the next line */
    char directive;   /* with the word after it a keyword, at the beginning of a line; or 0 */
    bool has_triples; /* strings in three quotes, which go on in the next line */
    bool ignores_case;
    bool has_keys; /* a word before a colon, at the beginning of a line, is a keyword */
    bool is_markup, is_diff;
};

#define C_WORDS                                                                                 \
    " auto bool break case char const continue default do double else enum extern false float " \
    "for goto if inline int long NULL nullptr register restrict return short signed sizeof "    \
    "static static_assert struct switch thread_local true typedef typeof union unsigned void "  \
    "volatile while _Atomic _Bool _Generic _Noreturn _Static_assert size_t int8_t int16_t "     \
    "int32_t int64_t uint8_t uint16_t uint32_t uint64_t "
#define SCRIPT_WORDS                                                                             \
    " abstract any as async await boolean break case catch class const continue debugger "       \
    "declare default delete do else enum export extends false finally for from function get if " \
    "implements import in instanceof interface keyof let namespace new null number of private "  \
    "protected public readonly return set static string super switch this throw true try type "  \
    "typeof undefined unknown var void while with yield "

static const struct rf_language languages[] = {
    { .names = " c h ",
      .keywords = C_WORDS,
      .comments = { "//" },
      .open = "/*",
      .close = "*/",
      .quotes = "\"'",
      .directive = '#' },
    { .names = " cpp c++ cc cxx hpp cuda arduino objective-c ",
      .keywords = C_WORDS
      "alignas alignof catch class concept consteval constexpr constinit const_cast co_await "
      "co_return co_yield decltype delete dynamic_cast explicit export final friend mutable "
      "namespace new noexcept operator override private protected public reinterpret_cast "
      "requires static_cast template this throw try typename using virtual wchar_t ",
      .comments = { "//" },
      .open = "/*",
      .close = "*/",
      .quotes = "\"'",
      .directive = '#' },
    { .names = " python py python3 pycon ",
      .keywords = " and as assert async await break case class continue def del elif else except "
                  "False finally for from global if import in is lambda match None nonlocal not or "
                  "pass raise return self True try while with yield ",
      .comments = { "#" },
      .quotes = "\"'",
      .has_triples = true },
    { .names = " javascript js jsx mjs typescript ts tsx ",
      .keywords = SCRIPT_WORDS,
      .comments = { "//" },
      .open = "/*",
      .close = "*/",
      .quotes = "\"'`",
      .spanning = "`" },
    { .names = " go golang ",
      .keywords = " any bool break byte case chan const continue default defer else error "
                  "fallthrough false float32 float64 for func go goto if import int int32 int64 "
                  "interface iota map nil package range return rune select string struct switch "
                  "true type uint uint8 uint32 uint64 var ",
      .comments = { "//" },
      .open = "/*",
      .close = "*/",
      .quotes = "\"'`",
      .raw = "`",
      .spanning = "`" },
    { .names = " rust rs ", /* a ' begins a lifetime more often than a character */
      .keywords = " as async await bool break char const continue crate dyn else enum extern f32 "
                  "f64 false fn for i8 i16 i32 i64 if impl in isize let loop match mod move mut "
                  "pub ref return self Self static str struct super trait true type u8 u16 u32 "
                  "u64 unsafe use usize where while ",
      .comments = { "//" },
      .open = "/*",
      .close = "*/",
      .quotes = "\"",
      .spanning = "\"" },
    { .names = " java kotlin kt scala csharp cs c# swift dart groovy ",
      .keywords = " abstract as assert async await boolean break byte case catch char class const "
                  "continue default do double else enum extends false final finally float for fun "
                  "func if implements import in instanceof int interface internal is let long "
                  "namespace native new null object open override package private protected public "
                  "record return sealed short static string struct super switch synchronized this "
                  "throw throws transient true try using val var void volatile when while yield ",
      .comments = { "//" },
      .open = "/*",
      .close = "*/",
      .quotes = "\"'",
      .has_triples = true },
    { .names = " sh bash shell zsh console shell-session fish dockerfile makefile make ",
      .keywords = " alias break case cd continue declare do done echo elif else esac eval exec "
                  "exit export fi for function if in local read readonly return set shift source "
                  "sudo test then trap true unset until while FROM RUN COPY ENV CMD ENTRYPOINT "
                  "WORKDIR ",
      .comments = { "#" },
      .quotes = "\"'",
      .raw = "'",
      .spanning = "\"'" },
    { .names = " json jsonc json5 jsonl ",
      .keywords = " true false null ",
      .comments = { "//" },
      .open = "/*",
      .close = "*/",
      .quotes = "\"" },
    { .names = " yaml yml toml ini ",
      .keywords = " true false null yes no on off ",
      .comments = { "#", ";" },
      .quotes = "\"'",
      .raw = "'",
      .has_keys = true },
    { .names = " sql sqlite mysql postgresql postgres plpgsql ",
      .keywords = " add all alter and as asc begin between by case check commit constraint create "
                  "cross database default delete desc distinct drop else end exists false foreign "
                  "from full group having if in index inner insert int integer into is join key "
                  "left like limit not null numeric offset on or order outer primary references "
                  "returning right rollback select set table text then timestamp true union unique "
                  "update using values varchar view when where with ",
      .comments = { "--" },
      .open = "/*",
      .close = "*/",
      .quotes = "'\"",
      .raw = "'\"",
      .spanning = "'",
      .ignores_case = true },
    { .names = " html xml svg xhtml vue rss ",
      .keywords = " ",
      .open = "<!--",
      .close = "-->",
      .quotes = "\"'",
      .raw = "\"'",
      .spanning = "\"'",
      .is_markup = true },
    { .names = " diff patch ", .keywords = " ", .quotes = "", .is_diff = true },
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Does the list have this word? */
static bool has_word(const char *list, struct rf_str word, bool ignores_case)
{
    for (const char *at = list; *at; at++) {
        if (*at != ' ' || strlen(at + 1) <= word.n || at[1 + word.n] != ' ')
            continue;
        if (ignores_case ? strncasecmp(at + 1, word.p, word.n) == 0
                         : memcmp(at + 1, word.p, word.n) == 0)
            return true;
    }
    return false;
}

/* "python", "{.python .numbers}", "python title=x", "language-python" */
static struct rf_str name_in(struct rf_str info)
{
    static const char before[] = "language-";
    while (info.n && strchr("{. ", info.p[0]))
        info = (struct rf_str){ info.p + 1, info.n - 1 };
    if (info.n > sizeof before && memcmp(info.p, before, sizeof before - 1) == 0)
        info = (struct rf_str){ info.p + sizeof before - 1, info.n - sizeof before + 1 };
    size_t n = 0;
    while (n < info.n && !strchr(" ,{}:", info.p[n]))
        n++;
    return (struct rf_str){ info.p, n };
}

void rf_highlight_begin(struct rf_highlight *h, struct rf_str info)
{
    struct rf_str name = name_in(info);
    *h = (struct rf_highlight){ 0 };
    for (size_t i = 0; name.n && i < sizeof languages / sizeof *languages; i++)
        if (has_word(languages[i].names, name, true))
            h->language = &languages[i];
}

void rf_highlight_line(struct rf_highlight *h)
{
    const char *spanning = h->language ? h->language->spanning : NULL;
    h->has_begun = false;
    h->first = '\0';
    if (h->quote && !h->is_triple && !(spanning && strchr(spanning, h->quote)))
        h->quote = '\0';
}

/* Scanning: bytes that something at the beginning takes; 0 where it is not there. */

static bool begins(struct rf_str s, const char *with)
{
    size_t n = with ? strlen(with) : 0;
    return n && s.n >= n && memcmp(s.p, with, n) == 0;
}

static bool is_letter(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t word_of(struct rf_str s)
{
    size_t n = 0;
    while (n < s.n && (is_letter(s.p[n]) || (n && is_digit(s.p[n]))))
        n++;
    return n;
}

static bool is_of_number(struct rf_str s, size_t at)
{
    char c = s.p[at], before = at ? s.p[at - 1] : '\0';
    bool is_hex = s.n > 1 && lower(s.p[1]) == 'x';
    if (c == '\'')
        return at + 1 < s.n && is_digit(s.p[at + 1]);
    if (c == '+' || c == '-')
        return lower(before) == 'e' && !is_hex;
    return is_digit(c) || is_letter(c) || c == '.';
}

/* 12, 0xff, 1.5e-3, 10_000, 10'000 */
static size_t number_of(struct rf_str s)
{
    size_t n = 0;
    if (!is_digit(s.p[0]))
        return 0;
    while (n < s.n && is_of_number(s, n))
        n++;
    return n;
}

/* To the end of a comment that began before. */
static size_t rest_of_comment(struct rf_highlight *h, struct rf_str s)
{
    const char *close = h->language->close, *at = memmem(s.p, s.n, close, strlen(close));
    h->in_comment = !at;
    return at ? (size_t)(at - s.p) + strlen(close) : s.n;
}

/* To the end of a string that began before, which is after `from`. */
static size_t rest_of_string(struct rf_highlight *h, struct rf_str s, size_t from)
{
    const char *raw = h->language->raw;
    bool escapes = !raw || !strchr(raw, h->quote);
    const char triple[] = { h->quote, h->quote, h->quote, '\0' };
    for (size_t i = from; i < s.n; i++) {
        struct rf_str rest = { s.p + i, s.n - i };
        if (s.p[i] == '\\' && escapes) {
            i++;
            continue;
        }
        if (h->is_triple ? !begins(rest, triple) : s.p[i] != h->quote)
            continue;
        h->quote = '\0';
        return i + (h->is_triple ? 3 : 1);
    }
    return s.n;
}

static size_t string_of(struct rf_highlight *h, struct rf_str s)
{
    const struct rf_language *l = h->language;
    const char triple[] = { s.p[0], s.p[0], s.p[0], '\0' };
    if (!strchr(l->quotes, s.p[0]) || (l->is_markup && !h->in_tag))
        return 0;
    h->quote = s.p[0];
    h->is_triple = l->has_triples && begins(s, triple);
    return rest_of_string(h, s, h->is_triple ? 3 : 1);
}

static size_t comment_of(struct rf_highlight *h, struct rf_str s)
{
    const struct rf_language *l = h->language;
    for (size_t i = 0; i < sizeof l->comments / sizeof *l->comments; i++)
        if (begins(s, l->comments[i]))
            return s.n;
    if (!begins(s, l->open))
        return 0;
    struct rf_str rest = { s.p + strlen(l->open), s.n - strlen(l->open) };
    return strlen(l->open) + rest_of_comment(h, rest);
}

/* "name:" and "- name:" of YAML, "name =" and "[section]" of others. */
static size_t key_of(struct rf_str s)
{
    size_t n = 0, end;
    if (s.p[0] == '[')
        return s.n;
    while (n < s.n && (is_letter(s.p[n]) || is_digit(s.p[n]) || strchr("-./", s.p[n])))
        n++;
    for (end = n; end < s.n && s.p[end] == ' ';)
        end++;
    return n && end < s.n && (s.p[end] == ':' || s.p[end] == '=') ? n : 0;
}

/* "<name", "</name" and ">" */
static size_t tag_of(struct rf_highlight *h, struct rf_str s)
{
    size_t n = 1;
    if (h->in_tag && (s.p[0] == '>' || begins(s, "/>") || begins(s, "?>"))) {
        h->in_tag = false;
        return s.p[0] == '>' ? 1 : 2;
    }
    if (h->in_tag || s.p[0] != '<')
        return 0;
    while (n < s.n && strchr("/?!", s.p[n]))
        n++;
    while (n < s.n && (is_letter(s.p[n]) || is_digit(s.p[n]) || strchr("-:", s.p[n])))
        n++;
    h->in_tag = true;
    return n;
}

static size_t diff_line(struct rf_highlight *h, struct rf_str s, enum rf_style *style)
{
    if (!h->has_begun)
        h->first = s.p[0];
    h->has_begun = true;
    *style = h->first == '+'   ? RF_STYLE_ADDED
             : h->first == '-' ? RF_STYLE_REMOVED
             : h->first == '@' ? RF_STYLE_KEYWORD
             : h->first == ' ' ? RF_STYLE_PLAIN
                               : RF_STYLE_COMMENT;
    return s.n;
}

/* What can stand only where nothing stood before it in the line. */
static size_t opening_of(struct rf_highlight *h, struct rf_str s)
{
    const struct rf_language *l = h->language;
    bool opens = !h->has_begun;
    if (s.p[0] != ' ' && !(l->has_keys && s.p[0] == '-'))
        h->has_begun = true;
    if (opens && l->directive && s.p[0] == l->directive)
        return 1 + word_of((struct rf_str){ s.p + 1, s.n - 1 });
    return opens && l->has_keys ? key_of(s) : 0;
}

static size_t next(struct rf_highlight *h, struct rf_str s, enum rf_style *style)
{
    const struct rf_language *l = h->language;
    size_t n;
    *style = RF_STYLE_KEYWORD;
    if ((n = opening_of(h, s)))
        return n;
    *style = RF_STYLE_COMMENT;
    if ((n = comment_of(h, s)))
        return n;
    *style = RF_STYLE_KEYWORD;
    if (l->is_markup && (n = tag_of(h, s)))
        return n;
    *style = RF_STYLE_STRING;
    if ((n = string_of(h, s)))
        return n;
    *style = RF_STYLE_NUMBER;
    if (!l->is_markup && (n = number_of(s)))
        return n;
    n = word_of(s);
    bool keyword = n && has_word(l->keywords, (struct rf_str){ s.p, n }, l->ignores_case);
    *style = keyword ? RF_STYLE_KEYWORD : RF_STYLE_PLAIN;
    return n ? n : 1;
}

size_t rf_highlight_next(struct rf_highlight *h, struct rf_str text, enum rf_style *style)
{
    *style = RF_STYLE_CODE;
    if (!h->language)
        return text.n;
    if (h->language->is_diff)
        return diff_line(h, text, style);
    *style = RF_STYLE_COMMENT;
    if (h->in_comment)
        return rest_of_comment(h, text);
    *style = RF_STYLE_STRING;
    if (h->quote)
        return rest_of_string(h, text, 0);
    return next(h, text, style);
}
