#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static bool find_symbols(const struct rf_library *l, void *handle)
{
    for (size_t i = 0; i < l->count; i++) {
        void *symbol = dlsym(handle, l->symbols[i].name);
        memcpy((char *)l->functions + l->symbols[i].at, &symbol, sizeof symbol);
        if (!symbol)
            return false;
    }
    return true;
}

static void load(struct rf_library *l)
{
    void *handle = dlopen(l->files[0], RTLD_LAZY | RTLD_LOCAL);
    if (!handle && l->files[1])
        handle = dlopen(l->files[1], RTLD_LAZY | RTLD_LOCAL);
    l->tried = true;
    if (!handle || !find_symbols(l, handle)) {
        const char *why = dlerror();
        snprintf(l->missing, sizeof l->missing, "%s", why ? why : "it is another library");
    } else if (l->set_up && !l->set_up()) {
        snprintf(l->missing, sizeof l->missing, "it could not be initialised");
    }
}

enum rf_code rf_library_load(struct rf_library *l, struct rf_err *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!l->tried)
        load(l);
    pthread_mutex_unlock(&lock);
    if (!l->missing[0])
        return RF_OK;
    rf_fail(err, l->code, "could not load %s: %s", l->what, l->missing);
    rf_advise(err, l->reason, "%s", l->hint);
    return l->code;
}
