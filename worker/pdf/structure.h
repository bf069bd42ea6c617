/* What a PDF is made of, as qpdf sees it: encryption, picture objects, and parts of a document as
 * documents of their own.
 *
 *     struct rf_structure *s = rf_structure_open(bytes, password);
 *     if (s && rf_structure_part(s, 0, 20, &pdf)) …
 *     rf_structure_close(s);
 *
 * It decodes nothing. The bytes stay the caller's and must outlive it.
 */
#ifndef RF_WORKER_PDF_STRUCTURE_H
#define RF_WORKER_PDF_STRUCTURE_H

#include "base/str.h"

struct rf_structure;

/* NULL where qpdf cannot open it; an engine may still be able to. `password` may be NULL. */
struct rf_structure *rf_structure_open(struct rf_str bytes, const char *password);
void rf_structure_close(struct rf_structure *s); /* takes NULL */

bool rf_structure_encrypted(const struct rf_structure *s);
/* Did its objects have to be looked for, since what says where they are is wrong? */
bool rf_structure_damaged(const struct rf_structure *s);

/* May the page show a picture? Pages that have picture objects at hand may; pictures that are spelt
 * out among the page's own commands are not looked for. True where it cannot be known. */
bool rf_structure_pictures(struct rf_structure *s, int page);

/* The pages as a PDF of their own, not encrypted: always the same bytes for the same pages. It
 * lives until the structure is closed. False where the pages cannot be read. */
bool rf_structure_part(struct rf_structure *s, int first, int end, struct rf_str *pdf);

#endif
