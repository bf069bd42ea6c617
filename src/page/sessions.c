/* The sessions of the store: listed, searched, shown and exported. Nothing in them can be changed
 * but whether a file is sent in later requests. Each visit opens the store for itself. */
#include "base/utf8.h"
#include "config/config.h"
#include "page/media.h"
#include "page/view.h"
#include "page/what_if.h"

#include <sys/mman.h>
#include <unistd.h>

#define MOST_SESSIONS 2000
#define MOST_EXPORT ((off_t)256 << 20)

struct opened {
    struct rf_setup *setup;
    struct rf_store *store;
    struct rf_session *session;
    struct rf_conversation *conversation;
};

static void release(struct opened *o)
{
    rf_conversation_free(o->conversation);
    rf_session_close(o->session);
    rf_store_close(o->store);
    rf_setup_drop(o->setup);
}

/* A store that does not exist is not created. */
static enum rf_code open_store(struct rf_page_visit *v, struct opened *o, struct rf_err *err)
{
    *o = (struct opened){ .setup = rf_setup_take(v->page->host->setups) };
    if (!rf_store_is_there(o->setup->config))
        return rf_fail(err, RF_ENOTFOUND, "there are no sessions yet");
    return rf_store_open(o->setup->config, &o->store, err);
}

static enum rf_code open_session(struct rf_page_visit *v, bool to_write, struct opened *o,
                                 struct rf_err *err)
{
    enum rf_code rc = open_store(v, o, err);
    if (!rc)
        rc = rf_session_open(o->store, v->words[0].p, to_write, &o->session, err);
    if (!rc && !to_write)
        rc = rf_session_conversation(o->session, &o->conversation, err);
    return rc;
}

/* The list */

struct search {
    struct rf_arena *arena;
    struct rf_store *store;
    struct rf_str words;
    int stop_fd;
};

static bool has(struct rf_str text, struct rf_str words)
{
    char first = words.n ? rf_lower(words.p[0]) : '\0'; /* most places differ in that */
    for (size_t i = 0; words.n <= text.n && i <= text.n - words.n; i++)
        if ((!first || rf_lower(text.p[i]) == first) &&
            rf_str_ieq((struct rf_str){ text.p + i, words.n }, words))
            return true;
    return false;
}

struct finding {
    struct rf_str words;
    bool found;
};

static bool look_at(void *ctx, const struct rf_saying *s)
{
    struct finding *f = ctx;
    f->found = has(s->text, f->words) || has(s->name, f->words) || has(s->tool, f->words);
    return !f->found;
}

static bool says(struct search *s, struct rf_str id)
{
    struct finding f = { .words = s->words };
    struct rf_session *session = NULL;
    struct rf_conversation *c = NULL;
    if (!rf_session_open(s->store, rf_cstr(s->arena, id), false, &session, NULL) &&
        !rf_session_conversation(session, &c, NULL))
        rf_conversation_sayings(c, look_at, &f);
    rf_conversation_free(c);
    rf_session_close(session);
    return f.found;
}

static void write_info(struct rf_json *w, const struct rf_session_info *i)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", i->id);
    rf_json_str(w, "title", i->title);
    rf_json_int(w, "created_ms", i->created_ms);
    rf_json_int(w, "updated_ms", i->updated_ms);
    rf_json_int(w, "messages", i->messages);
    rf_json_int(w, "files", i->files);
    rf_json_int(w, "input", i->input_tokens);
    rf_json_int(w, "output", i->output_tokens);
    rf_json_str(w, "provider", i->provider);
    rf_json_str(w, "model", i->model);
    rf_json_str(w, "parent", i->parent);
    rf_json_str(w, "owner", i->owner);
    rf_json_end(w);
}

/* The store cannot be asked anything else while it lists, so the list is copied first. */
struct listed {
    struct rf_arena *arena;
    struct rf_session_info *items;
    size_t count, cap;
};

static void keep_info(void *ctx, const struct rf_session_info *i)
{
    struct listed *l = ctx;
    struct rf_session_info *own = RF_PUSH(l->arena, l->items, l->count, l->cap);
    *own = *i;
    own->id = rf_str_dup(l->arena, i->id);
    own->title = rf_str_dup(l->arena, i->title);
    own->provider = rf_str_dup(l->arena, i->provider);
    own->model = rf_str_dup(l->arena, i->model);
    own->parent = rf_str_dup(l->arena, i->parent);
    own->owner = rf_str_dup(l->arena, i->owner);
}

static void write_found(struct rf_page_visit *v, const struct listed *l, struct search *s)
{
    struct rf_json *w = rf_page_json(v);
    rf_json_arr(w, NULL);
    for (size_t i = 0; i < l->count && !rf_fd_readable(s->stop_fd); i++)
        if (!s->words.n || has(l->items[i].title, s->words) || says(s, l->items[i].id))
            write_info(w, &l->items[i]);
    rf_json_end(w);
    rf_page_json_end(v, w);
}

/* All, or those with the words of the field "q" in them. */
void rf_page_sessions(struct rf_page_visit *v)
{
    struct opened o;
    struct rf_err err = { 0 };
    struct listed l = { .arena = v->arena };
    enum rf_code rc = open_store(v, &o, &err);
    struct search s = { v->arena, o.store, rf_page_field(v, "q"), v->stop_fd };
    if (!rc)
        rc = rf_store_list(o.store, MOST_SESSIONS, keep_info, &l, &err);
    if (rc && rc != RF_ENOTFOUND)
        rf_page_fail(v, &err);
    else
        write_found(v, &l, &s);
    release(&o);
}

/* One */

static void write_file(void *ctx, const struct rf_session_file *f)
{
    struct rf_json *w = ctx;
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", f->id);
    rf_json_str(w, "hash", f->hash);
    rf_json_str(w, "name", f->name);
    rf_json_str(w, "kind", f->kind);
    rf_json_str(w, "mime", f->mime);
    rf_json_int(w, "message", f->message);
    rf_json_int(w, "bytes", f->bytes);
    rf_json_int(w, "width", f->width);
    rf_json_int(w, "height", f->height);
    rf_json_int(w, "duration_ms", f->duration_ms);
    rf_json_bool(w, "dropped", f->dropped);
    rf_json_str(w, "delivery", f->delivery);
    rf_json_str(w, "form", f->form);
    rf_json_str(w, "as", f->as);
    rf_json_str(w, "lost", f->lost);
    rf_json_str(w, "provider", f->provider);
    rf_json_str(w, "model", f->model);
    rf_json_int(w, "sent_ms", f->sent_ms);
    rf_json_str(w, "refused_by", f->refused_by);
    rf_json_str(w, "refusal", f->refusal);
    rf_json_end(w);
}

/* {"id", "title", "files", "said"}; the list has the rest. */
void rf_page_session(struct rf_page_visit *v)
{
    struct opened o;
    struct rf_err err = { 0 };
    enum rf_code rc = open_session(v, false, &o, &err);
    struct rf_json *w = rf_page_json(v);
    if (!rc) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "id", rf_str(rf_session_id(o.session)));
        rf_json_str(w, "title", rf_session_title(o.session));
        rf_json_arr(w, "files");
        rc = rf_session_files(o.session, write_file, w, &err);
        rf_json_end(w);
        rf_view_client(w, "said", o.conversation, NULL, v->arena);
        rf_json_end(w);
    }
    if (rc)
        rf_page_fail(v, &err);
    else
        rf_page_json_end(v, w);
    release(&o);
}

/* What models would get of it now; of its first so many messages, where the field "messages" says
 * so. */
void rf_page_session_models(struct rf_page_visit *v)
{
    struct opened o;
    struct rf_err err = { 0 };
    int64_t most;
    enum rf_code rc = open_session(v, false, &o, &err);
    bool first = !rc && rf_str_int64(rf_page_field(v, "messages"), &most) && most > 0;
    if (first && (size_t)most < o.conversation->message_count)
        o.conversation->message_count = (size_t)most;
    if (rc)
        rf_page_fail(v, &err);
    else
        rf_page_plans(v, o.conversation, o.setup, NULL);
    release(&o);
}

/* Files */

static enum rf_code find_blob(struct rf_page_visit *v, struct opened *o, struct rf_bytes *out,
                              struct rf_err *err)
{
    struct rf_blob_known known;
    enum rf_code rc = open_session(v, false, o, err);
    const struct rf_blob_source *blobs = rc ? NULL : o->conversation->blobs;
    if (rc)
        return rc;
    if (!blobs || !rf_is_blob(v->words[1]) || !blobs->known(blobs->ctx, v->words[1], &known))
        return rf_fail(err, RF_ENOTFOUND, "there is no such file in this session");
    return blobs->open(blobs->ctx, v->words[1], v->arena, out, err);
}

static void send_of_session(struct rf_page_visit *v, rf_page_send *send)
{
    struct opened o;
    struct rf_bytes bytes;
    struct rf_err err = { 0 };
    if (find_blob(v, &o, &bytes, &err))
        rf_page_fail(v, &err);
    else
        send(v, &bytes, o.setup->config);
    release(&o);
}

void rf_page_session_file(struct rf_page_visit *v)
{
    send_of_session(v, rf_page_send_bytes);
}

void rf_page_session_thumbnail(struct rf_page_visit *v)
{
    send_of_session(v, rf_page_send_thumbnail);
}

void rf_page_session_text(struct rf_page_visit *v)
{
    send_of_session(v, rf_page_send_text);
}

static void change(struct rf_page_visit *v,
                   enum rf_code (*what)(struct rf_session *s, const char *file, struct rf_err *err))
{
    struct opened o;
    struct rf_err err = { 0 };
    enum rf_code rc = open_session(v, true, &o, &err);
    if (!rc)
        rc = what(o.session, v->words[1].p, &err);
    if (rc)
        rf_page_fail(v, &err);
    else
        v->type = "application/json", v->out = RF_STR("{}");
    release(&o);
}

void rf_page_session_drop(struct rf_page_visit *v)
{
    change(v, rf_session_drop);
}

void rf_page_session_keep(struct rf_page_visit *v)
{
    change(v, rf_session_keep);
}

/* Export */

static enum rf_code read_export(struct rf_page_visit *v, int fd, struct rf_err *err)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (size > MOST_EXPORT) {
        rf_fail(err, RF_ELIMIT, "this session is too large to be saved by a browser");
        return RF_ELIMIT;
    }
    char *p = rf_arena_alloc(v->arena, (size_t)size + 1);
    size_t got = 0;
    ssize_t n = 1;
    while (got < (size_t)size && n > 0) {
        n = pread(fd, p + got, (size_t)size - got, (off_t)got);
        got += n > 0 ? (size_t)n : 0;
    }
    if (n < 0)
        return rf_fail_errno(err, "could not read the session");
    v->out = (struct rf_str){ p, got };
    return RF_OK;
}

void rf_page_session_export(struct rf_page_visit *v)
{
    struct opened o;
    struct rf_err err = { 0 };
    int fd = memfd_create("session", MFD_CLOEXEC);
    enum rf_code rc = open_session(v, false, &o, &err);
    if (!rc && fd < 0)
        rc = rf_fail_errno(&err, "could not make a file in memory");
    if (!rc)
        rc = rf_session_export(o.session, fd, &err);
    if (!rc)
        rc = read_export(v, fd, &err);
    if (rc) {
        rf_page_fail(v, &err);
    } else {
        v->type = "application/x-tar";
        rf_page_header(
            v, "content-disposition",
            rf_strf(v->arena, "attachment; filename=\"%s.tar\"", rf_session_id(o.session)).p);
    }
    if (fd >= 0)
        close(fd);
    release(&o);
}
