#include "store/bucket_address.h"

#define SCHEME "s3://"
#define SHORTEST 3 /* letters of a bucket's name */
#define LONGEST 63
#define MOST_PREFIX 512 /* bytes: a key has 1024, of which a blob's name takes 65 */

bool rf_bucket_is_address(struct rf_str s)
{
    return rf_str_starts(s, SCHEME);
}

static bool is_plain(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!rf_is_alnum(s.p[i]) && !strchr("-._", s.p[i]))
            return false;
    return s.n > 0;
}

static bool is_bucket(struct rf_str s)
{
    return s.n >= SHORTEST && s.n <= LONGEST && is_plain(s) && rf_is_alnum(s.p[0]) &&
           rf_is_alnum(s.p[s.n - 1]);
}

/* A web address loses its dots when it is sent, and with them the signature. */
static bool is_prefix(struct rf_str s)
{
    struct rf_str piece;
    if (s.n > MOST_PREFIX)
        return false;
    while (rf_str_split(&s, '/', &piece))
        if (!is_plain(piece) || rf_str_is(piece, ".") || rf_str_is(piece, ".."))
            return false;
    return true;
}

enum rf_code rf_bucket_address_read(struct rf_str s, struct rf_bucket_address *out,
                                    struct rf_err *err)
{
    struct rf_str rest = { s.p + sizeof SCHEME - 1, s.n - (sizeof SCHEME - 1) }, bucket = { 0 };
    rf_str_split(&rest, '/', &bucket);
    if (rest.n && rest.p[rest.n - 1] == '/')
        rest.n--;
    if (is_bucket(bucket) && is_prefix(rest)) {
        *out = (struct rf_bucket_address){ bucket, rest };
        return RF_OK;
    }
    rf_fail(err, RF_ECONFIG, "\"%.*s\" is not the address of a bucket", RF_FMT(s));
    rf_hint(err, "Write s3://BUCKET/PREFIX, with letters, digits, \"-\", \".\" and \"_\" alone.");
    return RF_ECONFIG;
}
