/* A small state machine over the bytes of a terminal: which of them are answers.
 *
 *     ESC _ G i=31;OK ESC \              pictures by Kitty's protocol
 *     ESC P > | iTerm2 3.5 ESC \         its name and version (XTVERSION)
 *     ESC [ 6 ; height ; width t         pixels of a cell
 *     ESC ] 11 ; rgb:0000/0000/0000 ESC \    the background
 *     ESC [ ? 62 ; 4 ; 22 c              attributes (DA1), of which 4 is sixel; the last answer
 *
 * Nothing else is asked for, so nothing else is believed; answers that were not asked for are taken
 * out and not believed either.
 */
#include "term/tty_answers.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_KEY_MS 50
#define WAIT_ANSWER_MS 1000
#define DROP_MS 2000
#define DROP_MOST ((size_t)1 << 16)
#define LONGEST_CSI 64
#define MOST_PIXELS 1000
#define KITTY_ID "31"

#define ESC '\033'
#define BEL '\007'

#define ASK_KITTY "\033_Gi=" KITTY_ID ",s=1,v=1,a=q,t=d,f=24;AAAA\033\\"
#define ASK_REST "\033[>q\033[16t\033]11;?\033\\\033[c"

const char *rf_answers_questions(void)
{
    return ASK_KITTY ASK_REST;
}

const char *rf_answers_questions_inside(void)
{
    return ASK_REST;
}

static bool is_awaited(const struct rf_answers *a)
{
    return a->asked && !a->done;
}

static bool begins(struct rf_str s, const char *with)
{
    size_t n = strlen(with);
    return s.n >= n && memcmp(s.p, with, n) == 0;
}

/* A number at the beginning, which is taken off; -1 where there is none, or it is over `most`. */
static long take_number(struct rf_str *s, int base, long most)
{
    static const char digits[] = "0123456789abcdef";
    long value = 0;
    size_t n = 0;
    for (; n < s->n; n++) {
        char c = s->p[n];
        const char *at = memchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c, (size_t)base);
        if (!at)
            break;
        value = value > most ? value : value * base + (at - digits);
    }
    *s = (struct rf_str){ s->p + n, s->n - n };
    return n && value <= most ? value : -1;
}

static bool take(struct rf_str *s, char c)
{
    if (!s->n || s->p[0] != c)
        return false;
    *s = (struct rf_str){ s->p + 1, s->n - 1 };
    return true;
}

/* A share of red, green or blue, of one to four digits, as thousandths; -1: none. */
static long take_share(struct rf_str *s)
{
    static const long most[] = { 0xf, 0xff, 0xfff, 0xffff };
    size_t before = s->n;
    long value = take_number(s, 16, 0xffff);
    size_t n = before - s->n;
    return value < 0 || n < 1 || n > 4 ? -1 : value * 1000 / most[n - 1];
}

static void background(struct rf_answers *a, struct rf_str s)
{
    if (!begins(s, "rgb:") && !begins(s, "rgba:"))
        return;
    while (!take(&s, ':'))
        s = (struct rf_str){ s.p + 1, s.n - 1 };
    long red = take_share(&s), green = take(&s, '/') ? take_share(&s) : -1;
    long blue = take(&s, '/') ? take_share(&s) : -1;
    if (red < 0 || green < 0 || blue < 0)
        return;
    a->background = true;
    a->light = red * 299 + green * 587 + blue * 114 > 500 * 1000;
}

/* Of those that have their pictures from iTerm2, the ones that say who they are. */
static void version(struct rf_answers *a, struct rf_str name)
{
    /* Others do so too, and some of those can be told not to: these always do. */
    static const char *const reflowing[] = { "kitty(", "iTerm2 ",  "WezTerm ", "foot(", "ghostty ",
                                             "VTE(",   "Konsole ", "contour ", "tmux " };
    a->iterm = begins(name, "iTerm2 ") || begins(name, "WezTerm ") || begins(name, "mintty ");
    for (size_t i = 0; i < sizeof reflowing / sizeof *reflowing; i++)
        a->reflows |= begins(name, reflowing[i]);
}

static void attributes(struct rf_answers *a, struct rf_str s)
{
    do
        a->sixel = take_number(&s, 10, 9999) == 4 || a->sixel;
    while (take(&s, ';'));
    a->done = true;
}

static void cell_size(struct rf_answers *a, struct rf_str s)
{
    long height = take_number(&s, 10, MOST_PIXELS);
    long width = take(&s, ';') ? take_number(&s, 10, MOST_PIXELS) : -1;
    if (height > 0 && width > 0 && !s.n) {
        a->cell_width = (int)width;
        a->cell_height = (int)height;
    }
}

/* An answer that is complete, without what begins and ends every one of its kind. */
static void believe(struct rf_answers *a, char kind, struct rf_str s)
{
    if (!is_awaited(a))
        return;
    a->changes++;
    if (kind == '_' && begins(s, "Gi=" KITTY_ID ";OK"))
        a->kitty = true;
    else if (kind == 'P' && begins(s, ">|"))
        version(a, (struct rf_str){ s.p + 2, s.n - 2 });
    else if (kind == ']' && begins(s, "11;"))
        background(a, (struct rf_str){ s.p + 3, s.n - 3 });
    else if (kind == 'c' && begins(s, "?"))
        attributes(a, (struct rf_str){ s.p + 1, s.n - 1 });
    else if (kind == 't' && begins(s, "6;"))
        cell_size(a, (struct rf_str){ s.p + 2, s.n - 2 });
}

static void release(struct rf_answers *a, struct rf_buffer *typed)
{
    rf_buffer_add(typed, a->held, a->count);
    a->count = 0;
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 127;
}

/* Keys that no answer has in it: they get through. */
static bool is_typed(char c)
{
    return is_control(c) && c != ESC && c != BEL;
}

/* What was held came to nothing: it was typed, or it is an answer that was cut off, which is
 * not wanted in a line. */
static void give_up(struct rf_answers *a, struct rf_buffer *typed)
{
    if (a->count > 2 && is_awaited(a))
        a->count = 0;
    else
        release(a, typed);
}

/* It has no end, or ends in a way that none does: the rest of it is nothing that was typed. */
static void start_dropping(struct rf_answers *a, char last)
{
    a->dropping = a->held[1];
    a->dropped = 0;
    a->dropped_last = last;
    a->count = 0;
}

static bool is_answer(char final, struct rf_str inner)
{
    if (begins(inner, "?"))
        return final == 'c' || final == 'n' || final == 'u' || final == 'y';
    return final == 't' && (begins(inner, "6;") || begins(inner, "4;") || begins(inner, "8;"));
}

static void add_byte(struct rf_answers *a, char c, long long now_ms, struct rf_buffer *typed);

/* ESC [ and its parameters, up to the letter that ends it. */
static void control(struct rf_answers *a, char c, long long now_ms, struct rf_buffer *typed)
{
    struct rf_str inner = { a->held + 2, a->count - 3 };
    if (is_control(c)) {
        a->count--;
        give_up(a, typed);
        add_byte(a, c, now_ms, typed);
    } else if (c >= ' ' && c < '@') {
        if (a->count == LONGEST_CSI)
            start_dropping(a, c);
    } else if (is_answer(c, inner)) {
        believe(a, c, inner);
        a->count = 0;
    } else {
        release(a, typed);
    }
}

static void string_end(struct rf_answers *a, size_t end_bytes)
{
    believe(a, a->held[1], (struct rf_str){ a->held + 2, a->count - 2 - end_bytes });
    a->count = 0;
}

/* Which byte may come third in a string that is an answer; while answers are awaited, every string
 * is one. */
static bool is_string_begun(const struct rf_answers *a, char c)
{
    char kind = a->held[1];
    if (is_awaited(a))
        return !is_control(c);
    return kind == '_' ? c == 'G' : kind == 'P' ? c == '>' || (c >= '0' && c <= '9') : c == '1';
}

/* Of a string, the last byte was none of it: what is held was typed, or is given up. */
static void break_off(struct rf_answers *a, char c, long long now_ms, struct rf_buffer *typed)
{
    bool escaped = a->count > 3 && a->held[a->count - 2] == ESC;
    a->count -= escaped ? 2 : 1;
    give_up(a, typed);
    if (escaped)
        add_byte(a, ESC, now_ms, typed);
    add_byte(a, c, now_ms, typed);
}

/* ESC _, ESC P or ESC ] and what follows; `c` is held already. Only ESC ] may end in BEL. */
static void string(struct rf_answers *a, char c, long long now_ms, struct rf_buffer *typed)
{
    bool escaped = a->count > 3 && a->held[a->count - 2] == ESC;
    if (a->count == 3 && !is_string_begun(a, c))
        break_off(a, c, now_ms, typed);
    else if (c == BEL && a->held[1] == ']')
        string_end(a, 1);
    else if (escaped && c == '\\')
        string_end(a, 2);
    else if (is_typed(c) || (escaped && !is_awaited(a)))
        break_off(a, c, now_ms, typed);
    else if (escaped || a->count == sizeof a->held)
        start_dropping(a, c);
}

/* Inside of an answer without an end. True where `c` belongs to it. */
static bool drop(struct rf_answers *a, char c, long long now_ms)
{
    char kind = a->dropping, last = a->dropped_last;
    bool ends = kind == '[' ? c >= '@' && c <= '~'
                            : (c == '\\' && last == ESC) || (c == BEL && kind == ']');
    bool is_over = now_ms - a->since_ms > DROP_MS || ++a->dropped > DROP_MOST || is_typed(c) ||
                   (kind == '[' && is_control(c));
    if (ends || is_over)
        a->dropping = 0;
    a->dropped_last = c;
    return ends || !is_over;
}

static void add_byte(struct rf_answers *a, char c, long long now_ms, struct rf_buffer *typed)
{
    if (a->dropping && drop(a, c, now_ms))
        return;
    if (!a->count && c != ESC) {
        rf_buffer_add(typed, &c, 1);
        return;
    }
    if (!a->count)
        a->since_ms = now_ms;
    a->held[a->count++] = c;
    if (a->count == 1)
        return;
    char kind = a->held[1];
    if (a->count == 2 && kind == ESC) { /* Escape, and something that begins with it */
        a->count = 1;
        release(a, typed);
        add_byte(a, c, now_ms, typed);
    } else if (a->count == 2 && !memchr("[_P]", kind, 4)) {
        release(a, typed);
    } else if (a->count > 2 && kind == '[') {
        control(a, c, now_ms, typed);
    } else if (a->count > 2) {
        string(a, c, now_ms, typed);
    }
}

void rf_answers_add(struct rf_answers *a, struct rf_str bytes, long long now_ms,
                    struct rf_buffer *typed)
{
    for (size_t i = 0; i < bytes.n; i++)
        add_byte(a, bytes.p[i], now_ms, typed);
}

/* When what is held is given up; what is not awaited waits for nothing. */
static long long patience_ms(const struct rf_answers *a)
{
    bool is_begun = a->count > 2;
    if (!is_awaited(a))
        return is_begun && a->held[1] != '[' ? WAIT_KEY_MS : 0;
    return is_begun ? WAIT_ANSWER_MS : WAIT_KEY_MS;
}

void rf_answers_idle(struct rf_answers *a, long long now_ms, struct rf_buffer *typed)
{
    if (a->count && now_ms - a->since_ms >= patience_ms(a))
        give_up(a, typed);
}

int rf_answers_due(const struct rf_answers *a, long long now_ms)
{
    if (!a->count)
        return -1;
    long long left = a->since_ms + patience_ms(a) - now_ms;
    return left < 0 ? 0 : left > WAIT_ANSWER_MS ? WAIT_ANSWER_MS : (int)left;
}
