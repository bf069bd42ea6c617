/* What a provider said when it did not answer: read once, for whoever heals, learns or tells a person.
 *
 *     rf_refused_read(model, sent.status, sent.refusal, a, &refused);
 *
 * It reads any body: a page of HTML from a proxy in between is a refusal too, known by its status.
 */
#ifndef RF_AGENT_REFUSAL_H
#define RF_AGENT_REFUSAL_H

#include "base/str.h"

#include <refract/model.h>
#include <refract/reply.h>

struct rf_arena;

struct rf_refused {
    int status; /* of HTTP; 200: a stream that ended in an error */
    enum rf_error_kind kind;
    struct rf_str code, message; /* the provider's own; the message of whoever stands behind a router too */
    struct rf_str place;         /* a path into the request, as it was spelled; or empty */
    struct rf_str json;          /* the reply as rf_decode_finish writes it: what rf_model_learn takes */
};

/* Read the body of an answer whose status is not 200. All strings live in `a`. */
void rf_refused_read(const struct rf_model *m, int status, struct rf_str body, struct rf_arena *a,
                     struct rf_refused *out);
/* The same for a reply that rf_decode_finish wrote: of a refusal, or of a stream that ended in an error. `kind` is
 * RF_ERROR_NONE where it holds no error. */
void rf_refused_from_reply(int status, struct rf_str json, struct rf_arena *a, struct rf_refused *out);

#endif
