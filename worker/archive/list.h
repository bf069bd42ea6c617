/* The list of an archive: a line a member, sizes before names so that any name is safe at the end
 * of its line. Over a limit of members the list is cut with a note.
 *
 *     rf_list_init(&l, ask);
 *     rf_list_add(&l, &member);
 *     rf_list_send(&l, "ZIP archive", to);
 */
#ifndef RF_ARCHIVE_LIST_H
#define RF_ARCHIVE_LIST_H

#include "base/buf.h"
#include "worker/frame.h"

struct rf_member {
    struct rf_str name; /* as it is shown */
    struct rf_str link; /* where it leads; empty: it is not a link */
    const char *remark; /* " (device)", " (encrypted)", or "" */
    int64_t size;       /* -1: unknown */
    int64_t time;       /* 0: unknown */
    bool folder;
};

struct rf_list {
    struct rf_arena *arena;
    struct rf_buf lines;
    uint64_t files, folders, bytes;
};

void rf_list_init(struct rf_list *l, const struct rf_ask *ask);
void rf_list_add(struct rf_list *l, const struct rf_member *m);
/* One part: what it is, then the lines. */
void rf_list_send(const struct rf_list *l, struct rf_str what, struct rf_answer *to);

#endif
