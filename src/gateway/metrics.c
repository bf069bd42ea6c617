#include "gateway/metrics.h"

#include "base/utf8.h"
#include "gateway/log.h"

#include <inttypes.h>
#include <stdio.h>

#define STATUSES 40 /* series that are kept for them */

/* Upper bounds, in microseconds: from a cached answer to a long thought. */
static const int64_t bounds[RF_METRICS_BUCKETS] = {
    1000,   2500,    5000,    10000,   25000,    50000,    100000,    250000,
    500000, 1000000, 2500000, 5000000, 10000000, 30000000, 120000000, 600000000,
};

void rf_metrics_init(struct rf_metrics *m)
{
    pthread_mutex_init(&m->lock, NULL);
}

void rf_metrics_release(struct rf_metrics *m)
{
    pthread_mutex_destroy(&m->lock);
}

/* Counting */

static void observe(struct rf_histogram *h, int64_t us)
{
    size_t i = 0;
    while (i < RF_METRICS_BUCKETS && us > bounds[i])
        i++;
    h->counts[i]++;
    h->sum_us += us > 0 ? (uint64_t)us : 0;
}

static bool has_answered(const struct rf_counts *c, struct rf_str upstream, struct rf_str model)
{
    for (size_t i = 0; i < c->series_count; i++)
        if (rf_str_is(upstream, c->series[i].upstream) && rf_str_is(model, c->series[i].model))
            return true;
    return false;
}

/* NULL: there is none, and `most` are there. */
static struct rf_series *find(struct rf_counts *c, const struct rf_series *like, size_t most)
{
    for (size_t i = 0; i < c->series_count; i++) {
        struct rf_series *s = &c->series[i];
        if (s->status == like->status && strcmp(s->model, like->model) == 0 &&
            strcmp(s->upstream, like->upstream) == 0 && strcmp(s->client, like->client) == 0)
            return s;
    }
    if (c->series_count >= most)
        return NULL;
    c->series[c->series_count] = *like;
    c->series[c->series_count].count = 0;
    return &c->series[c->series_count++];
}

/* Where there is no room for another, all else is told apart by status: who names many models does
 * not hide that requests fail. The last place is for statuses that nobody has. */
static void add_series(struct rf_counts *c, const struct rf_series *like, uint64_t count)
{
    struct rf_series other = {
        .client = "other", .upstream = "other", .model = "other", .status = like->status
    };
    struct rf_series *s = find(c, like, RF_METRICS_SERIES - STATUSES);
    if (!s)
        s = find(c, &other, RF_METRICS_SERIES);
    if (!s) {
        s = &c->series[RF_METRICS_SERIES - 1];
        count += s->count;
        other.status = 0;
        *s = other;
    }
    s->count += count;
}

static void set_label(char out[RF_METRICS_LABEL], struct rf_str value)
{
    struct rf_str cut = rf_utf8_cut(value, RF_METRICS_LABEL - 1);
    size_t n = rf_utf8_valid(cut);
    if (n)
        memcpy(out, cut.p, n);
    out[n] = '\0';
}

static void count_request(struct rf_counts *c, const struct rf_record *r)
{
    struct rf_series s = { .client = r->dialect ? r->dialect : "", .status = r->status };
    struct rf_str model = r->model;
    if (r->provider.n && r->status != 200 && !has_answered(c, r->provider, model))
        model = RF_STR("other");
    set_label(s.upstream, r->provider);
    set_label(s.model, model);
    add_series(c, &s, 1);
}

static void count_files(struct rf_counts *c, const struct rf_request *r)
{
    for (size_t i = 0; r && i < rf_report_count(r); i++)
        c->deliveries[rf_report_delivery(r, i)][rf_report_form(r, i)]++;
}

static uint64_t told(int64_t n)
{
    return n > 0 ? (uint64_t)n : 0;
}

void rf_metrics_count(struct rf_metrics *m, const struct rf_record *r)
{
    struct rf_counts *c = &m->counts;
    pthread_mutex_lock(&m->lock);
    count_request(c, r);
    count_files(c, r->request);
    observe(&c->request, r->ended_us - r->began_us);
    if (r->first_us)
        observe(&c->first_byte, r->first_us - r->began_us);
    c->tokens_in += told(r->usage.input);
    c->tokens_out += told(r->usage.output);
    c->body_bytes += r->bytes_in;
    c->heals += r->heals;
    pthread_mutex_unlock(&m->lock);
}

/* Adding up */

static void add_histogram(struct rf_histogram *all, const struct rf_histogram *h)
{
    for (size_t i = 0; i <= RF_METRICS_BUCKETS; i++)
        all->counts[i] += h->counts[i];
    all->sum_us += h->sum_us;
}

void rf_metrics_add(struct rf_metrics *m, struct rf_counts *all)
{
    const struct rf_counts *c = &m->counts;
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < c->series_count; i++)
        add_series(all, &c->series[i], c->series[i].count);
    add_histogram(&all->request, &c->request);
    add_histogram(&all->first_byte, &c->first_byte);
    for (size_t d = 0; d <= RF_DELIVERY_ERROR; d++)
        for (size_t f = 0; f <= RF_FORM_NOTE; f++)
            all->deliveries[d][f] += c->deliveries[d][f];
    all->tokens_in += c->tokens_in;
    all->tokens_out += c->tokens_out;
    all->body_bytes += c->body_bytes;
    all->heals += c->heals;
    pthread_mutex_unlock(&m->lock);
}

/* Writing */

static void head(struct rf_buf *b, const char *name, const char *type, const char *help)
{
    rf_buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void one(struct rf_buf *b, const char *name, const char *type, const char *help, uint64_t n)
{
    head(b, name, type, help);
    rf_buf_addf(b, "%s %" PRIu64 "\n", name, n);
}

static void add_label(struct rf_buf *b, const char *name, const char *value)
{
    rf_buf_addf(b, "%s=\"", name);
    for (; *value; value++)
        if (*value == '\\' || *value == '"')
            rf_buf_addf(b, "\\%c", *value);
        else if (*value == '\n')
            rf_buf_add(b, RF_STR("\\n"));
        else
            rf_buf_addc(b, *value);
    rf_buf_addc(b, '"');
}

static void write_requests(const struct rf_counts *c, struct rf_buf *b)
{
    const char *name = "refract_requests_total";
    head(b, name, "counter", "Requests that are over. Status 0: the client went before a reply.");
    for (size_t i = 0; i < c->series_count; i++) {
        const struct rf_series *s = &c->series[i];
        rf_buf_addf(b, "%s{", name);
        add_label(b, "client", s->client);
        rf_buf_addc(b, ',');
        add_label(b, "upstream", s->upstream);
        rf_buf_addc(b, ',');
        add_label(b, "model", s->model);
        rf_buf_addf(b, ",status=\"%d\"} %" PRIu64 "\n", s->status, s->count);
    }
}

static void write_histogram(const struct rf_histogram *h, const char *name, const char *help,
                            struct rf_buf *b)
{
    uint64_t sum = 0;
    head(b, name, "histogram", help);
    for (size_t i = 0; i < RF_METRICS_BUCKETS; i++) {
        sum += h->counts[i];
        rf_buf_addf(b, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, (double)bounds[i] / 1e6, sum);
    }
    sum += h->counts[RF_METRICS_BUCKETS];
    rf_buf_addf(b, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, sum);
    rf_buf_addf(b, "%s_sum %" PRIu64 ".%06" PRIu64 "\n%s_count %" PRIu64 "\n", name,
                h->sum_us / 1000000, h->sum_us % 1000000, name, sum);
}

static void write_deliveries(const struct rf_counts *c, struct rf_buf *b)
{
    const char *name = "refract_deliveries_total";
    head(b, name, "counter", "Files in requests, by how and as what they were delivered.");
    for (size_t d = 0; d <= RF_DELIVERY_ERROR; d++)
        for (size_t f = 0; f <= RF_FORM_NOTE; f++)
            if (c->deliveries[d][f])
                rf_buf_addf(b, "%s{delivery=\"%s\",form=\"%s\"} %" PRIu64 "\n", name,
                            rf_delivery_name((enum rf_delivery)d), rf_form_name((enum rf_form)f),
                            c->deliveries[d][f]);
}

void rf_metrics_write(const struct rf_counts *all, const struct rf_gauges *now, struct rf_buf *out)
{
    const char *tokens = "refract_tokens_total";
    write_requests(all, out);
    write_histogram(&all->request, "refract_request_seconds",
                    "From the head of a request to the end of its reply.", out);
    write_histogram(&all->first_byte, "refract_first_byte_seconds",
                    "From the head of a request to the first byte of its reply.", out);
    head(out, tokens, "counter", "Tokens, as providers tell.");
    rf_buf_addf(out, "%s{direction=\"input\"} %" PRIu64 "\n", tokens, all->tokens_in);
    rf_buf_addf(out, "%s{direction=\"output\"} %" PRIu64 "\n", tokens, all->tokens_out);
    one(out, "refract_body_bytes_total", "counter", "Bytes of bodies that clients sent.",
        all->body_bytes);
    write_deliveries(all, out);
    one(out, "refract_heals_total", "counter",
        "Requests made anew, and sent again, after what was in them was refused.", all->heals);
    one(out, "refract_requests_in_flight", "gauge", "Requests under way.", now->requests);
    one(out, "refract_connections", "gauge", "Open connections of clients.", now->connections);
    one(out, "refract_tls_handshakes_failed_total", "counter",
        "Connections whose client ended the handshake of TLS, or speaks something else.",
        now->failed_handshakes);
    one(out, "refract_body_bytes_in_flight", "gauge", "Bytes of bodies that are held.",
        now->bytes_in_flight);
    one(out, "refract_log_lines_left_out_total", "counter",
        "Lines that the access log has no room for.", now->log_left_out);
}
