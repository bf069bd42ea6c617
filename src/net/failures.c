/* Why a call did not come to its end, in words. */
#include "net/transfer.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

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
            RF_FMT(host_of(t->call.url)));
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

/* libcurl's words, but for the milliseconds: the same failure reads the same each time. */
static void words_of(const struct rf_transfer *t, CURLcode code, char out[CURL_ERROR_SIZE])
{
    snprintf(out, CURL_ERROR_SIZE, "%s",
             t->stop == RF_TRANSFER_DIED ? "Empty reply from server"
             : t->why[0]                 ? t->why
                                         : rf_curl.easy_strerror(code));
    char *after = strstr(out, " after "), *rest = after ? strstr(after, " ms") : NULL;
    size_t digits = after ? strspn(after + 7, "0123456789") : 0;
    if (rest && digits && rest == after + 7 + digits)
        memmove(after, rest + 3, strlen(rest + 3) + 1);
}

static enum rf_code fail_curl(const struct rf_transfer *t, CURLcode code, struct rf_err *err)
{
    struct rf_str host = host_of(t->call.url);
    if (t->stop == RF_TRANSFER_NO_BODY) {
        if (err)
            *err = *t->err;
        return t->err->code;
    }
    if (t->stop == RF_TRANSFER_ENOUGH)
        return rf_fail(err, RF_ELIMIT, "the answer of %.*s was not taken to its end", RF_FMT(host));
    if (t->refused && !t->reply->status)
        return fail_refused(t, err);
    t->reply->unreachable = !t->connected && is_passing(code);
    char why[CURL_ERROR_SIZE];
    words_of(t, code, why);
    rf_fail(err, RF_EPROVIDER, "%s %.*s: %s",
            t->answered    ? "the answer broke off from"
            : t->connected ? "no answer from"
                           : "could not reach",
            RF_FMT(host), why);
    rf_hint(err, "Try again in a moment.");
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].code == code)
            rf_hint(err, "%s", hints[i].hint);
    if (t->reply->unreachable && err)
        err->reason = RF_REASON_UNREACHABLE;
    return RF_EPROVIDER;
}

enum rf_code rf_transfer_outcome(const struct rf_transfer *t, CURLcode code, struct rf_err *err)
{
    return code || t->stop ? fail_curl(t, code, err) : RF_OK;
}

static enum rf_code fail_late(const struct rf_transfer *t, int64_t waited_ms, struct rf_err *err)
{
    struct rf_str host = host_of(t->call.url);
    const char *what = t->reply->began ? "stopped in the middle of its answer"
                       : t->call.body && t->body_read < t->call.body->length
                           ? "stopped taking the request"
                           : "did not answer";
    rf_fail(err, RF_EPROVIDER, "%.*s %s: nothing came for %" PRId64 ".%" PRId64 " s", RF_FMT(host),
            what, waited_ms / 1000, waited_ms % 1000 / 100);
    rf_advise(err, RF_REASON_LATE, "Try again in a moment.");
    return RF_EPROVIDER;
}

static enum rf_code fail_too_long(const struct rf_transfer *t, struct rf_err *err)
{
    t->reply->overdue = true;
    rf_fail(err, RF_ELIMIT, "%.*s took longer than %" PRId64 " s", RF_FMT(host_of(t->call.url)),
            (t->call.total_ms + 999) / 1000);
    rf_advise(err, RF_REASON_LATE, "Try again in a moment.");
    return RF_ELIMIT;
}

static enum rf_code fail_unwatched(const struct rf_transfer *t, struct rf_err *err)
{
    rf_fail(err, RF_EIO, "the connection to %.*s cannot be waited for",
            RF_FMT(host_of(t->call.url)));
    rf_hint(err, "The system has no memory left for it, or its limits are too low.");
    return RF_EIO;
}

enum rf_code rf_transfer_check_time(const struct rf_transfer *t, struct rf_err *err)
{
    int64_t now = rf_now_ms(), patience = rf_transfer_patience_ms(t);
    if (t->unwatched)
        return fail_unwatched(t, err);
    if (patience >= 0 && now - t->moved_ms >= patience)
        return fail_late(t, now - t->moved_ms, err);
    if (t->call.total_ms && now - t->began_ms >= t->call.total_ms)
        return fail_too_long(t, err);
    return RF_OK;
}
