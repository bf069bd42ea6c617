/* refract-media-archive: what is in an archive, and one file out of it.
 *
 * One operation, `list`, whose key `member` names what is wanted, as the list shows it. A file
 * comes as a part of kind file, with its bytes; a folder, and all of the archive where nothing is
 * named, as a part of kind text: a line a member. What is packed alone (report.pdf.gz) is a file
 * that needs no name. Nothing is ever written to where a name points, and no link is followed. */
#ifndef RF_ARCHIVE_UNPACK_H
#define RF_ARCHIVE_UNPACK_H

#include "worker/frame.h"

#define RF_ARCHIVE_MAX_TOTAL ((uint64_t)1 << 30)   /* bytes out of one archive */
#define RF_ARCHIVE_MAX_RATIO 100                   /* out : in, once it is over */
#define RF_ARCHIVE_FREE_RATIO ((uint64_t)16 << 20) /* this many bytes */
#define RF_ARCHIVE_MAX_MEMBERS 1000000             /* what comes later is not looked at */

void rf_archive_answer(const struct rf_ask *ask, struct rf_answer *to);

#endif
