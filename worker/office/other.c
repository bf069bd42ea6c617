/* By the first bytes where they say it; mail and HTML also by what the caller says, since they
 * begin like any text. */
#include "worker/office/other.h"

#include "base/arena.h"
#include "worker/office/mime.h"
#include "worker/office/tar.h"
#include "worker/office/unzip.h"

#include <strings.h>

#define LOOK 4096 /* bytes from the front in which a root element must stand */

static bool has(struct rf_str bytes, const char *words)
{
    struct rf_str head = { bytes.p, bytes.n < LOOK ? bytes.n : LOOK };

    return rf_str_contains(head, rf_str(words));
}

static bool is_html(const struct rf_ask *ask, struct rf_str bytes)
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
static bool is_mail(const struct rf_ask *ask, struct rf_str bytes)
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

bool rf_office_other(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    if (rf_ask_is(ask, "op", "list"))
        rf_office_archive(ask, bytes, to);
    else if (rf_str_starts(bytes, "PK"))
        return false;
    else if (rf_str_starts(bytes, "{\\rtf") || rf_str_starts(bytes, "{\\urtf"))
        rf_office_rtf(ask, bytes, to);
    else if (has(bytes, "<office:document") && has(bytes, "<?xml"))
        rf_office_flat_odf(ask, bytes, to);
    else if (is_html(ask, bytes))
        rf_office_html(ask, bytes, to);
    else if (is_mail(ask, bytes))
        rf_office_eml(ask, bytes, to);
    else
        return false;
    return true;
}

bool rf_office_other_zip(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to)
{
    struct rf_unzip_member m;
    int64_t index = rf_unzip_find(zip, RF_STR("mimetype"));
    struct rf_str kind = RF_STR("");
    struct rf_err err;

    if (index >= 0 && rf_unzip_member(zip, index, &m) && m.size < 200 &&
        rf_unzip_read(zip, index, 200, &kind, &err))
        kind = RF_STR("");
    if (rf_str_starts(kind, "application/epub+zip") ||
        rf_unzip_find(zip, RF_STR("META-INF/container.xml")) >= 0)
        rf_office_epub(ask, zip, to);
    else if (rf_str_starts(kind, "application/vnd.oasis.opendocument") ||
             rf_str_starts(kind, "application/vnd.sun.xml") ||
             rf_unzip_find(zip, RF_STR("content.xml")) >= 0)
        rf_office_odf(ask, zip, to);
    else
        return false;
    return true;
}
