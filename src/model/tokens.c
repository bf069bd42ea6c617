#include "model/tokens.h"

#define MAX_NUMBERS 4

struct formula {
    struct rf_str name;
    int64_t n[MAX_NUMBERS];
    size_t count;
};

static bool parse_formula(struct rf_str text, struct formula *f)
{
    struct rf_str piece;
    *f = (struct formula){ 0 };
    if (!rf_str_split(&text, '/', &f->name))
        return false;
    while (rf_str_split(&text, '/', &piece)) {
        if (f->count == MAX_NUMBERS || !rf_str_int64(piece, &f->n[f->count]) ||
            f->n[f->count] < 0 || f->n[f->count] > 1000000)
            return false;
        f->count++;
    }
    return true;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Shrink both sides so that the longer one is at most `edge`. */
static void fit_longer(int64_t *w, int64_t *h, int64_t edge)
{
    int64_t longer = *w > *h ? *w : *h;
    if (longer <= edge)
        return;
    *w = *w * edge / longer > 0 ? *w * edge / longer : 1;
    *h = *h * edge / longer > 0 ? *h * edge / longer : 1;
}

static int64_t patches(const struct formula *f, int64_t w, int64_t h)
{
    if (f->n[1])
        fit_longer(&w, &h, f->n[1]);
    int64_t n = ceil_div(w, f->n[0]) * ceil_div(h, f->n[0]);
    n = n > f->n[2] ? f->n[2] : n;
    return f->count == 4 ? ceil_div(n * f->n[3], 100) : n;
}

static int64_t tiles(const struct formula *f, int64_t w, int64_t h)
{
    if (w <= f->n[2] && h <= f->n[2])
        return f->n[1];
    int64_t n, all = ceil_div(w, f->n[0]) * ceil_div(h, f->n[0]);
    return __builtin_mul_overflow(all, f->n[1], &n) ? -1 : n;
}

static int64_t openai_tiles(const struct formula *f, int64_t w, int64_t h)
{
    fit_longer(&w, &h, 2048);
    int64_t shorter = w < h ? w : h;
    if (shorter > 768) {
        w = w * 768 / shorter;
        h = h * 768 / shorter;
    }
    return f->n[0] + f->n[1] * ceil_div(w, 512) * ceil_div(h, 512);
}

static int64_t fixed(const struct formula *f, int64_t w, int64_t h)
{
    (void)w;
    (void)h;
    return f->n[0];
}

static const struct {
    const char *name;
    size_t least, most; /* numbers it takes */
    int64_t (*tokens)(const struct formula *f, int64_t w, int64_t h);
} formulas[] = {
    { "patches", 3, 4, patches },
    { "tiles", 3, 3, tiles },
    { "openai", 2, 2, openai_tiles },
    { "fixed", 1, 1, fixed },
};

int64_t rf_image_tokens(struct rf_str text, int64_t width, int64_t height)
{
    struct formula f;
    if (!parse_formula(text, &f))
        return -1;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        if (!rf_str_is(f.name, formulas[i].name) || f.count < formulas[i].least ||
            f.count > formulas[i].most)
            continue;
        bool sized = width > 0 && height > 0 && width <= INT32_MAX && height <= INT32_MAX;
        bool usable = f.n[0] > 0 && (sized || formulas[i].tokens == fixed);
        return usable ? formulas[i].tokens(&f, width, height) : -1;
    }
    return -1;
}

bool rf_image_formula_valid(struct rf_str formula)
{
    return rf_image_tokens(formula, 100, 100) >= 0;
}

/* Guesses for what was not measured. */
#define USUAL_SIDE 1000    /* pixels */
#define USUAL_PICTURE 1500 /* tokens, where there is no formula */
#define USUAL_PAGE 2000    /* tokens */
#define PAGE_BYTES 50000   /* of a PDF */
#define USUAL_SOUND 32     /* tokens of a second */
#define USUAL_FILM 263
#define USUAL_MS 30000
#define SOUND_BYTES_PER_S 16000 /* 128 kbit/s */
#define FILM_BYTES_PER_S 250000 /* 2 Mbit/s */
#define PACKED_BYTES 20         /* of an office file, a token */
#define TEXT_BYTES 4

static int64_t or_guess(int64_t known, int64_t guess)
{
    return known > 0 ? known : guess > 0 ? guess : 1;
}

static int64_t times(int64_t n, int64_t each, int64_t per)
{
    int64_t all;
    return __builtin_mul_overflow(n, each, &all) ? INT64_MAX / per : all / per + (all % per > 0);
}

static int64_t picture(const struct rf_caps *c, const struct rf_measure *m)
{
    int64_t n = rf_image_tokens(c->image_tokens, m->width, m->height);
    if (n < 0)
        n = rf_image_tokens(c->image_tokens, USUAL_SIDE, USUAL_SIDE);
    return n < 0 ? USUAL_PICTURE : n;
}

static int64_t length_ms(const struct rf_measure *m, int64_t bytes_per_s)
{
    return or_guess(m->duration_ms, m->bytes > 0 ? times(m->bytes, 1000, bytes_per_s) : USUAL_MS);
}

/* A frame is looked at every second, and one at least. */
static int64_t whole_seconds(int64_t ms)
{
    return ms < 1500 ? 1 : ms / 1000 + (ms % 1000 >= 500);
}

/* Where the text of pages costs something of its own, it tells more than a price for all pages:
 * a scan has none. */
static int64_t pages(const struct rf_caps *c, const struct rf_measure *m)
{
    int64_t count = or_guess(m->pages, m->bytes / PAGE_BYTES);
    int64_t sum;
    /* Where pages cost little but their text, it is unknown what a page without any costs: not
     * nothing. */
    bool scan = m->knows_text && !m->text_tokens && c->page_base_tokens < c->page_tokens / 2;
    if ((m->text_tokens > 0 || m->knows_text) && c->page_base_tokens > 0 && !scan &&
        !__builtin_add_overflow(times(count, c->page_base_tokens, 1), m->text_tokens, &sum))
        return sum;
    return times(count, or_guess(c->page_tokens, USUAL_PAGE), 1);
}

int64_t rf_media_tokens(const struct rf_caps *c, const struct rf_measure *m)
{
    switch (m->kind) {
    case RF_KIND_IMAGE:
        return picture(c, m);
    case RF_KIND_PDF:
        return pages(c, m);
    case RF_KIND_AUDIO:
        return times(length_ms(m, SOUND_BYTES_PER_S), or_guess(c->audio_tokens_per_s, USUAL_SOUND),
                     1000);
    case RF_KIND_VIDEO:
        return times(whole_seconds(length_ms(m, FILM_BYTES_PER_S)),
                     or_guess(c->video_tokens_per_s, USUAL_FILM), 1);
    case RF_KIND_TEXT:
        if (m->text_tokens > 0)
            return m->text_tokens;
        return times(or_guess(m->bytes, USUAL_PAGE * TEXT_BYTES), 1, TEXT_BYTES);
    case RF_KIND_OFFICE:
    case RF_KIND_UNKNOWN:
        break;
    }
    return times(or_guess(m->bytes, USUAL_PAGE * PACKED_BYTES), 1, PACKED_BYTES);
}
