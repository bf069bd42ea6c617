#include "project.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <refract/doctor.h>

#include "permission.h"
#include "report.h"

#define MOST_NAMES 3  /* entries that a line lists */
#define MOST_NAME 48  /* bytes of one there */
#define MOST_LINES 20 /* of a question that stand on any terminal */

static bool is_same(struct rf_str a, struct rf_str b)
{
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

/* What is written by somebody else must not look like lines of ours. */
static void add_line(struct rf_buffer *out, const struct rf_asked *asked)
{
    struct rf_buffer seen = { 0 };
    rf_permission_seen(&seen, asked->entry);
    rf_buffer_text(&seen, asked->key.n ? "." : "");
    rf_buffer_str(&seen, asked->key);
    rf_buffer_text(&seen, ": ");
    rf_permission_seen(&seen, asked->value);
    for (size_t i = 0; i < seen.n; i++)
        if ((unsigned char)seen.p[i] < 0x20 || seen.p[i] == 0x7f)
            seen.p[i] = '?';
    rf_buffer_str(out, rf_buffer_view(&seen));
    rf_buffer_text(out, "\n");
    rf_buffer_release(&seen);
}

void rf_project_list(struct rf_buffer *out, const struct rf_config *c)
{
    for (size_t i = 0; i < rf_config_asked_count(c); i++) {
        struct rf_asked asked = rf_config_asked(c, i);
        add_line(out, &asked);
    }
}

void rf_project_files(struct rf_buffer *out, const struct rf_config *c, const char *one,
                      const char *more)
{
    size_t count = 0;
    for (size_t i = 0; i < rf_config_path_count(c); i++)
        if (rf_config_path_asks(c, i))
            rf_buffer_print(out, "%s%s", count++ ? " and " : "", rf_config_path(c, i, NULL));
    rf_buffer_print(out, " %s", count > 1 ? more : one);
}

static void add_name(struct rf_buffer *out, struct rf_str name)
{
    bool cut = name.n > MOST_NAME;
    size_t n = cut ? MOST_NAME : name.n;
    while (cut && n && ((unsigned char)name.p[n] & 0xc0) == 0x80)
        n--;
    rf_permission_seen(out, (struct rf_str){ name.p, n });
    rf_buffer_text(out, cut ? "..." : "");
}

/* The keys of an entry follow each other. */
void rf_project_names(struct rf_buffer *out, const struct rf_config *c)
{
    struct rf_str last = { "", 0 };
    size_t count = 0;
    for (size_t i = 0; i < rf_config_asked_count(c); i++) {
        struct rf_str entry = rf_config_asked(c, i).entry;
        if (is_same(entry, last))
            continue;
        last = entry;
        if (count++ < MOST_NAMES) {
            rf_buffer_text(out, count > 1 ? ", " : "");
            add_name(out, entry);
        }
    }
    if (count > MOST_NAMES)
        rf_buffer_print(out, " and %zu more", count - MOST_NAMES);
}

static void note_problem(const struct rf_config *c)
{
    if (rf_config_trust_problem(c))
        rf_report_note(rf_config_trust_problem(c));
}

static void note_withheld(const struct rf_config *c)
{
    struct rf_buffer text = { 0 };
    struct rf_err note;
    note_problem(c);
    rf_project_files(&text, c, "is", "are");
    rf_buffer_text(&text, " not trusted (see refract trust); left out: ");
    rf_project_names(&text, c);
    rf_say(&note, RF_OK, "%.*s", RF_FMT(rf_buffer_view(&text)));
    rf_report_note(&note);
    rf_buffer_release(&text);
}

void rf_project_say_sandbox(const struct rf_config *c)
{
    const char *missing = rf_sandbox_lacks(c);
    if (missing)
        fprintf(stderr, "refract: files are read in a reduced sandbox, without %s\n", missing);
}

/* Asking */

/* The answer to one question, on a terminal that is there. RF_TRUST_UNASKED: neither yes nor no. */
static enum rf_trust ask(int tty, const struct rf_config *c, struct rf_str list)
{
    size_t lines = 0;
    struct rf_buffer files = { 0 };
    rf_project_files(&files, c,
                     "came with this folder, and asks for:", "came with this folder, and ask for:");
    fprintf(stderr, "? %.*s\n", RF_FMT(rf_buffer_view(&files)));
    rf_buffer_release(&files);
    for (struct rf_str rest = list; rest.n; lines++) {
        const char *feed = memchr(rest.p, '\n', rest.n);
        size_t n = (size_t)(feed - rest.p);
        fputs("    ", stderr);
        rf_print_text(stderr, (struct rf_str){ rest.p, n });
        fputc('\n', stderr);
        rest = (struct rf_str){ feed + 1, rest.n - n - 1 };
    }
    if (lines > MOST_LINES || list.n > MOST_LINES * MOST_NAME)
        fprintf(stderr, "  (these are %zu lines, of %zu bytes: scroll up to the first)\n", lines,
                list.n);
    switch (
        rf_permission_letter(tty, rf_text("  do you trust it, as it is now? (y: yes, n: no) "))) {
    case 'y':
        return RF_TRUST_GIVEN;
    case 'n':
        return RF_TRUST_DENIED;
    default:
        return RF_TRUST_UNASKED;
    }
}

static void say_too_long(const struct rf_config *c)
{
    struct rf_buffer text = { 0 };
    struct rf_err note;
    rf_project_files(&text, c, "asks", "ask");
    rf_say(&note, RF_OK, "%.*s for more than anybody can read here", RF_FMT(rf_buffer_view(&text)));
    rf_say_hint(&note, "refract trust lists it, and trusts it.");
    rf_report_note(&note);
    rf_buffer_release(&text);
}

/* RF_TRUST_UNASKED too where there is no one to ask. */
static enum rf_trust ask_somebody(const struct rf_config *c)
{
    struct rf_buffer list = { 0 };
    enum rf_trust answer = RF_TRUST_UNASKED;
    int tty = rf_permission_open();
    if (tty < 0)
        return answer;
    note_problem(c);
    rf_project_list(&list, c);
    if (list.n > RF_PERMISSION_MOST)
        say_too_long(c);
    else
        answer = ask(tty, c, rf_buffer_view(&list));
    rf_buffer_release(&list);
    close(tty);
    return answer;
}

/* What cannot be kept does not count, and the person is told. */
static enum rf_code take_answer(struct rf_config **c, enum rf_trust answer, struct rf_err *err)
{
    struct rf_err why;
    if (rf_config_keep_trust(*c, answer, &why)) {
        rf_warn(&why);
        return RF_OK;
    }
    if (answer != RF_TRUST_GIVEN)
        return RF_OK;
    rf_config_close(*c);
    *c = NULL;
    return rf_config_open(c, err);
}

enum rf_code rf_project_open(struct rf_config **out, enum rf_project_how how, struct rf_err *err)
{
    enum rf_code rc = rf_config_open(out, err);
    bool asks = how == RF_PROJECT_ASK || how == RF_PROJECT_QUIET;
    if (!rc && how != RF_PROJECT_NOTE && how != RF_PROJECT_SERVERS)
        rf_project_say_sandbox(*out);
    if (!rc && how == RF_PROJECT_SERVERS && rf_config_trust(*out) == RF_TRUST_DENIED)
        note_withheld(*out);
    if (rc || rf_config_trust(*out) != RF_TRUST_UNASKED)
        return rc;
    enum rf_trust answer = asks ? ask_somebody(*out) : RF_TRUST_UNASKED;
    if (answer != RF_TRUST_UNASKED)
        rc = take_answer(out, answer, err);
    if (!rc && answer != RF_TRUST_DENIED && how != RF_PROJECT_QUIET &&
        rf_config_trust(*out) == RF_TRUST_UNASKED)
        note_withheld(*out);
    return rc;
}

/* Folders above */

/* The nearest folder above that has such a file, up to that of the whole project, which has
 * ".git". */
static bool find_above(char folder[PATH_MAX], const char **file)
{
    static const char *const files[] = { ".mcp.json", ".refract.yaml" };
    char path[PATH_MAX + 16];
    if (!getcwd(folder, PATH_MAX))
        return false;
    for (char *end; (end = strrchr(folder, '/')) && end[1];) {
        snprintf(path, sizeof path, "%s/.git", folder);
        if (access(path, F_OK) == 0)
            return false;
        end[end == folder] = '\0';
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, files[i]);
            if (access(path, F_OK) == 0) {
                *file = files[i];
                return true;
            }
        }
    }
    return false;
}

bool rf_project_hint_above(struct rf_err *err)
{
    char folder[PATH_MAX];
    const char *file;
    if (!find_above(folder, &file))
        return false;
    rf_say_hint(err, "The %s of %s counts in that folder only: run refract there.", file, folder);
    return true;
}
