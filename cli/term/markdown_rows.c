/* Styled text in rows of a width: broken at spaces and around wide characters; a word that is wider
 * than a row is broken where the row ends. Rows are made from the front as soon as they are full,
 * so that it does not matter in which pieces the text came. Styles begin and end inside of each
 * row. It never changes or drops a character, but for the spaces where a row ends.
 */
#include <string.h>

#include "term/cells.h"
#include "term/markdown_inside.h"

#define MAX_BYTES_OF_CELL 64 /* a row of characters without cells ends all the same */
#define MAX_URLS 8192        /* kept for text that has gone */

struct run { /* from `start` to the next one's */
    size_t start;
    unsigned styles;
    size_t url, url_n; /* in `urls` */
};

static size_t run_count(const struct rf_md_rows *r)
{
    return r->runs.n / sizeof(struct run);
}

static struct run *run_at(const struct rf_md_rows *r, size_t i)
{
    return (struct run *)(void *)r->runs.p + i;
}

void rf_md_rows_reset(struct rf_md_rows *r)
{
    rf_buffer_reset(&r->text);
    rf_buffer_reset(&r->runs);
    rf_buffer_reset(&r->urls);
    r->hard = false;
}

void rf_md_rows_release(struct rf_md_rows *r)
{
    rf_buffer_release(&r->text);
    rf_buffer_release(&r->runs);
    rf_buffer_release(&r->urls);
}

void rf_md_rows_copy(struct rf_md_rows *to, const struct rf_md_rows *from)
{
    rf_md_rows_reset(to);
    rf_buffer_str(&to->text, rf_buffer_view(&from->text));
    rf_buffer_str(&to->runs, rf_buffer_view(&from->runs));
    rf_buffer_str(&to->urls, rf_buffer_view(&from->urls));
    to->hard = from->hard;
}

static bool is_url(const struct rf_md_rows *r, const struct run *run, struct rf_str url)
{
    return run->url_n == url.n && (!url.n || memcmp(r->urls.p + run->url, url.p, url.n) == 0);
}

/* What is added now looks like this. */
static void begin_run(struct rf_md_rows *r, unsigned styles, struct rf_str url)
{
    size_t count = run_count(r);
    const struct run *last = count ? run_at(r, count - 1) : NULL;
    if (last && last->styles == styles && is_url(r, last, url))
        return;
    struct run run = { .start = r->text.n, .styles = styles, .url_n = url.n };
    run.url = r->urls.n;
    rf_buffer_str(&r->urls, url);
    rf_buffer_add(&r->runs, &run, sizeof run);
}

void rf_md_rows_add(struct rf_md_rows *r, struct rf_str text, unsigned styles, struct rf_str url)
{
    if (!text.n)
        return;
    begin_run(r, styles, url);
    rf_cells_clean(&r->text, text);
}

void rf_md_rows_break(struct rf_md_rows *r)
{
    begin_run(r, 0, RF_LIT(""));
    rf_buffer_add(&r->text, "\n", 1);
}

void rf_md_rows_space(struct rf_md_rows *r, unsigned styles, struct rf_str url)
{
    char last = r->text.n ? r->text.p[r->text.n - 1] : '\n';
    if (last == ' ' || last == '\n')
        return;
    begin_run(r, styles, url);
    rf_buffer_add(&r->text, " ", 1);
}

/* What a block has comes first, so that what is inside of it wins. */
static const enum rf_style order[] = {
    RF_STYLE_HEADING, RF_STYLE_QUOTE,  RF_STYLE_DIM,   RF_STYLE_STRONG,  RF_STYLE_EMPHASIS,
    RF_STYLE_STRIKE,  RF_STYLE_LINK,   RF_STYLE_CODE,  RF_STYLE_KEYWORD, RF_STYLE_STRING,
    RF_STYLE_COMMENT, RF_STYLE_NUMBER, RF_STYLE_ADDED, RF_STYLE_REMOVED,
};
#define ORDERED (sizeof order / sizeof *order)

static void write_run(const struct rf_theme *theme, struct rf_str text, unsigned styles,
                      struct rf_str url, struct rf_buffer *out)
{
    for (size_t i = 0; i < ORDERED; i++)
        if (styles & 1u << order[i])
            rf_theme_on(theme, order[i], out);
    bool is_link = url.n && rf_theme_link(theme, url, out);
    rf_buffer_str(out, text);
    if (is_link)
        rf_theme_link_end(theme, out);
    for (size_t i = ORDERED; i-- > 0;)
        if (styles & 1u << order[i])
            rf_theme_off(theme, order[i], out);
}

struct flow {
    struct rf_md_rows *rows;
    const struct rf_theme *theme;
    int width;
    rf_md_emit *emit;
    void *ctx;
    size_t run; /* of the text that comes next */
    struct rf_buffer out;
};

static void emit_row(struct flow *f, size_t from, size_t to)
{
    struct rf_md_rows *r = f->rows;
    size_t count = run_count(r);
    struct rf_str text = rf_buffer_view(&r->text), urls = rf_buffer_view(&r->urls);
    while (!r->hard && to > from && text.p[to - 1] == ' ')
        to--;
    rf_buffer_reset(&f->out);
    while (f->run + 1 < count && run_at(r, f->run + 1)->start <= from)
        f->run++;
    for (size_t i = f->run; i < count && run_at(r, i)->start < to; i++) {
        const struct run *run = run_at(r, i);
        size_t start = run->start > from ? run->start : from;
        size_t end = i + 1 < count && run_at(r, i + 1)->start < to ? run_at(r, i + 1)->start : to;
        struct rf_str url = { urls.p + run->url, run->url_n };
        if (end > start)
            write_run(f->theme, (struct rf_str){ text.p + start, end - start }, run->styles, url,
                      &f->out);
    }
    int cells = rf_cells((struct rf_str){ text.p + from, to - from });
    f->emit(f->ctx, rf_buffer_view(&f->out), cells);
}

/* A row should not begin with it. */
static bool is_closing(struct rf_str s)
{
    static const char *const closing[] = { "。", "、", "，", "．", "！", "？", "：", "；", "）",
                                           "」", "』", "】", "》", "〉", "”",  "’",  "…" };
    if (s.n && strchr(".,;:!?)]}%\"'", s.p[0]))
        return true;
    for (size_t i = 0; i < sizeof closing / sizeof *closing; i++)
        if (s.n >= strlen(closing[i]) && memcmp(s.p, closing[i], strlen(closing[i])) == 0)
            return true;
    return false;
}

struct fit { /* one row, as far as it goes */
    size_t end, next;
    bool is_full;
};

/* Where may the row end, before what stands at `at`? */
static void note_break(struct fit *f, size_t row, size_t at, struct rf_str rest, bool around_wide)
{
    if (at > row && around_wide && !is_closing(rest))
        f->end = f->next = at;
}

static struct fit fit_row(const struct rf_md_rows *r, size_t row, int width)
{
    struct fit fit = { .end = row };
    struct rf_str text = rf_buffer_view(&r->text);
    size_t n, most = (size_t)width * MAX_BYTES_OF_CELL;
    bool was_wide = false;
    int cells = 0, step;

    for (size_t at = row; at < text.n; at += n, cells += step) {
        struct rf_str rest = rf_md_from(text, at);
        if (rest.p[0] == '\n')
            return (struct fit){ at, at + 1, true };
        n = rf_cells_step(rest, &step);
        bool is_space = rest.p[0] == ' ' && !r->hard;
        if (!r->hard)
            note_break(&fit, row, at, rest, (step == 2 || was_wide) && !is_space);
        if ((!is_space && step > width - cells && at > row) || at - row > most) {
            if (fit.end > row)
                return (struct fit){ fit.end, fit.next, true };
            return (struct fit){ at, at, true };
        }
        was_wide = step == 2;
        if (is_space && (fit.next != at || fit.end == row)) /* the first of several */
            fit.end = at;
        if (is_space)
            fit.next = at + n;
    }
    return (struct fit){ text.n, text.n, false };
}

/* What went is forgotten: its text, its runs, and addresses that no one needs. */
static void drop_front(struct rf_md_rows *r, size_t n, size_t first_run)
{
    size_t count = run_count(r);
    if (n == r->text.n) {
        r->text.n = r->runs.n = r->urls.n = 0;
        return;
    }
    if (!n)
        return;
    memmove(r->text.p, r->text.p + n, r->text.n - n);
    r->text.n -= n;
    while (first_run + 1 < count && run_at(r, first_run + 1)->start <= n)
        first_run++;
    for (size_t i = first_run; i < count; i++) {
        struct run run = *run_at(r, i);
        run.start = run.start > n ? run.start - n : 0;
        *run_at(r, i - first_run) = run;
    }
    r->runs.n -= first_run * sizeof(struct run);
    if (r->urls.n <= MAX_URLS)
        return;
    struct rf_buffer urls = { 0 };
    for (size_t i = 0; i < run_count(r); i++) {
        struct run *run = run_at(r, i);
        size_t at = urls.n;
        rf_buffer_add(&urls, r->urls.p + run->url, run->url_n);
        run->url = at;
    }
    rf_buffer_release(&r->urls);
    r->urls = urls;
}

static size_t flow_rows(struct flow *f)
{
    size_t row = 0;
    for (;;) {
        struct fit fit = fit_row(f->rows, row, f->width);
        if (!fit.is_full)
            return row;
        emit_row(f, row, fit.end);
        row = fit.next;
    }
}

void rf_md_rows_flow(struct rf_md_rows *r, const struct rf_theme *theme, int width,
                     rf_md_emit *emit, void *ctx)
{
    struct flow f = { .rows = r, .theme = theme, .width = width, .emit = emit, .ctx = ctx };
    size_t row = flow_rows(&f);
    drop_front(r, row, f.run);
    rf_buffer_release(&f.out);
}

void rf_md_rows_finish(struct rf_md_rows *r, const struct rf_theme *theme, int width,
                       rf_md_emit *emit, void *ctx)
{
    struct flow f = { .rows = r, .theme = theme, .width = width, .emit = emit, .ctx = ctx };
    size_t row = flow_rows(&f);
    if (row < r->text.n || !row)
        emit_row(&f, row, r->text.n);
    rf_buffer_release(&f.out);
    rf_md_rows_reset(r);
}
