/* /edit and Ctrl-G: the text that is being written in the person's own editor ($VISUAL, $EDITOR or
 * vi), in a private file that goes again. The terminal is the editor's meanwhile, with the modes
 * that it had before the chat. What an editor leaves that failed is not taken. */
#include "chat/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "report.h"

#define MOST_BYTES ((size_t)1 << 20) /* of what comes back: as much as a line holds */

static const char *editor_name(void)
{
    static const char *const variables[] = { "VISUAL", "EDITOR" };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return value;
    }
    return "vi";
}

/* Run `editor`, which may have words after its name, over a file, and wait for it. Signals that
 * keys send reach it too: Ctrl-C is the editor's business, Ctrl-Z stops both. Returns its exit
 * status; -1 where it did not come to one. */
static int run_editor(const char *editor, const char *path)
{
    char *script, *arguments[] = { (char *)(uintptr_t) "sh",      (char *)(uintptr_t) "-c", NULL,
                                   (char *)(uintptr_t) "refract", (char *)(uintptr_t)path,  NULL };
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction interrupt, quit;
    posix_spawnattr_t how;
    sigset_t usual;
    pid_t pid;
    int status = -1;
    if (asprintf(&script, "%s \"$1\"", editor) < 0)
        abort();
    arguments[2] = script;
    sigemptyset(&usual);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGQUIT);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    char **environment = rf_program_environment(RF_PROGRAM_DESKTOP, NULL, 0);
    if (posix_spawnp(&pid, "sh", NULL, &how, arguments, environment) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    posix_spawnattr_destroy(&how);
    free(environment);
    free(script);
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The terminal is cooked, and nothing of ours is at its bottom. An editor that is killed leaves it
 * with any modes: those before it are the ones to come back to. */
static int lend_terminal(struct rf_chat *c, const char *editor, const char *path)
{
    struct termios modes;
    rf_region_clear(&c->region);
    rf_tty_cooked(&c->tty);
    bool known = tcgetattr(c->tty.in, &modes) == 0;
    int status = run_editor(editor, path);
    while (known && tcsetattr(c->tty.in, TCSADRAIN, &modes) != 0 && errno == EINTR)
        continue;
    rf_tty_raw(&c->tty);
    rf_region_forget(&c->region);
    c->keys->dirty = true;
    return status;
}

/* The file */

static bool write_file(const char *path, struct rf_str text, struct rf_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good = out && fwrite(text.p, 1, text.n, out) == text.n && fputc('\n', out) != EOF;
    if (out && fclose(out) != 0)
        good = false;
    if (!good) {
        rf_say(err, RF_EIO, "could not write \"%s\" for the editor: %s", path, strerror(errno));
        rf_say_hint(err, "Set TMPDIR to a folder that has room for it.");
    }
    return good;
}

static bool read_file(const char *path, struct rf_buffer *out, struct rf_err *err)
{
    FILE *in = fopen(path, "re");
    char piece[4096];
    size_t n;
    rf_buffer_reset(out);
    if (!in) {
        rf_say(err, RF_EIO, "what the editor wrote could not be read: %s", strerror(errno));
        return false;
    }
    while ((n = fread(piece, 1, sizeof piece, in)) > 0 && out->n <= MOST_BYTES)
        rf_buffer_add(out, piece, n);
    fclose(in);
    while (out->n && out->p[out->n - 1] == '\n')
        out->n--;
    if (out->n <= MOST_BYTES)
        return true;
    rf_say(err, RF_ELIMIT, "what the editor wrote is longer than a line can be, %zu bytes",
           MOST_BYTES);
    rf_say_hint(err, "Keep it in a file, and give that along: /attach FILE.");
    return false;
}

static bool edit_file(struct rf_chat *c, const char *path, struct rf_buffer *out,
                      struct rf_err *err)
{
    const char *editor = editor_name();
    int status = lend_terminal(c, editor, path);
    if (status == 0)
        return read_file(path, out, err);
    if (status == 127)
        rf_say(err, RF_ENOTFOUND, "the editor \"%s\" could not be started", editor);
    else if (status > 0)
        rf_say(err, RF_EIO, "the editor \"%s\" failed with status %d", editor, status);
    else
        rf_say(err, RF_EIO, "the editor \"%s\" was ended", editor);
    rf_say_hint(err, "The text is as it was; VISUAL and EDITOR say which editor is used.");
    return false;
}

static bool edit_text(struct rf_chat *c, struct rf_str text, struct rf_buffer *out,
                      struct rf_err *err)
{
    struct rf_temporary folder = { 0 };
    char path[RF_TEMPORARY_PATH + 32];
    if (rf_temporary_make(&folder, err))
        return false;
    snprintf(path, sizeof path, "%s/question.md", folder.path);
    bool good = write_file(path, text, err) && edit_file(c, path, out, err);
    rf_temporary_remove(&folder);
    return good;
}

/* The line */

static bool is_same(struct rf_str text, const struct rf_buffer *b)
{
    return text.n == b->n && (!text.n || memcmp(text.p, b->p, text.n) == 0);
}

/* What comes from an editor may hold anything: it was not typed here, as far as we know. The text
 * as it was stays what it was, typed or not. */
static void edit_line(struct rf_chat *c, struct rf_str text, struct rf_str in_line)
{
    struct rf_buffer edited = { 0 };
    struct rf_err err;
    if (!edit_text(c, text, &edited, &err)) {
        rf_chat_error(c, &err);
        if (!in_line.n && text.n)
            rf_edit_insert(c->edit, text, RF_EDIT_PASTED);
    } else if (!is_same(in_line, &edited)) {
        rf_edit_replace(c->edit, rf_buffer_view(&edited));
    }
    rf_buffer_release(&edited);
}

void rf_chat_edit(struct rf_chat *c, struct rf_str text)
{
    struct rf_buffer line = { 0 }, last = { 0 };
    rf_edit_whole(c->edit, &line);
    if (!text.n)
        text = rf_buffer_view(&line);
    if (!text.n && rf_chat_last_question(c, &last))
        text = rf_buffer_view(&last);
    edit_line(c, text, rf_buffer_view(&line));
    rf_buffer_release(&line);
    rf_buffer_release(&last);
}
