/* What libcurl is told before a call begins. It refuses to go on where a certificate does not
 * verify, to speak anything but HTTP, and to send a header with a line feed in it. */
#include "net/transfer.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "net/proxy.h"

#include <refract/version.h>

#include <stdlib.h>

#define CONNECT_MS (10 * 1000)
#define UPLOAD_BYTES (512 * 1024) /* handed to the network at once */
#define MAX_HEADER_BYTES (64 * 1024)

/* libcurl takes the protocols as text since 7.85, and as bits before. */
#if LIBCURL_VERSION_NUM >= 0x075500
#define WEB_ONLY(option) option##_STR, "http,https"
#else
#define WEB_ONLY(option) option, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)
#endif

static enum rf_code add_header(struct rf_transfer *t, struct rf_str name, struct rf_str value,
                               struct rf_err *err)
{
    struct rf_buf b;
    struct rf_str line;
    rf_buf_init(&b, t->arena, MAX_HEADER_BYTES);
    rf_buf_add(&b, name);
    rf_buf_add(&b, value.n ? RF_STR(": ")
                           : RF_STR(";")); /* how libcurl wants to hear of an empty one */
    rf_buf_add(&b, value);
    bool bad = rf_buf_finish(&b, &line, NULL) || !name.n || memchr(name.p, ':', name.n);
    for (size_t i = 0; !bad && i < line.n; i++)
        bad = line.p[i] == '\r' || line.p[i] == '\n' || line.p[i] == '\0';
    if (bad) {
        rf_fail(err, RF_EUSAGE, "the header \"%.*s\" cannot be sent", RF_FMT(name));
        rf_hint(err,
                "A header is one line; a key that was read from a file may end in a line feed.");
        return RF_EUSAGE;
    }
    struct curl_slist *longer = rf_curl.slist_append(t->headers, line.p);
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
        rc = add_header(t, c->headers[i].name, c->headers[i].value, err);
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
        RF_TRANSFER_SET(t, CURLOPT_UPLOAD_BUFFERSIZE,
                        (long)(c->body->length < UPLOAD_BYTES ? c->body->length : UPLOAD_BYTES));
    }
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
    const char *proxy = t->call.may_connect ? NULL : rf_proxy_of(t->call.url, t->arena);
    t->proxied = proxy != NULL;
    RF_TRANSFER_SET(t, CURLOPT_PROXY, proxy ? proxy : "");
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

enum rf_code rf_transfer_set_up(struct rf_transfer *t, struct rf_err *err)
{
    rf_transfer_attach(t);
    set_connection(t);
    set_security(t);
    set_method(t);
    enum rf_code rc = set_headers(t, err);
    if (!rc && t->wrong_option) {
        rc = rf_fail(err, RF_ECONFIG, "libcurl does not take an option: %s",
                     rf_curl.easy_strerror(t->wrong_option));
        rf_hint(err, "Install libcurl 7.85 or later.");
    }
    return rc;
}
