/* DrawingML: the shapes of a slide, of its notes or of a sheet, with their text, tables, pictures,
 * charts and diagrams, as Markdown. */
#ifndef RF_OFFICE_DRAWING_H
#define RF_OFFICE_DRAWING_H

#include "worker/office/markdown.h"
#include "worker/office/opc.h"

enum rf_drawing_kind {
    RF_DRAWING_SHEET, /* shapes over cells: everything, as plain paragraphs */
    RF_DRAWING_SLIDE, /* all but title and slide number; the body's paragraphs are a list */
    RF_DRAWING_NOTES, /* the body alone */
};

/* What a look at a slide tells before its text is written. */
struct rf_drawing_head {
    struct rf_str title; /* empty where it has none; in the archive's arena */
    bool hidden;         /* not shown in the presentation */
};
void rf_drawing_head(struct rf_unzip *zip, int64_t member, struct rf_drawing_head *out);

/* Write the shapes of `part`, which is this member. Fails as rf_sax_member does; what came
 * before stays. */
enum rf_code rf_drawing_write(struct rf_unzip *zip, struct rf_str part, int64_t member,
                              enum rf_drawing_kind kind, struct rf_markup *md, struct rf_err *err);

#endif
