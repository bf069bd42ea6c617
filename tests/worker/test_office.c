/* Office Open XML through the office worker: what of a docx, pptx and xlsx becomes which text, and that
 * broken and hostile files fail with words or are read as far as they go. All of them are made here. */
#include "asking.h"
#include "packing.h"

#include <zlib.h>

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

/* A ZIP whose members are really packed. */
static struct rf_str deflated_zip_of(const struct member *members, size_t count)
{
    struct rf_buf b, directory;

    rf_buf_init(&b, arena, (size_t)1 << 24);
    rf_buf_init(&directory, arena, (size_t)1 << 20);
    for (size_t i = 0; i < count; i++) {
        struct rf_str in = members[i].bytes;
        uLong bound = compressBound(in.n) + 64;
        z_stream z = { .next_in = (Bytef *)(uintptr_t)in.p, .avail_in = (uInt)in.n };
        Bytef *out = rf_arena_alloc(arena, bound);
        z.next_out = out;
        z.avail_out = (uInt)bound;
        assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        deflateEnd(&z);
        uint32_t at = (uint32_t)b.n;
        for (int central = 0; central < 2; central++) {
            struct rf_buf *to = central ? &directory : &b;
            rf_buf_add(to, central ? RF_STR("PK\1\2\24\0") : RF_STR("PK\3\4"));
            put16(to, 20);
            put16(to, 0);
            put16(to, 8);
            put32(to, 0);
            put32(to, rf_crc32(in.p, in.n));
            put32(to, (uint32_t)z.total_out);
            put32(to, (uint32_t)in.n);
            put16(to, (unsigned)strlen(members[i].name));
            put16(to, 0);
            put_zeros(to, central ? 10 : 0);
            if (central)
                put32(to, at);
            rf_buf_add(to, rf_str(members[i].name));
        }
        rf_buf_add(&b, (struct rf_str){ (char *)out, z.total_out });
    }
    uint32_t at = (uint32_t)b.n;
    rf_buf_add(&b, packed(&directory));
    rf_buf_add(&b, RF_STR("PK\5\6"));
    put_zeros(&b, 4);
    put16(&b, (unsigned)count);
    put16(&b, (unsigned)count);
    put32(&b, (uint32_t)directory.n);
    put32(&b, at);
    put16(&b, 0);
    return packed(&b);
}

/* All parts' texts after each other, each after "--- title" where it has one; or "!" and the error. */
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

static void check(const char *name, struct rf_str got, const char *want)
{
    if (!rf_str_is(got, want))
        fail_msg("%s\n got: %.*s\nwant: %s", name, (int)got.n, got.p, want);
}

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define RELS_NS "xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\""
#define TYPE "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
#define RELS(inner) XML "<Relationships " RELS_NS ">" inner "</Relationships>"
#define REL(id, type, target) \
    "<Relationship Id=\"" id "\" Type=\"" TYPE type "\" Target=\"" target "\"/>"
#define LINK(id, target)                                                      \
    "<Relationship Id=\"" id "\" Type=\"" TYPE "hyperlink\" Target=\"" target \
    "\" TargetMode=\"External\"/>"

/* Word. */

#define P(text) "<w:p><w:r><w:t>" text "</w:t></w:r></w:p>"
#define STYLED(style, text) \
    "<w:p><w:pPr><w:pStyle w:val=\"" style "\"/></w:pPr><w:r><w:t>" text "</w:t></w:r></w:p>"
#define ITEM(num, level, text)                                                \
    "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"" level "\"/><w:numId w:val=\"" num \
    "\"/></w:numPr></w:pPr><w:r><w:t>" text "</w:t></w:r></w:p>"
#define TC(inner) "<w:tc>" inner "</w:tc>"

static const struct row {
    const char *name, *body, *want;
} bodies[] = {
    { "paragraphs, and empty ones leave nothing", P("one") "<w:p/>" P("  ") P("two"),
      "one\n\ntwo\n" },
    { "runs, tabs and breaks",
      "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/></w:r><w:r><w:t>c</w:t>"
      "<w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>",
      "a\tb\nc-d\n" },
    { "references and CDATA", P("a &lt;b&gt; &amp;amp; &#65;&#x1F600;<![CDATA[<x>]]>"),
      "a <b> &amp; A\U0001F600<x>\n" },
    { "headings by style, by name in any language, by outline",
      STYLED("Heading1", "A") STYLED(
          "berschrift2",
          "B") "<w:p><w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr><w:r><w:t>C</w:t></w:r></w:p>" STYLED("Child",
                                                                                                     "D"),
      "# A\n\n## B\n\n### C\n\n# D\n" },
    { "bullets and numbers",
      ITEM("1", "0", "a") ITEM("1", "1", "b") ITEM("2", "0", "one") ITEM("2", "0", "two")
          ITEM("2", "1", "x") ITEM("2", "0", "three"),
      "- a\n  - b\n1. one\n2. two\n  2.a) x\n3. three\n" },
    { "a table with a span, a bar and two paragraphs",
      "<w:tbl><w:tr>" TC("<w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>" P("wide"))
          TC(P("c")) "</w:tr><w:tr>" TC(P("1|2")) TC(P("a") P("b")) TC(P("")) "</w:tr></w:tbl>",
      "| wide |  | c |\n| --- | --- | --- |\n| 1\\|2 | a<br>b |  |\n" },
    { "a table in a cell",
      "<w:tbl><w:tr>" TC(P("a") "<w:tbl><w:tr>" TC(P("x"))
                             TC(P("y|z")) "</w:tr></w:tbl>" P("b")) "</w:tr></w:tbl>",
      "| a<br>x / y\\|z<br>b |\n| --- |\n" },
    { "changes are shown as accepted",
      "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText>"
      "<w:t>old</w:t></w:r></w:del><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom></w:p>"
      "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>joined</w:t></w:r></w:p>" P(" up"),
      "new\n\njoined up\n" },
    { "links: by relationship, by field, to nowhere",
      "<w:p><w:hyperlink r:id=\"l1\"><w:r><w:t>here</w:t></w:r></w:hyperlink></w:p>"
      "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> HYPERLINK "
      "\"http://b.org\" </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>"
      "<w:r><w:t>there</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>"
      "<w:p><w:hyperlink w:anchor=\"top\"><w:r><w:t>up</w:t></w:r></w:hyperlink></w:p>",
      "[here](http://a.org/?x=1&y=2)\n\n[there](http://b.org)\n\nup\n" },
    { "a text box comes after its paragraph, and once",
      "<w:p><w:r><w:t>be</w:t><mc:AlternateContent><mc:Choice><w:txbxContent>" P("box")
          P("two") "</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>" P(
              "box") "</w:txbxContent></mc:Fallback></mc:AlternateContent><w:t>fore</w:t></w:r></w:p>" P("after"),
      "before\n\nbox\n\ntwo\n\nafter\n" },
    { "notes and comments",
      "<w:p><w:r><w:t>a</w:t><w:footnoteReference w:id=\"7\"/><w:t>b</w:t>"
      "<w:commentReference w:id=\"0\"/></w:r></w:p>",
      "a[^1]b[^c1]\n\n[^1]: the foot\n\n[^c1]: Ann: why?\n" },
    { "pictures say their name",
      "<w:p><w:r><wp:docPr descr=\"a dog\"/><a:blip r:embed=\"i1\"/></w:r></w:p>",
      "[Image: image1.png, \"a dog\"]\n" },
    { "prefixes do not matter", "<p><r><t>plain</t></r></p><x:p><x:t>odd</x:t></x:p>",
      "plain\n\nodd\n" },
    { "what follows damage is missing, and said", P("first") "<w:p></w:r>" P("second"), "first\n" },
};

static const char styles[] = XML
    "<w:styles><w:style w:type=\"paragraph\" w:styleId=\"Heading1\"><w:name w:val=\"heading 1\"/>"
    "</w:style><w:style w:type=\"paragraph\" w:styleId=\"berschrift2\"><w:name w:val=\"heading 2\"/>"
    "</w:style><w:style w:type=\"paragraph\" w:styleId=\"Child\"><w:basedOn w:val=\"Heading1\"/>"
    "</w:style></w:styles>";
static const char numbering[] =
    XML "<w:numbering><w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:numFmt "
        "w:val=\"bullet\"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId=\"1\">"
        "<w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText "
        "w:val=\"%1.\"/></w:lvl><w:lvl w:ilvl=\"1\"><w:numFmt w:val=\"lowerLetter\"/><w:lvlText "
        "w:val=\"%1.%2)\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId "
        "w:val=\"0\"/></w:num><w:num w:numId=\"2\"><w:abstractNumId w:val=\"1\"/></w:num>"
        "</w:numbering>";

static struct rf_str docx_of(const char *body)
{
    struct rf_str document =
        rf_strf(arena, XML "<w:document xmlns:w=\"w\"><w:body>%s</w:body></w:document>", body);
    const struct member members[] = {
        { "_rels/.rels", B(RELS(REL("r", "officeDocument", "word/document.xml"))) },
        { "word/document.xml", document },
        { "word/_rels/document.xml.rels",
          B(RELS(REL("s", "styles", "styles.xml") REL("n", "numbering", "/word/numbering.xml")
                     REL("f", "footnotes", "footnotes.xml") REL("c", "comments", "comments.xml")
                         REL("i1", "image", "media/image1.png")
                             LINK("l1", "http://a.org/?x=1&amp;y=2"))) },
        { "word/styles.xml", rf_str(styles) },
        { "word/numbering.xml", rf_str(numbering) },
        { "word/footnotes.xml",
          B(XML "<w:footnotes><w:footnote w:id=\"-1\" w:type=\"separator\">" P(
              "---") "</w:footnote><w:footnote w:id=\"7\">" P(" the foot") "</w:footnote></w:footnotes>") },
        { "word/comments.xml", B(XML "<w:comments><w:comment w:id=\"0\" w:author=\"Ann\">" P(
                                   "why?") "</w:comment></w:comments>") },
        { "word/media/image1.png", B("\x89PNG\r\n\x1a\n") },
    };
    return deflated_zip_of(members, sizeof members / sizeof *members);
}

static void word_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct rf_job job = ask_worker(arena, "office", "op=text\n", docx_of(bodies[i].body));
        check(bodies[i].name, told(&job), bodies[i].want);
        bool damaged = strstr(bodies[i].name, "damage") != NULL;
        assert_int_equal(job.note_count, damaged);
    }
}

static void headers_and_footers_come_once(void **state)
{
    const struct member members[] = {
        { "_rels/.rels", B(RELS(REL("r", "officeDocument", "word/document.xml"))) },
        { "word/document.xml", B("<w:document><w:body>" P("text") "</w:body></w:document>") },
        { "word/_rels/document.xml.rels",
          B(RELS(REL("a", "header", "h1.xml") REL("b", "header", "h2.xml")
                     REL("c", "footer", "f.xml"))) },
        { "word/h1.xml", B("<w:hdr>" P("top") "</w:hdr>") },
        { "word/h2.xml", B("<w:hdr>" P("top") "</w:hdr>") },
        { "word/f.xml", B("<w:ftr>" P("bottom") "</w:ftr>") },
    };
    (void)state;
    struct rf_job job = ask_worker(arena, "office", "op=text\n",
                                   zip_of(arena, members, sizeof members / sizeof *members));
    check("once", told(&job), "text\n\n---\n\nHeader: top\n\nFooter: bottom\n");
}

static void hidden_text_is_left_out(void **state)
{
    (void)state;
    struct rf_job job = ask_worker(
        arena, "office", "op=text\n",
        docx_of("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:rPr><w:vanish "
                "w:val=\"0\"/></w:rPr><w:t>seen</w:t></w:r></w:p>"));
    check("hidden", told(&job), "seen\n");
    assert_true(is_noted(&job, "hidden text"));
}

static void tables_nest_without_end(void **state)
{
    struct rf_buf b;
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        rf_buf_init(&b, arena, (size_t)1 << 24);
        rf_buf_add(&b, RF_STR(P("first")));
        for (int i = 0; i < 100000; i++)
            rf_buf_add(&b, RF_STR("<w:tbl><w:tr><w:tc>"));
        rf_buf_add(&b, RF_STR(P("deep")));
        for (int i = 0; closed && i < 100000; i++)
            rf_buf_add(&b, RF_STR("</w:tc></w:tr></w:tbl>"));
        rf_buf_addc(&b, '\0');
        struct rf_job job = ask_worker(arena, "office", "op=text\n", docx_of(b.p));
        assert_int_equal(job.failed, RF_OK);
        assert_true(is_noted(&job, "nested too deeply"));
        assert_true(rf_str_starts(told(&job), "first\n"));
    }
}

/* Presentations. */

#define SHAPE(placeholder, inner)                                                 \
    "<p:sp><p:nvSpPr><p:nvPr>" placeholder "</p:nvPr></p:nvSpPr><p:txBody>" inner \
    "</p:txBody></p:sp>"
#define AP(text) "<a:p><a:r><a:t>" text "</a:t></a:r></a:p>"
#define AL(level, text) "<a:p><a:pPr lvl=\"" level "\"/><a:r><a:t>" text "</a:t></a:r></a:p>"

static struct rf_str pptx(void)
{
    const struct member members[] = {
        { "_rels/.rels", B(RELS(REL("r", "officeDocument", "ppt/presentation.xml"))) },
        { "ppt/presentation.xml",
          B(XML "<p:presentation><p:sldIdLst><p:sldId id=\"256\" r:id=\"b\"/><p:sldId id=\"257\" "
                "r:id=\"a\"/></p:sldIdLst></p:presentation>") },
        { "ppt/_rels/presentation.xml.rels",
          B(RELS(REL("a", "slide", "slides/slide1.xml") REL("b", "slide", "slides/slide2.xml"))) },
        { "ppt/slides/slide1.xml", B(XML "<p:sld show=\"0\">" SHAPE("", AP("loose")) "</p:sld>") },
        { "ppt/slides/slide2.xml",
          B(XML "<p:sld>" SHAPE("<p:ph/>", AL("0", "one") AL("1", "two")) SHAPE(
              "<p:ph type=\"title\"/>", AP("The &quot;title&quot;"))
                SHAPE("<p:ph type=\"sldNum\"/>", AP("12")) "<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody>" AP(
                    "k") "</a:txBody></a:tc><a:tc>"
                         "<a:txBody>" AP(
                             "v") "</a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>"
                                  "<p:graphicFrame><c:chart r:id=\"c\"/></p:graphicFrame></p:sld>") },
        { "ppt/slides/_rels/slide2.xml.rels",
          B(RELS(REL("n", "notesSlide", "../notesSlides/notesSlide1.xml")
                     REL("c", "chart", "../charts/chart1.xml"))) },
        { "ppt/notesSlides/notesSlide1.xml",
          B(XML "<p:notes>" SHAPE("<p:ph type=\"sldImg\"/>", AP("no"))
                SHAPE("<p:ph type=\"body\" idx=\"1\"/>", AP("say this")) "</p:notes>") },
        { "ppt/charts/chart1.xml",
          B(XML
            "<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title>"
            "<c:ser><c:tx><c:strRef><c:strCache><c:pt idx=\"0\"><c:v>2024</c:v></c:pt></c:strCache>"
            "</c:strRef></c:tx><c:cat><c:strCache><c:pt idx=\"0\"><c:v>May</c:v></c:pt><c:pt "
            "idx=\"1\"><c:v>June</c:v></c:pt></c:strCache></c:cat><c:val><c:numCache><c:pt "
            "idx=\"0\"><c:v>5</c:v></c:pt><c:pt idx=\"1\"><c:v>0.30000000000000004</c:v></c:pt>"
            "</c:numCache></c:val></c:ser></c:chart></c:chartSpace>") },
    };
    return zip_of(arena, members, sizeof members / sizeof *members);
}

static void presentations(void **state)
{
    (void)state;
    struct rf_job job = ask_worker(arena, "office", "op=text\n", pptx());
    check("slides", told(&job),
          "--- The \"title\"\n# The \"title\"\n\n- one\n  - two\n\n| k | v |\n| --- | --- |\n\n"
          "[Chart: Sales]\n\n|  | 2024 |\n| --- | --- |\n| May | 5 |\n| June | 0.3 |\n\n"
          "Notes: say this\n--- \n(This slide is hidden.)\n\nloose\n");
    assert_int_equal(rf_prop_int(job.facts, job.fact_count, "pages"), 2);
    job = ask_worker(arena, "office", "op=text\nfirst=2\nlast=9\n", pptx());
    assert_int_equal(job.part_count, 1);
    assert_int_equal(number_of(&job, 0, "page"), 2);
    job = ask_worker(arena, "office", "op=text\nfirst=3\n", pptx());
    check("past the end", told(&job), "!usage: page 3 is after the last one, which is 2");
}

/* Workbooks. */

static struct rf_str xlsx_of(const char *rows)
{
    struct rf_str sheet = rf_strf(
        arena,
        XML "<worksheet><sheetData>%s</sheetData><hyperlinks><hyperlink ref=\"A1\" r:id=\"l\"/>"
            "</hyperlinks></worksheet>",
        rows);
    const struct member members[] = {
        { "_rels/.rels", B(RELS(REL("r", "officeDocument", "xl/workbook.xml"))) },
        { "xl/workbook.xml",
          B(XML
            "<workbook><sheets><sheet name=\"Data &amp; more\" sheetId=\"4\" r:id=\"a\"/><sheet "
            "name=\"Gone\" sheetId=\"5\" state=\"hidden\" r:id=\"zz\"/></sheets></workbook>") },
        { "xl/_rels/workbook.xml.rels", B(RELS(REL("a", "worksheet", "worksheets/sheet1.xml")
                                                   REL("s", "sharedStrings", "sharedStrings.xml")
                                                       REL("t", "styles", "styles.xml"))) },
        { "xl/worksheets/sheet1.xml", sheet },
        { "xl/worksheets/_rels/sheet1.xml.rels", B(RELS(LINK("l", "http://a.org"))) },
        { "xl/sharedStrings.xml",
          B(XML
            "<sst><si><t>name</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>x</t></rPh></si>"
            "<si><t>a_x000A_b</t></si></sst>") },
        { "xl/styles.xml",
          B(XML "<styleSheet><numFmts><numFmt numFmtId=\"170\" formatCode=\"0.0&quot; kg&quot;\"/>"
                "</numFmts><cellStyleXfs><xf numFmtId=\"9\"/></cellStyleXfs><cellXfs><xf "
                "numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"170\"/><xf numFmtId=\"4\"/>"
                "</cellXfs></styleSheet>") },
    };
    return deflated_zip_of(members, sizeof members / sizeof *members);
}

#define FIRST "--- Data & more\n"
#define REST "\n- Link A1: http://a.org\n--- Gone\n"

static const struct row sheets[] = {
    { "strings: shared, rich, inline, of a formula",
      "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c></row><row r=\"2\"><c "
      "r=\"A2\" t=\"inlineStr\"><is><t>in</t></is></c><c r=\"B2\" t=\"str\"><f>A1</f><v>out</v></c></row>",
      FIRST "| name | rich |\n| --- | --- |\n| in | out |\n" REST },
    { "numbers, dates, errors, booleans",
      "<row><c><v>1</v></c><c s=\"1\"><v>45292</v></c><c s=\"2\"><v>1.25</v></c><c s=\"3\"><v>-1234.5</v>"
      "</c></row><row><c><v>0.30000000000000004</v></c><c t=\"e\"><v>#N/A</v></c><c t=\"b\"><v>1</v></c>"
      "<c t=\"d\"><v>2024-01-02</v></c></row>",
      FIRST "| 1 | 2024-01-01 | 1.3 kg | -1,234.50 |\n| --- | --- | --- | --- |\n"
            "| 0.3 | #N/A | TRUE | 2024-01-02 |\n" REST },
    { "a formula without a value is shown itself",
      "<row><c><v>1</v></c><c><f>SUM(A1:A2)</f></c></row>",
      FIRST "| 1 | =SUM(A1:A2) |\n| --- | --- |\n" REST },
    { "blocks: one cell is a line, a gap ends a table",
      "<row r=\"1\"><c r=\"B1\" t=\"s\"><v>0</v></c></row><row r=\"3\"><c r=\"B3\"><v>1</v></c><c r=\"C3\">"
      "<v>2</v></c></row><row r=\"4\"><c r=\"C4\"><v>3</v></c></row>",
      FIRST "name\n\n| 1 | 2 |\n| --- | --- |\n|  | 3 |\n" REST },
    { "far columns stay near",
      "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"XFD1\"><v>2</v></c></row>",
      FIRST "| 1 |  | 2 |\n| --- | --- | --- |\n" REST },
    { "a line feed in a cell",
      "<row><c t=\"s\"><v>2</v></c><c t=\"s\"><v>99</v></c><c><v>1</v></c></row>",
      FIRST "| a<br>b |  | 1 |\n| --- | --- | --- |\n" REST },
};

static void workbooks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        struct rf_job job = ask_worker(arena, "office", "op=text\n", xlsx_of(sheets[i].body));
        check(sheets[i].name, told(&job), sheets[i].want);
        assert_true(is_noted(&job, "sheet 2 is hidden"));
        assert_true(is_noted(&job, "sheet 2 is missing"));
    }
}

static void a_sheet_by_its_name(void **state)
{
    const char *row = "<row><c><v>1</v></c></row>";
    (void)state;
    struct rf_job job = ask_worker(arena, "office", "op=text\nsheet=data & more\n", xlsx_of(row));
    assert_int_equal(job.part_count, 1);
    job = ask_worker(arena, "office", "op=text\nsheet=Nope\n", xlsx_of(row));
    check("none", told(&job),
          "!usage: there is no sheet \"Nope\"; there are \"Data & more\", \"Gone\"");
}

/* More rows than wait together: the table goes on without a second head. */
static void a_long_sheet_is_one_table(void **state)
{
    struct rf_buf b;
    size_t heads = 0;
    (void)state;
    rf_buf_init(&b, arena, (size_t)1 << 24);
    for (int i = 0; i < 30000; i++)
        rf_buf_addf(&b, "<row><c><v>%d</v></c><c><v>2</v></c></row>", i);
    rf_buf_addc(&b, '\0');
    struct rf_job job = ask_worker(arena, "office", "op=text\n", xlsx_of(b.p));
    struct rf_str text = told(&job), line;
    size_t lines = 0;
    while (rf_str_split(&text, '\n', &line)) {
        heads += rf_str_is(line, "| --- | --- |");
        lines += rf_str_starts(line, "| ");
    }
    assert_int_equal(heads, 1);
    assert_int_equal(lines, 30001);
    job = ask_worker(arena, "office", "op=text\nmax_text=1000\n", xlsx_of(b.p));
    assert_true(job.parts[0].text.n <= 1000);
    assert_true(is_noted(&job, "was cut"));
}

/* Files that are broken or hostile. */

static void bombs_are_refused(void **state)
{
    size_t n = (size_t)40 << 20;
    char *body = rf_arena_alloc(arena, n + 1);
    (void)state;
    memset(body, 'A', n);
    struct rf_job job = ask_worker(arena, "office", "op=text\n", docx_of(body));
    assert_int_equal(job.failed, RF_ELIMIT);
    assert_non_null(strstr(job.err.msg, "decompression bomb"));
}

#define MAIN_REL                                                                \
    {                                                                           \
        "_rels/.rels", B(RELS(REL("r", "officeDocument", "word/document.xml"))) \
    }

static const struct {
    const char *name;
    struct member member; /* beside the relationship that names word/document.xml */
    const char *want;
} broken[] = {
    { "entities",
      { "word/document.xml", B("<!DOCTYPE d [<!ENTITY a \"b\">]><w:document>&a;</w:document>") },
      "!malformed: the XML declares entities, which are refused" },
    { "no document",
      { "readme.txt", B("hello") },
      "!malformed: the archive holds no document that can be read" },
    { "another kind of document",
      { "word/document.xml", B("<VisioDocument/>") },
      "!malformed: a document of the kind \"VisioDocument\" cannot be read" },
    { "not XML",
      { "word/document.xml", B("hello") },
      "!malformed: the XML is damaged in line 1 (syntax error)" },
    { "UTF-16",
      { "word/document.xml",
        B("\xff\xfe<\0d\0o\0c\0u\0m\0e\0n\0t\0>\0<\0p\0>\0<\0t\0>\0\xe9\0<\0/\0t\0>\0<\0/\0p\0>\0<\0/\0d\0o\0"
          "c\0u\0m\0e\0n\0t\0>\0") },
      "é\n" },
    { "Latin-1",
      { "word/document.xml",
        B("<?xml version='1.0' encoding='ISO-8859-1'?><document><p><t>\xe9</t></p></document>") },
      "é\n" },
};

static void broken_files_say_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        const struct member members[] = { MAIN_REL, broken[i].member };
        struct rf_job job = ask_worker(arena, "office", "op=text\n", zip_of(arena, members, 2));
        check(broken[i].name, told(&job), broken[i].want);
    }
    struct rf_str whole = docx_of(P("text"));
    struct rf_job job =
        ask_worker(arena, "office", "op=text\n", (struct rf_str){ whole.p, whole.n / 2 });
    check("cut in half", told(&job),
          "!malformed: the file is cut off or damaged: its table of contents is missing");
    const struct member binary[] = {
        { "_rels/.rels", B(RELS(REL("r", "officeDocument", "xl/workbook.bin"))) },
        { "xl/workbook.bin", B("\1\2") },
    };
    job = ask_worker(arena, "office", "op=text\n", zip_of(arena, binary, 2));
    check("xlsb", told(&job), "!malformed: a binary workbook (.xlsb) cannot be read");
}

/* Every byte of a small document, changed and cut: something comes back each time. */
static void no_byte_can_hurt(void **state)
{
    struct rf_str files[] = { docx_of(bodies[5].body), pptx(), xlsx_of(sheets[0].body) };
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        char *copy = rf_arena_alloc(arena, files[k].n);
        struct rf_arena *scratch = rf_arena_new();
        for (size_t i = 0; i < files[k].n; i += 1 + files[k].n / 700) {
            memcpy(copy, files[k].p, files[k].n);
            copy[i] = (char)(copy[i] ^ 0x55);
            struct rf_job job =
                ask_worker(scratch, "office", "op=text\n", (struct rf_str){ copy, files[k].n });
            assert_true(job.failed != RF_EIO);
            rf_arena_reset(scratch);
        }
        rf_arena_free(scratch);
    }
}

static void pictures_on_request(void **state)
{
    (void)state;
    struct rf_job job = ask_worker(arena, "office", "op=media\n", docx_of(P("text")));
    assert_int_equal(job.failed, RF_OK);
    assert_int_equal(job.part_count, 1);
    check("name", prop_of(&job, 0, "name"), "image1.png");
    check("type", prop_of(&job, 0, "mime"), "image/png");
    job = ask_worker(arena, "office", "op=media\nname=other.png\n", docx_of(P("text")));
    assert_int_equal(job.part_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word_documents),          cmocka_unit_test(headers_and_footers_come_once),
        cmocka_unit_test(hidden_text_is_left_out), cmocka_unit_test(tables_nest_without_end),
        cmocka_unit_test(presentations),           cmocka_unit_test(workbooks),
        cmocka_unit_test(a_sheet_by_its_name),     cmocka_unit_test(a_long_sheet_is_one_table),
        cmocka_unit_test(bombs_are_refused),       cmocka_unit_test(broken_files_say_so),
        cmocka_unit_test(no_byte_can_hurt),        cmocka_unit_test(pictures_on_request),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
