/* A gateway of one's own, until standard input ends: clients of any API ask one model.
 *
 *     gateway MODEL [ADDRESS]
 *
 * A client's base URL is what it prints; "refract serve" is the same with more around it. */
#include <stdio.h>
#include <unistd.h>

#include <refract/refract.h>

static void say_where(void *ctx, const char *url)
{
    (void)ctx;
    printf("%s\n", url);
    fflush(stdout);
}

/* The end of standard input can be read, too: it stops the gateway. */
static enum rf_code serve(const struct rf_config *config, const char *model, const char *address,
                          struct rf_err *err)
{
    const struct rf_gateway_options o = {
        .size = sizeof o,
        .config = config,
        .address = address,
        .upstream = model,
        .stop_fd = STDIN_FILENO,
        .listening = say_where,
    };
    return rf_gateway_serve(&o, err);
}

int main(int argc, char **argv)
{
    struct rf_config *config = NULL;
    struct rf_err err;
    if (argc < 2)
        return fprintf(stderr, "usage: gateway MODEL [ADDRESS]\n"), 2;
    enum rf_code rc = rf_config_open(&config, &err);
    if (!rc)
        rc = serve(config, argv[1], argc > 2 ? argv[2] : "127.0.0.1:0", &err);
    if (rc)
        fprintf(stderr, "%s\n%s\n", err.msg, err.hint);
    rf_config_close(config);
    rf_process_end_workers();
    return rc ? 1 : 0;
}
