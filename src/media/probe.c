/* Which probe reads which format. A format without a row here has no facts, and that is no error:
 * its header says nothing that we need. */
#include "media/probe.h"

#include "media/format_id.h"

#include <inttypes.h>

#define MAX_SIDE INT32_MAX /* what the formats themselves allow */

static rf_probe_fn *const probes[RF_FORMAT_COUNT] = {
    [RF_FORMAT_PNG] = rf_probe_png,   [RF_FORMAT_JPEG] = rf_probe_jpeg,
    [RF_FORMAT_GIF] = rf_probe_gif,   [RF_FORMAT_WEBP] = rf_probe_webp,
    [RF_FORMAT_BMP] = rf_probe_bmp,   [RF_FORMAT_TIFF] = rf_probe_tiff,
    [RF_FORMAT_ICO] = rf_probe_ico,   [RF_FORMAT_AVIF] = rf_probe_avif,
    [RF_FORMAT_HEIC] = rf_probe_heif, [RF_FORMAT_HEIF] = rf_probe_heif,
    [RF_FORMAT_SVG] = rf_probe_svg,   [RF_FORMAT_JXL] = rf_probe_jxl,
    [RF_FORMAT_JP2] = rf_probe_jp2,   [RF_FORMAT_PSD] = rf_probe_psd,
    [RF_FORMAT_PDF] = rf_probe_pdf,   [RF_FORMAT_DOCX] = rf_probe_zip,
    [RF_FORMAT_XLSX] = rf_probe_zip,  [RF_FORMAT_PPTX] = rf_probe_zip,
    [RF_FORMAT_ODT] = rf_probe_zip,   [RF_FORMAT_ODS] = rf_probe_zip,
    [RF_FORMAT_ODP] = rf_probe_zip,   [RF_FORMAT_EPUB] = rf_probe_zip,
    [RF_FORMAT_DOC] = rf_probe_ole,   [RF_FORMAT_XLS] = rf_probe_ole,
    [RF_FORMAT_PPT] = rf_probe_ole,   [RF_FORMAT_OOXML_ENCRYPTED] = rf_probe_ole,
    [RF_FORMAT_MP3] = rf_probe_mp3,   [RF_FORMAT_WAV] = rf_probe_wav,
    [RF_FORMAT_FLAC] = rf_probe_flac, [RF_FORMAT_OGG] = rf_probe_ogg,
    [RF_FORMAT_OPUS] = rf_probe_ogg,  [RF_FORMAT_AIFF] = rf_probe_aiff,
    [RF_FORMAT_M4A] = rf_probe_movie, [RF_FORMAT_MP4] = rf_probe_movie,
    [RF_FORMAT_MOV] = rf_probe_movie, [RF_FORMAT_3GP] = rf_probe_movie,
};

enum rf_code rf_cut_off(struct rf_err *err, const char *what)
{
    return rf_fail(err, RF_EFORMAT, "the %s is cut off", what);
}

enum rf_code rf_take_size(struct rf_facts *facts, uint64_t width, uint64_t height,
                          struct rf_err *err)
{
    if (width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE)
        return rf_fail(err, RF_EFORMAT, "the picture is %" PRIu64 " x %" PRIu64 " pixels", width,
                       height);
    facts->width = (uint32_t)width;
    facts->height = (uint32_t)height;
    return RF_OK;
}

enum rf_code rf_probe(struct rf_reader *r, const struct rf_format *format, struct rf_facts *out,
                      struct rf_err *err)
{
    rf_probe_fn *probe = probes[rf_format_id(format)];
    struct rf_facts facts = { 0 };
    struct rf_look k;
    enum rf_code rc = RF_OK;

    rf_look_init(&k, r);
    if (probe)
        rc = probe(&k, &facts, err);
    if (k.failed) {
        if (err)
            *err = k.why;
        return k.failed;
    }
    if (!rc)
        *out = facts;
    return rc;
}
