#include "bucket/place.h"

#include "base/arena.h"
#include "net/credentials.h"

#include <stdlib.h>

#define LONGEST_REGION 32

static struct rf_str variable(const char *name)
{
    return rf_str_trim(rf_str(getenv(name)));
}

/* The first of them that is set. */
static struct rf_str first_of(const char *one, const char *other)
{
    struct rf_str value = variable(one);
    return value.n ? value : variable(other);
}

/* It stands in a host's name. */
static bool is_region(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!rf_is_alnum(s.p[i]) && s.p[i] != '-')
            return false;
    return s.n > 0 && s.n <= LONGEST_REGION;
}

static enum rf_code find_region(struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    struct rf_str region = first_of("AWS_REGION", "AWS_DEFAULT_REGION");
    if (!region.n)
        region = rf_aws_profile_region(a);
    if (!region.n)
        region = RF_STR("us-east-1"); /* which a server corrects: rf_bucket_place_move */
    if (!is_region(region)) {
        rf_fail(err, RF_ECONFIG, "\"%.*s\" is not a region of AWS", RF_FMT(region));
        rf_hint(err, "Set AWS_REGION to one such as eu-central-1.");
        return RF_ECONFIG;
    }
    *out = rf_str_dup(a, region);
    return RF_OK;
}

/* Nothing but a server, and perhaps a path, in characters that stand for themselves: a signature is
 * made of them. */
static bool is_endpoint(struct rf_str s)
{
    size_t scheme = rf_str_starts(s, "https://") ? 8 : rf_str_starts(s, "http://") ? 7 : 0;
    for (size_t i = scheme; i < s.n; i++)
        if (!rf_is_alnum(s.p[i]) && !strchr("-._~:/[]", s.p[i]))
            return false;
    return scheme && s.n > scheme && s.p[scheme] != '/';
}

static enum rf_code find_endpoint(struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    struct rf_str named = first_of("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
    while (named.n && named.p[named.n - 1] == '/')
        named.n--;
    if (named.n && !is_endpoint(named)) {
        rf_fail(err, RF_ECONFIG, "AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL is not a web address");
        rf_hint(err, "Write it as https://HOST or http://HOST:PORT, without name and password.");
        return RF_ECONFIG;
    }
    *out = rf_str_dup(a, named);
    return RF_OK;
}

enum rf_code rf_bucket_place_find(const char *address, struct rf_arena *a,
                                  struct rf_bucket_place *out, struct rf_err *err)
{
    struct rf_bucket_place p;
    enum rf_code rc = rf_bucket_address_read(rf_str_dup(a, rf_str(address)), &p.at, err);
    if (!rc)
        rc = find_endpoint(a, &p.endpoint, err);
    if (!rc)
        rc = find_region(a, &p.region, err);
    if (!rc)
        *out = p;
    return rc;
}

bool rf_bucket_place_move(struct rf_bucket_place *p, struct rf_str region, struct rf_arena *a)
{
    if (!is_region(region) || rf_str_eq(region, p->region))
        return false;
    p->region = rf_str_dup(a, region);
    return true;
}

const char *rf_bucket_place_url(const struct rf_bucket_place *p, struct rf_str key,
                                struct rf_str query, struct rf_arena *a)
{
    const char *country = rf_str_starts(p->region, "cn-") ? ".cn" : "";
    const char *ask = query.n ? "?" : "";
    if (p->endpoint.n)
        return rf_strf(a, "%.*s/%.*s/%.*s%s%.*s", RF_FMT(p->endpoint), RF_FMT(p->at.bucket),
                       RF_FMT(key), ask, RF_FMT(query))
            .p;
    if (memchr(p->at.bucket.p, '.', p->at.bucket.n))
        return rf_strf(a, "https://s3.%.*s.amazonaws.com%s/%.*s/%.*s%s%.*s", RF_FMT(p->region),
                       country, RF_FMT(p->at.bucket), RF_FMT(key), ask, RF_FMT(query))
            .p;
    return rf_strf(a, "https://%.*s.s3.%.*s.amazonaws.com%s/%.*s%s%.*s", RF_FMT(p->at.bucket),
                   RF_FMT(p->region), country, RF_FMT(key), ask, RF_FMT(query))
        .p;
}
