#include "net/curl_library.h"

#include "base/library.h"

struct rf_curl rf_curl;

static const struct rf_symbol symbols[] = {
    { "curl_easy_cleanup", offsetof(struct rf_curl, easy_cleanup) },
    { "curl_easy_getinfo", offsetof(struct rf_curl, easy_getinfo) },
    { "curl_easy_init", offsetof(struct rf_curl, easy_init) },
    { "curl_easy_pause", offsetof(struct rf_curl, easy_pause) },
    { "curl_easy_reset", offsetof(struct rf_curl, easy_reset) },
    { "curl_easy_setopt", offsetof(struct rf_curl, easy_setopt) },
    { "curl_easy_strerror", offsetof(struct rf_curl, easy_strerror) },
    { "curl_free", offsetof(struct rf_curl, free) },
    { "curl_getdate", offsetof(struct rf_curl, getdate) },
    { "curl_global_init", offsetof(struct rf_curl, global_init) },
    { "curl_multi_add_handle", offsetof(struct rf_curl, multi_add_handle) },
    { "curl_multi_cleanup", offsetof(struct rf_curl, multi_cleanup) },
    { "curl_multi_info_read", offsetof(struct rf_curl, multi_info_read) },
    { "curl_multi_init", offsetof(struct rf_curl, multi_init) },
    { "curl_multi_remove_handle", offsetof(struct rf_curl, multi_remove_handle) },
    { "curl_multi_setopt", offsetof(struct rf_curl, multi_setopt) },
    { "curl_multi_socket_action", offsetof(struct rf_curl, multi_socket_action) },
    { "curl_multi_strerror", offsetof(struct rf_curl, multi_strerror) },
    { "curl_slist_append", offsetof(struct rf_curl, slist_append) },
    { "curl_slist_free_all", offsetof(struct rf_curl, slist_free_all) },
    { "curl_url", offsetof(struct rf_curl, url) },
    { "curl_url_cleanup", offsetof(struct rf_curl, url_cleanup) },
    { "curl_url_get", offsetof(struct rf_curl, url_get) },
    { "curl_url_set", offsetof(struct rf_curl, url_set) },
};

static bool set_up(void)
{
    return rf_curl.global_init(CURL_GLOBAL_DEFAULT) == 0;
}

static struct rf_library library = {
    .files = { "libcurl.so.4" },
    .symbols = symbols,
    .count = sizeof symbols / sizeof *symbols,
    .functions = &rf_curl,
    .set_up = set_up,
    .what = "libcurl, which talks to the network",
    .hint = "Install libcurl (Debian: libcurl4); the model \"offline\" needs no network.",
    .code = RF_ECONFIG,
};

enum rf_code rf_curl_load(struct rf_err *err)
{
    return rf_library_load(&library, err);
}
