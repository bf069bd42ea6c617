/* The pictures inside documents, through the office and the legacy worker: that they come at their
 * places between the text, once each, within the limits that the ask names, and are counted. All
 * documents are made here. */
#include "asking.h"
#include "packing.h"

#include <glob.h>

static struct rf_arena *arena;

static int set_up(void **state)
{
    arena = rf_arena_new();
    return use_built_workers(state);
}

static int tear_down(void **state)
{
    rf_arena_free(arena);
    return stop_workers(state);
}

/* The text, with "{name alt}" for each picture, "+" where text goes on after one, and at the end
 * how many were given of how many. */
static struct rf_str told(const struct rf_job *job)
{
    struct rf_buf b;

    if (job->failed)
        return rf_strf(arena, "!%s: %s", rf_code_name(job->failed), job->err.msg);
    rf_buf_init(&b, arena, (size_t)1 << 20);
    for (size_t i = 0; i < job->part_count; i++) {
        struct rf_str name = prop_of(job, i, "name"), alt = prop_of(job, i, "alt");
        if (rf_str_is(prop_of(job, i, "kind"), "image")) {
            assert_true(job->parts[i].bytes.size > 0);
            assert_true(rf_str_starts(prop_of(job, i, "mime"), "image/"));
            rf_buf_addf(&b, "{%.*s%s%.*s}", (int)name.n, name.p, alt.n ? " " : "", (int)alt.n,
                        alt.p);
            continue;
        }
        if (number_of(job, i, "goes_on"))
            rf_buf_addf(&b, "+");
        else if (i)
            rf_buf_addf(&b, "---\n");
        rf_buf_add(&b, job->parts[i].text);
    }
    struct rf_str given = fact_of(job, "pictures_given"), all = fact_of(job, "pictures");
    rf_buf_addf(&b, " %.*s/%.*s", (int)given.n, given.p, (int)all.n, all.p);
    return (struct rf_str){ b.p, b.n };
}

#define PNG_BYTES "\x89PNG\r\n\x1a\n0123456789"
#define PNG B(PNG_BYTES)
#define GIF B("GIF89a\1\0\1\0\0\0\0;")
#define EMF B("\1\0\0\0\x6c\0\0\0") /* and nothing else of one */

#define REL(id, type, target) "<Relationship Id='" id "' Type='t/" type "' Target='" target "'/>"
#define RELS(rels) "<Relationships>" rels "</Relationships>"
#define P(text) "<w:p><w:r><w:t>" text "</w:t></w:r></w:p>"
#define DRAWN(id, alt)                                                         \
    "<w:r><w:drawing><wp:docPr descr='" alt "'/><pic:pic><a:blip r:embed='" id \
    "'/></pic:pic></w:drawing></w:r>"
#define DOCX(body)                                                                            \
    {                                                                                         \
        { "_rels/.rels", B(RELS(REL("r", "officeDocument", "word/document.xml"))) },          \
            { "word/document.xml", B("<w:document><w:body>" body "</w:body></w:document>") }, \
            { "word/_rels/document.xml.rels",                                                 \
              B(RELS(REL("a", "image", "media/one.png") REL("b", "image", "media/two.gif")    \
                         REL("e", "image", "media/three.emf"))) },                            \
            { "word/media/two.gif", GIF }, { "word/media/three.emf", EMF },                   \
        {                                                                                     \
            "word/media/one.png", PNG                                                         \
        }                                                                                     \
    }
#define BETWEEN \
    P("before") \
    "<w:p>" DRAWN("a", "a dog") "</w:p>" P("between") "<w:p>" DRAWN("b", "") "</w:p>" P("after")

#define ODF(kind, body)                                                                       \
    {                                                                                         \
        { "mimetype", B("application/vnd.oasis.opendocument." kind) },                        \
            { "Pictures/one.png", PNG }, { "Pictures/two.gif", GIF },                         \
            { "Thumbnails/thumbnail.png", PNG },                                              \
        {                                                                                     \
            "content.xml",                                                                    \
                B("<office:document-content xmlns:office='o' xmlns:text='t' xmlns:table='b' " \
                  "xmlns:draw='d' xmlns:presentation='p' xmlns:xlink='x' xmlns:svg='s'>"      \
                  "<office:body>" body "</office:body></office:document-content>")            \
        }                                                                                     \
    }
#define FRAME(picture, more) \
    "<draw:frame><draw:image xlink:href='Pictures/" picture "'/>" more "</draw:frame>"

#define ASK "op=text\npictures=9\npicture_bytes=1000\n"

static const struct row {
    const char *name, *ask;
    struct member members[7];
    const char *want;
} rows[] = {
    { "docx: pictures in their places", ASK, DOCX(BETWEEN),
      "before\n\n[Image: one.png, \"a dog\"]{one.png a dog}+\n\nbetween\n\n[Image: two.gif]{two.gif}+\n\n"
      "after\n 2/3" },
    { "docx: without asking for them they are counted", "op=text\n", DOCX(BETWEEN),
      "before\n\n[Image: one.png, \"a dog\"]\n\nbetween\n\n[Image: two.gif]\n\nafter\n 0/3" },
    { "docx: at most so many", "op=text\npictures=1\npicture_bytes=1000\n", DOCX(BETWEEN),
      "before\n\n[Image: one.png, \"a dog\"]{one.png a dog}+\n\nbetween\n\n[Image: two.gif]\n\nafter\n 1/3" },
    { "docx: one that has no room is passed over", "op=text\npictures=9\npicture_bytes=16\n",
      DOCX(BETWEEN),
      "before\n\n[Image: one.png, \"a dog\"]\n\nbetween\n\n[Image: two.gif]{two.gif}+\n\nafter\n 1/3" },
    { "docx: the same picture once", ASK,
      DOCX("<w:p>" DRAWN("a", "") "</w:p><w:p>" DRAWN("a", "") "</w:p>"),
      "[Image: one.png]{one.png}+\n\n[Image: one.png]\n{two.gif} 2/3" },
    { "docx: in a cell, after its row", ASK,
      DOCX("<w:tbl><w:tr><w:tc>" P("k") "</w:tc><w:tc><w:p>" DRAWN(
          "a", "") "</w:p></w:tc></w:tr>"
                   "<w:tr><w:tc>" P("v") "</w:tc></w:tr></w:tbl>"),
      "| k | [Image: one.png] |\n| --- | --- |{one.png}+\n| v |  |\n{two.gif} 2/3" },
    { "docx: none after the text was cut", "op=text\nmax_text=10\npictures=9\n", DOCX(BETWEEN),
      "before\n\n[I 0/3" },
    { "docx: only the pictures, in the order of the text", "op=media\n", DOCX(BETWEEN),
      "{one.png a dog}{two.gif} 2/3" },
    { "docx: some of them", "op=media\nfirst=2\nlast=2\n", DOCX(BETWEEN), "{two.gif} 1/3" },
    { "docx: one by its name", "op=media\nname=word/media/two.gif\n", DOCX(BETWEEN),
      "{two.gif} 1/3" },
    { "pptx: on their slides",
      ASK,
      { { "_rels/.rels", B(RELS(REL("r", "officeDocument", "ppt/p.xml"))) },
        { "ppt/p.xml",
          B("<p:presentation><p:sldId r:id='a'/><p:sldId r:id='b'/></p:presentation>") },
        { "ppt/_rels/p.xml.rels",
          B(RELS(REL("a", "slide", "s1.xml") REL("b", "slide", "s2.xml"))) },
        { "ppt/s1.xml",
          B("<p:sld><p:pic><p:cNvPr descr='x'/><a:blip r:embed='i'/></p:pic></p:sld>") },
        { "ppt/s2.xml", B("<p:sld><p:sp><a:p><a:r><a:t>two</a:t></a:r></a:p></p:sp></p:sld>") },
        { "ppt/_rels/s1.xml.rels", B(RELS(REL("i", "image", "media/a.png"))) },
        { "ppt/media/a.png", PNG } },
      "[Image: a.png, \"x\"]{a.png x}---\ntwo\n 1/1" },
    { "xlsx: after the cells",
      ASK,
      { { "_rels/.rels", B(RELS(REL("r", "officeDocument", "xl/w.xml"))) },
        { "xl/w.xml", B("<workbook><sheet name='A' r:id='a'/></workbook>") },
        { "xl/_rels/w.xml.rels", B(RELS(REL("a", "worksheet", "s.xml"))) },
        { "xl/s.xml", B("<worksheet><row><c><v>1</v></c></row><drawing r:id='d'/></worksheet>") },
        { "xl/_rels/s.xml.rels", B(RELS(REL("d", "drawing", "d.xml"))) },
        { "xl/d.xml", B("<xdr:wsDr><xdr:pic><a:blip r:embed='i'/></xdr:pic></xdr:wsDr>") },
        { "xl/media/a.png", PNG } },
      "1\n\n[Image]\n{a.png} 1/1" },
    { "odt: in a paragraph, with its words", ASK,
      ODF("text",
          "<office:text><text:p>a " FRAME(
              "one.png",
              "<svg:title>T</svg:title><svg:desc>D</svg:desc>") " b</text:p><text:p>c</text:p></office:text>"),
      "a [Image: one.png, \"T: D\"] b{one.png T: D}+\n\nc\n{two.gif} 2/2" },
    { "odp: some slides, and what stands on those", ASK "first=2\nlast=2\n",
      ODF("presentation",
          "<office:presentation><draw:page>" FRAME("one.png", "") "</draw:page><draw:page>" FRAME(
              "two.gif", "") "</draw:page></office:presentation>"),
      "[Image: two.gif]{two.gif} 1/1" },
    { "ods: after the rows", ASK,
      ODF("spreadsheet",
          "<office:spreadsheet><table:table><table:shapes>" FRAME(
              "two.gif",
              "") "</table:shapes><table:table-row><table:table-cell><text:p>1</text:p>"
                  "</table:table-cell></table:table-row></table:table></office:spreadsheet>"),
      "| 1 |\n| --- |\n\n[Image: two.gif]{two.gif}{one.png} 2/2" },
    { "epub: where a chapter shows them",
      ASK,
      { { "META-INF/container.xml", B("<c><rootfile full-path='b/p.opf'/></c>") },
        { "b/p.opf", B("<p><item id='1' href='t/c.xhtml' media-type='application/xhtml+xml'/>"
                       "<itemref idref='1'/></p>") },
        { "b/t/c.xhtml", B("<html><body><p>a</p><p><img src='../i/a%20b.png' alt='x'/></p><p>z</p>"
                           "<img src='gone.png' alt='y'/></body></html>") },
        { "b/i/a b.png", PNG },
        { "cover.gif", GIF } },
      "a\n\n[Image: a b.png, \"x\"]{a b.png x}+\n\nz\n\n[Image: y]\n{cover.gif} 2/2" },
};

static void check_row(void **state)
{
    const struct row *row = *state;
    size_t n = 0;

    while (n < COUNT(row->members) && row->members[n].name)
        n++;
    struct rf_job job = ask_worker(arena, "office", row->ask, zip_of(arena, row->members, n));
    assert_str(told(&job), row->want);
}

#define MAIL_HEAD \
    "From: a@b\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
#define GIF_PART(fields)                                                            \
    "--x\nContent-Type: image/gif\nContent-Transfer-Encoding: base64\n" fields "\n" \
    "R0lGODlhAQABAAAAADs=\n"

static const struct {
    const char *name, *ask, *mail, *want;
} mails[] = {
    { "where HTML shows it, and once", ASK,
      MAIL_HEAD
      "--x\nContent-Type: text/html\n\n<p>a</p><img src='cid:i@x' alt='w'><p>b</p>\n" GIF_PART(
          "Content-ID: <i@x>\nContent-Disposition: inline; filename=f.gif\n") "--x--\n",
      "From: a@b\nSubject: s\n\na\n\n[Image: f.gif, \"w\"]{f.gif w}+\n\nb\n\nAttachments:\n\n"
      "- f.gif (image/gif, 14 bytes)\n 1/1" },
    { "in the list, where the text does not", ASK,
      MAIL_HEAD "--x\nContent-Type: text/plain\n\na\n" GIF_PART("") "--x--\n",
      "From: a@b\nSubject: s\n\na\n\nAttachments:\n\n- picture-1 (image/gif, 14 bytes){picture-1} 1/1" },
    { "only the pictures", "op=media\n",
      MAIL_HEAD "--x\nContent-Type: text/plain\n\na\n" GIF_PART("") "--x--\n", "{picture-1} 1/1" },
};

static void mail(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mails); i++) {
        const char *ask = rf_strf(arena, "%smime=message/rfc822\n", mails[i].ask).p;
        struct rf_job job = ask_worker(arena, "office", ask, rf_str(mails[i].mail));
        print_message("%s\n", mails[i].name);
        assert_str(told(&job), mails[i].want);
    }
}

/* Office 97 to 2003: a record of a picture, in the stream where each program keeps them. */

static struct rf_str blip(void)
{
    struct rf_buf b;

    rf_buf_init(&b, arena, 1000);
    put16(&b, 0x6e0 << 4);
    put16(&b, 0xf01e);
    put32(&b, (uint32_t)(17 + sizeof PNG_BYTES - 1));
    put_zeros(&b, 17);
    rf_buf_add(&b, RF_STR(PNG_BYTES));
    return packed(&b);
}

/* A metafile, as it is kept: packed, in a block that is stored. */
static struct rf_str packed_metafile(void)
{
    static const char wmf[] = "\1\0\x09\0\0\3\0\0";
    uint32_t a = 1, c = 0;
    struct rf_buf b;

    for (size_t i = 0; i < sizeof wmf - 1; i++) {
        a += (unsigned char)wmf[i];
        c += a;
    }
    rf_buf_init(&b, arena, 1000);
    put16(&b, 0x216 << 4);
    put16(&b, 0xf01b);
    put32(&b, 16 + 34 + 11 + sizeof wmf - 1);
    put_zeros(&b, 16);
    put32(&b, sizeof wmf - 1);
    put_zeros(&b, 30);
    rf_buf_add(&b, (struct rf_str){ "\x78\1\1\x08\0\xf7\xff", 7 });
    rf_buf_add(&b, (struct rf_str){ wmf, sizeof wmf - 1 });
    const unsigned char sum[] = { (unsigned char)(c >> 8), (unsigned char)c,
                                  (unsigned char)(a >> 8), (unsigned char)a };
    rf_buf_add(&b, (struct rf_str){ (const char *)sum, 4 });
    return packed(&b);
}

/* A list of one picture: a container, an entry, and the picture in it. */
static struct rf_str list_of_blips(void)
{
    struct rf_str picture = blip();
    struct rf_buf b;

    rf_buf_init(&b, arena, 1000);
    put16(&b, 0xf);
    put16(&b, 0xf001);
    put32(&b, (uint32_t)(44 + picture.n));
    put16(&b, 2);
    put16(&b, 0xf007);
    put32(&b, (uint32_t)(36 + picture.n));
    put_zeros(&b, 36);
    rf_buf_add(&b, picture);
    return packed(&b);
}

static struct rf_str workbook(void)
{
    struct rf_str pictures = list_of_blips();
    struct rf_buf b;

    rf_buf_init(&b, arena, 1000);
    put16(&b, 0x0809);
    put16(&b, 16);
    put16(&b, 0x0600);
    put16(&b, 5);
    put_zeros(&b, 12);
    put16(&b, 0x00eb);
    put16(&b, 20);
    rf_buf_add(&b, (struct rf_str){ pictures.p, 20 });
    put16(&b, 0x003c); /* and goes on */
    put16(&b, (unsigned)pictures.n - 20);
    rf_buf_add(&b, (struct rf_str){ pictures.p + 20, pictures.n - 20 });
    put32(&b, 0x000a);
    return packed(&b);
}

static struct rf_str word_head(void)
{
    struct rf_buf b;

    rf_buf_init(&b, arena, 4096);
    put16(&b, 0xa5ec);
    put16(&b, 0xc1);
    put_zeros(&b, 1020);
    return packed(&b);
}

/* After a head of 68 bytes. */
static struct rf_str word_data(void)
{
    struct rf_str picture = blip();
    struct rf_buf b;

    rf_buf_init(&b, arena, 1000);
    put32(&b, (uint32_t)(68 + picture.n));
    put16(&b, 68);
    put_zeros(&b, 62);
    rf_buf_add(&b, picture);
    return packed(&b);
}

static void documents_of_office_97(void **state)
{
    const struct {
        const char *name;
        struct member streams[2];
        size_t count;
    } files[] = {
        { "ppt", { { "PowerPoint Document", B("12345678") }, { "Pictures", blip() } }, 2 },
        { "xls", { { "Workbook", workbook() } }, 1 },
        { "doc", { { "WordDocument", word_head() }, { "Data", word_data() } }, 2 },
        { "ppt with a metafile",
          { { "PowerPoint Document", B("12345678") }, { "Pictures", packed_metafile() } },
          2 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        struct rf_str file = ole_of(arena, files[i].streams, files[i].count);
        struct rf_job job = ask_worker(arena, "legacy", "op=media\n", file);
        print_message("%s\n", files[i].name);
        bool metafile = strstr(files[i].name, "metafile");
        assert_str(told(&job), metafile ? "{picture-1.wmf} 1/1" : "{picture-1.png} 1/1");
        if (metafile)
            assert_str(prop_of(&job, 0, "mime"), "image/wmf");
    }
}

/* What no program can show is said; a note is not a reason to fail. */
static void says_what_cannot_be_shown(void **state)
{
    static const struct member members[] = DOCX("<w:p>" DRAWN("e", "") "</w:p>");
    (void)state;
    struct rf_job job = ask_worker(arena, "office", ASK, zip_of(arena, members, COUNT(members)));

    assert_int_equal(job.failed, RF_OK);
    assert_true(is_noted(&job, "\"three.emf\" is in a format that cannot be shown"));
}

/* Real documents. */

/* Without line feeds: a page that ends with a picture does not end its last line. */
static struct rf_str text_of(const struct rf_job *job)
{
    struct rf_buf b;

    rf_buf_init(&b, arena, (size_t)1 << 26);
    for (size_t i = 0; i < job->part_count; i++)
        for (struct rf_str rest = job->parts[i].text, line; rf_str_split(&rest, '\n', &line);)
            rf_buf_add(&b, line);
    return (struct rf_str){ b.n ? b.p : "", b.n };
}

static int64_t fact_number(const struct rf_job *job, const char *key)
{
    return rf_prop_int(job->facts, job->fact_count, key);
}

static struct rf_job ask_about(const char *family, const char *ask, const char *path)
{
    struct rf_bytes *bytes = RF_NEW(arena, struct rf_bytes);
    struct rf_job job = { .family = family, .ask = rf_str(ask), .input = bytes };
    struct rf_err err;

    assert_int_equal(rf_bytes_file("", path, bytes, &err), RF_OK);
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    return job;
}

/* The text is the same with and without pictures, and both ways to ask for them give as many. */
static void check_real(const char *family, const char *path)
{
    print_message("%s\n", path);
    struct rf_job plain = ask_about(family, "op=text\n", path);
    struct rf_job with = ask_about(family, "op=text\npictures=1000\n", path);
    struct rf_job media = ask_about(family, "op=media\n", path);

    assert_int_equal(plain.failed, with.failed);
    if (plain.failed || is_noted(&plain, "was cut"))
        return;
    assert_str(text_of(&with), rf_cstr(arena, text_of(&plain)));
    assert_int_equal(fact_number(&plain, "pictures"), fact_number(&with, "pictures"));
    assert_true(fact_number(&with, "pictures_given") <= fact_number(&with, "pictures"));
    assert_int_equal(fact_number(&with, "pictures_given"), fact_number(&media, "pictures_given"));
    assert_int_equal(fact_number(&media, "pictures_given"), (int64_t)media.part_count);
}

static void real_documents(void **state)
{
    static const struct {
        const char *folder, *family;
    } folders[] = { { "docx", "office" },
                    { "pptx", "office" },
                    { "xlsx", "office" },
                    { "otherdoc", "office" },
                    { "legacy", "legacy" } };
    const char *shared = shared_folder();
    size_t n = 0;
    (void)state;
    if (!shared)
        skip();
    for (size_t i = 0; i < COUNT(folders); i++) {
        glob_t found;
        if (glob(rf_strf(arena, "%s/corpus/%s/*", shared, folders[i].folder).p, 0, NULL, &found))
            continue;
        for (size_t k = 0; k < found.gl_pathc; k++, n++)
            check_real(folders[i].family, found.gl_pathv[k]);
        globfree(&found);
    }
    assert_true(n > 0);
}

enum { FIXED = 4 }; /* tests that are not a row */

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + FIXED] = {
        cmocka_unit_test(mail),
        cmocka_unit_test(says_what_cannot_be_shown),
        cmocka_unit_test(documents_of_office_97),
        cmocka_unit_test(real_documents),
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        tests[i + FIXED] = (struct CMUnitTest){ .name = rows[i].name,
                                                .test_func = check_row,
                                                .initial_state = (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
