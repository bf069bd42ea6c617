/* Rich Text Format: groups in braces, words after backslashes, bytes in code pages.
 *
 * A group inherits the state of the one around it; `what` says what becomes of its text: shown,
 * kept aside (notes, headers), taken apart (fonts, links, list marks), or passed over (pictures,
 * styles, and every destination marked \* that is not known here). Tables are as good as the format
 * lets a reader know them without measuring columns: cells end at \cell, rows at \row.
 *
 * Groups nested deeper than MAX_GROUPS share one state; no input makes it recurse. */
#include "worker/office/rtf.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "worker/office/charset.h"
#include "worker/office/office.h"

#include <stdlib.h>

#define MAX_GROUPS 500
#define MAX_WORD 32
#define MAX_FONTS 4096
#define MAX_ASIDE ((size_t)1 << 20) /* of notes and headers, each */
#define MAX_NOTES 5000
#define MAX_RUN 4096
#define NO_SURROGATE 0

enum what { SHOWN, SKIPPED, FONTS, INSTRUCTION, MARK, NOTE, HEADER };

struct group {
    enum what what;
    int font, page;    /* the font, and the code page that its bytes are in */
    int unicode_skip;  /* \uc */
    bool hidden, link; /* link: this group is a field's result */
};

struct font {
    int number, page;
};

struct rtf {
    struct rf_prose *p;
    struct rf_arena *arena;
    struct rf_str rest;
    struct group stack[MAX_GROUPS];
    size_t depth, too_deep;
    bool opened;       /* '{' was just read */
    bool ignorable;    /* then \* */
    int skip;          /* characters that stand for the \u before them */
    uint32_t high;     /* the first half of a surrogate pair */
    char run[MAX_RUN]; /* bytes that wait for their code page */
    size_t run_n;
    int default_page, default_font;
    struct font *fonts;
    size_t font_n, font_cap;
    /* the paragraph */
    bool in_table, table, cell_due, row_due;
    int outline, level;
    struct rf_buf mark, instruction, notes, header;
    unsigned note_n;
};

static struct group *top(struct rtf *r)
{
    return &r->stack[r->depth];
}

static int page_of(const struct rtf *r, int number)
{
    for (size_t i = r->font_n; i > 0; i--)
        if (r->fonts[i - 1].number == number)
            return r->fonts[i - 1].page ? r->fonts[i - 1].page : r->default_page;
    return r->default_page;
}

/* Windows' character sets of fonts, as code pages; 0 where the document's own is meant. */
static int charset_page(int charset)
{
    static const struct {
        int charset, page;
    } pages[] = {
        { 77, 10000 }, { 78, 932 },   { 128, 932 },  { 129, 949 },  { 130, 1361 }, { 134, 936 },
        { 136, 950 },  { 161, 1253 }, { 162, 1254 }, { 163, 1258 }, { 177, 1255 }, { 178, 1256 },
        { 186, 1257 }, { 204, 1251 }, { 222, 874 },  { 238, 1250 }, { 254, 437 },  { 255, 850 },
    };

    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (pages[i].charset == charset)
            return pages[i].page;
    return 0;
}

/* The table's cell that the next text belongs to. */
static void enter_cell(struct rtf *r)
{
    if (!r->table) {
        rf_prose_table(r->p);
        r->table = r->row_due = r->cell_due = true;
    }
    if (r->row_due)
        rf_prose_row(r->p);
    if (r->row_due || r->cell_due)
        rf_prose_cell(r->p);
    r->row_due = r->cell_due = false;
}

static void leave_table(struct rtf *r)
{
    if (r->table)
        rf_prose_table_end(r->p);
    r->table = false;
}

/* A paragraph's first text says what it is. */
static void open_paragraph(struct rtf *r)
{
    if (r->in_table)
        enter_cell(r);
    else
        leave_table(r);
    if (!r->p->fresh || r->p->style.kind != RF_MARKUP_PLAIN)
        return;
    if (r->outline >= 0 && r->outline < 9)
        rf_prose_heading(r->p, (unsigned)r->outline + 1);
    if (!r->mark.n)
        return;
    struct rf_str mark = rf_str_trim((struct rf_str){ r->mark.p, r->mark.n });
    int64_t number = 0;
    if (mark.n && (mark.p[mark.n - 1] == '.' || mark.p[mark.n - 1] == ')'))
        rf_str_int64((struct rf_str){ mark.p, mark.n - 1 }, &number);
    if (r->outline < 0 || r->outline >= 9)
        rf_prose_item(r->p, (unsigned)r->level,
                      number > 0 && number < 1000000 ? (unsigned)number : 0);
    if (number == 0 && mark.n > 1 && mark.n < 16 && (unsigned char)mark.p[0] < 0x80) {
        rf_prose_exact(r->p, mark); /* "a)", "iv." */
        rf_prose_exact(r->p, RF_STR(" "));
    }
    r->mark.n = 0;
}

static void put_text(struct rtf *r, struct rf_str s)
{
    switch (top(r)->what) {
    case SHOWN:
        if (!top(r)->hidden && s.n) {
            if (!rf_str_blank(s) || !r->p->fresh)
                open_paragraph(r);
            if (!rf_str_blank(s) || !r->p->fresh)
                rf_prose_exact(r->p, s);
        }
        break;
    case INSTRUCTION:
        rf_buf_add(&r->instruction, s);
        break;
    case MARK:
        rf_buf_add(&r->mark, s);
        break;
    case NOTE:
        rf_buf_add(&r->notes, s);
        break;
    case HEADER:
        rf_buf_add(&r->header, s);
        break;
    case SKIPPED:
    case FONTS:
        break;
    }
}

static void flush(struct rtf *r)
{
    struct rf_str run = { r->run, r->run_n };

    if (!run.n)
        return;
    r->run_n = 0;
    put_text(r, rf_codepage_utf8(r->arena, top(r)->page, run));
}

static void put_byte(struct rtf *r, char c)
{
    enum what what = top(r)->what;

    if (r->skip > 0) {
        r->skip--;
        return;
    }
    if (what == SKIPPED || what == FONTS)
        return;
    if (r->run_n == MAX_RUN)
        flush(r);
    r->run[r->run_n++] = c;
}

static void put_character(struct rtf *r, uint32_t c)
{
    char out[4];

    flush(r);
    put_text(r, (struct rf_str){ out, rf_utf8_put(c, out) });
}

static void put_unicode(struct rtf *r, int value)
{
    uint32_t c = (uint32_t)(value < 0 ? value + 65536 : value) & 0x1fffff;

    if (c >= 0xf000 && c < 0xf100) /* a symbol font's private place for its bytes */
        c = c == 0xf0b7 ? 0x2022 : c - 0xf000;
    r->skip = 0;
    if (c >= 0xd800 && c < 0xdc00) {
        r->high = c;
    } else if (c >= 0xdc00 && c < 0xe000) {
        if (r->high)
            put_character(r, 0x10000 + ((r->high - 0xd800) << 10) + (c - 0xdc00));
        r->high = NO_SURROGATE;
    } else if (c >= 0x20 && c <= 0x10ffff && c != 0xfeff) {
        put_character(r, c);
    }
    r->skip = top(r)->unicode_skip;
}

static void open_group(struct rtf *r)
{
    flush(r);
    r->skip = 0;
    if (r->depth + 1 == MAX_GROUPS) {
        r->too_deep++;
        return;
    }
    r->stack[r->depth + 1] = r->stack[r->depth];
    r->depth++;
    r->opened = true;
    top(r)->link = false;
}

/* HYPERLINK "http://…" \l "place" */
static struct rf_str instructed_link(struct rtf *r)
{
    struct rf_str s = rf_str_trim((struct rf_str){ r->instruction.p, r->instruction.n }), url;

    if (!rf_str_starts(s, "HYPERLINK"))
        return RF_STR("");
    s = (struct rf_str){ s.p + 9, s.n - 9 };
    if (!rf_str_split(&s, '"', &url) || !rf_str_blank(url) || !rf_str_split(&s, '"', &url))
        return RF_STR("");
    return rf_str_dup(r->arena, rf_str_trim(url));
}

static void close_group(struct rtf *r)
{
    flush(r);
    r->skip = 0;
    r->ignorable = r->opened = false;
    if (r->too_deep) {
        r->too_deep--;
        return;
    }
    if (!r->depth)
        return;
    if (top(r)->link)
        rf_prose_link_end(r->p);
    enum what was = top(r)->what;
    r->depth--;
    if (was == NOTE && top(r)->what != NOTE)
        rf_buf_addc(&r->notes, '\n');
    if (was == HEADER && top(r)->what != HEADER)
        rf_buf_addc(&r->header, '\n');
}

static void end_paragraph(struct rtf *r)
{
    if (top(r)->what != SHOWN) {
        put_text(r, RF_STR("\n"));
        return;
    }
    if (r->in_table)
        enter_cell(r);
    rf_prose_plain(r->p);
    r->mark.n = 0;
}

static void end_cell(struct rtf *r)
{
    if (top(r)->what != SHOWN)
        return;
    enter_cell(r);
    rf_prose_plain(r->p);
    r->mark.n = 0;
    r->cell_due = true;
}

static void end_row(struct rtf *r)
{
    if (top(r)->what != SHOWN || !r->table)
        return;
    rf_prose_plain(r->p);
    r->row_due = true;
}

static void begin_note(struct rtf *r)
{
    if (top(r)->what == SHOWN && r->note_n < MAX_NOTES) {
        put_text(r, rf_strf(r->arena, "[^%u]", ++r->note_n));
        rf_buf_addf(&r->notes, "[^%u]: ", r->note_n);
        top(r)->what = NOTE;
    } else {
        top(r)->what = SKIPPED;
    }
}

static void begin_result(struct rtf *r)
{
    struct rf_str url = instructed_link(r);

    r->instruction.n = 0;
    if (top(r)->what != SHOWN || !url.n)
        return;
    if (r->p->fresh)
        open_paragraph(r);
    rf_prose_link(r->p, url);
    top(r)->link = true;
}

static void begin_mark(struct rtf *r)
{
    if (top(r)->what == SHOWN) {
        r->mark.n = 0;
        top(r)->what = MARK;
    }
}

static void add_font(struct rtf *r, int number)
{
    if (r->font_n < MAX_FONTS)
        *RF_PUSH(r->arena, r->fonts, r->font_n, r->font_cap) = (struct font){ .number = number };
}

static void set_font(struct rtf *r, int number)
{
    if (top(r)->what == FONTS) {
        add_font(r, number);
        return;
    }
    top(r)->font = number;
    top(r)->page = page_of(r, number);
}

static void set_font_page(struct rtf *r, int page)
{
    if (top(r)->what == FONTS && r->font_n && page > 0)
        r->fonts[r->font_n - 1].page = page;
}

static void set_page(struct rtf *r, int page)
{
    r->default_page = page;
    for (size_t i = 0; i <= r->depth; i++)
        r->stack[i].page = page;
}

enum word {
    CHARACTER, /* of `value` */
    PARAGRAPH,
    LINE,
    CELL,
    ROW,
    PARD,
    INTBL,
    OUTLINE,
    LEVEL,
    PLAIN,
    HIDE,
    UNICODE,
    UNICODE_SKIP,
    FONT,
    FONT_CHARSET,
    FONT_PAGE,
    DEFAULT_FONT,
    CODE_PAGE,
    FIXED_PAGE, /* of `value` */
    BINARY,
    TO_SKIP,
    TO_FONTS,
    TO_INSTRUCTION,
    TO_RESULT,
    TO_MARK,
    TO_NOTE,
    TO_HEADER,
    TO_SHOWN, /* a destination that is marked \* and yet read */
};

/* Sorted. */
static const struct known {
    const char *name;
    enum word word;
    int value;
} known[] = {
    { "ansi", FIXED_PAGE, 1252 },
    { "ansicpg", CODE_PAGE, 0 },
    { "atnauthor", TO_SKIP, 0 },
    { "atnid", TO_SKIP, 0 },
    { "bin", BINARY, 0 },
    { "bkmkend", TO_SKIP, 0 },
    { "bkmkstart", TO_SKIP, 0 },
    { "blipuid", TO_SKIP, 0 },
    { "bullet", CHARACTER, 0x2022 },
    { "cell", CELL, 0 },
    { "colortbl", TO_SKIP, 0 },
    { "column", PARAGRAPH, 0 },
    { "cpg", FONT_PAGE, 0 },
    { "datafield", TO_SKIP, 0 },
    { "deff", DEFAULT_FONT, 0 },
    { "deleted", HIDE, 0 },
    { "do", TO_SKIP, 0 },
    { "emdash", CHARACTER, 0x2014 },
    { "emspace", CHARACTER, 0x2003 },
    { "endash", CHARACTER, 0x2013 },
    { "enspace", CHARACTER, 0x2002 },
    { "f", FONT, 0 },
    { "falt", TO_SKIP, 0 },
    { "fcharset", FONT_CHARSET, 0 },
    { "fldinst", TO_INSTRUCTION, 0 },
    { "fldrslt", TO_RESULT, 0 },
    { "fontemb", TO_SKIP, 0 },
    { "fonttbl", TO_FONTS, 0 },
    { "footer", TO_HEADER, 0 },
    { "footerf", TO_HEADER, 0 },
    { "footerl", TO_HEADER, 0 },
    { "footerr", TO_HEADER, 0 },
    { "footnote", TO_NOTE, 0 },
    { "ftncn", TO_SKIP, 0 },
    { "ftnsep", TO_SKIP, 0 },
    { "ftnsepc", TO_SKIP, 0 },
    { "header", TO_HEADER, 0 },
    { "headerf", TO_HEADER, 0 },
    { "headerl", TO_HEADER, 0 },
    { "headerr", TO_HEADER, 0 },
    { "ilvl", LEVEL, 0 },
    { "info", TO_SKIP, 0 },
    { "intbl", INTBL, 0 },
    { "ldblquote", CHARACTER, 0x201c },
    { "line", LINE, 0 },
    { "listtext", TO_MARK, 0 },
    { "lquote", CHARACTER, 0x2018 },
    { "ltrmark", CHARACTER, 0x200e },
    { "mac", FIXED_PAGE, 10000 },
    { "nestcell", CELL, 0 },
    { "nestrow", ROW, 0 },
    { "nonesttables", TO_SKIP, 0 },
    { "nonshppict", TO_SKIP, 0 },
    { "objdata", TO_SKIP, 0 },
    { "outlinelevel", OUTLINE, 0 },
    { "page", PARAGRAPH, 0 },
    { "par", PARAGRAPH, 0 },
    { "pard", PARD, 0 },
    { "pc", FIXED_PAGE, 437 },
    { "pca", FIXED_PAGE, 850 },
    { "pict", TO_SKIP, 0 },
    { "plain", PLAIN, 0 },
    { "pntext", TO_MARK, 0 },
    { "pntxta", TO_SKIP, 0 },
    { "pntxtb", TO_SKIP, 0 },
    { "qmspace", CHARACTER, 0x2005 },
    { "rdblquote", CHARACTER, 0x201d },
    { "row", ROW, 0 },
    { "rquote", CHARACTER, 0x2019 },
    { "rtlmark", CHARACTER, 0x200f },
    { "rxe", TO_SKIP, 0 },
    { "sect", PARAGRAPH, 0 },
    { "shpinst", TO_SHOWN, 0 },
    { "shppict", TO_SKIP, 0 },
    { "shprslt", TO_SKIP, 0 },
    { "sp", TO_SKIP, 0 },
    { "stylesheet", TO_SKIP, 0 },
    { "tab", CHARACTER, '\t' },
    { "tc", TO_SKIP, 0 },
    { "u", UNICODE, 0 },
    { "uc", UNICODE_SKIP, 0 },
    { "ud", TO_SHOWN, 0 },
    { "upr", TO_SKIP, 0 },
    { "v", HIDE, 0 },
    { "xe", TO_SKIP, 0 },
    { "zwj", CHARACTER, 0x200d },
    { "zwnj", CHARACTER, 0x200c },
};

static int compare(const void *key, const void *row)
{
    const struct rf_str *name = key;
    const struct known *k = row;
    int order = strncmp(name->p, k->name, name->n);
    size_t n = strlen(k->name);

    return order ? order : (name->n > n) - (name->n < n);
}

static void pass_over(struct rtf *r, int count)
{
    size_t n = count > 0 ? (size_t)count : 0;

    n = n < r->rest.n ? n : r->rest.n;
    r->rest = (struct rf_str){ r->rest.p + n, r->rest.n - n };
}

static void begin_group_of(struct rtf *r, enum word word)
{
    struct group *g = top(r);

    if (g->what == SKIPPED)
        return;
    switch ((int)word) {
    case TO_SKIP:
        g->what = SKIPPED;
        break;
    case TO_FONTS:
        g->what = FONTS;
        break;
    case TO_INSTRUCTION:
        r->instruction.n = 0;
        g->what = g->what == SHOWN ? INSTRUCTION : SKIPPED;
        break;
    case TO_RESULT:
        begin_result(r);
        break;
    case TO_MARK:
        begin_mark(r);
        break;
    case TO_NOTE:
        begin_note(r);
        break;
    case TO_HEADER:
        g->what = HEADER;
        break;
    }
}

static void set_paragraph(struct rtf *r, enum word word, int value)
{
    if (top(r)->what != SHOWN)
        return;
    if (word == PARD) {
        r->in_table = false;
        r->outline = -1;
        r->level = 0;
    } else if (word == INTBL) {
        r->in_table = value != 0;
    } else if (word == OUTLINE) {
        r->outline = value;
    } else if (word == LEVEL) {
        r->level = value >= 0 && value < 9 ? value : 0;
    }
}

static void take_font_word(struct rtf *r, enum word word, int value)
{
    if (word == FONT)
        set_font(r, value);
    else if (word == FONT_CHARSET)
        set_font_page(r, charset_page(value));
    else if (word == FONT_PAGE)
        set_font_page(r, value);
    else
        r->default_font = value;
}

/* A word with its number, which is 1 where none stands. */
static void take_word(struct rtf *r, const struct known *k, int value)
{
    switch (k->word) {
    case CHARACTER:
        put_character(r, (uint32_t)k->value);
        break;
    case PARAGRAPH:
        end_paragraph(r);
        break;
    case LINE:
        put_text(r, RF_STR("\n"));
        break;
    case CELL:
        end_cell(r);
        break;
    case ROW:
        end_row(r);
        break;
    case PARD:
    case INTBL:
    case OUTLINE:
    case LEVEL:
        set_paragraph(r, k->word, value);
        break;
    case PLAIN:
        top(r)->hidden = false;
        top(r)->page = page_of(r, r->default_font);
        break;
    case HIDE:
        top(r)->hidden = value != 0;
        break;
    case UNICODE:
        put_unicode(r, value);
        break;
    case UNICODE_SKIP:
        top(r)->unicode_skip = value >= 0 && value < 100 ? value : 1;
        break;
    case FONT:
    case FONT_CHARSET:
    case FONT_PAGE:
    case DEFAULT_FONT:
        take_font_word(r, k->word, value);
        break;
    case CODE_PAGE:
        set_page(r, value > 0 ? value : 1252);
        break;
    case FIXED_PAGE:
        set_page(r, k->value);
        break;
    case BINARY:
        pass_over(r, value);
        break;
    case TO_SHOWN:
        break;
    case TO_SKIP:
    case TO_FONTS:
    case TO_INSTRUCTION:
    case TO_RESULT:
    case TO_MARK:
    case TO_NOTE:
    case TO_HEADER:
        begin_group_of(r, k->word);
        break;
    }
}

/* -12, and the space that may end a word. */
static int read_number(struct rtf *r)
{
    struct rf_str s = r->rest;
    size_t i = s.n && s.p[0] == '-';
    int value = 0;
    bool digits = false;

    for (; i < s.n && rf_is_digit(s.p[i]); i++) {
        value = value < 100000000 ? value * 10 + (s.p[i] - '0') : value;
        digits = true;
    }
    if (!digits)
        i = 0;
    bool negative = digits && s.p[0] == '-';
    i += i < s.n && s.p[i] == ' ';
    pass_over(r, (int)(i < 1000 ? i : 1000));
    return digits ? (negative ? -value : value) : 1;
}

static void read_word(struct rtf *r)
{
    struct rf_str name = { r->rest.p, 0 };

    while (name.n < r->rest.n && name.n < MAX_WORD &&
           ((name.p[name.n] | 0x20) >= 'a' && (name.p[name.n] | 0x20) <= 'z'))
        name.n++;
    pass_over(r, (int)name.n);
    int value = read_number(r);
    bool ignorable = r->ignorable;
    r->ignorable = r->opened = false;
    if (r->skip > 0 && !rf_str_is(name, "u") && !rf_str_is(name, "bin")) {
        r->skip--; /* words count as characters that stand for the last \u */
        return;
    }
    const struct known *k =
        bsearch(&name, known, sizeof known / sizeof *known, sizeof *known, compare);
    if (k || ignorable)
        flush(r);
    if (k)
        take_word(r, k, value);
    else if (ignorable)
        top(r)->what = SKIPPED;
}

static void read_symbol(struct rtf *r)
{
    char c = r->rest.p[0];
    bool opened = r->opened;

    r->opened = false;
    pass_over(r, 1);
    if (c == '\'') {
        int high = r->rest.n > 1 ? rf_hex_digit(r->rest.p[0]) : -1;
        int low = r->rest.n > 1 ? rf_hex_digit(r->rest.p[1]) : -1;
        if (high >= 0 && low >= 0)
            put_byte(r, (char)(high * 16 + low));
        pass_over(r, high >= 0 && low >= 0 ? 2 : 0);
        return;
    }
    if (c == '*') {
        r->ignorable = opened;
        return;
    }
    if (c == '\\' || c == '{' || c == '}') {
        put_byte(r, c);
        return;
    }
    if (r->skip > 0) {
        r->skip--;
    } else if (c == '~') {
        put_character(r, 0xa0);
    } else if (c == '_') {
        put_character(r, 0x2011);
    } else if (c == '\n' || c == '\r') {
        flush(r);
        end_paragraph(r);
    }
}

static void read_next(struct rtf *r)
{
    char c = r->rest.p[0];

    pass_over(r, 1);
    if (c == '{') {
        open_group(r);
    } else if (c == '}') {
        close_group(r);
    } else if (c == '\\' && r->rest.n) {
        if ((r->rest.p[0] | 0x20) >= 'a' && (r->rest.p[0] | 0x20) <= 'z')
            read_word(r);
        else
            read_symbol(r);
    } else if (c != '\r' && c != '\n' && c != '\0' && c != '\\') {
        r->opened = false;
        put_byte(r, c);
    }
}

/* Text that is not shown can be long: pictures in hexadecimal. Move to what may end it. */
static void skip_plain(struct rtf *r)
{
    size_t n = 0;

    while (n < r->rest.n && r->rest.p[n] != '{' && r->rest.p[n] != '}' && r->rest.p[n] != '\\')
        n++;
    r->rest = (struct rf_str){ r->rest.p + n, r->rest.n - n };
}

static void show_aside(struct rtf *r, struct rf_buf *b, const char *label)
{
    struct rf_str rest = { b->p, b->n }, line, before = RF_STR("");

    leave_table(r);
    while (b->n && rf_str_split(&rest, '\n', &line)) {
        line = rf_str_trim(line);
        if (!line.n || rf_str_eq(line, before))
            continue;
        before = line;
        rf_prose_plain(r->p);
        rf_prose_text(r->p, rf_str(label));
        rf_prose_text(r->p, line);
    }
    rf_prose_plain(r->p);
}

bool rf_rtf_prose(struct rf_prose *p, struct rf_str rtf)
{
    struct rf_arena *a = p->md.arena;
    struct rtf *r = RF_NEW(a, struct rtf);

    *r = (struct rtf){ .p = p, .arena = a, .rest = rtf, .default_page = 1252, .outline = -1 };
    r->stack[0] = (struct group){ .page = 1252, .unicode_skip = 1 };
    rf_buf_init(&r->mark, a, 256);
    rf_buf_init(&r->instruction, a, 4096);
    rf_buf_init(&r->notes, a, MAX_ASIDE);
    rf_buf_init(&r->header, a, MAX_ASIDE);
    while (r->rest.n && !rf_markup_over(&p->md)) {
        if (top(r)->what == SKIPPED)
            skip_plain(r);
        if (r->rest.n)
            read_next(r);
        if (!r->depth && !r->too_deep && r->rest.n < rtf.n - 5)
            break; /* the document's own group has ended */
    }
    flush(r);
    bool whole = r->depth == 0;
    r->depth = r->too_deep = 0;
    rf_prose_link_end(p);
    show_aside(r, &r->notes, "");
    show_aside(r, &r->header, "Header or footer: ");
    return whole;
}

struct rf_str rf_rtf_title(struct rf_arena *a, struct rf_str rtf)
{
    static const char word[] = "{\\title ";
    size_t look = rtf.n < 65536 ? rtf.n : 65536;
    const char *found = memmem(rtf.p, look, word, sizeof word - 1);

    if (!found)
        return RF_STR("");
    struct rf_str title = { found + sizeof word - 1, 0 };
    while (title.p + title.n < rtf.p + look && title.p[title.n] != '}' && title.p[title.n] != '\\')
        title.n++;
    bool plain = title.p + title.n < rtf.p + look && title.p[title.n] == '}';
    return plain ? rf_codepage_utf8(a, 1252, title) : RF_STR("");
}

void rf_office_rtf(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    struct rf_office_range range;
    struct rf_prose p;

    if (!rf_str_starts(bytes, "{\\rtf") && !rf_str_starts(bytes, "{\\urtf")) {
        rf_answer_fail(to, RF_EFORMAT, "",
                       "this is not an RTF document: it does not start with {\\rtf");
        return;
    }
    rf_answer_fact(to, "pages", "1");
    if (!rf_office_range(ask, 1, &range, to) || range.first == range.end)
        return;
    rf_prose_begin(&p, rf_figures_new(ask, to), 1, rf_rtf_title(ask->arena, bytes));
    bool whole = rf_rtf_prose(&p, bytes);
    bool over = rf_markup_over(&p.md);
    rf_prose_end(&p);
    rf_answer_fact(to, "tables", "%lld", (long long)p.md.tables);
    if (!whole && !over)
        rf_answer_note(to, "the document is cut off: its end is missing");
}
