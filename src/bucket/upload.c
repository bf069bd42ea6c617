/* https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
 *
 * Each request says the SHA-256 of its bytes twice, signed (x-amz-content-sha256) and for the object
 * (x-amz-checksum-sha256), and the server checks both. An upload in parts ends with one request
 * that names them all; before it there is nothing to be seen. */
#include "bucket/upload.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/sha256.h"
#include "bucket/xml.h"
#include "net/form.h"
#include "store/blobs_kind.h"

#include <stdlib.h>

#define MAX_QUERY ((size_t)8 << 10)
#define MAX_LIST ((size_t)4 << 20) /* bytes of the parts' names; a part takes 200 */
#define BYTES "application/octet-stream"

struct upload {
    struct rf_s3 *s3;
    struct rf_str key;
    struct rf_arena *arena; /* of the upload */
    struct rf_arena *call;  /* of one call */
    char *part;
    size_t filled, room;
    bool in_parts;
    int number;         /* of the last part that went */
    struct rf_str id;   /* the server's, encoded for a query */
    struct rf_buf list; /* the parts, as the last request names them */
};

struct checksum {
    char hex[65];
    char base64[45];
};

static void write_checksum(const uint8_t digest[32], struct checksum *out)
{
    rf_sha256_hex(digest, out->hex);
    out->base64[rf_base64_encode(digest, 32, out->base64)] = '\0';
}

static enum rf_code checksum_of(struct rf_str bytes, struct checksum *out, struct rf_err *err)
{
    uint8_t digest[32];
    enum rf_code rc = rf_sha256_of(bytes, digest, err);
    if (!rc)
        write_checksum(digest, out);
    return rc;
}

static enum rf_code put(struct upload *u, struct rf_str query, struct rf_str bytes,
                        const struct checksum *sum, struct rf_s3_answer *answer, struct rf_err *err)
{
    const struct rf_header header = { RF_STR("x-amz-checksum-sha256"), rf_str(sum->base64) };
    const struct rf_s3_ask ask = {
        .method = "PUT",
        .key = u->key,
        .query = query,
        .body = bytes,
        .body_hash = sum->hex,
        .type = BYTES,
        .headers = &header,
        .header_count = 1,
    };
    enum rf_code rc = rf_s3_call(u->s3, &ask, u->call, answer, err);
    if (!rc && answer->status == 404)
        rc = rf_fail(err, RF_EIO, "the server of the bucket lost an upload, or does not take any");
    return rc;
}

/* In one request: the hash of the blob is that of its bytes. */
static enum rf_code put_whole(struct upload *u, const struct rf_hash *hash, struct rf_err *err)
{
    struct rf_s3_answer answer;
    struct checksum sum;
    uint8_t digest[32];
    if (!rf_sha256_read(rf_str(hash->hex), digest))
        RF_BUG("the hash of a blob is not one");
    write_checksum(digest, &sum);
    return put(u, RF_STR(""), (struct rf_str){ u->part, u->filled }, &sum, &answer, err);
}

/* In parts */

static enum rf_code begin(struct upload *u, struct rf_err *err)
{
    const struct rf_header header = { RF_STR("x-amz-checksum-algorithm"), RF_STR("SHA256") };
    const struct rf_s3_ask ask = { .method = "POST",
                                   .key = u->key,
                                   .query = RF_STR("uploads="),
                                   .type = BYTES,
                                   .headers = &header,
                                   .header_count = 1 };
    struct rf_s3_answer answer;
    struct rf_buf query;
    enum rf_code rc = rf_s3_call(u->s3, &ask, u->call, &answer, err);
    if (rc)
        return rc;
    struct rf_str id = rf_xml_get(answer.body, "UploadId", u->call);
    if (!id.n)
        return rf_fail(err, RF_EIO, "the server of the bucket began an upload without an id");
    rf_buf_init(&query, u->arena, MAX_QUERY);
    rf_form_field(&query, "uploadId", id);
    return rf_buf_finish(&query, &u->id, err);
}

/* "\"abc\"" as XML. */
static void add_etag(struct rf_buf *b, struct rf_str etag)
{
    for (size_t i = 0; i < etag.n; i++) {
        char c = etag.p[i];
        if (c == '"')
            rf_buf_add(b, RF_STR("&quot;"));
        else if (c == '&' || c == '<' || c == '>')
            rf_buf_addf(b, "&#%d;", c);
        else
            rf_buf_addc(b, c);
    }
}

static enum rf_code put_part(struct upload *u, struct rf_err *err)
{
    struct rf_str bytes = { u->part, u->filled };
    struct rf_s3_answer answer;
    struct checksum sum;
    rf_arena_reset(u->call);
    enum rf_code rc = checksum_of(bytes, &sum, err);
    if (!rc)
        rc = put(u, rf_strf(u->call, "partNumber=%d&%.*s", ++u->number, RF_FMT(u->id)), bytes, &sum,
                 &answer, err);
    if (rc)
        return rc;
    rf_buf_addf(&u->list, "<Part><PartNumber>%d</PartNumber><ETag>", u->number);
    add_etag(&u->list, answer.etag);
    rf_buf_addf(&u->list, "</ETag><ChecksumSHA256>%s</ChecksumSHA256></Part>", sum.base64);
    u->filled = 0;
    return RF_OK;
}

static enum rf_code take_chunk(void *ctx, uint64_t offset, struct rf_str chunk, struct rf_err *err)
{
    struct upload *u = ctx;
    enum rf_code rc = RF_OK;
    (void)offset;
    while (!rc && chunk.n) {
        size_t n = u->room - u->filled < chunk.n ? u->room - u->filled : chunk.n;
        memcpy(u->part + u->filled, chunk.p, n);
        u->filled += n;
        chunk = (struct rf_str){ chunk.p + n, chunk.n - n };
        if (u->in_parts && u->filled == u->room)
            rc = put_part(u, err);
    }
    return rc;
}

/* The answer to the last request may get lost; then the upload is not there any more, but the object
 * is. */
static enum rf_code finish(struct upload *u, uint64_t size, struct rf_err *err)
{
    struct rf_s3_ask ask = {
        .method = "POST", .key = u->key, .query = u->id, .type = "application/xml"
    };
    struct rf_s3_answer answer;
    bool there = true;
    rf_buf_add(&u->list, RF_STR("</CompleteMultipartUpload>"));
    enum rf_code rc = rf_buf_finish(&u->list, &ask.body, err);
    if (!rc)
        rc = rf_s3_call(u->s3, &ask, u->call, &answer, err);
    if (!rc && answer.status == 404)
        rc = rf_s3_find(u->s3, u->key, size, &there, err);
    if (!rc && !there)
        rc = rf_fail(err, RF_EIO, "the server of the bucket lost an upload before its end");
    return rc;
}

static void abandon(struct upload *u)
{
    const struct rf_s3_ask ask = { .method = "DELETE", .key = u->key, .query = u->id };
    struct rf_s3_answer answer;
    if (u->id.n)
        (void)!rf_s3_call(u->s3, &ask, u->call, &answer, NULL); /* or gc does */
}

static enum rf_code put_parts(struct upload *u, const struct rf_hash *hash, uint64_t size,
                              const struct rf_blob_stream *stream, struct rf_err *err)
{
    rf_buf_init(&u->list, u->arena, MAX_LIST);
    rf_buf_add(&u->list, RF_STR("<CompleteMultipartUpload "
                                "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"));
    enum rf_code rc = begin(u, err);
    if (!rc)
        rc = rf_blob_drain(stream, hash, size, take_chunk, u, err);
    if (!rc && u->filled)
        rc = put_part(u, err);
    if (!rc)
        rc = finish(u, size, err);
    if (rc)
        abandon(u);
    return rc;
}

enum rf_code rf_s3_upload(struct rf_s3 *s, struct rf_str key, const struct rf_hash *hash,
                          uint64_t size, const struct rf_blob_stream *stream,
                          void (*kept)(void *ctx, const struct rf_hash *hash, struct rf_str bytes),
                          void *ctx, struct rf_err *err)
{
    struct upload u = {
        .s3 = s,
        .key = key,
        .arena = rf_arena_new(),
        .call = rf_arena_new(),
        .in_parts = size > RF_S3_PART,
    };
    u.room = u.in_parts ? RF_S3_PART : (size_t)size;
    u.part = malloc(u.room ? u.room : 1);
    if (!u.part)
        RF_NO_MEMORY();
    enum rf_code rc = u.in_parts ? put_parts(&u, hash, size, stream, err)
                                 : rf_blob_drain(stream, hash, size, take_chunk, &u, err);
    if (!rc && !u.in_parts)
        rc = put_whole(&u, hash, err);
    if (!rc && !u.in_parts && kept)
        kept(ctx, hash, (struct rf_str){ u.part, u.filled });
    free(u.part);
    rf_arena_free(u.call);
    rf_arena_free(u.arena);
    return rc;
}

/* A refused HEAD has no words; a list does, and it says the same. */
static enum rf_code find_listed(struct rf_s3 *s, struct rf_str key, uint64_t size, bool *found,
                                struct rf_arena *a, struct rf_err *err)
{
    struct rf_s3_answer answer;
    struct rf_buf query;
    struct rf_str rest, one;
    int64_t listed = -1;
    struct rf_s3_ask ask = { .method = "GET" };
    rf_buf_init(&query, a, MAX_QUERY);
    rf_buf_add(&query, RF_STR("list-type=2&max-keys=1"));
    rf_form_field(&query, "prefix", key);
    enum rf_code rc = rf_buf_finish(&query, &ask.query, err);
    if (!rc)
        rc = rf_s3_call(s, &ask, a, &answer, err);
    if (rc)
        return rc;
    rest = answer.body;
    *found = rf_xml_next(&rest, "Contents", &one) && rf_str_eq(rf_xml_get(one, "Key", a), key) &&
             rf_str_int64(rf_xml_get(one, "Size", a), &listed) && (uint64_t)listed == size;
    return RF_OK;
}

enum rf_code rf_s3_find(struct rf_s3 *s, struct rf_str key, uint64_t size, bool *found,
                        struct rf_err *err)
{
    const struct rf_s3_ask ask = { .method = "HEAD", .key = key };
    struct rf_arena *a = rf_arena_new();
    struct rf_s3_answer answer;
    enum rf_code rc = rf_s3_call(s, &ask, a, &answer, err);
    if (!rc)
        *found = answer.status == 200 && answer.length >= 0 && (uint64_t)answer.length == size;
    else if (rc == RF_ECONFIG)
        rc = find_listed(s, key, size, found, a, err);
    rf_arena_free(a);
    return rc;
}
