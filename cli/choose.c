#include "choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <refract/model.h>

#include "permission.h"
#include "report.h"
#include "term/buffer.h"

struct last_model {
    const char *id;
    char *out;
    size_t size;
};

static void take_model(void *ctx, const struct rf_session_info *i)
{
    struct last_model *l = ctx;
    if (i->id.n != strlen(l->id) || memcmp(i->id.p, l->id, i->id.n) != 0 || !i->provider.n)
        return;
    rf_choose_name(i->provider, i->model, l->out, l->size);
}

void rf_choose_name(struct rf_str provider, struct rf_str model, char *out, size_t size)
{
    bool one = provider.n == model.n && memcmp(provider.p, model.p, model.n) == 0;
    snprintf(out, size, "%.*s%s%.*s", RF_FMT(provider), one ? "" : ":", one ? 0 : (int)model.n,
             model.p);
}

bool rf_choose_is_model(const char *provider)
{
    for (size_t i = 0; i < rf_family_count(); i++)
        if (strcmp(rf_family_provider(i), provider) == 0 &&
            strcmp(rf_family_pattern(i), provider) == 0)
            return true;
    return false;
}

bool rf_choose_whole(const struct rf_config *config, const char *name, char *out, size_t size)
{
    struct rf_model *m;
    struct rf_err unseen;
    snprintf(out, size, "%s", name);
    if (rf_model_open(config, name, &m, &unseen))
        return false;
    bool part = rf_model_was_short(m);
    rf_choose_name(rf_model_provider(m), rf_model_name(m), out, size);
    rf_model_close(m);
    return part;
}

void rf_choose_tell(const struct rf_model *m)
{
    char name[512];
    if (!rf_model_was_short(m))
        return;
    rf_choose_name(rf_model_provider(m), rf_model_name(m), name, sizeof name);
    fputs("model: ", stderr);
    rf_print_text(stderr, rf_text(name));
    fputc('\n', stderr);
}

/* The providers of the others that could answer: ", as are keys for openai and google". */
static void name_others(const struct rf_usual *u, struct rf_buffer *out)
{
    size_t count = rf_usual_count(u);
    for (size_t i = 1; i < count; i++)
        rf_buffer_print(out, "%s%.*s",
                        i > 1 && i + 1 == count ? " and "
                        : i > 1                 ? ", "
                        : count > 2             ? ", as are keys for "
                                                : ", as is a key for ",
                        (int)strcspn(rf_usual_model(u, i), ":"), rf_usual_model(u, i));
}

static void note_key(const struct rf_usual *u, struct rf_chosen *out)
{
    struct rf_buffer others = { 0 };
    name_others(u, &others);
    snprintf(out->note, sizeof out->note,
             "model: %.200s (%s%.*s; change: refract config set default MODEL)", out->model,
             rf_usual_why(u, 0), RF_FMT(rf_buffer_view(&others)));
    rf_buffer_release(&others);
}

static void take_usual(const struct rf_usual *u, struct rf_chosen *out)
{
    snprintf(out->model, sizeof out->model, "%s", rf_usual_model(u, 0));
    switch (rf_usual_source(u, 0)) {
    case RF_USUAL_OFFLINE:
        snprintf(out->note, sizeof out->note,
                 "note: no model was named, and %s: %.40s answers, which says what it was given; "
                 "set a key, or name a model with -m",
                 rf_usual_why(u, 0), out->model);
        break;
    case RF_USUAL_KEY:
        note_key(u, out);
        break;
    case RF_USUAL_CONFIGURED:
    case RF_USUAL_VARIABLE:
        break;
    }
}

/* The session's model by the name that it is usually asked by, which may say how. */
static void take_usual_name(const struct rf_config *config, struct rf_chosen *out)
{
    struct rf_usual *usual = rf_usual_find(config);
    rf_choose_whole(config, rf_usual_model(usual, 0), out->whole, sizeof out->whole);
    if (strcmp(out->whole, out->model) == 0)
        snprintf(out->model, sizeof out->model, "%s", rf_usual_model(usual, 0));
    rf_usual_free(usual);
}

void rf_choose_model(const char *given, const struct rf_config *config, struct rf_store *store,
                     const char *session, struct rf_chosen *out)
{
    struct last_model last = { session, out->model, sizeof out->model };
    struct rf_err unseen;
    *out = (struct rf_chosen){ 0 };
    if (given)
        snprintf(out->model, sizeof out->model, "%s", given);
    else if (session[0] && rf_store_list(store, 0, take_model, &last, &unseen))
        out->model[0] = '\0';
    if (!out->model[0]) {
        struct rf_usual *usual = rf_usual_find(config);
        take_usual(usual, out);
        rf_usual_free(usual);
    } else if (!given) {
        take_usual_name(config, out);
    }
    if (rf_choose_whole(config, out->model, out->whole, sizeof out->whole))
        snprintf(out->note, sizeof out->note, "model: %.500s", out->whole);
}

enum rf_code rf_choose_target(const char *given, const struct rf_config *config,
                              const char *unknown, struct rf_chosen *out, struct rf_err *err)
{
    struct rf_usual *usual = given ? NULL : rf_usual_find(config);
    enum rf_code rc = RF_OK;
    rf_choose_model(given, config, NULL, "", out);
    if (usual && rf_usual_source(usual, 0) == RF_USUAL_OFFLINE) {
        rf_say(err, RF_EUSAGE, "%s", unknown);
        rf_say_hint(err, "Name it with -m, as in -m anthropic:claude-sonnet-5.");
        rc = RF_EUSAGE;
    } else if (out->note[0]) {
        fprintf(stderr, "%s\n", out->note);
    }
    rf_usual_free(usual);
    return rc;
}

/* Asking */

#define MOST_OFFERED 9 /* each has a digit */

static void print_offers(const struct rf_usual *u, size_t count)
{
    fputs("Several keys are set. Which model shall answer?\n", stderr);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "  %zu  %s (%s)\n", i + 1, rf_usual_model(u, i), rf_usual_why(u, i));
}

/* The one that was chosen; `count` where nobody answers. */
static size_t read_choice(int tty, size_t count)
{
    char question[80];
    for (const char *why = "";; why = "that is not one of them ") {
        snprintf(question, sizeof question, "  %s(1 to %zu; Enter takes 1) ", why, count);
        char *line = rf_permission_ask_line(tty, rf_text(question));
        if (!line)
            return count;
        char digit = !line[0] ? '1' : line[1] ? '\0' : line[0];
        free(line);
        if (digit >= '1' && (size_t)(digit - '1') < count)
            return (size_t)(digit - '1');
    }
}

static void keep(const char *model, struct rf_chosen *out)
{
    struct rf_err err;
    snprintf(out->model, sizeof out->model, "%s", model);
    snprintf(out->whole, sizeof out->whole, "%s", model);
    if (rf_config_set("default", model, &err)) {
        rf_warn(&err);
        return;
    }
    snprintf(out->note, sizeof out->note,
             "model: %.200s (kept; change: refract config set default MODEL)", model);
}

void rf_choose_ask(const struct rf_config *config, struct rf_chosen *out)
{
    struct rf_usual *u = rf_usual_find(config);
    size_t count = rf_usual_count(u) < MOST_OFFERED ? rf_usual_count(u) : MOST_OFFERED;
    int tty = -1;
    bool by_key = rf_usual_source(u, 0) == RF_USUAL_KEY && out->note[0] &&
                  strcmp(out->model, rf_usual_model(u, 0)) == 0;
    if (by_key && count > 1 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
        (tty = rf_permission_open()) >= 0) {
        print_offers(u, count);
        size_t chosen = read_choice(tty, count);
        if (chosen < count)
            keep(rf_usual_model(u, chosen), out);
        close(tty);
    }
    rf_usual_free(u);
}
