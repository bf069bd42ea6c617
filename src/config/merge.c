/* From a file's tree to entries: which keys there are, what each takes, and what is wrong.
 *
 * A key that nobody knows, a value of the wrong kind and a name that does not exist are problems
 * with file and line; the rest of the file is still read. A later file adds to an entry of the same
 * name, and what it says again counts. */
#include "config/merge.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "config/names.h"
#include "model/model.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void rf_problem_add(struct rf_problems *p, const struct rf_err *problem)
{
    if (p->count++ == 0)
        p->first = *problem;
    if (p->found)
        p->found(p->ctx, problem);
}

void rf_problem_note(struct rf_problems *p, const struct rf_err *note)
{
    struct rf_err shown = *note;
    shown.code = RF_OK;
    if (p->found)
        p->found(p->ctx, &shown);
}

void rf_merge_problem(struct rf_err *err, const struct rf_merge *r, size_t line, const char *fmt,
                      ...)
{
    char msg[sizeof err->msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    rf_fail(err, RF_ECONFIG, "%s:%zu: %s", r->file, line, msg);
}

bool rf_merge_is_kind(struct rf_merge *r, const struct rf_yaml *v, enum rf_yaml_kind want,
                      const char *what)
{
    if (v->kind == want)
        return true;
    struct rf_err e;
    rf_merge_problem(&e, r, v->line, "%s: expected %s, found %s", what, rf_yaml_kind_name(want),
                     rf_yaml_kind_name(v->kind));
    rf_problem_add(r->problems, &e);
    return false;
}

bool rf_merge_is_map(struct rf_merge *r, const struct rf_yaml *v, const char *what)
{
    return v->kind == RF_YAML_NULL || rf_merge_is_kind(r, v, RF_YAML_MAP, what);
}

bool rf_merge_switch(struct rf_merge *r, const struct rf_yaml *v, const char *what, bool *out)
{
    struct rf_err e;
    bool yes = rf_str_is(v->text, "true") || rf_str_is(v->text, "yes");
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, what))
        return false;
    if (yes || rf_str_is(v->text, "false") || rf_str_is(v->text, "no")) {
        *out = yes;
        return true;
    }
    rf_merge_problem(&e, r, v->line, "%s: expected true or false", what);
    rf_problem_add(r->problems, &e);
    return false;
}

void rf_merge_keys(struct rf_merge *r, const struct rf_yaml *map, const struct rf_merge_key *keys,
                   size_t count)
{
    const char *names[RF_MERGE_MAX_KEYS];
    for (size_t k = 0; k < count; k++)
        names[k] = keys[k].name;
    for (size_t i = 0; i < map->count; i += 2) {
        const struct rf_yaml *key = &map->items[i];
        size_t k = 0;
        while (k < count && !rf_str_is(key->text, names[k]))
            k++;
        if (k < count) {
            keys[k].read(r, key + 1);
            continue;
        }
        struct rf_err e;
        rf_merge_problem(&e, r, key->line, "unknown key \"%.*s\"", RF_FMT(key->text));
        rf_hint_key(&e, key->text, names, count);
        rf_problem_add(r->problems, &e);
    }
}

bool rf_merge_is_own(struct rf_merge *r, size_t line, const char *what)
{
    struct rf_err e;
    for (size_t i = 0; i < r->c->file_count; i++) {
        if (r->c->files[i].path != r->file || !r->c->files[i].of_project)
            continue;
        rf_merge_problem(&e, r, line, "a project's file cannot say %s", what);
        rf_hint(&e, "Set it in your own configuration: `refract config path` says where that is.");
        rf_problem_add(r->problems, &e);
        return false;
    }
    return true;
}

bool rf_merge_provider_exists(struct rf_merge *r, struct rf_str name, size_t line)
{
    if (rf_provider_exists(name))
        return true;
    struct rf_err e;
    rf_merge_problem(&e, r, line, "unknown provider \"%.*s\"", RF_FMT(name));
    rf_hint_provider(&e, name);
    rf_problem_add(r->problems, &e);
    return false;
}

/* Facts. */

/* A list is written with commas in a fact. */
static bool read_value(struct rf_merge *r, const struct rf_yaml *key, struct rf_str *out)
{
    const struct rf_yaml *v = key + 1;
    const char *what = rf_strf(r->c->arena, "\"%.*s\"", RF_FMT(key->text)).p;
    if (v->kind != RF_YAML_LIST) {
        *out = v->text;
        return rf_merge_is_kind(r, v, RF_YAML_TEXT, what);
    }
    struct rf_buf b;
    rf_buf_init(&b, r->c->arena, RF_MAX_CONFIG_BYTES);
    for (size_t i = 0; i < v->count; i++) {
        if (!rf_merge_is_kind(r, &v->items[i], RF_YAML_TEXT, what))
            return false;
        rf_buf_addf(&b, "%s%.*s", i ? "," : "", RF_FMT(v->items[i].text));
    }
    if (!v->count)
        rf_buf_addc(&b, '-');
    return !rf_buf_finish(&b, out, NULL);
}

static struct rf_config_fact *fact_of(struct rf_merge *r, struct rf_str name)
{
    struct rf_config_model *m = r->model;
    for (size_t i = 0; i < m->count; i++)
        if (rf_str_eq(m->facts[i].name, name))
            return &m->facts[i];
    struct rf_config_fact *fact = RF_PUSH(r->c->arena, m->facts, m->count, m->cap);
    *fact = (struct rf_config_fact){ .name = name };
    return fact;
}

static void read_fact(struct rf_merge *r, const struct rf_yaml *key, enum rf_section section)
{
    struct rf_err e;
    struct rf_str value;
    if (!rf_fact_exists(key->text)) {
        rf_merge_problem(&e, r, key->line, "there is no fact \"%.*s\"", RF_FMT(key->text));
        rf_hint_fact(&e, key->text);
        rf_problem_add(r->problems, &e);
        return;
    }
    if (!read_value(r, key, &value))
        return;
    struct rf_config_fact *fact = fact_of(r, key->text);
    if (fact->place.file == r->file) {
        rf_merge_problem(&e, r, key->line, "\"%.*s\" is given twice", RF_FMT(key->text));
        rf_hint(&e, "It stands in line %zu already; keep one of them.", fact->place.line);
        rf_problem_add(r->problems, &e);
    }
    fact->value = value;
    fact->section = section;
    fact->place = (struct rf_place){ r->file, key->line };
}

static void read_facts(struct rf_merge *r, const struct rf_yaml *map, enum rf_section section)
{
    for (size_t i = 0; i < map->count; i += 2)
        read_fact(r, &map->items[i], section);
}

static void read_capabilities(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_map(r, v, "\"capabilities\""))
        read_facts(r, v, RF_SECTION_CAPABILITIES);
}

static void read_limits(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_map(r, v, "\"limits\""))
        read_facts(r, v, RF_SECTION_LIMITS);
}

/* Models. */

static void read_provider_name(struct rf_merge *r, const struct rf_yaml *v)
{
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"provider\""))
        return;
    r->model->provider = v->text;
    rf_merge_provider_exists(r, v->text, v->line);
}

static void read_model_name(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"model\""))
        r->model->model = v->text;
}

static const struct rf_merge_key model_keys[] = {
    { "provider", read_provider_name },
    { "model", read_model_name },
    { "capabilities", read_capabilities },
    { "limits", read_limits },
};

const struct rf_config_model *rf_config_find(const struct rf_config *c, struct rf_str name)
{
    for (size_t i = 0; i < c->model_count; i++)
        if (rf_str_eq(c->models[i].name, name))
            return &c->models[i];
    return NULL;
}

static struct rf_config_model *model_of(struct rf_config *c, struct rf_str name)
{
    const struct rf_config_model *found = rf_config_find(c, name);
    if (found)
        return &c->models[found - c->models];
    struct rf_config_model *m = RF_PUSH(c->arena, c->models, c->model_count, c->model_cap);
    *m = (struct rf_config_model){ .name = name };
    return m;
}

static void read_models(struct rf_merge *r, const struct rf_yaml *map)
{
    if (!rf_merge_is_map(r, map, "\"models\""))
        return;
    for (size_t i = 0; i < map->count; i += 2) {
        const struct rf_yaml *key = &map->items[i];
        const char *what = rf_strf(r->c->arena, "model \"%.*s\"", RF_FMT(key->text)).p;
        if (!rf_merge_is_map(r, key + 1, what))
            continue;
        r->model = model_of(r->c, key->text);
        r->model->place = (struct rf_place){ r->file, key->line };
        rf_merge_keys(r, key + 1, model_keys, sizeof model_keys / sizeof *model_keys);
    }
}

/* Limits. */

#define LIMIT_COUNT (RF_LIMIT_COUNT + RF_STORE_LIMIT_COUNT)

/* Those of the tools, then those of the store. */
static const struct rf_limit_row *limit_row(size_t i)
{
    return i < RF_LIMIT_COUNT ? &rf_limit_rows[i] : &rf_store_limit_rows[i - RF_LIMIT_COUNT];
}

static void hint_limit(struct rf_err *e, struct rf_str given)
{
    const char *names[LIMIT_COUNT];
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        names[i] = limit_row(i)->name;
    rf_hint_key(e, given, names, LIMIT_COUNT);
}

static void read_limit(struct rf_merge *r, const struct rf_yaml *key)
{
    size_t i = 0;
    struct rf_err e;
    int64_t value;
    while (i < LIMIT_COUNT && !rf_str_is(key->text, limit_row(i)->name))
        i++;
    const struct rf_limit_row *row = i < LIMIT_COUNT ? limit_row(i) : NULL;
    if (!row) {
        rf_merge_problem(&e, r, key->line, "there is no limit \"%.*s\"", RF_FMT(key->text));
        hint_limit(&e, key->text);
    } else if (key[1].kind != RF_YAML_TEXT || !rf_str_int64(key[1].text, &value) ||
               value < row->least || value > row->most) {
        rf_merge_problem(&e, r, key[1].line,
                         "limit \"%s\": expected a number from %" PRId64 " to %" PRId64, row->name,
                         row->least, row->most);
    } else {
        struct rf_config_limit *limit =
            i < RF_LIMIT_COUNT ? &r->c->limits[i] : &r->c->store_limits[i - RF_LIMIT_COUNT];
        *limit = (struct rf_config_limit){ value, { r->file, key->line } };
        return;
    }
    rf_problem_add(r->problems, &e);
}

static void read_all_limits(struct rf_merge *r, const struct rf_yaml *map)
{
    if (!rf_merge_is_map(r, map, "\"limits\""))
        return;
    for (size_t i = 0; i < map->count; i += 2)
        read_limit(r, &map->items[i]);
}

/* The store. */

/* Where a password may be: before the last "@", or among the parameters. */
static bool holds_password(struct rf_str address)
{
    size_t scheme = rf_str_starts(address, "postgresql://") ? 13 : 11, at = address.n;
    while (at > scheme && address.p[at - 1] != '@')
        at--;
    return memchr(address.p + scheme, ':', at - scheme) ||
           rf_str_contains(address, RF_STR("password="));
}

/* Where conversations go is not for a folder to say that somebody was given. */
static bool may_say_store(struct rf_merge *r, size_t line)
{
    return rf_merge_is_own(r, line, "where the store is");
}

static void read_address(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_err e;
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"store\""))
        return;
    if (!v->text.n) {
        rf_merge_problem(&e, r, v->line, "\"store\": the address is empty");
        rf_hint(&e, "Name a folder, or a database such as postgres://host/name.");
    } else if (rf_store_is_shared(v->text) && holds_password(v->text)) {
        rf_merge_problem(&e, r, v->line, "\"store\": the address holds a password");
        rf_hint(&e,
                "Put it into ~/.pgpass or the environment (PGPASSWORD), and leave it out here.");
    } else {
        if (may_say_store(r, v->line)) {
            r->c->store.address = v->text;
            r->c->store.place = (struct rf_place){ r->file, v->line };
        }
        return;
    }
    rf_problem_add(r->problems, &e);
}

static void read_blobs(struct rf_merge *r, const struct rf_yaml *v)
{
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"blobs\"") || !may_say_store(r, v->line))
        return;
    r->c->store.blobs = v->text;
    r->c->store.place = (struct rf_place){ r->file, v->line };
}

static void read_keep_files(struct rf_merge *r, const struct rf_yaml *v)
{
    bool yes;
    if (!rf_merge_switch(r, v, "\"keep_files\"", &yes))
        return;
    r->c->store.leave_files = !yes;
    r->c->store.place = (struct rf_place){ r->file, v->line };
}

static const struct rf_merge_key store_keys[] = {
    { "address", read_address },
    { "blobs", read_blobs },
    { "keep_files", read_keep_files },
};

static void read_store(struct rf_merge *r, const struct rf_yaml *v)
{
    if (v->kind == RF_YAML_TEXT)
        read_address(r, v);
    else if (rf_merge_is_map(r, v, "\"store\""))
        rf_merge_keys(r, v, store_keys, sizeof store_keys / sizeof *store_keys);
}

/* A folder that somebody was given may ask for less, and not for more. */
static void read_fetch(struct rf_merge *r, const struct rf_yaml *v)
{
    bool yes;
    if (!rf_merge_switch(r, v, "\"fetch\"", &yes) ||
        (yes && !rf_merge_is_own(r, v->line, "that web addresses are fetched")))
        return;
    r->c->fetch = yes;
    r->c->fetch_place = (struct rf_place){ r->file, v->line };
}

static const struct rf_merge_key top_keys[] = {
    { "models", read_models },     { "providers", rf_merge_providers },
    { "limits", read_all_limits }, { "store", read_store },
    { "fetch", read_fetch },       { "references", rf_merge_references },
    { "tools", rf_merge_tools },
};

void rf_config_merge(struct rf_config *c, const char *file, const struct rf_yaml *root,
                     struct rf_problems *problems)
{
    struct rf_merge r = { .c = c, .file = file, .problems = problems };
    if (rf_merge_is_map(&r, root, "the file"))
        rf_merge_keys(&r, root, top_keys, sizeof top_keys / sizeof *top_keys);
}

/* Settling. */

/* A name such as "ollama:llava:13b" says both parts itself. */
static void split_name(struct rf_config_model *m)
{
    struct rf_str rest = m->name, provider;
    if (m->provider.n || m->model.n || !memchr(rest.p, ':', rest.n))
        return;
    rf_str_split(&rest, ':', &provider);
    m->provider = provider;
    m->model = rest;
}

static bool is_whole(struct rf_merge *r, struct rf_config_model *m)
{
    split_name(m);
    const char *missing = !m->provider.n ? "provider" : !m->model.n ? "model" : NULL;
    if (!missing)
        return true;
    struct rf_err e;
    r->file = m->place.file;
    rf_merge_problem(&e, r, m->place.line, "model \"%.*s\" has no \"%s\"", RF_FMT(m->name),
                     missing);
    rf_hint(&e, "Say what it is, such as provider: ollama and model: \"llava:13b\".");
    rf_problem_add(r->problems, &e);
    return false;
}

static void check_facts(struct rf_merge *r, const struct rf_config_model *m)
{
    struct rf_err e;
    struct rf_model model;
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = rf_model_init(&model, m->provider, m->model, a, &e);
    for (size_t i = 0; !rc && i < m->count; i++) {
        const struct rf_config_fact *f = &m->facts[i];
        if (!rf_model_set(&model, f->name, f->value, RF_FACT_OVERRIDE, &e))
            continue;
        rf_err_at(&e, rf_strf(a, "%s:%zu", f->place.file, f->place.line).p);
        rf_problem_add(r->problems, &e);
    }
    rf_arena_free(a);
}

static void check_spelling(struct rf_merge *r, const struct rf_config_model *m)
{
    struct rf_err e;
    struct rf_str meant = rf_model_meant(m->provider, m->model, r->c->arena);
    if (!meant.n)
        return;
    rf_merge_problem(&e, r, m->place.line, "the catalogue does not know the model \"%.*s\"",
                     RF_FMT(m->model));
    rf_hint(&e, "Did you mean %.*s? If not, all is well: it is sent as it stands.", RF_FMT(meant));
    rf_problem_note(r->problems, &e);
}

void rf_config_settle(struct rf_config *c, struct rf_problems *problems)
{
    struct rf_merge r = { .c = c, .problems = problems };
    for (size_t i = 0; i < c->model_count; i++) {
        struct rf_config_model *m = &c->models[i];
        r.file = m->place.file;
        bool given = m->provider.n > 0;
        if (!is_whole(&r, m))
            continue;
        if (rf_provider_exists(m->provider)) {
            check_facts(&r, m);
            check_spelling(&r, m);
        } else if (!given) {
            rf_merge_provider_exists(&r, m->provider, m->place.line);
        }
    }
}
