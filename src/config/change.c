/* One key of the configuration: what is in force, and changing it in the person's own file.
 *
 * A change is made in the text (yaml_edit.h), judged as the whole file would be, and only then put
 * in the place of the old one. A link stays a link: what it leads to is replaced. A project's file
 * is never changed here, and no key is made up: one that the table of keys does not have is refused
 * as it is in a file. */
#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "config/config.h"
#include "config/keys.h"
#include "config/names.h"
#include "config/yaml_edit.h"
#include "model/model.h"
#include "model/providers.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PARTS 8

struct key {
    struct rf_str parts[MOST_PARTS];
    size_t count;
};

/* Keys */

static enum rf_code fail_key(const char *given, struct rf_err *err)
{
    rf_fail(err, RF_EUSAGE, "\"%s\" is not the name of a key", given);
    rf_hint(err, "Such as limits.pages, or models.\"gpt-5.4\".provider for a name with a dot.");
    return RF_EUSAGE;
}

/* The first part of `*rest`, without its quotes, and the dot after it. */
static bool take_part(struct rf_str *rest, struct rf_str *part)
{
    char quote = rest->n && (rest->p[0] == '"' || rest->p[0] == '\'') ? rest->p[0] : '\0';
    const char *begin = rest->p + (quote != '\0');
    size_t left = rest->n - (quote != '\0');
    const char *end = memchr(begin, quote ? quote : '.', left);
    if (quote && !end)
        return false;
    *part = (struct rf_str){ begin, end ? (size_t)(end - begin) : left };
    size_t used = (size_t)(part->p + part->n - rest->p) + (quote != '\0');
    *rest = (struct rf_str){ rest->p + used, rest->n - used };
    if (!rest->n)
        return part->n > 0;
    bool more = rest->p[0] == '.' && rest->n > 1;
    *rest = (struct rf_str){ rest->p + 1, rest->n - 1 };
    return part->n && more;
}

static enum rf_code read_key(const char *given, struct key *out, struct rf_err *err)
{
    struct rf_str rest = rf_str(given);
    *out = (struct key){ 0 };
    if (rf_str_is(rest, "default"))
        rest = RF_STR("models.default");
    do
        if (out->count == MOST_PARTS || !take_part(&rest, &out->parts[out->count++]))
            return fail_key(given, err);
    while (rest.n);
    return RF_OK;
}

static bool is_default(const struct key *k)
{
    return k->count == 2 && rf_str_is(k->parts[0], "models") && rf_str_is(k->parts[1], "default");
}

/* What is in force */

static const struct rf_yaml *in_text(struct rf_str text, const struct key *k, struct rf_arena *a)
{
    struct rf_yaml *root = RF_NEW(a, struct rf_yaml);
    struct rf_err unseen;
    return rf_yaml_read(text, "", a, root, &unseen) ? NULL : rf_yaml_at(root, k->parts, k->count);
}

static const struct rf_yaml *in_file(const char *path, const struct key *k, struct rf_arena *a)
{
    struct rf_str text;
    return rf_file_read(path, RF_MAX_CONFIG_BYTES, a, &text, NULL) ? NULL : in_text(text, k, a);
}

static struct rf_str value_text(const struct rf_yaml *v, struct rf_arena *a)
{
    return v->kind == RF_YAML_TEXT ? v->text : rf_yaml_json(v, a);
}

/* A project's file may say what is not in force. */
static bool is_in_force(const struct rf_config *c, const struct rf_yaml *said,
                        const struct rf_yaml *shown)
{
    return shown->kind == RF_YAML_TEXT ? rf_str_eq(said->text, shown->text) : !c->withholds;
}

/* The last file that says it, and is not passed over. */
static struct rf_str place_of(const struct rf_config *c, const struct key *k,
                              const struct rf_yaml *shown)
{
    for (size_t i = c->file_count; i-- > 0;) {
        const struct rf_yaml *said = in_file(c->files[i].path, k, c->arena);
        if (said && (!c->files[i].of_project || is_in_force(c, said, shown)))
            return rf_strf(c->arena, "%s:%zu", c->files[i].path, said->line);
    }
    return RF_STR("built in");
}

static bool is_limits(const struct key *k)
{
    return rf_str_is(k->parts[0], "limits");
}

/* What is wrong with the part at `at`, if anything: it has no row, or names what there is not. */
static enum rf_code check_part(const struct key *k, size_t at, const char *section,
                               const struct rf_key *row, struct rf_err *err)
{
    struct rf_str part = k->parts[at];
    if (!row) {
        rf_fail(err, RF_EUSAGE, "unknown key \"%.*s\"", RF_FMT(part));
        rf_hint_section_key(err, part, section);
        return RF_EUSAGE;
    }
    if (at == 1 && is_limits(k) && !rf_config_limit_row(part)) {
        rf_fail(err, RF_EUSAGE, "there is no limit \"%.*s\"", RF_FMT(part));
        rf_hint_limit(err, part);
        return RF_EUSAGE;
    }
    if (at == 1 && rf_str_is(k->parts[0], "providers") && !rf_provider_row(part)) {
        rf_fail(err, RF_EUSAGE, "unknown provider \"%.*s\"", RF_FMT(part));
        rf_hint_provider(err, part);
        return RF_EUSAGE;
    }
    return RF_OK;
}

/* Why nothing is in force for a key: there is none of that name, or nobody has set it. */
static enum rf_code fail_unset(const struct key *k, const char *given, struct rf_err *err)
{
    const struct rf_key *row = NULL;
    const char *section = "";
    for (size_t i = 0; i < k->count && (!row || !rf_key_is_leaf(row)); i++) {
        row = rf_key_entry(section, k->parts[i]);
        if (check_part(k, i, section, row, err))
            return RF_EUSAGE;
        section = row->path;
    }
    rf_fail(err, RF_ECONFIG, "\"%s\" is not set", given);
    return RF_ECONFIG;
}

static struct rf_str usual_text(const struct rf_limit_row *row, struct rf_arena *a)
{
    return rf_strf(a, "%lld", (long long)row->usual);
}

/* What is in force for a key that nobody has set; or an empty text. */
static struct rf_str usual_of(const struct key *k, struct rf_arena *a)
{
    const struct rf_limit_row *row =
        k->count == 2 && is_limits(k) ? rf_config_limit_row(k->parts[1]) : NULL;
    if (row)
        return usual_text(row, a);
    return k->count == 2 && rf_str_is(k->parts[0], "serve") ? rf_config_serve_usual(k->parts[1], a)
                                                            : RF_STR("");
}

/* All limits as a map; `shown` has those that are set, and may be NULL. */
static const struct rf_yaml *all_limits(const struct rf_yaml *shown, struct rf_arena *a)
{
    struct rf_yaml *all = RF_NEW(a, struct rf_yaml);
    const struct rf_limit_row *row;
    all->kind = RF_YAML_MAP;
    for (size_t i = 0; (row = rf_config_limit_at(i)); i++) {
        struct rf_str name = rf_str(row->name);
        const struct rf_yaml *set = shown ? rf_yaml_at(shown, &name, 1) : NULL;
        *RF_PUSH(a, all->items, all->count, all->cap) =
            (struct rf_yaml){ .kind = RF_YAML_TEXT, .text = name };
        *RF_PUSH(a, all->items, all->count, all->cap) =
            set ? *set : (struct rf_yaml){ .kind = RF_YAML_TEXT, .text = usual_text(row, a) };
    }
    return all;
}

enum rf_code rf_config_get(struct rf_config *c, const char *key, struct rf_str *value,
                           struct rf_str *place, struct rf_err *err)
{
    struct key k;
    struct rf_str yaml;
    enum rf_code rc = read_key(key, &k, err);
    if (!rc)
        rc = rf_config_show(c, &yaml, err);
    if (rc)
        return rc;
    const struct rf_yaml *shown = in_text(yaml, &k, c->arena);
    struct rf_str usual = usual_of(&k, c->arena);
    bool every = k.count == 1 && is_limits(&k);
    if (!shown && !usual.n && !every)
        return fail_unset(&k, key, err);
    *value = every   ? rf_yaml_json(all_limits(shown, c->arena), c->arena)
             : shown ? value_text(shown, c->arena)
                     : usual;
    *place = shown ? place_of(c, &k, shown) : RF_STR("built in");
    return RF_OK;
}

/* Changing */

struct change {
    struct rf_arena *arena;
    const char *path; /* of the file, behind links */
    struct key key;
    const char *value; /* NULL: it is taken out */
    struct rf_err *err;
    mode_t mode; /* of the file that was there; 0: there is none */
};

struct found {
    struct rf_arena *arena;
    struct rf_str file;
    struct rf_err *all;
    size_t count, cap;
};

static void note_problem(void *ctx, const struct rf_err *problem)
{
    struct found *f = ctx;
    if (problem->code)
        *RF_PUSH(f->arena, f->all, f->count, f->cap) = *problem;
}

static struct found problems_of(struct rf_str text, struct rf_arena *a)
{
    struct found f = { .arena = a, .file = rf_str(rf_config_user_file(a)) };
    struct rf_problems told = { .found = note_problem, .ctx = &f };
    rf_config_judge(text, a, &told);
    return f;
}

/* What a problem says after "FILE:LINE", which a change above it moves. */
static const char *words_of(const struct found *f, const struct rf_err *problem)
{
    const char *rest = problem->msg + f->file.n;
    return rf_str_starts(rf_str(problem->msg), f->file.p) ? rest + strspn(rest, ":0123456789")
                                                          : problem->msg;
}

static size_t times(const struct found *f, const struct rf_err *problem)
{
    const char *words = words_of(f, problem);
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++)
        count += strcmp(words_of(f, &f->all[i]), words) == 0;
    return count;
}

/* A file that was wrong before may be put right step by step: what is wrong after the change has to
 * be so before it, and without the entry that is changed. */
static enum rf_code judge(struct change *c, struct rf_str before, struct rf_str after)
{
    struct rf_str bare;
    if (rf_yaml_unset(before, c->path, c->key.parts, c->key.count, c->arena, &bare, NULL))
        bare = before;
    struct found old = problems_of(before, c->arena), others = problems_of(bare, c->arena),
                 new = problems_of(after, c->arena);
    for (size_t i = 0; i < new.count; i++) {
        const struct rf_err *problem = &new.all[i];
        size_t now = times(&new, problem);
        if (now <= times(&old, problem) && now <= times(&others, problem))
            continue;
        if (c->err)
            *c->err = *problem;
        return problem->code;
    }
    return RF_OK;
}

static enum rf_code find_file(struct change *c)
{
    const char *path = rf_config_user_file(c->arena);
    char real[PATH_MAX];
    struct stat st;
    if (!path) {
        rf_fail(c->err, RF_ECONFIG, "no folder is known for the configuration");
        rf_hint(c->err, "Set HOME or XDG_CONFIG_HOME.");
        return RF_ECONFIG;
    }
    c->path = realpath(path, real) ? rf_cstr(c->arena, rf_str(real)) : path;
    if (stat(c->path, &st) != 0)
        return lstat(path, &st) == 0 ? rf_fail(c->err, RF_EIO, "\"%s\" is a link to nothing", path)
                                     : RF_OK;
    c->mode = st.st_mode & 07777;
    if (!S_ISREG(st.st_mode))
        return rf_fail(c->err, RF_EIO, "\"%s\" is not a file", c->path);
    if (st.st_mode & 0222)
        return RF_OK;
    rf_fail(c->err, RF_EPERMISSION, "\"%s\" is read-only", c->path);
    rf_hint(c->err, "Make it writable, or change it where it comes from.");
    return RF_EPERMISSION;
}

/* A default is written as a name of the configuration, or as PROVIDER:MODEL. */
static enum rf_code resolve_default(struct change *c)
{
    struct rf_config *config;
    struct rf_model *m;
    enum rf_code rc = rf_config_open(&config, c->err);
    if (rc)
        return rc;
    if (!(rc = rf_model_open(config, c->value, &m, c->err))) {
        bool one = rf_str_eq(m->provider, m->name);
        if (!rf_config_find(config, rf_str(c->value)))
            c->value = one ? rf_cstr(c->arena, m->name)
                           : rf_strf(c->arena, "%.*s:%.*s", RF_FMT(m->provider), RF_FMT(m->name)).p;
        rf_model_close(m);
    }
    rf_config_close(config);
    return rc;
}

static enum rf_code edit(struct change *c, struct rf_str text, struct rf_str *out)
{
    const struct key *k = &c->key;
    return c->value ? rf_yaml_set(text, c->path, k->parts, k->count, rf_str(c->value), c->arena,
                                  out, c->err)
                    : rf_yaml_unset(text, c->path, k->parts, k->count, c->arena, out, c->err);
}

/* The file is locked. */
static enum rf_code rewrite(struct change *c)
{
    struct rf_str text = RF_STR(""), made;
    enum rf_code rc =
        c->mode ? rf_file_read(c->path, RF_MAX_CONFIG_BYTES, c->arena, &text, c->err) : RF_OK;
    if (rc || (rc = edit(c, text, &made)) || (rc = judge(c, text, made)))
        return rc;
    rf_file_folders(c->path, c->arena);
    rc = rf_file_replace(c->path, made, c->arena, c->err);
    if (!rc && c->mode)
        chmod(c->path, c->mode); /* else it is its owner's alone, which harms nobody */
    return rc == RF_ENOTFOUND ? RF_EIO : rc;
}

static enum rf_code change(const char *key, const char *value, struct rf_err *err)
{
    struct change c = { .arena = rf_arena_new(), .value = value, .err = err };
    const char *data = rf_folder_data(c.arena);
    int lock;
    enum rf_code rc;
    if (!(rc = read_key(key, &c.key, err)) && !(rc = find_file(&c)) &&
        (!value || !is_default(&c.key) || !(rc = resolve_default(&c))) &&
        !(rc = rf_file_lock(data ? rf_strf(c.arena, "%s/config", data).p : c.path, c.arena, &lock,
                            err))) {
        rc = rewrite(&c);
        close(lock);
    }
    rf_arena_free(c.arena);
    return rc;
}

enum rf_code rf_config_set(const char *key, const char *value, struct rf_err *err)
{
    return change(key, value, err);
}

enum rf_code rf_config_unset(const char *key, struct rf_err *err)
{
    return change(key, NULL, err);
}
