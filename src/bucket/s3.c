#include "bucket/s3.h"

#include "base/arena.h"
#include "base/buf.h"
#include "bucket/refused.h"
#include "bucket/xml.h"
#include "net/credentials.h"
#include "net/crypto.h"
#include "net/waiting.h"

#include <stdlib.h>
#include <time.h>

#define MAX_BODY ((size_t)4 << 20)   /* of an answer; a list of 1000 keys takes a tenth of it */
#define MAX_HEADERS 12               /* of a request */
#define MAX_HELD ((size_t)256 << 10) /* bytes of an object that wait for their reader */
#define WAIT_MS (60 * 1000)          /* for a server that says nothing */
#define MOST_REST_MS ((int64_t)20 * 1000) /* that a server may ask for */

enum rf_code rf_s3_open(const char *address, struct rf_s3 **out, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_s3 *s = RF_NEW(a, struct rf_s3);
    s->arena = a;
    enum rf_code rc = rf_bucket_place_find(address, a, &s->place, err);
    if (rc)
        rf_arena_free(a);
    else
        *out = s;
    return rc;
}

void rf_s3_free(struct rf_s3 *s)
{
    if (!s)
        return;
    rf_net_free(s->net);
    rf_arena_free(s->arena);
}

void rf_s3_rest(int tries, int64_t asked_ms)
{
    int64_t ms = asked_ms > 0 ? asked_ms : rf_wait_to_reach(tries);
    (void)!rf_net_rest(ms < MOST_REST_MS ? ms : MOST_REST_MS, -1, NULL);
}

/* Keys */

/* Keys are looked for at the first call, and again when they have expired: a login may have written
 * new ones. `*changed` where they are others than before. */
static enum rf_code find_keys(struct rf_s3 *s, bool *changed, struct rf_err *err)
{
    struct rf_aws_keys *keys;
    enum rf_code rc = rf_aws_keys_find(s->arena, &keys, err);
    if (!rc && !keys)
        rc = rf_fail(err, RF_ECONFIG, "there are no keys for the bucket \"%.*s\"",
                     RF_FMT(s->place.at.bucket));
    if (rc) {
        rf_hint(err, "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; or run: "
                     "eval \"$(aws configure export-credentials --format env)\".");
        return rc;
    }
    *changed = !s->keys || !rf_str_eq(keys->id, s->keys->id) ||
               !rf_str_eq(keys->session, s->keys->session);
    s->keys = keys;
    return RF_OK;
}

/* One exchange */

struct rf_s3_object {
    struct rf_s3 *s3;
    struct rf_arena *arena; /* of the request and of what came */
    bool by_pieces;         /* a 200 is read by rf_s3_object_read */
    struct rf_rope rope;
    struct rf_transfer *transfer; /* while it is on its way */
    struct rf_net_reply reply;
    bool over;
    enum rf_code rc; /* of a transfer that is over */
    struct rf_err err;
    int status; /* 0: not known yet */
    struct rf_buf body;
    int64_t length;
    struct rf_str etag, region;
    char *held; /* bytes that came, from held_at to held_n */
    size_t held_at, held_n, held_cap;
};

static bool take_status(void *ctx, int status, struct rf_str type)
{
    struct rf_s3_object *o = ctx;
    (void)type;
    o->status = status;
    return true;
}

static void take_header(void *ctx, struct rf_str name, struct rf_str value)
{
    struct rf_s3_object *o = ctx;
    if (rf_str_ieq(name, RF_STR("content-length")) && !rf_str_int64(value, &o->length))
        o->length = -1;
    else if (rf_str_ieq(name, RF_STR("etag")))
        o->etag = rf_str_dup(o->arena, value);
    else if (rf_str_ieq(name, RF_STR("x-amz-bucket-region")))
        o->region = rf_str_dup(o->arena, value);
}

static void hold(struct rf_s3_object *o, struct rf_str bytes)
{
    if (o->held_at == o->held_n)
        o->held_at = o->held_n = 0;
    if (bytes.n > o->held_cap - o->held_n) {
        o->held_cap = o->held_n + bytes.n > MAX_HELD ? (o->held_n + bytes.n) * 2 : MAX_HELD * 2;
        o->held = realloc(o->held, o->held_cap);
        if (!o->held)
            RF_NO_MEMORY();
    }
    memcpy(o->held + o->held_n, bytes.p, bytes.n);
    o->held_n += bytes.n;
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct rf_s3_object *o = ctx;
    if (!o->by_pieces || o->status != 200) {
        rf_buf_add(&o->body, bytes);
        return !o->body.full;
    }
    if (bytes.n)
        hold(o, bytes);
    if (o->held_n - o->held_at >= MAX_HELD)
        rf_net_pause(o->transfer);
    return true;
}

static void take_end(void *ctx, enum rf_code rc, const struct rf_err *err)
{
    struct rf_s3_object *o = ctx;
    o->over = true;
    o->transfer = NULL;
    o->rc = rc;
    if (rc)
        o->err = *err;
}

/* The headers of a request with its signature, which is over all of them. */
static enum rf_code sign(struct rf_s3_object *o, const struct rf_s3_ask *ask, const char *url,
                         struct rf_header headers[MAX_HEADERS], size_t *count, struct rf_err *err)
{
    char made[65];
    const char *hash = ask->body_hash;
    size_t n = 0, proofs = 0;
    enum rf_code rc = hash ? RF_OK : rf_sha256_text(ask->body, made, err);
    if (rc)
        return rc;
    if (!hash)
        hash = rf_cstr(o->arena, rf_str(made));
    for (; n < ask->header_count; n++)
        headers[n] = ask->headers[n];
    headers[n++] = (struct rf_header){ RF_STR("x-amz-content-sha256"), rf_str(hash) };
    if (ask->type)
        headers[n++] = (struct rf_header){ RF_STR("content-type"), rf_str(ask->type) };
    const struct rf_aws_request r = {
        .method = ask->method,
        .url = url,
        .service = "s3",
        .region = o->s3->place.region,
        .headers = headers,
        .header_count = n,
        .payload_hash = hash,
        .time = (int64_t)time(NULL),
    };
    rc = rf_aws_sign(o->s3->keys, &r, o->arena, headers + n, &proofs, err);
    *count = n + proofs;
    return rc;
}

static enum rf_code start(struct rf_s3_object *o, const struct rf_s3_ask *ask, struct rf_err *err)
{
    struct rf_header headers[MAX_HEADERS];
    bool changed, has_body = strcmp(ask->method, "PUT") == 0 || strcmp(ask->method, "POST") == 0;
    enum rf_code rc = o->s3->keys ? RF_OK : find_keys(o->s3, &changed, err);
    if (rc)
        return rc;
    struct rf_net_call call = {
        .method = ask->method,
        .url = rf_bucket_place_url(&o->s3->place, ask->key, ask->query, o->arena),
        .headers = headers,
        .body = has_body ? &o->rope : NULL,
        .first_byte_ms = WAIT_MS,
        .idle_ms = WAIT_MS,
        .cancel_fd = -1,
        .status = take_status,
        .header = take_header,
        .bytes = take_bytes,
        .ctx = o,
        .done = take_end,
        .done_ctx = o,
        .may_repeat = true,
    };
    rf_rope_init(&o->rope, o->arena);
    rf_rope_text(&o->rope, ask->body);
    if (!o->s3->net)
        o->s3->net = rf_net_new();
    rc = sign(o, ask, call.url, headers, &call.header_count, err);
    return rc ? rc : rf_net_start(o->s3->net, &call, o->arena, &o->reply, &o->transfer, err);
}

static struct rf_s3_object *exchange_new(struct rf_s3 *s, bool by_pieces)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_s3_object *o = RF_NEW(a, struct rf_s3_object);
    *o = (struct rf_s3_object){ .s3 = s, .arena = a, .by_pieces = by_pieces, .length = -1 };
    rf_buf_init(&o->body, a, MAX_BODY);
    return o;
}

void rf_s3_object_close(struct rf_s3_object *o)
{
    if (!o)
        return;
    if (o->transfer)
        rf_net_cancel(o->transfer);
    free(o->held);
    rf_arena_free(o->arena);
}

/* To its end, or to the first bytes of an object. */
static void run(struct rf_s3_object *o)
{
    while (!o->over && !(o->by_pieces && o->status == 200))
        rf_net_wait(o->s3->net, -1, -1);
}

/* Judging */

enum verdict {
    DONE,
    AGAIN,   /* at once: something is known now that was not */
    LATER,   /* it may do another time */
    REFUSED, /* for good; the error is filled in */
};

/* An answer of 200 that began before the server knew, as that to the end of an upload may. */
static bool is_late_error(const struct rf_s3_object *o, struct rf_str body)
{
    struct rf_str inside;
    return o->status == 200 && !o->by_pieces && rf_xml_next(&body, "Error", &inside);
}

static bool moves(struct rf_s3_object *o, struct rf_str body)
{
    struct rf_str region = o->region.n ? o->region : rf_xml_get(body, "Region", o->arena);
    bool elsewhere = o->status == 301 || o->status == 307 || o->status == 400;
    return elsewhere && rf_bucket_place_move(&o->s3->place, region, o->s3->arena);
}

static enum verdict judge_refusal(struct rf_s3_object *o, const struct rf_s3_ask *ask,
                                  struct rf_str body, enum rf_code *rc, struct rf_err *err)
{
    struct rf_s3_refusal r = { .method = ask->method, .status = o->status };
    bool changed = false;
    rf_s3_refusal_read(&r, body, o->arena);
    if (o->status == 501 && ask->may_lack)
        o->status = 404;
    if (o->status == 404 && !rf_str_is(r.code, "NoSuchBucket"))
        return DONE;
    if (moves(o, body))
        return AGAIN;
    if (rf_s3_refusal_expired(&r) && !find_keys(o->s3, &changed, NULL) && changed)
        return AGAIN;
    *rc = rf_s3_refusal_fail(&r, &o->s3->place, err);
    return rf_s3_refusal_passes(&r) ? LATER : REFUSED;
}

/* What became of it; where it is neither DONE nor AGAIN, `*rc` and `err` say why. */
static enum verdict judge(struct rf_s3_object *o, const struct rf_s3_ask *ask, enum rf_code *rc,
                          struct rf_err *err)
{
    struct rf_str body = { o->body.p, o->body.n };
    if (o->over && o->rc) {
        bool broke = o->rc == RF_EPROVIDER;
        *rc = broke ? RF_EIO : o->rc;
        if (err) {
            *err = o->err;
            err->code = *rc;
        }
        return broke ? LATER : REFUSED;
    }
    if (o->status >= 200 && o->status < 300 && !is_late_error(o, body))
        return DONE;
    return judge_refusal(o, ask, body, rc, err);
}

static enum rf_code ask_with_patience(struct rf_s3 *s, const struct rf_s3_ask *ask, bool by_pieces,
                                      struct rf_s3_object **out, struct rf_err *err)
{
    int moved = 0;
    for (int tries = 1;; tries++) {
        struct rf_s3_object *o = exchange_new(s, by_pieces);
        enum verdict v = REFUSED;
        enum rf_code rc = start(o, ask, err);
        if (!rc) {
            run(o);
            v = judge(o, ask, &rc, err);
        }
        if (v == DONE) {
            *out = o;
            return RF_OK;
        }
        int64_t asked_ms = o->reply.retry_after_ms;
        rf_s3_object_close(o);
        if (v == AGAIN && ++moved >= RF_S3_TRIES)
            return rf_fail(err, RF_EIO, "the server of the bucket sends every call elsewhere");
        if (v == REFUSED || (v == LATER && tries >= RF_S3_TRIES))
            return rc;
        if (v == LATER)
            rf_s3_rest(tries, asked_ms);
    }
}

enum rf_code rf_s3_call(struct rf_s3 *s, const struct rf_s3_ask *ask, struct rf_arena *a,
                        struct rf_s3_answer *out, struct rf_err *err)
{
    struct rf_s3_object *o;
    enum rf_code rc = ask_with_patience(s, ask, false, &o, err);
    if (rc)
        return rc;
    *out = (struct rf_s3_answer){
        .status = o->status,
        .body = rf_str_dup(a, (struct rf_str){ o->body.p, o->body.n }),
        .length = o->length,
        .etag = rf_str_dup(a, o->etag),
    };
    rf_s3_object_close(o);
    return RF_OK;
}

/* Objects */

enum rf_code rf_s3_object_open(struct rf_s3 *s, struct rf_str key, struct rf_s3_object **out,
                               struct rf_err *err)
{
    const struct rf_s3_ask ask = { .method = "GET", .key = key };
    struct rf_s3_object *o;
    enum rf_code rc = ask_with_patience(s, &ask, true, &o, err);
    if (rc)
        return rc;
    bool found = o->status == 200 && o->length >= 0;
    if (o->status == 200 && !found)
        rc = rf_fail(err, RF_EIO, "the server of the bucket does not say how long an object is");
    if (!found)
        rf_s3_object_close(o);
    if (!rc)
        *out = found ? o : NULL;
    return rc;
}

uint64_t rf_s3_object_size(const struct rf_s3_object *o)
{
    return (uint64_t)o->length;
}

enum rf_code rf_s3_object_read(struct rf_s3_object *o, void *buf, size_t n, size_t *got,
                               struct rf_err *err)
{
    while (o->held_at == o->held_n && !o->over) {
        rf_net_resume(o->transfer);
        if (o->held_at == o->held_n && !o->over)
            rf_net_wait(o->s3->net, -1, -1);
    }
    size_t left = o->held_n - o->held_at;
    if (!left && o->rc) {
        if (err)
            *err = o->err;
        if (err)
            err->code = RF_EIO;
        return RF_EIO;
    }
    *got = left < n ? left : n;
    if (*got)
        memcpy(buf, o->held + o->held_at, *got);
    o->held_at += *got;
    return RF_OK;
}
