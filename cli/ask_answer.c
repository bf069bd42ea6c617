/* The answer on its way to standard output: on a terminal Markdown in colours, as it comes, with
 * the numbers of its sources; in a pipe what was said; or nothing until it is whole.
 *
 * On a terminal, rows that are done are written and stay. Below them stand those of the block that
 * has not ended, which are drawn anew as it grows: at most as many as the screen has, and not more
 * often than the eye sees. */
#include "ask.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "text.h"

#define DRAW_MS 30 /* between two looks at what has not ended */

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Rows that can be drawn anew: all but one of the screen, none where a row would not fit into
 * it. */
static int most_live(const struct rf_ask_answer *a)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < a->columns)
        return 0;
    return size.ws_row > 1 ? size.ws_row - 1 : 0;
}

/* To the first row that may still change, and nothing below; on a terminal that has another size
 * now, where they are is not known, and they stay. */
static void erase_live(struct rf_ask_answer *a, struct rf_buffer *out)
{
    int columns = rf_text_columns();
    if (a->live)
        rf_buffer_text(out, columns == a->columns ? "\r" : "\r\n");
    if (a->live > 1 && columns == a->columns)
        rf_buffer_print(out, "\033[%dA", a->live - 1);
    if (a->live)
        rf_buffer_text(out, "\033[J");
    if (columns != a->columns)
        rf_markdown_resize(a->markdown, columns);
    a->columns = columns;
    a->live = 0;
}

static void add_row(void *ctx, struct rf_str row)
{
    struct rf_ask_answer *a = ctx;
    rf_buffer_str(&a->rows, row);
    rf_buffer_text(&a->rows, "\n");
}

struct live {
    struct rf_buffer rows; /* each with its line feed */
    int count;
};

static void add_live_row(void *ctx, struct rf_str row)
{
    struct live *l = ctx;
    rf_buffer_str(&l->rows, row);
    rf_buffer_text(&l->rows, "\n");
    l->count++;
}

/* The last of them, as many as there is room for; the cursor stays at the end. */
static void add_live(struct rf_ask_answer *a, struct rf_buffer *out)
{
    struct live l = { 0 };
    int most = most_live(a);
    rf_markdown_live(a->markdown, add_live_row, &l);
    struct rf_str rest = rf_buffer_view(&l.rows);
    for (; l.count > most; l.count--) {
        size_t n = (size_t)((const char *)memchr(rest.p, '\n', rest.n) - rest.p) + 1;
        rest = (struct rf_str){ rest.p + n, rest.n - n };
    }
    if (rest.n)
        rf_buffer_add(out, rest.p, rest.n - 1);
    a->live = l.count;
    rf_buffer_release(&l.rows);
}

enum drawing {
    WHAT_IS_DONE,
    ALL_OF_IT,
};

static void draw(struct rf_ask_answer *a, enum drawing what)
{
    struct rf_buffer out = { 0 };
    erase_live(a, &out);
    rf_buffer_str(&out, rf_buffer_view(&a->rows));
    rf_buffer_reset(&a->rows);
    if (what == ALL_OF_IT)
        add_live(a, &out);
    fwrite(out.p, 1, out.n, stdout);
    fflush(stdout);
    rf_buffer_release(&out);
    a->drawn_ms = now_ms();
}

/* The answer */

void rf_ask_theme(struct rf_theme *t, int fd)
{
    rf_theme_detect(t, fd);
    if (!getenv("COLORFGBG") && t->colours > 16)
        t->colours = 16; /* dark or light, people's own sixteen are readable */
}

void rf_ask_answer_begin(struct rf_ask_answer *a)
{
    a->text.out = stdout;
    rf_ask_theme(&a->theme, STDOUT_FILENO);
    a->columns = rf_text_columns();
    if (!a->theme.plain && !a->as_written && !a->holds)
        a->markdown = rf_markdown_new(&a->theme, a->columns, add_row, a);
}

bool rf_ask_answer_is_open(const struct rf_ask_answer *a)
{
    return a->markdown ? a->is_open : a->text.open;
}

void rf_ask_answer_add(struct rf_ask_answer *a, struct rf_str piece)
{
    a->is_open = true;
    if (a->holds) {
        rf_buffer_str(&a->held, piece);
    } else if (a->markdown) {
        rf_markdown_add(a->markdown, piece);
        if (now_ms() - a->drawn_ms >= DRAW_MS)
            draw(a, ALL_OF_IT);
    } else {
        rf_safe_output_add(&a->text, piece);
        fflush(stdout);
    }
}

void rf_ask_answer_end(struct rf_ask_answer *a)
{
    if (a->markdown && a->is_open) {
        rf_markdown_end(a->markdown);
        draw(a, WHAT_IS_DONE);
    }
    rf_safe_output_end(&a->text);
    a->is_open = false;
    fflush(stdout);
}

void rf_ask_answer_hear(struct rf_ask_answer *a, const struct rf_event *e)
{
    struct rf_buffer marks = { 0 };
    rf_sources_hear(&a->sources, e);
    if (e->type != RF_EVENT_BLOCK_END)
        return;
    rf_sources_marks(&a->sources, e->done, &marks);
    if (marks.n && a->markdown)
        rf_ask_answer_add(a, rf_buffer_view(&marks));
    rf_buffer_release(&marks);
}

/* Where the numbers are; or, where the answer is in a pipe or a file, beside it. */
void rf_ask_answer_sources(struct rf_ask_answer *a, bool quiet)
{
    FILE *out = a->markdown ? stdout : stderr;
    for (size_t i = 0; (a->markdown || !quiet) && i < a->sources.count; i++) {
        struct rf_buffer line = { 0 };
        fputs(a->markdown && !i ? "\n" : "", out);
        rf_sources_line(&a->sources, i, &line);
        rf_print_text(out, rf_buffer_view(&line));
        fputc('\n', out);
        rf_buffer_release(&line);
    }
    rf_sources_release(&a->sources);
    fflush(stdout);
}

void rf_ask_answer_release(struct rf_ask_answer *a)
{
    rf_markdown_free(a->markdown);
    rf_buffer_release(&a->rows);
    rf_buffer_release(&a->held);
    rf_sources_release(&a->sources);
}
