#include "net/curl_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct rf_curl rf_curl;

static const struct {
    const char *name;
    size_t at; /* in rf_curl */
} symbols[] = {
    { "curl_easy_cleanup", offsetof(struct rf_curl, easy_cleanup) },
    { "curl_easy_getinfo", offsetof(struct rf_curl, easy_getinfo) },
    { "curl_easy_init", offsetof(struct rf_curl, easy_init) },
    { "curl_easy_reset", offsetof(struct rf_curl, easy_reset) },
    { "curl_easy_setopt", offsetof(struct rf_curl, easy_setopt) },
    { "curl_easy_strerror", offsetof(struct rf_curl, easy_strerror) },
    { "curl_getdate", offsetof(struct rf_curl, getdate) },
    { "curl_global_init", offsetof(struct rf_curl, global_init) },
    { "curl_multi_add_handle", offsetof(struct rf_curl, multi_add_handle) },
    { "curl_multi_cleanup", offsetof(struct rf_curl, multi_cleanup) },
    { "curl_multi_info_read", offsetof(struct rf_curl, multi_info_read) },
    { "curl_multi_init", offsetof(struct rf_curl, multi_init) },
    { "curl_multi_perform", offsetof(struct rf_curl, multi_perform) },
    { "curl_multi_poll", offsetof(struct rf_curl, multi_poll) },
    { "curl_multi_remove_handle", offsetof(struct rf_curl, multi_remove_handle) },
    { "curl_multi_setopt", offsetof(struct rf_curl, multi_setopt) },
    { "curl_multi_strerror", offsetof(struct rf_curl, multi_strerror) },
    { "curl_slist_append", offsetof(struct rf_curl, slist_append) },
    { "curl_slist_free_all", offsetof(struct rf_curl, slist_free_all) },
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char missing[200]; /* why the library cannot be used; "" when it can */

static void load(void)
{
    void *lib = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; lib && i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(lib, symbols[i].name);
        memcpy((char *)&rf_curl + symbols[i].at, &symbol, sizeof symbol);
        if (!symbol)
            lib = NULL;
    }
    if (!lib) {
        const char *why = dlerror();
        snprintf(missing, sizeof missing, "%s", why ? why : "it is another library");
    } else if (rf_curl.global_init(CURL_GLOBAL_DEFAULT)) {
        snprintf(missing, sizeof missing, "it could not be initialised");
    }
}

enum rf_code rf_curl_load(struct rf_err *err)
{
    pthread_once(&once, load);
    if (!missing[0])
        return RF_OK;
    rf_fail(err, RF_ECONFIG, "could not load libcurl, which talks to the network: %s", missing);
    rf_hint(err, "Install libcurl (Debian: libcurl4); the model \"offline\" needs no network.");
    return RF_ECONFIG;
}
