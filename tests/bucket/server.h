/* The server of tests/store/s3_server.py, for tests: telling it what to do, and what it has. */
#ifndef TESTS_BUCKET_SERVER_H
#define TESTS_BUCKET_SERVER_H

#include "net/net.h"

#include "../testing.h"

static inline bool s3_is_there(void)
{
    const char *address = getenv("REFRACT_TEST_S3");
    return address && *address;
}

struct s3_said {
    struct rf_arena *arena;
    struct rf_str text;
};

static inline bool s3_take(void *ctx, struct rf_str bytes)
{
    struct s3_said *s = ctx;
    s->text = rf_str_join(s->arena, s->text, bytes);
    return true;
}

/* Tell it, in JSON with ' for ", and be told what it has. Lives in `a`. */
static inline const char *s3_control(struct rf_arena *a, const char *wish)
{
    struct s3_said said = { .arena = a };
    struct rf_rope body;
    struct rf_net_reply reply;
    struct rf_err err = { 0 };
    rf_rope_init(&body, a);
    rf_rope_text(&body, quoted(a, wish));
    const struct rf_net_call call = {
        .url = rf_strf(a, "%s/_control", getenv("AWS_ENDPOINT_URL_S3")).p,
        .body = &body,
        .cancel_fd = -1,
        .bytes = s3_take,
        .ctx = &said,
    };
    struct rf_net *net = rf_net_new();
    if (rf_net_call(net, &call, a, &reply, &err))
        fail_msg("%s", err.msg);
    rf_net_free(net);
    assert_int_equal(reply.status, 200);
    return rf_cstr(a, said.text);
}

static inline size_t s3_count(const char *said, const char *part)
{
    size_t n = 0;
    while ((said = strstr(said, part))) {
        n++;
        said += strlen(part);
    }
    return n;
}

#endif
