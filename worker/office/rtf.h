/* Rich Text Format: the text of {\rtf1 …}, into prose that others hold. */
#ifndef RF_OFFICE_RTF_H
#define RF_OFFICE_RTF_H

#include "worker/office/prose.h"

/* Add the text of a document to `p`. Returns false where the last group never ends: it was cut
 * off. */
bool rf_rtf_prose(struct rf_prose *p, struct rf_str rtf);
/* The title in its information, or empty. */
struct rf_str rf_rtf_title(struct rf_arena *a, struct rf_str rtf);

#endif
