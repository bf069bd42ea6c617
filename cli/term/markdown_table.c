/* Tables. Rows are held until the table ends or there are MAX_ROWS of them; then the columns are
 * settled: as wide as their widest cell, and where that is too much the widest ones give way and
 * their cells wrap. Where nothing readable would be left of them, each row becomes a list of
 * "header: value". A row that has more cells than the header keeps them in its last one.
 */
#include <limits.h>
#include <string.h>

#include "term/cells.h"
#include "term/markdown_inside.h"

#define MAX_ROWS 32
#define MAX_HELD 8192 /* bytes of them */
#define LEAST_CELLS 3 /* of a column */
#define LEAST_SHRUNK 8
#define GAP 3 /* " │ " */

/* The row without the bars at its ends. */
static struct rf_str inside_of(struct rf_str line)
{
    line = rf_md_trim(line);
    if (line.n && line.p[0] == '|')
        line = rf_md_from(line, 1);
    bool is_escaped = line.n > 1 && line.p[line.n - 2] == '\\';
    if (line.n && line.p[line.n - 1] == '|' && !is_escaped)
        line.n--;
    return line;
}

/* Cut the next cell off; false: there is none. */
static bool next_cell(struct rf_str *line, struct rf_str *cell)
{
    size_t n = 0;
    if (!line->p)
        return false;
    while (n < line->n && line->p[n] != '|')
        n += line->p[n] == '\\' && n + 1 < line->n ? 2 : 1;
    *cell = rf_md_trim((struct rf_str){ line->p, n });
    *line = n < line->n ? rf_md_from(*line, n + 1) : (struct rf_str){ NULL, 0 };
    return true;
}

int rf_md_table_columns(struct rf_str line)
{
    struct rf_str rest = inside_of(line), cell;
    int n = 0;
    while (n <= RF_MD_MAX_COLUMNS && next_cell(&rest, &cell))
        n++;
    return n;
}

/* ":--", ":-:", "--:" */
static bool read_align(struct rf_str cell, char *align)
{
    bool left = cell.n && cell.p[0] == ':', right = cell.n > 1 && cell.p[cell.n - 1] == ':';
    size_t from = left, to = cell.n - right;
    *align = left && right ? 'c' : right ? 'r' : 'l';
    if (from >= to)
        return false;
    for (; from < to; from++)
        if (cell.p[from] != '-')
            return false;
    return true;
}

bool rf_md_table_ruler(struct rf_str line, char align[RF_MD_MAX_COLUMNS], int *columns)
{
    struct rf_str rest = inside_of(line), cell;
    if (!memchr(line.p, '|', line.n))
        return false;
    for (*columns = 0; next_cell(&rest, &cell); ++*columns)
        if (*columns == RF_MD_MAX_COLUMNS || !read_align(cell, &align[*columns]))
            return false;
    return true;
}

void rf_md_table_begin(struct rf_md *d, struct rf_str header, struct rf_str ruler)
{
    struct rf_md_table *t = &d->table;
    rf_buffer_reset(&t->text);
    rf_buffer_reset(&t->header);
    rf_buffer_str(&t->header, header);
    t->rows = 0;
    t->is_settled = t->is_list = false;
    rf_md_table_ruler(ruler, t->align, &t->columns);
    d->text.n = d->last_line;
    if (d->text.n || d->is_flushed)
        rf_md_text_close(d);
    d->leaf = RF_MD_TABLE;
}

/* A cell as text: bars that were escaped are bars. */
static void read_cell(struct rf_md *d, struct rf_str cell, unsigned styles, struct rf_md_rows *out)
{
    struct rf_buffer text = { 0 };
    for (size_t i = 0; i < cell.n; i++)
        if (cell.p[i] != '\\' || i + 1 == cell.n || cell.p[i + 1] != '|')
            rf_buffer_add(&text, cell.p + i, 1);
    d->inliner->is_cell = true;
    rf_md_inline(d->inliner, rf_buffer_view(&text), styles, RF_MD_WHOLE, out);
    d->inliner->is_cell = false;
    rf_buffer_release(&text);
}

/* The cells of a row, one for each column; those that are missing are empty. */
static void split_row(const struct rf_md_table *t, struct rf_str line, struct rf_str *cells)
{
    struct rf_str rest = inside_of(line);
    for (int i = 0; i < t->columns; i++) {
        struct rf_str whole = rest;
        cells[i] = (struct rf_str){ "", 0 };
        if (next_cell(&rest, &cells[i]) && i + 1 == t->columns && rest.p)
            cells[i] = rf_md_trim(whole);
    }
}

static void note_width(void *ctx, struct rf_str row, int cells)
{
    int *widest = ctx;
    (void)row;
    if (cells > *widest)
        *widest = cells;
}

static void measure_row(struct rf_md *d, struct rf_str line, unsigned styles)
{
    struct rf_md_table *t = &d->table;
    struct rf_str cells[RF_MD_MAX_COLUMNS];
    struct rf_md_rows rows = { 0 };
    split_row(t, line, cells);
    for (int i = 0; i < t->columns; i++) {
        read_cell(d, cells[i], styles, &rows);
        rf_md_rows_finish(&rows, d->theme, 2 * RF_MD_MAX_TABLE_LINE, note_width, &t->widths[i]);
    }
    rf_md_rows_release(&rows);
}

/* Narrow the widest columns until they fit: to the greatest width that lets all of them. */
static void fit_columns(struct rf_md_table *t, int room)
{
    int level = room, sum = INT_MAX;
    while (sum > room && level >= LEAST_CELLS) {
        sum = 0;
        for (int i = 0; i < t->columns; i++)
            sum += t->widths[i] < level ? t->widths[i] : level;
        level -= sum > room;
    }
    if (sum > room)
        t->is_list = true;
    for (int i = 0; i < t->columns; i++)
        if (t->widths[i] > level) {
            t->is_list = t->is_list || level < LEAST_SHRUNK;
            t->widths[i] = level;
        }
}

static int room_of(const struct rf_md *d)
{
    return rf_md_width(d) - GAP * (d->table.columns - 1);
}

void rf_md_table_resize(struct rf_md *d)
{
    if (d->leaf == RF_MD_TABLE && d->table.is_settled)
        fit_columns(&d->table, room_of(d));
}

/* Runs `each` over the rows that are held. */
static void each_row(struct rf_md *d,
                     void (*each)(struct rf_md *d, struct rf_str line, unsigned styles))
{
    struct rf_str text = rf_buffer_view(&d->table.text);
    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = (size_t)(end - text.p);
        each(d, (struct rf_str){ text.p, n }, 0);
        text = rf_md_from(text, n + 1);
    }
}

/* The rows of one cell, with their cells. */
struct block {
    struct rf_buffer bytes, lines;
};
struct line {
    size_t from, n;
    int cells;
};

static void keep_line(void *ctx, struct rf_str row, int cells)
{
    struct block *b = ctx;
    struct line line = { b->bytes.n, row.n, cells };
    rf_buffer_str(&b->bytes, row);
    rf_buffer_add(&b->lines, &line, sizeof line);
}

static void add_gap(struct rf_md *d, struct rf_buffer *out, const char *bar)
{
    rf_theme_on(d->theme, RF_STYLE_DIM, out);
    rf_buffer_text(out, bar);
    rf_theme_off(d->theme, RF_STYLE_DIM, out);
}

/* One line of a cell at its place; `pad` are the spaces that it leaves after it. */
static size_t add_cell(const struct block *b, size_t i, char align, int width,
                       struct rf_buffer *out)
{
    struct line line = { 0 };
    if (i < b->lines.n / sizeof line)
        memcpy(&line, b->lines.p + i * sizeof line, sizeof line);
    size_t rest = line.cells < width ? (size_t)(width - line.cells) : 0;
    if (!line.n)
        return rest;
    size_t front = align == 'r' ? rest : align == 'c' ? rest / 2 : 0;
    rf_buffer_fill(out, ' ', front);
    rf_buffer_add(out, b->bytes.p + line.from, line.n);
    return rest - front;
}

static void write_lines(struct rf_md *d, const struct block *blocks, size_t height)
{
    const struct rf_md_table *t = &d->table;
    struct rf_buffer out = { 0 };
    for (size_t y = 0; y < height; y++) {
        size_t pad = 0;
        rf_buffer_reset(&out);
        for (int i = 0; i < t->columns; i++) {
            rf_buffer_fill(&out, ' ', pad);
            if (i)
                add_gap(d, &out, d->theme->unicode ? " │ " : " | ");
            pad = add_cell(&blocks[i], y, t->align[i], t->widths[i], &out);
        }
        rf_md_row(d, rf_buffer_view(&out), 0);
    }
    rf_buffer_release(&out);
}

static void write_grid_row(struct rf_md *d, struct rf_str line, unsigned styles)
{
    const struct rf_md_table *t = &d->table;
    struct rf_str cells[RF_MD_MAX_COLUMNS];
    struct block blocks[RF_MD_MAX_COLUMNS] = { 0 };
    struct rf_md_rows rows = { 0 };
    size_t height = 1;

    split_row(t, line, cells);
    for (int i = 0; i < t->columns; i++) {
        read_cell(d, cells[i], styles, &rows);
        rf_md_rows_finish(&rows, d->theme, t->widths[i], keep_line, &blocks[i]);
        size_t lines = blocks[i].lines.n / sizeof(struct line);
        height = lines > height ? lines : height;
    }
    write_lines(d, blocks, height);
    for (int i = 0; i < t->columns; i++) {
        rf_buffer_release(&blocks[i].bytes);
        rf_buffer_release(&blocks[i].lines);
    }
    rf_md_rows_release(&rows);
}

/* "header: value", and an empty row between two of the table. */
static void write_list_row(struct rf_md *d, struct rf_str line, unsigned styles)
{
    struct rf_md_table *t = &d->table;
    struct rf_str names[RF_MD_MAX_COLUMNS], cells[RF_MD_MAX_COLUMNS];
    struct rf_md_rows rows = { 0 };
    split_row(t, rf_buffer_view(&t->header), names);
    split_row(t, line, cells);
    if (t->is_settled && t->rows++)
        rf_md_row(d, RF_LIT(""), 0);
    for (int i = 0; i < t->columns; i++) {
        read_cell(d, names[i], styles | RF_MD_STYLE(STRONG), &rows);
        rf_md_rows_add(&rows, RF_LIT(": "), styles | RF_MD_STYLE(STRONG), RF_LIT(""));
        read_cell(d, cells[i], styles, &rows);
        rf_md_rows_finish(&rows, d->theme, rf_md_width(d), rf_md_row, d);
    }
    rf_md_rows_release(&rows);
}

static void write_row(struct rf_md *d, struct rf_str line, unsigned styles)
{
    if (d->table.is_list)
        write_list_row(d, line, styles);
    else
        write_grid_row(d, line, styles);
}

static void write_ruler(struct rf_md *d)
{
    const struct rf_md_table *t = &d->table;
    struct rf_buffer out = { 0 };
    rf_theme_on(d->theme, RF_STYLE_DIM, &out);
    for (int i = 0; i < t->columns; i++) {
        if (i)
            rf_buffer_text(&out, d->theme->unicode ? "─┼─" : "-+-");
        for (int n = 0; n < t->widths[i]; n++)
            rf_buffer_text(&out, d->theme->unicode ? "─" : "-");
    }
    rf_theme_off(d->theme, RF_STYLE_DIM, &out);
    rf_md_row(d, rf_buffer_view(&out), 0);
    rf_buffer_release(&out);
}

static void settle(struct rf_md *d)
{
    struct rf_md_table *t = &d->table;
    struct rf_str header = rf_buffer_view(&t->header);

    for (int i = 0; i < t->columns; i++)
        t->widths[i] = LEAST_CELLS;
    measure_row(d, header, RF_MD_STYLE(STRONG));
    each_row(d, measure_row);
    fit_columns(t, room_of(d));
    t->is_settled = true;
    bool is_bare = t->is_list && t->rows == 0; /* a header alone is a row then */
    t->rows = 0;
    if (!t->is_list) {
        write_grid_row(d, header, RF_MD_STYLE(STRONG));
        write_ruler(d);
    } else if (is_bare)
        write_list_row(d, RF_LIT(""), 0);
    each_row(d, write_row);
    rf_buffer_reset(&t->text);
}

void rf_md_table_row(struct rf_md *d, struct rf_str line)
{
    struct rf_md_table *t = &d->table;
    if (t->is_settled) {
        write_row(d, line, 0);
        return;
    }
    rf_buffer_str(&t->text, line);
    rf_buffer_add(&t->text, "\n", 1);
    if (++t->rows == MAX_ROWS || t->text.n > MAX_HELD)
        settle(d);
}

void rf_md_table_close(struct rf_md *d)
{
    if (!d->table.is_settled)
        settle(d);
    d->leaf = RF_MD_NONE;
}
