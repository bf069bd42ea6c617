#include "gateway/traces.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "gateway/log.h"

#include <refract/version.h>

#include <inttypes.h>

#define CLIENT 3 /* kind of a span: it asks somebody else */
#define FAILED 2 /* status of a span */

/* Where the conventions have another name for a provider than we. */
static const struct {
    const char *ours, *theirs;
} providers[] = {
    { "bedrock", "aws.bedrock" }, { "google", "gcp.gemini" },    { "mistral", "mistral_ai" },
    { "openai-chat", "openai" },  { "vertex", "gcp.vertex_ai" }, { "xai", "x_ai" },
};

static struct rf_str provider_name(struct rf_str ours)
{
    for (size_t i = 0; i < sizeof providers / sizeof *providers; i++)
        if (rf_str_is(ours, providers[i].ours))
            return rf_str(providers[i].theirs);
    return ours;
}

/* What the conventions call it; of paths that are not known here they know embeddings. */
static const char *operation_of(const struct rf_record *r)
{
    static const char *const embeddings[] = { "/embeddings", ":embedContent",
                                              ":batchEmbedContents" };
    for (size_t i = 0; i < sizeof embeddings / sizeof *embeddings; i++)
        if (rf_str_ends(r->path, embeddings[i]))
            return "embeddings";
    return r->path.n ? "other" : "chat";
}

/* traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 */

static bool read_hex(const char *from, size_t n, char *out)
{
    bool some = false;
    for (size_t i = 0; i < n; i++) {
        if (!rf_is_digit(from[i]) && (from[i] < 'a' || from[i] > 'f'))
            return false;
        some |= from[i] != '0';
    }
    memcpy(out, from, n);
    out[n] = '\0';
    return some;
}

bool rf_trace_parse(const char *traceparent, struct rf_trace *out)
{
    struct rf_trace t = { .given = true };
    size_t n = traceparent ? strlen(traceparent) : 0;
    char version[3] = "", flags[3] = "";
    if (n < 55 || traceparent[2] != '-' || traceparent[35] != '-' || traceparent[52] != '-')
        return false;
    read_hex(traceparent, 2, version);
    read_hex(traceparent + 53, 2, flags);
    if (!*version || !*flags || strcmp(version, "ff") == 0 ||
        (strcmp(version, "00") == 0 ? n != 55 : n > 55 && traceparent[55] != '-') ||
        !read_hex(traceparent + 3, RF_TRACE_ID, t.id) ||
        !read_hex(traceparent + 36, RF_SPAN_ID, t.parent))
        return false;
    t.silent = !(rf_hex_digit(flags[1]) & 1);
    *out = t;
    return true;
}

/* Spans */

static void text(struct rf_json *w, const char *key, struct rf_str value, struct rf_arena *a)
{
    if (!value.n)
        return;
    rf_json_obj(w, NULL);
    rf_json_str(w, "key", rf_str(key));
    rf_json_obj(w, "value");
    rf_json_str(w, "stringValue", rf_log_words(value, a));
    rf_json_end(w);
    rf_json_end(w);
}

/* A number of 64 bits is a string in JSON of protobuf. */
static void number(struct rf_json *w, const char *key, int64_t n, struct rf_arena *a)
{
    if (n < 0)
        return;
    rf_json_obj(w, NULL);
    rf_json_str(w, "key", rf_str(key));
    rf_json_obj(w, "value");
    rf_json_str(w, "intValue", rf_strf(a, "%" PRId64, n));
    rf_json_end(w);
    rf_json_end(w);
}

static void write_attributes(struct rf_json *w, const struct rf_record *r, struct rf_arena *a)
{
    rf_json_arr(w, "attributes");
    text(w, "gen_ai.operation.name", rf_str(operation_of(r)), a);
    text(w, "gen_ai.provider.name", provider_name(r->provider), a);
    text(w, "gen_ai.request.model", r->model.n ? r->model : r->asked, a);
    text(w, "gen_ai.response.model", r->answered_by, a);
    number(w, "gen_ai.usage.input_tokens", r->usage.input, a);
    number(w, "gen_ai.usage.output_tokens", r->usage.output, a);
    number(w, "gen_ai.usage.cache_read.input_tokens", r->usage.cached, a);
    number(w, "gen_ai.usage.cache_creation.input_tokens", r->usage.cache_write, a);
    number(w, "http.response.status_code", r->status ? r->status : -1, a);
    if (r->stopped)
        text(w, "error.type", RF_STR("gateway_stopped"), a);
    else if (r->error)
        text(w, "error.type", rf_str(rf_record_error_name(r->error, r->attempts)), a);
    else if (r->gone)
        text(w, "error.type", RF_STR("client_gone"), a);
    text(w, "refract.request.id", rf_str(r->id), a);
    text(w, "refract.client.dialect", rf_str(r->dialect), a);
    text(w, "refract.client.key", rf_str(r->client_key), a);
    number(w, "refract.attempts", r->attempts, a);
    number(w, "refract.heals", r->heals, a);
    rf_json_end(w);
}

/* The random digits of the exchange's own name are those of its span, and of its trace where the
 * client has none: who knows one finds the others. */
static void write_ids(struct rf_json *w, const struct rf_record *r)
{
    struct rf_str digits = rf_str_behind(rf_str(r->id), '_');
    rf_json_str(w, "traceId", r->trace.given ? rf_str(r->trace.id) : digits);
    rf_json_str(w, "spanId", (struct rf_str){ digits.p + digits.n - RF_SPAN_ID, RF_SPAN_ID });
    if (r->trace.given)
        rf_json_str(w, "parentSpanId", rf_str(r->trace.parent));
}

struct rf_str rf_span_json(const struct rf_record *r, struct rf_arena *a)
{
    int64_t took_us = r->ended_us - r->began_us;
    struct rf_str model = r->model.n ? r->model : r->asked;
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str out;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    write_ids(&w, r);
    rf_json_str(&w, "name", rf_log_words(rf_strf(a, "%s %.*s", operation_of(r), RF_FMT(model)), a));
    rf_json_int(&w, "kind", CLIENT);
    rf_json_str(&w, "startTimeUnixNano", rf_strf(a, "%" PRId64 "000000", r->began_ms));
    rf_json_str(&w, "endTimeUnixNano", rf_strf(a, "%" PRId64 "000", r->began_ms * 1000 + took_us));
    write_attributes(&w, r, a);
    rf_json_obj(&w, "status");
    if (r->error || r->gone || r->stopped)
        rf_json_int(&w, "code", FAILED);
    rf_json_end(&w);
    rf_json_end(&w);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &out, NULL))
        RF_BUG("a span in memory could not be written");
    return out;
}

struct rf_str rf_spans_begin(struct rf_arena *a)
{
    return rf_strf(
        a,
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":["
        "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"refract\"}},"
        "{\"key\":\"service.version\",\"value\":{\"stringValue\":\"%s\"}}]},"
        "\"scopeSpans\":[{\"scope\":{\"name\":\"refract\",\"version\":\"%s\"},\"spans\":[",
        rf_version(), rf_version());
}
