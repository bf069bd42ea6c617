/* refract-media-legacy: the text of Office 97 to 2003 documents and of Outlook messages.
 *
 * Our own readers, and no program is started: the packaged converters crash on what they are not
 * given as a file, know neither dates nor sheet names, and of a presentation's slides often
 * nothing. Of each format the text is read, with what of its form is cheap to know; nothing is
 * drawn, calculated or run. Encrypted documents open with the key `password`, where they are
 * encrypted as Office 97 and later did it.
 *
 * `op=text` answers as the office family does: the fact `pages`, a part of kind text for each sheet
 * or slide, or one for all. Pictures follow the text, wherever they stand in it.
 */
#ifndef RF_LEGACY_LEGACY_H
#define RF_LEGACY_LEGACY_H

#include "worker/frame.h"
#include "worker/legacy/compound.h"

void rf_legacy_answer(const struct rf_ask *ask, struct rf_answer *to);

void rf_legacy_doc(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to);
void rf_legacy_ppt(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to);
void rf_legacy_msg(const struct rf_ask *ask, struct rf_compound *c, struct rf_answer *to);
/* `book` is the stream of records, which before Excel 5 was the file itself. */
void rf_legacy_xls(const struct rf_ask *ask, struct rf_str book, struct rf_answer *to);

#endif
