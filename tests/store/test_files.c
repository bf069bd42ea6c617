/* The files of sessions over every engine: kept when they are named, listed, dropped, refused, shared, and
 * taken away when nothing uses them. */
#include "base/sha256.h"

#include "../source/files.h"
#include "sessions.h"

#define PICTURE "{'role':'user','content':[{'type':'image','source_path':'%s'}]}"

static const struct rf_str png = B(PNG_BYTES), gif = B(GIF_BYTES);

/* A file in the place's folder, appended to the session by its path. */
static void add_picture(const struct place *p, struct rf_session *s, const char *name,
                        struct rf_str bytes)
{
    write_file(in_folder(p->arena, p->folder, name), bytes);
    rf_session_folders(s, p->folder, NULL);
    good(append(s, rf_strf(p->arena, PICTURE, name).p));
}

struct listed {
    struct rf_arena *arena;
    struct rf_session_file files[8];
    size_t count;
};

static struct rf_str keep(const struct listed *l, struct rf_str s)
{
    return rf_str_dup(l->arena, s);
}

static void list_file(void *ctx, const struct rf_session_file *f)
{
    struct listed *l = ctx;
    assert_true(l->count < COUNT(l->files));
    struct rf_session_file *out = &l->files[l->count++];
    *out = *f;
    out->id = keep(l, f->id);
    out->hash = keep(l, f->hash);
    out->name = keep(l, f->name);
    out->kind = keep(l, f->kind);
    out->mime = keep(l, f->mime);
    out->delivery = keep(l, f->delivery);
    out->form = keep(l, f->form);
    out->as = keep(l, f->as);
    out->lost = keep(l, f->lost);
    out->provider = keep(l, f->provider);
    out->model = keep(l, f->model);
    out->refused_by = keep(l, f->refused_by);
    out->refusal = keep(l, f->refusal);
}

static struct listed files_of(const struct place *p, struct rf_session *s)
{
    struct listed l = { .arena = p->arena };
    good(rf_session_files(s, list_file, &l, &test_err));
    return l;
}

static bool blob_is_there(const struct place *p, struct rf_str hash)
{
    const char *hex = hash.p + strlen("sha256:");
    if (p->bucket) {
        struct rf_blobs *b;
        struct rf_hash read;
        good(rf_bucket_open(p->bucket, in_folder(p->arena, p->folder, "look"), &b, &test_err));
        bool there = rf_hash_read(hash, &read) && rf_blobs_has(b, &read, 0);
        rf_blobs_free(b);
        return there;
    }
    return access(rf_strf(p->arena, "%s/%.2s/%s", blobs_of(p), hex, hex + 2).p, F_OK) == 0;
}

/* Listing */

static void a_file_outlives_its_path(void **state)
{
    const struct place *p = *state;
    struct rf_conversation *c;
    struct rf_bytes bytes;
    struct rf_blob_known known;
    char id[RF_SESSION_ID_SIZE];
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    add_picture(p, s, "a.png", png);
    snprintf(id, sizeof id, "%s", s->id);
    rf_session_close(s);
    rf_store_close(store);
    assert_int_equal(unlink(in_folder(p->arena, p->folder, "a.png")), 0);

    store = store_at(p);
    s = reopen(store, id, false);
    good(rf_session_conversation(s, &c, &test_err));
    const struct rf_source *source = &c->messages[0].blocks[0].media.source;
    assert_int_equal(source->kind, RF_SOURCE_BLOB);
    assert_true(c->blobs->known(c->blobs->ctx, source->ref, &known));
    assert_int_equal(known.size, png.n);
    assert_int_equal(known.look.facts.width, 3);
    assert_false(known.dropped);
    good(c->blobs->open(c->blobs->ctx, source->ref, p->arena, &bytes, &test_err));
    assert_int_equal(bytes.size, png.n);
    assert_false(c->blobs->known(c->blobs->ctx, RF_STR("sha256:12"), &known));
    rf_conversation_free(c);
    rf_session_close(s);
    rf_store_close(store);
}

/* The lock goes with a connection: another process may write on where this one began. */
static void a_file_that_another_added_is_found(void **state)
{
    const struct place *p = *state;
    struct rf_conversation *c;
    struct rf_blob_known known;
    struct rf_store *store = store_at(p), *other = store_at(p);
    struct rf_session *s = session_at(store);
    good(say(s, "Look"));
    store->sql->engine->unlock(store->sql, rf_session_lock_name(rf_str(s->id), p->arena), false);
    struct rf_session *theirs = reopen(other, s->id, true);
    add_picture(p, theirs, "a.png", png);
    good(rf_session_conversation(s, &c, &test_err));
    assert_true(c->blobs->known(c->blobs->ctx, c->messages[1].blocks[0].media.source.ref, &known));
    rf_conversation_free(c);
    rf_session_close(theirs);
    rf_session_close(s);
    rf_store_close(other);
    rf_store_close(store);
}

static void a_file_is_listed_once(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    good(say(s, "Look"));
    add_picture(p, s, "a.png", png);
    add_picture(p, s, "b.gif", gif);
    add_picture(p, s, "again.png", png);
    struct listed l = files_of(p, s);
    assert_int_equal(l.count, 2);
    assert_str(l.files[0].name, "a.png");
    assert_int_equal(l.files[0].message, 1);
    assert_int_equal(l.files[0].bytes, png.n);
    assert_int_equal(l.files[0].width, 3);
    assert_int_equal(l.files[0].height, 2);
    assert_str(l.files[0].kind, "image");
    assert_str(l.files[0].mime, "image/png");
    assert_int_equal(l.files[0].id.n, 16);
    assert_true(rf_str_starts(l.files[0].hash, "sha256:"));
    assert_str(l.files[0].delivery, "");
    assert_str(l.files[1].name, "b.gif");
    assert_int_equal(l.files[1].message, 2);
    assert_int_equal(ask_number(store, "SELECT files FROM sessions"), 2);
    rf_session_close(s);
    rf_store_close(store);
}

/* What a person or a provider says of a file */

static bool is_dropped(struct rf_session *s)
{
    struct rf_conversation *c;
    struct rf_blob_known known;
    good(rf_session_conversation(s, &c, &test_err));
    assert_true(c->blobs->known(c->blobs->ctx, c->messages[0].blocks[0].media.source.ref, &known));
    rf_conversation_free(c);
    return known.dropped;
}

static void dropping_is_for_one_session(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store), *other = session_at(store), *fork;
    add_picture(p, s, "a.png", png);
    add_picture(p, other, "a.png", png);
    struct listed l = files_of(p, s);
    struct rf_session *read = reopen(store, s->id, false);
    good(rf_session_drop(read, l.files[0].id.p, &test_err)); /* while another writes */
    good(rf_session_drop(s, l.files[0].hash.p, &test_err));  /* twice is once */
    rf_session_close(read);
    assert_true(is_dropped(s));
    assert_true(files_of(p, s).files[0].dropped);
    assert_false(is_dropped(other));
    good(rf_session_fork(store, s->id, -1, &fork, &test_err));
    assert_true(is_dropped(fork));
    good(rf_session_keep(fork, l.files[0].id.p, &test_err));
    assert_false(is_dropped(fork));
    assert_true(is_dropped(s));
    good(rf_session_keep(s, l.files[0].id.p, &test_err));
    assert_false(is_dropped(s));
    rf_session_close(fork);
    rf_session_close(other);
    rf_session_close(s);
    rf_store_close(store);
}

static size_t count_refusals(struct rf_session *s, const char *by, const char *reason)
{
    struct rf_conversation *c;
    struct rf_blob_known known;
    good(rf_session_conversation(s, &c, &test_err));
    assert_true(c->blobs->known(c->blobs->ctx, c->messages[0].blocks[0].media.source.ref, &known));
    if (known.withheld_count) {
        assert_str(known.withheld[0].provider, by);
        assert_str(known.withheld[0].reason, reason);
    }
    size_t count = known.withheld_count;
    rf_conversation_free(c);
    return count;
}

static void a_refusal_holds_in_every_session(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store), *other = session_at(store);
    add_picture(p, s, "a.png", png);
    add_picture(p, other, "a.png", png);
    struct listed l = files_of(p, s);
    const char *file = l.files[0].id.p;
    good(rf_session_quarantine(s, file, "anthropic", RF_STR("first"), &test_err));
    good(rf_session_quarantine(s, file, "anthropic", RF_STR("not\x1b\n valid"), &test_err));
    assert_int_equal(count_refusals(s, "anthropic", "not valid"), 1);
    assert_int_equal(count_refusals(other, "anthropic", "not valid"), 1);
    l = files_of(p, other);
    assert_str(l.files[0].refused_by, "anthropic");
    assert_str(l.files[0].refusal, "not valid");
    assert_true(l.files[0].refused_ms > 0);
    usleep(2000);
    good(rf_session_quarantine(s, file, "google", RF_STR("no"), &test_err));
    assert_int_equal(count_refusals(s, "anthropic", "not valid"), 2);
    bad(rf_session_lift(other, file, "antropic", &test_err), RF_ENOTFOUND, "\"antropic\" did not");
    good(rf_session_lift(other, file, "anthropic", &test_err));
    assert_int_equal(count_refusals(s, "google", "no"), 1);
    good(rf_session_remade(other, file, "google", RF_STR("not so"), &test_err));
    assert_int_equal(count_refusals(s, "google", "not so"), 1);
    assert_true(files_of(p, s).files[0].remade);
    good(rf_session_quarantine(s, file, "google", RF_STR("not at all"), &test_err));
    assert_false(files_of(p, s).files[0].remade);
    good(rf_session_quarantine(s, file, "anthropic", RF_STR("again"), &test_err));
    good(rf_session_lift(s, file, NULL, &test_err));
    assert_int_equal(count_refusals(s, "", ""), 0);
    rf_session_close(other);
    rf_session_close(s);
    rf_store_close(store);
}

static void the_last_sending_is_told(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    add_picture(p, s, "a.png", png);
    struct listed l = files_of(p, s);
    good(rf_session_note_sent(s, l.files[0].id,
                              &(struct rf_sent_way){ RF_STR("native"), RF_STR("original"),
                                                     RF_STR("image/png"), RF_STR(""),
                                                     RF_STR("anthropic"), RF_STR("claude") },
                              &test_err));
    usleep(2000);
    good(rf_session_begin(s, &test_err));
    good(rf_session_note_sent(s, l.files[0].hash,
                              &(struct rf_sent_way){ RF_STR("text"), RF_STR("note"), RF_STR("note"),
                                                     RF_STR("all of it"), RF_STR("groq"),
                                                     RF_STR("llama") },
                              &test_err));
    assert_str(files_of(p, s).files[0].delivery, "native");
    good(rf_session_commit(s, &test_err));
    l = files_of(p, s);
    assert_str(l.files[0].delivery, "text");
    assert_str(l.files[0].as, "note");
    assert_str(l.files[0].provider, "groq");
    assert_str(l.files[0].model, "llama");
    assert_true(l.files[0].sent_ms > 0);
    usleep(2000);
    good(rf_session_note_sent(s, l.files[0].hash,
                              &(struct rf_sent_way){ RF_STR("fallback"), RF_STR("frames"),
                                                     RF_STR("image/png"),
                                                     RF_STR("all but 8 frames; sound"),
                                                     RF_STR("anthropic"), RF_STR("claude") },
                              &test_err));
    l = files_of(p, s);
    assert_str(l.files[0].delivery, "fallback");
    assert_str(l.files[0].form, "frames");
    assert_str(l.files[0].lost, "all but 8 frames; sound");
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM sent"), 2);
    rf_session_close(s);
    rf_store_close(store);
}

static const char *const no_files[] = {
    "",
    "att_000000000000",
    "sha256:zz",
    "../x",
    "a\nb",
    "\x1b[31m",
    "sha256:0000000000000000000000000000000000000000000000000000000000000000",
};

static void a_file_that_is_not_there_is_said(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    add_picture(p, s, "a.png", png);
    for (size_t i = 0; i < COUNT(no_files); i++) {
        bad(rf_session_drop(s, no_files[i], &test_err), RF_ENOTFOUND, "has no file");
        bad(rf_session_keep(s, no_files[i], &test_err), RF_ENOTFOUND, "has no file");
        bad(rf_session_quarantine(s, no_files[i], "x", RF_STR("y"), &test_err), RF_ENOTFOUND,
            "has no file");
        bad(rf_session_lift(s, no_files[i], NULL, &test_err), RF_ENOTFOUND, "has no file");
    }
    rf_session_close(s);
    rf_store_close(store);
}

static void an_id_that_two_files_have_is_refused(void **state)
{
    const struct place *p = *state;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    rf_session_folders(s, p->folder, NULL);
    write_file(in_folder(p->arena, p->folder, "a.png"), png);
    write_file(in_folder(p->arena, p->folder, "b.gif"), gif);
    good(append(s, "{'role':'user','content':[{'type':'image','id':'x','source_path':'a.png'},"
                   "{'type':'image','id':'x','source_path':'b.gif'}]}"));
    bad(rf_session_drop(s, "x", &test_err), RF_EUSAGE, "several files");
    rf_session_close(s);
    rf_store_close(store);
}

/* Taking away */

static void a_removed_session_takes_its_blobs_with_it(void **state)
{
    const struct place *p = *state;
    char id[RF_SESSION_ID_SIZE];
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store), *other = session_at(store);
    add_picture(p, s, "a.png", png);
    add_picture(p, s, "b.gif", gif);
    add_picture(p, other, "a.png", png);
    struct listed l = files_of(p, s);
    good(rf_session_quarantine(s, l.files[1].id.p, "x", RF_STR("y"), &test_err));
    good(rf_session_drop(s, l.files[1].id.p, &test_err));
    good(rf_session_note_sent(s, l.files[1].id,
                              &(struct rf_sent_way){ RF_STR("native"), RF_STR("original"),
                                                     RF_STR(""), RF_STR(""), RF_STR("a"),
                                                     RF_STR("b") },
                              &test_err));
    assert_true(blob_is_there(p, l.files[0].hash) && blob_is_there(p, l.files[1].hash));
    snprintf(id, sizeof id, "%s", s->id);
    rf_session_close(s);
    good(append(other, "{'role':'user','content':'touched later'}"));
    /* The one that both have was touched by the other; it would stay in any case. */
    good(rf_store_remove(store, id, NULL, &test_err));
    assert_true(blob_is_there(p, l.files[0].hash));
    assert_false(blob_is_there(p, l.files[1].hash));
    bad(rf_session_open(store, id, false, &s, &test_err), RF_ENOTFOUND, id);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM media"), 1);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 2);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM blobs"), 1);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM dropped"), 0);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM sent"), 0);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM refused"), 0);
    assert_document(p, other,
                    rf_strf(p->arena,
                            "{'refract':1,'messages':[{'role':'user','content':[{'type':'image',"
                            "'blob':'%.*s','name':'a.png'}]},{'role':'user','content':[{'type':"
                            "'text','text':'touched later'}]}]}",
                            RF_FMT(l.files[0].hash))
                        .p);
    rf_session_close(other);
    rf_store_close(store);
}

static void a_fork_keeps_the_blobs(void **state)
{
    const struct place *p = *state;
    char id[RF_SESSION_ID_SIZE];
    struct rf_session *fork;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    add_picture(p, s, "a.png", png);
    snprintf(id, sizeof id, "%s", s->id);
    good(rf_session_fork(store, id, -1, &fork, &test_err));
    rf_session_close(s);
    good(rf_store_remove(store, id, NULL, &test_err));
    struct listed l = files_of(p, fork);
    assert_int_equal(l.count, 1);
    assert_true(blob_is_there(p, l.files[0].hash));
    rf_session_close(fork);
    rf_store_close(store);
}

static void what_was_touched_later_is_left_to_gc(void **state)
{
    const struct place *p = *state;
    char id[RF_SESSION_ID_SIZE];
    struct rf_hash hash;
    struct rf_blob_row row;
    struct rf_gc gc;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    add_picture(p, s, "a.png", png);
    struct listed l = files_of(p, s);
    snprintf(id, sizeof id, "%s", s->id);
    rf_session_close(s);
    usleep(2000);
    assert_true(rf_hash_read(l.files[0].hash, &hash));
    good(rf_store_find_blob(store, &hash, p->arena, &row, &test_err));
    good(rf_store_enter_blob(store, &row, &test_err)); /* a tool read the same file */
    good(rf_store_remove(store, id, NULL, &test_err));
    assert_true(blob_is_there(p, l.files[0].hash));
    good(rf_store_gc(store, 3600, &gc, &test_err));
    assert_int_equal(gc.blobs, 0);
    assert_int_equal(gc.kept, 1);
    good(rf_store_gc(store, 0, &gc, &test_err));
    assert_int_equal(gc.blobs, 1);
    assert_int_equal(gc.bytes, png.n);
    assert_int_equal(gc.kept, 0);
    assert_false(blob_is_there(p, l.files[0].hash));
    rf_store_close(store);
}

static void gc_takes_what_nothing_uses(void **state)
{
    const struct place *p = *state;
    struct rf_gc gc;
    struct rf_hash hash;
    int64_t object;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    add_picture(p, s, "a.png", png);
    struct listed l = files_of(p, s);
    struct rf_bytes orphan = rf_bytes_memory(gif);
    good(rf_blobs_put(store->blobs, &orphan, UINT64_MAX, &hash, &object, &test_err));
    bool torn = !p->bucket; /* uploads: tests/bucket */
    if (torn)
        write_file(rf_strf(p->arena, "%s/tmp/new-torn", blobs_of(p)).p, RF_STR("half"));
    good(rf_store_gc(store, 3600, &gc, &test_err));
    assert_int_equal(gc.blobs + gc.leftovers, 0);
    good(rf_store_gc(store, 0, &gc, &test_err));
    assert_int_equal(gc.blobs, 0);
    assert_int_equal(gc.leftovers, 1 + torn);
    assert_int_equal(gc.bytes, gif.n + (torn ? 4 : 0));
    assert_int_equal(gc.kept, 1);
    assert_true(blob_is_there(p, l.files[0].hash));
    assert_false(blob_is_there(p, rf_hash_write(&hash, p->arena)));
    bad(rf_store_gc(store, -1, &gc, &test_err), RF_EUSAGE, "negative");
    good(rf_store_gc(store, INT64_MAX, &gc, &test_err));
    rf_session_close(s);
    rf_store_close(store);
}

static void removing_goes_on_while_others_add(void **state)
{
    const struct place *p = *state;
    char id[RF_SESSION_ID_SIZE];
    struct rf_gc gc;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store), *other = session_at(store);
    add_picture(p, s, "a.png", png);
    snprintf(id, sizeof id, "%s", s->id);
    rf_session_close(s);
    good(rf_session_begin(other, &test_err));
    good(say(other, "waits"));
    good(rf_store_remove(store, id, NULL, &test_err));
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM sessions"), 0);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM blobs"), 1);
    good(rf_session_commit(other, &test_err));
    good(rf_store_gc(store, 0, &gc, &test_err));
    assert_int_equal(gc.blobs, 1);
    rf_session_close(other);
    rf_store_close(store);
}

/* Taking away while a connection breaks: an engine that loses a commit, and somebody who uses the moment. */

static const struct rf_sql_engine *real;
static int losses;
static bool is_done; /* the commit that is lost */

static enum rf_code lose_commit(struct rf_sql *sql, struct rf_err *err)
{
    if (!losses)
        return real->commit(sql, err);
    losses--;
    if (is_done)
        good(real->commit(sql, err));
    else
        real->rollback(sql);
    good(real->run(sql,
                   "INSERT INTO media (session, number, place, hash) "
                   "SELECT 'another', 0, 0, hash FROM blobs",
                   NULL, 0, NULL, NULL, NULL, &test_err));
    sql->lost = true;
    return rf_fail(err, RF_EIO, "the connection broke");
}

/* SQLite has no connection that could be opened anew. */
static enum rf_code find_it_open(struct rf_sql *sql, struct rf_err *err)
{
    if (strcmp(sql->engine->name, "sqlite") == 0)
        sql->lost = false;
    return real->begin(sql, err);
}

static struct rf_sql_engine lossy;

static void make_lossy(struct rf_store *s)
{
    real = s->sql->engine;
    lossy = *real;
    lossy.commit = lose_commit;
    lossy.begin = find_it_open;
    s->sql->engine = &lossy;
    losses = 1;
}

static void what_is_used_again_meanwhile_stays(void **state)
{
    const struct place *p = *state;
    struct rf_gc gc;
    char id[RF_SESSION_ID_SIZE];
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    add_picture(p, s, "a.png", png);
    struct listed l = files_of(p, s);
    snprintf(id, sizeof id, "%s", s->id);
    rf_session_close(s);
    make_lossy(store);
    is_done = false;
    good(rf_store_remove(store, id, NULL, &test_err));
    assert_int_equal(losses, 0);
    assert_true(blob_is_there(p, l.files[0].hash));
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM blobs"), 1);
    good(rf_sql_run(store->sql, "DELETE FROM media", NULL, 0, NULL, NULL, &test_err));
    losses = 1;
    good(rf_store_gc(store, 0, &gc, &test_err));
    assert_int_equal(losses, 0);
    assert_int_equal(gc.kept, 1);
    assert_true(blob_is_there(p, l.files[0].hash));
    good(rf_sql_run(store->sql, "DELETE FROM media", NULL, 0, NULL, NULL, &test_err));
    losses = 1;
    is_done = true;
    good(rf_store_gc(store, 0, &gc, &test_err)); /* nobody was quick enough */
    assert_int_equal(gc.kept, 0);
    assert_false(blob_is_there(p, l.files[0].hash));
    rf_store_close(store);
}

static enum rf_code lose_lock(struct rf_sql *sql, struct rf_err *err)
{
    sql->opened++; /* and the lock was not had again */
    return real->begin(sql, err);
}

static void nothing_is_taken_away_when_the_lock_is_lost(void **state)
{
    struct place *p = place_new("sqlite");
    struct rf_gc gc;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    (void)state;
    add_picture(p, s, "a.png", png);
    struct listed l = files_of(p, s);
    good(rf_sql_run(store->sql, "DELETE FROM media", NULL, 0, NULL, NULL, &test_err));
    rf_session_close(s);
    make_lossy(store);
    losses = 0;
    lossy.begin = lose_lock;
    bad(rf_store_gc(store, 0, &gc, &test_err), RF_ELIMIT, "busy");
    assert_true(blob_is_there(p, l.files[0].hash));
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM blobs"), 1);
    rf_store_close(store);
    place_free(p);
}

static void a_file_that_was_taken_away_before_its_message_is_noticed(void **state)
{
    struct place *p = place_new("sqlite");
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    (void)state;
    good(say(s, "first"));
    good(rf_session_begin(s, &test_err));
    add_picture(p, s, "a.png", png);
    struct rf_bytes bytes = rf_bytes_memory(png);
    uint8_t digest[32];
    struct rf_hash hash;
    good(rf_bytes_sha256(&bytes, digest, &test_err));
    rf_sha256_hex(digest, hash.hex);
    good(rf_blobs_remove(store->blobs, &hash, 0, &test_err));
    store->sql->opened++; /* the connection broke, and the session was had again */
    s->opened++;
    bad(rf_session_commit(s, &test_err), RF_EIO, "was taken away");
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), 1);
    rf_session_close(s);
    rf_store_close(store);
    place_free(p);
}

/* Somebody wrote into the table. */
static void a_hash_that_is_a_path_removes_nothing(void **state)
{
    static const char name[] = "..//of_somebody_else";
    struct place *p = place_new("sqlite");
    struct rf_gc gc;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    (void)state;
    add_picture(p, s, "a.png", png); /* the folder is there */
    rf_session_close(s);
    const char *file = in_folder(p->arena, p->folder, "of_somebody_else");
    write_file(file, RF_STR("precious"));
    /* blobs/../ and 62 characters that lead out of the store */
    struct rf_str path =
        rf_strf(p->arena, "..%0*d%s", RF_HASH_HEX - 2 - (int)strlen(name), 0, name);
    for (size_t i = 2; i < path.n - strlen(name); i++)
        ((char *)(uintptr_t)path.p)[i] = i % 2 ? '/' : '.';
    const struct rf_sql_value value = rf_sql_text(path);
    good(rf_sql_run(store->sql,
                    "INSERT INTO blobs (hash, size, touched, object) VALUES ($1, 1, 0, 0)", &value,
                    1, NULL, NULL, &test_err));
    bad(rf_store_gc(store, 0, &gc, &test_err), RF_EFORMAT, "no hash");
    assert_int_equal(access(file, F_OK), 0);
    rf_store_close(store);
    place_free(p);
}

/* What was sent */

static void a_name_without_a_blob_is_no_reason_to_forget_the_rest(void **state)
{
    const struct place *p = *state;
    struct rf_conversation *c;
    struct rf_request *r;
    struct rf_model *m;
    struct rf_store *store = store_at(p);
    struct rf_session *s = session_at(store);
    add_picture(p, s, "a.png", png);
    good(append(s, rf_strf(p->arena,
                           "{'role':'user','content':[{'type':'image','blob':'sha256:%064d'}]}", 0)
                       .p));
    good(rf_session_conversation(s, &c, &test_err));
    good(rf_model_open(NULL, "anthropic:claude-sonnet-4-5", &m, &test_err));
    good(rf_request_build(c, m, NULL, &r, &test_err));
    good(rf_session_sent(s, r, &test_err));
    assert_true(files_of(p, s).files[0].delivery.n > 0);
    rf_request_free(r);
    rf_model_close(m);
    rf_conversation_free(c);
    rf_session_close(s);
    rf_store_close(store);
}

/* Large objects of PostgreSQL */

static struct rf_store *store_with_objects(const struct place *p)
{
    const struct rf_store_options options = {
        .address = p->address,
        .blobs = "database",
        .cache = in_folder(p->arena, p->folder, "cache"),
        .file_bytes = RF_STORE_FILE_BYTES,
        .text_bytes = RF_STORE_TEXT_BYTES,
    };
    struct rf_store *s;
    good(rf_store_make(&options, &s, &test_err));
    return s;
}

static void blobs_live_in_the_database(void **state)
{
    (void)state;
    if (!server_address())
        skip();
    struct place *p = place_new("postgres");
    struct rf_conversation *c;
    struct rf_bytes bytes;
    struct rf_gc gc;
    char id[RF_SESSION_ID_SIZE];
    struct rf_store *store = store_with_objects(p);
    struct rf_session *s = session_at(store);
    int64_t objects = ask_number(store, "SELECT COUNT(*) FROM pg_largeobject_metadata");
    add_picture(p, s, "a.png", png);
    add_picture(p, s, "a.png", png);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM pg_largeobject_metadata"),
                     objects + 1);
    good(rf_session_conversation(s, &c, &test_err));
    good(c->blobs->open(c->blobs->ctx, c->messages[0].blocks[0].media.source.ref, p->arena, &bytes,
                        &test_err));
    assert_int_equal(bytes.size, png.n);
    rf_conversation_free(c);
    snprintf(id, sizeof id, "%s", s->id);
    rf_session_close(s);
    good(rf_store_remove(store, id, NULL, &test_err));
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM pg_largeobject_metadata"), objects);
    good(rf_store_gc(store, 0, &gc, &test_err));
    assert_int_equal(gc.kept, 0);
    rf_store_close(store);
    place_free(p);
}

int main(void)
{
    static const struct CMUnitTest both[] = {
        cmocka_unit_test(a_file_outlives_its_path),
        cmocka_unit_test(a_file_that_another_added_is_found),
        cmocka_unit_test(a_file_is_listed_once),
        cmocka_unit_test(dropping_is_for_one_session),
        cmocka_unit_test(a_refusal_holds_in_every_session),
        cmocka_unit_test(the_last_sending_is_told),
        cmocka_unit_test(a_file_that_is_not_there_is_said),
        cmocka_unit_test(an_id_that_two_files_have_is_refused),
        cmocka_unit_test(a_removed_session_takes_its_blobs_with_it),
        cmocka_unit_test(a_fork_keeps_the_blobs),
        cmocka_unit_test(what_was_touched_later_is_left_to_gc),
        cmocka_unit_test(gc_takes_what_nothing_uses),
        cmocka_unit_test(removing_goes_on_while_others_add),
        cmocka_unit_test(what_is_used_again_meanwhile_stays),
        cmocka_unit_test(a_name_without_a_blob_is_no_reason_to_forget_the_rest),
    };
    static const struct CMUnitTest rest[] = {
        cmocka_unit_test(nothing_is_taken_away_when_the_lock_is_lost),
        cmocka_unit_test(a_file_that_was_taken_away_before_its_message_is_noticed),
        cmocka_unit_test(a_hash_that_is_a_path_removes_nothing),
        cmocka_unit_test(blobs_live_in_the_database),
    };
    struct CMUnitTest all[ENGINES * COUNT(both)];
    over_engines(both, COUNT(both), all);
    return cmocka_run_group_tests(all, NULL, NULL) + cmocka_run_group_tests(rest, NULL, NULL);
}
