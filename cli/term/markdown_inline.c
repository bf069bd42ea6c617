/* Marks inside of text: emphasis, code, links, pictures, escapes, as CommonMark has them, within
 * reason.
 *
 * The text becomes tokens; marks are matched by the rules of CommonMark (6.2: runs, flanking,
 * multiples of three), where only ASCII counts as punctuation, so that marks beside other scripts'
 * work as people mean them. Then the tokens are written, with what matched as styles and what did
 * not as itself. A text that may go on is written up to the last space before anything that what
 * follows could still change. Where that is near the front it is not waited for any longer:
 * everything is written as it stands.
 *
 * Reference links and HTML are shown as they are written.
 */
#include <string.h>
#include <strings.h>

#include "term/markdown_tokens.h"

#define MAX_SEARCH 256 /* openers that are looked at for one that closes */

/* A token of the next `n` bytes, which shows them. */
static struct token *add_token(struct parse *p, enum kind kind, size_t n)
{
    struct token t = { .kind = kind, .from = p->at, .to = p->at + n, .previous = -1, .next = -1 };
    t.shown = (struct rf_str){ p->s.p + p->at, n };
    rf_buffer_add(&p->in->tokens, &t, sizeof t);
    p->at += n;
    return token_at(p, count_tokens(p) - 1);
}

static bool is_white(char c)
{
    return c == ' ' || c == '\n';
}

static bool is_punctuation(char c)
{
    return c > ' ' && c < 0x7f &&
           !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}

static size_t run_length(struct rf_str s)
{
    size_t n = 1;
    while (n < s.n && s.p[n] == s.p[0])
        n++;
    return n;
}

/* The list of marks that may still match. */
static void unlink_mark(struct parse *p, int i)
{
    struct token *t = token_at(p, i);
    if (t->previous >= 0)
        token_at(p, t->previous)->next = t->next;
    if (t->next >= 0)
        token_at(p, t->next)->previous = t->previous;
    else
        p->last_mark = t->previous;
}

static void take_mark(struct parse *p)
{
    size_t n = run_length(rf_md_from(p->s, p->at));
    char c = p->s.p[p->at], before = p->at ? p->s.p[p->at - 1] : ' ';
    char after = p->at + n < p->s.n ? p->s.p[p->at + n] : ' ';
    bool left =
        !is_white(after) && (!is_punctuation(after) || is_white(before) || is_punctuation(before));
    bool right =
        !is_white(before) && (!is_punctuation(before) || is_white(after) || is_punctuation(after));
    bool is_at_end = p->at + n == p->s.n;
    struct token *t = add_token(p, MARK, n);

    t->count = t->left = n;
    t->can_open = left && (c != '_' || !right || is_punctuation(before));
    t->can_close = right && (c != '_' || !left || is_punctuation(after));
    if (c == '~' && n != 2)
        t->can_open = t->can_close = false;
    t->is_open = is_at_end;
    int i = count_tokens(p) - 1;
    t->previous = p->last_mark;
    if (t->previous >= 0)
        token_at(p, t->previous)->next = i;
    p->last_mark = i;
}

/* May these two be the ends of one emphasis? */
static bool is_pair(const struct parse *p, const struct token *a, const struct token *b)
{
    if (!a->can_open || p->s.p[a->from] != p->s.p[b->from])
        return false;
    bool both = a->can_close || b->can_open;
    return !both || (a->count + b->count) % 3 || (a->count % 3 == 0 && b->count % 3 == 0);
}

static int find_opener(const struct parse *p, int closer, int bottom)
{
    int tries = MAX_SEARCH;
    for (int i = token_at(p, closer)->previous; i > bottom && tries--; i = token_at(p, i)->previous)
        if (is_pair(p, token_at(p, i), token_at(p, closer)))
            return i;
    return -1;
}

static void join(struct parse *p, int opener, int closer)
{
    struct token *a = token_at(p, opener), *b = token_at(p, closer);
    size_t used = a->left >= 2 && b->left >= 2 ? 2 : 1;
    int way = p->s.p[a->from] == '~' ? STRIKE : used == 2 ? STRONG : EMPHASIS;
    a->on[way]++;
    b->off[way]++;
    a->left -= used;
    b->left -= used;
    for (int i = b->previous; i != opener; i = b->previous)
        unlink_mark(p, i);
    if (!a->left)
        unlink_mark(p, opener);
}

/* Match the marks after the token `bottom`. */
static void match_marks(struct parse *p, int bottom)
{
    int i = p->last_mark, first = -1;
    for (; i > bottom; i = token_at(p, i)->previous)
        first = i;
    for (i = first; i >= 0;) {
        struct token *t = token_at(p, i);
        int opener = t->can_close && t->left ? find_opener(p, i, bottom) : -1;
        int next = t->next;
        if (opener >= 0)
            join(p, opener, i);
        else if (!t->can_open)
            unlink_mark(p, i);
        if (opener >= 0 && !t->left)
            unlink_mark(p, i);
        if (opener < 0 || !t->left)
            i = next;
    }
}

/* `code`: to the next run of as many backticks. */
static void take_code(struct parse *p)
{
    struct rf_str rest = rf_md_from(p->s, p->at);
    size_t n = run_length(rest), at = n;
    while (at < rest.n) {
        size_t run = rest.p[at] == '`' ? run_length(rf_md_from(rest, at)) : 0;
        if (run == n)
            break;
        at += run ? run : 1;
    }
    bool is_code = at < rest.n;
    struct token *t = add_token(p, is_code ? CODE : WORD, is_code ? at + n : n);
    t->is_open = !is_code || p->at == p->s.n;
    if (!is_code)
        return;
    struct rf_str inside = { rest.p + n, at - n };
    size_t spaces = rf_md_spaces(inside);
    if (spaces < inside.n && is_white(inside.p[0]) && is_white(inside.p[inside.n - 1]) &&
        inside.n > 2)
        inside = (struct rf_str){ inside.p + 1, inside.n - 2 };
    t->shown = inside;
}

static void take_bracket(struct parse *p, bool is_image)
{
    struct token *t = add_token(p, BRACKET, is_image ? 2 : 1);
    t->is_image = is_image;
    t->previous = p->last_bracket;
    p->last_bracket = count_tokens(p) - 1;
}

/* Links have no links inside. */
static void end_brackets(struct parse *p)
{
    for (int i = p->last_bracket; i >= 0; i = token_at(p, i)->previous)
        if (!token_at(p, i)->is_image) {
            if (token_at(p, i)->is_dead)
                return;
            token_at(p, i)->is_dead = true;
        }
}

static void forget_marks(struct parse *p, int bottom)
{
    while (p->last_mark > bottom)
        unlink_mark(p, p->last_mark);
}

static void take_bracket_end(struct parse *p)
{
    struct rf_str url, shown;
    bool cut = false;
    int i = p->last_bracket;
    size_t n = 0;
    if (i >= 0 && !token_at(p, i)->is_dead)
        n = rf_md_scan_target(rf_md_from(p->s, p->at + 1), &url, &shown, &cut);
    struct token *end = add_token(p, n ? LINK_OFF : WORD, n + 1),
                 *begin = i >= 0 ? token_at(p, i) : NULL;
    if (!begin)
        return;
    p->last_bracket = begin->previous;
    if (!n) {
        begin->kind = WORD;
        begin->is_open = cut;
        return;
    }
    begin->kind = LINK_ON;
    begin->url = end->url = url;
    end->shown = shown;
    end->is_image = begin->is_image;
    match_marks(p, i);
    forget_marks(p, i);
    if (!token_at(p, i)->is_image)
        end_brackets(p);
}

static void take_angle(struct parse *p)
{
    struct rf_str url, rest = rf_md_from(p->s, p->at);
    size_t n = rf_md_scan_autolink(rest, &url);
    if (n) {
        struct token *t = add_token(p, ADDRESS, n);
        t->url = t->shown = url;
        return;
    }
    n = rf_md_scan_tag(rest);
    bool is_break = n >= 4 && n <= 6 && strncasecmp(rest.p, "<br", 3) == 0;
    add_token(p, p->in->is_cell && is_break ? HARD : WORD, n ? n : 1);
}

static void take_escape(struct parse *p)
{
    char next = p->at + 1 < p->s.n ? p->s.p[p->at + 1] : 0;
    if (next == '\n')
        add_token(p, HARD, 2);
    else if (is_punctuation(next)) {
        struct token *t = add_token(p, WORD, 2);
        t->shown = rf_md_from(t->shown, 1);
    } else
        add_token(p, WORD, 1)->is_open = !next;
}

static void take_white(struct parse *p)
{
    size_t n = 0, feeds = 0;
    struct rf_str rest = rf_md_from(p->s, p->at);
    size_t spaces = rf_md_spaces(rest);
    for (; n < rest.n && is_white(rest.p[n]); n++)
        feeds += rest.p[n] == '\n';
    add_token(p, feeds && spaces >= 2 ? HARD : feeds ? SOFT : SPACE, n);
}

static void take_word(struct parse *p)
{
    struct rf_str rest = rf_md_from(p->s, p->at);
    bool is_inside = p->at && !is_white(p->s.p[p->at - 1]) && !is_punctuation(p->s.p[p->at - 1]);
    size_t n = is_inside ? 0 : rf_md_scan_address(rest);
    if (n) {
        struct token *t = add_token(p, ADDRESS, n);
        t->url = t->shown;
        return;
    }
    n = 1;
    while (!is_punctuation(rest.p[0]) && n < rest.n && !is_white(rest.p[n]) &&
           (!is_punctuation(rest.p[n]) || strchr(".,:;-", rest.p[n])))
        n++;
    add_token(p, WORD, n);
}

static void take_entity(struct parse *p)
{
    static const char characters[] = "&<>\"'| ";
    char c = 0;
    size_t n = rf_md_scan_entity(rf_md_from(p->s, p->at), &c);
    struct token *t = add_token(p, WORD, n ? n : 1);
    if (n)
        t->shown = (struct rf_str){ strchr(characters, c), 1 };
}

static void take_token(struct parse *p)
{
    char c = p->s.p[p->at], next = p->at + 1 < p->s.n ? p->s.p[p->at + 1] : 0;
    if (is_white(c))
        take_white(p);
    else if (c == '*' || c == '_' || c == '~')
        take_mark(p);
    else if (c == '`')
        take_code(p);
    else if (c == '[' || (c == '!' && next == '['))
        take_bracket(p, c == '!');
    else if (c == ']')
        take_bracket_end(p);
    else if (c == '<')
        take_angle(p);
    else if (c == '\\')
        take_escape(p);
    else if (c == '&')
        take_entity(p);
    else
        take_word(p);
}

/* The last space in front of which nothing can change any more. */
static int find_cut(struct parse *p)
{
    int count = count_tokens(p), cut = 0;
    unsigned depth = 0;
    for (int i = p->last_mark; i >= 0; i = token_at(p, i)->previous)
        token_at(p, i)->is_open |= token_at(p, i)->can_open;
    for (int i = 0; i < count; i++) {
        const struct token *t = token_at(p, i);
        if (t->is_open || t->kind == BRACKET)
            break;
        if ((t->kind == SPACE || t->kind == SOFT || t->kind == HARD) && !depth)
            cut = i;
        depth += t->kind == LINK_ON;
        depth -= t->kind == LINK_OFF;
        for (int way = 0; way < WAYS; way++)
            depth += t->on[way] - t->off[way];
    }
    return cut;
}

size_t rf_md_inline(struct rf_md_inline *in, struct rf_str text, unsigned styles,
                    enum rf_md_part part, struct rf_md_rows *out)
{
    struct parse p = { .s = text, .in = in, .last_mark = -1, .last_bracket = -1 };
    if (part == RF_MD_BEGUN)
        p.s.n -= rf_md_tail(text);
    rf_buffer_reset(&in->tokens);
    while (p.at < p.s.n)
        take_token(&p);
    match_marks(&p, -1);

    int end = count_tokens(&p);
    if (part == RF_MD_BEGUN) {
        int cut = find_cut(&p);
        if (cut && token_at(&p, cut)->from >= p.s.n / 8)
            end = cut;
    }
    rf_md_write(&p, end, styles, out);
    return end < count_tokens(&p) ? token_at(&p, end)->from : p.s.n;
}
