/* refract serve: the gateway, until it is told to stop. Where it can be reached goes to standard
 * output, for whoever starts it on a free port. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <refract/refract.h>

#include "choose.h"
#include "command.h"
#include "project.h"
#include "report.h"
#include "signal_pipe.h"
#include "sim_library.h"

#define MOST_UPSTREAMS 8
#define PATIENCE_MS 200 /* with whoever reads standard error */

/* Memory of large bodies goes back to the system with each of them: left to itself the C library
 * keeps it, once the first was freed. What smaller ones took is kept, up to four megabytes of each
 * thread: handed back after each request it would come as fresh pages for the next, which costs
 * more than to copy it. */
#ifdef __GLIBC__
#include <malloc.h>
static void set_up_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
}
#else
static void set_up_memory(void)
{
}
#endif

/* A connection takes a descriptor, and so does one to a provider: what the system allows is used. */
static void raise_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

enum { LISTEN, UPSTREAM, NO_PAGE, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [LISTEN] = { "listen", 0, "ADDRESS",
                 "where clients reach it (default: 127.0.0.1:8484); port 0 is one that is free" },
    [UPSTREAM] = { "upstream", 0, "MODEL",
                   "have this model answer everything, whatever clients ask for; repeat it for those to "
                   "ask where it does not answer" },
    [NO_PAGE] = { "no-page", 0, NULL, "serve no web page at /" },
};

static void say_listening(void *ctx, const char *url)
{
    (void)ctx;
    printf("listening on %s\n", url);
    fflush(stdout);
}

static enum rf_code reload(void *ctx, struct rf_config **out, struct rf_err *err)
{
    (void)ctx;
    return rf_project_open(out, RF_PROJECT_READ, err);
}

/* The thread that reloads is the one that is told to stop: where whoever reads standard error
 * stalls, it goes on without words. A pipe that can be written takes all that is said at once. */
static bool is_heard(void)
{
    struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };
    return poll(&out, 1, PATIENCE_MS) > 0;
}

static void say_unchanged(void *ctx, const char *setting)
{
    (void)ctx;
    if (is_heard())
        fprintf(stderr, "\"%s\" stays as it was until the gateway is started again\n", setting);
}

static void say_reloaded(void *ctx, const struct rf_err *err)
{
    (void)ctx;
    if (!is_heard())
        return;
    if (err) {
        rf_report(err);
        fprintf(stderr, "the old configuration stays in force\n");
    } else {
        fprintf(stderr, "the configuration was reloaded\n");
    }
}

/* Models that answer everything, in the order in which they are asked. */
struct upstreams {
    const char *names[MOST_UPSTREAMS];
    char whole[MOST_UPSTREAMS][512]; /* of those that were named in part */
    size_t count;
};

static enum rf_code add_upstream(struct upstreams *u, const struct rf_config *config,
                                 const char *name, struct rf_err *err)
{
    size_t i = u->count;
    if (i == MOST_UPSTREAMS) {
        rf_say(err, RF_EUSAGE, "--upstream can be given %d times at most", MOST_UPSTREAMS);
        return RF_EUSAGE;
    }
    u->names[u->count++] = name;
    if (rf_choose_whole(config, name, u->whole[i], sizeof u->whole[i])) {
        fprintf(stderr, "model: %s\n", u->whole[i]);
        u->names[i] = u->whole[i];
    }
    return RF_OK;
}

static enum rf_code take_upstreams(const struct rf_args *args, const struct rf_config *config,
                                   struct upstreams *u, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < args->given_count; i++)
        if (args->given[i].option == UPSTREAM)
            rc = add_upstream(u, config, args->given[i].value, err);
    return rc;
}

static enum rf_code serve(const struct rf_args *args, const struct rf_config *config,
                          struct rf_err *err)
{
    struct upstreams u = { .count = 0 };
    enum rf_code rc = take_upstreams(args, config, &u, err);
    struct rf_gateway_options o = {
        .size = sizeof o,
        .config = config,
        .address = args->values[LISTEN],
        .upstream = u.names[0],
        .spares = u.names + 1,
        .spare_count = u.count ? u.count - 1 : 0,
        .offline = rf_libsim_offline(),
        .listening = say_listening,
        .reload = reload,
        .reloaded = say_reloaded,
        .unchanged = say_unchanged,
        .page = args->values[NO_PAGE] ? NULL : rf_page(),
    };
    set_up_memory();
    raise_limit();
    if (!rc)
        rc = rf_signal_pipe(&o.stop_fd, err);
    return rc ? rc : rf_gateway_serve(&o, err);
}

static int run(const struct rf_args *args)
{
    struct rf_config *config = NULL;
    struct rf_err err;
    signal(SIGHUP, SIG_IGN); /* the configuration is about to be read */
    enum rf_code rc = rf_project_open(&config, RF_PROJECT_READ, &err);
    if (!rc)
        rc = serve(args, config, &err);
    rf_config_close(config);
    return rc ? rf_report(&err) : 0;
}

const struct rf_command rf_cmd_serve = {
    .name = "serve",
    .synopsis = "refract serve [--listen ADDRESS] [--upstream MODEL]... [--no-page]",
    .summary = "let clients of any API ask any model",
    .about =
        "A gateway on 127.0.0.1: it takes requests for OpenAI's Chat Completions and Responses,\n"
        "Anthropic's Messages and Gemini's generateContent, has the model that they name answer,\n"
        "be it of another vendor, and writes its reply in the client's words. Pictures, documents\n"
        "and sound arrive as that model takes them, also in results of tools.\n"
        "Point a client's base URL at it. Any key will do, since it uses those that are set for\n"
        "refract, until clients have keys of their own (refract keys).\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = run,
};
