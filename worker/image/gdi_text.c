/* Texts. Where the file says how far it is from one character to the next, each is put at its
 * place, so that a line is as long as it was meant to be, whatever font is found here. Scripts
 * whose letters change with their neighbours stay in one piece. */
#include "worker/image/gdi.h"

#include "base/utf8.h"
#include "worker/office/charset.h"

#include <math.h>

#define ASCENT 0.905 /* of the height of a character, in the usual fonts */
#define DESCENT 0.212
#define USUAL_STEP 0.5 /* from one character to the next */

enum { ALIGN_UPDATE = 1, ALIGN_RIGHT = 2, ALIGN_CENTRE = 6, ALIGN_BOTTOM = 8, ALIGN_BASE = 24 };
enum { CHARSET_SYMBOL = 2 };

/* The font Symbol, whose letters are Greek, from 0x20 on. */
static const uint16_t symbols[] = {
    0x20,   0x21,   0x2200, 0x23,  0x2203, 0x25,  0x26,  0x220b, 0x28,   0x29,  0x2217, 0x2b,
    0x2c,   0x2212, 0x2e,   0x2f,  0x30,   0x31,  0x32,  0x33,   0x34,   0x35,  0x36,   0x37,
    0x38,   0x39,   0x3a,   0x3b,  0x3c,   0x3d,  0x3e,  0x3f,   0x2245, 0x391, 0x392,  0x3a7,
    0x394,  0x395,  0x3a6,  0x393, 0x397,  0x399, 0x3d1, 0x39a,  0x39b,  0x39c, 0x39d,  0x39f,
    0x3a0,  0x398,  0x3a1,  0x3a3, 0x3a4,  0x3a5, 0x3c2, 0x3a9,  0x39e,  0x3a8, 0x396,  0x5b,
    0x2234, 0x5d,   0x22a5, 0x5f,  0x203e, 0x3b1, 0x3b2, 0x3c7,  0x3b4,  0x3b5, 0x3c6,  0x3b3,
    0x3b7,  0x3b9,  0x3d5,  0x3ba, 0x3bb,  0x3bc, 0x3bd, 0x3bf,  0x3c0,  0x3b8, 0x3c1,  0x3c3,
    0x3c4,  0x3c5,  0x3d6,  0x3c9, 0x3be,  0x3c8, 0x3b6, 0x7b,   0x7c,   0x7d,  0x223c,
};
static const uint16_t more_symbols[] = {
    /* from 0xa0 on */
    0x20ac, 0x3d2,  0x2032, 0x2264, 0x2044, 0x221e, 0x192,  0x2663, 0x2666, 0x2665, 0x2660, 0x2194,
    0x2190, 0x2191, 0x2192, 0x2193, 0xb0,   0xb1,   0x2033, 0x2265, 0xd7,   0x221d, 0x2202, 0x2022,
    0xf7,   0x2260, 0x2261, 0x2248, 0x2026, 0x7c,   0x2014, 0x21b5, 0x2135, 0x2111, 0x211c, 0x2118,
    0x2297, 0x2295, 0x2205, 0x2229, 0x222a, 0x2283, 0x2287, 0x2284, 0x2282, 0x2286, 0x2208, 0x2209,
    0x2220, 0x2207, 0xae,   0xa9,   0x2122, 0x220f, 0x221a, 0x22c5, 0xac,   0x2227, 0x2228, 0x21d4,
    0x21d0, 0x21d1, 0x21d2, 0x21d3, 0x25ca, 0x2329, 0xae,   0xa9,   0x2122, 0x2211, 0x239b, 0x239c,
    0x239d, 0x23a1, 0x23a2, 0x23a3, 0x23a7, 0x23a8, 0x23a9, 0x23aa, 0x20,   0x232a, 0x222b, 0x2320,
    0x23ae, 0x2321, 0x239e, 0x239f, 0x23a0, 0x23a4, 0x23a5, 0x23a6, 0x23ab, 0x23ac, 0x23ad,
};
#define SYMBOLS (sizeof symbols / sizeof *symbols)
#define MORE_SYMBOLS (sizeof more_symbols / sizeof *more_symbols)

static uint32_t symbol(uint32_t c)
{
    c = c >= 0xf000 && c < 0xf100 ? c - 0xf000 : c; /* where Windows puts them */
    if (c >= 0x20 && c - 0x20 < SYMBOLS)
        return symbols[c - 0x20];
    return c >= 0xa0 && c - 0xa0 < MORE_SYMBOLS ? more_symbols[c - 0xa0] : c;
}

struct rf_str rf_gdi_utf8(const struct rf_gdi *g, struct rf_str bytes)
{
    static const struct {
        uint8_t charset;
        int page;
    } pages[] = {
        { 77, 10000 }, { 128, 932 },  { 129, 949 },  { 134, 936 },  { 136, 950 },
        { 161, 1253 }, { 162, 1254 }, { 163, 1258 }, { 177, 1255 }, { 178, 1256 },
        { 186, 1257 }, { 204, 1251 }, { 222, 874 },  { 238, 1250 },
    };
    int page = 1252;

    if (g->dc.font.charset == CHARSET_SYMBOL)
        return rf_charset_utf8(g->arena, RF_STR("iso-8859-1"), bytes);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (pages[i].charset == g->dc.font.charset)
            page = pages[i].page;
    return rf_codepage_utf8(g->arena, page, bytes);
}

/* The next character; `text` is valid UTF-8. */
static uint32_t take(struct rf_str *text)
{
    const unsigned char *p = (const unsigned char *)text->p;
    unsigned n = rf_utf8_char(p, text->n);
    uint32_t c = n < 2 ? p[0] : p[0] & (0x7fu >> n);

    for (unsigned i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3f);
    text->p += n ? n : 1;
    text->n -= n ? n : 1;
    return c;
}

static void put(struct rf_buf *b, uint32_t c)
{
    char utf8[4];

    if (c == '<' || c == '>' || c == '&' || c == '"')
        rf_buf_addf(b, "&#%u;", c);
    else
        rf_buf_add(b,
                   (struct rf_str){
                       utf8, rf_utf8_put(c < 0x20 || c == 0xfffe || c == 0xffff ? ' ' : c, utf8) });
}

static void put_name(struct rf_buf *b, struct rf_str name)
{
    while (name.n) {
        uint32_t c = take(&name);
        if (c != '\'' && c != '\\' && c != ',')
            put(b, c);
    }
}

static bool is_symbol_font(const struct rf_gdi_object *font)
{
    return rf_str_starts(font->face, "Symbol") || rf_str_starts(font->face, "MT Extra");
}

/* The height of a character: where the height is that of a line, it is less. */
static double em(const struct rf_gdi_object *font)
{
    double height = font->height < 0 ? -font->height : font->height / (ASCENT + DESCENT);
    return height > 0 ? height : 12;
}

static void put_font(struct rf_gdi *g, double scale)
{
    static const char *const families[] = { "sans-serif", "serif", "sans-serif", "monospace" };
    const struct rf_gdi_object *f = &g->dc.font;
    unsigned family = f->family >> 4;

    rf_buf_addf(&g->body, " font-family=\"");
    if (f->face.n && !is_symbol_font(f)) {
        rf_buf_addc(&g->body, '\'');
        put_name(&g->body, f->face.p[0] == '@' ? rf_from(f->face, 1) : f->face);
        rf_buf_addf(&g->body, "',");
    }
    rf_buf_addf(&g->body, "%s\" font-size=\"",
                is_symbol_font(f) ? "serif" : families[family < 4 ? family : 0]);
    rf_gdi_number(&g->body, em(f) * scale);
    rf_buf_addf(&g->body, "\"%s%s%s", f->weight >= 600 ? " font-weight=\"bold\"" : "",
                f->italic ? " font-style=\"italic\"" : "",
                f->underline ? " text-decoration=\"underline\""
                : f->struck  ? " text-decoration=\"line-through\""
                             : "");
    rf_buf_addf(&g->body, " fill=\"");
    rf_gdi_put_colour(&g->body, g->dc.text_colour);
    rf_buf_addf(&g->body, "\"");
}

/* Hebrew and Arabic, the scripts of India and its neighbours, and marks upon letters. */
static bool is_joined(struct rf_str text)
{
    while (text.n) {
        uint32_t c = take(&text);
        if ((c >= 0x300 && c < 0x370) || (c >= 0x590 && c < 0x10a0) || (c >= 0x1780 && c < 0x1800))
            return true;
    }
    return false;
}

static double length_of(const struct rf_gdi *g, const struct rf_gdi_text *t)
{
    double sum = 0;

    if (!t->steps)
        return (double)rf_utf8_count(t->utf8) * em(&g->dc.font) * USUAL_STEP;
    for (size_t i = 0; i < t->step_n; i++)
        sum += t->steps[i];
    return sum;
}

/* A text is drawn upright also where y goes up: only the world turns and mirrors it. What scales it
 * is apart, in `scale`: our numbers are not made for very small ones. */
static struct rf_matrix text_matrix(const struct rf_gdi *g, double x, double y, double *scale)
{
    struct rf_matrix all = rf_gdi_matrix(g), page = rf_gdi_page(g), m;
    double angle = -g->dc.font.escapement / 10 * M_PI / 180;
    const struct rf_matrix turn = { cos(angle), sin(angle), -sin(angle), cos(angle), 0, 0 };

    page = (struct rf_matrix){ fabs(page.a), 0, 0, fabs(page.d), 0, 0 };
    m = rf_matrix_times(&turn, &g->dc.world);
    m = rf_matrix_times(&m, &page);
    *scale = sqrt(fabs(m.a * m.d - m.b * m.c));
    if (*scale > 0)
        m = (struct rf_matrix){ m.a / *scale, m.b / *scale, m.c / *scale, m.d / *scale, 0, 0 };
    m.e = all.a * x + all.c * y + all.e;
    m.f = all.b * x + all.d * y + all.f;
    return m;
}

static void put_characters(struct rf_gdi *g, const struct rf_gdi_text *t, double x, double scale,
                           bool placed)
{
    struct rf_str rest = t->utf8;
    bool symbols_only = is_symbol_font(&g->dc.font);

    for (size_t i = 0; rest.n; i++) {
        uint32_t c = take(&rest);
        if (placed && c != ' ') {
            rf_buf_addf(&g->body, "<tspan x=\"");
            rf_gdi_number(&g->body, x * scale);
            rf_buf_addf(&g->body, "\">");
        }
        if (!placed || c != ' ')
            put(&g->body, symbols_only ? symbol(c) : c);
        if (placed && c != ' ')
            rf_buf_addf(&g->body, "</tspan>");
        x += placed ? t->steps[i] : 0;
    }
}

static double baseline(const struct rf_gdi *g)
{
    uint32_t at = g->dc.align & ALIGN_BASE;
    return at == ALIGN_BASE     ? 0
           : at == ALIGN_BOTTOM ? -DESCENT * em(&g->dc.font)
                                : ASCENT * em(&g->dc.font);
}

static void draw(struct rf_gdi *g, const struct rf_gdi_text *t, double x, double y)
{
    double length = length_of(g, t), left = 0, scale;
    struct rf_matrix m = text_matrix(g, x, y, &scale);
    uint32_t side = g->dc.align & ALIGN_CENTRE;
    bool placed = t->steps && !is_joined(t->utf8);

    if (t->steps)
        left = side == ALIGN_CENTRE ? -length / 2 : side == ALIGN_RIGHT ? -length : 0;
    rf_gdi_touch(g, m.e, m.f);
    rf_gdi_touch(g, m.e + m.a * length * scale, m.f + m.b * length * scale);
    rf_gdi_element(g, "text", NULL);
    rf_buf_addf(&g->body, " xml:space=\"preserve\" transform=\"");
    rf_gdi_put_matrix(&g->body, &m);
    rf_buf_addf(&g->body, "\" x=\"");
    rf_gdi_number(&g->body, left * scale);
    rf_buf_addf(&g->body, "\" y=\"");
    rf_gdi_number(&g->body, baseline(g) * scale);
    rf_buf_addf(&g->body, "\"");
    if (!t->steps && side)
        rf_buf_addf(&g->body, " text-anchor=\"%s\"", side == ALIGN_CENTRE ? "middle" : "end");
    put_font(g, scale);
    rf_buf_addf(&g->body, ">");
    put_characters(g, t, left, scale, placed);
    rf_buf_addf(&g->body, "</text>");
    rf_gdi_element_end(g);
}

/* White behind a text is the paper mostly, and would hide what our other font reaches over. */
static void put_background(struct rf_gdi *g, const struct rf_gdi_text *t)
{
    double height = (ASCENT + DESCENT) * em(&g->dc.font);

    if (t->options & RF_GDI_ETO_OPAQUE)
        rf_gdi_fill_box(g, t->box, g->dc.back_colour);
    else if (g->dc.opaque && g->dc.back_colour != 0xffffff && t->steps && !g->dc.align &&
             g->dc.font.escapement == 0)
        rf_gdi_fill_box(g, (struct rf_box){ t->x, t->y, t->x + length_of(g, t), t->y + height },
                        g->dc.back_colour);
}

void rf_gdi_text(struct rf_gdi *g, const struct rf_gdi_text *t)
{
    struct rf_gdi_text whole = *t;
    struct rf_gdi_dc *dc = &g->dc;
    struct rf_box box = dc->box;
    int clip = dc->clip, depth = dc->depth;
    bool update = dc->align & ALIGN_UPDATE;

    if ((size_t)rf_utf8_count(t->utf8) != t->step_n)
        whole.steps = NULL;
    put_background(g, &whole);
    if (!t->utf8.n)
        return;
    if (t->options & RF_GDI_ETO_CLIPPED)
        rf_gdi_clip_box(g, t->box);
    draw(g, &whole, update ? dc->x : t->x, update ? dc->y : t->y);
    if (update)
        dc->x += length_of(g, &whole);
    dc->box = box;
    dc->clip = clip;
    dc->depth = depth;
}
