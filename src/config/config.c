/* Where the files are, reading them one over the other, and the public functions.
 *
 * Nothing but the two files is read: no file names another, and no value is taken from the
 * environment. A file that is not there is an empty one. */
#include "config/config.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "config/yaml.h"

#include <stdlib.h>

#define PROJECT_FILE "./.refract.yaml"

/* As the XDG base directory specification says: a path that is not absolute does not count. */
static const char *user_file(struct rf_arena *a)
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (folder && folder[0] == '/')
        return rf_strf(a, "%s/refract/config.yaml", folder).p;
    if (home && home[0] == '/')
        return rf_strf(a, "%s/.config/refract/config.yaml", home).p;
    return NULL;
}

static struct rf_config *config_new(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_config *c = RF_NEW(a, struct rf_config);
    c->arena = a;
    const char *user = user_file(a);
    if (user)
        c->files[c->file_count++].path = user;
    c->files[c->file_count++] = (struct rf_config_file){ .path = PROJECT_FILE, .of_project = true };
    return c;
}

static void explain_unreadable(struct rf_err *err, const char *path)
{
    if (err->code == RF_ELIMIT)
        rf_fail(err, RF_ECONFIG, "%s: the file is longer than %zu bytes", path,
                RF_MAX_CONFIG_BYTES);
    else
        rf_hint(err, "Make the file readable, or move it away.");
}

static void add_doubled(void *problems, const struct rf_err *problem)
{
    rf_problem_add(problems, problem);
}

/* False when the file could not be read to its end, so that what it says is not known. */
static bool load_file(struct rf_config *c, struct rf_config_file *file,
                      struct rf_problems *problems)
{
    struct rf_err e;
    struct rf_str text;
    struct rf_yaml root;
    enum rf_code rc = rf_file_read(file->path, RF_MAX_CONFIG_BYTES, c->arena, &text, &e);
    if (rc == RF_ENOTFOUND)
        return true;
    file->exists = true;
    if (rc)
        explain_unreadable(&e, file->path);
    else
        rc = rf_yaml_read_on(text, file->path, c->arena, add_doubled, problems, &root, &e);
    if (rc)
        rf_problem_add(problems, &e);
    else
        rf_config_merge(c, file->path, &root, problems);
    return !rc;
}

static void load(struct rf_config *c, struct rf_problems *problems)
{
    bool all = true;
    for (size_t i = 0; i < c->file_count; i++)
        all = load_file(c, &c->files[i], problems) && all;
    if (all)
        rf_config_settle(c, problems);
}

enum rf_code rf_config_open(struct rf_config **out, struct rf_err *err)
{
    struct rf_config *c = config_new();
    struct rf_problems problems = { 0 };
    load(c, &problems);
    if (problems.count) {
        rf_config_close(c);
        if (err)
            *err = problems.first;
        return problems.first.code;
    }
    rf_workers_permit(rf_workers_shared(), c->sandbox);
    *out = c;
    return RF_OK;
}

void rf_config_close(struct rf_config *c)
{
    if (c)
        rf_arena_free(c->arena);
}

size_t rf_config_check(void (*found)(void *ctx, const struct rf_err *problem), void *ctx)
{
    struct rf_config *c = config_new();
    struct rf_problems problems = { .found = found, .ctx = ctx };
    load(c, &problems);
    rf_config_close(c);
    return problems.count;
}

bool rf_config_is_projects(const struct rf_config *c, struct rf_place place)
{
    for (size_t i = 0; i < c->file_count; i++)
        if (c->files[i].path == place.file)
            return c->files[i].of_project;
    return false;
}

size_t rf_config_path_count(const struct rf_config *c)
{
    return c->file_count;
}

const char *rf_config_path(const struct rf_config *c, size_t i, int *exists)
{
    if (i >= c->file_count)
        return NULL;
    if (exists)
        *exists = c->files[i].exists;
    return c->files[i].path;
}

size_t rf_config_model_count(const struct rf_config *c)
{
    return c->model_count;
}

struct rf_str rf_config_model_name(const struct rf_config *c, size_t i)
{
    return i < c->model_count ? c->models[i].name : (struct rf_str){ 0 };
}
