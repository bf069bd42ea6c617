#include "sim/microhttpd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct rf_mhd rf_mhd;

#define SYMBOL(name)                                \
    {                                               \
        "MHD_" #name, offsetof(struct rf_mhd, name) \
    }

static const struct {
    const char *name;
    size_t at; /* in rf_mhd */
} symbols[] = {
    SYMBOL(add_response_header),
    SYMBOL(create_response_from_buffer),
    SYMBOL(create_response_from_callback),
    SYMBOL(destroy_response),
    SYMBOL(lookup_connection_value),
    SYMBOL(queue_response),
    SYMBOL(start_daemon),
    SYMBOL(stop_daemon),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char missing[200]; /* why the library cannot be used; "" when it can */

static void load(void)
{
    void *lib = dlopen("libmicrohttpd.so.12", RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; lib && i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(lib, symbols[i].name);
        memcpy((char *)&rf_mhd + symbols[i].at, &symbol, sizeof symbol);
        if (!symbol)
            lib = NULL;
    }
    if (!lib) {
        const char *why = dlerror();
        snprintf(missing, sizeof missing, "%s", why ? why : "it is another library");
    }
}

enum rf_code rf_mhd_load(struct rf_err *err)
{
    pthread_once(&once, load);
    if (!missing[0])
        return RF_OK;
    rf_fail(err, RF_ECONFIG, "could not load the library for servers: %s", missing);
    rf_hint(
        err,
        "Install libmicrohttpd (Debian: libmicrohttpd12); the model \"offline\" works without.");
    return RF_ECONFIG;
}
