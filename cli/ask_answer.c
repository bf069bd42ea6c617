/* The answer on its way to standard output: on a terminal Markdown in colours, row by row as it
 * comes, with the numbers of its sources; in a pipe what was said; or nothing until it is whole.
 *
 * It refuses to go back in a terminal: what is written stays, so a row comes when it is full and a
 * table when it ends. */
#include "ask.h"

#include <stdlib.h>
#include <unistd.h>

#include "report.h"
#include "text.h"

static void print_row(void *ctx, struct rf_str row)
{
    (void)ctx;
    fwrite(row.p, 1, row.n, stdout);
    putchar('\n');
}

void rf_ask_answer_begin(struct rf_ask_answer *a)
{
    a->text.out = stdout;
    rf_theme_detect(&a->theme, STDOUT_FILENO);
    if (!getenv("COLORFGBG") && a->theme.colours > 16)
        a->theme.colours = 16; /* dark or light, people's own sixteen are readable */
    if (!a->theme.plain && !a->as_written && !a->holds)
        a->markdown = rf_markdown_new(&a->theme, rf_text_columns(), print_row, a);
}

bool rf_ask_answer_is_open(const struct rf_ask_answer *a)
{
    return a->markdown ? a->is_open : a->text.open;
}

void rf_ask_answer_add(struct rf_ask_answer *a, struct rf_str piece)
{
    if (a->holds) {
        rf_buffer_str(&a->held, piece);
        return;
    }
    if (a->markdown && !a->is_open)
        rf_markdown_resize(a->markdown, rf_text_columns());
    if (a->markdown)
        rf_markdown_add(a->markdown, piece);
    else
        rf_safe_output_add(&a->text, piece);
    a->is_open = true;
    fflush(stdout);
}

void rf_ask_answer_end(struct rf_ask_answer *a)
{
    if (a->markdown && a->is_open)
        rf_markdown_end(a->markdown);
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
    rf_sources_marks(&a->sources, &marks);
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
    rf_buffer_release(&a->held);
    rf_sources_release(&a->sources);
}
