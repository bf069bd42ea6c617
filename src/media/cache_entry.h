/* One result of the cache: a folder with the file "index" and a file for each part that has
 * bytes.
 *
 * The index is a line "refract-cache 1 CHECKSUM", and then the frames that the worker said, with
 * the name and the size of its file in each part that has bytes. It is read by what reads a
 * worker, with all its limits. An index that was cut off, or a file with another size, is no
 * entry. */
#ifndef RF_MEDIA_CACHE_ENTRY_H
#define RF_MEDIA_CACHE_ENTRY_H

#include "media/worker.h"

struct rf_arena;

/* Write the index of a job whose parts lie in `folder`. False where it cannot be written. */
bool rf_cache_entry_write(const char *folder, const struct rf_job *job);
/* Fill the job from the entry; false where there is none, or none that is whole: the job is as
 * it was. */
bool rf_cache_entry_read(const char *folder, struct rf_job *job, struct rf_arena *a);
/* Remove a folder of the cache and the files in it. */
void rf_cache_entry_remove(const char *folder);

#endif
