/* The format is told from the bytes: what kind of file it is by its first ones, what kind of
 * archive by its members. A document that is encrypted as a whole is an OLE container with the
 * archive inside: only the fact `mime` can tell what that is. */
#include "worker/office/office.h"

#include "media/media.h"
#include "media/ole.h"
#include "worker/legacy/compound.h"
#include "worker/office/opc.h"
#include "worker/office/other.h"
#include "worker/office/recode.h"
#include "worker/office/unlock.h"
#include "worker/office/unzip.h"

#define MOST_TYPE 200 /* bytes of a member that says the type */

/* Who reads which archive. Office Open XML is told by the kind of its main part, the others by the
 * type that their member `mimetype` begins with, or by another member that they hold. */
static const struct package {
    enum rf_format_id id;
    const char *kind, *types[2], *member;
    void (*text)(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to);
} packages[] = {
    { RF_FORMAT_DOCX, "document", { 0 }, NULL, rf_office_docx },
    { RF_FORMAT_PPTX, "presentation", { 0 }, NULL, rf_office_pptx },
    { RF_FORMAT_XLSX, "workbook", { 0 }, NULL, rf_office_xlsx },
    { RF_FORMAT_EPUB, NULL, { "application/epub+zip" }, "META-INF/container.xml", rf_office_epub },
    { RF_FORMAT_ODT,
      NULL,
      { "application/vnd.oasis.opendocument", "application/vnd.sun.xml" },
      "content.xml",
      rf_office_odf },
};

/* Who reads what is not an archive. */
static const struct {
    bool (*is)(const struct rf_ask *ask, struct rf_str bytes);
    void (*text)(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to);
} plain[] = {
    { rf_office_is_rtf, rf_office_rtf },
    { rf_office_is_flat_odf, rf_office_flat_odf },
    { rf_office_is_html, rf_office_html },
    { rf_office_is_mail, rf_office_eml },
};

/* What the archive says that it is; empty where it does not. */
static struct rf_str declared(struct rf_unzip *zip)
{
    int64_t index = rf_unzip_find(zip, RF_STR("mimetype"));
    struct rf_unzip_member m;
    struct rf_str type;
    bool there = index >= 0 && rf_unzip_member(zip, index, &m) && m.size < MOST_TYPE &&
                 !rf_unzip_read(zip, index, MOST_TYPE, &type, NULL);
    return there ? type : RF_STR("");
}

static bool is(const struct package *p, struct rf_unzip *zip, const char *kind, struct rf_str type)
{
    if (kind || !p->member)
        return kind && p->kind && strcmp(p->kind, kind) == 0;
    for (size_t i = 0; i < 2 && p->types[i]; i++)
        if (rf_str_starts(type, p->types[i]))
            return true;
    return rf_unzip_find(zip, rf_str(p->member)) >= 0;
}

static void answer_package(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to)
{
    struct rf_str part;
    struct rf_err err;
    const char *kind = NULL;
    int64_t main = rf_opc_main(zip, &part);
    struct rf_str type = declared(zip);

    if (main >= 0 && rf_opc_kind(zip, main, &kind, &err)) {
        rf_office_fail(to, &err);
        return;
    }
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        if (is(&packages[i], zip, kind, type)) {
            if (kind)
                rf_answer_fact(to, "mime", "%s", rf_format_of(packages[i].id)->mime);
            packages[i].text(ask, zip, to);
            return;
        }
    }
    if (!kind)
        rf_answer_fail(to, RF_EFORMAT, "", "the archive holds no document that can be read");
    else if (strcmp(kind, "binary") == 0)
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

static void answer_plain(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (plain[i].is(ask, bytes)) {
            plain[i].text(ask, bytes, to);
            return;
        }
    }
    rf_answer_fail(to, RF_EFORMAT, "", "the file is not a document that can be read here");
}

void rf_office_answer(const struct rf_ask *ask, struct rf_answer *to)
{
    struct rf_str bytes;

    if (!rf_ask_map(ask, &bytes, to))
        return;
    if (!bytes.n)
        rf_answer_fail(to, RF_EFORMAT, "", "the file is empty");
    else if (rf_ask_is(ask, "op", "utf8"))
        rf_office_utf8(ask, bytes, to);
    else if (!rf_ask_is(ask, "op", "text") && !rf_ask_is(ask, "op", "media"))
        rf_answer_fail(to, RF_EUSAGE, "", "the worker for documents does not know this operation");
    else if (rf_str_starts(bytes, "PK"))
        answer_zip(ask, bytes, to);
    else if (rf_str_starts(bytes, RF_OLE_MAGIC))
        answer_ole(ask, bytes, to);
    else
        answer_plain(ask, bytes, to);
}
