/* libcurl, loaded with dlopen at its first use: its thirty libraries cost 5 ms at the start of a
 * program, and most commands never call anybody.
 *
 * The names are those of libcurl without their curl_. */
#ifndef RF_NET_CURL_LIBRARY_H
#define RF_NET_CURL_LIBRARY_H

#include "base/error.h"

#include <curl/curl.h>

struct rf_curl {
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    __typeof__(curl_easy_getinfo) *easy_getinfo;
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_pause) *easy_pause;
    __typeof__(curl_easy_reset) *easy_reset;
    __typeof__(curl_easy_setopt) *easy_setopt;
    __typeof__(curl_easy_strerror) *easy_strerror;
    __typeof__(curl_free) *free;
    __typeof__(curl_getdate) *getdate;
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_multi_add_handle) *multi_add_handle;
    __typeof__(curl_multi_cleanup) *multi_cleanup;
    __typeof__(curl_multi_info_read) *multi_info_read;
    __typeof__(curl_multi_init) *multi_init;
    __typeof__(curl_multi_remove_handle) *multi_remove_handle;
    __typeof__(curl_multi_setopt) *multi_setopt;
    __typeof__(curl_multi_socket_action) *multi_socket_action;
    __typeof__(curl_multi_strerror) *multi_strerror;
    __typeof__(curl_slist_append) *slist_append;
    __typeof__(curl_slist_free_all) *slist_free_all;
    __typeof__(curl_url) *url;
    __typeof__(curl_url_cleanup) *url_cleanup;
    __typeof__(curl_url_get) *url_get;
    __typeof__(curl_url_set) *url_set;
};

/* Filled by rf_curl_load, once; then it does not change. */
extern struct rf_curl rf_curl;

/* Fails with RF_ECONFIG where there is no libcurl, or one that is too old. */
RF_MUST enum rf_code rf_curl_load(struct rf_err *err);

#endif
