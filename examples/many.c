/* Several models at once, in one thread: ask each the same, and print what it says as soon as it
 * has said all of it.
 *
 *     cc many.c $(pkg-config --cflags --libs refract) -o many
 *     ./many conversation.json anthropic:claude-sonnet-5 openai:gpt-5.4-mini
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <refract/refract.h>

struct asked {
    const char *name;
    struct rf_model *model;
    struct rf_request *request;
    struct rf_send *send;
    size_t pieces;
    int *left, *failed;
};

static bool on_event(void *ctx, const struct rf_event *e)
{
    struct asked *a = ctx;
    a->pieces += e->type == RF_EVENT_TEXT;
    return true; /* false would stop it */
}

static bool on_waiting(void *ctx, int status, int64_t ms, struct rf_str why)
{
    const struct asked *a = ctx;
    fprintf(stderr, "%s: again in %lld ms (%d): %.*s\n", a->name, (long long)ms, status,
            RF_FMT(why));
    return true;
}

static void on_done(void *ctx, struct rf_send *s, enum rf_code rc, const struct rf_err *err)
{
    struct asked *a = ctx;
    struct rf_str json = rf_send_json(s);
    if (rc)
        fprintf(stderr, "%s: %s\n", a->name, err->msg);
    else
        printf("%s, in %zu pieces: %.*s\n", a->name, a->pieces, RF_FMT(json));
    *a->failed += rc != RF_OK;
    --*a->left;
}

static bool ask(struct rf_network *network, const struct rf_conversation *c,
                const struct rf_config *config, struct asked *a, struct rf_err *err)
{
    struct rf_request_options *o = rf_request_options_new();
    rf_request_options_stream(o);
    bool built = !rf_model_open(config, a->name, &a->model, err) &&
                 !rf_request_build(c, a->model, o, &a->request, err);
    rf_request_options_free(o);
    if (!built)
        return false;
    const struct rf_send_options what = {
        .size = sizeof what,
        .config = config,
        .model = a->model,
        .request = a->request,
        .event = on_event,
        .waiting = on_waiting,
        .done = on_done,
        .ctx = a,
    };
    a->send = rf_send_start(network, &what);
    return true;
}

/* Where a program has a loop of its own, the descriptor and the timeout go into that. */
static void run(struct rf_network *network, const int *left)
{
    while (*left > 0) {
        struct pollfd ready = { .fd = rf_network_fd(network), .events = POLLIN };
        poll(&ready, 1, rf_network_timeout_ms(network));
        rf_network_step(network);
    }
}

/* Memory ran out, or refract has a bug: the process aborts after this, unless it ends here. */
static void on_fatal(void *ctx, const struct rf_fatal *f)
{
    fprintf(stderr, "%s: %s (%s:%d)\n", (const char *)ctx, f->what, f->file, f->line);
}

int main(int argc, char **argv)
{
    int count = argc - 2, left = count, failed = 0;
    struct rf_config *config = NULL;
    struct rf_conversation *conversation = NULL;
    struct rf_err err;
    if (count < 1)
        return fprintf(stderr, "usage: many CONVERSATION MODEL...\n"), 2;
    rf_on_fatal(on_fatal, argv[0]);
    if (rf_config_open(&config, &err) || rf_conversation_open(argv[1], &conversation, &err))
        return fprintf(stderr, "%s\n", err.msg), 1;
    struct rf_network *network = rf_network_new();
    struct asked *all = calloc((size_t)count, sizeof *all);
    for (int i = 0; i < count; i++) {
        all[i] = (struct asked){ .name = argv[2 + i], .left = &left, .failed = &failed };
        if (!ask(network, conversation, config, &all[i], &err))
            return fprintf(stderr, "%s: %s\n", all[i].name, err.msg), 1;
    }
    run(network, &left);
    for (int i = 0; i < count; i++) {
        rf_send_free(all[i].send);
        rf_request_free(all[i].request);
        rf_model_close(all[i].model);
    }
    free(all);
    rf_network_free(network);
    rf_conversation_free(conversation);
    rf_config_close(config);
    return failed ? 1 : 0;
}
