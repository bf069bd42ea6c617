/* The inline screen, on a small strict terminal: whatever is committed and drawn, the screen shows all that was committed
 * and below it the region, and nothing else; sequences that the region has no business writing fail the test. */
#include "term/region.h"

#include <string.h>
#include <sys/mman.h>

#include "term/cells.h"

#include "../testing.h"

#define MOST_LINES 4000
#define WIDEST 400

/* Lines from the first that was ever written; the screen is the last `rows` of them. */
struct screen {
    char lines[MOST_LINES][WIDEST];
    int count, columns, rows;
    int line, column; /* of the cursor, `line` among all lines */
    bool wraps, shows, styled, linked, frame;
};

struct stage {
    struct rf_tty tty;
    struct rf_region region;
    struct screen *screen;
    size_t written; /* bytes, by the last frame */
};

static int top(const struct screen *s)
{
    return s->count > s->rows ? s->count - s->rows : 0;
}

static void down(struct screen *s)
{
    s->line++;
    if (s->line < s->count)
        return;
    assert_true(s->count < MOST_LINES);
    memset(s->lines[s->count], ' ', WIDEST);
    s->count++;
}

static void put(struct screen *s, struct rf_str step, int cells)
{
    assert_false(s->wraps); /* rows are drawn without wrapping */
    if (s->column + cells > s->columns)
        s->column = s->columns - cells;
    memset(s->lines[s->line] + s->column,
           cells == 2    ? 'W'
           : step.n == 1 ? step.p[0]
                         : 'u',
           (size_t)cells);
    s->column += cells;
}

static void erase(struct screen *s, int line, int column)
{
    memset(s->lines[line] + column, ' ', (size_t)(WIDEST - column));
}

static void mode(struct screen *s, int number, bool on)
{
    if (number == 7)
        s->wraps = on;
    else if (number == 25)
        s->shows = on;
    else if (number == 2026)
        s->frame = on;
    else
        fail_msg("mode %d", number);
}

static void control(struct screen *s, bool private, const char *numbers, int number, char final)
{
    int n = number ? number : 1;
    if (private && (final == 'h' || final == 'l'))
        mode(s, number, final == 'h');
    else if (private)
        fail_msg("CSI ? %d %c", number, final);
    else if (final == 'A')
        s->line = s->line - n < top(s) ? top(s) : s->line - n;
    else if (
        final ==
        'B') /* to the bottom of the screen, lines or not: below what is written nobody has to go */
        assert_true((s->line += n) < s->count);
    else if (final == 'C')
        s->column = s->column + n >= s->columns ? s->columns - 1 : s->column + n;
    else if (final == 'K' && !number)
        erase(s, s->line, s->column);
    else if (final == 'J' && !number) {
        erase(s, s->line, s->column);
        s->count = s->line + 1;
    } else if (final == 'm')
        s->styled = strcmp(numbers, "0") != 0;
    else
        fail_msg("CSI %d %c", number, final);
}

static size_t csi(struct screen *s, const char *p, size_t n)
{
    char numbers[32] = "";
    size_t at = 2, digits = 0;
    bool private = at < n && p[at] == '?';
    at += private;
    while (at < n && digits + 1 < sizeof numbers && strchr("0123456789;", p[at]))
        numbers[digits++] = p[at++];
    assert_true(at < n);
    control(s, private, numbers, (int)strtol(numbers, NULL, 10), p[at]);
    return at + 1;
}

static size_t link_of(struct screen *s, const char *p, size_t n)
{
    const char *end = memmem(p, n, "\033\\", 2);
    assert_non_null(end);
    assert_memory_equal(p, "\033]8;;", 5);
    s->linked = end - p > 5;
    return (size_t)(end - p) + 2;
}

static size_t take(struct screen *s, const char *p, size_t n)
{
    if (p[0] == '\r')
        s->column = 0;
    else if (p[0] == '\n')
        down(s);
    else if (p[0] == '\033' && n > 1 && p[1] == '[')
        return csi(s, p, n);
    else if (p[0] == '\033')
        return link_of(s, p, n);
    else {
        int cells;
        assert_true((unsigned char)p[0] >= ' ' && p[0] != 127);
        size_t step = rf_cells_step((struct rf_str){ p, n }, &cells);
        put(s, (struct rf_str){ p, step }, cells);
        return step;
    }
    return 1;
}

/* What was written since the last time; the terminal is at rest afterwards. */
static void see(struct stage *t)
{
    off_t n = lseek(t->tty.out, 0, SEEK_END);
    t->written = (size_t)n;
    char *bytes = malloc((size_t)n + 1);
    assert_non_null(bytes);
    assert_int_equal(pread(t->tty.out, bytes, (size_t)n, 0), n);
    for (size_t at = 0; at < (size_t)n;)
        at += take(t->screen, bytes + at, (size_t)n - at);
    free(bytes);
    assert_int_equal(ftruncate(t->tty.out, 0), 0);
    lseek(t->tty.out, 0, SEEK_SET);
    struct screen *s = t->screen;
    assert_true(s->wraps && s->shows && !s->styled && !s->linked && !s->frame);
}

static void open_stage(struct stage *t, int columns, int rows)
{
    *t = (struct stage){ .tty = { .in = -1, .columns = columns, .rows = rows } };
    t->tty.out = memfd_create("screen", MFD_CLOEXEC);
    assert_true(t->tty.out >= 0);
    t->screen = calloc(1, sizeof *t->screen);
    assert_non_null(t->screen);
    *t->screen = (struct screen){
        .columns = columns, .rows = rows, .wraps = true, .shows = true, .line = -1
    };
    down(t->screen);
    rf_region_init(&t->region, &t->tty);
}

static void close_stage(struct stage *t)
{
    rf_region_release(&t->region);
    close(t->tty.out);
    free(t->screen);
}

static void line_is(const struct stage *t, int line, const char *want)
{
    const char *got = t->screen->lines[line];
    int n = t->screen->columns;
    while (n && got[n - 1] == ' ')
        n--;
    if ((size_t)n != strlen(want) || memcmp(got, want, (size_t)n) != 0)
        fail_msg("line %d is \"%.*s\", not \"%s\"", line, n, got, want);
}

static struct rf_str text(const char *s)
{
    return (struct rf_str){ s, strlen(s) };
}

/* The rows of a region, in one string with bars between them. */
static void draw(struct stage *t, const char *rows, int row, int cell)
{
    rf_region_begin(&t->region);
    while (rows) {
        size_t n = strcspn(rows, "|");
        rf_region_row(&t->region, (struct rf_str){ rows, n });
        rows = rows[n] ? rows + n + 1 : NULL;
    }
    rf_region_cursor(&t->region, row, cell);
    rf_region_flush(&t->region);
    see(t);
}

static const struct frame {
    const char *name;
    const char *first, *commit, *second; /* a region, what is then committed, the next region */
    const char *want;                    /* all lines in the end */
} frames[] = {
    { "a region", "a|b", NULL, "a|b", "a|b" },
    { "it grows", "a", NULL, "a|b|c", "a|b|c" },
    { "it shrinks", "a|b|c", NULL, "a", "a" },
    { "a row becomes shorter", "aaaa|b", NULL, "a|b", "a|b" },
    { "a row goes", "a|b|c", NULL, "a|c", "a|c" },
    { "one is committed", "a|b", "X", "a|b", "X|a|b" },
    { "as many as it has", "a|b", "X|Y", "a|b", "X|Y|a|b" },
    { "more than it has", "a|b", "X|Y|Z", "a|b", "X|Y|Z|a|b" },
    { "an empty one", "a|b", "X||Y", "c", "X||Y|c" },
    { "shorter than what stood there", "aaaa|bbbb", "X", "c", "X|c" },
    { "a full row", "0123456789|b", "9876543210", "0123456789|b", "9876543210|0123456789|b" },
    { "a row that is too long", "0123456789abc|b", "abcdefghijklmn", "x", "abcdefghij|x" },
    { "a wide one that does not fit", "012345678\u65e5|b", NULL, "abcdefghi\u65e5\u65e5|b",
      "abcdefghi|b" },
    { "half a cell stays empty", "0123456789|b", NULL, "abcdefghi\u65e5|b", "abcdefghi|b" },
    { "wide ones", "\u65e5\u672c|b", "\u65e5x", "y", "WWx|y" },
    { "styles", "\033[1mab\033[22m|b", "\033[31mX\033[39m", "\033[1mcd\033[22m", "X|cd" },
    { "a style after the cut", "\033[1m0123456789abc\033[22mdef", NULL,
      "x\033[1m0123456789\033[22m", "x012345678" },
    { "a style that nobody ends", "\033[1mab", "\033[4mX", "\033[31mcd", "X|cd" },
    { "a link", "\033]8;;http://a.example/\033\\ab\033]8;;\033\\", NULL, "c", "c" },
    { "a link that nobody ends", "\033]8;;http://a.example/\033\\ab", NULL, "c", "c" },
    { "other sequences", "\033[2Jab|\033]0;x\a|\033cd", "a\rb\nc\bd", "\033[?1049hx",
      "a?b?c?d|?[?1049hx" },
    { "an escape at the end", "ab\033", NULL, "ab\033[", "ab?[" },
    { "nothing is left", "a|b|c", "X", "", "X" },
};

static void framed(void **state)
{
    const struct frame *row = *state;
    struct stage t;
    open_stage(&t, 10, 5);
    draw(&t, row->first, 0, 0);
    char *commits = row->commit ? strdup(row->commit) : NULL;
    for (char *rest = commits, *one; (one = strsep(&rest, "|"));)
        rf_region_commit(&t.region, text(one));
    free(commits);
    draw(&t, row->second, 0, 0);
    int line = 0;
    char *wants = strdup(row->want);
    for (char *rest = wants, *one; (one = strsep(&rest, "|")); line++)
        line_is(&t, line, one);
    free(wants);
    for (; line < t.screen->count; line++)
        line_is(&t, line, "");
    close_stage(&t);
}

static void the_cursor_is_where_it_should_be(void **state)
{
    (void)state;
    static const int places[][4] = {
        /* asked for, and got */
        { 0, 0, 0, 0 },  { 1, 3, 1, 3 },  { 2, 9, 2, 9 },
        { 2, 99, 2, 9 }, { 99, 0, 2, 0 }, { -1, -1, 0, 0 },
    };
    struct stage t;
    open_stage(&t, 10, 5);
    for (size_t i = 0; i < COUNT(places); i++) {
        draw(&t, "one|two|three", places[i][0], places[i][1]);
        assert_int_equal(t.screen->line, places[i][2]);
        assert_int_equal(t.screen->column, places[i][3]);
    }
    close_stage(&t);
}

static void what_is_the_same_is_not_written(void **state)
{
    (void)state;
    struct stage t;
    open_stage(&t, 80, 24);
    draw(&t, "a row that is long enough to count|another such row, as long as that|x", 2, 1);
    draw(&t, "a row that is long enough to count|another such row, as long as that|x", 2, 1);
    assert_int_equal(t.written, 0);
    draw(&t, "a row that is long enough to count|another such row, as long as that|xy", 2, 2);
    assert_true(t.written > 0 && t.written < 60);
    rf_region_commit(&t.region, text("done"));
    draw(&t, "another such row, as long as that|x", 1, 1);
    assert_true(t.written <
                70); /* the row that goes up over the first leaves the second where it is */
    line_is(&t, 0, "done");
    line_is(&t, 1, "another such row, as long as that");
    line_is(&t, 2, "x");
    close_stage(&t);
}

static void higher_than_the_screen(void **state)
{
    (void)state;
    struct stage t;
    open_stage(&t, 10, 3);
    rf_region_commit(&t.region, text("X"));
    draw(&t, "a|b|c|d|e", 4, 1);
    line_is(&t, t.screen->count - 3, "c");
    line_is(&t, t.screen->count - 1, "e");
    assert_int_equal(t.screen->line, t.screen->count - 1);
    line_is(&t, 0, "X");
    rf_region_commit(&t.region, text("Y"));
    draw(&t, "f", 0, 0);
    line_is(&t, 0, "X");
    line_is(&t, 1, "Y");
    line_is(&t, 2, "f");
    close_stage(&t);
}

/* Of thousands of rows, those at the bottom are drawn: that is where the prompt stands. */
static void higher_than_any_screen(void **state)
{
    struct stage t;
    (void)state;
    open_stage(&t, 10, 4);
    rf_region_begin(&t.region);
    for (int i = 0; i < 5000; i++)
        rf_region_row(&t.region, RF_LIT("above"));
    rf_region_row(&t.region, RF_LIT("> typed"));
    rf_region_cursor(&t.region, 5000, 7);
    rf_region_row(&t.region, RF_LIT("status"));
    rf_region_flush(&t.region);
    see(&t);
    line_is(&t, 1, "above");
    line_is(&t, 2, "> typed");
    line_is(&t, 3, "status");
    assert_int_equal(t.screen->line, 2);
    assert_int_equal(t.screen->column, 7);
    close_stage(&t);
}

static void a_picture(void **state)
{
    (void)state;
    struct stage t;
    open_stage(&t, 10, 6);
    draw(&t, "aaa|bbb|ccc", 2, 0);
    rf_region_commit(&t.region, text("X"));
    rf_region_commit_picture(&t.region, text("PICTURE\r"), 3);
    rf_region_commit(&t.region, text("[Image]"));
    rf_region_commit_picture(&t.region, text("TOO HIGH\r"), 6);
    rf_region_commit_picture(&t.region, text("NO ROWS\r"), 0);
    draw(&t, "d|e", 1, 0);
    static const char *const want[] = { "X", "PICTURE", "", "", "[Image]", "d", "e" };
    for (size_t i = 0; i < COUNT(want); i++)
        line_is(&t, (int)i, want[i]);
    assert_int_equal(t.screen->count, COUNT(want));
    close_stage(&t);
}

static void cleared_and_forgotten(void **state)
{
    (void)state;
    struct stage t;
    open_stage(&t, 10, 5);
    draw(&t, "a|b", 1, 1);
    rf_region_commit(&t.region, text("X"));
    rf_region_clear(&t.region);
    see(&t);
    line_is(&t, 0, "X");
    line_is(&t, 1, "");
    assert_int_equal(t.screen->line, 1);
    assert_int_equal(t.screen->column, 0);
    assert_int_equal(t.screen->count, 2);
    memcpy(t.screen->lines[1], "other", 5); /* somebody else's, who then went to the next line */
    down(t.screen);
    rf_region_forget(&t.region);
    draw(&t, "c|d", 0, 0);
    line_is(&t, 1, "other");
    line_is(&t, 2, "c");
    line_is(&t, 3, "d");
    close_stage(&t);
}

/* More than is kept goes out by itself, and nothing is lost. */
static void many_rows_at_once(void **state)
{
    (void)state;
    struct stage t;
    open_stage(&t, 200, 5);
    char row[200];
    draw(&t, "region|row", 1, 0);
    memset(row, 'x', sizeof row);
    for (int i = 0; i < 3000; i++) {
        snprintf(row, 12, "%08d", i);
        row[8] = ' ';
        rf_region_commit(&t.region, (struct rf_str){ row, 180 });
        assert_true(t.region.done.n < (1 << 18) + 1000);
    }
    draw(&t, "region|row", 1, 0);
    char want[16];
    for (int i = 0; i < 3000; i++) {
        snprintf(want, sizeof want, "%08d", i);
        assert_memory_equal(t.screen->lines[i], want, 8);
    }
    line_is(&t, 3000, "region");
    line_is(&t, 3001, "row");
    close_stage(&t);
}

static uint32_t next(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

/* Random rows, commits and cursors: all that was committed, then the region, then nothing. */
static void anything(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t seed = round;
        struct stage t;
        open_stage(&t, 12, 2 + (int)next(&seed, 8));
        int committed = 0;
        for (int step = 0; step < 60; step++) {
            char row[32], rows[12][32];
            for (uint32_t n = next(&seed, 4); n; n--) {
                snprintf(row, sizeof row, "done %d", committed++);
                rf_region_commit(&t.region, text(row));
            }
            int count = (int)next(&seed, (uint32_t)t.tty.rows + 3);
            rf_region_begin(&t.region);
            for (int i = 0; i < count; i++) {
                snprintf(rows[i], sizeof rows[i], "%.*s", (int)next(&seed, 13), "abcdefghijkl");
                rf_region_row(&t.region, text(rows[i]));
            }
            int row_wanted = count ? (int)next(&seed, (uint32_t)count) : 0,
                cell = (int)next(&seed, 12);
            rf_region_cursor(&t.region, row_wanted, cell);
            rf_region_flush(&t.region);
            see(&t);
            int first = count > t.tty.rows ? count - t.tty.rows : 0;
            for (int i = 0; i < committed; i++) {
                snprintf(row, sizeof row, "done %d", i);
                line_is(&t, i, row);
            }
            for (int i = first; i < count; i++)
                line_is(&t, committed + i - first, rows[i]);
            for (int i = committed + count - first; i < t.screen->count; i++)
                line_is(&t, i, "");
            assert_int_equal(t.screen->line,
                             committed + (row_wanted > first ? row_wanted - first : 0));
            assert_int_equal(t.screen->column, cell);
        }
        close_stage(&t);
    }
}

/* A terminal that cuts or keeps rows when its size changes: what was committed is still there, in order. */
static void resized(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t seed = round + 1000;
        struct stage t;
        open_stage(&t, 40, 8);
        int committed = 0;
        for (int step = 0; step < 30; step++) {
            char row[32];
            for (uint32_t n = next(&seed, 3); n; n--) {
                snprintf(row, sizeof row, "done %d", committed++);
                rf_region_commit(&t.region, text(row));
            }
            if (next(&seed, 3) == 0) {
                t.tty.columns = t.screen->columns = 10 + (int)next(&seed, 100);
                t.tty.rows = t.screen->rows = 3 + (int)next(&seed, 10);
                if (t.screen->column >= t.screen->columns)
                    t.screen->column = t.screen->columns - 1;
            }
            draw(&t, "some region|of|three rows", (int)next(&seed, 3), (int)next(&seed, 40));
        }
        int line = 0;
        for (int i = 0; i < committed; i++) {
            char want[32];
            int n = snprintf(want, sizeof want, "done %d", i);
            while (line < t.screen->count && memcmp(t.screen->lines[line], want, (size_t)n) != 0)
                line++;
            assert_true(line < t.screen->count);
        }
        close_stage(&t);
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(frames) + 9];
    size_t n = COUNT(frames);
    name_rows(tests, framed, frames, COUNT(frames), sizeof *frames);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(the_cursor_is_where_it_should_be);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(what_is_the_same_is_not_written);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(higher_than_the_screen);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(higher_than_any_screen);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_picture);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(cleared_and_forgotten);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(many_rows_at_once);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(anything);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(resized);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
