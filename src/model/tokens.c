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
