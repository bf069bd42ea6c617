/* refract sessions new, append, title, fork, rm and gc: what changes the store. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#include "input.h"
#include "progress.h"
#include "report.h"
#include "sessions.h"
#include "text.h"

#define MESSAGE_BYTES ((size_t)1 << 30) /* what the neutral format allows */
#define MESSAGES_MOST 1000000000
#define AGE_MOST 1000000000
#define AGE_USUAL 3600

/* The id on standard output: what a script goes on with. */
static void print_session(const struct rf_session *s, const struct rf_args *args)
{
    if (!args->json)
        puts(rf_session_id(s));
    else
        printf("{\"id\":\"%s\",\"messages\":%" PRId64 "}\n", rf_session_id(s), rf_session_count(s));
}

/* Where the files are that a document names. */
static enum rf_code set_folders(struct rf_session *s, const struct rf_args *args, const char *path,
                                struct rf_err *err)
{
    const char *base = args->values[RF_SESSIONS_BASE], *root = args->values[RF_SESSIONS_ROOT];
    enum rf_code rc;
    if ((rc = rf_input_folder(base, "base", err)) || (rc = rf_input_folder(root, "root", err)))
        return rc;
    char *beside = rf_input_folder_of(path);
    rf_session_folders(s, base ? base : beside, root);
    free(beside);
    return RF_OK;
}

/* new */

static enum rf_code add_document(struct rf_session *s, struct rf_conversation *c,
                                 struct rf_err *err)
{
    struct rf_progress progress;
    rf_progress_begin(&progress, "keeping", -1);
    enum rf_code rc = rf_session_add(s, c, err);
    rf_progress_end(&progress);
    if (rc || rf_session_count(s))
        return rc;
    rf_say(err, RF_EFORMAT, "the conversation has no messages");
    rf_say_hint(err, "A session is kept from its first message on.");
    return RF_EFORMAT;
}

enum rf_code rf_sessions_new(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    const char *path = args->word_count > 1 ? args->words[1] : "-";
    struct rf_conversation *c = NULL;
    enum rf_code rc;
    if (!(rc = rf_conversation_open(path, &c, err)) &&
        !(rc = rf_session_new(s->store, &s->session, err)) &&
        !(rc = set_folders(s->session, args, path, err)) &&
        !(rc = add_document(s->session, c, err)))
        print_session(s->session, args);
    rf_conversation_free(c);
    return rc;
}

/* append */

enum rf_code rf_sessions_append(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    const char *path = args->word_count > 2 ? args->words[2] : "-";
    struct rf_str message = { NULL, 0 };
    struct rf_progress progress;
    enum rf_code rc;
    if ((rc = rf_stored_write(s, args->words[1], err)) ||
        (rc = set_folders(s->session, args, path, err)) ||
        (rc = rf_input_take(path, MESSAGE_BYTES, &message, err)))
        return rc;
    rf_progress_begin(&progress, "keeping", -1);
    rc = rf_session_append(s->session, message, err);
    rf_progress_end(&progress);
    if (!rc && args->json)
        print_session(s->session, args);
    free((char *)message.p);
    return rc;
}

/* title */

enum rf_code rf_sessions_title(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    bool sets = args->word_count > 2;
    enum rf_code rc = (sets ? rf_stored_write : rf_stored_read)(s, args->words[1], err);
    if (!rc && sets)
        rc = rf_session_set_title(s->session, rf_text(args->words[2]), err);
    if (rc || (sets && !args->json))
        return rc;
    if (args->json) {
        printf("{\"id\":\"%s\",\"title\":", rf_session_id(s->session));
        rf_print_json(stdout, rf_session_title(s->session));
        puts("}");
    } else {
        rf_print_text(stdout, rf_session_title(s->session));
        putchar('\n');
    }
    return RF_OK;
}

/* fork */

enum rf_code rf_sessions_fork(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    char id[RF_SESSION_ID_SIZE];
    int64_t messages;
    enum rf_code rc;
    if ((rc = rf_sessions_number(args, RF_SESSIONS_MESSAGES, MESSAGES_MOST, -1, &messages, err)) ||
        (rc = rf_stored_find(s, args->words[1], id, err)))
        return rc;
    if (messages == 0) {
        rf_say(err, RF_EUSAGE, "--messages: a fork begins with one message at least");
        return RF_EUSAGE;
    }
    rc = rf_session_fork(s->store, id, messages, &s->session, err);
    if (!rc)
        print_session(s->session, args);
    return rc;
}

/* rm */

struct farewell {
    const char *id;
    int64_t messages, files;
    struct rf_gc freed;
};

static void look(void *ctx, const struct rf_session_info *i)
{
    struct farewell *f = ctx;
    if (i->id.n != strlen(f->id) || memcmp(i->id.p, f->id, i->id.n) != 0)
        return;
    f->messages = i->messages;
    f->files = i->files;
}

static void say_farewell(const struct farewell *f, const struct rf_args *args)
{
    char size[RF_SHORT_TEXT];
    if (args->json)
        printf("{\"removed\":\"%s\",\"messages\":%" PRId64 ",\"files\":%" PRId64
               ",\"freed\":%" PRId64 ",\"bytes\":%" PRId64 "}\n",
               f->id, f->messages, f->files, f->freed.blobs, f->freed.bytes);
    else
        fprintf(stderr,
                "note: %s is removed: %" PRId64 " message%s; freed %s, %" PRId64
                " file%s that nothing else uses\n",
                f->id, f->messages, f->messages == 1 ? "" : "s", rf_size_text(f->freed.bytes, size),
                f->freed.blobs, f->freed.blobs == 1 ? "" : "s");
}

enum rf_code rf_sessions_rm(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    char id[RF_SESSION_ID_SIZE];
    struct farewell f = { .id = id };
    struct rf_progress progress;
    enum rf_code rc;
    if ((rc = rf_stored_find(s, args->words[1], id, err)) ||
        (rc = rf_store_list(s->store, 0, look, &f, err)))
        return rc;
    rf_progress_begin(&progress, "removing", -1);
    rc = rf_store_remove(s->store, id, &f.freed, err);
    rf_progress_end(&progress);
    if (!rc)
        say_farewell(&f, args);
    return rc;
}

/* gc */

static void say_freed(const struct rf_gc *gc, const struct rf_args *args)
{
    char size[RF_SHORT_TEXT];
    if (args->json)
        printf("{\"blobs\":%" PRId64 ",\"leftovers\":%" PRId64 ",\"bytes\":%" PRId64
               ",\"kept\":%" PRId64 "}\n",
               gc->blobs, gc->leftovers, gc->bytes, gc->kept);
    else
        fprintf(stderr,
                "note: freed %s: %" PRId64 " file%s that nothing uses, %" PRId64
                " leftover%s of writes that were cut off; %" PRId64 " kept\n",
                rf_size_text(gc->bytes, size), gc->blobs, gc->blobs == 1 ? "" : "s", gc->leftovers,
                gc->leftovers == 1 ? "" : "s", gc->kept);
}

enum rf_code rf_sessions_gc(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    struct rf_progress progress;
    struct rf_gc gc;
    int64_t age;
    enum rf_code rc = rf_sessions_number(args, RF_SESSIONS_AGE, AGE_MOST, AGE_USUAL, &age, err);
    if (rc)
        return rc;
    rf_progress_begin(&progress, "looking for what nothing uses", -1);
    rc = rf_store_gc(s->store, age, &gc, err);
    rf_progress_end(&progress);
    if (!rc)
        say_freed(&gc, args);
    return rc;
}
