/* The PDF worker, asked in this process. The documents are written here, object by object. */
#include "../testing.h"

#include "base/buf.h"
#include "worker/pdf/engine.h"
#include "worker/pdf/layout.h"
#include "worker/pdf/pdf.h"
#include "worker/pdf/structure.h"

#include <qpdf/qpdf-c.h>
#include <sys/socket.h>

/* Fontconfig keeps what it found, and a little more. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

#define MAX_OBJECTS 64
#define MAX_ANSWER ((size_t)1 << 20)
#define MAX_PARTS 16

/* Documents */

struct document {
    struct rf_arena *a;
    struct rf_buf text;
    size_t offsets[MAX_OBJECTS];
    int count; /* objects so far; they count from 1 */
};

static void begin(struct document *d, struct rf_arena *a)
{
    *d = (struct document){ .a = a };
    rf_buf_init(&d->text, a, (size_t)16 << 20);
    rf_buf_addf(&d->text, "%%PDF-1.4\n");
}

__attribute__((format(printf, 2, 3))) static int object(struct document *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    d->offsets[++d->count] = d->text.n;
    rf_buf_addf(&d->text, "%d 0 obj\n", d->count);
    rf_buf_add(&d->text, rf_strfv(d->a, fmt, ap));
    rf_buf_addf(&d->text, "\nendobj\n");
    va_end(ap);
    return d->count;
}

static int stream(struct document *d, const char *extra, const char *data)
{
    return object(d, "<</Length %zu%s>>stream\n%s\nendstream", strlen(data), extra, data);
}

static struct rf_str finish(struct document *d, const char *trailer)
{
    struct rf_str out;
    size_t at = d->text.n;
    rf_buf_addf(&d->text, "xref\n0 %d\n0000000000 65535 f \n", d->count + 1);
    for (int i = 1; i <= d->count; i++)
        rf_buf_addf(&d->text, "%010zu 00000 n \n", d->offsets[i]);
    rf_buf_addf(&d->text, "trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%zu\n%%%%EOF\n",
                d->count + 1, trailer, at);
    assert_int_equal(rf_buf_finish(&d->text, &out, NULL), RF_OK);
    return out;
}

#define FONT "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"

/* A page for each content; objects 1 to 3 are the catalogue, the pages and the font. */
static struct rf_str pages_with(struct rf_arena *a, const char *const *contents, int count,
                                const char *box, const char *trailer)
{
    struct document d;
    begin(&d, a);
    object(&d, "<</Type/Catalog/Pages 2 0 R>>");
    struct rf_buf kids;
    rf_buf_init(&kids, a, 4096);
    for (int i = 0; i < count; i++)
        rf_buf_addf(&kids, "%d 0 R ", 5 + 2 * i);
    object(&d, "<</Type/Pages/Count %d/Kids[%.*s]>>", count, (int)kids.n, kids.p);
    object(&d, FONT);
    for (int i = 0; i < count; i++) {
        int content = stream(&d, "", contents[i]);
        object(&d,
               "<</Type/Page/Parent 2 0 R/MediaBox[%s]/Resources<</Font<</F 3 0 R>>>>"
               "/Contents %d 0 R>>",
               box, content);
    }
    return finish(&d, trailer);
}

static struct rf_str one_page(struct rf_arena *a, const char *content)
{
    return pages_with(a, &content, 1, "0 0 600 800", "");
}

static const char *const five[] = {
    "BT /F 20 Tf 50 700 Td (first page) Tj ET", "BT /F 20 Tf 50 700 Td (second page) Tj ET",
    "BT /F 20 Tf 50 700 Td (third page) Tj ET", "BT /F 20 Tf 50 700 Td (fourth page) Tj ET",
    "BT /F 20 Tf 50 700 Td (fifth page) Tj ET",
};

static struct rf_str five_pages(struct rf_arena *a)
{
    return pages_with(a, five, 5, "0 0 600 800", "/Info<</Title(A title)/Author(Somebody)>>");
}

static struct rf_str encrypted(struct rf_arena *a, const char *user, const char *owner)
{
    struct rf_str plain = five_pages(a), out;
    qpdf_data q = qpdf_init();
    assert_int_equal(qpdf_read_memory(q, "plain", plain.p, plain.n, NULL), QPDF_SUCCESS);
    assert_int_equal(qpdf_init_write_memory(q), QPDF_SUCCESS);
    qpdf_set_r6_encryption_parameters2(q, user, owner, QPDF_TRUE, QPDF_TRUE, QPDF_TRUE, QPDF_TRUE,
                                       QPDF_TRUE, QPDF_TRUE, qpdf_r3p_full, QPDF_TRUE);
    assert_int_equal(qpdf_write(q), QPDF_SUCCESS);
    out = rf_str_dup(
        a, (struct rf_str){ (const char *)qpdf_get_buffer(q), qpdf_get_buffer_length(q) });
    qpdf_cleanup(&q);
    return out;
}

/* Answers */

struct reply {
    struct rf_str facts, fail; /* the facts with a line feed after each */
    struct rf_str notes;
    struct {
        struct rf_str props, data;
    } parts[MAX_PARTS];
    int count;
};

static void take_frame(struct rf_arena *a, enum rf_frame_kind kind, struct rf_str data,
                       struct reply *out)
{
    struct rf_str *last = out->count ? &out->parts[out->count - 1].data : NULL;
    if (kind == RF_FRAME_FACT)
        out->facts = rf_str_join(a, out->facts, rf_str_join(a, data, RF_STR("\n")));
    else if (kind == RF_FRAME_NOTE)
        out->notes = rf_str_join(a, out->notes, rf_str_join(a, data, RF_STR("\n")));
    else if (kind == RF_FRAME_FAIL)
        out->fail = data;
    else if (kind == RF_FRAME_PART && out->count < MAX_PARTS)
        out->parts[out->count++].props = data;
    else if ((kind == RF_FRAME_TEXT || kind == RF_FRAME_BYTES) && last)
        *last = rf_str_join(a, *last, data);
}

static void read_frames(struct rf_arena *a, int from, struct reply *out)
{
    char *all = rf_arena_alloc(a, MAX_ANSWER);
    size_t n = 0;
    for (ssize_t got; (got = recv(from, all + n, MAX_ANSWER - n, MSG_DONTWAIT)) > 0;)
        n += (size_t)got;
    for (size_t at = 0; at < n;) {
        struct rf_frame_head head;
        memcpy(&head, all + at, sizeof head);
        at += sizeof head;
        take_frame(a, (enum rf_frame_kind)head.kind, (struct rf_str){ all + at, head.length }, out);
        at += head.length;
    }
}

/* All of the answer has to fit into the socket, as nobody reads meanwhile. */
static struct reply ask(struct rf_arena *a, struct rf_str bytes, const char *lines)
{
    struct reply out = { 0 };
    int pair[2], size = (int)MAX_ANSWER;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size), 0);
    struct rf_ask asked = {
        .arena = a, .text = rf_str(lines), .fd = -1, .size = bytes.n, .bytes = bytes
    };
    struct rf_answer to = { .socket = pair[0] };
    rf_pdf_answer(&asked, &to);
    assert_false(to.gone);
    read_frames(a, pair[1], &out);
    close(pair[0]);
    close(pair[1]);
    return out;
}

static uint32_t be32(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* Text */

static const struct {
    const char *name, *content, *want;
} texts[] = {
    { "lines of a paragraph", "BT /F 12 Tf 14 TL 50 700 Td (one line) Tj T* (and another) Tj ET",
      "one line\nand another" },
    { "a gap is an empty line", "BT /F 12 Tf 50 700 Td (one) Tj 0 -40 Td (two) Tj ET",
      "one\n\ntwo" },
    { "cells of a row are parted by a tab",
      "BT /F 12 Tf 50 700 Td (price) Tj 200 0 Td (12.50) Tj ET", "price\t12.50" },
    { "a cut word is whole again",
      "BT /F 12 Tf 14 TL 50 700 Td (some hyphe-) Tj T* (nated words) Tj ET",
      "some hyphenated\nwords" },
    { "a name keeps its hyphen", "BT /F 12 Tf 14 TL 50 700 Td (some Trace-) Tj T* (Monkey) Tj ET",
      "some Trace-\nMonkey" },
    { "an empty page", "", "" },
    { "a page of commands that make no sense", "BT /F 12 Tf ( unclosed", "" },
};

static void check_text(void **state)
{
    const char *const *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct reply r = ask(a, one_page(a, row[1]), "op=text\n");
    assert_str(r.fail, "");
    assert_int_equal(r.count, 1);
    assert_str(r.parts[0].props, "kind=text\npage=1\n");
    assert_str(r.parts[0].data, row[2]);
    rf_arena_free(a);
}

static void test_forms_are_read(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct document d;
    (void)state;
    begin(&d, a);
    object(&d, "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R]>>>>");
    object(&d, "<</Type/Pages/Count 1/Kids[4 0 R]>>");
    object(&d, FONT);
    object(&d, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Annots[5 0 R]>>");
    object(
        &d,
        "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada)/Rect[50 700 250 720]/F 4/AP<</N 6 0 R>>>>");
    stream(&d, "/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F 3 0 R>>>>",
           "BT /F 12 Tf 2 5 Td (Ada) Tj ET");
    struct rf_str form = finish(&d, "");
    struct reply r = ask(a, form, "op=text\n");
    assert_int_equal(r.count, 1);
    assert_str(r.parts[0].data, "Ada");

    /* and its part still shows it */
    r = ask(a, form, "op=part\n");
    assert_int_equal(r.count, 1);
    r = ask(a, r.parts[0].data, "op=text\n");
    assert_str(r.parts[0].data, "Ada");
    rf_arena_free(a);
}

static void test_pictures_are_counted(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct document d;
    (void)state;
    begin(&d, a);
    object(&d, "<</Type/Catalog/Pages 2 0 R>>");
    object(&d, "<</Type/Pages/Count 1/Kids[4 0 R]>>");
    stream(&d,
           "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray",
           "x");
    object(&d, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 60 80]/Resources<</XObject<</I 3 0 R>>>>"
               "/Contents 5 0 R>>");
    stream(&d, "", "q 60 0 0 80 0 0 cm /I Do Q");
    struct reply r = ask(a, finish(&d, ""), "op=text\n");
    assert_int_equal(r.count, 1);
    assert_str(r.parts[0].props, "kind=text\npage=1\npictures=1\n");
    assert_str(r.parts[0].data, "");
    rf_arena_free(a);
}

/* Placed by hand: what no small document says. */
static const struct {
    const char *name;
    struct rf_glyph items[10];
    const char *want;
} placed[] = {
    { "two lines that the engine glued",
      { { 'a', 0, 0, 5, 10 }, { 'b', 5, 0, 10, 10 }, { 'c', 40, 60, 45, 70 } },
      "ab\n\nc" },
    { "a line that runs upwards stays one",
      { { 'a', 0, 50, 10, 55 }, { 'b', 0, 45, 10, 50 }, { 'c', 0, 40, 10, 45 } },
      "abc" },
    { "a heading stays with its number",
      { { '1', 0, 0, 5, 10 }, { '\n', 5, 10, 5, 10 }, { 'T', 20, 0, 30, 10 } },
      "1\tT" },
    { "leftward words that are listed from the left",
      { { 0x202B, 0, 0, 5, 10 },
        { 0x5D0, 0, 0, 5, 10 },
        { 0x202C, 10, 0, 12, 10 },
        { ' ', 10, 0, 12, 10 },
        { 0x202B, 20, 0, 25, 10 },
        { 0x5D1, 20, 0, 25, 10 },
        { 0x202C, 25, 0, 25, 10 } },
      "\xD7\x91 \xD7\x90" },
    { "control characters are left out",
      { { 'a', 0, 0, 5, 10 }, { 3, 5, 0, 6, 10 }, { 0x85, 5, 0, 6, 10 }, { 'b', 6, 0, 10, 10 } },
      "ab" },
    { "numbers that are none",
      { { 'a', 0, 0, 5, 10 }, { 'b', __builtin_nanf(""), 0, __builtin_inff(), 10 } },
      "ab" },
};

static void check_placed(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const char *name = *(const char *const *)*state;
    for (size_t i = 0; i < COUNT(placed); i++)
        if (strcmp(placed[i].name, name) == 0) {
            struct rf_glyph items[10];
            memcpy(items, placed[i].items, sizeof items);
            struct rf_glyphs glyphs = { .items = items };
            while (glyphs.count < 10 && items[glyphs.count].c)
                glyphs.count++;
            assert_str(rf_layout(&glyphs, a), placed[i].want);
        }
    rf_arena_free(a);
}

/* Facts and ranges */

static void test_facts(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    struct reply r = ask(a, five_pages(a), "op=info\n");
    assert_str(r.facts, "pages=5\ntitle=A title\nauthor=Somebody\n");
    assert_int_equal(r.count, 0);
    rf_arena_free(a);
}

/* What the pages say, from some of them. */
static void test_weight(void **state)
{
    static const char *const all[] = { "op=info\nweigh=5\n", "op=info\nweigh=99\n" };
    struct rf_arena *a = rf_arena_new();
    const struct rf_str facts = RF_STR("pages=5\ntitle=A title\nauthor=Somebody\n");
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++)
        assert_str(ask(a, five_pages(a), all[i]).facts,
                   rf_strf(a, "%.*sletters=47\nweight=1500,0,0,0,0,0,0\n", RF_FMT(facts)).p);
    struct rf_str some = ask(a, five_pages(a), "op=info\nweigh=2\n").facts; /* first and third */
    assert_str(some, rf_strf(a, "%.*sletters=45\nweight=1500,0,0,0,0,0,0\n", RF_FMT(facts)).p);
    rf_arena_free(a);
}

static const struct {
    const char *name, *lines, *want; /* the texts, or "!" and the failure */
} ranges[] = {
    { "from the first page on", "op=text\nlast=2\n", "first page,second page," },
    { "in the middle", "op=text\nfirst=2\nlast=3\n", "second page,third page," },
    { "to the end", "op=text\nfirst=4\n", "fourth page,fifth page," },
    { "an end past the last page is the last page", "op=text\nfirst=5\nlast=99\n", "fifth page," },
    { "a start past the last page names it", "op=text\nfirst=6\n",
      "!usage\nthe document ends with page 5\n\n" },
    { "an empty range", "op=text\nfirst=4\nlast=3\n", "!usage\nthe range of pages is empty\n\n" },
    { "a start before the first page", "op=text\nfirst=0\n",
      "!usage\nthe document ends with page 5\n\n" },
    { "no such operation", "op=dance\n", "!usage\nthe PDF worker knows no such operation\n\n" },
};

static void check_range(void **state)
{
    const char *const *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct reply r = ask(a, five_pages(a), row[1]);
    struct rf_str got = r.fail.n ? rf_str_join(a, RF_STR("!"), r.fail) : RF_STR("");
    for (int i = 0; i < r.count; i++)
        got = rf_str_join(a, got, rf_str_join(a, r.parts[i].data, RF_STR(",")));
    assert_str(got, row[2]);
    rf_arena_free(a);
}

/* Pictures */

static const struct {
    const char *name, *lines, *want; /* the properties, or "!" and the failure */
} renders[] = {
    { "150 dpi unless said", "op=render\n",
      "kind=image\npage=1\nmime=image/png\nwidth=1250\nheight=1667\n" },
    { "a resolution", "op=render\ndpi=72\n",
      "kind=image\npage=1\nmime=image/png\nwidth=600\nheight=800\n" },
    { "a longest side", "op=render\nmax_side=400\n",
      "kind=image\npage=1\nmime=image/png\nwidth=300\nheight=400\n" },
    { "a number of pixels", "op=render\nmax_pixels=30000\n",
      "kind=image\npage=1\nmime=image/png\nwidth=150\nheight=200\n" },
    { "JPEG where only that is taken", "op=render\ndpi=36\ntypes=image/jpeg\n",
      "kind=image\npage=1\nmime=image/jpeg\nwidth=300\nheight=400\n" },
    { "nothing that can be drawn is taken", "op=render\ntypes=image/gif\n",
      "!unsupported\npages are drawn as PNG or JPEG, and neither is taken\n\n" },
};

static void check_render(void **state)
{
    const char *const *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct reply r = ask(a, one_page(a, five[0]), row[1]);
    if (row[2][0] == '!') {
        assert_str(r.fail, row[2] + 1);
    } else {
        assert_int_equal(r.count, 1);
        assert_str(r.parts[0].props, row[2]);
    }
    rf_arena_free(a);
}

/* Bits, colour type: what the header of a PNG says after width and height. */
static const struct {
    const char *name, *content;
    int bits, type;
} pngs[] = {
    { "white", "", 1, 3 },
    { "two colours", "1 0 0 rg 0 0 300 800 re f", 1, 3 },
    { "four colours", "1 0 0 rg 0 0 60 60 re f 0 1 0 rg 60 0 60 60 re f 0 0 1 rg 0 60 60 60 re f",
      2, 3 },
    { "shades of grey",
      "q 600 0 0 800 0 0 cm BI /W 32 /H 1 /BPC 8 /CS /G /F /AHx ID "
      "00081018202830384048505860687078"
      "80889098a0a8b0b8c0c8d0d8e0e8f0f8> EI Q",
      8, 0 },
};

static void check_png(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const char *name = *(const char *const *)*state;
    for (size_t i = 0; i < COUNT(pngs); i++)
        if (strcmp(pngs[i].name, name) == 0) {
            struct reply r =
                ask(a, one_page(a, pngs[i].content), "op=render\ndpi=36\ntypes=image/png\n");
            assert_int_equal(r.count, 1);
            struct rf_str png = r.parts[0].data;
            assert_true(png.n > 33);
            assert_int_equal(be32(png.p + 16), 300);
            assert_int_equal(be32(png.p + 20), 400);
            assert_int_equal(png.p[24], pngs[i].bits);
            assert_int_equal(png.p[25], pngs[i].type);
        }
    rf_arena_free(a);
}

static void test_limit_on_bytes(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    struct reply r = ask(a, one_page(a, five[0]), "op=render\nmax_bytes=4000\n");
    assert_int_equal(r.count, 1);
    assert_true(r.parts[0].data.n <= 4000);
    r = ask(a, one_page(a, five[0]), "op=render\nmax_bytes=10\n");
    assert_int_equal(r.count, 0);
    assert_str(r.notes, "page 1 cannot be drawn in 10 bytes\n");
    assert_true(rf_str_starts(r.fail, "limit\n"));
    rf_arena_free(a);
}

/* Parts */

static void test_parts(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    struct reply r = ask(a, five_pages(a), "op=part\nfirst=2\nlast=3\n");
    assert_int_equal(r.count, 1);
    assert_str(r.parts[0].props, "kind=document\nmime=application/pdf\nfirst=2\nlast=3\n");
    struct reply again = ask(a, five_pages(a), "op=part\nfirst=2\nlast=3\n");
    assert_true(rf_str_eq(r.parts[0].data, again.parts[0].data));
    struct reply text = ask(a, r.parts[0].data, "op=text\n");
    assert_int_equal(text.count, 2);
    assert_str(text.parts[0].data, "second page");
    assert_str(text.parts[1].data, "third page");
    rf_arena_free(a);
}

/* Passwords */

#define CLOSED "!encrypted\nthe document is encrypted\nGive the password that opens it.\n"
#define WRONG \
    "!encrypted\nthe password does not open the document\nGive the password that opens it.\n"

static const struct {
    const char *name, *user, *owner, *lines, *want;
} passwords[] = {
    { "none is given", "user", "owner", "op=text\nlast=1\n", CLOSED },
    { "a wrong one", "user", "owner", "op=text\nlast=1\npassword=guess\n", WRONG },
    { "a wrong one that is not Latin-1", "user", "owner", "op=text\nlast=1\npassword=\xD0\xBF\n",
      WRONG },
    { "the user's", "user", "owner", "op=text\nlast=1\npassword=user\n", "first page" },
    { "the owner's", "user", "owner", "op=text\nlast=1\npassword=owner\n", "first page" },
    { "one that is not Latin-1", "\xD0\xBF", "owner", "op=text\nlast=1\npassword=\xD0\xBF\n",
      "first page" },
    { "none is needed", "", "owner", "op=text\nlast=1\n", "first page" },
    { "of a part", "user", "owner", "op=part\nlast=1\npassword=user\n", "%PDF" },
    { "of a part, missing", "user", "owner", "op=part\nlast=1\n", CLOSED },
};

static void check_password(void **state)
{
    const char *const *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct reply r = ask(a, encrypted(a, row[1], row[2]), row[3]);
    if (row[4][0] == '!') {
        assert_str(r.fail, row[4] + 1);
    } else {
        assert_int_equal(r.count, 1);
        assert_true(rf_str_starts(r.parts[0].data, row[4]));
        assert_true(rf_str_contains(r.facts, RF_STR("encrypted=yes\n")));
    }
    if (row[4][0] == '%')
        assert_str(ask(a, r.parts[0].data, "op=info\n").facts, "pages=1\n");
    rf_arena_free(a);
}

/* Broken and hostile files */

#define HEAD "%PDF-1.4\n"

static const struct {
    const char *name, *bytes, *want; /* the beginning of the failure, or "" where it is readable */
} hostile[] = {
    { "an empty file", "", "malformed\nthe file is empty\n" },
    { "text", "Dear reader,", "malformed\nthe file is not a PDF\n" },
    { "nothing but a first line", HEAD, "malformed\nthe PDF is broken or cut off\n" },
    { "a list of pages that is a number",
      HEAD "1 0 obj<</Type/Catalog/Pages 7>>endobj\ntrailer<</Root 1 0 R>>", "malformed\n" },
    { "pages that are their own children",
      HEAD "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
           "2 0 obj<</Type/Pages/Count 3/Kids[2 0 R 2 0 R 2 0 R]>>endobj\ntrailer<</Root 1 0 R>>",
      "" },
    { "two thousand million pages",
      HEAD "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
           "2 0 obj<</Type/Pages/Count 2000000000/Kids[]>>endobj\ntrailer<</Root 1 0 R>>",
      "malformed\n" },
    { "a form that draws itself",
      HEAD
      "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</X 4 0 R>>>>>>endobj\n"
      "4 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 4 0 R>>>>/Length 11>>stream\n"
      "/X Do /X Do\nendstream endobj\ntrailer<</Root 1 0 R>>",
      "" },
    { "a page of a thousand kilometres",
      HEAD
      "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 2834645669 9]>>endobj\ntrailer<</Root 1 0 R>>",
      "" },
    { "a page without a size",
      HEAD
      "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[5 5 5 5]/CropBox[9 9 9 9]>>endobj\ntrailer<</Root 1 0 R>>",
      "" },
};

static void check_hostile(void **state)
{
    static const char *const asks[] = { "op=info\n", "op=text\n", "op=render\nmax_pixels=1000000\n",
                                        "op=part\n" };
    const char *const *row = *state;
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < COUNT(asks); i++) {
        struct reply r = ask(a, rf_str(row[1]), asks[i]);
        if (*row[2] && !rf_str_starts(r.fail, row[2]))
            assert_str(r.fail, row[2]);
    }
    rf_arena_free(a);
}

/* Every beginning of a document, and every byte of it changed: an answer or a failure, and no end. */
static void test_damage(void **state)
{
    struct rf_arena *a = rf_arena_new(), *once = rf_arena_new();
    (void)state;
    struct rf_str whole = pages_with(a, five, 2, "0 0 60 80", "");
    char *damaged = rf_arena_alloc(a, whole.n + 1);
    for (size_t i = 0; i < whole.n; i += 7) {
        memcpy(damaged, whole.p, whole.n);
        damaged[i] = (char)(damaged[i] ^ 0x15);
        ask(once, (struct rf_str){ damaged, whole.n }, "op=render\ndpi=20\n");
        ask(once, (struct rf_str){ damaged, whole.n }, "op=part\n");
        ask(once, (struct rf_str){ whole.p, i }, "op=text\n");
        rf_arena_reset(once);
    }
    rf_arena_free(once);
    rf_arena_free(a);
}

static void test_deep_tree(void **state)
{
    enum { DEPTH = 20000 };
    struct rf_arena *a = rf_arena_new();
    struct rf_buf b;
    struct rf_str bytes;
    (void)state;
    rf_buf_init(&b, a, (size_t)8 << 20);
    rf_buf_add(&b, RF_STR(HEAD "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"));
    for (int i = 2; i < DEPTH; i++)
        rf_buf_addf(&b, "%d 0 obj<</Type/Pages/Count 1/Kids[%d 0 R]>>endobj\n", i, i + 1);
    rf_buf_addf(&b, "%d 0 obj<</Type/Page/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n",
                DEPTH);
    assert_int_equal(rf_buf_finish(&b, &bytes, NULL), RF_OK);
    ask(a, bytes, "op=info\n");
    ask(a, bytes, "op=text\n");
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest rows[128];
    size_t n = 0;

    assert_null(rf_pdf_start());
#define ROWS(table, check) \
    (name_rows(rows + n, check, table, COUNT(table), sizeof *(table)), n += COUNT(table))
    ROWS(texts, check_text);
    ROWS(placed, check_placed);
    ROWS(ranges, check_range);
    ROWS(renders, check_render);
    ROWS(pngs, check_png);
    ROWS(passwords, check_password);
    ROWS(hostile, check_hostile);
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_forms_are_read), cmocka_unit_test(test_pictures_are_counted),
        cmocka_unit_test(test_facts),          cmocka_unit_test(test_weight),
        cmocka_unit_test(test_limit_on_bytes), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_damage),         cmocka_unit_test(test_deep_tree),
    };
    memcpy(rows + n, others, sizeof others);
    n += COUNT(others);
    return _cmocka_run_group_tests("pdf", rows, n, NULL, NULL);
}
