/* What was learned as a document of a store that several machines share.
 *
 * One at a time changes it, by a lock of the store. Should the connection break under that, the
 * version of the document tells, and nothing that another learned is overwritten. A store that
 * cannot be reached does not stop a request: it is told as a problem, and nothing was learned. */
#include "base/arena.h"
#include "config/config.h"
#include "config/learned.h"
#include "config/learned_recent.h"
#include "config/store_open.h"

#include <time.h>

#define LOCK_TRIES 500 /* each TRY_MS: it is needed for some milliseconds */
#define TRY_MS 10

static const struct rf_str lock_name = RF_STR_INIT("learned");
static const char document[] = "learned", aside[] = "learned.broken";

static void start(struct rf_learned *l, struct rf_arena *a)
{
    *l = (struct rf_learned){ .arena = a, .lock = -1 };
}

/* Fails with RF_EFORMAT where it is corrupt, RF_ECONFIG where it is newer. */
static enum rf_code parse(struct rf_str text, const char *place, struct rf_learned *l,
                          struct rf_err *err)
{
    enum rf_code rc = text.n ? rf_learned_parse(text, l, err) : RF_OK;
    if (rc)
        rf_err_at(err, place);
    return rc == RF_ECONFIG ? rc : rc ? RF_EFORMAT : RF_OK;
}

/* Fails as parsing and reading do. */
static enum rf_code load(struct rf_store *s, struct rf_learned *l, struct rf_str *text,
                         struct rf_err *err)
{
    *text = RF_STR("");
    enum rf_code rc = rf_store_document_read(s, document, l->arena, &l->version, text, err);
    return rc ? rc : parse(*text, rf_store_place(s), l, err);
}

/* Keep the words of `why` as the problem, and go on with nothing. */
static void forget(struct rf_learned *l, const struct rf_err *why, const char *hint)
{
    int64_t version = l->version;
    start(l, l->arena);
    l->version = version;
    l->problem = *why;
    if (hint)
        rf_hint(&l->problem, "%s", hint);
}

/* A store that nobody has used yet is empty. */
static enum rf_code read_text(const struct rf_config *config, struct rf_arena *a,
                              struct rf_str *text, struct rf_err *err)
{
    struct rf_store *s;
    int64_t version;
    *text = RF_STR("");
    enum rf_code rc = rf_config_open_store(config, NULL, &s, err);
    if (rc)
        return rc == RF_ENOTFOUND ? RF_OK : rc;
    rc = rf_store_document_read(s, document, a, &version, text, err);
    rf_store_close(s);
    return rc;
}

enum rf_code rf_learned_shared_read(const struct rf_config *config, struct rf_arena *a,
                                    struct rf_learned *out, struct rf_err *err)
{
    struct rf_err why = { 0 };
    struct rf_str text, address = config->store.address;
    enum rf_code rc;
    start(out, a);
    if (rf_recent_take(address, a, &text, &why)) {
        rc = why.code;
    } else {
        rc = read_text(config, a, &text, &why);
        rf_recent_put(address, text, rc ? &why : NULL);
    }
    if (rc) {
        forget(out, &why, NULL);
        return RF_OK;
    }
    const struct rf_place *said = &config->store.place;
    rc = parse(text, rf_strf(a, "%s:%zu", said->file, said->line).p, out, &why);
    if (rc == RF_ECONFIG) {
        if (err)
            *err = why;
        return rc;
    }
    if (rc)
        forget(out, &why, "What it held will be learned again.");
    return RF_OK;
}

static enum rf_code wait_for_lock(struct rf_store *s, struct rf_err *err)
{
    const struct timespec pause = { 0, TRY_MS * 1000000L };
    for (int i = 0; i < LOCK_TRIES; i++) {
        bool taken = false;
        enum rf_code rc = s->sql->engine->lock(s->sql, lock_name, false, &taken, err);
        if (rc || taken)
            return rc;
        nanosleep(&pause, NULL);
    }
    return rf_fail(err, RF_EIO, "another process does not let go of what was learned, in \"%s\"",
                   rf_store_place(s));
}

/* What is corrupt stays beside it, for whoever wants to know. */
static void set_aside(struct rf_store *s, struct rf_learned *l, struct rf_str text,
                      const struct rf_err *why)
{
    int64_t version;
    struct rf_str old;
    bool done = false;
    if (rf_store_document_read(s, aside, l->arena, &version, &old, NULL) ||
        rf_store_document_replace(s, aside, version, text, &done, NULL))
        done = false;
    forget(l, why,
           done ? "It was set aside as \"learned.broken\"; what it held will be learned again."
                : "What it held will be learned again.");
}

static enum rf_code load_locked(struct rf_store *s, struct rf_learned *l, struct rf_err *err)
{
    struct rf_err why;
    struct rf_str text;
    enum rf_code rc = wait_for_lock(s, err);
    if (rc)
        return rc;
    rc = load(s, l, &text, &why);
    if (rc == RF_EFORMAT) {
        set_aside(s, l, text, &why);
        return RF_OK;
    }
    if (rc && err)
        *err = why;
    return rc;
}

enum rf_code rf_learned_shared_lock(const struct rf_config *config, struct rf_arena *a,
                                    struct rf_learned *out, struct rf_err *err)
{
    struct rf_store *s;
    start(out, a);
    enum rf_code rc = rf_config_open_store(config, NULL, &s, err);
    if (rc)
        return rc;
    rc = load_locked(s, out, err);
    if (rc)
        rf_store_close(s); /* and its locks with it */
    else
        out->store = s;
    return rc;
}

void rf_learned_shared_unlock(struct rf_learned *l)
{
    rf_store_close(l->store);
    l->store = NULL;
}

enum rf_code rf_learned_shared_save(struct rf_learned *l, struct rf_err *err)
{
    bool replaced = false;
    enum rf_code rc = rf_store_document_replace(l->store, document, l->version,
                                                rf_learned_format(l), &replaced, err);
    if (!rc && !replaced)
        rc = rf_fail(err, RF_EIO, "another machine learned at the same time, in \"%s\"",
                     rf_store_place(l->store));
    rf_learned_shared_unlock(l);
    return rc;
}
