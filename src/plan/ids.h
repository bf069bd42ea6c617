/* Names and ids that an endpoint accepts: unique, legal, and the same for the same history. */
#ifndef RF_PLAN_IDS_H
#define RF_PLAN_IDS_H

#include "model/model.h"

struct rf_id_slot {
    struct rf_str s; /* NULL where the slot is free */
    bool given;      /* it is an id; else only a stem that ids were made from */
    size_t message;  /* the last one where it is the id of a call, plus one */
    unsigned tried;  /* numbers after it that are taken */
    size_t place;    /* for those who keep places by name; 0 is none */
};

/* The ids given out so far. */
struct rf_ids {
    struct rf_arena *arena;
    struct rf_id_slot *slots;
    size_t count, cap;
};

void rf_ids_init(struct rf_ids *ids, struct rf_arena *a);

/* A legal id for a call: `id` itself where it is legal and new, else one made from it. `message`
 * and `call` number the call, for those without an id. */
struct rf_str rf_ids_call(struct rf_ids *ids, enum rf_id_rule rule, struct rf_str id,
                          size_t message, size_t call);
/* For an id that goes back to whoever made it: itself, whatever it looks like, where it is the
 * only one of its message, or of all where the server wants that. Some servers carry more in it
 * than a name. */
struct rf_str rf_ids_call_back(struct rf_ids *ids, enum rf_id_rule rule, struct rf_str id,
                               size_t message, size_t call);
/* The same for one that a client of the server's API brings: it may be another server's, and stays
 * only where this one does not refuse it. */
struct rf_str rf_ids_call_brought(struct rf_ids *ids, enum rf_id_rule rule, struct rf_str id,
                                  size_t message, size_t call);
/* The same for a tool's name, which has letters, digits, '_' and '-', and at most 64 of them. */
struct rf_str rf_ids_tool(struct rf_ids *ids, struct rf_str name);

/* Remember `s`; false when it was known already. */
bool rf_ids_new(struct rf_ids *ids, struct rf_str s);

/* The slot of `s`, made where there was none. It stays where it is until the next is made. */
struct rf_id_slot *rf_ids_slot(struct rf_ids *ids, struct rf_str s);

/* A tool's name made legal, without regard to others. */
struct rf_str rf_legal_tool_name(struct rf_str name, struct rf_arena *a);

#endif
