/* Members of a ZIP archive in memory, unpacked through libzip and libdeflate without trusting
 * what it declares.
 *
 *     struct rf_unzip *zip;
 *     rc = rf_unzip_open(bytes, arena, &zip, err);
 *     rc = rf_unzip_read(zip, rf_unzip_find(zip, RF_STR("word/document.xml")), max, &text, err);
 *     rf_unzip_close(zip);
 *
 * Every byte that comes out is counted: an archive that unpacks to more than RF_UNZIP_MAX_TOTAL,
 * or to more than RF_UNZIP_MAX_RATIO times what it was packed in, is a bomb and fails with
 * RF_ELIMIT. An encrypted member fails with RF_EENCRYPTED, a broken one with RF_EFORMAT. Names
 * are only compared; nothing is ever written to where they point. `bytes` must stay until the
 * archive is closed. */
#ifndef RF_OFFICE_UNZIP_H
#define RF_OFFICE_UNZIP_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define RF_UNZIP_MAX_TOTAL ((uint64_t)1 << 30)   /* bytes out of one archive */
#define RF_UNZIP_MAX_RATIO 100                   /* out : in, of a member, once it is over */
#define RF_UNZIP_FREE_RATIO ((uint64_t)16 << 20) /* this many bytes */
#define RF_UNZIP_MAX_MEMBERS 100000

struct rf_unzip;

enum rf_code rf_unzip_open(struct rf_str bytes, struct rf_arena *a, struct rf_unzip **out,
                           struct rf_err *err);
void rf_unzip_close(struct rf_unzip *zip); /* takes NULL */

struct rf_arena *rf_unzip_arena(struct rf_unzip *zip);

int64_t rf_unzip_count(const struct rf_unzip *zip);

struct rf_unzip_member {
    struct rf_str name; /* UTF-8 as far as libzip could make it so; lives as long as the archive */
    uint64_t size, packed; /* as declared */
    bool folder, encrypted;
};
/* False where there is no such index. */
bool rf_unzip_member(const struct rf_unzip *zip, int64_t index, struct rf_unzip_member *out);

/* The member of this name, exactly or else without regard to case; -1 where there is none. */
int64_t rf_unzip_find(const struct rf_unzip *zip, struct rf_str name);

/* All of a member, in the archive's arena. RF_ENOTFOUND for an index of -1, RF_ELIMIT over
 * `max`. */
enum rf_code rf_unzip_read(struct rf_unzip *zip, int64_t index, size_t max, struct rf_str *out,
                           struct rf_err *err);

/* All of a member of at most RF_UNZIP_WHOLE declared bytes, by a faster way, in memory that is
 * the caller's to change and to free(), with a NUL after it. False, saying nothing, where that
 * is not possible: then read it piece by piece, which also says what is wrong with it. */
#define RF_UNZIP_WHOLE ((uint64_t)32 << 20)
bool rf_unzip_whole(struct rf_unzip *zip, int64_t index, char **out, size_t *n);

/* Piece by piece: one stream at a time may be open inside another. */
struct rf_unzip_stream;
enum rf_code rf_unzip_stream_open(struct rf_unzip *zip, int64_t index, struct rf_unzip_stream **out,
                                  struct rf_err *err);
/* At most `room` bytes to `to`; `*n` is 0 at the end. */
enum rf_code rf_unzip_stream_read(struct rf_unzip_stream *s, void *to, size_t room, size_t *n,
                                  struct rf_err *err);
void rf_unzip_stream_close(struct rf_unzip_stream *s); /* takes NULL */

/* The path that `target` means, seen from the member `from`: "word/document.xml" and
 * "../media/a.png" make "media/a.png"; a target that starts with '/' counts from the top. Percent
 * escapes are kept. Never leaves the archive: what would is cut to its top. */
struct rf_str rf_unzip_resolve(struct rf_arena *a, struct rf_str from, struct rf_str target);

#endif
