/* The table of commands, and those that need nothing but themselves. A line that names no
 * command is never guessed at: it is said which one is near. */
#include "chat/commands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "misspelt.h"
#include "prompts.h"
#include "report.h"

/* /thinking, /quit, /help */

static void run_thinking(struct rf_chat *c, struct rf_str argument)
{
    if (rf_chat_is(argument, "show"))
        c->show_thoughts = true;
    else if (rf_chat_is(argument, "hide"))
        c->show_thoughts = false;
    else if (argument.n) {
        rf_chat_say(c, RF_STYLE_BAD, "/thinking takes show or hide");
        return;
    }
    rf_chat_say(c, RF_STYLE_DIM, "%s",
                c->show_thoughts ? "thoughts are shown in full; Ctrl-O or /thinking hide folds them"
                                 : "thoughts are one line each; Ctrl-O or /thinking show opens "
                                   "them");
}

static void words_thinking(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out)
{
    (void)c, (void)begun;
    rf_chat_words_add(out, rf_text("show"));
    rf_chat_words_add(out, rf_text("hide"));
}

static void run_quit(struct rf_chat *c, struct rf_str argument)
{
    (void)argument;
    c->quits = true;
}

static void run_help(struct rf_chat *c, struct rf_str argument);

const struct rf_chat_command rf_chat_commands[] = {
    { .name = "model",
      .takes = "[MODEL]",
      .help = "take another model; alone: choose one of those that can be used",
      .run = rf_chat_run_model,
      .words = rf_chat_words_model },
    { .name = "attach",
      .takes = "FILE",
      .help = "give a file along with the next question",
      .run = rf_chat_run_attach,
      .paths = true },
    { .name = "media",
      .takes = "[drop|keep ID]",
      .help = "list the files of this session; leave one out of requests, or send it again",
      .run = rf_chat_run_media,
      .words = rf_chat_words_media },
    { .name = "explain",
      .takes = "",
      .help = "what the last request sent, file by file",
      .run = rf_chat_run_explain },
    { .name = "tokens",
      .takes = "",
      .help = "what the next request would take of the model's window",
      .run = rf_chat_run_tokens },
    { .name = "mcp",
      .takes = "[SERVER]",
      .help = "start the MCP servers, and say how they are; with a name: its tools",
      .run = rf_chat_run_mcp },
    { .name = "cost",
      .takes = "",
      .help = "tokens in, out and cached of each question, and what they cost where that is known",
      .run = rf_chat_run_cost },
    { .name = "new",
      .takes = "",
      .help = "begin a new session; this one is kept",
      .run = rf_chat_run_new },
    { .name = "retry",
      .takes = "",
      .help = "ask the last question again; the answer before is kept",
      .run = rf_chat_run_retry },
    { .name = "edit",
      .takes = "[TEXT]",
      .help = "write in your editor, beginning with TEXT or the last question; Enter sends it then",
      .run = rf_chat_run_edit },
    { .name = "copy",
      .takes = "[NUMBER]",
      .help = "put the last answer, or its code block of that number, into the clipboard",
      .run = rf_chat_run_copy },
    { .name = "system",
      .takes = "[TEXT|@FILE|-]",
      .help = "show the system prompt; set it, or take it away, from the next question on",
      .run = rf_chat_run_system },
    { .name = "compact",
      .takes = "[WHAT MATTERS]",
      .help = "have the conversation summed up, and go on with that in a new session",
      .run = rf_chat_run_compact },
    { .name = "session",
      .takes = "[title TEXT]",
      .help = "this session: its id, what is in it, where it is kept; or give it a title",
      .run = rf_chat_run_session,
      .words = rf_chat_words_session },
    { .name = "resume",
      .takes = "[ID|NUMBER]",
      .help = "go on with another session; alone: list the last ten",
      .run = rf_chat_run_resume,
      .words = rf_chat_words_resume },
    { .name = "export",
      .takes = "[FILE]",
      .help = "write the session to a file: .md to read, .json for programs, .tar with all files",
      .run = rf_chat_run_export,
      .paths = true },
    { .name = "pages",
      .takes = "[A-B] [FILE]",
      .help = "read on in a document: give these pages along with the next question",
      .run = rf_chat_run_pages,
      .paths = true },
    { .name = "view",
      .takes = "[FILE|ID]",
      .help = "look at a file, or at one of this session",
      .run = rf_chat_run_view,
      .words = rf_chat_words_view,
      .paths = true },
    { .name = "thinking",
      .takes = "[show|hide]",
      .help = "show the model's thoughts in full, or in one line each",
      .any_time = true,
      .run = run_thinking,
      .words = words_thinking },
    { .name = "help", .takes = "", .help = "this list", .any_time = true, .run = run_help },
    { .name = "quit",
      .takes = "",
      .help = "leave; the session is kept",
      .any_time = true,
      .run = run_quit },
    { .name = "exit", .takes = "", .help = "the same", .any_time = true, .run = run_quit },
};

const size_t rf_chat_command_count = sizeof rf_chat_commands / sizeof *rf_chat_commands;

static const struct {
    const char *keys, *meaning;
} keys[] = {
    { "Enter", "ask; Alt-Enter, Ctrl-J or a backslash before Enter begins a new line" },
    { "@FILE", "name a file in a question; Tab completes its path" },
    { "Ctrl-G", "go on writing in your editor ($VISUAL, $EDITOR or vi)" },
    { "Ctrl-V", "attach the picture that is in the clipboard" },
    { "Ctrl-O", "show the last thought and the details of the last calls, or fold them" },
    { "Ctrl-R", "search what was typed before" },
    { "Ctrl-C",
      "stop the answer, empty the line, take back files; twice at an empty prompt: leave" },
    { "Ctrl-D", "leave" },
};

struct listing {
    struct rf_chat *chat;
    int width;
};

static void say_prompt(void *ctx, const char *name, struct rf_str description)
{
    struct listing *l = ctx;
    struct rf_buffer word = { 0 }, meaning = { 0 };
    struct rf_err unseen;
    rf_buffer_print(&word, "/%s", name);
    rf_buffer_str(&meaning, description.n ? description : rf_text("a prompt of yours"));
    if (rf_chat_command_find(name, &unseen))
        rf_buffer_print(&meaning, " (not used here: /%s is a command; ask -p %s has it)", name,
                        name);
    rf_chat_say_pair(l->chat, l->width, rf_buffer_view(&word), rf_buffer_view(&meaning));
    rf_buffer_release(&word);
    rf_buffer_release(&meaning);
}

static void run_help(struct rf_chat *c, struct rf_str argument)
{
    char word[64];
    int width = 0;
    (void)argument;
    for (size_t i = 0; i < rf_chat_command_count; i++) {
        const struct rf_chat_command *k = &rf_chat_commands[i];
        int n = snprintf(word, sizeof word, "/%s %s", k->name, k->takes);
        width = n > width ? n : width;
    }
    for (size_t i = 0; i < rf_chat_command_count; i++) {
        const struct rf_chat_command *k = &rf_chat_commands[i];
        snprintf(word, sizeof word, "/%s %s", k->name, k->takes);
        rf_chat_say_pair(c, width, rf_text(word), rf_text(k->help));
    }
    rf_prompt_list(say_prompt, &(struct listing){ c, width });
    for (size_t i = 0; !c->plain && i < sizeof keys / sizeof *keys; i++)
        rf_chat_say_pair(c, width, rf_text(keys[i].keys), rf_text(keys[i].meaning));
}

/* Finding and running */

bool rf_chat_is_command(const char *line)
{
    return line[0] == '/' && !memchr(line + 1, '/', strcspn(line + 1, " \t\n"));
}

static void hint_near(const char *name, struct rf_err *err)
{
    const char *best = NULL;
    unsigned least = UINT_MAX;
    for (size_t i = 0; i < rf_chat_command_count; i++) {
        unsigned distance = rf_name_distance(name, rf_chat_commands[i].name);
        if (distance < least) {
            least = distance;
            best = rf_chat_commands[i].name;
        }
    }
    if (strchr(name, '/'))
        rf_say_hint(err, "A file is given along with /attach, or named with @ in a question.");
    else if (best && rf_name_near(name, least))
        rf_say_hint(err, "Did you mean /%s? /help lists them all.", best);
    else
        rf_say_hint(err, "/help lists them all.");
}

const struct rf_chat_command *rf_chat_command_find(const char *line, struct rf_err *err)
{
    struct rf_str rest = rf_text(line), name = rf_chat_first_word(&rest);
    char shown[64];
    if (name.n && name.p[0] == '/')
        name = (struct rf_str){ name.p + 1, name.n - 1 };
    for (size_t i = 0; i < rf_chat_command_count; i++)
        if (rf_chat_is(name, rf_chat_commands[i].name))
            return &rf_chat_commands[i];
    snprintf(shown, sizeof shown, "%.*s", RF_FMT(name));
    rf_say(err, RF_EUSAGE, "there is no command \"/%s\"", shown);
    hint_near(shown, err);
    return NULL;
}

void rf_chat_command_run(struct rf_chat *c, const char *line)
{
    struct rf_err err;
    struct rf_str rest = rf_text(line);
    const struct rf_chat_command *k = rf_chat_command_find(line, &err);
    if (!k) {
        rf_chat_error(c, &err);
        return;
    }
    rf_chat_first_word(&rest);
    if (rest.n && !*k->takes) {
        rf_say(&err, RF_EUSAGE, "/%s takes nothing after it", k->name);
        rf_chat_error(c, &err);
        return;
    }
    if (rf_prompt_exists(rf_text(k->name)))
        rf_chat_say(c, RF_STYLE_DIM,
                    "/%s is a command, and not your prompt of that name: ask -p %s has that",
                    k->name, k->name);
    k->run(c, rest);
}
