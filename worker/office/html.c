/* One pass over the bytes: text, or a tag with what it does to the prose.
 *
 * Measured beside gumbo 0.10.1: 8 MB of HTML take 56 ms and 8 MB of memory here, 450 ms and 110 MB
 * there, where the Markdown is still to be made; 100,000 nested lists take 22 ms here and over 40 s
 * there, since gumbo looks through all open elements at each tag. Of 535,286
 * letters that gumbo's tree shows of 150 pages, none is missing here.
 *
 * The look ahead at a table decides whether it is one to draw: a table that holds another, or that
 * has no row with two cells, is there for the looks of the page, and its cells are paragraphs. Each
 * look ends at the next table's tag, so that all of them together read the page once. */
#include "worker/office/html.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "media/declared.h"
#include "worker/frame.h"
#include "worker/office/charset.h"
#include "worker/office/office.h"

#include <stdlib.h>

#define MAX_LISTS 32
#define MAX_TABLES 64
#define MAX_ENTITY 32

struct tag {
    struct rf_str name;   /* as written */
    struct rf_str inside; /* the attributes */
    bool end, alone;      /* </x>, <x/> */
};

enum act {
    NOTHING,
    BLOCK,
    LINE,
    HEADING,
    LIST,
    ITEM,
    TERM,
    TABLE,
    ROW,
    CELL,
    LINK,
    PICTURE,
    EXACT,
    RAW,  /* its inside is not markup, and not shown */
    SKIP, /* its inside is markup that is not shown */
    RULE,
    FIELD,
    INSTEAD, /* its inside is shown where scripts do not run */
};

static const struct known {
    const char *name;
    enum act act;
} known[] = {
    { "a", LINK },           { "address", BLOCK }, { "article", BLOCK },    { "aside", BLOCK },
    { "blockquote", BLOCK }, { "body", BLOCK },    { "br", LINE },          { "canvas", SKIP },
    { "caption", BLOCK },    { "center", BLOCK },  { "dd", BLOCK },         { "details", BLOCK },
    { "dialog", BLOCK },     { "dir", LIST },      { "div", BLOCK },        { "dl", BLOCK },
    { "dt", TERM },          { "embed", NOTHING }, { "fieldset", BLOCK },   { "figcaption", BLOCK },
    { "figure", BLOCK },     { "footer", BLOCK },  { "form", BLOCK },       { "h1", HEADING },
    { "h2", HEADING },       { "h3", HEADING },    { "h4", HEADING },       { "h5", HEADING },
    { "h6", HEADING },       { "header", BLOCK },  { "hr", RULE },          { "iframe", RAW },
    { "img", PICTURE },      { "input", FIELD },   { "legend", BLOCK },     { "li", ITEM },
    { "main", BLOCK },       { "math", NOTHING },  { "menu", LIST },        { "nav", BLOCK },
    { "noembed", RAW },      { "noframes", SKIP }, { "noscript", INSTEAD }, { "object", NOTHING },
    { "ol", LIST },          { "option", LINE },   { "p", BLOCK },          { "pre", EXACT },
    { "script", RAW },       { "section", BLOCK }, { "select", BLOCK },     { "style", RAW },
    { "summary", BLOCK },    { "svg", SKIP },      { "table", TABLE },      { "tbody", NOTHING },
    { "td", CELL },          { "template", SKIP }, { "textarea", EXACT },   { "th", CELL },
    { "title", RAW },        { "tr", ROW },        { "ul", LIST },          { "xmp", EXACT },
};

struct reader {
    struct rf_prose *p;
    struct rf_arena *arena;
    struct rf_str rest; /* what is still to be read */
    unsigned lists, exact;
    struct {
        bool ordered;
        unsigned number;
    } list[MAX_LISTS];
    unsigned tables;
    bool drawn[MAX_TABLES]; /* for each open table: is it one to draw? */
    bool has_text;      /* some is shown, not counting what stands for a script that does not run */
    bool instead;       /* in such a text: <noscript> */
    bool had_text;      /* before it */
    bool hides_nothing; /* a hidden element did not end: they are not looked for any more */
};

static struct rf_str from(struct rf_str s, size_t n)
{
    return (struct rf_str){ s.p + n, s.n - n };
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Where `part` stands in `s`, ASCII case ignored; s.n where it does not. `part` is in lower
 * case. */
static size_t find(struct rf_str s, const char *part)
{
    size_t n = strlen(part);

    for (size_t i = 0; i + n <= s.n; i++)
        if (((s.p[i] ^ part[0]) & ~0x20) == 0 && strncasecmp(s.p + i, part, n) == 0)
            return i;
    return s.n;
}

/* &amp; &#38; &#x26; at the start of `s`: its character and its length, or 0. */
static uint32_t numbered(struct rf_str body)
{
    bool hex = body.n > 1 && (body.p[1] == 'x' || body.p[1] == 'X');
    uint32_t c = 0;

    for (size_t i = hex ? 2 : 1; i < body.n; i++) {
        char d = body.p[i];
        unsigned digit = d >= '0' && d <= '9' ? (unsigned)(d - '0')
                         : hex && ((d | 0x20) >= 'a') && ((d | 0x20) <= 'f')
                             ? (unsigned)((d | 0x20) - 'a' + 10)
                             : 99;
        if (digit == 99 || c > 0x10ffff)
            return 0;
        c = c * (hex ? 16 : 10) + digit;
    }
    return c;
}

static size_t entity(struct rf_str s, char out[4], unsigned *out_n)
{
    size_t n = 1;

    while (n < s.n && n < MAX_ENTITY &&
           (is_letter(s.p[n]) || s.p[n] == '#' || (s.p[n] >= '0' && s.p[n] <= '9')))
        n++;
    struct rf_str body = { s.p + 1, n - 1 };
    if (!body.n)
        return 0;
    uint32_t c = body.p[0] == '#' ? numbered(body) : rf_html_entity(body);
    if (c >= 0x80 && c < 0xa0) /* what was meant is windows-1252 */
        c = rf_charset_latin(c);
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *out_n = rf_utf8_put(c, out);
    return n < s.n && s.p[n] == ';' ? n + 1 : n;
}

struct rf_str rf_html_unescape(struct rf_arena *a, struct rf_str s)
{
    if (!s.n || !memchr(s.p, '&', s.n))
        return s;
    char *out = rf_arena_alloc(a, s.n + 4);
    size_t n = 0;
    while (s.n) {
        unsigned length = 0;
        size_t used = s.p[0] == '&' ? entity(s, out + n, &length) : 0;
        if (!used) {
            out[n] = s.p[0];
            used = length = 1;
        }
        n += length;
        s = from(s, used);
    }
    return (struct rf_str){ out, n };
}

/* Cut the next attribute off the front. */
static bool next_attribute(struct rf_str *rest, struct rf_str *name, struct rf_str *value)
{
    size_t i = 0, start;

    while (i < rest->n && (is_space(rest->p[i]) || rest->p[i] == '/'))
        i++;
    start = i;
    while (i < rest->n && !is_space(rest->p[i]) && (rest->p[i] != '=' || i == start))
        i++;
    *name = (struct rf_str){ rest->p + start, i - start };
    *value = RF_STR("");
    while (i < rest->n && is_space(rest->p[i]))
        i++;
    if (i < rest->n && rest->p[i] == '=') {
        i++;
        while (i < rest->n && is_space(rest->p[i]))
            i++;
        char quote = i < rest->n && (rest->p[i] == '"' || rest->p[i] == '\'') ? rest->p[i++] : 0;
        start = i;
        while (i < rest->n && (quote ? rest->p[i] != quote : !is_space(rest->p[i])))
            i++;
        *value = (struct rf_str){ rest->p + start, i - start };
        i += quote && i < rest->n;
    }
    *rest = from(*rest, i);
    return name->n > 0;
}

static bool raw_attribute(struct rf_str tag, const char *name, struct rf_str *value)
{
    struct rf_str found;

    while (next_attribute(&tag, &found, value))
        if (rf_str_ieq(found, rf_str(name)))
            return true;
    *value = RF_STR("");
    return false;
}

struct rf_str rf_html_attribute(struct rf_arena *a, struct rf_str tag, const char *name)
{
    struct rf_str value;

    raw_attribute(tag, name, &value);
    return rf_html_unescape(a, value);
}

/* The end of a tag whose '<' is at 0: the place of its '>'. Quotes may hide one. */
static size_t tag_end(struct rf_str s)
{
    char quote = 0;

    for (size_t i = 1; i < s.n; i++) {
        if (quote)
            quote = s.p[i] == quote ? 0 : quote;
        else if (s.p[i] == '>')
            return i;
        else if ((s.p[i] == '"' || s.p[i] == '\'') && s.p[i - 1] == '=')
            quote = s.p[i];
    }
    const char *end = memchr(s.p, '>', s.n); /* a quote that never closes: the first will do */
    return end ? (size_t)(end - s.p) : s.n;
}

/* Comments, declarations and processing instructions: their length, or 0 where it is
 * something else. */
static size_t aside(struct rf_str s)
{
    size_t end;

    if (rf_str_starts(s, "<!--")) {
        end = find(from(s, 4), "-->");
        return end + 7 < s.n ? end + 7 : s.n;
    }
    if (rf_str_starts(s, "<![CDATA[")) /* its text is shown */
        return 9;
    if (s.n > 1 && (s.p[1] == '!' || s.p[1] == '?')) {
        const char *close = memchr(s.p, '>', s.n);
        return close ? (size_t)(close - s.p) + 1 : s.n;
    }
    return 0;
}

/* The tag at the front of `rest`, which moves past it; false where '<' is only a character. */
static bool next_tag(struct rf_str *rest, struct tag *tag)
{
    struct rf_str s = *rest;
    size_t at = 1;

    *tag = (struct tag){ .end = s.n > 1 && s.p[1] == '/' };
    at += tag->end;
    if (at >= s.n || !is_letter(s.p[at]))
        return false;
    size_t end = tag_end(s), start = at;
    while (at < end && !is_space(s.p[at]) && s.p[at] != '/')
        at++;
    tag->name = (struct rf_str){ s.p + start, at - start };
    const char *colon = memrchr(tag->name.p, ':', tag->name.n); /* <o:p>, <xhtml:p> */
    if (colon)
        tag->name = from(tag->name, (size_t)(colon + 1 - tag->name.p));
    tag->inside = (struct rf_str){ s.p + at, end - at };
    tag->alone = end < s.n && s.p[end - 1] == '/';
    *rest = from(s, end < s.n ? end + 1 : s.n);
    return true;
}

static int compare(const void *key, const void *row)
{
    const struct rf_str *name = key;
    const struct known *k = row;
    int order = strncasecmp(name->p, k->name, name->n);
    size_t n = strlen(k->name);

    return order ? order : (name->n > n) - (name->n < n);
}

static enum act act_of(struct rf_str name)
{
    const struct known *k = NULL;

    if (name.n && name.n < 16)
        k = bsearch(&name, known, sizeof known / sizeof *known, sizeof *known, compare);
    return k ? k->act : NOTHING;
}

/* Move to </name>, as browsers do for what does not hold markup. */
static void skip_raw(struct reader *r, struct rf_str name)
{
    for (size_t i = 0; i + 2 + name.n <= r->rest.n; i++)
        if (r->rest.p[i] == '<' && r->rest.p[i + 1] == '/' &&
            strncasecmp(r->rest.p + i + 2, name.p, name.n) == 0) {
            r->rest = from(r->rest, i);
            return;
        }
    r->rest = from(r->rest, r->rest.n);
}

/* Move past </name>, skipping elements of the same name inside; false where it never
 * comes. */
static bool skip_element(struct reader *r, struct rf_str name)
{
    unsigned depth = 1;
    struct tag tag;

    while (r->rest.n && depth) {
        const char *open = memchr(r->rest.p, '<', r->rest.n);
        r->rest = open ? from(r->rest, (size_t)(open - r->rest.p)) : from(r->rest, r->rest.n);
        if (!r->rest.n)
            return false;
        size_t beside = aside(r->rest);
        if (beside || !next_tag(&r->rest, &tag)) {
            r->rest = from(r->rest, beside ? beside : 1);
            continue;
        }
        if (act_of(tag.name) == RAW && !tag.end && !tag.alone)
            skip_raw(r, tag.name);
        else if (rf_str_ieq(tag.name, name) && !tag.alone)
            depth = tag.end ? depth - 1 : depth + 1;
    }
    return depth == 0;
}

static bool is_hidden(const struct tag *tag)
{
    struct rf_str value;

    if (tag->end || tag->alone || tag->inside.n < 6)
        return false;
    if (raw_attribute(tag->inside, "hidden", &value))
        return true;
    return raw_attribute(tag->inside, "style", &value) &&
           (find(value, "display:none") < value.n || find(value, "display: none") < value.n);
}

/* Is the table that begins here one of rows and columns? */
static bool is_drawn(struct rf_str s)
{
    unsigned cells = 0, most = 0;
    struct tag tag;

    for (;;) {
        const char *open = s.n ? memchr(s.p, '<', s.n) : NULL;
        if (!open)
            return most > 1;
        s = from(s, (size_t)(open - s.p));
        size_t beside = aside(s);
        if (beside || !next_tag(&s, &tag)) {
            s = from(s, beside ? beside : 1);
            continue;
        }
        if (rf_str_ieq(tag.name, RF_STR("table")))
            return tag.end && most > 1;
        if (rf_str_ieq(tag.name, RF_STR("tr")))
            cells = 0;
        else if (!tag.end && act_of(tag.name) == CELL)
            most = ++cells > most ? cells : most;
    }
}

static bool in_drawn(const struct reader *r)
{
    return r->tables && r->tables <= MAX_TABLES && r->drawn[r->tables - 1];
}

static void table(struct reader *r, const struct tag *tag)
{
    if (!tag->end) {
        bool drawn = r->tables < MAX_TABLES && is_drawn(r->rest);
        if (r->tables < MAX_TABLES)
            r->drawn[r->tables] = drawn;
        r->tables++;
        if (drawn)
            rf_prose_table(r->p);
        else
            rf_prose_block(r->p);
    } else if (r->tables) {
        if (in_drawn(r))
            rf_prose_table_end(r->p);
        else
            rf_prose_block(r->p);
        r->tables--;
    }
}

static void list(struct reader *r, const struct tag *tag)
{
    if (!tag->end) {
        if (r->lists < MAX_LISTS) {
            int64_t start = 1;
            rf_str_int64(rf_html_attribute(r->arena, tag->inside, "start"), &start);
            r->list[r->lists].ordered = rf_str_ieq(tag->name, RF_STR("ol"));
            r->list[r->lists].number = start > 0 && start < 100000 ? (unsigned)start - 1 : 0;
        }
        r->lists++;
        rf_prose_block(r->p);
    } else if (r->lists) {
        r->lists--;
        rf_prose_plain(r->p);
    }
}

static void item(struct reader *r, const struct tag *tag)
{
    unsigned depth = r->lists ? r->lists - 1 : 0;
    unsigned number = 0;

    if (tag->end) {
        rf_prose_plain(r->p);
        return;
    }
    if (r->lists && depth < MAX_LISTS && r->list[depth].ordered)
        number = ++r->list[depth].number;
    rf_prose_item(r->p, depth, number);
}

static bool is_shown_link(struct rf_str link)
{
    static const char *const shown[] = { "http:", "https:", "mailto:", "ftp:", "tel:" };

    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (link.n >= strlen(shown[i]) && strncasecmp(link.p, shown[i], strlen(shown[i])) == 0)
            return true;
    return false;
}

static void link_tag(struct reader *r, const struct tag *tag)
{
    struct rf_str link;

    rf_prose_link_end(r->p);
    if (tag->end)
        return;
    link = rf_str_trim(rf_html_attribute(r->arena, tag->inside, "href"));
    if (is_shown_link(link))
        rf_prose_link(r->p, link);
}

static void add_text(struct reader *r, struct rf_str text)
{
    r->has_text = r->has_text || !rf_str_blank(text);
    if (r->exact)
        rf_prose_exact(r->p, text);
    else
        rf_prose_text(r->p, text);
}

static void picture(struct reader *r, const struct tag *tag)
{
    struct rf_figures *pictures = r->p->md.pictures;
    struct rf_str alt = rf_str_trim(rf_html_attribute(r->arena, tag->inside, "alt"));
    struct rf_str src = rf_str_trim(rf_html_attribute(r->arena, tag->inside, "src"));
    struct rf_figure found = { 0 };

    if (src.n && pictures->find && pictures->find(pictures->context, src, &found)) {
        found.alt = alt;
        add_text(r, rf_figure_words(r->arena, &found));
        rf_figures_add(pictures, &found);
    } else if (alt.n) {
        add_text(r, rf_strf(r->arena, "[Image: %.*s]", (int)alt.n, alt.p));
    }
}

static void field(struct reader *r, const struct tag *tag)
{
    struct rf_str kind = rf_html_attribute(r->arena, tag->inside, "type");

    if (kind.n == 0 || rf_str_ieq(kind, RF_STR("text")) || rf_str_ieq(kind, RF_STR("submit")) ||
        rf_str_ieq(kind, RF_STR("button")))
        add_text(r, rf_html_attribute(r->arena, tag->inside, "value"));
}

static void cell_or_row(struct reader *r, const struct tag *tag, enum act act)
{
    if (!in_drawn(r))
        rf_prose_block(r->p);
    else if (tag->end)
        return;
    else if (act == ROW)
        rf_prose_row(r->p);
    else
        rf_prose_cell(r->p);
}

static void exact(struct reader *r, const struct tag *tag)
{
    rf_prose_block(r->p);
    if (!tag->end && !tag->alone)
        r->exact++;
    else if (r->exact)
        r->exact--;
}

/* Its text does not count once it has ended; one that never ends is the page's own. */
static void instead(struct reader *r, const struct tag *tag)
{
    rf_prose_block(r->p);
    if (tag->end && r->instead)
        r->has_text = r->had_text;
    else if (!r->instead)
        r->had_text = r->has_text;
    r->instead = !tag->end && (r->instead || !tag->alone);
}

static void take_tag(struct reader *r, const struct tag *tag)
{
    enum act act = act_of(tag->name);

    if (act != LINE && act != PICTURE && act != FIELD && act != RULE && !r->hides_nothing &&
        is_hidden(tag)) {
        struct rf_str rest = r->rest;
        if (!skip_element(r, tag->name)) {
            r->hides_nothing = true;
            r->rest = rest;
        }
        return;
    }
    switch (act) {
    case NOTHING:
        break;
    case BLOCK:
        rf_prose_block(r->p);
        break;
    case TERM:
    case LINE:
        if (act == LINE || !tag->end)
            rf_prose_line(r->p);
        break;
    case RULE:
        rf_prose_block(r->p);
        break;
    case HEADING:
        if (tag->end)
            rf_prose_plain(r->p);
        else
            rf_prose_heading(r->p, (unsigned)(tag->name.p[1] - '0'));
        break;
    case LIST:
        list(r, tag);
        break;
    case ITEM:
        item(r, tag);
        break;
    case TABLE:
        table(r, tag);
        break;
    case ROW:
    case CELL:
        cell_or_row(r, tag, act);
        break;
    case LINK:
        link_tag(r, tag);
        break;
    case PICTURE:
        picture(r, tag);
        break;
    case FIELD:
        field(r, tag);
        break;
    case INSTEAD:
        instead(r, tag);
        break;
    case EXACT:
        exact(r, tag);
        break;
    case RAW:
        if (!tag->end && !tag->alone)
            skip_raw(r, tag->name);
        break;
    case SKIP:
        if (!tag->end && !tag->alone)
            skip_element(r, tag->name);
        break;
    }
}

/* A '<' that does not begin a tag: a character, or the end tag of nothing. Where no '>' follows,
 * all of the rest is text. */
static void take_stray(struct reader *r)
{
    bool closing = r->rest.n > 1 && r->rest.p[1] == '/';
    size_t end = closing ? tag_end(r->rest) : 0;
    bool is_tag = closing && end < r->rest.n;
    size_t n = is_tag ? end + 1 : closing ? r->rest.n : 1;

    if (!is_tag)
        add_text(r, rf_html_unescape(r->arena, (struct rf_str){ r->rest.p, n }));
    r->rest = from(r->rest, n);
}

bool rf_html_prose(struct rf_prose *p, struct rf_str html)
{
    struct reader r = { .p = p, .arena = p->md.arena, .rest = html };
    struct tag tag;

    while (r.rest.n && !rf_markup_over(&p->md)) {
        const char *open = memchr(r.rest.p, '<', r.rest.n);
        size_t n = open ? (size_t)(open - r.rest.p) : r.rest.n;
        if (n)
            add_text(&r, rf_html_unescape(r.arena, (struct rf_str){ r.rest.p, n }));
        r.rest = from(r.rest, n);
        size_t beside = r.rest.n ? aside(r.rest) : 0;
        if (beside)
            r.rest = from(r.rest, beside);
        else if (r.rest.n && next_tag(&r.rest, &tag))
            take_tag(&r, &tag);
        else if (r.rest.n)
            take_stray(&r);
    }
    for (; r.tables; r.tables--)
        if (in_drawn(&r))
            rf_prose_table_end(p);
    rf_prose_link_end(p);
    rf_prose_plain(p);
    return r.has_text;
}

struct rf_str rf_html_title(struct rf_arena *a, struct rf_str html)
{
    struct tag tag;

    html = from(html, find(html, "<title"));
    if (!html.n || !next_tag(&html, &tag) || tag.alone)
        return RF_STR("");
    return rf_str_trim(rf_html_unescape(a, (struct rf_str){ html.p, find(html, "</title") }));
}

struct rf_str rf_html_utf8(struct rf_arena *a, struct rf_str charset, struct rf_str bytes,
                           struct rf_recoding *told)
{
    return rf_recode(a, rf_charset_shown(charset) ? charset : rf_declared(bytes), bytes, told);
}

/* Where a page without text has its content, the likeliest first. */
static const struct place {
    const char *tags, *attributes; /* the elements, and where they name something */
    const char *before, *one;
} places[] = {
    { "frame", "src", "a frameset of ", "page" },
    { "iframe", "src", "it shows ", "other page" },
    { "object embed applet video audio", "src data code", "", "embedded object" },
    { "img", "src", "", "picture" },
    { "svg canvas", "", "", "drawing" },
    { "script", "src", "its text may be made by ", "script" },
    { "a area", "href", "", "link" },
};
#define PLACES (sizeof places / sizeof *places)
#define MAX_NAMES 300 /* bytes */

static bool is_among(struct rf_str word, const char *words)
{
    struct rf_str rest = rf_str(words), one;

    while (rf_str_split(&rest, ' ', &one))
        if (rf_str_ieq(one, word))
            return true;
    return false;
}

static struct rf_str named_by(struct rf_arena *a, const struct tag *tag, const char *attributes)
{
    struct rf_str rest = rf_str(attributes), one, value = RF_STR("");

    while (!value.n && rf_str_split(&rest, ' ', &one))
        value = rf_str_trim(rf_html_attribute(a, tag->inside, rf_cstr(a, one)));
    return value;
}

struct found {
    unsigned count;
    struct rf_buf names;
};

static void take_place(struct found *f, const struct place *place, const struct tag *tag,
                       struct rf_arena *a)
{
    struct rf_str name = named_by(a, tag, place->attributes);

    f->count++;
    if (name.n && f->names.n + name.n + 2 < MAX_NAMES)
        rf_buf_addf(&f->names, "%s%.*s", f->names.n ? ", " : ": ", RF_FMT(name));
}

static void find_places(struct rf_arena *a, struct rf_str html, struct found *found)
{
    struct reader r = { .arena = a, .rest = html };
    const char *open;
    struct tag tag;

    while (r.rest.n && (open = memchr(r.rest.p, '<', r.rest.n))) {
        r.rest = from(r.rest, (size_t)(open - r.rest.p));
        size_t beside = aside(r.rest);
        if (beside || !next_tag(&r.rest, &tag)) {
            r.rest = from(r.rest, beside ? beside : 1);
            continue;
        }
        for (size_t i = 0; !tag.end && i < PLACES; i++)
            if (is_among(tag.name, places[i].tags))
                take_place(&found[i], &places[i], &tag, a);
        if (!tag.end && !tag.alone && act_of(tag.name) == RAW)
            skip_raw(&r, tag.name);
    }
}

/* A page may be there for its frames, its scripts or its pictures: say which, where it has no
 * text. */
static void say_empty(struct rf_arena *a, struct rf_str html, struct rf_str title,
                      struct rf_answer *to)
{
    struct found found[PLACES] = { 0 };
    struct rf_buf b;

    for (size_t i = 0; i < PLACES; i++)
        rf_buf_init(&found[i].names, a, MAX_NAMES);
    rf_buf_init(&b, a, PLACES * MAX_NAMES * 2);
    find_places(a, html, found);
    for (size_t i = 0; i < PLACES; i++) {
        const struct place *p = &places[i];
        if (!found[i].count)
            continue;
        rf_buf_addf(&b, "%s%s%u %s%s%.*s", b.n ? "; " : ": ", p->before, found[i].count, p->one,
                    found[i].count == 1 ? "" : "s", (int)found[i].names.n,
                    found[i].names.n ? found[i].names.p : "");
    }
    rf_answer_note(to, "the page has no text%s%.*s%s%.*s", title.n ? ", only the title \"" : "",
                   RF_FMT(title), title.n ? "\"" : "", (int)b.n, b.n ? b.p : "");
}

void rf_office_html(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    struct rf_office_range range;
    struct rf_prose p;

    rf_answer_fact(to, "pages", "1");
    if (!rf_office_range(ask, 1, &range, to) || range.first == range.end)
        return;
    struct rf_recoding told = { 0 };
    struct rf_str html = rf_html_utf8(ask->arena, RF_STR(""), bytes, &told);
    rf_recoding_say(&told, to);
    struct rf_str title = rf_html_title(ask->arena, html);
    rf_prose_begin(&p, rf_figures_new(ask, to), 1, title);
    bool has_text = rf_html_prose(&p, html);
    rf_prose_end(&p);
    if (!has_text)
        say_empty(ask->arena, html, title, to);
}
