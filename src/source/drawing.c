/* Three small readers, each with a place that only moves forwards. Nothing is mended: what does not
 * fit the grammar is a worker that lies, and nothing of it is shown. */
#include "source/drawing.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "media/look.h"
#include "media/media.h"

#define MAX_DRAWING ((size_t)64 << 20) /* bytes for a terminal */
#define KITTY_CHUNK ((size_t)4096)     /* characters of base64 in one sequence */
#define MAX_SGR 16                     /* numbers in one sequence of colours */
#define MAX_NUMBER 100000              /* anywhere in sixels */
#define SIXEL_BAND 6                   /* rows of pixels that are written at once */
#define MAX_REGISTERS 1024             /* of colours */

#define ESC "\033"
#define PLAIN ESC "[0m"

/* Where a reader is. */
struct place {
    struct rf_str rest;
};

static bool take(struct place *p, char c)
{
    if (!p->rest.n || p->rest.p[0] != c)
        return false;
    p->rest = (struct rf_str){ p->rest.p + 1, p->rest.n - 1 };
    return true;
}

static bool take_word(struct place *p, const char *word)
{
    size_t n = strlen(word);
    if (!rf_str_starts(p->rest, word))
        return false;
    p->rest = (struct rf_str){ p->rest.p + n, p->rest.n - n };
    return true;
}

/* Digits, at least one, up to `most`. */
static bool take_number(struct place *p, int most, int *out)
{
    int v = 0;
    size_t n = 0;
    while (n < p->rest.n && p->rest.p[n] >= '0' && p->rest.p[n] <= '9') {
        v = v * 10 + (p->rest.p[n++] - '0');
        if (v > most)
            return false;
    }
    p->rest = (struct rf_str){ p->rest.p + n, p->rest.n - n };
    *out = v;
    return n > 0;
}

/* Numbers with semicolons between them; how many, or 0 where that is not so. */
static size_t take_numbers(struct place *p, int most, int *out, size_t max)
{
    size_t n = 0;
    do {
        if (n == max || !take_number(p, most, &out[n]))
            return 0;
        n++;
    } while (take(p, ';'));
    return n;
}

/* Blocks. */

/* How many numbers this colour or style takes, at the beginning of `v`; 0: it is none. */
static size_t style_length(const int *v, size_t n)
{
    bool ground = v[0] == 38 || v[0] == 48;
    if (v[0] == 0 || v[0] == 7)
        return 1;
    if ((v[0] >= 30 && v[0] <= 37) || (v[0] >= 40 && v[0] <= 47) || v[0] == 39 || v[0] == 49)
        return 1;
    if ((v[0] >= 90 && v[0] <= 97) || (v[0] >= 100 && v[0] <= 107))
        return 1;
    if (ground && n >= 3 && v[1] == 5)
        return 3;
    return ground && n >= 5 && v[1] == 2 ? 5 : 0;
}

/* After "ESC [": colours and "m". */
static bool take_style(struct place *p)
{
    int v[MAX_SGR];
    size_t n = take_numbers(p, 255, v, MAX_SGR);
    for (size_t at = 0, length; at < n; at += length)
        if (!(length = style_length(v + at, n - at)))
            return false;
    return n && take(p, 'm');
}

static bool take_character(struct place *p, bool ascii)
{
    const unsigned char *c = (const unsigned char *)p->rest.p;
    size_t n = 1;
    bool block =
        p->rest.n >= 3 && c[0] == 0xe2 && c[1] == 0x96 && c[2] >= 0x80 && c[2] <= 0x9f; /* U+25xx */
    if (!p->rest.n)
        return false;
    if (block && !ascii)
        n = 3;
    else if (c[0] != ' ' && (!ascii || c[0] < 0x20 || c[0] > 0x7e))
        return false;
    p->rest = (struct rf_str){ p->rest.p + n, p->rest.n - n };
    return true;
}

/* One row, which is ended plain. */
static bool take_row(struct rf_str row, const struct rf_drawing *d, struct rf_buf *out)
{
    struct place p = { row };
    int cells = 0;
    while (p.rest.n) {
        if (take_word(&p, ESC "[") ? take_style(&p)
                                   : take_character(&p, d->ascii) && ++cells <= d->columns)
            continue;
        return false;
    }
    rf_buf_add(out, row);
    if (!rf_str_ends(row, PLAIN))
        rf_buf_add(out, RF_STR(PLAIN));
    return true;
}

static bool blocks(struct rf_str made, const struct rf_drawing *d, struct rf_buf *out)
{
    struct rf_str row;
    int rows = 0;
    while (rf_str_split(&made, '\n', &row)) {
        if (++rows > d->rows)
            return false;
        if (rows > 1)
            rf_buf_addc(out, '\n');
        if (!take_row(row, d, out))
            return false;
    }
    return rows == d->rows;
}

/* Sixels. */

struct sixels {
    struct place at;
    int x, y, width, height; /* of the next one, and of the frame */
};

/* A column of six pixels, `count` times: which of them are set is in its low bits. */
static bool paint(struct sixels *s, int bits, int count)
{
    int inside = s->height - s->y; /* rows of this band that are in the frame, and below */
    if (count > s->width - s->x || inside < 1 || (inside < SIXEL_BAND && bits >> inside))
        return false;
    s->x += count;
    return true;
}

static bool is_sixel(char c)
{
    return c >= '?' && c <= '~';
}

static bool take_sixel(struct sixels *s, int count)
{
    char c = s->at.rest.n ? s->at.rest.p[0] : 0;
    return is_sixel(c) && take(&s->at, c) && paint(s, c - '?', count);
}

static bool take_repeat(struct sixels *s)
{
    int count;
    return take_number(&s->at, MAX_NUMBER, &count) && take_sixel(s, count);
}

/* "#1" chooses a colour, "#1;2;100;0;0" says what it is. */
static bool take_colour(struct sixels *s)
{
    int v[5];
    size_t n = take_numbers(&s->at, MAX_REGISTERS - 1, v, 5);
    return n == 1 || (n == 5 && v[1] == 2 && v[2] <= 100 && v[3] <= 100 && v[4] <= 100);
}

static bool new_band(struct sixels *s)
{
    s->x = 0;
    s->y += SIXEL_BAND;
    return s->y < s->height + SIXEL_BAND;
}

static bool take_step(struct sixels *s)
{
    if (take(&s->at, '#'))
        return take_colour(s);
    if (take(&s->at, '!'))
        return take_repeat(s);
    if (take(&s->at, '-'))
        return new_band(s);
    if (take(&s->at, '$')) {
        s->x = 0;
        return true;
    }
    return take_sixel(s, 1);
}

static bool take_head(struct sixels *s)
{
    int v[4];
    if (!take_word(&s->at, ESC "P"))
        return false;
    if (!take(&s->at, 'q') && (!take_numbers(&s->at, 9, v, 3) || !take(&s->at, 'q')))
        return false;
    if (!take(&s->at, '"'))
        return true;
    return take_numbers(&s->at, MAX_NUMBER, v, 4) == 4 && v[2] <= s->width && v[3] <= s->height;
}

static bool sixel(struct rf_str made, const struct rf_drawing *d, struct rf_buf *out)
{
    struct sixels s = { .at = { made }, .width = d->width, .height = d->height };
    if (!take_head(&s))
        return false;
    while (!take_word(&s.at, ESC "\\"))
        if (!take_step(&s))
            return false;
    rf_buf_addf(out, ESC "7");
    rf_buf_add(out, made);
    rf_buf_addf(out, ESC "8");
    return !s.at.rest.n;
}

/* PNG. */

#define PNG_SIGNATURE 8
#define PNG_CHUNK 12 /* bytes of a chunk beside its data: length, name, sum */

/* Its chunks lead to the last one, and nothing comes after that. */
static bool ends_well(struct rf_str made)
{
    size_t at = PNG_SIGNATURE;
    while (made.n >= at + PNG_CHUNK) {
        const uint8_t *chunk = (const uint8_t *)made.p + at;
        uint32_t n = rf_be32(chunk);
        if (n > made.n - at - PNG_CHUNK)
            return false;
        at += PNG_CHUNK + n;
        if (memcmp(chunk + 4, "IEND", 4) == 0)
            return at == made.n;
    }
    return false;
}

static bool is_png(struct rf_str made, const struct rf_drawing *d)
{
    struct rf_bytes bytes = rf_bytes_memory(made);
    struct rf_reader r = { .fd = -1 };
    struct rf_facts facts = { 0 };
    if (rf_reader_open(&r, &bytes, NULL))
        return false;
    const struct rf_format *f = rf_sniff(&r);
    bool sound = f && f->id == RF_FORMAT_PNG && !rf_probe(&r, f, &facts, NULL);
    rf_reader_close(&r);
    return sound && facts.width == (uint32_t)d->width && facts.height == (uint32_t)d->height &&
           ends_well(made);
}

static struct rf_str as_base64(struct rf_str made, struct rf_arena *a)
{
    size_t n = rf_base64_length(made.n);
    char *text = rf_arena_alloc(a, n + 1);
    rf_base64_encode(made.p, made.n, text);
    return (struct rf_str){ text, n };
}

/* In chunks; no answers are wanted, and the cursor stays. */
static bool kitty(struct rf_str made, const struct rf_drawing *d, struct rf_buf *out)
{
    struct rf_str rest = as_base64(made, out->arena);
    rf_buf_addf(out, ESC "_Ga=T,f=100,q=2,C=1,c=%d,r=%d,", d->columns, d->rows);
    for (bool more = true; more;) {
        struct rf_str chunk = { rest.p, rest.n < KITTY_CHUNK ? rest.n : KITTY_CHUNK };
        rest = (struct rf_str){ rest.p + chunk.n, rest.n - chunk.n };
        more = rest.n > 0;
        rf_buf_addf(out, "m=%d;", more);
        rf_buf_add(out, chunk);
        rf_buf_addf(out, ESC "\\%s", more ? ESC "_G" : "");
    }
    return true;
}

static bool iterm(struct rf_str made, const struct rf_drawing *d, struct rf_buf *out)
{
    rf_buf_addf(out,
                ESC "7" ESC "]1337;File=inline=1;size=%zu;width=%d;height=%d;"
                    "preserveAspectRatio=1:",
                made.n, d->columns, d->rows);
    rf_buf_add(out, as_base64(made, out->arena));
    rf_buf_addf(out, "\a" ESC "8");
    return true;
}

static bool make(enum rf_graphics g, struct rf_str made, const struct rf_drawing *d,
                 struct rf_buf *out)
{
    switch (g) {
    case RF_GRAPHICS_NONE:
        break;
    case RF_GRAPHICS_BLOCKS:
        return blocks(made, d, out);
    case RF_GRAPHICS_SIXEL:
        return sixel(made, d, out);
    case RF_GRAPHICS_ITERM:
        return is_png(made, d) && iterm(made, d, out);
    case RF_GRAPHICS_KITTY:
        return is_png(made, d) && kitty(made, d, out);
    }
    return false;
}

enum rf_code rf_drawing_make(enum rf_graphics g, struct rf_str made, const struct rf_drawing *d,
                             struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, a, MAX_DRAWING);
    if (!make(g, made, d, &b) || rf_buf_finish(&b, &text, NULL))
        return rf_fail(err, RF_EIO, "what was drawn is not what a terminal may be given");
    *out = text;
    return RF_OK;
}
