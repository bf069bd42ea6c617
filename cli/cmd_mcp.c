/* refract mcp: lend the reading tools to any host of the Model Context Protocol, over standard
 * input and output. Nothing but messages goes to standard output. With --doctor it serves nothing:
 * it shows what a host would get. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "command.h"
#include "mcp_doctor.h"
#include "project.h"
#include "report.h"

enum { ROOT, HOST, NO_CACHE, DOCTOR, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [ROOT] = { "root", 0, "DIR",
               "a folder that may be read (default: the working folder); may be repeated" },
    [HOST] = { "host", 0, "HOST", "write for this host (default: what the client says it is)" },
    [NO_CACHE] = { "no-cache", 0, NULL, "keep nothing, and take nothing that was kept" },
    [DOCTOR] = { "doctor", 0, "HOST", "serve nothing: show what HOST would get of each FILE" },
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

/* Signals end it in an orderly way; a host that is gone is an error of writing. */
static enum rf_code take_signals(struct rf_err *err)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction act = { .sa_handler = on_signal };
    if (pipe2(stop, O_CLOEXEC | O_NONBLOCK) != 0) {
        rf_say(err, RF_EIO, "could not make a pipe: %s", strerror(errno));
        return RF_EIO;
    }
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaction(ends[i], &act, NULL);
    act.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &act, NULL);
    return RF_OK;
}

static struct rf_mcp_options *read_options(const struct rf_args *args,
                                           const struct rf_config *config)
{
    struct rf_mcp_options *o = rf_mcp_options_new();
    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].option == ROOT)
            rf_mcp_options_root(o, args->given[i].value);
    if (args->values[HOST])
        rf_mcp_options_host(o, args->values[HOST]);
    if (args->values[NO_CACHE])
        rf_mcp_options_no_cache(o);
    rf_mcp_options_configure(o, config);
    return o;
}

static enum rf_code serve(const struct rf_args *args, const struct rf_config *config,
                          struct rf_err *err)
{
    struct rf_mcp_server *server = NULL;
    struct rf_mcp_options *o = NULL;
    enum rf_code rc = take_signals(err);
    if (!rc) {
        o = read_options(args, config);
        rc = rf_mcp_server_new(o, &server, err);
    }
    if (!rc)
        rc = rf_mcp_serve_stdio(server, STDIN_FILENO, STDOUT_FILENO, stop[0], err);
    rf_mcp_server_free(server);
    rf_mcp_options_free(o);
    return rc;
}

/* Files belong to --doctor, and it to files. */
static enum rf_code check_words(const struct rf_args *args, struct rf_err *err)
{
    if (!args->values[DOCTOR] == !args->word_count)
        return RF_OK;
    rf_say(err, RF_EUSAGE,
           args->word_count ? "mcp takes files with --doctor only"
                            : "--doctor needs to know which files");
    rf_say_hint(err, "As in refract mcp --doctor claude-code report.pdf.");
    return RF_EUSAGE;
}

static int run(const struct rf_args *args)
{
    struct rf_config *config = NULL;
    struct rf_err err;
    enum rf_code rc = check_words(args, &err);
    if (!rc)
        rc = rf_project_open(&config, RF_PROJECT_READ, &err);
    if (!rc && args->values[DOCTOR])
        rc = rf_mcp_doctor(config, args->values[DOCTOR], args->words, args->word_count, &err);
    else if (!rc)
        rc = serve(args, config, &err);
    rf_config_close(config);
    return rc ? rf_report(&err) : 0;
}

const struct rf_command rf_cmd_mcp = {
    .name = "mcp",
    .synopsis = "refract mcp [--root DIR]... [--host HOST] [--no-cache] [--doctor HOST FILE...]",
    .summary = "lend the reading tools to an MCP host",
    .about =
        "A server of the Model Context Protocol on standard input and output, for a host such as\n"
        "Claude Code or Codex to start. Its tools read files, show pictures and pages of PDFs,\n"
        "and say what a file is; the files below the roots are its resources.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = RF_ANY_WORDS,
    .arg = "FILE",
    .run = run,
};
