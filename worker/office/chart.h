/* What a chart or a diagram says: its title, and its data as a table; the texts of a diagram as
 * a list. Both are parts of their own in docx, pptx and xlsx. */
#ifndef RF_OFFICE_CHART_H
#define RF_OFFICE_CHART_H

#include "worker/office/markdown.h"
#include "worker/office/unzip.h"

/* Write the chart in this member; nothing where it is damaged from the start. */
void rf_chart_write(struct rf_unzip *zip, int64_t member, struct rf_markup *md);
/* The same for the data of a diagram (SmartArt). */
void rf_diagram_write(struct rf_unzip *zip, int64_t member, struct rf_markup *md);

#endif
