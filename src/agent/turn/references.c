/* From a text to the files that it names.
 *
 * A reference is tried from its longest spelling down: "@notes.txt." at the end of a sentence is a
 * file of that name, or "notes.txt" with a full stop after it; "@my report.pdf what is it" goes as
 * far as there is a file of that name. What names no file is not a reference, and the text stays as
 * it is; where a person typed what looks like a file's name, a line says which one was meant.
 *
 * A bare word that the person typed is a reference too where it is the name of a picture, a
 * document, a sound or a film in the folder: "What is in photo.jpg?". Nobody else's words are, and
 * no text or code: those are named in passing all the time. Where one is nearly such a name, a line
 * says which.
 *
 * A reference is the person's where every character of it was typed. Any other is the text's: it
 * has no "~" and no path from "/" on, and is looked for as the tools would, which never leave the
 * folder. */
#include "agent/turn/references.h"

#include "agent/turn/enrich.h"
#include "agent/turn/lookup.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/near_file.h"
#include "base/utf8.h"
#include "config/config.h"
#include "model/model.h"
#include "source/asset.h"
#include "source/inspect.h"
#include "source/part.h"
#include "source/read.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_TEXT ((size_t)16 << 20) /* bytes of a text that is looked at */
#define MOST_TRIED 4096              /* "@" in one text that are tried */
#define MOST_SPELLINGS 16            /* of one reference */
#define MOST_SPACES 8                /* in a name that is not quoted */
#define MOST_MISSED 3                /* names that a line says what was meant by */
#define MOST_WILD 2                  /* folders and names of one pattern that hold a star */
#define MOST_NOTE ((size_t)256 << 10)

enum sort { SORT_FILE, SORT_FOLDER, SORT_MEMBER /* of an archive, whose path it is */ };

struct file {
    struct rf_str shown; /* as it was written, and as the tools take it; with its part */
    const char *path;
    enum rf_origin origin;
    enum sort sort;
};

struct search {
    struct rf_references *r;
    const struct rf_prompt *prompt;
    struct rf_arena *arena;
    struct rf_lookup lookup;
    enum rf_origin origin; /* of the reference that is tried */
    struct file files[RF_MOST_REFERENCES];
    size_t count;
    size_t more[RF_ORIGIN_TYPED + 1]; /* that were not announced, since there are too many */
    size_t skipped;                   /* references that were not looked for, */
    struct rf_str first_skipped;      /* and the first of them */
    struct missed {
        struct rf_str name;
        bool bare;         /* without an "@" */
    } missed[MOST_MISSED]; /* typed, as names of files that are not there */
    size_t missed_count;
    struct rf_buf text;
};

/* Where a reference may begin, and where it ends. */

static bool begins_word(struct rf_str text, size_t at)
{
    return at == 0 || rf_is_space(text.p[at - 1]) || strchr("([{<\"'`", text.p[at - 1]);
}

/* The word after the "@"; or what stands in quotes there. `*whole` is where it ends, quotes
 * included. */
static struct rf_str word_at(struct rf_str text, size_t at, size_t *whole, bool *quoted)
{
    char close = at < text.n && (text.p[at] == '"' || text.p[at] == '\'') ? text.p[at] : '\0';
    size_t start = at + (close != '\0'), end = start;
    *quoted = close != '\0';
    while (end < text.n && end - start <= RF_MOST_REFERENCE_PATH &&
           (close ? text.p[end] != close && text.p[end] != '\n' : !rf_is_space(text.p[end])))
        end++;
    bool whole_one = !close || (end < text.n && text.p[end] == close);
    *whole = end + (close != '\0');
    return whole_one ? (struct rf_str){ text.p + start, end - start } : RF_STR("");
}

/* What ends a sentence or closes something is not likely to be part of a name. */
static bool is_trailing(char c)
{
    return c != '\0' && strchr(".,;:!?)]}>\"'`", c);
}

/* Files */

static const char *home(void)
{
    const char *h = getenv("HOME");
    return h && h[0] == '/' ? h : NULL;
}

static bool is_at_home(const struct search *s, struct rf_str name)
{
    return s->origin == RF_ORIGIN_TYPED && rf_str_starts(name, "~/") && home();
}

/* What relative names start from: a person may have said something else than what tools know. */
static const char *base_of(const struct search *s)
{
    const char *said = s->origin == RF_ORIGIN_TYPED ? rf_config_base_path(s->r->config) : NULL;
    return said ? said : s->r->base;
}

/* Does it lead elsewhere than the same name leads a tool? */
static bool is_elsewhere(const struct search *s, struct rf_str name)
{
    return is_at_home(s, name) || base_of(s) != s->r->base;
}

static const char *full_path(const struct search *s, struct rf_str name)
{
    const char *base = base_of(s);
    if (is_at_home(s, name))
        return rf_strf(s->arena, "%s%.*s", home(), (int)name.n - 1, name.p + 1).p;
    if (name.p[0] == '/' || !base || !*base)
        return rf_cstr(s->arena, name);
    return rf_strf(s->arena, "%s/%.*s", base, RF_FMT(name)).p;
}

/* The folder that nothing may lead out of; "": a person may name files anywhere. */
static const char *root_for(const struct rf_references *r, enum rf_origin origin)
{
    const char *base = r->base && *r->base ? r->base : ".";
    return origin == RF_ORIGIN_TYPED ? "" : r->root && *r->root ? r->root : base;
}

static bool exists(struct search *s, const char *path, bool *folder)
{
    return rf_lookup_file(&s->lookup, root_for(s->r, s->origin), path, folder);
}

static void add(struct search *s, struct rf_str shown, const char *path, enum sort sort)
{
    for (size_t i = 0; i < s->count; i++)
        if (rf_str_eq(s->files[i].shown, shown)) {
            if (s->origin == RF_ORIGIN_TYPED) /* whoever else names it too */
                s->files[i].origin = RF_ORIGIN_TYPED;
            return;
        }
    if (rf_utf8_valid(shown) < shown.n) /* no model could name it */
        return;
    if (s->count == RF_MOST_REFERENCES)
        s->more[s->origin]++;
    else
        s->files[s->count++] = (struct file){ rf_str_dup(s->arena, shown), path, s->origin, sort };
}

static bool is_usable(const struct search *s, struct rf_str name)
{
    return name.n && name.n <= RF_MOST_REFERENCE_PATH && !memchr(name.p, '\0', name.n) &&
           (s->origin == RF_ORIGIN_TYPED || name.p[0] != '/');
}

/* "report.pdf#p=3-5": the file without its part, where that is one. */
static struct rf_str without_part(struct rf_str name)
{
    struct rf_file_part part;
    size_t mark = rf_part_mark(name);
    if (mark + 1 >= name.n)
        return name;
    struct rf_str rest = { name.p + mark + 1, name.n - mark - 1 };
    return rf_part_read(rest, &part, NULL) ? name : (struct rf_str){ name.p, mark };
}

/* As the tools take it, which know no "~" and no other folder to start from. */
static struct rf_str shown_name(const struct search *s, struct rf_str name)
{
    return is_elsewhere(s, name) ? rf_str(full_path(s, name)) : name;
}

/* "bundle.zip/docs/a.pdf": the archive stands for it. Since its members are not looked at, what
 * ends a sentence is not part of their names. */
static bool take_member(struct search *s, struct rf_str name)
{
    const char *path = full_path(s, name);
    bool folder;
    if (is_trailing(name.p[name.n - 1]))
        return false;
    const char *archive = rf_archive_in(root_for(s->r, s->origin), path, s->arena);
    if (!archive || !exists(s, archive, &folder))
        return false;
    add(s, shown_name(s, name), archive, SORT_MEMBER);
    return true;
}

static bool take_file(struct search *s, struct rf_str name)
{
    struct rf_str bare = without_part(name);
    bool folder = false;
    const char *path = full_path(s, name);
    if (!exists(s, path, &folder)) {
        path = full_path(s, bare);
        if (bare.n == name.n || !bare.n || !exists(s, path, &folder) || folder)
            return take_member(s, name);
    }
    if (folder && !memchr(name.p, '/', name.n)) /* see is_bare_folder */
        return false;
    add(s, shown_name(s, name), path, folder ? SORT_FOLDER : SORT_FILE);
    return true;
}

/* The name that the tools find a match by: as the pattern was written, relative to the same
 * folder. */
static struct rf_str shown_match(const struct search *s, struct rf_str pattern, const char *path)
{
    const char *base = s->r->base;
    if (is_elsewhere(s, pattern) || pattern.p[0] == '/' || !base || !*base)
        return rf_str(path);
    return rf_str(path + strlen(base) + 1);
}

/* The folder in which a pattern's stars begin. */
static const char *folder_of(const struct search *s, const char *pattern)
{
    size_t n = strcspn(pattern, "*?[");
    while (n > 0 && pattern[n - 1] != '/')
        n--;
    return n ? rf_cstr(s->arena, (struct rf_str){ pattern, n }) : ".";
}

static bool is_below(const char *path, const char *folder)
{
    char real[PATH_MAX], top[PATH_MAX];
    if (!realpath(path, real) || !realpath(folder, top))
        return false;
    return strcmp(top, "/") == 0 || (rf_str_starts(rf_str(real), top) && real[strlen(top)] == '/');
}

/* Who writes a pattern has not seen what is there: a link that leads elsewhere is not their
 * word. */
static void take_match(struct search *s, struct rf_str pattern, const char *path)
{
    const char *folder = folder_of(s, full_path(s, pattern));
    bool is_folder = false;
    if (s->count == RF_MOST_REFERENCES)
        s->more[s->origin]++;
    else if (exists(s, path, &is_folder) && !is_folder && is_below(path, folder))
        add(s, shown_match(s, pattern, path), path, SORT_FILE);
}

static size_t taken(const struct search *s)
{
    return s->count + s->more[RF_ORIGIN_TEXT] + s->more[RF_ORIGIN_TYPED];
}

static bool take_pattern(struct search *s, struct rf_str pattern)
{
    struct rf_found found = { 0 };
    size_t before = taken(s), wild = rf_pattern_parts(pattern);
    if (!wild || wild > MOST_WILD || pattern.p[pattern.n - 1] == '/' ||
        !rf_lookup_pattern(&s->lookup, root_for(s->r, s->origin), full_path(s, pattern), s->arena,
                           &found))
        return false;
    for (size_t i = 0; i < found.count; i++)
        take_match(s, pattern, found.paths[i]);
    return taken(s) > before;
}

static bool take(struct search *s, struct rf_str name)
{
    return is_usable(s, name) && (take_file(s, name) || take_pattern(s, name));
}

/* Whose words the bytes of a reference are. */
static enum rf_origin origin_of(const struct search *s, size_t begin, size_t end)
{
    return rf_prompt_is_typed(s->prompt, begin, end) ? RF_ORIGIN_TYPED : RF_ORIGIN_TEXT;
}

/* The longest spelling of the word that is a file; its length, or 0. */
static size_t take_word(struct search *s, struct rf_str word)
{
    size_t at = (size_t)(word.p - s->prompt->text.p);
    for (int i = 0; i < MOST_SPELLINGS && word.n; i++) {
        s->origin = origin_of(s, at - 1, at + word.n);
        if (take(s, word))
            return word.n;
        if (!is_trailing(word.p[word.n - 1]))
            return 0;
        word.n--;
    }
    return 0;
}

/* A file whose name has spaces: the longest run of words that is one; its length, or 0. Members of
 * archives are not looked at, so that any words could be one. */

static bool take_plain(struct search *s, struct rf_str name)
{
    bool folder = false;
    if (!is_usable(s, name))
        return false;
    const char *path = full_path(s, name);
    if (!exists(s, path, &folder) || folder) {
        struct rf_str bare = without_part(name);
        path = full_path(s, bare);
        if (bare.n == name.n || !bare.n || !exists(s, path, &folder) || folder)
            return false;
    }
    add(s, shown_name(s, name), path, SORT_FILE);
    return true;
}

static size_t take_words(struct search *s, struct rf_str word)
{
    struct rf_str text = s->prompt->text;
    size_t at = (size_t)(word.p - text.p), end = at + word.n, ends[MOST_SPACES], count = 0;
    while (word.n && count < MOST_SPACES && end + 1 < text.n && text.p[end] == ' ' &&
           text.p[end + 1] != '@' && !rf_is_space(text.p[end + 1])) {
        for (end++; end < text.n && !rf_is_space(text.p[end]);)
            end++;
        ends[count++] = end;
    }
    while (count-- > 0) {
        struct rf_str name = { word.p, ends[count] - at };
        while (name.n && is_trailing(name.p[name.n - 1]))
            name.n--;
        s->origin = origin_of(s, at - 1, at + name.n);
        if (memchr(name.p, ' ', name.n) && take_plain(s, name))
            return name.n;
    }
    return 0;
}

/* What was meant */

/* Does it look like the name of a file? A decorator has a bracket or no dot, and a name that
 * somebody is called by neither dot nor slash. */
static bool looks_like_file(struct rf_str name)
{
    bool path = memchr(name.p, '/', name.n), dotted = memchr(name.p, '.', name.n);
    for (size_t i = 0; i < name.n; i++)
        if (strchr("()[]{}<>=:;,*?\"'`@", name.p[i]))
            return false;
    return name.n && name.n <= RF_MOST_REFERENCE_PATH && (path || dotted);
}

/* "@docs" may be a folder, and may be a name that somebody is called by. */
static bool is_bare_folder(struct search *s, struct rf_str word)
{
    bool folder = false;
    return is_usable(s, word) && !memchr(word.p, '/', word.n) &&
           exists(s, full_path(s, word), &folder) && folder;
}

static void miss(struct search *s, struct rf_str word, bool bare)
{
    while (word.n && is_trailing(word.p[word.n - 1]))
        word.n--;
    for (size_t i = 0; i < s->missed_count; i++)
        if (rf_str_eq(s->missed[i].name, word))
            return;
    if (s->origin == RF_ORIGIN_TYPED && s->missed_count < MOST_MISSED &&
        (looks_like_file((struct rf_str){ word.p, rf_part_mark(word) }) || is_bare_folder(s, word)))
        s->missed[s->missed_count++] = (struct missed){ word, bare };
}

/* "Make a photo.png of photo.jpg": the one that is near was named too. */
static bool holds_named(const struct search *s, struct rf_str near)
{
    for (size_t i = 0; i < s->count; i++)
        if (rf_str_contains(near, s->files[i].shown))
            return true;
    return false;
}

/* "there is no file @raport.pdf. Did you mean report.pdf?" Without one that is near, only of what
 * has the ending of a file that is known, and an "@". */
static struct rf_str words_missed(struct search *s, const struct missed *m)
{
    struct rf_arena *a = s->arena;
    struct rf_str name = m->name;
    struct rf_str bare = { name.p, rf_part_mark(name) }, shown = rf_clean_name(name, a);
    const char *path = is_at_home(s, bare) ? full_path(s, bare) : rf_cstr(a, bare);
    if (is_bare_folder(s, name))
        return rf_strf(a, "@%.*s is a folder: @%.*s/ refers to it", RF_FMT(shown), RF_FMT(shown));
    struct rf_str near = rf_str_trim(rf_str(rf_near_file("", base_of(s), path, a)));
    if (m->bare ? !near.n || holds_named(s, near) : !near.n && !rf_format_by_name(bare))
        return RF_STR("");
    return rf_strf(a, "there is no file %s%.*s%s%.*s", m->bare ? "" : "@", RF_FMT(shown),
                   near.n ? ". " : "", RF_FMT(near));
}

static void warn_missed(struct rf_references *r, struct search *s)
{
    s->origin = RF_ORIGIN_TYPED;
    for (size_t i = 0; i < s->missed_count; i++) {
        struct rf_str words = words_missed(s, &s->missed[i]);
        if (words.n)
            r->warning = rf_strf(r->arena, "%.*s%s%.*s", RF_FMT(r->warning),
                                 r->warning.n ? "; " : "", RF_FMT(words));
    }
}

/* What the note says. */

/* The character at `p`, and its length. The text is UTF-8. */
static unsigned character(const char *p, size_t *n)
{
    const unsigned char *u = (const unsigned char *)p;
    *n = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    switch (*n) {
    case 1:
        return u[0];
    case 2:
        return (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
    case 3:
        return (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    default:
        return 0x10000; /* none of those is anything but what it looks like */
    }
}

/* Controls, and what turns the direction of writing or cannot be seen. */
static bool is_hidden(unsigned c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0xa0) || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

static bool is_plain(struct rf_str name)
{
    for (size_t i = 0, n; i < name.n; i += n) {
        unsigned c = character(name.p + i, &n);
        bool word = rf_is_alnum((int)c);
        if (c < 0x80 ? !word && (!c || !strchr("._-/~#=&+@%", (int)c)) : is_hidden(c))
            return false;
    }
    return name.n > 0;
}

/* As a string of JSON, with the brackets escaped too: so no name can end the note, and each can
 * be read back. */
static void add_name(struct rf_buf *b, struct rf_str name)
{
    if (is_plain(name)) {
        rf_buf_add(b, name);
        return;
    }
    rf_buf_addc(b, '"');
    for (size_t i = 0, n; i < name.n; i += n) {
        unsigned c = character(name.p + i, &n);
        if (is_hidden(c) || c == '[' || c == ']')
            rf_buf_addf(b, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            rf_buf_addf(b, "\\%c", (char)c);
        else
            rf_buf_add(b, (struct rf_str){ name.p + i, n });
    }
    rf_buf_addc(b, '"');
}

static void add_size(struct rf_buf *b, uint64_t bytes)
{
    if (bytes < 1024)
        rf_buf_addf(b, ", %" PRIu64 " bytes", bytes);
    else if (bytes < 1024 * 1024)
        rf_buf_addf(b, ", %" PRIu64 " KiB", bytes / 1024);
    else
        rf_buf_addf(b, ", %" PRIu64 " MiB", bytes / (1024 * 1024));
}

/* A member is not looked for: its name alone tells. Is it an image? */
static bool add_member(struct rf_buf *b, const struct file *f)
{
    const struct rf_format *named = rf_format_by_name(without_part(f->shown));
    rf_buf_add(b, RF_STR(" (in an archive)"));
    return named && named->kind == RF_KIND_IMAGE;
}

/* "(image, 640x480)", "(pdf, 12 KiB)", "(folder)", "(file, 4 bytes)". Is it an image? */
static bool add_about(struct search *s, struct rf_buf *b, const struct file *f)
{
    struct rf_bytes bytes;
    struct rf_inspection look = { 0 };
    bool folder = f->sort == SORT_FOLDER;
    if (f->sort == SORT_MEMBER)
        return add_member(b, f);
    bool read = !folder && !rf_bytes_file(root_for(s->r, f->origin), f->path, &bytes, NULL) &&
                !rf_inspect(&bytes, s->arena, &look, NULL);
    enum rf_kind kind = read && look.format ? look.format->kind : RF_KIND_UNKNOWN;
    bool image = kind == RF_KIND_IMAGE;
    rf_buf_addf(b, " (%s",
                folder                    ? "folder"
                : kind == RF_KIND_UNKNOWN ? "file"
                                          : rf_kind_name(kind));
    if (image && look.facts.width && look.facts.height)
        rf_buf_addf(b, ", %" PRIu64 "x%" PRIu64, (uint64_t)look.facts.width,
                    (uint64_t)look.facts.height);
    else if (read)
        add_size(b, bytes.size);
    rf_buf_addc(b, ')');
    return image;
}

static void add_tools(const struct search *s, struct rf_buf *b, bool images)
{
    bool view = s->r->view_image && images, file = s->r->read_file;
    if (view || file)
        rf_buf_addf(b, ". Use %s%s%s if you need to see them", view ? "view_image(path)" : "",
                    view && file ? " or " : "", file ? "read_file(file_path)" : "");
    rf_buf_add(b, RF_STR(".]"));
}

/* The files of one origin, where there are some. */
static void add_note(struct search *s, struct rf_buf *b, enum rf_origin origin, struct rf_str words)
{
    size_t count = 0;
    bool images = false;
    for (size_t i = 0; i < s->count; i++) {
        if (s->files[i].origin != origin)
            continue;
        rf_buf_add(b, count++ ? RF_STR(", ") : words);
        add_name(b, s->files[i].shown);
        images |= add_about(s, b, &s->files[i]);
    }
    if (count && s->more[origin])
        rf_buf_addf(b, " and %zu more", s->more[origin]);
    if (count)
        add_tools(s, b, images);
}

static struct rf_str make_note(struct search *s)
{
    struct rf_buf b;
    struct rf_str note;
    rf_buf_init(&b, s->arena, MOST_NOTE);
    add_note(s, &b, RF_ORIGIN_TYPED, RF_STR("[System: files referenced: "));
    size_t n = b.n;
    add_note(s, &b, RF_ORIGIN_TEXT,
             n ? RF_STR("\n[System: files that the text names, and the user did not: ")
               : RF_STR("[System: files that the text names, and the user did not: "));
    return rf_buf_finish(&b, &note, NULL) ? RF_STR("") : note;
}

/* Who may use them. */

static void forget(struct rf_references *r)
{
    if (r->arena)
        rf_arena_reset(r->arena);
    else
        r->arena = rf_arena_new();
    r->warning = RF_STR("");
    r->files = NULL;
    r->count = r->looks = 0;
}

void rf_references_release(struct rf_references *r)
{
    rf_arena_free(r->arena);
    r->arena = NULL;
}

static void skip(struct search *s, struct rf_str word)
{
    if (!s->skipped++)
        s->first_skipped = word;
}

/* The bytes of what stands after an "@" and is a file, quotes included; 0 where it is none. */
static size_t try(struct search *s, size_t at)
{
    bool quoted;
    size_t end;
    struct rf_str word = word_at(s->prompt->text, at + 1, &end, &quoted);
    s->origin = origin_of(s, at, end);
    size_t n = quoted ? (take(s, word) ? end - at - 1 : 0) : take_words(s, word);
    if (!n && !quoted)
        n = take_word(s, word);
    if (!n && s->lookup.over)
        skip(s, word);
    else if (!n)
        miss(s, word, false);
    return n;
}

static bool begins_bare_word(struct rf_str text, size_t at)
{
    return !rf_is_space(text.p[at]) &&
           (at == 0 || rf_is_space(text.p[at - 1]) || text.p[at - 1] == '(');
}

/* Is the name, by its ending, that of a file whose text is not in the file as it is? */
static bool names_media(struct rf_str name)
{
    const struct rf_format *format = rf_format_by_name(name);
    enum rf_kind kind = format ? format->kind : RF_KIND_UNKNOWN;
    return kind != RF_KIND_UNKNOWN && kind != RF_KIND_TEXT;
}

/* A link out of the folder is not meant by a name that nothing marks. */
static void try_bare(struct search *s, size_t at)
{
    struct rf_str text = s->prompt->text, word = { text.p + at, 0 };
    bool folder;
    while (at + word.n < text.n && !rf_is_space(word.p[word.n]))
        word.n++;
    while (word.n && is_trailing(word.p[word.n - 1]))
        word.n--;
    s->origin = RF_ORIGIN_TYPED;
    if (!is_usable(s, word) || memchr(word.p, '/', word.n) || !names_media(word) ||
        origin_of(s, at, at + word.n) != RF_ORIGIN_TYPED)
        return;
    const char *path = full_path(s, word);
    if (rf_lookup_file(&s->lookup, root_for(s->r, RF_ORIGIN_TEXT), path, &folder) && !folder)
        add(s, shown_name(s, word), path, SORT_FILE);
    else if (access(path, F_OK) != 0)
        miss(s, word, true);
}

/* Copy the text without the marks of what was found. */
static void scan(struct search *s)
{
    struct rf_str text = s->prompt->text;
    size_t from = 0, tried = 0;
    for (size_t at = 0; at + 1 < text.n; at++) {
        if (text.p[at] != '@' && !s->lookup.over && begins_bare_word(text, at))
            try_bare(s, at);
        if (text.p[at] != '@' || !begins_word(text, at))
            continue;
        if (tried == MOST_TRIED || s->lookup.over) {
            skip(s, RF_STR(""));
            continue;
        }
        size_t n = try(s, at);
        tried++;
        if (!n)
            continue;
        rf_buf_add(&s->text, (struct rf_str){ text.p + from, at - from });
        from = at + 1;
        at += n;
    }
    rf_buf_add(&s->text, (struct rf_str){ text.p + from, text.n - from });
}

static void hand_out_files(struct rf_references *r, const struct search *s)
{
    struct rf_reference *files = RF_ARRAY(s->arena, struct rf_reference, s->count);
    for (size_t i = 0; i < s->count; i++)
        files[i] = (struct rf_reference){ s->files[i].path, s->files[i].origin };
    r->files = files;
    r->count = s->count;
}

static void warn_skipped(struct rf_references *r, const struct search *s)
{
    struct rf_str first = rf_clean_name(s->first_skipped, r->arena);
    if (s->skipped)
        r->warning =
            rf_strf(r->arena,
                    "%zu %s of this text %s not looked for%s%.*s: a text may have %d, and %d "
                    "names of files and folders are looked at for it",
                    s->skipped, s->skipped == 1 ? "reference" : "references",
                    s->skipped == 1 ? "was" : "were", first.n ? ", from @" : "", RF_FMT(first),
                    MOST_TRIED, RF_MOST_LOOKS);
}

bool rf_references_step(void *ctx, const struct rf_prompt *prompt, struct rf_enriched *out)
{
    static const struct rf_config_references usual;
    struct rf_references *r = ctx;
    const struct rf_config_references *c = r->config ? &r->config->references : &usual;
    struct rf_str text = prompt->text;
    forget(r);
    bool may_name = text.n && (memchr(text.p, '@', text.n) || memchr(text.p, '.', text.n));
    if (c->off || text.n > MOST_TEXT || !may_name || (!r->read_file && !r->view_image))
        return false;
    struct search *s = RF_NEW(r->arena, struct search);
    s->r = r;
    s->prompt = prompt;
    s->arena = r->arena;
    s->lookup.most = RF_MOST_LOOKS;
    rf_buf_init(&s->text, r->arena, text.n + 1);
    scan(s);
    r->looks = s->lookup.spent;
    warn_skipped(r, s);
    warn_missed(r, s);
    if (!s->count)
        return false;
    if (r->model && !rf_config_refers(r->config, r->model->provider, r->model->name, r->arena)) {
        r->warning =
            rf_strf(r->arena,
                    "%.*s is not among the models that references (@%.*s) are for; they stay "
                    "as they are (references.model_requirements in the configuration)",
                    RF_FMT(r->model->name), RF_FMT(rf_clean_name(s->files[0].shown, r->arena)));
        return false;
    }
    if (r->model && !r->model->caps.tools) {
        r->warning =
            rf_strf(r->arena,
                    "%.*s takes no tools, so it cannot look at @%.*s: attach the file "
                    "instead",
                    RF_FMT(r->model->name), RF_FMT(rf_clean_name(s->files[0].shown, r->arena)));
        return false;
    }
    hand_out_files(r, s);
    out->note = make_note(s);
    return rf_buf_finish(&s->text, &out->text, NULL) == RF_OK;
}
