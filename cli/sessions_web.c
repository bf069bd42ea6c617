/* refract sessions web: the page of the gateway without one, for what is stored. Where it can be
 * opened goes to standard output. */
#include <stdio.h>

#include <refract/refract.h>

#include "project.h"
#include "report.h"
#include "sessions.h"
#include "signal_pipe.h"
#include "text.h"

static void say_listening(void *ctx, const char *url)
{
    const struct rf_args *args = ctx;
    if (args->json) {
        fputs("{\"url\":", stdout);
        rf_print_json(stdout, rf_text(url));
        puts("}");
    } else {
        printf("open %s in a browser\n", url);
    }
    fflush(stdout);
}

/* Each look opens the store anew, by the configuration: so `s` is not used. */
enum rf_code rf_sessions_web(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    struct rf_config *config = NULL;
    struct rf_page_options o = { .size = sizeof o,
                                 .address = args->values[RF_SESSIONS_LISTEN],
                                 .listening = say_listening,
                                 .ctx = (void *)(uintptr_t)args };
    enum rf_code rc = rf_project_open(&config, RF_PROJECT_QUIET, err);
    (void)s;
    o.config = config;
    if (!rc)
        rc = rf_signal_pipe(&o.stop_fd, err);
    if (!rc)
        rc = rf_page_serve(&o, err);
    rf_config_close(config);
    return rc;
}
