/* A stack of frames: the document at the bottom, above it the cell or the box that is being
 * filled. Each frame has its paragraph in the making and, where it holds a table, the row in the
 * making. A cell's text is escaped when the outermost row takes it, so that a table in a cell is
 * not escaped twice. */
#include "worker/office/markdown.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "worker/office/office.h"

#include <stdarg.h>
#include <stdio.h>

#define SEND_AT ((size_t)48 << 10)
#define MAX_URL 2048
#define MAX_INDENT 8
#define MAX_HEADING 6

enum frame_kind { DOCUMENT, CELL, BOX };

struct rf_markup_frame {
    enum frame_kind kind;
    struct rf_buf text;   /* the paragraph in the making */
    struct rf_buf blocks; /* of a cell or a box: what is done */
    struct rf_buf row;    /* of the table in this frame */
    struct rf_buf boxes;  /* to come after the paragraph */
    unsigned tables;      /* open ones: those without a cell between them count as one */
    int64_t columns, header_columns, rows;
    size_t link; /* where the open link's text starts */
    bool begun, after_item, in_link, in_row;
};

static void clear(struct rf_buf *b)
{
    b->n = 0;
    b->full = false;
}

static struct rf_str view(const struct rf_buf *b)
{
    return (struct rf_str){ b->p ? b->p : "", b->n };
}

static struct rf_markup_frame *top(const struct rf_markup *m)
{
    return m->frames[m->depth];
}

static void reset_frame(struct rf_markup_frame *f, enum frame_kind kind)
{
    f->kind = kind;
    clear(&f->text);
    clear(&f->blocks);
    clear(&f->row);
    clear(&f->boxes);
    f->tables = 0;
    f->columns = f->header_columns = f->rows = 0;
    f->link = 0;
    f->begun = f->after_item = f->in_link = f->in_row = false;
}

static struct rf_markup_frame *frame_at(struct rf_markup *m, unsigned depth, enum frame_kind kind)
{
    if (!m->frames[depth]) {
        struct rf_markup_frame *f = RF_NEW(m->arena, struct rf_markup_frame);
        rf_buf_init(&f->text, m->arena, RF_MARKUP_MAX_PARAGRAPH);
        rf_buf_init(&f->blocks, m->arena, RF_MARKUP_MAX_PARAGRAPH);
        rf_buf_init(&f->row, m->arena, RF_MARKUP_MAX_PARAGRAPH);
        rf_buf_init(&f->boxes, m->arena, RF_MARKUP_MAX_PARAGRAPH);
        m->frames[depth] = f;
    }
    reset_frame(m->frames[depth], kind);
    return m->frames[depth];
}

void rf_markup_init(struct rf_markup *m, struct rf_figures *pictures)
{
    *m = (struct rf_markup){
        .arena = pictures->ask->arena,
        .to = pictures->to,
        .pictures = pictures,
        .left = rf_office_max_text(pictures->ask),
    };
    rf_buf_init(&m->out, m->arena, RF_MARKUP_MAX_PARAGRAPH * 2);
    frame_at(m, 0, DOCUMENT);
}

bool rf_markup_over(const struct rf_markup *m)
{
    return m->cut || m->overflow || rf_answer_over(m->to);
}

bool rf_markup_begun(const struct rf_markup *m)
{
    return m->frames[0]->begun;
}

static void send(struct rf_markup *m)
{
    struct rf_str all = m->pictures->only ? RF_STR("") : view(&m->out);
    if (all.n && m->goes_on)
        rf_answer_part(m->to, "kind=text\ngoes_on=1\n");
    m->goes_on = m->goes_on && !all.n;
    if ((int64_t)all.n > m->left) {
        all = rf_utf8_cut(all, (size_t)m->left);
        m->cut = true;
    }
    m->left -= (int64_t)all.n;
    while (all.n) {
        struct rf_str piece = rf_utf8_cut(all, SEND_AT);
        if (!piece.n)
            piece = all; /* no whole character in so many bytes: not UTF-8, let it be replaced */
        rf_answer_text(m->to, piece);
        all = (struct rf_str){ all.p + piece.n, all.n - piece.n };
    }
    clear(&m->out);
}

/* A block at the bottom is done: the pictures that stand in it follow. */
static void send_pictures(struct rf_markup *m)
{
    if (m->depth || !rf_figures_wait(m->pictures))
        return;
    send(m);
    if (m->cut)
        rf_figures_drop(m->pictures);
    m->goes_on |= rf_figures_send(m->pictures);
}

/* Where the done text of a frame goes. */
static struct rf_buf *done_of(struct rf_markup *m, struct rf_markup_frame *f)
{
    return f->kind == DOCUMENT ? &m->out : &f->blocks;
}

void rf_markup_keep(struct rf_markup *m, struct rf_buf *b, struct rf_str text)
{
    size_t room = b->full ? 0 : b->max - b->n;

    if (text.n > room) {
        m->overflow = true;
        text = rf_utf8_cut(text, room);
    }
    rf_buf_add(b, text);
}

static void add(struct rf_markup *m, struct rf_markup_frame *f, struct rf_str s)
{
    if (m->cut)
        return;
    rf_markup_keep(m, done_of(m, f), s);
    if (f->kind == DOCUMENT && m->out.n >= SEND_AT)
        send(m);
}

/* Begin a block: the space between it and the one before. */
static void separate(struct rf_markup *m, struct rf_markup_frame *f, bool item)
{
    if (f->begun)
        add(m, f, f->kind == CELL || (item && f->after_item) ? RF_STR("\n") : RF_STR("\n\n"));
    f->begun = true;
    f->after_item = item;
}

static void add_prefix(struct rf_markup *m, struct rf_markup_frame *f, struct rf_markup_style style)
{
    static const char spaces[] = "                ", hashes[] = "######";
    size_t level = style.level > 0 ? (size_t)style.level : 0;

    if (style.kind == RF_MARKUP_HEADING && f->kind != CELL) {
        size_t n = level < 1 ? 1 : level > MAX_HEADING ? MAX_HEADING : level;
        add(m, f, (struct rf_str){ hashes, n });
        add(m, f, RF_STR(" "));
    } else if (style.kind == RF_MARKUP_ITEM) {
        if (f->kind != CELL)
            add(m, f, (struct rf_str){ spaces, 2 * (level > MAX_INDENT ? MAX_INDENT : level) });
        if (!style.label.n)
            style.label = RF_STR("-");
    }
    if (style.label.n) {
        add(m, f, style.label);
        add(m, f, RF_STR(" "));
    }
}

/* A heading has one line; what follows a line break in an item belongs to it either way. */
static void add_lines(struct rf_markup *m, struct rf_markup_frame *f, struct rf_str text,
                      bool one_line)
{
    struct rf_str line;
    bool first = true;
    if (!one_line) {
        add(m, f, text);
        return;
    }
    while (rf_str_split(&text, '\n', &line)) {
        line = rf_str_trim(line);
        if (line.n && !first)
            add(m, f, RF_STR(" "));
        add(m, f, line);
        first = first && !line.n;
    }
}

/* Without the white space around it; a no-break space is white space here. */
static struct rf_str trim(struct rf_str s)
{
    const char no_break[] = "\xc2\xa0";
    for (size_t n = s.n + 1; n != s.n;) {
        n = s.n;
        s = rf_str_trim(s);
        if (rf_str_ends(s, no_break))
            s.n -= 2;
        if (rf_str_starts(s, no_break))
            s = (struct rf_str){ s.p + 2, s.n - 2 };
    }
    return s;
}

void rf_markup_paragraph(struct rf_markup *m, struct rf_markup_style style)
{
    struct rf_markup_frame *f = top(m);
    struct rf_str text = trim(view(&f->text));

    f->in_link = false;
    if (text.n) {
        separate(m, f, style.kind == RF_MARKUP_ITEM);
        add_prefix(m, f, style);
        add_lines(m, f, text, style.kind == RF_MARKUP_HEADING);
    }
    clear(&f->text);
    if (f->boxes.n) {
        separate(m, f, false);
        add(m, f, view(&f->boxes));
        clear(&f->boxes);
    }
    send_pictures(m);
}

void rf_markup_text(struct rf_markup *m, struct rf_str text)
{
    rf_markup_keep(m, &top(m)->text, text);
}

bool rf_markup_has_text(const struct rf_markup *m)
{
    return !rf_str_blank(view(&top(m)->text));
}

void rf_markup_line(struct rf_markup *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    rf_markup_text(m, rf_strfv(m->arena, fmt, ap));
    va_end(ap);
    rf_markup_paragraph(m, (struct rf_markup_style){ 0 });
}

void rf_markup_link(struct rf_markup *m)
{
    struct rf_markup_frame *f = top(m);
    f->in_link = true;
    f->link = f->text.n;
}

static bool is_shown_url(struct rf_str url, struct rf_str text)
{
    if (!url.n || url.n > MAX_URL || rf_str_eq(url, text))
        return false;
    for (size_t i = 0; i < url.n; i++)
        if ((unsigned char)url.p[i] <= ' ')
            return false;
    return true;
}

void rf_markup_link_end(struct rf_markup *m, struct rf_str url)
{
    struct rf_markup_frame *f = top(m);
    if (!f->in_link || f->link >= f->text.n)
        return;
    f->in_link = false;
    struct rf_str text = { f->text.p + f->link, f->text.n - f->link };
    if (rf_str_blank(text) || !is_shown_url(url, rf_str_trim(text)))
        return;
    rf_buf_addc(&f->text, ' '); /* room for the bracket */
    if (f->text.full)
        return;
    memmove(f->text.p + f->link + 1, f->text.p + f->link, text.n);
    f->text.p[f->link] = '[';
    rf_buf_add(&f->text, RF_STR("]("));
    rf_buf_add(&f->text, url);
    rf_buf_addc(&f->text, ')');
}

static bool push(struct rf_markup *m, enum frame_kind kind)
{
    if (m->too_deep || m->depth == RF_MARKUP_MAX_DEPTH) {
        m->too_deep++;
        return false;
    }
    frame_at(m, ++m->depth, kind);
    return true;
}

/* Close the frame in use if it is of this kind; NULL where it is not. Its memory stays readable
 * until the next frame is opened. */
static struct rf_markup_frame *pop(struct rf_markup *m, enum frame_kind kind)
{
    if (m->too_deep) {
        m->too_deep--;
        rf_markup_text(m, RF_STR(" "));
        return NULL;
    }
    if (!m->depth || top(m)->kind != kind)
        return NULL;
    rf_markup_paragraph(m, (struct rf_markup_style){ 0 });
    struct rf_markup_frame *f = top(m);
    m->depth--;
    return f;
}

void rf_markup_table(struct rf_markup *m)
{
    struct rf_markup_frame *f = top(m);
    if (m->too_deep || f->tables++)
        return;
    rf_markup_paragraph(m, (struct rf_markup_style){ 0 });
    f->rows = f->header_columns = 0;
    if (f->kind != CELL)
        m->tables++;
}

void rf_markup_table_end(struct rf_markup *m)
{
    struct rf_markup_frame *f = top(m);
    if (m->too_deep || !f->tables)
        return;
    if (f->in_row)
        rf_markup_row_end(m);
    f->tables--;
}

void rf_markup_row(struct rf_markup *m)
{
    struct rf_markup_frame *f = top(m);
    if (m->too_deep || !f->tables)
        return;
    if (f->in_row)
        rf_markup_row_end(m);
    f->in_row = true;
    f->columns = 0;
    clear(&f->row);
}

static void add_header_line(struct rf_markup *m, struct rf_markup_frame *f)
{
    add(m, f, RF_STR("\n|"));
    for (int64_t i = 0; i < f->columns; i++)
        add(m, f, RF_STR(" --- |"));
}

void rf_markup_row_end(struct rf_markup *m)
{
    struct rf_markup_frame *f = top(m);
    if (m->too_deep || !f->in_row)
        return;
    f->in_row = false;
    if (!f->columns)
        return;
    if (f->kind == CELL) {
        struct rf_str row = rf_str_trim(view(&f->row));
        if (row.n) {
            separate(m, f, false);
            add(m, f, row);
        }
        return;
    }
    if (f->rows++ == 0) {
        separate(m, f, false);
        f->header_columns = f->columns;
    } else {
        add(m, f, RF_STR("\n"));
    }
    while (f->columns < f->header_columns) {
        rf_buf_add(&f->row, RF_STR("|  "));
        f->columns++;
    }
    add(m, f, view(&f->row));
    add(m, f, RF_STR("|"));
    if (f->rows == 1)
        add_header_line(m, f);
    send_pictures(m);
}

/* As it may stand between two bars. */
static void add_escaped(struct rf_markup *m, struct rf_buf *row, struct rf_str text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '\n' && text.p[i] != '|')
            continue;
        rf_markup_keep(m, row, (struct rf_str){ text.p + from, i - from });
        rf_buf_add(row, text.p[i] == '|' ? RF_STR("\\|") : RF_STR("<br>"));
        from = i + 1;
    }
    rf_markup_keep(m, row, (struct rf_str){ text.p + from, text.n - from });
}

static void add_cell(struct rf_markup *m, struct rf_str text)
{
    struct rf_markup_frame *f = top(m);
    if (!f->in_row || f->columns >= RF_MARKUP_MAX_COLUMNS)
        return;
    f->columns++;
    if (f->kind == CELL) {
        if (text.n && f->row.n)
            rf_buf_add(&f->row, RF_STR(" / "));
        rf_markup_keep(m, &f->row, text);
        return;
    }
    rf_buf_add(&f->row, RF_STR("| "));
    add_escaped(m, &f->row, text);
    rf_buf_add(&f->row, RF_STR(" "));
}

void rf_markup_cell(struct rf_markup *m)
{
    push(m, CELL);
}

void rf_markup_cell_end(struct rf_markup *m)
{
    struct rf_markup_frame *cell = pop(m, CELL);
    if (cell)
        add_cell(m, rf_str_trim(view(&cell->blocks)));
}

void rf_markup_cell_skip(struct rf_markup *m, int64_t count)
{
    if (count > RF_MARKUP_MAX_SPAN)
        count = RF_MARKUP_MAX_SPAN;
    for (; count > 0 && !m->too_deep; count--)
        add_cell(m, RF_STR(""));
}

void rf_markup_box(struct rf_markup *m)
{
    push(m, BOX);
}

void rf_markup_box_end(struct rf_markup *m)
{
    struct rf_markup_frame *box = pop(m, BOX);
    if (!box || !box->blocks.n)
        return;
    if (top(m)->boxes.n)
        rf_buf_add(&top(m)->boxes, RF_STR("\n\n"));
    rf_markup_keep(m, &top(m)->boxes, view(&box->blocks));
}

struct rf_str rf_markup_box_take(struct rf_markup *m)
{
    struct rf_markup_frame *box = pop(m, BOX);
    return box ? view(&box->blocks) : RF_STR("");
}

void rf_markup_finish(struct rf_markup *m)
{
    m->too_deep = 0;
    while (m->depth) {
        if (top(m)->kind == CELL)
            rf_markup_cell_end(m);
        else
            rf_markup_box_end(m);
    }
    if (top(m)->tables)
        top(m)->tables = 1;
    rf_markup_table_end(m);
    rf_markup_paragraph(m, (struct rf_markup_style){ 0 });
    if (top(m)->begun && (m->out.n || !m->goes_on))
        rf_buf_addc(&m->out, '\n');
    send(m);
    m->cut |= m->overflow;
    if (m->cut && !m->cut_said)
        rf_answer_note(m->to, "the text is longer than the limit and was cut");
    m->cut_said = m->cut;
    m->pictures->cut |= m->cut;
    m->goes_on = false;
    frame_at(m, 0, DOCUMENT);
}
