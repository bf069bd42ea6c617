/* refract ask: one question, tools included; the answer on standard output. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "advice.h"
#include "ask.h"
#include "choose.h"
#include "clipboard.h"
#include "command.h"
#include "deliver.h"
#include "input.h"
#include "inquiry.h"
#include "password.h"
#include "permission.h"
#include "piped.h"
#include "project.h"
#include "prompts.h"
#include "report.h"
#include "short_schema.h"
#include "sim_library.h"
#include "stopping.h"
#include "stored.h"
#include "system.h"
#include "text.h"

#define MAX_SCHEMA ((size_t)1 << 20) /* bytes */

enum {
    MODEL,
    PROMPT,
    ATTACH,
    CLIPBOARD,
    PASSWORD_FILE,
    CONTINUE,
    SESSION,
    NO_SAVE,
    STRICT,
    JSON,
    STREAM_JSON,
    EXPLAIN,
    DRY_RUN,
    QUIET,
    OUTPUT,
    FORCE,
    CODE,
    PLAIN,
    MEDIA,
    SYSTEM,
    SCHEMA,
    THINKING,
    TEMPERATURE,
    MAX_OUTPUT,
    ALLOW,
    NO_TOOLS,
    NO_STREAM,
    MAX_ROUNDS,
    MAX_SECONDS,
    MAX_TOKENS,
    OPTION_COUNT,
};
_Static_assert(OPTION_COUNT <= RF_MAX_OPTIONS, "more options than there is room for");

static const struct rf_option options[OPTION_COUNT] = {
    [MODEL] = { "model", 'm', "MODEL",
                "PROVIDER:MODEL, a name from the configuration, or offline" },
    [ATTACH] = { "attach", 'a', "FILE",
                 "give a file along, a part of it, or what a web address has; may be repeated" },
    [CLIPBOARD] = { "clipboard", 0, NULL,
                    "give along the picture, or else the text, in the clipboard" },
    [PASSWORD_FILE] = { "password-file", 0, "FILE", RF_PASSWORD_HELP },
    [PROMPT] = { "prompt", 'p', "PROMPT",
                 "ask with a prompt of yours, by its name; the words are its arguments" },
    [CONTINUE] = { "continue", 'c', NULL, "go on with the last session" },
    [SESSION] = { "session", 0, "ID", "go on with this session" },
    [NO_SAVE] = { "no-save", 0, NULL, "keep nothing" },
    [STRICT] = { "strict", 0, NULL, RF_STRICT_HELP },
    [JSON] = { "json", 0, NULL, "print for a program: one object" },
    [STREAM_JSON] = { "stream-json", 0, NULL, "print for a program: a JSON line for each event" },
    [EXPLAIN] = { "explain", 0, NULL,
                  "say what became of each file, as JSON lines on standard error" },
    [DRY_RUN] = { "dry-run", 'n', NULL, "print the request that would be sent, and stop" },
    [QUIET] = { "quiet", 'q', NULL, "nothing on standard error but errors" },
    [OUTPUT] = { "output", 'o', "FILE", "write the answer to a file, whole or not at all" },
    [FORCE] = { "force", 0, NULL, "let -o replace a file that is there" },
    [CODE] = { "code", 0, NULL, "give the first code block of the answer, and nothing else" },
    [PLAIN] = { "plain", 0, NULL, "show Markdown as it is written, on a terminal too" },
    [MEDIA] = { "media", 0, "DIR", "where pictures and sound that the model makes are saved" },
    [SYSTEM] = { "system", 's', "TEXT", RF_SYSTEM_HELP },
    [SCHEMA] = { "schema", 0, "SCHEMA",
                 "JSON that the answer must be: a file with a JSON Schema, the schema itself, or "
                 "fields as in \"vendor, due date, total number\"" },
    [THINKING] = { "thinking", 0, "LEVEL", "off, low, medium, high, or a number of tokens" },
    [TEMPERATURE] = { "temperature", 0, "N", "how freely it chooses its words, from 0 to 2" },
    [MAX_OUTPUT] = { "max-output", 0, "N", "tokens that one answer may have" },
    [ALLOW] = { "allow", 0, "TOOL",
                "let a tool, or fetch:HOST, run without asking; may be repeated" },
    [NO_TOOLS] = { "no-tools", 0, NULL, "offer no tools" },
    [NO_STREAM] = { "no-stream", 0, NULL, "have each answer come in one piece" },
    [MAX_ROUNDS] = { "max-rounds", 0, "N", "stop after so many rounds of calls (default: 50)" },
    [MAX_SECONDS] = { "max-seconds", 0, "N", "stop after so many seconds" },
    [MAX_TOKENS] = { "max-tokens", 0, "N", "call nothing more after so many, in and out" },
};

struct asking {
    const struct rf_args *args;
    struct rf_config *config;
    struct rf_stored stored;
    struct rf_agent *agent;
    struct rf_chosen chosen; /* the model */
    char *prompt;
    char *origins;         /* of its bytes, where it is of a prompt of the person's; else NULL */
    enum rf_origin origin; /* of the prompt: typed as arguments, or piped in */
    char session[RF_SESSION_ID_SIZE];
    char unseen[RF_SESSION_ID_SIZE]; /* a session that is not worth keeping; or "" */
    char denied[300];                /* a tool, or fetch:HOST, that there was no one to ask about */
    struct rf_ask_result result;
    struct rf_made made;   /* files of the answer */
    struct rf_err unsaved; /* why one of them could not be saved; or RF_OK */
    struct rf_ask_show show;
    struct rf_ask_json json;
};

static bool is_json(const struct rf_args *args)
{
    return args->values[JSON] || args->values[STREAM_JSON];
}

/* Permission: asked on the terminal, also where standard input is a pipe. */

static enum rf_permission permit(void *ctx, struct rf_str tool, struct rf_str arguments)
{
    struct asking *a = ctx;
    bool unasked;
    if (rf_permission_is_given(a->args, ALLOW, tool))
        return RF_PERMIT_ALWAYS;
    rf_ask_show_rest(&a->show);
    enum rf_permission p = rf_permission_ask(a->agent, tool, arguments, &unasked);
    rf_ask_show_work(&a->show);
    if (unasked)
        snprintf(a->denied, sizeof a->denied, "%.*s", RF_FMT(tool));
    return p;
}

static enum rf_inquiry_answer inquire(void *ctx, struct rf_inquiry *q)
{
    struct asking *a = ctx;
    rf_ask_show_rest(&a->show);
    enum rf_inquiry_answer answer = rf_inquiry_ask_plainly(q);
    rf_ask_show_work(&a->show);
    return answer;
}

/* The question */

static char *join_words(const struct rf_args *args)
{
    size_t n = 1;
    for (size_t i = 0; i < args->word_count; i++)
        n += strlen(args->words[i]) + 1;
    char *text = calloc(1, n);
    if (!text)
        abort();
    for (size_t i = 0, at = 0; i < args->word_count; i++)
        at += (size_t)snprintf(text + at, n - at, "%s%s", i ? " " : "", args->words[i]);
    return text;
}

static enum rf_code take_prompt(struct asking *a, struct rf_err *err)
{
    const struct rf_args *args = a->args;
    struct rf_prompt_argument *arguments = calloc(args->word_count + 1, sizeof *arguments);
    struct rf_prompt prompt;
    struct rf_filled filled;
    if (!arguments)
        abort();
    for (size_t i = 0; i < args->word_count; i++)
        arguments[i].text = rf_text(args->words[i]);
    enum rf_code rc = rf_prompt_read(rf_text(args->values[PROMPT]), &prompt, err);
    if (!rc) {
        rc = rf_prompt_fill(&prompt, arguments, args->word_count, NULL, &filled, err);
        rf_prompt_release(&prompt);
    }
    free(arguments);
    if (rc)
        return rc;
    free(a->prompt);
    a->prompt = filled.text;
    a->origins = filled.origins;
    return RF_OK;
}

/* The question in pieces, for whoever asks; to be freed. */
static struct rf_words *words_of(const struct asking *a, size_t *count)
{
    struct rf_words *whole = calloc(1, sizeof *whole);
    if (!whole)
        abort();
    *whole = (struct rf_words){ rf_text(a->prompt), a->origin };
    *count = 1;
    if (!a->origins)
        return whole;
    free(whole);
    return rf_words_of(a->prompt, a->origins, count);
}

static enum rf_code fail_no_question(struct rf_err *err)
{
    rf_say(err, RF_EUSAGE, "ask needs a question");
    rf_say_hint(err, "As in refract ask \"What is in @photo.jpg?\"");
    return RF_EUSAGE;
}

static bool attaches_input(const struct rf_args *args)
{
    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].option == ATTACH && strcmp(args->given[i].value, "-") == 0)
            return true;
    return false;
}

/* What is piped in is the question where there is no other, and a file beside it where there is. */
static enum rf_code take_piped(struct asking *a, struct rf_err *err)
{
    bool is_question = !a->origins && (!a->prompt[0] || strcmp(a->prompt, "-") == 0);
    struct rf_str bytes = { 0 };
    if (!rf_piped_is_there() && !attaches_input(a->args) && strcmp(a->prompt, "-") != 0)
        return RF_OK;
    enum rf_code rc = rf_piped_read(&bytes, err);
    if (!rc && is_question && bytes.n && rf_piped_is_text(bytes)) {
        free(a->prompt);
        a->prompt = strndup(bytes.p, bytes.n);
        if (!a->prompt)
            abort();
        a->origin = RF_ORIGIN_TEXT;
    } else if (!rc && bytes.n) {
        const char *path = rf_piped_keep(bytes, err);
        rc = path ? rf_agent_attach(a->agent, path, err) : err->code;
    }
    free((char *)(uintptr_t)bytes.p);
    return rc;
}

static enum rf_code attach_files(struct asking *a, struct rf_err *err)
{
    const struct rf_args *args = a->args;
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < args->given_count; i++) {
        const char *value = args->given[i].value;
        struct rf_progress progress = { 0 };
        if (args->given[i].option != ATTACH || strcmp(value, "-") == 0)
            continue;
        if (rf_text_is_address(rf_text(value)))
            rf_progress_begin(&progress, "fetching", -1);
        rc = rf_agent_attach(a->agent, value, err);
        rf_progress_end(&progress);
    }
    return rc;
}

static enum rf_code fail_clipboard(bool asked, struct rf_err *err)
{
    rf_say(err, asked ? RF_ENOTFOUND : RF_ECONFIG,
           asked ? "--clipboard: there is no picture and no text in it"
                 : "--clipboard: no program gives the clipboard here");
    if (!asked)
        rf_say_hint(err, "Install " RF_CLIPBOARD_PROGRAMS ".");
    return err->code;
}

static enum rf_code attach_clipboard(struct asking *a, struct rf_err *err)
{
    static const char *const names[] = {
        [RF_CLIPBOARD_PICTURE] = "clipboard.png",
        [RF_CLIPBOARD_TEXT] = "clipboard.txt",
    };
    struct rf_buffer bytes = { 0 };
    enum rf_clipboard what = RF_CLIPBOARD_PICTURE;
    if (!a->args->values[CLIPBOARD])
        return RF_OK;
    bool asked = rf_clipboard_take(what, &bytes);
    if (asked && !bytes.n)
        rf_clipboard_take(what = RF_CLIPBOARD_TEXT, &bytes);
    enum rf_code rc =
        bytes.n ? rf_agent_attach_bytes(a->agent, rf_buffer_view(&bytes), names[what], err)
                : fail_clipboard(asked, err);
    rf_buffer_release(&bytes);
    return rc;
}

/* Setting up */

static enum rf_code take_number(const struct rf_args *args, int option, int64_t *out,
                                struct rf_err *err)
{
    const char *value = args->values[option];
    size_t n = value ? strlen(value) : 0;
    *out = 0;
    if (!value)
        return RF_OK;
    if (n && n <= 12 && strspn(value, "0123456789") == n && (*out = strtoll(value, NULL, 10)) > 0)
        return RF_OK;
    rf_say(err, RF_EUSAGE, "--%s: \"%s\" is not a number from 1 on", options[option].name, value);
    return RF_EUSAGE;
}

static enum rf_code check_options(const struct rf_args *args, struct rf_err *err)
{
    static const struct {
        int one, other;
    } pairs[] = {
        { CONTINUE, SESSION }, { CONTINUE, NO_SAVE }, { SESSION, NO_SAVE },
        { JSON, STREAM_JSON }, { CODE, SCHEMA },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (args->values[pairs[i].one] && args->values[pairs[i].other]) {
            rf_say(err, RF_EUSAGE, "--%s and --%s do not go together", options[pairs[i].one].name,
                   options[pairs[i].other].name);
            return RF_EUSAGE;
        }
    return RF_OK;
}

static enum rf_code set_limits(struct asking *a, struct rf_err *err)
{
    int64_t rounds, seconds, tokens;
    enum rf_code rc;
    if ((rc = take_number(a->args, MAX_ROUNDS, &rounds, err)) ||
        (rc = take_number(a->args, MAX_SECONDS, &seconds, err)) ||
        (rc = take_number(a->args, MAX_TOKENS, &tokens, err)))
        return rc;
    rf_agent_limits(a->agent, rounds, seconds, tokens);
    return RF_OK;
}

/* How the answer is asked for */

/* A name with a dot or a slash is a file's, whether it is there or not: no field has one. */
static bool is_schema_file(const char *given)
{
    return strcmp(given, "-") == 0 || access(given, F_OK) == 0 ||
           (strpbrk(given, "./") && !strpbrk(given, ",: \n"));
}

static enum rf_code set_schema(struct asking *a, struct rf_err *err)
{
    const char *given = a->args->values[SCHEMA];
    struct rf_str text;
    if (!given)
        return RF_OK;
    if (given[strspn(given, " \t\n")] == '{')
        return rf_agent_option(a->agent, "schema", rf_text(given), err);
    enum rf_code rc = is_schema_file(given) ? rf_input_take(given, MAX_SCHEMA, &text, err)
                                            : rf_short_schema(given, &text, err);
    if (rc)
        return rc;
    rc = rf_agent_option(a->agent, "schema", text, err);
    free((char *)(uintptr_t)text.p);
    return rc;
}

static enum rf_code set_thinking(struct asking *a, struct rf_err *err)
{
    const char *given = a->args->values[THINKING];
    char value[80];
    if (!given)
        return RF_OK;
    bool number = *given && strspn(given, "0123456789") == strlen(given);
    snprintf(value, sizeof value, number ? "%.40s" : "\"%.40s\"", given);
    if (!rf_agent_option(a->agent, "thinking", rf_text(value), NULL))
        return RF_OK;
    rf_say(err, RF_EUSAGE, "--thinking: \"%s\" is not off, low, medium, high or a number of tokens",
           given);
    return RF_EUSAGE;
}

static enum rf_code set_answer(struct asking *a, struct rf_err *err)
{
    const char *temperature = a->args->values[TEMPERATURE];
    int64_t most;
    enum rf_code rc = take_number(a->args, MAX_OUTPUT, &most, err);
    if (!rc && most)
        rc = rf_agent_option(a->agent, "max_tokens", rf_text(a->args->values[MAX_OUTPUT]), err);
    if (!rc && temperature)
        rc = rf_agent_option(a->agent, "temperature", rf_text(temperature), err);
    if (!rc)
        rc = set_thinking(a, err);
    if (!rc)
        rc = rf_system_take(a->agent, a->args->values[SYSTEM], err);
    return rc ? rc : set_schema(a, err);
}

/* The store, where something is kept or was; a request that is only looked at begins no session. */
static enum rf_code open_store(struct asking *a, struct rf_err *err)
{
    const char *id = a->args->values[CONTINUE] ? "last" : a->args->values[SESSION];
    if (a->args->values[NO_SAVE] || (a->args->values[DRY_RUN] && !id))
        return RF_OK;
    enum rf_code rc = rf_store_open(a->config, &a->stored.store, err);
    if (!rc && id)
        rc = rf_stored_find(&a->stored, id, a->session, err);
    return rc;
}

static const char *kept_as(const struct asking *a)
{
    struct rf_session *s = rf_agent_session(a->agent);
    return s ? rf_session_id(s) : NULL;
}

/* `tool` returned it; empty: the model made it. */
static void save_made(struct asking *a, const struct rf_block *b, struct rf_str tool)
{
    struct rf_made_file file;
    struct rf_err err;
    if (rf_made_take(&a->made, b, kept_as(a), &file, &err)) {
        struct rf_agent_event note = { .type = RF_AGENT_NOTE, .text = rf_text(err.msg) };
        if (is_json(a->args))
            rf_ask_json_event(&a->json, &note);
        a->unsaved = err;
        return;
    }
    snprintf(file.tool, sizeof file.tool, "%.*s", RF_FMT(tool));
    if (is_json(a->args))
        rf_ask_json_made(&a->json, &file);
    else
        rf_ask_show_made(&a->show, &file);
    rf_made_file_release(&file);
}

static bool hear_stream(void *ctx, const struct rf_event *e)
{
    struct asking *a = ctx;
    if (is_json(a->args))
        rf_ask_json_stream(&a->json, e);
    else
        rf_ask_show_stream(&a->show, e);
    if (e->type == RF_EVENT_BLOCK_END && e->done && rf_made_is(e->done))
        save_made(a, e->done, rf_text(""));
    return true;
}

static bool hear(void *ctx, const struct rf_agent_event *e)
{
    struct asking *a = ctx;
    if (e->type == RF_AGENT_FOR_PERSON) {
        save_made(a, e->block, e->name);
        return true;
    }
    return is_json(a->args) ? rf_ask_json_event(&a->json, e) : rf_ask_show_event(&a->show, e);
}

static void listen(struct asking *a)
{
    const struct rf_args *args = a->args;
    a->show.quiet = args->values[QUIET];
    a->show.answer.holds = args->values[SCHEMA] || args->values[CODE] || a->result.path;
    a->show.answer.as_written = args->values[PLAIN];
    a->json.lines = args->values[STREAM_JSON];
    a->show.explain = a->json.explain = args->values[EXPLAIN];
    a->made.folder = args->values[MEDIA];
    rf_agent_listen_stream(a->agent, hear_stream, a);
    rf_agent_listen(a->agent, hear, a);
    if (is_json(args))
        rf_ask_json_begin(&a->json);
    else
        rf_ask_show_begin(&a->show);
}

static void set_result(struct asking *a)
{
    const char *path = a->args->values[OUTPUT];
    bool kept = path && strcmp(path, "-") != 0 && !a->args->values[DRY_RUN];
    a->result.code = a->args->values[CODE];
    a->result.path = kept ? path : NULL;
    a->result.replaces = a->args->values[FORCE];
}

static enum rf_code set_up(struct asking *a, struct rf_err *err)
{
    const struct rf_args *args = a->args;
    enum rf_code rc;
    set_result(a);
    if ((rc = check_options(args, err)) || (args->values[PROMPT] && (rc = take_prompt(a, err))) ||
        (rc = rf_input_folder(args->values[MEDIA], "media", err)) ||
        (rc = rf_ask_result_check(&a->result, err)) ||
        (rc = rf_project_open(&a->config, args->values[QUIET] ? RF_PROJECT_QUIET : RF_PROJECT_ASK,
                              err)) ||
        (rc = open_store(a, err)) ||
        (rc = rf_agent_new(a->config, a->stored.store, &a->agent, err)))
        return rc;
    rf_agent_offline(a->agent, rf_libsim_offline());
    listen(a);
    rf_choose_model(args->values[MODEL], a->config, a->stored.store, a->session, &a->chosen);
    if ((rc = set_limits(a, err)) || (rc = set_answer(a, err)) ||
        (rc = rf_agent_model(a->agent, a->chosen.model, err)) ||
        (a->session[0] && (rc = rf_agent_resume(a->agent, a->session, err))))
        return rc;
    rf_agent_permit(a->agent, permit, a);
    if (rf_inquiry_can_ask())
        rf_agent_inquiries(a->agent, inquire, a);
    if (args->values[NO_TOOLS])
        rf_agent_no_tools(a->agent);
    if (args->values[NO_STREAM])
        rf_agent_no_stream(a->agent);
    if (args->values[STRICT])
        rf_agent_strict(a->agent);
    if (args->values[PASSWORD_FILE] &&
        (rc = rf_password_give(a->agent, args->values[PASSWORD_FILE], err)))
        return rc;
    rf_stopping_begin(a->agent); /* a worker may take its time for a file */
    rc = attach_files(a, err);
    if (!rc)
        rc = attach_clipboard(a, err);
    rf_stopping_end();
    if (rc || (rc = take_piped(a, err)))
        return rc;
    if (!a->prompt[0] && !args->values[ATTACH] && !args->values[CLIPBOARD])
        return fail_no_question(err);
    if (a->show.quiet || is_json(args))
        return RF_OK;
    if (a->chosen.note[0])
        fprintf(stderr, "%s\n", a->chosen.note);
    rf_permission_check(args, ALLOW, a->agent, a->config);
    return RF_OK;
}

/* Running */

static int fail(struct asking *a, const struct rf_err *err)
{
    if (is_json(a->args))
        return rf_ask_json_fail(&a->json, err);
    rf_ask_show_held(&a->show);
    rf_ask_show_end(&a->show, NULL);
    return rf_report(err);
}

static int dry_run(struct asking *a)
{
    struct rf_request *request;
    struct rf_err err;
    struct rf_progress progress;
    rf_progress_begin(&progress, "preparing the files", -1);
    size_t count;
    struct rf_words *words = words_of(a, &count);
    enum rf_code rc = rf_agent_plan_words(a->agent, words, count, &request, &err);
    free(words);
    rf_progress_end(&progress);
    if (rc)
        return fail(a, &err);
    for (size_t i = 0; i < rf_report_count(request); i++) {
        struct rf_agent_event e = { .type = RF_AGENT_FILE, .request = request, .file = i };
        if (!is_json(a->args))
            rf_ask_show_event(&a->show, &e);
    }
    return rf_deliver(request, false);
}

/* The answer is there, and something about it went wrong: with --json the one object is written. */
static int report_late(struct asking *a, const struct rf_err *err)
{
    if (!is_json(a->args))
        return rf_report(err);
    return a->args->values[STREAM_JSON] ? rf_ask_json_fail(&a->json, err)
                                        : rf_exit_status(err->code);
}

/* The model has answered without a tool that there was no one to ask about. */
static int report_denied(struct asking *a)
{
    struct rf_err err;
    struct rf_str host = rf_permission_host(rf_text(a->denied));
    bool tool = rf_permission_is_tool(rf_text(a->denied));
    if (host.n)
        rf_say(&err, RF_EPERMISSION,
               "nothing was fetched from %.*s: permission was needed and not given", RF_FMT(host));
    else if (tool)
        rf_say(&err, RF_EPERMISSION,
               "the tool \"%s\" was not run: permission was needed and not given", a->denied);
    else
        rf_say(&err, RF_EPERMISSION, "permission for \"%s\" was needed and not given", a->denied);
    if (tool || host.n)
        rf_say_hint(&err, "Allow it with --allow %s, or with %s in the configuration.", a->denied,
                    host.n ? "\"fetch: {hosts: [...]}\"" : "\"allow\"");
    else
        rf_say_hint(&err, "Allow it with --allow %s.", a->denied);
    return report_late(a, &err);
}

static void add_hint(struct rf_err *err, const char *more)
{
    size_t n = strlen(err->hint);
    snprintf(err->hint + n, sizeof err->hint - n, "%s", more);
}

/* Whoever gives it may mean the length of an answer, which it does not end. */
static void say_over_tokens(const struct asking *a)
{
    const char *most = a->args->values[MAX_TOKENS];
    int64_t took = a->show.input_tokens + a->show.output_tokens;
    if (most && took > strtoll(most, NULL, 10) && !a->show.quiet)
        fprintf(stderr,
                "note: this took %" PRId64 " tokens: --max-tokens ends calls of tools, and not an "
                "answer; --max-output N does\n",
                took);
}

static int ask(struct asking *a)
{
    struct rf_str answer;
    struct rf_err err;
    rf_stopping_begin(a->agent);
    size_t count;
    struct rf_words *words = words_of(a, &count);
    enum rf_code rc = rf_agent_ask_words(a->agent, words, count, &answer, &err);
    free(words);
    rf_stopping_end();
    if (!rc)
        rc = rf_ask_result_take(&a->result, &answer, &err);
    if (rc) {
        if (rc == RF_EINTERRUPTED && err.hint[0])
            add_hint(&err, " -c goes on with it.");
        rf_stored_unseen(rf_agent_session(a->agent), a->session, &err, a->unseen);
        return fail(a, &err);
    }
    if (a->show.answer.holds && !a->result.path && !is_json(a->args))
        rf_ask_show_answer(&a->show, answer);
    if (a->result.path && !is_json(a->args))
        rf_ask_show_words(&a->show, "note: the answer is in ", rf_text(a->result.path));
    if (is_json(a->args))
        rf_ask_json_end(&a->json, answer, a->chosen.whole, kept_as(a));
    else
        rf_ask_show_end(&a->show, kept_as(a));
    if (!is_json(a->args))
        say_over_tokens(a);
    if (a->unsaved.code)
        return report_late(a, &a->unsaved);
    return a->denied[0] ? report_denied(a) : 0;
}

static int run(const struct rf_args *args)
{
    struct asking a = { .args = args, .prompt = join_words(args), .origin = RF_ORIGIN_TYPED };
    struct rf_err err;
    int status;
    if (set_up(&a, &err))
        status = fail(&a, &err);
    else
        status = args->values[DRY_RUN] ? dry_run(&a) : ask(&a);
    rf_agent_free(a.agent);
    rf_stored_drop(&a.stored, a.unseen);
    rf_stored_close(&a.stored);
    rf_config_close(a.config);
    rf_buffer_release(&a.result.block);
    rf_ask_show_release(&a.show);
    rf_ask_json_release(&a.json);
    rf_piped_drop();
    free(a.prompt);
    free(a.origins);
    return status;
}

const struct rf_command rf_cmd_ask = {
    .name = "ask",
    .synopsis = "refract ask [OPTION]... PROMPT...",
    .summary = "ask a model, which may call tools",
    .about =
        "Asks one question. The model may call tools, which read files or are commands of the\n"
        "configuration, and sees what they return. A file may be named in the question\n"
        "(\"What is in @photo.jpg?\"), given along (-a photo.jpg) or piped in. A question that is\n"
        "piped in can only name files below the working folder. The answer goes to standard\n"
        "output, what happens on the way to standard error.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = RF_ANY_WORDS,
    .arg = "FILE",
    .run = run,
};
