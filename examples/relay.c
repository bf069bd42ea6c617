/* A relay: a request for Anthropic's Messages API in, the same asked of another model, its reply as
 * the Messages API would write it out, as it comes.
 *
 *     cc relay.c $(pkg-config --cflags --libs refract) -o relay
 *     ./relay openai-chat:gpt-5.4-mini --stream <request.json >reply
 *
 * The status of HTTP that a server would send goes to standard error where it is not 200, and so
 * does the time after which to try again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#define DIALECT "anthropic"

struct relay {
    struct rf_config *config;
    struct rf_conversation *conversation;
    struct rf_model *model;
    struct rf_request *request;
    struct rf_network *network;
    struct rf_send *send;
    struct rf_respond *respond;
    struct rf_err err, unsaid; /* `unsaid`: why the reply could not be written */
};

static bool write_out(struct rf_respond *r)
{
    struct rf_str bytes = rf_respond_bytes(r);
    return fwrite(bytes.p, 1, bytes.n, stdout) == bytes.n && !fflush(stdout);
}

/* Whoever reads it may be gone: then there is no use in hearing the rest. */
static bool on_event(void *ctx, const struct rf_event *e)
{
    struct relay *r = ctx;
    return !rf_respond_event(r->respond, e, &r->unsaid) && write_out(r->respond);
}

static enum rf_code prepare(struct relay *r, const char *model, bool stream)
{
    struct rf_request_options *o = rf_request_options_new();
    struct rf_respond_options how = { .size = sizeof how, .dialect = DIALECT, .stream = stream };
    if (stream)
        rf_request_options_stream(o);
    enum rf_code rc = rf_config_open(&r->config, &r->err);
    if (!rc)
        rc = rf_conversation_import(DIALECT, "-", &r->conversation, &r->err);
    if (!rc)
        rc = rf_model_open(r->config, model, &r->model, &r->err);
    if (!rc)
        rc = rf_request_build(r->conversation, r->model, o, &r->request, &r->err);
    how.from = r->model;
    if (!rc)
        rc = rf_respond_new(&how, &r->respond, &r->err);
    rf_request_options_free(o);
    return rc;
}

/* What went wrong before the model said anything is said in its place. */
static void say_failure(struct relay *r)
{
    struct rf_str words = { r->err.msg, strlen(r->err.msg) };
    struct rf_event e = { .size = sizeof e,
                          .type = RF_EVENT_ERROR,
                          .error = RF_ERROR_OTHER,
                          .text = words,
                          .retry_after_ms = -1 };
    struct rf_event done = { .size = sizeof done, .type = RF_EVENT_DONE };
    if (on_event(r, &e))
        on_event(r, &done);
}

static enum rf_code relay(struct relay *r)
{
    struct rf_send_options what = {
        .size = sizeof what,
        .config = r->config,
        .model = r->model,
        .request = r->request,
        .event = on_event,
        .ctx = r,
    };
    r->network = rf_network_new();
    enum rf_code rc = rf_send(r->network, &what, &r->send, &r->err);
    if (r->unsaid.code)
        r->err = r->unsaid;
    else if (rc && !rf_send_reply(r->send))
        say_failure(r);
    for (size_t i = 0; i < rf_respond_lost_count(r->respond); i++) {
        struct rf_str lost = rf_respond_lost(r->respond, i);
        fprintf(stderr, "not said: %.*s\n", RF_FMT(lost));
    }
    if (rf_respond_status(r->respond) != 200)
        fprintf(stderr, "status: %d\n", rf_respond_status(r->respond));
    if (rf_respond_retry_after_ms(r->respond) >= 0)
        fprintf(stderr, "retry-after-ms: %lld\n", (long long)rf_respond_retry_after_ms(r->respond));
    return rc;
}

int main(int argc, char **argv)
{
    struct relay r = { 0 };
    bool stream = argc == 3 && strcmp(argv[2], "--stream") == 0;
    if (argc != 2 && !stream)
        return fprintf(stderr, "usage: relay MODEL [--stream] <request >reply\n"), 2;
    enum rf_code rc = prepare(&r, argv[1], stream);
    if (!rc)
        rc = relay(&r);
    if (rc)
        fprintf(stderr, "%s\n%s%s", r.err.msg, r.err.hint, r.err.hint[0] ? "\n" : "");
    rf_send_free(r.send);
    rf_network_free(r.network);
    rf_respond_free(r.respond);
    rf_request_free(r.request);
    rf_model_close(r.model);
    rf_conversation_free(r.conversation);
    rf_config_close(r.config);
    return rc ? 1 : 0;
}
