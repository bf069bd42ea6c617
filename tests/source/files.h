/* Small files as byte strings, and their base64: what tests of hidden and named files need. */
#ifndef TESTS_SOURCE_FILES_H
#define TESTS_SOURCE_FILES_H

#include "base/base64.h"

#include "../testing.h"

/* 3 x 2 pixels, 73 bytes. */
#define PNG_BYTES                                                                                 \
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\x02\0\0\0\x12\x16\xf1M\0\0\0\x10IDATx" \
    "\xda\x63\xf8\xcf\xc0\0A\x0cp\x16\0A\xd2\x05\xfbo\xf1\x16\xc7\0\0\0\0IEND\xae\x42`\x82"
/* 1 x 1 pixel, 43 bytes: 60 characters of base64, fewer than are ever lifted. */
#define GIF_BYTES \
    "GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\4\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
/* 8 x 4 pixels, grey, 66 bytes. */
#define JPEG_BYTES                                                                               \
    "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xfe\0\x0e(no comment)\xff\xc0\0\x0b\x08" \
    "\0\4\0\x08\1\1\x11\0\xff\xda\0\x08\1\1\0\0?\0\x54\xff\xd9\0\0\0\0"
#define PDF_BYTES                                                                                  \
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 0>>endobj\n" \
    "trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n"
#define LOCKED_PDF_BYTES                                                                           \
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 0>>endobj\n" \
    "trailer<</Root 1 0 R/Encrypt 3 0 R>>\nstartxref\n0\n%%EOF\n"
/* 8,000 samples a second, 16 of them: 2 ms. */
#define WAV_BYTES                                                                              \
    "RIFF\x34\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0data\x10\0\0\0" \
    "0123456789abcdef"
#define SVG_BYTES \
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"4\"><rect width=\"8\"/></svg>"
/* 12 x 12 pixels that begin after the list: an icon, and few bytes that say so. */
#define ICO_BYTES                                                                                 \
    "\0\0\1\0\1\0\x0c\x0c\0\0\1\0\x20\0\x30\0\0\0\x16\0\0\0(\0\0\0\x0c\0\0\0\x18\0\0\0\1\0\x20\0" \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

/* The head of a film: 2 s. */
#define FILM_BYTES                                       \
    "\0\0\0\x10"                                         \
    "ftypisom\0\0\0\0\0\0\0"                             \
    "0moov\0\0\0(mvhd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3\xe8" \
    "\0\0\x07\xd0\0\0\0\0\0\0\0\0\0\0\0\0"

static inline struct rf_str to_base64(struct rf_arena *a, struct rf_str bytes)
{
    char *p = rf_arena_alloc(a, (size_t)rf_base64_length(bytes.n) + 1);
    return (struct rf_str){ p, rf_base64_encode(bytes.p, bytes.n, p) };
}

/* A PNG with `more` bytes of no meaning after it, as a picture of any size is to a probe. */
static inline struct rf_str long_png(struct rf_arena *a, size_t more)
{
    size_t n = sizeof PNG_BYTES - 1;
    char *p = rf_arena_alloc(a, n + more);
    uint32_t seed = 7;
    memcpy(p, PNG_BYTES, n);
    for (size_t i = 0; i < more; i++)
        p[n + i] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
    return (struct rf_str){ p, n + more };
}

/* A line break (or what `by` is) after every `width` characters. */
static inline struct rf_str wrapped(struct rf_arena *a, struct rf_str s, size_t width,
                                    const char *by)
{
    size_t step = strlen(by), n = 0;
    char *p = rf_arena_alloc(a, s.n + (s.n / width + 1) * step + 1);
    for (size_t i = 0; i < s.n; i++) {
        p[n++] = s.p[i];
        if ((i + 1) % width == 0 || i + 1 == s.n) {
            memcpy(p + n, by, step);
            n += step;
        }
    }
    return (struct rf_str){ p, n };
}

/* The URL alphabet, without padding. */
static inline struct rf_str url_alphabet(struct rf_arena *a, struct rf_str s)
{
    char *p = rf_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n && s.p[i] != '='; i++)
        p[n++] = s.p[i] == '+' ? '-' : s.p[i] == '/' ? '_' : s.p[i];
    return (struct rf_str){ p, n };
}

static inline struct rf_str without_padding(struct rf_str s)
{
    while (s.n && s.p[s.n - 1] == '=')
        s.n--;
    return s;
}

/* What a word of a template stands for; empty where it is none. */
static inline struct rf_str stands_for(struct rf_arena *a, struct rf_str word)
{
    struct rf_str png = to_base64(a, RF_STR(PNG_BYTES)), large = to_base64(a, long_png(a, 3000));
    if (rf_str_is(word, "PNG"))
        return png;
    if (rf_str_is(word, "BARE"))
        return without_padding(png);
    if (rf_str_is(word, "EVEN")) /* 100 characters without padding */
        return to_base64(a, RF_STR(PNG_BYTES "\1\2"));
    if (rf_str_is(word, "URLSAFE"))
        return url_alphabet(a, large);
    if (rf_str_is(word, "LARGE"))
        return large;
    if (rf_str_is(word, "CUT"))
        return (struct rf_str){ large.p, 1001 };
    if (rf_str_is(word, "WRAP76"))
        return wrapped(a, large, 76, "\n");
    if (rf_str_is(word, "WRAP64"))
        return wrapped(a, large, 64, "\r\n");
    if (rf_str_is(word, "WRAP60"))
        return wrapped(a, large, 60, "\n  ");
    if (rf_str_is(word, "ESCAPED76"))
        return wrapped(a, large, 76, "\\n");
    if (rf_str_is(word, "GIF"))
        return to_base64(a, RF_STR(GIF_BYTES));
    if (rf_str_is(word, "JPEG"))
        return to_base64(a, RF_STR(JPEG_BYTES));
    if (rf_str_is(word, "PDF"))
        return to_base64(a, RF_STR(PDF_BYTES));
    if (rf_str_is(word, "WAV"))
        return to_base64(a, RF_STR(WAV_BYTES));
    if (rf_str_is(word, "FILM"))
        return to_base64(a, RF_STR(FILM_BYTES));
    if (rf_str_is(word, "SVG"))
        return to_base64(a, RF_STR(SVG_BYTES));
    if (rf_str_is(word, "MARKDOWN")) /* a text in which a picture hides */
        return to_base64(a, rf_strf(a, "![x](data:image/png;base64,%.*s) ok", RF_FMT(png)));
    if (rf_str_is(word, "ICO"))
        return to_base64(a, RF_STR(ICO_BYTES));
    return RF_STR("");
}

/* "see $PNG$." with the base64 for $PNG$. */
static inline struct rf_str filled_in(struct rf_arena *a, const char *template)
{
    struct rf_str rest = rf_str(template), piece, out = RF_STR("");
    for (bool word = false; rf_str_split(&rest, '$', &piece); word = !word) {
        struct rf_str said = word ? stands_for(a, piece) : piece;
        char *p = rf_arena_alloc(a, out.n + said.n + 1);
        memcpy(p, out.p, out.n);
        memcpy(p + out.n, said.p, said.n);
        out = (struct rf_str){ p, out.n + said.n };
    }
    return out;
}

#endif
