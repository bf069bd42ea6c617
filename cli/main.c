/* The command line: finds the command, reads its options, runs it.
 *
 * A command exits with the status that rf_code_exit gives for its error. Nothing here is worth
 * having in a program of one's own; that is in the library. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <refract/refract.h>

#include "command.h"
#include "options.h"
#include "report.h"

static const struct rf_command *const commands[] = {
    &rf_cmd_ask,    &rf_cmd_encode,   &rf_cmd_decode, &rf_cmd_convert, &rf_cmd_parse,  &rf_cmd_read,
    &rf_cmd_tokens, &rf_cmd_sessions, &rf_cmd_models, &rf_cmd_config,  &rf_cmd_doctor, &rf_cmd_sim,
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void print_usage(FILE *out)
{
    fputs("usage: refract COMMAND [OPTION]... [ARGUMENT]...\n"
          "       refract help [COMMAND]\n"
          "       refract --version\n\n"
          "Turns what a tool returns into the exact request that each model takes.\n\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s  %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "  %-8s  %s\n", "help", "show this, or what a command takes");
}

static const struct rf_command *find(const char *name, struct rf_err *err)
{
    static const char *const others[] = { "help", "--help", "--version" };
    size_t other_count = sizeof others / sizeof *others;
    const char *best = NULL;
    unsigned least = UINT_MAX;
    for (size_t i = 0; i < COMMAND_COUNT + other_count; i++) {
        const char *known = i < COMMAND_COUNT ? commands[i]->name : others[i - COMMAND_COUNT];
        unsigned distance = rf_name_distance(name, known);
        if (i < COMMAND_COUNT && distance == 0)
            return commands[i];
        if (distance < least) {
            least = distance;
            best = known;
        }
    }
    rf_say(err, RF_EUSAGE, "unknown %s \"%s\"", name[0] == '-' ? "option" : "command", name);
    if (rf_name_near(name, least))
        rf_say_hint(err, "Did you mean %s? \"refract help\" lists the commands.", best);
    else
        rf_say_hint(err, "\"refract help\" lists the commands.");
    return NULL;
}

static int help(const char *name)
{
    struct rf_err err;
    if (!name || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return 0;
    }
    const struct rf_command *cmd = find(name, &err);
    if (!cmd)
        return rf_report(&err);
    rf_options_help(cmd, stdout);
    return 0;
}

static int run(const struct rf_command *cmd, int argc, char **argv)
{
    struct rf_args args = { 0 };
    struct rf_err err;
    int status = 0;
    if (rf_options_parse(cmd, argc, argv, &args, &err))
        status = args.json ? rf_report_as_json(&err) : rf_report(&err);
    else if (args.help)
        rf_options_help(cmd, stdout);
    else
        status = cmd->run(&args);
    rf_args_release(&args);
    return status;
}

static int dispatch(int argc, char **argv)
{
    struct rf_err err;
    if (argc < 2) {
        print_usage(stderr);
        return rf_code_exit(RF_EUSAGE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("refract %s\n", rf_version());
        return 0;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(NULL);
    if (strcmp(argv[1], "help") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    const struct rf_command *cmd = find(argv[1], &err);
    return cmd ? run(cmd, argc - 2, argv + 2) : rf_report(&err);
}

/* A file that is opened must not land on a standard descriptor that the caller has closed. Each is
 * opened the wrong way round, so that using it still fails. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            return;
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    signal(SIGPIPE, SIG_IGN);
    return rf_report_end(dispatch(argc, argv));
}
