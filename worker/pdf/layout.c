/* Every decision is made between two neighbours: the last character that was written and the next
 * one. Lengths are measured in heights of the characters, so that they hold for any size of
 * type. */
#include "worker/pdf/layout.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"

/* A character takes at most four bytes, and a tab or two line feeds before it. */
#define MAX_PAGE_TEXT (RF_MAX_PAGE_GLYPHS * 6)

#define WORD_GAP 0.2f      /* wider than this is a space that the file does not spell out */
#define CELL_GAP 1.2f      /* wider than this is the next column */
#define PARAGRAPH_GAP 0.5f /* between two lines */
#define GAP_GROWTH 1.4f    /* how much wider than the gap before, where all lines stand apart */
#define HEADING_GROWTH 1.3f
#define MAX_LINE_WORDS 256 /* that are turned round; a longer line is turned in pieces */
#define SAME_LINE 0.6f     /* the share of their height that two neighbours have in common */

#define SOFT_HYPHEN 0xAD
#define HYPHEN 0x2010
#define LEFTWARD_BEGIN 0x202B
#define RIGHTWARD_BEGIN 0x202A
#define DIRECTION_END 0x202C

struct writer {
    struct rf_buf text;
    const struct rf_glyph
        *last; /* the last character that is not white space; NULL before the first */
    float line_top, line_bottom; /* of the line that is being written */
    float gap;                   /* between that line and the one above; below 0: not known */
    bool space;                  /* white space stands at the end */
    bool mending;                /* a cut word is being made whole: the line ends where it does */
};

static float height(const struct rf_glyph *g)
{
    float h = g->bottom - g->top;
    return h > 0.01f ? h : 0.01f;
}

static bool is_white(uint32_t c)
{
    return c == ' ' || c == '\t' || c == 0xA0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200A);
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ||
           c == 0xFEFF;
}

bool rf_is_direction(uint32_t c)
{
    return c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E);
}

/* Written from right to left: Hebrew, Arabic and their kin. */
static bool is_leftward(uint32_t c)
{
    return (c >= 0x590 && c < 0x900) || (c >= 0xFB1D && c < 0xFE00) || (c >= 0xFE70 && c < 0xFEFF);
}

static bool is_lower(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 0xDF && c < 0x590 && c != 0xF7);
}

static bool is_hyphen(uint32_t c)
{
    return c == '-' || c == SOFT_HYPHEN || c == HYPHEN;
}

static void put(struct writer *w, uint32_t c)
{
    char bytes[4];
    rf_buf_add(&w->text, (struct rf_str){ bytes, rf_utf8_put(c, bytes) });
}

/* White space at the end of a line belongs to no word. */
static void trim_line(struct writer *w)
{
    while (w->text.n && (w->text.p[w->text.n - 1] == ' ' || w->text.p[w->text.n - 1] == '\t'))
        w->text.n--;
}

static void end_line(struct writer *w, bool paragraph)
{
    trim_line(w);
    rf_buf_add(&w->text, paragraph ? RF_STR("\n\n") : RF_STR("\n"));
    w->space = true;
    w->mending = false;
}

static void begin_line(struct writer *w, const struct rf_glyph *g)
{
    w->line_top = g->top;
    w->line_bottom = g->bottom;
}

/* Is `g`, which begins a line, also the beginning of a paragraph? */
static bool is_paragraph(struct writer *w, const struct rf_glyph *g)
{
    float gap = g->top - w->line_bottom, before = w->gap;
    float old = w->line_bottom - w->line_top, h = height(g);

    w->gap = gap;
    if (g->bottom < w->line_top)
        return true; /* the next column */
    if (h > old * HEADING_GROWTH || old > h * HEADING_GROWTH)
        return true;
    return gap > PARAGRAPH_GAP * h && (before < 0 || gap > GAP_GROWTH * before);
}

/* Take the hyphen off again where the next line goes on with the same word. */
static bool mend(struct writer *w, const struct rf_glyph *before, const struct rf_glyph *g)
{
    const struct rf_glyph *hyphen = w->last;
    size_t length = hyphen->c == '-' ? 1 : hyphen->c == SOFT_HYPHEN ? 2 : 3;

    if (!is_hyphen(hyphen->c) || !before || !is_lower(before->c) || !is_lower(g->c) ||
        g->top < w->line_top + height(hyphen) / 2 || w->text.n < length)
        return false;
    trim_line(w);
    w->text.n -= length;
    return true;
}

/* Neighbours of a line that are none: the engine forgot to break it. Letters of a line that runs up
 * or down stand above each other, and close. */
static bool is_torn(const struct rf_glyph *last, const struct rf_glyph *g)
{
    float h = height(last);
    bool beside = g->top < last->bottom && g->bottom > last->top;
    bool above = g->left < last->right + h / 2 && g->right > last->left - h / 2;
    float apart = g->top > last->bottom ? g->top - last->bottom : last->top - g->bottom;

    return !beside && (!above || apart > h);
}

static void part(struct writer *w, const struct rf_glyph *g)
{
    float h = height(w->last), gap = g->left - w->last->right;

    if (is_torn(w->last, g)) {
        end_line(w, true);
        w->gap = -1;
        begin_line(w, g);
    } else if (is_leftward(g->c) || is_leftward(w->last->c)) {
        return; /* where a letter's neighbour stands says nothing here */
    } else if (gap > CELL_GAP * h) {
        trim_line(w);
        put(w, '\t');
    } else if (!w->space && gap > WORD_GAP * h) {
        put(w, ' ');
    }
}

/* The engine ended a line, and yet goes on to the right of it: a heading after its number. */
static bool is_same_line(const struct rf_glyph *last, const struct rf_glyph *g)
{
    float top = last->top > g->top ? last->top : g->top;
    float bottom = last->bottom < g->bottom ? last->bottom : g->bottom;
    float h = height(last) < height(g) ? height(last) : height(g);

    return g->left >= last->right && bottom - top > SAME_LINE * h;
}

/* The engine broke the line before `g`. */
static void break_line(struct writer *w, const struct rf_glyph *before, const struct rf_glyph *g)
{
    if (w->last && is_same_line(w->last, g)) {
        part(w, g);
        return;
    }
    w->mending = w->last && mend(w, before, g);
    if (w->last && !w->mending)
        end_line(w, is_paragraph(w, g));
    begin_line(w, g);
}

static void take(struct writer *w, const struct rf_glyph *g)
{
    if (is_white(g->c)) {
        if (w->mending)
            end_line(w, false);
        else if (!w->space && w->last)
            put(w, ' ');
        w->space = true;
        return;
    }
    put(w, g->c);
    w->space = false;
    w->last = g;
    if (g->top < w->line_top)
        w->line_top = g->top;
    if (g->bottom > w->line_bottom)
        w->line_bottom = g->bottom;
}

/* Leftward words */

static void reverse(struct rf_glyph *g, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        struct rf_glyph swap = g[i];
        g[i] = g[n - 1 - i];
        g[n - 1 - i] = swap;
    }
}

/* The length of the word that the marks `begin` and `end` hold, both with it; 0 where there is
 * none. */
static size_t word_length(const struct rf_glyph *g, size_t n)
{
    size_t i = 0;
    int depth = 0;

    if (!n || g[0].c != LEFTWARD_BEGIN)
        return 0;
    for (; i < n && g[i].c != '\n'; i++) {
        depth += g[i].c == LEFTWARD_BEGIN || g[i].c == RIGHTWARD_BEGIN;
        depth -= g[i].c == DIRECTION_END;
        if (!depth)
            return i + 1;
    }
    return 0;
}

/* Words one after the other that are listed from left to right are listed the wrong way. Turning
 * all of it round and then each word again leaves the words as they were, in the other order. */
static size_t turn_words(struct rf_glyph *g, size_t n)
{
    size_t lengths[MAX_LINE_WORDS], count = 0, at = 0, length;
    float lefts[2] = { 0 };

    while (count < MAX_LINE_WORDS && (length = word_length(g + at, n - at))) {
        if (count < 2)
            lefts[count] = g[at].left;
        lengths[count++] = length;
        at += length;
        while (at < n && is_white(g[at].c)) {
            lengths[count - 1]++;
            at++;
        }
    }
    if (count > 1 && lefts[0] < lefts[1]) {
        size_t from = 0;
        reverse(g, at);
        while (count--) {
            reverse(g + from, lengths[count]);
            from += lengths[count];
        }
    }
    return at;
}

static void turn_lines(const struct rf_glyphs *glyphs)
{
    for (size_t i = 0; i < glyphs->count;) {
        size_t n = turn_words(glyphs->items + i, glyphs->count - i);
        i += n ? n : 1;
    }
}

/* Reading */

static void take_all(struct writer *w, const struct rf_glyphs *glyphs)
{
    const struct rf_glyph *before = NULL; /* the one before the last */
    bool broken = true;

    for (size_t i = 0; i < glyphs->count; i++) {
        const struct rf_glyph *g = &glyphs->items[i], *last = w->last;
        if (g->c == '\n') {
            broken = true;
        } else if (rf_is_direction(g->c)) {
            if (g->c == LEFTWARD_BEGIN && !w->space && !broken)
                put(w, ' ');
            w->space = w->space || g->c == LEFTWARD_BEGIN;
        } else if (!is_control(g->c) && !(broken && is_white(g->c))) {
            if (broken)
                break_line(w, before, g);
            else if (!is_white(g->c) && last)
                part(w, g);
            broken = false;
            take(w, g);
        }
        if (w->last != last)
            before = last;
    }
}

/* Line feeds stay, other control characters go. */
static void take_plain(struct writer *w, struct rf_str s)
{
    for (size_t i = 0; i < s.n;) {
        unsigned n = rf_utf8_char((const unsigned char *)s.p + i, s.n - i);
        unsigned char c = (unsigned char)s.p[i];
        bool is_c1 = n == 2 && c == 0xC2 && (unsigned char)s.p[i + 1] < 0xA0;
        if ((n > 1 && !is_c1) || c == '\n' || c == '\t' || (n == 1 && c >= 0x20 && c != 0x7F))
            rf_buf_add(&w->text, (struct rf_str){ s.p + i, n });
        i += n ? n : 1;
    }
}

struct rf_str rf_layout(const struct rf_glyphs *glyphs, struct rf_arena *a)
{
    struct writer w = { .gap = -1, .space = true };
    struct rf_str text = { "", 0 };

    rf_buf_init(&w.text, a, MAX_PAGE_TEXT);
    if (glyphs->count) {
        turn_lines(glyphs);
        take_all(&w, glyphs);
    } else {
        take_plain(&w, glyphs->plain);
    }
    trim_line(&w);
    if (rf_buf_finish(&w.text, &text, NULL))
        return RF_STR("");
    return rf_str_trim(text);
}
