/* The table of formats, and finding a row by MIME type or by file name. A lookup says what somebody
 * claims; what a file is, only sniff.c says. It refuses to guess: an unknown name is NULL. */
#include "media/format_id.h"

#define OOXML "application/vnd.openxmlformats-officedocument."
#define ODF "application/vnd.oasis.opendocument."
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct rf_format table[RF_FORMAT_COUNT] = {
    [RF_FORMAT_PNG] = { "image/png", "png", "PNG", RF_KIND_IMAGE },
    [RF_FORMAT_JPEG] = { "image/jpeg", "jpg", "JPEG", RF_KIND_IMAGE },
    [RF_FORMAT_GIF] = { "image/gif", "gif", "GIF", RF_KIND_IMAGE },
    [RF_FORMAT_WEBP] = { "image/webp", "webp", "WebP", RF_KIND_IMAGE },
    [RF_FORMAT_BMP] = { "image/bmp", "bmp", "BMP", RF_KIND_IMAGE },
    [RF_FORMAT_TIFF] = { "image/tiff", "tiff", "TIFF", RF_KIND_IMAGE },
    [RF_FORMAT_ICO] = { "image/vnd.microsoft.icon", "ico", "icon", RF_KIND_IMAGE },
    [RF_FORMAT_AVIF] = { "image/avif", "avif", "AVIF", RF_KIND_IMAGE },
    [RF_FORMAT_HEIC] = { "image/heic", "heic", "HEIC", RF_KIND_IMAGE },
    [RF_FORMAT_HEIF] = { "image/heif", "heif", "HEIF", RF_KIND_IMAGE },
    [RF_FORMAT_SVG] = { "image/svg+xml", "svg", "SVG", RF_KIND_IMAGE },
    [RF_FORMAT_JXL] = { "image/jxl", "jxl", "JPEG XL", RF_KIND_IMAGE },
    [RF_FORMAT_JP2] = { "image/jp2", "jp2", "JPEG 2000", RF_KIND_IMAGE },
    [RF_FORMAT_PSD] = { "image/vnd.adobe.photoshop", "psd", "Photoshop", RF_KIND_IMAGE },
    [RF_FORMAT_PDF] = { "application/pdf", "pdf", "PDF", RF_KIND_PDF },
    [RF_FORMAT_DOCX] = { OOXML "wordprocessingml.document", "docx", "Word", RF_KIND_OFFICE },
    [RF_FORMAT_XLSX] = { OOXML "spreadsheetml.sheet", "xlsx", "Excel", RF_KIND_OFFICE },
    [RF_FORMAT_PPTX] = { OOXML "presentationml.presentation", "pptx", "PowerPoint",
                         RF_KIND_OFFICE },
    [RF_FORMAT_ODT] = { ODF "text", "odt", "OpenDocument text", RF_KIND_OFFICE },
    [RF_FORMAT_ODS] = { ODF "spreadsheet", "ods", "OpenDocument sheet", RF_KIND_OFFICE },
    [RF_FORMAT_ODP] = { ODF "presentation", "odp", "OpenDocument slides", RF_KIND_OFFICE },
    [RF_FORMAT_EPUB] = { "application/epub+zip", "epub", "EPUB", RF_KIND_OFFICE },
    [RF_FORMAT_RTF] = { "application/rtf", "rtf", "RTF", RF_KIND_OFFICE },
    [RF_FORMAT_DOC] = { "application/msword", "doc", "Word 97-2003", RF_KIND_OFFICE },
    [RF_FORMAT_XLS] = { "application/vnd.ms-excel", "xls", "Excel 97-2003", RF_KIND_OFFICE },
    [RF_FORMAT_PPT] = { "application/vnd.ms-powerpoint", "ppt", "PowerPoint 97-2003",
                        RF_KIND_OFFICE },
    [RF_FORMAT_OOXML_ENCRYPTED] = { "application/encrypted", "ole", "encrypted Office document",
                                    RF_KIND_OFFICE },
    [RF_FORMAT_TEXT] = { "text/plain", "txt", "text", RF_KIND_TEXT },
    [RF_FORMAT_CSV] = { "text/csv", "csv", "CSV", RF_KIND_TEXT },
    [RF_FORMAT_TSV] = { "text/tab-separated-values", "tsv", "TSV", RF_KIND_TEXT },
    [RF_FORMAT_MARKDOWN] = { "text/markdown", "md", "Markdown", RF_KIND_TEXT },
    [RF_FORMAT_HTML] = { "text/html", "html", "HTML", RF_KIND_TEXT },
    [RF_FORMAT_XML] = { "text/xml", "xml", "XML", RF_KIND_TEXT },
    [RF_FORMAT_JSON] = { "application/json", "json", "JSON", RF_KIND_TEXT },
    [RF_FORMAT_YAML] = { "application/yaml", "yaml", "YAML", RF_KIND_TEXT },
    [RF_FORMAT_CSS] = { "text/css", "css", "CSS", RF_KIND_TEXT },
    [RF_FORMAT_JAVASCRIPT] = { "text/javascript", "js", "JavaScript", RF_KIND_TEXT },
    [RF_FORMAT_TYPESCRIPT] = { "application/typescript", "ts", "TypeScript", RF_KIND_TEXT },
    [RF_FORMAT_C] = { "text/x-c", "c", "C", RF_KIND_TEXT },
    [RF_FORMAT_CPP] = { "text/x-c++", "cpp", "C++", RF_KIND_TEXT },
    [RF_FORMAT_CSHARP] = { "text/x-csharp", "cs", "C#", RF_KIND_TEXT },
    [RF_FORMAT_JAVA] = { "text/x-java", "java", "Java", RF_KIND_TEXT },
    [RF_FORMAT_GO] = { "text/x-golang", "go", "Go", RF_KIND_TEXT },
    [RF_FORMAT_RUST] = { "text/x-rust", "rs", "Rust", RF_KIND_TEXT },
    [RF_FORMAT_PYTHON] = { "text/x-python", "py", "Python", RF_KIND_TEXT },
    [RF_FORMAT_RUBY] = { "text/x-ruby", "rb", "Ruby", RF_KIND_TEXT },
    [RF_FORMAT_PHP] = { "text/x-php", "php", "PHP", RF_KIND_TEXT },
    [RF_FORMAT_SHELL] = { "application/x-sh", "sh", "shell script", RF_KIND_TEXT },
    [RF_FORMAT_TEX] = { "text/x-tex", "tex", "TeX", RF_KIND_TEXT },
    [RF_FORMAT_MP3] = { "audio/mpeg", "mp3", "MP3", RF_KIND_AUDIO },
    [RF_FORMAT_WAV] = { "audio/wav", "wav", "WAV", RF_KIND_AUDIO },
    [RF_FORMAT_FLAC] = { "audio/flac", "flac", "FLAC", RF_KIND_AUDIO },
    [RF_FORMAT_OGG] = { "audio/ogg", "ogg", "Ogg", RF_KIND_AUDIO },
    [RF_FORMAT_OPUS] = { "audio/opus", "opus", "Opus", RF_KIND_AUDIO },
    [RF_FORMAT_AAC] = { "audio/aac", "aac", "AAC", RF_KIND_AUDIO },
    [RF_FORMAT_M4A] = { "audio/mp4", "m4a", "M4A", RF_KIND_AUDIO },
    [RF_FORMAT_AIFF] = { "audio/aiff", "aiff", "AIFF", RF_KIND_AUDIO },
    [RF_FORMAT_AMR] = { "audio/amr", "amr", "AMR", RF_KIND_AUDIO },
    [RF_FORMAT_WMA] = { "audio/x-ms-wma", "wma", "WMA", RF_KIND_AUDIO },
    [RF_FORMAT_WEBM_AUDIO] = { "audio/webm", "weba", "WebM audio", RF_KIND_AUDIO },
    [RF_FORMAT_MKA] = { "audio/x-matroska", "mka", "Matroska audio", RF_KIND_AUDIO },
    [RF_FORMAT_MP4] = { "video/mp4", "mp4", "MP4", RF_KIND_VIDEO },
    [RF_FORMAT_MOV] = { "video/quicktime", "mov", "QuickTime", RF_KIND_VIDEO },
    [RF_FORMAT_WEBM] = { "video/webm", "webm", "WebM", RF_KIND_VIDEO },
    [RF_FORMAT_MKV] = { "video/x-matroska", "mkv", "Matroska", RF_KIND_VIDEO },
    [RF_FORMAT_AVI] = { "video/x-msvideo", "avi", "AVI", RF_KIND_VIDEO },
    [RF_FORMAT_FLV] = { "video/x-flv", "flv", "FLV", RF_KIND_VIDEO },
    [RF_FORMAT_MPEG] = { "video/mpeg", "mpeg", "MPEG", RF_KIND_VIDEO },
    [RF_FORMAT_WMV] = { "video/x-ms-wmv", "wmv", "WMV", RF_KIND_VIDEO },
    [RF_FORMAT_3GP] = { "video/3gpp", "3gp", "3GP", RF_KIND_VIDEO },
    [RF_FORMAT_OGV] = { "video/ogg", "ogv", "Ogg video", RF_KIND_VIDEO },
};

struct alias {
    const char *name;
    enum rf_format_id id;
};

static const struct alias mime_aliases[] = {
    { "image/jpg", RF_FORMAT_JPEG },
    { "image/pjpeg", RF_FORMAT_JPEG },
    { "image/apng", RF_FORMAT_PNG },
    { "image/x-png", RF_FORMAT_PNG },
    { "image/x-ms-bmp", RF_FORMAT_BMP },
    { "image/x-bmp", RF_FORMAT_BMP },
    { "image/tif", RF_FORMAT_TIFF },
    { "image/x-icon", RF_FORMAT_ICO },
    { "image/ico", RF_FORMAT_ICO },
    { "image/heic-sequence", RF_FORMAT_HEIC },
    { "image/heif-sequence", RF_FORMAT_HEIF },
    { "image/svg", RF_FORMAT_SVG },
    { "image/jpeg2000", RF_FORMAT_JP2 },
    { "image/j2k", RF_FORMAT_JP2 },
    { "image/x-psd", RF_FORMAT_PSD },
    { "application/x-pdf", RF_FORMAT_PDF },
    { "text/rtf", RF_FORMAT_RTF },
    { "application/x-rtf", RF_FORMAT_RTF },
    { "application/vnd.ms-word", RF_FORMAT_DOC },
    { "application/x-msexcel", RF_FORMAT_XLS },
    { "application/csv", RF_FORMAT_CSV },
    { "text/x-csv", RF_FORMAT_CSV },
    { "text/tsv", RF_FORMAT_TSV },
    { "text/x-markdown", RF_FORMAT_MARKDOWN },
    { "text/md", RF_FORMAT_MARKDOWN },
    { "application/xhtml+xml", RF_FORMAT_HTML },
    { "application/xml", RF_FORMAT_XML },
    { "text/json", RF_FORMAT_JSON },
    { "application/x-json", RF_FORMAT_JSON },
    { "application/x-yaml", RF_FORMAT_YAML },
    { "text/yaml", RF_FORMAT_YAML },
    { "text/x-yaml", RF_FORMAT_YAML },
    { "application/javascript", RF_FORMAT_JAVASCRIPT },
    { "application/x-javascript", RF_FORMAT_JAVASCRIPT },
    { "text/typescript", RF_FORMAT_TYPESCRIPT },
    { "text/x-go", RF_FORMAT_GO },
    { "text/x-script.python", RF_FORMAT_PYTHON },
    { "text/x-shellscript", RF_FORMAT_SHELL },
    { "text/x-sh", RF_FORMAT_SHELL },
    { "audio/mp3", RF_FORMAT_MP3 },
    { "audio/x-mp3", RF_FORMAT_MP3 },
    { "audio/mpga", RF_FORMAT_MP3 },
    { "audio/x-mpeg", RF_FORMAT_MP3 },
    { "audio/x-wav", RF_FORMAT_WAV },
    { "audio/wave", RF_FORMAT_WAV },
    { "audio/vnd.wave", RF_FORMAT_WAV },
    { "audio/x-flac", RF_FORMAT_FLAC },
    { "audio/vorbis", RF_FORMAT_OGG },
    { "application/ogg", RF_FORMAT_OGG },
    { "audio/x-aac", RF_FORMAT_AAC },
    { "audio/aacp", RF_FORMAT_AAC },
    { "audio/m4a", RF_FORMAT_M4A },
    { "audio/x-m4a", RF_FORMAT_M4A },
    { "audio/x-aiff", RF_FORMAT_AIFF },
    { "audio/amr-wb", RF_FORMAT_AMR },
    { "audio/wma", RF_FORMAT_WMA },
    { "audio/matroska", RF_FORMAT_MKA },
    { "video/x-m4v", RF_FORMAT_MP4 },
    { "application/mp4", RF_FORMAT_MP4 },
    { "video/mov", RF_FORMAT_MOV },
    { "video/matroska", RF_FORMAT_MKV },
    { "video/avi", RF_FORMAT_AVI },
    { "video/vnd.avi", RF_FORMAT_AVI },
    { "video/flv", RF_FORMAT_FLV },
    { "video/mpg", RF_FORMAT_MPEG },
    { "video/x-mpeg", RF_FORMAT_MPEG },
    { "video/wmv", RF_FORMAT_WMV },
    { "video/3gp", RF_FORMAT_3GP },
    { "video/3gpp2", RF_FORMAT_3GP },
};

static const struct alias extension_aliases[] = {
    { "jpeg", RF_FORMAT_JPEG },
    { "jpe", RF_FORMAT_JPEG },
    { "jfif", RF_FORMAT_JPEG },
    { "apng", RF_FORMAT_PNG },
    { "tif", RF_FORMAT_TIFF },
    { "cur", RF_FORMAT_ICO },
    { "hif", RF_FORMAT_HEIF },
    { "j2k", RF_FORMAT_JP2 },
    { "jpx", RF_FORMAT_JP2 },
    { "docm", RF_FORMAT_DOCX },
    { "xlsm", RF_FORMAT_XLSX },
    { "pptm", RF_FORMAT_PPTX },
    { "text", RF_FORMAT_TEXT },
    { "log", RF_FORMAT_TEXT },
    { "ini", RF_FORMAT_TEXT },
    { "conf", RF_FORMAT_TEXT },
    { "toml", RF_FORMAT_TEXT },
    { "jsonl", RF_FORMAT_TEXT },
    { "ndjson", RF_FORMAT_TEXT },
    { "sql", RF_FORMAT_TEXT },
    { "markdown", RF_FORMAT_MARKDOWN },
    { "htm", RF_FORMAT_HTML },
    { "xhtml", RF_FORMAT_HTML },
    { "yml", RF_FORMAT_YAML },
    { "mjs", RF_FORMAT_JAVASCRIPT },
    { "h", RF_FORMAT_C },
    { "cc", RF_FORMAT_CPP },
    { "cxx", RF_FORMAT_CPP },
    { "hpp", RF_FORMAT_CPP },
    { "bash", RF_FORMAT_SHELL },
    { "wave", RF_FORMAT_WAV },
    { "oga", RF_FORMAT_OGG },
    { "m4b", RF_FORMAT_M4A },
    { "aif", RF_FORMAT_AIFF },
    { "aifc", RF_FORMAT_AIFF },
    { "m4v", RF_FORMAT_MP4 },
    { "qt", RF_FORMAT_MOV },
    { "mpg", RF_FORMAT_MPEG },
    { "3gpp", RF_FORMAT_3GP },
    { "3g2", RF_FORMAT_3GP },
};

const char *rf_kind_name(enum rf_kind kind)
{
    switch (kind) {
    case RF_KIND_UNKNOWN:
        return "unknown";
    case RF_KIND_IMAGE:
        return "image";
    case RF_KIND_PDF:
        return "pdf";
    case RF_KIND_TEXT:
        return "text";
    case RF_KIND_OFFICE:
        return "office";
    case RF_KIND_AUDIO:
        return "audio";
    case RF_KIND_VIDEO:
        return "video";
    }
    return "unknown";
}

const struct rf_format *rf_format_of(enum rf_format_id id)
{
    return id > RF_FORMAT_NONE && id < RF_FORMAT_COUNT ? &table[id] : NULL;
}

enum rf_format_id rf_format_id(const struct rf_format *format)
{
    for (int id = RF_FORMAT_NONE + 1; format && id < RF_FORMAT_COUNT; id++) {
        if (format == &table[id])
            return (enum rf_format_id)id;
    }
    return RF_FORMAT_NONE;
}

static enum rf_format_id by_alias(struct rf_str name, const struct alias *aliases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (rf_str_ieq(name, rf_str(aliases[i].name)))
            return aliases[i].id;
    }
    return RF_FORMAT_NONE;
}

const struct rf_format *rf_format_by_mime(struct rf_str mime)
{
    struct rf_str rest = mime, type = { 0 };

    if (!rf_str_split(&rest, ';', &type))
        return NULL;
    type = rf_str_trim(type);
    for (int id = RF_FORMAT_NONE + 1; id < RF_FORMAT_COUNT; id++) {
        if (rf_str_ieq(type, rf_str(table[id].mime)))
            return &table[id];
    }
    return rf_format_of(by_alias(type, mime_aliases, COUNT(mime_aliases)));
}

/* What stands behind the last dot of the last part of a path or a URL; a name that only starts with
 * a dot has none. */
static struct rf_str extension_of(struct rf_str name)
{
    size_t end = name.n, from;

    if (rf_str_contains(name, RF_STR("://"))) {
        for (end = 0; end < name.n && name.p[end] != '?' && name.p[end] != '#';)
            end++;
    }
    for (from = end; from > 0 && name.p[from - 1] != '.'; from--) {
        if (name.p[from - 1] == '/')
            return (struct rf_str){ 0 };
    }
    if (from < 2 || name.p[from - 2] == '/')
        return (struct rf_str){ 0 };
    return (struct rf_str){ name.p + from, end - from };
}

const struct rf_format *rf_format_by_name(struct rf_str name)
{
    struct rf_str extension = extension_of(name);

    if (extension.n == 0)
        return NULL;
    for (int id = RF_FORMAT_NONE + 1; id < RF_FORMAT_COUNT; id++) {
        if (rf_str_ieq(extension, rf_str(table[id].extension)))
            return &table[id];
    }
    return rf_format_of(by_alias(extension, extension_aliases, COUNT(extension_aliases)));
}

static bool is_finer_text(const struct rf_format *claimed)
{
    return claimed && claimed->kind == RF_KIND_TEXT && claimed != &table[RF_FORMAT_TEXT];
}

const struct rf_format *rf_format_refine(const struct rf_format *sniffed,
                                         struct rf_str declared_mime, struct rf_str name)
{
    const struct rf_format *declared = rf_format_by_mime(declared_mime);
    const struct rf_format *named = rf_format_by_name(name);

    if (!sniffed || sniffed->kind != RF_KIND_TEXT)
        return sniffed;
    if (is_finer_text(declared))
        return declared;
    return is_finer_text(named) ? named : sniffed;
}
