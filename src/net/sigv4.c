/* Amazon's signature, version 4, over the whole request.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 *
 *     canonical    method, path, query, headers by name, hash of the body: a line each
 *     to sign      algorithm, time, scope, hash of the canonical request
 *     key          the secret, hashed over date, region, service and a fixed word
 *
 * The path is encoded once more than it is sent, so that the ":" of a model's name, which goes
 * as "%3A", is signed as "%253A". libcurl has a signature, too; before 8.9 it does not do that. */
#include "net/credentials.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/sha256.h"
#include "net/crypto.h"

#include <stdlib.h>
#include <time.h>

#define ALGORITHM "AWS4-HMAC-SHA256"
#define MAX_CANONICAL ((size_t)1 << 20)
#define MAX_QUERY 64 /* pairs of it */

struct signing {
    const struct rf_aws_request *r;
    struct rf_arena *arena;
    struct rf_header *headers; /* by name, lower case */
    size_t count;
    struct rf_str host, path, query;
    char stamp[17]; /* 20150830T123600Z */
    struct rf_str names, scope;
};

static void split_url(struct signing *s)
{
    struct rf_str url = rf_str(s->r->url);
    bool tls = rf_str_starts(url, "https://");
    const char *at = strstr(s->r->url, "://");
    const char *host = at ? at + 3 : s->r->url;
    size_t n = strcspn(host, "/?"), path = strcspn(host + n, "?");
    s->host = (struct rf_str){ host, n };
    s->path = path ? (struct rf_str){ host + n, path } : RF_STR("/");
    s->query = rf_str(host[n + path] ? host + n + path + 1 : "");
    if (rf_str_ends(s->host, tls ? ":443" : ":80"))
        s->host.n -= tls ? 4 : 3;
}

static bool is_unreserved(char c)
{
    return rf_is_alnum(c) || (c && strchr("-._~", c));
}

static void add_path(struct rf_buf *b, struct rf_str path)
{
    for (size_t i = 0; i < path.n; i++) {
        if (is_unreserved(path.p[i]) || path.p[i] == '/')
            rf_buf_addc(b, path.p[i]);
        else
            rf_buf_addf(b, "%%%02X", (unsigned char)path.p[i]);
    }
    rf_buf_addc(b, '\n');
}

static int compare(struct rf_str a, struct rf_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int by_name(const void *a, const void *b)
{
    const struct rf_header *x = a, *y = b;
    int order = compare(x->name, y->name);
    return order ? order : compare(x->value, y->value);
}

static void add_query(struct rf_buf *b, struct rf_str query)
{
    struct rf_header pairs[MAX_QUERY];
    struct rf_str pair;
    size_t count = 0;
    while (count < MAX_QUERY && rf_str_split(&query, '&', &pair)) {
        struct rf_str name;
        rf_str_split(&pair, '=', &name);
        pairs[count++] = (struct rf_header){ name, pair };
    }
    if (count)
        qsort(pairs, count, sizeof *pairs, by_name);
    for (size_t i = 0; i < count; i++)
        rf_buf_addf(b, "%s%.*s=%.*s", i ? "&" : "", RF_FMT(pairs[i].name), RF_FMT(pairs[i].value));
    rf_buf_addc(b, '\n');
}

/* Headers. */

static struct rf_str lower(struct rf_str s, struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        out[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i];
    return (struct rf_str){ out, s.n };
}

/* White space at the ends goes, inside one of it is left. */
static struct rf_str squeezed(struct rf_str s, struct rf_arena *a)
{
    s = rf_str_trim(s);
    char *out = rf_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != ' ' || out[n - 1] != ' ')
            out[n++] = s.p[i];
    return (struct rf_str){ out, n };
}

static void add_header(struct signing *s, struct rf_str name, struct rf_str value)
{
    s->headers[s->count++] = (struct rf_header){ lower(name, s->arena), squeezed(value, s->arena) };
}

/* Those of one name stand in the order that they came in, so this sort has to be stable. */
static void sort_headers(struct signing *s)
{
    for (size_t i = 1; i < s->count; i++) {
        struct rf_header h = s->headers[i];
        size_t at = i;
        for (; at > 0 && compare(s->headers[at - 1].name, h.name) > 0; at--)
            s->headers[at] = s->headers[at - 1];
        s->headers[at] = h;
    }
}

static void gather_headers(struct signing *s, const struct rf_aws_keys *k)
{
    const struct rf_aws_request *r = s->r;
    s->headers = RF_ARRAY(s->arena, struct rf_header, r->header_count + 3);
    for (size_t i = 0; i < r->header_count; i++)
        add_header(s, r->headers[i].name, r->headers[i].value);
    add_header(s, RF_STR("host"), s->host);
    add_header(s, RF_STR("x-amz-date"), rf_str(s->stamp));
    if (k->session.n)
        add_header(s, RF_STR("x-amz-security-token"), k->session);
    sort_headers(s);
}

/* Lines "name:value" and, for a name that is there twice, "name:value,value"; then all names. */
static void add_headers(struct rf_buf *b, struct signing *s)
{
    struct rf_buf names;
    rf_buf_init(&names, s->arena, MAX_CANONICAL);
    for (size_t i = 0; i < s->count; i++) {
        const struct rf_header *h = &s->headers[i];
        bool again = i && rf_str_eq(h->name, h[-1].name);
        if (again)
            rf_buf_addf(b, ",%.*s", RF_FMT(h->value));
        else
            rf_buf_addf(b, "%s%.*s:%.*s", i ? "\n" : "", RF_FMT(h->name), RF_FMT(h->value));
        if (!again)
            rf_buf_addf(&names, "%s%.*s", i ? ";" : "", RF_FMT(h->name));
    }
    if (rf_buf_finish(&names, &s->names, NULL))
        b->full = true;
    rf_buf_addf(b, "\n\n%.*s\n", RF_FMT(s->names));
}

/* The signature. */

static enum rf_code canonical_hash(struct signing *s, char hex[65], struct rf_err *err)
{
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, s->arena, MAX_CANONICAL);
    rf_buf_addf(&b, "%s\n", s->r->method);
    add_path(&b, s->path);
    add_query(&b, s->query);
    add_headers(&b, s);
    rf_buf_addf(&b, "%s", s->r->payload_hash);
    enum rf_code rc = rf_buf_finish(&b, &text, err);
    return rc ? rc : rf_sha256_text(text, hex, err);
}

static enum rf_code derive(const struct signing *s, struct rf_str secret, struct rf_str to_sign,
                           uint8_t out[32], struct rf_err *err)
{
    const struct rf_str steps[] = {
        { s->stamp, 8 }, s->r->region, rf_str(s->r->service), RF_STR("aws4_request"), to_sign
    };
    uint8_t key[32];
    struct rf_str with = rf_str_join(s->arena, RF_STR("AWS4"), secret);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        enum rf_code rc = rf_hmac_sha256(with, steps[i], out, err);
        if (rc)
            return rc;
        memcpy(key, out, sizeof key);
        with = (struct rf_str){ (const char *)key, sizeof key };
    }
    return RF_OK;
}

static void set_time(struct signing *s)
{
    struct tm t;
    time_t now = (time_t)s->r->time;
    if (!gmtime_r(&now, &t) || !strftime(s->stamp, sizeof s->stamp, "%Y%m%dT%H%M%SZ", &t))
        RF_BUG("a time without a date");
    s->scope = rf_strf(s->arena, "%.8s/%.*s/%s/aws4_request", s->stamp, RF_FMT(s->r->region),
                       s->r->service);
}

enum rf_code rf_aws_sign(const struct rf_aws_keys *k, const struct rf_aws_request *r,
                         struct rf_arena *a, struct rf_header out[3], size_t *count,
                         struct rf_err *err)
{
    struct signing s = { .r = r, .arena = a };
    char hash[65], hex[65];
    uint8_t signature[32];
    set_time(&s);
    split_url(&s);
    gather_headers(&s, k);
    enum rf_code rc = canonical_hash(&s, hash, err);
    if (rc)
        return rc;
    struct rf_str to_sign = rf_strf(a, ALGORITHM "\n%s\n%.*s\n%s", s.stamp, RF_FMT(s.scope), hash);
    if ((rc = derive(&s, k->secret, to_sign, signature, err)))
        return rc;
    rf_sha256_hex(signature, hex);
    size_t n = 0;
    out[n++] = (struct rf_header){ RF_STR("x-amz-date"), rf_str_dup(a, rf_str(s.stamp)) };
    if (k->session.n)
        out[n++] = (struct rf_header){ RF_STR("x-amz-security-token"), k->session };
    out[n++] = (struct rf_header){
        RF_STR("authorization"),
        rf_strf(a, ALGORITHM " Credential=%.*s/%.*s, SignedHeaders=%.*s, Signature=%s",
                RF_FMT(k->id), RF_FMT(s.scope), RF_FMT(s.names), hex),
    };
    *count = n;
    return RF_OK;
}
