/* A refusal in one shape, whoever it came from. */
#include "agent/heal/refusal.h"

#include "base/arena.h"
#include "base/json_read.h"
#include "base/utf8.h"
#include "wire/wire.h"

#define MOST_WORDS 4096 /* bytes of a message that are kept */

static struct rf_str text_of(const struct rf_jval *v, struct rf_arena *a)
{
    return v && v->type == RF_JSTRING ? rf_str_dup(a, rf_jval_text(v, a)) : RF_STR("");
}

static struct rf_str at_most(struct rf_str s, size_t most)
{
    struct rf_str front = { s.p, s.n < most ? s.n : most };
    return (struct rf_str){ s.p, rf_utf8_valid(front) };
}

/* A router keeps what the endpoint behind it said beside its own words. */
static struct rf_str with_inner(struct rf_str message, const struct rf_jval *reply,
                                struct rf_arena *a)
{
    const struct rf_jval *metadata = rf_jval_get(rf_jval_get(reply, "extra"), "metadata");
    struct rf_str inner = text_of(rf_jval_get(metadata, "raw"), a);
    return inner.n ? rf_strf(a, "%.*s: %.*s", RF_FMT(message), RF_FMT(inner)) : message;
}

/* About whoever asks, or about the moment, whatever else the words name. */
static bool is_plain_status(int status)
{
    return status == 401 || status == 403 || status == 429 || status == 503 || status == 529;
}

/* A kind that a code or words told is kept; else the words behind a router, then the status, say it. */
static enum rf_error_kind kind_of(const struct rf_jval *error, const struct rf_refused *r)
{
    const struct rf_jval *name = rf_jval_get(error, "kind");
    if (is_plain_status(r->status))
        return rf_wire_error_kind(r->status, RF_STR(""), RF_STR(""));
    for (enum rf_error_kind k = RF_ERROR_NONE; name && k < RF_ERROR_OTHER; k++)
        if (k != RF_ERROR_NONE && rf_jval_is(name, rf_error_kind_name(k)))
            return k;
    return rf_wire_error_kind(r->status, r->code, r->message);
}

void rf_refused_from_reply(int status, struct rf_str json, struct rf_arena *a,
                           struct rf_refused *out)
{
    const struct rf_jval *root = NULL;
    *out = (struct rf_refused){ .status = status, .json = json };
    if (rf_jval_parse(json, a, &root, NULL))
        return;
    const struct rf_jval *error = rf_jval_get(root, "error");
    if (!error)
        return;
    out->code = text_of(rf_jval_get(error, "code"), a);
    out->message = with_inner(text_of(rf_jval_get(error, "message"), a), root, a);
    out->message = at_most(out->message, MOST_WORDS);
    out->place = text_of(rf_jval_get(error, "place"), a);
    out->kind = kind_of(error, out);
}

/* What is no JSON of this API: a page of a proxy, or nothing. */
static void read_other(struct rf_str body, struct rf_arena *a, struct rf_refused *out)
{
    struct rf_str words = rf_str_trim(at_most(body, MOST_WORDS));
    out->message = words.n ? rf_str_dup(a, words) : rf_strf(a, "status %d", out->status);
    out->kind = kind_of(NULL, out);
    out->json = RF_STR("");
}

void rf_refused_read(const struct rf_model *m, int status, struct rf_str body, struct rf_arena *a,
                     struct rf_refused *out)
{
    struct rf_decode *d = rf_decode_response(m);
    struct rf_str json = RF_STR("");
    *out = (struct rf_refused){ .status = status };
    enum rf_code rc = rf_decode_feed(d, body, NULL);
    if (!rc)
        rc = rf_decode_finish(d, &json, NULL);
    if (rc == RF_EPROVIDER)
        rf_refused_from_reply(status, rf_str_dup(a, json), a, out);
    if (out->kind == RF_ERROR_NONE)
        read_other(body, a, out);
    rf_decode_free(d);
}
