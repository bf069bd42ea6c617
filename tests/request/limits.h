/* What a request really holds of everything that its model limits. */
#ifndef TESTS_REQUEST_LIMITS_H
#define TESTS_REQUEST_LIMITS_H

#include "plan/joint.h"
#include "request/request.h"

/* Tokens with those that are kept for the answer. Pages of documents are images too where the endpoint counts
 * them so. */
struct rf_demand held_by(const struct rf_request *r);

/* The first limit that is passed, of one picture or of all files, in words; NULL: none is. */
const char *passed_limit(const struct rf_request *r, struct rf_arena *a);

#endif
