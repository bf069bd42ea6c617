/* The format is told from the bytes: what kind of file it is by its first ones, what kind of
 * archive by its members. A document that is encrypted as a whole is an OLE container with the
 * archive inside: what that is, is told by the fact `mime`, since nobody else can know. */
#include "worker/office/office.h"

#include "media/ole.h"
#include "worker/legacy/compound.h"
#include "worker/office/opc.h"
#include "worker/office/other.h"
#include "worker/office/unlock.h"
#include "worker/office/unzip.h"

#define OOXML "application/vnd.openxmlformats-officedocument."

/* What can be read of an archive, by what its main part is. */
static const struct {
    const char *kind, *mime;
    void (*text)(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to);
} packages[] = {
    { "document", OOXML "wordprocessingml.document", rf_office_docx },
    { "presentation", OOXML "presentationml.presentation", rf_office_pptx },
    { "workbook", OOXML "spreadsheetml.sheet", rf_office_xlsx },
};

static void answer_package(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to)
{
    struct rf_str part;
    struct rf_err err;
    const char *kind;
    int64_t main = rf_opc_main(zip, &part);

    if (main < 0) {
        if (!rf_office_other_zip(ask, zip, to))
            rf_answer_fail(to, RF_EFORMAT, "", "the archive holds no document that can be read");
        return;
    }
    if (rf_opc_kind(zip, main, &kind, &err)) {
        rf_office_fail(to, &err);
        return;
    }
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        if (strcmp(packages[i].kind, kind) == 0) {
            rf_answer_fact(to, "mime", "%s", packages[i].mime);
            packages[i].text(ask, zip, to);
            return;
        }
    }
    if (strcmp(kind, "binary") == 0)
        rf_answer_fail(to, RF_EFORMAT, "Save it as .xlsx and read that file.",
                       "a binary workbook (.xlsb) cannot be read");
    else
        rf_answer_fail(to, RF_EFORMAT, "", "a document of the kind \"%s\" cannot be read", kind);
}

static void answer_zip(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    struct rf_unzip *zip = NULL;
    struct rf_err err;

    if (rf_unzip_open(bytes, ask->arena, &zip, &err)) {
        rf_office_fail(to, &err);
        return;
    }
    answer_package(ask, zip, to);
    rf_unzip_close(zip);
}

static void answer_ole(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    struct rf_compound *c = rf_compound_open(bytes, ask->arena);
    struct rf_str archive;
    struct rf_err err;

    if (!c)
        rf_answer_fail(to, RF_EFORMAT, "", "the document is cut off: its directory is missing");
    else if (rf_compound_find(c, RF_COMPOUND_ROOT, "EncryptedPackage") == RF_COMPOUND_NONE)
        rf_answer_fail(to, RF_EFORMAT, "", "the file is not a document that can be read here");
    else if (rf_unlock_package(ask, c, to, &archive, &err))
        rf_office_fail(to, &err);
    else
        answer_zip(ask, archive, to);
}

void rf_office_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_str bytes;

    if (!rf_ask_map(ask, &bytes, to))
        return;
    if (!bytes.n)
        rf_answer_fail(to, RF_EFORMAT, "", "the file is empty");
    else if (!rf_ask_is(ask, "op", "text") && !rf_ask_is(ask, "op", "media") &&
             !rf_ask_is(ask, "op", "list"))
        rf_answer_fail(to, RF_EUSAGE, "", "the worker for documents does not know this operation");
    else if (rf_ask_is(ask, "op", "list"))
        rf_office_archive(ask, bytes, to);
    else if (rf_str_starts(bytes, "PK"))
        answer_zip(ask, bytes, to);
    else if (rf_str_starts(bytes, RF_OLE_MAGIC))
        answer_ole(ask, bytes, to);
    else if (!rf_office_other(ask, bytes, to))
        rf_answer_fail(to, RF_EFORMAT, "", "the file is not a document that can be read here");
}
