#include "source/lift_watch.h"

#include "base/arena.h"
#include "base/limits.h"
#include "source/base64_text.h"
#include "source/lift.h"

#define MARK 0x3b6261736536342cu /* ";base64," as eight bytes */

static bool is_digit(char c)
{
    return rf_is_alnum(c) || c == '+' || c == '/' || c == '-' || c == '_';
}

static bool looks_like_file(const struct rf_lift_watch *w)
{
    return rf_lift_head((struct rf_str){ w->head, w->head_n }, w->marked);
}

/* The head is that of the first line, in the standard alphabet. */
static void take_digit(struct rf_lift_watch *w, char c)
{
    if (!w->run && !w->is_file) {
        w->head_n = w->first = 0;
        w->marked = w->last == MARK;
    }
    if (!w->first && w->head_n < sizeof w->head)
        w->head[w->head_n++] = c == '-' ? '+' : c == '_' ? '/' : c;
    w->run++;
    if (!w->is_file && w->run == w->head_n &&
        (w->run == RF_MIN_LIFT_BASE64 || w->run == sizeof w->head))
        w->is_file = looks_like_file(w);
    if (w->first && w->run > w->first)
        w->is_file = false;
}

/* A line of the block, unless it is too long to be one; the last of them is shorter. */
static void end_run(struct rf_lift_watch *w)
{
    if (!w->is_file && w->run == w->head_n && w->run >= RF_BASE64_SHORTEST)
        w->is_file = looks_like_file(w);
    if (w->first)
        w->is_file &= w->run == w->first;
    else if (w->run <= RF_BASE64_LONGEST && w->run % 4 == 0)
        w->first = w->run;
    else
        w->is_file = false;
    w->run = 0;
}

static void take(struct rf_lift_watch *w, char c)
{
    bool escaped = (char)w->last == '\\' && (c == 'n' || c == 'r');
    if (is_digit(c) && !escaped) {
        take_digit(w, c);
    } else {
        if (w->run)
            end_run(w);
        w->is_file &= escaped || (c && strchr(" \t\r\n\\", c));
    }
    w->last = w->last << 8 | (unsigned char)c;
}

/* Words are passed over: where no file is being read, what matters begins with so many digits. */
static size_t skip(struct rf_lift_watch *w, struct rf_str piece, size_t at)
{
    size_t from = at;
    while (!w->run && !w->is_file && piece.n - at >= RF_BASE64_SHORTEST) {
        size_t next = at + RF_BASE64_SHORTEST;
        while (next > at && is_digit(piece.p[next - 1]))
            next--;
        if (next == at)
            break;
        at = next;
    }
    for (size_t i = at - from > sizeof w->last ? at - sizeof w->last : from; i < at; i++)
        w->last = w->last << 8 | (unsigned char)piece.p[i];
    return at;
}

void rf_lift_watch(struct rf_lift_watch *w, struct rf_str piece)
{
    for (size_t i = skip(w, piece, 0); i < piece.n; i = skip(w, piece, i + 1))
        take(w, piece.p[i]);
}

/* Was its beginning too short to tell, and is a file with what follows? */
static bool is_file_with(const struct rf_lift_watch *w, struct rf_str digits, struct rf_arena *a)
{
    struct rf_str all, clean;
    if (!w->run || w->run != w->head_n || w->run + digits.n < RF_MIN_LIFT_BASE64)
        return false;
    all = rf_str_join(a, (struct rf_str){ w->head, w->run }, digits);
    all.n = all.n < sizeof w->head ? all.n / 4 * 4 : sizeof w->head;
    return !rf_base64_clean(all, a, &clean, NULL) && rf_lift_head(clean, w->marked);
}

/* How many bytes at the front of `text` go on with the file that was being read; 0: none was. */
static size_t rest_of(const struct rf_lift_watch *w, struct rf_str text, struct rf_arena *a)
{
    struct rf_str digits = { text.p, rf_base64_run(text) };
    struct rf_str front = RF_STR(""); /* what makes a block of the rest */
    if (!w->is_file && !is_file_with(w, digits, a))
        return 0;
    if (w->run > RF_BASE64_LONGEST)
        return digits.n;
    if (w->first) /* after two lines any is believed */
        front = rf_strf(a, "%.*s\n%.*s%s", (int)w->first, w->head, (int)w->first, w->head,
                        (char)w->last == '\\' ? "\\" : "\n");
    front = rf_str_join(a, front, (struct rf_str){ w->head, w->run });
    size_t n = rf_base64_block(rf_str_join(a, front, text));
    return n > front.n ? n - front.n : 0;
}

struct rf_str rf_lift_window(const struct rf_lift_watch *w, struct rf_str text, bool cut,
                             struct rf_arena *a)
{
    size_t rest = w ? rest_of(w, text, a) : 0;
    struct rf_str after = { text.p + rest, text.n - rest };
    if (rest && cut && rf_base64_is_cut(after)) {
        after = rf_str_ends(after, "\n") ? RF_STR("\n") : RF_STR("");
        rest = text.n;
    }
    if (rest >= RF_MIN_LIFT_BASE64)
        text = rf_str_join(a, RF_STR(RF_LIFT_WORDS), after);
    return cut ? rf_lift_cut(text, a) : text;
}
