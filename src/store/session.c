/* A session: new, opened, forked, closed; who may write to it; its title.
 *
 * The lock says whether somebody writes; the name in the table says who, and is believed only as
 * long as the lock is held. */
#include "base/arena.h"
#include "base/utf8.h"
#include "store/queue.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NEW_TRIES 8
#define MOST_TITLE 300 /* bytes of a title that somebody gives */
#define MOST_OWNER 200

/* Texts */

static bool is_blank(struct rf_str character)
{
    unsigned char c = (unsigned char)character.p[0];
    if (character.n == 1)
        return c <= ' ' || c == 0x7f;
    return character.n == 2 && c == 0xc2 && (unsigned char)character.p[1] < 0xa0; /* C1 */
}

struct rf_str rf_session_plain(struct rf_str text, size_t most, struct rf_arena *a)
{
    size_t room = text.n < most ? text.n : most, n = 0;
    char *out = rf_arena_alloc(a, room + 1);
    for (size_t at = 0; at < text.n && n < room;) {
        size_t step = rf_utf8_char((const unsigned char *)text.p + at, text.n - at);
        struct rf_str character = { text.p + at, step };
        at += step ? step : 1;
        if (!step || is_blank(character)) {
            if (n && out[n - 1] != ' ')
                out[n++] = ' ';
            continue;
        }
        if (step > room - n)
            break;
        memcpy(out + n, character.p, step);
        n += step;
    }
    return rf_str_trim((struct rf_str){ out, n });
}

struct rf_str rf_session_heading(struct rf_str text, size_t most, struct rf_arena *a)
{
    static const char dots[] = "\342\200\246";
    size_t room = most - (sizeof dots - 1);
    text = rf_str_trim(text);
    const char *feed = memchr(text.n ? text.p : "", '\n', text.n);
    if (feed)
        text.n = (size_t)(feed - text.p);
    struct rf_str plain = rf_session_plain(text, text.n, a);
    if (plain.n <= most)
        return plain;
    size_t n = room;
    while (n && plain.p[n] != ' ')
        n--;
    if (n < room / 2) /* one long word */
        n = rf_session_plain(plain, room, a).n;
    return rf_strf(a, "%.*s%s", (int)n, plain.p, dots);
}

/* The lock */

struct rf_str rf_session_lock_name(struct rf_str id, struct rf_arena *a)
{
    return rf_strf(a, "session %.*s", RF_FMT(id));
}

static struct rf_str me(struct rf_arena *a)
{
    char host[256] = "", room[4096];
    struct passwd entry, *found = NULL;
    gethostname(host, sizeof host - 1);
    getpwuid_r(geteuid(), &entry, room, sizeof room, &found);
    struct rf_str name =
        found ? rf_strf(a, "%s@%s, process %jd", found->pw_name, host, (intmax_t)getpid())
              : rf_strf(a, "user %ju@%s, process %jd", (uintmax_t)geteuid(), host,
                        (intmax_t)getpid());
    return rf_session_plain(name, MOST_OWNER, a);
}

struct text {
    struct rf_arena *arena;
    struct rf_str text;
};

static enum rf_code take_text(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct text *t = ctx;
    (void)count, (void)err;
    t->text = rf_str_dup(t->arena, columns[0].text);
    return RF_OK;
}

enum rf_code rf_session_fail_locked(struct rf_store *s, const char *id, struct rf_err *err)
{
    struct text owner = { .arena = rf_arena_new() };
    enum rf_code rc = rf_store_query(s, "SELECT owner FROM sessions WHERE id = $1",
                                     RF_VALUES(rf_sql_text(rf_str(id))), take_text, &owner, err);
    if (!rc) {
        rc = rf_fail(err, RF_EPERMISSION, "session %s is being written by %.*s", id,
                     RF_FMT(owner.text.n ? owner.text : RF_STR("another process")));
        rf_hint(err, "Wait until it is closed there, or fork it.");
    }
    rf_arena_free(owner.arena);
    return rc;
}

static enum rf_code lock(struct rf_session *s, bool *taken, struct rf_err *err)
{
    struct rf_sql *sql = s->store->sql;
    enum rf_code rc =
        sql->engine->lock(sql, rf_session_lock_name(rf_str(s->id), s->arena), false, taken, err);
    if (!rc && *taken)
        s->opened = sql->opened;
    return rc;
}

/* From here on the store knows the session as one that it must close. */
static void join_writers(struct rf_session *s)
{
    s->to_write = true;
    s->next = s->store->writers;
    s->store->writers = s;
}

static void leave_writers(struct rf_session *s)
{
    struct rf_session **at = &s->store->writers;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
}

enum rf_code rf_session_check_ours(struct rf_session *s, struct rf_err *err)
{
    bool taken = true;
    enum rf_code rc = RF_OK;
    if (s->opened != s->store->sql->opened)
        rc = lock(s, &taken, err);
    return rc || taken ? rc : rf_session_fail_locked(s->store, s->id, err);
}

/* Making and freeing */

static struct rf_session *session_new(struct rf_store *store)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_session *s = RF_NEW(a, struct rf_session);
    s->store = store;
    s->arena = a;
    s->queue = RF_NEW(a, struct rf_queue);
    s->queue->arena = rf_arena_new();
    s->title = RF_STR("");
    s->settings = RF_STR("");
    return s;
}

static void session_free(struct rf_session *s)
{
    rf_arena_free(s->queue->arena);
    free(s->base);
    free(s->root);
    rf_arena_free(s->arena);
}

/* The name goes from the table, so that it need not be checked whether it still counts. A
 * failure leaves it there, which does no harm. */
static void give_up_writing(struct rf_session *s)
{
    struct rf_sql *sql = s->store->sql;
    const struct rf_sql_value value = rf_sql_text(rf_str(s->id));
    if (!s->is_new && !sql->lost && s->opened == sql->opened)
        (void)rf_sql_run(sql, "UPDATE sessions SET owner = '' WHERE id = $1", &value, 1, NULL, NULL,
                         NULL);
    sql->engine->unlock(sql, rf_session_lock_name(value.text, s->arena), false);
    leave_writers(s);
}

void rf_session_close(struct rf_session *s)
{
    if (!s)
        return;
    rf_queue_drop(s);
    if (s->to_write)
        give_up_writing(s);
    session_free(s);
}

/* New */

static enum rf_code is_taken(struct rf_session *s, bool *taken, struct rf_err *err)
{
    return rf_store_query(s->store, "SELECT 1 FROM sessions WHERE id = $1",
                          RF_VALUES(rf_sql_text(rf_str(s->id))), rf_sql_saw_row, taken, err);
}

/* An unused id, and its lock. */
static enum rf_code claim_id(struct rf_session *s, struct rf_err *err)
{
    for (int i = 0; i < NEW_TRIES; i++) {
        bool ours = false, taken = false;
        enum rf_code rc = rf_id_make(s->id, err);
        if (!rc)
            rc = is_taken(s, &taken, err);
        if (!rc && !taken)
            rc = lock(s, &ours, err);
        if (rc || ours)
            return rc;
    }
    return rf_fail(err, RF_EINTERNAL, "no id is free for a new session");
}

enum rf_code rf_session_new(struct rf_store *store, struct rf_session **out, struct rf_err *err)
{
    struct rf_session *s = session_new(store);
    enum rf_code rc = claim_id(s, err);
    if (rc) {
        session_free(s);
        return rc;
    }
    s->is_new = s->no_files = true;
    join_writers(s);
    *out = s;
    return RF_OK;
}

/* Opening */

static enum rf_code take_session(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    struct rf_session *s = ctx;
    (void)count;
    s->title = rf_str_dup(s->arena, columns[0].text);
    s->titled = columns[1].number != 0;
    s->count = columns[2].number;
    s->is_new = false;
    return s->count >= 0 ? RF_OK
                         : rf_fail(err, RF_EFORMAT,
                                   "the store is damaged: session %s has %" PRId64 " messages",
                                   s->id, s->count);
}

static enum rf_code read_row(struct rf_session *s, struct rf_err *err)
{
    s->is_new = true;
    enum rf_code rc =
        rf_store_query(s->store, "SELECT title, titled, messages FROM sessions WHERE id = $1",
                       RF_VALUES(rf_sql_text(rf_str(s->id))), take_session, s, err);
    if (!rc && s->is_new) /* it was removed between finding and opening it */
        rc = rf_fail(err, RF_ENOTFOUND, "there is no session \"%s\"", s->id);
    return rc;
}

static enum rf_code sign(struct rf_session *s, struct rf_err *err)
{
    return rf_sql_run(s->store->sql, "UPDATE sessions SET owner = $1 WHERE id = $2",
                      RF_VALUES(rf_sql_text(me(s->arena)), rf_sql_text(rf_str(s->id))), NULL, NULL,
                      err);
}

static enum rf_code open_to_write(struct rf_session *s, struct rf_err *err)
{
    bool taken = false;
    enum rf_code rc = lock(s, &taken, err);
    if (rc)
        return rc;
    if (!taken)
        return rf_session_fail_locked(s->store, s->id, err);
    join_writers(s);
    rc = read_row(s, err); /* now that it cannot change */
    return rc ? rc : sign(s, err);
}

enum rf_code rf_session_open(struct rf_store *store, const char *id, bool to_write,
                             struct rf_session **out, struct rf_err *err)
{
    struct rf_session *s = session_new(store);
    enum rf_code rc = rf_store_find(store, id, s->id, err);
    if (!rc)
        rc = to_write ? open_to_write(s, err) : read_row(s, err);
    if (rc)
        rf_session_close(s);
    else
        *out = s;
    return rc;
}

enum rf_code rf_session_insert(struct rf_store *s, const struct rf_session_info *i, bool titled,
                               struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = rf_sql_run(
        s->sql,
        "INSERT INTO sessions (id, title, titled, created, updated, messages, files, parent, "
        "parent_messages, provider, model, input_tokens, output_tokens, owner, used) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, " RF_NEXT_USE ")",
        RF_VALUES(rf_sql_text(i->id), rf_sql_text(i->title), rf_sql_number(titled),
                  rf_sql_number(i->created_ms), rf_sql_number(i->updated_ms),
                  rf_sql_number(i->messages), rf_sql_number(i->files), rf_sql_text(i->parent),
                  rf_sql_number(i->parent_messages), rf_sql_text(i->provider),
                  rf_sql_text(i->model), rf_sql_number(i->input_tokens),
                  rf_sql_number(i->output_tokens), rf_sql_text(me(a))),
        NULL, NULL, err);
    rf_arena_free(a);
    return rc;
}

/* What is known of it */

const char *rf_session_id(const struct rf_session *s)
{
    return s->id;
}

int64_t rf_session_count(const struct rf_session *s)
{
    return s->count;
}

struct rf_str rf_session_title(const struct rf_session *s)
{
    return s->title;
}

enum rf_code rf_session_set_title(struct rf_session *s, struct rf_str title, struct rf_err *err)
{
    struct rf_str plain = rf_session_plain(title, MOST_TITLE, s->arena);
    int64_t changed = 1;
    if (!plain.n)
        return rf_fail(err, RF_EUSAGE, "the title is empty");
    enum rf_code rc = s->is_new
                          ? RF_OK
                          : rf_sql_change(s->store->sql,
                                          "UPDATE sessions SET title = $1, titled = 1 "
                                          "WHERE id = $2",
                                          RF_VALUES(rf_sql_text(plain), rf_sql_text(rf_str(s->id))),
                                          &changed, err);
    if (!rc && changed != 1)
        rc = rf_fail(err, RF_ENOTFOUND, "there is no session \"%s\" any more", s->id);
    if (!rc) {
        s->title = plain;
        s->titled = true;
    }
    return rc;
}

static char *folder_of(const char *path)
{
    char *made = path ? strdup(path) : NULL;
    if (path && !made)
        RF_NO_MEMORY();
    return made;
}

void rf_session_folders(struct rf_session *s, const char *base, const char *root)
{
    free(s->base);
    free(s->root);
    s->base = folder_of(base);
    s->root = folder_of(root);
}
