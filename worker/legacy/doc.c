/* Word 6 to 2003: paragraphs, headings, lists, tables, links, notes.
 *
 * The text lies in the stream in pieces, of which a table of pieces knows the order and whether
 * they have 8 or 16 bits. After the body come, in one count of characters, the footnotes, headers,
 * comments, endnotes and text boxes. What a paragraph is stands in its properties, pages of 512
 * bytes that are found by where the paragraph's mark lies in the stream; of them only the style's
 * number, the list and the table are looked at. Headings are styles 1 to 9, as every version of
 * Word has them.
 *
 * An encrypted document says how in front of its table of contents; that, and the first bytes of
 * the stream, are as they were. */
#include "worker/legacy/legacy.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "worker/legacy/blips.h"
#include "worker/legacy/lock.h"
#include "worker/office/charset.h"
#include "worker/office/office.h"
#include "worker/office/prose.h"

#include <stdlib.h>

#define DRAWINGS 0x022a /* in the head: where the list of pictures lies in the table stream */
#define MAX_PIECES 1000000
#define MAX_RUNS 2000000
#define MAX_CHARACTERS ((size_t)64 << 20)
#define MAX_FIELDS 32 /* nested */
#define MAX_INSTRUCTION 2048
#define PAGE 512
#define LOCK_BLOCK 512 /* bytes that are encrypted with one key */
#define PLAIN_HEAD 68  /* bytes that are not encrypted */

enum { ENCRYPTED = 0x0100, TABLE_1 = 0x0200, MASKED = 0x8000 }; /* flags */
enum { WORD_6 = 0xa5dc, WORD_8 = 0xa5ec, FIRST_WORD_8 = 0x00c1 };
enum {
    CELL = 0x07,
    LINE = 0x0b,
    SECTION = 0x0c,
    PARAGRAPH = 0x0d,
    COLUMN = 0x0e,
    FIELD = 0x13,
    RESULT = 0x14,
    FIELD_END = 0x15,
    NOTE = 0x02,
    PICTURE = 0x01,
    DRAWING = 0x08
};

struct piece {
    uint32_t first, end; /* characters */
    uint64_t at;         /* where they lie in the stream */
    bool wide;
};

/* The properties of the paragraphs whose text lies in [from, end) of the stream. */
struct run {
    uint32_t from, end;
    uint16_t style;
    bool in_table, row_end, listed;
    uint8_t level;
};

struct doc {
    struct rf_arena *arena;
    struct rf_str stream, table;
    bool old; /* Word 6 and 95 */
    struct piece *pieces;
    size_t piece_n, piece_cap;
    struct run *runs;
    size_t run_n, run_cap;
    uint32_t counts[7]; /* characters: body, notes, headers, macros, comments, endnotes, boxes */
};

/* A paragraph in the making. */
struct writer {
    struct doc *d;
    struct rf_prose *p;
    bool table, row_due, cell_due;
    unsigned fields, hidden; /* nested; how many of them are in their instruction */
    bool result[MAX_FIELDS];
    struct rf_buf instruction, text;
    bool linked;
    unsigned notes;
    const char *label; /* before each paragraph of an appendix */
};

/* The pieces. */

static void add_piece(struct doc *d, uint32_t first, uint32_t end, uint32_t at)
{
    if (end <= first || d->piece_n == MAX_PIECES ||
        (d->piece_n && first < d->pieces[d->piece_n - 1].end)) /* they stand in order */
        return;
    bool wide = !d->old && !(at & 0x40000000u);
    *RF_PUSH(d->arena, d->pieces, d->piece_n, d->piece_cap) = (struct piece){
        .first = first,
        .end = end,
        .at = d->old || wide ? at : (at & ~0x40000000u) / 2,
        .wide = wide,
    };
}

static void take_pieces(struct doc *d, struct rf_str list)
{
    size_t n = list.n >= 4 ? (list.n - 4) / 12 : 0;

    for (size_t i = 0; i < n; i++)
        add_piece(d, rf_at32(list, 4 * i), rf_at32(list, 4 * i + 4),
                  rf_at32(list, 4 * (n + 1) + 8 * i + 2));
}

/* The list of pieces comes after any number of property lists. */
static void read_pieces(struct doc *d)
{
    size_t place = d->old ? 0x160 : 0x1a2;
    struct rf_str clx = rf_at(d->old ? d->stream : d->table, rf_at32(d->stream, place),
                              rf_at32(d->stream, place + 4));

    for (size_t at = 0; at < clx.n && clx.p[at] == 1;) {
        at += 3 + (size_t)rf_at16(clx, at + 1);
        if (at < clx.n && clx.p[at] == 2)
            clx = rf_at(clx, at, clx.n);
    }
    if (clx.n > 5 && clx.p[0] == 2)
        take_pieces(d, rf_at(clx, 5, rf_at32(clx, 1)));
    if (!d->piece_n) { /* saved as a whole: one piece, from where the text starts */
        uint32_t from = rf_at32(d->stream, 0x18), to = rf_at32(d->stream, 0x1c);
        bool was_old = d->old;
        d->old = true;
        add_piece(d, 0, to > from ? to - from : 0, from);
        d->old = was_old;
    }
}

/* The properties of paragraphs. */

static void take_properties(struct doc *d, struct rf_str list, struct run *run)
{
    static const struct {
        uint16_t id, old;
    } ids[] = { { 0x2416, 24 }, { 0x2417, 25 }, { 0x260a, 0 }, { 0x460b, 0 } };
    static const unsigned char sizes[8] = { 1, 1, 2, 4, 2, 2, 0, 3 };

    if (d->old) /* shorter numbers without sizes in them: only the first is sure */
        return;
    for (size_t at = 0; at + 3 <= list.n;) {
        uint32_t id = rf_at16(list, at);
        size_t size = sizes[id >> 13];
        unsigned char value = (unsigned char)list.p[at + 2];
        if (id == ids[0].id)
            run->in_table = value != 0;
        else if (id == ids[1].id)
            run->row_end = value != 0;
        else if (id == ids[2].id)
            run->level = value < 9 ? value : 0;
        else if (id == ids[3].id)
            run->listed = rf_at16(list, at + 2) != 0 && rf_at16(list, at + 2) != 0xf801;
        if (size == 0)
            size = id == 0xd608 ? (size_t)rf_at16(list, at + 2) + 1 : (size_t)value + 1;
        at += 2 + size;
    }
}

/* A page: the places of n + 1 boundaries, n entries of which the first byte leads to the
 * properties. */
static void take_page(struct doc *d, struct rf_str page)
{
    size_t n = page.n == PAGE ? (unsigned char)page.p[PAGE - 1] : 0;
    size_t entry = d->old ? 7 : 13;

    for (size_t i = 0; i < n && 4 * (n + 1) + entry * i < PAGE && d->run_n < MAX_RUNS; i++) {
        size_t at = 2 * (size_t)(unsigned char)page.p[4 * (n + 1) + entry * i];
        struct run run = { .from = rf_at32(page, 4 * i), .end = rf_at32(page, 4 * i + 4) };
        if (at && at + 4 < PAGE) {
            size_t size = 2 * (size_t)(unsigned char)page.p[at];
            at++;
            if (size == 0)
                size = 2 * (size_t)(unsigned char)page.p[at++];
            else
                size -= !d->old || size > 0;
            run.style = (uint16_t)(d->old ? (unsigned char)page.p[at] : rf_at16(page, at));
            take_properties(d, size > 2 ? rf_at(page, at + 2, size - 2) : RF_STR(""), &run);
        }
        *RF_PUSH(d->arena, d->runs, d->run_n, d->run_cap) = run;
    }
}

static int compare_runs(const void *a, const void *b)
{
    const struct run *first = a, *second = b;

    return (first->from > second->from) - (first->from < second->from);
}

static void read_runs(struct doc *d)
{
    size_t place = d->old ? 0xc0 : 0x102, width = d->old ? 2 : 4;
    struct rf_str list = rf_at(d->old ? d->stream : d->table, rf_at32(d->stream, place),
                               rf_at32(d->stream, place + 4));
    size_t n = list.n >= 4 ? (list.n - 4) / (4 + width) : 0;

    for (size_t i = 0; i < n; i++) {
        size_t at = 4 * (n + 1) + width * i;
        uint64_t page = d->old ? rf_at16(list, at) : rf_at32(list, at) & 0x3fffff;
        take_page(d, rf_at(d->stream, (size_t)page * PAGE, PAGE));
    }
    if (d->run_n)
        qsort(d->runs, d->run_n, sizeof *d->runs, compare_runs);
}

static struct run run_at(const struct doc *d, uint64_t place)
{
    size_t low = 0, high = d->run_n;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (d->runs[middle].from <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low && place < d->runs[low - 1].end ? d->runs[low - 1] : (struct run){ 0 };
}

/* Writing. */

static void enter_cell(struct writer *w)
{
    if (!w->table) {
        rf_prose_table(w->p);
        w->table = w->row_due = true;
    }
    if (w->row_due)
        rf_prose_row(w->p);
    if (w->row_due || w->cell_due)
        rf_prose_cell(w->p);
    w->row_due = w->cell_due = false;
}

static void leave_table(struct writer *w)
{
    if (w->table)
        rf_prose_table_end(w->p);
    w->table = false;
}

static void write_text(struct writer *w)
{
    if (w->label && w->text.n)
        rf_prose_text(w->p, rf_str(w->label));
    rf_prose_exact(w->p, (struct rf_str){ w->text.n ? w->text.p : "", w->text.n });
    w->text.n = 0;
}

/* The paragraph's mark is at `place`: now it is known what it was. */
static void end_paragraph(struct writer *w, uint64_t place, uint32_t mark)
{
    struct run run = run_at(w->d, place);
    bool in_table = (run.in_table || mark == CELL) && !w->label;

    if (in_table && (run.row_end || (mark == CELL && w->d->old && w->cell_due && !w->text.n))) {
        w->text.n = 0;
        w->row_due = true;
        return;
    }
    if (in_table)
        enter_cell(w);
    else
        leave_table(w);
    if (w->text.n && run.style >= 1 && run.style <= 9 && !w->label)
        rf_prose_heading(w->p, run.style);
    else if (w->text.n && run.listed && !w->label)
        rf_prose_item(w->p, run.level, 0);
    write_text(w);
    rf_prose_plain(w->p);
    w->cell_due = w->cell_due || (in_table && mark == CELL);
}

/* HYPERLINK "address" … */
static struct rf_str instructed(struct writer *w)
{
    struct rf_str s = rf_str_trim((struct rf_str){ w->instruction.p, w->instruction.n }), url;

    if (!w->instruction.n || !rf_str_starts(s, "HYPERLINK"))
        return RF_STR("");
    s = (struct rf_str){ s.p + 9, s.n - 9 };
    if (!rf_str_split(&s, '"', &url) || !rf_str_blank(url) || !rf_str_split(&s, '"', &url))
        return RF_STR("");
    return rf_str_trim(url);
}

/* Fields are begin, instruction, separator, result, end. Only results are shown, links as links. */
static void take_field(struct writer *w, uint32_t c)
{
    if (c == FIELD) {
        if (w->fields < MAX_FIELDS)
            w->result[w->fields] = false;
        w->fields++;
        w->hidden++;
        w->instruction.n = 0;
        return;
    }
    if (!w->fields)
        return;
    bool *result = w->fields <= MAX_FIELDS ? &w->result[w->fields - 1] : NULL;
    if (c == RESULT) {
        struct rf_str url = instructed(w);
        if (result && !*result && w->hidden) {
            *result = true;
            w->hidden--;
        }
        if (url.n && !w->linked && !w->hidden) {
            rf_buf_addc(&w->text, '[');
            w->linked = true;
            return;
        }
        w->instruction.n = w->linked ? w->instruction.n : 0;
        return;
    }
    if (!(result && *result) && w->hidden)
        w->hidden--;
    w->fields--;
    if (w->linked && !w->hidden && !w->fields) {
        struct rf_str url = instructed(w);
        rf_buf_addf(&w->text, "](%.*s)", (int)url.n, url.p);
        w->linked = false;
    }
}

static void put(struct writer *w, uint32_t c)
{
    char out[4];
    struct rf_buf *to = w->hidden ? &w->instruction : &w->text;

    if (c < 0x20 && c != '\t' && c != '\n')
        return;
    rf_buf_add(to, (struct rf_str){ out, rf_utf8_put(c, out) });
}

static void take_character(struct writer *w, uint32_t c, uint64_t place)
{
    if (c == FIELD || c == RESULT || c == FIELD_END)
        take_field(w, c);
    else if (c == PARAGRAPH || c == CELL || c == SECTION || c == COLUMN)
        end_paragraph(w, place, c);
    else if (c == LINE)
        put(w, '\n');
    else if (c == NOTE && !w->label && !w->hidden)
        rf_buf_addf(&w->text, "[^%u]", ++w->notes);
    else if ((c == PICTURE || c == DRAWING) && !w->hidden)
        rf_buf_add(&w->text, RF_STR("[Image]"));
    else if (c == 0x1e)
        put(w, 0x2011);
    else
        put(w, c);
}

/* The characters [first, end) of the count that runs through all pieces. */
static void write_range(struct writer *w, uint32_t first, uint32_t end)
{
    const struct doc *d = w->d;
    uint32_t high = 0;

    for (size_t i = 0; i < d->piece_n && !rf_markup_over(&w->p->md); i++) {
        const struct piece *piece = &d->pieces[i];
        uint32_t from = piece->first > first ? piece->first : first;
        uint32_t to = piece->end < end ? piece->end : end;
        for (uint32_t k = from; k < to; k++) {
            uint64_t at = piece->at + (uint64_t)(k - piece->first) * (piece->wide ? 2 : 1);
            if (at + (piece->wide ? 2 : 1) > d->stream.n)
                return;
            uint32_t c =
                piece->wide ? rf_at16(d->stream, (size_t)at) : (unsigned char)d->stream.p[at];
            if (!piece->wide && c >= 0x80 && c < 0xa0)
                c = rf_charset_latin(c);
            if (c >= 0xd800 && c < 0xdc00) {
                high = c;
                continue;
            }
            if (c >= 0xdc00 && c < 0xe000)
                c = high ? 0x10000 + ((high - 0xd800) << 10) + (c - 0xdc00) : 0xfffd;
            high = 0;
            take_character(w, c, at);
        }
    }
}

/* A part after the body, each paragraph with a label. */
static void write_appendix(struct writer *w, int which, const char *label)
{
    uint64_t first = 0;

    for (int i = 0; i < which; i++)
        first += w->d->counts[i];
    uint64_t end = first + w->d->counts[which];
    if (!w->d->counts[which] || end > UINT32_MAX || w->d->counts[which] > MAX_CHARACTERS)
        return;
    leave_table(w);
    w->fields = w->hidden = 0;
    w->linked = false;
    w->text.n = 0;
    w->label = label;
    write_range(w, (uint32_t)first, (uint32_t)end);
    write_text(w);
    rf_prose_plain(w->p);
}

static void write_document(struct doc *d, struct rf_prose *p)
{
    struct writer *w = RF_NEW(d->arena, struct writer);
    uint32_t body = d->counts[0] < MAX_CHARACTERS ? d->counts[0] : MAX_CHARACTERS;

    *w = (struct writer){ .d = d, .p = p };
    rf_buf_init(&w->instruction, d->arena, MAX_INSTRUCTION);
    rf_buf_init(&w->text, d->arena, RF_MARKUP_MAX_PARAGRAPH);
    write_range(w, 0, body);
    write_text(w);
    rf_prose_plain(p);
    write_appendix(w, 1, "Footnote: ");
    write_appendix(w, 5, "Endnote: ");
    write_appendix(w, 4, "Comment: ");
    write_appendix(w, 6, "");
    write_appendix(w, 2, "Header or footer: ");
    leave_table(w);
}

static void read_counts(struct doc *d)
{
    size_t place = d->old ? 0x34 : 0x4c;

    for (size_t i = 0; i < 7; i++)
        d->counts[i] = rf_at32(d->stream, place + 4 * i);
}

static enum rf_code unlock(struct doc *d, struct rf_str password, struct rf_err *err)
{
    struct rf_str info = rf_at(d->table, 0, rf_at32(d->stream, 14));
    struct rf_rc4_lock lock;

    if (d->old || (rf_at16(d->stream, 10) & MASKED))
        return rf_locked(RF_LOCK_FOREIGN, err);
    enum rf_code rc = rf_lock_open(&lock, info, password, d->arena, err);
    if (rc)
        return rc;
    char *stream = rf_lock_decrypt(&lock, d->stream, LOCK_BLOCK, d->arena);
    memcpy(stream, d->stream.p, PLAIN_HEAD);
    d->stream.p = stream;
    d->table.p = rf_lock_decrypt(&lock, d->table, LOCK_BLOCK, d->arena);
    rf_lock_close(&lock);
    return RF_OK;
}

/* What of Word this is, and its table of contents. False after rf_answer_fail. */
static bool open_document(struct doc *d, const struct rf_ask *ask, struct rf_compound *c,
                          struct rf_answer *to)
{
    struct rf_err err;

    if (!rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, "WordDocument"), &d->stream) ||
        d->stream.n < 0x100) {
        rf_answer_fail(to, RF_EFORMAT, "", "the document is cut off");
        return false;
    }
    uint32_t magic = rf_at16(d->stream, 0), flags = rf_at16(d->stream, 10);
    if (magic != WORD_6 && magic != WORD_8) {
        rf_answer_fail(to, RF_EFORMAT, "", "the document is damaged: it does not begin as one");
        return false;
    }
    d->old = magic == WORD_6 || rf_at16(d->stream, 2) < FIRST_WORD_8;
    const char *table = flags & TABLE_1 ? "1Table" : "0Table";
    if (!d->old && !rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, table), &d->table)) {
        rf_answer_note(to, "the document is damaged: its table of contents is missing");
        d->table = RF_STR("");
    }
    if ((flags & ENCRYPTED) && unlock(d, rf_ask_str(ask, "password"), &err)) {
        rf_office_fail(to, &err);
        return false;
    }
    return true;
}

/* Of an encrypted document they stay closed. */
static void add_pictures(const struct doc *d, struct rf_compound *c, struct rf_figures *to)
{
    struct rf_str data;

    if (d->old || (rf_at16(d->stream, 10) & ENCRYPTED))
        return;
    if (rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, "Data"), &data))
        rf_blips_add_inline(to, data);
    struct rf_str drawings =
        rf_at(d->table, rf_at32(d->stream, DRAWINGS), rf_at32(d->stream, DRAWINGS + 4));
    rf_blips_add(to, drawings, d->stream);
}

void rf_legacy_doc(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to)
{
    struct doc d = { .arena = ask->arena };
    struct rf_office_range range;
    struct rf_prose p;

    if (!open_document(&d, ask, c, to))
        return;
    read_counts(&d);
    read_pieces(&d);
    read_runs(&d);
    rf_answer_fact(to, "pages", "1");
    if (!rf_office_range(ask, 1, &range, to) || range.first == range.end)
        return;
    rf_prose_begin(&p, rf_figures_new(ask, to), 1, RF_STR(""));
    write_document(&d, &p);
    rf_prose_end(&p);
    rf_answer_fact(to, "tables", "%lld", (long long)p.md.tables);
    add_pictures(&d, c, p.md.pictures);
    rf_figures_end(p.md.pictures);
}
