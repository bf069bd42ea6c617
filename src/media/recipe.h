/* What is to be made of a file, or found out about it: a small picture, some pages, its text.
 *
 * Whoever wants something fills in a recipe; two that are equal give the same. Only here does one
 * become text: the lines that a worker is asked with (protocol.h), which together with the hash of
 * the file are the key of the cache. The strings are the caller's.
 *
 *     const struct rf_recipe text = { .make = RF_MAKE_TEXT, .pages = { 1, 20 } };
 *     struct rf_job job = { .family = "pdf", .ask = rf_recipe_text(&text, a), .input = &bytes };
 */
#ifndef RF_MEDIA_RECIPE_H
#define RF_MEDIA_RECIPE_H

#include "base/str.h"
#include "content/pages.h"

struct rf_arena;

enum rf_make {
    RF_MAKE_NOTHING,
    RF_MAKE_FACTS,          /* `weigh` */
    RF_MAKE_PICTURE,        /* one, of one of the types and within the limits: `crop`, `frame` */
    RF_MAKE_DRAWING,        /* for a terminal: `way` and what follows it, `crop`, `frame` */
    RF_MAKE_TEXT,           /* of `pages` or of a `sheet`, `pictures` of it too */
    RF_MAKE_PAGE_PICTURES,  /* one a page, at `dpi`, of one of the types and within the limits */
    RF_MAKE_PAGES,          /* a document of those alone */
    RF_MAKE_INNER_PICTURES, /* those in a document, which `pages` counts */
    RF_MAKE_LIST,           /* of what is in an archive, or a `member` of it */
    RF_MAKE_FRAMES,         /* `count` of a film */
    RF_MAKE_SOUND,          /* of the type `mime` */
    RF_MAKE_TRANSCRIPT,     /* what is said in it, by a `command` of the person and no worker */
    RF_MAKE_UTF8,           /* a text, converted from the character set that it is in */
    RF_MAKE_FRONT,          /* the first `max_bytes` of a text, for which no worker is needed */
};

/* What is 0 or empty is not asked for, or has no limit. */
struct rf_recipe {
    enum rf_make make;
    struct rf_str mime; /* of the file, where the caller knows it; SOUND: of what is made */
    struct rf_pages pages;
    int64_t dpi, count;
    struct rf_str types;                     /* that may come out: "image/png,image/jpeg" */
    int64_t max_side, max_pixels, max_bytes; /* of one picture */
    int64_t weigh;                           /* pages whose text is weighed */
    int64_t max_text;                        /* bytes */
    int64_t pictures, picture_bytes;         /* at most so many, of so many bytes together */
    bool recognise; /* whoever follows it has their text read by a machine */
    int64_t start_ms, end_ms;
    int64_t frame;             /* of several, counted from 1 */
    int64_t crop[4], piece[4]; /* left, top, width, height; in pixels, and in thousandths */
    const char *way;           /* "png", "sixel", "blocks" */
    int64_t columns, rows, cell_width, cell_height, colours, ascii;
    struct rf_str sheet, member, command;
    const char *password;
};

bool rf_recipe_eq(const struct rf_recipe *a, const struct rf_recipe *b);

/* The lines for a worker. */
struct rf_str rf_recipe_text(const struct rf_recipe *r, struct rf_arena *a);
/* Those of a recipe that is needed for nothing else: RF_ASK(a, .make = RF_MAKE_FACTS). */
#define RF_ASK(a, ...) rf_recipe_text(&(struct rf_recipe){ __VA_ARGS__ }, a)

#endif
