#include "text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "report.h"

#define LEAST_COLUMNS 20
#define MOST_COLUMNS 120
#define USUAL_COLUMNS 80
#define TAB_CELLS 4
#define DAY_S 86400
#define DAYS_AS_AGE 30

int rf_text_columns(void)
{
    struct winsize size;
    const char *given = getenv("COLUMNS");
    long columns = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    else if (given)
        columns = strtol(given, NULL, 10);
    if (columns <= 0)
        columns = USUAL_COLUMNS;
    return columns < LEAST_COLUMNS  ? LEAST_COLUMNS
           : columns > MOST_COLUMNS ? MOST_COLUMNS
                                    : (int)columns;
}

/* Characters that take no cell or two: not all of Unicode's, but those that people write. */
static const struct {
    uint32_t first, last;
    int cells;
} widths[] = {
    { 0x0300, 0x036f, 0 },   { 0x1100, 0x115f, 2 },   { 0x200b, 0x200f, 0 },
    { 0x20d0, 0x20ff, 0 },   { 0x2e80, 0xa4cf, 2 },   { 0xac00, 0xd7a3, 2 },
    { 0xf900, 0xfaff, 2 },   { 0xfe00, 0xfe0f, 0 },   { 0xfe30, 0xfe6f, 2 },
    { 0xff00, 0xff60, 2 },   { 0xffe0, 0xffe6, 2 },   { 0x1f300, 0x1f64f, 2 },
    { 0x1f680, 0x1f6ff, 2 }, { 0x1f900, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
};

static int cells_of(uint32_t c)
{
    if (c < widths[0].first)
        return c == '\t' ? TAB_CELLS : 1;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (c >= widths[i].first && c <= widths[i].last)
            return widths[i].cells;
    return 1;
}

/* The character at the beginning: its bytes, and its cells. A byte that is none takes one. */
static size_t step(struct rf_str s, int *cells)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t n = rf_character(s);
    uint32_t c = p[0];
    if (n > 1) {
        c = p[0] & (0xffu >> (n + 1));
        for (size_t i = 1; i < n; i++)
            c = c << 6 | (p[i] & 0x3f);
    }
    *cells = n ? cells_of(c) : 1;
    return n ? n : 1;
}

static struct rf_str behind(struct rf_str s, size_t n)
{
    return (struct rf_str){ s.p + n, s.n - n };
}

int rf_text_cells(struct rf_str s)
{
    int all = 0, cells;
    for (; s.n; all += cells)
        s = behind(s, step(s, &cells));
    return all;
}

/* Bytes that fit into `width` cells. */
static size_t fitting(struct rf_str s, int width)
{
    size_t at = 0, n;
    int used = 0, cells;
    for (; at < s.n; at += n, used += cells) {
        n = step(behind(s, at), &cells);
        if (used + cells > width)
            break;
    }
    return at;
}

int rf_print_cut(FILE *out, struct rf_str s, int cells)
{
    size_t n = fitting(s, cells);
    if (n == s.n) {
        rf_print_text(out, s);
        return rf_text_cells(s);
    }
    struct rf_str kept = { s.p, fitting(s, cells - 1) };
    rf_print_text(out, kept);
    fputs("…", out);
    return rf_text_cells(kept) + 1;
}

static void print_line(FILE *out, struct rf_str line, int indent)
{
    fprintf(out, "%*s", line.n ? indent : 0, "");
    while (line.n) {
        const char *tab = memchr(line.p, '\t', line.n);
        size_t n = tab ? (size_t)(tab - line.p) : line.n;
        rf_print_text(out, (struct rf_str){ line.p, n });
        if (tab)
            fprintf(out, "%*s", TAB_CELLS, "");
        line = behind(line, tab ? n + 1 : n);
    }
    fputc('\n', out);
}

/* Where a line that is too long ends: behind its last word that fits, or in the middle of one. */
static size_t break_at(struct rf_str line, int width)
{
    size_t n = fitting(line, width), first = 0;
    if (n == line.n)
        return n;
    while (first < line.n && line.p[first] == ' ')
        first++;
    for (size_t at = n; at > first; at--)
        if (line.p[at] == ' ')
            return at;
    int cells;
    return n ? n : step(line, &cells);
}

static struct rf_str next_line(struct rf_str *text)
{
    const char *end = memchr(text->p, '\n', text->n);
    struct rf_str line = { text->p, end ? (size_t)(end - text->p) : text->n };
    *text = behind(*text, line.n + (end != NULL));
    while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' '))
        line.n--;
    return line;
}

static size_t count_lines(struct rf_str text)
{
    size_t lines = 0;
    for (; text.n; lines++)
        next_line(&text);
    return lines;
}

void rf_print_wrapped(FILE *out, struct rf_str s, int indent, int width, size_t most)
{
    size_t printed = 0;
    int room = width - indent > LEAST_COLUMNS / 2 ? width - indent : LEAST_COLUMNS / 2;
    while (s.n && (!most || printed < most)) {
        struct rf_str line = next_line(&s);
        do {
            size_t n = break_at(line, room);
            print_line(out, (struct rf_str){ line.p, n }, indent);
            printed++;
            line = behind(line, n);
            while (line.n && line.p[0] == ' ')
                line = behind(line, 1);
        } while (line.n);
    }
    size_t missing = count_lines(s);
    if (missing)
        fprintf(out, "%*s[%zu more line%s]\n", indent, "", missing, missing == 1 ? "" : "s");
}

const char *rf_size_text(int64_t bytes, char out[RF_SHORT_TEXT])
{
    static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };
    double size = (double)bytes;
    size_t unit = 0;
    while (size >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        size /= 1000;
        unit++;
    }
    snprintf(out, RF_SHORT_TEXT, unit && size < 9.95 ? "%.1f %s" : "%.0f %s", size, units[unit]);
    return out;
}

/* `ms` may be anything that a damaged store says. */
static void format_time(int64_t ms, const char *format, bool local, char out[RF_SHORT_TEXT])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;
    if (!(local ? localtime_r(&seconds, &parts) : gmtime_r(&seconds, &parts)) ||
        !strftime(out, RF_SHORT_TEXT, format, &parts))
        snprintf(out, RF_SHORT_TEXT, "?");
}

const char *rf_time_text(int64_t ms, char out[RF_SHORT_TEXT])
{
    format_time(ms, "%Y-%m-%d %H:%M", true, out);
    return out;
}

const char *rf_time_json(int64_t ms, char out[RF_SHORT_TEXT])
{
    char second[RF_SHORT_TEXT];
    format_time(ms, "%Y-%m-%dT%H:%M:%S", false, second);
    snprintf(out, RF_SHORT_TEXT, "%.24s.%03dZ", second, ms < 0 ? 0 : (int)(ms % 1000));
    return out;
}

const char *rf_age_text(int64_t ms, char out[RF_SHORT_TEXT])
{
    int64_t age = (int64_t)time(NULL) - ms / 1000;
    if (age < 60)
        snprintf(out, RF_SHORT_TEXT, "now");
    else if (age < 3600)
        snprintf(out, RF_SHORT_TEXT, "%d min", (int)(age / 60));
    else if (age < DAY_S)
        snprintf(out, RF_SHORT_TEXT, "%d h", (int)(age / 3600));
    else if (age < DAYS_AS_AGE * DAY_S)
        snprintf(out, RF_SHORT_TEXT, "%d day%s", (int)(age / DAY_S), age < 2 * DAY_S ? "" : "s");
    else
        format_time(ms, "%Y-%m-%d", true, out);
    return out;
}
