/* Documents that are not Office Open XML, through the office and the legacy worker: what of each
 * format becomes which text, and that broken and hostile files fail with words. All of them are
 * made here. */
#include "asking.h"
#include "packing.h"

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

/* All parts' texts after each other, each after "--- title" where it has one; or "!" and the
 * error. */
static struct rf_str told(const struct rf_job *job)
{
    struct rf_buf b;

    if (job->failed)
        return rf_strf(arena, "!%s: %s", rf_code_name(job->failed), job->err.msg);
    rf_buf_init(&b, arena, (size_t)1 << 24);
    for (size_t i = 0; i < job->part_count; i++) {
        struct rf_str title = prop_of(job, i, "title");
        if (title.n || job->part_count > 1)
            rf_buf_addf(&b, "--- %.*s\n", (int)title.n, title.p);
        rf_buf_add(&b, job->parts[i].text);
    }
    return (struct rf_str){ b.n ? b.p : "", b.n };
}

/* Texts: HTML, mail, RTF. */

static const struct text_row {
    const char *name, *mime;
    struct rf_str in;
    const char *want;
} texts[] = {
    { "html: headings, paragraphs and folded white space", "text/html",
      B("<html><head><title>A &amp; B</title></head><body><h2>Head</h2><p>one\n  two</p>three"),
      "--- A & B\n## Head\n\none two\n\nthree\n" },
    { "html: nested lists", "text/html",
      B("<ul><li>a<ol><li>b</li><li><p>c</p></li></ol></li><li>d</li></ul>"),
      "- a\n  1. b\n  2. c\n- d\n" },
    { "html: a table", "text/html", B("<table><tr><th>k<th>v<tr><td>a|b<td>1<br>2</table>after"),
      "| k | v |\n| --- | --- |\n| a\\|b | 1<br>2 |\n\nafter\n" },
    { "html: tables for the looks are paragraphs", "text/html",
      B("<table><tr><td><table><tr><td>x<td>y</table></td></tr></table>"),
      "| x | y |\n| --- | --- |\n" },
    { "html: links, and those that lead nowhere", "text/html",
      B("<a href='http://x.org/a'>here</a> <a href='#top'>up</a> <a href='javascript:f()'>f</a>"),
      "[here](http://x.org/a) up f\n" },
    { "html: what is not shown", "text/html",
      B("a<script>if (a<b) c</script><style>p{}</style><!-- d --><p hidden>e</p>"
        "<div style='display:none'><div>f</div>g</div><template>h</template>i"),
      "ai\n" },
    { "html: entities, known and not", "text/html",
      B("&lt;&eacute;&#8364;&#x20ac;&#150;&nosuch; &amp R&D"),
      "<\xc3\xa9\xe2\x82\xac\xe2\x82\xac"
      "\xe2\x80\x93&nosuch; & R&D\n" },
    { "html: a charset of its own", "text/html", B("<meta charset=iso-8859-2><p>\xb1\xe6</p>"),
      "\xc4\x85\xc4\x87\n" },
    { "html: the charset of a script is not the page's", "text/html",
      B("<script charset=utf-8></script><meta charset=koi8-r><p>\xc4\xc1</p>"),
      "\xd0\xb4\xd0\xb0\n" },
    { "html: a charset that the bytes refute", "text/html",
      B("<meta charset=shift_jis><p>\xc3\xa4\xc3\xb6\xc3\xbc"), "\xc3\xa4\xc3\xb6\xc3\xbc\n" },
    { "html: text for who runs no scripts", "text/html",
      B("<noscript>a</noscript><script>b</script>"), "a\n" },
    { "html: an end tag of nothing, and one that never ends", "text/html",
      B("a</ >b </ c &lt; </ d"), "ab </ c < </ d\n" },
    { "html: preformatted text keeps its spaces", "text/html", B("<pre>a  b\n  c</pre>"),
      "a  b\n  c\n" },
    { "html: an image's words", "text/html", B("<img src=x alt='A dog'>"), "[Image: A dog]\n" },
    { "html: told by its bytes", "", B("<!DOCTYPE html><p>x"), "x\n" },
    { "mail: plain", "message/rfc822",
      B("From: A <a@x>\r\nTo: b@x\r\nSubject: =?utf-8?B?R3LDvMOfZQ==?= =?iso-8859-1?Q?_aus_K=F6ln?="
        "\r\n\r\nHello\r\nyou\r\n"),
      "--- Gr\xc3\xbc\xc3\x9f"
      "e aus K\xc3\xb6ln\nFrom: A <a@x>\nTo: b@x\nSubject: Gr\xc3\xbc\xc3\x9f"
      "e aus K\xc3\xb6ln\n\nHello\nyou\n" },
    { "mail: of alternatives the plain one; attachments are named", "message/rfc822",
      B("From: a@x\nSubject: s\nContent-Type: multipart/mixed; boundary=\"m\"\n\n"
        "--m\nContent-Type: multipart/alternative; boundary=n\n\n"
        "--n\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
        "caf=C3=A9 lo=\nng\n--n\nContent-Type: text/html\n\n<p>no</p>\n--n--\n"
        "--m\nContent-Type: application/pdf; name=\"x.pdf\"\n"
        "Content-Disposition: attachment; filename*=utf-8''%c3%bc.pdf\n"
        "Content-Transfer-Encoding: base64\n\nAAAA\nAAAA\n--m--\n"),
      "--- s\nFrom: a@x\nSubject: s\n\ncaf\xc3\xa9 long\n\nAttachments:\n\n"
      "- \xc3\xbc.pdf (application/pdf, 6 bytes)\n" },
    { "mail: encoded words that cut a character", "message/rfc822",
      B("From: a@x\nSubject: =?utf-8?Q?=C3?=\n =?UTF-8?Q?=A4?= =?iso-8859-1?Q?=E4?= b\n\nx\n"),
      "--- \xc3\xa4\xc3\xa4 b\nFrom: a@x\nSubject: \xc3\xa4\xc3\xa4 b\n\nx\n" },
    { "mail: a field that is not encoded, in the set of a part", "message/rfc822",
      B("From: a@x\nSubject: \xc4\xc1\nContent-Type: text/plain; charset=koi8-r\n\n\xc4\xc1\n"),
      "--- \xd0\xb4\xd0\xb0\nFrom: a@x\nSubject: \xd0\xb4\xd0\xb0\n\n\xd0\xb4\xd0\xb0\n" },
    { "mail: only HTML", "message/rfc822",
      B("Subject: s\nFrom: a@x\nContent-Type: text/html\n\n<h1>T</h1><p>x"),
      "--- s\nFrom: a@x\nSubject: s\n\n# T\n\nx\n" },
    { "mail: a message inside", "message/rfc822",
      B("Subject: s\nFrom: a@x\nContent-Type: message/rfc822\n\nSubject: t\n\nbody\n"),
      "--- s\nFrom: a@x\nSubject: s\n\n## Message inside\n\nSubject: t\n\nbody\n" },
    { "mail: told by its bytes", "", B("Received: x\nFrom: a@x\nSubject: s\n\nb\n"),
      "--- s\nFrom: a@x\nSubject: s\n\nb\n" },
    { "mail: without a header", "message/rfc822", B("nothing\nof the kind\n"),
      "!malformed: this is not an e-mail message: it has no header" },
    { "rtf: paragraphs, a heading and special characters", "",
      B("{\\rtf1\\ansi{\\info{\\title T}}\\pard\\outlinelevel0 Head\\par\\pard a\\emdash b\\~c\\line d"
        "\\par}"),
      "--- T\n# Head\n\na\xe2\x80\x94"
      "b\xc2\xa0"
      "c\nd\n" },
    { "rtf: code pages of fonts", "",
      B("{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset204 B;}}\\f0 \\'e9{\\f1 \\'e9}}"),
      "\xc3\xa9\xd0\xb9\n" },
    { "rtf: Unicode, and what stands for it", "", B("{\\rtf1\\uc1 \\u8364?\\u-10179?\\u-8704?x}"),
      "\xe2\x82\xac\xf0\x9f\x98\x80x\n" },
    { "rtf: a table", "",
      B("{\\rtf1\\trowd\\intbl a\\cell b\\cell\\row\\trowd\\intbl c\\cell\\cell\\row\\pard after\\par}"),
      "| a | b |\n| --- | --- |\n| c |  |\n\nafter\n" },
    { "rtf: lists by their marks", "",
      B("{\\rtf1{\\listtext 1.\\tab}one\\par{\\listtext\\'b7\\tab}\\ilvl1 two\\par}"),
      "1. one\n  - two\n" },
    { "rtf: links and notes", "",
      B("{\\rtf1{\\field{\\*\\fldinst HYPERLINK \"http://x/\"}{\\fldrslt here}}{\\footnote why}\\par}"),
      "[here](http://x/)[^1]\n\n[^1]: why\n" },
    { "rtf: what is passed over", "",
      B("{\\rtf1{\\pict ffff}{\\*\\unknown x}{\\v hidden}{\\stylesheet{\\s1 S;}}a\\bin3 }{{b}"),
      "ab\n" },
    { "flat OpenDocument text", "",
      B("<?xml version='1.0'?><office:document xmlns:office='o' xmlns:text='t'><office:meta><dc:title "
        "xmlns:dc='d'>no</dc:title></office:meta><office:body><office:text><text:h "
        "text:outline-level='2'>Head</text:h><text:p>a<text:s text:c='2'/>b\n c</text:p>"
        "</office:text></office:body></office:document>"),
      "## Head\n\na  b c\n" },
};

static void check_text(void **state)
{
    const struct text_row *row = *state;
    struct rf_job job =
        ask_worker(arena, "office", rf_strf(arena, "op=text\nmime=%s\n", row->mime).p, row->in);

    assert_str(told(&job), row->want);
    if (!job.failed)
        assert_str(fact_of(&job, "pages"), "1");
}

/* Archives that are documents. */

#define CONTENT(body)                                                                          \
    "<office:document-content xmlns:office='o' xmlns:text='t' xmlns:table='b' xmlns:draw='d' " \
    "xmlns:presentation='p' xmlns:xlink='x' xmlns:dc='c'><office:automatic-styles>"            \
    "<text:list-style style:name='N' xmlns:style='s'><text:list-level-style-number "           \
    "text:level='1' style:num-format='1'/></text:list-style></office:automatic-styles>"        \
    "<office:body>" body "</office:body></office:document-content>"
#define ODF(kind, body)                                                \
    {                                                                  \
        { "mimetype", B("application/vnd.oasis.opendocument." kind) }, \
        {                                                              \
            "content.xml", B(CONTENT(body))                            \
        }                                                              \
    }

static const struct packed_row {
    const char *name, *ask;
    struct member members[6];
    const char *want;
} packages[] = {
    { "odt: lists, links, notes, comments, tracked changes", "",
      ODF("text",
          "<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
          "<text:list text:style-name='N'><text:list-item><text:p>one</text:p></text:list-item>"
          "<text:list-item><text:p>two</text:p><text:list><text:list-item><text:p>in</text:p>"
          "</text:list-item></text:list></text:list-item></text:list>"
          "<text:p>a <text:a xlink:href='http://x/'>b</text:a>"
          "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>why</text:p>"
          "</text:note-body></text:note>"
          "<office:annotation><dc:creator>me</dc:creator><text:p>hm</text:p></office:annotation>"
          "</text:p></office:text>"),
      "1. one\n2. two\n  - in\n\na [b](http://x/)[^1]\n\n[^1]: why\n\n[Comment] hm\n" },
    { "odt: a table with a cell that spans", "",
      ODF("text",
          "<office:text><table:table><table:table-row><table:table-cell><text:p>a</text:p>"
          "</table:table-cell><table:covered-table-cell/></table:table-row><table:table-row>"
          "<table:table-cell><text:p>b</text:p><text:p>c</text:p></table:table-cell>"
          "<table:table-cell><text:p>d</text:p></table:table-cell></table:table-row>"
          "</table:table></office:text>"),
      "| a |  |\n| --- | --- |\n| b<br>c | d |\n" },
    { "ods: sheets, and rows and cells that repeat", "",
      ODF("spreadsheet",
          "<office:spreadsheet><table:table table:name='S1'><table:table-row>"
          "<table:table-cell><text:p>k</text:p></table:table-cell>"
          "<table:table-cell table:number-columns-repeated='2'><text:p>v</text:p></table:table-cell>"
          "<table:table-cell table:number-columns-repeated='16000'/></table:table-row>"
          "<table:table-row table:number-rows-repeated='2'><table:table-cell/><table:table-cell "
          "office:value='3'/></table:table-row>"
          "<table:table-row table:number-rows-repeated='1048576'><table:table-cell/>"
          "</table:table-row></table:table><table:table table:name='S2'/></office:spreadsheet>"),
      "--- S1\n| k | v | v |\n| --- | --- | --- |\n|  | 3 |  |\n|  | 3 |  |\n--- S2\n" },
    { "ods: one sheet by its name", "sheet=b\n",
      ODF("spreadsheet",
          "<office:spreadsheet><table:table table:name='A'/><table:table table:name='B'>"
          "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>"
          "</table:table-row></table:table></office:spreadsheet>"),
      "--- B\n| x |\n| --- |\n" },
    { "odp: slides with titles and notes", "",
      ODF("presentation",
          "<office:presentation><draw:page><draw:frame presentation:class='title'><draw:text-box>"
          "<text:p>Hello</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box>"
          "<text:p>body</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame>"
          "<draw:text-box><text:p>say it</text:p></draw:text-box></draw:frame>"
          "</presentation:notes></draw:page><draw:page/></office:presentation>"),
      "--- Hello\n# Hello\n\nbody\n\nNotes: say it\n--- \n" },
    { "odp: one slide of two", "first=2\n",
      ODF("presentation",
          "<office:presentation><draw:page><text:p>one</text:p></draw:page><draw:page>"
          "<text:p>two</text:p></draw:page></office:presentation>"),
      "two\n" },
    { "odt: encrypted in an unknown way",
      "",
      { { "mimetype", B("application/vnd.oasis.opendocument.text") },
        { "META-INF/manifest.xml",
          B("<m:manifest xmlns:m='m'><m:file-entry m:full-path='content.xml'><m:encryption-data/>"
            "</m:file-entry></m:manifest>") },
        { "content.xml", B("\1\2\3") } },
      "!encrypted: the document is encrypted in a way that is not supported" },
    { "odt: encrypted as a whole, without a content of its own",
      "",
      { { "mimetype", B("application/vnd.oasis.opendocument.text") },
        { "META-INF/manifest.xml",
          B("<m:manifest xmlns:m='m'><m:file-entry m:full-path='encrypted-package'>"
            "<m:encryption-data/></m:file-entry></m:manifest>") },
        { "encrypted-package", B("\1\2\3") } },
      "!encrypted: the document is encrypted in a way that is not supported" },
    { "odt: damaged in the middle",
      "",
      { { "mimetype", B("application/vnd.oasis.opendocument.text") },
        { "content.xml",
          B("<office:document-content xmlns:office='o' xmlns:text='t'><office:body><office:text>"
            "<text:p>kept</text:p><text:p>lo") } },
      "kept\n\nlo\n" },
    { "odt: an entity bomb",
      "",
      { { "mimetype", B("application/vnd.oasis.opendocument.text") },
        { "content.xml", B("<!DOCTYPE x [<!ENTITY a 'aaaa'>]><x>&a;</x>") } },
      NULL },
    { "epub: chapters in the order of the spine",
      "",
      { { "mimetype", B("application/epub+zip") },
        { "META-INF/container.xml",
          B("<container><rootfiles><rootfile full-path='b/p.opf'/></rootfiles></container>") },
        { "b/p.opf",
          B("<package><metadata><dc:title xmlns:dc='d'>Book</dc:title></metadata><manifest>"
            "<item id='two' href='c%202.xhtml' media-type='application/xhtml+xml'/>"
            "<item id='one' href='c1.xhtml' media-type='application/xhtml+xml'/></manifest>"
            "<spine><itemref idref='one'/><itemref idref='two'/></spine></package>") },
        { "b/c1.xhtml",
          B("<html><head><title>First</title></head><body><h1>1</h1></body></html>") },
        { "b/c 2.xhtml", B("<html><body><p>2&nbsp;</p></body></html>") } },
      "--- First\n# 1\n--- Book\n2\n" },
    { "epub: without chapters",
      "",
      { { "mimetype", B("application/epub+zip") },
        { "META-INF/container.xml",
          B("<container><rootfiles><rootfile full-path='p.opf'/></rootfiles></container>") },
        { "p.opf", B("<package/>") } },
      "!malformed: the book has no chapters that can be read" },
};

static void check_package(void **state)
{
    const struct packed_row *row = *state;
    size_t n = 0;

    while (n < COUNT(row->members) && row->members[n].name)
        n++;
    const char *op = strstr(row->ask, "op=") ? "" : "op=text\n";
    struct rf_job job = ask_worker(arena, "office", rf_strf(arena, "%s%s", op, row->ask).p,
                                   zip_of(arena, row->members, n));
    if (row->want)
        assert_str(told(&job), row->want);
    else
        assert_int_not_equal(job.failed, RF_OK);
}

static void tells_what_is_missing(void **state)
{
    static const struct member members[] = {
        { "mimetype", B("application/vnd.oasis.opendocument.text") },
        { "content.xml", B("<o:x xmlns:o='o'><o:body><o:text><o:p>a</o:p><o:p>") },
    };
    (void)state;
    struct rf_job job =
        ask_worker(arena, "office", "op=text\n", zip_of(arena, members, COUNT(members)));

    assert_int_equal(job.failed, RF_OK);
    assert_true(is_noted(&job, "damaged"));
}

/* Office 97 to 2003. */

static void put_record(struct rf_buf *b, unsigned id, struct rf_str body)
{
    put16(b, id);
    put16(b, (unsigned)body.n);
    rf_buf_add(b, body);
}

/* A workbook of one sheet: a text, a number, a date, a percentage, a formula's text. */
static struct rf_str workbook(bool encrypted)
{
    struct rf_buf b;

    rf_buf_init(&b, arena, (size_t)1 << 16);
    put_record(&b, 0x0809, RF_STR("\0\6\5\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    if (encrypted)
        put_record(&b, 0x002f, RF_STR("\0\0\1\2\3\4"));
    put_record(&b, 0x00e0, RF_STR("\0\0\0\0"));  /* General */
    put_record(&b, 0x00e0, RF_STR("\0\0\16\0")); /* a date */
    put_record(&b, 0x00e0, RF_STR("\0\0\12\0")); /* 0.00% */
    size_t place = b.n + 4;
    put_record(&b, 0x0085, RF_STR("\0\0\0\0\0\0\3\0Old"));
    put_record(&b, 0x00fc,
               RF_STR("\2\0\0\0\2\0\0\0\4\0\0name\2\0\1\xac\x20")); /* "€" is cut here */
    put_record(&b, 0x003c, RF_STR("\1\xe9\0"));
    put_record(&b, 0x000a, RF_STR(""));
    for (size_t i = 0; i < 4; i++)
        b.p[place + i] = (char)(b.n >> 8 * i & 0xff);
    put_record(&b, 0x0809, RF_STR("\0\6\20\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    put_record(&b, 0x00fd, RF_STR("\0\0\1\0\0\0\0\0\0\0"));
    put_record(&b, 0x00fd, RF_STR("\0\0\2\0\0\0\1\0\0\0"));
    put_record(&b, 0x027e, RF_STR("\1\0\1\0\1\0\x22\xbf\2\0"));         /* 45000 */
    put_record(&b, 0x0203, RF_STR("\1\0\2\0\2\0\0\0\0\0\0\0\xc0\x3f")); /* 0.125 */
    put_record(&b, 0x0006, RF_STR("\2\0\1\0\0\0\0\0\0\0\0\0\xff\xff\0\0\0\0\0\0\0\0"));
    put_record(&b, 0x0207, RF_STR("\2\0\0ok"));
    put_record(&b, 0x000a, RF_STR(""));
    put_zeros(&b, 512);
    return packed(&b);
}

static void reads_a_workbook(void **state)
{
    (void)state;
    struct member stream = { "Workbook", workbook(false) };
    struct rf_job job = ask_worker(arena, "legacy", "op=text\n", ole_of(arena, &stream, 1));

    assert_str(told(&job), "--- Old\n| name | \xe2\x82\xac\xc3\xa9 |\n| --- | --- |\n"
                           "| 2023-03-15 | 12.50% |\n| ok |  |\n");
    assert_str(fact_of(&job, "pages"), "1");
    job = ask_worker(arena, "legacy", "op=text\nsheet=New\n", ole_of(arena, &stream, 1));
    assert_int_equal(job.failed, RF_EUSAGE);
}

/* A document of one piece in 8 bits: a field, a picture, a second paragraph. */
static struct rf_str word(unsigned flags)
{
    static const char text[] = "See \x13HYPERLINK \"http://x/\"\x14here\x15.\r\xdc"
                               "ber\x0b uns\r";
    struct rf_buf b;

    rf_buf_init(&b, arena, (size_t)1 << 16);
    put16(&b, 0xa5ec);
    put16(&b, 0x00c1);
    put_zeros(&b, 6);
    put16(&b, flags);
    put_zeros(&b, 0x4c - b.n);
    put32(&b, sizeof text - 1);
    put_zeros(&b, 0x1a2 - b.n);
    put32(&b, 0);
    put32(&b, 21);
    put_zeros(&b, 0x400 - b.n);
    rf_buf_add(&b, (struct rf_str){ text, sizeof text - 1 });
    return packed(&b);
}

static struct rf_str word_table(uint32_t characters)
{
    struct rf_buf b;

    rf_buf_init(&b, arena, 64);
    rf_buf_addc(&b, 2);
    put32(&b, 16);
    put32(&b, 0);
    put32(&b, characters);
    put16(&b, 0);
    put32(&b, 0x400 * 2 | 0x40000000u);
    put16(&b, 0);
    return packed(&b);
}

static void reads_a_word_document(void **state)
{
    (void)state;
    struct member streams[] = { { "WordDocument", word(0) }, { "0Table", word_table(47) } };
    struct rf_job job = ask_worker(arena, "legacy", "op=text\n", ole_of(arena, streams, 2));

    assert_str(told(&job), "See [here](http://x/).\n\n\xc3\x9c"
                           "ber\n uns\n");
}

/* header: version and instance, type, length */
static void put_slide_record(struct rf_buf *b, unsigned head, unsigned type, struct rf_str body)
{
    put16(b, head);
    put16(b, type);
    put32(b, (uint32_t)body.n);
    rf_buf_add(b, body);
}

static void reads_a_presentation(void **state)
{
    struct rf_buf box, slide, stream;
    (void)state;

    rf_buf_init(&box, arena, 1024);
    rf_buf_init(&slide, arena, 1024);
    rf_buf_init(&stream, arena, 4096);
    put_slide_record(&box, 0, 0x0f9f, RF_STR("\0\0\0\0"));
    put_slide_record(&box, 0, 0x0fa8, RF_STR("Title"));
    put_slide_record(&box, 0, 0x0f9f, RF_STR("\1\0\0\0"));
    put_slide_record(&box, 0, 0x0fa0, RF_STR("o\0n\0e\0\r\0\xac\x20"));
    put_slide_record(&slide, 15, 0xf00d, packed(&box));
    put_slide_record(&stream, 15, 0x03ee, packed(&slide));
    struct member streams[] = { { "PowerPoint Document", packed(&stream) },
                                { "Current User", RF_STR("12345678901234567890") } };
    struct rf_job job = ask_worker(arena, "legacy", "op=text\n", ole_of(arena, streams, 2));
    assert_str(told(&job), "--- Title\n# Title\n\n- one\n- \xe2\x82\xac\n");

    streams[1].bytes = RF_STR("\0\0\0\0\0\0\0\0\0\0\0\0\xdf\xc4\xd1\xf3");
    job = ask_worker(arena, "legacy", "op=text\n", ole_of(arena, streams, 2));
    assert_int_equal(job.failed, RF_EENCRYPTED);
}

static void reads_an_outlook_message(void **state)
{
    static const struct member streams[] = {
        { "__properties_version1.0", B("12345678901234567890123456789012") },
        { "__substg1.0_0037001F", B("H\0i\0") },
        { "__substg1.0_0C1A001E", B("M\xfcller") },
        { "__substg1.0_10130102", B("<p>text</p>") },
    };
    (void)state;
    struct rf_job job =
        ask_worker(arena, "legacy", "op=text\n", ole_of(arena, streams, COUNT(streams)));

    assert_str(told(&job), "--- Hi\nFrom: M\xc3\xbcller\nSubject: Hi\n\ntext\n");
    assert_str(fact_of(&job, "attachments"), "0");
}

static void refuses_what_is_encrypted(void **state)
{
    (void)state;
    struct member streams[] = { { "Workbook", workbook(true) }, { "0Table", RF_STR("") } };
    struct rf_job job = ask_worker(arena, "legacy", "op=text\n", ole_of(arena, streams, 1));

    assert_int_equal(job.failed, RF_EENCRYPTED);
    streams[0] = (struct member){ "WordDocument", word(0x0100) };
    job = ask_worker(arena, "legacy", "op=text\n", ole_of(arena, streams, 1));
    assert_int_equal(job.failed, RF_EENCRYPTED);
    streams[0] = (struct member){ "EncryptedPackage", RF_STR("x") };
    job = ask_worker(arena, "legacy", "op=text\n", ole_of(arena, streams, 1));
    assert_int_equal(job.failed, RF_EENCRYPTED);
    assert_true(job.err.hint[0]);
}

static void refuses_what_is_broken(void **state)
{
    (void)state;
    struct member stream = { "Workbook", RF_STR("nonsense") };
    struct rf_str whole = ole_of(arena, &stream, 1);
    struct rf_job job = ask_worker(arena, "legacy", "op=text\n", whole);

    assert_int_equal(job.failed, RF_EFORMAT);
    job = ask_worker(arena, "legacy", "op=text\n", (struct rf_str){ whole.p, 512 });
    assert_str(told(&job), "!malformed: the document is cut off: its directory is missing");
    job = ask_worker(arena, "legacy", "op=text\n", RF_STR("x"));
    assert_int_equal(job.failed, RF_EFORMAT);
}

/* Bombs: each must end soon, whatever it says. */

static struct rf_str repeated(const char *unit, size_t count)
{
    size_t n = strlen(unit);
    char *p = rf_arena_alloc(arena, n * count + 1);

    for (size_t i = 0; i < count; i++)
        memcpy(p + n * i, unit, n);
    return (struct rf_str){ p, n * count };
}

static const struct {
    const char *name, *start, *unit, *mime;
} bombs[] = {
    { "html: 100,000 nested tables", "", "<table><tr><td>a<td>", "text/html" },
    { "html: 100,000 nested lists", "", "<ul><li>x", "text/html" },
    { "html: tags that never end", "", "<a =\"", "text/html" },
    { "html: end tags of nothing that never end", "", "</ ", "text/html" },
    { "html: hidden elements that never end", "", "<p hidden>", "text/html" },
    { "html: ends without beginnings", "<a href=http://x>", "</a></table></td>x", "text/html" },
    { "rtf: 100,000 nested groups", "{\\rtf1 ", "{\\b a", "" },
    { "rtf: notes without end", "{\\rtf1 ", "{\\footnote a", "" },
    { "rtf: fonts without end", "{\\rtf1{\\fonttbl ", "{\\f1 A;}", "" },
    { "mail: parts without end", "From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n",
      "--b\nContent-Type: multipart/mixed; boundary=b\n\n", "message/rfc822" },
    { "mail: encoded words without end", "From: a@x\nSubject: ", "=?a?b?", "message/rfc822" },
    { "flat OpenDocument: 100,000 nested tables",
      "<?xml version='1.0'?><office:document xmlns:office='o' xmlns:b='b'><office:body><office:text>",
      "<b:table><b:table-row><b:table-cell>", "" },
};

static void ends_soon(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bombs); i++) {
        struct rf_str in =
            rf_str_join(arena, rf_str(bombs[i].start), repeated(bombs[i].unit, 100000));
        const char *lines = rf_strf(arena, "op=text\nmime=%s\n", bombs[i].mime).p;
        struct rf_job job = ask_worker(arena, "office", lines, in);
        if (job.failed && job.failed != RF_ELIMIT && job.failed != RF_EFORMAT)
            fail_msg("%s: %s", bombs[i].name, job.err.msg);
    }
}

static void reads_a_field_of_many_parameters(void **state)
{
    struct rf_str in = rf_str_join(arena, RF_STR("Subject: s\nContent-Type: text/plain"),
                                   repeated(";a=\"\"", 100000));
    (void)state;
    in = rf_str_join(arena, in, RF_STR("; b=\"\\\";\"; charset=\"koi8-r\"\n\n\xc4\xc1\n"));
    struct rf_job job = ask_worker(arena, "office", "op=text\nmime=message/rfc822\n", in);
    assert_str(told(&job), "--- s\nSubject: s\n\n\xd0\xb4\xd0\xb0\n");
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(tells_what_is_missing),
        cmocka_unit_test(reads_a_workbook),
        cmocka_unit_test(reads_a_word_document),
        cmocka_unit_test(reads_a_presentation),
        cmocka_unit_test(reads_an_outlook_message),
        cmocka_unit_test(refuses_what_is_encrypted),
        cmocka_unit_test(refuses_what_is_broken),
        cmocka_unit_test(ends_soon),
        cmocka_unit_test(reads_a_field_of_many_parameters),
    };
    struct CMUnitTest tests[COUNT(texts) + COUNT(packages) + COUNT(others)];

    name_rows(tests, check_text, texts, COUNT(texts), sizeof *texts);
    name_rows(tests + COUNT(texts), check_package, packages, COUNT(packages), sizeof *packages);
    memcpy(tests + COUNT(texts) + COUNT(packages), others, sizeof others);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
