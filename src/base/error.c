#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ROOM_FOR_REASON 100 /* of the system's words, which a long path must not push out */

static const char *const codes[] = {
    [RF_OK] = "ok",
    [RF_EINTERNAL] = "internal",
    [RF_EUSAGE] = "usage",
    [RF_EUNSUPPORTED] = "unsupported",
    [RF_EPROVIDER] = "provider",
    [RF_ELIMIT] = "limit",
    [RF_EIO] = "unreadable",
    [RF_ENOTFOUND] = "not_found",
    [RF_EFORMAT] = "malformed",
    [RF_EENCRYPTED] = "encrypted",
    [RF_EPERMISSION] = "permission",
    [RF_ECONFIG] = "configuration",
    [RF_EINTERRUPTED] = "interrupted",
    [RF_ESANDBOX] = "sandbox",
};

const char *rf_code_name(enum rf_code code)
{
    return (size_t)code < sizeof codes / sizeof *codes ? codes[code] : "internal";
}

/* But for the one that stays. */
static void clean(char *text, char stays)
{
    for (unsigned char *p = (unsigned char *)text; *p; p++) {
        if ((*p < 0x20 && *p != stays) || *p == 0x7f)
            *p = '?';
        else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* C1 in UTF-8: a terminal obeys it */
            *p = p[1] = '?';
    }
}

void rf_clean_controls(char *text)
{
    clean(text, '\0');
}

/* White space that is not plain becomes `line` where it holds a line feed, and a space where not;
 * at the end it goes. */
static void squeeze(char *text, char line)
{
    char *out = text;
    for (const char *p = text; *p;) {
        size_t n = strspn(p, "\t\n\v\f\r");
        if (n && p[n])
            *out++ = memchr(p, '\n', n) ? line : ' ';
        else if (!n)
            *out++ = *p;
        p += n ? n : 1;
    }
    *out = '\0';
}

void rf_clean_words(char *text)
{
    squeeze(text, ' ');
    clean(text, '\0');
}

/* A message cut in the middle of a character would not be UTF-8 any more. */
static void trim_partial_character(char *text, size_t n)
{
    size_t at = n, back = 0;
    while (at > 0 && back < 4 && ((unsigned char)text[at - 1] & 0xc0) == 0x80) {
        at--;
        back++;
    }
    if (at > 0 && (unsigned char)text[at - 1] >= 0xc0)
        text[at - 1] = '\0';
}

static void set_text(char *out, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(out, size, fmt, ap);
    if (n >= 0 && (size_t)n >= size)
        trim_partial_character(out, size - 1);
    rf_clean_controls(out);
}

static void clear(struct rf_err *err, enum rf_code code)
{
    err->code = code;
    err->reason = RF_REASON_OTHER;
    err->hint[0] = err->path[0] = '\0';
}

enum rf_code rf_fail(struct rf_err *err, enum rf_code code, const char *fmt, ...)
{
    if (!err)
        return code;
    va_list ap;
    va_start(ap, fmt);
    clear(err, code);
    set_text(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    return code;
}

enum rf_code rf_fail_said(struct rf_err *err, enum rf_code code, struct rf_str words,
                          const char *fmt, ...)
{
    if (!err)
        return code;
    va_list ap;
    va_start(ap, fmt);
    clear(err, code);
    set_text(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    size_t n = strlen(err->msg), room = sizeof err->msg - 1 - n;
    memcpy(err->msg + n, words.n ? words.p : "", words.n < room ? words.n : room);
    err->msg[n + (words.n < room ? words.n : room)] = '\0';
    if (words.n > room)
        trim_partial_character(err->msg, sizeof err->msg - 1);
    squeeze(err->msg + n, '\n');
    clean(err->msg + n, '\n');
    return code;
}

static enum rf_code code_of_errno(int e)
{
    if (e == ENOENT || e == ENOTDIR)
        return RF_ENOTFOUND;
    return e == EINTR ? RF_EINTERRUPTED : RF_EIO;
}

enum rf_code rf_fail_errno(struct rf_err *err, const char *fmt, ...)
{
    int e = errno;
    enum rf_code code = code_of_errno(e);
    if (!err)
        return code;
    va_list ap;
    va_start(ap, fmt);
    clear(err, code);
    set_text(err->msg, sizeof err->msg - ROOM_FOR_REASON, fmt, ap);
    va_end(ap);
    size_t n = strlen(err->msg);
    snprintf(err->msg + n, sizeof err->msg - n, ": %s", strerror(e));
    return code;
}

void rf_advise(struct rf_err *err, enum rf_reason reason, const char *fmt, ...)
{
    if (!err)
        return;
    va_list ap;
    va_start(ap, fmt);
    set_text(err->hint, sizeof err->hint, fmt, ap);
    va_end(ap);
    err->reason = reason;
}

void rf_err_at(struct rf_err *err, const char *place)
{
    if (!err || !*place)
        return;
    char msg[sizeof err->msg];
    memcpy(msg, err->msg, sizeof msg);
    snprintf(err->msg, sizeof err->msg, "%s", place);
    rf_clean_controls(err->msg);
    size_t at = strlen(err->msg);
    int n = snprintf(err->msg + at, sizeof err->msg - at, ": %s", msg);
    if (n >= 0 && (size_t)n >= sizeof err->msg - at)
        trim_partial_character(err->msg, sizeof err->msg - 1);
}

void rf_err_without_place(struct rf_err *err)
{
    size_t n = err ? strlen(err->path) : 0;
    if (n && strncmp(err->msg, err->path, n) == 0 && strncmp(err->msg + n, ": ", 2) == 0)
        memmove(err->msg, err->msg + n + 2, strlen(err->msg + n + 2) + 1);
}
