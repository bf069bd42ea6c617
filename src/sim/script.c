#include "sim/script.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "config/yaml.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_MS ((int64_t)3600 * 1000)

struct rf_sim_script {
    const char *file;
    struct rf_arena *arena;
    struct rf_sim_step *steps;
    size_t count, cap;
    pthread_mutex_t lock;
};

enum type { NUMBER, TEXT };

struct key {
    const char *name;
    enum type type;
    size_t at; /* in a step */
    int64_t least, most;
};

#define AT(member) offsetof(struct rf_sim_step, member)

static const struct key conditions[] = {
    { "words", TEXT, AT(words), 0, 0 },           { "provider", TEXT, AT(provider), 0, 0 },
    { "model", TEXT, AT(model), 0, 0 },           { "request", NUMBER, AT(request), 1, INT64_MAX },
    { "files", NUMBER, AT(files), 0, INT64_MAX }, { "results", NUMBER, AT(results), 0, INT64_MAX },
    { "sha256", TEXT, AT(sha256), 0, 0 },
};

static const struct key keys[] = {
    { "times", NUMBER, AT(times), 0, INT64_MAX },
    { "text", TEXT, AT(text), 0, 0 },
    { "thinking", TEXT, AT(thinking), 0, 0 },
    { "body", TEXT, AT(body), 0, 0 },
    { "content_type", TEXT, AT(content_type), 0, 0 },
    { "status", NUMBER, AT(status), 200, 599 },
    { "retry_after_s", NUMBER, AT(retry_after_s), 0, MOST_MS },
    { "retry_after_ms", NUMBER, AT(retry_after_ms), 0, MOST_MS },
    { "refuse_part", NUMBER, AT(refuse_part), 1, INT64_MAX },
    { "message", TEXT, AT(message), 0, 0 },
    { "type", TEXT, AT(type), 0, 0 },
    { "delay_ms", NUMBER, AT(delay_ms), 0, MOST_MS },
    { "pause_ms", NUMBER, AT(pause_ms), 0, MOST_MS },
    { "cut_after_bytes", NUMBER, AT(cut_after_bytes), 0, INT64_MAX },
    { "stall_after_bytes", NUMBER, AT(stall_after_bytes), 0, INT64_MAX },
    { "stall_ms", NUMBER, AT(stall_ms), 0, MOST_MS },
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Reading. */

static enum rf_code wrong(const struct rf_sim_script *s, const struct rf_yaml *at,
                          struct rf_err *err, const char *what, struct rf_str name)
{
    rf_fail(err, RF_ECONFIG, "%s:%zu: %s \"%.*s\"", s->file, at->line, what, RF_FMT(name));
    rf_hint(err, "The format of scripts is in refract-sim(1).");
    return RF_ECONFIG;
}

static enum rf_code read_value(const struct rf_sim_script *s, const struct key *k,
                               const struct rf_yaml *v, struct rf_sim_step *step,
                               struct rf_err *err)
{
    void *member = (char *)step + k->at;
    int64_t n;
    if (v->kind != RF_YAML_TEXT)
        return wrong(s, v, err, "expected a text or a number for", rf_str(k->name));
    if (k->type == TEXT) {
        *(struct rf_str *)member = v->text;
        return RF_OK;
    }
    if (!rf_str_int64(v->text, &n) || n < k->least || n > k->most)
        return wrong(s, v, err, "no number that makes sense for", rf_str(k->name));
    *(int64_t *)member = n;
    return RF_OK;
}

/* One entry of a map, by its table; `*found` says whether the table has it. */
static enum rf_code read_key(const struct rf_sim_script *s, const struct key *table, size_t count,
                             const struct rf_yaml *key, struct rf_sim_step *step, bool *found,
                             struct rf_err *err)
{
    for (size_t i = 0; i < count; i++)
        if (rf_str_is(key->text, table[i].name)) {
            *found = true;
            return read_value(s, &table[i], key + 1, step, err);
        }
    *found = false;
    return RF_OK;
}

static enum rf_code read_when(const struct rf_sim_script *s, const struct rf_yaml *map,
                              struct rf_sim_step *step, struct rf_err *err)
{
    if (map->kind != RF_YAML_MAP)
        return wrong(s, map, err, "expected a map for", RF_STR("when"));
    for (size_t i = 0; i < map->count; i += 2) {
        bool found;
        enum rf_code rc =
            read_key(s, conditions, COUNT(conditions), &map->items[i], step, &found, err);
        if (rc)
            return rc;
        if (!found)
            return wrong(s, &map->items[i], err, "no such condition:", map->items[i].text);
    }
    return RF_OK;
}

static bool is_plain_json(struct rf_str s)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v;
    struct rf_err err;
    bool plain = !rf_jval_parse(s, a, &v, &err) && v->type < RF_JSTRING;
    rf_arena_free(a);
    return plain;
}

/* YAML as JSON: what stands without quotes and is a number or a truth stays one. */
static void write_value(struct rf_json *w, const struct rf_yaml *v)
{
    switch (v->kind) {
    case RF_YAML_NULL:
        rf_json_null(w, NULL);
        break;
    case RF_YAML_TEXT:
        if (!v->quoted && is_plain_json(v->text))
            rf_json_raw(w, NULL, v->text);
        else
            rf_json_str(w, NULL, v->text);
        break;
    case RF_YAML_LIST:
        rf_json_arr(w, NULL);
        for (size_t i = 0; i < v->count; i++)
            write_value(w, &v->items[i]);
        rf_json_end(w);
        break;
    case RF_YAML_MAP:
        rf_json_obj(w, NULL);
        for (size_t i = 0; i < v->count; i += 2) {
            rf_json_key(w, v->items[i].text);
            write_value(w, &v->items[i + 1]);
        }
        rf_json_end(w);
        break;
    }
}

static enum rf_code read_call(const struct rf_sim_script *s, const struct rf_yaml *map,
                              struct rf_sim_step *step, struct rf_err *err)
{
    struct rf_sim_writer writer;
    size_t n = step->said.call_count;
    if (map->kind != RF_YAML_MAP || n == RF_SIM_MOST_CALLS)
        return wrong(s, map, err, "expected up to eight maps in", RF_STR("calls"));
    step->said.calls[n].arguments = RF_STR("{}");
    for (size_t i = 0; i < map->count; i += 2) {
        const struct rf_yaml *key = &map->items[i], *value = key + 1;
        if (rf_str_is(key->text, "name") && value->kind == RF_YAML_TEXT) {
            step->said.calls[n].name = value->text;
        } else if (rf_str_is(key->text, "id") && value->kind == RF_YAML_TEXT) {
            step->said.calls[n].id = value->text;
        } else if (rf_str_is(key->text, "arguments") && value->kind == RF_YAML_MAP) {
            write_value(rf_sim_write(&writer, s->arena), value);
            step->said.calls[n].arguments = rf_sim_written(&writer);
        } else {
            return wrong(s, key, err, "a call has a name, an id and a map of arguments, and no",
                         key->text);
        }
    }
    if (step->said.calls[n].name.n == 0)
        return wrong(s, map, err, "a call needs its", RF_STR("name"));
    step->said.call_count++;
    return RF_OK;
}

static enum rf_code read_calls(const struct rf_sim_script *s, const struct rf_yaml *list,
                               struct rf_sim_step *step, struct rf_err *err)
{
    if (list->kind != RF_YAML_LIST)
        return wrong(s, list, err, "expected a list for", RF_STR("calls"));
    for (size_t i = 0; i < list->count; i++) {
        enum rf_code rc = read_call(s, &list->items[i], step, err);
        if (rc)
            return rc;
    }
    return RF_OK;
}

static enum rf_code read_entry(const struct rf_sim_script *s, const struct rf_yaml *key,
                               struct rf_sim_step *step, struct rf_err *err)
{
    bool found;
    if (rf_str_is(key->text, "when"))
        return read_when(s, key + 1, step, err);
    if (rf_str_is(key->text, "calls"))
        return read_calls(s, key + 1, step, err);
    enum rf_code rc = read_key(s, keys, COUNT(keys), key, step, &found, err);
    return rc || found ? rc : wrong(s, key, err, "unknown key", key->text);
}

static void set_defaults(struct rf_sim_step *step)
{
    *step = (struct rf_sim_step){ 0 };
    for (size_t i = 0; i < COUNT(conditions); i++)
        if (conditions[i].type == NUMBER)
            *(int64_t *)(void *)((char *)step + conditions[i].at) = -1;
    for (size_t i = 0; i < COUNT(keys); i++)
        if (keys[i].type == NUMBER)
            *(int64_t *)(void *)((char *)step + keys[i].at) = -1;
    step->times = 1;
}

static enum rf_code read_steps(struct rf_sim_script *s, const struct rf_yaml *root,
                               struct rf_err *err)
{
    bool named =
        root->kind == RF_YAML_MAP && root->count == 2 && rf_str_is(root->items[0].text, "replies");
    const struct rf_yaml *list = named ? &root->items[1] : root;
    if (list->kind != RF_YAML_LIST)
        return wrong(s, list, err, "expected a list of replies under", RF_STR("replies"));
    for (size_t i = 0; i < list->count; i++) {
        const struct rf_yaml *map = &list->items[i];
        struct rf_sim_step *step = RF_PUSH(s->arena, s->steps, s->count, s->cap);
        set_defaults(step);
        if (map->kind != RF_YAML_MAP)
            return wrong(s, map, err, "expected a map in", RF_STR("replies"));
        for (size_t k = 0; k < map->count; k += 2) {
            enum rf_code rc = read_entry(s, &map->items[k], step, err);
            if (rc)
                return rc;
        }
    }
    return RF_OK;
}

enum rf_code rf_sim_script_open(const char *path, struct rf_arena *a, struct rf_sim_script **out,
                                struct rf_err *err)
{
    struct rf_sim_script *s = RF_NEW(a, struct rf_sim_script);
    struct rf_str text;
    struct rf_yaml root;
    s->file = path;
    s->arena = a;
    enum rf_code rc = rf_input_read(path, RF_MAX_CONFIG_BYTES, a, &text, err);
    if (!rc)
        rc = rf_yaml_read_lines(text, path, a, &root, err);
    if (!rc)
        rc = read_steps(s, &root, err);
    if (rc)
        return rc;
    pthread_mutex_init(&s->lock, NULL);
    *out = s;
    return RF_OK;
}

void rf_sim_script_close(struct rf_sim_script *s)
{
    if (s)
        pthread_mutex_destroy(&s->lock);
}

/* Finding. */

static int64_t count_seen(const struct rf_sim_request *r, enum rf_sim_seen_kind kind)
{
    int64_t n = 0;
    for (size_t i = 0; i < r->count; i++)
        n += r->seen[i].kind == kind;
    return n;
}

static bool has_file(const struct rf_sim_request *r, struct rf_str sha256)
{
    uint8_t digest[32];
    char hex[65];
    for (size_t i = 0; i < r->count; i++) {
        const struct rf_bytes bytes = rf_bytes_memory(r->seen[i].bytes);
        if (r->seen[i].kind != RF_SIM_FILE || rf_bytes_sha256(&bytes, digest, NULL))
            continue;
        rf_sha256_hex(digest, hex);
        if (rf_str_starts(rf_str(hex), rf_cstr(r->arena, sha256)))
            return true;
    }
    return false;
}

static bool fits(const struct rf_sim_step *step, const struct rf_sim_request *r,
                 struct rf_str question, int64_t number)
{
    return (step->times == 0 || step->used < step->times) &&
           (step->request < 0 || step->request == number) &&
           (step->files < 0 || step->files <= count_seen(r, RF_SIM_FILE)) &&
           (step->results < 0 || step->results == count_seen(r, RF_SIM_RESULT)) &&
           (step->provider.n == 0 || rf_glob(step->provider, r->model->provider)) &&
           (step->model.n == 0 || rf_glob(step->model, r->model->name)) &&
           (step->words.n == 0 || rf_str_contains(question, step->words)) &&
           (step->sha256.n == 0 || has_file(r, step->sha256));
}

bool rf_sim_script_next(struct rf_sim_script *s, const struct rf_sim_request *r, int64_t number,
                        struct rf_sim_step *out)
{
    struct rf_sim_question q;
    bool found = false;
    rf_sim_find_question(r, &q);
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->count && !found; i++) {
        found = fits(&s->steps[i], r, q.text, number);
        if (found) {
            s->steps[i].used++;
            *out = s->steps[i];
        }
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}
