/* Characters as people count them, and their cells.
 *
 * A step is a base with what belongs to it: marks, selectors, tags, colours of skin, what is joined
 * to it by U+200D, the other half of a flag. It has at most two cells and STEP_MOST characters;
 * what goes on beyond that is a step of its own, so that no text makes one step of everything.
 * Rules that need dictionaries, and conjuncts of Indic scripts, are left out: terminals draw those
 * letter by letter.
 */
#include "term/cells.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "term/buffer.h"
#include "term/cells_ranges.h"

#define TAB_CELLS 4
#define STEP_MOST 64
#define BAD UINT32_MAX /* a byte that is not UTF-8 */
#define JOINER 0x200d
#define AS_EMOJI 0xfe0f

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bool is_in(uint32_t c, const struct range *ranges, size_t count)
{
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (c < ranges[middle].first)
            to = middle;
        else if (c > ranges[middle].last)
            from = middle + 1;
        else
            return true;
    }
    return false;
}

/* The bytes of the sequence that `p` begins; 0 where it is none. */
static size_t sequence(const unsigned char *p, size_t n)
{
    size_t need = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (!need || p[0] > 0xf4 || need > n)
        return 0;
    for (size_t i = 1; i < need; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool is_overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool is_surrogate = p[0] == 0xed && p[1] > 0x9f;
    bool is_too_large = p[0] == 0xf4 && p[1] > 0x8f;
    return is_overlong || is_surrogate || is_too_large ? 0 : need;
}

/* The character at `at`, which is inside of `s`: its bytes, and its number or BAD. */
static size_t character(struct rf_str s, size_t at, uint32_t *c)
{
    const unsigned char *p = (const unsigned char *)s.p + at;
    size_t n = sequence(p, s.n - at);
    *c = n == 1 ? p[0] : n ? p[0] & (0xffu >> (n + 1)) : BAD;
    for (size_t i = 1; i < n; i++)
        *c = *c << 6 | (p[i] & 0x3f);
    return n ? n : 1;
}

/* What a terminal would obey, or show in a way that hides what stands there. */
static bool is_harmful(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == BAD || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

static bool takes_none(uint32_t c)
{
    return c >= 0x300 && is_in(c, none, COUNT(none));
}

static bool is_half_flag(uint32_t c)
{
    return c >= 0x1f1e6 && c <= 0x1f1ff;
}

static bool is_skin(uint32_t c)
{
    return c >= 0x1f3fb && c <= 0x1f3ff;
}

static bool is_emoji(uint32_t c)
{
    if (c >= 0x1f000 && c < 0x1fb00)
        return true;
    return (c >= 0xa9 && c < 0x3300 && is_in(c, turning, COUNT(turning))) ||
           (c >= 0x231a && c < 0x2c00 && is_in(c, wide, COUNT(wide)));
}

static int cells_of(uint32_t c)
{
    if (c < 0x300)
        return c == '\t' ? TAB_CELLS : 1;
    if (c == BAD)
        return 1;
    return takes_none(c) ? 0 : is_in(c, wide, COUNT(wide)) ? 2 : 1;
}

/* Does `c` belong to the step that `base` began and `last` ended so far? `cells` may grow by it. */
static bool belongs(uint32_t base, uint32_t last, uint32_t c, int *cells)
{
    if (is_skin(c) && is_emoji(base) && !is_half_flag(base))
        return true;
    if (takes_none(c)) {
        if (c == AS_EMOJI && last == base && is_in(base, turning, COUNT(turning)))
            *cells = 2;
        return true;
    }
    if (last == JOINER && is_emoji(base) && is_emoji(c)) {
        *cells = 2;
        return true;
    }
    if (*cells < 2 && c >= 0x900 && is_in(c, spacing, COUNT(spacing))) {
        ++*cells;
        return true;
    }
    return false;
}

size_t rf_cells_step(struct rf_str s, int *cells)
{
    uint32_t base, last, c;
    *cells = 0;
    if (!s.n)
        return 0;
    size_t at = character(s, 0, &base);
    *cells = cells_of(base);
    if (at < s.n && base < 0x300 && (unsigned char)s.p[at] < 0x80)
        return at; /* most text */
    if (is_harmful(base))
        return at;
    last = base;
    for (int count = 1; at < s.n && count < STEP_MOST; count++, last = c) {
        size_t n = character(s, at, &c);
        if (count == 1 && is_half_flag(base) && is_half_flag(c))
            *cells = 2;
        else if (is_harmful(c) || !belongs(base, last, c, cells))
            break;
        at += n;
    }
    return at;
}

/* A step at `column`, where a tab goes to the next stop. */
static size_t step_at(struct rf_str s, int column, int *cells)
{
    size_t n = rf_cells_step(s, cells);
    if (n && s.p[0] == '\t')
        *cells = TAB_CELLS - column % TAB_CELLS;
    return n;
}

int rf_cells(struct rf_str s)
{
    int used;
    rf_cells_fit(s, INT_MAX - TAB_CELLS, &used);
    return used;
}

int rf_cells_apart(struct rf_str s)
{
    int apart = 0, cells;
    for (size_t at = 0, n; at < s.n; at += n) {
        int members = 0;
        uint32_t c;
        n = step_at((struct rf_str){ s.p + at, s.n - at }, apart, &cells);
        for (size_t i = 0; n > 1 && i < n;) {
            i += character(s, at + i, &c);
            members += cells_of(c);
        }
        apart += members > cells ? members : cells;
    }
    return apart;
}

size_t rf_cells_fit(struct rf_str s, int width, int *used)
{
    size_t at = 0, n;
    int column = 0, cells;
    for (; at < s.n; at += n, column += cells) {
        n = step_at((struct rf_str){ s.p + at, s.n - at }, column, &cells);
        if (cells > width - column)
            break;
    }
    if (used)
        *used = column;
    return at;
}

void rf_cells_clean(struct rf_buffer *out, struct rf_str s)
{
    size_t kept = 0, n, step;
    int column = 0, cells;
    for (size_t at = 0; at < s.n; at += step, column = (column + cells) % TAB_CELLS) {
        uint32_t c;
        step = step_at((struct rf_str){ s.p + at, s.n - at }, column, &cells);
        n = character(s, at, &c);
        if (!is_harmful(c))
            continue;
        rf_buffer_add(out, s.p + kept, at - kept);
        rf_buffer_fill(out, c == '\t' ? ' ' : '?', c == '\t' ? (size_t)cells : 1);
        kept = at + n;
    }
    if (kept < s.n)
        rf_buffer_add(out, s.p + kept, s.n - kept);
}
