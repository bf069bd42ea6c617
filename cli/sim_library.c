#include "sim_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

struct rf_libsim rf_libsim;

#define SYMBOL(name)                                            \
    {                                                           \
        "rf_simulator_" #name, offsetof(struct rf_libsim, name) \
    }

static const struct {
    const char *name;
    size_t at; /* in rf_libsim */
} symbols[] = {
    SYMBOL(offline),        SYMBOL(options_new),    SYMBOL(options_free),  SYMBOL(options_provider),
    SYMBOL(options_script), SYMBOL(options_replay), SYMBOL(options_blind), SYMBOL(options_seed),
    SYMBOL(options_log),    SYMBOL(start),          SYMBOL(port),          SYMBOL(stop),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char missing[200]; /* why the library cannot be used; "" when it can */

static void load(void)
{
    void *lib = dlopen("librefract-sim.so.0", RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; lib && i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(lib, symbols[i].name);
        memcpy((char *)&rf_libsim + symbols[i].at, &symbol, sizeof symbol);
        if (!symbol)
            lib = NULL;
    }
    if (!lib) {
        const char *why = dlerror();
        snprintf(missing, sizeof missing, "%s", why ? why : "it is another library");
    }
}

enum rf_code rf_libsim_load(struct rf_err *err)
{
    pthread_once(&once, load);
    if (!missing[0])
        return RF_OK;
    rf_say(err, RF_ECONFIG, "could not load librefract-sim, which has the model \"offline\": %s",
           missing);
    rf_say_hint(err, "Install it from where refract came from (Debian: librefract-sim0).");
    return RF_ECONFIG;
}

static void answer(void *ctx, const struct rf_offline_call *call)
{
    struct rf_err err;
    (void)ctx;
    if (rf_libsim_load(&err)) {
        call->reply(call->to, 501, rf_text(err.msg), 0);
        return;
    }
    struct rf_offline offline = rf_libsim.offline();
    offline.answer(offline.ctx, call);
}

struct rf_offline rf_libsim_offline(void)
{
    return (struct rf_offline){ .answer = answer };
}
