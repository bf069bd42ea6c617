/* Which document a compound file is, by the streams in its root. */
#include "worker/legacy/legacy.h"

#include "media/ole.h"
#include "worker/office/cipher.h"
#include "worker/office/office.h"

static bool has(const struct rf_compound *c, const char *name)
{
    return rf_compound_find(c, RF_COMPOUND_ROOT, name) != RF_COMPOUND_NONE;
}

static void answer_compound(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to)
{
    struct rf_str book;
    struct rf_err err;

    if (has(c, "WordDocument"))
        rf_legacy_doc(ask, c, to);
    else if (has(c, "PowerPoint Document"))
        rf_legacy_ppt(ask, c, to);
    else if (rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, "Workbook"), &book) ||
             rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, "Book"), &book))
        rf_legacy_xls(ask, book, to);
    else if (has(c, "__properties_version1.0"))
        rf_legacy_msg(ask, c, to);
    else if (has(c, "EncryptedPackage") && rf_locked(RF_LOCK_CLOSED, &err))
        rf_office_fail(to, &err); /* the office family opens such */
    else
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
        rf_answer_fail(to, RF_EFORMAT, "", "this is no Office 97 to 2003 document");
}
