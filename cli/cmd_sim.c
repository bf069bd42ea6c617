/* refract sim: the provider simulator on loopback, until it is told to stop. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#include "command.h"
#include "project.h"
#include "report.h"
#include "sim_library.h"

#define MAX_SEED 999999999

enum { PORT, DIALECT, SCRIPT, REPLAY, BLIND, SEED, QUIET, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [PORT] = { "port", 'p', "N", "listen on this port (default: one that is free)" },
    [DIALECT] = { "dialect", 'd', "NAME",
                  "answer as this provider, or in this dialect, where a path names none" },
    [SCRIPT] = { "script", 's', "FILE", "replies and faults from a YAML file" },
    [REPLAY] = { "replay", 0, "DIR", "answer with recordings: the nearest request's reply" },
    [BLIND] = { "ignore-images", 0, NULL, "take pictures in tool results and do not see them" },
    [SEED] = { "seed", 0, "N", "ids that are the same in every run (default: new ones each time)" },
    [QUIET] = { "quiet", 'q', NULL, "no line for each exchange" },
};

static void say(void *context, const char *line)
{
    (void)context;
    rf_print_text(stderr, rf_text(line));
    fputc('\n', stderr);
}

/* Signals that end it wait until somebody asks for them, in all threads. */
static sigset_t hold_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return set;
}

static struct rf_simulator_options *read_options(const struct rf_args *args, long seed)
{
    struct rf_simulator_options *o = rf_libsim.options_new();
    rf_libsim.options_provider(o, args->values[DIALECT]);
    rf_libsim.options_script(o, args->values[SCRIPT]);
    rf_libsim.options_replay(o, args->values[REPLAY]);
    if (args->values[BLIND])
        rf_libsim.options_blind(o);
    rf_libsim.options_seed(o, (uint64_t)seed);
    if (!args->values[QUIET])
        rf_libsim.options_log(o, say, NULL);
    return o;
}

/* Where it is, on standard output, for programs that start it on a free port. */
static void serve(const struct rf_simulator *s, const sigset_t *ends)
{
    int signal;
    printf("http://127.0.0.1:%d\n", rf_libsim.port(s));
    fflush(stdout);
    sigwait(ends, &signal);
}

/* A number of at most nine digits; 0 where the option was not given. */
static enum rf_code read_number(const struct rf_args *args, size_t option, long least, long most,
                                long *out, struct rf_err *err)
{
    const char *value = args->values[option];
    size_t n = value ? strlen(value) : 0;
    *out = 0;
    if (!value)
        return RF_OK;
    bool digits = n > 0 && n <= 9 && strspn(value, "0123456789") == n;
    *out = digits ? strtol(value, NULL, 10) : -1;
    if (*out >= least && *out <= most)
        return RF_OK;
    rf_say(err, RF_EUSAGE, "--%s: \"%s\" is not a number from %ld to %ld", options[option].name,
           value, least, most);
    return RF_EUSAGE;
}

/* Only whether files may be read in a reduced sandbox: nothing else of it counts here. */
static void take_sandbox(void)
{
    struct rf_config *config = NULL;
    if (!rf_config_open(&config, NULL))
        rf_project_say_sandbox(config);
    rf_config_close(config);
}

static int run(const struct rf_args *args)
{
    struct rf_simulator *s = NULL;
    struct rf_err err;
    long port, seed;
    if (read_number(args, PORT, 0, 65535, &port, &err) ||
        read_number(args, SEED, 1, MAX_SEED, &seed, &err) || rf_libsim_load(&err))
        return rf_report(&err);
    take_sandbox();
    sigset_t ends = hold_signals();
    struct rf_simulator_options *o = read_options(args, seed);
    enum rf_code rc = rf_libsim.start(o, (int)port, &s, &err);
    rf_libsim.options_free(o);
    if (rc == RF_EUSAGE && !err.hint[0])
        rf_say_hint(&err, "See refract models for the providers.");
    if (rc)
        return rf_report(&err);
    serve(s, &ends);
    rf_libsim.stop(s);
    return 0;
}

const struct rf_command rf_cmd_sim = {
    .name = "sim",
    .synopsis = "refract sim [-p N] [-d NAME] [-s FILE] [--replay DIR] [--ignore-images] "
                "[--seed N] [-q]",
    .summary = "run the provider simulator on loopback",
    .about =
        "Speaks the other side of every provider's API on 127.0.0.1, as strict as the real one,\n"
        "with a model that says what it was given. Prints its address; no key is needed, though\n"
        "one has to be there where the real server wants one.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = run,
};
