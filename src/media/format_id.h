/* The formats by number, for the code in this folder: what a sniffer answers, what a probe is
 * chosen by. The rows themselves are in formats.c. */
#ifndef RF_MEDIA_FORMAT_ID_H
#define RF_MEDIA_FORMAT_ID_H

#include "media/media.h"

enum rf_format_id {
    RF_FORMAT_NONE,
    RF_FORMAT_PNG,
    RF_FORMAT_JPEG,
    RF_FORMAT_GIF,
    RF_FORMAT_WEBP,
    RF_FORMAT_BMP,
    RF_FORMAT_TIFF,
    RF_FORMAT_ICO,
    RF_FORMAT_AVIF,
    RF_FORMAT_HEIC,
    RF_FORMAT_HEIF,
    RF_FORMAT_SVG,
    RF_FORMAT_JXL,
    RF_FORMAT_JP2,
    RF_FORMAT_PSD,
    RF_FORMAT_PDF,
    RF_FORMAT_DOCX,
    RF_FORMAT_XLSX,
    RF_FORMAT_PPTX,
    RF_FORMAT_ODT,
    RF_FORMAT_ODS,
    RF_FORMAT_ODP,
    RF_FORMAT_EPUB,
    RF_FORMAT_RTF,
    RF_FORMAT_DOC,
    RF_FORMAT_XLS,
    RF_FORMAT_PPT,
    RF_FORMAT_OOXML_ENCRYPTED, /* docx, xlsx or pptx: only its password tells which */
    RF_FORMAT_TEXT,
    RF_FORMAT_CSV,
    RF_FORMAT_TSV,
    RF_FORMAT_MARKDOWN,
    RF_FORMAT_HTML,
    RF_FORMAT_XML,
    RF_FORMAT_JSON,
    RF_FORMAT_YAML,
    RF_FORMAT_CSS,
    RF_FORMAT_JAVASCRIPT,
    RF_FORMAT_TYPESCRIPT,
    RF_FORMAT_C,
    RF_FORMAT_CPP,
    RF_FORMAT_CSHARP,
    RF_FORMAT_JAVA,
    RF_FORMAT_GO,
    RF_FORMAT_RUST,
    RF_FORMAT_PYTHON,
    RF_FORMAT_RUBY,
    RF_FORMAT_PHP,
    RF_FORMAT_SHELL,
    RF_FORMAT_TEX,
    RF_FORMAT_MP3,
    RF_FORMAT_WAV,
    RF_FORMAT_FLAC,
    RF_FORMAT_OGG,
    RF_FORMAT_OPUS,
    RF_FORMAT_AAC,
    RF_FORMAT_M4A,
    RF_FORMAT_AIFF,
    RF_FORMAT_AMR,
    RF_FORMAT_WMA,
    RF_FORMAT_WEBM_AUDIO,
    RF_FORMAT_MKA,
    RF_FORMAT_MP4,
    RF_FORMAT_MOV,
    RF_FORMAT_WEBM,
    RF_FORMAT_MKV,
    RF_FORMAT_AVI,
    RF_FORMAT_FLV,
    RF_FORMAT_MPEG,
    RF_FORMAT_WMV,
    RF_FORMAT_3GP,
    RF_FORMAT_OGV,
};
#define RF_FORMAT_COUNT (RF_FORMAT_OGV + 1)

/* The row, or NULL for RF_FORMAT_NONE. */
const struct rf_format *rf_format_of(enum rf_format_id id);
/* The number of a row of our table; RF_FORMAT_NONE for NULL and for a row that is not ours. */
enum rf_format_id rf_format_id(const struct rf_format *format);

#endif
