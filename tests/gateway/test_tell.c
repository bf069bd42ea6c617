/* What the gateway tells of itself: bounded numbers, and a log that nobody has to read. */
#include "gateway/log.h"
#include "gateway/metrics.h"
#include "gateway/traces.h"

#include "../testing.h"
#include "base/arena.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct rf_record record(const char *model, int status)
{
    struct rf_record r = { .dialect = "anthropic",
                           .provider = RF_STR_INIT("here"),
                           .status = status };
    r.model = rf_str(model);
    r.usage.input = -1;
    r.usage.output = 5;
    r.began_us = 1;
    r.ended_us = 2000001;
    return r;
}

static struct rf_str written(struct rf_metrics *m, struct rf_arena *a)
{
    struct rf_counts *all = RF_NEW(a, struct rf_counts);
    const struct rf_gauges now = { .requests = 3, .connections = 4 };
    struct rf_buf b;
    rf_metrics_add(m, all);
    rf_buf_init(&b, a, 1 << 20);
    rf_metrics_write(all, &now, &b);
    rf_buf_addc(&b, '\0');
    assert_false(b.full);
    return (struct rf_str){ b.p, b.n - 1 };
}

static size_t count_of(struct rf_str text, const char *part)
{
    size_t n = 0;
    for (const char *at = text.p; (at = strstr(at, part)); at++)
        n++;
    return n;
}

static void test_series_are_bounded(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_metrics *m = RF_NEW(a, struct rf_metrics);
    char name[40];
    (void)state;
    rf_metrics_init(m);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "model-%d", i);
        struct rf_record r = record(name, 200);
        rf_metrics_count(m, &r);
    }
    struct rf_str text = written(m, a);
    assert_true(count_of(text, "refract_requests_total{") < RF_METRICS_SERIES);
    assert_non_null(strstr(
        text.p, "{client=\"other\",upstream=\"other\",model=\"other\",status=\"200\"} 740\n"));
    assert_non_null(strstr(text.p, "refract_request_seconds_count 1000\n"));
    assert_non_null(strstr(text.p, "refract_request_seconds_sum 2000.000000\n"));
    assert_non_null(strstr(text.p, "refract_request_seconds_bucket{le=\"1\"} 0\n"));
    assert_non_null(strstr(text.p, "refract_request_seconds_bucket{le=\"2.5\"} 1000\n"));
    assert_non_null(strstr(text.p, "refract_tokens_total{direction=\"output\"} 5000\n"));
    rf_metrics_release(m);
    rf_arena_free(a);
}

static void test_statuses_are_bounded_where_models_fill_the_table(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_metrics *m = RF_NEW(a, struct rf_metrics);
    char name[40];
    (void)state;
    rf_metrics_init(m);
    for (int i = 0; i < 400; i++) {
        snprintf(name, sizeof name, "model-%d", i);
        struct rf_record r = record(name, 200);
        rf_metrics_count(m, &r);
    }
    for (int i = 0; i < 100; i++) {
        struct rf_record r = record("model-399", 400 + i);
        rf_metrics_count(m, &r);
    }
    struct rf_str text = written(m, a);
    assert_int_equal(count_of(text, "refract_requests_total{"), RF_METRICS_SERIES);
    assert_non_null(strstr(text.p, "model=\"other\",status=\"400\"} 1\n"));
    assert_non_null(strstr(text.p, "model=\"other\",status=\"0\"} 62\n"));
    rf_metrics_release(m);
    rf_arena_free(a);
}

static void test_models_that_never_answered_have_no_series(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_metrics *m = RF_NEW(a, struct rf_metrics);
    struct rf_record good = record("real", 200), late = record("real", 504);
    (void)state;
    rf_metrics_init(m);
    for (int i = 0; i < 9; i++) {
        char name[40];
        snprintf(name, sizeof name, "made-up-%d", i);
        struct rf_record r = record(name, 404);
        rf_metrics_count(m, &r);
    }
    rf_metrics_count(m, &good);
    rf_metrics_count(m, &late);
    struct rf_str text = written(m, a);
    assert_non_null(strstr(text.p, "model=\"other\",status=\"404\"} 9\n"));
    assert_non_null(strstr(text.p, "model=\"real\",status=\"504\"} 1\n"));
    assert_null(strstr(text.p, "made-up"));
    rf_metrics_release(m);
    rf_arena_free(a);
}

static void test_labels_are_escaped(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_metrics *m = RF_NEW(a, struct rf_metrics);
    struct rf_record r = record("a\"b\\c\nd\xff", 200);
    (void)state;
    rf_metrics_init(m);
    rf_metrics_count(m, &r);
    assert_non_null(strstr(written(m, a).p, "model=\"a\\\"b\\\\c\\nd\",status"));
    rf_metrics_release(m);
    rf_arena_free(a);
}

/* Its reader reads nothing until the log is closed. */
static void test_a_log_that_nobody_reads_holds_nobody_up(void **state)
{
    char folder[] = "/tmp/refract-log-XXXXXX", path[64], line[1000], read_back[4096];
    struct rf_log log;
    struct rf_err err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(rf_log_open(&log, path, &err), RF_EIO); /* without a reader */
    int reader = open(path, O_RDWR | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(rf_log_open(&log, path, &err), RF_OK);
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 4000; i++)
        rf_log_add(&log, (struct rf_str){ line, sizeof line });
    assert_true(log.queue.all_left_out > 1500);
    rf_log_close(&log);
    assert_true(read(reader, read_back, sizeof read_back) > 1001);
    assert_int_equal(read_back[1000], '\n');
    close(reader);
    unlink(path);
    rmdir(folder);
}

static void test_words_of_others_are_tame(void **state)
{
    static const struct {
        const char *name, *in, *want;
    } rows[] = {
        { "plain words stay", "gpt-4o \xc3\xa9", "gpt-4o \xc3\xa9" },
        { "a control of C1 goes",
          "a\xc2\x9b"
          "31m",
          "a?31m" },
        { "so does DEL",
          "a\x7f"
          "b",
          "a?b" },
        { "and what turns a text around",
          "a\xe2\x80\xae"
          "b",
          "a?b" },
        { "and what is not UTF-8", "a\xff\xc3", "a??" },
    };
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rf_str got = rf_log_words(rf_str(rows[i].in), a);
        if (!rf_str_is(got, rows[i].want))
            fail_msg("%s: \"%.*s\"", rows[i].name, RF_FMT(got));
    }
    rf_arena_free(a);
}

static void test_a_trace_of_the_client_is_read_strictly(void **state)
{
#define ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"
    static const struct {
        const char *name, *header;
        bool given, silent;
    } rows[] = {
        { "sampled", "00-" ID "-" SPAN "-01", true, false },
        { "not sampled", "00-" ID "-" SPAN "-00", true, true },
        { "a later version may say more", "01-" ID "-" SPAN "-01-more", true, false },
        { "this one may not", "00-" ID "-" SPAN "-01-more", false, false },
        { "no version", "ff-" ID "-" SPAN "-01", false, false },
        { "all zeros", "00-00000000000000000000000000000000-" SPAN "-01", false, false },
        { "a span of zeros", "00-" ID "-0000000000000000-01", false, false },
        { "capitals", "00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01", false, false },
        { "too short", "00-" ID "-" SPAN, false, false },
        { "flags that are none", "00-" ID "-" SPAN "-zz", false, false },
        { "empty", "", false, false },
        { "none", NULL, false, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rf_trace t = { .given = false };
        bool given = rf_trace_parse(rows[i].header, &t);
        if (given != rows[i].given || t.given != given || t.silent != rows[i].silent)
            fail_msg("%s", rows[i].name);
        if (given)
            assert_string_equal(t.id, ID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series_are_bounded),
        cmocka_unit_test(test_statuses_are_bounded_where_models_fill_the_table),
        cmocka_unit_test(test_models_that_never_answered_have_no_series),
        cmocka_unit_test(test_labels_are_escaped),
        cmocka_unit_test(test_a_log_that_nobody_reads_holds_nobody_up),
        cmocka_unit_test(test_words_of_others_are_tame),
        cmocka_unit_test(test_a_trace_of_the_client_is_read_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
