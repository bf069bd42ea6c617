/* The operations, one function each. A page that cannot be read is left out with a note; only when
 * no page can be read does the ask fail. */
#include "worker/pdf/pdf.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "media/weight.h"
#include "worker/pdf/engine.h"
#include "worker/pdf/structure.h"
#include "worker/pdf/watch.h"

#include <math.h>

#define USUAL_DPI 150
#define MAX_DPI 1200
#define POINTS_PER_INCH 72.0
#define MAX_PAGES 100000 /* more are not counted one by one by anybody */
#define MAX_PAGE_POINTS 1e7
#define SHRINK 0.75 /* a picture that is too large in bytes is drawn again at this size */
#define MAX_SHRINKS 6
#define STEP_MS 50
#define MAX_PRINT ((size_t)256 << 20)
#define MIN_SIDE 64                    /* and never smaller than this for that */
#define MAX_WEIGHED ((size_t)32 << 20) /* bytes of text */

struct work {
    const struct rf_ask *ask;
    struct rf_answer *to;
    struct rf_str bytes;
    const char *password;
    struct rf_pdf *pdf;
    struct rf_structure *structure; /* NULL where qpdf does not know what to make of the file */
    struct rf_arena *page_arena;    /* taken back after each page */
    int first, end;                 /* pages as the engine counts them: from 0, past the last */
    int done;                       /* pages that were answered */
    bool too_large;                 /* a page did not fit into its bytes */
    int64_t stepped_ms;
};

static void fail_with(struct work *w, const struct rf_err *err)
{
    rf_answer_fail(w->to, err->code, err->hint, "%s", err->msg);
}

static bool take_range(struct work *w)
{
    int pages = rf_pdf_pages(w->pdf);
    int64_t first = rf_ask_int(w->ask, "first", 1), last = rf_ask_int(w->ask, "last", 0);

    if (pages < 1 || pages > MAX_PAGES) {
        rf_answer_fail(w->to, RF_EFORMAT, "", "the PDF is broken or cut off: %s",
                       pages < 1 ? "no page was found in it" : "it claims to have too many pages");
        return false;
    }
    if (first < 1 || first > pages) {
        rf_answer_fail(w->to, RF_EUSAGE, "", "the document ends with page %d", pages);
        return false;
    }
    w->first = (int)first - 1;
    w->end = last <= 0 || last > pages ? pages : (int)last;
    if (w->end <= w->first) {
        rf_answer_fail(w->to, RF_EUSAGE, "", "the range of pages is empty");
        return false;
    }
    return true;
}

static void say_facts(struct work *w)
{
    rf_answer_fact(w->to, "pages", "%d", rf_pdf_pages(w->pdf));
    if (w->structure && rf_structure_encrypted(w->structure))
        rf_answer_fact(w->to, "encrypted", "yes");
    if (w->structure && rf_structure_damaged(w->structure)) {
        rf_answer_fact(w->to, "damaged", "1");
        rf_answer_note(w->to, "the PDF is damaged; its pages were found all the same");
    }
}

static void say_about(struct work *w, const char *key, enum rf_pdf_about what)
{
    struct rf_str s = rf_str_trim(rf_pdf_about(w->pdf, what, w->ask->arena));
    if (s.n)
        rf_answer_fact(w->to, key, "%.*s", s.n < 1000 ? (int)s.n : 1000, s.p);
}

static void say_unreadable(struct work *w, int page)
{
    rf_answer_note(w->to, "page %d could not be read", page + 1);
}

/* text */

static void text_page(struct work *w, int page)
{
    struct rf_glyphs glyphs;
    struct rf_str text;
    int pictures = 0;
    bool read;

    rf_watch_begin(w->to, page + 1, w->done);
    read = rf_pdf_glyphs(w->pdf, page, w->page_arena, &glyphs);
    text = read ? rf_layout(&glyphs, w->page_arena) : RF_STR("");
    if (read && (w->structure ? !text.n || rf_structure_pictures(w->structure, page) : !text.n))
        pictures = rf_pdf_pictures(w->pdf, page);
    rf_watch_end();
    if (!read) {
        say_unreadable(w, page);
        return;
    }
    if (pictures)
        rf_answer_part(w->to, "kind=text\npage=%d\npictures=%d\n", page + 1, pictures);
    else
        rf_answer_part(w->to, "kind=text\npage=%d\n", page + 1);
    rf_answer_text(w->to, text);
    if (glyphs.cut)
        rf_answer_note(w->to, "page %d has too much text; the end of it was left out", page + 1);
    w->done++;
}

/* render */

static struct rf_render_wish take_wish(const struct rf_ask *ask)
{
    struct rf_str rest = rf_ask_str(ask, "types"), type;
    int64_t max = rf_ask_int(ask, "max_bytes", 0);
    struct rf_render_wish wish = { .max_bytes = max > 0 ? (uint64_t)max : 0 };

    while (rf_str_split(&rest, ',', &type)) {
        wish.png = wish.png || rf_str_is(rf_str_trim(type), "image/png");
        wish.jpeg = wish.jpeg || rf_str_is(rf_str_trim(type), "image/jpeg");
    }
    if (!rf_ask_str(ask, "types").n)
        wish.png = wish.jpeg = true;
    return wish;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Pixels a point: as the resolution wants, unless a limit on sides or pixels, or one of ours, is in
 * the way. Rounding to whole pixels may pass such a limit, so they are aimed at from below. */
static double scale_of(const struct rf_ask *ask, double width, double height)
{
    int64_t dpi = rf_ask_int(ask, "dpi", 0), side = rf_ask_int(ask, "max_side", 0);
    int64_t pixels = rf_ask_int(ask, "max_pixels", 0);
    double longer = width > height ? width : height;
    double scale = (double)(dpi <= 0 ? USUAL_DPI : dpi > MAX_DPI ? MAX_DPI : dpi) / POINTS_PER_INCH;

    if (side <= 0 || side > RF_MAX_RASTER_SIDE)
        side = RF_MAX_RASTER_SIDE;
    if (pixels <= 0 || pixels > RF_MAX_RASTER_PIXELS)
        pixels = RF_MAX_RASTER_PIXELS;
    scale = smaller(scale, ((double)side + 0.49) / longer);
    if (round(width * scale) * round(height * scale) > (double)pixels)
        scale = smaller(scale, sqrt((double)pixels / (width * height)) * (1 - 0.5 / (double)side));
    while (round(width * scale) * round(height * scale) > (double)pixels && scale > 1e-6)
        scale *= 0.999;
    return scale;
}

static int at_least_one(double side)
{
    return side < 1 ? 1 : (int)side;
}

enum drawn { DRAWN, DRAWN_IN_PART, UNREADABLE, TOO_LARGE };

static enum drawn draw(struct work *w, int page, double scale, const double size[2],
                       const struct rf_render_wish *wish, struct rf_raster *r,
                       struct rf_rendered *out)
{
    enum rf_drawing drawing = RF_DRAWN_NOT;
    enum drawn result = UNREADABLE;

    if (rf_raster_init(r, at_least_one(round(size[0] * scale)),
                       at_least_one(round(size[1] * scale))))
        drawing = rf_pdf_draw(w->pdf, page, scale, r);
    if (drawing != RF_DRAWN_NOT && !rf_raster_encode(r, wish, out))
        result = TOO_LARGE;
    else if (drawing != RF_DRAWN_NOT)
        result = drawing == RF_DRAWN ? DRAWN : DRAWN_IN_PART;
    rf_raster_release(r);
    return result;
}

/* The page as a picture that fits; drawn again, smaller, as long as it does not. */
static enum drawn draw_to_fit(struct work *w, int page, const struct rf_render_wish *wish,
                              struct rf_raster *r, struct rf_rendered *out)
{
    double size[2], scale;
    enum drawn result = UNREADABLE;

    if (!rf_pdf_size(w->pdf, page, &size[0], &size[1]) || !(size[0] > 0) || !(size[1] > 0) ||
        size[0] > MAX_PAGE_POINTS || size[1] > MAX_PAGE_POINTS)
        return UNREADABLE;
    scale = scale_of(w->ask, size[0], size[1]);
    for (int i = 0; i <= MAX_SHRINKS; i++, scale *= SHRINK) {
        result = draw(w, page, scale, size, wish, r, out);
        if (result != TOO_LARGE || smaller(size[0], size[1]) * scale * SHRINK < MIN_SIDE)
            break;
    }
    return result;
}

static void render_page(struct work *w, int page)
{
    struct rf_render_wish wish = take_wish(w->ask);
    struct rf_raster r = { 0 };
    struct rf_rendered picture = { 0 };
    enum drawn result;

    rf_watch_begin(w->to, page + 1, w->done);
    result = draw_to_fit(w, page, &wish, &r, &picture);
    rf_watch_end();
    switch (result) {
    case DRAWN_IN_PART:
        rf_answer_note(w->to, "page %d could be drawn only in part", page + 1);
        /* fall through */
    case DRAWN:
        rf_answer_part(w->to, "kind=image\npage=%d\nmime=%s\nwidth=%d\nheight=%d\n", page + 1,
                       picture.mime, r.width, r.height);
        rf_answer_bytes(w->to, picture.p, picture.n);
        w->done++;
        break;
    case UNREADABLE:
        say_unreadable(w, page);
        break;
    case TOO_LARGE:
        w->too_large = true;
        rf_answer_note(w->to, "page %d cannot be drawn in %llu bytes", page + 1,
                       (unsigned long long)wish.max_bytes);
        break;
    }
    rf_rendered_release(&picture);
}

static bool can_render(struct work *w)
{
    struct rf_render_wish wish = take_wish(w->ask);

    if (wish.png || wish.jpeg)
        return true;
    rf_answer_fail(w->to, RF_EUNSUPPORTED, "",
                   "pages are drawn as PNG or JPEG, and neither is taken");
    return false;
}

/* The operations */

/* Every step wakes the caller, so there are not many of them: the first, and those that come late.
 * The end of all says itself. */
static void say_step(struct work *w, int page)
{
    int64_t now = rf_now_ms();

    if (page + 1 == w->end || now - w->stepped_ms < STEP_MS)
        return;
    w->stepped_ms = now;
    rf_answer_step(w->to, page + 1 - w->first, w->end - w->first);
}

static void each_page(struct work *w, void (*answer_page)(struct work *w, int page))
{
    for (int page = w->first; page < w->end && !rf_answer_over(w->to); page++) {
        answer_page(w, page);
        rf_arena_reset(w->page_arena);
        say_step(w, page);
    }
    if (w->done || rf_answer_over(w->to))
        return;
    if (w->too_large)
        rf_answer_fail(w->to, RF_ELIMIT, "", "no page can be drawn in %lld bytes",
                       (long long)rf_ask_int(w->ask, "max_bytes", 0));
    else
        rf_answer_fail(w->to, RF_EFORMAT, "", "the PDF is broken: %s",
                       w->end - w->first == 1 ? "its page cannot be read"
                                              : "none of its pages can be read");
}

static void open_structure(struct work *w)
{
    w->structure = rf_structure_open(w->bytes, w->password);
}

/* weigh */

static void gather_text(struct work *w, int page, struct rf_buf *text)
{
    struct rf_glyphs glyphs;
    struct rf_str said = RF_STR("");

    rf_watch_begin(w->to, page + 1, 1);
    if (rf_pdf_glyphs(w->pdf, page, w->page_arena, &glyphs))
        said = rf_layout(&glyphs, w->page_arena);
    rf_watch_end();
    rf_buf_add(text, said);
    if (said.n)
        rf_buf_addc(text, '\n');
    rf_arena_reset(w->page_arena);
}

static int64_t count_letters(struct rf_str text)
{
    int64_t letters = 0;
    for (size_t i = 0; i < text.n; i++)
        letters += ((unsigned char)text.p[i] & 0xc0) != 0x80 && (unsigned char)text.p[i] > ' ';
    return letters;
}

/* What the text of all pages comes to, from those of some all over the document. It comes last:
 * a page that never ends, or ends the worker, takes nothing else with it. */
static void say_weight(struct work *w, int most)
{
    int pages = rf_pdf_pages(w->pdf), count = pages < most ? pages : most;
    struct rf_arena *a = rf_arena_new();
    struct rf_text_weight weight = { 0 };
    struct rf_buf text;
    struct rf_str all;
    char words[RF_WEIGHT_TEXT];

    rf_buf_init(&text, a, MAX_WEIGHED);
    for (int i = 0; i < count && !rf_answer_over(w->to); i++)
        gather_text(w, (int)((int64_t)i * pages / count), &text);
    if (!rf_buf_finish(&text, &all, NULL)) {
        rf_text_weigh(all, &weight);
        rf_text_weight_scale(&weight, pages, count);
        rf_text_weight_write(&weight, words);
        rf_answer_fact(w->to, "letters", "%lld", (long long)(count_letters(all) * pages / count));
        rf_answer_fact(w->to, "weight", "%s", words);
    }
    rf_arena_free(a);
}

static void say_all(struct work *w)
{
    rf_watch_begin(w->to, 1, 0);
    open_structure(w);
    rf_watch_end();
    say_facts(w);
    say_about(w, "title", RF_PDF_TITLE);
    say_about(w, "author", RF_PDF_AUTHOR);
}

static void op_info(struct work *w)
{
    int64_t most = rf_ask_int(w->ask, "weigh", 0);

    say_all(w);
    if (most > 0)
        say_weight(w, most < MAX_PAGES ? (int)most : MAX_PAGES);
}

static void op_text(struct work *w)
{
    say_all(w);
    each_page(w, text_page);
}

static void op_render(struct work *w)
{
    say_facts(w);
    if (can_render(w))
        each_page(w, render_page);
}

static void say_part(struct work *w, struct rf_str pdf)
{
    rf_answer_part(w->to, "kind=document\nmime=application/pdf\nfirst=%d\nlast=%d\n", w->first + 1,
                   w->end);
    rf_answer_bytes(w->to, pdf.p, pdf.n);
}

/* What cannot be taken out can often be printed. */
static void print_part(struct work *w)
{
    struct rf_buf b;
    struct rf_str pdf;
    int printed;

    rf_buf_init(&b, w->page_arena, MAX_PRINT);
    rf_watch_begin(w->to, w->first + 1, 0);
    printed = rf_pdf_print(w->pdf, w->first, w->end, &b);
    rf_watch_end();
    if (!printed || rf_buf_finish(&b, &pdf, NULL)) {
        rf_answer_fail(w->to, RF_EFORMAT, "", "the PDF is broken: its pages cannot be taken out");
        return;
    }
    rf_answer_note(w->to, "the PDF is damaged; its pages were printed anew");
    if (printed < w->end - w->first)
        rf_answer_note(w->to, "%d of the pages could not be read", w->end - w->first - printed);
    say_part(w, pdf);
}

static void op_part(struct work *w)
{
    struct rf_str pdf;
    bool taken;

    rf_watch_begin(w->to, w->first + 1, 0);
    open_structure(w);
    taken = w->structure && rf_structure_part(w->structure, w->first, w->end, &pdf);
    rf_watch_end();
    say_facts(w);
    if (taken)
        say_part(w, pdf);
    else
        print_part(w);
}

static const struct {
    const char *name;
    void (*run)(struct work *w);
} operations[] = {
    { "info", op_info },
    { "part", op_part },
    { "render", op_render },
    { "text", op_text },
};

static void run(struct work *w)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (rf_ask_is(w->ask, "op", operations[i].name)) {
            operations[i].run(w);
            return;
        }
    rf_answer_fail(w->to, RF_EUSAGE, "", "the PDF worker knows no such operation");
}

void rf_pdf_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct work w = { .ask = ask, .to = to };
    struct rf_str password = rf_ask_str(ask, "password");
    struct rf_err err;
    enum rf_code rc;

    if (!rf_ask_map(ask, &w.bytes, to))
        return;
    if (!w.bytes.n) {
        rf_answer_fail(to, RF_EFORMAT, "", "the file is empty");
        return;
    }
    w.password = password.n ? rf_cstr(ask->arena, password) : NULL;
    rf_watch_begin(to, 1, 0);
    rc = rf_pdf_open(w.bytes, w.password, &w.pdf, &err);
    rf_watch_end();
    if (rc) {
        fail_with(&w, &err);
        return;
    }
    w.page_arena = rf_arena_new();
    if (take_range(&w))
        run(&w);
    rf_arena_free(w.page_arena);
    rf_structure_close(w.structure);
    rf_pdf_close(w.pdf);
}
