/* refract mcp: lend the reading tools to any host of the Model Context Protocol, over standard
 * input and output. Nothing but messages goes to standard output. With --doctor it serves nothing:
 * it shows what a host would get. With an action: the servers that we use ourselves (mcp_list.c,
 * mcp_call.c). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "command.h"
#include "mcp_client.h"
#include "mcp_doctor.h"
#include "project.h"
#include "report.h"

enum { ROOT, HOST, NO_CACHE, DOCTOR, JSON, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [ROOT] = { "root", 0, "DIR",
               "a folder that may be read (default: the working folder); may be repeated" },
    [HOST] = { "host", 0, "HOST", "write for this host (default: what the client says it is)" },
    [NO_CACHE] = { "no-cache", 0, NULL, "keep nothing, and take nothing that was kept" },
    [DOCTOR] = { "doctor", 0, "HOST", "serve nothing: show what HOST would get of each FILE" },
    [JSON] = { "json", 0, NULL, "print what a program can read" },
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

static int run_here(const struct rf_args *args)
{
    struct rf_config *config = NULL;
    struct rf_err err;
    enum rf_code rc = rf_project_open(&config, RF_PROJECT_READ, &err);
    if (!rc && args->values[DOCTOR])
        rc = rf_mcp_doctor(config, args->values[DOCTOR], args->words, args->word_count, &err);
    else if (!rc)
        rc = serve(args, config, &err);
    rf_config_close(config);
    return rc ? rf_report(&err) : 0;
}

/* Our own servers */

enum { LIST, CALL };

static const struct rf_action actions[] = {
    [LIST] = { "list", NULL, "start the MCP servers of the configuration, and say how they are" },
    [CALL] = { "call", "SERVER TOOL [JSON]", "call one of their tools, and print what arrived" },
};

/* Is it an action with what it takes? Which, or -1. */
static int action_of(const struct rf_args *args, struct rf_err *err)
{
    int action = rf_action_find(&rf_cmd_mcp, args->words[0], err);
    size_t n = args->word_count;
    if (action < 0 || (action == LIST ? n == 1 : n == 3 || n == 4))
        return action;
    rf_say(err, RF_EUSAGE, "mcp %s takes %s", actions[action].name,
           action == CALL ? "the name of a server and of one of its tools" : "nothing more");
    rf_say_hint(err, "As in refract mcp call files read_file '{\"path\": \"notes.txt\"}'.");
    return -1;
}

static int run(const struct rf_args *args)
{
    struct rf_err err;
    if (args->values[DOCTOR] && !args->word_count) {
        rf_say(&err, RF_EUSAGE, "--doctor needs to know which files");
        rf_say_hint(&err, "As in refract mcp --doctor claude-code report.pdf.");
        return rf_report(&err);
    }
    if (args->values[DOCTOR] || !args->word_count)
        return run_here(args);
    int action = action_of(args, &err);
    if (action < 0)
        return rf_report(&err);
    return action == LIST ? rf_mcp_list(args->json)
                          : rf_mcp_try(args->words[1], args->words[2],
                                       args->word_count > 3 ? args->words[3] : NULL, args->json);
}

const struct rf_command rf_cmd_mcp = {
    .name = "mcp",
    .synopsis = "refract mcp [--root DIR]... [OPTION]... [--doctor HOST FILE...]",
    .summary = "lend the reading tools to an MCP host",
    .about =
        "A server of the Model Context Protocol on standard input and output, for a host such as\n"
        "Claude Code or Codex to start. Its tools read files, show pictures and pages of PDFs,\n"
        "and say what a file is; the files below the roots are its resources.\n"
        "With an action it is about servers of others, which mcp_servers in the configuration\n"
        "names.\n",
    .actions = actions,
    .action_count = sizeof actions / sizeof *actions,
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = RF_ANY_WORDS,
    .arg = "FILE",
    .run = run,
};
