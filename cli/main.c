/* The command line: finds the command, reads its options, runs it.
 *
 * A command exits with the status that rf_exit_status gives for its error. Nothing here is worth
 * having in a program of one's own; that is in the library. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "advice.h"
#include "command.h"
#include "misspelt.h"
#include "options.h"
#include "report.h"

/* The name that comes nearest to an unknown one. */
struct likeness {
    const char *given, *best;
    unsigned least;
};

static void compare(struct likeness *l, const char *known)
{
    unsigned distance = rf_name_distance(l->given, known);
    if (distance < l->least) {
        l->least = distance;
        l->best = known;
    }
}

/* Words that nobody put in quotes: What is in photo.jpg; and "what?", which has no space. */
static bool is_question(const char *first, int more, char *const *rest)
{
    return first[0] != '-' &&
           (strchr(first, '?') || (more > 1 && rest[0][0] != '-' && rest[1][0] != '-'));
}

static void hint_question(const char *first, const char *near, struct rf_err *err)
{
    bool could_be_command = near && first[0] >= 'a' && first[0] <= 'z' && !strchr(first, '?');
    rf_say_hint(err, "%s%s%sA question goes in quotes, or after ask: refract ask \"%s%s\"",
                could_be_command ? "Did you mean " : "", could_be_command ? near : "",
                could_be_command ? "? " : "", first, strchr(first, '?') ? "" : " ...");
}

/* `more` words of `rest` come after it. */
static const struct rf_command *find(const char *name, int more, char *const *rest,
                                     struct rf_err *err)
{
    static const char *const others[] = { "help", "--help", "--version" };
    struct likeness l = { .given = name, .least = UINT_MAX };
    const struct rf_command *cmd = rf_command_named(name);
    if (cmd)
        return cmd;
    for (size_t g = 0; g < rf_command_group_count; g++)
        for (const struct rf_command *const *c = rf_command_groups[g].commands; *c; c++)
            compare(&l, (*c)->name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        compare(&l, others[i]);
    const char *near = rf_name_near(name, l.least) ? l.best : NULL;
    rf_say(err, RF_EUSAGE, "unknown %s \"%s\"", name[0] == '-' ? "option" : "command", name);
    if (access(name, F_OK) == 0)
        rf_say_hint(err,
                    "It is a file: \"refract view %s\" shows it, and \"refract ask -a %s "
                    "QUESTION\" asks about it.",
                    name, name);
    else if (is_question(name, more, rest))
        hint_question(name, near, err);
    else if (near)
        rf_say_hint(err, "Did you mean %s? \"refract help\" lists the commands.", near);
    else if (name[0] == '-')
        rf_say_hint(err, "Options come after a command, as in refract ask -m MODEL -a FILE "
                         "\"QUESTION\" or refract chat -m MODEL; \"refract help\" lists the "
                         "commands.");
    else
        rf_say_hint(err, "\"refract help\" lists the commands.");
    return NULL;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int help(const char *name)
{
    struct rf_err err;
    if (!name || asks_for_help(name)) {
        rf_commands_help(stdout);
        return 0;
    }
    const struct rf_command *cmd = find(name, 0, NULL, &err);
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

/* What needs no command: -c goes on with the last chat, and a question has a space in it. */
static const struct rf_command *unnamed(const char *first)
{
    if (strcmp(first, "-c") == 0 || strcmp(first, "--continue") == 0)
        return &rf_cmd_chat;
    return first[0] != '-' && strchr(first, ' ') ? &rf_cmd_ask : NULL;
}

static int dispatch(int argc, char **argv)
{
    struct rf_err err;
    if (argc < 2 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        return run(&rf_cmd_chat, 0, argv + 1);
    if (argc < 2) {
        rf_commands_help(stderr);
        return rf_exit_status(RF_EUSAGE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("refract %s\n", rf_version());
        return 0;
    }
    if (asks_for_help(argv[1]))
        return help(argc > 2 && strcmp(argv[1], "help") == 0 ? argv[2] : NULL);
    const struct rf_command *cmd = unnamed(argv[1]);
    if (cmd)
        return run(cmd, argc - 1, argv + 1);
    cmd = find(argv[1], argc - 2, argv + 2, &err);
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

/* As the signal would have ended us, but with no worker left behind. */
static void end_by(int number)
{
    rf_process_end_workers();
    raise(number); /* which waits until we have returned */
}

static void listen_to_signals(void)
{
    static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction ours = { .sa_handler = end_by, .sa_flags = (int)SA_RESETHAND }, before;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &ours, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv)
{
    rf_process_hide();
    fill_standard_descriptors();
    listen_to_signals();
    int status = rf_report_end(dispatch(argc, argv));
    rf_process_end_workers();
    return status;
}
