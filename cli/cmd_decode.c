/* refract decode: what a provider sent in, a neutral assistant message out.
 *
 * The message is written also when the provider reported a failure or the stream ended early: then
 * it holds what had come, and the status says that it is not all. It is written before it is added
 * to a session, so that no reply is lost over a session that cannot be written. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "choose.h"
#include "command.h"
#include "project.h"
#include "report.h"
#include "stored.h"

enum { MODEL, SESSION, STREAM, LEARN, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [MODEL] = { "model", 'm', "MODEL", "PROVIDER:MODEL, or a name from the configuration" },
    [SESSION] = { "session", 0, "ID", "add the message to this session, or last" },
    [STREAM] = { "stream", 0, NULL, "RESPONSE is a stream as it came over the wire" },
    [LEARN] = { "learn", 0, NULL, "remember the limit that a refusal names" },
};

static enum rf_code read_failed(const char *path, struct rf_err *err)
{
    enum rf_code code = errno == ENOENT ? RF_ENOTFOUND : RF_EIO;
    rf_say(err, code, "could not read \"%s\": %s", path, strerror(errno));
    rf_err_near_file(err, path);
    return code;
}

static enum rf_code feed(struct rf_decode *d, const char *path, struct rf_err *err)
{
    static char buf[65536];
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    enum rf_code rc = fd < 0 ? read_failed(path, err) : RF_OK;
    while (!rc) {
        ssize_t n = read(fd, buf, sizeof buf);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = read_failed(path, err);
        if (n <= 0)
            break;
        rc = rf_decode_feed(d, (struct rf_str){ buf, (size_t)n }, err);
    }
    if (fd >= 0 && !standard)
        close(fd);
    return rc;
}

static void learn(struct rf_model *m, const struct rf_config *c, struct rf_str reply)
{
    struct rf_err err;
    size_t fact;
    if (rf_model_learn(m, c, reply, &fact, &err))
        rf_report(&err);
    else
        rf_warn(rf_model_problem(m));
    if (fact == rf_fact_count()) {
        fputs("note: nothing to learn: no limit is named\n", stderr);
        return;
    }
    bool stays = rf_model_fact_source(m, fact) == RF_FACT_OVERRIDE;
    fputs("note: learned of ", stderr);
    rf_print_text(stderr, rf_model_provider(m));
    fputc(':', stderr);
    rf_print_text(stderr, rf_model_name(m));
    fprintf(stderr, stays ? ": %s; the configuration's %.*s stays\n" : ": %s is %.*s\n",
            rf_fact_name(fact), RF_FMT(rf_model_fact(m, fact)));
}

/* Only what is complete becomes part of a session. */
static int add_to_session(const char *id, const struct rf_config *c, struct rf_str message)
{
    struct rf_stored s = { 0 };
    struct rf_err err;
    int status = 0;
    if (rf_store_open(c, &s.store, &err) || rf_stored_write(&s, id, &err) ||
        rf_session_append(s.session, message, &err))
        status = rf_report(&err);
    rf_stored_close(&s);
    return status;
}

static int decode(struct rf_model *m, const struct rf_config *c, const struct rf_args *args)
{
    struct rf_decode *d = args->values[STREAM] ? rf_decode_stream(m) : rf_decode_response(m);
    struct rf_err err, late;
    struct rf_str json;
    enum rf_code rc = feed(d, args->word_count ? args->words[0] : "-", &err);
    enum rf_code end = rf_decode_finish(d, &json, &late);
    if (rc != RF_EIO && rc != RF_ENOTFOUND && json.n)
        rf_print_document(stdout, json);
    int status = rc ? rf_report(&err) : end ? rf_report(&late) : 0;
    if (args->values[LEARN] && !rc)
        learn(m, c, json);
    if (args->values[SESSION] && !status)
        status = add_to_session(args->values[SESSION], c, json);
    else if (args->values[SESSION])
        fputs("note: nothing was added to the session\n", stderr);
    rf_decode_free(d);
    return status;
}

static int run(const struct rf_args *args)
{
    struct rf_config *config = NULL;
    struct rf_model *model = NULL;
    struct rf_err err;
    int status;
    if (!args->values[MODEL]) {
        rf_say(&err, RF_EUSAGE, "decode needs to know which model the response is from");
        rf_say_hint(&err, "Name it with -m, as in -m anthropic:claude-sonnet-5.");
        return rf_report(&err);
    }
    if (rf_project_open(&config, RF_PROJECT_NOTE, &err) ||
        rf_model_open(config, args->values[MODEL], &model, &err))
        status = rf_report(&err);
    else {
        rf_warn(rf_model_problem(model));
        rf_choose_tell(model);
        status = decode(model, config, args);
    }
    rf_model_close(model);
    rf_config_close(config);
    return status;
}

const struct rf_command rf_cmd_decode = {
    .name = "decode",
    .synopsis = "refract decode -m MODEL [OPTION]... [RESPONSE]",
    .summary = "read what a model answered",
    .about =
        "Reads a provider's response body, or its stream, from standard input where RESPONSE is\n"
        "not given or -, and writes it as an assistant message of the neutral format.\n"
        "With --session, a complete one is added to a session of the store.\n"
        "With --learn, a refusal that names a limit teaches it; 'refract models' shows what was\n"
        "learned.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .arg = "FILE",
    .run = run,
};
