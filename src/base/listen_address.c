#include "base/listen_address.h"

#include <limits.h>
#include <stdio.h>

static bool is_host(struct rf_str s, const char *more)
{
    for (size_t i = 0; i < s.n; i++)
        if (!rf_is_alnum(s.p[i]) && (!s.p[i] || !strchr(more, s.p[i])))
            return false;
    return s.n > 0 && s.n < sizeof((struct rf_listen_address *)0)->host;
}

static bool read_host(struct rf_str text, struct rf_listen_address *out)
{
    struct rf_str port = rf_str_behind(text, ':'), host = RF_STR("127.0.0.1");
    const char *more = "-._"; /* of a name */
    int64_t number;
    if (port.n < text.n)
        host = (struct rf_str){ text.p, text.n - port.n - 1 };
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']') {
        host = (struct rf_str){ host.p + 1, host.n - 2 };
        more = ":.%-_";
    }
    if (!is_host(host, more) || !rf_str_int64(port, &number) || number < 0 || number > UINT16_MAX)
        return false;
    *out = (struct rf_listen_address){ .port = (uint16_t)number };
    snprintf(out->host, sizeof out->host, "%.*s", RF_FMT(host));
    return true;
}

static bool read_descriptors(struct rf_str text, struct rf_listen_address *out)
{
    struct rf_str last = rf_str_behind(text, '-'), first = text;
    int64_t from, to;
    if (last.n < text.n)
        first.n = text.n - last.n - 1;
    if (!rf_str_int64(first, &from) || !rf_str_int64(last, &to) || from < 0 || to > INT_MAX ||
        to < from || to - from >= RF_LISTEN_MOST)
        return false;
    *out = (struct rf_listen_address){ .first = (int)from, .count = (int)(to - from) + 1 };
    return true;
}

enum rf_code rf_listen_address_read(struct rf_str text, struct rf_listen_address *out,
                                    struct rf_err *err)
{
    static const struct rf_str descriptors = RF_STR_INIT("fd:");
    bool read = rf_str_starts(text, descriptors.p)
                    ? read_descriptors(
                          (struct rf_str){ text.p + descriptors.n, text.n - descriptors.n }, out)
                    : read_host(text, out);
    if (read)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "\"%.*s\" is not an address to listen on", RF_FMT(text));
    rf_hint(err,
            "Write 127.0.0.1:PORT, [::1]:PORT or only a PORT; 0 is one that is free. Sockets that "
            "were handed over, %d at most, are fd:3 or fd:3-4.",
            RF_LISTEN_MOST);
    return RF_EUSAGE;
}
