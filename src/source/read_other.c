/* Bytes that are of no format in our table: text in other encodings, archives (listed, never
 * unpacked), pictures that no endpoint takes, documents that only their names tell; and anything
 * else, of which its size, its first bytes and a name are told where it has a signature that
 * people know. */
#include "source/read.h"

#include "base/arena.h"
#include "media/format_id.h"
#include "source/text_decode.h"

#include <inttypes.h>

#define FIRST_BYTES 64
#define ROW 16
#define ROW_TEXT 78 /* bytes that show a row, at most */

enum other {
    OTHER_ARCHIVE,
    OTHER_PICTURE,
    OTHER_COMPOUND, /* a file system in a file: old Office documents, mail */
    OTHER_BINARY,
};

#define SIGNED(offset, lit, label, kind)                \
    {                                                   \
        offset, lit, sizeof(lit) - 1, label, kind, NULL \
    }
#define ARCHIVE(offset, lit, label, mime)                        \
    {                                                            \
        offset, lit, sizeof(lit) - 1, label, OTHER_ARCHIVE, mime \
    }

static const struct signature {
    size_t offset;
    const char *bytes;
    size_t n;
    const char *label;
    enum other kind;
    const char *mime; /* of an archive */
} signatures[] = {
    ARCHIVE(0, "PK\3\4", "ZIP archive", "application/zip"),
    ARCHIVE(0, "PK\5\6", "ZIP archive", "application/zip"),
    ARCHIVE(0, "\x1f\x8b\x08", "gzip", "application/gzip"),
    ARCHIVE(0, "BZh", "bzip2", "application/x-bzip2"),
    ARCHIVE(0,
            "\xfd"
            "7zXZ\0",
            "xz", "application/x-xz"),
    ARCHIVE(0, "\x28\xb5\x2f\xfd", "Zstandard", "application/zstd"),
    ARCHIVE(257, "ustar", "tar archive", "application/x-tar"),
    SIGNED(0, "7z\xbc\xaf\x27\x1c", "7-Zip archive", OTHER_BINARY),
    SIGNED(0, "Rar!\x1a\7", "RAR archive", OTHER_BINARY),
    SIGNED(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE compound file", OTHER_COMPOUND),
    SIGNED(0, "qoif", "QOI picture", OTHER_PICTURE),
    SIGNED(0, "DDS ", "DDS picture", OTHER_PICTURE),
    SIGNED(0, "icns", "Apple icon", OTHER_PICTURE),
    SIGNED(0, "#?RADIANCE", "Radiance picture", OTHER_PICTURE),
    SIGNED(0, "P4\n", "PBM picture", OTHER_PICTURE),
    SIGNED(0, "P5\n", "PGM picture", OTHER_PICTURE),
    SIGNED(0, "P6\n", "PPM picture", OTHER_PICTURE),
    SIGNED(0,
           "\x7f"
           "ELF",
           "ELF program", OTHER_BINARY),
    SIGNED(0, "MZ", "Windows program", OTHER_BINARY),
    SIGNED(0, "\xcf\xfa\xed\xfe", "Mach-O program", OTHER_BINARY),
    SIGNED(0, "\xca\xfe\xba\xbe", "Java class", OTHER_BINARY),
    SIGNED(0, "\0asm", "WebAssembly", OTHER_BINARY),
    SIGNED(0, "SQLite format 3\0", "SQLite database", OTHER_BINARY),
    SIGNED(0, "\0\1\0\0\0", "TrueType font", OTHER_BINARY),
    SIGNED(0, "OTTO", "OpenType font", OTHER_BINARY),
    SIGNED(0, "wOFF", "WOFF font", OTHER_BINARY),
    SIGNED(0, "wOF2", "WOFF2 font", OTHER_BINARY),
    SIGNED(0, "MThd", "MIDI file", OTHER_BINARY),
    SIGNED(0, "!<arch>\n", "ar archive", OTHER_BINARY),
    SIGNED(0, "\x89HDF\r\n\x1a\n", "HDF5 file", OTHER_BINARY),
    SIGNED(0, "PAR1", "Parquet file", OTHER_BINARY),
    SIGNED(0, "\x80\2", "Python pickle", OTHER_BINARY),
};

/* Pictures that have no signature, or a short one, but a name. */
static const char *const picture_names[] = {
    ".tga", ".pcx", ".qoi",  ".dds", ".icns", ".ppm", ".pgm",  ".pbm", ".pnm",  ".pam",
    ".pfm", ".hdr", ".svgz", ".dib", ".cur",  ".exr", ".fits", ".jpf", ".wbmp",
};

static const struct signature *signature_of(struct rf_reader *r)
{
    char head[512];
    size_t got = 0;
    if (rf_reader_read(r, 0, head, sizeof head, &got, NULL))
        return NULL;
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const struct signature *s = &signatures[i];
        if (s->offset + s->n <= got && memcmp(head + s->offset, s->bytes, s->n) == 0)
            return s;
    }
    return NULL;
}

static bool name_ends(struct rf_str name, const char *end)
{
    size_t n = strlen(end);
    return name.n >= n &&
           rf_str_ieq((struct rf_str){ name.p + name.n - n, n }, (struct rf_str){ end, n });
}

static bool names_odd_picture(struct rf_str name)
{
    for (size_t i = 0; i < sizeof picture_names / sizeof *picture_names; i++)
        if (name_ends(name, picture_names[i]))
            return true;
    return false;
}

bool rf_read_is_odd_picture(const struct rf_read *r)
{
    return names_odd_picture(r->name);
}

bool rf_read_is_text(struct rf_reader *reader, struct rf_str name, struct rf_text_kind *kind)
{
    const struct rf_format *claimed = rf_format_by_name(name);
    bool other = claimed && claimed->kind != RF_KIND_TEXT && claimed->kind != RF_KIND_OFFICE;
    if (other || names_odd_picture(name) || signature_of(reader))
        return false;
    return !rf_text_kind(reader, kind, NULL) && kind->encoding;
}

/* The bytes from one on, sixteen a row: in hex, then as letters where they are some. */
static void add_hex(struct rf_read *r, uint64_t from, size_t most)
{
    unsigned char *head = rf_arena_alloc(r->arena, most);
    size_t got = 0;
    if (rf_reader_read(&r->reader, from, head, most, &got, NULL))
        return;
    for (size_t at = 0; at < got; at += ROW) {
        size_t n = got - at < ROW ? got - at : ROW;
        rf_buf_addf(&r->body, "%08" PRIx64 " ", from + at);
        for (size_t i = 0; i < ROW; i++)
            rf_buf_addf(&r->body, i < n ? " %02x" : "   ", i < n ? head[at + i] : 0u);
        rf_buf_addf(&r->body, "  ");
        for (size_t i = 0; i < n; i++)
            rf_buf_addc(&r->body,
                        head[at + i] >= 0x20 && head[at + i] < 0x7f ? (char)head[at + i] : '.');
        rf_buf_addc(&r->body, '\n');
    }
}

/* Bytes that were asked for; they are the file's own here. */
static enum rf_code show_bytes(struct rf_read *r, const struct rf_window *w, struct rf_err *err)
{
    size_t most = w->max_bytes / ROW_TEXT * ROW;
    uint64_t from = (uint64_t)w->first_byte, size = r->bytes.size;
    if (w->byte_limit && (uint64_t)w->byte_limit < most)
        most = (size_t)w->byte_limit;
    uint64_t end = from < size && size - from > most ? from + most : size;
    enum rf_code rc = rf_read_say_bytes(r, from, end, size, RF_STR(""), err);
    if (!rc)
        add_hex(r, from, most);
    return rc;
}

static enum rf_code describe(struct rf_read *r, const char *label, struct rf_err *err)
{
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size);
    struct rf_window asked = rf_read_asked(r);
    r->mime = "application/octet-stream";
    rf_read_note(r, "[Binary file: %.*s, %.*s bytes, %s. %s:]", RF_FMT(r->name), RF_FMT(size),
                 label, asked.by_bytes ? "Bytes of it" : "Its first bytes");
    if (asked.by_bytes)
        return show_bytes(r, &asked, err);
    add_hex(r, 0, FIRST_BYTES);
    return RF_OK;
}

static enum rf_code list(struct rf_read *r, const struct signature *s, struct rf_err *err)
{
    struct rf_job job = { .family = "office", .ask = RF_STR("op=list\n") };
    rf_read_ask(r, &job, 1);
    if (job.failed == RF_ECONFIG || job.failed == RF_EUNSUPPORTED)
        return describe(r, s->label, err);
    if (job.failed) {
        *err = job.err;
        return job.failed;
    }
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size);
    r->mime = s->mime;
    r->count = rf_prop_int(job.facts, job.fact_count, "files");
    rf_read_note(r, "[Archive: %.*s, %.*s bytes, %s]", RF_FMT(r->name), RF_FMT(size), s->label);
    rf_read_notes(r, &job);
    return rf_read_long_text(r, job.part_count ? job.parts[0].text : job.text, err);
}

/* A document that its name tells, where its bytes do not contradict. */
static enum rf_code by_claim(struct rf_read *r, const struct signature *s,
                             const struct rf_format *claimed, struct rf_err *err)
{
    bool archive = s && s->kind == OTHER_ARCHIVE;
    enum rf_format_id id = rf_format_id(claimed);
    bool old = id == RF_FORMAT_DOC || id == RF_FORMAT_XLS || id == RF_FORMAT_PPT;
    if (archive == !old && (!s || s->kind != OTHER_BINARY))
        return rf_read_office(r, claimed->mime, err);
    return rf_fail(err, RF_EFORMAT, "its bytes are not those of %s, as its name says",
                   claimed->label);
}

static enum rf_code by_signature(struct rf_read *r, const struct signature *s, struct rf_err *err)
{
    switch (s->kind) {
    case OTHER_ARCHIVE:
        return list(r, s, err);
    case OTHER_PICTURE:
        return rf_read_odd_picture(r, err);
    case OTHER_COMPOUND:
        if (name_ends(r->name, ".msg"))
            return rf_read_office(r, "application/vnd.ms-outlook", err);
        break;
    case OTHER_BINARY:
        break;
    }
    return describe(r, s->label, err);
}

/* What is neither text nor known, under a name that claims to be something. */
static enum rf_code refuse(const struct rf_format *claimed, struct rf_err *err)
{
    return rf_fail(err, RF_EFORMAT,
                   "its name says %s, but its bytes are of no format that is known here",
                   claimed->label);
}

enum rf_code rf_read_other(struct rf_read *r, struct rf_err *err)
{
    const struct signature *s = signature_of(&r->reader);
    const struct rf_format *claimed = rf_format_by_name(r->name);
    struct rf_text_kind kind;
    enum rf_code rc = rf_text_kind(&r->reader, &kind, err);
    if (rc)
        return rc;
    if (rf_read_is_odd_picture(r) || (claimed && claimed->kind == RF_KIND_IMAGE))
        return rf_read_odd_picture(r, err);
    if (claimed && claimed->kind == RF_KIND_OFFICE && (s || !kind.encoding))
        return by_claim(r, s, claimed, err);
    if (s)
        return by_signature(r, s, err);
    if (claimed && claimed->kind != RF_KIND_TEXT && claimed->kind != RF_KIND_OFFICE)
        return refuse(claimed, err);
    return kind.encoding ? rf_read_text(r, err)
                         : describe(r, "of no format that is known here", err);
}
