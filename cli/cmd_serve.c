/* refract serve: the gateway, until it is told to stop. Where it can be reached goes to standard
 * output, for whoever starts it on a free port. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "choose.h"
#include "command.h"
#include "project.h"
#include "report.h"
#include "sim_library.h"

/* Memory of large bodies goes back to the system with each of them. Left to itself the C library
 * keeps it, once the first was freed. */
#ifdef __GLIBC__
#include <malloc.h>
static void return_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
}
#else
static void return_memory(void)
{
}
#endif

enum { LISTEN, UPSTREAM, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [LISTEN] = { "listen", 0, "ADDRESS",
                 "where clients reach it (default: 127.0.0.1:8484); port 0 is one that is free" },
    [UPSTREAM] = { "upstream", 0, "MODEL",
                   "have this model answer everything, whatever clients ask for" },
};

static int stop[2]; /* a signal writes to the second */

static void on_signal(int number)
{
    int saved = errno;
    (void)number;
    if (write(stop[1], "", 1) < 0)
        errno = saved; /* it is full: enough was said */
    errno = saved;
}

static enum rf_code take_signals(struct rf_err *err)
{
    struct sigaction act = { .sa_handler = on_signal };
    if (pipe2(stop, O_CLOEXEC | O_NONBLOCK) != 0) {
        rf_say(err, RF_EIO, "could not make a pipe: %s", strerror(errno));
        return RF_EIO;
    }
    sigemptyset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    act.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &act, NULL);
    return RF_OK;
}

static void say_listening(void *ctx, const char *url)
{
    (void)ctx;
    printf("listening on %s\n", url);
    fflush(stdout);
}

static enum rf_code serve(const struct rf_args *args, const struct rf_config *config,
                          struct rf_err *err)
{
    char whole[512];
    struct rf_gateway_options o = {
        .size = sizeof o,
        .config = config,
        .address = args->values[LISTEN],
        .upstream = args->values[UPSTREAM],
        .offline = rf_libsim_offline(),
        .listening = say_listening,
    };
    if (o.upstream && rf_choose_whole(config, o.upstream, whole, sizeof whole)) {
        fprintf(stderr, "model: %s\n", whole);
        o.upstream = whole;
    }
    return_memory();
    enum rf_code rc = take_signals(err);
    o.stop_fd = stop[0];
    return rc ? rc : rf_gateway_serve(&o, err);
}

static int run(const struct rf_args *args)
{
    struct rf_config *config = NULL;
    struct rf_err err;
    enum rf_code rc = rf_project_open(&config, RF_PROJECT_READ, &err);
    if (!rc)
        rc = serve(args, config, &err);
    rf_config_close(config);
    return rc ? rf_report(&err) : 0;
}

const struct rf_command rf_cmd_serve = {
    .name = "serve",
    .synopsis = "refract serve [--listen ADDRESS] [--upstream MODEL]",
    .summary = "let clients of any API ask any model",
    .about =
        "A gateway on 127.0.0.1: it takes requests for OpenAI's Chat Completions and Responses,\n"
        "Anthropic's Messages and Gemini's generateContent, has the model that they name answer,\n"
        "be it of another vendor, and writes its reply in the client's words. Pictures, documents\n"
        "and sound arrive as that model takes them, also in results of tools.\n"
        "Point a client's base URL at it; any key will do, since it uses those that are set for\n"
        "refract.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = run,
};
