/* libzip reads the table of contents and checks each member's checksum; what it says about sizes
 * is a hint and no more. The counting is done here, on the bytes that really come out.
 * libdeflate takes half of zlib's time, but only for a whole member at once: that is the way for
 * those of usual size. */
#include "worker/office/unzip.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zip.h>

#define MAX_PATH_PIECES 64
#define FIRST_ROOM ((size_t)64 << 10)

struct rf_unzip {
    struct rf_arena *arena;
    zip_t *zip;
    int64_t count;
    uint64_t total; /* bytes that came out so far */
    struct libdeflate_decompressor *inflater;
};

struct rf_unzip_stream {
    struct rf_unzip *zip;
    zip_file_t *file;
    const char *name;
    uint64_t packed, out;
};

static enum rf_code open_failed(zip_error_t *error, struct rf_err *err)
{
    int code = zip_error_code_zip(error);
    zip_error_fini(error);
    if (code == ZIP_ER_NOZIP)
        return rf_fail(err, RF_EFORMAT,
                       "the file is cut off or damaged: its table of contents is missing");
    return rf_fail(err, RF_EFORMAT, "the table of contents of the archive is damaged");
}

enum rf_code rf_unzip_open(struct rf_str bytes, struct rf_arena *a, struct rf_unzip **out,
                           struct rf_err *err)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(bytes.p, bytes.n, 0, &error);
    if (!source)
        return open_failed(&error, err);
    zip_t *zip = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (!zip) {
        zip_source_free(source);
        return open_failed(&error, err);
    }
    zip_error_fini(&error);
    int64_t count = zip_get_num_entries(zip, 0);
    if (count > RF_UNZIP_MAX_MEMBERS) {
        zip_discard(zip);
        return rf_fail(err, RF_ELIMIT, "the archive has %lld members, the limit is %d",
                       (long long)count, RF_UNZIP_MAX_MEMBERS);
    }
    *out = RF_NEW(a, struct rf_unzip);
    **out = (struct rf_unzip){ .arena = a, .zip = zip, .count = count };
    return RF_OK;
}

void rf_unzip_close(struct rf_unzip *zip)
{
    if (!zip)
        return;
    zip_discard(zip->zip);
    libdeflate_free_decompressor(zip->inflater);
}

struct rf_arena *rf_unzip_arena(struct rf_unzip *zip)
{
    return zip->arena;
}

int64_t rf_unzip_count(const struct rf_unzip *zip)
{
    return zip->count;
}

bool rf_unzip_member(const struct rf_unzip *zip, int64_t index, struct rf_unzip_member *out)
{
    zip_stat_t st;
    if (index < 0 || index >= zip->count ||
        zip_stat_index(zip->zip, (zip_uint64_t)index, 0, &st) < 0)
        return false;
    struct rf_str name = rf_str(st.valid & ZIP_STAT_NAME ? st.name : "");
    *out = (struct rf_unzip_member){
        .name = name,
        .size = st.valid & ZIP_STAT_SIZE ? st.size : 0,
        .packed = st.valid & ZIP_STAT_COMP_SIZE ? st.comp_size : 0,
        .folder = name.n && name.p[name.n - 1] == '/',
        .encrypted = (st.valid & ZIP_STAT_ENCRYPTION_METHOD) && st.encryption_method != ZIP_EM_NONE,
    };
    return true;
}

int64_t rf_unzip_find(const struct rf_unzip *zip, struct rf_str name)
{
    const char *text = rf_cstr(zip->arena, name);
    int64_t index = zip_name_locate(zip->zip, text, ZIP_FL_ENC_GUESS);
    return index >= 0 ? index : zip_name_locate(zip->zip, text, ZIP_FL_NOCASE);
}

static enum rf_code bomb(const char *name, struct rf_err *err)
{
    return rf_fail(err, RF_ELIMIT,
                   "\"%s\" unpacks to more than %d times its size: a decompression bomb", name,
                   RF_UNZIP_MAX_RATIO);
}

static bool is_over_ratio(uint64_t out, uint64_t packed)
{
    return out > RF_UNZIP_FREE_RATIO && out / RF_UNZIP_MAX_RATIO > packed;
}

enum rf_code rf_unzip_stream_open(struct rf_unzip *zip, int64_t index, struct rf_unzip_stream **out,
                                  struct rf_err *err)
{
    struct rf_unzip_member member;
    if (!rf_unzip_member(zip, index, &member))
        return rf_fail(err, RF_ENOTFOUND, "a part of the document is missing");
    if (member.encrypted)
        return rf_fail(err, RF_EENCRYPTED, "\"%s\" in the archive is encrypted", member.name.p);
    if (is_over_ratio(member.size, member.packed))
        return bomb(member.name.p, err);
    zip_file_t *file = zip_fopen_index(zip->zip, (zip_uint64_t)index, 0);
    if (!file && zip_error_code_zip(zip_get_error(zip->zip)) == ZIP_ER_COMPNOTSUPP)
        return rf_fail(err, RF_EFORMAT, "\"%s\" is packed in a way that is not supported",
                       member.name.p);
    if (!file)
        return rf_fail(err, RF_EFORMAT, "\"%s\" in the archive is damaged", member.name.p);
    *out = malloc(sizeof **out);
    if (!*out)
        RF_BUG("out of memory");
    **out = (struct rf_unzip_stream){ zip, file, member.name.p, member.packed, 0 };
    return RF_OK;
}

static enum rf_code count_out(struct rf_unzip_stream *s, uint64_t n, struct rf_err *err)
{
    s->out += n;
    s->zip->total += n;
    if (s->zip->total > RF_UNZIP_MAX_TOTAL)
        return rf_fail(err, RF_ELIMIT, "the archive unpacks to more than %llu MB",
                       (unsigned long long)(RF_UNZIP_MAX_TOTAL >> 20));
    return is_over_ratio(s->out, s->packed) ? bomb(s->name, err) : RF_OK;
}

enum rf_code rf_unzip_stream_read(struct rf_unzip_stream *s, void *to, size_t room, size_t *n,
                                  struct rf_err *err)
{
    zip_int64_t got = zip_fread(s->file, to, room);
    if (got < 0 || (size_t)got > room)
        return rf_fail(err, RF_EFORMAT, "\"%s\" in the archive is damaged", s->name);
    *n = (size_t)got;
    return count_out(s, (uint64_t)got, err);
}

void rf_unzip_stream_close(struct rf_unzip_stream *s)
{
    if (!s)
        return;
    zip_fclose(s->file);
    free(s);
}

enum rf_code rf_unzip_read(struct rf_unzip *zip, int64_t index, size_t max, struct rf_str *out,
                           struct rf_err *err)
{
    struct rf_unzip_stream *s = NULL;
    char *p = NULL;
    size_t n = 0, cap = 0, got = 0;
    enum rf_code rc = rf_unzip_stream_open(zip, index, &s, err);

    while (!rc) {
        if (n == cap) {
            size_t grown = cap ? cap * 2 : FIRST_ROOM;
            p = rf_arena_grow(zip->arena, p, cap, grown);
            cap = grown;
        }
        rc = rf_unzip_stream_read(s, p + n, cap - n, &got, err);
        if (rc || !got)
            break;
        n += got;
        if (n > max)
            rc = rf_fail(err, RF_ELIMIT, "\"%s\" in the archive is over the limit of %zu bytes",
                         s->name, max);
    }
    rf_unzip_stream_close(s);
    if (!rc)
        *out = (struct rf_str){ p, n };
    return rc;
}

/* The packed bytes of a member, to be freed. */
static char *read_packed(struct rf_unzip *zip, int64_t index, size_t n)
{
    zip_file_t *file = zip_fopen_index(zip->zip, (zip_uint64_t)index, ZIP_FL_COMPRESSED);
    char *p = file ? malloc(n + 1) : NULL;
    bool whole = p && zip_fread(file, p, n) == (zip_int64_t)n;

    if (file)
        zip_fclose(file);
    if (whole)
        return p;
    free(p);
    return NULL;
}

static char *inflate_whole(struct rf_unzip *zip, const char *packed, const zip_stat_t *st)
{
    size_t got = 0, size = (size_t)st->size;
    char *p = malloc(size + 1);

    if (!zip->inflater)
        zip->inflater = libdeflate_alloc_decompressor();
    if (p && zip->inflater &&
        libdeflate_deflate_decompress(zip->inflater, packed, (size_t)st->comp_size, p, size,
                                      &got) == LIBDEFLATE_SUCCESS &&
        got == size && libdeflate_crc32(0, p, size) == st->crc) {
        p[size] = '\0';
        return p;
    }
    free(p);
    return NULL;
}

bool rf_unzip_whole(struct rf_unzip *zip, int64_t index, char **out, size_t *n)
{
    const zip_uint64_t known = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_CRC |
                               ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    zip_stat_t st;

    if (index < 0 || zip_stat_index(zip->zip, (zip_uint64_t)index, 0, &st) < 0 ||
        (st.valid & known) != known || st.comp_method != ZIP_CM_DEFLATE ||
        st.encryption_method != ZIP_EM_NONE || st.size > RF_UNZIP_WHOLE ||
        st.comp_size > RF_UNZIP_WHOLE || is_over_ratio(st.size, st.comp_size) ||
        zip->total + st.size > RF_UNZIP_MAX_TOTAL)
        return false;
    char *packed = read_packed(zip, index, (size_t)st.comp_size);
    *out = packed ? inflate_whole(zip, packed, &st) : NULL;
    free(packed);
    if (*out)
        zip->total += st.size;
    *n = (size_t)st.size;
    return *out != NULL;
}

/* Take the pieces of `path` onto the list; ".." takes one off. */
static size_t add_pieces(struct rf_str path, struct rf_str *pieces, size_t n)
{
    struct rf_str piece;
    while (rf_str_split(&path, '/', &piece)) {
        if (rf_str_is(piece, "..")) {
            n -= n > 0;
        } else if (piece.n && !rf_str_is(piece, ".") && n < MAX_PATH_PIECES) {
            pieces[n++] = piece;
        }
    }
    return n;
}

struct rf_str rf_unzip_resolve(struct rf_arena *a, struct rf_str from, struct rf_str target)
{
    struct rf_str pieces[MAX_PATH_PIECES];
    size_t n = 0, length = 0;

    if (!rf_str_starts(target, "/")) {
        n = add_pieces(from, pieces, 0);
        n -= n > 0;
    }
    n = add_pieces(target, pieces, n);
    for (size_t i = 0; i < n; i++)
        length += pieces[i].n + 1;
    char *p = rf_arena_alloc(a, length + 1);
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (i)
            p[at++] = '/';
        memcpy(p + at, pieces[i].p, pieces[i].n);
        at += pieces[i].n;
    }
    return (struct rf_str){ p, at };
}
