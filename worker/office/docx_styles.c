/* A paragraph names a style and perhaps a "num"; a num points to an abstract numbering of nine
 * levels and may restart some. Nums of one abstract numbering count on together, as in Word. */
#include "worker/office/docx_styles.h"

#include "worker/office/sax.h"

#include <stdio.h>

#define MAX_STYLES 4096
#define MAX_NUMBERINGS 4096
#define MAX_BASED_ON 16
#define MAX_LABEL 64
#define MAX_COUNT 1000000 /* larger numbers are not counted on */

enum {
    STYLE = 1,
    NAME,
    BASED_ON,
    OUTLINE_LEVEL,
    NUM_ID,
    ILVL,
    PPR,
    NUM_PR,
    ABSTRACT,
    LEVEL,
    START,
    FORMAT,
    LEVEL_TEXT,
    LEVEL_STYLE,
    NUM,
    ABSTRACT_ID,
    OVERRIDE,
    START_OVERRIDE,
    STYLE_LINK,
    CHANGE
};

static const struct rf_sax_word words[] = {
    { "style", STYLE },
    { "name", NAME },
    { "basedOn", BASED_ON },
    { "outlineLvl", OUTLINE_LEVEL },
    { "numId", NUM_ID },
    { "ilvl", ILVL },
    { "pPr", PPR },
    { "numPr", NUM_PR },
    { "abstractNum", ABSTRACT },
    { "lvl", LEVEL },
    { "start", START },
    { "numFmt", FORMAT },
    { "lvlText", LEVEL_TEXT },
    { "pStyle", LEVEL_STYLE },
    { "num", NUM },
    { "abstractNumId", ABSTRACT_ID },
    { "lvlOverride", OVERRIDE },
    { "startOverride", START_OVERRIDE },
    { "numStyleLink", STYLE_LINK },
    { "pPrChange", CHANGE },
};

struct reading {
    struct rf_docx_styles *s;
    struct rf_docx_style *style;
    struct rf_docx_abstract *abstract;
    struct rf_docx_num *num;
    int64_t level;
    unsigned changes; /* open elements that tell how it was */
};

/* The heading that a style's name means: "heading 2" is built in and the same in every language. */
static int heading_by_name(struct rf_str name)
{
    if (rf_str_ieq(name, RF_STR("title")))
        return 1;
    if (name.n == 9 && rf_str_ieq((struct rf_str){ name.p, 8 }, RF_STR("heading ")) &&
        name.p[8] >= '1' && name.p[8] <= '9')
        return name.p[8] - '0';
    return -1;
}

static void begin_style(struct reading *r, struct rf_sax *x)
{
    struct rf_docx_styles *s = r->s;
    struct rf_str type = rf_sax_str(x, "type");

    r->style = NULL;
    if (s->n_styles >= MAX_STYLES || (type.n && !rf_str_is(type, "paragraph")))
        return;
    r->style = RF_PUSH(s->arena, s->styles, s->n_styles, s->cap_styles);
    *r->style = (struct rf_docx_style){
        .id = rf_str_dup(s->arena, rf_sax_str(x, "styleId")),
        .is_default =
            rf_sax_int(x, "default", 0) == 1 || rf_str_is(rf_sax_str(x, "default"), "true"),
        .heading = -1,
        .num_id = -1,
        .num_level = -1,
    };
}

static void style_property(struct reading *r, int id, struct rf_sax *x)
{
    struct rf_docx_style *style = r->style;

    if (!style || r->changes)
        return;
    if (id == NAME && style->heading < 0) {
        style->heading = heading_by_name(rf_sax_str(x, "val"));
    } else if (id == BASED_ON) {
        style->based_on = rf_str_dup(r->s->arena, rf_sax_str(x, "val"));
    } else if (id == OUTLINE_LEVEL && style->heading < 0) {
        int64_t level = rf_sax_int(x, "val", 9);
        style->heading = level >= 0 && level < 9 ? (int)level + 1 : 0;
    } else if (id == NUM_ID) {
        style->num_id = rf_sax_int(x, "val", 0);
    } else if (id == ILVL) {
        style->num_level = rf_sax_int(x, "val", 0);
    }
}

static void styles_start(void *state, int id, struct rf_sax *x)
{
    struct reading *r = state;
    if (!id)
        return;
    if (id == STYLE)
        begin_style(r, x);
    else if (id == CHANGE)
        r->changes++;
    else
        style_property(r, id, x);
}

static void styles_end(void *state, int id, struct rf_sax *x)
{
    struct reading *r = state;
    (void)x;
    if (id == CHANGE)
        r->changes--;
}

static struct rf_docx_level *level_of(struct reading *r)
{
    if (!r->abstract || r->level < 0 || r->level >= RF_DOCX_LEVELS)
        return NULL;
    return &r->abstract->levels[r->level];
}

static void begin_abstract(struct reading *r, struct rf_sax *x)
{
    struct rf_docx_styles *s = r->s;
    r->abstract = NULL;
    r->num = NULL;
    if (s->n_abstracts >= MAX_NUMBERINGS)
        return;
    r->abstract = RF_PUSH(s->arena, s->abstracts, s->n_abstracts, s->cap_abstracts);
    r->abstract->id = rf_sax_int(x, "abstractNumId", -1);
    for (int i = 0; i < RF_DOCX_LEVELS; i++)
        r->abstract->levels[i].start = 1;
}

static void begin_num(struct reading *r, struct rf_sax *x)
{
    struct rf_docx_styles *s = r->s;
    r->abstract = NULL;
    r->num = NULL;
    if (s->n_nums >= MAX_NUMBERINGS)
        return;
    r->num = RF_PUSH(s->arena, s->nums, s->n_nums, s->cap_nums);
    r->num->id = rf_sax_int(x, "numId", -1);
    r->num->abstract_id = -1;
    for (int i = 0; i < RF_DOCX_LEVELS; i++)
        r->num->start[i] = -1;
}

static void level_property(struct reading *r, int id, struct rf_sax *x)
{
    struct rf_docx_level *level = level_of(r);
    if (!level)
        return;
    if (id == START)
        level->start = rf_sax_int(x, "val", 1);
    else if (id == FORMAT)
        level->format = rf_str_dup(r->s->arena, rf_sax_str(x, "val"));
    else if (id == LEVEL_TEXT)
        level->text = rf_str_dup(r->s->arena, rf_sax_str(x, "val"));
    else if (id == LEVEL_STYLE)
        level->style = rf_str_dup(r->s->arena, rf_sax_str(x, "val"));
}

static void numbering_start(void *state, int id, struct rf_sax *x)
{
    struct reading *r = state;

    if (id == ABSTRACT)
        begin_abstract(r, x);
    else if (id == NUM)
        begin_num(r, x);
    else if (id == LEVEL || id == OVERRIDE)
        r->level = rf_sax_int(x, "ilvl", -1);
    else if (id == STYLE_LINK && r->abstract)
        r->abstract->style_link = rf_str_dup(r->s->arena, rf_sax_str(x, "val"));
    else if (id == ABSTRACT_ID && r->num)
        r->num->abstract_id = rf_sax_int(x, "val", -1);
    else if (id == START_OVERRIDE && r->num && r->level >= 0 && r->level < RF_DOCX_LEVELS)
        r->num->start[r->level] = rf_sax_int(x, "val", 1);
    else
        level_property(r, id, x);
}

static void numbering_end(void *state, int id, struct rf_sax *x)
{
    (void)state, (void)id, (void)x;
}

void rf_docx_styles_read(struct rf_docx_styles *s, struct rf_unzip *zip, int64_t styles,
                         int64_t numbering)
{
    static const struct rf_sax_grammar style_grammar = {
        RF_SAX_WORDS(words),
        .start = styles_start,
        .end = styles_end,
    };
    static const struct rf_sax_grammar numbering_grammar = {
        RF_SAX_WORDS(words),
        .start = numbering_start,
        .end = numbering_end,
    };
    struct rf_err ignored;
    struct reading r = { .s = s, .level = -1 };

    *s = (struct rf_docx_styles){ .arena = rf_unzip_arena(zip) };
    rf_buf_init(&s->label, s->arena, MAX_LABEL);
    if (styles >= 0)
        (void)rf_sax_member(&style_grammar, &r, zip, styles, &ignored);
    if (numbering >= 0)
        (void)rf_sax_member(&numbering_grammar, &r, zip, numbering, &ignored);
}

static const struct rf_docx_style *find_style(struct rf_docx_styles *s, struct rf_str id)
{
    for (size_t i = 0; i < s->n_styles; i++) {
        size_t at = (s->last + i) % s->n_styles;
        if (id.n ? rf_str_eq(s->styles[at].id, id) : s->styles[at].is_default) {
            s->last = at;
            return &s->styles[at];
        }
    }
    return NULL;
}

static struct rf_docx_num *find_num(struct rf_docx_styles *s, int64_t id)
{
    for (size_t i = 0; i < s->n_nums; i++)
        if (s->nums[i].id == id)
            return &s->nums[i];
    return NULL;
}

static struct rf_docx_abstract *find_abstract(struct rf_docx_styles *s, int64_t id)
{
    for (size_t i = 0; i < s->n_abstracts; i++)
        if (s->abstracts[i].id == id)
            return &s->abstracts[i];
    return NULL;
}

/* The numbering of a num, through the style that it may be linked to. */
static struct rf_docx_abstract *abstract_of(struct rf_docx_styles *s, const struct rf_docx_num *num)
{
    struct rf_docx_abstract *abstract = num ? find_abstract(s, num->abstract_id) : NULL;
    if (!abstract || !abstract->style_link.n)
        return abstract;
    const struct rf_docx_style *style = find_style(s, abstract->style_link);
    const struct rf_docx_num *linked = style ? find_num(s, style->num_id) : NULL;
    return linked ? find_abstract(s, linked->abstract_id) : abstract;
}

/* The level whose paragraphs have this style. */
static int64_t level_by_style(struct rf_docx_styles *s, int64_t num_id, struct rf_str style)
{
    const struct rf_docx_abstract *abstract = abstract_of(s, find_num(s, num_id));
    for (int i = 0; abstract && i < RF_DOCX_LEVELS; i++)
        if (abstract->levels[i].style.n && rf_str_eq(abstract->levels[i].style, style))
            return i;
    return 0;
}

struct rf_docx_meaning rf_docx_style_meaning(struct rf_docx_styles *s, struct rf_str id)
{
    struct rf_docx_meaning meaning = { -1, -1, -1 };
    const struct rf_docx_style *style = find_style(s, id);

    for (int i = 0; style && i < MAX_BASED_ON; i++) {
        if (meaning.heading < 0)
            meaning.heading = style->heading;
        if (meaning.num_level < 0)
            meaning.num_level = style->num_level;
        if (meaning.num_id < 0) {
            meaning.num_id = style->num_id;
            if (style->num_id > 0 && meaning.num_level < 0)
                meaning.num_level = level_by_style(s, style->num_id, style->id);
        }
        style = style->based_on.n ? find_style(s, style->based_on) : NULL;
    }
    if (meaning.heading < 0)
        meaning.heading = 0;
    return meaning;
}

static void add_letters(struct rf_buf *out, int64_t n, char first)
{
    int64_t repeat = (n - 1) / 26 + 1;
    for (int64_t i = 0; n > 0 && i < repeat && i < 4; i++) /* Word writes aa, bb, … after z */
        rf_buf_addc(out, (char)(first + (n - 1) % 26));
}

static void add_roman(struct rf_buf *out, int64_t n, bool upper)
{
    static const struct {
        int64_t value;
        const char *text;
    } steps[] = { { 1000, "m" }, { 900, "cm" }, { 500, "d" }, { 400, "cd" }, { 100, "c" },
                  { 90, "xc" },  { 50, "l" },   { 40, "xl" }, { 10, "x" },   { 9, "ix" },
                  { 5, "v" },    { 4, "iv" },   { 1, "i" } };
    if (n > 3999)
        rf_buf_addf(out, "%lld", (long long)n);
    for (size_t i = 0; n <= 3999 && i < sizeof steps / sizeof *steps; i++)
        for (; n >= steps[i].value; n -= steps[i].value)
            for (const char *c = steps[i].text; *c; c++)
                rf_buf_addc(out, upper ? (char)(*c - 'a' + 'A') : *c);
}

static void add_number(struct rf_buf *out, struct rf_str format, int64_t n)
{
    if (rf_str_is(format, "lowerLetter"))
        add_letters(out, n, 'a');
    else if (rf_str_is(format, "upperLetter"))
        add_letters(out, n, 'A');
    else if (rf_str_is(format, "lowerRoman"))
        add_roman(out, n, false);
    else if (rf_str_is(format, "upperRoman"))
        add_roman(out, n, true);
    else if (rf_str_is(format, "decimalZero"))
        rf_buf_addf(out, "%02lld", (long long)n);
    else if (!rf_str_is(format, "none"))
        rf_buf_addf(out, "%lld", (long long)n);
}

static void count_on(struct rf_docx_abstract *abstract, struct rf_docx_num *num, int64_t level)
{
    if (num->start[level] >= 0 && !num->used[level]) {
        abstract->counters[level] = num->start[level] - 1;
        abstract->begun[level] = true;
    }
    num->used[level] = true;
    for (int64_t i = 0; i <= level; i++) { /* the levels above are begun by this one, too */
        if (!abstract->begun[i])
            abstract->counters[i] = abstract->levels[i].start - (i == level);
        abstract->begun[i] = true;
    }
    if (abstract->counters[level] < MAX_COUNT)
        abstract->counters[level]++;
    for (int64_t i = level + 1; i < RF_DOCX_LEVELS; i++)
        abstract->begun[i] = false;
}

static int64_t counter_of(const struct rf_docx_abstract *abstract, int64_t level)
{
    return abstract->begun[level] ? abstract->counters[level] : abstract->levels[level].start;
}

struct rf_str rf_docx_next_label(struct rf_docx_styles *s, int64_t num_id, int64_t level)
{
    struct rf_docx_num *num = find_num(s, num_id);
    struct rf_docx_abstract *abstract = abstract_of(s, num);
    struct rf_buf *out = &s->label;

    if (num_id <= 0)
        return RF_STR("");
    if (!abstract || level < 0 || level >= RF_DOCX_LEVELS)
        return RF_STR("-");
    const struct rf_docx_level *here = &abstract->levels[level];
    count_on(abstract, num, level);
    if (!here->format.n || rf_str_is(here->format, "bullet"))
        return RF_STR("-");
    out->n = 0;
    out->full = false;
    for (size_t i = 0; i < here->text.n; i++) {
        char digit = i + 1 < here->text.n ? here->text.p[i + 1] : '0';
        if (here->text.p[i] != '%' || digit < '1' || digit > '9') {
            rf_buf_addc(out, here->text.p[i]);
            continue;
        }
        add_number(out, abstract->levels[digit - '1'].format, counter_of(abstract, digit - '1'));
        i++;
    }
    return rf_str_trim((struct rf_str){ out->p, out->n });
}
