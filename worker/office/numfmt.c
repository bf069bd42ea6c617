/* A code has up to four sections (positive; negative; zero; text), each a list of tokens. */
#include "worker/office/numfmt_inner.h"

#include <math.h>
#include <stdlib.h>

static struct rf_numfmt_token *add_token(struct rf_numfmt_section *s,
                                         enum rf_numfmt_token_kind kind)
{
    if (s->n == RF_NUMFMT_MAX_TOKENS)
        return NULL;
    s->tokens[s->n] = (struct rf_numfmt_token){ .kind = kind, .n = 1 };
    return &s->tokens[s->n++];
}

static void add_literal(struct rf_numfmt_section *s, struct rf_str text)
{
    struct rf_numfmt_token *t = text.n ? add_token(s, RF_NUM_LITERAL) : NULL;
    if (t)
        t->text = text;
}

static size_t run_length(struct rf_str s)
{
    size_t n = 0;
    while (n < s.n && (s.p[n] | 32) == (s.p[0] | 32))
        n++;
    return n;
}

static void read_condition(struct rf_numfmt_section *s, struct rf_str inner)
{
    size_t n = 1;
    if (inner.n < 2 || inner.n > 40)
        return;
    bool equal = inner.p[1] == '=', other = inner.p[1] == '>';
    if (inner.p[0] == '<')
        s->condition = equal ? RF_NUM_LESS_EQUAL : other ? RF_NUM_NOT_EQUAL : RF_NUM_LESS;
    else if (inner.p[0] == '>')
        s->condition = equal ? RF_NUM_GREATER_EQUAL : RF_NUM_GREATER;
    else
        s->condition = RF_NUM_EQUAL;
    n += inner.p[0] != '=' && (equal || (other && inner.p[0] == '<'));
    char text[48];
    memcpy(text, inner.p + n, inner.n - n);
    text[inner.n - n] = '\0';
    s->limit = strtod(text, NULL);
}

/* What stands in brackets: elapsed time, a condition, a currency; a colour or a locale is
 * nothing. */
static void read_bracket(struct rf_numfmt_section *s, struct rf_str inner)
{
    char c = inner.n ? (char)(inner.p[0] | 32) : '\0';

    if (inner.n && run_length(inner) == inner.n && (c == 'h' || c == 'm' || c == 's')) {
        struct rf_numfmt_token *t = add_token(s, c == 'h'   ? RF_NUM_HOURS
                                                 : c == 'm' ? RF_NUM_MINUTES
                                                            : RF_NUM_SECONDS);
        if (t)
            t->n = (unsigned char)(inner.n < 9 ? inner.n : 9);
        s->is_date = true;
    } else if (c == '$') {
        const char *dash = memchr(inner.p, '-', inner.n);
        size_t end = dash ? (size_t)(dash - inner.p) : inner.n;
        add_literal(s, (struct rf_str){ inner.p + 1, end - 1 });
    } else if (c == '<' || c == '>' || c == '=') {
        read_condition(s, inner);
    }
}

static bool starts_with(struct rf_str s, const char *word)
{
    size_t n = strlen(word);
    return s.n >= n && rf_str_ieq((struct rf_str){ s.p, n }, rf_str(word));
}

static size_t read_letters(struct rf_numfmt_section *s, struct rf_str rest)
{
    static const struct {
        char letter;
        enum rf_numfmt_token_kind kind;
    } letters[] = { { 'y', RF_NUM_YEAR }, { 'e', RF_NUM_YEAR }, { 'm', RF_NUM_MONTH },
                    { 'd', RF_NUM_DAY },  { 'h', RF_NUM_HOUR }, { 's', RF_NUM_SECOND } };
    size_t n = run_length(rest);

    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if ((rest.p[0] | 32) != letters[i].letter)
            continue;
        struct rf_numfmt_token *t = add_token(s, letters[i].kind);
        if (t)
            t->n = (unsigned char)(n < 9 ? n : 9);
        s->is_date = true;
        return n;
    }
    return 0;
}

/* AM/PM, A/P, General, E+00: words that are not letters of a date. Returns their length, or 0. */
static size_t read_word(struct rf_numfmt_section *s, struct rf_str rest)
{
    struct rf_numfmt_token *t;
    if (starts_with(rest, "general")) {
        add_token(s, RF_NUM_GENERAL);
        s->general = true;
        return 7;
    }
    if (starts_with(rest, "am/pm") || starts_with(rest, "a/p")) {
        bool is_long = starts_with(rest, "am/pm");
        t = add_token(s, RF_NUM_AM_PM);
        if (t)
            t->c = is_long ? 'A' : 'a';
        s->is_date = true;
        return is_long ? 5 : 3;
    }
    if (rest.n > 1 && (rest.p[0] | 32) == 'e' && (rest.p[1] == '+' || rest.p[1] == '-')) {
        t = add_token(s, RF_NUM_EXPONENT);
        if (t)
            t->c = rest.p[1];
        return 2;
    }
    return 0;
}

/* A comma between digits groups them; after the last one it divides by a thousand. */
static void read_comma(struct rf_numfmt_section *s, struct rf_str rest)
{
    size_t i = 0;
    bool after_digit = s->n && s->tokens[s->n - 1].kind == RF_NUM_DIGIT;
    while (i < rest.n && rest.p[i] == ',')
        i++;
    bool before_digit = i < rest.n && strchr("0#?", rest.p[i]);
    if (before_digit)
        s->grouped = true;
    else if (after_digit || s->thousands)
        s->thousands++;
    else
        add_literal(s, (struct rf_str){ rest.p, 1 });
}

static size_t closing(struct rf_str s, char end)
{
    const char *p = s.n > 1 ? memchr(s.p + 1, end, s.n - 1) : NULL;
    return p ? (size_t)(p - s.p) : s.n;
}

/* Take the token at the front of `rest` in; returns its length. */
static size_t read_token(struct rf_numfmt_section *s, struct rf_str rest)
{
    char c = rest.p[0];
    size_t n;
    struct rf_numfmt_token *t;

    switch (c) {
    case '"':
        n = closing(rest, '"');
        add_literal(s, (struct rf_str){ rest.p + 1, n - 1 });
        return n < rest.n ? n + 1 : n;
    case '[':
        n = closing(rest, ']');
        read_bracket(s, (struct rf_str){ rest.p + 1, n - 1 });
        return n < rest.n ? n + 1 : n;
    case '\\':
        add_literal(s, (struct rf_str){ rest.p + 1, rest.n > 1 });
        return 2;
    case '_':
    case '*':
        return 2;
    case '0':
    case '#':
    case '?':
        t = add_token(s, RF_NUM_DIGIT);
        if (t)
            t->c = c;
        s->has_digits = true;
        return 1;
    case '.':
        add_token(s, RF_NUM_POINT);
        return 1;
    case '%':
        add_token(s, RF_NUM_PERCENT);
        s->percents++;
        return 1;
    case ',':
        read_comma(s, rest);
        return 1;
    case '/':
        add_token(s, RF_NUM_SLASH);
        return 1;
    case '@':
        add_token(s, RF_NUM_TEXT);
        return 1;
    default:
        break;
    }
    n = read_word(s, rest);
    if (!n)
        n = read_letters(s, rest);
    if (n)
        return n;
    add_literal(s, (struct rf_str){ rest.p, 1 });
    return 1;
}

static bool is_time(enum rf_numfmt_token_kind kind)
{
    return kind >= RF_NUM_YEAR && kind != RF_NUM_SECOND_PART && kind != RF_NUM_AM_PM;
}

/* An "m" after hours or before seconds is minutes; ".000" after seconds is a part of one. */
static void settle_date(struct rf_numfmt_section *s)
{
    enum rf_numfmt_token_kind before = RF_NUM_LITERAL;
    struct rf_numfmt_token *open_month = NULL;

    for (size_t i = 0; i < s->n; i++) {
        struct rf_numfmt_token *t = &s->tokens[i];
        if (t->kind == RF_NUM_MONTH && t->n <= 2 &&
            (before == RF_NUM_HOUR || before == RF_NUM_HOURS))
            t->kind = RF_NUM_MINUTE;
        if ((t->kind == RF_NUM_SECOND || t->kind == RF_NUM_SECONDS) && open_month &&
            open_month->n <= 2)
            open_month->kind = RF_NUM_MINUTE;
        if (is_time(t->kind)) {
            open_month = t->kind == RF_NUM_MONTH ? t : NULL;
            before = t->kind;
        }
        if (t->kind == RF_NUM_POINT && i &&
            (s->tokens[i - 1].kind == RF_NUM_SECOND || s->tokens[i - 1].kind == RF_NUM_SECONDS)) {
            t->kind = RF_NUM_SECOND_PART;
            t->n = 0;
            for (size_t k = i + 1; k < s->n && s->tokens[k].kind == RF_NUM_DIGIT && t->n < 3; k++) {
                t->n++;
                s->tokens[k] = (struct rf_numfmt_token){ .kind = RF_NUM_LITERAL };
            }
        }
    }
}

static size_t section_end(struct rf_str code)
{
    for (size_t i = 0; i < code.n; i++) {
        struct rf_str rest = { code.p + i, code.n - i };
        if (code.p[i] == ';')
            return i;
        if (code.p[i] == '"')
            i += closing(rest, '"');
        else if (code.p[i] == '[')
            i += closing(rest, ']');
        else if (code.p[i] == '\\' || code.p[i] == '_' || code.p[i] == '*')
            i++;
    }
    return code.n;
}

static struct rf_numfmt_section *read_section(struct rf_arena *a, struct rf_str code)
{
    struct rf_numfmt_section *s = RF_NEW(a, struct rf_numfmt_section);
    while (code.n) {
        size_t n = read_token(s, code);
        n = n < code.n ? n : code.n;
        code = (struct rf_str){ code.p + n, code.n - n };
    }
    if (s->is_date)
        settle_date(s);
    return s;
}

const struct rf_numfmt *rf_numfmt_parse(struct rf_arena *a, struct rf_str code)
{
    struct rf_numfmt *f = RF_NEW(a, struct rf_numfmt);

    if (code.n > RF_NUMFMT_MAX_CODE || !code.n || rf_str_ieq(code, RF_STR("general")) ||
        rf_str_is(code, "@")) {
        f->general = true;
        return f;
    }
    code = rf_str_dup(a, code);
    for (bool more = true; more && f->n < RF_NUMFMT_MAX_SECTIONS;) {
        size_t end = section_end(code);
        f->sections[f->n++] = read_section(a, (struct rf_str){ code.p, end });
        more = end < code.n;
        code = more ? (struct rf_str){ code.p + end + 1, code.n - end - 1 } : RF_STR("");
    }
    return f;
}

bool rf_numfmt_is_general(const struct rf_numfmt *f)
{
    return f->general;
}

struct rf_str rf_numfmt_builtin(int64_t id)
{
    static const char *const codes[50] = {
        [0] = "General",
        [1] = "0",
        [2] = "0.00",
        [3] = "#,##0",
        [4] = "#,##0.00",
        [5] = "$#,##0;-$#,##0",
        [6] = "$#,##0;-$#,##0",
        [7] = "$#,##0.00;-$#,##0.00",
        [8] = "$#,##0.00;-$#,##0.00",
        [9] = "0%",
        [10] = "0.00%",
        [11] = "0.00E+00",
        [12] = "# ?/?",
        [13] = "# ?\?/??",
        [14] = "yyyy-mm-dd",
        [15] = "d-mmm-yy",
        [16] = "d-mmm",
        [17] = "mmm-yy",
        [18] = "h:mm AM/PM",
        [19] = "h:mm:ss AM/PM",
        [20] = "h:mm",
        [21] = "h:mm:ss",
        [22] = "yyyy-mm-dd h:mm",
        [37] = "#,##0;(#,##0)",
        [38] = "#,##0;(#,##0)",
        [39] = "#,##0.00;(#,##0.00)",
        [40] = "#,##0.00;(#,##0.00)",
        [41] = "#,##0;-#,##0;-",
        [42] = "$#,##0;-$#,##0;-",
        [43] = "#,##0.00;-#,##0.00;-",
        [44] = "$#,##0.00;-$#,##0.00;-",
        [45] = "mm:ss",
        [46] = "[h]:mm:ss",
        [47] = "mm:ss.0",
        [48] = "##0.0E+0",
        [49] = "@",
    };
    if (id >= 0 && id < 50 && codes[id])
        return rf_str(codes[id]);
    if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58)) /* dates in East Asian writing */
        return RF_STR("yyyy-mm-dd");
    return RF_STR("");
}

/* Which section is for this value. */

static bool holds(const struct rf_numfmt_section *s, double value)
{
    switch (s->condition) {
    case RF_NUM_LESS:
        return value < s->limit;
    case RF_NUM_LESS_EQUAL:
        return value <= s->limit;
    case RF_NUM_EQUAL:
        return value == s->limit;
    case RF_NUM_NOT_EQUAL:
        return value != s->limit;
    case RF_NUM_GREATER_EQUAL:
        return value >= s->limit;
    case RF_NUM_GREATER:
        return value > s->limit;
    case RF_NUM_NO_CONDITION:
        break;
    }
    return true;
}

static const struct rf_numfmt_section *choose(const struct rf_numfmt *f, double value,
                                              bool *signed_too)
{
    size_t n = f->n < 3 ? f->n : 3;
    bool conditions = false;

    *signed_too = true;
    for (size_t i = 0; i < n; i++)
        conditions |= f->sections[i]->condition != RF_NUM_NO_CONDITION;
    if (conditions) {
        for (size_t i = 0; i < n; i++)
            if (holds(f->sections[i], value))
                return f->sections[i];
        return f->sections[n - 1];
    }
    if (value < 0 && n > 1) {
        *signed_too = false;
        return f->sections[1];
    }
    return value == 0 && n > 2 ? f->sections[2] : f->sections[0];
}

size_t rf_numfmt_write(const struct rf_numfmt *f, double value, enum rf_numfmt_epoch epoch,
                       char *out, size_t room)
{
    struct rf_numfmt_out o = { out, 0, room };
    bool signed_too;

    if (f->general || !isfinite(value)) {
        rf_numfmt_put_general(&o, value);
        return o.n;
    }
    const struct rf_numfmt_section *s = choose(f, value, &signed_too);
    if (s->is_date) {
        rf_numfmt_put_date(&o, s, value, epoch);
        return o.n;
    }
    if (value < 0 && signed_too && !rf_numfmt_rounds_to_zero(s, -value))
        rf_numfmt_put(&o, '-');
    rf_numfmt_put_section(&o, s, fabs(value));
    return o.n;
}
