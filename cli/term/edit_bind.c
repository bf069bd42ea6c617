/* Which key does what: libedit's own keys, ours over them, and what ~/.editrc binds over both.
 * Nothing else of ~/.editrc is obeyed, and functions of libedit that would read for themselves,
 * start a program or know its history are replaced. */
#include "term/edit_inside.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_EDITRC 1000 /* lines of the file that are read */
#define MOST_WORDS 16    /* words of a line in it */

static unsigned char enter(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    const LineInfoW *line = rf_libedit.wline(el);
    if (!e->command && line->cursor > line->buffer && line->cursor[-1] == L'\\') {
        rf_edit_delete_before(e, 1);
        rf_edit_insert(e, RF_LIT("\n"), RF_EDIT_TYPED);
        return CC_REFRESH;
    }
    rf_edit_enter(e);
    return CC_NEWLINE;
}

static unsigned char line_feed(EditLine *el, int c)
{
    (void)c;
    rf_edit_insert(rf_edit_of(el), RF_LIT("\n"), RF_EDIT_TYPED);
    return CC_REFRESH;
}

static unsigned char complete(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    if (!e->calls.complete)
        return CC_NORM;
    struct rf_buffer text = { 0 };
    rf_buffer_str(&text, rf_edit_text(e));
    size_t cursor = e->text_cursor;
    struct rf_edit_completion out = { 0 };
    e->calls.complete(e->calls.ctx, rf_buffer_view(&text), cursor, &out);
    if (out.text && out.begin <= cursor) {
        struct rf_str replaced = { rf_buffer_view(&text).p + out.begin, cursor - out.begin };
        enum rf_edit_origin origin = rf_edit_origin_of(e, out.begin, cursor);
        if (replaced.n)
            rf_edit_delete_before(e, rf_edit_characters(replaced));
        rf_edit_insert(e, (struct rf_str){ out.text, strlen(out.text) }, origin);
    }
    rf_buffer_release(&text);
    return CC_REFRESH;
}

static unsigned char paste(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    struct rf_str text = rf_buffer_view(&e->pasted);
    if (e->calls.paste)
        text = e->calls.paste(e->calls.ctx, text);
    struct rf_buffer clean = { 0 }, folded = { 0 };
    rf_edit_clean(&clean, text);
    rf_edit_fold(e, rf_buffer_view(&clean), &folded);
    rf_edit_insert_raw(e, rf_buffer_view(&folded), RF_EDIT_PASTED);
    rf_buffer_release(&clean);
    rf_buffer_release(&folded);
    rf_buffer_reset(&e->pasted);
    return CC_REFRESH;
}

static unsigned char restore(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    if (e->restores)
        rf_edit_restore(e);
    return CC_REFRESH;
}

static unsigned char other_key(EditLine *el, int c)
{
    struct rf_edit *e = rf_edit_of(el);
    if (e->calls.key)
        e->calls.key(e->calls.ctx, c);
    return CC_REFRESH;
}

static unsigned char escape(EditLine *el, int c)
{
    (void)c;
    return rf_edit_of(el)->redoes ? CC_ERROR : other_key(el, 27);
}

static unsigned char end_or_delete(EditLine *el, int c)
{
    struct rf_edit *e = rf_edit_of(el);
    const LineInfoW *line = rf_libedit.wline(el);
    if (line->lastchar > line->buffer)
        return rf_edit_delete(el, c);
    e->ended = true;
    return CC_EOF;
}

/* libedit's vi would leave an empty line to the left. What waits for a movement goes on waiting for
 * it. */
static unsigned char text_end(EditLine *el, int c)
{
    (void)c;
    const LineInfoW *line = rf_libedit.wline(el);
    if (line->lastchar == line->buffer)
        return CC_ERROR;
    rf_libedit.wpush(el, L"\x9b"
                         L"!$");
    return CC_ARGHACK;
}

/* libedit's vi does again what was typed as if it were typed again: with a "." in it, and nothing
 * before it that inserts (it has nothing to do again yet, or what it does fails here), that would
 * never end. So one "." is one. */
static unsigned char redo(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    if (e->redoes)
        return CC_ERROR;
    e->redoes = true;
    rf_libedit.wpush(el, L"\x9b"
                         L"!.");
    return CC_ARGHACK;
}

static unsigned char nothing(EditLine *el, int c)
{
    (void)el;
    (void)c;
    return CC_NORM;
}

/* Asked twice, so that what "." does again begins with the question, also where f takes one. */
static unsigned char is_insert(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    e->probes |= e->command;
    e->command = false;
    return CC_ARGHACK;
}

/* Where it was asked within what "." does again, that has failed, and libedit would take the text
 * that was typed for commands. */
static unsigned char is_command(EditLine *el, int c)
{
    (void)c;
    struct rf_edit *e = rf_edit_of(el);
    e->command = true;
    if (!e->redoes)
        return CC_ARGHACK;
    rf_edit_begin_anew(e);
    return CC_FATAL;
}

static const struct {
    const wchar_t *name;
    unsigned char (*function)(EditLine *el, int c);
} functions[] = {
    { L"rf-enter", enter },
    { L"rf-line-feed", line_feed },
    { L"rf-complete", complete },
    { L"rf-paste", paste },
    { L"rf-restore", restore },
    { L"rf-key", other_key },
    { L"rf-escape", escape },
    { L"rf-end-or-delete", end_or_delete },
    { L"rf-nothing", nothing },
    { L"rf-redo", redo },
    { L"rf-text-end", text_end },
    { L"rf-is-insert", is_insert },
    { L"rf-is-command", is_command },
    { L"rf-up", rf_edit_up },
    { L"rf-down", rf_edit_down },
    { L"rf-left", rf_edit_step_back },
    { L"rf-right", rf_edit_step_on },
    { L"rf-home", rf_edit_home },
    { L"rf-end", rf_edit_end },
    { L"rf-backspace", rf_edit_backspace },
    { L"rf-delete", rf_edit_delete },
    { L"rf-kill", rf_edit_kill },
    { L"rf-kill-back", rf_edit_kill_back },
    { L"rf-jump", rf_edit_jump },
    { L"rf-change-case", rf_edit_change_case },
    { L"rf-match-older", rf_edit_match_older },
    { L"rf-match-newer", rf_edit_match_newer },
    { L"rf-search", rf_edit_search },
};

/* What follows Escape. Names that begin with "!" are our own, and cannot be typed. */
static const struct {
    const char *key;
    const wchar_t *function;
} sequences[] = {
    { "[A", L"rf-up" },
    { "OA", L"rf-up" },
    { "[B", L"rf-down" },
    { "OB", L"rf-down" },
    { "[C", L"rf-right" },
    { "OC", L"rf-right" },
    { "[D", L"rf-left" },
    { "OD", L"rf-left" },
    { "[H", L"rf-home" },
    { "OH", L"rf-home" },
    { "[1~", L"rf-home" },
    { "[7~", L"rf-home" },
    { "[F", L"rf-end" },
    { "OF", L"rf-end" },
    { "[4~", L"rf-end" },
    { "[8~", L"rf-end" },
    { "[3~", L"rf-delete" },
    { "[3;5~", L"em-delete-next-word" },
    { "[3;3~", L"em-delete-next-word" },
    { "[1;5C", L"em-next-word" },
    { "[1;3C", L"em-next-word" },
    { "[5C", L"em-next-word" },
    { "Oc", L"em-next-word" },
    { "[1;5D", L"ed-prev-word" },
    { "[1;3D", L"ed-prev-word" },
    { "[5D", L"ed-prev-word" },
    { "Od", L"ed-prev-word" },
    { "[1;5H", L"ed-move-to-beg" },
    { "[1;5F", L"rf-text-end" },
    { "[1;5A", L"rf-match-older" },
    { "[1;5B", L"rf-match-newer" },
    { "[13;2u", L"rf-line-feed" },
    { "[13;3u", L"rf-line-feed" },
    { "[13;5u", L"rf-line-feed" },
    { "[27;2;13~", L"rf-line-feed" },
    { "[27;3;13~", L"rf-line-feed" },
    { "[27;5;13~", L"rf-line-feed" },
    { "OM", L"rf-enter" },
    { "\r", L"rf-line-feed" },
    { "\n", L"rf-line-feed" },
    /* For ~/.editrc: function keys, Insert, Page Up and Page Down, Shift-Tab. */
    { "OP", L"rf-nothing" },
    { "OQ", L"rf-nothing" },
    { "OR", L"rf-nothing" },
    { "OS", L"rf-nothing" },
    { "[2~", L"rf-nothing" },
    { "[5~", L"rf-nothing" },
    { "[6~", L"rf-nothing" },
    { "[11~", L"rf-nothing" },
    { "[12~", L"rf-nothing" },
    { "[13~", L"rf-nothing" },
    { "[14~", L"rf-nothing" },
    { "[15~", L"rf-nothing" },
    { "[17~", L"rf-nothing" },
    { "[18~", L"rf-nothing" },
    { "[19~", L"rf-nothing" },
    { "[20~", L"rf-nothing" },
    { "[21~", L"rf-nothing" },
    { "[23~", L"rf-nothing" },
    { "[24~", L"rf-nothing" },
    { "[Z", L"rf-nothing" },
    { "!e", L"rf-escape" },
    { "!p", L"rf-paste" },
    { "!r", L"rf-restore" },
    { "!m", L"em-set-mark" },
    { "!j", L"rf-jump" },
    { "!k", L"em-kill-region" },
    { "!n", L"rf-nothing" },
    { "!$", L"ed-move-to-end" },
    { "!i", L"vi-insert" },
    { "!.", L"vi-redo" },
};

enum maps { EMACS = 1, INSERT = 2, COMMAND = 4, ALL = 7 };

static const struct {
    const wchar_t *key;
    int maps;
    const wchar_t *function;
} keys[] = {
    { L"^M", ALL, L"rf-enter" },
    { L"^J", ALL, L"rf-line-feed" },
    { L"^I", EMACS | INSERT, L"rf-complete" },
    { L"^D", ALL, L"rf-end-or-delete" },
    { L"^?", EMACS | INSERT, L"rf-backspace" },
    { L"^H", EMACS | INSERT, L"rf-backspace" },
    { L"^P", ALL, L"rf-up" },
    { L"^N", ALL, L"rf-down" },
    { L"^R", ALL, L"rf-search" },
    { L"^C", ALL, L"rf-key" },
    { L"^G", ALL, L"rf-key" },
    { L"^L", ALL, L"rf-key" },
    { L"^O", ALL, L"rf-key" },
    { L"^Q", ALL, L"rf-key" },
    { L"^S", ALL, L"rf-key" },
    { L"^V", ALL, L"rf-key" },
    { L"^Z", ALL, L"rf-key" },
    { L"^\\", ALL, L"rf-key" },
    { L"^]", ALL, L"rf-key" },
    { L"^A", EMACS | INSERT, L"rf-home" },
    { L"^E", EMACS | INSERT, L"rf-end" },
    { L"^B", EMACS, L"rf-left" },
    { L"^F", EMACS, L"rf-right" },
    { L"^K", EMACS, L"rf-kill" },
    { L"^U", EMACS, L"rf-kill-back" },
    { L"^W", EMACS | INSERT, L"ed-delete-prev-word" },
    { L"^X", EMACS, L"rf-nothing" }, /* it would begin a sequence with the next key */
    { L"^[x", EMACS, L"rf-nothing" },
    { L"^[X", EMACS, L"rf-nothing" },
    { L"^[p", EMACS, L"rf-match-older" },
    { L"^[P", EMACS, L"rf-match-older" },
    { L"^[n", EMACS, L"rf-match-newer" },
    { L"^[N", EMACS, L"rf-match-newer" },
    { L"^[<", EMACS, L"ed-move-to-beg" },
    { L"^[>", EMACS, L"rf-text-end" },
    { L"$", COMMAND, L"rf-text-end" },
    { L"^E", COMMAND, L"rf-text-end" },
    { L"^[", INSERT, L"vi-command-mode" },
    { L"^[", COMMAND, L"rf-escape" },
    { L"k", COMMAND, L"rf-up" },
    { L"j", COMMAND, L"rf-down" },
    { L"\\055", COMMAND, L"rf-up" },
    { L"+", COMMAND, L"rf-down" },
    { L"K", COMMAND, L"rf-match-older" },
    { L"J", COMMAND, L"rf-match-newer" },
    { L"/", COMMAND, L"rf-search" },
    { L"?", COMMAND, L"rf-search" },
    { L"O", COMMAND, L"rf-nothing" },
    { L"[", COMMAND, L"rf-nothing" },
    { L":", COMMAND, L"rf-nothing" },
    { L"#", COMMAND, L"rf-nothing" },
    { L"v", COMMAND, L"rf-nothing" },
    { L"@", COMMAND, L"rf-nothing" },
    { L"G", COMMAND, L"rf-nothing" },
    { L"_", COMMAND, L"rf-nothing" },
    { L".", COMMAND, L"rf-redo" },
    { L"~", COMMAND, L"rf-change-case" },
    { L"N", COMMAND, L"rf-match-newer" },
    { L"n", COMMAND, L"rf-match-older" },
    { L"\x9c", INSERT, L"rf-is-insert" },
    { L"\x9c", COMMAND, L"rf-is-command" },
};

/* Functions that ~/.editrc may name, and what it gets. */
static const struct {
    const wchar_t *theirs, *ours;
} replaced[] = {
    { L"ed-prev-history", L"rf-up" },
    { L"ed-next-history", L"rf-down" },
    { L"ed-prev-line", L"rf-up" },
    { L"ed-next-line", L"rf-down" },
    { L"ed-search-prev-history", L"rf-match-older" },
    { L"ed-search-next-history", L"rf-match-newer" },
    { L"em-inc-search-prev", L"rf-search" },
    { L"em-inc-search-next", L"rf-search" },
    { L"vi-search-prev", L"rf-search" },
    { L"vi-search-next", L"rf-search" },
    { L"vi-repeat-search-next", L"rf-match-newer" },
    { L"vi-repeat-search-prev", L"rf-match-older" },
    { L"ed-move-to-end", L"rf-text-end" },
    { L"ed-newline", L"rf-enter" },
    { L"ed-command", L"rf-nothing" },
    { L"ed-quoted-insert", L"rf-nothing" },
    { L"vi-histedit", L"rf-nothing" },
    { L"vi-redo", L"rf-redo" },
    { L"vi-comment-out", L"rf-nothing" },
    { L"vi-alias", L"rf-nothing" },
    { L"vi-change-case", L"rf-change-case" },
    { L"vi-list-or-eof", L"rf-end-or-delete" },
    { L"em-delete-or-list", L"rf-end-or-delete" },
    { L"ed-end-of-file", L"rf-end-or-delete" },
};

bool rf_edit_knows(const char *sequence)
{
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (!strcmp(sequences[i].key, sequence))
            return true;
    return false;
}

void rf_edit_functions(struct rf_edit *e)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        rf_libedit.wset(e->el, EL_ADDFN, functions[i].name, L"", functions[i].function);
}

static void bind_key(struct rf_edit *e, bool command, const wchar_t *key, const wchar_t *function)
{
    if (command)
        rf_libedit.wset(e->el, EL_BIND, L"-a", key, function, NULL);
    else
        rf_libedit.wset(e->el, EL_BIND, key, function, NULL);
}

static void bind_sequence(struct rf_edit *e, const char *key, const wchar_t *function)
{
    wchar_t wide[16] = { e->vi || key[0] == '!' ? RF_EDIT_LEAD : L'\033' };
    for (size_t i = 0; key[i] && i + 2 < sizeof wide / sizeof *wide; i++)
        wide[i + 1] = (wchar_t)key[i];
    bind_key(e, false, wide, function);
    if (e->vi)
        bind_key(e, true, wide, function);
}

/* libedit's vi puts control characters into the line. */
static void unbind_controls(struct rf_edit *e)
{
    for (wchar_t c = 1; c < 0x20; c++) {
        const wchar_t key[] = { L'^', c + L'@', 0 };
        if (!wcschr(L"UW[", key[1]))
            bind_key(e, false, key, L"rf-nothing");
    }
}

void rf_edit_bind(struct rf_edit *e)
{
    if (e->vi)
        unbind_controls(e);
    for (wchar_t c = 0xa0; c < 0x100; c++) {
        const wchar_t key[] = { c, 0 };
        bind_key(e, false, key, L"ed-insert");
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].maps & (e->vi ? INSERT : EMACS))
            bind_key(e, false, keys[i].key, keys[i].function);
        if (e->vi && keys[i].maps & COMMAND)
            bind_key(e, true, keys[i].key, keys[i].function);
    }
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        bind_sequence(e, sequences[i].key, sequences[i].function);
}

/* "bind", or "refract:bind"; a line for another program is none of ours. */
static bool is_bind(const wchar_t *word)
{
    const wchar_t *colon = wcschr(word, L':');
    if (colon && !wcsncmp(word, L"refract", (size_t)(colon - word)) && colon - word == 7)
        word = colon + 1;
    return !wcscmp(word, L"bind");
}

static void obey(struct rf_edit *e, int count, const wchar_t **words)
{
    if (count < 2 || count >= MOST_WORDS || !is_bind(words[0]))
        return;
    const wchar_t *ours[MOST_WORDS] = { L"bind" };
    bool vi = !wcscmp(words[1], L"-v");
    if (vi || !wcscmp(words[1], L"-e")) {
        if (e->vi_chosen)
            return;
        e->vi = vi;
        rf_libedit.wset(e->el, EL_EDITOR, vi ? L"vi" : L"emacs");
        rf_edit_bind(e);
        return;
    }
    for (int i = 1; i < count; i++) {
        ours[i] = words[i];
        for (size_t j = 0; j < sizeof replaced / sizeof *replaced; j++)
            if (!wcscmp(words[i], replaced[j].theirs))
                ours[i] = replaced[j].ours;
    }
    rf_libedit.wparse(e->el, count, ours);
}

static void obey_line(struct rf_edit *e, const char *line)
{
    wchar_t wide[1024];
    size_t n = 0;
    for (struct rf_str s = { line, strlen(line) }; s.n && n + 1 < sizeof wide / sizeof *wide;) {
        size_t used = rf_edit_decode(s, &wide[n++]);
        s = (struct rf_str){ s.p + used, s.n - used };
    }
    wide[n] = 0;
    TokenizerW *tokens = rf_libedit.tok_winit(NULL);
    int count = 0;
    const wchar_t **words = NULL;
    if (tokens && !rf_libedit.tok_wstr(tokens, wide, &count, &words))
        obey(e, count, words);
    if (tokens)
        rf_libedit.tok_wend(tokens);
}

static FILE *open_editrc(void)
{
    const char *path = getenv("EDITRC"), *home = getenv("HOME");
    char buffer[4096];
    if (!path && home && snprintf(buffer, sizeof buffer, "%s/.editrc", home) < (int)sizeof buffer)
        path = buffer;
    int fd = path && *path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    struct stat st;
    FILE *file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file && fd >= 0)
        close(fd);
    return file;
}

void rf_edit_read_editrc(struct rf_edit *e)
{
    FILE *file = open_editrc();
    if (!file)
        return;
    char line[1024];
    for (int i = 0; i < MOST_EDITRC && fgets(line, sizeof line, file); i++) {
        line[strcspn(line, "\n")] = '\0';
        size_t blank = strspn(line, " \t");
        if (line[blank] && line[blank] != '#')
            obey_line(e, line + blank);
    }
    fclose(file);
}
