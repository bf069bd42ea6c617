/* What the configuration says of recordings, for models that do not hear:
 *
 *     transcribe:
 *       command: [whisper-cli, --output-srt]   # gets the path of the file as its last argument
 *       timeout_s: 600
 *
 * Only the person's own file can say it: the command runs unasked. */
#include "config/merge.h"

#include "base/arena.h"

#define MOST_ARGUMENTS 64
#define MOST_TIMEOUT_S 86400

static void problem(struct rf_merge *r, size_t line, const char *what, const char *hint)
{
    struct rf_err e;
    rf_merge_problem(&e, r, line, "\"transcribe\": %s", what);
    rf_hint(&e, "%s", hint);
    rf_problem_add(r->problems, &e);
}

static void read_command(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_config_transcribe *t = &r->c->transcribe;
    bool good = v->kind == RF_YAML_LIST && v->count && v->count <= MOST_ARGUMENTS;
    for (size_t i = 0; good && i < v->count; i++)
        good = v->items[i].kind == RF_YAML_TEXT && (i || v->items[i].text.n) &&
               !memchr(v->items[i].text.p, '\n', v->items[i].text.n);
    if (!good) {
        problem(r, v->line, "\"command\" is not a command",
                "Write a program and its arguments as a list, as in [whisper-cli, --output-srt].");
        return;
    }
    t->count = 0;
    for (size_t i = 0; i < v->count; i++)
        *RF_PUSH(r->c->arena, t->arguments, t->count, t->cap) = v->items[i].text;
}

static void read_timeout(struct rf_merge *r, const struct rf_yaml *v)
{
    int64_t seconds;
    if (v->kind != RF_YAML_TEXT || !rf_str_int64(v->text, &seconds) || seconds < 1 ||
        seconds > MOST_TIMEOUT_S)
        problem(r, v->line, "\"timeout_s\" is not a number of seconds from 1 to 86400",
                "Leave it out for ten minutes.");
    else
        r->c->transcribe.timeout_s = seconds;
}

static const struct rf_merge_key keys[] = {
    { "command", read_command },
    { "timeout_s", read_timeout },
};

void rf_merge_transcribe(struct rf_merge *r, const struct rf_yaml *v)
{
    if (!rf_merge_is_map(r, v, "\"transcribe\""))
        return;
    rf_merge_keys(r, v, "transcribe", keys, sizeof keys / sizeof *keys);
    r->c->transcribe.place = (struct rf_place){ r->file, v->line };
}
