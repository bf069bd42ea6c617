/* Ids of calls that carry the call's mark (a thought signature) with them, for clients whose API
 * has no other place for it: "call_7__thought__c2lnbmVk", as other programs spell it too. The mark
 * is written as base64 for URLs without padding, which every API takes in an id. */
#ifndef RF_CONTENT_CALL_ID_H
#define RF_CONTENT_CALL_ID_H

#include "base/str.h"

struct rf_arena;

/* The id with the mark; empty where that is not base64, and cannot be carried. */
struct rf_str rf_call_id_marked(struct rf_str id, struct rf_str mark, struct rf_arena *a);
/* The id without what it carries. */
struct rf_str rf_call_id_plain(struct rf_str id);
/* What it carries, as base64 with its padding; empty where that is nothing. */
struct rf_str rf_call_id_mark(struct rf_str id, struct rf_arena *a);

#endif
