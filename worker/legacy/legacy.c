/* Which document a compound file is, by the streams in its root. */
#include "worker/legacy/legacy.h"

#include "media/ole.h"
#include "worker/office/cipher.h"
#include "worker/office/office.h"

/* The stream that tells a format, or RF_COMPOUND_NONE. */
static int stream_of(const struct rf_compound *c, enum rf_format_id id)
{
    const char *const *names = rf_format_of(id)->streams;
    int found = RF_COMPOUND_NONE;

    for (size_t i = 0; i < RF_MAX_STREAMS && names[i] && found == RF_COMPOUND_NONE; i++)
        found = rf_compound_find(c, RF_COMPOUND_ROOT, names[i]);
    return found;
}

static void answer_xls(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to)
{
    const char *const *names = rf_format_of(RF_FORMAT_XLS)->streams;
    struct rf_str book;

    for (size_t i = 0; i < RF_MAX_STREAMS && names[i]; i++)
        if (rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, names[i]), &book)) {
            rf_legacy_xls(ask, book, to);
            return;
        }
    rf_answer_fail(to, RF_EFORMAT, "", "the workbook is cut off");
}

/* The office family opens such. */
static void refuse_encrypted(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to)
{
    struct rf_err err;

    (void)ask, (void)c;
    rf_locked(RF_LOCK_CLOSED, &err);
    rf_office_fail(to, &err);
}

static void answer_compound(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to)
{
    static const struct {
        enum rf_format_id id;
        void (*text)(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to);
    } readers[] = {
        { RF_FORMAT_DOC, rf_legacy_doc },
        { RF_FORMAT_PPT, rf_legacy_ppt },
        { RF_FORMAT_XLS, answer_xls },
        { RF_FORMAT_MSG, rf_legacy_msg },
        { RF_FORMAT_OOXML_ENCRYPTED, refuse_encrypted },
    };
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (stream_of(c, readers[i].id) != RF_COMPOUND_NONE) {
            readers[i].text(ask, c, to);
            return;
        }
    }
    rf_answer_fail(to, RF_EFORMAT, "",
                   "the file holds no Word, Excel or PowerPoint document and no message");
}

/* A record that begins a worksheet of Excel 2 to 4, which wrote no compound files. */
static bool is_bare_sheet(struct rf_str bytes)
{
    uint32_t id = rf_at16(bytes, 0), length = rf_at16(bytes, 2);

    return (id == 0x0009 || id == 0x0209 || id == 0x0409 || id == 0x0809) && length >= 4 &&
           length <= 16;
}

void rf_legacy_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_compound *c;
    struct rf_str bytes;

    if (!rf_ask_map(ask, &bytes, to))
        return;
    if (is_bare_sheet(bytes)) {
        rf_legacy_xls(ask, bytes, to);
        return;
    }
    c = rf_compound_open(bytes, ask->arena);
    if (c)
        answer_compound(ask, c, to);
    else if (rf_str_starts(bytes, RF_OLE_MAGIC))
        rf_answer_fail(to, RF_EFORMAT, "", "the document is cut off: its directory is missing");
    else
        rf_answer_fail(to, RF_EFORMAT, "", "this is not an Office 97 to 2003 document");
}
