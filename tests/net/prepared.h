/* What the tests of endpoints share: one found and signed for, as a call finds it. */
#ifndef TESTS_NET_PREPARED_H
#define TESTS_NET_PREPARED_H

#include "../testing.h"
#include "net/prepare.h"

#define NO_KEY ((struct rf_key_choice){ 0 })

/* The headers of a call with this body; `net` may be NULL: one of its own. */
static inline enum rf_code sign_for(const struct rf_endpoint *e, struct rf_net *net,
                                    const struct rf_rope *body, struct rf_arena *a,
                                    struct rf_header **headers, size_t *count, struct rf_err *err)
{
    struct rf_net *own = net ? NULL : rf_net_new();
    struct rf_preparing p = {
        .net = net ? net : own,
        .body = body,
        .arena = a,
        .endpoint = *e,
        .state = RF_PREPARE_PROOF,
    };
    enum rf_code rc = rf_prepare_now(&p, a, err);
    *headers = p.headers;
    *count = p.header_count;
    rf_prepare_stop(&p);
    rf_net_free(own);
    return rc;
}

struct printed {
    bool over;
    enum rf_code rc;
    struct rf_arena *arena;
    struct rf_str *key;
    struct rf_err *err;
};

static inline void take_printed(void *ctx, enum rf_code rc, struct rf_str key,
                                const struct rf_err *err)
{
    struct printed *p = ctx;
    p->over = true;
    p->rc = rc;
    if (rc)
        *p->err = *err;
    else
        *p->key = rf_str_dup(p->arena, key);
}

/* What a command prints, or printed before. */
static inline enum rf_code run_command(struct rf_key_command c, int64_t timeout_ms,
                                       struct rf_arena *a, struct rf_str *key, struct rf_err *err)
{
    struct printed p = { .arena = a, .key = key, .err = err };
    struct rf_waiter w = { .got = take_printed, .ctx = &p };
    if (rf_key_command_recall(&c, a, key))
        return RF_OK;
    struct rf_net *net = rf_net_new();
    enum rf_code rc = rf_key_command_start(net, &c, timeout_ms, &w, err);
    while (!rc && !p.over)
        rf_net_wait(net, -1, -1);
    rf_net_free(net);
    return rc ? rc : p.rc;
}

/* The endpoint of a model, with the key that a command prints. */
static inline enum rf_code find_for(const struct rf_config *c, const struct rf_model *m,
                                    bool stream, struct rf_arena *a, struct rf_endpoint *out,
                                    struct rf_err *err)
{
    struct rf_key_command command = rf_endpoint_command(c, m, 0);
    struct rf_key_choice key = NO_KEY;
    enum rf_code rc =
        command.count ? run_command(command, RF_KEY_COMMAND_MS, a, &key.printed, err) : RF_OK;
    return rc ? rc : rf_endpoint_find(c, m, stream, key, a, out, err);
}

#endif
