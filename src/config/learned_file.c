/* The file of what was learned: where it is, the lock, replacing it, and setting a corrupt one
 * aside.
 *
 * FOLDER/learned.json is the file, learned.json.lock what is locked (it stays), learned.json.new
 * the next file while it is written, learned.json.broken the last one that was corrupt. A process
 * that dies at any point leaves the old file or the new one, and no lock. */
#include "config/learned.h"

#include "base/arena.h"
#include "base/file.h"
#include "config/config.h"
#include "model/model.h"

#include <stdio.h>
#include <unistd.h>

#define MAX_BYTES ((size_t)4 << 20)

const char *rf_learned_path(struct rf_arena *a)
{
    const char *folder = rf_folder_data(a);
    return folder ? rf_strf(a, "%s/learned.json", folder).p : NULL;
}

static void start(struct rf_learned *l, const char *path, struct rf_arena *a)
{
    *l = (struct rf_learned){ .arena = a, .path = path, .lock = -1 };
}

/* Fails with RF_EFORMAT where the file is corrupt, with RF_ECONFIG and RF_EIO. */
static enum rf_code load(struct rf_learned *l, struct rf_err *err)
{
    struct rf_str text;
    enum rf_code rc = rf_file_read(l->path, MAX_BYTES, l->arena, &text, err);
    if (rc == RF_ENOTFOUND)
        return RF_OK;
    if (rc == RF_ELIMIT)
        return rf_fail(err, RF_EFORMAT, "%s: the file is longer than %zu bytes", l->path,
                       MAX_BYTES);
    if (rc)
        return rc;
    rc = rf_learned_parse(text, l, err);
    if (rc)
        rf_err_at(err, l->path);
    return rc == RF_ECONFIG ? rc : rc ? RF_EFORMAT : RF_OK;
}

void rf_learned_unlock(struct rf_learned *l)
{
    if (l->store)
        rf_learned_shared_unlock(l);
    if (l->lock >= 0)
        close(l->lock);
    l->lock = -1;
}

/* Reading */

/* Keep the words of `err` as the problem, and go on with nothing. */
static void forget_file(struct rf_learned *l, const struct rf_err *err, const char *hint)
{
    int held = l->lock;
    start(l, l->path, l->arena);
    l->lock = held;
    l->problem = *err;
    rf_hint(&l->problem, "%s", hint);
}

/* With the lock held, no other process replaces the file that was found corrupt. */
static void set_aside(struct rf_learned *l, const struct rf_err *why)
{
    const char *aside = rf_strf(l->arena, "%s.broken", l->path).p;
    bool done = rename(l->path, aside) == 0;
    forget_file(
        l, why,
        done ? "The file was set aside as learned.json.broken; what it held will be learned again."
             : "Move the file away; what it held will be learned again.");
}

enum rf_code rf_learned_lock(const char *path, struct rf_arena *a, struct rf_learned *out,
                             struct rf_err *err)
{
    struct rf_err why;
    start(out, path, a);
    enum rf_code rc = rf_file_lock(path, a, &out->lock, err);
    if (rc)
        return rc;
    rc = load(out, &why);
    if (rc == RF_EFORMAT) {
        set_aside(out, &why);
        return RF_OK;
    }
    if (rc) {
        rf_learned_unlock(out);
        if (err)
            *err = why;
    }
    return rc;
}

enum rf_code rf_learned_read(const char *path, struct rf_arena *a, struct rf_learned *out,
                             struct rf_err *err)
{
    struct rf_err why, other;
    start(out, path, a);
    enum rf_code rc = load(out, &why);
    if (rc == RF_EFORMAT && !rf_learned_lock(path, a, out, &other)) {
        rf_learned_unlock(out); /* somebody may have replaced it meanwhile: then all is well */
        return RF_OK;
    }
    if (rc == RF_ECONFIG && err)
        *err = why;
    if (rc && rc != RF_ECONFIG)
        forget_file(out, &why, "Make the file readable, or move it away.");
    return rc == RF_ECONFIG ? rc : RF_OK;
}

/* Writing */

enum rf_code rf_learned_save(struct rf_learned *l, struct rf_err *err)
{
    if (l->store)
        return rf_learned_shared_save(l, err);
    if (!l->path)
        return RF_OK;
    if (l->lock < 0)
        RF_BUG("what was learned is saved without the lock");
    enum rf_code rc = rf_file_replace(l->path, rf_learned_format(l), l->arena, err);
    rf_learned_unlock(l);
    return rc;
}

/* Wherever it is */

enum rf_code rf_learned_load(const struct rf_config *config, struct rf_arena *a,
                             struct rf_learned *out, struct rf_err *err)
{
    if (rf_config_is_shared(config))
        return rf_learned_shared_read(config, a, out, err);
    const char *path = rf_learned_path(a);
    start(out, path, a);
    return path ? rf_learned_read(path, a, out, err) : RF_OK;
}

enum rf_code rf_learned_change(const struct rf_config *config, struct rf_arena *a,
                               struct rf_learned *out, struct rf_err *err)
{
    if (rf_config_is_shared(config))
        return rf_learned_shared_lock(config, a, out, err);
    const char *path = rf_learned_path(a);
    start(out, path, a);
    return path ? rf_learned_lock(path, a, out, err) : RF_OK;
}

enum rf_code rf_learned_keep(const struct rf_config *config, const struct rf_learned_fact *f,
                             struct rf_model *m, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_learned l;
    enum rf_code rc = rf_learned_change(config, a, &l, err);
    if (!rc) {
        if (m)
            rf_model_set_problem(m, &l.problem);
        rf_learned_teach(&l, f);
        rc = rf_learned_save(&l, err);
    }
    rf_arena_free(a);
    return rc;
}

/* What it said before and says no more goes, too. */
static void drop_described(struct rf_learned *l, const struct rf_model *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->fact_count; i++) {
        const struct rf_learned_fact *f = &l->facts[i];
        if (!f->described || !rf_str_eq(f->provider, m->provider) ||
            !rf_str_eq(f->model, m->name) || !rf_str_eq(f->address, m->address))
            l->facts[kept++] = *f;
    }
    l->fact_count = kept;
}

enum rf_code rf_learned_describe(const struct rf_config *config, struct rf_model *m,
                                 const struct rf_learned_fact *facts, size_t count,
                                 struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_learned l;
    enum rf_code rc = rf_learned_change(config, a, &l, err);
    if (!rc) {
        rf_model_set_problem(m, &l.problem);
        drop_described(&l, m);
        for (size_t i = 0; i < count; i++) {
            struct rf_learned_fact f = facts[i];
            f.provider = m->provider;
            f.model = m->name;
            f.address = m->address;
            f.described = true;
            rf_learned_teach(&l, &f);
        }
        rc = rf_learned_save(&l, err);
    }
    rf_arena_free(a);
    return rc;
}
