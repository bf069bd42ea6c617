/* Files that are withheld from a provider for as long as the caller says so: as a quarantine in the
 * store does, but for this request only. */
#ifndef RF_REQUEST_WITHHOLD_H
#define RF_REQUEST_WITHHOLD_H

#include "request/request.h"

struct rf_withheld_file {
    struct rf_str key; /* rf_withheld_key */
    struct rf_withheld from;
    uint64_t size; /* of its bytes: a file of another size is not read to compare them; 0: any */
};

/* What tells a file from others, wherever it stands: "sha256:…" of its bytes, else the URL or the
 * id that it goes by; empty where it cannot be read. In `a`. */
struct rf_str rf_withheld_key(const struct rf_asset *asset, struct rf_arena *a);

/* The list is borrowed: it must be there while a request is built. */
void rf_request_options_withhold(struct rf_request_options *o, const struct rf_withheld_file *files,
                                 size_t count);

/* Tell the assets, before anything is decided. */
void rf_withhold(struct rf_survey *s, const struct rf_withheld_file *files, size_t count,
                 struct rf_arena *a);

#endif
