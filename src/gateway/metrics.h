/* Numbers of the gateway, for Prometheus. Each loop counts for itself, and they are added up when
 * somebody asks: counting takes a lock that nobody else wants, but then.
 *
 * A client cannot make as many series as it likes: its own words for a model are never a label,
 * a model that never answered is "other", and so is what comes when as many are there as it keeps. */
#ifndef RF_GATEWAY_METRICS_H
#define RF_GATEWAY_METRICS_H

#include "base/buf.h"
#include "gateway/record.h"

#include <refract/request.h>

#include <pthread.h>

#define RF_METRICS_SERIES 300 /* of a loop */
#define RF_METRICS_LABEL 96   /* bytes of a value */
#define RF_METRICS_BUCKETS 16

struct rf_histogram {
    uint64_t counts[RF_METRICS_BUCKETS + 1]; /* not added up; the last: longer than all */
    uint64_t sum_us;
};

struct rf_series {
    const char *client;
    char upstream[RF_METRICS_LABEL], model[RF_METRICS_LABEL];
    int status;
    uint64_t count;
};

struct rf_counts {
    struct rf_series series[RF_METRICS_SERIES];
    size_t series_count;
    struct rf_histogram request, first_byte;
    uint64_t tokens_in, tokens_out, body_bytes, heals;
    uint64_t deliveries[RF_DELIVERY_ERROR + 1][RF_FORM_NOTE + 1];
};

struct rf_metrics {
    pthread_mutex_t lock;
    struct rf_counts counts;
};

/* What is true at this moment. */
struct rf_gauges {
    size_t requests, connections, failed_handshakes;
    uint64_t bytes_in_flight, log_left_out;
};

void rf_metrics_init(struct rf_metrics *m);
void rf_metrics_release(struct rf_metrics *m);
void rf_metrics_count(struct rf_metrics *m, const struct rf_record *r);
/* Add what it has to `all`, which is zeroed at first. */
void rf_metrics_add(struct rf_metrics *m, struct rf_counts *all);
/* In the text format of Prometheus. */
void rf_metrics_write(const struct rf_counts *all, const struct rf_gauges *now, struct rf_buf *out);

#endif
