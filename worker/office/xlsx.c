/* Workbooks: a part for each sheet. Shared strings and styles are read first, sheets are
 * streamed. */
#include "worker/office/xlsx.h"

#include "base/utf8.h"
#include "worker/office/media.h"
#include "worker/office/office.h"
#include "worker/office/sax.h"

#define MAX_SHEETS 4096
#define MAX_STRINGS 8000000
#define MAX_FORMATS 65536

enum { SHEET = 1, WORKBOOK_PR, STRING, TEXT, PHONETIC, NUMBER_FORMAT, CELL_XFS, XF };

struct sheet {
    struct rf_str name, rel;
    bool hidden;
};

struct workbook {
    struct rf_xlsx *w;
    struct sheet *sheets;
    size_t n, cap;
};

static void nothing(void *state, int id, struct rf_sax *x)
{
    (void)state, (void)id, (void)x;
}

static void workbook_start(void *state, int id, struct rf_sax *x)
{
    struct workbook *b = state;

    if (id == WORKBOOK_PR) {
        struct rf_str flag = rf_sax_str(x, "date1904");
        b->w->epoch =
            rf_str_is(flag, "1") || rf_str_is(flag, "true") ? RF_EPOCH_1904 : RF_EPOCH_1900;
    } else if (id == SHEET && b->n < MAX_SHEETS) {
        struct sheet *sheet = RF_PUSH(b->w->arena, b->sheets, b->n, b->cap);
        struct rf_str state_name = rf_sax_str(x, "state");
        sheet->name = rf_str_dup(b->w->arena, rf_sax_str(x, "name"));
        sheet->rel = rf_str_dup(b->w->arena, rf_sax_str(x, ":id"));
        sheet->hidden = state_name.n && !rf_str_is(state_name, "visible");
    }
}

/* Shared strings: each may be in several runs; readings above the text are left out. */

struct strings {
    struct rf_xlsx *w;
    struct rf_buf text;
    unsigned phonetic;
    bool in_text;
};

static void strings_start(void *state, int id, struct rf_sax *x)
{
    struct strings *s = state;
    (void)x;
    if (id == STRING)
        s->text.n = 0;
    else if (id == PHONETIC)
        s->phonetic++;
    else if (id == TEXT)
        s->in_text = !s->phonetic;
}

static void strings_end(void *state, int id, struct rf_sax *x)
{
    struct strings *s = state;
    struct rf_xlsx *w = s->w;

    if (id == PHONETIC)
        s->phonetic--;
    if (id == TEXT)
        s->in_text = false;
    if (id != STRING)
        return;
    if (w->n_strings >= MAX_STRINGS) {
        rf_answer_note(w->to, "the workbook has more texts than can be read");
        rf_sax_stop(x);
        return;
    }
    s->text.n = rf_xlsx_unescape(s->text.p, s->text.n);
    s->text.full = false;
    *RF_PUSH(w->arena, w->strings, w->n_strings, w->cap_strings) =
        s->text.n ? rf_str_dup(w->arena, (struct rf_str){ s->text.p, s->text.n }) : RF_STR("");
}

static void strings_text(void *state, struct rf_str text)
{
    struct strings *s = state;
    if (s->in_text)
        rf_markup_keep(&s->w->md, &s->text, text);
}

void rf_xlsx_read_strings(struct rf_xlsx *w, int64_t member)
{
    static const struct rf_sax_word words[] = { { "si", STRING },
                                                { "t", TEXT },
                                                { "rPh", PHONETIC } };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = strings_start,
        .end = strings_end,
        .text = strings_text,
    };
    struct strings s = { .w = w };
    struct rf_err err;

    rf_buf_init(&s.text, w->arena, RF_MARKUP_MAX_PARAGRAPH);
    if (member >= 0 && rf_sax_member(&grammar, &s, w->zip, member, &err))
        rf_answer_note(w->to, "not all texts of the workbook could be read: %s", err.msg);
}

size_t rf_xlsx_unescape(char *p, size_t n)
{
    char *mark = n ? memmem(p, n, "_x", 2) : NULL;
    if (!mark)
        return n;
    size_t to = (size_t)(mark - p);
    for (size_t i = to; i < n;) {
        uint32_t code = 0;
        bool is = n - i >= 7 && p[i] == '_' && p[i + 1] == 'x' && p[i + 6] == '_';
        for (size_t k = 2; is && k < 6; k++) {
            const char *hex = "0123456789ABCDEF0123456789abcdef", *digit = strchr(hex, p[i + k]);
            is = digit && p[i + k];
            code = is ? code * 16 + (uint32_t)((digit - hex) % 16) : 0;
        }
        if (is && code < 0xD800) {
            char utf8[4] = { 0 };
            unsigned length =
                code >= ' ' || code == '\n' || code == '\t' ? rf_utf8_put(code, utf8) : 0;
            memcpy(p + to, utf8, length);
            to += length;
            i += 7;
        } else {
            p[to++] = p[i++];
        }
    }
    return to;
}

/* Styles: cells name a row of cellXfs, which names a format: built in, or one of the workbook's
 * own. */

#define MAX_OWN_FORMATS 4096
#define BUILTINS 64

struct own_format {
    int64_t id;
    struct rf_str code;
    const struct rf_numfmt *parsed; /* NULL: not wanted yet */
};

struct styles {
    struct rf_xlsx *w;
    struct own_format *own;
    size_t n, cap;
    struct own_format builtins[BUILTINS];
};

static const struct rf_numfmt *format_by_id(struct styles *s, int64_t id)
{
    struct own_format *found = NULL;
    for (size_t i = 0; i < s->n && !found; i++)
        if (s->own[i].id == id)
            found = &s->own[i];
    if (!found && id >= 0 && id < BUILTINS) {
        found = &s->builtins[id];
        found->code = rf_numfmt_builtin(id);
    }
    if (found && !found->parsed)
        found->parsed = rf_numfmt_parse(s->w->arena, found->code);
    return found ? found->parsed : NULL;
}

static void styles_start(void *state, int id, struct rf_sax *x)
{
    struct styles *s = state;
    struct rf_xlsx *w = s->w;

    if (id == NUMBER_FORMAT && s->n < MAX_OWN_FORMATS) {
        struct own_format *own = RF_PUSH(w->arena, s->own, s->n, s->cap);
        own->id = rf_sax_int(x, "numFmtId", -1);
        own->code = rf_str_dup(w->arena, rf_sax_str(x, "formatCode"));
    } else if (id == XF && rf_sax_parent(x, 1) == CELL_XFS && w->n_formats < MAX_FORMATS) {
        int64_t format = rf_sax_int(x, "numFmtId", 0);
        const struct rf_numfmt *parsed = NULL;
        if (format)
            parsed = format_by_id(s, format);
        if (parsed && rf_numfmt_is_general(parsed))
            parsed = NULL;
        *RF_PUSH(w->arena, w->formats, w->n_formats, w->cap_formats) = parsed;
    }
}

void rf_xlsx_read_formats(struct rf_xlsx *w, int64_t member)
{
    static const struct rf_sax_word words[] = {
        { "numFmt", NUMBER_FORMAT },
        { "cellXfs", CELL_XFS },
        { "xf", XF },
    };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = styles_start,
        .end = nothing,
    };
    struct styles s = { .w = w };
    struct rf_err ignored;
    if (member >= 0)
        (void)rf_sax_member(&grammar, &s, w->zip, member, &ignored);
}

/* The sheets that are asked for. */

static bool find_sheets(const struct rf_ask *ask, struct workbook *b, struct rf_office_range *range)
{
    struct rf_str *names = RF_ARRAY(b->w->arena, struct rf_str, b->n);
    for (size_t i = 0; i < b->n; i++)
        names[i] = b->sheets[i].name;
    return rf_office_sheets(ask, names, b->n, range, b->w->to);
}

static void write_sheet(struct workbook *b, struct rf_rels *rels, int64_t index)
{
    const struct sheet *sheet = &b->sheets[index];
    const struct rf_rel *rel = rf_rels_find(rels, sheet->rel);
    int64_t member = rf_rels_member(b->w->zip, rel);
    struct rf_err err;

    rf_office_page(b->w->md.pictures, index + 1, sheet->name);
    if (member < 0)
        rf_answer_note(b->w->to, "sheet %lld is missing in the file", (long long)index + 1);
    else if (rf_xlsx_write_sheet(b->w, rel->target, member, &err))
        rf_answer_note(b->w->to, "sheet %lld could not be read to its end: %s",
                       (long long)index + 1, err.msg);
    if (sheet->hidden)
        rf_answer_note(b->w->to, "sheet %lld is hidden", (long long)index + 1);
    rf_markup_finish(&b->w->md);
}

static enum rf_code read_workbook(struct workbook *b, struct rf_str part, struct rf_err *err)
{
    static const struct rf_sax_word words[] = { { "sheet", SHEET }, { "workbookPr", WORKBOOK_PR } };
    static const struct rf_sax_grammar grammar = {
        RF_SAX_WORDS(words),
        .start = workbook_start,
        .end = nothing,
    };
    struct rf_unzip *zip = b->w->zip;
    enum rf_code rc = rf_sax_member(&grammar, b, zip, rf_unzip_find(zip, part), err);
    return b->n ? RF_OK : rc;
}

static void write_sheets(const struct rf_ask *ask, struct workbook *b, struct rf_str part)
{
    struct rf_xlsx *w = b->w;
    struct rf_office_range range;
    struct rf_rels rels;

    if (!find_sheets(ask, b, &range))
        return;
    rf_answer_fact(w->to, "pages", "%zu", b->n);
    rf_opc_properties(w->zip, w->to);
    rf_rels_load(&rels, w->zip, part);
    rf_xlsx_read_strings(w, rf_rels_member(w->zip, rf_rels_first(&rels, "sharedStrings")));
    rf_xlsx_read_formats(w, rf_rels_member(w->zip, rf_rels_first(&rels, "styles")));
    for (int64_t i = range.first; i < range.end && !rf_markup_over(&w->md); i++) {
        write_sheet(b, &rels, i);
        rf_answer_step(w->to, i + 1 - range.first, range.end - range.first);
    }
    rf_answer_fact(w->to, "tables", "%lld", (long long)w->md.tables);
    rf_media_end(w->md.pictures, &range, (int64_t)b->n);
}

void rf_office_xlsx(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to)
{
    struct rf_xlsx *w = RF_NEW(ask->arena, struct rf_xlsx);
    struct workbook b = { .w = w };
    struct rf_str part;
    struct rf_err err;

    *w = (struct rf_xlsx){ .zip = zip, .arena = ask->arena, .to = to };
    rf_markup_init(&w->md, rf_media_open(ask, zip, to));
    (void)rf_opc_main(zip, &part);
    if (read_workbook(&b, part, &err))
        rf_office_fail(to, &err);
    else
        write_sheets(ask, &b, part);
}
