/* From a file's tree to entries: which keys there are, what each takes, and what is wrong.
 *
 * An unknown key, a value of the wrong kind and a name that does not exist are problems
 * with file and line; the rest of the file is still read. A later file adds to an entry of the same
 * name, and what it says again counts. */
#include "config/merge.h"

#include "base/arena.h"
#include "config/keys.h"
#include "config/mcp_file.h"
#include "config/names.h"
#include "model/model.h"
#include "model/providers.h"
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

void rf_problem_pass(struct rf_problems *p, const struct rf_err *problem)
{
    p->passed_over++;
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

static bool is_off(const struct rf_yaml *v)
{
    return v->kind == RF_YAML_TEXT && (rf_str_is(v->text, "false") || rf_str_is(v->text, "no"));
}

bool rf_merge_switch(struct rf_merge *r, const struct rf_yaml *v, const char *what, bool *out)
{
    struct rf_err e;
    bool yes = rf_str_is(v->text, "true") || rf_str_is(v->text, "yes");
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, what))
        return false;
    if (yes || is_off(v)) {
        *out = yes;
        return true;
    }
    rf_merge_problem(&e, r, v->line, "%s: expected true or false", what);
    rf_problem_add(r->problems, &e);
    return false;
}

void rf_merge_refuse(struct rf_merge *r, size_t line, const char *what)
{
    struct rf_err e;
    rf_merge_problem(&e, r, line, "a project's file cannot say %s", what);
    rf_advise(&e, RF_REASON_OWN_CONFIG, "Set it in your own configuration.");
    rf_problem_add(r->problems, &e);
}

/* "tools.*.command" is the command of the entry that is read, "limits.*" the entry itself. */
static void note_asked(struct rf_merge *r, const struct rf_key *row, const struct rf_yaml *key)
{
    struct rf_config_trust *t = &r->c->trust;
    struct rf_arena *a = r->c->arena;
    struct rf_str rest = rf_str(row->path), section, name, last;
    rf_str_split(&rest, '.', &section);
    bool has_key = rf_str_split(&rest, '.', &name) && rf_str_split(&rest, '.', &last);
    *RF_PUSH(a, t->asked, t->count, t->cap) = (struct rf_asked){
        .entry = rf_strf(a, "%.*s.%.*s", RF_FMT(section), RF_FMT(has_key ? r->entry : key->text)),
        .key = has_key ? last : RF_STR(""),
        .value = key[1].kind == RF_YAML_TEXT ? key[1].text : rf_yaml_json(key + 1, a),
    };
}

bool rf_merge_may_set(struct rf_merge *r, const struct rf_key *row, const struct rf_yaml *key,
                      enum rf_asking asking)
{
    if (!r->of_project || asking == RF_ASKS_LESS)
        return true;
    switch (row->setter) {
    case RF_SETTER_PERSON:
        rf_merge_refuse(r, key->line, row->what);
        return false;
    case RF_SETTER_TRUSTED:
        if (rf_key_is_leaf(row) && !r->c->withholds)
            note_asked(r, row, key);
        return !r->c->withholds;
    case RF_SETTER_PARTS:
        break;
    }
    return true;
}

bool rf_merge_may_name(struct rf_merge *r, const char *section, const struct rf_yaml *key,
                       const void *there)
{
    const struct rf_key *row = rf_key_entry(section, key->text);
    if (!there || !r->of_project)
        return rf_merge_may_set(r, row, key, RF_ASKS_MORE);
    rf_merge_refuse(r, key->line, row->what);
    return false;
}

static void unknown_key(struct rf_merge *r, const struct rf_yaml *key, const char *section)
{
    struct rf_err e;
    rf_merge_problem(&e, r, key->line, "unknown key \"%.*s\"", RF_FMT(key->text));
    rf_hint_section_key(&e, key->text, section);
    rf_problem_add(r->problems, &e);
}

static const struct rf_merge_key *reader_of(const char *name, const struct rf_merge_key *keys,
                                            size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    RF_BUG("a key of the table that nothing reads");
}

static void check_rows(const char *section, const struct rf_merge_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!rf_key_find(section, rf_str(keys[i].name)))
            RF_BUG("a key that is not in the table");
}

static enum rf_asking asking(const struct rf_key *row, const struct rf_yaml *value)
{
    return row->less == RF_LESS_NO && is_off(value) ? RF_ASKS_LESS : RF_ASKS_MORE;
}

void rf_merge_keys(struct rf_merge *r, const struct rf_yaml *map, const char *section,
                   const struct rf_merge_key *keys, size_t count)
{
    check_rows(section, keys, count);
    for (size_t i = 0; i < map->count; i += 2) {
        const struct rf_yaml *key = &map->items[i];
        const struct rf_key *row = rf_key_find(section, key->text);
        if (!row)
            unknown_key(r, key, section);
        else if (rf_merge_may_set(r, row, key, asking(row, key + 1)))
            reader_of(rf_key_name(row, section), keys, count)->read(r, key + 1);
    }
}

bool rf_merge_provider_exists(struct rf_merge *r, struct rf_str name, size_t line)
{
    if (rf_provider_row(name))
        return true;
    struct rf_err e;
    rf_merge_problem(&e, r, line, "unknown provider \"%.*s\"", RF_FMT(name));
    rf_hint_provider(&e, name);
    rf_problem_add(r->problems, &e);
    return false;
}

/* Limits. */

#define KEPT_COUNT (RF_LIMIT_COUNT + RF_STORE_LIMIT_COUNT)
#define LIMIT_COUNT (KEPT_COUNT + 1)

const struct rf_limit_row rf_answer_limit_row = {
    "answer_seconds", "one answer of a provider, from its request to its end", 3600, 1, 7 * 86400
};

int64_t rf_config_answer_ms(const struct rf_config *c)
{
    bool said = c && c->answer_seconds.place.file;
    return 1000 * (said ? c->answer_seconds.value : rf_answer_limit_row.usual);
}

/* Those of the tools, those of the store, then the time of an answer. */
static const struct rf_limit_row *limit_row(size_t i)
{
    return i < RF_LIMIT_COUNT ? &rf_limit_rows[i]
           : i < KEPT_COUNT   ? &rf_store_limit_rows[i - RF_LIMIT_COUNT]
                              : &rf_answer_limit_row;
}

const struct rf_limit_row *rf_config_limit_at(size_t i)
{
    return i < LIMIT_COUNT ? limit_row(i) : NULL;
}

static struct rf_config_limit *limit_of(struct rf_config *c, size_t i)
{
    return i < RF_LIMIT_COUNT ? &c->limits[i]
           : i < KEPT_COUNT   ? &c->store_limits[i - RF_LIMIT_COUNT]
                              : &c->answer_seconds;
}

const struct rf_limit_row *rf_config_limit_row(struct rf_str name)
{
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        if (rf_str_is(name, limit_row(i)->name))
            return limit_row(i);
    return NULL;
}

void rf_hint_limit(struct rf_err *e, struct rf_str given)
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
        rf_hint_limit(&e, key->text);
    } else if (key[1].kind != RF_YAML_TEXT || !rf_str_int64(key[1].text, &value) ||
               value < row->least || value > row->most) {
        rf_merge_problem(&e, r, key[1].line,
                         "limit \"%s\": expected a number from %" PRId64 " to %" PRId64, row->name,
                         row->least, row->most);
    } else {
        struct rf_config_limit *limit = limit_of(r->c, i);
        const struct rf_key *who = rf_key_entry("limits", key->text);
        bool less = value <= (limit->place.file ? limit->value : row->usual);
        if (rf_merge_may_set(r, who, key,
                             less && who->less == RF_LESS_LOWER ? RF_ASKS_LESS : RF_ASKS_MORE))
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

static void read_address(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_err e, why;
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"store\""))
        return;
    if (rf_store_address_check(v->text, &why)) {
        rf_merge_problem(&e, r, v->line, "\"store\": %s", why.msg);
        rf_hint(&e, "%s", why.hint);
    } else if (rf_store_is_shared(v->text) && holds_password(v->text)) {
        rf_merge_problem(&e, r, v->line, "\"store\": the address holds a password");
        rf_hint(&e,
                "Put it into ~/.pgpass or the environment (PGPASSWORD), and leave it out here.");
    } else {
        r->c->store.address = v->text;
        r->c->store.place = (struct rf_place){ r->file, v->line };
        return;
    }
    rf_problem_add(r->problems, &e);
}

static void read_blobs(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_err e, why;
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"blobs\""))
        return;
    if (rf_store_blobs_check(v->text, &why)) {
        rf_merge_problem(&e, r, v->line, "\"blobs\": %s", why.msg);
        rf_hint(&e, "%s", why.hint);
        rf_problem_add(r->problems, &e);
        return;
    }
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
        rf_merge_keys(r, v, "store", store_keys, sizeof store_keys / sizeof *store_keys);
}

/* "example.org", "*.example.org", "[2001:db8::1]", or "*". */
static bool is_host(struct rf_str s)
{
    if (rf_str_is(s, "*"))
        return true;
    if (rf_str_starts(s, "*."))
        s = (struct rf_str){ s.p + 2, s.n - 2 };
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool plain = rf_is_alnum(c);
        if (!plain && !(c && strchr(s.p[0] == '[' ? "[:.]" : "-._", c)))
            return false;
    }
    return s.n > 0;
}

static void read_hosts(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_config *c = r->c;
    for (size_t i = 0; rf_merge_is_kind(r, v, RF_YAML_LIST, "\"hosts\"") && i < v->count; i++) {
        const struct rf_yaml *host = &v->items[i];
        struct rf_err e;
        if (host->kind == RF_YAML_TEXT && is_host(host->text)) {
            *RF_PUSH(c->arena, c->fetch_hosts, c->fetch_host_count, c->fetch_host_cap) = host->text;
            continue;
        }
        rf_merge_problem(&e, r, host->line, "\"hosts\": this is not the name of a host");
        rf_hint(&e, "Such as example.org, or \"*.example.org\" for all below it.");
        rf_problem_add(r->problems, &e);
    }
}

static const struct rf_merge_key fetch_keys[] = { { "hosts", read_hosts } };

static void read_fetch(struct rf_merge *r, const struct rf_yaml *v)
{
    bool yes = v->kind == RF_YAML_MAP;
    if (yes)
        rf_merge_keys(r, v, "fetch", fetch_keys, sizeof fetch_keys / sizeof *fetch_keys);
    else if (!rf_merge_switch(r, v, "\"fetch\"", &yes))
        return;
    r->c->fetch = yes;
    r->c->fetch_place = (struct rf_place){ r->file, v->line };
}

static const struct rf_merge_key top_keys[] = {
    { "models", rf_merge_models },   { "providers", rf_merge_providers },
    { "limits", read_all_limits },   { "store", read_store },
    { "fetch", read_fetch },         { "references", rf_merge_references },
    { "tools", rf_merge_tools },     { "mcp_servers", rf_merge_mcp },
    { "sandbox", rf_merge_sandbox }, { "transcribe", rf_merge_transcribe },
    { "serve", rf_merge_serve },
};

void rf_config_merge(struct rf_config *c, const char *file, const struct rf_yaml *root,
                     struct rf_problems *problems)
{
    struct rf_merge r = { .c = c,
                          .file = file,
                          .of_project = rf_config_is_projects(c, (struct rf_place){ .file = file }),
                          .problems = problems };
    if (rf_mcp_is_file(file))
        rf_merge_mcp_file(&r, root);
    else if (rf_merge_is_map(&r, root, "the file"))
        rf_merge_keys(&r, root, "", top_keys, sizeof top_keys / sizeof *top_keys);
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

/* What another name means; that is not a third one's. */
static void follow_name(const struct rf_config *c, struct rf_config_model *m)
{
    const struct rf_config_model *other = rf_config_find(c, m->same_as);
    struct rf_str rest = m->same_as, provider;
    if (!m->same_as.n) {
        split_name(m);
    } else if (other && !other->same_as.n) {
        struct rf_config_model meant = *other;
        split_name(&meant);
        m->provider = meant.provider;
        m->model = meant.model;
    } else if (rf_model_is_provider(rest)) {
        m->provider = m->model = rest;
    } else if (memchr(rest.p, ':', rest.n) && rf_str_split(&rest, ':', &provider)) {
        m->provider = provider;
        m->model = rest;
    }
}

static bool is_whole(struct rf_merge *r, struct rf_config_model *m)
{
    follow_name(r->c, m);
    const char *missing = !m->provider.n ? "provider" : !m->model.n ? "model" : NULL;
    if (!missing)
        return true;
    struct rf_err e;
    r->file = m->place.file;
    if (m->same_as.n) {
        rf_merge_problem(&e, r, m->place.line, "model \"%.*s\": there is no model \"%.*s\"",
                         RF_FMT(m->name), RF_FMT(m->same_as));
        rf_hint_model(&e, r->c, m->same_as);
    } else {
        rf_merge_problem(&e, r, m->place.line, "model \"%.*s\" has no \"%s\"", RF_FMT(m->name),
                         missing);
        rf_hint(&e, "Say what it is, such as provider: ollama and model: \"llava:13b\".");
    }
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
        if (!rf_config_apply(&model, f, &e))
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
        rf_merge_settle_lists(&r, m);
        r.file = m->place.file;
        bool given = m->provider.n > 0;
        if (rf_config_is_any(c, m->name) || !is_whole(&r, m))
            continue;
        if (rf_provider_row(m->provider)) {
            check_facts(&r, m);
            check_spelling(&r, m);
        } else if (!given) {
            rf_merge_provider_exists(&r, m->provider, m->place.line);
        }
    }
    rf_merge_settle_serve(&r);
}
