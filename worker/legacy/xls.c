/* Excel 2 to 2003: each sheet as a table of what its cells show.
 *
 * The stream is records of a number, a length and a body. The workbook's own come first: names and
 * places of the sheets, the shared strings, the number formats and which of them each cell style
 * uses. Then the sheets, whose records are the cells. Formulas are shown by the value that was
 * stored with them. Strings that do not fit a record go on in the next, where their width may
 * change: `strings` reads over such seams.
 *
 * Excel 2 to 4 wrote one sheet and no workbook. In an encrypted book the heads of the records, and
 * the bodies of some, are as they were. */
#include "worker/legacy/legacy.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "worker/legacy/blips.h"
#include "worker/legacy/lock.h"
#include "worker/office/charset.h"
#include "worker/office/markdown.h"
#include "worker/office/numfmt.h"
#include "worker/office/office.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_SHEETS 1000
#define MAX_CELLS 2000000 /* of one sheet; further ones are left out with a note */
#define MAX_STRINGS 2000000
#define MAX_STYLES 65536
#define MAX_FORMATS 5000
#define MAX_STRING ((size_t)256 << 10) /* bytes of one */
#define LOCK_BLOCK 1024                /* bytes that are encrypted with one key */
/* What Excel encrypts with where the structure of a book is protected and no password is set. */
#define USUAL_PASSWORD "VelvetSweatshop"

enum {
    INTEGER_2 = 0x0002,
    NUMBER_2 = 0x0003,
    LABEL_2 = 0x0004,
    BOOLERR_2 = 0x0005,
    FORMULA = 0x0006,
    STRING_2 = 0x0007,
    BOF_2 = 0x0009,
    END = 0x000a,
    DATEMODE = 0x0022,
    FILEPASS = 0x002f,
    CONTINUE = 0x003c,
    CODEPAGE = 0x0042,
    FORMAT_2 = 0x001e,
    BOUNDSHEET = 0x0085,
    INTERFACE = 0x00e1,
    REVISION_HEAD = 0x0138,
    EXCLUSIVE = 0x0194,
    FILE_LOCK = 0x0195,
    REVISION_INFO = 0x0196,
    MULRK = 0x00bd,
    RSTRING = 0x00d6,
    XF = 0x00e0,
    SST = 0x00fc,
    LABELSST = 0x00fd,
    NUMBER = 0x0203,
    LABEL = 0x0204,
    BOOLERR = 0x0205,
    FORMULA_3 = 0x0206,
    STRING = 0x0207,
    BOF_3 = 0x0209,
    XF_3 = 0x0243,
    RK = 0x027e,
    FORMULA_4 = 0x0406,
    BOF_4 = 0x0409,
    FORMAT = 0x041e,
    XF_4 = 0x0443,
    DRAWING_GROUP = 0x00eb,
    BOF = 0x0809,
};

struct record {
    uint32_t id;
    struct rf_str body;
};

struct sheet {
    size_t at;
    struct rf_str name;
    bool hidden, cells; /* cells: it is a worksheet, not a chart or a macro */
};

struct cell {
    uint32_t row, column;
    struct rf_str text;
};

struct format {
    uint32_t id;
    struct rf_str code;
};

struct xls {
    struct rf_arena *arena;
    struct rf_str book;
    int version; /* 2, 3, 4, 5 or 8 */
    int page;    /* of 8-bit strings */
    bool dates_1904;
    struct sheet *sheets;
    size_t sheet_n, sheet_cap;
    struct rf_str *strings;
    size_t string_n, string_cap;
    uint16_t *styles; /* the format of each */
    size_t style_n, style_cap;
    struct format *formats;
    size_t format_n, format_cap;
    const struct rf_numfmt **parsed; /* by style */
    /* the sheet that is read */
    struct cell *cells;
    size_t cell_n, cell_cap;
    bool left_out;
};

/* The record at `*at`, which moves past it. */
static bool next_record(struct rf_str book, size_t *at, struct record *r)
{
    if (*at + 4 > book.n)
        return false;
    r->id = rf_at16(book, *at);
    r->body = rf_at(book, *at + 4, rf_at16(book, *at + 2));
    *at += 4 + r->body.n;
    return true;
}

/* 8-bit strings of Excel 97 are the low halves of UTF-16, which is Latin-1. */
static struct rf_str latin(struct xls *x, struct rf_str s)
{
    char *out = rf_arena_alloc(x->arena, s.n * 2 + 1);
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++)
        n += rf_utf8_put((unsigned char)s.p[i], out + n);
    return (struct rf_str){ out, n };
}

/* `count` characters at `at`: in Excel 97 after a byte that says whether they have 8 or 16
 * bits. */
static struct rf_str string_at(struct xls *x, struct rf_str s, size_t at, size_t count)
{
    if (x->version < 8)
        return rf_codepage_utf8(x->arena, x->page, rf_at(s, at, count));
    bool wide = at < s.n && (s.p[at] & 1);
    return wide ? rf_utf16le_utf8(x->arena, rf_at(s, at + 1, count * 2))
                : latin(x, rf_at(s, at + 1, count));
}

/* The shared strings: a cursor over a record and those that continue it. */
struct seam {
    struct rf_str book, part; /* part: what is left of the record */
    size_t next;              /* the record after it */
};

static bool cross(struct seam *s)
{
    struct record r;
    size_t at = s->next;

    if (!next_record(s->book, &at, &r) || r.id != CONTINUE)
        return false;
    s->next = at;
    s->part = r.body;
    return true;
}

static bool take(struct seam *s, size_t n, uint32_t *value)
{
    unsigned char b[4] = { 0 };

    for (size_t i = 0; i < n; i++) {
        while (!s->part.n)
            if (!cross(s))
                return false;
        b[i] = (unsigned char)s->part.p[0];
        s->part = rf_at(s->part, 1, s->part.n);
    }
    *value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return true;
}

static bool pass(struct seam *s, uint64_t n)
{
    while (n) {
        size_t step = n < s->part.n ? (size_t)n : s->part.n;
        s->part = rf_at(s->part, step, s->part.n);
        n -= step;
        if (n && !cross(s))
            return false;
    }
    return true;
}

/* Characters, 8 or 16 bits each; a part that continues them begins with their width. */
static bool take_characters(struct xls *x, struct seam *s, size_t count, bool wide,
                            struct rf_str *out)
{
    struct rf_buf b;

    rf_buf_init(&b, x->arena, MAX_STRING);
    *out = RF_STR("");
    while (count) {
        size_t have = wide ? s->part.n / 2 : s->part.n, n = have < count ? have : count;
        struct rf_str piece = rf_at(s->part, 0, wide ? n * 2 : n);
        if (n) {
            piece = wide ? rf_utf16le_utf8(x->arena, piece) : latin(x, piece);
            if (b.n == 0 && n == count) { /* most strings lie in one piece */
                *out = piece;
            } else {
                rf_buf_add(&b, piece);
                *out = (struct rf_str){ b.p, b.n };
            }
        }
        s->part = rf_at(s->part, wide ? n * 2 : n, s->part.n);
        count -= n;
        if (count) {
            uint32_t flags;
            s->part.n = 0;
            if (!take(s, 1, &flags))
                return false;
            wide = flags & 1;
            if (!s->part.n) /* an empty part would never end */
                return false;
        }
    }
    return true;
}

static bool take_string(struct xls *x, struct seam *s, struct rf_str *out)
{
    uint32_t count, flags, runs = 0, extra = 0;

    if (!take(s, 2, &count) || !take(s, 1, &flags))
        return false;
    if ((flags & 8) && !take(s, 2, &runs))
        return false;
    if ((flags & 4) && !take(s, 4, &extra))
        return false;
    return take_characters(x, s, count, flags & 1, out) && pass(s, (uint64_t)runs * 4 + extra);
}

static void take_strings(struct xls *x, struct rf_str body, size_t next)
{
    struct seam s = { .book = x->book, .part = rf_at(body, 8, body.n), .next = next };
    uint32_t count = rf_at32(body, 4);
    struct rf_str text;

    while (x->string_n < count && x->string_n < MAX_STRINGS && take_string(x, &s, &text))
        *RF_PUSH(x->arena, x->strings, x->string_n, x->string_cap) = text;
}

static void take_sheet(struct xls *x, struct rf_str body)
{
    if (x->sheet_n == MAX_SHEETS || body.n < 8)
        return;
    *RF_PUSH(x->arena, x->sheets, x->sheet_n, x->sheet_cap) = (struct sheet){
        .at = rf_at32(body, 0),
        .hidden = (body.p[4] & 3) != 0,
        .cells = body.p[5] == 0,
        .name = string_at(x, body, 7, (unsigned char)body.p[6]),
    };
}

static void take_format(struct xls *x, const struct record *r)
{
    struct format f = { .id = (uint32_t)x->format_n };

    if (x->format_n == MAX_FORMATS)
        return;
    if (x->version >= 8) {
        f.id = rf_at16(r->body, 0);
        f.code = string_at(x, r->body, 4, rf_at16(r->body, 2));
    } else if (r->body.n > 2) {
        size_t at = x->version >= 4 ? 2 : 0;
        f.id = x->version >= 5 ? rf_at16(r->body, 0) : f.id;
        f.code = string_at(x, r->body, at + 1, (unsigned char)r->body.p[at]);
    }
    *RF_PUSH(x->arena, x->formats, x->format_n, x->format_cap) = f;
}

static void take_style(struct xls *x, const struct record *r)
{
    uint32_t format = r->id == XF     ? rf_at16(r->body, 2)
                      : r->body.n > 1 ? (unsigned char)r->body.p[1]
                                      : 0;

    if (x->style_n < MAX_STYLES)
        *RF_PUSH(x->arena, x->styles, x->style_n, x->style_cap) = (uint16_t)format;
}

static void take_begin(struct xls *x, const struct record *r)
{
    x->version = r->id == BOF     ? (rf_at16(r->body, 0) >= 0x0600 ? 8 : 5)
                 : r->id == BOF_4 ? 4
                 : r->id == BOF_3 ? 3
                                  : 2;
}

static bool is_begin(uint32_t id)
{
    return id == BOF || id == BOF_2 || id == BOF_3 || id == BOF_4;
}

/* A record that belongs to the whole book. */
static void take_global(struct xls *x, const struct record *r, size_t next)
{
    switch (r->id) {
    case DATEMODE:
        x->dates_1904 = rf_at16(r->body, 0) == 1;
        break;
    case CODEPAGE:
        x->page = rf_at16(r->body, 0) == 0x8000   ? 10000
                  : rf_at16(r->body, 0) == 0x8001 ? 1252
                                                  : (int)rf_at16(r->body, 0);
        break;
    case BOUNDSHEET:
        take_sheet(x, r->body);
        break;
    case SST:
        take_strings(x, r->body, next);
        break;
    case FORMAT:
    case FORMAT_2:
        take_format(x, r);
        break;
    case XF:
    case XF_3:
    case XF_4:
        take_style(x, r);
        break;
    }
}

static struct rf_str format_code(const struct xls *x, uint32_t id)
{
    for (size_t i = 0; i < x->format_n; i++)
        if (x->formats[i].id == id)
            return x->formats[i].code;
    return x->version >= 5 ? rf_numfmt_builtin(id) : RF_STR("");
}

static const struct rf_numfmt *style_format(struct xls *x, uint32_t style)
{
    static const struct rf_str general = RF_STR_INIT("General");

    if (!x->parsed)
        x->parsed = RF_ARRAY(x->arena, const struct rf_numfmt *, MAX_STYLES + 1);
    style = style < x->style_n ? style : MAX_STYLES;
    if (!x->parsed[style]) {
        struct rf_str code = style < MAX_STYLES ? format_code(x, x->styles[style]) : general;
        x->parsed[style] = rf_numfmt_parse(x->arena, code.n ? code : general);
    }
    return x->parsed[style];
}

static void add_cell(struct xls *x, uint32_t row, uint32_t column, struct rf_str text)
{
    if (!text.n)
        return;
    if (x->cell_n == MAX_CELLS) {
        x->left_out = true;
        return;
    }
    *RF_PUSH(x->arena, x->cells, x->cell_n, x->cell_cap) = (struct cell){ row, column, text };
}

static struct rf_str number_text(struct xls *x, uint32_t style, double value)
{
    char text[RF_NUMFMT_ROOM];
    size_t n = rf_numfmt_write(style_format(x, style), value,
                               x->dates_1904 ? RF_EPOCH_1904 : RF_EPOCH_1900, text, sizeof text);

    return rf_str_dup(x->arena, (struct rf_str){ text, n });
}

static double double_at(struct rf_str s, size_t at)
{
    uint64_t bits = (uint64_t)rf_at32(s, at + 4) << 32 | rf_at32(s, at);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 30 bits of a number: an integer or the high end of a double, perhaps in hundredths. */
static double small_number(uint32_t rk)
{
    double value;

    if (rk & 2) {
        value = (double)((int32_t)(rk & ~3u) / 4);
    } else {
        uint64_t bits = (uint64_t)(rk & ~3u) << 32;
        memcpy(&value, &bits, sizeof value);
    }
    return rk & 1 ? value / 100 : value;
}

static struct rf_str truth_or_error(struct rf_str s, size_t at)
{
    static const struct {
        int code;
        const char *words;
    } errors[] = { { 0, "#NULL!" },  { 7, "#DIV/0!" }, { 15, "#VALUE!" }, { 23, "#REF!" },
                   { 29, "#NAME?" }, { 36, "#NUM!" },  { 42, "#N/A" } };

    if (at + 2 > s.n)
        return RF_STR("");
    if (!s.p[at + 1])
        return s.p[at] ? RF_STR("TRUE") : RF_STR("FALSE");
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == s.p[at])
            return rf_str(errors[i].words);
    return RF_STR("#ERROR!");
}

/* Where a cell's style and value lie: Excel 2 had three bytes of attributes instead of two of
 * style. */
static uint32_t style_at(const struct xls *x, struct rf_str s)
{
    return x->version > 2 ? rf_at16(s, 4) : s.n > 4 ? (uint32_t)(s.p[4] & 0x3f) : 0;
}

static struct rf_str label_text(struct xls *x, struct rf_str s)
{
    if (x->version == 2)
        return s.n > 8 ? string_at(x, s, 8, (unsigned char)s.p[7]) : RF_STR("");
    return string_at(x, s, 8, rf_at16(s, 6));
}

static void take_multiple(struct xls *x, struct rf_str s)
{
    uint32_t row = rf_at16(s, 0), column = rf_at16(s, 2);

    for (size_t at = 4; at + 6 <= s.n - 2 && s.n > 2; at += 6, column++)
        add_cell(x, row, column, number_text(x, rf_at16(s, at), small_number(rf_at32(s, at + 2))));
}

/* The stored result: a number, or in its place a mark and what it is. A string follows in a
 * record. */
static void take_formula(struct xls *x, struct rf_str s, size_t next)
{
    uint32_t row = rf_at16(s, 0), column = rf_at16(s, 2);
    size_t at = x->version > 2 ? 6 : 7;
    struct record r;

    if (at + 8 > s.n)
        return;
    if (rf_at16(s, at + 6) != 0xffff) {
        add_cell(x, row, column, number_text(x, style_at(x, s), double_at(s, at)));
        return;
    }
    char flags[2] = { s.p[at + 2], (char)(s.p[at] == 2) };
    if (s.p[at] == 1 || s.p[at] == 2) {
        add_cell(x, row, column, truth_or_error((struct rf_str){ flags, 2 }, 0));
        return;
    }
    for (int i = 0; s.p[at] == 0 && i < 3 && next_record(x->book, &next, &r); i++) {
        if (r.id == STRING)
            add_cell(x, row, column, string_at(x, r.body, 2, rf_at16(r.body, 0)));
        else if (r.id == STRING_2 && r.body.n)
            add_cell(x, row, column, string_at(x, r.body, 1, (unsigned char)r.body.p[0]));
        else
            continue;
        return;
    }
}

static void take_cell(struct xls *x, const struct record *r, size_t next)
{
    struct rf_str s = r->body;
    uint32_t row = rf_at16(s, 0), column = rf_at16(s, 2);
    size_t at = x->version > 2 ? 6 : 7;

    switch (r->id) {
    case LABELSST:
        if (rf_at32(s, 6) < x->string_n)
            add_cell(x, row, column, x->strings[rf_at32(s, 6)]);
        break;
    case LABEL:
    case LABEL_2:
    case RSTRING:
        add_cell(x, row, column, label_text(x, s));
        break;
    case NUMBER:
    case NUMBER_2:
        add_cell(x, row, column, number_text(x, style_at(x, s), double_at(s, at)));
        break;
    case INTEGER_2:
        add_cell(x, row, column, number_text(x, style_at(x, s), rf_at16(s, at)));
        break;
    case RK:
        add_cell(x, row, column, number_text(x, style_at(x, s), small_number(rf_at32(s, 6))));
        break;
    case MULRK:
        take_multiple(x, s);
        break;
    case BOOLERR:
    case BOOLERR_2:
        add_cell(x, row, column, truth_or_error(s, at));
        break;
    case FORMULA:
    case FORMULA_3:
    case FORMULA_4:
        take_formula(x, s, next);
        break;
    }
}

static int compare_cells(const void *a, const void *b)
{
    const struct cell *first = a, *second = b;

    if (first->row != second->row)
        return first->row < second->row ? -1 : 1;
    return (first->column > second->column) - (first->column < second->column);
}

/* Read the cells of the sheet that begins at `at`. Charts inside it have a beginning and an end
 * too. */
static void read_cells(struct xls *x, size_t at)
{
    struct record r;
    int depth = 0;

    x->cell_n = 0;
    while (next_record(x->book, &at, &r)) {
        if (is_begin(r.id))
            depth++;
        else if (r.id == END && --depth <= 0)
            break;
        else if (depth == 1)
            take_cell(x, &r, at);
        if (x->version < 5) /* the sheet is the book */
            take_global(x, &r, at);
    }
    if (x->cell_n)
        qsort(x->cells, x->cell_n, sizeof *x->cells, compare_cells);
}

/* From the first column that is used; rows without a cell are left out. */
static void write_cells(struct xls *x, struct rf_markup *md)
{
    uint32_t left = UINT32_MAX;

    for (size_t i = 0; i < x->cell_n; i++)
        left = x->cells[i].column < left ? x->cells[i].column : left;
    rf_markup_table(md);
    for (size_t i = 0; i < x->cell_n && !rf_markup_over(md);) {
        uint32_t row = x->cells[i].row, next = left;
        rf_markup_row(md);
        for (; i < x->cell_n && x->cells[i].row == row; i++) {
            if (x->cells[i].column < next)
                continue; /* twice the same cell */
            rf_markup_cell_skip(md, (int64_t)x->cells[i].column - next);
            rf_markup_cell(md);
            rf_markup_text(md, x->cells[i].text);
            rf_markup_cell_end(md);
            next = x->cells[i].column + 1;
        }
        rf_markup_row_end(md);
    }
    rf_markup_table_end(md);
}

static bool read_book(struct xls *x)
{
    struct record r;
    size_t at = 0;

    if (!next_record(x->book, &at, &r) || !is_begin(r.id))
        return false;
    take_begin(x, &r);
    if (x->version < 5) {
        *RF_PUSH(x->arena, x->sheets, x->sheet_n, x->sheet_cap) =
            (struct sheet){ .name = RF_STR("Sheet 1"), .cells = true };
        return true;
    }
    while (next_record(x->book, &at, &r) && r.id != END)
        take_global(x, &r, at);
    return true;
}

/* Bytes at the front of a record's body that are not encrypted. */
static size_t plain_front(const struct record *r)
{
    switch (r->id) {
    case BOF:
    case FILEPASS:
    case INTERFACE:
    case REVISION_HEAD:
    case EXCLUSIVE:
    case FILE_LOCK:
    case REVISION_INFO:
        return r->body.n;
    case BOUNDSHEET: /* where the sheet begins */
        return r->body.n < 4 ? r->body.n : 4;
    }
    return 0;
}

static enum rf_code open_lock(struct rf_rc4_lock *lock, const struct rf_ask *ask,
                              struct rf_str info, struct rf_err *err)
{
    struct rf_str password = rf_ask_str(ask, "password");
    struct rf_err ignored;

    if (!rf_lock_open(lock, info, RF_STR(USUAL_PASSWORD), ask->arena, &ignored))
        return RF_OK;
    return rf_lock_open(lock, info, password, ask->arena, err);
}

/* Decrypt it all, then put back what was never encrypted. */
static void decrypt(struct xls *x, const struct rf_rc4_lock *lock)
{
    char *plain = rf_lock_decrypt(lock, x->book, LOCK_BLOCK, x->arena);
    size_t at = 0, from = 0;
    struct record r;

    for (; next_record(x->book, &at, &r); from = at)
        memcpy(plain + from, x->book.p + from, at - from - r.body.n + plain_front(&r));
    x->book.p = plain;
}

/* A record before the first end, mostly the second, says that the book is encrypted, and how. */
static enum rf_code unlock(struct xls *x, const struct rf_ask *ask, struct rf_err *err)
{
    struct rf_rc4_lock lock;
    struct record r = { 0 };
    size_t at = 0;

    while (r.id != FILEPASS && r.id != END && next_record(x->book, &at, &r))
        ;
    if (r.id != FILEPASS)
        return RF_OK;
    if (rf_at16(r.body, 0) != 1)
        return rf_locked(RF_LOCK_FOREIGN, err);
    enum rf_code rc = open_lock(&lock, ask, rf_at(r.body, 2, r.body.n), err);
    if (rc)
        return rc;
    decrypt(x, &lock);
    rf_lock_close(&lock);
    return RF_OK;
}

/* Those that are worksheets, in their order. */
static void keep_worksheets(struct xls *x)
{
    size_t n = 0;

    for (size_t i = 0; i < x->sheet_n; i++)
        if (x->sheets[i].cells)
            x->sheets[n++] = x->sheets[i];
    x->sheet_n = n;
}

/* One sheet by its name, where the ask names one. False after rf_answer_fail. */
static bool choose(const struct xls *x, const struct rf_ask *ask, struct rf_office_range *range,
                   struct rf_answer *to)
{
    struct rf_str *names = RF_ARRAY(x->arena, struct rf_str, x->sheet_n);

    for (size_t i = 0; i < x->sheet_n; i++)
        names[i] = x->sheets[i].name;
    return rf_office_sheets(ask, names, x->sheet_n, range, to);
}

/* The list of the workbook's pictures, which goes on from record to record. */
static struct rf_str drawings(struct xls *x)
{
    struct rf_buf all;
    struct record r;
    size_t at = 0;
    uint32_t last = 0;

    rf_buf_init(&all, x->arena, x->book.n);
    while (next_record(x->book, &at, &r)) {
        if (r.id == DRAWING_GROUP || (r.id == CONTINUE && last == DRAWING_GROUP))
            rf_buf_add(&all, r.body);
        last = r.id == CONTINUE ? last : r.id;
    }
    return (struct rf_str){ all.n ? all.p : "", all.n };
}

static void show_sheets(struct xls *x, const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_office_range range;
    struct rf_markup md;

    if (!choose(x, ask, &range, to))
        return;
    rf_markup_init(&md, rf_figures_new(ask, to));
    for (int64_t i = range.first; i < range.end && !rf_markup_over(&md); i++) {
        const struct sheet *sheet = &x->sheets[i];
        rf_office_page(md.pictures, i + 1, sheet->name);
        if (sheet->hidden)
            rf_markup_line(&md, "(This sheet is hidden.)");
        read_cells(x, sheet->at);
        write_cells(x, &md);
        rf_markup_finish(&md);
        rf_answer_step(to, i + 1 - range.first, range.end - range.first);
    }
    if (range.first == 0 && range.end == (int64_t)x->sheet_n)
        rf_blips_add(md.pictures, drawings(x), RF_STR(""));
    rf_figures_end(md.pictures);
    if (x->left_out)
        rf_answer_note(to, "a sheet has more than %d cells; the others are left out", MAX_CELLS);
}

void rf_legacy_xls(const struct rf_ask *ask, struct rf_str book, struct rf_answer *to)
{
    struct xls x = { .arena = ask->arena, .book = book, .page = 1252 };
    struct rf_err err;

    if (unlock(&x, ask, &err)) {
        rf_office_fail(to, &err);
        return;
    }
    if (!read_book(&x)) {
        rf_answer_fail(to, RF_EFORMAT, "", "the workbook is damaged: it does not begin as one");
        return;
    }
    keep_worksheets(&x);
    rf_answer_fact(to, "pages", "%zu", x.sheet_n);
    rf_answer_fact(to, "tables", "%zu", x.sheet_n);
    show_sheets(&x, ask, to);
}
