/* Where each file stands in the body that was written: read off the body itself, so that it is true for every
 * dialect, also where turns were joined or a system prompt came first.
 *
 *     rf_request_places(r, a, &places, &count);
 */
#ifndef RF_REQUEST_PLACES_H
#define RF_REQUEST_PLACES_H

#include "request/request.h"

#define RF_MOST_STEPS 8 /* lists inside each other on the way to a file */

/* One list on the way: "messages" 2, "content" 0. */
struct rf_place_step {
    struct rf_str list;
    size_t index;
};

struct rf_body_place {
    size_t decision;              /* of the plan */
    const struct rf_asset *asset; /* that is sent: the file, or something that was made of it */
    struct rf_place_step steps[RF_MOST_STEPS];
    size_t count;
};

/* One for each file that is sent as itself, and for each thing that was made of one, in the order of the body. */
void rf_request_places(const struct rf_request *r, struct rf_arena *a, struct rf_body_place **out,
                       size_t *count);

#endif
