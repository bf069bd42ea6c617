/* The headers of one call: those of the endpoint, and what proves who asks. */
#include "net/endpoint.h"

#include "base/arena.h"
#include "net/credentials.h"

#include <time.h>

#define MAX_PROOFS 3 /* headers that a proof takes */

static enum rf_code sign_aws(const struct rf_endpoint *e, const char *body_hash, struct rf_arena *a,
                             struct rf_header *out, size_t *count, struct rf_err *err)
{
    const struct rf_aws_request r = {
        .method = e->method ? e->method : "POST",
        .url = e->url,
        .service = e->row->service,
        .region = e->region,
        .headers = e->headers,
        .header_count = e->header_count,
        .payload_hash = body_hash,
        .time = (int64_t)time(NULL),
    };
    return rf_aws_sign(e->aws, &r, a, out, count, err);
}

static struct rf_header bearer(struct rf_str token, struct rf_arena *a)
{
    return (struct rf_header){ RF_STR("authorization"), rf_str_join(a, RF_STR("Bearer "), token) };
}

static enum rf_code prove(const struct rf_endpoint *e, const char *body_hash, struct rf_arena *a,
                          struct rf_header *out, size_t *count, struct rf_err *err)
{
    struct rf_str token = e->key;
    switch (e->auth) {
    case RF_AUTH_NONE:
        return RF_OK;
    case RF_AUTH_HEADER:
        out[0] = (struct rf_header){ rf_str(e->row->auth_header), e->key };
        *count = e->key.n > 0;
        return RF_OK;
    case RF_AUTH_AWS:
        return sign_aws(e, body_hash, a, out, count, err);
    case RF_AUTH_GOOGLE:
        token = e->google->token;
        break;
    case RF_AUTH_BEARER:
        break;
    }
    out[0] = bearer(token, a);
    *count = token.n > 0;
    return RF_OK;
}

enum rf_code rf_endpoint_sign(const struct rf_endpoint *e, const char *body_hash,
                              struct rf_arena *a, struct rf_header **headers, size_t *count,
                              struct rf_err *err)
{
    struct rf_header proofs[MAX_PROOFS];
    size_t proved = 0;
    enum rf_code rc = prove(e, body_hash, a, proofs, &proved, err);
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
