/* Office files: whether they are whole, and whether they need a password. */
#include "media/probe.h"

#include "media/ole.h"
#include "media/zip.h"

enum rf_code rf_probe_zip(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    (void)facts;
    if (!rf_zip_has_directory(k))
        return rf_fail(err, RF_EFORMAT,
                       "the document is cut off: the table of contents at its end is missing");
    return RF_OK;
}

enum rf_code rf_probe_ole(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct rf_ole ole;

    if (!rf_ole_read(k, &ole))
        return rf_cut_off(err, "document's directory");
    facts->encrypted = ole.encrypted;
    return RF_OK;
}
