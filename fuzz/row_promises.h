/* What every row for a terminal keeps, whoever wrote the text of it. Breaking it aborts.
 *
 *     promise_row(row, columns, &theme);
 *
 * At most so many cells; UTF-8; no control characters but those of our own styles and links;
 * links to http and https alone, ended in the row; every style ended in the row; nothing of that
 * where the terminal is plain. */
#ifndef FUZZ_ROW_PROMISES_H
#define FUZZ_ROW_PROMISES_H

#include "term/buffer.h"
#include "term/cells.h"
#include "term/theme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct row_state {
    bool attributes[10]; /* 1 and 2 are ended by 22, 3 by 23, … */
    bool colour, link;
};

static inline _Noreturn void broken(const char *what, struct rf_str row)
{
    fprintf(stderr, "a row %s: \"%.*s\"\n", what, RF_FMT(row));
    abort();
}

/* The numbers of one sequence; false: we write none such. */
static inline bool take_numbers(struct row_state *s, const int *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        int n = numbers[i];
        if (n == 38 && i + 2 < count && numbers[i + 1] == 5) {
            s->colour = true;
            i += 2;
        } else if ((n >= 30 && n <= 37) || (n >= 90 && n <= 97))
            s->colour = true;
        else if (n == 39)
            s->colour = false;
        else if (n >= 1 && n <= 9)
            s->attributes[n] = true;
        else if (n >= 22 && n <= 29)
            s->attributes[n - 20] = s->attributes[n == 22 ? 1 : n - 20] = false;
        else
            return false;
    }
    return count > 0;
}

static inline size_t take_style(struct row_state *s, struct rf_str rest)
{
    int numbers[8] = { 0 }, count = 1;
    size_t n = 2;
    for (; n < rest.n && rest.p[n] != 'm'; n++) {
        if (rest.p[n] == ';' && count < 8)
            count++;
        else if (rest.p[n] >= '0' && rest.p[n] <= '9' && numbers[count - 1] < 1000)
            numbers[count - 1] = numbers[count - 1] * 10 + (rest.p[n] - '0');
        else
            return 0;
    }
    return n < rest.n && take_numbers(s, numbers, count) ? n + 1 : 0;
}

static inline size_t take_link(struct row_state *s, struct rf_str rest)
{
    const char *end = memmem(rest.p, rest.n, "\033\\", 2);
    if (rest.n < 7 || memcmp(rest.p, "\033]8;;", 5) != 0 || !end)
        return 0;
    struct rf_str url = { rest.p + 5, (size_t)(end - rest.p) - 5 };
    bool is_web = (url.n > 7 && strncasecmp(url.p, "http://", 7) == 0) ||
                  (url.n > 8 && strncasecmp(url.p, "https://", 8) == 0);
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] <= ' ' || url.p[i] > '~')
            return 0;
    if (url.n ? !is_web || s->link : !s->link)
        return 0;
    s->link = url.n > 0;
    return url.n + 7;
}

static inline void promise_row(struct rf_str row, int columns, const struct rf_theme *theme)
{
    static const struct row_state ended;
    struct row_state s = { 0 };
    struct rf_buffer text = { 0 }, clean = { 0 };
    for (size_t i = 0, n; i < row.n; i += n) {
        struct rf_str rest = { row.p + i, row.n - i };
        n = 1;
        if (row.p[i] != '\033')
            rf_buffer_add(&text, row.p + i, 1);
        else if (theme->plain)
            broken("has an escape sequence where there may be none", row);
        else if (!(n = rest.n > 2 && rest.p[1] == '[' ? take_style(&s, rest) : take_link(&s, rest)))
            broken("has an escape sequence that is not ours", row);
    }
    if (memcmp(&s, &ended, sizeof s) != 0)
        broken("does not end what it began", row);
    rf_cells_clean(&clean, rf_buffer_view(&text));
    if (clean.n != text.n || (text.n && memcmp(clean.p, text.p, text.n) != 0))
        broken("can steer a terminal", row);
    if (rf_cells(rf_buffer_view(&text)) > columns)
        broken("is too wide", row);
    rf_buffer_release(&text);
    rf_buffer_release(&clean);
}

#endif
