/* Types from bytes, names and MIME types. Rows are bytes written by hand; what is too long for one
 * has a test of its own. */
#include "media_rows.h"

#include <string.h>

#define DOCX "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
#define XLSX "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
#define PPTX "application/vnd.openxmlformats-officedocument.presentationml.presentation"
#define ODF "application/vnd.oasis.opendocument."
#define TYPES ZIP_LOCAL("\x13", "[Content_Types].xml")
#define MIMETYPE ZIP_LOCAL("\x08", "mimetype")

/* Fields stand together as they do in the file. */
/* clang-format off */
#define OGG_PAGE(flags, serial, length) \
    "OggS\0" flags Z8 serial "\0\0\0" Z4 Z4 "\1" length
#define MP3_FRAME "\xff\xfb\x18\xc0" Z32 Z32 Z32 Z32 Z8 Z4
#define AAC_FRAME "\xff\xf1\x50\x80\x01\x3f\xfc\0\0"
#define EBML(doctype, n) "\x1a\x45\xdf\xa3" n "\x42\x82" doctype
#define ASF_STREAM \
    "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c\x46\0\0\0" Z4 "\1\0\0\0\1\2" \
    "\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\0\xc0\x0c\x20\x53\x65\x28\0\0\0" Z4
#define ASF_PICTURES "\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\0\x80\x5f\x5c\x44\x2b"
#define ASF_SOUND "\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\0\x80\x5f\x5c\x44\x2b"
#define FTYP(brand, other) "\0\0\0\x14" "ftyp" brand Z4 other
#define TRACK(handler) \
    "\0\0\0\x2c" "moov" "\0\0\0\x24" "trak" "\0\0\0\x1c" "mdia" "\0\0\0\x14" "hdlr" Z8 handler

static const struct {
    const char *name;
    struct rf_str bytes;
    const char *want; /* "nothing" when the bytes are none that we know */
} cases[] = {
    { "nothing is nothing", B(""), "nothing" },
    { "PNG", B("\x89PNG\r\n\x1a\n"), "image/png" },
    { "a PNG whose line ends were converted", B("\x89PNG\n\x1a\n\0\0"), "nothing" },
    { "JPEG", B("\xff\xd8\xff\xe0"), "image/jpeg" },
    { "GIF of 1987", B("GIF87a"), "image/gif" },
    { "GIF of 1989", B("GIF89a"), "image/gif" },
    { "GIF of another year", B("GIF90a"), "text/plain" },
    { "WebP", B("RIFF\4\0\0\0WEBP"), "image/webp" },
    { "BMP", B("BM" Z8 Z4 "\x28\0\0\0"), "image/bmp" },
    { "BMP of OS/2", B("BM" Z8 Z4 "\x0c\0\0\0"), "image/bmp" },
    { "text that starts like BMP", B("BMW and Benz are cars, and so on"), "text/plain" },
    { "TIFF, little end first", B("II*\0\x08\0\0\0"), "image/tiff" },
    { "TIFF, big end first", B("MM\0*\0\0\0\x08"), "image/tiff" },
    { "BigTIFF, little end first", B("II+\0\x08\0\0\0"), "image/tiff" },
    { "BigTIFF, big end first", B("MM\0+\0\x08\0\0"), "image/tiff" },
    { "icon", B("\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0\x28\0\0\0\x16\0\0\0"),
      "image/vnd.microsoft.icon" },
    { "cursor", B("\0\0\2\0\1\0\x10\x10\0\0\1\0\x20\0\x28\0\0\0\x16\0\0\0"),
      "image/vnd.microsoft.icon" },
    { "an icon without pictures", B("\0\0\1\0\0\0" Z16), "nothing" },
    { "an icon whose picture lies in its own list",
      B("\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0\x28\0\0\0\x04\0\0\0"), "nothing" },
    { "AVIF", B(FTYP("avif", "mif1")), "image/avif" },
    { "AVIF sequence", B(FTYP("avis", "msf1")), "image/avif" },
    { "HEIC", B(FTYP("heic", "mif1")), "image/heic" },
    { "some picture that is a HEIC", B(FTYP("mif1", "heix")), "image/heic" },
    { "some picture that is an AVIF", B(FTYP("mif1", "avif")), "image/avif" },
    { "some picture", B(FTYP("mif1", "mif1")), "image/heif" },
    { "a camera's raw file is not an MP4", B(FTYP("crx ", "isom")), "nothing" },
    { "a brand nobody knows", B(FTYP("zzzz", "yyyy")), "nothing" },
    { "a brand nobody knows, for MP4 readers", B(FTYP("zzzz", "isom")), "video/mp4" },
    { "JPEG XL, bare", B("\xff\x0a\xfa\x7f"), "image/jxl" },
    { "JPEG XL in boxes", B("\0\0\0\x0cJXL \r\n\x87\n"), "image/jxl" },
    { "JPEG 2000 in boxes", B("\0\0\0\x0cjP  \r\n\x87\n"), "image/jp2" },
    { "JPEG 2000, bare", B("\xff\x4f\xff\x51"), "image/jp2" },
    { "Photoshop", B("8BPS\0\1"), "image/vnd.adobe.photoshop" },
    { "EMF", B("\1\0\0\0\x58\0\0\0" Z32 " EMF\0\0\1\0"), "image/emf" },
    { "WMF with a box", B("\xd7\xcd\xc6\x9a\0\0"), "image/wmf" },
    { "WMF without one", B("\1\0\x09\0\0\3\0\0"), "image/wmf" },

    { "PDF", B("%PDF-1.7\n"), "application/pdf" },
    { "PostScript is more than a text", B("%!PS-Adobe-3.0\n"), "nothing" },
    { "PDF after junk", B("\xef\xbb\xbf\n%PDF-1.4\n\1\2\3startxref\n9\n%%EOF"),
      "application/pdf" },
    { "PDF that lies in a ZIP as it is",
      B("PK\3\4\x0a\0\0\0\0\0" Z16 "\1\0\0\0a" "%PDF-1.4\n\1\2\3startxref\n9\n%%EOF"), "nothing" },
    { "text about PDF", B("A file starts with %PDF-1.4, always."), "text/plain" },
    { "RTF", B("{\\rtf1\\ansi}"), "application/rtf" },
    { "Word", B(TYPES ZIP_LOCAL("\x11", "word/document.xml")), DOCX },
    { "Word from the web", B(TYPES ZIP_LOCAL("\x12", "word/document2.xml")), DOCX },
    { "Word with a slash before its parts", B(TYPES ZIP_LOCAL("\x12", "/word/document.xml")),
      DOCX },
    { "Excel", B(TYPES ZIP_LOCAL("\x0f", "xl/workbook.xml")), XLSX },
    { "a binary workbook is not Excel's XML", B(TYPES ZIP_LOCAL("\x0f", "xl/workbook.bin")),
      "nothing" },
    { "PowerPoint", B(TYPES ZIP_LOCAL("\x14", "ppt/presentation.xml")), PPTX },
    { "an archive that has a word folder", B(ZIP_LOCAL("\x11", "word/document.xml")), "nothing" },
    { "an archive", B(ZIP_LOCAL("\x05", "a.txt")), "nothing" },
    { "OpenDocument text", B(MIMETYPE ODF "text"), ODF "text" },
    { "OpenDocument text template", B(MIMETYPE ODF "text-template"), ODF "text" },
    { "OpenDocument sheet template", B(MIMETYPE ODF "spreadsheet-template"), ODF "spreadsheet" },
    { "OpenDocument slides template", B(MIMETYPE ODF "presentation-template"),
      ODF "presentation" },
    { "OpenDocument sheet", B(MIMETYPE ODF "spreadsheet"), ODF "spreadsheet" },
    { "OpenDocument slides", B(MIMETYPE ODF "presentation"), ODF "presentation" },
    { "EPUB", B(MIMETYPE "application/epub+zip"), "application/epub+zip" },
    { "an archive with a type of its own", B(MIMETYPE "application/x-mine"), "nothing" },
    { "a compound file that is cut off", B("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "nothing" },

    { "MP3", B(MP3_FRAME MP3_FRAME), "audio/mpeg" },
    { "MP3 of one frame", B(MP3_FRAME), "audio/mpeg" },
    { "MP3 of one frame and an old tag", B(MP3_FRAME "TAGsong"), "audio/mpeg" },
    { "MP3 after a tag", B("ID3\4\0\0\0\0\0\1\0" MP3_FRAME MP3_FRAME), "audio/mpeg" },
    { "one frame header and then something else", B(MP3_FRAME "abcd"), "nothing" },
    { "UTF-16 is not a frame header", B("\xff\xfe\x41\0\x42\0"), "nothing" },
    { "FLAC", B("fLaC\0\0\0\x22"), "audio/flac" },
    { "FLAC after a tag", B("ID3\4\0\0\0\0\0\1\0fLaC"), "audio/flac" },
    { "AAC", B(AAC_FRAME AAC_FRAME), "audio/aac" },
    { "AAC after a tag", B("ID3\4\0\0\0\0\0\1\0" AAC_FRAME AAC_FRAME), "audio/aac" },
    { "AAC with one header for all", B("ADIF\0"), "audio/aac" },
    { "WAV", B("RIFF\4\0\0\0WAVE"), "audio/wav" },
    { "WAV over four gigabytes", B("RF64\xff\xff\xff\xffWAVE"), "audio/wav" },
    { "AIFF", B("FORM\0\0\0\4AIFF"), "audio/aiff" },
    { "AIFF, compressed", B("FORM\0\0\0\4AIFC"), "audio/aiff" },
    { "AMR", B("#!AMR\n\x3c"), "audio/amr" },
    { "AC-3 of one frame of 128 bytes",
      { "\x0b\x77\0\0\0\x40" Z16 Z16 Z16 Z16 Z16 Z16 Z16 Z8 "\0\0", 128 }, "audio/ac3" },
    { "AC-3 whose second frame is not one",
      { "\x0b\x77\0\0\0\x40" Z16 Z16 Z16 Z16 Z16 Z16 Z16 Z16, 134 },
      "nothing" },
    { "E-AC-3", B("\x0b\x77\0\3\0\x80\0\0\x0b\x77\0\3\0\x80"), "audio/ac3" },
    { "WavPack", B("wvpk\0\0"), "audio/x-wavpack" },
    { "Monkey's Audio", B("MAC \x96\x0f"), "audio/x-ape" },
    { "AU", B(".snd\0\0\0\x20"), "audio/basic" },
    { "AMR, wide band", B("#!AMR-WB\n\x3c"), "audio/amr" },
    { "Opus", B(OGG_PAGE("\2", "\1", "\x13") "OpusHead\1\1\0\0" Z8), "audio/opus" },
    { "Vorbis", B(OGG_PAGE("\2", "\1", "\x1e") "\1vorbis" Z32), "audio/ogg" },
    { "FLAC in Ogg", B(OGG_PAGE("\2", "\1", "\x33") "\x7f" "FLAC\1\0\0\1" Z32), "audio/ogg" },
    { "Theora", B(OGG_PAGE("\2", "\1", "\x07") "\x80theora"), "video/ogg" },
    { "Vorbis before Theora",
      B(OGG_PAGE("\2", "\1", "\x10") "\1vorbis" Z8 "\0" OGG_PAGE("\2", "\2", "\7") "\x80theora"),
      "video/ogg" },
    { "Ogg of another codec", B(OGG_PAGE("\2", "\1", "\4") "What"), "nothing" },
    { "WMA", B(ASF_STREAM ASF_SOUND), "audio/x-ms-wma" },
    { "M4A by its brand", B(FTYP("M4A ", "isom")), "audio/mp4" },
    { "M4A by its tracks", B(FTYP("isom", "mp42") TRACK("soun")), "audio/mp4" },
    { "WebM of sound",
      B(EBML("\x84webm", "\x87") "\x18\x53\x80\x67\x8a\x16\x54\xae\x6b\x85\xae\x83\x83\x81\2"),
      "audio/webm" },
    { "Matroska of sound, of unknown length",
      B(EBML("\x88matroska", "\x8b") "\x18\x53\x80\x67\xff\x16\x54\xae\x6b\x85\xae\x83\x83\x81\2"),
      "audio/x-matroska" },

    { "MP4", B(FTYP("isom", "mp42")), "video/mp4" },
    { "MP4 by its tracks", B(FTYP("isom", "mp42") TRACK("vide")), "video/mp4" },
    { "QuickTime", B(FTYP("qt  ", "qt  ")), "video/quicktime" },
    { "QuickTime before brands", B("\0\0\0\x10moov\0\0\0\x08mvhd"), "video/quicktime" },
    { "QuickTime, its data first", B("\0\0\0\x08wide\0\0\0\x08mdat\0\0\0\x08moov"),
      "video/quicktime" },
    { "3GP", B(FTYP("3gp5", "isom")), "video/3gpp" },
    { "WebM", B(EBML("\x84webm", "\x87")), "video/webm" },
    { "WebM with pictures",
      B(EBML("\x84webm", "\x87") "\x18\x53\x80\x67\x8a\x16\x54\xae\x6b\x85\xae\x83\x83\x81\1"),
      "video/webm" },
    { "Matroska", B(EBML("\x88matroska", "\x8b")), "video/x-matroska" },
    { "EBML of another type", B(EBML("\x84" "abcd", "\x87")), "nothing" },
    { "AVI", B("RIFF\4\0\0\0AVI "), "video/x-msvideo" },
    { "RIFF of another type", B("RIFF\4\0\0\0ABCD"), "nothing" },
    { "FLV", B("FLV\1\5\0\0\0\x09"), "video/x-flv" },
    { "MPEG program stream", B("\0\0\1\xba\x44"), "video/mpeg" },
    { "MPEG video stream", B("\0\0\1\xb3\x14"), "video/mpeg" },
    { "WMV", B(ASF_STREAM ASF_PICTURES), "video/x-ms-wmv" },

    { "text", B("Hello, world.\n"), "text/plain" },
    { "text with a byte order mark", B("\xef\xbb\xbfHello"), "text/plain" },
    { "text beyond ASCII", B("na\xc3\xafve \xe6\x97\xa5 \xf0\x9f\x98\x80"), "text/plain" },
    { "text with tabs, returns and form feeds", B("a\tb\r\n\fc"), "text/plain" },
    { "white space is text", B(" \n"), "text/plain" },
    { "text with an escape", B("\x1b[31mred"), "nothing" },
    { "text with a zero", B("a\0b"), "nothing" },
    { "text with a delete", B("a\x7f"), "nothing" },
    { "text in another encoding", B("na\xefve"), "nothing" },
    { "text that ends within a character", B("na\xc3"), "nothing" },
    { "an overlong form is not UTF-8", B("\xc0\x80"), "nothing" },
    { "JSON object", B(" {\"a\": [1, -2.5e3, true, false, null, \"x\\\"y\"], \"b\": {}}\n"),
      "application/json" },
    { "JSON array", B("[]"), "application/json" },
    { "JSON after a byte order mark", B("\xef\xbb\xbf{}"), "application/json" },
    { "JSON that is cut off", B("{\"a\": 1"), "text/plain" },
    { "JSON with a comma too many", B("[1,]"), "text/plain" },
    { "JSON with brackets crossed", B("[{]}"), "text/plain" },
    { "two JSON documents", B("{}\n{}"), "text/plain" },
    { "INI file", B("[section]\nkey = 1\n"), "text/plain" },
    { "a footnote", B("[1] See there."), "text/plain" },
    { "a template", B("{name}, hello"), "text/plain" },
    { "a JSON scalar is text", B("true"), "text/plain" },
    { "HTML with a document type", B("<!DOCTYPE html><p>x"), "text/html" },
    { "HTML in lower case, after a comment", B("<!-- x -->\n<!doctype HTML>"), "text/html" },
    { "HTML without one", B("\n<HTML><body>"), "text/html" },
    { "HTML fragment", B("<div class=\"x\">y</div>"), "text/html" },
    { "XHTML", B("<?xml version=\"1.0\"?><html xmlns=\"x\"/>"), "text/html" },
    { "XML", B("<?xml version=\"1.0\"?>\n<feed/>"), "text/xml" },
    { "XML without a declaration", B("<note><to>me</to></note>\n"), "text/xml" },
    { "a mail address is not a tag", B("<me@example.org> wrote"), "text/plain" },
    { "a word in brackets is not a tag", B("<user> says hi"), "text/plain" },
    { "a comparison is not a tag", B("< 5"), "text/plain" },
    { "PHP", B("<?php echo 1;"), "text/plain" },
    { "SVG", B("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), "image/svg+xml" },
    { "SVG with everything before it",
      B("\xef\xbb\xbf<?xml version=\"1.0\"?><!-- <p> --><!DOCTYPE svg [ <!ENTITY a \"]>\"> ]>"
        "<svg:svg/>"),
      "image/svg+xml" },
    { "HTML that holds SVG", B("<html><svg/></html>"), "text/html" },
};

/* clang-format on */

static void test_bytes(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *got = mime_of(sniff_memory(cases[i].bytes));
        if (strcmp(got, cases[i].want) == 0)
            continue;
        print_error("%s: got %s, want %s\n", cases[i].name, got, cases[i].want);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void test_base64_is_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_bytes b;
        struct rf_reader r;
        char *text = as_base64(cases[i].bytes, &b);
        assert_int_equal(rf_reader_open(&r, &b, NULL), RF_OK);
        assert_string_equal(mime_of(rf_sniff(&r)), cases[i].want);
        free(text);
    }
}

/* A head may end anywhere: what its bytes say so far counts. */
#define KIB64 65536

static void test_long_text(void **state)
{
    static char text[KIB64 + 2];
    struct rf_str s = { text, sizeof text };

    (void)state;
    memset(text, 'a', sizeof text);
    memcpy(text + KIB64 - 1, "\xc3\xaf", 2);
    assert_string_equal(mime_of(sniff_memory(s)), "text/plain");
    memcpy(text + KIB64, "\0\0", 2);
    assert_string_equal(mime_of(sniff_memory(s)), "text/plain");
    memcpy(text + KIB64 - 2, "\xc3\x28", 2);
    assert_string_equal(mime_of(sniff_memory(s)), "nothing");
    memset(text, 'a', sizeof text);
    for (size_t at = 4094; at <= 4097; at++) {
        memcpy(text + at, "\xf0\x9f\x98\x80", 4);
        assert_string_equal(mime_of(sniff_memory(s)), "text/plain");
        memset(text + at, 'a', 4);
    }
}

static void test_long_json(void **state)
{
    static char text[3 * KIB64];
    size_t n = 0;

    (void)state;
    text[n++] = '[';
    while (n + 8 < sizeof text) {
        memcpy(text + n, "[\"ab\"],\n", 8);
        n += 8;
    }
    assert_string_equal(mime_of(sniff_memory((struct rf_str){ text, n })), "application/json");
    memset(text, '[', 200);
    assert_string_equal(mime_of(sniff_memory((struct rf_str){ text, n })), "application/json");
    memset(text, '[', 10);
    text[10] = '}';
    assert_string_equal(mime_of(sniff_memory((struct rf_str){ text, n })), "text/plain");
}

/* clang-format off */
#define CENTRAL(length, name, offset) \
    "PK\1\2\x14\0\x14\0" Z16 Z4 length "\0" Z8 Z4 offset "\0\0\0" name

/* Streamed archives have no lengths at the front: only the directory at the end tells. */
static void test_zip_directory(void **state)
{
    static const char streamed[] = "PK\3\4\x14\0\x08\0" Z16 "\0\0\5\0\0\0" "a.xml" "data"
        CENTRAL("\5", "a.xml", "\0") CENTRAL("\x13", "[Content_Types].xml", "\0")
        CENTRAL("\x0f", "xl/workbook.xml", "\0") "PK\5\6" Z4 "\3\0\3\0\xb1\0\0\0\x27\0\0\0\0\0";
    static const char late[] = "PK\3\4\x14\0\x08\0" Z16 "\0\0\5\0\0\0" "a.xml"
        MIMETYPE "application/vnd.oasis.opendocument.spreadsheet"
        CENTRAL("\x08", "mimetype", "\x23") "PK\5\6" Z4 "\1\0\1\0\x36\0\0\0\x77\0\0\0\0\0";
    /* clang-format on */
    struct rf_str s = { streamed, sizeof streamed - 1 };

    (void)state;
    assert_string_equal(mime_of(sniff_memory(s)), XLSX);
    s.n -= 30;
    assert_string_equal(mime_of(sniff_memory(s)), "nothing");
    s = (struct rf_str){ late, sizeof late - 1 };
    assert_string_equal(mime_of(sniff_memory(s)), ODF "spreadsheet");
}

#define SECTOR 512

/* Entry `id` of the directory, which is sector 1; sector 0 is the table of chains. */
static void put_entry(char *file, size_t id, const char *name, unsigned left, unsigned child)
{
    char *e = file + 2 * SECTOR + id * 128;

    for (size_t i = 0; i < strlen(name); i++)
        e[2 * i] = name[i];
    e[64] = (char)(2 * (strlen(name) + 1));
    memset(e + 68, -1, 12);
    if (left)
        memcpy(e + 68, (char[]){ (char)left, 0, 0, 0 }, 4);
    if (child)
        memcpy(e + 76, (char[]){ (char)child, 0, 0, 0 }, 4);
}

static void put_compound(char *file)
{
    memset(file, 0, 3 * SECTOR);
    memcpy(file, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8);
    file[30] = 9;
    file[48] = 1;
    memset(file + SECTOR, -1, SECTOR);
    put_entry(file, 0, "Root Entry", 0, 1);
}

static void test_compound_files(void **state)
{
    static const struct {
        const char *name, *first, *second, *inside, *want;
    } files[] = {
        { "Word", "WordDocument", "1Table", "", "application/msword" },
        { "Excel", "x", "Workbook", "", "application/vnd.ms-excel" },
        { "Excel in capitals", "x", "WORKBOOK", "", "application/vnd.ms-excel" },
        { "Excel 95", "Book", "x", "", "application/vnd.ms-excel" },
        { "PowerPoint", "x", "PowerPoint Document", "", "application/vnd.ms-powerpoint" },
        { "an encrypted package", "EncryptionInfo", "EncryptedPackage", "",
          "application/encrypted" },
        { "a sheet inside a letter", "ObjectPool", "WordDocument", "Workbook",
          "application/msword" },
        { "a mail with a sheet", "__attach", "__props", "Workbook", "nothing" },
    };
    char file[3 * SECTOR];

    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        put_compound(file);
        put_entry(file, 1, files[i].first, 2, files[i].inside[0] ? 3 : 0);
        put_entry(file, 2, files[i].second, 0, 0);
        put_entry(file, 3, files[i].inside, 0, 0);
        const char *got = mime_of(sniff_memory((struct rf_str){ file, sizeof file }));
        if (strcmp(got, files[i].want) != 0)
            fail_msg("%s: got %s, want %s", files[i].name, got, files[i].want);
    }
}

static void put_u32(char *p, unsigned v)
{
    memcpy(p, (char[]){ (char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24) }, 4);
}

/* In a long file, the table that chains the directory is in a list outside of the header. */
static void test_compound_long(void **state)
{
    enum { CHAINS = 0, LIST = 1, FIRST = 14000, SECTORS = FIRST + 2 };
    char *file = calloc(SECTORS + 1, SECTOR);

    (void)state;
    assert_non_null(file);
    put_compound(file);
    put_u32(file + 48, FIRST);
    put_u32(file + 68, LIST);
    put_u32(file + (LIST + 1) * SECTOR, CHAINS);
    put_u32(file + (CHAINS + 1) * SECTOR + 4 * (FIRST % 128), FIRST + 1);
    char *folder = file + (size_t)(FIRST - 1) * SECTOR;
    put_entry(folder, 0, "Root Entry", 0, 4);
    put_entry(folder, 4, "WordDocument", 0, 0);
    struct rf_str s = { file, (SECTORS + 1) * SECTOR };
    assert_string_equal(mime_of(sniff_memory(s)), "application/msword");
    put_u32(file + 68, FIRST + 9);
    assert_string_equal(mime_of(sniff_memory(s)), "nothing");
    free(file);
}

/* Chains and trees that lead back to themselves end all the same. */
static void test_compound_loops(void **state)
{
    char file[3 * SECTOR];

    (void)state;
    put_compound(file);
    put_entry(file, 1, "a", 1, 0);
    memcpy(file + SECTOR + 4, "\1\0\0\0", 4);
    assert_string_equal(mime_of(sniff_memory((struct rf_str){ file, sizeof file })), "nothing");
}

static void test_by_mime(void **state)
{
    static const struct {
        const char *mime, *want;
    } mimes[] = {
        { "image/png", "image/png" },
        { "IMAGE/PNG", "image/png" },
        { " image/jpg; x=y", "image/jpeg" },
        { "text/html;charset=utf-8", "text/html" },
        { "audio/mp3", "audio/mpeg" },
        { "audio/x-wav", "audio/wav" },
        { "application/x-pdf", "application/pdf" },
        { "text/json", "application/json" },
        { "application/xml", "text/xml" },
        { "image/x-icon", "image/vnd.microsoft.icon" },
        { "video/avi", "video/x-msvideo" },
        { "image/", "nothing" },
        { "image/png2", "nothing" },
        { "application/octet-stream", "nothing" },
        { "", "nothing" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(mimes); i++)
        assert_string_equal(mime_of(rf_format_by_mime(rf_str(mimes[i].mime))), mimes[i].want);
}

static void test_by_name(void **state)
{
    static const struct {
        const char *name, *want;
    } names[] = {
        { "a.png", "image/png" },
        { "A.JPEG", "image/jpeg" },
        { "/tmp/x.y/notes.md", "text/markdown" },
        { "data.tar.csv", "text/csv" },
        { "x.yml", "application/yaml" },
        { "x.pdf", "application/pdf" },
        { "https://example.org/a.webp?size=2.gif#x.bmp", "image/webp" },
        { "a.png?b", "nothing" },
        { "https://example.org/x", "nothing" },
        { "folder.png/readme", "nothing" },
        { "folder/.png", "nothing" },
        { ".png", "nothing" },
        { "png", "nothing" },
        { "a.", "nothing" },
        { "", "nothing" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(mime_of(rf_format_by_name(rf_str(names[i].name))), names[i].want);
}

static void test_refine(void **state)
{
    static const struct {
        const char *name, *sniffed, *declared, *file, *want;
    } claims[] = {
        { "a name makes text finer", "text/plain", "", "a.csv", "text/csv" },
        { "a declared type beats a name", "text/plain", "text/markdown", "a.csv", "text/markdown" },
        { "plain is not a claim", "text/plain", "text/plain", "a.csv", "text/csv" },
        { "plain does not undo JSON", "application/json", "text/plain", "a.txt",
          "application/json" },
        { "markup in Markdown is Markdown", "text/html", "", "README.md", "text/markdown" },
        { "text is never a picture", "text/plain", "image/png", "a.png", "text/plain" },
        { "a picture is never text", "image/png", "text/csv", "a.csv", "image/png" },
        { "a drawing stays a picture", "image/svg+xml", "text/xml", "a.xml", "image/svg+xml" },
        { "nothing is claimed", "text/plain", "", "", "text/plain" },
        { "nothing stays nothing", "", "text/plain", "a.txt", "nothing" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(claims); i++) {
        const struct rf_format *sniffed = rf_format_by_mime(rf_str(claims[i].sniffed));
        const char *got =
            mime_of(rf_format_refine(sniffed, rf_str(claims[i].declared), rf_str(claims[i].file)));
        if (strcmp(got, claims[i].want) != 0)
            fail_msg("%s: got %s, want %s", claims[i].name, got, claims[i].want);
    }
}

/* Each name in `names` finds the row `f`, so that none stands in two rows. */
static void find_all(const struct rf_format *f, const char *names, const char *before,
                     const struct rf_format *(*find)(struct rf_str name))
{
    struct rf_str rest = rf_str(names), one;
    char name[200];
    while (rf_str_split(&rest, ' ', &one)) {
        snprintf(name, sizeof name, "%s%.*s", before, RF_FMT(one));
        if (find(rf_str(name)) != f)
            fail_msg("%s does not find %s", name, f->label);
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (int id = RF_FORMAT_NONE + 1; id < RF_FORMAT_COUNT; id++) {
        const struct rf_format *f = rf_format_of((enum rf_format_id)id);
        bool other = f->kind == RF_KIND_UNKNOWN;
        assert_int_equal(f->id, id);
        assert_non_null(f->label);
        find_all(f, f->mime, "", other ? rf_other_by_mime : rf_format_by_mime);
        find_all(f, f->mimes, "", other ? rf_other_by_mime : rf_format_by_mime);
        find_all(f, f->extension, "x.", other ? rf_other_by_name : rf_format_by_name);
        find_all(f, f->extensions, "x.", other ? rf_other_by_name : rf_format_by_name);
        if (f->kind == RF_KIND_OFFICE || f->kind == RF_KIND_PDF || f->text_only)
            assert_true(f->family && f->parts);
    }
}

static void test_kind_names(void **state)
{
    static const char *const names[RF_KIND_COUNT] = { "unknown", "image", "pdf",  "text",
                                                      "office",  "audio", "video" };

    (void)state;
    for (int i = 0; i < RF_KIND_COUNT; i++)
        assert_string_equal(rf_kind_name((enum rf_kind)i), names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_base64_is_the_same),
        cmocka_unit_test(test_long_text),     cmocka_unit_test(test_long_json),
        cmocka_unit_test(test_zip_directory), cmocka_unit_test(test_compound_files),
        cmocka_unit_test(test_compound_long), cmocka_unit_test(test_compound_loops),
        cmocka_unit_test(test_by_mime),       cmocka_unit_test(test_by_name),
        cmocka_unit_test(test_refine),        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_kind_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
