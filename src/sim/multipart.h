/* Bodies of multipart/form-data, as uploads have them. */
#ifndef RF_SIM_MULTIPART_H
#define RF_SIM_MULTIPART_H

#include "base/str.h"

struct rf_sim_part {
    struct rf_str name, filename, mime, content; /* borrowed from the body; empty where absent */
};

/* The next part of `rest`, which begins as the body; false after the last, and where it is
 * broken. */
bool rf_sim_multipart_next(struct rf_str *rest, struct rf_str boundary, struct rf_sim_part *out);
/* "multipart/form-data; boundary=x": the boundary; empty where it is not that. */
struct rf_str rf_sim_multipart_boundary(const char *content_type);

#endif
