/* A request that goes out as it came.
 *
 * A client may speak the very API of the model that answers. Where the plan then sends every file
 * as it is, in its place and under its own label, nothing has to be written anew: the body is the
 * client's own bytes, with the model's name in the place of the one that was asked for. What no
 * parser knows yet goes along.
 *
 * The plan is made as for any other request, and is the only judge: a file that is too large, that
 * has the wrong label, or that hides in a text, is one that the API cannot take as it stands. */
#ifndef RF_REQUEST_PASS_H
#define RF_REQUEST_PASS_H

#include "request/request.h"

/* A body as its client wrote it, and what was read from it. */
struct rf_given_body {
    struct rf_str text;
    const struct rf_jval *value; /* an object; or NULL: rf_pass_other */
};

/* Does the laid-out plan leave all of it as it is? The API is the same; that is the caller's to
 * know. */
bool rf_pass_fits(const struct rf_request *r);
/* Have the body sent as it was given. Both must stay as long as the request. */
void rf_pass_write(struct rf_request *r, const struct rf_given_body *given);

/* A request of which nothing is known but its bytes: it could not be read as this API's, or holds
 * nothing that could be planned. Nothing of it is reported. */
struct rf_request *rf_pass_unread(const struct rf_given_body *given, const struct rf_model *m,
                                  bool stream);

/* Values of a body, in the order of its text, that name a model. */
struct rf_pass_named {
    const struct rf_jval **values;
    size_t count, cap;
};

/* Its own, and those of its "requests", as batches of all vendors have them. `body` may be NULL. */
void rf_pass_find_named(const struct rf_jval *body, struct rf_arena *a, struct rf_pass_named *out);

/* A request for something else than an answer of the model, which becomes the name at these places;
 * all else goes as it is, and it need not be JSON. */
struct rf_request *rf_pass_other(const struct rf_given_body *given,
                                 const struct rf_pass_named *named, const struct rf_model *m);

/* Fill in r->marks, for whoever looks for the file that was rejected. Of a request that was written
 * anew they are known already. */
void rf_pass_mark(struct rf_request *r);

#endif
