/* A conversation as people read it, in JSON: as the client sent it, and as a model gets it.
 *
 * Both are lists of messages {"role", "parts": [{"kind": "text", …}, …]}. A file is a part with its
 * place in the delivery report; long texts are cut. A part that a model gets says which message of
 * the client's it is of, by that one's place ("of"): ids may be other ones, and results stand in
 * the order of their calls. */
#ifndef RF_PAGE_VIEW_H
#define RF_PAGE_VIEW_H

#include "base/json_write.h"

struct rf_arena;
struct rf_conversation;
struct rf_request;

/* The value under `key`. `r` is the request that was made of it, or NULL. */
void rf_view_client(struct rf_json *w, const char *key, const struct rf_conversation *c,
                    const struct rf_request *r, struct rf_arena *a);
void rf_view_model(struct rf_json *w, const char *key, const struct rf_request *r,
                   struct rf_arena *a);
/* All entries of the delivery report, and what was left out besides files. */
void rf_view_files(struct rf_json *w, struct rf_request *r);

#endif
