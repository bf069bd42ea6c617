/* Paths as people write them, and names in folders for Tab. Names that no terminal should show and
 * no model could name (control characters, no UTF-8) are left out. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chat/commands.h"
#include "report.h"
#include "text.h"

#define MOST_ENTRIES 100000 /* of a folder that are looked at */
#define MOST_WORDS 2000     /* that are kept */

static char *join(struct rf_str first, struct rf_str second)
{
    char *text;
    if (asprintf(&text, "%.*s%.*s", RF_FMT(first), RF_FMT(second)) < 0)
        abort();
    return text;
}

static char *expand_home(struct rf_str path)
{
    const char *home = getenv("HOME");
    if (home && home[0] == '/' && path.n >= 2 && path.p[0] == '~' && path.p[1] == '/')
        return join(rf_text(home), (struct rf_str){ path.p + 1, path.n - 1 });
    return rf_text_copy(path);
}

static void undo_backslashes(char *path)
{
    char *to = path;
    for (const char *from = path; *from; from++) {
        if (*from == '\\' && from[1])
            from++;
        *to++ = *from;
    }
    *to = '\0';
}

/* What shells and terminals write for a file that is dropped on them. */
char *rf_chat_path(struct rf_str written)
{
    struct rf_str s = rf_chat_trim(written);
    if (s.n && s.p[0] == '@')
        s = (struct rf_str){ s.p + 1, s.n - 1 };
    bool quoted = s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];
    if (quoted)
        s = (struct rf_str){ s.p + 1, s.n - 2 };
    char *path = expand_home(s);
    if (!quoted && strchr(path, '\\') && access(path, F_OK) != 0)
        undo_backslashes(path);
    return path;
}

/* Names in a folder */

static bool is_showable(const char *name)
{
    struct rf_str s = rf_text(name);
    while (s.n) {
        size_t n = rf_character(s);
        const unsigned char *p = (const unsigned char *)s.p;
        if (!n || p[0] < 0x20 || p[0] == 0x7f || (n == 2 && p[0] == 0xc2 && p[1] < 0xa0))
            return false;
        s = (struct rf_str){ s.p + n, s.n - n };
    }
    return true;
}

static bool is_folder(DIR *folder, const struct dirent *e)
{
    struct stat st;
    if (e->d_type == DT_DIR)
        return true;
    if (e->d_type != DT_LNK && e->d_type != DT_UNKNOWN)
        return false;
    return fstatat(dirfd(folder), e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

static bool fits(const char *name, struct rf_str beginning)
{
    bool hidden = name[0] == '.';
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    if (hidden && !(beginning.n && beginning.p[0] == '.'))
        return false;
    return strncmp(name, beginning.p, beginning.n) == 0 && is_showable(name);
}

static void add_entry(struct rf_str before, const char *name, bool folder,
                      struct rf_chat_words *out)
{
    char *whole;
    if (asprintf(&whole, "%.*s%s%s", RF_FMT(before), name, folder ? "/" : "") < 0)
        abort();
    rf_chat_words_add(out, rf_text(whole));
    free(whole);
}

static char *folder_of(const char *base, struct rf_str before)
{
    char *path = before.n ? expand_home(before) : rf_text_copy(rf_text("."));
    if (!base || path[0] == '/')
        return path;
    char *whole;
    if (asprintf(&whole, "%s/%s", base, path) < 0)
        abort();
    free(path);
    return whole;
}

void rf_chat_words_paths(const char *base, struct rf_str begun, struct rf_chat_words *out)
{
    size_t slash = begun.n;
    while (slash > 0 && begun.p[slash - 1] != '/')
        slash--;
    struct rf_str before = { begun.p, slash }, name = { begun.p + slash, begun.n - slash };
    char *path = folder_of(base, before);
    DIR *folder = opendir(path);
    const struct dirent *e;
    free(path);
    if (!folder)
        return;
    for (int i = 0; i < MOST_ENTRIES && out->count < MOST_WORDS && (e = readdir(folder)); i++)
        if (fits(e->d_name, name))
            add_entry(before, e->d_name, is_folder(folder, e), out);
    closedir(folder);
}
