/* The table of formats, and finding a row by MIME type or by file name. A lookup says what somebody
 * claims; what a file is, only sniff.c says. It refuses to guess: an unknown name is NULL. */
#include "media/ole.h"
#include "media/probe.h"
#include "media/sniff.h"

static const struct rf_part_words pages = {
    .one = "page", .heading = "Page", .document = "Document", .always = true
};
static const struct rf_part_words slides = {
    .one = "slide", .heading = "Slide", .document = "Slides", .always = true
};
static const struct rf_part_words sheets = {
    .one = "sheet", .heading = "Sheet", .document = "Sheets", .titled = true, .always = true
};
static const struct rf_part_words chapters = {
    .one = "chapter", .heading = "Chapter", .document = "Book", .titled = true
};
static const struct rf_part_words parts = {
    .one = "part", .heading = "Part", .document = "Document", .flows = true
};
static const struct rf_part_words frames = { .one = "frame", .heading = "Frame" };

/* What a row is: its kind and the family of its workers. */
#define PICTURE RF_KIND_IMAGE, "image"
#define OFFICE RF_KIND_OFFICE, "office"
#define LEGACY RF_KIND_OFFICE, "legacy"
#define TEXTUAL RF_KIND_TEXT, NULL
#define SOUND RF_KIND_AUDIO, "av"
#define MOVIE RF_KIND_VIDEO, "av", .parts = &frames
#define ARCHIVE RF_KIND_UNKNOWN, "archive", .told = RF_TOLD_LIST
#define ODD_PICTURE RF_KIND_UNKNOWN, "image", .told = RF_TOLD_PICTURE
#define BINARY RF_KIND_UNKNOWN, NULL

#define OOXML "application/vnd.openxmlformats-officedocument."
#define ODF "application/vnd.oasis.opendocument."
#define MAGIC_AT(at, lit)        \
    {                            \
        lit, sizeof(lit) - 1, at \
    }
#define MAGIC(lit) MAGIC_AT(0, lit)
#define FORMAT(NAME, probe, ...) \
    [RF_FORMAT_##NAME] = { .id = RF_FORMAT_##NAME, rf_probe_##probe, __VA_ARGS__ },

static const struct rf_format table[RF_FORMAT_COUNT] = {
#include "media/formats.def"
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

enum group {
    TAKEN, /* by endpoints */
    OTHER,
};

static bool is_listed(struct rf_str name, const char *names)
{
    struct rf_str rest = rf_str(names), one;

    while (rf_str_split(&rest, ' ', &one)) {
        if (rf_str_ieq(name, one))
            return true;
    }
    return false;
}

static const struct rf_format *by_mime(struct rf_str mime, enum group group)
{
    struct rf_str rest = mime, type = { 0 };

    if (!rf_str_split(&rest, ';', &type))
        return NULL;
    type = rf_str_trim(type);
    for (const struct rf_format *f = table + 1; f < table + RF_FORMAT_COUNT; f++) {
        if ((f->kind == RF_KIND_UNKNOWN) == (group == OTHER) &&
            (is_listed(type, f->mime) || is_listed(type, f->mimes)))
            return f;
    }
    return NULL;
}

/* What follows the last dot of the last part of a path or a URL; a name that only starts with
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

static const struct rf_format *by_name(struct rf_str name, enum group group)
{
    struct rf_str extension = extension_of(name);

    for (const struct rf_format *f = table + 1; extension.n && f < table + RF_FORMAT_COUNT; f++) {
        if ((f->kind == RF_KIND_UNKNOWN) == (group == OTHER) &&
            (is_listed(extension, f->extension) || is_listed(extension, f->extensions)))
            return f;
    }
    return NULL;
}

const struct rf_format *rf_format_by_mime(struct rf_str mime)
{
    return by_mime(mime, TAKEN);
}

const struct rf_format *rf_format_by_name(struct rf_str name)
{
    return by_name(name, TAKEN);
}

const struct rf_format *rf_other_by_mime(struct rf_str mime)
{
    return by_mime(mime, OTHER);
}

const struct rf_format *rf_other_by_name(struct rf_str name)
{
    return by_name(name, OTHER);
}

const struct rf_format *rf_other_text(struct rf_str name)
{
    const struct rf_format *named = rf_other_by_name(name);

    return named && named->looks == RF_FORMAT_TEXT ? named : NULL;
}

static bool is_finer_text(const struct rf_format *claimed)
{
    return claimed && claimed->kind == RF_KIND_TEXT && claimed != &table[RF_FORMAT_TEXT];
}

const struct rf_format *rf_format_refine(const struct rf_format *sniffed,
                                         struct rf_str declared_mime, struct rf_str name)
{
    if (!sniffed || sniffed->kind != RF_KIND_TEXT)
        return sniffed;
    const struct rf_format *declared = rf_format_by_mime(declared_mime);
    const struct rf_format *named = rf_format_by_name(name);
    if (is_finer_text(declared))
        return declared;
    return is_finer_text(named) ? named : sniffed;
}
