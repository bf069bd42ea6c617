#include "prompts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "misspelt.h"
#include "report.h"
#include "term/buffer.h"
#include "term/edit.h"
#include "text.h"

#define MOST_BYTES ((size_t)1 << 20) /* of a prompt */
#define MOST_NAME 64
#define MOST_LISTED 1000

/* Where they are */

static char *folder(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int n = -1;
    if (config && *config == '/')
        n = asprintf(&path, "%s/refract/prompts", config);
    else if (home && *home == '/')
        n = asprintf(&path, "%s/.config/refract/prompts", home);
    else
        return NULL;
    if (n < 0)
        abort();
    return path;
}

static bool is_name(struct rf_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '-' && c != '_')
            return false;
    }
    return name.n && name.n <= MOST_NAME;
}

static char *path_of(struct rf_str name)
{
    char *in = folder(), *path = NULL;
    if (in && asprintf(&path, "%s/%.*s.md", in, RF_FMT(name)) < 0)
        abort();
    free(in);
    return path;
}

bool rf_prompt_exists(struct rf_str name)
{
    struct stat st;
    char *path = is_name(name) ? path_of(name) : NULL;
    bool there = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    free(path);
    return there;
}

/* Listing */

struct names {
    char *names[MOST_LISTED];
    size_t count;
};

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_names(struct names *out)
{
    char *path = folder();
    DIR *d = path ? opendir(path) : NULL;
    struct dirent *entry;
    while (d && out->count < MOST_LISTED && (entry = readdir(d))) {
        size_t n = strlen(entry->d_name);
        struct rf_str name = { entry->d_name, n > 3 ? n - 3 : 0 };
        if (is_name(name) && strcmp(entry->d_name + name.n, ".md") == 0 && rf_prompt_exists(name))
            out->names[out->count++] = rf_text_copy(name);
    }
    if (d)
        closedir(d);
    free(path);
    if (out->count)
        qsort(out->names, out->count, sizeof *out->names, by_bytes);
}

static void release_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
}

void rf_prompt_list(void (*each)(void *ctx, const char *name, struct rf_str description), void *ctx)
{
    struct names all = { .count = 0 };
    read_names(&all);
    for (size_t i = 0; i < all.count; i++) {
        struct rf_prompt p;
        struct rf_err unseen;
        if (rf_prompt_read(rf_text(all.names[i]), &p, &unseen)) {
            each(ctx, all.names[i], rf_text("it cannot be read"));
            continue;
        }
        each(ctx, all.names[i], p.description);
        rf_prompt_release(&p);
    }
    release_names(&all);
}

/* Reading */

static enum rf_code fail_unknown(struct rf_str name, struct rf_err *err)
{
    struct names all = { .count = 0 };
    char *wanted = rf_text_copy(name), *path = path_of(name);
    const char *best = NULL;
    unsigned least = UINT_MAX;
    read_names(&all);
    for (size_t i = 0; i < all.count; i++) {
        unsigned distance = rf_name_distance(wanted, all.names[i]);
        if (distance < least)
            best = all.names[i];
        least = distance < least ? distance : least;
    }
    rf_say(err, RF_ENOTFOUND, "there is no prompt \"%s\"", wanted);
    if (best && rf_name_near(wanted, least))
        rf_say_hint(err, "Did you mean %s?", best);
    else
        rf_say_hint(err, "It would be the file %s.", path ? path : "prompts/NAME.md");
    release_names(&all);
    free(wanted);
    free(path);
    return RF_ENOTFOUND;
}

static enum rf_code read_text(const char *path, struct rf_buffer *out, struct rf_err *err)
{
    char piece[4096];
    size_t n;
    FILE *in = fopen(path, "re");
    while (in && out->n <= MOST_BYTES && (n = fread(piece, 1, sizeof piece, in)) > 0)
        rf_buffer_add(out, piece, n);
    bool good = in && !ferror(in);
    if (!good)
        rf_say(err, RF_EIO, "could not read the prompt \"%s\": %s", path, strerror(errno));
    else if (out->n > MOST_BYTES)
        rf_say(err, RF_ELIMIT, "the prompt \"%s\" has over %zu bytes", path, MOST_BYTES);
    if (in)
        fclose(in);
    rf_buffer_add(out, "", 1);
    return !good ? RF_EIO : out->n > MOST_BYTES + 1 ? RF_ELIMIT : RF_OK;
}

static struct rf_str trim(struct rf_str s)
{
    while (s.n && strchr(" \t\r\n", s.p[0]))
        s = (struct rf_str){ s.p + 1, s.n - 1 };
    while (s.n && strchr(" \t\r\n", s.p[s.n - 1]))
        s.n--;
    return s;
}

static struct rf_str next_line(struct rf_str *rest)
{
    const char *feed = memchr(rest->n ? rest->p : "", '\n', rest->n);
    size_t n = feed ? (size_t)(feed - rest->p) : rest->n;
    struct rf_str line = { rest->p, n };
    *rest = (struct rf_str){ rest->p + n + (feed != NULL), rest->n - n - (feed != NULL) };
    while (line.n && strchr(" \t\r", line.p[line.n - 1]))
        line.n--;
    return line;
}

static bool is_line(struct rf_str line, const char *word)
{
    return line.n == strlen(word) && memcmp(line.p, word, line.n) == 0;
}

/* "description: TEXT", also in quotes. */
static void take_description(struct rf_prompt *p, struct rf_str line)
{
    static const char key[] = "description:";
    if (line.n < sizeof key - 1 || memcmp(line.p, key, sizeof key - 1) != 0)
        return;
    struct rf_str s = trim((struct rf_str){ line.p + sizeof key - 1, line.n - (sizeof key - 1) });
    if (s.n > 1 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0])
        s = (struct rf_str){ s.p + 1, s.n - 2 };
    p->description = s;
}

/* What stands between two "---" at the beginning is not part of the text. */
static void take_head(struct rf_prompt *p)
{
    struct rf_str rest = p->text, end = rest;
    bool ended = false;
    if (!is_line(next_line(&rest), "---"))
        return;
    for (end = rest; end.n && !ended;)
        ended = is_line(next_line(&end), "---");
    if (!ended)
        return;
    while (rest.p < end.p)
        take_description(p, next_line(&rest));
    p->text = end;
}

enum rf_code rf_prompt_read(struct rf_str name, struct rf_prompt *out, struct rf_err *err)
{
    struct rf_buffer file = { 0 };
    if (!is_name(name)) {
        char *shown = rf_text_copy(name);
        rf_say(err, RF_EUSAGE, "\"%.60s\" cannot be the name of a prompt", shown);
        rf_say_hint(err, "Names are made of letters, digits, \"-\" and \"_\".");
        free(shown);
        return RF_EUSAGE;
    }
    if (!rf_prompt_exists(name))
        return fail_unknown(name, err);
    char *path = path_of(name);
    enum rf_code rc = read_text(path, &file, err);
    free(path);
    if (rc) {
        rf_buffer_release(&file);
        return rc;
    }
    *out = (struct rf_prompt){ .name = rf_text_copy(name),
                               .file = file.p,
                               .text = { file.p, file.n - 1 },
                               .description = rf_text("") };
    take_head(out);
    out->text = trim(out->text);
    return RF_OK;
}

void rf_prompt_release(struct rf_prompt *p)
{
    free(p->name);
    free(p->file);
    *p = (struct rf_prompt){ 0 };
}

/* Filling */

struct filling {
    const struct rf_prompt *prompt;
    const struct rf_prompt_argument *arguments;
    size_t count;
    const struct rf_prompt_argument *all;
    size_t highest; /* of the places so far */
    bool takes_all;
    struct rf_buffer text, origins;
};

static void add(struct filling *f, struct rf_str text, const char *origins, char origin)
{
    rf_buffer_str(&f->text, text);
    if (origins)
        rf_buffer_add(&f->origins, origins, text.n);
    else
        rf_buffer_fill(&f->origins, origin, text.n);
}

/* Of a file that an argument names, "@$1" and "@\"$1\"", the mark before it is as the argument. */
static void add_argument(struct filling *f, const struct rf_prompt_argument *a)
{
    size_t end = f->text.n;
    end -= end && f->text.p[end - 1] == '"';
    if (a->text.n && end && f->text.p[end - 1] == '@')
        memset(f->origins.p + end - 1, a->origins ? a->origins[0] : RF_EDIT_TYPED,
               f->text.n - end + 1);
    add(f, a->text, a->origins, RF_EDIT_TYPED);
}

static void add_all(struct filling *f)
{
    for (size_t i = 0; !f->all && i < f->count; i++) {
        if (i)
            add(f, rf_text(" "), NULL, RF_EDIT_TYPED);
        add_argument(f, &f->arguments[i]);
    }
    if (f->all)
        add_argument(f, f->all);
}

static enum rf_code fail_missing(const struct filling *f, size_t number, struct rf_err *err)
{
    rf_say(err, RF_EUSAGE, "the prompt \"%s\" needs $%zu, and was given %zu argument%s",
           f->prompt->name, number, f->count, f->count == 1 ? "" : "s");
    rf_say_hint(err, "Arguments with spaces in them are put in quotes.");
    return RF_EUSAGE;
}

/* What follows a dollar. Returns the bytes of it that were used; 0: it is a dollar. */
static size_t fill_place(struct filling *f, char c, enum rf_code *rc, struct rf_err *err)
{
    if (c >= '1' && c <= '9') {
        size_t number = (size_t)(c - '0');
        f->highest = number > f->highest ? number : f->highest;
        if (number > f->count)
            *rc = fail_missing(f, number, err);
        else
            add_argument(f, &f->arguments[number - 1]);
        return 1;
    }
    if (c == '@' || c == '*') {
        f->takes_all = true;
        add_all(f);
        return 1;
    }
    add(f, rf_text("$"), NULL, RF_EDIT_PASTED);
    return c == '$';
}

static enum rf_code fill_text(struct filling *f, struct rf_err *err)
{
    struct rf_str rest = f->prompt->text;
    enum rf_code rc = RF_OK;
    while (!rc && rest.n) {
        const char *dollar = memchr(rest.p, '$', rest.n);
        size_t n = dollar ? (size_t)(dollar - rest.p) : rest.n;
        add(f, (struct rf_str){ rest.p, n }, NULL, RF_EDIT_PASTED);
        if (dollar)
            n += 1 + fill_place(f, n + 1 < rest.n ? rest.p[n + 1] : '\0', &rc, err);
        rest = (struct rf_str){ rest.p + n, rest.n - n };
    }
    return rc;
}

static enum rf_code place_rest(struct filling *f, struct rf_err *err)
{
    if (f->takes_all || f->count <= f->highest)
        return RF_OK;
    if (!f->highest) {
        add(f, rf_text("\n\n"), NULL, RF_EDIT_PASTED);
        add_all(f);
        return RF_OK;
    }
    char *more = rf_text_copy(f->arguments[f->highest].text);
    rf_say(err, RF_EUSAGE, "the prompt \"%s\" has no place for \"%.60s\": its last one is $%zu",
           f->prompt->name, more, f->highest);
    rf_say_hint(err, "Put an argument with spaces in quotes; $@ in a prompt takes them all.");
    free(more);
    return RF_EUSAGE;
}

enum rf_code rf_prompt_fill(const struct rf_prompt *p, const struct rf_prompt_argument *arguments,
                            size_t count, const struct rf_prompt_argument *all,
                            struct rf_filled *out, struct rf_err *err)
{
    struct filling f = { .prompt = p, .arguments = arguments, .count = count, .all = all };
    enum rf_code rc = fill_text(&f, err);
    if (!rc)
        rc = place_rest(&f, err);
    rf_buffer_add(&f.text, "", 1);
    rf_buffer_add(&f.origins, "", 1);
    if (!rc) {
        *out = (struct rf_filled){ f.text.p, f.origins.p };
        return RF_OK;
    }
    rf_buffer_release(&f.text);
    rf_buffer_release(&f.origins);
    return rc;
}

void rf_filled_release(struct rf_filled *f)
{
    free(f->text);
    free(f->origins);
    *f = (struct rf_filled){ 0 };
}

/* Asking with it */

static enum rf_origin origin_of(const char *origins, size_t at)
{
    return origins && origins[at] == RF_EDIT_TYPED ? RF_ORIGIN_TYPED : RF_ORIGIN_TEXT;
}

struct rf_words *rf_words_of(const char *text, const char *origins, size_t *count)
{
    size_t n = strlen(text);
    struct rf_words *words = calloc(n + 1, sizeof *words);
    if (!words)
        abort();
    *count = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && origin_of(origins, end) == origin_of(origins, i);)
            end++;
        words[(*count)++] = (struct rf_words){ { text + i, end - i }, origin_of(origins, i) };
    }
    return words;
}
