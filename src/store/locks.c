/* The locks of a connection, in an array: there are two or three. */
#include "store/locks.h"

#include "base/arena.h"

int64_t rf_lock_key(struct rf_str name)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (size_t i = 0; i < name.n; i++)
        hash = (hash ^ (unsigned char)name.p[i]) * 0x100000001b3;
    return (int64_t)(hash >> 2);
}

struct rf_lock *rf_locks_find(const struct rf_locks *l, int64_t key)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i].key == key)
            return &l->items[i];
    return NULL;
}

bool rf_locks_repeat(struct rf_lock *lock, bool shared)
{
    bool given = lock->shared ? shared : lock->again && !shared;
    lock->times += given && shared;
    lock->again = false;
    return given;
}

void rf_locks_add(struct rf_locks *l, int64_t key, bool shared, struct rf_arena *a)
{
    *RF_PUSH(a, l->items, l->count, l->cap) =
        (struct rf_lock){ .key = key, .shared = shared, .times = 1 };
}

bool rf_locks_drop(struct rf_locks *l, int64_t key)
{
    struct rf_lock *lock = rf_locks_find(l, key);
    if (!lock || --lock->times > 0)
        return false;
    *lock = l->items[--l->count];
    return true;
}
