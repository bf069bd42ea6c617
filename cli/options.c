#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "misspelt.h"
#include "report.h"

const struct rf_option rf_help_option = { "help", 'h', NULL, "show this help" };

static const struct rf_option *find(const struct rf_command *cmd, const char *name, size_t n,
                                    char letter)
{
    size_t count = cmd->option_count + cmd->hidden_count;
    for (size_t i = 0; i <= count; i++) {
        const struct rf_option *o = i < count ? &cmd->options[i] : &rf_help_option;
        if (letter ? o->letter == letter : strlen(o->name) == n && memcmp(o->name, name, n) == 0)
            return o;
    }
    return NULL;
}

/* The first other command that has an option of this name; or NULL. */
static const char *taker_of(const char *given)
{
    size_t n = strcspn(given, "=");
    for (size_t g = 0; g < rf_command_group_count; g++)
        for (const struct rf_command *const *c = rf_command_groups[g].commands; *c; c++)
            if (find(*c, given, n, 0))
                return (*c)->name;
    return NULL;
}

static void hint_option(const struct rf_command *cmd, const char *given, struct rf_err *err)
{
    const char *best = rf_help_option.name;
    unsigned least = rf_name_distance(given, best);
    for (size_t i = 0; i < cmd->option_count; i++) {
        unsigned distance = rf_name_distance(given, cmd->options[i].name);
        if (distance < least) {
            least = distance;
            best = cmd->options[i].name;
        }
    }
    const char *other = taker_of(given);
    if (other)
        rf_say_hint(err,
                    "It is an option of \"refract %s\". \"refract %s --help\" lists the options "
                    "of this one.",
                    other, cmd->name);
    else if (rf_name_near(given, least))
        rf_say_hint(err, "Did you mean --%s? \"refract %s --help\" lists the options.", best,
                    cmd->name);
    else
        rf_say_hint(err, "\"refract %s --help\" lists the options.", cmd->name);
}

/* The walk along the arguments. */
struct parsing {
    const struct rf_command *cmd;
    char **argv;
    int argc, at;
    struct rf_args *args;
    struct rf_err *err;
};

static void note(struct rf_args *args, size_t option, const char *value)
{
    args->values[option] = value;
    args->given[args->given_count++] = (struct rf_given){ option, value };
}

static void set(struct parsing *p, const struct rf_option *o, const char *value)
{
    if (o == &rf_help_option)
        p->args->help = true;
    else
        note(p->args, (size_t)(o - p->cmd->options), value);
    if (strcmp(o->name, "json") == 0)
        p->args->json = true;
}

/* `inline_value` is what stands in the same word, or NULL. */
static enum rf_code take(struct parsing *p, const struct rf_option *o, const char *inline_value)
{
    if (!o->arg && inline_value) {
        rf_say(p->err, RF_EUSAGE, "option --%s takes no value", o->name);
        return RF_EUSAGE;
    }
    if (o->arg && !inline_value && p->at >= p->argc) {
        rf_say(p->err, RF_EUSAGE, "option --%s needs a value", o->name);
        rf_say_hint(p->err, "Write --%s %s.", o->name, o->arg);
        return RF_EUSAGE;
    }
    set(p, o, !o->arg ? "" : inline_value ? inline_value : p->argv[p->at++]);
    return RF_OK;
}

static enum rf_code take_long(struct parsing *p, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    const struct rf_option *o = find(p->cmd, word, n, 0);
    if (o)
        return take(p, o, equals ? equals + 1 : NULL);
    rf_say(p->err, RF_EUSAGE, "unknown option \"--%.*s\"", (int)n, word);
    hint_option(p->cmd, word, p->err);
    return RF_EUSAGE;
}

static enum rf_code take_letters(struct parsing *p, const char *letters)
{
    for (; *letters; letters++) {
        const struct rf_option *o = find(p->cmd, NULL, 0, *letters);
        if (!o) {
            rf_say(p->err, RF_EUSAGE, "unknown option \"-%c\"", *letters);
            rf_say_hint(p->err, "\"refract %s --help\" lists the options.", p->cmd->name);
            return RF_EUSAGE;
        }
        const char *rest = o->arg && letters[1] ? letters + 1 : NULL;
        enum rf_code rc = take(p, o, rest);
        if (rc || o->arg)
            return rc;
    }
    return RF_OK;
}

static enum rf_code take_word(struct parsing *p, const char *word)
{
    struct rf_args *args = p->args;
    if (args->word_count < p->cmd->max_words) {
        args->words[args->word_count++] = word;
        return RF_OK;
    }
    rf_say(p->err, RF_EUSAGE, "unexpected argument \"%s\"", word);
    rf_say_hint(p->err, "Usage: %s", p->cmd->synopsis);
    return RF_EUSAGE;
}

/* A word gives at most as many options as it has letters. */
static void make_room(struct rf_args *args, int argc, char **argv)
{
    size_t most = 1;
    for (int i = 0; i < argc; i++)
        most += strlen(argv[i]) + 1;
    args->given = calloc(most, sizeof *args->given);
    args->words = calloc((size_t)argc + RF_MAX_WORDS, sizeof *args->words);
    if (!args->given || !args->words)
        abort();
}

void rf_args_release(struct rf_args *args)
{
    free(args->given);
    free(args->words);
}

/* "-3" is a number, and "-#p=3" a part of standard input: no option has such a letter. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && word[1] != '#' && (word[1] < '0' || word[1] > '9');
}

enum rf_code rf_options_parse(const struct rf_command *cmd, int argc, char **argv,
                              struct rf_args *args, struct rf_err *err)
{
    struct parsing p = { .cmd = cmd, .argv = argv, .argc = argc, .args = args };
    enum rf_code first = RF_OK;
    struct rf_err later;
    bool words_only = false;
    make_room(args, argc, argv);
    while (p.at < argc) {
        const char *word = argv[p.at++];
        enum rf_code rc = RF_OK;
        p.err = first ? &later : err;
        if (words_only || !is_option(word))
            rc = take_word(&p, word);
        else if (strcmp(word, "--") == 0)
            words_only = true;
        else
            rc = word[1] == '-' ? take_long(&p, word + 2) : take_letters(&p, word + 1);
        first = first ? first : rc;
    }
    return first;
}
