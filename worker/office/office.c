/* The format is told from the bytes: what kind of file it is by its first ones, what kind of
 * archive by its members. A document that is encrypted as a whole is an OLE container with the
 * archive inside. */
#include "worker/office/office.h"

#include "media/media.h"
#include "media/ole.h"
#include "worker/office/opc.h"
#include "worker/office/other.h"
#include "worker/office/unzip.h"

#define PASSWORD_HINT "Open it in its program, save it without a password, and read that file."

/* What can be read of an archive, by what its main part is. */
static const struct {
    const char *kind;
    void (*text)(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to);
} packages[] = {
    { "document", rf_office_docx },
    { "presentation", rf_office_pptx },
    { "workbook", rf_office_xlsx },
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
    if (rf_ask_is(ask, "op", "media"))
        rf_office_media(ask, zip, to);
    else
        answer_package(ask, zip, to);
    rf_unzip_close(zip);
}

static void answer_ole(struct rf_str bytes, struct rf_answer *to)
{
    struct rf_bytes memory = rf_bytes_memory(bytes);
    struct rf_reader reader;
    struct rf_err err;
    struct rf_facts facts = { 0 };

    if (rf_reader_open(&reader, &memory, &err)) {
        rf_office_fail(to, &err);
        return;
    }
    const struct rf_format *format = rf_sniff(&reader);
    bool known = format && !rf_probe(&reader, format, &facts, &err);
    rf_reader_close(&reader);
    if (known && facts.encrypted)
        rf_answer_fail(to, RF_EENCRYPTED, PASSWORD_HINT, "the document is encrypted");
    else
        rf_answer_fail(to, RF_EFORMAT, "", "the file is not a document that can be read here");
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
        answer_ole(bytes, to);
    else if (!rf_office_other(ask, bytes, to))
        rf_answer_fail(to, RF_EFORMAT, "", "the file is not a document that can be read here");
}
