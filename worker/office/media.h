/* The pictures of a document that is an archive: members that are named like pictures and lie where
 * documents keep them.
 *
 *     struct rf_figures *pictures = rf_media_open(ask, zip, to);
 *     rf_figures_add(pictures, &(struct rf_figure){ .id = member, .name = name });
 *     rf_media_end(pictures, &range, pages);
 *
 * A picture's id is the number of its member. */
#ifndef RF_OFFICE_MEDIA_H
#define RF_OFFICE_MEDIA_H

#include "worker/office/figures.h"
#include "worker/office/office.h"
#include "worker/office/unzip.h"

struct rf_figures *rf_media_open(const struct rf_ask *ask, struct rf_unzip *zip,
                                 struct rf_answer *to);

/* rf_figures_end. Where `range` is all of the `pages` that there are, the pictures that stand
 * nowhere in the text (backgrounds, masters) come last; those of a text that was cut off are only
 * counted. */
void rf_media_end(struct rf_figures *p, const struct rf_office_range *range, int64_t pages);

#endif
