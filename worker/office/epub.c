/* EPUB: a package file names the documents in reading order; each is a page here.
 *
 * META-INF/container.xml names the package; its manifest gives ids to files and its spine orders
 * the ids. Chapters are HTML, read as leniently as any. A book whose chapters are encrypted is
 * refused. */
#include "base/arena.h"
#include "worker/office/html.h"
#include "worker/office/media.h"
#include "worker/office/office.h"
#include "worker/office/sax.h"

#define MAX_ITEMS 5000
#define MAX_CHAPTER ((size_t)16 << 20) /* bytes of one chapter's HTML */
#define MAX_TITLE 200

struct item {
    struct rf_str id, href;
    bool html;
};

struct book {
    struct rf_arena *arena;
    struct rf_unzip *zip;
    struct rf_str chapter; /* the path of the one that is shown */
    struct rf_str package; /* the path of the package file */
    struct item *items;
    size_t item_n, item_cap;
    struct rf_str *spine; /* ids */
    size_t spine_n, spine_cap;
    struct rf_str *locked; /* paths that are encrypted */
    size_t locked_n, locked_cap;
    struct rf_buf title;
    bool in_title, titled;
};

enum { ROOTFILE = 1, ITEM, ITEMREF, TITLE, CIPHER };

static const struct rf_sax_word words[] = {
    { "rootfile", ROOTFILE },      { "item", ITEM }, { "itemref", ITEMREF }, { "title", TITLE },
    { "CipherReference", CIPHER },
};

static bool is_html(struct rf_str type)
{
    return rf_str_is(type, "application/xhtml+xml") || rf_str_is(type, "text/html") ||
           rf_str_is(type, "application/x-dtbook+xml") || rf_str_is(type, "text/x-oeb1-document");
}

static void add_item(struct book *b, const struct rf_sax *x)
{
    if (b->item_n == MAX_ITEMS)
        return;
    *RF_PUSH(b->arena, b->items, b->item_n, b->item_cap) = (struct item){
        .id = rf_str_dup(b->arena, rf_sax_str(x, "id")),
        .href = rf_str_dup(b->arena, rf_sax_str(x, "href")),
        .html = is_html(rf_sax_str(x, "media-type")),
    };
}

static void start(void *state, int id, struct rf_sax *x)
{
    struct book *b = state;

    if (id == ROOTFILE && !b->package.n)
        b->package = rf_str_dup(b->arena, rf_sax_str(x, "full-path"));
    else if (id == ITEM)
        add_item(b, x);
    else if (id == ITEMREF && b->spine_n < MAX_ITEMS)
        *RF_PUSH(b->arena, b->spine, b->spine_n, b->spine_cap) =
            rf_str_dup(b->arena, rf_sax_str(x, "idref"));
    else if (id == CIPHER && b->locked_n < MAX_ITEMS)
        *RF_PUSH(b->arena, b->locked, b->locked_n, b->locked_cap) =
            rf_str_dup(b->arena, rf_sax_str(x, "URI"));
    b->in_title = id == TITLE && !b->titled;
}

static void end(void *state, int id, struct rf_sax *x)
{
    struct book *b = state;

    (void)x;
    b->titled = b->titled || (id == TITLE && b->title.n);
    b->in_title = false;
}

static void text(void *state, struct rf_str s)
{
    struct book *b = state;

    if (b->in_title && b->title.n + s.n <= MAX_TITLE)
        rf_buf_add(&b->title, s);
}

static enum rf_code read_xml(struct book *b, struct rf_unzip *zip, struct rf_str path,
                             struct rf_err *err)
{
    static const struct rf_sax_grammar grammar = { RF_SAX_WORDS(words), .start = start, .end = end,
                                                   .text = text };
    int64_t index = rf_unzip_find(zip, path);

    return index < 0 ? rf_fail(err, RF_EFORMAT, "the book has no \"%.*s\"", (int)path.n, path.p)
                     : rf_sax_member(&grammar, b, zip, index, err);
}

/* The member that a reference means: percent escapes undone, what comes after '#' cut off. */
static int64_t find_member(struct book *b, struct rf_str from, struct rf_str href)
{
    char *out = rf_arena_alloc(b->arena, href.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < href.n && href.p[i] != '#'; i++) {
        bool escape = href.p[i] == '%' && i + 2 < href.n && rf_hex_digit(href.p[i + 1]) >= 0 &&
                      rf_hex_digit(href.p[i + 2]) >= 0;
        out[n++] = escape ? (char)(rf_hex_digit(href.p[i + 1]) * 16 + rf_hex_digit(href.p[i + 2]))
                          : href.p[i];
        i += escape ? 2 : 0;
    }
    return rf_unzip_find(b->zip, rf_unzip_resolve(b->arena, from, (struct rf_str){ out, n }));
}

static bool find_picture(void *context, struct rf_str src, struct rf_figure *out)
{
    struct book *b = context;
    struct rf_unzip_member m;

    out->id = find_member(b, b->chapter, src);
    if (out->id < 0 || !rf_unzip_member(b->zip, out->id, &m))
        return false;
    const char *slash = memrchr(m.name.p, '/', m.name.n);
    out->name =
        slash ? (struct rf_str){ slash + 1, m.name.n - (size_t)(slash + 1 - m.name.p) } : m.name;
    return true;
}

/* The chapters in their order: members of the archive. */
static int64_t *chapters(struct book *b, size_t *count)
{
    int64_t *out = RF_ARRAY(b->arena, int64_t, b->spine_n + b->item_n + 1);
    size_t n = 0, at = 0;

    for (size_t i = 0; i < b->spine_n; i++)
        for (size_t k = 0; k < b->item_n; k++) {
            const struct item *item = &b->items[at]; /* most often the one after the last */
            at = at + 1 < b->item_n ? at + 1 : 0;
            if (rf_str_eq(item->id, b->spine[i])) {
                int64_t index = item->html ? find_member(b, b->package, item->href) : -1;
                if (index >= 0)
                    out[n++] = index;
                break;
            }
        }
    for (size_t k = 0; !b->spine_n && k < b->item_n; k++) { /* no order is given: the manifest's */
        int64_t index = b->items[k].html ? find_member(b, b->package, b->items[k].href) : -1;
        if (index >= 0)
            out[n++] = index;
    }
    *count = n;
    return out;
}

static bool is_locked(const struct book *b, int64_t index)
{
    struct rf_unzip_member m;

    if (!rf_unzip_member(b->zip, index, &m))
        return false;
    for (size_t i = 0; i < b->locked_n; i++)
        if (rf_str_eq(b->locked[i], m.name))
            return true;
    return m.encrypted;
}

static struct rf_str chapter_title(struct book *b, struct rf_str html)
{
    struct rf_str title = rf_html_title(b->arena, html);

    return title.n ? title : (struct rf_str){ b->title.n ? b->title.p : "", b->title.n };
}

/* One of them; false where reading on makes no sense. */
static bool show_chapter(struct book *b, int64_t index, int64_t page, struct rf_figures *pictures)
{
    struct rf_answer *to = pictures->to;
    struct rf_unzip_member m;
    struct rf_prose p;
    struct rf_str bytes;
    struct rf_err err;
    enum rf_code rc = rf_unzip_read(b->zip, index, MAX_CHAPTER, &bytes, &err);

    if (rc) {
        rf_office_page(pictures, page, RF_STR(""));
        rf_answer_note(to, "chapter %lld could not be read: %s", (long long)page, err.msg);
        return rc != RF_ELIMIT;
    }
    struct rf_str html = rf_html_utf8(b->arena, RF_STR(""), bytes, NULL);
    b->chapter = rf_unzip_member(b->zip, index, &m) ? m.name : RF_STR("");
    rf_prose_begin(&p, pictures, page, chapter_title(b, html));
    rf_html_prose(&p, html);
    rf_prose_end(&p);
    return !rf_answer_over(to);
}

static enum rf_code open_book(struct book *b, struct rf_unzip *zip, struct rf_err *err)
{
    struct rf_err ignored;

    rf_buf_init(&b->title, b->arena, MAX_TITLE);
    if (rf_unzip_find(zip, RF_STR("META-INF/encryption.xml")) >= 0 &&
        read_xml(b, zip, RF_STR("META-INF/encryption.xml"), &ignored))
        b->locked_n = 0;
    enum rf_code rc = read_xml(b, zip, RF_STR("META-INF/container.xml"), err);
    return rc && !b->package.n ? rc : read_xml(b, zip, b->package, err);
}

void rf_office_epub(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to)
{
    struct book b = { .arena = ask->arena, .zip = zip };
    struct rf_figures *pictures = rf_media_open(ask, zip, to);
    struct rf_office_range range;
    struct rf_err err = { .code = RF_EFORMAT };
    size_t count;
    enum rf_code rc = open_book(&b, zip, &err);
    int64_t *order = chapters(&b, &count);

    if (!count) {
        if (rc)
            rf_office_fail(to, &err);
        else
            rf_answer_fail(to, RF_EFORMAT, "", "the book has no chapters that can be read");
        return;
    }
    if (is_locked(&b, order[0]) || is_locked(&b, order[count - 1])) {
        rf_answer_fail(to, RF_EENCRYPTED, "Only the programs of its shop can open it.",
                       "the book is encrypted");
        return;
    }
    rf_answer_fact(to, "pages", "%zu", count);
    if (b.title.n)
        rf_answer_fact(to, "title", "%.*s", (int)b.title.n, b.title.p);
    if (!rf_office_range(ask, (int64_t)count, &range, to))
        return;
    pictures->find = find_picture;
    pictures->context = &b;
    for (int64_t i = range.first; i < range.end; i++) {
        if (!show_chapter(&b, order[i], i + 1, pictures))
            break;
        rf_answer_step(to, i + 1 - range.first, range.end - range.first);
    }
    rf_media_end(pictures, &range, (int64_t)count);
}
