/* Texts shorter than BORROW_FROM are copied into shared chunks, so that a body of ten thousand
 * small writes is a handful of pieces; longer ones are borrowed. Reading works on one piece at a
 * time: text is handed out where it lies, bytes are read in chunks and encoded into a buffer. */
#include "base/rope.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/json_escape.h"
#include "base/num.h"
#include "base/utf8.h"

#include <stdlib.h>

#define BORROW_FROM ((size_t)4096)
#define FIRST_CHUNK ((size_t)256)
#define LARGEST_CHUNK ((size_t)65536)
#define OUT_SIZE ((size_t)RF_ROPE_CHUNK * RF_JSON_MOST_ESCAPED)

void rf_rope_init(struct rf_rope *r, struct rf_arena *a)
{
    *r = (struct rf_rope){ .arena = a };
}

static void push(struct rf_rope *r, struct rf_piece piece)
{
    *RF_PUSH(r->arena, r->pieces, r->count, r->cap) = piece;
    if (!rf_add_u64(r->length, piece.length, &r->length))
        RF_BUG("a rope is longer than 2^64 bytes");
}

void rf_rope_seal(struct rf_rope *r)
{
    size_t n = r->tail_n - r->sealed;
    if (!n)
        return;
    const char *at = r->tail + r->sealed;
    struct rf_piece *last = r->count ? &r->pieces[r->count - 1] : NULL;
    r->sealed = r->tail_n;
    if (last && last->kind == RF_PIECE_TEXT && last->text.p + last->text.n == at) {
        last->text.n += n;
        last->length += n;
        r->length += n;
    } else {
        push(r, (struct rf_piece){ .text = { at, n }, .length = n });
    }
}

static void add_piece(struct rf_rope *r, struct rf_piece piece)
{
    rf_rope_seal(r);
    push(r, piece);
}

void rf_rope_add_chunk(struct rf_rope *r, size_t least)
{
    rf_rope_seal(r);
    size_t cap = r->tail_cap ? r->tail_cap * 2 : FIRST_CHUNK;
    cap = cap > LARGEST_CHUNK ? LARGEST_CHUNK : cap;
    r->tail_cap = cap > least ? cap : least;
    r->tail = rf_arena_grow(r->arena, NULL, 0, r->tail_cap);
    r->tail_n = r->sealed = 0;
}

void rf_rope_text(struct rf_rope *r, struct rf_str text)
{
    if (!text.n)
        return;
    if (text.n < BORROW_FROM) {
        memcpy(rf_rope_room(r, text.n), text.p, text.n);
        rf_rope_filled(r, text.n);
        rf_rope_seal(r);
    } else {
        add_piece(r, (struct rf_piece){ .text = text, .length = text.n });
    }
}

void rf_rope_base64(struct rf_rope *r, const struct rf_bytes *bytes)
{
    if (bytes->kind == RF_BYTES_BASE64) {
        rf_rope_text(r, bytes->text);
        return;
    }
    if (!bytes->size)
        return;
    add_piece(r, (struct rf_piece){ .kind = RF_PIECE_BASE64,
                                    .bytes = bytes,
                                    .length = rf_base64_length(bytes->size) });
}

enum rf_code rf_rope_escaped(struct rf_rope *r, const struct rf_bytes *bytes, struct rf_err *err)
{
    struct rf_reader src;
    enum rf_code rc = rf_reader_open(&src, bytes, err);
    if (rc)
        return rc;
    char *buf = malloc(RF_ROPE_CHUNK);
    if (!buf)
        RF_NO_MEMORY();
    uint64_t at = 0, length = 0;
    while (!rc && at < bytes->size) {
        size_t got;
        rc = rf_reader_read(&src, at, buf, RF_ROPE_CHUNK, &got, err);
        if (rc)
            break;
        size_t whole = rf_utf8_valid((struct rf_str){ buf, got });
        bool last = at + got == bytes->size;
        bool cut = got - whole < 4 && rf_utf8_partial((unsigned char *)buf + whole, got - whole);
        if (whole == 0 || (whole < got && (last || !cut)))
            rc = rf_fail(err, RF_EFORMAT, "the text is not valid UTF-8 at byte %llu",
                         (unsigned long long)(at + whole));
        length += rf_json_escaped_length((struct rf_str){ buf, whole });
        at += whole;
    }
    free(buf);
    rf_reader_close(&src);
    if (!rc && length)
        add_piece(r,
                  (struct rf_piece){ .kind = RF_PIECE_ESCAPED, .bytes = bytes, .length = length });
    return rc;
}

void rf_rope_reader_init(struct rf_rope_reader *r, const struct rf_rope *rope)
{
    *r = (struct rf_rope_reader){ .rope = rope, .src = { .fd = -1 } };
}

void rf_rope_reader_release(struct rf_rope_reader *r)
{
    rf_reader_close(&r->src);
    free(r->in);
    free(r->out);
    r->in = r->out = NULL;
    r->src_open = false;
}

static enum rf_code begin_piece(struct rf_rope_reader *r, const struct rf_piece *piece,
                                struct rf_err *err)
{
    if (!r->in) {
        r->in = malloc(RF_ROPE_CHUNK);
        r->out = malloc(OUT_SIZE);
        if (!r->in || !r->out)
            RF_NO_MEMORY();
    }
    enum rf_code rc = rf_reader_open(&r->src, piece->bytes, err);
    r->src_open = !rc;
    return rc;
}

/* Encode the next chunk of the piece's bytes into r->out. */
static enum rf_code encode_chunk(struct rf_rope_reader *r, const struct rf_piece *piece,
                                 struct rf_err *err)
{
    size_t got;
    enum rf_code rc = rf_reader_read(&r->src, r->done, r->in, RF_ROPE_CHUNK, &got, err);
    if (rc)
        return rc;
    if (piece->kind == RF_PIECE_BASE64) {
        r->out_n = rf_base64_encode(r->in, got, r->out);
    } else {
        got = rf_utf8_valid((struct rf_str){ r->in, got });
        r->out_n = rf_json_escape((struct rf_str){ r->in, got }, r->out);
    }
    r->done += got;
    r->made += r->out_n;
    uint64_t most = piece->length;
    if (got == 0 || r->made > most || (r->done >= piece->bytes->size && r->made < most))
        return rf_fail(err, RF_EIO, "a text file changed while it was sent");
    return RF_OK;
}

enum rf_code rf_rope_next(struct rf_rope_reader *r, struct rf_str *run, struct rf_err *err)
{
    if (r->piece == r->rope->count) {
        *run = (struct rf_str){ NULL, 0 };
        return RF_OK;
    }
    const struct rf_piece *piece = &r->rope->pieces[r->piece];
    if (piece->kind == RF_PIECE_TEXT) {
        *run = piece->text;
        r->piece++;
        return RF_OK;
    }
    enum rf_code rc = r->src_open ? RF_OK : begin_piece(r, piece, err);
    if (!rc)
        rc = encode_chunk(r, piece, err);
    if (rc)
        return rc;
    *run = (struct rf_str){ r->out, r->out_n };
    if (r->done >= piece->bytes->size) {
        rf_reader_close(&r->src);
        r->src_open = false;
        r->done = r->made = 0;
        r->piece++;
    }
    return RF_OK;
}

enum rf_code rf_rope_read(struct rf_rope_reader *r, char *buf, size_t n, size_t *got,
                          struct rf_err *err)
{
    size_t filled = 0;
    while (filled < n) {
        if (!r->left.n) {
            enum rf_code rc = rf_rope_next(r, &r->left, err);
            if (rc)
                return rc;
            if (!r->left.n)
                break;
        }
        size_t take = r->left.n < n - filled ? r->left.n : n - filled;
        memcpy(buf + filled, r->left.p, take);
        r->left = (struct rf_str){ r->left.p + take, r->left.n - take };
        filled += take;
    }
    *got = filled;
    return RF_OK;
}

enum rf_code rf_rope_flatten(const struct rf_rope *r, size_t max, struct rf_arena *a,
                             struct rf_str *out, struct rf_err *err)
{
    if (r->length > max)
        return rf_fail(err, RF_ELIMIT, "the text has %llu bytes, limit is %zu",
                       (unsigned long long)r->length, max);
    struct rf_rope_reader reader;
    size_t got = 0;
    char *p = rf_arena_grow(a, NULL, 0, (size_t)r->length + 1);
    rf_rope_reader_init(&reader, r);
    enum rf_code rc = rf_rope_read(&reader, p, (size_t)r->length, &got, err);
    rf_rope_reader_release(&reader);
    p[got] = '\0';
    if (!rc)
        *out = (struct rf_str){ p, got };
    return rc;
}
