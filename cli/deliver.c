#include "deliver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "progress.h"
#include "report.h"
#include "term/buffer.h"

static void explain_files(struct rf_request *r)
{
    for (size_t i = 0; i < rf_report_count(r); i++)
        rf_print_document(stderr, rf_report_json(r, i));
}

static void print_notices(const struct rf_request *r)
{
    for (size_t i = 0; i < rf_notice_count(r); i++) {
        fputs("note: ", stderr);
        rf_print_text(stderr, rf_notice(r, i));
        fputc('\n', stderr);
    }
}

#define LONG_RUN 256 /* of base64, that nobody reads on a terminal */
#define SHOWN_RUN 48

static bool is_base64(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
}

/* The body with the beginning of each long run of base64, and how much more there is of it. */
static void shorten(struct rf_str body, struct rf_buffer *out)
{
    for (size_t i = 0, n; i < body.n; i += n) {
        for (n = 0; i + n < body.n && is_base64(body.p[i + n]); n++)
            ;
        bool is_long = n > LONG_RUN;
        n = n ? n : 1;
        rf_buffer_add(out, body.p + i, is_long ? SHOWN_RUN : n);
        if (is_long)
            rf_buffer_print(out, "...(%zu more)", n - SHOWN_RUN);
    }
}

static void print_short(struct rf_str body)
{
    struct rf_buffer shown = { 0 };
    shorten(body, &shown);
    rf_print_document(stdout, rf_buffer_view(&shown));
    rf_buffer_release(&shown);
}

/* A terminal gets it by way of memory: what could steer it is escaped there. */
static enum rf_code show_body(const struct rf_request *r, struct rf_err *err)
{
    int fd = memfd_create("request", MFD_CLOEXEC);
    size_t n = (size_t)rf_request_length(r);
    void *body = MAP_FAILED;
    enum rf_code rc = fd < 0 ? RF_OK : rf_request_write(r, fd, err);
    if (fd >= 0 && !rc)
        body = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (!rc && body == MAP_FAILED) {
        rf_say(err, RF_EIO, "could not show the request: %s", strerror(errno));
        rc = RF_EIO;
    }
    if (!rc) {
        print_short((struct rf_str){ body, n });
        munmap(body, n);
    }
    if (fd >= 0)
        close(fd);
    return rc;
}

int rf_deliver(struct rf_request *r, bool explain)
{
    struct rf_err err;
    if (explain)
        explain_files(r);
    else
        print_notices(r);
    if (isatty(STDOUT_FILENO) ? show_body(r, &err) : rf_request_write(r, STDOUT_FILENO, &err))
        return rf_output_is_closed() ? 1 : rf_report(&err);
    return 0;
}

enum rf_code rf_deliver_build(const struct rf_conversation *conversation, struct rf_model *model,
                              const struct rf_request_options *options, struct rf_request **out,
                              struct rf_err *err)
{
    struct rf_progress progress;
    rf_progress_begin(&progress, "preparing the files", -1);
    enum rf_code rc = rf_request_build(conversation, model, options, out, err);
    rf_progress_end(&progress);
    return rc;
}
