/* Facts from headers: rows of bytes written by hand, and what is told of them in words. Each format
 * has what it must tell, and each way in which its header can be wrong. */
#include "media_rows.h"

#include <inttypes.h>
#include <string.h>

/* Fields stand together as they do in the file. */
/* clang-format off */
/* 26 bytes of EXIF that say how a picture is turned, big end first and little end first. */
#define TURNED(how) "MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0" how "\0\0" Z4
#define TURNED_LE(how) "II*\0\x08\0\0\0\1\0\x12\x01\3\0\1\0\0\0" how "\0\0\0" Z4

#define PNG(width, height, depth, colour) \
    "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR" width height depth colour "\0\0\0" Z4
#define PNG_8x4 PNG("\0\0\0\x08", "\0\0\0\x04", "\x08", "\2")
#define PNG_DATA "\0\0\0\1IDATx" Z4
#define PNG_END "\0\0\0\0IEND" Z4
#define PNG_FRAMES(n) "\0\0\0\x08" "acTL" "\0\0\0" n Z4 Z4

#define SOF(marker, height, width) \
    "\xff" marker "\0\x11\x08" height width "\3\1\x22\0\2\x11\1\3\x11\1"
#define SCAN "\xff\xda\0\x08\1\1\0\0\x3f\0" "data"
#define APP1(exif) "\xff\xe1\0\x22" "Exif\0\0" exif
#define JPEG(parts) "\xff\xd8" parts

#define GIF(width, height) "GIF89a" width height "\0\0\0"
#define GIF_PICTURE ",\0\0\0\0\2\0\2\0\0\2\2\x4c\1\0"
#define GIF_LOOP "!\xff\x0bNETSCAPE2.0\3\1\0\0\0"

#define WEBP(length, chunk) "RIFF" length "\0\0\0WEBP" chunk
#define VP8X(length, flags) WEBP(length, "VP8X\x0a\0\0\0") flags "\0\0\0\x0f\0\0\x07\0\0"

#define BMP(header, offset, rest) "BM" Z8 offset "\0\0\0" header "\0\0\0" rest
#define BMP_INFO(width, height, bits, compression) \
    BMP("\x28", "\x36", width height "\1\0" bits "\0" compression "\0\0\0" Z16 Z4)
#define ICON(width, height) width height "\0\0\1\0\x20\0\1\0\0\0\x17\0\0\0"

#define TIFF_FIELD(tag, type, value) tag type "\1\0\0\0" value "\0\0\0"
#define TIFF_WIDE "II*\0\x08\0\0\0\3\0" TIFF_FIELD("\0\1", "\3\0", "\x05") \
    TIFF_FIELD("\1\1", "\4\0", "\7")

#define BOX(length, type) "\0\0\0" length type
/* A picture of 6 x 4 with one more property; another item comes first in the list. */
#define AVIF(property) AVIF_AS(property, "\1\x82")
#define AVIF_AS(property, order) \
    BOX("\x10", "ftyp") "avif" Z4 BOX("\x60", "meta") Z4 BOX("\x0e", "pitm") Z4 "\0\1" \
    BOX("\x46", "iprp") BOX("\x25", "ipco") BOX("\x14", "ispe") Z4 "\0\0\0\6\0\0\0\4" \
    BOX("\x09", property) BOX("\x19", "ipma") Z4 "\0\0\0\2" "\0\2\1\1" "\0\1\2" order
#define HEIC_CROPPED(denominator) \
    BOX("\x10", "ftyp") "heic" Z4 BOX("\x7b", "meta") Z4 BOX("\x0e", "pitm") Z4 "\0\1" \
    BOX("\x61", "iprp") BOX("\x44", "ipco") BOX("\x14", "ispe") Z4 "\0\0\0\6\0\0\0\4" \
    BOX("\x28", "clap") "\0\0\0\5\0\0\0\1\0\0\0\6\0\0\0" denominator Z16 \
    BOX("\x15", "ipma") Z4 "\0\0\0\1" "\0\1\2\1\2"

#define PDF_END(body, offset) "%PDF-1.6\n" body "startxref\n" offset "\n%%EOF\n"
#define FLAC(rate_and_samples) "fLaC\0\0\0\x22" Z8 "\0\0" rate_and_samples Z16
#define WAV(rest) "RIFF\x24\0\0\0WAVE" rest
#define WAV_8000 "fmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0"
#define MP3_FRAME(front) "\xff\xfb\x18\xc0" Z16 "\0" front Z32 Z32 Z32 "\0\0\0"
#define OGG_PAGE(granule, length) "OggS\0\2" granule Z4 "\7\0\0\0" Z8 "\1" length
#define TRACK(kind, length)                                                               \
    BOX("\x8c", "trak") BOX("\x5c", "tkhd") Z16 Z4 length Z32 Z16 Z8 Z4 BOX("\x28", "mdia") \
    BOX("\x20", "hdlr") Z8 kind Z8 Z4
#define MOVIE(times) BOX("\x30", "moov") BOX("\x28", "mvhd") Z4 Z8 times Z8 Z4

static const struct {
    const char *name, *mime;
    struct rf_str bytes;
    const char *want; /* the facts, or "!" and the error message */
} cases[] = {
    { "size of a PNG", "image/png", B(PNG_8x4 PNG_DATA PNG_END), "8x4 still" },
    { "junk after a PNG", "image/png", B(PNG_8x4 PNG_DATA PNG_END "junk"), "8x4 still" },
    { "PNG in one bit of grey", "image/png",
      B(PNG("\0\0\0\x08", "\0\0\0\4", "\1", "\0") PNG_DATA PNG_END), "8x4 still" },
    { "PNG of a palette of 16 bits", "image/png",
      B(PNG("\0\0\0\x08", "\0\0\0\4", "\x10", "\3") PNG_DATA PNG_END),
      "!the PNG has colour type 3 with bit depth 16" },
    { "animated PNG", "image/png", B(PNG_8x4 PNG_FRAMES("\3") PNG_DATA PNG_END), "8x4 moving" },
    { "animated PNG of one frame", "image/png", B(PNG_8x4 PNG_FRAMES("\1") PNG_DATA PNG_END),
      "8x4 still" },
    { "PNG turned by EXIF", "image/png",
      B(PNG_8x4 "\0\0\0\x1a" "eXIf" TURNED("\6") Z4 PNG_DATA PNG_END), "4x8 still" },
    { "PNG header cut off", "image/png", B("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0"),
      "!the PNG header is cut off" },
    { "PNG cut off", "image/png", B(PNG_8x4 "\0\0\0\x09IDATx"), "!the PNG is cut off" },
    { "PNG without its end", "image/png", B(PNG_8x4 PNG_DATA), "!the PNG is cut off" },
    { "PNG without data", "image/png", B(PNG_8x4 PNG_END), "!the PNG holds no picture data" },
    { "PNG without a header", "image/png", B("\x89PNG\r\n\x1a\n" PNG_DATA PNG_DATA PNG_END),
      "!the PNG does not start with its header" },
    { "PNG of nothing", "image/png", B(PNG(Z4, Z4, "\x08", "\2") PNG_DATA PNG_END),
      "!the picture is 0 x 0 pixels" },
    { "PNG wider than a PNG can be", "image/png",
      B(PNG("\x80\0\0\0", "\0\0\0\1", "\x08", "\2") PNG_DATA PNG_END),
      "!the picture is 2147483648 x 1 pixels" },
    { "PNG of an impossible colour", "image/png",
      B(PNG("\0\0\0\1", "\0\0\0\1", "\x08", "\1") PNG_DATA PNG_END),
      "!the PNG has colour type 1 with bit depth 8" },
    { "PNG of an impossible depth", "image/png",
      B(PNG("\0\0\0\1", "\0\0\0\1", "\1", "\2") PNG_DATA PNG_END),
      "!the PNG has colour type 2 with bit depth 1" },

    { "baseline JPEG", "image/jpeg", B(JPEG(SOF("\xc0", "\0\4", "\0\x08") SCAN)), "8x4 still" },
    { "progressive JPEG", "image/jpeg", B(JPEG(SOF("\xc2", "\1\4", "\2\x08") SCAN)),
      "520x260 still" },
    { "arithmetic JPEG", "image/jpeg", B(JPEG(SOF("\xc9", "\0\4", "\0\x08") SCAN)), "8x4 still" },
    { "JPEG turned by EXIF", "image/jpeg",
      B(JPEG(APP1(TURNED("\6")) SOF("\xc0", "\0\4", "\0\x08") SCAN)), "4x8 still" },
    { "JPEG turned by EXIF, little end first", "image/jpeg",
      B(JPEG(APP1(TURNED_LE("\5")) SOF("\xc0", "\0\4", "\0\x08") SCAN)), "4x8 still" },
    { "JPEG turned by EXIF after its frame", "image/jpeg",
      B(JPEG(SOF("\xc0", "\0\4", "\0\x08") APP1(TURNED("\x08")) SCAN)), "4x8 still" },
    { "JPEG upside down", "image/jpeg",
      B(JPEG(APP1(TURNED("\3")) SOF("\xc0", "\0\4", "\0\x08") SCAN)), "8x4 still" },
    { "JPEG turned in no known way", "image/jpeg",
      B(JPEG(APP1(TURNED("\x09")) SOF("\xc0", "\0\4", "\0\x08") SCAN)), "8x4 still" },
    { "JPEG with junk and fill between segments", "image/jpeg",
      B(JPEG("junk\xff\0\xff\xff\xff\xfe\0\4hi" SOF("\xc0", "\0\4", "\0\x08") SCAN)),
      "8x4 still" },
    { "Huffman tables are not a frame", "image/jpeg", B(JPEG("\xff\xc4\0\x11" Z8 Z4 "\0\0\0" SCAN)),
      "!the JPEG has no frame header" },
    { "JPEG that ends at once", "image/jpeg", B(JPEG("\xff\xd9")),
      "!the JPEG has no frame header" },
    { "JPEG frame header cut off", "image/jpeg", B(JPEG("\xff\xc0\0\x11\x08")),
      "!the JPEG frame header is cut off" },
    { "JPEG segment shorter than its length", "image/jpeg", B(JPEG("\xff\xfe\0\1")),
      "!the JPEG has no frame header" },
    { "JPEG without a scan", "image/jpeg", B(JPEG(SOF("\xc0", "\0\4", "\0\x08"))),
      "!the JPEG holds no picture data" },
    { "JPEG cut off at its scan", "image/jpeg",
      B(JPEG(SOF("\xc0", "\0\4", "\0\x08") "\xff\xda\0\x0c")), "!the JPEG holds no picture data" },
    { "JPEG whose height comes later", "image/jpeg", B(JPEG(SOF("\xc0", "\0\0", "\0\x08") SCAN)),
      "!the picture is 8 x 0 pixels" },

    { "GIF", "image/gif", B(GIF("\2\0", "\1\0") GIF_PICTURE ";"), "2x1 still" },
    { "animated GIF", "image/gif", B(GIF("\2\0", "\1\0") GIF_PICTURE GIF_PICTURE ";"),
      "2x1 moving" },
    { "GIF that loops over one picture", "image/gif",
      B(GIF("\2\0", "\1\0") GIF_LOOP GIF_PICTURE ";"), "2x1 still" },
    { "GIF that loops and is cut off", "image/gif",
      B(GIF("\2\0", "\1\0") GIF_LOOP GIF_PICTURE), "2x1 moving" },
    { "GIF with colours", "image/gif",
      B("GIF89a\2\0\1\0\x80\0\0" "rgbrgb" GIF_PICTURE ";"), "2x1 still" },
    { "GIF without a picture", "image/gif", B(GIF("\2\0", "\1\0") ";"),
      "!the GIF holds no picture" },
    { "GIF header cut off", "image/gif", B("GIF89a\2\0"), "!the GIF header is cut off" },
    { "GIF of no width", "image/gif", B(GIF("\0\0", "\1\0") GIF_PICTURE ";"),
      "!the picture is 0 x 1 pixels" },

    { "lossy WebP", "image/webp",
      B(WEBP("\x16", "VP8 \x0a\0\0\0\x30\1\0\x9d\1\x2a\x10\0\x08\0")), "16x8 still" },
    { "lossless WebP", "image/webp",
      B(WEBP("\x12", "VP8L\6\0\0\0\x2f\x0f\xc0\1\0\0")), "16x8 still" },
    { "extended WebP", "image/webp", B(VP8X("\x1e", "\0") "VP8 \0\0\0\0"), "16x8 still" },
    { "animated WebP", "image/webp", B(VP8X("\x1e", "\2") "ANMF\0\0\0\0"), "16x8 moving" },
    { "WebP turned by EXIF", "image/webp",
      B(VP8X("\x40", "\x08") "VP8 \0\0\0\0" "EXIF\x1a\0\0\0" TURNED_LE("\x08")), "8x16 still" },
    { "WebP turned by EXIF with a prefix", "image/webp",
      B(VP8X("\x46", "\x08") "VP8 \0\0\0\0" "EXIF\x20\0\0\0" "Exif\0\0" TURNED("\x08")),
      "8x16 still" },
    { "WebP header cut off", "image/webp", B(WEBP("\x08", "VP8L")),
      "!the WebP header is cut off" },
    { "WebP cut off", "image/webp", B(WEBP("\xff", "VP8 \0\0\0\0")),
      "!the WebP is cut off: 20 of its 263 bytes are there" },
    { "lossy WebP cut off", "image/webp", B(WEBP("\x0c", "VP8 \x0a\0\0\0")),
      "!the WebP header is cut off" },
    { "WebP without a key frame", "image/webp",
      B(WEBP("\x16", "VP8 \x0a\0\0\0\x31\1\0\x9d\1\x2a\x10\0\x08\0")),
      "!the WebP has no key frame" },
    { "lossless WebP without its mark", "image/webp",
      B(WEBP("\x12", "VP8L\6\0\0\0\x2e\x0f\xc0\1\0\0")), "!the WebP has no lossless header" },
    { "WebP without a picture", "image/webp", B(VP8X("\x16", "\0")),
      "!the WebP holds no picture data" },
    { "WebP of no known sort", "image/webp", B(WEBP("\x0c", "VP9 \0\0\0\0")),
      "!the WebP does not start with a picture or a header" },

    { "BMP", "image/bmp",
      B(BMP_INFO("\2\0\0\0", "\1\0\0\0", "\x18", "\0") "rgbrgb\0\0"), "2x1" },
    { "BMP from the top down", "image/bmp",
      B(BMP_INFO("\2\0\0\0", "\xff\xff\xff\xff", "\x18", "\0") "rgbrgb\0\0"), "2x1" },
    { "BMP of OS/2", "image/bmp", B(BMP("\x0c", "\x1a", "\2\0\1\0\1\0\x18\0" "rgbrgb\0\0")),
      "2x1" },
    { "compressed BMP", "image/bmp", B(BMP_INFO("\2\0\0\0", "\1\0\0\0", "\x08", "\1")), "2x1" },
    { "BMP header cut off", "image/bmp", B(BMP("\x28", "\x36", "\2\0\0\0")),
      "!the BMP header is cut off" },
    { "BMP cut off", "image/bmp",
      B(BMP_INFO("\2\0\0\0", "\1\0\0\0", "\x18", "\0") "rgbrgb\0"), "!the BMP is cut off" },
    { "BMP of a huge size", "image/bmp",
      B(BMP_INFO("\xff\xff\xff\x7f", "\xff\xff\xff\x7f", "\x20", "\0")), "!the BMP is cut off" },
    { "BMP of a negative width", "image/bmp",
      B(BMP_INFO("\xff\xff\xff\xff", "\1\0\0\0", "\x18", "\0")),
      "!the BMP has a negative width" },
    { "BMP of the lowest height", "image/bmp",
      B(BMP_INFO("\1\0\0\0", "\0\0\0\x80", "\x18", "\0")),
      "!the picture is 1 x 2147483648 pixels" },
    { "BMP of a strange depth", "image/bmp",
      B(BMP_INFO("\1\0\0\0", "\1\0\0\0", "\x07", "\0")), "!the BMP has 7 bits a pixel" },
    { "BMP of nothing", "image/bmp", B(BMP_INFO(Z4, Z4, "\x18", "\0")),
      "!the picture is 0 x 0 pixels" },

    { "icon", "image/vnd.microsoft.icon", B("\0\0\1\0\1\0" ICON("\x10", "\x20") "xxx"),
      "16x32" },
    { "the largest of two icons", "image/vnd.microsoft.icon",
      B("\0\0\1\0\2\0" ICON("\x10", "\x10") ICON("\0", "\0")), "256x256" },
    { "icon cut off", "image/vnd.microsoft.icon", B("\0\0\1\0\1\0" ICON("\x10", "\x20")),
      "!the icon is cut off" },
    { "list of icons cut off", "image/vnd.microsoft.icon", B("\0\0\1\0\1\0\x10"),
      "!the icon's header is cut off" },
    { "icon of five bytes", "image/vnd.microsoft.icon", B("\0\0\1\0\1"),
      "!the icon's header is cut off" },
    { "no icons", "image/vnd.microsoft.icon", B("\0\0\1\0\0\0"), "!the icon holds no picture" },

    { "TIFF", "image/tiff", B(TIFF_WIDE TIFF_FIELD("\x12\1", "\3\0", "\1") Z4), "5x7" },
    { "TIFF that is turned", "image/tiff", B(TIFF_WIDE TIFF_FIELD("\x12\1", "\3\0", "\6") Z4),
      "7x5" },
    { "TIFF, big end first", "image/tiff",
      B("MM\0*\0\0\0\x08\0\2\1\0\0\3\0\0\0\1\0\5\0\0\1\1\0\4\0\0\0\1\0\0\0\7" Z4), "5x7" },
    { "BigTIFF", "image/tiff",
      B("II+\0\x08\0\0\0\x10\0\0\0" Z4 "\2\0\0\0" Z4 "\0\1\x10\0\1\0\0\0" Z4 "\5\0\0\0" Z4
        "\1\1\4\0\1\0\0\0" Z4 "\7\0\0\0" Z4 Z8),
      "5x7" },
    { "BigTIFF, big end first", "image/tiff",
      B("MM\0+\0\x08\0\0" Z4 "\0\0\0\x10" Z4 "\0\0\0\2" "\1\0\0\3" Z4 "\0\0\0\1" "\0\5\0\0" Z4
        "\1\1\0\3" Z4 "\0\0\0\1" "\0\7\0\0" Z4 Z8),
      "5x7" },
    { "TIFF directory cut off", "image/tiff", B(TIFF_WIDE "\x12\1"),
      "!the TIFF directory is cut off" },
    { "TIFF directory outside of the file", "image/tiff", B("II*\0\xff\xff\xff\xff"),
      "!the TIFF directory is cut off" },
    { "TIFF header cut off", "image/tiff", B("II*\0\x08"), "!the TIFF directory is cut off" },
    { "TIFF without a size", "image/tiff",
      B("II*\0\x08\0\0\0\1\0" TIFF_FIELD("\x12\1", "\3\0", "\1") Z4),
      "!the picture is 0 x 0 pixels" },

    { "AVIF", "image/avif", B(AVIF("imir\1")), "6x4" },
    { "AVIF that is turned", "image/avif", B(AVIF("irot\1")), "4x6" },
    { "AVIF that is turned the other way", "image/avif", B(AVIF("irot\3")), "4x6" },
    { "AVIF that is turned before it has a size", "image/avif", B(AVIF_AS("irot\1", "\x82\1")),
      "4x6" },
    { "AVIF that is upside down", "image/avif", B(AVIF("irot\2")), "6x4" },
    { "HEIC that is cropped", "image/heic", B(HEIC_CROPPED("\2")), "5x3" },
    { "HEIC that is cropped to nonsense", "image/heic", B(HEIC_CROPPED("\0")), "6x4" },
    { "AVIF without a description", "image/avif", B(BOX("\x10", "ftyp") "avif" Z4),
      "!the AVIF does not describe its picture" },
    { "HEIC whose primary item has no properties", "image/heic",
      B(BOX("\x10", "ftyp") "heic" Z4 BOX("\x43", "meta") Z4 BOX("\x0e", "pitm") Z4 "\0\1"
        BOX("\x29", "iprp") BOX("\x0d", "ipco") Z4 "\0" BOX("\x14", "ipma") Z4 "\0\0\0\1"
        "\0\2\1\1"),
      "!the HEIF does not describe its picture" },

    { "EMF by its frame, 1 inch by 2", "image/emf",
      B("\1\0\0\0\x58\0\0\0" Z16 "\0\0\0\0\0\0\0\0\xec\x09\0\0\xd8\x13\0\0"
        " EMF\0\0\1\0" Z32 Z8), "96x192" },
    { "EMF without a frame, by its bounds", "image/emf",
      B("\1\0\0\0\x58\0\0\0" "\0\0\0\0\0\0\0\0\x09\0\0\0\x13\0\0\0" Z16
        " EMF\0\0\1\0" Z32 Z8), "10x20" },
    { "EMF that is cut off", "image/emf", B("\1\0\0\0\x58\0\0\0"),
      "!the EMF header is cut off" },
    { "WMF by its box, in 1440 to the inch", "image/wmf",
      B("\xd7\xcd\xc6\x9a\0\0\0\0\0\0\xa0\5\xd0\2\xa0\5\0\0\0\0\0\0"
        "\1\0\x09\0\0\3" Z8 Z4), "96x48" },
    { "WMF by the last window before a shape", "image/wmf",
      B("\1\0\x09\0\0\3" Z8 Z4 "\5\0\0\0\x0c\2\1\0\1\0" "\5\0\0\0\x0c\2\xec\xff\x0a\0"
        "\7\0\0\0\x1b\4" Z8 "\5\0\0\0\x0c\2\3\0\3\0"), "10x20" },
    { "WMF without a window", "image/wmf", B("\1\0\x09\0\0\3" Z8 Z4 "\3\0\0\0\0\0"), "" },

    { "SVG in pixels", "image/svg+xml", B("<svg width=\"10\" height='20px'/>"), "10x20" },
    { "SVG in inches and points", "image/svg+xml", B("<svg width=\"1in\" height=\"72pt\"/>"),
      "96x96" },
    { "SVG in centimetres and millimetres", "image/svg+xml",
      B("<svg width=\"2.54cm\" height=\"12.7mm\"/>"), "96x48" },
    { "SVG by its view box", "image/svg+xml", B("<svg viewBox=\"0 0 30.2,40\"/>"), "30x40" },
    { "SVG in percent of its view box", "image/svg+xml",
      B("<svg width=\"50%\" height=\"100%\" viewBox=\"-5 -5 30 40\"/>"), "15x40" },
    { "SVG with one side keeps its proportions", "image/svg+xml",
      B("<svg width=\"60\" viewBox=\"0 0 30 40\"/>"), "60x80" },
    { "SVG with an exponent", "image/svg+xml", B("<svg width=\"1e2\" height=\"2E+1\"/>"),
      "100x20" },
    { "SVG in ems", "image/svg+xml", B("<svg width=\"1em\" height=\"2ex\"/>"), "16x16" },
    { "SVG smaller than a pixel", "image/svg+xml", B("<svg width=\".2\" height=\".7\"/>"),
      "1x1" },
    { "SVG with a prefix and other attributes", "image/svg+xml",
      B("<s:svg xmlns:s='x' id=\"width='3'\"\n width = '4'\n height='5' ><g width='6'/>"),
      "4x5" },
    { "SVG without a size of its own", "image/svg+xml", B("<svg/>"), "" },
    { "SVG whose size is an entity", "image/svg+xml", B("<svg width='&w;' height='5'/>"), "" },
    { "SVG of no width", "image/svg+xml", B("<svg width='0' height='5'/>"),
      "!the picture is 0 x 5 pixels" },
    { "XML that is not SVG", "image/svg+xml", B("<g width='1' height='1'/>"),
      "!the SVG has no svg element" },

    { "JPEG 2000", "image/jp2",
      B("\0\0\0\x0cjP  \r\n\x87\n" BOX("\x1e", "jp2h") BOX("\x16", "ihdr")
        "\0\0\0\4\0\0\0\x08" Z4 "\0\0"),
      "8x4" },
    { "JPEG 2000, bare", "image/jp2",
      B("\xff\x4f\xff\x51\0\x29\0\0" "\0\0\0\x0a\0\0\0\x05" "\0\0\0\2\0\0\0\1"), "8x4" },
    { "JPEG 2000, bare and inside out", "image/jp2",
      B("\xff\x4f\xff\x51\0\x29\0\0" "\0\0\0\1\0\0\0\5" "\0\0\0\2\0\0\0\1"),
      "!the picture is 0 x 4 pixels" },
    { "JPEG 2000, bare and cut off", "image/jp2", B("\xff\x4f\xff\x51\0\x29"),
      "!the JPEG 2000 header is cut off" },
    { "JPEG 2000 without a header", "image/jp2", B("\0\0\0\x0cjP  \r\n\x87\n"),
      "!the JPEG 2000 has no image header" },
    { "JPEG XL of a small size and ratio 1:1", "image/jxl", B("\xff\x0a\x7f\0\0\0"), "256x256" },
    { "JPEG XL that is turned", "image/jxl", B("\xff\x0a\x01\x86\x05"), "8x32" },
    { "JPEG XL in boxes, with long sides", "image/jxl",
      B("\0\0\0\x0cJXL \r\n\x87\n" BOX("\x12", "jxlp") Z4 "\xff\x0a\x18\0\x8e\x07"), "456x4" },
    { "JPEG XL cut off", "image/jxl", B("\xff\x0a\x7f"), "!the JPEG XL header is cut off" },
    { "JPEG XL without a picture", "image/jxl", B("\0\0\0\x0cJXL \r\n\x87\n"),
      "!the JPEG XL holds no picture data" },
    { "Photoshop", "image/vnd.adobe.photoshop",
      B("8BPS\0\1" Z4 "\0\0\0\3\0\0\0\4\0\0\0\x08\0\x08\0\3"), "8x4" },
    { "Photoshop cut off", "image/vnd.adobe.photoshop", B("8BPS\0\1"),
      "!the Photoshop header is cut off" },

    { "PDF", "application/pdf", B("%PDF-1.7\n"), "pdf 1.7" },
    { "PDF after junk", "application/pdf", B("junk\n%PDF-2.0\n"), "pdf 2.0" },
    { "PDF without a version", "application/pdf", B("%PDF-x"), "" },
    { "no PDF", "application/pdf", B("%PDX-1.7\n"), "!the PDF has no header" },
    { "PDF encrypted, by its trailer", "application/pdf",
      B(PDF_END("xref\n0 0\ntrailer\n<</ID[(\\)<<)<>]/Encrypt 5 0 R>>", "9")),
      "pdf 1.6 encrypted" },
    { "PDF encrypted, by a trailer further up", "application/pdf",
      B(PDF_END("xref\n0 1\n0000000000 65535 f \ntrailer <</Encrypt<</V 1>>>>\n"
                "trailer <</Size 1>>", "9")),
      "pdf 1.6 encrypted" },
    { "PDF encrypted, by a stream", "application/pdf",
      B(PDF_END("7 0 obj <</Type/XRef/Encrypt 5 0 R>>stream", "9")), "pdf 1.6 encrypted" },
    { "PDF encrypted, with junk before it", "application/pdf",
      B("junk" PDF_END("7 0 obj <</Type/XRef/Encrypt 5 0 R>>stream", "9")),
      "pdf 1.6 encrypted" },
    { "PDF whose encryption is null", "application/pdf",
      B(PDF_END("trailer<</Encrypt null>>", "9")), "pdf 1.6" },
    { "PDF with a word that starts alike", "application/pdf",
      B(PDF_END("trailer<</EncryptMetadata true>>", "9")), "pdf 1.6" },
    { "PDF with the key in a string", "application/pdf",
      B(PDF_END("trailer<</A(/Encrypt 5 0 R)>>", "9")), "pdf 1.6" },
    { "PDF with the key further in", "application/pdf",
      B(PDF_END("trailer<</A<</Encrypt 5 0 R>>>>", "9")), "pdf 1.6" },
    { "PDF with the key after the trailer", "application/pdf",
      B(PDF_END("trailer<</A 1>> <</Encrypt 5 0 R>>", "9")), "pdf 1.6" },
    { "PDF whose offset leads nowhere", "application/pdf",
      B(PDF_END("1 0 obj<</Encrypt 5 0 R>>", "999999999999999999999")), "pdf 1.6" },

    { "document that is cut off", "application/epub+zip", B("PK\3\4"),
      "!the document is cut off: the table of contents at its end is missing" },
    { "document", "application/epub+zip", B("PK\3\4PK\5\6" Z16 "\0\0"), "" },
    { "compound file that is cut off", "application/msword", B("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
      "!the document's directory is cut off" },

    { "WAV", "audio/wav", B(WAV(WAV_8000 "data\x08\0\0\0" Z8)), "1 ms" },
    { "WAV with other chunks", "audio/wav",
      B(WAV("LIST\3\0\0\0abc\0" WAV_8000 "data\x10\0\0\0" Z16)), "2 ms" },
    { "WAV that is still being written", "audio/wav",
      B(WAV(WAV_8000 "data\xff\xff\xff\xff" Z16 Z8)), "3 ms" },
    { "WAV without a description", "audio/wav", B(WAV("data\x08\0\0\0" Z8)),
      "!the WAV does not describe its sound" },
    { "WAV without sound", "audio/wav", B(WAV(WAV_8000)), "!the WAV holds no sound" },
    { "AIFF", "audio/aiff",
      B("FORM\0\0\0\x1e" "AIFFCOMM\0\0\0\x12\0\1\0\0\x1f\x40\0\x08\x40\x0b\xfa" Z4 "\0\0\0"),
      "1000 ms" },
    { "AIFF without a description", "audio/aiff", B("FORM\0\0\0\4AIFF"),
      "!the AIFF does not describe its sound" },
    { "FLAC", "audio/flac", B(FLAC("\x0a\xc4\x42\xf0\0\0\xac\x44")), "1000 ms" },
    { "FLAC after a tag", "audio/flac",
      B("ID3\4\0\0\0\0\0\1\0" FLAC("\x0a\xc4\x42\xf0\0\0\xac\x44")), "1000 ms" },
    { "FLAC without a rate", "audio/flac", B(FLAC(Z8)), "!the FLAC has a sample rate of 0" },
    { "FLAC without a description", "audio/flac", B("fLaC\4\0\0\x22" Z32 "\0\0"),
      "!the FLAC does not describe its sound" },
    { "FLAC cut off", "audio/flac", B("fLaC\0\0\0\x22"), "!the FLAC header is cut off" },
    { "MP3 of a constant rate", "audio/mpeg", B(MP3_FRAME(Z16 Z8) MP3_FRAME(Z16 Z8)),
      "72 ms" },
    { "MP3 of a told length", "audio/mpeg",
      B(MP3_FRAME("Xing\0\0\0\1\0\0\1\0" Z8 Z4)), "9216 ms" },
    { "MP3 that tells no length", "audio/mpeg",
      B(MP3_FRAME("Info\0\0\0\0\0\0\1\0" Z8 Z4)), "36 ms" },
    { "MP3 of a length told the other way", "audio/mpeg",
      B("\xff\xfb\x18\xc0" Z32 "VBRI" Z8 "\0\0\0\0\1\0" Z32 Z32 Z16 Z8 "\0\0"), "9216 ms" },
    { "MP3 after padding", "audio/mpeg",
      B("ID3\4\0\0\0\0\0\0" Z16 MP3_FRAME(Z16 Z8)), "36 ms" },
    { "MP3 cut off in its tag", "audio/mpeg", B("ID3\4\0\0\0\0\1\0abc"),
      "!the MP3 is cut off before its sound" },
    { "MP3 without sound", "audio/mpeg", B("ID3\4\0\0\0\0\0\1\0nothing"),
      "!the MP3 has no frame of sound" },
    { "Vorbis", "audio/ogg",
      B(OGG_PAGE(Z4, "\x10") "\1vorbis" Z4 "\1\x40\x1f\0\0" OGG_PAGE("\x40\x1f\0\0", "\0")),
      "1000 ms" },
    { "Opus leaves out what it skips", "audio/opus",
      B(OGG_PAGE(Z4, "\x13") "OpusHead\1\1\x38\1" Z4 "\0\0\0" OGG_PAGE("\xb8\xbc\0\0", "\0")),
      "1000 ms" },
    { "Ogg without sound", "audio/ogg", B(OGG_PAGE(Z4, "\4") "What"),
      "!the Ogg does not describe its sound" },
    { "MP4", "video/mp4", B(MOVIE("\0\0\3\xe8\0\0\x07\xd0")), "2000 ms" },
    { "MP4 whose subtitles outlast it", "video/mp4",
      B("\0\0\1\x48moov" BOX("\x28", "mvhd") Z4 Z8 "\0\0\3\xe8\0\0\x4e\x20" Z8 Z4
        TRACK("vide", "\0\0\x13\x88") TRACK("sbtl", "\0\0\x4e\x20")),
      "5000 ms" },
    { "MP4 with long times", "video/mp4",
      B(BOX("\x30", "moov") BOX("\x28", "mvhd") "\1\0\0\0" Z16 "\0\0\3\xe8" Z4 "\0\0\x07\xd0"),
      "2000 ms" },
    { "MP4 with a long box", "video/mp4",
      B("\0\0\0\1moov" Z4 "\0\0\0\x38" BOX("\x28", "mvhd") Z4 Z8 "\0\0\3\xe8\0\0\x07\xd0" Z8 Z4),
      "2000 ms" },
    { "MP4 with a box to the end", "video/mp4",
      B("\0\0\0\0moov" BOX("\x28", "mvhd") Z4 Z8 "\0\0\3\xe8\0\0\x07\xd0" Z8 Z4), "2000 ms" },
    { "MP4 with a box shorter than itself", "video/mp4", B("\0\0\0\7ftyp" MOVIE(Z8)),
      "!the movie header is missing: the file may be cut off" },
    { "MP4 of unknown length", "audio/mp4", B(MOVIE("\0\0\3\xe8\xff\xff\xff\xff")), "" },
    { "MP4 without a time scale", "audio/mp4", B(MOVIE(Z4 "\0\0\3\xe8")), "" },
    { "MP4 without its movie", "video/mp4", B(BOX("\x10", "ftyp") "isom" Z4),
      "!the movie header is missing: the file may be cut off" },
    { "movie header cut off", "video/mp4", B(BOX("\x28", "moov") BOX("\x20", "mvhd") Z8),
      "!the movie header is cut off" },
    { "text has no header", "text/plain", B("x"), "" },
};

/* clang-format on */

/* Facts as words, so that a row can hold them: "8x4 moving", "20 ms", "pdf 1.4 encrypted". */
static void describe(const struct rf_facts *f, char *out, size_t size)
{
    int n = 0;

    out[0] = '\0';
    if (f->width || f->height)
        n = snprintf(out, size, "%ux%u%s", f->width, f->height,
                     f->frames == 0   ? ""
                     : f->frames == 1 ? " still"
                                      : " moving");
    if (f->duration_ms)
        n = snprintf(out, size, "%" PRId64 " ms", f->duration_ms);
    if (f->pdf_major)
        n = snprintf(out, size, "pdf %u.%u", f->pdf_major, f->pdf_minor);
    if (f->encrypted)
        snprintf(out + n, size - (size_t)n, "%sencrypted", n ? " " : "");
}

static void probe_memory(struct rf_str bytes, const char *mime, char *out, size_t size)
{
    struct rf_bytes b = rf_bytes_memory(bytes);
    struct rf_reader r;
    struct rf_facts facts = { 0 };
    struct rf_err err = { 0 };

    assert_int_equal(rf_reader_open(&r, &b, NULL), RF_OK);
    enum rf_code rc = rf_probe(&r, rf_format_by_mime(rf_str(mime)), &facts, &err);
    if (rc) {
        assert_int_equal(rc, RF_EFORMAT);
        snprintf(out, size, "!%s", err.msg);
    } else {
        describe(&facts, out, size);
    }
}

static void test_headers(void **state)
{
    char got[600];
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_non_null(rf_format_by_mime(rf_str(cases[i].mime)));
        probe_memory(cases[i].bytes, cases[i].mime, got, sizeof got);
        if (strcmp(got, cases[i].want) == 0)
            continue;
        print_error("%s: got \"%s\", want \"%s\"\n", cases[i].name, got, cases[i].want);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* Every row, cut off at every length, fails in words or tells what it can; it never reads on. The
 * copy has no byte to spare, so that a sanitizer notices. */
static void test_every_cut(void **state)
{
    char got[600];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t n = 0; n < cases[i].bytes.n; n++) {
            char *copy = malloc(n ? n : 1);
            assert_non_null(copy);
            memcpy(copy, cases[i].bytes.p, n);
            probe_memory((struct rf_str){ copy, n }, cases[i].mime, got, sizeof got);
            free(copy);
        }
    }
}

#define SECTOR 512
#define STREAM 8 /* sectors of a stream that is just long enough not to be a small one */

/* A compound file: table of chains, directory of three entries, one stream. */
static void put_compound(char *file, const char *name, const char *other)
{
    const char *names[] = { "Root Entry", name, other };

    memset(file, 0, (3 + STREAM) * SECTOR);
    memcpy(file, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8);
    file[30] = 9;
    file[48] = 1;
    memset(file + SECTOR, -1, SECTOR);
    for (size_t id = 0; id < 3; id++) {
        char *e = file + 2 * SECTOR + id * 128;
        for (size_t i = 0; i < strlen(names[id]); i++)
            e[2 * i] = names[id][i];
        e[64] = (char)(2 * (strlen(names[id]) + 1));
        memset(e + 68, -1, 12);
        e[116] = 2;
        e[121] = STREAM * SECTOR / 256;
    }
    memcpy(file + 2 * SECTOR + 76, "\1\0\0\0", 4);
    memcpy(file + 2 * SECTOR + 128 + 72, "\2\0\0\0", 4);
}

static void test_office_passwords(void **state)
{
    static const struct {
        const char *name, *mime, *stream, *other;
        struct rf_str bytes;
        const char *want;
    } files[] = {
        { "Word", "application/msword", "WordDocument", "x", B("\xec\xa5\xc1\0" Z4 "\0\0\0\2"),
          "" },
        { "Word, encrypted", "application/msword", "WordDocument", "x",
          B("\xec\xa5\xc1\0" Z4 "\0\0\0\1"), "encrypted" },
        { "Excel", "application/vnd.ms-excel", "Workbook", "x",
          B("\x09\x08\2\0\0\6\x86\0\0\0\x85\0\2\0\0\0"), "" },
        { "Excel, encrypted", "application/vnd.ms-excel", "Workbook", "x",
          B("\x09\x08\2\0\0\6\x86\0\0\0\x2f\0\2\0\0\0"), "encrypted" },
        { "PowerPoint", "application/vnd.ms-powerpoint", "PowerPoint Document", "x", B(""), "" },
        { "PowerPoint, encrypted", "application/vnd.ms-powerpoint", "PowerPoint Document",
          "EncryptedSummary", B(""), "encrypted" },
        { "Office since 2007, encrypted", "application/encrypted", "EncryptionInfo",
          "EncryptedPackage", B(""), "encrypted" },
    };
    char file[(3 + STREAM) * SECTOR], got[600];

    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        put_compound(file, files[i].stream, files[i].other);
        memcpy(file + 3 * SECTOR, files[i].bytes.p, files[i].bytes.n);
        probe_memory((struct rf_str){ file, sizeof file }, files[i].mime, got, sizeof got);
        if (strcmp(got, files[i].want) != 0)
            fail_msg("%s: got \"%s\", want \"%s\"", files[i].name, got, files[i].want);
    }
}

/* A table of 4000 entries between the offset and the trailer, which is not near the end either. */
static void test_pdf_long_table(void **state)
{
    static char file[200000];
    size_t n;
    char got[600];

    (void)state;
    memset(file, '%', sizeof file);
    n = (size_t)snprintf(file, sizeof file, "%%PDF-1.5\nxref\n0 4000\n");
    for (int i = 0; i < 4000; i++)
        n += (size_t)snprintf(file + n, sizeof file - n, "%010d 00000 n \n", i);
    n += (size_t)snprintf(file + n, sizeof file - n, "trailer\n<</Size 4000/Encrypt 1 0 R>>\n");
    file[n] = '%';
    memcpy(file + sizeof file - 20, "\nstartxref\n9\n%%EOF\n\n", 20);
    probe_memory((struct rf_str){ file, sizeof file }, "application/pdf", got, sizeof got);
    assert_string_equal(got, "pdf 1.5 encrypted");
}

/* A reader that fails is an error of its own, and not a header that is cut off. */
static void test_reader_fails(void **state)
{
    struct rf_bytes b;
    struct rf_reader r;
    struct rf_facts facts;
    struct rf_err err;

    (void)state;
    assert_int_equal(rf_bytes_base64(RF_STR("iVBORw0KGgoAAAANSUhEUg!AACAA"), &b, NULL), RF_OK);
    assert_int_equal(rf_reader_open(&r, &b, NULL), RF_OK);
    assert_null(rf_sniff(&r));
    assert_int_equal(rf_probe(&r, rf_format_by_mime(RF_STR("image/png")), &facts, &err),
                     RF_EFORMAT);
    assert_non_null(strstr(err.msg, "base64"));
    assert_int_equal(rf_probe(&r, rf_format_by_mime(RF_STR("image/png")), &facts, NULL),
                     RF_EFORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),          cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_office_passwords), cmocka_unit_test(test_pdf_long_table),
        cmocka_unit_test(test_reader_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
