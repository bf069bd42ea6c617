/* The locks that a connection has, for the engines: names as numbers, and who may have what twice.
 *
 * What other processes may have is the database's business; this keeps one connection from being
 * given the same lock twice, and knows what to ask for again when it was opened anew.
 */
#ifndef RF_STORE_LOCKS_H
#define RF_STORE_LOCKS_H

#include "base/str.h"

struct rf_arena;

struct rf_lock {
    int64_t key;
    bool shared;
    bool again;   /* opened anew, and not asked for since */
    size_t times; /* how often it was taken: more than once where it is shared */
};

/* Zeroed it is empty. It lives in the arena of its connection. */
struct rf_locks {
    struct rf_lock *items;
    size_t count, cap;
};

/* A name as a number of 62 bits: never negative, and an offset in a file. */
int64_t rf_lock_key(struct rf_str name);

/* The lock, or NULL where the connection does not have it. Lives until the next change. */
struct rf_lock *rf_locks_find(const struct rf_locks *l, int64_t key);
/* One that it has is wanted another time: is it given? */
bool rf_locks_repeat(struct rf_lock *lock, bool shared);
void rf_locks_add(struct rf_locks *l, int64_t key, bool shared, struct rf_arena *a);
/* One time less; true where that was the last. */
bool rf_locks_drop(struct rf_locks *l, int64_t key);

#endif
