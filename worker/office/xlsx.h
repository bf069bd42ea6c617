/* What the files of the Excel reader share: the workbook, and one sheet of it. */
#ifndef RF_OFFICE_XLSX_H
#define RF_OFFICE_XLSX_H

#include "worker/office/markdown.h"
#include "worker/office/numfmt.h"
#include "worker/office/opc.h"

struct rf_xlsx {
    struct rf_unzip *zip;
    struct rf_arena *arena;
    struct rf_answer *to;
    struct rf_markup md;
    enum rf_numfmt_epoch epoch;
    struct rf_str *strings; /* shared ones */
    size_t n_strings, cap_strings;
    const struct rf_numfmt **formats; /* by the style of a cell */
    size_t n_formats, cap_formats;
    struct rf_xlsx_sheet *sheet; /* the one that is read */
};

/* Read the shared strings and the number formats; a member of -1 is not there. */
void rf_xlsx_read_strings(struct rf_xlsx *w, int64_t member);
void rf_xlsx_read_formats(struct rf_xlsx *w, int64_t member);

/* Write a sheet: its cells as tables, then its links, comments and drawings. Fails as
 * rf_sax_member does. */
enum rf_code rf_xlsx_write_sheet(struct rf_xlsx *w, struct rf_str part, int64_t member,
                                 struct rf_err *err);

/* "_x000D_" in a string stands for a character that XML cannot hold. In place; returns the
 * length. */
size_t rf_xlsx_unescape(char *p, size_t n);

#endif
