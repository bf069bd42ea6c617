/* Files that go along with the next question: by command, pasted or dropped.
 *
 * So does what web addresses have, where a paste is nothing but those; one that brings nothing
 * stays in the line as text.
 *
 * A paste is taken for files where it is nothing but paths of files that are there, as terminals
 * write them when something is dropped on them: bare, in quotes, with backslashes, as file://.
 * Anything else is text. Nothing is sent before a person has seen it under the prompt: a file from
 * outside of the working folder has a row of its own there, with its path, which names beside it
 * cannot push out of sight. */
#include "chat/parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "permission.h"
#include "report.h"
#include "text.h"

#define MOST_PASTED 64 /* files in one paste */
#define MOST_PATH 4096
#define MOST_TRIES 3 /* at a password */

/* Attaching */

struct attaching {
    const char *path;
    enum rf_code code;
    struct rf_err err;
};

static void attach(struct rf_chat *c, void *ctx)
{
    struct attaching *a = ctx;
    a->code = rf_chat_is_scripted(c) ? rf_agent_attach_named(c->agent, a->path, &a->err)
                                     : rf_agent_attach(c->agent, a->path, &a->err);
    if (!a->code)
        rf_chat_preview_shortly(c, a->path);
}

/* Where a file really is that is not below the working folder; NULL where it is. To be freed. */
static char *outside(const char *path)
{
    const char *part = strrchr(path, '#');
    char *here = realpath(".", NULL), *real = realpath(path, NULL);
    if (!real && part) {
        char *whole = rf_text_copy((struct rf_str){ path, (size_t)(part - path) });
        real = realpath(whole, NULL);
        free(whole);
    }
    size_t n = here && here[1] ? strlen(here) : 0;
    bool inside = real && here && strncmp(real, here, n) == 0 && real[n] == '/';
    free(here);
    if (inside) {
        free(real);
        return NULL;
    }
    return real ? real : rf_text_copy(rf_text(path));
}

static void remember(struct rf_chat *c, const char *path)
{
    struct rf_chat_attached **at = &c->attached, *a = calloc(1, sizeof *a);
    const char *slash = strrchr(path, '/');
    if (!a)
        abort();
    a->name = rf_text_copy(rf_text(slash && slash[1] ? slash + 1 : path));
    a->outside = outside(path);
    while (*at)
        at = &(*at)->next;
    *at = a;
}

static void attach_here(struct rf_chat *c, struct attaching *a)
{
    if (c->plain)
        attach(c, a);
    else
        rf_chat_work_here(c, rf_text_is_address(rf_text(a->path)) ? "fetching it" : "reading it",
                          attach, a);
}

/* The password is for this file, and forgotten with it. False where none was given. */
static bool try_password(struct rf_chat *c, struct attaching *a, const char *name)
{
    struct rf_chat_secret s = { .name = name };
    bool given = c->plain ? rf_chat_plain_secret_ask(&s) : rf_chat_secret_ask(c, &s);
    if (given &&
        !(a->code = rf_agent_password(c->agent, (struct rf_str){ s.text, s.n }, &a->err))) {
        attach_here(c, a);
        if (rf_agent_password(c->agent, rf_text(""), NULL))
            abort();
    }
    explicit_bzero(&s, sizeof s);
    return given;
}

/* Who mistyped a password types it again at once: nothing of that may end up in a question. False
 * where none was given. */
static bool unlock(struct rf_chat *c, struct attaching *a)
{
    const char *slash = strrchr(a->path, '/'), *name = slash && slash[1] ? slash + 1 : a->path;
    for (int tries = 1; a->code == RF_EENCRYPTED && tries <= MOST_TRIES; tries++) {
        if (tries > 1)
            rf_chat_say(c, RF_STYLE_BAD, "%s; try again", a->err.msg);
        if (!try_password(c, a, name)) {
            rf_chat_say(c, RF_STYLE_DIM, "%s stays closed, and does not go along", name);
            return false;
        }
    }
    if (a->code == RF_EENCRYPTED && !c->plain) /* what was typed since may be one try more */
        c->keys->at = c->keys->count;
    return true;
}

/* Is there a person who could type one? */
static bool can_ask(const struct rf_chat *c)
{
    int tty = c->plain ? rf_permission_open() : -1;
    if (tty >= 0)
        close(tty);
    return !c->plain || tty >= 0;
}

bool rf_chat_attach(struct rf_chat *c, const char *path)
{
    struct attaching a = { .path = path };
    attach_here(c, &a);
    if (can_ask(c) && !unlock(c, &a))
        return false;
    if (a.code) {
        rf_chat_error(c, &a.err);
        return false;
    }
    remember(c, path);
    return true;
}

void rf_chat_attached_forget(struct rf_chat *c)
{
    while (c->attached) {
        struct rf_chat_attached *gone = c->attached;
        c->attached = gone->next;
        free(gone->name);
        free(gone->outside);
        free(gone);
    }
}

/* Paths in a paste */

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* "file:///home/a%20b" or "file://host/…": the path. */
static void add_address(struct rf_buffer *out, struct rf_str s)
{
    size_t i = 7;
    while (i < s.n && s.p[i] != '/')
        i++;
    for (; i < s.n; i++) {
        int high = i + 2 < s.n && s.p[i] == '%' ? hex(s.p[i + 1]) : -1;
        int low = high >= 0 ? hex(s.p[i + 2]) : -1;
        char byte = low >= 0 ? (char)(high * 16 + low) : s.p[i];
        rf_buffer_add(out, &byte, 1);
        i += low >= 0 ? 2 : 0;
    }
}

static void add_unescaped(struct rf_buffer *out, struct rf_str s)
{
    const char *home = getenv("HOME");
    size_t i = 0;
    if (s.n > 1 && s.p[0] == '~' && s.p[1] == '/' && home) {
        rf_buffer_text(out, home);
        i = 1;
    }
    for (; i < s.n; i++) {
        if (s.p[i] == '\\' && i + 1 < s.n)
            i++;
        rf_buffer_add(out, &s.p[i], 1);
    }
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A word of the paste, as the path of a file that is there; or NULL. To be freed. A bare name is
 * one only where it looks like that of a file. */
static char *path_of(struct rf_str word, struct rf_str raw)
{
    struct rf_buffer out = { 0 };
    bool named = memchr(word.p, '/', word.n) || memchr(word.p, '.', word.n);
    if (word.n <= MOST_PATH && rf_text_is_address(word))
        return rf_text_copy(word);
    if (!word.n || word.n > MOST_PATH || !named || memchr(word.p, '\0', word.n))
        return NULL;
    char *as_is = rf_text_copy(raw);
    if (is_file(as_is))
        return as_is;
    free(as_is);
    if (word.n > 7 && memcmp(word.p, "file://", 7) == 0)
        add_address(&out, word);
    else
        add_unescaped(&out, word);
    rf_buffer_add(&out, "", 1);
    if (strlen(out.p) + 1 == out.n && is_file(out.p))
        return out.p;
    rf_buffer_release(&out);
    return NULL;
}

/* The word that `s` begins with: quoted, or up to a space without a backslash. */
static size_t next_word(struct rf_str s, struct rf_str *word)
{
    char quote = s.p[0] == '\'' || s.p[0] == '"' ? s.p[0] : '\0';
    size_t i = quote ? 1 : 0;
    while (i < s.n && (quote ? s.p[i] != quote : s.p[i] != ' '))
        i += s.p[i] == '\\' && i + 1 < s.n ? 2 : 1;
    *word = (struct rf_str){ s.p + !!quote, i - !!quote };
    return i + (quote && i < s.n);
}

struct paths {
    char *items[MOST_PASTED];
    size_t count;
};

static bool take_path(struct paths *p, struct rf_str word, struct rf_str raw)
{
    char *path = p->count < MOST_PASTED ? path_of(word, raw) : NULL;
    if (path)
        p->items[p->count++] = path;
    return path;
}

/* A line is one path, spaces and all, or several words that all are. */
static bool take_line(struct paths *p, struct rf_str line)
{
    while (line.n && strchr(" \t\r", line.p[line.n - 1]))
        line.n--;
    while (line.n && strchr(" \t", line.p[0]))
        line = (struct rf_str){ line.p + 1, line.n - 1 };
    if (!line.n || take_path(p, line, line))
        return true;
    while (line.n) {
        struct rf_str word;
        size_t n = next_word(line, &word);
        if (!take_path(p, word, word))
            return false;
        while (n < line.n && line.p[n] == ' ')
            n++;
        line = (struct rf_str){ line.p + n, line.n - n };
    }
    return true;
}

static bool take_paths(struct paths *p, struct rf_str text)
{
    if (text.n > (size_t)MOST_PASTED * MOST_PATH)
        return false;
    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) : text.n;
        if (!take_line(p, (struct rf_str){ text.p, n }))
            return false;
        n += end ? 1 : 0;
        text = (struct rf_str){ text.p + n, text.n - n };
    }
    return p->count > 0;
}

/* Where the other thread works, they are attached when it is done. In quotes a name is what it
 * is. */
static void attach_later(struct rf_chat *c, const char *path)
{
    struct rf_buffer line = { 0 };
    rf_buffer_print(&line, "/attach \"%s\"", path);
    rf_chat_wait_line(c, rf_buffer_view(&line), NULL);
    rf_buffer_release(&line);
}

struct rf_str rf_chat_paste(void *ctx, struct rf_str text)
{
    struct rf_chat *c = ctx;
    struct paths p = { .count = 0 };
    bool files = take_paths(&p, text), left = !files;
    for (size_t i = 0; i < p.count; i++) {
        if (files && rf_chat_is_busy(c))
            attach_later(c, p.items[i]);
        else if (files && !rf_chat_attach(c, p.items[i]))
            left |= rf_text_is_address(rf_text(p.items[i]));
        free(p.items[i]);
    }
    return left ? text : (struct rf_str){ "", 0 };
}
