/* Files that were uploaded to the simulator: kept in memory as long as it runs, so many at most. A
 * request that refers to one is given its bytes. Safe to use from several threads. */
#ifndef RF_SIM_FILES_H
#define RF_SIM_FILES_H

#include "base/str.h"

struct rf_arena;
struct rf_sim_files;

struct rf_sim_file {
    struct rf_str provider, id, name, mime, purpose, bytes;
};

struct rf_sim_files *rf_sim_files_new(void);
void rf_sim_files_free(struct rf_sim_files *f); /* takes NULL */

/* Whose files a provider has: two names of one server have the same. */
struct rf_str rf_sim_files_owner(struct rf_str provider);

/* Keep a copy; false where there is no room for it. */
bool rf_sim_files_add(struct rf_sim_files *f, const struct rf_sim_file *file);
/* A copy of the one of that id, in `a`; false where there is none. */
bool rf_sim_files_find(struct rf_sim_files *f, struct rf_str provider, struct rf_str id,
                       struct rf_arena *a, struct rf_sim_file *out);
/* A copy of the `i`th of a provider; false after the last. */
bool rf_sim_files_at(struct rf_sim_files *f, struct rf_str provider, size_t i, struct rf_arena *a,
                     struct rf_sim_file *out);
/* Put more at the end of its bytes; false where it is not there or has no room. */
bool rf_sim_files_append(struct rf_sim_files *f, struct rf_str provider, struct rf_str id,
                         struct rf_str more);
/* The same as rf_sim_files_find for how a request refers to one: by its id, or by an address that
 * ends in it. */
bool rf_sim_files_meant(struct rf_sim_files *f, struct rf_str provider, struct rf_str reference,
                        struct rf_arena *a, struct rf_sim_file *out);
bool rf_sim_files_remove(struct rf_sim_files *f, struct rf_str provider, struct rf_str id);

#endif
