/* Traces for OpenTelemetry: each exchange that asks a model is a span, sent in batches over
 * OTLP/HTTP, as JSON. No words of a conversation are in it.
 *
 *     rf_traces_open(&t, config, &err);
 *     rf_traces_add(&t, &record);
 *     rf_traces_close(&t);
 *
 * A thread sends, so no request waits for a collector. One that cannot be reached costs the spans
 * that have no room meanwhile, and nothing else.
 *
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ (November 2026)
 * https://opentelemetry.io/docs/specs/otlp/#otlphttp */
#ifndef RF_GATEWAY_TRACES_H
#define RF_GATEWAY_TRACES_H

#include "gateway/queue.h"
#include "gateway/record.h"

struct rf_arena;
struct rf_config;

struct rf_traces {
    char *url; /* NULL: nothing is traced */
    struct rf_queue queue;
    int hurry[2]; /* a byte there ends a call that is under way */
};

/* Send to the configuration's `serve.traces`, or where OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or
 * OTEL_EXPORTER_OTLP_ENDPOINT say; to nobody where none does. Fails with RF_EIO. */
RF_MUST enum rf_code rf_traces_open(struct rf_traces *t, const struct rf_config *config,
                                    struct rf_err *err);
/* Would they go to the same place by this configuration? */
bool rf_traces_go_to(const struct rf_traces *t, const struct rf_config *config);
void rf_traces_add(struct rf_traces *t, const struct rf_record *r, struct rf_arena *a);
/* What waits is sent, within a second or so. */
void rf_traces_close(struct rf_traces *t);

/* span.c */

/* What a client says about its own trace, in a header of W3C: it is continued. False: that is none,
 * and `out` has not changed. */
bool rf_trace_parse(const char *traceparent, struct rf_trace *out);
/* The span of an exchange. */
struct rf_str rf_span_json(const struct rf_record *r, struct rf_arena *a);
/* A request to a collector is this, spans with commas between them, and the end. */
struct rf_str rf_spans_begin(struct rf_arena *a);
#define RF_SPANS_END "]}]}]}"

#endif
