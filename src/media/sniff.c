/* The type of a file from its bytes, and from nothing else.
 *
 * First the signatures that decide alone, then the containers that have to be looked into, then the
 * formats whose signature is so short that more must fit; text comes last, because it is whatever
 * nothing else is. It refuses to guess: bytes that fit nothing are NULL. */
#include "media/sniff.h"

#include "media/ole.h"
#include "media/zip.h"

#define PDF_FRONT 1024 /* junk may stand before the header of a PDF, but no more than this */

#define MAGIC(lit, id)           \
    {                            \
        lit, sizeof(lit) - 1, id \
    }

static const struct {
    const char *bytes;
    size_t n;
    enum rf_format_id id;
} magics[] = {
    MAGIC("\x89PNG\r\n\x1a\n", RF_FORMAT_PNG),
    MAGIC("\xff\xd8\xff", RF_FORMAT_JPEG),
    MAGIC("GIF87a", RF_FORMAT_GIF),
    MAGIC("GIF89a", RF_FORMAT_GIF),
    MAGIC("II*\0", RF_FORMAT_TIFF),
    MAGIC("MM\0*", RF_FORMAT_TIFF),
    MAGIC("II+\0\x08\0", RF_FORMAT_TIFF),
    MAGIC("MM\0+\0\x08", RF_FORMAT_TIFF),
    MAGIC("\xff\x0a", RF_FORMAT_JXL),
    MAGIC("\0\0\0\x0cJXL \r\n\x87\n", RF_FORMAT_JXL),
    MAGIC("\0\0\0\x0cjP  \r\n\x87\n", RF_FORMAT_JP2),
    MAGIC("\xff\x4f\xff\x51", RF_FORMAT_JP2),
    MAGIC("8BPS\0\1", RF_FORMAT_PSD),
    MAGIC("8BPS\0\2", RF_FORMAT_PSD),
    MAGIC("%PDF-", RF_FORMAT_PDF),
    MAGIC("{\\rtf", RF_FORMAT_RTF),
    MAGIC("fLaC", RF_FORMAT_FLAC),
    MAGIC("ADIF", RF_FORMAT_AAC),
    MAGIC("#!AMR\n", RF_FORMAT_AMR),
    MAGIC("#!AMR-WB\n", RF_FORMAT_AMR),
    MAGIC("FLV\1", RF_FORMAT_FLV),
    MAGIC("\0\0\1\xba", RF_FORMAT_MPEG),
    MAGIC("\0\0\1\xb3", RF_FORMAT_MPEG),
};

static enum rf_format_id by_magic(struct rf_look *k)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        if (rf_look_is(k, 0, magics[i].bytes, magics[i].n))
            return magics[i].id;
    }
    return RF_FORMAT_NONE;
}

static enum rf_format_id by_ole(struct rf_look *k)
{
    struct rf_ole ole;

    return rf_ole_read(k, &ole) ? ole.format : RF_FORMAT_NONE;
}

/* Text may start with "BM"; the length of the second header tells them apart. */
static enum rf_format_id by_bmp(struct rf_look *k)
{
    const uint8_t *p = RF_SEES(k, 0, "BM") ? rf_look(k, 14, 4) : NULL;

    return p && rf_le32(p) >= 12 && rf_le32(p) <= 1024 ? RF_FORMAT_BMP : RF_FORMAT_NONE;
}

/* Icons and cursors: the first of at least one picture must stand behind the list of them. */
static enum rf_format_id by_ico(struct rf_look *k)
{
    const uint8_t *p = NULL;

    if (RF_SEES(k, 0, "\0\0\1\0") || RF_SEES(k, 0, "\0\0\2\0"))
        p = rf_look(k, 0, 22);
    if (!p || rf_le16(p + 4) == 0)
        return RF_FORMAT_NONE;
    return rf_le32(p + 14) > 0 && rf_le32(p + 18) >= 6u + 16u * rf_le16(p + 4) ? RF_FORMAT_ICO
                                                                               : RF_FORMAT_NONE;
}

/* A PDF with something before its header. Text that only talks about PDF has no end like one. */
static enum rf_format_id by_late_pdf(struct rf_look *k)
{
    uint64_t at, end, tail = k->size > PDF_FRONT ? k->size - PDF_FRONT : 0;

    if (!rf_look_find(k, 0, PDF_FRONT, "%PDF-", &at))
        return RF_FORMAT_NONE;
    if (!rf_look_find_last(k, tail, k->size, "startxref", &end) &&
        !rf_look_find_last(k, tail, k->size, "%%EOF", &end))
        return RF_FORMAT_NONE;
    return RF_FORMAT_PDF;
}

static enum rf_format_id sniff(struct rf_look *k)
{
    static enum rf_format_id (*const sniffers[])(struct rf_look *) = {
        by_magic,      rf_sniff_riff, rf_sniff_boxes, rf_sniff_matroska,
        rf_sniff_ogg,  rf_sniff_asf,  rf_zip_format,  by_ole,
        by_bmp,        by_ico,        by_late_pdf,    rf_sniff_mpeg_audio,
        rf_sniff_text,
    };
    enum rf_format_id id = RF_FORMAT_NONE;

    for (size_t i = 0; !id && i < sizeof sniffers / sizeof *sniffers; i++)
        id = sniffers[i](k);
    return id;
}

const struct rf_format *rf_sniff(struct rf_reader *r)
{
    struct rf_look k;

    rf_look_init(&k, r);
    return rf_format_of(sniff(&k));
}
