/* OpenDocument, inside: the XML of a document, from an archive or from one flat file. */
#ifndef RF_OFFICE_ODF_H
#define RF_OFFICE_ODF_H

#include "worker/office/markdown.h"
#include "worker/office/media.h"
#include "worker/office/office.h"
#include "worker/office/sax.h"

struct rf_odf {
    const struct rf_ask *ask;
    struct rf_answer *to;
    struct rf_unzip *zip; /* NULL: the document is `flat` */
    struct rf_figures *pictures;
    struct rf_str flat;
    struct rf_office_range range; /* of sheets or slides */
    struct rf_str *titles;        /* theirs */
    int64_t pages;
};

/* Read the content with a grammar. */
enum rf_code rf_odf_read(const struct rf_odf *o, const struct rf_sax_grammar *g, void *state,
                         struct rf_err *err);

/* The picture that an element refers to. Of a flat document it is known only that it is there. */
struct rf_figure rf_odf_picture(const struct rf_odf *o, const struct rf_sax *x);

/* The sheets of a spreadsheet, a part each. */
enum rf_code rf_odf_sheets(const struct rf_odf *o, struct rf_err *err);

#endif
