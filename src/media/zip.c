/* Which document a ZIP archive is.
 *
 * OpenDocument and EPUB say so in a member "mimetype", which should come first. Office Open XML
 * must hold "[Content_Types].xml" and the main part of one application. Both usually stand at the
 * front, so the local headers are walked first; where they do not decide, or where lengths are
 * missing because the archive was streamed, the central directory at the end is.
 *
 * Nothing is unpacked, and an archive with more members than we look at is not a document. */
#include "media/zip.h"

#include "base/str.h"

#define MAX_FRONT_MEMBERS 64
#define MAX_MEMBERS 8192
#define MAX_NAME 512
#define MAX_COMMENT ((uint64_t)65535)
#define LOCAL_HEADER 30
#define CENTRAL_HEADER 46
#define END_RECORD 22
#define STREAMED 0x08 /* flag: the lengths follow the data */
#define STORED 0      /* method: not packed */
#define MIMETYPE "mimetype"

struct evidence {
    bool content_types;
    enum rf_format_id part; /* whose main part was seen */
};

/* What the member at a local header says when it is "mimetype" and not packed. A template's type
 * begins with the document's. */
static enum rf_format_id by_mimetype(struct rf_look *k, uint64_t at)
{
    const uint8_t *p = rf_look(k, at, LOCAL_HEADER);

    if (!p || rf_le16(p + 8) != STORED || rf_le16(p + 26) != 8)
        return RF_FORMAT_NONE;
    uint64_t data = at + LOCAL_HEADER + 8 + rf_le16(p + 28);
    if (!RF_SEES(k, at + LOCAL_HEADER, MIMETYPE))
        return RF_FORMAT_NONE;
    for (enum rf_format_id id = RF_FORMAT_NONE + 1; id < RF_FORMAT_COUNT; id++) {
        const struct rf_format *f = rf_format_of(id);
        if (f->member && strcmp(f->member, MIMETYPE) == 0 &&
            rf_look_is(k, data, f->mime, strlen(f->mime)))
            return id;
    }
    return RF_FORMAT_NONE;
}

/* A binary workbook (xlsb) has no part that ends in .xml there, and is none of ours. */
static void take_member(struct evidence *e, struct rf_str name)
{
    if (name.n > 0 && name.p[0] == '/')
        name = (struct rf_str){ name.p + 1, name.n - 1 };
    if (rf_str_is(name, "[Content_Types].xml"))
        e->content_types = true;
    if (!rf_str_ends(name, ".xml"))
        return;
    for (enum rf_format_id id = RF_FORMAT_NONE + 1; id < RF_FORMAT_COUNT; id++) {
        const char *member = rf_format_of(id)->member;
        if (member && strchr(member, '/') && rf_str_starts(name, member))
            e->part = id;
    }
}

static enum rf_format_id decided(const struct evidence *e)
{
    return e->content_types ? e->part : RF_FORMAT_NONE;
}

static void take_name_at(struct rf_look *k, uint64_t at, size_t n, struct evidence *e)
{
    const uint8_t *p = n <= MAX_NAME ? rf_look(k, at, n) : NULL;

    if (p)
        take_member(e, (struct rf_str){ (const char *)p, n });
}

static enum rf_format_id from_front(struct rf_look *k)
{
    struct evidence e = { 0 };
    uint64_t at = 0;

    for (int i = 0; i < MAX_FRONT_MEMBERS && RF_SEES(k, at, "PK\3\4"); i++) {
        enum rf_format_id id = by_mimetype(k, at);
        const uint8_t *p = rf_look(k, at, LOCAL_HEADER);
        if (id || !p)
            return id;
        bool streamed = rf_le16(p + 6) & STREAMED;
        size_t name = rf_le16(p + 26), extra = rf_le16(p + 28);
        uint64_t packed = rf_le32(p + 18);
        take_name_at(k, at + LOCAL_HEADER, name, &e);
        if (decided(&e) || streamed)
            break;
        at += LOCAL_HEADER + name + extra + packed;
    }
    return decided(&e);
}

static bool find_end_record(struct rf_look *k, uint64_t *at)
{
    uint64_t reach = END_RECORD + MAX_COMMENT;

    return rf_look_find_last(k, k->size > reach ? k->size - reach : 0, k->size, "PK\5\6", at) &&
           k->size - *at >= END_RECORD;
}

static enum rf_format_id from_directory(struct rf_look *k)
{
    struct evidence e = { 0 };
    uint64_t end, at;
    const uint8_t *p = find_end_record(k, &end) ? rf_look(k, end, END_RECORD) : NULL;

    if (!p)
        return RF_FORMAT_NONE;
    at = rf_le32(p + 16);
    for (int i = 0; i < MAX_MEMBERS && RF_SEES(k, at, "PK\1\2"); i++) {
        p = rf_look(k, at, CENTRAL_HEADER);
        if (!p)
            break;
        size_t name = rf_le16(p + 28), extra = rf_le16(p + 30), comment = rf_le16(p + 32);
        enum rf_format_id id = RF_FORMAT_NONE;
        uint64_t local = rf_le32(p + 42);
        take_name_at(k, at + CENTRAL_HEADER, name, &e);
        if (name == 8 && RF_SEES(k, at + CENTRAL_HEADER, MIMETYPE))
            id = by_mimetype(k, local);
        if (id || decided(&e))
            return id ? id : decided(&e);
        at += CENTRAL_HEADER + name + extra + comment;
    }
    return decided(&e);
}

enum rf_format_id rf_zip_format(struct rf_look *k)
{
    enum rf_format_id id;

    if (!RF_SEES(k, 0, "PK\3\4"))
        return RF_FORMAT_NONE;
    id = from_front(k);
    return id ? id : from_directory(k);
}

bool rf_zip_has_directory(struct rf_look *k)
{
    uint64_t at;

    return find_end_record(k, &at);
}
