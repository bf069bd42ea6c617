#include "text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <refract/request.h>

#include "term/buffer.h"
#include "term/cells.h"

#define LEAST_COLUMNS 20
#define MOST_COLUMNS 120
#define USUAL_COLUMNS 80
#define LEAST_BESIDE 24 /* cells for what a thing is, beside its name */
#define BELOW 8         /* where that stands when there is no room beside it */
#define MOST_NAME 1000
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

/* Not strndup: s may end where its memory does, and sanitizers that are strict look for a NUL
 * there. */
char *rf_text_copy(struct rf_str s)
{
    char *text = malloc(s.n + 1);
    if (!text)
        abort();
    if (s.n)
        memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    return text;
}

static struct rf_str after(struct rf_str s, size_t n)
{
    return (struct rf_str){ s.p + n, s.n - n };
}

bool rf_text_is_address(struct rf_str s)
{
    bool web =
        (s.n > 8 && memcmp(s.p, "https://", 8) == 0) || (s.n > 7 && memcmp(s.p, "http://", 7) == 0);
    for (size_t i = 0; web && i < s.n; i++)
        web = s.p[i] > ' ' && s.p[i] < 0x7f;
    return web;
}

int rf_text_cells(struct rf_str s)
{
    return rf_cells(s);
}

static void print_clean(FILE *out, struct rf_str s)
{
    struct rf_buffer clean = { 0 };
    rf_cells_clean(&clean, s);
    fwrite(rf_buffer_view(&clean).p, 1, clean.n, out);
    rf_buffer_release(&clean);
}

int rf_print_cut(FILE *out, struct rf_str s, int cells)
{
    int used;
    size_t n = rf_cells_fit(s, cells, &used);
    if (n < s.n)
        n = rf_cells_fit(s, cells - 1, &used);
    print_clean(out, (struct rf_str){ s.p, n });
    if (n == s.n)
        return used;
    fputs("…", out);
    return used + 1;
}

static void print_line(FILE *out, struct rf_str line, int indent)
{
    fprintf(out, "%*s", line.n ? indent : 0, "");
    print_clean(out, line);
    fputc('\n', out);
}

/* Where a line that is too long ends: after its last word that fits, or in the middle of one. */
static size_t break_at(struct rf_str line, int width)
{
    size_t n = rf_cells_fit(line, width, NULL), first = 0;
    if (n == line.n)
        return n;
    while (first < line.n && line.p[first] == ' ')
        first++;
    for (size_t at = n; at > first; at--)
        if (line.p[at] == ' ')
            return at;
    int cells;
    return n ? n : rf_cells_step(line, &cells);
}

static struct rf_str next_line(struct rf_str *text)
{
    const char *end = memchr(text->p, '\n', text->n);
    struct rf_str line = { text->p, end ? (size_t)(end - text->p) : text->n };
    *text = after(*text, line.n + (end != NULL));
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
            line = after(line, n);
            while (line.n && line.p[0] == ' ')
                line = after(line, 1);
        } while (line.n);
    }
    size_t missing = count_lines(s);
    if (missing)
        fprintf(out, "%*s[%zu more line%s]\n", indent, "", missing, missing == 1 ? "" : "s");
}

void rf_print_beside(FILE *out, const char *name, struct rf_str text, int column, int width)
{
    struct rf_str shown = { name, strlen(name) };
    while (shown.n && shown.p[shown.n - 1] == ' ')
        shown.n--;
    int used = rf_print_cut(out, shown, MOST_NAME);
    if (width - column < LEAST_BESIDE) {
        fputc('\n', out);
        rf_print_wrapped(out, text, width < LEAST_BESIDE ? 2 : BELOW, width, 0);
        return;
    }
    /* The first row begins after the name, whose cells take the place of its spaces. */
    char *rows = NULL;
    size_t n = 0;
    FILE *wrapped = open_memstream(&rows, &n);
    if (!wrapped)
        abort();
    rf_print_wrapped(wrapped, text, column, width, 0);
    if (fclose(wrapped) != 0)
        abort();
    int skip = used < column ? used : column;
    fputs(n > (size_t)skip ? rows + skip : "\n", out);
    free(rows);
}

int rf_percent(int64_t used, int64_t window)
{
    return (int)((double)used * 100 / (double)window + 0.5);
}

const char *rf_number_text(int64_t n, char out[RF_SHORT_TEXT])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > (n < 0) && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
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

static bool is(struct rf_str s, const char *word)
{
    return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

char *rf_text_types(struct rf_str text)
{
    size_t size = 4 * text.n + 1; /* no name of a type is that much longer */
    char *words = malloc(size);
    if (!words)
        abort();
    rf_types_in_words(text, words, size);
    return words;
}

const char *rf_sent_words(struct rf_str delivery, struct rf_str form, struct rf_str as,
                          char out[RF_SENT_WORDS])
{
    bool fallback = is(delivery, rf_delivery_name(RF_DELIVERY_FALLBACK));
    bool sent = fallback || is(delivery, rf_delivery_name(RF_DELIVERY_NATIVE));
    const char *words = sent ? "sent" : rf_form_words(RF_FORM_NOTE);
    bool says_what = as.n && !is(form, rf_form_name(RF_FORM_NOTE));
    char type[RF_SENT_WORDS / 2];
    if (is(delivery, rf_delivery_name(RF_DELIVERY_TEXT)))
        words = rf_form_words(RF_FORM_TEXT);
    for (int f = RF_FORM_ORIGINAL; f <= RF_FORM_NOTE; f++)
        if (is(form, rf_form_name((enum rf_form)f)))
            words = rf_form_words((enum rf_form)f);
    snprintf(out, RF_SENT_WORDS, "%s%s%s%s", words, says_what ? " as " : "",
             says_what ? rf_types_in_words(as, type, sizeof type) : "",
             fallback ? ", after the results" : "");
    return out;
}
