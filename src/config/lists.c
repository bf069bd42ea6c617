#include "config/lists.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/json_write.h"
#include "base/sha256.h"
#include "config/config.h"
#include "config/moved.h"
#include "model/well_known.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILE ((size_t)16 << 20)
#define MOST_CHOICE 65536 /* bytes of all that chooses a key */
#define VERSION 1
#define FRESH_SECONDS 86400
#define MOST_MODELS 10000

/* Where a list is */

static void add_variables(struct rf_buf *b, const char *names, struct rf_arena *a)
{
    struct rf_str rest = rf_str(names), name;
    while (rf_str_split(&rest, ',', &name)) {
        const char *value = getenv(rf_cstr(a, name));
        rf_buf_addf(b, "%.*s=%s\n", RF_FMT(name), value ? value : "");
    }
}

static void add_said(struct rf_buf *b, const struct rf_config_provider *said, struct rf_arena *a)
{
    rf_buf_addf(b, "%.*s\n%.*s\n%.*s\n", RF_FMT(said->region), RF_FMT(said->project),
                RF_FMT(said->location));
    const struct rf_config_key *key = rf_config_key(said, 0);
    if (!key)
        return;
    add_variables(b, rf_cstr(a, key->variable), a);
    for (size_t i = 0; i < key->command_count; i++)
        rf_buf_addf(b, "%.*s\n", RF_FMT(key->command[i]));
}

/* All that says where the list is asked for, and with which key. */
static bool choice_of(const struct rf_config *c, const struct rf_provider_row *row,
                      struct rf_arena *a, struct rf_str *out)
{
    const struct rf_config_provider *said = rf_config_provider(c, rf_str(row->provider));
    const char *const variables[] = { row->key_variables,     row->token_variables,
                                      row->account_variables, row->region_variables,
                                      row->project_variables, row->location_variables };
    struct rf_buf b;
    rf_buf_init(&b, a, MOST_CHOICE);
    rf_buf_addf(&b, "%s\n%.*s\n", row->provider, RF_FMT(rf_moved_to(c, rf_str(row->provider), a)));
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        add_variables(&b, variables[i], a);
    if (said)
        add_said(&b, said, a);
    return !rf_buf_finish(&b, out, NULL);
}

static const char *folder_of(const struct rf_provider_row *row, struct rf_arena *a)
{
    const char *cache = rf_folder_cache(a);
    return cache ? rf_strf(a, "%s/models/%s", cache, row->provider).p : NULL;
}

static const char *path_of(const struct rf_config *c, const struct rf_provider_row *row,
                           const char *folder, struct rf_arena *a)
{
    struct rf_sha256 *h;
    struct rf_str choice;
    uint8_t digest[32];
    char hex[65];
    if (!choice_of(c, row, a, &choice) || rf_sha256_new(&h, NULL))
        return NULL;
    rf_sha256_add(h, choice.p, choice.n);
    rf_sha256_finish(h, digest);
    rf_sha256_free(h);
    rf_sha256_hex(digest, hex);
    return rf_strf(a, "%s/%.32s.json", folder, hex).p;
}

/* Reading */

static struct rf_str text_of(const struct rf_jval *object, const char *key, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_get(object, key);
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

static int64_t number_of(const struct rf_jval *object, const char *key)
{
    const struct rf_jval *v = rf_jval_get(object, key);
    int64_t n;
    return v && rf_jval_int64(v, &n) ? n : 0;
}

static bool is_true(const struct rf_jval *object, const char *key)
{
    const struct rf_jval *v = rf_jval_get(object, key);
    return v && v->type == RF_JTRUE;
}

static bool parse(struct rf_str text, struct rf_arena *a, struct rf_list *out)
{
    const struct rf_jval *root, *models;
    if (rf_jval_parse(text, a, &root, NULL) || number_of(root, "version") != VERSION)
        return false;
    models = rf_jval_get(root, "models");
    out->fetched = number_of(root, "fetched");
    out->cut = is_true(root, "cut");
    for (const struct rf_jval *v = rf_jval_first(models); v; v = rf_jval_next(models, v))
        rf_list_add(out,
                    &(struct rf_listed){
                        .name = text_of(v, "name", a),
                        .created = number_of(v, "created"),
                        .facts = text_of(v, "facts", a),
                        .purpose = text_of(v, "purpose", a),
                    },
                    a);
    return true;
}

/* The folder is looked for first: nothing is hashed where there are no lists. */
bool rf_list_recall(const struct rf_config *c, const struct rf_provider_row *row,
                    struct rf_arena *a, struct rf_list *out)
{
    const char *folder = folder_of(row, a);
    const char *path = folder && access(folder, R_OK) == 0 ? path_of(c, row, folder, a) : NULL;
    struct rf_str text;
    *out = (struct rf_list){ .row = row };
    return path && !rf_file_read_own(path, MAX_FILE, a, &text, NULL) && parse(text, a, out);
}

bool rf_list_is_fresh(int64_t fetched)
{
    int64_t age = (int64_t)time(NULL) - fetched;
    return age >= 0 && age < FRESH_SECONDS;
}

/* Its models */

static bool is_before(struct rf_str a, struct rf_str b)
{
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order < 0 : a.n < b.n;
}

/* How many names are before this one. */
static size_t count_before(const struct rf_list *list, struct rf_str name)
{
    size_t low = 0, high = list->sorted;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(list->models[list->by_name[middle]].name, name))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct rf_listed *rf_list_find(const struct rf_list *list, struct rf_str name)
{
    size_t at = count_before(list, name);
    struct rf_listed *m = at < list->sorted ? &list->models[list->by_name[at]] : NULL;
    return m && rf_str_eq(m->name, name) ? m : NULL;
}

void rf_list_add(struct rf_list *list, const struct rf_listed *m, struct rf_arena *a)
{
    if (rf_list_find(list, m->name))
        return;
    if (list->count == MOST_MODELS) {
        list->cut = true;
        return;
    }
    size_t at = count_before(list, m->name), behind = list->sorted - at;
    RF_PUSH(a, list->by_name, list->sorted, list->sorted_cap);
    memmove(list->by_name + at + 1, list->by_name + at, behind * sizeof *list->by_name);
    list->by_name[at] = (uint32_t)list->count;
    *RF_PUSH(a, list->models, list->count, list->cap) = *m;
}

void rf_list_add_known(struct rf_list *list, struct rf_arena *a)
{
    const char *name;
    for (size_t i = 0; (name = rf_known_name(rf_str(list->row->provider), i)); i++)
        rf_list_add(list, &(struct rf_listed){ .name = rf_str(name) }, a);
}

struct rf_str rf_list_day(const struct rf_list *list, struct rf_arena *a)
{
    char day[16];
    struct tm t;
    time_t at = (time_t)list->fetched;
    return gmtime_r(&at, &t) && strftime(day, sizeof day, "%Y-%m-%d", &t)
               ? rf_str_dup(a, rf_str(day))
               : RF_STR("");
}

/* Keeping */

static bool format(const struct rf_list *list, struct rf_arena *a, struct rf_str *out)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(a, struct rf_json);
    rf_rope_init(&rope, a);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    rf_json_int(w, "version", VERSION);
    rf_json_str(w, "provider", rf_str(list->row->provider));
    rf_json_int(w, "fetched", list->fetched);
    rf_json_arr(w, "models");
    for (size_t i = 0; i < list->count; i++) {
        const struct rf_listed *m = &list->models[i];
        rf_json_obj(w, NULL);
        rf_json_str(w, "name", m->name);
        if (m->created)
            rf_json_int(w, "created", m->created);
        rf_json_str_opt(w, "facts", m->facts);
        rf_json_str_opt(w, "purpose", m->purpose);
        rf_json_end(w);
    }
    rf_json_end(w);
    if (list->cut)
        rf_json_bool(w, "cut", true);
    rf_json_end(w);
    return !rf_json_finish(w, NULL) && !rf_rope_flatten(&rope, MAX_FILE, a, out, NULL);
}

enum rf_code rf_list_keep(const struct rf_config *c, const struct rf_list *list, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    const char *folder = folder_of(list->row, a);
    const char *path = folder ? path_of(c, list->row, folder, a) : NULL;
    struct rf_str text;
    enum rf_code rc = RF_OK;
    int lock = -1;
    if (path && format(list, a, &text)) {
        rc = rf_file_lock(path, a, &lock, err);
        if (!rc)
            rc = rf_file_replace(path, text, a, err);
        if (lock >= 0)
            close(lock);
    }
    rf_arena_free(a);
    return rc;
}
