/* Files that are held back from one provider, for as long as somebody says so: as a quarantine in the store does,
 * but for this request only, and also in a softer form: made anew instead of as it is. */
#ifndef RF_REQUEST_HOLD_H
#define RF_REQUEST_HOLD_H

#include "request/request.h"

struct rf_hold {
    struct rf_str file;     /* rf_hold_key */
    struct rf_str provider; /* who refused it */
    struct rf_str reason;   /* its words */
    bool remake;            /* not as it is, but as something that is made of it; else words take its place */
};

/* What tells a file from others, wherever it stands: "sha256:…" of its bytes, else the URL or the id that it goes
 * by; empty where it cannot be read. In `a`. */
struct rf_str rf_hold_key(const struct rf_asset *asset, struct rf_arena *a);

/* The list is borrowed: it must be there while a request is built. */
void rf_request_options_hold(struct rf_request_options *o, const struct rf_hold *holds, size_t count);

/* Mark what is held, before anything is decided. */
void rf_hold_mark(struct rf_survey *s, const struct rf_hold *holds, size_t count, struct rf_arena *a);

#endif
