/* What became of a request's files, for people: in words, and as JSON. */
#ifndef RF_PAGE_FILES_H
#define RF_PAGE_FILES_H

#include "base/json_write.h"
#include "base/str.h"

struct rf_arena;
struct rf_decision;
struct rf_request;

/* A JSON array of the first few files, then of the rest {"more": how many, "changed": whether one
 * is not sent as it is, "words": names, ways and forms, for who searches}, then what was left out
 * besides files (strings); allocated with malloc, and empty where there is nothing to tell. */
struct rf_str rf_files_summary(struct rf_request *r);

/* "2000×1333 JPEG of 9488×6324", "12 pictures of 12 pages"; "PDF, 47 pages". */
struct rf_str rf_files_words(const struct rf_decision *d, struct rf_arena *a);

/* What became of file `i`, as members of the object that is open. */
void rf_files_members(struct rf_json *w, struct rf_request *r, size_t i);

#endif
