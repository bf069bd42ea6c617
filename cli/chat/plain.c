/* The same conversation where there is no terminal to draw on: a line in, an answer out, everything
 * else on standard error as ask has it. Nothing is drawn or wrapped. Lines that do not
 * come from a terminal were not typed: the files that they name are below the working
 * folder. */
#include "chat/parts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "advice.h"
#include "permission.h"
#include "prompts.h"
#include "report.h"

#define MOST_LINE ((size_t)16 << 20)

/* The first signal stops the answer, the next one the program. */

static struct rf_agent *stopped_agent;
static volatile sig_atomic_t stops;

/* The terminal that shows nothing of what is typed; -1 where it does. */
static int hidden_tty = -1;
static struct termios shown;

static void stop(int number)
{
    if (stops++ || !stopped_agent) {
        if (hidden_tty >= 0)
            tcsetattr(hidden_tty, TCSANOW, &shown);
        rf_process_end_workers();
        _exit(128 + number);
    }
    rf_agent_cancel(stopped_agent);
}

static void listen_to_signals(struct rf_agent *agent)
{
    struct sigaction act = { .sa_handler = stop };
    sigemptyset(&act.sa_mask);
    stops = 0;
    stopped_agent = agent;
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
}

bool rf_chat_is_scripted(const struct rf_chat *c)
{
    return c->plain && !isatty(STDIN_FILENO);
}

/* The terminal is as it was once the key that ends it came, or a signal. */
bool rf_chat_plain_secret_ask(struct rf_chat_secret *s)
{
    int tty = rf_permission_open();
    unsigned char byte;
    if (tty < 0 || tcgetattr(tty, &shown) != 0) {
        if (tty >= 0)
            close(tty);
        return false;
    }
    struct termios quiet = shown;
    hidden_tty = tty;
    listen_to_signals(stopped_agent);
    quiet.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
    tcsetattr(tty, TCSAFLUSH, &quiet);
    fputs("password of ", stderr);
    rf_print_text(stderr, rf_text(s->name));
    fputs(" (not shown): ", stderr);
    fflush(stderr);
    while (!s->done && read(tty, &byte, 1) == 1)
        rf_chat_secret_key(s, byte);
    tcsetattr(tty, TCSAFLUSH, &shown);
    hidden_tty = -1;
    fputc('\n', stderr);
    close(tty);
    return s->done && !s->refused && s->n;
}

static void begin_question(struct rf_chat *c)
{
    c->plain_show->input_tokens = c->plain_show->output_tokens = 0;
    listen_to_signals(c->agent);
}

static void end_question(struct rf_chat *c, enum rf_code rc, const struct rf_err *err)
{
    stopped_agent = NULL;
    c->plain_code = rc;
    rf_stored_unseen(rf_agent_session(c->agent), c->resumed, rc ? err : &(struct rf_err){ 0 },
                     c->unseen);
    rf_ask_show_end(c->plain_show, NULL);
    if (rc)
        rf_report(err);
}

/* A line without origins is what a person typed, where there is one. */
void rf_chat_plain_ask(struct rf_chat *c, const char *prompt, const char *origins)
{
    const struct rf_words whole = { rf_text(prompt),
                                    rf_chat_is_scripted(c) ? RF_ORIGIN_TEXT : RF_ORIGIN_TYPED };
    size_t count = 1;
    struct rf_words *pieces = origins ? rf_words_of(prompt, origins, &count) : NULL;
    struct rf_str answer;
    struct rf_err err;
    begin_question(c);
    enum rf_code rc = rf_agent_ask_words(c->agent, pieces ? pieces : &whole, count, &answer, &err);
    rf_chat_attached_forget(c);
    end_question(c, rc, &err);
    free(pieces);
}

void rf_chat_plain_retry(struct rf_chat *c)
{
    struct rf_str answer;
    struct rf_err err;
    begin_question(c);
    enum rf_code rc = rf_agent_retry(c->agent, &answer, &err);
    end_question(c, rc, &err);
}

static bool read_line(struct rf_chat *c, char **line, size_t *size)
{
    if (isatty(STDIN_FILENO)) {
        fputs("> ", stderr);
        fflush(stderr);
    }
    ssize_t n = c->quits ? -1 : getline(line, size, stdin);
    if (n < 0 || (size_t)n > MOST_LINE)
        return false;
    while (n > 0 && ((*line)[n - 1] == '\n' || (*line)[n - 1] == '\r'))
        (*line)[--n] = '\0';
    return true;
}

static void enter(struct rf_chat *c, const char *line)
{
    bool blank = line[strspn(line, " \t")] == '\0';
    if (rf_chat_is_prompt(line))
        rf_chat_ask_prompt(c, line, NULL);
    else if (rf_chat_is_command(line))
        rf_chat_command_run(c, line);
    else if (!blank || c->attached)
        rf_chat_ask(c, line, NULL);
}

static void keep_made(struct rf_chat *c, const struct rf_block *b, struct rf_str tool)
{
    struct rf_made_file file;
    if (rf_chat_save_made(c, b, tool, &file)) {
        rf_ask_show_made(c->plain_show, &file);
        rf_made_file_release(&file);
    }
}

static bool hear(void *ctx, const struct rf_agent_event *e)
{
    struct rf_chat *c = ctx;
    if (e->type == RF_AGENT_FOR_PERSON)
        keep_made(c, e->block, e->name);
    if (e->type == RF_AGENT_USAGE)
        rf_chat_spend(&c->spent, e->input_tokens, e->output_tokens, e->cached_tokens,
                      e->cost_micros);
    return rf_ask_show_event(c->plain_show, e);
}

static bool hear_stream(void *ctx, const struct rf_event *e)
{
    struct rf_chat *c = ctx;
    rf_ask_show_stream(c->plain_show, e);
    if (e->type == RF_EVENT_BLOCK_END)
        keep_made(c, e->done, rf_text(""));
    return true;
}

/* The status is that of the last question: what a script asks last is what it wants to know. */
int rf_chat_plain(struct rf_chat *c)
{
    struct rf_ask_show show = { .answer.as_written = true };
    char *line = NULL;
    size_t size = 0;
    c->plain_show = &show;
    rf_ask_show_begin(&show);
    rf_agent_listen(c->agent, hear, c);
    rf_agent_listen_stream(c->agent, hear_stream, c);
    while (!c->quits && read_line(c, &line, &size))
        enter(c, line);
    if (isatty(STDIN_FILENO) && !c->quits)
        fputc('\n', stderr);
    free(line);
    struct rf_session *session = rf_agent_session(c->agent);
    if (session)
        fprintf(stderr, "= session %s\n", rf_session_id(session));
    rf_ask_show_release(&show);
    c->plain_show = NULL;
    return c->plain_code ? rf_exit_status(c->plain_code) : 0;
}
