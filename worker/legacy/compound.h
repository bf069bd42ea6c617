/* OLE2 compound files: the streams and storages of Office 97 to 2003 documents and Outlook
 * messages.
 *
 *     struct rf_compound *c = rf_compound_open(bytes, arena);
 *     rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, "WordDocument"), &stream);
 *
 * Every chain of sectors is as long as the file at most, whatever it declares, so that loops end; a
 * stream whose chain breaks off is as long as what there is. Names compare without regard to case,
 * as the programs that wrote them do.
 */
#ifndef RF_LEGACY_COMPOUND_H
#define RF_LEGACY_COMPOUND_H

#include "base/str.h"

#define RF_COMPOUND_ROOT 0
#define RF_COMPOUND_NONE -1

struct rf_arena;
struct rf_compound;

/* NULL where the bytes are not a compound file or have no directory. They must stay. */
struct rf_compound *rf_compound_open(struct rf_str bytes, struct rf_arena *a);
/* A stream or storage in another by its name, or RF_COMPOUND_NONE. */
int rf_compound_find(const struct rf_compound *c, int parent, const char *name);
/* The n-th entry in a storage whose name starts with `prefix`, or RF_COMPOUND_NONE. */
int rf_compound_nth(const struct rf_compound *c, int parent, const char *prefix, int n);
/* All of a stream, in the arena. False where `id` is not a stream, and when several times the
 * file was read. */
bool rf_compound_read(struct rf_compound *c, int id, struct rf_str *out);
/* How many bytes the stream has, as declared; 0 for none. */
uint64_t rf_compound_size(const struct rf_compound *c, int id);

/* Numbers in a stream; 0 where it ends before. */
static inline uint32_t rf_at16(struct rf_str s, size_t at)
{
    return at + 2 <= s.n && at + 2 > at
               ? (uint32_t)(unsigned char)s.p[at] | (uint32_t)(unsigned char)s.p[at + 1] << 8
               : 0;
}

static inline uint32_t rf_at32(struct rf_str s, size_t at)
{
    return at + 4 <= s.n && at + 4 > at ? rf_at16(s, at) | rf_at16(s, at + 2) << 16 : 0;
}

/* What of `s` lies in [at, at + n); shorter where it ends before. */
static inline struct rf_str rf_at(struct rf_str s, size_t at, size_t n)
{
    if (at >= s.n)
        return (struct rf_str){ s.p, 0 };
    return (struct rf_str){ s.p + at, n < s.n - at ? n : s.n - at };
}

#endif
