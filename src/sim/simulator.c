/* What librefract-sim shows: the model in this process, options in a bag, and the server. */
#include <refract/sim.h>

#include "base/arena.h"
#include "sim/sim.h"

#include <stdlib.h>

/* The model in this process */

struct headers {
    struct rf_str lines;
    struct rf_arena *arena;
};

static const char *header(void *ctx, const char *name)
{
    const struct headers *h = ctx;
    struct rf_str rest = h->lines, line, key;
    while (rf_str_split(&rest, '\n', &line))
        if (rf_str_split(&line, ':', &key) && rf_str_ieq(rf_str_trim(key), rf_str(name)))
            return rf_cstr(h->arena, rf_str_trim(line));
    return NULL;
}

static void answer(void *ctx, const struct rf_offline_call *call)
{
    const struct rf_sim_options options = { .any_key = true, .stop_fd = call->stop_fd, .seed = 1 };
    struct rf_arena *a = rf_arena_new();
    struct headers headers = { rf_str(call->headers), a };
    const struct rf_sim_call asked = {
        .method = "POST",
        .path = call->path,
        .header = header,
        .ctx = &headers,
        .body = call->body,
    };
    struct rf_sim_reply reply;
    struct rf_sim *sim;
    (void)ctx;
    if (rf_sim_new(&options, &sim, NULL))
        RF_BUG("a simulator without a script was not made");
    rf_sim_answer(sim, &asked, a, &reply);
    for (size_t i = 0; i < reply.count; i++)
        if (!call->reply(call->to, reply.status, reply.chunks[i].bytes, reply.chunks[i].delay_ms))
            break;
    rf_sim_free(sim);
    rf_arena_free(a);
}

struct rf_offline rf_simulator_offline(void)
{
    return (struct rf_offline){ .answer = answer };
}

/* The server */

struct rf_simulator_options {
    struct rf_arena *arena;
    struct rf_sim_options o;
};

struct rf_simulator {
    struct rf_sim *sim;
    struct rf_sim_server *server;
    int port;
};

struct rf_simulator_options *rf_simulator_options_new(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_simulator_options *o = RF_NEW(a, struct rf_simulator_options);
    o->arena = a;
    return o;
}

void rf_simulator_options_free(struct rf_simulator_options *o)
{
    if (o)
        rf_arena_free(o->arena);
}

static const char *kept(struct rf_simulator_options *o, const char *s)
{
    return s ? rf_cstr(o->arena, rf_str(s)) : NULL;
}

void rf_simulator_options_provider(struct rf_simulator_options *o, const char *provider)
{
    o->o.provider = kept(o, provider);
}

void rf_simulator_options_script(struct rf_simulator_options *o, const char *file)
{
    o->o.script = kept(o, file);
}

void rf_simulator_options_replay(struct rf_simulator_options *o, const char *folder)
{
    o->o.replay = kept(o, folder);
}

void rf_simulator_options_blind(struct rf_simulator_options *o)
{
    o->o.ignore_images = true;
}

void rf_simulator_options_seed(struct rf_simulator_options *o, uint64_t seed)
{
    o->o.seed = seed;
}

void rf_simulator_options_log(struct rf_simulator_options *o,
                              void (*log)(void *ctx, const char *line), void *ctx)
{
    o->o.log = log;
    o->o.ctx = ctx;
}

enum rf_code rf_simulator_start(const struct rf_simulator_options *o, int port,
                                struct rf_simulator **out, struct rf_err *err)
{
    struct rf_simulator *s = calloc(1, sizeof *s);
    if (!s)
        RF_NO_MEMORY();
    enum rf_code rc = rf_sim_new(&o->o, &s->sim, err);
    if (!rc)
        rc = rf_sim_listen(s->sim, port, &s->server, &s->port, err);
    if (rc) {
        rf_simulator_stop(s);
        return rc;
    }
    *out = s;
    return RF_OK;
}

int rf_simulator_port(const struct rf_simulator *s)
{
    return s->port;
}

void rf_simulator_stop(struct rf_simulator *s)
{
    if (!s)
        return;
    rf_sim_close(s->server);
    rf_sim_free(s->sim);
    free(s);
}
