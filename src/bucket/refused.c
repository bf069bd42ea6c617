/* https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
#include "bucket/refused.h"

#include "bucket/xml.h"

#define MOST_WORDS 200

#define RIGHTS                                                                             \
    "They need s3:ListBucket, s3:ListBucketMultipartUploads, s3:GetObject, s3:PutObject, " \
    "s3:DeleteObject and s3:AbortMultipartUpload on it."
#define LOGIN "Log in again, then run: eval \"$(aws configure export-credentials --format env)\"."
#define REGION "Set AWS_REGION to the region of the bucket."

static const struct row {
    const char *code;
    enum rf_code is;
    const char *words, *hint;
} rows[] = {
    { "NoSuchBucket", RF_ECONFIG, "there is no such bucket",
      "Make it first, or correct \"blobs\" of the store." },
    { "AccessDenied", RF_ECONFIG, "the keys may not do that", RIGHTS },
    { "AllAccessDisabled", RF_ECONFIG, "access to it is disabled", RIGHTS },
    { "InvalidAccessKeyId", RF_ECONFIG, "the key is not known there",
      "Correct AWS_ACCESS_KEY_ID, or the profile that AWS_PROFILE names." },
    { "SignatureDoesNotMatch", RF_ECONFIG, "the secret is not that of the key",
      "Correct AWS_SECRET_ACCESS_KEY, or the profile that AWS_PROFILE names." },
    { "ExpiredToken", RF_ECONFIG, "the keys have expired", LOGIN },
    { "TokenRefreshRequired", RF_ECONFIG, "the keys have expired", LOGIN },
    { "InvalidToken", RF_ECONFIG, "the session token is not a good one", LOGIN },
    { "RequestTimeTooSkewed", RF_ECONFIG, "the clock of this machine is wrong",
      "Set the clock: it and the server's may be 15 minutes apart." },
    { "RequestExpired", RF_ECONFIG, "the clock of this machine is wrong", "Set the clock." },
    { "AuthorizationHeaderMalformed", RF_ECONFIG, "it is in another region", REGION },
    { "PermanentRedirect", RF_ECONFIG, "it is in another region", REGION },
    { "TemporaryRedirect", RF_ECONFIG, "it is in another region", REGION },
    { "BadRequest", RF_ECONFIG, "the server does not take the request",
      "Check the keys, the region and the address." },
    { "InvalidBucketName", RF_ECONFIG, "no bucket can have that name",
      "Correct \"blobs\" of the store." },
};

static const char *const passing[] = {
    "SlowDown",           "InternalError",
    "ServiceUnavailable", "RequestTimeout",
    "Throttling",         "RequestThrottled",
    "BadDigest",          "OperationAborted",
    "IncompleteBody",     "XAmzContentSHA256Mismatch",
};

void rf_s3_refusal_read(struct rf_s3_refusal *r, struct rf_str body, struct rf_arena *a)
{
    r->code = rf_xml_get(body, "Code", a);
    r->words = rf_xml_get(body, "Message", a);
    if (r->words.n > MOST_WORDS)
        r->words.n = MOST_WORDS;
    for (size_t i = 0; i < r->words.n; i++) /* cut, or of any encoding, it stays a text */
        if ((unsigned char)r->words.p[i] >= 0x80)
            r->words.n = i;
}

bool rf_s3_refusal_passes(const struct rf_s3_refusal *r)
{
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (rf_str_is(r->code, passing[i]))
            return true;
    return (r->status >= 500 && r->status != 501) || r->status == 429;
}

bool rf_s3_refusal_expired(const struct rf_s3_refusal *r)
{
    return rf_str_is(r->code, "ExpiredToken") || rf_str_is(r->code, "TokenRefreshRequired");
}

/* What a status says where no body does: that of HEAD, or of a server that is not S3. */
static struct rf_str code_of(const struct rf_s3_refusal *r)
{
    if (r->code.n)
        return r->code;
    return r->status == 403                       ? RF_STR("AccessDenied")
           : r->status == 301 || r->status == 307 ? RF_STR("PermanentRedirect")
           : r->status == 400                     ? RF_STR("BadRequest")
                                                  : RF_STR("");
}

enum rf_code rf_s3_refusal_fail(const struct rf_s3_refusal *r, const struct rf_bucket_place *p,
                                struct rf_err *err)
{
    struct rf_str code = code_of(r);
    const int n = (int)p->at.bucket.n;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rf_str_is(code, rows[i].code)) {
            rf_fail(err, rows[i].is, "the bucket \"%.*s\" cannot be used: %s (%s %d)", n,
                    p->at.bucket.p, rows[i].words, r->method, r->status);
            rf_hint(err, "%s", rows[i].hint);
            return rows[i].is;
        }
    rf_fail(err, RF_EIO, "the bucket \"%.*s\" refused a %s with status %d%s%.*s%s%.*s", n,
            p->at.bucket.p, r->method, r->status, code.n ? ": " : "", RF_FMT(code),
            r->words.n ? ", " : "", RF_FMT(r->words));
    rf_hint(err, rf_s3_refusal_passes(r) ? "Try again in a moment."
                                         : "Check that the address is that of an S3 server.");
    return RF_EIO;
}
