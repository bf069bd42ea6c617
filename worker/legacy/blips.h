/* The pictures in drawings of Office 97 to 2003: records of their own, "BLIP", in a tree of
 * records that lies in a stream of the document. Where in the text they stand is not read: they
 * follow it. */
#ifndef RF_LEGACY_BLIPS_H
#define RF_LEGACY_BLIPS_H

#include "worker/legacy/compound.h"
#include "worker/office/figures.h"

/* Add those in the records of `tree`. One that is kept elsewhere is looked for in `delayed`,
 * which may be empty. */
void rf_blips_add(struct rf_figures *pictures, struct rf_str tree, struct rf_str delayed);
/* Those of the stream "Data" of a Word document, each after a head of its own. */
void rf_blips_add_inline(struct rf_figures *pictures, struct rf_str data);

#endif
