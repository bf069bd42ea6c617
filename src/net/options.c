/* What libcurl is told before a call begins. It refuses to go on where a certificate does not
 * verify, to speak anything but HTTP, and to send a header with a line feed in it. */
#include "net/transfer.h"

#include "base/arena.h"
#include "base/error.h"
#include "net/head.h"

#include <refract/version.h>

#include <stdlib.h>

#define CONNECT_MS (10 * 1000)
#define UPLOAD_BYTES (512 * 1024) /* handed to the network at once */

/* libcurl takes the protocols as text since 7.85, and as bits before. */
#if LIBCURL_VERSION_NUM >= 0x075500
#define WEB_ONLY(option) option##_STR, "http,https"
#else
#define WEB_ONLY(option) option, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)
#endif

static enum rf_code add_header(struct rf_transfer *t, const struct rf_header *h, struct rf_err *err)
{
    enum rf_code rc = rf_header_check(h, err);
    if (rc)
        return rc;
    /* A semicolon is how libcurl wants to hear of an empty one. */
    struct rf_str name = rf_str_join(t->arena, h->name, h->value.n ? RF_STR(": ") : RF_STR(";"));
    const char *line = rf_cstr(t->arena, rf_str_join(t->arena, name, h->value));
    struct curl_slist *longer = rf_curl.slist_append(t->headers, line);
    if (!longer)
        RF_NO_MEMORY();
    t->headers = longer;
    return RF_OK;
}

static enum rf_code set_headers(struct rf_transfer *t, struct rf_err *err)
{
    const struct rf_net_call *c = &t->call;
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < c->header_count; i++)
        rc = add_header(t, &c->headers[i], err);
    /* Without this libcurl waits up to a second before it sends a body. */
    struct curl_slist *longer = rc ? NULL : rf_curl.slist_append(t->headers, "Expect:");
    if (longer)
        t->headers = longer;
    RF_TRANSFER_SET(t, CURLOPT_HTTPHEADER, t->headers);
    RF_TRANSFER_SET(t, CURLOPT_USERAGENT, "refract/" RF_VERSION);
    return rc;
}

static void set_method(struct rf_transfer *t)
{
    const struct rf_net_call *c = &t->call;
    if (c->body) {
        RF_TRANSFER_SET(t, CURLOPT_POST, 1L);
        RF_TRANSFER_SET(t, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->body->length);
    }
    if (c->body && !t->small)
        RF_TRANSFER_SET(t, CURLOPT_UPLOAD_BUFFERSIZE,
                        (long)(c->body->length < UPLOAD_BYTES ? c->body->length : UPLOAD_BYTES));
    if (!c->method)
        return;
    if (strcmp(c->method, "HEAD") == 0)
        RF_TRANSFER_SET(t, CURLOPT_NOBODY, 1L);
    else
        RF_TRANSFER_SET(t, CURLOPT_CUSTOMREQUEST, c->method);
}

static void set_security(struct rf_transfer *t)
{
    const char *trusted = getenv("CURL_CA_BUNDLE");
    if (!trusted || !trusted[0])
        trusted = getenv("SSL_CERT_FILE");
    if (trusted && trusted[0])
        RF_TRANSFER_SET(t, CURLOPT_CAINFO, trusted);
    RF_TRANSFER_SET(t, CURLOPT_SSL_VERIFYPEER, 1L);
    RF_TRANSFER_SET(t, CURLOPT_SSL_VERIFYHOST, 2L);
    rf_transfer_keep(t, rf_curl.easy_setopt(t->easy, WEB_ONLY(CURLOPT_PROTOCOLS)));
    RF_TRANSFER_SET(t, CURLOPT_PROXY, t->proxy ? t->proxy : "");
}

static void set_connection(struct rf_transfer *t)
{
    int64_t connect_ms = t->call.connect_ms ? t->call.connect_ms : CONNECT_MS;
    RF_TRANSFER_SET(t, CURLOPT_URL, t->call.url);
    RF_TRANSFER_SET(t, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
    RF_TRANSFER_SET(t, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    RF_TRANSFER_SET(t, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    RF_TRANSFER_SET(t, CURLOPT_TCP_KEEPALIVE, 1L); /* a model may think for minutes */
    RF_TRANSFER_SET(t, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    /* A call that was stopped does not wait for a name server. */
    rf_curl.easy_setopt(t->easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static enum rf_code check_options(const struct rf_transfer *t, struct rf_err *err)
{
    if (!t->wrong_option)
        return RF_OK;
    rf_fail(err, RF_ECONFIG, "libcurl does not take an option: %s",
            rf_curl.easy_strerror(t->wrong_option));
    rf_hint(err, "Install libcurl 7.85 or later.");
    return RF_ECONFIG;
}

enum rf_code rf_transfer_set_up(struct rf_transfer *t, struct rf_err *err)
{
    rf_transfer_attach(t);
    set_connection(t);
    set_security(t);
    set_method(t);
    enum rf_code rc = set_headers(t, err);
    return rc ? rc : check_options(t, err);
}

enum rf_code rf_transfer_set_up_connection(struct rf_transfer *t, struct rf_err *err)
{
    rf_transfer_attach_connection(t);
    set_connection(t);
    set_security(t);
    RF_TRANSFER_SET(t, CURLOPT_CONNECT_ONLY, 1L);
    return check_options(t, err);
}
