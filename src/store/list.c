/* Which sessions there are, and which one is meant.
 *
 * Rows are gathered before anybody hears of them, so that whoever listens may use the store. */
#include "base/arena.h"
#include "store/ids.h"
#include "store/store.h"

#include <stdlib.h>

struct listed {
    struct rf_session_info info;
    int64_t used;
};

struct list {
    struct rf_arena *arena;
    struct listed *items;
    size_t count, cap;
};

static struct rf_str copy(const struct list *l, struct rf_str s)
{
    return s.n ? rf_str_dup(l->arena, s) : RF_STR("");
}

static enum rf_code take_session(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    struct list *l = ctx;
    (void)count, (void)err;
    struct listed *item = RF_PUSH(l->arena, l->items, l->count, l->cap);
    item->used = columns[13].number;
    item->info = (struct rf_session_info){
        .id = copy(l, columns[0].text),
        .title = copy(l, columns[1].text),
        .created_ms = columns[2].number,
        .updated_ms = columns[3].number,
        .messages = columns[4].number,
        .files = columns[5].number,
        .parent = copy(l, columns[6].text),
        .parent_messages = columns[7].number,
        .provider = copy(l, columns[8].text),
        .model = copy(l, columns[9].text),
        .input_tokens = columns[10].number,
        .output_tokens = columns[11].number,
        .owner = copy(l, columns[12].text),
    };
    return RF_OK;
}

static int last_used_first(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    size_t n = x->info.id.n < y->info.id.n ? x->info.id.n : y->info.id.n;
    if (x->used != y->used)
        return x->used < y->used ? 1 : -1;
    int order = n ? memcmp(y->info.id.p, x->info.id.p, n) : 0;
    return order ? order : (x->info.id.n < y->info.id.n) - (x->info.id.n > y->info.id.n);
}

#define COLUMNS                                                                                \
    "SELECT id, title, created, updated, messages, files, parent, parent_messages, provider, " \
    "model, input_tokens, output_tokens, owner, used FROM sessions"

/* All of them are faster read as they lie and sorted here. */
static enum rf_code read_sessions(struct rf_store *s, size_t most, struct list *l,
                                  struct rf_err *err)
{
    enum rf_code rc =
        most
            ? rf_store_query(s, COLUMNS " ORDER BY used DESC, id DESC LIMIT $1",
                             RF_VALUES(rf_sql_number(most < INT64_MAX ? (int64_t)most : INT64_MAX)),
                             take_session, l, err)
            : rf_store_query(s, COLUMNS, NULL, 0, take_session, l, err);
    if (!rc && l->count)
        qsort(l->items, l->count, sizeof *l->items, last_used_first);
    return rc;
}

/* A name that a process left when it died does not count. */
static enum rf_code check_owner(struct rf_store *s, struct rf_session_info *i, struct rf_arena *a,
                                struct rf_err *err)
{
    bool locked = false;
    if (!i->owner.n)
        return RF_OK;
    enum rf_code rc =
        s->sql->engine->is_locked(s->sql, rf_session_lock_name(i->id, a), &locked, err);
    if (!locked)
        i->owner = RF_STR("");
    return rc;
}

enum rf_code rf_store_list(struct rf_store *s, size_t most,
                           void (*each)(void *ctx, const struct rf_session_info *i), void *ctx,
                           struct rf_err *err)
{
    struct list l = { .arena = rf_arena_new() };
    enum rf_code rc = read_sessions(s, most, &l, err);
    for (size_t i = 0; !rc && i < l.count; i++)
        rc = check_owner(s, &l.items[i].info, l.arena, err);
    for (size_t i = 0; !rc && i < l.count; i++)
        each(ctx, &l.items[i].info);
    rf_arena_free(l.arena);
    return rc;
}

/* Finding */

struct matches {
    char ids[2][RF_SESSION_ID_SIZE];
    size_t count;
};

static enum rf_code take_id(void *ctx, const struct rf_sql_value *columns, size_t count,
                            struct rf_err *err)
{
    struct matches *m = ctx;
    struct rf_str id = columns[0].text;
    (void)count;
    if (id.n >= RF_SESSION_ID_SIZE)
        return rf_fail(err, RF_EFORMAT, "the store is damaged: the id of a session has %zu bytes",
                       id.n);
    if (m->count < 2) {
        memcpy(m->ids[m->count], id.p, id.n);
        m->ids[m->count++][id.n] = '\0';
    }
    return RF_OK;
}

static enum rf_code ask_id(struct rf_store *s, const char *statement, struct rf_str value,
                           struct matches *m, struct rf_err *err)
{
    const struct rf_sql_value values[] = { rf_sql_text(value) };
    *m = (struct matches){ 0 };
    return rf_store_query(s, statement, values, value.n ? 1 : 0, take_id, m, err);
}

static enum rf_code find_beginning(struct rf_store *s, const char *id, struct matches *m,
                                   struct rf_err *err)
{
    char pattern[RF_SESSION_ID_SIZE + 1]; /* an id holds nothing that LIKE would take for a sign */
    size_t n = strlen(id);
    memcpy(pattern, id, n);
    pattern[n] = '%';
    enum rf_code rc =
        ask_id(s, "SELECT id FROM sessions WHERE id LIKE $1 ORDER BY used DESC, id DESC LIMIT 2",
               (struct rf_str){ pattern, n + 1 }, m, err);
    if (rc || m->count == 1)
        return rc;
    if (!m->count) {
        rf_fail(err, RF_ENOTFOUND, "there is no session \"%s\"", id);
        rf_hint(err, "See the list of sessions for those that there are.");
        return RF_ENOTFOUND;
    }
    rf_fail(err, RF_EUSAGE, "several sessions begin with \"%s\": %s, %s", id, m->ids[0], m->ids[1]);
    rf_hint(err, "Give more of the id.");
    return RF_EUSAGE;
}

static enum rf_code find_last(struct rf_store *s, struct matches *m, struct rf_err *err)
{
    enum rf_code rc = ask_id(s, "SELECT id FROM sessions ORDER BY used DESC, id DESC LIMIT 1",
                             RF_STR(""), m, err);
    if (!rc && !m->count) {
        rc = rf_fail(err, RF_ENOTFOUND, "there is no session yet");
        rf_hint(err, "A session begins with its first message.");
    }
    return rc;
}

static enum rf_code find(struct rf_store *s, const char *id, struct matches *m, struct rf_err *err)
{
    if (strcmp(id, "last") == 0)
        return find_last(s, m, err);
    if (!rf_id_check(id)) {
        rf_fail(err, RF_EUSAGE, "\"%.40s\" is not the id of a session", id);
        rf_hint(err, "Ids look like 20261115-4k7m2q: digits, small letters and \"-\".");
        return RF_EUSAGE;
    }
    enum rf_code rc = ask_id(s, "SELECT id FROM sessions WHERE id = $1", rf_str(id), m, err);
    return rc || m->count ? rc : find_beginning(s, id, m, err);
}

enum rf_code rf_store_find(struct rf_store *s, const char *id, char found[RF_SESSION_ID_SIZE],
                           struct rf_err *err)
{
    struct matches m;
    enum rf_code rc = find(s, id, &m, err);
    if (!rc)
        memcpy(found, m.ids[0], RF_SESSION_ID_SIZE);
    return rc;
}
