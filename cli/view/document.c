/* A page whose text is Markdown, as rows: headings, lists and tables as in a chat, and the pictures
 * of the document where they stand in it.
 *
 * The text of a row, without its style, is also what is searched; a row in which something is found
 * is shown as that text. A document names its pictures in its text, "[Image: chart.png]"; those
 * that it holds are drawn below, as high as their shape and a third of the screen allow (two thirds
 * for slides), and no more than MOST_PICTURES of a page. Pictures that a page only points at, on a
 * disk or in the net, are not fetched. */
#include "view/viewer.h"

#include <stdlib.h>
#include <string.h>

#include "term/cells.h"
#include "term/markdown.h"

#define MOST_COLUMNS 100 /* of text, but not of sheets: longer rows are hard to read */
#define MOST_PICTURES 30
#define MOST_HELD 200 /* pictures that are taken out of a document */
#define MOST_NAME 256

struct rendering {
    struct rf_viewer *viewer;
    char name[MOST_NAME]; /* of a picture whose words have begun and not ended; or empty */
};

/* Bytes of the escape sequence that `s` begins with; 0: none. */
static size_t sequence_length(struct rf_str s)
{
    size_t i = 2;
    if (s.n < 2 || s.p[0] != '\033')
        return 0;
    if (s.p[1] == '[')
        while (i < s.n && !(s.p[i] >= 0x40 && s.p[i] <= 0x7e))
            i++;
    else if (s.p[1] == ']') {
        while (i + 1 < s.n && !(s.p[i] == '\033' && s.p[i + 1] == '\\'))
            i++;
        i++;
    }
    return i < s.n ? i + 1 : s.n;
}

static void add_plain(struct rf_buffer *out, struct rf_str styled)
{
    while (styled.n) {
        size_t n = sequence_length(styled);
        if (!n) {
            n = 1;
            rf_buffer_add(out, styled.p, 1);
        }
        styled = (struct rf_str){ styled.p + n, styled.n - n };
    }
}

/* Pictures */

/* The pictures of the document, when the first of them is wanted: where it is a file, and not a
 * part of one or something that was kept. */
static void open_pictures(struct rf_viewer *v)
{
    struct rf_buffer part = { 0 };
    struct rf_err unseen;
    if (v->looked || strchr(v->path, '#') || rf_view_frame(v, 1).graphics == RF_GRAPHICS_NONE)
        return;
    v->looked = true;
    rf_buffer_print(&part, "%s#pictures=1-%d", v->path, MOST_HELD);
    rf_buffer_add(&part, "", 1);
    if (rf_preview_open(v->tools, part.p, &v->pictures, &unseen))
        v->pictures = NULL;
    rf_buffer_release(&part);
}

/* The number of the picture of that name in the document; its count: none. */
static size_t find_picture(struct rf_viewer *v, const char *name)
{
    open_pictures(v);
    size_t count = v->pictures ? rf_preview_count(v->pictures) : 0;
    for (size_t i = 0; i < count; i++) {
        struct rf_str s = rf_preview_page_name(v->pictures, i);
        if (s.n == strlen(name) && memcmp(s.p, name, s.n) == 0)
            return i;
    }
    return count;
}

/* What its pages are called. */
static bool is_called(const struct rf_viewer *v, const char *word)
{
    return strcmp(rf_preview_word(v->preview), word) == 0;
}

/* A slide is looked at for its picture, and has little text. */
static int most_rows(const struct rf_viewer *v)
{
    int height = rf_view_height(v);
    return is_called(v, "slide") ? height * 2 / 3 : height / 3;
}

/* Rows for it; none where it cannot be drawn. */
static void add_picture(struct rf_viewer *v, const char *name)
{
    size_t picture = find_picture(v, name);
    struct rf_preview_frame f = rf_view_frame(v, most_rows(v));
    struct rf_preview_drawing drawing = { .size = sizeof drawing };
    struct rf_err unseen;
    if (!v->pictures || picture == rf_preview_count(v->pictures) ||
        v->picture_count == MOST_PICTURES || f.graphics == RF_GRAPHICS_NONE || f.rows < 1 ||
        rf_preview_draw(v->pictures, picture, &f, &drawing, &unseen))
        return;
    v->picture_count++;
    for (int i = 0; i < drawing.rows; i++) {
        struct rf_view_row *row = rf_view_add_row(v);
        *row = (struct rf_view_row){ .begin = v->shown.n, .end = v->shown.n };
        row->picture = picture + 1;
        row->picture_row = i;
        row->picture_rows = drawing.rows;
    }
}

/* "[Image: chart.png, "words"]": its name, where one begins in this row. */
static void begin_picture(struct rendering *r, struct rf_str row)
{
    static const char words[] = "[Image: ";
    const char *at = memmem(row.n ? row.p : "", row.n, words, sizeof words - 1);
    size_t n = 0;
    if (!at)
        return;
    struct rf_str rest = { at + sizeof words - 1, 0 };
    rest.n = row.n - (size_t)(rest.p - row.p);
    while (n < rest.n && n + 1 < MOST_NAME && rest.p[n] != ']' && rest.p[n] != ',')
        n++;
    memcpy(r->name, rest.p, n);
    r->name[n] = '\0';
}

static void take_row(void *ctx, struct rf_str styled)
{
    struct rendering *r = ctx;
    struct rf_viewer *v = r->viewer;
    struct rf_view_row *row = rf_view_add_row(v);
    *row = (struct rf_view_row){ .begin = v->shown.n, .styled = v->styled.n };
    add_plain(&v->shown, styled);
    rf_buffer_str(&v->styled, styled);
    row->end = v->shown.n;
    row->styled_end = v->styled.n;
    struct rf_str plain = { v->shown.p + row->begin, row->end - row->begin };
    begin_picture(r, plain);
    rf_buffer_text(&v->shown, " "); /* so that words are found that a row ends between */
    if (r->name[0] && plain.n && memchr(plain.p, ']', plain.n)) {
        add_picture(v, r->name);
        r->name[0] = '\0';
    }
}

/* A document's lines are lines: where Markdown would run them together, a break is said. */
static void add_lines(struct rf_markdown *m, struct rf_str text)
{
    while (text.n) {
        const char *feed = memchr(text.p, '\n', text.n);
        size_t n = feed ? (size_t)(feed - text.p) : text.n;
        rf_markdown_add(m, (struct rf_str){ text.p, n });
        if (feed)
            rf_markdown_add(m, n ? RF_LIT("  \n") : RF_LIT("\n"));
        n += feed != NULL;
        text = (struct rf_str){ text.p + n, text.n - n };
    }
}

static bool is_of(const struct rf_viewer *v, const char *type)
{
    struct rf_str mime = rf_preview_mime(v->preview);
    return mime.n == strlen(type) && memcmp(mime.p, type, mime.n) == 0;
}

/* What is attached to a mail, which its text does not name as pictures. */
static void add_others(struct rendering *r)
{
    struct rf_viewer *v = r->viewer;
    if (!is_of(v, "message/rfc822"))
        return;
    open_pictures(v);
    for (size_t i = 0; v->pictures && i < rf_preview_count(v->pictures); i++) {
        struct rf_str name = rf_preview_page_name(v->pictures, i);
        bool placed = false;
        for (size_t k = 0; k < v->row_count; k++)
            placed |= v->rows[k].picture == i + 1;
        if (placed || !name.n || name.n >= MOST_NAME)
            continue;
        struct rf_buffer words = { 0 };
        rf_buffer_text(&words, "[Image: ");
        rf_cells_clean(&words, name);
        rf_buffer_text(&words, "]");
        take_row(r, RF_LIT(""));
        take_row(r, rf_buffer_view(&words));
        rf_buffer_release(&words);
    }
}

void rf_view_render(struct rf_viewer *v, struct rf_str text)
{
    struct rendering r = { .viewer = v };
    bool wide = is_called(v, "sheet") || v->tty->columns < MOST_COLUMNS;
    int columns = wide ? v->tty->columns : MOST_COLUMNS;
    struct rf_markdown *m = rf_markdown_new(&v->tty->theme, columns, take_row, &r);
    rf_buffer_reset(&v->shown);
    rf_buffer_reset(&v->styled);
    v->picture_count = 0;
    v->found = (size_t)-1;
    if (is_of(v, "text/markdown"))
        rf_markdown_add(m, text);
    else
        add_lines(m, text);
    rf_markdown_end(m);
    rf_markdown_free(m);
    add_others(&r);
    v->text = rf_buffer_view(&v->shown);
}

/* Of the pictures whose rows are on the screen, what can be seen of them. */
void rf_view_draw_pictures(struct rf_viewer *v)
{
    size_t height = (size_t)rf_view_height(v), n;
    for (size_t i = 0; i < height && v->top + i < v->row_count; i += n) {
        const struct rf_view_row *row = &v->rows[v->top + i];
        size_t left = height - i;
        n = row->picture ? (size_t)(row->picture_rows - row->picture_row) : 1;
        n = n < left ? n : left;
        if (!row->picture)
            continue;
        struct rf_preview_frame f = rf_view_frame(v, (int)n);
        f.width = 1000;
        f.top = row->picture_row * 1000 / row->picture_rows;
        f.height = (int)n * 1000 / row->picture_rows;
        rf_view_draw_piece(v, row->picture - 1, &f, (int)i);
    }
}
