#include "report.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice.h"
#include "text.h"

struct rf_str rf_text(const char *s)
{
    return (struct rf_str){ s, strlen(s) };
}

void rf_say(struct rf_err *err, enum rf_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    for (char *p = err->msg; (p = strchr(p, '\n'));) /* what was typed begins no line */
        *p = '?';
    err->code = code;
    err->reason = RF_REASON_OTHER;
    err->hint[0] = err->path[0] = '\0';
}

void rf_say_hint(struct rf_err *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->hint, sizeof err->hint, fmt, ap);
    va_end(ap);
}

/* Overlong forms pass: they are shown, never decoded. */
static size_t character(const unsigned char *p, size_t n)
{
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] > 0xf4 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

size_t rf_character(struct rf_str s)
{
    return s.n ? character((const unsigned char *)s.p, s.n) : 0;
}

/* C0, DEL and, in two bytes, C1. */
static bool is_control(const unsigned char *p, size_t length)
{
    return length == 1 ? p[0] < 0x20 || p[0] == 0x7f : length == 2 && p[0] == 0xc2 && p[1] < 0xa0;
}

/* Marks that turn the direction of the text after them, and make a name look like another:
 * U+202A to U+202E, U+2066 to U+2069. Those that are a letter without a shape (U+200E, U+200F,
 * U+061C) are part of how people write. */
static bool turns_text(const unsigned char *p, size_t length)
{
    if (length != 3 || p[0] != 0xe2)
        return false;
    return (p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||
           (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

/* What a terminal obeys instead of showing it. */
static bool steers(const unsigned char *p, size_t length)
{
    return is_control(p, length) || turns_text(p, length);
}

void rf_print_text(FILE *out, struct rf_str s)
{
    const unsigned char *p = (const unsigned char *)(s.n ? s.p : "");
    size_t done = 0;
    for (size_t i = 0, n; i < s.n; i += n ? n : 1) {
        n = character(p + i, s.n - i);
        if (n && !steers(p + i, n))
            continue;
        fwrite(p + done, 1, i - done, out);
        fputc('?', out);
        done = i + (n ? n : 1);
    }
    fwrite(p + done, 1, s.n - done, out);
}

/* One that steers, or (length 0) a byte that is not UTF-8. */
static void print_escape(FILE *out, const unsigned char *p, size_t length)
{
    unsigned c = length == 1   ? p[0]
                 : length == 2 ? p[1]
                 : length == 3 ? 0x2000u | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu)
                               : 0xfffd;
    fprintf(out, "\\u%04x", c);
}

void rf_print_json(FILE *out, struct rf_str s)
{
    const unsigned char *p = (const unsigned char *)(s.n ? s.p : "");
    size_t done = 0;
    fputc('"', out);
    for (size_t i = 0, n; i < s.n; i += n ? n : 1) {
        n = character(p + i, s.n - i);
        bool quoted = p[i] == '"' || p[i] == '\\';
        if (n && !steers(p + i, n) && !quoted)
            continue;
        fwrite(p + done, 1, i - done, out);
        done = i + (n ? n : 1);
        if (quoted)
            fprintf(out, "\\%c", p[i]);
        else
            print_escape(out, p + i, n);
    }
    fwrite(p + done, 1, s.n - done, out);
    fputc('"', out);
}

/* Outside of its strings JSON has nothing that steers but white space. */
void rf_print_json_line(FILE *out, struct rf_str json)
{
    const unsigned char *p = (const unsigned char *)(json.n ? json.p : "");
    size_t done = 0;
    for (size_t i = 0, n; i < json.n; i += n ? n : 1) {
        n = character(p + i, json.n - i);
        if (n && !steers(p + i, n))
            continue;
        fwrite(p + done, 1, i - done, out);
        done = i + (n ? n : 1);
        if (p[i] == '\n' || p[i] == '\r' || p[i] == '\t')
            fputc(' ', out);
        else
            print_escape(out, p + i, n);
    }
    fwrite(p + done, 1, json.n - done, out);
}

void rf_print_document(FILE *out, struct rf_str json)
{
    if (isatty(fileno(out)))
        rf_print_json_line(out, json);
    else
        fwrite(json.p, 1, json.n, out);
    fputc('\n', out);
}

/* Lines of a server's words stand below the first, so that none looks like one of ours. */
static void print_message(struct rf_str text)
{
    const char *end;
    while ((end = memchr(text.p, '\n', text.n))) {
        size_t n = (size_t)(end - text.p);
        rf_print_text(stderr, (struct rf_str){ text.p, n });
        fputs("\n  ", stderr);
        text = (struct rf_str){ end + 1, text.n - n - 1 };
    }
    rf_print_text(stderr, text);
}

static void print_lines(const char *head, const struct rf_err *err)
{
    char hint[RF_ADVICE];
    fflush(stdout);
    char *message = err->code == RF_EUNSUPPORTED ? rf_text_types(rf_text(err->msg)) : NULL;
    fputs(head, stderr);
    print_message(rf_text(message ? message : err->msg));
    free(message);
    if (rf_advice(err, hint)[0]) {
        fputs("\nhint: ", stderr);
        rf_print_text(stderr, rf_text(hint));
    }
    fputc('\n', stderr);
}

int rf_report(const struct rf_err *err)
{
    print_lines("refract: ", err);
    return rf_exit_status(err->code);
}

void rf_report_note(const struct rf_err *note)
{
    print_lines("note: ", note);
}

void rf_warn(const struct rf_err *problem)
{
    if (problem)
        rf_report(problem);
}

void rf_print_error(FILE *out, const struct rf_err *err)
{
    char hint[RF_ADVICE];
    fputs("{\"code\":", out);
    rf_print_json(out, rf_text(rf_code_name(err->code)));
    fputs(",\"message\":", out);
    rf_print_json(out, rf_text(err->msg));
    fputs(",\"hint\":", out);
    if (rf_advice(err, hint)[0])
        rf_print_json(out, rf_text(hint));
    else
        fputs("null", out);
    fputs(",\"path\":", out);
    if (err->path[0])
        rf_print_json(out, rf_text(err->path));
    else
        fputs("null", out);
    fprintf(out, ",\"exit\":%d}", rf_exit_status(err->code));
}

int rf_report_as_json(const struct rf_err *err)
{
    printf("{\"error\":");
    rf_print_error(stdout, err);
    printf("}\n");
    return rf_exit_status(err->code);
}

int rf_output_is_closed(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO };
    return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP));
}

int rf_report_end(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno != EPIPE && !rf_output_is_closed())
        fprintf(stderr, "refract: could not write to standard output: %s\n", strerror(errno));
    return 1;
}

void rf_print_lines(FILE *out, struct rf_str text)
{
    size_t at = 0;
    bool tame = isatty(fileno(out));
    for (size_t i = 0; tame && i <= text.n; i++) {
        if (i < text.n && text.p[i] != '\n' && text.p[i] != '\t')
            continue;
        rf_print_text(out, (struct rf_str){ text.p + at, i - at });
        if (i < text.n)
            fputc(text.p[i], out);
        at = i + 1;
    }
    if (!tame)
        fwrite(text.p, 1, text.n, out);
    if (text.n && text.p[text.n - 1] != '\n')
        fputc('\n', out);
}
