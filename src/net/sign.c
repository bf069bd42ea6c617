/* The headers of one call: those of the endpoint, and what proves who asks. */
#include "net/endpoint.h"

#include "base/arena.h"
#include "base/sha256.h"
#include "net/credentials.h"

#include <time.h>

#define MAX_PROOFS 3 /* headers that a proof takes */

static enum rf_code hash_body(const struct rf_rope *body, char hex[65], struct rf_err *err)
{
    struct rf_rope_reader reader;
    struct rf_sha256 *h;
    struct rf_str run = { 0 };
    uint8_t digest[32];
    enum rf_code rc = rf_sha256_new(&h, err);
    if (rc)
        return rc;
    rf_rope_reader_init(&reader, body);
    while (!(rc = rf_rope_next(&reader, &run, err)) && run.n)
        rf_sha256_add(h, run.p, run.n);
    rf_rope_reader_release(&reader);
    rf_sha256_finish(h, digest);
    rf_sha256_free(h);
    rf_sha256_hex(digest, hex);
    return rc;
}

static enum rf_code sign_aws(const struct rf_endpoint *e, const struct rf_rope *body,
                             struct rf_arena *a, struct rf_header *out, size_t *count,
                             struct rf_err *err)
{
    char hash[65];
    enum rf_code rc = hash_body(body, hash, err);
    if (rc)
        return rc;
    const struct rf_aws_request r = {
        .method = "POST",
        .url = e->url,
        .service = e->row->service,
        .region = e->region,
        .headers = e->headers,
        .header_count = e->header_count,
        .payload_hash = hash,
        .time = (int64_t)time(NULL),
    };
    return rf_aws_sign(e->aws, &r, a, out, count, err);
}

static struct rf_header bearer(struct rf_str token, struct rf_arena *a)
{
    return (struct rf_header){ RF_STR("authorization"), rf_strf(a, "Bearer %.*s", RF_FMT(token)) };
}

static enum rf_code prove(const struct rf_endpoint *e, struct rf_net *net,
                          const struct rf_rope *body, struct rf_arena *a, struct rf_header *out,
                          size_t *count, struct rf_err *err)
{
    struct rf_str token = e->key;
    enum rf_code rc = RF_OK;
    switch (e->auth) {
    case RF_AUTH_NONE:
        return RF_OK;
    case RF_AUTH_HEADER:
        out[0] = (struct rf_header){ rf_str(e->row->auth_header), e->key };
        *count = e->key.n > 0;
        return RF_OK;
    case RF_AUTH_AWS:
        return sign_aws(e, body, a, out, count, err);
    case RF_AUTH_GOOGLE:
        rc = rf_google_token(e->google, net, a, &token, err);
        if (rc)
            return rc;
        break;
    case RF_AUTH_BEARER:
        break;
    }
    out[0] = bearer(token, a);
    *count = token.n > 0;
    return RF_OK;
}

enum rf_code rf_endpoint_sign(const struct rf_endpoint *e, struct rf_net *net,
                              const struct rf_rope *body, struct rf_arena *a,
                              struct rf_header **headers, size_t *count, struct rf_err *err)
{
    struct rf_header proofs[MAX_PROOFS];
    size_t proved = 0;
    enum rf_code rc = prove(e, net, body, a, proofs, &proved, err);
    if (rc)
        return rc;
    struct rf_header *all = RF_ARRAY(a, struct rf_header, e->header_count + proved + 1);
    for (size_t i = 0; i < e->header_count; i++)
        all[i] = e->headers[i];
    for (size_t i = 0; i < proved; i++)
        all[e->header_count + i] = proofs[i];
    *headers = all;
    *count = e->header_count + proved;
    return RF_OK;
}
