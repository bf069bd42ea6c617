/* Where the files are, reading them one over the other, and the public functions.
 *
 * Nothing but the three files is read, and what the person said of those that came with the folder:
 * no file names another, and no value is taken from the environment. A file that is not there is an empty one.
 * Each is read once: what is hashed, parsed, shown and applied are the same bytes. */
#include "config/config.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "config/mcp_file.h"
#include "config/merge.h"
#include "config/moved.h"
#include "config/yaml.h"

#include <stdlib.h>

#define PROJECT_FILE "./.refract.yaml"

/* As the XDG base directory specification says: a path that is not absolute does not count. */
const char *rf_config_user_file(struct rf_arena *a)
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
    c->cache_folder = rf_folder_cache(a);
    const char *user = rf_config_user_file(a);
    if (user)
        c->files[c->file_count++].path = user;
    c->files[c->file_count++] = (struct rf_config_file){ .path = PROJECT_FILE, .of_project = true };
    c->files[c->file_count++] =
        (struct rf_config_file){ .path = RF_MCP_FILE, .of_project = true, .of_others = true };
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

/* What a file says; `read` is false where it could not be read to its end, so that this is not
 * known. */
struct document {
    struct rf_str text;
    struct rf_yaml root;
    bool read;
};

/* One that other programs read is not ours to judge: without it all else goes on. */
static void read_others(struct rf_config *c, const char *path, struct document *out,
                        enum rf_code rc, struct rf_err *e, struct rf_problems *problems)
{
    out->read = true;
    if (rc)
        explain_unreadable(e, path);
    else
        rc = rf_mcp_file_read(out->text, c->arena, problems, &out->root, e);
    if (!rc)
        return;
    rf_problem_pass(problems, e);
    c->mcp_problem = *e;
}

static void read_file(struct rf_config *c, struct rf_config_file *file, struct document *out,
                      struct rf_problems *problems)
{
    struct rf_err e;
    enum rf_code rc = rf_file_read(file->path, RF_MAX_CONFIG_BYTES, c->arena, &out->text, &e);
    out->read = rc == RF_ENOTFOUND;
    if (out->read)
        return;
    file->exists = true;
    if (file->of_others) {
        read_others(c, file->path, out, rc, &e, problems);
        return;
    }
    if (rc)
        explain_unreadable(&e, file->path);
    else
        rc =
            rf_yaml_read_on(out->text, file->path, c->arena, add_doubled, problems, &out->root, &e);
    if (rc)
        rf_problem_add(problems, &e);
    out->read = !rc;
}

static void merge(struct rf_config *c, const struct document *documents,
                  struct rf_problems *problems)
{
    bool all = true;
    for (size_t i = 0; i < c->file_count; i++) {
        size_t asked = c->trust.count;
        if (documents[i].root.kind != RF_YAML_NULL)
            rf_config_merge(c, c->files[i].path, &documents[i].root, problems);
        c->files[i].asks |= c->trust.count > asked;
        all = all && documents[i].read;
    }
    if (all)
        rf_config_settle(c, problems);
}

/* Where the provider of a model is, is the user's to know. */
static void add_addresses(struct rf_config *c)
{
    for (size_t i = 0; i < c->trust.count; i++) {
        struct rf_asked *asked = &c->trust.asked[i];
        struct rf_str address =
            rf_str_is(asked->key, "provider") ? rf_moved_to(c, asked->value, c->arena) : RF_STR("");
        if (address.n)
            asked->value =
                rf_strf(c->arena, "%.*s, at %.*s", RF_FMT(asked->value), RF_FMT(address));
    }
}

static enum rf_code find_answer(struct rf_config *c, size_t file, struct rf_str bytes,
                                enum rf_trust *out, struct rf_err *err)
{
    struct rf_config_trust *t = &c->trust;
    struct rf_trust_file *f = &t->files[t->file_count];
    enum rf_code rc = rf_trust_file(c->files[file].path + strlen("./"), bytes, c->arena, f, err);
    if (rc)
        return rc;
    t->file_count++;
    return rf_trust_find(f, c->arena, out, err);
}

/* Is what the project's files ask for trusted, as these bytes? A single one that is not counts for
 * all: what a person answers is for what they were shown, which is all of it. */
static void judge(struct rf_config *c, const struct document *documents)
{
    struct rf_config_trust *t = &c->trust;
    t->answer = RF_TRUST_UNNEEDED;
    if (!t->count)
        return;
    add_addresses(c);
    t->answer = RF_TRUST_GIVEN;
    for (size_t i = 0; i < c->file_count; i++) {
        enum rf_trust one = RF_TRUST_UNASKED;
        struct rf_err e;
        if (!c->files[i].asks)
            continue;
        if (find_answer(c, i, documents[i].text, &one, &e))
            t->problem = e;
        if (one < t->answer)
            t->answer = one;
    }
}

/* All is read as if it was trusted, so that every problem is found and it is known what is asked
 * for; then again without what is not. */
static void load(struct rf_config *c, struct rf_problems *problems)
{
    struct document documents[RF_CONFIG_FILES] = { 0 };
    for (size_t i = 0; i < c->file_count; i++)
        read_file(c, &c->files[i], &documents[i], problems);
    while (c->files[c->file_count - 1].of_others && !c->files[c->file_count - 1].exists)
        c->file_count--; /* where it is missing, nobody need know that it could be there */
    merge(c, documents, problems);
    if (problems->count)
        return;
    judge(c, documents);
    if (c->trust.answer == RF_TRUST_GIVEN || c->trust.answer == RF_TRUST_UNNEEDED)
        return;
    struct rf_config without = { .arena = c->arena,
                                 .file_count = c->file_count,
                                 .trust = c->trust,
                                 .mcp_problem = c->mcp_problem,
                                 .withholds = true };
    struct rf_problems none = { 0 };
    memcpy(without.files, c->files, sizeof without.files);
    *c = without;
    merge(c, documents, &none);
    if (none.count)
        RF_BUG("a file became wrong where less of it counts");
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
    return problems.count + problems.passed_over;
}

void rf_config_judge(struct rf_str text, struct rf_arena *a, struct rf_problems *problems)
{
    struct rf_config c = { .arena = a, .file_count = 1 };
    struct rf_yaml root;
    struct rf_err e;
    c.files[0] = (struct rf_config_file){ .path = rf_config_user_file(a), .exists = true };
    if (rf_yaml_read_on(text, c.files[0].path, a, add_doubled, problems, &root, &e)) {
        rf_problem_add(problems, &e);
        return;
    }
    rf_config_merge(&c, c.files[0].path, &root, problems);
    rf_config_settle(&c, problems);
}

bool rf_config_is_projects(const struct rf_config *c, struct rf_place place)
{
    for (size_t i = 0; i < c->file_count; i++)
        if (c->files[i].path == place.file)
            return c->files[i].of_project;
    return false;
}

enum rf_trust rf_config_trust(const struct rf_config *c)
{
    return c->trust.answer;
}

const struct rf_err *rf_config_trust_problem(const struct rf_config *c)
{
    return c->trust.problem.code ? &c->trust.problem : NULL;
}

size_t rf_config_asked_count(const struct rf_config *c)
{
    return c->trust.count;
}

struct rf_asked rf_config_asked(const struct rf_config *c, size_t i)
{
    return i < c->trust.count ? c->trust.asked[i] : (struct rf_asked){ 0 };
}

enum rf_code rf_config_keep_trust(const struct rf_config *c, enum rf_trust answer,
                                  struct rf_err *err)
{
    size_t asking = 0;
    for (size_t i = 0; i < c->file_count; i++)
        asking += c->files[i].asks;
    if (c->trust.file_count < asking) {
        if (err)
            *err = c->trust.problem;
        return c->trust.problem.code;
    }
    return rf_trust_keep(c->trust.files, c->trust.file_count, answer, err);
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

bool rf_config_path_asks(const struct rf_config *c, size_t i)
{
    return i < c->file_count && c->files[i].asks;
}

size_t rf_config_model_count(const struct rf_config *c)
{
    return c->model_count;
}

struct rf_str rf_config_model_name(const struct rf_config *c, size_t i)
{
    return i < c->model_count ? c->models[i].name : (struct rf_str){ 0 };
}
