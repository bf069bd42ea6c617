/* What a WWW-Authenticate of the scheme Bearer says (RFC 6750, RFC 9728). Pure. */
#ifndef RF_MCP_CLIENT_CHALLENGE_H
#define RF_MCP_CLIENT_CHALLENGE_H

#include "base/str.h"

struct rf_challenge {
    bool bearer;            /* there is one of that scheme */
    struct rf_str metadata; /* resource_metadata; what is not said is empty */
    struct rf_str scope, error, description;
};

/* Of a header with any number of challenges, the first of the scheme counts. */
void rf_challenge_read(struct rf_str header, struct rf_arena *a, struct rf_challenge *out);

#endif
