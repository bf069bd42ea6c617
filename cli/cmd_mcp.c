/* refract mcp: lend the reading tools to any host of the Model Context Protocol, over standard
 * input and output, where nothing but messages goes, or over HTTP. With --doctor it serves nothing:
 * it shows what a host would get. With an action: the servers that we use ourselves (mcp_list.c,
 * mcp_call.c). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "command.h"
#include "mcp_client.h"
#include "mcp_doctor.h"
#include "project.h"
#include "report.h"

enum {
    ROOT,
    HOST,
    NO_CACHE,
    HTTP,
    TOKEN_FILE,
    ALLOW_ORIGIN,
    ALLOW_HOST,
    DOCTOR,
    MEDIA,
    JSON,
    NO_SAVE,
    OPTION_COUNT,
    CONFORMANCE = OPTION_COUNT, /* hidden */
    ALL_COUNT
};

static const struct rf_option options[ALL_COUNT] = {
    [ROOT] = { "root", 0, "DIR",
               "a folder that may be read (default: the working folder); may be repeated" },
    [HOST] = { "host", 0, "HOST", "write for this host (default: what the client says it is)" },
    [NO_CACHE] = { "no-cache", 0, NULL, "keep nothing, and take nothing that was kept" },
    [HTTP] = { "http", 0, "ADDRESS",
               "serve Streamable HTTP at 127.0.0.1:PORT; port 0 is one that is free" },
    [TOKEN_FILE] = { "token-file", 0, "FILE",
                     "with --http: clients send the bearer token in this file (or that of "
                     "$REFRACT_MCP_TOKEN)" },
    [ALLOW_ORIGIN] = { "allow-origin", 0, "ORIGIN",
                       "with --http: pages of this origin may ask, too; may be repeated" },
    [ALLOW_HOST] = { "allow-host", 0, "DOMAIN",
                     "with --http: a name that this machine is called by; may be repeated" },
    [DOCTOR] = { "doctor", 0, "HOST",
                 "serve nothing: show what HOST (claude-code, codex, ...) would get of each FILE" },
    [MEDIA] = { "media", 0, "DIR", "with call: where files of the result are saved" },
    [JSON] = { "json", 0, NULL, "print what a program can read" },
    [NO_SAVE] = { "no-save", 0, NULL, "with an action: do not keep a login" },
    [CONFORMANCE] = { "conformance", 0, NULL, "offer what the official conformance suite calls" },
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
    if (args->values[CONFORMANCE])
        rf_mcp_options_conformance(o);
    rf_mcp_options_configure(o, config);
    return o;
}

/* HTTP */

#define MAX_TOKEN 1024

#define MAKE_TOKEN "Its first line is the token: \"openssl rand -hex 32 >%s\" makes one."

/* `token` is for the caller to wipe; it is empty where none is asked for. */
static enum rf_code read_token(const char *path, char token[MAX_TOKEN + 2], struct rf_err *err)
{
    const char *set = getenv("REFRACT_MCP_TOKEN");
    token[0] = '\0';
    if (!path) {
        snprintf(token, MAX_TOKEN + 2, "%s", set ? set : "");
        unsetenv("REFRACT_MCP_TOKEN"); /* no program that we start needs it */
        return RF_OK;
    }
    FILE *in = fopen(path, "re");
    if (!in) {
        rf_say(err, errno == ENOENT ? RF_ENOTFOUND : RF_EIO,
               "--token-file: could not open \"%s\": %s", path, strerror(errno));
        rf_err_near_file(err, path);
        if (!*err->hint)
            rf_say_hint(err, MAKE_TOKEN, path);
        return err->code;
    }
    bool got = fgets(token, MAX_TOKEN + 2, in);
    fclose(in);
    token[got ? strcspn(token, "\r\n") : 0] = '\0';
    if (*token)
        return RF_OK;
    rf_say(err, RF_EUSAGE, "--token-file: \"%s\" has no token in its first line", path);
    rf_say_hint(err, MAKE_TOKEN, path);
    return RF_EUSAGE;
}

static void say_listening(void *ctx, const char *url)
{
    (void)ctx;
    fprintf(stderr, "refract: MCP at %s\n", url);
}

/* The values of an option that may be repeated; to be freed. */
static const char **values_of(const struct rf_args *args, size_t option, size_t *count)
{
    const char **list = calloc(args->given_count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < args->given_count; i++)
        if (args->given[i].option == option)
            list[(*count)++] = args->given[i].value;
    return list;
}

static enum rf_code serve_http(struct rf_mcp_server *server, const struct rf_args *args,
                               struct rf_err *err)
{
    char token[MAX_TOKEN + 2];
    struct rf_mcp_http_options o = { .size = sizeof o,
                                     .address = args->values[HTTP],
                                     .stop_fd = stop[0],
                                     .listening = say_listening };
    const char **origins = values_of(args, ALLOW_ORIGIN, &o.origin_count);
    const char **hosts = values_of(args, ALLOW_HOST, &o.host_count);
    enum rf_code rc = read_token(args->values[TOKEN_FILE], token, err);
    if (!rc && (!origins || !hosts)) {
        rf_say(err, RF_EINTERNAL, "out of memory");
        rc = RF_EINTERNAL;
    }
    o.origins = origins;
    o.hosts = hosts;
    o.token = *token ? token : NULL;
    if (!rc)
        rc = rf_mcp_serve_http(server, &o, err);
    explicit_bzero(token, sizeof token);
    free(origins);
    free(hosts);
    return rc;
}

/* What would never let anybody in. */
static enum rf_code check_allowed(const struct rf_args *args, struct rf_err *err)
{
    for (size_t i = 0; i < args->given_count; i++) {
        const char *value = args->given[i].value;
        bool origin = args->given[i].option == ALLOW_ORIGIN;
        if (!origin && args->given[i].option != ALLOW_HOST)
            continue;
        const char *scheme = origin ? strstr(value, "://") : NULL;
        const char *name = scheme ? scheme + 3 : value;
        if ((scheme || !origin) && *name && !strchr(name, '/'))
            continue;
        rf_say(err, RF_EUSAGE, "--%s: \"%s\" is not %s", options[args->given[i].option].name, value,
               origin ? "the origin of a page" : "the name of a machine");
        rf_say_hint(err, origin ? "As in https://app.example, without a path."
                                : "As in mcp.example, without a scheme or a path.");
        return RF_EUSAGE;
    }
    return RF_OK;
}

static enum rf_code check_options(const struct rf_args *args, struct rf_err *err)
{
    static const int of_http[] = { TOKEN_FILE, ALLOW_ORIGIN, ALLOW_HOST };
    for (size_t i = 0; i < sizeof of_http / sizeof *of_http; i++)
        if (args->values[of_http[i]] && !args->values[HTTP]) {
            rf_say(err, RF_EUSAGE, "--%s is for --http", options[of_http[i]].name);
            rf_say_hint(err, "As in refract mcp --http 127.0.0.1:8931 --%s %s.",
                        options[of_http[i]].name, options[of_http[i]].arg);
            return RF_EUSAGE;
        }
    if (args->values[NO_SAVE]) {
        rf_say(err, RF_EUSAGE, "--no-save is for an action: list or call");
        return RF_EUSAGE;
    }
    if (args->values[DOCTOR] && args->values[HTTP]) {
        rf_say(err, RF_EUSAGE, "--doctor serves nothing, so it takes no --http");
        return RF_EUSAGE;
    }
    if (args->json && !args->values[DOCTOR]) {
        rf_say(err, RF_EUSAGE, "--json is for --doctor, list and call");
        rf_say_hint(err, "What the server writes is JSON anyway.");
        return RF_EUSAGE;
    }
    return check_allowed(args, err);
}

/* A person at a terminal would wait for ever, and not know for what. */
static enum rf_code serve_stdio(struct rf_mcp_server *server, struct rf_err *err)
{
    if (isatty(STDIN_FILENO))
        fputs(
            "refract: this is for a host to start, such as Claude Code: it speaks MCP on standard "
            "input and output (Ctrl-C ends it; \"refract help mcp\" says more)\n",
            stderr);
    return rf_mcp_serve_stdio(server, STDIN_FILENO, STDOUT_FILENO, stop[0], err);
}

static enum rf_code serve(struct rf_mcp_server *server, const struct rf_args *args,
                          struct rf_err *err)
{
    enum rf_code rc = take_signals(err);
    if (rc)
        return rc;
    return args->values[HTTP] ? serve_http(server, args, err) : serve_stdio(server, err);
}

static int examine(struct rf_mcp_server *server, struct rf_config *config,
                   const struct rf_args *args)
{
    const struct rf_mcp_doctor d = { .config = config,
                                     .server = server,
                                     .client = args->values[DOCTOR],
                                     .host = args->values[HOST],
                                     .json = args->json };
    return rf_mcp_doctor(&d, args->words, args->word_count);
}

static int report(const struct rf_args *args, const struct rf_err *err)
{
    return args->json ? rf_report_as_json(err) : rf_report(err);
}

static int run_here(const struct rf_args *args)
{
    struct rf_config *config = NULL;
    struct rf_mcp_server *server = NULL;
    struct rf_mcp_options *o = NULL;
    struct rf_err err;
    int status = 0;
    enum rf_code rc = check_options(args, &err);
    if (!rc)
        rc = rf_project_open(&config, RF_PROJECT_READ, &err);
    if (!rc) {
        o = read_options(args, config);
        rc = rf_mcp_server_new(o, &server, &err);
    }
    if (!rc && args->values[DOCTOR])
        status = examine(server, config, args);
    else if (!rc)
        rc = serve(server, args, &err);
    rf_mcp_server_free(server);
    rf_mcp_options_free(o);
    rf_config_close(config);
    return rc ? report(args, &err) : status;
}

/* Our own servers */

enum { LIST, CALL };

static const struct rf_action actions[] = {
    [LIST] = { "list", "[SERVER]",
               "start the MCP servers of the configuration, and say how they are" },
    [CALL] = { "call", "SERVER TOOL [JSON]", "call one of their tools, and print what arrived" },
};

/* Is it an action with what it takes? Which, or -1. */
static int action_of(const struct rf_args *args, struct rf_err *err)
{
    int action = rf_action_find(&rf_cmd_mcp, args->words[0], err);
    size_t n = args->word_count;
    if (action < 0 || (action == LIST ? n <= 2 : n == 3 || n == 4))
        return action;
    rf_say(err, RF_EUSAGE, "mcp %s takes %s", actions[action].name,
           action == CALL ? "the name of a server and of one of its tools"
                          : "the name of one server, or nothing");
    if (action == CALL)
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
    bool here = args->values[DOCTOR] || !args->word_count;
    if (args->values[MEDIA] && (here || strcmp(args->words[0], actions[CALL].name) != 0)) {
        rf_say(&err, RF_EUSAGE, "--media is for call");
        return rf_report(&err);
    }
    if (here)
        return run_here(args);
    int action = action_of(args, &err);
    if (action < 0)
        return rf_report(&err);
    const struct rf_mcp_way way = { args->json, args->values[NO_SAVE], args->values[MEDIA] };
    return action == LIST ? rf_mcp_list(args->word_count > 1 ? args->words[1] : NULL, &way)
                          : rf_mcp_try(args->words[1], args->words[2],
                                       args->word_count > 3 ? args->words[3] : NULL, &way);
}

const struct rf_command rf_cmd_mcp = {
    .name = "mcp",
    .synopsis = "refract mcp [--root DIR]... [OPTION]... [--doctor HOST FILE...]",
    .summary = "lend the reading tools to an MCP host",
    .about =
        "A server of the Model Context Protocol on standard input and output, for a host such as\n"
        "Claude Code or Codex to start. Its tools read files, show pictures and pages of PDFs,\n"
        "and say what a file is; the files below the roots are its resources.\n"
        "With --http it serves any number of hosts at http://ADDRESS/mcp; where other machines\n"
        "can reach that, it asks for a bearer token.\n"
        "The actions are about the servers of others, those under mcp_servers in the\n"
        "configuration.\n",
    .actions = actions,
    .action_count = sizeof actions / sizeof *actions,
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = RF_ANY_WORDS,
    .arg = "FILE",
    .hidden_count = ALL_COUNT - OPTION_COUNT,
    .run = run,
};
