/* A rope: a long text made of short pieces, some of which are still in their files.
 *
 * Text is kept as it is; a range of bytes stands for its base64 or for itself as the inside of a
 * JSON string, and is encoded while it is read. So a request with a 100 MB attachment takes a few
 * kilobytes, its length is known before the first byte, and it can be read again for a retry.
 *
 *     rf_rope_reader_init(&r, rope);
 *     while (!(rc = rf_rope_read(&r, buf, sizeof buf, &n, err)) && n > 0) …
 *     rf_rope_reader_release(&r);
 */
#ifndef RF_BASE_ROPE_H
#define RF_BASE_ROPE_H

#include "base/bytes.h"

struct rf_arena;

enum rf_piece_kind {
    RF_PIECE_TEXT,    /* `text` as it is */
    RF_PIECE_BASE64,  /* `bytes` as base64 */
    RF_PIECE_ESCAPED, /* `bytes`, which are UTF-8, escaped for the inside of a JSON string */
};

struct rf_piece {
    enum rf_piece_kind kind;
    struct rf_str text;
    const struct rf_bytes *bytes;
    uint64_t length; /* of what will be read */
};

struct rf_rope {
    struct rf_arena *arena;
    struct rf_piece *pieces;
    size_t count, cap;
    char *tail; /* the chunk that short texts are gathered in */
    size_t tail_n, tail_cap;
    size_t sealed; /* of the tail: the rest is in no piece yet, and not counted */
    uint64_t length;
};

void rf_rope_init(struct rf_rope *r, struct rf_arena *a);

/* Short text is copied and joined with what came before it; long text is borrowed from the
 * caller. */
void rf_rope_text(struct rf_rope *r, struct rf_str text);
/* Short text that is made in place: room for `most` bytes, and then how many it was. It belongs to
 * the rope once that is sealed, as every other addition does. */
static inline char *rf_rope_room(struct rf_rope *r, size_t most);
static inline void rf_rope_filled(struct rf_rope *r, size_t n);
void rf_rope_seal(struct rf_rope *r);
/* `bytes` is borrowed. */
void rf_rope_base64(struct rf_rope *r, const struct rf_bytes *bytes);
/* Reads the bytes once to know their escaped length. Fails with RF_EFORMAT where they are not
 * UTF-8, and as reading does. */
RF_MUST enum rf_code rf_rope_escaped(struct rf_rope *r, const struct rf_bytes *bytes,
                                     struct rf_err *err);

#define RF_ROPE_CHUNK (192 * 1024) /* bytes of a file that are read at once; a multiple of 3 */

struct rf_rope_reader {
    const struct rf_rope *rope;
    size_t piece;         /* the one being read */
    uint64_t done;        /* bytes of its source that were taken */
    uint64_t made;        /* what they became */
    struct rf_reader src; /* open while a piece of bytes is being read */
    bool src_open;
    char *in, *out; /* buffers, made when first needed */
    size_t out_n;
    struct rf_str left; /* of the run that rf_rope_read is in */
};

void rf_rope_reader_init(struct rf_rope_reader *r, const struct rf_rope *rope);
void rf_rope_reader_release(struct rf_rope_reader *r);
/* The next piece of up to `n` bytes; `*got` is 0 at the end only. Fails as reading files does, and
 * with RF_EIO when a file changed since it was planned. */
RF_MUST enum rf_code rf_rope_read(struct rf_rope_reader *r, char *buf, size_t n, size_t *got,
                                  struct rf_err *err);
/* The same without a copy: the next run of bytes, which stays valid until the next call. */
RF_MUST enum rf_code rf_rope_next(struct rf_rope_reader *r, struct rf_str *run, struct rf_err *err);

/* All of it as one string: for small ropes, and for tests. Fails with RF_ELIMIT over `max`. */
RF_MUST enum rf_code rf_rope_flatten(const struct rf_rope *r, size_t max, struct rf_arena *a,
                                     struct rf_str *out, struct rf_err *err);

/* Inline, since the JSON writer calls them for every comma: what they need where a chunk is
 * full. */

void rf_rope_add_chunk(struct rf_rope *r, size_t least);

static inline char *rf_rope_room(struct rf_rope *r, size_t most)
{
    if (r->tail_cap - r->tail_n < most)
        rf_rope_add_chunk(r, most);
    return r->tail + r->tail_n;
}

static inline void rf_rope_filled(struct rf_rope *r, size_t n)
{
    r->tail_n += n;
}

#endif
