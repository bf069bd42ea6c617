/* By the first bytes where they say it; mail and HTML also by what the caller says, since they
 * begin like any text. */
#include "worker/office/other.h"

#include "worker/office/mime.h"

#include <strings.h>

#define LOOK 4096 /* bytes from the front in which a root element must stand */

static bool has(struct rf_str bytes, const char *words)
{
    struct rf_str head = { bytes.p, bytes.n < LOOK ? bytes.n : LOOK };

    return rf_str_contains(head, rf_str(words));
}

bool rf_office_is_rtf(const struct rf_ask *ask, struct rf_str bytes)
{
    (void)ask;
    return rf_str_starts(bytes, "{\\rtf") || rf_str_starts(bytes, "{\\urtf");
}

bool rf_office_is_flat_odf(const struct rf_ask *ask, struct rf_str bytes)
{
    (void)ask;
    return has(bytes, "<office:document") && has(bytes, "<?xml");
}

bool rf_office_is_html(const struct rf_ask *ask, struct rf_str bytes)
{
    static const char *const starts[] = { "<!doctype html", "<html", "<head", "<body" };
    struct rf_str mime = rf_ask_str(ask, "mime"), head = bytes;

    if (rf_str_is(mime, "text/html") || rf_str_is(mime, "application/xhtml+xml"))
        return true;
    if (rf_str_starts(head, "\xef\xbb\xbf"))
        head = (struct rf_str){ head.p + 3, head.n - 3 };
    head = rf_str_trim((struct rf_str){ head.p, head.n < LOOK ? head.n : LOOK });
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (head.n > strlen(starts[i]) && strncasecmp(head.p, starts[i], strlen(starts[i])) == 0)
            return true;
    return rf_str_starts(head, "<?xml") && has(bytes, "<html");
}

/* Two of the fields that every message has, in a head that comes first. */
bool rf_office_is_mail(const struct rf_ask *ask, struct rf_str bytes)
{
    static const char *const fields[] = { "From",     "To",           "Date",       "Subject",
                                          "Received", "MIME-Version", "Message-ID", "Return-Path" };
    struct rf_str head, body;
    int found = 0;

    if (rf_ask_is(ask, "mime", "message/rfc822"))
        return true;
    if (!bytes.n || memchr(bytes.p, '\0', bytes.n < LOOK ? bytes.n : LOOK))
        return false;
    rf_mime_split((struct rf_str){ bytes.p, bytes.n < LOOK * 16 ? bytes.n : LOOK * 16 }, &head,
                  &body);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        found += rf_mime_field(head, fields[i]).n > 0;
    return found >= 2;
}
