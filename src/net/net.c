/* Calls through libcurl's multi interface, one at a time: its loop is ours, so that a call can
 * be stopped between any two bytes, and its connections stay for the next call.
 *
 * It refuses to go on where a certificate does not verify, to speak anything but HTTP, and to
 * send a header with a line feed in it. */
#include "net/net.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "net/curl_library.h"
#include "net/proxy.h"
#include "net/transfer.h"
#include "net/waiting.h"

#include <refract/version.h>

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define CONNECT_MS (10 * 1000)
#define FIRST_BYTE_MS (10 * 60 * 1000)
#define IDLE_MS (2 * 60 * 1000)
#define LOOK_MS 1000 /* the longest sleep between two looks at the clock */
#define KEPT_CONNECTIONS 8
#define UPLOAD_BYTES (512 * 1024) /* handed to the network at once */
#define MAX_HEADER_BYTES (64 * 1024)

/* libcurl takes the protocols as text since 7.85, and as bits before. */
#if LIBCURL_VERSION_NUM >= 0x075500
#define WEB_ONLY(option) option##_STR, "http,https"
#else
#define WEB_ONLY(option) option, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)
#endif

struct rf_net {
    CURLM *multi; /* made at the first call */
    CURL *easy;
    bool busy;
};

struct rf_net *rf_net_new(void)
{
    struct rf_net *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    return n;
}

void rf_net_free(struct rf_net *n)
{
    if (!n)
        return;
    if (n->easy)
        rf_curl.easy_cleanup(n->easy);
    if (n->multi)
        rf_curl.multi_cleanup(n->multi);
    free(n);
}

static enum rf_code prepare(struct rf_net *n, struct rf_err *err)
{
    enum rf_code rc = rf_curl_load(err);
    if (rc)
        return rc;
    if (!n->multi && (n->multi = rf_curl.multi_init()))
        rf_curl.multi_setopt(n->multi, CURLMOPT_MAXCONNECTS, (long)KEPT_CONNECTIONS);
    if (!n->easy)
        n->easy = rf_curl.easy_init();
    if (!n->multi || !n->easy)
        abort(); /* out of memory */
    return RF_OK;
}

/* The host of a URL, without whoever logs in there. */
static struct rf_str host_of(const char *url)
{
    const char *scheme = strstr(url, "://"), *host = scheme ? scheme + 3 : url;
    size_t n = strcspn(host, "/?#\\");
    for (size_t i = n; i > 0; i--)
        if (host[i - 1] == '@')
            return (struct rf_str){ host + i, n - i };
    return (struct rf_str){ host, n };
}

/* Options. */

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
        abort(); /* out of memory */
    t->headers = longer;
    return RF_OK;
}

static enum rf_code set_headers(struct rf_transfer *t, struct rf_err *err)
{
    const struct rf_net_call *c = t->call;
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
    const struct rf_net_call *c = t->call;
    if (c->body) {
        RF_TRANSFER_SET(t, CURLOPT_POST, 1L);
        RF_TRANSFER_SET(t, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->body->length);
        RF_TRANSFER_SET(t, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BYTES);
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
    const char *proxy = t->call->may_connect ? NULL : rf_proxy_of(t->call->url, t->arena);
    RF_TRANSFER_SET(t, CURLOPT_PROXY, proxy ? proxy : "");
}

static void set_connection(struct rf_transfer *t)
{
    int64_t connect_ms = t->call->connect_ms ? t->call->connect_ms : CONNECT_MS;
    RF_TRANSFER_SET(t, CURLOPT_URL, t->call->url);
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

static enum rf_code set_up(struct rf_transfer *t, struct rf_err *err)
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

/* Failures. */

static const struct {
    CURLcode code;
    const char *hint;
} hints[] = {
    { CURLE_COULDNT_RESOLVE_HOST, "Check the name and the connection to the network." },
    { CURLE_COULDNT_RESOLVE_PROXY, "Check the variables https_proxy, http_proxy and all_proxy." },
    { CURLE_COULDNT_CONNECT, "Check the address and that the server runs." },
    { CURLE_PEER_FAILED_VERIFICATION,
      "The server is not trusted. Is a proxy between? SSL_CERT_FILE names a file with its "
      "certificate." },
    { CURLE_SSL_CACERT_BADFILE, "Check the file that CURL_CA_BUNDLE or SSL_CERT_FILE names." },
    { CURLE_OPERATION_TIMEDOUT, "Check the address and the connection to the network." },
    { CURLE_UNSUPPORTED_PROTOCOL, "The address begins with https:// or http://." },
};

static enum rf_code fail_refused(const struct rf_transfer *t, struct rf_err *err)
{
    rf_fail(err, RF_EPERMISSION, "%.*s leads to an address that may not be reached from here",
            RF_FMT(host_of(t->call->url)));
    rf_hint(err, "Addresses of this machine and of private networks are not fetched.");
    return RF_EPERMISSION;
}

/* A connection that was refused, or a name server that did not answer; a certificate stays as it
 * is. */
static bool is_passing(CURLcode code)
{
    return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
           code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT;
}

static enum rf_code fail_curl(const struct rf_transfer *t, CURLcode code, struct rf_err *err)
{
    struct rf_str host = host_of(t->call->url);
    if (t->stop == RF_TRANSFER_NO_BODY) {
        if (err)
            *err = t->err;
        return t->err.code;
    }
    if (t->stop == RF_TRANSFER_ENOUGH)
        return rf_fail(err, RF_ELIMIT, "the answer of %.*s was not taken to its end", RF_FMT(host));
    if (t->refused && !t->reply->status)
        return fail_refused(t, err);
    t->reply->unreachable = !t->connected && is_passing(code);
    const char *why = t->why[0] ? t->why : rf_curl.easy_strerror(code);
    rf_fail(err, RF_EPROVIDER, "%s %.*s: %s",
            t->answered    ? "the answer broke off from"
            : t->connected ? "no answer from"
                           : "could not reach",
            RF_FMT(host), why);
    rf_hint(err, "Try again in a moment.");
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].code == code)
            rf_hint(err, "%s", hints[i].hint);
    return RF_EPROVIDER;
}

static enum rf_code fail_late(const struct rf_transfer *t, int64_t waited_ms, struct rf_err *err)
{
    struct rf_str host = host_of(t->call->url);
    const char *what = t->reply->began ? "stopped in the middle of its answer"
                       : t->call->body && t->body_read < t->call->body->length
                           ? "stopped taking the request"
                           : "did not answer";
    rf_fail(err, RF_EPROVIDER, "%.*s %s: nothing came for %" PRId64 ".%" PRId64 " s", RF_FMT(host),
            what, waited_ms / 1000, waited_ms % 1000 / 100);
    rf_hint(err, "Try again in a moment.");
    return RF_EPROVIDER;
}

static enum rf_code fail_too_long(const struct rf_transfer *t, struct rf_err *err)
{
    t->reply->overdue = true;
    rf_fail(err, RF_ELIMIT, "%.*s took longer than %" PRId64 " s", RF_FMT(host_of(t->call->url)),
            (t->call->total_ms + 999) / 1000);
    rf_hint(err, "Try again in a moment.");
    return RF_ELIMIT;
}

/* The loop. */

/* Milliseconds that may pass without a byte; -1: libcurl watches the clock. */
static int64_t patience_ms(const struct rf_transfer *t)
{
    const struct rf_net_call *c = t->call;
    if (!t->connected)
        return -1;
    /* A model may be thinking although the head of its answer is there. */
    if (!t->reply->began && (!c->body || t->body_read >= c->body->length))
        return c->first_byte_ms ? c->first_byte_ms : FIRST_BYTE_MS;
    return c->idle_ms ? c->idle_ms : IDLE_MS;
}

static bool is_cancelled(const struct rf_transfer *t)
{
    struct pollfd fd = { .fd = t->call->cancel_fd, .events = POLLIN };
    return fd.fd >= 0 && poll(&fd, 1, 0) > 0;
}

static enum rf_code check_time(const struct rf_transfer *t, int64_t *left_ms, struct rf_err *err)
{
    int64_t now = rf_now_ms(), patience = patience_ms(t), left = LOOK_MS;
    int64_t total = t->call->total_ms;
    if (patience >= 0 && now - t->moved_ms >= patience)
        return fail_late(t, now - t->moved_ms, err);
    if (total && now - t->began_ms >= total)
        return fail_too_long(t, err);
    if (patience >= 0 && patience - (now - t->moved_ms) < left)
        left = patience - (now - t->moved_ms);
    if (total && total - (now - t->began_ms) < left)
        left = total - (now - t->began_ms);
    *left_ms = left;
    return RF_OK;
}

static enum rf_code finish(struct rf_net *n, struct rf_transfer *t, struct rf_err *err)
{
    int left;
    const CURLMsg *m = rf_curl.multi_info_read(n->multi, &left);
    CURLcode code = m && m->msg == CURLMSG_DONE ? m->data.result : CURLE_RECV_ERROR;
    if (!code)
        rf_transfer_end(t);
    return code || t->stop ? fail_curl(t, code, err) : RF_OK;
}

static enum rf_code run(struct rf_net *n, struct rf_transfer *t, struct rf_err *err)
{
    for (;;) {
        int running = 0;
        int64_t left_ms = 0;
        struct curl_waitfd cancel = { .fd = t->call->cancel_fd, .events = CURL_WAIT_POLLIN };
        if (is_cancelled(t))
            return rf_fail(err, RF_EINTERRUPTED, "the call was stopped");
        CURLMcode rc = rf_curl.multi_perform(n->multi, &running);
        if (!rc && !running)
            return finish(n, t, err);
        enum rf_code late = check_time(t, &left_ms, err);
        if (late)
            return late;
        if (!rc)
            rc = rf_curl.multi_poll(n->multi, &cancel, cancel.fd >= 0, (int)left_ms, NULL);
        if (rc)
            return rf_fail(err, RF_EINTERNAL, "libcurl failed: %s", rf_curl.multi_strerror(rc));
    }
}

/* A server that closes its end while we write is not a reason to end the program, and a library has
 * no say in how the program takes signals: for this thread SIGPIPE waits, and one that came is
 * taken away. */
struct quiet {
    sigset_t before;
    bool was_pending;
};

static sigset_t pipe_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

static void quiet_begin(struct quiet *q)
{
    sigset_t set = pipe_signal(), pending;
    sigpending(&pending);
    q->was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &set, &q->before);
}

static void quiet_end(const struct quiet *q)
{
    sigset_t set = pipe_signal();
    const struct timespec now = { 0 };
    if (!q->was_pending)
        while (sigtimedwait(&set, NULL, &now) > 0)
            ;
    pthread_sigmask(SIG_SETMASK, &q->before, NULL);
}

static struct rf_str redirect_url(struct rf_transfer *t)
{
    const char *url = NULL;
    rf_curl.easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &url);
    return rf_str_dup(t->arena, rf_str(url));
}

static enum rf_code transfer(struct rf_net *n, struct rf_transfer *t, struct rf_err *err)
{
    struct quiet quiet;
    enum rf_code rc = set_up(t, err);
    if (rc)
        return rc;
    quiet_begin(&quiet);
    CURLMcode added = rf_curl.multi_add_handle(n->multi, t->easy);
    if (added) {
        rc = rf_fail(err, RF_EINTERNAL, "libcurl failed: %s", rf_curl.multi_strerror(added));
    } else {
        rc = run(n, t, err);
        t->reply->redirect = redirect_url(t);
        rf_curl.multi_remove_handle(n->multi, t->easy);
    }
    quiet_end(&quiet);
    return rc;
}

enum rf_code rf_net_call(struct rf_net *n, const struct rf_net_call *call, struct rf_arena *a,
                         struct rf_net_reply *reply, struct rf_err *err)
{
    *reply = (struct rf_net_reply){ .retry_after_ms = -1 };
    enum rf_code rc = prepare(n, err);
    if (!rc && !call->may_connect && !call->plain_proxy)
        rc = rf_proxy_check_plain(call->url, a, err);
    if (rc)
        return rc;
    if (n->busy)
        RF_BUG("a call inside a call");
    struct rf_transfer t = { .call = call, .easy = n->easy, .arena = a, .reply = reply };
    t.began_ms = t.moved_ms = rf_now_ms();
    n->busy = true;
    rc = transfer(n, &t, err);
    rf_curl.easy_reset(n->easy);
    rf_transfer_release(&t);
    n->busy = false;
    return rc;
}
