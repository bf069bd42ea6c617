#include "deliver.h"

#include <stdio.h>
#include <unistd.h>

#include "progress.h"
#include "report.h"

static void explain_files(struct rf_request *r)
{
    for (size_t i = 0; i < rf_report_count(r); i++) {
        struct rf_str line = rf_report_json(r, i);
        fprintf(stderr, "%.*s\n", RF_FMT(line));
    }
}

static void print_notices(const struct rf_request *r)
{
    for (size_t i = 0; i < rf_notice_count(r); i++) {
        fputs("note: ", stderr);
        rf_print_text(stderr, rf_notice(r, i));
        fputc('\n', stderr);
    }
}

int rf_deliver(struct rf_request *r, bool explain)
{
    struct rf_err err;
    if (explain)
        explain_files(r);
    else
        print_notices(r);
    if (rf_request_write(r, STDOUT_FILENO, &err))
        return rf_output_is_closed() ? 1 : rf_report(&err);
    if (isatty(STDOUT_FILENO))
        putchar('\n');
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
