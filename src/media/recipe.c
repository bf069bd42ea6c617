#include "media/recipe.h"

#include "base/arena.h"
#include "base/buf.h"

#include <inttypes.h>
#include <stddef.h>

static const char *const operations[] = {
    [RF_MAKE_FACTS] = "info",
    [RF_MAKE_PICTURE] = "convert",
    [RF_MAKE_DRAWING] = "draw",
    [RF_MAKE_TEXT] = "text",
    [RF_MAKE_PAGE_PICTURES] = "render",
    [RF_MAKE_PAGES] = "part",
    [RF_MAKE_INNER_PICTURES] = "media",
    [RF_MAKE_LIST] = "list",
    [RF_MAKE_FRAMES] = "frames",
    [RF_MAKE_SOUND] = "sound",
    [RF_MAKE_TRANSCRIPT] = "transcript",
    [RF_MAKE_UTF8] = "utf8",
};

enum type {
    TEXT,
    WORD, /* ends with a NUL; NULL: none */
    NUMBER,
    PAGES, /* as `first` and `last` */
    BOX,   /* four numbers */
    OURS,  /* a bool that no worker is told */
};

#define AT(name) #name, offsetof(struct rf_recipe, name)

static const struct field {
    enum type type;
    const char *name;
    size_t at;
} fields[] = {
    { TEXT, AT(mime) },          { PAGES, AT(pages) },
    { NUMBER, AT(dpi) },         { NUMBER, AT(count) },
    { NUMBER, AT(start_ms) },    { NUMBER, AT(end_ms) },
    { TEXT, AT(types) },         { NUMBER, AT(max_side) },
    { NUMBER, AT(max_pixels) },  { NUMBER, AT(max_bytes) },
    { NUMBER, AT(weigh) },       { NUMBER, AT(max_text) },
    { NUMBER, AT(pictures) },    { NUMBER, AT(picture_bytes) },
    { OURS, AT(recognise) },     { NUMBER, AT(frame) },
    { BOX, AT(crop) },           { BOX, AT(piece) },
    { WORD, AT(way) },           { NUMBER, AT(columns) },
    { NUMBER, AT(rows) },        { NUMBER, AT(cell_width) },
    { NUMBER, AT(cell_height) }, { NUMBER, AT(colours) },
    { NUMBER, AT(ascii) },       { TEXT, AT(sheet) },
    { TEXT, AT(member) },        { WORD, AT(password) },
    { TEXT, AT(command) },
};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

static bool is_same(const struct field *f, const void *a, const void *b)
{
    const struct rf_str *s = a, *t = b;
    const char *const *v = a, *const *w = b;
    const int64_t *m = a, *n = b;
    switch (f->type) {
    case TEXT:
        return rf_str_eq(*s, *t);
    case WORD:
        return !*v || !*w ? *v == *w : strcmp(*v, *w) == 0;
    case NUMBER:
        return *m == *n;
    case PAGES:
        return memcmp(m, n, sizeof(struct rf_pages)) == 0;
    case BOX:
        return memcmp(m, n, 4 * sizeof *m) == 0;
    case OURS:
        break;
    }
    return *(const bool *)a == *(const bool *)b;
}

bool rf_recipe_eq(const struct rf_recipe *a, const struct rf_recipe *b)
{
    bool same = a->make == b->make;
    for (size_t i = 0; same && i < FIELD_COUNT; i++)
        same = is_same(&fields[i], (const char *)a + fields[i].at, (const char *)b + fields[i].at);
    return same;
}

static void write_field(struct rf_buf *b, const struct field *f, const void *at)
{
    const struct rf_str *s = at;
    const char *const *w = at;
    const int64_t *n = at;
    switch (f->type) {
    case TEXT:
        if (s->n)
            rf_buf_addf(b, "%s=%.*s\n", f->name, RF_FMT(*s));
        break;
    case WORD:
        if (*w)
            rf_buf_addf(b, "%s=%s\n", f->name, *w);
        break;
    case NUMBER:
        if (*n)
            rf_buf_addf(b, "%s=%" PRId64 "\n", f->name, *n);
        break;
    case PAGES:
        if (n[0])
            rf_buf_addf(b, "first=%" PRId64 "\nlast=%" PRId64 "\n", n[0], n[1]);
        break;
    case BOX:
        if (n[2])
            rf_buf_addf(b, "%s=%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", f->name, n[0],
                        n[1], n[2], n[3]);
        break;
    case OURS:
        break;
    }
}

struct rf_str rf_recipe_text(const struct rf_recipe *r, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, a, SIZE_MAX);
    if (!operations[r->make])
        RF_BUG("no worker makes that");
    rf_buf_addf(&b, "op=%s\n", operations[r->make]);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        write_field(&b, &fields[i], (const char *)r + fields[i].at);
    if (rf_buf_finish(&b, &text, NULL))
        RF_BUG("a buffer without a limit is full");
    return text;
}
