/* refract chat: a conversation, on a terminal or line by line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "chat/parts.h"
#include "choose.h"
#include "command.h"
#include "images.h"
#include "input.h"
#include "inquiry.h"
#include "permission.h"
#include "project.h"
#include "report.h"
#include "sim_library.h"
#include "stored.h"
#include "system.h"

enum {
    MODEL,
    CONTINUE,
    SESSION,
    NO_SAVE,
    STRICT,
    SYSTEM,
    ALLOW,
    IMAGES,
    MEDIA,
    VI,
    OPTION_COUNT,
};

static const struct rf_option options[OPTION_COUNT] = {
    [MODEL] = { "model", 'm', "MODEL",
                "PROVIDER:MODEL, a name from the configuration, or offline" },
    [CONTINUE] = { "continue", 'c', NULL, "go on with the last session" },
    [SESSION] = { "session", 0, "ID", "go on with this session" },
    [NO_SAVE] = { "no-save", 0, NULL, "keep nothing" },
    [STRICT] = { "strict", 0, NULL, RF_STRICT_HELP },
    [SYSTEM] = { "system", 's', "TEXT", RF_SYSTEM_HELP },
    [ALLOW] = { "allow", 0, "TOOL",
                "let a tool, or fetch:HOST, run without asking; may be repeated" },
    [IMAGES] = { "images", 0, "MODE", RF_IMAGES_HELP },
    [MEDIA] = { "media", 0, "DIR", "where pictures and sound that the model makes are saved" },
    [VI] = { "vi", 0, NULL, "keys as in vi" },
};

/* Options */

static enum rf_code check_options(const struct rf_args *args, struct rf_err *err)
{
    static const struct {
        int one, other;
    } pairs[] = { { CONTINUE, SESSION }, { CONTINUE, NO_SAVE }, { SESSION, NO_SAVE } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (args->values[pairs[i].one] && args->values[pairs[i].other]) {
            rf_say(err, RF_EUSAGE, "--%s and --%s do not go together", options[pairs[i].one].name,
                   options[pairs[i].other].name);
            return RF_EUSAGE;
        }
    return RF_OK;
}

/* Setting up */

static void set_up_tools(struct rf_chat *c)
{
    const char *cache = rf_config_cache_folder(c->config);
    c->tools = rf_tools_new();
    rf_tools_root(c->tools, ""); /* what is shown is shown to the person */
    rf_tools_configure(c->tools, c->config);
    if (cache)
        rf_tools_cache(c->tools, cache);
}

static void choose(struct rf_chat *c, const char *session)
{
    struct rf_chosen chosen;
    rf_choose_model(c->args->values[MODEL], c->config, c->stored.store, session, &chosen);
    rf_choose_ask(c->config, &chosen);
    memcpy(c->named, chosen.model, sizeof c->named);
    memcpy(c->model, chosen.whole, sizeof c->model);
    memcpy(c->model_note, chosen.note, sizeof c->model_note);
}

static enum rf_code set_up(struct rf_chat *c, char session[RF_SESSION_ID_SIZE], struct rf_err *err)
{
    const struct rf_args *args = c->args;
    const char *id = args->values[CONTINUE] ? "last" : args->values[SESSION];
    enum rf_code rc;
    if ((rc = check_options(args, err)) ||
        (rc = rf_input_folder(args->values[MEDIA], "media", err)) ||
        (rc = rf_images_take(args->values[IMAGES], &c->graphics_chosen, &c->graphics, err)) ||
        (rc = rf_project_open(&c->config, RF_PROJECT_ASK, err)) ||
        (!args->values[NO_SAVE] && (rc = rf_store_open(c->config, &c->stored.store, err))) ||
        (id && (rc = rf_stored_find(&c->stored, id, session, err))) ||
        (rc = rf_agent_new(c->config, c->stored.store, &c->agent, err)))
        return rc;
    rf_agent_offline(c->agent, rf_libsim_offline());
    choose(c, session);
    if ((rc = rf_agent_model(c->agent, c->named, err)) ||
        (rc = rf_system_take(c->agent, args->values[SYSTEM], err)))
        return rc;
    c->system = args->values[SYSTEM];
    c->made.folder = args->values[MEDIA];
    if (args->values[STRICT])
        rf_agent_strict(c->agent);
    rf_agent_permit(c->agent, rf_chat_permit, c);
    rf_permission_check(args, ALLOW, c->agent, c->config);
    set_up_tools(c);
    return RF_OK;
}

/* Where the lines that were typed are kept; NULL: nowhere. To be freed. */
static char *history_path(const struct rf_chat *c)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    struct rf_buffer path = { 0 };
    if (!c->stored.store)
        return NULL;
    if (data && *data == '/')
        rf_buffer_print(&path, "%s/refract", data);
    else if (home && *home == '/')
        rf_buffer_print(&path, "%s/.local/share/refract", home);
    else
        return NULL;
    rf_buffer_text(&path, "/history");
    rf_buffer_add(&path, "", 1);
    return path.p;
}

/* False where there is no terminal to draw on. */
static bool open_screen(struct rf_chat *c)
{
    const char *term = getenv("TERM");
    struct rf_err err;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !*term ||
        strcmp(term, "dumb") == 0 || rf_tty_open(&c->tty, &err))
        return false;
    c->theme = c->tty.theme;
    char *history = history_path(c);
    enum rf_code rc = rf_chat_loop_open(c, history, &err);
    free(history);
    if (!rc)
        return true;
    rf_tty_close(&c->tty);
    rf_warn(&err);
    return false;
}

/* Running */

static void greet(struct rf_chat *c, const char *session)
{
    if (!c->plain)
        rf_chat_say(c, RF_STYLE_DIM, "refract %s: /help lists the commands, Ctrl-D leaves",
                    rf_version());
    if (c->model_note[0] && c->plain)
        fprintf(stderr, "%s\n", c->model_note);
    else if (c->model_note[0])
        rf_chat_say(c, RF_STYLE_DIM, "%s", c->model_note);
    if (session[0] && rf_chat_take_session(c, session) && !c->plain)
        rf_chat_recap(c);
    if (!c->plain)
        c->show->last = RF_CHAT_QUESTION; /* whatever comes is something else */
}

static int talk(struct rf_chat *c, const char *session)
{
    c->plain = !open_screen(c);
    if (!c->plain || rf_inquiry_can_ask())
        rf_agent_inquiries(c->agent, rf_chat_inquire, c);
    if (!c->plain) {
        rf_tty_raw(&c->tty);
        rf_tty_ask(&c->tty);
    }
    c->used_tokens = c->files = -1;
    greet(c, session);
    if (!session[0])
        rf_chat_count(c);
    return c->plain ? rf_chat_plain(c) : rf_chat_loop(c);
}

static int run(const struct rf_args *args)
{
    struct rf_chat *c = calloc(1, sizeof *c);
    char session[RF_SESSION_ID_SIZE] = "";
    struct rf_err err;
    if (!c)
        abort();
    c->args = args;
    c->allow_option = ALLOW;
    c->vi = args->values[VI];
    int status = set_up(c, session, &err) ? rf_report(&err) : talk(c, session);
    rf_chat_attached_forget(c);
    rf_tools_free(c->tools);
    rf_models_close(c->fetched); /* nobody waited for them */
    rf_agent_free(c->agent);
    rf_stored_drop(&c->stored, c->unseen);
    rf_stored_close(&c->stored);
    rf_config_close(c->config);
    free(c->last_document);
    rf_buffer_release(&c->completed);
    free(c);
    return status;
}

const struct rf_command rf_cmd_chat = {
    .name = "chat",
    .synopsis = "refract chat [OPTION]...",
    .summary = "talk with a model in the terminal",
    .about =
        "A conversation in the terminal. Answers come as they are written, pictures are shown\n"
        "where the terminal can, and everything is kept as a session. A file is given along by its "
        "name\n"
        "(@photo.jpg), by /attach, or by dropping it on the window; /help lists the commands.\n"
        "Where input or output is not a terminal, each line that is read is a question.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 0,
    .run = run,
};
