/* What of the outside works here: libcurl, which is loaded at its first use, keys, endpoints. */
#include "base/arena.h"
#include "net/endpoint.h"

#include <refract/doctor.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#define PATIENCE_MS 4000
#define MOST_PROVIDERS 64

static void check_curl(void (*found)(void *context, const struct rf_finding *f), void *context)
{
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    struct rf_finding f = {
        .area = "library",
        .name = "libcurl",
        .health = library ? RF_HEALTH_GOOD : RF_HEALTH_PARTLY,
        .what = library ? "calling providers" : "not there: no provider can be called, offline can",
        .hint = library ? "" : "Install libcurl4.",
    };
    found(context, &f);
    if (library)
        dlclose(library);
}

/* One provider, looked at in a thread of its own: those that do not answer take their time
 * together. */
struct look {
    struct rf_arena *arena;
    struct rf_endpoint_status status;
    bool called;
    enum rf_code rc;
    struct rf_err err;
    pthread_t thread;
};

static bool is_called(const struct rf_endpoint_status *s)
{
    return s->found && s->base && rf_str_starts(rf_str(s->base), "http");
}

/* Any answer will do: it is there. */
static void *call(void *ctx)
{
    struct look *l = ctx;
    struct rf_net *net = rf_net_new();
    struct rf_net_reply reply;
    struct rf_net_call c = {
        .url = l->status.base,
        .connect_ms = PATIENCE_MS,
        .total_ms = PATIENCE_MS,
        .cancel_fd = -1,
        .plain_proxy = l->status.plain_proxy,
    };
    l->rc = rf_net_call(net, &c, l->arena, &reply, &l->err);
    if (reply.status)
        l->rc = RF_OK;
    rf_net_free(net);
    return NULL;
}

static void tell(const struct look *l, void (*found)(void *context, const struct rf_finding *f),
                 void *context)
{
    const struct rf_endpoint_status *s = &l->status;
    struct rf_finding f = { .area = "provider", .name = s->provider, .hint = "" };
    const char *key =
        s->key_from ? rf_strf(l->arena, "key in %s", s->key_from).p : "needs no key";
    if (!s->found || !s->base) {
        f.health = RF_HEALTH_MISSING;
        f.what = s->base ? "no key" : "no address";
        f.hint = s->hint;
    } else if (l->called && l->rc) {
        f.health = RF_HEALTH_PARTLY;
        f.what = rf_strf(l->arena, "%s; %s", key, l->err.msg).p;
        f.hint = l->err.hint;
    } else if (l->called) {
        f.what = rf_strf(l->arena, "%s; %s answers", key, s->base).p;
    } else if (rf_str_starts(rf_str(s->base), "http")) { /* there was no thread for it */
        f.health = RF_HEALTH_PARTLY;
        f.what = rf_strf(l->arena, "%s; %s was not called", key, s->base).p;
    } else {
        f.what = "needs no key: it is in this program";
    }
    found(context, &f);
}

static void start(struct look *l)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&l->thread, NULL, call, l) == 0)
        l->called = true;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool is_wanted(size_t i, const char *provider)
{
    return !provider || rf_str_is(rf_str(provider), rf_provider_name(i));
}

size_t rf_doctor_providers(const struct rf_config *config, const char *provider,
                           void (*found)(void *context, const struct rf_finding *f), void *context)
{
    struct look looks[MOST_PROVIDERS] = { 0 };
    size_t count = rf_provider_count() < MOST_PROVIDERS ? rf_provider_count() : MOST_PROVIDERS;
    size_t bad = 0;
    check_curl(found, context);
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(i, provider))
            continue;
        looks[i].arena = rf_arena_new();
        rf_endpoint_status(config, i, looks[i].arena, &looks[i].status);
        if (is_called(&looks[i].status))
            start(&looks[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (!looks[i].arena)
            continue;
        if (looks[i].called)
            pthread_join(looks[i].thread, NULL);
        tell(&looks[i], found, context);
        bad += provider && (looks[i].rc || !looks[i].status.found || !looks[i].status.base);
        rf_arena_free(looks[i].arena);
    }
    return bad;
}
