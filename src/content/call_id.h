/* Ids of calls that carry the call's mark (a thought signature) with them, for clients whose API
 * has no other place for it: "call_7__thought__c2lnbmVk", as other programs spell it too. The mark
 * is written as base64 for URLs without padding, which every API takes in an id. */
#ifndef RF_CONTENT_CALL_ID_H
#define RF_CONTENT_CALL_ID_H

#include "base/str.h"

struct rf_arena;

/* The id with the mark; empty where that is not base64, and cannot be carried. */
struct rf_str rf_call_id_marked(struct rf_str id, struct rf_str mark, struct rf_arena *a);
/* An id of letters, digits, '_' and '-' alone that stands for this one: itself where it is one, else
 * "call__as__" and its base64 for URLs. Models make up ids such as "functions.look:0". */
struct rf_str rf_call_id_word(struct rf_str id, struct rf_arena *a);
/* The id that such a one stands for; itself, where it stands for none. */
struct rf_str rf_call_id_meant(struct rf_str id, struct rf_arena *a);
/* The id without what it carries. */
struct rf_str rf_call_id_plain(struct rf_str id);
/* What it carries, as base64 with its padding; empty where that is nothing. */
struct rf_str rf_call_id_mark(struct rf_str id, struct rf_arena *a);

#endif
